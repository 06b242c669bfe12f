// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: what the tasks of a descriptor's interest have used.
 *
 * A reader adds up what all CPUs have of a session (share.c), and takes off what
 * there was at the last reset.
 */
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/slab.h>

#include "follow.h"
#include "metrics.h"
#include "probe.h"
#include "session.h"
#include "sessions.h"
#include "share.h"

/**
 * td_session_credit() - add what a task of the session used on this CPU
 * @session: the session; interrupts off
 * @credit: what
 */
void td_session_credit(const struct td_session *session, const struct td_credit *credit)
{
	lockdep_assert_irqs_disabled();
	/* Pairs with WRITE_ONCE() in td_session_update(). */
	if (READ_ONCE(session->counting))
		td_share_credit(session->map, credit);
}

/**
 * td_session_switched() - a task of the session was given this CPU
 * @session: the session; interrupts off
 */
void td_session_switched(const struct td_session *session)
{
	lockdep_assert_irqs_disabled();
	/* Pairs with WRITE_ONCE() in td_session_update(). */
	if (READ_ONCE(session->counting))
		td_share_switched(session->map);
}

/**
 * td_session_over() - does it want no tasks any more?
 * @session: the session; under td_follow_lock()
 *
 * Return: true or false; once true it stays so.
 */
bool td_session_over(const struct td_session *session)
{
	td_follow_assert_locked();
	return session->gone || session->ended;
}

/**
 * td_session_inherits() - does it follow what a task of it has made?
 * @session: the session; under td_follow_lock()
 * @thread: that is a thread of the same process
 *
 * Return: true or false.
 */
bool td_session_inherits(const struct td_session *session, bool thread)
{
	if (td_session_over(session))
		return false;
	return thread ? session->process : session->children;
}

/**
 * td_session_has_tasks() - does it follow a task?
 * @session: being attached
 *
 * Return: true or false.
 */
bool td_session_has_tasks(struct td_session *session)
{
	bool has;

	td_follow_lock();
	has = session->tasks > 1 || session->ended;
	td_follow_unlock();
	return has;
}

static u32 td_session_state(const struct td_session *session)
{
	td_follow_assert_locked();
	if (session->gone)
		return TOPDOWN_SESSION_DETACHED;
	if (session->ended)
		return TOPDOWN_SESSION_ENDED;
	if (session->exited)
		return TOPDOWN_SESSION_EXITED;
	return session->enabled ? TOPDOWN_SESSION_RUNNING : TOPDOWN_SESSION_DISABLED;
}

/* Something that its map tells has changed. */
static void td_session_show(struct td_session *session)
{
	td_share_tell(session->map, td_session_state(session),
		      session->incomplete ? TOPDOWN_SESSION_INCOMPLETE : 0,
		      td_session_over(session) ? 0 : session->tasks);
}

static void td_session_update(struct td_session *session)
{
	td_follow_assert_locked();
	/* Pairs with READ_ONCE() in td_session_credit() and td_session_switched(). */
	WRITE_ONCE(session->counting, session->attached && session->enabled &&
		   !session->exited && !td_session_over(session));
	td_session_show(session);
}

/* It counts no more; the descriptor's owner may want to know. */
static void td_session_tell(struct td_session *session)
{
	td_session_update(session);
	if (session->gone || session->news)
		return;
	session->news = true;
	td_sessions_tell(session->list);
}

static void td_session_told(struct td_session *session)
{
	td_follow_assert_locked();
	if (!session->news)
		return;
	session->news = false;
	td_sessions_told(session->list);
}

/**
 * td_session_join() - a task is followed for it
 * @session: the session; under td_follow_lock()
 */
void td_session_join(struct td_session *session)
{
	td_follow_assert_locked();
	session->tasks++;
	td_session_show(session);
}

/**
 * td_session_leave() - one of its tasks is followed no more
 * @session: the session; under td_follow_lock()
 */
void td_session_leave(struct td_session *session)
{
	td_follow_assert_locked();
	session->tasks--;
	if (session->tasks || td_session_over(session)) {
		td_session_show(session);
		return;
	}
	session->exited = true;
	td_session_tell(session);
}

/**
 * td_session_missed() - a new task of it could not be followed
 * @session: the session; under td_follow_lock()
 */
void td_session_missed(struct td_session *session)
{
	td_follow_assert_locked();
	session->incomplete = true;
	td_session_show(session);
}

/**
 * td_session_exec() - one of its tasks executes a program
 * @session: the session; under td_follow_lock()
 * @secure: the task gained rights by it
 */
void td_session_exec(struct td_session *session, bool secure)
{
	if (td_session_over(session))
		return;
	if (secure) {
		session->ended = true;
		td_session_tell(session);
	} else if (session->on_exec) {
		session->on_exec = false;
		session->enabled = true;
		td_session_update(session);
	}
}

static void td_session_free(struct kref *ref)
{
	struct td_session *session = container_of(ref, struct td_session, ref);

	td_share_free(session->map);
	kfree(session);
}

/**
 * td_session_get() - keep the memory of a session
 * @session: found under RCU
 */
void td_session_get(struct td_session *session)
{
	kref_get(&session->ref);
}

/**
 * td_session_put() - undo td_session_get()
 * @session: the session
 */
void td_session_put(struct td_session *session)
{
	kref_put(&session->ref, td_session_free);
}

static void td_session_put_rcu(struct rcu_head *rcu)
{
	td_session_put(container_of(rcu, struct td_session, rcu));
}

static struct td_session *td_session_create(struct td_sessions *list,
					    const struct topdown_attach *attach)
{
	struct td_session *session;

	session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);
	if (!session)
		return NULL;
	session->map = td_share_alloc();
	if (!session->map) {
		kfree(session);
		return NULL;
	}
	kref_init(&session->ref);
	session->list = list;
	session->process = !(attach->flags & TOPDOWN_ATTACH_THREAD);
	session->children = attach->flags & TOPDOWN_ATTACH_CHILDREN;
	session->enabled = !(attach->flags & TOPDOWN_ATTACH_DISABLED);
	session->on_exec = attach->flags & TOPDOWN_ATTACH_ON_EXEC;
	/* Until it is attached, so that it does not seem to have exited. */
	session->tasks = 1;
	return session;
}

/**
 * td_session_begin() - its tasks are there: count, from now on
 * @session: the session, which can be found now
 */
void td_session_begin(struct td_session *session)
{
	td_follow_lock();
	session->attached = true;
	td_session_update(session);
	td_session_leave(session);
	td_follow_unlock();
}

/**
 * td_session_end() - nothing is counted or linked any more
 * @session: the session
 *
 * td_follow_sweep() and td_session_destroy() have to follow.
 */
void td_session_end(struct td_session *session)
{
	td_follow_lock();
	td_session_told(session);
	session->gone = true;
	td_session_update(session);
	td_follow_unlock();
}

/**
 * td_session_destroy() - free a session
 * @session: ended and swept; RCU readers may still look at it
 */
void td_session_destroy(struct td_session *session)
{
	call_rcu(&session->rcu, td_session_put_rcu);
	td_probe_put();
}

/**
 * td_session_make() - a session that follows a task, with the probes that it needs
 * @list: the descriptor's sessions
 * @attach: what is asked for
 * @task: the task, or any of the process
 *
 * Return: the session, not counting yet, or a negative errno as in the ABI.
 */
struct td_session *td_session_make(struct td_sessions *list,
				   const struct topdown_attach *attach,
				   struct task_struct *task)
{
	struct td_session *session;
	int ret;

	ret = td_probe_get();
	if (ret)
		return ERR_PTR(ret);
	session = td_session_create(list, attach);
	if (!session) {
		td_probe_put();
		return ERR_PTR(-ENOMEM);
	}
	ret = td_follow_attach(session, task, session->process);
	if (!ret)
		return session;

	td_session_end(session);
	td_follow_sweep();
	td_session_destroy(session);
	return ERR_PTR(ret);
}

static void td_session_figures(struct topdown_figures *figures, const struct topdown_share *share)
{
	*figures = share->figures;
	td_figures_ratios(figures, share->nodes);
}

/**
 * td_session_read() - what it has, and what has become of it
 * @session: the session; nobody resets it meanwhile
 * @read: written
 */
void td_session_read(struct td_session *session, struct topdown_session *read)
{
	struct topdown_share sum[TOPDOWN_NR_KINDS], all;

	/*
	 * The state first: after the last task has exited nothing is added, unless another
	 * CPU had looked at @counting already: an exited thread is credited until it dies.
	 */
	td_follow_lock();
	td_session_told(session);
	read->out_state = session->map->state;
	read->out_flags = session->map->flags;
	read->out_tasks = session->map->tasks;
	td_follow_unlock();

	read->out_time_ns = ktime_get_ns();
	td_share_since(session->map, sum);
	td_share_all(sum, &all);
	read->out_switches = all.switches;
	read->out_merged_ns = all.merged_ns;
	read->out_level = all.level;
	read->out_source = all.source;
	td_session_figures(&read->out_figures, &all);
	td_session_figures(&read->out_core_figures, &sum[TOPDOWN_KIND_CORE]);
	td_session_figures(&read->out_atom_figures, &sum[TOPDOWN_KIND_ATOM]);
}

/**
 * td_session_enable() - count from now on, or nothing more
 * @session: the session; just counted until now
 * @enable: count
 */
void td_session_enable(struct td_session *session, bool enable)
{
	td_follow_lock();
	session->enabled = enable;
	/* What the caller says now is what counts. */
	session->on_exec = false;
	td_session_update(session);
	td_follow_unlock();
}

/**
 * td_session_reset() - the figures begin anew
 * @session: the session, one caller at a time; just counted until now
 */
void td_session_reset(struct td_session *session)
{
	struct topdown_share sum[TOPDOWN_NR_KINDS];

	td_follow_lock();
	td_share_begin(session->map);
	td_follow_unlock();
	td_share_sum(session->map, sum);
	td_follow_lock();
	td_share_reset(session->map, sum);
	td_follow_unlock();
}
