// SPDX-License-Identifier: GPL-2.0
/*
 * The children that a process has now. A session follows those that come later.
 */
#include "family.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

/* The name of a process may have blanks and brackets, so its last bracket counts. */
static int parent_of(int pid)
{
	char path[64], line[512], *after;
	FILE *file;
	int parent = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	after = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	if (!after || sscanf(after, ") %*c %d", &parent) != 1)
		parent = 0;
	fclose(file);
	return parent;
}

static bool has(const struct idlist *list, int id)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		if (list->id[i] == id)
			return true;
	}
	return false;
}

/* Who measures the shell that he was started from is no part of it. */
static bool is_ours(int pid)
{
	int us = getpid();

	while (us > 1 && us != pid)
		us = parent_of(us);
	return us == pid;
}

/* One look at all processes. A process may be listed before its parent. */
static unsigned int look(struct idlist *family)
{
	struct dirent *entry;
	unsigned int nr = 0;
	DIR *dir = opendir("/proc");
	int pid;

	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		pid = atoi(entry->d_name);
		if (pid <= 0 || has(family, pid) || !has(family, parent_of(pid)) ||
		    is_ours(pid) || family->nr == IDLIST_MAX)
			continue;
		family->id[family->nr++] = pid;
		nr++;
	}
	closedir(dir);
	return nr;
}

/**
 * family_add - find the children of processes, their children, and so on
 * @list: processes
 * @add: add those that are not in it
 *
 * Return: how many there are that are not in the list.
 */
unsigned int family_add(struct idlist *list, bool add)
{
	static struct idlist family;
	unsigned int before = list->nr;

	family = *list;
	while (look(&family))
		;
	if (add)
		*list = family;
	return family.nr - before;
}

/**
 * family_note - say which children are not followed
 * @list: processes that are followed
 */
void family_note(const struct idlist *list)
{
	struct idlist copy = *list;
	unsigned int nr = family_add(&copy, false);

	if (nr)
		message_note("%u child%s that exist%s already %s not followed (--tree follows them too)",
			     nr, nr == 1 ? "" : "ren", nr == 1 ? "s" : "",
			     nr == 1 ? "is" : "are");
}
