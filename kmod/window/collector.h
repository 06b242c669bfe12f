/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_COLLECTOR_H
#define TOPDOWN_COLLECTOR_H

#include <linux/compiler.h>
#include <linux/irq_work.h>
#include <linux/kernel_stat.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "busy.h"
#include "compat.h"
#include "guest.h"
#include "meter.h"
#include "plausible.h"
#include "room.h"

/**
 * struct td_collector - the collector of one CPU
 * @cpu: number of the CPU
 * @model: row of the CPU in the table of models; changed under td_fit_mutex while no
 *	window is open
 * @kind: kind of the CPU; changed as @model
 * @meter: the meter; NULL for none.  Changed as @model.  On the CPU with interrupts off it
 *	is used only while @open
 * @room: policy for groups of ordinary counters
 * @held: an NMI must not fold; used on the CPU with interrupts off, and by its NMIs
 * @open: a window is open; used on the CPU with interrupts off, as all fields up to @timer
 * @begun: how many meters have begun
 * @folded: local_clock() of the last fold
 * @parts: number of folds in the open window that did not end it
 * @flags: TOPDOWN_RECORD_* of the open window
 * @clamped: topdown_record.clamped of the open window
 * @total: sums of all parts.  A node may fall by a little from one part to the next; the map
 *	has what readers see
 * @recorded: those as of the last fold
 * @news: the difference of both at the last fold; not on the stack, as @part
 * @owed: slots that each node has too many there, because what readers see never falls
 * @part: counts between the last two folds; here and not on the stack, because many kernels
 *	fill every variable on the stack first
 * @guest: guest time of the CPU
 * @busy_time: busy time of the CPU
 * @turns_ns: sum of td_part.turns_ns in the open window
 * @was_away: the groups were disabled for a perf user during some of the open window
 * @believed: the next timer logs that the counters are trusted again
 * @opened: when the open window began, in jiffies
 * @jitter: random state for the jitter of timers
 * @timer: ends windows
 * @trust: how far the counters are trusted; written on the CPU with interrupts off, or
 *	under td_fit_mutex while no window is open; read from anywhere
 * @state: state of the record; written on the CPU with interrupts off; read from anywhere
 * @busy: busy time of the CPU at the last fold for a reader (fresh.c); read from anywhere
 * @sleep: the sleep in which no fold for a reader is due (fresh.c); used from anywhere
 * @lost: the CPU is to be given up; written as @trust
 * @nodes_possible: nodes that the CPU counts now or may count with drilldown, bit n for
 *	node n; written under td_fit_mutex; read from anywhere
 * @away: the groups are disabled for a perf user (aside.c); written on the CPU with
 *	interrupts off
 * @back_at: when to enable them again, in jiffies; used as @away
 * @look: checks whether to disable the groups for a perf user, or to enable them again
 * @mend: mends the meter in process context (fit.c)
 * @mend_delay: delay before that, in jiffies; written under td_fit_mutex
 */
struct td_collector {
	int cpu;

	/* Written under td_fit_mutex, while no window is open. */
	const struct td_model *model;
	enum topdown_kind kind;
	struct td_meter *meter;
	/* Written as its fields say. */
	struct td_room room;

	/* Written on the CPU with interrupts off, and by its NMIs. */
	unsigned int held;

	/* Written on the CPU with interrupts off, and read there. */
	bool open;
	u64 begun;
	u64 folded;
	unsigned int parts;
	u32 flags;
	u64 clamped;
	struct topdown_sums total;
	struct topdown_sums recorded;
	struct topdown_sums news;
	s64 owed[TD_NR_NODES];
	struct td_part part;
	struct td_guest guest;
	struct td_busy busy_time;
	u64 turns_ns;
	bool was_away;
	bool believed;
	unsigned long opened;
	u32 jitter;
	struct timer_list timer;

	/* Written on the CPU, or under td_fit_mutex without an open window; read from anywhere. */
	struct td_trust trust;
	enum topdown_state state;

	/* Written by folds for readers; read from anywhere. */
	u64 busy;
	unsigned int sleep;

	/* Written under td_fit_mutex, and @lost on the CPU too; read from anywhere. */
	bool lost;
	u64 nodes_possible;

	/* Written on the CPU with interrupts off, when it stands aside and comes back. */
	bool away;
	unsigned long back_at;
	struct irq_work look;

	/* Written by the mending, under td_fit_mutex. */
	struct delayed_work mend;
	unsigned long mend_delay;
};

extern struct td_collector __percpu *td_collectors;

/**
 * td_window_hold() - let no NMI fold, and no event that a fold itself causes
 * @collector: collector of this CPU; interrupts off
 */
static __always_inline void td_window_hold(struct td_collector *collector)
{
	/*
	 * Pairs with READ_ONCE() in td_window_held(), on the same CPU.  An NMI in between leaves
	 * the number as it was.
	 */
	WRITE_ONCE(collector->held, READ_ONCE(collector->held) + 1);
	barrier();
}

/**
 * td_window_release() - undo td_window_hold()
 * @collector: collector of this CPU; interrupts off
 */
static __always_inline void td_window_release(struct td_collector *collector)
{
	barrier();
	/* As in td_window_hold(). */
	WRITE_ONCE(collector->held, collector->held - 1);
}

/**
 * td_window_held() - was td_window_hold() called and not undone?
 * @collector: collector of this CPU; interrupts off, or in an NMI
 *
 * Return: true or false.
 */
static __always_inline bool td_window_held(const struct td_collector *collector)
{
	/* Pairs with WRITE_ONCE() in td_window_hold() and td_window_release(). */
	return READ_ONCE(collector->held);
}

/* The guest time of this CPU, in which our events do not count. */
static __always_inline u64 td_window_guests(void)
{
	const u64 *stat = kcpustat_this_cpu->cpustat;

	return stat[CPUTIME_GUEST] + stat[CPUTIME_GUEST_NICE];
}

/* Guest time that perf does not count as running. */
static inline u64 td_window_guests_apart(const struct td_collector *collector)
{
	return td_compat_guest_apart(td_meter_leader(collector->meter));
}

#endif /* TOPDOWN_COLLECTOR_H */
