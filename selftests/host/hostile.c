// SPDX-License-Identifier: GPL-2.0
/*
 * Counts that no hardware should give: nothing may trap, divide by 0, exceed
 * its parent or be more than 100%.  Built with the undefined behaviour
 * sanitizer, so that an overflow of a signed number ends the program.
 */
#include <string.h>

#include "ktap.h"
#include "random.h"
#include "sums.h"

#define CASES		(1U << 20)

static uint64_t hostile_number(struct rng *rng)
{
	static const uint64_t edge[] = {
		0, 1, 2, 254, 255, 256, 1ULL << 20, (1ULL << 32) - 1, 1ULL << 32,
		(1ULL << 61) - 1, 1ULL << 61, (1ULL << 62) - 1, (1ULL << 63) - 1,
		1ULL << 63, UINT64_MAX - 1, UINT64_MAX,
	};

	if (rng_below(rng, 2))
		return edge[rng_below(rng, sizeof(edge) / sizeof(edge[0]))];
	return rng_next(rng) >> rng_below(rng, 64);
}

static void hostile_counts(struct rng *rng, struct td_counts *counts)
{
	uint64_t below = hostile_number(rng);
	unsigned int i;

	counts->slots = hostile_number(rng);
	for (i = 0; i < TD_METRIC_NR; i++) {
		counts->metric[i] = hostile_number(rng);
		/* Half of the cases are of numbers that could be. */
		if (below & 1 && counts->slots)
			counts->metric[i] %= counts->slots + (counts->slots != UINT64_MAX);
	}
}

static bool children_fit(const struct topdown_figures *figures)
{
	static const unsigned int pair[][3] = {
		{ TOPDOWN_RETIRING, TOPDOWN_HEAVY_OPERATIONS, TOPDOWN_LIGHT_OPERATIONS },
		{ TOPDOWN_BAD_SPECULATION, TOPDOWN_BRANCH_MISPREDICTS, TOPDOWN_MACHINE_CLEARS },
		{ TOPDOWN_FRONTEND_BOUND, TOPDOWN_FETCH_LATENCY, TOPDOWN_FETCH_BANDWIDTH },
		{ TOPDOWN_BACKEND_BOUND, TOPDOWN_MEMORY_BOUND, TOPDOWN_CORE_BOUND },
	};
	unsigned int i;

	for (i = 0; i < 4; i++) {
		uint64_t parent = figures->node[pair[i][0]];

		if (figures->node[pair[i][1]] > parent ||
		    figures->node[pair[i][1]] + figures->node[pair[i][2]] != parent)
			return false;
	}
	return true;
}

static bool figures_ok(const struct topdown_figures *figures, unsigned int level)
{
	unsigned int i, nodes = level > 1 ? TD_NODES_METRICS : TD_METRIC_L1;
	uint64_t sum = 0;
	bool none = false;

	for (i = 0; i < TD_METRIC_L1; i++)
		sum += figures->node[i];
	/* All of it or nothing: half a breakdown would mislead. */
	if (sum && sum != figures->slots)
		return false;
	for (i = 0; i < TOPDOWN_MAX_NODES; i++) {
		if (figures->node[i] > (i < nodes ? figures->slots : 0))
			return false;
		none = figures->ratio[i] == TOPDOWN_RATIO_NONE;
		if (!none && figures->ratio[i] > TOPDOWN_RATIO_ONE)
			return false;
		if (none != (i >= nodes || !sum))
			return false;
	}
	return level < 2 || children_fit(figures);
}

static bool hostile_case(struct rng *rng, unsigned int level)
{
	struct td_quant quant = { .score = (int)rng_below(rng, 33) - 16 };
	struct topdown_figures figures = { };
	struct td_counts counts;

	hostile_counts(rng, &counts);
	figures.slots = counts.slots;
	if (rng_below(rng, 4))
		td_counts_fold(&counts, &quant, level, figures.node);
	else
		td_counts_to_nodes(&counts, level, figures.node);
	if (quant.score > 16 || quant.score < -16)
		return false;
	td_figures_children(&figures, td_nodes_of_level(level));
	td_figures_ratios(&figures, td_nodes_of_level(level) & TD_NODES_METRICS_L2);
	return figures_ok(&figures, level);
}

static void test_windows(struct ktap *ktap)
{
	struct rng rng = { 1 };
	unsigned int i, bad = 0;

	for (i = 0; i < CASES; i++)
		bad += !hostile_case(&rng, 1 + (i & 1));
	ktap_note("%u of %u windows give impossible figures", bad, CASES);
	ktap_result(ktap, !bad, "no counts give impossible figures");
}

/* The formulas refuse counts of 2^61 and more. */
static bool counts_sane(const struct td_counts *counts)
{
	uint64_t bits = counts->slots;
	unsigned int i;

	for (i = 0; i < TD_METRIC_NR; i++)
		bits |= counts->metric[i];
	return !(bits >> 61);
}

/*
 * Is one pass, as the module has it, the same as the library's three steps?  Only the
 * three look again at what was corrected, which may just have become too large.
 */
static bool fold_case(struct rng *rng, unsigned int level)
{
	struct td_quant quant = { .score = (int)rng_below(rng, 33) - 16 }, fold_quant = quant;
	__u64 node[TOPDOWN_MAX_NODES], fold_node[TOPDOWN_MAX_NODES] = { };
	struct td_counts counts, fold_counts;

	hostile_counts(rng, &counts);
	fold_counts = counts;
	td_quant_learn(&quant, &counts);
	td_counts_correct(&counts, &quant);
	if (counts_sane(&fold_counts) && !counts_sane(&counts))
		return true;
	td_counts_to_nodes(&counts, level, node);
	td_counts_fold(&fold_counts, &fold_quant, level, fold_node);
	return quant.score == fold_quant.score && quant.rest == fold_quant.rest &&
	       counts.slots == fold_counts.slots && !memcmp(node, fold_node, sizeof(node));
}

static void test_fold(struct ktap *ktap)
{
	struct rng rng = { 6 };
	unsigned int i, bad = 0;

	for (i = 0; i < CASES; i++)
		bad += !fold_case(&rng, 1 + (i & 1));
	ktap_note("%u of %u windows are others in three steps", bad, CASES);
	ktap_result(ktap, !bad, "learning, correcting and formulas agree in one pass and in three");
}

/* Corrections shuffle slots between the categories, and leave the slots alone. */
static void test_slots_kept(struct ktap *ktap)
{
	struct td_quant quant = { };
	struct td_counts counts;
	struct rng rng = { 2 };
	unsigned int i, bad = 0;

	for (i = 0; i < CASES; i++) {
		uint64_t slots;

		hostile_counts(&rng, &counts);
		slots = counts.slots;
		quant.score = (int)rng_below(&rng, 33) - 16;
		td_counts_correct(&counts, &quant);
		bad += counts.slots != slots;
	}
	ktap_result(ktap, !bad, "corrections never change the slots");
}

/*
 * Bytes of a CPU that truncates, and corrected counts: level 1 is all slots, to the last
 * one, unless a correction was more than a category had.
 */
static void test_slots_given_back(struct ktap *ktap)
{
	unsigned int i, j, cases = 0, bad = 0;
	struct td_quant quant = { };
	struct td_counts counts;
	struct rng rng = { 7 };
	uint64_t step, sum;
	bool empty;

	for (i = 0; i < CASES; i++) {
		counts = (struct td_counts){ .slots = 1000000 + rng_below(&rng, 1000000000) };
		step = counts.slots / 255;
		counts.metric[0] = 10 * step + rng_below(&rng, 3 * step);
		counts.metric[1] = 20 * step + rng_below(&rng, 3 * step);
		counts.metric[2] = 30 * step + rng_below(&rng, 3 * step);
		counts.metric[3] = counts.slots - counts.metric[0] - counts.metric[1] -
				   counts.metric[2] - rng_below(&rng, 3 * step);
		td_counts_correct(&counts, &quant);
		sum = 0;
		empty = false;
		for (j = 0; j < TD_METRIC_L1; j++) {
			sum += counts.metric[j];
			empty |= !counts.metric[j];
		}
		cases += !empty;
		bad += !empty && sum != counts.slots;
	}
	ktap_note("%u of %u windows do not sum to the slots", bad, cases);
	ktap_result(ktap, cases && !bad, "corrected counts are all slots");
}

static void test_ratio(struct ktap *ktap)
{
	struct rng rng = { 3 };
	unsigned int i, bad = 0;

	for (i = 0; i < CASES; i++) {
		uint64_t part = hostile_number(&rng), whole = hostile_number(&rng);
		uint32_t ratio = td_ratio(part, whole);
		uint32_t want = TOPDOWN_RATIO_NONE;

		if (whole)
			want = part >= whole ? TOPDOWN_RATIO_ONE :
			       (unsigned __int128)part * TOPDOWN_RATIO_ONE / whole;
		bad += ratio != want;
	}
	ktap_result(ktap, !bad, "a ratio is exact, at most 1, and none of nothing");
}

static void test_add_sub(struct ktap *ktap)
{
	struct topdown_figures base, later, more;
	struct rng rng = { 4 };
	unsigned int i, j, bad = 0;

	for (i = 0; i < 10000; i++) {
		memset(&base, 0, sizeof(base));
		memset(&more, 0, sizeof(more));
		base.slots = hostile_number(&rng);
		base.enabled_ns = hostile_number(&rng);
		base.running_ns = hostile_number(&rng);
		more.slots = hostile_number(&rng);
		more.enabled_ns = hostile_number(&rng);
		more.running_ns = hostile_number(&rng);
		for (j = 0; j < TD_NODES_METRICS; j++) {
			base.node[j] = hostile_number(&rng);
			more.node[j] = hostile_number(&rng);
		}
		later = base;
		td_figures_add(&later, &more);
		td_figures_sub(&later, &base);
		bad += memcmp(&later, &more, sizeof(more)) != 0;
	}
	ktap_result(ktap, !bad, "earlier figures can be taken off again, modulo 2^64");
}

int main(void)
{
	struct ktap ktap;

	ktap_begin(&ktap, 6);
	test_windows(&ktap);
	test_fold(&ktap);
	test_slots_kept(&ktap);
	test_slots_given_back(&ktap);
	test_ratio(&ktap);
	test_add_sub(&ktap);
	return ktap_end(&ktap);
}
