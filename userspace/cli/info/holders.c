// SPDX-License-Identifier: GPL-2.0
/*
 * Processes that have perf events open.  The kernel says no more of a descriptor than that: an
 * event may be of software, or of another PMU.  Still these are the processes to ask when counters
 * lack.
 */
#include "holders.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINK_TEXT	"anon_inode:[perf_event]"

/* A look at each is some microseconds, so that all of this is a second at most. */
#define LINKS_MAX	200000

/* Events among the open files of a process; -1 if we may not see them. */
static long events_of(int proc, const char *pid, unsigned int *links)
{
	char path[32 + 256], link[sizeof(LINK_TEXT) + 1];
	struct dirent *entry;
	long events = 0;
	ssize_t length;
	DIR *dir;
	int fd;

	snprintf(path, sizeof(path), "%s/fd", pid);
	fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		if (fd >= 0)
			close(fd);
		/* One that is gone holds nothing. */
		return errno == EACCES || errno == EPERM ? -1 : 0;
	}
	while (*links < LINKS_MAX && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		++*links;
		length = readlinkat(fd, entry->d_name, link, sizeof(link) - 1);
		if (length < 0)
			continue;
		link[length] = '\0';
		events += !strcmp(link, LINK_TEXT);
	}
	closedir(dir);
	return events;
}

static void name_of(int proc, const char *pid, char *name, size_t size)
{
	char path[32 + 256];
	ssize_t length = -1;
	int fd;

	snprintf(path, sizeof(path), "%s/comm", pid);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		length = read(fd, name, size - 1);
		close(fd);
	}
	name[length > 0 ? length : 0] = '\0';
	name[strcspn(name, "\n")] = '\0';
	/* Anybody may write escape sequences into the name of a process. */
	for (; *name; name++) {
		if (!isprint((unsigned char)*name))
			*name = '?';
	}
}

static bool add(struct holders *holders, int proc, const char *pid, long events)
{
	struct holder *more = reallocarray(holders->holder, holders->nr + 1, sizeof(*more));

	if (!more)
		return false;
	holders->holder = more;
	more += holders->nr++;
	more->pid = strtol(pid, NULL, 10);
	more->events = events;
	name_of(proc, pid, more->name, sizeof(more->name));
	return true;
}

/* false if that is all we can do. */
static bool look_at(struct holders *holders, int proc, const char *pid, unsigned int *links)
{
	long events = events_of(proc, pid, links);

	holders->hidden += events < 0;
	if (events > 0 && !add(holders, proc, pid, events))
		return false;
	return *links < LINKS_MAX;
}

static int most_events(const void *a, const void *b)
{
	const struct holder *one = a, *other = b;

	if (one->events != other->events)
		return one->events < other->events ? 1 : -1;
	return (one->pid > other->pid) - (one->pid < other->pid);
}

/**
 * holders_find - find the processes that have perf events open
 * @holders: written; free it with holders_free()
 *
 * Rights to see the files of other users' processes are not needed, but without them they are only
 * counted.
 */
void holders_find(struct holders *holders)
{
	DIR *dir = opendir("/proc");
	unsigned int links = 0;
	struct dirent *entry;

	*holders = (struct holders){ .whole = false };
	while (dir && (entry = readdir(dir))) {
		if (isdigit((unsigned char)*entry->d_name) &&
		    !look_at(holders, dirfd(dir), entry->d_name, &links))
			break;
	}
	holders->whole = dir && !entry;
	if (dir)
		closedir(dir);
	if (holders->nr)
		qsort(holders->holder, holders->nr, sizeof(*holders->holder), most_events);
}

/**
 * holders_free - undo holders_find()
 * @holders: the processes
 */
void holders_free(struct holders *holders)
{
	free(holders->holder);
}
