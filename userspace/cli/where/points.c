// SPDX-License-Identifier: GPL-2.0
/*
 * Records are added up as they come, so that a long measurement needs no more memory than there
 * are places.
 */
#include "points.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS		8192

struct where_points {
	struct where_point *point[BUCKETS];
	struct where_stack *stack[BUCKETS];
};

static unsigned int mix(uint64_t hash)
{
	return (hash * 0x9e3779b97f4a7c15ULL) >> 51;
}

static uint64_t hash_of(const struct where_place *place, uint32_t event, uint32_t reason)
{
	return place->address ^ (uint64_t)place->object << 44 ^ (uint64_t)event << 36 ^
	       (uint64_t)reason << 56;
}

/**
 * where_points_new - nothing was sampled yet
 *
 * Return: points; NULL without memory.
 */
struct where_points *where_points_new(void)
{
	return calloc(1, sizeof(struct where_points));
}

/**
 * where_points_free - free them
 * @points: points, or NULL
 */
void where_points_free(struct where_points *points)
{
	struct where_point *point;
	struct where_stack *stack;
	unsigned int i;

	for (i = 0; points && i < BUCKETS; i++) {
		while ((point = points->point[i])) {
			points->point[i] = point->next;
			free(point);
		}
		while ((stack = points->stack[i])) {
			points->stack[i] = stack->next;
			free(stack);
		}
	}
	free(points);
}

static bool same_place(const struct where_place *a, const struct where_place *b)
{
	return a->object == b->object && a->address == b->address;
}

static bool same_places(const struct where_place *a, const struct where_place *b, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!same_place(&a[i], &b[i]))
			return false;
	}
	return true;
}

static struct where_point *get_point(struct where_points *points,
				     const struct topdown_stall *stall,
				     const struct where_place *place)
{
	unsigned int bucket = mix(hash_of(place, stall->event, stall->reason));
	struct where_point *point;

	for (point = points->point[bucket]; point; point = point->next) {
		if (same_place(&point->place, place) && point->event == stall->event &&
		    point->reason == stall->reason && point->stage == stall->stage)
			return point;
	}
	point = calloc(1, sizeof(*point));
	if (!point)
		return NULL;
	point->place = *place;
	point->event = stall->event;
	point->stage = stall->stage;
	point->reason = stall->reason;
	point->next = points->point[bucket];
	points->point[bucket] = point;
	return point;
}

/* The cycles that people want to see: those until the data were there, or all. */
static bool cycles_of(const struct topdown_stall *stall, double *cycles)
{
	if (stall->kind == TOPDOWN_STALL_FETCH) {
		*cycles = stall->fetch;
		return stall->has & TOPDOWN_STALL_HAS_FETCH;
	}
	if (stall->stage != TOPDOWN_STAGE_MEMORY)
		return false;
	*cycles = stall->has & TOPDOWN_STALL_HAS_CACHE ? stall->cache : stall->whole;
	return stall->has & (TOPDOWN_STALL_HAS_CACHE | TOPDOWN_STALL_HAS_WHOLE);
}

/**
 * where_points_add - add a record
 * @points: points
 * @stall: record
 * @place: where it was
 *
 * Return: 0 or -ENOMEM.
 */
int where_points_add(struct where_points *points, const struct topdown_stall *stall,
		     const struct where_place *place)
{
	struct where_point *point = get_point(points, stall, place);
	unsigned int node;
	double cost;

	if (!point)
		return -ENOMEM;
	point->records++;
	for (node = 0; node < TD_NR_NODES; node++) {
		cost = topdown_stall_cost(stall, node);
		point->cost[node] += cost;
		point->square[node] += cost * cost;
		point->nr[node] += cost > 0;
	}
	if (cycles_of(stall, &cost)) {
		point->cycles += cost;
		point->timed++;
	}
	if (stall->source < POINT_SOURCES)
		point->from[stall->source]++;
	return 0;
}

static struct where_stack *get_stack(struct where_points *points,
				     const struct topdown_stall *stall,
				     const struct where_place *place, unsigned int nr)
{
	struct where_stack *stack;
	unsigned int bucket, i;
	uint64_t hash = nr;

	for (i = 0; i < nr; i++)
		hash = hash * 31 + hash_of(&place[i], stall->event, stall->reason);
	bucket = mix(hash);
	for (stack = points->stack[bucket]; stack; stack = stack->next) {
		if (stack->nr == nr && stack->event == stall->event &&
		    stack->reason == stall->reason &&
		    same_places(stack->place, place, nr))
			return stack;
	}
	stack = calloc(1, sizeof(*stack) + nr * sizeof(*place));
	if (!stack)
		return NULL;
	stack->event = stall->event;
	stack->reason = stall->reason;
	stack->nr = nr;
	memcpy(stack->place, place, nr * sizeof(*place));
	stack->next = points->stack[bucket];
	points->stack[bucket] = stack;
	return stack;
}

/**
 * where_points_add_stack - add a record by its callers
 * @points: points
 * @stall: record
 * @place: its place, and then those of its callers
 * @nr: number of @place
 *
 * Return: 0 or -ENOMEM.
 */
int where_points_add_stack(struct where_points *points, const struct topdown_stall *stall,
			   const struct where_place *place, unsigned int nr)
{
	struct where_stack *stack = get_stack(points, stall, place, nr);
	unsigned int node;

	if (!stack)
		return -ENOMEM;
	for (node = 0; node < TD_NR_NODES; node++)
		stack->cost[node] += topdown_stall_cost(stall, node);
	return 0;
}

const struct where_point *where_points_next(const struct where_points *points,
					    const struct where_point *point)
{
	unsigned int bucket = 0;

	if (point) {
		if (point->next)
			return point->next;
		bucket = mix(hash_of(&point->place, point->event, point->reason)) + 1;
	}
	for (; bucket < BUCKETS; bucket++) {
		if (points->point[bucket])
			return points->point[bucket];
	}
	return NULL;
}

const struct where_stack *where_points_next_stack(const struct where_points *points,
						  const struct where_stack *stack)
{
	unsigned int bucket = 0, i;
	uint64_t hash;

	if (stack) {
		if (stack->next)
			return stack->next;
		hash = stack->nr;
		for (i = 0; i < stack->nr; i++)
			hash = hash * 31 + hash_of(&stack->place[i], stack->event, stack->reason);
		bucket = mix(hash) + 1;
	}
	for (; bucket < BUCKETS; bucket++) {
		if (points->stack[bucket])
			return points->stack[bucket];
	}
	return NULL;
}
