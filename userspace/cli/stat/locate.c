// SPDX-License-Identifier: GPL-2.0
/*
 * The events that find the code that costs the slots of a node, as one perf command each.
 *
 * Intel's events are those of tools/perf/pmu-events/arch/x86, "Sample with" of the metrics
 * (TMA metrics spreadsheet, "Locate-with"); _PS there is a precise event. Intel publishes
 * no event for memory bound at level 2, but perf mem samples loads. Intel publishes no
 * event for Atom cores. AMD samples operations and fetches by IBS.
 */
#include "locate.h"

#include <stdlib.h>
#include <string.h>

#include "known.h"
#include "columns.h"
#include "shell.h"
#include "stat-options.h"

enum family {
	FAMILY_NONE,
	FAMILY_SANDY_BRIDGE,
	FAMILY_SKYLAKE,
	FAMILY_ICE_LAKE,
	FAMILY_GOLDEN_COVE,
	FAMILY_AMD,
	FAMILIES,
};

#define FRONTEND_EVENTS							\
	[TOPDOWN_FRONTEND_BOUND]	= "frontend_retired.latency_ge_4:pp",	\
	[TOPDOWN_FETCH_LATENCY]		= "frontend_retired.latency_ge_16:pp",	\
	[TOPDOWN_FETCH_BANDWIDTH]	= "frontend_retired.latency_ge_2_bubbles_ge_1:pp"

#define IBS_OP		"ibs_op//"
#define IBS_FETCH	"ibs_fetch//"

static const char * const events[FAMILIES][TD_NR_NODES] = {
	[FAMILY_SANDY_BRIDGE] = {
		[TOPDOWN_RETIRING]		= "uops_retired.retire_slots",
		[TOPDOWN_LIGHT_OPERATIONS]	= "inst_retired.prec_dist",
		[TOPDOWN_FETCH_LATENCY]		= "rs_events.empty_end",
		[TOPDOWN_BRANCH_MISPREDICTS]	= "br_misp_retired.all_branches",
		[TOPDOWN_MACHINE_CLEARS]	= "machine_clears.count",
	},
	[FAMILY_SKYLAKE] = {
		FRONTEND_EVENTS,
		[TOPDOWN_RETIRING]		= "uops_retired.retire_slots",
		[TOPDOWN_LIGHT_OPERATIONS]	= "inst_retired.prec_dist",
		[TOPDOWN_BRANCH_MISPREDICTS]	= "br_misp_retired.all_branches",
		[TOPDOWN_MACHINE_CLEARS]	= "machine_clears.count",
	},
	[FAMILY_ICE_LAKE] = {
		FRONTEND_EVENTS,
		[TOPDOWN_RETIRING]		= "uops_retired.slots",
		[TOPDOWN_LIGHT_OPERATIONS]	= "inst_retired.prec_dist",
		[TOPDOWN_BRANCH_MISPREDICTS]	= "br_misp_retired.all_branches",
		[TOPDOWN_MACHINE_CLEARS]	= "machine_clears.count",
		[TOPDOWN_BACKEND_BOUND]		= "topdown.backend_bound_slots",
	},
	[FAMILY_GOLDEN_COVE] = {
		FRONTEND_EVENTS,
		[TOPDOWN_RETIRING]		= "uops_retired.slots",
		[TOPDOWN_LIGHT_OPERATIONS]	= "inst_retired.prec_dist",
		[TOPDOWN_HEAVY_OPERATIONS]	= "uops_retired.heavy",
		[TOPDOWN_BRANCH_MISPREDICTS]	= "topdown.br_mispredict_slots",
		[TOPDOWN_MACHINE_CLEARS]	= "machine_clears.count",
		[TOPDOWN_BACKEND_BOUND]		= "topdown.backend_bound_slots",
	},
	[FAMILY_AMD] = {
		[TOPDOWN_RETIRING]		= IBS_OP,
		[TOPDOWN_HEAVY_OPERATIONS]	= IBS_OP,
		[TOPDOWN_LIGHT_OPERATIONS]	= IBS_OP,
		[TOPDOWN_BAD_SPECULATION]	= IBS_OP,
		[TOPDOWN_BRANCH_MISPREDICTS]	= IBS_OP,
		[TOPDOWN_MACHINE_CLEARS]	= IBS_OP,
		[TOPDOWN_FRONTEND_BOUND]	= IBS_FETCH,
		[TOPDOWN_FETCH_LATENCY]		= IBS_FETCH,
		[TOPDOWN_FETCH_BANDWIDTH]	= IBS_FETCH,
		[TOPDOWN_BACKEND_BOUND]		= IBS_OP,
		[TOPDOWN_MEMORY_BOUND]		= IBS_OP,
		[TOPDOWN_CORE_BOUND]		= IBS_OP,
	},
};

/* If the source does not tell the families apart, the model of family 6 does. */
static const struct {
	unsigned char model;
	unsigned char family;
} models[] = {
	{ 0x4e, FAMILY_SKYLAKE }, { 0x5e, FAMILY_SKYLAKE }, { 0x8e, FAMILY_SKYLAKE },
	{ 0x9e, FAMILY_SKYLAKE }, { 0xa5, FAMILY_SKYLAKE }, { 0xa6, FAMILY_SKYLAKE },
	{ 0x55, FAMILY_SKYLAKE },
	{ 0x6a, FAMILY_ICE_LAKE }, { 0x6c, FAMILY_ICE_LAKE }, { 0x7d, FAMILY_ICE_LAKE },
	{ 0x7e, FAMILY_ICE_LAKE }, { 0x8c, FAMILY_ICE_LAKE }, { 0x8d, FAMILY_ICE_LAKE },
	{ 0xa7, FAMILY_ICE_LAKE },
};

static enum family family_of_model(unsigned int model, enum family otherwise)
{
	size_t i;

	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		if (models[i].model == model)
			return models[i].family;
	}
	return otherwise;
}

static enum family family_of(const struct topdown_info *info, unsigned int source)
{
	unsigned int model = info->out_cpu_family == 6 ? info->out_cpu_model : 0;

	switch (source) {
	case TOPDOWN_SOURCE_AMD:
		return FAMILY_AMD;
	case TOPDOWN_SOURCE_GENERIC:
		return family_of_model(model, FAMILY_SANDY_BRIDGE);
	case TOPDOWN_SOURCE_PERF_METRICS:
	case TOPDOWN_SOURCE_FALLBACK:
	case TOPDOWN_SOURCE_MIXED:
		return family_of_model(model, FAMILY_GOLDEN_COVE);
	default:
		return FAMILY_NONE;
	}
}

/* Sample what was measured. */
static void put_subject(FILE *file, const struct stat_options *options)
{
	bool cpus = options->all_cpus || options->has_cpus;
	char *text;
	char **word;

	if (options->pids.nr) {
		shell_ids(file, " -p ", &options->pids);
	} else if (options->tids.nr) {
		shell_ids(file, " -t ", &options->tids);
	} else if (options->has_cpus) {
		text = cpulist_text(&options->cpus);
		fprintf(file, " -C %s", text ? text : "?");
		free(text);
	} else if (cpus || !options->argv) {
		fputs(" -a", file);
	}
	fputs(" --", file);
	for (word = options->argv; word && *word; word++) {
		putc(' ', file);
		shell_word(file, *word);
	}
	if (!options->argv)
		fputs(" sleep 10", file);
}

static void put_line(FILE *file, const struct stat_options *options, enum family family,
		     unsigned int node)
{
	const char *event = events[family][node];

	fprintf(file, "  %-24s ", topdown_node_name(node));
	if (!event && (node != TOPDOWN_MEMORY_BOUND || family == FAMILY_NONE)) {
		fputs("no event is published for it\n", file);
		return;
	}
	if (event)
		fprintf(file, "perf record -e %s", event);
	else
		fputs("perf mem record", file);
	put_subject(file, options);
	putc('\n', file);
}

/**
 * locate_print - say how to find the code that loses the slots
 * @file: where to
 * @options: the measurement
 * @info: the machine
 * @row: the row of the table
 *
 * Prints a line to be copied for each node that is over its threshold.
 */
void locate_print(FILE *file, const struct stat_options *options,
		  const struct topdown_info *info, const struct row *row)
{
	enum family family = family_of(info, row->source);
	uint32_t over = row_over(row);
	struct column_list list;
	unsigned int i;

	if (row_doubt(row) != ROW_JUDGED) {
		fprintf(file, "locate: %s, so no node can be named\n", row_doubt_text(row));
		return;
	}
	if (!over) {
		fputs("locate: no node is over its threshold\n", file);
		return;
	}
	fputs("locate:\n", file);
	/* The columns have the order of the tree. */
	columns_select(&list, TABLE_CPUS, LEVEL_MAX, over);
	for (i = 0; i < list.nr; i++) {
		const struct column *column = list.column[i];

		if (column_is_node(column) && over >> column->of & 1)
			put_line(file, options, family, column->of);
	}
}
