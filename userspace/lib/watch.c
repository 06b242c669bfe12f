// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Watches: sleep until a window closes, or a figure crosses a threshold.
 */
#include "internal.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

TD_API int topdown_watch_set(struct topdown *td, const uint64_t *cpus, unsigned int words,
			     uint32_t node, uint32_t ratio, unsigned int flags,
			     uint32_t hold_ms)
{
	struct topdown_watch arg = {
		.size = sizeof(arg),
		.flags = flags,
		.cpus = (uintptr_t)cpus,
		.cpus_words = words,
		.node = node,
		.ratio = ratio,
		.hold_ms = hold_ms,
	};
	int ret;

	ret = td_check_set(cpus, words);
	if (ret)
		return ret;
	if (!topdown_has(td, TOPDOWN_FEATURE_WATCH))
		return -EOPNOTSUPP;
	return td_ioctl(td, TOPDOWN_WATCH, &arg);
}

/* Made by who first waits or cancels, which may be two threads at once. */
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

/* In a handler of a signal too, whose program goes on with its errno. */
TD_API int topdown_watch_cancel(struct topdown *td)
{
	const uint64_t one = 1;
	int saved = errno;
	int fd = td_cancel_fd(td);
	int ret = fd < 0 ? fd : 0;

	/* That it is full already says the same. */
	if (fd >= 0 && write(fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		ret = -errno;
	errno = saved;
	return ret;
}

/* Until there is something to read: 0, or a negative errno. */
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

TD_API int topdown_watch_wait(struct topdown *td, int timeout_ms,
			      struct topdown_event *out, size_t size)
{
	struct topdown_event event;
	ssize_t len;
	int ret;

	if (size < TD_EVENT_SIZE_MIN)
		return -EINVAL;
	if (!topdown_has(td, TOPDOWN_FEATURE_WATCH))
		return -EOPNOTSUPP;

	/* On a descriptor with sessions poll() does not tell of it, and waits for ever. */
	if (!(td->info.out_flags & TOPDOWN_INFO_MAY_READ))
		return -EACCES;
	ret = td_sleep(td, timeout_ms);
	if (ret)
		return ret;
	/* With POLLERR this says what is wrong, and does not wait. */
	len = read(td->fd, &event, sizeof(event));
	if (len < 0)
		return -errno;
	if (len < TD_EVENT_SIZE_MIN)
		return -EPROTO;
	td_copy_sized(out, size, &event, len);
	return 0;
}
