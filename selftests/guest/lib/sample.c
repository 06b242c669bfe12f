// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <string.h>

#include "sample.h"

/*
 * The two looks should be no more than this apart: 0.6 ms at 18 slots a ns.  Less
 * would take more tries where CPUs are slow, which is work of another character
 * on the CPU that is measured.
 */
#define SAMPLE_SLOTS	(18 * 600000ULL)
#define SAMPLE_TRIES	50

/*
 * On the CPU itself nothing has to be sent anywhere, so that the truth is read
 * within microseconds of the fold.  The host may still take the CPU away in
 * between: then once more.
 */
int sample_take(int fd, unsigned int cpu, struct sample *sample)
{
	struct sample now;
	unsigned int i;
	int ret;

	ret = cpu_pin(cpu);
	if (ret)
		return ret;
	sample->before.slots = 0;
	sample->after.slots = UINT64_MAX;
	for (i = 0; i < SAMPLE_TRIES; i++) {
		backdoor_truth_cpu(cpu, &now.before);
		ret = device_read_cpu(fd, TOPDOWN_READ_FRESH, cpu, &now.record);
		if (ret)
			return ret;
		backdoor_truth_cpu(cpu, &now.after);
		if (now.after.slots - now.before.slots <
		    sample->after.slots - sample->before.slots)
			*sample = now;
		if (sample->after.slots - sample->before.slots < SAMPLE_SLOTS)
			break;
	}
	return 0;
}

void compare_nodes(const double *seen, const double *truth, unsigned int level,
		   struct comparison *comparison)
{
	unsigned int i, nodes = level > 1 ? TRUTH_NODES : TOPDOWN_HEAVY_OPERATIONS;
	double points;

	memset(comparison, 0, sizeof(*comparison));
	comparison->level = level;
	for (i = 0; i < TRUTH_NODES; i++) {
		comparison->seen[i] = seen[i];
		comparison->truth[i] = truth[i];
		points = 100 * fabs(seen[i] - truth[i]);
		/* Nodes above the level must have no figure, and all others one. */
		if (isnan(seen[i]) ? i < nodes : i >= nodes)
			points = INFINITY;
		else if (i >= nodes)
			continue;
		if (points >= comparison->points) {
			comparison->points = points;
			comparison->worst_node = i;
		}
	}
}

/* The share of the slots in which the driver may have had the counters stopped: 0.8% were seen. */
#define HELD_MAX	0.02

/*
 * The slots that a counter which is on can count.  Where time passes also while the host has the
 * CPU, the driver may have the counters stopped for milliseconds in which the CPU "executes".
 */
static double slots_to_count(const struct td_bd_truth *truth)
{
	double slots = truth->slots;

	return slots - (backdoor_exact() ? 0 : fmin(truth->held, HELD_MAX * slots));
}

void sample_compare(const struct sample *earlier, const struct sample *later,
		    struct comparison *comparison)
{
	const struct topdown_figures *then = &earlier->record.total;
	const struct topdown_figures *now = &later->record.total;
	double seen[TRUTH_NODES], truth[TRUTH_NODES];
	double slots = now->slots - then->slots, least, most;
	struct td_bd_truth inner = later->before, outer = later->after;
	unsigned int i;

	backdoor_truth_sub(&inner, &earlier->after);
	backdoor_truth_sub(&outer, &earlier->before);
	backdoor_truth_nodes(&inner, truth);
	for (i = 0; i < TRUTH_NODES; i++)
		seen[i] = slots ? (now->node[i] - then->node[i]) / slots : NAN;
	for (i = 0; i < TRUTH_NODES; i++) {
		if (later->record.total.ratio[i] == TOPDOWN_RATIO_NONE)
			seen[i] = NAN;
	}
	compare_nodes(seen, truth, later->record.level, comparison);
	least = slots_to_count(&inner);
	most = slots_to_count(&outer);
	comparison->slots = slots / ((least + most) / 2);
	comparison->slots_unsure = (most - least) / (least + most);
	comparison->running = (double)(now->running_ns - then->running_ns) /
			      (now->enabled_ns - then->enabled_ns);
}

bool compare_slots_within(const struct comparison *comparison, double share)
{
	return fabs(comparison->slots - 1) <= share + comparison->slots_unsure;
}

bool figures_consistent(const struct topdown_figures *figures, unsigned int level)
{
	static const unsigned char parent[TRUTH_NODES] = {
		[TOPDOWN_HEAVY_OPERATIONS] = TOPDOWN_RETIRING,
		[TOPDOWN_LIGHT_OPERATIONS] = TOPDOWN_RETIRING,
		[TOPDOWN_BRANCH_MISPREDICTS] = TOPDOWN_BAD_SPECULATION,
		[TOPDOWN_MACHINE_CLEARS] = TOPDOWN_BAD_SPECULATION,
		[TOPDOWN_FETCH_LATENCY] = TOPDOWN_FRONTEND_BOUND,
		[TOPDOWN_FETCH_BANDWIDTH] = TOPDOWN_FRONTEND_BOUND,
		[TOPDOWN_MEMORY_BOUND] = TOPDOWN_BACKEND_BOUND,
		[TOPDOWN_CORE_BOUND] = TOPDOWN_BACKEND_BOUND,
	};
	__u64 left[TRUTH_NODES], sum = 0;
	unsigned int i, nodes = level > 1 ? TRUTH_NODES : 4;

	for (i = 0; i < 4; i++) {
		sum += figures->node[i];
		left[i] = figures->node[i];
	}
	for (; i < nodes; i++)
		left[parent[i]] -= figures->node[i];
	/* A slot in a thousand may be without a category, of very short windows. */
	if (figures->running_ns > figures->enabled_ns || sum > figures->slots ||
	    figures->slots - sum > figures->slots / 1000)
		return false;
	for (i = 0; i < 4; i++) {
		if (level > 1 && left[i])
			return false;
		if (figures->children_slots[i] != (level > 1 ? figures->slots : 0))
			return false;
	}
	if (figures->busy_ns > figures->enabled_ns || !figures->cycles != !figures->instructions)
		return false;
	for (i = 0; i < TOPDOWN_MAX_NODES; i++) {
		unsigned __int128 ratio = figures->node[i];

		if (i >= nodes || !figures->slots) {
			if (figures->ratio[i] != TOPDOWN_RATIO_NONE || figures->node[i])
				return false;
			continue;
		}
		if (figures->ratio[i] != ratio * TOPDOWN_RATIO_ONE / figures->slots)
			return false;
	}
	return true;
}
