// SPDX-License-Identifier: GPL-2.0
/*
 * The group of cycles: it gives way to everybody.
 *
 * A CPU with PERF_METRICS has a group of instructions and cycles beside that of the slots
 * (perfmetrics.c).  Its fixed counters cost nobody anything, until somebody else wants to
 * count the same and needs general counters for it, or holds the fixed counter of cycles.
 * So the group is disabled as soon as anybody lacks counters for that reason: a perf user
 * who counts a task, one who counts whole CPUs, or our own group of slots (starved.c).
 * aside.c notices it.  The group is enabled again some seconds later.
 *
 * While the group of slots stands aside, this one is paused too.
 */
#include <linux/container_of.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/prio.h>
#include <linux/tick.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "cycles.h"
#include "group.h"
#include "meter.h"
#include "starved.h"
#include "window.h"

/* Stay away for this long; the time doubles if the group is in the way again at once. */
#define TD_CYCLES_AWAY_MIN	HZ
#define TD_CYCLES_AWAY_MAX	(16 * HZ)

/* If others rotate all the time, look this seldom. */
#define TD_CYCLES_LOOK		(HZ / 10)

/**
 * struct td_cycles - whether the group of cycles of a CPU gives way
 * @collector: collector of the CPU
 * @lock: keeps the meter, and the CPU online, while @ready; taken inside td_aside.lock
 * @ready: the CPU has a meter with this group; under @lock, as the fields up to @delay
 * @paused: the group of slots stands aside
 * @away: the group is disabled, because it was in the way
 * @since: when it was last enabled after it had been away, in jiffies
 * @delay: how long it was away the last time, in jiffies
 * @counting: the group is enabled; changed under @lock, read on the CPU
 * @looked: when the CPU last looked for those who lack counters, in jiffies; used on the CPU
 *	with interrupts off
 * @leave: disables the group
 * @come_back: enables the group
 */
struct td_cycles {
	const struct td_collector *collector;
	struct mutex lock; /* the meter stays, and the CPU online */
	bool ready;
	bool paused;
	bool away;
	unsigned long since;
	unsigned long delay;
	bool counting;
	unsigned long looked;
	struct work_struct leave;
	struct delayed_work come_back;
};

static DEFINE_PER_CPU(struct td_cycles, td_cycles);

static struct td_cycles *td_cycles_of(const struct td_collector *collector)
{
	return per_cpu_ptr(&td_cycles, collector->cpu);
}

/* Enable or disable the group, as the fields have it. */
static void td_cycles_apply(struct td_cycles *cycles)
{
	struct td_meter *meter = cycles->collector->meter;
	bool counting = !cycles->paused && !cycles->away;

	lockdep_assert_held(&cycles->lock);
	if (!cycles->ready || counting == cycles->counting)
		return;
	/* Pairs with READ_ONCE() in td_cycles_due() and td_cycles_look(). */
	WRITE_ONCE(cycles->counting, counting);
	if (counting)
		td_group_enable(&meter->cycles);
	else
		td_group_disable(&meter->cycles);
}

static void td_cycles_leave(struct work_struct *work)
{
	struct td_cycles *cycles = container_of(work, struct td_cycles, leave);

	mutex_lock(&cycles->lock);
	if (cycles->ready && cycles->counting) {
		if (time_before(jiffies, cycles->since + cycles->delay))
			cycles->delay = min_t(unsigned long, cycles->delay * 2,
					      TD_CYCLES_AWAY_MAX);
		else
			cycles->delay = TD_CYCLES_AWAY_MIN;
		cycles->away = true;
		td_cycles_apply(cycles);
		queue_delayed_work(td_compat_unbound_wq, &cycles->come_back, cycles->delay);
	}
	mutex_unlock(&cycles->lock);
}

static void td_cycles_come_back(struct work_struct *work)
{
	struct td_cycles *cycles = container_of(to_delayed_work(work), struct td_cycles,
						come_back);

	mutex_lock(&cycles->lock);
	cycles->away = false;
	cycles->since = jiffies;
	td_cycles_apply(cycles);
	mutex_unlock(&cycles->lock);
}

/**
 * td_cycles_due() - is it worth to look whether the group of cycles is in the way?
 * @collector: collector of this CPU; interrupts off
 *
 * Return: true if perf users of whole CPUs matter now.
 */
bool td_cycles_due(const struct td_collector *collector)
{
	struct td_cycles *cycles = this_cpu_ptr(&td_cycles);

	lockdep_assert_irqs_disabled();
	/* Pairs with WRITE_ONCE() in td_cycles_apply(). */
	if (!READ_ONCE(cycles->counting) || time_before(jiffies, cycles->looked))
		return false;
	cycles->looked = jiffies + TD_CYCLES_LOOK;
	return true;
}

/**
 * td_cycles_look() - disable the group of cycles if it is in the way
 * @collector: collector of this CPU, which has a meter; interrupts off
 *
 * A real-time task would not let the work run, and a task on a nohz_full CPU must not be
 * interrupted, as in aside.c.  For both reasons the work that enables the group again is not
 * bound to the CPU.
 *
 * Return: true if the group is in the way, and will be disabled.
 */
bool td_cycles_look(const struct td_collector *collector)
{
	struct td_cycles *cycles = this_cpu_ptr(&td_cycles);

	lockdep_assert_irqs_disabled();
	/* Pairs with WRITE_ONCE() in td_cycles_apply(). */
	if (!READ_ONCE(cycles->counting) || !td_starved_by_cycles(collector->meter))
		return false;
	if (current->prio < MAX_RT_PRIO || tick_nohz_full_cpu(collector->cpu))
		queue_work(td_compat_unbound_wq, &cycles->leave);
	else
		queue_work_on(collector->cpu, system_highpri_wq, &cycles->leave);
	return true;
}

/**
 * td_cycles_pause() - the group of slots stands aside, or comes back
 * @collector: collector of the CPU, which has a meter
 * @paused: it stands aside
 */
void td_cycles_pause(const struct td_collector *collector, bool paused)
{
	struct td_cycles *cycles = td_cycles_of(collector);

	mutex_lock(&cycles->lock);
	cycles->paused = paused;
	td_cycles_apply(cycles);
	mutex_unlock(&cycles->lock);
}

/**
 * td_cycles_begin() - count cycles from now on, if the meter has a group of them
 * @collector: collector of the CPU, which has a meter; under td_fit_mutex
 */
void td_cycles_begin(const struct td_collector *collector)
{
	struct td_cycles *cycles = td_cycles_of(collector);

	mutex_lock(&cycles->lock);
	cycles->ready = collector->meter->cycles.nr;
	cycles->paused = false;
	cycles->away = false;
	td_cycles_apply(cycles);
	mutex_unlock(&cycles->lock);
}

/**
 * td_cycles_end() - leave the group alone, because it will be released
 * @collector: collector of the CPU; under td_fit_mutex
 *
 * A work that is still queued finds nothing to do.
 */
void td_cycles_end(const struct td_collector *collector)
{
	struct td_cycles *cycles = td_cycles_of(collector);

	mutex_lock(&cycles->lock);
	cycles->ready = false;
	WRITE_ONCE(cycles->counting, false);
	mutex_unlock(&cycles->lock);
}

/**
 * td_cycles_setup() - prepare a CPU that is not measured yet
 * @collector: collector of the CPU
 */
void td_cycles_setup(const struct td_collector *collector)
{
	struct td_cycles *cycles = td_cycles_of(collector);

	cycles->collector = collector;
	cycles->delay = TD_CYCLES_AWAY_MIN;
	cycles->since = jiffies - TD_CYCLES_AWAY_MIN;
	cycles->looked = jiffies;
	mutex_init(&cycles->lock);
	INIT_WORK(&cycles->leave, td_cycles_leave);
	INIT_DELAYED_WORK(&cycles->come_back, td_cycles_come_back);
}

/**
 * td_cycles_cleanup() - undo td_cycles_setup()
 * @collector: collector of the CPU, without a meter
 */
void td_cycles_cleanup(const struct td_collector *collector)
{
	struct td_cycles *cycles = td_cycles_of(collector);

	/* The first queues the second. */
	cancel_work_sync(&cycles->leave);
	cancel_delayed_work_sync(&cycles->come_back);
	mutex_destroy(&cycles->lock);
}
