/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_COUNTERS_H
#define TOPDOWN_COUNTERS_H

#include "formula.h"
#include "meter.h"
#include "model.h"

/* Smaller groups would separate events that the formulas compare. */
#define TD_ROOM_MIN	3

/**
 * struct td_turns - the turns of one group
 * @event: index of each event of the group in the family's table; TD_EVENTS_MAX for the
 *	reference
 * @counted: count of each event at the last fold
 * @last: what each event counted in the last turns of the group
 * @running: td_group_running() at the last fold
 * @began: when the last of these turns began
 * @ran: length of those last turns in nanoseconds
 * @span: their length in counts of the reference; in nanoseconds without a reference
 * @checked: td_group_running() at the end of the group's last turn
 * @missed: so many turns ended in a row without a counter for the group
 */
struct td_turns {
	u8 event[TD_GROUP_MAX];
	u64 counted[TD_GROUP_MAX];
	u64 last[TD_GROUP_MAX];
	u64 running;
	u64 began;
	u64 ran;
	u64 span;
	u64 checked;
	unsigned int missed;
};

/**
 * struct td_counters - a meter with ordinary counters
 * @meter: the meter, with up to TD_GROUPS_MAX groups
 * @type: td_group_type() of the CPU
 * @unknown: the driver does not know which counters can count which events, so level 2 is
 *	not counted
 * @no_fixed: it does not know the fixed counter of the first event either
 * @drill: level 2 is counted for some nodes only
 * @undrilled: bit n: level 1 node n is not drilled, so its children are not counted
 * @room: the most events that a group may have
 * @smt: the events are those for a core with two threads
 * @reference: each group has the reference as its leader, which tells how long its turns were
 * @shared: each group has the events of level 1, so level 1 is always counted
 * @instructions: index of retired instructions in td_sample.count; 0 if these or cycles are
 *	not counted
 * @total: count of each event of the family since the groups were made, scaled if the
 *	event has turns; used on the CPU with interrupts off, as @turns
 * @turns: the turns of each group
 */
struct td_counters {
	struct td_meter meter;
	u32 type;
	bool unknown;
	bool no_fixed;
	bool drill;
	u32 undrilled;
	unsigned int room;
	bool smt;
	bool reference;
	bool shared;
	unsigned int instructions;

	u64 total[TD_EVENTS_MAX];
	struct td_turns turns[TD_GROUPS_MAX];
};

extern const struct td_meter_ops td_counters_ops;

/**
 * td_counters_of() - the ordinary counters of a meter
 * @meter: any meter
 *
 * Return: the counters, or NULL if the meter is of the other kind.
 */
static inline struct td_counters *td_counters_of(struct td_meter *meter)
{
	return meter->ops == &td_counters_ops ?
	       container_of(meter, struct td_counters, meter) : NULL;
}

/**
 * td_counters_formula() - the formula of ordinary counters
 * @counters: ordinary counters of a CPU
 *
 * Return: the formula.
 */
static inline const struct td_formula *td_counters_formula(const struct td_counters *counters)
{
	return counters->meter.model->formula;
}

bool td_counters_smt(int cpu);
bool td_counters_wants(const struct td_counters *counters, unsigned int index,
		       unsigned int level);
bool td_counters_leads(const struct td_counters *counters, unsigned int group);
bool td_counters_outdated(const struct td_counters *counters);
bool td_counters_turn_over(struct td_counters *counters, u64 now);
void td_counters_starve(struct td_counters *counters);
unsigned int td_counters_starved(const struct td_counters *counters);

#endif /* TOPDOWN_COUNTERS_H */
