// SPDX-License-Identifier: GPL-2.0
/*
 * What wakes those that wait for the stand-in for the device.
 */
#include "fake.h"

#include <dlfcn.h>
#include <poll.h>
#include <stdlib.h>

/* The device has an event exactly when it was told of one. */
static short fake_events(short asked)
{
	short events = setting("FAKE_WATCH_ERRNO", 0) ? POLLERR :
		       getenv("FAKE_EVENT") ? asked & POLLIN : 0;

	return events | (asked & POLLPRI && fake_sessions_tell() ? POLLPRI : 0);
}

/* With others the device, which is the last of them, is looked at again and again. */
static int poll_others(struct pollfd *fds, nfds_t nr, int timeout)
{
	int (*real)(struct pollfd *fds, nfds_t nr, int timeout) = dlsym(RTLD_NEXT, "poll");
	struct pollfd *device = &fds[nr - 1];
	int ready, nap;

	for (;;) {
		device->revents = fake_events(device->events);
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

	if (!fake_is_device(fds[nr - 1].fd))
		return real(fds, nr, timeout);
	if (nr > 1)
		return poll_others(fds, nr, timeout);
	fds->revents = fake_events(fds->events);
	return !!fds->revents;
}
