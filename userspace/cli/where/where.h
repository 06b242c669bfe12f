/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown where: its command line, and what the parts of the command share.
 */
#ifndef TOPDOWN_CLI_WHERE_H
#define TOPDOWN_CLI_WHERE_H

#include <stdio.h>
#include <topdown.h>

#include "command.h"
#include "cpulist.h"
#include "output-kind.h"

/* Kinds of core of a hybrid machine; others have one. */
#define WHERE_DOMAINS		2

#define WHERE_TIMEOUT_MIN_MS	10
#define WHERE_TIMEOUT_MAX_MS	2147483647
#define WHERE_ROWS_DEFAULT	10
#define WHERE_ROWS_MAX		10000

enum where_by {
	WHERE_FUNCTION,
	WHERE_LINE,
	WHERE_INSTRUCTION,
};

/**
 * struct where_options - the command line of topdown where
 * @device: node
 * @all_cpus: -a
 * @has_cpus: -C
 * @cpus: its argument
 * @pid: -p; 0 without
 * @argv: the command and its arguments, or NULL
 * @nodes: --node; 0 for those over their thresholds
 * @rate: --rate
 * @timeout_ms: --timeout; 0 for no limit
 * @by: --by
 * @rows: -n
 * @user: --user
 * @folded: -g
 * @annotate: --annotate
 * @html: --html, or NULL
 * @output: -j, -x and --no-header
 * @path: -o, or NULL
 * @quiet: -q
 */
struct where_options {
	const char *device;
	bool all_cpus;
	bool has_cpus;
	struct cpulist cpus;
	uint64_t pid;
	char **argv;
	uint32_t nodes;
	uint64_t rate;
	uint64_t timeout_ms;
	enum where_by by;
	uint64_t rows;
	bool user;
	bool folded;
	bool annotate;
	const char *html;
	struct output output;
	const char *path;
	bool quiet;
};

/**
 * struct where_domain - CPUs whose figures belong together
 * @name: NULL on a machine with one kind of core
 * @atom: E-cores of a hybrid machine
 * @source: enum topdown_source
 * @figures: of the time of sampling
 * @nodes: bit n for each node that is shown
 */
struct where_domain {
	const char *name;
	bool atom;
	unsigned int source;
	struct topdown_figures figures;
	uint32_t nodes;
};

struct where_points;
struct where_symbols;

/**
 * struct where_run - a measurement
 * @options: the command line
 * @td: device
 * @session: session of the process; not for CPUs
 * @then: reading of CPUs at the begin
 * @now: reading of CPUs at the end
 * @command: the command
 * @status: its exit status
 * @stalls: sampling
 * @points: what was sampled
 * @symbols: names of addresses
 * @domains_nr: number of @domain
 * @domain: figures
 * @start_ns: CLOCK_MONOTONIC of the begin
 * @seconds: length
 * @records: records that were taken
 * @nameless: number of the file that lost most slots where it has no symbols
 * @nameless_slots: how many; 0 without such a file
 * @signal: the signal that ended it
 */
struct where_run {
	const struct where_options *options;
	struct topdown *td;
	int session;
	struct topdown_reading *then;
	struct topdown_reading *now;
	struct command command;
	int status;
	struct topdown_stalls *stalls;
	struct where_points *points;
	struct where_symbols *symbols;
	unsigned int domains_nr;
	struct where_domain domain[WHERE_DOMAINS];
	uint64_t start_ns;
	double seconds;
	uint64_t records;
	uint32_t nameless;
	double nameless_slots;
	int signal;
};

int where_main(int argc, char **argv);
int where_parse(struct where_options *options, int argc, char **argv, bool *done);

/* where-figures.c */
int where_figures_begin(struct where_run *run);
int where_figures_end(struct where_run *run);

/* where-report.c */
int where_report(struct where_run *run);

/* Whole CPUs are sampled, and no process. */
bool where_of_cpus(const struct where_run *run);

#endif /* TOPDOWN_CLI_WHERE_H */
