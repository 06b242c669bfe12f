// SPDX-License-Identifier: GPL-2.0
/*
 * Meters of both kinds enable, disable and examine their groups here.
 */
#include <linux/errno.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/tick.h>

#include "meter.h"

static bool td_pinned;
module_param_named(pinned, td_pinned, bool, 0444);
MODULE_PARM_DESC(pinned, "Take the SLOTS counter of each CPU for good; other perf users of topdown then get <not counted> (default: share it as the parameter aside says)");

/**
 * td_meter_pinned() - was the module loaded with pinned=1?
 *
 * Return: true or false.
 */
bool td_meter_pinned(void)
{
	return td_pinned;
}

static bool td_cycles = true;
module_param_named(cycles, td_cycles, bool, 0444);
MODULE_PARM_DESC(cycles, "Count cycles, instructions and busy time beside slots, where no perf user needs the counters (default: yes)");

/**
 * td_meter_cycles() - shall cycles, instructions and busy time be counted?
 *
 * Return: true, or false if the module was loaded with cycles=0.
 */
bool td_meter_cycles(void)
{
	return td_cycles;
}

/**
 * td_meter_lacks_events() - does a CPU lack the events of a meter?
 * @error: errno with which the meter could not be made
 *
 * Return: true, or false for an error that may pass.
 */
bool td_meter_lacks_events(int error)
{
	return error == -EINVAL || error == -ENOENT;
}

/**
 * td_meter_finish() - the groups have all their events
 * @meter: the meter, not yet counting
 *
 * A CPU is measured without the group of cycles too.
 *
 * Return: 0, or a negative errno from perf.
 */
int td_meter_finish(struct td_meter *meter)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < meter->nr && !ret; i++)
		ret = td_group_finish(&meter->group[i], meter->cpu);
	if (!ret && meter->cycles.nr && td_group_finish(&meter->cycles, meter->cpu))
		td_group_destroy(&meter->cycles);
	return ret;
}

/**
 * td_meter_release() - release the groups
 * @meter: has no groups afterwards
 */
void td_meter_release(struct td_meter *meter)
{
	td_group_destroy(&meter->cycles);
	while (meter->nr)
		td_group_destroy(&meter->group[--meter->nr]);
}

/**
 * td_meter_destroy() - release the groups and the meter
 * @meter: may be NULL
 */
void td_meter_destroy(struct td_meter *meter)
{
	if (!meter)
		return;
	td_meter_release(meter);
	kfree(meter);
}

/**
 * td_meter_enable() - start to count, also after an error
 * @meter: the meter; process context
 *
 * One group at a time: so they never take counters from each other, and perf does not rotate
 * them.
 */
void td_meter_enable(struct td_meter *meter)
{
	td_group_enable(&meter->group[meter->turn]);
}

/**
 * td_meter_disable() - leave the counters to others until td_meter_enable()
 * @meter: the meter; process context
 */
void td_meter_disable(struct td_meter *meter)
{
	td_group_disable(&meter->group[meter->turn]);
}

/**
 * td_meter_leave() - leave the counters to others, who get them at once
 * @meter: the meter; process context
 *
 * When perf rotates and no event has a counter, it moves the first group to the end of the queue,
 * also one that is disabled.  It would be one of ours, which then waits for all others at its next
 * turn.  But an event that is enabled makes perf give out the counters.  It is a new one, so it is
 * the last in the CPU's queue and takes no counter that users of the CPU wait for.  A task's group
 * that needs all counters still waits for the rotation, because perf serves tasks later.
 */
void td_meter_leave(struct td_meter *meter)
{
	const struct td_group *group = &meter->group[0];
	struct td_group recall = { };

	td_meter_disable(meter);
	if (!td_meter_recalls(meter))
		return;
	if (td_group_begin(&recall, meter->cpu, group->type, group->event[0]->attr.config, false))
		return;
	/* Pairs with READ_ONCE() in td_meter_owns(). */
	WRITE_ONCE(meter->recall, recall.event[0]);
	td_group_enable(&recall);
	td_group_disable(&recall);
	WRITE_ONCE(meter->recall, NULL);
	td_group_destroy(&recall);
}

/**
 * td_meter_recalls() - do others get the counters at once that td_meter_leave() leaves?
 * @meter: the meter
 *
 * A CPU that nobody may interrupt is not asked to give them out.  With PREEMPT_RT the release of
 * an event waits for RCU, which takes longer than a rotation.
 *
 * Return: true; or false if they wait for perf's next rotation.
 */
bool td_meter_recalls(const struct td_meter *meter)
{
	return !meter->group[0].fixed && !tick_nohz_full_cpu(meter->cpu) &&
	       !IS_ENABLED(CONFIG_PREEMPT_RT);
}

/**
 * td_meter_next() - the next td_meter_enable() enables the next group
 * @meter: the meter, disabled; process context
 */
void td_meter_next(struct td_meter *meter)
{
	/* Pairs with READ_ONCE() in td_meter_counting(). */
	WRITE_ONCE(meter->turn, (meter->turn + 1) % meter->nr);
}

/**
 * td_meter_in_error() - was the pinned group of level 1 refused its counters?
 * @meter: the meter
 *
 * Return: true or false.
 */
bool td_meter_in_error(const struct td_meter *meter)
{
	return td_group_in_error(&meter->group[0]);
}

/**
 * td_meter_counting() - does the group whose turn it is have its counters now?
 * @meter: meter of this CPU, interrupts off
 *
 * Return: true or false.
 */
bool td_meter_counting(const struct td_meter *meter)
{
	/* Pairs with WRITE_ONCE() in td_meter_next(). */
	return meter->group[READ_ONCE(meter->turn)].on;
}

/**
 * td_meter_owns() - does an event belong to one of the groups, that of cycles included?
 * @meter: the meter
 * @event: any event
 *
 * Return: true or false.
 */
bool td_meter_owns(const struct td_meter *meter, const struct perf_event *event)
{
	unsigned int i;

	for (i = 0; i < meter->nr; i++) {
		if (event->group_leader == meter->group[i].event[0])
			return true;
	}
	/* Pairs with WRITE_ONCE() in td_meter_leave(). */
	if (event == READ_ONCE(meter->recall))
		return true;
	return meter->cycles.nr && event->group_leader == meter->cycles.event[0];
}

/**
 * td_meter_general() - do the groups use general counters, which any event may need?
 * @meter: the meter
 *
 * Return: true or false.
 */
bool td_meter_general(const struct td_meter *meter)
{
	return meter->group[0].nr > meter->group[0].fixed;
}

/**
 * td_meter_fixed() - does an event need SLOTS or a metric that the meter uses?
 * @meter: the meter
 * @event: any event of the same PMU
 *
 * A CPU has one counter for each of them.
 *
 * Return: true or false; always false for ordinary counters.
 */
bool td_meter_fixed(const struct td_meter *meter, const struct perf_event *event)
{
	const struct td_group *group = &meter->group[0];
	unsigned int i;

	for (i = 0; i < group->fixed; i++) {
		if (event->attr.config == group->event[i]->attr.config)
			return true;
	}
	return false;
}

/**
 * td_meter_settled() - can a meter be folded although perf may be scheduling its groups?
 * @meter: meter of this CPU; interrupts off
 *
 * Return: false while the driver is starting or stopping the events of a group.
 */
bool td_meter_settled(const struct td_meter *meter)
{
	unsigned int i;

	for (i = 0; i < meter->nr; i++)
		if (!td_group_settled(&meter->group[i]))
			return false;
	return !meter->cycles.nr || td_group_settled(&meter->cycles);
}
