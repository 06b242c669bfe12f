/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_REFINE_H
#define TOPDOWN_REFINE_H

#include <linux/types.h>

#include "group.h"
#include "metrics.h"

struct td_event;
struct td_formula;
struct td_model;

/* A group has room for this many events after SLOTS and the metrics of level 1. */
#define TD_REFINE_EVENTS	(TD_GROUP_MAX - 1 - TD_METRIC_L1)

/**
 * struct td_refine - how general counters refine PERF_METRICS of one CPU
 * @formula: the formula; NULL if nothing is refined
 * @width: slots per cycle
 * @note: text for users, appended to the source
 * @counted: count of each general event at the last fold
 */
struct td_refine {
	const struct td_formula *formula;
	unsigned int width;
	const char *note;
	u64 counted[TD_REFINE_EVENTS];
};

bool td_refine_wanted(void);
int td_refine_create(struct td_refine *refine, const struct td_model *model,
		     struct td_group *group, int cpu);
void td_refine_begin(struct td_refine *refine, const struct td_group *group);
const struct td_event *td_refine_event(const struct td_refine *refine, unsigned int index);
u32 td_refine_fold(struct td_refine *refine, const struct td_group *group,
		   const struct td_counts *metrics, __u64 node[TOPDOWN_MAX_NODES]);

#endif /* TOPDOWN_REFINE_H */
