// SPDX-License-Identifier: GPL-2.0
/*
 * The columns of a row. Programs see them in the order of the table. A new column goes
 * after the last of them, before those of tables only, so that no column of any row moves.
 */
#include "columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "metrics.h"
#include "owner-name.h"
#include "repeat.h"
#include "series.h"
#include "text.h"

static bool row_has_cpu(const struct row *row)
{
	if (row->kind == ROW_EVENT)
		return row->cpu != TOPDOWN_CPU_ALL;
	return row->kind == ROW_CPU || row->kind == ROW_WINDOW;
}

GETTER(time, number, interval->time)
GETTER(interval, number, interval->length)
GETTER(row, string, row_kind_name(row))
GETTER(cpu, known, row_has_cpu(row), row->cpu)
GETTER(core_id, known, row->core_id >= 0, row->core_id)
GETTER(socket, known, row->socket >= 0, row->socket)
GETTER(node, known, row->numa >= 0, row->numa)
GETTER(pid, known, row->task && row->task->pid > 0, row->task ? row->task->pid : 0)
GETTER(tid, known, row->task->tid > 0, row->task->tid)
GETTER(id, integer, row->kind == ROW_CGROUP ? row->owner->id :
		    (uint64_t)(row->task->tid ? row->task->tid : row->task->pid))
GETTER(comm, string, row->owner ? row->owner->name : row->task->name)
GETTER(state, string, row_state(row))
GETTER(source, string, topdown_source_name(row->source))
GETTER(level, integer, row->level)
GETTER(enabled_ns, integer, row->figures.enabled_ns)
GETTER(running_ns, integer, row->figures.running_ns)
GETTER(slots, integer, row->figures.slots)
GETTER(merged_ns, integer, row->session.merged_ns)
GETTER(switches, integer, row->session.switches)
GETTER(incomplete, integer, row->session.incomplete)
GETTER(runs, integer, interval->repeat->runs)
GETTER(window, integer, row->window)
GETTER(cycles, integer, row->figures.cycles)
GETTER(instructions, integer, row->figures.instructions)

#define get_oncpu_ns	get_enabled_ns

/* Cores are numbered in each socket. */
static void set_subject(struct column_value *value, const struct row *row)
{
	value->string = value->text;
	switch (row->kind) {
	case ROW_CPU:
		snprintf(value->text, sizeof(value->text), "%" PRIu32, row->cpu);
		break;
	case ROW_CORE:
		snprintf(value->text, sizeof(value->text), "S%d-C%d", row->socket, row->core_id);
		break;
	case ROW_SOCKET:
		snprintf(value->text, sizeof(value->text), "S%d", row->socket);
		break;
	case ROW_NODE:
		snprintf(value->text, sizeof(value->text), "N%d", row->numa);
		break;
	default:
		value->string = "all";
		break;
	}
}

static void set_running(struct column_value *value, const struct row *row)
{
	value->none = !row_running(row, &value->number);
}

static void set_expected(struct column_value *value, const struct row *row)
{
	value->none = !row_expected(row, &value->number);
}

static void set_error(struct column_value *value, const struct spread *spread)
{
	value->none = !spread_relative(spread, &value->number);
}

/* Sessions have no last window. */
static void set_flag(struct column_value *value, const struct row *row, unsigned int flag)
{
	bool known = row->flags_known && !(row->task && flag == TOPDOWN_RECORD_CLAMPED);

	set_known(value, known, !!(row->flags & flag));
}

/* The low bits have the node, the others which rank. */
#define RANK_SHIFT	8

static void set_rank(struct column_value *value, const struct row *row, unsigned int of)
{
	const struct series_ranks *ranks = &row->recorded->ranks[of & ((1U << RANK_SHIFT) - 1)];

	value->none = ranks->none;
	value->number = ranks->none ? 0 : ranks->ratio[of >> RANK_SHIFT];
}

static void set_node_name(struct column_value *value, int node)
{
	value->none = node < 0;
	value->string = node < 0 ? NULL : topdown_node_name(node);
}

GETTER(rank, rank, row, column->of)
GETTER(bottleneck, node_name, row_bottleneck(row))
GETTER(child, node_name, row_bottleneck_child(row, row_bottleneck(row)))
GETTER(windows, integer, row->recorded->windows)
GETTER(lost, integer, row->recorded->lost)
GETTER(not_recorded, number, row->recorded->gap_ns / (double)NS_PER_S)
GETTER(subject, subject, row)
GETTER(running, running, row)
GETTER(ipc, figure, topdown_figures_ipc(&row->figures))
GETTER(busy, figure, topdown_figures_busy(&row->figures, row->time_ns))
GETTER(expected, expected, row)
GETTER(ratio, ratio, row->figures.ratio[column->of])
GETTER(flag, flag, row, column->of)
GETTER(interval_rse, error, &interval->repeat->length)
GETTER(slots_rse, error, &interval->repeat->slots)
GETTER(ratio_rse, error, &interval->repeat->node[column->of])

#define FLAG(name, flag, help)							\
	{ #name, COLUMN_BOOLEAN, COLUMNS_ALL, 0, true, flag, get_flag, help, { 0 } }

#define FIGURE(name, node, place, heading, wide, help)				\
	{ "tma_" #name, COLUMN_NUMBER,					\
	  COLUMNS_ALL | COLUMNS_KINDS | COLUMNS_WINDOWS | TABLE_ALL, 9, true,	\
	  TOPDOWN_##node, get_ratio, help,					\
	  { place, UNIT_RATIO, "tma_" #name, heading, 5, wide, 8 } }
#define ERROR(name, node)							\
	{ "tma_" #name "_rse", COLUMN_NUMBER, COLUMNS_RUNS, 6, true, TOPDOWN_##node, \
	  get_ratio_rse, "relative standard error of tma_" #name, { 0 } }

#define RANK(name, node, i, rank)						\
	{ "tma_" #name "_p" #rank, COLUMN_NUMBER, COLUMNS_REPORT, 9, true,	\
	  TOPDOWN_##node | (i) << RANK_SHIFT, get_rank,				\
	  "tma_" #name " that " #rank "% of the steps do not exceed", { 0 } }

#define ROWS "all, cpu, core, socket, node, process, thread, runs, window, event, cgroup, idle, others or ended"

static const struct column columns[] = {
	NUMBER(time, COLUMNS_ALL | COLUMNS_EVENTS | COLUMNS_WINDOWS | COLUMNS_LATENCIES, 6, false,
	       "end of the interval, seconds since the epoch"),
	NUMBER(interval, COLUMNS_ALL | COLUMNS_WINDOWS | COLUMNS_LATENCIES, 9, false,
	       "length of the interval in seconds"),
	STRING(row, COLUMNS_ALL | COLUMNS_EVENTS | COLUMNS_WINDOWS | COLUMNS_LATENCIES,
	       ROWS),
	MAYBE(cpu, COLUMNS_CPUS | COLUMNS_WINDOWS | COLUMNS_EVENTS | COLUMNS_LATENCIES |
	      TABLE_TOP | TABLE_WINDOWS,
	      "number of the CPU",
	      COLUMN_FIRST, UNIT_NONE, "CPU", "CPU", 4, "CPU", 4),
	MAYBE(pid, COLUMNS_TASKS, "number of the process"),
	MAYBE(tid, COLUMNS_TASKS, "number of the thread"),
	STRING(comm, COLUMNS_TASKS | TABLE_TASKS, "name of the task",
	       COLUMN_NAME, UNIT_NONE, NULL, "name", -15, "name", -15),
	STRING(state, COLUMNS_ALL, "state of the CPU or of the task"),
	STRING(source, COLUMNS_ALL | COLUMNS_WINDOWS, "origin of the counts"),
	INTEGER(level, COLUMNS_ALL | COLUMNS_WINDOWS, "highest level of the row"),
	NUMBER(running, COLUMNS_ALL | COLUMNS_WINDOWS | TABLE_TASKS, 6, true,
	       "share of the time that was measured",
	       62, UNIT_SHARE, NULL, "run%", 5, "run%", 5),
	INTEGER(enabled_ns, COLUMNS_ALL | COLUMNS_WINDOWS, "time, in nanoseconds"),
	/* Rows of a kind of core have the time on CPUs in this place. */
	INTEGER(oncpu_ns, COLUMNS_KINDS, "time on CPUs"),
	INTEGER(running_ns, COLUMNS_ALL | COLUMNS_KINDS | COLUMNS_WINDOWS,
		"the part of the time that was measured, in nanoseconds"),
	INTEGER(slots, COLUMNS_ALL | COLUMNS_KINDS | COLUMNS_WINDOWS | TABLE_CPUS | TABLE_WINDOWS,
		"slots counted",
		60, UNIT_SLOTS, NULL, "slot", 4, "slots", 14),
	/* The nodes are in the order of the ABI. Their places put parents before their children. */
	FIGURE(retiring, RETIRING, 10, "RETIR", "retiring", "level 1"),
	FIGURE(bad_speculation, BAD_SPECULATION, 20, "BADSP", "bad spec", "level 1"),
	FIGURE(frontend_bound, FRONTEND_BOUND, 30, "FRONT", "frontend", "level 1"),
	FIGURE(backend_bound, BACKEND_BOUND, 40, "BACK", "backend", "level 1"),
	FIGURE(heavy_operations, HEAVY_OPERATIONS, 12, "heavy", NULL, "of tma_retiring"),
	FIGURE(light_operations, LIGHT_OPERATIONS, 11, "light", NULL, "of tma_retiring"),
	FIGURE(branch_mispredicts, BRANCH_MISPREDICTS, 21, "mispr", NULL,
	       "of tma_bad_speculation"),
	FIGURE(machine_clears, MACHINE_CLEARS, 22, "clear", NULL, "of tma_bad_speculation"),
	FIGURE(fetch_latency, FETCH_LATENCY, 31, "f.lat", NULL, "of tma_frontend_bound"),
	FIGURE(fetch_bandwidth, FETCH_BANDWIDTH, 32, "f.bw", NULL, "of tma_frontend_bound"),
	FIGURE(memory_bound, MEMORY_BOUND, 41, "mem", NULL, "of tma_backend_bound"),
	FIGURE(core_bound, CORE_BOUND, 42, "core", NULL, "of tma_backend_bound"),
	FIGURE(resource_bound, RESOURCE_BOUND, 43, "resrc", NULL,
	       "of tma_backend_bound; Atom cores"),
	FIGURE(smt_contention, SMT_CONTENTION, 50, "SMT", "SMT cont", "level 1; AMD"),
	INTEGER(oncpu_ns, COLUMNS_TASKS | TABLE_TASKS, "time on CPUs, the same as enabled_ns",
		61, UNIT_SECONDS, NULL, "on CPU s", 9, "on CPU s", 8),
	INTEGER(merged_ns, COLUMNS_TASKS, "time on CPUs between switches too close to measure"),
	INTEGER(switches, COLUMNS_TASKS, "how often the task was given a CPU"),
	{ "incomplete", COLUMN_BOOLEAN, COLUMNS_TASKS, 0, false, 0, get_incomplete,
	  "some new thread could not be followed", { 0 } },
	FLAG(scaled, TOPDOWN_RECORD_SCALED, "the events are counted in turns and scaled"),
	{ "clamped", COLUMN_BOOLEAN, COLUMNS_ALL | COLUMNS_WINDOWS, 0, true,
	  TOPDOWN_RECORD_CLAMPED, get_flag, "a formula of the last window was cut", { 0 } },
	FLAG(refined, TOPDOWN_RECORD_REFINED, "PERF_METRICS are corrected with general counters"),
	FLAG(drilldown, TOPDOWN_RECORD_DRILLDOWN, "level 2 is counted where level 1 asks for it"),
	MAYBE(core_id, COLUMNS_CPUS, "number of the core in its socket, of rows of cores"),
	MAYBE(socket, COLUMNS_CPUS, "number of the socket, of rows of cores and sockets"),
	MAYBE(node, COLUMNS_CPUS, "number of the NUMA node, of rows of nodes"),
	INTEGER(runs, COLUMNS_RUNS, "number of runs; the other values are their means"),
	NUMBER(interval_rse, COLUMNS_RUNS, 6, true, "relative standard error of interval"),
	NUMBER(slots_rse, COLUMNS_RUNS, 6, true, "relative standard error of slots"),
	ERROR(retiring, RETIRING),
	ERROR(bad_speculation, BAD_SPECULATION),
	ERROR(frontend_bound, FRONTEND_BOUND),
	ERROR(backend_bound, BACKEND_BOUND),
	ERROR(heavy_operations, HEAVY_OPERATIONS),
	ERROR(light_operations, LIGHT_OPERATIONS),
	ERROR(branch_mispredicts, BRANCH_MISPREDICTS),
	ERROR(machine_clears, MACHINE_CLEARS),
	ERROR(fetch_latency, FETCH_LATENCY),
	ERROR(fetch_bandwidth, FETCH_BANDWIDTH),
	ERROR(memory_bound, MEMORY_BOUND),
	ERROR(core_bound, CORE_BOUND),
	ERROR(resource_bound, RESOURCE_BOUND),
	ERROR(smt_contention, SMT_CONTENTION),
	INTEGER(window, COLUMNS_WINDOWS, "number of the window since the module was loaded"),
	INTEGER(cycles, COLUMNS_ALL | COLUMNS_KINDS,
		"cycles in which the CPU was not halted; 0 if they were not counted"),
	INTEGER(instructions, COLUMNS_ALL | COLUMNS_KINDS,
		"instructions that retired in these cycles"),
	NUMBER(ipc, COLUMNS_ALL | COLUMNS_KINDS | TABLE_CPUS | TABLE_WIDE, 6, true,
	       "instructions per cycle", 57, UNIT_TIMES, NULL, "IPC", 5, "IPC", 5),
	NUMBER(busy, COLUMNS_CPUS | TABLE_CPUS | TABLE_WIDE, 6, true,
	       "share of the interval in which the CPU was not idle",
	       58, UNIT_PERCENT, NULL, "busy", 4, "busy", 4),
	NUMBER(expected, COLUMNS_ALL, 6, true,
	       "what running is to be expected: less than 1 if level 1 is counted in turns"),
	INTEGER(windows, COLUMNS_REPORT, "windows or samples that were recorded"),
	INTEGER(lost, COLUMNS_REPORT, "windows that were lost"),
	NUMBER(not_recorded, COLUMNS_REPORT | COLUMNS_STEPS, 6, false,
	       "seconds of the interval that are in none of several files"),
	{ "bottleneck", COLUMN_STRING, COLUMNS_REPORT | COLUMNS_STEPS | COLUMNS_OWNED, 0, true, 0,
	  get_bottleneck, "largest level 1 node over its threshold", { 0 } },
	{ "child", COLUMN_STRING, COLUMNS_REPORT | COLUMNS_STEPS | COLUMNS_OWNED, 0, true, 0,
	  get_child, "largest child of the bottleneck over its threshold", { 0 } },
	RANK(retiring, RETIRING, 0, 5),
	RANK(retiring, RETIRING, 1, 50),
	RANK(retiring, RETIRING, 2, 95),
	RANK(bad_speculation, BAD_SPECULATION, 0, 5),
	RANK(bad_speculation, BAD_SPECULATION, 1, 50),
	RANK(bad_speculation, BAD_SPECULATION, 2, 95),
	RANK(frontend_bound, FRONTEND_BOUND, 0, 5),
	RANK(frontend_bound, FRONTEND_BOUND, 1, 50),
	RANK(frontend_bound, FRONTEND_BOUND, 2, 95),
	RANK(backend_bound, BACKEND_BOUND, 0, 5),
	RANK(backend_bound, BACKEND_BOUND, 1, 50),
	RANK(backend_bound, BACKEND_BOUND, 2, 95),
	RANK(heavy_operations, HEAVY_OPERATIONS, 0, 5),
	RANK(heavy_operations, HEAVY_OPERATIONS, 1, 50),
	RANK(heavy_operations, HEAVY_OPERATIONS, 2, 95),
	RANK(light_operations, LIGHT_OPERATIONS, 0, 5),
	RANK(light_operations, LIGHT_OPERATIONS, 1, 50),
	RANK(light_operations, LIGHT_OPERATIONS, 2, 95),
	RANK(branch_mispredicts, BRANCH_MISPREDICTS, 0, 5),
	RANK(branch_mispredicts, BRANCH_MISPREDICTS, 1, 50),
	RANK(branch_mispredicts, BRANCH_MISPREDICTS, 2, 95),
	RANK(machine_clears, MACHINE_CLEARS, 0, 5),
	RANK(machine_clears, MACHINE_CLEARS, 1, 50),
	RANK(machine_clears, MACHINE_CLEARS, 2, 95),
	RANK(fetch_latency, FETCH_LATENCY, 0, 5),
	RANK(fetch_latency, FETCH_LATENCY, 1, 50),
	RANK(fetch_latency, FETCH_LATENCY, 2, 95),
	RANK(fetch_bandwidth, FETCH_BANDWIDTH, 0, 5),
	RANK(fetch_bandwidth, FETCH_BANDWIDTH, 1, 50),
	RANK(fetch_bandwidth, FETCH_BANDWIDTH, 2, 95),
	RANK(memory_bound, MEMORY_BOUND, 0, 5),
	RANK(memory_bound, MEMORY_BOUND, 1, 50),
	RANK(memory_bound, MEMORY_BOUND, 2, 95),
	RANK(core_bound, CORE_BOUND, 0, 5),
	RANK(core_bound, CORE_BOUND, 1, 50),
	RANK(core_bound, CORE_BOUND, 2, 95),
	RANK(resource_bound, RESOURCE_BOUND, 0, 5),
	RANK(resource_bound, RESOURCE_BOUND, 1, 50),
	RANK(resource_bound, RESOURCE_BOUND, 2, 95),
	RANK(smt_contention, SMT_CONTENTION, 0, 5),
	RANK(smt_contention, SMT_CONTENTION, 1, 50),
	RANK(smt_contention, SMT_CONTENTION, 2, 95),
	/* These are in tables only. */
	TABLE(COLUMN_STRING, get_subject, TABLE_CPUS,
	      COLUMN_FIRST, UNIT_NONE, NULL, "CPU", 3, "CPU", 3),
	TABLE(COLUMN_INTEGER, get_id, TABLE_TASKS,
	      COLUMN_FIRST, UNIT_NONE, NULL, "ID", 7, "ID", 7),
	TABLE(COLUMN_STRING, get_comm, TABLE_OWNERS,
	      COLUMN_FIRST, UNIT_NONE, "name", "NAME", -16, "NAME", -16),
	TABLE(COLUMN_NUMBER, get_running, TABLE_TOP | TABLE_OWNERS,
	      61, UNIT_SHARE, NULL, "RUN", 5, "RUN", 5),
	TABLE(COLUMN_NUMBER, get_ipc, TABLE_TASKS | TABLE_WIDE,
	      63, UNIT_TIMES, NULL, "IPC", 4, "IPC", 4),
	TABLE(COLUMN_NUMBER, get_ipc, TABLE_TOP | TABLE_OWNERS,
	      62, UNIT_TIMES, "IPC", "IPC", 5, "IPC", 5),
	TABLE(COLUMN_NUMBER, get_busy, TABLE_TOP,
	      63, UNIT_SHARE, "busy share", "BUSY", 5, "BUSY", 5),
};

#define NR_COLUMNS	(sizeof(columns) / sizeof(columns[0]))

_Static_assert(NR_COLUMNS <= COLUMNS_MAX, "lists have no room for all columns");

/**
 * column_meaning - what a column has
 * @own: columns that one kind of rows has for itself; NULL for those that several have
 * @word: its name in JSON and CSV, or its heading in a table
 *
 * Return: some words; NULL if there is no such column, or it is that of a node.
 */
const char *column_meaning(const struct columns *own, const char *word)
{
	const struct columns all = { columns, NR_COLUMNS };
	unsigned int i;

	if (!own)
		own = &all;
	for (i = 0; i < own->nr; i++) {
		const struct column *column = &own->column[i];

		if (!column->name || !column->help || column_is_node(column))
			continue;
		if (!strcmp(column->name, word) ||
		    (column->look.heading && !strcmp(column->look.heading, word)))
			return column->help;
	}
	return NULL;
}

/**
 * column_node - the node that a column is of
 * @heading: heading of the column in a table
 *
 * Return: enum topdown_node; -1 if no node has such a heading.
 */
int column_node(const char *heading)
{
	unsigned int i;

	for (i = 0; i < NR_COLUMNS; i++) {
		const struct column *column = &columns[i];

		if (column_is_node(column) && column->look.heading &&
		    !strcmp(column->look.heading, heading))
			return column->of;
	}
	return -1;
}

/**
 * column_is_node - is it the ratio of a node?
 * @column: column
 *
 * Return: true or false.
 */
bool column_is_node(const struct column *column)
{
	return column->get == get_ratio;
}

/**
 * column_of_node - the column with the ratio of a node
 * @node: enum topdown_node
 *
 * Return: the column, NULL for a node that is not known.
 */
const struct column *column_of_node(unsigned int node)
{
	unsigned int i;

	for (i = 0; i < NR_COLUMNS; i++) {
		if (column_is_node(&columns[i]) && columns[i].of == node)
			return &columns[i];
	}
	return NULL;
}

/* Tables have the nodes that most CPUs have. They have other nodes only if a CPU has them. */
static bool is_shown(const struct column *column, unsigned int views, unsigned int level,
		     uint32_t nodes)
{
	if (!(column->views & views))
		return false;
	if (column->views & TABLE_WIDE && views & TABLE_ALL && level > 1)
		return false;
	if (!(views & TABLE_ALL) || !column_is_node(column))
		return true;
	return topdown_node_level(column->of) <= level &&
	       (column->of < TD_NODES_METRICS || nodes >> column->of & 1);
}

/* Tables have columns by their places; programs see them in the order of the code. */
static void put(struct column_list *list, const struct column *column, unsigned int views)
{
	unsigned int at = list->nr++;

	for (; views & TABLE_ALL && at; at--) {
		if (list->column[at - 1]->look.place < column->look.place)
			break;
		list->column[at] = list->column[at - 1];
	}
	list->column[at] = column;
}

/**
 * columns_select - the columns of a view
 * @list: where to
 * @views: one TABLE_*, or COLUMNS_* of rows for programs
 * @level: of tables: highest level that is shown
 * @nodes: of tables: nodes that have ratios, bit n for node n
 */
void columns_select(struct column_list *list, unsigned int views, unsigned int level,
		    uint32_t nodes)
{
	unsigned int i;

	list->nr = 0;
	for (i = 0; i < NR_COLUMNS; i++) {
		if (is_shown(&columns[i], views, level, nodes))
			put(list, &columns[i], views);
	}
}

/**
 * columns_add - add the columns that one kind of rows has for itself
 * @list: columns that other kinds have as well
 * @own: columns that follow, or that tables have by their places; NULL for none
 * @views: as of columns_select()
 */
void columns_add(struct column_list *list, const struct columns *own, unsigned int views)
{
	unsigned int i;

	for (i = 0; own && i < own->nr; i++) {
		if (own->column[i].views & views)
			put(list, &own->column[i], views);
	}
}

/**
 * columns_drop_node - leave out a node, for which there is no room
 * @list: columns
 * @node: enum topdown_node
 */
void columns_drop_node(struct column_list *list, unsigned int node)
{
	unsigned int i, to = 0;

	for (i = 0; i < list->nr; i++) {
		if (!column_is_node(list->column[i]) || list->column[i]->of != node)
			list->column[to++] = list->column[i];
	}
	list->nr = to;
}

/**
 * column_value - the value of a column in a row
 * @column: column
 * @interval: interval of the row; NULL for TABLE_*
 * @row: row
 * @value: where to
 */
void column_value(const struct column *column, const struct interval *interval,
		  const struct row *row, struct column_value *value)
{
	/* The text is written before it is used. */
	value->none = false;
	value->integer = 0;
	value->number = 0;
	value->string = NULL;
	column->get(column, interval, row, value);
}

/**
 * column_text - the text of a column of a row in a table
 * @text: where to; "-" if the row has no value
 * @size: room in @text, 32 at least
 * @column: column
 * @row: row
 * @wide: one level leaves room
 */
void column_text(char *text, size_t size, const struct column *column,
		 const struct row *row, bool wide)
{
	struct column_value value;

	column_value(column, NULL, row, &value);
	if (value.none)
		snprintf(text, size, "-");
	else if (column->look.unit == UNIT_RATIO)
		percent_text(text, size, value.integer, "");
	else if (column->look.unit == UNIT_SHARE)
		snprintf(text, size, "%.1f", value.number * 100);
	else if (column->look.unit == UNIT_PERCENT)
		snprintf(text, size, "%.0f%%", value.number * 100);
	else if (column->look.unit == UNIT_SECONDS)
		snprintf(text, size, "%.3f", value.integer / (double)NS_PER_S);
	else if (column->look.unit == UNIT_TIMES)
		snprintf(text, size, "%.2f", value.number);
	else if (column->look.unit == UNIT_RATE)
		rate_text(text, size, value.number);
	else if (column->look.unit == UNIT_SLOTS && wide)
		grouped_text(text, value.integer);
	else if (column->look.unit == UNIT_SLOTS)
		weight_text(text, size, value.integer);
	else if (column->type == COLUMN_STRING)
		snprintf(text, size, "%s", value.string);
	else
		snprintf(text, size, "%" PRIu64, value.integer);
}
