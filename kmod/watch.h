/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_WATCH_H
#define TOPDOWN_WATCH_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/poll.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <uapi/linux/topdown.h>

struct cpumask;
struct td_condition;

/**
 * struct td_watch - the watch of one descriptor
 * @node: entry in the list of all watches once there is a condition; RCU
 * @condition: NULL until the descriptor watches; replaced under RCU
 * @wait: tasks that wait for a watch event
 * @lock: protects @event; taken in timers
 * @event: watch event for the next read(); none while its count is 0
 */
struct td_watch {
	struct list_head node;
	struct td_condition __rcu *condition;
	wait_queue_head_t wait;
	spinlock_t lock; /* event */
	struct topdown_event event;
};

void td_watch_init(struct td_watch *watch);
void td_watch_stop(struct td_watch *watch);
void td_watch_free(struct td_watch *watch);
int td_watch_set(struct td_watch *watch, const struct topdown_watch *what,
		 const struct cpumask *cpus);
ssize_t td_watch_read(struct td_watch *watch, char __user *buffer, size_t size, bool nonblock);
__poll_t td_watch_poll(struct td_watch *watch, struct file *filp, poll_table *table);

bool td_watch_wanted(void);
void td_watch_window(const struct topdown_record *record);

#endif /* TOPDOWN_WATCH_H */
