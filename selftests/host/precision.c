// SPDX-License-Identifier: GPL-2.0
/*
 * How far the figures of one window, and of many, are from the exact truth, over random
 * profiles, with bytes truncated, rounded and with a rest; and that a CPU's way of making
 * bytes is learnt.  The documentation may claim only the limits that are asserted here.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ktap.h"
#include "random.h"

#define CASES		(1U << 20)

/*
 * Percentage points, of one window.  Many windows average most of it out.  A rest has what
 * three bytes lost, which is half a step each on average: three halves of a step are 0.59,
 * and machine clears are that less a byte of its own.
 */
static const struct limit {
	double l1, l2;
} limits[WAYS] = {
	[WAY_TRUNCATE]	= { 0.35, 0.50 },
	[WAY_ROUND]	= { 0.35, 0.50 },
	[WAY_REST]	= { 0.59, 0.79 },
};

/* Of many windows in a row. */
#define LIMIT_MANY	0.05
#define MANY		2000

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

static struct td_quant quant_known(enum way way)
{
	static const struct td_quant known[WAYS] = {
		[WAY_TRUNCATE]	= { .score = 8, .rest = -8 },
		[WAY_ROUND]	= { .score = -8, .rest = -8 },
		[WAY_REST]	= { .rest = 8 },
	};

	return known[way];
}

/* Every case: corrected and not, with the way of making bytes known. */
static void measure(enum way way, struct error *plain, struct error *corrected, bool *invariant)
{
	struct rng rng = { .state = way };
	double truth[TD_NODES_METRICS];
	__u64 node[TOPDOWN_MAX_NODES];
	struct td_counts counts;
	struct window window;
	unsigned int i;

	for (i = 0; i < CASES; i++) {
		struct td_quant quant = quant_known(way);

		window_random(&rng, &window);
		window_truth(&window, truth);
		window_counts(&window, way, &counts);

		td_counts_to_nodes(&counts, 2, node);
		*invariant &= node_invariants(&counts, node);
		error_add(plain, node, window.slots, truth);

		window_fold(&counts, &quant, node);
		*invariant &= node_invariants(&counts, node);
		error_add(corrected, node, window.slots, truth);
	}
}

static void test_precision(struct ktap *ktap, enum way way)
{
	struct error plain = { }, corrected = { };
	bool invariant = true;

	measure(way, &plain, &corrected, &invariant);
	error_note("plain    ", &plain);
	error_note("corrected", &corrected);
	ktap_result(ktap, invariant, "%s: sums are exact, nothing is out of range", way_name[way]);
	ktap_result(ktap, corrected.max[0] < limits[way].l1 && corrected.max[1] < limits[way].l2,
		    "%s: level 1 is within %.2f points, level 2 within %.2f", way_name[way],
		    limits[way].l1, limits[way].l2);
	ktap_result(ktap, corrected.max[0] < plain.max[0] &&
		    corrected.sum[0] < plain.sum[0] && corrected.sum[1] <= plain.sum[1],
		    "%s: correcting is better than scaling by the sum", way_name[way]);
}

/* Nothing is known at first: the sums of a program whose phases are alike in length. */
static void test_many(struct ktap *ktap, enum way way)
{
	double sum[TD_NODES_METRICS] = { }, part[TD_NODES_METRICS] = { }, truth[TD_NODES_METRICS];
	struct rng rng = { .state = 400 + way };
	struct td_quant quant = { };
	__u64 node[TOPDOWN_MAX_NODES];
	struct td_counts counts;
	struct profile profile;
	struct window window;
	unsigned int i, j;
	double worst = 0;

	for (i = 0; i < MANY; i++) {
		profile_balanced(&rng, &profile);
		window_make(&profile, 1ULL << 30, &window);
		window_truth(&window, truth);
		window_counts(&window, way, &counts);
		window_fold(&counts, &quant, node);
		for (j = 0; j < TD_NODES_METRICS; j++) {
			sum[j] += truth[j];
			part[j] += (double)node[j] / window.slots;
		}
	}
	for (j = 0; j < TD_NODES_METRICS; j++)
		worst = fmax(worst, 100 * fabs(part[j] - sum[j]) / MANY);
	ktap_note("%u windows: worst node %.3f points", MANY, worst);
	ktap_result(ktap, worst < LIMIT_MANY, "%s: many windows are within %.2f points",
		    way_name[way], LIMIT_MANY);
}

/* Slots of which whole steps are whole numbers. */
#define LEARN_SLOTS	(255ULL << 24)

static void learn_once(struct td_quant *quant, const struct profile *profile, enum way way)
{
	__u64 node[TOPDOWN_MAX_NODES];
	struct td_counts counts;
	struct window window;

	window_make(profile, LEARN_SLOTS, &window);
	window_counts(&window, way, &counts);
	window_fold(&counts, quant, node);
}

static bool learnt(const struct td_quant *quant, enum way way)
{
	if (way == WAY_REST || quant->rest > 0)
		return way == WAY_REST && quant->rest > 0;
	return way == WAY_ROUND ? quant->score < 0 : quant->score > 0;
}

/* Windows of one CPU until what is learnt is right and stays so. */
static unsigned int windows_to_learn(struct rng *rng, enum way way, unsigned int limit)
{
	struct td_quant quant = { };
	struct profile profile;
	unsigned int i, after = limit;

	for (i = 0; i < limit; i++) {
		profile_balanced(rng, &profile);
		learn_once(&quant, &profile, way);
		if (!learnt(&quant, way))
			after = limit;
		else if (after == limit)
			after = i + 1;
	}
	return after;
}

static void test_learning(struct ktap *ktap, enum way way)
{
	struct rng rng = { .state = 100 + way };
	unsigned int i, windows, worst = 0;

	for (i = 0; i < 2000; i++) {
		windows = windows_to_learn(&rng, way, 200);
		worst = windows > worst ? windows : worst;
	}
	ktap_note("learnt after %u windows at most", worst);
	ktap_result(ktap, worst <= 40, "%s: it is learnt within 40 windows", way_name[way]);
}

/*
 * One workload for ever, of any kind: nothing may be learnt, but nothing wrong.  Rounded bytes
 * of one workload sum to 255 in two cases of three, and then nobody can tell them from a rest.
 */
static void test_never_wrong(struct ktap *ktap, enum way way)
{
	enum way other = way == WAY_ROUND ? WAY_TRUNCATE : WAY_ROUND;
	struct rng rng = { .state = 200 + way };
	struct profile profile;
	unsigned int i, j, wrong = 0;

	for (i = 0; i < 200000; i++) {
		struct td_quant quant = { };

		profile_random(&rng, &profile);
		for (j = 0; j < 3; j++)
			learn_once(&quant, &profile, way);
		wrong += learnt(&quant, other) || (way == WAY_TRUNCATE && learnt(&quant, WAY_REST));
	}
	ktap_note("%u of %u workloads taught the wrong thing", wrong, i);
	ktap_result(ktap, !wrong, "%s: it is never taken for %s", way_name[way], way_name[other]);
}

static void learn_often(struct rng *rng, struct td_quant *quant, unsigned int windows,
			enum way way)
{
	struct profile profile;

	while (windows--) {
		profile_balanced(rng, &profile);
		learn_once(quant, &profile, way);
	}
}

/* A truncating CPU loses nothing of fractions that are whole steps, as other ones. */
static void test_whole_steps(struct ktap *ktap)
{
	struct profile steps = { { 20, 31, 25, 26, 40, 11, 50, 52 } };
	struct td_quant before = { }, after = { };
	struct rng rng = { .state = 300 };
	unsigned int i;

	for (i = 0; i < TD_METRIC_NR; i++)
		steps.part[i] /= 255;
	learn_often(&rng, &before, 10, WAY_TRUNCATE);
	for (i = 0; i < 100; i++) {
		learn_once(&before, &steps, WAY_TRUNCATE);
		learn_once(&after, &steps, WAY_TRUNCATE);
	}
	ktap_result(ktap, learnt(&before, WAY_TRUNCATE), "whole steps do not undo what was learnt");
	learn_often(&rng, &after, 10, WAY_TRUNCATE);
	ktap_result(ktap, learnt(&after, WAY_TRUNCATE), "what they teach is soon undone");
}

/* Rounded bytes of one program have no deficit for hours: it is one piece of evidence. */
static void test_long_run(struct ktap *ktap)
{
	struct rng rng = { .state = 500 };
	struct td_quant quant = { };
	struct profile profile = { { 0.2004, 0.2004, 0.2004, 0.3988, 0.1, 0.1, 0.1, 0.1 } };
	unsigned int i;

	learn_often(&rng, &quant, 30, WAY_ROUND);
	for (i = 0; i < 10000; i++)
		learn_once(&quant, &profile, WAY_ROUND);
	ktap_result(ktap, learnt(&quant, WAY_ROUND), "rounded: one program for hours makes no rest");
}

/* Whoever else has the counters may spoil windows, and for long: what was learnt comes back. */
static void test_healed(struct ktap *ktap)
{
	struct rng rng = { .state = 600 };
	struct td_quant quant = { };

	learn_often(&rng, &quant, 1000, WAY_TRUNCATE);
	learn_often(&rng, &quant, 150, WAY_REST);
	ktap_result(ktap, learnt(&quant, WAY_REST), "with a rest: spoilt windows are forgotten");
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
		struct td_quant quant = quant_known(WAY_TRUNCATE);

		profile_balanced(&rng, &profile);
		memset(&sum, 0, sizeof(sum));
		parts = 2 + rng_below(&rng, 30);
		for (j = 0; j < parts; j++) {
			window_make(&profile, (1 << 20) + rng_below(&rng, 1 << 24), &window);
			window_counts(&window, WAY_TRUNCATE, &counts);
			sum.slots += counts.slots;
			for (k = 0; k < TD_METRIC_NR; k++)
				sum.metric[k] += counts.metric[k];
		}
		window_fold(&sum, &quant, node);
		window_truth(&window, truth);
		error_add(&error, node, sum.slots, truth);
	}
	error_note("in parts ", &error);
	ktap_result(ktap, error.max[0] < limits[WAY_TRUNCATE].l1 &&
		    error.max[1] < limits[WAY_TRUNCATE].l2,
		    "windows of several folds are corrected as one");
}

int main(void)
{
	struct ktap ktap;
	enum way way;

	ktap_begin(&ktap, WAYS * 6 + 5);
	for (way = 0; way < WAYS; way++) {
		test_precision(&ktap, way);
		test_many(&ktap, way);
		test_learning(&ktap, way);
		test_never_wrong(&ktap, way);
	}
	test_whole_steps(&ktap);
	test_long_run(&ktap);
	test_healed(&ktap);
	test_parts(&ktap);
	return ktap_end(&ktap);
}
