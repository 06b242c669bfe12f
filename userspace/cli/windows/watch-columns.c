// SPDX-License-Identifier: GPL-2.0
/*
 * The columns of watch events. A new one goes after the last, so that no column moves.
 */
#include "watch.h"

#include "columns.h"

/* A watch of every window has no threshold. */
static void set_threshold(struct column_value *value, const struct watched *watched)
{
	set_ratio(value, watched ? watched->ratio : TOPDOWN_RATIO_NONE);
}

static void set_watched(struct column_value *value, const struct watched *watched)
{
	value->string = watched ? topdown_node_name(watched->node) : "window";
}

static const struct watch_row *own(const struct row *row)
{
	return row->own;
}

GETTER(watch, integer, own(row)->event->watch)
GETTER(watched, watched, own(row)->watched)
GETTER(threshold, threshold, own(row)->watched)
GETTER(below, integer, own(row)->watched && own(row)->watched->below)
GETTER(back, integer, !!(own(row)->event->flags & TOPDOWN_EVENT_BACK))
GETTER(value, ratio, own(row)->event->ratio)
GETTER(count, integer, own(row)->event->count)

static const struct column columns[] = {
	INTEGER(watch, COLUMNS_EVENTS, "number of the watch, from 1"),
	STRING(watched, COLUMNS_EVENTS, "node that is compared, or window"),
	NUMBER(threshold, COLUMNS_EVENTS, 9, true, "threshold that was crossed"),
	BOOLEAN(below, COLUMNS_EVENTS, false, "the threshold is crossed downwards"),
	BOOLEAN(back, COLUMNS_EVENTS, false, "the node is within the threshold again"),
	NUMBER(value, COLUMNS_EVENTS, 9, true, "ratio of the node in the latest window"),
	INTEGER(count, COLUMNS_EVENTS, "number of such events since the last one"),
};

const struct columns watch_columns = { columns, sizeof(columns) / sizeof(columns[0]) };
