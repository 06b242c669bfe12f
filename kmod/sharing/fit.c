// SPDX-License-Identifier: GPL-2.0
/*
 * Fitting a meter to a CPU: choose one, make it, and replace it when it fits no more.
 *
 * Five things go wrong: the meter cannot be made now; others hold its counters; its groups
 * are too large for the counters that are left; it counts other nodes than wanted; its
 * counts are doubtful.  The CPU's timer notices that and queues a work.  The work mends the
 * meter here, and is repeated with growing delays.
 *
 * Locks: td_fit_mutex serialises making and releasing meters (hotplug, suspend, mending).
 * It is taken inside the CPU hotplug lock, so nothing that takes that lock may be done under
 * it: no event that needs the lock, and no probe of a tracepoint (aside.c).  A CPU cannot go
 * offline under the mutex, because our hotplug teardown takes it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
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
#include "watch.h"
#include "window.h"

#define TD_RETRY_MIN		HZ
#define TD_RETRY_MAX		(64 * HZ)

/* Delays before a CPU that was given up is tried again. */
#define TD_REFUSE_MIN		(64 * HZ)
#define TD_REFUSE_MAX		(4096 * HZ)

/* Serialises making and releasing meters; see above. */
DEFINE_MUTEX(td_fit_mutex);

/**
 * struct td_fit - how well the meter of a CPU fits; under td_fit_mutex
 * @started: the CPU is online and not excluded, so it is ours to measure
 * @troubled: the log says that the CPU is not measured
 * @refuse_delay: delay before doubtful counters are tried again, in jiffies
 * @text: that of the meter; NULL without one; under td_fit_text_lock
 */
struct td_fit {
	bool started;
	bool troubled;
	unsigned long refuse_delay;
	const char *text;
};

static DEFINE_PER_CPU(struct td_fit, td_fits);

/*
 * Everybody may ask what CPUs are measured with.  A mutex would be kept by a reader that loses his
 * CPU for long, and hotplug would wait for him.
 */
static DEFINE_RAW_SPINLOCK(td_fit_text_lock);

/* CPUs with a meter; under td_fit_mutex. */
static struct cpumask td_fit_measured;

static struct td_fit *td_fit_of(const struct td_collector *collector)
{
	lockdep_assert_held(&td_fit_mutex);
	return per_cpu_ptr(&td_fits, collector->cpu);
}

/* The hotplug teardown waits for the mutex, so the CPU is online. */
static void td_fit_call(struct td_collector *collector, smp_call_func_t func)
{
	lockdep_assert_held(&td_fit_mutex);
	WARN_ON_ONCE(smp_call_function_single(collector->cpu, func, collector, 1));
}

static struct td_meter *td_fit_counters(struct td_collector *collector)
{
	/* Pairs with WRITE_ONCE() in td_room_drill(). */
	u32 drill = READ_ONCE(collector->room.drill);

	return td_counters_create(collector->model, collector->cpu, collector->room.size,
				  td_room_drilldown() ? &drill : NULL);
}

/* A CPU stays without a meter for now: set its state, and end what watches wait for there. */
static void td_fit_without(struct td_collector *collector, smp_call_func_t set_state)
{
	td_fit_call(collector, set_state);
	td_watch_gone(collector->cpu, &td_fit_measured);
}

static void td_fit_write_text(struct td_meter *meter)
{
	size_t n;

	meter->ops->describe(meter, meter->text, sizeof(meter->text));
	/* Users must know which results rest on unpublished data. */
	n = strlen(meter->text);
	if (meter->model->note)
		scnprintf(meter->text + n, sizeof(meter->text) - n, "; not confirmed: %s",
			  meter->model->note);
}

static void td_fit_set_text(struct td_collector *collector, const char *text)
{
	raw_spin_lock(&td_fit_text_lock);
	td_fit_of(collector)->text = text;
	raw_spin_unlock(&td_fit_text_lock);
}

/* Make a meter with PERF_METRICS if the CPU has it, or else with ordinary counters. */
static int td_fit_create(struct td_collector *collector)
{
	struct td_meter *meter = ERR_PTR(-ENOENT);

	collector->kind = td_model_kind(collector->cpu);
	collector->model = td_model_of(collector->cpu);
	if (td_model_has_metrics() && collector->kind != TOPDOWN_KIND_ATOM)
		meter = td_perfmetrics_create(collector->model, collector->cpu);
	if (IS_ERR(meter) && td_meter_lacks_events(PTR_ERR(meter)))
		meter = td_fit_counters(collector);
	if (IS_ERR(meter))
		return PTR_ERR(meter);
	collector->meter = meter;
	td_fit_write_text(meter);
	td_fit_set_text(collector, meter->text);
	cpumask_set_cpu(collector->cpu, &td_fit_measured);
	/* Pairs with READ_ONCE() in td_window_nodes(). */
	WRITE_ONCE(collector->nodes_possible, meter->nodes_possible);
	return 0;
}

/* Not on the CPU itself, where a real-time task may keep the work from its locks for long. */
static void td_fit_mend_later(struct td_collector *collector, unsigned long delay)
{
	mod_delayed_work(td_compat_unbound_wq, &collector->mend, delay);
}

/* Has trouble begun or ended?  The log shows only that, because trouble may last. */
static bool td_fit_troubled(struct td_collector *collector, bool troubled)
{
	struct td_fit *fit = td_fit_of(collector);
	bool news = fit->troubled != troubled;

	fit->troubled = troubled;
	return news;
}

/* Is the meter well?  If another event holds the counter, retry after a delay. */
static void td_fit_examine(struct td_collector *collector)
{
	if (!td_meter_in_error(collector->meter)) {
		/* All writes of it pair with READ_ONCE() in td_window_timer(). */
		WRITE_ONCE(collector->mend_delay, TD_RETRY_MIN);
		if (td_fit_troubled(collector, false))
			pr_info_ratelimited("CPU%d: measured again\n", collector->cpu);
		return;
	}
	if (td_fit_troubled(collector, true))
		pr_warn_ratelimited("CPU%d: another pinned event has the counter, perhaps the NMI watchdog; trying again\n",
				    collector->cpu);
	td_fit_mend_later(collector, collector->mend_delay);
}

static void td_fit_begin(struct td_collector *collector)
{
	WRITE_ONCE(collector->mend_delay, TD_RETRY_MIN);
	td_meter_enable(collector->meter);
	td_fit_call(collector, td_window_begin);
	td_aside_begin(collector);
	td_fit_examine(collector);
}

static void td_fit_make(struct td_collector *collector)
{
	int ret = td_fit_create(collector);

	lockdep_assert_held(&td_fit_mutex);
	if (!ret) {
		td_fit_begin(collector);
		return;
	}
	if (td_meter_lacks_events(ret)) {
		td_fit_without(collector, td_window_unsupported);
		return;
	}
	if (td_fit_troubled(collector, true))
		pr_warn_ratelimited("CPU%d: cannot make the event group (error %d), trying again\n",
				    collector->cpu, ret);
	td_fit_without(collector, td_window_failed);
	td_fit_mend_later(collector, collector->mend_delay);
}

/* After td_window_end() and timer_delete_sync() nothing uses the meter any more. */
static void td_fit_release(struct td_collector *collector)
{
	lockdep_assert_held(&td_fit_mutex);
	if (!collector->meter)
		return;
	td_aside_end(collector);
	td_fit_call(collector, td_window_end);
	timer_delete_sync(&collector->timer);
	td_fit_set_text(collector, NULL);
	td_meter_destroy(collector->meter);
	collector->meter = NULL;
	cpumask_clear_cpu(collector->cpu, &td_fit_measured);
}

static void td_fit_again(struct td_collector *collector)
{
	td_fit_release(collector);
	td_fit_make(collector);
}

static void td_fit_resize(void *arg)
{
	struct td_collector *collector = arg;

	td_room_resize(&collector->room, td_counters_of(collector->meter));
}

/* Make other groups of ordinary counters if the present ones fit no more. */
static bool td_fit_room(struct td_collector *collector)
{
	struct td_counters *counters = td_counters_of(collector->meter);

	lockdep_assert_held(&td_fit_mutex);
	/* Pairs with WRITE_ONCE() where groups stand aside; new ones would count at once. */
	if (!counters || READ_ONCE(collector->away))
		return false;
	td_fit_call(collector, td_fit_resize);
	if (!td_room_outdated(&collector->room, counters))
		return false;
	td_fit_again(collector);
	return true;
}

/*
 * The counts cannot be right, so give the counters back.  Try again later, because a
 * guest may move to a host with better counters.
 */
static void td_fit_refuse(struct td_collector *collector)
{
	struct td_fit *fit = td_fit_of(collector);

	td_fit_release(collector);
	td_fit_without(collector, td_window_unsupported);
	WRITE_ONCE(collector->lost, false);
	if (td_trust_refuse(&collector->trust)) {
		fit->refuse_delay = min(fit->refuse_delay * 2, TD_REFUSE_MAX);
	} else {
		fit->refuse_delay = TD_REFUSE_MIN;
		pr_warn_ratelimited("CPU%d: not measured, %s; a hypervisor may filter events\n",
				    collector->cpu, td_doubt_text(collector->trust.doubt));
	}
	/* The window's timer may have queued the work for an earlier time meanwhile. */
	td_fit_mend_later(collector, fit->refuse_delay);
}

/* The work repeats this until all is well. */
static void td_fit_mend(struct td_collector *collector)
{
	WRITE_ONCE(collector->mend_delay, min(collector->mend_delay * 2, TD_RETRY_MAX));
	if (!collector->meter) {
		td_fit_make(collector);
		return;
	}
	/* Pairs with WRITE_ONCE() in td_window_ailing() and in td_fit_refuse(). */
	if (READ_ONCE(collector->lost)) {
		td_fit_refuse(collector);
		return;
	}
	if (td_fit_room(collector))
		return;
	if (td_meter_in_error(collector->meter))
		td_meter_enable(collector->meter);
	td_fit_examine(collector);
}

static void td_fit_work(struct work_struct *work)
{
	struct delayed_work *mend = to_delayed_work(work);
	struct td_collector *collector = container_of(mend, struct td_collector, mend);

	mutex_lock(&td_fit_mutex);
	if (td_fit_started(collector))
		td_fit_mend(collector);
	mutex_unlock(&td_fit_mutex);
}

/**
 * td_fit_setup() - prepare to fit a meter to a CPU
 * @collector: collector of the CPU, zeroed except for its cpu
 */
void td_fit_setup(struct td_collector *collector)
{
	collector->mend_delay = TD_RETRY_MIN;
	INIT_DELAYED_WORK(&collector->mend, td_fit_work);
}

/**
 * td_fit_started() - is a CPU ours to measure?
 * @collector: collector of the CPU; under td_fit_mutex
 *
 * Return: true even if no meter could be made; false if the CPU is offline or excluded.
 */
bool td_fit_started(const struct td_collector *collector)
{
	return td_fit_of(collector)->started;
}

/**
 * td_fit_start() - measure a CPU from now on
 * @collector: collector of the CPU, which is online; under td_fit_mutex
 */
void td_fit_start(struct td_collector *collector)
{
	struct td_fit *fit = td_fit_of(collector);

	if (fit->started || !td_scope_has(collector->cpu))
		return;
	/* Pairs with READ_ONCE() in td_fit_describe(). */
	WRITE_ONCE(fit->started, true);
	fit->troubled = false;
	td_room_begin(&collector->room);
	td_trust_forget(&collector->trust);
	WRITE_ONCE(collector->mend_delay, TD_RETRY_MIN);
	td_fit_make(collector);
}

/**
 * td_fit_stop() - undo td_fit_start()
 * @collector: collector of the CPU, which is still online; under td_fit_mutex
 */
void td_fit_stop(struct td_collector *collector)
{
	struct td_fit *fit = td_fit_of(collector);

	if (!fit->started)
		return;
	/* Pairs with READ_ONCE() in td_fit_describe(). */
	WRITE_ONCE(fit->started, false);
	td_fit_release(collector);
	td_fit_without(collector, td_window_offline);
	cancel_delayed_work(&collector->mend);
}

/**
 * td_fit_siblings() - another thread of a CPU's core has come online
 * @collector: collector of the CPU; under td_fit_mutex
 */
void td_fit_siblings(struct td_collector *collector)
{
	const struct td_counters *counters;

	lockdep_assert_held(&td_fit_mutex);
	if (!collector->meter)
		return;
	counters = td_counters_of(collector->meter);
	if (counters && td_counters_outdated(counters))
		td_fit_again(collector);
}

/* Why there is no meter: a guess while that changes. */
static const char *td_fit_trouble(const struct td_collector *collector, bool started)
{
	if (!td_scope_has(collector->cpu))
		return td_scope_reason();
	if (!started)
		return "offline";
	/* Pairs with plain writes of one word on the CPU; any of them is good. */
	if (READ_ONCE(collector->state) == TOPDOWN_STATE_UNSUPPORTED)
		return "nothing: no PERF_METRICS, no formula";
	return "error: cannot make the event group, trying again";
}

/**
 * td_fit_describe() - what a CPU is measured with, and why
 * @cpu: possible CPU
 * @text: written
 */
void td_fit_describe(int cpu, char text[TD_METER_TEXT])
{
	const struct td_collector *collector = per_cpu_ptr(td_collectors, cpu);
	enum td_doubt doubt = td_window_doubt(collector);
	const struct td_fit *fit = per_cpu_ptr(&td_fits, cpu);
	/* Pairs with WRITE_ONCE() in td_fit_start() and td_fit_stop(). */
	bool started = READ_ONCE(fit->started), measured;

	raw_spin_lock(&td_fit_text_lock);
	measured = fit->text;
	if (measured)
		memcpy(text, fit->text, TD_METER_TEXT);
	raw_spin_unlock(&td_fit_text_lock);
	if (started && doubt)
		snprintf(text, TD_METER_TEXT, "unsupported: %s%s", td_doubt_text(doubt),
			 measured ? "" : ", trying again later");
	else if (!measured)
		strscpy(text, td_fit_trouble(collector, started), TD_METER_TEXT);
}
