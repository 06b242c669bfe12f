/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown latency: how long instructions take to retire, by event.
 */
#ifndef TOPDOWN_CLI_LATENCY_H
#define TOPDOWN_CLI_LATENCY_H

#include <stdbool.h>
#include <stdint.h>
#include <topdown.h>

#include "cpulist.h"
#include "output.h"

#define LATENCY_INTERVAL_MIN_MS	100
#define LATENCY_INTERVAL_MAX_MS	3600000
#define LATENCY_COUNT_MAX	1000000000
#define LATENCY_TIMEOUT_MIN_MS	100
#define LATENCY_TIMEOUT_MAX_MS	2147483647

/**
 * struct latency_options - the command line of topdown latency
 * @device: node
 * @events: -e, bit n for event n; 0 for all that the machine has
 * @has_cpus: -C
 * @cpus: arguments of -C
 * @each: -A
 * @list: --list
 * @interval_ms: -I; 0 for none
 * @count: --count; 0 for no limit
 * @timeout_ms: --timeout; 0 for no limit
 * @output: format, separator and header
 */
struct latency_options {
	const char *device;
	uint64_t events;
	bool has_cpus;
	struct cpulist cpus;
	bool each;
	bool list;
	uint64_t interval_ms;
	uint64_t count;
	uint64_t timeout_ms;
	struct output output;
};

int latency_main(int argc, char **argv);
int latency_parse(struct latency_options *options, int argc, char **argv, bool *done);

#endif /* TOPDOWN_CLI_LATENCY_H */
