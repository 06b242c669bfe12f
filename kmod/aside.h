/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_ASIDE_H
#define TOPDOWN_ASIDE_H

#include <linux/types.h>

struct td_window;

int td_aside_init(void);
void td_aside_exit(void);
u32 td_aside_info(void);

void td_aside_setup(struct td_window *window);
void td_aside_cleanup(struct td_window *window);
void td_aside_begin(struct td_window *window);
void td_aside_end(struct td_window *window);

#endif /* TOPDOWN_ASIDE_H */
