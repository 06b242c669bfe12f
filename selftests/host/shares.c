// SPDX-License-Identifier: GPL-2.0
/*
 * Shares of a session added up, the state of a sum, and the names of what is numbered.
 */
#include <stdint.h>
#include <string.h>

#include "ktap.h"
#include "names.h"
#include "sums.h"

static struct topdown_share share_of(unsigned int level, unsigned int nodes,
				     unsigned int source, uint64_t slots)
{
	return (struct topdown_share){
		.level = level, .nodes = nodes, .source = source, .switches = slots / 10,
		.merged_ns = slots / 5, .sums.slots = slots,
		.sums.enabled_ns = slots * 3, .sums.running_ns = slots * 2,
		.sums.node[TOPDOWN_SMT_CONTENTION] = slots / 2,
	};
}

static bool counts_are(const struct topdown_share *sum, uint64_t slots)
{
	return sum->switches == slots / 10 && sum->merged_ns == slots / 5 &&
	       sum->sums.slots == slots && sum->sums.enabled_ns == slots * 3 &&
	       sum->sums.running_ns == slots * 2 &&
	       sum->sums.node[TOPDOWN_SMT_CONTENTION] == slots / 2;
}

static void test_shares(struct ktap *ktap)
{
	const struct topdown_share big = share_of(2, 0x0fff, TOPDOWN_SOURCE_PERF_METRICS, 1000);
	const struct topdown_share small = share_of(1, 0x100f, TOPDOWN_SOURCE_ATOM, 400);
	const struct topdown_share silent = share_of(0, 0x3fff, TOPDOWN_SOURCE_AMD, 70);
	struct topdown_share sum = { };

	td_share_add(&sum, &silent);
	ktap_result(ktap, counts_are(&sum, 70) && !sum.level && !sum.nodes && !sum.source,
		    "a share without a level adds counts and no nodes");
	td_share_add(&sum, &big);
	ktap_result(ktap, counts_are(&sum, 1070) && sum.level == 2 && sum.nodes == 0x0fff &&
		    sum.source == TOPDOWN_SOURCE_PERF_METRICS, "the first with one says what there is");
	td_share_add(&sum, &silent);
	td_share_add(&sum, &small);
	ktap_result(ktap, counts_are(&sum, 1540) && sum.level == 1 && sum.nodes == 0x000f &&
		    sum.source == TOPDOWN_SOURCE_MIXED, "two have what both have, of mixed sources");
}

/* A sum has the greater of two numbers of turns. */
static void test_turns(struct ktap *ktap)
{
	ktap_result(ktap, !td_turns_more(0, 0) && td_turns_more(2, 5) == 5 &&
		    td_turns_more(5, 2) == 5 && td_turns_more(3, 0) == 3, "a sum has the most turns");
}

/* From the least to the worst, by hand. */
static void test_states(struct ktap *ktap)
{
	static const unsigned int order[] = {
		TOPDOWN_STATE_EXCLUDED, TOPDOWN_STATE_UNSUPPORTED, TOPDOWN_STATE_OFFLINE,
		TOPDOWN_STATE_OK, TOPDOWN_STATE_CONTENDED, TOPDOWN_STATE_ASIDE, 1000,
		TOPDOWN_STATE_ERROR,
	};
	const unsigned int nr = sizeof(order) / sizeof(order[0]);
	unsigned int i, j;
	bool ok = true;

	for (i = 0; i < nr; i++) {
		for (j = 0; j < nr; j++)
			ok &= td_state_worse(order[i], order[j]) == order[i > j ? i : j];
	}
	ktap_result(ktap, ok, "a sum has the worse of two states");
}

static bool names_are(const char *(*name)(unsigned int), unsigned int nr)
{
	unsigned int i, j;

	for (i = 0; i < nr; i++) {
		if (!name(i) || !*name(i) || !strcmp(name(i), "unknown"))
			return false;
		for (j = 0; j < i; j++) {
			if (!strcmp(name(i), name(j)))
				return false;
		}
	}
	return true;
}

static bool is_unknown(const char *name)
{
	return name && !strcmp(name, "unknown");
}

static void test_names(struct ktap *ktap)
{
	ktap_result(ktap, names_are(td_node_name, TD_NR_NODES) &&
		    !td_node_name(TD_NR_NODES), "each node has a name");
	ktap_result(ktap, names_are(td_source_name, TOPDOWN_SOURCE_MIXED + 1) &&
		    is_unknown(td_source_name(1000)), "each source has a name");
	ktap_result(ktap, names_are(td_kind_name, TD_NR_KINDS) &&
		    is_unknown(td_kind_name(1000)), "each kind of CPU has a name");
	ktap_result(ktap, names_are(td_state_name, TOPDOWN_STATE_ASIDE + 1) &&
		    is_unknown(td_state_name(1000)), "each state has a name");
}

int main(void)
{
	struct ktap ktap;

	ktap_begin(&ktap, 9);
	test_shares(&ktap);
	test_turns(&ktap);
	test_states(&ktap);
	test_names(&ktap);
	return ktap_end(&ktap);
}
