/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_CYCLES_H
#define TOPDOWN_CYCLES_H

#include <linux/types.h>

struct td_window;

bool td_cycles_due(const struct td_window *window);
bool td_cycles_look(const struct td_window *window);
void td_cycles_pause(const struct td_window *window, bool paused);
void td_cycles_begin(const struct td_window *window);
void td_cycles_end(const struct td_window *window);
void td_cycles_setup(const struct td_window *window);
void td_cycles_cleanup(const struct td_window *window);

#endif /* TOPDOWN_CYCLES_H */
