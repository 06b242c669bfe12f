// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "region.h"
#include "sample.h"

bool region_profile(const char *name)
{
	const struct profile *profile = profile_find(name);

	return profile && backdoor_change_profile(&profile->profile);
}

void region_work(unsigned int iterations)
{
	volatile unsigned int i;

	for (i = 0; i < iterations; i++)
		;
}

unsigned int region_iterations(uint64_t ns)
{
	const unsigned int some = 100000;
	uint64_t took;

	took = -clock_ns(CLOCK_THREAD_CPUTIME_ID);
	region_work(some);
	took += clock_ns(CLOCK_THREAD_CPUTIME_ID);
	return took ? ns * some / took : some;
}

static void executed_add(struct executed *executed, struct td_bd_truth *to,
			 const struct td_bd_truth *from)
{
	backdoor_truth_sub(to, from);
	backdoor_truth_add(&executed->truth, to);
}

bool region_run(struct topdown_regions *regions, int id, const char *inside,
		const char *outside, unsigned int iterations, unsigned int times,
		struct executed *executed)
{
	const struct td_bd_profile *in = &profile_find(inside)->profile;
	const struct td_bd_profile *out = &profile_find(outside)->profile;
	struct td_bd_truth from, to;
	unsigned int i;
	bool ok = true;

	for (i = 0; i < times && ok; i++) {
		executed->cpu_ns -= clock_ns(CLOCK_THREAD_CPUTIME_ID);
		ok = !topdown_region_begin(regions, id) && backdoor_change_profile(in) &&
		     backdoor_truth_space(&from);
		region_work(iterations);
		ok = ok && backdoor_truth_space(&to) && backdoor_change_profile(out) &&
		     !topdown_region_end(regions, id);
		executed->cpu_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID);
		executed_add(executed, &to, &from);
		region_work(iterations);
	}
	return ok;
}

bool region_run_alone(struct topdown_regions *regions, int id,
		      const struct td_bd_profile *profile, unsigned int iterations,
		      struct executed *executed)
{
	struct td_bd_truth from, to;
	bool ok;

	executed->cpu_ns -= clock_ns(CLOCK_THREAD_CPUTIME_ID);
	ok = backdoor_change_profile(profile) && backdoor_truth_space(&from) &&
	     !topdown_region_begin(regions, id);
	region_work(iterations);
	ok = ok && !topdown_region_end(regions, id) && backdoor_truth_space(&to);
	executed->cpu_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (ok)
		executed_add(executed, &to, &from);
	return ok;
}

bool region_compare(const struct topdown_region *seen, const struct executed *executed,
		    struct difference *difference)
{
	const struct topdown_figures *figures = &seen->figures;
	double fraction[TRUTH_NODES], want[TRUTH_NODES];
	struct comparison comparison;
	unsigned int i;

	backdoor_truth_nodes(&executed->truth, want);
	for (i = 0; i < TRUTH_NODES; i++)
		fraction[i] = figures->ratio[i] == TOPDOWN_RATIO_NONE ? NAN :
			      figures->ratio[i] / (double)TOPDOWN_RATIO_ONE;
	compare_nodes(fraction, want, seen->level, &comparison);
	difference->points = comparison.points;
	difference->slots = figures->slots / (double)executed->truth.slots;
	difference->time = figures->enabled_ns / (double)executed->cpu_ns;
	difference->running = figures->running_ns / (double)figures->enabled_ns;
	return figures_consistent(figures, seen->level) && seen->level &&
	       seen->source == TOPDOWN_SOURCE_PERF_METRICS && !seen->open;
}
