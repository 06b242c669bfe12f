/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How tables name owners: all alike, so that a name can be copied from one to the next.
 */
#ifndef TOPDOWN_CLI_OWNER_NAME_H
#define TOPDOWN_CLI_OWNER_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "rows.h"
#include "task.h"

/* Heading of the last column of a table. */
#define OWNER_HEADING	"ID and name"
/* The same where a row has all processes of a name. */
#define OWNER_NAMES_HEADING	"processes and name"

/* Room for the number of an owner. */
#define OWNER_ID_SIZE	24

/* Room for two blanks, a number, and for as much of a name as tells owners apart. */
#define OWNER_NAMES_LEAST	26

/**
 * struct owner_row - what only the row of an owner has
 * @task: number of a process
 * @id: number of a cgroup
 * @parent: number of a cgroup's parent
 * @processes: number of processes that the row adds up, all of a name; 0 for a row of one
 * @share: share of the slots of all owners; of owners of a recording only
 * @name: name, in printable characters; of a cgroup the last component of its path, or "/"
 * @path: path of a cgroup; "" for others
 */
struct owner_row {
	struct task task;
	uint64_t id;
	uint64_t parent;
	unsigned int processes;
	double share;
	char name[TOPDOWN_OWNER_NAME_MAX + 1];
	char path[1024];
};

const char *owner_name(const struct row *row);
void owner_id(char text[OWNER_ID_SIZE], const struct row *row);
unsigned int owner_line_limit(FILE *file);
void owner_name_put(FILE *file, const struct row *row, unsigned int used, unsigned int limit);

#endif /* TOPDOWN_CLI_OWNER_NAME_H */
