/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Latency sessions of one CPU, and the truth of each PEBS record.  The distributions are those of
 * pmu/latencies.
 */
#ifndef TD_LATENCY_H
#define TD_LATENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "guest.h"

#define CPU		1
#define SPAN_MS		3000
#define SETTLE_MS	1500
/* In a million cycles: three in a microsecond. */
#define RATE		1000

struct shape {
	unsigned int event;
	uint64_t config;
};

#define NR_SHAPES	5
#define SHAPE_EVENT(n)	(1ULL << shapes[n].event)

extern const struct shape shapes[NR_SHAPES];

/* A shape as both sides know it at one moment. */
struct moment {
	struct topdown_latency_record record;
	struct td_bd_latency truth;
	uint64_t bin[TOPDOWN_LATENCY_BINS];
};

/* For spin_start_with(): the events of all shapes happen. */
bool set_rates(void);

int latency_ask(int fd, struct topdown_latency *latency);
/* Return: the number of a session of CPU, or a negative errno. */
int latency_start(int fd, uint64_t events);
/* Return: the number of one for the tasks of a session, or a negative errno. */
int latency_start_tasks(int fd, int session, uint64_t events);
int latency_end(int fd, unsigned int session);
int latency_read(int fd, unsigned int session, struct topdown_latency_record *records,
		 unsigned int nr);
bool latency_granted(int fd);

/* Fill in the truth of an event on CPU. */
bool moment_truth(struct moment *moment, uint64_t config);
uint64_t all_samples(const struct topdown_latency_record *records);
uint64_t all_shapes(void);
/* Both sides speak of the same moment. */
bool moments_fill(struct moment *moments, int fd, int session);
/* The quantile of what was sampled between, as the middle of its bin. */
double moment_quantile(const struct moment *then, const struct moment *now, double share);
bool shape_right(const struct moment *then, const struct moment *now);
/* Are the shapes right for SPAN_MS? */
bool shapes_right(int fd, int session);

#endif /* TD_LATENCY_H */
