/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Latency sessions of one CPU, and the truth of each PEBS record.  The distributions are those of
 * pmu/latencies.
 */
#ifndef TD_LATENCY_H
#define TD_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/topdown_latency.h>

#include "guest.h"

#define TD_LATENCY_DEVICE	"/dev/topdown_latency"

#define CPU		1
#define SPAN_MS		3000
#define SETTLE_MS	1500
/* In a million cycles: three in a microsecond. */
#define RATE		1000

/* The events of the tests.  The first ones have distributions in pmu/latencies: the shapes. */
enum {
	SPLIT_LOADS,
	LOCAL_DRAM,
	L3_HIT,
	L1I_MISS,
	L2_HIT,
	NR_SHAPES,
	SPLIT_STORES = NR_SHAPES,
	LOCK_LOADS,
	/* Lion Cove has it, and Redwood Cove has not. */
	L1_HIT_L1,
	/* PEBS of it can have counter 0 only. */
	STORE_SAMPLE,
	NR_EVENTS,
};

/* Sets of events. */
#define EVENT(n)	(1ULL << (n))
#define ALL_SHAPES	(EVENT(NR_SHAPES) - 1)

extern const struct topdown_latency_event events[NR_EVENTS];

/* The emulator's name of an event. */
static inline uint64_t event_config(unsigned int event)
{
	return events[event].config | events[event].config1 << 40;
}

/* A shape as both sides know it at one moment. */
struct moment {
	struct topdown_latency_record record;
	struct td_bd_latency truth;
	uint64_t bin[TOPDOWN_LATENCY_BINS];
};

/* For spin_start_with(): the events of all shapes happen. */
bool set_rates(void);

int latency_open(void);
/* Ask which events of a set can be sampled. */
int latency_ask(int fd, uint64_t set, struct topdown_latency_start *answer);
/* Return: 0 when an open descriptor is a session of CPU, or a negative errno. */
int latency_begin(int fd, uint64_t set);
/* Return: the descriptor of a session of CPU, or a negative errno. */
int latency_start(uint64_t set);
/* Return: the descriptor of one for the tasks of a session, or a negative errno. */
int latency_start_tasks(int session, uint64_t set);
/* Return: the number of records, of which @event is the number within the set; or as above. */
int latency_read(int fd, struct topdown_latency_record *records, unsigned int nr);
bool latency_granted(void);

/* Fill in the truth of an event on CPU. */
bool moment_truth(struct moment *moment, uint64_t config);
uint64_t all_samples(const struct topdown_latency_record *records);
/* Both sides speak of the same moment. */
bool moments_fill(struct moment *moments, int fd);
/* The quantile of what was sampled between, as the middle of its bin. */
double moment_quantile(const struct moment *then, const struct moment *now, double share);
bool shape_right(const struct moment *then, const struct moment *now);
/* Are the shapes right for SPAN_MS? */
bool shapes_right(int fd);

#endif /* TD_LATENCY_H */
