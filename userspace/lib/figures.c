// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The ratio of one node, instructions per cycle, and the busy share; and the figures between
 * two records.
 */
#include "internal.h"

#include <errno.h>

#include "sums.h"

/*
 * This is the one rule for ratios: figures have a ratio only for nodes that exist and that
 * were counted all the time.
 */
TD_API bool topdown_figures_has(const struct topdown_figures *figures, unsigned int node)
{
	return node < TOPDOWN_MAX_NODES && figures->ratio[node] != TOPDOWN_RATIO_NONE;
}

TD_API double topdown_figures_ratio(const struct topdown_figures *figures, unsigned int node)
{
	if (!topdown_figures_has(figures, node))
		return __builtin_nan("");
	return (double)figures->ratio[node] / TOPDOWN_RATIO_ONE;
}

TD_API double topdown_figures_ipc(const struct topdown_figures *figures)
{
	if (!figures->cycles)
		return __builtin_nan("");
	return (double)figures->instructions / figures->cycles;
}

TD_API double topdown_figures_busy(const struct topdown_figures *figures, uint64_t time_ns)
{
	if (!time_ns)
		return __builtin_nan("");
	/* Two clocks may differ by an instant. */
	return figures->busy_ns < time_ns ? (double)figures->busy_ns / time_ns : 1.0;
}

/* Counts only grow, so a smaller count means that these figures are not the later ones. */
bool td_figures_grew(const struct topdown_figures *then, const struct topdown_figures *now)
{
	unsigned int i;

	for (i = 0; i < TOPDOWN_MAX_NODES; i++) {
		if (now->node[i] < then->node[i])
			return false;
	}
	for (i = 0; i < TOPDOWN_MAX_PARENTS; i++) {
		if (now->children_slots[i] < then->children_slots[i])
			return false;
	}
	if (now->cycles < then->cycles || now->instructions < then->instructions ||
	    now->busy_ns < then->busy_ns)
		return false;
	return now->slots >= then->slots && now->enabled_ns >= then->enabled_ns &&
	       now->running_ns >= then->running_ns;
}

int td_record_between(const struct topdown_record *then, const struct topdown_record *now,
		      struct topdown_figures *out)
{
	if (now->windows < then->windows || !td_figures_grew(&then->total, &now->total))
		return -ERANGE;
	*out = now->total;
	td_figures_sub(out, &then->total);
	return 0;
}
