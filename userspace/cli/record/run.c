// SPDX-License-Identifier: GPL-2.0
/*
 * A recording that goes on: the begin of its file, its clocks, and its waits.
 */
#include "run.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "clock.h"
#include "message.h"

/* Clocks that are set in smaller steps are not followed. */
#define CLOCK_STEP_NS	(10 * NS_PER_MS)
#define CLOCK_TRIES	10

/**
 * record_failed - say that the file cannot be written
 * @run: the recording
 * @error: errno
 *
 * Return: the exit code.
 */
int record_failed(const struct record_run *run, int error)
{
	int ret;

	if (error == EINTR && run->stalled)
		return message_fail(EXIT_SIGNAL + run->signal,
				    "nobody reads %s: the recording has no end", run->name);
	ret = message_write(run->name, error);
	if (ret == EXIT_RUNTIME && run->started)
		message_note("the file has what was written until then: 'topdown report --partial' reads it");
	return ret;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

/**
 * record_now - read all clocks
 *
 * Where another task ran meanwhile, the clocks would seem to be further apart.
 *
 * Return: one moment.
 */
struct record_clock record_now(void)
{
	struct record_clock now;
	unsigned int i;

	for (i = 0; i < CLOCK_TRIES; i++) {
		now.monotonic_ns = clock_now_ns();
		now.realtime_ns = clock_ns(CLOCK_REALTIME);
		now.boottime_ns = clock_ns(CLOCK_BOOTTIME);
		if (clock_now_ns() - now.monotonic_ns < CLOCK_STEP_NS / 2)
			break;
	}
	return now;
}

static uint64_t apart(uint64_t one_ns, uint64_t other_ns)
{
	return one_ns > other_ns ? one_ns - other_ns : other_ns - one_ns;
}

/**
 * record_clock - write how far apart the clocks are, if that has changed
 * @run: the recording
 *
 * CLOCK_MONOTONIC stands still while the machine is suspended, and the time of day may be set.
 *
 * Return: 0, or an exit code after a message.
 */
int record_clock(struct record_run *run)
{
	struct record_clock now = record_now();
	uint64_t past_ns = now.monotonic_ns - run->clock.monotonic_ns;
	int ret;

	if (apart(run->clock.realtime_ns + past_ns, now.realtime_ns) < CLOCK_STEP_NS &&
	    apart(run->clock.boottime_ns + past_ns, now.boottime_ns) < CLOCK_STEP_NS)
		return 0;
	run->clock = now;
	ret = record_write(&run->writer, RECORD_CLOCK, &now, sizeof(now));
	return ret ? record_failed(run, -ret) : 0;
}

/* Reading arms it again. */
static void take_clock(const struct record_run *run)
{
	uint64_t times;

	if (read(run->clock_set, &times, sizeof(times)) < 0 && errno != ECANCELED &&
	    errno != EAGAIN)
		message_note("cannot see when the clock is set: %s", strerror(errno));
}

static void copy_text(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from);
}

static void fill_machine(struct record_info *info)
{
	struct utsname name;

	if (uname(&name))
		return;
	copy_text(info->host, sizeof(info->host), name.nodename);
	copy_text(info->kernel, sizeof(info->kernel), name.release);
}

static void fill_info(const struct record_run *run, unsigned int subject,
		      struct record_info *info)
{
	const struct topdown_info *module = topdown_info_get(run->td);

	*info = (struct record_info){
		.subject = subject,
		.flags = (run->options->past && !run->files ? RECORD_PAST : 0) |
			 (run->options->runs ? RECORD_RUNS : 0),
		.features = module->out_features,
		.instance = module->out_instance,
		.load_time_ns = module->out_load_time_ns,
		.begin = record_now(),
		.nr_cpus = module->out_nr_cpus,
		.module_flags = module->out_flags,
		.source = module->out_source,
		.level = module->out_level,
		.slots_per_cycle = module->out_slots_per_cycle,
		.period_ms = module->out_period_ms,
		.interval_ms = run->options->interval_ms,
		.history = run->history,
		.cpu_family = module->out_cpu_family,
		.cpu_model = module->out_cpu_model,
		.cpu_stepping = module->out_cpu_stepping,
		.latency_ms = run->options->latency_ms,
	};
	fill_machine(info);
	copy_text(info->cpu_name, sizeof(info->cpu_name), module->out_cpu_name);
	copy_text(info->codename, sizeof(info->codename), module->out_codename);
	copy_text(info->module, sizeof(info->module), module->out_version);
	copy_text(info->program, sizeof(info->program), TOPDOWN_VERSION);
}

/* Words beyond the room are left out. */
static int write_words(struct record_run *run)
{
	char text[4096] = "";
	size_t used = 0, size;
	int i;

	for (i = 0; i < run->options->nr_words; i++) {
		size = strlen(run->options->words[i]) + 1;
		if (size > sizeof(text) - used)
			break;
		memcpy(text + used, run->options->words[i], size);
		used += size;
	}
	return record_write(&run->writer, RECORD_COMMAND, text, used);
}

/**
 * record_start_file - begin the file, now that there will be something in it
 * @run: the recording
 * @subject: RECORD_OF_CPUS or RECORD_OF_TASKS
 *
 * So a run that cannot record keeps the file of an earlier run.
 *
 * Return: 0, or an exit code after a message.
 */
int record_start_file(struct record_run *run, unsigned int subject)
{
	struct record_info info;
	int ret;

	fill_info(run, subject, &info);
	ret = run->files ? record_next_file(run) : record_renew(run);
	if (ret)
		return ret;
	run->started = true;
	run->start_ns = info.begin.monotonic_ns;
	run->clock = info.begin;
	if (!run->files)
		run->begin_ns = run->start_ns;
	if (run->options->timeout_ms && !run->files)
		run->end_ns = run->start_ns + run->options->timeout_ms * NS_PER_MS;
	ret = record_write_start(&run->writer, run->writer.file);
	if (!ret)
		ret = record_write(&run->writer, RECORD_INFO, &info, sizeof(info));
	if (!ret)
		ret = write_words(run);
	return ret ? record_failed(run, -ret) : 0;
}

/**
 * record_end_file - end the file, which says that it is whole
 * @run: the recording
 *
 * Return: 0, or an exit code after a message.
 */
int record_end_file(struct record_run *run)
{
	struct record_end end = {
		.end = run->end,
		.windows = run->windows,
		.lost = run->lost,
		.signal = run->signal,
		.status = run->status,
	};
	int ret = record_write(&run->writer, RECORD_END, &end, sizeof(end));

	if (!ret && fflush(run->writer.file))
		ret = -errno;
	if (ret)
		return record_failed(run, -ret);
	run->files++;
	run->all_windows += run->windows;
	run->all_lost += run->lost;
	run->all_bytes += run->writer.bytes;
	run->windows = 0;
	run->lost = 0;
	return 0;
}

/**
 * record_take_signal - take the signal that has come
 * @run: the recording
 */
void record_take_signal(struct record_run *run)
{
	struct signalfd_siginfo info;

	if (read(run->signals, &info, sizeof(info)) != sizeof(info))
		return;
	run->signal = info.ssi_signo;
	/* A terminal sends its signals to the command too. */
	if (run->command.pid && info.ssi_code <= 0)
		command_signal(&run->command, run->signal);
}

/**
 * record_end_command - wait for the end of the command
 * @run: the recording
 */
void record_end_command(struct record_run *run)
{
	int status = command_end(&run->command);

	if (!run->status)
		run->status = status;
}

static struct timespec until(uint64_t at_ns)
{
	uint64_t now_ns = clock_now_ns(), left_ns = at_ns > now_ns ? at_ns - now_ns : 0;

	return (struct timespec){
		.tv_sec = left_ns / NS_PER_S,
		.tv_nsec = left_ns % NS_PER_S,
	};
}

static bool ends(const struct record_run *run)
{
	return run->end_ns && clock_now_ns() >= run->end_ns;
}

/* CPUs have all their windows, and latencies no gap. */
static bool can_pause(const struct record_run *run)
{
	return run->options->interval_ms && !run->options->latencies;
}

/* Return: what the caller has to do; RECORD_READY for nothing. */
static enum record_event take_words(struct record_run *run)
{
	for (;;) {
		enum control_word word = control_read(&run->control);

		switch (word) {
		case CONTROL_NONE:
			return RECORD_READY;
		case CONTROL_UNKNOWN:
			continue;
		case CONTROL_ENABLE:
		case CONTROL_DISABLE:
			if (can_pause(run)) {
				run->word = word;
				return RECORD_CONTROL;
			}
			control_refuse(word == CONTROL_ENABLE ? "enable" : "disable",
				       "a recording of CPUs or of latencies has no gap; allowed: stop, ping");
			control_ack(&run->control);
			continue;
		default:
			control_ack(&run->control);
			if (word == CONTROL_STOP)
				return RECORD_OVER;
		}
	}
}

/**
 * record_wait - sleep
 * @run: the recording
 * @device: events of the device to wait for; 0 for none
 * @until_ns: CLOCK_MONOTONIC of the end of the sleep; 0 for none
 *
 * A command that has got a signal may go on, and then so does the recording.
 *
 * Return: why it is over.
 */
enum record_event record_wait(struct record_run *run, short device, uint64_t until_ns)
{
	struct pollfd fds[] = {
		{ .fd = run->signals, .events = POLLIN },
		{ .fd = run->command.pid ? run->command.exited : -1, .events = POLLIN },
		{ .fd = run->clock_set, .events = POLLIN },
		{ .fd = run->control.words, .events = POLLIN },
		{ .fd = topdown_fd(run->td), .events = device },
	};
	enum record_event why;
	uint64_t at_ns = until_ns;
	struct timespec left;
	int ready;

	if (run->end_ns && (!at_ns || run->end_ns < at_ns))
		at_ns = run->end_ns;
	for (;;) {
		left = until(at_ns);
		/* A user who closes the other end has nothing more to say. */
		fds[3].fd = run->control.words;
		ready = ppoll(fds, device ? 5 : 4, at_ns ? &left : NULL, NULL);
		if (ready < 0 && errno != EINTR)
			return RECORD_ERROR;
		if (ready > 0 && fds[0].revents)
			record_take_signal(run);
		if (ready > 0 && fds[1].revents)
			return RECORD_OVER;
		if (run->signal && !run->command.pid)
			return RECORD_OVER;
		if (ends(run))
			return RECORD_OVER;
		if (ready > 0 && fds[2].revents) {
			take_clock(run);
			return RECORD_SET;
		}
		if (ready > 0 && fds[3].revents) {
			why = take_words(run);
			if (why != RECORD_READY)
				return why;
		}
		if (ready > 0 && fds[4].revents)
			return RECORD_READY;
		if (until_ns && clock_now_ns() >= until_ns)
			return RECORD_TIME;
	}
}
