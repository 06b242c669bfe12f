/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only place that knows kernel versions.  The code is written for the
 * newest kernel; each entry says which change it hides.  Supported: 6.1 on.
 */
#ifndef TOPDOWN_COMPAT_H
#define TOPDOWN_COMPAT_H

#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/timer.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "topdown needs Linux 6.1 or later"
#endif

/* from_timer() was renamed in 6.16. */
#ifndef timer_container_of
#define timer_container_of(var, callback_timer, timer_fieldname) \
	from_timer(var, callback_timer, timer_fieldname)
#endif

/* kobj_type.get_ownership() takes a const kobject since 6.2. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define td_kobject_const
#else
#define td_kobject_const const
#endif

/* vm_flags_clear() came in 6.3; before, mmap() may change the flags itself. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags &= ~flags;
}
#endif

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

#endif /* TOPDOWN_COMPAT_H */
