/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_WINDOW_H
#define TOPDOWN_WINDOW_H

#include <linux/timer.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "aside.h"
#include "group.h"
#include "guest.h"
#include "metrics.h"
#include "plausible.h"
#include "refine.h"

struct cpumask;
struct td_counters;
struct td_model;

#define TD_PERIOD_MIN_MS	10
#define TD_PERIOD_MAX_MS	60000
#define TD_PERIOD_DEFAULT_MS	1000

/**
 * struct td_window - the collector of one CPU
 * @cpu: its number
 * @started: the CPU is ours to measure; under td_cpu_mutex
 * @group: SLOTS and PERF_METRICS; changed under td_cpu_mutex, and on the CPU with
 *	interrupts off only looked at while @open
 * @refine: how what @group counts is corrected; as @group
 * @counters: ordinary counters instead of @group, or NULL; as @group
 * @open: a window is open; on the CPU with interrupts off, as the next
 *	seven
 * @folded: local_clock() of the last fold
 * @running: td_group_running() at that time
 * @counts: the group's counts at that time
 * @quant: what the CPU's bytes look like
 * @trust: what is thought of its counters; on the CPU with interrupts off, or while no
 *	window is open under td_cpu_mutex; others look at it
 * @guest: its time in virtual machines
 * @parts: how often the open window has been folded without ending it
 * @busy: td_window_busy() before a reader last had the CPU folded; readers look
 *	at it
 * @lost: nothing of what it counts is believed any more; written as @trust, others look
 *	at it
 * @believed: the log is to say that its counters can be believed again; on the CPU with
 *	interrupts off
 * @jitter: source of the timer's jitter; on the CPU with interrupts off
 * @timer: closes windows
 * @opened: when the open window began, in jiffies; on the CPU with interrupts off
 * @retry: makes a group anew, or enables it again after an error
 * @retry_delay: pause before the next try, in jiffies; written under td_cpu_mutex
 * @refuse_delay: the same where the counters are not what the CPU did; under td_cpu_mutex
 * @troubled: the log says that the CPU has no group; under td_cpu_mutex
 * @aside: whether the groups are disabled for a perf user
 * @was_aside: they were in a part of the open window; on the CPU with interrupts off
 * @room: the most events that a group of @counters may have, or that those shall
 *	have that are made next; written under td_cpu_mutex before there are any,
 *	then on the CPU with interrupts off, as the next two
 * @widen_at: when there may be all the room again, or when there was, in jiffies
 * @widen_delay: how long it was put off the last time
 * @drill: level 1 nodes whose children shall be counted where not all can be, bit n for
 *	node n; on the CPU with interrupts off, as the next; read under td_cpu_mutex
 * @drill_at: when each of them was over its threshold the last time, in jiffies
 * @model: its row of the table of models; under td_cpu_mutex, and set while no window
 *	is open
 * @kind: what kind of core it is; set while no window is open
 * @level: highest level of @group or @counters; set while no window is open
 * @nodes: the nodes that it has, bit n for node n; set while no window is open
 * @nodes_possible: those that @drill may yet add too; others look at it
 * @source: enum topdown_source; set while no window is open
 * @flags: TOPDOWN_RECORD_* of the open window; on the CPU with interrupts off
 * @state: what the record says of it; on the CPU with interrupts off, if it is measured
 */
struct td_window {
	int cpu;
	bool started;
	struct td_group group;
	struct td_refine refine;
	struct td_counters *counters;

	bool open;
	u64 folded;
	u64 running;
	struct td_counts counts;
	struct td_quant quant;
	struct td_trust trust;
	struct td_guest guest;
	unsigned int parts;

	u64 busy;
	bool lost;
	bool believed;

	u32 jitter;
	struct timer_list timer;
	unsigned long opened;
	struct delayed_work retry;
	unsigned long retry_delay;
	unsigned long refuse_delay;
	bool troubled;
	struct td_aside aside;
	bool was_aside;

	unsigned int room;
	unsigned long widen_at;
	unsigned long widen_delay;
	u32 drill;
	unsigned long drill_at[TOPDOWN_NR_PARENTS];
	const struct td_model *model;
	enum topdown_kind kind;
	unsigned int level;
	unsigned int nodes;
	unsigned int nodes_possible;
	enum topdown_source source;
	u32 flags;
	enum topdown_state state;
};

extern struct td_window __percpu *td_windows;

void td_window_enable_groups(struct td_window *window);
void td_window_disable_groups(struct td_window *window);
bool td_window_in_error(const struct td_window *window);
enum td_doubt td_window_doubt(const struct td_window *window);
u64 td_window_odd(int cpu);
bool td_window_drills(const struct td_window *window);
unsigned int td_window_nodes(int cpu);
void td_window_setup(struct td_window *window, int cpu);
void td_window_fold(struct td_window *window, bool close);
void td_window_begin(void *arg);
void td_window_end(void *arg);
void td_window_offline(void *arg);
void td_window_aside(struct td_window *window);
void td_window_resize(void *arg);
void td_window_unsupported(void *arg);
void td_window_failed(void *arg);

unsigned int td_window_period(void);
void td_window_set_period(unsigned int period_ms);
void td_window_rearm_all(void);
void td_window_fold_now(const struct cpumask *cpus);
void td_window_fold_awake(const struct cpumask *cpus);

#endif /* TOPDOWN_WINDOW_H */
