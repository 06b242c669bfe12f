// SPDX-License-Identifier: GPL-2.0
/*
 * The rows of owners: every process or every cgroup that ran in the interval.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <topdown.h>

#include "clock.h"
#include "message.h"
#include "refusal.h"
#include "stat.h"

static int read_error(const struct stat_run *run, int ret)
{
	return refusal_owners(run->options->device, -ret);
}

/* Names are chosen by users: nothing in them may control a terminal. */
static void printable(char *text)
{
	for (; *text; text++) {
		if (*text < ' ' || *text > '~')
			*text = '?';
	}
}

static bool by_cgroup(const struct stat_run *run)
{
	return run->options->by == STAT_BY_CGROUP;
}

static int prepare(struct stat_run *run)
{
	run->output.tasks = true;
	run->interval.tasks = true;
	if (!run->interval.level) {
		message_error("no CPU of this machine can be measured ('topdown info' and the kernel log say why)");
		return EXIT_DEVICE;
	}
	if (!run->options->level && run->options->output.format == OUTPUT_TABLE)
		run->interval.level = 1;
	return 0;
}

/* Keep the records of the view, because the next update drops them. */
static int keep(struct owners *owners)
{
	unsigned int i, nr = topdown_owners_nr(owners->view);
	struct topdown_owner *then = calloc(nr + 1, sizeof(*then));

	if (!then)
		return -ENOMEM;
	for (i = 0; i < nr; i++)
		then[i] = *topdown_owners_get(owners->view, i);
	free(owners->then);
	owners->then = then;
	owners->nr_then = nr;
	return 0;
}

static int again(struct stat_run *run)
{
	int ret = topdown_owners_update(run->owners.view);

	if (!ret)
		ret = keep(&run->owners);
	if (ret)
		return read_error(run, ret);
	run->start_ns = clock_now_ns();
	run->grid_ns = run->start_ns;
	return 0;
}

static int begin(struct stat_run *run)
{
	const struct stat_options *options = run->options;
	int ret;

	ret = topdown_owners_open(&run->owners.view, run->td, by_cgroup(run) ?
				  TOPDOWN_OWNERS_CGROUPS : TOPDOWN_OWNERS_PROCESSES,
				  options->depth);
	if (!ret)
		ret = keep(&run->owners);
	if (ret)
		return read_error(run, ret);
	if (options->argv)
		ret = command_start(&run->command, NULL, options->device, 0);
	run->start_ns = clock_now_ns();
	run->grid_ns = run->start_ns;
	return ret;
}

static bool same(const struct topdown_owner *one, const struct topdown_owner *other)
{
	return one->what == other->what && one->id == other->id &&
	       one->start_ns == other->start_ns;
}

/* Both are in the order in which they were made, so the search goes on where it ended. */
static const struct topdown_owner *find_then(const struct owners *owners, unsigned int *from,
					     const struct topdown_owner *owner)
{
	unsigned int n, i = *from;

	for (n = 0; n < owners->nr_then; n++, i++) {
		if (i >= owners->nr_then)
			i = 0;
		if (same(&owners->then[i], owner)) {
			*from = i + 1;
			return &owners->then[i];
		}
	}
	return NULL;
}

/* What processes left that have gone since: it was counted in their own rows. */
static void leave_out_gone(const struct owners *owners, struct topdown_figures *ended)
{
	unsigned int i;

	for (i = 0; i < owners->nr_then; i++) {
		const struct topdown_owner *then = &owners->then[i];

		if (then->what != TOPDOWN_OWNER_PROCESS ||
		    topdown_owners_find(owners->view, then))
			continue;
		ended->enabled_ns -= then->self.enabled_ns;
		ended->running_ns -= then->self.running_ns;
		ended->slots -= then->self.slots;
		ended->cycles -= then->self.cycles;
		ended->instructions -= then->self.instructions;
	}
}

static bool is_chosen(const struct stat_run *run, const struct topdown_owner *owner,
		      const char *path)
{
	const char *names = run->options->cgroups, *end;
	size_t length;

	if (!names)
		return true;
	if (owner->what != TOPDOWN_OWNER_CGROUP)
		return false;
	/* Names are those of perf: from the root of cgroups on, with or without a slash. */
	for (; *names; names = *end ? end + 1 : end) {
		end = strchrnul(names, ',');
		if (*names == '/' && end - names > 1)
			names++;
		length = end - names;
		if (*names == '/' && owner->level == 0)
			return true;
		if (owner->level && strlen(path) == length + 1 &&
		    !strncmp(path + 1, names, length))
			return true;
	}
	return false;
}

static void name_owner(const struct stat_run *run, const struct topdown_owner *owner,
		       struct task *task, char *path, size_t size)
{
	static const char *const names[] = {
		[TOPDOWN_OWNER_IDLE] = "idle", [TOPDOWN_OWNER_OTHERS] = "others",
		[TOPDOWN_OWNER_ENDED] = "ended",
	};

	*path = '\0';
	if (owner->what == TOPDOWN_OWNER_CGROUP) {
		topdown_owners_path(run->owners.view, owner, path, size);
		printable(path);
		snprintf(task->name, sizeof(task->name), "%.*s", (int)sizeof(task->name) - 1,
			 owner->level ? owner->name : "/");
	} else if (owner->what == TOPDOWN_OWNER_PROCESS) {
		task->pid = owner->id;
		snprintf(task->name, sizeof(task->name), "%.*s", (int)sizeof(task->name) - 1,
			 owner->name);
	} else if (owner->what < sizeof(names) / sizeof(names[0])) {
		snprintf(task->name, sizeof(task->name), "%s", names[owner->what]);
	}
	printable(task->name);
}

static enum row_kind kind_of(const struct topdown_owner *owner)
{
	switch (owner->what) {
	case TOPDOWN_OWNER_PROCESS:
		return ROW_PROCESS;
	case TOPDOWN_OWNER_CGROUP:
		return ROW_CGROUP;
	case TOPDOWN_OWNER_IDLE:
		return ROW_IDLE_TASKS;
	case TOPDOWN_OWNER_ENDED:
		return ROW_ENDED;
	default:
		return ROW_OTHERS;
	}
}

/* Fill the row of an owner; false if it did not run. */
static bool fill_row(struct stat_run *run, struct row *row, struct owner_row *own,
		     const struct topdown_owner *now, const struct topdown_owner *then)
{
	bool tree = now->what == TOPDOWN_OWNER_CGROUP && !run->options->self;

	if (topdown_owner_between(then, now, tree, run->interval.level, &row->figures))
		return false;
	if (now->what == TOPDOWN_OWNER_ENDED)
		leave_out_gone(&run->owners, &row->figures);
	if (!row->figures.enabled_ns)
		return false;
	name_owner(run, now, &own->task, own->path, sizeof(own->path));
	if (!is_chosen(run, now, own->path))
		return false;
	row->kind = kind_of(now);
	row->task = &own->task;
	row->path = own->path;
	row->id = now->id;
	row->state = now->flags & TOPDOWN_OWNER_EXITED ? TOPDOWN_SESSION_EXITED :
							 TOPDOWN_SESSION_RUNNING;
	row->source = now->source;
	row->level = row_level(now->depth, &run->interval);
	row->switches = (tree ? now->tree_switches : now->switches) -
			(then ? tree ? then->tree_switches : then->switches : 0);
	row_expect(row);
	return true;
}

static int fill_rows(struct stat_run *run)
{
	unsigned int i, from = 0, nr = topdown_owners_nr(run->owners.view);
	struct interval *interval = &run->interval;
	struct owners *owners = &run->owners;
	const struct topdown_owner *now;
	struct row *row;
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
		row = &interval->row[interval->nr];
		if (fill_row(run, row, &owners->row[i], now, find_then(owners, &from, now)))
			interval->nr++;
		else
			memset(&row->figures, 0, sizeof(row->figures));
	}
	return 0;
}

static int fill(struct stat_run *run, uint64_t *now_ns)
{
	int ret = topdown_owners_update(run->owners.view);

	*now_ns = clock_now_ns();
	if (!ret)
		ret = fill_rows(run);
	if (!ret)
		ret = keep(&run->owners);
	return ret ? read_error(run, ret) : 0;
}

static double sort_value(const struct row *row, const struct stat_options *options)
{
	double ipc;

	switch (options->sort) {
	case STAT_SORT_TIME:
		return row->figures.enabled_ns;
	case STAT_SORT_IPC:
		ipc = topdown_figures_ipc(&row->figures);
		return isnan(ipc) ? -1 : ipc;
	case STAT_SORT_NODE:
		return row->figures.node[options->sort_node];
	default:
		return row->figures.slots;
	}
}

static const struct stat_options *sort_options;

/* Idle time, which is no bottleneck of anybody, is last. */
static int compare_rows(const void *a, const void *b)
{
	const struct row *one = a, *other = b;
	double left = sort_value(one, sort_options), right = sort_value(other, sort_options);

	if (one->kind != other->kind && one->kind == ROW_IDLE_TASKS)
		return 1;
	if (one->kind != other->kind && other->kind == ROW_IDLE_TASKS)
		return -1;
	return (left < right) - (left > right);
}

static void choose(struct stat_run *run)
{
	struct interval *interval = &run->interval;
	uint64_t top = run->options->top;

	sort_options = run->options;
	qsort(interval->row, interval->nr, sizeof(*interval->row), compare_rows);
	if (top && interval->nr > top)
		interval->nr = top;
}

static void note(const struct stat_run *run)
{
	message_note("measuring all %s until Ctrl-C ends and prints",
		     by_cgroup(run) ? "cgroups" : "processes");
}

static void end(struct stat_run *run)
{
	topdown_owners_close(run->owners.view);
	free(run->owners.then);
	free(run->owners.row);
}

const struct row_source rows_of_owners = {
	.prepare = prepare,
	.begin = begin,
	.again = again,
	.fill = fill,
	.choose = choose,
	.note = note,
	.close = end,
};
