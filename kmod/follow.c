// SPDX-License-Identifier: GPL-2.0
/*
 * Followed tasks: whose slots are those that a CPU counts.
 *
 * A CPU has an owner: the followed task that runs there now, or NULL.
 * When the scheduler takes it away, or gives the CPU to a followed task, the
 * window is folded, and what was counted since the last fold is credited to
 * the owner's sessions; so do all other folds.  Each CPU credits what it
 * counted itself, with interrupts off.
 *
 * Locks: td_tasks_lock protects the table, the links from tasks to sessions
 * and the settings of sessions.  It is taken in probes, but never in that of
 * the switches, where the scheduler holds its run queue.  What runs with
 * interrupts off may look at the table, tasks and sessions without it, since
 * all of them are freed after an RCU grace period.
 */
#include <linux/cpu.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "follow.h"
#include "session.h"
#include "task.h"
#include "window.h"

/* Folds that may follow each other at once, if there were few before. */
#define TD_FOLD_BURST_NS	(8 * TD_FOLD_MIN_NS)

/* Not in td_windows: each switch of the machine asks, and this is one instruction. */
DEFINE_PER_CPU(struct td_task *, td_owner);

static void td_follow_work(struct work_struct *work);
static DECLARE_WORK(td_follow_worker, td_follow_work);

static void td_follow_kicked(struct irq_work *work)
{
	schedule_work(&td_follow_worker);
}

/* A probe may hold locks that queueing work takes. */
static DEFINE_IRQ_WORK(td_follow_kicker, td_follow_kicked);

/**
 * td_follow_kick() - have dead tasks swept and spares made, soon
 */
void td_follow_kick(void)
{
	irq_work_queue(&td_follow_kicker);
}

/**
 * td_follow_lock() - keep sessions' settings and tasks as they are
 */
void td_follow_lock(void)
	__acquires(&td_tasks_lock)
{
	raw_spin_lock_irq(&td_tasks_lock);
}

/**
 * td_follow_unlock() - undo td_follow_lock()
 */
void td_follow_unlock(void)
	__releases(&td_tasks_lock)
{
	raw_spin_unlock_irq(&td_tasks_lock);
}

/**
 * td_follow_assert_locked() - complain unless td_follow_lock() is in force
 */
void td_follow_assert_locked(void)
{
	lockdep_assert_held(&td_tasks_lock);
}

static void td_task_credit(const struct td_task *entry, const struct td_window *window,
			   u64 ran_ns, const struct topdown_figures *part)
{
	struct td_credit credit = {
		.ran_ns		= ran_ns,
		.merged_ns	= !part && window->open ? ran_ns : 0,
		.part		= part,
		.kind		= window->kind,
	};
	unsigned int i, nr = td_task_slots(entry);
	const struct td_session *session;

	/* Without an open window these are being changed perhaps. */
	if (part) {
		credit.level = window->level;
		credit.nodes = window->nodes;
		credit.source = window->source;
	}
	for (i = 0; i < nr; i++) {
		session = td_task_session(entry, i);
		if (session)
			td_session_credit(session, &credit);
	}
}

static void td_task_switched(const struct td_task *entry)
{
	unsigned int i, nr = td_task_slots(entry);
	const struct td_session *session;

	for (i = 0; i < nr; i++) {
		session = td_task_session(entry, i);
		if (session)
			td_session_switched(session);
	}
}

/**
 * td_follow_credit() - a window has been folded: credit the part to its owner
 * @window: of this CPU, interrupts off; just folded
 * @part: what it counted since the fold before
 *
 * A part in which the owner changed without a fold is nobody's.
 */
void td_follow_credit(struct td_window *window, const struct topdown_figures *part)
{
	u64 ran = window->folded - window->since;
	bool merged = window->merged;

	lockdep_assert_irqs_disabled();
	window->since = window->folded;
	window->merged = false;
	if (this_cpu_read(td_owner))
		td_task_credit(this_cpu_read(td_owner), window, ran, merged ? NULL : part);
}

/* Only the time: the slots will be nobody's, or are not counted here at all. */
static void td_follow_time(struct td_window *window, u64 now)
{
	lockdep_assert_irqs_disabled();
	if (this_cpu_read(td_owner))
		td_task_credit(this_cpu_read(td_owner), window, now - window->since, NULL);
	window->since = now;
}

/*
 * May there be a fold at @now?  One in TD_FOLD_MIN_NS, and as many at once as
 * have been saved up: a task that wakes up for an instant has two close to each
 * other, and is to be measured all the same.
 */
static bool td_follow_may_fold(struct td_window *window, u64 now)
{
	if (now + TD_FOLD_BURST_NS < window->due)
		return false;
	window->due = max(window->due, now) + TD_FOLD_MIN_NS;
	return true;
}

/* The CPU goes over from its owner to @next, either of which may be NULL. */
static void td_follow_turn(struct td_window *window, struct td_task *next, bool force)
{
	u64 now = local_clock();

	lockdep_assert_irqs_disabled();
	if (window->open && (force || td_follow_may_fold(window, now))) {
		td_window_fold(window, false);
	} else {
		/* A CPU without counters has no slots to give. */
		window->merged = window->open;
		td_follow_time(window, now);
	}
	/* Pairs with READ_ONCE() in td_follow_runs(). */
	this_cpu_write(td_owner, next);
	if (window->open && !window->merged)
		window->since = window->folded;
}

/* Do both have the same sessions?  Then it is all one whose slots they are. */
static bool td_task_alike(const struct td_task *a, const struct td_task *b)
{
	unsigned int i;

	if (READ_ONCE(a->nr) != READ_ONCE(b->nr))
		return false;
	for (i = 0; i < READ_ONCE(a->nr); i++) {
		if (td_task_session(a, i) != td_task_session(b, i))
			return false;
	}
	return true;
}

/*
 * A task has run for the last time.  The scheduler holds locks here, so that all
 * that can be done is to have it swept; but nobody shall find it when there is
 * another task at its address.
 */
static void td_follow_dead(struct td_task *entry)
{
	/* Pairs with READ_ONCE() in td_task_find() and td_follow_sweep_bucket(). */
	WRITE_ONCE(entry->task, NULL);
	td_follow_kick();
}

static noinline void td_follow_switch(struct td_task *next, bool dead)
{
	struct td_window *window = this_cpu_ptr(td_windows);
	struct td_task *owner = this_cpu_read(td_owner);

	if (next && owner && td_task_alike(next, owner))
		/* Pairs with READ_ONCE() in td_follow_runs(). */
		this_cpu_write(td_owner, next);
	else
		td_follow_turn(window, next, false);
	if (next)
		td_task_switched(next);
	if (owner && dead)
		td_follow_dead(owner);
}

/**
 * td_probe_sched_switch() - probe: this CPU goes over to another task
 * @data: not used
 * @preempt: not used
 * @prev: not used: what ran is known
 * @next: what runs now
 * @prev_state: state of @prev
 *
 * Every switch of the machine comes here while there is a session, so it has to
 * be short for tasks that nobody follows.
 */
void notrace td_probe_sched_switch(void *data, bool preempt, struct task_struct *prev,
				   struct task_struct *next, unsigned int prev_state)
{
	struct td_task *entry;

	/* Pairs with hlist_add_head_rcu(); mostly that is all. */
	if (likely(!READ_ONCE(td_task_bucket(next)->first) && !this_cpu_read(td_owner)))
		return;
	entry = td_task_find(next);
	if (entry || this_cpu_read(td_owner))
		td_follow_switch(entry, prev_state & TASK_DEAD);
}

/* On each CPU after the table has changed: whose is it now? */
static void td_follow_resync(void *unused)
{
	struct td_window *window = this_cpu_ptr(td_windows);
	struct td_task *entry = td_task_find(current);

	if (entry || this_cpu_read(td_owner))
		td_follow_turn(window, entry, true);
}

/*
 * No CPU may come or go: one that is not asked must not have an owner.  It has
 * none once it is offline, since its idle task is not followed.
 */
static void td_follow_resync_all(void)
{
	cpus_read_lock();
	on_each_cpu(td_follow_resync, NULL, 1);
	cpus_read_unlock();
}

/* Count until now what this CPU has for its owner. */
static void td_follow_fold_this(struct td_window *window)
{
	if (!this_cpu_read(td_owner))
		return;
	if (window->open)
		td_window_fold(window, false);
	else
		td_follow_time(window, local_clock());
}

static void td_follow_fresh_this(void *unused)
{
	td_follow_fold_this(this_cpu_ptr(td_windows));
}

/* Does a task of the session run there?  Without preemption, so under RCU. */
static bool td_follow_runs(int cpu, void *data)
{
	const struct td_task *owner;
	unsigned int i, nr;

	/* Pairs with this_cpu_write() in td_follow_turn() and td_follow_switch(). */
	owner = READ_ONCE(per_cpu(td_owner, cpu));
	if (!owner)
		return false;
	nr = td_task_slots(owner);
	for (i = 0; i < nr; i++) {
		if (td_task_session(owner, i) == data)
			return true;
	}
	return false;
}

/**
 * td_follow_fresh() - count until now what the tasks of a session use
 * @session: the session; one interrupt to each CPU that they run on
 */
void td_follow_fresh(struct td_session *session)
{
	on_each_cpu_cond(td_follow_runs, td_follow_fresh_this, session, 1);
}

/*
 * Link one task that exists: as td_task_link(), and 0 for one that exits.  The
 * exit probe looks at the table after the task was marked, and here the mark is
 * looked at after the table was changed, so one of the two sees the other.
 */
static int td_follow_link(struct task_struct *task, struct td_session *session,
			  struct td_task **removed)
{
	struct td_task *entry;
	int ret;

	lockdep_assert_held(&td_tasks_lock);
	ret = td_task_link(task, session);
	if (ret <= 0)
		return ret;
	/* Pairs with smp_mb() in td_follow_exit(). */
	smp_mb();
	if (!(READ_ONCE(task->flags) & PF_EXITING))
		return ret;

	entry = td_task_find(task);
	/* One that was there before is left to its probe. */
	if (entry->nr == 1)
		td_task_remove(entry, removed);
	return 0;
}

/* All threads there are: how many are new, or an errno as of td_task_link(). */
static int td_follow_link_process(struct task_struct *task, struct td_session *session,
				  struct td_task **removed)
{
	struct task_struct *thread;
	int ret = 0, found = 0;

	rcu_read_lock();
	/* for_each_thread(), which asks lockdep for a lock that is not exported. */
	list_for_each_entry_rcu(thread, &task->signal->thread_head, thread_node) {
		td_follow_lock();
		ret = td_follow_link(thread, session, removed);
		td_follow_unlock();
		if (ret < 0)
			break;
		found += ret;
	}
	rcu_read_unlock();
	return ret < 0 ? ret : found;
}

static int td_follow_link_thread(struct task_struct *task, struct td_session *session,
				 struct td_task **removed)
{
	int ret;

	td_follow_lock();
	ret = td_follow_link(task, session, removed);
	td_follow_unlock();
	return ret;
}

/**
 * td_follow_attach() - follow tasks for a session
 * @session: new, and not counting yet
 * @task: a thread, or any of a process
 * @process: all threads of it
 *
 * On return no CPU has anything that was counted before.
 *
 * A thread that is not followed when it makes another is followed no earlier
 * than the other is in the list of threads, so when a look at that list finds
 * nothing new, all are followed and bring with them what they make.
 *
 * Return: 0, -ESRCH if all have exited, -ENOSPC or -ENOMEM; on failure the caller
 * lets td_follow_sweep() take away what was linked.
 */
int td_follow_attach(struct td_session *session, struct task_struct *task, bool process)
{
	struct td_task *removed = NULL;
	int ret;

	do {
		ret = process ? td_follow_link_process(task, session, &removed) :
				td_follow_link_thread(task, session, &removed);
		if (ret == -EAGAIN)
			ret = td_spares_fill() ? -ENOMEM : 1;
		/* Pairs with smp_mb() in td_follow_new(). */
		smp_mb();
	} while (process ? ret > 0 : ret > 0 && !td_session_has_tasks(session));

	td_follow_resync_all();
	td_task_free(removed);
	if (ret < 0)
		return ret;
	return td_session_has_tasks(session) ? 0 : -ESRCH;
}

static void td_follow_inherit(struct td_task *parent, struct task_struct *task)
{
	bool thread = same_thread_group(current, task);
	struct td_session *session;
	unsigned int i;

	lockdep_assert_held(&td_tasks_lock);
	for (i = 0; i < parent->nr; i++) {
		session = parent->session[i];
		if (session && td_session_inherits(session, thread) &&
		    td_task_link(task, session) < 0)
			td_session_missed(session);
	}
}

/**
 * td_follow_new() - probe: the running task has made another
 * @task: the other, which has not run yet
 */
void td_follow_new(struct task_struct *task)
{
	struct td_task *parent;
	unsigned long flags;

	/* After it was put into the list of threads; pairs with td_follow_attach(). */
	smp_mb();
	local_irq_save(flags);
	if (td_task_find(current)) {
		raw_spin_lock(&td_tasks_lock);
		/* It may have been swept meanwhile. */
		parent = td_task_find(current);
		if (parent)
			td_follow_inherit(parent, task);
		raw_spin_unlock(&td_tasks_lock);
	}
	local_irq_restore(flags);
}

/**
 * td_follow_exec() - probe: the running task executes another program
 * @task: it
 * @secure: it gained rights by it
 */
void td_follow_exec(struct task_struct *task, bool secure)
{
	struct td_task *entry;
	unsigned long flags;
	unsigned int i;

	local_irq_save(flags);
	if (!td_task_find(task))
		goto out;

	/* What it did before is counted before anything changes. */
	td_follow_fold_this(this_cpu_ptr(td_windows));
	raw_spin_lock(&td_tasks_lock);
	entry = td_task_find(task);
	for (i = 0; entry && i < entry->nr; i++) {
		if (entry->session[i])
			td_session_exec(entry->session[i], secure);
	}
	if (entry && secure)
		td_follow_kick();
	raw_spin_unlock(&td_tasks_lock);
out:
	local_irq_restore(flags);
}

/**
 * td_follow_exit() - probe: the running task exits
 * @task: it; marked as exiting
 *
 * From here on it is none of its sessions' tasks, so that these are up to date
 * before anybody is told of the exit.  Those that have other tasks get what it
 * uses until it has gone for good: in a storm of short threads that is much.
 */
void td_follow_exit(struct task_struct *task)
{
	struct td_task *entry;
	unsigned long flags;

	/* After the mark; pairs with smp_mb() in td_follow_link(). */
	smp_mb();
	local_irq_save(flags);
	if (td_task_find(task)) {
		/*
		 * It was linked a moment ago perhaps, and this CPU does not know yet.
		 * It must: only the owner is forgotten when it dies.
		 */
		td_follow_resync(NULL);
		raw_spin_lock(&td_tasks_lock);
		/* It may have been swept meanwhile. */
		entry = td_task_find(task);
		if (entry)
			td_task_leave(entry);
		raw_spin_unlock(&td_tasks_lock);
	}
	local_irq_restore(flags);
}

static void td_follow_sweep_bucket(struct hlist_head *bucket, struct td_task **removed,
				   struct td_task **dead)
{
	struct hlist_node *next;
	struct td_task *entry;

	td_follow_lock();
	hlist_for_each_entry_safe(entry, next, bucket, node) {
		/* Pairs with WRITE_ONCE() in td_follow_dead(). */
		if (!READ_ONCE(entry->task))
			td_task_remove(entry, dead);
		else if (td_task_prune(entry))
			td_task_remove(entry, removed);
	}
	td_follow_unlock();
}

/**
 * td_follow_sweep() - forget dead tasks, and take sessions that are over from all
 *
 * Nothing is linked to such a session any more, so each bucket is looked at once.
 */
void td_follow_sweep(void)
{
	struct td_task *removed = NULL, *dead = NULL;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(td_tasks); i++) {
		/* Pairs with hlist_add_head_rcu() of a task that is of no interest. */
		if (READ_ONCE(td_tasks[i].first))
			td_follow_sweep_bucket(&td_tasks[i], &removed, &dead);
	}
	/* They were owners until they died, and no longer. */
	td_task_free(dead);
	if (removed)
		td_follow_resync_all();
	td_task_free(removed);
}

/* What a probe has asked for. */
static void td_follow_work(struct work_struct *work)
{
	td_follow_sweep();
	/* Without memory new tasks will be missed, and the sessions say so. */
	td_spares_fill();
}

/**
 * td_follow_start() - get ready for the first session
 *
 * Return: 0 or -ENOMEM.
 */
int td_follow_start(void)
{
	int ret = td_spares_fill();

	if (ret)
		td_spares_free();
	return ret;
}

/**
 * td_follow_stop() - after the last session: no task is left, no probe runs
 */
void td_follow_stop(void)
{
	irq_work_sync(&td_follow_kicker);
	cancel_work_sync(&td_follow_worker);
	td_spares_free();
}
