// SPDX-License-Identifier: GPL-2.0
/*
 * Windows: each fold adds the slots since the last fold to sums that only grow.
 *
 * With PERF_METRICS the fold that ends a window also resets the register to 0 (perfmetrics.c),
 * so its eight bits never have to describe more than one window.  A fold runs on the CPU itself
 * with interrupts off:
 *
 * - the CPU's timer folds at least once a period if the CPU is busy, and ends the window;
 * - an interrupt folds for a reader who wants fresh sums (fresh.c, cpu.c);
 * - groups that come back after standing aside cause a fold (aside.c);
 * - the release of the meter, by hotplug or for another meter, folds last (fit.c).
 *
 * A part is what one fold or point adds (point.c).  A window is the parts until the timer ends it.
 * The sums are in the map (map.c), and sessions are credited too (usage.c).  docs/architecture.md
 * has the whole picture.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/hash.h>
#include <linux/export.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/timer.h>

#include "busy.h"
#include "compat.h"
#include "credit.h"
#include "guest.h"
#include "meter.h"
#include "model.h"
#include "map.h"
#include "names.h"
#include "owed.h"
#include "plausible.h"
#include "point.h"
#include "room.h"
#include "scope.h"
#include "sums.h"
#include "ticket.h"
#include "trace.h"
#include "usage.h"
#include "watch.h"
#include "window.h"

struct td_collector __percpu *td_collectors;
EXPORT_SYMBOL_NS_GPL(td_collectors, TD_NAMESPACE);

static unsigned int td_period_ms = TD_PERIOD_DEFAULT_MS;

/* NULL for nobody. */
static const struct td_listener *td_window_listener;

/* The timer logs this, because the scheduler may hold its locks during other folds. */
static void td_window_log_believed(struct td_collector *collector)
{
	if (!collector->believed)
		return;
	collector->believed = false;
	pr_info_ratelimited("CPU%d: its counters are trusted again\n", collector->cpu);
}

/**
 * td_window_doubt() - the doubt about the counters of a CPU
 * @collector: collector of the CPU
 *
 * Return: the doubt; TD_DOUBT_NONE for none.
 */
enum td_doubt td_window_doubt(const struct td_collector *collector)
{
	/* Pairs with plain writes of one word on the CPU; any of them is good. */
	return READ_ONCE(collector->trust.doubt);
}

/**
 * td_window_odd() - count windows whose bytes have a sum that no rounding explains
 * @cpu: possible CPU
 *
 * Return: number of such windows since the module was loaded.
 */
u64 td_window_odd(int cpu)
{
	/* Pairs with plain writes of one word on the CPU. */
	return READ_ONCE(per_cpu_ptr(td_collectors, cpu)->trust.odd_windows);
}

/*
 * Did the groups lack counters in the window?  Several have turns of no fixed length, because
 * a turn goes on while the CPU is idle.
 */
static bool td_window_lacked(const struct td_collector *collector,
			     const struct topdown_sums *sums)
{
	const struct td_meter *meter = collector->meter;
	u64 percent = sums->enabled_ns / 100;

	return sums->running_ns < percent * meter->ok_percent &&
	       (meter->nr == 1 || collector->turns_ns < percent * TD_OK_TURNS_PERCENT);
}

static enum topdown_state td_window_state(const struct td_collector *collector,
					  const struct topdown_sums *sums)
{
	if (td_meter_in_error(collector->meter))
		return TOPDOWN_STATE_ERROR;
	if (collector->trust.doubt)
		return TOPDOWN_STATE_UNSUPPORTED;
	if (collector->away)
		return TOPDOWN_STATE_ASIDE;
	if (td_window_lacked(collector, sums))
		return collector->was_away ? TOPDOWN_STATE_ASIDE : TOPDOWN_STATE_CONTENDED;
	return TOPDOWN_STATE_OK;
}

/* End the open window: with this last part it becomes the last window. */
static void td_window_end_open(struct td_collector *collector, struct topdown_map_record *record,
			       const struct topdown_sums *part)
{
	record->window = *part;
	if (collector->parts) {
		td_sums_add(&record->window, &record->open);
		memset(&record->open, 0, sizeof(record->open));
		collector->parts = 0;
	}
	/* Both are 0 with PERF_METRICS alone. */
	if (unlikely(collector->flags | record->flags)) {
		record->flags = collector->flags;
		record->clamped = collector->clamped;
		collector->flags = collector->meter->flags;
		collector->clamped = 0;
	}
	if (unlikely(collector->trust.doubt | collector->trust.odd))
		td_trust_close(&collector->trust);
	/* Pairs with READ_ONCE() in td_fresh_awake(). */
	WRITE_ONCE(collector->state, td_window_state(collector, &record->window));
	record->state = collector->state;
	collector->was_away = collector->away;
	collector->turns_ns = 0;
	record->windows++;
	record->window_time_ns = record->time_ns;
}

/* A counter track for each node with a ratio. */
static noinline void td_window_tracks(const struct topdown_map_record *record)
{
	struct topdown_figures figures;
	unsigned int i;

	td_figures_make(&figures, &record->window, record->nodes);
	for (i = 0; i < TD_NR_NODES; i++)
		if (figures.ratio[i] != TOPDOWN_RATIO_NONE)
			trace_topdown_node(record->cpu, td_node_name(i), figures.ratio[i] /
					   (TOPDOWN_RATIO_ONE / TD_TRACE_RATIO_ONE));
}

/* The window has ended, and readers have it. */
static void td_window_trace(const struct topdown_map_record *record)
{
	trace_topdown_window(record);
	if (trace_topdown_node_enabled())
		td_window_tracks(record);
}

/* For the record: by how much the sums have grown since the last fold. */
static const struct topdown_sums *td_window_news(struct td_collector *collector)
{
	struct topdown_sums *news = &collector->news;
	u64 time = collector->total.enabled_ns - collector->recorded.enabled_ns;

	/* Nobody is credited with busy time. */
	if (td_busy_known())
		collector->total.busy_ns += td_busy_fold(&collector->busy_time, time);
	*news = collector->total;
	td_sums_sub(news, &collector->recorded);
	collector->recorded = collector->total;
	return news;
}

/* Fold.  Until interrupts are on, nobody changes the returned record. */
static const struct topdown_map_record *td_window_count(struct td_collector *collector,
							enum td_fold how)
{
	const struct topdown_sums *news;
	bool close = how == TD_FOLD_CLOSE;
	struct topdown_map_record *record;

	td_window_hold(collector);
	td_window_take(collector, how);
	if (td_credit_wanted())
		td_usage_folded(collector);
	if (close && td_credit_wanted())
		td_credit_sampled();
	news = td_window_news(collector);
	record = td_map_write_begin(collector->cpu);
	/* An NMI, or a probe, that interrupts the keeper of the time would wait for it in vain. */
	record->time_ns = in_nmi() || collector->busy_time.sampled ?
			  ktime_get_mono_fast_ns() : ktime_get_ns();
	td_sums_owe(&record->total, news, collector->owed, collector->meter->level);
	if (close) {
		td_window_end_open(collector, record, news);
	} else {
		td_sums_add(&record->open, news);
		collector->parts++;
	}
	td_map_write_end(collector->cpu);
	if (close)
		td_map_add_window(collector->cpu, record);
	td_window_release(collector);
	if (close)
		td_window_trace(record);
	return record;
}

/**
 * td_window_fold() - fold: bring the sums up to date
 * @collector: collector of this CPU, with an open window; interrupts off
 * @how: how exactly, and whether the window ends
 *
 * Readers compute the ratios, because they need ratios of differences anyway.
 */
void td_window_fold(struct td_collector *collector, enum td_fold how)
{
	td_window_count(collector, how);
}

/* Runs on the CPU with interrupts off, so a record has one writer at a time. */
static void td_window_set_state(struct td_collector *collector, enum topdown_state state)
{
	lockdep_assert_irqs_disabled();
	WARN_ON_ONCE(collector->cpu != smp_processor_id());

	td_window_hold(collector);
	/* Pairs with READ_ONCE() in td_fresh_awake(). */
	WRITE_ONCE(collector->state, state);
	td_map_write_begin(collector->cpu)->state = state;
	td_map_write_end(collector->cpu);
	td_window_release(collector);
}

/**
 * td_window_nodes() - the nodes that a CPU counts, or may count with drilldown
 * @cpu: possible CPU
 *
 * Return: bit n for node n.
 */
u64 td_window_nodes(int cpu)
{
	/* Pairs with WRITE_ONCE() in td_fit_create(). */
	return READ_ONCE(per_cpu_ptr(td_collectors, cpu)->nodes_possible);
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

/**
 * td_window_jitter() - a random number, so that timers do not fall into step with others
 * @collector: collector of this CPU; interrupts off
 * @most: the largest number, below 2^31
 *
 * Return: 0..@most.
 */
unsigned long td_window_jitter(struct td_collector *collector, unsigned long most)
{
	/* Numerical Recipes' generator; its upper bits are random enough. */
	collector->jitter = collector->jitter * 1664525 + 1013904223;
	return (u64)collector->jitter * (most + 1) >> 32;
}

/*
 * When to end the window that begins now.  The timer wheel fires up to an eighth of the
 * delay plus a tick late, but the window must not be longer than the period (if that is two
 * ticks or more).  The jitter keeps the windows from falling into step with those of other
 * CPUs and with a periodic workload.
 */
static unsigned long td_window_delay(struct td_collector *collector)
{
	unsigned long period = td_window_period() * HZ / MSEC_PER_SEC;
	unsigned long late = period / 8 + 1;
	unsigned long jitter = td_window_jitter(collector, period / 16);

	return period > late + jitter ? period - late - jitter : 1;
}

/* Out of line, so that only windows with watches have a copy of the record on the stack. */
static noinline void td_window_to_watches(struct td_collector *collector,
					  const struct topdown_map_record *closed,
					  unsigned long flags)
{
	struct topdown_map_record record;

	td_window_hold(collector);
	record = *closed;
	td_window_release(collector);
	/* Waking readers needs interrupts on PREEMPT_RT. */
	local_irq_restore(flags);
	td_watch_window(&record, td_window_period());

	/*
	 * With very many watches the timer may be due again already.  The kernel runs all
	 * due timers before it does anything else, so put this one off.
	 */
	local_irq_save(flags);
	if (collector->open && time_after_eq(jiffies, collector->timer.expires))
		mod_timer(&collector->timer, jiffies + td_window_delay(collector));
	local_irq_restore(flags);
}

/* Does the meter need mending in process context? */
static bool td_window_ailing(struct td_collector *collector,
			     const struct topdown_map_record *record)
{
	/* Pairs with READ_ONCE() in td_fit_mend(). */
	WRITE_ONCE(collector->lost, td_trust_lost(&collector->trust));
	if (!collector->away && td_room_review(&collector->room, collector->meter, record))
		return true;
	return collector->lost || collector->state == TOPDOWN_STATE_ERROR;
}

/*
 * Let fit.c mend the meter.  Not on the CPU itself, where a real-time task may keep the work from
 * its locks for long.
 */
static void td_window_mend(struct td_collector *collector)
{
	/* Pairs with WRITE_ONCE() in fit.c. */
	queue_delayed_work(td_compat_unbound_wq, &collector->mend,
			   READ_ONCE(collector->mend_delay));
}

/**
 * td_window_tell() - call somebody's functions from now on
 * @listener: the functions; NULL for none: the last call is over after a grace period of RCU
 */
void td_window_tell(const struct td_listener *listener)
{
	/* Pairs with smp_load_acquire() in td_window_listening(). */
	smp_store_release(&td_window_listener, listener);
}

static const struct td_listener *td_window_listening(void)
{
	/* Pairs with smp_store_release() in td_window_tell(). */
	return smp_load_acquire(&td_window_listener);
}

/* Nobody else may interrupt a quiet CPU, so whoever needs it to do something does it now. */
static void td_window_tell_quiet(const struct td_collector *collector)
{
	const struct td_listener *listener;

	if (!td_scope_quiet(collector->cpu))
		return;
	listener = td_window_listening();
	if (listener)
		listener->quiet_ended();
}

static void td_window_timer(struct timer_list *timer)
{
	struct td_collector *collector = timer_container_of(collector, timer, timer);
	const struct topdown_map_record *record;
	unsigned long flags;

	local_irq_save(flags);
	if (collector->open) {
		record = td_window_count(collector, TD_FOLD_CLOSE);
		td_window_log_believed(collector);
		collector->opened = jiffies;
		mod_timer(&collector->timer, collector->opened + td_window_delay(collector));
		td_window_tell_quiet(collector);
		if (td_window_ailing(collector, record))
			td_window_mend(collector);
		if (td_watch_wanted()) {
			td_window_to_watches(collector, record, flags);
			return;
		}
	}
	local_irq_restore(flags);
}

/* Drop everything counted so far: the next part begins here. */
static void td_window_forget(struct td_collector *collector)
{
	collector->folded = local_clock();
	td_guest_begin(&collector->guest, td_window_guests(), td_window_guests_apart(collector));
	td_busy_begin(&collector->busy_time);
	collector->meter->ops->begin(collector->meter, collector->folded);
}

/**
 * td_window_begin() - measure from now on
 * @arg: collector of this CPU, with an enabled meter; interrupts off
 */
void td_window_begin(void *arg)
{
	const struct td_listener *listener = td_window_listening();
	struct td_collector *collector = arg;
	const struct td_meter *meter = collector->meter;
	unsigned long delay = td_window_delay(collector);
	struct topdown_map_record *record;
	enum topdown_state state = TOPDOWN_STATE_OK;

	/* A doubt stays until credible counts end it. */
	if (collector->trust.doubt)
		state = TOPDOWN_STATE_UNSUPPORTED;
	if (td_meter_in_error(meter))
		state = TOPDOWN_STATE_ERROR;
	record = td_map_write_begin(collector->cpu);
	record->level = meter->level;
	record->nodes = meter->nodes;
	record->source = meter->source;
	record->flags = meter->flags;
	record->turns = meter->turns;
	record->clamped = 0;
	record->kind = collector->kind;
	record->slots_per_cycle = collector->model->slots_per_cycle;
	record->nr_cpus = 1;
	td_map_write_end(collector->cpu);
	td_window_set_state(collector, state);

	collector->flags = meter->flags;
	collector->clamped = 0;
	collector->turns_ns = 0;
	/* Nodes that this meter lacks would never pay. */
	memset(collector->owed, 0, sizeof(collector->owed));
	/* The previous meter may have had other nodes. */
	memset(&collector->part, 0, sizeof(collector->part));
	td_ticket_price(collector->meter, &collector->part);
	td_window_forget(collector);
	collector->begun++;
	if (td_credit_wanted())
		td_usage_meet(collector);
	collector->open = true;
	if (listener)
		listener->begins();
	collector->opened = jiffies;
	/*
	 * Stagger the CPUs: shorten the first window.  By half at most, because perf stops the
	 * groups for a moment when that of cycles begins, and groups may take turns.
	 */
	delay -= (delay / 2) * hash_32(collector->cpu, 8) >> 8;
	mod_timer(&collector->timer, collector->opened + 1 + delay);
}

/**
 * td_window_end() - fold a last time, and do not use the meter again
 * @arg: collector of this CPU; interrupts off
 */
void td_window_end(void *arg)
{
	const struct td_listener *listener = td_window_listening();
	struct td_collector *collector = arg;

	if (collector->open && listener)
		listener->ends();
	if (collector->open)
		td_window_fold(collector, TD_FOLD_CLOSE);
	collector->open = false;
}

/**
 * td_window_offline() - set the state: the CPU goes offline
 * @arg: collector of this CPU; interrupts off
 */
void td_window_offline(void *arg)
{
	td_window_set_state(arg, TOPDOWN_STATE_OFFLINE);
}

/**
 * td_window_aside() - set the state: the counters are left to a perf user
 * @collector: collector of this CPU; interrupts off
 */
void td_window_aside(struct td_collector *collector)
{
	collector->was_away = true;
	td_window_set_state(collector, TOPDOWN_STATE_ASIDE);
}

/**
 * td_window_unsupported() - set the state: the CPU cannot be measured
 * @arg: collector of this CPU; interrupts off
 */
void td_window_unsupported(void *arg)
{
	struct td_collector *collector = arg;

	td_map_write_begin(collector->cpu)->kind = collector->kind;
	td_map_write_end(collector->cpu);
	td_window_set_state(collector, TOPDOWN_STATE_UNSUPPORTED);
}

/**
 * td_window_failed() - set the state: the meter could not be made
 * @arg: collector of this CPU; interrupts off
 */
void td_window_failed(void *arg)
{
	td_window_set_state(arg, TOPDOWN_STATE_ERROR);
}

static void td_window_rearm(void *unused)
{
	struct td_collector *collector = this_cpu_ptr(td_collectors);

	/* Count from the begin of the window, so that repeated writes do not keep it open. */
	if (collector->open)
		mod_timer(&collector->timer, collector->opened + td_window_delay(collector));
}

/**
 * td_window_rearm_all() - apply the new period to the open windows
 *
 * Interrupts each CPU, except quiet ones: there the next window is the first with the new
 * period.
 */
void td_window_rearm_all(void)
{
	on_each_cpu_cond(td_scope_reachable, td_window_rearm, NULL, true);
}

/**
 * td_window_setup() - prepare a CPU that is not measured yet
 * @collector: collector of the CPU, zeroed
 * @cpu: possible CPU
 */
void td_window_setup(struct td_collector *collector, int cpu)
{
	/*
	 * A deferrable timer does not wake an idle CPU, and an idle CPU counts no slots.
	 * On a nohz_full CPU such a timer would not fire while the CPU is busy either.
	 */
	unsigned int flags = TIMER_PINNED | (td_scope_quiet(cpu) ? 0 : TIMER_DEFERRABLE);
	struct topdown_map_record *entry;

	collector->cpu = cpu;
	collector->state = td_scope_has(cpu) ? TOPDOWN_STATE_OFFLINE : TOPDOWN_STATE_EXCLUDED;
	collector->jitter = get_random_u32();
	td_busy_setup(&collector->busy_time, cpu);
	timer_setup(&collector->timer, td_window_timer, flags);

	entry = td_map_write_begin(cpu);
	entry->cpu = cpu;
	entry->state = collector->state;
	td_map_write_end(cpu);
}
