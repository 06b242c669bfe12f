// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later
/*
 * What the formula families share: products, and clamping.
 *
 * The published formulas have no answer for some counts: a remainder below 0,
 * a child that is more than its parent, 0 / 0.  Here a level 1 node is then cut
 * to 0 or to all slots, and the others are left as published, so that level 1
 * may sum to more than the slots by what was cut.  Of two children one is cut to
 * 0 or to the parent and the other is what is left of the parent.  Every node
 * that is not as published is marked.
 *
 * A node is a whole number of slots and is rounded down once for each division:
 * it is within eight slots of the published value.
 */
#include "formula.h"

#ifdef __KERNEL__
#include <linux/math64.h>
#endif

/* More than any sum of sane counts, and four of these still add up. */
#define TD_HUGE		(1ULL << 61)

/* The high half of a product. */
static __u64 td_high(__u64 a, __u64 b)
{
#ifdef __KERNEL__
	return mul_u64_u64_shr(a, b, 64);
#else
	return (unsigned __int128)a * b >> 64;
#endif
}

/**
 * td_times - a * b / c with 128 bits in between
 * @a: a factor
 * @b: a factor
 * @c: divisor
 *
 * Return: the quotient, but at most 2^61; 0 for @c == 0.
 */
__u64 td_times(__u64 a, __u64 b, __u64 c)
{
	__u64 quotient;

	if (!c)
		return 0;
	/* The division of 128 by 64 bits traps if the quotient does not fit. */
	if (td_high(a, b) >= c)
		return TD_HUGE;
#ifdef __KERNEL__
	quotient = mul_u64_u64_div_u64(a, b, c);
#else
	quotient = (unsigned __int128)a * b / c;
#endif
	return quotient < TD_HUGE ? quotient : TD_HUGE;
}

/* Store @value in 0..@limit; say whether that is not what it was. */
static int td_set(struct td_slots *slots, enum topdown_node node, __s64 value, __u64 limit)
{
	if (value < 0) {
		slots->node[node] = 0;
		return 1;
	}
	slots->node[node] = (__u64)value < limit ? (__u64)value : limit;
	return (__u64)value > limit;
}

/**
 * td_set_level1 - set a level 1 node
 * @slots: all slots are known already
 * @node: which
 * @value: as published, in slots
 */
void td_set_level1(struct td_slots *slots, enum topdown_node node, __s64 value)
{
	if (td_set(slots, node, value, slots->slots))
		slots->clamped |= 1U << node;
}

/**
 * td_set_pair_of - set two children of a level 1 node, of which one is a remainder
 * @slots: the parent is set
 * @parent: level 1 node
 * @child: the child that is known
 * @rest: the other
 * @value: the first as published, in slots
 */
void td_set_pair_of(struct td_slots *slots, enum topdown_node parent, enum topdown_node child,
		    enum topdown_node rest, __s64 value)
{
	__u64 whole = slots->node[parent];
	int cut = slots->clamped >> parent & 1;

	cut |= td_set(slots, child, value, whole);
	slots->node[rest] = whole - slots->node[child];
	if (cut)
		slots->clamped |= 1U << child | 1U << rest;
}

/**
 * td_set_pair - set the usual the two children of a level 1 node, of which one is a remainder
 * @slots: the parent is set
 * @parent: level 1 node
 * @first: the first child as published, in slots
 *
 * The children follow each other in the order of their parents.
 */
void td_set_pair(struct td_slots *slots, enum topdown_node parent, __s64 first)
{
	unsigned int child = TOPDOWN_HEAVY_OPERATIONS + 2 * parent;

	td_set_pair_of(slots, parent, child, child + 1, first);
}

/**
 * td_set_both - set the two children of a level 1 node that are both published
 * @slots: the parent is set
 * @parent: level 1 node
 * @first: the first child, in slots
 * @second: the second
 */
void td_set_both(struct td_slots *slots, enum topdown_node parent, __s64 first, __s64 second)
{
	unsigned int child = TOPDOWN_HEAVY_OPERATIONS + 2 * parent;
	int cut = slots->clamped >> parent & 1;

	cut |= td_set(slots, child, first, slots->node[parent]);
	cut |= td_set(slots, child + 1, second, slots->node[parent]);
	if (cut)
		slots->clamped |= 3U << child;
}

/**
 * td_set_split - set the children by a ratio: the first is parent * part / whole
 * @slots: the parent is set
 * @parent: level 1 node
 * @part: dividend of the ratio
 * @whole: its divisor
 *
 * Without a ratio nothing is the first child's, marked.
 */
void td_set_split(struct td_slots *slots, enum topdown_node parent, __s64 part, __s64 whole)
{
	__u64 all = slots->node[parent];

	if (part < 0 || whole <= 0) {
		td_set_pair(slots, parent, 0);
		slots->clamped |= 3U << (TOPDOWN_HEAVY_OPERATIONS + 2 * parent);
		return;
	}
	/* The parent may be 0: then it is the ratio that is too large or not. */
	if (part > whole)
		slots->clamped |= 3U << (TOPDOWN_HEAVY_OPERATIONS + 2 * parent);
	td_set_pair(slots, parent, part < whole ? td_times(all, part, whole) : all);
}

/**
 * td_formula_over - the level 1 nodes whose children are worth being counted, if there are
 * @formula: the family; has thresholds
 * @figures: of a window; the ratios are not looked at
 * @nodes: those that were counted
 *
 * Return: bit n for node n.
 */
__u32 td_formula_over(const struct td_formula *formula, const struct topdown_figures *figures,
		      __u32 nodes)
{
	__u32 looked_at = TD_NODES_METRICS_L1 | (nodes & 1U << TOPDOWN_HEAVY_OPERATIONS);
	__u32 ratio[TOPDOWN_MAX_NODES], over;
	unsigned int i;

	for (i = 0; i < TOPDOWN_MAX_NODES; i++)
		ratio[i] = looked_at >> i & 1 ? td_ratio(figures->node[i], figures->slots) :
						TOPDOWN_RATIO_NONE;
	over = td_thresholds_over(formula->thresholds, ratio) & TD_NODES_METRICS_L1;
	for (i = 0; i < TOPDOWN_NR_PARENTS; i++) {
		if (!(td_nodes_of_parents(1U << i) & formula->nodes))
			over &= ~(1U << i);
	}
	return over;
}

static int td_sample_sane(const struct td_formula *formula, const struct td_sample *sample)
{
	__u64 bits = 0;
	unsigned int i;

	for (i = 0; i < formula->nr_events; i++)
		bits |= sample->count[i];
	return !(bits >> TD_COUNT_BITS);
}

/* What a formula makes of events that were not counted is nothing. */
static void td_slots_keep(struct td_slots *slots, __u32 nodes)
{
	unsigned int node;

	for (node = 0; node < TD_NR_NODES; node++) {
		if (!(nodes >> node & 1))
			slots->node[node] = 0;
	}
	slots->clamped &= nodes;
}

/**
 * td_formula_eval - apply a family's formula
 * @formula: the family
 * @sample: what was counted; up to level 2
 * @slots: all written; all 0 for counts of 2^TD_COUNT_BITS or more
 */
void td_formula_eval(const struct td_formula *formula, const struct td_sample *sample,
		     struct td_slots *slots)
{
	*slots = (struct td_slots){ 0 };
	if (!td_sample_sane(formula, sample))
		return;
	formula->eval(sample, slots);
	if (sample->closed)
		td_slots_keep(slots, ~td_nodes_of_parents(sample->closed));
}
