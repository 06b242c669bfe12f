// SPDX-License-Identifier: GPL-2.0
/*
 * Policy: for whom our groups stand aside, and how much of the time they take nevertheless.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "policy.h"

#define TD_POLICY_SHARE_MIN	8
#define TD_POLICY_SHARE_MAX	1024

enum td_policy_kind {
	TD_POLICY_ALL,
	TD_POLICY_TASKS,
	TD_POLICY_NEVER,
};

static const char * const td_policy_names[] = {
	[TD_POLICY_ALL]		= "all",
	[TD_POLICY_TASKS]	= "tasks",
	[TD_POLICY_NEVER]	= "never",
};

static enum td_policy_kind td_policy = TD_POLICY_ALL;

/**
 * td_policy_all() - do we stand aside also for perf users who count whole CPUs?
 *
 * Return: true or false.
 */
bool td_policy_all(void)
{
	return td_policy == TD_POLICY_ALL;
}

/**
 * td_policy_never() - do we stand aside for nobody?
 *
 * Return: true or false.
 */
bool td_policy_never(void)
{
	return td_policy == TD_POLICY_NEVER;
}

static int td_policy_param_set(const char *text, const struct kernel_param *param)
{
	int policy = sysfs_match_string(td_policy_names, text);

	if (policy < 0) {
		pr_err("aside must be all, tasks or never\n");
		return policy;
	}
	td_policy = policy;
	return 0;
}

static int td_policy_param_get(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%s\n", td_policy_names[td_policy]);
}

static const struct kernel_param_ops td_policy_param_ops = {
	.set = td_policy_param_set,
	.get = td_policy_param_get,
};
module_param_cb(aside, &td_policy_param_ops, NULL, 0444);
MODULE_PARM_DESC(aside, "Perf users who get the counters of a CPU at once if they lack them: all; tasks: only those who count tasks or cgroups, others share by rotation; never: none (default: all)");

static unsigned int td_share = 32;

static int td_policy_share_set(const char *text, const struct kernel_param *param)
{
	unsigned int share;

	if (kstrtouint(text, 0, &share) || share < TD_POLICY_SHARE_MIN ||
	    share > TD_POLICY_SHARE_MAX) {
		pr_err("share is not a whole number in %u..%u\n", TD_POLICY_SHARE_MIN,
		       TD_POLICY_SHARE_MAX);
		return -EINVAL;
	}
	td_share = share;
	return 0;
}

static const struct kernel_param_ops td_policy_share_ops = {
	.set = td_policy_share_set,
	.get = param_get_uint,
};
module_param_cb(share, &td_policy_share_ops, &td_share, 0444);
MODULE_PARM_DESC(share, "While perf users need the counters of a CPU, take them for one in so many parts of the time, 8..1024 (default: 32)");

/**
 * td_policy_share() - while somebody needs the counters, take them for one in so many parts
 *
 * Return: the number of parts.
 */
unsigned int td_policy_share(void)
{
	return td_share;
}
