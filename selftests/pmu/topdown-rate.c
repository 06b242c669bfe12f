// SPDX-License-Identifier: GPL-2.0
/*
 * How often the events of the emulated PMU's counters happen: in micro-events per ns of
 * virtual time, or per instruction.  @of is whose time it is: the vCPU's own, or for
 * AnyThread that of the other thread of the core.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "topdown-pmu.h"

#define TD_EVENT_BACKEND	0x2a4	/* TOPDOWN.BACKEND_BOUND_SLOTS */

/* Where instructions are counted the core has the clock of the TSC, which is that of -icount. */
static uint64_t td_cycles_ns(void)
{
	return td_executed ? 1 : TD_CYCLES_NS;
}

static uint64_t td_ref_ns(void)
{
	return td_executed ? 1 : TD_REF_NS;
}

/*
 * "The count is distributed among unhalted logical processors (hyper-threads) who share the
 * same physical core": TOPDOWN.SLOTS in Intel's lists of events.
 */
uint64_t td_slots(const TdPmu *p, uint64_t ns)
{
	unsigned int width = p->preset->width;

	if (qatomic_read(&td_fault) == TD_BD_FAULT_WIDTH)
		width--;
	if (p->preset->shared && td_runs(p->sibling) &&
	    qatomic_read(&td_fault) != TD_BD_FAULT_SIBLING)
		width /= 2;
	return ns * td_cycles_ns() * width;
}

static uint64_t td_rate(const TdPmu *of, enum td_unit unit,
			enum td_bd_category category)
{
	uint64_t slots = td_slots(of, 1);
	const uint32_t *fraction = td_profile_of(of->space)->fraction;

	switch (unit) {
	case TD_UNIT_CYCLES:
		return td_cycles_ns() * TD_MICRO;
	case TD_UNIT_REF:
		return td_ref_ns() * TD_MICRO;
	case TD_UNIT_SLOTS:
		return slots * TD_MICRO;
	case TD_UNIT_ISSUED:
		return slots * (fraction[TD_BD_RETIRING] +
				fraction[TD_BD_BAD_SPEC]);
	case TD_UNIT_REST:
		return slots * (fraction[category] -
				fraction[category + TD_BD_HEAVY_OPS]);
	default:
		return slots * fraction[category];
	}
}

uint64_t td_issued_rate(const TdPmu *of)
{
	return td_rate(of, TD_UNIT_ISSUED, 0);
}

/*
 * An event with AnyThread that has no rate happens as often as that without, and of
 * FRONTEND_RETIRED each cause as often as the event.
 */
TdRate td_event_rate(const TdPmu *of, uint64_t config)
{
	const struct td_bd_rate *given = td_rate_find(of->space->rates, config);
	TdRate rate = { TD_BY_TIME, 0 };
	const TdEvent *event;

	if (given) {
		rate.micro = given->rate * td_cycles_ns();
		return rate;
	}
	if (td_executed_rate(of->preset, config, &rate))
		return rate;
	if (config & TD_FRONTEND_BITS)
		return td_event_rate(of, config & ~TD_FRONTEND_BITS);
	if (config & TD_EVTSEL_ANY)
		return td_event_rate(of, config & ~(uint64_t)TD_EVTSEL_ANY);
	event = td_event_find(of->preset, config);
	if (event)
		rate.micro = td_rate(of, event->unit, event->category) / event->divisor;
	return rate;
}

/* The event of a general counter, as rates and latencies have it. */
uint64_t td_selected(const TdPmu *p, int n)
{
	uint64_t config = p->evtsel[n] & TD_EVENT_BITS;

	if (!p->preset->pebs)
		return config;
	config &= ~TD_EVTSEL_ADAPTIVE;
	if ((config & 0xff) == TD_EVENT_FRONTEND)
		config |= p->frontend << TD_FRONTEND_SHIFT & TD_FRONTEND_BITS;
	return config;
}

TdRate td_gp_rate(const TdPmu *p, const TdPmu *of, int n)
{
	uint64_t config = td_selected(p, n);
	bool filtered = td_filter || qatomic_read(&td_fault) == TD_BD_FAULT_FILTERED;
	TdRate rate;

	if ((filtered && td_event_filtered(p->preset, config)) ||
	    !(td_counters_of(p->preset, config) >> n & 1))
		return (TdRate) { TD_BY_TIME, 0 };
	rate = td_event_rate(of, config);
	if (config == TD_EVENT_BACKEND && qatomic_read(&td_fault) == TD_BD_FAULT_EVENT)
		rate.micro += rate.micro / 10;
	return rate;
}

/* The event of a fixed counter. */
uint64_t td_fixed_event(int n)
{
	static const uint16_t config[] = { 0x00c0, 0x003c, 0x0300, 0x01a4 };

	return config[n];
}

TdRate td_fixed_rate(const TdPmu *p, const TdPmu *of, int n)
{
	uint64_t any = 0;

	if (n == TD_FIXED_SLOTS)
		return (TdRate) { TD_BY_TIME, td_rate(of, TD_UNIT_SLOTS, 0) };
	if (td_fixed_field(p, n) & TD_FIXED_ANY)
		any = TD_EVTSEL_ANY;
	return td_event_rate(of, td_fixed_event(n) | any);
}
