/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later */
/*
 * Top-Down arithmetic: from the driver's counts to slots per node and ratios.
 *
 * Pure integer functions of their arguments.  The module, libtopdown and the host tests
 * compile the same metrics.c, so all of them compute the same values.
 */
#ifndef TOPDOWN_METRICS_H
#define TOPDOWN_METRICS_H

#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/string.h>
#include <uapi/linux/topdown.h>
#else
#include <assert.h>
#include <linux/topdown.h>
#include <string.h>
#endif

#include "known.h"

/* The PERF_METRICS fields in the order of the register's bytes (SDM 3B). */
enum td_metric {
	TD_METRIC_RETIRING,
	TD_METRIC_BAD_SPEC,
	TD_METRIC_FE_BOUND,
	TD_METRIC_BE_BOUND,
	TD_METRIC_L1,
	TD_METRIC_HEAVY_OPS = TD_METRIC_L1,
	TD_METRIC_BR_MISPREDICT,
	TD_METRIC_FETCH_LAT,
	TD_METRIC_MEM_BOUND,
	TD_METRIC_NR,
};

/**
 * struct td_counts - slots counted in a span of time, as the driver counts them
 * @slots: all slots
 * @metric: slots of each enum td_metric: sums of floor(slots * byte / 255)
 */
struct td_counts {
	__u64 slots;
	__u64 metric[TD_METRIC_NR];
};

/**
 * struct td_quant - how the CPU makes its bytes, as learnt so far
 * @score: above 0 the bytes look truncated, below 0 rounded, 0 not known
 * @rest: above 0 the byte of bad speculation looks like what the other three leave of 255,
 *	whatever @score says
 * @last: the level 1 bytes that @rest was learnt from last
 */
struct td_quant {
	int score;
	int rest;
	__u32 last;
};

/**
 * enum td_bytes - the sum of the level 1 bytes of PERF_METRICS
 *
 * @TD_BYTES_RIGHT: all slots, except for what making bytes explains
 * @TD_BYTES_ODD: another sum, which no rounding explains; level 1 is scaled to all slots
 * @TD_BYTES_ABSURD: less than half of all slots, or more than one and a half of them
 * @TD_BYTES_ZERO: nothing
 */
enum td_bytes {
	TD_BYTES_RIGHT,
	TD_BYTES_ODD,
	TD_BYTES_ABSURD,
	TD_BYTES_ZERO,
};

/* A sum of level 1 beyond this cannot be, whatever made it. */
static inline __u64 td_level1_most(__u64 slots)
{
	return slots + slots / 2;
}

/* Figures begin with sums, but they are another type. */
static_assert(sizeof(struct topdown_figures) ==
	      sizeof(struct topdown_sums) + TOPDOWN_MAX_NODES * sizeof(__u32),
	      "figures are sums and ratios");

static inline void td_figures_put(struct topdown_figures *figures, const struct topdown_sums *sums)
{
	memcpy(figures, sums, sizeof(*sums));
}

static inline void td_figures_get(struct topdown_sums *sums, const struct topdown_figures *figures)
{
	memcpy(sums, figures, sizeof(*sums));
}

/* Nodes of level 1, of both levels, and of a CPU with PERF_METRICS. */
#define TD_NODES_LEVEL1		0x200fU
#define TD_NODES_LEVEL2		((1U << TD_NR_NODES) - 1)
#define TD_NODES_METRICS	(TOPDOWN_CORE_BOUND + 1)
#define TD_NODES_METRICS_L1	0x000fU
#define TD_NODES_METRICS_L2	((1U << TD_NODES_METRICS) - 1)

/* The children of a level 1 node. */
static inline __u32 td_nodes_children(unsigned int parent)
{
	__u32 nodes = 3U << (TOPDOWN_HEAVY_OPERATIONS + 2 * parent);

	return parent == TOPDOWN_BACKEND_BOUND ? nodes | 1U << TOPDOWN_RESOURCE_BOUND : nodes;
}

void td_quant_learn(struct td_quant *quant, const struct td_counts *counts);
void td_counts_correct(struct td_counts *counts, const struct td_quant *quant);
void td_counts_to_nodes(const struct td_counts *counts, unsigned int level,
			__u64 node[TOPDOWN_MAX_NODES]);
enum td_bytes td_counts_judge(const struct td_counts *counts, const struct td_quant *quant);
void td_counts_apply(struct td_counts *counts, const struct td_quant *quant, unsigned int level,
		     __u64 node[TOPDOWN_MAX_NODES]);
void td_counts_sub(struct td_counts *counts, const struct td_counts *base);
enum td_bytes td_counts_fold(struct td_counts *counts, struct td_quant *quant,
			     unsigned int level, __u64 node[TOPDOWN_MAX_NODES]);
__u32 td_ratio(__u64 part, __u64 whole);
__u32 td_nodes_of_level(unsigned int level);
__u32 td_nodes_of_parents(__u32 parents);
__u32 td_nodes_of_figures(const struct topdown_figures *figures);
void td_figures_ratios_of(struct topdown_figures *figures, const __u64 *node, __u64 slots,
			  __u32 nodes);
void td_figures_ratios(struct topdown_figures *figures, __u32 nodes);
void td_figures_make(struct topdown_figures *figures, const struct topdown_sums *sums, __u32 nodes);

#endif /* TOPDOWN_METRICS_H */
