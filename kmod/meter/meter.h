/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Meters: a meter counts the slots of one CPU.
 *
 * There are two kinds: the group of SLOTS and PERF_METRICS (perfmetrics.c), and groups
 * of ordinary counters with a formula (counters.c).
 */
#ifndef TOPDOWN_METER_H
#define TOPDOWN_METER_H

#include <linux/types.h>

#include "formula.h"
#include "group.h"
#include "plausible.h"

struct td_meter;
struct td_model;

/* The events of the largest family need this many on four counters, one of them lost. */
#define TD_GROUPS_MAX	8

/* td_meter.ok_percent of a meter that always counts level 1. */
#define TD_OK_PERCENT	99

/* The same if several groups with level 1 take turns. */
#define TD_OK_TURNS_PERCENT	90

/**
 * enum td_fold - how to fold
 * @TD_FOLD_POINT: at a point in time, without a reset of PERF_METRICS if that is exact enough
 * @TD_FOLD_RESET: with a reset, and judge the counts since the last one
 * @TD_FOLD_CLOSE: with a reset at the end of a window, and judge the counts of all of it
 */
enum td_fold {
	TD_FOLD_POINT,
	TD_FOLD_RESET,
	TD_FOLD_CLOSE,
};

/**
 * struct td_part - what a meter counted between two folds
 * @sums: slots and nodes, cycles and instructions; window.c fills in the times.  A node of a part
 *	that does not end a window may be below 0, modulo 2^64; its sums are right
 * @clamped: nodes that were clamped, bit n for node n
 * @doubt: why the CPU cannot have done that
 * @odd: the bytes of PERF_METRICS have a sum that no rounding explains
 * @turns_ns: how long the groups whose turn it was had their counters; unused by a meter with
 *	one group
 */
struct td_part {
	struct topdown_sums sums;
	u32 clamped;
	enum td_doubt doubt;
	bool odd;
	u64 turns_ns;
};

/**
 * struct td_event_count - the count of an event
 * @name: name in the vendor's event list; perf's name for a metric
 * @config: perf's raw config
 * @count: count since the group was made, scaled if the event has turns
 */
struct td_event_count {
	const char *name;
	u64 config;
	u64 count;
};

/**
 * struct td_events - the raw counts of a CPU: users can apply formulas of their own, or
 *	see why a node was clamped
 * @nr: number of events; 0 if nothing is counted now
 * @event: the events, in the order of their tables
 */
struct td_events {
	unsigned int nr;
	struct td_event_count event[TD_EVENTS_MAX];
};

/* The text about the source of a CPU, with the byte at its end. */
#define TD_METER_TEXT	224

/**
 * struct td_meter_ops - what differs between the two kinds of meter
 * @begin: drop all counts until @now of local_clock(); on the CPU with interrupts off
 * @fold: write the part since the last fold; returns the nanoseconds in which level 1 was
 *	counted, which may slightly exceed the time; nodes that this meter never has are
 *	not written; on the CPU with interrupts off
 * @events: write the raw counts; on the CPU with interrupts off, after a fold
 * @describe: write a text that says what the CPU is measured with
 */
struct td_meter_ops {
	void (*begin)(struct td_meter *meter, u64 now);
	s64 (*fold)(struct td_meter *meter, u64 now, struct td_part *part, enum td_fold how);
	void (*events)(const struct td_meter *meter, struct td_events *events);
	void (*describe)(const struct td_meter *meter, char *text, size_t size);
};

/**
 * struct td_meter - what counts the slots of one CPU
 * @ops: operations of its kind
 * @cpu: number of the CPU
 * @model: row of the CPU in the table of models
 * @source: source of the slots
 * @level: highest level that is counted
 * @nodes: nodes that are counted, bit n for node n
 * @nodes_possible: @nodes and those that drilldown may add
 * @flags: TOPDOWN_RECORD_* of all windows
 * @linear: td_perfmetrics_take() can read it
 * @turns: topdown_record.turns of all windows
 * @ok_percent: level 1 is counted for this much of a window if nobody interferes
 * @nr: number of groups
 * @group: the groups; the first has level 1
 * @turn: the one of them that is enabled; changed under td_aside.lock
 * @cycles: a group of instructions and cycles, which slots do not depend on; aside.c
 *	enables and disables it.  Empty where these are counted among @group, or not at all
 * @text: what the CPU is measured with, for people
 * @recall: an event that makes perf give out the counters just now; NULL for none: see
 *	td_meter_leave()
 *
 * Made and destroyed under td_fit_mutex, and constant in between.  Each kind embeds this
 * as the first member of its own struct, whose other members may change.
 */
struct td_meter {
	const struct td_meter_ops *ops;
	int cpu;
	const struct td_model *model;
	enum topdown_source source;
	unsigned int level;
	u64 nodes;
	u64 nodes_possible;
	u32 flags;
	bool linear;
	u32 turns;
	unsigned int ok_percent;
	unsigned int nr;
	struct td_group group[TD_GROUPS_MAX];
	unsigned int turn;
	struct td_group cycles;
	char text[TD_METER_TEXT];
	struct perf_event *recall;
};

bool td_meter_pinned(void);
bool td_meter_cycles(void);
bool td_meter_lacks_events(int error);
int td_meter_finish(struct td_meter *meter);
void td_meter_release(struct td_meter *meter);
void td_meter_destroy(struct td_meter *meter);
void td_meter_enable(struct td_meter *meter);
void td_meter_disable(struct td_meter *meter);
void td_meter_leave(struct td_meter *meter);
bool td_meter_recalls(const struct td_meter *meter);
void td_meter_next(struct td_meter *meter);
bool td_meter_in_error(const struct td_meter *meter);
bool td_meter_counting(const struct td_meter *meter);
bool td_meter_owns(const struct td_meter *meter, const struct perf_event *event);
bool td_meter_general(const struct td_meter *meter);
bool td_meter_settled(const struct td_meter *meter);
bool td_meter_fixed(const struct td_meter *meter, const struct perf_event *event);

/**
 * td_meter_leader() - an event that leads to perf's state of the CPU
 * @meter: the meter
 *
 * Return: the leader of the first group; all groups of a CPU have one PMU.
 */
static inline const struct perf_event *td_meter_leader(const struct td_meter *meter)
{
	return meter->group[0].event[0];
}

#endif /* TOPDOWN_METER_H */
