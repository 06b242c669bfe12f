// SPDX-License-Identifier: GPL-2.0
/*
 * The cgroups that are exported, and their sums.
 *
 * The sums of a cgroup have those of all below it, also of cgroups that were removed.  So a cgroup
 * without series of its own is counted where its parent is, and what ends is not lost.
 *
 * A cgroup that has series keeps them for its life.  A place that is free goes to the cgroup with
 * the most slots.  Its parent has as many at least, so it has got its own before.
 *
 * A cgroup that ran without series is counted from when it gets them, not from when it was made: a
 * scraper may have seen an earlier cgroup of this path, and would take the rest for one jump.
 */
#include "export-cgroups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "refusal.h"
#include "text.h"

/**
 * struct living - a cgroup of the last reading
 * @record: its record
 * @index: its place in the reading, in which parents come before their children
 * @shown: it has series
 */
struct living {
	const struct topdown_owner *record;
	unsigned int index;
	bool shown;
};

/**
 * struct reading - the cgroups of the last reading, in the order of their numbers
 * @at: cgroups
 * @nr: number of @at
 * @waiting: room for the numbers of those that wait for series
 */
struct reading {
	struct living *at;
	unsigned int nr;
	uint64_t *waiting;
};

static int compare_numbers(const void *a, const void *b)
{
	uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return (one > other) - (one < other);
}

static int compare_ids(const void *a, const void *b)
{
	const struct living *one = a, *other = b;

	return (one->record->id > other->record->id) - (one->record->id < other->record->id);
}

static int compare_slots(const void *a, const void *b)
{
	const struct living *one = a, *other = b;
	uint64_t left = one->record->tree.slots, right = other->record->tree.slots;

	if (left != right)
		return left < right ? 1 : -1;
	return one->index < other->index ? -1 : 1;
}

/* Owners that are no cgroups have slots too: with them all slots of the CPUs are there. */
static void add_outside(struct export_cgroups *cgroups, const struct topdown_owner *record)
{
	if (record->what == TOPDOWN_OWNER_WHAT_IDLE)
		cgroups->idle = record->self.slots;
	else if (record->what == TOPDOWN_OWNER_WHAT_OTHERS)
		cgroups->others = record->self.slots;
}

static bool take_reading(struct export_cgroups *cgroups, struct reading *reading)
{
	unsigned int i, nr = topdown_owners_nr(cgroups->view);

	reading->nr = 0;
	reading->at = calloc(nr + 1, sizeof(*reading->at));
	reading->waiting = calloc(nr + 1, sizeof(*reading->waiting));
	if (!reading->at || !reading->waiting) {
		free(reading->at);
		free(reading->waiting);
		return false;
	}
	for (i = 0; i < nr; i++) {
		const struct topdown_owner *record = topdown_owners_get(cgroups->view, i);

		if (record->what == TOPDOWN_OWNER_WHAT_CGROUP)
			reading->at[reading->nr++] = (struct living){ record, i, false };
		else
			add_outside(cgroups, record);
	}
	qsort(reading->at, reading->nr, sizeof(*reading->at), compare_ids);
	return true;
}

static struct living *find_living(const struct reading *reading, uint64_t id)
{
	const struct topdown_owner record = { .id = id };
	const struct living key = { .record = &record };

	return bsearch(&key, reading->at, reading->nr, sizeof(key), compare_ids);
}

/* A sum that fell would be a fault of the module's; it counts again when it has caught up. */
static void grow(struct export_cgroup *row, unsigned int sum, uint64_t now)
{
	uint64_t more = now - row->seen[sum];

	if (more > INT64_MAX)
		return;
	row->seen[sum] = now;
	row->sum[sum] += more;
}

static void sums_of(uint64_t sums[EXPORT_CGROUP_SUMS], const struct topdown_owner *record)
{
	const struct topdown_figures *tree = &record->tree;

	sums[EXPORT_CGROUP_SLOTS] = tree->slots;
	sums[EXPORT_CGROUP_ENABLED] = tree->enabled_ns;
	sums[EXPORT_CGROUP_RUNNING] = tree->running_ns;
	sums[EXPORT_CGROUP_CYCLES] = tree->cycles;
	sums[EXPORT_CGROUP_INSTRUCTIONS] = tree->instructions;
	sums[EXPORT_CGROUP_SWITCHES] = record->tree_switches;
	memcpy(sums + EXPORT_CGROUP_CHILDREN, tree->children_slots, sizeof(tree->children_slots));
	memcpy(sums + EXPORT_CGROUP_NODES, tree->node, sizeof(tree->node));
}

static void grow_all(struct export_cgroup *row, const struct topdown_owner *record)
{
	uint64_t sums[EXPORT_CGROUP_SUMS];
	unsigned int i;

	sums_of(sums, record);
	for (i = 0; i < EXPORT_CGROUP_SUMS; i++)
		grow(row, i, sums[i]);
	for (i = 0; i < TOPDOWN_MAX_NODES; i++) {
		/* With drilldown a node is not counted all the time, but its series stays. */
		if (record->tree.node[i] || record->nodes >> i & 1)
			row->nodes |= 1ULL << i;
	}
}

static void forget(struct export_cgroups *cgroups, struct export_cgroup *row)
{
	if (!row->id)
		cgroups->nr_ended--;
	free(row->path);
	memmove(row, row + 1, (char *)(cgroups->rows + --cgroups->nr) - (char *)row);
}

static struct export_cgroup *find_path(const struct export_cgroups *cgroups, const char *path)
{
	unsigned int i;

	for (i = 0; i < cgroups->nr; i++) {
		if (!strcmp(cgroups->rows[i].path, path))
			return &cgroups->rows[i];
	}
	return NULL;
}

/* Forget the cgroups that ended first, if too many have ended. */
static void limit_ended(struct export_cgroups *cgroups)
{
	while (cgroups->nr_ended > cgroups->max_ended) {
		struct export_cgroup *oldest = NULL;
		unsigned int i;

		for (i = 0; i < cgroups->nr; i++) {
			struct export_cgroup *row = &cgroups->rows[i];

			if (!row->id && (!oldest || row->ended < oldest->ended))
				oldest = row;
		}
		if (!oldest)
			return;
		forget(cgroups, oldest);
	}
}

static void update_rows(struct export_cgroups *cgroups, const struct reading *reading)
{
	unsigned int i;

	for (i = 0; i < cgroups->nr; i++) {
		struct export_cgroup *row = &cgroups->rows[i];
		struct living *living = row->id ? find_living(reading, row->id) : NULL;

		if (living) {
			grow_all(row, living->record);
			living->shown = true;
		} else if (row->id) {
			row->id = 0;
			row->ended = ++cgroups->endings;
			cgroups->nr_ended++;
		}
	}
}

static size_t path_length(const struct export_cgroups *cgroups, const struct topdown_owner *record)
{
	char nothing[1];

	return topdown_owners_path(cgroups->view, record, nothing, sizeof(nothing));
}

/* The path in memory of its own, or NULL. */
static char *path_of(const struct export_cgroups *cgroups, const struct topdown_owner *record)
{
	size_t length = path_length(cgroups, record);
	char *path = malloc(length + 1);

	if (!path)
		return NULL;
	topdown_owners_path(cgroups->view, record, path, length + 1);
	/* As labels have it, so that two that look alike are known here. */
	printable_text(path, "");
	return path;
}

/*
 * A cgroup that is made again, as of a service that was restarted, goes on with the series of the
 * one before.
 */
static void revive(struct export_cgroups *cgroups, struct export_cgroup *row, uint64_t id)
{
	row->id = id;
	memset(row->seen, 0, sizeof(row->seen));
	cgroups->nr_ended--;
}

static bool has_waited(const struct export_cgroups *cgroups, uint64_t id)
{
	return cgroups->nr_waiting && bsearch(&id, cgroups->waiting, cgroups->nr_waiting,
					      sizeof(id), compare_numbers);
}

/* Return: false if there is no memory. */
static bool show(struct export_cgroups *cgroups, struct living *living)
{
	char *path = path_of(cgroups, living->record);
	struct export_cgroup *row;

	if (!path)
		return false;
	row = find_path(cgroups, path);
	if (row) {
		free(path);
		/* Long names are cut: two series of one name would make the scrape invalid. */
		if (row->id)
			return true;
		revive(cgroups, row, living->record->id);
	} else {
		row = &cgroups->rows[cgroups->nr++];
		*row = (struct export_cgroup){ .id = living->record->id, .path = path };
		container_of_path(&row->container, path);
	}
	if (has_waited(cgroups, row->id))
		sums_of(row->seen, living->record);
	grow_all(row, living->record);
	living->shown = true;
	return true;
}

/* The next reading knows who ran in this one, and got no series. */
static void keep_waiting(struct export_cgroups *cgroups, struct reading *reading, unsigned int nr)
{
	qsort(reading->waiting, nr, sizeof(*reading->waiting), compare_numbers);
	free(cgroups->waiting);
	cgroups->waiting = reading->waiting;
	cgroups->nr_waiting = nr;
	reading->waiting = NULL;
}

static bool show_more(struct export_cgroups *cgroups, struct reading *reading)
{
	unsigned int i, nr = 0;
	bool memory = true;

	qsort(reading->at, reading->nr, sizeof(*reading->at), compare_slots);
	for (i = 0; i < reading->nr && reading->at[i].record->tree.slots; i++) {
		struct living *living = &reading->at[i];

		if (!living->shown && cgroups->nr - cgroups->nr_ended < cgroups->max && memory &&
		    path_length(cgroups, living->record) <= EXPORT_PATH_MAX)
			memory = show(cgroups, living);
		if (!living->shown)
			reading->waiting[nr++] = living->record->id;
	}
	keep_waiting(cgroups, reading, nr);
	return memory;
}

static int start(struct export_cgroups *cgroups, struct topdown *td)
{
	/* A cgroup that has just ended has a place until the places are counted. */
	size_t room = 2 * (size_t)cgroups->max + cgroups->max_ended;

	cgroups->rows = calloc(room, sizeof(*cgroups->rows));
	if (!cgroups->rows)
		return -ENOMEM;
	return topdown_owners_open(&cgroups->view, td, TOPDOWN_OWNERS_CGROUPS, cgroups->depth);
}

static int look(struct export_cgroups *cgroups, struct topdown *td)
{
	struct reading reading;
	int ret;

	ret = cgroups->view ? topdown_owners_update(cgroups->view) : start(cgroups, td);
	if (ret)
		return ret;
	if (!take_reading(cgroups, &reading))
		return -ENOMEM;
	update_rows(cgroups, &reading);
	if (!show_more(cgroups, &reading))
		ret = -ENOMEM;
	limit_ended(cgroups);
	free(reading.at);
	return ret;
}

/**
 * export_cgroups_update - look again
 * @cgroups: device, wanted, depth and limits, and otherwise zeroed before the first time
 * @td: the module; NULL if it cannot be read now
 *
 * An account that could not begin is asked for again at the next scrape.
 */
void export_cgroups_update(struct export_cgroups *cgroups, struct topdown *td)
{
	char reason[EXPORT_REASON_SIZE];
	int ret;

	cgroups->up = false;
	if (!cgroups->wanted || !td)
		return;
	ret = look(cgroups, td);
	if (ret) {
		message_hold(reason, sizeof(reason));
		refusal_owners(cgroups->device, -ret);
		message_hold(NULL, 0);
		export_tell(&cgroups->told, "--cgroups", reason);
		if (!cgroups->view)
			export_cgroups_end(cgroups);
		return;
	}
	export_told_clear(&cgroups->told);
	cgroups->up = true;
}

/**
 * export_cgroups_end - end the account, and free all
 * @cgroups: cgroups, or none
 */
void export_cgroups_end(struct export_cgroups *cgroups)
{
	unsigned int i;

	topdown_owners_close(cgroups->view);
	for (i = 0; i < cgroups->nr; i++)
		free(cgroups->rows[i].path);
	free(cgroups->rows);
	free(cgroups->waiting);
	cgroups->view = NULL;
	cgroups->rows = NULL;
	cgroups->waiting = NULL;
	cgroups->nr = 0;
	cgroups->nr_ended = 0;
	cgroups->nr_waiting = 0;
	cgroups->up = false;
}
