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
struct iov_iter;

/**
 * struct td_watch_list - watch list: the watches of one descriptor
 * @list: the watches; under td_watch_mutex, as all up to @event_size
 * @nr: number of watches
 * @last: highest number of a watch so far
 * @event_size: size of a watch event for read(); that of the first watch, for ever
 * @queue: the unread watch events
 */
struct td_watch_list {
	struct list_head list;
	unsigned int nr;
	u32 last;
	u32 event_size;
	struct td_watch_queue queue;
};

void td_watch_list_init(struct td_watch_list *watches);
void td_watch_list_stop(struct td_watch_list *watches);
int td_watch_list_check(const struct topdown_watch *what);
int td_watch_list_add(struct td_watch_list *watches, struct topdown_watch *what,
		      const struct cpumask *cpus);
int td_watch_list_remove(struct td_watch_list *watches, u32 id);
ssize_t td_watch_list_read(struct td_watch_list *watches, struct iov_iter *to, bool nonblock);
__poll_t td_watch_list_poll(struct td_watch_list *watches, struct file *filp, poll_table *table);

#endif /* TOPDOWN_WATCHES_H */
