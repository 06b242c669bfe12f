/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows of a node: its slots, divided among functions, lines or instructions and reasons.
 */
#ifndef TOPDOWN_CLI_WHERE_ROWS_H
#define TOPDOWN_CLI_WHERE_ROWS_H

#include "points.h"
#include "where.h"

/**
 * struct where_row - a share of a node's slots
 * @place: one of its places, the one with the largest cost
 * @symbol: what is there
 * @stage: enum topdown_stall_stage
 * @reason: enum topdown_stall_reason
 * @from: enum topdown_stall_source of most of its records; 0 if not known
 * @samples: records behind it
 * @share: share of the node
 * @error: half of the interval that has the share in 95 of 100 cases
 * @slots: slots of the node
 * @cycles: mean cycles; NaN if not known
 * @cost: cost
 * @largest: cost of @place
 * @cycles_sum: sum of cycles
 * @timed: records with cycles
 * @sources: records by source
 */
struct where_row {
	struct where_place place;
	const struct where_symbol *symbol;
	uint16_t stage;
	uint16_t reason;
	uint16_t from;
	double samples;
	double share;
	double error;
	double slots;
	double cycles;
	double cost;
	double largest;
	double cycles_sum;
	uint64_t timed;
	uint64_t sources[POINT_SOURCES];
};

/**
 * struct where_rows - the rows of one node of a domain
 * @node: enum topdown_node
 * @node_share: share of the node of all slots
 * @node_slots: its slots
 * @samples: records that locate it
 * @cost: cost of these
 * @square: sum of the squares of their costs
 * @nr: number of @row
 * @room: room of @row
 * @row: rows, the largest first
 */
struct where_rows {
	unsigned int node;
	double node_share;
	double node_slots;
	uint64_t samples;
	double cost;
	double square;
	size_t nr, room;
	struct where_row *row;
};

int where_rows_make(struct where_run *run, const struct where_domain *domain, unsigned int node,
		    struct where_rows *rows);
void where_rows_free(struct where_rows *rows);
/* Does an event belong to the domain? */
bool where_event_of(const struct where_domain *domain, const struct topdown_stalls_event *event);
double where_node_slots(const struct where_domain *domain, unsigned int node);

#endif /* TOPDOWN_CLI_WHERE_ROWS_H */
