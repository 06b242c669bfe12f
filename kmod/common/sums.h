/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later */
/*
 * Sums over CPUs: the shares of a session, and the state of a sum.
 *
 * The module, libtopdown, the topdown command and the host tests compile the same
 * sums.c, so that the sum of a map is the kernel's sum.
 */
#ifndef TOPDOWN_SUMS_H
#define TOPDOWN_SUMS_H

#include "metrics.h"

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
 * td_sum_flags - join TOPDOWN_RECORD_* of two summands
 * @sum: flags of the sum
 * @more: flags of one more summand
 *
 * Return: the flags of any, and the most turns.
 */
static inline __u32 td_sum_flags(__u32 sum, __u32 more)
{
	__u32 one = sum & TOPDOWN_RECORD_TURNS_MASK, other = more & TOPDOWN_RECORD_TURNS_MASK;

	return ((sum | more) & ~TOPDOWN_RECORD_TURNS_MASK) | (one > other ? one : other);
}

void td_share_add(struct topdown_share *sum, const struct topdown_share *more);
void td_share_sub(struct topdown_share *sum, const struct topdown_share *base);
unsigned int td_state_worse(unsigned int one, unsigned int other);

#endif /* TOPDOWN_SUMS_H */
