// SPDX-License-Identifier: GPL-2.0
/*
 * Tallies: what the samples in the tasks of a session add up to.
 *
 * The tasks may run on many CPUs, and each adds its samples in an NMI.  There are at most
 * TOPDOWN_LATENCY_RATE of them in a second of a CPU, so all CPUs share one tally of an event,
 * and add to it by atomic operations.  Tasks switch more often, so each CPU has their time for
 * itself, and a reader adds it up.
 */
#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/processor.h>
#include <linux/slab.h>

#include "compat.h"
#include "tallies.h"

/* Writers are done in no time; this many tries are enough. */
#define TD_TALLY_TRIES		1000

/**
 * struct td_task_tally - the samples of one event in the tasks of a session
 * @begun: number of writers so far that have begun
 * @done: number of writers so far that are done
 * @samples: as in struct topdown_latency_record, as the others
 * @events: see @samples
 * @sum: see @samples
 * @min: see @samples, but U64_MAX without any
 * @max: see @samples
 * @bin: see @samples
 */
struct td_task_tally {
	atomic64_t begun;
	atomic64_t done;
	atomic64_t samples;
	atomic64_t events;
	atomic64_t sum;
	atomic64_t min;
	atomic64_t max;
	atomic64_t bin[TOPDOWN_LATENCY_BINS];
};

atomic_t td_nr_tallies __read_mostly = ATOMIC_INIT(0);

static void td_tallies_free(struct td_tallies *tallies)
{
	unsigned int i;

	for (i = 0; i < TOPDOWN_LATENCY_EVENTS_MAX; i++)
		kfree(tallies->tally[i]);
	free_percpu(tallies->time);
	kfree(tallies);
}

/**
 * td_tallies_create() - begin with the tallies of some events
 * @events: bit n for event n
 *
 * Return: the tallies, or NULL if there is no memory.
 */
struct td_tallies *td_tallies_create(u64 events)
{
	struct td_tallies *tallies = kzalloc(sizeof(*tallies), GFP_KERNEL_ACCOUNT);
	struct td_task_tally *tally;

	if (!tallies)
		return NULL;
	tallies->time = alloc_percpu_gfp(struct td_tally_time, GFP_KERNEL_ACCOUNT);
	if (!tallies->time) {
		td_tallies_free(tallies);
		return NULL;
	}
	for (; events; events &= events - 1) {
		tally = kzalloc(sizeof(*tally), GFP_KERNEL_ACCOUNT);
		if (!tally) {
			td_tallies_free(tallies);
			return NULL;
		}
		atomic64_set(&tally->min, U64_MAX);
		tallies->tally[__ffs64(events)] = tally;
	}
	atomic_inc(&td_nr_tallies);
	return tallies;
}
EXPORT_SYMBOL_NS_GPL(td_tallies_create, TD_NAMESPACE);

static void td_tallies_free_rcu(struct rcu_head *rcu)
{
	td_tallies_free(container_of(rcu, struct td_tallies, rcu));
}

/**
 * td_tallies_begin() - let the time of the tasks count from now on
 * @tallies: new tallies, which nobody finds yet
 *
 * Samplers of hundreds of CPUs take a while to begin, and no sample counts meanwhile.
 */
void td_tallies_begin(struct td_tallies *tallies)
{
	tallies->from = local_clock();
}
EXPORT_SYMBOL_NS_GPL(td_tallies_begin, TD_NAMESPACE);

/**
 * td_tallies_destroy() - undo td_tallies_create()
 * @tallies: nobody finds it any more, but an NMI may still use it
 */
void td_tallies_destroy(struct td_tallies *tallies)
{
	atomic_dec(&td_nr_tallies);
	call_rcu(&tallies->rcu, td_tallies_free_rcu);
}
EXPORT_SYMBOL_NS_GPL(td_tallies_destroy, TD_NAMESPACE);

static void td_tallies_below(atomic64_t *least, s64 value)
{
	s64 old = atomic64_read(least);

	while ((u64)value < (u64)old && !atomic64_try_cmpxchg(least, &old, value))
		;
}

static void td_tallies_above(atomic64_t *most, s64 value)
{
	s64 old = atomic64_read(most);

	while (value > old && !atomic64_try_cmpxchg(most, &old, value))
		;
}

/**
 * td_tallies_sample() - add a sample; also in an NMI
 * @tallies: tallies of the session whose task was sampled
 * @number: the event
 * @latency: its latency
 * @bin: the bin of @latency
 * @weight: number of events that the sample stands for
 */
void td_tallies_sample(struct td_tallies *tallies, unsigned int number, u16 latency,
		       unsigned int bin, u64 weight)
{
	struct td_task_tally *tally = tallies->tally[number];

	if (!tally)
		return;
	/* Fully ordered, as atomic64_inc_return() below: pairs with td_tally_copy(). */
	atomic64_inc_return(&tally->begun);
	td_tallies_below(&tally->min, latency);
	td_tallies_above(&tally->max, latency);
	atomic64_inc(&tally->samples);
	atomic64_add(weight, &tally->events);
	atomic64_add(latency * weight, &tally->sum);
	atomic64_add(weight, &tally->bin[bin]);
	atomic64_inc_return(&tally->done);
}

/**
 * td_tallies_ran() - a task of the session had this CPU; interrupts are off
 * @tallies: tallies of the session
 * @turn: the event that had the sampling counter of the CPU, plus 1; 0 for none
 * @since: local_clock() from when on it had the CPU
 * @now: local_clock() until when
 */
void td_tallies_ran(struct td_tallies *tallies, unsigned int turn, u64 since, u64 now)
{
	struct td_tally_time *time = this_cpu_ptr(tallies->time);
	u64 ran;

	lockdep_assert_irqs_disabled();
	since = max(since, tallies->from);
	/* The clocks of two CPUs may differ by a little. */
	if (now <= since)
		return;
	ran = now - since;
	/* Both pair with READ_ONCE() in td_tallies_time(). */
	WRITE_ONCE(time->elapsed, time->elapsed + ran);
	if (turn)
		WRITE_ONCE(time->running[turn - 1], time->running[turn - 1] + ran);
}

static void td_tallies_time(const struct td_tallies *tallies, unsigned int number,
			    struct topdown_latency_record *record)
{
	const struct td_tally_time *time;
	int cpu;

	for_each_possible_cpu(cpu) {
		time = per_cpu_ptr(tallies->time, cpu);
		/* Both pair with WRITE_ONCE() in td_tallies_ran(). */
		record->running_ns += READ_ONCE(time->running[number]);
		record->elapsed_ns += READ_ONCE(time->elapsed);
	}
}

static void td_tally_copy(const struct td_task_tally *tally,
			  struct topdown_latency_record *record)
{
	u64 least = atomic64_read(&tally->min);
	unsigned int i;

	record->samples = atomic64_read(&tally->samples);
	record->events = atomic64_read(&tally->events);
	record->sum = atomic64_read(&tally->sum);
	record->min = least == U64_MAX ? 0 : least;
	record->max = atomic64_read(&tally->max);
	for (i = 0; i < TOPDOWN_LATENCY_BINS; i++)
		record->bin[i] = atomic64_read(&tally->bin[i]);
}

/**
 * td_tallies_on() - did a task of the session have a CPU?
 * @tallies: the tallies
 * @cpu: possible CPU
 *
 * Return: true or false.
 */
bool td_tallies_on(const struct td_tallies *tallies, int cpu)
{
	/* Pairs with WRITE_ONCE() in td_tallies_ran(). */
	return READ_ONCE(per_cpu_ptr(tallies->time, cpu)->elapsed);
}
EXPORT_SYMBOL_NS_GPL(td_tallies_on, TD_NAMESPACE);

/**
 * td_tallies_read() - fill a record
 * @tallies: the tallies
 * @number: one of their events
 * @record: zeroed; written, but for its flags
 *
 * Where writers never let a reader through, a record may have a part of one sample of each.
 */
void td_tallies_read(const struct td_tallies *tallies, unsigned int number,
		     struct topdown_latency_record *record)
{
	const struct td_task_tally *tally = tallies->tally[number];
	unsigned int tries;
	s64 done;

	record->event = number;
	record->cpu = TOPDOWN_CPU_ALL;
	for (tries = 0; tries < TD_TALLY_TRIES; tries++) {
		done = atomic64_read(&tally->done);
		/* Pairs with the ordered operations of td_tallies_sample(). */
		smp_rmb();
		td_tally_copy(tally, record);
		/* As above. */
		smp_rmb();
		/* No writer was under way, and none began meanwhile. */
		if (atomic64_read(&tally->begun) == done)
			break;
		cpu_relax();
	}
	td_tallies_time(tallies, number, record);
}
EXPORT_SYMBOL_NS_GPL(td_tallies_read, TD_NAMESPACE);
