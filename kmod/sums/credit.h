/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_CREDIT_H
#define TOPDOWN_CREDIT_H

#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/types.h>

struct perf_event;
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
void td_credit_add(struct perf_event *event);
void td_credit_del(struct perf_event *event);
void td_credit_all(struct td_credit *credit);
void td_credit_sample(unsigned int number, u16 latency, unsigned int bin, u64 weight);
void td_credit_sampled(void);
void td_credit_turn(int cpu, unsigned int turn);

#endif /* TOPDOWN_CREDIT_H */
