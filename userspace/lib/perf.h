/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A perf group of SLOTS and the metrics events for the calling thread.
 */
#ifndef TOPDOWN_PERF_H
#define TOPDOWN_PERF_H

#include <linux/perf_event.h>

#include "metrics.h"
#include "backend.h"

/**
 * struct td_perf - the group
 * @nr: events in it: SLOTS and as many metrics as the CPU has
 * @fd: their descriptors, SLOTS first
 * @page: page of SLOTS
 * @page_size: size of @page
 */
struct td_perf {
	unsigned int nr;
	int fd[1 + TD_METRIC_NR];
	const struct perf_event_mmap_page *page;
	size_t page_size;
};

int td_perf_open(struct td_perf *perf, enum topdown_region_reason *reason);
void td_perf_close(struct td_perf *perf, bool child);
void td_perf_enable(const struct td_perf *perf);
/* -ENODATA if the group is in error because another user of perf has the counter. */
int td_perf_read(const struct td_perf *perf, struct td_point *point);

#endif /* TOPDOWN_PERF_H */
