// SPDX-License-Identifier: GPL-2.0
/*
 * topdown report: the owners of a recording, as rows.
 */
#include <errno.h>
#include <string.h>

#include "columns.h"
#include "message.h"
#include "owner-table.h"

/* The table below that of slots has the first ones. */
#define TABLE_TOP_ROWS	20

static int no_memory(void)
{
	return message_fail(EXIT_RUNTIME, "cannot report: %s", strerror(ENOMEM));
}

/* Tables have level 1 unless more was asked for: a level, or an order that only level 2 shows. */
static unsigned int level_of(const struct report_options *options)
{
	if (options->level)
		return options->level;
	if (options->sort.key == OWNER_KEY_NODE && topdown_node_level(options->sort.node) > 1)
		return 2;
	return options->output.format == OUTPUT_TABLE ? 1 : 2;
}

static uint32_t row_end(const struct report_options *options, const struct owner_listing *listing,
			uint64_t usual)
{
	uint64_t top = options->top ? options->top : usual;

	return top && top < listing->nr ? top : listing->nr;
}

static void put_step_title(const struct report_options *options,
			   const struct owner_listing *listing, size_t step)
{
	const struct interval *interval = &listing->interval;

	fprintf(options->output.file, "%suntil ", step ? "\n" : "");
	report_time(options->output.file, interval->time, true);
	fprintf(options->output.file, ", %.3f s\n", interval->length);
}

/* The first lines are those of all tables of a recording. */
static void put_head(const struct report_options *options, const struct owner_listing *listing)
{
	if (options->output.header) {
		report_head(options->output.file, listing->summary);
		putc('\n', options->output.file);
	}
	owner_table_title(options, listing);
}

/* Rows for programs. */
static int print_rows(struct report_options *options, struct owner_listing *listing)
{
	uint32_t from, end = row_end(options, listing, 0);
	int ret = 0;

	for (from = 0; from < end && !ret; from += OWNER_ROWS) {
		owner_listing_rows(listing, from, end);
		ret = output_interval(&options->output, &listing->interval);
	}
	return ret;
}

static int print_all(struct report_options *options, struct owner_listing *listing)
{
	owner_listing_all(listing);
	if (!listing->nr && (options->pids.nr || options->cgroups))
		message_note("%s has no owner that -p or -G names",
			     listing->summary->recording.name);
	if (options->output.format != OUTPUT_TABLE)
		return print_rows(options, listing);
	put_head(options, listing);
	owner_table(options, listing, row_end(options, listing, 0));
	return output_flush(&options->output);
}

static int print_step(struct report_options *options, struct owner_listing *listing, size_t step)
{
	owner_listing_step(listing, step);
	if (!listing->nr)
		return 0;
	if (options->output.format != OUTPUT_TABLE)
		return print_rows(options, listing);
	put_step_title(options, listing, step);
	owner_table(options, listing, row_end(options, listing, 0));
	return output_flush(&options->output);
}

static int print_steps(struct report_options *options, struct owner_listing *listing)
{
	size_t step;
	int ret = 0;

	if (options->output.format == OUTPUT_TABLE)
		put_head(options, listing);
	for (step = 0; step < listing->summary->owners.nr_steps && !ret; step++)
		ret = print_step(options, listing, step);
	return ret;
}

static bool has_key(const struct report_options *options, const struct summary *summary,
		    uint32_t nodes)
{
	const struct owner_sort *sort = &options->sort;

	if (sort->key == OWNER_KEY_NODE)
		return nodes >> sort->node & 1;
	return sort->key != OWNER_KEY_IPC || owner_listing_ipc(summary);
}

/* Rows that are sorted by nothing would look as if they were sorted. */
static int sort_there(const struct report_options *options, const struct summary *summary)
{
	uint32_t nodes = owner_listing_nodes(summary);
	char allowed[512] = OWNER_SORT_BASE;
	unsigned int node;

	if (!options->sort.given || has_key(options, summary, nodes))
		return 0;
	if (owner_listing_ipc(summary))
		strcat(allowed, ", " OWNER_SORT_IPC);
	for (node = 0; topdown_node_name(node); node++) {
		if (nodes >> node & 1) {
			strcat(allowed, ", ");
			strcat(allowed, topdown_node_name(node));
		}
	}
	return message_fail(EXIT_USAGE, "--sort: the owners of %s have no %s (allowed: %s)",
			    summary->recording.name, owner_sort_name(&options->sort), allowed);
}

/**
 * report_owners_there - does the recording have the owners that the command line is about?
 * @options: the command line
 * @summary: summary
 *
 * Return: 0, or an exit code after a message.
 */
int report_owners_there(const struct report_options *options, const struct summary *summary)
{
	const struct recording *recording = &summary->recording;
	bool asked = options->owners || options->sort.given || options->top || options->self ||
		     options->pids.nr || options->cgroups;
	bool cgroups = recording->owners.kind == TOPDOWN_OWNERS_CGROUPS;

	if (!asked)
		return 0;
	if (!recording->owners.there)
		return message_fail(EXIT_USAGE, "%s has no owners (topdown record --by process, or --by cgroup, records them)",
				    recording->name);
	if (options->by == (cgroups ? OWNER_BY_PROCESS : OWNER_BY_CGROUP))
		return message_fail(EXIT_USAGE, "--by: %s has %s (topdown record --by decides it)",
				    recording->name, cgroups ? "cgroups" : "processes");
	if (options->pids.nr && cgroups)
		return message_fail(EXIT_USAGE,
				    "-p names processes, and %s has cgroups (allowed: -G)",
				    recording->name);
	if (options->cgroups && !cgroups)
		return message_fail(EXIT_USAGE,
				    "-G names cgroups, and %s has processes (allowed: %s)",
				    recording->name, options->diff ? "without -G" : "-p");
	if (options->self && !cgroups)
		return message_fail(EXIT_USAGE, "--self is about cgroups, and %s has processes (allowed: without --self)",
				    recording->name);
	return sort_there(options, summary);
}

/**
 * report_owners - print the owners, and no CPUs
 * @options: the command line
 * @summary: summary, which has owners
 *
 * Return: exit code.
 */
int report_owners(struct report_options *options, const struct summary *summary)
{
	struct owner_listing *listing = owner_listing_make(options, summary, level_of(options));
	int ret;

	if (!listing)
		return no_memory();
	options->output.views = COLUMNS_TASKS | COLUMNS_OWNED;
	options->output.own = &owner_columns;
	ret = options->steps ? print_steps(options, listing) : print_all(options, listing);
	owner_listing_free(listing);
	return ret;
}

/**
 * report_owners_text - print the table of owners below those of slots, if there are any
 * @options: the command line
 * @summary: summary
 *
 * Return: 0, or an exit code after a message.
 */
int report_owners_text(const struct report_options *options, const struct summary *summary)
{
	struct owner_listing *listing;

	if (!summary->recording.owners.there)
		return 0;
	if (options->choice.has_cpus) {
		message_note("owners are of all CPUs, and left out with -C");
		return 0;
	}
	listing = owner_listing_make(options, summary, level_of(options));
	if (!listing)
		return no_memory();
	putc('\n', options->output.file);
	owner_listing_all(listing);
	owner_table_title(options, listing);
	owner_table(options, listing, row_end(options, listing, TABLE_TOP_ROWS));
	owner_listing_free(listing);
	return 0;
}
