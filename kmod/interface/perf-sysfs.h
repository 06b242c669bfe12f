/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_PERF_SYSFS_H
#define TOPDOWN_PERF_SYSFS_H

#include <linux/types.h>

/* attr.config: slots by its name.  0 is slots, too, and n + 1 is node n. */
#define TD_PERF_CONFIG_SLOTS	0x100

struct attribute_group;

extern const struct attribute_group *td_perf_groups[];

u64 td_perf_nodes(void);
void td_perf_sysfs_init(void);

#endif /* TOPDOWN_PERF_SYSFS_H */
