// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which event locates the slots of which node on which core.
 *
 * Intel's are those of its TMA spreadsheet ("Locate-with"), with the precise form of each, and of
 * memory bound the loads with latency. Its spreadsheet has none for Atom cores: there the
 * events of the nodes themselves are sampled, which count slots. AMD's are IBS.
 */
#include "stall-events.h"

#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#define C(core)		(1U << TD_CORE_##core)
#define N(node)		(1U << TOPDOWN_##node)

#define GOLDEN_CORES	(C(GOLDEN_COVE) | C(REDWOOD_COVE) | C(LION_COVE))
#define LARGE_CORES	(C(SKYLAKE) | C(SUNNY_COVE) | GOLDEN_CORES)
#define REDWOOD_CORES	(C(REDWOOD_COVE) | C(LION_COVE))
#define EARLY_FRONTEND	(C(SKYLAKE) | C(SUNNY_COVE) | C(GOLDEN_COVE))
#define SMALL_CORES	(C(GRACEMONT) | C(CRESTMONT))

#define FETCHES		(N(FRONTEND_BOUND) | N(FETCH_LATENCY))
#define SPECULATES	(N(BAD_SPECULATION) | N(BRANCH_MISPREDICTS))
#define CLEARS		(N(BAD_SPECULATION) | N(MACHINE_CLEARS))
#define LOADS		(N(BACKEND_BOUND) | N(MEMORY_BOUND) | N(RESOURCE_BOUND))

#define LATE_FETCH(of, umask, value)							\
	{ .cores = (of), .name = "FRONTEND_RETIRED.LATENCY_GE_16", .nodes = FETCHES,	\
	  .config = 0x00c6 | (umask) << 8, .config1 = (value), .precise = 2,		\
	  .exclusive = TD_REGISTER_FRONTEND, .role = TOPDOWN_STALLS_LOCATES,		\
	  .kind = TOPDOWN_STALL_FETCH, .stage = TOPDOWN_STAGE_FETCH,			\
	  .reason = TOPDOWN_REASON_FETCH_LATENCY }

#define WHY_FETCH(of, umask, text, value, why)						\
	{ .cores = (of), .name = "FRONTEND_RETIRED." text, .nodes = FETCHES,		\
	  .config = 0x00c6 | (umask) << 8, .config1 = (value), .precise = 2,		\
	  .exclusive = TD_REGISTER_FRONTEND, .role = TOPDOWN_STALLS_EXPLAINS,		\
	  .kind = TOPDOWN_STALL_FETCH, .stage = TOPDOWN_STAGE_FETCH,			\
	  .reason = TOPDOWN_REASON_##why }

#define NARROW_FETCH(of, umask)								\
	{ .cores = (of), .name = "FRONTEND_RETIRED.LATENCY_GE_2_BUBBLES_GE_1",		\
	  .nodes = N(FETCH_BANDWIDTH), .config = 0x00c6 | (umask) << 8,			\
	  .config1 = 0x100206, .precise = 2, .exclusive = TD_REGISTER_FRONTEND,		\
	  .role = TOPDOWN_STALLS_LOCATES, .kind = TOPDOWN_STALL_FETCH,			\
	  .stage = TOPDOWN_STAGE_FETCH, .reason = TOPDOWN_REASON_FETCH_BANDWIDTH }

/* Of Gracemont and later: the events of the nodes themselves, in slots. */
#define SLOTS(text, of_nodes, number, part, why)					\
	{ .cores = SMALL_CORES, .name = (text), .nodes = (of_nodes), .config = (number),	\
	  .precise = 1, .role = TOPDOWN_STALLS_##part, .kind = TOPDOWN_STALL_FETCH,	\
	  .stage = TOPDOWN_STAGE_FETCH, .reason = TOPDOWN_REASON_##why }

const struct td_stall_spec td_stall_specs[] = {
	LATE_FETCH(C(SKYLAKE), 0x01, 0x401006),
	LATE_FETCH(C(SUNNY_COVE), 0x01, 0x501006),
	LATE_FETCH(C(GOLDEN_COVE), 0x01, 0x601006),
	LATE_FETCH(REDWOOD_CORES, 0x03, 0x601006),
	WHY_FETCH(EARLY_FRONTEND, 0x01, "L1I_MISS", 0x12, ICACHE_MISS),
	WHY_FETCH(REDWOOD_CORES, 0x03, "L1I_MISS", 0x12, ICACHE_MISS),
	WHY_FETCH(EARLY_FRONTEND, 0x01, "STLB_MISS", 0x15, ITLB_WALK),
	WHY_FETCH(REDWOOD_CORES, 0x03, "STLB_MISS", 0x15, ITLB_WALK),
	NARROW_FETCH(EARLY_FRONTEND, 0x01),
	NARROW_FETCH(REDWOOD_CORES, 0x03),
	SLOTS("TOPDOWN_FE_BOUND.FRONTEND_LATENCY", FETCHES, 0x7271, LOCATES, FETCH_LATENCY),
	SLOTS("TOPDOWN_FE_BOUND.ICACHE", FETCHES, 0x2071, EXPLAINS, ICACHE_MISS),
	SLOTS("TOPDOWN_FE_BOUND.ITLB", FETCHES, 0x1071, EXPLAINS, ITLB_MISS),
	SLOTS("TOPDOWN_FE_BOUND.FRONTEND_BANDWIDTH", N(FETCH_BANDWIDTH), 0x8d71, LOCATES,
	      FETCH_BANDWIDTH),
	{ .cores = C(SKYLAKE), .name = "BR_MISP_RETIRED.ALL_BRANCHES_PEBS", .nodes = SPECULATES,
	  .config = 0x04c5, .precise = 2, .branches = true, .role = TOPDOWN_STALLS_LOCATES,
	  .kind = TOPDOWN_STALL_BRANCH, .stage = TOPDOWN_STAGE_BRANCH,
	  .reason = TOPDOWN_REASON_MISPREDICT },
	{ .cores = C(SUNNY_COVE) | GOLDEN_CORES | SMALL_CORES,
	  .name = "BR_MISP_RETIRED.ALL_BRANCHES", .nodes = SPECULATES, .config = 0x00c5,
	  .precise = 2, .branches = true, .role = TOPDOWN_STALLS_LOCATES,
	  .kind = TOPDOWN_STALL_BRANCH, .stage = TOPDOWN_STAGE_BRANCH,
	  .reason = TOPDOWN_REASON_MISPREDICT },
	{ .cores = LARGE_CORES, .name = "MACHINE_CLEARS.COUNT", .nodes = CLEARS,
	  .config = 0x10401c3, .role = TOPDOWN_STALLS_LOCATES, .kind = TOPDOWN_STALL_OTHER,
	  .stage = TOPDOWN_STAGE_RETIRE, .reason = TOPDOWN_REASON_CLEAR },
	{ .cores = SMALL_CORES, .name = "TOPDOWN_BAD_SPECULATION.MACHINE_CLEARS",
	  .nodes = CLEARS, .config = 0x0373, .role = TOPDOWN_STALLS_LOCATES,
	  .kind = TOPDOWN_STALL_OTHER, .stage = TOPDOWN_STAGE_RETIRE,
	  .reason = TOPDOWN_REASON_CLEAR },
	{ .cores = GOLDEN_CORES, .name = "UOPS_RETIRED.HEAVY", .nodes = N(HEAVY_OPERATIONS),
	  .config = 0x01c2, .precise = 2, .role = TOPDOWN_STALLS_LOCATES,
	  .kind = TOPDOWN_STALL_OTHER, .stage = TOPDOWN_STAGE_DECODE,
	  .reason = TOPDOWN_REASON_MICROCODE },
	{ .cores = LARGE_CORES, .name = "MEM_TRANS_RETIRED.LOAD_LATENCY", .nodes = LOADS,
	  .file = "mem-loads", .leader = "mem-loads-aux", .config1 = 16, .precise = 2,
	  .role = TOPDOWN_STALLS_LOCATES, .kind = TOPDOWN_STALL_LOAD,
	  .stage = TOPDOWN_STAGE_MEMORY, .reason = TOPDOWN_REASON_LOAD_LATENCY },
	{ .cores = SMALL_CORES, .name = "MEM_UOPS_RETIRED.LOAD_LATENCY", .nodes = LOADS,
	  .file = "mem-loads", .config1 = 16, .precise = 2,
	  .role = TOPDOWN_STALLS_LOCATES, .kind = TOPDOWN_STALL_LOAD,
	  .stage = TOPDOWN_STAGE_MEMORY, .reason = TOPDOWN_REASON_LOAD_LATENCY },
	/* Operations are counted, not cycles, so that a slow one has no more samples. */
	{ .cores = C(ZEN), .pmu = TD_PMU_IBS_OP, .name = "ibs_op",
	  .nodes = SPECULATES | LOADS | N(HEAVY_OPERATIONS), .config = 1ULL << 19,
	  .role = TOPDOWN_STALLS_LOCATES, .precise = 0 },
	{ .cores = C(ZEN), .pmu = TD_PMU_IBS_FETCH, .name = "ibs_fetch", .nodes = FETCHES,
	  .config = 1ULL << 57, .role = TOPDOWN_STALLS_LOCATES, .precise = 0 },
};

const unsigned int td_stall_specs_nr = ARRAY_SIZE(td_stall_specs);

static const struct {
	uint8_t model;
	uint8_t large;
	uint8_t small;
} td_models[] = {
	{ 0x4e, TD_CORE_SKYLAKE, 0 }, { 0x5e, TD_CORE_SKYLAKE, 0 }, { 0x55, TD_CORE_SKYLAKE, 0 },
	{ 0x8e, TD_CORE_SKYLAKE, 0 }, { 0x9e, TD_CORE_SKYLAKE, 0 }, { 0xa5, TD_CORE_SKYLAKE, 0 },
	{ 0xa6, TD_CORE_SKYLAKE, 0 },
	{ 0x7d, TD_CORE_SUNNY_COVE, 0 }, { 0x7e, TD_CORE_SUNNY_COVE, 0 },
	{ 0x6a, TD_CORE_SUNNY_COVE, 0 }, { 0x6c, TD_CORE_SUNNY_COVE, 0 },
	{ 0x8c, TD_CORE_SUNNY_COVE, 0 }, { 0x8d, TD_CORE_SUNNY_COVE, 0 },
	{ 0xa7, TD_CORE_SUNNY_COVE, 0 },
	{ 0x8f, TD_CORE_GOLDEN_COVE, 0 }, { 0xcf, TD_CORE_GOLDEN_COVE, 0 },
	{ 0xd7, TD_CORE_GOLDEN_COVE, 0 },
	{ 0x97, TD_CORE_GOLDEN_COVE, TD_CORE_GRACEMONT },
	{ 0x9a, TD_CORE_GOLDEN_COVE, TD_CORE_GRACEMONT },
	{ 0xb7, TD_CORE_GOLDEN_COVE, TD_CORE_GRACEMONT },
	{ 0xba, TD_CORE_GOLDEN_COVE, TD_CORE_GRACEMONT },
	{ 0xbf, TD_CORE_GOLDEN_COVE, TD_CORE_GRACEMONT },
	{ 0xad, TD_CORE_REDWOOD_COVE, 0 }, { 0xae, TD_CORE_REDWOOD_COVE, 0 },
	{ 0xaa, TD_CORE_REDWOOD_COVE, TD_CORE_CRESTMONT },
	{ 0xac, TD_CORE_REDWOOD_COVE, TD_CORE_CRESTMONT },
	{ 0xb5, TD_CORE_REDWOOD_COVE, TD_CORE_CRESTMONT },
	{ 0xbd, TD_CORE_LION_COVE, TD_CORE_CRESTMONT },
	{ 0xc5, TD_CORE_LION_COVE, TD_CORE_CRESTMONT },
	{ 0xc6, TD_CORE_LION_COVE, TD_CORE_CRESTMONT },
	{ 0xcc, TD_CORE_LION_COVE, TD_CORE_CRESTMONT },
	{ 0xd5, TD_CORE_LION_COVE, TD_CORE_CRESTMONT },
	{ 0xbe, TD_CORE_GRACEMONT, 0 }, { 0xaf, TD_CORE_CRESTMONT, 0 },
	{ 0xb6, TD_CORE_CRESTMONT, 0 }, { 0xdd, TD_CORE_CRESTMONT, 0 },
};

enum td_stall_core td_stall_core_of(const char *vendor, unsigned int family, unsigned int model,
				    bool small)
{
	size_t i;

	if (!strcmp(vendor, "AuthenticAMD") || !strcmp(vendor, "HygonGenuine"))
		return family >= 0x17 && !small ? TD_CORE_ZEN : TD_CORE_NONE;
	if (strcmp(vendor, "GenuineIntel") || family != 6)
		return TD_CORE_NONE;
	for (i = 0; i < ARRAY_SIZE(td_models); i++) {
		if (td_models[i].model == model)
			return small ? td_models[i].small : td_models[i].large;
	}
	return TD_CORE_NONE;
}

#if defined(__x86_64__) || defined(__i386__)

enum td_stall_core td_stall_core(bool small)
{
	unsigned int eax, ebx, ecx, edx, family, model;
	char vendor[13] = "";

	if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx))
		return TD_CORE_NONE;
	memcpy(vendor, &ebx, 4);
	memcpy(vendor + 4, &edx, 4);
	memcpy(vendor + 8, &ecx, 4);
	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return TD_CORE_NONE;
	family = eax >> 8 & 0xf;
	model = eax >> 4 & 0xf;
	if (family == 6 || family == 0xf)
		model |= (eax >> 16 & 0xf) << 4;
	if (family == 0xf)
		family += eax >> 20 & 0xff;
	return td_stall_core_of(vendor, family, model, small);
}

#else

enum td_stall_core td_stall_core(bool small)
{
	(void)small;
	return TD_CORE_NONE;
}

#endif
