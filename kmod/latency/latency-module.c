// SPDX-License-Identifier: GPL-2.0
/*
 * topdown_latency: samples of how long instructions take to retire, beside topdown.
 *
 * A module of its own: PEBS and a general counter of each CPU are nobody's business who only wants
 * Top-Down, and the events of new cores need no new topdown.
 */
#include <linux/init.h>
#include <linux/module.h>

#include "compat.h"
#include "latency.h"
#include "latency-device.h"

static int __init td_latency_module_init(void)
{
	int ret;

	ret = td_latency_init();
	if (ret)
		return ret;
	/* Last, as nothing waits for users of a module that fails to load. */
	ret = td_latency_device_init();
	if (ret)
		td_latency_exit();
	return ret;
}

static void __exit td_latency_module_exit(void)
{
	td_latency_device_exit();
	td_latency_exit();
}

module_init(td_latency_module_init);
module_exit(td_latency_module_exit);

MODULE_DESCRIPTION("Retire latencies by PEBS, beside Top-Down figures");
MODULE_AUTHOR("The topdown developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(TOPDOWN_VERSION);
MODULE_IMPORT_NS(TD_NAMESPACE);
