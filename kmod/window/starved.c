// SPDX-License-Identifier: GPL-2.0
/*
 * Starved: does a perf user lack the counters that our groups have?
 *
 * perf knows that events of a context lack counters, but not whose counters they need.
 * So this looks through the events of the context, on the CPU with interrupts off.  It also
 * looks for those who have their counters, but whose PEBS is worse beside ours.
 */
#include <linux/export.h>
#include <linux/list.h>
#include <linux/limits.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/spinlock.h>

#include "compat.h"
#include "meter.h"
#include "starved.h"

/*
 * Look at no more events of a context, because its raw lock is held: of our PMU, and of others,
 * which take a look at one field.  perf itself does not look at all of them at a switch.
 */
#define TD_STARVED_LOOK_MAX	256
#define TD_STARVED_OTHERS_MAX	512

/* Counters with this number and above are fixed ones. */
#define TD_STARVED_FIXED	32

/* The overflow handler of samplers' events; NULL without any. */
static perf_overflow_handler_t td_starved_sampler;

/**
 * td_starved_set_sampler() - say how events of samplers are known
 * @handler: their overflow handler; NULL if there are none any more
 */
void td_starved_set_sampler(perf_overflow_handler_t handler)
{
	/* Pairs with READ_ONCE() in td_starved_samples(). */
	WRITE_ONCE(td_starved_sampler, handler);
}

/* Is it an event of a sampler? */
static bool td_starved_samples(const struct perf_event *event)
{
	/* Pairs with WRITE_ONCE() in td_starved_set_sampler(). */
	perf_overflow_handler_t handler = READ_ONCE(td_starved_sampler);

	return handler && event->overflow_handler == handler;
}

/* May the event be scheduled on this CPU, by our PMU? */
static bool td_starved_here(const struct td_meter *meter, const struct perf_event *event)
{
	return event->pmu == td_meter_leader(meter)->pmu &&
	       (event->cpu == -1 || event->cpu == meter->cpu);
}

/* Is the event of one of our groups, or of a sampler, and not a perf user's? */
static bool td_starved_ours(const struct td_meter *meter, const struct perf_event *event)
{
	return td_meter_owns(meter, event) || td_starved_samples(event);
}

/* Does the event wait for counters?  Siblings of a disabled leader do not. */
static bool td_starved_waits(const struct perf_event *event)
{
	return event->state == PERF_EVENT_STATE_INACTIVE &&
	       event->group_leader->state == PERF_EVENT_STATE_INACTIVE;
}

/* Does an event of a task wait for counters that our groups may have? */
static bool td_starved_task_waits(const struct td_meter *meter, const struct perf_event *event)
{
	return td_starved_waits(event) && td_starved_here(meter, event) &&
	       (td_meter_general(meter) || td_meter_fixed(meter, event));
}

/* The same question for an event of the CPU that counts a cgroup. */
static bool td_starved_cgroup_waits(const struct td_meter *meter, const struct perf_event *event)
{
	return !td_starved_ours(meter, event) && td_starved_task_waits(meter, event) &&
	       td_compat_is_cgroup(event) && td_compat_cgroup_runs(event);
}

/* The same question for any event of the CPU. */
static bool td_starved_cpu_waits(const struct td_meter *meter, const struct perf_event *event)
{
	return !td_starved_ours(meter, event) && td_starved_task_waits(meter, event) &&
	       (!td_compat_is_cgroup(event) || td_compat_cgroup_runs(event));
}

/*
 * May an event lack counters because the group of cycles has some?  It has general ones
 * now and then, and other users of its fixed ones need general ones instead; but SLOTS and
 * metrics have counters of their own.
 */
static bool td_starved_cycles_wait(const struct td_meter *meter, const struct perf_event *event)
{
	return !td_starved_ours(meter, event) && td_starved_waits(event) &&
	       td_starved_here(meter, event) && !td_meter_fixed(meter, event) &&
	       (!td_compat_is_cgroup(event) || td_compat_cgroup_runs(event));
}

/* Would a CPU-wide event of a perf user keep the counter that the task needs? */
static bool td_starved_rival(const struct td_meter *meter, const struct perf_event *event)
{
	return event->state >= PERF_EVENT_STATE_INACTIVE && !td_compat_is_cgroup(event) &&
	       td_starved_here(meter, event) && td_meter_fixed(meter, event) &&
	       !td_starved_ours(meter, event);
}

/*
 * May the event have a counter that our groups left?  A pinned one, as that of the NMI watchdog,
 * does not wait: it has its counter, or is in error.
 */
static bool td_starved_has(const struct td_meter *meter, const struct perf_event *event)
{
	if (event->state != PERF_EVENT_STATE_ACTIVE || event->attr.pinned ||
	    !td_starved_here(meter, event) || td_starved_ours(meter, event))
		return false;
	return td_meter_fixed(meter, event) ||
	       (td_meter_general(meter) && event->hw.idx < TD_STARVED_FIXED);
}

typedef bool (*td_starved_test)(const struct td_meter *meter, const struct perf_event *event);

/**
 * struct td_starved_looks - how many events of a context have been looked at
 * @own: those of our PMU
 * @others: those of others
 */
struct td_starved_looks {
	unsigned int own;
	unsigned int others;
};

/* Is the event one too many to look at? */
static bool td_starved_enough(struct td_starved_looks *looks, const struct td_meter *meter,
			      const struct perf_event *event)
{
	if (event->pmu == td_meter_leader(meter)->pmu)
		return looks->own++ == TD_STARVED_LOOK_MAX;
	return looks->others++ == TD_STARVED_OTHERS_MAX;
}

/*
 * The newest event of this kind in a context: its id, which only grows; 0 for none.  @many: the
 * answer for contexts with very many events.  @enough: an id that need not be newer.
 */
static u64 td_starved_look(const struct td_meter *meter, struct perf_event_context *ctx,
			   td_starved_test test, u64 many, u64 enough)
{
	struct td_starved_looks looks = { };
	const struct perf_event *event;
	u64 newest = 0;

	lockdep_assert_irqs_disabled();
	raw_spin_lock(&ctx->lock);
	list_for_each_entry(event, &ctx->event_list, event_entry) {
		if (td_starved_enough(&looks, meter, event)) {
			newest = max(newest, many);
			break;
		}
		if (event->id <= newest || !test(meter, event))
			continue;
		newest = event->id;
		if (newest >= enough)
			break;
	}
	raw_spin_unlock(&ctx->lock);
	return newest;
}

static u64 td_starved_newest(const struct td_meter *meter, struct perf_event_context *ctx,
			     td_starved_test test, u64 many)
{
	return td_starved_look(meter, ctx, test, many, U64_MAX);
}

/* Does a context have such an event?  @many: the answer for contexts with very many events. */
static bool td_starved_any(const struct td_meter *meter, struct perf_event_context *ctx,
			   td_starved_test test, bool many)
{
	return td_starved_look(meter, ctx, test, many, 1);
}

/* The CPU's context, if its events lack counters and we would stand aside for their users. */
static struct perf_event_context *td_starved_cpu(const struct td_meter *meter, bool all)
{
	const struct perf_event *leader = td_meter_leader(meter);

	if (!all && !td_compat_has_cgroups(leader->ctx))
		return NULL;
	return td_compat_starved_cpu(leader);
}

/**
 * td_starved_context() - a context of perf with events that lack counters
 * @meter: meter of this CPU, interrupts off
 * @all: consider events that count the whole CPU, not only tasks and cgroups
 *
 * Cheap: it does not find out whose counters the events lack.
 *
 * Return: the context of the running task or of the CPU; NULL for none.
 */
struct perf_event_context *td_starved_context(const struct td_meter *meter, bool all)
{
	struct perf_event_context *ctx = td_compat_starved_task(td_meter_leader(meter));

	return ctx ? ctx : td_starved_cpu(meter, all);
}
EXPORT_SYMBOL_NS_GPL(td_starved_context, TD_NAMESPACE);

/**
 * td_starved_task() - has the task that runs events that lack counters?
 * @meter: meter of this CPU, interrupts off
 *
 * Cheap: it does not find out whose counters the events lack.
 *
 * Return: true or false.
 */
bool td_starved_task(const struct td_meter *meter)
{
	return td_compat_starved_task(td_meter_leader(meter));
}

/**
 * td_starved_by() - a perf user who lacks counters that the groups have, or have left
 * @meter: meter of this CPU, interrupts off
 * @all: as for td_starved_context()
 *
 * Return: the id of the newest event that waits, which only grows; 0 for none.
 */
u64 td_starved_by(const struct td_meter *meter, bool all)
{
	const struct perf_event *leader = td_meter_leader(meter);
	struct perf_event_context *ctx = td_compat_starved_task(leader);
	u64 newest = 0;

	/* perf serves CPU-wide users before tasks, so such a user would be in the way anyway. */
	if (ctx && (all || td_meter_general(meter) ||
		    !td_starved_any(meter, leader->ctx, td_starved_rival, false)))
		newest = td_starved_newest(meter, ctx, td_starved_task_waits, U64_MAX);
	ctx = td_starved_cpu(meter, all);
	if (ctx)
		newest = max(newest, td_starved_newest(meter, ctx, all ? td_starved_cpu_waits :
						       td_starved_cgroup_waits, U64_MAX));
	return newest;
}

/*
 * Does anybody see the counters of a group without asking the kernel?  A mapping that perf makes
 * right now has no reader yet.  Pairs with rcu_assign_pointer() in perf's ring_buffer_attach().
 */
static bool td_starved_mapped(struct perf_event *leader)
{
	struct perf_event *event;

	if (READ_ONCE(leader->rb))
		return true;
	for_each_sibling_event(event, leader) {
		if (READ_ONCE(event->rb))
			return true;
	}
	return false;
}

/* A sibling may be of another PMU, whose events have other fields at this place. */
static void td_starved_renew_event(const struct td_meter *meter, struct perf_event *event)
{
	if (event->pmu == td_meter_leader(meter)->pmu && td_meter_fixed(meter, event) &&
	    !is_sampling_event(event))
		local64_set(&event->hw.period_left, event->hw.sample_period);
}

static void td_starved_renew_group(const struct td_meter *meter, struct perf_event *leader)
{
	struct perf_event *event;

	if (leader->nr_siblings > TD_STARVED_LOOK_MAX || td_starved_mapped(leader))
		return;
	td_starved_renew_event(meter, leader);
	for_each_sibling_event(event, leader)
		td_starved_renew_event(meter, event);
}

static void td_starved_renew_context(const struct td_meter *meter, struct perf_event_context *ctx)
{
	struct td_starved_looks looks = { };
	struct perf_event *event;

	if (!ctx)
		return;
	raw_spin_lock(&ctx->lock);
	list_for_each_entry(event, &ctx->event_list, event_entry) {
		if (td_starved_enough(&looks, meter, event))
			break;
		if (event->group_leader == event && td_meter_fixed(meter, event) &&
		    td_starved_waits(event) && td_starved_here(meter, event) &&
		    !td_starved_ours(meter, event))
			td_starved_renew_group(meter, event);
	}
	raw_spin_unlock(&ctx->lock);
}

/**
 * td_starved_renew() - groups that wait for SLOTS shall begin with a reset of it
 * @meter: meter of this CPU that has its groups enabled; interrupts off
 *
 * Else the driver restores SLOTS and PERF_METRICS of others after each turn of ours, and their
 * figures get worse with each: see td_hook_reset(), which does the same for ours.  Their counts
 * have all until they had to leave.  Who has mapped an event may know an earlier value of the
 * registers, so there they go on.
 */
void td_starved_renew(const struct td_meter *meter)
{
	const struct perf_event *leader = td_meter_leader(meter);

	lockdep_assert_irqs_disabled();
	/* Ordinary counters are restored exactly. */
	if (!meter->group[0].fixed)
		return;
	td_starved_renew_context(meter, leader->ctx);
	td_starved_renew_context(meter, td_compat_starved_task(leader));
}

/**
 * td_starved_by_general() - does a perf user lack general counters?
 * @meter: meter of this CPU; interrupts off
 *
 * Whatever the parameter aside says: perf users who count tasks or whole CPUs.
 *
 * Return: true or false.
 */
bool td_starved_by_general(const struct td_meter *meter)
{
	const struct perf_event *leader = td_meter_leader(meter);
	struct perf_event_context *ctx;

	ctx = td_compat_starved_task(leader);
	if (ctx && td_starved_any(meter, ctx, td_starved_cycles_wait, true))
		return true;
	ctx = td_compat_starved_cpu(leader);
	return ctx && td_starved_any(meter, ctx, td_starved_cycles_wait, true);
}

/* Does somebody else's event keep a counter of this CPU, whoever takes turns? */
static bool td_starved_holds(const struct td_meter *meter, const struct perf_event *event)
{
	return event->attr.pinned && event->state == PERF_EVENT_STATE_ACTIVE &&
	       td_starved_here(meter, event) && !td_starved_ours(meter, event);
}

/**
 * td_starved_holders() - how many events of others have counters of this CPU for good?
 * @meter: meter of this CPU, interrupts off
 *
 * They are pinned and count the CPU, as that of the NMI watchdog.
 *
 * Return: their number, among the events that are looked at.
 */
unsigned int td_starved_holders(const struct td_meter *meter)
{
	struct perf_event_context *ctx = td_meter_leader(meter)->ctx;
	struct td_starved_looks looks = { };
	const struct perf_event *event;
	unsigned int holders = 0;

	lockdep_assert_irqs_disabled();
	raw_spin_lock(&ctx->lock);
	list_for_each_entry(event, &ctx->event_list, event_entry) {
		if (td_starved_enough(&looks, meter, event))
			break;
		holders += td_starved_holds(meter, event);
	}
	raw_spin_unlock(&ctx->lock);
	return holders;
}

/**
 * td_starved_by_cycles() - is the group of cycles in anybody's way?
 * @meter: meter of this CPU that has this group enabled; interrupts off
 *
 * In the way of perf users who lack general counters, in that of our group with general
 * counters, or of itself, because perf then begins to rotate our groups.
 *
 * Return: true or false.
 */
bool td_starved_by_cycles(const struct td_meter *meter)
{
	return td_starved_waits(meter->cycles.event[0]) ||
	       (td_meter_general(meter) && td_starved_waits(td_meter_leader(meter))) ||
	       td_starved_by_general(meter);
}

/**
 * td_starved_by_sampler() - is the sampler in anybody's way?
 * @meter: meter of this CPU; interrupts off
 *
 * In the way of perf users who lack general counters, and of our own groups.
 *
 * Return: true or false.
 */
bool td_starved_by_sampler(const struct td_meter *meter)
{
	unsigned int i;

	for (i = 0; i < meter->nr; i++) {
		if (td_starved_waits(meter->group[i].event[0]))
			return true;
	}
	return (meter->cycles.nr && td_starved_waits(meter->cycles.event[0])) ||
	       td_starved_by_general(meter);
}
EXPORT_SYMBOL_NS_GPL(td_starved_by_sampler, TD_NAMESPACE);

/**
 * td_starved_lacks() - does the event of a sampler lack a counter?
 * @event: it is enabled on this CPU; interrupts off
 *
 * Then all groups wait that perf would serve after it, whatever counters are free.
 *
 * Return: true or false.
 */
bool td_starved_lacks(const struct perf_event *event)
{
	return td_starved_waits(event);
}
EXPORT_SYMBOL_NS_GPL(td_starved_lacks, TD_NAMESPACE);

/*
 * Does PEBS of the sampler harm that of another event?  While the host has PEBS enabled, the
 * driver disables that of the guest that runs (intel_guest_get_msrs() of 6.12).  Records of a fixed
 * period, which the driver would take many at once, get an interrupt each as soon as one event
 * of the CPU wants that (pebs_update_threshold()).
 */
static bool td_starved_pebs(const struct td_meter *meter, const struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (!attr->precise_ip || event->group_leader->state < PERF_EVENT_STATE_INACTIVE ||
	    event->state < PERF_EVENT_STATE_INACTIVE || !td_starved_here(meter, event) ||
	    td_starved_ours(meter, event))
		return false;
	if (td_compat_is_cgroup(event) && !td_compat_cgroup_runs(event))
		return false;
	return attr->exclude_host ||
	       (!attr->freq && (!attr->wakeup_events || attr->watermark));
}

/**
 * td_starved_by_pebs() - would PEBS of a sampler harm somebody else's?
 * @meter: meter of this CPU; interrupts off
 *
 * The other is a guest whose virtual CPU runs here, or a perf user.
 *
 * Return: true or false, as far as the first events of the running task and of the CPU say.
 */
bool td_starved_by_pebs(const struct td_meter *meter)
{
	const struct perf_event *leader = td_meter_leader(meter);
	struct perf_event_context *ctx = td_compat_task(leader);

	return (ctx && td_starved_any(meter, ctx, td_starved_pebs, false)) ||
	       td_starved_any(meter, leader->ctx, td_starved_pebs, false);
}
EXPORT_SYMBOL_NS_GPL(td_starved_by_pebs, TD_NAMESPACE);

/**
 * td_starved_helped() - does somebody use a counter that the groups left?
 * @meter: meter of this CPU, disabled; interrupts off
 *
 * Return: true or false.
 */
bool td_starved_helped(const struct td_meter *meter)
{
	const struct perf_event *leader = td_meter_leader(meter);
	struct perf_event_context *ctx = td_compat_task(leader);

	/* Where there are too many to look at, doubt is for those whom we measure. */
	return (ctx && td_starved_any(meter, ctx, td_starved_has, false)) ||
	       td_starved_any(meter, leader->ctx, td_starved_has, false);
}
