/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only place that knows kernel versions.  The code is written for the newest kernel,
 * and each entry says which change it hides.  Supported: 6.1 and later.
 */
#ifndef TOPDOWN_COMPAT_H
#define TOPDOWN_COMPAT_H

#include <linux/cgroup.h>
#include <linux/context_tracking_state.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/pid.h>
#include <linux/string.h>
#include <linux/tick.h>
#include <linux/timer.h>
#include <linux/version.h>
#include <linux/workqueue.h>
#include <asm/msr.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#error "topdown needs Linux 6.1 or later"
#endif

/* The exports are for the modules of this tree.  A namespace is a string since 6.13. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define TD_NAMESPACE TOPDOWN
#else
#define TD_NAMESPACE "TOPDOWN"
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

/* del_timer() and del_timer_sync() were renamed in 6.2. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define timer_delete(timer) del_timer(timer)
#define timer_delete_sync(timer) del_timer_sync(timer)
#endif

/* Since 6.13 one function prepares an hrtimer. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *timer),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* kobj_type.get_ownership() takes a const kobject since 6.2. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define td_kobject_const
#else
#define td_kobject_const const
#endif

/* class.devnode() takes a const device since 6.2. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define td_device_const
#else
#define td_device_const const
#endif

/* Since 6.4 a class has no owner. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define td_compat_class_create(name) class_create(THIS_MODULE, name)
#else
#define td_compat_class_create(name) class_create(name)
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
 * The process of a pidfd, without a reference, or NULL if the file is no pidfd.  pidfd_pid()
 * is not exported, so the caller checks the result before it uses it.  Since 6.9 pidfds have a
 * file system of their own, if it is configured.  Otherwise they are anonymous inodes, whose
 * names only the kernel can choose.
 */
static inline struct pid *td_compat_pidfd_pid(const struct file *file)
{
	const struct inode *inode = file_inode(file);

#ifdef PID_FS_MAGIC
	if (inode->i_sb->s_magic == PID_FS_MAGIC)
		return inode->i_private;
#endif
	if (inode->i_sb->s_magic != ANON_INODE_FS_MAGIC ||
	    strcmp(file->f_path.dentry->d_name.name, "[pidfd]"))
		return NULL;
	return file->private_data;
}

/*
 * Is td_compat_idle_us() right?  From 7.0 on the kernel's account is not, and with nohz=off
 * there is none.  @cpu: any CPU.
 */
static inline bool td_compat_knows_idle(int cpu)
{
	return LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0) &&
	       get_cpu_idle_time_us(cpu, NULL) != -1ULL;
}

/*
 * How long a CPU has been idle, to the microsecond; a constant if the kernel does not know
 * that so well.  Newer kernels count idle time by ticks while the tick runs, and they
 * count interrupts of idle CPUs as idle time.
 */
static inline u64 td_compat_idle_us(int cpu)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
	return get_cpu_idle_time_us(cpu, NULL);
#else
	return 0;
#endif
}

/* The states of a CPU were renamed in 6.12. */
#ifndef CT_RCU_WATCHING
#define CT_RCU_WATCHING		RCU_DYNTICKS_IDX
#define CT_STATE_IDLE		CONTEXT_IDLE
#endif

/*
 * A number of the present sleep of a CPU: it changes when the CPU wakes up, if only for an
 * interrupt.  0 while the CPU is awake, and where the kernel has no such number.
 */
static inline unsigned int td_compat_sleep(int cpu)
{
#if defined(CONFIG_CONTEXT_TRACKING_IDLE) && !defined(CONFIG_RCU_DYNTICKS_TORTURE)
	unsigned int state = atomic_read_acquire(&per_cpu_ptr(&context_tracking, cpu)->state);

	if ((state & (CT_STATE_MASK | CT_RCU_WATCHING)) == CT_STATE_IDLE)
		return state;
#endif
	return 0;
}

/*
 * Where a PMU is that has siblings in groups of another PMU of the CPU.  Before 6.2 each kind
 * of PMU has a context, and a group is in one; perf warns of a second PMU there unless the CPUs
 * of a machine may differ.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define TD_COMPAT_HOOK_CONTEXT		perf_hw_context
#define TD_COMPAT_HOOK_CAPABILITIES	PERF_PMU_CAP_HETEROGENEOUS_CPUS
#else
#define TD_COMPAT_HOOK_CONTEXT		perf_invalid_context
#define TD_COMPAT_HOOK_CAPABILITIES	0
#endif

/*
 * Before 6.2 the context of a task points to the PMU of its first event until the task
 * exits, even if the PMU is gone by then.  When perf schedules the context in, it replaces
 * the pointer by the PMU that all PMUs of this kind share.  Do the same for a task that may
 * sleep until the module is gone.  @event: event of a task, just created.
 */
static inline void td_compat_event_unpin_pmu(const struct perf_event *event)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	struct perf_event_context *ctx = event->ctx;

	ctx->pmu = raw_cpu_ptr(ctx->pmu->pmu_cpu_context)->ctx.pmu;
#endif
}

/*
 * For events that users make or that tasks inherit: when the last event of @pmu is gone, no
 * context of its task may point to @pmu.  An event that has become part of a group of hardware
 * events has left the context in which it began.  @event: event of @pmu that is being destroyed.
 */
static inline void td_compat_event_forget_pmu(const struct perf_event *event,
					      const struct pmu *pmu)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	const struct task_struct *task = event->hw.target;
	struct perf_event_context *ctx;

	if (event->ctx && event->ctx->pmu == pmu)
		td_compat_event_unpin_pmu(event);
	if (!task)
		return;
	/* The context of a task that exits meanwhile is freed by RCU. */
	rcu_read_lock();
	ctx = READ_ONCE(task->perf_event_ctxp[perf_sw_context]);
	if (ctx && ctx->pmu == pmu)
		ctx->pmu = raw_cpu_ptr(pmu->pmu_cpu_context)->ctx.pmu;
	rcu_read_unlock();
#endif
}

/*
 * Has perf taken an event from its task for good?  The event's context then has the
 * constant TASK_TOMBSTONE as its task.  The constant is private to perf, and the same in
 * all versions.
 */
static inline bool td_compat_event_ended(const struct perf_event *event)
{
	/* Pairs with WRITE_ONCE() in perf_event_exit_task_context(). */
	return (long)READ_ONCE(event->ctx->task) == -1L;
}

/*
 * perf's time of an event that it has on this CPU, as of when perf last looked at the clock.
 * perf_event.tstamp is in this time.  Cgroups have a time of their own.  7.0 keeps guest
 * time apart.
 */
static inline u64 td_compat_event_time(const struct perf_event *event)
{
#ifdef CONFIG_CGROUP_PERF
	const struct perf_cgroup_info *info = event->cgrp ? this_cpu_ptr(event->cgrp->info) : NULL;
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
#ifdef CONFIG_CGROUP_PERF
	if (info)
		return info->time;
#endif
	return event->ctx->time;
#else
	u64 time = event->ctx->time.time, guests = event->ctx->timeguest.time;

#ifdef CONFIG_CGROUP_PERF
	if (info) {
		time = info->time.time;
		guests = info->timeguest.time;
	}
#endif
	return event->attr.exclude_guest ? time - guests : time;
#endif
}

/*
 * The pass of perf in which it schedules an event: equal for all events of a task that perf
 * schedules in, or out, one after the other, at a switch or in an interrupt.  Before each pass perf
 * takes the lock of the task's events and stamps the time of all of them, which nobody changes
 * until it lets the lock go.  So a pass is as long as perf has interrupts off, however slow the
 * CPU is, and the next one has another stamp, except where perf schedules a task's events out and
 * in again: 6.12 and later keep the stamp then.  follow.c tells these two apart by its empty list.
 * The stamp is local_clock() at the begin of the pass.  7.0 keeps it beside the time.  For events
 * of tasks that are not pinned, in add() and del(); elsewhere it only says whether perf is at it.
 */
static inline u64 td_compat_event_pass(const struct perf_event *event)
{
	/* Pairs with plain writes of one word. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
	return READ_ONCE(event->ctx->timestamp);
#else
	return READ_ONCE(event->ctx->time.stamp);
#endif
}

/*
 * The guest time of a CPU that perf does not count as running for events that exclude
 * guests: 7.0 keeps it apart.  On the event's CPU, interrupts off.
 */
static inline u64 td_compat_guest_apart(const struct perf_event *event)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 0, 0)
	return 0;
#else
	return event->ctx->timeguest.time;
#endif
}

/*
 * Choose the probe with the number of arguments that the tracepoint hrtimer_start has.  The
 * third argument came with 7.0, and in the middle of stable series.  So the compiler
 * compares the types, because the version does not decide.  Include trace/events/timer.h
 * before.
 */
#define TD_COMPAT_HRTIMER_START(two, three)						\
	__builtin_choose_expr(__builtin_types_compatible_p(typeof(trace_hrtimer_start),	\
							   void (struct hrtimer *,	\
								 enum hrtimer_mode)),	\
			      two, three)

/*
 * Find the state with which perf rotates the PMU of @leader, an event of this CPU: the context
 * of the running task or of the CPU if its events lack counters, and the rotation timer.  On
 * the CPU with interrupts off.  Before 6.2 each kind of PMU has a context; since then the
 * context has a pmu_ctx for each PMU.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
static inline struct perf_cpu_context *td_compat_mux_of(const struct perf_event *leader)
{
	return container_of(leader->ctx, struct perf_cpu_context, ctx);
}

static inline struct perf_event_context *
td_compat_starved_task(const struct perf_event *leader)
{
	struct perf_event_context *ctx = td_compat_mux_of(leader)->task_ctx;

	return ctx && ctx->rotate_necessary ? ctx : NULL;
}

static inline struct perf_event_context *
td_compat_starved_cpu(const struct perf_event *leader)
{
	return leader->ctx->rotate_necessary ? leader->ctx : NULL;
}

/* The context of the running task, if it has events of this PMU, lacking counters or not. */
static inline struct perf_event_context *td_compat_task(const struct perf_event *leader)
{
	return td_compat_mux_of(leader)->task_ctx;
}
#else
static inline struct perf_cpu_pmu_context *td_compat_mux_of(const struct perf_event *leader)
{
	return container_of(leader->pmu_ctx, struct perf_cpu_pmu_context, epc);
}

static inline struct perf_event_context *
td_compat_starved_task(const struct perf_event *leader)
{
	struct perf_event_pmu_context *task = td_compat_mux_of(leader)->task_epc;

	return task && task->rotate_necessary ? task->ctx : NULL;
}

static inline struct perf_event_context *
td_compat_starved_cpu(const struct perf_event *leader)
{
	return leader->pmu_ctx->rotate_necessary ? leader->ctx : NULL;
}

static inline struct perf_event_context *td_compat_task(const struct perf_event *leader)
{
	struct perf_event_pmu_context *task = td_compat_mux_of(leader)->task_epc;

	return task ? task->ctx : NULL;
}
#endif

/*
 * Has perf disabled the PMU of @leader on this CPU, to schedule its events?  At the end the
 * driver starts them, and then this is false already: see td_meter_settled().  The number of
 * reasons was moved in 6.15.
 */
static inline bool td_compat_scheduling(const struct perf_event *leader)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
	return *this_cpu_ptr(leader->pmu->pmu_disable_count);
#else
	return td_compat_mux_of(leader)->pmu_disable_count;
#endif
}

/*
 * May an NMI read PERF_METRICS?  Before upstream commit f9bdf1f95339 that enabled the PMU
 * again, inside the driver's own NMI.  Stable series that are not named here may lack it.
 */
static inline bool td_compat_metrics_in_nmi(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
	return true;
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 23) && \
	LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	return true;
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 134) && \
	LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	return true;
#else
	return false;
#endif
}

/* The time between two rotations, of one CPU and PMU. */
static inline u64 td_compat_mux_interval_ns(const struct perf_event *leader)
{
	/* Pairs with the plain store of a write to perf_event_mux_interval_ms. */
	return ktime_to_ns(READ_ONCE(td_compat_mux_of(leader)->hrtimer_interval));
}

static inline struct hrtimer *td_compat_mux(const struct perf_event *leader)
{
	return &td_compat_mux_of(leader)->hrtimer;
}

/* Events of cgroups are in the CPU's context, if the kernel is configured for them. */
#ifdef CONFIG_CGROUP_PERF
static inline bool td_compat_has_cgroups(const struct perf_event_context *ctx)
{
	return ctx->nr_cgroups;
}

static inline bool td_compat_is_cgroup(const struct perf_event *event)
{
	return event->cgrp;
}

/* Does a task of the event's cgroup run on this CPU?  Under the lock of its context. */
static inline bool td_compat_cgroup_runs(const struct perf_event *event)
{
	struct perf_cgroup *running =
		container_of(event->ctx, struct perf_cpu_context, ctx)->cgrp;

	return running && cgroup_is_descendant(running->css.cgroup, event->cgrp->css.cgroup);
}
#else
static inline bool td_compat_has_cgroups(const struct perf_event_context *ctx)
{
	return false;
}

static inline bool td_compat_is_cgroup(const struct perf_event *event)
{
	return false;
}

static inline bool td_compat_cgroup_runs(const struct perf_event *event)
{
	return false;
}
#endif

/*
 * Does a security module let the caller, who has CAP_PERFMON, count kernel mode?  Kernels in
 * between may export the function too, or have another argument.
 */
static inline int td_compat_allow_kernel(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
	return perf_allow_kernel();
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 117) && \
	LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	return perf_allow_kernel();
#else
	return 0;
#endif
}

/*
 * The cgroup of a task: in cgroup v2, or in the hierarchy of perf_event if v1 has one.  In v2 perf
 * knows only cgroups whose parent has a controller in use, so ask for the task's own.  NULL if
 * the kernel has no such cgroups.  Preemption off.
 */
static __always_inline struct cgroup *td_compat_cgroup(struct task_struct *task)
{
#ifdef CONFIG_CGROUP_PERF
	struct cgroup *cgroup = task_css(task, perf_event_cgrp_id)->cgroup;

	return cgroup->root == &cgrp_dfl_root ? task_css_set(task)->dfl_cgrp : cgroup;
#else
	return NULL;
#endif
}

static inline bool td_compat_has_cgroup_owners(void)
{
	return IS_ENABLED(CONFIG_CGROUP_PERF);
}

/* Since 6.10 a tracepoint remembers from where to copy a string. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
#define td_compat_assign_str(field, string)	__assign_str(field, string)
#else
#define td_compat_assign_str(field, string)	__assign_str(field)
#endif

/* system_wq and system_unbound_wq were renamed in 6.18; 7.x warns about the old names. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
#define td_compat_percpu_wq	system_wq
#define td_compat_unbound_wq	system_unbound_wq
#else
#define td_compat_percpu_wq	system_percpu_wq
#define td_compat_unbound_wq	system_dfl_wq
#endif

/*
 * Read a counter of this CPU.  The kernel's function goes through a hook for Xen, whose guests have
 * no PERF_METRICS, and has another name since 6.16.
 */
static __always_inline u64 td_compat_rdpmc(int counter)
{
	u64 count;

	/*
	 * It clears the upper halves.  Put the lower ones together here: compilers move them
	 * elsewhere before, which may take two instructions more.
	 */
	asm volatile("rdpmc; shl $32, %%rdx; or %%rdx, %%rax"
		     : "=a" (count) : "c" (counter) : "rdx", "cc");
	return count;
}

/*
 * Read a model-specific register of an online CPU; 0 or a negative errno.  The function with
 * 64 bits was renamed in 6.16.
 */
static inline int td_compat_rdmsr(unsigned int cpu, u32 msr, u64 *value)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
	return rdmsrl_safe_on_cpu(cpu, msr, value);
#else
	return rdmsrq_safe_on_cpu(cpu, msr, value);
#endif
}

/*
 * In the handler of a sample: does perf now stop the event until the next tick, because it had
 * too many samples (perf_event_max_sample_rate)?  The constant MAX_INTERRUPTS is private to
 * perf, and the same in all versions.
 */
static inline bool td_compat_throttled(const struct perf_event *event)
{
	return event->hw.interrupts == ~0ULL;
}

/* Since 6.3 a sample of PEBS has the retire latency. */
static inline bool td_compat_has_retire_latency(void)
{
	return LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0);
}

#endif /* TOPDOWN_COMPAT_H */
