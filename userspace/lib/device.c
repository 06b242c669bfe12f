// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The handle: a descriptor of the device, and the answer of INFO.
 */
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#ifndef TOPDOWN_VERSION
#error "TOPDOWN_VERSION comes from the Makefile"
#endif

/* The module registers this name, which is also the name of its sysfs directory. */
#define TD_DEVICE_NAME	"topdown"

TD_API const char *topdown_version(void)
{
	return TOPDOWN_VERSION;
}

uint64_t td_clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int td_ioctl_fd(int fd, unsigned long request, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, request, arg);
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : ret;
}

int td_ioctl(const struct topdown *td, unsigned long request, void *arg)
{
	int ret = td_ioctl_fd(td->fd, request, arg);

	/* The ABI has no other answer, so this is not our device. */
	return ret > 0 ? -EPROTO : ret;
}

/*
 * Opening a node, and even more an ioctl on it, can have effects on a foreign device. So
 * ask sysfs which driver the node has. Without sysfs only the INFO command can tell.
 */
static int td_check_node(const struct stat *st, const char *name)
{
	char link[64], target[PATH_MAX];
	const char *found;
	ssize_t len;

	if (!S_ISCHR(st->st_mode))
		return -ENOTTY;

	snprintf(link, sizeof(link), "/sys/dev/char/%u:%u", major(st->st_rdev),
		 minor(st->st_rdev));
	len = readlink(link, target, sizeof(target) - 1);
	if (len < 0)
		return access("/sys/dev/char", F_OK) ? 0 : -ENODEV;
	target[len] = '\0';
	found = strrchr(target, '/');
	if (!found || strcmp(found + 1, name))
		return -ENODEV;
	return 0;
}

/* Open the device @path if it has the driver @name.  Return: a descriptor, or a negative errno. */
int td_open_node(const char *path, const char *name)
{
	struct stat before, after;
	int fd, ret;

	if (stat(path, &before))
		return -errno;
	ret = td_check_node(&before, name);
	if (ret)
		return ret;

	/* Without the right to write it is good for reading.  A unit's DeviceAllow= says EPERM. */
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0 && (errno == EACCES || errno == EPERM))
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* The name may mean another node since the check. */
	if (fstat(fd, &after))
		ret = -errno;
	else if (!S_ISCHR(after.st_mode) || after.st_rdev != before.st_rdev)
		ret = -ENODEV;
	if (ret) {
		close(fd);
		return ret;
	}
	return fd;
}

TD_API int topdown_info_update(struct topdown *td)
{
	struct topdown_info info = { .size = sizeof(info) };
	int ret;

	ret = td_ioctl(td, TOPDOWN_INFO, &info);
	if (ret)
		return ret;
	if (!info.out_nr_cpus || info.out_nr_cpus > TOPDOWN_CPUS_WORDS_MAX * 64)
		return -EPROTO;
	/* The kernel terminates these strings. Nobody prints a string without an end. */
	info.out_cpu_vendor[sizeof(info.out_cpu_vendor) - 1] = '\0';
	info.out_cpu_name[sizeof(info.out_cpu_name) - 1] = '\0';
	info.out_codename[sizeof(info.out_codename) - 1] = '\0';
	info.out_version[sizeof(info.out_version) - 1] = '\0';
	td->info = info;
	return 0;
}

static void td_free(struct topdown *td)
{
	free(td->path);
	free(td);
}

/* Make a handle for a node that was checked. After an error @fd stays open. */
static int td_create(struct topdown **out, int fd, const char *path)
{
	struct topdown *td;
	int ret;

	td = calloc(1, sizeof(*td));
	if (!td)
		return -ENOMEM;
	td->fd = fd;
	td->cancel_fd = -1;
	if (path)
		td->path = strdup(path);
	ret = path && !td->path ? -ENOMEM : topdown_info_update(td);
	if (ret) {
		td_free(td);
		/* Every module knows INFO, so this is another driver. */
		return ret == -ENOTTY ? -ENODEV : ret;
	}
	*out = td;
	return 0;
}

TD_API int topdown_open(struct topdown **out, const char *path)
{
	int fd, ret;

	fd = td_open_node(path ? path : TOPDOWN_DEVICE, TD_DEVICE_NAME);
	if (fd < 0)
		return fd;
	ret = td_create(out, fd, path);
	if (ret)
		close(fd);
	return ret;
}

TD_API int topdown_open_fd(struct topdown **out, int fd)
{
	struct topdown *td;
	struct stat st;
	int ret;

	if (fstat(fd, &st))
		return -errno;
	ret = td_check_node(&st, TD_DEVICE_NAME);
	if (ret)
		return ret;
	ret = td_create(&td, fd, NULL);
	if (ret)
		return ret;
	if (fcntl(fd, F_SETFD, FD_CLOEXEC)) {
		ret = -errno;
		td_free(td);
		return ret;
	}
	*out = td;
	return 0;
}

TD_API void topdown_close(struct topdown *td)
{
	if (!td)
		return;
	if (td->cancel_fd >= 0)
		close(td->cancel_fd);
	close(td->fd);
	td_free(td);
}

TD_API int topdown_fd(const struct topdown *td)
{
	return td->fd;
}

TD_API const struct topdown_info *topdown_info_get(const struct topdown *td)
{
	return &td->info;
}

TD_API bool topdown_has(const struct topdown *td, uint64_t features)
{
	return (td->info.out_features & features) == features;
}
