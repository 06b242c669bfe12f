/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that the tests of regions share: code to measure, its truth, and the comparison.
 */
#ifndef TOPDOWN_SELFTESTS_REGION_H
#define TOPDOWN_SELFTESTS_REGION_H

#include <topdown.h>

#include "guest.h"

/* Another profile from here on; what was executed so far stays in the truth. */
bool region_profile(const char *name);

/* Instructions of no interest: about four an iteration. */
void region_work(unsigned int iterations);
/* How many of these take @ns of CPU time. */
unsigned int region_iterations(uint64_t ns);

/* The truth and the time of the code inside a region. */
struct executed {
	struct td_bd_truth truth;
	uint64_t cpu_ns;
};

/*
 * Run a region @times times, with iterations of profile @inside in it and as many
 * of @outside after it, and add the truth of the region to @executed.
 */
bool region_run(struct topdown_regions *regions, int id, const char *inside,
		const char *outside, unsigned int iterations, unsigned int times,
		struct executed *executed);

/* Run a region once, all of which has one profile, its begin and its end too. */
bool region_run_alone(struct topdown_regions *regions, int id,
		      const struct td_bd_profile *profile, unsigned int iterations,
		      struct executed *executed);

struct difference {
	double points;
	/* Shares of the truth, or of the time. */
	double slots;
	double time;
	double running;
};

/* Compare a region with the truth; false if the figures of the region are impossible. */
bool region_compare(const struct topdown_region *seen, const struct executed *executed,
		    struct difference *difference);

#endif /* TOPDOWN_SELFTESTS_REGION_H */
