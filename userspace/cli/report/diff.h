/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The differences of two recordings.
 */
#ifndef TOPDOWN_CLI_DIFF_H
#define TOPDOWN_CLI_DIFF_H

#include "diff-lines.h"
#include "latency-figures.h"
#include "runs.h"

/**
 * struct difference - what two recordings differ in
 * @before: the one
 * @after: the other
 * @runs: both are of runs, which are compared
 * @nr: number of @line
 * @line: nodes, and IPC
 * @amount: elapsed time, slots, instructions and cycles; of a run if there are @runs
 * @nr_latencies: number of @latency
 * @latency: mean latencies of events
 */
struct difference {
	const struct summary *before;
	const struct summary *after;
	bool runs;
	unsigned int nr;
	struct line line[NOISE_VALUES];
	struct line amount[RUNS_AMOUNTS];
	unsigned int nr_latencies;
	struct line latency[LATENCY_EVENTS];
};

void diff_table(const struct report_options *options, const struct difference *found);

#endif /* TOPDOWN_CLI_DIFF_H */
