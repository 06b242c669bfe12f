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
#include <linux/smp.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/processor.h>

#include "compat.h"
#include "formula.h"
#include "model.h"

/* SDM 4, IA32_PERF_CAPABILITIES: PERF_METRICS is available. */
#define TD_PERF_CAP_METRICS	15

/* SDM 2A, CPUID leaf 1AH: the core type, and of that the native model id. */
#define TD_LEAF_CORE_TYPE	0x1a
#define TD_CORE_TYPE_SHIFT	24
#define TD_CORE_TYPE_CORE	0x40
#define TD_CORE_TYPE_ATOM	0x20
#define TD_NATIVE_MASK		GENMASK(TD_CORE_TYPE_SHIFT - 1, 0)

/*
 * Widths and families: Intel's TMA metrics spreadsheets and its perfmon
 * repository.  A hybrid part has a row for each kind of core, told apart by the
 * native model id where a kind has several.
 */
#define INTEL(model, width, formula, codename)	\
	{ X86_VENDOR_INTEL, 6, model, 0, TOPDOWN_KIND_ONLY, 0, width, formula, codename }

#define P_CORE(model, width, formula, codename)	\
	{ X86_VENDOR_INTEL, 6, model, 0, TOPDOWN_KIND_CORE, 0, width, formula, codename }

#define E_CORE(model, native, width, formula, codename)	\
	{ X86_VENDOR_INTEL, 6, model, 0, TOPDOWN_KIND_ATOM, native, width, formula, codename }

#define AMD(family, first, last, width, formula, codename)	\
	{ X86_VENDOR_AMD, family, first, last, TOPDOWN_KIND_ONLY, 0, width, formula, codename }

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
	P_CORE(0x97, 6, &td_fallback_glc, "Alder Lake (Golden Cove)"),
	E_CORE(0x97, 1, 5, &td_atom_grt, "Alder Lake (Gracemont)"),
	P_CORE(0x9a, 6, &td_fallback_glc, "Alder Lake (Golden Cove)"),
	E_CORE(0x9a, 1, 5, &td_atom_grt, "Alder Lake (Gracemont)"),
	P_CORE(0xb7, 6, &td_fallback_glc, "Raptor Lake (Raptor Cove)"),
	E_CORE(0xb7, 1, 5, &td_atom_grt, "Raptor Lake (Gracemont)"),
	P_CORE(0xba, 6, &td_fallback_glc, "Raptor Lake (Raptor Cove)"),
	E_CORE(0xba, 1, 5, &td_atom_grt, "Raptor Lake (Gracemont)"),
	P_CORE(0xbf, 6, &td_fallback_glc, "Raptor Lake (Raptor Cove)"),
	E_CORE(0xbf, 1, 5, &td_atom_grt, "Raptor Lake (Gracemont)"),
	P_CORE(0xaa, 6, &td_fallback_glc, "Meteor Lake (Redwood Cove)"),
	E_CORE(0xaa, 2, 6, &td_atom_cmt, "Meteor Lake (Crestmont)"),
	P_CORE(0xac, 6, &td_fallback_glc, "Meteor Lake (Redwood Cove)"),
	E_CORE(0xac, 2, 6, &td_atom_cmt, "Meteor Lake (Crestmont)"),
	P_CORE(0xb5, 6, &td_fallback_glc, "Arrow Lake-U (Redwood Cove)"),
	E_CORE(0xb5, 2, 6, &td_atom_cmt, "Arrow Lake-U (Crestmont)"),
	P_CORE(0xc5, 8, &td_fallback_lnc, "Arrow Lake-H (Lion Cove)"),
	E_CORE(0xc5, 3, 8, &td_atom_skt, "Arrow Lake-H (Skymont)"),
	E_CORE(0xc5, 2, 6, &td_atom_cmt, "Arrow Lake-H (Crestmont)"),
	P_CORE(0xc6, 8, &td_fallback_lnc, "Arrow Lake-S (Lion Cove)"),
	E_CORE(0xc6, 3, 8, &td_atom_skt, "Arrow Lake-S (Skymont)"),
	P_CORE(0xbd, 8, &td_fallback_lnc, "Lunar Lake (Lion Cove)"),
	E_CORE(0xbd, 3, 8, &td_atom_skt, "Lunar Lake (Skymont)"),
	P_CORE(0xcc, 8, &td_fallback_lnc, "Panther Lake (Cougar Cove)"),
	E_CORE(0xcc, 4, 8, &td_atom_skt, "Panther Lake (Darkmont)"),
	AMD(0x19, 0x10, 0x1f, 6, &td_zen4, "Zen 4"),
	AMD(0x19, 0x60, 0xaf, 6, &td_zen4, "Zen 4"),
	AMD(0x1a, 0x00, 0x2f, 8, &td_zen5, "Zen 5"),
	AMD(0x1a, 0x40, 0x4f, 8, &td_zen5, "Zen 5"),
	AMD(0x1a, 0x60, 0x7f, 8, &td_zen5, "Zen 5"),
	AMD(0x1a, 0xd0, 0xd7, 8, &td_zen5, "Zen 5"),
};

static const struct td_model td_model_unknown = { .codename = "" };

static const struct td_model *td_model_find(enum topdown_kind kind, u32 native)
{
	const struct cpuinfo_x86 *cpu = &boot_cpu_data;
	const struct td_model *model;

	for (model = td_models; model < td_models + ARRAY_SIZE(td_models); model++) {
		if (model->vendor == cpu->x86_vendor && model->family == cpu->x86 &&
		    model->first <= cpu->x86_model &&
		    max(model->first, model->last) >= cpu->x86_model &&
		    model->kind == kind && (!model->native || model->native == native))
			return model;
	}
	return NULL;
}

/**
 * td_model_get() - the row of this machine
 *
 * Return: never NULL; width 0 and an empty name where the model is not known.  Of a
 * hybrid machine that of the P-cores.
 */
const struct td_model *td_model_get(void)
{
	const struct td_model *model = td_model_find(TOPDOWN_KIND_ONLY, 0);

	/* Also where the E-cores of such a part are switched off. */
	if (!model)
		model = td_model_find(TOPDOWN_KIND_CORE, 0);
	return model ? model : &td_model_unknown;
}

static void td_model_read_type(void *type)
{
	*(u32 *)type = cpuid_eax(TD_LEAF_CORE_TYPE);
}

/* CPUID leaf 1AH:EAX of a CPU that is online; 0 where there is but one kind. */
static u32 td_model_core_type(int cpu)
{
	u32 type = 0;

	if (boot_cpu_has(X86_FEATURE_HYBRID_CPU))
		smp_call_function_single(cpu, td_model_read_type, &type, 1);
	return type;
}

/**
 * td_model_kind() - what kind of core a CPU is
 * @cpu: online
 *
 * Return: TOPDOWN_KIND_ONLY if the machine is not hybrid, or the type not known.
 */
enum topdown_kind td_model_kind(int cpu)
{
	switch (td_model_core_type(cpu) >> TD_CORE_TYPE_SHIFT) {
	case TD_CORE_TYPE_CORE:
		return TOPDOWN_KIND_CORE;
	case TD_CORE_TYPE_ATOM:
		return TOPDOWN_KIND_ATOM;
	default:
		return TOPDOWN_KIND_ONLY;
	}
}

/**
 * td_model_of() - the row of a CPU
 * @cpu: online
 *
 * Return: never NULL; an E-core that is not known does not get the P-cores' row.
 */
const struct td_model *td_model_of(int cpu)
{
	enum topdown_kind kind = td_model_kind(cpu);
	const struct td_model *model;

	if (kind == TOPDOWN_KIND_ONLY)
		return td_model_get();
	model = td_model_find(kind, td_model_core_type(cpu) & TD_NATIVE_MASK);
	return model ? model : &td_model_unknown;
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
