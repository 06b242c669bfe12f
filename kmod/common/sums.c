// SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later
/*
 * Sums over CPUs: the shares of a session, and the state of a sum.
 */
#include "sums.h"

/**
 * td_share_add - add a share to a sum
 * @sum: zeroed before the first
 * @more: the share; if its level is 0 it does not change level, nodes and source
 */
void td_share_add(struct topdown_share *sum, const struct topdown_share *more)
{
	td_figures_add(&sum->figures, &more->figures);
	sum->switches += more->switches;
	sum->merged_ns += more->merged_ns;
	if (more->level)
		td_share_join(sum, more->level, more->nodes, more->source);
}

/**
 * td_share_sub - subtract the baseline
 * @sum: later sum of a session
 * @base: baseline of the same session
 */
void td_share_sub(struct topdown_share *sum, const struct topdown_share *base)
{
	td_figures_sub(&sum->figures, &base->figures);
	sum->switches -= base->switches;
	sum->merged_ns -= base->merged_ns;
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
