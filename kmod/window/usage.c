// SPDX-License-Identifier: GPL-2.0
/*
 * Usage: what the followed task that runs on a CPU has used, for its sessions.
 *
 * When such a task gets the CPU, the reader of the CPU's usage moves on: the counts until then are
 * others'.  When the task leaves, and at each fold, what was counted since is credited, so each
 * part belongs to one task.  With PERF_METRICS differences of slots times byte are taken, and
 * become nodes once, by a rule that is linear (linear.c).  The sums of the CPU wait for its next
 * fold.
 */
#include <linux/compiler.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include "collector.h"
#include "credit.h"
#include "guest.h"
#include "linear.h"
#include "mark.h"
#include "meter.h"
#include "perfmetrics.h"
#include "point.h"
#include "reader.h"
#include "share.h"
#include "sums.h"
#include "usage.h"

DEFINE_PER_CPU(struct td_usage, td_usages);

/* How long were slots counted since the last reading?  As window.c has it for the CPU. */
static __always_inline u64 td_usage_ran(struct td_usage *usage,
					const struct td_collector *collector, u64 now)
{
	const struct td_group *group = &collector->meter->group[0];
	u64 ran = td_span_take(group, &group->ns, usage->read, now, &usage->span);
	u64 guests = td_window_guests();

	if (unlikely(guests != usage->guest.seen || usage->guest.owed))
		ran = td_guest_running(&usage->guest, guests, td_window_guests_apart(collector),
				       now - usage->read, ran);
	return ran;
}

/* Can the counters be read without a question? */
static __always_inline bool td_usage_goes_on(const struct td_usage *usage,
					     const struct td_collector *collector)
{
	return collector->open && usage->reader.begun == collector->begun &&
	       collector->meter->linear && !collector->trust.doubt && !collector->away;
}

/* @add is a constant; false: what was counted is others'. */
static __always_inline void td_usage_read(struct td_usage *usage, struct td_collector *collector,
					  u64 now, bool add, struct topdown_sums *sums)
{
	u64 ran = td_usage_ran(usage, collector, now);

	usage->read = now;
	if (add)
		sums->running_ns = ran;
	td_reader_take(&usage->reader, collector, TD_POINT_SLOTS, add, sums);
}

/* The counts of another meter are nobody's, and neither are doubtful ones.  Returns the time. */
static noinline u64 td_usage_read_any(struct td_usage *usage, struct td_collector *collector,
				      u64 now, struct topdown_sums *sums)
{
	if (usage->reader.begun != collector->begun) {
		td_reader_begin(&usage->reader, collector);
		usage->span = (struct td_span){ };
		td_guest_begin(&usage->guest, td_window_guests(),
			       td_window_guests_apart(collector));
		usage->quant = collector->meter->linear ?
			       td_perfmetrics_quant(collector->meter) : NULL;
		memset(&usage->part, 0, sizeof(usage->part));
		usage->credit = (struct td_credit){
			.level	= collector->meter->level,
			.nodes	= collector->meter->nodes,
			.source	= collector->meter->source,
		};
		sums = NULL;
	}
	/* The sums of the CPU have no doubtful counts. */
	if (collector->trust.doubt && collector->meter->linear)
		sums = NULL;
	if (collector->away)
		td_window_remind(collector);
	if (collector->meter->linear) {
		if (sums)
			td_usage_read(usage, collector, now, true, sums);
		else
			td_usage_read(usage, collector, now, false, NULL);
		return now;
	}
	/* A fold has just done it. */
	if (now != collector->folded)
		td_window_point(collector);
	td_reader_total(&usage->reader, collector, sums);
	usage->read = collector->folded;
	return usage->read;
}

/**
 * td_usage_begin() - a followed task gets this CPU: what was counted until now is others'
 * @collector: collector of this CPU; interrupts off, and no NMI may fold
 * @now: local_clock()
 * @blind: there was no ticket, so do not read the counters
 */
void td_usage_begin(struct td_collector *collector, u64 now, bool blind)
{
	struct td_usage *usage = this_cpu_ptr(&td_usages);

	lockdep_assert_irqs_disabled();
	usage->blind = blind;
	usage->since = now;
	/* This switch has already read for the previous task. */
	if (blind || usage->read == now)
		return;
	if (likely(td_usage_goes_on(usage, collector)))
		td_usage_read(usage, collector, now, false, NULL);
	else if (collector->open)
		usage->since = td_usage_read_any(usage, collector, now, NULL);
}

/* Steps of the metrics become nodes, in place.  A linear meter has all children, or none. */
static __always_inline void td_usage_nodes(const struct td_usage *usage, struct topdown_sums *part)
{
	unsigned int level = usage->credit.level;

	td_steps_to_nodes(part->slots, part->node, usage->quant, level, part->node);
	td_sums_children(part, level > 1 ? TD_NODES_METRICS_L2 : TD_NODES_METRICS_L1);
}

/* The last part was of the same meter, so only what grows has to be 0. */
static __always_inline void td_usage_clear(struct topdown_sums *part)
{
	unsigned int i;

	part->slots = 0;
	part->cycles = 0;
	part->instructions = 0;
	/* One by one: the compiler would repeat one instruction, which takes longer. */
	for (i = 0; i < TD_METRIC_NR; i++)
		WRITE_ONCE(part->node[i], 0);
}

/* As td_usage_credit() does, whatever there is to read.  Returns the time. */
static noinline u64 td_usage_take_any(struct td_usage *usage, struct td_collector *collector,
				      u64 now)
{
	struct topdown_sums *part = &usage->part;

	memset(part, 0, sizeof(*part));
	if (!collector->open)
		return now;
	if (usage->blind) {
		usage->credit.merged_ns = now - usage->since;
		return now;
	}
	now = td_usage_read_any(usage, collector, now, part);
	if (collector->meter->linear)
		td_usage_nodes(usage, part);
	return now;
}

/**
 * td_usage_credit() - credit what the followed task that runs here has used since the last time
 * @collector: collector of this CPU; interrupts off, and no NMI may fold
 * @now: local_clock()
 *
 * If no window is open, or without a ticket, only the time is credited.
 */
void td_usage_credit(struct td_collector *collector, u64 now)
{
	struct td_usage *usage = this_cpu_ptr(&td_usages);
	struct topdown_sums *part = &usage->part;

	lockdep_assert_irqs_disabled();
	usage->credit.merged_ns = 0;
	if (likely(td_usage_goes_on(usage, collector) && !usage->blind)) {
		td_usage_clear(part);
		td_usage_read(usage, collector, now, true, part);
		td_usage_nodes(usage, part);
	} else {
		now = td_usage_take_any(usage, collector, now);
	}
	part->enabled_ns = now - usage->since;
	part->running_ns = min(part->running_ns, part->enabled_ns);
	usage->since = now;
	usage->credit.part = part;
	usage->credit.kind = collector->kind;
	td_credit_all(&usage->credit);
}

/**
 * td_usage_folded() - the CPU has folded: the sessions are to be as up to date
 * @collector: collector of this CPU, with an open window; interrupts off, and no NMI may fold
 *
 * A task without a ticket is measured from here on.
 */
void td_usage_folded(struct td_collector *collector)
{
	u64 now = collector->folded;

	td_usage_credit(collector, now);
	if (this_cpu_read(td_usages.blind))
		td_usage_begin(collector, now, false);
}

/**
 * td_usage_meet() - a meter begins: what it has counted until now is nobody's
 * @collector: collector of this CPU, whose window is not open yet; interrupts off
 */
void td_usage_meet(struct td_collector *collector)
{
	struct td_usage *usage = this_cpu_ptr(&td_usages);

	td_usage_credit(collector, collector->folded);
	td_usage_read_any(usage, collector, collector->folded, NULL);
}
