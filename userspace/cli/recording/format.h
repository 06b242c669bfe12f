/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file that topdown record writes.  topdown-record(5) describes it for other programs.
 *
 * All numbers are little endian.  The file is a struct record_start and then blocks: a struct
 * record_block, and so many bytes after it as it says.  A block is a structure, or a struct
 * record_array with entries, or a struct record_latencies with two arrays, or a struct
 * record_owned with entries.  Structures grow at
 * their end: a reader takes those bytes of a structure that it knows, and sets what a shorter one
 * lacks to zero.  It leaves out blocks of a type that it does not know.  The version changes only
 * if that is not enough.
 */
#ifndef TOPDOWN_CLI_FORMAT_H
#define TOPDOWN_CLI_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <topdown.h>
#include <zlib.h>

/* The file of topdown record and of topdown report, unless the user names another. */
#define RECORD_PATH		"topdown.data"

#define RECORD_MAGIC		"tdrecord"
#define RECORD_MAGIC_SIZE	8
#define RECORD_VERSION		1
/* The largest payload of a block. */
#define RECORD_BLOCK_MAX	(1U << 20)
/* The size of a payload is a multiple of this. */
#define RECORD_PADDING		8

/**
 * struct record_start - the first bytes of the file, the same in all versions
 * @magic: RECORD_MAGIC, without its end
 * @version: RECORD_VERSION
 * @crc: CRC-32 of the bytes before
 */
struct record_start {
	char magic[RECORD_MAGIC_SIZE];
	uint32_t version;
	uint32_t crc;
};

/**
 * struct record_block - the start of a block
 * @type: enum record_type
 * @size: bytes that follow: a multiple of 8, at most RECORD_BLOCK_MAX
 * @number: number of the block in the file, from 1
 * @crc: CRC-32 of the three fields above and of the bytes that follow
 */
struct record_block {
	uint32_t type;
	uint32_t size;
	uint32_t number;
	uint32_t crc;
};

/**
 * enum record_type - the contents of a block
 *
 * @RECORD_INFO: struct record_info; the first block
 * @RECORD_COMMAND: the command line of topdown record: words that end with a zero, and zeros
 * @RECORD_CPUS: array of struct record_cpu
 * @RECORD_BEGIN: array of struct record_edge: the CPUs when the recording began
 * @RECORD_WINDOWS: array of struct record_window
 * @RECORD_LOST: array of struct record_lost
 * @RECORD_TASKS: array of struct record_task
 * @RECORD_SAMPLES: array of struct record_sample
 * @RECORD_FINISH: array of struct record_edge: the CPUs when it ended
 * @RECORD_END: struct record_end; the last block of a file that is whole
 * @RECORD_CLOCK: struct record_clock: from then on the clocks are apart as they are there, and no
 *	more as in the last such block, or when the recording began
 * @RECORD_LATENCIES: struct record_latencies, with what follows it; of CPUs or of tasks
 * @RECORD_OWNERS: array of struct record_owner; of CPUs, as the next
 * @RECORD_OWNED: struct record_owned, with what follows it
 */
enum record_type {
	RECORD_INFO	= 1,
	RECORD_COMMAND	= 2,
	RECORD_CPUS	= 3,
	RECORD_BEGIN	= 4,
	RECORD_WINDOWS	= 5,
	RECORD_LOST	= 6,
	RECORD_TASKS	= 7,
	RECORD_SAMPLES	= 8,
	RECORD_FINISH	= 9,
	RECORD_END	= 10,
	RECORD_CLOCK	= 11,
	RECORD_LATENCIES = 12,
	RECORD_OWNERS	= 13,
	RECORD_OWNED	= 14,
};

/**
 * struct record_array - the start of a block that is an array
 * @entry_size: bytes of an entry, a multiple of 8
 * @nr: number of entries, which follow
 */
struct record_array {
	uint32_t entry_size;
	uint32_t nr;
};

/**
 * struct record_clock - one moment on three clocks
 * @monotonic_ns: CLOCK_MONOTONIC, the clock of all times in the file
 * @realtime_ns: CLOCK_REALTIME
 * @boottime_ns: CLOCK_BOOTTIME
 */
struct record_clock {
	uint64_t monotonic_ns;
	uint64_t realtime_ns;
	uint64_t boottime_ns;
};

/* record_info.subject: windows of CPUs, or samples of tasks. */
#define RECORD_OF_CPUS		1
#define RECORD_OF_TASKS		2
/* record_info.flags: the windows that the module still had when the recording began are there. */
#define RECORD_PAST		(1U << 0)
/* Each task is a run of the same command, one after the other. */
#define RECORD_RUNS		(1U << 1)

/**
 * struct record_info - the recording as a whole
 * @subject: RECORD_OF_CPUS or RECORD_OF_TASKS
 * @flags: RECORD_PAST, RECORD_RUNS
 * @features: topdown_info.out_features
 * @instance: topdown_info.out_instance
 * @load_time_ns: topdown_info.out_load_time_ns, of CLOCK_BOOTTIME
 * @begin: when the recording began
 * @nr_cpus: one more than the highest possible CPU number
 * @module_flags: topdown_info.out_flags
 * @source: topdown_info.out_source
 * @level: topdown_info.out_level
 * @slots_per_cycle: topdown_info.out_slots_per_cycle
 * @period_ms: topdown_info.out_period_ms when the recording began
 * @interval_ms: distance of samples of tasks; 0 for CPUs
 * @history: windows that the module keeps for each CPU
 * @cpu_family: topdown_info.out_cpu_family
 * @cpu_model: topdown_info.out_cpu_model
 * @cpu_stepping: topdown_info.out_cpu_stepping
 * @latency_ms: distance of RECORD_LATENCIES; 0 without
 * @host: name of the machine, ended by a zero, as all texts here
 * @kernel: release of its kernel
 * @cpu_name: topdown_info.out_cpu_name
 * @codename: topdown_info.out_codename
 * @module: version of the module
 * @program: version of the program that recorded
 */
struct record_info {
	uint32_t subject;
	uint32_t flags;
	uint64_t features;
	uint64_t instance;
	uint64_t load_time_ns;
	struct record_clock begin;
	uint32_t nr_cpus;
	uint32_t module_flags;
	uint32_t source;
	uint32_t level;
	uint32_t slots_per_cycle;
	uint32_t period_ms;
	uint32_t interval_ms;
	uint32_t history;
	uint32_t cpu_family;
	uint32_t cpu_model;
	uint32_t cpu_stepping;
	uint32_t latency_ms;
	char host[72];
	char kernel[72];
	char cpu_name[64];
	char codename[64];
	char module[48];
	char program[48];
};

/**
 * struct record_cpu - a CPU that is recorded, as it was in the beginning
 * @cpu: number
 * @core_id: number of the core in its socket; -1 if not known, as the next two
 * @socket: number of the socket
 * @node: number of the NUMA node
 * @kind: enum topdown_kind
 * @source: enum topdown_source
 * @level: highest level
 * @slots_per_cycle: width; 0 if not known
 * @state: enum topdown_state
 * @__reserved: 0
 */
struct record_cpu {
	uint32_t cpu;
	int32_t core_id;
	int32_t socket;
	int32_t node;
	uint32_t kind;
	uint32_t source;
	uint32_t level;
	uint32_t slots_per_cycle;
	uint32_t state;
	uint32_t __reserved;
};

/**
 * struct record_edge - a CPU at the begin or at the end of the recording
 * @open: the open window, as far as it was counted
 * @record: the record, whose total has all windows that had ended, and @open
 */
struct record_edge {
	struct topdown_figures open;
	struct topdown_record record;
};

/**
 * struct record_window - one window of a CPU
 * @cpu: its number
 * @source: enum topdown_source when the window was copied
 * @level: highest level of the figures
 * @flags: TOPDOWN_RECORD_* when the window was copied
 * @turns: topdown_record.turns when the window was copied
 * @__reserved: 0
 * @window: as the library reads it from the map of the module.  Number 0 is the window that was
 *	open at the end of the recording, as far as it was counted.  It has no clamped nodes
 */
struct record_window {
	uint32_t cpu;
	uint32_t source;
	uint32_t level;
	uint32_t flags;
	uint32_t turns;
	uint32_t __reserved;
	struct topdown_window window;
};

/**
 * struct record_lost - windows that the module had overwritten before they were copied
 * @cpu: number of the CPU
 * @__reserved: 0
 * @first: number of the first of them
 * @nr: how many in a row
 */
struct record_lost {
	uint32_t cpu;
	uint32_t __reserved;
	uint64_t first;
	uint64_t nr;
};

/**
 * struct record_task - a task that is recorded
 * @task: its number in the file, from 0
 * @pid: process
 * @tid: thread, or 0 for a process with its children
 * @flags: TOPDOWN_RECORD_* of any CPU that hold for sessions, in the beginning
 * @flags_known: 1 if @flags and @turns are known
 * @turns: the most topdown_record.turns of any CPU, in the beginning
 * @name: name of the task
 */
struct record_task {
	uint32_t task;
	int32_t pid;
	int32_t tid;
	uint32_t flags;
	uint32_t flags_known;
	uint32_t turns;
	char name[64];
};

/**
 * struct record_sample - what a task has used in an interval
 * @task: number of the task
 * @state: enum topdown_session_state at the end of the interval
 * @source: enum topdown_source
 * @level: highest level of the figures
 * @flags: TOPDOWN_SESSION_OUT_INCOMPLETE
 * @__reserved: 0
 * @begin_ns: when the interval began, CLOCK_MONOTONIC
 * @end_ns: when it ended
 * @merged_ns: as of topdown_session, in the interval
 * @switches: as of topdown_session, in the interval
 * @figures: figures of the interval, with ratios
 * @core: the part of @figures on P-cores of a hybrid machine
 * @atom: the part on its E-cores
 */
struct record_sample {
	uint32_t task;
	uint32_t state;
	uint32_t source;
	uint32_t level;
	uint32_t flags;
	uint32_t __reserved;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint64_t merged_ns;
	uint64_t switches;
	struct topdown_figures figures;
	struct topdown_figures core;
	struct topdown_figures atom;
};

/**
 * struct record_latencies - what was sampled in an interval
 * @size: bytes of this structure; the entries follow
 * @entry_size: bytes of an entry, a multiple of 8
 * @nr: number of entries
 * @nr_bins: number of bins, which follow the entries, 8 bytes each
 * @begin_ns: when the interval began, CLOCK_MONOTONIC
 * @end_ns: when it ended
 *
 * An entry whose samples, counted and lost are 0, and whose flags are those of the one before, is
 * left out.  Its times are in the next one of the same event and CPU or task.  The first interval
 * has all entries, with nothing but their flags, and so tells what is sampled.  The last has all
 * entries too.  Several blocks have the same interval if one has no room for its entries.
 *
 * The bins are those of all entries, in their order.  A bin is its number times 2^56, plus its
 * events.  Bins without an event are left out.
 */
struct record_latencies {
	uint32_t size;
	uint32_t entry_size;
	uint32_t nr;
	uint32_t nr_bins;
	uint64_t begin_ns;
	uint64_t end_ns;
};

/* A bin: its number above its events. */
#define RECORD_BIN_SHIFT	56

/**
 * struct record_latency - what was sampled of an event, on a CPU or in a task
 * @event: enum topdown_latency_number
 * @subject: number of the CPU, or of the task in the file
 * @flags: TOPDOWN_LATENCY_RECORD_* at the end of the interval
 * @nr_bins: number of its bins
 * @samples: as in topdown_latency_record, in the interval, as the others
 * @events: as there
 * @sum: as there
 * @running_ns: as there
 * @elapsed_ns: as there
 * @min: least latency, as far as bins tell
 * @max: greatest latency, as far as bins tell
 * @counted: as there; 0 without TOPDOWN_LATENCY_RECORD_COUNTED
 * @lost: as there; 0 without TOPDOWN_LATENCY_RECORD_COUNTED
 */
struct record_latency {
	uint32_t event;
	uint32_t subject;
	uint32_t flags;
	uint32_t nr_bins;
	uint64_t samples;
	uint64_t events;
	uint64_t sum;
	uint64_t running_ns;
	uint64_t elapsed_ns;
	uint32_t min;
	uint32_t max;
	uint64_t counted;
	uint64_t lost;
};

/**
 * struct record_owner - an owner: a process, a cgroup, or what has no other owner
 * @owner: its number in the file, from 0
 * @what: enum topdown_owner_what
 * @id: as in topdown_owner
 * @start_ns: as in topdown_owner, of CLOCK_BOOTTIME
 * @parent: of a cgroup, the number in the file of its parent, which is less; else its own number
 * @level: level of a cgroup, 0 for the root
 * @flags: TOPDOWN_OWNER_CUT
 * @__reserved: 0
 * @name: as in topdown_owner; of the root of cgroups ""
 *
 * An owner comes before its first interval, and each cgroup before those below it.  An entry with a
 * number that was there is the same owner, which has a new name: a process after an execve().
 */
struct record_owner {
	uint32_t owner;
	uint32_t what;
	uint64_t id;
	uint64_t start_ns;
	uint32_t parent;
	uint32_t level;
	uint32_t flags;
	uint32_t __reserved;
	char name[TOPDOWN_OWNER_NAME_MAX];
};

/**
 * struct record_owned - what owners had in an interval
 * @size: bytes of this structure; the entries follow
 * @entry_size: bytes of an entry, a multiple of 8
 * @nr: number of entries
 * @kind: enum topdown_owners_kind
 * @depth: cgroups below this level count at their ancestor of this level; 0: each by itself
 * @interval_ms: the distance of intervals that was asked for
 * @begin_ns: when the interval began, CLOCK_MONOTONIC
 * @end_ns: when it ended
 *
 * An owner that had neither slots nor time on a CPU, and has not ended, has no entry.  The first
 * interval has none, and neither a begin nor an end of its own, and so tells what is recorded.
 * Several blocks have the same interval if one has no room for its entries.
 */
struct record_owned {
	uint32_t size;
	uint32_t entry_size;
	uint32_t nr;
	uint32_t kind;
	uint32_t depth;
	uint32_t interval_ms;
	uint64_t begin_ns;
	uint64_t end_ns;
};

/**
 * struct record_share - what one owner had in an interval
 * @owner: its number in the file
 * @flags: TOPDOWN_OWNER_EXITED: the process had ended at the end of the interval
 * @source: enum topdown_source
 * @level: highest level of the figures
 * @switches: how often it got a CPU from another owner
 * @figures: figures of the interval, with ratios.  A cgroup's are its own: those of cgroups below
 *	it are theirs, and what a cgroup had that was removed in the interval is its parent's.  So
 *	all owners together have the slots of the CPUs
 */
struct record_share {
	uint32_t owner;
	uint32_t flags;
	uint32_t source;
	uint32_t level;
	uint64_t switches;
	struct topdown_figures figures;
};

/**
 * struct record_end - the end of a file that is whole
 * @end: when the recording ended; with record_info.begin this tells how the clocks drifted
 * @windows: number of windows with a number, or of samples, in the file
 * @lost: number of windows that were lost
 * @signal: the signal that ended the recording; 0 for none
 * @status: exit code of the command; 0 without one
 */
struct record_end {
	struct record_clock end;
	uint64_t windows;
	uint64_t lost;
	uint32_t signal;
	uint32_t status;
};

/* With fewer steps topdown report --diff says nothing. */
#define RECORD_DIFF_STEPS	160
/* And of fewer runs. */
#define RECORD_DIFF_RUNS	3

/* The checksum of what @crc is of, and of these bytes. */
static inline uint32_t record_crc(uint32_t crc, const void *what, size_t size)
{
	return crc32(crc, what, size);
}

#endif /* TOPDOWN_CLI_FORMAT_H */
