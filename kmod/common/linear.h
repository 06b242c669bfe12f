/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later */
#ifndef TOPDOWN_LINEAR_H
#define TOPDOWN_LINEAR_H

#include "metrics.h"

void td_steps_to_nodes(__u64 slots, const __u64 steps[TD_METRIC_NR], const struct td_quant *quant,
		       unsigned int level, __u64 node[TOPDOWN_MAX_NODES]);

#endif /* TOPDOWN_LINEAR_H */
