// SPDX-License-Identifier: GPL-2.0
/*
 * Names, the place of nodes in the tree, and what figures say of one of them.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <topdown.h>

#include "known.h"
#include "../check.h"

static void test_tree(void)
{
	unsigned int node, level[3] = { 0 };
	bool parents = true;

	for (node = 0; node < TD_NR_NODES; node++) {
		int parent = topdown_node_parent(node);

		level[topdown_node_level(node)]++;
		if (strncmp(topdown_node_name(node), "tma_", 4))
			parents = false;
		if (topdown_node_level(node) == 2 && topdown_node_level(parent) != 1)
			parents = false;
		if (topdown_node_level(node) == 1 && parent != -1)
			parents = false;
	}
	check(level[1] == 5 && level[2] == 9 && parents, "the tree has its levels and parents");
	check(!topdown_node_name(TD_NR_NODES) && !topdown_node_level(99) &&
	      topdown_node_parent(99) == -1, "unknown nodes have no name");
	check(!strcmp(topdown_state_name(TOPDOWN_STATE_ERROR), "error") &&
	      !strcmp(topdown_state_name(99), "unknown"), "states have names");
	check(!strcmp(topdown_session_state_name(TOPDOWN_SESSION_STATE_ENDED), "ended") &&
	      !strcmp(topdown_session_state_name(TOPDOWN_SESSION_STATE_DETACHED), "detached") &&
	      !strcmp(topdown_session_state_name(99), "unknown"), "states of sessions have names");
	check(!strcmp(topdown_source_name(TOPDOWN_SOURCE_PERF_METRICS), "perf_metrics") &&
	      !strcmp(topdown_source_name(99), "unknown"), "sources have names");
	check(!strcmp(topdown_kind_name(TOPDOWN_KIND_ATOM), "atom") &&
	      !strcmp(topdown_kind_name(TOPDOWN_KIND_MIXED), "mixed") &&
	      !strcmp(topdown_kind_name(99), "unknown"), "kinds have names");
}

static void test_by_name(void)
{
	static const char * const none[] = {
		"", "tma_", "tma_tma_retiring", "retiring ", "Retiring", "retirin", "tma", "_retiring",
	};
	bool all = true, other = false;
	unsigned int i, node;

	for (node = 0; node < TD_NR_NODES; node++) {
		const char *name = topdown_node_name(node);

		all = all && topdown_node_by_name(name) == (int)node &&
		      topdown_node_by_name(name + strlen("tma_")) == (int)node;
	}
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		other = other || topdown_node_by_name(none[i]) != -ENOENT;
	check(all, "all nodes are found by their names, with and without tma_");
	check(!other, "no other name is one");
}

static void test_figures(void)
{
	struct topdown_figures figures = { .slots = 1000 };

	memset(figures.ratio, 0xff, sizeof(figures.ratio));
	figures.ratio[TOPDOWN_RETIRING] = TOPDOWN_RATIO_ONE;
	figures.ratio[TOPDOWN_CORE_BOUND] = 250000000;
	figures.ratio[TOPDOWN_MEMORY_BOUND] = 0;
	figures.node[TOPDOWN_MACHINE_CLEARS] = 7;
	check(topdown_figures_has(&figures, TOPDOWN_RETIRING) &&
	      topdown_figures_has(&figures, TOPDOWN_MEMORY_BOUND), "a node with a ratio is there");
	check(!topdown_figures_has(&figures, TOPDOWN_MACHINE_CLEARS),
	      "a node that was counted for a while is not there");
	check(!topdown_figures_has(&figures, TOPDOWN_MAX_NODES) &&
	      !topdown_figures_has(&figures, TOPDOWN_CPU_ALL),
	      "a node that cannot be is not there");
	check(topdown_figures_ratio(&figures, TOPDOWN_RETIRING) == 1.0 &&
	      topdown_figures_ratio(&figures, TOPDOWN_CORE_BOUND) == 0.25 &&
	      topdown_figures_ratio(&figures, TOPDOWN_MEMORY_BOUND) == 0.0, "ratios are fractions");
	check(isnan(topdown_figures_ratio(&figures, TOPDOWN_MACHINE_CLEARS)) &&
	      isnan(topdown_figures_ratio(&figures, TOPDOWN_MAX_NODES)), "no ratio is NaN");
}

int main(void)
{
	ktap_begin(&ktap, 13);
	test_tree();
	test_by_name();
	test_figures();
	return ktap_end(&ktap);
}
