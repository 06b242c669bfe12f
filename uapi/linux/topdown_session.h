/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/topdown: sessions, which count the slots of tasks instead of CPUs.
 *
 * A part of linux/topdown.h, which has the numbers of the commands, the rules of growth and
 * the errors.  Include that one.
 */
#ifndef _UAPI_LINUX_TOPDOWN_SESSION_H
#define _UAPI_LINUX_TOPDOWN_SESSION_H

#ifndef _UAPI_LINUX_TOPDOWN_H
#error "include <linux/topdown.h>"
#endif

/* @pid is a thread: count only this one, not the threads that it starts. */
#define TOPDOWN_ATTACH_THREAD	(1U << 0)
/* Also count processes forked from now on; not with _THREAD. */
#define TOPDOWN_ATTACH_CHILDREN	(1U << 1)
/* @pid is a pidfd; not with _THREAD. */
#define TOPDOWN_ATTACH_PIDFD	(1U << 2)
/* Count nothing until TOPDOWN_CONTROL_ENABLE. */
#define TOPDOWN_ATTACH_DISABLED	(1U << 3)
/*
 * Only with _DISABLED: the session is enabled when one of its tasks executes a program, unless
 * TOPDOWN_CONTROL_ENABLE or _DISABLE came first.  It is meant for a session of one thread: of
 * other threads that run then, up to one period before the execve() is counted too.
 */
#define TOPDOWN_ATTACH_ON_EXEC	(1U << 4)

/**
 * struct topdown_attach - argument of TOPDOWN_ATTACH: make a session
 * @size: sizeof(struct topdown_attach) of the caller, at least 16
 * @flags: TOPDOWN_ATTACH_*
 * @pid: process (with TOPDOWN_ATTACH_THREAD thread) in the caller's pid
 *	namespace, or a pidfd; 0 for the calling process or thread
 * @__reserved: must be 0
 *
 * The ioctl returns a new descriptor of the session, which is closed at an execve() (O_CLOEXEC).
 * TOPDOWN_SESSION, TOPDOWN_CONTROL, poll() and mmap() are for this descriptor.
 *
 * A session counts the slots of its tasks from now on: all threads of the process, and those
 * that it will start.  It ends when the last copy of its descriptor is closed, whether or not it
 * is mapped.  It does not depend on the device, which may be closed.  A process that could open
 * the device may follow its own threads, and what they start.  To follow other processes, the
 * process that calls ATTACH needs CAP_PERFMON.  Kernel mode of the tasks is counted too.  CPUs
 * that run these tasks are interrupted.  The first session after a pause of some seconds, and the
 * end of the last one, make perf patch the text of the kernel, which interrupts every CPU a few
 * times.
 *
 * perf follows the tasks, by its rules: a new task inherits the sessions of the task that made
 * it.  A task counts until shortly before it is gone, which is before any process can wait for
 * it.
 */
struct topdown_attach {
	__u32 size;
	__u32 flags;
	__s32 pid;
	__u32 __reserved;
};

/**
 * enum topdown_session_state - what has become of a session
 *
 * @TOPDOWN_SESSION_STATE_RUNNING: it counts
 * @TOPDOWN_SESSION_STATE_DISABLED: it does not count until it is enabled
 * @TOPDOWN_SESSION_STATE_EXITED: the last of its tasks has exited or dropped out; the figures stay
 * @TOPDOWN_SESSION_STATE_ENDED: its tasks made more tasks than the sessions of its user may follow,
 *	see ENOSPC, so no task is followed any more.  The figures stay, except for what the tasks
 *	ran since they were last counted
 * @TOPDOWN_SESSION_STATE_DETACHED: its descriptor was closed before it was EXITED or ENDED, and so
 *	it has ended.  Views and maps say so.  The figures stay there, except for what tasks on
 *	nohz_full CPUs ran since they were last counted
 */
enum topdown_session_state {
	TOPDOWN_SESSION_STATE_RUNNING		= 0,
	TOPDOWN_SESSION_STATE_DISABLED		= 1,
	TOPDOWN_SESSION_STATE_EXITED		= 2,
	TOPDOWN_SESSION_STATE_ENDED		= 3,
	TOPDOWN_SESSION_STATE_DETACHED		= 4,
};

/*
 * Count until now, by one inter-processor interrupt to each CPU that runs a task of the session,
 * except nohz_full CPUs.  Without this flag no CPU is interrupted, and up to one period of a task
 * that runs now is not in the figures yet.
 */
#define TOPDOWN_SESSION_FRESH	(1U << 0)

/*
 * topdown_session.out_flags: not every task is followed.  Tasks have dropped out (out_dropped), or
 * a thread that began during ATTACH is not followed: for want of memory, by the limit of ENOSPC, as
 * it executed another program within some 100 ms, as all others had exited by then, or as the
 * process made threads faster than they were found.  The flag may come these 100 ms after ATTACH.
 */
#define TOPDOWN_SESSION_OUT_INCOMPLETE	(1U << 0)

/**
 * struct topdown_session_kind - the part of a session on one kind of core
 * @kind: enum topdown_kind
 * @level: level of the figures, the lowest of the CPUs that they are from; 0 for none
 * @source: enum topdown_source of the figures
 * @__reserved: 0
 * @nodes: as topdown_session.out_nodes
 * @switches: as topdown_session.out_switches
 * @merged_ns: as topdown_session.out_merged_ns
 * @figures: as topdown_session.out_figures, of the time on CPUs of this kind
 */
struct topdown_session_kind {
	__u32 kind;
	__u32 level;
	__u32 source;
	__u32 __reserved;
	__aligned_u64 nodes;
	__aligned_u64 switches;
	__aligned_u64 merged_ns;
	struct topdown_figures figures;
};

/**
 * struct topdown_session - argument of TOPDOWN_SESSION: read the session of this descriptor
 * @size: sizeof(struct topdown_session) of the caller, at least 496
 * @flags: TOPDOWN_SESSION_FRESH
 * @kinds: address of room for @nr_kinds structs topdown_session_kind, one for each kind of core
 *	by its number; or 0 for no such figures
 * @nr_kinds: on entry how many fit; on return how many were written, those with the lowest
 *	numbers; 0 if @kinds is 0.  A kind that the machine has not, or the tasks never ran on,
 *	has no slots
 * @kind_size: sizeof(struct topdown_session_kind) of the caller, at least 440: the distance of the
 *	kinds in memory; 0 if @kinds is 0
 * @out_state: enum topdown_session_state
 * @out_flags: TOPDOWN_SESSION_OUT_INCOMPLETE
 * @out_tasks: tasks that are followed now
 * @out_dropped: tasks that dropped out, as they gained rights by executing a program (set-uid and
 *	the like), or executed one that they may not read.  From the execve() on neither they
 *	nor the tasks that they make are followed
 * @out_source: enum topdown_source of the figures; TOPDOWN_SOURCE_MIXED if the tasks
 *	were on CPUs that differ in it
 * @out_level: level of the figures, the lowest of the CPUs that they are from; 0 for none.
 *	It never rises again: for a span of its own subtract two readings, and compare their
 *	topdown_figures.children_slots with their slots
 * @out_nr_kinds: how many kinds the module knows, also if @kinds is 0
 * @__reserved: 0
 * @out_serial: number of the session, which no other has had since the module was loaded, in no
 *	order; never 0, and at most 2^52.  The same in its map, in /proc/PID/fdinfo and in the
 *	trace event topdown_session
 * @out_nodes: as topdown_record.nodes: the nodes that all of @out_figures have
 * @out_time_ns: when the session was read, CLOCK_MONOTONIC
 * @out_switches: how often its tasks were given a CPU, as perf sees it.  Two tasks that follow
 *	each other may count once.  A task that goes on may count twice when perf schedules
 *	its events again
 * @out_merged_ns: the part of the on-CPU time that was not measured because the tasks of a CPU
 *	followed each other too fast for a guest whose hypervisor emulates the counters; 0
 *	elsewhere.  Whole times on a CPU are left out at random, so that the rest is a fair
 *	sample
 * @out_figures: the figures since the session was made.  enabled_ns is the time its tasks were on
 *	CPUs while the session was enabled, running_ns the part of it that was measured.  The rest
 *	was merged, or others had the counter, or the CPU cannot be measured
 */
struct topdown_session {
	__u32 size;
	__u32 flags;
	__aligned_u64 kinds;
	__u32 nr_kinds;
	__u32 kind_size;
	__u32 out_state;
	__u32 out_flags;
	__u32 out_tasks;
	__u32 out_dropped;
	__u32 out_source;
	__u32 out_level;
	__u32 out_nr_kinds;
	__u32 __reserved;
	__aligned_u64 out_serial;
	__aligned_u64 out_nodes;
	__aligned_u64 out_time_ns;
	__aligned_u64 out_switches;
	__aligned_u64 out_merged_ns;
	struct topdown_figures out_figures;
};

/* topdown_session_map.magic: "session" and a zero, little endian. */
#define TOPDOWN_SESSION_MAP_MAGIC	0x006e6f6973736573ULL

/**
 * struct topdown_share - what a session was credited with on one CPU
 * @seq: odd while the CPU writes; each write changes it
 * @source: enum topdown_source of the figures
 * @level: lowest level of the figures; 0 for none yet
 * @kind: enum topdown_kind of the CPU, once it has credited the session
 * @nodes: as topdown_record.nodes: the nodes that all the figures have
 * @switches: as topdown_session.out_switches
 * @merged_ns: as topdown_session.out_merged_ns
 * @sums: as topdown_session.out_figures
 */
struct topdown_share {
	__u32 seq;
	__u32 source;
	__u32 level;
	__u32 kind;
	__aligned_u64 nodes;
	__aligned_u64 switches;
	__aligned_u64 merged_ns;
	struct topdown_sums sums;
};

/**
 * struct topdown_session_map - the start of what mmap() of a session's descriptor gives
 * @magic: TOPDOWN_SESSION_MAP_MAGIC
 * @size: bytes in all: topdown_info.out_session_map_size
 * @header_size: sizeof(struct topdown_session_map) of the kernel
 * @nr_cpus: CPUs that have a share: one more than the highest number
 * @share_offset: bytes from the start to the share of CPU 0
 * @share_stride: bytes from one CPU's share to the next
 * @share_size: sizeof(struct topdown_share) of the kernel
 * @serial: as topdown_session.out_serial
 * @nr_kinds: the kinds of all shares are below
 * @seq: odd while the fields after it are being written
 * @state: as topdown_session.out_state
 * @flags: as topdown_session.out_flags
 * @tasks: as topdown_session.out_tasks
 * @dropped: as topdown_session.out_dropped
 *
 * Map it read-only (PROT_READ, MAP_SHARED, offset 0), also from a view.  One page has this header,
 * @size bytes have everything.  A map stays when all descriptors are closed, and does not keep the
 * session from ending.  The sum of the shares is what TOPDOWN_SESSION without _FRESH gives: for
 * each kind, and for all kinds together, including kinds that the reader does not know.  The level
 * is the lowest of the shares that have one; the source is theirs; the nodes are those that all of
 * them have.
 *
 * Copy the fields from @state on under @seq, then each share under its own seq, with the loop of
 * struct topdown_map_record.  After EXITED nothing is added.  So in this order the figures of a
 * session that has exited are the final ones.
 */
struct topdown_session_map {
	__aligned_u64 magic;
	__aligned_u64 size;
	__u32 header_size;
	__u32 nr_cpus;
	__aligned_u64 share_offset;
	__u32 share_stride;
	__u32 share_size;
	__aligned_u64 serial;
	__u32 nr_kinds;
	__u32 seq;
	__u32 state;
	__u32 flags;
	__u32 tasks;
	__u32 dropped;
};

/**
 * enum topdown_control_action - what TOPDOWN_CONTROL does
 *
 * @TOPDOWN_CONTROL_ENABLE: count from now on
 * @TOPDOWN_CONTROL_DISABLE: count nothing from now on
 * @TOPDOWN_CONTROL_VIEW: make a view: the ioctl returns another descriptor (O_CLOEXEC) of the
 *	session, which is open for reading only.  Whoever has it can read the session, also
 *	freshly, wait for its end and map it, but not control it or keep it from ending.  Until
 *	all views and maps are gone the session counts in the limits of ENOSPC
 */
enum topdown_control_action {
	TOPDOWN_CONTROL_ENABLE		= 0,
	TOPDOWN_CONTROL_DISABLE		= 1,
	TOPDOWN_CONTROL_VIEW		= 2,
};

/**
 * struct topdown_control - argument of TOPDOWN_CONTROL: control the session of this descriptor
 * @size: sizeof(struct topdown_control) of the caller, at least 16
 * @flags: none yet: must be 0
 * @action: enum topdown_control_action
 * @__reserved: must be 0
 *
 * ENABLE and DISABLE are exact to the moment: tasks that run now are counted first, except
 * those on nohz_full CPUs.
 */
struct topdown_control {
	__u32 size;
	__u32 flags;
	__u32 action;
	__u32 __reserved;
};

#endif /* _UAPI_LINUX_TOPDOWN_SESSION_H */
