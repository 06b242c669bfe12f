/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_FIT_H
#define TOPDOWN_FIT_H

#include <linux/mutex.h>
#include <linux/types.h>

#include "meter.h"

struct td_collector;

extern struct mutex td_fit_mutex;

void td_fit_setup(struct td_collector *collector);
void td_fit_start(struct td_collector *collector);
void td_fit_stop(struct td_collector *collector);
void td_fit_siblings(struct td_collector *collector);
bool td_fit_started(const struct td_collector *collector);
void td_fit_describe(int cpu, char text[TD_METER_TEXT]);

#endif /* TOPDOWN_FIT_H */
