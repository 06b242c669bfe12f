// SPDX-License-Identifier: GPL-2.0
/*
 * topdown stat: measure tasks, or a command while it runs, and print.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <topdown.h>
#include <unistd.h>

#include "clock.h"
#include "command.h"
#include "info.h"
#include "repeat.h"
#include "report.h"
#include "stat.h"
#include "task.h"
#include "ticker.h"

/**
 * struct task_run - a measurement of tasks going on
 * @options: what was asked for
 * @tasks: what is followed
 * @command: the command that is run, if any
 * @repeat: what its runs had, with -r
 * @start_ns: CLOCK_MONOTONIC of the start
 * @then_ns: of the end of the last interval
 * @output: where figures go
 * @interval: what is printed
 * @ticker: when
 * @signal: that ended the measurement, or was handed on to the command
 * @partial: some of the time was not measured
 */
struct task_run {
	const struct stat_options *options;
	struct tasks tasks;
	struct command command;
	struct repeat repeat;
	uint64_t start_ns;
	uint64_t then_ns;
	struct output output;
	struct interval interval;
	struct ticker ticker;
	int signal;
	bool partial;
};

static int read_error(const struct task_run *run, int ret)
{
	return report_session(run->options->device, -ret);
}

/* Rows of several tasks have one level unless asked for more, to fit the screen. */
static void choose_form(struct task_run *run)
{
	const struct stat_options *options = run->options;
	struct output *output = &run->output;

	output->format = options->format;
	output->separator = options->separator;
	output->header = options->header;
	output->tasks = true;
	output->repeat = options->runs;
	output->errors = options->argv;
	output->tree = !options->per_thread && options->pids.nr + options->tids.nr < 2;
	if (!output->tree && !options->level && options->format == OUTPUT_TABLE)
		run->interval.level = 1;
}

static int prepare(struct task_run *run)
{
	const struct topdown *td = run->tasks.td;
	int ret;

	if (!topdown_has(td, TOPDOWN_FEATURE_SESSION))
		return report_attach(run->options->device, "tasks", EOPNOTSUPP);
	ret = stat_level(run->options, td, &run->interval.level);
	if (ret)
		return ret;
	if (!run->interval.level) {
		report_error("no CPU of this machine can be measured ('topdown info' and the kernel log say why)");
		return EXIT_DEVICE;
	}
	choose_form(run);
	return 0;
}

static int attach(struct task_run *run)
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

static int print_mean(struct task_run *run)
{
	struct interval *interval = &run->interval;

	repeat_row(&run->repeat, &interval->row[0]);
	/* The runs were different processes. */
	run->tasks.task[0].pid = 0;
	interval->row[0].task = &run->tasks.task[0];
	interval->length = run->repeat.length.mean;
	interval->repeat = &run->repeat;
	return output_interval(&run->output, interval);
}

static int print_interval(struct task_run *run)
{
	struct interval *interval = &run->interval;
	unsigned int i;
	uint64_t now;
	int ret;

	ret = tasks_read(&run->tasks, TOPDOWN_SESSION_FRESH);
	now = clock_now_ns();
	if (!ret)
		ret = tasks_rows(&run->tasks, interval);
	if (ret)
		return read_error(run, ret);
	interval->time = stat_epoch();
	interval->elapsed = (double)(now - run->start_ns) / NS_PER_S;
	interval->length = (double)(now - run->then_ns) / NS_PER_S;
	run->then_ns = now;
	for (i = 0; i < interval->nr; i++)
		run->partial |= row_partial(&interval->row[i]);
	/* Nothing is left to say of tasks that are over, or yet of one run of many. */
	if (!interval->nr || run->options->runs)
		return 0;
	return output_interval(&run->output, interval);
}

/* Without a right to whole CPUs the device cannot say who has ended, so ask. */
static bool still_alive(struct task_run *run)
{
	return !tasks_read(&run->tasks, 0) && tasks_alive(&run->tasks);
}

/*
 * What a terminal sends goes to the command anyway, and what a process sends us is
 * meant for it as well.
 */
static void hand_on(struct task_run *run)
{
	if (run->ticker.from_process)
		command_signal(&run->command, run->signal);
}

static enum ticker_event wait_interval(struct task_run *run)
{
	enum ticker_event event;

	for (;;) {
		event = ticker_wait(&run->ticker, run->then_ns, &run->signal);
		if (event == TICKER_SIGNAL && run->options->argv)
			hand_on(run);
		else if (event != TICKER_TARGET || run->options->argv || !still_alive(run))
			return event;
	}
}

/* Until the tasks end, or what was asked for is over. */
static int follow(struct task_run *run, enum ticker_event *event)
{
	uint64_t printed = 0;
	int ret;

	do {
		*event = wait_interval(run);
		if (*event == TICKER_ERROR) {
			report_error("cannot wait for the end of the interval: %s",
				     strerror(errno));
			return EXIT_RUNTIME;
		}
		ret = print_interval(run);
		if (ret)
			return ret;
		printed++;
		/* The interval itself may have been told of the end, which is told once. */
		if (*event == TICKER_INTERVAL && !run->options->argv && !tasks_alive(&run->tasks))
			*event = TICKER_TARGET;
	} while (*event == TICKER_INTERVAL && printed != run->options->count);
	return 0;
}

static void start(struct task_run *run, uint64_t start_ns)
{
	run->start_ns = start_ns;
	run->then_ns = start_ns;
	ticker_start(&run->ticker, run->start_ns, run->options->interval_ms * NS_PER_MS,
		     run->options->timeout_ms * NS_PER_MS);
}

static void say_what(const struct task_run *run)
{
	const struct stat_options *options = run->options;

	if (options->verbose)
		info_summary(stderr, run->tasks.td);
	if (options->argv || options->quiet || !isatty(STDERR_FILENO) ||
	    options->interval_ms || options->timeout_ms)
		return;
	report_note("following %u task%s until the end; Ctrl-C ends and prints",
		    run->tasks.nr, run->tasks.nr == 1 ? "" : "s");
}

static int measure_tasks(struct task_run *run)
{
	enum ticker_event event;
	int ret;

	ret = attach(run);
	if (!ret)
		ret = output_begin(&run->output);
	if (ret)
		return ret;
	say_what(run);
	run->ticker.target = topdown_fd(run->tasks.td);
	run->ticker.target_events = POLLPRI;
	start(run, clock_now_ns());
	ret = follow(run, &event);
	if (!ret && event == TICKER_SIGNAL)
		return stat_signal_status(run->options, run->signal);
	return ret;
}

/* When nothing is left to measure, signals are still for the command. */
static void outlast(struct task_run *run)
{
	tasks_detach(&run->tasks);
	ticker_start(&run->ticker, run->start_ns, 0, 0);
	wait_interval(run);
}

/*
 * One run.  @status is that of the command, which is what counts unless it says
 * that all went well.
 */
static int measure_run(struct task_run *run, int *status)
{
	unsigned int flags = TOPDOWN_ATTACH_DISABLED | TOPDOWN_ATTACH_ON_EXEC;
	enum ticker_event event = TICKER_TARGET;
	int ret;

	if (!run->options->no_inherit)
		flags |= TOPDOWN_ATTACH_CHILDREN;
	tasks_detach(&run->tasks);
	ret = command_start(&run->command, run->tasks.td, run->options->device, flags);
	if (ret) {
		*status = ret;
		return ret;
	}
	start(run, run->command.start_ns);
	ret = output_begin(&run->output);
	if (!ret)
		ret = tasks_add(&run->tasks, run->command.pid, 0, run->command.session);
	run->ticker.target = run->command.exited;
	run->ticker.target_events = POLLIN;
	if (!ret)
		ret = follow(run, &event);
	if (ret || event != TICKER_TARGET)
		outlast(run);
	*status = command_end(&run->command);
	return ret;
}

/* A signal ended it, or was for it, whatever it made of that. */
static bool was_interrupted(const struct task_run *run)
{
	return run->command.killed || run->signal;
}

/* The first run that fails decides the status; one that is interrupted is the last. */
static int measure_command(struct task_run *run)
{
	uint64_t runs = run->options->runs ? run->options->runs : 1, i;
	int ret = 0, status, worst = 0;

	say_what(run);
	for (i = 0; i < runs && !ret; i++) {
		ret = measure_run(run, &status);
		if (!worst)
			worst = status;
		/* Half a run says little of the mean, but more than nothing. */
		if (!ret && run->options->runs && !(was_interrupted(run) && run->repeat.runs))
			repeat_add(&run->repeat, &run->interval.row[0], run->interval.length);
		if (was_interrupted(run))
			break;
	}
	if (run->repeat.runs && !ret)
		ret = print_mean(run);
	return worst ? worst : ret;
}

static int measure(struct task_run *run)
{
	const struct stat_options *options = run->options;
	int ret, closed;

	if (options->argv)
		command_prepare(&run->command, options->argv);
	/* A reader that leaves is seen when writing, and is not worth dying. */
	signal(SIGPIPE, SIG_IGN);
	ret = output_open(&run->output, options->path, options->append);
	if (ret)
		return ret;
	ret = ticker_open(&run->ticker);
	if (ret) {
		report_error("cannot set up timer and signals: %s", strerror(-ret));
		ret = EXIT_RUNTIME;
	} else {
		ret = options->argv ? measure_command(run) : measure_tasks(run);
		ticker_close(&run->ticker);
	}
	closed = output_close(&run->output);
	return ret ? ret : closed;
}

/**
 * stat_tasks - measure tasks as asked for
 * @options: command line
 *
 * Return: exit code.
 */
int stat_tasks(const struct stat_options *options)
{
	struct task_run run = { .options = options, .tasks.device = options->device };
	int ret;

	ret = topdown_open(&run.tasks.td, options->device);
	if (ret)
		return report_open(options->device, -ret);

	ret = prepare(&run);
	if (!ret)
		ret = measure(&run);
	if (ret == EXIT_OK && options->strict && run.partial)
		ret = EXIT_PARTIAL;

	interval_free(&run.interval);
	tasks_detach(&run.tasks);
	topdown_close(run.tasks.td);
	return ret;
}
