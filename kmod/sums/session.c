// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: the slots that some tasks have used.
 *
 * A reader adds up the shares of all CPUs (share.c).
 *
 * Locks: the lock of a session protects its settings and the number of its tasks.  It is
 * taken inside perf's locks, when tasks are made, leave, or execute programs.  So only raw
 * locks may be taken under it.  A credit takes no lock at all.
 */
#include <linux/cache.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/poll.h>
#include <linux/refcount.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "member.h"
#include "metrics.h"
#include "quota.h"
#include "serial.h"
#include "session.h"
#include "share.h"
#include "trace.h"

/*
 * Works of sessions.  They make and release events, and may wait as long as a task that is followed
 * holds perf's lock of its context; so no other work waits for them.
 */
struct workqueue_struct *td_session_wq;

static bool td_session_is_over(const struct td_session *session)
{
	lockdep_assert_held(&session->lock);
	return session->gone || session->ended;
}

/* Will the sums of the session stay as they are? */
static bool td_session_is_finished(const struct td_session *session)
{
	return session->exited || td_session_is_over(session);
}

/**
 * td_session_over() - has a session been closed, or ended for its number of events?
 * @session: the session
 *
 * Return: true or false; once true, always true.
 */
bool td_session_over(struct td_session *session)
{
	bool over;

	raw_spin_lock_irq(&session->lock);
	over = td_session_is_over(session);
	raw_spin_unlock_irq(&session->lock);
	return over;
}

/**
 * td_session_finished() - will the sums of a session stay as they are?
 * @session: the session
 *
 * Return: true or false; once true, always true.
 */
bool td_session_finished(struct td_session *session)
{
	bool finished;

	raw_spin_lock_irq(&session->lock);
	finished = td_session_is_finished(session);
	raw_spin_unlock_irq(&session->lock);
	return finished;
}
EXPORT_SYMBOL_NS_GPL(td_session_finished, TD_NAMESPACE);

/**
 * td_session_waits() - will an exec enable a session?
 * @session: the session
 *
 * Return: true or false; once false, always false.
 */
bool td_session_waits(struct td_session *session)
{
	bool waits;

	raw_spin_lock_irq(&session->lock);
	waits = session->on_exec;
	raw_spin_unlock_irq(&session->lock);
	return waits;
}

/**
 * td_session_has_tasks() - has an attach found a task?
 * @session: the session, which is being attached
 *
 * Return: true or false.
 */
bool td_session_has_tasks(struct td_session *session)
{
	bool has;

	raw_spin_lock_irq(&session->lock);
	has = session->tasks > 1 || session->ended;
	raw_spin_unlock_irq(&session->lock);
	return has;
}

static u32 td_session_state(const struct td_session *session)
{
	lockdep_assert_held(&session->lock);
	/* Views have to tell what was complete from what was cut off. */
	if (session->ended)
		return TOPDOWN_SESSION_STATE_ENDED;
	if (session->exited)
		return TOPDOWN_SESSION_STATE_EXITED;
	if (session->gone)
		return TOPDOWN_SESSION_STATE_DETACHED;
	return session->enabled ? TOPDOWN_SESSION_STATE_RUNNING : TOPDOWN_SESSION_STATE_DISABLED;
}

/* Update the header of the session map. */
static void td_session_show(struct td_session *session)
{
	td_share_write_header(session->map, td_session_state(session),
			      session->incomplete ? TOPDOWN_SESSION_OUT_INCOMPLETE : 0,
			      td_session_is_over(session) ? 0 : session->tasks,
			      session->dropped);
}

static void td_session_update(struct td_session *session)
{
	lockdep_assert_held(&session->lock);
	/* Pairs with READ_ONCE() in td_session_counts(). */
	WRITE_ONCE(session->counting, session->attached && session->enabled &&
		   !session->exited && !td_session_is_over(session));
	td_session_show(session);
}

/* The session counts no more. */
static noinline void td_session_trace_end(const struct td_session *session, u32 state)
{
	struct topdown_share sum[TD_NR_KINDS], all;

	td_share_sum(session->map, sum);
	td_share_all(sum, &all);
	trace_topdown_session(session->serial, session->owner, state, &all);
}

/* Without the lock of the session: its readers need not wait. */
static void td_session_trace(const struct td_session *session, bool ended, u32 state)
{
	if (ended && trace_topdown_session_enabled())
		td_session_trace_end(session, state);
}

/* The session counts no more: tell those who wait. */
static void td_session_tell(struct td_session *session)
{
	td_session_update(session);
	irq_work_queue(&session->wake);
}

static void td_session_wake(struct irq_work *work)
{
	wake_up_poll(&container_of(work, struct td_session, wake)->wait, EPOLLHUP);
}

/* Some events of the session are useless now.  A detach releases them itself. */
static void td_session_tend(struct td_session *session)
{
	lockdep_assert_held(&session->lock);
	/* While threads are searched for, the work is already queued. */
	if (session->gone || (session->looking && !session->ended))
		return;
	irq_work_queue(&session->poke);
}

/*
 * Queueing work wakes up a task, which is forbidden under perf's locks.  The locks of
 * workqueues are raw ones, so the irq_work is a hard one: irq_work_sync() of others takes a
 * grace period of RCU with PREEMPT_RT.
 */
static void td_session_poke(struct irq_work *work)
{
	struct td_session *session = container_of(work, struct td_session, poke);

	mod_delayed_work(td_session_wq, &session->tend, 0);
}

/* The address of a task is not reused while an event refers to the task. */
static unsigned long td_session_key(const struct task_struct *task)
{
	return (unsigned long)task >> L1_CACHE_SHIFT;
}

/**
 * td_session_join() - a session follows one more task
 * @session: the session
 * @task: the task, which does not run before this returns
 */
void td_session_join(struct td_session *session, struct task_struct *task)
{
	unsigned long flags;

	/* Pairs with WRITE_ONCE() in td_session_remember() and td_session_forget(). */
	if (READ_ONCE(session->looking) &&
	    xa_err(xa_store(&session->met, td_session_key(task), xa_mk_value(1), GFP_KERNEL)))
		/* Pairs with READ_ONCE() in td_attach_task(). */
		WRITE_ONCE(session->unsure, true);
	raw_spin_lock_irqsave(&session->lock, flags);
	session->tasks++;
	td_session_show(session);
	raw_spin_unlock_irqrestore(&session->lock, flags);
}

/**
 * td_session_left() - a task of a session has exited, or its event is released
 * @session: the session; also in an interrupt
 * @secure: the task did not exit, but gained rights by executing a program.  The session goes on
 *	without it
 */
void td_session_left(struct td_session *session, bool secure)
{
	unsigned long flags;
	bool over, ends;
	u32 state;

	raw_spin_lock_irqsave(&session->lock, flags);
	over = td_session_is_finished(session);
	session->tasks--;
	if (secure && !over) {
		session->incomplete = true;
		session->dropped++;
	}
	if (over || session->tasks) {
		td_session_show(session);
	} else {
		session->exited = true;
		td_session_tell(session);
	}
	ends = !over && td_session_is_finished(session);
	state = td_session_state(session);
	raw_spin_unlock_irqrestore(&session->lock, flags);
	td_session_trace(session, ends, state);
}

/**
 * td_session_overrun() - the user of a session has more events than are allowed
 * @session: the session
 */
void td_session_overrun(struct td_session *session)
{
	bool over;

	raw_spin_lock_irq(&session->lock);
	over = td_session_is_finished(session);
	if (!over) {
		session->ended = true;
		td_session_tell(session);
		td_session_tend(session);
	}
	raw_spin_unlock_irq(&session->lock);
	td_session_trace(session, !over, TOPDOWN_SESSION_STATE_ENDED);
}

/**
 * td_session_missed() - a session could not follow a task that it should
 * @session: the session
 */
void td_session_missed(struct td_session *session)
{
	raw_spin_lock_irq(&session->lock);
	session->incomplete = true;
	td_session_show(session);
	raw_spin_unlock_irq(&session->lock);
}

/**
 * td_session_exec() - a task of a session executes a program
 * @session: the session; interrupts off
 *
 * Before the task has new credentials: if it gains rights, perf takes its event away after this.
 */
void td_session_exec(struct td_session *session)
{
	/* Pairs with WRITE_ONCE() below and in td_session_enable(). */
	if (!READ_ONCE(session->on_exec))
		return;
	raw_spin_lock(&session->lock);
	if (session->on_exec && !td_session_is_over(session)) {
		/* Pairs with READ_ONCE() above. */
		WRITE_ONCE(session->on_exec, false);
		session->enabled = true;
		td_session_update(session);
		td_session_tend(session);
	}
	raw_spin_unlock(&session->lock);
}

/**
 * td_session_remember() - remember the threads of a process that get an event
 * @session: the session; under its members_lock
 * @leader: the process that the session is being attached to
 */
void td_session_remember(struct td_session *session, struct task_struct *leader)
{
	lockdep_assert_held(&session->members_lock);
	session->leader = get_task_struct(leader);
	/* Pairs with READ_ONCE() in td_session_join(), as in td_session_forget(). */
	WRITE_ONCE(session->looking, true);
}

/**
 * td_session_remembers() - does a thread have an event of the session?
 * @session: the session, which is searching for threads
 * @task: the thread
 *
 * Return: true or false.
 */
bool td_session_remembers(struct td_session *session, const struct task_struct *task)
{
	return xa_load(&session->met, td_session_key(task));
}

/**
 * td_session_unmeet() - the event of a thread is gone, and perhaps the thread too
 * @session: the session
 * @task: the thread, which the event still refers to
 */
void td_session_unmeet(struct td_session *session, const struct task_struct *task)
{
	if (!xa_empty(&session->met))
		xa_erase(&session->met, td_session_key(task));
}

/* xa_destroy() would free the nodes of all threads with interrupts off. */
static void td_session_unmeet_all(struct td_session *session)
{
	unsigned long key;
	void *entry;

	xa_for_each(&session->met, key, entry) {
		xa_erase(&session->met, key);
		cond_resched();
	}
}

/**
 * td_session_forget() - all threads have been found
 * @session: the session; under its members_lock
 */
void td_session_forget(struct td_session *session)
{
	lockdep_assert_held(&session->members_lock);
	if (!session->leader)
		return;
	raw_spin_lock_irq(&session->lock);
	WRITE_ONCE(session->looking, false);
	raw_spin_unlock_irq(&session->lock);
	put_task_struct(session->leader);
	session->leader = NULL;
	td_session_unmeet_all(session);
}

static void td_session_free(struct kref *ref)
{
	struct td_session *session = container_of(ref, struct td_session, ref);
	struct td_member *member, *next;

	list_for_each_entry_safe(member, next, &session->members, list) {
		kfree(member);
		cond_resched();
	}
	/* A task may have joined during td_session_forget(). */
	td_session_unmeet_all(session);
	mutex_destroy(&session->members_lock);
	free_percpu(session->running);
	td_share_free(session->map);
	kfree(session);
}

/**
 * td_session_get() - keep the memory of a session
 * @session: of an open file, or held by the caller
 */
void td_session_get(struct td_session *session)
{
	kref_get(&session->ref);
}
EXPORT_SYMBOL_NS_GPL(td_session_get, TD_NAMESPACE);

/**
 * td_session_put() - undo td_session_get()
 * @session: the session
 */
void td_session_put(struct td_session *session)
{
	kref_put(&session->ref, td_session_free);
}
EXPORT_SYMBOL_NS_GPL(td_session_put, TD_NAMESPACE);

/*
 * A session with many threads has much to free, which is nothing for a callback of RCU.  If perf
 * kept very many works of the queue waiting, its memory would wait too.
 */
static void td_session_put_work(struct work_struct *work)
{
	td_session_put(container_of(to_rcu_work(work), struct td_session, put));
}

static bool td_session_alloc(struct td_session *session)
{
	session->map = td_share_alloc();
	session->running = alloc_percpu_gfp(unsigned int, GFP_KERNEL_ACCOUNT);
	if (session->map && session->running)
		return true;
	free_percpu(session->running);
	if (session->map)
		td_share_free(session->map);
	return false;
}

/**
 * td_session_create() - make a session without tasks
 * @attach: the command
 * @user: account to charge; put when the last file of the session is closed
 *
 * Return: the session, not counting yet; NULL if there is no memory.
 */
struct td_session *td_session_create(const struct topdown_attach *attach, struct td_user *user)
{
	struct td_session *session;

	session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);
	if (!session)
		return NULL;
	if (!td_session_alloc(session)) {
		kfree(session);
		return NULL;
	}
	kref_init(&session->ref);
	raw_spin_lock_init(&session->lock);
	mutex_init(&session->members_lock);
	INIT_LIST_HEAD(&session->members);
	session->poke = IRQ_WORK_INIT_HARD(td_session_poke);
	init_waitqueue_head(&session->wait);
	init_irq_work(&session->wake, td_session_wake);
	xa_init(&session->met);
	INIT_RCU_WORK(&session->put, td_session_put_work);
	refcount_set(&session->files, 1);
	session->serial = td_serial_next();
	session->map->serial = session->serial;
	session->owner = task_tgid_nr(current);
	session->user = user;
	session->process = !(attach->flags & TOPDOWN_ATTACH_THREAD);
	session->children = attach->flags & TOPDOWN_ATTACH_CHILDREN;
	session->enabled = !(attach->flags & TOPDOWN_ATTACH_DISABLED);
	session->on_exec = attach->flags & TOPDOWN_ATTACH_ON_EXEC;
	/* Until it is attached, as otherwise an early exit would end it. */
	session->tasks = 1;
	return session;
}

/**
 * td_session_begin() - count from now on
 * @session: the session; its tasks are followed
 */
void td_session_begin(struct td_session *session)
{
	raw_spin_lock_irq(&session->lock);
	session->attached = true;
	td_session_update(session);
	raw_spin_unlock_irq(&session->lock);
	td_session_left(session, false);
}

/**
 * td_session_end() - count no more
 * @session: the session
 *
 * td_attach_end() and td_session_destroy() have to follow.
 */
void td_session_end(struct td_session *session)
{
	bool ends;

	raw_spin_lock_irq(&session->lock);
	ends = !td_session_is_finished(session);
	session->gone = true;
	td_session_update(session);
	raw_spin_unlock_irq(&session->lock);
	/*
	 * With PREEMPT_RT that takes a grace period of RCU, also when nothing is to be waited for.
	 * It may still be returning when it is no longer busy; td_session_destroy() waits for that.
	 */
	if (!ends && irq_work_is_busy(&session->wake))
		irq_work_sync(&session->wake);
	wake_up_poll(&session->wait, EPOLLHUP);
	td_session_trace(session, ends, TOPDOWN_SESSION_STATE_DETACHED);
}

/* A file of the session is closed.  Its user has one session less when the last one is. */
static void td_session_close(struct td_session *session)
{
	if (refcount_dec_and_test(&session->files))
		td_quota_put(session->user, TD_SESSION);
}

/**
 * td_session_view() - have one more file of a session
 * @session: the session of an open file
 */
void td_session_view(struct td_session *session)
{
	refcount_inc(&session->files);
	td_session_get(session);
}

/**
 * td_session_unview() - undo td_session_view(); may sleep
 * @session: the session
 */
void td_session_unview(struct td_session *session)
{
	td_session_close(session);
	td_session_put(session);
}

/**
 * td_session_destroy() - free a session
 * @session: the session, ended and without members; RCU readers may still use it
 */
void td_session_destroy(struct td_session *session)
{
	td_session_close(session);
	queue_rcu_work(td_session_wq, &session->put);
}

/**
 * td_session_read() - read the sums and the state of a session
 * @session: the session
 * @read: written, but for its inputs
 * @sum: written: the sum of each kind of CPU
 */
void td_session_read(struct td_session *session, struct topdown_session *read,
		     struct topdown_share sum[TD_NR_KINDS])
{
	struct topdown_share all;

	/* Read the state first: once it is EXITED, the sums read after it are final. */
	raw_spin_lock_irq(&session->lock);
	read->out_state = session->map->state;
	read->out_flags = session->map->flags;
	read->out_tasks = session->map->tasks;
	read->out_dropped = session->map->dropped;
	raw_spin_unlock_irq(&session->lock);

	read->out_serial = session->serial;
	read->out_time_ns = ktime_get_ns();
	td_share_sum(session->map, sum);
	td_share_all(sum, &all);
	read->out_nodes = all.nodes;
	read->out_switches = all.switches;
	read->out_merged_ns = all.merged_ns;
	read->out_level = all.level;
	read->out_source = all.source;
	td_figures_make(&read->out_figures, &all.sums, all.nodes);
}

/**
 * td_session_enable() - enable or disable a session
 * @session: the session, just folded
 * @enable: true to count from now on
 */
void td_session_enable(struct td_session *session, bool enable)
{
	raw_spin_lock_irq(&session->lock);
	session->enabled = enable;
	/* The command replaces the wait for an exec. */
	if (session->on_exec)
		td_session_tend(session);
	/* Pairs with READ_ONCE() in td_session_exec(). */
	WRITE_ONCE(session->on_exec, false);
	td_session_update(session);
	raw_spin_unlock_irq(&session->lock);
}

/**
 * td_session_claim() - have the latencies of a session
 * @session: the session
 *
 * Return: 0, -ESRCH if the session has ended, -EBUSY if another latency session has them.
 */
int td_session_claim(struct td_session *session)
{
	int ret = 0;

	raw_spin_lock_irq(&session->lock);
	if (td_session_is_finished(session))
		ret = -ESRCH;
	else if (session->claimed)
		ret = -EBUSY;
	else
		session->claimed = true;
	raw_spin_unlock_irq(&session->lock);
	return ret;
}
EXPORT_SYMBOL_NS_GPL(td_session_claim, TD_NAMESPACE);

/**
 * td_session_unclaim() - undo td_session_claim()
 * @session: the session
 */
void td_session_unclaim(struct td_session *session)
{
	raw_spin_lock_irq(&session->lock);
	session->claimed = false;
	raw_spin_unlock_irq(&session->lock);
}
EXPORT_SYMBOL_NS_GPL(td_session_unclaim, TD_NAMESPACE);

/**
 * td_session_show_text() - say in a text what a session is
 * @session: the session
 * @seq: where to
 */
void td_session_show_text(struct td_session *session, struct seq_file *seq)
{
	static const char * const names[] = {
		[TOPDOWN_SESSION_STATE_RUNNING]	= "running",
		[TOPDOWN_SESSION_STATE_DISABLED]	= "disabled",
		[TOPDOWN_SESSION_STATE_EXITED]	= "exited",
		[TOPDOWN_SESSION_STATE_ENDED]		= "ended",
		[TOPDOWN_SESSION_STATE_DETACHED]	= "detached",
	};
	u32 state, tasks;

	raw_spin_lock_irq(&session->lock);
	state = session->map->state;
	tasks = session->map->tasks;
	raw_spin_unlock_irq(&session->lock);
	seq_printf(seq, "topdown-session:\t%llu\ntopdown-state:\t%s\ntopdown-tasks:\t%u\n",
		   session->serial, names[state], tasks);
}

/**
 * td_session_init() - prepare for sessions
 *
 * Return: 0 or -ENOMEM.
 */
int td_session_init(void)
{
	td_serial_init();
	td_session_wq = alloc_workqueue("topdown_session", WQ_UNBOUND, WQ_UNBOUND_MAX_ACTIVE);
	return td_session_wq ? 0 : -ENOMEM;
}

/**
 * td_session_exit() - undo td_session_init(); there will be no session any more
 */
void td_session_exit(void)
{
	destroy_workqueue(td_session_wq);
}
