// SPDX-License-Identifier: GPL-2.0
/*
 * Standing aside: perf users come first.
 *
 * perf serves the groups of a CPU before the groups of a task, and rotates them only with
 * other groups of the CPU.  So a task whose events need our counters would never get them.
 *
 * When a group finds no counters, perf starts the rotation timer of the CPU, and hrtimers
 * have a tracepoint.  If our own groups take turns the timer runs already.  Then two other
 * tracepoints do the same: a switch to a task that has events, and an exec, which may
 * enable events.
 *
 * The probe queues an irq_work, because perf holds its locks in the probe.  The irq_work
 * checks that our groups are in the way (starved.c), and queues a work that disables them,
 * which needs process context.  The task gets the counters when it runs again.  Our groups
 * are enabled again after TD_ASIDE_TIME.  If somebody still needs the counters, all of this
 * repeats.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bug.h>
#include <linux/container_of.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
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
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/tick.h>
#include <linux/timer.h>
#include <linux/tracepoint.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <trace/events/sched.h>
#include <trace/events/timer.h>

#include "aside.h"
#include "compat.h"
#include "cycles.h"
#include "latency.h"
#include "meter.h"
#include "starved.h"
#include "window.h"

/* Stand aside for this long.  With the slack of the timer wheel that is within a second. */
#define TD_ASIDE_TIME		(HZ * 4 / 5)

/* Delays before we stand aside again for a context that it did not help. */
#define TD_ASIDE_PATIENCE_MIN	HZ
#define TD_ASIDE_PATIENCE_MAX	(16 * HZ)

/**
 * struct td_aside - whether the groups of a CPU stand aside for a perf user
 * @collector: collector of the CPU; its @away and @back_at say whether the groups are
 *	disabled, and until when
 * @lock: keeps the meter, and the CPU online, while @ready; taken inside td_fit_mutex
 * @ready: the CPU has a meter and is online; under @lock
 * @wanted: a perf user lacks counters that the groups have; used on the CPU with
 *	interrupts off, as all fields up to @looked
 * @starving: a perf user lacked counters while the groups were disabled
 * @helped: a perf user had counters that the groups left
 * @user: perf's context for which the groups were disabled; only compared
 * @hopeless: perf's context that standing aside did not help; only compared
 * @hopeless_until: when to stand aside for @hopeless again, in jiffies
 * @patience: the last delay before that
 * @due: the next look is for the groups, too, and not only for the sampler
 * @looked: when a switch to a task last queued a look, in jiffies
 * @leave: disables the groups
 * @come_back: enables the groups
 * @timer: queues @come_back
 */
struct td_aside {
	struct td_collector *collector;
	struct mutex lock; /* the meter stays, and the CPU online */
	bool ready;

	bool wanted;
	bool starving;
	bool helped;
	const void *user;
	const void *hopeless;
	unsigned long hopeless_until;
	unsigned long patience;
	bool due;
	unsigned long looked;

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

/* Do we stand aside also for perf users who count whole CPUs? */
static bool td_aside_all(void)
{
	return td_aside_policy == TD_ASIDE_ALL;
}

static int td_aside_param_set(const char *text, const struct kernel_param *param)
{
	int policy = sysfs_match_string(td_aside_policies, text);

	if (policy < 0) {
		pr_err("aside must be tasks, all or never\n");
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
MODULE_PARM_DESC(aside, "Perf users who get the counters of a CPU at once if they lack them: tasks: those who count tasks or cgroups; all: also those who count whole CPUs; never: none, share by rotation alone (default: tasks)");

/* perf's rotation timer of this CPU; the probe compares each hrtimer that starts with it. */
static DEFINE_PER_CPU(const struct hrtimer *, td_aside_mux);

static struct tracepoint *td_aside_tracepoint;
static bool td_aside_registered;

/*
 * Probes of the scheduler, from the first CPU on whose groups take turns.  To register one
 * takes the CPU hotplug lock, which hotplug holds while it waits for td_fit_mutex, so a work
 * does it without either.  The mutex protects td_aside_switches and changes of
 * td_aside_registered; no hotplug callback takes it.
 */
static DEFINE_MUTEX(td_aside_probes);
static struct tracepoint *td_aside_switch;
static struct tracepoint *td_aside_exec;
static bool td_aside_turns;
static bool td_aside_switches;

/*
 * Queue the work on the CPU itself, so that the task gets the counters when it runs again.
 * But a real-time task would not let the work run, and a task on a nohz_full CPU must not be
 * interrupted by a switch.  Then the work runs elsewhere, and perf gives out the counters at
 * its next rotation.
 */
static void td_aside_queue(const struct td_collector *collector, struct work_struct *work)
{
	if (current->prio < MAX_RT_PRIO || tick_nohz_full_cpu(collector->cpu))
		queue_work(td_compat_unbound_wq, work);
	else
		queue_work_on(collector->cpu, system_highpri_wq, work);
}

/* While the groups stand aside: does it help anybody, and is the time over? */
static void td_aside_look_back(struct td_aside *aside)
{
	const struct td_collector *collector = aside->collector;
	struct perf_event_context *ctx;

	if (time_after_eq(jiffies, collector->back_at)) {
		td_aside_queue(collector, &aside->come_back);
		return;
	}
	ctx = td_starved_context(collector->meter, td_aside_all());
	if (!ctx || aside->helped)
		return;
	aside->starving = true;
	aside->helped = td_starved_helped(collector->meter, ctx);
}

/*
 * The irq_work: on the CPU, soon after the rotation timer started, without any lock.  No
 * context goes away meanwhile, because its removal needs an interrupt of this CPU.
 */
static void td_aside_look(struct irq_work *work)
{
	struct td_collector *collector = container_of(work, struct td_collector, look);
	struct td_aside *aside = this_cpu_ptr(&td_asides);
	const void *user;
	bool due;

	lockdep_assert_irqs_disabled();
	due = aside->due;
	aside->due = false;
	if (!this_cpu_read(td_aside_mux))
		return;
	/* If that is enough, nothing else need stand aside. */
	if (td_latency_look(collector) || !due)
		return;
	if (collector->away) {
		td_aside_look_back(aside);
		return;
	}
	/* If that is enough for a user of general counters, the slots need not stand aside. */
	if (td_meter_general(collector->meter) && td_cycles_look(collector))
		return;
	user = td_starved_by(collector->meter, td_aside_all());
	if (!user || (user == aside->hopeless &&
		      time_before(jiffies, aside->hopeless_until))) {
		td_cycles_look(collector);
		return;
	}
	aside->user = user;
	aside->wanted = true;
	td_aside_queue(collector, &aside->leave);
}

/* Look at the groups, and at the sampler before them.  Interrupts off. */
static void td_aside_queue_look(struct td_collector *collector)
{
	this_cpu_write(td_asides.due, true);
	irq_work_queue(&collector->look);
}

/* Is it worth to look whether the groups are in the way, while perf rotates? */
static bool td_aside_due(const struct td_collector *collector)
{
	if (collector->away && this_cpu_read(td_asides.helped))
		return false;
	return td_starved_context(collector->meter, td_aside_all()) ||
	       (td_starved_context(collector->meter, true) && td_cycles_due(collector));
}

/* The rotation timer of this CPU starts, and perf holds its locks. */
static noinline void td_aside_rotation(void)
{
	struct td_collector *collector = this_cpu_ptr(td_collectors);

	if (td_aside_due(collector))
		td_aside_queue_look(collector);
	else if (td_latency_due(collector))
		irq_work_queue(&collector->look);
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

/* Look at most once a jiffy, so that not each switch costs an interrupt. */
static noinline void td_aside_switched(void)
{
	struct td_collector *collector = this_cpu_ptr(td_collectors);

	if (collector->away || !time_after(jiffies, this_cpu_read(td_asides.looked)))
		return;
	this_cpu_write(td_asides.looked, jiffies);
	td_aside_queue_look(collector);
}

/*
 * Called before the switch.  Interrupts stay off until perf has given free counters to the
 * task, so the irq_work runs after that.
 */
static void notrace td_aside_probe_switch(void *data, bool preempt, struct task_struct *prev,
					  struct task_struct *next, unsigned int prev_state)
{
	if (unlikely(td_compat_has_events(next)) && this_cpu_read(td_aside_mux))
		td_aside_switched();
}

/* Called for the current task, after perf has enabled events that waited for the exec. */
static void notrace td_aside_probe_exec(void *data, struct task_struct *task, pid_t old_pid,
					struct linux_binprm *bprm)
{
	struct td_collector *collector;
	unsigned long flags;

	if (!td_compat_has_events(task))
		return;
	local_irq_save(flags);
	collector = this_cpu_ptr(td_collectors);
	if (this_cpu_read(td_aside_mux) && !collector->away)
		td_aside_queue_look(collector);
	local_irq_restore(flags);
}

#define td_aside_probe	TD_COMPAT_HRTIMER_START(td_aside_probe2, td_aside_probe3)

/* On the CPU with interrupts off. */
static void td_aside_go(void *arg)
{
	struct td_aside *aside = arg;
	struct td_collector *collector = aside->collector;

	if (!aside->wanted)
		return;
	aside->starving = false;
	aside->helped = false;
	/* Pairs with READ_ONCE() in td_fit_room(), as all its writes. */
	WRITE_ONCE(collector->away, true);
	collector->back_at = jiffies + TD_ASIDE_TIME;
	mod_timer(&aside->timer, collector->back_at);
	td_window_aside(collector);
}

/* On the CPU with interrupts off: the time is over, and did it help? */
static void td_aside_stay(void *arg)
{
	struct td_aside *aside = arg;

	WRITE_ONCE(aside->collector->away, false);
	aside->wanted = false;
	/* td_aside_resume() drops what is not folded, so fold first. */
	td_window_fold(aside->collector, false);
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

/* On the CPU with interrupts off: the groups have just been enabled. */
static void td_aside_resume(void *arg)
{
	const struct td_aside *aside = arg;
	struct td_meter *meter = aside->collector->meter;

	if (!meter->ops->resume)
		return;
	td_window_hold(aside->collector);
	meter->ops->resume(meter, local_clock());
	td_window_release(aside->collector);
}

/* The CPU is online, because its hotplug teardown waits for the lock. */
static void td_aside_call(struct td_aside *aside, smp_call_func_t func)
{
	lockdep_assert_held(&aside->lock);
	WARN_ON_ONCE(smp_call_function_single(aside->collector->cpu, func, aside, 1));
}

/*
 * On the CPU with interrupts off: the groups have just been disabled.  Those who were found
 * starving since td_aside_go() may have lacked what the groups still had.
 */
static void td_aside_gone(void *arg)
{
	struct td_aside *aside = arg;

	aside->starving = false;
}

static void td_aside_leave(struct work_struct *work)
{
	struct td_aside *aside = container_of(work, struct td_aside, leave);
	const struct td_collector *collector = aside->collector;

	mutex_lock(&aside->lock);
	if (aside->ready && !collector->away) {
		td_aside_call(aside, td_aside_go);
		if (collector->away) {
			td_meter_disable(collector->meter);
			td_cycles_pause(collector, true);
			td_aside_call(aside, td_aside_gone);
		}
	}
	mutex_unlock(&aside->lock);
}

static void td_aside_come_back(struct work_struct *work)
{
	struct td_aside *aside = container_of(work, struct td_aside, come_back);
	const struct td_collector *collector = aside->collector;

	mutex_lock(&aside->lock);
	if (aside->ready && collector->away) {
		td_aside_call(aside, td_aside_stay);
		td_meter_enable(collector->meter);
		td_cycles_pause(collector, false);
		td_aside_call(aside, td_aside_resume);
	}
	mutex_unlock(&aside->lock);
}

static void td_aside_timer(struct timer_list *timer)
{
	struct td_aside *aside = timer_container_of(aside, timer, timer);

	td_aside_queue(aside->collector, &aside->come_back);
}

/* On the CPU with interrupts off. */
static void td_aside_look_for(void *arg)
{
	const struct td_aside *aside = arg;

	this_cpu_write(td_aside_mux, td_compat_mux(td_meter_leader(aside->collector->meter)));
}

/* On the CPU with interrupts off.  Nothing queues the irq_work from now on. */
static void td_aside_forget(void *arg)
{
	struct td_aside *aside = arg;

	this_cpu_write(td_aside_mux, NULL);
	WRITE_ONCE(aside->collector->away, false);
	aside->wanted = false;
	aside->hopeless = NULL;
}

static struct td_aside *td_aside_of(const struct td_collector *collector)
{
	return per_cpu_ptr(&td_asides, collector->cpu);
}

/*
 * Register the probes of the scheduler if a CPU needs them, until the module is unloaded.  A
 * failure is no error: perf users then wait for the end of a turn.
 */
static void td_aside_probe_switches(struct work_struct *work)
{
	mutex_lock(&td_aside_probes);
	/* Pairs with WRITE_ONCE() in td_aside_begin(), which queues this again. */
	if (td_aside_switches || !READ_ONCE(td_aside_turns) || !td_aside_registered ||
	    !td_aside_switch || !td_aside_exec)
		goto unlock;
	if (tracepoint_probe_register(td_aside_switch, td_aside_probe_switch, NULL))
		goto unlock;
	td_aside_switches = !tracepoint_probe_register(td_aside_exec, td_aside_probe_exec, NULL);
	if (!td_aside_switches)
		tracepoint_probe_unregister(td_aside_switch, td_aside_probe_switch, NULL);
unlock:
	mutex_unlock(&td_aside_probes);
}

static DECLARE_WORK(td_aside_probe_work, td_aside_probe_switches);

/**
 * td_aside_begin() - look from now on for perf users who lack counters of the groups
 * @collector: collector of the CPU, which has a meter; under td_fit_mutex
 */
void td_aside_begin(struct td_collector *collector)
{
	struct td_aside *aside = td_aside_of(collector);

	mutex_lock(&aside->lock);
	td_aside_call(aside, td_aside_look_for);
	aside->ready = true;
	/* Nobody else notices whom the group of cycles and the sampler are in the way of. */
	if (td_aside_registered) {
		td_cycles_begin(collector);
		td_latency_begin(collector);
	}
	mutex_unlock(&aside->lock);
	if (collector->meter->nr == 1)
		return;
	/* Pairs with READ_ONCE() in td_aside_probe_switches(). */
	WRITE_ONCE(td_aside_turns, true);
	queue_work(td_compat_unbound_wq, &td_aside_probe_work);
}

/**
 * td_aside_end() - leave the groups alone, because they will be released
 * @collector: collector of the CPU, which is online; under td_fit_mutex
 *
 * The groups may stay disabled.  A work that is still queued finds nothing to do.
 */
void td_aside_end(struct td_collector *collector)
{
	struct td_aside *aside = td_aside_of(collector);

	td_cycles_end(collector);
	td_latency_end(collector);
	mutex_lock(&aside->lock);
	aside->ready = false;
	td_aside_call(aside, td_aside_forget);
	irq_work_sync(&collector->look);
	timer_delete_sync(&aside->timer);
	mutex_unlock(&aside->lock);
}

/**
 * td_aside_setup() - prepare a CPU that is not measured yet
 * @collector: collector of the CPU, zeroed except for its cpu
 */
void td_aside_setup(struct td_collector *collector)
{
	struct td_aside *aside = td_aside_of(collector);
	/* As for the window's timer, a deferrable one would not fire on a busy nohz_full CPU. */
	unsigned int flags = tick_nohz_full_cpu(collector->cpu) ? 0 : TIMER_DEFERRABLE;

	aside->collector = collector;
	aside->looked = jiffies - 1;
	mutex_init(&aside->lock);
	collector->look = IRQ_WORK_INIT_HARD(td_aside_look);
	INIT_WORK(&aside->leave, td_aside_leave);
	INIT_WORK(&aside->come_back, td_aside_come_back);
	timer_setup(&aside->timer, td_aside_timer, TIMER_PINNED | flags);
	td_cycles_setup(collector);
	td_latency_setup(collector);
}

/**
 * td_aside_cleanup() - undo td_aside_setup()
 * @collector: collector of the CPU, without a meter
 */
void td_aside_cleanup(struct td_collector *collector)
{
	struct td_aside *aside = td_aside_of(collector);

	/* Any CPU may have queued it. */
	cancel_work_sync(&td_aside_probe_work);
	cancel_work_sync(&aside->leave);
	cancel_work_sync(&aside->come_back);
	td_cycles_cleanup(collector);
	td_latency_cleanup(collector);
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
	       (td_aside_all() ? TOPDOWN_INFO_ASIDE_ALL : 0);
}

static void td_aside_find(struct tracepoint *tracepoint, void *data)
{
	if (!strcmp(tracepoint->name, "hrtimer_start"))
		td_aside_tracepoint = tracepoint;
	else if (!strcmp(tracepoint->name, "sched_switch"))
		td_aside_switch = tracepoint;
	else if (!strcmp(tracepoint->name, "sched_process_exec"))
		td_aside_exec = tracepoint;
}

/**
 * td_aside_init() - watch perf's rotation timers from now on
 *
 * If the kernel lacks the tracepoint, the counters are shared by rotation alone.
 *
 * Return: 0, or a negative errno from registering the probe.
 */
int td_aside_init(void)
{
	int ret;

	/* The compiler checks the types of the probes. */
	check_trace_callback_type_hrtimer_start(td_aside_probe);
	check_trace_callback_type_sched_switch(td_aside_probe_switch);
	check_trace_callback_type_sched_process_exec(td_aside_probe_exec);

	if (td_aside_policy == TD_ASIDE_NEVER || td_meter_pinned())
		return 0;
	for_each_kernel_tracepoint(td_aside_find, NULL);
	if (!td_aside_tracepoint) {
		pr_warn("the kernel has no tracepoint hrtimer_start: the counters are shared by rotation alone, and perf users who count tasks may get <not counted>\n");
		return 0;
	}
	ret = tracepoint_probe_register(td_aside_tracepoint, td_aside_probe, NULL);
	if (ret)
		return ret;
	mutex_lock(&td_aside_probes);
	td_aside_registered = true;
	mutex_unlock(&td_aside_probes);
	return 0;
}

/**
 * td_aside_exit() - undo td_aside_init(); no CPU has a meter any more
 */
void td_aside_exit(void)
{
	if (!td_aside_registered)
		return;
	WARN_ON_ONCE(tracepoint_probe_unregister(td_aside_tracepoint, td_aside_probe, NULL));
	mutex_lock(&td_aside_probes);
	if (td_aside_switches) {
		tracepoint_probe_unregister(td_aside_switch, td_aside_probe_switch, NULL);
		tracepoint_probe_unregister(td_aside_exec, td_aside_probe_exec, NULL);
	}
	td_aside_switches = false;
	td_aside_registered = false;
	mutex_unlock(&td_aside_probes);
	/* No CPU runs a probe afterwards. */
	tracepoint_synchronize_unregister();
}
