/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_RECORD_H
#define TOPDOWN_RECORD_H

#include <linux/types.h>

#include "metrics.h"

/**
 * struct td_baseline - where the sums of one reader begin, for one CPU
 * @windows: windows closed before
 * @total: figures before
 */
struct td_baseline {
	u64 windows;
	struct topdown_figures total;
};

/**
 * struct td_total - the sum of records in the making
 * @record: what will be the answer
 * @now: ktime_get_ns() when it was begun
 * @windows: how many windows are in @window
 * @any: nodes that any of the CPUs has, bit n for node n
 * @total_lacks: nodes that some figures in @total lack
 * @window_lacks: the same of @window
 * @total: sum of the figures since the baselines
 * @window: sum of the last windows
 */
struct td_total {
	struct topdown_record record;
	u64 now;
	unsigned int windows;
	u32 any;
	u32 total_lacks;
	u32 window_lacks;
	struct td_sum total;
	struct td_sum window;
};

void td_record_read(int cpu, bool fresh, const struct td_baseline *baseline,
		    struct topdown_record *record);
void td_record_baseline(int cpu, struct td_baseline *baseline);

void td_total_begin(struct td_total *total);
void td_total_add(struct td_total *total, const struct topdown_record *record);
void td_total_end(struct td_total *total);

#endif /* TOPDOWN_RECORD_H */
