/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_PROBE_H
#define TOPDOWN_PROBE_H

#include <linux/types.h>

void td_probe_init(void);
bool td_probe_possible(void);
int td_probe_get(void);
void td_probe_put(void);

#endif /* TOPDOWN_PROBE_H */
