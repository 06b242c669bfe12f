// SPDX-License-Identifier: GPL-2.0
/*
 * The meter of a CPU without PERF_METRICS: ordinary counters and a formula.
 *
 * If the events do not fit the counters together they are in several groups, which take turns
 * (counters-make.c, aside.c).  The counts of such a group are scaled to all the time.  The
 * scale is the reference, cycles in which the CPU was not halted, because of two turns of
 * the same length one may be busy and the other idle.
 */
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/topology.h>

#include "compat.h"
#include "counters.h"
#include "model.h"

/* The rates of a group are those of its last turns, which together last this long. */
#define TD_RATE_NS	(4 * NSEC_PER_MSEC)

/* A group that ran for less had no counters in its turn. */
#define TD_TURN_MIN_NS	(100 * NSEC_PER_USEC)

/* After so many turns in a row without counters a group is starved. */
#define TD_TURNS_MISSED	10

/**
 * td_counters_smt() - does a CPU's core have two threads now?
 * @cpu: possible CPU
 *
 * Return: true if two threads are online now.
 */
bool td_counters_smt(int cpu)
{
	const struct cpumask *threads = topology_sibling_cpumask(cpu);

	return cpumask_next(cpumask_first(threads), threads) < nr_cpu_ids;
}

/**
 * td_counters_wants() - does a level need an event?
 * @counters: ordinary counters of a CPU
 * @index: index of the event in the family's table
 * @level: count up to this level
 *
 * Return: true or false.
 */
bool td_counters_wants(const struct td_counters *counters, unsigned int index,
		       unsigned int level)
{
	const struct td_event *event = &td_counters_formula(counters)->events[index];

	if (event->when == (counters->smt ? TD_NO_SMT : TD_SMT))
		return false;
	if (event->parents == TD_LEVEL1)
		return true;
	return level > 1 && event->parents & ~counters->undrilled;
}

/**
 * td_counters_leads() - is the first level 1 event of a group the reference itself?
 * @counters: ordinary counters of a CPU
 * @group: number of the group
 *
 * Return: true or false.
 */
bool td_counters_leads(const struct td_counters *counters, unsigned int group)
{
	const struct td_formula *formula = td_counters_formula(counters);

	return (counters->shared || !group) && formula->events[0].config == formula->reference;
}

/**
 * td_counters_outdated() - are the events those for one thread, while the core has two?
 * @counters: ordinary counters of a CPU
 *
 * The events for two threads are right for one thread too.
 *
 * Return: true or false.
 */
bool td_counters_outdated(const struct td_counters *counters)
{
	return !counters->smt && td_counters_smt(counters->meter.cpu);
}

/**
 * td_counters_turn_over() - the turn of the group that is enabled is over
 * @counters: ordinary counters of this CPU, interrupts off
 * @now: local_clock()
 *
 * A group without counters keeps its turn, because perf serves it after others, and moves it
 * forward as long as it waits.  Its rates are forgotten, so nothing is counted meanwhile.
 *
 * Return: true if it is the next group's turn.
 */
bool td_counters_turn_over(struct td_counters *counters, u64 now)
{
	const struct td_meter *meter = &counters->meter;
	struct td_turns *turns = &counters->turns[meter->turn];
	u64 running = td_group_running(&meter->group[meter->turn], now);
	bool missed = running - turns->checked < TD_TURN_MIN_NS;

	lockdep_assert_irqs_disabled();
	turns->checked = running;
	if (!missed) {
		turns->missed = 0;
		return meter->nr > 1;
	}
	turns->ran = 0;
	turns->span = 0;
	turns->missed++;
	return meter->nr > 1 && turns->missed >= TD_TURNS_MISSED;
}

/**
 * td_counters_starve() - the group whose turn it is will never have counters
 * @counters: ordinary counters of this CPU, interrupts off
 */
void td_counters_starve(struct td_counters *counters)
{
	lockdep_assert_irqs_disabled();
	/* Pairs with WRITE_ONCE() in td_meter_next(). */
	counters->turns[READ_ONCE(counters->meter.turn)].missed = TD_TURNS_MISSED;
}

/**
 * td_counters_starved() - find groups that never have counters
 * @counters: ordinary counters of this CPU, interrupts off
 *
 * perf accepts a group that fits the counters when all are free.  It may still never run,
 * because somebody holds a counter for good, for example the NMI watchdog.
 *
 * Return: the number of events in the largest starved group; 0 if there is none.
 */
unsigned int td_counters_starved(const struct td_counters *counters)
{
	const struct td_meter *meter = &counters->meter;
	unsigned int n, most = 0;

	lockdep_assert_irqs_disabled();
	for (n = 0; n < meter->nr; n++) {
		/* One that has counters by now is starved no more. */
		if (counters->turns[n].missed >= TD_TURNS_MISSED && !meter->group[n].on)
			most = max(most, meter->group[n].nr);
	}
	return most;
}

/* Does group @n count all of an event, so that its count needs no scaling? */
static bool td_counters_direct(const struct td_counters *counters, unsigned int n,
			       unsigned int event)
{
	if (event == TD_EVENTS_MAX)
		return false;
	/* Retired instructions that no formula needs are in the last group. */
	if (event == TD_EVENT_RETIRED && counters->instructions == TD_EVENT_RETIRED)
		return counters->meter.nr == 1;
	if (counters->shared)
		return td_counters_formula(counters)->events[event].parents == TD_LEVEL1;
	return !n;
}

static bool td_counters_is_reference(const struct td_counters *counters, unsigned int n,
				     unsigned int event)
{
	return event == TD_EVENTS_MAX ||
	       (counters->reference && !event && td_counters_leads(counters, n));
}

/*
 * Group @n has run for @ran since the last fold.  Take its counts, and return the
 * count of the reference.
 */
static u64 td_counters_turn(struct td_counters *counters, unsigned int n, u64 ran,
			    struct td_sample *sample)
{
	const struct td_group *group = &counters->meter.group[n];
	struct td_turns *turns = &counters->turns[n];
	u64 count, delta, span = ran;
	unsigned int i;

	for (i = 0; i < group->nr; i++) {
		count = local64_read(&group->event[i]->count);
		delta = count - turns->counted[i];
		turns->counted[i] = count;
		turns->last[i] = turns->ran ? turns->last[i] + delta : delta;
		if (td_counters_is_reference(counters, n, turns->event[i]))
			span = delta;
		if (td_counters_direct(counters, n, turns->event[i]))
			sample->count[turns->event[i]] += delta;
	}
	turns->span = turns->ran ? turns->span + span : span;
	turns->ran += ran;
	return span;
}

/**
 * struct td_counters_sum - how long the groups have run since the last fold
 * @ran: nanoseconds in which level 1 was counted
 * @span: counts of the reference in that time
 * @all: nanoseconds in which any of the groups had its counters
 */
struct td_counters_sum {
	s64 ran;
	u64 span;
	u64 all;
};

static void td_counters_collect(struct td_counters *counters, unsigned int n, u64 now,
				struct td_sample *sample, struct td_counters_sum *sum)
{
	const struct td_group *group = &counters->meter.group[n];
	struct td_turns *turns = &counters->turns[n];
	u64 running = td_group_running(group, now), span;
	s64 ran = running - turns->running;

	turns->running = running;
	td_group_update(group);
	/* Counts of no time wait for the next fold. */
	if (ran <= 0)
		return;
	sum->all += ran;
	/* Not within a turn: folds read one event after the other, so its last bit says little. */
	if (turns->began != group->ns.since && turns->ran >= TD_RATE_NS)
		turns->ran = 0;
	turns->began = group->ns.since;
	span = td_counters_turn(counters, n, ran, sample);
	if (counters->shared || !n) {
		sum->ran += ran;
		sum->span += span;
	}
}

static void td_counters_begin(struct td_meter *meter, u64 now)
{
	struct td_counters *counters = container_of(meter, struct td_counters, meter);
	struct td_counters_sum unseen_sum = { };
	struct td_turns *turns = counters->turns;
	struct td_sample unseen = { };
	unsigned int n;

	lockdep_assert_irqs_disabled();
	for (n = 0; n < meter->nr; n++, turns++) {
		td_counters_collect(counters, n, now, &unseen, &unseen_sum);
		turns->ran = 0;
		turns->span = 0;
		turns->checked = turns->running;
		turns->missed = 0;
	}
}

/* Add the scaled counts; false if some group has not had a turn yet. */
static bool td_counters_scale(const struct td_counters *counters, u64 span,
			      struct td_sample *sample)
{
	const struct td_meter *meter = &counters->meter;
	const struct td_turns *turns = counters->turns;
	unsigned int n, i, event;

	if (meter->nr == 1)
		return true;
	for (n = 0; n < meter->nr; n++, turns++) {
		if (!turns->span)
			return false;
		for (i = 0; i < meter->group[n].nr; i++) {
			event = turns->event[i];
			if (event == TD_EVENTS_MAX || td_counters_direct(counters, n, event))
				continue;
			sample->count[event] = td_times(turns->last[i], span, turns->span);
		}
	}
	return true;
}

/* Collect the counts since the last fold for the formula; false if there are none. */
static bool td_counters_sample(struct td_counters *counters, u64 now, struct td_sample *sample,
			       struct td_counters_sum *sum)
{
	const struct td_meter *meter = &counters->meter;
	unsigned int n, i;

	*sample = (struct td_sample){
		.width = meter->model->slots_per_cycle,
		.level = meter->level,
		.undrilled = counters->undrilled,
		/*
		 * The second thread may be online already while the events are still
		 * those for one thread.
		 */
		.smt = counters->smt && td_counters_smt(meter->cpu),
	};
	for (n = 0; n < meter->nr; n++)
		td_counters_collect(counters, n, now, sample, sum);
	if (!sum->ran || !td_counters_scale(counters, sum->span, sample))
		return false;
	for (i = 0; i < td_counters_formula(counters)->nr_events; i++)
		counters->total[i] += sample->count[i];
	return true;
}

/* The first event counts cycles, in the time in which level 1 had the counters. */
static void td_counters_cycles(const struct td_counters *counters,
			       const struct td_sample *sample, struct topdown_sums *sums)
{
	bool counted = counters->instructions && sums->slots;

	sums->cycles = counted ? sample->count[0] : 0;
	sums->instructions = counted ? sample->count[counters->instructions] : 0;
}

/* The sum of level 1 if its events are counted at once; 0 if they are in groups that take turns. */
static u64 td_counters_level1(const struct td_counters *counters, const struct td_slots *slots)
{
	return counters->shared || counters->meter.nr == 1 ? slots->level1 : 0;
}

/*
 * The part is empty as long as some group has not run at all.  Ordinary counters need no reset,
 * so all folds are alike.
 */
static s64 td_counters_fold(struct td_meter *meter, u64 now, struct td_part *part,
			    enum td_fold how)
{
	struct td_counters *counters = container_of(meter, struct td_counters, meter);
	struct td_counters_sum sum = { };
	struct td_sample sample;
	struct td_slots slots = { };
	s64 ran = 0;

	lockdep_assert_irqs_disabled();
	if (td_counters_sample(counters, now, &sample, &sum)) {
		td_formula_eval(td_counters_formula(counters), &sample, &slots);
		ran = sum.ran;
	}
	part->turns_ns = sum.all;
	part->sums.slots = slots.slots;
	td_counters_cycles(counters, &sample, &part->sums);
	memcpy(part->sums.node, slots.node, sizeof(slots.node));
	part->clamped = slots.clamped;
	part->doubt = td_doubt_counters(slots.slots, slots.node[TOPDOWN_RETIRING],
					td_counters_level1(counters, &slots), ran);
	part->odd = false;
	return ran;
}

/* The config of an event that is counted: the driver may have refused the first of two. */
static u64 td_counters_config(const struct td_counters *counters, unsigned int index)
{
	const struct td_group *group = counters->meter.group;
	unsigned int n, i;

	for (n = 0; n < counters->meter.nr; n++) {
		for (i = 0; i < group[n].nr; i++) {
			if (counters->turns[n].event[i] == index)
				return group[n].event[i]->attr.config;
		}
	}
	return td_counters_formula(counters)->events[index].config;
}

static void td_counters_events(const struct td_meter *meter, struct td_events *events)
{
	const struct td_counters *counters = container_of(meter, struct td_counters, meter);
	const struct td_formula *formula = td_counters_formula(counters);
	const struct td_event *event = formula->events;
	unsigned int i;

	events->nr = 0;
	for (i = 0; i < formula->nr_events; i++, event++) {
		if (td_counters_wants(counters, i, meter->level))
			events->event[events->nr++] = (struct td_event_count){
				event->name, td_counters_config(counters, i), counters->total[i],
			};
	}
}

/* Why the CPU is not measured with PERF_METRICS. */
static const char *td_counters_reason(const struct td_counters *counters)
{
	const struct td_meter *meter = &counters->meter;

	if (counters->unknown)
		return "the kernel does not know its counters";
	if (meter->model->kind == TOPDOWN_KIND_ATOM)
		return "an E-core has no PERF_METRICS";
	return meter->source == TOPDOWN_SOURCE_FALLBACK ? "hidden PERF_METRICS" :
							  "no PERF_METRICS";
}

static void td_counters_describe(const struct td_meter *meter, char *text, size_t size)
{
	const struct td_counters *counters = container_of(meter, struct td_counters, meter);
	unsigned int n, events = 0;
	int at;

	at = scnprintf(text, size, "%s, level %u: %s; ", td_counters_formula(counters)->name,
		       meter->level, td_counters_reason(counters));
	for (n = 0; n < meter->nr; n++)
		events += meter->group[n].nr;
	/* With drilldown, the events change with the load and from CPU to CPU. */
	if (counters->drill)
		at += scnprintf(text + at, size - at, "level 2 by drilldown");
	else
		at += scnprintf(text + at, size - at, "%u events in %u %s", events, meter->nr,
				meter->nr > 1 ? "groups, by turns" : "group");
	if (meter->nr > 1 && counters->shared)
		scnprintf(text + at, size - at, ", level 1 in each");
	else if (meter->nr > 1)
		scnprintf(text + at, size - at, ", level 1 for 1/%u of the time", meter->nr);
}

const struct td_meter_ops td_counters_ops = {
	.begin		= td_counters_begin,
	.fold		= td_counters_fold,
	.events		= td_counters_events,
	.describe	= td_counters_describe,
};
