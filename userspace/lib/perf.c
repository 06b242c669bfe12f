// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A perf group of SLOTS and the metrics events for the calling thread.
 *
 * The group is pinned: on a CPU that can count, it counts or is in error, and perf never
 * rotates it with other groups. So there is only one reason for time that was not measured.
 * On a hybrid machine the events belong to the P-cores, and the group waits on other cores.
 */
#include "perf.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TD_PMU_DIR		"/sys/bus/event_source/devices"
/* The Intel driver has these event files: "slots", and "topdown-retiring" and further ones. */
#define TD_CONFIG_SLOTS		0x0400
#define TD_CONFIG_METRIC(i)	(0x8000 + 0x100 * (i))

/* On a hybrid machine the PMU of the P-cores has another name. */
static bool td_perf_knows(const char *event)
{
	static const char * const pmus[] = { "cpu_core", "cpu" };
	char path[96];
	unsigned int i;

	for (i = 0; i < sizeof(pmus) / sizeof(pmus[0]); i++) {
		snprintf(path, sizeof(path), TD_PMU_DIR "/%s/events/%s", pmus[i], event);
		if (!access(path, F_OK))
			return true;
	}
	return false;
}

static int td_perf_open_event(struct td_perf *perf, uint64_t config)
{
	struct perf_event_attr attr = {
		/* On a hybrid machine the P-cores have this type too. */
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = config,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = !perf->nr,
		.pinned = !perf->nr,
		.exclude_guest = 1,
	};
	int fd;

	fd = syscall(SYS_perf_event_open, &attr, 0, -1, perf->nr ? perf->fd[0] : -1,
		     PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return -errno;
	perf->fd[perf->nr++] = fd;
	return 0;
}

static int td_perf_open_group(struct td_perf *perf)
{
	unsigned int metrics = td_perf_knows("topdown-heavy-ops") ? TD_METRIC_NR : TD_METRIC_L1;
	unsigned int i;
	int ret;

	ret = td_perf_open_event(perf, TD_CONFIG_SLOTS);
	for (i = 0; !ret && i < metrics; i++)
		ret = td_perf_open_event(perf, TD_CONFIG_METRIC(i));
	return ret;
}

static int td_perf_map(struct td_perf *perf)
{
	void *page;

	perf->page_size = sysconf(_SC_PAGESIZE);
	page = mmap(NULL, perf->page_size, PROT_READ, MAP_SHARED, perf->fd[0], 0);
	if (page == MAP_FAILED)
		return -errno;
	perf->page = page;
	return 0;
}

/* The reason for an errno of these system calls. */
static enum topdown_region_reason td_perf_reason(int error)
{
	switch (error) {
	case -EACCES:
		return TOPDOWN_REGION_NO_RIGHTS;
	case -ENOENT:
	case -ENODEV:
	case -EINVAL:
	case -EOPNOTSUPP:
		return TOPDOWN_REGION_NO_METRICS;
	default:
		return TOPDOWN_REGION_FAILED;
	}
}

int td_perf_open(struct td_perf *perf, enum topdown_region_reason *reason)
{
	int ret;

	/* On other machines the same numbers are other events. */
	*reason = TOPDOWN_REGION_NO_METRICS;
	if (!td_perf_knows("slots") || !td_perf_knows("topdown-retiring"))
		return -EOPNOTSUPP;
	ret = td_perf_open_group(perf);
	if (ret) {
		*reason = td_perf_reason(ret);
		if (*reason == TOPDOWN_REGION_NO_METRICS)
			ret = -EOPNOTSUPP;
		goto err_close;
	}
	*reason = TOPDOWN_REGION_FAILED;
	ret = td_perf_map(perf);
	if (ret)
		goto err_close;
	*reason = TOPDOWN_REGION_NO_RDPMC;
	ret = -EOPNOTSUPP;
	if (!perf->page->cap_user_rdpmc)
		goto err_close;
	td_perf_enable(perf);
	return 0;

err_close:
	td_perf_close(perf, false);
	return ret;
}

/* A forked child has the descriptors but not the page. It may have another page at this address. */
void td_perf_close(struct td_perf *perf, bool child)
{
	if (perf->page && !child)
		munmap((void *)perf->page, perf->page_size);
	while (perf->nr)
		close(perf->fd[--perf->nr]);
}

/* If this fails, the group only stays as it was. */
void td_perf_enable(const struct td_perf *perf)
{
	ioctl(perf->fd[0], PERF_EVENT_IOC_ENABLE, 0);
}

int td_perf_read(const struct td_perf *perf, struct td_point *point)
{
	struct {
		uint64_t nr;
		uint64_t enabled_ns;
		uint64_t running_ns;
		uint64_t count[1 + TD_METRIC_NR];
	} group;
	ssize_t size = (3 + perf->nr) * sizeof(uint64_t);
	ssize_t len;

	len = read(perf->fd[0], &group, sizeof(group));
	if (len < 0)
		return -errno;
	if (!len)
		return -ENODATA;
	if (len != size || group.nr != perf->nr)
		return -EPROTO;
	memset(point, 0, sizeof(*point));
	point->enabled_ns = group.enabled_ns;
	point->running_ns = group.running_ns;
	point->slots = group.count[0];
	memcpy(point->part, &group.count[1], (perf->nr - 1) * sizeof(uint64_t));
	return 0;
}
