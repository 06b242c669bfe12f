/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libtopdown: sampling of stalls, by perf.
 *
 * A part of topdown.h, which has the rules of all functions. Include that one.
 */
#ifndef TOPDOWN_STALLS_H
#define TOPDOWN_STALLS_H

#include "topdown_stall.h"

#ifdef __cplusplus
extern "C" {
#endif

struct topdown_stalls;

/* topdown_stall_options.flags. */
#define TOPDOWN_STALLS_USER	(1U << 0)	/* Leave kernel mode out. */
#define TOPDOWN_STALLS_CHAINS	(1U << 1)	/* Call chains, by frame pointers. */
#define TOPDOWN_STALLS_MAPS	(1U << 2)	/* topdown_stalls_map_next() as well. */
#define TOPDOWN_STALLS_EXEC	(1U << 3)	/* Begin when the process executes a program. */
/*
 * Events in counters rest for three fifths of the time, after stretches of 120 to 170 ms: who
 * counts the nodes there needs the same counters. Those of the smaller cores of a hybrid machine;
 * or of the others.
 */
#define TOPDOWN_STALLS_REST_SMALL	(1U << 4)
#define TOPDOWN_STALLS_REST	(1U << 5)

#define TOPDOWN_STALLS_RATE	1000
#define TOPDOWN_STALLS_RATE_MAX	20000

/**
 * struct topdown_stall_options - what to sample
 * @nodes: bit n for node n of enum topdown_node; 0 for all that the machine can locate
 * @rate: samples a second, at most, of each event on each CPU; 0 for TOPDOWN_STALLS_RATE. Each
 *	event has a rate of its own, up to a quarter lower, so that no two keep step
 * @pid: the process to be sampled, with all that its threads start from now on; 0 for
 *	whole CPUs
 * @flags: TOPDOWN_STALLS_*
 * @together: so many counters are used at once, and the events take turns; 0 for as many as
 *	there are events. IBS uses no counter
 * @reserved: 0
 */
struct topdown_stall_options {
	__u64 nodes;
	__u32 rate;
	__s32 pid;
	__u32 flags;
	__u32 together;
	__u32 reserved[2];
};

/**
 * topdown_stalls_open() - begin to sample
 * @out: the new handle; untouched on error
 * @cpus: CPUs, bit n % 64 of word n / 64; NULL for all that are online
 * @words: number of words of @cpus
 * @options: what to sample
 * @size: sizeof(*@options)
 *
 * An event that cannot be had is left out, and topdown_stalls_event_get() says why.
 *
 * Return: 0; -ENODEV if no event is known for this machine and these nodes; the error of the first
 * event if none can be had, as of perf_event_open(2): -EACCES and -EPERM without the right,
 * -EOPNOTSUPP and -ENOENT where the processor or the hypervisor lacks it; -ESRCH if there is no
 * such process; -EMFILE for too many descriptors; -EINVAL for a wrong option; -ENOMEM.
 */
int topdown_stalls_open(struct topdown_stalls **out, const uint64_t *cpus, unsigned int words,
			const struct topdown_stall_options *options, size_t size);

/**
 * topdown_stalls_close() - end sampling
 * @stalls: handle, or NULL
 */
void topdown_stalls_close(struct topdown_stalls *stalls);

/**
 * topdown_stalls_stop() - sample no more; what was sampled can still be read
 * @stalls: handle
 */
void topdown_stalls_stop(struct topdown_stalls *stalls);

/**
 * topdown_stalls_next() - the next record
 * @stalls: handle
 * @timeout_ms: how long to wait for one; 0 for not at all, -1 for ever
 * @out: the record; untouched on error
 * @size: sizeof(*@out)
 *
 * Events that cannot be counted at once take turns of 10 to 50 ms; this function changes them, so
 * call it at least every 10 ms. @out->period then stands for the turns of the others, too.
 *
 * Return: 0; -EAGAIN if there was none; -EINTR after a signal; -EINVAL for a @size that was
 * never released; -ENOMEM.
 */
int topdown_stalls_next(struct topdown_stalls *stalls, int timeout_ms, struct topdown_stall *out,
			size_t size);

/**
 * topdown_stalls_chain() - the callers of the last record
 * @stalls: handle
 * @ips: written: addresses, the innermost first; valid until the next topdown_stalls_next()
 *
 * Return: how many there are; 0 without TOPDOWN_STALLS_CHAINS.
 */
unsigned int topdown_stalls_chain(const struct topdown_stalls *stalls, const __u64 **ips);

/**
 * enum topdown_stalls_change - what became of a process
 *
 * @TOPDOWN_STALLS_MAPPED: it has mapped a file
 * @TOPDOWN_STALLS_EXECUTED: it executes another program, and its maps have gone
 * @TOPDOWN_STALLS_FORKED: it is a copy of its parent
 */
enum topdown_stalls_change {
	TOPDOWN_STALLS_MAPPED		= 1,
	TOPDOWN_STALLS_EXECUTED		= 2,
	TOPDOWN_STALLS_FORKED		= 3,
};

/**
 * struct topdown_stalls_map - what became of a process, for those who look for symbols
 * @time_ns: when, CLOCK_MONOTONIC
 * @start: first address of the map
 * @end: the address behind it
 * @offset: place in the file
 * @pid: the process
 * @parent: its parent, of TOPDOWN_STALLS_FORKED
 * @change: enum topdown_stalls_change
 * @reserved: 0
 * @inode: the file's, of TOPDOWN_STALLS_MAPPED; 0 if not known
 * @dev_major: its device, as /proc/PID/maps has it
 * @dev_minor: the same
 */
struct topdown_stalls_map {
	__u64 time_ns;
	__u64 start;
	__u64 end;
	__u64 offset;
	__u32 pid;
	__u32 parent;
	__u32 change;
	__u32 reserved;
	__u64 inode;
	__u32 dev_major;
	__u32 dev_minor;
};

/**
 * topdown_stalls_map_next() - the next change of a process
 * @stalls: handle, with TOPDOWN_STALLS_MAPS
 * @out: the change; untouched on error
 * @size: sizeof(*@out)
 * @name: written: name of the file, or of the program; valid until the next call of this
 *	function
 *
 * Read all changes before the records of each topdown_stalls_next(). Changes before a record
 * are there when the record is.
 *
 * Return: 0; -EAGAIN if there is none; -EINVAL for a @size that was never released.
 */
int topdown_stalls_map_next(struct topdown_stalls *stalls, struct topdown_stalls_map *out,
			    size_t size, const char **name);

/**
 * enum topdown_stalls_role - what an event is for
 *
 * @TOPDOWN_STALLS_LOCATES: its samples are where the slots of its nodes are lost
 * @TOPDOWN_STALLS_EXPLAINS: its samples say why, of what the other event of the node locates
 */
enum topdown_stalls_role {
	TOPDOWN_STALLS_LOCATES		= 1,
	TOPDOWN_STALLS_EXPLAINS		= 2,
};

/**
 * struct topdown_stalls_event - one event of a handle
 * @name: its name in the tables of the maker
 * @pmu: the PMU that counts it, as in /sys/bus/event_source/devices
 * @nodes: bit n for each node that it is for
 * @samples: records that it has had
 * @enabled_ns: time in which it was to be counted, on all CPUs or of all tasks together
 * @running_ns: time in which it was counted; less if others had the counters
 * @role: enum topdown_stalls_role
 * @error: 0; or a positive errno: it is not sampled
 * @turns: so many events take turns with it, itself among them
 * @precise: 0 if the processor names an instruction near the one that had the event
 * @user: kernel mode is left out for lack of the right
 * @reserved: 0
 * @counted: how often it happened in @running_ns; above 0 without @samples, if no period ended or
 *	the processor gave no sample
 */
struct topdown_stalls_event {
	char name[64];
	char pmu[16];
	__u64 nodes;
	__u64 samples;
	__u64 enabled_ns;
	__u64 running_ns;
	__u32 role;
	__s32 error;
	__u32 turns;
	__u32 precise;
	__u32 user;
	__u32 reserved;
	__u64 counted;
};

/**
 * topdown_stalls_event_get() - an event of a handle
 * @stalls: handle
 * @number: from 0; @event of a record
 * @out: the event; untouched on error
 * @size: sizeof(*@out)
 *
 * Return: 0; -ENOENT after the last one; -EINVAL for a @size that was never released.
 */
int topdown_stalls_event_get(const struct topdown_stalls *stalls, unsigned int number,
			     struct topdown_stalls_event *out, size_t size);

/**
 * topdown_stalls_lost() - records that the kernel could not hand over
 * @stalls: handle
 *
 * Return: how many it has told of until now.
 */
uint64_t topdown_stalls_lost(const struct topdown_stalls *stalls);

/**
 * topdown_stalls_throttled() - how often the kernel stopped an event for being too frequent
 * @stalls: handle
 *
 * Return: how many times it has told of until now.
 */
uint64_t topdown_stalls_throttled(const struct topdown_stalls *stalls);

#ifdef __cplusplus
}
#endif

#endif /* TOPDOWN_STALLS_H */
