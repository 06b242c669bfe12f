/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown stat: what it was asked for.
 */
#ifndef TOPDOWN_CLI_STAT_H
#define TOPDOWN_CLI_STAT_H

#include "cpulist.h"
#include "idlist.h"
#include "output.h"

#define INTERVAL_MIN_MS		10
#define INTERVAL_MAX_MS		3600000
#define INTERVAL_DEFAULT_MS	1000
#define COUNT_MAX		1000000000
#define TIMEOUT_MIN_MS		10
#define TIMEOUT_MAX_MS		2147483647
#define LEVEL_MAX		2
#define RUNS_MAX		100000

/**
 * struct stat_options - the command line of topdown stat
 * @device: node
 * @all_cpus: -a
 * @has_cpus: -C
 * @cpus: argument of -C
 * @per_cpu: -A
 * @pids: -p; empty without
 * @tids: -t; empty without
 * @argv: the command and its arguments, or NULL
 * @per_thread: --per-thread
 * @no_inherit: --no-inherit
 * @runs: -r; 0 without
 * @interval_ms: -I; 0 for one interval until the end
 * @count: --count; 0 for no limit
 * @timeout_ms: --timeout; 0 for no limit
 * @level: -l; 0 for the highest that the machine has
 * @format: -x or -j
 * @separator: argument of -x
 * @path: -o, or NULL
 * @append: --append
 * @header: not --no-header
 * @strict: --strict
 * @quiet: -q
 * @verbose: -v
 */
struct stat_options {
	const char *device;
	bool all_cpus;
	bool has_cpus;
	struct cpulist cpus;
	bool per_cpu;
	struct idlist pids;
	struct idlist tids;
	char **argv;
	bool per_thread;
	bool no_inherit;
	uint64_t runs;
	uint64_t interval_ms;
	uint64_t count;
	uint64_t timeout_ms;
	uint64_t level;
	enum output_format format;
	char separator;
	const char *path;
	bool append;
	bool header;
	bool strict;
	bool quiet;
	bool verbose;
};

int stat_main(int argc, char **argv);
int stat_parse(struct stat_options *options, int argc, char **argv, bool *done);
int stat_level(const struct stat_options *options, const struct topdown *td,
	       unsigned int *level);
double stat_epoch(void);
int stat_signal_status(const struct stat_options *options, int signal);
int stat_run(const struct stat_options *options);
int stat_tasks(const struct stat_options *options);

#endif /* TOPDOWN_CLI_STAT_H */
