// SPDX-License-Identifier: GPL-2.0
/*
 * Tables for people.  One row an interval is printed as a tree, a node a line;
 * several rows a line each.  The bottleneck is marked in both.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "output.h"
#include "repeat.h"
#include "task.h"

#define BAR_WIDTH	24
#define NS_PER_S	1000000000.0

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

static void put_slots(const struct output *output, const struct row *row)
{
	char text[GROUPED_SIZE];

	grouped_text(text, row->figures.slots);
	fprintf(output->file, "; %% of %s slots", text);
}

/* A word of what is remarked, with what stands between it and the last. */
static void remark(const struct output *output, const char **before, const char *word)
{
	fprintf(output->file, "%s%s", *before, word);
	*before = ", ";
}

static bool is_partial(const struct row *row, double *running)
{
	return row_running(row, running) && *running < ROW_RUNNING_FULL;
}

/* How the figures came about, as far as it limits what they say. */
static void remark_flags(const struct output *output, const struct row *row, const char **before)
{
	unsigned int i;

	for (i = 0; row->flags_known && i < ROW_FLAGS; i++) {
		if (row->flags & row_flags[i].flag)
			remark(output, before, row_flags[i].word);
	}
}

/* What a reader must know to trust a row of CPUs; nothing if it says all there is. */
static void remark_cpus(const struct output *output, const struct row *row, const char **before)
{
	char text[32];
	double running = 0;
	bool partial = is_partial(row, &running);
	/* A sum over many CPUs is too near 1 to say it of one. */
	bool hidden = row->kind == ROW_ALL || row_turns(row) || !partial;

	if (row->state != TOPDOWN_STATE_OK && (row->state != TOPDOWN_STATE_CONTENDED || hidden))
		remark(output, before, topdown_state_name(row->state));
	if (partial) {
		snprintf(text, sizeof(text), "running %.1f%%", running * 100);
		remark(output, before, text);
	}
}

static void headline(const struct output *output, const struct interval *interval)
{
	const struct row *row = &interval->row[0];
	const char *before = "";

	fprintf(output->file, "elapsed %.3f s, interval %.3f s, %u CPU%s",
		interval->elapsed, interval->length, row->nr_cpus,
		row->nr_cpus == 1 ? "" : "s");
	put_slots(output, row);
	putc('\n', output->file);
	if (row->source == TOPDOWN_SOURCE_MIXED)
		remark(output, &before, "of P- and E-cores mixed: see -A");
	remark_cpus(output, row, &before);
	remark_flags(output, row, &before);
	if (*before)
		putc('\n', output->file);
}

static void spread(const struct output *output, const struct spread *of)
{
	double error;

	if (spread_relative(of, &error))
		fprintf(output->file, " +- %.1f%%", error * 100);
}

/* A figure of a task says nothing without the time that it covers. */
static void coverage(const struct output *output, const struct interval *interval,
		     const struct row *row)
{
	double running;

	fprintf(output->file, "on CPU %.3f s, running ", row->figures.enabled_ns / NS_PER_S);
	if (row_running(row, &running))
		fprintf(output->file, "%.1f%%", running * 100);
	else
		putc('-', output->file);
	if (row->merged_ns && row->figures.enabled_ns)
		fprintf(output->file, ", merged %.1f%%",
			100.0 * row->merged_ns / row->figures.enabled_ns);
	put_slots(output, row);
	if (interval->repeat)
		spread(output, &interval->repeat->slots);
}

/* Where it was, of a hybrid machine: the slots of the two kinds are not alike. */
static void kinds(const struct output *output, const struct row *row, const char **before)
{
	double all = row->core.enabled_ns + row->atom.enabled_ns;
	char text[64];

	if (!row_hybrid(row))
		return;
	snprintf(text, sizeof(text), "on P-cores %.1f%%, on E-cores %.1f%%",
		 100 * row->core.enabled_ns / all, 100 * row->atom.enabled_ns / all);
	remark(output, before, text);
}

/* The end of a task is no remark, but that it was lost is. */
static void remark_task(const struct output *output, const struct row *row,
			const char **before)
{
	if (row->state != TOPDOWN_SESSION_RUNNING && row->state != TOPDOWN_SESSION_EXITED)
		remark(output, before, row_state(row));
	if (row->incomplete)
		remark(output, before, "incomplete");
}

static void task_headline(const struct output *output, const struct interval *interval)
{
	const struct row *row = &interval->row[0];
	const struct task *task = row->task;
	const char *before = "";

	if (interval->repeat) {
		fprintf(output->file, "%u run%s of %s, elapsed %.3f s",
			interval->repeat->runs, interval->repeat->runs == 1 ? "" : "s",
			task->name, interval->length);
		spread(output, &interval->repeat->length);
	} else {
		fprintf(output->file, "elapsed %.3f s, interval %.3f s", interval->elapsed,
			interval->length);
		if (output->tree)
			fprintf(output->file, ", %s %d (%s)", task->tid ? "thread" : "process",
				task->tid ? task->tid : task->pid, task->name);
		else
			fputs("; % of slots", output->file);
	}
	putc('\n', output->file);
	if (!output->tree)
		return;
	coverage(output, interval, row);
	putc('\n', output->file);
	kinds(output, row, &before);
	remark_task(output, row, &before);
	remark_flags(output, row, &before);
	if (*before)
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

static void tree_kinds(const struct output *output, const struct row *row, unsigned int node)
{
	char core[16], atom[16];

	percent(core, sizeof(core), row->core.ratio[node], "%");
	percent(atom, sizeof(atom), row->atom.ratio[node], "%");
	fprintf(output->file, "  P %7s  E %7s", core, atom);
}

static void tree_line(const struct output *output, const struct interval *interval,
		      unsigned int node)
{
	const struct row *row = &interval->row[0];
	int indent = 2 * topdown_node_level(node);
	uint32_t ratio = row->figures.ratio[node];
	bool marked = is_marked(row, node);
	char text[16];

	percent(text, sizeof(text), ratio, "%");
	mark_on(output, marked);
	fprintf(output->file, "%*s%-*s%7s", indent, "", 28 - indent,
		topdown_node_name(node), text);
	if (row_hybrid(row))
		tree_kinds(output, row, node);
	else if (interval->repeat && ratio != TOPDOWN_RATIO_NONE)
		spread(output, &interval->repeat->node[node]);
	else if (output->bars && ratio != TOPDOWN_RATIO_NONE)
		bar(output, ratio);
	if (ratio == TOPDOWN_RATIO_NONE && row->figures.slots && !row_hybrid(row))
		fputs("  not measured", output->file);
	if (marked)
		fputs("  <- bottleneck", output->file);
	mark_off(output, marked);
	putc('\n', output->file);
}

static void tree(const struct output *output, const struct interval *interval)
{
	uint32_t nodes = interval_nodes(interval);
	unsigned int i;

	for (i = 0; i < NR_COLUMNS; i++) {
		if (column_shown(columns[i].node, interval->level, nodes))
			tree_line(output, interval, columns[i].node);
	}
}

/* Level 2 has many columns, so they are narrow; a column ends with its mark. */
static int column_width(const struct interval *interval)
{
	return interval->level > 1 ? 5 : 9;
}

/* With the slots of each CPU, a line of level 2 just fits 80 columns. */
static int cpu_width(const struct interval *interval)
{
	if (interval->nr > 1 && interval->row[1].kind == ROW_CORE)
		return 9;
	return interval->level > 1 ? 3 : 4;
}

static const char *subject_heading(const struct interval *interval)
{
	if (interval->nr < 2)
		return "CPU";
	switch (interval->row[1].kind) {
	case ROW_CORE:
		return "core";
	case ROW_SOCKET:
		return "socket";
	case ROW_NODE:
		return "node";
	default:
		return "CPU";
	}
}

/* What the headings of level 2 stand for, once. */
static void legend(const struct output *output, const struct interval *interval)
{
	if (output->started || interval->level < 2)
		return;
	fputs("RETIRing: light, heavy operations; BAD SPeculation: branch MISPRedicts, machine\n"
	      "CLEARs; FRONT end bound: Fetch LATency, Fetch BandWidth; BACK end bound: MEMory,\n"
	      "CORE, RESouRCe bound; SMT: contention with the other thread; *: bottleneck\n",
	      output->file);
}

static void headings(const struct output *output, const struct interval *interval)
{
	uint32_t nodes = interval_nodes(interval);
	int width = column_width(interval);
	unsigned int i;

	if (interval->tasks)
		fprintf(output->file, "%7s %-15s ", "ID", "name");
	else
		fprintf(output->file, "%*s ", cpu_width(interval), subject_heading(interval));
	for (i = 0; i < NR_COLUMNS; i++) {
		if (!column_shown(columns[i].node, interval->level, nodes))
			continue;
		fprintf(output->file, "%*s ", width, interval->level > 1 ?
			columns[i].heading : columns[i].heading_level1);
	}
	if (interval->tasks)
		fprintf(output->file, "%9s %5s", "on CPU s", "run%");
	else if (interval->level < 2)
		fprintf(output->file, "%17s", "slots");
	else
		fprintf(output->file, "%4s", "slot");
	putc('\n', output->file);
}

static void cell(const struct output *output, const struct row *row, unsigned int node,
		 int width)
{
	bool marked = is_marked(row, node);
	char text[16];

	percent(text, sizeof(text), row->figures.ratio[node], "");
	mark_on(output, marked);
	fprintf(output->file, "%*s%s", width, text, marked ? "*" : " ");
	mark_off(output, marked);
}

/* Cores are numbered in each socket. */
static const char *subject_text(char *text, size_t size, const struct row *row)
{
	switch (row->kind) {
	case ROW_CPU:
		snprintf(text, size, "%" PRIu32, row->cpu);
		break;
	case ROW_CORE:
		snprintf(text, size, "S%d-C%d", row->socket, row->core_id);
		break;
	case ROW_SOCKET:
		snprintf(text, size, "S%d", row->socket);
		break;
	case ROW_NODE:
		snprintf(text, size, "N%d", row->numa);
		break;
	default:
		snprintf(text, size, "all");
		break;
	}
	return text;
}

static void line_start(const struct output *output, const struct interval *interval,
		       const struct row *row)
{
	int width = cpu_width(interval);
	const struct task *task = row->task;
	char text[32];

	if (task)
		fprintf(output->file, "%7d %-15.15s ", task->tid ? task->tid : task->pid,
			task->name);
	else
		fprintf(output->file, "%*s ", width, subject_text(text, sizeof(text), row));
}

static void cpu_line_end(const struct output *output, const struct interval *interval,
			 const struct row *row)
{
	char text[GROUPED_SIZE];
	const char *before = " ";

	if (interval->level < 2) {
		grouped_text(text, row->figures.slots);
		fprintf(output->file, "%17s", text);
	} else {
		weight_text(text, sizeof(text), row->figures.slots);
		fprintf(output->file, "%4s", text);
	}
	/* Of the sum the headline says it. */
	if (row->kind != ROW_ALL)
		remark_cpus(output, row, &before);
}

static void task_line_end(const struct output *output, const struct row *row)
{
	const char *before = " ";
	double running;

	fprintf(output->file, "%9.3f ", row->figures.enabled_ns / NS_PER_S);
	if (row_running(row, &running))
		fprintf(output->file, "%5.1f", running * 100);
	else
		fprintf(output->file, "%5s", "-");
	remark_task(output, row, &before);
}

static void line(const struct output *output, const struct interval *interval,
		 const struct row *row)
{
	uint32_t nodes = interval_nodes(interval);
	unsigned int i;

	line_start(output, interval, row);
	for (i = 0; i < NR_COLUMNS; i++) {
		if (column_shown(columns[i].node, interval->level, nodes))
			cell(output, row, columns[i].node, column_width(interval));
	}
	if (row->task)
		task_line_end(output, row);
	else
		cpu_line_end(output, interval, row);
	putc('\n', output->file);
}

void output_table(const struct output *output, const struct interval *interval)
{
	unsigned int i;

	if (output->started)
		putc('\n', output->file);
	if (interval->tasks)
		task_headline(output, interval);
	else
		headline(output, interval);
	if (output->tree) {
		tree(output, interval);
		return;
	}
	if (output->header) {
		legend(output, interval);
		headings(output, interval);
	}
	for (i = 0; i < interval->nr; i++)
		line(output, interval, &interval->row[i]);
}
