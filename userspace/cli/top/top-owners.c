// SPDX-License-Identifier: GPL-2.0
/*
 * topdown top: the processes or cgroups from one refresh to the next.
 *
 * A refresh is one reading, which is also the begin of the next interval.
 */
#include "top-owners.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

/**
 * top_owners_start - hold the account on, and begin an interval
 * @owners: zeroed, or ended, or with rows of a screen that stood still
 * @td: device
 * @view: which owners
 * @depth: cgroups below this level count at their ancestor; 0 for no limit
 *
 * Return: 0, or a negative error for owners_refused().
 */
int top_owners_start(struct top_owners *owners, struct topdown *td, const struct top_view *view,
		     unsigned int depth)
{
	int ret;

	ret = owners_open(&owners->owners, td, view->by,
			  view->by == OWNER_BY_CGROUP ? depth : 0);
	if (ret)
		return ret;
	owners->then_ns = topdown_owners_time(owners->owners.view);
	if (owners->by != view->by || owners->self != view->self)
		owners->interval.nr = 0;
	owners->by = view->by;
	owners->self = view->self;
	return 0;
}

/* A parent and its row, in the order of numbers. */
struct place {
	uint64_t id;
	struct row *row;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *one = a, *other = b;

	return (one->id > other->id) - (one->id < other->id);
}

static unsigned int places_of(struct place *place, const struct interval *interval)
{
	unsigned int i, nr = 0;

	for (i = 0; i < interval->nr; i++) {
		struct row *row = &interval->row[i];

		if (row->kind == ROW_CGROUP)
			place[nr++] = (struct place){ row->owner->id, row };
	}
	qsort(place, nr, sizeof(*place), compare_places);
	return nr;
}

/**
 * top_owners_link - make the tree of new rows
 * @owners: owners with rows as of owners_fill()
 * @length_ns: length of the interval
 *
 * Return: 0 or -ENOMEM.
 */
int top_owners_link(struct top_owners *owners, uint64_t length_ns)
{
	struct interval *interval = &owners->interval;
	struct place *place = calloc(interval->nr + 1, sizeof(*place)), *found;
	struct top_row *own = calloc(interval->nr + 1, sizeof(*own));
	unsigned int i, nr;
	struct row *row;

	if (!place || !own) {
		free(place);
		free(own);
		return -ENOMEM;
	}
	free(owners->own);
	owners->own = own;
	nr = places_of(place, interval);
	for (i = 0; i < interval->nr; i++) {
		struct place key = { .id = owners->owners.row[i].parent };

		row = &interval->row[i];
		if (length_ns) {
			own[i].rate = row->figures.slots * (double)NS_PER_S / length_ns;
			own[i].on_cpus = (double)row->figures.enabled_ns / length_ns;
		}
		found = key.id ? bsearch(&key, place, nr, sizeof(*place), compare_places) : NULL;
		/* Parents come first, so no chain of them is a circle. */
		own[i].parent = found && found->row < row ? found->row : NULL;
		row->own = &own[i];
	}
	free(place);
	return 0;
}

/**
 * top_owners_read - end the interval, and begin the next
 * @owners: owners that were started
 * @level: highest level that the machine has
 *
 * Return: 0, or a negative error for owners_refused(); then there are no rows.
 */
int top_owners_read(struct top_owners *owners, unsigned int level)
{
	uint64_t now_ns;
	int ret;

	ret = topdown_owners_update(owners->owners.view);
	if (ret)
		return ret;
	owners->interval.level = level;
	owners->interval.tasks = true;
	ret = owners_fill(&owners->owners, &owners->interval, owners->self, NULL);
	if (!ret)
		ret = owners_keep(&owners->owners);
	now_ns = topdown_owners_time(owners->owners.view);
	if (!ret)
		ret = top_owners_link(owners, now_ns - owners->then_ns);
	owners->then_ns = now_ns;
	if (ret)
		owners->interval.nr = 0;
	return ret;
}

static bool is_shown(const struct row *row, const struct top_view *view)
{
	if (view->hide_idle && row->kind == ROW_IDLE_TASKS)
		return false;
	if (view->min_rate && top_row(row)->rate < view->min_rate)
		return false;
	return !*view->name || strcasestr(row->owner->name, view->name) ||
	       strcasestr(row->owner->path, view->name);
}

static unsigned int level_of(const struct row *row)
{
	unsigned int level = 0;

	for (; top_parent(row); row = top_parent(row))
		level++;
	return level;
}

/* Idle time, which is no bottleneck of anybody, is last in either order. */
static int compare_rows(const struct row *one, const struct row *other,
			const struct top_view *view)
{
	struct owner_sort sort;
	int order;

	if (one->kind != other->kind && one->kind == ROW_IDLE_TASKS)
		return 1;
	if (one->kind != other->kind && other->kind == ROW_IDLE_TASKS)
		return -1;
	if (top_view_owner_sort(view, &sort))
		order = owner_compare(one, other, &sort);
	else if (one->kind == ROW_CGROUP && other->kind == ROW_CGROUP)
		order = strcmp(one->owner->path, other->owner->path);
	else
		order = strcmp(one->owner->name, other->owner->name);
	if (order)
		return view->reverse ? -order : order;
	/* Rows are in the order in which the module has owners. */
	return one < other ? -1 : one > other;
}

/* Where two rows of a tree part, their ancestors there decide. */
static int compare_tree(const struct row *one, const struct row *other,
			const struct top_view *view)
{
	unsigned int left = level_of(one), right = level_of(other);
	int deeper = (left > right) - (left < right);

	for (; left > right; left--)
		one = top_parent(one);
	for (; right > left; right--)
		other = top_parent(other);
	if (one == other)
		return deeper;
	while (top_parent(one) != top_parent(other)) {
		one = top_parent(one);
		other = top_parent(other);
	}
	return compare_rows(one, other, view);
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct row *one = *(const struct row *const *)a;
	const struct row *other = *(const struct row *const *)b;
	const struct top_view *view = arg;

	return view->self ? compare_rows(one, other, view) : compare_tree(one, other, view);
}

/**
 * top_owners_rows - filter and sort
 * @owners: owners
 * @view: view
 * @rows: room for all rows
 *
 * The ancestors of a cgroup that is shown are shown too, or it would have no place in the tree.
 *
 * Return: number of @rows.
 */
unsigned int top_owners_rows(struct top_owners *owners, const struct top_view *view,
			     const struct row **rows)
{
	const struct interval *interval = &owners->interval;
	const struct row *row;
	unsigned int i, nr = 0;

	for (i = 0; i < interval->nr; i++)
		owners->own[i].shown = false;
	for (i = 0; i < interval->nr; i++) {
		row = &interval->row[i];
		if (!is_shown(row, view))
			continue;
		for (; row && !top_row(row)->shown;
		     row = view->self ? NULL : top_parent(row))
			owners->own[row - interval->row].shown = true;
	}
	for (i = 0; i < interval->nr; i++) {
		if (owners->own[i].shown)
			rows[nr++] = &interval->row[i];
	}
	qsort_r(rows, nr, sizeof(void *), compare, (void *)view);
	return nr;
}

/**
 * top_owners_end - end the account, and free everything
 * @owners: zeroed, or started
 */
void top_owners_end(struct top_owners *owners)
{
	owners_close(&owners->owners);
	interval_free(&owners->interval);
	free(owners->own);
	memset(owners, 0, sizeof(*owners));
}
