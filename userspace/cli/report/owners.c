// SPDX-License-Identifier: GPL-2.0
/*
 * topdown report: the owners of a recording, as rows.
 */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "metrics.h"
#include "clock.h"
#include "columns.h"
#include "message.h"
#include "owner-listing.h"
#include "text.h"

/* The table below that of slots has the first ones. */
#define TABLE_TOP_ROWS	20

static int no_memory(void)
{
	message_error("cannot report: %s", strerror(ENOMEM));
	return EXIT_RUNTIME;
}

/* Tables have level 1 unless more was asked for. */
static unsigned int level_of(const struct report_options *options)
{
	if (options->level)
		return options->level;
	return options->output.format == OUTPUT_TABLE ? 1 : 2;
}

static uint32_t row_end(const struct report_options *options, const struct owner_listing *listing,
			uint64_t usual)
{
	uint64_t top = options->top ? options->top : usual;

	return top && top < listing->nr ? top : listing->nr;
}

/* Columns of the table: those of nodes, as in all tables. */
static void choose_nodes(const struct owner_listing *listing, struct column_list *list)
{
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
}

static bool is_wide(const struct owner_listing *listing)
{
	return listing->interval.level < 2;
}

static void put_headings(FILE *file, const struct owner_listing *listing,
			 const struct column_list *list)
{
	unsigned int i;

	fprintf(file, "%6s %9s", "share%", "on CPU s");
	for (i = 0; i < list->nr; i++) {
		const struct column_look *look = &list->column[i]->look;

		fprintf(file, " %*s", is_wide(listing) ? look->wide_width : look->width,
			is_wide(listing) ? look->wide_heading : look->heading);
	}
	fprintf(file, "  %5s  ID and name\n", "IPC");
}

/* The last column is as long as it is: paths are what tells cgroups apart. */
static void put_name(FILE *file, const struct row *row)
{
	if (row->kind == ROW_PROCESS)
		fprintf(file, "  %d %s\n", row->task->pid, row->name);
	else if (row->kind == ROW_CGROUP)
		fprintf(file, "  %llu %s\n", (unsigned long long)row->id, row->path);
	else
		fprintf(file, "  - %s\n", row->name);
}

static void put_row(FILE *file, const struct owner_listing *listing, const struct row *row,
		    const struct column_list *list)
{
	double ipc = topdown_figures_ipc(&row->figures);
	bool marked = false;
	char text[32];
	unsigned int i;

	fprintf(file, "%6.1f %9.3f", row->share * 100,
		row->figures.enabled_ns / (double)NS_PER_S);
	for (i = 0; i < list->nr; i++) {
		const struct column_look *look = &list->column[i]->look;

		column_text(text, sizeof(text), list->column[i], row, is_wide(listing));
		fprintf(file, "%c%*s", marked ? '*' : ' ',
			is_wide(listing) ? look->wide_width : look->width, text);
		marked = row_marked(row, list->column[i]->of);
	}
	fprintf(file, "%c ", marked ? '*' : ' ');
	if (isnan(ipc))
		fprintf(file, "%5s", "-");
	else
		fprintf(file, "%5.2f", ipc);
	put_name(file, row);
}

static void put_rows(FILE *file, struct owner_listing *listing, const struct column_list *list,
		     uint32_t end)
{
	uint32_t from, i;

	for (from = 0; from < end; from += OWNER_ROWS) {
		owner_listing_rows(listing, from, end);
		for (i = 0; i < listing->interval.nr; i++)
			put_row(file, listing, &listing->interval.row[i], list);
	}
	if (end < listing->nr)
		fprintf(file, "%u more (--top)\n", listing->nr - end);
}

static void put_table(const struct report_options *options, struct owner_listing *listing,
		      uint32_t end)
{
	FILE *file = options->output.file;
	struct column_list list;

	choose_nodes(listing, &list);
	if (options->output.header)
		put_headings(file, listing, &list);
	put_rows(file, listing, &list, end);
}

static void put_title(const struct report_options *options, const struct owner_listing *listing)
{
	const struct owner_list *owners = &listing->summary->recording.owners;
	FILE *file = options->output.file;

	fputs(owners->kind == TOPDOWN_OWNERS_CGROUPS ? "cgroups" : "processes", file);
	if (owners->depth)
		fprintf(file, " down to level %u", owners->depth);
	if (owners->kind == TOPDOWN_OWNERS_CGROUPS)
		fputs(options->self ? ", each without those below it" :
				      ", each with all below it", file);
	fputs("; % of their slots; share: of the slots of all, with idle time\n", file);
}

static void put_step_title(const struct report_options *options,
			   const struct owner_listing *listing, size_t step)
{
	const struct interval *interval = &listing->interval;
	time_t seconds = interval->time;
	struct tm local;
	char text[64] = "?";

	if (!localtime_r(&seconds, &local))
		memset(&local, 0, sizeof(local));
	strftime(text, sizeof(text), "%H:%M:%S", &local);
	fprintf(options->output.file, "%suntil %s.%03u, %.3f s\n", step ? "\n" : "", text,
		(unsigned int)((interval->time - seconds) * 1000), interval->length);
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
	if (options->output.format != OUTPUT_TABLE)
		return print_rows(options, listing);
	put_title(options, listing);
	put_table(options, listing, row_end(options, listing, 0));
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
	put_table(options, listing, row_end(options, listing, 0));
	return output_flush(&options->output);
}

static int print_steps(struct report_options *options, struct owner_listing *listing)
{
	size_t step;
	int ret = 0;

	if (options->output.format == OUTPUT_TABLE)
		put_title(options, listing);
	for (step = 0; step < listing->summary->owners.nr_steps && !ret; step++)
		ret = print_step(options, listing, step);
	return ret;
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
	bool asked = options->owners || options->sort.given || options->top || options->self;

	if (!asked)
		return 0;
	if (!recording->owners.there) {
		message_error("%s has no owners (topdown record --by process, or --by cgroup, records them)",
			      recording->name);
		return EXIT_USAGE;
	}
	if (options->self && recording->owners.kind != TOPDOWN_OWNERS_CGROUPS) {
		message_error("--self is about cgroups, and %s has processes (allowed: without --self)",
			      recording->name);
		return EXIT_USAGE;
	}
	return 0;
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
	options->output.owned = true;
	options->output.tasks = true;
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
	put_title(options, listing);
	put_table(options, listing, row_end(options, listing, TABLE_TOP_ROWS));
	owner_listing_free(listing);
	return 0;
}
