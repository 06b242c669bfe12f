// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the groups of this CPU: with a reset of PERF_METRICS, and without.
 */
#include <linux/bits.h>
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/perf_event.h>

#include "compat.h"
#include "group.h"

/* What RDPMC reads: SDM 2B, "RDPMC"; a byte of PERF_METRICS counts steps of all slots. */
#define TD_RDPMC_SLOTS		(BIT(30) | 3)
#define TD_RDPMC_METRICS	BIT(29)
#define TD_RDPMC_STEPS		255

/* Bits of 64 that the counters of CPUs with PERF_METRICS lack. */
#define TD_RDPMC_UNUSED		16

/*
 * Do the events of the group count now?  Only the CPU itself, with interrupts off, changes
 * that.  While perf schedules other events, as around a fold of follow.c, the group may be
 * scheduled in and not be started, or be stopped with its counts up to date.
 */
static bool td_group_active(const struct td_group *group)
{
	lockdep_assert_irqs_disabled();
	return group->on && !(group->event[0]->hw.state & PERF_HES_STOPPED);
}

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
	s64 since = now - group->since;

	lockdep_assert_irqs_disabled();
	return group->on && since > 0 ? group->ran + since : group->ran;
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
 * The counts of SLOTS and PERF_METRICS as of now, metrics in steps or in slots.  @most: as for
 * td_group_point(); 0: the registers have just been reset, so leave them out.
 */
static __always_inline bool td_group_look(const struct td_group *group, u64 most,
					  struct td_counts *counts, bool steps)
{
	const struct perf_event *leader = group->event[0];
	bool active = td_group_active(group) && most;
	u64 counted, count, slots = 0, bytes = 0;
	unsigned int i;

	/* The driver moved the event without a word to the hook, and restored its counts. */
	if (active && unlikely(leader->hw.saved_slots))
		return false;
	/* If the driver's NMI has just moved the registers into its counts, read again. */
	do {
		counted = local64_read(&leader->count);
		if (active) {
			slots = td_compat_rdpmc(TD_RDPMC_SLOTS);
			bytes = td_compat_rdpmc(TD_RDPMC_METRICS);
			if (slots >= most)
				return false;
		}
		counts->slots = counted + slots;
		for (i = 1; i < group->fixed; i++, bytes >>= 8) {
			count = local64_read(&group->event[i]->count);
			counts->metric[i - 1] = steps ?
				count * TD_RDPMC_STEPS + slots * (u8)bytes :
				count + slots * (u8)bytes / TD_RDPMC_STEPS;
		}
	} while (unlikely(local64_read(&leader->count) != counted));
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
	return td_group_look(group, most, counts, false);
}

/**
 * td_group_steps() - td_group_point() without a division
 * @group: as there
 * @most: as there; 0 if both registers have just been reset: they are not read
 * @counts: written as there, but metrics are in steps of 1/255 slot, modulo 2^64
 *
 * Return: false if a reset is due.
 */
bool td_group_steps(const struct td_group *group, u64 most, struct td_counts *counts)
{
	return td_group_look(group, most, counts, true);
}

/*
 * The count of a general event as of now, without the driver's account of it.  It is the
 * driver's count, and what the counter has beyond the driver's last reading.
 */
static u64 td_group_general(const struct perf_event *event)
{
	const struct hw_perf_event *hw = &event->hw;
	u64 counted, then, raw;

	/* If the driver's NMI has just read the counter, read again. */
	do {
		counted = local64_read(&event->count);
		then = local64_read(&hw->prev_count);
		raw = td_compat_rdpmc(hw->event_base_rdpmc);
	} while (unlikely(local64_read(&event->count) != counted));
	return counted + (((raw - then) << TD_RDPMC_UNUSED) >> TD_RDPMC_UNUSED);
}

/**
 * td_group_point_general() - the counts of the general events as of now
 * @group: group of this CPU; interrupts off
 * @counts: written: count of each event since the group was created
 */
void td_group_point_general(const struct td_group *group, u64 *counts)
{
	bool active = td_group_active(group);
	unsigned int i;

	for (i = group->fixed; i < group->nr; i++)
		*counts++ = active ? td_group_general(group->event[i]) :
				     (u64)local64_read(&group->event[i]->count);
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
