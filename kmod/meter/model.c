// SPDX-License-Identifier: GPL-2.0
/*
 * The models of this machine's CPUs, and whether the machine can be measured at all.
 *
 * The PMU itself proves whether a CPU has PERF_METRICS and how many levels: by
 * PERF_CAPABILITIES, and by the groups that the driver accepts.  The table of models adds
 * only facts that cannot be asked for, and the events and the formula for CPUs without
 * PERF_METRICS.
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

/* SDM 2A, CPUID leaf 1AH: the core type, and the native model id of that type. */
#define TD_LEAF_CORE_TYPE	0x1a
#define TD_CORE_TYPE_SHIFT	24
#define TD_CORE_TYPE_CORE	0x40
#define TD_CORE_TYPE_ATOM	0x20
#define TD_NATIVE_MASK		GENMASK(TD_CORE_TYPE_SHIFT - 1, 0)

static const struct td_model td_model_unknown = { .codename = "" };

static const struct td_model *td_model_here(enum topdown_kind kind, u32 native)
{
	const struct cpuinfo_x86 *cpu = &boot_cpu_data;

	return td_model_find(cpu->x86_vendor, cpu->x86, cpu->x86_model, kind, native);
}

/**
 * td_model_get() - the row of this machine
 *
 * Return: the row, never NULL; width 0 and an empty name if the model is not known.  For a
 * hybrid machine it is the row of the P-cores.
 */
const struct td_model *td_model_get(void)
{
	const struct td_model *model = td_model_here(TOPDOWN_KIND_ONLY, 0);

	/* A hybrid part, perhaps with its E-cores switched off. */
	if (!model)
		model = td_model_here(TOPDOWN_KIND_CORE, 0);
	return model ? model : &td_model_unknown;
}

static void td_model_read_type(void *type)
{
	*(u32 *)type = cpuid_eax(TD_LEAF_CORE_TYPE);
}

/* CPUID leaf 1AH:EAX of a CPU that is online; 0 if the machine is not hybrid. */
static u32 td_model_core_type(int cpu)
{
	u32 type = 0;

	if (boot_cpu_has(X86_FEATURE_HYBRID_CPU))
		smp_call_function_single(cpu, td_model_read_type, &type, 1);
	return type;
}

/**
 * td_model_kind() - the kind of a CPU
 * @cpu: online
 *
 * Return: the kind; TOPDOWN_KIND_ONLY if the machine is not hybrid, or if the type is not
 * known.
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
 * Return: the row, never NULL; an unknown E-core does not get the row of the P-cores.
 */
const struct td_model *td_model_of(int cpu)
{
	enum topdown_kind kind = td_model_kind(cpu);
	const struct td_model *model;

	if (kind == TOPDOWN_KIND_ONLY)
		return td_model_get();
	model = td_model_here(kind, td_model_core_type(cpu) & TD_NATIVE_MASK);
	return model ? model : &td_model_unknown;
}

/**
 * td_model_has_metrics() - can CPUs of this machine have PERF_METRICS?
 *
 * Return: true or false; always true for a hybrid part.
 */
bool td_model_has_metrics(void)
{
	u32 low, high;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL)
		return false;

	/* On a hybrid part that depends on the core, so let the groups prove it. */
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

	/* The flag comes from CPUID leaf 0AH; since 7.x only KVM may ask perf for more. */
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
