// SPDX-License-Identifier: GPL-2.0
/*
 * Which groups of ordinary counters a CPU shall have.
 *
 * Others may have a counter for good, as the NMI watchdog, and then a group that needs
 * all of them never has a turn: the groups get smaller, and larger again after a
 * while.  With drilldown only the children of those level 1 nodes are counted that are
 * over their thresholds.  Here that is decided, by each window that closes; other groups
 * are made in process context (fit.c).
 */
#include <linux/bits.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/sched/clock.h>

#include "counters.h"
#include "room.h"

/* Pauses before groups that were too large are tried again. */
#define TD_WIDEN_MIN		(64 * HZ)
#define TD_WIDEN_MAX		(4096 * HZ)

/* So long the children of a node are counted after it was over its threshold. */
#define TD_DRILL_HOLD		(10 * HZ)

/* Windows of fewer slots, some 0.1 ms of them, decide nothing. */
#define TD_DRILL_MIN_SLOTS	BIT_ULL(20)

static bool td_drilldown;
module_param_named(drilldown, td_drilldown, bool, 0444);
MODULE_PARM_DESC(drilldown, "Where level 2 does not fit the counters, count only the children of level 1 nodes over their thresholds (default: all, in turns)");

/**
 * td_room_drilldown() - was the module loaded with drilldown=1?
 *
 * Return: true or false.
 */
bool td_room_drilldown(void)
{
	return td_drilldown;
}

/**
 * td_room_begin() - let the groups be as large as they can be
 * @room: of a CPU without groups
 */
void td_room_begin(struct td_room *room)
{
	room->size = TD_GROUP_MAX;
	room->widen_at = jiffies;
	room->widen_delay = 0;
}

/* The groups do not fit.  Try all the room later; double the delay after each failure. */
static void td_room_put_off(struct td_room *room)
{
	/* They did for long: somebody else has the counter now. */
	if (time_after(jiffies, room->widen_at + room->widen_delay))
		room->widen_delay = TD_WIDEN_MIN;
	else
		room->widen_delay = min(room->widen_delay * 2, TD_WIDEN_MAX);
	room->widen_at = jiffies + room->widen_delay;
}

/**
 * td_room_resize() - see whether all groups have their turns
 * @room: of this CPU, interrupts off
 * @counters: its groups, enabled
 *
 * If not, there is less room from then on, and all of it again after a while, in
 * which the counter that they lack may have become free.
 */
void td_room_resize(struct td_room *room, struct td_counters *counters)
{
	unsigned int size = room->size, events;

	lockdep_assert_irqs_disabled();
	events = min(td_counters_starved(counters, local_clock()), size);
	if (events > TD_ROOM_MIN) {
		if (size == TD_GROUP_MAX)
			td_room_put_off(room);
		size = events - 1;
	} else if (size < TD_GROUP_MAX && time_after(jiffies, room->widen_at)) {
		room->widen_at = jiffies;
		size = TD_GROUP_MAX;
	}
	/* Pairs with READ_ONCE() in td_room_outdated(). */
	WRITE_ONCE(room->size, size);
}

/* Shall the children of other nodes be counted than are? */
static bool td_room_drills(const struct td_room *room, const struct td_counters *counters)
{
	/* Pairs with WRITE_ONCE() in td_room_drill(). */
	return counters->drill && counters->closed != (~READ_ONCE(room->drill) & TD_PARENTS);
}

/**
 * td_room_outdated() - shall there be other groups than there are?
 * @room: of a CPU; under td_fit_mutex or on the CPU with interrupts off
 * @counters: its groups
 *
 * Return: true or false.
 */
bool td_room_outdated(const struct td_room *room, const struct td_counters *counters)
{
	/* Pairs with WRITE_ONCE() in td_room_resize(). */
	return READ_ONCE(room->size) != counters->room || td_room_drills(room, counters);
}

static void td_room_drill(struct td_room *room, const struct td_formula *formula,
			  const struct topdown_record *record)
{
	u32 drill = room->drill, over;
	unsigned int i;

	/* Ignore nearly idle windows: they do not represent the workload. */
	if (record->window.slots < TD_DRILL_MIN_SLOTS)
		return;
	over = td_formula_over(formula, &record->window, record->nodes);
	for (i = 0; i < TOPDOWN_NR_PARENTS; i++) {
		if (over >> i & 1)
			room->drill_at[i] = jiffies;
		else if (time_after(jiffies, room->drill_at[i] + TD_DRILL_HOLD))
			drill &= ~(1U << i);
	}
	/* Pairs with READ_ONCE() in td_room_drills() and td_fit_create(). */
	WRITE_ONCE(room->drill, drill | over);
}

/**
 * td_room_review() - a window has been closed: are the groups still the right ones?
 * @room: of this CPU, interrupts off
 * @meter: of the CPU, enabled
 * @record: its record, with that window
 *
 * Return: false if they are; true for other groups, or to look again soon.
 */
bool td_room_review(struct td_room *room, struct td_meter *meter,
		    const struct topdown_record *record)
{
	struct td_counters *counters = td_counters_of(meter);

	if (!counters)
		return false;
	td_room_resize(room, counters);
	if (counters->drill)
		td_room_drill(room, td_counters_formula(counters), record);
	return counters->doubtful || td_room_outdated(room, counters);
}
