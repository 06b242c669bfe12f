// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later
/*
 * Formula families of Intel's big cores: Sandy Bridge to Cascade Lake, and Ice Lake to
 * Coyote Cove for machines that hide PERF_METRICS.
 *
 * Source of the first: the metrics published with perf for each model
 * (tools/perf/pmu-events/arch/x86); for Haswell Intel's perfmon, which corrects an error
 * in memory bound.  Source of the second: the expressions of the TMA metrics spreadsheet
 * for CPUs without PERF_METRICS.
 */
#include "formula.h"

static __s64 td_min(__s64 a, __s64 b)
{
	return a < b ? a : b;
}

/*
 * Sandy Bridge to Broadwell.  A thread has all slots of the cycles in which it ran alone,
 * and half of the slots of the other cycles.  Shared cycles, such as the recovery from a
 * misprediction, count half for each thread.
 */
enum {
	SNB_THREAD, SNB_NOT_DELIVERED, SNB_ISSUED, SNB_RETIRED, SNB_RECOVERY, SNB_RECOVERY_ANY,
	SNB_ONE_THREAD, SNB_REF_XCLK, SNB_NONE_DELIVERED, SNB_MISPREDICTS, SNB_CLEARS,
	SNB_MS_UOPS, SNB_STALLS_MEM, SNB_STALLS_SB, SNB_NO_EXECUTE, SNB_EXECUTE_1,
	SNB_EXECUTE_2, SNB_EXECUTE_3, SNB_RS_EMPTY, SNB_INST, SNB_NR,
};

#define SNB_EVENTS										\
	{ "CPU_CLK_UNHALTED.THREAD", 0x3c, 0, TD_LEVEL1, TD_ALWAYS },				\
	{ "IDQ_UOPS_NOT_DELIVERED.CORE", 0x19c, 0, TD_LEVEL1, TD_ALWAYS },			\
	{ "UOPS_ISSUED.ANY", 0x10e, 0, TD_LEVEL1, TD_ALWAYS },					\
	{ "UOPS_RETIRED.RETIRE_SLOTS", 0x2c2, 0, TD_LEVEL1, TD_ALWAYS },			\
	{ "INT_MISC.RECOVERY_CYCLES", 0x100030d, 0, TD_LEVEL1, TD_NO_SMT },			\
	{ "INT_MISC.RECOVERY_CYCLES_ANY", 0x120030d, 0, TD_LEVEL1, TD_SMT },			\
	{ "CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE", 0x23c, 0, TD_LEVEL1, TD_SMT },			\
	{ "CPU_CLK_UNHALTED.REF_XCLK", 0x13c, 0, TD_LEVEL1, TD_SMT },				\
	{ "IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE", 0x400019c, 0,			\
	  TD_FRONTEND | TD_BACKEND, TD_ALWAYS },						\
	{ "BR_MISP_RETIRED.ALL_BRANCHES", 0xc5, 0, TD_BAD, TD_ALWAYS },				\
	{ "MACHINE_CLEARS.COUNT", 0x10401c3, 0, TD_BAD, TD_ALWAYS },				\
	{ "IDQ.MS_UOPS", 0x3079, 0, TD_RETIRING, TD_ALWAYS }

#define SNB_EVENTS_END										\
	{ "RS_EVENTS.EMPTY_CYCLES", 0x15e, 0, TD_BACKEND, TD_ALWAYS },				\
	{ "INST_RETIRED.ANY", 0xc0, 0, TD_BACKEND, TD_ALWAYS }

static const struct td_event td_snb_events[SNB_NR] = {
	SNB_EVENTS,
	{ "CYCLE_ACTIVITY.STALLS_L1D_PENDING", 0x60006a3, 0, TD_BACKEND, TD_ALWAYS },
	{ "RESOURCE_STALLS.SB", 0x8a2, 0, TD_BACKEND, TD_ALWAYS },
	{ "CYCLE_ACTIVITY.CYCLES_NO_DISPATCH", 0x40004a3, 0, TD_BACKEND, TD_ALWAYS },
	{ "UOPS_DISPATCHED.THREAD:c1", 0x10001b1, 0, TD_BACKEND, TD_ALWAYS },
	{ "UOPS_DISPATCHED.THREAD:c2", 0x20001b1, 0, TD_BACKEND, TD_ALWAYS },
	{ "UOPS_DISPATCHED.THREAD:c3", 0x30001b1, 0, TD_BACKEND, TD_ALWAYS },
	SNB_EVENTS_END
};

static const struct td_event td_ivb_events[SNB_NR] = {
	SNB_EVENTS,
	{ "CYCLE_ACTIVITY.STALLS_LDM_PENDING", 0x60006a3, 0, TD_BACKEND, TD_ALWAYS },
	{ "RESOURCE_STALLS.SB", 0x8a2, 0, TD_BACKEND, TD_ALWAYS },
	{ "CYCLE_ACTIVITY.CYCLES_NO_EXECUTE", 0x40004a3, 0, TD_BACKEND, TD_ALWAYS },
	{ "UOPS_EXECUTED.CYCLES_GE_1_UOP_EXEC", 0x10001b1, 0, TD_BACKEND, TD_ALWAYS },
	{ "UOPS_EXECUTED.CYCLES_GE_2_UOPS_EXEC", 0x20001b1, 0, TD_BACKEND, TD_ALWAYS },
	{ "UOPS_EXECUTED.CYCLES_GE_3_UOPS_EXEC", 0x30001b1, 0, TD_BACKEND, TD_ALWAYS },
	SNB_EVENTS_END
};

static const struct td_event td_hsw_events[SNB_NR] = {
	SNB_EVENTS,
	{ "CYCLE_ACTIVITY.STALLS_LDM_PENDING", 0x60006a3, 0, TD_BACKEND, TD_ALWAYS },
	{ "RESOURCE_STALLS.SB", 0x8a2, 0, TD_BACKEND, TD_ALWAYS },
	{ "CYCLE_ACTIVITY.CYCLES_NO_EXECUTE", 0x40004a3, 0, TD_BACKEND, TD_ALWAYS },
	{ "UOPS_EXECUTED.CORE:c1", 0x10002b1, 0, TD_BACKEND, TD_ALWAYS },
	{ "UOPS_EXECUTED.CORE:c2", 0x20002b1, 0, TD_BACKEND, TD_ALWAYS },
	{ "UOPS_EXECUTED.CORE:c3", 0x30002b1, 0, TD_BACKEND, TD_ALWAYS },
	SNB_EVENTS_END
};

static const struct td_event td_bdw_events[SNB_NR] = {
	SNB_EVENTS,
	{ "CYCLE_ACTIVITY.STALLS_MEM_ANY", 0x60006a3, 0, TD_BACKEND, TD_ALWAYS },
	{ "RESOURCE_STALLS.SB", 0x8a2, 0, TD_BACKEND, TD_ALWAYS },
	{ "CYCLE_ACTIVITY.STALLS_TOTAL", 0x40004a3, 0, TD_BACKEND, TD_ALWAYS },
	{ "UOPS_EXECUTED.CYCLES_GE_1_UOP_EXEC", 0x10001b1, 0, TD_BACKEND, TD_ALWAYS },
	{ "UOPS_EXECUTED.CYCLES_GE_2_UOPS_EXEC", 0x20001b1, 0, TD_BACKEND, TD_ALWAYS },
	{ "UOPS_EXECUTED.CYCLES_GE_3_UOPS_EXEC", 0x30001b1, 0, TD_BACKEND, TD_ALWAYS },
	SNB_EVENTS_END
};

static void td_snb_level1(const struct td_sample *sample, struct td_slots *slots)
{
	const __u64 *count = sample->count;
	__s64 width = sample->width, retired = count[SNB_RETIRED], issued = count[SNB_ISSUED];
	__s64 recovery = width * (count[SNB_RECOVERY] + count[SNB_RECOVERY_ANY]);

	slots->slots = width * count[SNB_THREAD];
	/* If the thread ran alone all the time, the ratio is 1. */
	if (count[SNB_REF_XCLK] > count[SNB_ONE_THREAD])
		slots->slots = slots->slots / 2 + td_times(slots->slots / 2, count[SNB_ONE_THREAD],
							   count[SNB_REF_XCLK]);
	if (sample->smt)
		recovery /= 2;

	td_set_level1(slots, TOPDOWN_FRONTEND_BOUND, count[SNB_NOT_DELIVERED]);
	td_set_level1(slots, TOPDOWN_RETIRING, retired);
	td_set_level1(slots, TOPDOWN_BAD_SPECULATION, issued - retired + recovery);
	td_set_level1(slots, TOPDOWN_BACKEND_BOUND,
		      (__s64)(slots->slots - count[SNB_NOT_DELIVERED]) - issued - recovery);
}

/* @executing: cycles that executed few micro-operations. */
static void td_snb_level2(const struct td_sample *sample, struct td_slots *slots,
			  __s64 latency, __s64 stalls_mem, __s64 no_execute, __s64 executing)
{
	const __u64 *count = sample->count;
	__s64 stalls_sb = count[SNB_STALLS_SB];
	__s64 bound = no_execute + executing + stalls_sb;

	latency *= sample->width;
	if ((__u64)latency * 10 > slots->slots)
		bound -= count[SNB_RS_EMPTY];

	td_set_pair(slots, TOPDOWN_FRONTEND_BOUND, latency);
	td_set_split(slots, TOPDOWN_BAD_SPECULATION, count[SNB_MISPREDICTS],
		     count[SNB_MISPREDICTS] + count[SNB_CLEARS]);
	td_set_split(slots, TOPDOWN_BACKEND_BOUND, stalls_mem + stalls_sb, bound);
	td_set_pair(slots, TOPDOWN_RETIRING,
		    td_times(count[SNB_MS_UOPS], count[SNB_RETIRED], count[SNB_ISSUED]));
}

/* Cycles that executed at least one micro-operation but not many. */
static __s64 td_snb_executing(const __u64 *count)
{
	/* Many are three, if there are more than 1.8 instructions per cycle; otherwise two. */
	unsigned int many = count[SNB_INST] * 5 > count[SNB_THREAD] * 9 ?
			    SNB_EXECUTE_3 : SNB_EXECUTE_2;

	return count[SNB_EXECUTE_1] - count[many];
}

static void td_ivb_eval(const struct td_sample *sample, struct td_slots *slots)
{
	const __u64 *count = sample->count;
	__s64 thread = count[SNB_THREAD];

	td_snb_level1(sample, slots);
	if (sample->level > 1)
		td_snb_level2(sample, slots, td_min(thread, count[SNB_NONE_DELIVERED]),
			      td_min(thread, count[SNB_STALLS_MEM]),
			      td_min(thread, count[SNB_NO_EXECUTE]), td_snb_executing(count));
}

/* The execution events of Haswell count the operations of both threads. */
static void td_hsw_eval(const struct td_sample *sample, struct td_slots *slots)
{
	const __u64 *count = sample->count;
	__s64 thread = count[SNB_THREAD], executing = td_snb_executing(count);

	td_snb_level1(sample, slots);
	if (sample->level > 1)
		td_snb_level2(sample, slots, td_min(thread, count[SNB_NONE_DELIVERED]),
			      td_min(thread, count[SNB_STALLS_MEM]),
			      td_min(thread, count[SNB_NO_EXECUTE]),
			      sample->smt ? executing / 2 : executing);
}

static void td_bdw_eval(const struct td_sample *sample, struct td_slots *slots)
{
	const __u64 *count = sample->count;

	td_snb_level1(sample, slots);
	if (sample->level > 1)
		td_snb_level2(sample, slots, count[SNB_NONE_DELIVERED], count[SNB_STALLS_MEM],
			      count[SNB_NO_EXECUTE], td_snb_executing(count));
}

const struct td_formula td_generic_snb = {
	"generic_snb", TOPDOWN_SOURCE_GENERIC, 2, TD_NODES_METRICS_L2, SNB_NR, td_snb_events,
	TD_REFERENCE_INTEL, td_ivb_eval, &td_thresholds_core, NULL,
	SNB_INST, 0, { 0 }, { 0 }
};

const struct td_formula td_generic_ivb = {
	"generic_ivb", TOPDOWN_SOURCE_GENERIC, 2, TD_NODES_METRICS_L2, SNB_NR, td_ivb_events,
	TD_REFERENCE_INTEL, td_ivb_eval, &td_thresholds_core, NULL,
	SNB_INST, 0, { 0 }, { 0 }
};

const struct td_formula td_generic_hsw = {
	"generic_hsw", TOPDOWN_SOURCE_GENERIC, 2, TD_NODES_METRICS_L2, SNB_NR, td_hsw_events,
	TD_REFERENCE_INTEL, td_hsw_eval, &td_thresholds_core, NULL,
	SNB_INST, 0, { 0 }, { 0 }
};

const struct td_formula td_generic_bdw = {
	"generic_bdw", TOPDOWN_SOURCE_GENERIC, 2, TD_NODES_METRICS_L2, SNB_NR, td_bdw_events,
	TD_REFERENCE_INTEL, td_bdw_eval, &td_thresholds_core, NULL,
	SNB_INST, 0, { 0 }, { 0 }
};

/* Skylake to Cascade Lake: level 1 is that of Sandy Bridge. */
enum {
	SKL_STALLS_MEM = SNB_CLEARS + 1, SKL_STORES, SKL_STALLS, SKL_PORTS_1, SKL_PORTS_2,
	SKL_FUSED, SKL_INST, SKL_NR,
};

static const struct td_event td_skl_events[SKL_NR] = {
	{ "CPU_CLK_UNHALTED.THREAD", 0x3c, 0, TD_LEVEL1, TD_ALWAYS },
	{ "IDQ_UOPS_NOT_DELIVERED.CORE", 0x19c, 0, TD_LEVEL1, TD_ALWAYS },
	{ "UOPS_ISSUED.ANY", 0x10e, 0, TD_LEVEL1, TD_ALWAYS },
	{ "UOPS_RETIRED.RETIRE_SLOTS", 0x2c2, 0, TD_LEVEL1, TD_ALWAYS },
	{ "INT_MISC.RECOVERY_CYCLES", 0x10d, 0, TD_LEVEL1, TD_NO_SMT },
	{ "INT_MISC.RECOVERY_CYCLES_ANY", 0x20010d, 0, TD_LEVEL1, TD_SMT },
	{ "CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE", 0x23c, 0, TD_LEVEL1, TD_SMT },
	{ "CPU_CLK_UNHALTED.REF_XCLK", 0x13c, 0, TD_LEVEL1, TD_SMT },
	{ "IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE", 0x400019c, 0, TD_FRONTEND, TD_ALWAYS },
	{ "BR_MISP_RETIRED.ALL_BRANCHES", 0xc5, 0, TD_BAD, TD_ALWAYS },
	{ "MACHINE_CLEARS.COUNT", 0x10401c3, 0, TD_BAD, TD_ALWAYS },
	{ "CYCLE_ACTIVITY.STALLS_MEM_ANY", 0x140014a3, 0, TD_BACKEND, TD_ALWAYS },
	{ "EXE_ACTIVITY.BOUND_ON_STORES", 0x40a6, 0, TD_BACKEND, TD_ALWAYS },
	{ "CYCLE_ACTIVITY.STALLS_TOTAL", 0x40004a3, 0, TD_BACKEND, TD_ALWAYS },
	{ "EXE_ACTIVITY.1_PORTS_UTIL", 0x2a6, 0, TD_BACKEND, TD_ALWAYS },
	{ "EXE_ACTIVITY.2_PORTS_UTIL", 0x4a6, 0, TD_BACKEND, TD_ALWAYS },
	{ "UOPS_RETIRED.MACRO_FUSED", 0x4c2, 0, TD_RETIRING, TD_ALWAYS },
	{ "INST_RETIRED.ANY", 0xc0, 0, TD_RETIRING, TD_ALWAYS },
};

static void td_skl_eval(const struct td_sample *sample, struct td_slots *slots)
{
	const __u64 *count = sample->count;
	__s64 stores = count[SKL_STORES];
	__s64 few;

	td_snb_level1(sample, slots);
	if (sample->level < 2)
		return;
	few = count[SKL_PORTS_1] + td_times(count[SKL_PORTS_2], count[SNB_RETIRED], slots->slots);
	td_set_pair(slots, TOPDOWN_FRONTEND_BOUND, sample->width * count[SNB_NONE_DELIVERED]);
	td_set_split(slots, TOPDOWN_BAD_SPECULATION, count[SNB_MISPREDICTS],
		     count[SNB_MISPREDICTS] + count[SNB_CLEARS]);
	td_set_split(slots, TOPDOWN_BACKEND_BOUND, count[SKL_STALLS_MEM] + stores,
		     count[SKL_STALLS] + few + stores);
	td_set_pair(slots, TOPDOWN_RETIRING,
		    count[SNB_RETIRED] + count[SKL_FUSED] - count[SKL_INST]);
}

const struct td_formula td_generic_skl = {
	"generic_skl", TOPDOWN_SOURCE_GENERIC, 2, TD_NODES_METRICS_L2, SKL_NR, td_skl_events,
	TD_REFERENCE_INTEL, td_skl_eval, &td_thresholds_core, NULL,
	SKL_INST, 0, { 0 }, { 0 }
};

/* Ice Lake, Tiger Lake and Rocket Lake without PERF_METRICS. */
enum {
	ICL_SLOTS, ICL_NOT_DELIVERED, ICL_DROPPED, ICL_BACKEND, ICL_INT_CLEARS, ICL_RETIRED,
	ICL_NONE_DELIVERED, ICL_MISPREDICTS, ICL_CLEARS, ICL_STALLS_MEM, ICL_STORES,
	ICL_STALLS, ICL_PORTS_1, ICL_PORTS_2, ICL_ISSUED, ICL_MS_UOPS, ICL_DECODED,
	ICL_DECODED_1, ICL_MITE, ICL_NR,
};

static const struct td_event td_icl_events[ICL_NR] = {
	{ "TOPDOWN.SLOTS", 0x400, 0x1a4, TD_LEVEL1, TD_ALWAYS },
	{ "IDQ_UOPS_NOT_DELIVERED.CORE", 0x19c, 0, TD_LEVEL1, TD_ALWAYS },
	{ "INT_MISC.UOP_DROPPING", 0x100d, 0, TD_LEVEL1, TD_ALWAYS },
	{ "TOPDOWN.BACKEND_BOUND_SLOTS", 0x2a4, 0, TD_LEVEL1, TD_ALWAYS },
	{ "INT_MISC.CLEARS_COUNT", 0x104010d, 0, TD_LEVEL1, TD_ALWAYS },
	{ "UOPS_RETIRED.SLOTS", 0x2c2, 0, TD_LEVEL1, TD_ALWAYS },
	{ "IDQ_UOPS_NOT_DELIVERED.CYCLES_0_UOPS_DELIV.CORE", 0x500019c, 0, TD_FRONTEND, TD_ALWAYS },
	{ "BR_MISP_RETIRED.ALL_BRANCHES", 0xc5, 0, TD_BAD, TD_ALWAYS },
	{ "MACHINE_CLEARS.COUNT", 0x10401c3, 0, TD_BAD, TD_ALWAYS },
	{ "CYCLE_ACTIVITY.STALLS_MEM_ANY", 0x140014a3, 0, TD_BACKEND, TD_ALWAYS },
	{ "EXE_ACTIVITY.BOUND_ON_STORES", 0x20040a6, 0, TD_BACKEND, TD_ALWAYS },
	{ "CYCLE_ACTIVITY.STALLS_TOTAL", 0x40004a3, 0, TD_BACKEND, TD_ALWAYS },
	{ "EXE_ACTIVITY.1_PORTS_UTIL", 0x2a6, 0, TD_BACKEND, TD_ALWAYS },
	{ "EXE_ACTIVITY.2_PORTS_UTIL", 0x4a6, 0, TD_BACKEND, TD_ALWAYS },
	{ "UOPS_ISSUED.ANY", 0x10e, 0, TD_RETIRING, TD_ALWAYS },
	{ "IDQ.MS_UOPS", 0x3079, 0, TD_RETIRING, TD_ALWAYS },
	{ "UOPS_DECODED.DEC0", 0x156, 0, TD_RETIRING, TD_ALWAYS },
	{ "UOPS_DECODED.DEC0:c1", 0x1000156, 0, TD_RETIRING, TD_ALWAYS },
	{ "IDQ.MITE_UOPS", 0x479, 0, TD_RETIRING, TD_ALWAYS },
};

/* Level 1 from three counted nodes, not yet clamped; the fourth is the remainder. */
static void td_fallback_level1(struct td_slots *slots, __s64 frontend, __s64 backend,
			       __s64 retired)
{
	td_set_level1(slots, TOPDOWN_FRONTEND_BOUND, frontend);
	td_set_level1(slots, TOPDOWN_BACKEND_BOUND, backend);
	td_set_level1(slots, TOPDOWN_RETIRING, retired);
	td_set_level1(slots, TOPDOWN_BAD_SPECULATION,
		      (__s64)slots->slots - frontend - backend - retired);
}

static void td_icl_level2(const struct td_sample *sample, struct td_slots *slots)
{
	const __u64 *count = sample->count;
	__s64 stores = count[ICL_STORES], width = sample->width;
	__s64 few = count[ICL_PORTS_1] + td_times(count[ICL_PORTS_2], count[ICL_RETIRED],
						  slots->slots);
	__s64 decoded = count[ICL_DECODED] - count[ICL_DECODED_1];

	td_set_pair(slots, TOPDOWN_FRONTEND_BOUND,
		    width * (__s64)count[ICL_NONE_DELIVERED] - (__s64)count[ICL_DROPPED]);
	td_set_split(slots, TOPDOWN_BAD_SPECULATION, count[ICL_MISPREDICTS],
		     count[ICL_MISPREDICTS] + count[ICL_CLEARS]);
	td_set_split(slots, TOPDOWN_BACKEND_BOUND, count[ICL_STALLS_MEM] + stores,
		     count[ICL_STALLS] + few + stores);
	td_set_pair(slots, TOPDOWN_RETIRING,
		    td_times(count[ICL_MS_UOPS], count[ICL_RETIRED], count[ICL_ISSUED]) +
		    td_times(count[ICL_RETIRED], decoded > 0 ? decoded : 0, count[ICL_MITE]));
}

static void td_icl_eval(const struct td_sample *sample, struct td_slots *slots)
{
	const __u64 *count = sample->count;

	slots->slots = count[ICL_SLOTS];
	td_fallback_level1(slots, count[ICL_NOT_DELIVERED] - count[ICL_DROPPED],
			   count[ICL_BACKEND] + sample->width * count[ICL_INT_CLEARS],
			   count[ICL_RETIRED]);
	if (sample->level > 1)
		td_icl_level2(sample, slots);
}

const struct td_formula td_fallback_icl = {
	"fallback_icl", TOPDOWN_SOURCE_FALLBACK, 2, TD_NODES_METRICS_L2, ICL_NR, td_icl_events,
	TD_REFERENCE_INTEL, td_icl_eval, &td_thresholds_core, &td_refined_icl,
	0, 0, { 0 }, { 0 }
};

/*
 * TOPDOWN.BAD_SPEC_SLOTS and TOPDOWN.BR_MISPREDICT_SLOTS: "Counter" is 0 for both in the event
 * lists (perfmon) of Golden Cove and later.  On another counter they count 0.
 */
#define TD_RIVALS	{ 0x4a4, 0x8a4 }

/*
 * TOPDOWN.BR_MISPREDICT_SLOTS and TOPDOWN.MEMORY_BOUND_SLOTS: counters 0 and 3 of Lion Cove.
 * Linux had counter 0 for both when it learned of that core.
 */
#define TD_MATES_LION	{ 0x8a4, 0x10a4 }

/* Golden, Raptor and Redwood Cove without PERF_METRICS. */
enum {
	GLC_SLOTS, GLC_BUBBLES, GLC_BACKEND, GLC_RETIRED, GLC_DROPPED, GLC_NONE_DELIVERED,
	GLC_MISPREDICT, GLC_MEMORY, GLC_HEAVY, GLC_NR,
};

static const struct td_event td_glc_events[GLC_NR] = {
	{ "TOPDOWN.SLOTS", 0x400, 0x1a4, TD_LEVEL1, TD_ALWAYS },
	{ "IDQ_BUBBLES.CORE", 0x19c, 0, TD_LEVEL1, TD_ALWAYS },
	{ "TOPDOWN.BACKEND_BOUND_SLOTS", 0x2a4, 0, TD_LEVEL1, TD_ALWAYS },
	{ "UOPS_RETIRED.SLOTS", 0x2c2, 0, TD_LEVEL1, TD_ALWAYS },
	{ "INT_MISC.UOP_DROPPING", 0x10ad, 0, TD_LEVEL1, TD_ALWAYS },
	{ "IDQ_BUBBLES.CYCLES_0_UOPS_DELIV.CORE", 0x600019c, 0, TD_FRONTEND, TD_ALWAYS },
	{ "TOPDOWN.BR_MISPREDICT_SLOTS", 0x8a4, 0, TD_BAD, TD_ALWAYS },
	{ "TOPDOWN.MEMORY_BOUND_SLOTS", 0x10a4, 0, TD_BACKEND, TD_ALWAYS },
	{ "UOPS_RETIRED.HEAVY", 0x1c2, 0, TD_RETIRING, TD_ALWAYS },
};

static void td_glc_eval(const struct td_sample *sample, struct td_slots *slots)
{
	const __u64 *count = sample->count;
	__s64 dropped = count[GLC_DROPPED], width = sample->width;

	slots->slots = count[GLC_SLOTS];
	td_fallback_level1(slots, count[GLC_BUBBLES] - dropped, count[GLC_BACKEND],
			   count[GLC_RETIRED]);
	if (sample->level < 2)
		return;
	td_set_pair(slots, TOPDOWN_FRONTEND_BOUND,
		    width * (__s64)count[GLC_NONE_DELIVERED] - dropped);
	td_set_pair(slots, TOPDOWN_BAD_SPECULATION, count[GLC_MISPREDICT]);
	td_set_pair(slots, TOPDOWN_BACKEND_BOUND, count[GLC_MEMORY]);
	td_set_pair(slots, TOPDOWN_RETIRING, count[GLC_HEAVY]);
}

const struct td_formula td_fallback_glc = {
	"fallback_glc", TOPDOWN_SOURCE_FALLBACK, 2, TD_NODES_METRICS_L2, GLC_NR, td_glc_events,
	TD_REFERENCE_INTEL, td_glc_eval, &td_thresholds_core, &td_refined_glc,
	0, 0, TD_RIVALS, { 0 }
};

/* Lion and Cougar Cove without PERF_METRICS. */
enum {
	LNC_SLOTS, LNC_BUBBLES, LNC_BACKEND, LNC_RETIRED, LNC_LEVEL1,
	LNC_THREAD = LNC_LEVEL1, LNC_LATENCY, LNC_MISPREDICT, LNC_MEMORY, LNC_HEAVY, LNC_NR,
};

static const struct td_event td_lnc_events[LNC_NR] = {
	{ "TOPDOWN.SLOTS_P", 0x1a4, 0, TD_LEVEL1, TD_ALWAYS },
	{ "IDQ_BUBBLES.CORE", 0x19c, 0, TD_LEVEL1, TD_ALWAYS },
	{ "TOPDOWN.BACKEND_BOUND_SLOTS", 0x2a4, 0, TD_LEVEL1, TD_ALWAYS },
	{ "UOPS_RETIRED.SLOTS", 0x2c2, 0, TD_LEVEL1, TD_ALWAYS },
	{ "CPU_CLK_UNHALTED.THREAD", 0x3c, 0, TD_FRONTEND, TD_ALWAYS },
	{ "IDQ_BUBBLES.FETCH_LATENCY", 0x49c, 0, TD_FRONTEND, TD_ALWAYS },
	{ "TOPDOWN.BR_MISPREDICT_SLOTS", 0x8a4, 0, TD_BAD, TD_ALWAYS },
	{ "TOPDOWN.MEMORY_BOUND_SLOTS", 0x10a4, 0, TD_BACKEND, TD_ALWAYS },
	{ "UOPS_RETIRED.HEAVY", 0x1c2, 0, TD_RETIRING, TD_ALWAYS },
};

static void td_lnc_eval(const struct td_sample *sample, struct td_slots *slots)
{
	const __u64 *count = sample->count;

	slots->slots = count[LNC_SLOTS];
	td_fallback_level1(slots, count[LNC_BUBBLES], count[LNC_BACKEND], count[LNC_RETIRED]);
	if (sample->level < 2)
		return;
	td_set_pair(slots, TOPDOWN_FRONTEND_BOUND,
		    td_times(slots->slots, count[LNC_LATENCY], count[LNC_THREAD]));
	td_set_pair(slots, TOPDOWN_BAD_SPECULATION, count[LNC_MISPREDICT]);
	td_set_pair(slots, TOPDOWN_BACKEND_BOUND, count[LNC_MEMORY]);
	td_set_pair(slots, TOPDOWN_RETIRING, count[LNC_HEAVY]);
}

const struct td_formula td_fallback_lnc = {
	"fallback_lnc", TOPDOWN_SOURCE_FALLBACK, 2, TD_NODES_METRICS_L2, LNC_NR, td_lnc_events,
	TD_REFERENCE_INTEL, td_lnc_eval, &td_thresholds_core, NULL,
	0, 0, TD_RIVALS, TD_MATES_LION
};

/*
 * Coyote Cove without PERF_METRICS.  Its event list has the same level 1 events, which are
 * architectural (SDM 3B).  No formula and no threshold are published for it.
 */
const struct td_formula td_fallback_coc = {
	"fallback_coc", TOPDOWN_SOURCE_FALLBACK, 1, TD_NODES_METRICS_L1, LNC_LEVEL1,
	td_lnc_events, TD_REFERENCE_INTEL, td_lnc_eval, NULL, NULL,
	0, 0, { 0 }, { 0 }
};
