/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is a difference of two recordings more than noise?
 */
#ifndef TOPDOWN_CLI_NOISE_H
#define TOPDOWN_CLI_NOISE_H

#include <stdbool.h>
#include <stddef.h>

#include "series.h"

/* A mean of fewer blocks says nothing about its error. */
#define NOISE_BLOCKS_MIN	8
#define NOISE_BLOCKS_MAX	32
/* The share of wrong alarms that is put up with, for all nodes together. */
#define NOISE_ALPHA		0.05
/* Smaller differences are never called more than noise: bytes of counters have steps. */
#define NOISE_LEAST		0.001

/* A number after those of the nodes: instructions per cycle. */
#define NOISE_IPC		TD_NR_NODES
#define NOISE_VALUES		(NOISE_IPC + 1)

/**
 * struct noise_mean - the mean of a node or of IPC, and how exact it is
 * @known: there is a mean
 * @mean: its slots over all slots; instructions over cycles
 * @blocks: number of blocks; 0 if the recording is too short for an error
 * @steps: steps of a block
 * @error: standard error of @mean
 * @related: blocks still depend on those before, so that the error is too small
 */
struct noise_mean {
	bool known;
	double mean;
	size_t blocks;
	size_t steps;
	double error;
	bool related;
};

/**
 * enum noise_verdict - what can be said of a difference
 *
 * @NOISE_NONE: one of the recordings has no mean
 * @NOISE_UNKNOWN: a recording is too short, or changes too slowly
 * @NOISE_WITHIN: it is not more than noise
 * @NOISE_BEYOND: it is more than noise
 */
enum noise_verdict {
	NOISE_NONE,
	NOISE_UNKNOWN,
	NOISE_WITHIN,
	NOISE_BEYOND,
};

/**
 * struct noise_difference - a node before and after
 * @before: the mean before
 * @after: the mean after
 * @difference: @after - @before
 * @error: half of the 95% confidence interval of @difference; NaN if not known
 * @t: Welch's t; NaN if not known
 * @freedom: degrees of freedom of @t
 * @p: how probable such a @t is by chance alone; NaN if not known
 * @verdict: what can be said
 */
struct noise_difference {
	struct noise_mean before;
	struct noise_mean after;
	double difference;
	double error;
	double t;
	double freedom;
	double p;
	enum noise_verdict verdict;
};

double noise_student(double t, double freedom);
void noise_mean(struct noise_mean *mean, const struct series *series, unsigned int value);
void noise_compare(struct noise_difference *difference, unsigned int comparisons);
const char *noise_word(enum noise_verdict verdict);

#endif /* TOPDOWN_CLI_NOISE_H */
