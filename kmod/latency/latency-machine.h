/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_LATENCY_MACHINE_H
#define TOPDOWN_LATENCY_MACHINE_H

#include <linux/types.h>
#include <linux/workqueue.h>
#include <uapi/linux/topdown_latency.h>

extern struct workqueue_struct *td_latency_wq;

bool td_latency_samples(int cpu);
void td_latency_work(struct work_struct *work, work_func_t func);
unsigned int td_latency_any_cpu(void);
int td_latency_takes(const struct topdown_latency_event *events, unsigned int nr, u64 *taken);
enum topdown_latency_refusal td_latency_refusal(void);

#endif /* TOPDOWN_LATENCY_MACHINE_H */
