// SPDX-License-Identifier: GPL-2.0
/*
 * The table of CPU models, and whether this machine can be measured at all.
 *
 * Whether a CPU has PERF_METRICS, and how many levels, is proved by the PMU: by
 * PERF_CAPABILITIES and by groups that can be made.  The table only adds what
 * cannot be asked for, and the events and the formula for where there are none.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/printk.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/processor.h>

#include "formula.h"
#include "model.h"

/* SDM 4, IA32_PERF_CAPABILITIES: PERF_METRICS is available. */
#define TD_PERF_CAP_METRICS	15

/*
 * Widths and families: Intel's TMA metrics spreadsheets and its perfmon
 * repository.  A hybrid part has a row for its big cores, and no formula: an
 * E-core that has no PERF_METRICS must not be measured with theirs.
 */
#define INTEL(model, width, formula, codename)	\
	{ X86_VENDOR_INTEL, 6, model, 0, width, formula, codename }

#define AMD(family, first, last, width, formula, codename)	\
	{ X86_VENDOR_AMD, family, first, last, width, formula, codename }

static const struct td_model td_models[] = {
	INTEL(0x2a, 4, &td_generic_snb, "Sandy Bridge"),
	INTEL(0x2d, 4, &td_generic_snb, "Sandy Bridge-EP"),
	INTEL(0x3a, 4, &td_generic_ivb, "Ivy Bridge"),
	INTEL(0x3e, 4, &td_generic_ivb, "Ivy Bridge-EP"),
	INTEL(0x3c, 4, &td_generic_hsw, "Haswell"),
	INTEL(0x45, 4, &td_generic_hsw, "Haswell"),
	INTEL(0x46, 4, &td_generic_hsw, "Haswell"),
	INTEL(0x3f, 4, &td_generic_hsw, "Haswell-X"),
	INTEL(0x3d, 4, &td_generic_bdw, "Broadwell"),
	INTEL(0x47, 4, &td_generic_bdw, "Broadwell"),
	INTEL(0x4f, 4, &td_generic_bdw, "Broadwell-X"),
	INTEL(0x56, 4, &td_generic_bdw, "Broadwell-DE"),
	INTEL(0x4e, 4, &td_generic_skl, "Skylake"),
	INTEL(0x5e, 4, &td_generic_skl, "Skylake"),
	INTEL(0x8e, 4, &td_generic_skl, "Kaby Lake"),
	INTEL(0x9e, 4, &td_generic_skl, "Kaby Lake"),
	INTEL(0xa5, 4, &td_generic_skl, "Comet Lake"),
	INTEL(0xa6, 4, &td_generic_skl, "Comet Lake"),
	INTEL(0x55, 4, &td_generic_skl, "Skylake-X (or Cascade Lake, Cooper Lake)"),
	INTEL(0x6a, 5, &td_fallback_icl, "Ice Lake-X (Sunny Cove)"),
	INTEL(0x6c, 5, &td_fallback_icl, "Ice Lake-D (Sunny Cove)"),
	INTEL(0x7d, 5, &td_fallback_icl, "Ice Lake (Sunny Cove)"),
	INTEL(0x7e, 5, &td_fallback_icl, "Ice Lake (Sunny Cove)"),
	INTEL(0x8c, 5, &td_fallback_icl, "Tiger Lake (Willow Cove)"),
	INTEL(0x8d, 5, &td_fallback_icl, "Tiger Lake (Willow Cove)"),
	INTEL(0xa7, 5, &td_fallback_icl, "Rocket Lake (Cypress Cove)"),
	INTEL(0x8f, 6, &td_fallback_glc, "Sapphire Rapids (Golden Cove)"),
	INTEL(0xcf, 6, &td_fallback_glc, "Emerald Rapids (Raptor Cove)"),
	INTEL(0xad, 6, &td_fallback_glc, "Granite Rapids-X (Redwood Cove)"),
	INTEL(0xae, 6, &td_fallback_glc, "Granite Rapids-D (Redwood Cove)"),
	INTEL(0x5c, 3, &td_atom_glm, "Goldmont"),
	INTEL(0x5f, 3, &td_atom_glm, "Denverton (Goldmont)"),
	INTEL(0x7a, 4, &td_atom_glm, "Goldmont Plus"),
	INTEL(0x86, 4, &td_atom_tnt, "Snow Ridge (Tremont)"),
	INTEL(0x96, 4, &td_atom_tnt, "Elkhart Lake (Tremont)"),
	INTEL(0x9c, 4, &td_atom_tnt, "Jasper Lake (Tremont)"),
	INTEL(0xbe, 5, &td_atom_grt, "Alder Lake-N (Gracemont)"),
	INTEL(0xaf, 6, &td_atom_cmt, "Sierra Forest (Crestmont)"),
	INTEL(0xb6, 6, &td_atom_cmt, "Grand Ridge (Crestmont)"),
	INTEL(0xdd, 8, &td_atom_skt, "Clearwater Forest (Darkmont)"),
	INTEL(0x97, 6, NULL, "Alder Lake (Golden Cove)"),
	INTEL(0x9a, 6, NULL, "Alder Lake (Golden Cove)"),
	INTEL(0xb7, 6, NULL, "Raptor Lake (Raptor Cove)"),
	INTEL(0xba, 6, NULL, "Raptor Lake (Raptor Cove)"),
	INTEL(0xbf, 6, NULL, "Raptor Lake (Raptor Cove)"),
	INTEL(0xaa, 6, NULL, "Meteor Lake (Redwood Cove)"),
	INTEL(0xac, 6, NULL, "Meteor Lake (Redwood Cove)"),
	INTEL(0xb5, 6, NULL, "Arrow Lake-U (Redwood Cove)"),
	INTEL(0xc5, 8, NULL, "Arrow Lake-H (Lion Cove)"),
	INTEL(0xc6, 8, NULL, "Arrow Lake-S (Lion Cove)"),
	INTEL(0xbd, 8, NULL, "Lunar Lake (Lion Cove)"),
	INTEL(0xcc, 8, NULL, "Panther Lake (Cougar Cove)"),
	AMD(0x19, 0x10, 0x1f, 6, &td_zen4, "Zen 4"),
	AMD(0x19, 0x60, 0xaf, 6, &td_zen4, "Zen 4"),
	AMD(0x1a, 0x00, 0x2f, 8, &td_zen5, "Zen 5"),
	AMD(0x1a, 0x40, 0x4f, 8, &td_zen5, "Zen 5"),
	AMD(0x1a, 0x60, 0x7f, 8, &td_zen5, "Zen 5"),
	AMD(0x1a, 0xd0, 0xd7, 8, &td_zen5, "Zen 5"),
};

static const struct td_model td_model_unknown = { .codename = "" };

/**
 * td_model_get() - the row of this machine
 *
 * Return: never NULL; width 0 and an empty name where the model is not known.
 */
const struct td_model *td_model_get(void)
{
	const struct cpuinfo_x86 *cpu = &boot_cpu_data;
	const struct td_model *model;

	for (model = td_models; model < td_models + ARRAY_SIZE(td_models); model++) {
		if (model->vendor == cpu->x86_vendor && model->family == cpu->x86 &&
		    model->first <= cpu->x86_model &&
		    max(model->first, model->last) >= cpu->x86_model)
			return model;
	}
	return &td_model_unknown;
}

/**
 * td_model_has_metrics() - does this machine say that it has PERF_METRICS?
 *
 * Return: true or false; true for a hybrid part, where it depends on the core.
 */
bool td_model_has_metrics(void)
{
	u32 low, high;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL)
		return false;

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
	const struct cpuinfo_x86 *cpu = &boot_cpu_data;
	bool intel = cpu->x86_vendor == X86_VENDOR_INTEL;

	/* Set from CPUID leaf 0AH; since 7.x only KVM may ask perf for more. */
	if (intel && !boot_cpu_has(X86_FEATURE_ARCH_PERFMON)) {
		pr_err("not loaded: no PMU (CPUID leaf 0AH); a virtual machine without a virtual PMU?\n");
		return -ENODEV;
	}
	if (!td_model_has_metrics() && !td_model_get()->formula) {
		pr_err("not loaded: no PERF_METRICS, and no formula for %s family %#x model %#x\n",
		       cpu->x86_vendor_id, cpu->x86, cpu->x86_model);
		return -ENODEV;
	}
	return 0;
}
