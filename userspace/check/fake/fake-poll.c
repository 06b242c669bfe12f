// SPDX-License-Identifier: GPL-2.0
/*
 * The watches of the stand-in for the device, and what wakes those that wait for it.
 */
#include "fake.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#define WATCHES_MAX	256
/* As first released. */
#define EVENT_SIZE_MIN	32

static bool watched[1 + WATCHES_MAX];
static uint32_t last_watch;
static uint32_t event_size = EVENT_SIZE_MIN;
/* Reads at which another who has the descriptor was faster. */
static long taken;

static unsigned int count_watches(void)
{
	unsigned int i, nr = 0;

	for (i = 1; i <= WATCHES_MAX; i++)
		nr += watched[i];
	return nr;
}

void fake_watches_begin(void)
{
	memset(watched, 0, sizeof(watched));
	last_watch = 0;
	event_size = EVENT_SIZE_MIN;
	taken = 0;
}

static int remove_watch(const struct topdown_watch *arg)
{
	if (arg->flags != TOPDOWN_WATCH_REMOVE || arg->node || arg->event_size)
		return refuse(EINVAL);
	if (!arg->watch) {
		memset(watched, 0, sizeof(watched));
		return 0;
	}
	if (arg->watch > WATCHES_MAX || !watched[arg->watch])
		return refuse(ENOENT);
	watched[arg->watch] = false;
	return 0;
}

static void take_down(const struct topdown_watch *arg)
{
	const char *name = getenv("FAKE_LOG");
	FILE *file = name ? fopen(name, "ae") : NULL;

	if (!file)
		return;
	fprintf(file, "watch %u %u 0x%x %u %llu\n", arg->node, arg->ratio, arg->flags,
		arg->hold_ms, (unsigned long long)arg->min_slots);
	fclose(file);
}

int fake_watch(struct topdown_watch *arg)
{
	if (setting("FAKE_WATCH_ERRNO", 0))
		return refuse(setting("FAKE_WATCH_ERRNO", 0));
	if (arg->flags & ~TD_WATCH_FLAGS)
		return refuse(EOPNOTSUPP);
	if (arg->out_watch || arg->__reserved[0] || arg->__reserved[1] || arg->__reserved[2])
		return refuse(EINVAL);
	if (arg->flags & TOPDOWN_WATCH_REMOVE)
		return remove_watch(arg);
	if (arg->watch || arg->ratio > TOPDOWN_RATIO_ONE || arg->hold_ms > 3600000 ||
	    arg->event_size < EVENT_SIZE_MIN)
		return refuse(EINVAL);
	if (last_watch && arg->event_size != event_size)
		return refuse(EINVAL);
	if (arg->node == TOPDOWN_WATCH_ANY && (arg->ratio || arg->flags || arg->hold_ms))
		return refuse(EINVAL);
	if (arg->node != TOPDOWN_WATCH_ANY && arg->node >= TD_NR_NODES)
		return refuse(EOPNOTSUPP);
	if (last_watch == WATCHES_MAX)
		return refuse(ENOSPC);
	take_down(arg);
	event_size = arg->event_size;
	arg->out_watch = ++last_watch;
	watched[last_watch] = true;
	return 0;
}

/* The device has an event exactly when FAKE_EVENT is set and it has a watch. */
static bool has_event(void)
{
	return getenv("FAKE_EVENT") && count_watches();
}

/* Give one event of the last watch, or FAKE_EVENTS, cut or padded to the size asked for. */
ssize_t fake_event(void *to, size_t size, bool wait)
{
	struct topdown_event event = {
		.watch = last_watch,
		.cpu = setting("FAKE_EVENT", 0),
		.flags = setting("FAKE_EVENT_FLAGS", 0),
		.ratio = getenv("FAKE_EVENT_NONE") ? TOPDOWN_RATIO_NONE : 250000000,
		.count = 3,
		.time_ns = 77,
	};
	size_t known = event_size < sizeof(event) ? event_size : sizeof(event), done = 0;
	long left = setting("FAKE_EVENTS", 1);

	if (setting("FAKE_WATCH_ERRNO", 0))
		return refuse(setting("FAKE_WATCH_ERRNO", 0));
	if (size < event_size)
		return refuse(EINVAL);
	/* A real one would wait for ever. */
	if (!has_event() || taken < setting("FAKE_EVENT_TAKEN", 0)) {
		taken++;
		return refuse(wait ? EDEADLK : EAGAIN);
	}
	FAKE_GROWN(&event);
	for (; left && size - done >= event_size; left--, done += event_size) {
		memcpy((char *)to + done, &event, known);
		event.time_ns++;
		memset((char *)to + done + known, 0, event_size - known);
	}
	return done;
}

/* The file that tells of the ends of sessions; -1 for none. */
static int epoll_fd = -1;

int epoll_ctl(int epoll, int what, int fd, struct epoll_event *event)
{
	int (*real)(int epoll, int what, int fd, struct epoll_event *event) =
		dlsym(RTLD_NEXT, "epoll_ctl");

	if (fake_session_of(fd) < 0)
		return real(epoll, what, fd, event);
	epoll_fd = epoll;
	fake_session_await(fd);
	return 0;
}

int epoll_wait(int epoll, struct epoll_event *events, int nr, int timeout)
{
	int (*real)(int epoll, struct epoll_event *events, int nr, int timeout) =
		dlsym(RTLD_NEXT, "epoll_wait");

	if (epoll != epoll_fd)
		return real(epoll, events, nr, timeout);
	return fake_sessions_tell(true);
}

static bool is_ours(int fd)
{
	return fake_is_device(fd) || (fd >= 0 && fd == epoll_fd);
}

static short fake_events(const struct pollfd *file)
{
	if (!fake_is_device(file->fd))
		return fake_sessions_tell(false) ? file->events & POLLIN : 0;
	if (setting("FAKE_WATCH_ERRNO", 0))
		return POLLERR;
	return has_event() ? file->events & POLLIN : 0;
}

/* Poll several files, of which ours is the last.  Look at it again and again. */
static int poll_others(struct pollfd *fds, nfds_t nr, int timeout)
{
	int (*real)(struct pollfd *fds, nfds_t nr, int timeout) = dlsym(RTLD_NEXT, "poll");
	struct pollfd *device = &fds[nr - 1];
	int ready, nap;

	for (;;) {
		device->revents = fake_events(device);
		nap = device->revents ? 0 : timeout < 0 || timeout > 20 ? 20 : timeout;
		ready = real(fds, nr - 1, nap);
		if (ready || device->revents)
			return ready < 0 ? ready : ready + !!device->revents;
		if (timeout == nap)
			return 0;
		if (timeout > 0)
			timeout -= nap;
	}
}

int poll(struct pollfd *fds, nfds_t nr, int timeout)
{
	int (*real)(struct pollfd *fds, nfds_t nr, int timeout) = dlsym(RTLD_NEXT, "poll");

	if (!is_ours(fds[nr - 1].fd))
		return real(fds, nr, timeout);
	if (nr > 1)
		return poll_others(fds, nr, timeout);
	fds->revents = fake_events(fds);
	return !!fds->revents;
}

int ppoll(struct pollfd *fds, nfds_t nr, const struct timespec *timeout, const sigset_t *mask)
{
	int (*real)(struct pollfd *fds, nfds_t nr, const struct timespec *timeout,
		    const sigset_t *mask) = dlsym(RTLD_NEXT, "ppoll");

	if (!is_ours(fds[nr - 1].fd))
		return real(fds, nr, timeout, mask);
	/* Never early. */
	return poll(fds, nr, timeout ? timeout->tv_sec * 1000 +
		    (timeout->tv_nsec + 999999) / 1000000 : -1);
}
