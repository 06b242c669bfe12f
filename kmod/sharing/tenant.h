/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_TENANT_H
#define TOPDOWN_TENANT_H

#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct td_collector;

/* The groups that stand aside together. */
enum td_tenant_kind {
	TD_TENANT_SLOTS,
	TD_TENANT_CYCLES,
	TD_TENANTS,
};

/**
 * struct td_tenant - groups of a CPU that stand aside together
 * @present: the meter has such groups
 * @on: they are enabled; one at a time, if slots need several
 * @wanted: they shall be enabled
 * @since: when they were enabled, local_clock(); of several groups that take turns, in the first
 *	round the one that has the turn
 * @begun: so many groups have had a turn since, at most all
 * @hindered: since when somebody has waited for their counters, or they themselves for those of
 *	others, local_clock(); 0 for not at all
 * @tasks: a task lacked counters meanwhile, which perf gives to tasks at its rotation only
 * @asked: @hindered of those who last asked for smaller groups
 * @judged: when somebody was last found to wait, local_clock()
 * @back_at: when to enable them again, in jiffies
 * @refused: so many works came too late to begin a turn
 * @ignored: standing aside did not help events up to this id of perf
 * @ignored_until: look at these events again then, in jiffies
 * @ignore: the last delay before that
 *
 * Used on the CPU with interrupts off; @on changes under td_aside.lock too.
 */
struct td_tenant {
	bool present;
	bool on;
	bool wanted;
	u64 since;
	unsigned int begun;
	u64 hindered;
	bool tasks;
	u64 asked;
	u64 judged;
	unsigned long back_at;
	unsigned int refused;
	u64 ignored;
	unsigned long ignored_until;
	unsigned long ignore;
};

/**
 * struct td_aside - how the groups of a CPU stand aside for perf users
 * @collector: collector of the CPU
 * @lock: keeps the meter, and the CPU online, while @ready; taken inside td_fit_mutex
 * @ready: the CPU has a meter and is online; under @lock
 * @tenant: the groups
 * @due: the next look is for the groups, too, and not only for the sampler; used on the CPU
 *	with interrupts off
 * @turn_over: the turn of the enabled one among several groups is over; set by @turns, and
 *	cleared by @move, on the CPU with interrupts off
 * @idled: how often the turn has gone on, because the CPU was idle; used as @due
 * @length: of the turns of this round, in jiffies; used as @due
 * @move: enables and disables groups
 * @back: looks when groups may come back
 * @turns: ends the turn of one group among several
 * @turn: looks at the end of our turn among others
 */
struct td_aside {
	struct td_collector *collector;
	struct mutex lock; /* the meter stays, and the CPU online */
	bool ready;
	struct td_tenant tenant[TD_TENANTS];
	bool due;
	bool turn_over;
	unsigned int idled;
	unsigned long length;
	struct work_struct move;
	struct timer_list back;
	struct timer_list turns;
	struct hrtimer turn;
};

bool td_tenants_decide(struct td_aside *aside);
void td_tenant_begins(struct td_aside *aside);
void td_tenant_begun(struct td_aside *aside);
bool td_tenant_late(struct td_aside *aside, struct td_tenant *tenant);
void td_tenants_look_at(struct td_aside *aside, unsigned long at);
void td_tenant_leaves(struct td_aside *aside, struct td_tenant *tenant);

#endif /* TOPDOWN_TENANT_H */
