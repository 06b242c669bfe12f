// SPDX-License-Identifier: GPL-2.0
/*
 * topdown latency: the table of an interval.
 *
 * It has at most 100 columns, and as few as the names allow.  JSON has all digits.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "latency.h"
#include "rows.h"
#include "text.h"

#define TABLE_WIDTH	100
#define EVENT_LEAST	16
#define CPU_LEAST	3
#define PID_LEAST	5

/* Widths of the columns after the subject. */
#define SAMPLES_WIDTH	7
#define MEAN_WIDTH	5
#define CYCLES_WIDTH	4
#define SHARE_WIDTH	4
#define COUNT_WIDTH	5
/* Its heading goes on over the mark of a node. */
#define COST_WIDTH	4
/* Each with the blank before it: deviation, minimum, three percentiles and maximum are cycles. */
#define FIGURES_WIDTH	(SAMPLES_WIDTH + MEAN_WIDTH + 6 * CYCLES_WIDTH + SHARE_WIDTH + 9)
/* With costs the number of samples has a digit less, so that the longest events fit. */
#define SAMPLES_LESS	1
#define COSTS_WIDTH	(COUNT_WIDTH + COST_WIDTH + 2 + 1 - SAMPLES_LESS)

#define CELL_SIZE	24

/* So many events without a sample have a row each. */
#define ROWS_EMPTY_MAX	3
#define LIST_WIDTH	80

/**
 * struct line - a line of cells that end where their columns do
 * @file: where to
 * @at: so far its length
 * @end: where the next cell ought to begin
 *
 * A cell that is too wide shifts those after it, until one has blanks to spare.
 */
struct line {
	FILE *file;
	int at;
	int end;
};

/* The lists below the rows, of events that had turns, of those that had none, and of nodes. */
enum list {
	LIST_TURN,
	LIST_NO_TURN,
	LIST_NODES,
};

/* The widths that the names of an interval need. */
struct layout {
	int event;
	int subject;
	bool tasks;
	bool costs;
};

static void put_cell(struct line *line, int width, const char *text)
{
	int pad;

	line->end += 1 + width;
	pad = line->end - line->at - (int)strlen(text);
	line->at += fprintf(line->file, "%*s%s", pad < 1 ? 1 : pad, "", text);
}

static void put_first(struct line *line, int width, const char *text)
{
	line->end += width;
	line->at += fprintf(line->file, "%-*s", width, text);
}

/* Rounded down to the digits that weight_text() writes, so that the greatest latency is 65k. */
static double whole_digits(double number)
{
	double unit = 1000, step;

	while (number / unit >= 1000)
		unit *= 1000;
	step = number / unit < 10 ? unit / 10 : unit;
	return floor(number / step) * step;
}

/* With as many digits as a column of @width has room for, at most @digits after the point. */
static void put_number(struct line *line, int width, double number, int digits)
{
	char text[CELL_SIZE] = "-";

	for (; !isnan(number) && digits >= 0; digits--) {
		if (snprintf(text, sizeof(text), "%.*f", digits, number) <= width)
			break;
	}
	/* Above 9999 the bins of percentiles are wider than a thousand. */
	if (digits < 0)
		weight_text(text, sizeof(text), whole_digits(number));
	put_cell(line, width, text);
}

static const char *subject_of(const struct row *row, char text[CELL_SIZE])
{
	snprintf(text, CELL_SIZE, "all");
	if (row->task)
		snprintf(text, CELL_SIZE, "%d", row->task->pid);
	else if (row->kind == ROW_CPU)
		snprintf(text, CELL_SIZE, "%" PRIu32, row->cpu);
	return text;
}

static void widen(int *width, const char *text)
{
	int length = strlen(text);

	if (length > *width)
		*width = length;
}

/* The names of nodes are the longest, and have blanks after them, as nodes have no samples. */
static struct layout layout_of(const struct interval *interval, bool costs)
{
	struct layout layout = {
		.event = EVENT_LEAST,
		.subject = interval->tasks ? PID_LEAST : CPU_LEAST,
		.tasks = interval->tasks,
		.costs = costs,
	};
	char subject[CELL_SIZE];
	unsigned int i;
	int room;

	for (i = 0; i < interval->nr; i++) {
		widen(&layout.event, latency_name(latency_of(&interval->row[i])));
		widen(&layout.subject, subject_of(&interval->row[i], subject));
	}
	room = TABLE_WIDTH - 1 - layout.subject - FIGURES_WIDTH -
	       (layout.costs ? COSTS_WIDTH : 0);
	if (layout.event > room)
		layout.event = room;
	return layout;
}

static int samples_width(const struct layout *layout)
{
	return layout->costs ? SAMPLES_WIDTH - SAMPLES_LESS : SAMPLES_WIDTH;
}

/* A node has a cost, and nothing that is sampled. */
static void put_samples(struct line *line, const struct latency_row *row,
			const struct layout *layout)
{
	const struct topdown_latency_record *record = &row->record;
	bool timed = !row->node && record->elapsed_ns;

	put_number(line, samples_width(layout),
		   row->node ? (double)NAN : (double)record->samples, 0);
	put_number(line, MEAN_WIDTH, latency_figure(row, KNOWN_MEAN), 2);
	put_number(line, CYCLES_WIDTH,
		   row->node ? (double)NAN : sqrt(topdown_latency_variance(record)), 2);
	put_number(line, CYCLES_WIDTH, latency_figure(row, KNOWN_MIN), 0);
	put_number(line, CYCLES_WIDTH, latency_figure(row, KNOWN_P50), 1);
	put_number(line, CYCLES_WIDTH, latency_figure(row, KNOWN_P90), 1);
	put_number(line, CYCLES_WIDTH, latency_figure(row, KNOWN_P99), 1);
	put_number(line, CYCLES_WIDTH, latency_figure(row, KNOWN_MAX), 0);
	put_number(line, SHARE_WIDTH,
		   timed ? record->running_ns * 100.0 / record->elapsed_ns : (double)NAN, 1);
}

static void put_share(FILE *file, const char *name, double share)
{
	fprintf(file, share < 0.001 ? " %s <0.1%%" : " %s %.1f%%", name, share * 100);
}

/* A recording tells in which share of the time, and an interval of now only whether. */
static void put_aside(FILE *file, const struct latency_row *row)
{
	if (row->aside > 0)
		put_share(file, "aside", row->aside);
	else if (isnan(row->aside) && row->record.flags & TOPDOWN_LATENCY_RECORD_AWAY)
		fputs(" aside", file);
}

/* The events that no sample stands for although it should, as a share of those that were due. */
static void put_lost(FILE *file, const struct topdown_latency_record *record)
{
	if (record->lost && record->flags & TOPDOWN_LATENCY_RECORD_COUNTED)
		put_share(file, "lost", known_lost(record));
}

static void put_row(FILE *file, const struct row *row, const struct layout *layout)
{
	const struct latency_row *own = latency_of(row);
	struct line line = { .file = file };
	char subject[CELL_SIZE];

	put_first(&line, layout->event, latency_name(own));
	put_cell(&line, layout->subject, subject_of(row, subject));
	put_samples(&line, own, layout);
	if (layout->costs) {
		put_number(&line, COUNT_WIDTH, own->estimate, 0);
		put_number(&line, COST_WIDTH, 100 * own->cost, 2);
	}
	if (own->over)
		putc('*', file);
	if (!own->node) {
		put_aside(file, own);
		put_lost(file, &own->record);
	}
	fprintf(file, "%s%s\n", own->known ? " from " : "", own->known ? own->known->source : "");
}

static void put_headings(FILE *file, const struct layout *layout)
{
	const struct {
		const char *text;
		int width;
	} headings[] = {
		{ "samples", samples_width(layout) }, { "mean", MEAN_WIDTH },
		{ "dev", CYCLES_WIDTH }, { "min", CYCLES_WIDTH },
		{ "p50", CYCLES_WIDTH }, { "p90", CYCLES_WIDTH },
		{ "p99", CYCLES_WIDTH }, { "max", CYCLES_WIDTH }, { "run%", SHARE_WIDTH },
	};
	struct line line = { .file = file };
	unsigned int i;

	put_first(&line, layout->event, "event");
	put_cell(&line, layout->subject, layout->tasks ? "pid" : "CPU");
	for (i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		put_cell(&line, headings[i].width, headings[i].text);
	if (layout->costs) {
		put_cell(&line, COUNT_WIDTH, "count");
		put_cell(&line, COST_WIDTH, "cost%");
	}
	putc('\n', file);
}

/* Nobody knows how many events of tasks, or of an older module, had no sample. */
static bool is_uncounted(const struct interval *interval)
{
	const struct latency_row *row;
	unsigned int i;

	for (i = 0; i < interval->nr; i++) {
		row = latency_of(&interval->row[i]);
		if (!row->node && row->record.samples &&
		    !(row->record.flags & TOPDOWN_LATENCY_RECORD_COUNTED))
			return true;
	}
	return false;
}

static void put_head(const struct output *output, const struct interval *interval,
		     const struct layout *layout)
{
	fprintf(output->file, "%selapsed %.3f s, interval %.3f s; cycles\n",
		output->started ? "\n" : "", interval->elapsed, interval->length);
	put_headings(output->file, layout);
}

/* Has a row no number, and no reason for that? */
static bool is_empty(const struct latency_row *row)
{
	const struct topdown_latency_record *record = &row->record;

	return !row->known && !record->samples && !record->lost && !(row->aside > 0) &&
	       !(record->flags & TOPDOWN_LATENCY_RECORD_AWAY) &&
	       !(row->estimate > 0) && !(row->cost > 0);
}

/* The sum says it for its CPUs. */
static bool is_named(const struct row *row)
{
	return row->kind != ROW_CPU && is_empty(latency_of(row));
}

/* Many rows without a number hide the others, so their events are named below. */
static bool is_listed(const struct interval *interval)
{
	unsigned int i, n = 0;

	for (i = 0; i < interval->nr; i++)
		n += is_named(&interval->row[i]);
	return n > ROWS_EMPTY_MAX;
}

/* Nodes have neither samples nor turns. */
static enum list list_of(const struct latency_row *row)
{
	if (row->node)
		return LIST_NODES;
	return row->record.running_ns ? LIST_TURN : LIST_NO_TURN;
}

/* Later intervals do not know whether there was a turn before. */
static const char *reason(const struct interval *interval, enum list list)
{
	bool live = isnan(latency_of(&interval->row[0])->aside);

	if (list == LIST_NODES)
		return "no value";
	if (list == LIST_TURN)
		return "without a sample";
	return live && interval->elapsed <= interval->length ? "had no turn yet" : "had no turn";
}

/* Name the events of a list, of one task or of the CPUs. */
static void put_list(FILE *file, const struct interval *interval, const struct task *task,
		     enum list list)
{
	unsigned int i, n = 0;
	int at = 0;

	for (i = 0; i < interval->nr; i++) {
		const struct row *row = &interval->row[i];

		if (!is_named(row) || row->task != task || list_of(latency_of(row)) != list)
			continue;
		if (!n && task)
			at += fprintf(file, "%d ", task->pid);
		if (!n++)
			at += fprintf(file, "%s:", reason(interval, list));
		if (at + 1 + (int)strlen(latency_name(latency_of(row))) > LIST_WIDTH) {
			fputs("\n ", file);
			at = 1;
		}
		at += fprintf(file, " %s", latency_name(latency_of(row)));
	}
	if (n)
		putc('\n', file);
}

static bool is_first_of_task(const struct interval *interval, unsigned int i)
{
	unsigned int j;

	for (j = 0; j < i; j++) {
		if (interval->row[j].task == interval->row[i].task)
			return false;
	}
	return true;
}

static void put_lists(FILE *file, const struct interval *interval)
{
	unsigned int i;

	for (i = 0; i < interval->nr; i++) {
		if (!is_first_of_task(interval, i))
			continue;
		put_list(file, interval, interval->row[i].task, LIST_TURN);
		put_list(file, interval, interval->row[i].task, LIST_NO_TURN);
		put_list(file, interval, interval->row[i].task, LIST_NODES);
	}
}

/**
 * latency_table - print an interval as a table
 * @output: where to
 * @interval: the interval
 * @costs: the rows have costs
 */
void latency_table(struct output *output, const struct interval *interval, bool costs)
{
	struct layout layout = layout_of(interval, costs);
	bool listed = is_listed(interval);
	unsigned int i;

	if (output->header)
		put_head(output, interval, &layout);
	for (i = 0; i < interval->nr; i++) {
		if (!listed || !is_empty(latency_of(&interval->row[i])))
			put_row(output->file, &interval->row[i], &layout);
	}
	if (is_uncounted(interval))
		fputs("lost samples are not counted\n", output->file);
	if (listed)
		put_lists(output->file, interval);
	output->started = true;
}
