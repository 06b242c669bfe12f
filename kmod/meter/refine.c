// SPDX-License-Identifier: GPL-2.0
/*
 * Refining PERF_METRICS with general counters: the module parameter refined.
 *
 * perf's metric expressions for these CPUs subtract slots with dropped uops from frontend
 * bound and add them to bad speculation.  The general events for that join the group of
 * SLOTS and PERF_METRICS, so all events are counted at the same time.
 */
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/string.h>

#include "formula.h"
#include "group.h"
#include "model.h"
#include "refine.h"

static bool td_refined;
module_param_named(refined, td_refined, bool, 0444);
MODULE_PARM_DESC(refined, "Refine PERF_METRICS with general counters as perf's metric expressions do (default: use no general counter)");

/**
 * td_refine_wanted() - was the module loaded with refined=1?
 *
 * Return: true or false.
 */
bool td_refine_wanted(void)
{
	return td_refined;
}

/* perf's raw config of SLOTS is 0400H, and that of metric n is 8n00H. */
static bool td_refine_is_slots(const struct td_event *event)
{
	return event->config == 0x400;
}

static bool td_refine_is_metric(const struct td_event *event)
{
	return event->config >> 12 == 8;
}

static unsigned int td_refine_metric(const struct td_event *event)
{
	return event->config >> 8 & (TD_METRIC_NR - 1);
}

static int td_refine_extend(const struct td_formula *formula, struct td_group *group, int cpu)
{
	const struct td_event *event;
	int ret = 0;

	for (event = formula->events; event < formula->events + formula->nr_events; event++) {
		if (td_refine_is_slots(event) || td_refine_is_metric(event))
			continue;
		ret = td_group_extend(group, cpu, event->config);
		if (ret) {
			td_group_drop_general(group);
			break;
		}
	}
	return ret;
}

/**
 * td_refine_create() - add the events that refine PERF_METRICS, if refined=1
 * @refine: written
 * @model: row of the CPU
 * @group: made by td_group_create(), not yet counting; gets more siblings
 * @cpu: the CPU, which cannot pass our hotplug teardown meanwhile
 *
 * Return: 0, also if no correction is known or the counters do not suffice, with the
 * group unchanged; or a negative errno from perf.
 */
int td_refine_create(struct td_refine *refine, const struct td_model *model,
		     struct td_group *group, int cpu)
{
	const struct td_formula *formula = model->formula ? model->formula->refined : NULL;
	int ret;

	*refine = (struct td_refine){ .note = "" };
	if (!td_refined)
		return 0;
	if (!formula) {
		refine->note = "; not refined: no correction known";
		return 0;
	}
	ret = td_refine_extend(formula, group, cpu);
	if (ret == -EINVAL || ret == -ENOENT || ret == -ENOSPC) {
		refine->note = "; not refined: too few counters";
		return 0;
	}
	if (ret)
		return ret;
	refine->formula = formula;
	refine->width = model->slots_per_cycle;
	refine->note = "; refined by general counters";
	return 0;
}

/**
 * td_refine_begin() - drop what the general events have counted until now
 * @refine: has a formula
 * @group: group of this CPU, interrupts off
 */
void td_refine_begin(struct td_refine *refine, const struct td_group *group)
{
	u64 unseen[TD_REFINE_EVENTS];

	td_group_fold_general(group, refine->counted, unseen);
}

/**
 * td_refine_event() - a general event that refines
 * @refine: how PERF_METRICS of a CPU are refined
 * @index: index of the event, from 0; its count is @refine->counted[@index]
 *
 * Return: the event, or NULL if there is none with this index.
 */
const struct td_event *td_refine_event(const struct td_refine *refine, unsigned int index)
{
	const struct td_formula *formula = refine->formula;
	const struct td_event *event;

	if (!formula)
		return NULL;
	for (event = formula->events; event < formula->events + formula->nr_events; event++) {
		if (td_refine_is_slots(event) || td_refine_is_metric(event))
			continue;
		if (!index--)
			return event;
	}
	return NULL;
}

/* Write one count for each event of the family's table. */
static void td_refine_sample(const struct td_formula *formula, const struct td_counts *metrics,
			     const u64 *general, struct td_sample *sample)
{
	unsigned int i;

	for (i = 0; i < formula->nr_events; i++) {
		const struct td_event *event = &formula->events[i];

		if (td_refine_is_slots(event))
			sample->count[i] = metrics->slots;
		else if (td_refine_is_metric(event))
			sample->count[i] = metrics->metric[td_refine_metric(event)];
		else
			sample->count[i] = *general++;
	}
}

/**
 * td_refine_fold() - refine the slots since the last fold
 * @refine: has a formula
 * @group: group of this CPU, just folded; interrupts off
 * @metrics: counts of SLOTS and PERF_METRICS since the last fold
 * @node: slots of each node, written
 *
 * Return: the nodes that were clamped, as td_slots.clamped.
 */
u32 td_refine_fold(struct td_refine *refine, const struct td_group *group,
		   const struct td_counts *metrics, __u64 node[TOPDOWN_MAX_NODES])
{
	struct td_sample sample = {
		.width = refine->width,
		.level = group->fixed > 1 + TD_METRIC_L1 ? 2 : 1,
	};
	u64 general[TD_REFINE_EVENTS];
	struct td_slots slots;

	lockdep_assert_irqs_disabled();
	td_group_fold_general(group, refine->counted, general);
	td_refine_sample(refine->formula, metrics, general, &sample);
	td_formula_eval(refine->formula, &sample, &slots);
	memcpy(node, slots.node, sizeof(slots.node));
	return slots.clamped;
}
