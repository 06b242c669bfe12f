// SPDX-License-Identifier: GPL-2.0
/*
 * Points within a window: their parts may be below 0, what readers see never falls, and all of it
 * is right at the end.
 */
#include <stdint.h>
#include <string.h>

#include "ktap.h"
#include "owed.h"
#include "random.h"
#include "sums.h"
#include "tree.h"

#define WINDOWS		2000
#define POINTS_MAX	40

/**
 * struct seen - sums of two owners, as readers see them
 * @figures: the sums
 * @owed: what each node has too many
 * @truth: the sums of the parts, which may fall
 */
struct seen {
	struct topdown_sums figures;
	int64_t owed[TD_NR_NODES];
	struct topdown_sums truth;
};

static bool falls(const struct topdown_sums *now, const struct topdown_sums *before)
{
	unsigned int i;

	for (i = 0; i < TD_NODES_METRICS; i++)
		if (now->node[i] < before->node[i])
			return true;
	return now->slots < before->slots;
}

/* What is seen is the truth and what is owed. */
static bool owes_right(const struct seen *seen)
{
	unsigned int i;

	/* Others have lent what one owes. */
	if (seen->figures.slots != seen->truth.slots)
		return false;
	for (i = TOPDOWN_HEAVY_OPERATIONS; i < TD_NODES_METRICS; i++)
		if (seen->figures.node[i] != seen->truth.node[i] + (__u64)seen->owed[i])
			return false;
	return true;
}

/* Slots since the last reset, by bytes that are cut, at a later point. */
static void grow(struct rng *rng, struct td_counts *reset, struct td_counts *now)
{
	__u64 slots = now->slots - reset->slots + rng_below(rng, 200000);
	unsigned int i;

	now->slots = reset->slots + slots;
	for (i = 0; i < TD_METRIC_NR; i++)
		now->metric[i] = reset->metric[i] + slots * (50 + rng_below(rng, 3)) / 255;
}

static bool window(struct rng *rng, struct seen seen[2], bool *fell)
{
	struct topdown_sums before, part = { };
	struct td_counts now = { }, reset = { }, counts;
	struct td_quant quant = { };
	__u64 node[TOPDOWN_MAX_NODES] = { }, noted[TOPDOWN_MAX_NODES] = { };
	unsigned int points = 1 + rng_below(rng, POINTS_MAX), n, i;
	bool right = true;

	for (n = 0; n < points; n++) {
		struct seen *owner = &seen[n % 2];

		part.slots = now.slots;
		grow(rng, &reset, &now);
		part.slots = now.slots - part.slots;
		if (!rng_below(rng, 8))
			reset = now;
		counts = now;
		td_counts_apply(&counts, &quant, 2, node);
		for (i = 0; i < TD_NODES_METRICS; i++) {
			part.node[i] = node[i] - noted[i];
			noted[i] = node[i];
			*fell |= (__s64)part.node[i] < 0;
		}
		td_sums_children(&part, TD_NODES_METRICS_L2);
		before = owner->figures;
		td_sums_owe(&owner->figures, &part, (__s64 *)owner->owed, 2);
		td_sums_add(&owner->truth, &part);
		right &= !falls(&owner->figures, &before) &&
			 tree_sums_up(owner->figures.slots, owner->figures.node) &&
			 owes_right(owner);
	}
	return right;
}

/* Both owners together have what one part of each window would have. */
static bool complete(const struct seen seen[2])
{
	struct topdown_sums all = seen[0].truth;

	td_sums_add(&all, &seen[1].truth);
	return tree_sums_up(all.slots, all.node) &&
	       !((all.node[0] | all.node[1] | all.node[2] | all.node[3]) >> 62);
}

int main(void)
{
	struct ktap ktap;
	struct rng rng = { .state = 14 };
	struct seen seen[2] = { };
	bool right = true, fell = false;
	unsigned int i;

	ktap_begin(&ktap, 3);
	for (i = 0; i < WINDOWS; i++)
		right &= window(&rng, seen, &fell);
	ktap_result(&ktap, fell, "a node of a part falls now and then");
	ktap_result(&ktap, right, "sums of an owner never fall, sum up, and owe what is too much");
	ktap_result(&ktap, complete(seen), "all owners together have the windows");
	return ktap_end(&ktap);
}
