/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows of owners: every process or every cgroup that ran in an interval.
 */
#ifndef TOPDOWN_CLI_OWNER_ROWS_H
#define TOPDOWN_CLI_OWNER_ROWS_H

#include <stdbool.h>

#include "owner-keys.h"
#include "rows.h"
#include "task.h"

/**
 * struct owner_row - the names of an owner, for as long as its row
 * @task: number of a process
 * @parent: number of a cgroup's parent
 * @name: name, in printable characters; of a cgroup the last component of its path, or "/"
 * @path: path of a cgroup
 */
struct owner_row {
	struct task task;
	uint64_t parent;
	char name[TOPDOWN_OWNER_NAME_MAX + 1];
	char path[1024];
};

/**
 * struct owners - all owners
 * @view: as of the last reading; NULL while they are not held on
 * @then: the reading with which the interval begins
 * @row: names for the rows, in the order in which they were filled
 */
struct owners {
	struct topdown_owners_view *view;
	struct topdown_owners_view *then;
	struct owner_row *row;
};

int owners_refused(struct topdown *td, const char *device, int ret);
int owners_open(struct owners *owners, struct topdown *td, enum owner_by by, unsigned int depth);
int owners_keep(struct owners *owners);
int owners_fill(struct owners *owners, struct interval *interval, bool self, const char *cgroups);
void owners_let_go(struct owners *owners);
void owners_close(struct owners *owners);

#endif /* TOPDOWN_CLI_OWNER_ROWS_H */
