// SPDX-License-Identifier: GPL-2.0
/*
 * perf's door: a PMU named topdown, whose events any number of perf users may have.
 *
 * Its events need no counter, because the CPU's group counts already.  When perf schedules
 * an event in, the CPU folds, and the event notes the CPU's sums.  When perf schedules the
 * event out or reads it, the CPU folds again, and what the sums have grown by is the event's.
 * So an event costs nothing in between, and perf decides what it counts: a task, its
 * children, a CPU or a cgroup.
 *
 * perf schedules all events of a task at one moment, and these share one fold.  So do the
 * events of a group that is read.
 *
 * Sessions fold at switches for themselves (follow.c), because they have tickets and
 * credits.  perf users have neither: perf has already asked for their rights.
 */
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include "compat.h"
#include "counters.h"
#include "meter.h"
#include "metrics.h"
#include "moment.h"
#include "perf.h"
#include "perf-sysfs.h"
#include "point.h"
#include "window.h"

/* Time that a CPU did not count is not worth mentioning below this and a 1024th of all. */
#define TD_LOST_MIN_NS		10000

/* A fold that is not older is good for a reading. */
#define TD_PERF_RECENT_NS	5000

enum td_perf_what {
	TD_PERF_READ,
	TD_PERF_IN,
	TD_PERF_OUT,
};

/**
 * struct td_perf_moment - what perf last did with an event of this PMU on a CPU
 * @number: of the moment; no other moment of any CPU has it
 * @at: when something was last done in it, local_clock()
 * @time: the same in perf's time of the event
 * @what: what was done
 * @task: the task that ran
 * @leader: leader of the event; only compared
 * @folded: local_clock() of the fold that brought @total up to date
 * @total: sums of the CPU, which all events of the moment get
 */
struct td_perf_moment {
	u64 number;
	u64 at;
	u64 time;
	enum td_perf_what what;
	const struct task_struct *task;
	const struct perf_event *leader;
	u64 folded;
	struct topdown_sums total;
};

/**
 * struct td_perf_moments - the latest moments of a CPU
 * @count: number of moments so far
 * @own: the latest moment outside of NMIs; used with interrupts off
 * @nmi: the latest in an NMI.  An NMI that comes between two events of a group leaves their
 *	moment alone
 */
struct td_perf_moments {
	u64 count;
	struct td_perf_moment own;
	struct td_perf_moment nmi;
};

static DEFINE_PER_CPU(struct td_perf_moments, td_perf_moments);

/**
 * struct td_perf_sums - sums of a CPU at a moment, as far as one event needs them
 * @count: slots, or the slots of one node
 * @slots: slots
 * @counted: slots in which the node was counted
 * @running_ns: time in which level 1 was counted
 * @at: td_perf_moment.time
 */
struct td_perf_sums {
	u64 count;
	u64 slots;
	u64 counted;
	u64 running_ns;
	u64 at;
};

/**
 * struct td_perf_own - our part of an event; used where perf runs it, with interrupts off
 * @node: enum topdown_node; TD_PERF_SLOTS for slots
 * @parent: level 1 node whose child @node is; TD_NR_PARENTS for none
 * @moment: number of the moment when perf last did something with the event
 * @noted: up to these sums the event has been credited
 * @owed: slots that the event's count has too many, because a count never falls
 * @lost: time in which the CPU did not count, and which was not subtracted yet; negative if the
 *	counters were read later after perf had looked at its clock than the time before
 * @span: all the time since something was subtracted
 */
struct td_perf_own {
	unsigned int node;
	unsigned int parent;
	u64 moment;
	struct td_perf_sums noted;
	s64 owed;
	s64 lost;
	u64 span;
};

#define TD_PERF_SLOTS		TOPDOWN_MAX_NODES

static struct td_perf_own *td_perf_own(const struct perf_event *event)
{
	return event->pmu_private;
}

/*
 * Did perf just do the same with another event of the group?  perf does so with each event
 * of a group once, and looks at its clock once, before: when it schedules a group in or out,
 * and when it reads one.  A BPF program may read one event now and another later, and then
 * perf's clock may stand still in between.
 */
static bool td_perf_same_group(const struct td_perf_moment *moment,
			       const struct perf_event *event, enum td_perf_what what)
{
	return what == moment->what && moment->leader == event->group_leader &&
	       moment->number != td_perf_own(event)->moment &&
	       moment->time == td_compat_event_time(event) &&
	       (what != TD_PERF_READ || local_clock() - moment->at < TD_SWITCH_NS);
}

/*
 * May what perf does be of the same switch or pass as the moment before, whenever that was?  If the
 * current task got the CPU later, others have had it in between, however briefly, and what they
 * used is not the event's.  perf schedules events out, and those of cgroups in, while the previous
 * task still runs, which had got the CPU before the last events left it.  So then both have to be
 * while the same task runs.
 */
static bool td_perf_follows(const struct td_perf_moment *moment, const struct perf_event *event,
			    enum td_perf_what what)
{
	if (what == TD_PERF_READ || !td_moment_arrived(moment->at))
		return false;
	if (what == TD_PERF_OUT)
		return moment->what == TD_PERF_OUT && moment->task == current;
	return moment->what == TD_PERF_IN ||
	       (moment->what == TD_PERF_OUT &&
		(moment->task == current || !td_compat_is_cgroup(event)));
}

/*
 * Are the sums of the moment before good for this one, too?  One event after the other, but not for
 * ever: later than in a switch, a user enables the event, and nothing before is its own.
 */
static bool td_perf_same_sums(const struct td_perf_moment *moment,
			      const struct perf_event *event, enum td_perf_what what)
{
	u64 now;

	if (!td_perf_follows(moment, event, what))
		return false;
	now = local_clock();
	return now - moment->at < td_moment_switch_ns() && now - moment->folded < TD_SWITCH_NS;
}

/* Bring the sums of this CPU and of a moment to now. */
static void td_perf_fold(struct td_collector *collector, struct td_perf_moment *moment,
			 enum td_perf_what what)
{
	if (!collector->open) {
		moment->folded = local_clock();
	} else {
		/* Another has just folded, and readers want no more than that. */
		if (what != TD_PERF_READ ||
		    local_clock() - collector->folded >= TD_PERF_RECENT_NS)
			td_window_point(collector);
		moment->folded = collector->folded;
	}
	moment->total = collector->total;
}

/* The moment to which the present use of an event by perf belongs. */
static const struct td_perf_moment *td_perf_moment(struct td_collector *collector,
						   const struct perf_event *event,
						   enum td_perf_what what)
{
	struct td_perf_moments *moments = this_cpu_ptr(&td_perf_moments);
	struct td_perf_moment *moment = in_nmi() ? &moments->nmi : &moments->own;

	lockdep_assert_irqs_disabled();
	if (!td_perf_same_group(moment, event, what)) {
		if (!td_perf_same_sums(moment, event, what))
			td_perf_fold(collector, moment, what);
		/* In one instruction, because an NMI may come and number its moment. */
		moment->number = (u64)collector->cpu << 48 |
				 this_cpu_inc_return(td_perf_moments.count);
		moment->what = what;
		moment->task = current;
		moment->leader = event->group_leader;
	}
	/* A fold takes a while, and is no part of the time to the next event. */
	moment->at = local_clock();
	moment->time = td_compat_event_time(event);
	td_perf_own(event)->moment = moment->number;
	return moment;
}

static void td_perf_sums(const struct td_perf_moment *moment, const struct td_perf_own *own,
			 struct td_perf_sums *sums)
{
	const struct topdown_sums *total = &moment->total;

	sums->count = own->node == TD_PERF_SLOTS ? total->slots : total->node[own->node];
	sums->slots = total->slots;
	sums->counted = own->parent == TD_NR_PARENTS ? total->slots :
			total->children_slots[own->parent];
	sums->running_ns = total->running_ns;
	sums->at = moment->time;
}

/* For how long was the event counted between two sums? */
static u64 td_perf_ran(const struct td_collector *collector, const struct td_perf_own *own,
		       const struct td_perf_sums *sums)
{
	u64 ran = sums->running_ns - own->noted.running_ns;
	u64 slots = sums->slots - own->noted.slots;
	u64 counted = sums->counted - own->noted.counted;

	if (own->node == TD_PERF_SLOTS)
		return ran;
	/* A CPU of the other kind may have a sibling of the node. */
	if (!(td_window_nodes(collector->cpu) >> own->node & 1))
		return 0;
	return counted < slots ? mul_u64_u64_div_u64(ran, counted, slots) : ran;
}

/*
 * perf takes an event of this PMU as running from in to out.  Subtract the time in which
 * the CPU did not count, so that perf users see the coverage and scale by it.  perf adds
 * the time since tstamp later.
 */
static void td_perf_lose(struct perf_event *event, struct td_perf_own *own)
{
	s64 unseen = td_compat_event_time(event) - event->tstamp;
	u64 running = event->total_time_running + max_t(s64, unseen, 0);

	/* Many short times add up, so what is not worth mentioning yet is kept. */
	if (own->lost <= (s64)(TD_LOST_MIN_NS + (own->span >> 10)))
		return;
	event->total_time_running -= min_t(u64, own->lost, running);
	own->lost = 0;
	own->span = 0;
}

/*
 * Credit the event with what the sums have grown by.  An NMI may have interrupted perf while
 * it wrote the times of the event, so leave these to the next time.  An NMI may also have
 * credited more than this moment has, and a node may fall a little from one fold to the next:
 * the event then owes slots, which its later ones pay.
 */
static void td_perf_credit(const struct td_collector *collector, struct perf_event *event,
			   const struct td_perf_moment *moment)
{
	struct td_perf_own *own = td_perf_own(event);
	struct td_perf_sums sums;
	u64 span, ran;
	s64 grown;

	td_perf_sums(moment, own, &sums);
	grown = (s64)(sums.count - own->noted.count) - own->owed;
	own->owed = grown < 0 ? -grown : 0;
	if (grown > 0)
		local64_add(grown, &event->count);
	own->noted.count = sums.count;
	if (in_nmi())
		return;
	span = sums.at - own->noted.at;
	ran = td_perf_ran(collector, own, &sums);
	own->span += span;
	own->lost += (s64)(span - ran);
	td_perf_lose(event, own);
	own->noted = sums;
}

static void td_perf_begin(struct perf_event *event)
{
	struct td_collector *collector = this_cpu_ptr(td_collectors);
	struct td_perf_own *own = td_perf_own(event);

	td_window_hold(collector);
	td_perf_sums(td_perf_moment(collector, event, TD_PERF_IN), own, &own->noted);
	event->hw.state = 0;
	td_window_release(collector);
}

static void td_perf_del(struct perf_event *event, int flags)
{
	struct td_collector *collector = this_cpu_ptr(td_collectors);

	if (event->hw.state & PERF_HES_STOPPED)
		return;
	td_window_hold(collector);
	td_perf_credit(collector, event, td_perf_moment(collector, event, TD_PERF_OUT));
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	td_window_release(collector);
}

static int td_perf_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		td_perf_begin(event);
	return 0;
}

/*
 * perf starts and stops an event by itself only to throttle it, or with a group that it
 * throttles.  It does so in an NMI, and takes the time as running time.
 */
static void td_perf_start(struct perf_event *event, int flags)
{
}

static void td_perf_stop(struct perf_event *event, int flags)
{
}

/* May an NMI that did not interrupt a fold read the counters? */
static bool td_perf_may_fold_in_nmi(struct td_meter *meter)
{
	return (td_counters_of(meter) || td_compat_metrics_in_nmi()) &&
	       !td_compat_scheduling(td_meter_leader(meter));
}

/*
 * perf also reads events for a sample: in an NMI, which may have interrupted a fold, or perf
 * while it schedules the groups of the CPU; or in a tracepoint, inside a fold, or where the
 * driver starts the events of the groups.  Then the event keeps its last value, and what is
 * missing is in the next.
 */
static bool td_perf_may_fold(const struct td_collector *collector)
{
	if (td_window_held(collector))
		return false;
	if (!collector->open)
		return !in_nmi();
	return td_meter_settled(collector->meter) &&
	       (!in_nmi() || td_perf_may_fold_in_nmi(collector->meter));
}

static void td_perf_read(struct perf_event *event)
{
	struct td_collector *collector = this_cpu_ptr(td_collectors);
	const struct td_perf_moment *moment;

	if (event->hw.state & PERF_HES_STOPPED || !td_perf_may_fold(collector))
		return;
	td_window_hold(collector);
	collector->busy_time.sampled = true;
	moment = td_perf_moment(collector, event, TD_PERF_READ);
	collector->busy_time.sampled = false;
	td_perf_credit(collector, event, moment);
	td_window_release(collector);
}

/* Users may make events. */
static bool td_perf_opened;

static int td_perf_event_init(struct perf_event *event);

static struct pmu td_perf_pmu = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_sw_context,
	.attr_groups	= td_perf_groups,
	.event_init	= td_perf_event_init,
	.add		= td_perf_add,
	.del		= td_perf_del,
	.start		= td_perf_start,
	.stop		= td_perf_stop,
	.read		= td_perf_read,
};

static void td_perf_destroy(struct perf_event *event)
{
	td_compat_event_forget_pmu(event, &td_perf_pmu);
	kfree(event->pmu_private);
}

static unsigned int td_perf_node(const struct perf_event_attr *attr)
{
	if (!attr->config || attr->config == TD_PERF_CONFIG_SLOTS)
		return TD_PERF_SLOTS;
	return attr->config - 1;
}

/*
 * The group of a CPU counts all rings, and no guests.  A user who asks for less must not
 * get more.
 */
static int td_perf_check(const struct perf_event_attr *attr)
{
	unsigned int node = td_perf_node(attr);

	if (attr->exclude_user || attr->exclude_kernel || attr->exclude_host ||
	    attr->exclude_idle)
		return -EINVAL;
	if ((attr->config > TD_NR_NODES && attr->config != TD_PERF_CONFIG_SLOTS) ||
	    attr->config1 || attr->config2)
		return -EINVAL;
	if (node != TD_PERF_SLOTS && !(td_perf_nodes() >> node & 1))
		return -EOPNOTSUPP;
	return 0;
}

/* perf also calls this for events of other types that no PMU accepted. */
static int td_perf_event_init(struct perf_event *event)
{
	struct td_perf_own *own;
	int ret;

	if (event->attr.type != td_perf_pmu.type)
		return -ENOENT;
	/* Pairs with WRITE_ONCE() in td_perf_open(). */
	if (!READ_ONCE(td_perf_opened))
		return -ENODEV;
	if (is_sampling_event(event) || has_branch_stack(event))
		return -EOPNOTSUPP;
	/* An error for an inherited event would make fork() fail. */
	ret = event->parent ? 0 : td_perf_check(&event->attr);
	if (ret)
		return ret;

	own = kzalloc(sizeof(*own), GFP_KERNEL_ACCOUNT);
	if (!own)
		return -ENOMEM;
	own->node = td_perf_node(&event->attr);
	for (own->parent = 0; own->parent < TD_NR_PARENTS; own->parent++)
		if ((u64)td_nodes_children(own->parent) >> own->node & 1)
			break;
	event->pmu_private = own;
	event->destroy = td_perf_destroy;
	return 0;
}

/**
 * td_perf_init() - register the PMU
 *
 * The CPUs have their meters, because sysfs lists only nodes that a CPU has.  td_perf_open() has
 * to follow.
 *
 * Return: 0 or a negative errno from registering the PMU.
 */
int td_perf_init(void)
{
	td_perf_sysfs_init();
	return perf_pmu_register(&td_perf_pmu, "topdown", -1);
}

/**
 * td_perf_open() - let users make events
 *
 * An event pins the module, but not one that fails to load.  So the module fails no more.
 */
void td_perf_open(void)
{
	/* Pairs with READ_ONCE() in td_perf_event_init(). */
	WRITE_ONCE(td_perf_opened, true);
}

/**
 * td_perf_exit() - undo td_perf_init(); no event is left, because each pins the module
 */
void td_perf_exit(void)
{
	perf_pmu_unregister(&td_perf_pmu);
}
