/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Figures over time, in steps of one length.
 */
#ifndef TOPDOWN_CLI_SERIES_H
#define TOPDOWN_CLI_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <topdown.h>

#include "known.h"

/* When there are more, two steps become one. An even number. */
#define SERIES_STEPS_MAX	4096

/* The ranks that reports have, in percent. */
#define SERIES_RANKS		3

extern const unsigned int series_rank[SERIES_RANKS];

/**
 * struct series - the figures of a subject over time
 * @start_ns: when step 0 begins
 * @step_ns: length of a step
 * @end_ns: where the last step is cut off; 0 if it is as long as the others
 * @nr: number of steps
 * @level: highest level of the figures
 * @longest_ns: longest span with slots that was added
 * @step: figures of each step, with ratios
 * @room: steps that there is room for
 */
struct series {
	uint64_t start_ns;
	uint64_t step_ns;
	uint64_t end_ns;
	size_t nr;
	unsigned int level;
	uint64_t longest_ns;
	struct topdown_figures *step;
	size_t room;
};

/**
 * struct series_ranks - the ratios of a node in all steps, sorted
 * @none: no step has the node
 * @ratio: for each of series_rank, the ratio that so many percent of the steps do not exceed
 */
struct series_ranks {
	bool none;
	double ratio[SERIES_RANKS];
};

void series_begin(struct series *series, uint64_t start_ns, uint64_t step_ns, unsigned int level);
int series_add(struct series *series, uint64_t begin_ns, uint64_t end_ns,
	       const struct topdown_figures *figures);
int series_join(struct series *to, const struct series *from, size_t steps);
void series_coarsen(struct series *series, uint64_t step_ns);
void series_skip(struct series *series, size_t steps);
uint64_t series_step_begin(const struct series *series, size_t step);
uint64_t series_step_end(const struct series *series, size_t step);
bool series_step_short(const struct series *series, size_t step);
void series_free(struct series *series);
int series_ranks(const struct series *series, struct series_ranks ranks[TD_NR_NODES]);

#endif /* TOPDOWN_CLI_SERIES_H */
