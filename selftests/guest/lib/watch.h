/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Watches of /dev/topdown, and their events.
 */
#ifndef TOPDOWN_SELFTESTS_WATCH_H
#define TOPDOWN_SELFTESTS_WATCH_H

#include "map.h"

/* @cpus NULL: all.  The number of the watch, or a negative errno. */
int watch_add(int fd, const __u64 *cpus, __u32 words, const struct topdown_watch *what);
int watch_remove(int fd, unsigned int number);
/* Add a watch in place of the last one of this function; 0 or a negative errno. */
int watch_set(int fd, const __u64 *cpus, __u32 words, __u32 node, __u32 ratio, __u32 flags,
	      __u32 hold_ms);
/* As watch_set(): every window, every window of one CPU, and a threshold that no ratio is above. */
int watch_any(int fd);
int watch_any_of(int fd, unsigned int cpu);
int watch_never(int fd);

/* The next event; its count is 0, and errno says why, if there is none. */
struct topdown_event event_take(int fd);
/* The events of poll(), or -ETIME if nobody woke us: at its end poll() looks once more. */
int event_ready(int fd, int timeout_ms);
bool nonblocking(int fd);

#endif /* TOPDOWN_SELFTESTS_WATCH_H */
