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

bool runs_recorded(const struct summary *summary);
unsigned int runs_complete(const struct summary *summary);
void runs_mean(struct noise_mean *mean, const struct summary *summary, unsigned int value);
double runs_total(const struct summary *summary, unsigned int value);

#endif /* TOPDOWN_CLI_RUNS_H */
