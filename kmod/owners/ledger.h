/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_LEDGER_H
#define TOPDOWN_LEDGER_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "metrics.h"

struct cgroup;

/*
 * Owners of a ledger, so that it is less than 32 kB, and places for the numbers of their lines:
 * many, so that few share one.
 */
#define TD_LEDGER_OWNERS	88
#define TD_LEDGER_BITS		9
#define TD_LEDGER_PLACES	BIT(TD_LEDGER_BITS)

/**
 * struct td_key - an owner, as a CPU tells it from others
 * @cgroup: the cgroup; NULL if these are no owners, and for the idle task
 * @start: when the process started; 0 if not known
 * @tgid: the process; 0 if these are no owners, and for the idle task
 */
struct td_key {
	struct cgroup *cgroup;
	u64 start;
	pid_t tgid;
};

/**
 * struct td_line - the sums of an owner
 * @key: the owner; a line in use has a reference to the cgroup
 * @used: the line is in use
 * @name: name of the process
 * @switches: how often the owner got the CPU
 * @sums: its sums.  The time is in ticks.  If the meter is linear, so is the running time, and
 *	the first nodes are steps of the metrics
 */
struct td_line {
	struct td_key key;
	bool used;
	char name[TASK_COMM_LEN];
	u64 switches;
	struct topdown_sums sums;
};

/**
 * struct td_scheme - how the sums of a ledger become slots
 * @linear: the metrics are in steps
 * @quant: how the CPU makes its bytes
 * @level: level of the meter; 0 if there was none
 * @nodes: its nodes
 * @source: enum topdown_source
 */
struct td_scheme {
	bool linear;
	struct td_quant quant;
	unsigned int level;
	u64 nodes;
	unsigned int source;
};

/**
 * struct td_ledger - sums of the owners that a CPU ran since the ledger was cleared
 * @used: number of lines in use, from line 1 on
 * @scheme: how to read them
 * @place: by a hash of the owners, the numbers of their lines; 0 for none
 * @line: line 0 has the sums of owners that did not fit, and is not "in use"
 */
struct td_ledger {
	/* Written by the CPU with interrupts off, until a spare ledger takes its place. */
	unsigned int used;
	struct td_scheme scheme;
	u8 place[TD_LEDGER_PLACES];
	struct td_line line[1 + TD_LEDGER_OWNERS];
};

struct td_line *td_ledger_find(struct td_ledger *ledger, const struct td_key *key,
			       const struct task_struct *leader);
void td_ledger_clear(struct td_ledger *ledger);

static __always_inline unsigned int td_ledger_hash(const struct cgroup *cgroup, pid_t tgid)
{
	/*
	 * Not in the upper half: the lower half of the factor is nearly one half, so every other
	 * process would have the same place, or the next one.
	 */
	return hash_64((unsigned long)cgroup + tgid, TD_LEDGER_BITS);
}

/* A task that exits may not know any more when its process started. */
static __always_inline bool td_ledger_fits(const struct td_line *line,
					   const struct cgroup *cgroup, pid_t tgid, u64 start)
{
	return line->used && line->key.tgid == tgid && line->key.cgroup == cgroup &&
	       (line->key.start == start || !start);
}

/* Where td_ledger_find() looks first. */
static __always_inline struct td_line *td_ledger_guess(struct td_ledger *ledger,
						       const struct cgroup *cgroup, pid_t tgid)
{
	struct td_line *line = &ledger->line[ledger->place[td_ledger_hash(cgroup, tgid)]];

	/* The compiler would compute the address of each field from the hash. */
	OPTIMIZER_HIDE_VAR(line);
	return line;
}

#endif /* TOPDOWN_LEDGER_H */
