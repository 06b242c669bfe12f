/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_MODEL_H
#define TOPDOWN_MODEL_H

#include <linux/types.h>
#include <uapi/linux/topdown.h>

struct td_formula;

/**
 * struct td_model - what is known about a CPU model
 * @vendor: X86_VENDOR_*
 * @family: CPUID family
 * @first: lowest CPUID model
 * @last: highest CPUID model, if there are several; otherwise 0
 * @kind: enum topdown_kind; TOPDOWN_KIND_ONLY for machines that are not hybrid
 * @native: CPUID leaf 1AH, native model id; 0 for any
 * @slots_per_cycle: pipeline width
 * @formula: for where there are no PERF_METRICS; NULL for none
 * @codename: Intel's or AMD's name of the core
 */
struct td_model {
	u8 vendor;
	u8 family;
	u8 first;
	u8 last;
	u8 kind;
	u8 native;
	u8 slots_per_cycle;
	const struct td_formula *formula;
	const char *codename;
};

int td_model_check(void);
const struct td_model *td_model_get(void);
const struct td_model *td_model_of(int cpu);
enum topdown_kind td_model_kind(int cpu);
bool td_model_has_metrics(void);

#endif /* TOPDOWN_MODEL_H */
