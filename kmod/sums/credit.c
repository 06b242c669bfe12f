// SPDX-License-Identifier: GPL-2.0
/*
 * Credit: the sessions of the task that runs on a CPU get what it has used.
 *
 * Each CPU has a list of our events that perf has scheduled in there; they all belong to
 * one task.  follow.c maintains the list, and usage.c knows what the task has used.  Both do
 * so on the CPU with interrupts off, so no lock is needed.  The samples of latencies come in an
 * NMI of the CPU, which may interrupt a change of the list, and finds it as before or after.
 */
#include <linux/bug.h>
#include <linux/export.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>

#include "compat.h"
#include "credit.h"
#include "member.h"
#include "session.h"
#include "tallies.h"

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
 *
 * The others on the list have been credited until now, by td_credit_sampled() too, or perf
 * scheduled them in right before this one.
 */
void td_credit_add(struct perf_event *event)
{
	lockdep_assert_irqs_disabled();
	/* An NMI finds the event only when it is whole. */
	list_add_rcu(&event->active_entry, this_cpu_ptr(&td_running.events));
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
	/* An NMI begins at the head of the list, so the event may be used again at once. */
	list_del_init(&event->active_entry);
	td_session_runs(td_member_session(event), -1);
}

/**
 * td_credit_all() - credit what the followed task that runs here has used
 * @credit: the credit to each session; td_credit.switches is written; interrupts off
 */
void td_credit_all(struct td_credit *credit)
{
	struct perf_event *event;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(event, this_cpu_ptr(&td_running.events), active_entry) {
		credit->switches = event->hw.config_base;
		event->hw.config_base = 0;
		td_session_credit(td_member_session(event), credit);
	}
}

/* On the CPU with interrupts off, or in its NMI. */
static struct td_tallies *td_credit_tallies(const struct perf_event *event)
{
	const struct td_session *session = td_member_session(event);

	if (!td_session_counts(session))
		return NULL;
	/* Pairs with rcu_assign_pointer() in td_latency_session_count(). */
	return rcu_dereference_check(session->tallies, irqs_disabled());
}

/**
 * td_credit_sample() - credit a sample to the sessions of the task that runs here
 * @number: the event
 * @latency: its latency
 * @bin: the bin of @latency
 * @weight: number of events that the sample stands for
 *
 * In an NMI, or with interrupts off.
 */
void td_credit_sample(unsigned int number, u16 latency, unsigned int bin, u64 weight)
{
	struct list_head *events = this_cpu_ptr(&td_running.events);
	struct td_tallies *tallies;
	struct perf_event *event;

	if (!td_tallies_any())
		return;
	list_for_each_entry_rcu(event, events, active_entry, irqs_disabled()) {
		tallies = td_credit_tallies(event);
		if (tallies)
			td_tallies_sample(tallies, number, latency, bin, weight);
	}
}
EXPORT_SYMBOL_NS_GPL(td_credit_sample, TD_NAMESPACE);

/**
 * td_credit_sampled() - credit the time of the task that runs here to its tallies
 *
 * Interrupts are off.  Before the task leaves the CPU or the list changes, before another event
 * gets the sampling counter, at the end of a window, and for a reader.
 */
void td_credit_sampled(void)
{
	struct td_running *running = this_cpu_ptr(&td_running);
	u64 since = running->sampled, now;
	struct td_tallies *tallies;
	struct perf_event *event;

	lockdep_assert_irqs_disabled();
	if (!td_tallies_any())
		return;
	now = local_clock();
	running->sampled = now;
	list_for_each_entry(event, &running->events, active_entry) {
		tallies = td_credit_tallies(event);
		if (tallies)
			td_tallies_ran(tallies, running->turn, since, now);
	}
}

static void td_credit_turn_this(void *turn)
{
	td_credit_sampled();
	this_cpu_write(td_running.turn, *(const unsigned int *)turn);
}

/**
 * td_credit_turn() - from now on another event has the turn of a CPU
 * @cpu: the CPU; it is online, and cannot pass our hotplug teardown meanwhile
 * @turn: the event, plus 1; 0 for none
 *
 * The CPU itself changes it, so that the time until now is that of the event before.
 */
void td_credit_turn(int cpu, unsigned int turn)
{
	WARN_ON_ONCE(smp_call_function_single(cpu, td_credit_turn_this, &turn, 1));
}
EXPORT_SYMBOL_NS_GPL(td_credit_turn, TD_NAMESPACE);
