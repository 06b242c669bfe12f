// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later
/*
 * Formula families of Intel's Atom line.
 *
 * Source for Gracemont and later: the metrics published with perf
 * (tools/perf/pmu-events/arch/x86).  Source for Goldmont and Tremont: Intel's TMA metrics
 * spreadsheet for Atom.
 */
#include "formula.h"

enum {
	GLM_CORE, GLM_NOT_DELIVERED, GLM_ISSUED, GLM_RETIRED, GLM_RECOVERY, GLM_FULL, GLM_NR,
};

static const struct td_event td_glm_events[GLM_NR] = {
	{ "CPU_CLK_UNHALTED.CORE", 0x3c, 0, TD_LEVEL1, TD_ALWAYS },
	{ "UOPS_NOT_DELIVERED.ANY", 0x9c, 0, TD_LEVEL1, TD_ALWAYS },
	{ "UOPS_ISSUED.ANY", 0xe, 0, TD_LEVEL1, TD_ALWAYS },
	{ "UOPS_RETIRED.ANY", 0xc2, 0, TD_LEVEL1, TD_ALWAYS },
	{ "ISSUE_SLOTS_NOT_CONSUMED.RECOVERY", 0x2ca, 0, TD_LEVEL1, TD_ALWAYS },
	{ "ISSUE_SLOTS_NOT_CONSUMED.RESOURCE_FULL", 0x1ca, 0, TD_LEVEL1, TD_ALWAYS },
};

static void td_glm_eval(const struct td_sample *sample, struct td_slots *slots)
{
	const __u64 *count = sample->count;

	slots->slots = sample->width * count[GLM_CORE];
	td_set_level1(slots, TOPDOWN_FRONTEND_BOUND, count[GLM_NOT_DELIVERED]);
	td_set_level1(slots, TOPDOWN_BAD_SPECULATION,
		      count[GLM_ISSUED] - count[GLM_RETIRED] + count[GLM_RECOVERY]);
	td_set_level1(slots, TOPDOWN_BACKEND_BOUND, count[GLM_FULL]);
	td_set_level1(slots, TOPDOWN_RETIRING, count[GLM_RETIRED]);
}

const struct td_formula td_atom_glm = {
	"atom_glm", TOPDOWN_SOURCE_ATOM, 1, TD_NODES_METRICS_L1, GLM_NR, td_glm_events,
	TD_REFERENCE_INTEL, td_glm_eval, &td_thresholds_atom, NULL,
	0, 0, { 0 }, { 0 }
};

/* Tremont.  Events with the same code are counted as one event with all their mask bits. */
enum {
	TNT_CORE, TNT_FRONTEND, TNT_BACKEND, TNT_RETIRED, TNT_BAD, TNT_LATENCY, TNT_BANDWIDTH,
	TNT_MISPREDICT, TNT_LOADS, TNT_STORES, TNT_MS_UOPS, TNT_NR,
};

static const struct td_event td_tnt_events[TNT_NR] = {
	{ "CPU_CLK_UNHALTED.CORE", 0x3c, 0, TD_LEVEL1, TD_ALWAYS },
	{ "TOPDOWN_FE_BOUND.ALL", 0x71, 0, TD_LEVEL1, TD_ALWAYS },
	{ "TOPDOWN_BE_BOUND.ALL", 0x74, 0, TD_LEVEL1, TD_ALWAYS },
	{ "TOPDOWN_RETIRING.ALL", 0xc2, 0, TD_LEVEL1, TD_ALWAYS },
	{ "TOPDOWN_BAD_SPECULATION.ALL", 0x673, 0, TD_LEVEL1, TD_ALWAYS },
	{ "TOPDOWN_FE_BOUND.ITLB+TOPDOWN_FE_BOUND.ICACHE+TOPDOWN_FE_BOUND.BRANCH_DETECT+TOPDOWN_FE_BOUND.BRANCH_RESTEER",
	  0x7271, 0, TD_FRONTEND, TD_ALWAYS },
	{ "TOPDOWN_FE_BOUND.CISC+TOPDOWN_FE_BOUND.DECODE+TOPDOWN_FE_BOUND.PREDECODE+TOPDOWN_FE_BOUND.OTHER",
	  0x8d71, 0, TD_FRONTEND, TD_ALWAYS },
	{ "TOPDOWN_BAD_SPECULATION.MISPREDICT", 0x473, 0, TD_BAD, TD_ALWAYS },
	{ "MEM_BOUND_STALLS.LOAD_L2_HIT+MEM_BOUND_STALLS.LOAD_LLC_HIT+MEM_BOUND_STALLS.LOAD_DRAM_HIT",
	  0x734, 0, TD_BACKEND, TD_ALWAYS },
	{ "MEM_BOUND_STALLS.STORE_BUFFER_FULL", 0x4034, 0, TD_BACKEND, TD_ALWAYS },
	{ "UOPS_RETIRED.MS", 0x1c2, 0, TD_RETIRING, TD_ALWAYS },
};

static void td_tnt_eval(const struct td_sample *sample, struct td_slots *slots)
{
	const __u64 *count = sample->count;

	slots->slots = sample->width * count[TNT_CORE];
	td_set_level1(slots, TOPDOWN_FRONTEND_BOUND, count[TNT_FRONTEND]);
	td_set_level1(slots, TOPDOWN_BAD_SPECULATION, count[TNT_BAD]);
	td_set_level1(slots, TOPDOWN_BACKEND_BOUND, count[TNT_BACKEND]);
	td_set_level1(slots, TOPDOWN_RETIRING, count[TNT_RETIRED]);
	if (sample->level < 2)
		return;
	/* Both are counted, so their sum is only close to the parent. */
	td_set_both(slots, TOPDOWN_FRONTEND_BOUND, count[TNT_LATENCY], count[TNT_BANDWIDTH]);
	td_set_pair(slots, TOPDOWN_BAD_SPECULATION, count[TNT_MISPREDICT]);
	/* These events count cycles, not slots. */
	td_set_pair(slots, TOPDOWN_BACKEND_BOUND,
		    sample->width * (count[TNT_LOADS] + count[TNT_STORES]));
	td_set_pair(slots, TOPDOWN_RETIRING, count[TNT_MS_UOPS]);
}

const struct td_formula td_atom_tnt = {
	"atom_tnt", TOPDOWN_SOURCE_ATOM, 2, TD_NODES_METRICS_L2, TNT_NR, td_tnt_events,
	TD_REFERENCE_INTEL, td_tnt_eval, &td_thresholds_atom, NULL,
	0, 0, { 0 }, { 0 }
};

/*
 * Gracemont and later.  Retiring has no published children, and backend bound has other
 * children than on the big cores.
 */
#define GRT_NODES	(TD_NODES_METRICS_L1 | 1U << TOPDOWN_BRANCH_MISPREDICTS |	\
			 1U << TOPDOWN_MACHINE_CLEARS | 1U << TOPDOWN_FETCH_LATENCY |	\
			 1U << TOPDOWN_FETCH_BANDWIDTH | 1U << TOPDOWN_CORE_BOUND |	\
			 1U << TOPDOWN_RESOURCE_BOUND)

enum {
	GRT_CORE, GRT_FRONTEND, GRT_BACKEND, GRT_RETIRED, GRT_LEVEL1,
	CMT_BAD = GRT_LEVEL1, CMT_LEVEL1,
};

/* Level 2 events, counted from the end of level 1. */
enum {
	GRT_LATENCY, GRT_BANDWIDTH, GRT_MISPREDICT, GRT_CLEARS, GRT_ALLOC, GRT_LEVEL2,
	GRT_NR = GRT_LEVEL1 + GRT_LEVEL2, CMT_NR = CMT_LEVEL1 + GRT_LEVEL2,
};

#define GRT_EVENTS_LEVEL2									\
	{ "TOPDOWN_FE_BOUND.FRONTEND_LATENCY", 0x7271, 0, TD_FRONTEND, TD_ALWAYS },		\
	{ "TOPDOWN_FE_BOUND.FRONTEND_BANDWIDTH", 0x8d71, 0, TD_FRONTEND, TD_ALWAYS },		\
	{ "TOPDOWN_BAD_SPECULATION.MISPREDICT", 0x473, 0, TD_BAD, TD_ALWAYS },			\
	{ "TOPDOWN_BAD_SPECULATION.MACHINE_CLEARS", 0x373, 0, TD_BAD, TD_ALWAYS },		\
	{ "TOPDOWN_BE_BOUND.ALLOC_RESTRICTIONS", 0x174, 0, TD_BACKEND, TD_ALWAYS }

static const struct td_event td_grt_events[GRT_NR] = {
	{ "CPU_CLK_UNHALTED.CORE", 0x3c, 0, TD_LEVEL1, TD_ALWAYS },
	{ "TOPDOWN_FE_BOUND.ALL", 0x71, 0, TD_LEVEL1, TD_ALWAYS },
	{ "TOPDOWN_BE_BOUND.ALL", 0x74, 0, TD_LEVEL1, TD_ALWAYS },
	{ "TOPDOWN_RETIRING.ALL", 0xc2, 0, TD_LEVEL1, TD_ALWAYS },
	GRT_EVENTS_LEVEL2
};

static const struct td_event td_cmt_events[CMT_NR] = {
	{ "CPU_CLK_UNHALTED.CORE", 0x3c, 0, TD_LEVEL1, TD_ALWAYS },
	{ "TOPDOWN_FE_BOUND.ALL_P", 0x71, 0, TD_LEVEL1, TD_ALWAYS },
	{ "TOPDOWN_BE_BOUND.ALL_P", 0x74, 0, TD_LEVEL1, TD_ALWAYS },
	{ "TOPDOWN_RETIRING.ALL_P", 0x72, 0, TD_LEVEL1, TD_ALWAYS },
	{ "TOPDOWN_BAD_SPECULATION.ALL_P", 0x73, 0, TD_LEVEL1, TD_ALWAYS },
	GRT_EVENTS_LEVEL2
};

/* Three of these may use fixed counters; the driver knows them by these codes. */
static const struct td_event td_skt_events[CMT_NR] = {
	{ "CPU_CLK_UNHALTED.CORE", 0x3c, 0, TD_LEVEL1, TD_ALWAYS },
	{ "TOPDOWN_FE_BOUND.ALL", 0x19c, 0, TD_LEVEL1, TD_ALWAYS },
	{ "TOPDOWN_BE_BOUND.ALL_P", 0x2a4, 0, TD_LEVEL1, TD_ALWAYS },
	{ "TOPDOWN_RETIRING.ALL", 0x2c2, 0, TD_LEVEL1, TD_ALWAYS },
	{ "TOPDOWN_BAD_SPECULATION.ALL_P", 0x73, 0, TD_LEVEL1, TD_ALWAYS },
	GRT_EVENTS_LEVEL2
};

/* @level2: counts of the events for level 2. */
static void td_grt_nodes(const struct td_sample *sample, struct td_slots *slots, __s64 bad,
			 const __u64 *level2)
{
	const __u64 *count = sample->count;

	td_set_level1(slots, TOPDOWN_FRONTEND_BOUND, count[GRT_FRONTEND]);
	td_set_level1(slots, TOPDOWN_BACKEND_BOUND, count[GRT_BACKEND]);
	td_set_level1(slots, TOPDOWN_RETIRING, count[GRT_RETIRED]);
	td_set_level1(slots, TOPDOWN_BAD_SPECULATION, bad);
	if (sample->level < 2)
		return;
	td_set_both(slots, TOPDOWN_FRONTEND_BOUND, level2[GRT_LATENCY], level2[GRT_BANDWIDTH]);
	td_set_both(slots, TOPDOWN_BAD_SPECULATION, level2[GRT_MISPREDICT], level2[GRT_CLEARS]);
	td_set_pair_of(slots, TOPDOWN_BACKEND_BOUND, TOPDOWN_CORE_BOUND, TOPDOWN_RESOURCE_BOUND,
		       level2[GRT_ALLOC]);
}

static void td_grt_eval(const struct td_sample *sample, struct td_slots *slots)
{
	const __u64 *count = sample->count;
	__s64 bad;

	slots->slots = sample->width * count[GRT_CORE];
	bad = slots->slots - count[GRT_FRONTEND] - count[GRT_BACKEND] - count[GRT_RETIRED];
	td_grt_nodes(sample, slots, bad, count + GRT_LEVEL1);
}

static void td_cmt_eval(const struct td_sample *sample, struct td_slots *slots)
{
	const __u64 *count = sample->count;

	slots->slots = sample->width * count[GRT_CORE];
	td_grt_nodes(sample, slots, count[CMT_BAD], count + CMT_LEVEL1);
}

const struct td_formula td_atom_grt = {
	"atom_grt", TOPDOWN_SOURCE_ATOM, 2, GRT_NODES, GRT_NR, td_grt_events, TD_REFERENCE_INTEL,
	td_grt_eval, &td_thresholds_atom, NULL,
	0, 0, { 0 }, { 0 }
};

const struct td_formula td_atom_cmt = {
	"atom_cmt", TOPDOWN_SOURCE_ATOM, 2, GRT_NODES, CMT_NR, td_cmt_events, TD_REFERENCE_INTEL,
	td_cmt_eval, &td_thresholds_atom, NULL,
	0, 0, { 0 }, { 0 }
};

const struct td_formula td_atom_skt = {
	"atom_skt", TOPDOWN_SOURCE_ATOM, 2, GRT_NODES, CMT_NR, td_skt_events, TD_REFERENCE_INTEL,
	td_cmt_eval, &td_thresholds_atom, NULL,
	0, 0, { 0 }, { 0 }
};

/*
 * Arctic Wolf.  Its event list has level 1, but no formula and no width are published, so
 * all slots are the sum of the four nodes.
 */
enum {
	ARW_FRONTEND, ARW_BACKEND, ARW_RETIRED, ARW_BAD, ARW_NR,
};

static const struct td_event td_arw_events[ARW_NR] = {
	{ "TOPDOWN_FE_BOUND.ALL", 0x19c, 0, TD_LEVEL1, TD_ALWAYS },
	{ "TOPDOWN_BE_BOUND.ALL_P", 0x2a4, 0, TD_LEVEL1, TD_ALWAYS },
	{ "TOPDOWN_RETIRING.ALL", 0x2c2, 0, TD_LEVEL1, TD_ALWAYS },
	{ "TOPDOWN_BAD_SPECULATION.ALL_P", 0x73, 0, TD_LEVEL1, TD_ALWAYS },
};

static void td_arw_eval(const struct td_sample *sample, struct td_slots *slots)
{
	const __u64 *count = sample->count;

	slots->slots = count[ARW_FRONTEND] + count[ARW_BACKEND] + count[ARW_RETIRED] +
		       count[ARW_BAD];
	td_set_level1(slots, TOPDOWN_FRONTEND_BOUND, count[ARW_FRONTEND]);
	td_set_level1(slots, TOPDOWN_BACKEND_BOUND, count[ARW_BACKEND]);
	td_set_level1(slots, TOPDOWN_RETIRING, count[ARW_RETIRED]);
	td_set_level1(slots, TOPDOWN_BAD_SPECULATION, count[ARW_BAD]);
}

const struct td_formula td_atom_arw = {
	"atom_arw", TOPDOWN_SOURCE_ATOM, 1, TD_NODES_METRICS_L1, ARW_NR, td_arw_events,
	TD_REFERENCE_INTEL, td_arw_eval, NULL, NULL,
	0, 0, { 0 }, { 0 }
};
