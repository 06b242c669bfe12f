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
 * A reading is exact to half a step of the slots since the last reset.  So reset when these are
 * about a quarter of a millisecond of a busy CPU: half a step is then half a microsecond of it.
 * Tasks that alternate regularly see the same half of a step again and again.
 */
#define TD_POINT_SLOTS	BIT_ULL(22)

/*
 * The same for sums of many owners: a millisecond of a busy CPU.  Where many readings are summed
 * up, more exact ones gain little.
 */
#define TD_PEEK_SLOTS	BIT_ULL(24)

/* Instructions, then cycles. */
#define TD_CYCLES_EVENTS	2

/**
 * struct td_noted - up to where the counts of a meter with PERF_METRICS were added to sums
 * @mark: slots and metrics
 * @cycles: instructions and cycles, where they are counted
 */
struct td_noted {
	struct td_mark mark;
	struct td_tally cycles[TD_CYCLES_EVENTS];
};

const struct td_quant *td_perfmetrics_quant(const struct td_meter *meter);
struct td_meter *td_perfmetrics_create(const struct td_model *model, int cpu);

bool td_perfmetrics_take_any(const struct td_meter *meter, u64 most, struct td_noted *noted,
			     struct topdown_sums *sums);

/**
 * td_perfmetrics_take() - add what a meter has counted to sums: no formula, no division
 * @meter: meter of this CPU, of this kind and linear; interrupts off
 * @most: of so many slots since the last reset a byte of PERF_METRICS says too little
 * @noted: up to where all was added; moved
 * @add: a constant; false to leave out what was counted
 * @sums: grow if @add, but for the times: nodes of the metrics by steps of 1/255 slot, modulo 2^64
 *
 * This is what nearly each switch of tasks takes.
 *
 * Return: false if there is more to do, which td_perfmetrics_take_any() does: not all is added.
 */
static __always_inline bool td_perfmetrics_take(const struct td_meter *meter, u64 most,
						struct td_noted *noted, bool add,
						struct topdown_sums *sums)
{
	const struct td_group *group = &meter->group[0], *general = &meter->cycles;

	if (general->nr &&
	    unlikely(!td_group_active(general) ||
		     !td_tally_take(general->event[0], &noted->cycles[0], add,
				    &sums->instructions) ||
		     !td_tally_take(general->event[1], &noted->cycles[1], add, &sums->cycles)))
		return false;
	return td_group_take(group, most, &noted->mark, add, &sums->slots, sums->node);
}

#endif /* TOPDOWN_PERFMETRICS_H */
