// SPDX-License-Identifier: GPL-2.0
/*
 * topdown top: the rows of latencies as cells.
 */
#include "latency-lines.h"

#include <math.h>
#include <string.h>

#include "latency-figures.h"

/* The latencies of an event: the columns after its name. */
static const struct {
	const char *heading;
	enum known_figure figure;
	unsigned int width;
	unsigned int digits;
} latency_columns[] = {
	{ "mean", KNOWN_MEAN, 8, 1 },
	{ "p50", KNOWN_P50, 8, 1 },
	{ "p90", KNOWN_P90, 8, 1 },
	{ "p99", KNOWN_P99, 8, 1 },
	{ "max", KNOWN_MAX, 6, 0 },
};

#define LATENCY_COLUMNS	(sizeof(latency_columns) / sizeof(latency_columns[0]))

/* Columns of a CPU's number, of samples, and of the share of the time. */
#define CPU_WIDTH	5
#define SAMPLES_WIDTH	8
#define RUN_WIDTH	6

/* Less of a name would not tell events apart. */
#define EVENT_LEAST	16

/* A narrow screen has less room for names. */
static unsigned int event_width(const struct top_frame *frame,
				const struct top_latency *latency, unsigned int nr, bool each)
{
	unsigned int others = SAMPLES_WIDTH + RUN_WIDTH, widest = EVENT_LEAST, i;
	size_t length;

	others += each ? CPU_WIDTH : 0;
	for (i = 0; i < LATENCY_COLUMNS; i++)
		others += latency_columns[i].width;
	for (i = 0; i < nr; i++) {
		length = strlen(topdown_latency_event_name(latency->row[i].event));
		if (length > widest)
			widest = length;
	}
	if (widest + others <= frame->columns)
		return widest;
	return frame->columns > others + EVENT_LEAST ? frame->columns - others : EVENT_LEAST;
}

/* Names of a family begin alike, so a name that is too long loses its beginning. */
static void event_text(struct top_frame *frame, unsigned int line, unsigned int width,
		       const char *name)
{
	size_t length = strlen(name);

	if (length <= width)
		cells_print(frame, line, 0, TOP_LOOK_PLAIN, "%s", name);
	else
		cells_print(frame, line, 0, TOP_LOOK_PLAIN, "~%s", name + length - width + 1);
}

static unsigned int name(struct top_frame *frame, unsigned int at, unsigned int width,
			 const char *text)
{
	return cells_print_whole(frame, TOP_LINE_NAMES, at, TOP_LOOK_TITLE, "%*s", width, text);
}

static void headings(struct top_frame *frame, unsigned int width, bool each)
{
	unsigned int i, at = width;

	cells_title(frame, TOP_LINE_NAMES);
	cells_print(frame, TOP_LINE_NAMES, 0, TOP_LOOK_TITLE, "EVENT");
	if (each)
		at = name(frame, at, CPU_WIDTH, "CPU");
	at = name(frame, at, SAMPLES_WIDTH, "samples");
	for (i = 0; i < LATENCY_COLUMNS; i++)
		at = name(frame, at, latency_columns[i].width, latency_columns[i].heading);
	name(frame, at, RUN_WIDTH, "RUN");
}

static unsigned int latency_value(struct top_frame *frame, unsigned int line, unsigned int at,
				  unsigned int width, unsigned int digits, double value)
{
	if (isnan(value))
		return cells_print_whole(frame, line, at, TOP_LOOK_PLAIN, "%*s", width, "-");
	return cells_print_whole(frame, line, at, TOP_LOOK_PLAIN, "%*.*f", width, digits, value);
}

static void latency_line(struct top_frame *frame, unsigned int line, unsigned int width,
			 const struct topdown_latency_record *row, bool each)
{
	unsigned int i, at = width;

	event_text(frame, line, width, topdown_latency_event_name(row->event));
	if (each)
		at = cells_print_whole(frame, line, at, TOP_LOOK_PLAIN, "%*u", CPU_WIDTH, row->cpu);
	at = latency_value(frame, line, at, SAMPLES_WIDTH, 0, row->samples);
	for (i = 0; i < LATENCY_COLUMNS; i++)
		at = latency_value(frame, line, at, latency_columns[i].width,
				   latency_columns[i].digits,
				   known_sampled(row, latency_columns[i].figure));
	at = latency_value(frame, line, at, RUN_WIDTH, 1, row->elapsed_ns ?
			   row->running_ns * 100.0 / row->elapsed_ns : (double)NAN);
	if (row->flags & TOPDOWN_LATENCY_RECORD_AWAY)
		at = cells_print_whole(frame, line, at, TOP_LOOK_WARN, " aside");
	if (row->lost)
		cells_print_whole(frame, line, at, TOP_LOOK_WARN, " lost %.1f%%",
				  100 * known_lost(row));
}

/**
 * top_latency_lines - write headings and rows
 * @frame: frame
 * @latency: latencies with their rows
 * @nr: number of rows
 * @view: the first row on the screen, and whether they are of each CPU
 */
void top_latency_lines(struct top_frame *frame, const struct top_latency *latency,
		       unsigned int nr, const struct top_view *view)
{
	unsigned int first = view->first, page = top_frame_page(frame), i;
	unsigned int width = event_width(frame, latency, nr, view->each);

	headings(frame, width, view->each);
	for (i = 0; i < page && first + i < nr; i++)
		latency_line(frame, TOP_LINES_HEAD + i, width, &latency->row[first + i],
			     view->each);
}

/**
 * top_latency_status - write which CPUs and samples are missing
 * @frame: frame
 * @line: line
 * @column: column
 * @latency: latencies with their rows
 * @nr: number of rows
 *
 * Return: the column after that.
 */
unsigned int top_latency_status(struct top_frame *frame, unsigned int line, unsigned int column,
				const struct top_latency *latency, unsigned int nr)
{
	double most = 0;
	unsigned int i;

	if (latency->away)
		column = cells_print(frame, line, column, TOP_LOOK_WARN, "; %u aside",
				     latency->away);
	for (i = 0; i < nr; i++)
		most = fmax(most, known_lost(&latency->row[i]));
	if (most <= 0)
		return column;
	return cells_print(frame, line, column, TOP_LOOK_WARN, "; up to %.1f%% lost", 100 * most);
}
