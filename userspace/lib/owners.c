// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Owners: a descriptor of the module, and all owners as of the last reading.
 */
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "metrics.h"
#include "sums.h"

/* Room for as many more than there were. */
#define TD_OWNERS_MORE	64

/* More levels than cgroups can have. */
#define TD_OWNERS_LEVELS	64

/*
 * @fd: descriptor; -1 for a copy
 * @nr: number of records
 * @room: number that @owner has room for
 * @owner: records, parents before their children
 * @sorted: the same in the order of td_owners_compare(), to find them in
 */
struct topdown_owners_view {
	int fd;
	unsigned int nr;
	unsigned int room;
	uint64_t since_ns;
	uint64_t time_ns;
	struct topdown_owner *owner;
	const struct topdown_owner **sorted;
};

static int td_owners_compare(const void *one, const void *other)
{
	const struct topdown_owner *a = *(const struct topdown_owner *const *)one;
	const struct topdown_owner *b = *(const struct topdown_owner *const *)other;

	if (a->what != b->what)
		return a->what < b->what ? -1 : 1;
	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static int td_owners_sort(struct topdown_owners_view *view)
{
	unsigned int i;

	view->sorted = calloc(view->nr + 1, sizeof(void *));
	if (!view->sorted)
		return -ENOMEM;
	for (i = 0; i < view->nr; i++)
		view->sorted[i] = &view->owner[i];
	qsort(view->sorted, view->nr, sizeof(void *), td_owners_compare);
	return 0;
}

static void td_owners_free(struct topdown_owners_view *view)
{
	free(view->owner);
	free(view->sorted);
}

TD_API int topdown_owners_open(struct topdown_owners_view **view, struct topdown *td,
			       unsigned int kind, unsigned int depth)
{
	struct topdown_owners arg = { .size = sizeof(arg), .kind = kind, .depth = depth };
	struct topdown_owners_view *new;
	int ret;

	if (!topdown_has(td, TOPDOWN_FEATURE_OWNERS))
		return -EOPNOTSUPP;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->fd = td_ioctl_fd(td->fd, TOPDOWN_OWNERS, &arg);
	ret = new->fd < 0 ? new->fd : topdown_owners_update(new);
	if (ret) {
		topdown_owners_close(new);
		return ret;
	}
	*view = new;
	return 0;
}

TD_API void topdown_owners_close(struct topdown_owners_view *view)
{
	if (!view)
		return;
	if (view->fd >= 0)
		close(view->fd);
	td_owners_free(view);
	free(view);
}

/* One call more, after those that are there. */
static int td_owners_more(struct topdown_owners_view *view, uint64_t *cursor)
{
	struct topdown_owners_read read = {
		.size = sizeof(read),
		.record_size = sizeof(struct topdown_owner),
		.cursor = *cursor,
	};
	int ret;

	read.records = (uintptr_t)(view->owner + view->nr);
	read.nr_records = view->room - view->nr;
	ret = td_ioctl_fd(view->fd, TOPDOWN_OWNERS_READ, &read);
	if (ret)
		return ret;
	if (read.nr_records > view->room - view->nr)
		return -EPROTO;
	view->nr += read.nr_records;
	view->since_ns = read.out_since_ns;
	view->time_ns = read.out_time_ns;
	*cursor = read.cursor;
	return 0;
}

/* The records of one call are of one moment, so there has to be room for all. */
static int td_owners_all(struct topdown_owners_view *new)
{
	struct topdown_owners_read ask = {
		.size = sizeof(ask), .record_size = sizeof(struct topdown_owner),
	};
	uint64_t cursor;
	int ret;

	do {
		ret = td_ioctl_fd(new->fd, TOPDOWN_OWNERS_READ, &ask);
		if (ret != -EMSGSIZE)
			return ret ? ret : -EPROTO;
		free(new->owner);
		new->nr = 0;
		new->room = ask.nr_records + TD_OWNERS_MORE;
		new->owner = calloc(new->room, sizeof(*new->owner));
		if (!new->owner)
			return -ENOMEM;
		cursor = 0;
		ret = td_owners_more(new, &cursor);
		ask = (struct topdown_owners_read){
			.size = sizeof(ask), .record_size = sizeof(struct topdown_owner),
		};
	} while (!ret && cursor);
	return ret;
}

TD_API int topdown_owners_update(struct topdown_owners_view *view)
{
	struct topdown_owners_view new = { .fd = view->fd };
	int ret;

	ret = td_owners_all(&new);
	if (!ret)
		ret = td_owners_sort(&new);
	if (ret) {
		td_owners_free(&new);
		return ret;
	}
	td_owners_free(view);
	*view = new;
	return 0;
}

TD_API int topdown_owners_copy(struct topdown_owners_view **copy,
			       const struct topdown_owners_view *view)
{
	struct topdown_owners_view *new = malloc(sizeof(*new));

	if (!new)
		return -ENOMEM;
	*new = *view;
	new->fd = -1;
	new->sorted = NULL;
	new->room = view->nr;
	new->owner = calloc(new->nr + 1, sizeof(*new->owner));
	if (new->owner)
		memcpy(new->owner, view->owner, new->nr * sizeof(*new->owner));
	if (!new->owner || td_owners_sort(new)) {
		topdown_owners_close(new);
		return -ENOMEM;
	}
	*copy = new;
	return 0;
}

TD_API unsigned int topdown_owners_nr(const struct topdown_owners_view *view)
{
	return view->nr;
}

TD_API const struct topdown_owner *topdown_owners_get(const struct topdown_owners_view *view,
						      unsigned int index)
{
	return index < view->nr ? &view->owner[index] : NULL;
}

static bool td_owners_same(const struct topdown_owner *one, const struct topdown_owner *other)
{
	return one->what == other->what && one->id == other->id &&
	       one->start_ns == other->start_ns;
}

TD_API const struct topdown_owner *topdown_owners_find(const struct topdown_owners_view *view,
						       const struct topdown_owner *owner)
{
	const struct topdown_owner **found;

	found = bsearch(&owner, view->sorted, view->nr, sizeof(void *), td_owners_compare);
	return found ? *found : NULL;
}

TD_API uint64_t topdown_owners_time(const struct topdown_owners_view *view)
{
	return view->time_ns;
}

TD_API uint64_t topdown_owners_since(const struct topdown_owners_view *view)
{
	return view->since_ns;
}

/* A cgroup has no time of start, and its number is its own. */
static const struct topdown_owner *td_owners_parent(const struct topdown_owners_view *view,
						    const struct topdown_owner *owner)
{
	const struct topdown_owner parent = {
		.what = TOPDOWN_OWNER_WHAT_CGROUP, .id = owner->parent,
	};

	return owner->parent ? topdown_owners_find(view, &parent) : NULL;
}

TD_API size_t topdown_owners_path(const struct topdown_owners_view *view,
				  const struct topdown_owner *owner, char *path, size_t size)
{
	const struct topdown_owner *up[TD_OWNERS_LEVELS];
	unsigned int nr = 0;
	size_t length = 0;

	*path = '\0';
	if (owner->what != TOPDOWN_OWNER_WHAT_CGROUP)
		return 0;
	for (; owner && owner->level && nr < TD_OWNERS_LEVELS;
	     owner = td_owners_parent(view, owner))
		up[nr++] = owner;
	if (!nr)
		return snprintf(path, size, "/");
	while (nr--) {
		length += snprintf(length < size ? path + length : NULL,
				   length < size ? size - length : 0, "/%.*s",
				   TOPDOWN_OWNER_NAME_MAX, up[nr]->name);
	}
	return length;
}

/* Nodes that the cores have on which an owner ran. */
static uint32_t td_owner_nodes(const struct topdown_owner *owner,
			       const struct topdown_figures *figures, unsigned int level)
{
	uint32_t nodes = td_nodes_of_level(level);

	if (owner->source != TOPDOWN_SOURCE_AMD)
		nodes &= ~(1U << TOPDOWN_SMT_CONTENTION);
	/* A core has one of these. */
	if (!figures->node[TOPDOWN_RESOURCE_BOUND])
		nodes &= ~(1U << TOPDOWN_RESOURCE_BOUND);
	else if (!figures->node[TOPDOWN_MEMORY_BOUND])
		nodes &= ~(1U << TOPDOWN_MEMORY_BOUND);
	return nodes;
}

TD_API int topdown_owner_between(const struct topdown_owner *then,
				 const struct topdown_owner *now, bool tree, unsigned int level,
				 struct topdown_figures *out)
{
	const struct topdown_figures *later = tree ? &now->tree : &now->self, *earlier;
	struct topdown_figures figures = *later;

	if (then) {
		earlier = tree ? &then->tree : &then->self;
		if (!td_owners_same(then, now))
			return -EINVAL;
		if (!td_figures_grew(earlier, later))
			return -ERANGE;
		td_figures_sub(&figures, earlier);
	}
	td_figures_ratios(&figures, td_owner_nodes(now, &figures, level));
	*out = figures;
	return 0;
}
