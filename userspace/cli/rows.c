// SPDX-License-Identifier: GPL-2.0
/*
 * What one interval has to say, independent of how it is printed.
 */
#include "rows.h"

#include <errno.h>
#include <stdlib.h>

/**
 * row_state - name of the state
 * @row: row
 */
const char *row_state(const struct row *row)
{
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

/* A task that was on no CPU has nothing that could have been measured. */
static bool task_partial(const struct row *row)
{
	double share = 0;

	if (row->state == TOPDOWN_SESSION_ENDED || row->incomplete)
		return true;
	return row_running(row, &share) && share < ROW_RUNNING_FULL;
}

/**
 * row_partial - whether a row does not say all of its interval
 * @row: row
 */
bool row_partial(const struct row *row)
{
	double share = 0;

	if (row->task)
		return task_partial(row);
	if (row->state != TOPDOWN_STATE_OK)
		return true;
	/* One that slept has not been told of the time, but nothing was missed. */
	return row_running(row, &share) && share < ROW_RUNNING_FULL;
}

static int largest(const struct row *row, const int *node, unsigned int nr)
{
	unsigned int i;
	int best = -1;

	for (i = 0; i < nr; i++) {
		uint32_t ratio = row->figures.ratio[node[i]];

		if (ratio == TOPDOWN_RATIO_NONE || !ratio)
			continue;
		if (best < 0 || ratio > row->figures.ratio[best])
			best = node[i];
	}
	return best;
}

/**
 * row_bottleneck - the level 1 node that costs most
 * @row: row
 *
 * Return: an enum topdown_node, -1 if no slot was lost.
 */
int row_bottleneck(const struct row *row)
{
	static const int lost[] = {
		TOPDOWN_BAD_SPECULATION, TOPDOWN_FRONTEND_BOUND, TOPDOWN_BACKEND_BOUND
	};

	return largest(row, lost, 3);
}

/**
 * row_bottleneck_child - the larger child of the bottleneck
 * @row: row
 * @parent: what row_bottleneck() said
 *
 * Return: an enum topdown_node, -1 if there is none.
 */
int row_bottleneck_child(const struct row *row, int parent)
{
	int child[TOPDOWN_NR_NODES];
	unsigned int node, nr = 0;

	if (parent < 0)
		return -1;
	for (node = 0; node < TOPDOWN_NR_NODES; node++) {
		if (topdown_node_parent(node) == parent)
			child[nr++] = node;
	}
	return largest(row, child, nr);
}

/*
 * The kernel's state is that of the last window, which may be a small part of
 * the interval: whether others had the counter is said of the whole of it.
 */
static unsigned int interval_state(const struct row *row)
{
	double share = 0;

	if (row->state != TOPDOWN_STATE_OK && row->state != TOPDOWN_STATE_CONTENDED &&
	    row->state != TOPDOWN_STATE_ASIDE)
		return row->state;
	if (!row_running(row, &share))
		return row->state;
	if (share >= ROW_RUNNING_FULL)
		return TOPDOWN_STATE_OK;
	return row->state == TOPDOWN_STATE_OK ? TOPDOWN_STATE_CONTENDED : row->state;
}

/**
 * row_hybrid - has the task been on cores of a hybrid machine?
 * @row: row
 *
 * Return: true or false; false for rows of CPUs.
 */
bool row_hybrid(const struct row *row)
{
	return row->core.enabled_ns || row->atom.enabled_ns;
}

/**
 * row_nodes - the nodes that have figures
 * @row: row
 *
 * Return: bit n for node n.
 */
uint32_t row_nodes(const struct row *row)
{
	uint32_t nodes = 0;
	unsigned int node;

	for (node = 0; node < TOPDOWN_NR_NODES; node++) {
		if (row->figures.ratio[node] != TOPDOWN_RATIO_NONE)
			nodes |= 1U << node;
	}
	return nodes;
}

/**
 * interval_nodes - the nodes of which any row has figures
 * @interval: interval
 *
 * Return: bit n for node n.
 */
uint32_t interval_nodes(const struct interval *interval)
{
	uint32_t nodes = 0;
	unsigned int i;

	for (i = 0; i < interval->nr; i++)
		nodes |= row_nodes(&interval->row[i]);
	return nodes;
}

static int fill_row(struct row *row, const struct topdown_reading *then,
		    const struct topdown_reading *now,
		    const struct topdown_record *record, unsigned int level)
{
	int ret;

	row->cpu = record->cpu;
	row->state = record->state;
	row->source = record->source;
	row->level = record->level < level ? record->level : level;
	ret = topdown_reading_between(then, now, row->cpu, row->level, &row->figures);
	if (ret)
		return ret;
	row->state = interval_state(row);
	return 0;
}

/**
 * row_worse_state - of the states of two CPUs, the one that says more of what a sum lacks
 * @one: enum topdown_state
 * @other: enum topdown_state
 *
 * Return: one of the two, enum topdown_state.
 */
unsigned int row_worse_state(unsigned int one, unsigned int other)
{
	static const unsigned int ranks[] = {
		TOPDOWN_STATE_EXCLUDED, TOPDOWN_STATE_UNSUPPORTED, TOPDOWN_STATE_OFFLINE,
		TOPDOWN_STATE_OK, TOPDOWN_STATE_CONTENDED, TOPDOWN_STATE_ASIDE,
		TOPDOWN_STATE_ERROR,
	};
	unsigned int worst = one, i;

	for (i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++) {
		if (ranks[i] == one || ranks[i] == other)
			worst = ranks[i];
	}
	return worst;
}

/* CPUs that were off or excluded all the time are only shown to those who named them. */
static bool is_shown(const struct row *row, bool idle_rows)
{
	return idle_rows || row->figures.enabled_ns ||
	       (row->state != TOPDOWN_STATE_OFFLINE && row->state != TOPDOWN_STATE_EXCLUDED);
}

/**
 * interval_fill - compare two readings
 * @interval: rows are replaced; the caller sets @interval->level before and the
 *	times afterwards
 * @then: earlier reading
 * @now: later reading of the same CPUs
 * @idle_rows: also those that were offline or excluded all the time
 *
 * Return: 0 or -errno.
 */
int interval_fill(struct interval *interval, const struct topdown_reading *then,
		  const struct topdown_reading *now, bool idle_rows)
{
	unsigned int i, nr = topdown_reading_nr(now);
	const struct topdown_record *total;
	int ret;

	total = topdown_reading_find(now, TOPDOWN_CPU_ALL);
	if (!total)
		return -EOPNOTSUPP;

	interval_free(interval);
	interval->row = calloc(nr + 1, sizeof(*interval->row));
	if (!interval->row)
		return -ENOMEM;
	ret = fill_row(&interval->row[0], then, now, total, interval->level);
	if (ret)
		return ret;
	interval->nr = 1;
	interval->row[0].nr_cpus = 0;

	for (i = 0; i < nr; i++) {
		struct row *row = &interval->row[interval->nr];

		ret = fill_row(row, then, now, topdown_reading_record(now, i),
			       interval->level);
		if (ret)
			return ret;
		/* The kernel counts those that were measured at any time. */
		interval->row[0].nr_cpus += row->level && (row->figures.enabled_ns ||
							   row->state == TOPDOWN_STATE_OK);
		interval->row[0].state = row_worse_state(interval->row[0].state,
							 row->state);
		if (is_shown(row, idle_rows))
			interval->nr++;
	}
	return 0;
}

/**
 * interval_free - free the rows
 * @interval: interval; can be filled again
 */
void interval_free(struct interval *interval)
{
	free(interval->row);
	interval->row = NULL;
	interval->nr = 0;
}
