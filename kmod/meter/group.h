/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_GROUP_H
#define TOPDOWN_GROUP_H

#include <linux/lockdep.h>
#include <linux/perf_event.h>

#include "metrics.h"

/* No CPU has more counters: ten general ones, and fixed ones. */
#define TD_GROUP_MAX	13

/**
 * struct td_span - for how long a group has had its counters, by one clock
 * @since: since when, this time
 * @ran: how long before
 */
struct td_span {
	u64 since;
	u64 ran;
};

/**
 * struct td_group - events of one CPU that perf schedules together
 * @event: the leader, then its siblings.  Either SLOTS, one event for each enum
 *	td_metric, and perhaps general events; or ordinary events
 * @type: perf's type of the CPU's PMU
 * @nr: number of events; 0 for no group
 * @fixed: number of SLOTS and metric events, which come first; 0 in a group of ordinary
 *	events
 * @hook: one more sibling, which counts nothing: perf calls it when the group gets the
 *	counters, and when it leaves them
 * @on: the group has the counters; used on its CPU with interrupts off, as the next two
 * @ns: for how long it has had them, by local_clock()
 * @ticks: the same by td_ticks()
 */
struct td_group {
	struct perf_event *event[TD_GROUP_MAX];
	u32 type;
	unsigned int nr;
	unsigned int fixed;
	struct perf_event *hook;
	bool on;
	struct td_span ns;
	struct td_span ticks;
};

int td_group_init(void);
void td_group_exit(void);

u32 td_group_type(int cpu, bool small);
int td_group_begin(struct td_group *group, int cpu, u32 type, u64 config, bool pinned);
int td_group_extend(struct td_group *group, int cpu, u64 config);
int td_group_create(struct td_group *group, int cpu, unsigned int level, bool pinned);
int td_group_finish(struct td_group *group, int cpu);
void td_group_drop_general(struct td_group *group);
void td_group_destroy(struct td_group *group);
void td_group_disable(struct td_group *group);
void td_group_enable(struct td_group *group);
bool td_group_in_error(const struct td_group *group);
bool td_group_settled(const struct td_group *group);
u64 td_group_running(const struct td_group *group, u64 now);
void td_group_update(const struct td_group *group);
bool td_group_point(const struct td_group *group, u64 most, struct td_counts *counts);
void td_group_fold(const struct td_group *group, struct td_counts *counts,
		   struct td_counts *delta);
void td_group_fold_general(const struct td_group *group, u64 *counts, u64 *delta);

/*
 * Do the events of the group count now?  Only the CPU itself, with interrupts off, changes
 * that.  While perf schedules other events, as around a fold of follow.c, the group may be
 * scheduled in and not be started, or be stopped with its counts up to date.
 */
static inline bool td_group_active(const struct td_group *group)
{
	lockdep_assert_irqs_disabled();
	return group->on && !(group->event[0]->hw.state & PERF_HES_STOPPED);
}

#endif /* TOPDOWN_GROUP_H */
