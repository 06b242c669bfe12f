/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The owners of a recording added up: each by itself, in all and over time.
 */
#ifndef TOPDOWN_CLI_OWNER_SUMS_H
#define TOPDOWN_CLI_OWNER_SUMS_H

#include <stddef.h>

#include "recording.h"
#include "series.h"

/* When there are more, two steps become one. An even number. */
#define OWNER_STEPS_MAX	512

/**
 * struct owner_sum - what an owner had
 * @used: it had something
 * @figures: sum of its intervals
 * @switches: how often it got a CPU from another owner
 * @flags: TOPDOWN_OWNER_EXITED, as of the last interval
 * @source: enum topdown_source
 * @level: lowest level of the intervals
 */
struct owner_sum {
	bool used;
	struct topdown_figures figures;
	uint64_t switches;
	uint32_t flags;
	uint32_t source;
	uint32_t level;
};

/**
 * struct owner_cell - what an owner had in a step
 * @owner: its number
 * @sum: what it had
 */
struct owner_cell {
	uint32_t owner;
	struct owner_sum sum;
};

/**
 * struct owner_step - a step
 * @nr: number of @cell
 * @room: cells that there is room for
 * @cell: the owners that had something, in no order
 */
struct owner_step {
	size_t nr;
	size_t room;
	struct owner_cell *cell;
};

/**
 * struct owner_sums - the owners of a recording
 * @nr: number of @sum
 * @sum: owners by number
 * @place: where in its step the last cell of an owner is, by number; only a hint
 * @keep: the caller wants steps
 * @start_ns: when step 0 begins
 * @step_ns: length of a step
 * @nr_steps: number of steps
 * @step: steps; NULL without any
 */
struct owner_sums {
	uint32_t nr;
	struct owner_sum *sum;
	size_t *place;
	bool keep;
	uint64_t start_ns;
	uint64_t step_ns;
	size_t nr_steps;
	struct owner_step *step;
};

void owner_sums_begin(struct owner_sums *sums, bool keep, uint64_t start_ns, uint64_t step_ns);
int owner_sums_add(struct owner_sums *sums, const struct owner_piece *piece);
int owner_sums_join_last(struct owner_sums *sums, uint64_t end_ns);
void owner_sum_join(struct owner_sum *to, const struct owner_sum *more);
int owner_sums_series(const struct owner_sums *sums, const struct owner_list *list,
		      uint32_t owner, bool tree, struct series *series);
void owner_sums_free(struct owner_sums *sums);

#endif /* TOPDOWN_CLI_OWNER_SUMS_H */
