/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/topdown: Top-Down (TMA) figures of every CPU, for any number of readers.
 *
 * The module owns one Top-Down counter group on each CPU and closes a *window*
 * on it at least once per period: the counts of the window are added to 64-bit
 * slot counts that only grow.  A reader never changes what another reader sees:
 * a fresh reading brings the counts up to date without ending the window, and a
 * reset moves the baseline of one descriptor.
 *
 * Growth.  A command's number is _IO(TOPDOWN_IOC_TYPE, nr) and never changes.
 * Its argument starts with its own size, as the caller compiled it; the kernel
 * takes a shorter structure as one whose tail is zero, and refuses a longer one
 * whose tail is not.  Output is cut to, or padded with zeros up to, the
 * caller's size.  What a kernel can do is told by topdown_info.out_features,
 * never by comparing versions.  All fields have explicit sizes and natural
 * alignment, so 32-bit callers use the same layout.
 *
 * What is mapped has no caller's size.  Each thing there that can grow, and each that
 * stands behind one, is found by an offset, a stride, a size and a number in the header
 * of the map.  A reader copies the less of the size said there and of the one that it
 * knows; the rest, if it knows more, is zero.
 *
 * Values of enumerations are added, and never get another meaning.  A reader takes one
 * that it does not know for what it is: another source, state or kind.
 *
 * Nodes have one number for ever.  Levels 1 and 2 have those below TOPDOWN_MAX_NODES, and
 * struct topdown_figures has their slots; it never grows.  Numbers from there on are for
 * nodes of deeper levels.  Their slots will come in structures of their own, behind a
 * TOPDOWN_FEATURE_ bit: at the end of struct topdown_record, topdown_session,
 * topdown_share and topdown_map_window, and of an open window at an offset in the header
 * of the map.  Masks of nodes have 64 bits, of which bits TOPDOWN_MAX_NODES to 63 are
 * theirs.  Readers leave alone the bits that they do not know.
 *
 * Input flags and reserved fields must be zero where no meaning is given.
 * Fields whose name starts with out_ are written by the kernel only, and must
 * be zero on entry, so that they can become inputs one day.
 *
 * Handing on.  What a descriptor may see was settled when it was opened, and goes with it
 * to a child of fork(), through execve() if it does not close there, and over a socket
 * (SCM_RIGHTS): so a process with rights can open it for one without.  Its baseline, its
 * watches and its sessions go with it, and any of its holders can change them; a session
 * can be read, reset and detached by each.  Who asks matters for ATTACH alone, which looks
 * at the calling process.  All ends when the last copy is closed; a map stays until it is
 * unmapped.  A holder that shall not be disturbed opens its own.
 *
 * Errors, the same for all commands.  No setting and no baseline has changed
 * when one is returned; records may have been written in part on EFAULT, and
 * nr_records or nr_sessions is on EMSGSIZE:
 *
 *   ENOTTY      The command number is not known to this module.
 *   EINVAL      A size below the first released one, a value out of range, an
 *               empty or impossible CPU set, an out_ or reserved field not 0.
 *   E2BIG       A structure (or record) longer than a page, or with a non-zero
 *               tail this module does not know; too many words of CPU set; SESSIONS:
 *               more numbers than a descriptor can have sessions.
 *   EOPNOTSUPP  A flag this module does not know, or a node that it does not know or
 *               that no CPU of this machine has; ATTACH: a kernel thread.
 *   EFAULT      An address that cannot be read or written.  SESSION and SESSIONS may
 *               have read the end of a session all the same, as poll() says below.
 *   EMSGSIZE    Room for too few records or sessions; nr_records or nr_sessions says
 *               how many there are.
 *   EACCES      System-wide figures, and perf would not let the process that
 *               opened this descriptor count a whole CPU (perf_event_paranoid,
 *               CAP_PERFMON, security module).
 *               ATTACH to a process other than one's own, and the caller has neither
 *               CAP_PERFMON nor CAP_SYS_ADMIN; who opened the descriptor, and
 *               perf_event_paranoid, do not matter there.
 *   ESRCH       ATTACH: there is no such process or thread.
 *   EBADF       ATTACH: with TOPDOWN_ATTACH_PIDFD, not a pidfd.
 *   ENOENT      SESSION, CONTROL, mmap(): this descriptor has no session of that
 *               number; WATCH: no watch to be removed of that number.
 *   ENOSPC      WATCH: too many watches, of this descriptor (256) or in all (4096);
 *               ATTACH: too many sessions, of this descriptor (1024) or in all (4096).
 *               Of either without CAP_PERFMON also: of the calling user (64), or of
 *               all such users (3072); or the sessions of the user were attached to
 *               too many threads (16384).
 *   ENOMEM      Out of memory.
 *
 * open(): EACCES of the node's mode; ENOMEM; EINTR; anything but EACCES and EPERM
 * that perf refuses a CPU-wide software event with.  mmap(): EACCES (offset 0
 * only), ENOENT and ENOMEM as above; EINVAL for a length beyond the map, or not
 * MAP_SHARED; EPERM for a writable or executable mapping.  read(): EACCES, ENOSPC,
 * ENOMEM and EFAULT as above; EAGAIN when there is nothing to read and O_NONBLOCK
 * is set; EINTR; EINVAL for less room than one event.  poll() says
 * POLLPRI when a session of the descriptor has ended (EXITED, ENDED) and
 * neither SESSION nor SESSIONS has read it since, and POLLERR where read() would fail (asked
 * for with POLLIN: ENOSPC and ENOMEM too) and the descriptor has no session.
 */
#ifndef _UAPI_LINUX_TOPDOWN_H
#define _UAPI_LINUX_TOPDOWN_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Free in Documentation/userspace-api/ioctl/ioctl-number.rst. */
#define TOPDOWN_IOC_TYPE	0xBC

enum {
	TOPDOWN_CMD_INFO	= 0x00,
	TOPDOWN_CMD_READ	= 0x01,
	TOPDOWN_CMD_RESET	= 0x02,
	TOPDOWN_CMD_WATCH	= 0x03,
	TOPDOWN_CMD_ATTACH	= 0x04,
	TOPDOWN_CMD_SESSION	= 0x05,
	TOPDOWN_CMD_CONTROL	= 0x06,
	TOPDOWN_CMD_SESSIONS	= 0x07,
};

#define TOPDOWN_INFO		_IO(TOPDOWN_IOC_TYPE, TOPDOWN_CMD_INFO)
#define TOPDOWN_READ		_IO(TOPDOWN_IOC_TYPE, TOPDOWN_CMD_READ)
#define TOPDOWN_RESET		_IO(TOPDOWN_IOC_TYPE, TOPDOWN_CMD_RESET)
#define TOPDOWN_WATCH		_IO(TOPDOWN_IOC_TYPE, TOPDOWN_CMD_WATCH)
#define TOPDOWN_ATTACH		_IO(TOPDOWN_IOC_TYPE, TOPDOWN_CMD_ATTACH)
#define TOPDOWN_SESSION		_IO(TOPDOWN_IOC_TYPE, TOPDOWN_CMD_SESSION)
#define TOPDOWN_CONTROL		_IO(TOPDOWN_IOC_TYPE, TOPDOWN_CMD_CONTROL)
#define TOPDOWN_SESSIONS	_IO(TOPDOWN_IOC_TYPE, TOPDOWN_CMD_SESSIONS)

/* topdown_info.out_features: what this module can do. */
#define TOPDOWN_FEATURE_FRESH	(1ULL << 0)	/* TOPDOWN_READ_FRESH, _RESET_FRESH */
#define TOPDOWN_FEATURE_TOTAL	(1ULL << 1)	/* TOPDOWN_READ_TOTAL */
#define TOPDOWN_FEATURE_RESET	(1ULL << 2)	/* TOPDOWN_RESET */
#define TOPDOWN_FEATURE_MAP	(1ULL << 3)	/* mmap() */
#define TOPDOWN_FEATURE_WATCH	(1ULL << 4)	/* TOPDOWN_WATCH, poll(), read() */
#define TOPDOWN_FEATURE_SESSION	(1ULL << 5)	/* TOPDOWN_ATTACH, _SESSION, _CONTROL */
#define TOPDOWN_FEATURE_SESSION_MAP (1ULL << 6)	/* TOPDOWN_SESSION_MAP_OFFSET() */
#define TOPDOWN_FEATURE_SESSIONS (1ULL << 7)	/* TOPDOWN_SESSIONS */

/* topdown_info.out_flags. */
#define TOPDOWN_INFO_MAY_READ	(1U << 0)	/* READ is not EACCES here. */
#define TOPDOWN_INFO_PINNED	(1U << 1)	/* Loaded with pinned=1. */
/* Loaded with refined=1: TOPDOWN_RECORD_REFINED says on which CPUs that has effect. */
#define TOPDOWN_INFO_REFINED	(1U << 2)
/* Loaded with drilldown=1: TOPDOWN_RECORD_DRILLDOWN says on which CPUs that has effect. */
#define TOPDOWN_INFO_DRILLDOWN	(1U << 3)
/* Where a perf user who counts tasks lacks counters the CPU's group stands aside. */
#define TOPDOWN_INFO_ASIDE	(1U << 4)
/* Loaded with aside=all: for those who count whole CPUs too. */
#define TOPDOWN_INFO_ASIDE_ALL	(1U << 5)

/* A ratio of 1, that is 100%. */
#define TOPDOWN_RATIO_ONE	1000000000U
/* No figure: the node is not there or was not counted all the time, or no slot was. */
#define TOPDOWN_RATIO_NONE	0xffffffffU

/* topdown_record.cpu of the sum over the CPUs asked for. */
#define TOPDOWN_CPU_ALL		0xffffffffU

/* Level 1 nodes that have children: the first of enum topdown_node. */
#define TOPDOWN_NR_PARENTS	4

/*
 * Nodes that there is room for in struct topdown_figures: those of levels 1 and 2.  What
 * no node has the number of has no slots, and TOPDOWN_RATIO_NONE.
 */
#define TOPDOWN_MAX_NODES	16

/* The longest CPU set, in 64-bit words. */
#define TOPDOWN_CPUS_WORDS_MAX	128

/**
 * enum topdown_node - the nodes of the Top-Down tree
 *
 * The names are the ones perf and the TMA method use.  Level 2 nodes are the
 * children of the level 1 node of their line and sum to it (but where both are
 * counted by themselves, as on Atom cores, only nearly).  What of them a CPU has is
 * in topdown_record.nodes.
 *
 * @TOPDOWN_RETIRING: tma_retiring, level 1
 * @TOPDOWN_BAD_SPECULATION: tma_bad_speculation, level 1
 * @TOPDOWN_FRONTEND_BOUND: tma_frontend_bound, level 1
 * @TOPDOWN_BACKEND_BOUND: tma_backend_bound, level 1
 * @TOPDOWN_HEAVY_OPERATIONS: tma_heavy_operations, of retiring
 * @TOPDOWN_LIGHT_OPERATIONS: tma_light_operations, of retiring
 * @TOPDOWN_BRANCH_MISPREDICTS: tma_branch_mispredicts, of bad speculation
 * @TOPDOWN_MACHINE_CLEARS: tma_machine_clears, of bad speculation
 * @TOPDOWN_FETCH_LATENCY: tma_fetch_latency, of frontend bound
 * @TOPDOWN_FETCH_BANDWIDTH: tma_fetch_bandwidth, of frontend bound
 * @TOPDOWN_MEMORY_BOUND: tma_memory_bound, of backend bound
 * @TOPDOWN_CORE_BOUND: tma_core_bound, of backend bound
 * @TOPDOWN_RESOURCE_BOUND: tma_resource_bound, of backend bound; Gracemont and later
 *	Atom cores have it in place of memory bound
 * @TOPDOWN_SMT_CONTENTION: tma_smt_contention, level 1; AMD: slots that the other
 *	thread of the core had
 */
enum topdown_node {
	TOPDOWN_RETIRING		= 0,
	TOPDOWN_BAD_SPECULATION		= 1,
	TOPDOWN_FRONTEND_BOUND		= 2,
	TOPDOWN_BACKEND_BOUND		= 3,
	TOPDOWN_HEAVY_OPERATIONS	= 4,
	TOPDOWN_LIGHT_OPERATIONS	= 5,
	TOPDOWN_BRANCH_MISPREDICTS	= 6,
	TOPDOWN_MACHINE_CLEARS		= 7,
	TOPDOWN_FETCH_LATENCY		= 8,
	TOPDOWN_FETCH_BANDWIDTH		= 9,
	TOPDOWN_MEMORY_BOUND		= 10,
	TOPDOWN_CORE_BOUND		= 11,
	TOPDOWN_RESOURCE_BOUND		= 12,
	TOPDOWN_SMT_CONTENTION		= 13,
};

/**
 * enum topdown_source - what the figures of a CPU are made of
 *
 * @TOPDOWN_SOURCE_NONE: nothing: the CPU cannot be measured
 * @TOPDOWN_SOURCE_PERF_METRICS: SLOTS and the PERF_METRICS register (Intel SDM
 *	volume 3B, "Performance Metrics"; Ice Lake and later)
 * @TOPDOWN_SOURCE_GENERIC: ordinary counters and the formulas published for Sandy
 *	Bridge to Cascade Lake
 * @TOPDOWN_SOURCE_FALLBACK: ordinary counters and the formulas published for Ice
 *	Lake and later where a hypervisor hides PERF_METRICS
 * @TOPDOWN_SOURCE_ATOM: ordinary counters and the formulas published for Goldmont
 *	and later Atom cores
 * @TOPDOWN_SOURCE_AMD: ordinary counters and the pipeline utilisation metrics of
 *	AMD Zen 4 to 6
 * @TOPDOWN_SOURCE_MIXED: several of these, as on a hybrid machine: slots of cores of
 *	different width and by different formulas were added up
 */
enum topdown_source {
	TOPDOWN_SOURCE_NONE		= 0,
	TOPDOWN_SOURCE_PERF_METRICS	= 1,
	TOPDOWN_SOURCE_GENERIC		= 2,
	TOPDOWN_SOURCE_FALLBACK		= 3,
	TOPDOWN_SOURCE_ATOM		= 4,
	TOPDOWN_SOURCE_AMD		= 5,
	TOPDOWN_SOURCE_MIXED		= 6,
};

/**
 * enum topdown_kind - the kinds of core that a hybrid machine has
 *
 * @TOPDOWN_KIND_ONLY: the machine has one kind
 * @TOPDOWN_KIND_CORE: a P-core (CPUID leaf 1AH, core type 40H)
 * @TOPDOWN_KIND_ATOM: an E-core (core type 20H)
 * @TOPDOWN_KIND_MIXED: no kind of a CPU: a sum over CPUs of several
 */
enum topdown_kind {
	TOPDOWN_KIND_ONLY		= 0,
	TOPDOWN_KIND_CORE		= 1,
	TOPDOWN_KIND_ATOM		= 2,
	TOPDOWN_KIND_MIXED		= 3,
};

/**
 * enum topdown_state - how a CPU is being measured now
 *
 * @TOPDOWN_STATE_OK: the group ran (nearly) all of the last window; of groups that
 *	run in turns the first had its turns
 * @TOPDOWN_STATE_OFFLINE: the CPU is offline; its sums stand still
 * @TOPDOWN_STATE_UNSUPPORTED: the CPU has no event group that we can use, or what its
 *	events count cannot be what it did, as where a hypervisor lets events be created
 *	and counts 0: nothing is counted then, and it is tried again with growing
 *	pauses.  The file "sources" in sysfs has the reason
 * @TOPDOWN_STATE_CONTENDED: for part of the last window others (perf users, or a
 *	guest that owns the PMU) had the counter, or the CPU was in guests: see
 *	running_ns against enabled_ns
 * @TOPDOWN_STATE_ERROR: the group could not be made, or was refused the counter;
 *	it is tried again with growing pauses, and the kernel log says so
 * @TOPDOWN_STATE_EXCLUDED: the CPU is not to be measured, online or not: it is not
 *	among those of the module parameter cpus, or that is not given and the CPU is
 *	nohz_full
 * @TOPDOWN_STATE_ASIDE: the group is disabled, or was in a part of the last window,
 *	since a perf user whom the module's parameter aside puts first needs the
 *	counters; it is enabled again within a second after that has ended, on an
 *	idle CPU when it works again.
 *	enabled_ns goes on, running_ns does not
 */
enum topdown_state {
	TOPDOWN_STATE_OK		= 0,
	TOPDOWN_STATE_OFFLINE		= 1,
	TOPDOWN_STATE_UNSUPPORTED	= 2,
	TOPDOWN_STATE_CONTENDED		= 3,
	TOPDOWN_STATE_ERROR		= 4,
	TOPDOWN_STATE_EXCLUDED		= 5,
	TOPDOWN_STATE_ASIDE		= 6,
};

/**
 * struct topdown_info - argument of TOPDOWN_INFO
 * @size: sizeof(struct topdown_info) of the caller, at least 288
 * @flags: none yet: must be 0
 * @out_features: TOPDOWN_FEATURE_*
 * @out_flags: TOPDOWN_INFO_*
 * @out_nr_cpus: one more than the highest CPU number there can be
 * @out_source: enum topdown_source of the CPU kind that has the most levels
 * @out_level: highest level on that kind: 1 or 2
 * @out_slots_per_cycle: pipeline width of that kind; 0 when not known.  Where both
 *	kinds have as many levels: of the P-cores
 * @out_record_size: sizeof(struct topdown_record) of the kernel
 * @out_period_ms: longest time a busy CPU keeps one window open
 * @out_period_min_ms: least period that can be set
 * @out_period_max_ms: largest period that can be set
 * @out_cpu_family: CPUID family of the boot CPU
 * @out_cpu_model: CPUID model of the boot CPU
 * @out_cpu_stepping: CPUID stepping of the boot CPU
 * @out_cpu_vendor: CPUID vendor string, NUL-terminated
 * @out_cpu_name: CPUID brand string, NUL-terminated
 * @out_codename: name of the core in the module's table; empty when unknown
 * @out_version: version of the module, NUL-terminated
 * @out_map_size: bytes that mmap() of the node gives; struct topdown_map
 * @out_session_map_size: bytes that the map of a session has; struct
 *	topdown_session_map
 * @out_instance: a random number, another each time that the module is loaded, and
 *	never 0.  Sums that are smaller than before are of another module if this is
 *	another number
 * @out_load_time_ns: when the module was loaded, which is when the sums began,
 *	CLOCK_BOOTTIME: it counts while the machine is suspended, and setting the date
 *	does not change it.  The date is CLOCK_REALTIME less CLOCK_BOOTTIME, both of now,
 *	and this
 *
 * Anybody who could open the node may ask.
 */
struct topdown_info {
	__u32 size;
	__u32 flags;
	__aligned_u64 out_features;
	__u32 out_flags;
	__u32 out_nr_cpus;
	__u32 out_source;
	__u32 out_level;
	__u32 out_slots_per_cycle;
	__u32 out_record_size;
	__u32 out_period_ms;
	__u32 out_period_min_ms;
	__u32 out_period_max_ms;
	__u32 out_cpu_family;
	__u32 out_cpu_model;
	__u32 out_cpu_stepping;
	char out_cpu_vendor[16];
	char out_cpu_name[64];
	char out_codename[64];
	char out_version[48];
	__aligned_u64 out_map_size;
	__aligned_u64 out_session_map_size;
	__aligned_u64 out_instance;
	__aligned_u64 out_load_time_ns;
};

/**
 * struct topdown_figures - the slots of a span of time and where they went
 * @enabled_ns: time in which the CPU was online and had our group; for the sum
 *	over CPUs the times are added up
 * @running_ns: the part of it in which the group had the counters, never more.  The time
 *	that a CPU spends in virtual machines is none of it, since guests are not
 *	counted.  That time is the kernel's account.  On nohz_full CPUs it is exact.
 *	Elsewhere it is a sample by ticks: of one window it may be off by one tick; a sum
 *	over many is right to some percent of it where guests come and go at any time,
 *	and may be off by a third of it where they do so in step with the tick.  @slots
 *	and ratios do not depend on it.  Nor is time whose counts cannot be believed
 *	running time (TOPDOWN_STATE_UNSUPPORTED)
 * @slots: pipeline slots counted in @running_ns, not scaled up to @enabled_ns
 * @__reserved: not used yet: 0
 * @children_slots: the part of @slots in which the children of level 1 node n were
 *	counted: all of them, none where there are no such children, or fewer where they
 *	were not counted all the time (TOPDOWN_RECORD_DRILLDOWN, or a sum over CPUs that
 *	differ).  Over any span @node of a child over this is its share of the slots in
 *	which it was counted, and this over @slots how many those are; the same of sums,
 *	but for children that only one of two kinds of core has
 * @node: the slots of each enum topdown_node.  Level 1 sums to @slots (but for
 *	slots of which the CPU said nothing at all, and what a formula was cut
 *	by: TOPDOWN_RECORD_CLAMPED) and the children of a node sum to it, if they were
 *	counted all the time: otherwise here is what was counted of them, and they have
 *	no ratio; 0 for nodes that there are not
 * @ratio: @node over @slots in units of 1 / TOPDOWN_RATIO_ONE, in
 *	0..TOPDOWN_RATIO_ONE, or TOPDOWN_RATIO_NONE
 *
 * All but @ratio only grows, so that the difference of two readings is what there was in
 * between.  This structure has its final size.
 */
struct topdown_figures {
	__aligned_u64 enabled_ns;
	__aligned_u64 running_ns;
	__aligned_u64 slots;
	__aligned_u64 __reserved[3];
	__aligned_u64 children_slots[TOPDOWN_NR_PARENTS];
	__aligned_u64 node[TOPDOWN_MAX_NODES];
	__u32 ratio[TOPDOWN_MAX_NODES];
};

/*
 * topdown_record.flags.  In the last closed window a published formula had no
 * value for a node, or one below 0 or above its parent: it was cut to what is
 * possible.  With TOPDOWN_SOURCE_PERF_METRICS only beside TOPDOWN_RECORD_REFINED.
 * Which nodes those are is in topdown_record.clamped.
 */
#define TOPDOWN_RECORD_CLAMPED	(1U << 0)
/* The events do not fit the counters together: they are counted in turns and scaled. */
#define TOPDOWN_RECORD_SCALED	(1U << 1)
/*
 * PERF_METRICS are corrected with general counters, as perf's own metric expressions
 * correct them: all figures of the CPU, its sessions' and its windows', are so.
 * Level 1 sums to the slots all the same.  Where these expressions correct nothing,
 * as on Lion Cove, the figures are theirs without this flag.
 */
#define TOPDOWN_RECORD_REFINED	(1U << 2)
/*
 * Level 2 needs more counters than there are, and the children of a level 1 node are
 * counted only while that node is over its published threshold, or was a short while
 * ago: topdown_record.nodes changes, and topdown_figures.children_slots are fewer than
 * the slots.
 */
#define TOPDOWN_RECORD_DRILLDOWN (1U << 3)

/**
 * struct topdown_record - what READ says of one CPU, or of the sum
 * @cpu: CPU number, or TOPDOWN_CPU_ALL for the sum
 * @state: enum topdown_state; of the sum: the worst of those CPUs that are
 *	online and can be measured
 * @source: enum topdown_source; of the sum: that of its CPUs, or
 *	TOPDOWN_SOURCE_MIXED
 * @level: highest level of these figures: 2, 1, or 0 for none; of the sum: the
 *	least of those CPUs that have figures
 * @kind: enum topdown_kind; of the sum: that of its CPUs, or TOPDOWN_KIND_MIXED
 * @slots_per_cycle: pipeline width, 0 when not known or not the same for all
 * @nr_cpus: CPUs whose figures are in here
 * @flags: TOPDOWN_RECORD_*; of the sum: those of any of its CPUs
 * @nodes: bit n: enum topdown_node n is being counted; of the sum: those that
 *	all its CPUs have
 * @clamped: bit n: TOPDOWN_RECORD_CLAMPED is about node n; of the sum: those of any
 *	of its CPUs
 * @windows: windows closed since the baseline
 * @time_ns: up to when @total counts, CLOCK_MONOTONIC; 0 for never measured
 * @window_time_ns: when @window ended, CLOCK_MONOTONIC; 0 for none
 * @total: everything since the baseline: since the module was loaded, or since
 *	this descriptor's last RESET of the CPU
 * @window: the last closed window; of an idle CPU it may be long past and long.
 *	With TOPDOWN_READ_FRESH the open window until now.  Of the sum: those that
 *	ended less than two periods ago, of CPUs that are being measured
 */
struct topdown_record {
	__u32 cpu;
	__u32 state;
	__u32 source;
	__u32 level;
	__u32 kind;
	__u32 slots_per_cycle;
	__u32 nr_cpus;
	__u32 flags;
	__aligned_u64 nodes;
	__aligned_u64 clamped;
	__aligned_u64 windows;
	__aligned_u64 time_ns;
	__aligned_u64 window_time_ns;
	struct topdown_figures total;
	struct topdown_figures window;
};

/*
 * Count until now, by one inter-processor interrupt to each CPU asked for but
 * those that have slept since they were last asked: another CPU that did less
 * than 50 us of work since then is left alone, and that work is told the next time.
 * (From Linux 7.0 on the kernel does not tell that well enough, and all are asked.)
 * nohz_full CPUs are not interrupted: of them the answer is as without this flag.
 * The window is not ended, so other readers' windows, history and watches stay
 * as they are.  Without it the answer is what was known already: it interrupts
 * nobody and is at most one period old where the CPU was not idle.
 */
#define TOPDOWN_READ_FRESH	(1U << 0)
/* One more record behind the others: the sum over the CPUs asked for. */
#define TOPDOWN_READ_TOTAL	(1U << 1)

/**
 * struct topdown_read - argument of TOPDOWN_READ
 * @size: sizeof(struct topdown_read) of the caller, at least 40
 * @flags: TOPDOWN_READ_*
 * @cpus: address of @cpus_words 64-bit words; CPU n is bit n % 64 of word
 *	n / 64.  0 with @cpus_words 0 asks for every CPU there can be.  A CPU
 *	that is offline is answered with that state; one that cannot be is EINVAL
 * @cpus_words: at most TOPDOWN_CPUS_WORDS_MAX
 * @record_size: sizeof(struct topdown_record) of the caller, at least 616: the
 *	distance of the records in memory
 * @records: address of room for @nr_records records, written in the order of
 *	the CPU numbers
 * @nr_records: on entry how many fit; on return how many were written, or with
 *	EMSGSIZE how many are needed
 * @__reserved: must be 0
 */
struct topdown_read {
	__u32 size;
	__u32 flags;
	__aligned_u64 cpus;
	__u32 cpus_words;
	__u32 record_size;
	__aligned_u64 records;
	__u32 nr_records;
	__u32 __reserved;
};

/*
 * Count until now first, so that the baseline is now and not a while ago; but not on
 * nohz_full CPUs, as TOPDOWN_READ_FRESH.
 */
#define TOPDOWN_RESET_FRESH	(1U << 0)

/**
 * struct topdown_reset - argument of TOPDOWN_RESET
 * @size: sizeof(struct topdown_reset) of the caller, at least 24
 * @flags: TOPDOWN_RESET_*
 * @cpus: as in struct topdown_read
 * @cpus_words: as in struct topdown_read
 * @__reserved: must be 0
 *
 * From now on topdown_record.total and .windows of these CPUs count from here,
 * for this descriptor alone.
 */
struct topdown_reset {
	__u32 size;
	__u32 flags;
	__aligned_u64 cpus;
	__u32 cpus_words;
	__u32 __reserved;
};

/* topdown_map.magic: "topdown" and a zero, little endian. */
#define TOPDOWN_MAP_MAGIC	0x006e776f64706f74ULL

/**
 * struct topdown_map - the start of what mmap() of the node gives
 * @magic: TOPDOWN_MAP_MAGIC
 * @size: bytes in all: topdown_info.out_map_size
 * @header_size: sizeof(struct topdown_map) of the kernel
 * @nr_cpus: CPUs that have a record: one more than the highest number
 * @record_offset: bytes from the start to the struct topdown_map_record of CPU 0
 * @record_stride: bytes from that of one CPU to the next
 * @record_size: sizeof(struct topdown_record) of the kernel
 * @open_offset: bytes from the start of a struct topdown_map_record to its @open
 * @history_entries: windows kept for each CPU; 0 for no history
 * @history_offset: bytes from the start to the history of CPU 0
 * @history_stride: bytes from one window to the next
 * @history_size: sizeof(struct topdown_map_window) of the kernel
 *
 * A read-only mapping (PROT_READ, MAP_SHARED, offset 0) of one page shows this
 * header, one of @size bytes everything; it costs no system call to read and
 * disturbs no CPU.  The layout is what the header says, not what this file
 * says; fields may be added behind those known.
 *
 * The sums are those since the module was loaded: a reader subtracts what it
 * saw first.
 */
struct topdown_map {
	__aligned_u64 magic;
	__aligned_u64 size;
	__u32 header_size;
	__u32 nr_cpus;
	__aligned_u64 record_offset;
	__u32 record_stride;
	__u32 record_size;
	__u32 open_offset;
	__u32 history_entries;
	__aligned_u64 history_offset;
	__u32 history_stride;
	__u32 history_size;
};

/**
 * struct topdown_map_record - the record of one CPU in the map
 * @seq: odd while the CPU writes the record, and another number afterwards
 * @__reserved: 0
 * @record: what READ without TOPDOWN_READ_FRESH says, but for the ratios, which
 *	are all TOPDOWN_RATIO_NONE: a reader has the nodes and the slots
 * @open: the open window, as far as it has been counted; at topdown_map.open_offset,
 *	which is here only as long as the record does not grow
 *
 * To read it whole::
 *
 *	do {
 *		seq = __atomic_load_n(&entry->seq, __ATOMIC_ACQUIRE);
 *		copy = entry->record;
 *		__atomic_thread_fence(__ATOMIC_ACQUIRE);
 *	} while ((seq & 1) || __atomic_load_n(&entry->seq, __ATOMIC_RELAXED) != seq);
 *
 * The writer never sleeps between the two, so a few turns are the most; bound
 * the loop all the same where a virtual machine can take the CPU away.
 */
struct topdown_map_record {
	__u32 seq;
	__u32 __reserved;
	struct topdown_record record;
	struct topdown_figures open;
};

/**
 * struct topdown_map_window - one window in a CPU's history
 * @number: which window since the module was loaded, from 1; 0 for none, and
 *	while it is being written
 * @time_ns: when it closed, CLOCK_MONOTONIC
 * @nodes: as topdown_record.nodes, in that window
 * @clamped: as topdown_record.clamped, in that window
 * @figures: what it counted, but for the ratios, as in the record
 *
 * Window n is entry (n - 1) % history_entries of the CPU.  Read @number, copy,
 * and read it again as above; if it is not n both times the window has been
 * overwritten by a later one.
 */
struct topdown_map_window {
	__aligned_u64 number;
	__aligned_u64 time_ns;
	__aligned_u64 nodes;
	__aligned_u64 clamped;
	struct topdown_figures figures;
};

/* topdown_watch.node: every window that closes. */
#define TOPDOWN_WATCH_ANY	0xffffffffU

/* The watch event is a ratio below the threshold, not one above it. */
#define TOPDOWN_WATCH_BELOW	(1U << 0)
/* There is also a watch event, with TOPDOWN_EVENT_BACK, when the ratio is back within. */
#define TOPDOWN_WATCH_BACK	(1U << 1)
/*
 * Compare the sum over the CPUs, not each CPU.  The sum is compared once in a period.  It has
 * the last window of each CPU that closed one less than two periods ago.
 */
#define TOPDOWN_WATCH_SUM	(1U << 2)
/* Remove a watch, with its unread watch events, instead of adding one. */
#define TOPDOWN_WATCH_REMOVE	(1U << 3)

/**
 * struct topdown_watch - argument of TOPDOWN_WATCH: what poll() waits for
 * @size: sizeof(struct topdown_watch) of the caller, at least 64
 * @flags: TOPDOWN_WATCH_*; 0 with TOPDOWN_WATCH_ANY
 * @cpus: as in struct topdown_read
 * @cpus_words: as in struct topdown_read
 * @node: enum topdown_node, or TOPDOWN_WATCH_ANY
 * @ratio: threshold, 0..TOPDOWN_RATIO_ONE; 0 with TOPDOWN_WATCH_ANY
 * @hold_ms: how long the windows of a CPU have to be beyond the threshold without a break,
 *	at most 3600000; 0 with TOPDOWN_WATCH_ANY
 * @min_slots: a window of fewer slots counts as within the threshold, and is left out with
 *	TOPDOWN_WATCH_ANY.  So a CPU that does next to nothing gives no watch event.  With
 *	TOPDOWN_WATCH_SUM: the least number of slots of the sum
 * @watch: with TOPDOWN_WATCH_REMOVE the number of the watch; else 0
 * @event_size: sizeof(struct topdown_event) of the caller, at least 32 and at most a page.
 *	read() gives watch events of this size.  It must be the same for all watches of the
 *	descriptor
 * @out_watch: number of the new watch, from 1, for this descriptor.  A number is not used
 *	again while the descriptor is open.  The watch events have it
 * @__reserved: must be 0
 *
 * A descriptor has up to 256 watches.  A descriptor without a watch waits for any window of
 * any CPU; these watch events have the number 0 and a size of 32 bytes.
 * With TOPDOWN_WATCH_REMOVE all fields but @size, @flags and @watch must be 0.
 *
 * There is one watch event when a CPU crosses the threshold, and the next when it crosses
 * it again after it has been back within it.  A window without slots or without the node
 * (see TOPDOWN_RECORD_DRILLDOWN) counts as within.  So does time in which the CPU was not
 * measured, if only while its groups of ordinary counters were replaced.  An idle CPU closes
 * no window: its state does not change.
 */
struct topdown_watch {
	__u32 size;
	__u32 flags;
	__aligned_u64 cpus;
	__u32 cpus_words;
	__u32 node;
	__u32 ratio;
	__u32 hold_ms;
	__aligned_u64 min_slots;
	__u32 watch;
	__u32 event_size;
	__u32 out_watch;
	__u32 __reserved[3];
};

/* topdown_event.flags: the CPU, or the sum, is back within the threshold. */
#define TOPDOWN_EVENT_BACK	(1U << 0)

/**
 * struct topdown_event - what read() of the device gives: a watch event
 * @watch: number of the watch; 0 if the descriptor has none
 * @flags: TOPDOWN_EVENT_*
 * @cpu: CPU number, or TOPDOWN_CPU_ALL with TOPDOWN_WATCH_SUM
 * @ratio: ratio of the node in the latest window, or in the latest sum.
 *	TOPDOWN_RATIO_NONE with TOPDOWN_WATCH_ANY, and where a CPU is back because it had
 *	too few slots or was not measured
 * @count: how often it happened since the last read, at least 1
 * @time_ns: end of the latest window, CLOCK_MONOTONIC
 *
 * The kernel keeps one watch event for each watch, CPU and set of flags, and counts in it
 * what happens until it is read.  So none is lost for lack of room.  They are in the order
 * in which they first happened.  read() gives as many as there are and fit, one behind the
 * other.  Each is cut to, or padded with zeros up to, topdown_watch.event_size.
 */
struct topdown_event {
	__u32 watch;
	__u32 flags;
	__u32 cpu;
	__u32 ratio;
	__aligned_u64 count;
	__aligned_u64 time_ns;
};

#include "topdown_session.h"

#endif /* _UAPI_LINUX_TOPDOWN_H */
