/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Moments: perf schedules events one after the other.  They share one fold if they belong to
 * one moment.
 */
#ifndef TOPDOWN_MOMENT_H
#define TOPDOWN_MOMENT_H

#include <linux/sched.h>
#include <linux/types.h>

#include <asm/cpufeature.h>

/* No switch takes longer than this, on an emulated machine either. */
#define TD_SWITCH_NS		100000

/* On silicon none takes longer than this. */
#define TD_SWITCH_SILICON_NS	10000

static inline u64 td_moment_switch_ns(void)
{
	return boot_cpu_has(X86_FEATURE_HYPERVISOR) ? TD_SWITCH_NS : TD_SWITCH_SILICON_NS;
}

/**
 * td_moment_arrived() - had the current task got this CPU by then?
 * @then: local_clock()
 *
 * A kernel that does not note when the scheduler gave the CPU to a task says no.
 *
 * Return: true or false.
 */
static inline bool td_moment_arrived(u64 then)
{
#ifdef CONFIG_SCHED_INFO
	return current->sched_info.last_arrival <= then;
#else
	return false;
#endif
}

/**
 * td_moment_same_switch() - was an event scheduled out in the switch to the current task?
 * @left: when the last event was scheduled out from this CPU, local_clock()
 * @now: local_clock()
 *
 * If so, the scheduler gave the CPU to the current task before that.  A kernel that does not
 * note when it did so folds once more at such a switch.
 *
 * Return: true or false.
 */
static inline bool td_moment_same_switch(u64 left, u64 now)
{
	return now - left < TD_SWITCH_NS && td_moment_arrived(left);
}

#endif /* TOPDOWN_MOMENT_H */
