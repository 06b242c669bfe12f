// SPDX-License-Identifier: GPL-2.0
/*
 * Each number of the ABI has the name of its constant in uapi/linux/topdown.h, and a number
 * that has no constant is unknown.
 */
#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "ktap.h"
#include "known.h"
#include "names.h"
#include <linux/topdown.h>

/* A constant, and its name there. */
struct constant {
	unsigned int number;
	const char *name;
};

#define NODE(name)	{ TOPDOWN_ ## name, #name }
#define SOURCE(name)	{ TOPDOWN_SOURCE_ ## name, #name }
#define KIND(name)	{ TOPDOWN_KIND_ ## name, #name }
#define STATE(name)	{ TOPDOWN_STATE_ ## name, #name }

static const struct constant nodes[] = {
	NODE(RETIRING), NODE(BAD_SPECULATION), NODE(FRONTEND_BOUND), NODE(BACKEND_BOUND),
	NODE(HEAVY_OPERATIONS), NODE(LIGHT_OPERATIONS), NODE(BRANCH_MISPREDICTS),
	NODE(MACHINE_CLEARS), NODE(FETCH_LATENCY), NODE(FETCH_BANDWIDTH), NODE(MEMORY_BOUND),
	NODE(CORE_BOUND), NODE(RESOURCE_BOUND), NODE(SMT_CONTENTION),
};

static const struct constant sources[] = {
	SOURCE(NONE), SOURCE(PERF_METRICS), SOURCE(GENERIC), SOURCE(FALLBACK), SOURCE(ATOM),
	SOURCE(AMD), SOURCE(MIXED),
};

static const struct constant kinds[] = {
	KIND(ONLY), KIND(CORE), KIND(ATOM),
};

static const struct constant states[] = {
	STATE(OK), STATE(OFFLINE), STATE(UNSUPPORTED), STATE(CONTENDED), STATE(ASIDE),
	STATE(ERROR), STATE(EXCLUDED),
};

/* Is @name the constant's, in small letters after @prefix? */
static bool is_name_of(const struct constant *constant, const char *name, const char *prefix)
{
	const char *want = constant->name;

	if (!name || strncmp(name, prefix, strlen(prefix)))
		return false;
	for (name += strlen(prefix); *want && tolower(*want) == *name; want++, name++)
		;
	return !*want && !*name;
}

/* All constants; @beyond is what a larger number has. */
static bool right(const struct constant *constants, size_t nr, const char *(*name)(unsigned int),
		  const char *prefix, const char *beyond)
{
	unsigned int number, i;
	const char *seen;

	for (i = 0; i < nr; i++) {
		seen = name(constants[i].number);
		if (!is_name_of(&constants[i], seen, prefix)) {
			ktap_note("%s is called %s", constants[i].name, seen ? seen : "nothing");
			return false;
		}
	}
	for (number = nr; number < nr + 3; number++) {
		seen = name(number);
		if (beyond ? !seen || strcmp(seen, beyond) : !!seen) {
			ktap_note("%u is called %s", number, seen ? seen : "nothing");
			return false;
		}
	}
	return true;
}

#define RIGHT(constants, name, prefix, beyond) \
	right(constants, sizeof(constants) / sizeof((constants)[0]), name, prefix, beyond)

int main(void)
{
	struct ktap ktap;

	ktap_begin(&ktap, 5);
	ktap_result(&ktap, sizeof(nodes) / sizeof(nodes[0]) == TD_NR_NODES, "all nodes are there");
	ktap_result(&ktap, RIGHT(nodes, td_node_name, "tma_", NULL), "nodes have their names");
	ktap_result(&ktap, RIGHT(sources, td_source_name, "", "unknown"), "sources have their names");
	ktap_result(&ktap, RIGHT(kinds, td_kind_name, "", "unknown") &&
		    !strcmp(td_kind_name(TOPDOWN_KIND_MIXED), "mixed"), "names of kinds");
	ktap_result(&ktap, RIGHT(states, td_state_name, "", "unknown"), "states have their names");
	return ktap_end(&ktap);
}
