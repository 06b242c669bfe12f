// SPDX-License-Identifier: GPL-2.0
/*
 * The right to system-wide figures: the same as for `perf stat -a`.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>

#include "compat.h"
#include "rights.h"

static bool td_trust_node;
module_param_named(trust_device, td_trust_node, bool, 0644);
MODULE_PARM_DESC(trust_device, "Give system-wide figures to everybody who can open /dev/topdown (default: to those who may run perf stat -a)");

/**
 * td_rights_trusted() - does everybody who opens the device get system-wide figures?
 *
 * Return: true or false.
 */
bool td_rights_trusted(void)
{
	/* Pairs with the plain store of a write to the parameter. */
	return READ_ONCE(td_trust_node);
}
EXPORT_SYMBOL_NS_GPL(td_rights_trusted, TD_NAMESPACE);

/**
 * td_rights_perf() - does perf let the calling process count a whole CPU?
 *
 * perf_allow_cpu() is not exported before 7.3.  But perf calls it, with the caller's
 * credentials and the security modules, when an event is created on a CPU.  Every CPU has
 * the CPU clock event, and it costs nothing while disabled.
 *
 * Return: 0 if so; -EACCES or -EPERM if not; another errno if perf could not decide.
 */
int td_rights_perf(void)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_SOFTWARE,
		.size		= sizeof(attr),
		.config		= PERF_COUNT_SW_CPU_CLOCK,
		.disabled	= 1,
		.exclude_guest	= 1,
	};
	struct perf_event *event;

	do {
		/* -ENODEV: that CPU went offline, and we run on another one now. */
		event = perf_event_create_kernel_counter(&attr, raw_smp_processor_id(),
							 NULL, NULL, NULL);
	} while (event == ERR_PTR(-ENODEV) && !signal_pending(current));
	if (event == ERR_PTR(-ENODEV))
		return -ERESTARTSYS;
	if (IS_ERR(event))
		return PTR_ERR(event);

	perf_event_release_kernel(event);
	return 0;
}

/**
 * td_rights_open() - may the process that opens a device have system-wide figures?
 * @trusted: the device is trusted: td_rights_trusted()
 *
 * Return: 1 if so, 0 if not, or the errno with which perf could not decide.
 */
int td_rights_open(bool trusted)
{
	int ret = trusted ? 0 : td_rights_perf();

	if (ret == -EACCES || ret == -EPERM)
		return 0;
	return ret ? ret : 1;
}
EXPORT_SYMBOL_NS_GPL(td_rights_open, TD_NAMESPACE);
