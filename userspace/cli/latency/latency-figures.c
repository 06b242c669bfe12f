// SPDX-License-Identifier: GPL-2.0
/*
 * The figures of a latency, of samples or known without one.
 */
#include "latency-figures.h"

#include <math.h>

/**
 * known_lost - the share of events that no sample stands for although one should
 * @record: the record
 *
 * Return: share; NaN if it is not known, and without events.
 */
double known_lost(const struct topdown_latency_record *record)
{
	double due = (double)record->events + record->lost;

	if (!(record->flags & TOPDOWN_LATENCY_RECORD_COUNTED) || due <= 0)
		return (double)NAN;
	return record->lost / due;
}

/**
 * known_sampled - a figure of a record
 * @record: the record
 * @figure: which
 *
 * Return: cycles; NaN without a sample.
 */
double known_sampled(const struct topdown_latency_record *record, enum known_figure figure)
{
	if (!record->samples)
		return (double)NAN;
	switch (figure) {
	case KNOWN_MEAN:
		return topdown_latency_mean(record);
	case KNOWN_MIN:
		return record->min;
	case KNOWN_P50:
		return topdown_latency_quantile(record, 0.5);
	case KNOWN_P90:
		return topdown_latency_quantile(record, 0.9);
	case KNOWN_P99:
		return topdown_latency_quantile(record, 0.99);
	default:
		return record->max;
	}
}

/**
 * latency_row_make - make a row of latencies without costs
 * @row: the row
 * @own: what it has for itself
 * @record: the latencies, of a CPU, of the sum or of the task
 * @task: the task; NULL for CPUs
 * @aside: as in struct latency_row
 */
void latency_row_make(struct row *row, struct latency_row *own,
		      const struct topdown_latency_record *record, const struct task *task,
		      double aside)
{
	*own = (struct latency_row){
		.record = *record,
		.estimate = (double)NAN,
		.cost = (double)NAN,
		.aside = aside,
	};
	*row = (struct row){
		.kind = task ? ROW_PROCESS : record->cpu == TOPDOWN_CPU_ALL ? ROW_ALL : ROW_CPU,
		.task = task,
		.cpu = record->cpu,
		.core_id = -1,
		.socket = -1,
		.numa = -1,
		.own = own,
	};
}

/**
 * latency_figure - a figure of a row
 * @row: the row
 * @figure: which
 *
 * Return: cycles, of samples or known otherwise; NaN for a node, and where nobody knows.
 */
double latency_figure(const struct latency_row *row, enum known_figure figure)
{
	if (row->node)
		return (double)NAN;
	return row->known ? row->known->figure[figure] : known_sampled(&row->record, figure);
}
