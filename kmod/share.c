// SPDX-License-Identifier: GPL-2.0
/*
 * Shares: what a session was credited with on each CPU, which only that CPU
 * writes.  A reader adds them up.
 */
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>

#include "metrics.h"
#include "share.h"

/**
 * td_share_alloc() - shares of a new session
 *
 * Return: a share for each CPU, or NULL.
 */
struct td_share __percpu *td_share_alloc(void)
{
	struct td_share __percpu *shares;
	int cpu;

	shares = alloc_percpu_gfp(struct td_share, GFP_KERNEL_ACCOUNT);
	if (!shares)
		return NULL;
	for_each_possible_cpu(cpu)
		seqcount_init(&per_cpu_ptr(shares, cpu)->seq);
	return shares;
}

/**
 * td_share_free() - undo td_share_alloc()
 * @shares: nobody looks at them any more
 */
void td_share_free(struct td_share __percpu *shares)
{
	free_percpu(shares);
}

/**
 * td_share_credit() - add to the share of this CPU
 * @shares: of a session; interrupts off
 * @credit: what
 */
void td_share_credit(struct td_share __percpu *shares, const struct td_credit *credit)
{
	const struct topdown_figures *part = credit->part;
	struct td_share *share = this_cpu_ptr(shares);
	struct td_credits *credits = &share->credits;

	lockdep_assert_irqs_disabled();
	write_seqcount_begin(&share->seq);
	if (part) {
		td_figures_add(&credits->figures, part);
		/* Its own time is by the clock, also where nothing was counted. */
		credits->figures.enabled_ns -= part->enabled_ns;
		if (!credits->level || credit->level < credits->level)
			credits->level = credit->level;
	}
	credits->figures.enabled_ns += credit->ran_ns;
	credits->merged_ns += credit->merged_ns;
	write_seqcount_end(&share->seq);
}

/**
 * td_share_switched() - a task was given this CPU
 * @shares: of a session of it; interrupts off
 */
void td_share_switched(struct td_share __percpu *shares)
{
	struct td_share *share = this_cpu_ptr(shares);

	lockdep_assert_irqs_disabled();
	write_seqcount_begin(&share->seq);
	share->credits.switches++;
	write_seqcount_end(&share->seq);
}

static void td_share_read(const struct td_share *share, struct td_credits *credits)
{
	unsigned int seq;

	do {
		seq = read_seqcount_begin(&share->seq);
		*credits = share->credits;
	} while (read_seqcount_retry(&share->seq, seq));
}

/**
 * td_share_sum() - add up the shares of all CPUs
 * @shares: of a session
 * @sum: written
 */
void td_share_sum(const struct td_share __percpu *shares, struct td_credits *sum)
{
	struct td_credits one;
	int cpu;

	*sum = (struct td_credits){ };
	for_each_possible_cpu(cpu) {
		td_share_read(per_cpu_ptr(shares, cpu), &one);
		td_figures_add(&sum->figures, &one.figures);
		sum->switches += one.switches;
		sum->merged_ns += one.merged_ns;
		if (one.level && (!sum->level || one.level < sum->level))
			sum->level = one.level;
	}
}
