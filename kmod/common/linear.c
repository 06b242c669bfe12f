// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later
/*
 * From sums of differences of PERF_METRICS to nodes, by a rule that is linear: the nodes of a sum
 * are the sum of the nodes, whatever ran in between.  So nothing is cut, and a node may be below
 * 0, modulo 2^64.
 */
#include "linear.h"

#define TD_STEPS		255

/* No sum has so many slots below 0: a CPU would need a week for them. */
#define TD_SLOTS_LIFT		(1ULL << 53)

/*
 * To the nearest slot: what differences lose has either sign.  A switch of tasks makes nine such
 * divisions, and those of numbers without a sign are cheaper, so lift the steps above 0.
 */
static __s64 td_slots_of_steps(__u64 steps)
{
	steps += TD_SLOTS_LIFT * TD_STEPS + TD_STEPS / 2;
	return (__s64)(steps / TD_STEPS - TD_SLOTS_LIFT);
}

/*
 * Give back what the bytes lost, as td_correct() of metrics.c does: the four of level 1 lost a
 * quarter each of what is missing.  A rest took half a step of each of the other three.
 */
static void td_linear_level1(__u64 slots, __u64 half, __u64 *node, const struct td_quant *quant)
{
	__s64 missing = (__s64)slots;
	unsigned int i;

	for (i = 0; i < TD_METRIC_L1; i++)
		missing -= (__s64)node[i];
	for (i = 0; i < TD_METRIC_L1; i++)
		node[i] += (__u64)(missing / TD_METRIC_L1);
	node[0] += (__u64)(missing % TD_METRIC_L1);
	if (quant->rest <= 0)
		return;
	for (i = 0; i < TD_METRIC_L1; i++)
		node[i] += half;
	node[TD_METRIC_BAD_SPEC] -= half * TD_METRIC_L1;
}

/**
 * td_steps_to_nodes - the nodes of a sum of differences
 * @slots: slots
 * @steps: sum of slots * byte of each metric, modulo 2^64
 * @quant: what is known about the CPU
 * @level: 1 or 2
 * @node: written, may be @steps: the nodes of these levels; level 1 sums to @slots, and children
 *	to their parent.  All are 0 if no metric has counted, as where a hypervisor hides
 *	PERF_METRICS
 */
void td_steps_to_nodes(__u64 slots, const __u64 steps[TD_METRIC_NR], const struct td_quant *quant,
		       unsigned int level, __u64 node[TOPDOWN_MAX_NODES])
{
	__u64 half = (__u64)(td_slots_of_steps(slots) / 2), child;
	unsigned int i;

	if (!(steps[0] | steps[1] | steps[2] | steps[3])) {
		for (i = 0; i < TD_NODES_METRICS; i++)
			node[i] = 0;
		return;
	}
	for (i = 0; i < TD_METRIC_L1; i++)
		node[i] = (__u64)td_slots_of_steps(steps[i]);
	td_linear_level1(slots, half, node, quant);
	if (level < 2)
		return;
	if (quant->rest <= 0 && quant->score <= 0)
		half = 0;
	/* From the last one on, because @node may be @steps. */
	for (i = TD_METRIC_L1; i-- > 0;) {
		child = (__u64)td_slots_of_steps(steps[TD_METRIC_L1 + i]) + half;
		node[TOPDOWN_HEAVY_OPERATIONS + 2 * i] = child;
		node[TOPDOWN_HEAVY_OPERATIONS + 2 * i + 1] = node[i] - child;
	}
}
