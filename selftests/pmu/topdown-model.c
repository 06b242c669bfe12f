// SPDX-License-Identifier: GPL-2.0
/*
 * The cores that the emulated PMU can be, as data: counters, width and events.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "hw/boards.h"
#include "topdown-pmu.h"

#define TD_KIND_ATOM	(0x20u << 24 | 1)
#define TD_KIND_CORE	(0x40u << 24 | 1)

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
	{ 0x0074, TD_UNIT_CATEGORY, TD_BD_BE_BOUND, 1 },
	{ 0x00c2, TD_UNIT_CATEGORY, TD_BD_RETIRING, 1 },
	{ }
};

static const TdPreset td_gracemont = {
	.version = 5, .gp = 6, .fixed = 3, .width = 5,
	.kind = TD_KIND_ATOM, .events = td_mont_events,
};

static const TdPreset td_presets[] = {
	{
		.name = "spr", .version = 5, .gp = 8, .fixed = 4, .width = 6,
		.metrics = 8, .events = td_cove_events,
	}, {
		.name = "icl", .version = 5, .gp = 8, .fixed = 4, .width = 5,
		.metrics = 4, .events = td_cove_events,
	}, {
		.name = "adl", .version = 5, .gp = 8, .fixed = 4, .width = 6,
		.metrics = 8, .events = td_cove_events,
		.kind = TD_KIND_CORE, .small = &td_gracemont,
	}, {
		.name = "nometrics", .version = 5, .gp = 8, .fixed = 4,
		.width = 6, .events = td_cove_events,
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
 * else half.
 */
const TdPreset *td_preset_of_cpu(const TdPreset *preset, unsigned int index)
{
	unsigned int cpus = current_machine->smp.cpus;
	const char *text = getenv("TOPDOWN_PMU_E_CPUS");
	unsigned long small = text ? strtoul(text, NULL, 10) : cpus / 2;

	if (!preset->small || index + small < cpus)
		return preset;
	return preset->small;
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

	*fixed_mask = (1u << least->fixed) - 1;
	/* Bit 15: there is no AnyThread. */
	*edx = 1u << 15 | TD_WIDTH_BITS << 5 | least->fixed;
	return events << 24 | TD_WIDTH_BITS << 16 | least->gp << 8 |
	       least->version;
}

const TdEvent *td_event_find(const TdPreset *preset, uint16_t code)
{
	const TdEvent *event;

	for (event = preset->events; event && event->divisor; event++)
		if (event->code == code)
			return event;
	return NULL;
}
