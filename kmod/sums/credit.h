/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_CREDIT_H
#define TOPDOWN_CREDIT_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>
#include <linux/types.h>

#include "member.h"
#include "session.h"
#include "tallies.h"

struct td_credit;

/**
 * struct td_running - the followed task that a CPU runs; used there with interrupts off
 * @events: our events on that task, by perf_event.active_entry; empty if the task that
 *	runs is not followed
 * @sampled: the tallies of its sessions have got its time up to this local_clock()
 * @turn: the event that has the turn of the CPU, plus 1; 0 for none
 */
struct td_running {
	struct list_head events;
	u64 sampled;
	unsigned int turn;
};

DECLARE_PER_CPU(struct td_running, td_running);

/**
 * td_credit_wanted() - does this CPU run a followed task?
 *
 * Interrupts are off.  Inline, because every fold calls it.
 *
 * Return: true or false.
 */
static __always_inline bool td_credit_wanted(void)
{
	return !list_empty(this_cpu_ptr(&td_running.events));
}

void td_credit_init(void);
void td_credit_all(struct td_credit *credit);
void td_credit_sample(unsigned int number, u16 latency, unsigned int bin, u64 weight);
void td_credit_sampled_any(void);
void td_credit_turn(int cpu, unsigned int turn);

/**
 * td_credit_sampled() - credit the time of the task that runs here to its tallies
 *
 * Interrupts are off.  Before the task leaves the CPU or the list changes, before another event
 * gets the sampling counter, at the end of a window, and for a reader.
 */
static __always_inline void td_credit_sampled(void)
{
	if (td_tallies_any())
		td_credit_sampled_any();
}

/**
 * td_credit_add() - a followed task got this CPU
 * @event: our event on the task; interrupts off
 *
 * The others on the list have been credited until now, by td_credit_sampled() too, or perf
 * scheduled them in right before this one.
 */
static __always_inline void td_credit_add(struct perf_event *event)
{
	const struct td_session *session = td_member_session(event);

	lockdep_assert_irqs_disabled();
	/* An NMI finds the event only when it is whole. */
	list_add_rcu(&event->active_entry, this_cpu_ptr(&td_running.events));
	/* The next credit counts a switch, if the session counts now. */
	event->hw.config_base = td_session_counts(session);
	td_session_runs(session, 1);
}

/**
 * td_credit_del() - undo td_credit_add()
 * @event: the event; interrupts off
 */
static __always_inline void td_credit_del(struct perf_event *event)
{
	lockdep_assert_irqs_disabled();
	/* An NMI begins at the head of the list, so the event may be used again at once. */
	list_del_init(&event->active_entry);
	td_session_runs(td_member_session(event), -1);
}

#endif /* TOPDOWN_CREDIT_H */
