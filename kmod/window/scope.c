// SPDX-License-Identifier: GPL-2.0
/*
 * Which CPUs are measured, and which of these no reader may interrupt.
 *
 * An excluded CPU has no group and no timer, and readers do not interrupt it.  Its record
 * says so from the beginning and is never written again.
 *
 * nohz_full CPUs are for tasks that nothing may interrupt.  They are measured only if the
 * parameter names them.  Then only their window's timer interrupts them, and readers see
 * the sums as of its last fold.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitmap.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/tick.h>

#include "compat.h"
#include "scope.h"

/* The log shows this much of a bad value. */
#define TD_SCOPE_TEXT_MAX	((size_t)64)

/* Written only while the module is being loaded, before there are readers. */
static struct cpumask td_scope_cpus;
static bool td_scope_given;

static int td_scope_refuse(const char *text, const char *why)
{
	pr_err("cpus '%.*s' %s; this machine has %*pbl\n",
	       (int)min(strcspn(text, "\n"), TD_SCOPE_TEXT_MAX), text, why,
	       cpumask_pr_args(cpu_possible_mask));
	return -EINVAL;
}

/* Not cpulist_parse(): with nr_cpu_ids bits, "N" is the last possible CPU. */
static int td_scope_param_set(const char *text, const struct kernel_param *param)
{
	int ret = bitmap_parselist(text, cpumask_bits(&td_scope_cpus), nr_cpu_ids);

	if (ret == -ERANGE)
		return td_scope_refuse(text, "names a CPU that this machine cannot have");
	if (ret)
		return td_scope_refuse(text, "is not a list of CPUs as 0-3,8 or all");
	if (cpumask_empty(&td_scope_cpus))
		return td_scope_refuse(text, "names no CPU");
	if (!cpumask_subset(&td_scope_cpus, cpu_possible_mask))
		return td_scope_refuse(text, "names a CPU that this machine cannot have");
	td_scope_given = true;
	return 0;
}

static int td_scope_param_get(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%*pbl\n", cpumask_pr_args(&td_scope_cpus));
}

static const struct kernel_param_ops td_scope_param_ops = {
	.set = td_scope_param_set,
	.get = td_scope_param_get,
};
module_param_cb(cpus, &td_scope_param_ops, NULL, 0444);
MODULE_PARM_DESC(cpus, "CPUs to measure, as 0-3,8 or all; nohz_full CPUs are measured only if named (default: all other CPUs)");

/**
 * td_scope_init() - decide which CPUs are measured
 */
void td_scope_init(void)
{
	int cpu;

	if (td_scope_given)
		return;
	for_each_possible_cpu(cpu) {
		if (!tick_nohz_full_cpu(cpu))
			cpumask_set_cpu(cpu, &td_scope_cpus);
	}
}

/**
 * td_scope_has() - is a CPU measured while it is online?
 * @cpu: possible CPU
 *
 * Return: true or false; constant while the module is loaded.
 */
bool td_scope_has(int cpu)
{
	return cpumask_test_cpu(cpu, &td_scope_cpus);
}
EXPORT_SYMBOL_NS_GPL(td_scope_has, TD_NAMESPACE);

/**
 * td_scope_quiet() - may only its own timer interrupt a CPU?
 * @cpu: possible CPU
 *
 * Return: true or false.
 */
bool td_scope_quiet(int cpu)
{
	return tick_nohz_full_cpu(cpu);
}
EXPORT_SYMBOL_NS_GPL(td_scope_quiet, TD_NAMESPACE);

/**
 * td_scope_reachable() - may readers interrupt a CPU?
 * @cpu: possible CPU
 * @unused: NULL; on_each_cpu_cond() takes this function
 *
 * Return: true or false.
 */
bool td_scope_reachable(int cpu, void *unused)
{
	return td_scope_has(cpu) && !td_scope_quiet(cpu);
}

/**
 * td_scope_reason() - why CPUs are excluded
 *
 * Return: text for users, in place of the source.
 */
const char *td_scope_reason(void)
{
	return td_scope_given ? "excluded: cpus= does not name it" :
				"excluded: nohz_full, and cpus= does not name it";
}

/**
 * td_scope_online() - is any CPU online that is not excluded?
 *
 * Return: true or false.
 */
bool td_scope_online(void)
{
	return cpumask_intersects(&td_scope_cpus, cpu_online_mask);
}
