/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_SESSION_H
#define TOPDOWN_SESSION_H

#include <linux/compiler.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <uapi/linux/topdown.h>

#include "share.h"

struct task_struct;
struct td_news;
struct td_user;

/**
 * struct td_session - slots of tasks, added up
 * @news: where the descriptor's owner hears of its end
 * @id: its number
 * @process: takes new threads
 * @children: takes new processes
 * @user: who pays for it
 * @charged: how many tasks the user was charged for; under @members_lock
 * @lock: protects all up to @tasks
 * @attached: its first tasks are there
 * @enabled: it is to count
 * @on_exec: it will be enabled when a task executes a program
 * @gone: it has been detached
 * @ended: a task gained rights
 * @exited: the last task has exited
 * @incomplete: a thread that was being made during the attach could not be followed
 * @unread: it has ended and not been read since
 * @looking: the threads that it meets are remembered in @met; written under
 *	@members_lock too
 * @tasks: how many follow it, and one while it is being attached
 * @counting: it takes credits; written under @lock
 * @running: how many of its events each CPU runs; written there with interrupts off
 * @members_lock: protects @members, @charged and @leader
 * @members: events on the tasks that it was attached to
 * @leader: the process whose threads are looked for, with a reference, or NULL
 * @met: threads that have an event; nothing unless @looking
 * @unsure: there was no memory for @met
 * @tend: looks for threads, and releases events
 * @poke: queues @tend
 * @map: the shares, each written on its CPU with interrupts off, and what readers
 *	see of the fields above; its baseline is changed under the list's lock
 * @ref: one until it is destroyed, one of each event, and one of each mmap() under way
 * @rcu: puts the first when no CPU looks at it any more
 */
struct td_session {
	struct td_news *news;
	u32 id;
	bool process;
	bool children;
	struct td_user *user;
	unsigned int charged;

	raw_spinlock_t lock; /* the settings below, and the header of the map */
	bool attached;
	bool enabled;
	bool on_exec;
	bool gone;
	bool ended;
	bool exited;
	bool incomplete;
	bool unread;
	bool looking;
	unsigned int tasks;

	bool counting;
	unsigned int __percpu *running;

	struct mutex members_lock; /* members, charged, leader */
	struct list_head members;
	struct task_struct *leader;
	struct xarray met;
	bool unsure;
	struct delayed_work tend;
	struct irq_work poke;

	struct topdown_session_map *map;
	struct kref ref;
	struct rcu_head rcu;
};

/**
 * td_session_runs() - an event of a session comes to this CPU or goes
 * @session: the session; interrupts off
 * @change: 1 or -1
 */
static __always_inline void td_session_runs(const struct td_session *session, int change)
{
	unsigned int *running = this_cpu_ptr(session->running);

	/* Pairs with READ_ONCE() in td_session_runs_on(). */
	WRITE_ONCE(*running, *running + change);
}

/**
 * td_session_runs_on() - does a CPU run a task of a session?
 * @session: the session
 * @cpu: possible CPU
 *
 * Return: true or false, as of this moment.
 */
static inline bool td_session_runs_on(const struct td_session *session, int cpu)
{
	/* Pairs with WRITE_ONCE() in td_session_runs(). */
	return READ_ONCE(*per_cpu_ptr(session->running, cpu));
}

/**
 * td_session_counts() - does a session take credits?
 * @session: the session
 *
 * Return: true or false, as of this moment.
 */
static __always_inline bool td_session_counts(const struct td_session *session)
{
	/* Pairs with WRITE_ONCE() in td_session_update(). */
	return READ_ONCE(session->counting);
}

void td_session_credit(const struct td_session *session, const struct td_credit *credit);

bool td_session_over(struct td_session *session);
bool td_session_waits(struct td_session *session);
bool td_session_has_tasks(struct td_session *session);
void td_session_join(struct td_session *session, struct task_struct *task);
void td_session_left(struct td_session *session, bool secure);
void td_session_missed(struct td_session *session);
void td_session_exec(struct td_session *session);

void td_session_meet(struct td_session *session, struct task_struct *leader);
void td_session_unmeet(struct td_session *session, const struct task_struct *task);
bool td_session_met(struct td_session *session, const struct task_struct *task);
void td_session_forget(struct td_session *session);

struct td_session *td_session_create(struct td_news *news,
				     const struct topdown_attach *attach, struct td_user *user);
void td_session_begin(struct td_session *session);
void td_session_end(struct td_session *session);
void td_session_destroy(struct td_session *session);
void td_session_get(struct td_session *session);
void td_session_put(struct td_session *session);
void td_session_read(struct td_session *session, struct topdown_session *read);
void td_session_enable(struct td_session *session, bool enable);
void td_session_reset(struct td_session *session);

#endif /* TOPDOWN_SESSION_H */
