/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown stat: the measurement.
 */
#ifndef TOPDOWN_CLI_STAT_H
#define TOPDOWN_CLI_STAT_H

#include "command.h"
#include "control.h"
#include "cpulist.h"
#include "idlist.h"
#include "output.h"
#include "owner-rows.h"
#include "repeat.h"
#include "span.h"
#include "stat-options.h"
#include "task.h"
#include "ticker.h"
#include "topology.h"

struct stat_run;

/**
 * struct row_source - the maker of rows: CPUs, or tasks
 * @prepare: look at the machine and at the rights of the user
 * @begin: begin to measure, and set @start_ns and @grid_ns of the run
 * @again: measure from now on, and drop what was measured
 * @fill: end an interval now: make all its rows, and give CLOCK_MONOTONIC of the end
 * @choose: keep the rows that the user asked for; NULL for all
 * @alive: whether anything is left to measure; NULL for always
 * @note: print for a terminal what is measured
 * @close: free everything
 *
 * @prepare, @begin, @again and @fill return 0, or an exit code after a message.
 */
struct row_source {
	int (*prepare)(struct stat_run *run);
	int (*begin)(struct stat_run *run);
	int (*again)(struct stat_run *run);
	int (*fill)(struct stat_run *run, uint64_t *now_ns);
	void (*choose)(struct stat_run *run);
	bool (*alive)(struct stat_run *run);
	void (*note)(const struct stat_run *run);
	void (*close)(struct stat_run *run);
};

extern const struct row_source rows_of_cpus;
extern const struct row_source rows_of_tasks;
extern const struct row_source rows_of_owners;

/**
 * struct stat_run - a measurement going on
 * @options: the command line
 * @td: device
 * @source: the maker of its rows
 * @span: CPUs: the readings of an interval
 * @asks_first: CPUs: they count until now at the begin and the end of the measurement
 * @asks_always: CPUs: they count until now at the end of each interval too
 * @cpus: CPUs that are measured, as of now
 * @tasks: tasks that are followed
 * @owners: processes or cgroups, with --by
 * @command: the command, if there is one
 * @repeat: sums over its runs, with -r
 * @start_ns: CLOCK_MONOTONIC of the start of the measurement
 * @grid_ns: CLOCK_MONOTONIC of the start of the grid of intervals, which may be later
 * @then_ns: CLOCK_MONOTONIC up to which the last interval counts
 * @woken_ns: CLOCK_MONOTONIC of its end, which may be later
 * @last: the interval is the last
 * @output: the output
 * @interval: the interval that is printed
 * @parts: sums of the parts that are over, with --control and without -I
 * @control: words from outside
 * @disabled: nothing is measured until one of them
 * @failed: exit code of one that failed
 * @ticker: the ends of intervals
 * @over: the last rows say that nothing is left to measure
 * @signal: the signal that ended the measurement, or was handed on to the command
 * @partial: some of the time was not measured
 */
struct stat_run {
	const struct stat_options *options;
	struct topdown *td;
	const struct row_source *source;
	struct span span;
	bool asks_first;
	bool asks_always;
	struct cpulist cpus;
	struct tasks tasks;
	struct owners owners;
	struct command command;
	struct repeat repeat;
	uint64_t start_ns;
	uint64_t grid_ns;
	uint64_t then_ns;
	uint64_t woken_ns;
	bool last;
	struct output output;
	struct interval interval;
	struct interval parts;
	struct control control;
	bool disabled;
	int failed;
	struct ticker ticker;
	bool over;
	int signal;
	bool partial;
};

int stat_main(int argc, char **argv);

#endif /* TOPDOWN_CLI_STAT_H */
