/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later */
/*
 * The periods of a sampling event: how many events a sample stands for, and how many have
 * none.
 *
 * Pure integer functions of their arguments.  The module and the host tests compile them.
 */
#ifndef TOPDOWN_PERIODS_H
#define TOPDOWN_PERIODS_H

#include <linux/types.h>
#ifndef __KERNEL__
#include <stdbool.h>
#endif

/**
 * struct td_periods - which periods of an event are accounted for
 * @ended: count of the event where the last one of them ended
 * @length: events in the period that the next sample ends
 * @late: the driver begins the next period after the handler
 */
struct td_periods {
	__u64 ended;
	__u64 length;
	bool late;
};

__s64 td_periods_between(__u64 then, __u64 now);
void td_periods_begin(struct td_periods *periods, __u64 at, __u64 length);
__u64 td_periods_sample(struct td_periods *periods, __u64 begun, __u64 length, __u64 *lost);
__u64 td_periods_settle(struct td_periods *periods, __u64 begun, __u64 length, __u64 left);

#endif /* TOPDOWN_PERIODS_H */
