/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording added up: totals and figures over time, of all and of each CPU or task.
 */
#ifndef TOPDOWN_CLI_SUMMARY_H
#define TOPDOWN_CLI_SUMMARY_H

#include "latency-sums.h"
#include "owner-sums.h"
#include "recording-files.h"
#include "rows.h"
#include "series.h"
#include "task.h"

/**
 * struct summary_subject - all, a CPU or a task
 * @used: there is something of it
 * @begin_ns: when its first piece began; of tasks only
 * @end_ns: when its last piece ended; of tasks only
 * @series: figures over time
 * @total: sum of the pieces, with ratios
 * @cores: @total by kind of core; of tasks only
 * @source: enum topdown_source
 * @level: lowest level of the pieces
 * @nodes: nodes that any piece has, bit n for node n
 * @past: sum of the windows that had ended when the recording began; of CPUs only
 * @time_ns: time in which the CPUs could be busy; of CPUs only
 * @nr_cpus: CPUs that were measured; of CPUs only
 * @flags: TOPDOWN_RECORD_* of any piece
 * @turns: the most turns of any piece
 * @state: enum topdown_state, or of a task enum topdown_session_state, at the end
 * @windows: windows with a number, or samples
 * @lost: windows that were lost
 * @session: what rows of tasks have; of tasks only
 * @ranks: ratios over time
 * @task: the task, of which rows have the name
 */
struct summary_subject {
	bool used;
	uint64_t begin_ns;
	uint64_t end_ns;
	struct series series;
	struct topdown_figures total;
	struct row_cores cores;
	unsigned int source;
	unsigned int level;
	uint32_t nodes;
	struct topdown_figures past;
	uint64_t time_ns;
	unsigned int nr_cpus;
	unsigned int flags;
	unsigned int turns;
	unsigned int state;
	uint64_t windows;
	uint64_t lost;
	struct row_session session;
	struct series_ranks ranks[TD_NR_NODES];
	struct task task;
};

/**
 * struct summary - a recording added up
 * @step_ns: length of a step that was asked for; 0 for the module's period or the interval
 * @level: highest level that is shown
 * @each: figures over time of each CPU or task are shown too, so they are kept
 * @owner_steps: so are those of owners
 * @nodes: nodes that any piece has, bit n for node n
 * @totals_lack: windows were lost, and the totals do not have their slots
 * @recording: the recording
 * @all: everything
 * @nr: number of @subject
 * @subject: CPUs or tasks by number
 * @latencies: what was sampled
 * @owners: what owners had
 */
struct summary {
	uint64_t step_ns;
	unsigned int level;
	bool each;
	bool owner_steps;
	uint32_t nodes;
	bool totals_lack;
	struct recording recording;
	struct summary_subject all;
	unsigned int nr;
	struct summary_subject *subject;
	struct latency_sums latencies;
	struct owner_sums owners;
};

int summary_read(struct summary *summary, const struct recording_files *files,
		 const struct recording_choice *choice);
void summary_free(struct summary *summary);
bool summary_of_tasks(const struct summary *summary);
unsigned int summary_used(const struct summary *summary);
void summary_row(const struct summary *summary, const struct summary_subject *subject,
		 struct row *row, struct row_recorded *recorded);
void summary_step_row(const struct summary *summary, const struct summary_subject *subject,
		      const struct series *series, size_t step, struct row *row,
		      struct row_recorded *recorded);
bool summary_partly(const struct topdown_figures *total, unsigned int node, uint32_t *ratio,
		    double *share);
uint64_t summary_end_ns(const struct summary *summary);
bool summary_step_unrecorded(const struct summary *summary, const struct series *series,
			     size_t step);
size_t summary_steps(const struct summary *summary);
double summary_seconds(const struct summary *summary);

#endif /* TOPDOWN_CLI_SUMMARY_H */
