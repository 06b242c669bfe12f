// SPDX-License-Identifier: GPL-2.0
/*
 * Tables for people. If an interval has one row, the table is a tree with one node a line.
 * Several rows have a line each. Both forms mark the bottleneck.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "columns.h"
#include "command.h"
#include "meaning.h"
#include "output-kind.h"
#include "owner-name.h"
#include "repeat.h"
#include "task.h"
#include "text.h"

#define WIDTH		80
#define BAR_WIDTH	24
/* The first column is this wide for names of cores. */
#define CORE_WIDTH	9

#define COLOUR_MARK	"\033[1;31m"
#define COLOUR_OFF	"\033[0m"

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

static void put_slots(const struct output *output, const struct row *row)
{
	char text[GROUPED_SIZE];

	grouped_text(text, row->figures.slots);
	fprintf(output->file, "; %% of %s slots", text);
}

/* Print one remark, after the separator. */
static void remark(const struct output *output, const char **before, const char *word)
{
	fprintf(output->file, "%s%s", *before, word);
	*before = ", ";
}

/* In a table the notes below have the reason, for each CPU or task. */
static void remark_state(const struct output *output, const struct row *row, const char **before)
{
	const char *reason = output->tree ? reason_of_state(row) : NULL;

	remark(output, before, row_state(row));
	if (reason)
		fprintf(output->file, " (%s)", reason);
}

static bool is_partial(const struct row *row, double *running)
{
	return row_running(row, running) && *running < ROW_RUNNING_FULL;
}

/* Remark how the events were counted, if that limits the ratios. */
static void remark_flags(const struct output *output, const struct row *row, const char **before)
{
	unsigned int i;

	for (i = 0; row->flags_known && i < ROW_FLAGS; i++) {
		if (row->flags & row_flags[i].flag)
			remark(output, before, row_flags[i].word);
	}
}

/* Remark what a reader must know to trust a row of CPUs. */
static void remark_cpus(const struct output *output, const struct row *row, const char **before)
{
	char text[64];
	double running = 0, expected = 1;
	int length;
	bool partial = is_partial(row, &running);
	/* The share of a sum over many CPUs is near 1 even if one CPU was not measured. */
	bool hidden = row->kind == ROW_ALL || row_turns(row) || !partial;

	if (row->state != TOPDOWN_STATE_OK && (row->state != TOPDOWN_STATE_CONTENDED || hidden))
		remark_state(output, row, before);
	if (partial) {
		length = snprintf(text, sizeof(text), "running %.1f%%", running * 100);
		if (row_expected(row, &expected) && expected < ROW_RUNNING_FULL)
			snprintf(text + length, sizeof(text) - length, " of %.1f%% expected",
				 expected * 100);
		remark(output, before, text);
	}
}

/* Remark why no bottleneck is marked. */
static void remark_doubt(const struct output *output, const struct row *row, const char **before)
{
	const char *doubt = row_doubt_text(row);

	if (!doubt || !row->figures.slots)
		return;
	remark(output, before, doubt);
	fputs(": no bottleneck is named", output->file);
}

/* Print how busy the CPUs were and how fast they worked, if it is known. */
static void activity(const struct output *output, const struct row *row)
{
	double ipc = topdown_figures_ipc(&row->figures);
	double busy = topdown_figures_busy(&row->figures, row->time_ns);
	const char *before = "";
	char text[32];

	if (!isnan(ipc)) {
		snprintf(text, sizeof(text), "IPC %.2f", ipc);
		remark(output, &before, text);
	}
	if (!isnan(busy)) {
		snprintf(text, sizeof(text), "busy %.1f%%", busy * 100);
		remark(output, &before, text);
	}
	if (*before)
		putc('\n', output->file);
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
	activity(output, row);
	if (row->source == TOPDOWN_SOURCE_MIXED)
		remark(output, &before, output->tree ? "of P- and E-cores mixed: see -A" :
		       "of P- and E-cores mixed");
	remark_cpus(output, row, &before);
	remark_flags(output, row, &before);
	remark_doubt(output, row, &before);
	if (*before)
		putc('\n', output->file);
}

static void spread(const struct output *output, const struct spread *of)
{
	double error;

	if (spread_relative(of, &error))
		fprintf(output->file, " +- %.1f%%", error * 100);
}

/* The ratios of a task mean little without the time that they cover. */
static void coverage(const struct output *output, const struct interval *interval,
		     const struct row *row)
{
	double running;

	fprintf(output->file, "on CPU %.3f s, running ",
		row->figures.enabled_ns / (double)NS_PER_S);
	if (row_running(row, &running))
		fprintf(output->file, "%.1f%%", running * 100);
	else
		putc('-', output->file);
	if (row->session.merged_ns && row->figures.enabled_ns)
		fprintf(output->file, ", merged %.1f%%",
			100.0 * row->session.merged_ns / row->figures.enabled_ns);
	put_slots(output, row);
	if (interval->repeat)
		spread(output, &interval->repeat->slots);
}

/* Print the shares of the two kinds of cores of a hybrid machine: their slots are not alike. */
static void kinds(const struct output *output, const struct row *row, const char **before)
{
	const struct row_cores *cores = row->session.cores;
	char text[64];
	double all;

	if (!row_hybrid(row))
		return;
	all = cores->core.enabled_ns + cores->atom.enabled_ns;
	snprintf(text, sizeof(text), "on P-cores %.1f%%, on E-cores %.1f%%",
		 100 * cores->core.enabled_ns / all, 100 * cores->atom.enabled_ns / all);
	remark(output, before, text);
}

/* A task that ended is not remarked; a task that was lost is. */
static void remark_task(const struct output *output, const struct row *row,
			const char **before)
{
	if (row->state != TOPDOWN_SESSION_STATE_RUNNING &&
	    row->state != TOPDOWN_SESSION_STATE_EXITED)
		remark_state(output, row, before);
	if (row->session.incomplete)
		remark(output, before, "incomplete (some tasks are not followed)");
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
	if (interval->command)
		fprintf(output->file, ", user %.3f s, sys %.3f s",
			interval->command->user_us / 1e6, interval->command->system_us / 1e6);
	putc('\n', output->file);
	if (!output->tree)
		return;
	coverage(output, interval, row);
	putc('\n', output->file);
	activity(output, row);
	kinds(output, row, &before);
	remark_task(output, row, &before);
	remark_flags(output, row, &before);
	remark_doubt(output, row, &before);
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

	percent_text(core, sizeof(core), row->session.cores->core.ratio[node], "%");
	percent_text(atom, sizeof(atom), row->session.cores->atom.ratio[node], "%");
	fprintf(output->file, "  P %7s  E %7s", core, atom);
}

static void tree_line(const struct output *output, const struct interval *interval,
		      unsigned int node)
{
	const struct row *row = &interval->row[0];
	int indent = 2 * topdown_node_level(node);
	uint32_t ratio = row->figures.ratio[node];
	bool marked = row_marked(row, node);
	char text[16];

	percent_text(text, sizeof(text), ratio, "%");
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
		fputs(row_differs(row, node) ? "  differs between P- and E-cores: -A" :
		      "  not measured", output->file);
	if (marked)
		fputs("  <- bottleneck", output->file);
	mark_off(output, marked);
	putc('\n', output->file);
}

static void tree(const struct output *output, const struct interval *interval,
		 const struct column_list *list)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		if (column_is_node(list->column[i]))
			tree_line(output, interval, list->column[i]->of);
	}
}

/**
 * output_legend - explain the headings of level 2
 * @file: where to
 */
void output_legend(FILE *file)
{
	fputs("RETIRing: light, heavy operations; BAD SPeculation: branch MISPRedicts, machine\n"
	      "CLEARs; FRONT end bound: Fetch LATency, Fetch BandWidth; BACK end bound: MEMory,\n"
	      "CORE, RESouRCe bound; SMT: contention with the other thread; *: bottleneck\n",
	      file);
}

static void legend(const struct output *output, const struct interval *interval)
{
	if (!output->started && interval->level > 1)
		output_legend(output->file);
}

/* All rows after the row of the sum are of one kind. */
static enum row_kind kind_of_rows(const struct interval *interval)
{
	return interval->nr > 1 ? interval->row[1].kind : ROW_CPU;
}

/* Level 2 has many columns, so they are narrow; names of cores are wide. */
static int column_width(const struct column *column, const struct interval *interval)
{
	if (column->look.place == COLUMN_FIRST && kind_of_rows(interval) == ROW_CORE)
		return CORE_WIDTH;
	return interval->level < 2 ? column->look.wide_width : column->look.width;
}

static const char *column_heading(const struct column *column, const struct interval *interval)
{
	enum row_kind kind = kind_of_rows(interval);

	if (column->look.place == COLUMN_FIRST &&
	    (kind == ROW_CORE || kind == ROW_SOCKET || kind == ROW_NODE))
		return row_kind_name(&interval->row[1]);
	return interval->level < 2 ? column->look.wide_heading : column->look.heading;
}

/*
 * Level 2 has no room for "100.0". So a blank is before each ratio, and its mark touches nothing:
 * the column before the first ratio needs no blank at its end, and the one after the last has it.
 */
static void ratio_text(char *text, size_t size, const struct interval *interval)
{
	if (interval->level > 1 && !strcmp(text, "100.0"))
		snprintf(text, size, "100");
}

static bool is_ratio(const struct column_list *list, unsigned int i)
{
	return i < list->nr && column_is_node(list->column[i]);
}

/* What stands between a column and the next, but for the mark. */
static const char *blank_after(const struct interval *interval, const struct column_list *list,
			       unsigned int i, bool marked)
{
	if (i + 1 == list->nr)
		return "";
	if (interval->level > 1 && is_ratio(list, i) != is_ratio(list, i + 1))
		return is_ratio(list, i + 1) ? "" : marked ? "* " : "  ";
	return marked ? "*" : " ";
}

/* A column ends with its mark, except the last column, which has no mark. */
static void cell(const struct output *output, const char *text, int width, const char *end)
{
	bool marked = *end == '*';

	mark_on(output, marked);
	fprintf(output->file, "%*.*s%s", width, width < 0 ? -width : -1, text, end);
	mark_off(output, marked);
}

/* Owners have names of any length, so number and name are at the end of a line. */
static void drop_names(struct column_list *list)
{
	unsigned int i, to = 0;

	for (i = 0; i < list->nr; i++) {
		if (list->column[i]->look.place > COLUMN_NAME)
			list->column[to++] = list->column[i];
	}
	list->nr = to;
}

static unsigned int table_width(const struct interval *interval, const struct column_list *list)
{
	unsigned int i, width = 0;

	for (i = 0; i < list->nr; i++)
		width += abs(column_width(list->column[i], interval)) + 1;
	return width - 1;
}

/*
 * Some CPUs have more nodes than a terminal has room for. First leave out nodes that no row has,
 * and then light operations: they are what the heavy ones leave of retiring.
 */
static void fit(const struct interval *interval, struct column_list *list, unsigned int width)
{
	uint32_t nodes = interval_nodes(interval);
	unsigned int node;

	for (node = 0; node < TD_NR_NODES && table_width(interval, list) > width; node++) {
		if (topdown_node_level(node) > 1 && !(nodes >> node & 1))
			columns_drop_node(list, node);
	}
	if (table_width(interval, list) > width)
		columns_drop_node(list, TOPDOWN_LIGHT_OPERATIONS);
}

/* All before the name; of level 2 with the blank after the ratios. */
static unsigned int owner_width(const struct interval *interval, const struct column_list *list)
{
	return table_width(interval, list) + (interval->level > 1);
}

/* Leave out what follows from a node and its other child, as topdown top does. */
static void fit_owners(const struct output *output, const struct interval *interval,
		       struct column_list *list)
{
	static const unsigned int nodes[] = { TOPDOWN_FETCH_BANDWIDTH, TOPDOWN_MACHINE_CLEARS };
	unsigned int limit = owner_line_limit(output->file), width, i;

	drop_names(list);
	if (!limit)
		return;
	width = limit - OWNER_NAMES_LEAST - 1;
	fit(interval, list, width);
	for (i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		if (table_width(interval, list) > width)
			columns_drop_node(list, nodes[i]);
	}
}

static void headings(const struct output *output, const struct interval *interval,
		     const struct column_list *list)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		cell(output, column_heading(list->column[i], interval),
		     column_width(list->column[i], interval), i + 1 < list->nr ? " " : "");
	if (interval->owners)
		fprintf(output->file, "  %s", output->views & COLUMNS_NAMES ?
			OWNER_NAMES_HEADING : OWNER_HEADING);
	putc('\n', output->file);
}

static void line(const struct output *output, const struct interval *interval,
		 const struct row *row, const struct column_list *list)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		const struct column *column = list->column[i];
		bool marked = column_is_node(column) && row_marked(row, column->of);
		char text[TASK_NAME_SIZE];

		column_text(text, sizeof(text), column, row, interval->level < 2);
		if (column_is_node(column))
			ratio_text(text, sizeof(text), interval);
		cell(output, text, column_width(column, interval),
		     blank_after(interval, list, i, marked));
	}
	if (interval->owners)
		owner_name_put(output->file, row, owner_width(interval, list),
			       owner_line_limit(output->file));
	else
		putc('\n', output->file);
}

void output_table(const struct output *output, const struct interval *interval)
{
	struct column_list list;
	unsigned int i;

	columns_select(&list, interval->tasks ? TABLE_TASKS : TABLE_CPUS, interval->level,
		       interval_nodes(interval));
	if (output->started)
		putc('\n', output->file);
	if (interval->tasks)
		task_headline(output, interval);
	else
		headline(output, interval);
	if (output->tree) {
		tree(output, interval, &list);
		return;
	}
	if (!interval->tasks)
		fit(interval, &list, WIDTH);
	if (interval->owners)
		fit_owners(output, interval, &list);
	if (output->header) {
		legend(output, interval);
		headings(output, interval, &list);
	}
	for (i = 0; i < interval->nr; i++)
		line(output, interval, &interval->row[i], &list);
	output_notes(output, interval);
}
