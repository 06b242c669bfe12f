// SPDX-License-Identifier: GPL-2.0
/*
 * The test of differences: its distribution, how often it is wrong where nothing has changed, and
 * whether it sees what has.
 */
#include <math.h>
#include <stdlib.h>

#include "../../../kmod/metrics.h"
#include "../../cli/noise.h"
#include "../check.h"

#define SLOTS		1000000

/* Numerical Recipes' generator, so that each run is the same. */
static uint32_t state = 1;

static double uniform(void)
{
	state = state * 1664525 + 1013904223;
	return (state + 0.5) / 4294967296.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* Steps about @mean. Each is so much like the one before as @related says. */
static void make(struct series *series, size_t steps, double mean, double spread, double related)
{
	double value = normal();
	size_t i;

	series_begin(series, 0, 10, 2);
	for (i = 0; i < steps; i++) {
		double ratio = fmin(fmax(mean + spread * value, 0), 1);
		struct topdown_figures figures = { .slots = SLOTS * (0.5 + uniform()) };

		figures.node[0] = figures.slots * ratio;
		figures.node[3] = figures.slots - figures.node[0];
		td_figures_children(&figures, TD_NODES_METRICS_L1);
		td_figures_ratios(&figures, TD_NODES_METRICS_L1);
		series_add(series, i * 10, i * 10 + 10, &figures);
		value = related * value + sqrt(1 - related * related) * normal();
	}
}

static enum noise_verdict compare(size_t steps, double more, double spread, double related,
				  struct noise_difference *difference)
{
	struct series before, after;

	make(&before, steps, 0.4, spread, related);
	make(&after, steps, 0.4 + more, spread, related);
	noise_mean(&difference->before, &before, TOPDOWN_RETIRING);
	noise_mean(&difference->after, &after, TOPDOWN_RETIRING);
	noise_compare(difference, 1);
	series_free(&before);
	series_free(&after);
	return difference->verdict;
}

/* Percent of 400 comparisons with this verdict. */
static double percent(enum noise_verdict verdict, size_t steps, double more, double spread,
		      double related)
{
	struct noise_difference difference;
	unsigned int i, nr = 0;

	for (i = 0; i < 400; i++)
		nr += compare(steps, more, spread, related, &difference) == verdict;
	return nr / 4.0;
}

static bool near(double one, double other, double within)
{
	return fabs(one - other) < within;
}

/* Tables of Student's t: two-sided 5%, 1% and 0.1%. */
static void test_student(void)
{
	check(near(noise_student(12.7062, 1), 0.05, 1e-6) &&
	      near(noise_student(2.22814, 10), 0.05, 1e-6) &&
	      near(noise_student(2.97882, 14.0), 0.00996, 1e-3) &&
	      near(noise_student(3.16927, 10), 0.01, 1e-6) &&
	      near(noise_student(3.64596, 30), 0.001, 1e-6) &&
	      near(noise_student(1.95996, 1e7), 0.05, 1e-5) &&
	      near(noise_student(0, 5), 1, 1e-12), "Student's t as in tables");
}

static void test_alarms(void)
{
	double alone = percent(NOISE_BEYOND, 256, 0, 0.05, 0);
	double related = percent(NOISE_BEYOND, 256, 0, 0.05, 0.8);
	double slow = percent(NOISE_BEYOND, 256, 0, 0.05, 0.98);

	ktap_note("wrong alarms: %.1f%%, with steps that are related %.1f%% and %.1f%%", alone,
		  related, slow);
	check(alone > 1 && alone < 9, "5% of wrong alarms for steps that are independent");
	check(related < 11, "and not many more if steps are alike");
	check(slow < 15, "or change slowly");
}

static void test_power(void)
{
	double large = percent(NOISE_BEYOND, 256, 0.05, 0.05, 0.5);
	double small = percent(NOISE_BEYOND, 256, 0.0005, 0.00001, 0);

	ktap_note("seen: %.1f%% of 5 points", large);
	check(large > 90, "a change as large as the spread is seen");
	check(small == 0, "a change below a step of the counters is none");
}

static void test_short(void)
{
	struct noise_difference difference;

	check(compare(7, 0.1, 0.01, 0, &difference) == NOISE_UNKNOWN && isnan(difference.p),
	      "seven steps say nothing");
	check(compare(8, 0.1, 0.01, 0, &difference) != NOISE_UNKNOWN ||
	      difference.before.related || difference.after.related, "eight do");
	check(compare(64, 0.1, 0, 0, &difference) == NOISE_BEYOND && difference.p < 1e-3,
	      "no spread at all");
	check(compare(64, 0, 0, 0, &difference) == NOISE_WITHIN, "and no difference either");
}

/* The interval has the difference in 95% of all cases. */
static void test_interval(void)
{
	struct noise_difference difference;
	unsigned int i, nr = 0, known = 0;

	for (i = 0; i < 400; i++) {
		if (compare(512, 0.03, 0.05, 0.5, &difference) == NOISE_UNKNOWN)
			continue;
		known++;
		nr += near(difference.difference, 0.03, difference.error);
	}
	ktap_note("%u of %u intervals have the difference", nr, known);
	check(known > 300 && nr > known * 90 / 100 && nr < known * 99 / 100,
	      "95% of the intervals have the difference");
}

int main(void)
{
	ktap_begin(&ktap, 11);
	test_student();
	test_alarms();
	test_power();
	test_short();
	test_interval();
	return ktap_end(&ktap);
}
