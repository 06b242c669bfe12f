// SPDX-License-Identifier: GPL-2.0
/*
 * The busy time of a CPU: the time in which it did not run its idle task.
 *
 * This is the kernel's account of idle time, because it needs no counter and is there when
 * others have all of them.  A fold reads it only if the idle task ran since the last fold.
 */
#include <linux/cache.h>
#include <linux/lockdep.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/smp.h>
#include <linux/tick.h>
#include <linux/time64.h>

#include "busy.h"
#include "compat.h"
#include "meter.h"

/* The kernel's clocks agree better than this. */
#define TD_BUSY_CLOCKS_NS	NSEC_PER_MSEC

/* Is the kernel's account of idle time exact?  That is decided at boot. */
static bool td_busy_exact __read_mostly;

/* The idle time of this CPU in nanoseconds. */
static u64 td_busy_idle(void)
{
	int cpu = smp_processor_id();

	return (get_cpu_idle_time_us(cpu, NULL) + get_cpu_iowait_time_us(cpu, NULL)) *
	       NSEC_PER_USEC;
}

/*
 * Can this CPU have been idle since the last fold?  If not, its idle task has left it as often
 * as then.  That task is known once a fold has found the CPU idle.  A thread that injects idle
 * time is an idle task, too, for that time; but it may exit, and only the true ones have pid 0.
 */
static bool td_busy_idled(struct td_busy *busy)
{
	const struct task_struct *task = busy->idler;
	unsigned long left;

	if (is_idle_task(current)) {
		if (!current->pid)
			busy->idler = current;
		return true;
	}
	if (!task)
		return true;
	left = task->nvcsw + task->nivcsw;
	if (left == busy->left)
		return false;
	busy->left = left;
	return true;
}

/**
 * td_busy_known() - do figures have the busy time?
 *
 * Return: false with cycles=0, and if the kernel's account of idle time is not exact.
 */
bool td_busy_known(void)
{
	return td_meter_cycles() && td_busy_exact;
}

/**
 * td_busy_setup() - prepare a CPU that is not measured yet
 * @busy: of the CPU, zeroed
 * @cpu: its number
 */
void td_busy_setup(struct td_busy *busy, int cpu)
{
	td_busy_exact = td_compat_knows_idle(cpu);
	/* The idle task of the CPU that booted is known. */
	if (task_cpu(&init_task) == cpu)
		busy->idler = &init_task;
}

/**
 * td_busy_begin() - ignore the time until now
 * @busy: of this CPU; interrupts off, and not in an NMI
 */
void td_busy_begin(struct td_busy *busy)
{
	lockdep_assert_irqs_disabled();
	td_busy_idled(busy);
	busy->idle = td_busy_idle();
	busy->unjudged = 0;
}

/**
 * td_busy_fold() - the busy time since the last fold
 * @busy: of this CPU; interrupts off
 * @time: the time since the last fold, in nanoseconds
 *
 * An NMI may have interrupted the writer of the account, which is the idle task, or the keeper
 * of the time, and a reader would wait for that writer for ever.  So may a probe whose sample
 * reads a perf event.  So the busy time of a part that ends there is in the next part.  The
 * account is in microseconds, so a little idle time may also be left for the next part.
 *
 * Return: nanoseconds; at most @time and the time of the parts before it that ended so, for
 * which this was 0.
 */
u64 td_busy_fold(struct td_busy *busy, u64 time)
{
	u64 now, idle;

	if (in_nmi() || busy->sampled) {
		busy->unjudged += time;
		return 0;
	}
	time += busy->unjudged;
	busy->unjudged = 0;
	if (!td_busy_idled(busy))
		return time;
	now = td_busy_idle();
	idle = clamp_t(s64, now - busy->idle, 0, time);
	busy->idle += idle;
	if (unlikely((u64)abs((s64)(now - busy->idle)) > TD_BUSY_CLOCKS_NS))
		busy->idle = now;
	return time - idle;
}
