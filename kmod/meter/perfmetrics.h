/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_PERFMETRICS_H
#define TOPDOWN_PERFMETRICS_H

#include <linux/bits.h>
#include <linux/types.h>

#include "group.h"
#include "mark.h"
#include "meter.h"
#include "metrics.h"

struct td_model;

/*
 * A point of sums is exact to half a step of the slots since the last reset, so reset when these
 * are a millisecond of a busy CPU.  Where many points are summed up, more exact ones gain little.
 */
#define TD_PEEK_SLOTS	BIT_ULL(24)

/* Instructions, then cycles. */
#define TD_CYCLES_EVENTS	2

/**
 * struct td_noted - up to where the counts of a meter with PERF_METRICS were added to sums
 * @mark: slots and metrics
 * @cycles: instructions and cycles, where they are counted
 * @span: time in which the group had its counters
 */
struct td_noted {
	struct td_mark mark;
	struct td_tally cycles[TD_CYCLES_EVENTS];
	struct td_span span;
};

const struct td_quant *td_perfmetrics_quant(const struct td_meter *meter);
struct td_meter *td_perfmetrics_create(const struct td_model *model, int cpu);

/**
 * td_perfmetrics_take() - add what a meter has counted to sums: no formula, no division
 * @meter: meter of this CPU, of this kind and linear; interrupts off
 * @then: when the meter was last read, in ticks
 * @now: td_ticks()
 * @noted: up to where all was added; moved
 * @sums: grow: nodes of the metrics by steps of 1/255 slot, modulo 2^64, and the running time
 *	by ticks
 *
 * Return: false if a point is due, which resets PERF_METRICS; then slots and metrics are not added.
 */
static __always_inline bool td_perfmetrics_take(const struct td_meter *meter, u64 then,
						u64 now, struct td_noted *noted,
						struct topdown_sums *sums)
{
	const struct td_group *group = &meter->group[0], *general = &meter->cycles;
	bool active;

	sums->running_ns += td_span_take(group, then, now, &noted->span);
	if (general->nr) {
		active = td_group_active(general);
		td_tally_take(general->event[0], active, &noted->cycles[0],
			      &sums->instructions);
		td_tally_take(general->event[1], active, &noted->cycles[1], &sums->cycles);
	}
	return td_group_take(group, TD_PEEK_SLOTS, &noted->mark, &sums->slots, sums->node);
}

#endif /* TOPDOWN_PERFMETRICS_H */
