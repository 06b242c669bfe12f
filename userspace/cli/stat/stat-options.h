/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command line of topdown stat.
 */
#ifndef TOPDOWN_CLI_STAT_OPTIONS_H
#define TOPDOWN_CLI_STAT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cpulist.h"
#include "idlist.h"
#include "output.h"
#include "owner-keys.h"
#include "topology.h"

#define INTERVAL_MIN_MS		10
#define INTERVAL_MAX_MS		3600000
#define INTERVAL_DEFAULT_MS	1000
#define COUNT_MAX		1000000000
#define TIMEOUT_MIN_MS		10
#define TIMEOUT_MAX_MS		2147483647
#define LEVEL_MAX		2
#define RUNS_MAX		100000
#define TOP_MAX			100000

/**
 * struct stat_options - the command line of topdown stat
 * @device: node
 * @all_cpus: -a
 * @has_cpus: -C
 * @cpus: arguments of -C
 * @per_cpu: -A
 * @per: --per-core and its like; TOPOLOGY_NONE without
 * @windows: --windows
 * @fresh: --fresh
 * @pids: -p; empty without
 * @tids: -t; empty without
 * @argv: the command and its arguments, or NULL
 * @per_thread: --per-thread
 * @tree: --tree
 * @no_inherit: --no-inherit
 * @by: --by
 * @depth: --depth; 0 for no limit
 * @self: --self
 * @cgroups: argument of -G or --for-each-cgroup, or NULL
 * @sort: --sort
 * @top: --top; 0 for all
 * @runs: -r; 0 without
 * @interval_ms: -I; 0 for one interval until the end
 * @count: --count; 0 for no limit
 * @timeout_ms: --timeout; 0 for no limit
 * @delay_ms: -D; 0 for none
 * @waits: -D -1: measure nothing until a word of --control
 * @control: --control, or NULL
 * @level: -l; 0 for the highest that the machine has
 * @locate: --locate
 * @output: -x, -j and --no-header
 * @path: -o, or NULL
 * @append: --append
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
	enum topology per;
	bool windows;
	bool fresh;
	struct idlist pids;
	struct idlist tids;
	char **argv;
	bool per_thread;
	bool tree;
	bool no_inherit;
	enum owner_by by;
	uint64_t depth;
	bool self;
	const char *cgroups;
	struct owner_sort sort;
	uint64_t top;
	uint64_t runs;
	uint64_t interval_ms;
	uint64_t count;
	uint64_t timeout_ms;
	uint64_t delay_ms;
	bool waits;
	const char *control;
	uint64_t level;
	bool locate;
	struct output output;
	const char *path;
	bool append;
	bool strict;
	bool quiet;
	bool verbose;
};

int stat_parse(struct stat_options *options, int argc, char **argv, bool *done);

#endif /* TOPDOWN_CLI_STAT_OPTIONS_H */
