// SPDX-License-Identifier: GPL-2.0
/*
 * Precise event-based sampling of the emulated PMU: adaptive records of format 4, which
 * the CPU writes into the guest's debug store area when a counter overflows.
 *
 * Time is accounted wherever a hook comes by, also from other threads of the emulator,
 * but a record shows the registers of its CPU.  So an overflow is only noted, and the
 * record is written by the CPU's own thread: at once where a hook knows the state
 * of the instruction, else when the piece of code that runs has ended.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/cpu-common.h"
#include "sysemu/cpu-timers.h"
#include "topdown-pmu.h"

#define TD_MSR_OFFCORE0		0x1a6
#define TD_MSR_MISC_ENABLE	0x1a0
#define TD_MSR_PEBS_ENABLE	0x3f1
#define TD_MSR_PEBS_DATA_CFG	0x3f2
#define TD_MSR_LOAD_LATENCY	0x3f6
#define TD_MSR_FRONTEND		0x3f7
#define TD_MSR_DS_AREA		0x600

/* There are no branch trace records.  PEBS has a bit like this one, which stays 0. */
#define TD_MISC_NO_BTS		(1u << 11)
#define TD_MISC_NO_PEBS		(1u << 12)

#define TD_CFG_MEMORY		(1u << 0)
#define TD_CFG_REGISTERS	(1u << 1)
#define TD_CFG_XMM		(1u << 2)
#define TD_CFG_BRANCHES		(1u << 3)
#define TD_CFG_ENTRIES		24		/* Of branches, less one. */
#define TD_CFG_VALID		(TD_CFG_MEMORY | TD_CFG_REGISTERS | TD_CFG_XMM | \
				 TD_CFG_BRANCHES | 0xffu << TD_CFG_ENTRIES)

#define TD_LOAD_LATENCY_BITS	0xffffu
#define TD_FRONTEND_VALID	(TD_FRONTEND_BITS >> TD_FRONTEND_SHIFT)

/* The debug store area, from what is about PEBS on. */
#define TD_DS_PEBS		0x20
#define TD_DS_INDEX		0x28
#define TD_DS_RESET		0x40
#define TD_DS_FIXED_RESET	(TD_DS_RESET + 8 * 8)

typedef struct TdBuffer {
	uint64_t base, index, maximum, threshold;
} TdBuffer;

/* In a record's first word. */
#define TD_RECORD_RETIRE	32
#define TD_RECORD_SIZE		48
#define TD_MEMORY_CACHE		32

#define TD_XMM_NR		16
/* Words of the groups. */
#define TD_BASIC_WORDS		4
#define TD_MEMORY_WORDS		4
#define TD_REGISTER_WORDS	18
#define TD_XMM_WORDS		(2 * TD_XMM_NR)
#define TD_BRANCH_WORDS		3		/* Each: from, to, and what it was. */
#define TD_RECORD_WORDS		(TD_BASIC_WORDS + TD_MEMORY_WORDS + TD_REGISTER_WORDS + \
				 TD_XMM_WORDS + 256 * TD_BRANCH_WORDS)

/* The order in which a record has the general registers. */
static const uint8_t td_registers[] = {
	R_EAX, R_ECX, R_EDX, R_EBX, R_ESP, R_EBP, R_ESI, R_EDI,
	R_R8, R_R9, R_R10, R_R11, R_R12, R_R13, R_R14, R_R15,
};

/* Registers */

bool td_pebs_is_ours(const TdPmu *p, uint32_t msr)
{
	if (!p->preset->pebs)
		return false;
	switch (msr) {
	case TD_MSR_OFFCORE0:
	case TD_MSR_OFFCORE0 + 1:
	case TD_MSR_MISC_ENABLE:
	case TD_MSR_PEBS_ENABLE:
	case TD_MSR_PEBS_DATA_CFG:
	case TD_MSR_LOAD_LATENCY:
	case TD_MSR_FRONTEND:
	case TD_MSR_DS_AREA:
		return true;
	default:
		return false;
	}
}

bool td_pebs_read(const TdPmu *p, uint32_t msr, uint64_t *value)
{
	switch (msr) {
	case TD_MSR_OFFCORE0:
	case TD_MSR_OFFCORE0 + 1:
		*value = p->offcore[msr - TD_MSR_OFFCORE0];
		return true;
	case TD_MSR_MISC_ENABLE:
		*value = p->cpu->env.msr_ia32_misc_enable | TD_MISC_NO_BTS;
		return true;
	case TD_MSR_PEBS_ENABLE:
		*value = p->pebs_enable;
		return true;
	case TD_MSR_PEBS_DATA_CFG:
		*value = p->pebs_data_cfg;
		return true;
	case TD_MSR_LOAD_LATENCY:
		*value = p->load_latency;
		return true;
	case TD_MSR_FRONTEND:
		*value = p->frontend;
		return true;
	case TD_MSR_DS_AREA:
		*value = p->ds_area;
		return true;
	default:
		return false;
	}
}

static bool td_set(uint64_t *to, uint64_t value, uint64_t valid)
{
	if (value & ~valid)
		return false;
	*to = value;
	return true;
}

static uint64_t td_pebs_counters(const TdPmu *p)
{
	return ((1ULL << p->preset->gp) - 1) |
	       ((1ULL << p->preset->fixed) - 1) << TD_GLOBAL_FIXED;
}

/* Of 48 bits, as the machines here have no larger addresses. */
static bool td_canonical(uint64_t address)
{
	return (uint64_t)((int64_t)(address << 16) >> 16) == address;
}

bool td_pebs_write(TdPmu *p, uint32_t msr, uint64_t value)
{
	switch (msr) {
	case TD_MSR_OFFCORE0:
	case TD_MSR_OFFCORE0 + 1:
		p->offcore[msr - TD_MSR_OFFCORE0] = value;
		return true;
	case TD_MSR_MISC_ENABLE:
		/* Both bits can only be read. */
		p->cpu->env.msr_ia32_misc_enable =
			value & ~(uint64_t)(TD_MISC_NO_BTS | TD_MISC_NO_PEBS);
		return true;
	case TD_MSR_PEBS_ENABLE:
		return td_set(&p->pebs_enable, value, td_pebs_counters(p));
	case TD_MSR_PEBS_DATA_CFG:
		return td_set(&p->pebs_data_cfg, value, TD_CFG_VALID);
	case TD_MSR_LOAD_LATENCY:
		return td_set(&p->load_latency, value, TD_LOAD_LATENCY_BITS);
	case TD_MSR_FRONTEND:
		return td_set(&p->frontend, value, TD_FRONTEND_VALID);
	case TD_MSR_DS_AREA:
		return td_canonical(value) && td_set(&p->ds_area, value, ~0ULL);
	default:
		return false;
	}
}

void td_pebs_reset(TdPmu *p)
{
	p->ds_area = 0;
	p->pebs_enable = 0;
	p->pebs_data_cfg = 0;
	p->load_latency = 0;
	p->frontend = 0;
	memset(p->offcore, 0, sizeof(p->offcore));
	p->pebs_due = 0;
}

/* Records */

/* Does that counter make records? */
bool td_pebs_counts(const TdPmu *p, int bit)
{
	return p->pebs_enable >> bit & 1;
}

/* Without its own bit a counter's records have the basic group alone. */
static uint32_t td_pebs_groups(const TdPmu *p, int bit)
{
	unsigned int n = bit % TD_GLOBAL_FIXED;
	bool adaptive = bit / TD_GLOBAL_FIXED ?
		p->fixed_ctrl & TD_FIXED_ADAPTIVE << (4 * n) :
		p->evtsel[n] & TD_EVTSEL_ADAPTIVE;

	return adaptive ? p->pebs_data_cfg : 0;
}

static bool td_guest_read(TdPmu *p, uint64_t address, void *to, size_t len)
{
	return !cpu_memory_rw_debug(CPU(p->cpu), address, to, len, false);
}

static bool td_guest_write(TdPmu *p, uint64_t address, const void *from, size_t len)
{
	return !cpu_memory_rw_debug(CPU(p->cpu), address, (void *)from, len, true);
}

/* Where the clock may not be looked at, that of the last look is as late as can be said. */
static uint64_t td_pebs_tsc(TdPmu *p)
{
	CPUX86State *env = &p->cpu->env;

	if (!icount_enabled())
		return cpu_get_tsc(env) + env->tsc_offset;
	return td_now_locked(p) + env->tsc_offset;
}

static unsigned int td_put_registers(CPUX86State *env, uint64_t *word)
{
	unsigned int n = 0, i;

	word[n++] = cpu_compute_eflags(env);
	word[n++] = env->eip;
	for (i = 0; i < ARRAY_SIZE(td_registers); i++)
		word[n++] = env->regs[td_registers[i]];
	return n;
}

static unsigned int td_put_xmm(CPUX86State *env, uint64_t *word)
{
	unsigned int n = 0, i;

	for (i = 0; i < TD_XMM_NR; i++) {
		word[n++] = env->xmm_regs[i].ZMM_Q(0);
		word[n++] = env->xmm_regs[i].ZMM_Q(1);
	}
	return n;
}

static unsigned int td_branch_words(uint32_t groups)
{
	return groups & TD_CFG_BRANCHES ?
		((groups >> TD_CFG_ENTRIES) + 1) * TD_BRANCH_WORDS : 0;
}

/* Nothing here can turn last branch records on, so each is as it was after reset. */
static unsigned int td_put_branches(uint32_t groups, uint64_t *word)
{
	unsigned int n = td_branch_words(groups);

	memset(word, 0, n * sizeof(*word));
	return n;
}

static unsigned int td_put_record(TdPmu *p, int bit, const TdSample *sample, uint64_t *word)
{
	uint32_t groups = td_pebs_groups(p, bit);
	CPUX86State *env = &p->cpu->env;
	unsigned int n = TD_BASIC_WORDS;

	word[1] = env->segs[R_CS].base + env->eip;
	word[2] = 1ULL << bit;
	word[3] = td_pebs_tsc(p);
	if (groups & TD_CFG_MEMORY) {
		word[n++] = sample->address;
		word[n++] = sample->source;
		word[n++] = sample->instruction |
			    (uint64_t)sample->cache << TD_MEMORY_CACHE;
		word[n++] = 0;		/* Transactions: none. */
	}
	if (groups & TD_CFG_REGISTERS)
		n += td_put_registers(env, word + n);
	if (groups & TD_CFG_XMM)
		n += td_put_xmm(env, word + n);
	n += td_put_branches(groups, word + n);
	word[0] = groups | (uint64_t)sample->retire << TD_RECORD_RETIRE |
		  (uint64_t)n * 8 << TD_RECORD_SIZE;
	return n;
}

static unsigned int td_record_size(const TdPmu *p, int bit)
{
	uint32_t groups = td_pebs_groups(p, bit);

	return 8 * (TD_BASIC_WORDS + (groups & TD_CFG_MEMORY ? TD_MEMORY_WORDS : 0) +
		    (groups & TD_CFG_REGISTERS ? TD_REGISTER_WORDS : 0) +
		    (groups & TD_CFG_XMM ? TD_XMM_WORDS : 0) + td_branch_words(groups));
}

/* The fixed counter of instructions records without the time since the last one. */
static bool td_pebs_timed(const TdPmu *p, int bit)
{
	return p->preset->timed && bit != TD_GLOBAL_FIXED;
}

/* False if there is no room, or no buffer. */
static bool td_pebs_write_record(TdPmu *p, int bit, uint64_t config, TdBuffer *buffer)
{
	uint64_t word[TD_RECORD_WORDS];
	TdSample sample;
	unsigned int n;

	if (buffer->index + td_record_size(p, bit) > buffer->maximum)
		return false;
	td_sample_draw(p, config, td_pebs_timed(p, bit), &sample);
	n = td_put_record(p, bit, &sample, word);
	if (!td_guest_write(p, buffer->index, word, n * 8))
		return false;
	buffer->index += n * 8;
	if (!td_guest_write(p, p->ds_area + TD_DS_INDEX, &buffer->index, 8))
		return false;
	td_sample_note(&p->latencies, config, &sample);
	td_sample_note(&p->space->latencies, config, &sample);
	return true;
}

static void td_pebs_record(TdPmu *p, int bit, uint64_t config)
{
	TdBuffer buffer;

	if (!td_guest_read(p, p->ds_area + TD_DS_PEBS, &buffer, sizeof(buffer)) ||
	    !td_pebs_write_record(p, bit, config, &buffer)) {
		td_sample_note(&p->latencies, config, NULL);
		td_sample_note(&p->space->latencies, config, NULL);
		return;
	}
	if (buffer.index < buffer.threshold)
		return;
	p->global_status |= 1ULL << TD_GLOBAL_BUFFER;
	p->pmi_pending = true;
}

static uint64_t td_pebs_reload(TdPmu *p, int bit)
{
	uint64_t at = p->ds_area + (bit < TD_GLOBAL_FIXED ? TD_DS_RESET + 8 * bit :
				    TD_DS_FIXED_RESET + 8 * (bit - TD_GLOBAL_FIXED));
	uint64_t value = 0;

	td_guest_read(p, at, &value, sizeof(value));
	return value & TD_COUNTER_MASK;
}

/* The counter went on from 0, and goes on from the reset value by as much. */
static void td_pebs_serve(TdPmu *p, int bit)
{
	uint64_t config = bit < TD_GLOBAL_FIXED ? td_selected(p, bit) :
			  td_fixed_event(bit - TD_GLOBAL_FIXED);
	uint64_t reload = td_pebs_reload(p, bit);
	TdCounter *c = td_counter(p, bit);

	do {
		td_pebs_record(p, bit, config);
		c->value += reload;
		if (c->value <= TD_COUNTER_MASK)
			return;
		c->value &= TD_COUNTER_MASK;
	} while (true);
}

/* On the CPU's own thread, with its registers as a guest would see them. */
void td_pebs_assist(TdPmu *p)
{
	while (p->pebs_due) {
		int bit = ctz64(p->pebs_due);

		p->pebs_due &= p->pebs_due - 1;
		if (p->space)
			td_pebs_serve(p, bit);
	}
}

static void td_pebs_work(CPUState *cs, run_on_cpu_data data)
{
	TdPmu *p = data.host_ptr;

	qemu_mutex_lock(&td_lock);
	p->pebs_called = false;
	td_pebs_assist(p);
	td_unlock(p);
}

void td_pebs_overflow(TdPmu *p, int bit)
{
	p->pebs_due |= 1ULL << bit;
	if (p->pebs_called)
		return;
	p->pebs_called = true;
	async_run_on_cpu(CPU(p->cpu), td_pebs_work, RUN_ON_CPU_HOST_PTR(p));
}
