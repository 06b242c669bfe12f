// SPDX-License-Identifier: GPL-2.0
/*
 * topdown latency: start the sampling of CPUs, of followed tasks, or of a command, and wait.
 */
#include <errno.h>
#include <poll.h>

#include "clock.h"
#include "events.h"
#include "latency.h"
#include "message.h"
#include "refusal.h"

/* Choose the events, before anything starts. */
static int choose(struct latency_run *run)
{
	const struct latency_options *options = run->options;

	return events_choose(run->td, options->device,
			     options->events || options->nr_raw ? options->events : EVENTS_ALL,
			     " (--default without -p, a command, --cost and --save shows what others have published)",
			     &run->events);
}

/* @session: the tasks; -1 for CPUs */
static int open_part(struct latency_run *run, int session, bool raw)
{
	const struct latency_options *options = run->options;
	const struct cpulist *cpus = session < 0 && options->has_cpus ? &options->cpus : NULL;
	int ret;

	ret = raw ? latency_parts_start_raw(&run->sampled, run->td, cpus, session) :
		    latency_parts_start(&run->sampled, run->td, cpus, session, run->events);
	return ret ? events_refused(options->device, -ret, options->has_cpus) : 0;
}

static int start_cpus(struct latency_run *run)
{
	int ret = 0;

	/* A wrong CPU would only be one that the device does not sample. */
	if (run->options->has_cpus && !cpulist_there(&run->options->cpus, "-C", run->td, false))
		return EXIT_USAGE;
	if (run->events)
		ret = open_part(run, -1, false);
	if (!ret && run->options->nr_raw)
		ret = open_part(run, -1, true);
	return ret;
}

static int sample_tasks(struct latency_run *run)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < run->tasks.nr && !ret; i++) {
		if (run->options->cost)
			ret = cost_begin_task(&run->tasks.task[i]);
		if (ret)
			return refusal_session(run->options->device, -ret);
		ret = open_part(run, run->tasks.task[i].session, run->options->nr_raw);
	}
	return ret;
}

static int attach(struct latency_run *run)
{
	const struct idlist *pids = &run->options->pids;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < pids->nr && !ret; i++)
		ret = tasks_attach_process(&run->tasks, pids->id[i], TOPDOWN_ATTACH_CHILDREN);
	run->ticker.target = run->tasks.nr ? run->tasks.ended : -1;
	run->ticker.target_events = POLLIN;
	return ret;
}

/* The command waits until it or others are sampled.  Beside -p it only says how long. */
static int begin_command(struct latency_run *run)
{
	unsigned int flags = TOPDOWN_ATTACH_DISABLED | TOPDOWN_ATTACH_ON_EXEC |
			     TOPDOWN_ATTACH_CHILDREN;
	bool tasks = run->options->tasks && !run->options->pids.nr;
	int ret;

	ret = command_begin(&run->command, tasks ? run->td : NULL, run->options->device, flags);
	if (ret)
		return ret;
	run->ticker.target = run->command.exited;
	run->ticker.target_events = POLLIN;
	return tasks ? tasks_add(&run->tasks, run->command.pid, 0, run->command.session) : 0;
}

/**
 * latency_start - start the latency sessions
 * @run: the run
 *
 * The process of a command is there afterwards, but waits.
 *
 * Return: 0, or an exit code after a message.
 */
int latency_start(struct latency_run *run)
{
	const struct latency_options *options = run->options;
	int ret;

	ret = choose(run);
	if (ret)
		return ret;
	if (options->tasks && !topdown_has(run->td, TOPDOWN_FEATURE_SESSION))
		return refusal_attach(options->device, "tasks", EOPNOTSUPP);
	if (options->pids.nr)
		ret = attach(run);
	if (!ret && options->argv)
		ret = begin_command(run);
	if (ret)
		return ret;
	return options->tasks ? sample_tasks(run) : start_cpus(run);
}

/**
 * latency_execute - let the command run, which is sampled by now
 * @run: the run, with a command that waits
 *
 * Return: 0, or an exit code after a message; then there is no command any more.
 */
int latency_execute(struct latency_run *run)
{
	int ret = command_execute(&run->command);

	/* A run of others has begun with their first records, and not with the program. */
	if (ret || !run->options->tasks || run->options->pids.nr)
		return ret;
	run->start_ns = run->command.start_ns;
	run->then_ns = run->start_ns;
	return 0;
}

static bool tasks_ended(struct latency_run *run)
{
	return tasks_read(&run->tasks, 0) || !tasks_alive(&run->tasks);
}

/**
 * latency_wait - wait for the end of an interval
 * @run: the run
 *
 * A terminal sends its signals to the command too.  A signal from a process is sent to us, but
 * meant for the command as well.
 *
 * Return: why the interval ends.
 */
enum ticker_event latency_wait(struct latency_run *run)
{
	enum ticker_event event;

	for (;;) {
		event = ticker_wait(&run->ticker, clock_now_ns(), &run->signal);
		if (event == TICKER_SIGNAL && run->command.pid) {
			if (run->ticker.from_process)
				command_signal(&run->command, run->signal);
		} else if (event != TICKER_TARGET || run->command.pid || tasks_ended(run)) {
			return event;
		}
	}
}

/**
 * latency_stop - end the latency sessions
 * @run: the run
 */
void latency_stop(struct latency_run *run)
{
	latency_parts_end(&run->sampled);
}

/**
 * latency_outlast - wait for the command, if it has not ended
 * @run: the run, with a command
 *
 * Return: the exit code of the command.
 */
int latency_outlast(struct latency_run *run)
{
	/* Nobody reads the samples any more. */
	latency_stop(run);
	tasks_detach(&run->tasks);
	command_outlast(&run->command, &run->ticker, &run->signal);
	return command_end(&run->command);
}
