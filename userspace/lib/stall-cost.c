// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counts say how much a node lost. What a record says of where is its cost: the slots of the node
 * are divided among the records by it.
 */
#include <topdown.h>
#include <topdown_stall.h>

#include "internal.h"

/* Translation comes before the access. */
static double td_memory_cycles(const struct topdown_stall *stall)
{
	if (stall->has & TOPDOWN_STALL_HAS_CACHE)
		return (double)stall->cache + stall->translation;
	if (stall->has & TOPDOWN_STALL_HAS_TRANSLATION)
		return stall->translation;
	return stall->has & TOPDOWN_STALL_HAS_WHOLE ? stall->whole : 1;
}

static double td_fetch_cycles(const struct topdown_stall *stall)
{
	return stall->has & TOPDOWN_STALL_HAS_FETCH ? stall->fetch : 1;
}

static bool td_mispredicted(const struct topdown_stall *stall)
{
	return stall->flags & TOPDOWN_STALL_MISPREDICTED;
}

static double td_cycles_of(const struct topdown_stall *stall, unsigned int node)
{
	bool bandwidth = stall->reason == TOPDOWN_REASON_FETCH_BANDWIDTH;

	switch (node) {
	case TOPDOWN_BACKEND_BOUND:
	case TOPDOWN_MEMORY_BOUND:
	case TOPDOWN_RESOURCE_BOUND:
		return stall->stage == TOPDOWN_STAGE_MEMORY ? td_memory_cycles(stall) : 0;
	case TOPDOWN_FRONTEND_BOUND:
	case TOPDOWN_FETCH_LATENCY:
		return stall->stage == TOPDOWN_STAGE_FETCH && !bandwidth ?
		       td_fetch_cycles(stall) : 0;
	case TOPDOWN_FETCH_BANDWIDTH:
		return bandwidth;
	case TOPDOWN_BAD_SPECULATION:
		return td_mispredicted(stall) || stall->reason == TOPDOWN_REASON_CLEAR;
	case TOPDOWN_BRANCH_MISPREDICTS:
		return td_mispredicted(stall);
	case TOPDOWN_MACHINE_CLEARS:
		return stall->reason == TOPDOWN_REASON_CLEAR;
	case TOPDOWN_HEAVY_OPERATIONS:
		return stall->reason == TOPDOWN_REASON_MICROCODE ||
		       stall->flags & TOPDOWN_STALL_MICROCODE;
	default:
		return 0;
	}
}

TD_API double topdown_stall_cost(const struct topdown_stall *stall, unsigned int node)
{
	double events = stall->has & TOPDOWN_STALL_HAS_PERIOD ? stall->period : 1;

	return events * td_cycles_of(stall, node);
}
