// SPDX-License-Identifier: GPL-2.0
/*
 * The nodes in the order and with the headings that tables have.
 */
#include "columns.h"

#include <stddef.h>

/* Level 1 and its children on most CPUs. */
#define NR_COMMON	(TOPDOWN_CORE_BOUND + 1)

/* Parents before their children. */
const struct column columns[NR_COLUMNS] = {
	{ TOPDOWN_RETIRING, "RETIR", "retiring" },
	{ TOPDOWN_LIGHT_OPERATIONS, "light", NULL },
	{ TOPDOWN_HEAVY_OPERATIONS, "heavy", NULL },
	{ TOPDOWN_BAD_SPECULATION, "BADSP", "bad spec" },
	{ TOPDOWN_BRANCH_MISPREDICTS, "mispr", NULL },
	{ TOPDOWN_MACHINE_CLEARS, "clear", NULL },
	{ TOPDOWN_FRONTEND_BOUND, "FRONT", "frontend" },
	{ TOPDOWN_FETCH_LATENCY, "f.lat", NULL },
	{ TOPDOWN_FETCH_BANDWIDTH, "f.bw", NULL },
	{ TOPDOWN_BACKEND_BOUND, "BACK", "backend" },
	{ TOPDOWN_MEMORY_BOUND, "mem", NULL },
	{ TOPDOWN_CORE_BOUND, "core", NULL },
	{ TOPDOWN_RESOURCE_BOUND, "resrc", NULL },
	{ TOPDOWN_SMT_CONTENTION, "SMT", "smt cont." },
};

/**
 * column_shown - is a node to be shown?
 * @node: enum topdown_node
 * @level: highest level that is shown
 * @nodes: those of which there are figures, bit n for node n
 *
 * Those that most CPUs have are always there, others only where they are.
 *
 * Return: true or false.
 */
bool column_shown(unsigned int node, unsigned int level, uint32_t nodes)
{
	return topdown_node_level(node) <= level && (node < NR_COMMON || nodes >> node & 1);
}
