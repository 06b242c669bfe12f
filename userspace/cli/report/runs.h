/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording of several runs of one command, and the values of each run.
 */
#ifndef TOPDOWN_CLI_RUNS_H
#define TOPDOWN_CLI_RUNS_H

#include "noise.h"
#include "summary.h"

/* Values of a run that are no ratios, after those of noise.h. */
enum {
	RUNS_ELAPSED = NOISE_VALUES,
	RUNS_SLOTS,
	RUNS_INSTRUCTIONS,
	RUNS_CYCLES,
	RUNS_VALUES,
};

#define RUNS_AMOUNTS		(RUNS_VALUES - NOISE_VALUES)

/**
 * struct runs_amount - a value of a run that is no ratio
 * @name: its name
 * @unit: its unit
 * @meaning: what it is
 */
struct runs_amount {
	const char *name;
	const char *unit;
	const char *meaning;
};

/* From RUNS_ELAPSED on. */
extern const struct runs_amount runs_amounts[RUNS_AMOUNTS];

bool runs_recorded(const struct summary *summary);
unsigned int runs_complete(const struct summary *summary);
void runs_mean(struct noise_mean *mean, const struct summary *summary, unsigned int value);
double runs_total(const struct summary *summary, unsigned int value);

#endif /* TOPDOWN_CLI_RUNS_H */
