// SPDX-License-Identifier: GPL-2.0
/*
 * The table of followed tasks, and the links from each to its sessions.
 *
 * All of it is changed under td_tasks_lock, of which follow.c says more.
 */
#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/slab.h>

#include "follow.h"
#include "session.h"
#include "task.h"

#define TD_SPARES		1024

struct hlist_head td_tasks[1 << TD_TASK_BITS];
DEFINE_RAW_SPINLOCK(td_tasks_lock);
static unsigned int td_tasks_nr;

/* For tasks that are made in a probe, where nothing can be allocated. */
static HLIST_HEAD(td_spares);
static unsigned int td_spares_nr;

static struct td_task *td_spare_take(void)
{
	struct td_task *entry;

	lockdep_assert_held(&td_tasks_lock);
	if (td_spares_nr <= TD_SPARES / 2)
		td_follow_kick();
	entry = hlist_entry_safe(td_spares.first, struct td_task, node);
	if (entry) {
		hlist_del(&entry->node);
		td_spares_nr--;
	}
	return entry;
}

/**
 * td_spares_fill() - make as many spares as there should be
 *
 * Return: 0 or -ENOMEM.
 */
int td_spares_fill(void)
{
	struct td_task *entry;
	bool full;

	for (;;) {
		entry = kmalloc(sizeof(*entry), GFP_KERNEL);
		if (!entry)
			return -ENOMEM;
		td_follow_lock();
		full = td_spares_nr >= TD_SPARES;
		if (!full) {
			hlist_add_head(&entry->node, &td_spares);
			td_spares_nr++;
		}
		td_follow_unlock();
		if (full) {
			kfree(entry);
			return 0;
		}
	}
}

/**
 * td_spares_free() - no task is followed, nor will any be
 */
void td_spares_free(void)
{
	struct td_task *entry;
	struct hlist_node *next;

	WARN_ON_ONCE(td_tasks_nr);
	/* Nobody else is there any more. */
	hlist_for_each_entry_safe(entry, next, &td_spares, node)
		kfree(entry);
	INIT_HLIST_HEAD(&td_spares);
	td_spares_nr = 0;
}

static void td_task_make(struct td_task *entry, struct task_struct *task,
			 struct td_session *session)
{
	lockdep_assert_held(&td_tasks_lock);
	entry->task = task;
	entry->exiting = false;
	entry->session[0] = session;
	entry->nr = 1;
	hlist_add_head_rcu(&entry->node, td_task_bucket(task));
	td_tasks_nr++;
}

static int td_task_add(struct td_task *entry, struct td_session *session)
{
	unsigned int i, at = entry->nr;

	lockdep_assert_held(&td_tasks_lock);
	for (i = 0; i < entry->nr; i++) {
		if (entry->session[i] == session)
			return 0;
		if (!entry->session[i])
			at = i;
	}
	if (at == TD_TASK_SESSIONS_MAX)
		return -ENOSPC;
	/*
	 * After the session, where the slot is one that is looked at already; pairs with
	 * READ_ONCE() in td_task_session(), and what is read through the pointer.
	 */
	smp_store_release(&entry->session[at], session);
	if (at == entry->nr)
		/* After the slot; pairs with smp_load_acquire() in td_task_slots(). */
		smp_store_release(&entry->nr, at + 1);
	return 1;
}

/**
 * td_task_link() - let a session follow a task
 * @task: the task
 * @session: the session; under the lock
 *
 * Return: 1, 0 if it does already, -ENOSPC for one of the limits, -EAGAIN
 * without a spare.
 */
int td_task_link(struct task_struct *task, struct td_session *session)
{
	struct td_task *entry = td_task_find(task);
	int ret = 1;

	lockdep_assert_held(&td_tasks_lock);
	if (td_session_over(session) || (entry && entry->exiting))
		return 0;
	if (entry) {
		ret = td_task_add(entry, session);
	} else if (td_tasks_nr >= TD_TASKS_MAX) {
		ret = -ENOSPC;
	} else {
		entry = td_spare_take();
		if (!entry)
			return -EAGAIN;
		td_task_make(entry, task, session);
	}
	if (ret > 0)
		td_session_join(session);
	return ret;
}

/**
 * td_task_leave() - its sessions have a task less
 * @entry: the task; under the lock
 *
 * They are still credited with what it uses.
 */
void td_task_leave(struct td_task *entry)
{
	unsigned int i;

	lockdep_assert_held(&td_tasks_lock);
	if (entry->exiting)
		return;
	entry->exiting = true;
	for (i = 0; i < entry->nr; i++) {
		if (entry->session[i])
			td_session_leave(entry->session[i]);
	}
}

/**
 * td_task_prune() - take sessions away that want no tasks any more
 * @entry: the task; under the lock
 *
 * Return: true if no session is left.
 */
bool td_task_prune(struct td_task *entry)
{
	struct td_session *session;
	bool empty = true;
	unsigned int i;

	lockdep_assert_held(&td_tasks_lock);
	for (i = 0; i < entry->nr; i++) {
		session = entry->session[i];
		if (!session)
			continue;
		if (!td_session_over(session)) {
			empty = false;
			continue;
		}
		/* Pairs with READ_ONCE() in td_task_session(). */
		WRITE_ONCE(entry->session[i], NULL);
		if (!entry->exiting)
			td_session_leave(session);
	}
	return empty;
}

/**
 * td_task_remove() - take a task from the table
 * @entry: the task; under the lock
 * @removed: list of those that td_task_free() will free
 */
void td_task_remove(struct td_task *entry, struct td_task **removed)
{
	lockdep_assert_held(&td_tasks_lock);
	td_task_leave(entry);
	hlist_del_rcu(&entry->node);
	td_tasks_nr--;
	entry->removed = *removed;
	*removed = entry;
}

/**
 * td_task_free() - free tasks that were taken from the table
 * @removed: list of td_task_remove(); no CPU has them as its owner any more
 */
void td_task_free(struct td_task *removed)
{
	struct td_task *next;

	for (; removed; removed = next) {
		next = removed->removed;
		kfree_rcu(removed, rcu);
	}
}
