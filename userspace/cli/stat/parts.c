// SPDX-License-Identifier: GPL-2.0
/*
 * A measurement that was interrupted, by "disable" of --control: the sums of its parts. What was
 * between them is in none.
 */
#include "parts.h"

#include <errno.h>
#include <stdlib.h>

#include "sums.h"

static bool is_same(const struct row *one, const struct row *other)
{
	return one->kind == other->kind && one->task == other->task && one->cpu == other->cpu &&
	       one->core_id == other->core_id && one->socket == other->socket &&
	       one->numa == other->numa;
}

static struct row *find(struct interval *sum, const struct row *row)
{
	unsigned int i;

	for (i = 0; i < sum->nr; i++) {
		if (is_same(&sum->row[i], row))
			return &sum->row[i];
	}
	return NULL;
}

static void add_row(struct row *to, const struct row *more)
{
	/* A part in which nothing ran has no level. */
	if (more->level && (!to->level || more->level < to->level))
		to->level = more->level;
	topdown_figures_add(&to->figures, &more->figures, to->level);
	to->source = td_source_join(to->source, more->source);
	to->state = to->task ? more->state : td_state_worse(to->state, more->state);
	to->flags |= more->flags;
	to->turns = td_turns_more(to->turns, more->turns);
	if (more->nr_cpus > to->nr_cpus)
		to->nr_cpus = more->nr_cpus;
	to->time_ns += more->time_ns;
	to->expected_ns += more->expected_ns;
	to->session.merged_ns += more->session.merged_ns;
	to->session.switches += more->session.switches;
	to->session.incomplete |= more->session.incomplete;
}

static struct row *new_row(struct interval *sum, const struct row *row)
{
	struct row *more;

	if (sum->nr == sum->room) {
		more = reallocarray(sum->row, sum->room + 16, sizeof(*more));
		if (!more)
			return NULL;
		sum->row = more;
		sum->room += 16;
		if (row->session.cores && interval_cores(sum))
			return NULL;
	}
	more = &sum->row[sum->nr];
	*more = *row;
	if (row->session.cores)
		more->session.cores = &sum->cores[sum->nr];
	sum->nr++;
	return more;
}

/**
 * parts_add - add a part
 * @sum: sums of the parts; zeroed before the first, and freed by interval_free()
 * @part: a part
 *
 * Return: 0 or -ENOMEM.
 */
int parts_add(struct interval *sum, const struct interval *part)
{
	struct row *row;
	unsigned int i;

	for (i = 0; i < part->nr; i++) {
		row = find(sum, &part->row[i]);
		if (row)
			add_row(row, &part->row[i]);
		else
			row = new_row(sum, &part->row[i]);
		if (!row)
			return -ENOMEM;
		if (row->session.cores)
			row_cores_add(&sum->cores[row - sum->row], part->row[i].session.cores,
				      row->level);
	}
	sum->time = part->time;
	sum->length += part->length;
	sum->elapsed = part->elapsed;
	sum->level = part->level;
	sum->tasks = part->tasks;
	sum->command = part->command;
	return 0;
}
