// SPDX-License-Identifier: GPL-2.0
/*
 * Standing aside: perf users come first.
 *
 * perf gives the counters to the groups of a CPU before those of a task, and takes
 * them away again for other groups of the CPU alone.  So a task whose events want
 * what our group has would never get it.
 *
 * When a group finds no counters perf starts the rotation timer of the CPU, and
 * hrtimers have a tracepoint.  The probe queues an irq_work, since perf holds its locks
 * there.  That one looks whether ours are the groups in the way, and queues a work that
 * disables them: perf has no other way to do that.  The task gets the counters when it
 * goes on.  After a while ours are enabled again, and if somebody still needs the
 * counters all of it begins again.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bug.h>
#include <linux/container_of.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/prio.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/tick.h>
#include <linux/timer.h>
#include <linux/tracepoint.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <trace/events/timer.h>

#include "aside.h"
#include "compat.h"
#include "meter.h"
#include "window.h"

/* So long others have the counters: with the wheel's slack, back within a second. */
#define TD_ASIDE_TIME		(HZ * 4 / 5)

/* Pauses in which we do not stand aside for a context that it was of no use to. */
#define TD_ASIDE_PATIENCE_MIN	HZ
#define TD_ASIDE_PATIENCE_MAX	(16 * HZ)

/* The most events of a context that are looked at, with its raw lock held. */
#define TD_ASIDE_LOOK_MAX	256

/* Numbers of counters from here on are those of fixed ones. */
#define TD_ASIDE_FIXED		32

/**
 * struct td_aside - whether the groups of a CPU stand aside for a perf user
 * @window: of the CPU; says whether they do now, and until when
 * @lock: keeps the meter, and the CPU online, if @ready; taken inside td_fit_mutex
 * @ready: there is a meter, and the CPU is online; under @lock
 * @wanted: somebody lacks what the groups have; on the CPU with interrupts off, as all
 *	up to @patience
 * @starving: somebody lacked counters while they were disabled
 * @helped: somebody had what was left
 * @user: the context of perf that they were disabled for; never followed, as the next
 * @hopeless: the context of perf that it was of no use to
 * @hopeless_until: when it is tried again, in jiffies
 * @patience: how long that was put off
 * @leave: disables the groups
 * @come_back: enables them
 * @timer: queues @come_back
 */
struct td_aside {
	struct td_window *window;
	struct mutex lock; /* the meter stays, and the CPU online */
	bool ready;

	bool wanted;
	bool starving;
	bool helped;
	const void *user;
	const void *hopeless;
	unsigned long hopeless_until;
	unsigned long patience;

	struct work_struct leave;
	struct work_struct come_back;
	struct timer_list timer;
};

static DEFINE_PER_CPU(struct td_aside, td_asides);

enum td_aside_policy {
	TD_ASIDE_TASKS,
	TD_ASIDE_ALL,
	TD_ASIDE_NEVER,
};

static const char * const td_aside_policies[] = {
	[TD_ASIDE_TASKS]	= "tasks",
	[TD_ASIDE_ALL]		= "all",
	[TD_ASIDE_NEVER]	= "never",
};

static enum td_aside_policy td_aside_policy = TD_ASIDE_TASKS;

static int td_aside_param_set(const char *text, const struct kernel_param *param)
{
	int policy = sysfs_match_string(td_aside_policies, text);

	if (policy < 0) {
		pr_err("aside is not tasks, all or never\n");
		return policy;
	}
	td_aside_policy = policy;
	return 0;
}

static int td_aside_param_get(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%s\n", td_aside_policies[td_aside_policy]);
}

static const struct kernel_param_ops td_aside_param_ops = {
	.set = td_aside_param_set,
	.get = td_aside_param_get,
};
module_param_cb(aside, &td_aside_param_ops, NULL, 0444);
MODULE_PARM_DESC(aside, "For whom the counters of a CPU are left at once: tasks: perf users who count tasks or cgroups; all: those who count whole CPUs too; never: share by rotation alone (default: tasks)");

/* The rotation timer that is waited for: each hrtimer that is started is compared. */
static DEFINE_PER_CPU(const struct hrtimer *, td_aside_mux);

static struct tracepoint *td_aside_tracepoint;
static bool td_aside_registered;

/* May the event be scheduled on this CPU, by our PMU? */
static bool td_aside_here(const struct td_window *window, const struct perf_event *event)
{
	return event->pmu == td_meter_leader(window->meter)->pmu &&
	       (event->cpu == -1 || event->cpu == window->cpu);
}

/* Does it wait for counters?  Siblings of a leader that is disabled do not. */
static bool td_aside_waits(const struct perf_event *event)
{
	return event->state == PERF_EVENT_STATE_INACTIVE &&
	       event->group_leader->state == PERF_EVENT_STATE_INACTIVE;
}

/* Has a task's event to wait for what our groups have? */
static bool td_aside_task_waits(const struct td_window *window, const struct perf_event *event)
{
	return td_aside_waits(event) && td_aside_here(window, event) &&
	       (td_meter_general(window->meter) || td_meter_fixed(window->meter, event));
}

/* The same for an event of the CPU, for whose user we stand aside. */
static bool td_aside_cpu_waits(const struct td_window *window, const struct perf_event *event)
{
	if (td_meter_owns(window->meter, event) || !td_aside_task_waits(window, event))
		return false;
	return td_compat_is_cgroup(event) ? td_compat_cgroup_runs(event) :
					    td_aside_policy == TD_ASIDE_ALL;
}

/* Has somebody who counts the CPU what a task wants, or will have it if we leave? */
static bool td_aside_rival(const struct td_window *window, const struct perf_event *event)
{
	return event->state >= PERF_EVENT_STATE_INACTIVE && !td_compat_is_cgroup(event) &&
	       td_aside_here(window, event) && td_meter_fixed(window->meter, event) &&
	       !td_meter_owns(window->meter, event);
}

/* Does the event have what may be that which we left? */
static bool td_aside_has(const struct td_window *window, const struct perf_event *event)
{
	if (event->state != PERF_EVENT_STATE_ACTIVE || !td_aside_here(window, event) ||
	    td_meter_owns(window->meter, event))
		return false;
	return td_meter_fixed(window->meter, event) ||
	       (td_meter_general(window->meter) && event->hw.idx < TD_ASIDE_FIXED);
}

typedef bool (*td_aside_test)(const struct td_window *window, const struct perf_event *event);

/* Is there such an event?  @many: what is said of contexts with very many events. */
static bool td_aside_any(const struct td_window *window, struct perf_event_context *ctx,
			 td_aside_test test, bool many)
{
	const struct perf_event *event;
	unsigned int n = 0;
	bool any = false;

	lockdep_assert_irqs_disabled();
	raw_spin_lock(&ctx->lock);
	list_for_each_entry(event, &ctx->event_list, event_entry) {
		any = n++ < TD_ASIDE_LOOK_MAX ? test(window, event) : many;
		if (any || n > TD_ASIDE_LOOK_MAX)
			break;
	}
	raw_spin_unlock(&ctx->lock);
	return any;
}

/* The context of the CPU, if events of it lack counters for whom we stand aside. */
static struct perf_event_context *td_aside_starved_cpu(const struct perf_event *leader)
{
	if (td_aside_policy != TD_ASIDE_ALL && !td_compat_has_cgroups(leader->ctx))
		return NULL;
	return td_compat_starved_cpu(leader);
}

/* The context of a user who lacks what our groups have, or NULL. */
static struct perf_event_context *td_aside_user(const struct td_window *window)
{
	const struct perf_event *leader = td_meter_leader(window->meter);
	struct perf_event_context *ctx;

	if (!td_meter_counting(window->meter))
		return NULL;
	ctx = td_compat_starved_task(leader);
	/* CPU-wide users come before tasks: it is not we who are in the way. */
	if (ctx && td_aside_any(window, ctx, td_aside_task_waits, true) &&
	    (td_meter_general(window->meter) ||
	     !td_aside_any(window, leader->ctx, td_aside_rival, false)))
		return ctx;
	ctx = td_aside_starved_cpu(leader);
	if (ctx && td_aside_any(window, ctx, td_aside_cpu_waits, true))
		return ctx;
	return NULL;
}

/*
 * On the CPU itself, so that the task gets the counters when it goes on.  A real-time
 * task would not let the work run, and one on a nohz_full CPU shall not be switched: the
 * work is done elsewhere, and perf gives out the counters at its next rotation.
 */
static void td_aside_queue(const struct td_window *window, struct work_struct *work)
{
	if (current->prio < MAX_RT_PRIO || tick_nohz_full_cpu(window->cpu))
		queue_work(td_compat_unbound_wq, work);
	else
		queue_work_on(window->cpu, system_highpri_wq, work);
}

/* While the groups stand aside: is that of any use, and is it over? */
static void td_aside_look_back(struct td_aside *aside)
{
	const struct td_window *window = aside->window;
	const struct perf_event *leader = td_meter_leader(window->meter);
	struct perf_event_context *ctx;

	if (time_after_eq(jiffies, window->back_at)) {
		td_aside_queue(window, &aside->come_back);
		return;
	}
	ctx = td_compat_starved_task(leader);
	if (!ctx)
		ctx = td_aside_starved_cpu(leader);
	if (!ctx || aside->helped)
		return;
	aside->starving = true;
	aside->helped = td_aside_any(window, ctx, td_aside_has, true);
}

/*
 * Soon after the rotation timer was started, on the CPU, without any lock.  The contexts
 * stay: to remove one from its CPU takes an interrupt of this CPU.
 */
static void td_aside_look(struct irq_work *work)
{
	struct td_window *window = container_of(work, struct td_window, look);
	struct td_aside *aside = this_cpu_ptr(&td_asides);
	const void *user;

	lockdep_assert_irqs_disabled();
	if (!this_cpu_read(td_aside_mux))
		return;
	if (window->away) {
		td_aside_look_back(aside);
		return;
	}
	user = td_aside_user(window);
	if (!user)
		return;
	if (user == aside->hopeless && time_before(jiffies, aside->hopeless_until))
		return;
	aside->user = user;
	aside->wanted = true;
	td_aside_queue(window, &aside->leave);
}

/* It is our CPU's rotation timer, and perf holds its locks. */
static noinline void td_aside_rotation(void)
{
	struct td_window *window = this_cpu_ptr(td_windows);
	const struct perf_event *leader = td_meter_leader(window->meter);

	if (window->away && this_cpu_read(td_asides.helped))
		return;
	if (td_compat_starved_task(leader) || td_aside_starved_cpu(leader))
		irq_work_queue(&window->look);
}

static __always_inline void td_aside_started(const struct hrtimer *timer)
{
	if (unlikely(timer == this_cpu_read(td_aside_mux)))
		td_aside_rotation();
}

static void notrace td_aside_probe2(void *data, struct hrtimer *timer, enum hrtimer_mode mode)
{
	td_aside_started(timer);
}

static void notrace td_aside_probe3(void *data, struct hrtimer *timer, enum hrtimer_mode mode,
				    bool was_armed)
{
	td_aside_started(timer);
}

#define td_aside_probe	TD_COMPAT_HRTIMER_START(td_aside_probe2, td_aside_probe3)

/* On the CPU with interrupts off. */
static void td_aside_go(void *arg)
{
	struct td_aside *aside = arg;
	struct td_window *window = aside->window;

	if (!aside->wanted)
		return;
	aside->starving = false;
	aside->helped = false;
	/* Pairs with READ_ONCE() in td_fit_room(), as all its writes. */
	WRITE_ONCE(window->away, true);
	window->back_at = jiffies + TD_ASIDE_TIME;
	mod_timer(&aside->timer, window->back_at);
	td_window_aside(window);
}

/* The same: was it of use? */
static void td_aside_stay(void *arg)
{
	struct td_aside *aside = arg;

	WRITE_ONCE(aside->window->away, false);
	aside->wanted = false;
	/* What was counted before is not what td_aside_resume() drops. */
	td_window_fold(aside->window, false);
	if (!aside->starving || aside->helped) {
		aside->hopeless = NULL;
		return;
	}
	if (aside->user == aside->hopeless)
		aside->patience = min_t(unsigned long, aside->patience * 2,
					TD_ASIDE_PATIENCE_MAX);
	else
		aside->patience = TD_ASIDE_PATIENCE_MIN;
	aside->hopeless = aside->user;
	aside->hopeless_until = jiffies + aside->patience;
}

/* The same: the groups have just been enabled. */
static void td_aside_resume(void *arg)
{
	const struct td_aside *aside = arg;
	struct td_meter *meter = aside->window->meter;

	meter->ops->resume(meter, local_clock());
}

/* The CPU is online: its teardown waits for the lock. */
static void td_aside_call(struct td_aside *aside, smp_call_func_t func)
{
	lockdep_assert_held(&aside->lock);
	WARN_ON_ONCE(smp_call_function_single(aside->window->cpu, func, aside, 1));
}

static void td_aside_leave(struct work_struct *work)
{
	struct td_aside *aside = container_of(work, struct td_aside, leave);
	const struct td_window *window = aside->window;

	mutex_lock(&aside->lock);
	if (aside->ready && !window->away) {
		td_aside_call(aside, td_aside_go);
		if (window->away)
			td_meter_disable(window->meter);
	}
	mutex_unlock(&aside->lock);
}

static void td_aside_come_back(struct work_struct *work)
{
	struct td_aside *aside = container_of(work, struct td_aside, come_back);
	const struct td_window *window = aside->window;

	mutex_lock(&aside->lock);
	if (aside->ready && window->away) {
		td_aside_call(aside, td_aside_stay);
		td_meter_enable(window->meter);
		td_aside_call(aside, td_aside_resume);
	}
	mutex_unlock(&aside->lock);
}

static void td_aside_timer(struct timer_list *timer)
{
	struct td_aside *aside = timer_container_of(aside, timer, timer);

	td_aside_queue(aside->window, &aside->come_back);
}

/* On the CPU with interrupts off. */
static void td_aside_watch(void *arg)
{
	const struct td_aside *aside = arg;

	this_cpu_write(td_aside_mux, td_compat_mux(td_meter_leader(aside->window->meter)));
}

/* The same; nothing queues the irq_work from now on. */
static void td_aside_forget(void *arg)
{
	struct td_aside *aside = arg;

	this_cpu_write(td_aside_mux, NULL);
	WRITE_ONCE(aside->window->away, false);
	aside->wanted = false;
	aside->hopeless = NULL;
}

static struct td_aside *td_aside_of(const struct td_window *window)
{
	return per_cpu_ptr(&td_asides, window->cpu);
}

/**
 * td_aside_begin() - look from now on whether somebody lacks what the groups have
 * @window: its window, which has a meter; under td_fit_mutex
 */
void td_aside_begin(struct td_window *window)
{
	struct td_aside *aside = td_aside_of(window);

	mutex_lock(&aside->lock);
	td_aside_call(aside, td_aside_watch);
	aside->ready = true;
	mutex_unlock(&aside->lock);
}

/**
 * td_aside_end() - leave the groups alone, since they will be released
 * @window: its window; under td_fit_mutex; its CPU is online
 *
 * They may be left disabled.  A work that is still queued finds nothing to do.
 */
void td_aside_end(struct td_window *window)
{
	struct td_aside *aside = td_aside_of(window);

	mutex_lock(&aside->lock);
	aside->ready = false;
	td_aside_call(aside, td_aside_forget);
	irq_work_sync(&window->look);
	timer_delete_sync(&aside->timer);
	mutex_unlock(&aside->lock);
}

/**
 * td_aside_setup() - prepare the window of a CPU that is not measured yet
 * @window: zeroed, but for its cpu
 */
void td_aside_setup(struct td_window *window)
{
	struct td_aside *aside = td_aside_of(window);
	/* As the window's own timer: a deferrable one would not fire on a busy nohz_full CPU. */
	unsigned int flags = tick_nohz_full_cpu(window->cpu) ? 0 : TIMER_DEFERRABLE;

	aside->window = window;
	mutex_init(&aside->lock);
	window->look = IRQ_WORK_INIT_HARD(td_aside_look);
	INIT_WORK(&aside->leave, td_aside_leave);
	INIT_WORK(&aside->come_back, td_aside_come_back);
	timer_setup(&aside->timer, td_aside_timer, TIMER_PINNED | flags);
}

/**
 * td_aside_cleanup() - undo td_aside_setup()
 * @window: has no meter any more
 */
void td_aside_cleanup(struct td_window *window)
{
	struct td_aside *aside = td_aside_of(window);

	cancel_work_sync(&aside->leave);
	cancel_work_sync(&aside->come_back);
	mutex_destroy(&aside->lock);
}

/**
 * td_aside_info() - for whom the module stands aside
 *
 * Return: TOPDOWN_INFO_ASIDE and TOPDOWN_INFO_ASIDE_ALL, as far as they apply.
 */
u32 td_aside_info(void)
{
	if (!td_aside_registered)
		return 0;
	return TOPDOWN_INFO_ASIDE |
	       (td_aside_policy == TD_ASIDE_ALL ? TOPDOWN_INFO_ASIDE_ALL : 0);
}

static void td_aside_find(struct tracepoint *tracepoint, void *data)
{
	if (!strcmp(tracepoint->name, "hrtimer_start"))
		td_aside_tracepoint = tracepoint;
}

/**
 * td_aside_init() - hear from now on of perf's rotation timers
 *
 * Where the kernel lacks the tracepoint the counters are shared by rotation.
 *
 * Return: 0, or a negative errno from registering the probe.
 */
int td_aside_init(void)
{
	int ret;

	/* The compiler compares what is called with what the kernel calls. */
	check_trace_callback_type_hrtimer_start(td_aside_probe);

	if (td_aside_policy == TD_ASIDE_NEVER || td_meter_pinned())
		return 0;
	for_each_kernel_tracepoint(td_aside_find, NULL);
	if (!td_aside_tracepoint) {
		pr_warn("no tracepoint hrtimer_start: the counters are shared by rotation alone, and perf users who count tasks may get <not counted>\n");
		return 0;
	}
	ret = tracepoint_probe_register(td_aside_tracepoint, td_aside_probe, NULL);
	td_aside_registered = !ret;
	return ret;
}

/**
 * td_aside_exit() - undo td_aside_init(); the windows are still there
 */
void td_aside_exit(void)
{
	if (!td_aside_registered)
		return;
	WARN_ON_ONCE(tracepoint_probe_unregister(td_aside_tracepoint, td_aside_probe, NULL));
	/* Nobody is in the probe afterwards. */
	tracepoint_synchronize_unregister();
	td_aside_registered = false;
}
