// SPDX-License-Identifier: GPL-2.0
/*
 * Sums of differences of PERF_METRICS: two owners that take turns get their own nodes, whatever
 * the CPU does to make its bytes.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "ktap.h"
#include "linear.h"
#include "random.h"
#include "tree.h"

#define OWNERS		2
#define TURNS		4000
#define RESET_SLOTS	(1ULL << 24)
/* A byte alone is half a step off at most, 0.2 points. */
#define LIMIT_POINTS	0.3

static const struct td_quant quants[WAYS] = {
	[WAY_TRUNCATE] = { .score = 16, .rest = -64 }, [WAY_ROUND] = { .score = -16, .rest = -64 },
	[WAY_REST] = { .score = 16, .rest = 32 },
};

/**
 * struct machine - the counters of a CPU
 * @slots: since the last reset, and of each metric
 * @metric: exact
 * @counted: steps of each metric that the driver has counted at resets
 */
struct machine {
	__u64 slots;
	double metric[TD_METRIC_NR];
	__u64 counted_slots;
	__u64 counted[TD_METRIC_NR];
};

static unsigned int byte_of(const struct machine *machine, enum way way, unsigned int i)
{
	double byte = machine->metric[i] * 255 / (double)machine->slots;
	unsigned int rest = 255, n;

	if (way == WAY_ROUND)
		return (unsigned int)(byte + 0.5);
	if (way == WAY_TRUNCATE || i != TD_METRIC_BAD_SPEC)
		return (unsigned int)byte;
	for (n = 0; n < TD_METRIC_L1; n++)
		rest -= n == TD_METRIC_BAD_SPEC ? 0 : byte_of(machine, way, n);
	return rest;
}

/* All that was counted until now, as td_group_take() adds it. */
static void look(const struct machine *machine, enum way way, struct td_counts *counts)
{
	unsigned int i;

	counts->slots = machine->counted_slots + machine->slots;
	for (i = 0; i < TD_METRIC_NR; i++) {
		counts->metric[i] = machine->counted[i];
		if (machine->slots)
			counts->metric[i] += machine->slots * byte_of(machine, way, i);
	}
}

static void reset(struct machine *machine, enum way way)
{
	struct td_counts counts;

	look(machine, way, &counts);
	machine->counted_slots = counts.slots;
	memcpy(machine->counted, counts.metric, sizeof(machine->counted));
	machine->slots = 0;
	memset(machine->metric, 0, sizeof(machine->metric));
}

/* Fractions of a program; children are parts of their parents. */
static void program(struct rng *rng, double fraction[TD_METRIC_NR])
{
	double sum = 0;
	unsigned int i;

	for (i = 0; i < TD_METRIC_L1; i++)
		sum += fraction[i] = 50 + rng_below(rng, 1000);
	for (i = 0; i < TD_METRIC_L1; i++) {
		fraction[i] /= sum;
		fraction[TD_METRIC_L1 + i] = fraction[i] * rng_below(rng, 1000) / 1000;
	}
}

static double worst(const double fraction[TD_METRIC_NR], __u64 slots, const __u64 *node)
{
	double off, most = 0;
	unsigned int i;

	for (i = 0; i < TD_METRIC_L1; i++) {
		off = fabs((double)(int64_t)node[i] / (double)slots - fraction[i]);
		most = fmax(most, off);
		off = fabs((double)(int64_t)node[TOPDOWN_HEAVY_OPERATIONS + 2 * i] /
			   (double)slots - fraction[TD_METRIC_L1 + i]);
		most = fmax(most, off);
	}
	return most * 100;
}

static void test_way(struct ktap *ktap, enum way way)
{
	struct td_counts sum[OWNERS] = { }, noted = { }, now = { };
	double fraction[OWNERS][TD_METRIC_NR], most = 0;
	__u64 node[TOPDOWN_MAX_NODES], place[TOPDOWN_MAX_NODES];
	struct machine machine = { };
	struct rng rng = { 4711 };
	unsigned int turn, i, own;
	bool right = true;

	for (own = 0; own < OWNERS; own++)
		program(&rng, fraction[own]);
	for (turn = 0; turn < TURNS; turn++) {
		__u64 slots = 100000 + rng_below(&rng, 1000000);

		own = turn % OWNERS;
		machine.slots += slots;
		for (i = 0; i < TD_METRIC_NR; i++)
			machine.metric[i] += fraction[own][i] * (double)slots;
		look(&machine, way, &now);
		sum[own].slots += now.slots - noted.slots;
		for (i = 0; i < TD_METRIC_NR; i++)
			sum[own].metric[i] += now.metric[i] - noted.metric[i];
		noted = now;
		if (machine.slots > RESET_SLOTS)
			reset(&machine, way);
	}
	for (own = 0; own < OWNERS; own++) {
		td_steps_to_nodes(sum[own].slots, sum[own].metric, &quants[way], 2, node);
		memcpy(place, sum[own].metric, sizeof(sum[own].metric));
		td_steps_to_nodes(sum[own].slots, place, &quants[way], 2, place);
		right &= !memcmp(place, node, TD_NODES_METRICS * sizeof(*node));
		right &= tree_sums_up(sum[own].slots, node);
		most = fmax(most, worst(fraction[own], sum[own].slots, node));
	}
	if (most > LIMIT_POINTS)
		ktap_note("%.3f points", most);
	ktap_result(ktap, right && most <= LIMIT_POINTS, "%s: each owner has its own nodes",
		    way_name[way]);
}

/* Level 1 alone leaves the children as they are. */
static void test_level(struct ktap *ktap)
{
	const __u64 steps[TD_METRIC_NR] = { 255 * 40, 255 * 30, 255 * 20, 255 * 10 };
	__u64 node[TOPDOWN_MAX_NODES] = { [TOPDOWN_HEAVY_OPERATIONS] = 7 };

	td_steps_to_nodes(100, steps, &quants[WAY_ROUND], 1, node);
	ktap_result(ktap, node[0] == 40 && node[1] == 30 && node[2] == 20 && node[3] == 10 &&
		    node[TOPDOWN_HEAVY_OPERATIONS] == 7, "level 1 alone leaves the children as they are");
}

int main(void)
{
	struct ktap ktap;
	unsigned int way;

	ktap_begin(&ktap, WAYS + 1);
	for (way = 0; way < WAYS; way++)
		test_way(&ktap, way);
	test_level(&ktap);
	return ktap_end(&ktap);
}
