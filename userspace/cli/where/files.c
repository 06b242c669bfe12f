// SPDX-License-Identifier: GPL-2.0
/*
 * The files that processes have mapped, opened with the rights of the caller. A process may leave
 * a FIFO, a device or a link out of its container in the place of a file, so only the file that
 * was mapped is opened, and none is before it is known to be that; on btrfs and overlayfs it may be
 * another regular file, of which nothing is read.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
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

/*
 * fstat() has a device for each subvolume or overlay, a map the one below it.  Some kernels have
 * another inode there too, if the file was copied to the upper layer.
 */
static bool has_own_devices(int fd)
{
	struct statfs system;

	return !fstatfs(fd, &system) &&
	       (system.f_type == BTRFS_SUPER_MAGIC || system.f_type == OVERLAYFS_SUPER_MAGIC);
}

static bool same_file(const struct where_identity *identity, uint64_t inode, unsigned int dev_major,
		      unsigned int dev_minor)
{
	return inode == identity->inode && dev_major == identity->dev_major &&
	       dev_minor == identity->dev_minor;
}

/* As /proc/PID/maps has it. */
static bool maps_as(int fd, const struct where_identity *identity)
{
	void *here = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	unsigned int dev_major, dev_minor;
	char *line = NULL;
	bool same = false;
	size_t size = 0;
	uint64_t inode;
	void *at;
	FILE *maps;

	if (here == MAP_FAILED)
		return false;
	maps = fopen("/proc/self/maps", "re");
	while (maps && getline(&line, &size, maps) > 0) {
		if (sscanf(line, "%p-%*s %*s %*s %x:%x %" SCNu64, &at, &dev_major, &dev_minor,
			   &inode) == 4 && at == here)
			same = same_file(identity, inode, dev_major, dev_minor);
	}
	free(line);
	if (maps)
		fclose(maps);
	munmap(here, 1);
	return same;
}

/* A regular file, so neither a driver nor another end notices. */
static int open_again(int found)
{
	char name[32];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", found);
	return open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

static int open_found(int found, const struct where_identity *identity)
{
	struct stat status;
	int fd;

	if (!identity->inode || fstat(found, &status) || !S_ISREG(status.st_mode))
		return -1;
	if (same_file(identity, status.st_ino, major(status.st_dev), minor(status.st_dev)))
		return open_again(found);
	if (!has_own_devices(found))
		return -1;
	fd = open_again(found);
	if (fd < 0 || status.st_ino == identity->inode || maps_as(fd, identity))
		return fd;
	close(fd);
	return -1;
}

/* Takes the descriptor. */
static int open_mapped(int found, const struct where_identity *identity)
{
	int fd;

	if (found < 0)
		return -1;
	fd = open_found(found, identity);
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
