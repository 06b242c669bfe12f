// SPDX-License-Identifier: GPL-2.0
/*
 * topdown stat: rows of all processes or of all cgroups.
 */
#include <stdlib.h>
#include <string.h>
#include <topdown.h>

#include "clock.h"
#include "columns.h"
#include "message.h"
#include "stat.h"

static int refused(const struct stat_run *run, int ret)
{
	return owners_refused(run->td, run->options->device, ret);
}

static int prepare(struct stat_run *run)
{
	const struct owner_sort *by = &run->options->sort;

	run->output.views = COLUMNS_TASKS;
	run->output.own = &owner_columns;
	if (run->options->by == OWNER_BY_COMM)
		run->output.views |= COLUMNS_NAMES;
	run->interval.tasks = true;
	run->interval.owners = true;
	if (!run->interval.level)
		return message_fail(EXIT_DEVICE, "no CPU of this machine can be measured ('topdown info' and the kernel log say why)");
	if (!run->options->level && run->options->output.format == OUTPUT_TABLE &&
	    !(by->key == OWNER_KEY_NODE && topdown_node_level(by->node) > 1))
		run->interval.level = 1;
	return 0;
}

static int again(struct stat_run *run)
{
	int ret = topdown_owners_update(run->owners.view);

	if (!ret)
		ret = owners_keep(&run->owners);
	if (ret)
		return refused(run, ret);
	run->start_ns = clock_now_ns();
	run->grid_ns = run->start_ns;
	return 0;
}

static int begin(struct stat_run *run)
{
	const struct stat_options *options = run->options;
	int ret;

	ret = owners_open(&run->owners, run->td, options->by, options->depth);
	if (ret)
		return refused(run, ret);
	if (options->argv)
		ret = command_start(&run->command, NULL, options->device, 0);
	run->start_ns = clock_now_ns();
	run->grid_ns = run->start_ns;
	return ret;
}

static int compare_names(const void *a, const void *b)
{
	const struct row *one = a, *other = b;
	int names;

	if (one->kind != other->kind)
		return one->kind < other->kind ? -1 : 1;
	names = strcmp(one->owner->name, other->owner->name);
	return names ? names : one->task->pid - other->task->pid;
}

static void join_row(struct row *to, const struct row *more, unsigned int level)
{
	topdown_figures_add(&to->figures, &more->figures, level);
	to->session.switches += more->session.switches;
	to->owner->processes++;
	if (more->state == TOPDOWN_SESSION_STATE_RUNNING)
		to->state = more->state;
	if (more->level < to->level)
		to->level = more->level;
	if (to->source == TOPDOWN_SOURCE_NONE)
		to->source = more->source;
	else if (more->source != to->source && more->source != TOPDOWN_SOURCE_NONE)
		to->source = TOPDOWN_SOURCE_MIXED;
}

/* Make one row of all processes of a name. It has no process of its own. */
static void join_names(struct interval *interval)
{
	static const struct task nobody;
	struct row *to = NULL;
	unsigned int i, nr = 0;

	qsort(interval->row, interval->nr, sizeof(*interval->row), compare_names);
	for (i = 0; i < interval->nr; i++) {
		const struct row *row = &interval->row[i];

		if (to && row->kind == ROW_PROCESS && to->kind == ROW_PROCESS &&
		    !strcmp(to->owner->name, row->owner->name)) {
			join_row(to, row, interval->level);
			continue;
		}
		to = &interval->row[nr++];
		*to = *row;
		to->task = &nobody;
		to->owner->processes = to->kind == ROW_PROCESS;
	}
	interval->nr = nr;
	for (i = 0; i < nr; i++)
		row_expect(&interval->row[i]);
}

static int fill(struct stat_run *run, uint64_t *now_ns)
{
	const struct stat_options *options = run->options;
	int ret = topdown_owners_update(run->owners.view);

	*now_ns = clock_now_ns();
	if (!ret)
		ret = owners_fill(&run->owners, &run->interval, options->self, options->cgroups);
	if (!ret && options->by == OWNER_BY_COMM)
		join_names(&run->interval);
	if (!ret)
		ret = owners_keep(&run->owners);
	if (!ret && options->cgroups && !run->interval.nr && !options->quiet)
		message_note("-G: none of these cgroups has run ('topdown stat --by cgroup' lists those that run)");
	return ret ? refused(run, ret) : 0;
}

static const struct owner_sort *sort;

/* Idle time, which is no bottleneck of anybody, is last. */
static int compare_rows(const void *a, const void *b)
{
	const struct row *one = a, *other = b;

	if (one->kind != other->kind && one->kind == ROW_IDLE_TASKS)
		return 1;
	if (one->kind != other->kind && other->kind == ROW_IDLE_TASKS)
		return -1;
	return owner_compare(one, other, sort);
}

static void choose(struct stat_run *run)
{
	struct interval *interval = &run->interval;
	uint64_t top = run->options->top;

	sort = &run->options->sort;
	qsort(interval->row, interval->nr, sizeof(*interval->row), compare_rows);
	if (top && interval->nr > top)
		interval->nr = top;
}

static void note(const struct stat_run *run)
{
	message_note("measuring all %s until Ctrl-C ends and prints",
		     owner_by_plural(run->options->by));
}

static void end(struct stat_run *run)
{
	owners_close(&run->owners);
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
