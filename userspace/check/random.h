/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random numbers of which each run has the same, by the generator of Numerical Recipes.
 */
#ifndef TOPDOWN_CHECK_RANDOM_H
#define TOPDOWN_CHECK_RANDOM_H

#include <math.h>
#include <stdint.h>

/* Where they begin. */
static uint32_t random_state = 1;

/* Between 0 and 1, and neither of them. */
static inline double random_uniform(void)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state + 0.5) / 4294967296.0;
}

/* About 0, with a standard deviation of 1. */
static inline double random_normal(void)
{
	return sqrt(-2 * log(random_uniform())) * cos(6.283185307179586 * random_uniform());
}

#endif /* TOPDOWN_CHECK_RANDOM_H */
