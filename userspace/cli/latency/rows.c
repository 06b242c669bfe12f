// SPDX-License-Identifier: GPL-2.0
/*
 * topdown latency: the rows of an interval.
 */
#include <math.h>

#include "latency.h"
#include "rows.h"

/* Latencies that are known otherwise, where there is no sample. */
static const struct known *known_of(const struct latency_run *run,
				    const struct topdown_latency_record *record)
{
	const struct known *known = &run->options->known[record->event];

	return record->samples || !known->source ? NULL : known;
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
	struct topdown_latency_record part;
	struct row *all = NULL, *row;
	unsigned int i, n = 0;

	for (i = 0; i < run->sampled.nr; i++) {
		if (!all || run->now[i].event != latency_of(all)->record.event) {
			part = (struct topdown_latency_record){ .cpu = TOPDOWN_CPU_ALL };
			all = &run->rows[n];
			latency_row_make(all, &run->own[n++], &part, NULL, (double)NAN);
		}
		compare(run, i, &part);
		topdown_latency_add(&latency_of(all)->record, &part);
		/* The next one takes its place if it is not shown. */
		row = &run->rows[n];
		latency_row_make(row, &run->own[n], &part, NULL, (double)NAN);
		if (run->options->cost) {
			cost_set(run, row);
			cost_add(all, row);
		}
		n += run->options->each;
	}
	return n;
}

/* Each task has a row for each event. */
static unsigned int rows_of_tasks(struct latency_run *run)
{
	struct topdown_latency_record record;
	unsigned int part, i, n = 0;

	for (part = 0; part < run->sampled.nr_parts; part++) {
		for (i = 0; i < run->sampled.part[part].nr; i++, n++) {
			compare(run, n, &record);
			latency_row_make(&run->rows[n], &run->own[n], &record,
					 &run->tasks.task[part], (double)NAN);
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
		run->own[i].known = known_of(run, &run->own[i].record);
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
		const struct topdown_latency_record record = {
			.event = __builtin_ctzll(events),
			.cpu = TOPDOWN_CPU_ALL,
		};

		latency_row_make(&run->rows[n], &run->own[n], &record, NULL, (double)NAN);
		run->own[n].known = known_of(run, &record);
	}
	return n;
}

/**
 * latency_sums - add up each event over the whole run
 * @run: the run, with the records of its end in @then, and those of @now no longer needed
 *
 * Return: number of sums, in @now.
 */
unsigned int latency_sums(struct latency_run *run)
{
	struct topdown_latency_record part;
	unsigned int i, j, nr = 0;

	for (i = 0; i < run->sampled.nr; i++) {
		if (topdown_latency_between(&run->first[i], &run->then[i], &part))
			part = run->then[i];
		for (j = 0; j < nr && run->now[j].event != part.event; j++)
			;
		if (j == nr)
			run->now[nr++] = (struct topdown_latency_record){ .event = part.event };
		topdown_latency_add(&run->now[j], &part);
	}
	return nr;
}
