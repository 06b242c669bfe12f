/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tree of nodes: parents and children.
 */
#ifndef TOPDOWN_HOST_TREE_H
#define TOPDOWN_HOST_TREE_H

#include <stdbool.h>

#include "metrics.h"

/* Level 1 sums to all slots, and each pair of children to its parent. */
static inline bool tree_sums_up(__u64 slots, const __u64 *node)
{
	__u64 level1 = 0;
	unsigned int i;

	for (i = 0; i < TD_METRIC_L1; i++) {
		level1 += node[i];
		if (node[i] != node[TOPDOWN_HEAVY_OPERATIONS + 2 * i] +
			       node[TOPDOWN_HEAVY_OPERATIONS + 2 * i + 1])
			return false;
	}
	return level1 == slots;
}

#endif /* TOPDOWN_HOST_TREE_H */
