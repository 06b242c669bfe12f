/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock of all measurements.
 */
#ifndef TOPDOWN_CLI_CLOCK_H
#define TOPDOWN_CLI_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_S	1000000000ULL
#define NS_PER_MS	1000000ULL
#define DAY_NS		(24 * 3600 * NS_PER_S)

/* CLOCK_MONOTONIC. */
static inline uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* Convert a time of CLOCK_MONOTONIC, where it is @now_ns, to seconds since the epoch. */
static inline double clock_epoch_from(uint64_t at_ns, uint64_t now_ns)
{
	double ago_ns = (double)now_ns - at_ns;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec + (now.tv_nsec - ago_ns) / NS_PER_S;
}

static inline double clock_epoch(uint64_t at_ns)
{
	return clock_epoch_from(at_ns, clock_now_ns());
}

#endif /* TOPDOWN_CLI_CLOCK_H */
