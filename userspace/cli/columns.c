// SPDX-License-Identifier: GPL-2.0
/*
 * The nodes in the order and with the headings that tables have.
 */
#include "columns.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

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

/**
 * grouped_text - a whole number with a comma between groups of three digits
 * @text: where to
 * @number: number
 */
void grouped_text(char text[GROUPED_SIZE], uint64_t number)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, number), i;

	for (i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*text++ = ',';
		*text++ = digits[i];
	}
	*text = '\0';
}

/* The unit in which a number is below @limit, and the number in it. */
static char scale(double *number, double limit)
{
	static const char units[] = " kMGTPE";
	unsigned int unit = 0;

	while (*number >= limit && unit + 2 < sizeof(units)) {
		*number /= 1000;
		unit++;
	}
	return units[unit];
}

/**
 * rate_text - a large number, with one digit after the point and a unit
 * @text: where to
 * @size: room in @text, 8 at least
 * @rate: number
 */
void rate_text(char *text, size_t size, double rate)
{
	char unit = scale(&rate, 999.95);

	if (unit == ' ')
		snprintf(text, size, "%.0f", rate);
	else
		snprintf(text, size, "%.1f%c", rate, unit);
}

/**
 * weight_text - the same in four characters, where a column must be narrow
 * @text: where to
 * @size: room in @text, 8 at least
 * @weight: number
 */
void weight_text(char *text, size_t size, double weight)
{
	char unit = scale(&weight, 999.5);

	if (unit == ' ')
		snprintf(text, size, "%.0f", weight);
	else
		snprintf(text, size, "%.*f%c", weight < 9.95, weight, unit);
}
