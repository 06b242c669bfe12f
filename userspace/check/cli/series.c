// SPDX-License-Identifier: GPL-2.0
/*
 * Figures over time: nothing is lost or made when windows are spread over steps, and ranks are
 * those of the definition.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sums.h"
#include "../check.h"
#include "series.h"

static struct topdown_figures figures_of(uint64_t slots, unsigned int percent)
{
	struct topdown_figures figures = {
		.enabled_ns = slots / 6, .running_ns = slots / 7, .slots = slots,
		.cycles = slots / 6, .instructions = slots / 4, .busy_ns = slots / 8,
	};

	figures.node[TOPDOWN_RETIRING] = slots * percent / 100;
	figures.node[TOPDOWN_BACKEND_BOUND] = slots - figures.node[TOPDOWN_RETIRING];
	td_figures_children(&figures, TD_NODES_METRICS_L1);
	td_figures_ratios(&figures, TD_NODES_METRICS_L1);
	return figures;
}

static bool is_same(const struct topdown_figures *one, const struct topdown_figures *other)
{
	return !memcmp(one, other, offsetof(struct topdown_figures, ratio));
}

static struct topdown_figures sum_of(const struct series *series)
{
	struct topdown_figures sum = { .slots = 0 };
	size_t i;

	for (i = 0; i < series->nr; i++)
		topdown_figures_add(&sum, &series->step[i], 2);
	return sum;
}

/* Windows of any length, some over many steps, some in one; steps get longer meanwhile. */
static void test_sums(void)
{
	struct topdown_figures all = { .slots = 0 }, sum;
	uint64_t at_ns = 1000, length_ns;
	struct series series, joined;
	unsigned int i;

	series_begin(&series, at_ns, 1000, 2);
	for (i = 0; i < 50000; i++) {
		struct topdown_figures figures = figures_of(rand() * 1000ULL, rand() % 101);

		length_ns = 1 + rand() % (i % 10 ? 1500 : 9000);
		series_add(&series, at_ns, at_ns + length_ns, &figures);
		topdown_figures_add(&all, &figures, 2);
		at_ns += length_ns;
	}
	sum = sum_of(&series);
	check(is_same(&all, &sum), "no slot is lost or made");
	check(series.nr <= SERIES_STEPS_MAX && series.nr > SERIES_STEPS_MAX / 2,
	      "a long recording has longer steps");
	check(series.step_ns * series.nr >= at_ns - 1000 &&
	      series.step_ns * (series.nr - 1) < at_ns - 1000, "longer steps lack nothing");
	series_join(&joined, &series, 20);
	sum = sum_of(&joined);
	check(is_same(&all, &sum) && joined.nr <= 20, "steps are joined");
	series_free(&joined);
	series_free(&series);
}

static void test_places(void)
{
	struct topdown_figures figures = figures_of(1000, 40);
	struct series series;

	series_begin(&series, 10000, 100, 2);
	series_add(&series, 9900, 10100, &figures);
	series_add(&series, 10250, 10350, &figures);
	series_add(&series, 9000, 10000, &figures);
	check(series.nr == 4 && series.step[0].slots == 500 && !series.step[1].slots &&
	      series.step[2].slots == 500 && series.step[3].slots == 500,
	      "windows lie where they were");
	check(series.step[0].node[TOPDOWN_RETIRING] == 200 &&
	      series.step[0].ratio[TOPDOWN_RETIRING] == TOPDOWN_RATIO_ONE / 10 * 4,
	      "the steps have the slots of their windows");
	series_free(&series);
}

static bool near(double one, double other)
{
	return fabs(one - other) < 1e-6;
}

static void test_ranks(void)
{
	struct series_ranks ranks[TD_NR_NODES];
	struct series series;
	unsigned int i;

	series_begin(&series, 0, 10, 2);
	/* 0, 1, ... 100 percent, in another order, and steps without slots between. */
	for (i = 0; i <= 100; i++) {
		struct topdown_figures figures = figures_of(1000, i * 37 % 101);

		series_add(&series, i * 20, i * 20 + 10, &figures);
	}
	series_ranks(&series, ranks);
	check(!ranks[0].none && near(ranks[0].ratio[0], 0.05) && near(ranks[0].ratio[1], 0.5) &&
	      near(ranks[0].ratio[2], 0.95), "101 steps have 5, 50 and 95 percent");
	check(ranks[TOPDOWN_MEMORY_BOUND].none, "a node without steps has no rank");
	series_free(&series);
	series_begin(&series, 0, 10, 2);
	for (i = 0; i < 2; i++) {
		struct topdown_figures figures = figures_of(1000, i * 100);

		series_add(&series, i * 10, i * 10 + 10, &figures);
	}
	series_ranks(&series, ranks);
	check(near(ranks[0].ratio[0], 0.05) && near(ranks[0].ratio[1], 0.5) &&
	      near(ranks[0].ratio[2], 0.95), "a rank may lie between two steps");
	series_free(&series);
}

/* 15 whole steps, and 15 ms of another with other figures. */
static void test_end(void)
{
	struct topdown_figures whole = figures_of(1000, 40), rest = figures_of(15, 10);
	struct series_ranks ranks[TD_NR_NODES];
	struct series series, joined;
	unsigned int i;

	series_begin(&series, 500, 1000, 2);
	for (i = 0; i < 15; i++)
		series_add(&series, 500 + i * 1000, 1500 + i * 1000, &whole);
	series_add(&series, 15500, 15515, &rest);
	series.end_ns = 15515;
	check(series.nr == 16 && series_step_begin(&series, 15) == 15500 &&
	      series_step_end(&series, 15) == 15515 && series_step_end(&series, 14) == 15500,
	      "the last step ends with the recording");
	series_ranks(&series, ranks);
	check(near(ranks[0].ratio[0], 0.4), "what is left for it is no rank");
	series_join(&joined, &series, 8);
	check(joined.nr == 8 && series_step_end(&joined, 7) == 15515, "joined steps end in time");
	series_free(&joined);
	series.nr = 1;
	series.end_ns = 600;
	series_ranks(&series, ranks);
	check(!ranks[0].none, "a short recording has no other");
	series_free(&series);
}

int main(void)
{
	ktap_begin(&ktap, 13);
	test_sums();
	test_places();
	test_ranks();
	test_end();
	return ktap_end(&ktap);
}
