// SPDX-License-Identifier: GPL-2.0
/*
 * topdown top: the columns that its rows have for themselves.
 */
#include "top-row.h"

GETTER(on_cpus, number, top_row(row)->on_cpus)
GETTER(rate, number, top_row(row)->rate)

static const struct column columns[] = {
	TABLE(COLUMN_NUMBER, get_on_cpus, TABLE_OWNERS,
	      59, UNIT_SHARE, "time", "CPU%", 6, "CPU%", 6),
	TABLE(COLUMN_NUMBER, get_rate, TABLE_TOP | TABLE_OWNERS,
	      60, UNIT_RATE, "slots", "slots/s", 7, "slots/s", 7),
};

const struct columns top_columns = { columns, sizeof(columns) / sizeof(columns[0]) };
