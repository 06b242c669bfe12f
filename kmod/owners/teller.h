/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_TELLER_H
#define TOPDOWN_TELLER_H

#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "ledger.h"
#include "perfmetrics.h"

struct task_struct;

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
 * struct td_teller - notes what each owner has on one CPU; used there with interrupts off, except
 *	where said otherwise
 * @line: line of the owner that runs; NULL before the first switch
 * @process: the owner: td_teller_process(); only compared
 * @cgroup: and its cgroup; only compared
 * @since: the line has its time up to this local_clock()
 * @begun: td_collector.begun of the meter that @noted is of
 * @noted: what that meter had counted at that time
 * @total: the sums of the CPU at that time, if the meter is not linear
 * @scheme: of the meter
 * @ledger: ledger in which the CPU writes
 * @full: ledger that waits for its collection; set by the CPU, and cleared by whoever collects it
 * @spare: empty ledger; taken by the CPU, and set by whoever has collected it
 * @dirty: something was noted since the last turn; read from anywhere
 * @idle: the idle task runs; read from anywhere
 * @poke: asks for a collection
 */
struct td_teller {
	struct td_line *line;
	const void *process;
	const struct cgroup *cgroup;
	u64 since;
	u64 begun;
	struct td_peek noted;
	struct topdown_figures total;
	struct td_scheme scheme;

	struct td_ledger *ledger;
	struct td_ledger *full;
	struct td_ledger *spare;
	bool dirty;
	bool idle;
	struct irq_work poke;
};

DECLARE_PER_CPU(struct td_teller, td_tellers);

void td_teller_want(unsigned int kinds, unsigned int depth);
int td_teller_begin(void (*poke)(struct irq_work *work));
void td_teller_end(void);

void td_teller_switch(struct td_teller *teller, struct task_struct *prev,
		      struct task_struct *next);
bool td_teller_same(const struct td_teller *teller, struct task_struct *task);
bool td_teller_stale(int cpu, void *unused);
void td_teller_turn_this(void *unused);
void td_teller_turn_offline(int cpu);
struct td_ledger *td_teller_full(int cpu);
void td_teller_collected(int cpu);

#endif /* TOPDOWN_TELLER_H */
