// SPDX-License-Identifier: GPL-2.0
/*
 * The session list of a descriptor: make sessions, look them up, wait for them, end them.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "attach.h"
#include "compat.h"
#include "follow.h"
#include "metrics.h"
#include "quota.h"
#include "session.h"
#include "session-list.h"
#include "share.h"

#define TD_SESSIONS_MAX		1024

/* Size as first released; struct topdown_session may grow at its end. */
#define TD_SESSION_SIZE_VER0	888

/*
 * Is this, of which nothing is read, the pid of a process?  No function that is exported says where
 * a pidfd has it.  So the first one that is found proves it.
 */
static bool td_session_list_is_pid(const struct pid *pid)
{
	static bool proven;
	struct task_struct *task;
	bool found = false;

	/* Pairs with WRITE_ONCE() below; whoever sees it late looks once more. */
	if (READ_ONCE(proven))
		return true;
	rcu_read_lock();
	for_each_process(task) {
		found = task_tgid(task) == pid;
		if (found)
			break;
	}
	rcu_read_unlock();
	if (found)
		WRITE_ONCE(proven, true);
	return found;
}

/* The pid of a pidfd, with a reference, or an errno as a pointer. */
static struct pid *td_session_list_pidfd(int fd)
{
	struct file *file = fget(fd);
	struct pid *pid;

	if (!file)
		return ERR_PTR(-EBADF);
	pid = td_compat_pidfd_pid(file);
	if (!pid)
		pid = ERR_PTR(-EBADF);
	else if (!td_session_list_is_pid(pid))
		pid = ERR_PTR(-ESRCH);
	else
		get_pid(pid);
	fput(file);
	return pid;
}

/* The task that a command names, with a reference, or an errno as a pointer. */
static struct task_struct *td_session_list_task(const struct topdown_attach *attach)
{
	bool pidfd = attach->flags & TOPDOWN_ATTACH_PIDFD;
	bool thread = attach->flags & TOPDOWN_ATTACH_THREAD;
	struct task_struct *task;
	struct pid *pid;

	if (!pidfd && !attach->pid)
		return get_task_struct(current);
	pid = pidfd ? td_session_list_pidfd(attach->pid) : find_get_pid(attach->pid);
	if (IS_ERR(pid))
		return ERR_CAST(pid);
	if (!pid)
		return ERR_PTR(-ESRCH);
	task = get_pid_task(pid, thread ? PIDTYPE_PID : PIDTYPE_TGID);
	put_pid(pid);
	return task ? task : ERR_PTR(-ESRCH);
}

static int td_session_list_check(const struct topdown_attach *attach)
{
	__u32 flags = attach->flags;

	if (flags & ~TD_ATTACH_FLAGS)
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

/* Make a session that follows the task and does not count yet. */
static struct td_session *td_session_list_make(struct td_session_list *list,
					       const struct topdown_attach *attach,
					       struct task_struct *task)
{
	struct td_user *user = td_quota_get(TD_SESSION);
	struct td_session *session;
	int ret;

	if (IS_ERR(user))
		return ERR_CAST(user);
	/* Its tasks may leave while others are still attached, so also if that fails in the end. */
	list->used = true;
	session = td_session_create(&list->news, attach, user);
	if (!session) {
		td_quota_put(user, TD_SESSION);
		return ERR_PTR(-ENOMEM);
	}
	ret = td_attach_begin(session, task);
	if (!ret)
		return session;

	td_session_end(session);
	td_attach_end(session);
	td_session_destroy(session);
	return ERR_PTR(ret);
}

static int td_session_list_add(struct td_session_list *list, const struct topdown_attach *attach,
			       struct task_struct *task)
{
	struct td_session *session;
	int ret;

	lockdep_assert_held(&list->lock);
	if (list->nr >= TD_SESSIONS_MAX || list->last == U32_MAX)
		return -ENOSPC;
	/* Reserve first, so that nothing can fail once the session exists. */
	ret = xa_reserve(&list->sessions, list->last + 1, GFP_KERNEL_ACCOUNT);
	if (ret)
		return ret;
	session = td_session_list_make(list, attach, task);
	if (IS_ERR(session)) {
		xa_release(&list->sessions, list->last + 1);
		return PTR_ERR(session);
	}
	session->id = ++list->last;
	session->map->session = session->id;
	xa_store(&list->sessions, session->id, session, GFP_KERNEL_ACCOUNT);
	/* Pairs with READ_ONCE() in td_session_list_poll(). */
	WRITE_ONCE(list->nr, list->nr + 1);
	td_session_begin(session);
	return 0;
}

/**
 * td_session_list_follow() - make a session, whoever may do so
 * @list: session list
 * @attach: what TOPDOWN_ATTACH asks for, without the task; out_session is written
 * @task: the task
 *
 * Return: 0 or a negative errno as in the ABI.
 */
int td_session_list_follow(struct td_session_list *list, struct topdown_attach *attach,
			   struct task_struct *task)
{
	int ret;

	mutex_lock(&list->lock);
	ret = td_session_list_add(list, attach, task);
	attach->out_session = list->last;
	mutex_unlock(&list->lock);
	return ret;
}

/*
 * As in perf, CAP_PERFMON is needed to follow another process.  perf also accepts a caller
 * who may trace the process, but no module can check that.
 */
static int td_session_list_allowed(struct task_struct *task)
{
	if (task->flags & PF_KTHREAD)
		return -EOPNOTSUPP;
	if (same_thread_group(task, current))
		return 0;
	return perfmon_capable() ? td_compat_allow_kernel() : -EACCES;
}

/**
 * td_session_list_attach() - TOPDOWN_ATTACH
 * @list: session list of the descriptor
 * @attach: the argument
 *
 * Return: 0 or a negative errno as in the ABI.
 */
int td_session_list_attach(struct td_session_list *list, struct topdown_attach *attach)
{
	struct task_struct *task;
	int ret;

	ret = td_session_list_check(attach);
	if (ret)
		return ret;
	task = td_session_list_task(attach);
	if (IS_ERR(task))
		return PTR_ERR(task);

	ret = td_session_list_allowed(task);
	if (!ret)
		ret = td_session_list_follow(list, attach, task);
	put_task_struct(task);
	return ret;
}

static void td_session_list_remove(struct td_session_list *list, struct td_session *session)
{
	lockdep_assert_held(&list->lock);
	td_session_end(session);
	xa_erase(&list->sessions, session->id);
	/* Pairs with READ_ONCE() in td_session_list_poll(). */
	WRITE_ONCE(list->nr, list->nr - 1);
	/* Without the right to windows, poll() has nothing to wait for now. */
	if (!list->nr)
		wake_up_interruptible_poll(&list->wait, EPOLLERR);
	td_attach_end(session);
	td_session_destroy(session);
}

/**
 * td_session_list_detach() - undo TOPDOWN_ATTACH
 * @list: session list of the descriptor
 * @id: number of the session; another thread may have detached it already
 */
void td_session_list_detach(struct td_session_list *list, u32 id)
{
	struct td_session *session;

	mutex_lock(&list->lock);
	session = xa_load(&list->sessions, id);
	if (session)
		td_session_list_remove(list, session);
	mutex_unlock(&list->lock);
}

/**
 * td_session_list_get() - find a session
 * @list: session list of the descriptor
 * @id: number of the session
 *
 * Return: the session, for td_session_put(); NULL if there is none.
 */
struct td_session *td_session_list_get(struct td_session_list *list, u32 id)
{
	struct td_session *session;

	mutex_lock(&list->lock);
	session = xa_load(&list->sessions, id);
	if (session)
		td_session_get(session);
	mutex_unlock(&list->lock);
	return session;
}

/**
 * td_session_list_read() - TOPDOWN_SESSION
 * @list: session list of the descriptor
 * @read: the argument
 *
 * Return: 0 or a negative errno as in the ABI.
 */
int td_session_list_read(struct td_session_list *list, struct topdown_session *read)
{
	struct td_session *session;

	if (read->flags & ~TD_SESSION_FLAGS)
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

/* The answer for a number without a session. */
static void td_session_list_none(struct topdown_session *read)
{
	read->out_state = TOPDOWN_SESSION_DETACHED;
	td_figures_clear(&read->out_figures);
	td_figures_clear(&read->out_core_figures);
	td_figures_clear(&read->out_atom_figures);
}

/* The numbers of the command, or of all sessions; the caller frees them. */
static u32 *td_session_list_numbers(struct td_session_list *list, struct topdown_sessions *read)
{
	unsigned int room = read->nr_sessions, nr = 0;
	struct td_session *session;
	unsigned long id;
	u32 *numbers;

	numbers = kvmalloc_array(TD_SESSIONS_MAX, sizeof(*numbers), GFP_KERNEL);
	if (!numbers)
		return ERR_PTR(-ENOMEM);
	if (read->numbers) {
		nr = read->nr_numbers;
		if (copy_from_user(numbers, u64_to_user_ptr(read->numbers), nr * sizeof(*numbers)))
			nr = 0;
	} else {
		mutex_lock(&list->lock);
		xa_for_each(&list->sessions, id, session)
			numbers[nr++] = id;
		mutex_unlock(&list->lock);
	}
	if (read->numbers && !nr) {
		kvfree(numbers);
		return ERR_PTR(-EFAULT);
	}
	read->nr_sessions = nr;
	if (nr > room) {
		kvfree(numbers);
		return ERR_PTR(-EMSGSIZE);
	}
	return numbers;
}

/* Fold for the sessions where their tasks run now, with one interrupt to each CPU. */
static int td_session_list_fresh(struct td_session_list *list, const u32 *numbers, unsigned int nr)
{
	struct td_session *session;
	cpumask_var_t cpus;
	unsigned int i;
	int cpu;

	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	mutex_lock(&list->lock);
	for (i = 0; i < nr && !fatal_signal_pending(current); i++) {
		session = xa_load(&list->sessions, numbers[i]);
		for_each_online_cpu(cpu) {
			if (session && td_session_runs_on(session, cpu))
				cpumask_set_cpu(cpu, cpus);
		}
		cond_resched();
	}
	mutex_unlock(&list->lock);
	td_follow_fresh_cpus(cpus);
	free_cpumask_var(cpus);
	return 0;
}

/* Copy an answer to the caller's array, cut or padded to its size. */
static int td_session_list_put(struct td_session_list *list, const struct topdown_sessions *read,
			       unsigned int index, struct topdown_session *answer)
{
	char __user *to = u64_to_user_ptr(read->sessions + (u64)index * read->session_size);
	size_t size = min_t(size_t, read->session_size, sizeof(*answer));
	struct td_session *session;

	answer->size = read->session_size;
	/* Released before the copy, because a page of the caller may take for ever. */
	mutex_lock(&list->lock);
	session = xa_load(&list->sessions, answer->session);
	if (session)
		td_session_read(session, answer);
	else
		td_session_list_none(answer);
	mutex_unlock(&list->lock);
	if (copy_to_user(to, answer, size) || clear_user(to + size, read->session_size - size))
		return -EFAULT;
	return 0;
}

static int td_session_list_put_all(struct td_session_list *list,
				   const struct topdown_sessions *read, const u32 *numbers)
{
	struct topdown_session *answer = kmalloc(sizeof(*answer), GFP_KERNEL);
	unsigned int i;
	int ret = 0;

	if (!answer)
		return -ENOMEM;
	for (i = 0; i < read->nr_sessions && !ret; i++) {
		*answer = (struct topdown_session){ .session = numbers[i] };
		ret = td_session_list_put(list, read, i, answer);
		cond_resched();
		/* Nobody who was killed sees the errno. */
		if (fatal_signal_pending(current))
			ret = -EINTR;
	}
	kfree(answer);
	return ret;
}

/**
 * td_session_list_read_many() - TOPDOWN_SESSIONS
 * @list: session list of the descriptor
 * @read: the argument
 *
 * Return: 0 or a negative errno as in the ABI.
 */
int td_session_list_read_many(struct td_session_list *list, struct topdown_sessions *read)
{
	u32 *numbers;
	int ret = 0;

	if (read->flags & ~TD_SESSION_FLAGS)
		return -EOPNOTSUPP;
	if (read->__reserved || !read->numbers != !read->nr_numbers ||
	    read->session_size < TD_SESSION_SIZE_VER0)
		return -EINVAL;
	if (read->session_size > PAGE_SIZE || read->nr_numbers > TD_SESSIONS_MAX)
		return -E2BIG;

	numbers = td_session_list_numbers(list, read);
	if (IS_ERR(numbers))
		return PTR_ERR(numbers);
	if (read->flags & TOPDOWN_SESSION_FRESH)
		ret = td_session_list_fresh(list, numbers, read->nr_sessions);
	if (!ret)
		ret = td_session_list_put_all(list, read, numbers);
	kvfree(numbers);
	return ret;
}

static void td_session_list_act(struct td_session_list *list, struct td_session *session,
				enum topdown_control_action action)
{
	lockdep_assert_held(&list->lock);
	/*
	 * Fold first, so that the old settings apply to slots until now.  The latencies of a
	 * session can be read after its end.
	 */
	if (action != TOPDOWN_CONTROL_DETACH || rcu_access_pointer(session->tallies))
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
		td_session_list_remove(list, session);
		break;
	}
}

/**
 * td_session_list_control() - TOPDOWN_CONTROL
 * @list: session list of the descriptor
 * @control: the argument
 *
 * Return: 0 or a negative errno as in the ABI.
 */
int td_session_list_control(struct td_session_list *list, const struct topdown_control *control)
{
	struct td_session *session;

	if (control->flags)
		return -EOPNOTSUPP;
	if (control->__reserved || control->action > TOPDOWN_CONTROL_DETACH)
		return -EINVAL;

	mutex_lock(&list->lock);
	session = xa_load(&list->sessions, control->session);
	if (session)
		td_session_list_act(list, session, control->action);
	mutex_unlock(&list->lock);
	return session ? 0 : -ENOENT;
}

/**
 * td_session_list_mmap() - map a session map
 * @list: session list of the descriptor
 * @vma: the mapping, read-only; its offset is the number of the session in pages
 *
 * Does not take the list's lock: its holders may wait for all CPUs, and the caller's address
 * space is locked here.
 *
 * Return: 0 or a negative errno as in the ABI.
 */
int td_session_list_mmap(struct td_session_list *list, struct vm_area_struct *vma)
{
	struct td_session *session;
	int ret;

	if (vma->vm_pgoff > U32_MAX)
		return -ENOENT;
	rcu_read_lock();
	session = xa_load(&list->sessions, vma->vm_pgoff);
	/* The session lives at least until the end of this RCU section. */
	if (session)
		td_session_get(session);
	rcu_read_unlock();
	if (!session)
		return -ENOENT;
	ret = td_share_mmap(session->map, vma);
	td_session_put(session);
	return ret;
}

/**
 * td_session_list_poll() - has a session ended that was not read since?
 * @list: session list of the descriptor
 * @filp: the file
 * @table: poll table of the caller
 *
 * Return: EPOLLPRI if so; EPOLLERR if there is no session at all.
 */
__poll_t td_session_list_poll(struct td_session_list *list, struct file *filp, poll_table *table)
{
	poll_wait(filp, &list->wait, table);
	/* Pairs with WRITE_ONCE() in td_session_list_add() and td_session_list_remove(). */
	if (!READ_ONCE(list->nr))
		return EPOLLERR;
	return td_news_any(&list->news) ? EPOLLPRI : 0;
}

static void td_session_list_wake(struct irq_work *work)
{
	struct td_session_list *list = container_of(work, struct td_session_list, news.wake);

	wake_up_interruptible_poll(&list->wait, EPOLLPRI);
}

/**
 * td_session_list_init() - prepare an empty session list
 * @list: the list, zeroed
 */
void td_session_list_init(struct td_session_list *list)
{
	mutex_init(&list->lock);
	xa_init(&list->sessions);
	init_waitqueue_head(&list->wait);
	init_irq_work(&list->news.wake, td_session_list_wake);
}

/**
 * td_session_list_stop() - end all sessions
 * @list: the list, which nobody uses any more
 */
void td_session_list_stop(struct td_session_list *list)
{
	struct td_session *session;
	unsigned long id;

	xa_for_each(&list->sessions, id, session) {
		td_session_end(session);
		td_attach_end(session);
		td_session_destroy(session);
	}
	/*
	 * No session is left to queue it again.  With PREEMPT_RT this takes a grace period of
	 * RCU, so a descriptor for which none was ever made does without.
	 */
	if (list->used)
		irq_work_sync(&list->news.wake);
	xa_destroy(&list->sessions);
	mutex_destroy(&list->lock);
}
