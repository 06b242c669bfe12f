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

/* Add what the registers have beyond the mark. */
static __always_inline void td_mark_move(struct td_mark *mark, u64 slots, u64 bytes,
					 unsigned int nr, u64 *sum, u64 *steps)
{
	unsigned int i;
	u64 now;

	td_mark_add(sum, slots, &mark->slots);
	for (i = 0; i < nr; i++) {
		now = slots * (u8)(bytes >> i % 2 * 8);
		td_mark_add(&steps[i], now, &mark->steps[i]);
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
 * @sum: slots are added
 * @steps: slots of each metric are added, in steps of 1/255 slot, modulo 2^64
 *
 * The driver's counts change when it resets the registers, and then that of the leader does.
 *
 * Return: false if a reset is due.
 */
static __always_inline bool td_group_take(const struct td_group *group, u64 most,
					  struct td_mark *mark, u64 *sum, u64 *steps)
{
	const struct perf_event *leader = group->event[0];
	u64 slots, bytes;

	if (unlikely(!td_group_active(group) || leader->hw.saved_slots ||
		     group->fixed <= TD_METRIC_NR))
		return td_group_take_counted(group, most, mark, sum, steps);
	slots = td_compat_rdpmc(TD_RDPMC_SLOTS);
	if (unlikely(slots >= most))
		return false;
	bytes = td_compat_rdpmc(TD_RDPMC_METRICS);
	/* The driver has moved the registers into its counts, perhaps in an NMI just now. */
	if (unlikely(local64_read(&leader->count) != mark->counted.slots))
		return td_group_take_counted(group, most, mark, sum, steps);
	td_mark_move(mark, slots, bytes, TD_METRIC_NR, sum, steps);
	return true;
}

/**
 * struct td_span - the span on the counters in which a group was last seen
 * @since: td_group.since_ticks; 0 if it did not have them then
 * @ran: td_group.ran_ticks
 */
struct td_span {
	u64 since;
	u64 ran;
};

u64 td_span_change(const struct td_group *group, u64 then, u64 now, struct td_span *span);

/**
 * td_span_take() - how long has a group had its counters since it was last seen?
 * @group: group of this CPU, not empty; interrupts off
 * @then: when it was last seen, in ticks; of no matter the first time, when @span is 0
 * @now: td_ticks()
 * @span: the span in which it was seen then; moved
 *
 * Return: ticks.
 */
static __always_inline u64 td_span_take(const struct td_group *group, u64 then, u64 now,
					struct td_span *span)
{
	if (likely(group->on && group->since_ticks == span->since))
		return now - then;
	return td_span_change(group, then, now, span);
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
 * @event: event of a group of this CPU; interrupts off
 * @active: td_group_active()
 * @tally: up to where all was added; moved
 * @sum: the sum
 *
 * Where the driver has not read the counter, it goes on from where it was.
 */
static __always_inline void td_tally_take(const struct perf_event *event, bool active,
					  struct td_tally *tally, u64 *sum)
{
	u64 raw;

	if (likely(active)) {
		raw = td_compat_rdpmc(event->hw.event_base_rdpmc);
		if (likely(local64_read(&event->hw.prev_count) == tally->then)) {
			*sum += td_tally_beyond(raw, tally->raw);
			tally->raw = raw;
			return;
		}
	}
	td_tally_counted(event, active, tally, sum);
}

#endif /* TOPDOWN_MARK_H */
