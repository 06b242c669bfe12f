// SPDX-License-Identifier: GPL-2.0
/*
 * The commands of the stand-in for the kernel, with arguments of any size: it takes them
 * as kmod/interface/chardev.c does, so that a caller may know more of them than it, or less.
 */
#include "fake.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/topdown.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define ARGUMENT_MAX	4096

/* Kinds of descriptors. */
enum kind {
	OF_NOTHING,
	OF_DEVICE,
	OF_SESSION,
	OF_OWNERS,
	OF_LATENCY,
};

static enum kind kind_of(int fd)
{
	if (fake_is_device(fd))
		return OF_DEVICE;
	if (fake_session_of(fd) >= 0)
		return OF_SESSION;
	if (fake_is_latency(fd))
		return OF_LATENCY;
	return fake_is_owners(fd) ? OF_OWNERS : OF_NOTHING;
}

static const struct command {
	unsigned long request;
	size_t size;
	/* As first released. */
	size_t min;
	enum kind of;
	/* Each knows the type of its argument; some have the descriptor before it. */
	int (*execute)();
} commands[] = {
	{ TOPDOWN_INFO, sizeof(struct topdown_info), 288, OF_DEVICE, fake_info },
	{ TOPDOWN_READ, sizeof(struct topdown_read), 40, OF_DEVICE, fake_read },
	{ TOPDOWN_WATCH, sizeof(struct topdown_watch), 64, OF_DEVICE, fake_watch },
	{ TOPDOWN_ATTACH, sizeof(struct topdown_attach), 16, OF_DEVICE, fake_attach },
	{ TOPDOWN_SESSION, sizeof(struct topdown_session), FAKE_SESSION_SIZE_MIN, OF_SESSION,
	  fake_session },
	{ TOPDOWN_CONTROL, sizeof(struct topdown_control), 16, OF_SESSION, fake_control },
	{ TOPDOWN_OWNERS, sizeof(struct topdown_owners), 16, OF_DEVICE, fake_owners },
	{ TOPDOWN_OWNERS_READ, sizeof(struct topdown_owners_read), 56, OF_OWNERS,
	  fake_owners_read },
	{ TOPDOWN_LATENCY_START, sizeof(struct topdown_latency_start), 56, OF_LATENCY,
	  fake_latency_start },
	{ TOPDOWN_LATENCY_READ, sizeof(struct topdown_latency_read), 24, OF_LATENCY,
	  fake_latency_read },
};

static int execute(int fd, const struct command *command, unsigned char *user)
{
	/* Aligned as the structures want it. */
	uint64_t room[ARGUMENT_MAX / 8] = { 0 };
	unsigned char *arg = (unsigned char *)room;
	uint32_t size;
	size_t i;
	int ret;

	memcpy(&size, user, sizeof(size));
	if (size < command->min)
		return refuse(EINVAL);
	if (size > ARGUMENT_MAX)
		return refuse(E2BIG);
	for (i = command->size; i < size; i++) {
		if (user[i])
			return refuse(E2BIG);
	}
	if (size > command->size)
		size = command->size;
	memcpy(arg, user, size);
	errno = 0;
	if (command->of == OF_DEVICE || command->of == OF_OWNERS)
		ret = command->execute(arg);
	else
		ret = command->execute(fd, arg);
	if (ret >= 0 || errno == EMSGSIZE)
		memcpy(user, arg, size);
	return ret;
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*real)(int fd, unsigned long request, ...) = dlsym(RTLD_NEXT, "ioctl");
	static bool interrupted[3];
	va_list args;
	enum kind kind = kind_of(fd);
	size_t i;
	void *arg;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	if (kind == OF_NOTHING)
		return real(fd, request, arg);

	if (getenv("FAKE_EINTR") && _IOC_NR(request) < 3 && !interrupted[_IOC_NR(request)]) {
		interrupted[_IOC_NR(request)] = true;
		return refuse(EINTR);
	}
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (commands[i].request == request && commands[i].of == kind)
			return execute(fd, &commands[i], arg);
	}
	return refuse(ENOTTY);
}
