/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The latencies that are exported, as histograms.
 */
#ifndef TOPDOWN_CLI_EXPORT_LATENCY_H
#define TOPDOWN_CLI_EXPORT_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "cpulist.h"
#include "export-text.h"
#include "sessions.h"
#include "told.h"

/* Buckets with a bound; those above it are in one more. */
#define EXPORT_BUCKETS		22

enum export_latency_state {
	EXPORT_LATENCY_OK,
	EXPORT_LATENCY_ASIDE,
	EXPORT_LATENCY_OFFLINE,
	EXPORT_LATENCY_STATES,
};

/**
 * struct export_histogram - the latencies of an event, on one CPU or all
 * @event: enum topdown_latency_number
 * @cpu: its number; TOPDOWN_CPU_ALL for all
 * @samples: number of samples
 * @running_ns: how long the event had the sampling counter
 * @elapsed_ns: how long it has been asked for, also while its CPU is offline
 * @sum: sum of the latencies
 * @counted: events that the sampling counter counted
 * @lost: those of periods that ended without a sample
 * @bucket: events in each bucket, and in no other
 *
 * A sum over many CPUs does not fit 64 bits for long, and a counter must not fall.
 */
struct export_histogram {
	uint32_t event;
	uint32_t cpu;
	__uint128_t samples;
	__uint128_t running_ns;
	__uint128_t elapsed_ns;
	__uint128_t sum;
	__uint128_t counted;
	__uint128_t lost;
	__uint128_t bucket[EXPORT_BUCKETS + 1];
};

/**
 * struct export_latency - the latency session, and its histograms
 * @device: path of the device
 * @per_cpu: a histogram of each CPU, not of all
 * @wanted: the events, as of events_parse(); 0 for no session
 * @session: the session, while it goes on
 * @up: it could be read, so that all below is known
 * @told: why it could not
 * @cpus: CPUs in each state
 * @counted: the module says what was counted, and what was lost
 * @rows: histograms
 * @nr: number of @rows
 */
struct export_latency {
	const char *device;
	bool per_cpu;
	uint64_t wanted;
	struct latencies session;
	bool up;
	struct export_told told;
	unsigned int cpus[EXPORT_LATENCY_STATES];
	bool counted;
	struct export_histogram *rows;
	unsigned int nr;
};

void export_latency_update(struct export_latency *latency, struct topdown *td,
			   const struct cpulist *offline);
void export_latency_metrics(struct export_text *text, const struct export_latency *latency);
void export_latency_end(struct export_latency *latency);

#endif /* TOPDOWN_CLI_EXPORT_LATENCY_H */
