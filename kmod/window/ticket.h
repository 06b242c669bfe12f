/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_TICKET_H
#define TOPDOWN_TICKET_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

struct td_meter;
struct td_part;

/**
 * struct td_tickets - the tickets of a CPU; used there with interrupts off
 * @price: what a point costs of the time for points, in nanoseconds; 0 where points are cheap
 * @paid: the points so far have used up the time until this local_clock()
 * @resume: while @refusing: give tickets again when @paid is at most this far ahead
 * @refusing: no tickets are given
 * @random: source of @resume
 */
struct td_tickets {
	u64 price;
	u64 paid;
	u64 resume;
	bool refusing;
	u32 random;
};

DECLARE_PER_CPU(struct td_tickets, td_tickets);

void td_ticket_init(void);
void td_ticket_price(struct td_meter *meter, struct td_part *part);
bool td_ticket_get(u64 now, unsigned int points);

/**
 * td_ticket_needed() - are points dear on this CPU?
 *
 * Return: true if they need tickets; interrupts off.
 */
static __always_inline bool td_ticket_needed(void)
{
	return this_cpu_read(td_tickets.price);
}

#endif /* TOPDOWN_TICKET_H */
