/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ticks: a clock for what runs within switches of tasks, where local_clock() is too dear.
 *
 * A tick is one of the TSC or, where the TSC is no clock, a nanosecond of local_clock().  Ticks of
 * two CPUs cannot be compared, so use only differences on one CPU.
 */
#ifndef TOPDOWN_TICKS_H
#define TOPDOWN_TICKS_H

#include <linux/compiler.h>
#include <linux/sched/clock.h>
#include <linux/types.h>
#include <asm/tsc.h>

/* Ticks are of the TSC; set before the first tick. */
extern bool td_ticks_tsc;

void td_ticks_init(void);
u64 td_ticks_to_ns(u64 ticks);

/**
 * td_ticks() - what time is it?
 *
 * With interrupts off.  As in the kernel's own clock, RDTSC is not ordered: between two switches
 * there is far more than a CPU may reorder.
 *
 * Return: ticks of this CPU.
 */
static __always_inline u64 td_ticks(void)
{
	return likely(td_ticks_tsc) ? rdtsc() : local_clock();
}

#endif /* TOPDOWN_TICKS_H */
