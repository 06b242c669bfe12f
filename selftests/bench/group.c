// SPDX-License-Identifier: GPL-2.0
/*
 * The least that perf's own interface allows: one group for each CPU or task, read
 * by one read() of its leader.
 */
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench.h"
#include "perf.h"

#define EVENT_SLOTS	0x0400
#define EVENT_METRIC(n)	(0x8000 + ((n) << 8))

static int open_group(int pid, int cpu, unsigned int events)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_RAW,
		.size		= sizeof(attr),
		.read_format	= PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
				  PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	unsigned int i;
	int leader, fd;

	attr.config = EVENT_SLOTS;
	leader = syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (leader < 0)
		return -1;
	for (i = 0; i < events - 1; i++) {
		attr.config = EVENT_METRIC(i);
		fd = syscall(SYS_perf_event_open, &attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
		if (fd < 0)
			return -1;
	}
	return leader;
}

int group_open(unsigned int cpu)
{
	return open_group(-1, cpu, GROUP_EVENTS);
}

int group_open_task(int pid, unsigned int events)
{
	return open_group(pid, -1, events);
}

int door_open_task(int pid, unsigned int events)
{
	struct perf_event_attr attr = { .exclude_guest = 1 };
	unsigned int i;
	int leader = -1, fd;

	for (i = 0; i < events; i++) {
		attr.config = i;
		fd = perf_open(&attr, pid, -1, leader, 0);
		if (fd < 0)
			return -1;
		if (!i)
			leader = fd;
	}
	return leader;
}

bool group_read(int fd, struct group_values *values)
{
	return read(fd, values, sizeof(*values)) == sizeof(*values);
}
