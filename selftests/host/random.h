/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Made-up windows: an exact split of slots over the categories, and the counts
 * that the driver would have of it.
 */
#ifndef TOPDOWN_HOST_RANDOM_H
#define TOPDOWN_HOST_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

#include "metrics.h"

/* Repeatable everywhere: SplitMix64. */
struct rng {
	uint64_t state;
};

uint64_t rng_next(struct rng *rng);
/* 0 <= x < 1 */
double rng_unit(struct rng *rng);
/* 0 <= x < n */
uint64_t rng_below(struct rng *rng, uint64_t n);

/* The fractions of one workload; level 2 as fractions of all slots. */
struct profile {
	double part[TD_METRIC_NR];
};

/* One window: the slots that every category really had. */
struct window {
	uint64_t slots;
	uint64_t part[TD_METRIC_NR];
};

void profile_random(struct rng *rng, struct profile *profile);
/* Every level 1 byte far from 0, so that nothing hides below a step. */
void profile_balanced(struct rng *rng, struct profile *profile);
void window_make(const struct profile *profile, uint64_t slots, struct window *window);
/* How a CPU makes bytes of PERF_METRICS: metrics.c. */
enum way {
	WAY_TRUNCATE,
	WAY_ROUND,
	WAY_REST,
	WAYS,
};

extern const char *const way_name[WAYS];

/* What PERF_METRICS and then the driver make of it. */
void window_counts(const struct window *window, enum way way, struct td_counts *counts);
/* The truth of each node, 0..1. */
void window_truth(const struct window *window, double truth[TD_NODES_METRICS]);

#endif /* TOPDOWN_HOST_RANDOM_H */
