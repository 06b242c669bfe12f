// SPDX-License-Identifier: GPL-2.0
/*
 * The contents of one interval, independent of how it is printed.
 */
#include "rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "formula-thresholds.h"

const struct row_flag row_flags[ROW_FLAGS] = {
	{ TOPDOWN_RECORD_SCALED, "counted in turns" },
	{ TOPDOWN_RECORD_CLAMPED, "clamped" },
	{ TOPDOWN_RECORD_REFINED, "refined" },
	{ TOPDOWN_RECORD_DRILLDOWN, "drilldown" },
};

/**
 * row_kind_name - the name of the kind of a row
 * @row: row
 *
 * Return: a word.
 */
const char *row_kind_name(const struct row *row)
{
	static const char * const names[ROW_KINDS] = {
		[ROW_ALL]	= "all",
		[ROW_CPU]	= "cpu",
		[ROW_CORE]	= "core",
		[ROW_SOCKET]	= "socket",
		[ROW_NODE]	= "node",
		[ROW_PROCESS]	= "process",
		[ROW_THREAD]	= "thread",
		[ROW_RUNS]	= "runs",
		[ROW_WINDOW]	= "window",
		[ROW_EVENT]	= "event",
		[ROW_CGROUP]	= "cgroup",
		[ROW_IDLE_TASKS]	= "idle",
		[ROW_OTHERS]	= "others",
		[ROW_ENDED]	= "ended",
	};

	return names[row->kind];
}

/**
 * row_turns - may groups of events have been counted in turns?
 * @row: row
 *
 * If so, only the module knows the largest share of the time that a group can have.
 *
 * Return: true or false.
 */
bool row_turns(const struct row *row)
{
	if (row->flags_known)
		return row->flags & TOPDOWN_RECORD_SCALED;
	return row->source != TOPDOWN_SOURCE_PERF_METRICS;
}

/**
 * row_state - name of the state
 * @row: row
 */
const char *row_state(const struct row *row)
{
	if (row->recorded && row->recorded->unrecorded)
		return "not_recorded";
	return row->task ? topdown_session_state_name(row->state) :
			   topdown_state_name(row->state);
}

/**
 * row_running - the share of the time in which the CPU, or the task, was measured
 * @row: row
 * @share: 0..1; untouched if there is none
 *
 * Return: false if the CPU slept all the time or was not there to be measured, or
 * the task was on no CPU.
 */
bool row_running(const struct row *row, double *share)
{
	const struct topdown_figures *figures = &row->figures;

	if (!figures->enabled_ns)
		return false;
	if (figures->running_ns >= figures->enabled_ns)
		*share = 1;
	else
		*share = (double)figures->running_ns / figures->enabled_ns;
	return true;
}

/**
 * row_expect - set how long a CPU or a task is to be measured if nobody else uses the counters
 * @row: row with its turns and times
 */
void row_expect(struct row *row)
{
	row->expected_ns = row->figures.enabled_ns / (row->turns ? row->turns : 1);
}

/**
 * row_expected - the share of the time that is to be expected of row_running()
 * @row: row
 * @share: 0..1; untouched if there is none
 *
 * Return: false where row_running() has none either, or if it is not known who takes turns.
 */
bool row_expected(const struct row *row, double *share)
{
	if (!row->flags_known || !row->figures.enabled_ns)
		return false;
	*share = (double)row->expected_ns / row->figures.enabled_ns;
	return true;
}

/**
 * row_short - whether some time was not measured, apart from groups that take turns
 * @row: row
 *
 * A row that slept has no time, but nothing was missed.
 */
bool row_short(const struct row *row)
{
	double share = 0;

	return !row_turns(row) && row_running(row, &share) && share < ROW_RUNNING_FULL;
}

/**
 * row_interval_state - the state of a CPU in an interval
 * @row: row of a CPU, with the state of its last window, its flags and figures
 *
 * The state in a record is that of the last window, which may be a small part of the
 * interval. If no events take turns, the share of the whole interval says more.
 *
 * Return: enum topdown_state.
 */
unsigned int row_interval_state(const struct row *row)
{
	double share = 0;

	if (row->state != TOPDOWN_STATE_OK && row->state != TOPDOWN_STATE_CONTENDED &&
	    row->state != TOPDOWN_STATE_ASIDE)
		return row->state;
	/* The CPU slept all the time, so nobody took anything from it. */
	if (!row->figures.enabled_ns)
		return TOPDOWN_STATE_OK;
	if (row_turns(row) || !row_running(row, &share))
		return row->state;
	if (!row_short(row))
		return TOPDOWN_STATE_OK;
	return row->state == TOPDOWN_STATE_OK ? TOPDOWN_STATE_CONTENDED : row->state;
}

/**
 * row_partial - whether a row does not cover all of its interval
 * @row: row
 */
bool row_partial(const struct row *row)
{
	if (row->task)
		return row->state == TOPDOWN_SESSION_STATE_ENDED ||
		       row->session.incomplete || row_short(row);
	/* The states of the CPUs of a sum say more than the sum of their shares. */
	return row->state != TOPDOWN_STATE_OK || (row->kind == ROW_CPU && row_short(row));
}

/* The least share of the time that says something of the rest of it; 0 if nobody knows. */
static double running_least(const struct row *row)
{
	double expected = 1;

	if (row_turns(row)) {
		if (!row->turns)
			return 0;
		row_expected(row, &expected);
	}
	return expected * ROW_RUNNING_LEAST;
}

/* One busy CPU of many is worth a verdict, so the sum of some CPUs must have half of one busy. */
static bool is_idle(const struct row *row)
{
	unsigned int nr = row->kind == ROW_CPU || !row->nr_cpus ? 1 : row->nr_cpus;
	double busy = topdown_figures_busy(&row->figures, row->time_ns);

	if (row->kind == ROW_IDLE_TASKS)
		return true;
	return !row->task && busy < ROW_BUSY_LEAST && busy * nr < 0.5;
}

/**
 * row_doubt - why no bottleneck can be named
 * @row: row
 *
 * All that marks, lists or locates a bottleneck goes by this.
 *
 * Return: ROW_JUDGED if one can be named.
 */
enum row_doubt row_doubt(const struct row *row)
{
	double running = 1;

	if (is_idle(row))
		return ROW_IDLE;
	if (row_running(row, &running) && running < running_least(row))
		return ROW_LITTLE;
	return ROW_JUDGED;
}

/**
 * row_doubt_text - the same for people
 * @row: row
 *
 * Return: some words; NULL if a bottleneck can be named.
 */
const char *row_doubt_text(const struct row *row)
{
	static const char * const texts[] = {
		[ROW_IDLE]	= "nearly idle",
		[ROW_LITTLE]	= "too little measured",
	};

	return texts[row_doubt(row)];
}

/* The children of a node that the CPUs of a row have. */
static uint32_t children_of(const struct row *row, int parent)
{
	const uint32_t core = 1U << TOPDOWN_MEMORY_BOUND, atom = 1U << TOPDOWN_RESOURCE_BOUND;
	uint32_t children = 0;
	unsigned int node;

	for (node = 0; node < TD_NR_NODES; node++) {
		if (topdown_node_parent(node) == parent)
			children |= 1U << node;
	}
	if (row->source == TOPDOWN_SOURCE_MIXED)
		return children;
	return children & ~(row->source == TOPDOWN_SOURCE_ATOM ? core : atom);
}

/**
 * row_differs - is the node counted on one kind of the cores of the row only?
 * @row: row
 * @node: enum topdown_node
 *
 * Return: true or false.
 */
bool row_differs(const struct row *row, unsigned int node)
{
	return row->source == TOPDOWN_SOURCE_MIXED && row->level > 1 &&
	       row->figures.ratio[node] == TOPDOWN_RATIO_NONE &&
	       (node == TOPDOWN_MEMORY_BOUND || node == TOPDOWN_RESOURCE_BOUND);
}

/* The largest of the @nodes, bit n for node n; -1 for none. */
static int largest(const struct row *row, uint32_t nodes)
{
	unsigned int node;
	int best = -1;

	for (node = 0; node < TD_NR_NODES; node++) {
		uint32_t ratio = row->figures.ratio[node];

		if (!(nodes >> node & 1) || ratio == TOPDOWN_RATIO_NONE || !ratio)
			continue;
		if (best < 0 || ratio > row->figures.ratio[best])
			best = node;
	}
	return best;
}

/*
 * AMD publishes no thresholds. There a node of level 1 is over its threshold if it has more
 * slots than retiring, and so are all its children.
 */
static uint32_t over_retiring(const struct row *row)
{
	const uint32_t *ratio = row->figures.ratio;
	unsigned int node;
	uint32_t over = 0;
	int parent;

	if (ratio[TOPDOWN_RETIRING] == TOPDOWN_RATIO_NONE)
		return 0;
	for (node = 0; node < TD_NR_NODES; node++) {
		parent = topdown_node_parent(node);
		if (parent < 0)
			parent = node;
		if (ratio[node] != TOPDOWN_RATIO_NONE && parent != TOPDOWN_RETIRING &&
		    ratio[parent] > ratio[TOPDOWN_RETIRING])
			over |= 1U << node;
	}
	return over;
}

/* If cores of two kinds were added up, the node must be over the thresholds of both. */
static uint32_t over_thresholds(const struct row *row)
{
	const uint32_t *ratio = row->figures.ratio;

	switch (row->source) {
	case TOPDOWN_SOURCE_ATOM:
		return td_thresholds_over(&td_thresholds_atom, ratio);
	case TOPDOWN_SOURCE_AMD:
		return over_retiring(row);
	case TOPDOWN_SOURCE_MIXED:
		return td_thresholds_over(&td_thresholds_core, ratio) &
		       td_thresholds_over(&td_thresholds_atom, ratio);
	case TOPDOWN_SOURCE_PERF_METRICS:
	case TOPDOWN_SOURCE_GENERIC:
	case TOPDOWN_SOURCE_FALLBACK:
		return td_thresholds_over(&td_thresholds_core, ratio);
	default:
		/* The thresholds of a source that only a newer module has are not known here. */
		return 0;
	}
}

/**
 * row_over - the nodes that are over their published thresholds
 * @row: row
 *
 * There is none if no bottleneck can be named.
 *
 * Return: bit n for node n.
 */
uint32_t row_over(const struct row *row)
{
	if (row_doubt(row) != ROW_JUDGED)
		return 0;
	return over_thresholds(row);
}

/**
 * row_bottleneck - the level 1 node that costs most, and is over its threshold
 * @row: row
 *
 * Return: an enum topdown_node, -1 if there is none.
 */
int row_bottleneck(const struct row *row)
{
	const uint32_t lost = 1U << TOPDOWN_BAD_SPECULATION | 1U << TOPDOWN_FRONTEND_BOUND |
			      1U << TOPDOWN_BACKEND_BOUND | 1U << TOPDOWN_SMT_CONTENTION;

	return largest(row, row_over(row) & lost);
}

/**
 * row_bottleneck_child - the largest child of the bottleneck that is over its threshold
 * @row: row
 * @parent: the result of row_bottleneck()
 *
 * Return: an enum topdown_node, -1 if there is none.
 */
int row_bottleneck_child(const struct row *row, int parent)
{
	uint32_t children;

	if (parent < 0)
		return -1;
	children = children_of(row, parent);
	/* None can be called the largest while another one is not known. */
	if (children & ~td_nodes_of_figures(&row->figures))
		return -1;
	return largest(row, row_over(row) & children);
}

/**
 * row_marked - whether a node is marked as the bottleneck, or as its largest child
 * @row: row
 * @node: enum topdown_node
 */
bool row_marked(const struct row *row, unsigned int node)
{
	int bottleneck = row_bottleneck(row);

	return (int)node == bottleneck || (int)node == row_bottleneck_child(row, bottleneck);
}

/**
 * row_hybrid - has the task been on cores of a hybrid machine?
 * @row: row
 *
 * Return: true or false; false for rows of CPUs.
 */
bool row_hybrid(const struct row *row)
{
	const struct row_cores *cores = row->session.cores;

	return cores && (cores->core.enabled_ns || cores->atom.enabled_ns);
}

/**
 * row_cores_add - add the figures by kind of core of another row
 * @sum: zeroed, or with some
 * @more: what is added; NULL for nothing
 * @level: highest level of the ratios
 */
void row_cores_add(struct row_cores *sum, const struct row_cores *more, unsigned int level)
{
	if (!more)
		return;
	topdown_figures_add(&sum->core, &more->core, level);
	topdown_figures_add(&sum->atom, &more->atom, level);
}

/**
 * interval_nodes - the nodes that have a ratio in any row
 * @interval: interval
 *
 * Return: bit n for node n.
 */
uint32_t interval_nodes(const struct interval *interval)
{
	uint32_t nodes = 0;
	unsigned int i;

	for (i = 0; i < interval->nr; i++)
		nodes |= td_nodes_of_figures(&interval->row[i].figures);
	return nodes;
}

/**
 * row_level - the level that a row shows
 * @level: highest level of its ratios
 * @interval: interval with the level that was asked for
 */
unsigned int row_level(unsigned int level, const struct interval *interval)
{
	return level < interval->level ? level : interval->level;
}

/**
 * interval_make - make room for rows
 * @interval: rows are replaced; there are none yet
 * @nr: number of rows
 *
 * Return: 0 or -ENOMEM.
 */
int interval_make(struct interval *interval, unsigned int nr)
{
	if (nr > interval->room) {
		interval_free(interval);
		interval->row = calloc(nr, sizeof(*interval->row));
		if (!interval->row)
			return -ENOMEM;
		interval->room = nr;
	} else {
		memset(interval->row, 0, nr * sizeof(*interval->row));
	}
	interval->nr = 0;
	return 0;
}

/**
 * interval_cores - make room for the figures by kind of core of as many rows
 * @interval: interval with room for rows
 *
 * Rows that are there keep theirs, and the rest is zeroed.
 *
 * Return: 0 or -ENOMEM.
 */
int interval_cores(struct interval *interval)
{
	struct row_cores *cores = reallocarray(interval->cores, interval->room, sizeof(*cores));
	unsigned int i;

	if (!cores)
		return -ENOMEM;
	interval->cores = cores;
	for (i = 0; i < interval->nr; i++)
		interval->row[i].session.cores = &cores[i];
	memset(&cores[interval->nr], 0, (interval->room - interval->nr) * sizeof(*cores));
	return 0;
}

/**
 * interval_free - free the rows
 * @interval: interval; can be filled again
 */
void interval_free(struct interval *interval)
{
	free(interval->row);
	free(interval->cores);
	interval->row = NULL;
	interval->cores = NULL;
	interval->nr = 0;
	interval->room = 0;
}
