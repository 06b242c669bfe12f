// SPDX-License-Identifier: GPL-2.0
/*
 * Closed windows of CPUs, to be printed in the order of time.
 */
#include "windows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "columns.h"
#include "message.h"

/* A window is a minute at most. */
#define LENGTH_WIDTH(wide)	((wide) ? 9 : 6)

/* Columns of text that a table should not exceed. */
#define WIDTH			100

/**
 * windows_level - the level that the row of a window shows
 * @output: output
 * @asked: level that was asked for; 0 for none
 * @most: highest level of the window
 *
 * Return: the level.
 */
unsigned int windows_level(const struct output *output, unsigned int asked, unsigned int most)
{
	unsigned int level = asked;

	if (!level)
		level = output->format == OUTPUT_TABLE ? 1 : 2;
	return level < most ? level : most;
}

static int make_room(struct windows *windows)
{
	size_t room = windows->room ? 2 * windows->room : 64;
	struct shown *more;

	if (windows->nr < windows->room)
		return 0;
	more = reallocarray(windows->shown, room, sizeof(*more));
	if (!more)
		return -ENOMEM;
	windows->shown = more;
	windows->room = room;
	return 0;
}

/**
 * windows_add - add a window
 * @windows: windows
 * @time: when it closed, in seconds since the epoch
 * @cpu: its CPU
 * @source: enum topdown_source of the CPU
 * @level: level that its row shows
 * @window: the window, with ratios
 *
 * Return: 0 or -ENOMEM.
 */
int windows_add(struct windows *windows, double time, uint32_t cpu, unsigned int source,
		unsigned int level, const struct topdown_window *window)
{
	const struct shown shown = {
		.time = time,
		.cpu = cpu,
		.source = source,
		.level = level,
		.window = *window,
	};
	int ret = make_room(windows);

	if (!ret)
		windows->shown[windows->nr++] = shown;
	return ret;
}

/**
 * windows_follow - say when the window before the last one closed
 * @windows: windows, of which one has been added
 * @time_ns: when the window before it closed
 *
 * Only then is it known whether the CPU was nearly idle.
 */
void windows_follow(struct windows *windows, uint64_t time_ns)
{
	struct shown *shown = &windows->shown[windows->nr - 1];

	if (shown->window.time_ns > time_ns)
		shown->after_ns = shown->window.time_ns - time_ns;
}

/**
 * windows_free - free
 * @windows: windows
 */
void windows_free(struct windows *windows)
{
	free(windows->shown);
	windows->shown = NULL;
	windows->nr = 0;
	windows->room = 0;
}

static int compare(const void *one, const void *other)
{
	const struct shown *a = one, *b = other;

	if (a->window.time_ns != b->window.time_ns)
		return a->window.time_ns < b->window.time_ns ? -1 : 1;
	return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

/* The row of a window, and the interval that has it. */
static struct interval interval_of(const struct windows *windows, size_t i, struct row *row)
{
	const struct shown *shown = &windows->shown[i];

	*row = (struct row){
		.kind = ROW_WINDOW,
		.cpu = shown->cpu,
		.window = shown->window.number,
		.core_id = -1,
		.socket = -1,
		.numa = -1,
		.source = shown->source,
		.level = shown->level,
		.flags_known = true,
		.flags = shown->window.clamped ? TOPDOWN_RECORD_CLAMPED : 0,
		.time_ns = shown->after_ns,
		.figures = shown->window.figures,
	};
	return (struct interval){
		.time = shown->time,
		.length = row->figures.enabled_ns / (double)NS_PER_S,
		.level = row->level,
		.nr = 1,
		.row = row,
	};
}

/* Level 2 has many columns, so all are narrow. */
static int column_width(const struct column *column, bool wide)
{
	return wide ? column->look.wide_width : column->look.width;
}

static bool is_ratio(const struct column_list *list, unsigned int i)
{
	return i < list->nr && column_is_node(list->column[i]);
}

/* After a column: its mark, which touches no other number. */
static void put_end(const struct output *output, const struct column_list *list, unsigned int i,
		    bool marked, bool wide)
{
	if (i + 1 == list->nr)
		return;
	putc(marked ? '*' : ' ', output->file);
	if (!wide && is_ratio(list, i) && !is_ratio(list, i + 1))
		putc(' ', output->file);
}

static void put_headings(const struct output *output, const struct column_list *list, bool wide)
{
	unsigned int i;

	fprintf(output->file, "%-12s %*s ", "closed", LENGTH_WIDTH(wide),
		wide ? "length s" : "length");
	for (i = 0; i < list->nr; i++) {
		const struct column_look *look = &list->column[i]->look;

		fprintf(output->file, "%*s", column_width(list->column[i], wide),
			wide ? look->wide_heading : look->heading);
		put_end(output, list, i, false, wide);
	}
	putc('\n', output->file);
}

static void put_line(const struct output *output, const struct column_list *list,
		     const struct interval *interval, bool wide)
{
	const struct row *row = &interval->row[0];
	time_t seconds = interval->time;
	struct tm local;
	char text[64];
	unsigned int i;

	if (!localtime_r(&seconds, &local) || !strftime(text, sizeof(text), "%H:%M:%S", &local))
		snprintf(text, sizeof(text), "?");
	fprintf(output->file, "%s.%03u %*.3f ", text,
		(unsigned int)((interval->time - seconds) * 1000), LENGTH_WIDTH(wide),
		interval->length);
	for (i = 0; i < list->nr; i++) {
		const struct column *column = list->column[i];
		bool marked = column_is_node(column) && row_marked(row, column->of);

		column_text(text, sizeof(text), column, row, wide);
		/* There is no room for more, and a mark. */
		if (!wide && column_is_node(column) && !strcmp(text, "100.0"))
			memcpy(text, "100", sizeof("100"));
		fprintf(output->file, "%*s", column_width(column, wide), text);
		put_end(output, list, i, marked, wide);
	}
	putc('\n', output->file);
}

/* Light operations are what the heavy ones leave of retiring, so they go where room lacks. */
static void fit(struct column_list *list, bool wide)
{
	int width = 12 + 1 + LENGTH_WIDTH(wide) + 1;
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		width += column_width(list->column[i], wide) + 1;
	if (width > WIDTH)
		columns_drop_node(list, TOPDOWN_LIGHT_OPERATIONS);
}

static void put_table(const struct windows *windows, const struct output *output)
{
	struct column_list list;
	struct row row;
	uint32_t nodes = 0;
	unsigned int level = 1;
	size_t i;

	for (i = 0; i < windows->nr; i++) {
		struct interval interval = interval_of(windows, i, &row);

		nodes |= interval_nodes(&interval);
		if (interval.level > level)
			level = interval.level;
	}
	columns_select(&list, TABLE_WINDOWS, level, nodes);
	fit(&list, level < 2);
	if (output->header)
		put_headings(output, &list, level < 2);
	for (i = 0; i < windows->nr; i++) {
		struct interval interval = interval_of(windows, i, &row);

		put_line(output, &list, &interval, level < 2);
	}
}

/**
 * windows_print - print the windows
 * @windows: windows, which get sorted
 * @output: output
 *
 * Return: 0, or an exit code after a message.
 */
int windows_print(struct windows *windows, struct output *output)
{
	struct row row;
	size_t i;
	int ret = 0;

	if (windows->nr)
		qsort(windows->shown, windows->nr, sizeof(*windows->shown), compare);
	if (output->format == OUTPUT_TABLE)
		put_table(windows, output);
	else if (output->format == OUTPUT_CSV && output->header)
		output_csv_header(output, output->file);
	for (i = 0; i < windows->nr && output->format != OUTPUT_TABLE && !ret; i++) {
		struct interval interval = interval_of(windows, i, &row);

		if (output->format == OUTPUT_CSV)
			output_csv(output, &interval);
		else
			ret = output_json(output, &interval);
	}
	if (ret)
		return message_fail(EXIT_RUNTIME, "cannot print: %s", strerror(-ret));
	return output_flush(output);
}
