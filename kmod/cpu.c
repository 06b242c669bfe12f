// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs come and go: each online one gets a group and a window.
 *
 * Locks: td_cpu_mutex serialises making and releasing groups (hotplug, suspend,
 * retries).  It is taken inside the CPU hotplug lock, and no event that needs
 * that lock is created under it.  A CPU cannot go offline while it is held,
 * since our teardown waits for it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/suspend.h>
#include <linux/sysfs.h>
#include <linux/timer.h>
#include <linux/topology.h>
#include <linux/workqueue.h>

#include "aside.h"
#include "compat.h"
#include "counters.h"
#include "cpu.h"
#include "events.h"
#include "group.h"
#include "model.h"
#include "plausible.h"
#include "refine.h"
#include "scope.h"
#include "window.h"

/* How much of a bad value the log shows. */
#define TD_PERIOD_TEXT_MAX	((size_t)32)

#define TD_RETRY_MIN		HZ
#define TD_RETRY_MAX		(64 * HZ)

/* Pauses before counters are tried again that could not be believed. */
#define TD_REFUSE_MIN		(64 * HZ)
#define TD_REFUSE_MAX		(4096 * HZ)

static DEFINE_MUTEX(td_cpu_mutex);
static enum cpuhp_state td_cpu_hotplug;

static bool td_pinned;
module_param_named(pinned, td_pinned, bool, 0444);
MODULE_PARM_DESC(pinned, "Take the SLOTS counter of each CPU for good; other perf users of topdown then get <not counted> (default: the parameter aside says how it is shared)");

static bool td_drilldown;
module_param_named(drilldown, td_drilldown, bool, 0444);
MODULE_PARM_DESC(drilldown, "Where level 2 does not fit the counters, count only the children of level 1 nodes over their thresholds (default: all, in turns)");

/**
 * td_cpu_drilldown() - was the module loaded with drilldown=1?
 *
 * Return: true or false.
 */
bool td_cpu_drilldown(void)
{
	return td_drilldown;
}

/**
 * td_cpu_pinned() - was the module loaded with pinned=1?
 *
 * Return: true or false.
 */
bool td_cpu_pinned(void)
{
	return td_pinned;
}

/* The hotplug teardown waits for the mutex, so the CPU is there. */
static void td_cpu_call(struct td_window *window, smp_call_func_t func)
{
	lockdep_assert_held(&td_cpu_mutex);
	WARN_ON_ONCE(smp_call_function_single(window->cpu, func, window, 1));
}

static bool td_cpu_lacks_events(int error)
{
	return error == -EINVAL || error == -ENOENT;
}

/* More counters for the group of PERF_METRICS, if the module's user wants that. */
static int td_cpu_refine(struct td_window *window)
{
	int ret = td_refine_create(&window->refine, window->model, &window->group,
				   window->cpu);

	if (ret)
		td_group_destroy(&window->group);
	else if (window->refine.formula)
		window->flags = TOPDOWN_RECORD_REFINED;
	return ret;
}

/* Level 2 where the CPU has it. */
static int td_cpu_create_metrics(struct td_window *window)
{
	int ret;

	window->source = TOPDOWN_SOURCE_PERF_METRICS;
	window->flags = 0;
	for (window->level = 2; window->level > 0; window->level--) {
		ret = td_group_create(&window->group, window->cpu, window->level, td_pinned);
		if (!ret || !td_cpu_lacks_events(ret))
			break;
	}
	if (ret)
		return ret;
	window->nodes = window->level > 1 ? TD_NODES_METRICS_L2 : TD_NODES_METRICS_L1;
	/* Pairs with READ_ONCE() in td_window_nodes(). */
	WRITE_ONCE(window->nodes_possible, window->nodes);
	return td_cpu_refine(window);
}

static int td_cpu_create_counters(struct td_window *window)
{
	const struct td_model *model = window->model;
	struct td_counters *counters;
	u32 drill;

	if (!model->formula)
		return -ENOENT;
	/* Pairs with WRITE_ONCE() in td_window_drill(). */
	drill = READ_ONCE(window->drill);
	counters = td_counters_create(model, window->cpu, window->room, td_pinned,
				      td_drilldown ? &drill : NULL);
	if (IS_ERR(counters))
		return PTR_ERR(counters);
	window->counters = counters;
	window->source = model->formula->source;
	window->level = counters->level;
	window->nodes = model->formula->nodes & td_nodes_of_level(counters->level);
	/* Pairs with READ_ONCE() in td_window_nodes(). */
	WRITE_ONCE(window->nodes_possible, window->nodes);
	window->nodes &= ~td_nodes_of_parents(counters->closed);
	window->flags = counters->nr > 1 ? TOPDOWN_RECORD_SCALED : 0;
	if (counters->drill)
		window->flags |= TOPDOWN_RECORD_DRILLDOWN;
	return 0;
}

static int td_cpu_create_group(struct td_window *window)
{
	int ret = -ENOENT;

	window->kind = td_model_kind(window->cpu);
	window->model = td_model_of(window->cpu);
	if (td_model_has_metrics() && window->kind != TOPDOWN_KIND_ATOM)
		ret = td_cpu_create_metrics(window);
	if (td_cpu_lacks_events(ret))
		ret = td_cpu_create_counters(window);
	return ret;
}

static void td_cpu_destroy_group(struct td_window *window)
{
	td_group_destroy(&window->group);
	td_counters_destroy(window->counters);
	window->counters = NULL;
}

/* When every group of ordinary counters had a turn, see whether each had one. */
static void td_cpu_look_soon(struct td_window *window)
{
	unsigned int turns_ms = td_counters_turns_ms(window->counters);

	schedule_delayed_work(&window->retry, msecs_to_jiffies(turns_ms + turns_ms / 4));
}

/* Trouble may last: the log has its beginning and its end. */
static bool td_cpu_troubled(struct td_window *window, bool troubled)
{
	bool news = window->troubled != troubled;

	lockdep_assert_held(&td_cpu_mutex);
	window->troubled = troubled;
	return news;
}

/* Is the group well?  If another has the counter it is tried again after a pause. */
static void td_cpu_examine(struct td_window *window)
{
	lockdep_assert_held(&td_cpu_mutex);
	if (!td_window_in_error(window)) {
		/* Pairs with READ_ONCE() in td_cpu_retry(), as all its writes. */
		WRITE_ONCE(window->retry_delay, TD_RETRY_MIN);
		if (td_cpu_troubled(window, false))
			pr_info_ratelimited("CPU%d: measured again\n", window->cpu);
		return;
	}
	if (td_cpu_troubled(window, true))
		pr_warn_ratelimited("CPU%d: another pinned event has the counter, perhaps the NMI watchdog; trying again\n",
				    window->cpu);
	schedule_delayed_work(&window->retry, window->retry_delay);
}

static void td_cpu_make_group(struct td_window *window)
{
	int ret;

	lockdep_assert_held(&td_cpu_mutex);

	ret = td_cpu_create_group(window);
	if (!ret) {
		WRITE_ONCE(window->retry_delay, TD_RETRY_MIN);
		td_window_enable_groups(window);
		td_cpu_call(window, td_window_begin);
		td_aside_begin(window);
		/* Do they fit what others have left of the counters? */
		if (window->counters)
			td_cpu_look_soon(window);
		td_cpu_examine(window);
		return;
	}
	if (td_cpu_lacks_events(ret)) {
		td_cpu_call(window, td_window_unsupported);
		return;
	}
	if (td_cpu_troubled(window, true))
		pr_warn_ratelimited("CPU%d: cannot make the event group (error %d), trying again\n",
				    window->cpu, ret);
	td_cpu_call(window, td_window_failed);
	schedule_delayed_work(&window->retry, window->retry_delay);
}

static void td_cpu_enable_again(struct td_window *window)
{
	if (td_window_in_error(window))
		td_window_enable_groups(window);
	td_cpu_examine(window);
}

/* Nothing looks at the group when this returns. */
static void td_cpu_release_group(struct td_window *window)
{
	lockdep_assert_held(&td_cpu_mutex);
	td_aside_end(window);
	td_cpu_call(window, td_window_end);
	timer_delete_sync(&window->timer);
	td_cpu_destroy_group(window);
}

/*
 * Smaller groups where others have a counter for good, and larger ones later on; those
 * of other events when the children of other nodes are worth it.
 */
static bool td_cpu_make_room(struct td_window *window)
{
	lockdep_assert_held(&td_cpu_mutex);
	/* Pairs with WRITE_ONCE() in td_aside_go(): groups made now would be enabled. */
	if (!window->counters || READ_ONCE(window->aside.away))
		return false;
	td_cpu_call(window, td_window_resize);
	/* Pairs with WRITE_ONCE() in td_window_resize(). */
	if (READ_ONCE(window->room) == window->counters->room && !td_window_drills(window)) {
		/* Pairs with WRITE_ONCE() in td_counters_starved(). */
		if (READ_ONCE(window->counters->doubtful))
			td_cpu_look_soon(window);
		return false;
	}
	td_cpu_release_group(window);
	td_cpu_make_group(window);
	return true;
}

/*
 * The counts cannot be right: give the counters back.  A guest that moved to
 * another host may have better ones, so it is tried again.
 */
static void td_cpu_refuse(struct td_window *window)
{
	lockdep_assert_held(&td_cpu_mutex);
	td_cpu_release_group(window);
	td_cpu_call(window, td_window_unsupported);
	WRITE_ONCE(window->lost, false);
	if (td_trust_refuse(&window->trust)) {
		window->refuse_delay = min(window->refuse_delay * 2, TD_REFUSE_MAX);
	} else {
		window->refuse_delay = TD_REFUSE_MIN;
		pr_warn_ratelimited("CPU%d: not measured, %s; a hypervisor may filter events\n",
				    window->cpu, td_doubt_text(window->trust.doubt));
	}
	/* Sooner is already queued where the window's timer saw it again meanwhile. */
	mod_delayed_work(system_wq, &window->retry, window->refuse_delay);
}

/*
 * Runs until the group is well: it was not made, or refused the counter, or it is
 * not certain that its size is right, or that its events are those that are wanted.
 */
static void td_cpu_retry_work(struct work_struct *work)
{
	struct td_window *window = container_of(to_delayed_work(work), struct td_window, retry);

	mutex_lock(&td_cpu_mutex);
	if (window->started) {
		WRITE_ONCE(window->retry_delay, min(window->retry_delay * 2, TD_RETRY_MAX));
		if (!window->group.nr && !window->counters)
			td_cpu_make_group(window);
		/* Pairs with WRITE_ONCE() in td_window_ailing(), and that in td_cpu_refuse(). */
		else if (READ_ONCE(window->lost))
			td_cpu_refuse(window);
		else if (!td_cpu_make_room(window))
			td_cpu_enable_again(window);
	}
	mutex_unlock(&td_cpu_mutex);
}

/* Why it is not measured with PERF_METRICS. */
static const char *td_cpu_reason(const struct td_window *window)
{
	if (window->kind == TOPDOWN_KIND_ATOM)
		return "an E-core has no PERF_METRICS";
	return window->source == TOPDOWN_SOURCE_FALLBACK ? "hidden PERF_METRICS" :
							   "no PERF_METRICS";
}

/* Why there is no group. */
static const char *td_cpu_trouble(const struct td_window *window)
{
	lockdep_assert_held(&td_cpu_mutex);
	if (!td_scope_has(window->cpu))
		return td_scope_reason();
	if (!window->started)
		return "offline";
	/* Changed under the mutex where there is no group. */
	if (window->state == TOPDOWN_STATE_UNSUPPORTED)
		return "nothing: no PERF_METRICS, no formula";
	return "error: cannot make the event group, trying again";
}

static void td_cpu_describe_counters(const struct td_window *window, char *text, size_t size)
{
	const struct td_counters *counters = window->counters;
	int n;

	n = scnprintf(text, size, "%s, level %u: %s; ", counters->formula->name, counters->level,
		      td_cpu_reason(window));
	/* What there is changes with the load, and from CPU to CPU. */
	if (counters->drill)
		scnprintf(text + n, size - n, "level 2 by drilldown");
	else
		scnprintf(text + n, size - n, "%u events in %u %s", td_counters_events(counters),
			  counters->nr, counters->nr > 1 ? "groups, by turns" : "group");
}

/* Users must know which figures rest on more than what is published. */
static void td_cpu_describe_note(const struct td_window *window, char *text, size_t size)
{
	size_t n = strlen(text);

	if (window->model->note)
		scnprintf(text + n, size - n, "; not confirmed: %s", window->model->note);
}

/**
 * td_cpu_describe() - what a CPU is measured with, and why
 * @cpu: possible CPU
 * @text: where to
 * @size: room
 */
void td_cpu_describe(int cpu, char *text, size_t size)
{
	const struct td_window *window = per_cpu_ptr(td_windows, cpu);

	mutex_lock(&td_cpu_mutex);
	if (window->started && td_window_doubt(window))
		snprintf(text, size, "unsupported: %s%s", td_doubt_text(td_window_doubt(window)),
			 window->group.nr || window->counters ? "" : ", trying again later");
	else if (window->counters)
		td_cpu_describe_counters(window, text, size);
	else if (window->group.nr)
		snprintf(text, size, "perf_metrics, level %u: the CPU has PERF_METRICS%s",
			 window->level, window->refine.note);
	else
		strscpy(text, td_cpu_trouble(window), size);
	if (window->counters || window->group.nr)
		td_cpu_describe_note(window, text, size);
	mutex_unlock(&td_cpu_mutex);
}

struct td_cpu_request {
	struct td_window *window;
	struct td_events *events;
};

static void td_cpu_read_events(void *arg)
{
	const struct td_cpu_request *request = arg;

	td_events_read(request->window, request->events);
}

/**
 * td_cpu_events() - the raw counts behind a CPU's figures, until now
 * @cpu: possible CPU
 * @events: written; none if it is not being measured
 *
 * Interrupts the CPU.
 *
 * Return: 0, or -EOPNOTSUPP for a CPU that must not be interrupted.
 */
int td_cpu_events(int cpu, struct td_events *events)
{
	struct td_cpu_request request = { per_cpu_ptr(td_windows, cpu), events };

	events->nr = 0;
	if (td_scope_has(cpu) && td_scope_quiet(cpu))
		return -EOPNOTSUPP;
	mutex_lock(&td_cpu_mutex);
	/* The hotplug teardown waits for the mutex, so the CPU is there. */
	if (request.window->started)
		WARN_ON_ONCE(smp_call_function_single(cpu, td_cpu_read_events, &request, 1));
	mutex_unlock(&td_cpu_mutex);
	return 0;
}

/**
 * td_cpu_retry() - enable a group again that was thrown out, or make one of another size or
 * of other events
 * @window: its window; called from its timer, every time
 *
 * The work goes on by itself from then on, with growing pauses.
 */
void td_cpu_retry(struct td_window *window)
{
	/* Pairs with WRITE_ONCE() in td_cpu_retry_work() and what it calls. */
	schedule_delayed_work(&window->retry, READ_ONCE(window->retry_delay));
}

static void td_cpu_start(struct td_window *window)
{
	lockdep_assert_held(&td_cpu_mutex);
	if (window->started || !td_scope_has(window->cpu))
		return;
	window->started = true;
	window->room = TD_GROUP_MAX;
	window->widen_at = jiffies;
	window->widen_delay = 0;
	window->troubled = false;
	td_trust_forget(&window->trust);
	WRITE_ONCE(window->retry_delay, TD_RETRY_MIN);
	td_cpu_make_group(window);
}

static void td_cpu_stop(struct td_window *window)
{
	lockdep_assert_held(&td_cpu_mutex);
	if (!window->started)
		return;
	window->started = false;
	td_cpu_release_group(window);
	td_cpu_call(window, td_window_offline);
	cancel_delayed_work(&window->retry);
}

/* The CPU came online: its core's other threads are not alone any more. */
static void td_cpu_update_siblings(int cpu)
{
	struct td_window *window;
	int sibling;

	lockdep_assert_held(&td_cpu_mutex);
	for_each_cpu(sibling, topology_sibling_cpumask(cpu)) {
		window = per_cpu_ptr(td_windows, sibling);
		if (!window->started || !window->counters ||
		    !td_counters_outdated(window->counters, sibling))
			continue;
		td_cpu_release_group(window);
		td_cpu_make_group(window);
	}
}

static int td_cpu_online(unsigned int cpu)
{
	mutex_lock(&td_cpu_mutex);
	td_cpu_start(per_cpu_ptr(td_windows, cpu));
	td_cpu_update_siblings(cpu);
	mutex_unlock(&td_cpu_mutex);
	return 0;
}

static int td_cpu_offline(unsigned int cpu)
{
	mutex_lock(&td_cpu_mutex);
	td_cpu_stop(per_cpu_ptr(td_windows, cpu));
	mutex_unlock(&td_cpu_mutex);
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
 * perf asks for the rights of who makes an event: not of who woke up the machine, or
 * loaded the module.
 */
static void td_cpu_online_all(struct work_struct *work)
{
	td_cpu_change_all(td_cpu_online);
}

static DECLARE_WORK(td_cpu_online_work, td_cpu_online_all);

/*
 * A suspended boot CPU loses its counters' registers without going offline, and
 * perf does not restore them.
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

/**
 * td_cpu_set_period() - change the period, at once
 * @text: a number of milliseconds, TD_PERIOD_MIN_MS..TD_PERIOD_MAX_MS
 *
 * May be called before td_cpu_init() and after td_cpu_exit(): parameters
 * are.
 *
 * Return: 0, or -EINVAL with the old period kept.
 */
int td_cpu_set_period(const char *text)
{
	unsigned int period_ms;

	if (kstrtouint(text, 0, &period_ms) ||
	    period_ms < TD_PERIOD_MIN_MS || period_ms > TD_PERIOD_MAX_MS) {
		pr_err("period_ms '%.*s' is not a whole number in %u..%u\n",
		       (int)min(strcspn(text, "\n"), TD_PERIOD_TEXT_MAX), text,
		       TD_PERIOD_MIN_MS, TD_PERIOD_MAX_MS);
		return -EINVAL;
	}

	cpus_read_lock();
	mutex_lock(&td_cpu_mutex);
	td_window_set_period(period_ms);
	if (td_windows)
		td_window_rearm_all();
	mutex_unlock(&td_cpu_mutex);
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

static void td_cpu_setup(struct td_window *window, int cpu)
{
	td_window_setup(window, cpu);
	window->retry_delay = TD_RETRY_MIN;
	INIT_DELAYED_WORK(&window->retry, td_cpu_retry_work);
	td_aside_setup(window);
}

/* How many CPUs have a group, or may yet get one. */
static unsigned int td_cpu_count(unsigned int *level)
{
	struct td_window *window;
	unsigned int n = 0;
	int cpu;

	*level = 0;
	mutex_lock(&td_cpu_mutex);
	for_each_possible_cpu(cpu) {
		window = per_cpu_ptr(td_windows, cpu);
		/* Pairs with WRITE_ONCE() where the CPU's timer sets the state. */
		if (!window->started || READ_ONCE(window->state) == TOPDOWN_STATE_UNSUPPORTED)
			continue;
		*level = max(*level, window->level);
		n++;
	}
	mutex_unlock(&td_cpu_mutex);
	return n;
}

/* The mutex keeps td_cpu_set_period() away from memory that goes. */
static void td_cpu_free(void)
{
	struct td_window __percpu *windows = td_windows;
	int cpu;

	for_each_possible_cpu(cpu) {
		cancel_delayed_work_sync(&per_cpu_ptr(windows, cpu)->retry);
		td_aside_cleanup(per_cpu_ptr(windows, cpu));
	}
	mutex_lock(&td_cpu_mutex);
	td_windows = NULL;
	mutex_unlock(&td_cpu_mutex);
	free_percpu(windows);
}

/*
 * Callbacks run in a thread of each CPU, and none of those that are excluded shall be
 * interrupted to wake it: those for CPUs that are online already run here.
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

/* No CPU may come between the two. */
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
	struct td_window __percpu *windows;
	unsigned int level, n, sleep;
	int cpu, ret;

	td_scope_init();
	windows = alloc_percpu(struct td_window);
	if (!windows)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		td_cpu_setup(per_cpu_ptr(windows, cpu), cpu);
	mutex_lock(&td_cpu_mutex);
	td_windows = windows;
	mutex_unlock(&td_cpu_mutex);

	/* No suspend shall see the one half registered and not the other. */
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
			pr_err("not loaded: no CPU that is to be measured is online: bring one online, or give others with cpus=\n");
		ret = -ENODEV;
		goto err_hotplug;
	}
	unlock_system_sleep(sleep);
	pr_info("measuring %u CPUs, levels 1..%u, period %u ms\n", n, level, td_window_period());
	return 0;

err_hotplug:
	/* No suspend, so there is no work either. */
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
	/* After its only source; what it makes is for the teardown to release. */
	cancel_work_sync(&td_cpu_online_work);
	td_cpu_unhook();
	unlock_system_sleep(sleep);
	td_cpu_free();
}
