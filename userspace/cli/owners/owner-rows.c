// SPDX-License-Identifier: GPL-2.0
/*
 * The rows of owners: every process or every cgroup that ran in an interval.
 */
#include "owner-rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "refusal.h"
#include "sums.h"
#include "text.h"

/**
 * owners_refused - say why owners cannot be read
 * @td: device
 * @device: its name
 * @ret: the negative error
 *
 * Return: the exit code.
 */
int owners_refused(struct topdown *td, const char *device, int ret)
{
	if (ret == -ENOMEM)
		return message_fail(EXIT_RUNTIME, "no memory for the rows of owners");
	if (ret == -EOPNOTSUPP && topdown_has(td, TOPDOWN_FEATURE_OWNERS))
		return message_fail(EXIT_DEVICE, "%s: this kernel has no owners of this kind (cgroups need CONFIG_CGROUP_PERF; --by process does not)",
				    device);
	return refusal_owners(device, -ret);
}

/**
 * owners_keep - the next interval begins with this reading
 * @owners: with a view, whose records the next update drops
 *
 * Return: 0 or -ENOMEM.
 */
int owners_keep(struct owners *owners)
{
	struct topdown_owners_view *then;
	int ret = topdown_owners_copy(&then, owners->view);

	if (ret)
		return ret;
	topdown_owners_close(owners->then);
	owners->then = then;
	return 0;
}

/**
 * owners_open - hold owners on, and begin an interval
 * @owners: without a view; nothing has changed after an error
 * @td: device
 * @by: their kind
 * @depth: cgroups below this level count at their ancestor; 0 for no limit
 *
 * Return: 0, or a negative error for owners_refused().
 */
int owners_open(struct owners *owners, struct topdown *td, enum owner_by by, unsigned int depth)
{
	int ret;

	ret = topdown_owners_open(&owners->view, td, by == OWNER_BY_CGROUP ?
				  TOPDOWN_OWNERS_CGROUPS : TOPDOWN_OWNERS_PROCESSES, depth);
	if (ret)
		return ret;
	ret = owners_keep(owners);
	if (ret)
		owners_let_go(owners);
	return ret;
}

/* Processes that have gone since were counted in their own rows. */
static void leave_out_gone(const struct owners *owners, struct topdown_figures *ended)
{
	unsigned int i, nr = topdown_owners_nr(owners->then);
	uint32_t nodes = 0;

	for (i = 0; i < nr; i++) {
		const struct topdown_owner *then = topdown_owners_get(owners->then, i);

		if (then->what != TOPDOWN_OWNER_WHAT_PROCESS ||
		    topdown_owners_find(owners->view, then))
			continue;
		td_figures_sub(ended, &then->self);
	}
	/* The nodes that this machine has are those with a ratio. */
	for (i = 0; i < TD_NR_NODES; i++)
		nodes |= ended->ratio[i] != TOPDOWN_RATIO_NONE ? 1U << i : 0;
	td_figures_ratios(ended, nodes);
}

static bool is_chosen(const char *names, const struct topdown_owner *owner, const char *path)
{
	if (!names)
		return true;
	return owner->what == TOPDOWN_OWNER_WHAT_CGROUP && owner_named(names, path);
}

static void name_owner(const struct owners *owners, const struct topdown_owner *owner,
		       struct owner_row *own)
{
	static const char *const names[] = {
		[TOPDOWN_OWNER_WHAT_IDLE] = "idle", [TOPDOWN_OWNER_WHAT_OTHERS] = "others",
		[TOPDOWN_OWNER_WHAT_ENDED] = "ended",
	};
	const char *name = owner->name;

	own->path[0] = '\0';
	own->id = owner->id;
	own->parent = owner->parent;
	if (owner->what == TOPDOWN_OWNER_WHAT_CGROUP) {
		topdown_owners_path(owners->view, owner, own->path, sizeof(own->path));
		printable_text(own->path, "");
		name = owner->level ? name : "/";
	} else if (owner->what == TOPDOWN_OWNER_WHAT_PROCESS) {
		own->task.pid = owner->id;
	} else if (owner->what < sizeof(names) / sizeof(names[0])) {
		name = names[owner->what];
	}
	snprintf(own->name, sizeof(own->name), "%.*s", TOPDOWN_OWNER_NAME_MAX, name);
	printable_text(own->name, "");
}

static enum row_kind kind_of(const struct topdown_owner *owner)
{
	switch (owner->what) {
	case TOPDOWN_OWNER_WHAT_PROCESS:
		return ROW_PROCESS;
	case TOPDOWN_OWNER_WHAT_CGROUP:
		return ROW_CGROUP;
	case TOPDOWN_OWNER_WHAT_IDLE:
		return ROW_IDLE_TASKS;
	case TOPDOWN_OWNER_WHAT_ENDED:
		return ROW_ENDED;
	default:
		return ROW_OTHERS;
	}
}

static bool has_tree(const struct topdown_owner *owner, bool self)
{
	return owner->what == TOPDOWN_OWNER_WHAT_CGROUP && !self;
}

/* Its figures in the interval; false if it did not run. */
static bool fill_figures(const struct owners *owners, const struct topdown_owner *now,
			 const struct topdown_owner *then, bool tree, unsigned int level,
			 struct topdown_figures *figures)
{
	if (topdown_owner_between(then, now, tree, level, figures))
		return false;
	if (now->what == TOPDOWN_OWNER_WHAT_ENDED)
		leave_out_gone(owners, figures);
	return figures->enabled_ns;
}

static void fill_row(const struct interval *interval, struct row *row,
		     struct owner_row *own, const struct topdown_owner *now)
{
	row->kind = kind_of(now);
	row->task = &own->task;
	row->owner = own;
	row->state = now->flags & TOPDOWN_OWNER_EXITED ? TOPDOWN_SESSION_STATE_EXITED :
							 TOPDOWN_SESSION_STATE_RUNNING;
	row->source = now->source;
	row->level = row_level(now->depth, interval);
	row_expect(row);
}

static uint64_t switches(const struct topdown_owner *owner, bool tree)
{
	return tree ? owner->tree_switches : owner->switches;
}

/**
 * owners_fill - make the rows of the interval that ends with the view
 * @owners: with a view that was updated
 * @interval: its rows, in the order of the view
 * @self: cgroups without those below them
 * @cgroups: paths of the only cgroups that have rows, with commas; NULL for all owners
 *
 * Return: 0 or -ENOMEM.
 */
int owners_fill(struct owners *owners, struct interval *interval, bool self, const char *cgroups)
{
	unsigned int i, nr = topdown_owners_nr(owners->view);
	const struct topdown_owner *now, *then;
	struct owner_row *own;
	struct row *row;
	bool tree;
	int ret;

	ret = interval_make(interval, nr);
	if (ret)
		return ret;
	free(owners->row);
	owners->row = calloc(nr + 1, sizeof(*owners->row));
	if (!owners->row)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		now = topdown_owners_get(owners->view, i);
		then = topdown_owners_find(owners->then, now);
		tree = has_tree(now, self);
		row = &interval->row[interval->nr];
		own = &owners->row[interval->nr];
		memset(&row->figures, 0, sizeof(row->figures));
		if (!fill_figures(owners, now, then, tree, interval->level, &row->figures))
			continue;
		name_owner(owners, now, own);
		if (!is_chosen(cgroups, now, own->path))
			continue;
		fill_row(interval, row, own, now);
		row->session.switches = switches(now, tree) - (then ? switches(then, tree) : 0);
		interval->nr++;
	}
	return 0;
}

/**
 * owners_let_go - end the account, unless others hold it on
 * @owners: keeps the names of the rows
 */
void owners_let_go(struct owners *owners)
{
	topdown_owners_close(owners->view);
	owners->view = NULL;
}

/**
 * owners_close - undo owners_open(), and free the names
 * @owners: zeroed, or opened
 */
void owners_close(struct owners *owners)
{
	owners_let_go(owners);
	topdown_owners_close(owners->then);
	free(owners->row);
	memset(owners, 0, sizeof(*owners));
}
