/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_MODEL_H
#define TOPDOWN_MODEL_H

#include <linux/types.h>

/**
 * struct td_model - what is known about a CPU model
 * @model: CPUID model of family 6
 * @slots_per_cycle: pipeline width of the cores with PERF_METRICS
 * @codename: Intel's name of the core
 */
struct td_model {
	u8 model;
	u8 slots_per_cycle;
	const char *codename;
};

int td_model_check(void);
const struct td_model *td_model_get(void);

#endif /* TOPDOWN_MODEL_H */
