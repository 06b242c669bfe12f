// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later
/*
 * The periods of a sampling event.
 *
 * perf's driver counts the events and how many are left of the period, so the count at which
 * the period has begun is known at each sample.  A sample stands for the period that it ends.
 * Events between that period and the one before, if there are any, have no sample.
 */
#include "periods.h"

/* Counters have 48 bits. */
#define TD_COUNT_UNUSED_BITS	16

/**
 * td_periods_between - from one count of perf to a later one
 * @then: the count
 * @now: the later one
 *
 * perf adds 2^48 too many, for good, if an NMI comes between its reading of the counter and its
 * note of it, or if it reads the counter after the overflow and before PEBS has set it again:
 * x86_perf_event_update().
 *
 * Return: the difference, -2^47 to 2^47 - 1; negative if the counts are the other way round.
 */
__s64 td_periods_between(__u64 then, __u64 now)
{
	return (__s64)((now - then) << TD_COUNT_UNUSED_BITS) >> TD_COUNT_UNUSED_BITS;
}

/**
 * td_periods_begin - a period begins here, and nothing before it is lost
 * @periods: written, but for @periods->late, as the order of the driver stays; zeroed before the
 *	first period
 * @at: count of the event
 * @length: events in the period, below 2^47
 */
void td_periods_begin(struct td_periods *periods, __u64 at, __u64 length)
{
	periods->ended = at;
	periods->length = length;
}

/**
 * td_periods_sample - how many events a sample stands for, and how many before them have none
 * @periods: updated
 * @begun: count of the event at which the driver's period has begun
 * @length: length of that period
 * @lost: written
 *
 * The driver has begun the next period already, as in 6.12, or it does so after the handler, as
 * in 7.  The first sample tells.
 *
 * Less than a period is not lost: the NMI came between the driver's changes of count and rest.
 * The next sample finds both right.
 *
 * Return: 0 if the period has had its sample.
 */
__u64 td_periods_sample(struct td_periods *periods, __u64 begun, __u64 length, __u64 *lost)
{
	__u64 ended = begun, weight;
	__s64 beyond;

	if (!td_periods_between(periods->ended, begun))
		periods->late = true;
	if (periods->late) {
		weight = length;
		ended += weight;
	} else {
		weight = periods->length;
		periods->length = length;
	}
	beyond = td_periods_between(periods->ended, ended) - (__s64)weight;
	*lost = beyond < (__s64)weight ? 0 : beyond;
	/* The driver has not begun a period since the last sample. */
	if (periods->late && beyond <= -(__s64)weight)
		return 0;
	periods->ended = *lost || beyond < 0 ? ended : ended - beyond;
	return weight;
}

/**
 * td_periods_settle - account for periods that have ended without a sample since the last one
 * @periods: updated
 * @begun: count of the event at which the driver's period has begun; the event is disabled
 * @length: length of that period
 * @left: how many events are left of it
 *
 * A period of which nothing is left has ended, although the driver begins the next one later.
 *
 * Return: the number of events in these periods.
 */
__u64 td_periods_settle(struct td_periods *periods, __u64 begun, __u64 length, __u64 left)
{
	__u64 ended = begun;
	__s64 lost;

	if (td_periods_between(0, left) <= 0)
		ended += length;
	lost = td_periods_between(periods->ended, ended);
	if (lost <= 0)
		return 0;
	periods->ended = ended;
	return lost;
}
