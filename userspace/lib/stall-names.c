// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The names of what stall records have, and a record in words.
 */
#include <stdarg.h>
#include <stdio.h>
#include <topdown_stall.h>

#include "internal.h"

#define TD_ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

static const char * const td_layouts[] = {
	[TOPDOWN_LAYOUT_NHM]		= "nhm",
	[TOPDOWN_LAYOUT_SNB]		= "snb",
	[TOPDOWN_LAYOUT_SNB_STORE]	= "snb-store",
	[TOPDOWN_LAYOUT_HSW_STORE]	= "hsw-store",
	[TOPDOWN_LAYOUT_SKL]		= "skl",
	[TOPDOWN_LAYOUT_GLC]		= "glc",
	[TOPDOWN_LAYOUT_GLC_STORE]	= "glc-store",
	[TOPDOWN_LAYOUT_GRT]		= "grt",
	[TOPDOWN_LAYOUT_CMT]		= "cmt",
	[TOPDOWN_LAYOUT_LNC]		= "lnc",
	[TOPDOWN_LAYOUT_PNC]		= "pnc",
	[TOPDOWN_LAYOUT_ARW]		= "arw",
	[TOPDOWN_LAYOUT_IBS_OP]		= "ibs-op",
	[TOPDOWN_LAYOUT_IBS_FETCH]	= "ibs-fetch",
	[TOPDOWN_LAYOUT_POWER8]		= "power8",
	[TOPDOWN_LAYOUT_POWER9]		= "power9",
	[TOPDOWN_LAYOUT_POWER10]	= "power10",
	[TOPDOWN_LAYOUT_PERF]		= "perf",
};

static const char * const td_kinds[] = {
	[TOPDOWN_STALL_LOAD]		= "load",
	[TOPDOWN_STALL_STORE]		= "store",
	[TOPDOWN_STALL_BRANCH]		= "branch",
	[TOPDOWN_STALL_FETCH]		= "fetch",
	[TOPDOWN_STALL_OTHER]		= "other",
};

static const char * const td_stages[] = {
	[TOPDOWN_STAGE_FETCH]		= "fetch",
	[TOPDOWN_STAGE_DECODE]		= "decode",
	[TOPDOWN_STAGE_ISSUE]		= "issue",
	[TOPDOWN_STAGE_BRANCH]		= "branch",
	[TOPDOWN_STAGE_MEMORY]		= "memory",
	[TOPDOWN_STAGE_INTEGER]		= "integer",
	[TOPDOWN_STAGE_FLOAT]		= "float",
	[TOPDOWN_STAGE_VECTOR]		= "vector",
	[TOPDOWN_STAGE_RETIRE]		= "retire",
};

static const char * const td_reasons[] = {
	[TOPDOWN_REASON_L1_MISS]	= "L1 miss",
	[TOPDOWN_REASON_L2_MISS]	= "L2 miss",
	[TOPDOWN_REASON_L3_MISS]	= "L3 miss",
	[TOPDOWN_REASON_REMOTE]		= "remote",
	[TOPDOWN_REASON_SHARED]		= "modified by another core",
	[TOPDOWN_REASON_BUFFER]		= "miss under way",
	[TOPDOWN_REASON_TLB_MISS]	= "TLB miss",
	[TOPDOWN_REASON_PAGE_WALK]	= "page walk",
	[TOPDOWN_REASON_STORE_FORWARD]	= "store forwarding blocked",
	[TOPDOWN_REASON_ADDRESS]	= "address of a store",
	[TOPDOWN_REASON_LOCKED]		= "locked",
	[TOPDOWN_REASON_UNCACHED]	= "uncached",
	[TOPDOWN_REASON_MISALIGNED]	= "misaligned",
	[TOPDOWN_REASON_QUEUE_FULL]	= "miss queue full",
	[TOPDOWN_REASON_MISPREDICT]	= "mispredict",
	[TOPDOWN_REASON_DIRECTION]	= "mispredicted direction",
	[TOPDOWN_REASON_TARGET]		= "mispredicted target",
	[TOPDOWN_REASON_ICACHE_MISS]	= "instruction cache miss",
	[TOPDOWN_REASON_ICACHE_L2_MISS]	= "instruction L2 miss",
	[TOPDOWN_REASON_ICACHE_L3_MISS]	= "instruction L3 miss",
	[TOPDOWN_REASON_ITLB_MISS]	= "instruction TLB miss",
	[TOPDOWN_REASON_ITLB_WALK]	= "instruction page walk",
	[TOPDOWN_REASON_OPCACHE_MISS]	= "operation cache miss",
	[TOPDOWN_REASON_FETCH_ABORTED]	= "fetch aborted",
	[TOPDOWN_REASON_FETCH_LATENCY]	= "fetch latency",
	[TOPDOWN_REASON_FETCH_BANDWIDTH] = "fetch bandwidth",
	[TOPDOWN_REASON_CLEAR]		= "machine clear",
	[TOPDOWN_REASON_MICROCODE]	= "microcode",
	[TOPDOWN_REASON_SOURCE]		= "operand",
	[TOPDOWN_REASON_COLLISION]	= "collision",
	[TOPDOWN_REASON_LOAD_FINISH]	= "end of load",
	[TOPDOWN_REASON_STORE_FINISH]	= "end of store",
	[TOPDOWN_REASON_FORWARDED]	= "store forwarding",
	[TOPDOWN_REASON_MULTI_CYCLE]	= "multi-cycle",
	[TOPDOWN_REASON_FIXED_CYCLE]	= "fixed-cycle",
	[TOPDOWN_REASON_NEXT]		= "next to complete",
	[TOPDOWN_REASON_LOAD_LATENCY]	= "load latency",
};

static const char * const td_sources[] = {
	[TOPDOWN_FROM_L0]		= "L0",
	[TOPDOWN_FROM_L1]		= "L1",
	[TOPDOWN_FROM_L1_BUFFER]	= "L1 miss buffer",
	[TOPDOWN_FROM_L2]		= "L2",
	[TOPDOWN_FROM_L2_BUFFER]	= "L2 miss buffer",
	[TOPDOWN_FROM_L3]		= "L3",
	[TOPDOWN_FROM_NEAR_CACHE]	= "near cache",
	[TOPDOWN_FROM_FAR_CACHE]	= "far cache",
	[TOPDOWN_FROM_CACHE]		= "a cache",
	[TOPDOWN_FROM_L4]		= "L4",
	[TOPDOWN_FROM_MEMORY_SIDE]	= "memory-side cache",
	[TOPDOWN_FROM_MEMORY]		= "memory",
	[TOPDOWN_FROM_PERSISTENT]	= "persistent memory",
	[TOPDOWN_FROM_EXTENSION]	= "extension memory",
	[TOPDOWN_FROM_PEER]		= "peer memory",
	[TOPDOWN_FROM_IO]		= "device",
	[TOPDOWN_FROM_UNCACHED]		= "uncached memory",
	[TOPDOWN_FROM_UNKNOWN_L3_MISS]	= "beyond L3",
	[TOPDOWN_FROM_L4_OR_PERSISTENT]	= "L4 or persistent memory",
};

static const char * const td_flags[TOPDOWN_STALL_FLAGS] = {
	"mispredicted", "taken", "return", "locked", "blocked by store", "blocked by address",
	"TLB miss", "page walk", "remote", "remote socket", "modified", "forwarded", "shared",
	"L1 miss", "L2 miss", "L3 miss", "instruction cache miss", "operation cache miss",
	"misaligned", "uncached", "write-combining", "miss queue full", "prefetch", "microcode",
	"fused", "2M page", "1G page", "aborted", "stores", "streaming", "promoted", "TLB hit",
	"rejected for operand", "rejected for collision", "wrong direction", "wrong target",
	"reissued", "registers of a device", "exact", "kernel",
};

#define TD_UNCONFIRMED_BIT	63

static const char *td_name_of(const char * const *names, size_t nr, unsigned int value)
{
	return value < nr ? names[value] : NULL;
}

TD_API const char *topdown_stall_layout_name(unsigned int layout)
{
	return td_name_of(td_layouts, TD_ARRAY_SIZE(td_layouts), layout);
}

TD_API const char *topdown_stall_kind_name(unsigned int kind)
{
	return td_name_of(td_kinds, TD_ARRAY_SIZE(td_kinds), kind);
}

TD_API const char *topdown_stall_stage_name(unsigned int stage)
{
	return td_name_of(td_stages, TD_ARRAY_SIZE(td_stages), stage);
}

TD_API const char *topdown_stall_reason_name(unsigned int reason)
{
	return td_name_of(td_reasons, TD_ARRAY_SIZE(td_reasons), reason);
}

TD_API const char *topdown_stall_source_name(unsigned int source)
{
	return td_name_of(td_sources, TD_ARRAY_SIZE(td_sources), source);
}

TD_API const char *topdown_stall_flag_name(unsigned int flag)
{
	if (flag == TD_UNCONFIRMED_BIT)
		return "unconfirmed";
	return td_name_of(td_flags, TD_ARRAY_SIZE(td_flags), flag);
}

/* A text that is written piece by piece, and its length if there were room. */
struct td_text {
	char *at;
	size_t size;
	size_t len;
};

static void __attribute__((format(printf, 2, 3)))
td_put(struct td_text *text, const char *format, ...)
{
	size_t left = text->len < text->size ? text->size - text->len : 0;
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(left ? text->at + text->len : NULL, left, format, args);
	va_end(args);
	if (len > 0)
		text->len += len;
}

static void td_put_flags(struct td_text *text, uint64_t flags)
{
	const char *before = "; ";
	unsigned int i;

	for (i = 0; i < 64; i++) {
		const char *name = topdown_stall_flag_name(i);

		if (!(flags >> i & 1) || !name)
			continue;
		td_put(text, "%s%s", before, name);
		before = ", ";
	}
}

static void td_put_cycles(struct td_text *text, const struct topdown_stall *stall)
{
	const struct {
		uint64_t has;
		const char *name;
		uint32_t cycles;
	} parts[] = {
		{ TOPDOWN_STALL_HAS_WHOLE, "cycles", stall->whole },
		{ TOPDOWN_STALL_HAS_RETIRE, "retire", stall->retire },
		{ TOPDOWN_STALL_HAS_CACHE, "cache", stall->cache },
		{ TOPDOWN_STALL_HAS_TRANSLATION, "translation", stall->translation },
		{ TOPDOWN_STALL_HAS_FETCH, "fetch", stall->fetch },
		{ TOPDOWN_STALL_HAS_DISPATCH, "dispatch", stall->dispatch },
	};
	const char *before = "; ";
	unsigned int i;

	for (i = 0; i < TD_ARRAY_SIZE(parts); i++) {
		if (!(stall->has & parts[i].has))
			continue;
		td_put(text, "%s%s %u", before, parts[i].name, parts[i].cycles);
		before = ", ";
	}
}

static void td_put_numbers(struct td_text *text, const struct topdown_stall *stall)
{
	if (stall->has & TOPDOWN_STALL_HAS_WIDTH)
		td_put(text, "; %u bytes", stall->width);
	if (stall->has & TOPDOWN_STALL_HAS_OUTSTANDING)
		td_put(text, "; %u outstanding", stall->outstanding);
	if (stall->has & TOPDOWN_STALL_HAS_REGION)
		td_put(text, "; region %u", stall->region);
	if (stall->has & TOPDOWN_STALL_HAS_ADDRESS)
		td_put(text, "; address %llx", stall->address);
	if (stall->has & TOPDOWN_STALL_HAS_IP)
		td_put(text, "; ip %llx", stall->ip);
	if (stall->has & TOPDOWN_STALL_HAS_TARGET)
		td_put(text, "; target %llx", stall->target);
}

TD_API int topdown_stall_text(const struct topdown_stall *stall, char *text, size_t size)
{
	const char *kind = topdown_stall_kind_name(stall->kind);
	const char *stage = topdown_stall_stage_name(stall->stage);
	const char *reason = topdown_stall_reason_name(stall->reason);
	const char *source = topdown_stall_source_name(stall->source);
	struct td_text out = { .at = text, .size = size };

	if (size)
		text[0] = '\0';
	td_put(&out, "%s", kind ? kind : "-");
	if (stage || reason)
		td_put(&out, ", %s: %s", stage ? stage : "-", reason ? reason : "-");
	if (source)
		td_put(&out, "; from %s", source);
	td_put_flags(&out, stall->flags);
	td_put_cycles(&out, stall);
	td_put_numbers(&out, stall);
	return out.len;
}
