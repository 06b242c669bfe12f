/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_WATCH_H
#define TOPDOWN_WATCH_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <uapi/linux/topdown.h>

struct td_user;

/**
 * struct td_watch_queue - the unread watch events of a descriptor
 * @wait: tasks that wait for a watch event
 * @lock: protects @pending, its entries and @woken; taken in timers, so softirqs are off
 * @pending: struct td_pending with unread watch events
 * @woken: when somebody was last woken up for them, in jiffies
 */
struct td_watch_queue {
	wait_queue_head_t wait;
	spinlock_t lock; /* pending, woken */
	struct list_head pending;
	unsigned long woken;
};

/**
 * struct td_pending - unread watch events of one kind of a CPU, or of the sum over CPUs
 * @entry: entry in the queue of the watch while there are any; under its lock, as all
 *	other fields
 * @watch: the watch
 * @event: the latest watch event, with the number of all of them
 */
struct td_pending {
	struct list_head entry;
	struct td_watch *watch;
	struct topdown_event event;
};

/**
 * struct td_watched - state of a watch for a CPU, or for the sum over CPUs
 * @since: when its windows began to be beyond the threshold; 0 if they are not;
 *	TD_SINCE_DELIVERED if the watch event for that has been delivered.  Used by the CPU's
 *	timer, and by td_watch_gone() while there is none; for the sum under td_watch.lock
 * @seen: number of the last window that was compared; as @since
 * @beyond: watch events for being beyond the threshold
 * @back: watch events for being back within it
 */
struct td_watched {
	u64 since;
	u64 seen;
	struct td_pending beyond;
	struct td_pending back;
};

/**
 * struct td_watch - a watch: its condition, and its state
 * @node: entry in the list of all watches; RCU
 * @own: entry in the watch list of the descriptor; under td_watch_mutex
 * @rcu: frees the watch when no timer uses it any more
 * @queue: queue of the descriptor
 * @user: the user whose quota is charged
 * @what: the checked request of the caller; out_watch is the number
 * @cpus: CPUs whose windows are watched
 * @dead: the watch has been removed; under the lock of @queue
 * @lock: protects @added, @before, @begun, @latest, @idle, @slots, @slots_of_node and, for the
 *	sum, @watched
 * @added: CPUs of which the sum has a window
 * @before: CPUs of which the sum before it had one; at first all of @cpus
 * @begun: when the sum was last compared, or a period before the end of the first window after
 *	idle time; CLOCK_MONOTONIC
 * @latest: end of the latest window, likewise
 * @idle: there was idle time before @begun
 * @slots: slots since then, of windows that have the node; 0 without TOPDOWN_WATCH_SUM
 * @slots_of_node: slots of the node since then
 * @first: number of the CPU that @watched begins with
 * @nr: length of @watched
 * @watched: state of each CPU; one entry for the sum
 */
struct td_watch {
	/* Written under td_watch_mutex. */
	struct list_head node;
	struct list_head own;
	struct rcu_head rcu;

	/* Written before others see the watch. */
	struct td_watch_queue *queue;
	struct td_user *user;
	struct topdown_watch what;
	cpumask_var_t cpus;

	/* Written under the lock of @queue. */
	bool dead;

	/* Written by whoever closes a window of one of the CPUs, under @lock. */
	spinlock_t lock; /* added, before, begun, latest, idle, slots, slots_of_node, watched */
	cpumask_var_t added;
	cpumask_var_t before;
	u64 begun;
	u64 latest;
	bool idle;
	u64 slots;
	u64 slots_of_node;

	/* Written before others see the watch. */
	unsigned int first;
	unsigned int nr;

	/* Written by the timer of each CPU; the entry of the sum under @lock. */
	struct td_watched watched[];
};

extern struct mutex td_watch_mutex;

bool td_watch_wanted(void);
void td_watch_window(const struct topdown_map_record *record, unsigned int period_ms);
void td_watch_gone(unsigned int cpu, const struct cpumask *measured);

struct td_watch *td_watch_create(struct td_watch_queue *queue,
				 const struct topdown_watch *what,
				 const struct cpumask *cpus);
void td_watch_destroy(struct td_watch *watch);
void td_watch_begin(struct td_watch *watch);
void td_watch_end(struct td_watch *watch);

#endif /* TOPDOWN_WATCH_H */
