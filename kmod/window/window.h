/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_WINDOW_H
#define TOPDOWN_WINDOW_H

#include <linux/types.h>

#include "collector.h"
#include "meter.h"
#include "plausible.h"

#define TD_PERIOD_MIN_MS	10
#define TD_PERIOD_MAX_MS	60000
#define TD_PERIOD_DEFAULT_MS	1000

u64 td_window_odd(int cpu);
u64 td_window_nodes(int cpu);
enum td_doubt td_window_doubt(const struct td_collector *collector);
void td_window_setup(struct td_collector *collector, int cpu);
void td_window_fold(struct td_collector *collector, enum td_fold how);
void td_window_begin(void *arg);
void td_window_end(void *arg);
void td_window_offline(void *arg);
void td_window_aside(struct td_collector *collector);
unsigned long td_window_jitter(struct td_collector *collector, unsigned long most);
void td_window_unsupported(void *arg);
void td_window_failed(void *arg);

unsigned int td_window_period(void);
void td_window_set_period(unsigned int period_ms);
void td_window_rearm_all(void);
void td_window_tell(void (*ended)(void));

#endif /* TOPDOWN_WINDOW_H */
