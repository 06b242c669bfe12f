// SPDX-License-Identifier: GPL-2.0
/*
 * The registers of the emulated PMU, as RDMSR, WRMSR and RDPMC see them.
 * What is reserved or absent is a general protection fault.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "cpu.h"
#include "topdown-pmu.h"

#define TD_MSR_PMC0		0x0c1
#define TD_MSR_EVTSEL0		0x186
#define TD_MSR_FIXED0		0x309
#define TD_MSR_METRICS		0x329
#define TD_MSR_CAPABILITIES	0x345
#define TD_MSR_FIXED_CTRL	0x38d
#define TD_MSR_STATUS		0x38e
#define TD_MSR_GLOBAL_CTRL	0x38f
#define TD_MSR_STATUS_RESET	0x390
#define TD_MSR_STATUS_SET	0x391
#define TD_MSR_INUSE		0x392
#define TD_MSR_PEBS_ENABLE	0x3f1
#define TD_MSR_A_PMC0		0x4c1
#define TD_MSR_PMC_SPAN		10	/* Numbers kept for counters. */
#define TD_MSR_FIXED_SPAN	7

#define TD_CAP_PEBS_TRAP	(1u << 6)
#define TD_CAP_PEBS_REGS	(1u << 7)
#define TD_CAP_PEBS_FORMAT	8
#define TD_CAP_FULL_WIDTH	(1u << 13)
#define TD_CAP_PEBS_BASELINE	(1u << 14)
#define TD_CAP_METRICS		(1u << 15)
#define TD_CAP_PEBS_TIMED	(1u << 17)

/* STATUS_RESET also clears the indicators of features that are not here. */
#define TD_STATUS_OTHER		(0x3fULL << 58)

#define TD_RDPMC_FIXED		(1u << 30)
#define TD_RDPMC_METRICS	(1u << 29)

#define TD_AMD_STATUS		0xc0000300
#define TD_AMD_GLOBAL_CTRL	0xc0000301
#define TD_AMD_STATUS_RESET	0xc0000302
#define TD_AMD_STATUS_SET	0xc0000303
#define TD_AMD_OLD_EVTSEL0	0xc0010000
#define TD_AMD_OLD_CTR0		0xc0010004
#define TD_AMD_OLD_NR		4
#define TD_AMD_CTL0		0xc0010200	/* And each counter behind its own. */
#define TD_AMD_SPAN		16
/* All but reserved bits; 41:40 ask for hosts or guests only, and this is a host. */
#define TD_AMD_EVTSEL_BITS	0x30fffd7ffffull

static uint64_t td_gp_mask(const TdPmu *p)
{
	return (1ULL << p->preset->gp) - 1;
}

static uint64_t td_global_mask(const TdPmu *p)
{
	uint64_t mask = td_gp_mask(p) |
		((1ULL << p->preset->fixed) - 1) << TD_GLOBAL_FIXED;

	if (p->preset->metrics)
		mask |= 1ULL << TD_GLOBAL_METRICS;
	return mask;
}

/*
 * Where PERF_METRICS was read while it stood still, as before another user gets it: what was
 * behind it, so that a restore can be exact.  The latest with the same place wins.
 */
#define TD_SAVED_BITS	14

typedef struct TdSaved {
	uint64_t slots, metrics;
	td_u128 metric[TD_BD_CATEGORIES];
} TdSaved;

static TdSaved *td_saved_place(uint64_t slots)
{
	static TdSaved *saved;

	if (!saved)
		saved = g_new0(TdSaved, 1 << TD_SAVED_BITS);
	return &saved[slots * 0x9e3779b97f4a7c15ull >> (64 - TD_SAVED_BITS)];
}

static void td_save(const TdPmu *p, uint64_t metrics)
{
	uint64_t slots = p->fixed[TD_FIXED_SLOTS].value;
	TdSaved *saved;

	if (!slots || td_global(p, TD_GLOBAL_FIXED + TD_FIXED_SLOTS))
		return;
	saved = td_saved_place(slots);
	saved->slots = slots;
	saved->metrics = metrics;
	memcpy(saved->metric, p->metric, sizeof(saved->metric));
}

static bool td_restored(TdPmu *p, uint64_t metrics)
{
	uint64_t slots = p->fixed[TD_FIXED_SLOTS].value;
	const TdSaved *saved = td_saved_place(slots);

	if (!slots || saved->slots != slots || saved->metrics != metrics)
		return false;
	memcpy(p->metric, saved->metric, sizeof(saved->metric));
	return true;
}

static uint64_t td_quantise(td_u128 micro, uint64_t slots, bool round)
{
	td_u128 whole = (td_u128)slots * TD_MICRO;
	td_u128 byte;

	if (!whole)
		return 0;
	byte = (micro * 0xff + (round ? whole / 2 : 0)) / whole;
	return MIN(byte, 0xff);
}

static uint64_t td_bytes(const TdPmu *p)
{
	uint64_t slots = p->fixed[TD_FIXED_SLOTS].value;
	enum td_bd_quant quant = qatomic_read(&td_quant);
	uint64_t value = 0, byte, others = 0;
	unsigned int i;

	for (i = 0; i < p->preset->metrics; i++) {
		if (quant == TD_BD_QUANT_REST && i == TD_BD_BAD_SPEC)
			continue;
		byte = td_quantise(p->metric[i], slots, quant == TD_BD_QUANT_ROUND);
		if (i <= TD_BD_BE_BOUND)
			others += byte;
		value |= byte << (8 * i);
	}
	/* Without a category in any slot there is nothing to leave a rest of. */
	if (quant == TD_BD_QUANT_REST && slots && others < 0xff &&
	    (others || p->metric[TD_BD_BAD_SPEC]))
		value |= (0xff - others) << (8 * TD_BD_BAD_SPEC);
	return value;
}

static uint64_t td_faulty(const TdPmu *p, uint64_t value)
{
	uint64_t frontend = 0xffull << (8 * TD_BD_FE_BOUND), part = 0;
	unsigned int i;

	switch (qatomic_read(&td_fault)) {
	case TD_BD_FAULT_DEAD:
		return value & ~frontend;
	case TD_BD_FAULT_STUCK:
		return (value & ~frontend) | 40ull << (8 * TD_BD_FE_BOUND);
	case TD_BD_FAULT_SUM:
		for (i = 0; i < p->preset->metrics; i++)
			part |= (value >> (8 * i) & 0xff) * 9 / 10 << (8 * i);
		return part;
	case TD_BD_FAULT_LATE:
		return p->last < p->late ? 0 : value;
	default:
		return value;
	}
}

static uint64_t td_read_metrics(TdPmu *p)
{
	uint64_t value;

	/* A hypervisor that does not have them lets software read nothing. */
	if (qatomic_read(&td_filter))
		return 0;
	value = td_faulty(p, td_bytes(p));
	td_save(p, value);
	return value;
}

static bool td_write_metrics(TdPmu *p, uint64_t value)
{
	uint64_t slots = p->fixed[TD_FIXED_SLOTS].value;
	unsigned int i;

	if (p->preset->metrics < 8 && value >> (8 * p->preset->metrics))
		return false;
	if (value && qatomic_read(&td_fault) == TD_BD_FAULT_STALE)
		return true;
	if (!value)
		p->late = p->last + TD_BD_LATE_NS;
	if (qatomic_read(&td_restore) == TD_BD_RESTORE_EXACT && td_restored(p, value))
		return true;
	/* Rounded up, so that the bytes read back as they were written. */
	for (i = 0; i < TD_BD_CATEGORIES; i++)
		p->metric[i] = ((td_u128)slots * TD_MICRO *
				(value >> (8 * i) & 0xff) + 0xfe) / 0xff;
	return true;
}

/* TOPDOWN_PMU_QUANT and TOPDOWN_PMU_RESTORE: what the machine has from the beginning. */
bool td_metrics_load(Error **errp)
{
	static const char *const quants[] = { "truncate", "round", "rest" };
	static const char *const restores[] = { "bytes", "exact" };
	const char *quant = getenv("TOPDOWN_PMU_QUANT"), *restore = getenv("TOPDOWN_PMU_RESTORE");
	unsigned int i, j;

	for (i = 0; quant && i < TD_BD_QUANTS && strcmp(quant, quants[i]); i++)
		;
	for (j = 0; restore && j < TD_BD_RESTORES && strcmp(restore, restores[j]); j++)
		;
	if (i == TD_BD_QUANTS) {
		error_setg(errp, "TOPDOWN_PMU_QUANT: '%s' is none of truncate, round and rest",
			   quant);
		return false;
	}
	if (j == TD_BD_RESTORES) {
		error_setg(errp, "TOPDOWN_PMU_RESTORE: '%s' is neither bytes nor exact", restore);
		return false;
	}
	td_quant = quant ? i : TD_BD_QUANT_REST;
	td_restore = j;
	return true;
}

static uint64_t td_in_use(const TdPmu *p)
{
	uint64_t value = 0;
	unsigned int n;

	for (n = 0; n < p->preset->gp; n++)
		if (p->evtsel[n] & 0xff)
			value |= 1ULL << n;
	for (n = 0; n < p->preset->fixed; n++)
		if (td_fixed_field(p, n) & (TD_FIXED_OS | TD_FIXED_USR))
			value |= 1ULL << (TD_GLOBAL_FIXED + n);
	return value;
}

static void td_set_counter(TdCounter *c, uint64_t value)
{
	c->value = value;
	c->micro = 0;
}

enum td_result { TD_NOT_OURS, TD_DONE, TD_FAULT };

static bool td_in_span(uint32_t msr, uint32_t first, uint32_t span)
{
	return msr >= first && msr < first + span;
}

static bool td_amd_is_ours(uint32_t msr)
{
	return td_in_span(msr, TD_AMD_STATUS, 4) ||
	       td_in_span(msr, TD_AMD_OLD_EVTSEL0, 2 * TD_AMD_OLD_NR) ||
	       td_in_span(msr, TD_AMD_CTL0, TD_AMD_SPAN);
}

static bool td_is_ours(const TdPmu *p, uint32_t msr)
{
	if (p->preset->amd)
		return td_amd_is_ours(msr) || td_ibs_is_ours(p, msr);
	return td_in_span(msr, TD_MSR_PMC0, TD_MSR_PMC_SPAN) ||
	       td_in_span(msr, TD_MSR_EVTSEL0, TD_MSR_PMC_SPAN) ||
	       td_in_span(msr, TD_MSR_FIXED0, TD_MSR_FIXED_SPAN) ||
	       td_in_span(msr, TD_MSR_A_PMC0, TD_MSR_PMC_SPAN) ||
	       td_in_span(msr, TD_MSR_FIXED_CTRL,
			  TD_MSR_INUSE + 1 - TD_MSR_FIXED_CTRL) ||
	       msr == TD_MSR_METRICS || msr == TD_MSR_CAPABILITIES ||
	       msr == TD_MSR_PEBS_ENABLE || td_pebs_is_ours(p, msr);
}

static uint64_t td_capabilities(const TdPreset *preset)
{
	uint64_t value = 0;

	if (!preset->narrow)
		value |= TD_CAP_FULL_WIDTH;
	if (preset->metrics)
		value |= TD_CAP_METRICS;
	if (preset->pebs)
		value |= TD_CAP_PEBS_TRAP | TD_CAP_PEBS_REGS | TD_CAP_PEBS_BASELINE |
			 preset->pebs << TD_CAP_PEBS_FORMAT;
	if (preset->timed)
		value |= TD_CAP_PEBS_TIMED;
	return value;
}

static enum td_result td_read(TdPmu *p, uint32_t msr, uint64_t *value)
{
	unsigned int gp = p->preset->gp;

	if (!p->preset->version)
		return TD_FAULT;
	if (td_in_span(msr, TD_MSR_PMC0, gp))
		*value = p->gp[msr - TD_MSR_PMC0].value;
	else if (td_in_span(msr, TD_MSR_A_PMC0, gp) && !p->preset->narrow)
		*value = p->gp[msr - TD_MSR_A_PMC0].value;
	else if (td_in_span(msr, TD_MSR_EVTSEL0, gp))
		*value = p->evtsel[msr - TD_MSR_EVTSEL0];
	else if (td_in_span(msr, TD_MSR_FIXED0, p->preset->fixed))
		*value = p->fixed[msr - TD_MSR_FIXED0].value;
	else if (msr == TD_MSR_METRICS && p->preset->metrics)
		*value = td_read_metrics(p);
	else if (msr == TD_MSR_CAPABILITIES && !p->preset->guest)
		*value = td_capabilities(p->preset);
	else if (msr == TD_MSR_FIXED_CTRL)
		*value = p->fixed_ctrl;
	else if (msr == TD_MSR_STATUS)
		*value = p->global_status;
	else if (msr == TD_MSR_GLOBAL_CTRL)
		*value = p->global_ctrl;
	else if (msr == TD_MSR_STATUS_RESET)
		*value = 0;
	else if (msr == TD_MSR_STATUS_SET && p->preset->version > 3)
		*value = 0;
	else if (msr == TD_MSR_INUSE && p->preset->version > 3)
		*value = td_in_use(p);
	else if (!td_pebs_is_ours(p, msr) || !td_pebs_read(p, msr, value))
		return TD_FAULT;
	return TD_DONE;
}

static bool td_write_fixed_ctrl(TdPmu *p, uint64_t value)
{
	uint64_t field = p->preset->any ? 0xf : 0xf & ~TD_FIXED_ANY;
	uint64_t valid = 0;
	unsigned int n;

	if (p->preset->pebs)
		field |= TD_FIXED_ADAPTIVE;
	for (n = 0; n < p->preset->fixed; n++)
		valid |= field << (4 * n);
	if (value & ~valid)
		return false;
	p->fixed_ctrl = value;
	return true;
}

static bool td_write_counter(TdCounter *c, uint64_t value)
{
	if (value & ~TD_COUNTER_MASK)
		return false;
	td_set_counter(c, value);
	return true;
}

static bool td_write_global(TdPmu *p, uint32_t msr, uint64_t value)
{
	uint64_t valid = td_global_mask(p);

	switch (msr) {
	case TD_MSR_GLOBAL_CTRL:
		if (value & ~valid)
			return false;
		p->global_ctrl = value;
		return true;
	case TD_MSR_STATUS_RESET:
		if (value & ~(valid | TD_STATUS_OTHER))
			return false;
		p->global_status &= ~value;
		return true;
	case TD_MSR_STATUS_SET:
		if (p->preset->pebs)
			valid |= 1ULL << TD_GLOBAL_BUFFER;
		if (p->preset->version < 4 || value & ~valid)
			return false;
		p->global_status |= value;
		return true;
	default:
		return false;
	}
}

static bool td_write(TdPmu *p, uint32_t msr, uint64_t value)
{
	unsigned int gp = p->preset->gp;

	if (!p->preset->version)
		return false;
	if (td_in_span(msr, TD_MSR_PMC0, gp)) {
		/* The old number takes 32 bits, and extends their sign. */
		td_set_counter(&p->gp[msr - TD_MSR_PMC0],
			       (uint64_t)(int64_t)(int32_t)value &
			       TD_COUNTER_MASK);
		return true;
	}
	if (td_in_span(msr, TD_MSR_A_PMC0, gp) && !p->preset->narrow)
		return td_write_counter(&p->gp[msr - TD_MSR_A_PMC0], value);
	if (td_in_span(msr, TD_MSR_FIXED0, p->preset->fixed))
		return td_write_counter(&p->fixed[msr - TD_MSR_FIXED0], value);
	if (td_in_span(msr, TD_MSR_EVTSEL0, gp)) {
		uint64_t high = value >> 32 << 32;

		if (p->preset->pebs)
			high &= ~TD_EVTSEL_ADAPTIVE;
		if (high || (value & TD_EVTSEL_ANY && !p->preset->any))
			return false;
		p->evtsel[msr - TD_MSR_EVTSEL0] = value;
		return true;
	}
	if (msr == TD_MSR_METRICS && p->preset->metrics)
		return td_write_metrics(p, value);
	if (msr == TD_MSR_FIXED_CTRL)
		return td_write_fixed_ctrl(p, value);
	if (td_pebs_is_ours(p, msr))
		return td_pebs_write(p, msr, value);
	return td_write_global(p, msr, value);
}

/*
 * Which counter a register of AMD's belongs to, and whether it is the selection;
 * false if there is no such register.
 */
static bool td_amd_counter(const TdPmu *p, uint32_t msr, unsigned int *n,
			   bool *select)
{
	if (td_in_span(msr, TD_AMD_OLD_EVTSEL0, 2 * TD_AMD_OLD_NR)) {
		*n = (msr - TD_AMD_OLD_EVTSEL0) % TD_AMD_OLD_NR;
		*select = msr < TD_AMD_OLD_CTR0;
	} else if (td_in_span(msr, TD_AMD_CTL0, 2 * p->preset->gp)) {
		*n = (msr - TD_AMD_CTL0) / 2;
		*select = !((msr - TD_AMD_CTL0) & 1);
	} else {
		return false;
	}
	return true;
}

static enum td_result td_amd_read(TdPmu *p, uint32_t msr, uint64_t *value)
{
	unsigned int n;
	bool select;

	if (td_amd_counter(p, msr, &n, &select))
		*value = select ? p->evtsel[n] : p->gp[n].value;
	else if (msr == TD_AMD_STATUS)
		*value = p->global_status;
	else if (msr == TD_AMD_GLOBAL_CTRL)
		*value = p->global_ctrl;
	else if (msr == TD_AMD_STATUS_RESET || msr == TD_AMD_STATUS_SET)
		*value = 0;
	else if (!td_ibs_is_ours(p, msr) || !td_ibs_read(p, msr, value))
		return TD_FAULT;
	return TD_DONE;
}

static bool td_amd_write(TdPmu *p, uint32_t msr, uint64_t value)
{
	unsigned int n;
	bool select;

	if (td_amd_counter(p, msr, &n, &select)) {
		if (select && value & ~TD_AMD_EVTSEL_BITS)
			return false;
		if (select)
			p->evtsel[n] = value;
		else
			td_set_counter(&p->gp[n], value & TD_COUNTER_MASK);
		return true;
	}
	if (td_ibs_is_ours(p, msr))
		return td_ibs_write(p, msr, value);
	switch (msr) {
	case TD_AMD_GLOBAL_CTRL:
		if (value & ~td_gp_mask(p))
			return false;
		p->global_ctrl = value;
		return true;
	case TD_AMD_STATUS_RESET:
		p->global_status &= ~value;
		return true;
	case TD_AMD_STATUS_SET:
		p->global_status |= value & td_gp_mask(p);
		return true;
	default:
		return false;
	}
}

/* 0: not a PMU register; 1: done; -1: general protection fault. */
int td_pmu_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *value)
{
	TdPmu *p = env_archcpu(env)->td_pmu;
	enum td_result result;

	if (!p || !td_is_ours(p, msr))
		return 0;
	td_lock_and_sync(p);
	td_assist(p);
	result = p->preset->amd ? td_amd_read(p, msr, value) :
		 td_read(p, msr, value);
	if (result == TD_DONE)
		p->rdmsr++;
	td_unlock(p);
	return result == TD_DONE ? 1 : -1;
}

int td_pmu_wrmsr(CPUX86State *env, uint32_t msr, uint64_t value)
{
	TdPmu *p = env_archcpu(env)->td_pmu;
	bool done;

	if (!p || !td_is_ours(p, msr))
		return 0;
	td_lock_and_sync(p);
	td_assist(p);
	done = p->preset->amd ? td_amd_write(p, msr, value) :
	       td_write(p, msr, value);
	if (done)
		p->wrmsr++;
	td_unlock(p);
	return done ? 1 : -1;
}

/* False: general protection fault.  The caller has tested CR4.PCE. */
bool td_pmu_rdpmc(CPUX86State *env, uint32_t index, uint64_t *value)
{
	TdPmu *p = env_archcpu(env)->td_pmu;
	bool found = true;

	if (!p || !p->preset->version)
		return false;
	td_lock_and_sync(p);
	td_assist(p);
	if (index < p->preset->gp)
		*value = p->gp[index].value;
	else if (td_in_span(index, TD_RDPMC_FIXED, p->preset->fixed))
		*value = p->fixed[index - TD_RDPMC_FIXED].value;
	else if (index == TD_RDPMC_METRICS && p->preset->metrics)
		*value = td_read_metrics(p);
	else
		found = false;
	if (found)
		p->rdpmc++;
	td_unlock(p);
	if (found && qatomic_read(&td_fault) == TD_BD_FAULT_SLOW)
		g_usleep(TD_BD_SLOW_US);
	return found;
}
