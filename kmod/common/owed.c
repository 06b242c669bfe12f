// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later
/*
 * Sums that never fall, of summands in which a node may be below 0: differences of readings of
 * PERF_METRICS, each of which may be off by half a step of its bytes.
 */
#include "metrics.h"
#include "owed.h"
#include "sums.h"

#ifdef __KERNEL__
#include <linux/compiler.h>
#else
#define noinline
#endif

/* The nodes of PERF_METRICS without children: from @first on, @nr of them. */
static void td_leaves(unsigned int level, unsigned int *first, unsigned int *nr)
{
	*first = level > 1 ? TOPDOWN_HEAVY_OPERATIONS : 0;
	*nr = level > 1 ? 2 * TD_METRIC_L1 : TD_METRIC_L1;
}

/* Is one of these leaves below 0, or does it owe something? */
static int td_leaves_fall(const __u64 *leaf, const __s64 *owed, unsigned int nr)
{
	__s64 signs = 0, any = 0;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		signs |= (__s64)leaf[i];
		any |= owed[i];
	}
	return signs < 0 || any;
}

/* Constants, because each switch of a followed task asks. */
static int td_sums_fall(const struct topdown_sums *sums, const __s64 *owed, unsigned int level)
{
	if (level > 1)
		return td_leaves_fall(&sums->node[TOPDOWN_HEAVY_OPERATIONS],
				      &owed[TOPDOWN_HEAVY_OPERATIONS], 2 * TD_METRIC_L1);
	return td_leaves_fall(sums->node, owed, TD_METRIC_L1);
}

/* A leaf lends what it has of these slots. */
static __u64 td_leaf_take(__u64 *leaf, __s64 *owed, __u64 want)
{
	__u64 taken = *leaf < want ? *leaf : want;

	*leaf -= taken;
	*owed -= (__s64)taken;
	return taken;
}

/*
 * Siblings lend first, because their parent's byte says what they have together, and then the
 * largest leaves.  So all slots are right, also if a node is below 0 in summand after summand: what
 * the bytes of a window lost is given back by its slots, to whoever had them.
 */
static void td_leaves_lend(__u64 *leaf, __s64 *owed, unsigned int nr, __u64 lent)
{
	unsigned int i, n, most;

	for (i = 0; i < nr && nr > TD_METRIC_L1; i++)
		if (owed[i] > 0)
			lent -= td_leaf_take(&leaf[i ^ 1], &owed[i ^ 1], (__u64)owed[i]);
	for (n = 0; n < nr && lent; n++) {
		most = 0;
		for (i = 1; i < nr; i++)
			if (leaf[i] > leaf[most])
				most = i;
		lent -= td_leaf_take(&leaf[most], &owed[most], lent);
	}
}

/*
 * The summand was added.  Let no leaf have less by it, and pay what was owed.  Not inline, because
 * most summands have nothing of this.
 */
static noinline void td_sums_settle(struct topdown_sums *sums, const struct topdown_sums *more,
				    __s64 *owed, unsigned int level)
{
	__u64 leaf[2 * TD_METRIC_L1], lent = 0, change, all = 0;
	unsigned int i, first, nr;
	__s64 grown;

	td_leaves(level, &first, &nr);
	owed += first;
	for (i = 0; i < nr; i++) {
		grown = (__s64)more->node[first + i] - owed[i];
		owed[i] = grown < 0 ? -grown : 0;
		lent += (__u64)owed[i];
		leaf[i] = (__u64)(grown + owed[i]);
	}
	if (lent)
		td_leaves_lend(leaf, owed, nr, lent);
	for (i = 0; i < nr; i++) {
		change = leaf[i] - more->node[first + i];
		sums->node[first + i] += change;
		if (first)
			sums->node[i / 2] += change;
		all += change;
	}
	sums->slots += all;
	for (i = 0; i < TD_NR_PARENTS; i++)
		sums->children_slots[i] += more->children_slots[i] ? all : 0;
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
	td_sums_add(sums, more);
	if (td_sums_fall(more, owed, level))
		td_sums_settle(sums, more, owed, level);
}
