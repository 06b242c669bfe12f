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
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <uapi/linux/topdown.h>

#include "quota.h"
#include "share.h"

struct seq_file;
struct task_struct;
struct td_tallies;

/**
 * struct td_session - the slots of some tasks
 * @serial: number of the session, which no other has had since the module was loaded
 * @owner: process that attached the session, in the initial namespace
 * @process: new threads inherit
 * @children: new processes inherit
 * @user: account that is charged for the session and its events
 * @charge: the events; the quotas' own
 * @lock: protects all fields up to @tasks
 * @attached: the first tasks are followed
 * @enabled: the session is to count
 * @on_exec: the session will be enabled when a task executes a program
 * @gone: the descriptor of the session has been closed
 * @ended: the user had too many events
 * @exited: the last task has exited
 * @incomplete: a thread that was being made during the attach could not be followed, or a task
 *	dropped out
 * @dropped: number of tasks that dropped out because they gained rights
 * @looking: threads that get an event are remembered in @met; written under
 *	@members_lock too
 * @claimed: a latency session has the latencies of its tasks
 * @tasks: number of followed tasks, plus one while the session is being attached
 * @counting: the session takes credits; written under @lock
 * @running: number of its events that each CPU runs; written there with interrupts off
 * @tallies: what the samples in its tasks add up to; NULL if nobody wants that; changed by the
 *	latency session that follows it, used on any CPU with interrupts off, and in its NMIs
 * @members_lock: protects @members, @leader, @exec_id and @late
 * @members: events on the tasks that the session was attached to
 * @leader: the process whose threads are being searched, with a reference, or NULL
 * @exec_id: task_struct.self_exec_id of its threads at the begin of the attach
 * @late: threads are searched for once more, after the attach
 * @met: threads that have an event; empty unless @looking
 * @unsure: there was no memory for @met
 * @tend: searches for threads, and releases events
 * @poke: queues @tend
 * @wait: those who wait for the end of the session
 * @wake: wakes them up
 * @map: the session map: the shares, each written on its CPU with interrupts off, and a
 *	header for readers
 * @files: its descriptor, until it is destroyed, and its views; @user has it as long
 * @ref: one until the session is destroyed, and one of each event, of each view and of each latency
 *	session that has it, or tries to
 * @put: puts the first reference when no CPU uses the session any more
 */
struct td_session {
	/* Written before others see the session. */
	u64 serial;
	pid_t owner;
	bool process;
	bool children;
	struct td_user *user;

	/* Written under the lock of the quotas. */
	struct td_charge charge;

	/* Written under @lock. */
	raw_spinlock_t lock; /* the settings below, and the header of the map */
	bool attached;
	bool enabled;
	bool on_exec;
	bool gone;
	bool ended;
	bool exited;
	bool incomplete;
	u32 dropped;
	bool looking;
	bool claimed;
	unsigned int tasks;

	bool counting;

	/* Written by each CPU for itself, with interrupts off. */
	unsigned int __percpu *running;

	/* Written by the latency session that follows the tasks. */
	struct td_tallies __rcu *tallies;

	/* Written by the search for threads, under @members_lock. */
	struct mutex members_lock; /* members, leader, exec_id, late */
	struct list_head members;
	struct task_struct *leader;
	u64 exec_id;
	bool late;
	struct xarray met;
	bool unsure;
	struct delayed_work tend;
	struct irq_work poke;

	wait_queue_head_t wait;
	struct irq_work wake;

	struct topdown_session_map *map;
	refcount_t files;
	struct kref ref;
	struct rcu_work put;
};

/**
 * td_session_runs() - an event of a session is scheduled in or out on this CPU
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
 * Return: true or false; may change at any time.
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
 * Return: true or false; may change at any time.
 */
static __always_inline bool td_session_counts(const struct td_session *session)
{
	/* Pairs with WRITE_ONCE() in td_session_update(). */
	return READ_ONCE(session->counting);
}

/**
 * td_session_credit() - add what a task of the session used on this CPU
 * @session: the session; interrupts off
 * @credit: the credit
 */
static __always_inline void td_session_credit(const struct td_session *session,
					      const struct td_credit *credit)
{
	if (td_session_counts(session))
		td_share_credit(session->map, credit);
}

extern struct workqueue_struct *td_session_wq;

int td_session_init(void);
void td_session_exit(void);
bool td_session_over(struct td_session *session);
bool td_session_finished(struct td_session *session);
bool td_session_waits(struct td_session *session);
bool td_session_has_tasks(struct td_session *session);
void td_session_join(struct td_session *session, struct task_struct *task);
void td_session_left(struct td_session *session, bool secure);
void td_session_overrun(struct td_session *session);
void td_session_missed(struct td_session *session);
void td_session_exec(struct td_session *session);

void td_session_remember(struct td_session *session, struct task_struct *leader);
void td_session_unmeet(struct td_session *session, const struct task_struct *task);
bool td_session_remembers(struct td_session *session, const struct task_struct *task);
void td_session_forget(struct td_session *session);

struct td_session *td_session_create(const struct topdown_attach *attach, struct td_user *user);
void td_session_begin(struct td_session *session);
void td_session_end(struct td_session *session);
void td_session_destroy(struct td_session *session);
void td_session_get(struct td_session *session);
void td_session_put(struct td_session *session);
void td_session_view(struct td_session *session);
void td_session_unview(struct td_session *session);
int td_session_claim(struct td_session *session);
void td_session_unclaim(struct td_session *session);
void td_session_read(struct td_session *session, struct topdown_session *read,
		     struct topdown_share sum[TD_NR_KINDS]);
void td_session_show_text(struct td_session *session, struct seq_file *seq);
void td_session_enable(struct td_session *session, bool enable);

#endif /* TOPDOWN_SESSION_H */
