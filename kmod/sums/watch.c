// SPDX-License-Identifier: GPL-2.0
/*
 * Watches: a watch event when a window closes, or when a threshold is crossed.
 *
 * A CPU's timer goes through the list of all watches under RCU after it has closed a window.
 * Without watches that costs one test of an empty list.  Readers get the watch events from
 * watch-list.c.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/time64.h>

#include "metrics.h"
#include "quota.h"
#include "watch.h"

#define TD_SINCE_DELIVERED	U64_MAX

/* Protects the list of all watches, and every watch list. */
DEFINE_MUTEX(td_watch_mutex);

/* List of all watches; changed under td_watch_mutex, timers use RCU. */
static LIST_HEAD(td_watches);

/**
 * struct td_look - a window, or a sum over CPUs, to be compared with the threshold
 * @begin: when it began, CLOCK_MONOTONIC; see td_watch_awake()
 * @end: when it ended
 * @ratio: ratio of the node; TOPDOWN_RATIO_NONE if there is none, or too few slots
 * @gap: there was time before it in which the CPU was not measured
 * @idle: there was idle time before @begin, which is no time beyond the threshold
 */
struct td_look {
	u64 begin;
	u64 end;
	u32 ratio;
	bool gap;
	bool idle;
};

/*
 * Deliver a watch event.  @opposite is the other kind of the same CPU, or NULL.  The later of
 * the two has to be read last, so that a reader who goes by the last one is right.
 *
 * Return: whether td_watch_wake() has to be called, with no lock held.
 */
static bool td_watch_deliver(struct td_pending *pending, const struct td_pending *opposite,
			     u64 time_ns, u32 ratio)
{
	struct td_watch_queue *queue = pending->watch->queue;
	bool dead, news = false;

	spin_lock_bh(&queue->lock);
	dead = pending->watch->dead;
	if (!dead) {
		/* Each wake-up looks at all who poll, so one is enough for all windows of now. */
		news = list_empty(&queue->pending) || time_after(jiffies, queue->woken);
		queue->woken = jiffies;
		pending->event.time_ns = time_ns;
		pending->event.ratio = ratio;
		if (!pending->event.count++)
			list_add_tail(&pending->entry, &queue->pending);
		else if (opposite && opposite->event.count)
			list_move_tail(&pending->entry, &queue->pending);
	}
	spin_unlock_bh(&queue->lock);
	return news;
}

static void td_watch_wake(struct td_watch *watch)
{
	wake_up_interruptible_poll(&watch->queue->wait, EPOLLIN | EPOLLRDNORM);
}

static bool td_watch_beyond(const struct topdown_watch *what, u32 ratio)
{
	if (ratio == TOPDOWN_RATIO_NONE)
		return false;
	return what->flags & TOPDOWN_WATCH_BELOW ? ratio < what->ratio : ratio > what->ratio;
}

static bool td_watch_back(struct td_watched *watched, const struct topdown_watch *what,
			  const struct td_look *look)
{
	bool told = watched->since == TD_SINCE_DELIVERED;

	watched->since = 0;
	if (!told || !(what->flags & TOPDOWN_WATCH_BACK))
		return false;
	return td_watch_deliver(&watched->back, &watched->beyond, look->end, look->ratio);
}

/*
 * The timer does not wake an idle CPU.  So a window that is much longer than a period has idle
 * time, and its slots are those of the last period at most.  The timer may be two ticks late.
 */
static void td_watch_awake(struct td_look *look, u64 period)
{
	if (look->end - look->begin <= 2 * (period + TICK_NSEC))
		return;
	look->begin = look->end - period;
	look->idle = true;
}

static bool td_watch_look(struct td_watched *watched, const struct topdown_watch *what,
			  const struct td_look *look)
{
	/* The CPU was within the threshold while it was not measured, up to this window. */
	const struct td_look missed = { .end = look->begin, .ratio = TOPDOWN_RATIO_NONE };
	bool news = look->gap && td_watch_back(watched, what, &missed);

	if (!td_watch_beyond(what, look->ratio))
		return td_watch_back(watched, what, look) || news;
	if (!watched->since || (look->idle && watched->since != TD_SINCE_DELIVERED))
		watched->since = max(look->begin, 1ULL);
	if (watched->since == TD_SINCE_DELIVERED ||
	    look->end - watched->since < (u64)what->hold_ms * NSEC_PER_MSEC)
		return news;
	watched->since = TD_SINCE_DELIVERED;
	return td_watch_deliver(&watched->beyond, &watched->back, look->end, look->ratio) || news;
}

static u64 td_watch_begin_of(const struct topdown_map_record *record)
{
	return record->window_time_ns - min(record->window_time_ns, record->window.enabled_ns);
}

static bool td_watch_has_node(const struct topdown_watch *what,
			      const struct topdown_map_record *record)
{
	return record->nodes >> what->node & 1;
}

static bool td_watch_cpu(struct td_watch *watch, const struct topdown_map_record *record,
			 u64 period)
{
	struct td_watched *watched = &watch->watched[record->cpu - watch->first];
	const struct topdown_watch *what = &watch->what;
	struct td_look look = {
		.begin	= td_watch_begin_of(record),
		.end	= record->window_time_ns,
		.ratio	= TOPDOWN_RATIO_NONE,
		/* A window that ends with its meter has a number, but is not compared: a gap. */
		.gap	= record->windows != watched->seen + 1,
	};
	bool enough = record->window.slots >= what->min_slots;

	watched->seen = record->windows;
	if (what->node == TOPDOWN_WATCH_ANY)
		return enough && td_watch_deliver(&watched->beyond, NULL, look.end, look.ratio);
	if (enough && td_watch_has_node(what, record))
		look.ratio = td_ratio(record->window.node[what->node], record->window.slots);
	td_watch_awake(&look, period);
	return td_watch_look(watched, what, &look);
}

/* Add a window to the sum. */
static void td_watch_add(struct td_watch *watch, const struct topdown_map_record *record)
{
	lockdep_assert_held(&watch->lock);
	__cpumask_set_cpu(record->cpu, watch->added);
	if (!td_watch_has_node(&watch->what, record))
		return;
	watch->slots += record->window.slots;
	watch->slots_of_node += record->window.node[watch->what.node];
}

/* The ratio of the sum, which begins at 0 again. */
static u32 td_watch_ratio_of_sum(struct td_watch *watch)
{
	u32 ratio = TOPDOWN_RATIO_NONE;

	lockdep_assert_held(&watch->lock);
	if (watch->slots >= watch->what.min_slots)
		ratio = td_ratio(watch->slots_of_node, watch->slots);
	watch->slots = 0;
	watch->slots_of_node = 0;
	cpumask_copy(watch->before, watch->added);
	cpumask_clear(watch->added);
	return ratio;
}

/*
 * Windows of the CPUs end in changing order, as each timer is due at a tick and may be two late.
 * So a sum of just a period may lack a CPU that is busy, and have two windows of another.
 */
static bool td_watch_sum_is_whole(const struct td_watch *watch, u64 end, u64 period)
{
	s64 spent = end - watch->begun;

	lockdep_assert_held(&watch->lock);
	if (spent < (s64)period)
		return false;
	return cpumask_subset(watch->before, watch->added) || spent > (s64)(period + 2 * TICK_NSEC);
}

/* Once in a period, the CPU whose window closes then compares the sum. */
static bool td_watch_sum(struct td_watch *watch, const struct topdown_map_record *record,
			 u64 period)
{
	struct td_look look = { .end = record->window_time_ns };
	bool news = false;

	spin_lock_bh(&watch->lock);
	td_watch_add(watch, record);
	/* In idle time none of the CPUs ends a window, and the sum does not wait for them. */
	look.begin = min(watch->latest, look.end);
	watch->latest = max(watch->latest, look.end);
	td_watch_awake(&look, period);
	if (look.idle) {
		watch->begun = look.begin;
		watch->idle = true;
	}
	if (td_watch_sum_is_whole(watch, look.end, period)) {
		look.begin = watch->begun;
		look.idle = watch->idle;
		look.ratio = td_watch_ratio_of_sum(watch);
		news = td_watch_look(&watch->watched[0], &watch->what, &look);
		watch->begun = look.end;
		watch->idle = false;
	}
	spin_unlock_bh(&watch->lock);
	return news;
}

/**
 * td_watch_wanted() - does anybody watch?
 *
 * Return: true or false.
 */
bool td_watch_wanted(void)
{
	return !list_empty(&td_watches);
}

/**
 * td_watch_window() - pass a closed window to all watches
 * @record: record of this CPU; softirq context, interrupts on
 * @period_ms: the period
 */
void td_watch_window(const struct topdown_map_record *record, unsigned int period_ms)
{
	u64 period = (u64)period_ms * NSEC_PER_MSEC;
	struct td_watch *watch;
	bool news;

	rcu_read_lock();
	list_for_each_entry_rcu(watch, &td_watches, node) {
		if (!cpumask_test_cpu(record->cpu, watch->cpus))
			continue;
		if (watch->what.flags & TOPDOWN_WATCH_SUM)
			news = td_watch_sum(watch, record, period);
		else
			news = td_watch_cpu(watch, record, period);
		if (news)
			td_watch_wake(watch);
	}
	rcu_read_unlock();
}

static bool td_watch_sum_gone(struct td_watch *watch, const struct td_look *look,
			      const struct cpumask *measured)
{
	bool news;

	if (cpumask_intersects(watch->cpus, measured))
		return false;
	spin_lock_bh(&watch->lock);
	news = td_watch_back(&watch->watched[0], &watch->what, look);
	/* The next sum begins now, and waits for all of them. */
	td_watch_ratio_of_sum(watch);
	cpumask_copy(watch->before, watch->cpus);
	watch->begun = look->end;
	watch->latest = look->end;
	spin_unlock_bh(&watch->lock);
	return news;
}

/**
 * td_watch_gone() - a CPU is not measured any more, so it is within all thresholds
 * @cpu: the CPU, whose timer cannot run until the caller makes another meter
 * @measured: CPUs that have a meter; a sum over none of them is within its threshold too
 */
void td_watch_gone(unsigned int cpu, const struct cpumask *measured)
{
	const struct td_look look = { .end = ktime_get_ns(), .ratio = TOPDOWN_RATIO_NONE };
	struct td_watch *watch;
	bool news;

	rcu_read_lock();
	list_for_each_entry_rcu(watch, &td_watches, node) {
		if (!cpumask_test_cpu(cpu, watch->cpus))
			continue;
		if (watch->what.flags & TOPDOWN_WATCH_SUM)
			news = td_watch_sum_gone(watch, &look, measured);
		else
			news = td_watch_back(&watch->watched[cpu - watch->first], &watch->what,
					     &look);
		if (news)
			td_watch_wake(watch);
	}
	rcu_read_unlock();
}

static void td_watch_free(struct td_watch *watch)
{
	free_cpumask_var(watch->before);
	free_cpumask_var(watch->added);
	free_cpumask_var(watch->cpus);
	kvfree(watch);
}

static void td_watch_free_rcu(struct rcu_head *rcu)
{
	td_watch_free(container_of(rcu, struct td_watch, rcu));
}

static void td_watch_setup_pending(struct td_watch *watch, struct td_pending *pending, u32 cpu,
				   u32 flags)
{
	INIT_LIST_HEAD(&pending->entry);
	pending->watch = watch;
	pending->event.cpu = cpu;
	pending->event.flags = flags;
}

static void td_watch_setup(struct td_watch *watch)
{
	bool sum = watch->what.flags & TOPDOWN_WATCH_SUM;
	unsigned int i;
	u32 cpu;

	for (i = 0; i < watch->nr; i++) {
		cpu = sum ? TOPDOWN_CPU_ALL : watch->first + i;
		td_watch_setup_pending(watch, &watch->watched[i].beyond, cpu, 0);
		td_watch_setup_pending(watch, &watch->watched[i].back, cpu, TOPDOWN_EVENT_BACK);
	}
}

static struct td_watch *td_watch_alloc(const struct topdown_watch *what,
				       const struct cpumask *cpus)
{
	unsigned int first = cpumask_first(cpus), range = cpumask_last(cpus) - first + 1;
	bool sum = what->flags & TOPDOWN_WATCH_SUM;
	struct td_watch *watch;

	watch = kvzalloc(struct_size(watch, watched, sum ? 1 : range), GFP_KERNEL_ACCOUNT);
	if (!watch)
		return NULL;
	/* After the first failure the rest are NULL, and NULL may be freed. */
	if (!alloc_cpumask_var(&watch->cpus, GFP_KERNEL_ACCOUNT) ||
	    !zalloc_cpumask_var(&watch->added, GFP_KERNEL_ACCOUNT) ||
	    !alloc_cpumask_var(&watch->before, GFP_KERNEL_ACCOUNT)) {
		td_watch_free(watch);
		return NULL;
	}
	cpumask_copy(watch->cpus, cpus);
	cpumask_copy(watch->before, cpus);
	watch->what = *what;
	watch->first = first;
	watch->nr = sum ? 1 : range;
	return watch;
}

/**
 * td_watch_create() - make a watch for the calling process
 * @queue: queue of the descriptor
 * @what: the checked request
 * @cpus: CPUs whose windows are watched; not empty
 *
 * Return: the watch, for td_watch_begin() and td_watch_end(), or for td_watch_destroy();
 * -ENOSPC or -ENOMEM as a pointer.
 */
struct td_watch *td_watch_create(struct td_watch_queue *queue,
				 const struct topdown_watch *what,
				 const struct cpumask *cpus)
{
	struct td_user *user = td_quota_get(TD_WATCH);
	struct td_watch *watch;

	if (IS_ERR(user))
		return ERR_CAST(user);
	watch = td_watch_alloc(what, cpus);
	if (!watch) {
		td_quota_put(user, TD_WATCH);
		return ERR_PTR(-ENOMEM);
	}
	spin_lock_init(&watch->lock);
	watch->queue = queue;
	watch->user = user;
	watch->begun = ktime_get_ns();
	watch->latest = watch->begun;
	td_watch_setup(watch);
	return watch;
}

/**
 * td_watch_destroy() - undo td_watch_create()
 * @watch: a watch that no timer has used
 */
void td_watch_destroy(struct td_watch *watch)
{
	td_quota_put(watch->user, TD_WATCH);
	td_watch_free(watch);
}

/**
 * td_watch_begin() - let timers use a watch
 * @watch: the new watch; under td_watch_mutex
 */
void td_watch_begin(struct td_watch *watch)
{
	lockdep_assert_held(&td_watch_mutex);
	/* Pairs with list_for_each_entry_rcu() in td_watch_window(). */
	list_add_tail_rcu(&watch->node, &td_watches);
}

/**
 * td_watch_end() - free a watch when no timer uses it any more
 * @watch: dead, with no watch event in the queue; under td_watch_mutex
 */
void td_watch_end(struct td_watch *watch)
{
	lockdep_assert_held(&td_watch_mutex);
	list_del_rcu(&watch->node);
	td_quota_put(watch->user, TD_WATCH);
	call_rcu(&watch->rcu, td_watch_free_rcu);
}
