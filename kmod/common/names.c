// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later
/*
 * The names of nodes, sources, kinds and states of the ABI.
 */
#ifdef __KERNEL__
#include <uapi/linux/topdown.h>
#else
#include <linux/topdown.h>
#include <stddef.h>
#endif

#include "known.h"
#include "names.h"

static const char * const td_nodes[TD_NR_NODES] = {
	[TOPDOWN_RETIRING]		= "tma_retiring",
	[TOPDOWN_BAD_SPECULATION]	= "tma_bad_speculation",
	[TOPDOWN_FRONTEND_BOUND]	= "tma_frontend_bound",
	[TOPDOWN_BACKEND_BOUND]		= "tma_backend_bound",
	[TOPDOWN_HEAVY_OPERATIONS]	= "tma_heavy_operations",
	[TOPDOWN_LIGHT_OPERATIONS]	= "tma_light_operations",
	[TOPDOWN_BRANCH_MISPREDICTS]	= "tma_branch_mispredicts",
	[TOPDOWN_MACHINE_CLEARS]	= "tma_machine_clears",
	[TOPDOWN_FETCH_LATENCY]		= "tma_fetch_latency",
	[TOPDOWN_FETCH_BANDWIDTH]	= "tma_fetch_bandwidth",
	[TOPDOWN_MEMORY_BOUND]		= "tma_memory_bound",
	[TOPDOWN_CORE_BOUND]		= "tma_core_bound",
	[TOPDOWN_RESOURCE_BOUND]	= "tma_resource_bound",
	[TOPDOWN_SMT_CONTENTION]	= "tma_smt_contention",
};

static const char * const td_sources[] = {
	[TOPDOWN_SOURCE_NONE]		= "none",
	[TOPDOWN_SOURCE_PERF_METRICS]	= "perf_metrics",
	[TOPDOWN_SOURCE_GENERIC]	= "generic",
	[TOPDOWN_SOURCE_FALLBACK]	= "fallback",
	[TOPDOWN_SOURCE_ATOM]		= "atom",
	[TOPDOWN_SOURCE_AMD]		= "amd",
	[TOPDOWN_SOURCE_MIXED]		= "mixed",
};

static const char * const td_kinds[] = {
	[TOPDOWN_KIND_ONLY]		= "only",
	[TOPDOWN_KIND_CORE]		= "core",
	[TOPDOWN_KIND_ATOM]		= "atom",
};

static const char * const td_states[] = {
	[TOPDOWN_STATE_OK]		= "ok",
	[TOPDOWN_STATE_OFFLINE]		= "offline",
	[TOPDOWN_STATE_UNSUPPORTED]	= "unsupported",
	[TOPDOWN_STATE_CONTENDED]	= "contended",
	[TOPDOWN_STATE_ASIDE]		= "aside",
	[TOPDOWN_STATE_ERROR]		= "error",
	[TOPDOWN_STATE_EXCLUDED]	= "excluded",
};

static const char *td_name(const char * const *names, unsigned int nr, unsigned int number)
{
	return number < nr ? names[number] : "unknown";
}

/**
 * td_node_name - the name of a node
 * @node: enum topdown_node
 *
 * Return: the name, with "tma_"; NULL for an unknown node.
 */
const char *td_node_name(unsigned int node)
{
	return node < TD_NR_NODES ? td_nodes[node] : NULL;
}

/**
 * td_source_name - the name of a source
 * @source: enum topdown_source
 *
 * Return: the name, or "unknown".
 */
const char *td_source_name(unsigned int source)
{
	return td_name(td_sources, sizeof(td_sources) / sizeof(td_sources[0]), source);
}

/**
 * td_kind_name - the name of a kind of CPU
 * @kind: enum topdown_kind, or TOPDOWN_KIND_MIXED
 *
 * Return: as td_source_name().
 */
const char *td_kind_name(unsigned int kind)
{
	if (kind == TOPDOWN_KIND_MIXED)
		return "mixed";
	return td_name(td_kinds, sizeof(td_kinds) / sizeof(td_kinds[0]), kind);
}

/**
 * td_state_name - the name of a CPU's state
 * @state: enum topdown_state
 *
 * Return: as td_source_name().
 */
const char *td_state_name(unsigned int state)
{
	return td_name(td_states, sizeof(td_states) / sizeof(td_states[0]), state);
}
