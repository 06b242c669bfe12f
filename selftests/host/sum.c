// SPDX-License-Identifier: GPL-2.0
/*
 * Sums over CPUs: exact where 64 bits hold them, and with right ratios where
 * they do not.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "random.h"
#include "sums.h"

#define CPUS_MAX	(TOPDOWN_CPUS_WORDS_MAX * 64)

struct wide {
	unsigned __int128 slots;
	unsigned __int128 node[TD_NODES_METRICS];
};

static void figures_random(struct rng *rng, uint64_t slots, struct topdown_figures *figures)
{
	struct td_counts counts;
	struct profile profile;
	struct window window;

	profile_random(rng, &profile);
	/* The functions take windows; a CPU's whole life is a multiple of one. */
	window_make(&profile, slots >> 8, &window);
	window_counts(&window, WAY_TRUNCATE, &counts);
	memset(figures, 0, sizeof(*figures));
	figures->slots = slots >> 8 << 8;
	td_counts_to_nodes(&counts, 2, figures->node);
	for (unsigned int i = 0; i < TD_NODES_METRICS; i++)
		figures->node[i] <<= 8;
	td_figures_children(figures, TD_NODES_METRICS_L2);
}

static double sum_error(const struct td_wide_sum *sum, const struct wide *wide)
{
	double largest = 0;
	unsigned int i;

	for (i = 0; i < TD_NODES_METRICS; i++) {
		double seen = (double)sum->figures.ratio[i] / TOPDOWN_RATIO_ONE;
		double want = (double)wide->node[i] / (double)wide->slots;

		if (sum->figures.ratio[i] > TOPDOWN_RATIO_ONE)
			return INFINITY;
		largest = fmax(largest, fabs(seen - want));
	}
	return largest;
}

static double sum_of(struct rng *rng, unsigned int cpus, unsigned int bits, bool *exact)
{
	struct topdown_figures figures;
	struct td_wide_sum sum = { };
	struct wide wide = { };
	unsigned int i, j;

	for (i = 0; i < cpus; i++) {
		figures_random(rng, ~0ULL >> (64 - bits), &figures);
		td_wide_sum_add(&sum, &figures);
		wide.slots += figures.slots;
		for (j = 0; j < TD_NODES_METRICS; j++)
			wide.node[j] += figures.node[j];
	}
	td_wide_sum_ratios(&sum, TD_NODES_METRICS_L2);
	*exact &= sum.figures.slots == (uint64_t)wide.slots;
	for (j = 0; j < TD_NR_PARENTS; j++)
		*exact &= sum.figures.children_slots[j] == (uint64_t)wide.slots;
	for (j = 0; j < TD_NODES_METRICS; j++)
		*exact &= sum.figures.node[j] == (uint64_t)wide.node[j];
	return sum_error(&sum, &wide);
}

int main(void)
{
	double error, small = 0, large = 0;
	struct rng rng = { 5 };
	struct td_wide_sum none = { };
	bool exact = true;
	struct ktap ktap;
	unsigned int bits, i, figures = 0;

	ktap_begin(&ktap, 4);
	for (bits = 30; bits <= 64; bits++) {
		error = sum_of(&rng, 4, bits, &exact);
		small = fmax(small, error);
		error = sum_of(&rng, CPUS_MAX, bits, &exact);
		large = fmax(large, error);
	}
	ktap_note("largest error of a ratio: 4 CPUs %.1e, %u CPUs %.1e", small, CPUS_MAX, large);
	ktap_result(&ktap, small < 1e-8, "ratios of few CPUs are right up to 2^64 slots each");
	ktap_result(&ktap, large < 1e-8, "ratios of 8192 CPUs are right up to 2^64 slots each");
	ktap_result(&ktap, exact, "sums are exact modulo 2^64");

	td_wide_sum_ratios(&none, TD_NODES_METRICS_L2);
	for (i = 0; i < TOPDOWN_MAX_NODES; i++)
		figures += none.figures.ratio[i] != TOPDOWN_RATIO_NONE;
	ktap_result(&ktap, !figures, "no CPU has no figures");
	return ktap_end(&ktap);
}
