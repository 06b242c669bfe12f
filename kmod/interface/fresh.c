// SPDX-License-Identifier: GPL-2.0
/*
 * Fresh sums: readers make CPUs fold now.
 *
 * A fold for a reader costs an interrupt on each CPU.  A CPU that has slept since the
 * last such fold has counted almost nothing, so it is left alone.  If it has not even woken up
 * since that was found out, which is so for most CPUs of an idle machine, one look suffices.
 */
#include <linux/cpumask.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "compat.h"
#include "fresh.h"
#include "scope.h"
#include "window.h"

/* Do not interrupt a CPU that was busy for less than this since its last fold. */
#define TD_BUSY_US		50
/* The busy time may seem to go back by this much. */
#define TD_BUSY_SLACK_US	5

/*
 * The busy time of a CPU in microseconds.  It is simply the time where the kernel does
 * not account idle time well enough.  The two clocks may differ by some microseconds.
 */
static u64 td_fresh_busy(int cpu)
{
	return ktime_to_us(ktime_get()) - td_compat_idle_us(cpu);
}

/* The busy time is taken first, so that work during the fold counts the next time. */
static void td_fresh_fold_this(void *unused)
{
	struct td_collector *collector = this_cpu_ptr(td_collectors);
	u64 busy = td_fresh_busy(collector->cpu);

	if (!collector->open)
		return;
	td_window_fold(collector, TD_FOLD_POINT);
	/* Follows the change of the record; pairs with smp_load_acquire() in td_fresh_awake(). */
	smp_store_release(&collector->busy, busy);
}

/*
 * Has the CPU been busy since a reader last made it fold?  If not, the only new slots
 * are those of a few interrupts.
 */
static bool td_fresh_awake(int cpu, void *unused)
{
	struct td_collector *collector = per_cpu_ptr(td_collectors, cpu);
	unsigned int sleep;
	u64 busy;

	if (!td_scope_reachable(cpu, NULL))
		return false;
	/* Pairs with WRITE_ONCE() where the state is set. */
	switch (READ_ONCE(collector->state)) {
	case TOPDOWN_STATE_OFFLINE:
	case TOPDOWN_STATE_UNSUPPORTED:
		return false;
	case TOPDOWN_STATE_OK:
	case TOPDOWN_STATE_ASIDE:
		break;
	default:
		return true;
	}
	/* The same sleep as when a reader last asked: pairs with WRITE_ONCE() below. */
	sleep = td_compat_sleep(cpu);
	if (sleep && sleep == READ_ONCE(collector->sleep))
		return false;
	/* Pairs with smp_store_release() in td_fresh_fold_this(). */
	busy = td_fresh_busy(cpu) - smp_load_acquire(&collector->busy);
	/* This CPU needs no interrupt. */
	if (cpu == smp_processor_id() ||
	    busy + TD_BUSY_SLACK_US >= TD_BUSY_US + TD_BUSY_SLACK_US)
		return true;
	/*
	 * If the CPU has woken up meanwhile, this sleep is over, and no later one is like it.
	 * Pairs with READ_ONCE() above, of another reader.
	 */
	if (sleep)
		WRITE_ONCE(collector->sleep, sleep);
	return false;
}

/**
 * td_fresh_fold_awake() - bring the sums of busy CPUs up to date
 * @cpus: the CPUs; offline and quiet ones are left out
 *
 * Interrupts each CPU, except those that have been idle since their last fold for a reader, and
 * waits until all have answered.
 */
void td_fresh_fold_awake(const struct cpumask *cpus)
{
	on_each_cpu_cond_mask(td_fresh_awake, td_fresh_fold_this, NULL, true, cpus);
}
