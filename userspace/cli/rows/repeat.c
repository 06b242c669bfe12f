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

static void add_figures(struct row *row, const struct row *more)
{
	topdown_figures_add(&row->figures, &more->figures, row->level);
	topdown_figures_add(&row->core, &more->core, row->level);
	topdown_figures_add(&row->atom, &more->atom, row->level);
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
		add_figures(&repeat->sum, &sum);
	repeat->sum.merged_ns += sum.merged_ns;
	repeat->sum.expected_ns += sum.expected_ns;
	repeat->sum.switches += sum.switches;
	repeat->sum.incomplete |= sum.incomplete;

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
 * @repeat: at least one run
 * @row: means of the runs, also of the ratios
 */
void repeat_row(const struct repeat *repeat, struct row *row)
{
	struct topdown_figures *figures = &row->figures;
	unsigned int node;

	*row = repeat->sum;
	row->merged_ns /= repeat->runs;
	row->expected_ns /= repeat->runs;
	row->switches /= repeat->runs;
	divide_counts(figures, repeat->runs);
	/* The ratios of a kind of core stay those of all runs together. */
	divide_counts(&row->core, repeat->runs);
	divide_counts(&row->atom, repeat->runs);
	for (node = 0; node < TD_NR_NODES; node++) {
		/* If a run lacks the node, its mean is not known. */
		if (figures->ratio[node] != TOPDOWN_RATIO_NONE)
			figures->ratio[node] = repeat->node[node].mean + 0.5;
	}
}
