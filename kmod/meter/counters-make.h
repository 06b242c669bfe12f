/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_COUNTERS_MAKE_H
#define TOPDOWN_COUNTERS_MAKE_H

#include <linux/types.h>

struct td_meter;
struct td_model;

struct td_meter *td_counters_create(const struct td_model *model, int cpu, unsigned int room,
				    const u32 *open);

#endif /* TOPDOWN_COUNTERS_MAKE_H */
