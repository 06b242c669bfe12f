/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_GROUP_H
#define TOPDOWN_GROUP_H

#include "metrics.h"

struct perf_event;

/**
 * struct td_group - SLOTS and the PERF_METRICS events of one CPU, scheduled as one
 * @event: the leader, then one sibling for each enum td_metric
 * @nr: how many there are; 0 for no group
 */
struct td_group {
	struct perf_event *event[1 + TD_METRIC_NR];
	unsigned int nr;
};

int td_group_init(void);
void td_group_exit(void);

int td_group_create(struct td_group *group, int cpu, unsigned int level, bool pinned);
void td_group_destroy(struct td_group *group);
void td_group_enable(struct td_group *group);
bool td_group_in_error(const struct td_group *group);
u64 td_group_running(const struct td_group *group, u64 now);
void td_group_fold(const struct td_group *group, struct td_counts *counts,
		   struct td_counts *delta);

#endif /* TOPDOWN_GROUP_H */
