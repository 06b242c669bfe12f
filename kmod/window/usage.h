/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_USAGE_H
#define TOPDOWN_USAGE_H

#include <linux/percpu.h>
#include <linux/types.h>

#include "guest.h"
#include "group.h"
#include "reader.h"
#include "share.h"

struct td_collector;

/**
 * struct td_usage - what the followed task that a CPU runs has used; used there with interrupts
 *	off, and while no NMI may fold
 * @since: its sessions have been credited up to this local_clock()
 * @read: the reader was there at this local_clock()
 * @blind: the task got the CPU without a ticket: what is read next is not its own
 * @reader: up to where the counts of the CPU were read
 * @span: the span of its counters then
 * @guest: guest time of the CPU
 * @quant: how the CPU makes its bytes, if the meter is linear
 * @part: what is credited; not on the stack, because many kernels fill every variable there first
 * @credit: the credit of @part; it has the level, nodes, source and kind of the meter
 */
struct td_usage {
	u64 since;
	u64 read;
	bool blind;
	struct td_reader reader;
	struct td_span span;
	struct td_guest guest;
	const struct td_quant *quant;
	struct topdown_sums part;
	struct td_credit credit;
};

DECLARE_PER_CPU(struct td_usage, td_usages);

void td_usage_begin(struct td_collector *collector, u64 now, bool blind);
void td_usage_credit(struct td_collector *collector, u64 now);
void td_usage_folded(struct td_collector *collector);
void td_usage_meet(struct td_collector *collector);

#endif /* TOPDOWN_USAGE_H */
