// SPDX-License-Identifier: GPL-2.0
/*
 * Ordinary counters in place of PERF_METRICS: the events of a formula family.
 *
 * Which events fit the counters together is for the kernel's driver to say: each
 * is added to the group that is being made, and if that is refused it leads the
 * next.  Several groups run in turns, by perf's rotation, and what each counted
 * is scaled to the time of the first, which has level 1.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/time64.h>
#include <linux/topology.h>

#include "counters.h"
#include "model.h"

/* A group's rates are those of its last turns, which together last so long. */
#define TD_RATE_NS	(4 * NSEC_PER_MSEC)

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

static int td_counters_add_to(struct td_group *group, int cpu, u64 config, bool pinned)
{
	if (!group->nr)
		return td_group_begin(group, cpu, config, pinned);
	return td_group_extend(group, cpu, config);
}

/* The event into this group, by any of its names. */
static int td_counters_try(struct td_counter_group *part, int cpu, const struct td_event *event,
			   bool pinned)
{
	int ret = td_counters_add_to(&part->group, cpu, event->config, pinned);

	if (td_counters_refused(ret) && event->other)
		ret = td_counters_add_to(&part->group, cpu, event->other, pinned);
	return ret;
}

/* The event into the last group, or into a new one. */
static int td_counters_add(struct td_counters *counters, int cpu, unsigned int index,
			   unsigned int room, bool pinned)
{
	const struct td_event *event = &counters->formula->events[index];
	struct td_counter_group *part = &counters->part[counters->nr - 1];
	int ret = -ENOSPC;

	if (part->group.nr < room)
		ret = td_counters_try(part, cpu, event, pinned);
	if (td_counters_refused(ret) && part->group.nr) {
		if (counters->nr == TD_GROUPS_MAX)
			return -ENOSPC;
		part = &counters->part[counters->nr++];
		ret = td_counters_try(part, cpu, event, false);
	}
	if (!ret)
		part->event[part->group.nr - 1] = index;
	return ret;
}

static int td_counters_build(struct td_counters *counters, int cpu, unsigned int room,
			     bool pinned)
{
	const struct td_formula *formula = counters->formula;
	enum td_when never = counters->smt ? TD_NO_SMT : TD_SMT;
	unsigned int i;
	int ret;

	counters->nr = 1;
	for (i = 0; i < formula->nr_events; i++) {
		if (formula->events[i].level > counters->level ||
		    formula->events[i].when == never)
			continue;
		ret = td_counters_add(counters, cpu, i, room, pinned);
		if (ret)
			return ret;
	}
	return 0;
}

static void td_counters_release(struct td_counters *counters)
{
	while (counters->nr) {
		counters->nr--;
		td_group_destroy(&counters->part[counters->nr].group);
	}
}

/**
 * td_counters_create() - make the groups of a CPU, not yet counting
 * @model: has a formula
 * @cpu: CPU, which cannot pass our hotplug teardown meanwhile
 * @room: the most events that a group may have
 * @pinned: take the counters of level 1 for good
 *
 * Return: the groups; -EINVAL or -ENOENT as a pointer if the CPU lacks events of
 * level 1; another errno.
 */
struct td_counters *td_counters_create(const struct td_model *model, int cpu,
				       unsigned int room, bool pinned)
{
	struct td_counters *counters = kzalloc(sizeof(*counters), GFP_KERNEL);
	int ret = -EINVAL;

	if (!counters)
		return ERR_PTR(-ENOMEM);
	counters->formula = model->formula;
	counters->smt = td_counters_smt(cpu);
	counters->width = model->slots_per_cycle;
	for (counters->level = model->formula->level; counters->level; counters->level--) {
		ret = td_counters_build(counters, cpu, room, pinned);
		if (!ret)
			return counters;
		td_counters_release(counters);
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
 * td_counters_starved() - groups that never ran
 * @counters: of this CPU, interrupts off
 * @now: local_clock()
 *
 * That they fit the counters when nobody else has any does not mean that they
 * ever do: the NMI watchdog has one for good.
 *
 * Return: the number of events in the largest of them; 0 for none.
 */
unsigned int td_counters_starved(const struct td_counters *counters, u64 now)
{
	unsigned int i, most = 0;

	for (i = 0; i < counters->nr; i++) {
		const struct td_group *group = &counters->part[i].group;

		if (!td_group_running(group, now))
			most = max(most, group->nr);
	}
	return most;
}

/* What the group counted since the last fold, and how long it ran. */
static u64 td_counters_collect(struct td_counters *counters, struct td_counter_group *part,
			       u64 now)
{
	u64 running = td_group_running(&part->group, now), count;
	s64 ran = running - part->running;
	unsigned int i, event;

	part->running = running;
	td_group_update(&part->group);
	/* Of a part that was not whole the next is the rest. */
	if (ran <= 0)
		return 0;
	if (part->ran >= TD_RATE_NS || part == &counters->part[0])
		part->ran = 0;
	for (i = 0; i < part->group.nr; i++) {
		event = part->event[i];
		count = local64_read(&part->group.event[i]->count);
		if (!part->ran)
			counters->last[event] = 0;
		counters->last[event] += count - counters->counted[event];
		counters->counted[event] = count;
	}
	part->ran += ran;
	return ran;
}

/**
 * td_counters_begin() - what was counted until now is nobody's
 * @counters: of this CPU, interrupts off; enabled
 * @now: local_clock()
 */
void td_counters_begin(struct td_counters *counters, u64 now)
{
	unsigned int i;

	for (i = 0; i < counters->nr; i++) {
		td_counters_collect(counters, &counters->part[i], now);
		counters->part[i].ran = 0;
	}
}

/* Counts of the first group as they are, those of others scaled to its time. */
static bool td_counters_sample(const struct td_counters *counters, u64 ran,
			       struct td_sample *sample)
{
	const struct td_counter_group *part;
	unsigned int i, j, event;

	for (i = 0; i < counters->nr; i++) {
		part = &counters->part[i];
		/* Of some of the nodes nothing is known yet. */
		if (!part->ran)
			return false;
		for (j = 0; j < part->group.nr; j++) {
			event = part->event[j];
			sample->count[event] = i ? td_times(counters->last[event], ran, part->ran) :
					       counters->last[event];
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
		.smt = td_counters_smt(cpu),
	};
	unsigned int i;
	u64 ran;

	lockdep_assert_irqs_disabled();
	ran = td_counters_collect(counters, &counters->part[0], now);
	for (i = 1; i < counters->nr; i++)
		td_counters_collect(counters, &counters->part[i], now);
	if (!ran || !td_counters_sample(counters, ran, &sample)) {
		*slots = (struct td_slots){ };
		return 0;
	}
	td_formula_eval(counters->formula, &sample, slots);
	return ran;
}
