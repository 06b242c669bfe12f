/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_LATENCY_LIST_H
#define TOPDOWN_LATENCY_LIST_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <uapi/linux/topdown.h>

struct cpumask;
struct td_session;

/**
 * struct td_latency_list - latency list: the latency sessions of one descriptor
 * @lock: protects the others
 * @list: the sessions
 * @nr: number of sessions
 * @last: highest number of a session so far
 */
struct td_latency_list {
	struct mutex lock; /* list, nr, last */
	struct list_head list;
	unsigned int nr;
	u32 last;
};

void td_latency_list_init(struct td_latency_list *latencies);
void td_latency_list_stop(struct td_latency_list *latencies);
int td_latency_list_check(const struct topdown_latency *what);
enum topdown_latency_refusal td_latency_list_refusal(void);
int td_latency_list_add(struct td_latency_list *latencies, struct topdown_latency *what,
			const struct cpumask *cpus, struct td_session *followed);
int td_latency_list_remove(struct td_latency_list *latencies, u32 id);
int td_latency_list_read(struct td_latency_list *latencies, struct topdown_latencies *read);

#endif /* TOPDOWN_LATENCY_LIST_H */
