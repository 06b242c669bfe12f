/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of the PMU topdown, as a perf user opens them.
 */
#ifndef TOPDOWN_SELFTESTS_PERF_H
#define TOPDOWN_SELFTESTS_PERF_H

#include <linux/perf_event.h>

#include "guest.h"

#define PERF_DEVICE	"/sys/bus/event_source/devices/topdown/"
/* attr.config: slots, and then the nodes. */
#define PERF_SLOTS	0
#define PERF_NODE(n)	((n) + 1)
/* Slots, and the nodes of which the emulator knows the truth. */
#define PERF_EVENTS	(1 + TRUTH_NODES)

/* All events of a user: one group. */
struct perf_user {
	int fd[PERF_EVENTS];
};

struct perf_values {
	uint64_t nr;
	uint64_t enabled;
	uint64_t running;
	uint64_t value[PERF_EVENTS];
};

/* perf's number of the PMU, or a negative errno. */
int perf_type(void);
/* @attr without type and size; a descriptor or a negative errno. */
int perf_open(const struct perf_event_attr *attr, int pid, int cpu, int group, unsigned long flags);
/* All events of a task, a CPU or a cgroup, disabled; 0 or a negative errno. */
int perf_user_open(struct perf_user *user, int pid, int cpu, unsigned long flags);
int perf_user_enable(const struct perf_user *user, bool enable);
int perf_user_read(const struct perf_user *user, struct perf_values *values);
void perf_user_close(struct perf_user *user);
/* @values minus @earlier */
void perf_values_sub(struct perf_values *values, const struct perf_values *earlier);
/*
 * NULL if the values are the truth to within @points percentage points of each node and
 * @share of the slots, and counted all the time; otherwise what is wrong.
 */
const char *perf_wrong(const struct perf_values *values, const struct td_bd_truth *truth,
		       double points, double share);

#endif /* TOPDOWN_SELFTESTS_PERF_H */
