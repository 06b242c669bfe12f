// SPDX-License-Identifier: GPL-2.0
/*
 * The samples of "perf script": a line each, or with -g a line and the stack below it.
 */
#include "perf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <topdown.h>

#include "known.h"
#include "message.h"

#define STACK_MAX	256

/**
 * struct folded - a stack that was seen
 * @stack: names from the process to the innermost function, with semicolons between
 * @slots: its slots
 */
struct folded {
	char *stack;
	double slots;
};

/**
 * struct stacks - all stacks
 * @event: enum topdown_node, or TD_NR_NODES for slots
 * @stack: stacks that differ
 * @nr: their number
 * @room: room for so many
 * @who: process of the present sample; empty without
 * @count: period of the present sample
 * @frame: its functions, the innermost first
 * @nr_frames: their number
 */
struct stacks {
	int event;
	struct folded *stack;
	size_t nr;
	size_t room;
	char *who;
	double count;
	char *frame[STACK_MAX];
	unsigned int nr_frames;
};

/**
 * perf_event - the node that an event of perf counts
 * @event: "topdown/tma_retiring/" and the like
 *
 * Return: enum topdown_node, TD_NR_NODES for slots; -1 for any other event.
 */
int perf_event(const char *event)
{
	char name[64];
	size_t length;

	if (strncmp(event, PERF_EVENT, strlen(PERF_EVENT)))
		return -1;
	event += strlen(PERF_EVENT);
	length = strcspn(event, "/");
	if (!event[length] || length >= sizeof(name))
		return -1;
	snprintf(name, sizeof(name), "%.*s", (int)length, event);
	if (!strcmp(name, "slots") || !strcmp(name, "tma_info_thread_slots"))
		return TD_NR_NODES;
	return topdown_node_by_name(name) < 0 ? -1 : topdown_node_by_name(name);
}

/**
 * perf_event_is_known - is there such an event of the PMU topdown?
 * @name: slots, or the name of a node
 *
 * Return: true or false.
 */
bool perf_event_is_known(const char *name)
{
	return !strcmp(name, "slots") || topdown_node_by_name(name) >= 0;
}

static bool is_number(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

/* A word of digits. */
static bool is_period(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits && strchr(" \t", text[digits]);
}

/* The end of the words before @at, without blanks. */
static void trim(char *text, char *at)
{
	while (at > text && strchr(" \t", at[-1]))
		at--;
	*at = '\0';
}

/**
 * perf_sample - take a line apart
 * @line: a line of "perf script", whose fields come in an order of perf's; changed
 * @sample: what it has
 *
 * Return: false if it is none of a sample.
 */
bool perf_sample(char *line, struct perf_sample *sample)
{
	char *begin = line + strspn(line, " \t"), *at = begin, *before = NULL;
	size_t length;

	for (;;) {
		at += strspn(at, " \t");
		length = strcspn(at, " \t");
		if (!length)
			return false;
		if (at[length - 1] == ':' && before && is_period(before))
			break;
		before = at;
		at += length;
	}
	sample->where = at + length;
	if (*sample->where)
		*sample->where++ = '\0';
	sample->where += strspn(sample->where, " \t");
	sample->event = perf_event(at);
	sample->count = before;
	before[strspn(before, "0123456789")] = '\0';
	sample->who = before > begin ? begin : at + length;
	if (before > begin)
		trim(begin, before);
	return true;
}

static void no_memory(void)
{
	message_error("cannot fold stacks: %s", strerror(ENOMEM));
}

/* The stack of the present sample as a text. */
static char *text_of(const struct stacks *stacks)
{
	char *text = NULL;
	unsigned int i;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	fputs(*stacks->who ? stacks->who : "[unknown]", file);
	for (i = stacks->nr_frames; i-- > 0; )
		fprintf(file, ";%s", stacks->frame[i]);
	if (!fclose(file))
		return text;
	free(text);
	return NULL;
}

static bool add_stack(struct stacks *stacks, char *text)
{
	struct folded *more;
	size_t i;

	for (i = stacks->nr; i-- > 0; ) {
		if (strcmp(stacks->stack[i].stack, text))
			continue;
		stacks->stack[i].slots += stacks->count;
		free(text);
		return true;
	}
	if (stacks->nr == stacks->room) {
		stacks->room = stacks->room ? 2 * stacks->room : 64;
		more = reallocarray(stacks->stack, stacks->room, sizeof(*more));
		if (!more)
			return false;
		stacks->stack = more;
	}
	stacks->stack[stacks->nr++] = (struct folded){ text, stacks->count };
	return true;
}

/* The present sample is over. */
static bool end_sample(struct stacks *stacks)
{
	char *text;
	bool ok = true;

	if (stacks->who && stacks->count > 0) {
		text = text_of(stacks);
		ok = text && add_stack(stacks, text);
	}
	while (stacks->nr_frames)
		free(stacks->frame[--stacks->nr_frames]);
	free(stacks->who);
	stacks->who = NULL;
	return ok;
}

/* An address and a function. Semicolons would be read as the ends of names. */
static bool add_frame(struct stacks *stacks, char *where)
{
	char *end, *name;

	strtoull(where, &end, 16);
	if (end == where || (*end && *end != ' '))
		return true;
	name = end + strspn(end, " ");
	name = strdup(*name ? name : "[unknown]");
	if (!name)
		return false;
	for (end = name; *end; end++) {
		if (*end == ';')
			*end = ':';
	}
	if (stacks->nr_frames < STACK_MAX)
		stacks->frame[stacks->nr_frames++] = name;
	else
		free(name);
	return true;
}

/* Without -g the function is in the line of the sample. */
static bool begin_sample(struct stacks *stacks, struct perf_sample *sample)
{
	char *last;

	if (!end_sample(stacks))
		return false;
	if (sample->event != stacks->event)
		return true;
	last = strrchr(sample->who, ' ');
	if (last && is_number(last + 1))
		trim(sample->who, last);
	stacks->who = strdup(sample->who);
	stacks->count = strtod(sample->count, NULL);
	return stacks->who && add_frame(stacks, sample->where);
}

static bool read_line(struct stacks *stacks, char *line)
{
	struct perf_sample sample;
	char *copy;
	bool ok;

	line[strcspn(line, "\n")] = '\0';
	copy = strdup(line);
	if (!copy)
		return false;
	if (perf_sample(copy, &sample))
		ok = begin_sample(stacks, &sample);
	else
		ok = !stacks->who || add_frame(stacks, line + strspn(line, " \t"));
	free(copy);
	return ok;
}

static int put_stacks(const struct stacks *stacks, FILE *out)
{
	size_t i;

	for (i = 0; i < stacks->nr; i++)
		fprintf(out, "%s %.0f\n", stacks->stack[i].stack, stacks->stack[i].slots);
	return fflush(out) ? message_write("standard output", errno) : EXIT_OK;
}

/**
 * perf_folded - print the stacks of samples as flame graphs take them
 * @in: what "perf script -F comm,pid,event,period,ip,sym" prints, of a record with -g
 * @out: where to print
 * @event: slots, or the name of a node
 *
 * Return: exit code.
 */
int perf_folded(FILE *in, FILE *out, const char *event)
{
	struct stacks stacks = { .event = strcmp(event, "slots") ? topdown_node_by_name(event) :
							   TD_NR_NODES };
	char *line = NULL;
	size_t size = 0, i;
	bool ok = true;
	int ret;

	while (ok && getline(&line, &size, in) > 0)
		ok = read_line(&stacks, line);
	free(line);
	ok = end_sample(&stacks) && ok;
	ret = ok ? put_stacks(&stacks, out) : EXIT_RUNTIME;
	if (!ok)
		no_memory();
	if (ok && !stacks.nr)
		ret = message_fail(EXIT_RUNTIME, "--folded: there is no sample of topdown/%s/ (allowed: what 'perf script -F comm,pid,event,period,ip,sym' prints)",
				   event);
	for (i = 0; i < stacks.nr; i++)
		free(stacks.stack[i].stack);
	free(stacks.stack);
	return ret;
}
