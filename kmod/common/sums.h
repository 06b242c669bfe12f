/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later */
/*
 * Sums: of spans of time, of the shares of a session, and the state of a sum.
 *
 * The module, libtopdown, the topdown command and the host tests compile the same
 * sums.c, so that the sum of a map is the kernel's sum.
 */
#ifndef TOPDOWN_SUMS_H
#define TOPDOWN_SUMS_H

#include "metrics.h"

/**
 * struct td_wide_sum - sum of the sums of several CPUs
 * @figures: the sum, modulo 2^64
 * @slots: sum of slots >> TD_SUM_SHIFT, which cannot overflow
 * @node: the same sum for each node
 */
struct td_wide_sum {
	struct topdown_figures figures;
	__u64 slots;
	__u64 node[TD_NR_NODES];
};

/**
 * td_share_join - update level, nodes and source of a sum for one more summand
 * @sum: the sum
 * @level: level of the summand
 * @nodes: nodes of the summand, bit n for node n
 * @source: enum topdown_source of the summand
 *
 * A sum has only the nodes that every summand has, and the lowest level.
 */
static inline void td_share_join(struct topdown_share *sum, unsigned int level,
				 __u64 nodes, unsigned int source)
{
	sum->nodes = sum->level ? sum->nodes & nodes : nodes;
	sum->source = sum->level && sum->source != source ? TOPDOWN_SOURCE_MIXED : source;
	if (!sum->level || level < sum->level)
		sum->level = level;
}

/**
 * td_source_join - the source of a sum
 * @sum: enum topdown_source of the sum
 * @more: that of one more summand
 *
 * A summand that nothing has measured yet changes no source.
 *
 * Return: TOPDOWN_SOURCE_MIXED if they differ.
 */
static inline __u32 td_source_join(__u32 sum, __u32 more)
{
	if (sum == TOPDOWN_SOURCE_NONE || more == TOPDOWN_SOURCE_NONE)
		return sum | more;
	return sum == more ? sum : TOPDOWN_SOURCE_MIXED;
}

/**
 * td_turns_more - the turns of a sum
 * @sum: topdown_record.turns of the sum
 * @more: that of one more summand
 *
 * Return: the most turns.
 */
static inline __u32 td_turns_more(__u32 sum, __u32 more)
{
	return sum > more ? sum : more;
}

/**
 * td_sums_children - set the slots in which the children of each node were counted
 * @sums: a part; slots in, children_slots out
 * @nodes: nodes that were counted, bit n for node n
 *
 * Inline, because each fold calls it.
 */
static inline void td_sums_children(struct topdown_sums *sums, __u32 nodes)
{
	sums->children_slots[0] = nodes & td_nodes_children(0) ? sums->slots : 0;
	sums->children_slots[1] = nodes & td_nodes_children(1) ? sums->slots : 0;
	sums->children_slots[2] = nodes & td_nodes_children(2) ? sums->slots : 0;
	sums->children_slots[3] = nodes & td_nodes_children(3) ? sums->slots : 0;
}

static inline void td_figures_children(struct topdown_figures *figures, __u32 nodes)
{
	struct topdown_sums sums;

	td_figures_get(&sums, figures);
	td_sums_children(&sums, nodes);
	td_figures_put(figures, &sums);
}

void td_sums_add(struct topdown_sums *sums, const struct topdown_sums *more);
void td_sums_sub(struct topdown_sums *sums, const struct topdown_sums *base);
void td_figures_add(struct topdown_figures *figures, const struct topdown_figures *more);
void td_figures_sub(struct topdown_figures *figures, const struct topdown_figures *base);
void td_wide_sum_add(struct td_wide_sum *sum, const struct topdown_figures *figures);
void td_wide_sum_ratios(struct td_wide_sum *sum, __u32 nodes);
void td_share_add(struct topdown_share *sum, const struct topdown_share *more);
unsigned int td_state_worse(unsigned int one, unsigned int other);

#endif /* TOPDOWN_SUMS_H */
