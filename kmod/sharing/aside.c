// SPDX-License-Identifier: GPL-2.0
/*
 * Standing aside: perf users come first.
 *
 * perf stops to serve the groups of a CPU at the first one that finds no counters, serves tasks
 * after that, and moves one group to the end of the queue each few milliseconds.  So a group of
 * ours that others have to wait for takes counters from all who queue, whatever they count.
 * Therefore our groups leave as soon as a perf user lacks counters that they have, and others
 * wait for us no longer than a stated share of the time:
 *
 * - perf starts the rotation timer of a CPU when a group finds no counters, and hrtimers have a
 *   tracepoint.  The probe queues an irq_work, because perf holds its locks there.
 * - The irq_work looks whether our groups are in the way (starved.c), and queues a work that
 *   disables them, which needs process context.
 * - The groups come back for a turn of their own that ends some time before perf's first rotation,
 *   so they keep their place in front of the queue.  If somebody waited in the turn, they leave
 *   again, for so long that their share is kept.  Otherwise they stay.
 * - If nobody took what they left, standing aside does not help those who wait.  They are ignored
 *   for a while, but all events that are made later are not: the ids of events only grow.
 *
 * Two kinds of groups stand aside each by itself: those that slots need, and that of instructions
 * and cycles.  Ordinary counters may have several groups (counters.c).  Then one is enabled at a
 * time, and a timer gives them their turns, so that perf's rotation never runs for them and wakes
 * no idle CPU.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bug.h>
#include <linux/container_of.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/prio.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/tick.h>
#include <linux/time64.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "aside.h"
#include "compat.h"
#include "counters.h"
#include "meter.h"
#include "mux.h"
#include "policy.h"
#include "sampling.h"
#include "starved.h"
#include "tenant.h"
#include "window.h"

/* The turn of one group among several of ordinary counters. */
#define TD_ASIDE_TURN		max(HZ / 250, 1)
#define TD_ASIDE_TURN_JITTER	max(TD_ASIDE_TURN / 2, 1)
#define TD_ASIDE_TURN_MIN_NS	(NSEC_PER_SEC / 500)

/* A turn that ends on an idle CPU goes on, but so often only: interrupts may be work, too. */
#define TD_ASIDE_IDLED		16

/* If nobody tells who waits, how often one group is looked at: does it ever have counters? */
#define TD_ASIDE_TURN_SINGLE	(HZ / 10)

static struct td_aside __percpu *td_asides;

static struct td_aside *td_aside_of(const struct td_collector *collector)
{
	return per_cpu_ptr(td_asides, collector->cpu);
}

/* Is the tenant enabled?  Another CPU may ask, for a guess. */
static bool td_aside_on(const struct td_aside *aside, enum td_tenant_kind kind)
{
	/* Pairs with WRITE_ONCE() in td_tenant_settle(). */
	return READ_ONCE(aside->tenant[kind].on);
}

/*
 * Queue the work on the CPU itself, so that the task gets the counters when it runs again.
 * But a real-time task would not let the work run, and a task on a nohz_full CPU must not be
 * interrupted by a switch.  Then the work runs elsewhere, and perf gives out the counters at
 * its next rotation.
 */
static void td_aside_queue(struct td_aside *aside)
{
	const struct td_tenant *slots = &aside->tenant[TD_TENANT_SLOTS];
	int cpu = aside->collector->cpu;

	/* Now, because the task that waits does not run while the work does. */
	if (slots->on && !slots->wanted)
		td_starved_renew(aside->collector->meter);
	if (current->prio < MAX_RT_PRIO || tick_nohz_full_cpu(cpu))
		queue_work(td_compat_unbound_wq, &aside->move);
	else
		queue_work_on(cpu, system_highpri_wq, &aside->move);
}

/*
 * The irq_work: on the CPU, soon after the rotation timer started.  No context of perf goes
 * away meanwhile, because its removal needs an interrupt of this CPU.
 */
static void td_aside_look(struct irq_work *work)
{
	struct td_collector *collector = container_of(work, struct td_collector, look);
	struct td_aside *aside = this_cpu_ptr(td_asides);
	/* The window's reminder queues no more than this irq_work. */
	bool due = aside->due || (collector->away && time_after_eq(jiffies, collector->back_at));

	aside->due = false;
	if (!td_mux_here())
		return;
	/* If that is enough, nothing else need stand aside. */
	if (td_sampling_look(collector))
		td_tenants_look_at(aside, jiffies + 1);
	else if (due && td_tenants_decide(aside))
		td_aside_queue(aside);
}

/* Our turn among others is over. */
static enum hrtimer_restart td_aside_turn_ends(struct hrtimer *timer)
{
	struct td_aside *aside = container_of(timer, struct td_aside, turn);

	if (td_mux_here() && td_tenants_decide(aside))
		td_aside_queue(aside);
	return HRTIMER_NORESTART;
}

/* Look at the groups, and at the sampler before them.  Interrupts off. */
static void td_aside_queue_look(struct td_aside *aside)
{
	aside->due = true;
	irq_work_queue(&aside->collector->look);
}

/* The time of groups that stand aside is over. */
static void td_aside_come_back(struct timer_list *timer)
{
	struct td_aside *aside = timer_container_of(aside, timer, back);
	unsigned long flags;

	local_irq_save(flags);
	td_aside_queue_look(aside);
	local_irq_restore(flags);
}

/* Is it worth to look whether the groups are in the way, while perf rotates? */
static bool td_aside_due(const struct td_aside *aside)
{
	bool cycles = aside->tenant[TD_TENANT_CYCLES].on;

	if (!cycles && !aside->tenant[TD_TENANT_SLOTS].on)
		return false;
	/* The group of cycles stands aside for users of whole CPUs whatever the parameter says. */
	return td_starved_context(aside->collector->meter, td_policy_all() || cycles);
}

/* The rotation timer of this CPU starts, and perf holds its locks. */
static void td_aside_rotation(void)
{
	struct td_aside *aside = this_cpu_ptr(td_asides);

	if (td_aside_due(aside))
		td_aside_queue_look(aside);
	else if (td_sampling_due(aside->collector))
		irq_work_queue(&aside->collector->look);
}

/* Groups begin, or end, to stand aside; note it before perf is asked to. */
static void td_tenant_settle(struct td_aside *aside, enum td_tenant_kind kind)
{
	struct td_collector *collector = aside->collector;
	struct td_tenant *tenant = &aside->tenant[kind];

	if (!tenant->wanted)
		td_tenant_leaves(aside, tenant);
	tenant->since = local_clock();
	tenant->hindered = 0;
	tenant->tasks = false;
	tenant->begun = 0;
	/* Pairs with READ_ONCE() in td_aside_on(). */
	WRITE_ONCE(tenant->on, tenant->wanted);
	if (kind != TD_TENANT_SLOTS)
		return;
	/* Pairs with READ_ONCE() in td_fit_room(), as all its writes. */
	WRITE_ONCE(collector->away, !tenant->on);
	collector->back_at = tenant->back_at;
	if (!tenant->on)
		td_window_aside(collector);
}

/**
 * struct td_aside_change - which groups change
 * @aside: how they stand aside
 * @changed: written: bit n for tenant n
 * @over: written: the turn of one group among several is over
 * @begins: written: a group for slots begins a turn
 */
struct td_aside_change {
	struct td_aside *aside;
	u32 changed;
	bool over;
	bool begins;
};

/* On the CPU with interrupts off. */
static void td_aside_settle(void *arg)
{
	struct td_aside_change *change = arg;
	struct td_aside *aside = change->aside;
	struct td_tenant *tenant = aside->tenant;
	unsigned int kind;

	for (kind = 0; kind < TD_TENANTS; kind++) {
		if (!tenant[kind].present || tenant[kind].wanted == tenant[kind].on)
			continue;
		if (tenant[kind].wanted && td_tenant_late(aside, &tenant[kind]))
			continue;
		td_tenant_settle(aside, kind);
		change->changed |= 1U << kind;
	}
	/* Groups that come back begin a turn. */
	change->over = aside->turn_over && !change->changed && tenant[TD_TENANT_SLOTS].on;
	aside->turn_over = false;
	change->begins = change->over ||
			 (change->changed >> TD_TENANT_SLOTS & 1 && tenant[TD_TENANT_SLOTS].on);
	if (change->begins)
		td_tenant_begins(aside);
}

/* On the CPU with interrupts off: a group has just been enabled. */
static void td_aside_begun(void *arg)
{
	td_tenant_begun(arg);
}

/* The CPU is online, because its hotplug teardown waits for the lock. */
static void td_aside_call(struct td_aside *aside, smp_call_func_t func, void *arg)
{
	lockdep_assert_held(&aside->lock);
	WARN_ON_ONCE(smp_call_function_single(aside->collector->cpu, func, arg, 1));
}

static void td_tenant_switch(struct td_aside *aside, enum td_tenant_kind kind)
{
	struct td_meter *meter = aside->collector->meter;
	bool on = td_aside_on(aside, kind);

	if (kind == TD_TENANT_CYCLES && on)
		td_group_enable(&meter->cycles);
	else if (kind == TD_TENANT_CYCLES)
		td_group_disable(&meter->cycles);
	else if (on)
		td_meter_enable(meter);
	else
		td_meter_leave(meter);
}

/* Enable and disable groups as they are wanted. */
static void td_aside_apply(struct td_aside *aside)
{
	struct td_aside_change change = { .aside = aside };
	struct td_meter *meter = aside->collector->meter;
	unsigned int kind;

	td_aside_call(aside, td_aside_settle, &change);
	for (kind = 0; kind < TD_TENANTS; kind++) {
		if (change.changed >> kind & 1)
			td_tenant_switch(aside, kind);
	}
	/* Each group has its share of the turns among others, too. */
	if (change.changed >> TD_TENANT_SLOTS & 1 && !td_aside_on(aside, TD_TENANT_SLOTS)) {
		td_meter_next(meter);
		return;
	}
	if (change.over) {
		td_meter_disable(meter);
		td_meter_next(meter);
		td_meter_enable(meter);
	}
	if (change.begins)
		td_aside_call(aside, td_aside_begun, aside);
}

static void td_aside_move(struct work_struct *work)
{
	struct td_aside *aside = container_of(work, struct td_aside, move);

	mutex_lock(&aside->lock);
	if (aside->ready)
		td_aside_apply(aside);
	mutex_unlock(&aside->lock);
}

/*
 * Rounds of various lengths do not fall into step with a periodic workload.  In a round each group
 * has a turn of the same length.
 */
static unsigned long td_aside_turn(struct td_aside *aside)
{
	const struct td_meter *meter = aside->collector->meter;

	if (meter->nr == 1)
		return TD_ASIDE_TURN_SINGLE;
	/* Pairs with WRITE_ONCE() in td_meter_next(). */
	if (!READ_ONCE(meter->turn))
		aside->length = TD_ASIDE_TURN + td_window_jitter(aside->collector,
								 TD_ASIDE_TURN_JITTER);
	return aside->length;
}

/* Is it the next group's turn?  Groups that have just come back keep their turn. */
static bool td_aside_turn_over(struct td_aside *aside)
{
	const struct td_tenant *tenant = &aside->tenant[TD_TENANT_SLOTS];
	u64 now = local_clock();

	return tenant->on && now - tenant->since >= TD_ASIDE_TURN_MIN_NS &&
	       td_counters_turn_over(td_counters_of(aside->collector->meter), now);
}

/* The time of one group among several is over. */
static void td_aside_next_group(struct timer_list *timer)
{
	struct td_aside *aside = timer_container_of(aside, timer, turns);
	unsigned long flags;

	local_irq_save(flags);
	/* A CPU that is idle counts next to nothing, and a work would keep it awake for longer. */
	if (is_idle_task(current) && aside->idled < TD_ASIDE_IDLED) {
		aside->idled++;
	} else {
		aside->idled = 0;
		aside->turn_over = td_aside_turn_over(aside);
		if (aside->turn_over)
			td_aside_queue(aside);
	}
	mod_timer(timer, jiffies + td_aside_turn(aside));
	local_irq_restore(flags);
}

/* On the CPU with interrupts off: the groups for slots have just been enabled. */
static void td_aside_look_for(void *arg)
{
	struct td_aside *aside = arg;
	const struct td_meter *meter = aside->collector->meter;
	struct td_tenant *tenant = aside->tenant;

	memset(aside->tenant, 0, sizeof(aside->tenant));
	tenant[TD_TENANT_SLOTS] = (struct td_tenant){
		.present = true, .on = true, .wanted = true, .since = local_clock(), .begun = 1,
	};
	/* Without the probe nobody notices in whose way the group of cycles is. */
	tenant[TD_TENANT_CYCLES].present = meter->cycles.nr && td_mux_watched();
	tenant[TD_TENANT_CYCLES].wanted = tenant[TD_TENANT_CYCLES].present;
	aside->turn_over = false;
	aside->idled = 0;
	aside->length = TD_ASIDE_TURN;
	if (td_mux_watched())
		td_mux_set(td_compat_mux(td_meter_leader(meter)));
	td_tenant_begun(aside);
	/* Whether one group ever has its counters is seen when perf rotates, if we look then. */
	if (td_counters_of(aside->collector->meter) &&
	    (meter->nr > 1 || !td_mux_watched() || !td_policy_all()))
		mod_timer(&aside->turns, jiffies + td_aside_turn(aside));
}

/* On the CPU with interrupts off.  Nothing queues the irq_work from now on. */
static void td_aside_forget(void *arg)
{
	struct td_aside *aside = arg;

	td_mux_set(NULL);
	WRITE_ONCE(aside->collector->away, false);
}

/**
 * td_aside_begin() - look from now on for perf users who lack counters of the groups
 * @collector: collector of the CPU, which has a meter; under td_fit_mutex
 */
void td_aside_begin(struct td_collector *collector)
{
	struct td_aside *aside = td_aside_of(collector);

	mutex_lock(&aside->lock);
	td_aside_call(aside, td_aside_look_for, aside);
	aside->ready = true;
	td_aside_apply(aside);
	if (td_mux_watched())
		td_sampling_begin(collector);
	mutex_unlock(&aside->lock);
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

	td_sampling_end(collector);
	mutex_lock(&aside->lock);
	aside->ready = false;
	td_aside_call(aside, td_aside_forget, aside);
	hrtimer_cancel(&aside->turn);
	timer_delete_sync(&aside->back);
	timer_delete_sync(&aside->turns);
	irq_work_sync(&collector->look);
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
	unsigned int flags = TIMER_PINNED |
			     (tick_nohz_full_cpu(collector->cpu) ? 0 : TIMER_DEFERRABLE);

	aside->collector = collector;
	mutex_init(&aside->lock);
	collector->look = IRQ_WORK_INIT_HARD(td_aside_look);
	INIT_WORK(&aside->move, td_aside_move);
	timer_setup(&aside->back, td_aside_come_back, flags);
	timer_setup(&aside->turns, td_aside_next_group, flags);
	hrtimer_setup(&aside->turn, td_aside_turn_ends, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * td_aside_cleanup() - undo td_aside_setup()
 * @collector: collector of the CPU, without a meter
 */
void td_aside_cleanup(struct td_collector *collector)
{
	struct td_aside *aside = td_aside_of(collector);

	cancel_work_sync(&aside->move);
	mutex_destroy(&aside->lock);
}

/**
 * td_aside_info() - for whom the module stands aside
 *
 * Return: TOPDOWN_INFO_ASIDE and TOPDOWN_INFO_ASIDE_ALL, as far as they apply.
 */
u32 td_aside_info(void)
{
	if (!td_mux_watched())
		return 0;
	return TOPDOWN_INFO_ASIDE |
	       (td_policy_all() ? TOPDOWN_INFO_ASIDE_ALL : 0);
}

/**
 * td_aside_init() - prepare to stand aside
 *
 * If the kernel lacks the tracepoint, the counters are shared by rotation alone.
 *
 * Return: 0; -ENOMEM; or a negative errno from registering the probe.
 */
int td_aside_init(void)
{
	int ret;

	td_asides = alloc_percpu(struct td_aside);
	if (!td_asides)
		return -ENOMEM;
	ret = td_mux_init(td_aside_rotation);
	if (ret)
		free_percpu(td_asides);
	return ret;
}

/**
 * td_aside_exit() - undo td_aside_init(); no CPU has a meter any more
 */
void td_aside_exit(void)
{
	td_mux_exit();
	free_percpu(td_asides);
}
