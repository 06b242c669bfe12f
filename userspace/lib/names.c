// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The names of the numbers of the ABI.
 */
#include "internal.h"

#include <errno.h>
#include <string.h>

#include "metrics.h"
#include "names.h"

#define TD_PREFIX		"tma_"
#define TD_ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

static const char * const td_session_states[] = {
	[TOPDOWN_SESSION_STATE_RUNNING] = "running",
	[TOPDOWN_SESSION_STATE_DISABLED] = "disabled",
	[TOPDOWN_SESSION_STATE_EXITED] = "exited",
	[TOPDOWN_SESSION_STATE_ENDED] = "ended",
	[TOPDOWN_SESSION_STATE_DETACHED] = "detached",
};

static const char * const td_region_reasons[] = {
	[TOPDOWN_REGION_ASKED] = "it was asked for, or is what AUTO takes",
	[TOPDOWN_REGION_FAST] = "nothing speaks against the fast backend",
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
	return td_node_name(node);
}

TD_API int topdown_node_by_name(const char *name)
{
	unsigned int node;

	if (!strncmp(name, TD_PREFIX, strlen(TD_PREFIX)))
		name += strlen(TD_PREFIX);
	for (node = 0; node < TD_NR_NODES; node++) {
		if (!strcmp(name, td_node_name(node) + strlen(TD_PREFIX)))
			return node;
	}
	return -ENOENT;
}

TD_API int topdown_node_parent(unsigned int node)
{
	int parent;

	for (parent = 0; parent < TD_NR_PARENTS; parent++) {
		if (node < TD_NR_NODES && td_nodes_of_parents(1U << parent) >> node & 1)
			return parent;
	}
	return -1;
}

TD_API unsigned int topdown_node_level(unsigned int node)
{
	if (node >= TD_NR_NODES)
		return 0;
	return td_nodes_of_level(1) >> node & 1 ? 1 : 2;
}

TD_API const char *topdown_state_name(unsigned int state)
{
	return td_state_name(state);
}

TD_API const char *topdown_session_state_name(unsigned int state)
{
	return state < TD_ARRAY_SIZE(td_session_states) ? td_session_states[state] : "unknown";
}

TD_API const char *topdown_source_name(unsigned int source)
{
	return td_source_name(source);
}

TD_API const char *topdown_kind_name(unsigned int kind)
{
	return td_kind_name(kind);
}

TD_API const char *topdown_region_reason_text(unsigned int reason)
{
	return reason < TD_ARRAY_SIZE(td_region_reasons) ? td_region_reasons[reason] : "unknown";
}
