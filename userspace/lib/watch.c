// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Watches: sleep until a window closes, or a node crosses a threshold.
 */
#include "internal.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

/* A module gives no larger watch event. */
#define TD_EVENT_SIZE_MAX	4096

#define TD_NS_PER_MS		1000000

/* Fields that the library sets, and fields that it does not know, must be 0. */
static int td_check_watch(const struct topdown_watch *what)
{
	const unsigned char *byte = (const unsigned char *)what;
	uint32_t i;

	if (what->size < TD_WATCH_SIZE_MIN)
		return -EINVAL;
	for (i = sizeof(*what); i < what->size; i++) {
		if (byte[i])
			return -E2BIG;
	}
	if (what->cpus || what->cpus_words || what->watch || what->event_size ||
	    what->out_watch || what->flags & TOPDOWN_WATCH_REMOVE)
		return -EINVAL;
	return 0;
}

TD_API int topdown_watch_add(struct topdown *td, const uint64_t *cpus, unsigned int words,
			     const struct topdown_watch *what, uint32_t *watch)
{
	struct topdown_watch arg;
	int ret;

	ret = td_check_set(cpus, words);
	if (!ret)
		ret = td_check_watch(what);
	if (ret)
		return ret;
	if (!topdown_has(td, TOPDOWN_FEATURE_WATCH))
		return -EOPNOTSUPP;
	td_copy_sized(&arg, sizeof(arg), what, what->size);
	arg.size = sizeof(arg);
	arg.cpus = (uintptr_t)cpus;
	arg.cpus_words = words;
	arg.event_size = td->event_size ? td->event_size : sizeof(struct topdown_event);
	ret = td_ioctl(td, TOPDOWN_WATCH, &arg);
	if (ret)
		return ret;
	if (!arg.out_watch)
		return -EPROTO;
	td->event_size = arg.event_size;
	*watch = arg.out_watch;
	return 0;
}

TD_API int topdown_watch_remove(struct topdown *td, uint32_t watch)
{
	struct topdown_watch arg = {
		.size = sizeof(arg),
		.flags = TOPDOWN_WATCH_REMOVE,
		.watch = watch,
	};

	if (!topdown_has(td, TOPDOWN_FEATURE_WATCH))
		return -EOPNOTSUPP;
	return td_ioctl(td, TOPDOWN_WATCH, &arg);
}

/* The first wait or cancel makes the eventfd. Two threads may do that at once. */
static int td_cancel_fd(struct topdown *td)
{
	int fd = __atomic_load_n(&td->cancel_fd, __ATOMIC_ACQUIRE);
	int mine;

	if (fd >= 0)
		return fd;
	mine = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (mine < 0)
		return -errno;
	if (__atomic_compare_exchange_n(&td->cancel_fd, &fd, mine, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return mine;
	close(mine);
	return fd;
}

/* A signal handler may call this, so errno must not change. */
TD_API int topdown_watch_cancel(struct topdown *td)
{
	const uint64_t one = 1;
	int saved = errno;
	int fd = td_cancel_fd(td);
	int ret = fd < 0 ? fd : 0;

	/* A full eventfd already says the same. */
	if (fd >= 0 && write(fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		ret = -errno;
	errno = saved;
	return ret;
}

/* Sleep until there is something to read: 0, or a negative errno. */
static int td_sleep(struct topdown *td, int timeout_ms)
{
	struct pollfd fds[] = {
		{ .fd = -1, .events = POLLIN },
		{ .fd = td->fd, .events = POLLIN },
	};
	uint64_t cancelled;
	int ret;

	if (timeout_ms) {
		fds[0].fd = td_cancel_fd(td);
		if (fds[0].fd < 0)
			return fds[0].fd;
	}
	ret = poll(fds, 2, timeout_ms < 0 ? -1 : timeout_ms);
	if (ret < 0)
		return -errno;
	if (!fds[0].revents)
		return ret ? 0 : -EAGAIN;
	return read(fds[0].fd, &cancelled, sizeof(cancelled)) < 0 ? -errno : -ECANCELED;
}

/* Read without waiting, whatever the flags of the descriptor are: others may share it. */
static ssize_t td_read_now(const struct topdown *td, void *room, size_t size)
{
	struct iovec iov = { .iov_base = room, .iov_len = size };

	return preadv2(td->fd, &iov, 1, -1, RWF_NOWAIT);
}

/*
 * Read one watch event: its size, or a negative errno. If the descriptor was handed on, the
 * program that made its first watch has chosen the size, and no command returns that size.
 * So try powers of two: the first one that has room for one event has no room for two.
 */
static ssize_t td_read_event(struct topdown *td, unsigned char room[TD_EVENT_SIZE_MAX])
{
	size_t size = td->event_size ? td->event_size : TD_EVENT_SIZE_MIN;
	ssize_t len = td_read_now(td, room, size);

	while (len < 0 && errno == EINVAL && !td->event_size && size < TD_EVENT_SIZE_MAX) {
		size *= 2;
		len = td_read_now(td, room, size);
	}
	if (len < 0)
		return -errno;
	if ((size_t)len < TD_EVENT_SIZE_MIN || (td->event_size && (size_t)len != size))
		return -EPROTO;
	td->event_size = len;
	return len;
}

/* Wait until there is a watch event that no other holder of the descriptor has read. */
static ssize_t td_wait_event(struct topdown *td, int timeout_ms,
			     unsigned char room[TD_EVENT_SIZE_MAX])
{
	uint64_t end = td_clock_ns(CLOCK_MONOTONIC) + (uint64_t)(timeout_ms > 0 ? timeout_ms : 0) *
							      TD_NS_PER_MS;
	uint64_t now;
	ssize_t len;
	int ret;

	for (;;) {
		ret = td_sleep(td, timeout_ms);
		if (ret)
			return ret;
		/* With POLLERR this read returns the error. */
		len = td_read_event(td, room);
		if (len != -EAGAIN)
			return len;
		now = td_clock_ns(CLOCK_MONOTONIC);
		if (timeout_ms >= 0 && now >= end)
			return -EAGAIN;
		if (timeout_ms > 0)
			timeout_ms = (end - now + TD_NS_PER_MS - 1) / TD_NS_PER_MS;
	}
}

/*
 * Read up to @nr watch events of the known size that are there now. Returns their number, 0
 * on any error.
 */
static unsigned int td_read_events(const struct topdown *td, unsigned int nr,
				   unsigned char room[TD_EVENT_SIZE_MAX])
{
	unsigned int fit = TD_EVENT_SIZE_MAX / td->event_size;
	ssize_t len = td_read_now(td, room, (nr < fit ? nr : fit) * td->event_size);

	return len < 0 ? 0 : len / td->event_size;
}

TD_API int topdown_watch_read(struct topdown *td, int timeout_ms, struct topdown_event *out,
			      unsigned int *nr, size_t size)
{
	unsigned char room[TD_EVENT_SIZE_MAX];
	unsigned int done = 1, more, i;
	ssize_t len;

	if (!*nr || size < TD_EVENT_SIZE_MIN)
		return -EINVAL;
	if (!topdown_has(td, TOPDOWN_FEATURE_WATCH))
		return -EOPNOTSUPP;

	/*
	 * On a descriptor with sessions poll() does not report this error, and would wait
	 * for ever.
	 */
	if (!(td->info.out_flags & TOPDOWN_INFO_MAY_READ))
		return -EACCES;
	len = td_wait_event(td, timeout_ms, room);
	if (len < 0)
		return len;
	td_copy_sized(out, size, room, len);
	while (done < *nr) {
		more = td_read_events(td, *nr - done, room);
		for (i = 0; i < more; i++)
			td_copy_sized((char *)out + (done + i) * size, size,
				      room + i * td->event_size, td->event_size);
		done += more;
		if (!more)
			break;
	}
	*nr = done;
	return 0;
}

TD_API int topdown_watch_wait(struct topdown *td, int timeout_ms,
			      struct topdown_event *out, size_t size)
{
	unsigned int nr = 1;

	return topdown_watch_read(td, timeout_ms, out, &nr, size);
}
