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
 * td_credit_all() - credit what the followed task that runs here has used
 * @credit: the credit to each session; td_credit.switches is written; interrupts off
 */
void td_credit_all(struct td_credit *credit)
{
	struct list_head *events = this_cpu_ptr(&td_running.events);
	struct perf_event *event;

	lockdep_assert_irqs_disabled();
	list_for_each_entry(event, events, active_entry) {
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
 * td_credit_sampled_any() - td_credit_sampled() where there are tallies
 */
void td_credit_sampled_any(void)
{
	struct td_running *running = this_cpu_ptr(&td_running);
	u64 since = running->sampled, now = local_clock();
	struct td_tallies *tallies;
	struct perf_event *event;

	lockdep_assert_irqs_disabled();
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
