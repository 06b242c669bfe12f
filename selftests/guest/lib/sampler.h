/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The truth of every CPU every few milliseconds, so that the truth is known for an
 * interval that somebody else chose.
 */
#ifndef TOPDOWN_SELFTESTS_SAMPLER_H
#define TOPDOWN_SELFTESTS_SAMPLER_H

#include "guest.h"

/* A thread that samples until it is stopped; the memory of the last run is reused. */
int sampler_start(void);
void sampler_stop(void);
/* From now on the sampler runs on @cpu, and disturbs no other. */
void sampler_move(unsigned int cpu);
/*
 * What @cpu executed between two times of @clock, CLOCK_REALTIME or
 * CLOCK_MONOTONIC, in ns.  False if that was not sampled.
 */
bool sampler_truth(clockid_t clock, uint64_t from, uint64_t to, unsigned int cpu,
		   struct td_bd_truth *truth);

#endif /* TOPDOWN_SELFTESTS_SAMPLER_H */
