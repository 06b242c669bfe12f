// SPDX-License-Identifier: GPL-2.0
/*
 * Fresh figures: readers let CPUs fold what they have counted until now.
 *
 * That is an interrupt to each CPU.  One that has slept since it was last asked has
 * counted nothing that would be worth it, and is left alone.
 */
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "compat.h"
#include "fresh.h"
#include "scope.h"
#include "window.h"

/* A CPU that did less than this since it was folded need not be interrupted. */
#define TD_BUSY_US		50
/* By which the time that it was busy may seem to go back. */
#define TD_BUSY_SLACK_US	5

/*
 * Microseconds that a CPU has not been idle; grows without end where the kernel
 * does not account for that.  The two clocks may be some microseconds apart.
 */
static u64 td_fresh_busy(int cpu)
{
	return ktime_to_us(ktime_get()) - td_compat_idle_us(cpu);
}

/* What the CPU does after the first line shall count as done the next time. */
static void td_fresh_fold_this(void *unused)
{
	struct td_window *window = this_cpu_ptr(td_windows);
	u64 busy = td_fresh_busy(window->cpu);

	if (!window->open)
		return;
	td_window_fold(window, false);
	/* After the record has changed; pairs with smp_load_acquire() in td_fresh_awake(). */
	smp_store_release(&window->busy, busy);
}

/**
 * td_fresh_fold() - bring the sums of some CPUs up to date
 * @cpus: which; those that are offline, or must not be interrupted, are left out
 *
 * One interrupt to each CPU; waits until all have answered.
 */
void td_fresh_fold(const struct cpumask *cpus)
{
	on_each_cpu_cond_mask(td_scope_reachable, td_fresh_fold_this, NULL, true, cpus);
}

/*
 * Has the CPU done anything since a reader last had it folded?  If not it has
 * counted no slots but those of a few interrupts.
 */
static bool td_fresh_awake(int cpu, void *unused)
{
	const struct td_window *window = per_cpu_ptr(td_windows, cpu);
	u64 busy;

	if (!td_scope_reachable(cpu, NULL))
		return false;
	/* Pairs with WRITE_ONCE() where the state is set. */
	switch (READ_ONCE(window->state)) {
	case TOPDOWN_STATE_OFFLINE:
	case TOPDOWN_STATE_UNSUPPORTED:
		return false;
	case TOPDOWN_STATE_OK:
	case TOPDOWN_STATE_ASIDE:
		break;
	default:
		return true;
	}
	/* Pairs with smp_store_release() in td_fresh_fold_this(). */
	busy = td_fresh_busy(cpu) - smp_load_acquire(&window->busy);
	/* To ask this CPU costs nothing. */
	return cpu == smp_processor_id() ||
	       busy + TD_BUSY_SLACK_US >= TD_BUSY_US + TD_BUSY_SLACK_US;
}

/**
 * td_fresh_fold_awake() - bring the sums up to date where that changes them
 * @cpus: which; those that are offline, or must not be interrupted, are left out
 *
 * As td_fresh_fold(), but leaves those alone that have been idle since
 * this was last called for them.
 */
void td_fresh_fold_awake(const struct cpumask *cpus)
{
	on_each_cpu_cond_mask(td_fresh_awake, td_fresh_fold_this, NULL, true, cpus);
}
