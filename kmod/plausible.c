// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later
/*
 * Can a CPU have done what its counters say?
 *
 * What is doubted here happens on no CPU, whatever it executes.  To read its counters a CPU
 * executes instructions, and they retire: where ordinary events count retired slots, a
 * span of some thousand slots has more than none.  A byte of PERF_METRICS is
 * another thing, since on a CPU that waits for memory less than one slot in 255 retires
 * and its byte is 0.  But the four of level 1 are together all slots, but for what making
 * bytes of them takes.
 *
 * Counts in doubt are nobody's: that time is taken for one without a counter.
 */
#include "plausible.h"

/* So long no counter stands still: at its end there is an interrupt at least. */
#define TD_DOUBT_MIN_NS		10000000ULL

/*
 * So long counts have to speak for a CPU that was in doubt.  What a hypervisor takes away
 * may come and go, and a part that is short enough has only the time when it was there.
 */
#define TD_TRUST_MIN_NS		10000000ULL

/* So many windows give it up; one is enough where it was given up before. */
#define TD_DOUBT_WINDOWS	4

/**
 * td_doubt_metrics - judge what was counted of SLOTS and PERF_METRICS
 * @bytes: what td_counts_fold() says of the sum
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
 * td_doubt_counters - judge what a formula made of ordinary events
 * @slots: all slots
 * @retiring: those that retired
 * @running_ns: how long level 1 had the counters
 *
 * Return: the doubt.
 */
enum td_doubt td_doubt_counters(__u64 slots, __u64 retiring, __u64 running_ns)
{
	if (!slots)
		return running_ns < TD_DOUBT_MIN_NS ? TD_DOUBT_UNKNOWN : TD_DOUBT_STILL;
	if (slots < TD_DOUBT_MIN_SLOTS)
		return TD_DOUBT_UNKNOWN;
	return retiring ? TD_DOUBT_NONE : TD_DOUBT_RETIRED;
}

/**
 * td_trust_part - learn from what was counted since the last fold
 * @trust: of the CPU; updated
 * @doubt: what is thought of these counts
 * @running_ns: how long they were counted
 *
 * Return: whether these counts shall be nobody's.
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
 * @trust: of the CPU; updated
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
 * @trust: of the CPU
 *
 * Return: whether it is.
 */
int td_trust_lost(const struct td_trust *trust)
{
	return trust->windows >= (trust->refused ? 1 : TD_DOUBT_WINDOWS);
}

/**
 * td_trust_refuse - give the CPU up
 * @trust: of the CPU, which is not being measured; updated
 *
 * Return: whether it was given up before, and nothing has spoken for it since.
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
 * @trust: of the CPU, which is not being measured; updated
 *
 * The count of odd windows stays.
 */
void td_trust_forget(struct td_trust *trust)
{
	*trust = (struct td_trust){ .odd_windows = trust->odd_windows };
}

/**
 * td_doubt_text - why a CPU is not measured, for people
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
	default:
		return "no doubt";
	}
}
