// SPDX-License-Identifier: GPL-2.0
/*
 * The owners of two recordings, paired by what is the same in both.
 *
 * Numbers of processes and of cgroups are others after each start.  A cgroup keeps its path, and a
 * process the name of its program.  Several processes may have one name, which are one owner here.
 */
#include "owner-pairs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "owner-name.h"

/* With a smaller share, the nodes of an owner depend on what ran beside it. */
#define SHARE_LEAST	0.001

static int compare_entries(const void *a, const void *b)
{
	const struct owner_entry *one = a, *other = b;
	int names;

	if (one->kind != other->kind)
		return one->kind < other->kind ? -1 : 1;
	names = strcmp(one->name, other->name);
	if (names)
		return names;
	if (one->half != other->half)
		return one->half < other->half ? -1 : 1;
	return (one->owner > other->owner) - (one->owner < other->owner);
}

static int add_entries(struct owner_pairs *pairs, unsigned int half)
{
	const struct owner_listing *listing = pairs->listing[half];
	struct owner_row name;
	struct row row;
	uint32_t i;

	for (i = 0; i < listing->nr; i++) {
		struct owner_entry *entry = &pairs->entry[pairs->nr_entries];

		owner_listing_row(listing, listing->place[i].owner, &name, &row);
		*entry = (struct owner_entry){
			.name = strdup(owner_name(&row)),
			.kind = row.kind,
			.half = half,
			.owner = listing->place[i].owner,
		};
		if (!entry->name)
			return -ENOMEM;
		pairs->nr_entries++;
	}
	return 0;
}

static bool is_next(const struct owner_entry *entry, const struct owner_pair *pair)
{
	return entry->kind != pair->kind || strcmp(entry->name, pair->name);
}

/* Neighbours of one name are a pair. */
static void make_pairs(struct owner_pairs *pairs)
{
	struct owner_pair *pair = NULL;
	struct owner_half *half;
	size_t i;

	for (i = 0; i < pairs->nr_entries; i++) {
		const struct owner_entry *entry = &pairs->entry[i];

		pairs->number[i] = entry->owner;
		if (!pair || is_next(entry, pair)) {
			pair = &pairs->pair[pairs->nr++];
			pair->name = entry->name;
			pair->kind = entry->kind;
		}
		half = &pair->half[entry->half];
		if (!half->nr++)
			half->owner = &pairs->number[i];
		owner_sum_join(&half->sum, &pairs->listing[entry->half]->sum[entry->owner]);
	}
}

/* As the rows of a report do it: whether anything is said of a row with these figures. */
static bool is_doubtful(const struct owner_listing *listing, const struct owner_half *half)
{
	struct owner_row name;
	struct row row;

	owner_listing_row(listing, half->owner[0], &name, &row);
	row.figures = half->sum.figures;
	row_expect(&row);
	return half->share < SHARE_LEAST || row_doubt(&row) == ROW_LITTLE;
}

/* A longer recording has more slots and time, which is no reason to be the first. */
static double value_of(const struct owner_listing *listing, const struct owner_half *half)
{
	double value = owner_sort_value(&half->sum.figures, listing->sort);

	switch (listing->sort->key) {
	case OWNER_KEY_IPC:
		return value;
	case OWNER_KEY_TIME:
		return listing->interval.length > 0 ? value / listing->interval.length : 0;
	default:
		return listing->slots ? value / listing->slots : 0;
	}
}

static void finish(const struct owner_pairs *pairs, struct owner_pair *pair)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		const struct owner_listing *listing = pairs->listing[i];
		struct owner_half *half = &pair->half[i];

		if (!half->nr)
			continue;
		owner_sum_ratios(&half->sum, listing->interval.level);
		half->share = listing->slots ? (double)half->sum.figures.slots / listing->slots : 0;
		half->doubtful = is_doubtful(listing, half);
		pair->value += value_of(listing, half);
	}
}

/*
 * The first ones are compared.  By the sum of both, as a choice by the larger one would prefer
 * those that differ by chance.
 */
static int compare_pairs(const void *a, const void *b)
{
	const struct owner_pair *one = a, *other = b;
	bool idle = one->kind == ROW_IDLE_TASKS, last = other->kind == ROW_IDLE_TASKS;

	if (idle != last)
		return idle ? 1 : -1;
	if (one->value != other->value)
		return one->value < other->value ? 1 : -1;
	return strcmp(one->name, other->name);
}

static uint32_t count_names(const struct owner_pairs *pairs)
{
	uint32_t nr = 0;
	size_t i;

	for (i = 0; i < pairs->nr_entries; i++)
		nr += !i || pairs->entry[i].kind != pairs->entry[i - 1].kind ||
		      strcmp(pairs->entry[i].name, pairs->entry[i - 1].name);
	return nr;
}

static int fill(struct owner_pairs *pairs)
{
	size_t nr = (size_t)pairs->listing[0]->nr + pairs->listing[1]->nr;
	uint32_t i;

	pairs->entry = calloc(nr + 1, sizeof(*pairs->entry));
	pairs->number = calloc(nr + 1, sizeof(*pairs->number));
	if (!pairs->entry || !pairs->number || add_entries(pairs, 0) || add_entries(pairs, 1))
		return -ENOMEM;
	qsort(pairs->entry, pairs->nr_entries, sizeof(*pairs->entry), compare_entries);
	pairs->pair = calloc(count_names(pairs) + 1, sizeof(*pairs->pair));
	if (!pairs->pair)
		return -ENOMEM;
	make_pairs(pairs);
	for (i = 0; i < pairs->nr; i++)
		finish(pairs, &pairs->pair[i]);
	qsort(pairs->pair, pairs->nr, sizeof(*pairs->pair), compare_pairs);
	return 0;
}

/**
 * owner_pairs_make - pair the owners of two recordings
 * @pairs: where to; the caller frees it in any case
 * @options: the command line
 * @before: the one, with steps of owners
 * @after: the other
 * @level: highest level of nodes
 *
 * Return: 0 or -ENOMEM.
 */
int owner_pairs_make(struct owner_pairs *pairs, const struct report_options *options,
		     const struct summary *before, const struct summary *after, unsigned int level)
{
	unsigned int i;

	*pairs = (struct owner_pairs){ .nr = 0 };
	for (i = 0; i < 2; i++) {
		pairs->listing[i] = owner_listing_make(options, i ? after : before, level);
		if (!pairs->listing[i])
			return -ENOMEM;
		owner_listing_all(pairs->listing[i]);
	}
	return fill(pairs);
}

/**
 * owner_pair_both - does a name have owners in both recordings?
 * @pair: the name
 */
bool owner_pair_both(const struct owner_pair *pair)
{
	return pair->half[0].nr && pair->half[1].nr;
}

/* The owners of a name, and of cgroups what is below them; parents have lower numbers. */
static bool *mark(const struct owner_listing *listing, const struct owner_half *half)
{
	const struct owner_list *list = &listing->summary->recording.owners;
	bool *in = calloc(list->nr + 1, sizeof(*in));
	uint32_t i;

	if (!in)
		return NULL;
	for (i = 0; i < half->nr; i++)
		in[half->owner[i]] = true;
	for (i = 0; i < list->nr && !listing->self; i++)
		in[i] |= list->owner[i].parent < i && in[list->owner[i].parent];
	return in;
}

/* What is marked in a step, and @slots of all. */
static struct owner_sum add_up(const struct owner_step *step, const bool *in, uint64_t *slots)
{
	struct owner_sum sum = { .used = false };
	size_t i;

	*slots = 0;
	for (i = 0; i < step->nr; i++) {
		*slots += step->cell[i].sum.figures.slots;
		if (in[step->cell[i].owner])
			owner_sum_join(&sum, &step->cell[i].sum);
	}
	return sum;
}

static int add_step(const struct owner_sums *sums, size_t step, const bool *in,
		    struct series *own, struct series *share)
{
	uint64_t begin_ns = sums->start_ns + step * sums->step_ns, slots;
	uint64_t end_ns = begin_ns + sums->step_ns;
	struct owner_sum sum = add_up(&sums->step[step], in, &slots);
	const struct topdown_figures part = {
		.instructions = sum.figures.slots, .cycles = slots,
	};

	owner_sum_ratios(&sum, own->level);
	return series_add(own, begin_ns, end_ns, &sum.figures) ||
	       series_add(share, begin_ns, end_ns, &part) ? -ENOMEM : 0;
}

/**
 * owner_pair_series - what the owners of a name had over time
 * @pairs: pairs
 * @pair: a name with owners in this recording
 * @half: 0 for before, 1 for after
 * @own: their figures; the caller frees it in any case
 * @share: their slots as instructions, and those of all owners as cycles, so that a mean of IPC is
 *	the share; the caller frees it in any case
 *
 * Return: 0 or -ENOMEM.
 */
int owner_pair_series(const struct owner_pairs *pairs, const struct owner_pair *pair,
		      unsigned int half, struct series *own, struct series *share)
{
	const struct owner_listing *listing = pairs->listing[half];
	const struct owner_sums *sums = &listing->summary->owners;
	bool *in = mark(listing, &pair->half[half]);
	int ret = in ? 0 : -ENOMEM;
	size_t step;

	series_begin(own, sums->start_ns, sums->step_ns, listing->interval.level);
	series_begin(share, sums->start_ns, sums->step_ns, listing->interval.level);
	for (step = 0; step < sums->nr_steps && !ret; step++)
		ret = add_step(sums, step, in, own, share);
	free(in);
	return ret;
}

/**
 * owner_pairs_free - free
 * @pairs: pairs, which may be zeroed only
 */
void owner_pairs_free(struct owner_pairs *pairs)
{
	size_t i;

	for (i = 0; i < pairs->nr_entries; i++)
		free(pairs->entry[i].name);
	free(pairs->entry);
	free(pairs->number);
	free(pairs->pair);
	owner_listing_free(pairs->listing[0]);
	owner_listing_free(pairs->listing[1]);
	*pairs = (struct owner_pairs){ .nr = 0 };
}
