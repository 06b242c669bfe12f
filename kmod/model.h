/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_MODEL_H
#define TOPDOWN_MODEL_H

#include <linux/types.h>

struct td_formula;

/**
 * struct td_model - what is known about a CPU model
 * @vendor: X86_VENDOR_*
 * @family: CPUID family
 * @first: lowest CPUID model
 * @last: highest CPUID model, if there are several; otherwise 0
 * @slots_per_cycle: pipeline width; of the big cores of a hybrid part
 * @formula: for where there are no PERF_METRICS; NULL for none
 * @codename: Intel's or AMD's name of the core
 */
struct td_model {
	u8 vendor;
	u8 family;
	u8 first;
	u8 last;
	u8 slots_per_cycle;
	const struct td_formula *formula;
	const char *codename;
};

int td_model_check(void);
const struct td_model *td_model_get(void);
bool td_model_has_metrics(void);

#endif /* TOPDOWN_MODEL_H */
