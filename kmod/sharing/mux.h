/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_MUX_H
#define TOPDOWN_MUX_H

#include <linux/types.h>

struct hrtimer;
struct td_meter;

int td_mux_init(void (*rotates)(void));
void td_mux_exit(void);
bool td_mux_watched(void);
void td_mux_set(struct hrtimer *timer);
bool td_mux_here(void);
bool td_mux_rotating(void);
u64 td_mux_interval_ns(const struct td_meter *meter);
u64 td_mux_left(const struct td_meter *meter);

#endif /* TOPDOWN_MUX_H */
