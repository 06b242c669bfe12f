// SPDX-License-Identifier: GPL-2.0
/*
 * Rows for people.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "text.h"
#include "where-output.h"

#define FUNCTION_WIDTH	32
#define PLACE_WIDTH	24

const char *where_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

size_t where_shown(const struct where_run *run, const struct where_rows *rows)
{
	return rows->nr < run->options->rows ? rows->nr : run->options->rows;
}

void where_function_text(char *text, size_t size, const struct where_run *run,
			 const struct where_row *row)
{
	if (row->symbol->name)
		snprintf(text, size, "%s", row->symbol->name);
	else if (run->options->by == WHERE_INSTRUCTION)
		snprintf(text, size, "0x%" PRIx64, row->place.address);
	else
		snprintf(text, size, "(no symbol)");
}

/* Without a function, an address says more than the file, if there is room for all of it. */
static bool put_nameless(char *text, size_t size, const struct where_row *row, const char *path)
{
	if (row->symbol->name || *path != '/')
		return false;
	return snprintf(text, size, "%s+0x%" PRIx64, where_base(path), row->place.address) <=
	       PLACE_WIDTH;
}

void where_place_text(char *text, size_t size, const struct where_run *run,
		      const struct where_row *row)
{
	const char *path = where_symbols_object(run->symbols, row->place.object);
	const char *object = where_base(path);
	uint64_t offset = row->place.address - row->symbol->start;

	if (run->options->by == WHERE_INSTRUCTION && row->symbol->name)
		snprintf(text, size, "%s+0x%" PRIx64, object, offset);
	else if (row->symbol->file && row->symbol->line)
		snprintf(text, size, "%s:%u", where_base(row->symbol->file), row->symbol->line);
	else if (run->options->by == WHERE_INSTRUCTION || !put_nameless(text, size, row, path))
		snprintf(text, size, "%s", object);
}

static void put_head(FILE *file, const struct where_domain *domain, const struct where_rows *rows)
{
	char samples[GROUPED_SIZE];

	grouped_text(samples, rows->samples);
	fprintf(file, "\n%s: %.1f%% of the slots%s%s, located by %s sample%s\n",
		topdown_node_name(rows->node), rows->node_share * 100,
		domain->name ? " of " : "", domain->name ? domain->name : "", samples,
		rows->samples == 1 ? "" : "s");
}

static void put_row(FILE *file, const struct where_run *run, const struct where_rows *rows,
		    const struct where_row *row)
{
	const char *from = topdown_stall_source_name(row->from);
	const char *stage = topdown_stall_stage_name(row->stage);
	const char *reason = topdown_stall_reason_name(row->reason);
	char function[256], place[256], cycles[16] = "-";

	where_function_text(function, sizeof(function), run, row);
	where_place_text(place, sizeof(place), run, row);
	if (!isnan(row->cycles))
		snprintf(cycles, sizeof(cycles), "%.0f", row->cycles);
	fprintf(file, "%6.1f%% %5.1f %6.1f%% %8.0f  %-*.*s %-*.*s %-7s %-24s %-14s %6s\n",
		row->share * 100, row->error * 100, row->share * rows->node_share * 100,
		row->samples, FUNCTION_WIDTH, FUNCTION_WIDTH, function, PLACE_WIDTH, PLACE_WIDTH,
		place, stage ? stage : "-", reason ? reason : "-", from ? from : "-", cycles);
}

static void put_rest(FILE *file, const struct where_run *run, const struct where_rows *rows)
{
	size_t shown = where_shown(run, rows), i;
	double share = 0;

	for (i = shown; i < rows->nr; i++)
		share += rows->row[i].share;
	if (shown < rows->nr)
		fprintf(file, "%6.1f%%  in %zu more rows (-n)\n", share * 100, rows->nr - shown);
}

void where_table(FILE *file, const struct where_run *run, const struct where_domain *domain,
		 const struct where_rows *rows)
{
	size_t i;

	put_head(file, domain, rows);
	if (!rows->nr) {
		fputs("no sample says where\n", file);
		where_missing_lines(file, run, domain, rows->node);
		return;
	}
	if (run->options->output.header)
		fprintf(file, "%7s %5s %7s %8s  %-*s %-*s %-7s %-24s %-14s %6s\n", "of node", "+-",
			"of all", "samples", FUNCTION_WIDTH, "function", PLACE_WIDTH, "most at",
			"stage", "reason", "from", "cycles");
	for (i = 0; i < where_shown(run, rows); i++)
		put_row(file, run, rows, &rows->row[i]);
	put_rest(file, run, rows);
	where_missing_lines(file, run, domain, rows->node);
}
