// SPDX-License-Identifier: GPL-2.0
/*
 * Several runs of one command: their means, and how much they differ.
 */
#include "repeat.h"

#include <math.h>

/**
 * spread_add - one more value
 * @spread: zeroed before the first
 * @value: value
 *
 * Welford's algorithm does not subtract two large sums.
 */
void spread_add(struct spread *spread, double value)
{
	double distance = value - spread->mean;

	spread->nr++;
	spread->mean += distance / spread->nr;
	spread->squares += distance * (value - spread->mean);
}

/**
 * spread_relative - standard error of the mean, over the mean
 * @spread: values
 * @error: 0.1 for 10%; untouched if there is none
 *
 * perf stat -r computes it in the same way.
 *
 * Return: false for fewer than two values, or if their mean is 0.
 */
bool spread_relative(const struct spread *spread, double *error)
{
	if (spread->nr < 2 || spread->mean <= 0)
		return false;
	*error = sqrt(spread->squares / (spread->nr - 1) / spread->nr) / spread->mean;
	return true;
}

/**
 * repeat_add - one more run
 * @repeat: zeroed before the first
 * @row: row of the run
 * @length: duration of the run in seconds
 */
void repeat_add(struct repeat *repeat, const struct row *row, double length)
{
	struct row sum = repeat->sum;
	unsigned int node;

	repeat->sum = *row;
	if (repeat->runs++)
		topdown_figures_add(&repeat->sum.figures, &sum.figures, row->level);
	row_cores_add(&repeat->cores, row->session.cores, row->level);
	repeat->sum.session.merged_ns += sum.session.merged_ns;
	repeat->sum.expected_ns += sum.expected_ns;
	repeat->sum.session.switches += sum.session.switches;
	repeat->sum.session.incomplete |= sum.session.incomplete;

	spread_add(&repeat->length, length);
	spread_add(&repeat->slots, row->figures.slots);
	for (node = 0; node < TD_NR_NODES; node++) {
		if (row->figures.ratio[node] != TOPDOWN_RATIO_NONE)
			spread_add(&repeat->node[node], row->figures.ratio[node]);
	}
}

static void divide_counts(struct topdown_figures *figures, unsigned int by)
{
	unsigned int node;

	figures->enabled_ns /= by;
	figures->running_ns /= by;
	figures->slots /= by;
	figures->cycles /= by;
	figures->instructions /= by;
	figures->busy_ns /= by;
	for (node = 0; node < TD_NR_NODES; node++)
		figures->node[node] /= by;
}

/**
 * repeat_row - the mean run
 * @repeat: at least one run; its sums by kind of core become means
 * @row: means of the runs, also of the ratios
 */
void repeat_row(struct repeat *repeat, struct row *row)
{
	struct topdown_figures *figures = &row->figures;
	unsigned int node;

	*row = repeat->sum;
	row->session.merged_ns /= repeat->runs;
	row->expected_ns /= repeat->runs;
	row->session.switches /= repeat->runs;
	divide_counts(figures, repeat->runs);
	/* The ratios of a kind of core stay those of all runs together. */
	divide_counts(&repeat->cores.core, repeat->runs);
	divide_counts(&repeat->cores.atom, repeat->runs);
	if (row->session.cores)
		row->session.cores = &repeat->cores;
	for (node = 0; node < TD_NR_NODES; node++) {
		/* If a run lacks the node, its mean is not known. */
		if (figures->ratio[node] != TOPDOWN_RATIO_NONE)
			figures->ratio[node] = repeat->node[node].mean + 0.5;
	}
}
