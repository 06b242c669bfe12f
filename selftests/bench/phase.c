// SPDX-License-Identifier: GPL-2.0
/*
 * A program whose character changes, and what counts of the metric events say.
 */
#include <math.h>

#include "bench.h"

#define MS		1000000ULL

/* xorshift64*: the same sequence everywhere. */
static double uniform(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (*state * 0x2545f4914f6cdd1dULL >> 11) / 9007199254740992.0;
}

static void random_profile(uint64_t *state, struct td_bd_profile *profile)
{
	double part[4], sum = 0;
	uint32_t rest = TD_BD_FRACTION;
	unsigned int i;

	for (i = 0; i < 4; i++)
		sum += part[i] = -log(1 - uniform(state));
	for (i = 0; i < 3; i++)
		rest -= profile->fraction[i] = part[i] / sum * TD_BD_FRACTION;
	profile->fraction[TD_BD_BE_BOUND] = rest;
	for (i = 0; i < 4; i++)
		profile->fraction[TD_BD_HEAVY_OPS + i] = profile->fraction[i] * uniform(state);
}

void execute_phases(double seconds, unsigned int min_ms, unsigned int max_ms, uint64_t seed)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + seconds * 1000 * MS, next;
	uint64_t state = seed * 0x9e3779b97f4a7c15ULL;
	struct td_bd_profile profile;

	while (clock_ns(CLOCK_MONOTONIC) < end) {
		random_profile(&state, &profile);
		if (!backdoor_change_profile(&profile))
			die("the emulated PMU refused a profile");
		next = clock_ns(CLOCK_MONOTONIC) +
		       (min_ms + uniform(&state) * (max_ms - min_ms)) * MS;
		while (clock_ns(CLOCK_MONOTONIC) < next)
			;
	}
}

void nodes_of_counts(const double counted[GROUP_EVENTS], double node[TRUTH_NODES])
{
	static const enum topdown_node parent[4] = {
		TOPDOWN_RETIRING, TOPDOWN_BAD_SPECULATION, TOPDOWN_FRONTEND_BOUND,
		TOPDOWN_BACKEND_BOUND,
	};
	const double *count = counted + 1;
	double sum = count[0] + count[1] + count[2] + count[3];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		node[parent[i]] = count[i] / sum;
		node[TOPDOWN_HEAVY_OPERATIONS + 2 * i] = count[4 + i] / sum;
		node[TOPDOWN_LIGHT_OPERATIONS + 2 * i] =
			fmax(0, (count[i] - count[4 + i]) / sum);
	}
}

