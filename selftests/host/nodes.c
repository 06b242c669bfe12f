// SPDX-License-Identifier: GPL-2.0
/*
 * Which nodes there are: of a level, of parents, since a time and of a window, one row
 * a case; and the products that scale a count by its share of the time.
 */
#include <string.h>

#include "formula.h"
#include "ktap.h"
#include "random.h"

/* The tree in numbers, apart from the masks and loops of metrics.h and metrics.c. */
#define LEVEL1		0x200fu
#define OF_RETIRING	0x0030u
#define OF_BAD		0x00c0u
#define OF_FRONTEND	0x0300u
#define OF_BACKEND	0x1c00u
#define ALL		0x3fffu

#define TIME		1000

static void test_levels(struct ktap *ktap)
{
	static const unsigned int children[] = { OF_RETIRING, OF_BAD, OF_FRONTEND, OF_BACKEND };
	unsigned int parents, i;
	bool ok = true;

	ok &= td_nodes_of_level(0) == 0 && td_nodes_of_level(1) == LEVEL1 &&
	      td_nodes_of_level(2) == ALL;
	for (parents = 0; parents < 1 << TOPDOWN_NR_PARENTS; parents++) {
		unsigned int want = 0;

		for (i = 0; i < TOPDOWN_NR_PARENTS; i++)
			want |= parents >> i & 1 ? children[i] : 0;
		ok &= td_nodes_of_parents(parents) == want;
	}
	ktap_result(ktap, ok, "nodes of levels and of parents");
}

/* The children of a node that was counted later than asked for are not there. */
static void test_since(struct ktap *ktap)
{
	static const struct {
		unsigned int nodes;
		uint64_t since[TOPDOWN_NR_PARENTS];
		unsigned int want;
	} cases[] = {
		{ ALL, { 0, 0, 0, 0 }, ALL },
		{ ALL, { TIME, TIME, TIME, TIME }, ALL },
		{ ALL, { TIME + 1, 0, 0, 0 }, ALL & ~OF_RETIRING },
		{ ALL, { 0, TIME + 1, 0, 0 }, ALL & ~OF_BAD },
		{ ALL, { 0, 0, TIME + 1, 0 }, ALL & ~OF_FRONTEND },
		{ ALL, { 0, 0, 0, TIME + 1 }, ALL & ~OF_BACKEND },
		{ ALL, { UINT64_MAX, TIME, UINT64_MAX, TIME - 1 }, LEVEL1 | OF_BAD | OF_BACKEND },
		{ LEVEL1 | OF_BAD, { 0, TIME + 1, 0, 0 }, LEVEL1 },
		{ LEVEL1, { 0, 0, 0, 0 }, LEVEL1 },
	};
	struct topdown_record record = { };
	unsigned int i;
	bool ok = true;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		record.nodes = cases[i].nodes;
		memcpy(record.since_ns, cases[i].since, sizeof(record.since_ns));
		if (td_nodes_since(&record, TIME) == cases[i].want)
			continue;
		ktap_note("case %u: %#x since then, and not %#x", i,
			  td_nodes_since(&record, TIME), cases[i].want);
		ok = false;
	}
	ktap_result(ktap, ok, "nodes since a time");
}

/* A node is of a window if it was counted before the window's end. */
static void test_window(struct ktap *ktap)
{
	static const struct {
		uint64_t end, since;
		unsigned int want;
	} cases[] = {
		{ TIME, 0, ALL },
		{ TIME, TIME - 1, ALL },
		{ TIME, TIME, ALL & ~OF_FRONTEND },
		{ TIME, TIME + 1, ALL & ~OF_FRONTEND },
		{ 0, 0, ALL },
		{ 0, 1, ALL & ~OF_FRONTEND },
	};
	struct topdown_record record = { .nodes = ALL };
	unsigned int i;
	bool ok = true;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		record.window_time_ns = cases[i].end;
		record.since_ns[TOPDOWN_FRONTEND_BOUND] = cases[i].since;
		ok &= td_nodes_of_window(&record) == cases[i].want;
	}
	ktap_result(ktap, ok, "nodes of a window");
}

static void test_figures(struct ktap *ktap)
{
	struct topdown_figures figures, none = { };
	unsigned int nodes, i;
	bool ok = true;

	memset(&figures, 0x5a, sizeof(figures));
	td_figures_clear(&figures);
	ok &= !memcmp(&figures, &none, offsetof(struct topdown_figures, ratio));
	for (i = 0; i < TOPDOWN_MAX_NODES; i++)
		ok &= figures.ratio[i] == TOPDOWN_RATIO_NONE;
	ok &= td_nodes_of_figures(&figures) == 0;

	figures.slots = 100;
	figures.node[TOPDOWN_RETIRING] = 40;
	for (nodes = 0; nodes <= ALL; nodes++) {
		td_figures_ratios(&figures, nodes);
		ok &= td_nodes_of_figures(&figures) == nodes;
	}
	/* No slots in any category: no ratios. */
	figures.node[TOPDOWN_RETIRING] = 0;
	td_figures_ratios(&figures, ALL);
	ok &= td_nodes_of_figures(&figures) == 0;
	ktap_result(ktap, ok, "figures have the ratios of their nodes, cleared ones none");
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
	ktap_result(ktap, ok, "products over a divisor");
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

	ktap_begin(&ktap, 7);
	test_levels(&ktap);
	test_since(&ktap);
	test_window(&ktap);
	test_figures(&ktap);
	test_times(&ktap);
	test_both(&ktap);
	test_sane(&ktap);
	return ktap_end(&ktap);
}
