// SPDX-License-Identifier: GPL-2.0
/*
 * topdown record: what tasks use in each interval.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "sums.h"
#include "clock.h"
#include "family.h"
#include "message.h"
#include "record.h"
#include "refusal.h"
#include "text.h"

/* Without the right to whole CPUs the device does not report the end of a task, so look. */
#define LOOK_NS		(100 * NS_PER_MS)

/* Look how the machine is measured. Not every user may see that. */
static void look_at_machine(struct tasks *tasks)
{
	const unsigned int kept = TOPDOWN_RECORD_SCALED | TOPDOWN_RECORD_REFINED |
				  TOPDOWN_RECORD_DRILLDOWN;
	const struct topdown_record *record;
	struct topdown_reading *all = NULL;
	unsigned int i;

	if (topdown_reading_create(&all, tasks->td, NULL, 0))
		return;
	tasks->flags_known = !topdown_reading_update(all, 0);
	for (i = 0; tasks->flags_known && i < topdown_reading_nr(all); i++) {
		record = topdown_reading_record(all, i);
		tasks->flags |= record->flags & kept;
		tasks->turns = td_turns_more(tasks->turns, record->turns);
	}
	topdown_reading_destroy(all);
}

static int attach(struct record_run *run, struct tasks *tasks)
{
	const struct idlist *pids = &run->options->pids;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < pids->nr && !ret; i++)
		ret = tasks_attach_process(tasks, pids->id[i], TOPDOWN_ATTACH_CHILDREN);
	if (!ret && !run->options->quiet)
		family_note(pids);
	return ret;
}

/* The command attaches itself, so that no part of it is missed, and waits. */
static int begin_command(struct record_run *run, struct tasks *tasks)
{
	unsigned int flags = TOPDOWN_ATTACH_DISABLED | TOPDOWN_ATTACH_ON_EXEC |
			     TOPDOWN_ATTACH_CHILDREN;
	int ret;

	ret = command_begin(&run->command, run->td, run->options->device, flags);
	return ret ? ret : tasks_add(tasks, run->command.pid, 0, run->command.session);
}

/* Its process still has our name, and gets that of its program any moment. */
static void name_command(struct task *task, const char *program)
{
	const char *slash = strrchr(program, '/');

	snprintf(task->name, sizeof(task->name), "%.15s", slash && slash[1] ? slash + 1 : program);
	printable_text(task->name, "");
}

static int execute_command(struct record_run *run, struct tasks *tasks)
{
	int ret = command_execute(&run->command);

	if (ret)
		return ret;
	if (!run->first)
		run->start_ns = run->command.start_ns;
	name_command(&tasks->task[0], *run->options->argv);
	return 0;
}

static int write_tasks(struct record_run *run, const struct tasks *tasks)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < tasks->nr && !ret; i++) {
		struct record_task task = {
			.task = run->first + i,
			.pid = tasks->task[i].pid,
			.tid = tasks->task[i].tid,
			.flags = tasks->flags,
			.turns = tasks->turns,
			.flags_known = tasks->flags_known,
		};

		_Static_assert(sizeof(task.name) >= TASK_NAME_SIZE, "a name has no room");
		memcpy(task.name, tasks->task[i].name, TASK_NAME_SIZE);
		ret = record_write_array(&run->writer, RECORD_TASKS, &task, sizeof(task), 1);
	}
	return ret ? record_failed(run, -ret) : 0;
}

static int compare(const struct task *task, struct record_sample *sample)
{
	const struct topdown_session *then = &task->then, *now = &task->now;
	int ret;

	sample->state = now->out_state;
	sample->source = now->out_source;
	sample->level = now->out_level;
	sample->flags = now->out_flags;
	sample->merged_ns = now->out_merged_ns - then->out_merged_ns;
	sample->switches = now->out_switches - then->out_switches;
	ret = topdown_session_between(then, now, now->out_level, &sample->figures);
	if (!ret)
		ret = task_kind(task, TOPDOWN_KIND_CORE, now->out_level, &sample->core);
	if (!ret)
		ret = task_kind(task, TOPDOWN_KIND_ATOM, now->out_level, &sample->atom);
	return ret;
}

static int write_sample(struct record_run *run, struct tasks *tasks, unsigned int i,
			uint64_t begin_ns)
{
	struct task *task = &tasks->task[i];
	struct record_sample sample = {
		.task = run->first + i,
		.begin_ns = begin_ns,
		.end_ns = task->now.out_time_ns,
	};
	int ret;

	/* A module of an older release does not say when. */
	if (sample.end_ns <= begin_ns)
		sample.end_ns = clock_now_ns();
	ret = compare(task, &sample);
	if (ret)
		return refusal_session(run->options->device, -ret);
	task_advance(task);
	task->over = task_over(task);
	run->windows++;
	ret = record_write_array(&run->writer, RECORD_SAMPLES, &sample, sizeof(sample), 1);
	return ret ? record_failed(run, -ret) : 0;
}

/* A task that is over has a last sample, and then none. */
static int end_interval(struct record_run *run, struct tasks *tasks, uint64_t *begin_ns)
{
	unsigned int i;
	int ret;

	ret = record_clock(run);
	if (ret)
		return ret;
	ret = tasks_read(tasks, TOPDOWN_SESSION_FRESH);
	if (ret)
		return refusal_session(run->options->device, -ret);
	for (i = 0; i < tasks->nr && !ret; i++) {
		if (!tasks->task[i].over)
			ret = write_sample(run, tasks, i, *begin_ns);
	}
	*begin_ns = clock_now_ns();
	if (!ret)
		ret = sampling_write(run);
	if (!ret && fflush(run->writer.file))
		ret = record_failed(run, errno);
	return ret;
}

/* Sleep until the interval ends. @over: nothing is left to record. */
static int wait_interval(struct record_run *run, struct tasks *tasks, uint64_t end_ns, bool *over)
{
	uint64_t look_ns, now_ns;
	enum record_event why;

	for (;;) {
		now_ns = clock_now_ns();
		look_ns = run->command.pid || end_ns <= now_ns + LOOK_NS ? end_ns :
			  now_ns + LOOK_NS;
		why = record_wait(run, 0, look_ns);
		*over = why == RECORD_OVER;
		if (why == RECORD_ERROR)
			return message_fail(EXIT_RUNTIME,
					    "cannot wait for the end of the interval: %s",
					    strerror(errno));
		if (*over || why == RECORD_CONTROL || clock_now_ns() >= end_ns)
			return 0;
		if (!tasks_read(tasks, 0) && !tasks_alive(tasks)) {
			*over = true;
			return 0;
		}
	}
}

/* Counts until now are dropped. */
static int enable(struct record_run *run, struct tasks *tasks, uint64_t *begin_ns)
{
	int ret = tasks_read(tasks, TOPDOWN_SESSION_FRESH);
	unsigned int i;

	if (ret)
		return refusal_session(run->options->device, -ret);
	for (i = 0; i < tasks->nr; i++)
		task_advance(&tasks->task[i]);
	*begin_ns = clock_now_ns();
	return 0;
}

/* A word of --control. */
static int obey(struct record_run *run, struct tasks *tasks, uint64_t *begin_ns)
{
	bool disabled = run->word == CONTROL_DISABLE;
	int ret = 0;

	run->word = CONTROL_NONE;
	if (disabled != run->disabled)
		ret = disabled ? end_interval(run, tasks, begin_ns) : enable(run, tasks, begin_ns);
	run->disabled = disabled;
	if (!ret)
		control_ack(&run->control);
	return ret;
}

/* The interval ends, or nothing of it is recorded. */
static int take_interval(struct record_run *run, struct tasks *tasks, uint64_t *begin_ns)
{
	if (run->word != CONTROL_NONE)
		return obey(run, tasks, begin_ns);
	return run->disabled ? 0 : end_interval(run, tasks, begin_ns);
}

static int follow(struct record_run *run, struct tasks *tasks)
{
	uint64_t step_ns = run->options->interval_ms * NS_PER_MS;
	bool own = run->options->argv && !run->options->pids.nr;
	uint64_t begin_ns = own ? run->command.start_ns : run->start_ns;
	uint64_t end_ns = begin_ns;
	bool over = false;
	int ret = 0;

	run->disabled = run->options->waits;
	/* The file was begun, and children were looked for, after the tasks were attached. */
	if (!own)
		ret = enable(run, tasks, &begin_ns);
	while (!over && !ret) {
		uint64_t now_ns = clock_now_ns();

		/* Steps that passed meanwhile are left out. A word comes before the step ends. */
		if (now_ns >= end_ns)
			end_ns += ((now_ns - end_ns) / step_ns + 1) * step_ns;
		ret = wait_interval(run, tasks, end_ns, &over);
		if (!ret)
			ret = take_interval(run, tasks, &begin_ns);
		over |= !run->command.pid && !tasks_alive(tasks);
	}
	return ret;
}

static int prepare(struct record_run *run)
{
	if (!topdown_has(run->td, TOPDOWN_FEATURE_SESSION))
		return refusal_attach(run->options->device, "tasks", EOPNOTSUPP);
	if (topdown_info_get(run->td)->out_level)
		return 0;
	return message_fail(EXIT_DEVICE, "no CPU of this machine can be measured ('topdown info' and the kernel log say why)");
}

/* All that can be refused comes before the file is begun, and before the command runs. */
static int start(struct record_run *run, struct tasks *tasks)
{
	/* With -p the command only says how long. */
	const bool commands = run->options->argv && !run->options->pids.nr;
	int ret;

	ret = attach(run, tasks);
	if (!ret && commands)
		ret = begin_command(run, tasks);
	run->subjects = run->first + tasks->nr;
	if (!ret && !run->first)
		ret = sampling_start_tasks(run, tasks);
	if (!ret && !run->first)
		ret = record_start_file(run, RECORD_OF_TASKS);
	if (ret && run->command.pid && commands)
		command_cancel(&run->command);
	if (!ret && commands)
		ret = execute_command(run, tasks);
	else if (!ret && run->options->argv)
		ret = command_start(&run->command, NULL, run->options->device, 0);
	return ret;
}

/* Processes, or one run of a command. */
static int record_once(struct record_run *run)
{
	struct tasks tasks = { .td = run->td, .device = run->options->device };
	int ret;

	look_at_machine(&tasks);
	ret = start(run, &tasks);
	if (!ret)
		ret = write_tasks(run, &tasks);
	if (!ret && !run->first)
		ret = sampling_begin(run);
	if (!ret)
		ret = follow(run, &tasks);
	if (!ret)
		ret = sampling_finish(run);
	tasks_detach(&tasks);
	return ret;
}

static bool is_ready(int fd)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	return poll(&ready, 1, 0) > 0;
}

/* Without --timeout a run ends with its command. */
static bool ended(const struct record_run *run)
{
	return run->command.pid && is_ready(run->command.exited);
}

/* A run that is interrupted is the last, as is one that a signal has killed. */
static int record_runs(struct record_run *run)
{
	int ret = 0;

	while (run->first < run->options->runs && !ret) {
		ret = record_once(run);
		if (ret || !ended(run))
			break;
		record_end_command(run);
		if (is_ready(run->signals))
			record_take_signal(run);
		/* The run is not whole then, and the recording says by which signal it ended. */
		if (run->command.killed && !run->signal)
			run->signal = run->command.killed;
		if (run->signal)
			break;
		run->first++;
	}
	return ret;
}

/**
 * record_tasks - record what tasks use
 * @run: the recording
 *
 * Return: 0 when it has ended, or an exit code after a message.
 */
int record_tasks(struct record_run *run)
{
	int ret;

	ret = prepare(run);
	if (ret)
		return ret;
	return run->options->runs ? record_runs(run) : record_once(run);
}
