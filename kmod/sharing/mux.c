// SPDX-License-Identifier: GPL-2.0
/*
 * perf's rotation timers: one a CPU, which perf starts when a group finds no counters.  hrtimers
 * have a tracepoint, and the probe compares each hrtimer that starts with that of the CPU.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/export.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/tracepoint.h>
#include <linux/types.h>
#include <trace/events/timer.h>

#include "compat.h"
#include "meter.h"
#include "mux.h"
#include "policy.h"

static DEFINE_PER_CPU(struct hrtimer *, td_mux);

static struct tracepoint *td_mux_tracepoint;
static bool td_mux_registered;

/* Called when the timer of a CPU starts; set before the probe is registered. */
static void (*td_mux_rotates)(void);

/**
 * td_mux_watched() - is it noticed when perf starts a rotation timer?
 *
 * Return: true or false.
 */
bool td_mux_watched(void)
{
	return td_mux_registered;
}
EXPORT_SYMBOL_NS_GPL(td_mux_watched, TD_NAMESPACE);

/**
 * td_mux_set() - choose the timer that is watched on this CPU
 * @timer: perf's rotation timer of the CPU; NULL for none; interrupts off
 */
void td_mux_set(struct hrtimer *timer)
{
	this_cpu_write(td_mux, timer);
}

/**
 * td_mux_here() - is a timer watched on this CPU?  Interrupts off.
 *
 * Return: true or false.
 */
bool td_mux_here(void)
{
	return this_cpu_read(td_mux);
}

/**
 * td_mux_rotating() - is it known that perf rotates on this CPU?  Interrupts off.
 *
 * Return: true or false, also where no timer is watched.
 */
bool td_mux_rotating(void)
{
	struct hrtimer *timer = this_cpu_read(td_mux);

	return timer && hrtimer_is_queued(timer);
}

/**
 * td_mux_interval_ns() - the time between two of perf's rotations
 * @meter: meter of this CPU
 *
 * Return: nanoseconds.
 */
u64 td_mux_interval_ns(const struct td_meter *meter)
{
	u64 interval = td_compat_mux_interval_ns(td_meter_leader(meter));

	return clamp_t(u64, interval, NSEC_PER_MSEC, 100 * NSEC_PER_MSEC);
}

/**
 * td_mux_left() - how long it is until perf rotates, if it does: at a multiple of its interval
 * @meter: meter of this CPU, whose timer is watched; interrupts off
 *
 * Return: nanoseconds.
 */
u64 td_mux_left(const struct td_meter *meter)
{
	s64 left = ktime_to_ns(ktime_sub(hrtimer_get_expires(this_cpu_read(td_mux)), ktime_get()));
	u64 interval = td_mux_interval_ns(meter);
	u64 past;

	if (left > 0)
		return left;
	div64_u64_rem(-left, interval, &past);
	return interval - past;
}

static __always_inline void td_mux_started(const struct hrtimer *timer)
{
	if (unlikely(timer == this_cpu_read(td_mux)))
		td_mux_rotates();
}

static void notrace td_mux_probe2(void *data, struct hrtimer *timer, enum hrtimer_mode mode)
{
	td_mux_started(timer);
}

static void notrace td_mux_probe3(void *data, struct hrtimer *timer, enum hrtimer_mode mode,
				  bool was_armed)
{
	td_mux_started(timer);
}

#define td_mux_probe	TD_COMPAT_HRTIMER_START(td_mux_probe2, td_mux_probe3)

static void td_mux_find(struct tracepoint *tracepoint, void *data)
{
	if (!strcmp(tracepoint->name, "hrtimer_start"))
		td_mux_tracepoint = tracepoint;
}

/**
 * td_mux_init() - watch perf's rotation timers from now on
 * @rotates: called on the CPU when its timer starts, under perf's locks
 *
 * Return: 0, also if they are not watched; or a negative errno from registering the probe.
 */
int td_mux_init(void (*rotates)(void))
{
	int ret;

	/* The compiler checks the type of the probe. */
	check_trace_callback_type_hrtimer_start(td_mux_probe);

	if (td_policy_never() || td_meter_pinned())
		return 0;
	for_each_kernel_tracepoint(td_mux_find, NULL);
	if (!td_mux_tracepoint) {
		pr_warn("the kernel has no tracepoint hrtimer_start: the counters are shared by rotation alone, and perf users who count tasks may get <not counted>\n");
		return 0;
	}
	td_mux_rotates = rotates;
	ret = tracepoint_probe_register(td_mux_tracepoint, td_mux_probe, NULL);
	td_mux_registered = !ret;
	return ret;
}

/**
 * td_mux_exit() - undo td_mux_init(); no CPU has a timer to watch any more
 */
void td_mux_exit(void)
{
	if (td_mux_registered) {
		WARN_ON_ONCE(tracepoint_probe_unregister(td_mux_tracepoint, td_mux_probe, NULL));
		/* No CPU runs a probe afterwards. */
		tracepoint_synchronize_unregister();
	}
	td_mux_registered = false;
}
