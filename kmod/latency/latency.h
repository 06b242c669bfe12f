/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_LATENCY_H
#define TOPDOWN_LATENCY_H

#include <linux/types.h>
#include <uapi/linux/topdown_latency.h>

int td_latency_get(int cpu, u64 events);
void td_latency_put(int cpu, u64 events);
void td_latency_read(int cpu, unsigned int event, struct topdown_latency_record *record);

bool td_latency_away(int cpu, unsigned int event);

int td_latency_init(void);
void td_latency_exit(void);

#endif /* TOPDOWN_LATENCY_H */
