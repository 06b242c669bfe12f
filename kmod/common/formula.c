// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later
/*
 * Common code of the formula families: products, and clamping.
 *
 * The published formulas have no answer for some counts: a remainder below 0, a child
 * that is more than its parent, 0 / 0.  A level 1 node is then clamped to 0 or to all
 * slots.  The other level 1 nodes stay as published, so level 1 may sum to more than all
 * slots.  One of two children is clamped to 0 or to the parent, and the other is the
 * rest of the parent.  Every node that differs from the published value is marked.
 *
 * A node is a whole number of slots, rounded down once for each division.  It is within
 * eight slots of the published value.
 */
#include "formula.h"

#ifdef __KERNEL__
#include <linux/math64.h>
#endif

/* No sum of sane counts reaches this, and four of these do not overflow. */
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

/* Store @value, clamped to 0..@limit.  Returns whether it was clamped. */
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
 * @slots: result; its slots are set already
 * @node: the node
 * @value: published value in slots
 */
void td_set_level1(struct td_slots *slots, enum topdown_node node, __s64 value)
{
	slots->level1 += value > 0 ? (__u64)value : 0;
	if (td_set(slots, node, value, slots->slots))
		slots->clamped |= 1U << node;
}

/**
 * td_set_pair_of - set two children of a level 1 node, one of them the remainder
 * @slots: result; the parent is set already
 * @parent: level 1 node
 * @child: the child with a published value
 * @rest: the child that is the remainder
 * @value: published value of @child in slots
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
 * td_set_pair - set the usual two children of a level 1 node, the second the remainder
 * @slots: result; the parent is set already
 * @parent: level 1 node
 * @first: published value of the first child in slots
 *
 * The pairs of children have the order of their parents.
 */
void td_set_pair(struct td_slots *slots, enum topdown_node parent, __s64 first)
{
	unsigned int child = TOPDOWN_HEAVY_OPERATIONS + 2 * parent;

	td_set_pair_of(slots, parent, child, child + 1, first);
}

/**
 * td_set_both - set the two children of a level 1 node if both have a published value
 * @slots: result; the parent is set already
 * @parent: level 1 node
 * @first: value of the first child in slots
 * @second: value of the second child in slots
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
 * @slots: result; the parent is set already
 * @parent: level 1 node
 * @part: dividend of the ratio
 * @whole: divisor of the ratio
 *
 * If the ratio has no value, the first child is 0 and both are marked.
 */
void td_set_split(struct td_slots *slots, enum topdown_node parent, __s64 part, __s64 whole)
{
	__u64 all = slots->node[parent];

	if (part < 0 || whole <= 0) {
		td_set_pair(slots, parent, 0);
		slots->clamped |= 3U << (TOPDOWN_HEAVY_OPERATIONS + 2 * parent);
		return;
	}
	/* Compare the ratio itself, because the parent may be 0. */
	if (part > whole)
		slots->clamped |= 3U << (TOPDOWN_HEAVY_OPERATIONS + 2 * parent);
	td_set_pair(slots, parent, part < whole ? td_times(all, part, whole) : all);
}

/**
 * td_formula_over - the level 1 nodes that deserve to be drilled
 * @formula: the family; has thresholds
 * @sums: slots of a window
 * @nodes: nodes that were counted
 *
 * Return: bit n for each node n that is over its threshold and has children.
 */
__u32 td_formula_over(const struct td_formula *formula, const struct topdown_sums *sums,
		      __u32 nodes)
{
	__u32 looked_at = TD_NODES_METRICS_L1 | (nodes & 1U << TOPDOWN_HEAVY_OPERATIONS);
	__u32 ratio[TOPDOWN_MAX_NODES], over;
	unsigned int i;

	for (i = 0; i < TOPDOWN_MAX_NODES; i++)
		ratio[i] = looked_at >> i & 1 ? td_ratio(sums->node[i], sums->slots) :
						TOPDOWN_RATIO_NONE;
	over = td_thresholds_over(formula->thresholds, ratio) & TD_NODES_METRICS_L1;
	for (i = 0; i < TD_NR_PARENTS; i++) {
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

/* Clear nodes whose events were not counted. */
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
 * @sample: the counts, up to level 2
 * @slots: all written; all 0 if a count is 2^TD_COUNT_BITS or more
 */
void td_formula_eval(const struct td_formula *formula, const struct td_sample *sample,
		     struct td_slots *slots)
{
	*slots = (struct td_slots){ 0 };
	if (!td_sample_sane(formula, sample))
		return;
	formula->eval(sample, slots);
	if (sample->undrilled)
		td_slots_keep(slots, ~td_nodes_of_parents(sample->undrilled));
}
