/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_CYCLES_H
#define TOPDOWN_CYCLES_H

#include <linux/types.h>

struct td_collector;

bool td_cycles_due(const struct td_collector *collector);
bool td_cycles_look(const struct td_collector *collector);
void td_cycles_pause(const struct td_collector *collector, bool paused);
void td_cycles_begin(const struct td_collector *collector);
void td_cycles_end(const struct td_collector *collector);
void td_cycles_setup(const struct td_collector *collector);
void td_cycles_cleanup(const struct td_collector *collector);

#endif /* TOPDOWN_CYCLES_H */
