// SPDX-License-Identifier: GPL-2.0
/*
 * The owners of a recording added up: each by itself, in all and over time.
 */
#include "owner-sums.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sums.h"

/**
 * owner_sums_begin - set up
 * @sums: sums; the caller frees them in any case
 * @keep: keep steps
 * @start_ns: when they begin
 * @step_ns: length of a step
 */
void owner_sums_begin(struct owner_sums *sums, bool keep, uint64_t start_ns, uint64_t step_ns)
{
	*sums = (struct owner_sums){
		.keep = keep,
		.start_ns = start_ns,
		.step_ns = step_ns ? step_ns : 1,
	};
}

/**
 * owner_sum_join - add
 * @to: the sum
 * @more: what is added; the flags of the sum are then those
 */
void owner_sum_join(struct owner_sum *to, const struct owner_sum *more)
{
	to->used |= more->figures.slots || more->figures.enabled_ns;
	td_figures_add(&to->figures, &more->figures);
	to->switches += more->switches;
	to->flags = more->flags;
	to->source = td_source_join(to->source, more->source);
	if (more->figures.slots && (!to->level || more->level < to->level))
		to->level = more->level;
}

/* Numbers come in their order, so few need new room. */
static int make_room(struct owner_sums *sums, uint32_t owner)
{
	size_t nr = sums->nr ? sums->nr : 64;
	struct owner_sum *sum;
	size_t *place;

	if (owner < sums->nr)
		return 0;
	while (nr <= owner)
		nr *= 2;
	sum = reallocarray(sums->sum, nr, sizeof(*sum));
	if (!sum)
		return -ENOMEM;
	sums->sum = sum;
	place = reallocarray(sums->place, nr, sizeof(*place));
	if (!place)
		return -ENOMEM;
	sums->place = place;
	memset(sum + sums->nr, 0, (nr - sums->nr) * sizeof(*sum));
	memset(place + sums->nr, 0, (nr - sums->nr) * sizeof(*place));
	sums->nr = nr;
	return 0;
}

static struct owner_cell *cell_of(struct owner_sums *sums, struct owner_step *step,
				  uint32_t owner)
{
	size_t place = sums->place[owner];
	struct owner_cell *more;

	if (place < step->nr && step->cell[place].owner == owner)
		return &step->cell[place];
	if (step->nr == step->room) {
		step->room = step->room ? step->room * 2 : 16;
		more = reallocarray(step->cell, step->room, sizeof(*more));
		if (!more)
			return NULL;
		step->cell = more;
	}
	sums->place[owner] = step->nr;
	step->cell[step->nr] = (struct owner_cell){ .owner = owner };
	return &step->cell[step->nr++];
}

/* The places of the cells of a step. */
static void hint(struct owner_sums *sums, const struct owner_step *step)
{
	size_t i;

	for (i = 0; i < step->nr; i++)
		sums->place[step->cell[i].owner] = i;
}

static int merge(struct owner_sums *sums, struct owner_step *to, const struct owner_step *from)
{
	struct owner_cell *cell;
	size_t i;

	hint(sums, to);
	for (i = 0; i < from->nr; i++) {
		cell = cell_of(sums, to, from->cell[i].owner);
		if (!cell)
			return -ENOMEM;
		owner_sum_join(&cell->sum, &from->cell[i].sum);
	}
	return 0;
}

/* Make one step of two. */
static int halve(struct owner_sums *sums)
{
	size_t i, nr = (sums->nr_steps + 1) / 2;
	int ret = 0;

	for (i = 0; i < nr; i++) {
		if (2 * i + 1 < sums->nr_steps && !ret)
			ret = merge(sums, &sums->step[2 * i], &sums->step[2 * i + 1]);
		free(sums->step[2 * i + 1].cell);
		sums->step[2 * i + 1] = (struct owner_step){ .nr = 0 };
		if (!i)
			continue;
		sums->step[i] = sums->step[2 * i];
		sums->step[2 * i] = (struct owner_step){ .nr = 0 };
	}
	sums->nr_steps = nr;
	sums->step_ns *= 2;
	if (nr)
		hint(sums, &sums->step[nr - 1]);
	return ret;
}

/* Nobody knows when in the interval an owner ran, so it is in one step. */
static int add_step(struct owner_sums *sums, const struct owner_piece *piece,
		    const struct owner_sum *more)
{
	uint64_t at_ns = piece->begin_ns + (piece->end_ns - piece->begin_ns) / 2;
	struct owner_cell *cell;
	size_t step;
	int ret = 0;

	if (!sums->step)
		sums->step = calloc(OWNER_STEPS_MAX, sizeof(*sums->step));
	if (!sums->step)
		return -ENOMEM;
	at_ns = at_ns > sums->start_ns ? at_ns - sums->start_ns : 0;
	while (at_ns / sums->step_ns >= OWNER_STEPS_MAX && !ret)
		ret = halve(sums);
	if (ret)
		return ret;
	step = at_ns / sums->step_ns;
	if (step >= sums->nr_steps)
		sums->nr_steps = step + 1;
	cell = cell_of(sums, &sums->step[step], piece->share.owner);
	if (!cell)
		return -ENOMEM;
	owner_sum_join(&cell->sum, more);
	return 0;
}

/**
 * owner_sums_add - add what an owner had in an interval
 * @sums: sums
 * @piece: what it had
 *
 * Return: 0 or -ENOMEM.
 */
int owner_sums_add(struct owner_sums *sums, const struct owner_piece *piece)
{
	const struct record_share *share = &piece->share;
	const struct owner_sum more = {
		.figures = share->figures,
		.switches = share->switches,
		.flags = share->flags,
		.source = share->source,
		.level = share->level,
	};
	int ret = make_room(sums, share->owner);

	if (ret)
		return ret;
	owner_sum_join(&sums->sum[share->owner], &more);
	return sums->keep ? add_step(sums, piece, &more) : 0;
}

/**
 * owner_sums_join_last - end with a step that is worth a table of its own
 * @sums: sums, with all that they will have
 * @end_ns: end of the recording
 *
 * A last step that is shorter than half of one joins the one before.
 *
 * Return: 0 or -ENOMEM.
 */
int owner_sums_join_last(struct owner_sums *sums, uint64_t end_ns)
{
	size_t last = sums->nr_steps - 1;
	int ret;

	if (sums->nr_steps < 2 || end_ns >= sums->start_ns + last * sums->step_ns +
					    sums->step_ns / 2)
		return 0;
	ret = merge(sums, &sums->step[last - 1], &sums->step[last]);
	free(sums->step[last].cell);
	sums->step[last] = (struct owner_step){ .nr = 0 };
	sums->nr_steps = last;
	return ret;
}

/* Is a cgroup another one, or below it? */
static bool is_in(const struct owner_list *list, uint32_t owner, uint32_t above, bool tree)
{
	while (tree && owner > above && list->owner[owner].parent < owner)
		owner = list->owner[owner].parent;
	return owner == above;
}

/**
 * owner_sums_series - what an owner had over time
 * @sums: sums with steps
 * @list: the owners of the recording
 * @owner: number of the owner
 * @tree: a cgroup with those below it
 * @series: series that was begun; with steps of the same length, or longer ones
 *
 * Return: 0 or -ENOMEM.
 */
int owner_sums_series(const struct owner_sums *sums, const struct owner_list *list,
		      uint32_t owner, bool tree, struct series *series)
{
	uint64_t begin_ns;
	size_t step, i;
	int ret = 0;

	for (step = 0; step < sums->nr_steps && !ret; step++) {
		begin_ns = sums->start_ns + step * sums->step_ns;
		if (begin_ns + sums->step_ns < begin_ns)
			break;
		for (i = 0; i < sums->step[step].nr && !ret; i++) {
			const struct owner_cell *cell = &sums->step[step].cell[i];

			if (is_in(list, cell->owner, owner, tree))
				ret = series_add(series, begin_ns, begin_ns + sums->step_ns,
						 &cell->sum.figures);
		}
	}
	return ret;
}

/**
 * owner_sums_free - free
 * @sums: sums, which may be zeroed only
 */
void owner_sums_free(struct owner_sums *sums)
{
	size_t i;

	for (i = 0; i < OWNER_STEPS_MAX && sums->step; i++)
		free(sums->step[i].cell);
	free(sums->step);
	free(sums->sum);
	free(sums->place);
	*sums = (struct owner_sums){ .nr = 0 };
}
