// SPDX-License-Identifier: GPL-2.0
/*
 * topdown latency: the rows of an interval.
 */
#include <math.h>

#include "latency.h"
#include "rows.h"

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

	for (i = 0; i < run->sampled.nr; i++) {
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

	for (part = 0; part < run->sampled.nr_parts; part++) {
		for (i = 0; i < run->sampled.part[part].nr; i++, n++) {
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

	for (i = 0; i < run->sampled.nr; i++) {
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
