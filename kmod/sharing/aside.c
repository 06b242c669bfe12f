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
 * - The groups come back for a turn of their own that ends just before perf's first rotation, so
 *   they keep their place in front of the queue.  If somebody waited in the turn, they leave
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
#include <linux/time64.h>
#include <linux/timer.h>
#include <linux/tracepoint.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <trace/events/timer.h>

#include "aside.h"
#include "compat.h"
#include "counters.h"
#include "latency.h"
#include "meter.h"
#include "starved.h"
#include "window.h"

/* The turn of one group among several of ordinary counters. */
#define TD_ASIDE_TURN		max(HZ / 250, 1)
#define TD_ASIDE_TURN_JITTER	max(TD_ASIDE_TURN / 2, 1)
#define TD_ASIDE_TURN_MIN_NS	(NSEC_PER_SEC / 500)

/* A turn that ends on an idle CPU goes on, but so often only: interrupts may be work, too. */
#define TD_ASIDE_IDLED		16

/* If nobody tells who waits, how often one group is looked at: does it ever have counters? */
#define TD_ASIDE_TURN_SINGLE	(HZ / 10)

/* Groups that wait for so many of perf's rotations themselves stop to wait. */
#define TD_ASIDE_ROTATIONS	64

/* Delays before those are looked at again whom standing aside did not help. */
#define TD_ASIDE_IGNORE_MIN	HZ
#define TD_ASIDE_IGNORE_MAX	(16 * HZ)

#define TD_ASIDE_SHARE_MIN	8
#define TD_ASIDE_SHARE_MAX	1024

/* The groups that stand aside together. */
enum td_tenant_kind {
	TD_TENANT_SLOTS,
	TD_TENANT_CYCLES,
	TD_TENANTS,
};

/**
 * struct td_tenant - groups of a CPU that stand aside together
 * @present: the meter has such groups
 * @on: they are enabled; one at a time, if slots need several
 * @wanted: they shall be enabled
 * @since: when they were enabled, local_clock()
 * @hindered: since when somebody has waited for their counters, or they themselves for those of
 *	others, local_clock(); 0 for not at all
 * @judged: when somebody was last found to wait, local_clock()
 * @back_at: when to enable them again, in jiffies
 * @ignored: standing aside did not help events up to this id of perf
 * @ignored_until: look at these events again then, in jiffies
 * @ignore: the last delay before that
 *
 * Used on the CPU with interrupts off; @on changes under td_aside.lock too.
 */
struct td_tenant {
	bool present;
	bool on;
	bool wanted;
	u64 since;
	u64 hindered;
	u64 judged;
	unsigned long back_at;
	u64 ignored;
	unsigned long ignored_until;
	unsigned long ignore;
};

/**
 * struct td_aside - how the groups of a CPU stand aside for perf users
 * @collector: collector of the CPU
 * @lock: keeps the meter, and the CPU online, while @ready; taken inside td_fit_mutex
 * @ready: the CPU has a meter and is online; under @lock
 * @tenant: the groups
 * @due: the next look is for the groups, too, and not only for the sampler; used on the CPU
 *	with interrupts off
 * @turn_over: the turn of the enabled one among several groups is over; set by @turns, and
 *	cleared by @move, on the CPU with interrupts off
 * @idled: how often the turn has gone on, because the CPU was idle; used as @due
 * @length: of the turns of this round, in jiffies; used as @due
 * @move: enables and disables groups
 * @back: looks when groups may come back
 * @turns: ends the turn of one group among several
 * @turn: looks at the end of our turn among others
 */
struct td_aside {
	struct td_collector *collector;
	struct mutex lock; /* the meter stays, and the CPU online */
	bool ready;
	struct td_tenant tenant[TD_TENANTS];
	bool due;
	bool turn_over;
	unsigned int idled;
	unsigned long length;
	struct work_struct move;
	struct timer_list back;
	struct timer_list turns;
	struct hrtimer turn;
};

static struct td_aside __percpu *td_asides;

enum td_aside_policy {
	TD_ASIDE_ALL,
	TD_ASIDE_TASKS,
	TD_ASIDE_NEVER,
};

static const char * const td_aside_policies[] = {
	[TD_ASIDE_ALL]		= "all",
	[TD_ASIDE_TASKS]	= "tasks",
	[TD_ASIDE_NEVER]	= "never",
};

static enum td_aside_policy td_aside_policy = TD_ASIDE_ALL;

/* Do we stand aside also for perf users who count whole CPUs? */
static bool td_aside_all(void)
{
	return td_aside_policy == TD_ASIDE_ALL;
}

static int td_aside_param_set(const char *text, const struct kernel_param *param)
{
	int policy = sysfs_match_string(td_aside_policies, text);

	if (policy < 0) {
		pr_err("aside must be all, tasks or never\n");
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
MODULE_PARM_DESC(aside, "Perf users who get the counters of a CPU at once if they lack them: all; tasks: only those who count tasks or cgroups, others share by rotation; never: none (default: all)");

static unsigned int td_aside_share = 32;

static int td_aside_share_set(const char *text, const struct kernel_param *param)
{
	unsigned int share;

	if (kstrtouint(text, 0, &share) || share < TD_ASIDE_SHARE_MIN || share > TD_ASIDE_SHARE_MAX) {
		pr_err("share is not a whole number in %u..%u\n", TD_ASIDE_SHARE_MIN,
		       TD_ASIDE_SHARE_MAX);
		return -EINVAL;
	}
	td_aside_share = share;
	return 0;
}

static const struct kernel_param_ops td_aside_share_ops = {
	.set = td_aside_share_set,
	.get = param_get_uint,
};
module_param_cb(share, &td_aside_share_ops, &td_aside_share, 0444);
MODULE_PARM_DESC(share, "While perf users need the counters of a CPU, take them for one in so many parts of the time, 8..1024 (default: 32)");

/* perf's rotation timer of this CPU; the probe compares each hrtimer that starts with it. */
static DEFINE_PER_CPU(const struct hrtimer *, td_aside_mux);

static struct tracepoint *td_aside_tracepoint;
static bool td_aside_registered;

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

/* The time between two of perf's rotations. */
static u64 td_aside_rotation_ns(const struct td_aside *aside)
{
	u64 interval = td_compat_mux_interval_ns(td_meter_leader(aside->collector->meter));

	return clamp_t(u64, interval, NSEC_PER_MSEC, 100 * NSEC_PER_MSEC);
}

/*
 * Queue the work on the CPU itself, so that the task gets the counters when it runs again.
 * But a real-time task would not let the work run, and a task on a nohz_full CPU must not be
 * interrupted by a switch.  Then the work runs elsewhere, and perf gives out the counters at
 * its next rotation.
 */
static void td_aside_queue(struct td_aside *aside)
{
	int cpu = aside->collector->cpu;

	if (current->prio < MAX_RT_PRIO || tick_nohz_full_cpu(cpu))
		queue_work(td_compat_unbound_wq, &aside->move);
	else
		queue_work_on(cpu, system_highpri_wq, &aside->move);
}

/* Does somebody lack counters that the groups have? */
static bool td_tenant_hinders(const struct td_aside *aside, enum td_tenant_kind kind)
{
	const struct td_meter *meter = aside->collector->meter;
	const struct td_tenant *tenant = &aside->tenant[kind];
	u64 waiting;

	if (!tenant->on)
		return false;
	if (kind == TD_TENANT_CYCLES)
		return td_starved_by_cycles(meter);
	waiting = td_meter_counting(meter) ? td_starved_by(meter, td_aside_all()) : 0;
	return waiting && (waiting > tenant->ignored ||
			   time_after_eq(jiffies, tenant->ignored_until));
}

/* Do the groups wait for counters themselves?  Then perf rotates because of them. */
static bool td_tenant_waits(const struct td_aside *aside, enum td_tenant_kind kind)
{
	return kind == TD_TENANT_SLOTS && aside->tenant[kind].on &&
	       !td_meter_counting(aside->collector->meter);
}

/* How long it is until perf rotates, if it does: at a multiple of its interval. */
static u64 td_aside_rotation_in(const struct td_aside *aside)
{
	const struct hrtimer *mux = this_cpu_read(td_aside_mux);
	s64 left = ktime_to_ns(ktime_sub(hrtimer_get_expires(mux), ktime_get()));
	u64 rotation = td_aside_rotation_ns(aside);
	u64 past;

	if (left > 0)
		return left;
	div64_u64_rem(-left, rotation, &past);
	return rotation - past;
}

static void td_aside_decide_in(struct td_aside *aside, u64 ns)
{
	hrtimer_start(&aside->turn, ns_to_ktime(ns), HRTIMER_MODE_REL_PINNED_HARD);
}

/*
 * When somebody waits: shall the groups leave now?  In a turn of their own they leave shortly
 * before the rotation.
 */
static bool td_tenant_turn_over(struct td_aside *aside, const struct td_tenant *tenant)
{
	u64 rotation = td_aside_rotation_ns(aside);
	u64 left = td_aside_rotation_in(aside);

	if (local_clock() - tenant->since >= rotation || left <= rotation / 8)
		return true;
	td_aside_decide_in(aside, left - rotation / 8);
	return false;
}

/*
 * The groups have waited for so long.  Somebody may hold a counter for good, as the NMI watchdog
 * does; then smaller groups are made.  Else stop to wait at some time.
 */
static bool td_tenant_waited(struct td_aside *aside, u64 ns)
{
	struct td_collector *collector = aside->collector;
	struct td_counters *counters = td_counters_of(collector->meter);
	u64 rotations = div64_u64(ns, td_aside_rotation_ns(aside));

	if (rotations >= TD_ASIDE_ROTATIONS)
		return true;
	if (rotations >= TD_ASIDE_ROTATIONS / 4 && counters &&
	    td_starved_holders(&counters->meter) && td_counters_starve(counters))
		mod_delayed_work(td_compat_unbound_wq, &collector->mend, 1);
	return false;
}

/* Shall the groups leave, now or at the end of their turn? */
static void td_tenant_judge(struct td_aside *aside, enum td_tenant_kind kind, bool hinders)
{
	struct td_tenant *tenant = &aside->tenant[kind];
	u64 now = local_clock();

	if (!hinders && !td_tenant_waits(aside, kind)) {
		tenant->hindered = 0;
		return;
	}
	/* Nobody is asked while nobody rotates, so an old time says nothing. */
	if (!tenant->hindered || now - tenant->judged > 4 * td_aside_rotation_ns(aside))
		tenant->hindered = now;
	tenant->judged = now;
	if (hinders ? td_tenant_turn_over(aside, tenant) :
	    td_tenant_waited(aside, now - tenant->hindered))
		tenant->wanted = false;
}

/* Look at the groups again at that time, if not before. */
static void td_aside_look_at(struct td_aside *aside, unsigned long at)
{
	if (!timer_pending(&aside->back) || time_before(at, aside->back.expires))
		mod_timer(&aside->back, at);
}

/* Is it time to come back?  Begin so that half a rotation is left for the turn. */
static bool td_tenant_may_return(struct td_aside *aside, const struct td_tenant *tenant)
{
	u64 left;

	if (!tenant->present || tenant->on)
		return false;
	if (time_before(jiffies, tenant->back_at)) {
		/* The timer may have been that of the other groups. */
		td_aside_look_at(aside, tenant->back_at);
		return false;
	}
	left = td_aside_rotation_in(aside);
	if (left >= td_aside_rotation_ns(aside) / 2)
		return true;
	td_aside_decide_in(aside, left);
	return false;
}

/* The groups stood aside long enough.  Did it help anybody? */
static void td_tenant_back(struct td_aside *aside, enum td_tenant_kind kind)
{
	const struct td_meter *meter = aside->collector->meter;
	struct td_tenant *tenant = &aside->tenant[kind];
	u64 waiting;

	if (!td_tenant_may_return(aside, tenant))
		return;
	tenant->wanted = true;
	if (kind != TD_TENANT_SLOTS)
		return;
	waiting = td_starved_by(meter, td_aside_all());
	if (!waiting || td_starved_helped(meter)) {
		tenant->ignore = 0;
		return;
	}
	tenant->ignore = clamp_t(unsigned long, tenant->ignore * 2, TD_ASIDE_IGNORE_MIN,
				 TD_ASIDE_IGNORE_MAX);
	tenant->ignored = waiting;
	tenant->ignored_until = jiffies + tenant->ignore;
}

/* On the CPU with interrupts off, without any lock: decide which groups shall be enabled. */
static void td_aside_decide(struct td_aside *aside)
{
	const struct td_meter *meter = aside->collector->meter;
	unsigned int kind;
	bool slots, cycles;

	lockdep_assert_irqs_disabled();
	for (kind = 0; kind < TD_TENANTS; kind++)
		td_tenant_back(aside, kind);
	slots = td_tenant_hinders(aside, TD_TENANT_SLOTS);
	cycles = (!slots || td_meter_general(meter)) && td_tenant_hinders(aside, TD_TENANT_CYCLES);
	/* Perhaps it is enough for a user of general counters if the cycles stand aside. */
	td_tenant_judge(aside, TD_TENANT_SLOTS, slots && !cycles);
	td_tenant_judge(aside, TD_TENANT_CYCLES, cycles);
	for (kind = 0; kind < TD_TENANTS; kind++) {
		if (aside->tenant[kind].wanted != aside->tenant[kind].on) {
			td_aside_queue(aside);
			break;
		}
	}
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
	if (!this_cpu_read(td_aside_mux))
		return;
	/* If that is enough, nothing else need stand aside. */
	if (td_latency_look(collector))
		td_aside_look_at(aside, jiffies + 1);
	else if (due)
		td_aside_decide(aside);
}

/* Our turn among others is over. */
static enum hrtimer_restart td_aside_turn_ends(struct hrtimer *timer)
{
	struct td_aside *aside = container_of(timer, struct td_aside, turn);

	if (this_cpu_read(td_aside_mux))
		td_aside_decide(aside);
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
	return td_starved_context(aside->collector->meter, td_aside_all() || cycles);
}

/* The rotation timer of this CPU starts, and perf holds its locks. */
static noinline void td_aside_rotation(void)
{
	struct td_aside *aside = this_cpu_ptr(td_asides);

	if (td_aside_due(aside))
		td_aside_queue_look(aside);
	else if (td_latency_due(aside->collector))
		irq_work_queue(&aside->collector->look);
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

/*
 * How long to stand aside, in jiffies: so that others waited for one in td_aside_share parts of
 * the time.  At its end perf's rotation gives them the counters, so our turn costs them all of a
 * rotation.  The jitter keeps turns from falling into step with those of other CPUs and with a
 * periodic workload.
 */
static unsigned long td_tenant_away(struct td_aside *aside, const struct td_tenant *tenant)
{
	u64 rotation = td_aside_rotation_ns(aside);
	u64 waited = tenant->hindered ? local_clock() - tenant->hindered : 0;
	unsigned long away;

	waited = clamp_t(u64, waited, rotation, 2 * TD_ASIDE_ROTATIONS * rotation);
	away = nsecs_to_jiffies(waited * td_aside_share);
	return away + td_window_jitter(aside->collector, away / 8);
}

/* The groups leave. */
static void td_tenant_leaves(struct td_aside *aside, struct td_tenant *tenant)
{
	tenant->back_at = jiffies + td_tenant_away(aside, tenant);
	td_aside_look_at(aside, tenant->back_at);
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
 */
struct td_aside_change {
	struct td_aside *aside;
	u32 changed;
	bool over;
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
		td_tenant_settle(aside, kind);
		change->changed |= 1U << kind;
	}
	/* Groups that come back begin a turn. */
	change->over = aside->turn_over && !change->changed && tenant[TD_TENANT_SLOTS].on;
	aside->turn_over = false;
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
		td_meter_disable(meter);
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
	} else if (change.over) {
		td_meter_disable(meter);
		td_meter_next(meter);
		td_meter_enable(meter);
	}
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
		.present = true, .on = true, .wanted = true, .since = local_clock(),
	};
	/* Without the probe nobody notices in whose way the group of cycles is. */
	tenant[TD_TENANT_CYCLES].present = meter->cycles.nr && td_aside_registered;
	tenant[TD_TENANT_CYCLES].wanted = tenant[TD_TENANT_CYCLES].present;
	aside->turn_over = false;
	aside->idled = 0;
	aside->length = TD_ASIDE_TURN;
	if (td_aside_registered)
		this_cpu_write(td_aside_mux, td_compat_mux(td_meter_leader(meter)));
	/* Whether one group ever has its counters is seen when perf rotates, if we look then. */
	if (td_counters_of(aside->collector->meter) &&
	    (meter->nr > 1 || !td_aside_registered || !td_aside_all()))
		mod_timer(&aside->turns, jiffies + td_aside_turn(aside));
}

/* On the CPU with interrupts off.  Nothing queues the irq_work from now on. */
static void td_aside_forget(void *arg)
{
	struct td_aside *aside = arg;

	this_cpu_write(td_aside_mux, NULL);
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
	if (td_aside_registered)
		td_latency_begin(collector);
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

	td_latency_end(collector);
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
	td_latency_setup(collector);
}

/**
 * td_aside_cleanup() - undo td_aside_setup()
 * @collector: collector of the CPU, without a meter
 */
void td_aside_cleanup(struct td_collector *collector)
{
	struct td_aside *aside = td_aside_of(collector);

	cancel_work_sync(&aside->move);
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
}

/* Watch perf's rotation timers from now on. */
static int td_aside_register(void)
{
	int ret;

	/* The compiler checks the type of the probe. */
	check_trace_callback_type_hrtimer_start(td_aside_probe);

	if (td_aside_policy == TD_ASIDE_NEVER || td_meter_pinned())
		return 0;
	for_each_kernel_tracepoint(td_aside_find, NULL);
	if (!td_aside_tracepoint) {
		pr_warn("the kernel has no tracepoint hrtimer_start: the counters are shared by rotation alone, and perf users who count tasks may get <not counted>\n");
		return 0;
	}
	ret = tracepoint_probe_register(td_aside_tracepoint, td_aside_probe, NULL);
	td_aside_registered = !ret;
	return ret;
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
	ret = td_aside_register();
	if (ret)
		free_percpu(td_asides);
	return ret;
}

/**
 * td_aside_exit() - undo td_aside_init(); no CPU has a meter any more
 */
void td_aside_exit(void)
{
	if (td_aside_registered) {
		WARN_ON_ONCE(tracepoint_probe_unregister(td_aside_tracepoint, td_aside_probe,
							 NULL));
		/* No CPU runs a probe afterwards. */
		tracepoint_synchronize_unregister();
	}
	td_aside_registered = false;
	free_percpu(td_asides);
}
