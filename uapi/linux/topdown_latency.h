/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/topdown: latencies, which sample how long instructions take to retire.
 *
 * A part of linux/topdown.h, which has the numbers of the commands, the rules of growth and
 * the errors.  Include that one.
 */
#ifndef _UAPI_LINUX_TOPDOWN_LATENCY_H
#define _UAPI_LINUX_TOPDOWN_LATENCY_H

#ifndef _UAPI_LINUX_TOPDOWN_H
#error "include <linux/topdown.h>"
#endif

/**
 * enum topdown_latency_event - events whose retire latency can be sampled
 *
 * A number never changes.  topdown_latency.out_events says which events a machine has.  The
 * names are Intel's.
 *
 * @TOPDOWN_LATENCY_BR_MISP_RETIRED_COND_NTAKEN_COST: BR_MISP_RETIRED.COND_NTAKEN_COST
 * @TOPDOWN_LATENCY_BR_MISP_RETIRED_COND_TAKEN_BWD_COST: BR_MISP_RETIRED.COND_TAKEN_BWD_COST
 * @TOPDOWN_LATENCY_BR_MISP_RETIRED_COND_TAKEN_COST: BR_MISP_RETIRED.COND_TAKEN_COST
 * @TOPDOWN_LATENCY_BR_MISP_RETIRED_COND_TAKEN_FWD_COST: BR_MISP_RETIRED.COND_TAKEN_FWD_COST
 * @TOPDOWN_LATENCY_BR_MISP_RETIRED_INDIRECT_CALL_COST: BR_MISP_RETIRED.INDIRECT_CALL_COST
 * @TOPDOWN_LATENCY_BR_MISP_RETIRED_INDIRECT_COST: BR_MISP_RETIRED.INDIRECT_COST
 * @TOPDOWN_LATENCY_BR_MISP_RETIRED_RET_COST: BR_MISP_RETIRED.RET_COST
 * @TOPDOWN_LATENCY_FRONTEND_RETIRED_ANY_DSB_MISS: FRONTEND_RETIRED.ANY_DSB_MISS
 * @TOPDOWN_LATENCY_FRONTEND_RETIRED_ITLB_MISS: FRONTEND_RETIRED.ITLB_MISS
 * @TOPDOWN_LATENCY_FRONTEND_RETIRED_L1I_MISS: FRONTEND_RETIRED.L1I_MISS
 * @TOPDOWN_LATENCY_FRONTEND_RETIRED_L2_MISS: FRONTEND_RETIRED.L2_MISS
 * @TOPDOWN_LATENCY_FRONTEND_RETIRED_MS_FLOWS: FRONTEND_RETIRED.MS_FLOWS
 * @TOPDOWN_LATENCY_FRONTEND_RETIRED_STLB_MISS: FRONTEND_RETIRED.STLB_MISS
 * @TOPDOWN_LATENCY_FRONTEND_RETIRED_UNKNOWN_BRANCH: FRONTEND_RETIRED.UNKNOWN_BRANCH
 * @TOPDOWN_LATENCY_MEM_INST_RETIRED_LOCK_LOADS: MEM_INST_RETIRED.LOCK_LOADS
 * @TOPDOWN_LATENCY_MEM_INST_RETIRED_SPLIT_LOADS: MEM_INST_RETIRED.SPLIT_LOADS
 * @TOPDOWN_LATENCY_MEM_INST_RETIRED_SPLIT_STORES: MEM_INST_RETIRED.SPLIT_STORES
 * @TOPDOWN_LATENCY_MEM_INST_RETIRED_STLB_HIT_LOADS: MEM_INST_RETIRED.STLB_HIT_LOADS
 * @TOPDOWN_LATENCY_MEM_INST_RETIRED_STLB_HIT_STORES: MEM_INST_RETIRED.STLB_HIT_STORES
 * @TOPDOWN_LATENCY_MEM_INST_RETIRED_STLB_MISS_LOADS: MEM_INST_RETIRED.STLB_MISS_LOADS
 * @TOPDOWN_LATENCY_MEM_INST_RETIRED_STLB_MISS_STORES: MEM_INST_RETIRED.STLB_MISS_STORES
 * @TOPDOWN_LATENCY_MEM_LOAD_L3_HIT_RETIRED_XSNP_FWD: MEM_LOAD_L3_HIT_RETIRED.XSNP_FWD
 * @TOPDOWN_LATENCY_MEM_LOAD_L3_HIT_RETIRED_XSNP_HITM: MEM_LOAD_L3_HIT_RETIRED.XSNP_HITM
 * @TOPDOWN_LATENCY_MEM_LOAD_L3_HIT_RETIRED_XSNP_MISS: MEM_LOAD_L3_HIT_RETIRED.XSNP_MISS
 * @TOPDOWN_LATENCY_MEM_LOAD_L3_HIT_RETIRED_XSNP_NO_FWD: MEM_LOAD_L3_HIT_RETIRED.XSNP_NO_FWD
 * @TOPDOWN_LATENCY_MEM_LOAD_L3_MISS_RETIRED_LOCAL_DRAM: MEM_LOAD_L3_MISS_RETIRED.LOCAL_DRAM
 * @TOPDOWN_LATENCY_MEM_LOAD_L3_MISS_RETIRED_REMOTE_DRAM: MEM_LOAD_L3_MISS_RETIRED.REMOTE_DRAM
 * @TOPDOWN_LATENCY_MEM_LOAD_L3_MISS_RETIRED_REMOTE_FWD: MEM_LOAD_L3_MISS_RETIRED.REMOTE_FWD
 * @TOPDOWN_LATENCY_MEM_LOAD_L3_MISS_RETIRED_REMOTE_HITM: MEM_LOAD_L3_MISS_RETIRED.REMOTE_HITM
 * @TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L1_HIT_L1: MEM_LOAD_RETIRED.L1_HIT_L1
 * @TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L2_HIT: MEM_LOAD_RETIRED.L2_HIT
 * @TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L3_HIT: MEM_LOAD_RETIRED.L3_HIT
 */
enum topdown_latency_event {
	TOPDOWN_LATENCY_BR_MISP_RETIRED_COND_NTAKEN_COST	= 0,
	TOPDOWN_LATENCY_BR_MISP_RETIRED_COND_TAKEN_BWD_COST	= 1,
	TOPDOWN_LATENCY_BR_MISP_RETIRED_COND_TAKEN_COST		= 2,
	TOPDOWN_LATENCY_BR_MISP_RETIRED_COND_TAKEN_FWD_COST	= 3,
	TOPDOWN_LATENCY_BR_MISP_RETIRED_INDIRECT_CALL_COST	= 4,
	TOPDOWN_LATENCY_BR_MISP_RETIRED_INDIRECT_COST		= 5,
	TOPDOWN_LATENCY_BR_MISP_RETIRED_RET_COST		= 6,
	TOPDOWN_LATENCY_FRONTEND_RETIRED_ANY_DSB_MISS		= 7,
	TOPDOWN_LATENCY_FRONTEND_RETIRED_ITLB_MISS		= 8,
	TOPDOWN_LATENCY_FRONTEND_RETIRED_L1I_MISS		= 9,
	TOPDOWN_LATENCY_FRONTEND_RETIRED_L2_MISS		= 10,
	TOPDOWN_LATENCY_FRONTEND_RETIRED_MS_FLOWS		= 11,
	TOPDOWN_LATENCY_FRONTEND_RETIRED_STLB_MISS		= 12,
	TOPDOWN_LATENCY_FRONTEND_RETIRED_UNKNOWN_BRANCH		= 13,
	TOPDOWN_LATENCY_MEM_INST_RETIRED_LOCK_LOADS		= 14,
	TOPDOWN_LATENCY_MEM_INST_RETIRED_SPLIT_LOADS		= 15,
	TOPDOWN_LATENCY_MEM_INST_RETIRED_SPLIT_STORES		= 16,
	TOPDOWN_LATENCY_MEM_INST_RETIRED_STLB_HIT_LOADS		= 17,
	TOPDOWN_LATENCY_MEM_INST_RETIRED_STLB_HIT_STORES	= 18,
	TOPDOWN_LATENCY_MEM_INST_RETIRED_STLB_MISS_LOADS	= 19,
	TOPDOWN_LATENCY_MEM_INST_RETIRED_STLB_MISS_STORES	= 20,
	TOPDOWN_LATENCY_MEM_LOAD_L3_HIT_RETIRED_XSNP_FWD	= 21,
	TOPDOWN_LATENCY_MEM_LOAD_L3_HIT_RETIRED_XSNP_HITM	= 22,
	TOPDOWN_LATENCY_MEM_LOAD_L3_HIT_RETIRED_XSNP_MISS	= 23,
	TOPDOWN_LATENCY_MEM_LOAD_L3_HIT_RETIRED_XSNP_NO_FWD	= 24,
	TOPDOWN_LATENCY_MEM_LOAD_L3_MISS_RETIRED_LOCAL_DRAM	= 25,
	TOPDOWN_LATENCY_MEM_LOAD_L3_MISS_RETIRED_REMOTE_DRAM	= 26,
	TOPDOWN_LATENCY_MEM_LOAD_L3_MISS_RETIRED_REMOTE_FWD	= 27,
	TOPDOWN_LATENCY_MEM_LOAD_L3_MISS_RETIRED_REMOTE_HITM	= 28,
	TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L1_HIT_L1		= 29,
	TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L2_HIT			= 30,
	TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L3_HIT			= 31,
};

/**
 * enum topdown_latency_refusal - why a machine samples no latency
 *
 * @TOPDOWN_LATENCY_GRANTED: it does
 * @TOPDOWN_LATENCY_NO_CPU: no CPU has timed PEBS (IA32_PERF_CAPABILITIES bit 17), or a
 *	hypervisor hides it
 * @TOPDOWN_LATENCY_NO_KERNEL: the kernel does not read the latency from a record: before 6.3; or
 *	its driver does not know this CPU model
 * @TOPDOWN_LATENCY_NO_MODEL: the module knows no events of this CPU model
 * @TOPDOWN_LATENCY_NO_ASIDE: the module was loaded with aside=never or pinned=1, so it does not
 *	notice perf users who lack a counter
 */
enum topdown_latency_refusal {
	TOPDOWN_LATENCY_GRANTED		= 0,
	TOPDOWN_LATENCY_NO_CPU		= 1,
	TOPDOWN_LATENCY_NO_KERNEL	= 2,
	TOPDOWN_LATENCY_NO_MODEL	= 3,
	TOPDOWN_LATENCY_NO_ASIDE	= 4,
};

/* topdown_latency.flags: end latency sessions instead of starting one. */
#define TOPDOWN_LATENCY_REMOVE	(1U << 0)
/* topdown_latency.flags: sample the tasks of @session.  @cpus and @cpus_words must be 0. */
#define TOPDOWN_LATENCY_SESSION	(1U << 1)

/*
 * At most so many samples a second of each CPU; after a jump of an event's rate up to some 130 more
 * until its period is judged again.
 */
#define TOPDOWN_LATENCY_RATE	1000

/**
 * struct topdown_latency - argument of TOPDOWN_LATENCY: a latency session
 * @size: sizeof(struct topdown_latency) of the caller, at least 56
 * @flags: TOPDOWN_LATENCY_*
 * @cpus: as in struct topdown_read
 * @cpus_words: as in struct topdown_read
 * @latency: with TOPDOWN_LATENCY_REMOVE the number of the session, or 0 for all of the
 *	descriptor, which may be none; else 0
 * @events: bit n for event n of enum topdown_latency_event.  0 starts nothing, and only
 *	fills the outputs; @cpus and @cpus_words must be 0 then.  Everybody who has the
 *	descriptor may ask so
 * @out_latency: number of the new session, from 1, for this descriptor
 * @out_refusal: enum topdown_latency_refusal.  A session is EOPNOTSUPP if this is not 0
 * @out_events: the events that this machine can sample
 * @out_nr_records: how many records TOPDOWN_LATENCIES gives: one for each event and CPU, or
 *	one for each event of @session
 * @session: with TOPDOWN_LATENCY_SESSION the descriptor of a session (TOPDOWN_ATTACH), whose tasks
 *	are to be sampled, wherever they run.  A view is EBADF.  Else 0
 *
 * All sessions share one sampling counter of each CPU.  Events have it in turns of about
 * 100 ms.  CPUs that the module does not measure, E-cores and quiet (nohz_full) CPUs have no
 * records; a set without any other CPU is EOPNOTSUPP.  A descriptor has up to 16 sessions.
 *
 * A sample belongs to the task that runs when it is taken; while the CPU switches tasks, to none.
 * A session has one latency session at most, and the second is EBUSY.  As all CPUs are sampled,
 * this needs the right to read CPUs.
 * Samples and times count only while the session counts, so not while it is disabled.
 * TOPDOWN_CONTROL_RESET does not change them.  The records stay as they are when the descriptor of
 * the session is closed or the session has ended.  The first read after that ends the sampling,
 * and the latency session stays.  For a session that has ended already TOPDOWN_LATENCY is ESRCH.
 *
 * perf users come first.  If one lacks counters on a CPU, whether for a task or for the CPU, the
 * sampling counter of that CPU is given up for 1 to 16 seconds.  So it is if the module's own
 * groups lack some, if a guest that uses PEBS runs on the CPU, or if a perf user takes precise
 * samples of a fixed period there.  The last two are looked for when a turn begins, so a guest that
 * seldom runs may be found late, and its PEBS records nothing until then.
 *
 * With TOPDOWN_LATENCY_REMOVE all fields but @size, @flags and @latency must be 0.
 */
struct topdown_latency {
	__u32 size;
	__u32 flags;
	__aligned_u64 cpus;
	__u32 cpus_words;
	__u32 latency;
	__aligned_u64 events;
	__u32 out_latency;
	__u32 out_refusal;
	__aligned_u64 out_events;
	__u32 out_nr_records;
	__s32 session;
};

/* The histogram: latencies below 16 have bins of their own, then eight bins to a power of 2. */
#define TOPDOWN_LATENCY_BINS	112

/*
 * topdown_latency_record.flags: the sampling counter of the CPU is left to perf users now.  For the
 * tasks of a session: that of some CPU which had one of them.
 */
#define TOPDOWN_LATENCY_AWAY	(1U << 0)

/*
 * topdown_latency_record.flags: @counted and @lost are known.  For CPUs they are, for the tasks of
 * a session they are not.
 */
#define TOPDOWN_LATENCY_COUNTED	(1U << 1)

/**
 * struct topdown_latency_record - the latencies of one event on one CPU, or in a session
 * @event: enum topdown_latency_event
 * @cpu: number of the CPU; TOPDOWN_CPU_ALL for the tasks of a session
 * @flags: TOPDOWN_LATENCY_*, as above
 * @__reserved: 0
 * @samples: number of samples
 * @events: number of events that the samples stand for: each counts as many as its period
 * @sum: sum of the latencies of these events, in cycles.  @sum / @events is their mean
 * @min: least latency of a sample; 0 without samples
 * @max: greatest latency of a sample.  A CPU gives no latency above 65535
 * @running_ns: how long the event had the sampling counter
 * @elapsed_ns: how long the event has been asked for on this CPU.  During a turn of the event
 *	both times are up to 100 ms old, or as old as the idle time of the CPU
 * @counted: number of events that the sampling counter counted in @running_ns, and as old; 0
 *	without TOPDOWN_LATENCY_COUNTED.  Nothing is estimated, but PEBS sets the counter again with
 *	each record, so the event that the record is of, and others until then, are not in it: at
 *	least one a sample, and of the shortest period, 3 events, a quarter
 * @lost: of the events that were counted, those of periods that ended without a sample; 0
 *	without TOPDOWN_LATENCY_COUNTED.  @lost / (@events + @lost) is the share that is missing
 * @bin: events by latency.  Bin n has latency n if n < 16, and above these the latencies
 *	from (8 + n % 8) << (n / 8 - 1) on, up to the next bin
 *
 * All begin when the event was first asked for on this CPU by any session, and grow until no
 * session has it.  So subtract an earlier record.  @min and @max cannot be subtracted.
 *
 * A period ends without a sample if the counter runs through all of the next one before its
 * interrupt, as when many events come at once after a time with few, or if the driver drops the
 * record.  Each event that the counter counts is in @events, in @lost, in the period that has not
 * ended, or in one that was given up for another period; the last two are no loss.  @events and
 * @lost are as of the last sample or the end of a turn, so @lost never has what may yet become a
 * sample.  They may be more than @counted, which is older.
 * While perf throttles the event the counter stands still, and @running_ns goes on.
 *
 * For the tasks of a session all begin with the latency session.  @elapsed_ns is the time that
 * the tasks had a CPU, and @running_ns the part of it in which the event had its turn on that CPU:
 * with the sampling counter, but for up to 100 ms until the module notices that it has none.  To
 * bring both times up to date, a read interrupts each CPU that runs a task of the session, except
 * quiet ones, where they are as of the last window or switch of tasks.
 */
struct topdown_latency_record {
	__u32 event;
	__u32 cpu;
	__u32 flags;
	__u32 __reserved;
	__aligned_u64 samples;
	__aligned_u64 events;
	__aligned_u64 sum;
	__aligned_u64 min;
	__aligned_u64 max;
	__aligned_u64 running_ns;
	__aligned_u64 elapsed_ns;
	__aligned_u64 counted;
	__aligned_u64 lost;
	__aligned_u64 bin[TOPDOWN_LATENCY_BINS];
};

/**
 * struct topdown_latencies - argument of TOPDOWN_LATENCIES
 * @size: sizeof(struct topdown_latencies) of the caller, at least 32
 * @flags: must be 0
 * @records: address of the records: event after event, and of each event CPU after CPU
 * @nr_records: room for so many; on return how many there are
 * @record_size: sizeof(struct topdown_latency_record) of the caller, at least 984
 * @latency: number of the session
 * @__reserved: must be 0
 */
struct topdown_latencies {
	__u32 size;
	__u32 flags;
	__aligned_u64 records;
	__u32 nr_records;
	__u32 record_size;
	__u32 latency;
	__u32 __reserved;
};

#endif /* _UAPI_LINUX_TOPDOWN_LATENCY_H */
