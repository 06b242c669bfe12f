// SPDX-License-Identifier: GPL-2.0
/*
 * Tables for people.  One row an interval is printed as a tree, a node a line;
 * several rows a CPU a line.  The bottleneck is marked in both.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "output.h"

#define BAR_WIDTH	24

#define COLOUR_MARK	"\033[1;31m"
#define COLOUR_OFF	"\033[0m"

static bool is_marked(const struct row *row, int node)
{
	int bottleneck = row_bottleneck(row);

	return node == bottleneck || node == row_bottleneck_child(row, bottleneck);
}

static void mark_on(const struct output *output, bool marked)
{
	if (marked && output->colour)
		fputs(COLOUR_MARK, output->file);
}

static void mark_off(const struct output *output, bool marked)
{
	if (marked && output->colour)
		fputs(COLOUR_OFF, output->file);
}

static void percent(char *text, size_t size, uint32_t ratio, const char *unit)
{
	if (ratio == TOPDOWN_RATIO_NONE)
		snprintf(text, size, "-");
	else
		snprintf(text, size, "%.1f%s", ratio * 100.0 / TOPDOWN_RATIO_ONE, unit);
}

/* What a reader must know to trust a row; nothing if it says all there is. */
static void remark(const struct output *output, const struct row *row, const char *before)
{
	double running = 0;

	if (row->state != TOPDOWN_STATE_OK && row->state != TOPDOWN_STATE_CONTENDED)
		fprintf(output->file, "%s%s", before, topdown_state_name(row->state));
	if (row_running(row, &running) && running < ROW_RUNNING_FULL)
		fprintf(output->file, "%srunning %.1f%%", before, running * 100);
}

static void headline(const struct output *output, const struct interval *interval)
{
	const struct row *row = &interval->row[0];

	fprintf(output->file, "elapsed %.3f s, interval %.3f s, %u CPU%s, %llu slots",
		interval->elapsed, interval->length, row->nr_cpus,
		row->nr_cpus == 1 ? "" : "s", row->figures.slots);
	remark(output, row, ", ");
	putc('\n', output->file);
}

static void bar(const struct output *output, uint32_t ratio)
{
	unsigned int i, length = 0;

	if (ratio != TOPDOWN_RATIO_NONE)
		length = ((uint64_t)ratio * BAR_WIDTH + TOPDOWN_RATIO_ONE / 2) /
			 TOPDOWN_RATIO_ONE;
	fputs("  ", output->file);
	for (i = 0; i < BAR_WIDTH; i++)
		putc(i < length ? '#' : ' ', output->file);
}

static void tree_line(const struct output *output, const struct row *row, unsigned int node)
{
	int indent = 2 * topdown_node_level(node);
	uint32_t ratio = row->figures.ratio[node];
	bool marked = is_marked(row, node);
	char text[16];

	percent(text, sizeof(text), ratio, "%");
	mark_on(output, marked);
	fprintf(output->file, "%*s%-*s%7s", indent, "", 28 - indent,
		topdown_node_name(node), text);
	if (output->bars)
		bar(output, ratio);
	if (marked)
		fputs("  <- bottleneck", output->file);
	mark_off(output, marked);
	putc('\n', output->file);
}

static void tree(const struct output *output, const struct interval *interval)
{
	unsigned int i;

	for (i = 0; i < NR_COLUMNS; i++) {
		if (topdown_node_level(columns[i].node) <= interval->level)
			tree_line(output, &interval->row[0], columns[i].node);
	}
}

/* Level 2 has many columns, so they are narrow; a column ends with its mark. */
static int column_width(const struct interval *interval)
{
	return interval->level > 1 ? 5 : 9;
}

static void headings(const struct output *output, const struct interval *interval)
{
	int width = column_width(interval);
	unsigned int i;

	fprintf(output->file, "%4s ", "CPU");
	for (i = 0; i < NR_COLUMNS; i++) {
		if (topdown_node_level(columns[i].node) > interval->level)
			continue;
		fprintf(output->file, "%*s%s", width, interval->level > 1 ?
			columns[i].heading : columns[i].heading_level1,
			i == NR_COLUMNS - 1 ? "" : " ");
	}
	if (interval->level < 2)
		fprintf(output->file, "%17s", "slots");
	putc('\n', output->file);
}

static void cell(const struct output *output, const struct row *row, unsigned int node,
		 int width, bool is_last)
{
	const char *behind = is_last ? "" : " ";
	bool marked = is_marked(row, node);
	char text[16];

	percent(text, sizeof(text), row->figures.ratio[node], "");
	mark_on(output, marked);
	fprintf(output->file, "%*s%s", width, text, marked ? "*" : behind);
	mark_off(output, marked);
}

static void line(const struct output *output, const struct interval *interval,
		 const struct row *row)
{
	unsigned int i;

	if (row->cpu == TOPDOWN_CPU_ALL)
		fprintf(output->file, "%4s ", "all");
	else
		fprintf(output->file, "%4" PRIu32 " ", row->cpu);
	for (i = 0; i < NR_COLUMNS; i++) {
		if (topdown_node_level(columns[i].node) <= interval->level)
			cell(output, row, columns[i].node, column_width(interval),
			     i == NR_COLUMNS - 1);
	}
	if (interval->level < 2)
		fprintf(output->file, "%17llu", row->figures.slots);
	remark(output, row, " ");
	putc('\n', output->file);
}

void output_table(const struct output *output, const struct interval *interval)
{
	unsigned int i;

	if (output->started)
		putc('\n', output->file);
	headline(output, interval);
	if (output->tree) {
		tree(output, interval);
		return;
	}
	if (output->header)
		headings(output, interval);
	for (i = 0; i < interval->nr; i++)
		line(output, interval, &interval->row[i]);
}
