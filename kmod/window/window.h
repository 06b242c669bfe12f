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

/**
 * struct td_listener - who wants to know what happens to the windows of CPUs
 * @quiet_ended: the timer has closed a window of a quiet CPU
 * @begins: from now on a meter counts; what it has counted before is nobody's
 * @ends: a meter is used for the last time, and can still be read
 *
 * Each is called on the CPU with interrupts off.
 */
struct td_listener {
	void (*quiet_ended)(void);
	void (*begins)(void);
	void (*ends)(void);
};

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
void td_window_tell(const struct td_listener *listener);

#endif /* TOPDOWN_WINDOW_H */
