// SPDX-License-Identifier: GPL-2.0
/*
 * Probes: how the module hears of switches, new tasks, exec and exit.
 *
 * The tracepoints are not exported, but they can be looked for by name.  While
 * there is no session nothing is registered, and the kernel runs as if the
 * module were not there.
 */
#include <linux/binfmts.h>
#include <linux/bug.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "compat.h"
#include "follow.h"
#include "probe.h"

/*
 * Not sched_process_fork: copy_process() tells of all tasks here, those that
 * io_uring and vhost make for a process included.
 */
static void td_probe_task_newtask(void *data, struct task_struct *task,
				  td_compat_clone_flags clone_flags)
{
	td_follow_new(task);
}

static void td_probe_exec(void *data, struct task_struct *task, pid_t old_pid,
			  struct linux_binprm *bprm)
{
	/* As perf: also a program that its user may execute but not read. */
	bool unread = bprm->interp_flags & BINPRM_FLAGS_ENFORCE_NONDUMP;

	td_follow_exec(task, bprm->secureexec || unread);
}

static void td_probe_exit(void *data, TD_COMPAT_EXIT_ARGS)
{
	td_follow_exit(task);
}

/**
 * struct td_hook - one tracepoint that is used
 * @name: its name
 * @probe: what it calls
 * @tracepoint: it, or NULL if the kernel has none of that name
 */
struct td_hook {
	const char *name;
	void *probe;
	struct tracepoint *tracepoint;
};

/* Exits first, switches last: no task is found that could not leave again. */
static struct td_hook td_hooks[] = {
	{ .name = "sched_process_exit", .probe = td_probe_exit },
	{ .name = "sched_process_exec", .probe = td_probe_exec },
	{ .name = "task_newtask", .probe = td_probe_task_newtask },
	{ .name = "sched_switch", .probe = td_probe_sched_switch },
};

/* Each has memory for every CPU, and anybody who can open the node makes them. */
#define TD_PROBE_USERS_MAX	4096

static unsigned int td_probe_users;
/* Protects td_probe_users, and so whether the hooks are registered. */
static DEFINE_MUTEX(td_probe_mutex);

static void td_probe_find(struct tracepoint *tracepoint, void *data)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(td_hooks); i++) {
		if (!strcmp(tracepoint->name, td_hooks[i].name))
			td_hooks[i].tracepoint = tracepoint;
	}
}

/**
 * td_probe_init() - look for the tracepoints
 */
void td_probe_init(void)
{
	/* The compiler compares what is called with what the kernel calls. */
	check_trace_callback_type_sched_process_exit(td_probe_exit);
	check_trace_callback_type_sched_process_exec(td_probe_exec);
	check_trace_callback_type_task_newtask(td_probe_task_newtask);
	check_trace_callback_type_sched_switch(td_probe_sched_switch);

	for_each_kernel_tracepoint(td_probe_find, NULL);
}

/**
 * td_probe_possible() - does this kernel have what sessions need?
 *
 * Return: true or false.
 */
bool td_probe_possible(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(td_hooks); i++) {
		if (!td_hooks[i].tracepoint)
			return false;
	}
	return true;
}

/* Undo the registration of the first @nr hooks. */
static void td_probe_unregister(unsigned int nr)
{
	lockdep_assert_held(&td_probe_mutex);
	while (nr--)
		WARN_ON_ONCE(tracepoint_probe_unregister(td_hooks[nr].tracepoint,
							 td_hooks[nr].probe, NULL));
	/* Nobody is in a probe afterwards. */
	tracepoint_synchronize_unregister();
}

static int td_probe_register(void)
{
	unsigned int i;
	int ret;

	lockdep_assert_held(&td_probe_mutex);
	for (i = 0; i < ARRAY_SIZE(td_hooks); i++) {
		ret = tracepoint_probe_register(td_hooks[i].tracepoint, td_hooks[i].probe, NULL);
		if (!ret)
			continue;
		td_probe_unregister(i);
		return ret;
	}
	return 0;
}

static int td_probe_begin(void)
{
	int ret;

	ret = td_follow_start();
	if (ret)
		return ret;
	ret = td_probe_register();
	if (ret)
		td_follow_stop();
	return ret;
}

/**
 * td_probe_get() - one more session needs the probes
 *
 * Return: 0, -EOPNOTSUPP if the kernel lacks the tracepoints, -ENOSPC if there are
 * too many sessions, or -ENOMEM.
 */
int td_probe_get(void)
{
	int ret = 0;

	if (!td_probe_possible())
		return -EOPNOTSUPP;

	mutex_lock(&td_probe_mutex);
	if (td_probe_users >= TD_PROBE_USERS_MAX)
		ret = -ENOSPC;
	else if (!td_probe_users)
		ret = td_probe_begin();
	if (!ret)
		td_probe_users++;
	mutex_unlock(&td_probe_mutex);
	return ret;
}

/**
 * td_probe_put() - a session needs them no longer; its tasks have been swept
 */
void td_probe_put(void)
{
	mutex_lock(&td_probe_mutex);
	if (!--td_probe_users) {
		td_probe_unregister(ARRAY_SIZE(td_hooks));
		td_follow_stop();
	}
	mutex_unlock(&td_probe_mutex);
}
