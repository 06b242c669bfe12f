// SPDX-License-Identifier: GPL-2.0
/*
 * Event groups made inside the kernel.
 *
 * perf_event_create_kernel_counter() takes no group leader, but the Intel driver accepts
 * a PERF_METRICS event only as a sibling of SLOTS.  So a sibling is created as an event of
 * a small PMU of our own.  Its event_init() sets the leader, turns the event into a raw
 * one, and declines it with -ENOENT.  perf then offers the event to the CPU's PMU, as it
 * does with any type that forwards to another, and that PMU sees a sibling.
 *
 * One event of each group stays on our PMU: the hook, a sibling that counts nothing.  perf
 * calls it when the group gets the counters and when it leaves them.  So a group knows
 * exactly when it counted, and PERF_METRICS begins each time with a reset.  Otherwise the
 * Intel driver would restore SLOTS and PERF_METRICS as they were when the group left, the
 * bytes would go on to mean all slots since a reset long ago, and the driver adds a metric
 * only where it grew.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>
#include <linux/stddef.h>

#include "compat.h"
#include "group.h"
#include "ticks.h"

/* SDM 3B, "Performance Metrics"; arch/x86/include/asm/perf_event.h. */
#define TD_EVENT_SLOTS		0x0400
#define TD_EVENT_METRIC(metric)	(0x8000 + ((metric) << 8))

/*
 * perf numbers PMUs from PERF_TYPE_MAX on as they are registered.  The PMU of the E-cores
 * is among the first.
 */
#define TD_TYPE_FIRST		PERF_TYPE_MAX
#define TD_TYPE_LAST		(PERF_TYPE_MAX + 255)

/* Arguments for event_init() of the event that is being created; type 0 for a hook. */
struct td_request {
	struct perf_event *leader;
	u32 type;
};

/*
 * Never called, because the events do not sample.  No event of a user can have this
 * handler, so it marks our requests.
 */
static void td_group_marker(struct perf_event *event, struct perf_sample_data *data,
			    struct pt_regs *regs)
{
}

/*
 * Let the driver reset both registers when it starts the events.  It does so for an event with
 * all of its first period left, and then also forgets what it saved.
 * icl_set_topdown_event_period() of arch/x86/events/intel/core.c compares a field that shares its
 * place with the saved slots, so by itself the driver does that at the very first start only.
 */
static void td_hook_reset(const struct td_group *group)
{
	struct hw_perf_event *hw;
	unsigned int i;

	BUILD_BUG_ON(offsetof(struct hw_perf_event, period_left) !=
		     offsetof(struct hw_perf_event, saved_slots));
	for (i = 0; i < group->fixed; i++) {
		hw = &group->event[i]->hw;
		local64_set(&hw->period_left, hw->sample_period);
	}
}

/*
 * The group is scheduled in, unless the driver refuses all of it when it has seen all events.  The
 * hook is the last sibling; the driver starts the others when perf enables the PMU.
 */
static int td_hook_add(struct perf_event *event, int flags)
{
	struct td_group *group = event->pmu_private;

	lockdep_assert_irqs_disabled();
	td_hook_reset(group);
	group->ns.since = local_clock();
	group->ticks.since = td_ticks();
	group->on = true;
	return 0;
}

/*
 * The group is scheduled out, and the counts of all other events are up to date.  perf begins with
 * the leader, but ends with it if the driver has refused the group: then it has not run.
 */
static void td_hook_del(struct perf_event *event, int flags)
{
	struct td_group *group = event->pmu_private;

	lockdep_assert_irqs_disabled();
	group->on = false;
	if (event->group_leader->state == PERF_EVENT_STATE_ACTIVE)
		return;
	group->ns.ran += local_clock() - group->ns.since;
	group->ticks.ran += td_ticks() - group->ticks.since;
}

static void td_hook_start(struct perf_event *event, int flags)
{
}

static void td_hook_stop(struct perf_event *event, int flags)
{
}

static void td_hook_read(struct perf_event *event)
{
}

static int td_pmu_event_init(struct perf_event *event);

/* No .module: a hook would pin it.  The module releases all groups before the PMU. */
static struct pmu td_pmu = {
	.task_ctx_nr	= TD_COMPAT_HOOK_CONTEXT,
	.capabilities	= TD_COMPAT_HOOK_CAPABILITIES,
	.event_init	= td_pmu_event_init,
	.add		= td_hook_add,
	.del		= td_hook_del,
	.start		= td_hook_start,
	.stop		= td_hook_stop,
	.read		= td_hook_read,
};

/* perf also calls this for events of other types that no PMU accepted. */
static int td_pmu_event_init(struct perf_event *event)
{
	const struct td_request *request;

	if (event->attr.type != td_pmu.type ||
	    event->overflow_handler != td_group_marker ||
	    event->group_leader != event)
		return -ENOENT;

	request = event->overflow_handler_context;
	event->group_leader = request->leader;
	if (!request->type)
		return 0;
	event->attr.type = request->type;
	return -ENOENT;
}

/**
 * td_group_init() - make it possible to create groups
 *
 * Return: 0, or a negative errno from registering the PMU.
 */
int td_group_init(void)
{
	return perf_pmu_register(&td_pmu, "topdown_group", -1);
}

/**
 * td_group_exit() - undo td_group_init(); all groups are gone by now
 */
void td_group_exit(void)
{
	perf_pmu_unregister(&td_pmu);
}

/* Does the PMU of this type count on that CPU?  Try an event of perf's extended type. */
static bool td_group_has(int cpu, u32 type)
{
	struct perf_event_attr attr = {
		.type		= PERF_TYPE_HARDWARE,
		.size		= sizeof(attr),
		.config		= (u64)type << PERF_PMU_TYPE_SHIFT | PERF_COUNT_HW_CPU_CYCLES,
		.disabled	= 1,
		.exclude_guest	= 1,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	if (IS_ERR(event))
		return false;
	perf_event_release_kernel(event);
	return true;
}

/**
 * td_group_type() - perf's type of the PMU that counts a CPU's events
 * @cpu: online
 * @small: the CPU is an E-core of a hybrid machine
 *
 * PERF_TYPE_RAW is the PMU of all CPUs, or of the P-cores.  Only user space can look up
 * the type of the E-cores' PMU, so each type is tried.
 *
 * Return: the type; 0, which is no type of raw events, if no PMU is found.
 */
u32 td_group_type(int cpu, bool small)
{
	u32 type;

	if (!small)
		return PERF_TYPE_RAW;
	for (type = TD_TYPE_FIRST; type <= TD_TYPE_LAST; type++) {
		if (td_group_has(cpu, type))
			return type;
	}
	return 0;
}

/**
 * td_group_begin() - make a group with only a leader, not yet counting
 * @group: written; empty before
 * @cpu: the CPU, which cannot pass our hotplug teardown meanwhile
 * @type: td_group_type() of the CPU
 * @config: raw event
 * @pinned: take the counter for good
 *
 * Return: 0, or a negative errno with the group left empty.
 */
int td_group_begin(struct td_group *group, int cpu, u32 type, u64 config, bool pinned)
{
	struct perf_event_attr attr = {
		.type		= type,
		.size		= sizeof(attr),
		.config		= config,
		.pinned		= pinned,
		/*
		 * A SLOTS counter that runs alone starts at -max_period, and the first
		 * sibling would turn that into a count.
		 */
		.disabled	= 1,
		/* Otherwise no virtual machine with a mediated PMU could start. */
		.exclude_guest	= 1,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	group->event[0] = event;
	group->type = type;
	group->nr = 1;
	return 0;
}

/* Make a sibling of our own PMU, which event_init() may pass on. */
static struct perf_event *td_group_sibling(struct td_group *group, int cpu, u32 type, u64 config)
{
	struct td_request request = { .leader = group->event[0], .type = type };
	struct perf_event_attr attr = {
		.type		= td_pmu.type,
		.size		= sizeof(attr),
		.config		= config,
		.exclude_guest	= 1,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, cpu, NULL, td_group_marker, &request);
	if (!IS_ERR(event))
		event->overflow_handler_context = NULL;
	return event;
}

/**
 * td_group_extend() - add a sibling
 * @group: has a leader, not yet counting
 * @cpu: CPU of the group
 * @config: raw event
 *
 * Return: 0; -EINVAL if the group with this event does not fit the counters of the CPU;
 * -ENOSPC if the group is full; another errno from perf.
 */
int td_group_extend(struct td_group *group, int cpu, u64 config)
{
	struct perf_event *event;

	if (group->nr == TD_GROUP_MAX)
		return -ENOSPC;
	event = td_group_sibling(group, cpu, group->type, config);
	if (IS_ERR(event))
		return PTR_ERR(event);
	group->event[group->nr++] = event;
	return 0;
}

/**
 * td_group_finish() - add the hook: from now on the group can be enabled
 * @group: has all its events, not yet counting; stays where it is until it is destroyed
 * @cpu: CPU of the group
 *
 * Return: 0, or a negative errno from perf.
 */
int td_group_finish(struct td_group *group, int cpu)
{
	struct perf_event *event = td_group_sibling(group, cpu, 0, 0);

	if (IS_ERR(event))
		return PTR_ERR(event);
	event->pmu_private = group;
	group->hook = event;
	return 0;
}

static int td_group_add_metric(struct td_group *group, int cpu, unsigned int metric)
{
	int ret = td_group_extend(group, cpu, TD_EVENT_METRIC(metric));

	if (ret)
		return ret;
	/*
	 * The Intel driver turns a metric that the CPU lacks into an ordinary event 00H.
	 * It marks only real metrics as sibling events.
	 */
	if (!(group->event[group->nr - 1]->event_caps & PERF_EV_CAP_SIBLING))
		return -EINVAL;
	return 0;
}

/**
 * td_group_create() - make the group of SLOTS and PERF_METRICS, not yet counting
 * @group: written; unchanged on failure
 * @cpu: the CPU, which cannot pass our hotplug teardown meanwhile
 * @level: 1 for the four level 1 metrics, 2 for all eight
 * @pinned: take the counter for good
 *
 * Return: 0; -EINVAL or -ENOENT if the CPU lacks these events; -ENODEV if the CPU is
 * offline; or another errno from perf.
 */
int td_group_create(struct td_group *group, int cpu, unsigned int level, bool pinned)
{
	unsigned int metric, metrics = level > 1 ? TD_METRIC_NR : TD_METRIC_L1;
	struct td_group new = { };
	int ret;

	ret = td_group_begin(&new, cpu, PERF_TYPE_RAW, TD_EVENT_SLOTS, pinned);
	if (ret)
		return ret;
	for (metric = 0; metric < metrics; metric++) {
		ret = td_group_add_metric(&new, cpu, metric);
		if (ret) {
			td_group_destroy(&new);
			return ret;
		}
	}
	new.fixed = new.nr;
	*group = new;
	return 0;
}

/*
 * Release the last event first.  After a hotplug cycle some kernels leave siblings with a
 * pointer to the leader, so the leader goes last.
 */
static void td_group_cut(struct td_group *group, unsigned int nr)
{
	while (group->nr > nr) {
		group->nr--;
		perf_event_release_kernel(group->event[group->nr]);
		group->event[group->nr] = NULL;
	}
}

/**
 * td_group_drop_general() - release the general events, and keep SLOTS and the metrics
 * @group: made by td_group_create(), not yet counting
 */
void td_group_drop_general(struct td_group *group)
{
	td_group_cut(group, group->fixed);
}

/**
 * td_group_destroy() - release the events
 * @group: empty afterwards; may be empty before
 */
void td_group_destroy(struct td_group *group)
{
	if (!group->nr)
		return;
	perf_event_disable(group->event[0]);
	if (group->hook)
		perf_event_release_kernel(group->hook);
	group->hook = NULL;
	td_group_cut(group, 0);
}

/**
 * td_group_disable() - leave the counters to others until td_group_enable()
 * @group: not empty; process context
 */
void td_group_disable(struct td_group *group)
{
	perf_event_disable(group->event[0]);
}

/**
 * td_group_enable() - start to count, also after an error
 * @group: not empty; process context
 */
void td_group_enable(struct td_group *group)
{
	perf_event_enable(group->event[0]);
}

/**
 * td_group_in_error() - was a pinned group refused the counter?
 * @group: not empty
 *
 * Return: true or false.
 */
bool td_group_in_error(const struct td_group *group)
{
	/* Pairs with perf's WRITE_ONCE() of the state; perf reports it in no other way. */
	return READ_ONCE(group->event[0]->state) == PERF_EVENT_STATE_ERROR;
}
