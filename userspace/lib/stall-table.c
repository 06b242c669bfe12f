// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The fields of all layouts, register by register. The order counts where several fields say
 * something of one thing: the last one decides.
 */
#include "stall-table.h"

#define L(name)			(1U << TOPDOWN_LAYOUT_##name)
#define LOADS_LIKE_SNB		(L(SNB) | L(SKL) | L(GLC))
#define TWO_LATENCIES		(L(GLC) | L(GLC_STORE) | L(GRT) | L(CMT) | L(LNC) | L(PNC) | L(ARW))
#define ONE_LATENCY		(L(NHM) | L(SNB) | L(SKL))
#define OMR			(L(PNC) | L(ARW))
#define POWER			(L(POWER8) | L(POWER9) | L(POWER10))

#define BITS(mask, reg, low, bits)	.layouts = (mask), .word = (reg), .shift = (low), \
					.width = (bits)
#define BIT(nr)				(1ULL << (nr))
#define SETS(name)			.op = TD_FLAG, .flags = TOPDOWN_STALL_##name
#define SETS_NUMBER(name)		.op = TD_NUMBER, .number = TD_##name

/* Of CPUID 8000001BH EAX. */
#define CAP_BRANCH_TARGET	BIT(5)
#define CAP_FETCH_EXTENDED	BIT(9)
#define CAP_ZEN4		BIT(11)
#define CAP_STREAMING		BIT(16)

/* Registers of IBS. */
#define OP_RIP		1
#define OP_DATA		2
#define OP_DATA2	3
#define OP_DATA3	4
#define OP_LINEAR	5
#define OP_TARGET	7

const struct td_stall_bits td_stall_table[] = {
	/* PEBS: the data source. */
	{ BITS(L(NHM), 0, 0, 4), .op = TD_LOOKUP, .lookup = &td_source_nhm, .what = "data source" },
	{ BITS(L(SNB), 0, 0, 4), .op = TD_LOOKUP, .lookup = &td_source_snb, .what = "data source" },
	{ BITS(L(SKL) | L(GLC) | L(GLC_STORE), 0, 0, 4), .op = TD_LOOKUP,
	  .lookup = &td_source_skl, .what = "data source" },
	{ BITS(L(GRT), 0, 0, 4), .op = TD_LOOKUP, .lookup = &td_source_grt, .what = "data source" },
	{ BITS(L(CMT), 0, 0, 5), .op = TD_LOOKUP, .lookup = &td_source_cmt, .what = "data source" },
	{ BITS(L(LNC), 0, 0, 8), .op = TD_LOOKUP, .lookup = &td_source_lnc, .what = "data source" },
	{ BITS(L(PNC), 0, 0, 4), .if_clear = BIT(8), .op = TD_LOOKUP,
	  .lookup = &td_source_pnc, .what = "data source without an L2 miss" },
	{ BITS(L(ARW), 0, 0, 4), .if_clear = BIT(8), .op = TD_LOOKUP,
	  .lookup = &td_source_arw, .what = "data source without an L2 miss" },
	{ BITS(OMR, 0, 8, 1), SETS(L2_MISS), .what = "L2 miss" },
	{ BITS(OMR, 0, 0, 4), .if_set = BIT(8), .op = TD_OMR_SOURCE,
	  .what = "OMR source, after an L2 miss" },
	{ BITS(OMR, 0, 4, 1), .if_set = BIT(8), SETS(REMOTE), .what = "OMR: remote" },
	{ BITS(OMR, 0, 5, 1), .if_set = BIT(8), SETS(MODIFIED), .what = "OMR: modified" },
	{ BITS(OMR, 0, 6, 1), .if_set = BIT(8), .op = TD_OMR_SNOOP, .what = "OMR: forwarded" },
	{ BITS(OMR, 0, 7, 1), .if_set = BIT(8), SETS(PROMOTED), .what = "OMR: promoted" },
	{ BITS(L(SNB_STORE) | L(HSW_STORE), 0, 0, 1), .op = TD_L1_HIT, .what = "L1 hit" },
	/* PEBS: translation, locks, and what blocked the access. */
	{ BITS(LOADS_LIKE_SNB | L(SNB_STORE) | L(GLC_STORE), 0, 4, 1), SETS(WALK),
	  .what = "STLB miss" },
	{ BITS(LOADS_LIKE_SNB | L(SNB_STORE) | L(GLC_STORE), 0, 5, 1), SETS(LOCKED),
	  .what = "locked" },
	{ BITS(L(GLC), 0, 6, 1), SETS(BLOCKED_STORE), .what = "blocked: data of a store" },
	{ BITS(L(GLC), 0, 7, 1), SETS(BLOCKED_ADDRESS), .what = "blocked: address of a store" },
	{ BITS(L(GRT), 0, 4, 1), SETS(LOCKED), .what = "locked" },
	{ BITS(L(GRT), 0, 5, 1), SETS(WALK), .what = "STLB miss" },
	{ BITS(L(GRT), 0, 6, 1), SETS(BLOCKED_STORE), .what = "blocked: data of a store" },
	{ BITS(L(CMT), 0, 5, 1), SETS(LOCKED), .what = "locked" },
	{ BITS(L(CMT), 0, 6, 1), SETS(WALK), .what = "STLB miss" },
	{ BITS(L(CMT), 0, 7, 1), SETS(BLOCKED_STORE), .what = "blocked: data of a store" },
	{ BITS(L(LNC), 0, 10, 1), SETS(WALK), .what = "STLB miss" },
	{ BITS(L(LNC), 0, 11, 1), SETS(LOCKED), .what = "locked" },
	{ BITS(L(LNC), 0, 12, 1), SETS(BLOCKED_STORE), .what = "blocked: data of a store" },
	{ BITS(L(LNC), 0, 13, 1), SETS(BLOCKED_ADDRESS), .what = "blocked: address of a store" },
	{ BITS(L(PNC), 0, 9, 1), .op = TD_FLAG,
	  .flags = TOPDOWN_STALL_TLB_MISS | TOPDOWN_STALL_TLB_HIT, .what = "STLB hit, clean" },
	{ BITS(L(PNC), 0, 10, 1), .op = TD_FLAG,
	  .flags = TOPDOWN_STALL_TLB_MISS | TOPDOWN_STALL_TLB_HIT, .what = "STLB hit" },
	{ BITS(L(ARW), 0, 9, 1), SETS(PROMOTED), .what = "promoted in the queue of the core" },
	{ BITS(L(ARW), 0, 10, 1), SETS(REISSUED), .what = "reissued" },
	{ BITS(OMR, 0, 11, 1), SETS(WALK), .what = "STLB miss" },
	{ BITS(OMR, 0, 12, 1), SETS(LOCKED), .what = "locked" },
	{ BITS(OMR, 0, 13, 1), SETS(BLOCKED_STORE), .what = "blocked: data of a store" },
	{ BITS(OMR, 0, 14, 1), SETS(BLOCKED_ADDRESS), .what = "blocked: address of a store" },
	{ BITS(OMR, 0, 15, 1), SETS(QUEUE_FULL), .what = "fill buffers full" },
	/* PEBS: latencies. */
	{ BITS(ONE_LATENCY, 1, 0, 32), SETS_NUMBER(WHOLE), .what = "latency of the access" },
	{ BITS(TWO_LATENCIES, 1, 0, 16), SETS_NUMBER(WHOLE), .what = "latency of the instruction" },
	{ BITS(TWO_LATENCIES, 1, 32, 16), SETS_NUMBER(CACHE), .what = "latency of the cache" },
	{ BITS(TWO_LATENCIES, 2, 0, 16), SETS_NUMBER(RETIRE), .what = "retire latency" },
	/* IBS operations. */
	{ BITS(L(IBS_OP), OP_RIP, 0, 64), .if_word = OP_DATA, .if_clear = BIT(38), SETS_NUMBER(IP),
	  .what = "instruction" },
	{ BITS(L(IBS_OP), OP_DATA, 0, 16), SETS_NUMBER(RETIRE),
	  .what = "completion to retirement" },
	{ BITS(L(IBS_OP), OP_DATA, 16, 16), SETS_NUMBER(WHOLE), .what = "tag to retirement" },
	{ BITS(L(IBS_OP), OP_DATA, 37, 1), .op = TD_KIND, .kind = TOPDOWN_STALL_BRANCH,
	  .what = "branch" },
	{ BITS(L(IBS_OP), OP_DATA, 34, 1), .if_word = OP_DATA, .if_set = BIT(37), SETS(RETURN),
	  .what = "return" },
	{ BITS(L(IBS_OP), OP_DATA, 35, 1), .if_word = OP_DATA, .if_set = BIT(37), SETS(TAKEN),
	  .what = "taken branch" },
	{ BITS(L(IBS_OP), OP_DATA, 36, 1), .if_word = OP_DATA, .if_set = BIT(37),
	  SETS(MISPREDICTED), .what = "mispredicted branch" },
	{ BITS(L(IBS_OP), OP_DATA, 38, 1), .op = TD_GUARD, .what = "instruction is not valid" },
	{ BITS(L(IBS_OP), OP_DATA, 39, 1), SETS(FUSED), .what = "fused branch" },
	{ BITS(L(IBS_OP), OP_DATA, 40, 1), SETS(MICROCODE), .what = "microcode" },
	{ BITS(L(IBS_OP), OP_DATA3, 1, 1), .op = TD_KIND, .kind = TOPDOWN_STALL_STORE,
	  .what = "store" },
	{ BITS(L(IBS_OP), OP_DATA3, 0, 1), .op = TD_KIND, .kind = TOPDOWN_STALL_LOAD,
	  .what = "load" },
	{ BITS(L(IBS_OP), OP_DATA3, 1, 1), .if_word = OP_DATA3, .if_set = BIT(0), SETS(STORES),
	  .what = "load that stores" },
	{ BITS(L(IBS_OP), OP_DATA3, 2, 1), SETS(TLB_MISS), .what = "L1 DTLB miss" },
	{ BITS(L(IBS_OP), OP_DATA3, 3, 1), SETS(WALK), .what = "L2 DTLB miss" },
	{ BITS(L(IBS_OP), OP_DATA3, 4, 1), SETS(PAGE_2M), .what = "L1 DTLB hit, 2M page" },
	{ BITS(L(IBS_OP), OP_DATA3, 5, 1), SETS(PAGE_1G), .what = "L1 DTLB hit, 1G page" },
	{ BITS(L(IBS_OP), OP_DATA3, 6, 1), .op = TD_FLAG,
	  .flags = TOPDOWN_STALL_PAGE_2M | TOPDOWN_STALL_TLB_HIT, .what = "L2 DTLB hit, 2M page" },
	{ BITS(L(IBS_OP), OP_DATA3, 19, 1), .op = TD_FLAG,
	  .flags = TOPDOWN_STALL_PAGE_1G | TOPDOWN_STALL_TLB_HIT, .what = "L2 DTLB hit, 1G page" },
	{ BITS(L(IBS_OP), OP_DATA3, 7, 1), SETS(L1_MISS), .what = "data cache miss" },
	{ BITS(L(IBS_OP), OP_DATA3, 8, 1), SETS(MISALIGNED), .what = "misaligned" },
	{ BITS(L(IBS_OP), OP_DATA3, 13, 1), SETS(COMBINING), .what = "write-combining memory" },
	{ BITS(L(IBS_OP), OP_DATA3, 14, 1), SETS(UNCACHED), .what = "uncached memory" },
	{ BITS(L(IBS_OP), OP_DATA3, 15, 1), SETS(LOCKED), .what = "locked" },
	{ BITS(L(IBS_OP), OP_DATA3, 16, 1), SETS(QUEUE_FULL), .what = "miss without a buffer" },
	{ BITS(L(IBS_OP), OP_DATA3, 20, 1), SETS(L2_MISS), .what = "L2 miss" },
	{ BITS(L(IBS_OP), OP_DATA3, 21, 1), SETS(PREFETCH), .what = "prefetch instruction" },
	{ BITS(L(IBS_OP), OP_DATA3, 22, 4), .op = TD_ACCESS, .what = "bytes of the access" },
	{ BITS(L(IBS_OP), OP_DATA3, 26, 6), .if_word = OP_DATA3, .if_set = BIT(7),
	  SETS_NUMBER(OUTSTANDING), .what = "misses outstanding at the fill" },
	{ BITS(L(IBS_OP), OP_DATA3, 32, 16), .if_word = OP_DATA3, .if_set = BIT(7) | BIT(0),
	  SETS_NUMBER(CACHE), .what = "data cache miss latency" },
	{ BITS(L(IBS_OP), OP_DATA3, 48, 16), .if_word = OP_DATA3, .if_set = BIT(2),
	  SETS_NUMBER(TRANSLATION), .what = "DTLB refill latency" },
	{ BITS(L(IBS_OP), OP_DATA3, 17, 1), .op = TD_GUARD, .what = "linear address is valid" },
	{ BITS(L(IBS_OP), OP_LINEAR, 0, 64), .if_word = OP_DATA3, .if_set = BIT(17),
	  SETS_NUMBER(ADDRESS), .what = "linear address" },
	{ BITS(L(IBS_OP), OP_DATA2, 0, 3), .if_word = OP_DATA3, .if_set = BIT(0) | BIT(7),
	  .lacks = CAP_ZEN4, .op = TD_LOOKUP, .lookup = &td_source_zen2, .what = "data source" },
	{ BITS(L(IBS_OP), OP_DATA2, 0, 3), .high_shift = 6, .high_width = 2, .if_word = OP_DATA3,
	  .if_set = BIT(0) | BIT(7), .caps = CAP_ZEN4, .op = TD_LOOKUP,
	  .lookup = &td_source_zen4, .what = "data source" },
	{ BITS(L(IBS_OP), OP_DATA2, 4, 1), .if_word = OP_DATA3, .if_set = BIT(0) | BIT(7),
	  SETS(REMOTE), .what = "remote NUMA node" },
	{ BITS(L(IBS_OP), OP_DATA2, 5, 1), .if_word = OP_DATA3, .if_set = BIT(0) | BIT(7) | BIT(20),
	  .caps = CAP_ZEN4, .op = TD_CACHE_STATE, .what = "0: modified, of data of a cache" },
	{ BITS(L(IBS_OP), OP_DATA2, 8, 1), .caps = CAP_STREAMING, SETS(STREAMING),
	  .unconfirmed = true, .what = "streaming store" },
	{ BITS(L(IBS_OP), OP_DATA2, 9, 1), .if_word = OP_DATA3, .if_set = BIT(0) | BIT(7),
	  .caps = CAP_STREAMING, .op = TD_FLAG,
	  .flags = TOPDOWN_STALL_REMOTE_SOCKET | TOPDOWN_STALL_REMOTE, .unconfirmed = true,
	  .what = "remote socket" },
	{ BITS(L(IBS_OP), OP_TARGET, 0, 64), .if_word = OP_DATA, .if_set = BIT(37) | BIT(35),
	  .caps = CAP_BRANCH_TARGET, SETS_NUMBER(TARGET), .what = "target of the branch" },
	/* IBS fetches. */
	{ BITS(L(IBS_FETCH), 1, 0, 64), SETS_NUMBER(IP), .what = "linear address" },
	{ BITS(L(IBS_FETCH), 0, 32, 16), SETS_NUMBER(FETCH), .what = "fetch latency" },
	{ BITS(L(IBS_FETCH), 0, 50, 1), .op = TD_NOT_FLAG, .flags = TOPDOWN_STALL_ABORTED,
	  .what = "fetch complete" },
	{ BITS(L(IBS_FETCH), 0, 51, 1), SETS(ICACHE_MISS), .what = "instruction cache miss" },
	{ BITS(L(IBS_FETCH), 0, 52, 1), .op = TD_GUARD, .what = "page size is valid" },
	{ BITS(L(IBS_FETCH), 0, 53, 2), .if_set = BIT(52), .op = TD_PAGE, .what = "page size" },
	{ BITS(L(IBS_FETCH), 0, 55, 1), SETS(TLB_MISS), .what = "L1 ITLB miss" },
	{ BITS(L(IBS_FETCH), 0, 56, 1), SETS(WALK), .what = "L2 ITLB miss" },
	{ BITS(L(IBS_FETCH), 0, 58, 1), .if_set = BIT(50), SETS(L2_MISS), .what = "L2 miss" },
	{ BITS(L(IBS_FETCH), 0, 60, 1), .caps = CAP_ZEN4, SETS(OPCACHE_MISS),
	  .what = "operation cache miss" },
	{ BITS(L(IBS_FETCH), 0, 61, 1), .if_set = BIT(50), .caps = CAP_ZEN4, SETS(L3_MISS),
	  .what = "L3 miss" },
	{ BITS(L(IBS_FETCH), 3, 0, 16), .if_word = 0, .if_set = BIT(55), .caps = CAP_FETCH_EXTENDED,
	  SETS_NUMBER(TRANSLATION), .what = "ITLB refill latency" },
	/* POWER: SIER. Bit n of IBM is bit 63 - n here. */
	{ BITS(POWER, 0, 15, 3), .op = TD_LOOKUP, .lookup = &td_sier_kind, .what = "type" },
	{ BITS(POWER, 0, 1, 3), .op = TD_LOOKUP, .lookup = &td_sier_source, .what = "data from" },
	{ BITS(POWER, 0, 54, 2), .if_set = BIT(3), .if_clear = BIT(1) | BIT(2), SETS(REMOTE),
	  .what = "memory of another chip" },
	{ BITS(POWER, 0, 53, 1), .if_set = BIT(3) | BIT(1), .if_clear = BIT(2), SETS(MODIFIED),
	  .what = "modified by another core" },
	{ BITS(POWER, 0, 53, 1), .if_set = BIT(3) | BIT(2), .if_clear = BIT(1), SETS(MODIFIED),
	  .what = "modified by another chip" },
	{ BITS(POWER, 0, 12, 3), .op = TD_LOOKUP, .lookup = &td_sier_fetch,
	  .what = "instructions from" },
	{ BITS(POWER, 0, 7, 1), SETS(TLB_MISS), .what = "DERAT miss" },
	{ BITS(POWER, 0, 10, 1), SETS(MISPREDICTED), .what = "mispredicted branch" },
	{ BITS(POWER, 0, 8, 2), .if_set = BIT(10), .op = TD_LOOKUP,
	  .lookup = &td_sier_mispredict, .what = "what was mispredicted" },
	{ BITS(L(POWER8), 0, 31, 1), SETS(REJECT_SOURCE), .what = "rejected for an operand" },
	{ BITS(L(POWER8), 0, 30, 1), SETS(REJECT_COLLISION), .what = "rejected for a collision" },
	{ BITS(L(POWER8), 0, 27, 2), .if_set = BIT(15), .if_clear = BIT(16) | BIT(17),
	  .op = TD_LOOKUP, .lookup = &td_sier_reject, .what = "rejected load" },
	{ BITS(L(POWER8), 0, 27, 2), .if_set = BIT(16), .if_clear = BIT(15) | BIT(17),
	  .op = TD_LOOKUP, .lookup = &td_sier_reject, .what = "rejected store" },
	{ BITS(POWER, 0, 57, 4), .op = TD_LOOKUP, .lookup = &td_sier_stall,
	  .what = "finish stall" },
	{ BITS(POWER, 1, 0, 32), SETS_NUMBER(CACHE), .what = "latency" },
	{ BITS(L(POWER10), 2, 26, 11), SETS_NUMBER(WHOLE), .what = "cycles to finish" },
	{ BITS(L(POWER10), 2, 50, 11), SETS_NUMBER(DISPATCH), .what = "cycles to dispatch" },
	/* perf's data source and weights. */
	{ BITS(L(PERF), 0, 1, 4), .op = TD_OPERATIONS, .what = "mem_op" },
	{ BITS(L(PERF), 0, 33, 4), .op = TD_LEVEL, .what = "mem_lvl_num" },
	{ BITS(L(PERF), 0, 7, 12), .op = TD_LEVELS, .what = "mem_lvl" },
	{ BITS(L(PERF), 0, 21, 1), SETS(SHARED), .what = "mem_snoop: hit" },
	{ BITS(L(PERF), 0, 23, 1), SETS(MODIFIED), .what = "mem_snoop: hit modified" },
	{ BITS(L(PERF), 0, 25, 1), SETS(LOCKED), .what = "mem_lock: locked" },
	{ BITS(L(PERF), 0, 27, 5), .op = TD_TLB, .what = "mem_dtlb" },
	{ BITS(L(PERF), 0, 38, 2), SETS(FORWARDED), .what = "mem_snoopx" },
	{ BITS(L(PERF), 0, 41, 1), SETS(BLOCKED_STORE), .what = "mem_blk: data" },
	{ BITS(L(PERF), 0, 42, 1), SETS(BLOCKED_ADDRESS), .what = "mem_blk: address" },
	{ BITS(L(PERF), 0, 37, 1), SETS(REMOTE), .what = "mem_remote" },
	{ BITS(L(PERF), 0, 43, 3), .op = TD_HOPS, .what = "mem_hops" },
	{ BITS(L(PERF), 0, 46, 5), SETS_NUMBER(REGION), .what = "mem_region" },
	{ BITS(L(PERF), 1, 0, 32), SETS_NUMBER(CACHE), .what = "var1_dw" },
	{ BITS(L(PERF), 1, 32, 16), SETS_NUMBER(WHOLE), .what = "var2_w" },
	{ BITS(L(PERF), 1, 48, 16), SETS_NUMBER(RETIRE), .what = "var3_w" },
};

const unsigned int td_stall_table_nr = sizeof(td_stall_table) / sizeof(td_stall_table[0]);
