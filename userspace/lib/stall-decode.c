// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Registers become a record: each field of the table by its own rule, and then the stage and the
 * reason that follow from all of them.
 */
#include "stall-decode.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "stall-table.h"

#define TD_ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* perf's mem_op, mem_lvl and mem_dtlb, each without its bit for "not available". */
#define TD_OP_LOAD		(1U << 0)
#define TD_OP_STORE		(1U << 1)
#define TD_OP_PREFETCH		(1U << 2)
#define TD_OP_EXECUTE		(1U << 3)
#define TD_LEVEL_MISS		(1U << 0)
#define TD_TLB_HIT		(1U << 0)
#define TD_TLB_MISS		(1U << 1)
#define TD_TLB_L1		(1U << 2)
#define TD_TLB_L2		(1U << 3)
#define TD_TLB_WALKER		(1U << 4)
/* OMR sources from this one on are memory. */
#define TD_OMR_MMIO		7
#define TD_OMR_MEMORY		8

static bool td_is_ibs(unsigned int layout)
{
	return layout == TOPDOWN_LAYOUT_IBS_OP || layout == TOPDOWN_LAYOUT_IBS_FETCH;
}

static uint64_t td_part(uint64_t word, unsigned int shift, unsigned int width)
{
	word >>= shift;
	return width < 64 ? word & ((1ULL << width) - 1) : word;
}

static uint64_t td_value(const struct td_stall_bits *bits, const struct topdown_stall_raw *raw)
{
	uint64_t word = raw->word[bits->word];
	uint64_t low = td_part(word, bits->shift, bits->width);

	if (!bits->high_width)
		return low;
	return low | td_part(word, bits->high_shift, bits->high_width) << bits->width;
}

static bool td_counts(const struct td_stall_bits *bits, const struct topdown_stall_raw *raw)
{
	uint64_t word = raw->word[bits->if_word];

	return (word & bits->if_set) == bits->if_set && !(word & bits->if_clear) &&
	       (raw->caps & bits->caps) == bits->caps && !(raw->caps & bits->lacks);
}

static void td_set32(__u32 *to, uint64_t value)
{
	*to = value < UINT32_MAX ? value : UINT32_MAX;
}

/* No instruction is at 0, and a 0 of PEBS, SIER or perf may be the lack of the value. */
static void td_set_number(struct topdown_stall *stall, enum td_stall_number number,
			  uint64_t value, bool always)
{
	static const uint64_t has[TD_NUMBERS] = {
		[TD_IP]			= TOPDOWN_STALL_HAS_IP,
		[TD_ADDRESS]		= TOPDOWN_STALL_HAS_ADDRESS,
		[TD_TARGET]		= TOPDOWN_STALL_HAS_TARGET,
		[TD_WHOLE]		= TOPDOWN_STALL_HAS_WHOLE,
		[TD_RETIRE]		= TOPDOWN_STALL_HAS_RETIRE,
		[TD_CACHE]		= TOPDOWN_STALL_HAS_CACHE,
		[TD_TRANSLATION]	= TOPDOWN_STALL_HAS_TRANSLATION,
		[TD_FETCH]		= TOPDOWN_STALL_HAS_FETCH,
		[TD_DISPATCH]		= TOPDOWN_STALL_HAS_DISPATCH,
		[TD_OUTSTANDING]	= TOPDOWN_STALL_HAS_OUTSTANDING,
		[TD_REGION]		= TOPDOWN_STALL_HAS_REGION,
	};
	__u64 *wide[] = {
		[TD_IP] = &stall->ip, [TD_ADDRESS] = &stall->address,
		[TD_TARGET] = &stall->target,
	};
	__u32 *cycles[] = {
		[TD_WHOLE] = &stall->whole, [TD_RETIRE] = &stall->retire,
		[TD_CACHE] = &stall->cache, [TD_TRANSLATION] = &stall->translation,
		[TD_FETCH] = &stall->fetch, [TD_DISPATCH] = &stall->dispatch,
	};

	if (!value && (!always || number < TD_ARRAY_SIZE(wide)))
		return;
	stall->has |= has[number];
	if (number < TD_ARRAY_SIZE(wide))
		*wide[number] = value;
	else if (number < TD_ARRAY_SIZE(cycles))
		td_set32(cycles[number], value);
	else if (number == TD_OUTSTANDING)
		stall->outstanding = value;
	else
		stall->region = value;
}

static void td_look_up(struct topdown_stall *stall, const struct td_stall_lookup *lookup,
		       uint64_t value)
{
	const struct td_stall_entry *entry;

	if (value >= TD_ENTRIES || !lookup->of[value].set)
		return;
	entry = &lookup->of[value];
	if (entry->kind)
		stall->kind = entry->kind;
	if (entry->stage)
		stall->stage = entry->stage;
	if (entry->reason)
		stall->reason = entry->reason;
	if (entry->source)
		stall->source = entry->source;
	stall->flags |= entry->flags;
}

static bool td_from_cache(const struct topdown_stall *stall)
{
	return stall->source == TOPDOWN_FROM_L3 || stall->source == TOPDOWN_FROM_NEAR_CACHE ||
	       stall->source == TOPDOWN_FROM_FAR_CACHE;
}

static void td_set_l1_hit(struct topdown_stall *stall, uint64_t value)
{
	if (value)
		stall->source = TOPDOWN_FROM_L1;
	else
		stall->flags |= TOPDOWN_STALL_L1_MISS;
}

static void td_set_page(struct topdown_stall *stall, uint64_t value)
{
	if (value == 1)
		stall->flags |= TOPDOWN_STALL_PAGE_2M;
	else if (value == 2)
		stall->flags |= TOPDOWN_STALL_PAGE_1G;
}

static void td_set_access(struct topdown_stall *stall, uint64_t value)
{
	/* 1 is a byte, 2 two bytes, 3 four bytes, and so on; 0 is not known. */
	if (!value)
		return;
	stall->has |= TOPDOWN_STALL_HAS_WIDTH;
	stall->width = 1U << (value - 1);
}

static void td_set_omr_source(struct topdown_stall *stall, uint64_t value)
{
	if (value < 2)
		return;
	td_set_number(stall, TD_REGION, value, true);
	if (value >= TD_OMR_MEMORY) {
		stall->source = TOPDOWN_FROM_MEMORY;
	} else if (value == TD_OMR_MMIO) {
		stall->source = TOPDOWN_FROM_IO;
		stall->flags |= TOPDOWN_STALL_MMIO;
	} else {
		stall->source = value < 4 ? TOPDOWN_FROM_L3 : TOPDOWN_FROM_NEAR_CACHE;
	}
}

/* The bit has another meaning where the local shared cache answered. */
static void td_set_omr_snoop(struct topdown_stall *stall, uint64_t value)
{
	if (value && stall->region > 2 && stall->region < TD_OMR_MMIO)
		stall->flags |= TOPDOWN_STALL_FORWARDED;
}

static void td_set_operations(struct topdown_stall *stall, uint64_t value)
{
	if (value & (TD_OP_LOAD | TD_OP_PREFETCH))
		stall->kind = TOPDOWN_STALL_LOAD;
	else if (value & TD_OP_STORE)
		stall->kind = TOPDOWN_STALL_STORE;
	else if (value & TD_OP_EXECUTE)
		stall->kind = TOPDOWN_STALL_FETCH;
	if (value & TD_OP_PREFETCH)
		stall->flags |= TOPDOWN_STALL_PREFETCH;
	if (value & TD_OP_LOAD && value & TD_OP_STORE)
		stall->flags |= TOPDOWN_STALL_STORES;
}

static void td_set_level(struct topdown_stall *stall, uint64_t value)
{
	static const uint8_t sources[16] = {
		[0x1] = TOPDOWN_FROM_L1, [0x2] = TOPDOWN_FROM_L2, [0x3] = TOPDOWN_FROM_L3,
		[0x4] = TOPDOWN_FROM_L4, [0x5] = TOPDOWN_FROM_L2_BUFFER,
		[0x6] = TOPDOWN_FROM_MEMORY_SIDE, [0x7] = TOPDOWN_FROM_L0,
		[0x8] = TOPDOWN_FROM_UNCACHED, [0x9] = TOPDOWN_FROM_EXTENSION,
		[0xa] = TOPDOWN_FROM_IO, [0xb] = TOPDOWN_FROM_CACHE,
		[0xc] = TOPDOWN_FROM_L1_BUFFER, [0xd] = TOPDOWN_FROM_MEMORY,
		[0xe] = TOPDOWN_FROM_PERSISTENT,
	};

	stall->source = sources[value];
}

/*
 * The older form. Some kernels say L3 in the newer one where this one says memory, and of
 * a miss of a level both name the level.
 */
static void td_set_levels(struct topdown_stall *stall, uint64_t value)
{
	static const struct {
		uint8_t bit;
		uint8_t source;
		bool decides;
	} levels[] = {
		{ 1, TOPDOWN_FROM_L1, false }, { 2, TOPDOWN_FROM_L1_BUFFER, false },
		{ 3, TOPDOWN_FROM_L2, false }, { 4, TOPDOWN_FROM_L3, false },
		{ 5, TOPDOWN_FROM_MEMORY, true }, { 6, TOPDOWN_FROM_MEMORY, true },
		{ 7, TOPDOWN_FROM_MEMORY, true }, { 8, TOPDOWN_FROM_CACHE, false },
		{ 9, TOPDOWN_FROM_CACHE, false }, { 10, TOPDOWN_FROM_IO, true },
		{ 11, TOPDOWN_FROM_UNCACHED, true },
	};
	unsigned int i;

	for (i = 0; i < TD_ARRAY_SIZE(levels); i++) {
		if (value >> levels[i].bit & 1 && (levels[i].decides || !stall->source))
			stall->source = levels[i].source;
	}
	if (!(value & TD_LEVEL_MISS))
		return;
	if (stall->source == TOPDOWN_FROM_L1) {
		stall->source = 0;
		stall->flags |= TOPDOWN_STALL_L1_MISS;
	} else if (stall->source == TOPDOWN_FROM_L3) {
		stall->source = TOPDOWN_FROM_UNKNOWN_L3_MISS;
	}
}

static void td_set_tlb(struct topdown_stall *stall, uint64_t value)
{
	if (value & TD_TLB_WALKER || (value & TD_TLB_MISS && value & TD_TLB_L2))
		stall->flags |= TOPDOWN_STALL_WALK;
	else if (value & TD_TLB_MISS)
		stall->flags |= TOPDOWN_STALL_TLB_MISS;
	else if (value & TD_TLB_HIT && value & TD_TLB_L2 && !(value & TD_TLB_L1))
		stall->flags |= TOPDOWN_STALL_TLB_MISS | TOPDOWN_STALL_TLB_HIT;
}

/* 1: another core of this node. Then perf's bit for "remote" is of that core. */
static void td_set_hops(struct topdown_stall *stall, uint64_t value)
{
	if (value == 1) {
		stall->flags &= ~TOPDOWN_STALL_REMOTE;
		if (stall->source == TOPDOWN_FROM_CACHE || stall->source == TOPDOWN_FROM_L3)
			stall->source = TOPDOWN_FROM_NEAR_CACHE;
	} else if (value) {
		stall->flags |= TOPDOWN_STALL_REMOTE;
		if (value > 2)
			stall->flags |= TOPDOWN_STALL_REMOTE_SOCKET;
	}
}

/* What a value by itself says, by the enum td_stall_op of its field. */
static void (* const td_setters[])(struct topdown_stall *stall, uint64_t value) = {
	[TD_L1_HIT]	= td_set_l1_hit,
	[TD_PAGE]	= td_set_page,
	[TD_ACCESS]	= td_set_access,
	[TD_OMR_SOURCE]	= td_set_omr_source,
	[TD_OMR_SNOOP]	= td_set_omr_snoop,
	[TD_OPERATIONS]	= td_set_operations,
	[TD_LEVELS]	= td_set_levels,
	[TD_LEVEL]	= td_set_level,
	[TD_TLB]	= td_set_tlb,
	[TD_HOPS]	= td_set_hops,
};

static void td_apply(struct topdown_stall *stall, const struct td_stall_bits *bits,
		     uint64_t value, bool always)
{
	switch (bits->op) {
	case TD_FLAG:
	case TD_NOT_FLAG:
		if (value ? bits->op == TD_FLAG : bits->op == TD_NOT_FLAG)
			stall->flags |= bits->flags;
		break;
	case TD_GUARD:
		break;
	case TD_KIND:
		if (value)
			stall->kind = bits->kind;
		break;
	case TD_LOOKUP:
		td_look_up(stall, bits->lookup, value);
		break;
	case TD_NUMBER:
		td_set_number(stall, bits->number, value, always);
		break;
	case TD_CACHE_STATE:
		if (!value && td_from_cache(stall))
			stall->flags |= TOPDOWN_STALL_MODIFIED;
		break;
	default:
		td_setters[bits->op](stall, value);
	}
	if (bits->unconfirmed && value)
		stall->flags |= TOPDOWN_STALL_UNCONFIRMED;
}

/* What the layout alone says of the instruction. */
static unsigned int td_kind_of(unsigned int layout)
{
	switch (layout) {
	case TOPDOWN_LAYOUT_NHM:
	case TOPDOWN_LAYOUT_SNB:
	case TOPDOWN_LAYOUT_SKL:
	case TOPDOWN_LAYOUT_GLC:
		return TOPDOWN_STALL_LOAD;
	case TOPDOWN_LAYOUT_SNB_STORE:
	case TOPDOWN_LAYOUT_HSW_STORE:
	case TOPDOWN_LAYOUT_GLC_STORE:
		return TOPDOWN_STALL_STORE;
	case TOPDOWN_LAYOUT_IBS_FETCH:
		return TOPDOWN_STALL_FETCH;
	case TOPDOWN_LAYOUT_IBS_OP:
		return TOPDOWN_STALL_OTHER;
	default:
		return 0;
	}
}

/* Where the one latency is that of the whole load, perf gives it in the place of the other. */
static void td_settle_latencies(struct topdown_stall *stall)
{
	if (stall->has & TOPDOWN_STALL_HAS_WHOLE || !(stall->has & TOPDOWN_STALL_HAS_CACHE))
		return;
	stall->whole = stall->cache;
	stall->cache = 0;
	stall->has &= ~TOPDOWN_STALL_HAS_CACHE;
	stall->has |= TOPDOWN_STALL_HAS_WHOLE;
}

static void td_settle_source(struct topdown_stall *stall)
{
	if (!(stall->flags & TOPDOWN_STALL_REMOTE))
		return;
	if (stall->source == TOPDOWN_FROM_L3 || stall->source == TOPDOWN_FROM_CACHE ||
	    stall->source == TOPDOWN_FROM_NEAR_CACHE)
		stall->source = TOPDOWN_FROM_FAR_CACHE;
}

int td_stall_apply(struct topdown_stall *stall, const struct topdown_stall_raw *raw)
{
	const struct td_stall_bits *bits;
	unsigned int i;

	if (!raw->layout || raw->layout >= TOPDOWN_LAYOUTS)
		return -EINVAL;
	if (td_kind_of(raw->layout))
		stall->kind = td_kind_of(raw->layout);
	for (i = 0; i < td_stall_table_nr; i++) {
		bits = &td_stall_table[i];
		if (bits->layouts >> raw->layout & 1 && td_counts(bits, raw))
			td_apply(stall, bits, td_value(bits, raw), td_is_ibs(raw->layout));
	}
	if (raw->layout == TOPDOWN_LAYOUT_PERF)
		td_settle_latencies(stall);
	td_settle_source(stall);
	return 0;
}

static unsigned int td_data_reason(const struct topdown_stall *stall)
{
	uint64_t flags = stall->flags;

	if (flags & TOPDOWN_STALL_REMOTE)
		return TOPDOWN_REASON_REMOTE;
	if (flags & TOPDOWN_STALL_MODIFIED)
		return TOPDOWN_REASON_SHARED;
	switch (stall->source) {
	case TOPDOWN_FROM_L4_OR_PERSISTENT:
	case TOPDOWN_FROM_L4:
	case TOPDOWN_FROM_MEMORY_SIDE:
	case TOPDOWN_FROM_MEMORY:
	case TOPDOWN_FROM_PERSISTENT:
	case TOPDOWN_FROM_EXTENSION:
	case TOPDOWN_FROM_PEER:
	case TOPDOWN_FROM_UNKNOWN_L3_MISS:
		return TOPDOWN_REASON_L3_MISS;
	case TOPDOWN_FROM_FAR_CACHE:
		return TOPDOWN_REASON_REMOTE;
	case TOPDOWN_FROM_L3:
	case TOPDOWN_FROM_NEAR_CACHE:
	case TOPDOWN_FROM_CACHE:
		return TOPDOWN_REASON_L2_MISS;
	case TOPDOWN_FROM_L2:
		return TOPDOWN_REASON_L1_MISS;
	case TOPDOWN_FROM_L1_BUFFER:
	case TOPDOWN_FROM_L2_BUFFER:
		return TOPDOWN_REASON_BUFFER;
	case TOPDOWN_FROM_IO:
	case TOPDOWN_FROM_UNCACHED:
		return TOPDOWN_REASON_UNCACHED;
	}
	/* It may be of the instruction itself. */
	if (flags & TOPDOWN_STALL_L2_MISS && !(flags & TOPDOWN_STALL_ICACHE_MISS))
		return TOPDOWN_REASON_L2_MISS;
	return flags & TOPDOWN_STALL_L1_MISS ? TOPDOWN_REASON_L1_MISS : 0;
}

static bool td_near(unsigned int reason)
{
	return !reason || reason == TOPDOWN_REASON_L1_MISS || reason == TOPDOWN_REASON_BUFFER;
}

/* A walk that took longer than the data, or, where nobody says how long it took, near data. */
static bool td_walk_is_worse(const struct topdown_stall *stall, unsigned int reason)
{
	if (!(stall->flags & TOPDOWN_STALL_WALK))
		return false;
	if (stall->has & TOPDOWN_STALL_HAS_TRANSLATION && stall->has & TOPDOWN_STALL_HAS_CACHE)
		return stall->translation > stall->cache;
	return td_near(reason);
}

static unsigned int td_memory_reason(const struct topdown_stall *stall)
{
	unsigned int reason = td_data_reason(stall);
	uint64_t flags = stall->flags;

	if (flags & TOPDOWN_STALL_BLOCKED_STORE)
		return TOPDOWN_REASON_STORE_FORWARD;
	if (flags & TOPDOWN_STALL_BLOCKED_ADDRESS)
		return TOPDOWN_REASON_ADDRESS;
	if (flags & TOPDOWN_STALL_LOCKED)
		return TOPDOWN_REASON_LOCKED;
	if (flags & (TOPDOWN_STALL_UNCACHED | TOPDOWN_STALL_COMBINING))
		return TOPDOWN_REASON_UNCACHED;
	if (td_walk_is_worse(stall, reason))
		return TOPDOWN_REASON_PAGE_WALK;
	if (reason)
		return reason;
	if (flags & TOPDOWN_STALL_QUEUE_FULL)
		return TOPDOWN_REASON_QUEUE_FULL;
	if (flags & TOPDOWN_STALL_MISALIGNED)
		return TOPDOWN_REASON_MISALIGNED;
	return flags & TOPDOWN_STALL_TLB_MISS ? TOPDOWN_REASON_TLB_MISS : 0;
}

static unsigned int td_fetch_reason(const struct topdown_stall *stall)
{
	uint64_t flags = stall->flags;
	bool missed = flags & TOPDOWN_STALL_ICACHE_MISS;

	/* The refill is a part of the fetch. */
	if (flags & TOPDOWN_STALL_WALK &&
	    (!missed || (uint64_t)stall->translation * 2 >= stall->fetch))
		return TOPDOWN_REASON_ITLB_WALK;
	if (flags & TOPDOWN_STALL_L3_MISS)
		return TOPDOWN_REASON_ICACHE_L3_MISS;
	if (flags & TOPDOWN_STALL_L2_MISS)
		return TOPDOWN_REASON_ICACHE_L2_MISS;
	if (missed)
		return TOPDOWN_REASON_ICACHE_MISS;
	if (flags & TOPDOWN_STALL_TLB_MISS)
		return TOPDOWN_REASON_ITLB_MISS;
	if (flags & TOPDOWN_STALL_OPCACHE_MISS)
		return TOPDOWN_REASON_OPCACHE_MISS;
	return flags & TOPDOWN_STALL_ABORTED ? TOPDOWN_REASON_FETCH_ABORTED : 0;
}

static unsigned int td_branch_reason(const struct topdown_stall *stall)
{
	if (stall->flags & TOPDOWN_STALL_DIRECTION)
		return TOPDOWN_REASON_DIRECTION;
	if (stall->flags & TOPDOWN_STALL_TARGET)
		return TOPDOWN_REASON_TARGET;
	return TOPDOWN_REASON_MISPREDICT;
}

static unsigned int td_issue_reason(const struct topdown_stall *stall)
{
	if (stall->flags & TOPDOWN_STALL_REJECT_SOURCE)
		return TOPDOWN_REASON_SOURCE;
	return stall->flags & TOPDOWN_STALL_REJECT_COLLISION ? TOPDOWN_REASON_COLLISION : 0;
}

static void td_set_reason(struct topdown_stall *stall, unsigned int stage, unsigned int reason)
{
	if (!reason || stall->reason)
		return;
	stall->stage = stage;
	stall->reason = reason;
}

void td_stall_conclude(struct topdown_stall *stall)
{
	if (stall->flags & TOPDOWN_STALL_MISPREDICTED)
		td_set_reason(stall, TOPDOWN_STAGE_BRANCH, td_branch_reason(stall));
	if (stall->kind == TOPDOWN_STALL_FETCH)
		td_set_reason(stall, TOPDOWN_STAGE_FETCH, td_fetch_reason(stall));
	else
		td_set_reason(stall, TOPDOWN_STAGE_MEMORY, td_memory_reason(stall));
	td_set_reason(stall, TOPDOWN_STAGE_ISSUE, td_issue_reason(stall));
	if (stall->flags & TOPDOWN_STALL_ICACHE_MISS)
		td_set_reason(stall, TOPDOWN_STAGE_FETCH, td_fetch_reason(stall));
}

TD_API int topdown_stall_decode(const struct topdown_stall_raw *raw, struct topdown_stall *out,
				size_t size)
{
	struct topdown_stall stall = { 0 };
	int ret;

	if (size < TD_STALL_SIZE_MIN)
		return -EINVAL;
	ret = td_stall_apply(&stall, raw);
	if (ret)
		return ret;
	td_stall_conclude(&stall);
	td_copy_sized(out, size, &stall, sizeof(stall));
	return 0;
}

/* A row of the table is of several layouts; the caller sees it once for each. */
TD_API int topdown_stall_field_get(unsigned int number, struct topdown_stall_field *out)
{
	unsigned int i, layout;

	for (i = 0; i < 2 * td_stall_table_nr; i++) {
		const struct td_stall_bits *bits = &td_stall_table[i / 2];
		bool high = i % 2;

		for (layout = 1; layout < TOPDOWN_LAYOUTS; layout++) {
			if (!(bits->layouts >> layout & 1) || (high && !bits->high_width) ||
			    number--)
				continue;
			*out = (struct topdown_stall_field){
				.layout = layout,
				.word = bits->word,
				.shift = high ? bits->high_shift : bits->shift,
				.width = high ? bits->high_width : bits->width,
				.caps = bits->caps,
				.lacks = bits->lacks,
				.unconfirmed = bits->unconfirmed,
			};
			snprintf(out->what, sizeof(out->what), "%s", bits->what);
			return 0;
		}
	}
	return -ENOENT;
}
