// SPDX-License-Identifier: GPL-2.0
/*
 * Windows: what the group of a CPU counted, folded into sums that only grow.
 *
 * Counts are folded on the CPU itself with interrupts off: by the CPU's own
 * timer, which ends the window, at least once per period; by an interrupt when a
 * reader wants fresh figures, or an event of a followed task comes or goes
 * (follow.c), which do not; and when the CPU goes offline or its group is made anew
 * (cpu.c).  The sums live in the map (page.c).
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kernel_stat.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/timer.h>

#include "aside.h"
#include "compat.h"
#include "counters.h"
#include "cpu.h"
#include "credit.h"
#include "formula.h"
#include "guest.h"
#include "model.h"
#include "page.h"
#include "plausible.h"
#include "refine.h"
#include "scope.h"
#include "share.h"
#include "watch.h"
#include "window.h"

/* Below this share of a window the counter is called contended. */
#define TD_OK_PERCENT		99

/* A CPU that did less than this since it was folded need not be interrupted. */
#define TD_BUSY_US		50
/* By which the time that it was busy may seem to go back. */
#define TD_BUSY_SLACK_US	5

/* Pauses before groups that were too large are tried again. */
#define TD_WIDEN_MIN		(64 * HZ)
#define TD_WIDEN_MAX		(4096 * HZ)

/* So long the children of a node are counted after it was over its threshold. */
#define TD_DRILL_HOLD		(10 * HZ)

/* Windows of fewer slots, some 0.1 ms of them, decide nothing. */
#define TD_DRILL_MIN_SLOTS	BIT_ULL(20)

/* Where TOPDOWN_RECORD_CLAMPED_NODES() has them. */
#define TD_CLAMPED_SHIFT	16

struct td_window __percpu *td_windows;

static unsigned int td_period_ms = TD_PERIOD_DEFAULT_MS;

/* Nodes that a formula was cut for, bit n for node n. */
static void td_window_clamped(struct td_window *window, u32 nodes)
{
	if (nodes)
		window->flags |= TOPDOWN_RECORD_CLAMPED | nodes << TD_CLAMPED_SHIFT;
}

/* Counts in doubt are nobody's, as if nothing had been counted. */
static noinline void td_window_judge(struct td_window *window, enum td_doubt doubt,
				     struct topdown_figures *part)
{
	bool refused = window->trust.refused;

	if (td_trust_part(&window->trust, doubt)) {
		part->running_ns = 0;
		part->slots = 0;
		memset(part->node, 0, sizeof(part->node));
	} else if (refused && !window->trust.refused) {
		window->believed = true;
	}
}

/* Not where it is found out: the scheduler may hold its locks there. */
static void td_window_log_believed(struct td_window *window)
{
	if (!window->believed)
		return;
	window->believed = false;
	pr_info_ratelimited("CPU%d: its counters can be believed again\n", window->cpu);
}

/* The time of this CPU in virtual machines, in which our events do not count. */
static u64 td_window_guests(void)
{
	const u64 *stat = kcpustat_this_cpu->cpustat;

	return stat[CPUTIME_GUEST] + stat[CPUTIME_GUEST_NICE];
}

static u64 td_window_guests_apart(const struct td_window *window)
{
	const struct td_group *group = window->counters ? &window->counters->part[0].group :
							  &window->group;

	return td_compat_guest_apart(group->event[0]);
}

static noinline void td_window_spare_guests(struct td_window *window, u64 guests,
					    struct topdown_figures *part)
{
	part->running_ns = td_guest_running(&window->guest, guests,
					    td_window_guests_apart(window), part->enabled_ns,
					    part->running_ns);
}

/* The same for ordinary counters. */
static noinline void td_window_measure_counters(struct td_window *window,
						struct topdown_figures *part)
{
	u64 now = local_clock();
	struct td_slots slots;
	enum td_doubt doubt;
	u64 ran;

	ran = td_counters_fold(window->counters, window->cpu, now, &slots);

	part->enabled_ns = now - window->folded;
	part->running_ns = min(ran, part->enabled_ns);
	part->slots = slots.slots;
	memcpy(part->node, slots.node, sizeof(part->node));
	window->folded = now;
	doubt = td_doubt_counters(slots.slots, slots.node[TOPDOWN_RETIRING], ran);
	if (unlikely(doubt || window->trust.doubt))
		td_window_judge(window, doubt, part);
	if (part->slots)
		td_window_clamped(window, slots.clamped);
}

/* The same counts as perf's metric expressions have them. */
static noinline void td_window_refine(struct td_window *window, const struct td_counts *delta,
				      struct topdown_figures *part)
{
	td_window_clamped(window,
			  td_refine_fold(&window->refine, &window->group, delta, part->node));
}

/*
 * What the group counted since the last fold, corrected and in slots per node.
 * Of @part the ratios are not touched.
 */
static void td_window_measure(struct td_window *window, struct topdown_figures *part)
{
	struct td_counts delta = { };
	u64 now = local_clock();
	u64 running = td_group_running(&window->group, now);
	s64 ran = running - window->running;
	enum td_bytes bytes;

	td_group_fold(&window->group, &window->counts, &delta);

	memset(part, 0, offsetof(struct topdown_figures, ratio));
	part->enabled_ns = now - window->folded;
	part->running_ns = clamp_t(s64, ran, 0, part->enabled_ns);
	part->slots = delta.slots;
	bytes = td_counts_fold(&delta, &window->quant, window->level, part->node);
	if (unlikely(window->refine.formula))
		td_window_refine(window, &delta, part);
	if (unlikely(bytes != TD_BYTES_RIGHT || !part->slots || window->trust.doubt)) {
		window->trust.odd |= bytes != TD_BYTES_RIGHT;
		td_window_judge(window, td_doubt_metrics(bytes, part->slots, part->running_ns),
				part);
	}

	window->folded = now;
	window->running = running;
}

/**
 * td_window_enable_groups() - start to count, also again after an error
 * @window: has a group or counters; process context
 */
void td_window_enable_groups(struct td_window *window)
{
	if (window->counters)
		td_counters_enable(window->counters);
	else
		td_group_enable(&window->group);
}

/**
 * td_window_disable_groups() - leave the counters to others
 * @window: has a group or counters; process context
 */
void td_window_disable_groups(struct td_window *window)
{
	if (window->counters)
		td_counters_disable(window->counters);
	else
		td_group_disable(&window->group);
}

/**
 * td_window_in_error() - was a pinned group refused its counters?
 * @window: has a group or counters
 *
 * Return: true or false.
 */
bool td_window_in_error(const struct td_window *window)
{
	return window->counters ? td_counters_in_error(window->counters) :
				  td_group_in_error(&window->group);
}

/**
 * td_window_doubt() - why what a CPU counts is not believed
 * @window: of the CPU
 *
 * Return: the doubt; TD_DOUBT_NONE for none.
 */
enum td_doubt td_window_doubt(const struct td_window *window)
{
	/* Written plainly on the CPU: whoever asks sees the doubt of some part. */
	return READ_ONCE(window->trust.doubt);
}

/**
 * td_window_odd() - windows whose bytes of PERF_METRICS do not sum to what they can
 * @cpu: possible CPU
 *
 * Return: how many there were since the module was loaded.
 */
u64 td_window_odd(int cpu)
{
	/* Written plainly on the CPU, one word. */
	return READ_ONCE(per_cpu_ptr(td_windows, cpu)->trust.odd_windows);
}

static enum topdown_state td_window_state(const struct td_window *window,
					  const struct topdown_figures *figures)
{
	unsigned int percent = TD_OK_PERCENT;

	if (td_window_in_error(window))
		return TOPDOWN_STATE_ERROR;
	if (window->trust.doubt)
		return TOPDOWN_STATE_UNSUPPORTED;
	if (window->aside.away)
		return TOPDOWN_STATE_ASIDE;
	if (window->counters)
		percent = td_counters_percent(window->counters, percent);
	if (figures->running_ns < figures->enabled_ns / 100 * percent)
		return window->was_aside ? TOPDOWN_STATE_ASIDE : TOPDOWN_STATE_CONTENDED;
	return TOPDOWN_STATE_OK;
}

/* The open window and the last part of it become the last window. */
static void td_window_turn(struct td_window *window, struct topdown_map_record *entry,
			   const struct topdown_figures *part)
{
	struct topdown_record *record = &entry->record;

	memcpy(&record->window, part, offsetof(struct topdown_figures, ratio));
	if (window->parts) {
		td_figures_add(&record->window, &entry->open);
		td_figures_clear(&entry->open);
		window->parts = 0;
	}
	/* Both are 0 with PERF_METRICS alone. */
	if (unlikely(window->flags | record->flags)) {
		record->flags = window->flags;
		window->flags &= TOPDOWN_RECORD_SCALED | TOPDOWN_RECORD_REFINED |
				 TOPDOWN_RECORD_DRILLDOWN;
	}
	if (unlikely(window->trust.doubt | window->trust.odd))
		td_trust_close(&window->trust);
	/* Pairs with READ_ONCE() in td_window_awake(). */
	WRITE_ONCE(window->state, td_window_state(window, &record->window));
	record->state = window->state;
	window->was_aside = window->aside.away;
	record->windows++;
	record->window_time_ns = record->time_ns;
}

/* To the sessions of the task that runs here. */
static noinline void td_window_credit(const struct td_window *window,
				      const struct topdown_figures *part)
{
	struct td_credit credit = {
		.part	= part,
		.level	= window->level,
		.nodes	= window->nodes,
		.source	= window->source,
		.kind	= window->kind,
	};

	td_credit_part(&credit, window->folded);
}

/**
 * td_window_fold() - bring the sums up to date
 * @window: open; of this CPU, interrupts off
 * @close: end the window
 *
 * Ratios are left to the readers, who want those of differences anyway.
 */
void td_window_fold(struct td_window *window, bool close)
{
	struct topdown_figures part;
	struct topdown_map_record *entry;
	u64 guests;

	lockdep_assert_irqs_disabled();
	WARN_ON_ONCE(window->cpu != smp_processor_id());

	if (unlikely(window->aside.away))
		td_aside_remind(window);
	if (unlikely(window->counters))
		td_window_measure_counters(window, &part);
	else
		td_window_measure(window, &part);
	guests = td_window_guests();
	if (unlikely(guests != window->guest.seen || window->guest.owed))
		td_window_spare_guests(window, guests, &part);
	if (td_credit_wanted())
		td_window_credit(window, &part);
	entry = td_page_write_begin(window->cpu);
	entry->record.time_ns = ktime_get_ns();
	td_figures_add(&entry->record.total, &part);
	if (close) {
		td_window_turn(window, entry, &part);
	} else {
		td_figures_add(&entry->open, &part);
		window->parts++;
	}
	td_page_write_end(window->cpu);
	if (close)
		td_page_add_window(window->cpu, &entry->record);
}

/* Runs on the CPU with interrupts off, so records have one writer at a time. */
static void td_window_set_state(struct td_window *window, enum topdown_state state)
{
	lockdep_assert_irqs_disabled();
	WARN_ON_ONCE(window->cpu != smp_processor_id());

	/* Pairs with READ_ONCE() in td_window_awake(). */
	WRITE_ONCE(window->state, state);
	td_page_write_begin(window->cpu)->record.state = state;
	td_page_write_end(window->cpu);
}

/**
 * td_window_nodes() - the nodes that a CPU has figures of at times
 * @cpu: possible CPU
 *
 * Return: bit n for node n.
 */
unsigned int td_window_nodes(int cpu)
{
	/* Pairs with WRITE_ONCE() in td_cpu_create_metrics() and td_cpu_create_counters(). */
	return READ_ONCE(per_cpu_ptr(td_windows, cpu)->nodes_possible);
}

/**
 * td_window_period() - longest time a busy CPU keeps a window open
 *
 * Return: milliseconds.
 */
unsigned int td_window_period(void)
{
	/* Pairs with WRITE_ONCE() in td_window_set_period(). */
	return READ_ONCE(td_period_ms);
}

/**
 * td_window_set_period() - change the period of windows that begin later
 * @period_ms: TD_PERIOD_MIN_MS..TD_PERIOD_MAX_MS
 */
void td_window_set_period(unsigned int period_ms)
{
	/* Pairs with READ_ONCE() in td_window_period(). */
	WRITE_ONCE(td_period_ms, period_ms);
}

/*
 * When to close the window that begins now.  The timer wheel fires up to an
 * eighth of the delay and a tick late, and the window shall be no longer than
 * the period, if a period is two ticks or more.  The jitter keeps the CPUs from
 * falling into step with each other and with a periodic workload.
 */
static unsigned long td_window_delay(struct td_window *window)
{
	unsigned long period = td_window_period() * HZ / MSEC_PER_SEC;
	unsigned long late = period / 8 + 1;
	unsigned long jitter;

	/* Numerical Recipes' generator; its upper bits are random enough. */
	window->jitter = window->jitter * 1664525 + 1013904223;
	jitter = (u64)window->jitter * (period / 16 + 1) >> 32;

	return period > late + jitter ? period - late - jitter : 1;
}

/* Out of line: a copy of the record on the stack only where somebody watches. */
static noinline void td_window_tell(struct td_window *window, unsigned long flags)
{
	struct topdown_record record;

	td_page_read(window->cpu, false, &record);
	/* Waking readers needs interrupts on PREEMPT_RT. */
	local_irq_restore(flags);
	td_watch_window(&record);

	/*
	 * Due again already, after very many watches: the kernel goes on with timers
	 * as long as there are such, and the CPU would do nothing else.
	 */
	local_irq_save(flags);
	if (window->open && time_after_eq(jiffies, window->timer.expires))
		mod_timer(&window->timer, jiffies + td_window_delay(window));
	local_irq_restore(flags);
}

/* There is not room for all: later there may be, and the more often not, the later. */
static void td_window_put_off(struct td_window *window)
{
	/* There was for long: who has the counter now is somebody else. */
	if (time_after(jiffies, window->widen_at + window->widen_delay))
		window->widen_delay = TD_WIDEN_MIN;
	else
		window->widen_delay = min(window->widen_delay * 2, TD_WIDEN_MAX);
	window->widen_at = jiffies + window->widen_delay;
}

/**
 * td_window_resize() - see whether all groups of ordinary counters have their turns
 * @arg: the window, on its CPU with interrupts off; has counters
 *
 * If not, there is less room from then on, and all of it again after a while, in
 * which the counter that they lack may have become free.
 */
void td_window_resize(void *arg)
{
	struct td_window *window = arg;
	unsigned int room = window->room, events;

	/* It is not for want of counters that they have no turns. */
	if (window->aside.away)
		return;
	events = min(td_counters_starved(window->counters, local_clock()), room);
	if (events > TD_ROOM_MIN) {
		if (room == TD_GROUP_MAX)
			td_window_put_off(window);
		room = events - 1;
	} else if (room < TD_GROUP_MAX && time_after(jiffies, window->widen_at)) {
		window->widen_at = jiffies;
		room = TD_GROUP_MAX;
	}
	/* Pairs with READ_ONCE() in td_cpu_make_room(). */
	WRITE_ONCE(window->room, room);
}

/**
 * td_window_drills() - shall the children of other nodes be counted than are?
 * @window: its window; under td_cpu_mutex or on the CPU with interrupts off
 *
 * Return: true or false.
 */
bool td_window_drills(const struct td_window *window)
{
	const struct td_counters *counters = window->counters;

	/* Pairs with WRITE_ONCE() in td_window_drill(). */
	return counters && counters->drill &&
	       counters->closed != (~READ_ONCE(window->drill) & TD_PARENTS);
}

/* By the window that was just closed.  Out of line as td_window_tell(). */
static noinline void td_window_drill(struct td_window *window)
{
	u32 drill = window->drill, over;
	struct topdown_record record;
	unsigned int i;

	td_page_read(window->cpu, false, &record);
	/* What a CPU did that did next to nothing is not what it does. */
	if (record.window.slots < TD_DRILL_MIN_SLOTS)
		return;
	over = td_formula_over(window->counters->formula, &record.window, record.nodes);
	for (i = 0; i < TOPDOWN_NR_PARENTS; i++) {
		if (over >> i & 1)
			window->drill_at[i] = jiffies;
		else if (time_after(jiffies, window->drill_at[i] + TD_DRILL_HOLD))
			drill &= ~(1U << i);
	}
	/* Pairs with READ_ONCE() in td_window_drills() and td_cpu_create_counters(). */
	WRITE_ONCE(window->drill, drill | over);
}

/* Is there something that only a process can mend? */
static bool td_window_ailing(struct td_window *window)
{
	/* Pairs with READ_ONCE() in td_cpu_retry_work(). */
	WRITE_ONCE(window->lost, td_trust_lost(&window->trust));
	if (window->counters) {
		td_window_resize(window);
		if (window->counters->drill)
			td_window_drill(window);
		if (window->room != window->counters->room || window->counters->doubtful ||
		    td_window_drills(window))
			return true;
	}
	return window->lost || window->state == TOPDOWN_STATE_ERROR;
}

static void td_window_timer(struct timer_list *timer)
{
	struct td_window *window = timer_container_of(window, timer, timer);
	unsigned long flags;

	local_irq_save(flags);
	if (window->open) {
		td_window_fold(window, true);
		td_window_log_believed(window);
		window->opened = jiffies;
		mod_timer(&window->timer, window->opened + td_window_delay(window));
		if (td_window_ailing(window))
			td_cpu_retry(window);
		if (td_watch_wanted()) {
			td_window_tell(window, flags);
			return;
		}
	}
	local_irq_restore(flags);
}

/* What was counted until now is nobody's. */
static void td_window_forget(struct td_window *window)
{
	struct td_counts unseen;

	window->folded = local_clock();
	td_guest_begin(&window->guest, td_window_guests(), td_window_guests_apart(window));
	if (window->counters) {
		td_counters_begin(window->counters, window->folded);
		return;
	}
	window->running = td_group_running(&window->group, window->folded);
	td_group_fold(&window->group, &window->counts, &unseen);
	if (window->refine.formula)
		td_refine_begin(&window->refine, &window->group);
}

/*
 * Whose children are counted that were not before, though there are figures already.
 * Between the end of the last window and now nothing was counted at all.
 */
static void td_window_since(const struct td_window *window, struct topdown_record *record)
{
	u32 begun = window->nodes & ~(u32)record->nodes;
	unsigned int i;

	if (!record->time_ns)
		return;
	for (i = 0; i < TOPDOWN_NR_PARENTS; i++) {
		if (begun & td_nodes_of_parents(1U << i))
			record->since_ns[i] = record->time_ns;
	}
}

/**
 * td_window_begin() - measure, from now on
 * @arg: the window, on its CPU with interrupts off; its group is enabled
 */
void td_window_begin(void *arg)
{
	struct td_window *window = arg;
	unsigned long delay = td_window_delay(window);
	struct topdown_record *record;
	enum topdown_state state = TOPDOWN_STATE_OK;

	/* Where nothing could be believed, nothing is until counts speak for it. */
	if (window->trust.doubt)
		state = TOPDOWN_STATE_UNSUPPORTED;
	if (td_window_in_error(window))
		state = TOPDOWN_STATE_ERROR;
	record = &td_page_write_begin(window->cpu)->record;
	td_window_since(window, record);
	record->level = window->level;
	record->nodes = window->nodes;
	record->source = window->source;
	record->flags = window->flags;
	record->kind = window->kind;
	record->slots_per_cycle = window->model->slots_per_cycle;
	record->nr_cpus = 1;
	td_page_write_end(window->cpu);
	td_window_set_state(window, state);

	td_window_forget(window);
	window->open = true;
	window->opened = jiffies;
	/* Stagger the CPUs: the first window is a part of one. */
	mod_timer(&window->timer, window->opened + 1 + (delay * hash_32(window->cpu, 8) >> 8));
}

/**
 * td_window_end() - keep what was counted, and do not look at the group again
 * @arg: the window, on its CPU with interrupts off
 */
void td_window_end(void *arg)
{
	struct td_window *window = arg;

	if (window->open)
		td_window_fold(window, true);
	window->open = false;
}

/**
 * td_window_offline() - say that the CPU is not measured any more
 * @arg: the window, on its CPU with interrupts off
 */
void td_window_offline(void *arg)
{
	td_window_set_state(arg, TOPDOWN_STATE_OFFLINE);
}

/**
 * td_window_aside() - say that the counters are left to a perf user
 * @window: of this CPU, interrupts off
 */
void td_window_aside(struct td_window *window)
{
	window->was_aside = true;
	td_window_set_state(window, TOPDOWN_STATE_ASIDE);
}

/**
 * td_window_unsupported() - say that the CPU has no events for a group
 * @arg: the window, on its CPU with interrupts off
 */
void td_window_unsupported(void *arg)
{
	struct td_window *window = arg;

	td_page_write_begin(window->cpu)->record.kind = window->kind;
	td_page_write_end(window->cpu);
	td_window_set_state(window, TOPDOWN_STATE_UNSUPPORTED);
}

/**
 * td_window_failed() - say that the group could not be made
 * @arg: the window, on its CPU with interrupts off
 */
void td_window_failed(void *arg)
{
	td_window_set_state(arg, TOPDOWN_STATE_ERROR);
}

/* May a CPU be interrupted, other than by its own timer? */
static bool td_window_reachable(int cpu, void *unused)
{
	return td_scope_has(cpu) && !td_scope_quiet(cpu);
}

static void td_window_rearm(void *unused)
{
	struct td_window *window = this_cpu_ptr(td_windows);

	/* From its beginning: who writes again and again must not keep it open. */
	if (window->open)
		mod_timer(&window->timer, window->opened + td_window_delay(window));
}

/**
 * td_window_rearm_all() - let the open windows follow the new period
 *
 * One interrupt to each CPU; on those that must not be interrupted the next window
 * is the first that does.
 */
void td_window_rearm_all(void)
{
	on_each_cpu_cond(td_window_reachable, td_window_rearm, NULL, true);
}

/*
 * Microseconds that a CPU has not been idle; grows without end where the kernel
 * does not account for that.  The two clocks may be some microseconds apart.
 */
static u64 td_window_busy(int cpu)
{
	return ktime_to_us(ktime_get()) - td_compat_idle_us(cpu);
}

/* What the CPU does after the first line shall count as done the next time. */
static void td_window_fold_this(void *unused)
{
	struct td_window *window = this_cpu_ptr(td_windows);
	u64 busy = td_window_busy(window->cpu);

	if (!window->open)
		return;
	td_window_fold(window, false);
	/* After the record has changed; pairs with smp_load_acquire() in td_window_awake(). */
	smp_store_release(&window->busy, busy);
}

/**
 * td_window_fold_now() - bring the sums of some CPUs up to date
 * @cpus: which; those that are offline, or must not be interrupted, are left out
 *
 * One interrupt to each CPU; waits until all have answered.
 */
void td_window_fold_now(const struct cpumask *cpus)
{
	on_each_cpu_cond_mask(td_window_reachable, td_window_fold_this, NULL, true, cpus);
}

/*
 * Has the CPU done anything since a reader last had it folded?  If not it has
 * counted no slots but those of a few interrupts.
 */
static bool td_window_awake(int cpu, void *unused)
{
	const struct td_window *window = per_cpu_ptr(td_windows, cpu);
	u64 busy;

	if (!td_window_reachable(cpu, NULL))
		return false;
	/* Pairs with WRITE_ONCE() where the state is set. */
	switch (READ_ONCE(window->state)) {
	case TOPDOWN_STATE_OFFLINE:
	case TOPDOWN_STATE_UNSUPPORTED:
		return false;
	case TOPDOWN_STATE_OK:
	case TOPDOWN_STATE_ASIDE:
		break;
	default:
		return true;
	}
	/* Pairs with smp_store_release() in td_window_fold_this(). */
	busy = td_window_busy(cpu) - smp_load_acquire(&window->busy);
	/* To ask this CPU costs nothing. */
	return cpu == smp_processor_id() ||
	       busy + TD_BUSY_SLACK_US >= TD_BUSY_US + TD_BUSY_SLACK_US;
}

/**
 * td_window_fold_awake() - bring the sums up to date where that changes them
 * @cpus: which; those that are offline, or must not be interrupted, are left out
 *
 * As td_window_fold_now(), but leaves those alone that have been idle since
 * this was last called for them.
 */
void td_window_fold_awake(const struct cpumask *cpus)
{
	on_each_cpu_cond_mask(td_window_awake, td_window_fold_this, NULL, true, cpus);
}

/**
 * td_window_setup() - the window of a CPU that is not measured yet
 * @window: zeroed
 * @cpu: possible CPU
 */
void td_window_setup(struct td_window *window, int cpu)
{
	/*
	 * A deferrable timer does not wake an idle CPU, which counts no slots.
	 * On a nohz_full CPU it would not fire while the CPU is busy either.
	 */
	unsigned int flags = TIMER_PINNED | (td_scope_quiet(cpu) ? 0 : TIMER_DEFERRABLE);
	struct topdown_map_record *entry;

	window->cpu = cpu;
	window->state = td_scope_has(cpu) ? TOPDOWN_STATE_OFFLINE : TOPDOWN_STATE_EXCLUDED;
	window->jitter = get_random_u32();
	timer_setup(&window->timer, td_window_timer, flags);

	entry = td_page_write_begin(cpu);
	entry->record.cpu = cpu;
	entry->record.state = window->state;
	td_figures_clear(&entry->record.total);
	td_figures_clear(&entry->record.window);
	td_figures_clear(&entry->open);
	td_page_write_end(cpu);
}
