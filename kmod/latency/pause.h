/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_PAUSE_H
#define TOPDOWN_PAUSE_H

#include <linux/types.h>

/**
 * struct td_pause - samplers leave their counter for some seconds
 * @on: now; read without the caller's lock too
 * @back_at: when it ends, in jiffies; as @on
 * @since: when the last one ended, in jiffies
 * @delay: how long the last one was, in jiffies
 */
struct td_pause {
	bool on;
	unsigned long back_at;
	unsigned long since;
	unsigned long delay;
};

void td_pause_init(struct td_pause *pause);
void td_pause_begin(struct td_pause *pause);
bool td_pause_over(const struct td_pause *pause);
void td_pause_end(struct td_pause *pause);
bool td_pause_is_on(const struct td_pause *pause, unsigned long late);

#endif /* TOPDOWN_PAUSE_H */
