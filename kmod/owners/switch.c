// SPDX-License-Identifier: GPL-2.0
/*
 * Switches of owners: a probe of the scheduler's tracepoint, and one of that by which a task moves
 * to another cgroup, after which CPUs look at the tasks that they run.  The tellers also hear of
 * meters that begin and end, and of quiet CPUs.  All of it is there while somebody wants owners, so
 * otherwise it costs nothing.
 */
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <trace/events/cgroup.h>
#include <trace/events/sched.h>

#include "compat.h"
#include "scope.h"
#include "switch.h"
#include "teller.h"
#include "window.h"

static void notrace td_switch_probe(void *unused, bool preempt, struct task_struct *prev,
				    struct task_struct *next, unsigned int prev_state)
{
	struct td_teller *teller = this_cpu_ptr(&td_tellers);
	struct td_whose whose = td_whose(next);

	if (!td_teller_same(teller, whose))
		td_teller_switch(teller, prev, next, whose);
}

static void td_switch_look_this(void *unused)
{
	struct td_teller *teller = this_cpu_ptr(&td_tellers);
	struct td_whose whose = td_whose(current);

	if (!td_teller_same(teller, whose))
		td_teller_update(teller, current, whose);
}

static bool td_switch_runs(int cpu, void *unused)
{
	/* Pairs with WRITE_ONCE() on the CPU. */
	return td_scope_reachable(cpu, NULL) && !READ_ONCE(per_cpu_ptr(&td_tellers, cpu)->idle);
}

/*
 * Whoever moves tasks again and again causes no more interrupts than one look in this time.  Looks
 * that were not needed are saved up to this time, as until the look a task counts where it was.
 */
#define TD_SWITCH_PACE_NS	(10 * NSEC_PER_MSEC)
#define TD_SWITCH_SAVED_NS	(250 * NSEC_PER_MSEC)

/* The looks so far are good until then, ktime_get_ns(). */
static u64 td_switch_paid;

/* The tasks that moved may be running. */
static void td_switch_moved(struct work_struct *work)
{
	u64 now = ktime_get_ns(), paid = td_switch_paid;

	if (paid + TD_SWITCH_SAVED_NS < now)
		paid = now - TD_SWITCH_SAVED_NS;
	/* Pairs with READ_ONCE() in td_switch_wait(). */
	WRITE_ONCE(td_switch_paid, paid + TD_SWITCH_PACE_NS);
	on_each_cpu_cond(td_switch_runs, td_switch_look_this, NULL, true);
}

static DECLARE_DELAYED_WORK(td_switch_work, td_switch_moved);

/* So many jiffies until the next look. */
static unsigned long td_switch_wait(void)
{
	/* Pairs with WRITE_ONCE() in td_switch_moved(). */
	u64 now = ktime_get_ns(), paid = READ_ONCE(td_switch_paid);

	return paid > now ? nsecs_to_jiffies(paid - now) + 1 : 0;
}

/* Under the locks of cgroups; with interrupts off, but not with PREEMPT_RT. */
static void td_switch_move_probe(void *unused, struct cgroup *cgroup, const char *path,
				 struct task_struct *task, bool threadgroup)
{
	/* Pairs with WRITE_ONCE() in td_teller_want(). */
	if (READ_ONCE(td_teller_kinds) & BIT(TD_OWNERS_CGROUPS))
		queue_delayed_work(td_compat_unbound_wq, &td_switch_work, td_switch_wait());
}

/**
 * struct td_probe - a probe, and its tracepoint
 * @name: name of the tracepoint
 * @probe: the probe
 * @tracepoint: the tracepoint
 */
struct td_probe {
	const char *name;
	void *probe;
	struct tracepoint *tracepoint;
};

static struct td_probe td_probes[] = {
	{ .name = "sched_switch", .probe = td_switch_probe },
	{ .name = "cgroup_attach_task", .probe = td_switch_move_probe },
};

static void td_switch_find(struct tracepoint *tracepoint, void *unused)
{
	struct td_probe *probe;

	for (probe = td_probes; probe < td_probes + ARRAY_SIZE(td_probes); probe++)
		if (!strcmp(tracepoint->name, probe->name))
			probe->tracepoint = tracepoint;
}

static void td_switch_unregister(unsigned int nr)
{
	while (nr--) {
		if (td_probes[nr].tracepoint)
			WARN_ON_ONCE(tracepoint_probe_unregister(td_probes[nr].tracepoint,
								 td_probes[nr].probe, NULL));
	}
	/* No CPU runs a probe afterwards. */
	tracepoint_synchronize_unregister();
	cancel_delayed_work_sync(&td_switch_work);
}

static const struct td_listener td_switch_listener = {
	.quiet_ended = td_teller_turn_quiet,
	.begins = td_teller_meter_begins,
	.ends = td_teller_meter_ends,
};

/**
 * td_switch_begin() - note switches from now on; the ledgers are there
 *
 * Return: 0; -EOPNOTSUPP if the kernel has no tracepoint of switches; or a negative errno from
 * registering a probe.
 */
int td_switch_begin(void)
{
	unsigned int i;
	int ret;

	/* The compiler checks the types of the probes. */
	check_trace_callback_type_sched_switch(td_switch_probe);
	check_trace_callback_type_cgroup_attach_task(td_switch_move_probe);

	for_each_kernel_tracepoint(td_switch_find, NULL);
	if (!td_probes[0].tracepoint)
		return -EOPNOTSUPP;
	for (i = 0; i < ARRAY_SIZE(td_probes); i++) {
		if (!td_probes[i].tracepoint)
			continue;
		ret = tracepoint_probe_register(td_probes[i].tracepoint, td_probes[i].probe,
						NULL);
		if (ret) {
			td_switch_unregister(i);
			return ret;
		}
	}
	td_window_tell(&td_switch_listener);
	return 0;
}

/**
 * td_switch_end() - undo td_switch_begin()
 */
void td_switch_end(void)
{
	td_window_tell(NULL);
	synchronize_rcu();
	td_switch_unregister(ARRAY_SIZE(td_probes));
}
