// SPDX-License-Identifier: GPL-2.0
/*
 * Tickets: points for switches of tasks, where points are dear.
 *
 * A hypervisor may make each reading of a counter an exit, and refined figures stop the counters.
 * There points for switches, of sessions and of owners together, get a tenth of the CPU's time.
 */
#include <linux/cpumask.h>
#include <linux/limits.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/sched/clock.h>

#include "meter.h"
#include "ticket.h"

/* Points that cost less need no tickets: 50,000 of them in a second are 15% of it. */
#define TD_TICKET_CHEAP_NS	3000
#define TD_TICKET_SHARE		10
#define TD_TICKET_TRIES		8

/* This many points may follow each other at once, if there were few before. */
#define TD_TICKET_BURST		32

DEFINE_PER_CPU(struct td_tickets, td_tickets);

/**
 * td_ticket_price() - find out how much a point costs on this CPU
 * @meter: meter of this CPU, which begins; interrupts off
 * @part: space for what is read, which counts for nobody
 *
 * Without counters a point reads none, and the price stays.
 */
void td_ticket_price(struct td_meter *meter, struct td_part *part)
{
	struct td_tickets *tickets = this_cpu_ptr(&td_tickets);
	u64 then, least = U64_MAX;
	unsigned int i;

	lockdep_assert_irqs_disabled();
	if (!td_meter_counting(meter))
		return;
	for (i = 0; i < TD_TICKET_TRIES; i++) {
		then = local_clock();
		meter->ops->fold(meter, then, part, TD_FOLD_POINT);
		least = min(least, local_clock() - then);
	}
	/* Refined figures have a reset at each point, which stops the counters of the CPU. */
	if (least < TD_TICKET_CHEAP_NS && !(meter->flags & TOPDOWN_RECORD_REFINED))
		tickets->price = 0;
	else
		tickets->price = least * TD_TICKET_SHARE;
}

/**
 * td_ticket_get() - ask for a ticket
 * @now: local_clock(); on the CPU with interrupts off
 * @points: for so many points
 *
 * Grants and refusals come in runs, because a stay right after a measured one needs one point
 * instead of two.  The length of a run of refusals is random, because tasks that alternate
 * regularly would otherwise always get the same answer.
 *
 * Return: may they be taken?  True where points are cheap.
 */
bool td_ticket_get(u64 now, unsigned int points)
{
	struct td_tickets *tickets = this_cpu_ptr(&td_tickets);
	u64 price = tickets->price, burst = TD_TICKET_BURST * price;
	u64 unpaid;

	lockdep_assert_irqs_disabled();
	if (!price)
		return true;
	tickets->paid = max(tickets->paid, now);
	unpaid = tickets->paid - now;
	if (tickets->refusing && unpaid > tickets->resume)
		return false;
	tickets->refusing = unpaid >= burst;
	if (tickets->refusing) {
		/* Numerical Recipes' generator; its upper bits are random enough. */
		tickets->random = tickets->random * 1664525 + 1013904223;
		tickets->resume = mul_u64_u32_shr(burst / 2, tickets->random, 32);
		return false;
	}
	tickets->paid += points * price;
	return true;
}

/**
 * td_ticket_init() - before anybody asks for a ticket
 */
void td_ticket_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(td_tickets.random, cpu) = get_random_u32();
}
