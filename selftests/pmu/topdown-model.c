// SPDX-License-Identifier: GPL-2.0
/*
 * The cores that the emulated PMU can be, as data: counters, width, events and CPUID, and
 * the rates of events that a file or the back door gives.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "hw/boards.h"
#include "topdown-pmu.h"

/* The native ids of E-cores as Linux has them: 1 Gracemont, 2 Crestmont, 3 Skymont. */
#define TD_KIND_GRACEMONT (0x20u << 24 | 1)
#define TD_KIND_CRESTMONT (0x20u << 24 | 2)
#define TD_KIND_CORE	(0x40u << 24 | 1)

#define TD_CPUID_7_HYBRID	(1u << 15)
#define TD_CPUID_7_1_COUNTERS	(1u << 8)	/* Leaf 23H. */
#define TD_CPUID_1_DTES64	(1u << 2)
#define TD_CPUID_1_DS		(1u << 21)
#define TD_CPUID_AMD_PERFCTR_CORE (1u << 23)
#define TD_CPUID_AMD_EXTENDED_APIC (1u << 3)
#define TD_CPUID_AMD_IBS	(1u << 10)

/*
 * CPUID 8000001BH of Zen 4, as Linux prints it there ("perf: AMD IBS detected (0x00000bff)", for
 * one on a Ryzen 9 7940HX, family 19H model 61H): all but OP_DATA4, and the extended data sources
 * and filter for misses of the L3.
 */
#define TD_IBS_ZEN4		0xbffu

static const TdEvent td_cove_events[] = {
	{ 0x003c, TD_UNIT_CYCLES, 0, 1 },
	{ 0x013c, TD_UNIT_REF, 0, 20 },
	{ 0x0300, TD_UNIT_REF, 0, 1 },
	{ 0x00c0, TD_UNIT_CATEGORY, TD_BD_RETIRING, 1 },
	{ 0x00c4, TD_UNIT_CATEGORY, TD_BD_RETIRING, 5 },
	{ 0x00c5, TD_UNIT_CATEGORY, TD_BD_RETIRING, 500 },
	{ 0x4f2e, TD_UNIT_CATEGORY, TD_BD_RETIRING, 100 },
	{ 0x412e, TD_UNIT_CATEGORY, TD_BD_RETIRING, 1000 },
	{ 0x01a4, TD_UNIT_SLOTS, 0, 1 },
	{ 0x02a4, TD_UNIT_CATEGORY, TD_BD_BE_BOUND, 1 },
	{ 0x04a4, TD_UNIT_CATEGORY, TD_BD_BAD_SPEC, 1 },
	{ 0x08a4, TD_UNIT_CATEGORY, TD_BD_BR_MISPREDICT, 1 },
	{ 0x10a4, TD_UNIT_CATEGORY, TD_BD_MEM_BOUND, 1 },
	{ 0x019c, TD_UNIT_CATEGORY, TD_BD_FE_BOUND, 1 },
	{ 0x02c2, TD_UNIT_CATEGORY, TD_BD_RETIRING, 1 },
	{ 0x01c2, TD_UNIT_CATEGORY, TD_BD_HEAVY_OPS, 1 },
	/* Cycles without anything delivered: all slots of each. */
	{ 0x600019c, TD_UNIT_CATEGORY, TD_BD_FETCH_LAT, 6 },
	{ }
};

static const TdEvent td_mont_events[] = {
	{ 0x003c, TD_UNIT_CYCLES, 0, 1 },
	{ 0x013c, TD_UNIT_REF, 0, 20 },
	{ 0x0300, TD_UNIT_REF, 0, 1 },
	{ 0x00c0, TD_UNIT_CATEGORY, TD_BD_RETIRING, 1 },
	{ 0x00c4, TD_UNIT_CATEGORY, TD_BD_RETIRING, 5 },
	{ 0x00c5, TD_UNIT_CATEGORY, TD_BD_RETIRING, 500 },
	{ 0x4f2e, TD_UNIT_CATEGORY, TD_BD_RETIRING, 100 },
	{ 0x412e, TD_UNIT_CATEGORY, TD_BD_RETIRING, 1000 },
	{ 0x0071, TD_UNIT_CATEGORY, TD_BD_FE_BOUND, 1 },
	{ 0x0073, TD_UNIT_CATEGORY, TD_BD_BAD_SPEC, 1 },
	{ 0x0673, TD_UNIT_CATEGORY, TD_BD_BAD_SPEC, 1 },
	{ 0x0074, TD_UNIT_CATEGORY, TD_BD_BE_BOUND, 1 },
	{ 0x00c2, TD_UNIT_CATEGORY, TD_BD_RETIRING, 1 },
	/* Level 2: latency and bandwidth, mispredicts and clears, allocation. */
	{ 0x7271, TD_UNIT_CATEGORY, TD_BD_FETCH_LAT, 1 },
	{ 0x8d71, TD_UNIT_REST, TD_BD_FE_BOUND, 1 },
	{ 0x0473, TD_UNIT_CATEGORY, TD_BD_BR_MISPREDICT, 1 },
	{ 0x0373, TD_UNIT_REST, TD_BD_BAD_SPEC, 1 },
	{ 0x0174, TD_UNIT_REST, TD_BD_BE_BOUND, 1 },
	{ }
};

static const TdEvent td_goldmont_events[] = {
	{ 0x003c, TD_UNIT_CYCLES, 0, 1 },
	{ 0x013c, TD_UNIT_REF, 0, 20 },
	{ 0x0300, TD_UNIT_REF, 0, 1 },
	{ 0x00c0, TD_UNIT_CATEGORY, TD_BD_RETIRING, 1 },
	{ 0x00c4, TD_UNIT_CATEGORY, TD_BD_RETIRING, 5 },
	{ 0x00c5, TD_UNIT_CATEGORY, TD_BD_RETIRING, 500 },
	{ 0x4f2e, TD_UNIT_CATEGORY, TD_BD_RETIRING, 100 },
	{ 0x412e, TD_UNIT_CATEGORY, TD_BD_RETIRING, 1000 },
	{ 0x009c, TD_UNIT_CATEGORY, TD_BD_FE_BOUND, 1 },
	{ 0x00c2, TD_UNIT_CATEGORY, TD_BD_RETIRING, 1 },
	{ 0x000e, TD_UNIT_ISSUED, 0, 1 },
	{ }
};

/* Sandy Bridge to Cascade Lake. */
static const TdEvent td_lake_events[] = {
	{ 0x003c, TD_UNIT_CYCLES, 0, 1 },
	{ 0x013c, TD_UNIT_REF, 0, 20 },
	{ 0x0300, TD_UNIT_REF, 0, 1 },
	{ 0x00c0, TD_UNIT_CATEGORY, TD_BD_RETIRING, 1 },
	{ 0x00c4, TD_UNIT_CATEGORY, TD_BD_RETIRING, 5 },
	{ 0x00c5, TD_UNIT_CATEGORY, TD_BD_RETIRING, 500 },
	{ 0x4f2e, TD_UNIT_CATEGORY, TD_BD_RETIRING, 100 },
	{ 0x412e, TD_UNIT_CATEGORY, TD_BD_RETIRING, 1000 },
	{ 0x019c, TD_UNIT_CATEGORY, TD_BD_FE_BOUND, 1 },
	{ 0x02c2, TD_UNIT_CATEGORY, TD_BD_RETIRING, 1 },
	{ 0x010e, TD_UNIT_ISSUED, 0, 1 },
	{ }
};

static const TdEvent td_zen_events[] = {
	{ 0x0076, TD_UNIT_CYCLES, 0, 1 },
	{ 0x100000120, TD_UNIT_REF, 0, 1 },
	{ 0x00c0, TD_UNIT_CATEGORY, TD_BD_RETIRING, 1 },
	{ 0x00c1, TD_UNIT_CATEGORY, TD_BD_RETIRING, 1 },
	{ 0x00c2, TD_UNIT_CATEGORY, TD_BD_RETIRING, 5 },
	{ 0x00c3, TD_UNIT_CATEGORY, TD_BD_RETIRING, 500 },
	{ }
};

/*
 * What a hypervisor may let through alone, whatever the other bits of the event are: the
 * events of CPUID leaf 0AH, and of AMD those that Linux has names for.
 */
static const uint16_t td_architectural[] = {
	0x003c, 0x00c0, 0x013c, 0x4f2e, 0x412e, 0x00c4, 0x00c5, 0x01a4, 0x0300, 0
};

static const uint16_t td_amd_named[] = { 0x0076, 0x0120, 0x00c0, 0x00c2, 0x00c3, 0 };

static const TdPreset td_gracemont = {
	.version = 5, .gp = 6, .fixed = 3, .width = 5,
	.kind = TD_KIND_GRACEMONT, .events = td_mont_events,
};

/* Of Raptor Lake: the same with PEBS. */
static const TdPreset td_gracemont_pebs = {
	.version = 5, .gp = 6, .fixed = 3, .width = 5, .pebs = 4,
	.kind = TD_KIND_GRACEMONT, .events = td_mont_events,
};

/* Of Meteor Lake; PERF_CAPABILITIES do not say that its records are timed. */
static const TdPreset td_crestmont = {
	.version = 5, .gp = 6, .fixed = 3, .width = 6, .pebs = 4,
	.leaf_23 = true, .kind = TD_KIND_CRESTMONT, .events = td_mont_events,
};

static const TdPreset td_presets[] = {
	{
		.name = "spr", .version = 5, .gp = 8, .fixed = 4, .width = 6,
		.metrics = 8, .events = td_cove_events,
		.constraints = td_cove_constraints, .shared = true,
	}, {
		.name = "icl", .version = 5, .gp = 8, .fixed = 4, .width = 5,
		.metrics = 4, .events = td_cove_events,
		.constraints = td_sunny_constraints,
	}, {
		.name = "adl", .version = 5, .gp = 8, .fixed = 4, .width = 6,
		.metrics = 8, .events = td_cove_events,
		.constraints = td_cove_constraints,
		.kind = TD_KIND_CORE, .small = &td_gracemont,
	}, {
		.name = "emr", .version = 5, .gp = 8, .fixed = 4, .width = 6,
		.metrics = 8, .pebs = 4, .events = td_cove_events,
		.constraints = td_cove_constraints, .shared = true,
	}, {
		.name = "rpl", .version = 5, .gp = 8, .fixed = 4, .width = 6,
		.metrics = 8, .pebs = 4, .events = td_cove_events,
		.constraints = td_cove_constraints,
		.kind = TD_KIND_CORE, .small = &td_gracemont_pebs,
	}, {
		.name = "gnr", .version = 5, .gp = 8, .fixed = 4, .width = 6,
		.metrics = 8, .pebs = 4, .timed = true,
		.events = td_cove_events,
		.constraints = td_cove_constraints, .shared = true,
	}, {
		.name = "mtl", .version = 5, .gp = 8, .fixed = 4, .width = 6,
		.metrics = 8, .pebs = 4, .timed = true,
		.events = td_cove_events,
		.constraints = td_cove_constraints,
		.leaf_23 = true, .kind = TD_KIND_CORE, .small = &td_crestmont,
	}, {
		.name = "nometrics", .version = 5, .gp = 8, .fixed = 4,
		.width = 6, .events = td_cove_events,
		.constraints = td_cove_constraints, .shared = true,
	}, {
		.name = "iclnm", .version = 5, .gp = 8, .fixed = 4,
		.width = 5, .events = td_cove_events,
		.constraints = td_sunny_constraints,
	}, {
		/* A guest of KVM's: 8 general and 3 fixed counters are its most. */
		.name = "kvm", .version = 2, .gp = 8, .fixed = 3, .width = 6,
		.narrow = true, .guest = true, .events = td_cove_events,
		.constraints = td_cove_constraints,
	}, {
		.name = "archonly", .version = 2, .gp = 8, .fixed = 3, .width = 6,
		.narrow = true, .guest = true, .filter = true,
		.events = td_cove_events,
		.constraints = td_cove_constraints,
	}, {
		.name = "archskx", .version = 2, .gp = 8, .fixed = 3, .width = 4,
		.narrow = true, .guest = true, .filter = true,
		.events = td_lake_events,
		.constraints = td_lake_constraints,
	}, {
		/* SLOTS count, and PERF_METRICS are there and read as 0. */
		.name = "zerometrics", .version = 5, .gp = 8, .fixed = 4,
		.width = 6, .metrics = 8, .filter = true,
		.events = td_cove_events,
		.constraints = td_cove_constraints,
	}, {
		.name = "half", .version = 5, .gp = 8, .fixed = 4, .width = 6,
		.metrics = 8, .half = true, .events = td_cove_events,
		.constraints = td_cove_constraints,
	}, {
		.name = "snb", .version = 3, .gp = 8, .smt_gp = 4, .fixed = 3,
		.width = 4, .any = true, .narrow = true,
		.events = td_lake_events,
		.constraints = td_sandy_constraints,
	}, {
		.name = "ivb", .version = 3, .gp = 8, .smt_gp = 4, .fixed = 3,
		.width = 4, .any = true, .events = td_lake_events,
		.constraints = td_ivy_constraints,
	}, {
		.name = "hsw", .version = 3, .gp = 8, .smt_gp = 4, .fixed = 3,
		.width = 4, .any = true, .events = td_lake_events,
		.constraints = td_haswell_constraints,
	}, {
		.name = "bdw", .version = 3, .gp = 8, .smt_gp = 4, .fixed = 3,
		.width = 4, .any = true, .events = td_lake_events,
		.constraints = td_broadwell_constraints,
	}, {
		.name = "skx", .version = 4, .gp = 8, .smt_gp = 4, .fixed = 3,
		.width = 4, .any = true, .events = td_lake_events,
		.constraints = td_lake_constraints,
	}, {
		/* No such CPU: the counters of Skylake, and the events of Goldmont Plus. */
		.name = "glp8", .version = 4, .gp = 8, .smt_gp = 4, .fixed = 3,
		.width = 4, .any = true, .events = td_lake_events,
	}, {
		.name = "glp", .version = 4, .gp = 4, .fixed = 3, .width = 4,
		.any = true, .events = td_goldmont_events,
	}, {
		.name = "tnt", .version = 5, .gp = 4, .fixed = 3, .width = 4,
		.events = td_mont_events,
	}, {
		.name = "zen4", .version = 2, .gp = 6, .width = 6, .amd = true,
		.ibs = TD_IBS_ZEN4, .events = td_zen_events,
	},
	{ .name = "nopmu", .width = 6 },
	{ .name = "amd", .width = 6 },
};

const TdPreset *td_preset_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(td_presets); i++)
		if (!strcmp(td_presets[i].name, name))
			return &td_presets[i];
	return NULL;
}

/*
 * Of a hybrid machine the last CPUs are E-cores: TOPDOWN_PMU_E_CPUS of them, or
 * else half.  Two threads of a core share the counters that one alone would have.
 */
const TdPreset *td_preset_of_cpu(const TdPreset *preset, unsigned int index)
{
	unsigned int cpus = current_machine->smp.cpus;
	const char *text = getenv("TOPDOWN_PMU_E_CPUS");
	unsigned long small = text ? strtoul(text, NULL, 10) : cpus / 2;
	TdPreset *thread;

	if (preset->small && index + small >= cpus)
		return preset->small;
	if (!preset->smt_gp || current_machine->smp.threads < 2)
		return preset;
	thread = g_memdup2(preset, sizeof(*preset));
	thread->gp = preset->smt_gp;
	return thread;
}

/*
 * EAX, ECX and EDX of CPUID leaf 0AH.  A hybrid machine lists on every core what
 * all of them have: the kernel's driver counts on that, and knows how many more
 * there are on a P-core.
 */
uint32_t td_preset_leaf_a(const TdPreset *preset, uint32_t *fixed_mask,
			  uint32_t *edx)
{
	const TdPreset *least = preset->small ? preset->small : preset;
	/* The eighth of the architectural events is TOPDOWN.SLOTS. */
	unsigned int events = least->fixed > TD_FIXED_SLOTS ? 8 : 7;

	/*
	 * The mask and bit 15, which says that there is no AnyThread: version 5.  KVM
	 * sets the bit for guests of any version.
	 */
	*fixed_mask = least->version > 4 ? (1u << least->fixed) - 1 : 0;
	*edx = (least->version > 4 || least->guest) << 15 | TD_WIDTH_BITS << 5 |
	       least->fixed;
	return events << 24 | TD_WIDTH_BITS << 16 | least->gp << 8 |
	       least->version;
}

static void td_amd_cpuid(const TdPreset *preset, uint32_t leaf, uint32_t *eax,
			 uint32_t *ebx, uint32_t *ecx, uint32_t *edx)
{
	if (leaf == 0x80000001) {
		*ecx |= TD_CPUID_AMD_PERFCTR_CORE;
		if (preset->ibs)
			*ecx |= TD_CPUID_AMD_IBS | TD_CPUID_AMD_EXTENDED_APIC;
	} else if (leaf == 0x8000001b) {
		*eax = preset->ibs;
	} else if (leaf == 0x80000022) {
		*eax = 1;		/* PerfMonV2. */
		*ebx = preset->gp;
		*ecx = 0;
		*edx = 0;
	}
}

static void td_cpuid_7(const TdPreset *preset, uint32_t part, uint32_t *eax, uint32_t *edx)
{
	if (part == 0 && preset->kind)
		*edx |= TD_CPUID_7_HYBRID;
	if (part == 0 && preset->leaf_23)
		*eax = MAX(*eax, 1);
	if (part == 1 && preset->leaf_23)
		*eax |= TD_CPUID_7_1_COUNTERS;
}

/* Which counters there are on this core: part 1, and that there is that part. */
static void td_cpuid_23(const TdPreset *preset, uint32_t part, uint32_t *eax, uint32_t *ebx,
			uint32_t *ecx, uint32_t *edx)
{
	*eax = part == 0 ? 3 : part == 1 ? (1u << preset->gp) - 1 : 0;
	*ebx = part == 1 ? (1u << preset->fixed) - 1 : 0;
	*ecx = 0;
	*edx = 0;
}

/* The registers still hold what was asked for. */
void td_pmu_cpuid(CPUX86State *env, uint32_t leaf, uint32_t *eax,
		  uint32_t *ebx, uint32_t *ecx, uint32_t *edx)
{
	TdPmu *p = env_archcpu(env)->td_pmu;
	const TdPreset *preset;

	if (!p || !p->preset->version)
		return;
	preset = p->preset;
	if (preset->amd) {
		td_amd_cpuid(preset, leaf, eax, ebx, ecx, edx);
		return;
	}
	switch (leaf) {
	case 1:
		if (!preset->guest)
			*ecx |= CPUID_EXT_PDCM;
		if (preset->pebs) {
			*ecx |= TD_CPUID_1_DTES64;
			*edx |= TD_CPUID_1_DS;
		}
		break;
	case 7:
		td_cpuid_7(preset, (uint32_t)env->regs[R_ECX], eax, edx);
		break;
	case 0xa:
		*eax = td_preset_leaf_a(preset, ecx, edx);
		*ebx = 0;
		break;
	case 0x1a:
		*eax = preset->kind;
		break;
	case 0x23:
		if (preset->leaf_23)
			td_cpuid_23(preset, (uint32_t)env->regs[R_ECX], eax, ebx, ecx, edx);
		break;
	}
}

const TdEvent *td_event_find(const TdPreset *preset, uint64_t config)
{
	const TdEvent *event;

	for (event = preset->events; event && event->divisor; event++)
		if (event->config == config)
			return event;
	return NULL;
}

/* Is it one that counts nothing while the filter is on? */
bool td_event_filtered(const TdPreset *preset, uint64_t config)
{
	const uint16_t *event = preset->amd ? td_amd_named : td_architectural;

	while (*event && *event != (config & 0xffff))
		event++;
	return !*event;
}

static TdRates td_file_rates;

static struct td_bd_rate *td_rate_lookup(TdRates *rates, uint64_t config)
{
	unsigned int i;

	for (i = 0; i < rates->nr; i++)
		if (rates->rate[i].config == config)
			return &rates->rate[i];
	return NULL;
}

/* The rate of an event: @own, which may be NULL, then those of the file. */
const struct td_bd_rate *td_rate_find(const TdRates *own, uint64_t config)
{
	const struct td_bd_rate *found = NULL;

	if (own)
		found = td_rate_lookup((TdRates *)own, config);
	return found ? found : td_rate_lookup(&td_file_rates, config);
}

/* The kernel's numbers for what is only in fixed counters. */
static uint64_t td_rate_config(uint64_t config)
{
	switch (config) {
	case 0x100:
		return 0xc0;
	case 0x200:
		return 0x3c;
	case 0x200200:
		return 0x20003c;
	default:
		return config;
	}
}

/* False if it is not valid, or if there are too many. */
bool td_rate_set(TdRates *rates, const struct td_bd_rate *rate)
{
	uint64_t config = td_rate_config(rate->config);
	struct td_bd_rate *found = td_rate_lookup(rates, config);
	uint64_t valid = TD_EVENT_BITS;

	if ((config & 0xff) == TD_EVENT_FRONTEND)
		valid |= TD_FRONTEND_BITS;
	if ((config & ~valid) || rate->rate > TD_BD_RATE_MAX)
		return false;
	if (!found) {
		if (rates->nr == TD_MAX_RATES)
			return false;
		found = &rates->rate[rates->nr++];
	}
	found->config = config;
	found->rate = rate->rate;
	return true;
}

static bool td_rates_parse(const char *line)
{
	struct td_bd_rate rate = { 0 };
	int end = 0;

	line += strspn(line, " \t");
	if (!*line || *line == '#')
		return true;
	return sscanf(line, "%" SCNx64 " %" SCNu64 " %n", &rate.config, &rate.rate,
		      &end) == 2 && (!line[end] || line[end] == '#') &&
	       td_rate_set(&td_file_rates, &rate);
}

/* TOPDOWN_PMU_RATES names a file of lines "CONFIG RATE", hexadecimal and decimal. */
bool td_rates_load(Error **errp)
{
	g_autofree char *text = NULL;
	const char *name = getenv("TOPDOWN_PMU_RATES");
	char *line, *next;
	unsigned int i;

	if (!name || td_file_rates.nr)
		return true;
	if (!g_file_get_contents(name, &text, NULL, NULL)) {
		error_setg(errp, "TOPDOWN_PMU_RATES: cannot read '%s'", name);
		return false;
	}
	for (i = 1, line = text; line; i++, line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (td_rates_parse(line))
			continue;
		error_setg(errp, "%s:%u: not an event and a rate, or one of more than %u",
			   name, i, TD_MAX_RATES);
		return false;
	}
	return true;
}
