// SPDX-License-Identifier: GPL-2.0
/*
 * Credit: every fold of a CPU credits the sessions of the task that runs there.
 *
 * Each CPU has a list of the events of ours that perf has scheduled in on it; they
 * belong to one task.  follow.c keeps the list, window.c passes each part that it
 * folds.  All of it happens on the CPU with interrupts off, so there is no lock.
 */
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>

#include "credit.h"
#include "member.h"
#include "session.h"

DEFINE_PER_CPU(struct td_running, td_running);

/**
 * td_credit_init() - no CPU runs a followed task
 */
void td_credit_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		INIT_LIST_HEAD(&per_cpu(td_running.events, cpu));
}

/**
 * td_credit_add() - a followed task got this CPU
 * @event: an event of ours of the task; interrupts off
 */
void td_credit_add(struct perf_event *event)
{
	lockdep_assert_irqs_disabled();
	list_add(&event->active_entry, this_cpu_ptr(&td_running.events));
	/* A switch, until it is credited. */
	event->hw.config_base = td_session_counts(td_member_session(event));
	td_session_runs(td_member_session(event), 1);
}

/**
 * td_credit_del() - undo td_credit_add()
 * @event: the event; interrupts off
 */
void td_credit_del(struct perf_event *event)
{
	lockdep_assert_irqs_disabled();
	list_del_init(&event->active_entry);
	td_session_runs(td_member_session(event), -1);
}

static void td_credit_all(struct td_running *running, struct td_credit *credit)
{
	struct perf_event *event;

	list_for_each_entry(event, &running->events, active_entry) {
		credit->switches = event->hw.config_base;
		event->hw.config_base = 0;
		td_session_credit(td_member_session(event), credit);
	}
}

/**
 * td_credit_part() - a window has been folded: credit the part
 * @credit: the part, with the level, nodes, source and kind of the CPU; the rest is
 *	written
 * @now: local_clock() of the fold; interrupts off
 *
 * The part may hold slots of another task if this one got the CPU without a fold.
 * Then only the time counts, and the next part is the task's own.
 */
void td_credit_part(struct td_credit *credit, u64 now)
{
	struct td_running *running = this_cpu_ptr(&td_running);

	lockdep_assert_irqs_disabled();
	credit->ran_ns = now - running->since;
	credit->merged_ns = 0;
	running->since = now;
	if (running->blind) {
		running->blind = false;
		credit->merged_ns = credit->ran_ns;
		credit->part = NULL;
	}
	td_credit_all(running, credit);
}

/**
 * td_credit_time() - credit the time on this CPU alone
 * @kind: enum topdown_kind of the CPU
 * @now: local_clock(); interrupts off
 * @merged: the CPU counts slots, but the limit of folds was reached
 */
void td_credit_time(unsigned int kind, u64 now, bool merged)
{
	struct td_running *running = this_cpu_ptr(&td_running);
	struct td_credit credit = {
		.ran_ns		= now - running->since,
		.merged_ns	= merged ? now - running->since : 0,
		.kind		= kind,
	};

	lockdep_assert_irqs_disabled();
	running->since = now;
	td_credit_all(running, &credit);
}
