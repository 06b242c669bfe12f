/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_BUSY_H
#define TOPDOWN_BUSY_H

#include <linux/types.h>

struct task_struct;

/**
 * struct td_busy - the busy time of a CPU; used on the CPU with interrupts off
 * @idle: idle time that the busy time so far is without, in nanoseconds
 * @unjudged: time of parts without a look at the idle time; their busy time is in the next
 *	part
 * @sampled: a perf event is being read, perhaps for a sample
 * @idler: the idle task of the CPU; NULL if it is not known yet
 * @left: how often @idler had left the CPU at the last fold that it may have preceded
 */
struct td_busy {
	u64 idle;
	u64 unjudged;
	bool sampled;
	const struct task_struct *idler;
	unsigned long left;
};

bool td_busy_known(void);
void td_busy_setup(struct td_busy *busy, int cpu);
void td_busy_begin(struct td_busy *busy);
u64 td_busy_fold(struct td_busy *busy, u64 time);

#endif /* TOPDOWN_BUSY_H */
