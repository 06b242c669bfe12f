// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Owners: a descriptor of the module, and all owners as of the last reading.
 */
#include "internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "metrics.h"

/* Room for as many more than there were. */
#define TD_OWNERS_MORE	64

/* More levels than cgroups can have. */
#define TD_OWNERS_LEVELS	64

struct topdown_owners_view {
	int fd;
	unsigned int nr;
	unsigned int room;
	uint64_t since_ns;
	uint64_t time_ns;
	struct topdown_owner *owner;
};

static int td_owners_ioctl(int fd, unsigned long request, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, request, arg);
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : ret;
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
	new->fd = td_owners_ioctl(td->fd, TOPDOWN_OWNERS, &arg);
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
	free(view->owner);
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
	ret = td_owners_ioctl(view->fd, TOPDOWN_OWNERS_READ, &read);
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
		ret = td_owners_ioctl(new->fd, TOPDOWN_OWNERS_READ, &ask);
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
	if (ret) {
		free(new.owner);
		return ret;
	}
	free(view->owner);
	*view = new;
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
	unsigned int i;

	for (i = 0; i < view->nr; i++) {
		if (td_owners_same(&view->owner[i], owner))
			return &view->owner[i];
	}
	return NULL;
}

TD_API uint64_t topdown_owners_time(const struct topdown_owners_view *view)
{
	return view->time_ns;
}

TD_API uint64_t topdown_owners_since(const struct topdown_owners_view *view)
{
	return view->since_ns;
}

static const struct topdown_owner *td_owners_parent(const struct topdown_owners_view *view,
						    const struct topdown_owner *owner)
{
	unsigned int i;

	for (i = 0; owner->parent && i < view->nr; i++) {
		if (view->owner[i].what == TOPDOWN_OWNER_CGROUP &&
		    view->owner[i].id == owner->parent)
			return &view->owner[i];
	}
	return NULL;
}

TD_API size_t topdown_owners_path(const struct topdown_owners_view *view,
				  const struct topdown_owner *owner, char *path, size_t size)
{
	const struct topdown_owner *up[TD_OWNERS_LEVELS];
	unsigned int nr = 0;
	size_t length = 0;

	*path = '\0';
	if (owner->what != TOPDOWN_OWNER_CGROUP)
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
	td_figures_ratios(&figures, td_nodes_of_level(level));
	*out = figures;
	return 0;
}
