/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/topdown: Top-Down (TMA) figures of every CPU, for any number of readers.
 *
 * The module owns one Top-Down counter group on each CPU.  It divides the time of a CPU into
 * windows.  A busy CPU ends its window at least once per period.  The slots of each window are
 * added to 64-bit sums, which only grow, so a reader that wants a span subtracts two readings.  No
 * reader changes what another reader sees: a fresh reading counts until now without ending the
 * window.
 *
 * Growth.  The number of a command is _IO(TOPDOWN_IOC_TYPE, nr) and never changes.  The
 * argument starts with its own size, as the caller compiled it.  The kernel takes a shorter
 * structure as one whose tail is zero, and refuses a longer one whose tail is not zero.  It
 * cuts output to the caller's size, or pads it with zeros.  topdown_info.out_features says
 * what a kernel can do; do not compare versions.  All fields have explicit sizes and natural
 * alignment, so 32-bit callers use the same layout.
 *
 * A map has no caller's size.  Its header has an offset, a stride, a size and a number for
 * each thing in it that can grow, or that lies after one that can.  A reader copies the
 * smaller of that size and of the size that it knows, and sets the rest to zero.
 *
 * Enumerations get new values, but a value never gets a new meaning.  A reader treats an
 * unknown value as "another": another source, state or kind.
 *
 * A node has one number for ever.  The nodes of levels 1 and 2 have numbers below
 * TOPDOWN_MAX_NODES.  Their slots are in struct topdown_sums and topdown_figures, which never
 * grow.  Higher numbers are for nodes of deeper levels.  Their slots will come in structures of
 * their own, and a TOPDOWN_FEATURE_ bit will announce them: at the end of struct topdown_record,
 * topdown_session, topdown_session_kind, topdown_share, topdown_owner, topdown_map_record and
 * topdown_map_window.  Masks of nodes have 64 bits.  Bits TOPDOWN_MAX_NODES to 63 are for the
 * nodes of these numbers.  Numbers from 64 on have no bit here, and the structures of their slots
 * have masks of their own.  Readers ignore bits that they do not know.
 *
 * Input flags and reserved fields must be zero unless a meaning is given.  Only the kernel
 * writes fields whose name starts with out_.  They must be zero on entry, so that they can
 * become inputs one day.
 *
 * Handing on.  open() settles what a descriptor may see.  That right stays with the descriptor:
 * in a child of fork(), through execve() if the descriptor stays open, and over a socket
 * (SCM_RIGHTS).  So a process with rights can open it for one without.  The watches belong to the
 * descriptor of the device, and each of its holders can read, change and remove them, if it was
 * opened for writing.  With one that was opened for reading only nobody can change anything but
 * what is read of it, by read().  ATTACH and OWNERS look at the rights of the calling process.  All
 * ends when the last copy is closed.  A map stays until it is unmapped.  A process that must not be
 * disturbed opens a descriptor of its own.
 *
 * A session is a descriptor of its own, which ATTACH returns.  Each of its holders can read and
 * control it, and it ends when the last copy is closed.  TOPDOWN_CONTROL_VIEW makes another
 * descriptor of the session, for those who may read it and nothing else.  No right is looked at
 * but that of the descriptor, and it cannot be opened again by /proc.
 *
 * Clocks.  Times are those of the initial time namespace.  In another time namespace
 * CLOCK_MONOTONIC and CLOCK_BOOTTIME have other offsets (/proc/self/timens_offsets), and so has an
 * age that is computed from them.
 *
 * Errors, the same for all commands.  A command that fails has changed no setting.  With EFAULT
 * some records or kinds may have been written.  With EMSGSIZE nr_records has been written.
 *
 *   ENOTTY      This module does not know the number of the command, or it is for another kind of
 *               descriptor: SESSION and CONTROL are for those of sessions, OWNERS_READ is for those
 *               of owners, all others for those of the device.
 *   EINVAL      A size below the first released one; a value out of range; a CPU set that is
 *               empty or has an impossible CPU; an out_ or reserved field that is not 0;
 *               READ: TOPDOWN_READ_MAPPED without FRESH, with TOTAL, or with room for records;
 *               WATCH: an event_size other than that of the descriptor's first watch.
 *   E2BIG       A structure, a record, a kind of core (kind_size) or a watch event (event_size)
 *               that is longer than a page; a structure whose unknown tail is not zero; too many
 *               words of a CPU set.
 *   EOPNOTSUPP  A flag that this module does not know; a node that it does not know, or that
 *               no CPU of this machine has; ATTACH: a kernel thread, or any task on a kernel
 *               without TOPDOWN_FEATURE_SESSION; OWNERS: cgroups, if the kernel lacks
 *               CONFIG_CGROUP_PERF, or any owners, if it lacks tracepoints.
 *   EFAULT      An address that cannot be read or written.
 *   EMSGSIZE    Too little room for the records; nr_records says how many there are.
 *               OWNERS_READ: no room for any.
 *   EACCES      System-wide figures, although perf would not let the process that opened this
 *               descriptor count a whole CPU (perf_event_paranoid, CAP_PERFMON, security
 *               module).
 *               ATTACH to another process, by a caller with neither CAP_PERFMON nor
 *               CAP_SYS_ADMIN.  perf_event_paranoid does not matter there, and neither does
 *               who opened the descriptor.  A security module may refuse it too, if this kernel
 *               lets modules ask.
 *   ESRCH       ATTACH: there is no such process or thread.
 *   EBADF       WATCH, ATTACH: the descriptor was opened for reading only; CONTROL: it is a view.
 *               ATTACH: with TOPDOWN_ATTACH_PIDFD, the other descriptor is no pidfd.
 *   ENOENT      WATCH: this descriptor has no watch of the number to be removed.
 *   EMFILE      ATTACH, TOPDOWN_CONTROL_VIEW, OWNERS: too many descriptors of the process
 *               (RLIMIT_NOFILE).
 *   ENFILE      ATTACH, TOPDOWN_CONTROL_VIEW, OWNERS, mmap() of a session: too many open files of
 *               all.
 *   ENOSPC      WATCH: too many watches, of this descriptor (256) or of all (4096);
 *               ATTACH: too many sessions, of a thread (64) or of all (4096).
 *               Without CAP_PERFMON also: too many of the calling user (64), or of all such
 *               users (3072); ATTACH: of a thread (48); or sessions of the user, or of all such
 *               users, follow too many threads (16384, 131072), those that inherited a session
 *               counted too.  All ids of a user namespace are one user, and so are all of a
 *               container.
 *   ENOMEM      Out of memory.
 *
 * open(): EACCES of the mode of the device; ENOMEM; EINTR; any error but EACCES and EPERM with
 * which perf refuses a CPU-wide software event.
 * mmap(): EACCES (not of a session) and ENOMEM as above; EINVAL for an offset, a length beyond the
 * map, or without MAP_SHARED; EPERM for a writable or executable mapping, unless the personality
 * READ_IMPLIES_EXEC asks for the latter, which is then not executable; EACCES for a shared
 * writable one of a descriptor that was opened for reading only, and for any of one that was
 * opened for writing only.
 * read(), readv(), preadv2() with offset -1: EACCES and EFAULT as above; EAGAIN when there is
 * nothing to read and O_NONBLOCK or RWF_NOWAIT is set; EINTR; EINVAL for less room than one
 * watch event.
 * poll(): POLLIN when there is a watch event; POLLERR when read() fails with EACCES.  For a
 * session: POLLHUP when it has ended (EXITED, ENDED, DETACHED), from then on.
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
	TOPDOWN_CMD_WATCH	= 0x02,
	TOPDOWN_CMD_ATTACH	= 0x03,
	TOPDOWN_CMD_SESSION	= 0x04,
	TOPDOWN_CMD_CONTROL	= 0x05,
	TOPDOWN_CMD_OWNERS	= 0x10,
	TOPDOWN_CMD_OWNERS_READ	= 0x11,
};

#define TOPDOWN_INFO		_IO(TOPDOWN_IOC_TYPE, TOPDOWN_CMD_INFO)
#define TOPDOWN_READ		_IO(TOPDOWN_IOC_TYPE, TOPDOWN_CMD_READ)
#define TOPDOWN_WATCH		_IO(TOPDOWN_IOC_TYPE, TOPDOWN_CMD_WATCH)
#define TOPDOWN_ATTACH		_IO(TOPDOWN_IOC_TYPE, TOPDOWN_CMD_ATTACH)
#define TOPDOWN_SESSION		_IO(TOPDOWN_IOC_TYPE, TOPDOWN_CMD_SESSION)
#define TOPDOWN_CONTROL		_IO(TOPDOWN_IOC_TYPE, TOPDOWN_CMD_CONTROL)
#define TOPDOWN_OWNERS		_IO(TOPDOWN_IOC_TYPE, TOPDOWN_CMD_OWNERS)
#define TOPDOWN_OWNERS_READ	_IO(TOPDOWN_IOC_TYPE, TOPDOWN_CMD_OWNERS_READ)

/* topdown_info.out_features: what this module can do. */
#define TOPDOWN_FEATURE_FRESH	(1ULL << 0)	/* TOPDOWN_READ_FRESH, _MAPPED */
#define TOPDOWN_FEATURE_TOTAL	(1ULL << 1)	/* TOPDOWN_READ_TOTAL */
#define TOPDOWN_FEATURE_MAP	(1ULL << 3)	/* mmap() */
#define TOPDOWN_FEATURE_WATCH	(1ULL << 4)	/* TOPDOWN_WATCH, poll(), read() */
#define TOPDOWN_FEATURE_SESSION	(1ULL << 5)	/* TOPDOWN_ATTACH, _SESSION, _CONTROL */
#define TOPDOWN_FEATURE_CYCLES	(1ULL << 8)	/* topdown_figures.cycles, .instructions */
#define TOPDOWN_FEATURE_BUSY	(1ULL << 9)	/* topdown_figures.busy_ns */
#define TOPDOWN_FEATURE_OWNERS	(1ULL << 16)	/* TOPDOWN_OWNERS, TOPDOWN_OWNERS_READ */

/* topdown_info.out_flags. */
#define TOPDOWN_INFO_MAY_READ	(1U << 0)	/* READ is not EACCES here. */
#define TOPDOWN_INFO_PINNED	(1U << 1)	/* Loaded with pinned=1. */
/* Loaded with refined=1: TOPDOWN_RECORD_REFINED says on which CPUs that has effect. */
#define TOPDOWN_INFO_REFINED	(1U << 2)
/* Loaded with drilldown=1: TOPDOWN_RECORD_DRILLDOWN says on which CPUs that has effect. */
#define TOPDOWN_INFO_DRILLDOWN	(1U << 3)
/* The group of a CPU stands aside while a perf user lacks counters there. */
#define TOPDOWN_INFO_ASIDE	(1U << 4)
/* Not loaded with aside=tasks: it does so for perf users who count whole CPUs too. */
#define TOPDOWN_INFO_ASIDE_ALL	(1U << 5)

/* A ratio of 1, that is 100%. */
#define TOPDOWN_RATIO_ONE	1000000000U
/* No ratio: the CPU lacks the node, or did not count it all the time, or counted no slot. */
#define TOPDOWN_RATIO_NONE	0xffffffffU

/* topdown_record.cpu of the sum over the CPUs asked for. */
#define TOPDOWN_CPU_ALL		0xffffffffU

/* topdown_record.kind of a sum over CPUs of several kinds. */
#define TOPDOWN_KIND_MIXED	0xffffffffU

/*
 * The room for parents in struct topdown_sums.  Parent n is the n-th level 1 node in the order of
 * enum topdown_node: retiring is parent 0, backend bound is 3, and SMT contention is 4, which has
 * no children today.
 */
#define TOPDOWN_MAX_PARENTS	8

/*
 * The room for nodes in struct topdown_sums: those of levels 1 and 2.  A number that no node has
 * yet has no slots, and TOPDOWN_RATIO_NONE.
 */
#define TOPDOWN_MAX_NODES	24

/* The longest CPU set, in 64-bit words. */
#define TOPDOWN_CPUS_WORDS_MAX	128

/**
 * enum topdown_node - the nodes of the Top-Down tree
 *
 * perf and the TMA method use the same names.  Level 2 nodes are children of the level 1 node
 * that their line names.  The children sum to their parent; where each child has an event of
 * its own, as on Atom cores, only nearly.  topdown_record.nodes says which nodes a CPU has.
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
 *	Atom cores have it instead of memory bound
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
 * enum topdown_source - what a CPU is measured with
 *
 * @TOPDOWN_SOURCE_NONE: nothing, because the CPU cannot be measured
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
 * @TOPDOWN_SOURCE_MIXED: several of these, as on a hybrid machine.  The sum then adds
 *	slots of cores of different width, by different formulas
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
 * Numbers stay below 16, and arrays of kinds have an element for each.  E-cores are one kind even
 * where a machine has two of them, as Arrow Lake-H has Skymont and Crestmont, whose slots and
 * formulas differ.  A sum over both has one kind and one source; a sum over CPUs has
 * topdown_record.slots_per_cycle 0 then.
 *
 * @TOPDOWN_KIND_ONLY: the machine has one kind
 * @TOPDOWN_KIND_CORE: a P-core (CPUID leaf 1AH, core type 40H)
 * @TOPDOWN_KIND_ATOM: an E-core (core type 20H), whatever its native model id
 */
enum topdown_kind {
	TOPDOWN_KIND_ONLY		= 0,
	TOPDOWN_KIND_CORE		= 1,
	TOPDOWN_KIND_ATOM		= 2,
};

/**
 * enum topdown_state - how a CPU is being measured now
 *
 * @TOPDOWN_STATE_OK: the group had the counters for nearly all of the last window.  If
 *	groups take turns: the first had its turns, or together they had them for 90% of it
 * @TOPDOWN_STATE_OFFLINE: the CPU is offline; its sums stand still
 * @TOPDOWN_STATE_UNSUPPORTED: the CPU has no events that we can use; or their counts are
 *	impossible, as where a hypervisor allows events and counts 0.  Such counts are
 *	dropped, and the CPU is tried again after growing delays.  The file "sources" in
 *	sysfs has the reason
 * @TOPDOWN_STATE_CONTENDED: for part of the last window others had the counters (perf users,
 *	or a guest that owns the PMU), or the CPU ran guests: compare running_ns with
 *	enabled_ns
 * @TOPDOWN_STATE_ERROR: the group could not be made, or did not get the counter.  It is
 *	tried again after growing delays, and the kernel log says so
 * @TOPDOWN_STATE_EXCLUDED: the CPU is not measured, whether online or not: the module
 *	parameter cpus does not have it, or that is not given and the CPU is nohz_full
 * @TOPDOWN_STATE_ASIDE: the group is disabled, or was for a part of the last window, because
 *	a perf user needs the counters, whom the module parameter aside puts first.  It counts in
 *	short turns, and stays enabled soon after that need has ended: some 0.2 s with share=32,
 *	seconds with a large share; on an idle CPU, when the CPU works again.  enabled_ns grows
 *	meanwhile, running_ns does not
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
 * @out_nr_cpus: one more than the highest possible CPU number
 * @out_source: enum topdown_source of the CPU kind that has the most levels
 * @out_level: highest level on that kind: 1 or 2
 * @out_slots_per_cycle: pipeline width of that kind; 0 when not known.  If both
 *	kinds have as many levels: that of the P-cores
 * @out_record_size: sizeof(struct topdown_record) of the kernel
 * @out_period_ms: longest time a busy CPU keeps one window open
 * @out_period_min_ms: shortest period that can be set
 * @out_period_max_ms: longest period that can be set
 * @out_cpu_family: CPUID family of the boot CPU
 * @out_cpu_model: CPUID model of the boot CPU
 * @out_cpu_stepping: CPUID stepping of the boot CPU
 * @out_cpu_vendor: CPUID vendor string, NUL-terminated
 * @out_cpu_name: CPUID brand string, NUL-terminated
 * @out_codename: name of the core in the module's table; empty when unknown
 * @out_version: version of the module, NUL-terminated
 * @out_map_size: bytes that mmap() of the device gives; struct topdown_map
 * @out_session_map_size: bytes that mmap() of a session gives; struct
 *	topdown_session_map
 * @out_instance: a random number, never 0.  It differs each time that the module is loaded.
 *	If it has changed, sums may be smaller than before
 * @out_load_time_ns: when the module was loaded, which is when the sums began,
 *	CLOCK_BOOTTIME.  This clock counts while the machine is suspended, and setting the
 *	date does not change it.  For the date add CLOCK_REALTIME minus CLOCK_BOOTTIME, both
 *	read now
 *
 * Every process that could open the device may ask.
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
 * struct topdown_sums - the slots of a span of time, and where they went
 * @enabled_ns: time in which the CPU was online and had our group.  For a sum over CPUs the
 *	times are added
 * @running_ns: the part of @enabled_ns in which the group had the counters.  Two kinds of time
 *	are not in it.  One is time in virtual machines, because guests are not counted.
 *	That time is the kernel's account.  It is exact on nohz_full CPUs.  Elsewhere the
 *	kernel samples it by ticks: it may be off by one tick in one window, and in a sum
 *	over many by some percent of it if guests come and go at any time, or by a third of
 *	it if they do so in step with the tick.  The other is time whose counts are
 *	impossible (TOPDOWN_STATE_UNSUPPORTED).  @slots does not depend on it
 * @slots: pipeline slots counted in @running_ns, not scaled up to @enabled_ns
 * @cycles: cycles in which the CPU was not halted.  0 if they were not counted: the model has no
 *	counters for that which cost nobody anything, perf users need these, or the module
 *	was loaded with cycles=0.  They have counters of their own on CPUs with
 *	PERF_METRICS, so @running_ns is not the time in which they were counted
 * @instructions: instructions that retired in these @cycles.  @instructions over @cycles is
 *	the number of instructions per cycle (IPC)
 * @busy_ns: the part of @enabled_ns in which the CPU was not idle.  That time is the kernel's
 *	account, and needs no counter.  @busy_ns over @enabled_ns is the busy share of a
 *	window.  For the difference of two readings divide by the time between them, because
 *	an idle CPU does not count until now.  0 for sessions, and without
 *	TOPDOWN_FEATURE_BUSY
 * @children_slots: for parent n, the part of @slots in which its children were
 *	counted: all of them; none if it has no children; fewer if the children were not
 *	counted all the time (TOPDOWN_RECORD_DRILLDOWN, or a sum over CPUs that differ).
 *	For any span, @node of a child over this is the share of the child in the slots in
 *	which it was counted, and this over @slots is how many those were.  The same holds
 *	for sums, except for children that only one kind of core has
 * @node: the slots of each enum topdown_node; 0 for nodes that do not exist.  Level 1 sums to
 *	@slots, except for slots of which the CPU says nothing, and for what clamping changed
 *	(TOPDOWN_RECORD_CLAMPED).  Children sum to their parent if they were counted all
 *	the time.  Otherwise this has what was counted, and they have no ratio
 *
 * In sums since a beginning all fields only grow, so the difference of two readings is the span
 * between them.  That is not so for a single window (topdown_record.window,
 * topdown_map_record.window, .open, topdown_map_window.sums).  Maps have these fields alone, and a
 * reader computes ratios: @node over @slots, for the nodes in the mask of nodes.  Children have
 * none if the @children_slots of their parent are not @slots, and no node has one if all of level 1
 * are 0.  This structure has its final size.
 */
struct topdown_sums {
	__aligned_u64 enabled_ns;
	__aligned_u64 running_ns;
	__aligned_u64 slots;
	__aligned_u64 cycles;
	__aligned_u64 instructions;
	__aligned_u64 busy_ns;
	__aligned_u64 children_slots[TOPDOWN_MAX_PARENTS];
	__aligned_u64 node[TOPDOWN_MAX_NODES];
};

/**
 * struct topdown_figures - the slots of a span of time, and their ratios
 * @enabled_ns: this and the next are as in struct topdown_sums, at the same places
 * @running_ns: see there
 * @slots: see there
 * @cycles: see there
 * @instructions: see there
 * @busy_ns: see there
 * @children_slots: see there
 * @node: see there
 * @ratio: @node over @slots in units of 1 / TOPDOWN_RATIO_ONE, in
 *	0..TOPDOWN_RATIO_ONE, or TOPDOWN_RATIO_NONE
 *
 * Answers of commands have these.  This structure has its final size.
 */
struct topdown_figures {
	__aligned_u64 enabled_ns;
	__aligned_u64 running_ns;
	__aligned_u64 slots;
	__aligned_u64 cycles;
	__aligned_u64 instructions;
	__aligned_u64 busy_ns;
	__aligned_u64 children_slots[TOPDOWN_MAX_PARENTS];
	__aligned_u64 node[TOPDOWN_MAX_NODES];
	__u32 ratio[TOPDOWN_MAX_NODES];
};

/*
 * topdown_record.flags.  In the last window a published formula gave no value for a node, or one
 * below 0 or above its parent, and the value was cut to the possible range.  PERF_METRICS has
 * this only with TOPDOWN_RECORD_REFINED.  topdown_record.clamped says which nodes.
 */
#define TOPDOWN_RECORD_CLAMPED	(1U << 0)
/* The events do not fit the counters at once, so groups take turns and counts are scaled. */
#define TOPDOWN_RECORD_SCALED	(1U << 1)
/*
 * General counters refine PERF_METRICS, as the metric expressions of perf do: in all figures of
 * the CPU, of its sessions and of its windows.  Level 1 sums to the slots nevertheless.  Where
 * these expressions change nothing, as on Lion Cove, the figures are theirs without this flag.
 */
#define TOPDOWN_RECORD_REFINED	(1U << 2)
/*
 * Level 2 needs more counters than the CPU has.  The children of a level 1 node are counted only
 * while that node is over its published threshold, and a short while afterwards.  So
 * topdown_record.nodes changes, and topdown_figures.children_slots are fewer than the slots.
 */
#define TOPDOWN_RECORD_DRILLDOWN (1U << 3)

/**
 * struct topdown_record - what READ gives for one CPU, or for the sum
 * @cpu: CPU number, or TOPDOWN_CPU_ALL for the sum
 * @state: enum topdown_state; of the sum: the worst of the CPUs that are online and can be
 *	measured
 * @source: enum topdown_source; of the sum: that of its CPUs, or
 *	TOPDOWN_SOURCE_MIXED
 * @level: highest level of these figures: 2, 1, or 0 for none; of the sum: the
 *	lowest of the CPUs that have figures
 * @kind: enum topdown_kind; of the sum: that of its CPUs, or TOPDOWN_KIND_MIXED
 * @slots_per_cycle: pipeline width, 0 when not known or not the same for all
 * @nr_cpus: number of CPUs whose figures are in this record
 * @flags: TOPDOWN_RECORD_*; of the sum: those of any of its CPUs
 * @turns: 0: level 1 is counted all the time.  n: level 1 has one turn of n, so 1/n of enabled_ns
 *	is the running_ns to be expected if nobody else uses the counters.  The number changes
 *	when the groups are made again, as after somebody took a counter.  The sum has the
 *	largest number of its CPUs
 * @__reserved: 0
 * @nodes: bit n: enum topdown_node n is counted now; of the sum: the nodes that all its CPUs
 *	have
 * @clamped: bit n: TOPDOWN_RECORD_CLAMPED is about node n; of the sum: those of any of its
 *	CPUs
 * @windows: windows closed since the module was loaded
 * @time_ns: @total counts until then, CLOCK_MONOTONIC; 0 if the CPU was never measured
 * @window_time_ns: when @window ended, CLOCK_MONOTONIC; 0 for none
 * @total: the sums since the module was loaded
 * @window: the last window.  An idle CPU ends no window, so it may be old and long.  With
 *	TOPDOWN_READ_FRESH: the open window until now.  The sum has the windows that ended
 *	less than two periods ago, of CPUs that are measured now
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
	__u32 turns;
	__u32 __reserved;
	__aligned_u64 nodes;
	__aligned_u64 clamped;
	__aligned_u64 windows;
	__aligned_u64 time_ns;
	__aligned_u64 window_time_ns;
	struct topdown_figures total;
	struct topdown_figures window;
};

/*
 * Count until now.  Each CPU asked for gets one inter-processor interrupt, with three exceptions.
 * A CPU that has slept ever since it was last asked is up to date.  Another CPU that worked for
 * less than 50 us since then is left alone; the next reading has that work.  (From Linux 7.0 on
 * the kernel does not report that well enough, so all these CPUs are asked.)  nohz_full CPUs are
 * never interrupted; their answer is as without this flag.
 * The window does not end, so windows, history and watches of other readers stay as they are.
 * Without this flag no CPU is interrupted, and the answer is at most one period old, except on
 * CPUs that were idle.
 */
#define TOPDOWN_READ_FRESH	(1U << 0)
/* One more record after the others: the sum over the CPUs asked for. */
#define TOPDOWN_READ_TOTAL	(1U << 1)
/*
 * Write no records: the caller finds them in the map, as up to date as with TOPDOWN_READ_FRESH
 * alone, but with the last window as their window.  Only those of CPUs that have worked have
 * another sequence number.  Only with TOPDOWN_READ_FRESH and without TOPDOWN_READ_TOTAL.
 */
#define TOPDOWN_READ_MAPPED	(1U << 2)

/**
 * struct topdown_read - argument of TOPDOWN_READ
 * @size: sizeof(struct topdown_read) of the caller, at least 40
 * @flags: TOPDOWN_READ_*
 * @cpus: address of @cpus_words 64-bit words; CPU n is bit n % 64 of word
 *	n / 64.  0 with @cpus_words 0 asks for all possible CPUs.  The record
 *	of an offline CPU says so in its state; an impossible CPU is EINVAL
 * @cpus_words: at most TOPDOWN_CPUS_WORDS_MAX
 * @record_size: sizeof(struct topdown_record) of the caller, at least 880: the
 *	distance of the records in memory; 0 with TOPDOWN_READ_MAPPED
 * @records: address of room for @nr_records records, written in the order of
 *	the CPU numbers; 0 with TOPDOWN_READ_MAPPED
 * @nr_records: on entry how many fit, 0 with TOPDOWN_READ_MAPPED; on return how many were
 *	written, or with EMSGSIZE how many are needed
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

#include "topdown_map.h"
#include "topdown_watch.h"
#include "topdown_session.h"
#include "topdown_owner.h"

#endif /* _UAPI_LINUX_TOPDOWN_H */
