/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The latencies of a recording added up: of all and of each CPU or task, and over time.
 */
#ifndef TOPDOWN_CLI_LATENCY_SUMS_H
#define TOPDOWN_CLI_LATENCY_SUMS_H

#include <stddef.h>

#include "recording.h"
#include "series.h"

/* When there are more, two steps become one. An even number. */
#define LATENCY_STEPS_MAX	512

/**
 * struct latency_sum - a sum that may not be there
 * @record: the sum; NULL for none
 */
struct latency_sum {
	struct topdown_latency_record *record;
};

/**
 * struct latency_aside - how long an event had no sampling counter: left to others, or none found
 * @end_ns: end of the last interval; 0 for none
 * @away: that was so then
 * @away_ns: how long it was
 * @time_ns: of how long that is known
 */
struct latency_aside {
	uint64_t end_ns;
	bool away;
	uint64_t away_ns;
	uint64_t time_ns;
};

/**
 * struct latency_sums - the latencies of a recording
 * @nr: number of subjects that there may be
 * @events: events that were asked for, bit n for event n
 * @all: sum of all subjects, by event; NULL without an event
 * @each: sum of each subject and event, at subject * LATENCY_EVENTS + event
 * @aside: of each subject and event, as @each; those of all are at subject @nr
 * @start_ns: when step 0 begins
 * @step_ns: length of a step
 * @nr_steps: number of steps
 * @step: sum of all subjects, at event * LATENCY_STEPS_MAX + step
 * @mean: for each event its latencies as instructions and its events as cycles, so that its IPC
 *	is the mean
 */
struct latency_sums {
	unsigned int nr;
	uint64_t events;
	struct topdown_latency_record *all;
	struct latency_sum *each;
	struct latency_aside *aside;
	uint64_t start_ns;
	uint64_t step_ns;
	size_t nr_steps;
	struct latency_sum *step;
	struct series *mean;
};

void latency_sums_begin(struct latency_sums *sums, uint64_t start_ns, uint64_t step_ns,
			unsigned int nr);
int latency_sums_add(struct latency_sums *sums, const struct latency_piece *piece);
const struct topdown_latency_record *latency_sums_of(const struct latency_sums *sums,
						     uint32_t subject, unsigned int event);
const struct topdown_latency_record *latency_sums_step(const struct latency_sums *sums,
						       unsigned int event, size_t step);
double latency_sums_aside(const struct latency_sums *sums, uint32_t subject, unsigned int event);
void latency_sums_join(struct latency_sums *sums, size_t steps);
void latency_sums_free(struct latency_sums *sums);

#endif /* TOPDOWN_CLI_LATENCY_SUMS_H */
