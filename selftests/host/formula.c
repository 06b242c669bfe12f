// SPDX-License-Identifier: GPL-2.0
/*
 * The formula families against values of the published formulas, formula.csv,
 * and against counts that no hardware should give.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "formula.h"
#include "ktap.h"
#include "random.h"

#define FORMULA_LIMIT	1e-6
/*
 * A node is a whole number of slots, so small counts cannot be right to the
 * limit.  The formulas are homogeneous: counts are multiplied by a power of two
 * until the largest has this many bits, and then as they are.
 */
#define FORMULA_BITS	50
/* Divisions in a row that round down, and nodes taken from each other. */
#define FORMULA_ROUNDINGS	8.0

#define COLUMNS		(5 + TD_NR_NODES)
#define HOSTILE_CASES	(1U << 18)

static const struct {
	const struct td_formula *formula;
	const char *name;
	unsigned int width;
} families[] = {
	{ &td_generic_snb, "generic_snb", 4 },
	{ &td_generic_ivb, "generic_ivb", 4 },
	{ &td_generic_hsw, "generic_hsw", 4 },
	{ &td_generic_bdw, "generic_bdw", 4 },
	{ &td_generic_skl, "generic_skl", 4 },
	{ &td_fallback_icl, "fallback_icl", 5 },
	{ &td_fallback_glc, "fallback_glc", 6 },
	{ &td_fallback_lnc, "fallback_lnc", 8 },
	{ &td_fallback_coc, "fallback_coc", 0 },
	{ &td_atom_glm, "atom_glm", 3 },
	{ &td_atom_glm, "atom_glp_w4", 4 },
	{ &td_atom_tnt, "atom_tnt", 4 },
	{ &td_atom_grt, "atom_grt", 5 },
	{ &td_atom_cmt, "atom_cmt", 6 },
	{ &td_atom_skt, "atom_skt", 8 },
	{ &td_atom_arw, "atom_arw", 0 },
	{ &td_zen4, "zen4", 6 },
	{ &td_zen5, "zen5", 8 },
	{ &td_zen6, "zen6", 8 },
	{ &td_refined_icl, "perf_metrics_l1", 5 },
	{ &td_refined_glc, "perf_metrics_l2", 6 },
};

#define NR_FAMILIES	(sizeof(families) / sizeof(families[0]))

static const char * const node_names[TD_NR_NODES] = {
	"retiring", "bad_speculation", "frontend_bound", "backend_bound",
	"heavy_operations", "light_operations", "branch_mispredicts", "machine_clears",
	"fetch_latency", "fetch_bandwidth", "memory_bound", "core_bound", "resource_bound",
	"smt_contention",
};

struct row {
	char name[64];
	unsigned int family;
	struct td_sample sample;
	unsigned int bits;		/* The bits of the largest count. */
	double node[TD_NR_NODES];
};

static unsigned int compared, marked, rows_of[NR_FAMILIES];
/*
 * Bit p: without the event the children of level 1 node p were others in some row; and
 * NEEDED_LEVEL1 if level 1 was.
 */
#define NEEDED_LEVEL1	(1U << 31)

static unsigned int needed[NR_FAMILIES][TD_EVENTS_MAX];

static int64_t count_one(const char *counts, const char *name, size_t length)
{
	for (; counts; counts = strchr(counts, ';')) {
		counts += *counts == ';';
		if (!strncmp(counts, name, length) && counts[length] == '=')
			return strtoll(counts + length + 1, NULL, 10);
	}
	return -1;
}

/* The count of one event, or the sum of several whose names have + between; -1: no count. */
static int64_t count_find(const char *counts, const char *name)
{
	int64_t sum = 0;

	while (*name) {
		size_t length = strcspn(name, "+");
		int64_t count = count_one(counts, name, length);

		if (count < 0)
			return -1;
		sum += count;
		name += length + (name[length] == '+');
	}
	return sum;
}

/*
 * The module counts each thread by itself.  A row of sums over both threads has
 * THREAD_ANY instead of the share of cycles that a thread had alone, and the one
 * says the same as the other.
 */
static int64_t count_core_wide(const char *counts, const char *name)
{
	int64_t thread = count_find(counts, "CPU_CLK_UNHALTED.THREAD");

	if (!strcmp(name, "CPU_CLK_UNHALTED.ONE_THREAD_ACTIVE"))
		return count_find(counts, "CPU_CLK_UNHALTED.THREAD_ANY") - thread;
	return strcmp(name, "CPU_CLK_UNHALTED.REF_XCLK") ? -1 : thread;
}

static bool row_counts(struct row *row, const char *counts, bool smt, bool core_wide)
{
	const struct td_formula *formula = families[row->family].formula;
	unsigned int i;

	for (i = 0; i < formula->nr_events; i++) {
		const struct td_event *event = &formula->events[i];
		int64_t count = -1;

		if (event->when == (smt ? TD_NO_SMT : TD_SMT))
			continue;
		if (smt && core_wide)
			count = count_core_wide(counts, event->name);
		if (count < 0)
			count = count_find(counts, event->name);
		if (count < 0) {
			ktap_note("%s: no count of %s", row->name, event->name);
			return false;
		}
		row->sample.count[i] = count;
		for (; count >> row->bits; row->bits++)
			;
	}
	return true;
}

static bool row_parse(char *line, struct row *row)
{
	char *field[COLUMNS];
	unsigned int i;

	*row = (struct row){ 0 };
	if (csv_split(line, field, COLUMNS) != COLUMNS)
		return false;
	snprintf(row->name, sizeof(row->name), "%s %s", field[0], field[1]);
	while (strcmp(field[1], families[row->family].name)) {
		if (++row->family == NR_FAMILIES)
			return false;
	}
	row->sample.smt = atoi(field[2]);
	row->sample.width = families[row->family].width;
	row->sample.level = families[row->family].formula->level;
	for (i = 0; i < TD_NR_NODES; i++)
		row->node[i] = *field[5 + i] ? strtod(field[5 + i], NULL) : INFINITY;
	return row_counts(row, field[4], row->sample.smt, atoi(field[3]));
}

static int parent_of(unsigned int node)
{
	if (node < TOPDOWN_HEAVY_OPERATIONS || node == TOPDOWN_SMT_CONTENTION)
		return -1;
	return node == TOPDOWN_RESOURCE_BOUND ? TOPDOWN_BACKEND_BOUND :
						(int)(node - TOPDOWN_HEAVY_OPERATIONS) / 2;
}

/* Core bound is beside what is published of the two that the other can be. */
static unsigned int sibling_of(const struct row *row, unsigned int node)
{
	if (node == TOPDOWN_RESOURCE_BOUND)
		return TOPDOWN_CORE_BOUND;
	if (node == TOPDOWN_CORE_BOUND && isinf(row->node[TOPDOWN_MEMORY_BOUND]))
		return TOPDOWN_RESOURCE_BOUND;
	return node ^ 1;
}

/* Is there no value, or one that cannot be a part of the whole? */
static bool node_invalid(const struct row *row, unsigned int node)
{
	int parent = parent_of(node);
	double limit = parent < 0 ? 1 : row->node[parent];

	return isnan(row->node[node]) || row->node[node] < 0 ||
	       row->node[node] > limit * (1 + 1e-9);
}

static bool pair_invalid(const struct row *row, unsigned int node)
{
	if (parent_of(node) < 0)
		return node_invalid(row, node);
	return node_invalid(row, node) || node_invalid(row, sibling_of(row, node)) ||
	       node_invalid(row, parent_of(node));
}

/* Are both children counted by themselves, so that they sum to it only nearly? */
static bool both_counted(const struct td_formula *formula, unsigned int parent)
{
	if (formula->source != TOPDOWN_SOURCE_ATOM)
		return false;
	return parent == TOPDOWN_FRONTEND_BOUND ||
	       (parent == TOPDOWN_BAD_SPECULATION && formula != &td_atom_tnt);
}

static uint64_t children_of(const struct td_slots *slots, unsigned int parent)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < TD_NR_NODES; i++) {
		if (parent_of(i) == (int)parent)
			sum += slots->node[i];
	}
	return sum;
}

/* To all slots, or to none of counts that say nothing. */
static bool level1_sums(const struct td_slots *slots)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < TD_METRIC_L1; i++)
		sum += slots->node[i];
	return !sum || sum == slots->slots;
}

/*
 * Children sum to their parent if it has any, nothing is more than all slots, and
 * a node that the family lacks is 0.  Of AMD both may be 0 by definition.
 */
static bool slots_fit(const struct td_formula *formula, const struct td_slots *slots,
		      unsigned int level)
{
	unsigned int i;

	for (i = 0; i < TOPDOWN_MAX_NODES; i++) {
		if (slots->node[i] > slots->slots)
			return false;
		if (!(formula->nodes >> i & 1) && slots->node[i])
			return false;
	}
	if (formula->source == TOPDOWN_SOURCE_PERF_METRICS && !level1_sums(slots))
		return false;
	for (i = 0; level > 1 && i < TD_METRIC_L1; i++) {
		uint64_t children = children_of(slots, i);

		if (both_counted(formula, i) ||
		    !(formula->nodes >> (TOPDOWN_HEAVY_OPERATIONS + 2 * i + 1) & 1))
			continue;
		if (formula->eval == td_zen4.eval && i == TOPDOWN_BAD_SPECULATION && !children)
			continue;
		if (children != slots->node[i])
			return false;
	}
	return true;
}

static bool node_ok(const struct row *row, const struct td_slots *slots, unsigned int node,
		    double limit)
{
	double seen = (double)slots->node[node] / slots->slots;
	bool invalid = pair_invalid(row, node), mark = slots->clamped >> node & 1;

	compared++;
	marked += invalid;
	if (mark == invalid && (invalid || fabs(seen - row->node[node]) <= limit))
		return true;
	ktap_note("%s %s: published %.9f, ours %.9f%s (%llu slots)", row->name,
		  node_names[node], row->node[node], seen, mark ? ", clamped" : "",
		  (unsigned long long)slots->slots);
	return false;
}

/* All that is published of the levels that the family has. */
static bool published(const struct row *row)
{
	const struct td_formula *formula = families[row->family].formula;
	uint32_t nodes = td_nodes_of_level(formula->level);
	unsigned int i;

	for (i = 0; i < TD_NR_NODES; i++) {
		bool has = formula->nodes >> i & 1, missing = isinf(row->node[i]);

		if (has != missing || !(nodes >> i & 1))
			continue;
		ktap_note("%s: %s is published, or it is not", row->name, node_names[i]);
		return false;
	}
	return true;
}

static bool row_ok(const struct row *row, unsigned int shift, double roundings)
{
	const struct td_formula *formula = families[row->family].formula;
	struct td_sample sample = row->sample;
	struct td_slots slots;
	unsigned int i;
	bool ok;

	for (i = 0; i < formula->nr_events; i++)
		sample.count[i] <<= shift;
	td_formula_eval(formula, &sample, &slots);
	ok = slots.slots && slots_fit(formula, &slots, sample.level);
	for (i = 0; slots.slots && i < TD_NR_NODES; i++) {
		if (formula->nodes >> i & 1)
			ok &= node_ok(row, &slots, i, FORMULA_LIMIT + roundings / slots.slots);
	}
	return ok && published(row);
}

/* Not counted: what only the children of these nodes need. */
static void sample_close(const struct td_formula *formula, struct td_sample *sample,
			 unsigned int closed)
{
	unsigned int i;

	sample->undrilled = closed;
	for (i = 0; i < formula->nr_events; i++) {
		if (formula->events[i].parents && !(formula->events[i].parents & ~closed))
			sample->count[i] = 0;
	}
}

static bool slots_alike(const struct td_slots *a, const struct td_slots *b, uint32_t nodes)
{
	unsigned int i;

	for (i = 0; i < TD_NR_NODES; i++) {
		if (nodes >> i & 1 && a->node[i] != b->node[i])
			return false;
	}
	return !((a->clamped ^ b->clamped) & nodes);
}

/* The children of some nodes are what they are with those of all, and the others nothing. */
static bool drill_ok(const struct row *row)
{
	const struct td_formula *formula = families[row->family].formula;
	const struct td_slots none = { 0 };
	struct td_slots all, some;
	struct td_sample sample;
	unsigned int closed;
	uint32_t lacking;
	bool ok = true;

	td_formula_eval(formula, &row->sample, &all);
	for (closed = 0; closed <= TD_PARENTS; closed++) {
		sample = row->sample;
		sample_close(formula, &sample, closed);
		td_formula_eval(formula, &sample, &some);
		lacking = td_nodes_of_parents(closed);
		ok &= all.slots == some.slots && slots_alike(&all, &some, ~lacking) &&
		      slots_alike(&none, &some, lacking);
	}
	return ok;
}

static void drill_need(const struct row *row)
{
	const struct td_formula *formula = families[row->family].formula;
	struct td_slots all, some;
	struct td_sample sample;
	unsigned int i, parent;

	td_formula_eval(formula, &row->sample, &all);
	for (i = 0; i < formula->nr_events; i++) {
		sample = row->sample;
		sample.count[i] = 0;
		td_formula_eval(formula, &sample, &some);
		for (parent = 0; parent < TD_NR_PARENTS; parent++) {
			if (!slots_alike(&all, &some, td_nodes_of_parents(1U << parent)))
				needed[row->family][i] |= 1U << parent;
		}
		if (all.slots != some.slots || !slots_alike(&all, &some, TD_NODES_LEVEL1))
			needed[row->family][i] |= NEEDED_LEVEL1;
	}
}

static unsigned int rows(FILE *file, bool *exact, bool *plain, bool *drill)
{
	unsigned int n = 0;
	char line[4096];
	struct row row;

	while (fgets(line, sizeof(line), file)) {
		if (*line == '#' || !strncmp(line, "case,", 5))
			continue;
		if (!row_parse(line, &row))
			return 0;
		rows_of[row.family]++;
		*exact &= row_ok(&row, FORMULA_BITS > row.bits ? FORMULA_BITS - row.bits : 0, 0);
		*plain &= row_ok(&row, 0, FORMULA_ROUNDINGS);
		*drill &= drill_ok(&row);
		drill_need(&row);
		n++;
	}
	return n;
}

static uint64_t hostile_number(struct rng *rng)
{
	static const uint64_t edge[] = {
		0, 1, 2, 3, 4, 5, (1ULL << 32) - 1, 1ULL << 32, (1ULL << 48) - 1,
		(1ULL << TD_COUNT_BITS) - 1, 1ULL << TD_COUNT_BITS, UINT64_MAX,
	};

	unsigned int nr = sizeof(edge) / sizeof(edge[0]);

	/* Rarely what makes the whole sample unfit. */
	if (rng_below(rng, 20))
		nr -= 2;
	if (!rng_below(rng, 4))
		return edge[rng_below(rng, nr)];
	return rng_next(rng) >> (64 - TD_COUNT_BITS + rng_below(rng, TD_COUNT_BITS));
}

static bool hostile_case(struct rng *rng)
{
	unsigned int family = rng_below(rng, NR_FAMILIES), i;
	const struct td_formula *formula = families[family].formula;
	struct td_sample sample = {
		.width = families[family].width,
		.level = 1 + rng_below(rng, formula->level),
		.smt = rng_below(rng, 2),
	};
	struct td_slots slots;

	for (i = 0; i < TD_EVENTS_MAX; i++)
		sample.count[i] = hostile_number(rng);
	td_formula_eval(formula, &sample, &slots);
	if (slots.clamped & ~(formula->nodes & td_nodes_of_level(sample.level)))
		return false;
	return slots_fit(formula, &slots, sample.level);
}

static void test_hostile(struct ktap *ktap)
{
	struct rng rng = { 5 };
	unsigned int i, bad = 0;

	for (i = 0; i < HOSTILE_CASES; i++)
		bad += !hostile_case(&rng);
	ktap_note("%u of %u samples give impossible nodes", bad, HOSTILE_CASES);
	ktap_result(ktap, !bad, "no counts give impossible nodes");
}

/*
 * Level 1 of PERF_METRICS as refined on Ice Lake: a node that is not what is published is
 * marked, also where the published values sum to more than all slots.
 */
static bool cut_is_marked(struct rng *rng)
{
	const struct td_formula *formula = &td_refined_icl;
	struct td_sample sample = { .width = 5, .level = 1 };
	double published[TD_METRIC_L1], sum = 0, slots;
	struct td_slots seen;
	bool ok = true;
	unsigned int i;

	for (i = 0; i <= TD_METRIC_L1; i++)
		sample.count[i] = 1 + rng_below(rng, 1000000);
	slots = sample.count[0];
	/* Dropped slots, and how often the pipeline was cleared: few, and many. */
	sample.count[5] = rng_below(rng, 1 + slots / (1 + rng_below(rng, 20)));
	sample.count[6] = rng_below(rng, 1 + slots / (5 + rng_below(rng, 100)));
	for (i = 0; i < TD_METRIC_L1; i++)
		sum += sample.count[1 + i];
	for (i = 0; i < TD_METRIC_L1; i++)
		published[i] = sample.count[1 + i] * slots / sum;
	published[TOPDOWN_FRONTEND_BOUND] -= sample.count[5];
	published[TOPDOWN_BACKEND_BOUND] += 5.0 * sample.count[6];
	published[TOPDOWN_BAD_SPECULATION] = slots - published[TOPDOWN_RETIRING] -
		published[TOPDOWN_FRONTEND_BOUND] - published[TOPDOWN_BACKEND_BOUND];
	td_formula_eval(formula, &sample, &seen);
	for (i = 0; i < TD_METRIC_L1; i++)
		ok &= fabs(seen.node[i] - published[i]) <= 8 || seen.clamped >> i & 1;
	return ok;
}

static void test_cuts(struct ktap *ktap)
{
	struct rng rng = { 9 };
	unsigned int i, bad = 0;

	for (i = 0; i < HOSTILE_CASES; i++)
		bad += !cut_is_marked(&rng);
	ktap_note("%u of %u samples have others without a mark", bad, HOSTILE_CASES);
	ktap_result(ktap, !bad, "what is cut is marked");
}

/* Every family has named events, those of level 1 first, and at least two rows. */
static void test_tables(struct ktap *ktap)
{
	unsigned int i, j;
	bool ok = true;

	for (i = 0; i < NR_FAMILIES; i++) {
		const struct td_formula *formula = families[i].formula;

		ok &= formula->nr_events <= TD_EVENTS_MAX && rows_of[i] >= 2;
		for (j = 0; j < formula->nr_events; j++) {
			const struct td_event *event = &formula->events[j];

			ok &= event->name && event->config;
			ok &= !event->parents || formula->level == 2;
			/* Those of level 1 come first. */
			ok &= !j || event->parents || !event[-1].parents;
		}
	}
	ktap_result(ktap, ok, "every family has its table and rows");
}

/* Events are for what changes without them, and for nothing else. */
static bool event_serves(const struct td_event *event, unsigned int changes)
{
	if (event->parents == TD_LEVEL1)
		return changes & NEEDED_LEVEL1;
	return event->parents == changes;
}

static void test_parents(struct ktap *ktap)
{
	unsigned int i, j;
	bool ok = true;

	for (i = 0; i < NR_FAMILIES; i++) {
		const struct td_formula *formula = families[i].formula;

		for (j = 0; j < formula->nr_events; j++) {
			const struct td_event *event = &formula->events[j];

			if (event_serves(event, needed[i][j]))
				continue;
			ktap_note("%s: %s is for %#x, and changes %#x", families[i].name,
				  event->name, event->parents, needed[i][j]);
			ok = false;
		}
	}
	ktap_result(ktap, ok, "events are for what they change");
}

/* Of 1,000,000 slots, as published: over is more than the threshold. */
static void test_thresholds(struct ktap *ktap)
{
	static const struct {
		const struct td_formula *formula;
		unsigned int node, nodes, slots, over;
	} cases[] = {
		{ &td_generic_skl, TOPDOWN_RETIRING, 0xf, 700000, 0 },
		{ &td_generic_skl, TOPDOWN_RETIRING, 0xf, 700001, TD_RETIRING },
		{ &td_generic_skl, TOPDOWN_BAD_SPECULATION, 0xf, 150000, 0 },
		{ &td_generic_skl, TOPDOWN_BAD_SPECULATION, 0xf, 150001, TD_BAD },
		{ &td_fallback_glc, TOPDOWN_FRONTEND_BOUND, 0xf, 150000, 0 },
		{ &td_fallback_glc, TOPDOWN_FRONTEND_BOUND, 0xf, 150001, TD_FRONTEND },
		{ &td_generic_snb, TOPDOWN_BACKEND_BOUND, 0xf, 200000, 0 },
		{ &td_generic_snb, TOPDOWN_BACKEND_BOUND, 0xf, 200001, TD_BACKEND },
		{ &td_generic_skl, TOPDOWN_HEAVY_OPERATIONS, 0x3f, 100000, 0 },
		{ &td_generic_skl, TOPDOWN_HEAVY_OPERATIONS, 0x3f, 100001, TD_RETIRING },
		/* Not counted. */
		{ &td_generic_skl, TOPDOWN_HEAVY_OPERATIONS, 0xf, 100001, 0 },
		{ &td_atom_tnt, TOPDOWN_RETIRING, 0xf, 750000, 0 },
		{ &td_atom_tnt, TOPDOWN_RETIRING, 0xf, 750001, TD_RETIRING },
		/* It has no children there. */
		{ &td_atom_cmt, TOPDOWN_RETIRING, 0xf, 750001, 0 },
		{ &td_atom_grt, TOPDOWN_BAD_SPECULATION, 0xf, 150000, 0 },
		{ &td_atom_grt, TOPDOWN_BAD_SPECULATION, 0xf, 150001, TD_BAD },
		{ &td_atom_tnt, TOPDOWN_FRONTEND_BOUND, 0xf, 200000, 0 },
		{ &td_atom_tnt, TOPDOWN_FRONTEND_BOUND, 0xf, 200001, TD_FRONTEND },
		{ &td_atom_skt, TOPDOWN_BACKEND_BOUND, 0xf, 100000, 0 },
		{ &td_atom_skt, TOPDOWN_BACKEND_BOUND, 0xf, 100001, TD_BACKEND },
		{ &td_atom_tnt, TOPDOWN_HEAVY_OPERATIONS, 0x3f, 1000000, 0 },
	};
	unsigned int i, over;
	bool ok = true;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct topdown_sums sums = { .slots = 1000000 };

		sums.node[cases[i].node] = cases[i].slots;
		over = td_formula_over(cases[i].formula, &sums, cases[i].nodes);
		if (over == cases[i].over)
			continue;
		ktap_note("case %u: %#x is over, and not %#x", i, over, cases[i].over);
		ok = false;
	}
	ktap_result(ktap, ok && !td_zen4.thresholds && !td_zen5.thresholds,
		    "nodes are marked over their published thresholds");
}

int main(int argc, char **argv)
{
	bool exact = true, plain = true, drill = true;
	struct ktap ktap;
	unsigned int n;
	FILE *file;

	ktap_begin(&ktap, 9);
	file = argc == 2 ? fopen(argv[1], "r") : NULL;
	if (!file) {
		printf("Bail out! usage: formula FILE\n");
		return 1;
	}
	n = rows(file, &exact, &plain, &drill);
	fclose(file);

	ktap_note("%u rows, %u values compared, %u of them clamped", n, compared, marked);
	ktap_result(&ktap, n >= 206 && compared >= 4300 && marked >= 140, "rows were read");
	ktap_result(&ktap, n && exact, "published values agree within 1e-6");
	ktap_result(&ktap, n && plain, "counts as they are agree within eight slots");
	ktap_result(&ktap, n && drill, "some nodes alone have children");
	test_tables(&ktap);
	test_parents(&ktap);
	test_thresholds(&ktap);
	test_hostile(&ktap);
	test_cuts(&ktap);
	return ktap_end(&ktap);
}
