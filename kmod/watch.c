// SPDX-License-Identifier: GPL-2.0
/*
 * Watches: wake up a reader when a window closes, or when a threshold is crossed.
 *
 * A descriptor has one watch.  A CPU's timer goes through the list of all watches under RCU
 * after it has closed a window.  Without watches that costs one test of an empty list.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/time64.h>
#include <linux/uaccess.h>

#include "metrics.h"
#include "watch.h"

/**
 * struct td_condition - when a watch gets an event
 * @rcu: frees the condition when no timer uses it any more
 * @what: the checked request of the caller
 * @cpus: CPUs whose windows are watched
 * @cpu: state of each CPU; used by its timer alone
 * @cpu.since: when its windows began to be beyond the threshold; 0 if they are not;
 *	TD_SINCE_TOLD if the watch event for that has been delivered
 * @cpu.seen: number of the last window that was compared
 */
struct td_condition {
	struct rcu_head rcu;
	struct topdown_watch what;
	cpumask_var_t cpus;
	struct {
		u64 since;
		u64 seen;
	} cpu[];
};

#define TD_SINCE_TOLD	U64_MAX

/* Limit the number, because every timer goes through all watches. */
#define TD_WATCHES_MAX	4096

static LIST_HEAD(td_watches);
static unsigned int td_watches_nr;
/* Protects the list, its length and every td_watch.condition; timers use RCU. */
static DEFINE_MUTEX(td_watch_mutex);

static void td_watch_tell(struct td_watch *watch, const struct td_condition *condition,
			  const struct topdown_record *record)
{
	unsigned long flags;

	spin_lock_irqsave(&watch->lock, flags);
	/* Another thread may have replaced the condition and dropped its events. */
	if (rcu_access_pointer(watch->condition) == condition) {
		/* Pairs with READ_ONCE() in td_watch_poll(). */
		WRITE_ONCE(watch->event.count, watch->event.count + 1);
		watch->event.time_ns = record->window_time_ns;
		watch->event.cpu = record->cpu;
	}
	spin_unlock_irqrestore(&watch->lock, flags);
	wake_up_interruptible_poll(&watch->wait, EPOLLIN | EPOLLRDNORM);
}

/* Is the last window beyond the threshold?  Not if it lacks slots or the node. */
static bool td_condition_beyond(const struct topdown_watch *what,
				const struct topdown_record *record)
{
	u32 ratio = td_ratio(record->window.node[what->node], record->window.slots);

	if (ratio == TOPDOWN_RATIO_NONE || !(record->nodes >> what->node & 1))
		return false;
	return what->flags & TOPDOWN_WATCH_BELOW ? ratio < what->ratio : ratio > what->ratio;
}

static bool td_condition_met(struct td_condition *condition, const struct topdown_record *record)
{
	const struct topdown_watch *what = &condition->what;
	u64 *since = &condition->cpu[record->cpu].since;
	u64 *seen = &condition->cpu[record->cpu].seen;
	u64 end = record->window_time_ns;
	u64 begin = end - min(end, record->window.enabled_ns);
	bool gap;

	if (what->node == TOPDOWN_WATCH_ANY)
		return true;

	/* A window that ends with its meter has a number, but is not compared: a gap. */
	gap = record->windows != *seen + 1;
	*seen = record->windows;
	if (!td_condition_beyond(what, record)) {
		*since = 0;
		return false;
	}
	if (!*since || gap)
		*since = max(begin, 1ULL);
	if (*since == TD_SINCE_TOLD || end - *since < (u64)what->hold_ms * NSEC_PER_MSEC)
		return false;
	*since = TD_SINCE_TOLD;
	return true;
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
 */
void td_watch_window(const struct topdown_record *record)
{
	struct td_condition *condition;
	struct td_watch *watch;

	rcu_read_lock();
	list_for_each_entry_rcu(watch, &td_watches, node) {
		/* Pairs with rcu_assign_pointer() in td_watch_put(). */
		condition = rcu_dereference(watch->condition);
		if (cpumask_test_cpu(record->cpu, condition->cpus) &&
		    td_condition_met(condition, record))
			td_watch_tell(watch, condition, record);
	}
	rcu_read_unlock();
}

static void td_condition_free(struct td_condition *condition)
{
	free_cpumask_var(condition->cpus);
	kvfree(condition);
}

static struct td_condition *td_condition_create(const struct topdown_watch *what,
						const struct cpumask *cpus)
{
	struct td_condition *condition;

	condition = kvzalloc(struct_size(condition, cpu, nr_cpu_ids), GFP_KERNEL_ACCOUNT);
	if (!condition)
		return NULL;
	if (!alloc_cpumask_var(&condition->cpus, GFP_KERNEL_ACCOUNT)) {
		kvfree(condition);
		return NULL;
	}
	condition->what = *what;
	cpumask_copy(condition->cpus, cpus);
	return condition;
}

static void td_condition_free_rcu(struct rcu_head *rcu)
{
	td_condition_free(container_of(rcu, struct td_condition, rcu));
}

/* Replace the condition of a watch, and free the old one after a grace period. */
static int td_watch_put(struct td_watch *watch, struct td_condition *condition)
{
	struct td_condition *old;

	lockdep_assert_held(&td_watch_mutex);

	old = rcu_dereference_protected(watch->condition, lockdep_is_held(&td_watch_mutex));
	if (!old && td_watches_nr >= TD_WATCHES_MAX)
		return -ENOSPC;

	spin_lock_irq(&watch->lock);
	/* Pairs with rcu_dereference() in td_watch_window(). */
	rcu_assign_pointer(watch->condition, condition);
	watch->event = (struct topdown_event){ };
	spin_unlock_irq(&watch->lock);
	if (old) {
		call_rcu(&old->rcu, td_condition_free_rcu);
	} else {
		list_add_tail_rcu(&watch->node, &td_watches);
		td_watches_nr++;
	}
	return 0;
}

/**
 * td_watch_set() - begin to watch, or change the condition
 * @watch: watch of the descriptor
 * @what: the checked request
 * @cpus: CPUs whose windows are watched
 *
 * Return: 0, -ENOSPC or -ENOMEM with nothing changed.
 */
int td_watch_set(struct td_watch *watch, const struct topdown_watch *what,
		 const struct cpumask *cpus)
{
	struct td_condition *condition;
	int ret;

	condition = td_condition_create(what, cpus);
	if (!condition)
		return -ENOMEM;

	mutex_lock(&td_watch_mutex);
	ret = td_watch_put(watch, condition);
	mutex_unlock(&td_watch_mutex);
	if (ret)
		td_condition_free(condition);
	return ret;
}

/* Without TOPDOWN_WATCH, watch for any window of any CPU. */
static int td_watch_default(struct td_watch *watch)
{
	const struct topdown_watch any = { .node = TOPDOWN_WATCH_ANY };
	struct td_condition *condition;
	int ret = 0;

	if (rcu_access_pointer(watch->condition))
		return 0;
	condition = td_condition_create(&any, cpu_possible_mask);
	if (!condition)
		return -ENOMEM;

	mutex_lock(&td_watch_mutex);
	/* Another thread may have set a condition meanwhile. */
	if (!rcu_access_pointer(watch->condition))
		ret = td_watch_put(watch, condition);
	else
		ret = -EEXIST;
	mutex_unlock(&td_watch_mutex);
	if (ret)
		td_condition_free(condition);
	return ret == -EEXIST ? 0 : ret;
}

/* Take the watch event, if there is one. */
static bool td_watch_take(struct td_watch *watch, struct topdown_event *event)
{
	spin_lock_irq(&watch->lock);
	*event = watch->event;
	WRITE_ONCE(watch->event.count, 0);
	spin_unlock_irq(&watch->lock);
	return event->count;
}

static void td_watch_give_back(struct td_watch *watch, const struct topdown_event *event)
{
	spin_lock_irq(&watch->lock);
	if (!watch->event.count)
		watch->event = *event;
	else
		WRITE_ONCE(watch->event.count, watch->event.count + event->count);
	spin_unlock_irq(&watch->lock);
	wake_up_interruptible_poll(&watch->wait, EPOLLIN | EPOLLRDNORM);
}

/**
 * td_watch_read() - wait for a watch event and copy it to the caller
 * @watch: watch of the descriptor
 * @buffer: memory of the caller for a struct topdown_event
 * @size: size of @buffer
 * @nonblock: do not wait
 *
 * Return: sizeof(struct topdown_event), or a negative errno as in the ABI.
 */
ssize_t td_watch_read(struct td_watch *watch, char __user *buffer, size_t size, bool nonblock)
{
	struct topdown_event event;
	int ret;

	if (size < sizeof(event))
		return -EINVAL;
	ret = td_watch_default(watch);
	if (ret)
		return ret;

	if (!td_watch_take(watch, &event)) {
		if (nonblock)
			return -EAGAIN;
		ret = wait_event_interruptible(watch->wait, td_watch_take(watch, &event));
		if (ret)
			return ret;
	}
	if (!copy_to_user(buffer, &event, sizeof(event)))
		return sizeof(event);
	td_watch_give_back(watch, &event);
	return -EFAULT;
}

/**
 * td_watch_poll() - is there a watch event?
 * @watch: watch of the descriptor
 * @filp: the file
 * @table: poll table of the caller
 *
 * Return: EPOLLIN if td_watch_read() would not wait; EPOLLERR if it would fail.
 */
__poll_t td_watch_poll(struct td_watch *watch, struct file *filp, poll_table *table)
{
	/* Do this first: epoll waits only at queues it saw when the descriptor was added. */
	poll_wait(filp, &watch->wait, table);
	/* A caller that waits only for sessions must not begin a watch. */
	if (!(poll_requested_events(table) & (EPOLLIN | EPOLLRDNORM)))
		return 0;
	if (td_watch_default(watch))
		return EPOLLERR;
	/* Pairs with WRITE_ONCE() in td_watch_tell(), which wakes up afterwards. */
	return READ_ONCE(watch->event.count) ? EPOLLIN | EPOLLRDNORM : 0;
}

/**
 * td_watch_init() - prepare a watch without a condition
 * @watch: the watch, zeroed
 */
void td_watch_init(struct td_watch *watch)
{
	init_waitqueue_head(&watch->wait);
	spin_lock_init(&watch->lock);
}

/**
 * td_watch_stop() - stop watching
 * @watch: nobody reads or polls it any more; timers may use it until the end of an RCU
 *	grace period, so td_watch_free() has to wait for that
 */
void td_watch_stop(struct td_watch *watch)
{
	if (!rcu_access_pointer(watch->condition))
		return;
	mutex_lock(&td_watch_mutex);
	list_del_rcu(&watch->node);
	td_watches_nr--;
	mutex_unlock(&td_watch_mutex);
}

/**
 * td_watch_free() - free the condition of a watch
 * @watch: the watch, a grace period after td_watch_stop()
 */
void td_watch_free(struct td_watch *watch)
{
	struct td_condition *condition = rcu_dereference_protected(watch->condition, true);

	if (condition)
		td_condition_free(condition);
}
