/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown watch: say when nodes cross thresholds.
 */
#ifndef TOPDOWN_CLI_WATCH_H
#define TOPDOWN_CLI_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <topdown.h>

#include "cpulist.h"
#include "output.h"

#define WATCHES_MAX		256
#define EVENTS_MAX		1000000000
#define HOLD_MAX_MS		3600000
#define WATCH_TIMEOUT_MIN_MS	10
#define WATCH_TIMEOUT_MAX_MS	2147483647
#define MIN_SLOTS_MAX		1000000000000000000

/* timeout(1) exits with this code too. */
#define EXIT_TIMED_OUT		124

/**
 * struct watched - the threshold of a watch
 * @node: enum topdown_node, or TOPDOWN_WATCH_ANY
 * @ratio: threshold
 * @below: the threshold is crossed downwards
 */
struct watched {
	uint32_t node;
	uint32_t ratio;
	bool below;
};

/**
 * struct watch_row - what a row of a watch event has
 * @event: the event
 * @watched: its threshold; NULL for none
 */
struct watch_row {
	const struct topdown_event *event;
	const struct watched *watched;
};

/**
 * struct watch_options - the command line of topdown watch
 * @device: node
 * @all_cpus: -a
 * @has_cpus: -C
 * @cpus: arguments of -C
 * @sum: --sum
 * @back: --back
 * @hold_ms: --hold
 * @min_slots: --min-slots
 * @count: --count; 0 for no limit
 * @timeout_ms: --timeout; 0 for no limit
 * @output: format, separator and header
 * @nr: number of @watched; 0 for every window that closes
 * @watched: thresholds in the order of the command line; the module numbers them from 1
 */
struct watch_options {
	const char *device;
	bool all_cpus;
	bool has_cpus;
	struct cpulist cpus;
	bool sum;
	bool back;
	uint64_t hold_ms;
	uint64_t min_slots;
	uint64_t count;
	uint64_t timeout_ms;
	struct output output;
	unsigned int nr;
	struct watched watched[WATCHES_MAX];
};

extern const struct columns watch_columns;

int watch_main(int argc, char **argv);
int watch_parse(struct watch_options *options, int argc, char **argv, bool *done);

#endif /* TOPDOWN_CLI_WATCH_H */
