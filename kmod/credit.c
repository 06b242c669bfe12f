// SPDX-License-Identifier: GPL-2.0
/*
 * Credit: every fold of a CPU credits the sessions of the task that runs there.
 *
 * Each CPU has a list of our events that perf has scheduled in there; they all belong to
 * one task.  follow.c maintains the list, and window.c passes each part of a fold.  Both do
 * so on the CPU with interrupts off, so no lock is needed.
 */
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>

#include "credit.h"
#include "member.h"
#include "session.h"

DEFINE_PER_CPU(struct td_running, td_running);

/**
 * td_credit_init() - begin with no followed task on any CPU
 */
void td_credit_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		INIT_LIST_HEAD(&per_cpu(td_running.events, cpu));
}

/**
 * td_credit_add() - a followed task got this CPU
 * @event: our event on the task; interrupts off
 */
void td_credit_add(struct perf_event *event)
{
	lockdep_assert_irqs_disabled();
	list_add(&event->active_entry, this_cpu_ptr(&td_running.events));
	/* The next credit counts a switch, if the session counts now. */
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
 * td_credit_part() - credit the part of a fold
 * @credit: the part, with the level, nodes, source and kind of the CPU; the other fields
 *	are written
 * @now: local_clock() of the fold; interrupts off
 *
 * If the task got the CPU without a fold, the part may hold slots of another task.  Then
 * only the time is credited, and the next part is the task's own.
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
 * td_credit_time() - credit time on this CPU without slots
 * @kind: enum topdown_kind of the CPU
 * @now: local_clock(); interrupts off
 * @merged: the CPU counts slots, but there was no ticket for a fold
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
