/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later */
/*
 * Published thresholds: from where on a node is worth a closer look.
 *
 * Pure data and integer arithmetic, compiled by the module, by the topdown command and
 * by the host tests.
 */
#ifndef TOPDOWN_FORMULA_THRESHOLDS_H
#define TOPDOWN_FORMULA_THRESHOLDS_H

#include "metrics.h"

/**
 * struct td_thresholds - the thresholds of a line of cores
 * @percent: of the slots, for each node; 100 for never, where none is published
 * @alone: bit n: the threshold of node n, of level 2, does not ask for its parent's
 */
struct td_thresholds {
	__u8 percent[TD_NR_NODES];
	__u32 alone;
};

/* Those of Intel's big cores, and of its Atom line from Goldmont on. */
extern const struct td_thresholds td_thresholds_core;
extern const struct td_thresholds td_thresholds_atom;

__u32 td_thresholds_over(const struct td_thresholds *thresholds,
			 const __u32 ratio[TOPDOWN_MAX_NODES]);

#endif /* TOPDOWN_FORMULA_THRESHOLDS_H */
