// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later
/*
 * Can a CPU have done what its counters say?
 *
 * Doubtful counts cannot happen on any CPU, whatever it executes.  A CPU executes
 * instructions to read its counters, and these retire.  So if ordinary events count
 * retired slots, some thousand slots include at least one.  A single byte of PERF_METRICS
 * may be 0, because on a CPU that waits for memory less than one slot in 255 retires.  But
 * the four bytes of level 1 together must be all slots, except for rounding.
 *
 * Level 1 of ordinary events may be more than all slots by what was issued in one part and
 * retired in the next, which is some hundred slots, by what counters that are read one after
 * the other have not counted together, and by errata of single events.  None of that is half
 * of the slots of a long part, so the limit is that of PERF_METRICS.  There is no lower limit: a
 * formula has one node that is the rest, or events that miss slots on some CPUs.
 *
 * Doubtful counts are dropped, and their time is not running time.
 */
#include "plausible.h"

/* No counter stands still for this long: its end at least is an interrupt. */
#define TD_DOUBT_MIN_NS		10000000ULL

/*
 * Credible counts of this length end a doubt.  A hypervisor may take counters away and give
 * them back, and a short part may see only the time with a counter.
 */
#define TD_TRUST_MIN_NS		10000000ULL

/* Give the CPU up after this many doubtful windows; after one, if it was given up before. */
#define TD_DOUBT_WINDOWS	4

/**
 * td_doubt_metrics - judge the counts of SLOTS and PERF_METRICS
 * @bytes: the sum of the bytes, by td_counts_fold()
 * @slots: all slots
 * @running_ns: how long the group had the counters
 *
 * Return: the doubt.
 */
enum td_doubt td_doubt_metrics(enum td_bytes bytes, __u64 slots, __u64 running_ns)
{
	if (!slots)
		return running_ns < TD_DOUBT_MIN_NS ? TD_DOUBT_UNKNOWN : TD_DOUBT_STILL;
	if (slots < TD_DOUBT_MIN_SLOTS)
		return TD_DOUBT_UNKNOWN;
	switch (bytes) {
	case TD_BYTES_ZERO:
		return TD_DOUBT_METRICS;
	case TD_BYTES_ABSURD:
		return TD_DOUBT_SUM;
	default:
		return TD_DOUBT_NONE;
	}
}

/**
 * td_doubt_counters - judge the result of a formula of ordinary events
 * @slots: all slots
 * @retiring: retired slots
 * @level1: td_slots.level1 if all events of level 1 were counted at once; 0 if they take turns,
 *	because then each may have seen another program
 * @running_ns: how long level 1 had the counters
 *
 * Return: the doubt.
 */
enum td_doubt td_doubt_counters(__u64 slots, __u64 retiring, __u64 level1, __u64 running_ns)
{
	if (!slots)
		return running_ns < TD_DOUBT_MIN_NS ? TD_DOUBT_UNKNOWN : TD_DOUBT_STILL;
	if (slots < TD_DOUBT_MIN_SLOTS)
		return TD_DOUBT_UNKNOWN;
	if (!retiring)
		return TD_DOUBT_RETIRED;
	if (level1 <= td_level1_most(slots))
		return TD_DOUBT_NONE;
	return slots < TD_DOUBT_MIN_LEVEL1 ? TD_DOUBT_UNKNOWN : TD_DOUBT_LEVEL1;
}

/**
 * td_trust_part - judge a part by its own doubt and by those before it
 * @trust: trust of the CPU; updated
 * @doubt: doubt of the part
 * @running_ns: running time of the part
 *
 * Return: whether to drop the part.
 */
int td_trust_part(struct td_trust *trust, enum td_doubt doubt, __u64 running_ns)
{
	if (doubt == TD_DOUBT_UNKNOWN)
		return trust->doubt != TD_DOUBT_NONE;
	if (doubt != TD_DOUBT_NONE) {
		trust->doubt = doubt;
		trust->proof = 1;
		trust->right_ns = 0;
		return 1;
	}
	trust->right_ns += running_ns;
	if (trust->doubt != TD_DOUBT_NONE && trust->right_ns < TD_TRUST_MIN_NS)
		return 1;
	trust->doubt = TD_DOUBT_NONE;
	trust->right_ns = 0;
	trust->proof = 0;
	trust->windows = 0;
	trust->refused = 0;
	return 0;
}

/**
 * td_trust_close - the open window ends
 * @trust: trust of the CPU; updated
 */
void td_trust_close(struct td_trust *trust)
{
	trust->windows += trust->proof;
	trust->proof = 0;
	trust->odd_windows += trust->odd;
	trust->odd = 0;
}

/**
 * td_trust_lost - is it time to give the CPU up?
 * @trust: trust of the CPU
 *
 * Return: 1 or 0.
 */
int td_trust_lost(const struct td_trust *trust)
{
	return trust->windows >= (trust->refused ? 1 : TD_DOUBT_WINDOWS);
}

/**
 * td_trust_refuse - give the CPU up
 * @trust: trust of the CPU, which is not being measured; updated
 *
 * Return: whether it was given up before, without recovery since.
 */
int td_trust_refuse(struct td_trust *trust)
{
	int again = trust->refused;

	trust->refused = 1;
	trust->windows = 0;
	trust->right_ns = 0;
	return again;
}

/**
 * td_trust_forget - begin without a doubt
 * @trust: trust of the CPU, which is not being measured; updated
 *
 * The count of odd windows stays.
 */
void td_trust_forget(struct td_trust *trust)
{
	*trust = (struct td_trust){ .odd_windows = trust->odd_windows };
}

/**
 * td_doubt_text - text for people: why a CPU is not measured
 * @doubt: the doubt
 *
 * Return: the text.
 */
const char *td_doubt_text(enum td_doubt doubt)
{
	switch (doubt) {
	case TD_DOUBT_STILL:
		return "the counters stand still";
	case TD_DOUBT_RETIRED:
		return "no retired slot is counted";
	case TD_DOUBT_METRICS:
		return "PERF_METRICS are all 0";
	case TD_DOUBT_SUM:
		return "PERF_METRICS do not sum to SLOTS";
	case TD_DOUBT_LEVEL1:
		return "level 1 sums to far more than all slots";
	default:
		return "no doubt";
	}
}
