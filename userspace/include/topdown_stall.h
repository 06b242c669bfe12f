/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libtopdown: stalls, which say where a program loses its slots, and to what.
 *
 * A part of topdown.h, which has the rules of all functions. Include that one.
 *
 * A processor that samples instructions says of each what delayed it: Intel by PEBS, AMD by IBS,
 * POWER by SIER. These functions make one record of all of them. They need perf and not
 * the topdown module.
 */
#ifndef TOPDOWN_STALL_H
#define TOPDOWN_STALL_H

#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In every enumeration here 0 is "not available", and a value never gets another meaning. */

/**
 * enum topdown_stall_kind - what the instruction was
 *
 * @TOPDOWN_STALL_LOAD: it read memory; with TOPDOWN_STALL_STORES it wrote memory, too
 * @TOPDOWN_STALL_STORE: it wrote memory
 * @TOPDOWN_STALL_BRANCH: a branch
 * @TOPDOWN_STALL_FETCH: a fetch of instructions, or an instruction that came late from one
 * @TOPDOWN_STALL_OTHER: none of these
 */
enum topdown_stall_kind {
	TOPDOWN_STALL_LOAD		= 1,
	TOPDOWN_STALL_STORE		= 2,
	TOPDOWN_STALL_BRANCH		= 3,
	TOPDOWN_STALL_FETCH		= 4,
	TOPDOWN_STALL_OTHER		= 5,
};

/**
 * enum topdown_stall_stage - the part of the pipeline that waited
 *
 * @TOPDOWN_STAGE_FETCH: instruction cache, instruction TLB, delivery of instructions
 * @TOPDOWN_STAGE_DECODE: decoders and microcode
 * @TOPDOWN_STAGE_ISSUE: operands and queues before execution
 * @TOPDOWN_STAGE_BRANCH: branches
 * @TOPDOWN_STAGE_MEMORY: loads and stores
 * @TOPDOWN_STAGE_INTEGER: fixed-point arithmetic
 * @TOPDOWN_STAGE_FLOAT: floating-point arithmetic
 * @TOPDOWN_STAGE_VECTOR: vector arithmetic
 * @TOPDOWN_STAGE_RETIRE: the instruction had only to retire
 */
enum topdown_stall_stage {
	TOPDOWN_STAGE_FETCH		= 1,
	TOPDOWN_STAGE_DECODE		= 2,
	TOPDOWN_STAGE_ISSUE		= 3,
	TOPDOWN_STAGE_BRANCH		= 4,
	TOPDOWN_STAGE_MEMORY		= 5,
	TOPDOWN_STAGE_INTEGER		= 6,
	TOPDOWN_STAGE_FLOAT		= 7,
	TOPDOWN_STAGE_VECTOR		= 8,
	TOPDOWN_STAGE_RETIRE		= 9,
};

/**
 * enum topdown_stall_reason - what it waited for
 *
 * @TOPDOWN_REASON_L1_MISS: data of the second level cache
 * @TOPDOWN_REASON_L2_MISS: data of the third level cache, or of one beside it
 * @TOPDOWN_REASON_L3_MISS: data of memory
 * @TOPDOWN_REASON_REMOTE: data of another NUMA node or socket
 * @TOPDOWN_REASON_SHARED: data that another core had modified
 * @TOPDOWN_REASON_BUFFER: data that had been asked for already
 * @TOPDOWN_REASON_TLB_MISS: an address that the first level data TLB did not have
 * @TOPDOWN_REASON_PAGE_WALK: an address that no data TLB had
 * @TOPDOWN_REASON_STORE_FORWARD: a store before it, whose data could not be forwarded
 * @TOPDOWN_REASON_ADDRESS: a store before it, whose address was not known or looked the same
 * @TOPDOWN_REASON_LOCKED: a locked access
 * @TOPDOWN_REASON_UNCACHED: memory that is not cached, or a device
 * @TOPDOWN_REASON_MISALIGNED: an access that is not aligned
 * @TOPDOWN_REASON_QUEUE_FULL: a place among the outstanding misses
 * @TOPDOWN_REASON_MISPREDICT: a branch that was predicted wrongly
 * @TOPDOWN_REASON_DIRECTION: the same, and the direction was wrong
 * @TOPDOWN_REASON_TARGET: the same, and the target was wrong
 * @TOPDOWN_REASON_ICACHE_MISS: instructions that the first level cache did not have
 * @TOPDOWN_REASON_ICACHE_L2_MISS: instructions that the second level cache did not have
 * @TOPDOWN_REASON_ICACHE_L3_MISS: instructions that the third level cache did not have
 * @TOPDOWN_REASON_ITLB_MISS: an address that the first level instruction TLB did not have
 * @TOPDOWN_REASON_ITLB_WALK: an address that no instruction TLB had
 * @TOPDOWN_REASON_OPCACHE_MISS: instructions that the operation cache did not have
 * @TOPDOWN_REASON_FETCH_ABORTED: the fetch did not end, as after a wrong prediction
 * @TOPDOWN_REASON_FETCH_LATENCY: instructions, and the sample does not say why they were late
 * @TOPDOWN_REASON_FETCH_BANDWIDTH: more instructions in a cycle
 * @TOPDOWN_REASON_CLEAR: the pipeline began again, as after a wrong order of memory accesses
 * @TOPDOWN_REASON_MICROCODE: an instruction of many operations
 * @TOPDOWN_REASON_SOURCE: an operand
 * @TOPDOWN_REASON_COLLISION: a unit that another instruction used
 * @TOPDOWN_REASON_LOAD_FINISH: the end of a load
 * @TOPDOWN_REASON_STORE_FINISH: the end of a store
 * @TOPDOWN_REASON_FORWARDED: data forwarded from a store
 * @TOPDOWN_REASON_MULTI_CYCLE: an instruction of many cycles
 * @TOPDOWN_REASON_FIXED_CYCLE: an instruction of a fixed number of cycles
 * @TOPDOWN_REASON_NEXT: nothing but its turn to retire
 * @TOPDOWN_REASON_LOAD_LATENCY: a load, and the sample does not say why it was late
 */
enum topdown_stall_reason {
	TOPDOWN_REASON_L1_MISS		= 1,
	TOPDOWN_REASON_L2_MISS		= 2,
	TOPDOWN_REASON_L3_MISS		= 3,
	TOPDOWN_REASON_REMOTE		= 4,
	TOPDOWN_REASON_SHARED		= 5,
	TOPDOWN_REASON_BUFFER		= 6,
	TOPDOWN_REASON_TLB_MISS		= 7,
	TOPDOWN_REASON_PAGE_WALK	= 8,
	TOPDOWN_REASON_STORE_FORWARD	= 9,
	TOPDOWN_REASON_ADDRESS		= 10,
	TOPDOWN_REASON_LOCKED		= 11,
	TOPDOWN_REASON_UNCACHED		= 12,
	TOPDOWN_REASON_MISALIGNED	= 13,
	TOPDOWN_REASON_QUEUE_FULL	= 14,
	TOPDOWN_REASON_MISPREDICT	= 15,
	TOPDOWN_REASON_DIRECTION	= 16,
	TOPDOWN_REASON_TARGET		= 17,
	TOPDOWN_REASON_ICACHE_MISS	= 18,
	TOPDOWN_REASON_ICACHE_L2_MISS	= 19,
	TOPDOWN_REASON_ICACHE_L3_MISS	= 20,
	TOPDOWN_REASON_ITLB_MISS	= 21,
	TOPDOWN_REASON_ITLB_WALK	= 22,
	TOPDOWN_REASON_OPCACHE_MISS	= 23,
	TOPDOWN_REASON_FETCH_ABORTED	= 24,
	TOPDOWN_REASON_FETCH_LATENCY	= 25,
	TOPDOWN_REASON_FETCH_BANDWIDTH	= 26,
	TOPDOWN_REASON_CLEAR		= 27,
	TOPDOWN_REASON_MICROCODE	= 28,
	TOPDOWN_REASON_SOURCE		= 29,
	TOPDOWN_REASON_COLLISION	= 30,
	TOPDOWN_REASON_LOAD_FINISH	= 31,
	TOPDOWN_REASON_STORE_FINISH	= 32,
	TOPDOWN_REASON_FORWARDED	= 33,
	TOPDOWN_REASON_MULTI_CYCLE	= 34,
	TOPDOWN_REASON_FIXED_CYCLE	= 35,
	TOPDOWN_REASON_NEXT		= 36,
	TOPDOWN_REASON_LOAD_LATENCY	= 37,
};

/**
 * enum topdown_stall_source - where data or instructions came from
 *
 * @TOPDOWN_FROM_L0: cache before the first level
 * @TOPDOWN_FROM_L1: first level cache
 * @TOPDOWN_FROM_L1_BUFFER: buffer of misses of the first level: asked for already
 * @TOPDOWN_FROM_L2: second level cache
 * @TOPDOWN_FROM_L2_BUFFER: buffer of misses of the second level: asked for already
 * @TOPDOWN_FROM_L3: third level cache
 * @TOPDOWN_FROM_NEAR_CACHE: cache of another core or core complex of the same NUMA node
 * @TOPDOWN_FROM_FAR_CACHE: cache of another NUMA node or socket
 * @TOPDOWN_FROM_CACHE: a cache, and the record does not say which
 * @TOPDOWN_FROM_L4: fourth level cache
 * @TOPDOWN_FROM_MEMORY_SIDE: cache of the memory
 * @TOPDOWN_FROM_MEMORY: memory
 * @TOPDOWN_FROM_PERSISTENT: persistent memory
 * @TOPDOWN_FROM_EXTENSION: memory behind CXL or another extension
 * @TOPDOWN_FROM_PEER: memory of a peer agent, such as an accelerator
 * @TOPDOWN_FROM_IO: a device
 * @TOPDOWN_FROM_UNCACHED: memory that is not cached
 * @TOPDOWN_FROM_UNKNOWN_L3_MISS: beyond the third level cache, and the record does not say where
 * @TOPDOWN_FROM_L4_OR_PERSISTENT: fourth level cache of a client, or persistent memory of a server
 */
enum topdown_stall_source {
	TOPDOWN_FROM_L0			= 1,
	TOPDOWN_FROM_L1			= 2,
	TOPDOWN_FROM_L1_BUFFER		= 3,
	TOPDOWN_FROM_L2			= 4,
	TOPDOWN_FROM_L2_BUFFER		= 5,
	TOPDOWN_FROM_L3			= 6,
	TOPDOWN_FROM_NEAR_CACHE		= 7,
	TOPDOWN_FROM_FAR_CACHE		= 8,
	TOPDOWN_FROM_CACHE		= 9,
	TOPDOWN_FROM_L4			= 10,
	TOPDOWN_FROM_MEMORY_SIDE	= 11,
	TOPDOWN_FROM_MEMORY		= 12,
	TOPDOWN_FROM_PERSISTENT		= 13,
	TOPDOWN_FROM_EXTENSION		= 14,
	TOPDOWN_FROM_PEER		= 15,
	TOPDOWN_FROM_IO			= 16,
	TOPDOWN_FROM_UNCACHED		= 17,
	TOPDOWN_FROM_UNKNOWN_L3_MISS	= 18,
	TOPDOWN_FROM_L4_OR_PERSISTENT	= 19,
};

/* topdown_stall.flags. */
#define TOPDOWN_STALL_MISPREDICTED	(1ULL << 0)	/* A branch that was predicted wrongly. */
#define TOPDOWN_STALL_TAKEN		(1ULL << 1)	/* A branch that was taken. */
#define TOPDOWN_STALL_RETURN		(1ULL << 2)	/* A return. */
#define TOPDOWN_STALL_LOCKED		(1ULL << 3)
#define TOPDOWN_STALL_BLOCKED_STORE	(1ULL << 4)	/* A store's data could not be forwarded. */
#define TOPDOWN_STALL_BLOCKED_ADDRESS	(1ULL << 5)	/* By the address of a store. */
#define TOPDOWN_STALL_TLB_MISS		(1ULL << 6)	/* The first level TLB missed. */
#define TOPDOWN_STALL_WALK		(1ULL << 7)	/* All TLBs missed: a page walk. */
#define TOPDOWN_STALL_REMOTE		(1ULL << 8)	/* Of another NUMA node or socket. */
#define TOPDOWN_STALL_REMOTE_SOCKET	(1ULL << 9)	/* Of another socket. */
#define TOPDOWN_STALL_MODIFIED		(1ULL << 10)	/* Another core had modified it. */
#define TOPDOWN_STALL_FORWARDED		(1ULL << 11)	/* Another core forwarded it. */
#define TOPDOWN_STALL_SHARED		(1ULL << 12)	/* Another core had it, not modified. */
#define TOPDOWN_STALL_L1_MISS		(1ULL << 13)	/* Of data. */
#define TOPDOWN_STALL_L2_MISS		(1ULL << 14)
#define TOPDOWN_STALL_L3_MISS		(1ULL << 15)
#define TOPDOWN_STALL_ICACHE_MISS	(1ULL << 16)
#define TOPDOWN_STALL_OPCACHE_MISS	(1ULL << 17)
#define TOPDOWN_STALL_MISALIGNED	(1ULL << 18)
#define TOPDOWN_STALL_UNCACHED		(1ULL << 19)
#define TOPDOWN_STALL_COMBINING		(1ULL << 20)	/* Write-combining memory. */
#define TOPDOWN_STALL_QUEUE_FULL	(1ULL << 21)	/* No place among the outstanding misses. */
#define TOPDOWN_STALL_PREFETCH		(1ULL << 22)	/* A prefetch instruction. */
#define TOPDOWN_STALL_MICROCODE		(1ULL << 23)
#define TOPDOWN_STALL_FUSED		(1ULL << 24)	/* Fused with the instruction before it. */
#define TOPDOWN_STALL_PAGE_2M		(1ULL << 25)
#define TOPDOWN_STALL_PAGE_1G		(1ULL << 26)
#define TOPDOWN_STALL_ABORTED		(1ULL << 27)	/* A fetch that did not end. */
#define TOPDOWN_STALL_STORES		(1ULL << 28)	/* A load that stores as well. */
#define TOPDOWN_STALL_STREAMING		(1ULL << 29)	/* A streaming store. */
#define TOPDOWN_STALL_PROMOTED		(1ULL << 30)	/* A prefetch had asked for it. */
#define TOPDOWN_STALL_TLB_HIT		(1ULL << 31)	/* The last level TLB had it. */
#define TOPDOWN_STALL_REJECT_SOURCE	(1ULL << 32)	/* Issued again for an operand. */
#define TOPDOWN_STALL_REJECT_COLLISION	(1ULL << 33)	/* Issued again for a busy unit. */
#define TOPDOWN_STALL_DIRECTION		(1ULL << 34)	/* The predicted direction was wrong. */
#define TOPDOWN_STALL_TARGET		(1ULL << 35)	/* The predicted target was wrong. */
#define TOPDOWN_STALL_REISSUED		(1ULL << 36)	/* Executed more than once. */
#define TOPDOWN_STALL_MMIO		(1ULL << 37)	/* Registers of a device. */
#define TOPDOWN_STALL_EXACT		(1ULL << 38)	/* ip is the instruction itself. */
#define TOPDOWN_STALL_KERNEL		(1ULL << 39)	/* In kernel mode. */
#define TOPDOWN_STALL_FLAGS		40
/* Some of the record is from bits that are known from the news, and not from a manual. */
#define TOPDOWN_STALL_UNCONFIRMED	(1ULL << 63)

/*
 * topdown_stall.has: numbers that are known. A field without its bit is 0, and tells nothing;
 * with it, 0 is the number 0.
 */
#define TOPDOWN_STALL_HAS_IP		(1ULL << 0)
#define TOPDOWN_STALL_HAS_ADDRESS	(1ULL << 1)
#define TOPDOWN_STALL_HAS_TARGET	(1ULL << 2)
#define TOPDOWN_STALL_HAS_TIME		(1ULL << 3)
#define TOPDOWN_STALL_HAS_CPU		(1ULL << 4)
#define TOPDOWN_STALL_HAS_TASK		(1ULL << 5)	/* pid and tid. */
#define TOPDOWN_STALL_HAS_EVENT		(1ULL << 6)
#define TOPDOWN_STALL_HAS_PERIOD	(1ULL << 7)
#define TOPDOWN_STALL_HAS_WHOLE		(1ULL << 8)
#define TOPDOWN_STALL_HAS_RETIRE	(1ULL << 9)
#define TOPDOWN_STALL_HAS_CACHE		(1ULL << 10)
#define TOPDOWN_STALL_HAS_TRANSLATION	(1ULL << 11)
#define TOPDOWN_STALL_HAS_FETCH		(1ULL << 12)
#define TOPDOWN_STALL_HAS_DISPATCH	(1ULL << 13)
#define TOPDOWN_STALL_HAS_WIDTH		(1ULL << 14)
#define TOPDOWN_STALL_HAS_OUTSTANDING	(1ULL << 15)
#define TOPDOWN_STALL_HAS_REGION	(1ULL << 16)

/**
 * struct topdown_stall - one sampled instruction
 * @has: TOPDOWN_STALL_HAS_*: the numbers that are known
 * @flags: TOPDOWN_STALL_*: what is known to be so. A flag that is not set may also not be known
 * @ip: address of the instruction
 * @address: address that it used
 * @target: where the branch went
 * @time_ns: when, CLOCK_MONOTONIC
 * @period: how many events of its kind the sample stands for
 * @cpu: CPU
 * @pid: process
 * @tid: thread
 * @event: number of the event in its table, see topdown_stalls_event_get()
 * @kind: enum topdown_stall_kind
 * @stage: enum topdown_stall_stage
 * @reason: enum topdown_stall_reason; the one that delayed it most, where several are known
 * @source: enum topdown_stall_source
 * @whole: cycles that it took: of a load from its dispatch to its end (before Golden Cove: until
 *	the data were there), of AMD from its tag to its retirement
 * @retire: cycles that it then needed to retire: of Intel since the instruction before it retired,
 *	of AMD since it was complete
 * @cache: cycles until the data were there
 * @translation: cycles to translate the address
 * @fetch: cycles of the fetch
 * @dispatch: cycles until it was dispatched
 * @width: bytes of the access
 * @outstanding: misses that were outstanding when the data came
 * @region: region of memory or cache, as Intel's OMR numbers them
 * @reserved: 0
 */
struct topdown_stall {
	__u64 has;
	__u64 flags;
	__u64 ip;
	__u64 address;
	__u64 target;
	__u64 time_ns;
	__u64 period;
	__u32 cpu;
	__u32 pid;
	__u32 tid;
	__u32 event;
	__u16 kind;
	__u16 stage;
	__u16 reason;
	__u16 source;
	__u32 whole;
	__u32 retire;
	__u32 cache;
	__u32 translation;
	__u32 fetch;
	__u32 dispatch;
	__u16 width;
	__u16 outstanding;
	__u16 region;
	__u16 reserved;
};

/**
 * enum topdown_stall_layout - registers that say what delayed an instruction
 *
 * Words of a layout are registers, in the order in which it names them.
 *
 * @TOPDOWN_LAYOUT_NHM: PEBS load latency of Nehalem and Westmere: data source, latency
 * @TOPDOWN_LAYOUT_SNB: of Sandy Bridge to Broadwell: the same
 * @TOPDOWN_LAYOUT_SNB_STORE: precise stores of Sandy Bridge and Ivy Bridge: the same
 * @TOPDOWN_LAYOUT_HSW_STORE: stores with an address of Haswell to Raptor Cove: the same
 * @TOPDOWN_LAYOUT_SKL: load latency of Skylake to Ice Lake: the same
 * @TOPDOWN_LAYOUT_GLC: load latency of Golden Cove to Redwood Cove: the same, retire latency
 * @TOPDOWN_LAYOUT_GLC_STORE: store latency of these: the same
 * @TOPDOWN_LAYOUT_GRT: Gracemont: the same
 * @TOPDOWN_LAYOUT_CMT: Crestmont to Darkmont: the same
 * @TOPDOWN_LAYOUT_LNC: Lion Cove and Cougar Cove: the same
 * @TOPDOWN_LAYOUT_PNC: Panther Cove and Coyote Cove (OMR): the same
 * @TOPDOWN_LAYOUT_ARW: Arctic Wolf (OMR): the same
 * @TOPDOWN_LAYOUT_IBS_OP: IBS operation of Zen 2 to 6: IbsOpCtl, IbsOpRip, IbsOpData,
 *	IbsOpData2, IbsOpData3, IbsDcLinAd, IbsDcPhysAd, IbsBrTarget
 * @TOPDOWN_LAYOUT_IBS_FETCH: IBS fetch: IbsFetchCtl, IbsFetchLinAd, IbsFetchPhysAd,
 *	IcIbsExtdCtl
 * @TOPDOWN_LAYOUT_POWER8: SIER, MMCRA's latency
 * @TOPDOWN_LAYOUT_POWER9: the same
 * @TOPDOWN_LAYOUT_POWER10: the same, SIER2
 * @TOPDOWN_LAYOUT_PERF: what perf makes of the registers: data source (PERF_SAMPLE_DATA_SRC),
 *	weights (PERF_SAMPLE_WEIGHT_STRUCT)
 * @TOPDOWN_LAYOUTS: one more than the last
 */
enum topdown_stall_layout {
	TOPDOWN_LAYOUT_NHM		= 1,
	TOPDOWN_LAYOUT_SNB		= 2,
	TOPDOWN_LAYOUT_SNB_STORE	= 3,
	TOPDOWN_LAYOUT_HSW_STORE	= 4,
	TOPDOWN_LAYOUT_SKL		= 5,
	TOPDOWN_LAYOUT_GLC		= 6,
	TOPDOWN_LAYOUT_GLC_STORE	= 7,
	TOPDOWN_LAYOUT_GRT		= 8,
	TOPDOWN_LAYOUT_CMT		= 9,
	TOPDOWN_LAYOUT_LNC		= 10,
	TOPDOWN_LAYOUT_PNC		= 11,
	TOPDOWN_LAYOUT_ARW		= 12,
	TOPDOWN_LAYOUT_IBS_OP		= 13,
	TOPDOWN_LAYOUT_IBS_FETCH	= 14,
	TOPDOWN_LAYOUT_POWER8		= 15,
	TOPDOWN_LAYOUT_POWER9		= 16,
	TOPDOWN_LAYOUT_POWER10		= 17,
	TOPDOWN_LAYOUT_PERF		= 18,
	TOPDOWN_LAYOUTS			= 19,
};

#define TOPDOWN_STALL_WORDS		8

/**
 * struct topdown_stall_raw - registers of one sample
 * @layout: enum topdown_stall_layout
 * @caps: of IBS: CPUID 8000001BH EAX; else 0
 * @word: registers, as the layout names them; 0 for those that the sample lacks
 */
struct topdown_stall_raw {
	__u32 layout;
	__u32 caps;
	__u64 word[TOPDOWN_STALL_WORDS];
};

/**
 * topdown_stall_decode() - make a record of registers
 * @raw: registers
 * @out: the record; what registers do not say is 0
 * @size: sizeof(*@out)
 *
 * Return: 0; -EINVAL for an unknown layout, or a @size that was never released.
 */
int topdown_stall_decode(const struct topdown_stall_raw *raw, struct topdown_stall *out,
			 size_t size);

/**
 * struct topdown_stall_field - what one field of a register says
 * @layout: enum topdown_stall_layout
 * @word: number of the register
 * @shift: its lowest bit
 * @width: its bits
 * @caps: bits of the capability word that must be set
 * @lacks: bits of the capability word that must not be set
 * @what: what it becomes, for people
 * @unconfirmed: 1 if it is known from the news, and not from a manual
 * @reserved: 0
 */
struct topdown_stall_field {
	__u32 layout;
	__u32 word;
	__u32 shift;
	__u32 width;
	__u32 caps;
	__u32 lacks;
	char what[48];
	__u32 unconfirmed;
	__u32 reserved;
};

/**
 * topdown_stall_field_get() - the table of all fields, which the decoder goes by
 * @number: from 0
 * @out: the field; untouched on error
 *
 * Return: 0; -ENOENT after the last one.
 */
int topdown_stall_field_get(unsigned int number, struct topdown_stall_field *out);

/**
 * topdown_stall_layout_name() - short name of a layout
 * @layout: enum topdown_stall_layout
 *
 * Return: for example "lnc"; NULL for an unknown layout.
 */
const char *topdown_stall_layout_name(unsigned int layout);

/**
 * topdown_stall_kind_name() - name of an enum topdown_stall_kind
 * @kind: value
 *
 * Return: for example "load"; NULL for 0 and for an unknown value.
 */
const char *topdown_stall_kind_name(unsigned int kind);

/**
 * topdown_stall_stage_name() - name of an enum topdown_stall_stage
 * @stage: value
 *
 * Return: for example "memory"; NULL for 0 and for an unknown value.
 */
const char *topdown_stall_stage_name(unsigned int stage);

/**
 * topdown_stall_reason_name() - name of an enum topdown_stall_reason
 * @reason: value
 *
 * Return: for example "page walk"; NULL for 0 and for an unknown value.
 */
const char *topdown_stall_reason_name(unsigned int reason);

/**
 * topdown_stall_source_name() - name of an enum topdown_stall_source
 * @source: value
 *
 * Return: for example "memory"; NULL for 0 and for an unknown value.
 */
const char *topdown_stall_source_name(unsigned int source);

/**
 * topdown_stall_flag_name() - name of a flag
 * @flag: number of its bit
 *
 * Return: for example "mispredicted"; NULL for an unknown flag.
 */
const char *topdown_stall_flag_name(unsigned int flag);

/**
 * topdown_stall_text() - a record in words
 * @stall: record
 * @text: written; cut if there is too little room
 * @size: room at @text
 *
 * For example "load, memory: remote; from far cache; remote, modified; cycles 412, cache 396".
 *
 * Return: the length of the whole text, as snprintf() has it.
 */
int topdown_stall_text(const struct topdown_stall *stall, char *text, size_t size);

/**
 * struct topdown_stall_attr - what a sample of perf has
 * @sample_type: perf_event_attr.sample_type
 * @branch_sample_type: perf_event_attr.branch_sample_type
 * @read_format: perf_event_attr.read_format
 * @layout: TOPDOWN_LAYOUT_IBS_OP or _IBS_FETCH if PERF_SAMPLE_RAW has the registers of IBS, else 0
 * @reserved: 0
 */
struct topdown_stall_attr {
	__u64 sample_type;
	__u64 branch_sample_type;
	__u64 read_format;
	__u32 layout;
	__u32 reserved;
};

/**
 * topdown_stall_sample() - make a record of a sample in perf's form
 * @attr: what the sample has
 * @sample: the sample, which begins with its struct perf_event_header
 * @len: bytes that there are
 * @out: the record; untouched on error
 * @size: sizeof(*@out)
 *
 * perf.data has such samples, and so has the memory that perf_event_open(2) describes.
 *
 * Return: 0; -EBADMSG if it is no sample, or is cut; -EOPNOTSUPP if @attr has a bit that
 * this library does not know; -EINVAL for a @size that was never released.
 */
int topdown_stall_sample(const struct topdown_stall_attr *attr, const void *sample, size_t len,
			 struct topdown_stall *out, size_t size);

/**
 * topdown_stall_cost() - how much of a node's slots a record stands for
 * @stall: record
 * @node: enum topdown_node
 *
 * A load costs the cycles until its data were there, and one more event the same again;
 * where there are no cycles, an event costs 1.
 *
 * Return: the cost, in a unit of its own; 0 if the record is not of that node.
 */
double topdown_stall_cost(const struct topdown_stall *stall, unsigned int node);

#ifdef __cplusplus
}
#endif

#endif /* TOPDOWN_STALL_H */
