/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A latency session of all CPUs, which goes on beside something else.
 */
#ifndef TOPDOWN_CLI_SESSIONS_H
#define TOPDOWN_CLI_SESSIONS_H

#include <stdint.h>
#include <topdown.h>

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
