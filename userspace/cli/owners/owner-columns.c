// SPDX-License-Identifier: GPL-2.0
/*
 * The columns that rows of tasks have because a row may be of an owner. A new one goes after the
 * last, so that no column moves.
 */
#include "owner-rows.h"

static void set_number_of(struct column_value *value, const struct row *row)
{
	value->none = row->kind != ROW_CGROUP;
	value->integer = value->none ? 0 : row->owner->id;
}

static void set_path(struct column_value *value, const struct row *row)
{
	value->none = row->kind != ROW_CGROUP;
	value->string = value->none ? NULL : row->owner->path;
}

GETTER(cgroup, number_of, row)
GETTER(path, path, row)
GETTER(share, number, row->owner->share)
GETTER(processes, integer, row->owner->processes)

static const struct column columns[] = {
	MAYBE(cgroup, COLUMNS_TASKS, "number of the cgroup, of rows of cgroups"),
	{ "path", COLUMN_STRING, COLUMNS_TASKS, 0, true, 0, get_path,
	  "path of the cgroup, from the root of cgroups on", { 0 } },
	NUMBER(share, COLUMNS_OWNED, 6, false,
	       "share of the slots of all owners, with idle time"),
	INTEGER(processes, COLUMNS_NAMES, "processes of the name; 0 for what is no process"),
};

const struct columns owner_columns = { columns, sizeof(columns) / sizeof(columns[0]) };
