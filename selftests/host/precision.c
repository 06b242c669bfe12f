// SPDX-License-Identifier: GPL-2.0
/*
 * How far the figures of one window are from the exact truth, over random
 * profiles, with bytes truncated and rounded; and that a CPU's way of making
 * bytes is learnt.  The documentation may claim only the limits that are asserted here.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "random.h"

#define CASES		(1U << 20)

/* Percentage points, of one window.  Many windows average most of it out. */
#define LIMIT_L1	0.35
#define LIMIT_L2	0.50

struct error {
	double max[2];
	double sum[2];
	unsigned long n[2];
};

static void error_add(struct error *error, const __u64 *node, uint64_t slots, const double *truth)
{
	unsigned int i, level;
	double points;

	for (i = 0; i < TD_NODES_METRICS; i++) {
		level = i >= TD_METRIC_L1;
		points = 100 * fabs((double)node[i] / slots - truth[i]);
		error->max[level] = fmax(error->max[level], points);
		error->sum[level] += points;
		error->n[level]++;
	}
}

static void error_note(const char *what, const struct error *error)
{
	ktap_note("%s: points of error, mean and largest: L1 %.3f %.3f, L2 %.3f %.3f", what,
		  error->sum[0] / error->n[0], error->max[0],
		  error->sum[1] / error->n[1], error->max[1]);
}

/* Level 1 sums to the slots, children to their parent, and all that. */
static bool node_invariants(const struct td_counts *counts, const __u64 *node)
{
	static const unsigned int pair[][3] = {
		{ TOPDOWN_RETIRING, TOPDOWN_HEAVY_OPERATIONS, TOPDOWN_LIGHT_OPERATIONS },
		{ TOPDOWN_BAD_SPECULATION, TOPDOWN_BRANCH_MISPREDICTS, TOPDOWN_MACHINE_CLEARS },
		{ TOPDOWN_FRONTEND_BOUND, TOPDOWN_FETCH_LATENCY, TOPDOWN_FETCH_BANDWIDTH },
		{ TOPDOWN_BACKEND_BOUND, TOPDOWN_MEMORY_BOUND, TOPDOWN_CORE_BOUND },
	};
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < TD_METRIC_L1; i++)
		sum += node[i];
	if (sum != counts->slots)
		return false;
	for (i = 0; i < 4; i++) {
		if (node[pair[i][1]] + node[pair[i][2]] != node[pair[i][0]])
			return false;
	}
	for (i = 0; i < TD_NODES_METRICS; i++) {
		if (node[i] > counts->slots ||
		    td_ratio(node[i], counts->slots) > TOPDOWN_RATIO_ONE)
			return false;
	}
	return true;
}

static void window_random(struct rng *rng, struct window *window)
{
	struct profile profile;

	profile_random(rng, &profile);
	window_make(&profile, (1ULL << 21) + (rng_next(rng) >> (20 + rng_below(rng, 22))), window);
}

/* Fold as the module does with a window. */
static void window_fold(struct td_counts *counts, struct td_quant *quant, __u64 *node)
{
	memset(node, 0, TOPDOWN_MAX_NODES * sizeof(*node));
	td_counts_fold(counts, quant, 2, node);
}

/* Every case: corrected and not, with the way of making bytes known. */
static void measure(bool round, struct error *plain, struct error *corrected, bool *invariant)
{
	struct rng rng = { .state = round };
	double truth[TD_NODES_METRICS];
	__u64 node[TOPDOWN_MAX_NODES];
	struct td_counts counts;
	struct window window;
	unsigned int i;

	for (i = 0; i < CASES; i++) {
		struct td_quant quant = { .score = round ? -8 : 8 };

		window_random(&rng, &window);
		window_truth(&window, truth);
		window_counts(&window, round, &counts);

		td_counts_to_nodes(&counts, 2, node);
		*invariant &= node_invariants(&counts, node);
		error_add(plain, node, window.slots, truth);

		window_fold(&counts, &quant, node);
		*invariant &= node_invariants(&counts, node);
		error_add(corrected, node, window.slots, truth);
	}
}

static void test_precision(struct ktap *ktap, bool round)
{
	struct error plain = { }, corrected = { };
	bool invariant = true;

	measure(round, &plain, &corrected, &invariant);
	error_note("plain    ", &plain);
	error_note("corrected", &corrected);
	ktap_result(ktap, invariant, round ? "rounded: sums are exact, nothing is out of range" :
		    "truncated: sums are exact, nothing is out of range");
	ktap_result(ktap, corrected.max[0] < LIMIT_L1 && corrected.max[1] < LIMIT_L2,
		    round ? "rounded: level 1 within 0.35 points, level 2 within 0.5" :
		    "truncated: level 1 within 0.35 points, level 2 within 0.5");
	ktap_result(ktap, corrected.max[0] < plain.max[0] &&
		    corrected.sum[0] < plain.sum[0] && corrected.sum[1] <= plain.sum[1],
		    round ? "rounded: better than scaling by the sum" :
		    "truncated: better than scaling by the sum");
}

/* Slots of which whole steps are whole numbers. */
#define LEARN_SLOTS	(255ULL << 24)

static void learn_once(struct td_quant *quant, const struct profile *profile, bool round)
{
	__u64 node[TOPDOWN_MAX_NODES];
	struct td_counts counts;
	struct window window;

	window_make(profile, LEARN_SLOTS, &window);
	window_counts(&window, round, &counts);
	window_fold(&counts, quant, node);
}

static bool learnt_right(const struct td_quant *quant, bool round)
{
	return round ? quant->score < 0 : quant->score > 0;
}

/* Windows of one CPU until what is learnt is right and stays so. */
static unsigned int windows_to_learn(struct rng *rng, bool round, unsigned int limit)
{
	struct td_quant quant = { };
	struct profile profile;
	unsigned int i, learnt = limit;

	for (i = 0; i < limit; i++) {
		profile_balanced(rng, &profile);
		learn_once(&quant, &profile, round);
		if (!learnt_right(&quant, round))
			learnt = limit;
		else if (learnt == limit)
			learnt = i + 1;
	}
	return learnt;
}

static void test_learning(struct ktap *ktap, bool round)
{
	struct rng rng = { .state = 100 + round };
	unsigned int i, windows, worst = 0;

	for (i = 0; i < 2000; i++) {
		windows = windows_to_learn(&rng, round, 200);
		worst = windows > worst ? windows : worst;
	}
	ktap_note("learnt after %u windows at most", worst);
	ktap_result(ktap, worst <= 40, round ? "rounding is learnt within 40 windows" :
		    "truncation is learnt within 40 windows");
}

/* One workload for ever, of any kind: nothing may be learnt, but nothing wrong. */
static void test_never_wrong(struct ktap *ktap, bool round)
{
	struct rng rng = { .state = 200 + round };
	struct profile profile;
	unsigned int i, j, wrong = 0;

	for (i = 0; i < 200000; i++) {
		struct td_quant quant = { };

		profile_random(&rng, &profile);
		for (j = 0; j < 3; j++)
			learn_once(&quant, &profile, round);
		wrong += learnt_right(&quant, !round);
	}
	ktap_note("%u of %u workloads taught the wrong thing", wrong, i);
	ktap_result(ktap, !wrong, round ? "rounding is never taken for truncation" :
		    "truncation is never taken for rounding");
}

static void learn_often(struct rng *rng, struct td_quant *quant, unsigned int windows, bool round)
{
	struct profile profile;

	while (windows--) {
		profile_balanced(rng, &profile);
		learn_once(quant, &profile, round);
	}
}

/* A truncating CPU loses nothing of fractions that are whole steps, as a rounding one. */
static void test_whole_steps(struct ktap *ktap)
{
	struct profile steps = { { 20, 31, 25, 26, 40, 11, 50, 52 } };
	struct td_quant before = { }, after = { };
	struct rng rng = { .state = 300 };
	unsigned int i;

	for (i = 0; i < TD_METRIC_NR; i++)
		steps.part[i] /= 255;
	learn_often(&rng, &before, 10, false);
	for (i = 0; i < 100; i++) {
		learn_once(&before, &steps, false);
		learn_once(&after, &steps, false);
	}
	ktap_result(ktap, learnt_right(&before, false), "whole steps do not undo what was learnt");
	learn_often(&rng, &after, 10, false);
	ktap_result(ktap, learnt_right(&after, false), "what they teach is soon undone");
}

/* Other readers of the group end a window's bytes early: parts of it add up. */
static void test_parts(struct ktap *ktap)
{
	struct td_counts counts, sum;
	double truth[TD_NODES_METRICS];
	__u64 node[TOPDOWN_MAX_NODES];
	struct error error = { };
	struct rng rng = { 7 };
	struct profile profile;
	struct window window;
	unsigned int i, j, k, parts;

	for (i = 0; i < 20000; i++) {
		struct td_quant quant = { .score = 8 };

		profile_balanced(&rng, &profile);
		memset(&sum, 0, sizeof(sum));
		parts = 2 + rng_below(&rng, 30);
		for (j = 0; j < parts; j++) {
			window_make(&profile, (1 << 20) + rng_below(&rng, 1 << 24), &window);
			window_counts(&window, false, &counts);
			sum.slots += counts.slots;
			for (k = 0; k < TD_METRIC_NR; k++)
				sum.metric[k] += counts.metric[k];
		}
		window_fold(&sum, &quant, node);
		window_truth(&window, truth);
		error_add(&error, node, sum.slots, truth);
	}
	error_note("in parts ", &error);
	ktap_result(ktap, error.max[0] < LIMIT_L1 && error.max[1] < LIMIT_L2,
		    "windows of several folds are corrected as one");
}

int main(void)
{
	struct ktap ktap;

	ktap_begin(&ktap, 13);
	test_precision(&ktap, false);
	test_precision(&ktap, true);
	test_learning(&ktap, false);
	test_learning(&ktap, true);
	test_never_wrong(&ktap, false);
	test_never_wrong(&ktap, true);
	test_whole_steps(&ktap);
	test_parts(&ktap);
	return ktap_end(&ktap);
}
