/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later */
/*
 * Can a CPU have done what its counters say?  A hypervisor may let a guest create events
 * and then count 0 for most of them.  A formula turns that into 100% of one node.
 *
 * Pure integer functions of their arguments.  The module and the host tests compile them.
 */
#ifndef TOPDOWN_PLAUSIBLE_H
#define TOPDOWN_PLAUSIBLE_H

#include "metrics.h"

/* About a microsecond of a CPU; fewer slots prove nothing. */
#define TD_DOUBT_MIN_SLOTS	(1ULL << 14)

/*
 * Some 50 microseconds.  Ordinary counters are read one after the other, and where a hypervisor
 * traps each read, the last of eight counted a part that begins and ends ten microseconds later.
 */
#define TD_DOUBT_MIN_LEVEL1	(1ULL << 20)

/**
 * enum td_doubt - why counts cannot be what a CPU did
 *
 * @TD_DOUBT_NONE: there is no doubt
 * @TD_DOUBT_STILL: the events had the counters, but no slot was counted
 * @TD_DOUBT_RETIRED: no slot retired
 * @TD_DOUBT_METRICS: all bytes of PERF_METRICS are 0
 * @TD_DOUBT_SUM: the bytes of level 1 do not sum to all slots
 * @TD_DOUBT_LEVEL1: level 1 of ordinary events sums to far more than all slots
 * @TD_DOUBT_UNKNOWN: the counts are too small to judge
 */
enum td_doubt {
	TD_DOUBT_NONE,
	TD_DOUBT_STILL,
	TD_DOUBT_RETIRED,
	TD_DOUBT_METRICS,
	TD_DOUBT_SUM,
	TD_DOUBT_LEVEL1,
	TD_DOUBT_UNKNOWN,
};

/**
 * struct td_trust - how far the counters of one CPU are trusted
 * @doubt: enum td_doubt of the latest doubtful part; TD_DOUBT_NONE after credible counts of
 *	TD_TRUST_MIN_NS
 * @proof: the open window has a doubtful part
 * @windows: number of windows in a row with a doubtful part, and no recovery between them
 * @refused: the CPU was given up, and its counters have not recovered since
 * @odd: the open window has bytes of PERF_METRICS with a sum that no rounding explains
 * @right_ns: time of credible counts since the last doubtful part
 * @odd_windows: number of windows with @odd
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
enum td_doubt td_doubt_counters(__u64 slots, __u64 retiring, __u64 level1,
				__u64 running_ns);
int td_trust_part(struct td_trust *trust, enum td_doubt doubt, __u64 running_ns);
void td_trust_close(struct td_trust *trust);
int td_trust_lost(const struct td_trust *trust);
int td_trust_refuse(struct td_trust *trust);
void td_trust_forget(struct td_trust *trust);
const char *td_doubt_text(enum td_doubt doubt);

#endif /* TOPDOWN_PLAUSIBLE_H */
