// SPDX-License-Identifier: GPL-2.0
/*
 * topdown latency: the rows of an interval, and the table of them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "latency.h"
#include "rows.h"

#define CPU_WIDTH	4
#define PID_WIDTH	8

static enum row_kind kind_of(const struct topdown_latency_record *record, const struct task *task)
{
	if (task)
		return ROW_PROCESS;
	return record->cpu == TOPDOWN_CPU_ALL ? ROW_ALL : ROW_CPU;
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
	};
}

/* Neither a CPU of a session nor a task is ever sampled anew. */
static void compare(const struct latency_run *run, unsigned int i,
		    struct topdown_latency_record *part)
{
	if (topdown_latency_between(&run->then[i], &run->now[i], part))
		*part = run->now[i];
}

/* Of each event the sum, and with -A its CPUs. */
static unsigned int rows_of_cpus(struct latency_run *run)
{
	struct topdown_latency_record *sum = NULL, part;
	unsigned int i, n = 0;

	for (i = 0; i < run->nr; i++) {
		if (!sum || run->now[i].event != sum->event) {
			sum = &run->shown[n];
			*sum = (struct topdown_latency_record){ .cpu = TOPDOWN_CPU_ALL };
			set_row(&run->rows[n++], sum, NULL);
		}
		compare(run, i, &part);
		topdown_latency_add(sum, &part);
		if (!run->options->each)
			continue;
		run->shown[n] = part;
		set_row(&run->rows[n], &run->shown[n], NULL);
		n++;
	}
	return n;
}

/* Of each task its events. */
static unsigned int rows_of_tasks(struct latency_run *run)
{
	unsigned int part, i, n = 0;

	for (part = 0; part < run->nr_parts; part++) {
		for (i = 0; i < run->part[part].nr; i++, n++) {
			compare(run, n, &run->shown[n]);
			set_row(&run->rows[n], &run->shown[n], &run->tasks.task[part]);
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
	return run->tasks.nr ? rows_of_tasks(run) : rows_of_cpus(run);
}

static void put_number(FILE *file, int width, double number, int digits)
{
	if (isnan(number))
		fprintf(file, " %*s", width, "-");
	else
		fprintf(file, " %*.*f", width, digits, number);
}

static void put_line(FILE *file, const struct row *row)
{
	const struct topdown_latency_record *record = row->latency;
	double none = record->samples ? 0 : (double)NAN;
	char subject[16] = "all";

	if (row->task)
		snprintf(subject, sizeof(subject), "%d", row->task->pid);
	else if (row->kind == ROW_CPU)
		snprintf(subject, sizeof(subject), "%" PRIu32, row->cpu);
	fprintf(file, "%-37s %*s %8llu", topdown_latency_event_name(record->event),
		row->task ? PID_WIDTH : CPU_WIDTH, subject,
		(unsigned long long)record->samples);
	put_number(file, 9, topdown_latency_mean(record), 2);
	put_number(file, 9, sqrt(topdown_latency_variance(record)), 2);
	put_number(file, 6, record->min + none, 0);
	put_number(file, 8, topdown_latency_quantile(record, 0.5), 1);
	put_number(file, 8, topdown_latency_quantile(record, 0.9), 1);
	put_number(file, 8, topdown_latency_quantile(record, 0.99), 1);
	put_number(file, 6, record->max + none, 0);
	put_number(file, 5, record->elapsed_ns ?
		   record->running_ns * 100.0 / record->elapsed_ns : (double)NAN, 1);
	fprintf(file, "%s\n", record->flags & TOPDOWN_LATENCY_AWAY ? " aside" : "");
}

/**
 * latency_table - print an interval as a table
 * @output: where to
 * @interval: the interval
 */
void latency_table(struct output *output, const struct interval *interval)
{
	unsigned int i;

	if (output->header) {
		fprintf(output->file, "%selapsed %.3f s, interval %.3f s; cycles\n",
			output->started ? "\n" : "", interval->elapsed, interval->length);
		fprintf(output->file, "%-37s %*s %8s %9s %9s %6s %8s %8s %8s %6s %5s\n", "event",
			interval->tasks ? PID_WIDTH : CPU_WIDTH, interval->tasks ? "pid" : "CPU",
			"samples", "mean", "dev", "min", "p50", "p90", "p99", "max", "run%");
	}
	for (i = 0; i < interval->nr; i++)
		put_line(output->file, &interval->row[i]);
	output->started = true;
}
