// SPDX-License-Identifier: GPL-2.0
/*
 * Figures over time, in steps of one length.
 *
 * A window is as long as the module let it be, so its counts are spread over the steps that it
 * covers, in proportion to the time. The counts of all steps still sum to those of all windows.
 */
#include "series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const unsigned int series_rank[SERIES_RANKS] = { 5, 50, 95 };

/**
 * series_begin - set up
 * @series: series; the caller frees it in any case
 * @start_ns: when it begins; what was before is left out
 * @step_ns: length of a step
 * @level: highest level of nodes that get a ratio
 */
void series_begin(struct series *series, uint64_t start_ns, uint64_t step_ns, unsigned int level)
{
	*series = (struct series){
		.start_ns = start_ns,
		.step_ns = step_ns ? step_ns : 1,
		.level = level,
	};
}

/**
 * series_free - free the steps
 * @series: series, which may be zeroed only
 */
void series_free(struct series *series)
{
	free(series->step);
	series->step = NULL;
	series->nr = 0;
	series->room = 0;
}

/* So much of a count lies before @at of @whole. */
static uint64_t before(uint64_t count, uint64_t at, uint64_t whole)
{
	return (unsigned __int128)count * at / whole;
}

static uint64_t share(uint64_t count, uint64_t from, uint64_t to, uint64_t whole)
{
	return before(count, to, whole) - before(count, from, whole);
}

/* The part of figures from @from to @to of @whole. Parts that follow each other add up. */
static void cut(struct topdown_figures *part, const struct topdown_figures *figures,
		uint64_t from, uint64_t to, uint64_t whole)
{
	unsigned int i;

	part->enabled_ns = share(figures->enabled_ns, from, to, whole);
	part->running_ns = share(figures->running_ns, from, to, whole);
	part->slots = share(figures->slots, from, to, whole);
	part->cycles = share(figures->cycles, from, to, whole);
	part->instructions = share(figures->instructions, from, to, whole);
	part->busy_ns = share(figures->busy_ns, from, to, whole);
	for (i = 0; i < TOPDOWN_MAX_PARENTS; i++)
		part->children_slots[i] = share(figures->children_slots[i], from, to, whole);
	for (i = 0; i < TOPDOWN_MAX_NODES; i++) {
		part->node[i] = share(figures->node[i], from, to, whole);
		/* Ratios say which nodes there are. */
		part->ratio[i] = figures->ratio[i];
	}
}

static int make_room(struct series *series, size_t nr)
{
	size_t room = series->room ? series->room : 64;
	struct topdown_figures *step;

	while (room < nr)
		room *= 2;
	if (room == series->room)
		return 0;
	step = reallocarray(series->step, room, sizeof(*step));
	if (!step)
		return -ENOMEM;
	memset(step + series->room, 0, (room - series->room) * sizeof(*step));
	series->step = step;
	series->room = room;
	return 0;
}

/* Make one step of two. */
static void halve(struct series *series)
{
	size_t i;

	for (i = 0; i < series->nr; i += 2) {
		struct topdown_figures sum = series->step[i];

		if (i + 1 < series->nr)
			topdown_figures_add(&sum, &series->step[i + 1], series->level);
		series->step[i / 2] = sum;
	}
	series->nr = (series->nr + 1) / 2;
	if (series->room > series->nr)
		memset(series->step + series->nr, 0,
		       (series->room - series->nr) * sizeof(*series->step));
	series->step_ns *= 2;
}

/**
 * series_coarsen - join steps until they are as long as those of another series
 * @series: series
 * @step_ns: length of these
 */
void series_coarsen(struct series *series, uint64_t step_ns)
{
	while (series->step_ns < step_ns)
		halve(series);
}

/**
 * series_skip - leave out the first steps
 * @series: series
 * @steps: how many
 */
void series_skip(struct series *series, size_t steps)
{
	size_t gone = steps < series->nr ? steps : series->nr;

	if (gone)
		memmove(series->step, series->step + gone,
			(series->nr - gone) * sizeof(*series->step));
	series->nr -= gone;
	series->start_ns += steps * series->step_ns;
}

static size_t step_of(const struct series *series, uint64_t at_ns)
{
	return at_ns > series->start_ns ? (at_ns - series->start_ns) / series->step_ns : 0;
}

/* The end of the last step has no step of its own. */
static int extend(struct series *series, uint64_t end_ns)
{
	size_t nr = step_of(series, end_ns - 1) + 1;
	int ret;

	while (nr > SERIES_STEPS_MAX) {
		halve(series);
		nr = step_of(series, end_ns - 1) + 1;
	}
	ret = make_room(series, nr);
	if (!ret && nr > series->nr)
		series->nr = nr;
	return ret;
}

/**
 * series_add - add the figures of a span of time
 * @series: series
 * @begin_ns: begin of the span
 * @end_ns: its end
 * @figures: its figures, with ratios
 *
 * Return: 0 or -ENOMEM.
 */
int series_add(struct series *series, uint64_t begin_ns, uint64_t end_ns,
	       const struct topdown_figures *figures)
{
	uint64_t whole = end_ns - begin_ns, from, to;
	struct topdown_figures part;
	size_t i;
	int ret;

	if (end_ns <= begin_ns || end_ns <= series->start_ns)
		return 0;
	ret = extend(series, end_ns);
	if (ret)
		return ret;
	if (figures->slots && whole > series->longest_ns)
		series->longest_ns = whole;
	from = begin_ns > series->start_ns ? 0 : series->start_ns - begin_ns;
	for (i = step_of(series, begin_ns); i < series->nr && from < whole; i++, from = to) {
		to = series->start_ns + (i + 1) * series->step_ns - begin_ns;
		if (to > whole)
			to = whole;
		cut(&part, figures, from, to, whole);
		topdown_figures_add(&series->step[i], &part, series->level);
	}
	return 0;
}

/**
 * series_join - join steps to longer ones
 * @to: to be set up, and freed by the caller
 * @from: series
 * @steps: longest number of steps that @to may have
 *
 * Return: 0 or -ENOMEM.
 */
int series_join(struct series *to, const struct series *from, size_t steps)
{
	size_t group = from->nr ? (from->nr + steps - 1) / steps : 1, i;
	int ret;

	series_begin(to, from->start_ns, from->step_ns * group, from->level);
	to->end_ns = from->end_ns;
	ret = make_room(to, (from->nr + group - 1) / group);
	if (ret)
		return ret;
	for (i = 0; i < from->nr; i++)
		topdown_figures_add(&to->step[i / group], &from->step[i], from->level);
	to->nr = (from->nr + group - 1) / group;
	return 0;
}

/**
 * series_step_begin - when a step begins
 * @series: series
 * @step: number of the step
 *
 * Return: CLOCK_MONOTONIC, in nanoseconds.
 */
uint64_t series_step_begin(const struct series *series, size_t step)
{
	return series->start_ns + step * series->step_ns;
}

/**
 * series_step_end - when a step ends
 * @series: series
 * @step: number of the step
 *
 * Return: CLOCK_MONOTONIC, in nanoseconds.
 */
uint64_t series_step_end(const struct series *series, size_t step)
{
	uint64_t begin_ns = series_step_begin(series, step), end_ns = begin_ns + series->step_ns;

	return series->end_ns > begin_ns && series->end_ns < end_ns ? series->end_ns : end_ns;
}

/**
 * series_step_short - is a step what was left for the last one?
 * @series: series
 * @step: number of the step
 *
 * Return: true if it is shorter than half of a step.  The first one is all there is, if it has no
 * other after it.
 */
bool series_step_short(const struct series *series, size_t step)
{
	uint64_t length_ns = series_step_end(series, step) - series_step_begin(series, step);

	return step && length_ns < series->step_ns / 2;
}

static int compare(const void *one, const void *other)
{
	const double *a = one, *b = other;

	return *a < *b ? -1 : *a > *b;
}

/* Between two values the rank is interpolated, as numpy.percentile() does. */
static double at_rank(const double *sorted, size_t nr, unsigned int percent)
{
	double place = (nr - 1) * percent / 100.0;
	size_t below = place;

	if (below + 1 >= nr)
		return sorted[nr - 1];
	return sorted[below] + (sorted[below + 1] - sorted[below]) * (place - below);
}

static void rank_node(const struct series *series, unsigned int node, double *values,
		      struct series_ranks *ranks)
{
	size_t i, nr = 0;

	for (i = 0; i < series->nr; i++) {
		if (series_step_short(series, i))
			continue;
		if (series->step[i].slots && topdown_figures_has(&series->step[i], node))
			values[nr++] = topdown_figures_ratio(&series->step[i], node);
	}
	ranks->none = !nr;
	if (!nr)
		return;
	qsort(values, nr, sizeof(*values), compare);
	for (i = 0; i < SERIES_RANKS; i++)
		ranks->ratio[i] = at_rank(values, nr, series_rank[i]);
}

/**
 * series_ranks - how the ratios of nodes are spread over the steps
 * @series: series
 * @ranks: for each node
 *
 * Steps without slots say nothing, and what was left for the last one says little.
 *
 * Return: 0 or -ENOMEM.
 */
int series_ranks(const struct series *series, struct series_ranks ranks[TD_NR_NODES])
{
	double *values = calloc(series->nr + 1, sizeof(*values));
	unsigned int node;

	if (!values)
		return -ENOMEM;
	for (node = 0; node < TD_NR_NODES; node++)
		rank_node(series, node, values, &ranks[node]);
	free(values);
	return 0;
}
