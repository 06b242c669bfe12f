// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later
/*
 * From sums of differences of PERF_METRICS to nodes, by a rule that is linear: the nodes of a sum
 * are the sum of the nodes, whatever ran in between.  So nothing is cut, and a node may be below
 * 0, modulo 2^64.
 */
#include "linear.h"

#define TD_STEPS		255

/* Rounded towards 0: what differences lose has either sign. */
static __s64 td_slots_of_steps(__u64 steps)
{
	return (__s64)steps / TD_STEPS;
}

/*
 * Give back what the bytes lost, as td_correct() of metrics.c does: the four of level 1 lost a
 * quarter each of what is missing.  A rest took half a step of each of the other three.
 */
static void td_linear_level1(__s64 slots, __s64 *metric, const struct td_quant *quant)
{
	__s64 missing = slots, half = slots / TD_STEPS / 2;
	unsigned int i;

	for (i = 0; i < TD_METRIC_L1; i++)
		missing -= metric[i];
	for (i = 0; i < TD_METRIC_L1; i++)
		metric[i] += missing / TD_METRIC_L1;
	metric[0] += missing % TD_METRIC_L1;
	if (quant->rest <= 0)
		return;
	for (i = 0; i < TD_METRIC_L1; i++)
		metric[i] += half;
	metric[TD_METRIC_BAD_SPEC] -= half * TD_METRIC_L1;
}

/**
 * td_steps_to_nodes - the nodes of a sum of differences
 * @slots: slots
 * @steps: sum of slots * byte of each metric, modulo 2^64
 * @quant: what is known about the CPU
 * @level: 1 or 2
 * @node: written: the nodes of these levels; level 1 sums to @slots, and children to their parent.
 *	All are 0 if no metric has counted, as where a hypervisor hides PERF_METRICS
 */
void td_steps_to_nodes(__u64 slots, const __u64 steps[TD_METRIC_NR], const struct td_quant *quant,
		       unsigned int level, __u64 node[TOPDOWN_MAX_NODES])
{
	__s64 metric[TD_METRIC_NR], child, lost = 0;
	unsigned int i, nr = level > 1 ? TD_METRIC_NR : TD_METRIC_L1;

	if (!(steps[0] | steps[1] | steps[2] | steps[3])) {
		for (i = 0; i < TD_NODES_METRICS; i++)
			node[i] = 0;
		return;
	}
	for (i = 0; i < nr; i++)
		metric[i] = td_slots_of_steps(steps[i]);
	td_linear_level1((__s64)slots, metric, quant);
	for (i = 0; i < TD_METRIC_L1; i++)
		node[i] = (__u64)metric[i];
	if (level < 2)
		return;
	if (quant->rest > 0 || quant->score > 0)
		lost = (__s64)slots / TD_STEPS / 2;
	for (i = 0; i < TD_METRIC_L1; i++) {
		child = metric[TD_METRIC_L1 + i] + lost;
		node[TOPDOWN_HEAVY_OPERATIONS + 2 * i] = (__u64)child;
		node[TOPDOWN_HEAVY_OPERATIONS + 2 * i + 1] = (__u64)(metric[i] - child);
	}
}
