// SPDX-License-Identifier: GPL-2.0
/*
 * Groups of perf's, as its users have them.
 */
#include "perf-group.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "formula.h"

#define PMUS			"/sys/bus/event_source/devices/"
#define CONFIG_SLOTS		0x0400
#define CONFIG_METRIC(n)	(0x8000 + ((n) << 8))

static bool read_line(const char *path, char *text, int size)
{
	FILE *file = fopen(path, "re");
	bool there;

	if (!file)
		return false;
	there = fgets(text, size, file);
	fclose(file);
	return there;
}

/* Is @cpu in a list such as 8-11,14? */
static bool in_list(const char *list, unsigned int cpu)
{
	unsigned long first, last;
	char *end;

	while (*list >= '0' && *list <= '9') {
		first = strtoul(list, &end, 10);
		last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
		if (cpu >= first && cpu <= last)
			return true;
		list = *end == ',' ? end + 1 : end;
	}
	return false;
}

/**
 * perf_group_type - the type of raw events of a CPU
 * @cpu: the CPU
 *
 * On hybrid machines PERF_TYPE_RAW is that of P-cores, and E-cores have a PMU of their
 * own, or two where some of them are far from the last cache (Linux, intel_pmu_init()).
 *
 * Return: for perf_event_attr.type.
 */
unsigned int perf_group_type(unsigned int cpu)
{
	static const char *const pmus[] = { "cpu_atom", "cpu_lowpower" };
	char path[96], text[256];
	unsigned int i;

	for (i = 0; i < sizeof(pmus) / sizeof(pmus[0]); i++) {
		snprintf(path, sizeof(path), PMUS "%s/cpus", pmus[i]);
		if (!read_line(path, text, sizeof(text)) || !in_list(text, cpu))
			continue;
		snprintf(path, sizeof(path), PMUS "%s/type", pmus[i]);
		if (read_line(path, text, sizeof(text)))
			return strtoul(text, NULL, 10);
	}
	return PERF_TYPE_RAW;
}

static int event_open(unsigned int type, uint64_t config, pid_t pid, int cpu, int leader)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.disabled = leader < 0,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return syscall(SYS_perf_event_open, &attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

/**
 * perf_group_close - close a group
 * @group: a group that was opened, or an empty one
 *
 * errno stays.
 */
void perf_group_close(struct perf_group *group)
{
	int error = errno;

	while (group->nr)
		close(group->fd[--group->nr]);
	errno = error;
}

/**
 * perf_group_open - open a group, and enable it
 * @group: written; for perf_group_close()
 * @type: as perf_group_type() has it
 * @config: raw configs, of which the first is the leader
 * @nr: number of @config, 1 to GROUP_EVENTS_MAX
 * @pid: task; -1 for all of @cpu
 * @cpu: CPU; -1 for all of @pid
 *
 * Return: whether perf takes it; if not, errno says why.
 */
bool perf_group_open(struct perf_group *group, unsigned int type, const uint64_t *config,
		     unsigned int nr, pid_t pid, int cpu)
{
	int fd;

	group->nr = 0;
	do {
		fd = event_open(type, config[group->nr], pid, cpu,
				group->nr ? group->fd[0] : -1);
		if (fd < 0) {
			perf_group_close(group);
			return false;
		}
		group->fd[group->nr++] = fd;
	} while (group->nr < nr);
	if (!ioctl(group->fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP))
		return true;
	perf_group_close(group);
	return false;
}

/**
 * perf_group_metrics - open the group of level 1 by PERF_METRICS
 * @group: written: SLOTS, then a node each
 * @pid: as perf_group_open() has it
 * @cpu: as perf_group_open() has it
 *
 * Return: whether perf takes it; if not, errno says why.
 */
bool perf_group_metrics(struct perf_group *group, pid_t pid, int cpu)
{
	uint64_t config[1 + TD_NR_PARENTS] = { CONFIG_SLOTS };
	unsigned int i;

	for (i = 0; i < TD_NR_PARENTS; i++)
		config[1 + i] = CONFIG_METRIC(i);
	return perf_group_open(group, PERF_TYPE_RAW, config, 1 + TD_NR_PARENTS, pid, cpu);
}

/**
 * perf_group_read - counts of a group
 * @group: a group that is open
 * @count: written: one of each event
 *
 * Return: false if the group has not counted.
 */
bool perf_group_read(const struct perf_group *group, uint64_t *count)
{
	uint64_t values[3];
	unsigned int i;

	for (i = 0; i < group->nr; i++) {
		if (read(group->fd[i], values, sizeof(values)) != sizeof(values) || !values[2])
			return false;
		count[i] = values[0];
	}
	return true;
}
