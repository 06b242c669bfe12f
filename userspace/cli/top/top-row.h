/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown top: what its rows have for themselves.
 */
#ifndef TOPDOWN_CLI_TOP_ROW_H
#define TOPDOWN_CLI_TOP_ROW_H

#include "columns.h"

/**
 * struct top_row - what only a row of topdown top has
 * @rate: slots per second
 * @on_cpus: CPUs that it had at a time; of owners only
 * @parent: the row of its parent; NULL for none
 * @shown: it is on the screen, or would be on a longer one; of owners only
 */
struct top_row {
	double rate;
	double on_cpus;
	const struct row *parent;
	bool shown;
};

extern const struct columns top_columns;

static inline const struct top_row *top_row(const struct row *row)
{
	return row->own;
}

#endif /* TOPDOWN_CLI_TOP_ROW_H */
