// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Watches: sleep until a window closes, or a figure crosses a threshold.
 */
#include "internal.h"

#include <errno.h>
#include <poll.h>
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

TD_API int topdown_watch_wait(struct topdown *td, int timeout_ms,
			      struct topdown_event *out, size_t size)
{
	struct pollfd fd = { .fd = td->fd, .events = POLLIN };
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
	ret = poll(&fd, 1, timeout_ms < 0 ? -1 : timeout_ms);
	if (ret < 0)
		return -errno;
	if (!ret)
		return -EAGAIN;
	/* With POLLERR this says what is wrong, and does not wait. */
	len = read(td->fd, &event, sizeof(event));
	if (len < 0)
		return -errno;
	if (len < TD_EVENT_SIZE_MIN)
		return -EPROTO;
	td_copy_sized(out, size, &event, len);
	return 0;
}
