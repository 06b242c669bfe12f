/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_COUNTERS_H
#define TOPDOWN_COUNTERS_H

#include "formula.h"
#include "group.h"

struct td_model;

/* On four counters, one of them lost: as many as the events of a family need. */
#define TD_GROUPS_MAX	8

/* With fewer events in a group there is not much left that belongs together. */
#define TD_ROOM_MIN	3

/**
 * struct td_counter_group - events that a group counts
 * @group: the events
 * @event: which each is in the family's table; of the reference TD_EVENTS_MAX
 * @counted: count of each at the last fold
 * @last: what was counted of each in the last turns of the group
 * @running: td_group_running() at the last fold
 * @ran: how long those turns were, nanoseconds
 * @span: the same by the reference, or by time where there is none
 * @checked: td_group_running() when it was last looked whether it has its turns
 * @missed: it had none between the last two looks
 */
struct td_counter_group {
	struct td_group group;
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
 * struct td_counters - ordinary counters of one CPU, in place of PERF_METRICS
 * @formula: the family
 * @width: slots per cycle
 * @type: td_group_type() of the CPU
 * @level: highest level that is counted
 * @drill: of level 2 only the children of some nodes are counted
 * @closed: bit n: those of level 1 node n are not
 * @room: the most events that a group may have
 * @checked: when it was last looked whether all groups have their turns; used on
 *	the CPU with interrupts off
 * @doubtful: then some had none that had some before; others look at it
 * @smt: made for a core with two threads
 * @reference: each group has the reference as its leader, so one runs at a time
 * @shared: each group has the events of level 1, so that is always counted
 * @total: counts of each event of the family since the groups were made, scaled
 *	where it has turns; on the CPU with interrupts off
 * @nr: how many groups there are
 * @part: the groups; the first has level 1
 */
struct td_counters {
	const struct td_formula *formula;
	unsigned int width;
	u32 type;
	unsigned int level;
	bool drill;
	u32 closed;
	unsigned int room;
	u64 checked;
	bool doubtful;
	bool smt;
	bool reference;
	bool shared;
	u64 total[TD_EVENTS_MAX];
	unsigned int nr;
	struct td_counter_group part[TD_GROUPS_MAX];
};

struct td_counters *td_counters_create(const struct td_model *model, int cpu,
				       unsigned int room, bool pinned,
				       const u32 *open);
void td_counters_destroy(struct td_counters *counters);
bool td_counters_outdated(const struct td_counters *counters, int cpu);
void td_counters_disable(struct td_counters *counters);
void td_counters_enable(struct td_counters *counters);
bool td_counters_in_error(const struct td_counters *counters);
unsigned int td_counters_turns_ms(const struct td_counters *counters);
void td_counters_spare(struct td_counters *counters, u64 now);
unsigned int td_counters_starved(struct td_counters *counters, u64 now);
unsigned int td_counters_percent(const struct td_counters *counters, unsigned int whole);
unsigned int td_counters_events(const struct td_counters *counters);
bool td_counters_has(const struct td_counters *counters, unsigned int index);
void td_counters_begin(struct td_counters *counters, u64 now);
u64 td_counters_fold(struct td_counters *counters, int cpu, u64 now, struct td_slots *slots);

#endif /* TOPDOWN_COUNTERS_H */
