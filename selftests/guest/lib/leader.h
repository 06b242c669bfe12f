/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Leader sampling: a group of perf whose leader samples cycles, and whose siblings are the
 * events of the PMU topdown.
 */
#ifndef TOPDOWN_SELFTESTS_LEADER_H
#define TOPDOWN_SELFTESTS_LEADER_H

#include "perf.h"

/* The leader, and the events of the PMU topdown. */
#define LEADER_VALUES	(1 + PERF_EVENTS)

/* A sample with PERF_SAMPLE_IP and PERF_SAMPLE_READ of a group. */
struct leader_sample {
	struct perf_event_header header;
	uint64_t ip;
	uint64_t nr;
	uint64_t value[LEADER_VALUES];
};

struct ring {
	struct perf_event_mmap_page *page;
	size_t size;
	/* Records of another kind: lost samples, throttling. */
	uint64_t others;
};

bool ring_open(struct ring *ring, int fd);
void ring_close(struct ring *ring);
/* Drop what is there; the number of bytes. */
uint64_t ring_drop(struct ring *ring);
/* The next sample; false if there is none. */
bool ring_next(struct ring *ring, struct leader_sample *sample);

/*
 * Open a group, disabled; 0 or a negative errno.  @how has the period, and the modes that the
 * leader leaves out.
 */
int leader_open(int *fd, int pid, int cpu, const struct perf_event_attr *how);
/* The counts of now, also if the CPU has gone offline; 0 or a negative errno. */
int leader_read(const int *fd, uint64_t value[LEADER_VALUES]);
void leader_close(const int *fd);

/*
 * Let perf sample as often as it is asked to.  By default it takes fewer samples where these
 * take more than a quarter of the CPU, as on an emulated machine.  No rate can be written any
 * more before rates_limit().
 */
int rates_unlimit(void);
void rates_limit(void);

#endif /* TOPDOWN_SELFTESTS_LEADER_H */
