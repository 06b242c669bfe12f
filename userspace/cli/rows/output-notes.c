// SPDX-License-Identifier: GPL-2.0
/*
 * Remarks about the rows of a table. They stand below it, so that they make no row wider than a
 * terminal, and rows with the same remark share them.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "meaning.h"
#include "output-kind.h"
#include "owner-name.h"
#include "task.h"

#define WIDTH	80

/**
 * struct note - what is to be remarked of a row
 * @state: the state; NULL if nothing is to be said of it
 * @reason: why it is so; NULL if the state says all
 * @incomplete: some task is not followed
 * @doubt: why no bottleneck is marked; NULL if one can be
 * @partial: the row was not measured all the time
 * @least: the share of the time that was measured; the least of all rows with this note
 * @most: the greatest
 * @expected: the share that is to be expected, in tenths of a percent; 1000 if nobody knows
 */
struct note {
	const char *state;
	const char *reason;
	bool incomplete;
	const char *doubt;
	bool partial;
	double least;
	double most;
	unsigned int expected;
};

/**
 * struct line - a line of notes that is being written
 * @file: where to
 * @length: characters that it has
 */
struct line {
	FILE *file;
	size_t length;
};

/* Tables have a column with the running time of tasks. */
static void note_times(struct note *note, const struct row *row)
{
	double expected = 1;
	bool turns;

	note->partial = !row->task && row_running(row, &note->least) &&
			note->least < ROW_RUNNING_FULL;
	note->most = note->least;
	row_expected(row, &expected);
	turns = note->partial && expected < ROW_RUNNING_FULL;
	note->expected = turns ? expected * 1000 + 0.5 : 1000;
}

/* A task that ended is not remarked; a task that was lost is. */
static bool is_usual(const struct row *row)
{
	if (row->task)
		return row->state == TOPDOWN_SESSION_STATE_RUNNING ||
		       row->state == TOPDOWN_SESSION_STATE_EXITED;
	return row->state == TOPDOWN_STATE_OK;
}

/* @note: what is to be said of a row. The headline has the remarks about the sum. */
static bool note_of(const struct row *row, struct note *note)
{
	memset(note, 0, sizeof(*note));
	/* Nobody looks for a bottleneck of idle time. */
	if (row->kind == ROW_ALL || row->kind == ROW_IDLE_TASKS)
		return false;
	if (!is_usual(row)) {
		note->state = row_state(row);
		note->reason = reason_of_state(row);
	}
	note->incomplete = row->task && row->session.incomplete;
	note->doubt = row->figures.slots ? row_doubt_text(row) : NULL;
	note_times(note, row);
	return note->state || note->incomplete || note->doubt || note->partial;
}

static bool is_same(const struct note *one, const struct note *other)
{
	return one->state == other->state && one->incomplete == other->incomplete &&
	       one->doubt == other->doubt && one->partial == other->partial &&
	       one->expected == other->expected;
}

/* The place of the next row with the same note; the number of rows if there is none. */
static unsigned int next_same(const struct interval *interval, unsigned int i,
			      const struct note *note)
{
	struct note other;

	while (++i < interval->nr) {
		if (note_of(&interval->row[i], &other) && is_same(note, &other))
			break;
	}
	return i;
}

static bool is_first(const struct interval *interval, unsigned int i, const struct note *note)
{
	struct note other;

	while (i--) {
		if (note_of(&interval->row[i], &other) && is_same(note, &other))
			return false;
	}
	return true;
}

/* Print a piece that is not broken, after what parts it from the one before. */
__attribute__((format(printf, 3, 4)))
static void put(struct line *line, const char *before, const char *format, ...)
{
	char text[WIDTH];
	va_list args;
	size_t length;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	length = strlen(before) + strlen(text);
	/* A comma may follow. */
	if (line->length + length >= WIDTH) {
		fprintf(line->file, "%.*s\n  ", (int)strcspn(before, " "), before);
		before = "";
		line->length = 2;
		length = strlen(text);
	}
	fprintf(line->file, "%s%s", before, text);
	line->length += length;
}

/* An owner by its number, or by its name if it has none. */
static void put_owner(struct line *line, const char *before, const struct row *row)
{
	char id[OWNER_ID_SIZE];

	owner_id(id, row);
	put(line, before, "%s", row->kind == ROW_PROCESS || row->kind == ROW_CGROUP ? id :
			  owner_name(row));
}

/* Print a row, and how many follow it without a gap, as "0-3". Returns the place of the last. */
static unsigned int put_run(struct line *line, const struct interval *interval, unsigned int i,
			    const struct note *note, const char *before)
{
	const struct row *row = interval->row;
	unsigned int last = i, next = next_same(interval, i, note);

	while (row[i].kind == ROW_CPU && next == last + 1 && next < interval->nr &&
	       row[next].cpu == row[last].cpu + 1) {
		last = next;
		next = next_same(interval, next, note);
	}
	if (interval->owners)
		put_owner(line, before, &row[i]);
	else if (row[i].task)
		put(line, before, "%d", row[i].task->tid ? row[i].task->tid : row[i].task->pid);
	else if (row[i].kind == ROW_CORE)
		put(line, before, "S%d-C%d", row[i].socket, row[i].core_id);
	else if (row[i].kind == ROW_SOCKET)
		put(line, before, "S%d", row[i].socket);
	else if (row[i].kind == ROW_NODE)
		put(line, before, "N%d", row[i].numa);
	else if (last == i)
		put(line, before, "%" PRIu32, row[i].cpu);
	else
		put(line, before, "%" PRIu32 "-%" PRIu32, row[i].cpu, row[last].cpu);
	return last;
}

static void put_rows(struct line *line, const struct interval *interval, unsigned int i,
		     const struct note *note)
{
	const struct row *row = &interval->row[i];
	const char *before = " ";

	if (row->task)
		put(line, "", "ID");
	else
		put(line, "", "%s", row->kind == ROW_CPU ? "CPU" : row_kind_name(row));
	for (; i < interval->nr; i = next_same(interval, i, note)) {
		i = put_run(line, interval, i, note, before);
		before = ",";
	}
}

static void put_running(struct line *line, const struct note *note, const char *before)
{
	char least[16], expected[32] = "";

	snprintf(least, sizeof(least), "%.1f%%", note->least * 100);
	if (note->expected < 1000)
		snprintf(expected, sizeof(expected), " of %.1f%% expected", note->expected / 10.0);
	if (note->most - note->least < 0.0005)
		put(line, before, "running %s%s", least, expected);
	else
		put(line, before, "running %.1f to %.1f%%%s", note->least * 100,
		    note->most * 100, expected);
}

static void put_remarks(struct line *line, const struct note *note)
{
	const char *before = ": ";

	if (note->state) {
		put(line, before, "%s", note->state);
		if (note->reason)
			put(line, " ", "(%s)", note->reason);
		before = ", ";
	}
	if (note->incomplete) {
		put(line, before, "incomplete (some tasks are not followed)");
		before = ", ";
	}
	if (note->partial) {
		put_running(line, note, before);
		before = ", ";
	}
	if (note->doubt)
		put(line, before, "%s: no bottleneck is named", note->doubt);
	putc('\n', line->file);
}

/**
 * output_notes - print the remarks about the rows of a table
 * @output: output
 * @interval: interval whose table was printed
 */
void output_notes(const struct output *output, const struct interval *interval)
{
	struct note note, other;
	unsigned int i, at;

	for (i = 0; i < interval->nr; i++) {
		struct line line = { .file = output->file };

		if (!note_of(&interval->row[i], &note) || !is_first(interval, i, &note))
			continue;
		for (at = next_same(interval, i, &note); at < interval->nr;
		     at = next_same(interval, at, &note)) {
			note_of(&interval->row[at], &other);
			if (other.least < note.least)
				note.least = other.least;
			if (other.most > note.most)
				note.most = other.most;
		}
		put_rows(&line, interval, i, &note);
		put_remarks(&line, &note);
	}
}
