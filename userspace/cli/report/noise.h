/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is a difference of two recordings more than noise?
 */
#ifndef TOPDOWN_CLI_NOISE_H
#define TOPDOWN_CLI_NOISE_H

#include <stdbool.h>
#include <stddef.h>

#include "format.h"
#include "series.h"

/* Blocks of a recording. They are never chosen by what they say. */
#define NOISE_BLOCKS		8
/* With fewer steps the correlation of steps is not known well enough. */
#define NOISE_STEPS_MIN		RECORD_DIFF_STEPS
/* A block has so many correlation times of the steps at least. */
#define NOISE_TIMES		5
/* For all nodes together, if the blocks are independent. */
#define NOISE_ALPHA		0.05
/* With fewer runs their spread is not known well enough. */
#define NOISE_RUNS_MIN		RECORD_DIFF_RUNS
/* For all lines together. Half of that are wrong alarms, as many lines say the same. */
#define NOISE_RUNS_ALPHA	0.03
/* Smaller differences are never called more than noise: bytes of counters have steps. */
#define NOISE_LEAST		0.001

/* A smaller error is that of whole slots, and tells nothing of noise. */
#define NOISE_ERROR_LEAST	1e-6

/* A number after those of the nodes: instructions per cycle. */
#define NOISE_IPC		TD_NR_NODES
#define NOISE_VALUES		(NOISE_IPC + 1)

/**
 * struct noise_mean - the mean of a node or of IPC, and how exact it is
 * @known: there is a mean
 * @mean: its slots over all slots; instructions over cycles
 * @runs: it is the mean of so many runs, which have no blocks; 0 for none
 * @blocks: number of blocks; 0 if nothing can be said of the error
 * @steps: steps of a block
 * @error: standard error of @mean
 * @pairs: standard error of @mean, from pairs of blocks
 */
struct noise_mean {
	bool known;
	double mean;
	size_t runs;
	size_t blocks;
	size_t steps;
	double error;
	double pairs;
};

/**
 * enum noise_verdict - what can be said of a difference
 *
 * @NOISE_NONE: one of the recordings has no mean
 * @NOISE_UNKNOWN: a recording is too short, or has too long windows, or changes too slowly
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
 * @amount: it is no ratio, so errors are judged by how large they are beside it
 * @before: the mean before
 * @after: the mean after
 * @difference: @after - @before
 * @error: half of the 95% confidence interval of @difference; NaN if not known
 * @margin: what @difference must exceed to be more than noise; NaN if not known
 * @t: t of block means; NaN if not known
 * @freedom: degrees of freedom of @t
 * @p: how probable such a @t is by chance alone; NaN if not known
 * @verdict: what can be said
 */
struct noise_difference {
	bool amount;
	struct noise_mean before;
	struct noise_mean after;
	double difference;
	double error;
	double margin;
	double t;
	double freedom;
	double p;
	enum noise_verdict verdict;
};

double noise_student(double t, double freedom);
void noise_mean(struct noise_mean *mean, const struct series *series, unsigned int value);
void noise_runs(struct noise_mean *mean, const double *values, size_t nr);
void noise_compare(struct noise_difference *difference, unsigned int comparisons);
const char *noise_word(enum noise_verdict verdict);
const char *noise_word_meaning(const char *word);

#endif /* TOPDOWN_CLI_NOISE_H */
