/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_STARVED_H
#define TOPDOWN_STARVED_H

#include <linux/perf_event.h>
#include <linux/types.h>

struct perf_event_context;
struct td_meter;

void td_starved_set_sampler(perf_overflow_handler_t handler);
struct perf_event_context *td_starved_context(const struct td_meter *meter, bool all);
bool td_starved_task(const struct td_meter *meter);
u64 td_starved_by(const struct td_meter *meter, bool all);
void td_starved_renew(const struct td_meter *meter);
bool td_starved_by_general(const struct td_meter *meter);
bool td_starved_by_cycles(const struct td_meter *meter);
bool td_starved_by_sampler(const struct td_meter *meter);
bool td_starved_lacks(const struct perf_event *event);
bool td_starved_by_pebs(const struct td_meter *meter);
unsigned int td_starved_holders(const struct td_meter *meter);
bool td_starved_helped(const struct td_meter *meter);

#endif /* TOPDOWN_STARVED_H */
