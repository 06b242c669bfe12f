// SPDX-License-Identifier: GPL-2.0
/*
 * Tellers: each CPU has one, which notes what the owner that runs has used.
 *
 * When another owner gets the CPU, the teller reads the counters, and adds the difference to
 * the reading before to the line of the owner that leaves.  With PERF_METRICS that takes no
 * formula and no division: slots times byte is linear, so sums of it become nodes when they are
 * collected.  Other meters have a point for it, whose formula is not linear.
 *
 * A teller has two ledgers.  It writes into one, and turns to the other when that is full or when
 * somebody wants to collect it.  The ledgers change hands by one store with release and one load
 * with acquire.  If the collection is late, the owners that do not fit are "others".
 */
#include <linux/cgroup.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/limits.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "compat.h"
#include "ledger.h"
#include "meter.h"
#include "metrics.h"
#include "perfmetrics.h"
#include "point.h"
#include "reader.h"
#include "scope.h"
#include "teller.h"
#include "ticket.h"
#include "ticks.h"
#include "window.h"

/* td_reader.begun before the first reading. */
#define TD_TELLER_NEVER	U64_MAX

DEFINE_PER_CPU(struct td_teller, td_tellers);

unsigned int td_teller_kinds, td_teller_depth;

/**
 * td_teller_want() - choose the owners
 * @kinds: bit n for enum td_owners_kind n
 * @depth: deeper cgroups count at their ancestor of this level
 */
void td_teller_want(unsigned int kinds, unsigned int depth)
{
	/* Pair with READ_ONCE() where a CPU looks at a task. */
	WRITE_ONCE(td_teller_kinds, kinds);
	WRITE_ONCE(td_teller_depth, depth);
}

static void td_teller_learn(struct td_teller *teller, const struct td_collector *collector)
{
	const struct td_meter *meter = collector->meter;

	teller->scheme.linear = meter->linear;
	teller->scheme.level = meter->level;
	teller->scheme.nodes = meter->nodes;
	teller->scheme.source = meter->source;
	if (meter->linear)
		teller->scheme.quant = *td_perfmetrics_quant(meter);
}

/* Can the sums be added to the ledger without a question? */
static void td_teller_choose(struct td_teller *teller)
{
	teller->linear = teller->scheme.linear && teller->ledger->scheme.linear && !teller->dear;
}

/*
 * Another meter has begun, whose counts are all since then.  The first time, what it has counted
 * is nobody's.
 */
static noinline bool td_teller_meet(struct td_teller *teller, const struct td_collector *collector)
{
	bool first = teller->reader.begun == TD_TELLER_NEVER;

	td_reader_begin(&teller->reader, collector);
	teller->span = (struct td_span){ };
	td_teller_learn(teller, collector);
	if (!teller->ledger->scheme.level)
		teller->ledger->scheme = teller->scheme;
	/* Where points are dear, td_teller_note_any() asks for a ticket. */
	teller->dear = td_ticket_needed();
	td_teller_choose(teller);
	return first;
}

/* Nothing is read at the end of this stay: what it counts is for OTHERS, at the next reading. */
static void td_teller_pass(struct td_teller *teller, u64 then)
{
	if (!teller->blind)
		teller->read = then;
	teller->blind = true;
}

/* Read the counters.  @add is a constant; false: what they have is nobody's. */
static __always_inline void td_teller_read_linear(struct td_teller *teller,
						  struct td_collector *collector, u64 then,
						  u64 now, bool add,
						  struct topdown_sums *sums)
{
	const struct td_group *group = &collector->meter->group[0];
	u64 ran = td_span_take(group, &group->ticks, then, now, &teller->span);

	if (add)
		sums->running_ns += ran;
	td_reader_take(&teller->reader, collector, TD_PEEK_SLOTS, add, sums);
}

static void td_teller_read(struct td_teller *teller, struct td_collector *collector, u64 then,
			   u64 now, struct topdown_sums *sums)
{
	if (collector->meter->linear) {
		if (sums)
			td_teller_read_linear(teller, collector, then, now, true, sums);
		else
			td_teller_read_linear(teller, collector, then, now, false, NULL);
		return;
	}
	/* No NMI may fold before the sums are read. */
	td_window_hold(collector);
	td_window_point(collector);
	td_reader_total(&teller->reader, collector, sums);
	td_window_release(collector);
}

/* Note what the owner that runs has used, as td_teller_note() does, whatever there is to read. */
static noinline void td_teller_note_any(struct td_teller *teller, struct td_collector *collector,
					u64 then, u64 now)
{
	struct topdown_sums *sums = &teller->line->sums;
	bool drop = false;

	/* A suspend sets the TSC back, and ends all meters. */
	sums->enabled_ns += max_t(s64, now - then, 0);
	if (!collector->open)
		return;
	if (teller->reader.begun != collector->begun)
		drop = td_teller_meet(teller, collector);
	if (teller->dear && !drop && !teller->turning && !td_ticket_get(local_clock(), 1)) {
		td_teller_pass(teller, then);
		return;
	}
	if (teller->blind) {
		sums = &teller->ledger->line[0].sums;
		then = teller->read;
		teller->blind = false;
	}
	/* Counts that no CPU can have, and sums of another kind than those of the ledger. */
	drop |= collector->meter->linear != teller->ledger->scheme.linear;
	drop |= collector->meter->linear && collector->trust.doubt;
	td_teller_read(teller, collector, then, now, drop ? NULL : sums);
}

/* Is the meter the one of the last reading, and are its counts to be added to the line as sums? */
static __always_inline bool td_teller_goes_on(const struct td_teller *teller,
					      const struct td_collector *collector)
{
	return collector->open && teller->reader.begun == collector->begun && teller->linear &&
	       !collector->trust.doubt;
}

/* Note what the owner that runs has used until now. */
static void td_teller_note(struct td_teller *teller, u64 now)
{
	struct td_collector *collector = this_cpu_ptr(td_collectors);
	struct topdown_sums *sums = &teller->line->sums;
	u64 then = teller->since;

	lockdep_assert_irqs_disabled();
	teller->since = now;
	if (unlikely(!td_teller_goes_on(teller, collector))) {
		td_teller_note_any(teller, collector, then, now);
		return;
	}
	sums->enabled_ns += now - then;
	td_teller_read_linear(teller, collector, then, now, true, sums);
}

/* Turn to the spare ledger, if there is one.  The line of the owner that runs has to follow. */
static bool td_teller_turn(struct td_teller *teller, const struct td_collector *collector)
{
	/* Pairs with smp_store_release() in td_teller_collected(): the ledger is empty. */
	struct td_ledger *spare = smp_load_acquire(&teller->spare);

	if (!spare)
		return false;
	if (collector->open)
		td_teller_learn(teller, collector);
	if (teller->ledger->scheme.linear == teller->scheme.linear)
		teller->ledger->scheme = teller->scheme;
	spare->scheme = teller->scheme;
	WRITE_ONCE(teller->spare, NULL);
	/* All of it is written: pairs with smp_load_acquire() in td_teller_full(). */
	smp_store_release(&teller->full, teller->ledger);
	teller->ledger = spare;
	td_teller_choose(teller);
	WRITE_ONCE(teller->dirty, false);
	return true;
}

/* The first time that the owner runs since the ledger was empty, or others have its place. */
static noinline struct td_line *td_teller_search(struct td_teller *teller,
						 const struct td_key *key,
						 const struct task_struct *leader)
{
	struct td_line *line = td_ledger_find(teller->ledger, key, leader);

	if (!line && td_teller_turn(teller, this_cpu_ptr(td_collectors))) {
		irq_work_queue(&teller->poke);
		line = td_ledger_find(teller->ledger, key, leader);
	}
	return line ? line : teller->ledger->line;
}

static noinline void td_teller_enter_new(struct td_teller *teller, pid_t tgid, u64 start,
					 const struct task_struct *leader)
{
	struct td_key key = { .cgroup = teller->whose.cgroup, .start = start, .tgid = tgid };

	teller->line = td_teller_search(teller, &key, leader);
	/* Without a line there is no reference, and the next task tries again. */
	if (!teller->line->used)
		teller->whose.cgroup = NULL;
}

static __always_inline void td_teller_enter(struct td_teller *teller, struct task_struct *task,
					    struct td_whose whose)
{
	const struct task_struct *leader = NULL;
	bool idle = is_idle_task(task);
	struct td_line *line;
	pid_t tgid = 0;
	u64 start = 0;

	teller->whose = whose;
	WRITE_ONCE(teller->idle, idle);
	if (whose.process && !idle) {
		tgid = task->tgid;
		/* Until it is released, a task has a leader. */
		if (pid_alive(task)) {
			leader = task->group_leader;
			start = leader->start_boottime;
		}
	}
	line = td_ledger_guess(teller->ledger, whose.cgroup, tgid);
	if (likely(td_ledger_fits(line, whose.cgroup, tgid, start)))
		teller->line = line;
	else
		td_teller_enter_new(teller, tgid, start, leader);
}

/*
 * A process may have another name since it got the CPU.  Lines of cgroups are of no process, and so
 * is that of the idle task, whose name nobody reads.
 */
static void td_teller_rename(struct td_line *line, struct task_struct *task)
{
	if (thread_group_leader(task) && line->key.tgid == task->tgid)
		memcpy(line->name, task->comm, sizeof(line->name));
}

/* The first switch.  If no meter counts yet, all that the next one counts is somebody's. */
static noinline void td_teller_first(struct td_teller *teller, struct task_struct *task, u64 now)
{
	const struct td_collector *collector = this_cpu_ptr(td_collectors);

	teller->since = now;
	/* Nobody has had the counts until now, whatever meter begins next. */
	teller->reader.total = collector->total;
	teller->reader.begun = collector->open ? TD_TELLER_NEVER : collector->begun;
	teller->blind = false;
	td_teller_enter(teller, task, td_whose(task));
}

/**
 * td_teller_switch() - another owner gets this CPU
 * @teller: teller of this CPU, while the ledgers are there; interrupts off
 * @prev: the task that ran until now
 * @next: the task that runs from now on
 * @whose: td_whose() of @next
 */
void td_teller_switch(struct td_teller *teller, struct task_struct *prev,
		      struct task_struct *next, struct td_whose whose)
{
	u64 now;

	if (unlikely(!teller->line)) {
		/* The parameter cpus leaves this CPU out. */
		if (!teller->ledger)
			return;
		td_teller_first(teller, prev, td_ticks());
	}
	now = td_ticks();
	td_teller_note(teller, now);
	td_teller_rename(teller->line, prev);
	td_teller_enter(teller, next, whose);
	teller->line->switches++;
	WRITE_ONCE(teller->dirty, true);
}

/**
 * td_teller_update() - the line of the task that runs is to be up to date, or another one
 * @teller: as for td_teller_switch()
 * @task: the task that runs
 * @whose: td_whose() of @task
 */
void td_teller_update(struct td_teller *teller, struct task_struct *task, struct td_whose whose)
{
	td_teller_switch(teller, task, task, whose);
	/* Nobody has got the CPU.  A switch does not ask, because that is dear. */
	if (teller->line)
		teller->line->switches--;
}

/* May its ledger be turned from here?  A quiet CPU turns its own alone. */
static bool td_teller_reachable(int cpu)
{
	return td_scope_reachable(cpu, NULL) || (td_scope_has(cpu) && cpu == smp_processor_id());
}

/**
 * td_teller_stale() - is there anything new to be collected from a CPU?
 * @cpu: possible CPU
 * @unused: NULL; on_each_cpu_cond() takes this function
 *
 * Return: true or false; false for a CPU that may not be interrupted or is not measured.
 */
bool td_teller_stale(int cpu, void *unused)
{
	const struct td_teller *teller = per_cpu_ptr(&td_tellers, cpu);

	if (!td_teller_reachable(cpu))
		return false;
	/* Pair with WRITE_ONCE() on the CPU; what comes later is for the next collection. */
	return READ_ONCE(teller->dirty) || !READ_ONCE(teller->idle);
}

/**
 * td_teller_late() - has td_teller_turn_this() found no spare ledger on a CPU?
 * @cpu: possible CPU
 * @unused: NULL; on_each_cpu_cond() takes this function
 *
 * Return: true or false.
 */
bool td_teller_late(int cpu, void *unused)
{
	/* Pairs with WRITE_ONCE() in td_teller_turn_this(), which has returned. */
	return td_teller_reachable(cpu) && READ_ONCE(per_cpu_ptr(&td_tellers, cpu)->late);
}

/* Note what the task that runs has used until now.  It needs no ticket. */
static void td_teller_stay(struct td_teller *teller, struct td_whose whose)
{
	teller->turning = true;
	td_teller_update(teller, current, whose);
	teller->turning = false;
}

/**
 * td_teller_turn_this() - bring the ledger of this CPU up to date, and turn to the other
 * @unused: NULL
 *
 * On the CPU with interrupts off.
 */
void td_teller_turn_this(void *unused)
{
	struct td_teller *teller = this_cpu_ptr(&td_tellers);
	struct td_whose whose = td_whose(current);
	bool turned;

	td_teller_stay(teller, whose);
	turned = td_teller_turn(teller, this_cpu_ptr(td_collectors));
	/* Pairs with READ_ONCE() in td_teller_late(). */
	WRITE_ONCE(teller->late, !turned);
	if (turned)
		td_teller_enter(teller, current, whose);
}

/**
 * td_teller_turn_quiet() - do as td_teller_turn_this() does, if the last ledger was collected
 *
 * For a CPU that nobody interrupts to have it do so; there with interrupts off.
 */
void td_teller_turn_quiet(void)
{
	/* Pairs with smp_store_release() in td_teller_collected(). */
	if (smp_load_acquire(&this_cpu_ptr(&td_tellers)->spare))
		td_teller_turn_this(NULL);
}

/**
 * td_teller_turn_offline() - turn the ledger of a CPU that is offline, and stays so
 * @cpu: the CPU
 *
 * The next switch there begins as the first one.
 */
void td_teller_turn_offline(int cpu)
{
	struct td_teller *teller = per_cpu_ptr(&td_tellers, cpu);

	if (!teller->line || !td_teller_turn(teller, per_cpu_ptr(td_collectors, cpu)))
		return;
	teller->line = NULL;
	teller->whose = (struct td_whose){ };
}

/**
 * td_teller_meter_begins() - what this CPU counts from now on is for the owner that runs
 *
 * On the CPU with interrupts off.
 */
void td_teller_meter_begins(void)
{
	struct td_collector *collector = this_cpu_ptr(td_collectors);
	struct td_teller *teller = this_cpu_ptr(&td_tellers);
	u64 now = td_ticks();

	if (!teller->ledger)
		return;
	if (!teller->line)
		td_teller_first(teller, current, now);
	else
		/* Time without a meter passes, and counts nothing. */
		teller->line->sums.enabled_ns += max_t(s64, now - teller->since, 0);
	teller->since = now;
	teller->blind = false;
	td_teller_meet(teller, collector);
	td_teller_read(teller, collector, now, now, NULL);
}

/**
 * td_teller_meter_ends() - note what the owner that runs has used, while it can be read
 *
 * The next meter begins with nothing, so that would be nobody's.  On the CPU with interrupts off.
 */
void td_teller_meter_ends(void)
{
	struct td_teller *teller = this_cpu_ptr(&td_tellers);

	if (teller->line)
		td_teller_stay(teller, td_whose(current));
}

/**
 * td_teller_full() - the ledger of a CPU that waits for its collection
 * @cpu: possible CPU
 *
 * Return: the ledger, which nobody writes until td_teller_collected(); NULL for none.
 */
struct td_ledger *td_teller_full(int cpu)
{
	/* Pairs with smp_store_release() in td_teller_turn(). */
	return smp_load_acquire(&per_cpu_ptr(&td_tellers, cpu)->full);
}

/**
 * td_teller_collected() - give an empty ledger back to a CPU
 * @cpu: possible CPU, of which td_teller_full() gave the ledger
 */
void td_teller_collected(int cpu)
{
	struct td_teller *teller = per_cpu_ptr(&td_tellers, cpu);
	struct td_ledger *ledger = teller->full;

	td_ledger_clear(ledger);
	/* The CPU writes it only when it has taken the spare one. */
	WRITE_ONCE(teller->full, NULL);
	/* Pairs with smp_load_acquire() in td_teller_turn(). */
	smp_store_release(&teller->spare, ledger);
}

static void td_teller_free(int cpu)
{
	struct td_teller *teller = per_cpu_ptr(&td_tellers, cpu);
	struct td_ledger *ledgers[] = { teller->ledger, teller->full, teller->spare };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ledgers); i++) {
		if (ledgers[i])
			td_ledger_clear(ledgers[i]);
		kvfree(ledgers[i]);
	}
	memset(teller, 0, sizeof(*teller));
}

/**
 * td_teller_ledgers_free() - free ledgers that td_teller_begin() has not taken
 * @ledgers: of td_teller_ledgers(); may be NULL
 */
void td_teller_ledgers_free(struct td_ledger **ledgers)
{
	unsigned int i;

	if (!ledgers)
		return;
	for (i = 0; i < 2 * nr_cpu_ids; i++)
		kvfree(ledgers[i]);
	kvfree(ledgers);
}

/**
 * td_teller_ledgers() - two empty ledgers for each measured CPU
 *
 * They are charged to the caller's memory cgroup, which may make it wait, so no lock may be held.
 *
 * Return: the ledgers for td_teller_begin(), to be freed by td_teller_ledgers_free(); NULL without
 * memory.
 */
struct td_ledger **td_teller_ledgers(void)
{
	struct td_ledger **ledgers = kvcalloc(nr_cpu_ids, 2 * sizeof(*ledgers), GFP_KERNEL_ACCOUNT);
	unsigned int i;

	if (!ledgers)
		return NULL;
	for (i = 0; i < 2 * nr_cpu_ids; i++) {
		if (!cpu_possible(i / 2) || !td_scope_has(i / 2))
			continue;
		ledgers[i] = kvzalloc_node(sizeof(**ledgers), GFP_KERNEL_ACCOUNT,
					   cpu_to_node(i / 2));
		if (!ledgers[i]) {
			td_teller_ledgers_free(ledgers);
			return NULL;
		}
	}
	return ledgers;
}

/**
 * td_teller_begin() - give CPUs their ledgers, before the first switch is noted
 * @ledgers: of td_teller_ledgers(); written: NULL in place of those that were taken;
 *	CPUs that are not measured have none
 * @poke: irq_work that asks for a collection
 */
void td_teller_begin(struct td_ledger **ledgers, void (*poke)(struct irq_work *work))
{
	struct td_teller *teller;
	int cpu;

	for_each_possible_cpu(cpu) {
		teller = per_cpu_ptr(&td_tellers, cpu);
		memset(teller, 0, sizeof(*teller));
		teller->poke = IRQ_WORK_INIT_HARD(poke);
		swap(teller->ledger, ledgers[2 * cpu]);
		swap(teller->spare, ledgers[2 * cpu + 1]);
	}
}

/**
 * td_teller_end() - undo td_teller_begin(): no switch is noted any more
 */
void td_teller_end(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		irq_work_sync(&per_cpu_ptr(&td_tellers, cpu)->poke);
		td_teller_free(cpu);
	}
}
