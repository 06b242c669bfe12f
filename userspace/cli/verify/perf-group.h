/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Groups of perf's, as its users have them.
 */
#ifndef TOPDOWN_CLI_PERF_GROUP_H
#define TOPDOWN_CLI_PERF_GROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define GROUP_EVENTS_MAX	8

/* The leader first. */
struct perf_group {
	int fd[GROUP_EVENTS_MAX];
	unsigned int nr;
};

bool perf_group_open(struct perf_group *group, unsigned int type, const uint64_t *config,
		     unsigned int nr, pid_t pid, int cpu);
bool perf_group_read(const struct perf_group *group, uint64_t *count);
void perf_group_close(struct perf_group *group);
bool perf_group_metrics(struct perf_group *group, pid_t pid, int cpu);
unsigned int perf_group_type(unsigned int cpu);

#endif /* TOPDOWN_CLI_PERF_GROUP_H */
