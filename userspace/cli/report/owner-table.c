// SPDX-License-Identifier: GPL-2.0
/*
 * topdown report: the table of owners.
 */
#include "owner-table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics.h"
#include "clock.h"
#include "columns.h"
#include "owner-name.h"

/**
 * struct table - a table of owners
 * @file: where to
 * @listing: the owners
 * @list: columns of nodes
 * @by_node: a column has the slots of the node that it is sorted by
 * @has_time: a column has the time on CPUs
 * @has_ipc: a column has the instructions per cycle
 * @limit: characters of a line; 0 for no limit
 */
struct table {
	FILE *file;
	const struct owner_listing *listing;
	struct column_list list;
	bool by_node;
	bool has_time;
	bool has_ipc;
	unsigned int limit;
};

enum heading {
	HEADING_SHARE,
	HEADING_SORT,
};

static const struct report_word headings[] = {
	[HEADING_SHARE] = {
		"share%", "percent of the slots of all owners, with idle time"
	},
	[HEADING_SORT] = {
		"sort%", "slots of the node that rows are sorted by, in percent of those of all"
	},
};

static bool is_wide(const struct table *table)
{
	return table->listing->interval.level < 2;
}

static unsigned int width_of(const struct table *table, const struct column *column)
{
	return is_wide(table) ? column->look.wide_width : column->look.width;
}

/* All columns before the number and the name. */
static unsigned int table_width(const struct table *table)
{
	unsigned int i, width = strlen(headings[HEADING_SHARE].word) + 1;

	width += table->by_node ? strlen("  ") + strlen(headings[HEADING_SORT].word) : 0;
	width += table->has_time ? strlen("  on CPU s") : 0;
	width += table->has_ipc ? strlen("   IPC") : 0;
	for (i = 0; i < table->list.nr; i++)
		width += width_of(table, table->list.column[i]) + 1;
	return width;
}

static bool is_full(const struct table *table)
{
	return table->limit && table_width(table) + OWNER_NAMES_LEAST > table->limit;
}

/* Leave out first what the others say: light operations are retiring without the heavy ones. */
static void fit(struct table *table, const struct owner_sort *sort)
{
	if (is_full(table))
		columns_drop_node(&table->list, TOPDOWN_LIGHT_OPERATIONS);
	if (is_full(table) && sort->key != OWNER_KEY_IPC)
		table->has_ipc = false;
	if (is_full(table) && sort->key != OWNER_KEY_TIME)
		table->has_time = false;
}

/* Columns of nodes are as in all tables. */
static void choose(struct table *table)
{
	const struct owner_listing *listing = table->listing;
	struct column_list *list = &table->list;
	uint32_t nodes = 0, i;
	unsigned int at, nr = 0;

	for (i = 0; i < listing->nr; i++)
		nodes |= td_nodes_of_figures(&listing->sum[listing->place[i].owner].figures);
	columns_select(list, TABLE_TASKS, listing->interval.level, nodes);
	for (at = 0; at < list->nr; at++) {
		if (column_is_node(list->column[at]))
			list->column[nr++] = list->column[at];
	}
	list->nr = nr;
	fit(table, listing->sort);
}

static void put_headings(const struct table *table)
{
	FILE *file = table->file;
	unsigned int i;

	fputs(headings[HEADING_SHARE].word, file);
	if (table->by_node)
		fprintf(file, "  %s", headings[HEADING_SORT].word);
	if (table->has_time)
		fputs("  on CPU s", file);
	for (i = 0; i < table->list.nr; i++) {
		const struct column_look *look = &table->list.column[i]->look;

		fprintf(file, " %*s", (int)width_of(table, table->list.column[i]),
			is_wide(table) ? look->wide_heading : look->heading);
	}
	fprintf(file, "%s   " OWNER_HEADING "\n", table->has_ipc ? "   IPC" : "");
}

static void put_ratios(const struct table *table, const struct row *row)
{
	bool marked = false;
	char text[32];
	unsigned int i;

	for (i = 0; i < table->list.nr; i++) {
		const struct column *column = table->list.column[i];

		column_text(text, sizeof(text), column, row, is_wide(table));
		fprintf(table->file, "%c%*s", marked ? '*' : ' ', (int)width_of(table, column),
			text);
		marked = row_marked(row, column->of);
	}
	putc(marked ? '*' : ' ', table->file);
}

static void put_row(const struct table *table, const struct row *row)
{
	double ipc = topdown_figures_ipc(&row->figures);
	const struct owner_listing *listing = table->listing;
	FILE *file = table->file;

	fprintf(file, "%6.1f", row->owner->share * 100);
	if (table->by_node)
		fprintf(file, " %6.1f", listing->slots ?
			100.0 * row->figures.node[listing->sort->node] / listing->slots : 0);
	if (table->has_time)
		fprintf(file, " %9.3f", row->figures.enabled_ns / (double)NS_PER_S);
	put_ratios(table, row);
	if (table->has_ipc && isnan(ipc))
		fprintf(file, " %5s", "-");
	else if (table->has_ipc)
		fprintf(file, " %5.2f", ipc);
	owner_name_put(file, row, table_width(table), table->limit);
}

/* A cgroup has the slots of those below it, so shares of cgroups add up only without these. */
static void put_rest(const struct table *table, uint32_t end)
{
	const struct owner_listing *listing = table->listing;
	bool trees = listing->summary->recording.owners.kind == TOPDOWN_OWNERS_CGROUPS &&
		     !listing->self;
	uint64_t slots = 0;
	uint32_t i;

	if (end == listing->nr)
		return;
	fprintf(table->file, "%u more", listing->nr - end);
	for (i = end; i < listing->nr; i++)
		slots += listing->place[i].slots;
	if (!trees && listing->slots)
		fprintf(table->file, ", %.1f%%", 100.0 * slots / listing->slots);
	fputs(" (--top)\n", table->file);
}

/**
 * owner_table_title - say what the table is about, and by what it is sorted
 * @options: the command line
 * @listing: the owners
 */
void owner_table_title(const struct report_options *options, const struct owner_listing *listing)
{
	const struct owner_list *owners = &listing->summary->recording.owners;
	const struct owner_sort *sort = listing->sort;
	FILE *file = options->output.file;

	fputs(owners->kind == TOPDOWN_OWNERS_CGROUPS ? "cgroups" : "processes", file);
	if (owners->depth)
		fprintf(file, " down to level %u", owners->depth);
	if (owners->kind == TOPDOWN_OWNERS_CGROUPS)
		fputs(options->self ? ", each without those below it" :
				      ", each with all below it", file);
	fputs("; % of their slots; share: of the slots of all, with idle time\n", file);
	fprintf(file, "sorted by %s", owner_sort_name(sort));
	fputs(sort->key == OWNER_KEY_NODE ? "; sort%: its slots, of the slots of all\n" : "\n",
	      file);
	if (options->output.header && listing->interval.level > 1)
		output_legend(file);
}

/**
 * owner_table - print a table
 * @options: the command line
 * @listing: the owners, of all or of a step
 * @end: rows
 */
void owner_table(const struct report_options *options, struct owner_listing *listing, uint32_t end)
{
	struct table table = {
		.file = options->output.file,
		.listing = listing,
		.by_node = listing->sort->key == OWNER_KEY_NODE,
		.has_time = true,
		.has_ipc = true,
		.limit = owner_line_limit(options->output.file),
	};
	uint32_t from, i;

	choose(&table);
	if (options->output.header)
		put_headings(&table);
	for (from = 0; from < end; from += OWNER_ROWS) {
		owner_listing_rows(listing, from, end);
		for (i = 0; i < listing->interval.nr; i++)
			put_row(&table, &listing->interval.row[i]);
	}
	put_rest(&table, end);
}

/**
 * owner_table_meaning - what a heading means that no other table has
 * @word: heading
 *
 * Return: some words; NULL for another word.
 */
const char *owner_table_meaning(const char *word)
{
	unsigned int i;

	for (i = 0; i < sizeof(headings) / sizeof(headings[0]); i++) {
		if (!strcmp(headings[i].word, word))
			return headings[i].meaning;
	}
	return NULL;
}
