// SPDX-License-Identifier: GPL-2.0
/*
 * Watches of /dev/topdown, and their events.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "watch.h"

int watch_add(int fd, const __u64 *cpus, __u32 words, const struct topdown_watch *what)
{
	struct topdown_watch watch = *what;

	watch.size = sizeof(watch);
	watch.cpus = (uintptr_t)cpus;
	watch.cpus_words = words;
	if (!watch.event_size)
		watch.event_size = sizeof(struct topdown_event);
	return ioctl(fd, TOPDOWN_WATCH, &watch) ? -errno : (int)watch.out_watch;
}

int watch_remove(int fd, unsigned int number)
{
	struct topdown_watch watch = {
		.size	= sizeof(watch),
		.flags	= TOPDOWN_WATCH_REMOVE,
		.watch	= number,
	};

	return ioctl(fd, TOPDOWN_WATCH, &watch) ? -errno : 0;
}

int watch_set(int fd, const __u64 *cpus, __u32 words, __u32 node, __u32 ratio, __u32 flags,
	      __u32 hold_ms)
{
	const struct topdown_watch what = {
		.flags		= flags,
		.node		= node,
		.ratio		= ratio,
		.hold_ms	= hold_ms,
	};
	int number = watch_add(fd, cpus, words, &what);

	if (number <= 0)
		return number ? number : -EPROTO;
	/* None that is refused takes a number. */
	return number == 1 ? 0 : watch_remove(fd, number - 1);
}

int watch_any(int fd)
{
	return watch_set(fd, NULL, 0, TOPDOWN_WATCH_ANY, 0, 0, 0);
}

int watch_any_of(int fd, unsigned int cpu)
{
	__u64 cpus[TD_CPUS_MAX / 64] = { };

	cpus[cpu / 64] = 1ULL << (cpu % 64);
	return watch_set(fd, cpus, TD_CPUS_MAX / 64, TOPDOWN_WATCH_ANY, 0, 0, 0);
}

int watch_never(int fd)
{
	return watch_set(fd, NULL, 0, TOPDOWN_RETIRING, TOPDOWN_RATIO_ONE, 0, 0);
}

struct topdown_event event_take(int fd)
{
	struct topdown_event event = { };
	ssize_t size = read(fd, &event, sizeof(event));

	if (size != sizeof(event))
		event.count = 0;
	return event;
}

int event_ready(int fd, int timeout_ms)
{
	struct pollfd poller = { .fd = fd, .events = POLLIN };
	uint64_t begun = clock_ns(CLOCK_MONOTONIC);
	int ret = poll(&poller, 1, timeout_ms);

	if (ret < 0)
		return -errno;
	if (timeout_ms > 0 && poller.revents & POLLIN &&
	    clock_ns(CLOCK_MONOTONIC) - begun >= timeout_ms * 1000000ULL)
		return -ETIME;
	return poller.revents;
}

bool nonblocking(int fd)
{
	return !fcntl(fd, F_SETFL, O_NONBLOCK);
}
