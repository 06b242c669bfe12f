// SPDX-License-Identifier: GPL-2.0
/*
 * topdown stat: measure CPUs, tasks, or a command while it runs, and print.
 */
#include "stat.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <topdown.h>
#include <unistd.h>

#include "clock.h"
#include "columns.h"
#include "info.h"
#include "locate.h"
#include "message.h"
#include "parts.h"
#include "refusal.h"

/* Decide how many levels are shown. */
static int choose_level(struct stat_run *run)
{
	const struct topdown_info *info = topdown_info_get(run->td);
	uint64_t most = info->out_level, asked = run->options->level;

	if (most > LEVEL_MAX)
		most = LEVEL_MAX;
	if (asked > most)
		return message_fail(EXIT_DEVICE,
				    "-l: this machine has no level %u: %s, source %s (allowed: %s)",
				    (unsigned int)asked,
				    *info->out_codename ? info->out_codename : info->out_cpu_name,
				    topdown_source_name(info->out_source),
				    most > 1 ? "1..2" : most ? "1" : "none");
	run->interval.level = asked ? asked : most;
	return 0;
}

static int prepare(struct stat_run *run)
{
	const struct stat_options *options = run->options;
	struct output *output = &run->output;
	int ret;

	*output = options->output;
	output->views = COLUMNS_CPUS;
	output->errors = options->argv;
	ret = choose_level(run);
	return ret ? ret : run->source->prepare(run);
}

/* End an interval: make and judge all its rows, and keep some of them. */
static int end_interval(struct stat_run *run)
{
	struct interval *interval = &run->interval;
	uint64_t now_ns;
	unsigned int i;
	int ret;

	ret = run->source->fill(run, &now_ns);
	if (ret)
		return ret;
	run->woken_ns = clock_now_ns();
	interval->time = clock_epoch_from(now_ns, run->woken_ns);
	interval->elapsed = (double)(now_ns - run->start_ns) / NS_PER_S;
	interval->length = (double)(now_ns - run->then_ns) / NS_PER_S;
	run->then_ns = now_ns;
	for (i = 0; i < interval->nr; i++)
		run->partial |= row_partial(&interval->row[i]);
	if (run->source->choose)
		run->source->choose(run);
	return 0;
}

/* A table may be followed by commands that look closer. */
static int print(struct stat_run *run)
{
	int ret = output_interval(&run->output, &run->interval);

	if (ret || !run->options->locate)
		return ret;
	locate_print(run->output.file, run->options, topdown_info_get(run->td),
		     &run->interval.row[0]);
	return output_flush(&run->output);
}

/* A part is over, and the sums are printed if no other follows. */
static int end_part(struct stat_run *run)
{
	struct interval last;
	int ret = run->disabled ? 0 : end_interval(run);

	if (!ret && !run->disabled && parts_add(&run->parts, &run->interval))
		ret = message_fail(EXIT_RUNTIME, "cannot add up: %s", strerror(ENOMEM));
	if (ret || !run->last)
		return ret;
	if (!run->parts.nr) {
		message_note("nothing was measured: --control has got no 'enable'");
		return 0;
	}
	/* The rows of both are freed together. */
	last = run->interval;
	run->interval = run->parts;
	run->interval.command = last.command;
	run->parts = last;
	return print(run);
}

static int print_interval(struct stat_run *run)
{
	int ret;

	if (run->options->control && !run->options->interval_ms)
		return end_part(run);
	if (run->disabled)
		return 0;
	ret = end_interval(run);
	/* A task that is over has no row, and one of several runs has no output. */
	if (ret || !run->interval.nr || run->options->runs)
		return ret;
	return print(run);
}

static int print_mean(struct stat_run *run)
{
	struct interval *interval = &run->interval;

	repeat_row(&run->repeat, &interval->row[0]);
	/* The runs were different processes. */
	run->tasks.task[0].pid = 0;
	interval->row[0].kind = ROW_RUNS;
	interval->row[0].task = &run->tasks.task[0];
	interval->length = run->repeat.length.mean;
	interval->repeat = &run->repeat;
	return print(run);
}

static bool is_alive(struct stat_run *run)
{
	return !run->source->alive || run->source->alive(run);
}

/*
 * A terminal sends its signals to the command too. A signal from a process is sent to us,
 * but meant for the command as well.
 */
static void hand_on(struct stat_run *run)
{
	if (run->ticker.from_process)
		command_signal(&run->command, run->signal);
}

/* The time goes on, but what was counted meanwhile is dropped. */
static int enable(struct stat_run *run)
{
	uint64_t start_ns = run->start_ns, end_ns = run->ticker.end_ns;
	int ret = run->source->again(run);

	run->then_ns = run->start_ns;
	run->woken_ns = run->grid_ns;
	run->start_ns = start_ns;
	ticker_start(&run->ticker, run->grid_ns, run->options->interval_ms * NS_PER_MS, 0);
	run->ticker.end_ns = end_ns;
	run->disabled = false;
	return ret;
}

static int disable(struct stat_run *run)
{
	int ret = print_interval(run);

	run->disabled = true;
	return ret;
}

/* Do what was said.  @event: TICKER_END if the measurement ends. */
static int obey(struct stat_run *run, enum ticker_event *event)
{
	enum control_word word;
	int ret = 0;

	while (!ret && *event == TICKER_CONTROL) {
		word = control_read(&run->control);
		if (word == CONTROL_NONE)
			break;
		if (word == CONTROL_ENABLE && run->disabled)
			ret = enable(run);
		else if (word == CONTROL_DISABLE && !run->disabled)
			ret = disable(run);
		else if (word == CONTROL_STOP)
			*event = TICKER_END;
		if (!ret && word != CONTROL_UNKNOWN)
			control_ack(&run->control);
	}
	run->ticker.control = run->control.words;
	return ret;
}

static enum ticker_event wait_interval(struct stat_run *run)
{
	enum ticker_event event;

	for (;;) {
		event = ticker_wait(&run->ticker, run->woken_ns, &run->signal);
		if (event == TICKER_CONTROL)
			run->failed = obey(run, &event);
		if (run->failed)
			return TICKER_ERROR;
		if (event == TICKER_INTERVAL && run->disabled)
			run->woken_ns = clock_now_ns();
		else if (event == TICKER_CONTROL)
			continue;
		else if (event == TICKER_SIGNAL && run->options->argv)
			hand_on(run);
		else if (event != TICKER_TARGET || run->options->argv || !is_alive(run))
			return event;
	}
}

static void start_ticker(struct stat_run *run)
{
	run->then_ns = run->start_ns;
	run->woken_ns = run->grid_ns;
	ticker_start(&run->ticker, run->grid_ns, run->options->interval_ms * NS_PER_MS,
		     run->options->timeout_ms * NS_PER_MS);
}

static int wait_or_fail(struct stat_run *run, enum ticker_event *event)
{
	*event = wait_interval(run);
	if (*event != TICKER_ERROR)
		return 0;
	if (run->failed)
		return run->failed;
	return message_fail(EXIT_RUNTIME, "cannot wait for the end of the interval: %s",
			    strerror(errno));
}

/* Its times are those of all the command, and not of one of several intervals. */
static void see_end(struct stat_run *run, enum ticker_event event)
{
	const struct stat_options *options = run->options;

	if (event != TICKER_TARGET || run->command.session < 0 || options->interval_ms ||
	    options->runs)
		return;
	command_times(&run->command);
	run->interval.command = &run->command;
}

/*
 * The measured tasks run for a while before they are counted.  If they end meanwhile, there is
 * one interval of no length.
 */
static int wait_delay(struct stat_run *run, enum ticker_event *event)
{
	int ret;

	ticker_start(&run->ticker, run->grid_ns, 0, run->options->delay_ms * NS_PER_MS);
	ret = wait_or_fail(run, event);
	if (!ret)
		ret = run->source->again(run);
	if (ret)
		return ret;
	start_ticker(run);
	if (*event == TICKER_END)
		return 0;
	run->last = true;
	see_end(run, *event);
	return print_interval(run);
}

/* Print until the measured tasks end, or the measurement is over. */
static int follow(struct stat_run *run, enum ticker_event *event)
{
	uint64_t printed = 0;
	int ret;

	start_ticker(run);
	run->disabled = run->options->waits;
	if (run->options->delay_ms) {
		ret = wait_delay(run, event);
		if (ret || *event != TICKER_END)
			return ret;
	}
	do {
		ret = wait_or_fail(run, event);
		if (ret)
			return ret;
		run->last = *event != TICKER_INTERVAL || printed + 1 == run->options->count;
		see_end(run, *event);
		ret = print_interval(run);
		if (ret)
			return ret;
		printed++;
		/*
		 * The interval itself may have read the end of the tasks, which poll()
		 * reports only once.
		 */
		if (*event == TICKER_INTERVAL && run->over && !run->options->argv)
			*event = TICKER_TARGET;
	} while (*event == TICKER_INTERVAL && printed != run->options->count);
	return 0;
}

static void say_what(const struct stat_run *run)
{
	const struct stat_options *options = run->options;

	if (options->verbose)
		info_summary(stderr, run->td);
	if (options->argv || options->quiet || !isatty(STDERR_FILENO) ||
	    options->interval_ms || options->timeout_ms)
		return;
	run->source->note(run);
}

/* The exit code after a signal. Ctrl-C is the way to end a measurement that has no other end. */
static int signal_status(const struct stat_run *run)
{
	const struct stat_options *options = run->options;

	if (run->signal == SIGINT && !options->count && !options->timeout_ms)
		return 0;
	return EXIT_SIGNAL + run->signal;
}

static int measure_alone(struct stat_run *run)
{
	enum ticker_event event;
	int ret;

	ret = run->source->begin(run);
	if (!ret)
		ret = output_begin(&run->output);
	if (ret)
		return ret;
	say_what(run);
	ret = follow(run, &event);
	if (!ret && event == TICKER_SIGNAL)
		return signal_status(run);
	return ret;
}

/* Measure one run. @status is the status of the command, which counts unless it is 0. */
static int measure_run(struct stat_run *run, int *status)
{
	enum ticker_event event = TICKER_TARGET;
	int ret;

	ret = run->source->begin(run);
	if (ret) {
		*status = command_failure(run->options->argv, ret);
		return ret;
	}
	ret = output_begin(&run->output);
	if (!ret && run->options->argv && run->command.session >= 0)
		ret = tasks_add(&run->tasks, run->command.pid, 0, run->command.session);
	run->ticker.target = run->command.exited;
	run->ticker.target_events = POLLIN;
	if (!ret)
		ret = follow(run, &event);
	/* If nothing is left to measure, signals are still handed on to the command. */
	if (ret || event != TICKER_TARGET) {
		tasks_detach(&run->tasks);
		command_outlast(&run->command, &run->ticker, &run->signal);
	}
	*status = command_end(&run->command);
	return ret;
}

/* A signal ended the command or was handed on to it, with any effect. */
static bool was_interrupted(const struct stat_run *run)
{
	return run->command.killed || run->signal;
}

/* The first run that fails decides the status. A run that is interrupted is the last. */
static int measure_command(struct stat_run *run)
{
	uint64_t runs = run->options->runs ? run->options->runs : 1, i;
	int ret = 0, status, worst = 0;

	say_what(run);
	for (i = 0; i < runs && !ret; i++) {
		ret = measure_run(run, &status);
		if (!worst)
			worst = status;
		/* Half a run says little about the mean, but more than no run. */
		if (!ret && run->options->runs && !(was_interrupted(run) && run->repeat.runs))
			repeat_add(&run->repeat, &run->interval.row[0], run->interval.length);
		if (was_interrupted(run))
			break;
	}
	if (run->repeat.runs && !ret)
		ret = print_mean(run);
	return worst ? worst : command_failure(run->options->argv, ret);
}

static int measure(struct stat_run *run)
{
	const struct stat_options *options = run->options;
	int ret, closed;

	if (options->argv)
		command_prepare(&run->command, options->argv);
	/* A write reports that a reader has gone, which is no reason to die. */
	signal(SIGPIPE, SIG_IGN);
	ret = output_open(&run->output, options->path, options->append);
	if (ret)
		return command_failure(run->options->argv, ret);
	ret = ticker_open(&run->ticker);
	if (ret) {
		message_error("cannot set up signals: %s", strerror(-ret));
		ret = command_failure(run->options->argv, EXIT_RUNTIME);
	} else {
		run->ticker.control = run->control.words;
		ret = options->argv ? measure_command(run) : measure_alone(run);
		ticker_close(&run->ticker);
	}
	closed = output_close(&run->output);
	return ret ? ret : command_failure(run->options->argv, closed);
}

/* A command is measured by itself unless the user asks for CPUs. */
static const struct row_source *source_of(const struct stat_options *options)
{
	bool tasks = options->pids.nr || options->tids.nr ||
		     (options->argv && !options->all_cpus && !options->has_cpus);

	if (options->by)
		return &rows_of_owners;
	return tasks ? &rows_of_tasks : &rows_of_cpus;
}

static int run_stat(const struct stat_options *options)
{
	struct stat_run run = { .options = options, .source = source_of(options) };
	int ret;

	ret = topdown_open(&run.td, options->device);
	if (ret)
		return command_failure(options->argv, refusal_open(options->device, -ret));

	ret = control_open(&run.control, options->control);
	if (!ret)
		ret = command_failure(options->argv, prepare(&run));
	if (!ret)
		ret = measure(&run);
	if (ret == EXIT_OK && options->strict && run.partial)
		ret = EXIT_PARTIAL;

	control_close(&run.control);
	interval_free(&run.interval);
	interval_free(&run.parts);
	run.source->close(&run);
	topdown_close(run.td);
	return ret;
}

int stat_main(int argc, char **argv)
{
	struct stat_options options;
	bool done;
	int ret;

	ret = stat_parse(&options, argc, argv, &done);
	if (ret || done)
		return ret;
	return run_stat(&options);
}
