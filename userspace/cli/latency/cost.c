// SPDX-License-Identifier: GPL-2.0
/*
 * topdown latency --cost: the cycles that events cost, and the nodes of level 4 and metrics that
 * follow from them.
 *
 * The sampling counter says how often an event happened, as far as the event had it; of tasks only
 * the samples do.  This count times the latency, over the cycles of the CPU or the tasks, is what
 * the event cost at most: other instructions may have been executed meanwhile.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sums.h"
#include "latency.h"
#include "message.h"
#include "refusal.h"
#include "rows.h"

/* The parents of nodes are of this level and above. */
#define LEVEL	2

/* A part of a formula that is not there. */
#define NONE	(-1)

/* Published thresholds of the parents. */
#define FETCH_LATENCY_OVER	0.1
#define FRONTEND_BOUND_OVER	0.15
#define MEMORY_BOUND_OVER	0.2
#define BACKEND_BOUND_OVER	0.2

/* Where less of the time of tasks was measured their cycles are not known. */
#define MEASURED_LEAST		0.05

/* Panther Lake: nobody has published its nodes. */
#define MODEL_PTL		204

enum parent {
	PARENT_NONE,
	PARENT_FETCH,
	PARENT_MEMORY,
};

/*
 * Source: Intel's perfmon repository, GNR/metrics/graniterapids_metrics.json version 1.3 (TMA 5.2)
 * and MTL/metrics/meteorlake_metrics_redwoodcove_core.json version 1.1 (TMA 5.1).  For
 * tma_l1_latency_capacity it is LNL/metrics/lunarlake_metrics_lioncove_core.json and
 * ARL/metrics/arrowlake_metrics_lioncove_core.json, both version 1.1 (TMA 5.1), which have the
 * others in the same form.  The names are those of perf.
 *
 * A node that needs no other terms: the cost of an event, whose latency is cut at @cap if that is
 * not 0, less that of another.  A threshold of 0 is none.
 */
static const struct {
	const char *name;
	int event;
	int less;
	double cap;
	double threshold;
	enum parent parent;
} nodes[] = {
	{ "tma_code_l2_hit", TOPDOWN_LATENCY_FRONTEND_RETIRED_L1I_MISS,
	  TOPDOWN_LATENCY_FRONTEND_RETIRED_L2_MISS, 0, 0.05, PARENT_FETCH },
	{ "tma_code_l2_miss", TOPDOWN_LATENCY_FRONTEND_RETIRED_L2_MISS,
	  NONE, 0, 0.05, PARENT_FETCH },
	{ "tma_code_stlb_hit", TOPDOWN_LATENCY_FRONTEND_RETIRED_ITLB_MISS,
	  TOPDOWN_LATENCY_FRONTEND_RETIRED_STLB_MISS, 0, 0.05, PARENT_FETCH },
	{ "tma_code_stlb_miss", TOPDOWN_LATENCY_FRONTEND_RETIRED_STLB_MISS,
	  NONE, 0, 0.05, PARENT_FETCH },
	{ "tma_lock_latency", TOPDOWN_LATENCY_MEM_INST_RETIRED_LOCK_LOADS,
	  NONE, 0, 0.2, PARENT_MEMORY },
	{ "tma_split_stores", TOPDOWN_LATENCY_MEM_INST_RETIRED_SPLIT_STORES,
	  NONE, 1, 0.2, PARENT_MEMORY },
	{ "tma_l1_latency_capacity", TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L1_HIT_L1,
	  NONE, 9, 0.1, PARENT_MEMORY },
	{ "tma_info_frontend_dsb_switches_ret", TOPDOWN_LATENCY_FRONTEND_RETIRED_ANY_DSB_MISS,
	  NONE, 0, 0.05, PARENT_NONE },
	{ "tma_info_frontend_ms_latency_ret", TOPDOWN_LATENCY_FRONTEND_RETIRED_MS_FLOWS,
	  NONE, 0, 0.05, PARENT_NONE },
	{ "tma_info_frontend_unknown_branches_ret",
	  TOPDOWN_LATENCY_FRONTEND_RETIRED_UNKNOWN_BRANCH, NONE, 0, 0, PARENT_NONE },
	{ "tma_info_memory_tlb_load_stlb_miss_ret",
	  TOPDOWN_LATENCY_MEM_INST_RETIRED_STLB_MISS_LOADS, NONE, 0, 0.05, PARENT_NONE },
	{ "tma_info_memory_tlb_store_stlb_miss_ret",
	  TOPDOWN_LATENCY_MEM_INST_RETIRED_STLB_MISS_STORES, NONE, 0, 0.05, PARENT_NONE },
};

_Static_assert(sizeof(nodes) / sizeof(nodes[0]) == COST_NODES, "room for the nodes");

/**
 * cost_begin - make room for the figures of CPUs
 * @run: the run, whose command line has --cost
 *
 * Return: 0, or an exit code after a message.
 */
int cost_begin(struct latency_run *run)
{
	const struct latency_options *options = run->options;
	const uint64_t *cpus = options->has_cpus ? options->cpus.words : NULL;
	unsigned int words = options->has_cpus ? CPULIST_WORDS : 0;
	int ret;

	if (!(topdown_info_get(run->td)->out_features & TOPDOWN_FEATURE_CYCLES))
		return message_fail(EXIT_DEVICE, "--cost: the module counts no cycles (parameter cycles=0, or the model)");
	if (options->tasks)
		return 0;
	ret = topdown_reading_create(&run->cost_then, run->td, cpus, words);
	if (!ret)
		ret = topdown_reading_create(&run->cost_now, run->td, cpus, words);
	return ret ? refusal_read(options->device, -ret) : 0;
}

/**
 * cost_begin_task - read the figures of a task right before it is sampled
 * @task: the task
 *
 * Return: 0 or -errno.
 */
int cost_begin_task(struct task *task)
{
	unsigned int nr = TASK_KINDS;

	return topdown_session_read_kinds(task->session, TOPDOWN_SESSION_FRESH, &task->then,
					  sizeof(task->then), task->kind_then, &nr,
					  sizeof(*task->kind_then));
}

/**
 * cost_read - read the figures of now
 * @run: the run
 *
 * Return: 0, or an exit code after a message.
 */
int cost_read(struct latency_run *run)
{
	int ret;

	if (run->tasks.nr) {
		ret = tasks_read(&run->tasks, TOPDOWN_SESSION_FRESH);
		return ret ? refusal_session(run->options->device, -ret) : 0;
	}
	ret = topdown_reading_update(run->cost_now, TOPDOWN_READ_FRESH);
	return ret ? refusal_read(run->options->device, -ret) : 0;
}

/**
 * cost_next - the next interval begins with what was read last
 * @run: the run
 */
void cost_next(struct latency_run *run)
{
	struct topdown_reading *swap = run->cost_then;
	unsigned int i;

	for (i = 0; i < run->tasks.nr; i++)
		task_advance(&run->tasks.task[i]);
	run->cost_then = run->cost_now;
	run->cost_now = swap;
}

/**
 * cost_end - free what cost_begin() made
 * @run: the run
 */
void cost_end(struct latency_run *run)
{
	topdown_reading_destroy(run->cost_then);
	topdown_reading_destroy(run->cost_now);
}

/*
 * How often an event happened in an interval; NaN if it had no counter.  Count and times of a CPU
 * are of the same moment, and its samples may be newer.
 */
static double count(const struct topdown_latency_record *record, bool ran)
{
	bool counted = record->flags & TOPDOWN_LATENCY_RECORD_COUNTED;
	double events = counted ? record->counted : record->events;

	if (!record->events && !record->elapsed_ns && !ran)
		return 0;
	if (!record->elapsed_ns || !record->running_ns)
		return (double)NAN;
	return events * record->elapsed_ns / record->running_ns;
}

static void set_cpu(const struct latency_run *run, struct row *row)
{
	if (topdown_reading_between(run->cost_then, run->cost_now, row->cpu, LEVEL, &row->figures))
		memset(&row->figures, 0, sizeof(row->figures));
	latency_of(row)->estimate = count(&latency_of(row)->record, false);
	latency_of(row)->cycles = row->figures.cycles;
}

/* The share of the time of a task in which its cycles were counted, if nobody else needed that. */
static double measured(const struct task *task, const struct topdown_figures *all)
{
	uint64_t merged = task->now.out_merged_ns - task->then.out_merged_ns;

	return merged < all->enabled_ns ? 1 - (double)merged / all->enabled_ns : 0;
}

/*
 * Samples are of all time of the tasks, and cycles only of what was measured.  What the tasks did
 * on E-cores is left out, as far as the times tell.
 */
static void set_task(struct row *row)
{
	const struct task *task = row->task;
	struct latency_row *own = latency_of(row);
	struct topdown_figures all, core, atom;
	double part;

	if (topdown_session_between(&task->then, &task->now, LEVEL, &all) ||
	    task_kind(task, TOPDOWN_KIND_CORE, LEVEL, &core) ||
	    task_kind(task, TOPDOWN_KIND_ATOM, LEVEL, &atom))
		return;
	own->estimate = count(&own->record, all.enabled_ns);
	row->figures = all;
	if (core.enabled_ns || atom.enabled_ns) {
		own->estimate *= core.enabled_ns / ((double)core.enabled_ns + atom.enabled_ns);
		row->figures = core;
	}
	part = measured(task, &all);
	own->cycles = part < MEASURED_LEAST ? 0 : row->figures.cycles / part;
}

/* A latency as the node of the event takes it. */
static double capped(unsigned int event, double latency)
{
	unsigned int i;

	for (i = 0; i < COST_NODES; i++) {
		if (nodes[i].event == (int)event && nodes[i].cap && latency > nodes[i].cap)
			return nodes[i].cap;
	}
	return latency;
}

/**
 * cost_set - what an event cost on a CPU or in a task, in the interval
 * @run: the run
 * @row: the row of the CPU or the task
 */
void cost_set(const struct latency_run *run, struct row *row)
{
	struct latency_row *own = latency_of(row);
	double latency = latency_figure(own, run->options->statistic);

	if (row->task)
		set_task(row);
	else
		set_cpu(run, row);
	if (isnan(own->estimate))
		own->cycles = 0;
	if (!own->cycles)
		return;
	/* Without an event there is no latency, and none of a few that had no sample. */
	if (isnan(latency)) {
		own->unsampled = own->estimate;
		return;
	}
	own->spent = own->estimate * latency;
	own->capped = own->estimate * capped(own->record.event, latency);
}

/**
 * cost_add - add the costs of a CPU to a sum
 * @sum: row of the sum
 * @row: row of the CPU, after cost_set()
 *
 * A CPU without an estimate, or whose events have no cycles, is left out of the count, the costs
 * and their cycles, but not of the figures, from which the parents of nodes follow.
 */
void cost_add(struct row *sum, const struct row *row)
{
	struct latency_row *all = latency_of(sum);
	const struct latency_row *own = latency_of(row);

	td_figures_add(&sum->figures, &row->figures);
	if (isnan(own->estimate) || (own->estimate && !own->cycles))
		return;
	all->estimate = isnan(all->estimate) ? own->estimate : all->estimate + own->estimate;
	all->unsampled += own->unsampled;
	all->spent += own->spent;
	all->capped += own->capped;
	all->cycles += own->cycles;
}

/* Events on CPUs that had no sample cost as much as those on the others. */
static void spread(struct latency_row *row)
{
	double sampled = row->estimate - row->unsampled;
	double factor = sampled > 0 ? row->estimate / sampled : (double)NAN;

	if (!row->unsampled)
		return;
	row->spent *= factor;
	row->capped *= factor;
}

/* Cycles as a share of those of the row. */
static double share(const struct latency_row *row, double cycles)
{
	return row->cycles ? cycles / row->cycles : (double)NAN;
}

static bool same_subject(const struct row *a, const struct row *b)
{
	return a->kind == b->kind && a->cpu == b->cpu && a->task == b->task;
}

static const struct latency_row *find(const struct row *rows, unsigned int nr,
				      const struct row *subject, int event)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (same_subject(&rows[i], subject) &&
		    (int)latency_of(&rows[i])->record.event == event)
			return latency_of(&rows[i]);
	}
	return NULL;
}

static bool over(const struct topdown_figures *figures, unsigned int node, double threshold)
{
	return figures->slots && (double)figures->node[node] / figures->slots > threshold;
}

static bool parents_over(const struct topdown_figures *figures, enum parent parent)
{
	switch (parent) {
	case PARENT_FETCH:
		return over(figures, TOPDOWN_FETCH_LATENCY, FETCH_LATENCY_OVER) &&
		       over(figures, TOPDOWN_FRONTEND_BOUND, FRONTEND_BOUND_OVER);
	case PARENT_MEMORY:
		return over(figures, TOPDOWN_MEMORY_BOUND, MEMORY_BOUND_OVER) &&
		       over(figures, TOPDOWN_BACKEND_BOUND, BACKEND_BOUND_OVER);
	default:
		return true;
	}
}

/* A row for a node, if the events are there that it needs. */
static bool add_node(struct latency_run *run, unsigned int nr, const struct row *subject,
		     unsigned int node, unsigned int at)
{
	const struct latency_row *event = find(run->rows, nr, subject, nodes[node].event);
	const struct latency_row *less = NULL;
	struct latency_row *own = &run->own[at];

	if (nodes[node].less != NONE)
		less = find(run->rows, nr, subject, nodes[node].less);
	if (!event || (nodes[node].less != NONE && !less))
		return false;
	run->rows[at] = *subject;
	run->rows[at].own = own;
	*own = (struct latency_row){
		.record = event->record,
		.node = nodes[node].name,
		.estimate = (double)NAN,
		.cost = share(event, event->capped),
		.aside = event->aside,
	};
	if (less) {
		own->cost -= share(less, less->spent);
		own->cost = own->cost < 0 ? 0 : own->cost;
	}
	/* Thresholds are published for the mean. */
	own->judged = nodes[node].threshold && !isnan(own->cost) &&
		      run->options->statistic == KNOWN_MEAN;
	own->over = own->judged && own->cost > nodes[node].threshold &&
		    parents_over(&subject->figures, nodes[node].parent);
	return true;
}

/**
 * cost_rows - fill in the costs, and add the rows of nodes
 * @run: the run, with the rows of events and room for those of nodes
 * @nr: number of rows
 *
 * Return: number of rows.
 */
unsigned int cost_rows(struct latency_run *run, unsigned int nr)
{
	bool published = topdown_info_get(run->td)->out_cpu_model != MODEL_PTL;
	unsigned int i, j, n = nr, node;

	for (i = 0; i < nr; i++) {
		spread(&run->own[i]);
		run->own[i].cost = share(&run->own[i], run->own[i].spent);
	}
	for (i = 0; published && i < nr; i++) {
		for (j = 0; j < i && !same_subject(&run->rows[i], &run->rows[j]); j++)
			;
		for (node = 0; j == i && node < COST_NODES; node++)
			n += add_node(run, nr, &run->rows[i], node, n);
	}
	return n;
}
