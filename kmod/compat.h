/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only place that knows kernel versions.  The code is written for the
 * newest kernel; each entry says which change it hides.  Supported: 6.1 on.
 */
#ifndef TOPDOWN_COMPAT_H
#define TOPDOWN_COMPAT_H

#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/string.h>
#include <linux/tick.h>
#include <linux/timer.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "topdown needs Linux 6.1 or later"
#endif

/* cpuid_eax() has a header of its own since 6.16. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#include <asm/processor.h>
#else
#include <asm/cpuid/api.h>
#endif

/* from_timer() was renamed in 6.16. */
#ifndef timer_container_of
#define timer_container_of(var, callback_timer, timer_fieldname) \
	from_timer(var, callback_timer, timer_fieldname)
#endif

/* del_timer_sync() was renamed in 6.2. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define timer_delete_sync(timer) del_timer_sync(timer)
#endif

/* kobj_type.get_ownership() takes a const kobject since 6.2. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define td_kobject_const
#else
#define td_kobject_const const
#endif

/* vm_flags_set() and _clear() came in 6.3; before, mmap() may change the flags itself. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_set(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags &= ~flags;
}
#endif

/*
 * The process of a pidfd, with a reference, or NULL if the file is none.
 * pidfd_pid() is not exported.  Since 6.9 pidfds have a file system of their own,
 * if it is configured; others are anonymous inodes, which get their names from
 * the kernel alone.
 */
static inline struct pid *td_compat_pidfd_pid(const struct file *file)
{
	const struct inode *inode = file_inode(file);

#ifdef PID_FS_MAGIC
	if (inode->i_sb->s_magic == PID_FS_MAGIC)
		return get_pid(inode->i_private);
#endif
	if (inode->i_sb->s_magic != ANON_INODE_FS_MAGIC ||
	    strcmp(file->f_path.dentry->d_name.name, "[pidfd]"))
		return NULL;
	return get_pid(file->private_data);
}

/*
 * How long a CPU has been idle, to the microsecond, or a constant if that is not
 * known so well: newer kernels count idle time by ticks while the tick runs, and
 * interrupts of idle CPUs as idle time.
 */
static inline u64 td_compat_idle_us(int cpu)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
	return get_cpu_idle_time_us(cpu, NULL);
#else
	return 0;
#endif
}

/*
 * The clock of an event's context at @now of local_clock(), in which
 * perf_event.tstamp is kept; on the event's CPU, while the event is active.
 * 7.0 keeps the time of guests apart: with exclude_guest it does not count.
 */
static inline u64 td_compat_event_clock(struct perf_event *event, u64 now)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
	return now + READ_ONCE(event->ctx->timeoffset);
#else
	return now + READ_ONCE(event->ctx->time.offset) - event->ctx->timeguest.time;
#endif
}

/*
 * Has perf taken an event from its task for good?  The context of the event says so with
 * a constant of perf's own, TASK_TOMBSTONE, the same in all versions.
 */
static inline bool td_compat_event_ended(const struct perf_event *event)
{
	/* Pairs with WRITE_ONCE() in perf_event_exit_task_context(). */
	return (long)READ_ONCE(event->ctx->task) == -1L;
}

/*
 * The time that a CPU has spent in guests of which perf knows, so that it is not taken for
 * running where it is excluded: 7.0 keeps it apart.  On the event's CPU, interrupts off.
 */
static inline u64 td_compat_guest_apart(const struct perf_event *event)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
	return 0;
#else
	return event->ctx->timeguest.time;
#endif
}

#endif /* TOPDOWN_COMPAT_H */
