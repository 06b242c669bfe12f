/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The figures of a latency, of samples or known without one.
 */
#ifndef TOPDOWN_CLI_LATENCY_FIGURES_H
#define TOPDOWN_CLI_LATENCY_FIGURES_H

#include <topdown.h>

#include "raw-events.h"
#include "rows.h"

/**
 * enum known_figure - what may be known of an event
 *
 * @KNOWN_MEAN: mean
 * @KNOWN_MIN: least latency
 * @KNOWN_P50: median
 * @KNOWN_P90: 90% have no larger latency
 * @KNOWN_P99: 99% have no larger latency
 * @KNOWN_MAX: greatest latency
 * @KNOWN_FIGURES: number of figures
 */
enum known_figure {
	KNOWN_MEAN,
	KNOWN_MIN,
	KNOWN_P50,
	KNOWN_P90,
	KNOWN_P99,
	KNOWN_MAX,
	KNOWN_FIGURES,
};

/**
 * struct known - the latencies of an event without a sample
 * @source: "table", or who published them; NULL if nothing is known
 * @figure: cycles; NaN if not known
 */
struct known {
	const char *source;
	double figure[KNOWN_FIGURES];
};

/**
 * struct latency_row - what a row of latencies has
 * @record: the latencies
 * @known: what is known of them, if there is no sample; else NULL
 * @node: name of a node that follows from costs of events; NULL for an event
 * @estimate: how often the event happened, an estimate; NaN if not known.  Of a sum on the CPUs
 *	that have one
 * @unsampled: the part of @estimate on CPUs where it happened and had no sample
 * @spent: cycles that it cost there
 * @capped: the same, with latencies up to the cap of the event's node
 * @cycles: the cycles of these CPUs or of the task; 0 if there was no estimate, or no count
 * @cost: share of the cycles that the event cost; NaN if not known
 * @aside: share of the time in which the counter was left to perf users, or the event found none,
 *	of a recording; NaN to go by the flags of @record
 * @judged: the node has a threshold, and a cost
 * @over: the node is over its threshold
 */
struct latency_row {
	struct topdown_latency_record record;
	const struct known *known;
	const char *node;
	double estimate;
	double unsampled;
	double spent;
	double capped;
	double cycles;
	double cost;
	double aside;
	bool judged;
	bool over;
};

static inline struct latency_row *latency_of(const struct row *row)
{
	return row->own;
}

/* The name of the event, or of the node. */
static inline const char *latency_name(const struct latency_row *row)
{
	return row->node ? row->node : raw_events_name(row->record.event);
}

void latency_row_make(struct row *row, struct latency_row *own,
		      const struct topdown_latency_record *record, const struct task *task,
		      double aside);
double known_lost(const struct topdown_latency_record *record);
double known_sampled(const struct topdown_latency_record *record, enum known_figure figure);
double latency_figure(const struct latency_row *row, enum known_figure figure);

#endif /* TOPDOWN_CLI_LATENCY_FIGURES_H */
