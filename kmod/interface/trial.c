// SPDX-License-Identifier: GPL-2.0
/*
 * The trial: does perf do with our events what we take for granted?
 *
 * Sessions use what perf keeps to itself: the mark of our events, fields of an event that its PMU
 * may use, the list of a task's events, the time that perf stamps on them when it schedules them,
 * and the context of a task that has gone.  A kernel in which one of them is different would
 * build, and count wrongly without a word.  So when the module is loaded, a kernel thread inherits
 * a session, gets another, runs and exits.  If that is not seen there are no sessions.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/math.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/task.h>
#include <linux/time64.h>

#include "attach.h"
#include "compat.h"
#include "follow.h"
#include "known.h"
#include "member.h"
#include "session.h"
#include "session-file.h"
#include "trial.h"

/* All threads of the kernel are made by this one. */
#define TD_TRIAL_MAKER		2

/* All takes some milliseconds, but tasks of a high priority may have the CPUs for a while. */
#define TD_TRIAL_PATIENCE	(20 * HZ)

static bool td_trial_passed __ro_after_init;

/* The session of the thread, which follows it beside the one of its maker. */
static struct td_session *td_trial_session __initdata;
static struct topdown_session td_trial_seen __initdata;
static struct topdown_share td_trial_sum[TD_NR_KINDS] __initdata;

/**
 * td_trial_may_follow() - do sessions work with this kernel?
 *
 * Return: true or false.
 */
bool td_trial_may_follow(void)
{
	return td_trial_passed;
}

/* Runs, sleeps, and runs again. */
static int td_trial_thread(void *unused)
{
	while (!kthread_should_stop())
		usleep_range(50, 100);
	return 0;
}

static struct task_struct * __init td_trial_maker(void)
{
	struct task_struct *maker;

	rcu_read_lock();
	maker = pid_task(find_pid_ns(TD_TRIAL_MAKER, &init_pid_ns), PIDTYPE_PID);
	if (maker)
		get_task_struct(maker);
	rcu_read_unlock();
	return maker;
}

/* Has the thread as many of our events as that, by the list of perf? */
static bool __init td_trial_has(unsigned int nr)
{
	struct td_session *session = td_trial_session;
	const struct td_member *member;
	bool has;

	mutex_lock(&session->members_lock);
	member = list_first_entry(&session->members, struct td_member, list);
	has = !td_follow_crowded(member->event, nr) && td_follow_crowded(member->event, nr - 1);
	mutex_unlock(&session->members_lock);
	return has;
}

/* When perf last scheduled the events of the thread. */
static u64 __init td_trial_pass(void)
{
	struct td_session *session = td_trial_session;
	const struct td_member *member;
	u64 pass;

	mutex_lock(&session->members_lock);
	member = list_first_entry(&session->members, struct td_member, list);
	pass = td_compat_event_pass(member->event);
	mutex_unlock(&session->members_lock);
	return pass;
}

static u64 td_trial_before __initdata;

/* The clocks of two CPUs may differ a little. */
static bool __init td_trial_moved(void)
{
	u64 pass = td_trial_pass();

	return pass != td_trial_before && abs((s64)(local_clock() - pass)) < NSEC_PER_SEC;
}

static void __init td_trial_look(void)
{
	td_session_read(td_trial_session, &td_trial_seen, td_trial_sum);
}

static bool __init td_trial_ran(void)
{
	td_trial_look();
	return td_trial_seen.out_switches > 2 && td_trial_seen.out_figures.enabled_ns;
}

static bool __init td_trial_exited(void)
{
	td_trial_look();
	return td_trial_seen.out_state == TOPDOWN_SESSION_STATE_EXITED &&
	       !td_trial_seen.out_dropped;
}

static bool __init td_trial_soon(bool (*happens)(void))
{
	unsigned long until = jiffies + TD_TRIAL_PATIENCE;

	while (!happens()) {
		if (time_after(jiffies, until))
			return false;
		usleep_range(100, 200);
	}
	return true;
}

/* Returns a text that says what goes wrong, or NULL. */
static const char * __init td_trial_watch(struct task_struct *thread)
{
	const char *wrong = NULL;

	td_trial_before = td_trial_pass();
	if (!td_trial_has(2))
		wrong = "a task that is made inherits no event";
	wake_up_process(thread);
	if (!wrong && !td_trial_soon(td_trial_ran))
		wrong = "a task is not seen on its CPU";
	if (!wrong && !td_trial_soon(td_trial_moved))
		wrong = "switches of a task have no time";
	kthread_stop(thread);
	if (!wrong && !td_trial_soon(td_trial_exited))
		wrong = "the exit of a task is not seen";
	return wrong;
}

static const char * __init td_trial_run_thread(struct task_struct *thread)
{
	struct topdown_attach attach = { .flags = TOPDOWN_ATTACH_THREAD };
	const char *wrong;

	td_trial_session = td_session_file_follow(&attach, thread);
	if (IS_ERR(td_trial_session)) {
		kthread_stop(thread);
		return "perf has no event for us";
	}
	wrong = td_trial_watch(thread);
	td_session_file_end(td_trial_session);
	return wrong;
}

static const char * __init td_trial_with_thread(void)
{
	struct task_struct *thread = kthread_create(td_trial_thread, NULL, "topdown_trial");
	const char *wrong;

	if (IS_ERR(thread))
		return "there is no thread for a trial";
	/* It may exit before we have looked. */
	get_task_struct(thread);
	wrong = td_trial_run_thread(thread);
	put_task_struct(thread);
	return wrong;
}

static const char * __init td_trial_with(struct task_struct *maker)
{
	struct topdown_attach attach = { .flags = TOPDOWN_ATTACH_CHILDREN };
	struct td_session *session = td_session_file_follow(&attach, maker);
	const char *wrong;

	if (IS_ERR(session))
		return "perf has no event for us";
	wrong = td_trial_with_thread();
	td_session_file_end(session);
	return wrong;
}

/**
 * td_trial_run() - find out whether sessions work with this kernel
 *
 * Interrupts each CPU a few times, as the first session does.
 */
void __init td_trial_run(void)
{
	const char *wrong = "there is no thread that makes threads";
	struct task_struct *maker = td_trial_maker();

	if (maker) {
		wrong = td_trial_with(maker);
		put_task_struct(maker);
	}
	td_attach_exit();
	td_trial_passed = !wrong;
	if (wrong)
		pr_err("tasks cannot be followed, because perf of this kernel is another: %s\n",
		       wrong);
}
