// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later
/*
 * Sums that never fall, of summands in which a node may be below 0: differences of readings of
 * PERF_METRICS, each of which may be off by half a step of its bytes.
 */
#include "metrics.h"
#include "owed.h"
#include "sums.h"

/* The nodes of PERF_METRICS without children: from @first on, @nr of them. */
static void td_leaves(unsigned int level, unsigned int *first, unsigned int *nr)
{
	*first = level > 1 ? TOPDOWN_HEAVY_OPERATIONS : 0;
	*nr = level > 1 ? 2 * TD_METRIC_L1 : TD_METRIC_L1;
}

/* Is a node below 0, or is something owed? */
static int td_sums_fall(const struct topdown_sums *sums, const __s64 *owed, unsigned int level)
{
	unsigned int i, first, nr;
	__s64 bits = 0;

	td_leaves(level, &first, &nr);
	for (i = first; i < first + nr; i++)
		bits |= (__s64)sums->node[i] | owed[i] | -owed[i];
	return bits < 0;
}

/* A node lends what it has of these slots. */
static __u64 td_sums_take(struct topdown_sums *part, __s64 *owed, unsigned int node, __u64 want)
{
	__u64 taken = part->node[node] < want ? part->node[node] : want;

	part->node[node] -= taken;
	owed[node] -= (__s64)taken;
	return taken;
}

/*
 * Siblings lend first, because their parent's byte says what they have together, and then the
 * largest nodes.  So all slots are right, also if a node is below 0 in summand after summand: what
 * the bytes of a window lost is given back by its slots, to whoever had them.
 */
static void td_sums_lend(struct topdown_sums *part, __s64 *owed, unsigned int first,
			 unsigned int nr)
{
	unsigned int i, n, most;
	__u64 lent = 0;

	for (i = first; i < first + nr; i++) {
		if (owed[i] <= 0)
			continue;
		lent += (__u64)owed[i];
		if (first)
			lent -= td_sums_take(part, owed, first + ((i - first) ^ 1),
					     (__u64)owed[i]);
	}
	for (n = 0; n < nr && lent; n++) {
		most = first;
		for (i = first + 1; i < first + nr; i++) {
			if (part->node[i] > part->node[most])
				most = i;
		}
		lent -= td_sums_take(part, owed, most, lent);
	}
}

/**
 * td_sums_owe - add sums with nodes below 0 to sums that never fall
 * @sums: those that never fall
 * @more: the summand
 * @owed: slots that each node of the sums has too many, because it did not fall, or too few,
 *	because it lent them; together 0; updated
 * @level: level of @more
 *
 * Later summands first pay what is owed.  Parents and all slots follow their children, so they
 * still sum up.
 */
void td_sums_owe(struct topdown_sums *sums, const struct topdown_sums *more,
		 __s64 owed[TD_NR_NODES], unsigned int level)
{
	struct topdown_sums part;
	unsigned int i, first, nr;
	__s64 grown;

	if (!td_sums_fall(more, owed, level)) {
		td_sums_add(sums, more);
		return;
	}
	part = *more;
	td_leaves(level, &first, &nr);
	for (i = first; i < first + nr; i++) {
		grown = (__s64)part.node[i] - owed[i];
		owed[i] = grown < 0 ? -grown : 0;
		part.node[i] = grown < 0 ? 0 : grown;
	}
	td_sums_lend(&part, owed, first, nr);
	part.slots = 0;
	for (i = 0; i < TD_METRIC_L1; i++) {
		if (first)
			part.node[i] = part.node[first + 2 * i] + part.node[first + 2 * i + 1];
		part.slots += part.node[i];
	}
	for (i = 0; i < TD_NR_PARENTS; i++)
		part.children_slots[i] = part.children_slots[i] ? part.slots : 0;
	td_sums_add(sums, &part);
}
