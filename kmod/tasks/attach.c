// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching sessions to tasks that exist.  perf lets new tasks inherit.
 *
 * A thread can be made while its process is being attached.  If its maker has an event
 * already, the thread inherits one.  If not, the thread appears in the list of threads.  So
 * the list is searched until nothing new is found, or too much.  It is searched once more a
 * moment later, because a thread appears there some time after it could have inherited.
 * Until then the session remembers the threads that have an event, so that none gets two.
 *
 * Such a thread may execute a program before the second search.  perf ends events at an exec
 * that gains rights, but this thread has none yet.  So it is not followed after any exec.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "attach.h"
#include "compat.h"
#include "follow.h"
#include "member.h"
#include "quota.h"
#include "session.h"

/* This many threads are looked up at once. */
#define TD_ATTACH_BATCH		16

/* After this time a thread that was being made is in the list of its process. */
#define TD_ATTACH_LOOK		(HZ / 10)

/* A process may make threads faster than they are found: so many more than it had at first. */
#define TD_ATTACH_MORE		1024

/* perf stays ready to follow tasks for this long after the last session. */
#define TD_ATTACH_KEEP		(5 * HZ)

/*
 * perf patches the kernel's text, with interrupts to all CPUs, when the first event of a
 * task is made, and again a second after the last one is gone.  This event avoids that for
 * each of many short sessions.
 */
static struct perf_event *td_attach_keeper;
static unsigned int td_attach_users;
/* Protects the keeper and the number of its users. */
static DEFINE_MUTEX(td_attach_mutex);

static void td_attach_drop_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(td_attach_drop, td_attach_drop_work);

static void td_attach_drop_work(struct work_struct *work)
{
	mutex_lock(&td_attach_mutex);
	if (!td_attach_users && td_attach_keeper) {
		perf_event_release_kernel(td_attach_keeper);
		td_attach_keeper = NULL;
	}
	mutex_unlock(&td_attach_mutex);
}

/*
 * The keeper is not an event of our PMU, which would prevent unloading.  It is on the worker
 * that runs this, because a worker makes no tasks.  On a task that does, an event that is
 * not inherited would keep perf from swapping the contexts of the task and its children.
 */
static void td_attach_keep_work(struct work_struct *work)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.size		= sizeof(attr),
		.config		= PERF_COUNT_SW_DUMMY,
		.disabled	= 1,
	};
	struct perf_event *event;

	mutex_lock(&td_attach_mutex);
	if (td_attach_users && !td_attach_keeper) {
		event = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
		/* Sessions also work without a keeper. */
		td_attach_keeper = IS_ERR(event) ? NULL : event;
	}
	mutex_unlock(&td_attach_mutex);
}

static DECLARE_WORK(td_attach_make, td_attach_keep_work);

static void td_attach_keep(void)
{
	bool made;

	mutex_lock(&td_attach_mutex);
	td_attach_users++;
	made = td_attach_keeper;
	mutex_unlock(&td_attach_mutex);
	if (made)
		return;
	/* Not on this CPU, where a real-time task may keep workers from running. */
	queue_work(td_compat_unbound_wq, &td_attach_make);
	flush_work(&td_attach_make);
}

static void td_attach_unkeep(void)
{
	mutex_lock(&td_attach_mutex);
	if (!--td_attach_users)
		mod_delayed_work(td_compat_percpu_wq, &td_attach_drop, TD_ATTACH_KEEP);
	mutex_unlock(&td_attach_mutex);
}

static void td_attach_release(struct td_member *member)
{
	perf_event_release_kernel(member->event);
	irq_work_sync(&member->check);
	member->event = NULL;
}

/*
 * May a thread be followed?  In the second search only if it still executes the program that it
 * did during the attach, as another program may have other rights.  During the attach no check
 * is needed: an exec waits until the attaching thread of its process has ended, and to attach to
 * another process takes CAP_PERFMON.
 */
static bool td_attach_may(const struct td_session *session, const struct task_struct *thread)
{
	lockdep_assert_held(&session->members_lock);
	/* Pairs with WRITE_ONCE() in begin_new_exec(). */
	return !session->late || READ_ONCE(thread->self_exec_id) == session->exec_id;
}

/* Make one event on a task. */
static int td_attach_event(struct td_session *session, struct task_struct *task, bool on_exec)
{
	struct td_member *member;
	struct perf_event *event;

	lockdep_assert_held(&session->members_lock);
	member = kzalloc(sizeof(*member), GFP_KERNEL_ACCOUNT);
	if (!member)
		return -ENOMEM;
	member->session = session;
	member->on_exec = on_exec;
	event = td_follow_create(member, task, on_exec);
	if (IS_ERR(event)) {
		kfree(member);
		return PTR_ERR(event);
	}
	list_add(&member->list, &session->members);
	/* Look when the event is there: of two that come at once, each sees the other. */
	if (td_follow_crowded(event, td_quota_of_task(session->user))) {
		td_attach_release(member);
		return -ENOSPC;
	}
	/*
	 * An exec that gains rights takes events away, but only those that are there.  Order the
	 * event before the look at the task; pairs with the locks that begin_new_exec() takes
	 * after it has changed self_exec_id and before it takes events away.
	 */
	smp_mb();
	if (!td_attach_may(session, task)) {
		td_attach_release(member);
		td_session_missed(session);
	}
	return 0;
}

/* Attach to one task.  Returns 0 also if the task has exited meanwhile. */
static int td_attach_task(struct td_session *session, struct task_struct *task)
{
	int ret;

	ret = td_attach_event(session, task, false);
	if (!ret && session->on_exec)
		ret = td_attach_event(session, task, true);
	/* Pairs with WRITE_ONCE() in td_session_join(). */
	if (!ret && READ_ONCE(session->unsure))
		ret = -ENOMEM;
	return ret == -ESRCH ? 0 : ret;
}

/* Attach to some threads without an event.  Returns their number, or an errno. */
static int td_attach_batch(struct td_session *session, struct task_struct *task)
{
	struct task_struct *thread, *found[TD_ATTACH_BATCH];
	bool missed = false;
	int i, n = 0, ret = 0;

	lockdep_assert_held(&session->members_lock);
	rcu_read_lock();
	/* As for_each_thread(), which checks a lock that is not exported. */
	list_for_each_entry_rcu(thread, &task->signal->thread_head, thread_node) {
		if (READ_ONCE(thread->flags) & PF_EXITING || td_session_remembers(session, thread))
			continue;
		if (!td_attach_may(session, thread)) {
			missed = true;
			continue;
		}
		found[n++] = get_task_struct(thread);
		if (n == TD_ATTACH_BATCH)
			break;
	}
	rcu_read_unlock();

	if (missed)
		td_session_missed(session);
	for (i = 0; i < n; i++) {
		if (!ret)
			ret = td_attach_task(session, found[i]);
		put_task_struct(found[i]);
	}
	return ret ? ret : n;
}

/* Attach to the threads of a process.  Returns 0, or an errno. */
static int td_attach_process(struct td_session *session, struct task_struct *task)
{
	int left = get_nr_threads(task) + TD_ATTACH_MORE, ret;

	do {
		if (fatal_signal_pending(current))
			return -EINTR;
		/* A detach waits for the second search. */
		if (td_session_over(session))
			return 0;
		ret = td_attach_batch(session, task);
		if (ret <= 0)
			return ret;
		cond_resched();
		left -= ret;
	} while (left > 0);
	td_session_missed(session);
	return 0;
}

/* Has a process a thread that does not exit? */
static bool td_attach_lives(const struct task_struct *task)
{
	const struct task_struct *thread;
	bool lives = false;

	rcu_read_lock();
	list_for_each_entry_rcu(thread, &task->signal->thread_head, thread_node) {
		lives = !(READ_ONCE(thread->flags) & PF_EXITING);
		if (lives)
			break;
	}
	rcu_read_unlock();
	return lives;
}

/* Search once more for threads that were being made. */
static void td_attach_look(struct td_session *session)
{
	lockdep_assert_held(&session->members_lock);
	if (!session->leader)
		return;
	session->late = true;
	if (!td_session_finished(session) && td_attach_process(session, session->leader))
		td_session_missed(session);
	/* No thread joins a session that has exited, which its reader may know already. */
	if (td_session_finished(session) && td_attach_lives(session->leader))
		td_session_missed(session);
	td_session_forget(session);
}

/*
 * Release the events of a session that are useless now: all of them if the session is over,
 * and those that waited for an exec if it has happened.
 */
static void td_attach_tend(struct work_struct *work)
{
	struct td_session *session = container_of(to_delayed_work(work), struct td_session, tend);
	struct td_member *member;
	bool over, waits;

	mutex_lock(&session->members_lock);
	if (!td_session_over(session))
		td_attach_look(session);
	/* After the search, because an exec does not queue this work again during the search. */
	over = td_session_over(session);
	waits = td_session_waits(session);
	list_for_each_entry(member, &session->members, list) {
		if (member->event && (over || (member->on_exec && !waits)))
			td_attach_release(member);
		cond_resched();
	}
	mutex_unlock(&session->members_lock);
}

/**
 * td_attach_begin() - let a session follow tasks
 * @session: new, and not counting yet
 * @task: a thread, or any thread of a process
 *
 * Interrupts only CPUs that run these tasks.  td_attach_end() has to follow, also after a
 * failure.
 *
 * Return: 0, -ESRCH if all tasks have exited, -ENOSPC or -ENOMEM; -EINTR if the caller is being
 * killed.
 */
int td_attach_begin(struct td_session *session, struct task_struct *task)
{
	int ret;

	INIT_DELAYED_WORK(&session->tend, td_attach_tend);
	td_attach_keep();
	mutex_lock(&session->members_lock);
	/* Pairs with WRITE_ONCE() in begin_new_exec(). */
	session->exec_id = READ_ONCE(task->self_exec_id);
	if (session->process) {
		td_session_remember(session, task);
		ret = td_attach_process(session, task);
		queue_delayed_work(td_session_wq, &session->tend, TD_ATTACH_LOOK);
	} else {
		ret = td_attach_task(session, task);
	}
	mutex_unlock(&session->members_lock);
	if (ret)
		return ret;
	return td_session_has_tasks(session) ? 0 : -ESRCH;
}

/**
 * td_attach_end() - follow no tasks any more
 * @session: is over; nothing uses its members when this returns
 */
void td_attach_end(struct td_session *session)
{
	struct td_member *member;

	irq_work_sync(&session->poke);
	cancel_delayed_work_sync(&session->tend);
	mutex_lock(&session->members_lock);
	td_session_forget(session);
	list_for_each_entry(member, &session->members, list) {
		if (member->event)
			td_attach_release(member);
		cond_resched();
	}
	mutex_unlock(&session->members_lock);
	td_attach_unkeep();
}

/**
 * td_attach_exit() - release the keeper; there will be no session any more
 */
void td_attach_exit(void)
{
	cancel_work_sync(&td_attach_make);
	cancel_delayed_work_sync(&td_attach_drop);
	td_attach_drop_work(NULL);
}
