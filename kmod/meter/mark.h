/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks: up to where the counts of groups were added to sums.  What is here is inline, because it
 * runs within switches of tasks.
 */
#ifndef TOPDOWN_MARK_H
#define TOPDOWN_MARK_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/perf_event.h>

#include "compat.h"
#include "group.h"

/* What RDPMC reads: SDM 2B, "RDPMC"; a byte of PERF_METRICS counts steps of all slots. */
#define TD_RDPMC_SLOTS		(BIT(30) | 3)
#define TD_RDPMC_METRICS	BIT(29)
#define TD_RDPMC_STEPS		255

/* Bits of 64 that the counters of CPUs with PERF_METRICS lack. */
#define TD_RDPMC_UNUSED		16

/**
 * struct td_mark - up to where the counts of SLOTS and PERF_METRICS were added to sums
 * @counted: the driver's counts
 * @slots: slots in the register since
 * @steps: slots there times the byte of each metric
 */
struct td_mark {
	struct td_counts counted;
	u64 slots;
	u64 steps[TD_METRIC_NR];
};

bool td_group_take_counted(const struct td_group *group, u64 most, struct td_mark *mark, u64 *sum,
			   u64 *steps);

static __always_inline void td_mark_add(u64 *sum, u64 now, u64 *then)
{
	u64 more = now - *then;

	/* The compiler would add to the sum first, which takes one instruction more. */
	OPTIMIZER_HIDE_VAR(more);
	*sum += more;
	*then = now;
}

/* Add what the registers have beyond the mark, if @add, and move the mark. */
static __always_inline void td_mark_move(struct td_mark *mark, u64 slots, u64 bytes,
					 unsigned int nr, bool add, u64 *sum, u64 *steps)
{
	unsigned int i;
	u64 now;

	if (add)
		*sum += slots - mark->slots;
	mark->slots = slots;
	for (i = 0; i < nr; i++) {
		now = slots * (u8)(bytes >> i % 2 * 8);
		if (add)
			td_mark_add(&steps[i], now, &mark->steps[i]);
		else
			mark->steps[i] = now;
		if (!(i % 2))
			continue;
		/* Both bytes of a register are at hand.  Shift in place, and not once for each. */
		bytes >>= 16;
		OPTIMIZER_HIDE_VAR(bytes);
	}
}

/**
 * td_group_take() - add what was counted since a mark, without a division and without a reset
 * @group: as for td_group_point()
 * @most: as there
 * @mark: up to where all was added; moved
 * @add: a constant; false to move the mark only
 * @sum: slots are added
 * @steps: slots of each metric are added, in steps of 1/255 slot, modulo 2^64
 *
 * The driver's counts change when it resets the registers, and then that of the leader does.
 *
 * Return: false, and nothing is added, if td_group_take_counted() has to do it: the group is not
 * started or lacks metrics, the driver has moved the registers, or a reset is due.
 */
static __always_inline bool td_group_take(const struct td_group *group, u64 most,
					  struct td_mark *mark, bool add, u64 *sum,
					  u64 *steps)
{
	const struct perf_event *leader = group->event[0];
	u64 slots, bytes;

	if (unlikely(!td_group_active(group) || leader->hw.saved_slots ||
		     group->fixed <= TD_METRIC_NR))
		return false;
	slots = td_compat_rdpmc(TD_RDPMC_SLOTS);
	if (unlikely(slots >= most))
		return false;
	bytes = td_compat_rdpmc(TD_RDPMC_METRICS);
	/* The driver has moved the registers into its counts, perhaps in an NMI just now. */
	if (unlikely(local64_read(&leader->count) != mark->counted.slots))
		return false;
	td_mark_move(mark, slots, bytes, TD_METRIC_NR, add, sum, steps);
	return true;
}

u64 td_span_change(const struct td_group *group, const struct td_span *span, u64 then, u64 now,
		   struct td_span *seen);

/**
 * td_span_take() - how long has a group had its counters since it was last seen?
 * @group: group of this CPU, not empty; interrupts off
 * @span: its span, by a clock
 * @then: when it was last seen, by that clock; of no matter the first time, when @seen is 0
 * @now: time of that clock
 * @seen: the span then, with @since 0 if it did not have its counters; moved
 *
 * Return: the time.
 */
static __always_inline u64 td_span_take(const struct td_group *group, const struct td_span *span,
					u64 then, u64 now, struct td_span *seen)
{
	if (likely(group->on && span->since == seen->since))
		return now - then;
	return td_span_change(group, span, then, now, seen);
}

/**
 * struct td_tally - up to where the count of a general event was added to a sum
 * @counted: the driver's count
 * @then: the counter when the driver read it
 * @raw: the counter
 */
struct td_tally {
	u64 counted;
	u64 then;
	u64 raw;
};

void td_tally_counted(const struct perf_event *event, bool active, struct td_tally *tally,
		      u64 *sum);

/* The events that a counter has counted since an earlier reading. */
static __always_inline u64 td_tally_beyond(u64 raw, u64 then)
{
	return (raw - then) << TD_RDPMC_UNUSED >> TD_RDPMC_UNUSED;
}

/**
 * td_tally_take() - add what a general event has counted
 * @event: event of a group of this CPU that counts now; interrupts off
 * @tally: up to where all was added; moved
 * @add: a constant; false to move the tally only
 * @sum: the sum
 *
 * Where the driver has not read the counter, it goes on from where it was.
 *
 * Return: false, and nothing is added, if td_tally_counted() has to do it.
 */
static __always_inline bool td_tally_take(const struct perf_event *event, struct td_tally *tally,
					  bool add, u64 *sum)
{
	u64 raw = td_compat_rdpmc(event->hw.event_base_rdpmc);

	if (unlikely(local64_read(&event->hw.prev_count) != tally->then))
		return false;
	if (add)
		*sum += td_tally_beyond(raw, tally->raw);
	tally->raw = raw;
	return true;
}

#endif /* TOPDOWN_MARK_H */
