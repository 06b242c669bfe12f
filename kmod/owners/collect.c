// SPDX-License-Identifier: GPL-2.0
/*
 * Collecting: what the CPUs noted in their ledgers becomes sums of owners.
 *
 * A reader collects for itself.  A work does so for those who seldom read, and when a ledger is
 * full, and looks which owners have gone.  Descriptors hold the account of owners on; without one
 * there are no probes, no ledgers and no owners.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/smp.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "collect.h"
#include "compat.h"
#include "ledger.h"
#include "linear.h"
#include "owner.h"
#include "sums.h"
#include "switch.h"
#include "teller.h"
#include "ticks.h"

/* Collect as often if nobody reads, so that little waits and what has gone is noticed. */
#define TD_COLLECT_EVERY	HZ

/*
 * Cgroups have levels below this; deeper ones count at their ancestor.  Users choose how deep
 * theirs are, and each level costs time when a line is collected.
 */
#define TD_COLLECT_DEPTHS	32

/* So many owners may come between the look how many there are and their reading. */
#define TD_COLLECT_MORE		64

/*
 * Protects all owners, who holds them, and collections.  A caller that waits in OWNERS or
 * OWNERS_READ can be killed.  No memory of a cgroup is asked for under it, as that may make the
 * caller wait.
 */
static DEFINE_MUTEX(td_collect_mutex);
static struct td_owners *td_collect_owners[TD_OWNERS_KINDS];
/* How many descriptors want cgroups down to that level (0: all), or processes (0). */
static unsigned int td_collect_users[TD_OWNERS_KINDS][TD_COLLECT_DEPTHS];

static void td_collect_work(struct work_struct *work);
static DECLARE_DEFERRABLE_WORK(td_collect_later, td_collect_work);

static void td_collect_filled(struct work_struct *work);
static DECLARE_WORK(td_collect_soon, td_collect_filled);

/*
 * A ledger is full.  That may be a thousand times a second, so nothing is done for other CPUs.
 * Under the lock of the run queue, so let the work be queued a moment later.
 */
static void td_collect_poke(struct irq_work *work)
{
	queue_work(td_compat_unbound_wq, &td_collect_soon);
}

/* A clock that steps back is no time. */
static __u64 td_collect_ns(__u64 ticks)
{
	return (__s64)ticks > 0 ? td_ticks_to_ns(ticks) : 0;
}

static void td_collect_bill(const struct td_scheme *scheme, const struct td_line *line,
			    struct td_bill *bill)
{
	struct topdown_sums *sums = &bill->sums;

	bill->sums = line->sums;
	bill->switches = line->switches;
	bill->depth = scheme->level;
	bill->nodes = scheme->nodes;
	bill->source = scheme->source;
	sums->enabled_ns = td_collect_ns(sums->enabled_ns);
	if (!scheme->linear)
		return;
	sums->running_ns = td_collect_ns(sums->running_ns);
	memset(sums->node, 0, sizeof(sums->node));
	td_steps_to_nodes(sums->slots, line->sums.node, &scheme->quant, scheme->level,
			  sums->node);
	td_sums_children(sums, scheme->nodes);
}

static struct td_owner *td_collect_owner(enum td_owners_kind kind, const struct td_line *line)
{
	struct td_owners *owners = td_collect_owners[kind];

	if (!line->used)
		return owners->others;
	if (!line->key.tgid && !line->key.cgroup)
		return owners->idle;
	if (kind == TD_OWNERS_PROCESSES && line->key.tgid)
		return td_owners_process(owners, line->key.tgid, line->key.start, line->name);
	if (kind == TD_OWNERS_CGROUPS && line->key.cgroup)
		return td_owners_cgroup(owners, line->key.cgroup);
	/* Noted when there were no owners of this kind yet. */
	return owners->others;
}

static void td_collect_line(const struct td_ledger *ledger, const struct td_line *line)
{
	struct td_bill bill;
	unsigned int kind;

	lockdep_assert_held(&td_collect_mutex);
	td_collect_bill(&ledger->scheme, line, &bill);
	for (kind = 0; kind < TD_OWNERS_KINDS; kind++) {
		if (td_collect_owners[kind])
			td_owner_credit(td_collect_owner(kind, line), &bill);
	}
}

static void td_collect_full(void)
{
	const struct topdown_sums *others;
	const struct td_ledger *ledger;
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu) {
		ledger = td_teller_full(cpu);
		if (!ledger)
			continue;
		for (i = 1; i <= ledger->used; i++)
			td_collect_line(ledger, &ledger->line[i]);
		/* Line 0 may have counts without time, of stays without a reading. */
		others = &ledger->line[0].sums;
		if (others->enabled_ns || others->slots)
			td_collect_line(ledger, &ledger->line[0]);
		td_teller_collected(cpu);
		cond_resched();
	}
}

/* Bring the sums up to date. */
static void td_collect(void)
{
	u64 now = ktime_get_boottime_ns();
	unsigned int kind;
	int cpu;

	/* A CPU with a full ledger has no spare one to turn to. */
	td_collect_full();
	cpus_read_lock();
	on_each_cpu_cond(td_teller_stale, td_teller_turn_this, NULL, true);
	/* One may have turned by itself after its full ledger was collected. */
	td_collect_full();
	on_each_cpu_cond(td_teller_late, td_teller_turn_this, NULL, true);
	for_each_possible_cpu(cpu) {
		if (!cpu_online(cpu))
			td_teller_turn_offline(cpu);
	}
	cpus_read_unlock();
	td_collect_full();
	for (kind = 0; kind < TD_OWNERS_KINDS; kind++) {
		if (!td_collect_owners[kind])
			continue;
		td_owners_tidy(td_collect_owners[kind]);
		td_collect_owners[kind]->time_ns = now;
	}
}

/* Tell the CPUs which owners are wanted now. */
static void td_collect_want(void)
{
	unsigned int kind, kinds = 0, depth;

	for (kind = 0; kind < TD_OWNERS_KINDS; kind++)
		kinds |= td_collect_owners[kind] ? BIT(kind) : 0;
	/* All levels if anybody wants that, or else as deep as anybody wants. */
	for (depth = TD_COLLECT_DEPTHS - 1; depth > 1; depth--) {
		if (td_collect_users[TD_OWNERS_CGROUPS][depth] ||
		    td_collect_users[TD_OWNERS_CGROUPS][0])
			break;
	}
	td_teller_want(kinds, depth);
}

static bool td_collect_on(void)
{
	lockdep_assert_held(&td_collect_mutex);
	return td_collect_owners[TD_OWNERS_PROCESSES] || td_collect_owners[TD_OWNERS_CGROUPS];
}

static void td_collect_work(struct work_struct *work)
{
	mutex_lock(&td_collect_mutex);
	if (td_collect_on()) {
		td_collect();
		queue_delayed_work(td_compat_unbound_wq, &td_collect_later, TD_COLLECT_EVERY);
	}
	mutex_unlock(&td_collect_mutex);
}

/* Whoever makes many owners fills ledgers, so this is the place to look for room for others. */
static bool td_collect_crowded(void)
{
	unsigned int kind;

	lockdep_assert_held(&td_collect_mutex);
	for (kind = 0; kind < TD_OWNERS_KINDS; kind++) {
		if (td_collect_owners[kind] && td_owners_crowded(td_collect_owners[kind]))
			return true;
	}
	return false;
}

static void td_collect_filled(struct work_struct *work)
{
	mutex_lock(&td_collect_mutex);
	if (td_collect_on()) {
		if (td_collect_crowded())
			td_collect();
		else
			td_collect_full();
	}
	mutex_unlock(&td_collect_mutex);
}

/* @ledgers: needed if there are no owners at all yet */
static int td_collect_begin(enum td_owners_kind kind, struct td_ledger **ledgers)
{
	bool on = td_collect_on();
	int ret;

	/* The new kind has nothing of it, except in "others" what quiet CPUs still have. */
	if (on)
		td_collect();
	else
		td_teller_begin(ledgers, td_collect_poke);
	td_collect_owners[kind] = td_owners_create(kind == TD_OWNERS_PROCESSES);
	ret = td_collect_owners[kind] ? 0 : -ENOMEM;
	td_collect_want();
	if (!ret && !on)
		ret = td_switch_begin();
	if (!ret && !on)
		queue_delayed_work(td_compat_unbound_wq, &td_collect_later, TD_COLLECT_EVERY);
	if (!ret)
		return 0;
	if (td_collect_owners[kind])
		td_owners_destroy(td_collect_owners[kind]);
	td_collect_owners[kind] = NULL;
	td_collect_want();
	if (!on)
		td_teller_end();
	return ret;
}

/* Lock the mutex; with ledgers if somebody has to begin. */
static int td_collect_lock(struct td_ledger ***ledgers)
{
	*ledgers = NULL;
	if (mutex_lock_killable(&td_collect_mutex))
		return -EINTR;
	if (td_collect_on())
		return 0;
	mutex_unlock(&td_collect_mutex);
	*ledgers = td_teller_ledgers();
	if (!*ledgers)
		return -ENOMEM;
	if (!mutex_lock_killable(&td_collect_mutex))
		return 0;
	td_teller_ledgers_free(*ledgers);
	return -EINTR;
}

/**
 * td_collect_hold() - let the slots of all owners be summed up
 * @kind: kind of owner
 * @depth: level of cgroups at which deeper ones count; 0 for none
 *
 * Return: 0, -ENOMEM, or a negative errno from registering a probe; -EINTR if the caller is being
 * killed.
 */
int td_collect_hold(enum td_owners_kind kind, unsigned int depth)
{
	struct td_ledger **ledgers;
	int ret;

	ret = td_collect_lock(&ledgers);
	if (ret)
		return ret;
	if (!td_collect_owners[kind])
		ret = td_collect_begin(kind, ledgers);
	if (!ret) {
		td_collect_users[kind][depth % TD_COLLECT_DEPTHS]++;
		td_collect_want();
		/* Begin now, and not at the first switch. */
		td_collect();
	}
	mutex_unlock(&td_collect_mutex);
	td_teller_ledgers_free(ledgers);
	return ret;
}

/**
 * td_collect_release() - undo td_collect_hold()
 * @kind: the same
 * @depth: the same
 */
void td_collect_release(enum td_owners_kind kind, unsigned int depth)
{
	bool off;

	mutex_lock(&td_collect_mutex);
	td_collect_users[kind][depth % TD_COLLECT_DEPTHS]--;
	if (!memchr_inv(td_collect_users[kind], 0, sizeof(td_collect_users[kind]))) {
		td_owners_destroy(td_collect_owners[kind]);
		td_collect_owners[kind] = NULL;
	}
	td_collect_want();
	off = !td_collect_on();
	if (off) {
		td_switch_end();
		td_teller_end();
	}
	mutex_unlock(&td_collect_mutex);
}

/* Does a reader get this owner? */
static bool td_collect_shows(const struct td_owner *owner, unsigned int depth, u64 cursor)
{
	return owner->number > cursor && !(depth && owner->level > depth);
}

/* Copy owners from the cursor on, at most @read->nr_records. */
static void td_collect_copy(const struct td_owners *owners, unsigned int depth,
			    struct topdown_owners_read *read, struct topdown_owner *records)
{
	const struct td_owner *owner;
	u64 cursor = read->cursor;
	unsigned int n = 0;

	read->cursor = 0;
	list_for_each_entry(owner, &owners->list, list) {
		cond_resched();
		if (!td_collect_shows(owner, depth, cursor))
			continue;
		if (n == read->nr_records) {
			read->cursor = cursor;
			break;
		}
		td_owner_read(owner, depth, &records[n++]);
		cursor = owner->number;
	}
	read->nr_records = n;
}

/* Bring the sums up to date for a first call, and say how many owners there are. */
static int td_collect_ask(enum td_owners_kind kind, struct topdown_owners_read *read,
			  unsigned int *nr)
{
	if (mutex_lock_killable(&td_collect_mutex))
		return -EINTR;
	/* To ask how many there are takes no interrupt. */
	if (!read->cursor && read->nr_records)
		td_collect();
	*nr = td_collect_owners[kind]->nr;
	mutex_unlock(&td_collect_mutex);
	return 0;
}

/**
 * td_collect_read() - read owners
 * @kind: kind of owner, which the caller holds
 * @depth: as for td_collect_hold()
 * @read: the argument of TOPDOWN_OWNERS_READ
 * @records: written: the records, which the caller frees by kvfree(); NULL for none
 *
 * Return: 0, -EMSGSIZE or -ENOMEM; -EINTR if the caller is being killed.
 */
int td_collect_read(enum td_owners_kind kind, unsigned int depth,
		    struct topdown_owners_read *read, struct topdown_owner **records)
{
	const struct td_owners *owners;
	unsigned int nr;
	int ret;

	*records = NULL;
	ret = td_collect_ask(kind, read, &nr);
	if (ret)
		return ret;
	if (read->nr_records) {
		/* Outside the mutex: memory of a cgroup at its limit may take for ever. */
		read->nr_records = min(read->nr_records, nr + nr / 4 + TD_COLLECT_MORE);
		*records = kvmalloc_array(read->nr_records, sizeof(**records),
					  GFP_KERNEL_ACCOUNT);
		if (!*records)
			return -ENOMEM;
	}
	if (mutex_lock_killable(&td_collect_mutex))
		return -EINTR;
	owners = td_collect_owners[kind];
	read->out_since_ns = owners->since_ns;
	read->out_time_ns = owners->time_ns;
	read->out_nr_owners = owners->nr;
	if (*records) {
		td_collect_copy(owners, depth, read, *records);
	} else {
		read->nr_records = owners->nr;
		ret = -EMSGSIZE;
	}
	mutex_unlock(&td_collect_mutex);
	return ret;
}

/**
 * td_collect_exit() - there will be no holder any more
 */
void td_collect_exit(void)
{
	cancel_delayed_work_sync(&td_collect_later);
	cancel_work_sync(&td_collect_soon);
}
