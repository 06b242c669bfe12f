// SPDX-License-Identifier: GPL-2.0
#include "random.h"

uint64_t rng_next(struct rng *rng)
{
	uint64_t z = rng->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

double rng_unit(struct rng *rng)
{
	return (rng_next(rng) >> 11) * 0x1p-53;
}

uint64_t rng_below(struct rng *rng, uint64_t n)
{
	return rng_next(rng) % n;
}

static void profile_level2(struct rng *rng, struct profile *profile)
{
	unsigned int i;

	for (i = 0; i < TD_METRIC_L1; i++) {
		double of_parent = rng_unit(rng);

		/* Both ends happen: nothing of the parent, and all of it. */
		if (rng_below(rng, 16) == 0)
			of_parent = rng_below(rng, 2);
		profile->part[TD_METRIC_L1 + i] = profile->part[i] * of_parent;
	}
}

static void profile_scale(struct profile *profile)
{
	double sum = 0;
	unsigned int i;

	for (i = 0; i < TD_METRIC_L1; i++)
		sum += profile->part[i];
	for (i = 0; i < TD_METRIC_L1; i++)
		profile->part[i] /= sum;
}

void profile_random(struct rng *rng, struct profile *profile)
{
	unsigned int i, kind = rng_below(rng, 4);

	for (i = 0; i < TD_METRIC_L1; i++) {
		double part = rng_unit(rng);

		/* Flat; spread over decades; some of them 0; one near 1. */
		if (kind == 1)
			part = part * part * part * part;
		else if (kind == 2 && rng_below(rng, 2))
			part = 0;
		else if (kind == 3)
			part = i ? part / 64 : 1;
		profile->part[i] = part;
	}
	profile->part[0] += 1e-9;
	profile_scale(profile);
	profile_level2(rng, profile);
}

void profile_balanced(struct rng *rng, struct profile *profile)
{
	unsigned int i;

	for (i = 0; i < TD_METRIC_L1; i++)
		profile->part[i] = 0.25 + rng_unit(rng);
	profile_scale(profile);
	profile_level2(rng, profile);
}

void window_make(const struct profile *profile, uint64_t slots, struct window *window)
{
	uint64_t rest = slots;
	unsigned int i, largest = 0;

	window->slots = slots;
	for (i = 0; i < TD_METRIC_L1; i++) {
		window->part[i] = profile->part[i] * slots;
		rest -= window->part[i];
		if (window->part[i] > window->part[largest])
			largest = i;
	}
	window->part[largest] += rest;
	for (i = 0; i < TD_METRIC_L1; i++) {
		uint64_t child = profile->part[TD_METRIC_L1 + i] * slots;

		window->part[TD_METRIC_L1 + i] = child < window->part[i] ? child : window->part[i];
	}
}

const char *const way_name[WAYS] = { "truncated", "rounded", "with a rest" };

void window_counts(const struct window *window, enum way way, struct td_counts *counts)
{
	unsigned __int128 slots = window->slots;
	unsigned int i, byte[TD_METRIC_NR];

	for (i = 0; i < TD_METRIC_NR; i++) {
		unsigned __int128 steps = (unsigned __int128)window->part[i] * 255;

		byte[i] = (steps + (way == WAY_ROUND ? slots / 2 : 0)) / slots;
	}
	if (way == WAY_REST)
		byte[TD_METRIC_BAD_SPEC] = 255 - byte[TD_METRIC_RETIRING] -
					   byte[TD_METRIC_FE_BOUND] - byte[TD_METRIC_BE_BOUND];
	counts->slots = window->slots;
	for (i = 0; i < TD_METRIC_NR; i++)
		counts->metric[i] = slots * byte[i] / 255;
}

static void truth_pair(const struct window *window, double *truth, unsigned int node,
		       unsigned int rest, unsigned int parent)
{
	unsigned int child = TD_METRIC_L1 + parent;

	truth[node] = (double)window->part[child] / window->slots;
	truth[rest] = (double)(window->part[parent] - window->part[child]) / window->slots;
}

void window_truth(const struct window *window, double truth[TD_NODES_METRICS])
{
	unsigned int i;

	for (i = 0; i < TD_METRIC_L1; i++)
		truth[i] = (double)window->part[i] / window->slots;
	truth_pair(window, truth, TOPDOWN_HEAVY_OPERATIONS, TOPDOWN_LIGHT_OPERATIONS,
		   TD_METRIC_RETIRING);
	truth_pair(window, truth, TOPDOWN_BRANCH_MISPREDICTS, TOPDOWN_MACHINE_CLEARS,
		   TD_METRIC_BAD_SPEC);
	truth_pair(window, truth, TOPDOWN_FETCH_LATENCY, TOPDOWN_FETCH_BANDWIDTH,
		   TD_METRIC_FE_BOUND);
	truth_pair(window, truth, TOPDOWN_MEMORY_BOUND, TOPDOWN_CORE_BOUND,
		   TD_METRIC_BE_BOUND);
}
