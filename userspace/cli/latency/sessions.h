/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Latency sessions: several that are read together, or one of all CPUs, which goes on beside
 * something else.
 */
#ifndef TOPDOWN_CLI_SESSIONS_H
#define TOPDOWN_CLI_SESSIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <topdown.h>

#include "cpulist.h"

/* Enough for a command line; the module has 64 for a user without CAP_PERFMON. */
#define LATENCY_PARTS_MAX	16

/**
 * struct latency_part - one latency session: of CPUs, or of a followed task
 * @latency: it
 * @nr: number of its records
 * @raw: its events are raw_events()
 * @task: number of the task
 */
struct latency_part {
	struct topdown_latencies *latency;
	unsigned int nr;
	bool raw;
	unsigned int task;
};

/**
 * struct latency_parts - latency sessions that are read together
 * @nr_parts: number of @part
 * @part: the latency sessions; of tasks each has one, but for those that have ended
 * @nr: number of records of all parts
 */
struct latency_parts {
	unsigned int nr_parts;
	struct latency_part part[LATENCY_PARTS_MAX];
	unsigned int nr;
};

int latency_parts_start(struct latency_parts *parts, struct topdown *td,
			const struct cpulist *cpus, int session, uint64_t events);
int latency_parts_start_raw(struct latency_parts *parts, struct topdown *td,
			    const struct cpulist *cpus, int session);
int latency_parts_read(const struct latency_parts *parts, struct topdown_latency_record *to);
void latency_parts_end(struct latency_parts *parts);

/**
 * struct latencies - a latency session
 * @session: the library's; NULL while nothing is sampled
 * @nr: number of records
 * @record: records of the last read: event after event, and of each event CPU after CPU
 */
struct latencies {
	struct topdown_latencies *session;
	unsigned int nr;
	struct topdown_latency_record *record;
};

int latencies_start(struct latencies *latencies, struct topdown *td, const char *device,
		    uint64_t wanted);
int latencies_read(struct latencies *latencies);
void latencies_stop(struct latencies *latencies);
void latencies_end(struct latencies *latencies);

#endif /* TOPDOWN_CLI_SESSIONS_H */
