/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_TASK_H
#define TOPDOWN_TASK_H

#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/lockdep.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <asm/barrier.h>

struct task_struct;
struct td_session;

#define TD_TASK_BITS		12

/* Each has room for this many sessions, which a fold goes through. */
#define TD_TASK_SESSIONS_MAX	16
/* With the buckets of the table this bounds what a lookup costs. */
#define TD_TASKS_MAX		65536

/**
 * struct td_task - a followed task
 * @node: in the table, or among the spares
 * @task: which; only a key, and NULL before another task can have it
 * @exiting: it counts as exited, but still has a CPU now and then; under the lock
 * @nr: slots of @session that have been used
 * @session: whom its slots are credited to; NULL in slots that are free
 * @removed: next of those that have been taken from the table together
 * @rcu: frees it when nobody looks at it any more
 */
struct td_task {
	struct hlist_node node;
	struct task_struct *task;
	bool exiting;
	unsigned int nr;
	struct td_session *session[TD_TASK_SESSIONS_MAX];
	union {
		struct td_task *removed;
		struct rcu_head rcu;
	};
};

extern struct hlist_head td_tasks[1 << TD_TASK_BITS];
extern raw_spinlock_t td_tasks_lock;

static inline struct hlist_head *td_task_bucket(const struct task_struct *task)
{
	return &td_tasks[hash_ptr(task, TD_TASK_BITS)];
}

/**
 * td_task_find() - is a task followed?
 * @task: which; with interrupts off or under the lock
 *
 * Inline, since every switch of the machine asks.
 *
 * Return: its entry in the table or NULL.
 */
static __always_inline struct td_task *td_task_find(const struct task_struct *task)
{
	struct td_task *entry;

	hlist_for_each_entry_rcu(entry, td_task_bucket(task), node,
				 lockdep_is_held(&td_tasks_lock)) {
		/* Pairs with WRITE_ONCE() in td_follow_dead(). */
		if (READ_ONCE(entry->task) == task)
			return entry;
	}
	return NULL;
}

/**
 * td_task_slots() - how many slots of a task may have a session
 * @entry: the task; with interrupts off or under RCU
 *
 * Return: those that td_task_session() may be asked for.
 */
static __always_inline unsigned int td_task_slots(const struct td_task *entry)
{
	/* Pairs with smp_store_release() in td_task_add(). */
	return smp_load_acquire(&entry->nr);
}

/**
 * td_task_session() - the session in a slot
 * @entry: the task; as for td_task_slots()
 * @i: the slot
 *
 * Return: the session, or NULL.
 */
static __always_inline struct td_session *td_task_session(const struct td_task *entry,
							  unsigned int i)
{
	/* Pairs with the stores in td_task_add() and td_task_prune(). */
	return READ_ONCE(entry->session[i]);
}

int td_task_link(struct task_struct *task, struct td_session *session);
void td_task_leave(struct td_task *entry);
bool td_task_prune(struct td_task *entry);
void td_task_remove(struct td_task *entry, struct td_task **removed);
void td_task_free(struct td_task *removed);

int td_spares_fill(void);
void td_spares_free(void);

#endif /* TOPDOWN_TASK_H */
