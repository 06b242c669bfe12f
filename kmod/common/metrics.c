// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later
/*
 * Top-Down arithmetic: from the driver's counts to slots per node and ratios.
 *
 * Formulas: the TMA metrics published with perf for cores with PERF_METRICS
 * (tools/perf/pmu-events/arch/x86/sapphirerapids/spr-metrics.json and
 * icelakex/icx-metrics.json).  Each level 1 node is its count over the sum of the
 * four.  Heavy operations, branch mispredicts, fetch latency and memory bound are
 * their counts over the same sum.  Their siblings are the remainder of the parent,
 * but never below 0.
 */
#include "metrics.h"

#ifdef __KERNEL__
#include <linux/math64.h>
#else
#include <stddef.h>
#endif

/* Bytes of PERF_METRICS are fractions of 0xff (SDM 3B, "Performance Metrics"). */
#define TD_STEPS		255

/* With fewer slots a step is so small that the driver's own floor() shows. */
#define TD_QUANT_MIN_SLOTS	(1ULL << 20)
#define TD_QUANT_SCORE_MAX	16
/* Weak evidence lowers the score no further than this, negated. */
#define TD_QUANT_SCORE_WEAK	4

/* How a rest is learnt and forgotten, and from where on it is proved. */
#define TD_QUANT_REST_MAX	32
#define TD_QUANT_REST_PROVED	16
#define TD_QUANT_REST_LOSS	16
#define TD_QUANT_REST_MIN	(-64)

/* The sum of fewer slots is not judged, because the driver's floor() takes four of them. */
#define TD_BYTES_MIN_SLOTS	(1ULL << 14)

/* a * b / c for a <= c, so that the quotient fits; 0 for c == 0, b for a > c. */
static __u64 td_mul_div(__u64 a, __u64 b, __u64 c)
{
	if (!c)
		return 0;
	if (a >= c)
		return b;
#ifdef __KERNEL__
	return mul_u64_u64_div_u64(a, b, c);
#else
	return (unsigned __int128)a * b / c;
#endif
}

/* Counts below 2^61, which are decades of slots, so four of them do not overflow. */
static int td_counts_sane(const struct td_counts *counts)
{
	__u64 bits = counts->slots;
	unsigned int i;

	for (i = 0; i < TD_METRIC_NR; i++)
		bits |= counts->metric[i];
	return !(bits >> 61);
}

static __u64 td_l1_sum(const struct td_counts *counts)
{
	__u64 sum = 0;
	unsigned int i;

	for (i = 0; i < TD_METRIC_L1; i++)
		sum += counts->metric[i];
	return sum;
}

/*
 * The slots that are missing from the sum of level 1, because the fractions became bytes;
 * negative if the bytes gained slots.  Returns false if more is missing than bytes can lose,
 * so the counts do not come from bytes alone.
 */
static int td_missing(const struct td_counts *counts, __s64 *missing)
{
	__u64 limit = counts->slots / TD_STEPS * TD_METRIC_L1;

	if (!td_counts_sane(counts))
		return 0;
	*missing = (__s64)(counts->slots - td_l1_sum(counts));
	return *missing <= (__s64)limit && *missing >= -(__s64)limit;
}

/*
 * No manual says how the CPU makes the bytes.  It may truncate them, or round them, or truncate
 * all but bad speculation, which is what the other three of level 1 leave of 255 ("rest").
 * The four level 1 bytes of a truncating CPU are together 0 to 3 steps short of 255, those of a
 * rounding CPU -2 to 2, and those with a rest never are.  For random fractions a deficit of 0,
 * 1, 2 and 3 steps has the odds 0, 1/6, 2/3, 1/6 if truncated, and 2/3, 1/6, 0, 0 if rounded.
 * So a deficit of two steps or more speaks for truncation, and a negative one for rounding.  A
 * deficit of one step speaks only against a rest, and a single byte of 255 says nothing, because
 * it is exact.  No deficit is weak evidence of rounding, because fractions of whole steps have
 * none either.  It counts little, and only while nothing speaks for truncation.
 */
static void td_learn_score(struct td_quant *quant, __s64 step, __s64 missing)
{
	/* Tolerate an eighth of a step, because folds cut windows into parts. */
	if (missing >= 2 * step - step / 8) {
		if (quant->score < TD_QUANT_SCORE_MAX)
			quant->score++;
	} else if (missing <= step / 8 - step) {
		if (quant->score > -TD_QUANT_SCORE_MAX)
			quant->score--;
	} else if (missing <= step / 8) {
		if (quant->score <= 0 && quant->score > -TD_QUANT_SCORE_WEAK)
			quant->score--;
	}
}

static __u32 td_l1_bytes(const struct td_counts *counts)
{
	__u64 half = counts->slots / TD_STEPS / 2;
	__u32 bytes = 0;
	unsigned int i;

	for (i = 0; i < TD_METRIC_L1; i++)
		bytes = bytes << 8 | td_mul_div(counts->metric[i] + half, TD_STEPS, counts->slots);
	return bytes;
}

/*
 * No deficit in window after window is a rest.  One window without a deficit is enough at
 * first, because that is how CPUs were seen to make bytes.  A window with a deficit takes back
 * much more than a rounding CPU gets in between.  The same bytes again say nothing new: a
 * program may execute the same for hours, and have no deficit by chance.
 */
static void td_learn_rest(struct td_quant *quant, const struct td_counts *counts, __s64 step,
			  __s64 missing)
{
	__u32 bytes = td_l1_bytes(counts);

	if (bytes == quant->last)
		return;
	quant->last = bytes;
	if (missing <= step / 8 && missing >= -(step / 8)) {
		if (quant->rest < TD_QUANT_REST_MAX)
			quant->rest++;
		return;
	}
	quant->rest -= TD_QUANT_REST_LOSS;
	if (quant->rest < TD_QUANT_REST_MIN)
		quant->rest = TD_QUANT_REST_MIN;
}

static void td_learn(struct td_quant *quant, const struct td_counts *counts, __s64 missing)
{
	__s64 step = counts->slots / TD_STEPS;
	unsigned int i, nonzero = 0;

	for (i = 0; i < TD_METRIC_L1; i++)
		nonzero += counts->metric[i] != 0;
	if (counts->slots < TD_QUANT_MIN_SLOTS || nonzero < 2)
		return;
	td_learn_score(quant, step, missing);
	td_learn_rest(quant, counts, step, missing);
}

/*
 * Truncated bytes are up to three steps short, rounded bytes up to two in either direction.
 * With a rest they are never short, but CPUs were seen to be one step off.  The narrower limits
 * apply only if the way is proved.
 */
static enum td_bytes td_bytes_near(const struct td_counts *counts, const struct td_quant *quant,
				   __s64 missing)
{
	__s64 step = counts->slots / TD_STEPS;
	__s64 most = quant->score < -TD_QUANT_SCORE_WEAK ? 2 * step : 3 * step;
	__s64 least = quant->score > 0 ? 0 : -2 * step;

	if (counts->slots < TD_QUANT_MIN_SLOTS)
		return TD_BYTES_RIGHT;
	if (quant->rest >= TD_QUANT_REST_PROVED) {
		most = step;
		least = -step;
	}
	return missing > most + step / 8 || missing < least - step / 8 ? TD_BYTES_ODD :
									  TD_BYTES_RIGHT;
}

/* Judge bytes whose sum is off by more than four steps. */
static enum td_bytes td_bytes_far(const struct td_counts *counts)
{
	__u64 sum = td_l1_sum(counts);

	if (counts->slots < TD_BYTES_MIN_SLOTS)
		return TD_BYTES_RIGHT;
	if (!sum)
		return TD_BYTES_ZERO;
	return sum < counts->slots / 2 || sum > td_level1_most(counts->slots) ?
	       TD_BYTES_ABSURD : TD_BYTES_ODD;
}

static __u64 td_shift_count(__u64 count, __s64 by)
{
	__s64 shifted = (__s64)count + by;

	return shifted < 0 ? 0 : (__u64)shifted;
}

/*
 * With a rest, each of the other three lost half a step on average, and bad speculation has
 * it, as far as it has anything.
 */
static void td_correct_rest(struct td_counts *counts)
{
	__u64 gained = counts->metric[TD_METRIC_BAD_SPEC];
	__u64 most = counts->slots / TD_STEPS * 3 / 2;
	unsigned int i;

	if (gained > most)
		gained = most;
	gained /= TD_METRIC_L1 - 1;
	for (i = 0; i < TD_METRIC_L1; i++)
		counts->metric[i] += gained;
	counts->metric[TD_METRIC_BAD_SPEC] -= gained * TD_METRIC_L1;
}

/*
 * The four level 1 fractions must sum to 1, so the loss of their bytes together is known.
 * Each byte gets a quarter of it back.  The published formulas scale all by their sum
 * instead, as if the loss were proportional, but a byte of 0 may have lost as much as any
 * other.  A level 2 byte lost half a step on average if bytes are truncated, and nothing if
 * they are rounded; where bad speculation is a rest, the others are truncated.  A child of a
 * parent of 0 lost nothing.
 */
static void td_correct(struct td_counts *counts, const struct td_quant *quant, __s64 missing)
{
	__s64 share = missing / TD_METRIC_L1;
	unsigned int i;

	/* No overflow: the missing slots are at most all slots minus any of the four. */
	for (i = 0; i < TD_METRIC_L1; i++)
		counts->metric[i] = td_shift_count(counts->metric[i], share);
	counts->metric[0] = td_shift_count(counts->metric[0], missing % TD_METRIC_L1);

	if (quant->rest > 0)
		td_correct_rest(counts);
	if (quant->rest > 0 || quant->score > 0)
		share = counts->slots / TD_STEPS / 2;
	else if (quant->score < 0)
		share = 0;
	/* The fields of level 2 follow those of level 1 in the order of the parents. */
	for (i = TD_METRIC_L1; i < TD_METRIC_NR; i++) {
		if (counts->metric[i - TD_METRIC_L1])
			counts->metric[i] = td_shift_count(counts->metric[i], share);
	}
}

/* Make level 1 sum to all slots.  Corrected counts do so already, unless one became 0. */
static void td_scale(struct td_counts *counts, __u64 sum)
{
	__u64 rest = counts->slots;
	unsigned int i, largest = 0;

	for (i = 0; i < TD_METRIC_NR; i++)
		counts->metric[i] = td_mul_div(counts->metric[i], counts->slots, sum);
	for (i = 0; i < TD_METRIC_L1; i++) {
		rest -= counts->metric[i];
		if (counts->metric[i] > counts->metric[largest])
			largest = i;
	}
	/* At most three slots were lost to the divisions. */
	counts->metric[largest] += rest;
}

static void td_no_nodes(__u64 *node)
{
	unsigned int i;

	for (i = 0; i < TD_NODES_METRICS; i++)
		node[i] = 0;
}

/* Apply the published formulas to sane counts. */
static void td_nodes(struct td_counts *counts, unsigned int level, __u64 *node)
{
	__u64 sum = td_l1_sum(counts);
	unsigned int i;

	if (!sum) {
		td_no_nodes(node);
		return;
	}
	if (sum != counts->slots)
		td_scale(counts, sum);

	/* Level 1 nodes have the numbers of their fields. */
	for (i = 0; i < TD_METRIC_L1; i++)
		node[i] = counts->metric[i];
	if (level < 2)
		return;
	/*
	 * The fields of level 2, and the pairs of nodes that they make, have the
	 * order of their parents.
	 */
	for (i = 0; i < TD_METRIC_L1; i++) {
		__u64 *pair = &node[TOPDOWN_HEAVY_OPERATIONS + 2 * i];
		__u64 child = counts->metric[TD_METRIC_L1 + i];

		pair[0] = child < node[i] ? child : node[i];
		pair[1] = node[i] - pair[0];
	}
}

/**
 * td_quant_learn - learn from one window how bytes are made
 * @quant: what is known so far; updated
 * @counts: uncorrected counts of one window
 */
void td_quant_learn(struct td_quant *quant, const struct td_counts *counts)
{
	__s64 missing;

	if (td_missing(counts, &missing))
		td_learn(quant, counts, missing);
}

/**
 * td_counts_correct - give back the slots that bytes lost
 * @counts: counts of one window; corrected
 * @quant: what is known about the CPU
 */
void td_counts_correct(struct td_counts *counts, const struct td_quant *quant)
{
	__s64 missing;

	if (td_missing(counts, &missing))
		td_correct(counts, quant, missing);
}

/**
 * td_counts_to_nodes - apply the published formulas
 * @counts: counts of a span of time
 * @level: 1 or 2; level 2 nodes are 0 for level 1
 * @node: slots of each node, all written; level 1 sums to @counts->slots
 *	unless all four counts are 0 or one is 2^61 or more, and children sum to
 *	their parent
 */
void td_counts_to_nodes(const struct td_counts *counts, unsigned int level,
			__u64 node[TOPDOWN_MAX_NODES])
{
	struct td_counts copy = *counts;
	unsigned int i;

	for (i = 0; i < TOPDOWN_MAX_NODES; i++)
		node[i] = 0;
	if (td_counts_sane(counts))
		td_nodes(&copy, level, node);
}

/**
 * td_counts_judge - can the bytes have the sum that they have?
 * @counts: uncorrected counts of one window
 * @quant: what is known about the CPU
 *
 * Return: the sum of the bytes; always TD_BYTES_RIGHT for few slots.
 */
enum td_bytes td_counts_judge(const struct td_counts *counts, const struct td_quant *quant)
{
	__s64 missing;

	if (td_missing(counts, &missing))
		return td_bytes_near(counts, quant, missing);
	return td_counts_sane(counts) ? td_bytes_far(counts) : TD_BYTES_ABSURD;
}

/**
 * td_counts_apply - correct counts, and apply the formulas
 * @counts: counts of a span of time; corrected
 * @quant: what is known about the CPU
 * @level: 1 or 2
 * @node: slots of each node of these levels, written; the caller zeroes the other nodes once
 */
void td_counts_apply(struct td_counts *counts, const struct td_quant *quant, unsigned int level,
		     __u64 node[TOPDOWN_MAX_NODES])
{
	__s64 missing;

	if (td_missing(counts, &missing)) {
		td_correct(counts, quant, missing);
	} else if (!td_counts_sane(counts)) {
		td_no_nodes(node);
		return;
	}
	td_nodes(counts, level, node);
}

/**
 * td_counts_fold - judge, learn, correct and apply the formulas
 * @counts: counts of one window; corrected
 * @quant: what is known about the CPU; updated
 * @level: 1 or 2
 * @node: as for td_counts_apply()
 *
 * Return: as td_counts_judge(), by what was known about the CPU before.
 */
enum td_bytes td_counts_fold(struct td_counts *counts, struct td_quant *quant,
			     unsigned int level, __u64 node[TOPDOWN_MAX_NODES])
{
	enum td_bytes bytes = td_counts_judge(counts, quant);

	td_quant_learn(quant, counts);
	td_counts_apply(counts, quant, level, node);
	return bytes;
}

/**
 * td_counts_sub - what was counted since another time
 * @counts: counts; those since then afterwards
 * @base: counts of then
 */
void td_counts_sub(struct td_counts *counts, const struct td_counts *base)
{
	unsigned int i;

	counts->slots -= base->slots;
	for (i = 0; i < TD_METRIC_NR; i++)
		counts->metric[i] -= base->metric[i];
}

/**
 * td_ratio - a part over a whole
 * @part: the part
 * @whole: the whole
 *
 * Return: @part / @whole in units of 1 / TOPDOWN_RATIO_ONE, at most
 * TOPDOWN_RATIO_ONE; TOPDOWN_RATIO_NONE for a whole of 0.
 */
__u32 td_ratio(__u64 part, __u64 whole)
{
	if (!whole)
		return TOPDOWN_RATIO_NONE;
	if (part >= whole)
		return TOPDOWN_RATIO_ONE;
	return td_mul_div(part, TOPDOWN_RATIO_ONE, whole);
}

/* Level 1 nodes whose children were not counted in all slots, bit n for node n. */
static __u32 td_parents_partly(const struct topdown_figures *figures)
{
	__u32 parents = 0;
	unsigned int i;

	for (i = 0; i < TD_NR_PARENTS; i++)
		parents |= (__u32)(figures->children_slots[i] != figures->slots) << i;
	return parents;
}

/**
 * td_figures_ratios_of - fill in the ratios of some nodes over some slots
 * @figures: figures, of which the ratios are written
 * @node: their nodes, or others in the place of them
 * @slots: their slots, or others
 * @nodes: as for td_figures_ratios()
 */
void td_figures_ratios_of(struct topdown_figures *figures, const __u64 *node, __u64 slots,
			  __u32 nodes)
{
	unsigned int i;
	__u64 l1 = 0;

	for (i = 0; i < TD_METRIC_L1; i++)
		l1 |= node[i];
	/* If no category has a slot, nothing is known of these slots. */
	if (!l1)
		nodes = 0;
	/* A node that is unknown here has none: it may not have been counted in all slots. */
	nodes &= TD_NODES_LEVEL2 & ~td_nodes_of_parents(td_parents_partly(figures));
	for (i = 0; i < TOPDOWN_MAX_NODES; i++)
		figures->ratio[i] = nodes >> i & 1 ? td_ratio(node[i], slots) :
						     TOPDOWN_RATIO_NONE;
}

/**
 * td_nodes_of_level - all possible nodes up to a level
 * @level: 0, 1 or 2
 *
 * Return: bit n for node n.
 */
__u32 td_nodes_of_level(unsigned int level)
{
	if (!level)
		return 0;
	return level == 1 ? TD_NODES_LEVEL1 : TD_NODES_LEVEL2;
}

/**
 * td_nodes_of_parents - the children of level 1 nodes
 * @parents: bit n for node n
 *
 * Return: bit n for node n.
 */
__u32 td_nodes_of_parents(__u32 parents)
{
	__u32 nodes = 0;
	unsigned int i;

	for (i = 0; i < TD_NR_PARENTS; i++) {
		if (parents >> i & 1)
			nodes |= td_nodes_children(i);
	}
	return nodes;
}

/**
 * td_nodes_of_figures - the nodes that have a ratio
 * @figures: any figures with ratios
 *
 * Return: bit n for node n.
 */
__u32 td_nodes_of_figures(const struct topdown_figures *figures)
{
	__u32 nodes = 0;
	unsigned int i;

	for (i = 0; i < TD_NR_NODES; i++) {
		if (figures->ratio[i] != TOPDOWN_RATIO_NONE)
			nodes |= 1U << i;
	}
	return nodes;
}

/**
 * td_figures_ratios - fill in the ratios
 * @figures: slots and nodes in, ratios out
 * @nodes: nodes that may have a ratio, bit n for node n
 *
 * A child has no ratio if it was not counted in all slots.
 */
void td_figures_ratios(struct topdown_figures *figures, __u32 nodes)
{
	td_figures_ratios_of(figures, figures->node, figures->slots, nodes);
}

/**
 * td_figures_make - figures from sums
 * @figures: written
 * @sums: the sums
 * @nodes: as for td_figures_ratios()
 */
void td_figures_make(struct topdown_figures *figures, const struct topdown_sums *sums, __u32 nodes)
{
	td_figures_put(figures, sums);
	td_figures_ratios(figures, nodes);
}
