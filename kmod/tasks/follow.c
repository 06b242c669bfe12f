// SPDX-License-Identifier: GPL-2.0
/*
 * Following tasks: perf does it, by events of a PMU of our own.
 *
 * A session has such an event on each task that it was attached to.  perf schedules the
 * event in and out with its task, lets new threads and processes inherit it, and ends it at
 * exit and at an exec that gains rights.  This file does the rest: when an event is
 * scheduled in or out, it has the counters read, so that each part belongs to one task
 * (usage.c).
 *
 * Where a hypervisor makes each reading of a counter expensive, frequent switches must not cause
 * as many of them.  There each stay of a task on a CPU, from add to del, needs a ticket.  Without
 * a ticket its slots are not measured, and its time is in merged_ns.
 */
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>

#include "compat.h"
#include "credit.h"
#include "follow.h"
#include "member.h"
#include "moment.h"
#include "quota.h"
#include "scope.h"
#include "session.h"
#include "ticket.h"
#include "usage.h"
#include "window.h"

/* perf_event_attr.config: an event of a session, or one that perf enables at an exec. */
#define TD_FOLLOW_TASK		0
#define TD_FOLLOW_EXEC		1

/**
 * struct td_stay - the stay of a task on a CPU; used there with interrupts off
 * @left: when the last event was scheduled out from the CPU, local_clock()
 * @leaving: no event was scheduled in since @left
 * @pass: td_compat_event_pass() of the last event that was scheduled in or out
 */
struct td_stay {
	u64 left;
	bool leaving;
	u64 pass;
};

static DEFINE_PER_CPU(struct td_stay, td_stays);

/*
 * The first event of a task is scheduled in.  Slots so far are not the task's own, so move on,
 * unless this switch has already read the counters for the previous task.
 */
static void td_follow_begin(struct td_collector *collector, const struct td_stay *stay, u64 now)
{
	u64 since = td_moment_same_switch(stay->left, now) ? stay->left : now;
	bool fresh, blind = false;

	if (collector->open) {
		fresh = this_cpu_read(td_usages.read) == since;
		blind = td_ticket_needed() && !td_ticket_get(now, fresh ? 1 : 2);
		/* Where the previous task was not measured either, slots are read now. */
		if (!blind && !fresh)
			since = now;
	}
	td_usage_begin(collector, since, blind);
}

/*
 * Does perf schedule this event right after the last one?  It schedules all events of a task in
 * one pass, at a switch and for a new session, and they share one fold.  It schedules some of
 * them alone when another session lets the task go.
 */
static bool td_follow_same_pass(struct td_stay *stay, const struct perf_event *event)
{
	u64 last = stay->pass;

	stay->pass = td_compat_event_pass(event);
	return stay->pass == last;
}

/*
 * When is this pass, as local_clock() says it?  perf has just asked for its stamp, so do not ask
 * again.  A fold in the midst of a pass has credited more than that.
 */
static u64 td_follow_now(const struct td_stay *stay)
{
	return max(stay->pass, this_cpu_read(td_usages.since));
}

static int td_follow_add(struct perf_event *event, int flags)
{
	struct td_collector *collector = this_cpu_ptr(td_collectors);
	struct td_stay *stay = this_cpu_ptr(&td_stays);
	bool first = !td_credit_wanted(), same;

	if (event->attr.config == TD_FOLLOW_EXEC) {
		td_session_exec(td_member_session(event));
		return 0;
	}
	td_window_hold(collector);
	same = td_follow_same_pass(stay, event);
	stay->leaving = false;
	if (first)
		td_follow_begin(collector, stay, td_follow_now(stay));
	else if (!same)
		td_usage_credit(collector, td_follow_now(stay));
	if (first || !same)
		td_credit_sampled();
	td_credit_add(event);
	td_window_release(collector);
	/* The task has run, so its fork() has not failed: see td_follow_destroy(). */
	event->hw.config = 1;
	return 0;
}

/*
 * May the task be leaving the session?  For an event that was not inherited perf has no
 * callback, so check as soon as perf has released its locks.  Only a task that exits or
 * executes a program can leave.
 */
static void td_follow_await_exit(struct perf_event *event)
{
	struct td_member *member = td_member_of(event);
	bool exits = current->flags & PF_EXITING;

	if (event->parent)
		return;
	if (!exits && !mutex_is_locked(&current->signal->cred_guard_mutex))
		return;
	member->secure = !exits;
	irq_work_queue(&member->check);
}

static void td_follow_del(struct perf_event *event, int flags)
{
	struct td_stay *stay = this_cpu_ptr(&td_stays);
	struct td_collector *collector = this_cpu_ptr(td_collectors);

	if (event->attr.config == TD_FOLLOW_EXEC)
		return;
	td_window_hold(collector);
	/* @leaving decides too, because a clock may stand still from one pass to the next. */
	if (!td_follow_same_pass(stay, event) || !stay->leaving ||
	    this_cpu_read(td_usages.since) > stay->left) {
		td_usage_credit(collector, td_follow_now(stay));
		td_credit_sampled();
		stay->left = this_cpu_read(td_usages.since);
		stay->leaving = true;
	}
	td_credit_del(event);
	td_window_release(collector);
	td_follow_await_exit(event);
}

/* The sum of a session is in its shares, so the count of the event stays 0. */
static void td_follow_read(struct perf_event *event)
{
}

static void td_follow_start(struct perf_event *event, int flags)
{
}

static void td_follow_stop(struct perf_event *event, int flags)
{
}

static int td_follow_event_init(struct perf_event *event);

static struct pmu td_follow_pmu = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_sw_context,
	.event_init	= td_follow_event_init,
	.add		= td_follow_add,
	.del		= td_follow_del,
	.start		= td_follow_start,
	.stop		= td_follow_stop,
	.read		= td_follow_read,
};

/*
 * Never called, because the events do not sample.  No event of a user can have this
 * handler, so it marks our events.
 */
static void td_follow_marker(struct perf_event *event, struct perf_sample_data *data,
			     struct pt_regs *regs)
{
}

/*
 * Forget the task that this event was made for, and the task that had it last.  They may
 * differ, because perf swaps the contexts of tasks that inherited the same events.  A task
 * that lives on keeps the event of the other.
 */
static void td_follow_unmeet(const struct perf_event *event)
{
	struct td_session *session = td_member_session(event);
	struct task_struct *task = event->hw.target;

	/* If the event has never run, the fork() of its task failed. */
	if (READ_ONCE(task->flags) & PF_EXITING || !event->hw.config)
		td_session_unmeet(session, task);
	if (current->flags & PF_EXITING)
		td_session_unmeet(session, current);
}

/* Charge one event.  An error for an inherited one would make fork() fail: the session ends. */
static int td_follow_charge(struct td_session *session, bool inherited)
{
	if (inherited) {
		if (td_quota_inherit(session->user, &session->charge))
			td_session_overrun(session);
		return 0;
	}
	if (td_quota_charge(session->user, &session->charge))
		return 0;
	td_quota_uncharge(session->user, &session->charge);
	return -ENOSPC;
}

static void td_follow_put(struct td_session *session)
{
	td_quota_uncharge(session->user, &session->charge);
	td_session_put(session);
}

/*
 * The last reference to an event is gone.  An inherited event ends with its task.  If the
 * task lives on, an exec that gained rights ended the event.
 */
static void td_follow_destroy(struct perf_event *event)
{
	struct td_member *member = td_member_of(event);
	bool secure;

	/* A child may have been made before td_compat_event_unpin_pmu() reached its parent. */
	td_compat_event_forget_pmu(event, &td_follow_pmu);
	if (event->attr.config == TD_FOLLOW_EXEC) {
		td_follow_put(member->session);
		return;
	}
	if (event->parent) {
		/*
		 * If fork() failed, the task has never run.  A worker releases the event of a
		 * thread that it was too late for, and with it what the thread has passed on.
		 */
		secure = event->hw.config && !(current->flags & (PF_EXITING | PF_KTHREAD));
		td_session_left(member->session, secure);
	} else if (!member->left) {
		td_session_left(member->session, false);
	}
	td_follow_unmeet(event);
	td_follow_put(member->session);
}

/* perf also calls this for events of other types that no PMU accepted. */
static int td_follow_event_init(struct perf_event *event)
{
	struct td_member *member;
	int ret;

	if (event->attr.type != td_follow_pmu.type || event->overflow_handler != td_follow_marker)
		return -ENOENT;

	member = td_member_of(event);
	ret = td_follow_charge(member->session, event->parent);
	if (ret)
		return ret;
	if (!event->parent)
		member->event = event;
	/* 6.1 does not set it for events that are made in the kernel. */
	event->event_caps |= PERF_EV_CAP_SOFTWARE;
	event->destroy = td_follow_destroy;
	td_session_get(member->session);
	if (event->attr.config == TD_FOLLOW_TASK)
		td_session_join(member->session, event->hw.target);
	return 0;
}

/*
 * Runs in an interrupt right after an event was scheduled out from a task that may be
 * leaving.  That is before anybody can notice that the task has left.
 */
static void td_follow_check(struct irq_work *work)
{
	struct td_member *member = container_of(work, struct td_member, check);

	/* The work may run on another CPU before it has returned on this one. */
	if (!td_compat_event_ended(member->event) || xchg(&member->left, true))
		return;
	td_session_left(member->session, member->secure);
}

/**
 * td_follow_create() - let a session follow a task
 * @member: zeroed except for the session; must outlive the event and its session
 * @task: the task
 * @on_exec: make an event that reports an exec to the session
 *
 * Return: the event, to be released with perf_event_release_kernel() and
 * irq_work_sync() of the member's check; as a pointer -ESRCH if the task has exited;
 * -ENOMEM.
 */
struct perf_event *td_follow_create(struct td_member *member, struct task_struct *task,
				    bool on_exec)
{
	const struct td_session *session = member->session;
	struct perf_event_attr attr = {
		.type		= td_follow_pmu.type,
		.size		= sizeof(attr),
		.config		= on_exec ? TD_FOLLOW_EXEC : TD_FOLLOW_TASK,
		.inherit	= session->process,
		.inherit_thread	= !session->children,
		.disabled	= on_exec,
		.enable_on_exec	= on_exec,
	};
	struct perf_event *event;

	member->check = IRQ_WORK_INIT_HARD(td_follow_check);
	event = perf_event_create_kernel_counter(&attr, -1, task, td_follow_marker, member);
	if (!IS_ERR(event))
		td_compat_event_unpin_pmu(event);
	return event;
}

/**
 * td_follow_crowded() - do more sessions follow a task than it may have?
 * @event: event of a session on the task
 * @max: so many may do so
 *
 * Return: true or false.
 */
bool td_follow_crowded(const struct perf_event *event, unsigned int max)
{
	const struct perf_event_context *ctx = event->ctx;
	const struct perf_event *other;
	unsigned int n = 0;

	rcu_read_lock();
	/* perf adds to the list, and removes, as RCU wants it. */
	list_for_each_entry_rcu(other, &ctx->event_list, event_entry)
		n += other->overflow_handler == td_follow_marker &&
		     other->attr.config == TD_FOLLOW_TASK;
	rcu_read_unlock();
	return n > max;
}

static void td_follow_fresh_this(void *unused)
{
	struct td_collector *collector = this_cpu_ptr(td_collectors);

	td_window_hold(collector);
	if (td_credit_wanted())
		td_usage_credit(collector, local_clock());
	td_credit_sampled();
	td_window_release(collector);
}

/* Shall the CPU fold for a session?  Never interrupt a quiet CPU. */
static bool td_follow_runs(int cpu, void *session)
{
	return td_session_runs_on(session, cpu) &&
	       (cpu == smp_processor_id() || !td_scope_quiet(cpu));
}

/**
 * td_follow_fresh() - bring the shares and the tallies of a session up to date
 * @session: the session
 *
 * Interrupts each CPU that runs a task of the session, except quiet ones.
 */
void td_follow_fresh(struct td_session *session)
{
	on_each_cpu_cond(td_follow_runs, td_follow_fresh_this, session, 1);
}
EXPORT_SYMBOL_NS_GPL(td_follow_fresh, TD_NAMESPACE);

/**
 * td_follow_init() - prepare to follow tasks
 *
 * Return: 0 or a negative errno from registering the PMU.
 */
int td_follow_init(void)
{
	return perf_pmu_register(&td_follow_pmu, "topdown_session", -1);
}

/**
 * td_follow_exit() - undo td_follow_init(); no session and no event are left
 */
void td_follow_exit(void)
{
	/* RCU may not have queued the works yet that free sessions.  td_session_exit() waits. */
	rcu_barrier();
	perf_pmu_unregister(&td_follow_pmu);
}
