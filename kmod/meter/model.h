/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_MODEL_H
#define TOPDOWN_MODEL_H

#ifdef __KERNEL__
#include <asm/processor.h>
#include <uapi/linux/topdown.h>
#else
#include <linux/topdown.h>

/* As in the kernel's <asm/processor.h>. */
#define X86_VENDOR_INTEL	0
#define X86_VENDOR_AMD		2
#endif

struct td_formula;

#ifdef __KERNEL__
/* SDM 4, IA32_PERF_CAPABILITIES: PERF_METRICS is available; PEBS records are timed. */
#define TD_PERF_CAP_METRICS	15
#define TD_PERF_CAP_TIMED	17
#endif

/**
 * struct td_model - a row of the table of CPU models
 * @vendor: X86_VENDOR_*
 * @family: CPUID family
 * @first: lowest CPUID model
 * @last: highest CPUID model, if there are several; otherwise 0
 * @kind: enum topdown_kind; TOPDOWN_KIND_ONLY for machines that are not hybrid
 * @native: CPUID leaf 1AH, native model id; 0 for any
 * @slots_per_cycle: width; 0 if none is published
 * @formula: formula for a CPU without PERF_METRICS; NULL for none
 * @codename: Intel's or AMD's name of the core
 * @note: text for users: why the row is not confirmed; NULL if it is confirmed
 */
struct td_model {
	__u8 vendor;
	__u8 family;
	__u8 first;
	__u8 last;
	__u8 kind;
	__u8 native;
	__u8 slots_per_cycle;
	const struct td_formula *formula;
	const char *codename;
	const char *note;
};

const struct td_model *td_model_find(unsigned int vendor, unsigned int family,
				     unsigned int number, enum topdown_kind kind, __u32 native);

#ifdef __KERNEL__
int td_model_check(void);
const struct td_model *td_model_get(void);
const struct td_model *td_model_of(int cpu);
enum topdown_kind td_model_kind(int cpu);
bool td_model_has_metrics(void);
#endif

#endif /* TOPDOWN_MODEL_H */
