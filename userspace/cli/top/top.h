/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown top: its command line.
 */
#ifndef TOPDOWN_CLI_TOP_H
#define TOPDOWN_CLI_TOP_H

#include "cpulist.h"
#include "owner-keys.h"

#define DELAY_MIN_MS		10
#define DELAY_MAX_MS		3600000
#define DELAY_DEFAULT_MS	1000
#define REFRESHES_MAX		1000000000

/**
 * struct top_options - the command line of topdown top
 * @device: node
 * @all_cpus: -a
 * @has_cpus: -C
 * @cpus: argument of -C
 * @delay_ms: -d
 * @count: -n; 0 for no limit
 * @level: -l; 0 for 1
 * @by: --by
 * @depth: --depth, of cgroups whenever they are shown; 0 for no limit
 * @self: --self
 * @sort: --sort
 * @latency: --latency, as of events_parse(); 0 for none
 */
struct top_options {
	const char *device;
	bool all_cpus;
	bool has_cpus;
	struct cpulist cpus;
	uint64_t delay_ms;
	uint64_t count;
	uint64_t level;
	enum owner_by by;
	uint64_t depth;
	bool self;
	struct owner_sort sort;
	uint64_t latency;
};

int top_main(int argc, char **argv);
int top_parse(struct top_options *options, int argc, char **argv, bool *done);

#endif /* TOPDOWN_CLI_TOP_H */
