/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was sampled, added up: each place with its reasons, and each call stack.
 */
#ifndef TOPDOWN_CLI_WHERE_POINTS_H
#define TOPDOWN_CLI_WHERE_POINTS_H

#include "known.h"
#include "symbols.h"

#define POINT_SOURCES	20

/**
 * struct where_point - all records of one place, event and reason
 * @next: next in its bucket
 * @place: place
 * @event: event
 * @stage: enum topdown_stall_stage
 * @reason: enum topdown_stall_reason
 * @records: number of records
 * @cost: sum of costs for each node
 * @square: sum of their squares
 * @nr: records that have a cost
 * @cycles: sum of the cycles of those that have them
 * @timed: number of these
 * @from: records by enum topdown_stall_source
 */
struct where_point {
	struct where_point *next;
	struct where_place place;
	uint32_t event;
	uint16_t stage;
	uint16_t reason;
	uint64_t records;
	double cost[TD_NR_NODES];
	double square[TD_NR_NODES];
	uint64_t nr[TD_NR_NODES];
	double cycles;
	uint64_t timed;
	uint64_t from[POINT_SOURCES];
};

/**
 * struct where_stack - all records with the same callers
 * @next: next in its bucket
 * @event: event
 * @reason: enum topdown_stall_reason
 * @cost: sum of costs for each node
 * @nr: number of @place
 * @place: the innermost first
 */
struct where_stack {
	struct where_stack *next;
	uint32_t event;
	uint16_t reason;
	double cost[TD_NR_NODES];
	unsigned int nr;
	struct where_place place[];
};

struct where_points *where_points_new(void);
void where_points_free(struct where_points *points);
int where_points_add(struct where_points *points, const struct topdown_stall *stall,
		     const struct where_place *place);
int where_points_add_stack(struct where_points *points, const struct topdown_stall *stall,
			   const struct where_place *place, unsigned int nr);
/* All of them: start with NULL. */
const struct where_point *where_points_next(const struct where_points *points,
					    const struct where_point *point);
const struct where_stack *where_points_next_stack(const struct where_points *points,
						  const struct where_stack *stack);

#endif /* TOPDOWN_CLI_WHERE_POINTS_H */
