/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_LATENCY_H
#define TOPDOWN_LATENCY_H

#include <linux/types.h>
#include <uapi/linux/topdown.h>

struct cpumask;
struct td_collector;

bool td_latency_samples(int cpu);
void td_latency_init(void);
int td_latency_get(int cpu, u64 events);
void td_latency_put(int cpu, u64 events);
void td_latency_read(int cpu, unsigned int event, struct topdown_latency_record *record);

bool td_latency_away(int cpu);

bool td_latency_due(const struct td_collector *collector);
bool td_latency_look(const struct td_collector *collector);
void td_latency_begin(const struct td_collector *collector);
void td_latency_end(const struct td_collector *collector);
void td_latency_setup(const struct td_collector *collector);
void td_latency_cleanup(const struct td_collector *collector);

#endif /* TOPDOWN_LATENCY_H */
