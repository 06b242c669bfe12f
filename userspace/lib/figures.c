// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The ratio of one node, instructions per cycle, and the busy share.
 */
#include "internal.h"

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
