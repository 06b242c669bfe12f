// SPDX-License-Identifier: GPL-2.0
/*
 * The watch list of a descriptor: add and remove watches, wait, and read watch events.
 *
 * Timers queue one struct td_pending for each watch, CPU and kind of watch event.  It counts
 * further watch events until it is read.  So the queue is bounded, and nothing is lost.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/uio.h>

#include "known.h"
#include "watch.h"
#include "watch-list.h"

#define TD_WATCHES_MAX		256
#define TD_HOLD_MAX_MS		3600000

/* As first released. */
#define TD_EVENT_SIZE_VER0	32

static int td_watch_list_check_remove(const struct topdown_watch *what)
{
	if (what->flags != TOPDOWN_WATCH_REMOVE || what->cpus || what->cpus_words || what->node ||
	    what->ratio || what->hold_ms || what->min_slots || what->event_size)
		return -EINVAL;
	return 0;
}

/**
 * td_watch_list_check() - check the argument of TOPDOWN_WATCH, but for its node and CPUs
 * @what: the argument
 *
 * Return: 0 or a negative errno as in the ABI.
 */
int td_watch_list_check(const struct topdown_watch *what)
{
	if (what->flags & ~TD_WATCH_FLAGS)
		return -EOPNOTSUPP;
	if (what->out_watch || memchr_inv(what->__reserved, 0, sizeof(what->__reserved)))
		return -EINVAL;
	if (what->flags & TOPDOWN_WATCH_REMOVE)
		return td_watch_list_check_remove(what);
	if (what->watch || what->hold_ms > TD_HOLD_MAX_MS || what->ratio > TOPDOWN_RATIO_ONE ||
	    what->event_size < TD_EVENT_SIZE_VER0)
		return -EINVAL;
	if (what->event_size > PAGE_SIZE)
		return -E2BIG;
	if (what->node == TOPDOWN_WATCH_ANY && (what->flags || what->ratio || what->hold_ms))
		return -EINVAL;
	return 0;
}

static void td_watch_list_drop_pending(struct td_pending *pending)
{
	if (!list_empty(&pending->entry))
		list_del_init(&pending->entry);
}

/* Remove a watch and its unread watch events. */
static void td_watch_list_drop(struct td_watch_list *watches, struct td_watch *watch)
{
	unsigned int i;

	lockdep_assert_held(&td_watch_mutex);
	spin_lock_bh(&watches->queue.lock);
	watch->dead = true;
	for (i = 0; i < watch->nr; i++) {
		td_watch_list_drop_pending(&watch->watched[i].beyond);
		td_watch_list_drop_pending(&watch->watched[i].back);
	}
	spin_unlock_bh(&watches->queue.lock);
	list_del(&watch->own);
	watches->nr--;
	td_watch_end(watch);
}

static struct td_watch *td_watch_list_find(const struct td_watch_list *watches, u32 id)
{
	struct td_watch *watch;

	lockdep_assert_held(&td_watch_mutex);
	list_for_each_entry(watch, &watches->list, own) {
		if (watch->what.out_watch == id)
			return watch;
	}
	return NULL;
}

static int td_watch_list_allows(const struct td_watch_list *watches,
				const struct topdown_watch *what)
{
	lockdep_assert_held(&td_watch_mutex);
	if (watches->last && watches->event_size != what->event_size)
		return -EINVAL;
	if (watches->nr >= TD_WATCHES_MAX || watches->last == U32_MAX)
		return -ENOSPC;
	return 0;
}

/* Add a watch, and give it a number. */
static int td_watch_list_put(struct td_watch_list *watches, struct td_watch *watch)
{
	int ret = td_watch_list_allows(watches, &watch->what);

	lockdep_assert_held(&td_watch_mutex);
	if (ret)
		return ret;
	/* Pairs with READ_ONCE() in td_watch_list_clear(). */
	WRITE_ONCE(watches->last, watches->last + 1);
	watch->what.out_watch = watches->last;
	list_add_tail(&watch->own, &watches->list);
	watches->nr++;
	/* Pairs with READ_ONCE() in td_watch_list_take(). */
	WRITE_ONCE(watches->event_size, watch->what.event_size);
	td_watch_begin(watch);
	return 0;
}

/**
 * td_watch_list_add() - add a watch
 * @watches: watch list of the descriptor
 * @what: the checked request; out_watch is written
 * @cpus: CPUs whose windows are watched
 *
 * Return: 0, or -EINVAL, -ENOSPC or -ENOMEM with nothing changed; -EINTR if the caller is being
 * killed.
 */
int td_watch_list_add(struct td_watch_list *watches, struct topdown_watch *what,
		      const struct cpumask *cpus)
{
	struct td_watch *watch;
	int ret;

	/* Outside the mutex, because memory of a cgroup at its limit may take for ever. */
	watch = td_watch_create(&watches->queue, what, cpus);
	if (IS_ERR(watch))
		return PTR_ERR(watch);

	ret = mutex_lock_killable(&td_watch_mutex);
	if (!ret) {
		ret = td_watch_list_put(watches, watch);
		what->out_watch = watch->what.out_watch;
		mutex_unlock(&td_watch_mutex);
	}
	if (ret)
		td_watch_destroy(watch);
	return ret;
}

/*
 * Remove all watches, but none that somebody adds meanwhile.  Nobody waits for the mutex until all
 * are gone.  @killable: return -EINTR if the caller is being killed.
 */
static int td_watch_list_clear(struct td_watch_list *watches, bool killable)
{
	struct td_watch *watch;
	u32 last;

	/* Pairs with WRITE_ONCE() in td_watch_list_put(). */
	last = READ_ONCE(watches->last);
	do {
		if (killable && fatal_signal_pending(current))
			return -EINTR;
		mutex_lock(&td_watch_mutex);
		watch = list_first_entry_or_null(&watches->list, struct td_watch, own);
		if (watch && watch->what.out_watch > last)
			watch = NULL;
		if (watch)
			td_watch_list_drop(watches, watch);
		mutex_unlock(&td_watch_mutex);
		cond_resched();
	} while (watch);
	return 0;
}

/**
 * td_watch_list_remove() - remove a watch
 * @watches: watch list of the descriptor
 * @id: number of the watch; 0 for all
 *
 * Return: 0, or -ENOENT; -EINTR if the caller is being killed.
 */
int td_watch_list_remove(struct td_watch_list *watches, u32 id)
{
	struct td_watch *watch;

	if (!id)
		return td_watch_list_clear(watches, true);
	if (mutex_lock_killable(&td_watch_mutex))
		return -EINTR;
	watch = td_watch_list_find(watches, id);
	if (watch)
		td_watch_list_drop(watches, watch);
	mutex_unlock(&td_watch_mutex);
	return watch ? 0 : -ENOENT;
}

/* Take the first watch event: 1, 0 if there is none, or -EINVAL if there is no room for it. */
static int td_watch_list_take(struct td_watch_list *watches, struct topdown_event *event,
			      size_t room)
{
	struct td_pending *pending;

	/* Pairs with WRITE_ONCE() in td_watch_list_put(). */
	if (room < READ_ONCE(watches->event_size))
		return -EINVAL;
	spin_lock_bh(&watches->queue.lock);
	pending = list_first_entry_or_null(&watches->queue.pending, struct td_pending, entry);
	if (pending) {
		*event = pending->event;
		event->watch = pending->watch->what.out_watch;
		pending->event.count = 0;
		list_del_init(&pending->entry);
	}
	spin_unlock_bh(&watches->queue.lock);
	return !!pending;
}

/* Queue a watch event again that could not be copied, unless its watch has been removed. */
static void td_watch_list_give_back(struct td_watch_list *watches,
				    const struct topdown_event *event)
{
	struct td_watched *watched;
	struct td_watch *watch;
	struct td_pending *pending;

	mutex_lock(&td_watch_mutex);
	watch = td_watch_list_find(watches, event->watch);
	if (watch) {
		watched = watch->watched;
		if (event->cpu != TOPDOWN_CPU_ALL)
			watched += event->cpu - watch->first;
		pending = event->flags & TOPDOWN_EVENT_BACK ? &watched->back : &watched->beyond;
		spin_lock_bh(&watches->queue.lock);
		if (pending->event.count) {
			pending->event.count += event->count;
		} else {
			pending->event = *event;
			list_add(&pending->entry, &watches->queue.pending);
		}
		spin_unlock_bh(&watches->queue.lock);
	}
	mutex_unlock(&td_watch_mutex);
	wake_up_interruptible_poll(&watches->queue.wait, EPOLLIN | EPOLLRDNORM);
}

/* Copy a watch event, cut or padded to the caller's size. */
static bool td_watch_list_give(struct iov_iter *to, const struct topdown_event *event, size_t size)
{
	size_t known = min(size, sizeof(*event)), rest = size - known;

	return copy_to_iter(event, known, to) == known && iov_iter_zero(rest, to) == rest;
}

/**
 * td_watch_list_read() - wait for a watch event, and copy all unread ones
 * @watches: watch list of the descriptor
 * @to: room for watch events
 * @nonblock: do not wait
 *
 * Return: bytes that were written, or a negative errno as in the ABI.
 */
ssize_t td_watch_list_read(struct td_watch_list *watches, struct iov_iter *to, bool nonblock)
{
	size_t size = iov_iter_count(to);
	struct topdown_event event;
	size_t event_size, done = 0;
	int taken, ret;

	taken = td_watch_list_take(watches, &event, size);
	if (!taken && nonblock)
		return -EAGAIN;
	if (!taken) {
		ret = wait_event_interruptible(watches->queue.wait,
					       (taken = td_watch_list_take(watches, &event, size)));
		if (ret)
			return ret;
	}
	if (taken < 0)
		return taken;
	/* It does not change any more, because there has been a watch. */
	event_size = watches->event_size;
	do {
		if (!td_watch_list_give(to, &event, event_size)) {
			td_watch_list_give_back(watches, &event);
			return done ? done : -EFAULT;
		}
		done += event_size;
		cond_resched();
		/* There may be two for each CPU and watch. */
	} while (!fatal_signal_pending(current) &&
		 td_watch_list_take(watches, &event, size - done) > 0);
	return done;
}

/**
 * td_watch_list_poll() - is there a watch event?
 * @watches: watch list of the descriptor
 * @filp: the file
 * @table: where the caller waits
 *
 * Return: EPOLLIN when td_watch_list_read() would not wait.
 */
__poll_t td_watch_list_poll(struct td_watch_list *watches, struct file *filp, poll_table *table)
{
	poll_wait(filp, &watches->queue.wait, table);
	/* td_watch_deliver() wakes up after it has changed this. */
	return list_empty(&watches->queue.pending) ? 0 : EPOLLIN | EPOLLRDNORM;
}

/**
 * td_watch_list_init() - initialize an empty watch list
 * @watches: zeroed
 */
void td_watch_list_init(struct td_watch_list *watches)
{
	INIT_LIST_HEAD(&watches->list);
	INIT_LIST_HEAD(&watches->queue.pending);
	init_waitqueue_head(&watches->queue.wait);
	spin_lock_init(&watches->queue.lock);
	watches->event_size = TD_EVENT_SIZE_VER0;
}

/**
 * td_watch_list_stop() - remove all watches
 * @watches: watch list of the descriptor.  If nobody adds to it or reads from it, the caller
 *	may free it after an RCU grace period, because timers may still use it
 */
void td_watch_list_stop(struct td_watch_list *watches)
{
	/* Most descriptors have none: do not wait for the others.  A late one is not removed. */
	if (list_empty(&watches->list))
		return;
	td_watch_list_clear(watches, false);
}
