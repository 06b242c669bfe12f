// SPDX-License-Identifier: GPL-2.0
/*
 * topdown latency: the rows of an interval, and the table of them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "latency.h"
#include "rows.h"

/* The longest names. */
#define EVENT_WIDTH	37
#define NODE_WIDTH	39

#define CPU_WIDTH	4
#define PID_WIDTH	8
#define SUBJECT_SIZE	16

/* So many events without a sample have a row each. */
#define ROWS_EMPTY_MAX	3
#define LIST_WIDTH	80

static enum row_kind kind_of(const struct topdown_latency_record *record, const struct task *task)
{
	if (task)
		return ROW_PROCESS;
	return record->cpu == TOPDOWN_CPU_ALL ? ROW_ALL : ROW_CPU;
}

/* Latencies that are known otherwise, where there is no sample. */
static const struct known *known_of(const struct latency_run *run,
				    const struct topdown_latency_record *record)
{
	const struct known *known = &run->options->known[record->event];

	return record->samples || !known->source ? NULL : known;
}

static void set_row(struct row *row, const struct topdown_latency_record *record,
		    const struct task *task)
{
	*row = (struct row){
		.kind = kind_of(record, task),
		.task = task,
		.cpu = record->cpu,
		.core_id = -1,
		.socket = -1,
		.numa = -1,
		.latency = record,
		.estimate = (double)NAN,
		.cost = (double)NAN,
		.aside = (double)NAN,
	};
}

/* The records of a run never begin again, so this fails only for those of a broken module. */
static void compare(const struct latency_run *run, unsigned int i,
		    struct topdown_latency_record *part)
{
	if (topdown_latency_between(&run->then[i], &run->now[i], part))
		*part = run->now[i];
}

/* Each event has a row of the sum, and with -A its CPUs. */
static unsigned int rows_of_cpus(struct latency_run *run)
{
	struct topdown_latency_record *sum = NULL, part;
	struct row *all = NULL, row;
	unsigned int i, n = 0;

	for (i = 0; i < run->nr; i++) {
		if (!sum || run->now[i].event != sum->event) {
			sum = &run->shown[n];
			*sum = (struct topdown_latency_record){ .cpu = TOPDOWN_CPU_ALL };
			all = &run->rows[n++];
			set_row(all, sum, NULL);
		}
		compare(run, i, &part);
		topdown_latency_add(sum, &part);
		set_row(&row, &part, NULL);
		if (run->options->cost) {
			cost_set(run, &row);
			cost_add(all, &row);
		}
		if (!run->options->each)
			continue;
		run->shown[n] = part;
		run->rows[n] = row;
		run->rows[n].latency = &run->shown[n];
		n++;
	}
	return n;
}

/* Each task has a row for each event. */
static unsigned int rows_of_tasks(struct latency_run *run)
{
	unsigned int part, i, n = 0;

	for (part = 0; part < run->nr_parts; part++) {
		for (i = 0; i < run->part[part].nr; i++, n++) {
			compare(run, n, &run->shown[n]);
			set_row(&run->rows[n], &run->shown[n], &run->tasks.task[part]);
			if (run->options->cost)
				cost_set(run, &run->rows[n]);
		}
	}
	return n;
}

/**
 * latency_rows - fill the rows of an interval
 * @run: the run, with the records of both ends
 *
 * Return: number of rows.
 */
unsigned int latency_rows(struct latency_run *run)
{
	unsigned int i, nr = run->tasks.nr ? rows_of_tasks(run) : rows_of_cpus(run);

	for (i = 0; i < nr; i++)
		run->rows[i].known = known_of(run, run->rows[i].latency);
	return run->options->cost ? cost_rows(run, nr) : nr;
}

/**
 * latency_rows_known - fill the rows of a machine that samples nothing
 * @run: the run, with room for all events
 * @events: bit n for event n
 *
 * Return: number of rows.
 */
unsigned int latency_rows_known(struct latency_run *run, uint64_t events)
{
	unsigned int n = 0;

	for (; events; events &= events - 1, n++) {
		run->shown[n] = (struct topdown_latency_record){
			.event = __builtin_ctzll(events),
			.cpu = TOPDOWN_CPU_ALL,
		};
		set_row(&run->rows[n], &run->shown[n], NULL);
		run->rows[n].known = known_of(run, &run->shown[n]);
	}
	return n;
}

/**
 * latency_sums - add up each event over the whole run
 * @run: the run, with the records of its end in @then
 *
 * Return: number of sums, in @shown.
 */
unsigned int latency_sums(struct latency_run *run)
{
	struct topdown_latency_record part;
	unsigned int i, j, nr = 0;

	for (i = 0; i < run->nr; i++) {
		if (topdown_latency_between(&run->first[i], &run->then[i], &part))
			part = run->then[i];
		for (j = 0; j < nr && run->shown[j].event != part.event; j++)
			;
		if (j == nr)
			run->shown[nr++] = (struct topdown_latency_record){ .event = part.event };
		topdown_latency_add(&run->shown[j], &part);
	}
	return nr;
}

static void put_number(FILE *file, int width, double number, int digits)
{
	if (isnan(number))
		fprintf(file, " %*s", width, "-");
	else
		fprintf(file, " %*.*f", width, digits, number);
}

static const char *subject_of(const struct row *row, char text[SUBJECT_SIZE])
{
	snprintf(text, SUBJECT_SIZE, "all");
	if (row->task)
		snprintf(text, SUBJECT_SIZE, "%d", row->task->pid);
	else if (row->kind == ROW_CPU)
		snprintf(text, SUBJECT_SIZE, "%" PRIu32, row->cpu);
	return text;
}

/* A node has a cost, and nothing that is sampled. */
static void put_samples(FILE *file, const struct row *row)
{
	const struct topdown_latency_record *record = row->latency;

	put_number(file, 8, row->node ? (double)NAN : (double)record->samples, 0);
	put_number(file, 9, row_latency(row, KNOWN_MEAN), 2);
	put_number(file, 9, row->node ? (double)NAN : sqrt(topdown_latency_variance(record)), 2);
	put_number(file, 6, row_latency(row, KNOWN_MIN), 0);
	put_number(file, 8, row_latency(row, KNOWN_P50), 1);
	put_number(file, 8, row_latency(row, KNOWN_P90), 1);
	put_number(file, 8, row_latency(row, KNOWN_P99), 1);
	put_number(file, 6, row_latency(row, KNOWN_MAX), 0);
	put_number(file, 5, !row->node && record->elapsed_ns ?
		   record->running_ns * 100.0 / record->elapsed_ns : (double)NAN, 1);
}

static void put_share(FILE *file, const char *name, double share)
{
	fprintf(file, share < 0.001 ? " %s <0.1%%" : " %s %.1f%%", name, share * 100);
}

/* A recording tells in which share of the time, and an interval of now only whether. */
static void put_aside(FILE *file, const struct row *row)
{
	if (row->aside > 0)
		put_share(file, "aside", row->aside);
	else if (isnan(row->aside) && row->latency->flags & TOPDOWN_LATENCY_RECORD_AWAY)
		fputs(" aside", file);
}

/* The events that no sample stands for although it should, as a share of those that were due. */
static void put_lost(FILE *file, const struct topdown_latency_record *record)
{
	if (record->lost && record->flags & TOPDOWN_LATENCY_RECORD_COUNTED)
		put_share(file, "lost", known_lost(record));
	else if (record->samples && !(record->flags & TOPDOWN_LATENCY_RECORD_COUNTED))
		fputs(" lost ?", file);
}

static int event_width(bool costs)
{
	return costs ? NODE_WIDTH : EVENT_WIDTH;
}

static void put_row(FILE *file, const struct row *row, const struct interval *interval)
{
	const struct topdown_latency_record *record = row->latency;
	char subject[SUBJECT_SIZE];

	fprintf(file, "%-*s %*s", event_width(interval->costs),
		row->node ? row->node : topdown_latency_event_name(record->event),
		interval->tasks ? PID_WIDTH : CPU_WIDTH, subject_of(row, subject));
	put_samples(file, row);
	if (interval->costs) {
		put_number(file, 12, row->estimate, 0);
		put_number(file, 6, 100 * row->cost, 2);
	}
	if (row->over)
		putc('*', file);
	if (!row->node) {
		put_aside(file, row);
		put_lost(file, record);
	}
	fprintf(file, "%s%s\n", row->known ? " from " : "", row->known ? row->known->source : "");
}

static void put_headings(FILE *file, const struct interval *interval)
{
	fprintf(file, "%-*s %*s", event_width(interval->costs), "event",
		interval->tasks ? PID_WIDTH : CPU_WIDTH, interval->tasks ? "pid" : "CPU");
	fprintf(file, " %8s %9s %9s %6s %8s %8s %8s %6s %5s%s\n", "samples", "mean", "dev", "min",
		"p50", "p90", "p99", "max", "run%",
		interval->costs ? "        count  cost%" : "");
}

/* Has a row of CPUs no number, and no reason for that? */
static bool is_empty(const struct row *row)
{
	const struct topdown_latency_record *record = row->latency;

	return !row->task && !row->node && !row->known && !record->samples && !record->lost &&
	       !(row->aside > 0) && !(record->flags & TOPDOWN_LATENCY_RECORD_AWAY);
}

static bool is_unsampled(const struct interval *interval, unsigned int i)
{
	return interval->row[i].kind == ROW_ALL && is_empty(&interval->row[i]);
}

/* Many rows without a number hide the others, so their events are named below. */
static bool is_listed(const struct interval *interval)
{
	unsigned int i, n = 0;

	for (i = 0; i < interval->nr && !interval->costs; i++)
		n += is_unsampled(interval, i);
	return n > ROWS_EMPTY_MAX;
}

static void put_unsampled(FILE *file, const struct interval *interval)
{
	unsigned int i, at = fprintf(file, "without a sample:");

	for (i = 0; i < interval->nr; i++) {
		const char *name = topdown_latency_event_name(interval->row[i].latency->event);

		if (!is_unsampled(interval, i))
			continue;
		if (at + 1 + strlen(name) > LIST_WIDTH) {
			fputs("\n ", file);
			at = 1;
		}
		at += fprintf(file, " %s", name);
	}
	putc('\n', file);
}

/**
 * latency_table - print an interval as a table
 * @output: where to
 * @interval: the interval
 */
void latency_table(struct output *output, const struct interval *interval)
{
	bool listed = is_listed(interval);
	unsigned int i;

	if (output->header) {
		fprintf(output->file, "%selapsed %.3f s, interval %.3f s; cycles\n",
			output->started ? "\n" : "", interval->elapsed, interval->length);
		put_headings(output->file, interval);
	}
	for (i = 0; i < interval->nr; i++) {
		if (!listed || !is_empty(&interval->row[i]))
			put_row(output->file, &interval->row[i], interval);
	}
	if (listed)
		put_unsampled(output->file, interval);
	output->started = true;
}
