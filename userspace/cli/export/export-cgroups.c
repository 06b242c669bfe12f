// SPDX-License-Identifier: GPL-2.0
/*
 * The cgroups that are exported, and their sums.
 *
 * The sums of a cgroup have those of all below it, also of cgroups that were removed.  So a cgroup
 * without series of its own is counted where its parent is, and what ends is not lost.
 *
 * A place that is free goes to the cgroup with the most slots.  Its parent has as many at least, so
 * it has got its own before.
 *
 * A cgroup keeps its place for its life, unless its branch has far more than its share.  Users make
 * cgroups too, and so many in a branch of their own that nobody else had a place.  So one that
 * has waited for a reading looks where its path parts from those of others.  It takes a place of a
 * branch there that has more than twice as many as its own would have.  Each time the two are less
 * unlike than before, so this ends, and no two cgroups take a place from each other in turn.  A
 * branch of two loses none.  One that ends at once takes no place of a living one.
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
 * @parent: the cgroup that it is in; NULL of the root
 * @places: how many of its branch have series: of itself and all below it
 * @largest: the cgroup in it with the most @places; NULL if it has none
 */
struct living {
	const struct topdown_owner *record;
	unsigned int index;
	bool shown;
	struct living *parent;
	unsigned int places;
	struct living *largest;
};

/**
 * struct reading - the cgroups of the last reading, in the order of their numbers
 * @at: cgroups
 * @nr: number of @at
 * @order: the same, those with the most slots first
 * @counted: the largest of each branch are known
 * @waiting: room for the numbers of those that wait for series
 */
struct reading {
	struct living *at;
	unsigned int nr;
	struct living **order;
	bool counted;
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
	const struct living *one = *(struct living *const *)a, *other = *(struct living *const *)b;
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

static struct living *find_living(const struct reading *reading, uint64_t id)
{
	const struct topdown_owner record = { .id = id };
	const struct living key = { .record = &record };

	return bsearch(&key, reading->at, reading->nr, sizeof(key), compare_ids);
}

static void free_reading(struct reading *reading)
{
	free(reading->at);
	free(reading->order);
	free(reading->waiting);
}

static void put_in_order(struct reading *reading)
{
	unsigned int i;

	qsort(reading->at, reading->nr, sizeof(*reading->at), compare_ids);
	for (i = 0; i < reading->nr; i++) {
		struct living *living = &reading->at[i];
		struct living *parent = find_living(reading, living->record->parent);

		/* Whatever the module says, there is no way in a circle. */
		if (parent && parent->index < living->index)
			living->parent = parent;
		reading->order[i] = living;
	}
	qsort(reading->order, reading->nr, sizeof(struct living *), compare_slots);
}

static bool take_reading(struct export_cgroups *cgroups, struct reading *reading)
{
	unsigned int i, nr = topdown_owners_nr(cgroups->view);

	*reading = (struct reading){
		.at = calloc(nr + 1, sizeof(*reading->at)),
		.order = calloc(nr + 1, sizeof(struct living *)),
		.waiting = calloc(nr + 1, sizeof(*reading->waiting)),
	};
	if (!reading->at || !reading->order || !reading->waiting) {
		free_reading(reading);
		return false;
	}
	for (i = 0; i < nr; i++) {
		const struct topdown_owner *record = topdown_owners_get(cgroups->view, i);

		if (record->what == TOPDOWN_OWNER_WHAT_CGROUP)
			reading->at[reading->nr++] = (struct living){
				.record = record, .index = i,
			};
		else
			add_outside(cgroups, record);
	}
	put_in_order(reading);
	return true;
}

static void set_shown(struct reading *reading, struct living *living, bool shown)
{
	living->shown = shown;
	for (; living; living = living->parent)
		living->places += shown ? 1 : -1;
	reading->counted = false;
}

/* In @order, so of those that have as many places the one with the fewest slots. */
static void count_branches(struct reading *reading)
{
	unsigned int i;

	for (i = 0; i < reading->nr; i++)
		reading->at[i].largest = NULL;
	for (i = 0; i < reading->nr; i++) {
		struct living *living = reading->order[i], *parent = living->parent;

		if (living->places && parent &&
		    (!parent->largest || living->places >= parent->largest->places))
			parent->largest = living;
	}
	reading->counted = true;
}

/* The cgroup with series that has to give its place to one without, or NULL. */
static struct living *find_victim(struct reading *reading, const struct living *branch)
{
	struct living *victim = NULL;

	if (!reading->counted)
		count_branches(reading);
	/* The larger branch is another one.  Where paths part nearest to the root counts. */
	for (; branch->parent; branch = branch->parent) {
		struct living *largest = branch->parent->largest;

		if (largest && largest->places > 2 * (branch->places + 1))
			victim = largest;
	}
	while (victim && victim->largest)
		victim = victim->largest;
	return victim;
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

static void update_rows(struct export_cgroups *cgroups, struct reading *reading)
{
	unsigned int i;

	for (i = 0; i < cgroups->nr; i++) {
		struct export_cgroup *row = &cgroups->rows[i];
		struct living *living = row->id ? find_living(reading, row->id) : NULL;

		if (living) {
			grow_all(row, living->record);
			set_shown(reading, living, true);
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

/*
 * Its slots are in its parent too, so none are lost.  It was in the largest branch, so it finds no
 * larger one before the next reading, where it has waited.
 */
static void lose_place(struct export_cgroups *cgroups, struct reading *reading,
		       struct living *victim)
{
	unsigned int i;

	for (i = 0; cgroups->rows[i].id != victim->record->id; i++)
		;
	forget(cgroups, &cgroups->rows[i]);
	set_shown(reading, victim, false);
}

/* In the place of @victim, if there is one.  Return: false if there is no memory. */
static bool show(struct export_cgroups *cgroups, struct reading *reading, struct living *living,
		 struct living *victim)
{
	char *path = path_of(cgroups, living->record);
	struct export_cgroup *row;

	if (!path)
		return false;
	row = find_path(cgroups, path);
	/* Long names are cut: two series of one name would make the scrape invalid. */
	if (row && row->id) {
		free(path);
		return true;
	}
	if (victim) {
		lose_place(cgroups, reading, victim);
		row = find_path(cgroups, path);
	}
	if (row) {
		free(path);
		revive(cgroups, row, living->record->id);
	} else {
		row = &cgroups->rows[cgroups->nr++];
		*row = (struct export_cgroup){ .id = living->record->id, .path = path };
		container_of_path(&row->container, path);
	}
	if (has_waited(cgroups, row->id))
		sums_of(row->seen, living->record);
	grow_all(row, living->record);
	set_shown(reading, living, true);
	return true;
}

/* The next reading knows who ran in this one, and got no series. */
static void keep_waiting(struct export_cgroups *cgroups, struct reading *reading)
{
	unsigned int i, nr = 0;

	for (i = 0; i < reading->nr; i++) {
		const struct living *living = &reading->at[i];

		if (!living->shown && living->record->tree.slots)
			reading->waiting[nr++] = living->record->id;
	}
	free(cgroups->waiting);
	cgroups->waiting = reading->waiting;
	cgroups->nr_waiting = nr;
	reading->waiting = NULL;
}

static bool show_more(struct export_cgroups *cgroups, struct reading *reading)
{
	bool memory = true;
	unsigned int i;

	for (i = 0; i < reading->nr && reading->order[i]->record->tree.slots && memory; i++) {
		bool full = cgroups->nr - cgroups->nr_ended >= cgroups->max;
		struct living *living = reading->order[i], *victim = NULL;

		if (living->shown)
			continue;
		if (full && has_waited(cgroups, living->record->id))
			victim = find_victim(reading, living);
		if ((!full || victim) && path_length(cgroups, living->record) <= EXPORT_PATH_MAX)
			memory = show(cgroups, reading, living, victim);
	}
	keep_waiting(cgroups, reading);
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
	free_reading(&reading);
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
