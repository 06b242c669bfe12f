// SPDX-License-Identifier: GPL-2.0
/*
 * The owners of a recording in their order, and their rows.
 */
#include "owner-listing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics.h"
#include "clock.h"

/**
 * owner_listing_make - set up
 * @options: the command line
 * @summary: the recording
 * @level: highest level of the rows
 *
 * Return: a listing without rows; NULL if there is no memory.
 */
struct owner_listing *owner_listing_make(const struct report_options *options,
					 const struct summary *summary, unsigned int level)
{
	struct owner_listing *listing = calloc(1, sizeof(*listing));

	if (!listing)
		return NULL;
	listing->summary = summary;
	listing->sort = &options->sort;
	listing->options = options;
	listing->self = options->self;
	listing->nr_sums = summary->recording.owners.nr;
	listing->sum = calloc(listing->nr_sums + 1, sizeof(*listing->sum));
	listing->place = calloc(listing->nr_sums + 1, sizeof(*listing->place));
	listing->interval.level = level;
	listing->interval.tasks = true;
	if (listing->sum && listing->place && !interval_make(&listing->interval, OWNER_ROWS))
		return listing;
	owner_listing_free(listing);
	return NULL;
}

static int compare(const void *a, const void *b)
{
	const struct owner_place *one = a, *other = b;

	if (one->last != other->last)
		return one->last ? 1 : -1;
	if (one->value != other->value)
		return one->value < other->value ? 1 : -1;
	if (one->slots != other->slots)
		return one->slots < other->slots ? 1 : -1;
	return (one->owner > other->owner) - (one->owner < other->owner);
}

/* From the last on, so that each parent gets what all below it have. */
static void add_trees(struct owner_listing *listing)
{
	const struct record_owner *owner = listing->summary->recording.owners.owner;
	uint32_t i, flags;

	for (i = listing->nr_sums; i--;) {
		struct owner_sum *to;

		if (!listing->sum[i].used || owner[i].parent >= i)
			continue;
		to = &listing->sum[owner[i].parent];
		flags = to->flags;
		owner_sum_join(to, &listing->sum[i]);
		to->flags = flags;
	}
}

/* Nodes that the cores have on which it ran, as in the library. */
static uint32_t nodes_of(unsigned int level, const struct owner_sum *sum)
{
	uint32_t nodes = td_nodes_of_level(level);

	if (sum->source != TOPDOWN_SOURCE_AMD)
		nodes &= ~(1U << TOPDOWN_SMT_CONTENTION);
	if (!sum->figures.node[TOPDOWN_RESOURCE_BOUND])
		nodes &= ~(1U << TOPDOWN_RESOURCE_BOUND);
	else if (!sum->figures.node[TOPDOWN_MEMORY_BOUND])
		nodes &= ~(1U << TOPDOWN_MEMORY_BOUND);
	return nodes;
}

/**
 * owner_sum_ratios - fill in the ratios of a sum
 * @sum: the sum of an owner, or of several
 * @level: highest level
 */
void owner_sum_ratios(struct owner_sum *sum, unsigned int level)
{
	td_figures_ratios(&sum->figures, nodes_of(level, sum));
}

/**
 * owner_listing_nodes - nodes that any owner has
 * @summary: the recording
 *
 * Return: bit n for node n.
 */
uint32_t owner_listing_nodes(const struct summary *summary)
{
	uint32_t nodes = 0, i;

	for (i = 0; i < summary->owners.nr; i++) {
		struct owner_sum sum = summary->owners.sum[i];

		if (!sum.used)
			continue;
		owner_sum_ratios(&sum, 2);
		nodes |= td_nodes_of_figures(&sum.figures);
	}
	return nodes;
}

/**
 * owner_listing_ipc - does any owner have instructions per cycle?
 * @summary: the recording
 */
bool owner_listing_ipc(const struct summary *summary)
{
	uint32_t i;

	for (i = 0; i < summary->owners.nr; i++) {
		if (!isnan(topdown_figures_ipc(&summary->owners.sum[i].figures)))
			return true;
	}
	return false;
}

/* By its number or path, if the command line has such. */
static bool is_chosen(const struct owner_listing *listing, uint32_t owner)
{
	const struct owner_list *list = &listing->summary->recording.owners;
	const struct record_owner *own = &list->owner[owner];
	const struct idlist *pids = &listing->options->pids;
	const char *cgroups = listing->options->cgroups;
	char path[sizeof(listing->name[0].path)];
	unsigned int i;

	for (i = 0; i < pids->nr; i++) {
		if (own->what == TOPDOWN_OWNER_WHAT_PROCESS && own->id == (uint64_t)pids->id[i])
			return true;
	}
	if (!cgroups)
		return !pids->nr;
	owner_list_path(list, owner, path, sizeof(path));
	return own->what == TOPDOWN_OWNER_WHAT_CGROUP && owner_named(cgroups, path);
}

/* The sums of the owners alone are there. */
static void put_in_order(struct owner_listing *listing)
{
	const struct record_owner *owner = listing->summary->recording.owners.owner;
	uint32_t i;

	listing->nr = 0;
	listing->slots = 0;
	for (i = 0; i < listing->nr_sums; i++)
		listing->slots += listing->sum[i].figures.slots;
	if (!listing->self)
		add_trees(listing);
	for (i = 0; i < listing->nr_sums; i++) {
		struct owner_sum *sum = &listing->sum[i];

		if (!sum->used || !is_chosen(listing, i))
			continue;
		owner_sum_ratios(sum, listing->interval.level);
		listing->place[listing->nr++] = (struct owner_place){
			.owner = i,
			.last = owner[i].what == TOPDOWN_OWNER_WHAT_IDLE,
			.value = owner_sort_value(&sum->figures, listing->sort),
			.slots = sum->figures.slots,
		};
	}
	qsort(listing->place, listing->nr, sizeof(*listing->place), compare);
}

static void set_times(struct owner_listing *listing, uint64_t begin_ns, uint64_t end_ns,
		      uint64_t start_ns)
{
	struct interval *interval = &listing->interval;

	interval->length = (end_ns - begin_ns) / (double)NS_PER_S;
	interval->elapsed = (end_ns - start_ns) / (double)NS_PER_S;
	interval->time = recording_epoch(&listing->summary->recording, end_ns);
}

/**
 * owner_listing_all - list what owners had in all
 * @listing: listing
 */
void owner_listing_all(struct owner_listing *listing)
{
	const struct summary *summary = listing->summary;
	const struct owner_sums *sums = &summary->owners;
	uint32_t nr = sums->nr < listing->nr_sums ? sums->nr : listing->nr_sums;
	uint64_t begin_ns = recording_begin_ns(&summary->recording);
	uint64_t end_ns = recording_end_ns(&summary->recording);

	memset(listing->sum, 0, listing->nr_sums * sizeof(*listing->sum));
	if (nr)
		memcpy(listing->sum, sums->sum, nr * sizeof(*listing->sum));
	put_in_order(listing);
	set_times(listing, begin_ns, end_ns > begin_ns ? end_ns : begin_ns, begin_ns);
}

/**
 * owner_listing_step - list what owners had in a step
 * @listing: listing
 * @step: its number
 */
void owner_listing_step(struct owner_listing *listing, size_t step)
{
	const struct owner_sums *sums = &listing->summary->owners;
	uint64_t begin_ns = sums->start_ns + step * sums->step_ns;
	uint64_t end_ns = begin_ns + sums->step_ns, last_ns = summary_end_ns(listing->summary);
	size_t i;

	/* The last step ends with the recording. */
	if (last_ns > begin_ns && (end_ns > last_ns || step + 1 == sums->nr_steps))
		end_ns = last_ns;
	memset(listing->sum, 0, listing->nr_sums * sizeof(*listing->sum));
	for (i = 0; i < sums->step[step].nr; i++)
		listing->sum[sums->step[step].cell[i].owner] = sums->step[step].cell[i].sum;
	put_in_order(listing);
	set_times(listing, begin_ns, end_ns, sums->start_ns);
}

static void name_row(const struct owner_listing *listing, uint32_t owner, struct owner_row *name)
{
	static const char *const names[] = {
		[TOPDOWN_OWNER_WHAT_IDLE] = "idle", [TOPDOWN_OWNER_WHAT_OTHERS] = "others",
		[TOPDOWN_OWNER_WHAT_ENDED] = "ended",
	};
	const struct owner_list *list = &listing->summary->recording.owners;
	const struct record_owner *own = &list->owner[owner];
	const char *text = own->name;

	*name = (struct owner_row){
		.id = own->id,
		.parent = own->parent,
		.share = listing->slots ? listing->sum[owner].figures.slots /
					  (double)listing->slots : 0,
	};
	owner_list_path(list, owner, name->path, sizeof(name->path));
	if (own->what == TOPDOWN_OWNER_WHAT_PROCESS)
		name->task.pid = own->id;
	else if (own->what == TOPDOWN_OWNER_WHAT_CGROUP)
		text = own->level ? text : "/";
	else
		text = names[own->what];
	snprintf(name->name, sizeof(name->name), "%s", text);
}

static void fill_row(const struct owner_listing *listing, uint32_t owner,
		     struct owner_row *name, struct row *row)
{
	static const enum row_kind kinds[] = {
		[TOPDOWN_OWNER_WHAT_PROCESS] = ROW_PROCESS,
		[TOPDOWN_OWNER_WHAT_CGROUP] = ROW_CGROUP,
		[TOPDOWN_OWNER_WHAT_IDLE] = ROW_IDLE_TASKS,
		[TOPDOWN_OWNER_WHAT_OTHERS] = ROW_OTHERS,
		[TOPDOWN_OWNER_WHAT_ENDED] = ROW_ENDED,
	};
	const struct record_owner *own = &listing->summary->recording.owners.owner[owner];
	const struct owner_sum *sum = &listing->sum[owner];

	*row = (struct row){
		.kind = kinds[own->what],
		.task = &name->task,
		.owner = name,
		.state = sum->flags & TOPDOWN_OWNER_EXITED ? TOPDOWN_SESSION_STATE_EXITED :
							     TOPDOWN_SESSION_STATE_RUNNING,
		.source = sum->source,
		.level = row_level(sum->level, &listing->interval),
		.figures = sum->figures,
		.session.switches = sum->switches,
	};
	row_expect(row);
}

/**
 * owner_listing_row - make the row of an owner
 * @listing: listing of all, or of a step
 * @owner: number of the owner
 * @name: where its names go, which the row points to
 * @row: where to
 */
void owner_listing_row(const struct owner_listing *listing, uint32_t owner,
		       struct owner_row *name, struct row *row)
{
	name_row(listing, owner, name);
	fill_row(listing, owner, name, row);
}

/**
 * owner_listing_rows - make rows
 * @listing: listing of all, or of a step
 * @from: place of the first
 * @until: place after the last; at most OWNER_ROWS more than @from
 */
void owner_listing_rows(struct owner_listing *listing, uint32_t from, uint32_t until)
{
	struct interval *interval = &listing->interval;

	interval->nr = 0;
	for (; from < until && from < listing->nr && interval->nr < OWNER_ROWS; from++) {
		owner_listing_row(listing, listing->place[from].owner,
				  &listing->name[interval->nr], &interval->row[interval->nr]);
		interval->nr++;
	}
}

/**
 * owner_listing_free - free
 * @listing: may be NULL
 */
void owner_listing_free(struct owner_listing *listing)
{
	if (!listing)
		return;
	interval_free(&listing->interval);
	free(listing->sum);
	free(listing->place);
	free(listing);
}
