/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/topdown: owners, the slots of every process or of every cgroup at once.
 *
 * A part of linux/topdown.h, which has the numbers of the commands, the rules of growth and
 * the errors.  Include that one.
 *
 * TOPDOWN_OWNERS returns a descriptor of owners, and holds the account of owners on until the last
 * copy of it is closed.  Off, it costs nothing.  On, each switch to a task of another owner reads
 * the counters; a switch between tasks of one owner compares two words.  All holders share one
 * account, whose sums begin when the first one asks.  So a reader subtracts an earlier reading.
 *
 * All owners of a kind together, the idle task, OTHERS and ENDED included, have the slots of the
 * CPUs since then.  Interrupts count at whoever was interrupted.
 */
#ifndef _UAPI_LINUX_TOPDOWN_OWNER_H
#define _UAPI_LINUX_TOPDOWN_OWNER_H

#ifndef _UAPI_LINUX_TOPDOWN_H
#error "include <linux/topdown.h>"
#endif

/**
 * enum topdown_owners_kind - which owners a descriptor has
 *
 * @TOPDOWN_OWNERS_PROCESSES: processes, with all their threads; each thread of the kernel is one
 * @TOPDOWN_OWNERS_CGROUPS: cgroups: of version 2, or of the hierarchy that has perf_event.
 *	EOPNOTSUPP if the kernel lacks CONFIG_CGROUP_PERF
 */
enum topdown_owners_kind {
	TOPDOWN_OWNERS_PROCESSES	= 0,
	TOPDOWN_OWNERS_CGROUPS		= 1,
};

/**
 * struct topdown_owners - argument of TOPDOWN_OWNERS
 * @size: sizeof(struct topdown_owners) of the caller, at least 16
 * @flags: none yet: must be 0
 * @kind: enum topdown_owners_kind
 * @depth: cgroups: those below this level count at their ancestor of this level; 0: each cgroup
 *	down to level 31 counts by itself.  The root has level 0.  Processes: must be 0
 *
 * Needs the right to system-wide figures, as READ, and perf's even where the module's parameter
 * trust_device gives it.  The command returns the descriptor, which is closed at an execve()
 * (O_CLOEXEC).  It takes no command but TOPDOWN_OWNERS_READ.
 */
struct topdown_owners {
	__u32 size;
	__u32 flags;
	__u32 kind;
	__u32 depth;
};

/*
 * Sums of a process stay for at least so long after its end, then they are in ENDED; for less where
 * there are more than 12288 owners of the kind.
 */
#define TOPDOWN_OWNERS_KEEP_MS	10000

/* The name of an owner, with its NUL. */
#define TOPDOWN_OWNER_NAME_MAX	128

/**
 * enum topdown_owner_what - what an owner is
 *
 * @TOPDOWN_OWNER_WHAT_PROCESS: a process
 * @TOPDOWN_OWNER_WHAT_CGROUP: a cgroup
 * @TOPDOWN_OWNER_WHAT_IDLE: the idle tasks of all CPUs, with the interrupts that came meanwhile
 * @TOPDOWN_OWNER_WHAT_OTHERS: processes for which there was no room: there may be 16384 owners of a
 *	kind; and what owners had where reading the counters is dear, and their stay was not read.
 *	A cgroup without room is in the figures of its nearest ancestor that has it
 * @TOPDOWN_OWNER_WHAT_ENDED: processes that ended more than TOPDOWN_OWNERS_KEEP_MS ago, or less if
 *	there are more than 12288 owners of the kind
 */
enum topdown_owner_what {
	TOPDOWN_OWNER_WHAT_PROCESS	= 0,
	TOPDOWN_OWNER_WHAT_CGROUP	= 1,
	TOPDOWN_OWNER_WHAT_IDLE		= 2,
	TOPDOWN_OWNER_WHAT_OTHERS	= 3,
	TOPDOWN_OWNER_WHAT_ENDED	= 4,
};

/* topdown_owner.flags: the process has ended.  The name was longer than there is room. */
#define TOPDOWN_OWNER_EXITED	(1U << 0)
#define TOPDOWN_OWNER_CUT	(1U << 1)

/**
 * struct topdown_owner - what OWNERS_READ gives for one owner
 * @what: enum topdown_owner_what
 * @flags: TOPDOWN_OWNER_EXITED, TOPDOWN_OWNER_CUT
 * @id: process: its number (tgid) in the initial namespace; cgroup: its number, which is the inode
 *	of its directory and is not used again; otherwise 0
 * @parent: cgroup: number of its parent; 0 for the root, and for all others
 * @start_ns: process: when it started, CLOCK_BOOTTIME, of the initial time namespace.  With @id it
 *	names one process for ever
 * @level: cgroup: its level, 0 for the root
 * @depth: highest level of nodes in the figures: 2, 1, or 0 for none
 * @source: enum topdown_source
 * @__reserved: 0
 * @nodes: bit n: enum topdown_node n was counted in all of it
 * @switches: how often the owner got a CPU from another owner
 * @tree_switches: the same of all its tree
 * @name: name of the process, or last component of the cgroup's path, which is "" for the root.
 *	User space can choose it
 * @self: sums of the owner alone.  enabled_ns is its time on CPUs, and running_ns the part of it in
 *	which the CPU counted; busy_ns is 0.  Where reading the counters is dear, others may have
 *	slots and running_ns without time.  A cgroup that is removed leaves its own to its parent
 * @tree: cgroup: sums of it and of all below it, removed ones included, so it never falls and
 *	never jumps; others: as @self
 */
struct topdown_owner {
	__u32 what;
	__u32 flags;
	__aligned_u64 id;
	__aligned_u64 parent;
	__aligned_u64 start_ns;
	__u32 level;
	__u32 depth;
	__u32 source;
	__u32 __reserved;
	__aligned_u64 nodes;
	__aligned_u64 switches;
	__aligned_u64 tree_switches;
	char name[TOPDOWN_OWNER_NAME_MAX];
	struct topdown_figures self;
	struct topdown_figures tree;
};

/**
 * struct topdown_owners_read - argument of TOPDOWN_OWNERS_READ, of a descriptor of owners
 * @size: sizeof(struct topdown_owners_read) of the caller, at least 56
 * @flags: none yet: must be 0
 * @records: address of room for @nr_records records
 * @nr_records: on entry how many fit; on return how many were written, or with EMSGSIZE how many
 *	there are
 * @record_size: sizeof(struct topdown_owner) of the caller, at least 1000: the distance of the
 *	records in memory
 * @cursor: 0 for the first call.  On return 0 if all owners have been written, or what to give to
 *	the next call, which goes on after the last one written
 * @out_since_ns: when the sums began, CLOCK_BOOTTIME
 * @out_time_ns: until when they count, CLOCK_BOOTTIME
 * @out_nr_owners: how many owners there are
 * @__reserved: must be 0
 *
 * A call with @cursor 0 brings the sums up to date first, by an interrupt to each CPU that is not
 * idle, or ran anybody since the last such call.  Quiet (nohz_full) CPUs are never interrupted:
 * what ran there is in the sums up to a second and a period later, if they are collected as often.
 * Excluded CPUs (parameter cpus) give owners nothing, not even time, and are not interrupted.
 * An owner that goes between two calls of one round may be in neither.  Records of one call are of
 * one moment, and the parents of cgroups come before their children.
 * EMSGSIZE is the answer if there is not room for one.
 */
struct topdown_owners_read {
	__u32 size;
	__u32 flags;
	__aligned_u64 records;
	__u32 nr_records;
	__u32 record_size;
	__aligned_u64 cursor;
	__aligned_u64 out_since_ns;
	__aligned_u64 out_time_ns;
	__u32 out_nr_owners;
	__u32 __reserved;
};

#endif /* _UAPI_LINUX_TOPDOWN_OWNER_H */
