// SPDX-License-Identifier: GPL-2.0
/*
 * Making the groups of ordinary counters: which events go into which group.
 *
 * The kernel's driver knows which events fit the counters together.  So each event
 * is added to the current group, and if the driver refuses, to the next one.  aside.c gives
 * several groups their turns.  If there is room each group has the events
 * of level 1, so level 1 is counted all the time.  Otherwise only the first group has
 * them.
 */
#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/stddef.h>

#include "counters-make.h"
#include "counters.h"
#include "model.h"

static bool td_counters_refused(int error)
{
	return td_meter_lacks_events(error) || error == -ENOSPC;
}

static int td_counters_add_to(struct td_counters *counters, unsigned int n, unsigned int index,
			      u64 config, bool pinned)
{
	struct td_meter *meter = &counters->meter;
	struct td_group *group = &meter->group[n];
	int ret;

	if (group->nr)
		ret = td_group_extend(group, meter->cpu, config);
	else
		ret = td_group_begin(group, meter->cpu, counters->type, config, pinned);
	if (!ret)
		counters->turns[n].event[group->nr - 1] = index;
	return ret;
}

/* Add an event of the table to group @n, by either of its configs. */
static int td_counters_try(struct td_counters *counters, unsigned int n, unsigned int index,
			   bool pinned)
{
	const struct td_event *event = &td_counters_formula(counters)->events[index];
	u64 config = event->config;
	int ret;

	if (counters->no_fixed && event->other)
		config = event->other;
	ret = td_counters_add_to(counters, n, index, config, pinned);
	if (td_counters_refused(ret) && event->other)
		ret = td_counters_add_to(counters, n, index, event->other, pinned);
	return ret;
}

/*
 * Begin a group: the reference, and the events of level 1 unless only the first group
 * has them.  They count towards the room, because a larger group never has a turn.
 */
static int td_counters_lead(struct td_counters *counters, bool pinned)
{
	const struct td_formula *formula = td_counters_formula(counters);
	unsigned int i, n = counters->meter.nr++;
	int ret = 0;

	if (counters->reference && !td_counters_leads(counters, n))
		ret = td_counters_add_to(counters, n, TD_EVENTS_MAX, formula->reference, pinned);
	for (i = 0; counters->shared && i < formula->nr_events && !ret; i++) {
		if (td_counters_wants(counters, i, 1))
			ret = td_counters_try(counters, n, i, pinned);
	}
	if (!ret && counters->meter.group[n].nr > counters->room)
		ret = -ENOSPC;
	return ret;
}

/* Add an event of the table to the last group, or to a new one. */
static int td_counters_add(struct td_counters *counters, unsigned int index, bool pinned)
{
	struct td_meter *meter = &counters->meter;
	unsigned int n = meter->nr - 1;
	int ret = -ENOSPC;

	if (meter->group[n].nr < counters->room)
		ret = td_counters_try(counters, n, index, pinned);
	if (!td_counters_refused(ret) || !meter->group[n].nr)
		return ret;
	if (meter->nr == TD_GROUPS_MAX)
		return -ENOSPC;
	ret = td_counters_lead(counters, false);
	if (!ret && meter->group[n + 1].nr < counters->room)
		return td_counters_try(counters, n + 1, index, false);
	return ret ? ret : -ENOSPC;
}

static int td_counters_build(struct td_counters *counters, bool pinned)
{
	unsigned int i;
	int ret;

	ret = td_counters_lead(counters, pinned);
	for (i = 0; i < td_counters_formula(counters)->nr_events && !ret; i++) {
		if (!td_counters_wants(counters, i, counters->meter.level) ||
		    (counters->shared && td_counters_wants(counters, i, 1)))
			continue;
		ret = td_counters_add(counters, i, pinned);
	}
	return ret;
}

/* Make groups of all events up to a level: one group, or else the best arrangement. */
static int td_counters_arrange(struct td_counters *counters)
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
		/* One pinned group of several would keep the others out. */
		ret = td_counters_build(counters, ways[i].single && td_meter_pinned());
		if (!ret && (counters->meter.nr == 1 || !ways[i].single))
			return 0;
		td_meter_release(&counters->meter);
		if (ret && !td_counters_refused(ret))
			break;
	}
	return ret;
}

/*
 * If levels 1 and 2 do not fit one group, count only the children of the nodes @open.
 * The driver accepts them, because they are fewer events than before.
 */
static int td_counters_drill(struct td_counters *counters, u32 open)
{
	int ret;

	if (counters->meter.nr == 1 || counters->meter.level == 1 ||
	    !td_counters_formula(counters)->thresholds)
		return 0;
	td_meter_release(&counters->meter);
	counters->undrilled = ~open & TD_PARENTS;
	ret = td_counters_arrange(counters);
	counters->drill = !ret;
	return ret;
}

/* Return: 1 if the driver puts both events into one group, 0 if it does not; or an errno. */
static int td_counters_fit(struct td_counters *counters, u64 first, u64 second)
{
	int cpu = counters->meter.cpu, ret;
	struct td_group group = { };

	ret = td_group_begin(&group, cpu, counters->type, first, false);
	if (!ret) {
		ret = td_group_extend(&group, cpu, second);
		td_group_destroy(&group);
	}
	if (ret)
		return td_counters_refused(ret) ? 0 : ret;
	return 1;
}

/*
 * A driver that is older than the CPU takes any counter for any event, and some events count
 * nothing on most counters.  It shows in that two events that need the same counter are
 * accepted as one group.  Such a driver may also take the code of the fixed counter of slots
 * for an event of general counters, which counts nothing there.  Then it accepts two of them.
 *
 * An early table of Lion Cove gave one counter to two events that need two.
 */
static int td_counters_ask_driver(struct td_counters *counters)
{
	const struct td_formula *formula = td_counters_formula(counters);
	u64 slots = formula->events[0].config;
	int ret = 0;

	if (formula->rivals[0])
		ret = td_counters_fit(counters, formula->rivals[0], formula->rivals[1]);
	counters->unknown = ret > 0;
	if (!ret && formula->mates[0]) {
		ret = td_counters_fit(counters, formula->mates[0], formula->mates[1]);
		counters->unknown = !ret;
	}
	if (counters->unknown && formula->events[0].other) {
		ret = td_counters_fit(counters, slots, slots);
		counters->no_fixed = ret > 0;
	}
	return min(ret, 0);
}

/* Make groups for the highest level that the CPU can count. */
static int td_counters_make(struct td_counters *counters, const u32 *open)
{
	struct td_meter *meter = &counters->meter;
	unsigned int level = meter->model->formula->level;
	int ret = td_counters_ask_driver(counters);

	if (ret)
		return ret;
	ret = -EINVAL;
	for (meter->level = counters->unknown ? 1 : level; meter->level; meter->level--) {
		ret = td_counters_arrange(counters);
		if (!ret && open)
			ret = td_counters_drill(counters, *open);
		if (!ret || !td_counters_refused(ret))
			break;
	}
	return ret == -ENOSPC ? -EINVAL : ret;
}

/*
 * Which event counts retired instructions?  If no formula needs it, it joins the last group,
 * which needs no turn more for it, as long as that leaves a counter free.
 */
static void td_counters_find_instructions(struct td_counters *counters)
{
	const struct td_formula *formula = td_counters_formula(counters);
	unsigned int last = counters->meter.nr - 1;
	struct td_group *group = &counters->meter.group[last];

	if (!td_meter_cycles())
		return;
	if (formula->instructions) {
		if (td_counters_wants(counters, formula->instructions, counters->meter.level))
			counters->instructions = formula->instructions;
		return;
	}
	if (!formula->retired || group->nr >= counters->room ||
	    td_group_extend(group, counters->meter.cpu, formula->retired))
		return;
	counters->turns[last].event[group->nr - 1] = TD_EVENT_RETIRED;
	counters->instructions = TD_EVENT_RETIRED;
}

/*
 * Between two turns nothing is counted.  If only the first group counts level 1, allow a fifth
 * less than its fair turn.
 */
static unsigned int td_counters_ok_percent(const struct td_counters *counters)
{
	if (counters->meter.nr == 1)
		return TD_OK_PERCENT;
	if (counters->shared)
		return TD_OK_TURNS_PERCENT;
	return 80 / counters->meter.nr;
}

static void td_counters_settle(struct td_counters *counters)
{
	const struct td_formula *formula = td_counters_formula(counters);
	struct td_meter *meter = &counters->meter;

	meter->source = formula->source;
	meter->nodes_possible = formula->nodes & td_nodes_of_level(meter->level);
	meter->nodes = meter->nodes_possible & ~td_nodes_of_parents(counters->undrilled);
	meter->ok_percent = td_counters_ok_percent(counters);
	if (meter->nr > 1)
		meter->flags |= TOPDOWN_RECORD_SCALED;
	if (meter->nr > 1 && !counters->shared)
		meter->turns = meter->nr;
	if (counters->drill)
		meter->flags |= TOPDOWN_RECORD_DRILLDOWN;
}

/**
 * td_counters_create() - make the groups of a CPU, not yet counting
 * @model: row of the CPU
 * @cpu: the CPU, which cannot pass our hotplug teardown meanwhile
 * @room: the most events that a group may have
 * @open: level 1 nodes to drill if level 2 does not fit the counters, bit n for node n;
 *	NULL to count all of level 2 in turns
 *
 * Return: the meter; as a pointer -EINVAL or -ENOENT if no formula is known, or if the
 * CPU lacks events of level 1; or another errno.
 */
struct td_meter *td_counters_create(const struct td_model *model, int cpu, unsigned int room,
				    const u32 *open)
{
	struct td_counters *counters;
	int ret;

	/* td_meter_destroy() frees all of it by a pointer to the meter. */
	BUILD_BUG_ON(offsetof(struct td_counters, meter));
	if (!model->formula)
		return ERR_PTR(-ENOENT);
	counters = kzalloc(sizeof(*counters), GFP_KERNEL);
	if (!counters)
		return ERR_PTR(-ENOMEM);
	counters->meter.ops = &td_counters_ops;
	counters->meter.cpu = cpu;
	counters->meter.model = model;
	counters->room = room;
	counters->smt = td_counters_smt(cpu);
	counters->type = td_group_type(cpu, model->kind == TOPDOWN_KIND_ATOM);
	ret = td_counters_make(counters, open);
	if (!ret) {
		td_counters_find_instructions(counters);
		ret = td_meter_finish(&counters->meter);
	}
	if (ret) {
		td_meter_destroy(&counters->meter);
		return ERR_PTR(ret);
	}
	td_counters_settle(counters);
	return &counters->meter;
}
