// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the groups of this CPU: with a reset of PERF_METRICS, and without.
 */
#include <linux/lockdep.h>
#include <linux/perf_event.h>

#include "compat.h"
#include "group.h"
#include "mark.h"

/**
 * td_group_settled() - are the events of a group on their counters, or all off them?
 * @group: group; on its CPU with interrupts off
 *
 * The driver starts and stops events one by one.  A stopped event's counter may be another
 * event's by now, and SLOTS must not be read without its metrics.
 *
 * Return: false while the driver has started some of the events and not the others.
 */
bool td_group_settled(const struct td_group *group)
{
	const struct perf_event *leader = group->event[0];
	unsigned int i;

	/* Nobody reads it then, and events that never had a counter look started. */
	if (!group->on)
		return true;
	for (i = 1; i < group->nr; i++)
		if ((group->event[i]->hw.state ^ leader->hw.state) & PERF_HES_STOPPED)
			return false;
	return true;
}

/**
 * td_group_running() - how long the group has had the counters
 * @group: group of this CPU, not empty; interrupts off
 * @now: local_clock()
 *
 * perf may ask the driver for counters in vain, and each time some nanoseconds count.
 *
 * Return: nanoseconds since the group was created.
 */
u64 td_group_running(const struct td_group *group, u64 now)
{
	s64 since = now - group->ns.since;

	lockdep_assert_irqs_disabled();
	return group->on && since > 0 ? group->ns.ran + since : group->ns.ran;
}

/**
 * td_group_update() - bring the counts of ordinary events up to date
 * @group: group of this CPU, not empty; interrupts off
 *
 * The counts of a group without counters are up to date already.
 */
void td_group_update(const struct td_group *group)
{
	unsigned int i;

	if (!td_group_active(group))
		return;
	for (i = 0; i < group->nr; i++)
		group->event[i]->pmu->read(group->event[i]);
}

/*
 * The driver's counts of SLOTS and the metrics, and the registers since.  @most: as for
 * td_group_point(); 0: the registers have just been reset, so leave them out.
 */
static __always_inline bool td_group_look(const struct td_group *group, u64 most,
					  struct td_counts *counted, u64 *slots, u64 *bytes)
{
	const struct perf_event *leader = group->event[0];
	bool active = td_group_active(group) && most;
	unsigned int i;

	/* The driver moved the event without a word to the hook, and restored its counts. */
	if (active && unlikely(leader->hw.saved_slots))
		return false;
	*slots = 0;
	*bytes = 0;
	/* If the driver's NMI has just moved the registers into its counts, read again. */
	do {
		counted->slots = local64_read(&leader->count);
		if (active) {
			*slots = td_compat_rdpmc(TD_RDPMC_SLOTS);
			if (*slots >= most)
				return false;
			*bytes = td_compat_rdpmc(TD_RDPMC_METRICS);
		}
		for (i = 1; i < group->fixed; i++)
			counted->metric[i - 1] = local64_read(&group->event[i]->count);
	} while (unlikely(local64_read(&leader->count) != counted->slots));
	return true;
}

/**
 * td_group_point() - the counts of SLOTS and PERF_METRICS as of now, without a reset
 * @group: group of this CPU, not empty; interrupts off, or in an NMI
 * @most: of so many slots since the last reset a byte of PERF_METRICS says too little
 * @counts: written: counts since the group was created; metrics that the group lacks are not
 *	touched
 *
 * Since the reset at the begin of the span on the counters, the driver's counts have all up to
 * the last reset, and the registers have all since.  A node may fall by half a step of the
 * slots since the last reset, where its byte falls.
 *
 * Return: false if a reset is due.
 */
bool td_group_point(const struct td_group *group, u64 most, struct td_counts *counts)
{
	u64 slots, bytes;
	unsigned int i;

	if (!td_group_look(group, most, counts, &slots, &bytes))
		return false;
	counts->slots += slots;
	for (i = 1; i < group->fixed; i++, bytes >>= 8)
		counts->metric[i - 1] += slots * (u8)bytes / TD_RDPMC_STEPS;
	return true;
}

/**
 * td_span_change() - td_span_take(), whatever has happened since
 * @group: as there
 * @span: as there
 * @then: as there
 * @now: as there
 * @seen: as there
 *
 * Return: as there.
 */
u64 td_span_change(const struct td_group *group, const struct td_span *span, u64 then, u64 now,
		   struct td_span *seen)
{
	u64 before = seen->ran, ran = span->ran;

	if (seen->since)
		before += then - seen->since;
	seen->ran = ran;
	seen->since = group->on ? span->since : 0;
	if (seen->since)
		ran += now - seen->since;
	return ran - before;
}

/**
 * td_group_take_counted() - td_group_take(), whatever the driver has done since the mark
 * @group: as there
 * @most: as there; 0 if both registers have just been reset: they are not read
 * @mark: as there
 * @sum: as there; NULL to move the mark only
 * @steps: as there
 *
 * Return: false if a reset is due.
 */
bool td_group_take_counted(const struct td_group *group, u64 most, struct td_mark *mark, u64 *sum,
			   u64 *steps)
{
	struct td_counts counted = { };
	u64 slots, bytes;
	unsigned int i;

	if (!td_group_look(group, most, &counted, &slots, &bytes))
		return false;
	if (sum)
		*sum += counted.slots - mark->counted.slots;
	for (i = 1; i < group->fixed && sum; i++)
		steps[i - 1] += (counted.metric[i - 1] - mark->counted.metric[i - 1]) *
				TD_RDPMC_STEPS;
	mark->counted = counted;
	td_mark_move(mark, slots, bytes, group->fixed - 1, sum, sum, steps);
	return true;
}

/**
 * td_tally_counted() - td_tally_take(), whatever the driver has done since
 * @event: as there
 * @active: as there
 * @tally: as there
 * @sum: as there
 */
void td_tally_counted(const struct perf_event *event, bool active, struct td_tally *tally,
		      u64 *sum)
{
	struct td_tally now;

	/* If the driver's NMI has just read the counter, read again. */
	do {
		now.counted = local64_read(&event->count);
		now.then = local64_read(&event->hw.prev_count);
		now.raw = active ? td_compat_rdpmc(event->hw.event_base_rdpmc) : now.then;
	} while (unlikely(local64_read(&event->count) != now.counted));
	if (sum) {
		*sum += now.counted + td_tally_beyond(now.raw, now.then);
		*sum -= tally->counted + td_tally_beyond(tally->raw, tally->then);
	}
	*tally = now;
}

static u64 td_group_delta(struct perf_event *event, __u64 *count)
{
	u64 then = *count;

	*count = local64_read(&event->count);
	return *count - then;
}

/**
 * td_group_fold() - bring the counts up to date and reset PERF_METRICS
 * @group: group of this CPU, not empty; interrupts off
 * @counts: counts since the group was created, as of the last fold; updated
 * @delta: written: counts since the last fold; metrics that the group lacks are not
 *	touched
 *
 * When the leader is read, the Intel driver adds SLOTS and PERF_METRICS to all events of
 * the group and writes 0 to both registers.  That is the reset.  Siblings are not read,
 * because each reading would do all that again.
 */
void td_group_fold(const struct td_group *group, struct td_counts *counts,
		   struct td_counts *delta)
{
	struct perf_event *leader = group->event[0];
	unsigned int i;

	if (td_group_active(group))
		leader->pmu->read(leader);

	delta->slots = td_group_delta(leader, &counts->slots);
	for (i = 1; i < group->fixed; i++)
		delta->metric[i - 1] = td_group_delta(group->event[i], &counts->metric[i - 1]);
}

/**
 * td_group_fold_general() - bring the counts of the general events up to date
 * @group: as for td_group_fold(), which was called just before
 * @counts: count of each event since the group was created, as of the last fold; updated
 * @delta: written: count of each event since the last fold
 *
 * General events need no reset, so each reading is one RDPMC.
 */
void td_group_fold_general(const struct td_group *group, u64 *counts, u64 *delta)
{
	bool active = td_group_active(group);
	struct perf_event *event;
	unsigned int i;

	for (i = group->fixed; i < group->nr; i++) {
		event = group->event[i];
		if (active)
			event->pmu->read(event);
		*delta++ = td_group_delta(event, counts++);
	}
}
