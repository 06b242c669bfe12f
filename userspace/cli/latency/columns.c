// SPDX-License-Identifier: GPL-2.0
/*
 * The columns of latencies. A new one goes after the last, so that no column moves.
 */
#include "latency-columns.h"

#include "latency-figures.h"
#include "task.h"

/* A latency that nobody sampled is not known, or known from elsewhere. */
static void set_latency(struct column_value *value, const struct row *row, enum known_figure figure)
{
	set_figure(value, latency_figure(latency_of(row), figure));
}

static void set_end(struct column_value *value, const struct row *row, enum known_figure figure)
{
	set_latency(value, row, figure);
	value->integer = value->number;
}

/* A node has no samples of its own. */
static uint64_t latency_number(const struct latency_row *row, uint64_t number)
{
	return row->node ? 0 : number;
}

/* Does anybody know what was counted, and what was lost? */
static bool latency_counted(const struct latency_row *row)
{
	return !row->node && row->record.flags & TOPDOWN_LATENCY_RECORD_COUNTED;
}

static const char *latency_origin(const struct latency_row *row)
{
	if (row->node)
		return "cost";
	if (row->known)
		return row->known->source;
	return row->record.samples ? "samples" : "none";
}

static void set_covered(struct column_value *value, const struct row *row)
{
	const struct topdown_latency_record *record = &latency_of(row)->record;

	value->none = latency_of(row)->node || !record->elapsed_ns;
	value->number = value->none ? 0 : (double)record->running_ns / record->elapsed_ns;
}

static void set_deviation(struct column_value *value, const struct latency_row *row)
{
	set_figure(value, row->node ? (double)NAN : sqrt(topdown_latency_variance(&row->record)));
}

#define OWN	latency_of(row)

GETTER(event, string, latency_name(OWN))
GETTER(samples, integer, latency_number(OWN, OWN->record.samples))
GETTER(events, integer, latency_number(OWN, OWN->record.events))
GETTER(counted_events, known, latency_counted(OWN), OWN->record.counted)
GETTER(lost_events, known, latency_counted(OWN), OWN->record.lost)
GETTER(mean, latency, row, KNOWN_MEAN)
GETTER(deviation, deviation, OWN)
GETTER(min, end, row, KNOWN_MIN)
GETTER(p50, latency, row, KNOWN_P50)
GETTER(p90, latency, row, KNOWN_P90)
GETTER(p99, latency, row, KNOWN_P99)
GETTER(max, end, row, KNOWN_MAX)
GETTER(origin, string, latency_origin(OWN))
GETTER(estimate, figure, OWN->estimate)
GETTER(cost, figure, OWN->cost)
GETTER(over, known, OWN->judged, OWN->over)
GETTER(covered, covered, row)
GETTER(aside, known, !OWN->node, !!(OWN->record.flags & TOPDOWN_LATENCY_RECORD_AWAY))
GETTER(pid, known, row->task && row->task->pid > 0, row->task ? row->task->pid : 0)

static const struct column columns[] = {
	STRING(event, COLUMNS_LATENCIES, "Intel's name of the event"),
	INTEGER(samples, COLUMNS_LATENCIES, "number of samples"),
	INTEGER(events, COLUMNS_LATENCIES, "number of events that the samples stand for"),
	MAYBE(counted_events, COLUMNS_LATENCIES,
	      "number of events that the sampling counter counted"),
	MAYBE(lost_events, COLUMNS_LATENCIES,
	      "number of events of periods that ended without a sample"),
	NUMBER(mean, COLUMNS_LATENCIES, 6, true, "mean of the latencies, in cycles"),
	NUMBER(deviation, COLUMNS_LATENCIES, 6, true, "their standard deviation"),
	MAYBE(min, COLUMNS_LATENCIES, "least latency; after the first interval that of its bin"),
	NUMBER(p50, COLUMNS_LATENCIES, 1, true, "median, as the middle of its bin"),
	NUMBER(p90, COLUMNS_LATENCIES, 1, true, "90% of the events have no larger latency"),
	NUMBER(p99, COLUMNS_LATENCIES, 1, true, "99% of the events have no larger latency"),
	MAYBE(max, COLUMNS_LATENCIES,
	      "greatest latency; after the first interval that of its bin"),
	NUMBER(covered, COLUMNS_LATENCIES, 6, true,
	       "share of the interval in which the event was sampled"),
	BOOLEAN(aside, COLUMNS_LATENCIES, true,
		"on some CPU the counter is left to others now, or the event finds none"),
	MAYBE(pid, COLUMNS_LATENCIES, "number of the process"),
	STRING(origin, COLUMNS_LATENCIES,
	       "samples, none, table, perfmon or pmu-tools, who have published it; or cost"),
	NUMBER(estimate, COLUMNS_LATENCIES, 0, true,
	       "how often the event happened, with --cost; an estimate"),
	NUMBER(cost, COLUMNS_LATENCIES, 6, true,
	       "count times latency, as a share of the cycles; or the value of a node"),
	BOOLEAN(over, COLUMNS_LATENCIES, true, "the node is over its threshold"),
};

const struct columns latency_columns = { columns, sizeof(columns) / sizeof(columns[0]) };
