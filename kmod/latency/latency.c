// SPDX-License-Identifier: GPL-2.0
/*
 * The samplers of a CPU, and their turns.
 *
 * All latency sessions share the samplers.  Only one of a CPU has a counter at a time, so a CPU
 * gives one general counter for this, and the number of samples has one bound however many
 * events there are.  A work of the CPU hands the counter on, and lets the sampler that has it
 * adapt its period.
 *
 * perf users come first, and our own groups.  As soon as one of them lacks counters on the CPU, the
 * samplers of the CPU are disabled, for some seconds.  If the sampler itself does, others may still
 * find a counter, as some events can have one only: so it alone has no turns for a while.  aside.c
 * notices both.
 * Nobody notices those whose PEBS is worse beside ours, so each turn begins with a look.
 */
#include <linux/bits.h>
#include <linux/bug.h>
#include <linux/container_of.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "credit.h"
#include "latency.h"
#include "latency-event.h"
#include "latency-machine.h"
#include "mux.h"
#include "pause.h"
#include "sampler.h"
#include "sampling.h"
#include "scope.h"
#include "starved.h"
#include "window.h"

/* How long a turn is, and how often a period is judged. */
#define TD_LATENCY_TURN		(HZ / 10)

/* If others rotate all the time, look this seldom. */
#define TD_LATENCY_LOOK		(HZ / 10)

#define TD_LATENCY_NOBODY	TD_LATENCY_EVENTS

/**
 * struct td_latency - the samplers of one CPU
 * @collector: collector of the CPU
 * @lock: keeps the CPU online while @ready, and protects all but @on, @looked and @lacking; the
 *	pauses are read without it too; taken inside td_sampling_mutex
 * @ready: the CPU has a meter and is online
 * @stale: the driver may misread records since the CPU came online, so no sampler is enabled
 * @away: all samplers are disabled, because one was in the way
 * @turn: the sampler that has the counter, or had it last; TD_LATENCY_NOBODY for none
 * @sampler: the samplers by event; NULL for events that no session wants
 * @on: perf's event of the sampler that is enabled; NULL for none; changed under @lock, used on
 *	the CPU with interrupts off
 * @looked: when the CPU last looked for those who lack counters, in jiffies; used on the CPU
 *	with interrupts off
 * @lacking: what @on was when @leave was last queued, if that lacked a counter; else NULL; set on
 *	the CPU with interrupts off
 * @leave: disables the sampler
 * @timer: queues @next; armed under @lock while @ready
 * @next: the next turn
 */
struct td_latency {
	const struct td_collector *collector;
	struct mutex lock; /* the CPU stays online, and the samplers stay */
	bool ready;
	bool stale;
	struct td_pause away;
	unsigned int turn;
	struct td_sampler *sampler[TD_LATENCY_EVENTS];
	const struct perf_event *on;
	unsigned long looked;
	const struct perf_event *lacking;
	struct work_struct leave;
	struct timer_list timer;
	struct work_struct next;
};

static DEFINE_PER_CPU(struct td_latency, td_latencies);

/* Does the sampler of this number have an event of perf? */
static bool td_latency_has(const struct td_latency *latency, unsigned int number)
{
	return latency->sampler[number] && latency->sampler[number]->event;
}

static bool td_latency_has_any(const struct td_latency *latency)
{
	unsigned int number;

	for (number = 0; number < TD_LATENCY_EVENTS; number++) {
		if (td_latency_has(latency, number))
			return true;
	}
	return false;
}

/* The sampler whose turn comes after the one that has it; perhaps the same. */
static unsigned int td_latency_after(const struct td_latency *latency)
{
	unsigned int i, number;

	for (i = 1; i <= TD_LATENCY_EVENTS; i++) {
		number = (latency->turn + i) % TD_LATENCY_EVENTS;
		if (td_latency_has(latency, number) &&
		    td_pause_over(&latency->sampler[number]->pause))
			return number;
	}
	return TD_LATENCY_NOBODY;
}

/* The CPU is online, because its hotplug teardown waits for the lock. */
static void td_latency_on(struct td_latency *latency, unsigned int number)
{
	struct td_sampler *sampler = latency->sampler[number];

	lockdep_assert_held(&latency->lock);
	td_credit_turn(latency->collector->cpu, number + 1);
	td_pause_end(&sampler->pause);
	td_sampler_enable(sampler);
	/* Pairs with READ_ONCE() in td_latency_due() and td_latency_lacks(). */
	WRITE_ONCE(latency->on, sampler->event);
}

/*
 * The CPU is online, as above.  perf interrupts it to disable an event, so no look uses the
 * event any more afterwards.
 */
static void td_latency_disable(struct td_latency *latency)
{
	lockdep_assert_held(&latency->lock);
	/* As in td_latency_on(). */
	WRITE_ONCE(latency->on, NULL);
	/* Another event may come to be at the same place.  Pairs with td_latency_leave(). */
	WRITE_ONCE(latency->lacking, NULL);
	td_sampler_disable(latency->sampler[latency->turn]);
}

/* As above. */
static void td_latency_off(struct td_latency *latency)
{
	lockdep_assert_held(&latency->lock);
	if (!latency->on)
		return;
	td_credit_turn(latency->collector->cpu, 0);
	td_latency_disable(latency);
}

/* Give the counter to the next sampler.  One that is alone keeps it. */
static void td_latency_advance(struct td_latency *latency)
{
	unsigned int number = td_latency_after(latency);

	lockdep_assert_held(&latency->lock);
	if (latency->on) {
		td_sampler_check(latency->sampler[latency->turn]);
		if (number == latency->turn)
			return;
		/* The turn passes over without an interrupt between the two. */
		if (number == TD_LATENCY_NOBODY)
			td_latency_off(latency);
		else
			td_latency_disable(latency);
	}
	latency->turn = number;
	if (number != TD_LATENCY_NOBODY)
		td_latency_on(latency, number);
}

/* Stay away for some seconds. */
static void td_latency_stay_away(struct td_latency *latency)
{
	lockdep_assert_held(&latency->lock);
	td_pause_begin(&latency->away);
	td_latency_off(latency);
}

/* The sampler that is enabled has no turns for some seconds, and the others have. */
static void td_latency_pass_over(struct td_latency *latency)
{
	lockdep_assert_held(&latency->lock);
	td_pause_begin(&latency->sampler[latency->turn]->pause);
	td_latency_off(latency);
}

/* Is the time over in which all samplers are away? */
static bool td_latency_back(struct td_latency *latency)
{
	if (!td_pause_over(&latency->away))
		return false;
	td_pause_end(&latency->away);
	return true;
}

/* On the CPU with interrupts off: the event of the sampler that lacks a counter; or NULL. */
static const struct perf_event *td_latency_lacks(const struct td_latency *latency)
{
	/* Pairs with WRITE_ONCE() where a sampler is enabled or disabled. */
	const struct perf_event *on = READ_ONCE(latency->on);

	lockdep_assert_irqs_disabled();
	return on && td_starved_lacks(on) ? on : NULL;
}

/* On the CPU with interrupts off: is the sampler in the way of others, or would it be? */
static bool td_latency_hinders(const struct td_latency *latency)
{
	const struct td_meter *meter = latency->collector->meter;

	lockdep_assert_irqs_disabled();
	return td_starved_by_sampler(meter) || td_starved_by_pebs(meter);
}

/**
 * struct td_latency_check - argument of td_latency_check()
 * @latency: samplers of the CPU
 * @lacks: written: the sampler lacks a counter
 * @hinders: written: else, it is in the way
 */
struct td_latency_check {
	struct td_latency *latency;
	bool lacks;
	bool hinders;
};

static void td_latency_check(void *arg)
{
	struct td_latency_check *check = arg;

	check->lacks = td_latency_lacks(check->latency);
	check->hinders = !check->lacks && td_latency_hinders(check->latency);
	/* A turn begins: look as soon as somebody lacks counters. */
	check->latency->looked = jiffies;
}

/*
 * The next turn.  No sampler has one if it were in the way, or before the driver has learned how
 * long records are, which needs a counter too.
 */
static void td_latency_turn(struct td_latency *latency)
{
	struct td_latency_check check = { .latency = latency };
	int cpu = latency->collector->cpu;

	lockdep_assert_held(&latency->lock);
	/* The CPU is online, because its hotplug teardown waits for the lock. */
	WARN_ON_ONCE(smp_call_function_single(cpu, td_latency_check, &check, 1));
	if (check.lacks) {
		td_latency_pass_over(latency);
		return;
	}
	if (!check.hinders && latency->stale && !td_sampler_refresh(cpu))
		latency->stale = false;
	if (check.hinders || latency->stale)
		td_latency_stay_away(latency);
	else
		td_latency_advance(latency);
}

/*
 * The work runs anywhere: on the CPU a real-time task might not let it run, or stop it while it
 * has the lock.
 */
static void td_latency_soon(struct td_latency *latency)
{
	queue_work(td_latency_wq, &latency->next);
}

static void td_latency_timer(struct timer_list *timer)
{
	struct td_latency *latency = timer_container_of(latency, timer, timer);

	td_latency_soon(latency);
}

/*
 * The timer is that of the CPU, so that it does not wake an idle one, and does not wait for
 * another that is idle.  A delayed work may have its timer elsewhere: on machines with nohz_full
 * CPUs it does not take the CPU that it is given.
 */
static void td_latency_queue(struct td_latency *latency)
{
	lockdep_assert_held(&latency->lock);
	timer_delete(&latency->timer);
	latency->timer.expires = jiffies + TD_LATENCY_TURN;
	add_timer_on(&latency->timer, latency->collector->cpu);
}

/* Begin with the turns at once, if none is under way. */
static void td_latency_start(struct td_latency *latency)
{
	lockdep_assert_held(&latency->lock);
	if (latency->ready && !latency->on)
		td_latency_soon(latency);
}

static void td_latency_next(struct work_struct *work)
{
	struct td_latency *latency = container_of(work, struct td_latency, next);

	mutex_lock(&latency->lock);
	if (latency->ready && td_latency_has_any(latency)) {
		if (td_latency_back(latency))
			td_latency_turn(latency);
		td_latency_queue(latency);
	}
	mutex_unlock(&latency->lock);
}

static void td_latency_leave(struct work_struct *work)
{
	struct td_latency *latency = container_of(work, struct td_latency, leave);

	mutex_lock(&latency->lock);
	/* Pairs with WRITE_ONCE() in td_latency_look(). */
	if (latency->on && READ_ONCE(latency->lacking) == latency->on)
		td_latency_pass_over(latency);
	else if (latency->on)
		td_latency_stay_away(latency);
	mutex_unlock(&latency->lock);
}

static void td_latency_drop(struct td_latency *latency, unsigned int number)
{
	struct td_sampler *sampler = latency->sampler[number];

	lockdep_assert_held(&latency->lock);
	if (--sampler->users)
		return;
	if (latency->on && latency->turn == number)
		td_latency_off(latency);
	latency->sampler[number] = NULL;
	td_sampler_end(sampler);
	td_sampler_destroy(sampler);
}

/**
 * struct td_latency_wish - what td_latency_get() asks a worker for
 * @work: has it done
 * @latency: samplers of the CPU
 * @events: bit n for event n
 * @spare: a new sampler for each of @events; NULL for those that were used
 * @ret: the answer
 */
struct td_latency_wish {
	struct work_struct work;
	struct td_latency *latency;
	u64 events;
	struct td_sampler *spare[TD_LATENCY_EVENTS];
	int ret;
};

static int td_latency_add(struct td_latency_wish *wish, unsigned int number)
{
	struct td_latency *latency = wish->latency;
	int ret;

	lockdep_assert_held(&latency->lock);
	if (!latency->sampler[number]) {
		ret = latency->ready ? td_sampler_begin(wish->spare[number]) : 0;
		if (ret)
			return ret;
		swap(latency->sampler[number], wish->spare[number]);
	}
	latency->sampler[number]->users++;
	return 0;
}

static void td_latency_grant(struct work_struct *work)
{
	struct td_latency_wish *wish = container_of(work, struct td_latency_wish, work);
	struct td_latency *latency = wish->latency;
	u64 left, done = 0;

	mutex_lock(&latency->lock);
	for (left = wish->events; left && !wish->ret; left &= left - 1) {
		wish->ret = td_latency_add(wish, __ffs64(left));
		if (!wish->ret)
			done |= left & -left;
	}
	for (; wish->ret && done; done &= done - 1)
		td_latency_drop(latency, __ffs64(done));
	td_latency_start(latency);
	mutex_unlock(&latency->lock);
}

/**
 * td_latency_put() - sample some events no longer, as far as this caller wants them
 * @cpu: the CPU
 * @events: bit n for event n, as of td_latency_get()
 */
void td_latency_put(int cpu, u64 events)
{
	struct td_latency *latency = per_cpu_ptr(&td_latencies, cpu);

	mutex_lock(&latency->lock);
	for (; events; events &= events - 1)
		td_latency_drop(latency, __ffs64(events));
	td_latency_start(latency);
	mutex_unlock(&latency->lock);
}

/**
 * td_latency_get() - sample some events of a CPU from now on
 * @cpu: CPU that td_latency_samples()
 * @events: bit n for event n (latency-event.c)
 *
 * A CPU that is offline samples as soon as it is online.
 *
 * The memory is the caller's, and is there before the lock is taken, because hotplug waits for the
 * lock.
 *
 * Return: 0, or a negative errno with nothing changed.
 */
int td_latency_get(int cpu, u64 events)
{
	struct td_latency_wish wish = {
		.latency = per_cpu_ptr(&td_latencies, cpu),
		.events = events,
	};
	unsigned int number;
	u64 left;

	for (left = events; left; left &= left - 1) {
		number = __ffs64(left);
		wish.spare[number] = td_sampler_create(cpu, number);
		if (!wish.spare[number])
			wish.ret = -ENOMEM;
	}
	if (!wish.ret)
		td_latency_work(&wish.work, td_latency_grant);
	for (number = 0; number < TD_LATENCY_EVENTS; number++)
		td_sampler_destroy(wish.spare[number]);
	return wish.ret;
}

/**
 * td_latency_away() - is the sampling counter of a CPU left to perf users, for an event?
 * @cpu: possible CPU
 * @event: one of the events of td_latency_get()
 *
 * A CPU that has become idle meanwhile does not end the time, as it has no turns.
 *
 * Return: true or false; may change at any time.
 */
bool td_latency_away(int cpu, unsigned int event)
{
	const struct td_latency *latency = per_cpu_ptr(&td_latencies, cpu);

	/* The sampler stays until td_latency_put(). */
	return td_pause_is_on(&latency->away, 2 * TD_LATENCY_TURN) ||
	       td_pause_is_on(&latency->sampler[event]->pause, 2 * TD_LATENCY_TURN);
}

/**
 * td_latency_read() - fill a record
 * @cpu: the CPU
 * @event: one of the events of td_latency_get()
 * @record: written
 */
void td_latency_read(int cpu, unsigned int event, struct topdown_latency_record *record)
{
	struct td_latency *latency = per_cpu_ptr(&td_latencies, cpu);

	memset(record, 0, sizeof(*record));
	mutex_lock(&latency->lock);
	td_sampler_read(latency->sampler[event], record);
	if (td_latency_away(cpu, event))
		record->flags |= TOPDOWN_LATENCY_RECORD_AWAY;
	mutex_unlock(&latency->lock);
}

/* td_sampling.due. */
static bool td_latency_due(const struct td_collector *collector)
{
	struct td_latency *latency = this_cpu_ptr(&td_latencies);

	lockdep_assert_irqs_disabled();
	/* Pairs with WRITE_ONCE() where a sampler is enabled or disabled. */
	if (!READ_ONCE(latency->on) || !td_starved_context(collector->meter, true) ||
	    time_before(jiffies, latency->looked))
		return false;
	latency->looked = jiffies + TD_LATENCY_LOOK;
	return true;
}

/* td_sampling.look. */
static bool td_latency_look(const struct td_collector *collector)
{
	struct td_latency *latency = this_cpu_ptr(&td_latencies);
	const struct perf_event *lacking;

	lockdep_assert_irqs_disabled();
	/* As in td_latency_due(). */
	if (!READ_ONCE(latency->on))
		return false;
	lacking = td_latency_lacks(latency);
	if (!lacking && !td_latency_hinders(latency))
		return false;
	/* Pairs with READ_ONCE() in td_latency_leave(). */
	WRITE_ONCE(latency->lacking, lacking);
	/* As in td_latency_soon(). */
	queue_work(td_latency_wq, &latency->leave);
	return true;
}

/* td_sampling.begin.  A sampler that perf refuses stays without samples, until the next call. */
static void td_latency_begin(const struct td_collector *collector)
{
	struct td_latency *latency = per_cpu_ptr(&td_latencies, collector->cpu);
	unsigned int i;

	mutex_lock(&latency->lock);
	latency->ready = true;
	latency->stale = true;
	for (i = 0; i < TD_LATENCY_EVENTS; i++) {
		if (latency->sampler[i])
			td_sampler_begin(latency->sampler[i]);
	}
	td_latency_start(latency);
	mutex_unlock(&latency->lock);
}

/* td_sampling.end.  A work that is still queued finds nothing to do. */
static void td_latency_end(const struct td_collector *collector)
{
	struct td_latency *latency = per_cpu_ptr(&td_latencies, collector->cpu);
	unsigned int i;

	mutex_lock(&latency->lock);
	latency->ready = false;
	td_pause_end(&latency->away);
	/* Its function takes no lock. */
	timer_delete_sync(&latency->timer);
	td_latency_off(latency);
	for (i = 0; i < TD_LATENCY_EVENTS; i++) {
		if (!latency->sampler[i])
			continue;
		td_pause_end(&latency->sampler[i]->pause);
		td_sampler_end(latency->sampler[i]);
	}
	mutex_unlock(&latency->lock);
}

static const struct td_sampling td_latency_sampling = {
	.version	= TD_SAMPLING_VERSION,
	.sizes		= TD_SAMPLING_SIZES,
	.begin		= td_latency_begin,
	.end		= td_latency_end,
	.due		= td_latency_due,
	.look		= td_latency_look,
	.handler	= td_sampler_overflow,
};

static void __init td_latency_setup(int cpu)
{
	struct td_latency *latency = per_cpu_ptr(&td_latencies, cpu);

	latency->collector = per_cpu_ptr(td_collectors, cpu);
	latency->turn = TD_LATENCY_NOBODY;
	td_pause_init(&latency->away);
	latency->looked = jiffies;
	mutex_init(&latency->lock);
	INIT_WORK(&latency->leave, td_latency_leave);
	INIT_WORK(&latency->next, td_latency_next);
	/* An idle CPU has no samples, so the timer does not wake it. */
	timer_setup(&latency->timer, td_latency_timer, TIMER_PINNED | TIMER_DEFERRABLE);
}

static void __init td_latency_ask(struct work_struct *work)
{
	unsigned int cpu;

	cpus_read_lock();
	cpu = td_latency_any_cpu();
	if (cpu < nr_cpu_ids)
		td_sampler_init(cpu);
	cpus_read_unlock();
}

/**
 * td_latency_init() - find out what this machine can sample, and be ready for it
 *
 * A machine whose P-cores are all offline now, or not measured, samples nothing.
 *
 * Return: 0, -ENOMEM, or -EINVAL if topdown is of another version.
 */
int __init td_latency_init(void)
{
	struct work_struct work;
	int cpu, ret;

	td_latency_wq = alloc_workqueue("topdown_latency", WQ_UNBOUND, WQ_UNBOUND_MAX_ACTIVE);
	if (!td_latency_wq)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		td_latency_setup(cpu);
	td_latency_work(&work, td_latency_ask);
	ret = td_sampling_register(&td_latency_sampling);
	if (ret)
		destroy_workqueue(td_latency_wq);
	return ret;
}

/**
 * td_latency_exit() - undo td_latency_init(); no session exists any more
 */
void td_latency_exit(void)
{
	struct td_latency *latency;
	int cpu;

	td_sampling_unregister();
	for_each_possible_cpu(cpu) {
		latency = per_cpu_ptr(&td_latencies, cpu);
		cancel_work_sync(&latency->leave);
		cancel_work_sync(&latency->next);
		mutex_destroy(&latency->lock);
	}
	destroy_workqueue(td_latency_wq);
}
