/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later */
/*
 * Can a CPU have done what its counters say?  A hypervisor may let a guest create events
 * and count 0 for all but a few, and a formula makes 100% of one node of that.
 *
 * Pure integer functions of their arguments, compiled by the module and by the host
 * tests.
 */
#ifndef TOPDOWN_PLAUSIBLE_H
#define TOPDOWN_PLAUSIBLE_H

#include "metrics.h"

/* About a microsecond of a CPU; fewer say nothing. */
#define TD_DOUBT_MIN_SLOTS	(1ULL << 14)

/**
 * enum td_doubt - why counts are not what a CPU did
 *
 * @TD_DOUBT_NONE: there is no doubt
 * @TD_DOUBT_STILL: the events had the counters, and no slot was counted
 * @TD_DOUBT_RETIRED: nothing retired
 * @TD_DOUBT_METRICS: all bytes of PERF_METRICS are 0
 * @TD_DOUBT_SUM: the bytes of level 1 sum to something else than all slots
 * @TD_DOUBT_UNKNOWN: the counts are too few to say anything
 */
enum td_doubt {
	TD_DOUBT_NONE,
	TD_DOUBT_STILL,
	TD_DOUBT_RETIRED,
	TD_DOUBT_METRICS,
	TD_DOUBT_SUM,
	TD_DOUBT_UNKNOWN,
};

/**
 * struct td_trust - what is thought of the counters of one CPU
 * @doubt: enum td_doubt of the latest counts that gave rise to any, until others have
 *	spoken for the counters for some time
 * @proof: the open window has counts that gave rise to it
 * @windows: in so many windows in succession there was such proof, and nothing against it
 * @refused: the CPU was given up, and nothing has spoken for its counters since
 * @odd: the open window has bytes of PERF_METRICS that do not sum to what they can
 * @right_ns: for how long counts have spoken for a CPU in doubt
 * @odd_windows: how many windows had
 */
struct td_trust {
	__u32 doubt;
	__u32 proof;
	__u32 windows;
	__u32 refused;
	__u32 odd;
	__u64 right_ns;
	__u64 odd_windows;
};

enum td_doubt td_doubt_metrics(enum td_bytes bytes, __u64 slots, __u64 running_ns);
enum td_doubt td_doubt_counters(__u64 slots, __u64 retiring, __u64 running_ns);
int td_trust_part(struct td_trust *trust, enum td_doubt doubt, __u64 running_ns);
void td_trust_close(struct td_trust *trust);
int td_trust_lost(const struct td_trust *trust);
int td_trust_refuse(struct td_trust *trust);
void td_trust_forget(struct td_trust *trust);
const char *td_doubt_text(enum td_doubt doubt);

#endif /* TOPDOWN_PLAUSIBLE_H */
