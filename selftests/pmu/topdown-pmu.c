// SPDX-License-Identifier: GPL-2.0
/*
 * An Intel performance monitoring unit with PERF_METRICS, for QEMU's TCG.
 *
 * Counters advance with virtual time while their vCPU is not halted, at rates
 * that follow the profile of the address space that runs.  Nothing is counted
 * at the guest's instructions, but see topdown-executed.c: time is accounted lazily,
 * whenever something that changes a rate (ring, CR3, HLT, a register) or asks for
 * a value comes by.
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "cpu.h"
#include "hw/i386/apic.h"
#include "hw/i386/apic_internal.h"
#include "hw/boards.h"
#include "sysemu/cpu-timers.h"
#include "sysemu/reset.h"
#include "topdown-pmu.h"

/* At most this much is accounted in one step, to stay within 64 bits. */
#define TD_STEP_NS		1000000000ll
/* How soon to look again at a counter that stands still in this ring. */
#define TD_IDLE_NS		2000ll

QemuMutex td_lock;
TdPmu *td_cpus[TD_MAX_CPUS];
enum td_bd_quant td_quant = TD_BD_QUANT_REST;
enum td_bd_restore td_restore = TD_BD_RESTORE_BYTES;
enum td_bd_fault td_fault;
bool td_filter;
enum td_bd_guest td_guest;

static void __attribute__((constructor)) td_init(void)
{
	qemu_mutex_init(&td_lock);
}

/*
 * Under -icount the clock can only be read, and interrupts raised, where I/O is
 * allowed.  The hooks are placed so, but for a few ring changes that 64-bit
 * Linux does not use; their time goes to whatever is accounted next.
 */
static bool td_can_do_io(void)
{
	return !icount_enabled() || !current_cpu || !current_cpu->running ||
	       current_cpu->can_do_io;
}

int64_t td_now_locked(TdPmu *p)
{
	if (!td_can_do_io())
		return p->last;
	return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/* Enabling */

/* In a guest, as it were, at that time? */
bool td_stands(int64_t at)
{
	return td_guest != TD_BD_GUEST_NONE && at / TD_GUEST_NS % 2;
}

bool td_global(const TdPmu *p, int bit)
{
	return p->global_ctrl >> bit & 1;
}

unsigned int td_fixed_field(const TdPmu *p, int n)
{
	return p->fixed_ctrl >> (4 * n) & 0xf;
}

static bool td_gp_enabled(const TdPmu *p, int n)
{
	return td_global(p, n) && (p->evtsel[n] & TD_EVTSEL_EN);
}

/* In the time of the other thread only what asks for it counts. */
static bool td_gp_counts(const TdPmu *p, const TdPmu *of, int n)
{
	return td_gp_enabled(p, n) &&
	       (p->evtsel[n] & (of->cpl ? TD_EVTSEL_USR : TD_EVTSEL_OS)) &&
	       (p == of || (p->evtsel[n] & TD_EVTSEL_ANY));
}

static bool td_fixed_counts(const TdPmu *p, const TdPmu *of, int n)
{
	return td_global(p, TD_GLOBAL_FIXED + n) &&
	       (td_fixed_field(p, n) & (of->cpl ? TD_FIXED_USR : TD_FIXED_OS)) &&
	       (p == of || (td_fixed_field(p, n) & TD_FIXED_ANY));
}

/* Counting */

TdCounter *td_counter(TdPmu *p, int bit)
{
	unsigned int n = bit % TD_GLOBAL_FIXED;

	return bit / TD_GLOBAL_FIXED ? &p->fixed[n] : &p->gp[n];
}

static void td_overflow(TdPmu *p, int bit, bool interrupt)
{
	if (td_pebs_counts(p, bit)) {
		td_pebs_overflow(p, bit);
		return;
	}
	p->global_status |= 1ULL << bit;
	if (interrupt)
		p->pmi_pending = true;
}

static bool td_advance(TdCounter *c, TdRate rate, const TdStep *step)
{
	uint64_t sum = c->micro + rate.micro * step->of[rate.basis];

	c->micro = sum % TD_MICRO;
	c->value += sum / TD_MICRO;
	if (c->value <= TD_COUNTER_MASK)
		return false;
	c->value &= TD_COUNTER_MASK;
	return true;
}

static void td_advance_metrics(TdPmu *p, uint64_t slots)
{
	const struct td_bd_profile *f = td_profile_of(p->space);
	td_u128 full = (td_u128)TD_MICRO << TD_WIDTH_BITS;
	int i;

	for (i = 0; i < TD_BD_CATEGORIES; i++) {
		p->metric[i] += slots * f->fraction[i];
		if (p->metric[i] < full)
			continue;
		p->metric[i] -= full;
		td_overflow(p, TD_GLOBAL_METRICS, true);
	}
}

/* Nothing says whether these need the SLOTS counter's bit of GLOBAL_CTRL. */
static void td_count_standing(TdPmu *p, const TdPmu *of, uint64_t slots)
{
	unsigned int field = td_fixed_field(p, TD_FIXED_SLOTS);

	if (td_guest == TD_BD_GUEST_METRICS && td_global(p, TD_GLOBAL_METRICS) &&
	    field & (of->cpl ? TD_FIXED_USR : TD_FIXED_OS) && p == of)
		td_advance_metrics(p, slots);
}

static void td_count(TdPmu *p, const TdPmu *of, const TdStep *step, uint64_t slots)
{
	unsigned int n;

	if (!p->global_ctrl)
		return;
	for (n = 0; n < p->preset->gp; n++)
		if (td_gp_counts(p, of, n) &&
		    td_advance(&p->gp[n], td_gp_rate(p, of, n), step))
			td_overflow(p, n, p->evtsel[n] & TD_EVTSEL_INT);
	for (n = 0; n < p->preset->fixed; n++)
		if (td_fixed_counts(p, of, n) &&
		    td_advance(&p->fixed[n], td_fixed_rate(p, of, n), step))
			td_overflow(p, TD_GLOBAL_FIXED + n,
				    td_fixed_field(p, n) & TD_FIXED_PMI);
	if (td_global(p, TD_GLOBAL_METRICS) &&
	    td_fixed_counts(p, of, TD_FIXED_SLOTS))
		td_advance_metrics(p, slots);
}

/* From then on all is the same for so long. */
static uint64_t td_step(int64_t at, int64_t now)
{
	int64_t most = td_guest == TD_BD_GUEST_NONE ? TD_STEP_NS :
		       TD_GUEST_NS - at % TD_GUEST_NS;

	return MIN(now - at, most);
}

static void td_truth_step(TdPmu *p, uint64_t slots, bool stands)
{
	const struct td_bd_profile *profile = td_profile_of(p->space);

	td_truth_add(&p->truth, profile, slots, p->cpl == 3);
	td_truth_add(&p->space->truth, profile, slots, p->cpl == 3);
	if (!td_global(p, TD_GLOBAL_FIXED + TD_FIXED_SLOTS)) {
		p->truth.held += slots;
		p->space->truth.held += slots;
	}
	if (!stands)
		return;
	p->truth.stopped += slots;
	p->space->truth.stopped += slots;
}

bool td_runs(const TdPmu *p)
{
	return p && !p->halted && p->space;
}

/*
 * Account the time since the last call to the ring and space of that time.  A core
 * has one clock: what counts for both of its threads counts once where both run.
 */
void td_sync_locked(TdPmu *p, int64_t now)
{
	int64_t at = p->last;
	const TdPmu *of = td_runs(p) ? p : p->sibling;
	TdStep step = { 0 };

	if (at >= now)
		return;
	p->last = now;
	if (td_executed)
		td_executed_since(p, &step);
	if (!td_runs(of))
		return;

	while (at < now) {
		uint64_t ns = td_step(at, now);
		uint64_t slots = td_slots(p, ns);
		bool stands = td_stands(at);

		step.of[TD_BY_TIME] = ns;
		if (of == p)
			td_truth_step(p, slots, stands);
		if (stands)
			td_count_standing(p, of, slots);
		else
			td_count(p, of, &step, slots);
		if (p->preset->ibs && of == p)
			td_ibs_count(p, &step);
		step = (TdStep) { 0 };
		at += ns;
	}
}

/* Overflow times and interrupts */

static int64_t td_until(const TdPmu *p, const TdCounter *c, TdRate rate, bool counts)
{
	td_u128 left = (td_u128)(TD_COUNTER_MASK + 1 - c->value) * TD_MICRO -
		       c->micro;
	td_u128 ns;

	if (!rate.micro)
		return INT64_MAX;
	ns = td_least_ns(&rate, (left + rate.micro - 1) / rate.micro);
	if (ns > INT64_MAX / 2)
		return INT64_MAX;
	if ((!counts || td_stands(p->last)) && ns < TD_IDLE_NS)
		return p->last + TD_IDLE_NS;
	return p->last + (int64_t)ns;
}

/*
 * The earliest time at which a counter that interrupts or records can overflow, taking
 * each to run in every ring.  If it does not, the timer comes too early and is
 * set again.
 */
static int64_t td_deadline(const TdPmu *p)
{
	int64_t first = td_ibs_deadline(p);
	unsigned int n;

	if (!p->global_ctrl || p->halted || !p->space)
		return first;
	for (n = 0; n < p->preset->gp; n++) {
		if (!td_gp_enabled(p, n) ||
		    !(p->evtsel[n] & TD_EVTSEL_INT || td_pebs_counts(p, n)))
			continue;
		first = MIN(first, td_until(p, &p->gp[n], td_gp_rate(p, p, n),
					    td_gp_counts(p, p, n)));
	}
	for (n = 0; n < p->preset->fixed; n++) {
		if (!td_global(p, TD_GLOBAL_FIXED + n) ||
		    !(td_fixed_field(p, n) & TD_FIXED_PMI ||
		      td_pebs_counts(p, TD_GLOBAL_FIXED + n)) ||
		    !(td_fixed_field(p, n) & (TD_FIXED_OS | TD_FIXED_USR)))
			continue;
		first = MIN(first,
			    td_until(p, &p->fixed[n], td_fixed_rate(p, p, n),
				     td_fixed_counts(p, p, n)));
	}
	return first;
}

/* A timer that is set too early does no harm, and moving it costs. */
static bool td_wants_service(const TdPmu *p)
{
	return p->pmi_pending || p->ibs.interrupts || td_deadline(p) < p->armed;
}

/* AMD's local APIC does not mask the entry. */
static bool td_deliver(TdPmu *p)
{
	bool delivered = apic_deliver_pmi(p->cpu->apic_state);

	if (delivered && p->preset->amd)
		APIC_COMMON(p->cpu->apic_state)->lvt[APIC_LVT_PERFORM] &=
			~APIC_LVT_MASKED;
	return delivered;
}

static void td_service_locked(TdPmu *p)
{
	int64_t deadline;

	td_sync_locked(p, td_now_locked(p));
	td_ibs_deliver(p);
	if (p->pmi_pending) {
		bool delivered = p->global_status && td_deliver(p);

		p->pmi += delivered;
		/*
		 * The guest may have cleared the cause in the meantime.  If it has not, and
		 * the entry is masked, the interrupt waits.
		 */
		p->pmi_pending = p->global_status && !delivered;
	}
	deadline = td_deadline(p);
	if (deadline < p->armed) {
		p->armed = deadline;
		timer_mod(p->timer, deadline);
	}
}

/* Deliver and set the timer.  Lock order: the big lock, then td_lock. */
void td_service(TdPmu *p)
{
	bool had_big_lock = qemu_mutex_iothread_locked();

	if (!had_big_lock)
		qemu_mutex_lock_iothread();
	qemu_mutex_lock(&td_lock);
	td_service_locked(p);
	qemu_mutex_unlock(&td_lock);
	if (!had_big_lock)
		qemu_mutex_unlock_iothread();
}

static void td_timer(void *opaque)
{
	TdPmu *p = opaque;

	qemu_mutex_lock(&td_lock);
	p->armed = INT64_MAX;
	td_service_locked(p);
	qemu_mutex_unlock(&td_lock);
}

/* Every entry from a hook ends here, so that no overflow is left lying. */
void td_unlock(TdPmu *p)
{
	bool service = td_can_do_io() && td_wants_service(p);

	qemu_mutex_unlock(&td_lock);
	if (service)
		td_service(p);
}

/* The other thread counts in the time of this one, which is about to change. */
void td_lock_and_sync(TdPmu *p)
{
	int64_t now;

	qemu_mutex_lock(&td_lock);
	now = td_now_locked(p);
	if (p->sibling)
		td_sync_locked(p->sibling, now);
	td_sync_locked(p, now);
}

/* On the CPU's own thread: the records that it owes. */
void td_assist(TdPmu *p)
{
	td_pebs_assist(p);
	td_ibs_assist(p);
}

/* Hooks */

void td_pmu_ring(CPUX86State *env, unsigned int cpl)
{
	TdPmu *p = env_archcpu(env)->td_pmu;

	if (!p)
		return;
	td_lock_and_sync(p);
	/* A record of the old ring has to show it. */
	td_assist(p);
	p->cpl = cpl;
	if (cpl == 3)
		td_space_user_locked(p, env->cr[3]);
	td_unlock(p);
}

void td_pmu_cr3(CPUX86State *env)
{
	TdPmu *p = env_archcpu(env)->td_pmu;

	if (!p)
		return;
	td_lock_and_sync(p);
	td_space_load_locked(p, env->cr[3]);
	td_unlock(p);
}

/* LVT PC was written: an interrupt may have waited for that. */
void td_pmu_entry(CPUX86State *env)
{
	TdPmu *p = env_archcpu(env)->td_pmu;

	if (!p)
		return;
	qemu_mutex_lock(&td_lock);
	td_unlock(p);
}

void td_pmu_halt(CPUX86State *env)
{
	TdPmu *p = env_archcpu(env)->td_pmu;

	if (!p)
		return;
	td_lock_and_sync(p);
	p->halted = true;
	td_unlock(p);
}

/* The vCPU begins to run; it may have been halted. */
void td_pmu_run(CPUX86State *env)
{
	TdPmu *p = env_archcpu(env)->td_pmu;

	if (!p || !p->halted)
		return;
	td_lock_and_sync(p);
	p->halted = false;
	p->wakeups++;
	td_unlock(p);
}

/* Reset or INIT: the registers survive an INIT, running does not. */
void td_pmu_init(CPUX86State *env)
{
	TdPmu *p = env_archcpu(env)->td_pmu;

	if (!p)
		return;
	td_lock_and_sync(p);
	p->cpl = 0;
	p->halted = env_cpu(env)->halted;
	td_space_load_locked(p, env->cr[3]);
	qemu_mutex_unlock(&td_lock);
}

static void td_reset(void *opaque)
{
	TdPmu *p = opaque;

	td_lock_and_sync(p);
	memset(p->gp, 0, sizeof(p->gp));
	memset(p->fixed, 0, sizeof(p->fixed));
	memset(p->metric, 0, sizeof(p->metric));
	memset(p->evtsel, 0, sizeof(p->evtsel));
	p->fixed_ctrl = 0;
	p->global_ctrl = (1ULL << p->preset->gp) - 1;
	p->global_status = 0;
	p->pmi_pending = false;
	td_pebs_reset(p);
	td_ibs_reset(p);
	qemu_mutex_unlock(&td_lock);
}

bool td_pmu_realize(X86CPU *cpu, Error **errp)
{
	int index = CPU(cpu)->cpu_index;
	const TdPreset *preset;
	TdPmu *p;

	if (!cpu->td_model)
		return true;
	if (!td_rates_load(errp) || !td_latencies_load(errp) || !td_metrics_load(errp))
		return false;
	preset = td_preset_find(cpu->td_model);
	if (!preset) {
		error_setg(errp, "topdown-pmu '%s' is not known; machine.sh has those that are",
			   cpu->td_model);
		return false;
	}
	if (!td_executed_load(preset, errp))
		return false;
	if (index >= TD_MAX_CPUS) {
		error_setg(errp, "topdown-pmu is limited to %d CPUs",
			   TD_MAX_CPUS);
		return false;
	}

	p = g_new0(TdPmu, 1);
	p->cpu = cpu;
	p->preset = td_preset_of_cpu(preset, index);
	p->random = index + 1;
	p->armed = INT64_MAX;
	p->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, td_timer, p);
	td_cpus[index] = p;
	if ((preset->any || preset->shared) && current_machine->smp.threads == 2 && (index & 1)) {
		p->sibling = td_cpus[index - 1];
		p->sibling->sibling = p;
	}
	cpu->td_pmu = p;
	td_filter = preset->filter;
	td_guest = preset->half ? TD_BD_GUEST_ALL : TD_BD_GUEST_NONE;
	qemu_register_reset(td_reset, p);
	return true;
}
