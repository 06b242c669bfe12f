// SPDX-License-Identifier: GPL-2.0
/*
 * Ordinary counters in place of PERF_METRICS: the events of a formula family.
 *
 * Which events fit the counters together is for the kernel's driver to say: each
 * is added to the group that is being made, and if that is refused it goes into
 * the next.  Several groups run in turns, by perf's rotation.  Where there is
 * room each has the events of level 1, which is counted all the time then;
 * otherwise only the first has.  What other events count is scaled, by the cycles
 * that the CPU was not halted, since of two turns of the same length one may be
 * busy and one idle.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/time64.h>
#include <linux/topology.h>

#include "counters.h"
#include "model.h"

/* A group's rates are those of its last turns, which together last so long. */
#define TD_RATE_NS	(4 * NSEC_PER_MSEC)

/*
 * In so many rounds, and no less time, perf's rotation gives every group a turn
 * if it can have one: groups of others have turns too.
 */
#define TD_TURNS		4
#define TD_TURNS_MIN_MS		400

/* Not whether the core could have two threads, but whether it has them now. */
static bool td_counters_smt(int cpu)
{
	const struct cpumask *threads = topology_sibling_cpumask(cpu);

	return cpumask_next(cpumask_first(threads), threads) < nr_cpu_ids;
}

static bool td_counters_refused(int error)
{
	return error == -EINVAL || error == -ENOENT || error == -ENOSPC;
}

static int td_counters_add_to(const struct td_counters *counters, struct td_counter_group *part,
			      int cpu, unsigned int index, u64 config, bool pinned)
{
	struct td_group *group = &part->group;
	int ret;

	if (group->nr)
		ret = td_group_extend(group, cpu, config);
	else
		ret = td_group_begin(group, cpu, counters->type, config, pinned);
	if (!ret)
		part->event[group->nr - 1] = index;
	return ret;
}

/* An event of the table into this group, by any of its configs. */
static int td_counters_try(struct td_counters *counters, struct td_counter_group *part, int cpu,
			   unsigned int index, bool pinned)
{
	const struct td_event *event = &counters->formula->events[index];
	int ret = td_counters_add_to(counters, part, cpu, index, event->config, pinned);

	if (td_counters_refused(ret) && event->other)
		ret = td_counters_add_to(counters, part, cpu, index, event->other, pinned);
	return ret;
}

static bool td_counters_wants(const struct td_counters *counters, unsigned int index,
			      unsigned int level)
{
	const struct td_event *event = &counters->formula->events[index];

	if (event->when == (counters->smt ? TD_NO_SMT : TD_SMT))
		return false;
	if (event->parents == TD_LEVEL1)
		return true;
	return level > 1 && event->parents & ~counters->closed;
}

/* Is the first event of this group's level 1 the reference itself? */
static bool td_counters_leads(const struct td_counters *counters,
			      const struct td_counter_group *part)
{
	return (counters->shared || part == &counters->part[0]) &&
	       counters->formula->events[0].config == counters->formula->reference;
}

/*
 * What a group begins with: the reference, and level 1 if not the first has it alone.
 * All of it counts for the room: a group of more never has its turn.
 */
static int td_counters_lead(struct td_counters *counters, int cpu, bool pinned)
{
	struct td_counter_group *part = &counters->part[counters->nr++];
	unsigned int i;
	int ret = 0;

	if (counters->reference && !td_counters_leads(counters, part))
		ret = td_counters_add_to(counters, part, cpu, TD_EVENTS_MAX,
					 counters->formula->reference, pinned);
	for (i = 0; counters->shared && i < counters->formula->nr_events && !ret; i++) {
		if (td_counters_wants(counters, i, 1))
			ret = td_counters_try(counters, part, cpu, i, pinned);
	}
	if (!ret && part->group.nr > counters->room)
		ret = -ENOSPC;
	return ret;
}

/* An event of the table into the last group, or into a new one. */
static int td_counters_add(struct td_counters *counters, int cpu, unsigned int index,
			   bool pinned)
{
	struct td_counter_group *part = &counters->part[counters->nr - 1];
	int ret = -ENOSPC;

	if (part->group.nr < counters->room)
		ret = td_counters_try(counters, part, cpu, index, pinned);
	if (!td_counters_refused(ret) || !part->group.nr)
		return ret;
	if (counters->nr == TD_GROUPS_MAX)
		return -ENOSPC;
	ret = td_counters_lead(counters, cpu, false);
	part++;
	if (!ret && part->group.nr < counters->room)
		return td_counters_try(counters, part, cpu, index, false);
	return ret ? ret : -ENOSPC;
}

static int td_counters_build(struct td_counters *counters, int cpu, bool pinned)
{
	unsigned int i;
	int ret;

	ret = td_counters_lead(counters, cpu, pinned);
	for (i = 0; i < counters->formula->nr_events && !ret; i++) {
		if (!td_counters_wants(counters, i, counters->level) ||
		    (counters->shared && td_counters_wants(counters, i, 1)))
			continue;
		ret = td_counters_add(counters, cpu, i, pinned);
	}
	return ret;
}

static void td_counters_release(struct td_counters *counters)
{
	while (counters->nr) {
		counters->nr--;
		td_group_destroy(&counters->part[counters->nr].group);
	}
}

/* All events of a level: in one group, or else in the best way there is. */
static int td_counters_make(struct td_counters *counters, int cpu, bool pinned)
{
	static const struct {
		bool reference, shared, single;
	} ways[] = {
		{ false, false, true },
		{ true, true, false },
		{ true, false, false },
		{ false, false, false },
	};
	unsigned int i;
	int ret = -EINVAL;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		counters->reference = ways[i].reference;
		counters->shared = ways[i].shared;
		/* One of several that never gave way would keep the others out. */
		ret = td_counters_build(counters, cpu, pinned && ways[i].single);
		if (!ret && (counters->nr == 1 || !ways[i].single))
			return 0;
		td_counters_release(counters);
		if (ret && !td_counters_refused(ret))
			break;
	}
	return ret;
}

/*
 * If level 2 does not fit the counters with level 1: only the children of these nodes
 * of it.  That is no more than there was, so it can be had.
 */
static int td_counters_drill(struct td_counters *counters, int cpu, bool pinned, u32 open)
{
	int ret;

	if (counters->nr == 1 || counters->level == 1 || !counters->formula->thresholds)
		return 0;
	td_counters_release(counters);
	counters->closed = ~open & TD_PARENTS;
	ret = td_counters_make(counters, cpu, pinned);
	counters->drill = !ret;
	return ret;
}

/**
 * td_counters_create() - make the groups of a CPU, not yet counting
 * @model: of the CPU; has a formula
 * @cpu: CPU, which cannot pass our hotplug teardown meanwhile
 * @room: the most events that a group may have
 * @pinned: take the counters for good if all events fit them
 * @open: where not all of level 2 fits them, level 1 nodes whose children are counted,
 *	bit n for node n; NULL for all, in turns
 *
 * Return: the groups; -EINVAL or -ENOENT as a pointer if the CPU lacks events of
 * level 1; another errno.
 */
struct td_counters *td_counters_create(const struct td_model *model, int cpu,
				       unsigned int room, bool pinned,
				       const u32 *open)
{
	struct td_counters *counters = kzalloc(sizeof(*counters), GFP_KERNEL);
	int ret = -EINVAL;

	if (!counters)
		return ERR_PTR(-ENOMEM);
	counters->formula = model->formula;
	counters->room = room;
	counters->smt = td_counters_smt(cpu);
	counters->width = model->slots_per_cycle;
	counters->type = td_group_type(cpu, model->kind == TOPDOWN_KIND_ATOM);
	for (counters->level = model->formula->level; counters->level; counters->level--) {
		ret = td_counters_make(counters, cpu, pinned);
		if (!ret && open)
			ret = td_counters_drill(counters, cpu, pinned, *open);
		if (!ret)
			return counters;
		if (!td_counters_refused(ret))
			break;
	}
	kfree(counters);
	return ERR_PTR(ret == -ENOSPC ? -EINVAL : ret);
}

/**
 * td_counters_destroy() - undo td_counters_create()
 * @counters: may be NULL
 */
void td_counters_destroy(struct td_counters *counters)
{
	if (!counters)
		return;
	td_counters_release(counters);
	kfree(counters);
}

/**
 * td_counters_outdated() - are these the events of a core with one thread, and has
 * it two now?
 * @counters: ordinary counters of a CPU
 * @cpu: the CPU
 *
 * Those of a core with two threads are right for one as well.
 *
 * Return: true or false.
 */
bool td_counters_outdated(const struct td_counters *counters, int cpu)
{
	return !counters->smt && td_counters_smt(cpu);
}

/**
 * td_counters_disable() - leave the counters to others, until td_counters_enable()
 * @counters: process context
 */
void td_counters_disable(struct td_counters *counters)
{
	unsigned int i;

	for (i = 0; i < counters->nr; i++)
		td_group_disable(&counters->part[i].group);
}

/**
 * td_counters_enable() - start to count, also again after an error
 * @counters: process context
 *
 * Level 1 first: it comes first in perf's rotation too.
 */
void td_counters_enable(struct td_counters *counters)
{
	unsigned int i;

	for (i = 0; i < counters->nr; i++)
		td_group_enable(&counters->part[i].group);
}

/**
 * td_counters_in_error() - was pinned level 1 refused its counters?
 * @counters: ordinary counters of a CPU
 *
 * Return: true or false.
 */
bool td_counters_in_error(const struct td_counters *counters)
{
	return td_group_in_error(&counters->part[0].group);
}

/**
 * td_counters_percent() - how much of the time level 1 is counted if nobody interferes
 * @counters: ordinary counters of a CPU
 * @whole: percent that stand for all the time
 *
 * Return: percent; less by a fifth than a fair turn, as turns are not exact.
 */
unsigned int td_counters_percent(const struct td_counters *counters, unsigned int whole)
{
	if (counters->nr == 1 || counters->shared)
		return whole;
	return 80 / counters->nr;
}

/**
 * td_counters_events() - how many events there are
 * @counters: ordinary counters of a CPU
 *
 * Return: their number in all groups together.
 */
unsigned int td_counters_events(const struct td_counters *counters)
{
	unsigned int i, n = 0;

	for (i = 0; i < counters->nr; i++)
		n += counters->part[i].group.nr;
	return n;
}

/**
 * td_counters_turns_ms() - how long it may take until every group had a turn
 * @counters: ordinary counters of a CPU
 *
 * Return: milliseconds.
 */
unsigned int td_counters_turns_ms(const struct td_counters *counters)
{
	const struct pmu *pmu = counters->part[0].group.event[0]->pmu;
	/* Pairs with the plain store of a write to perf_event_mux_interval_ms. */
	unsigned int interval = READ_ONCE(pmu->hrtimer_interval_ms);

	return max(TD_TURNS * counters->nr * interval, (unsigned int)TD_TURNS_MIN_MS);
}

/**
 * td_counters_has() - is an event counted?
 * @counters: ordinary counters of a CPU
 * @index: number of the event in the family's table
 *
 * Return: true or false.
 */
bool td_counters_has(const struct td_counters *counters, unsigned int index)
{
	return td_counters_wants(counters, index, counters->level);
}

/**
 * td_counters_starved() - groups that never have a turn
 * @counters: of this CPU, interrupts off
 * @now: local_clock()
 *
 * That they fit the counters when nobody else has any does not mean that they
 * ever do: the NMI watchdog has one for good.  What a group without a turn counted
 * last is forgotten, so that nothing is counted until it has one again.
 *
 * A machine that stood still for a while had no turns either, so once is not
 * enough: only who had none twice in succession has none.
 *
 * Return: the number of events in the largest of them; 0 for none, and if it has
 * been looked too short a while ago.
 */
unsigned int td_counters_starved(struct td_counters *counters, u64 now)
{
	u64 turns = (u64)td_counters_turns_ms(counters) * NSEC_PER_MSEC;
	struct td_counter_group *part;
	bool missed, doubtful = false;
	unsigned int most = 0;
	u64 running;

	lockdep_assert_irqs_disabled();
	if (now - counters->checked < turns)
		return 0;
	counters->checked = now;
	for (part = counters->part; part < counters->part + counters->nr; part++) {
		running = td_group_running(&part->group, now);
		missed = running == part->checked;
		if (missed) {
			part->ran = 0;
			part->span = 0;
			doubtful |= !part->missed;
			if (part->missed)
				most = max(most, part->group.nr);
		}
		part->missed = missed;
		part->checked = running;
	}
	/* Pairs with READ_ONCE() in td_cpu_make_room(). */
	WRITE_ONCE(counters->doubtful, doubtful);
	return most;
}

/**
 * td_counters_spare() - do not hold it against the groups that they had no turns
 * @counters: of this CPU, interrupts off
 * @now: local_clock()
 *
 * They were disabled until now.
 */
void td_counters_spare(struct td_counters *counters, u64 now)
{
	struct td_counter_group *part;

	lockdep_assert_irqs_disabled();
	counters->checked = now;
	for (part = counters->part; part < counters->part + counters->nr; part++)
		part->checked = td_group_running(&part->group, now);
}

/* Is what the group counts of an event all there is, and not scaled? */
static bool td_counters_direct(const struct td_counters *counters,
			       const struct td_counter_group *part, unsigned int event)
{
	if (event == TD_EVENTS_MAX)
		return false;
	return counters->shared ? counters->formula->events[event].parents == TD_LEVEL1 :
				  part == &counters->part[0];
}

static bool td_counters_is_reference(const struct td_counters *counters,
				     const struct td_counter_group *part, unsigned int event)
{
	return event == TD_EVENTS_MAX ||
	       (counters->reference && !event && td_counters_leads(counters, part));
}

/*
 * The group has run for @ran since the last fold: what it counted.  Returns how
 * much that is by the reference.
 */
static u64 td_counters_turn(const struct td_counters *counters, struct td_counter_group *part,
			    u64 ran, struct td_sample *sample)
{
	u64 count, delta, span = ran;
	unsigned int i;

	for (i = 0; i < part->group.nr; i++) {
		count = local64_read(&part->group.event[i]->count);
		delta = count - part->counted[i];
		part->counted[i] = count;
		part->last[i] = part->ran ? part->last[i] + delta : delta;
		if (td_counters_is_reference(counters, part, part->event[i]))
			span = delta;
		if (td_counters_direct(counters, part, part->event[i]))
			sample->count[part->event[i]] += delta;
	}
	part->span = part->ran ? part->span + span : span;
	part->ran += ran;
	return span;
}

/**
 * struct td_counters_sum - what the groups counted since the last fold
 * @ran: nanoseconds in which level 1 was counted
 * @span: the same by the reference
 */
struct td_counters_sum {
	u64 ran;
	u64 span;
};

static void td_counters_collect(struct td_counters *counters, struct td_counter_group *part,
				u64 now, struct td_sample *sample, struct td_counters_sum *sum)
{
	u64 running = td_group_running(&part->group, now), span;
	s64 ran = running - part->running;

	part->running = running;
	td_group_update(&part->group);
	/* What was counted in no time is counted the next time. */
	if (ran <= 0)
		return;
	if (part->ran >= TD_RATE_NS)
		part->ran = 0;
	span = td_counters_turn(counters, part, ran, sample);
	if (counters->shared || part == &counters->part[0]) {
		sum->ran += ran;
		sum->span += span;
	}
}

/**
 * td_counters_begin() - what was counted until now is nobody's
 * @counters: of this CPU, interrupts off; enabled
 * @now: local_clock()
 */
void td_counters_begin(struct td_counters *counters, u64 now)
{
	struct td_counters_sum unseen_sum = { };
	struct td_sample unseen = { };
	struct td_counter_group *part;

	lockdep_assert_irqs_disabled();
	counters->checked = now;
	for (part = counters->part; part < counters->part + counters->nr; part++) {
		td_counters_collect(counters, part, now, &unseen, &unseen_sum);
		part->ran = 0;
		part->span = 0;
		part->checked = part->running;
	}
}

/* Add what has to be scaled; false if of some events nothing is known yet. */
static bool td_counters_scale(const struct td_counters *counters, u64 span,
			      struct td_sample *sample)
{
	const struct td_counter_group *part;
	unsigned int i, event;

	if (counters->nr == 1)
		return true;
	for (part = counters->part; part < counters->part + counters->nr; part++) {
		if (!part->span)
			return false;
		for (i = 0; i < part->group.nr; i++) {
			event = part->event[i];
			if (event == TD_EVENTS_MAX || td_counters_direct(counters, part, event))
				continue;
			sample->count[event] = td_times(part->last[i], span, part->span);
		}
	}
	return true;
}

/**
 * td_counters_fold() - what was counted since the last fold, as slots per node
 * @counters: of @cpu, which is this one; interrupts off
 * @cpu: this CPU
 * @now: local_clock()
 * @slots: written
 *
 * Where a group has not run at all yet, nothing was counted.
 *
 * Return: nanoseconds in which that was counted.
 */
u64 td_counters_fold(struct td_counters *counters, int cpu, u64 now, struct td_slots *slots)
{
	struct td_sample sample = {
		.width = counters->width,
		.level = counters->level,
		.closed = counters->closed,
		/*
		 * A thread may be there already, and these are still those events that
		 * cores with one need.
		 */
		.smt = counters->smt && td_counters_smt(cpu),
	};
	struct td_counters_sum sum = { };
	unsigned int i;

	lockdep_assert_irqs_disabled();
	for (i = 0; i < counters->nr; i++)
		td_counters_collect(counters, &counters->part[i], now, &sample, &sum);
	if (!sum.ran || !td_counters_scale(counters, sum.span, &sample)) {
		*slots = (struct td_slots){ };
		return 0;
	}
	for (i = 0; i < counters->formula->nr_events; i++)
		counters->total[i] += sample.count[i];
	td_formula_eval(counters->formula, &sample, slots);
	return sum.ran;
}
