// SPDX-License-Identifier: GPL-2.0
/*
 * The descriptor of a session: make a session, read it, control it, wait for its end.
 *
 * A session has one file that is open for writing, which ATTACH returns.  With its last copy the
 * session ends.  All other files of a session are views, which are open for reading only: they
 * keep the figures, and not the session.  A map has a view of its own, so it does not keep the
 * session either.
 */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/wait.h>

#include "attach.h"
#include "command.h"
#include "compat.h"
#include "follow.h"
#include "known.h"
#include "mapping.h"
#include "metrics.h"
#include "quota.h"
#include "session.h"
#include "session-file.h"
#include "share.h"

/* Size as first released; struct topdown_session_kind may grow at its end. */
#define TD_KIND_SIZE_VER0	440

/*
 * Is this, of which nothing is read, the pid of a process?  No function that is exported says where
 * a pidfd has it.  So the first one that is found proves it.
 */
static bool td_session_file_is_pid(const struct pid *pid)
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
static struct pid *td_session_file_pidfd(int fd)
{
	struct file *file = fget(fd);
	struct pid *pid;

	if (!file)
		return ERR_PTR(-EBADF);
	pid = td_compat_pidfd_pid(file);
	if (!pid)
		pid = ERR_PTR(-EBADF);
	else if (!td_session_file_is_pid(pid))
		pid = ERR_PTR(-ESRCH);
	else
		get_pid(pid);
	fput(file);
	return pid;
}

/* The task that a command names, with a reference, or an errno as a pointer. */
static struct task_struct *td_session_file_task(const struct topdown_attach *attach)
{
	bool pidfd = attach->flags & TOPDOWN_ATTACH_PIDFD;
	bool thread = attach->flags & TOPDOWN_ATTACH_THREAD;
	struct task_struct *task;
	struct pid *pid;

	if (!pidfd && !attach->pid)
		return get_task_struct(current);
	pid = pidfd ? td_session_file_pidfd(attach->pid) : find_get_pid(attach->pid);
	if (IS_ERR(pid))
		return ERR_CAST(pid);
	if (!pid)
		return ERR_PTR(-ESRCH);
	task = get_pid_task(pid, thread ? PIDTYPE_PID : PIDTYPE_TGID);
	put_pid(pid);
	return task ? task : ERR_PTR(-ESRCH);
}

static int td_session_file_check(const struct topdown_attach *attach)
{
	__u32 flags = attach->flags;

	if (flags & ~TD_ATTACH_FLAGS)
		return -EOPNOTSUPP;
	if (attach->__reserved)
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

/**
 * td_session_file_follow() - make a session, whoever may do so
 * @attach: the checked argument of TOPDOWN_ATTACH; its task does not matter
 * @task: the task
 *
 * Return: the session, for td_session_file_end(), or a negative errno as in the ABI as a pointer.
 */
struct td_session *td_session_file_follow(const struct topdown_attach *attach,
					  struct task_struct *task)
{
	struct td_user *user = td_quota_get(TD_SESSION);
	struct td_session *session;
	int ret;

	if (IS_ERR(user))
		return ERR_CAST(user);
	session = td_session_create(attach, user);
	if (!session) {
		td_quota_put(user, TD_SESSION);
		return ERR_PTR(-ENOMEM);
	}
	ret = td_attach_begin(session, task);
	if (ret) {
		td_session_file_end(session);
		return ERR_PTR(ret);
	}
	td_session_begin(session);
	return session;
}

/**
 * td_session_file_end() - end a session
 * @session: the session; its views stay
 */
void td_session_file_end(struct td_session *session)
{
	/* Views, maps and the latencies of a session can be read after its end. */
	td_follow_fresh(session);
	td_session_end(session);
	td_attach_end(session);
	td_session_destroy(session);
}

/*
 * As in perf, CAP_PERFMON is needed to follow another process.  perf also accepts a caller
 * who may trace the process, but no module can check that.
 */
static int td_session_file_allowed(struct task_struct *task)
{
	if (task->flags & PF_KTHREAD)
		return -EOPNOTSUPP;
	if (same_thread_group(task, current))
		return 0;
	return perfmon_capable() ? td_compat_allow_kernel() : -EACCES;
}

static int td_session_file_check_read(const struct topdown_session *read)
{
	if (read->flags & ~TD_SESSION_FLAGS)
		return -EOPNOTSUPP;
	if (memchr_inv(&read->out_state, 0,
		       sizeof(*read) - offsetof(struct topdown_session, out_state)))
		return -EINVAL;
	if (!read->kinds)
		return read->nr_kinds || read->kind_size ? -EINVAL : 0;
	if (read->kind_size < TD_KIND_SIZE_VER0)
		return -EINVAL;
	return read->kind_size > PAGE_SIZE ? -E2BIG : 0;
}

/* Write the kinds of core, @read->nr_kinds of them. */
static int td_session_file_put_kinds(const struct topdown_session *read,
				     const struct topdown_share sum[TD_NR_KINDS])
{
	struct topdown_session_kind one = { };
	int ret;

	for (; one.kind < read->nr_kinds; one.kind++, sum++) {
		one.level = sum->level;
		one.source = sum->source;
		one.nodes = sum->nodes;
		one.switches = sum->switches;
		one.merged_ns = sum->merged_ns;
		td_figures_make(&one.figures, &sum->sums, sum->nodes);
		ret = td_command_put(read->kinds, read->kind_size, one.kind, &one, sizeof(one));
		if (ret)
			return ret;
	}
	return 0;
}

static int td_session_file_read(struct file *filp, union td_command *command)
{
	struct topdown_session *read = &command->session;
	struct td_session *session = filp->private_data;
	struct topdown_share sum[TD_NR_KINDS];
	int ret;

	ret = td_session_file_check_read(read);
	if (ret)
		return ret;
	if (read->flags & TOPDOWN_SESSION_FRESH)
		td_follow_fresh(session);
	td_session_read(session, read, sum);
	read->nr_kinds = min_t(u32, read->nr_kinds, TD_NR_KINDS);
	read->out_nr_kinds = TD_NR_KINDS;
	return td_session_file_put_kinds(read, sum);
}

static int td_session_file_install(struct td_session *session, int flags);

static int td_session_file_control(struct file *filp, union td_command *command)
{
	const struct topdown_control *control = &command->control;
	struct td_session *session = filp->private_data;

	if (control->flags)
		return -EOPNOTSUPP;
	if (control->__reserved || control->action > TOPDOWN_CONTROL_VIEW)
		return -EINVAL;
	if (control->action == TOPDOWN_CONTROL_VIEW)
		return td_session_file_install(session, O_RDONLY);
	/* Fold first, so that the old setting applies to slots until now. */
	td_follow_fresh(session);
	td_session_enable(session, control->action == TOPDOWN_CONTROL_ENABLE);
	return 0;
}

static const struct td_ioctl td_session_ioctls[] = {
	TD_IOCTL(SESSION, struct topdown_session, out_figures, td_session_file_read, true),
	TD_IOCTL(CONTROL, struct topdown_control, __reserved, td_session_file_control, false,
		 .changes = true),
};

static long td_session_file_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	return td_command_run(td_session_ioctls, ARRAY_SIZE(td_session_ioctls), filp, cmd, arg);
}

static __poll_t td_session_file_poll(struct file *filp, poll_table *table)
{
	struct td_session *session = filp->private_data;

	poll_wait(filp, &session->wait, table);
	return td_session_finished(session) ? EPOLLHUP : 0;
}

static struct file *td_session_file_open(struct td_session *session, int flags);

static int td_session_file_mmap(struct file *filp, struct vm_area_struct *vma)
{
	struct td_session *session = filp->private_data;
	struct file *view;
	int ret;

	ret = td_mapping_check(vma);
	if (ret)
		return ret;
	/* With the caller's file the map would keep the session from ending. */
	if (filp->f_mode & FMODE_WRITE) {
		view = td_session_file_open(session, O_RDONLY);
		if (IS_ERR(view))
			return PTR_ERR(view);
		vma_set_file(vma, view);
		fput(view);
	}
	return td_share_mmap(session->map, vma);
}

static void td_session_file_show(struct seq_file *seq, struct file *filp)
{
	struct td_session *session = filp->private_data;

	td_session_show_text(session, seq);
}

static int td_session_file_release(struct inode *inode, struct file *filp)
{
	struct td_session *session = filp->private_data;

	if (filp->f_mode & FMODE_WRITE)
		td_session_file_end(session);
	else
		td_session_unview(session);
	return 0;
}

static const struct file_operations td_session_fops = {
	.owner		= THIS_MODULE,
	.release	= td_session_file_release,
	.unlocked_ioctl	= td_session_file_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.poll		= td_session_file_poll,
	.mmap		= td_session_file_mmap,
	.show_fdinfo	= td_session_file_show,
};

/* Make a file: O_RDWR for the one of a new session, O_RDONLY for a view. */
static struct file *td_session_file_open(struct td_session *session, int flags)
{
	struct file *filp;

	filp = anon_inode_getfile("[topdown_session]", &td_session_fops, session, flags);
	/* The file of a new session has what td_session_destroy() puts. */
	if (!IS_ERR(filp) && flags == O_RDONLY)
		td_session_view(session);
	return filp;
}

/* Make a file with a descriptor, and return the descriptor or an errno. */
static int td_session_file_install(struct td_session *session, int flags)
{
	int fd = get_unused_fd_flags(O_CLOEXEC);
	struct file *filp;

	if (fd < 0)
		return fd;
	filp = td_session_file_open(session, flags);
	if (IS_ERR(filp)) {
		put_unused_fd(fd);
		return PTR_ERR(filp);
	}
	/* From now on another thread of the caller may close it. */
	fd_install(fd, filp);
	return fd;
}

/**
 * td_session_file_attach() - TOPDOWN_ATTACH
 * @attach: the argument
 *
 * Return: a descriptor, or a negative errno as in the ABI.
 */
int td_session_file_attach(const struct topdown_attach *attach)
{
	struct td_session *session;
	struct task_struct *task;
	int ret;

	ret = td_session_file_check(attach);
	if (ret)
		return ret;
	task = td_session_file_task(attach);
	if (IS_ERR(task))
		return PTR_ERR(task);

	ret = td_session_file_allowed(task);
	session = ret ? ERR_PTR(ret) : td_session_file_follow(attach, task);
	put_task_struct(task);
	if (IS_ERR(session))
		return PTR_ERR(session);
	ret = td_session_file_install(session, O_RDWR);
	if (ret < 0)
		td_session_file_end(session);
	return ret;
}

/**
 * td_session_file_get() - find the session of a descriptor
 * @fd: descriptor of the calling process
 *
 * Return: the session, for td_session_put(); as a pointer -EBADF if that is no descriptor of a
 * session that is open for writing.
 */
struct td_session *td_session_file_get(int fd)
{
	struct td_session *session = ERR_PTR(-EBADF);
	struct file *filp = fget(fd);

	if (!filp)
		return session;
	if (filp->f_op == &td_session_fops && filp->f_mode & FMODE_WRITE) {
		session = filp->private_data;
		td_session_get(session);
	}
	fput(filp);
	return session;
}
EXPORT_SYMBOL_NS_GPL(td_session_file_get, TD_NAMESPACE);
