/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_PERFMETRICS_H
#define TOPDOWN_PERFMETRICS_H

#include <linux/types.h>

#include "metrics.h"

struct td_meter;
struct td_model;

/* Instructions, then cycles. */
#define TD_CYCLES_EVENTS	2

/**
 * struct td_peek - all that a meter with PERF_METRICS has counted until now
 * @counts: slots, and the metrics in steps of 1/255 slot
 * @cycles: instructions and cycles; not written where they are not counted
 * @running: nanoseconds in which the group had its counters
 *
 * The difference of two is what was counted between them, modulo 2^64.
 */
struct td_peek {
	struct td_counts counts;
	u64 cycles[TD_CYCLES_EVENTS];
	u64 running;
};

bool td_perfmetrics_peek(const struct td_meter *meter, u64 now, bool reset,
			 struct td_peek *peek);
const struct td_quant *td_perfmetrics_quant(const struct td_meter *meter);
struct td_meter *td_perfmetrics_create(const struct td_model *model, int cpu);

#endif /* TOPDOWN_PERFMETRICS_H */
