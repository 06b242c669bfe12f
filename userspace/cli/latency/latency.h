/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown latency: how long instructions take to retire, by event.
 */
#ifndef TOPDOWN_CLI_LATENCY_H
#define TOPDOWN_CLI_LATENCY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <topdown.h>

#include "command.h"
#include "cpulist.h"
#include "idlist.h"
#include "known-table.h"
#include "output.h"
#include "sessions.h"
#include "task.h"
#include "ticker.h"

#define LATENCY_INTERVAL_MIN_MS	100
#define LATENCY_INTERVAL_MAX_MS	3600000
#define LATENCY_COUNT_MAX	1000000000
#define LATENCY_TIMEOUT_MIN_MS	100
#define LATENCY_TIMEOUT_MAX_MS	2147483647

/**
 * struct latency_options - the command line of topdown latency
 * @device: node
 * @events: -e, bit n for event n; 0 for all that the machine has, if there is no @nr_raw
 * @nr_raw: number of raw_events() of -e
 * @all_cpus: -a
 * @has_cpus: -C
 * @cpus: arguments of -C
 * @pids: -p
 * @argv: the command and its arguments; NULL for none
 * @tasks: tasks are sampled: those of -p, or the command by itself
 * @each: -A
 * @list: --list
 * @published: --default
 * @table: --table; known[] has what the file says
 * @save: --save; NULL for none
 * @cost: --cost
 * @has_statistic: --statistic
 * @statistic: its argument
 * @known: what is known without a sample; filled in latency_main() too
 * @interval_ms: -I; 0 for none
 * @count: --count; 0 for no limit
 * @timeout_ms: --timeout; 0 for no limit
 * @path: -o; NULL for none
 * @append: --append
 * @output: format, separator and header; open while rows are printed
 */
struct latency_options {
	const char *device;
	uint64_t events;
	unsigned int nr_raw;
	bool all_cpus;
	bool has_cpus;
	struct cpulist cpus;
	struct idlist pids;
	char **argv;
	bool tasks;
	bool each;
	bool list;
	bool published;
	struct known_origin table;
	const char *save;
	bool cost;
	bool has_statistic;
	enum known_figure statistic;
	struct known known[KNOWN_EVENTS];
	uint64_t interval_ms;
	uint64_t count;
	uint64_t timeout_ms;
	const char *path;
	bool append;
	struct output output;
};

/**
 * struct latency_save - where to write a table
 * @path: the file, which is no link; NULL for none
 * @mode: its rights
 * @owner: its owner, and
 * @group: its group, if there is one already; -1 for those of a new file
 */
struct latency_save {
	char *path;
	mode_t mode;
	uid_t owner;
	gid_t group;
};

/**
 * struct latency_run - one run
 * @options: the command line
 * @td: device
 * @ticker: ends of intervals
 * @tasks: followed tasks
 * @command: the command; its pid is 0 if there is none
 * @events: bit n for event n
 * @sampled: the latency sessions; part n is of task n if there are tasks, and a second one of CPUs
 *	has the raw events
 * @first: records of the start of the run
 * @then: records of the start of the interval
 * @now: records of its end
 * @cost_then: figures of the CPUs at the start of the interval; with --cost only
 * @cost_now: figures at its end
 * @save: the table of --save
 * @rows: the records as rows, and a sum for each event
 * @own: what each row has for itself
 * @start_ns: start of the run
 * @then_ns: start of the interval
 * @signal: signal that ended the run; 0 for none
 */
struct latency_run {
	struct latency_options *options;
	struct topdown *td;
	struct ticker ticker;
	struct tasks tasks;
	struct command command;
	uint64_t events;
	struct latency_parts sampled;
	struct topdown_latency_record *first;
	struct topdown_latency_record *then;
	struct topdown_latency_record *now;
	struct topdown_reading *cost_then;
	struct topdown_reading *cost_now;
	struct latency_save save;
	struct row *rows;
	struct latency_row *own;
	uint64_t start_ns;
	uint64_t then_ns;
	int signal;
};

int latency_start(struct latency_run *run);
void latency_stop(struct latency_run *run);
int latency_execute(struct latency_run *run);
int latency_outlast(struct latency_run *run);
enum ticker_event latency_wait(struct latency_run *run);
unsigned int latency_rows(struct latency_run *run);
unsigned int latency_rows_known(struct latency_run *run, uint64_t events);
unsigned int latency_sums(struct latency_run *run);
void latency_table(struct output *output, const struct interval *interval, bool costs);

int save_prepare(struct latency_save *save, const char *path, int rows);
int save_write(const struct latency_save *save, const struct topdown_info *info,
	       const struct topdown_latency_record *records, unsigned int nr);

/* Nodes that follow from costs. */
#define COST_NODES	12

int cost_begin(struct latency_run *run);
int cost_begin_task(struct task *task);
int cost_read(struct latency_run *run);
void cost_next(struct latency_run *run);
void cost_end(struct latency_run *run);
void cost_set(const struct latency_run *run, struct row *row);
void cost_add(struct row *sum, const struct row *row);
unsigned int cost_rows(struct latency_run *run, unsigned int nr);

int latency_main(int argc, char **argv);
int latency_parse(struct latency_options *options, int argc, char **argv, bool *done);

#endif /* TOPDOWN_CLI_LATENCY_H */
