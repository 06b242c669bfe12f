// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names of what the ABI numbers.
 */
#include "internal.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define TD_PREFIX		"tma_"
#define TD_ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *name;
	unsigned int level;
	int parent;
} td_nodes[TOPDOWN_NR_NODES] = {
	[TOPDOWN_RETIRING] = { "tma_retiring", 1, -1 },
	[TOPDOWN_BAD_SPECULATION] = { "tma_bad_speculation", 1, -1 },
	[TOPDOWN_FRONTEND_BOUND] = { "tma_frontend_bound", 1, -1 },
	[TOPDOWN_BACKEND_BOUND] = { "tma_backend_bound", 1, -1 },
	[TOPDOWN_HEAVY_OPERATIONS] = { "tma_heavy_operations", 2, TOPDOWN_RETIRING },
	[TOPDOWN_LIGHT_OPERATIONS] = { "tma_light_operations", 2, TOPDOWN_RETIRING },
	[TOPDOWN_BRANCH_MISPREDICTS] = {
		"tma_branch_mispredicts", 2, TOPDOWN_BAD_SPECULATION
	},
	[TOPDOWN_MACHINE_CLEARS] = { "tma_machine_clears", 2, TOPDOWN_BAD_SPECULATION },
	[TOPDOWN_FETCH_LATENCY] = { "tma_fetch_latency", 2, TOPDOWN_FRONTEND_BOUND },
	[TOPDOWN_FETCH_BANDWIDTH] = { "tma_fetch_bandwidth", 2, TOPDOWN_FRONTEND_BOUND },
	[TOPDOWN_MEMORY_BOUND] = { "tma_memory_bound", 2, TOPDOWN_BACKEND_BOUND },
	[TOPDOWN_CORE_BOUND] = { "tma_core_bound", 2, TOPDOWN_BACKEND_BOUND },
	[TOPDOWN_RESOURCE_BOUND] = { "tma_resource_bound", 2, TOPDOWN_BACKEND_BOUND },
	[TOPDOWN_SMT_CONTENTION] = { "tma_smt_contention", 1, -1 },
};

static const char * const td_states[] = {
	[TOPDOWN_STATE_OK] = "ok",
	[TOPDOWN_STATE_OFFLINE] = "offline",
	[TOPDOWN_STATE_UNSUPPORTED] = "unsupported",
	[TOPDOWN_STATE_CONTENDED] = "contended",
	[TOPDOWN_STATE_ASIDE] = "aside",
	[TOPDOWN_STATE_ERROR] = "error",
	[TOPDOWN_STATE_EXCLUDED] = "excluded",
};

static const char * const td_session_states[] = {
	[TOPDOWN_SESSION_RUNNING] = "running",
	[TOPDOWN_SESSION_DISABLED] = "disabled",
	[TOPDOWN_SESSION_EXITED] = "exited",
	[TOPDOWN_SESSION_ENDED] = "ended",
	[TOPDOWN_SESSION_DETACHED] = "detached",
};

static const char * const td_sources[] = {
	[TOPDOWN_SOURCE_NONE] = "none",
	[TOPDOWN_SOURCE_PERF_METRICS] = "perf_metrics",
	[TOPDOWN_SOURCE_GENERIC] = "generic",
	[TOPDOWN_SOURCE_FALLBACK] = "fallback",
	[TOPDOWN_SOURCE_ATOM] = "atom",
	[TOPDOWN_SOURCE_AMD] = "amd",
	[TOPDOWN_SOURCE_MIXED] = "mixed",
};

static const char * const td_kinds[] = {
	[TOPDOWN_KIND_ONLY] = "only",
	[TOPDOWN_KIND_CORE] = "core",
	[TOPDOWN_KIND_ATOM] = "atom",
};

static const char * const td_region_reasons[] = {
	[TOPDOWN_REGION_ASKED] = "asked for",
	[TOPDOWN_REGION_FAST] = "nothing speaks against the fast way",
	[TOPDOWN_REGION_NO_ARCH] = "the library was built without RDPMC",
	[TOPDOWN_REGION_NO_RSEQ] = "no restartable sequences in this thread",
	[TOPDOWN_REGION_NO_METRICS] = "the kernel has no events of PERF_METRICS",
	[TOPDOWN_REGION_NO_RIGHTS] = "perf does not let this process count",
	[TOPDOWN_REGION_NO_RDPMC] = "user mode may not read counters",
	[TOPDOWN_REGION_TAKEN] = "somebody has the counter for good",
	[TOPDOWN_REGION_FAILED] = "the events could not be made",
};

TD_API const char *topdown_node_name(unsigned int node)
{
	return node < TOPDOWN_NR_NODES ? td_nodes[node].name : NULL;
}

TD_API int topdown_node_by_name(const char *name)
{
	unsigned int node;

	if (!strncmp(name, TD_PREFIX, strlen(TD_PREFIX)))
		name += strlen(TD_PREFIX);
	for (node = 0; node < TOPDOWN_NR_NODES; node++) {
		if (!strcmp(name, td_nodes[node].name + strlen(TD_PREFIX)))
			return node;
	}
	return -ENOENT;
}

TD_API unsigned int topdown_node_level(unsigned int node)
{
	return node < TOPDOWN_NR_NODES ? td_nodes[node].level : 0;
}

TD_API int topdown_node_parent(unsigned int node)
{
	return node < TOPDOWN_NR_NODES ? td_nodes[node].parent : -1;
}

TD_API const char *topdown_state_name(unsigned int state)
{
	return state < TD_ARRAY_SIZE(td_states) ? td_states[state] : "unknown";
}

TD_API const char *topdown_session_state_name(unsigned int state)
{
	return state < TD_ARRAY_SIZE(td_session_states) ? td_session_states[state] : "unknown";
}

TD_API const char *topdown_source_name(unsigned int source)
{
	return source < TD_ARRAY_SIZE(td_sources) ? td_sources[source] : "unknown";
}

TD_API const char *topdown_kind_name(unsigned int kind)
{
	return kind < TD_ARRAY_SIZE(td_kinds) ? td_kinds[kind] : "unknown";
}

TD_API const char *topdown_region_reason_text(unsigned int reason)
{
	return reason < TD_ARRAY_SIZE(td_region_reasons) ? td_region_reasons[reason] : "unknown";
}
