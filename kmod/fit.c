// SPDX-License-Identifier: GPL-2.0
/*
 * Fitting a meter to a CPU: which one, and another one when it does not fit any more.
 *
 * A meter may not be had now, be refused its counters by others, be too large for those
 * that are left, count other nodes than are wanted, or count nonsense.  The CPU's timer
 * finds that out and queues a work, which mends it here and is repeated with growing
 * pauses.
 *
 * Locks: td_fit_mutex serialises making and releasing meters (hotplug, suspend, mending).
 * It is taken inside the CPU hotplug lock, and no event that needs that lock is created
 * under it.  A CPU cannot go offline while it is held, since our teardown waits for it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "aside.h"
#include "compat.h"
#include "counters-make.h"
#include "counters.h"
#include "fit.h"
#include "meter.h"
#include "model.h"
#include "perfmetrics.h"
#include "plausible.h"
#include "room.h"
#include "scope.h"
#include "window.h"

#define TD_RETRY_MIN		HZ
#define TD_RETRY_MAX		(64 * HZ)

/* Pauses before counters are tried again that could not be believed. */
#define TD_REFUSE_MIN		(64 * HZ)
#define TD_REFUSE_MAX		(4096 * HZ)

DEFINE_MUTEX(td_fit_mutex);

/**
 * struct td_fit - how well the meter of a CPU fits; under td_fit_mutex
 * @started: the CPU is ours to measure
 * @troubled: the log says that the CPU is not measured
 * @refuse_delay: pause before counts that were not believed are tried again, in jiffies
 */
struct td_fit {
	bool started;
	bool troubled;
	unsigned long refuse_delay;
};

static DEFINE_PER_CPU(struct td_fit, td_fits);

static struct td_fit *td_fit_of(const struct td_window *window)
{
	lockdep_assert_held(&td_fit_mutex);
	return per_cpu_ptr(&td_fits, window->cpu);
}

/* The hotplug teardown waits for the mutex, so the CPU is there. */
static void td_fit_call(struct td_window *window, smp_call_func_t func)
{
	lockdep_assert_held(&td_fit_mutex);
	WARN_ON_ONCE(smp_call_function_single(window->cpu, func, window, 1));
}

static struct td_meter *td_fit_counters(struct td_window *window)
{
	/* Pairs with WRITE_ONCE() in td_room_drill(). */
	u32 drill = READ_ONCE(window->room.drill);

	return td_counters_create(window->model, window->cpu, window->room.size,
				  td_room_drilldown() ? &drill : NULL);
}

/* PERF_METRICS if the CPU has them, or else ordinary counters. */
static int td_fit_create(struct td_window *window)
{
	struct td_meter *meter = ERR_PTR(-ENOENT);

	window->kind = td_model_kind(window->cpu);
	window->model = td_model_of(window->cpu);
	if (td_model_has_metrics() && window->kind != TOPDOWN_KIND_ATOM)
		meter = td_perfmetrics_create(window->model, window->cpu);
	if (IS_ERR(meter) && td_meter_lacks_events(PTR_ERR(meter)))
		meter = td_fit_counters(window);
	if (IS_ERR(meter))
		return PTR_ERR(meter);
	window->meter = meter;
	/* Pairs with READ_ONCE() in td_window_nodes(). */
	WRITE_ONCE(window->nodes_possible, meter->nodes_possible);
	return 0;
}

/* When every group of ordinary counters had a turn, see whether each had one. */
static void td_fit_look_soon(struct td_window *window, const struct td_counters *counters)
{
	unsigned int turns_ms = td_counters_turns_ms(counters);

	schedule_delayed_work(&window->mend, msecs_to_jiffies(turns_ms + turns_ms / 4));
}

/* Trouble may last: the log has its beginning and its end. */
static bool td_fit_troubled(struct td_window *window, bool troubled)
{
	struct td_fit *fit = td_fit_of(window);
	bool news = fit->troubled != troubled;

	fit->troubled = troubled;
	return news;
}

/* Is the meter well?  If another has the counter it is tried again after a pause. */
static void td_fit_examine(struct td_window *window)
{
	if (!td_meter_in_error(window->meter)) {
		/* Pairs with READ_ONCE() in td_window_timer(), as all its writes. */
		WRITE_ONCE(window->mend_delay, TD_RETRY_MIN);
		if (td_fit_troubled(window, false))
			pr_info_ratelimited("CPU%d: measured again\n", window->cpu);
		return;
	}
	if (td_fit_troubled(window, true))
		pr_warn_ratelimited("CPU%d: another pinned event has the counter, perhaps the NMI watchdog; trying again\n",
				    window->cpu);
	schedule_delayed_work(&window->mend, window->mend_delay);
}

static void td_fit_begin(struct td_window *window)
{
	const struct td_counters *counters = td_counters_of(window->meter);

	WRITE_ONCE(window->mend_delay, TD_RETRY_MIN);
	td_meter_enable(window->meter);
	td_fit_call(window, td_window_begin);
	td_aside_begin(window);
	/* Do they fit what others have left of the counters? */
	if (counters)
		td_fit_look_soon(window, counters);
	td_fit_examine(window);
}

static void td_fit_make(struct td_window *window)
{
	int ret = td_fit_create(window);

	lockdep_assert_held(&td_fit_mutex);
	if (!ret) {
		td_fit_begin(window);
		return;
	}
	if (td_meter_lacks_events(ret)) {
		td_fit_call(window, td_window_unsupported);
		return;
	}
	if (td_fit_troubled(window, true))
		pr_warn_ratelimited("CPU%d: cannot make the event group (error %d), trying again\n",
				    window->cpu, ret);
	td_fit_call(window, td_window_failed);
	schedule_delayed_work(&window->mend, window->mend_delay);
}

/* Nothing looks at the meter when it is destroyed. */
static void td_fit_release(struct td_window *window)
{
	lockdep_assert_held(&td_fit_mutex);
	if (!window->meter)
		return;
	td_aside_end(window);
	td_fit_call(window, td_window_end);
	timer_delete_sync(&window->timer);
	td_meter_destroy(window->meter);
	window->meter = NULL;
}

static void td_fit_again(struct td_window *window)
{
	td_fit_release(window);
	td_fit_make(window);
}

static void td_fit_resize(void *arg)
{
	struct td_window *window = arg;

	/* It is not for want of counters that disabled groups have no turns. */
	if (!window->away)
		td_room_resize(&window->room, td_counters_of(window->meter));
}

/* Other groups of ordinary counters, if those that there are do not fit any more. */
static bool td_fit_room(struct td_window *window)
{
	struct td_counters *counters = td_counters_of(window->meter);

	lockdep_assert_held(&td_fit_mutex);
	/* Pairs with WRITE_ONCE() in td_aside_go(): groups made now would be enabled. */
	if (!counters || READ_ONCE(window->away))
		return false;
	td_fit_call(window, td_fit_resize);
	if (td_room_outdated(&window->room, counters)) {
		td_fit_again(window);
		return true;
	}
	/* Pairs with WRITE_ONCE() in td_counters_starved(). */
	if (READ_ONCE(counters->doubtful))
		td_fit_look_soon(window, counters);
	return false;
}

/*
 * The counts cannot be right: give the counters back.  A guest that moved to
 * another host may have better ones, so it is tried again.
 */
static void td_fit_refuse(struct td_window *window)
{
	struct td_fit *fit = td_fit_of(window);

	td_fit_release(window);
	td_fit_call(window, td_window_unsupported);
	WRITE_ONCE(window->lost, false);
	if (td_trust_refuse(&window->trust)) {
		fit->refuse_delay = min(fit->refuse_delay * 2, TD_REFUSE_MAX);
	} else {
		fit->refuse_delay = TD_REFUSE_MIN;
		pr_warn_ratelimited("CPU%d: not measured, %s; a hypervisor may filter events\n",
				    window->cpu, td_doubt_text(window->trust.doubt));
	}
	/* Sooner is already queued where the window's timer saw it again meanwhile. */
	mod_delayed_work(system_wq, &window->mend, fit->refuse_delay);
}

/* Runs until all is well. */
static void td_fit_mend(struct td_window *window)
{
	WRITE_ONCE(window->mend_delay, min(window->mend_delay * 2, TD_RETRY_MAX));
	if (!window->meter) {
		td_fit_make(window);
		return;
	}
	/* Pairs with WRITE_ONCE() in td_window_ailing(), and that in td_fit_refuse(). */
	if (READ_ONCE(window->lost)) {
		td_fit_refuse(window);
		return;
	}
	if (td_fit_room(window))
		return;
	if (td_meter_in_error(window->meter))
		td_meter_enable(window->meter);
	td_fit_examine(window);
}

static void td_fit_work(struct work_struct *work)
{
	struct td_window *window = container_of(to_delayed_work(work), struct td_window, mend);

	mutex_lock(&td_fit_mutex);
	if (td_fit_started(window))
		td_fit_mend(window);
	mutex_unlock(&td_fit_mutex);
}

/**
 * td_fit_setup() - get ready to fit a meter to a CPU
 * @window: of the CPU, zeroed but for its cpu
 */
void td_fit_setup(struct td_window *window)
{
	window->mend_delay = TD_RETRY_MIN;
	INIT_DELAYED_WORK(&window->mend, td_fit_work);
}

/**
 * td_fit_started() - is a CPU ours to measure?
 * @window: of the CPU; under td_fit_mutex
 *
 * Return: true, also where no meter could be made; false where it is offline or excluded.
 */
bool td_fit_started(const struct td_window *window)
{
	return td_fit_of(window)->started;
}

/**
 * td_fit_start() - measure a CPU from now on
 * @window: of the CPU, which is online; under td_fit_mutex
 */
void td_fit_start(struct td_window *window)
{
	struct td_fit *fit = td_fit_of(window);

	if (fit->started || !td_scope_has(window->cpu))
		return;
	fit->started = true;
	fit->troubled = false;
	td_room_begin(&window->room);
	td_trust_forget(&window->trust);
	WRITE_ONCE(window->mend_delay, TD_RETRY_MIN);
	td_fit_make(window);
}

/**
 * td_fit_stop() - undo td_fit_start()
 * @window: of the CPU, which is still online; under td_fit_mutex
 */
void td_fit_stop(struct td_window *window)
{
	struct td_fit *fit = td_fit_of(window);

	if (!fit->started)
		return;
	fit->started = false;
	td_fit_release(window);
	td_fit_call(window, td_window_offline);
	cancel_delayed_work(&window->mend);
}

/**
 * td_fit_siblings() - another thread of a CPU's core has come online
 * @window: of the CPU; under td_fit_mutex
 */
void td_fit_siblings(struct td_window *window)
{
	const struct td_counters *counters;

	lockdep_assert_held(&td_fit_mutex);
	if (!window->meter)
		return;
	counters = td_counters_of(window->meter);
	if (counters && td_counters_outdated(counters))
		td_fit_again(window);
}

/* Why there is no meter. */
static const char *td_fit_trouble(const struct td_window *window)
{
	if (!td_scope_has(window->cpu))
		return td_scope_reason();
	if (!td_fit_started(window))
		return "offline";
	/* Changed under the mutex where there is no meter. */
	if (window->state == TOPDOWN_STATE_UNSUPPORTED)
		return "nothing: no PERF_METRICS, no formula";
	return "error: cannot make the event group, trying again";
}

/**
 * td_fit_describe() - what a CPU is measured with, and why
 * @window: of the CPU; under td_fit_mutex
 * @text: where to
 * @size: room
 */
void td_fit_describe(const struct td_window *window, char *text, size_t size)
{
	const struct td_meter *meter = window->meter;
	size_t n;

	if (td_fit_started(window) && td_window_doubt(window))
		snprintf(text, size, "unsupported: %s%s", td_doubt_text(td_window_doubt(window)),
			 meter ? "" : ", trying again later");
	else if (meter)
		meter->ops->describe(meter, text, size);
	else
		strscpy(text, td_fit_trouble(window), size);

	/* Users must know which figures rest on more than what is published. */
	n = strlen(text);
	if (meter && meter->model->note)
		scnprintf(text + n, size - n, "; not confirmed: %s", meter->model->note);
}
