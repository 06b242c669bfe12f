// SPDX-License-Identifier: GPL-2.0
/*
 * Profiles to execute on the emulated PMU.
 */
#include <stdlib.h>
#include <string.h>

#include "guest.h"

/* In the order of enum td_bd_category, in percent: the first four sum to 100. */
#define PPM(percent)	((uint32_t)((percent) * 10000 + 0.5))
#define PROFILE(ret, bad, fe, be, heavy, mispredict, latency, memory)	\
	{ { PPM(ret), PPM(bad), PPM(fe), PPM(be), PPM(heavy),		\
	    PPM(mispredict), PPM(latency), PPM(memory) } }

const struct profile profiles[] = {
	/* For people: like real programs. */
	{ "compute", "dense arithmetic: most slots retire",
	  PROFILE(78, 2, 5, 15, 9, 1, 2, 3) },
	{ "stream", "reads far memory in a row: waits for data",
	  PROFILE(14, 1, 3, 82, 2, 0.5, 1, 76) },
	{ "branchy", "unpredictable branches: works for nothing",
	  PROFILE(27, 43, 18, 12, 3, 40, 9, 4) },
	{ "bigcode", "code larger than the caches: waits for instructions",
	  PROFILE(31, 6, 51, 12, 4, 5, 39, 5) },
	{ "divide", "long divisions: the execution units are the limit",
	  PROFILE(33, 1, 4, 62, 21, 0.5, 1, 4) },
	/* For the tests: what is hard to show right. */
	{ "even", "the same everywhere",
	  PROFILE(25, 25, 25, 25, 12.5, 12.5, 12.5, 12.5) },
	{ "retiring", "nearly all retires, little of it heavy",
	  PROFILE(97, 1, 1, 1, 3, 0.5, 0.5, 0.5) },
	{ "heavy", "all retires, all of it heavy",
	  PROFILE(100, 0, 0, 0, 100, 0, 0, 0) },
	{ "clears", "nearly all is bad speculation by machine clears",
	  PROFILE(3, 92, 2, 3, 1, 0, 1, 2) },
	{ "fetch", "nearly all waits for instructions",
	  PROFILE(2, 2, 94, 2, 0, 1, 90, 1) },
	{ "hidden", "three categories smaller than a step of a byte",
	  PROFILE(0.38, 0.38, 0.38, 98.86, 0, 0.3, 0.3, 98) },
	{ "halves", "two categories that are 0",
	  PROFILE(50, 0, 0, 50, 50, 0, 0, 0) },
	{ "odd", "fractions that no byte has",
	  PROFILE(12.3457, 23.4567, 34.5678, 29.6298, 6.789, 1.2345, 33.3333, 15.4321) },
	{ "thirds", "three equal, one nearly nothing",
	  PROFILE(33.3333, 33.3333, 33.3333, 0.0001, 11.1111, 33.3333, 0, 0.0001) },
	{ "steps", "whole steps of a byte",
	  PROFILE(20, 20, 20, 40, 20, 0, 10, 20) },
	{ "ceiling", "just below a step everywhere",
	  PROFILE(12.1567, 24.3135, 31.3723, 32.1575, 5.8822, 11.7645, 15.2939, 16.0782) },
};

const unsigned int profiles_nr = sizeof(profiles) / sizeof(profiles[0]);

const struct profile *profile_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < profiles_nr; i++) {
		if (!strcmp(profiles[i].name, name))
			return &profiles[i];
	}
	return NULL;
}

bool profile_parse(const char *text, struct td_bd_profile *profile)
{
	unsigned int i;
	char *end;

	for (i = 0; i < TD_BD_CATEGORIES; i++) {
		double part = strtod(text, &end);

		if (end == text || !(part >= 0 && part <= 1))
			return false;
		profile->fraction[i] = part * TD_BD_FRACTION + 0.5;
		if (*end != (i + 1 < TD_BD_CATEGORIES ? ',' : '\0'))
			return false;
		text = end + 1;
	}
	return true;
}
