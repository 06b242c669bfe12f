// SPDX-License-Identifier: GPL-2.0
/*
 * The nodes in the order and with the headings that tables have.
 */
#include "columns.h"

#include <stddef.h>

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
};
