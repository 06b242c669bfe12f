/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_POINT_H
#define TOPDOWN_POINT_H

#include "meter.h"

struct td_collector;

void td_window_remind(struct td_collector *collector);
void td_window_take(struct td_collector *collector, enum td_fold how);
void td_window_point(struct td_collector *collector);

#endif /* TOPDOWN_POINT_H */
