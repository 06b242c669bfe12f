// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the values of fields say that are numbers of a list.
 *
 * Data sources of PEBS are those of Intel's SDM, "Load Latency Performance Monitoring Facility",
 * and of its "Architecture Instruction Set Extensions", section 16.2, for OMR. Those of IBS are
 * in AMD's PPR, IbsOpData2. SIER is in IBM's performance monitoring guides.
 */
#include "stall-lookups.h"

#define FROM(from, more)	{ .set = true, .source = TOPDOWN_FROM_##from, .flags = (more) }
#define REMOTE			TOPDOWN_STALL_REMOTE
#define MODIFIED		TOPDOWN_STALL_MODIFIED
#define SHARED			TOPDOWN_STALL_SHARED
#define FORWARDED		TOPDOWN_STALL_FORWARDED

/* The same on all cores before Lion Cove. */
#define NEAR_SOURCES					\
	[0x0] = FROM(UNKNOWN_L3_MISS, 0),		\
	[0x1] = FROM(L1, 0),				\
	[0x2] = FROM(L1_BUFFER, 0),			\
	[0x3] = FROM(L2, 0),				\
	[0x4] = FROM(L3, 0),				\
	[0xe] = FROM(IO, 0),				\
	[0xf] = FROM(UNCACHED, 0)

#define FAR_SOURCES					\
	[0x8] = FROM(FAR_CACHE, REMOTE | SHARED),	\
	[0x9] = FROM(FAR_CACHE, REMOTE | MODIFIED),	\
	[0xa] = FROM(MEMORY, SHARED),			\
	[0xb] = FROM(MEMORY, REMOTE | SHARED),		\
	[0xc] = FROM(MEMORY, 0),			\
	[0xd] = FROM(MEMORY, REMOTE)

const struct td_stall_lookup td_source_nhm = { .of = {
	NEAR_SOURCES,
	FAR_SOURCES,
	[0x5] = FROM(L3, SHARED),
	[0x6] = FROM(L3, MODIFIED),
	[0x7] = FROM(L3, MODIFIED),
} };

const struct td_stall_lookup td_source_snb = { .of = {
	NEAR_SOURCES,
	FAR_SOURCES,
	[0x5] = FROM(L3, 0),
	[0x6] = FROM(L3, SHARED),
	[0x7] = FROM(L3, MODIFIED),
} };

const struct td_stall_lookup td_source_skl = { .of = {
	NEAR_SOURCES,
	[0x5] = FROM(L3, 0),
	[0x6] = FROM(L3, SHARED),
	[0x7] = FROM(L3, MODIFIED),
	[0x8] = FROM(L4_OR_PERSISTENT, SHARED),
	[0x9] = FROM(L4_OR_PERSISTENT, REMOTE | SHARED),
	[0xa] = FROM(MEMORY, SHARED),
	[0xb] = FROM(MEMORY, REMOTE),
	[0xc] = FROM(FAR_CACHE, REMOTE | FORWARDED),
	[0xd] = FROM(FAR_CACHE, REMOTE | MODIFIED),
} };

const struct td_stall_lookup td_source_grt = { .of = {
	NEAR_SOURCES,
	[0x5] = FROM(L3, SHARED),
	[0x6] = FROM(L3, MODIFIED),
	[0x7] = FROM(L3, MODIFIED),
	[0x8] = FROM(L3, FORWARDED),
	[0x9] = FROM(FAR_CACHE, REMOTE | MODIFIED),
	[0xa] = FROM(MEMORY, SHARED),
	[0xb] = FROM(MEMORY, REMOTE | SHARED),
	[0xc] = FROM(MEMORY, 0),
	[0xd] = FROM(MEMORY, REMOTE),
} };

const struct td_stall_lookup td_source_cmt = { .of = {
	NEAR_SOURCES,
	[0x5] = FROM(L3, 0),
	[0x6] = FROM(L3, SHARED),
	[0x7] = FROM(L3, FORWARDED),
	[0x8] = FROM(L3, MODIFIED),
	[0x9] = FROM(FAR_CACHE, REMOTE | MODIFIED),
	[0xa] = FROM(MEMORY, 0),
	[0xb] = FROM(MEMORY, REMOTE),
	[0xc] = FROM(MEMORY, REMOTE | FORWARDED),
	[0xd] = FROM(MEMORY, REMOTE | MODIFIED),
} };

const struct td_stall_lookup td_source_lnc = { .of = {
	[0x00] = FROM(UNKNOWN_L3_MISS, 0),
	[0x01] = FROM(L1, 0),
	[0x02] = FROM(L1, 0),
	[0x03] = FROM(L1_BUFFER, 0),
	[0x05] = FROM(L2, 0),
	[0x06] = FROM(L2_BUFFER, 0),
	[0x08] = FROM(L3, 0),
	[0x0c] = FROM(L3, FORWARDED),
	[0x0d] = FROM(L3, MODIFIED),
	[0x0f] = FROM(UNKNOWN_L3_MISS, MODIFIED),
	[0x10] = FROM(MEMORY_SIDE, 0),
	[0x11] = FROM(MEMORY, 0),
} };

/* Up to the second level; beyond it there is OMR. */
const struct td_stall_lookup td_source_pnc = { .of = {
	[0x1] = FROM(L0, 0),
	[0x2] = FROM(L1, 0),
	[0x3] = FROM(L1_BUFFER, 0),
	[0x4] = FROM(L2, 0),
	[0x7] = FROM(L2, SHARED),
	[0x8] = FROM(L2, MODIFIED),
	[0x9] = FROM(L2, TOPDOWN_STALL_PROMOTED),
	[0xa] = FROM(L2, TOPDOWN_STALL_PROMOTED),
	[0xf] = FROM(UNCACHED, 0),
} };

const struct td_stall_lookup td_source_arw = { .of = {
	[0x1] = FROM(L1, 0),
	[0x2] = FROM(L1_BUFFER, 0),
	[0x3] = FROM(L2, 0),
	[0x4] = FROM(L2, SHARED),
	[0x5] = FROM(L2, MODIFIED),
	[0x6] = FROM(UNCACHED, 0),
} };

const struct td_stall_lookup td_source_zen2 = { .of = {
	[2] = FROM(L3, 0),
	[3] = FROM(MEMORY, 0),
	[4] = FROM(NEAR_CACHE, 0),
	[7] = FROM(IO, 0),
} };

const struct td_stall_lookup td_source_zen4 = { .of = {
	[1] = FROM(L3, 0),
	[2] = FROM(NEAR_CACHE, 0),
	[3] = FROM(MEMORY, 0),
	[5] = FROM(FAR_CACHE, REMOTE),
	[6] = FROM(PERSISTENT, 0),
	[7] = FROM(IO, 0),
	[8] = FROM(EXTENSION, 0),
	[12] = FROM(PEER, 0),
} };

#define KIND(of)		{ .set = true, .kind = TOPDOWN_STALL_##of }
#define WAITS(at, for)		{ .set = true, .stage = TOPDOWN_STAGE_##at, \
				  .reason = TOPDOWN_REASON_##for }

const struct td_stall_lookup td_sier_kind = { .of = {
	[1] = KIND(LOAD),
	[2] = KIND(STORE),
	[3] = KIND(BRANCH),
	[4] = KIND(OTHER),
	[5] = KIND(OTHER),
	[6] = KIND(OTHER),
} };

const struct td_stall_lookup td_sier_stall = { .of = {
	[1] = WAITS(RETIRE, NEXT),
	[4] = WAITS(MEMORY, L1_MISS),
	[5] = WAITS(MEMORY, LOAD_FINISH),
	[6] = WAITS(MEMORY, FORWARDED),
	[7] = WAITS(MEMORY, STORE_FINISH),
	[8] = WAITS(INTEGER, MULTI_CYCLE),
	[9] = WAITS(BRANCH, MISPREDICT),
	[10] = WAITS(VECTOR, MULTI_CYCLE),
	[12] = WAITS(INTEGER, FIXED_CYCLE),
	[13] = WAITS(VECTOR, FIXED_CYCLE),
	[14] = WAITS(BRANCH, FIXED_CYCLE),
} };

#define REJECT(more)		{ .set = true, .flags = (more) }

/* 0 is an ERAT miss, and also no reject at all: a bit of its own tells of the miss. */
const struct td_stall_lookup td_sier_reject = { .of = {
	[1] = REJECT(TOPDOWN_STALL_QUEUE_FULL),
	[2] = REJECT(TOPDOWN_STALL_BLOCKED_STORE),
	[3] = REJECT(TOPDOWN_STALL_REISSUED),
} };

const struct td_stall_lookup td_sier_mispredict = { .of = {
	[1] = REJECT(TOPDOWN_STALL_DIRECTION),
	[2] = REJECT(TOPDOWN_STALL_TARGET),
} };

const struct td_stall_lookup td_sier_fetch = { .of = {
	[2] = REJECT(TOPDOWN_STALL_ICACHE_MISS),
	[3] = REJECT(TOPDOWN_STALL_ICACHE_MISS | TOPDOWN_STALL_L2_MISS),
	[4] = REJECT(TOPDOWN_STALL_ICACHE_MISS | TOPDOWN_STALL_L2_MISS | TOPDOWN_STALL_L3_MISS),
} };

const struct td_stall_lookup td_sier_source = { .of = {
	[1] = FROM(L1, 0),
	[2] = FROM(L2, 0),
	[3] = FROM(L3, 0),
	[4] = FROM(MEMORY, 0),
	[5] = FROM(NEAR_CACHE, 0),
	[6] = FROM(FAR_CACHE, REMOTE),
} };
