// SPDX-License-Identifier: GPL-2.0
/*
 * Policy: which groups of ordinary counters a CPU shall have.
 *
 * Somebody may hold a counter for good, for example the NMI watchdog.  A group that needs
 * all counters then never has a turn.  So the groups shrink, and full size is retried
 * later.  With drilldown, only the children of level 1 nodes over their thresholds are
 * counted.  Each window that closes is the occasion to decide both.  fit.c makes the new
 * groups in process context.
 */
#include <linux/bits.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/module.h>

#include "counters.h"
#include "room.h"
#include "starved.h"

/* Delays before groups of full size are retried. */
#define TD_WIDEN_MIN		(64 * HZ)
#define TD_WIDEN_MAX		(4096 * HZ)

/* A node stays drilled for this long after it was last over its threshold. */
#define TD_DRILL_HOLD		(10 * HZ)

/* Windows with fewer slots, about 0.1 ms of work, change nothing. */
#define TD_DRILL_MIN_SLOTS	BIT_ULL(20)

static bool td_drilldown;
module_param_named(drilldown, td_drilldown, bool, 0444);
MODULE_PARM_DESC(drilldown, "If level 2 does not fit the counters, count only the children of level 1 nodes over their thresholds (default: count all in turns)");

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
 * td_room_begin() - start with groups of full size
 * @room: policy of a CPU without groups
 */
void td_room_begin(struct td_room *room)
{
	room->size = TD_GROUP_MAX;
	room->widen_at = jiffies;
	room->widen_delay = 0;
	room->holders = 0;
}

/* The groups do not fit.  Retry full size later; double the delay after each failure. */
static void td_room_put_off(struct td_room *room)
{
	/* They had fitted for long: the counter has a new holder. */
	if (time_after(jiffies, room->widen_at + room->widen_delay))
		room->widen_delay = TD_WIDEN_MIN;
	else
		room->widen_delay = min(room->widen_delay * 2, TD_WIDEN_MAX);
	room->widen_at = jiffies + room->widen_delay;
}

/*
 * Do others still have as many counters for good as when the groups did not fit?  Then groups
 * of full size would count nothing until that is noticed again.  Do not rely on it for ever,
 * because somebody else may have been the reason.
 */
static bool td_room_hopeless(const struct td_room *room, const struct td_counters *counters)
{
	return room->holders && time_before(jiffies, room->failed_at + TD_WIDEN_MAX) &&
	       td_starved_holders(&counters->meter) >= room->holders;
}

/* A group has no turns. */
static void td_room_failed(struct td_room *room, const struct td_counters *counters)
{
	room->failed_at = jiffies;
	room->holders = td_starved_holders(&counters->meter);
	if (room->size == TD_GROUP_MAX)
		td_room_put_off(room);
}

/* The size to try now, although it did not fit once. */
static unsigned int td_room_widen(struct td_room *room, const struct td_counters *counters)
{
	if (room->size == TD_GROUP_MAX || !time_after(jiffies, room->widen_at))
		return room->size;
	if (td_room_hopeless(room, counters)) {
		room->widen_at = jiffies + TD_WIDEN_MIN;
		return room->size;
	}
	room->widen_at = jiffies;
	return TD_GROUP_MAX;
}

/**
 * td_room_resize() - choose the size of the groups
 * @room: policy of this CPU, interrupts off
 * @counters: its groups, enabled
 *
 * If a group has no turns the size shrinks.  Full size is retried later, when the missing
 * counter may be free.
 */
void td_room_resize(struct td_room *room, struct td_counters *counters)
{
	unsigned int size = room->size, events;

	lockdep_assert_irqs_disabled();
	events = min(td_counters_starved(counters), size);
	/* Without such holders perf serves the group later, or aside.c stops to wait. */
	if (events > TD_ROOM_MIN && td_starved_holders(&counters->meter)) {
		td_room_failed(room, counters);
		size = events - 1;
	} else {
		size = td_room_widen(room, counters);
	}
	/* Pairs with READ_ONCE() in td_room_outdated(). */
	WRITE_ONCE(room->size, size);
}

/* Are other nodes to be drilled than are drilled now? */
static bool td_room_drills(const struct td_room *room, const struct td_counters *counters)
{
	/* Pairs with WRITE_ONCE() in td_room_drill(). */
	return counters->drill && counters->undrilled != (~READ_ONCE(room->drill) & TD_PARENTS);
}

/**
 * td_room_outdated() - does the CPU need other groups than it has?
 * @room: policy of the CPU; under td_fit_mutex or on the CPU with interrupts off
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
			  const struct topdown_map_record *record)
{
	u32 drill = room->drill, over;
	unsigned int i;

	/* Ignore nearly idle windows: they do not represent the workload. */
	if (record->window.slots < TD_DRILL_MIN_SLOTS)
		return;
	over = td_formula_over(formula, &record->window, record->nodes);
	for (i = 0; i < TD_NR_PARENTS; i++) {
		if (over >> i & 1)
			room->drill_at[i] = jiffies;
		else if (time_after(jiffies, room->drill_at[i] + TD_DRILL_HOLD))
			drill &= ~(1U << i);
	}
	/* Pairs with READ_ONCE() in td_room_drills() and td_fit_counters(). */
	WRITE_ONCE(room->drill, drill | over);
}

/**
 * td_room_review() - check the groups after a window has closed
 * @room: policy of this CPU, interrupts off
 * @meter: meter of the CPU, enabled
 * @record: record of the CPU, with that window
 *
 * Return: true if the CPU needs other groups.
 */
bool td_room_review(struct td_room *room, struct td_meter *meter,
		    const struct topdown_map_record *record)
{
	struct td_counters *counters = td_counters_of(meter);

	if (!counters)
		return false;
	td_room_resize(room, counters);
	if (counters->drill)
		td_room_drill(room, td_counters_formula(counters), record);
	return td_room_outdated(room, counters);
}
