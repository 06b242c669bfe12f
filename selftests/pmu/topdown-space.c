// SPDX-License-Identifier: GPL-2.0
/*
 * Address spaces of the emulated PMU: which profile each executes, what it has
 * really executed, and the back door by which guest programs set the one and
 * read the other.
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "exec/address-spaces.h"
#include "exec/cpu_ldst.h"
#include "exec/exec-all.h"
#include "sysemu/cpu-timers.h"
#include "topdown-pmu.h"

#define TD_CR3_FRAME	0x000ffffffffff000ULL
#define TD_CR3_PTI	0x1000ULL	/* The user half of a KPTI pair. */
#define TD_USER_ENTRIES	256		/* Of a top table, for user addresses. */

static GHashTable *td_spaces;
static GPtrArray *td_profiled;		/* Those of them with a profile. */

/*
 * With page table isolation a process has two top tables, 4 KiB apart, and is
 * one address space.  Without it two processes may own such neighbours.  With
 * isolation CPL 3 never runs on the even page, so it is taken to be in force
 * until CPL 3 is seen there.
 */
static bool td_fold = true;

static struct td_bd_profile td_default = {
	.fraction = {
		[TD_BD_RETIRING] = 300000,
		[TD_BD_BAD_SPEC] = 100000,
		[TD_BD_FE_BOUND] = 200000,
		[TD_BD_BE_BOUND] = 400000,
		[TD_BD_HEAVY_OPS] = 50000,
		[TD_BD_BR_MISPREDICT] = 80000,
		[TD_BD_FETCH_LAT] = 120000,
		[TD_BD_MEM_BOUND] = 250000,
	},
};

void td_truth_add(TdTruth *t, const struct td_bd_profile *f, uint64_t slots,
		  bool user)
{
	int i;

	t->slots += slots;
	for (i = 0; i < TD_BD_CATEGORIES; i++)
		t->category[i] += slots * f->fraction[i];
	if (!user)
		return;
	t->user_slots += slots;
	for (i = 0; i < TD_BD_CATEGORIES; i++)
		t->user_category[i] += slots * f->fraction[i];
}

const struct td_bd_profile *td_profile_of(const TdSpace *s)
{
	return s->has_profile ? &s->profile : &td_default;
}

/* The top table in host memory, so that looking at it needs no lock. */
static uint64_t *td_space_table(TdPmu *p, uint64_t frame)
{
	CPUX86State *env = &p->cpu->env;
	MemoryRegionSection section;
	uint64_t *table = NULL;

	if (!(env->cr[0] & CR0_PG_MASK) || !(env->efer & MSR_EFER_LMA))
		return NULL;
	section = memory_region_find(get_system_memory(), frame, 4096);
	if (!section.mr)
		return NULL;
	if (memory_region_is_ram(section.mr) &&
	    int128_get64(section.size) == 4096)
		table = memory_region_get_ram_ptr(section.mr) +
			section.offset_within_region;
	memory_region_unref(section.mr);
	return table;
}

/*
 * An address space ends without a word, and the page of its top table may soon
 * be another's, who must not get its profile.  Two things tell: a guest empties
 * the user half of the table before it frees the page; and one entry, which
 * leads to the stack of the first thread, stays as it is for life.
 */
static bool td_space_dead(const TdSpace *s)
{
	int i;

	if (s->loaded || !s->table)
		return false;
	if (s->mark)
		return (qatomic_read(&s->table[s->mark_index]) & TD_CR3_FRAME) !=
		       s->mark;
	for (i = TD_USER_ENTRIES - 1; i >= 0; i--)
		if (qatomic_read(&s->table[i]))
			return false;
	return true;
}

static gboolean td_space_drop_dead(gpointer key, gpointer value, gpointer unused)
{
	TdSpace *s = value;

	return !s->has_profile && td_space_dead(s);
}

/*
 * Called whenever a ring or a table changes: before the page can be another's,
 * a guest has to come by here, be it only for the system call that allocates.
 */
static void td_space_bury(void)
{
	guint i;

	for (i = 0; td_profiled && i < td_profiled->len; i++) {
		TdSpace *s = g_ptr_array_index(td_profiled, i);

		if (!td_space_dead(s))
			continue;
		g_ptr_array_remove_index_fast(td_profiled, i--);
		g_hash_table_remove(td_spaces, &s->key);
	}
}

static void td_space_mark(TdSpace *s)
{
	int i;

	for (i = TD_USER_ENTRIES - 1; i >= 0 && s->table; i--) {
		s->mark = qatomic_read(&s->table[i]) & TD_CR3_FRAME;
		s->mark_index = i;
		if (s->mark)
			return;
	}
}

static void td_space_free(gpointer data)
{
	TdSpace *s = data;

	g_free(s->rates);
	td_latencies_free(s->latencies);
	g_free(s->ibs);
	g_free(s);
}

static TdSpace *td_space_get(TdPmu *p, uint64_t cr3)
{
	uint64_t raw = cr3 & TD_CR3_FRAME;
	uint64_t key = td_fold ? raw & ~TD_CR3_PTI : raw;
	TdSpace *s;

	if (!td_spaces)
		td_spaces = g_hash_table_new_full(g_int64_hash, g_int64_equal,
						  NULL, td_space_free);
	td_space_bury();
	s = g_hash_table_lookup(td_spaces, &key);
	if (!s) {
		g_hash_table_foreach_remove(td_spaces, td_space_drop_dead, NULL);
		s = g_new0(TdSpace, 1);
		s->key = key;
		s->table = td_space_table(p, key);
		g_hash_table_insert(td_spaces, &s->key, s);
	}
	s->raw = raw;
	return s;
}

/* CR3 was written, and time is accounted up to now. */
void td_space_load_locked(TdPmu *p, uint64_t cr3)
{
	TdSpace *old = p->space;
	uint64_t raw = cr3 & TD_CR3_FRAME;

	if (old && old->key == (td_fold ? raw & ~TD_CR3_PTI : raw)) {
		old->raw = raw;
		return;
	}
	if (old)
		old->loaded--;
	p->space = td_space_get(p, cr3);
	p->space->loaded++;
}

static gboolean td_space_steal(gpointer key, gpointer value, gpointer list)
{
	g_ptr_array_add(list, value);
	return true;
}

/* CPL 3 is entered: see td_fold and td_space_bury(). */
void td_space_user_locked(TdPmu *p, uint64_t cr3)
{
	g_autoptr(GPtrArray) all = NULL;
	guint i;

	td_space_bury();
	if (!td_fold || (cr3 & TD_CR3_PTI) || !td_spaces)
		return;
	td_fold = false;
	all = g_ptr_array_new();
	g_hash_table_foreach_steal(td_spaces, td_space_steal, all);
	for (i = 0; i < all->len; i++) {
		TdSpace *s = g_ptr_array_index(all, i);

		s->key = s->raw;
		s->table = td_space_table(p, s->key);
		if (s->has_profile)
			td_space_mark(s);
		g_hash_table_insert(td_spaces, &s->key, s);
	}
}

static bool td_profile_valid(const struct td_bd_profile *f)
{
	uint64_t sum = 0;
	int i;

	for (i = TD_BD_RETIRING; i <= TD_BD_BE_BOUND; i++) {
		if (f->fraction[TD_BD_HEAVY_OPS + i] > f->fraction[i])
			return false;
		sum += f->fraction[i];
	}
	return sum == TD_BD_FRACTION;
}

static void td_truth_out(struct td_bd_truth *out, const TdTruth *t)
{
	int i;

	out->slots = t->slots;
	out->user_slots = t->user_slots;
	out->stopped = t->stopped;
	out->held = t->held;
	for (i = 0; i < TD_BD_CATEGORIES; i++) {
		out->category[i] = t->category[i] / TD_MICRO;
		out->user_category[i] = t->user_category[i] / TD_MICRO;
	}
}

/* Account every vCPU up to now: a space may be running on several. */
static int64_t td_sync_all_locked(TdPmu *p)
{
	int64_t now = td_now_locked(p);
	int i;

	for (i = 0; i < TD_MAX_CPUS; i++)
		if (td_cpus[i])
			td_sync_locked(td_cpus[i], now);
	return now;
}

static void td_service_all(void)
{
	int i;

	for (i = 0; i < TD_MAX_CPUS; i++)
		if (td_cpus[i])
			td_service(td_cpus[i]);
}

static void td_space_add_profiled(TdSpace *s)
{
	if (!td_profiled)
		td_profiled = g_ptr_array_new();
	g_ptr_array_add(td_profiled, s);
	s->has_profile = true;
	td_space_mark(s);
}

static uint32_t td_set_profile(TdPmu *p, uint64_t arg,
			       const struct td_bd_profile *f, bool as_default)
{
	if (!td_profile_valid(f))
		return TD_BD_EINVAL;
	if (as_default ? arg != 0 : arg > TD_BD_CONTINUE)
		return TD_BD_EINVAL;

	qemu_mutex_lock(&td_lock);
	td_sync_all_locked(p);
	if (as_default) {
		td_default = *f;
	} else {
		p->space->profile = *f;
		if (!p->space->has_profile)
			td_space_add_profiled(p->space);
		if (arg == TD_BD_RESTART) {
			memset(&p->space->truth, 0, sizeof(p->space->truth));
			td_latencies_free(p->space->latencies);
			p->space->latencies = NULL;
			p->space->memories_nr = 0;
			g_clear_pointer(&p->space->ibs, g_free);
		}
	}
	qemu_mutex_unlock(&td_lock);

	/* The rates of some counters changed, and so their overflow times. */
	td_service_all();
	return TD_BD_OK;
}

/* A space with rates has a profile too, so that both last as long as it does. */
static void td_space_settle(TdSpace *s)
{
	if (s->has_profile)
		return;
	s->profile = td_default;
	td_space_add_profiled(s);
}

static uint32_t td_set_rate(TdPmu *p, const struct td_bd_rate *rate)
{
	TdSpace *s;
	bool valid;

	qemu_mutex_lock(&td_lock);
	td_sync_all_locked(p);
	s = p->space;
	td_space_settle(s);
	if (!s->rates)
		s->rates = g_new0(TdRates, 1);
	valid = td_rate_set(s->rates, rate);
	qemu_mutex_unlock(&td_lock);

	td_service_all();
	return valid ? TD_BD_OK : TD_BD_EINVAL;
}

static uint32_t td_set_memory(TdPmu *p, const struct td_bd_memory *memory)
{
	bool valid;

	qemu_mutex_lock(&td_lock);
	td_sync_all_locked(p);
	td_space_settle(p->space);
	valid = td_memory_set(p->space, memory);
	qemu_mutex_unlock(&td_lock);
	return valid ? TD_BD_OK : TD_BD_EINVAL;
}

static uint32_t td_set_ibs(TdPmu *p, const struct td_bd_ibs *kind)
{
	bool valid;

	if (!p->preset->ibs)
		return TD_BD_EINVAL;
	qemu_mutex_lock(&td_lock);
	td_sync_all_locked(p);
	td_space_settle(p->space);
	valid = td_ibs_set(p->space, kind);
	qemu_mutex_unlock(&td_lock);
	return valid ? TD_BD_OK : TD_BD_EINVAL;
}

static void td_forget_rates(TdPmu *p)
{
	qemu_mutex_lock(&td_lock);
	td_sync_all_locked(p);
	g_clear_pointer(&p->space->rates, g_free);
	p->space->memories_nr = 0;
	td_ibs_forget(p->space);
	qemu_mutex_unlock(&td_lock);
	td_service_all();
}

/* How the counters of all CPUs behave; those that interrupt may be due at other times. */
static uint32_t td_set_hypervisor(TdPmu *p, uint64_t request, uint64_t arg)
{
	uint64_t most = request == TD_BD_SET_FILTER ? 1 : TD_BD_GUEST_METRICS;

	if (arg > most || (request == TD_BD_SET_GUEST && td_executed))
		return TD_BD_EINVAL;
	qemu_mutex_lock(&td_lock);
	td_sync_all_locked(p);
	if (request == TD_BD_SET_FILTER)
		qatomic_set(&td_filter, arg == 1);
	else
		td_guest = arg;
	qemu_mutex_unlock(&td_lock);
	td_service_all();
	return TD_BD_OK;
}

static uint32_t td_get_truth(TdPmu *p, uint64_t request, uint64_t arg,
			     struct td_bd_truth *out)
{
	TdPmu *of = p;

	if (request == TD_BD_TRUTH_CPU) {
		if (arg >= TD_MAX_CPUS || !td_cpus[arg])
			return TD_BD_EINVAL;
		of = td_cpus[arg];
	}

	qemu_mutex_lock(&td_lock);
	out->time_ns = td_sync_all_locked(p);
	if (request == TD_BD_TRUTH_SPACE) {
		td_truth_out(out, &p->space->truth);
	} else {
		td_truth_out(out, &of->truth);
		out->rdmsr = of->rdmsr;
		out->wrmsr = of->wrmsr;
		out->rdpmc = of->rdpmc;
		out->pmi = of->pmi;
		out->wakeups = of->wakeups;
		if (icount_enabled())
			out->instructions = CPU(of->cpu)->td_executed -
					    of->cpu->env.td_not_retired;
	}
	qemu_mutex_unlock(&td_lock);
	return TD_BD_OK;
}

static uint32_t td_get_latency(TdPmu *p, uint64_t arg, struct td_bd_latency *data)
{
	TdPmu *of = p;

	if (arg != TD_BD_SPACE) {
		if (arg >= TD_MAX_CPUS || !td_cpus[arg])
			return TD_BD_EINVAL;
		of = td_cpus[arg];
	}
	if (!data->width)
		return TD_BD_EINVAL;

	qemu_mutex_lock(&td_lock);
	td_latency_query(arg == TD_BD_SPACE ? p->space->latencies : of->latencies, data);
	qemu_mutex_unlock(&td_lock);
	return TD_BD_OK;
}

static uint32_t td_get_ibs(TdPmu *p, uint64_t arg, struct td_bd_ibs_truth *data)
{
	const TdIbsTruth *truth = NULL;
	bool valid;

	if (!p->preset->ibs ||
	    (arg != TD_BD_SPACE && (arg >= TD_MAX_CPUS || !td_cpus[arg])))
		return TD_BD_EINVAL;
	qemu_mutex_lock(&td_lock);
	td_sync_all_locked(p);
	if (arg != TD_BD_SPACE)
		truth = &td_cpus[arg]->ibs_truth;
	else if (p->space->ibs)
		truth = &p->space->ibs->truth;
	valid = td_ibs_query(truth, data);
	qemu_mutex_unlock(&td_lock);
	return valid ? TD_BD_OK : TD_BD_EINVAL;
}

static void td_load(CPUX86State *env, void *to, size_t len, uintptr_t ra)
{
	uint32_t *word = to;
	size_t i;

	for (i = 0; i < len / sizeof(*word); i++)
		word[i] = cpu_ldl_data_ra(env, env->regs[R_EDI] + i * 4, ra);
}

static void td_store(CPUX86State *env, const void *from, size_t len,
		     uintptr_t ra)
{
	const uint64_t *word = from;
	size_t i;

	for (i = 0; i < len / sizeof(*word); i++)
		cpu_stq_data_ra(env, env->regs[R_EDI] + i * 8, word[i], ra);
}

/*
 * An IN from TD_BD_PORT.  The structure is accessed as a memory operand of the
 * instruction would be: a page that is not there, or is to be copied on write,
 * faults in the guest and the instruction starts again.
 */
bool td_pmu_in(CPUX86State *env, uint32_t port, uintptr_t ra, uint32_t *answer)
{
	TdPmu *p = env_archcpu(env)->td_pmu;
	uint64_t request = env->regs[R_EBX];
	uint64_t arg = env->regs[R_ECX];
	struct td_bd_profile profile;
	struct td_bd_rate rate;
	struct td_bd_memory memory;
	struct td_bd_truth truth = { 0 };
	struct td_bd_latency latency = { 0 };
	struct td_bd_ibs kind;
	struct td_bd_ibs_truth ibs = { 0 };

	if (!p || port != TD_BD_PORT ||
	    (uint32_t)env->regs[R_EAX] != TD_BD_MAGIC)
		return false;

	switch (request) {
	case TD_BD_PING:
		*answer = TD_BD_VERSION;
		break;
	case TD_BD_SET_PROFILE:
	case TD_BD_SET_DEFAULT:
		td_load(env, &profile, sizeof(profile), ra);
		*answer = td_set_profile(p, arg, &profile,
					 request == TD_BD_SET_DEFAULT);
		break;
	case TD_BD_SET_RATE:
		td_load(env, &rate, sizeof(rate), ra);
		*answer = arg ? TD_BD_EINVAL : td_set_rate(p, &rate);
		break;
	case TD_BD_SET_MEMORY:
		td_load(env, &memory, sizeof(memory), ra);
		*answer = arg ? TD_BD_EINVAL : td_set_memory(p, &memory);
		break;
	case TD_BD_FORGET_RATES:
		td_forget_rates(p);
		*answer = TD_BD_OK;
		break;
	case TD_BD_TRUTH_SPACE:
	case TD_BD_TRUTH_CPU:
		*answer = td_get_truth(p, request, arg, &truth);
		if (*answer == TD_BD_OK)
			td_store(env, &truth, sizeof(truth), ra);
		break;
	case TD_BD_LATENCY:
		td_load(env, &latency, offsetof(struct td_bd_latency, count), ra);
		*answer = td_get_latency(p, arg, &latency);
		if (*answer == TD_BD_OK)
			td_store(env, &latency, sizeof(latency), ra);
		break;
	case TD_BD_SET_IBS:
		td_load(env, &kind, sizeof(kind), ra);
		*answer = arg ? TD_BD_EINVAL : td_set_ibs(p, &kind);
		break;
	case TD_BD_IBS:
		td_load(env, &ibs, offsetof(struct td_bd_ibs_truth, count), ra);
		*answer = td_get_ibs(p, arg, &ibs);
		if (*answer == TD_BD_OK)
			td_store(env, &ibs, sizeof(ibs), ra);
		break;
	case TD_BD_SET_FILTER:
	case TD_BD_SET_GUEST:
		*answer = td_set_hypervisor(p, request, arg);
		break;
	case TD_BD_SET_QUANT:
		*answer = arg < TD_BD_QUANTS ? TD_BD_OK : TD_BD_EINVAL;
		if (arg < TD_BD_QUANTS)
			qatomic_set(&td_quant, arg);
		break;
	case TD_BD_SET_FAULT:
		*answer = arg < TD_BD_FAULTS ? TD_BD_OK : TD_BD_EINVAL;
		if (arg < TD_BD_FAULTS)
			qatomic_set(&td_fault, arg);
		break;
	case TD_BD_SET_RESTORE:
		*answer = arg < TD_BD_RESTORES ? TD_BD_OK : TD_BD_EINVAL;
		if (arg < TD_BD_RESTORES)
			qatomic_set(&td_restore, arg);
		break;
	default:
		*answer = TD_BD_EINVAL;
		break;
	}
	return true;
}
