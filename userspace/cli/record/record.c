// SPDX-License-Identifier: GPL-2.0
/*
 * topdown record: write all windows of CPUs, or what tasks use, to a file.
 */
#include "record.h"

#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "clock.h"
#include "message.h"
#include "refusal.h"
#include "text.h"
#include "ticker.h"

/* A resume, or somebody who sets the time, wakes us. */
static int watch_clock(void)
{
	const struct itimerspec never = { .it_value = { .tv_sec = INT32_MAX } };
	int fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd >= 0)
		timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
	return fd;
}

static void say_latencies(const struct sampled *sampled)
{
	char lost[64] = "";

	if (!sampled->events)
		return;
	if (sampled->counted)
		snprintf(lost, sizeof(lost), ", %.1f%% lost", 100 * sampled->lost);
	message_note("latencies of %u events%s, %u without a sample", sampled->events, lost,
		     sampled->empty);
}

/* Owners have an interval of their own, and are what --by is for. */
static const char *what_helps(const struct record_run *run, bool tasks, bool owners)
{
	if (owners)
		return ", or with a shorter interval, such as -I 100ms";
	if (!tasks)
		return ", or with a shorter period of the module";
	return run->options->argv ? ", or several runs, such as -r 5" :
				    ", or with a shorter interval, such as -I 10ms";
}

/* Who records to compare learns it while the program can still be run for longer. */
static void say_short(const struct record_run *run, bool tasks)
{
	const struct topdown_info *module = topdown_info_get(run->td);
	uint64_t step_ms = tasks ? run->options->interval_ms : module->out_period_ms;
	bool owners = run->options->owner_ms > step_ms;
	uint64_t length_ms = (run->end.monotonic_ns - run->start_ns) / NS_PER_MS;

	if (run->options->runs) {
		if (run->subjects < RECORD_DIFF_RUNS)
			message_note("too few runs for 'topdown report --diff', which needs %d: -r 5",
				     RECORD_DIFF_RUNS);
		return;
	}
	if (owners)
		step_ms = run->options->owner_ms;
	if (run->options->past || run->files > 1 || !step_ms ||
	    length_ms / step_ms >= RECORD_DIFF_STEPS)
		return;
	message_note("too short for 'topdown report --diff', which needs %d steps: record %.1f s%s",
		     RECORD_DIFF_STEPS, RECORD_DIFF_STEPS * step_ms / 1000.0,
		     what_helps(run, tasks, owners));
}

/* The windows of --past are older than the recorder. */
static uint64_t length_ns(const struct record_run *run)
{
	uint64_t start_ns = run->files > 1 ? run->begin_ns : run->start_ns;

	if (run->options->past && run->first_ns && run->first_ns < start_ns)
		start_ns = run->first_ns;
	return run->end.monotonic_ns - start_ns;
}

static void say_what(const struct record_run *run, bool tasks)
{
	char lost[64] = "", files[32] = "";

	if (run->all_lost)
		snprintf(lost, sizeof(lost), "; %llu windows were lost",
			 (unsigned long long)run->all_lost);
	if (run->options->rotation.files)
		snprintf(files, sizeof(files), "%u file%s, the last is ", run->files,
			 plural_text(run->files));
	/* A loss is no remark. */
	if (run->options->quiet && !run->all_lost)
		return;
	message_note("%llu %s%s of %u %s%s in %.1f s, %llu bytes in %s%s%s",
		     (unsigned long long)run->all_windows, tasks ? "sample" : "window",
		     plural_text(run->all_windows), run->subjects,
		     run->options->runs ? "run" : tasks ? "task" : "CPU",
		     plural_text(run->subjects), length_ns(run) / (double)NS_PER_S,
		     (unsigned long long)run->all_bytes, files, run->name, lost);
	say_latencies(&run->sampled);
	if (!run->options->quiet)
		say_short(run, tasks);
}

/* Ctrl-C is the way to end a recording that has no other end. */
static int exit_code(const struct record_run *run)
{
	bool partial = run->all_lost && run->options->strict;

	if (run->options->argv)
		return !run->status && partial ? EXIT_PARTIAL : run->status;
	if (run->signal && (run->signal != SIGINT || run->options->timeout_ms))
		return EXIT_SIGNAL + run->signal;
	return partial ? EXIT_PARTIAL : EXIT_OK;
}

/* The command may go on. Signals are still handed on to it. */
static void outlast(struct record_run *run)
{
	run->end_ns = 0;
	control_close(&run->control);
	while (record_wait(run, 0, 0) == RECORD_SET)
		;
	record_end_command(run);
}

static int record(struct record_run *run)
{
	const struct record_options *options = run->options;
	bool tasks = options->pids.nr ||
		     (options->argv && !options->all_cpus && !options->has_cpus && !options->by);
	int ret;

	ret = sampling_choose(run);
	if (!ret)
		ret = tasks ? record_tasks(run) : record_cpus(run);
	sampling_end(run);
	owned_end(run);
	run->end = record_now();
	if (run->command.pid)
		outlast(run);
	if (ret)
		return command_failure(run->options->argv, ret);
	ret = record_end_file(run);
	if (ret)
		return command_failure(run->options->argv, ret);
	say_what(run, tasks);
	return exit_code(run);
}

static int close_file(struct record_run *run, int ret)
{
	/* Nothing was recorded, so there is no recording. */
	if (run->created && !run->started)
		unlink(run->options->path);
	if (fclose(run->writer.file) && !ret)
		return command_failure(run->options->argv, record_failed(run, errno));
	return ret;
}

static int run_record(const struct record_options *options)
{
	static const int handled[] = { SIGINT, SIGTERM, SIGHUP, 0 };
	struct record_run run = { .options = options, .clock_set = -1 };
	sigset_t set;
	int ret;

	ret = control_open(&run.control, options->control);
	if (ret) {
		control_close(&run.control);
		return ret;
	}
	ret = topdown_open(&run.td, options->device);
	if (ret) {
		control_close(&run.control);
		return command_failure(options->argv, refusal_open(options->device, -ret));
	}
	if (options->argv)
		command_prepare(&run.command, options->argv);
	/* A write reports that a reader has gone, which is no reason to die. */
	signal(SIGPIPE, SIG_IGN);
	/* Who waits for the reader of a named pipe can still be interrupted. */
	ret = record_open(&run);
	run.signals = ret ? -1 : ticker_signals(handled, &set);
	if (ret) {
		ret = command_failure(options->argv, ret);
	} else if (run.signals < 0) {
		message_error("cannot set up signals: %s", strerror(-run.signals));
		ret = command_failure(options->argv, EXIT_RUNTIME);
	} else {
		run.clock_set = watch_clock();
		ret = record(&run);
	}
	if (run.clock_set >= 0)
		close(run.clock_set);
	if (run.writer.file)
		ret = close_file(&run, ret);
	if (run.signals >= 0)
		close(run.signals);
	control_close(&run.control);
	topdown_close(run.td);
	return ret;
}

int record_main(int argc, char **argv)
{
	static struct record_options options;
	bool done;
	int ret;

	ret = record_parse(&options, argc, argv, &done);
	if (ret || done)
		return ret;
	return run_record(&options);
}
