// SPDX-License-Identifier: GPL-2.0
/*
 * Tenants: groups of a CPU that stand aside together.  When do they leave, and when do they come
 * back?  aside.c says why, and does it.
 */
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/sched/clock.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "counters.h"
#include "meter.h"
#include "mux.h"
#include "policy.h"
#include "starved.h"
#include "tenant.h"
#include "window.h"

/* Groups that wait for so many of perf's rotations themselves stop to wait, for a while. */
#define TD_TENANT_ROTATIONS	32
#define TD_TENANT_PAUSE		((unsigned long)HZ)

/* So many times in a row a turn does not begin because the work is late. */
#define TD_TENANT_REFUSALS	2

/* Delays before those are looked at again whom standing aside did not help. */
#define TD_TENANT_IGNORE_MIN	HZ
#define TD_TENANT_IGNORE_MAX	(16 * HZ)

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
	waiting = td_meter_counting(meter) ? td_starved_by(meter, td_policy_all()) : 0;
	return waiting && (waiting > tenant->ignored ||
			   time_after_eq(jiffies, tenant->ignored_until));
}

/* Do the groups wait for counters themselves?  Then perf rotates because of them. */
static bool td_tenant_waits(const struct td_aside *aside, enum td_tenant_kind kind)
{
	return kind == TD_TENANT_SLOTS && aside->tenant[kind].on &&
	       !td_meter_counting(aside->collector->meter);
}

/* Both tenants have the timer, so whoever needs it first has it. */
static void td_tenants_look_in(struct td_aside *aside, u64 ns)
{
	if (hrtimer_is_queued(&aside->turn) &&
	    ktime_to_ns(hrtimer_get_remaining(&aside->turn)) <= (s64)ns)
		return;
	hrtimer_start(&aside->turn, ns_to_ktime(ns), HRTIMER_MODE_REL_PINNED_HARD);
}

/* A turn ends so long before the rotation, because a work ends it, which may be late. */
static u64 td_tenant_early(const struct td_meter *meter)
{
	return td_mux_interval_ns(meter) / 4;
}

/**
 * td_tenant_begins() - a group for slots will be enabled
 * @aside: those of this CPU; interrupts off
 *
 * In the first round after the groups came back others may wait for each by itself: some fit
 * beside others, and some do not.  Later the groups leave at once, so that short commands of perf
 * users have their counters.
 */
void td_tenant_begins(struct td_aside *aside)
{
	struct td_tenant *tenant = &aside->tenant[TD_TENANT_SLOTS];

	lockdep_assert_irqs_disabled();
	if (tenant->begun < aside->collector->meter->nr) {
		tenant->begun++;
		tenant->since = local_clock();
	}
}

/**
 * td_tenant_begun() - a group for slots has just been enabled
 * @aside: those of this CPU; interrupts off
 *
 * perf may rotate already, for others.  Then its timer does not start because of the group, so
 * nobody would look at it before the rotation, which moves it to the end of the queue.
 */
void td_tenant_begun(struct td_aside *aside)
{
	u64 early = td_tenant_early(aside->collector->meter);
	u64 left;

	lockdep_assert_irqs_disabled();
	if (!td_mux_rotating())
		return;
	left = td_mux_left(aside->collector->meter);
	if (left > early)
		td_tenants_look_in(aside, left - early);
}

/*
 * When somebody waits: shall the groups leave now?  In a turn of their own they leave before the
 * rotation, which would move them to the end of the queue.
 */
static bool td_tenant_turn_over(struct td_aside *aside, const struct td_tenant *tenant)
{
	u64 rotation = td_mux_interval_ns(aside->collector->meter);
	u64 left = td_mux_left(aside->collector->meter);
	u64 early = td_tenant_early(aside->collector->meter);

	if (local_clock() - tenant->since >= rotation || left <= early)
		return true;
	td_tenants_look_in(aside, left - early);
	return false;
}

/*
 * The groups have waited for so long.  Somebody may hold a counter for good, as the NMI watchdog
 * does; then smaller groups are made.  Else stop to wait at some time.
 */
static bool td_tenant_waited(struct td_aside *aside, struct td_tenant *tenant, u64 now)
{
	struct td_collector *collector = aside->collector;
	struct td_counters *counters = td_counters_of(collector->meter);
	u64 rotations = div64_u64(now - tenant->hindered, td_mux_interval_ns(collector->meter));

	if (rotations >= TD_TENANT_ROTATIONS)
		return true;
	/* Ask each time that they wait: the work may be so late that they stand aside again. */
	if (rotations >= TD_TENANT_ROTATIONS / 2 && counters &&
	    tenant->asked != tenant->hindered && td_starved_holders(&counters->meter)) {
		tenant->asked = tenant->hindered;
		td_counters_starve(counters);
		mod_delayed_work(td_compat_unbound_wq, &collector->mend, 1);
	}
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
	if (!tenant->hindered ||
	    now - tenant->judged > 4 * td_mux_interval_ns(aside->collector->meter))
		tenant->hindered = now;
	tenant->judged = now;
	if (hinders && td_starved_task(aside->collector->meter))
		tenant->tasks = true;
	if (hinders ? td_tenant_turn_over(aside, tenant) :
	    td_tenant_waited(aside, tenant, now))
		tenant->wanted = false;
}

/**
 * td_tenants_look_at() - look at the groups again at that time, if not before
 * @aside: those of this CPU; interrupts off
 * @at: the time in jiffies
 */
void td_tenants_look_at(struct td_aside *aside, unsigned long at)
{
	if (!timer_pending(&aside->back) || time_before(at, aside->back.expires))
		mod_timer(&aside->back, at);
}

/*
 * Is so much left until perf rotates that a turn can begin?  Else its end may be too late, and perf
 * moves the groups to the end of its queue.  It is tried again after the rotation.
 */
static bool td_tenants_may_begin(struct td_aside *aside)
{
	u64 left = td_mux_left(aside->collector->meter);

	if (left >= td_mux_interval_ns(aside->collector->meter) / 2)
		return true;
	td_tenants_look_in(aside, left);
	return false;
}

/**
 * td_tenant_late() - has the work come too late to begin a turn?
 * @aside: those of this CPU, whose rotation timer is watched; interrupts off
 * @tenant: the groups, which are to be enabled
 *
 * Where works are late again and again, the turn begins anyway.
 *
 * Return: true, and it is tried again after the rotation; or false.
 */
bool td_tenant_late(struct td_aside *aside, struct td_tenant *tenant)
{
	if (tenant->refused >= TD_TENANT_REFUSALS || td_tenants_may_begin(aside)) {
		tenant->refused = 0;
		return false;
	}
	tenant->refused++;
	tenant->wanted = false;
	return true;
}

/* Is it time to come back? */
static bool td_tenant_may_return(struct td_aside *aside, const struct td_tenant *tenant)
{
	if (!tenant->present || tenant->on)
		return false;
	if (time_before(jiffies, tenant->back_at)) {
		/* The timer may have been that of the other groups. */
		td_tenants_look_at(aside, tenant->back_at);
		return false;
	}
	return td_tenants_may_begin(aside);
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
	/* A turn that was refused has asked this before. */
	if (kind != TD_TENANT_SLOTS || tenant->refused)
		return;
	waiting = td_starved_by(meter, td_policy_all());
	if (!waiting || td_starved_helped(meter)) {
		tenant->ignore = 0;
		return;
	}
	tenant->ignore = clamp_t(unsigned long, tenant->ignore * 2, TD_TENANT_IGNORE_MIN,
				 TD_TENANT_IGNORE_MAX);
	tenant->ignored = waiting;
	tenant->ignored_until = jiffies + tenant->ignore;
}

/**
 * td_tenants_decide() - decide which groups shall be enabled
 * @aside: those of this CPU; interrupts off, no lock held
 *
 * Return: true if groups have to change.
 */
bool td_tenants_decide(struct td_aside *aside)
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
		if (aside->tenant[kind].wanted != aside->tenant[kind].on)
			return true;
	}
	return false;
}

/*
 * How long others wait for a turn of ours, who have waited for so long.  Where they do not get the
 * counters at once that we leave, as tasks do not, they get them at perf's next rotation, and some
 * wait for one more.
 */
static u64 td_tenant_cost(const struct td_meter *meter, const struct td_tenant *tenant,
			  u64 waited)
{
	u64 rotation = td_mux_interval_ns(meter);
	u64 most = 2 * TD_TENANT_ROTATIONS * rotation;

	if (td_meter_recalls(meter) && !tenant->tasks)
		return clamp_t(u64, waited, rotation / 2, most) + rotation / 8;
	return clamp_t(u64, waited, rotation, most) + rotation / 2;
}

/*
 * How long to stand aside, in jiffies: so that others waited for one in td_policy_share() parts of
 * the time.  The jitter keeps turns from falling into step with those of other CPUs and with a
 * periodic workload.
 */
static unsigned long td_tenant_away(struct td_aside *aside, const struct td_tenant *tenant)
{
	const struct td_meter *meter = aside->collector->meter;
	u64 waited = tenant->hindered ? local_clock() - tenant->hindered : 0;
	unsigned long away;

	away = nsecs_to_jiffies(td_tenant_cost(meter, tenant, waited) * td_policy_share());
	/* Nobody waits for them: who has their counters may leave at any time. */
	if (td_tenant_waits(aside, tenant - aside->tenant))
		away = min(away, TD_TENANT_PAUSE);
	return away + td_window_jitter(aside->collector, away / 8);
}

/**
 * td_tenant_leaves() - note when groups that leave shall come back
 * @aside: those of this CPU; interrupts off
 * @tenant: the groups
 */
void td_tenant_leaves(struct td_aside *aside, struct td_tenant *tenant)
{
	tenant->back_at = jiffies + td_tenant_away(aside, tenant);
	td_tenants_look_at(aside, tenant->back_at);
}
