// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later
/*
 * Formula families of AMD's Zen 4, 5 and 6.
 *
 * Source: the metrics published with perf (tools/perf/pmu-events/arch/x86): pipeline.json of
 * amdzen4 and amdzen5 in Linux 6.12, and of amdzen6 in the mainline kernel.  The second child
 * of each pair is the rest of the parent after the first.
 */
#include "formula.h"

/* Slots in which the other thread of the core had the front end are a fifth node of level 1. */
#define ZEN_NODES	(TD_NODES_METRICS_L2 | 1U << TOPDOWN_SMT_CONTENTION)

enum {
	ZEN_CYCLES, ZEN_NO_OPS, ZEN_STALLS, ZEN_DISPATCHED, ZEN_RETIRED, ZEN_CONTENTION,
	ZEN_NO_OPS_AT_ALL,
	ZEN_MISPREDICTS, ZEN_RESYNCS, ZEN_LOADS, ZEN_NOT_COMPLETE, ZEN_MICROCODE, ZEN_NR,
};

#define ZEN_LEVEL1										\
	{ "ls_not_halted_cyc", 0x76, 0, TD_LEVEL1, TD_ALWAYS },					\
	{ "de_no_dispatch_per_slot.no_ops_from_frontend", 0x1000001a0, 0, TD_LEVEL1, TD_ALWAYS }, \
	{ "de_no_dispatch_per_slot.backend_stalls", 0x100001ea0, 0, TD_LEVEL1, TD_ALWAYS },	\
	{ "de_src_op_disp.all", 0x7aa, 0, TD_LEVEL1, TD_ALWAYS },				\
	{ "ex_ret_ops", 0xc1, 0, TD_LEVEL1, TD_ALWAYS },					\
	{ "de_no_dispatch_per_slot.smt_contention", 0x1000060a0, 0, TD_LEVEL1, TD_ALWAYS }

#define ZEN_LEVEL2										\
	{ "ex_no_retire.load_not_complete", 0xa2d6, 0, TD_BACKEND, TD_ALWAYS },			\
	{ "ex_no_retire.not_complete", 0x2d6, 0, TD_BACKEND, TD_ALWAYS },			\
	{ "ex_ret_ucode_ops", 0x1000000c2, 0, TD_RETIRING, TD_ALWAYS }

static const struct td_event td_zen4_events[ZEN_NR] = {
	ZEN_LEVEL1,
	{ "de_no_dispatch_per_slot.no_ops_from_frontend:c6", 0x1060001a0, 0, TD_FRONTEND,
	  TD_ALWAYS },
	{ "ex_ret_brn_misp", 0xc3, 0, TD_BAD, TD_ALWAYS },
	{ "resyncs_or_nc_redirects", 0x96, 0, TD_BAD, TD_ALWAYS },
	ZEN_LEVEL2
};

static const struct td_event td_zen5_events[ZEN_NR] = {
	ZEN_LEVEL1,
	{ "de_no_dispatch_per_slot.no_ops_from_frontend:c8", 0x1080001a0, 0, TD_FRONTEND,
	  TD_ALWAYS },
	{ "ex_ret_brn_misp", 0xc3, 0, TD_BAD, TD_ALWAYS },
	{ "bp_redirects.resync", 0x19f, 0, TD_BAD, TD_ALWAYS },
	ZEN_LEVEL2
};

/* The same as Zen 5, except for one name. */
static const struct td_event td_zen6_events[ZEN_NR] = {
	ZEN_LEVEL1,
	{ "de_no_dispatch_per_slot.no_ops_from_frontend:c8", 0x1080001a0, 0, TD_FRONTEND,
	  TD_ALWAYS },
	{ "ex_ret_brn_misp", 0xc3, 0, TD_BAD, TD_ALWAYS },
	{ "bp_fe_redir.resync", 0x19f, 0, TD_BAD, TD_ALWAYS },
	ZEN_LEVEL2
};

static void td_zen_eval(const struct td_sample *sample, struct td_slots *slots)
{
	const __u64 *count = sample->count;

	slots->slots = sample->width * count[ZEN_CYCLES];
	td_set_level1(slots, TOPDOWN_FRONTEND_BOUND, count[ZEN_NO_OPS]);
	td_set_level1(slots, TOPDOWN_BAD_SPECULATION, count[ZEN_DISPATCHED] - count[ZEN_RETIRED]);
	td_set_level1(slots, TOPDOWN_BACKEND_BOUND, count[ZEN_STALLS]);
	td_set_level1(slots, TOPDOWN_RETIRING, count[ZEN_RETIRED]);
	td_set_level1(slots, TOPDOWN_SMT_CONTENTION, count[ZEN_CONTENTION]);
	if (sample->level < 2)
		return;
	td_set_pair(slots, TOPDOWN_FRONTEND_BOUND, sample->width * count[ZEN_NO_OPS_AT_ALL]);
	/*
	 * The published formulas give 0 for 0 / 0: for both children here, and for memory bound
	 * below, so that core bound is all of the backend's slots.
	 */
	if (count[ZEN_MISPREDICTS] + count[ZEN_RESYNCS])
		td_set_split(slots, TOPDOWN_BAD_SPECULATION, count[ZEN_MISPREDICTS],
			     count[ZEN_MISPREDICTS] + count[ZEN_RESYNCS]);
	td_set_pair(slots, TOPDOWN_BACKEND_BOUND,
		    td_times(slots->node[TOPDOWN_BACKEND_BOUND], count[ZEN_LOADS],
			     count[ZEN_NOT_COMPLETE]));
	td_set_pair(slots, TOPDOWN_RETIRING, count[ZEN_MICROCODE]);
}

/* ex_ret_instr. */
#define TD_RETIRED_AMD	0xc0

const struct td_formula td_zen4 = {
	"zen4", TOPDOWN_SOURCE_AMD, 2, ZEN_NODES, ZEN_NR, td_zen4_events, TD_REFERENCE_AMD,
	td_zen_eval, NULL, NULL,
	0, TD_RETIRED_AMD, { 0 }, { 0 }
};

const struct td_formula td_zen5 = {
	"zen5", TOPDOWN_SOURCE_AMD, 2, ZEN_NODES, ZEN_NR, td_zen5_events, TD_REFERENCE_AMD,
	td_zen_eval, NULL, NULL,
	0, TD_RETIRED_AMD, { 0 }, { 0 }
};

const struct td_formula td_zen6 = {
	"zen6", TOPDOWN_SOURCE_AMD, 2, ZEN_NODES, ZEN_NR, td_zen6_events, TD_REFERENCE_AMD,
	td_zen_eval, NULL, NULL,
	0, TD_RETIRED_AMD, { 0 }, { 0 }
};
