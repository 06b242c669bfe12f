// SPDX-License-Identifier: GPL-2.0
/*
 * Which nodes there are: of a level, of parents, and of those the ones that were counted
 * in all slots, one row a case; and the products that scale a count by its share of the
 * time.
 */
#include <string.h>

#include "formula.h"
#include "ktap.h"
#include "random.h"
#include "sums.h"

/* The tree in numbers, apart from the masks and loops of metrics.h and metrics.c. */
#define LEVEL1		0x200fu
#define OF_RETIRING	0x0030u
#define OF_BAD		0x00c0u
#define OF_FRONTEND	0x0300u
#define OF_BACKEND	0x1c00u
#define ALL		0x3fffu

static void test_levels(struct ktap *ktap)
{
	static const unsigned int children[] = { OF_RETIRING, OF_BAD, OF_FRONTEND, OF_BACKEND };
	unsigned int parents, i;
	bool ok = true;

	ok &= td_nodes_of_level(0) == 0 && td_nodes_of_level(1) == LEVEL1 &&
	      td_nodes_of_level(2) == ALL;
	for (parents = 0; parents < 1 << TD_NR_PARENTS; parents++) {
		unsigned int want = 0;

		for (i = 0; i < TD_NR_PARENTS; i++)
			want |= parents >> i & 1 ? children[i] : 0;
		ok &= td_nodes_of_parents(parents) == want;
	}
	ktap_result(ktap, ok, "levels and parents have their nodes");
}

/* By each ratio itself. */
static bool ratios_are(const struct topdown_figures *figures, unsigned int nodes)
{
	unsigned int i;
	bool ok = true;

	for (i = 0; i < TOPDOWN_MAX_NODES; i++)
		ok &= (figures->ratio[i] != TOPDOWN_RATIO_NONE) == (nodes >> i & 1);
	return ok;
}

/* A fold gives its slots as children_slots to each parent whose children it counts. */
static void test_children(struct ktap *ktap)
{
	static const struct {
		unsigned int nodes;
		uint64_t want[TD_NR_PARENTS];
	} cases[] = {
		{ ALL, { 100, 100, 100, 100 } },
		{ LEVEL1, { 0, 0, 0, 0 } },
		{ LEVEL1 | OF_RETIRING, { 100, 0, 0, 0 } },
		{ LEVEL1 | OF_BAD, { 0, 100, 0, 0 } },
		{ LEVEL1 | OF_FRONTEND, { 0, 0, 100, 0 } },
		{ LEVEL1 | OF_BACKEND, { 0, 0, 0, 100 } },
		/* Atom cores have one of the children of backend bound, and not the others. */
		{ LEVEL1 | 1U << TOPDOWN_RESOURCE_BOUND, { 0, 0, 0, 100 } },
		{ LEVEL1 | 1U << TOPDOWN_LIGHT_OPERATIONS, { 100, 0, 0, 0 } },
		{ 0, { 0, 0, 0, 0 } },
	};
	struct topdown_figures figures;
	unsigned int i;
	bool ok = true;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memset(&figures, 0x5a, sizeof(figures));
		figures.slots = 100;
		td_figures_children(&figures, cases[i].nodes);
		ok &= !memcmp(figures.children_slots, cases[i].want, sizeof(cases[i].want));
	}
	ktap_result(ktap, ok, "children have their slots");
}

/* Children that were not counted in all of the slots have no ratio. */
static void test_partly(struct ktap *ktap)
{
	static const struct {
		unsigned int nodes;
		uint64_t children[TD_NR_PARENTS];
		unsigned int want;
	} cases[] = {
		{ ALL, { 100, 100, 100, 100 }, ALL },
		{ ALL, { 99, 100, 100, 100 }, ALL & ~OF_RETIRING },
		{ ALL, { 100, 0, 100, 100 }, ALL & ~OF_BAD },
		{ ALL, { 100, 100, 1, 100 }, ALL & ~OF_FRONTEND },
		{ ALL, { 100, 100, 100, 99 }, ALL & ~OF_BACKEND },
		{ ALL, { 0, 0, 0, 0 }, LEVEL1 },
		{ LEVEL1 | OF_BAD, { 0, 100, 0, 0 }, LEVEL1 | OF_BAD },
		{ LEVEL1, { 100, 100, 100, 100 }, LEVEL1 },
		/* Nodes of a kernel of tomorrow. */
		{ ~0U, { 100, 100, 100, 100 }, ALL },
	};
	struct td_wide_sum sum = { .slots = 0 };
	struct topdown_figures figures;
	unsigned int i;
	bool ok = true;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		figures = (struct topdown_figures){ .slots = 100 };
		figures.node[TOPDOWN_RETIRING] = 40;
		memcpy(figures.children_slots, cases[i].children, sizeof(cases[i].children));
		td_figures_ratios(&figures, cases[i].nodes);
		ok &= ratios_are(&figures, cases[i].want);
		/* So many that their sum is no number of 64 bits. */
		figures.slots = 1ULL << 63;
		figures.node[TOPDOWN_RETIRING] = 1ULL << 62;
		memset(&sum, 0, sizeof(sum));
		td_wide_sum_add(&sum, &figures);
		td_wide_sum_add(&sum, &figures);
		memcpy(sum.figures.children_slots, cases[i].children, sizeof(cases[i].children));
		sum.figures.slots = 100;
		td_wide_sum_ratios(&sum, cases[i].nodes);
		ok &= ratios_are(&sum.figures, cases[i].want);
		if (!ok)
			ktap_note("case %u", i);
	}
	ktap_result(ktap, ok, "children that were counted for a part have no ratio");
}

/*
 * Sums and differences: of all that grows, and also of what this library does not know
 * yet.
 */
static void test_sums(struct ktap *ktap)
{
	const size_t words = offsetof(struct topdown_figures, ratio) / 8;
	uint64_t *sum, *more;
	struct topdown_figures figures[2];
	unsigned int i;
	bool ok = true;

	sum = (uint64_t *)&figures[0];
	more = (uint64_t *)&figures[1];
	for (i = 0; i < words; i++) {
		sum[i] = 1000 + i;
		more[i] = 3 * i + 1;
	}
	td_figures_add(&figures[0], &figures[1]);
	for (i = 0; i < words; i++)
		ok &= sum[i] == 1001 + 4 * i;
	td_figures_sub(&figures[0], &figures[1]);
	for (i = 0; i < words; i++)
		ok &= sum[i] == 1000 + i;
	ktap_result(ktap, ok, "everything that grows has sums and differences");
}

static void test_figures(struct ktap *ktap)
{
	struct topdown_sums none = { };
	struct topdown_figures figures;
	unsigned int nodes, i;
	bool ok = true;

	td_figures_make(&figures, &none, ALL);
	ok &= !memcmp(&figures, &none, sizeof(none));
	for (i = 0; i < TOPDOWN_MAX_NODES; i++)
		ok &= figures.ratio[i] == TOPDOWN_RATIO_NONE;
	ok &= td_nodes_of_figures(&figures) == 0;

	figures.slots = 100;
	figures.node[TOPDOWN_RETIRING] = 40;
	td_figures_children(&figures, ALL);
	for (nodes = 0; nodes <= ALL; nodes++) {
		td_figures_ratios(&figures, nodes);
		ok &= td_nodes_of_figures(&figures) == nodes;
	}
	/* No slots in any category: no ratios. */
	figures.node[TOPDOWN_RETIRING] = 0;
	td_figures_ratios(&figures, ALL);
	ok &= td_nodes_of_figures(&figures) == 0;
	ktap_result(ktap, ok, "figures have the ratios of their nodes, those without slots none");
}

/* The same in 128 bits. */
static uint64_t product_over(uint64_t a, uint64_t b, uint64_t c, uint64_t most)
{
	unsigned __int128 product = (unsigned __int128)a * b / c;

	return product < most ? (uint64_t)product : most;
}

/* A product over a divisor, rounded down, but at most 2^61. */
static void test_times(struct ktap *ktap)
{
	const uint64_t huge = 1ULL << 61;
	struct rng rng = { 8 };
	unsigned int i;
	bool ok = true;

	ok &= td_times(3, 5, 0) == 0 && td_times(0, 5, 7) == 0 && td_times(10, 10, 7) == 14;
	ok &= td_times(UINT64_MAX, UINT64_MAX, 1) == huge && td_times(huge, 1, 1) == huge;
	ok &= td_times(huge - 1, 1, 1) == huge - 1 && td_times(UINT64_MAX, 3, UINT64_MAX) == 3;
	for (i = 0; i < 100000; i++) {
		uint64_t a = rng_next(&rng) >> rng_below(&rng, 64);
		uint64_t b = rng_next(&rng) >> rng_below(&rng, 64);
		uint64_t c = (rng_next(&rng) >> rng_below(&rng, 64)) | 1;

		ok &= td_times(a, b, c) == product_over(a, b, c, huge);
	}
	ktap_result(ktap, ok, "products over a divisor are exact");
}

/* Each child that is more than the parent is cut, and both are marked. */
static void test_both(struct ktap *ktap)
{
	static const struct {
		int64_t first, second;
		unsigned int want[2];
		bool cut;
	} cases[] = {
		{ 40, 60, { 40, 60 }, false },
		{ 100, 100, { 100, 100 }, false },
		{ 101, 10, { 100, 10 }, true },
		{ 10, 101, { 10, 100 }, true },
		{ -1, 10, { 0, 10 }, true },
	};
	unsigned int i;
	bool ok = true;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct td_slots slots = { .slots = 1000 };

		slots.node[TOPDOWN_FRONTEND_BOUND] = 100;
		td_set_both(&slots, TOPDOWN_FRONTEND_BOUND, cases[i].first, cases[i].second);
		ok &= slots.node[TOPDOWN_FETCH_LATENCY] == cases[i].want[0] &&
		      slots.node[TOPDOWN_FETCH_BANDWIDTH] == cases[i].want[1] &&
		      slots.clamped == cases[i].cut * OF_FRONTEND;
	}
	ktap_result(ktap, ok, "of two children that are counted each is cut");
}

/* Counts of 2^58 are none; what is not of the family is not looked at. */
static void test_sane(struct ktap *ktap)
{
	const struct td_formula *formula = &td_atom_glm;
	struct td_sample sample = { .width = 4, .level = 1 };
	struct td_slots slots;
	bool ok = true;

	sample.count[0] = (1ULL << TD_COUNT_BITS) - 1;
	sample.count[formula->nr_events] = UINT64_MAX;
	td_formula_eval(formula, &sample, &slots);
	ok &= slots.slots == 4 * sample.count[0];
	sample.count[0]++;
	td_formula_eval(formula, &sample, &slots);
	ok &= !slots.slots;
	ktap_result(ktap, ok, "counts of years are none");
}

int main(void)
{
	struct ktap ktap;

	ktap_begin(&ktap, 8);
	test_levels(&ktap);
	test_children(&ktap);
	test_partly(&ktap);
	test_sums(&ktap);
	test_figures(&ktap);
	test_times(&ktap);
	test_both(&ktap);
	test_sane(&ktap);
	return ktap_end(&ktap);
}
