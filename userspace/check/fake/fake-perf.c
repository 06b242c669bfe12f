// SPDX-License-Identifier: GPL-2.0
/*
 * perf's side for tests of regions on any machine: a group that counts one step at
 * each read, and whose page says that it runs nowhere, so that nobody reads a
 * register.
 *
 *   FAKE_PERF        the kernel has the events: 1 those of level 1, 2 of level 2 too
 *   FAKE_PERF_ERRNO  of perf_event_open
 *   FAKE_PERF_LAST   events that can be opened before it fails with EMFILE
 *   FAKE_PERF_MMAP   errno of mmap
 *   FAKE_PERF_DENIED user mode may not read counters
 *   FAKE_PERF_ERROR  the group is in error, as somebody has the counter
 *   FAKE_PERF_BAD    the read gives one word too few
 */
#include "fake.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PMU_EVENTS	"/sys/bus/event_source/devices/cpu/events/"
#define PMUS		"/sys/bus/event_source/devices/"
#define PMU_TOPDOWN	PMUS "topdown"
#define EVENTS_MAX	9

/* The slots of a step, and the shares of the eight fields in parts of 255. */
#define STEP_SLOTS	2550000
#define STEP_NS		1000

static const unsigned char share[EVENTS_MAX - 1] = { 51, 51, 51, 102, 20, 30, 40, 50 };

static int leader = -1;
static unsigned int events;
static uint64_t steps;

int access(const char *path, int mode)
{
	int (*real)(const char *path, int mode) = dlsym(RTLD_NEXT, "access");
	const char *pmus = getenv("FAKE_PMUS");
	long level = setting("FAKE_PERF", 0);
	char other[PATH_MAX];

	if (pmus && !strncmp(path, PMU_TOPDOWN, strlen(PMU_TOPDOWN))) {
		snprintf(other, sizeof(other), "%s/%s", pmus, path + strlen(PMUS));
		return real(other, mode);
	}
	if (strncmp(path, PMU_EVENTS, strlen(PMU_EVENTS)))
		return real(path, mode);
	if (level > (strcmp(path, PMU_EVENTS "topdown-heavy-ops") ? 0 : 1))
		return 0;
	return refuse(ENOENT);
}

static long fake_perf_open(const struct perf_event_attr *attr, int group)
{
	unsigned int metric = (attr->config - 0x8000) / 0x100;

	if (setting("FAKE_PERF_ERRNO", 0))
		return refuse(setting("FAKE_PERF_ERRNO", 0));
	if (group < 0) {
		if (attr->config != 0x0400 || !attr->pinned || !attr->disabled)
			return refuse(EINVAL);
		events = 0;
		steps = 0;
	} else if (group != leader || attr->config & 0xff || metric != events - 1 ||
		   attr->pinned || attr->disabled) {
		return refuse(EINVAL);
	}
	if (events == setting("FAKE_PERF_LAST", EVENTS_MAX))
		return refuse(EMFILE);
	group = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (!events++)
		leader = group;
	return group;
}

/* Interposed where the library asks for a new event. */
long syscall(long number, ...)
{
	long (*real)(long number, ...) = dlsym(RTLD_NEXT, "syscall");
	long argument[6];
	va_list args;
	unsigned int i;

	va_start(args, number);
	for (i = 0; i < 6; i++)
		argument[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_perf_event_open && setting("FAKE_PERF", 0))
		return fake_perf_open((void *)argument[0], (int)argument[3]);
	return real(number, argument[0], argument[1], argument[2], argument[3], argument[4],
		    argument[5]);
}

bool fake_is_perf(int fd)
{
	return fd >= 0 && fd == leader;
}

void fake_perf_closed(int fd)
{
	if (fake_is_perf(fd))
		leader = -1;
}

void *fake_perf_map(size_t size)
{
	struct perf_event_mmap_page *page;

	errno = setting("FAKE_PERF_MMAP", 0);
	if (errno)
		return MAP_FAILED;
	page = (void *)syscall(SYS_mmap, 0L, size, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	page->cap_user_rdpmc = !getenv("FAKE_PERF_DENIED");
	return page;
}

ssize_t fake_perf_read(void *to, size_t size)
{
	uint64_t group[3 + EVENTS_MAX];
	size_t length = (3 + events) * sizeof(group[0]);
	unsigned int i;

	if (getenv("FAKE_PERF_ERROR"))
		return 0;
	if (size < length)
		return refuse(ENOSPC);
	steps++;
	group[0] = events;
	group[1] = steps * STEP_NS;
	group[2] = group[1] * setting("FAKE_SHARE", 100) / 100;
	group[3] = steps * STEP_SLOTS;
	for (i = 1; i < events; i++)
		group[3 + i] = group[3] / 255 * share[i - 1];
	memcpy(to, group, length);
	return getenv("FAKE_PERF_BAD") ? length - sizeof(group[0]) : length;
}
