// SPDX-License-Identifier: GPL-2.0
/*
 * The files that processes have mapped, opened with the rights of the caller. A process may leave
 * a FIFO, a device or a link out of its container in the place of a file, so only the file that
 * was mapped is opened, and none is before it is known to be that.
 */
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "symbols.h"

/* A descriptor that only names the file, so that no driver or other end notices. */
static int find_path(int root, const char *path, uint64_t resolve)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = resolve | RESOLVE_NO_MAGICLINKS,
	};

	return syscall(SYS_openat2, root, path, &how, sizeof(how));
}

/* Links stay in the root of the process. */
static int find_in_root(const char *path, uint32_t pid)
{
	char name[32];
	int root, fd;

	snprintf(name, sizeof(name), "/proc/%u/root", pid);
	root = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	fd = find_path(root, path, RESOLVE_IN_ROOT);
	close(root);
	return fd;
}

static bool is_mapped(int fd, const struct where_identity *identity)
{
	struct statfs system;
	struct stat status;

	if (fstat(fd, &status) || !S_ISREG(status.st_mode) || !identity->inode ||
	    status.st_ino != identity->inode)
		return false;
	if (major(status.st_dev) == identity->dev_major &&
	    minor(status.st_dev) == identity->dev_minor)
		return true;
	/* fstat() has a device for each subvolume or overlay, a map the one below it. */
	return !fstatfs(fd, &system) &&
	       (system.f_type == BTRFS_SUPER_MAGIC || system.f_type == OVERLAYFS_SUPER_MAGIC);
}

/* Takes the descriptor. */
static int open_mapped(int found, const struct where_identity *identity)
{
	char name[32];
	int fd = -1;

	if (found < 0)
		return -1;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", found);
	if (is_mapped(found, identity))
		fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	close(found);
	return fd;
}

/**
 * where_file_open - open a file that a process has mapped
 * @path: its name, as the process knows it
 * @pid: the process, which may have another root, or have ended
 * @identity: the file
 *
 * Return: descriptor; -1 if there is another file now, or none that can be opened.
 */
int where_file_open(const char *path, uint32_t pid, const struct where_identity *identity)
{
	int fd = open_mapped(find_in_root(path, pid), identity);

	return fd >= 0 ? fd : open_mapped(find_path(AT_FDCWD, path, 0), identity);
}
