// SPDX-License-Identifier: GPL-2.0
/*
 * The table of CPU models, and whether this machine can be measured at all.
 *
 * Whether a CPU has PERF_METRICS, and how many levels, is proved by the PMU: by
 * PERF_CAPABILITIES and by groups that can be made.  The table only adds what
 * cannot be asked for.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/processor.h>

#include "model.h"

/* SDM 4, IA32_PERF_CAPABILITIES: PERF_METRICS is available. */
#define TD_PERF_CAP_METRICS	15

/* Widths: TMA metrics spreadsheet 5.2, "Slots" of each core. */
static const struct td_model td_models[] = {
	{ 0x6a, 5, "Ice Lake-X (Sunny Cove)" },
	{ 0x6c, 5, "Ice Lake-D (Sunny Cove)" },
	{ 0x7d, 5, "Ice Lake (Sunny Cove)" },
	{ 0x7e, 5, "Ice Lake (Sunny Cove)" },
	{ 0x8c, 5, "Tiger Lake (Willow Cove)" },
	{ 0x8d, 5, "Tiger Lake (Willow Cove)" },
	{ 0xa7, 5, "Rocket Lake (Cypress Cove)" },
	{ 0x8f, 6, "Sapphire Rapids (Golden Cove)" },
	{ 0xcf, 6, "Emerald Rapids (Raptor Cove)" },
	{ 0xad, 6, "Granite Rapids-X (Redwood Cove)" },
	{ 0xae, 6, "Granite Rapids-D (Redwood Cove)" },
	{ 0x97, 6, "Alder Lake (Golden Cove)" },
	{ 0x9a, 6, "Alder Lake (Golden Cove)" },
	{ 0xb7, 6, "Raptor Lake (Raptor Cove)" },
	{ 0xba, 6, "Raptor Lake (Raptor Cove)" },
	{ 0xbf, 6, "Raptor Lake (Raptor Cove)" },
	{ 0xaa, 6, "Meteor Lake (Redwood Cove)" },
	{ 0xac, 6, "Meteor Lake (Redwood Cove)" },
	{ 0xb5, 6, "Arrow Lake-U (Redwood Cove)" },
	{ 0xc5, 8, "Arrow Lake-H (Lion Cove)" },
	{ 0xc6, 8, "Arrow Lake-S (Lion Cove)" },
	{ 0xbd, 8, "Lunar Lake (Lion Cove)" },
	{ 0xcc, 8, "Panther Lake (Cougar Cove)" },
};

static const struct td_model td_model_unknown = { .codename = "" };

/**
 * td_model_get() - the row of this machine
 *
 * Return: never NULL; width 0 and an empty name where the model is not known.
 */
const struct td_model *td_model_get(void)
{
	unsigned int i;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL || boot_cpu_data.x86 != 6)
		return &td_model_unknown;
	for (i = 0; i < ARRAY_SIZE(td_models); i++) {
		if (td_models[i].model == boot_cpu_data.x86_model)
			return &td_models[i];
	}
	return &td_model_unknown;
}

static bool td_model_has_metrics(void)
{
	u32 low, high;

	/* On a hybrid part it depends on the core: let the groups prove it. */
	if (boot_cpu_has(X86_FEATURE_HYBRID_CPU))
		return true;
	if (!boot_cpu_has(X86_FEATURE_PDCM) ||
	    rdmsr_safe(MSR_IA32_PERF_CAPABILITIES, &low, &high))
		return false;
	return low & BIT(TD_PERF_CAP_METRICS);
}

/**
 * td_model_check() - can this machine be measured?
 *
 * Return: 0, or -ENODEV after one line in the log that says what is missing.
 */
int td_model_check(void)
{
	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL) {
		pr_err("not loaded: CPU vendor is %s, and only Intel CPUs have PERF_METRICS\n",
		       boot_cpu_data.x86_vendor_id);
		return -ENODEV;
	}
	/* Set from CPUID leaf 0AH; since 7.x only KVM may ask perf for more. */
	if (!boot_cpu_has(X86_FEATURE_ARCH_PERFMON)) {
		pr_err("not loaded: no PMU (CPUID leaf 0AH); a virtual machine without a virtual PMU?\n");
		return -ENODEV;
	}
	if (!td_model_has_metrics()) {
		pr_err("not loaded: no PERF_METRICS (PERF_CAPABILITIES bit 15): Ice Lake or later is needed, and a hypervisor that passes it on\n");
		return -ENODEV;
	}
	return 0;
}
