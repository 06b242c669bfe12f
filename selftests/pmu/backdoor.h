/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The back door of the emulated PMU: how a guest program says what its address
 * space "executes", and how a test reads the exact truth.
 *
 * One 32-bit IN from TD_BD_PORT is one request.  The arguments and the answer
 * travel in registers and in one structure in the caller's memory, so a request
 * can be neither torn by a context switch nor mixed with another task's.  The
 * structure is a memory operand like any other: a page that is not present
 * faults and the instruction runs again, a bad address is a SIGSEGV.  The
 * emulator and the guest programs both compile this file.
 */
#ifndef TOPDOWN_PMU_BACKDOOR_H
#define TOPDOWN_PMU_BACKDOOR_H

#include <stdint.h>

#define TD_BD_PORT	0x5d0		/* Q35 leaves it free. */
#define TD_BD_MAGIC	0x54444250u	/* RAX on entry: "TDBP". */
#define TD_BD_VERSION	1

#define TD_BD_FRACTION	1000000u	/* Profile fractions are parts per million. */

/* The eight PERF_METRICS categories, in the order of the register's bytes. */
enum td_bd_category {
	TD_BD_RETIRING,
	TD_BD_BAD_SPEC,
	TD_BD_FE_BOUND,
	TD_BD_BE_BOUND,
	TD_BD_HEAVY_OPS,
	TD_BD_BR_MISPREDICT,
	TD_BD_FETCH_LAT,
	TD_BD_MEM_BOUND,
	TD_BD_CATEGORIES,
};

/* RBX on entry.  RCX: argument, else 0.  RDI: address of the structure named. */
enum td_bd_request {
	TD_BD_PING,		/* No structure; EAX answers TD_BD_VERSION. */
	TD_BD_SET_PROFILE,	/* Profile in, RCX: enum td_bd_start. */
	TD_BD_TRUTH_SPACE,	/* struct td_bd_truth out: this address space. */
	TD_BD_TRUTH_CPU,	/* struct td_bd_truth out: vCPU number RCX. */
	TD_BD_SET_QUANT,	/* RCX: enum td_bd_quant. */
	TD_BD_SET_DEFAULT,	/* struct td_bd_profile in: spaces with none set. */
	TD_BD_SET_RATE,		/* struct td_bd_rate in: of this address space. */
	TD_BD_FORGET_RATES,	/* No structure: those of this address space. */
	TD_BD_SET_FILTER,	/* RCX: 0 all events count, 1 only architectural ones. */
	TD_BD_SET_GUEST,	/* RCX: enum td_bd_guest. */
	TD_BD_LATENCY,		/* struct td_bd_latency, RCX: vCPU or TD_BD_SPACE. */
	TD_BD_SET_RESTORE,	/* RCX: enum td_bd_restore. */
	TD_BD_SET_MEMORY,	/* struct td_bd_memory in: of this address space. */
	TD_BD_SET_FAULT,	/* RCX: enum td_bd_fault. */
	TD_BD_SET_IBS,		/* struct td_bd_ibs in: of this address space. */
	TD_BD_IBS,		/* struct td_bd_ibs_truth, RCX: vCPU or TD_BD_SPACE. */
};

/* The machine is wrong in one way from then on, so that software can be seen to notice. */
enum td_bd_fault {
	TD_BD_FAULT_NONE,
	TD_BD_FAULT_WIDTH,	/* One slot a cycle less. */
	TD_BD_FAULT_DEAD,	/* The byte of frontend bound is 0. */
	TD_BD_FAULT_STUCK,	/* It is always 40. */
	TD_BD_FAULT_SUM,	/* Each byte is nine tenths of what it should be. */
	TD_BD_FAULT_STALE,	/* A restore of PERF_METRICS is ignored; a reset is not. */
	TD_BD_FAULT_LATE,	/* Bytes are 0 for TD_BD_LATE_NS after a reset. */
	TD_BD_FAULT_EVENT,	/* TOPDOWN.BACKEND_BOUND_SLOTS counts a tenth more. */
	TD_BD_FAULT_FILTERED,	/* General events that are not architectural count nothing. */
	TD_BD_FAULT_SIBLING,	/* Two threads that run have all slots each. */
	TD_BD_FAULT_SLOW,	/* RDPMC takes TD_BD_SLOW_US; not under -icount. */
	TD_BD_FAULTS,
};

#define TD_BD_LATE_NS	3000000u
#define TD_BD_SLOW_US	100u

/* How the fractions of PERF_METRICS become bytes. */
enum td_bd_quant {
	TD_BD_QUANT_TRUNCATE,
	TD_BD_QUANT_ROUND,
	/* Truncated, but bad speculation is what the other three of level 1 leave of 255. */
	TD_BD_QUANT_REST,
	TD_BD_QUANTS,
};

/* What a write of PERF_METRICS makes of the counters that are hidden behind it. */
enum td_bd_restore {
	TD_BD_RESTORE_BYTES,	/* They start from the bytes and SLOTS. */
	/*
	 * If SLOTS and the bytes are as they were when both were read and stood still, the
	 * hidden counters are what they were then.  Otherwise as above.
	 */
	TD_BD_RESTORE_EXACT,
	TD_BD_RESTORES,
};

/* What TD_BD_SET_PROFILE does to the truth of the address space. */
enum td_bd_start {
	TD_BD_RESTART,		/* It starts again from 0: a new workload. */
	TD_BD_CONTINUE,		/* It goes on: the next phase of the same one. */
};

/*
 * What TD_BD_SET_GUEST has the counters do in the second half of each millisecond, as
 * while a CPU executes a guest whose hypervisor has taken their bits out of
 * IA32_PERF_GLOBAL_CTRL.  Programs go on, and so does their truth.
 */
enum td_bd_guest {
	TD_BD_GUEST_NONE,	/* They count. */
	TD_BD_GUEST_ALL,	/* They stand still. */
	TD_BD_GUEST_METRICS,	/* So they do, but what is behind PERF_METRICS counts. */
};

/* EAX on return; for TD_BD_PING the version. */
#define TD_BD_OK	0u
#define TD_BD_EINVAL	1u		/* Bad request, argument or profile. */

/*
 * What an address space executes.  The first four fractions sum to
 * TD_BD_FRACTION; each of the last four is at most its parent: heavy_ops of
 * retiring, br_mispredict of bad_spec, fetch_lat of fe_bound, mem_bound of
 * be_bound.
 */
struct td_bd_profile {
	uint32_t fraction[TD_BD_CATEGORIES];
};

/*
 * How often an event happens in this address space.  @config is what perf takes
 * as attr.config: event, unit mask, edge, any, inv and cmask, and of AMD bits 35:32;
 * other bits must be 0, but for TD_BD_FRONTEND() of event 0xc6.  The numbers that
 * the kernel has for events of fixed counters are understood: 0x100 is 0xc0, 0x200
 * is 0x3c, 0x200200 is 0x20003c.
 * An event that has no rate counts what follows from the profile, or nothing.
 */
struct td_bd_rate {
	uint64_t config;
	uint64_t rate;			/* Events in TD_BD_FRACTION unhalted cycles. */
};

#define TD_BD_RATE_MAX	1000000000u	/* 1000 in each cycle. */

/* The cause of FRONTEND_RETIRED, event 0xc6: bits 22:0 of MSR_PEBS_FRONTEND. */
#define TD_BD_FRONTEND(cause)	((uint64_t)(cause) << 40)

/*
 * What the PEBS records of an event had since power-on, on a vCPU or, with TD_BD_SPACE,
 * where this address space was in use.  bin[i] counts the records with a retire
 * latency of first + i * width and up to the next.  A record that had no room is in
 * "lost" and nowhere else.  The sums are of the memory group, whether or not a
 * record has it, and 0 for events that are not of memory.
 */
#define TD_BD_SPACE		(~0ull)
#define TD_BD_LATENCY_MAX	65535u
#define TD_BD_BINS		64

struct td_bd_latency {
	uint64_t config;		/* In: as for rates. */
	uint32_t first, width;		/* In. */
	uint64_t count, lost;
	uint64_t sum, min, max;		/* Of the retire latency; min is 0 if count is. */
	uint64_t address_sum;		/* Modulo 2^64. */
	uint64_t cache_sum, instruction_sum;
	uint64_t bin[TD_BD_BINS];
};

/*
 * What the memory group of PEBS says of an event's records in this address space, from now on
 * until TD_BD_RESTART or TD_BD_FORGET_RATES. @source is the status word, in the layout of
 * the core. So a program says what each of its parts waits for.
 */
struct td_bd_memory {
	uint64_t config;		/* As for rates. */
	uint64_t source;
	uint32_t cache, instruction;	/* Cycles, at most TD_BD_LATENCY_MAX. */
};

#define TD_BD_MEMORIES	8		/* Events of an address space that can be told so. */

/*
 * Let instruction-based sampling of AMD tag this in this address space, from now on until
 * TD_BD_RESTART or TD_BD_FORGET_RATES: kinds of operations, or of fetches, each as a part of
 * all. The rest are operations without memory and branches, and fetches that hit. @word is
 * DATA, DATA2 and DATA3 of an operation; of a fetch it is the result in the upper half of
 * FETCH_CTL, and FETCH_CTL_EXT. Valid bits of addresses are the emulator's own, and 0 here.
 */
enum td_bd_engine {
	TD_BD_IBS_OP,
	TD_BD_IBS_FETCH,
	TD_BD_IBS_ENGINES,
};

#define TD_BD_IBS_KINDS	8
#define TD_BD_IBS_REST	TD_BD_IBS_KINDS	/* As a number: what belongs to no kind. */

struct td_bd_ibs {
	uint32_t engine;		/* enum td_bd_engine */
	uint32_t number;		/* Below TD_BD_IBS_KINDS: the last word on it counts. */
	uint64_t weight;		/* Parts per million of what is tagged; 0: none. */
	uint64_t word[3];
};

/*
 * The records of a kind since power-on, on a vCPU, or with TD_BD_SPACE since TD_BD_RESTART;
 * sums are modulo 2^64. The last two are of the engine: what it has counted, and how often it
 * tagged something that was flushed.
 */
struct td_bd_ibs_truth {
	uint32_t engine, number;	/* In. */
	uint64_t count;
	uint64_t ip_sum, address_sum;
	uint64_t counted, flushed;
};

/*
 * The exact truth since power-on.  user_* counts CPL 3 alone; the others count
 * every ring.  "slots" is width x unhalted cycles.  The register counts and
 * instructions are of the vCPU for TD_BD_TRUTH_CPU, 0 for TD_BD_TRUTH_SPACE.
 */
struct td_bd_truth {
	uint64_t time_ns;			/* The emulator's virtual clock. */
	uint64_t slots;
	uint64_t category[TD_BD_CATEGORIES];
	uint64_t user_slots;
	uint64_t user_category[TD_BD_CATEGORIES];
	uint64_t rdmsr, wrmsr, rdpmc;		/* Accesses to PMU registers. */
	uint64_t pmi;				/* PMU interrupts delivered. */
	uint64_t wakeups;			/* Times the vCPU left HLT. */
	/* Retired, one with a REP prefix once; under -icount only, else 0. */
	uint64_t instructions;
	uint64_t stopped;			/* Of the slots: see TD_BD_SET_GUEST. */
	/* Slots in which the SLOTS counter was off in IA32_PERF_GLOBAL_CTRL. */
	uint64_t held;
};

#endif /* TOPDOWN_PMU_BACKDOOR_H */
