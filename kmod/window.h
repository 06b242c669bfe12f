/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_WINDOW_H
#define TOPDOWN_WINDOW_H

#include <linux/irq_work.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "guest.h"
#include "meter.h"
#include "plausible.h"
#include "room.h"

#define TD_PERIOD_MIN_MS	10
#define TD_PERIOD_MAX_MS	60000
#define TD_PERIOD_DEFAULT_MS	1000

/**
 * struct td_window - the collector of one CPU
 * @cpu: its number
 * @model: its row of the table of models; under td_fit_mutex and set while no window
 *	is open, as the next two
 * @kind: what kind of core it is
 * @meter: what counts; NULL for nothing.  On the CPU with interrupts off it is only
 *	looked at while @open
 * @room: which groups of ordinary counters it shall have
 * @open: a window is open; on the CPU with interrupts off, as all up to @timer
 * @folded: local_clock() of the last fold
 * @parts: how often the open window has been folded without ending it
 * @flags: TOPDOWN_RECORD_* of the open window
 * @clamped: topdown_record.clamped of it
 * @part: what the meter counted between the last two folds; here, since the kernel fills
 *	every byte of a variable on the stack first
 * @guest: its time in virtual machines
 * @was_away: the groups were disabled for a perf user in a part of the open window
 * @believed: the log is to say that its counters can be believed again
 * @opened: when the open window began, in jiffies
 * @jitter: source of the timer's jitter
 * @timer: closes windows
 * @trust: what is thought of its counters; written on the CPU with interrupts off, or
 *	while no window is open under td_fit_mutex; others look at it, as at the next four
 * @state: what the record says of it; on the CPU with interrupts off
 * @busy: how long the CPU had worked before a reader last had it folded (fresh.c)
 * @lost: nothing of what it counts is believed any more; written as @trust
 * @nodes_possible: the nodes that it has figures of at times, bit n for node n; under
 *	td_fit_mutex
 * @away: the groups are disabled for a perf user (aside.c); on the CPU with interrupts
 *	off, as the next
 * @back_at: when they are enabled again, in jiffies
 * @look: looks whether it is time for that, or for the opposite
 * @mend: sees in process context to what is wrong (fit.c)
 * @mend_delay: pause before that, in jiffies; written under td_fit_mutex
 */
struct td_window {
	int cpu;
	const struct td_model *model;
	enum topdown_kind kind;
	struct td_meter *meter;
	struct td_room room;

	bool open;
	u64 folded;
	unsigned int parts;
	u32 flags;
	u64 clamped;
	struct td_part part;
	struct td_guest guest;
	bool was_away;
	bool believed;
	unsigned long opened;
	u32 jitter;
	struct timer_list timer;

	struct td_trust trust;
	enum topdown_state state;
	u64 busy;
	bool lost;
	u64 nodes_possible;

	bool away;
	unsigned long back_at;
	struct irq_work look;
	struct delayed_work mend;
	unsigned long mend_delay;
};

extern struct td_window __percpu *td_windows;

u64 td_window_odd(int cpu);
unsigned int td_window_nodes(int cpu);
enum td_doubt td_window_doubt(const struct td_window *window);
void td_window_setup(struct td_window *window, int cpu);
void td_window_fold(struct td_window *window, bool close);
void td_window_begin(void *arg);
void td_window_end(void *arg);
void td_window_offline(void *arg);
void td_window_aside(struct td_window *window);
void td_window_unsupported(void *arg);
void td_window_failed(void *arg);

unsigned int td_window_period(void);
void td_window_set_period(unsigned int period_ms);
void td_window_rearm_all(void);

#endif /* TOPDOWN_WINDOW_H */
