/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_ASIDE_H
#define TOPDOWN_ASIDE_H

#include <linux/types.h>

struct td_collector;

int td_aside_init(void);
void td_aside_exit(void);
u32 td_aside_info(void);

void td_aside_setup(struct td_collector *collector);
void td_aside_cleanup(struct td_collector *collector);
void td_aside_begin(struct td_collector *collector);
void td_aside_end(struct td_collector *collector);

#endif /* TOPDOWN_ASIDE_H */
