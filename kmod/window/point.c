// SPDX-License-Identifier: GPL-2.0
/*
 * Points: bring the sums of a CPU up to date, whether a fold publishes them or not.
 */
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "collector.h"
#include "guest.h"
#include "meter.h"
#include "plausible.h"
#include "point.h"
#include "sums.h"

/* Note nodes that were clamped, bit n for node n. */
static noinline void td_window_clamped(struct td_collector *collector, u32 nodes)
{
	collector->flags |= TOPDOWN_RECORD_CLAMPED;
	collector->clamped |= nodes;
}

/* Drop doubtful counts, as if nothing had been counted. */
static noinline void td_window_judge(struct td_collector *collector, enum td_doubt doubt,
				     struct topdown_sums *part)
{
	bool refused = collector->trust.refused;

	if (td_trust_part(&collector->trust, doubt, part->running_ns)) {
		part->running_ns = 0;
		part->slots = 0;
		part->cycles = 0;
		part->instructions = 0;
		memset(part->node, 0, sizeof(part->node));
	} else if (refused && !collector->trust.refused) {
		collector->believed = true;
	}
}

static noinline void td_window_spare_guests(struct td_collector *collector, u64 guests,
					    struct topdown_sums *part)
{
	part->running_ns = td_guest_running(&collector->guest, guests,
					    td_window_guests_apart(collector), part->enabled_ns,
					    part->running_ns);
}

/* Read the meter: write the part since the last fold, except its ratios. */
static void td_window_measure(struct td_collector *collector, struct td_part *part,
			      enum td_fold how)
{
	u64 now = local_clock();
	s64 ran = collector->meter->ops->fold(collector->meter, now, part, how);
	struct topdown_sums *sums = &part->sums;

	sums->enabled_ns = now - collector->folded;
	sums->running_ns = clamp_t(s64, ran, 0, sums->enabled_ns);
	collector->folded = now;
	if (unlikely(part->doubt || part->odd || collector->trust.doubt)) {
		collector->trust.odd |= part->odd;
		td_window_judge(collector, part->doubt, sums);
	}
	if (unlikely(part->clamped) && sums->slots)
		td_window_clamped(collector, part->clamped);
}

/**
 * td_window_remind() - enable the groups again if it is time
 * @collector: collector of this CPU, with an open window; interrupts off
 *
 * aside.c has a timer for that, but it does not wake
 * an idle CPU, and it may not fire on a CPU that is busy only for less than a tick now and
 * then.  The run queue may be locked here, so queue an irq_work.
 */
noinline void td_window_remind(struct td_collector *collector)
{
	if (time_after_eq(jiffies, collector->back_at))
		irq_work_queue(&collector->look);
}

/**
 * td_window_take() - measure the part since the last point or fold
 * @collector: collector of this CPU, with an open window; interrupts off, and no NMI may fold
 * @how: how exactly, and whether the window ends
 */
void td_window_take(struct td_collector *collector, enum td_fold how)
{
	struct topdown_sums *part = &collector->part.sums;
	u64 guests;

	lockdep_assert_irqs_disabled();
	WARN_ON_ONCE(collector->cpu != smp_processor_id());

	if (unlikely(collector->away))
		td_window_remind(collector);
	/* A doubt ends by parts that are judged. */
	if (unlikely(collector->trust.doubt) && how == TD_FOLD_POINT)
		how = TD_FOLD_RESET;
	td_window_measure(collector, &collector->part, how);
	collector->turns_ns += collector->part.turns_ns;
	td_sums_children(part, collector->meter->nodes);
	guests = td_window_guests();
	if (unlikely(guests != collector->guest.seen || collector->guest.owed))
		td_window_spare_guests(collector, guests, part);
	td_sums_add(&collector->total, part);
}

/**
 * td_window_point() - bring td_collector.total up to date
 * @collector: collector of this CPU, with an open window; interrupts off
 *
 * Readers of the CPU see it after the next fold.
 */
void td_window_point(struct td_collector *collector)
{
	td_window_hold(collector);
	td_window_take(collector, TD_FOLD_POINT);
	td_window_release(collector);
}
