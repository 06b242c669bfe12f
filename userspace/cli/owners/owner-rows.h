/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows of owners: every process or every cgroup that ran in an interval.
 */
#ifndef TOPDOWN_CLI_OWNER_ROWS_H
#define TOPDOWN_CLI_OWNER_ROWS_H

#include <stdbool.h>

#include "columns.h"
#include "owner-keys.h"
#include "owner-name.h"
#include "rows.h"

/**
 * struct owners - all owners
 * @view: as of the last reading; NULL while they are not held on
 * @then: the reading with which the interval begins
 * @row: what the rows point to, in the order in which they were filled
 */
struct owners {
	struct topdown_owners_view *view;
	struct topdown_owners_view *then;
	struct owner_row *row;
};

extern const struct columns owner_columns;

int owners_refused(struct topdown *td, const char *device, int ret);
int owners_open(struct owners *owners, struct topdown *td, enum owner_by by, unsigned int depth);
int owners_keep(struct owners *owners);
int owners_fill(struct owners *owners, struct interval *interval, bool self, const char *cgroups);
void owners_let_go(struct owners *owners);
void owners_close(struct owners *owners);

#endif /* TOPDOWN_CLI_OWNER_ROWS_H */
