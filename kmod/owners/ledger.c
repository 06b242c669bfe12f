// SPDX-License-Identifier: GPL-2.0
/*
 * Ledgers: where a CPU sums up what each owner had, until somebody collects it.
 *
 * A CPU writes its ledger mostly within the switch of tasks, under the lock of its run queue, and
 * else in an interrupt.  So there is no allocation and no lock.  Nobody else writes it until the
 * CPU has turned to its other ledger.  A cgroup in a ledger has a reference, because it may be
 * removed before the ledger is collected.
 */
#include <linux/build_bug.h>
#include <linux/cgroup.h>
#include <linux/limits.h>
#include <linux/sched.h>
#include <linux/stddef.h>
#include <linux/string.h>

#include "ledger.h"

/* So many places are looked at. */
#define TD_LEDGER_TRIES	8

static struct td_line *td_ledger_open(struct td_ledger *ledger, u8 *place,
				      const struct td_key *key,
				      const struct task_struct *leader)
{
	struct td_line *line;

	if (ledger->used >= TD_LEDGER_OWNERS)
		return NULL;
	if (key->cgroup && !cgroup_tryget(key->cgroup))
		return NULL;
	*place = ++ledger->used;
	line = &ledger->line[*place];
	line->key = *key;
	line->used = true;
	if (leader)
		memcpy(line->name, leader->comm, sizeof(line->name));
	return line;
}

/**
 * td_ledger_find() - the line of an owner, which may be new
 * @ledger: ledger of this CPU; interrupts off
 * @key: the owner
 * @leader: leader of the process; NULL if it is not known
 *
 * Return: the line; NULL if there is no room.
 */
struct td_line *td_ledger_find(struct td_ledger *ledger, const struct td_key *key,
			       const struct task_struct *leader)
{
	unsigned int at = td_ledger_hash(key->cgroup, key->tgid), n;
	struct td_line *line;
	u8 *place;

	BUILD_BUG_ON(TD_LEDGER_OWNERS > U8_MAX);
	for (n = 0; n < TD_LEDGER_TRIES; n++) {
		place = &ledger->place[(at + n) % TD_LEDGER_PLACES];
		if (!*place)
			return td_ledger_open(ledger, place, key, leader);
		line = &ledger->line[*place];
		if (td_ledger_fits(line, key->cgroup, key->tgid, key->start))
			return line;
	}
	return NULL;
}

/**
 * td_ledger_clear() - make a ledger empty
 * @ledger: ledger that no CPU writes
 */
void td_ledger_clear(struct td_ledger *ledger)
{
	unsigned int n;

	for (n = 1; n <= ledger->used; n++) {
		if (ledger->line[n].key.cgroup)
			cgroup_put(ledger->line[n].key.cgroup);
	}
	/* Nobody writes the lines after these. */
	memset(ledger, 0, offsetof(struct td_ledger, line) + n * sizeof(ledger->line[0]));
}
