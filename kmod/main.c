// SPDX-License-Identifier: GPL-2.0
/*
 * topdown: Top-Down (TMA) figures of every CPU, for any number of readers.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/init.h>
#include <linux/module.h>

#include "aside.h"
#include "attach.h"
#include "chardev.h"
#include "collect.h"
#include "cpu.h"
#include "credit.h"
#include "device.h"
#include "follow.h"
#include "group.h"
#include "map.h"
#include "model.h"
#include "perf.h"
#include "session.h"
#include "sysfs.h"
#include "ticket.h"
#include "ticks.h"
#include "trial.h"

static int __init td_init(void)
{
	int ret;

	ret = td_model_check();
	if (ret)
		return ret;
	/* Before the first group, which notes the time. */
	td_ticks_init();
	ret = td_group_init();
	if (ret)
		return ret;
	ret = td_map_init();
	if (ret)
		goto err_group;
	/* Before the first fold, because each fold uses the lists. */
	td_credit_init();
	/* Before the first group, which depends on it. */
	ret = td_aside_init();
	if (ret)
		goto err_map;
	ret = td_cpu_init();
	if (ret)
		goto err_aside;
	/* Before the first switch of a task that is followed. */
	td_ticket_init();
	ret = td_session_init();
	if (ret)
		goto err_cpu;
	ret = td_follow_init();
	if (ret)
		goto err_session;
	/* Before the device, which tells. */
	td_trial_run();
	ret = td_sysfs_init();
	if (ret)
		goto err_follow;
	ret = td_perf_init();
	if (ret)
		goto err_sysfs;
	ret = td_device_init();
	if (ret)
		goto err_perf;
	/* Last of all that can fail, as nothing waits for users of a module that fails to load. */
	ret = td_chardev_init();
	if (ret)
		goto err_device;
	td_perf_open();
	return 0;

err_device:
	td_device_exit();
err_perf:
	td_perf_exit();
err_sysfs:
	td_sysfs_exit();
err_follow:
	td_follow_exit();
err_session:
	td_session_exit();
err_cpu:
	td_cpu_exit();
err_aside:
	td_aside_exit();
err_map:
	td_map_exit();
err_group:
	td_group_exit();
	return ret;
}

static void __exit td_exit(void)
{
	td_chardev_exit();
	td_device_exit();
	td_collect_exit();
	td_attach_exit();
	td_perf_exit();
	td_sysfs_exit();
	td_follow_exit();
	td_session_exit();
	td_cpu_exit();
	td_aside_exit();
	td_map_exit();
	td_group_exit();
}

module_init(td_init);
module_exit(td_exit);

MODULE_DESCRIPTION("Top-Down (TMA) figures of every CPU");
MODULE_AUTHOR("The topdown developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(TOPDOWN_VERSION);
