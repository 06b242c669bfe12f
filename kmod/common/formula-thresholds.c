// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later
/*
 * Published thresholds: above its threshold a node deserves a closer look.
 *
 * Source: MetricThreshold in tools/perf/pmu-events/arch/x86, for big cores skylakex,
 * sapphirerapids and the like, for Atom cores alderlaken and sierraforest.  Intel's TMA
 * metrics spreadsheet has the same numbers for earlier Atom cores.  AMD publishes none.
 */
#include "formula-thresholds.h"

const struct td_thresholds td_thresholds_core = {
	.percent = {
		[TOPDOWN_RETIRING]		= 70,
		[TOPDOWN_BAD_SPECULATION]	= 15,
		[TOPDOWN_FRONTEND_BOUND]	= 15,
		[TOPDOWN_BACKEND_BOUND]		= 20,
		[TOPDOWN_HEAVY_OPERATIONS]	= 10,
		[TOPDOWN_LIGHT_OPERATIONS]	= 60,
		[TOPDOWN_BRANCH_MISPREDICTS]	= 10,
		[TOPDOWN_MACHINE_CLEARS]	= 10,
		[TOPDOWN_FETCH_LATENCY]		= 10,
		[TOPDOWN_FETCH_BANDWIDTH]	= 20,
		[TOPDOWN_MEMORY_BOUND]		= 20,
		[TOPDOWN_CORE_BOUND]		= 10,
		[TOPDOWN_RESOURCE_BOUND]	= 100,
		[TOPDOWN_SMT_CONTENTION]	= 100,
	},
	.alone = 1U << TOPDOWN_HEAVY_OPERATIONS | 1U << TOPDOWN_LIGHT_OPERATIONS |
		 1U << TOPDOWN_FETCH_BANDWIDTH,
};

const struct td_thresholds td_thresholds_atom = {
	.percent = {
		[TOPDOWN_RETIRING]		= 75,
		[TOPDOWN_BAD_SPECULATION]	= 15,
		[TOPDOWN_FRONTEND_BOUND]	= 20,
		[TOPDOWN_BACKEND_BOUND]		= 10,
		[TOPDOWN_HEAVY_OPERATIONS]	= 100,
		[TOPDOWN_LIGHT_OPERATIONS]	= 100,
		[TOPDOWN_BRANCH_MISPREDICTS]	= 5,
		[TOPDOWN_MACHINE_CLEARS]	= 5,
		[TOPDOWN_FETCH_LATENCY]		= 15,
		[TOPDOWN_FETCH_BANDWIDTH]	= 10,
		[TOPDOWN_MEMORY_BOUND]		= 20,
		[TOPDOWN_CORE_BOUND]		= 10,
		[TOPDOWN_RESOURCE_BOUND]	= 20,
		[TOPDOWN_SMT_CONTENTION]	= 100,
	},
};

static int td_is_over(const struct td_thresholds *thresholds, const __u32 *ratio,
		      unsigned int node)
{
	return ratio[node] != TOPDOWN_RATIO_NONE &&
	       ratio[node] > TOPDOWN_RATIO_ONE / 100 * thresholds->percent[node];
}

/**
 * td_thresholds_over - the nodes that are over their thresholds
 * @thresholds: thresholds of the core
 * @ratio: ratio of each node
 *
 * A level 2 node counts only if its parent is over its threshold too, unless it is
 * published without that condition.  If heavy operations are over, so is retiring.
 *
 * Return: bit n for node n.
 */
__u32 td_thresholds_over(const struct td_thresholds *thresholds,
			 const __u32 ratio[TOPDOWN_MAX_NODES])
{
	__u32 over = 0, parents;
	unsigned int node;

	for (node = 0; node < TD_NR_NODES; node++) {
		if (td_is_over(thresholds, ratio, node))
			over |= 1U << node;
	}
	parents = over & TD_NODES_LEVEL1;
	over &= parents | td_nodes_of_parents(parents) | thresholds->alone;
	if (over & 1U << TOPDOWN_HEAVY_OPERATIONS)
		over |= 1U << TOPDOWN_RETIRING;
	return over;
}
