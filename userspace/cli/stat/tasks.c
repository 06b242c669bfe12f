// SPDX-License-Identifier: GPL-2.0
/*
 * The rows of tasks, and of a command: each is a session.
 */
#include <errno.h>
#include <poll.h>
#include <topdown.h>

#include "columns.h"
#include "sums.h"
#include "clock.h"
#include "family.h"
#include "message.h"
#include "refusal.h"
#include "stat.h"

/* Rows of several tasks have level 1 unless the user asks for more, to fit the screen. */
static void choose_form(struct stat_run *run)
{
	const struct stat_options *options = run->options;
	struct output *output = &run->output;

	output->views = COLUMNS_TASKS | (options->runs ? COLUMNS_RUNS : 0);
	output->own = &owner_columns;
	run->interval.tasks = true;
	output->tree = !options->per_thread && options->pids.nr + options->tids.nr < 2;
	if (!output->tree && !options->level && options->output.format == OUTPUT_TABLE)
		run->interval.level = 1;
}

/*
 * Look how the machine is measured now. Not every user may see that. It changes while somebody
 * else has a counter, so the figures since the last look are of both.
 */
static void look_at_machine(struct tasks *tasks)
{
	const unsigned int kept = TOPDOWN_RECORD_SCALED | TOPDOWN_RECORD_REFINED |
				  TOPDOWN_RECORD_DRILLDOWN;
	const struct topdown_record *record;
	unsigned int i;

	tasks->flags_then = tasks->flags;
	tasks->turns_then = tasks->turns;
	tasks->flags = 0;
	tasks->turns = 0;
	tasks->flags_known = tasks->cpus && !topdown_reading_update(tasks->cpus, 0);
	for (i = 0; tasks->flags_known && i < topdown_reading_nr(tasks->cpus); i++) {
		record = topdown_reading_record(tasks->cpus, i);
		tasks->flags |= record->flags & kept;
		tasks->turns = td_turns_more(tasks->turns, record->turns);
	}
}

static int prepare(struct stat_run *run)
{
	run->tasks.td = run->td;
	run->tasks.device = run->options->device;
	if (!topdown_has(run->td, TOPDOWN_FEATURE_SESSION))
		return refusal_attach(run->options->device, "tasks", EOPNOTSUPP);
	if (!run->interval.level)
		return message_fail(EXIT_DEVICE, "no CPU of this machine can be measured ('topdown info' and the kernel log say why)");
	/* Without it the figures are the same, and nothing is said of the machine. */
	if (topdown_reading_create(&run->tasks.cpus, run->td, NULL, 0))
		run->tasks.cpus = NULL;
	look_at_machine(&run->tasks);
	choose_form(run);
	return 0;
}

static int attach(struct stat_run *run)
{
	const struct stat_options *options = run->options;
	unsigned int flags = options->no_inherit ? 0 : TOPDOWN_ATTACH_CHILDREN, i;
	int ret = 0;

	for (i = 0; i < options->pids.nr && !ret; i++)
		ret = options->per_thread ?
			tasks_attach_threads(&run->tasks, options->pids.id[i]) :
			tasks_attach_process(&run->tasks, options->pids.id[i], flags);
	for (i = 0; i < options->tids.nr && !ret; i++)
		ret = tasks_attach_thread(&run->tasks, options->tids.id[i]);
	return ret;
}

/* The command attaches itself, so that no part of it is missed. */
static int begin_command(struct stat_run *run)
{
	unsigned int flags = TOPDOWN_ATTACH_DISABLED | TOPDOWN_ATTACH_ON_EXEC;
	int ret;

	if (!run->options->no_inherit)
		flags |= TOPDOWN_ATTACH_CHILDREN;
	tasks_detach(&run->tasks);
	ret = command_start(&run->command, run->td, run->options->device, flags);
	run->start_ns = run->command.start_ns;
	run->grid_ns = run->start_ns;
	return ret;
}

static bool is_given(const struct stat_run *run)
{
	return run->options->pids.nr || run->options->tids.nr;
}

static int again(struct stat_run *run)
{
	unsigned int i;
	int ret;

	ret = tasks_read(&run->tasks, TOPDOWN_SESSION_FRESH);
	if (ret)
		return refusal_session(run->options->device, -ret);
	for (i = 0; i < run->tasks.nr; i++)
		task_advance(&run->tasks.task[i]);
	run->start_ns = clock_now_ns();
	run->grid_ns = run->start_ns;
	return 0;
}

static int begin(struct stat_run *run)
{
	int ret;

	if (run->options->argv && !is_given(run))
		return begin_command(run);
	ret = attach(run);
	if (!ret && run->options->pids.nr && !run->options->no_inherit && !run->options->quiet)
		family_note(&run->options->pids);
	/* The command only says how long. */
	if (!ret && run->options->argv)
		ret = command_start(&run->command, NULL, run->options->device, 0);
	/* Children were looked for after the tasks were attached. */
	if (!ret)
		ret = again(run);
	if (run->options->argv)
		return ret;
	run->ticker.target = run->tasks.nr ? run->tasks.ended : -1;
	run->ticker.target_events = POLLIN;
	return ret;
}

static int fill_row(const struct stat_run *run, struct row *row, struct row_cores *cores,
		    const struct task *task)
{
	const struct topdown_session *now = &task->now;
	int ret;

	row->kind = task->tid ? ROW_THREAD : ROW_PROCESS;
	row->task = task;
	row->flags = run->tasks.flags_then | run->tasks.flags;
	row->turns = td_turns_more(run->tasks.turns_then, run->tasks.turns);
	row->flags_known = run->tasks.flags_known;
	row->state = now->out_state;
	row->source = now->out_source;
	row->level = row_level(now->out_level, &run->interval);
	row->session = (struct row_session){
		.merged_ns = now->out_merged_ns - task->then.out_merged_ns,
		.switches = now->out_switches - task->then.out_switches,
		.incomplete = now->out_flags & TOPDOWN_SESSION_OUT_INCOMPLETE,
		.cores = cores,
	};
	ret = task_kind(task, TOPDOWN_KIND_CORE, row->level, &cores->core);
	if (!ret)
		ret = task_kind(task, TOPDOWN_KIND_ATOM, row->level, &cores->atom);
	if (ret)
		return ret;
	ret = topdown_session_between(&task->then, now, row->level, &row->figures);
	row_expect(row);
	return ret;
}

/* A task that is over has a last row, and then no row. */
static int compare(struct stat_run *run)
{
	struct interval *interval = &run->interval;
	unsigned int i;
	int ret;

	ret = interval_make(interval, run->tasks.nr);
	if (!ret)
		ret = interval_cores(interval);
	for (i = 0; i < run->tasks.nr && !ret; i++) {
		struct task *task = &run->tasks.task[i];

		if (task->over)
			continue;
		ret = fill_row(run, &interval->row[interval->nr], &interval->cores[interval->nr],
			       task);
		interval->nr++;
		task_advance(task);
		task->over = task_over(task);
	}
	return ret;
}

static int fill(struct stat_run *run, uint64_t *now_ns)
{
	int ret;

	ret = tasks_read(&run->tasks, TOPDOWN_SESSION_FRESH);
	*now_ns = clock_now_ns();
	look_at_machine(&run->tasks);
	if (!ret)
		ret = compare(run);
	if (ret)
		return refusal_session(run->options->device, -ret);
	run->over = !tasks_alive(&run->tasks);
	return 0;
}

/* Without the right to whole CPUs the device does not report the end of a task, so ask. */
static bool alive(struct stat_run *run)
{
	return !tasks_read(&run->tasks, 0) && tasks_alive(&run->tasks);
}

static void note(const struct stat_run *run)
{
	message_note("following %u task%s until the end; Ctrl-C ends and prints",
		     run->tasks.nr, run->tasks.nr == 1 ? "" : "s");
}

static void end(struct stat_run *run)
{
	topdown_reading_destroy(run->tasks.cpus);
	tasks_detach(&run->tasks);
}

const struct row_source rows_of_tasks = {
	.prepare = prepare,
	.begin = begin,
	.again = again,
	.fill = fill,
	.alive = alive,
	.note = note,
	.close = end,
};
