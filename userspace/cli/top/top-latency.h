/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown top: the latencies from one refresh to the next.
 */
#ifndef TOPDOWN_CLI_TOP_LATENCY_H
#define TOPDOWN_CLI_TOP_LATENCY_H

#include <stdbool.h>
#include <stdint.h>
#include <topdown.h>

#include "sessions.h"
#include "view.h"

/**
 * struct top_latency_part - an event on a CPU
 * @based_ns: CLOCK_MONOTONIC of @base; 0 for none yet
 * @base: the record at the end of the interval shown
 * @shown: the interval shown
 */
struct top_latency_part {
	uint64_t based_ns;
	struct topdown_latency_record base;
	struct topdown_latency_record shown;
};

/**
 * struct top_latency - all events
 * @session: the session, while they are shown; its records are kept while the screen stands still
 * @events: number of events
 * @part: parts in the order of the session's records
 * @row: the rows of the screen, for top_latency_rows()
 * @away: number of CPUs of the rows that leave the counter to perf users
 */
struct top_latency {
	struct latencies session;
	unsigned int events;
	struct top_latency_part *part;
	struct topdown_latency_record *row;
	unsigned int away;
};

int top_latency_start(struct top_latency *latency, struct topdown *td, const char *device,
		      uint64_t wanted);
int top_latency_room(struct top_latency *latency);
void top_latency_put(struct top_latency *latency, uint64_t now_ns);
unsigned int top_latency_rows(struct top_latency *latency, const struct top_view *view);
int top_latency_restart(struct top_latency *latency, struct topdown *td, const char *device,
			uint64_t wanted);
void top_latency_stop(struct top_latency *latency);
void top_latency_end(struct top_latency *latency);

#endif /* TOPDOWN_CLI_TOP_LATENCY_H */
