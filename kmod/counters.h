/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_COUNTERS_H
#define TOPDOWN_COUNTERS_H

#include "formula.h"
#include "meter.h"
#include "model.h"

/* With fewer events in a group there is not much left that belongs together. */
#define TD_ROOM_MIN	3

/**
 * struct td_turns - the turns of a group of events
 * @event: which each event of the group is in the family's table; of the reference
 *	TD_EVENTS_MAX
 * @counted: count of each at the last fold
 * @last: what was counted of each in the last turns of the group
 * @running: td_group_running() at the last fold
 * @ran: how long those turns were, nanoseconds
 * @span: the same by the reference, or by time where there is none
 * @checked: td_group_running() when it was last looked whether it has its turns
 * @missed: it had none between the last two looks
 */
struct td_turns {
	u8 event[TD_GROUP_MAX];
	u64 counted[TD_GROUP_MAX];
	u64 last[TD_GROUP_MAX];
	u64 running;
	u64 ran;
	u64 span;
	u64 checked;
	bool missed;
};

/**
 * struct td_counters - a meter with ordinary counters
 * @meter: with up to TD_GROUPS_MAX groups
 * @type: td_group_type() of the CPU
 * @drill: of level 2 only the children of some nodes are counted
 * @closed: bit n: those of level 1 node n are not
 * @room: the most events that a group may have
 * @smt: made for a core with two threads
 * @reference: each group has the reference as its leader, so one runs at a time
 * @shared: each group has the events of level 1, so that is always counted
 * @checked: when it was last looked whether all groups have their turns; on the CPU with
 *	interrupts off, as the next three
 * @doubtful: then some had none that had some before; others look at it
 * @total: counts of each event of the family since the groups were made, scaled
 *	where it has turns
 * @turns: those of each group
 */
struct td_counters {
	struct td_meter meter;
	u32 type;
	bool drill;
	u32 closed;
	unsigned int room;
	bool smt;
	bool reference;
	bool shared;

	u64 checked;
	bool doubtful;
	u64 total[TD_EVENTS_MAX];
	struct td_turns turns[TD_GROUPS_MAX];
};

extern const struct td_meter_ops td_counters_ops;

/**
 * td_counters_of() - a meter as ordinary counters
 * @meter: any meter
 *
 * Return: the counters; NULL for a meter of the other kind.
 */
static inline struct td_counters *td_counters_of(struct td_meter *meter)
{
	return meter->ops == &td_counters_ops ?
	       container_of(meter, struct td_counters, meter) : NULL;
}

/**
 * td_counters_formula() - the family
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
unsigned int td_counters_turns_ms(const struct td_counters *counters);
unsigned int td_counters_starved(struct td_counters *counters, u64 now);

#endif /* TOPDOWN_COUNTERS_H */
