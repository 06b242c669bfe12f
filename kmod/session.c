// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: what the tasks of a descriptor's interest have used.
 *
 * A reader adds up what all CPUs have of a session (share.c), and takes off what
 * there was at the last reset.
 */
#include <linux/err.h>
#include <linux/file.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat.h"
#include "follow.h"
#include "metrics.h"
#include "probe.h"
#include "session.h"
#include "share.h"

#define TD_SESSIONS_MAX		1024

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
	struct td_sessions *list = session->list;

	td_session_update(session);
	if (session->gone || session->news)
		return;
	session->news = true;
	/* Pairs with READ_ONCE() in td_sessions_poll(). */
	WRITE_ONCE(list->news, list->news + 1);
	irq_work_queue(&list->wake);
}

static void td_session_told(struct td_session *session)
{
	td_follow_assert_locked();
	if (!session->news)
		return;
	session->news = false;
	/* Pairs with READ_ONCE() in td_sessions_poll(). */
	WRITE_ONCE(session->list->news, session->list->news - 1);
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

static void td_session_put_rcu(struct rcu_head *rcu)
{
	struct td_session *session = container_of(rcu, struct td_session, rcu);

	kref_put(&session->ref, td_session_free);
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

/* Its tasks are there: count, from now on. */
static void td_session_begin(struct td_session *session)
{
	td_follow_lock();
	session->attached = true;
	td_session_update(session);
	td_session_leave(session);
	td_follow_unlock();
}

/* Nothing is counted or linked any more; td_session_destroy() has to follow. */
static void td_session_end(struct td_session *session)
{
	td_follow_lock();
	td_session_told(session);
	session->gone = true;
	td_session_update(session);
	td_follow_unlock();
}

/* After a sweep. */
static void td_session_destroy(struct td_session *session)
{
	call_rcu(&session->rcu, td_session_put_rcu);
	td_probe_put();
}

static void td_session_figures(struct topdown_figures *figures, const struct topdown_share *share)
{
	*figures = share->figures;
	td_figures_ratios(figures, share->nodes);
}

static void td_session_read(struct td_session *session, struct topdown_session *read)
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

static struct pid *td_sessions_pidfd(int fd)
{
	struct file *file = fget(fd);
	struct pid *pid;

	if (!file)
		return NULL;
	pid = td_compat_pidfd_pid(file);
	fput(file);
	return pid;
}

/* The task of a command, with a reference, or an errno. */
static struct task_struct *td_sessions_task(const struct topdown_attach *attach)
{
	bool pidfd = attach->flags & TOPDOWN_ATTACH_PIDFD;
	bool thread = attach->flags & TOPDOWN_ATTACH_THREAD;
	struct task_struct *task;
	struct pid *pid;

	if (!pidfd && !attach->pid)
		return get_task_struct(current);
	pid = pidfd ? td_sessions_pidfd(attach->pid) : find_get_pid(attach->pid);
	if (!pid)
		return ERR_PTR(pidfd ? -EBADF : -ESRCH);
	task = get_pid_task(pid, thread ? PIDTYPE_PID : PIDTYPE_TGID);
	put_pid(pid);
	return task ? task : ERR_PTR(-ESRCH);
}

static int td_sessions_check(const struct topdown_attach *attach)
{
	__u32 flags = attach->flags;

	if (flags & ~TOPDOWN_ATTACH_FLAGS)
		return -EOPNOTSUPP;
	if (attach->out_session || attach->__reserved)
		return -EINVAL;
	if ((flags & TOPDOWN_ATTACH_THREAD) &&
	    (flags & (TOPDOWN_ATTACH_CHILDREN | TOPDOWN_ATTACH_PIDFD)))
		return -EINVAL;
	if ((flags & TOPDOWN_ATTACH_ON_EXEC) && !(flags & TOPDOWN_ATTACH_DISABLED))
		return -EINVAL;
	if (!(flags & TOPDOWN_ATTACH_PIDFD) && attach->pid < 0)
		return -EINVAL;
	return 0;
}

/* A session that follows @task, with the probes that it needs. */
static struct td_session *td_session_make(struct td_sessions *list,
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

static int td_sessions_add(struct td_sessions *list, const struct topdown_attach *attach,
			   struct task_struct *task)
{
	struct td_session *session;
	int ret;

	lockdep_assert_held(&list->lock);
	if (list->nr >= TD_SESSIONS_MAX || list->last == U32_MAX)
		return -ENOSPC;
	/* So that nothing can fail when it is made. */
	ret = xa_reserve(&list->sessions, list->last + 1, GFP_KERNEL_ACCOUNT);
	if (ret)
		return ret;
	session = td_session_make(list, attach, task);
	if (IS_ERR(session)) {
		xa_release(&list->sessions, list->last + 1);
		return PTR_ERR(session);
	}
	session->id = ++list->last;
	session->map->session = session->id;
	xa_store(&list->sessions, session->id, session, GFP_KERNEL_ACCOUNT);
	/* Pairs with READ_ONCE() in td_sessions_poll(). */
	WRITE_ONCE(list->nr, list->nr + 1);
	td_session_begin(session);
	return 0;
}

/**
 * td_sessions_attach() - TOPDOWN_ATTACH
 * @list: of the descriptor
 * @may_read: it may see whole CPUs, and so other processes
 * @attach: the argument
 *
 * Return: 0 or a negative errno as in the ABI.
 */
int td_sessions_attach(struct td_sessions *list, bool may_read, struct topdown_attach *attach)
{
	struct task_struct *task;
	int ret;

	ret = td_sessions_check(attach);
	if (ret)
		return ret;
	task = td_sessions_task(attach);
	if (IS_ERR(task))
		return PTR_ERR(task);

	ret = -EACCES;
	if (may_read || same_thread_group(task, current)) {
		mutex_lock(&list->lock);
		ret = td_sessions_add(list, attach, task);
		attach->out_session = list->last;
		mutex_unlock(&list->lock);
	}
	put_task_struct(task);
	return ret;
}

static void td_sessions_remove(struct td_sessions *list, struct td_session *session)
{
	lockdep_assert_held(&list->lock);
	td_session_end(session);
	xa_erase(&list->sessions, session->id);
	/* Pairs with READ_ONCE() in td_sessions_poll(). */
	WRITE_ONCE(list->nr, list->nr - 1);
	/* Who may not wait for windows has nothing to wait for now. */
	if (!list->nr)
		wake_up_interruptible_poll(&list->wait, EPOLLERR);
	td_follow_sweep();
	td_session_destroy(session);
}

/**
 * td_sessions_detach() - take back a TOPDOWN_ATTACH
 * @list: of the descriptor
 * @id: number of the session; another thread may have detached it
 */
void td_sessions_detach(struct td_sessions *list, u32 id)
{
	struct td_session *session;

	mutex_lock(&list->lock);
	session = xa_load(&list->sessions, id);
	if (session)
		td_sessions_remove(list, session);
	mutex_unlock(&list->lock);
}

/**
 * td_sessions_read() - TOPDOWN_SESSION
 * @list: of the descriptor
 * @read: the argument
 *
 * Return: 0 or a negative errno as in the ABI.
 */
int td_sessions_read(struct td_sessions *list, struct topdown_session *read)
{
	struct td_session *session;

	if (read->flags & ~TOPDOWN_SESSION_FLAGS)
		return -EOPNOTSUPP;
	if (memchr_inv(&read->out_state, 0,
		       sizeof(*read) - offsetof(struct topdown_session, out_state)))
		return -EINVAL;

	mutex_lock(&list->lock);
	session = xa_load(&list->sessions, read->session);
	if (session) {
		if (read->flags & TOPDOWN_SESSION_FRESH)
			td_follow_fresh(session);
		td_session_read(session, read);
	}
	mutex_unlock(&list->lock);
	return session ? 0 : -ENOENT;
}

static void td_session_enable(struct td_session *session, bool enable)
{
	td_follow_lock();
	session->enabled = enable;
	/* What the caller says now is what counts. */
	session->on_exec = false;
	td_session_update(session);
	td_follow_unlock();
}

static void td_session_reset(struct td_session *session)
{
	struct topdown_share sum[TOPDOWN_NR_KINDS];

	td_share_sum(session->map, sum);
	td_follow_lock();
	td_share_reset(session->map, sum);
	td_follow_unlock();
}

static void td_sessions_act(struct td_sessions *list, struct td_session *session,
			    enum topdown_control_action action)
{
	lockdep_assert_held(&list->lock);
	/* What was until now is counted, or not, by the old settings. */
	if (action != TOPDOWN_CONTROL_DETACH)
		td_follow_fresh(session);
	switch (action) {
	case TOPDOWN_CONTROL_ENABLE:
	case TOPDOWN_CONTROL_DISABLE:
		td_session_enable(session, action == TOPDOWN_CONTROL_ENABLE);
		break;
	case TOPDOWN_CONTROL_RESET:
		td_session_reset(session);
		break;
	case TOPDOWN_CONTROL_DETACH:
		td_sessions_remove(list, session);
		break;
	}
}

/**
 * td_sessions_control() - TOPDOWN_CONTROL
 * @list: of the descriptor
 * @control: the argument
 *
 * Return: 0 or a negative errno as in the ABI.
 */
int td_sessions_control(struct td_sessions *list, const struct topdown_control *control)
{
	struct td_session *session;

	if (control->flags)
		return -EOPNOTSUPP;
	if (control->__reserved || control->action > TOPDOWN_CONTROL_DETACH)
		return -EINVAL;

	mutex_lock(&list->lock);
	session = xa_load(&list->sessions, control->session);
	if (session)
		td_sessions_act(list, session, control->action);
	mutex_unlock(&list->lock);
	return session ? 0 : -ENOENT;
}

/**
 * td_sessions_mmap() - let a process see a session
 * @list: of the descriptor
 * @vma: where; read-only, its offset the number of the session in pages
 *
 * Without the list's lock: what is done under it may wait for all CPUs, and here
 * the caller's address space is locked.
 *
 * Return: 0 or a negative errno as in the ABI.
 */
int td_sessions_mmap(struct td_sessions *list, struct vm_area_struct *vma)
{
	struct td_session *session;
	int ret;

	if (vma->vm_pgoff > U32_MAX)
		return -ENOENT;
	rcu_read_lock();
	session = xa_load(&list->sessions, vma->vm_pgoff);
	/* It lives until the end of this section at least. */
	if (session)
		kref_get(&session->ref);
	rcu_read_unlock();
	if (!session)
		return -ENOENT;
	ret = td_share_mmap(session->map, vma);
	kref_put(&session->ref, td_session_free);
	return ret;
}

/**
 * td_sessions_poll() - has a session ended that was not read since?
 * @list: of the descriptor
 * @filp: the file
 * @table: where the caller waits
 *
 * Return: EPOLLPRI if so; EPOLLERR if there is no session at all.
 */
__poll_t td_sessions_poll(struct td_sessions *list, struct file *filp, poll_table *table)
{
	poll_wait(filp, &list->wait, table);
	/* Pairs with WRITE_ONCE() in td_sessions_add() and td_sessions_remove(). */
	if (!READ_ONCE(list->nr))
		return EPOLLERR;
	/* Pairs with WRITE_ONCE() in td_session_tell(), which wakes up afterwards. */
	return READ_ONCE(list->news) ? EPOLLPRI : 0;
}

static void td_sessions_wake(struct irq_work *work)
{
	struct td_sessions *list = container_of(work, struct td_sessions, wake);

	wake_up_interruptible_poll(&list->wait, EPOLLPRI);
}

/**
 * td_sessions_init() - no sessions yet
 * @list: zeroed
 */
void td_sessions_init(struct td_sessions *list)
{
	mutex_init(&list->lock);
	xa_init(&list->sessions);
	init_waitqueue_head(&list->wait);
	init_irq_work(&list->wake, td_sessions_wake);
}

/**
 * td_sessions_stop() - end all sessions
 * @list: nobody uses it any more
 */
void td_sessions_stop(struct td_sessions *list)
{
	struct td_session *session;
	unsigned long id;

	xa_for_each(&list->sessions, id, session)
		td_session_end(session);
	/* All at once. */
	if (list->nr)
		td_follow_sweep();
	xa_for_each(&list->sessions, id, session)
		td_session_destroy(session);
	/* No session is left that could queue it again. */
	irq_work_sync(&list->wake);
	xa_destroy(&list->sessions);
	mutex_destroy(&list->lock);
}
