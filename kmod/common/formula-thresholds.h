/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later */
/*
 * Published thresholds: above its threshold a node deserves a closer look.
 *
 * Pure data and integer arithmetic.  The module, the topdown command and the host tests
 * compile them.
 */
#ifndef TOPDOWN_FORMULA_THRESHOLDS_H
#define TOPDOWN_FORMULA_THRESHOLDS_H

#include "metrics.h"

/**
 * struct td_thresholds - the thresholds of a line of cores
 * @percent: threshold of each node in percent of the slots; 100 if none is published
 * @alone: bit n: level 2 node n may be over its threshold while its parent is not
 */
struct td_thresholds {
	__u8 percent[TD_NR_NODES];
	__u32 alone;
};

/* Thresholds of Intel's big cores, and of its Atom line from Goldmont on. */
extern const struct td_thresholds td_thresholds_core;
extern const struct td_thresholds td_thresholds_atom;

__u32 td_thresholds_over(const struct td_thresholds *thresholds,
			 const __u32 ratio[TOPDOWN_MAX_NODES]);

#endif /* TOPDOWN_FORMULA_THRESHOLDS_H */
