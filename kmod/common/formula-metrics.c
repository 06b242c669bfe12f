// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later
/*
 * PERF_METRICS refined as in perf's own metric expressions, by a few general counters.
 *
 * Formulas: tma_frontend_bound, tma_backend_bound, tma_bad_speculation and
 * tma_fetch_latency of tools/perf/pmu-events/arch/x86/icelake/icl-metrics.json and
 * sapphirerapids/spr-metrics.json in Linux 6.12.  All other nodes follow from these as in
 * metrics.c.  The expressions of Lion Cove refine nothing.
 *
 * Bad speculation is the remainder of the other three.  If the remainder is negative, bad
 * speculation is 0 and backend bound is cut, so level 1 still sums to the slots.
 */
#include "formula.h"

/* Every table begins with SLOTS and the metrics of level 1. */
enum {
	FIELD_SLOTS, FIELD_RETIRING, FIELD_BAD_SPEC, FIELD_FE_BOUND, FIELD_BE_BOUND, FIELDS,
};

#define TD_FIELDS										\
	[FIELD_SLOTS]	 = { "TOPDOWN.SLOTS", 0x400, 0, TD_LEVEL1, TD_ALWAYS },			\
	[FIELD_RETIRING] = { "topdown-retiring", 0x8000, 0, TD_LEVEL1, TD_ALWAYS },		\
	[FIELD_BAD_SPEC] = { "topdown-bad-spec", 0x8100, 0, TD_LEVEL1, TD_ALWAYS },		\
	[FIELD_FE_BOUND] = { "topdown-fe-bound", 0x8200, 0, TD_LEVEL1, TD_ALWAYS },		\
	[FIELD_BE_BOUND] = { "topdown-be-bound", 0x8300, 0, TD_LEVEL1, TD_ALWAYS }

static __u64 td_fields_sum(const struct td_sample *sample)
{
	const __u64 *count = sample->count;

	return count[FIELD_RETIRING] + count[FIELD_BAD_SPEC] + count[FIELD_FE_BOUND] +
	       count[FIELD_BE_BOUND];
}

/* A metric over the sum of the level 1 metrics, in slots. */
static __s64 td_field(const struct td_sample *sample, unsigned int field, __u64 sum)
{
	return td_times(sample->count[field], sample->count[FIELD_SLOTS], sum);
}

/* Take @dropped off frontend bound, and add @cleared to backend bound. */
static void td_fields_level1(const struct td_sample *sample, struct td_slots *slots, __u64 sum,
			     __s64 dropped, __s64 cleared)
{
	__s64 backend = td_field(sample, FIELD_BE_BOUND, sum) + cleared, rest;

	slots->slots = sample->count[FIELD_SLOTS];
	td_set_level1(slots, TOPDOWN_RETIRING, td_field(sample, FIELD_RETIRING, sum));
	td_set_level1(slots, TOPDOWN_FRONTEND_BOUND,
		      td_field(sample, FIELD_FE_BOUND, sum) - dropped);
	rest = slots->slots - slots->node[TOPDOWN_RETIRING] - slots->node[TOPDOWN_FRONTEND_BOUND];
	td_set_level1(slots, TOPDOWN_BAD_SPECULATION, rest - backend);
	td_set_level1(slots, TOPDOWN_BACKEND_BOUND,
		      rest - (__s64)slots->node[TOPDOWN_BAD_SPECULATION]);
	/* A node that absorbs the cut of another is marked too. */
	if (slots->clamped & 1U << TOPDOWN_FRONTEND_BOUND)
		slots->clamped |= 1U << TOPDOWN_BAD_SPECULATION;
	if (backend > rest)
		slots->clamped |= 1U << TOPDOWN_BACKEND_BOUND;
}

/* Sunny, Willow and Cypress Cove.  Published level 2 needs 14 more events, so it is left out. */
enum {
	ICL_DROPPED = FIELDS, ICL_CLEARS, ICL_NR,
};

static const struct td_event td_icl_events[ICL_NR] = {
	TD_FIELDS,
	[ICL_DROPPED]	 = { "INT_MISC.UOP_DROPPING", 0x100d, 0, TD_LEVEL1, TD_ALWAYS },
	[ICL_CLEARS]	 = { "INT_MISC.CLEARS_COUNT", 0x104010d, 0, TD_LEVEL1, TD_ALWAYS },
};

static void td_icl_eval(const struct td_sample *sample, struct td_slots *slots)
{
	__u64 sum = td_fields_sum(sample);

	/* If all metrics are 0, nothing is known of these slots. */
	if (!sum)
		return;
	td_fields_level1(sample, slots, sum, sample->count[ICL_DROPPED],
			 sample->width * sample->count[ICL_CLEARS]);
}

const struct td_formula td_refined_icl = {
	"perf_metrics_l1", TOPDOWN_SOURCE_PERF_METRICS, 1, TD_NODES_METRICS_L1, ICL_NR,
	td_icl_events, 0, td_icl_eval, NULL, NULL,
	0, 0, { 0 }, { 0 }
};

/* Golden, Raptor and Redwood Cove. */
enum {
	GLC_DROPPED = FIELDS, GLC_HEAVY, GLC_MISPREDICT, GLC_LATENCY, GLC_MEMORY, GLC_NR,
};

static const struct td_event td_glc_events[GLC_NR] = {
	TD_FIELDS,
	[GLC_DROPPED]	 = { "INT_MISC.UOP_DROPPING", 0x10ad, 0, TD_LEVEL1, TD_ALWAYS },
	[GLC_HEAVY]	 = { "topdown-heavy-ops", 0x8400, 0, TD_RETIRING, TD_ALWAYS },
	[GLC_MISPREDICT] = { "topdown-br-mispredict", 0x8500, 0, TD_BAD, TD_ALWAYS },
	[GLC_LATENCY]	 = { "topdown-fetch-lat", 0x8600, 0, TD_FRONTEND, TD_ALWAYS },
	[GLC_MEMORY]	 = { "topdown-mem-bound", 0x8700, 0, TD_BACKEND, TD_ALWAYS },
};

static void td_glc_eval(const struct td_sample *sample, struct td_slots *slots)
{
	__s64 dropped = sample->count[GLC_DROPPED];
	__u64 sum = td_fields_sum(sample);

	if (!sum)
		return;
	td_fields_level1(sample, slots, sum, dropped, 0);
	if (sample->level < 2)
		return;
	td_set_pair(slots, TOPDOWN_RETIRING, td_field(sample, GLC_HEAVY, sum));
	td_set_pair(slots, TOPDOWN_BAD_SPECULATION, td_field(sample, GLC_MISPREDICT, sum));
	td_set_pair(slots, TOPDOWN_FRONTEND_BOUND,
		    td_field(sample, GLC_LATENCY, sum) - dropped);
	td_set_pair(slots, TOPDOWN_BACKEND_BOUND, td_field(sample, GLC_MEMORY, sum));
}

const struct td_formula td_refined_glc = {
	"perf_metrics_l2", TOPDOWN_SOURCE_PERF_METRICS, 2, TD_NODES_METRICS_L2, GLC_NR,
	td_glc_events, 0, td_glc_eval, NULL, NULL,
	0, 0, { 0 }, { 0 }
};
