// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later
/*
 * Sums: of spans of time, of the shares of a session, and the state of a sum.
 */
#include "sums.h"

/*
 * The kernel adds up only nodes that it counts.  A library may be older than the kernel and
 * than the program that gets the sums, so it adds up all nodes there is room for.
 */
#ifdef __KERNEL__
#define TD_NODES_ADDED		TD_NR_NODES
#define TD_PARENTS_ADDED	TD_NR_PARENTS
#else
#define TD_NODES_ADDED		TOPDOWN_MAX_NODES
#define TD_PARENTS_ADDED	TOPDOWN_MAX_PARENTS
#endif

/* Room for TOPDOWN_CPUS_WORDS_MAX * 64 summands of 64 bits. */
#define TD_SUM_SHIFT		13
#define TD_SUM_EXACT		(1ULL << (63 - TD_SUM_SHIFT))

/**
 * td_sums_add - add sums
 * @sums: the sum
 * @more: the summand
 */
void td_sums_add(struct topdown_sums *sums, const struct topdown_sums *more)
{
	unsigned int i;

	sums->enabled_ns += more->enabled_ns;
	sums->running_ns += more->running_ns;
	sums->slots += more->slots;
	sums->cycles += more->cycles;
	sums->instructions += more->instructions;
	sums->busy_ns += more->busy_ns;
	for (i = 0; i < TD_PARENTS_ADDED; i++)
		sums->children_slots[i] += more->children_slots[i];
	for (i = 0; i < TD_NODES_ADDED; i++)
		sums->node[i] += more->node[i];
}

/**
 * td_sums_sub - subtract earlier sums
 * @sums: later sums of the same CPU
 * @base: earlier sums
 *
 * The counts only grow; modulo 2^64 that is true for sums over CPUs too.
 */
void td_sums_sub(struct topdown_sums *sums, const struct topdown_sums *base)
{
	unsigned int i;

	sums->enabled_ns -= base->enabled_ns;
	sums->running_ns -= base->running_ns;
	sums->slots -= base->slots;
	sums->cycles -= base->cycles;
	sums->instructions -= base->instructions;
	sums->busy_ns -= base->busy_ns;
	for (i = 0; i < TD_PARENTS_ADDED; i++)
		sums->children_slots[i] -= base->children_slots[i];
	for (i = 0; i < TD_NODES_ADDED; i++)
		sums->node[i] -= base->node[i];
}

/**
 * td_figures_add - add figures
 * @figures: the sum; its ratios are not touched
 * @more: the summand
 */
void td_figures_add(struct topdown_figures *figures, const struct topdown_figures *more)
{
	struct topdown_sums sums, summand;

	td_figures_get(&sums, figures);
	td_figures_get(&summand, more);
	td_sums_add(&sums, &summand);
	td_figures_put(figures, &sums);
}

/**
 * td_figures_sub - subtract earlier figures
 * @figures: later figures of the same CPU; the ratios are not touched
 * @base: earlier figures
 */
void td_figures_sub(struct topdown_figures *figures, const struct topdown_figures *base)
{
	struct topdown_sums sums, earlier;

	td_figures_get(&sums, figures);
	td_figures_get(&earlier, base);
	td_sums_sub(&sums, &earlier);
	td_figures_put(figures, &sums);
}

/**
 * td_wide_sum_add - add the figures of one CPU
 * @sum: the sum, zeroed before the first
 * @figures: the figures
 */
void td_wide_sum_add(struct td_wide_sum *sum, const struct topdown_figures *figures)
{
	unsigned int i;

	td_figures_add(&sum->figures, figures);
	sum->slots += figures->slots >> TD_SUM_SHIFT;
	for (i = 0; i < TD_NR_NODES; i++)
		sum->node[i] += figures->node[i] >> TD_SUM_SHIFT;
}

/**
 * td_wide_sum_ratios - fill in the ratios of a sum
 * @sum: the sum, after the last td_wide_sum_add()
 * @nodes: nodes that all summands have, bit n for node n
 *
 * 256 CPUs overflow 64 bits of slots within weeks.  From then on the ratios come from the
 * shifted sums, which have 50 significant bits by then.
 */
void td_wide_sum_ratios(struct td_wide_sum *sum, __u32 nodes)
{
	if (sum->slots < TD_SUM_EXACT)
		td_figures_ratios(&sum->figures, nodes);
	else
		td_figures_ratios_of(&sum->figures, sum->node, sum->slots, nodes);
}

/**
 * td_share_add - add a share to a sum
 * @sum: zeroed before the first
 * @more: the share; if its level is 0 it does not change level, nodes and source
 */
void td_share_add(struct topdown_share *sum, const struct topdown_share *more)
{
	td_sums_add(&sum->sums, &more->sums);
	sum->switches += more->switches;
	sum->merged_ns += more->merged_ns;
	if (more->level)
		td_share_join(sum, more->level, more->nodes, more->source);
}

/* How bad a state is.  An unknown state at least says that something is wrong. */
static unsigned int td_badness(unsigned int state)
{
	switch (state) {
	case TOPDOWN_STATE_EXCLUDED:
		return 0;
	case TOPDOWN_STATE_UNSUPPORTED:
		return 1;
	case TOPDOWN_STATE_OFFLINE:
		return 2;
	case TOPDOWN_STATE_OK:
		return 3;
	case TOPDOWN_STATE_CONTENDED:
		return 4;
	case TOPDOWN_STATE_ASIDE:
		return 5;
	case TOPDOWN_STATE_ERROR:
		return 7;
	}
	return 6;
}

/**
 * td_state_worse - the state of a sum over two CPUs
 * @one: enum topdown_state
 * @other: enum topdown_state
 *
 * Return: the worse state; @one if both are equally bad.
 */
unsigned int td_state_worse(unsigned int one, unsigned int other)
{
	return td_badness(one) >= td_badness(other) ? one : other;
}
