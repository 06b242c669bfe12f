/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_RECORD_H
#define TOPDOWN_RECORD_H

#include <linux/types.h>

#include "sums.h"

/**
 * struct td_cpus_sum - an unfinished sum of records
 * @record: the result
 * @now: ktime_get_ns() at its begin
 * @windows: number of windows in @window
 * @any: nodes that at least one CPU has, bit n for node n
 * @total_lacks: nodes that a summand of @total lacks
 * @window_lacks: nodes that a summand of @window lacks
 * @total: sum of the totals
 * @window: sum of the last windows
 */
struct td_cpus_sum {
	struct topdown_record record;
	u64 now;
	unsigned int windows;
	u32 any;
	u32 total_lacks;
	u32 window_lacks;
	struct td_wide_sum total;
	struct td_wide_sum window;
};

void td_record_read(int cpu, bool fresh, struct topdown_record *record);

void td_cpus_sum_begin(struct td_cpus_sum *total);
void td_cpus_sum_add(struct td_cpus_sum *total, const struct topdown_record *record);
void td_cpus_sum_end(struct td_cpus_sum *total);

#endif /* TOPDOWN_RECORD_H */
