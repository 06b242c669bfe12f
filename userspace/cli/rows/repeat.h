/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Several runs of one command: their means, and how much they differ.
 */
#ifndef TOPDOWN_CLI_REPEAT_H
#define TOPDOWN_CLI_REPEAT_H

#include "known.h"
#include "rows.h"

/**
 * struct spread - values of one kind
 * @nr: number of values
 * @mean: their mean
 * @squares: sum of the squares of their distances from it
 */
struct spread {
	unsigned int nr;
	double mean;
	double squares;
};

/**
 * struct repeat - the sums over the runs
 * @runs: number of runs
 * @length: seconds
 * @slots: slots
 * @node: ratios
 * @sum: the row of all runs together, times and counts added up
 * @cores: its figures by kind of core
 */
struct repeat {
	unsigned int runs;
	struct spread length;
	struct spread slots;
	struct spread node[TD_NR_NODES];
	struct row sum;
	struct row_cores cores;
};

void spread_add(struct spread *spread, double value);
bool spread_relative(const struct spread *spread, double *error);
void repeat_add(struct repeat *repeat, const struct row *row, double length);
void repeat_row(struct repeat *repeat, struct row *row);

#endif /* TOPDOWN_CLI_REPEAT_H */
