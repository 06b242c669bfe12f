/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_ASIDE_H
#define TOPDOWN_ASIDE_H

#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct td_window;

/**
 * struct td_aside - whether the groups of a CPU stand aside for a perf user
 * @lock: keeps the groups, if @ready; taken inside td_cpu_mutex
 * @ready: there are groups, and the CPU is online; under @lock
 * @away: the groups are disabled; written under @lock, as the next three on the CPU
 *	with interrupts off
 * @wanted: somebody lacks what the groups have
 * @starving: somebody lacked counters while we were away
 * @helped: somebody had what we left
 * @user: the context of perf that we left for; never followed, as the next
 * @hopeless: the context of perf that it was of no use to
 * @hopeless_until: when it is tried again, in jiffies; on the CPU with interrupts off,
 *	as the next two
 * @patience: how long that was put off
 * @back_at: when the groups are enabled again, in jiffies
 * @look: looks whether it is our groups that somebody lacks
 * @leave: disables the groups
 * @come_back: enables them
 * @timer: queues @come_back
 */
struct td_aside {
	/* The groups stay, and the CPU stays online, while it is held. */
	struct mutex lock;
	bool ready;
	bool away;
	bool wanted;
	bool starving;
	bool helped;
	const void *user;
	const void *hopeless;
	unsigned long hopeless_until;
	unsigned long patience;
	unsigned long back_at;
	struct irq_work look;
	struct work_struct leave;
	struct work_struct come_back;
	struct timer_list timer;
};

int td_aside_init(void);
void td_aside_exit(void);
u32 td_aside_info(void);

void td_aside_setup(struct td_window *window);
void td_aside_cleanup(struct td_window *window);
void td_aside_begin(struct td_window *window);
void td_aside_end(struct td_window *window);
void td_aside_remind(struct td_window *window);

#endif /* TOPDOWN_ASIDE_H */
