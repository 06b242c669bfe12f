// SPDX-License-Identifier: GPL-2.0
/*
 * Instruction-based sampling of AMD in the emulated PMU: the engines of operations and of
 * fetches, their registers, and the entries of the local APIC through which they interrupt.
 *
 * An engine counts to its maximum and tags the next operation or fetch. Nothing is executed
 * in this model that could be tagged, so what it is, is drawn (topdown-ibs-draw.c). As with PEBS,
 * the record has the state of its CPU, and so the CPU's own thread writes it.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "hw/i386/apic.h"
#include "topdown-pmu.h"

#define TD_MSR_FETCH_CTL	0xc0011030
#define TD_MSR_FETCH_LINEAR	0xc0011031
#define TD_MSR_FETCH_PHYSICAL	0xc0011032
#define TD_MSR_OP_CTL		0xc0011033
#define TD_MSR_OP_RIP		0xc0011034
#define TD_MSR_OP_DATA		0xc0011035
#define TD_MSR_OP_DATA2		0xc0011036
#define TD_MSR_OP_DATA3		0xc0011037
#define TD_MSR_DC_LINEAR	0xc0011038
#define TD_MSR_DC_PHYSICAL	0xc0011039
#define TD_MSR_IBS_CTL		0xc001103a
#define TD_MSR_BRANCH_TARGET	0xc001103b
#define TD_MSR_FETCH_EXTENDED	0xc001103c
#define TD_MSR_OP_DATA4		0xc001103d

#define TD_FETCH_MAX		0xffffull
#define TD_FETCH_CNT		16
#define TD_FETCH_EN		(1ull << 48)
#define TD_FETCH_VAL		(1ull << 49)
#define TD_FETCH_PHYSICAL	(1ull << 52)
#define TD_FETCH_RANDOM		(1ull << 57)
#define TD_FETCH_RESERVED	(3ull << 62)
/* All that a fetch writes there. */
#define TD_FETCH_RESULT		(TD_FETCH_VAL | TD_FETCH_PHYSICAL | TD_IBS_FETCH_BITS)

#define TD_OP_MAX		0xffffull
#define TD_OP_L3_ONLY		(1ull << 16)
#define TD_OP_EN		(1ull << 17)
#define TD_OP_VAL		(1ull << 18)
#define TD_OP_COUNTS_OPS	(1ull << 19)
#define TD_OP_MAX_EXT		(0x7full << 20)
#define TD_OP_CNT		32
#define TD_OP_CNT_BITS		0x7ffffffull
#define TD_OP_RESERVED		(0x1full << 27 | 0x1full << 59)
/*
 * Where the count of operations starts again is random in its lower 7 bits, so that loops are not
 * missed: AMD's PPR for family 17H model 31H (55803), as Linux's commits 0f4cd769c410 and "Don't
 * include randomized bits in get_ibs_op_count()" have it.
 */
#define TD_OP_RANDOM		0x7f

/* In IBS_CTL: the firmware has chosen this entry of the local APIC, and says so. */
#define TD_CTL_ENTRY		0
#define TD_CTL_VALID		(1u << 8)

/* Of the local APIC, as its offsets over 16. */
#define TD_APIC_VERSION		0x03
#define TD_APIC_FEATURES	0x40
#define TD_APIC_CONTROL		0x41
#define TD_APIC_ENTRY0		0x50
#define TD_APIC_EXTENDED	(1u << 31)
#define TD_APIC_ENTRY_BITS	0x107ffu	/* Vector, message and mask. */
#define TD_APIC_MASKED		(1u << 16)

/* What is counted, as events of the general counters: operations dispatched, and retired. */
#define TD_EVENT_DISPATCHED	0x07aa
#define TD_EVENT_RETIRED	0x00c1
#define TD_EVENT_CYCLES		0x0076
/* Lookups of the operation cache: each fetch has one. */
#define TD_EVENT_FETCHES	0x20000078full
#define TD_SLOTS_OF_FETCH	4

/* Registers */

bool td_ibs_is_ours(const TdPmu *p, uint32_t msr)
{
	return p->preset->ibs && msr >= TD_MSR_FETCH_CTL && msr <= TD_MSR_OP_DATA4;
}

static uint64_t td_fetch_ctl(const TdIbs *ibs)
{
	return ibs->fetch.ctl | ibs->fetch.count >> 4 << TD_FETCH_CNT;
}

static uint64_t td_op_ctl(const TdIbs *ibs)
{
	return ibs->op.ctl | ibs->op.count << TD_OP_CNT;
}

/* The registers that an engine writes and software may. */
static uint64_t *td_ibs_plain(TdIbs *ibs, uint32_t msr)
{
	switch (msr) {
	case TD_MSR_FETCH_LINEAR:
		return &ibs->fetch_linear;
	case TD_MSR_FETCH_PHYSICAL:
		return &ibs->fetch_physical;
	case TD_MSR_FETCH_EXTENDED:
		return &ibs->fetch_extended;
	case TD_MSR_OP_RIP:
		return &ibs->rip;
	case TD_MSR_OP_DATA:
		return &ibs->data;
	case TD_MSR_OP_DATA2:
		return &ibs->data2;
	case TD_MSR_OP_DATA3:
		return &ibs->data3;
	case TD_MSR_DC_LINEAR:
		return &ibs->linear;
	case TD_MSR_DC_PHYSICAL:
		return &ibs->physical;
	case TD_MSR_BRANCH_TARGET:
		return &ibs->target;
	default:
		return NULL;
	}
}

bool td_ibs_read(TdPmu *p, uint32_t msr, uint64_t *value)
{
	const uint64_t *plain = td_ibs_plain(&p->ibs, msr);

	if (plain)
		*value = *plain;
	else if (msr == TD_MSR_FETCH_CTL)
		*value = td_fetch_ctl(&p->ibs);
	else if (msr == TD_MSR_OP_CTL)
		*value = td_op_ctl(&p->ibs);
	else if (msr == TD_MSR_IBS_CTL)
		*value = TD_CTL_VALID | TD_CTL_ENTRY;
	else
		return false;
	return true;
}

static bool td_write_fetch_ctl(TdPmu *p, uint64_t value)
{
	TdIbsEngine *e = &p->ibs.fetch;

	if (value & TD_FETCH_RESERVED)
		return false;
	e->ctl = value & ~(TD_FETCH_MAX << TD_FETCH_CNT);
	e->count = (value >> TD_FETCH_CNT & TD_FETCH_MAX) << 4;
	if (value & TD_FETCH_RANDOM)
		e->count |= td_random(p) & 0xf;
	e->micro = 0;
	e->due = false;
	return true;
}

static bool td_write_op_ctl(TdPmu *p, uint64_t value)
{
	TdIbsEngine *e = &p->ibs.op;

	if (value & TD_OP_RESERVED)
		return false;
	e->ctl = value & ~(TD_OP_CNT_BITS << TD_OP_CNT);
	e->count = value >> TD_OP_CNT & TD_OP_CNT_BITS;
	e->micro = 0;
	e->due = false;
	return true;
}

bool td_ibs_write(TdPmu *p, uint32_t msr, uint64_t value)
{
	uint64_t *plain = td_ibs_plain(&p->ibs, msr);

	if (msr == TD_MSR_FETCH_CTL)
		return td_write_fetch_ctl(p, value);
	if (msr == TD_MSR_OP_CTL)
		return td_write_op_ctl(p, value);
	if (!plain)
		return false;
	*plain = value;
	return true;
}

void td_ibs_reset(TdPmu *p)
{
	unsigned int i;

	memset(&p->ibs, 0, sizeof(p->ibs));
	for (i = 0; i < TD_IBS_ENTRIES; i++)
		p->ibs.entry[i] = TD_APIC_MASKED;
}

/* Counting */

static bool td_op_counts(const TdIbsEngine *e)
{
	return (e->ctl & (TD_OP_EN | TD_OP_VAL)) == TD_OP_EN && !e->due;
}

static bool td_fetch_counts(const TdIbsEngine *e)
{
	return (e->ctl & (TD_FETCH_EN | TD_FETCH_VAL)) == TD_FETCH_EN && !e->due;
}

static uint64_t td_op_max(const TdIbsEngine *e)
{
	return (e->ctl & TD_OP_MAX) << 4 | (e->ctl & TD_OP_MAX_EXT);
}

static uint64_t td_fetch_max(const TdIbsEngine *e)
{
	return (e->ctl & TD_FETCH_MAX) << 4;
}

/* That of the event; where it has none, as many as the profile issues. */
static TdRate td_ibs_rate(const TdPmu *p, uint64_t config, unsigned int divisor)
{
	if (td_rate_find(p->space->rates, config))
		return td_event_rate(p, config);
	return (TdRate) { TD_BY_TIME, td_issued_rate(p) / divisor };
}

static TdRate td_op_rate(const TdPmu *p)
{
	if (!(p->ibs.op.ctl & TD_OP_COUNTS_OPS))
		return td_event_rate(p, TD_EVENT_CYCLES);
	return td_ibs_rate(p, TD_EVENT_DISPATCHED, 1);
}

static TdRate td_fetch_rate(const TdPmu *p)
{
	return td_ibs_rate(p, TD_EVENT_FETCHES, TD_SLOTS_OF_FETCH);
}

/* Operations that are dispatched and do not retire are flushed, and with them the tag. */
static bool td_op_flushed(TdPmu *p)
{
	uint64_t dispatched = td_ibs_rate(p, TD_EVENT_DISPATCHED, 1).micro;
	uint64_t retired = td_event_rate(p, TD_EVENT_RETIRED).micro;

	if (retired >= dispatched)
		return false;
	return (td_u128)td_random(p) * dispatched >> 32 >= retired;
}

static void td_ibs_work(CPUState *cs, run_on_cpu_data data)
{
	TdPmu *p = data.host_ptr;

	qemu_mutex_lock(&td_lock);
	p->ibs.called = false;
	td_ibs_assist(p);
	td_unlock(p);
}

static void td_ibs_call(TdPmu *p)
{
	if (p->ibs.called)
		return;
	p->ibs.called = true;
	async_run_on_cpu(CPU(p->cpu), td_ibs_work, RUN_ON_CPU_HOST_PTR(p));
}

/* False if there is no sample of it, and the engine counts again. */
static bool td_op_tag(TdPmu *p)
{
	TdIbsEngine *e = &p->ibs.op;

	e->count = td_random(p) & TD_OP_RANDOM;
	if (td_op_flushed(p)) {
		td_ibs_note_flushed(p, TD_BD_IBS_OP);
		return false;
	}
	td_ibs_draw(p, TD_BD_IBS_OP, &e->drawn);
	if (e->ctl & TD_OP_L3_ONLY && !td_ibs_beyond_l3(TD_BD_IBS_OP, &e->drawn))
		return false;
	/* Cycles start from 0. */
	if (!(e->ctl & TD_OP_COUNTS_OPS))
		e->count = 0;
	return true;
}

static bool td_fetch_tag(TdPmu *p)
{
	TdIbsEngine *e = &p->ibs.fetch;

	td_ibs_draw(p, TD_BD_IBS_FETCH, &e->drawn);
	if (!(e->ctl & TD_IBS_FETCH_L3_ONLY) || td_ibs_beyond_l3(TD_BD_IBS_FETCH, &e->drawn)) {
		/* Software reads there how many there were. */
		e->count = td_fetch_max(e);
		return true;
	}
	e->count = e->ctl & TD_FETCH_RANDOM ? td_random(p) & 0xf : 0;
	return false;
}

static uint64_t td_ibs_left(const TdIbsEngine *e, uint64_t max)
{
	return max > e->count ? max - e->count : 1;
}

static void td_engine_count(TdPmu *p, TdIbsEngine *e, uint64_t max, TdRate rate,
			    const TdStep *step, bool (*tag)(TdPmu *p))
{
	uint64_t sum = e->micro + rate.micro * step->of[rate.basis];
	uint64_t events = sum / TD_MICRO, left;

	e->micro = sum % TD_MICRO;
	for (; max && events; events -= left) {
		left = td_ibs_left(e, max);
		if (events < left) {
			td_ibs_note_counted(p, e == &p->ibs.fetch, events);
			e->count += events;
			return;
		}
		td_ibs_note_counted(p, e == &p->ibs.fetch, left);
		e->due = tag(p);
		if (e->due) {
			e->micro = 0;
			td_ibs_call(p);
			return;
		}
	}
}

/* Both engines count in every ring. */
void td_ibs_count(TdPmu *p, const TdStep *step)
{
	TdIbs *ibs = &p->ibs;

	if (td_op_counts(&ibs->op))
		td_engine_count(p, &ibs->op, td_op_max(&ibs->op), td_op_rate(p), step, td_op_tag);
	if (td_fetch_counts(&ibs->fetch))
		td_engine_count(p, &ibs->fetch, td_fetch_max(&ibs->fetch), td_fetch_rate(p), step,
				td_fetch_tag);
}

static int64_t td_engine_deadline(const TdPmu *p, const TdIbsEngine *e, uint64_t max, TdRate rate)
{
	td_u128 micro = (td_u128)td_ibs_left(e, max) * TD_MICRO - e->micro, ns;

	if (!max || !rate.micro)
		return INT64_MAX;
	ns = td_least_ns(&rate, (micro + rate.micro - 1) / rate.micro);
	return ns > INT64_MAX / 2 ? INT64_MAX : p->last + (int64_t)ns;
}

/* When the first of them can tag something. */
int64_t td_ibs_deadline(const TdPmu *p)
{
	const TdIbs *ibs = &p->ibs;
	int64_t first = INT64_MAX;

	if (!p->preset->ibs || !td_runs(p))
		return first;
	if (td_op_counts(&ibs->op))
		first = td_engine_deadline(p, &ibs->op, td_op_max(&ibs->op), td_op_rate(p));
	if (td_fetch_counts(&ibs->fetch))
		first = MIN(first, td_engine_deadline(p, &ibs->fetch, td_fetch_max(&ibs->fetch),
						      td_fetch_rate(p)));
	return first;
}

/* Records */

static uint64_t td_linear_ip(const TdPmu *p)
{
	const CPUX86State *env = &p->cpu->env;

	return env->segs[R_CS].base + env->eip;
}

static void td_op_record(TdPmu *p)
{
	const TdIbsDrawn *drawn = &p->ibs.op.drawn;
	TdIbs *ibs = &p->ibs;

	ibs->rip = td_linear_ip(p);
	ibs->data = drawn->word[0];
	ibs->data2 = drawn->word[1];
	ibs->data3 = drawn->word[2];
	ibs->linear = drawn->address;
	/* The addresses are made up, and no page table has them. */
	ibs->physical = 0;
	/* A branch is one to itself. */
	ibs->target = drawn->word[0] & TD_IBS_BRANCH ? ibs->rip : 0;
	ibs->op.ctl |= TD_OP_VAL;
	td_ibs_note(p, TD_BD_IBS_OP, drawn, ibs->rip);
}

static void td_fetch_record(TdPmu *p)
{
	const TdIbsDrawn *drawn = &p->ibs.fetch.drawn;
	TdIbs *ibs = &p->ibs;
	hwaddr page;

	ibs->fetch_linear = td_linear_ip(p);
	ibs->fetch.ctl &= ~TD_FETCH_RESULT;
	ibs->fetch.ctl |= drawn->word[0] | TD_FETCH_VAL;
	ibs->fetch_extended = drawn->word[1];
	page = cpu_get_phys_page_debug(CPU(p->cpu), ibs->fetch_linear & TARGET_PAGE_MASK);
	ibs->fetch_physical = 0;
	if (page != (hwaddr)-1) {
		ibs->fetch_physical = page | (ibs->fetch_linear & ~TARGET_PAGE_MASK);
		ibs->fetch.ctl |= TD_FETCH_PHYSICAL;
	}
	td_ibs_note(p, TD_BD_IBS_FETCH, drawn, ibs->fetch_linear);
}

/* On the CPU's own thread, with its registers as a guest would see them. */
void td_ibs_assist(TdPmu *p)
{
	TdIbs *ibs = &p->ibs;

	if (!p->space)
		return;
	if (ibs->op.due) {
		ibs->op.due = false;
		td_op_record(p);
		ibs->interrupts = true;
	}
	if (ibs->fetch.due) {
		ibs->fetch.due = false;
		td_fetch_record(p);
		ibs->interrupts = true;
	}
}

/* Interrupts */

/* With the big lock. An interrupt that finds the entry masked is none. */
void td_ibs_deliver(TdPmu *p)
{
	if (!p->ibs.interrupts)
		return;
	p->ibs.interrupts = false;
	if (!(p->ibs.entry[TD_CTL_ENTRY] & TD_APIC_MASKED))
		apic_deliver_entry(p->cpu->apic_state, p->ibs.entry[TD_CTL_ENTRY]);
}

/* What the local APIC has besides; false if that is nothing of this model. */
bool td_pmu_apic_read(CPUX86State *env, int index, uint32_t *value)
{
	TdPmu *p = env_archcpu(env)->td_pmu;

	if (!p || !p->preset->ibs)
		return false;
	if (index == TD_APIC_VERSION)
		*value |= TD_APIC_EXTENDED;
	else if (index == TD_APIC_FEATURES)
		*value = TD_IBS_ENTRIES << 16;
	else if (index == TD_APIC_CONTROL)
		*value = 0;
	else if (index >= TD_APIC_ENTRY0 && index < TD_APIC_ENTRY0 + TD_IBS_ENTRIES)
		*value = p->ibs.entry[index - TD_APIC_ENTRY0];
	else
		return false;
	return true;
}

bool td_pmu_apic_write(CPUX86State *env, int index, uint32_t value)
{
	TdPmu *p = env_archcpu(env)->td_pmu;

	if (!p || !p->preset->ibs)
		return false;
	if (index == TD_APIC_FEATURES || index == TD_APIC_CONTROL)
		return true;
	if (index < TD_APIC_ENTRY0 || index >= TD_APIC_ENTRY0 + TD_IBS_ENTRIES)
		return false;
	qemu_mutex_lock(&td_lock);
	p->ibs.entry[index - TD_APIC_ENTRY0] = value & TD_APIC_ENTRY_BITS;
	qemu_mutex_unlock(&td_lock);
	return true;
}
