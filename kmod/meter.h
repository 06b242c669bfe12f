/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Meters: what counts the slots of one CPU.
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

/* On four counters, one of them lost: as many as the events of a family need. */
#define TD_GROUPS_MAX	8

/* td_meter.ok_percent of a meter that always counts level 1. */
#define TD_OK_PERCENT	99

/**
 * struct td_part - what a meter counted between two folds
 * @figures: the slots and nodes; its times are the window's, and its ratios are not
 *	touched
 * @clamped: nodes that a formula was cut for, bit n for node n
 * @doubt: whether the CPU can have done that
 * @odd: the bytes of PERF_METRICS do not sum to what they can
 */
struct td_part {
	struct topdown_figures figures;
	u32 clamped;
	enum td_doubt doubt;
	bool odd;
};

/**
 * struct td_event_count - what was counted of an event
 * @name: as in the vendor's event list, or as perf has the metrics
 * @config: perf's raw config
 * @count: since the group was made; of an event that has turns as it was scaled
 */
struct td_event_count {
	const char *name;
	u64 config;
	u64 count;
};

/**
 * struct td_events - the counts behind the figures of a CPU, for those who want to apply
 *	formulas of their own, or to see why a formula was cut
 * @nr: how many there are; 0 where nothing is counted now
 * @event: the events, in the order of their tables
 */
struct td_events {
	unsigned int nr;
	struct td_event_count event[TD_EVENTS_MAX];
};

/**
 * struct td_meter_ops - what the two kinds of meter do in their own way
 * @begin: drop what was counted until @now of local_clock(); on the CPU with
 *	interrupts off
 * @fold: write what was counted since the last fold, but for nodes that this meter never
 *	has; returns nanoseconds in which level 1
 *	was counted, perhaps some more than there were; on the CPU with interrupts off
 * @resume: the groups were disabled until @now, and have been folded since; as @begin
 * @events: write the raw counts; on the CPU with interrupts off, after a fold
 * @describe: write a text that says what the CPU is measured with
 */
struct td_meter_ops {
	void (*begin)(struct td_meter *meter, u64 now);
	s64 (*fold)(struct td_meter *meter, u64 now, struct td_part *part);
	void (*resume)(struct td_meter *meter, u64 now);
	void (*events)(const struct td_meter *meter, struct td_events *events);
	void (*describe)(const struct td_meter *meter, char *text, size_t size);
};

/**
 * struct td_meter - what counts the slots of one CPU
 * @ops: how
 * @cpu: which CPU
 * @model: its row of the table of models
 * @source: what the figures are made of
 * @level: highest level that is counted
 * @nodes: the nodes that are counted, bit n for node n
 * @nodes_possible: those and what drilldown may add
 * @flags: TOPDOWN_RECORD_* of all windows
 * @ok_percent: level 1 is counted for so much of a window if nobody interferes
 * @nr: how many groups there are
 * @group: the groups; the first has level 1
 *
 * Made and destroyed under td_fit_mutex, constant in between but for what the kinds keep
 * behind it.
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
	unsigned int ok_percent;
	unsigned int nr;
	struct td_group group[TD_GROUPS_MAX];
};

bool td_meter_pinned(void);
bool td_meter_lacks_events(int error);
void td_meter_release(struct td_meter *meter);
void td_meter_destroy(struct td_meter *meter);
void td_meter_enable(struct td_meter *meter);
void td_meter_disable(struct td_meter *meter);
bool td_meter_in_error(const struct td_meter *meter);
bool td_meter_counting(const struct td_meter *meter);
bool td_meter_owns(const struct td_meter *meter, const struct perf_event *event);
bool td_meter_general(const struct td_meter *meter);
bool td_meter_fixed(const struct td_meter *meter, const struct perf_event *event);

/**
 * td_meter_leader() - an event by which perf's state of the CPU is found
 * @meter: the meter
 *
 * Return: the leader of the first group; all groups of a CPU are of one PMU.
 */
static inline const struct perf_event *td_meter_leader(const struct td_meter *meter)
{
	return meter->group[0].event[0];
}

#endif /* TOPDOWN_METER_H */
