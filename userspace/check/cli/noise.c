// SPDX-License-Identifier: GPL-2.0
/*
 * The test of differences: its distribution, how often it is wrong where nothing has changed, and
 * whether it sees what has.
 */
#include <math.h>
#include <stdlib.h>

#include "sums.h"
#include "../check.h"
#include "../random.h"
#include "noise.h"

#define SLOTS		1000000

/* Steps about @mean. Each is so much like the one before as @related says. */
static void make(struct series *series, size_t steps, double mean, double spread, double related)
{
	double value = random_normal();
	size_t i;

	series_begin(series, 0, 10, 2);
	for (i = 0; i < steps; i++) {
		double ratio = fmin(fmax(mean + spread * value, 0), 1);
		struct topdown_figures figures = { .slots = SLOTS * (0.5 + random_uniform()) };

		figures.node[0] = figures.slots * ratio;
		figures.node[3] = figures.slots - figures.node[0];
		td_figures_children(&figures, TD_NODES_METRICS_L1);
		td_figures_ratios(&figures, TD_NODES_METRICS_L1);
		series_add(series, i * 10, i * 10 + 10, &figures);
		value = related * value + sqrt(1 - related * related) * random_normal();
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
	      near(noise_student(0, 5), 1, 1e-12), "Student's t is as in tables");
}

/* As make(), with phases of about @length steps, which add @amplitude spreads or take them. */
static void make_phases(struct series *series, size_t steps, double amplitude, unsigned int length)
{
	double sign = random_uniform() < 0.5 ? -1 : 1;
	size_t i;

	series_begin(series, 0, 10, 2);
	for (i = 0; i < steps; i++) {
		struct topdown_figures figures = { .slots = SLOTS };

		figures.node[0] = SLOTS * (0.4 + 0.02 * (random_normal() + sign * amplitude));
		figures.node[3] = figures.slots - figures.node[0];
		td_figures_children(&figures, TD_NODES_METRICS_L1);
		td_figures_ratios(&figures, TD_NODES_METRICS_L1);
		series_add(series, i * 10, i * 10 + 10, &figures);
		if (random_uniform() * length < 1)
			sign = -sign;
	}
}

static enum noise_verdict compare_phases(size_t steps, double amplitude, unsigned int length)
{
	struct noise_difference difference;
	struct series before, after;

	make_phases(&before, steps, amplitude, length);
	make_phases(&after, steps, amplitude, length);
	noise_mean(&difference.before, &before, TOPDOWN_RETIRING);
	noise_mean(&difference.after, &after, TOPDOWN_RETIRING);
	noise_compare(&difference, 1);
	series_free(&before);
	series_free(&after);
	return difference.verdict;
}

/* Chance is the subject of the program as it is delivered, and not of the sanitizers. */
#ifdef __SANITIZE_ADDRESS__
#define PAIRS		50
#else
#define PAIRS		1000
#endif

/* Wrong alarms in percent of the verdicts, of which there may be none. */
static bool is_rare(const char *what, size_t steps, unsigned int wrong, unsigned int verdicts)
{
	ktap_note("%s, %zu steps: %u verdicts of %u pairs, %.1f%% of them wrong alarms", what,
		  steps, verdicts, PAIRS, verdicts ? wrong * 100.0 / verdicts : 0);
	/* With chance as large as that of a binomial. */
	return wrong <= verdicts * 0.05 + 2 * sqrt(verdicts * 0.05);
}

static bool alarms_of_related(double related, size_t steps)
{
	struct noise_difference difference;
	unsigned int i, wrong = 0, verdicts = 0;
	char what[32];

	for (i = 0; i < PAIRS; i++) {
		enum noise_verdict verdict = compare(steps, 0, 0.05, related, &difference);

		wrong += verdict == NOISE_BEYOND;
		verdicts += verdict != NOISE_UNKNOWN;
	}
	snprintf(what, sizeof(what), "AR(1) %.1f", related);
	return is_rare(what, steps, wrong, verdicts);
}

static bool alarms_of_phases(double amplitude, unsigned int length, size_t steps)
{
	unsigned int i, wrong = 0, verdicts = 0;
	char what[48];

	for (i = 0; i < PAIRS; i++) {
		enum noise_verdict verdict = compare_phases(steps, amplitude, length);

		wrong += verdict == NOISE_BEYOND;
		verdicts += verdict != NOISE_UNKNOWN;
	}
	snprintf(what, sizeof(what), "phases of %u steps, %.1f spreads", length, amplitude);
	return is_rare(what, steps, wrong, verdicts);
}

static void test_alarms(void)
{
	static const size_t steps[] = { 16, 60, 300 };
	bool alone = true, some = true, much = true, phases = true;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		alone &= alarms_of_related(0, steps[i]);
		some &= alarms_of_related(0.5, steps[i]);
		much &= alarms_of_related(0.9, steps[i]);
		phases &= alarms_of_phases(0.3, 10, steps[i]);
		phases &= alarms_of_phases(1, 10, steps[i]);
		phases &= alarms_of_phases(1, 30, steps[i]);
		phases &= alarms_of_phases(3, 10, steps[i]);
	}
	check(alone, "5% of wrong alarms are raised at most for steps that are independent");
	check(some, "5% of wrong alarms are raised at most for steps that are alike");
	check(much, "5% of wrong alarms are raised at most for steps that change slowly");
	check(phases, "5% of wrong alarms are raised at most for ten phases");
}

static void test_power(void)
{
	double large = percent(NOISE_BEYOND, 256, 0.05, 0.05, 0.5);
	double small = percent(NOISE_BEYOND, 256, 0.0005, 0.00001, 0);

	ktap_note("seen: %.1f%% of 5 points", large);
	check(large > 80, "a change as large as the spread is seen");
	check(small == 0, "a change below a step of the counters is none");
}

/* A window over all steps is one value, and not as many as there are steps. */
static enum noise_verdict compare_long(uint64_t length, double more)
{
	struct noise_difference difference;
	struct series series[2];
	unsigned int i;
	uint64_t at;

	for (i = 0; i < 2; i++) {
		series_begin(&series[i], 0, 10, 2);
		for (at = 0; at < 3000; at += length) {
			struct topdown_figures figures = { .slots = SLOTS };

			figures.node[0] = SLOTS * (0.4 + i * more + 0.01 * random_uniform());
			figures.node[3] = figures.slots - figures.node[0];
			td_figures_children(&figures, TD_NODES_METRICS_L1);
			td_figures_ratios(&figures, TD_NODES_METRICS_L1);
			series_add(&series[i], at, at + length, &figures);
		}
	}
	noise_mean(&difference.before, &series[0], TOPDOWN_RETIRING);
	noise_mean(&difference.after, &series[1], TOPDOWN_RETIRING);
	noise_compare(&difference, 1);
	series_free(&series[0]);
	series_free(&series[1]);
	return difference.verdict;
}

static void test_short(void)
{
	struct noise_difference difference;

	check(compare(NOISE_STEPS_MIN - 1, 0.1, 0.01, 0, &difference) == NOISE_UNKNOWN &&
	      isnan(difference.p), "few steps say nothing");
	check(compare(200, 0.1, 0.01, 0, &difference) == NOISE_BEYOND, "many steps say something");
	check(compare_long(3000, 0.1) == NOISE_UNKNOWN && compare_long(500, 0.1) == NOISE_UNKNOWN &&
	      compare_long(10, 0.1) == NOISE_BEYOND, "long windows are no steps");
	check(compare(200, 0.1, 0, 0, &difference) == NOISE_UNKNOWN, "no spread is not believed");
	check(compare(200, 0, 0, 0, &difference) == NOISE_WITHIN, "equal steps do not differ");
	noise_mean(&difference.before, &(struct series){ .nr = 0 }, TOPDOWN_RETIRING);
	check(!difference.before.known && isnan(difference.before.mean), "no mean is no number");
}

/* The interval has the difference in 95% of all cases at least. */
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
	check(known > 300 && nr > known * 94 / 100,
	      "95% of the intervals have the difference");
}

int main(void)
{
	ktap_begin(&ktap, 14);
	test_student();
	test_alarms();
	test_power();
	test_short();
	test_interval();
	return ktap_end(&ktap);
}
