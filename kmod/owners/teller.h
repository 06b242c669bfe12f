/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_TELLER_H
#define TOPDOWN_TELLER_H

#include <linux/bits.h>
#include <linux/cgroup.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "compat.h"
#include "ledger.h"
#include "mark.h"
#include "reader.h"

/**
 * enum td_owners_kind - what owns the slots of a task
 * @TD_OWNERS_PROCESSES: its process
 * @TD_OWNERS_CGROUPS: its cgroup
 * @TD_OWNERS_KINDS: number of kinds
 */
enum td_owners_kind {
	TD_OWNERS_PROCESSES,
	TD_OWNERS_CGROUPS,
	TD_OWNERS_KINDS,
};

/**
 * struct td_whose - the owner of a task, to be compared while the task exists
 * @process: what all threads of its process share; NULL if processes are no owners
 * @cgroup: its cgroup at the level that is wanted; NULL if cgroups are no owners
 */
struct td_whose {
	const void *process;
	struct cgroup *cgroup;
};

/**
 * struct td_teller - notes what each owner has on one CPU; used there with interrupts off, except
 *	where said otherwise
 * @line: line of the owner that runs; NULL before the first switch
 * @whose: the owner
 * @since: the line has its time up to this td_ticks()
 * @reader: up to where the counts of the meter are in the sums
 * @span: the span of its counters then, in ticks
 * @scheme: of the meter
 * @linear: the sums of the meter, and those of the ledger, are linear, and points are cheap
 * @dear: points need tickets
 * @blind: stays since @read have ended without a reading
 * @read: the last reading before them, td_ticks()
 * @turning: somebody collects, who wants all until now
 * @ledger: ledger in which the CPU writes
 * @full: ledger that waits for its collection; set by the CPU, and cleared by whoever collects it
 * @spare: empty ledger; taken by the CPU, and set by whoever has collected it
 * @dirty: something was noted since the last turn; read from anywhere
 * @idle: the idle task runs; read from anywhere
 * @late: the CPU could not turn when it was asked to; read from anywhere
 * @poke: asks for a collection
 */
struct td_teller {
	struct td_line *line;
	struct td_whose whose;
	u64 since;
	struct td_reader reader;
	struct td_span span;
	struct td_scheme scheme;
	bool linear;
	bool dear;
	bool blind;
	u64 read;
	bool turning;

	struct td_ledger *ledger;
	struct td_ledger *full;
	struct td_ledger *spare;
	bool dirty;
	bool idle;
	bool late;
	struct irq_work poke;
};

DECLARE_PER_CPU(struct td_teller, td_tellers);

/* Which kinds of owners are wanted, bit n for kind n, and cgroups down to which level. */
extern unsigned int td_teller_kinds, td_teller_depth;

void td_teller_want(unsigned int kinds, unsigned int depth);
struct td_ledger **td_teller_ledgers(void);
void td_teller_ledgers_free(struct td_ledger **ledgers);
void td_teller_begin(struct td_ledger **ledgers, void (*poke)(struct irq_work *work));
void td_teller_end(void);

void td_teller_switch(struct td_teller *teller, struct task_struct *prev,
		      struct task_struct *next, struct td_whose whose);
void td_teller_update(struct td_teller *teller, struct task_struct *task, struct td_whose whose);
bool td_teller_stale(int cpu, void *unused);
bool td_teller_late(int cpu, void *unused);
void td_teller_turn_this(void *unused);
void td_teller_turn_quiet(void);
void td_teller_turn_offline(int cpu);
void td_teller_meter_begins(void);
void td_teller_meter_ends(void);
struct td_ledger *td_teller_full(int cpu);
void td_teller_collected(int cpu);

/* The process of a task.  The idle task of a CPU is alone in its own, which is never NULL. */
static __always_inline const void *td_whose_process(const struct task_struct *task,
						    unsigned int kinds)
{
	return kinds & BIT(TD_OWNERS_PROCESSES) || is_idle_task(task) ? task->signal : NULL;
}

static __always_inline struct cgroup *td_whose_cgroup(struct task_struct *task,
						      unsigned int kinds)
{
	unsigned int depth;
	struct cgroup *cgroup;

	if (!(kinds & BIT(TD_OWNERS_CGROUPS)) || is_idle_task(task))
		return NULL;
	/* Pairs with WRITE_ONCE() in td_teller_want(). */
	depth = READ_ONCE(td_teller_depth);
	cgroup = td_compat_cgroup(task);
	if (cgroup->level > depth)
		cgroup = cgroup_ancestor(cgroup, depth);
	return cgroup;
}

/**
 * td_whose() - whose is a task?
 * @task: task that runs on this CPU, or will next; interrupts off
 *
 * Return: its owner.
 */
static __always_inline struct td_whose td_whose(struct task_struct *task)
{
	/* Pairs with WRITE_ONCE() in td_teller_want(). */
	unsigned int kinds = READ_ONCE(td_teller_kinds);

	return (struct td_whose){ td_whose_process(task, kinds), td_whose_cgroup(task, kinds) };
}

/**
 * td_teller_same() - is this the owner that runs?
 * @teller: teller of this CPU; interrupts off
 * @whose: td_whose()
 *
 * Return: true or false.
 */
static __always_inline bool td_teller_same(const struct td_teller *teller, struct td_whose whose)
{
	return whose.process == teller->whose.process && whose.cgroup == teller->whose.cgroup;
}

#endif /* TOPDOWN_TELLER_H */
