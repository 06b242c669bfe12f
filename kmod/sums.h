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
 * td_share_join - figures are added: a sum has the nodes that all of its parts have
 * @sum: the share that they are added to
 * @level: level of what is added
 * @nodes: its nodes, bit n for node n
 * @source: its enum topdown_source
 */
static inline void td_share_join(struct topdown_share *sum, unsigned int level,
				 __u64 nodes, unsigned int source)
{
	sum->nodes = sum->level ? sum->nodes & nodes : nodes;
	sum->source = sum->level && sum->source != source ? TOPDOWN_SOURCE_MIXED : source;
	if (!sum->level || level < sum->level)
		sum->level = level;
}

void td_share_add(struct topdown_share *sum, const struct topdown_share *more);
void td_share_sub(struct topdown_share *sum, const struct topdown_share *base);
unsigned int td_state_worse(unsigned int one, unsigned int other);

#endif /* TOPDOWN_SUMS_H */
