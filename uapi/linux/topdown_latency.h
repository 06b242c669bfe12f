/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/topdown_latency: samples of how long instructions take to retire.
 *
 * The device of the module topdown_latency, which uses those of topdown.  A descriptor of it is one
 * latency session: TOPDOWN_LATENCY_START begins it, TOPDOWN_LATENCY_READ reads it, and it ends when
 * the last copy of the descriptor is closed.  The rules of growth, of input flags and of handing on
 * are those of linux/topdown.h.
 *
 * Errors, of both commands:
 *
 *   ENOTTY      This module does not know the number of the command.
 *   EINVAL      A size below the first released one; a CPU set that is empty or has an impossible
 *               CPU; an out_ or reserved field that is not 0; START: no event and no
 *               TOPDOWN_LATENCY_START_ASK, or more than TOPDOWN_LATENCY_EVENTS_MAX events; CPUs
 *               and a session; a session without TOPDOWN_LATENCY_START_TASKS.
 *   E2BIG       A structure, an event or a record that is longer than a page; a structure whose
 *               unknown tail is not zero; too many words of a CPU set.
 *   EOPNOTSUPP  A flag that this module does not know.  START: a refusal; an event that the driver
 *               does not take, or not all of its encoding; no CPU that can be sampled.
 *   EFAULT      An address that cannot be read or written.  START: if it is its own argument, the
 *               descriptor may have been started, so close it.
 *   EACCES      START with events: perf would not let the process that opened this descriptor
 *               count a whole CPU with kernel mode (perf_event_paranoid, CAP_PERFMON, security
 *               module).  The parameter trust_device of topdown does not matter.
 *   EBADF       START with events: the descriptor was opened for reading only; the other one is no
 *               session of topdown, or a view.
 *   EBUSY       START: the descriptor has been started, or the session has a latency session.
 *   ESRCH       START: the session has ended.
 *   ENOENT      READ: the descriptor has not been started.
 *   EMSGSIZE    READ: too little room for the records; nr_records says how many there are.
 *   ENOSPC      START: too many latency sessions of all (4096); all of them together have too many
 *               different events (64, and 48 without CAP_PERFMON); without CAP_PERFMON also: too
 *               many of the calling user (64), or of all such users (3072).
 *   ENOMEM      Out of memory.
 *
 * open(): EACCES of the mode of the device; ENOMEM; any error but EACCES and EPERM with which perf
 * refuses a CPU-wide software event.
 */
#ifndef _UAPI_LINUX_TOPDOWN_LATENCY_H
#define _UAPI_LINUX_TOPDOWN_LATENCY_H

#include "topdown.h"

enum {
	TOPDOWN_CMD_LATENCY_START	= 0x20,
	TOPDOWN_CMD_LATENCY_READ	= 0x21,
};

#define TOPDOWN_LATENCY_START	_IO(TOPDOWN_IOC_TYPE, TOPDOWN_CMD_LATENCY_START)
#define TOPDOWN_LATENCY_READ	_IO(TOPDOWN_IOC_TYPE, TOPDOWN_CMD_LATENCY_READ)

/**
 * enum topdown_latency_refusal - why a machine samples no latency
 *
 * @TOPDOWN_LATENCY_REFUSAL_NONE: it does
 * @TOPDOWN_LATENCY_REFUSAL_NO_CPU: no CPU has timed PEBS (IA32_PERF_CAPABILITIES bit 17), or a
 *	hypervisor hides it
 * @TOPDOWN_LATENCY_REFUSAL_NO_KERNEL: the kernel does not read the latency from a record: before
 *	6.3; or its driver does not know this CPU model
 * @TOPDOWN_LATENCY_REFUSAL_NO_ASIDE: topdown was loaded with aside=never or pinned=1, or the
 *	kernel lacks tracepoints, so nobody notices perf users who lack a counter
 */
enum topdown_latency_refusal {
	TOPDOWN_LATENCY_REFUSAL_NONE		= 0,
	TOPDOWN_LATENCY_REFUSAL_NO_CPU		= 1,
	TOPDOWN_LATENCY_REFUSAL_NO_KERNEL	= 2,
	TOPDOWN_LATENCY_REFUSAL_NO_ASIDE	= 3,
};

/**
 * struct topdown_latency_event - an event whose retire latency is sampled
 * @config: as in struct perf_event_attr of an event of PERF_TYPE_RAW
 * @config1: as there
 *
 * The driver of the CPU judges the encoding: one of which it takes only a part is EOPNOTSUPP.  So
 * is event select 00H, which stands for events that have no encoding, and so are the bits USR, OS,
 * PC, INT, AnyThread and EN.  On CPUs with timed PEBS it lets every other event be precise, also
 * one that the CPU does not have, which never happens, and one whose latency says nothing.
 * Intel's perfmon repository says which events are precise; libtopdown knows some by name.
 */
struct topdown_latency_event {
	__aligned_u64 config;
	__aligned_u64 config1;
};

/* The most events of one latency session, and of all of them together. */
#define TOPDOWN_LATENCY_EVENTS_MAX	64

/* topdown_latency_start.flags: start nothing, and fill the outputs. */
#define TOPDOWN_LATENCY_START_ASK	(1U << 0)
/* topdown_latency_start.flags: sample the tasks of @session.  @cpus and @cpus_words must be 0. */
#define TOPDOWN_LATENCY_START_TASKS	(1U << 1)

/*
 * At most so many samples a second of each CPU; after a jump of an event's rate up to some 130 more
 * until its period is judged again.
 */
#define TOPDOWN_LATENCY_RATE	1000

/**
 * struct topdown_latency_start - argument of TOPDOWN_LATENCY_START
 * @size: sizeof(struct topdown_latency_start) of the caller, at least 56
 * @flags: TOPDOWN_LATENCY_START_ASK, TOPDOWN_LATENCY_START_TASKS
 * @cpus: as in struct topdown_read.  With TOPDOWN_LATENCY_START_ASK it must be 0
 * @cpus_words: as in struct topdown_read, and 0 as @cpus
 * @session: with TOPDOWN_LATENCY_START_TASKS the descriptor of a session (TOPDOWN_ATTACH), whose
 *	tasks are to be sampled, wherever they run.  A view is EBADF.  Else 0
 * @events: address of the events.  With TOPDOWN_LATENCY_START_ASK there may be none
 * @nr_events: number of events
 * @event_size: sizeof(struct topdown_latency_event) of the caller, at least 16
 * @out_events: with TOPDOWN_LATENCY_START_ASK: bit n if the driver takes event n of @events.  0 if
 *	there is a refusal, and without the flag
 * @out_refusal: enum topdown_latency_refusal.  A session is EOPNOTSUPP if this would not be 0; ask
 *	for the reason, because a command that fails writes nothing
 * @out_nr_records: how many records TOPDOWN_LATENCY_READ gives: one for each event and CPU, or
 *	one for each event of @session.  0 with TOPDOWN_LATENCY_START_ASK
 *
 * Everybody who has the descriptor may ask without events, and whoever may start may ask with some.
 *
 * All sessions share one sampling counter of each CPU.  Events have it in turns of about
 * 100 ms.  CPUs that topdown does not measure, E-cores and quiet (nohz_full) CPUs have no
 * records; a set without any other CPU is EOPNOTSUPP.
 *
 * A sample belongs to the task that runs when it is taken; while the CPU switches tasks, to none.
 * A session has one latency session at most, and the second is EBUSY.  As all CPUs are sampled,
 * this needs the right to read CPUs.
 * Samples and times count only while the session counts, so not while it is disabled.
 * The records stay as they are when the descriptor of
 * the session is closed or the session has ended.  The first read after that ends the sampling,
 * and the latency session stays.  For a session that has ended already START is ESRCH.
 *
 * perf users come first.  If one lacks counters on a CPU, whether for a task or for the CPU, the
 * sampling counter of that CPU is given up for 1 to 16 seconds.  So it is if the module's own
 * groups lack some, if a guest that uses PEBS runs on the CPU, or if a perf user takes precise
 * samples of a fixed period there.  The last two are looked for when a turn begins, so a guest that
 * seldom runs may be found late, and its PEBS records nothing until then.
 */
struct topdown_latency_start {
	__u32 size;
	__u32 flags;
	__aligned_u64 cpus;
	__u32 cpus_words;
	__s32 session;
	__aligned_u64 events;
	__u32 nr_events;
	__u32 event_size;
	__aligned_u64 out_events;
	__u32 out_refusal;
	__u32 out_nr_records;
};

/* The histogram: latencies below 16 have bins of their own, then eight bins to a power of 2. */
#define TOPDOWN_LATENCY_BINS	112

/*
 * topdown_latency_record.flags: the sampling counter of the CPU is left to perf users now, or the
 * event finds none.  For the tasks of a session: on some CPU which had one of them.
 */
#define TOPDOWN_LATENCY_RECORD_AWAY	(1U << 0)

/*
 * topdown_latency_record.flags: @counted and @lost are known.  For CPUs they are, for the tasks of
 * a session they are not.
 */
#define TOPDOWN_LATENCY_RECORD_COUNTED	(1U << 1)

/**
 * struct topdown_latency_record - the latencies of one event on one CPU, or in a session
 * @event: which of the events of the session, from 0, in the order of TOPDOWN_LATENCY_START
 * @cpu: number of the CPU; TOPDOWN_CPU_ALL for the tasks of a session
 * @flags: TOPDOWN_LATENCY_RECORD_*
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
 *	without TOPDOWN_LATENCY_RECORD_COUNTED.  Nothing is estimated, but PEBS sets the counter
 *	again with each record, so the event that the record is of, and others until then, are not
 *	in it: at least one a sample, and of the shortest period, 3 events, a quarter
 * @lost: of the events that were counted, those of periods that ended without a sample; 0
 *	without TOPDOWN_LATENCY_RECORD_COUNTED.  @lost / (@events + @lost) is the share that is
 *	missing
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
 * struct topdown_latency_read - argument of TOPDOWN_LATENCY_READ
 * @size: sizeof(struct topdown_latency_read) of the caller, at least 24
 * @flags: must be 0
 * @records: address of the records: event after event, and of each event CPU after CPU
 * @nr_records: room for so many; on return how many there are
 * @record_size: sizeof(struct topdown_latency_record) of the caller, at least 984
 */
struct topdown_latency_read {
	__u32 size;
	__u32 flags;
	__aligned_u64 records;
	__u32 nr_records;
	__u32 record_size;
};

#endif /* _UAPI_LINUX_TOPDOWN_LATENCY_H */
