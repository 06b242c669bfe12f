// SPDX-License-Identifier: GPL-2.0
/*
 * Hotplug and suspend: each CPU that comes online gets a meter and a window.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/ratelimit.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/suspend.h>
#include <linux/sysfs.h>
#include <linux/topology.h>
#include <linux/workqueue.h>

#include "aside.h"
#include "cpu.h"
#include "fit.h"
#include "meter.h"
#include "scope.h"
#include "window.h"

/* The log shows this much of a bad value. */
#define TD_PERIOD_TEXT_MAX	((size_t)32)

static enum cpuhp_state td_cpu_hotplug;

struct td_cpu_request {
	struct td_collector *collector;
	struct td_events *events;
};

static void td_cpu_read_events(void *arg)
{
	const struct td_cpu_request *request = arg;
	struct td_collector *collector = request->collector;

	if (!collector->open)
		return;
	td_window_fold(collector, TD_FOLD_RESET);
	td_window_hold(collector);
	collector->meter->ops->events(collector->meter, request->events);
	td_window_release(collector);
}

/**
 * td_cpu_events() - read the raw counts of a CPU
 * @cpu: possible CPU
 * @events: written; has no events if the CPU is not being measured
 *
 * Interrupts the CPU, and folds.
 *
 * Return: 0, or -EOPNOTSUPP for a quiet CPU.
 */
int td_cpu_events(int cpu, struct td_events *events)
{
	struct td_cpu_request request = { per_cpu_ptr(td_collectors, cpu), events };

	events->nr = 0;
	if (td_scope_has(cpu) && td_scope_quiet(cpu))
		return -EOPNOTSUPP;
	mutex_lock(&td_fit_mutex);
	/* The hotplug teardown waits for the mutex, so the CPU is online. */
	if (td_fit_started(request.collector))
		WARN_ON_ONCE(smp_call_function_single(cpu, td_cpu_read_events, &request, 1));
	mutex_unlock(&td_fit_mutex);
	return 0;
}

/* The CPU came online, so the other thread of its core may need other events. */
static void td_cpu_update_siblings(int cpu)
{
	int sibling;

	lockdep_assert_held(&td_fit_mutex);
	for_each_cpu(sibling, topology_sibling_cpumask(cpu))
		td_fit_siblings(per_cpu_ptr(td_collectors, sibling));
}

static int td_cpu_online(unsigned int cpu)
{
	mutex_lock(&td_fit_mutex);
	td_fit_start(per_cpu_ptr(td_collectors, cpu));
	td_cpu_update_siblings(cpu);
	mutex_unlock(&td_fit_mutex);
	return 0;
}

static int td_cpu_offline(unsigned int cpu)
{
	mutex_lock(&td_fit_mutex);
	td_fit_stop(per_cpu_ptr(td_collectors, cpu));
	mutex_unlock(&td_fit_mutex);
	return 0;
}

static void td_cpu_change_all(int (*change)(unsigned int cpu))
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		change(cpu);
	cpus_read_unlock();
}

/*
 * perf checks the rights of the task that makes an event.  A worker has them all; the
 * task that wakes up the machine or loads the module may not.
 */
static void td_cpu_online_all(struct work_struct *work)
{
	td_cpu_change_all(td_cpu_online);
}

static DECLARE_WORK(td_cpu_online_work, td_cpu_online_all);

/*
 * The boot CPU loses its counter registers in a suspend without going offline, and perf
 * does not restore them.
 */
static int td_cpu_pm(struct notifier_block *nb, unsigned long action, void *data)
{
	switch (action) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
		cancel_work_sync(&td_cpu_online_work);
		td_cpu_change_all(td_cpu_offline);
		return NOTIFY_OK;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
		schedule_work(&td_cpu_online_work);
		return NOTIFY_OK;
	default:
		return NOTIFY_DONE;
	}
}

static struct notifier_block td_cpu_pm_notifier = {
	.notifier_call = td_cpu_pm,
};

/*
 * Say what a period may be.  A writer need not be root, and must not fill the log.  Nobody writes
 * by hand as often as this allows.
 */
static void td_cpu_refuse_period(const char *text)
{
	static DEFINE_RATELIMIT_STATE(lines, 30 * HZ, 50);

	if (!__ratelimit(&lines))
		return;
	pr_err("period_ms '%.*s' is not a whole number in %u..%u\n",
	       (int)min(strcspn(text, "\n"), TD_PERIOD_TEXT_MAX), text,
	       TD_PERIOD_MIN_MS, TD_PERIOD_MAX_MS);
}

/**
 * td_cpu_set_period() - change the period, at once
 * @text: a number of milliseconds, TD_PERIOD_MIN_MS..TD_PERIOD_MAX_MS
 *
 * As a parameter's setter it may run before td_cpu_init() and after td_cpu_exit().
 *
 * Return: 0, or -EINVAL with the period unchanged.
 */
int td_cpu_set_period(const char *text)
{
	unsigned int period_ms;

	if (kstrtouint(text, 0, &period_ms) ||
	    period_ms < TD_PERIOD_MIN_MS || period_ms > TD_PERIOD_MAX_MS) {
		td_cpu_refuse_period(text);
		return -EINVAL;
	}

	cpus_read_lock();
	mutex_lock(&td_fit_mutex);
	td_window_set_period(period_ms);
	if (td_collectors)
		td_window_rearm_all();
	mutex_unlock(&td_fit_mutex);
	cpus_read_unlock();
	return 0;
}

static int td_period_param_set(const char *text, const struct kernel_param *param)
{
	return td_cpu_set_period(text);
}

static int td_period_param_get(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%u\n", td_window_period());
}

static const struct kernel_param_ops td_period_param_ops = {
	.set = td_period_param_set,
	.get = td_period_param_get,
};
module_param_cb(period_ms, &td_period_param_ops, NULL, 0644);
MODULE_PARM_DESC(period_ms, "Longest time a busy CPU keeps a window open, in ms, 10..60000 (default: 1000)");

static void td_cpu_setup(struct td_collector *collector, int cpu)
{
	td_window_setup(collector, cpu);
	td_fit_setup(collector);
	td_aside_setup(collector);
}

/* Count the CPUs that have a meter or may get one; @level is their highest level. */
static unsigned int td_cpu_count(unsigned int *level)
{
	struct td_collector *collector;
	unsigned int n = 0;
	int cpu;

	*level = 0;
	mutex_lock(&td_fit_mutex);
	for_each_possible_cpu(cpu) {
		collector = per_cpu_ptr(td_collectors, cpu);
		/* Pairs with WRITE_ONCE() where the CPU's timer sets the state. */
		if (!td_fit_started(collector) ||
		    READ_ONCE(collector->state) == TOPDOWN_STATE_UNSUPPORTED)
			continue;
		if (collector->meter)
			*level = max(*level, collector->meter->level);
		n++;
	}
	mutex_unlock(&td_fit_mutex);
	return n;
}

/* The mutex keeps td_cpu_set_period() away from freed memory. */
static void td_cpu_free(void)
{
	struct td_collector __percpu *windows = td_collectors;
	int cpu;

	for_each_possible_cpu(cpu) {
		cancel_delayed_work_sync(&per_cpu_ptr(windows, cpu)->mend);
		td_aside_cleanup(per_cpu_ptr(windows, cpu));
	}
	mutex_lock(&td_fit_mutex);
	td_collectors = NULL;
	mutex_unlock(&td_fit_mutex);
	free_percpu(windows);
}

/*
 * Hotplug callbacks run in a thread of each CPU, and an excluded CPU must not be
 * interrupted to wake its thread.  So a work starts the CPUs that are online already.
 */
static int td_cpu_hook(void)
{
	int ret = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "topdown:online",
					    td_cpu_online, td_cpu_offline);

	if (ret < 0)
		return ret;
	td_cpu_hotplug = ret;
	schedule_work(&td_cpu_online_work);
	flush_work(&td_cpu_online_work);
	return 0;
}

/* The lock keeps CPUs from coming online between the two steps. */
static void td_cpu_unhook(void)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		td_cpu_offline(cpu);
	cpuhp_remove_state_nocalls_cpuslocked(td_cpu_hotplug);
	cpus_read_unlock();
}

/**
 * td_cpu_init() - measure every CPU that is not excluded, from now on
 *
 * Return: 0; -ENODEV if no CPU can be measured; another errno.
 */
int td_cpu_init(void)
{
	struct td_collector __percpu *windows;
	unsigned int level, n, sleep;
	int cpu, ret;

	td_scope_init();
	windows = alloc_percpu(struct td_collector);
	if (!windows)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		td_cpu_setup(per_cpu_ptr(windows, cpu), cpu);
	mutex_lock(&td_fit_mutex);
	td_collectors = windows;
	mutex_unlock(&td_fit_mutex);

	/* A suspend must not see the notifier without the hotplug callbacks. */
	sleep = lock_system_sleep();
	ret = register_pm_notifier(&td_cpu_pm_notifier);
	if (ret)
		goto err_free;
	ret = td_cpu_hook();
	if (ret)
		goto err_notifier;

	n = td_cpu_count(&level);
	if (!n) {
		if (td_scope_online())
			pr_err("not loaded: the kernel's PMU driver has neither SLOTS and PERF_METRICS nor the events of a formula on any CPU\n");
		else
			pr_err("not loaded: all CPUs to measure are offline: bring one online, or name others with cpus=\n");
		ret = -ENODEV;
		goto err_hotplug;
	}
	unlock_system_sleep(sleep);
	pr_info("measuring %u CPUs, levels 1..%u, period %u ms\n", n, level, td_window_period());
	return 0;

err_hotplug:
	/* No suspend could run, so no work is queued. */
	td_cpu_unhook();
err_notifier:
	unregister_pm_notifier(&td_cpu_pm_notifier);
err_free:
	unlock_system_sleep(sleep);
	td_cpu_free();
	return ret;
}

/**
 * td_cpu_exit() - undo td_cpu_init()
 */
void td_cpu_exit(void)
{
	unsigned int sleep = lock_system_sleep();

	unregister_pm_notifier(&td_cpu_pm_notifier);
	/* The notifier, its only source, is gone.  The teardown releases what the work made. */
	cancel_work_sync(&td_cpu_online_work);
	td_cpu_unhook();
	unlock_system_sleep(sleep);
	td_cpu_free();
}
