// SPDX-License-Identifier: GPL-2.0
/*
 * The arithmetic against values of Intel's published formulas: golden.csv.
 *
 * The published formulas do not give back what making bytes took, so
 * td_counts_correct() has no part in this.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "ktap.h"
#include "sums.h"

#define GOLDEN_LIMIT	1e-6
/*
 * A node is a whole number of slots, and a few of them (one for each division,
 * three for the largest) are more than the limit where there are 10,000 in all.
 * The formulas are homogeneous: counts multiplied by this must give the same
 * ratios, with those slots out of sight.
 */
#define GOLDEN_SCALE	(1ULL << 16)

/* In the order of the columns. */
static const struct {
	const char *name;
	int parent;
} golden_nodes[TD_NODES_METRICS] = {
	[TOPDOWN_RETIRING]		= { "retiring", -1 },
	[TOPDOWN_BAD_SPECULATION]	= { "bad_speculation", -1 },
	[TOPDOWN_FRONTEND_BOUND]	= { "frontend_bound", -1 },
	[TOPDOWN_BACKEND_BOUND]		= { "backend_bound", -1 },
	[TOPDOWN_HEAVY_OPERATIONS]	= { "heavy_operations", TOPDOWN_RETIRING },
	[TOPDOWN_LIGHT_OPERATIONS]	= { "light_operations", TOPDOWN_RETIRING },
	[TOPDOWN_BRANCH_MISPREDICTS]	= { "branch_mispredicts", TOPDOWN_BAD_SPECULATION },
	[TOPDOWN_MACHINE_CLEARS]	= { "machine_clears", TOPDOWN_BAD_SPECULATION },
	[TOPDOWN_FETCH_LATENCY]		= { "fetch_latency", TOPDOWN_FRONTEND_BOUND },
	[TOPDOWN_FETCH_BANDWIDTH]	= { "fetch_bandwidth", TOPDOWN_FRONTEND_BOUND },
	[TOPDOWN_MEMORY_BOUND]		= { "memory_bound", TOPDOWN_BACKEND_BOUND },
	[TOPDOWN_CORE_BOUND]		= { "core_bound", TOPDOWN_BACKEND_BOUND },
};

struct golden_row {
	char name[64];
	unsigned int level;
	uint64_t slots;
	uint64_t perf_metrics;
	double node[TD_NODES_METRICS];
};

static unsigned int golden_compared;

static bool golden_check_header(char *line)
{
	char *field[5 + TD_NODES_METRICS];
	unsigned int i;

	if (csv_split(line, field, 5 + TD_NODES_METRICS) != 5 + TD_NODES_METRICS)
		return false;
	for (i = 0; i < TD_NODES_METRICS; i++) {
		if (strcmp(field[5 + i], golden_nodes[i].name))
			return false;
	}
	return true;
}

static bool golden_parse(char *line, struct golden_row *row)
{
	char *field[5 + TD_NODES_METRICS];
	unsigned int i;

	if (csv_split(line, field, 5 + TD_NODES_METRICS) != 5 + TD_NODES_METRICS)
		return false;
	snprintf(row->name, sizeof(row->name), "%s %s", field[0], field[1]);
	row->level = strtoul(field[2], NULL, 10);
	row->slots = strtoull(field[3], NULL, 10);
	row->perf_metrics = strtoull(field[4], NULL, 16);
	for (i = 0; i < TD_NODES_METRICS; i++)
		row->node[i] = *field[5 + i] ? strtod(field[5 + i], NULL) : NAN;
	return row->slots && row->level;
}

static void golden_figures(const struct golden_row *row, uint64_t scale,
			   struct topdown_figures *figures)
{
	struct td_counts counts = { .slots = row->slots * scale };
	unsigned int i;

	for (i = 0; i < (row->level > 1 ? TD_METRIC_NR : TD_METRIC_L1); i++) {
		uint64_t byte = row->perf_metrics >> (8 * i) & 0xff;

		counts.metric[i] = (unsigned __int128)row->slots * byte / 255 * scale;
	}
	memset(figures, 0, sizeof(*figures));
	figures->slots = counts.slots;
	td_counts_to_nodes(&counts, row->level, figures->node);
	td_figures_children(figures, row->level > 1 ? TD_NODES_METRICS_L2 : 0);
	td_figures_ratios(figures, td_nodes_of_level(row->level) & TD_NODES_METRICS_L2);
}

/* Ours caps a child at its parent, which the published formulas leave out. */
static double golden_expected(const struct golden_row *row, unsigned int node)
{
	int parent = golden_nodes[node].parent;

	if (parent < 0 || isnan(row->node[parent]))
		return row->node[node];
	return fmin(row->node[node], row->node[parent]);
}

static bool golden_row_ok(const struct golden_row *row, uint64_t scale, double limit)
{
	struct topdown_figures figures;
	unsigned int i;
	bool ok = true;

	golden_figures(row, scale, &figures);
	for (i = 0; i < TD_NODES_METRICS; i++) {
		double seen = (double)figures.ratio[i] / TOPDOWN_RATIO_ONE;

		if (isnan(row->node[i]))
			continue;
		golden_compared++;
		if (figures.ratio[i] <= TOPDOWN_RATIO_ONE &&
		    fabs(seen - golden_expected(row, i)) <= limit)
			continue;
		ktap_note("%s %s: published %.9f, ours %.9f (scale %llu)", row->name,
			  golden_nodes[i].name, golden_expected(row, i), seen,
			  (unsigned long long)scale);
		ok = false;
	}
	return ok;
}

static unsigned int golden_rows(FILE *file, bool *exact, bool *plain)
{
	struct golden_row row;
	unsigned int n = 0;
	bool header = false;
	char line[1024];

	while (fgets(line, sizeof(line), file)) {
		if (*line == '#')
			continue;
		if (!header) {
			header = golden_check_header(line);
			if (!header)
				return 0;
			continue;
		}
		if (!golden_parse(line, &row))
			return 0;
		*exact &= golden_row_ok(&row, GOLDEN_SCALE, GOLDEN_LIMIT);
		*plain &= golden_row_ok(&row, 1, GOLDEN_LIMIT + 4.0 / row.slots);
		n++;
	}
	return n;
}

int main(int argc, char **argv)
{
	bool exact = true, plain = true;
	struct ktap ktap;
	unsigned int n;
	FILE *file;

	ktap_begin(&ktap, 3);
	if (argc != 2) {
		printf("Bail out! usage: golden FILE\n");
		return 1;
	}
	file = fopen(argv[1], "r");
	if (!file) {
		printf("Bail out! cannot open %s\n", argv[1]);
		return 1;
	}
	n = golden_rows(file, &exact, &plain);
	fclose(file);

	ktap_note("%u rows, %u values compared", n, golden_compared);
	ktap_result(&ktap, n >= 50 && golden_compared >= 700, "golden rows were read");
	ktap_result(&ktap, n && exact, "published values agree within 1e-6");
	ktap_result(&ktap, n && plain, "counts as they are agree within four slots");
	return ktap_end(&ktap);
}
