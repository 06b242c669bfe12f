/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_WATCHES_H
#define TOPDOWN_WATCHES_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/poll.h>
#include <linux/types.h>
#include <uapi/linux/topdown.h>

#include "watch.h"

struct cpumask;

/**
 * struct td_watches - watch list: the watches of one descriptor
 * @list: the watches; under td_watch_mutex, as all up to @event_size
 * @nr: number of watches
 * @last: highest number of a watch so far
 * @any: the only watch is number 0, the default for any window
 * @event_size: size of a watch event for read()
 * @queue: the unread watch events
 */
struct td_watches {
	struct list_head list;
	unsigned int nr;
	u32 last;
	bool any;
	u32 event_size;
	struct td_watch_queue queue;
};

void td_watches_init(struct td_watches *watches);
void td_watches_stop(struct td_watches *watches);
int td_watches_check(const struct topdown_watch *what);
int td_watches_add(struct td_watches *watches, struct topdown_watch *what,
		   const struct cpumask *cpus);
int td_watches_remove(struct td_watches *watches, u32 id);
ssize_t td_watches_read(struct td_watches *watches, char __user *buffer, size_t size,
			bool nonblock);
__poll_t td_watches_poll(struct td_watches *watches, struct file *filp, poll_table *table);

#endif /* TOPDOWN_WATCHES_H */
