/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists of processes or threads, such as 1234,5678.
 */
#ifndef TOPDOWN_CLI_IDLIST_H
#define TOPDOWN_CLI_IDLIST_H

#include <stdbool.h>

/* Each has a session, and with it a descriptor, of which a process has 1024 by default. */
#define IDLIST_MAX	1024
/* PID_MAX_LIMIT of the kernel. */
#define ID_MAX		4194304

/**
 * struct idlist - ids in the order in which they were named
 * @nr: number of @id
 * @id: ids
 */
struct idlist {
	unsigned int nr;
	int id[IDLIST_MAX];
};

bool idlist_join(struct idlist *list, const char *option, const char *unit,
		 const char *text);

#endif /* TOPDOWN_CLI_IDLIST_H */
