// SPDX-License-Identifier: GPL-2.0
/*
 * topdown stat: measure CPUs and print; and what that has in common with tasks.
 */
#include "stat.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <topdown.h>
#include <unistd.h>

#include "info.h"
#include "report.h"
#include "ticker.h"

#define NS_PER_S	1000000000.0
#define NS_PER_MS	1000000ULL

/**
 * struct stat_run - a measurement going on
 * @options: what was asked for
 * @td: device
 * @then: reading of the start of the interval
 * @now: reading of its end
 * @start_ns: time of the first reading
 * @read_flags: flags of every reading
 * @cpus: CPUs that are measured, as of now
 * @output: where figures go
 * @interval: what is printed
 * @ticker: when
 * @partial: some of the time was not measured
 */
struct stat_run {
	const struct stat_options *options;
	struct topdown *td;
	struct topdown_reading *then;
	struct topdown_reading *now;
	uint64_t start_ns;
	unsigned int read_flags;
	struct cpulist cpus;
	struct output output;
	struct interval interval;
	struct ticker ticker;
	bool partial;
};

static int read_error(const struct stat_run *run, int ret)
{
	return report_read(run->options->device, -ret);
}

static bool is_measurable(const struct topdown_record *record)
{
	return record->source != TOPDOWN_SOURCE_NONE && record->level;
}

/* One reading of all CPUs says which there are, and whether we may read. */
static int look_at_cpus(struct stat_run *run)
{
	struct cpulist possible = { .words = { 0 } }, online = { .words = { 0 } };
	unsigned int measurable = 0, i;
	struct topdown_reading *all = NULL;
	int ret;

	ret = topdown_reading_create(&all, run->td, NULL, 0);
	if (!ret)
		ret = topdown_reading_update(all, 0);
	if (ret) {
		topdown_reading_destroy(all);
		return read_error(run, ret);
	}
	for (i = 0; i < topdown_reading_nr(all); i++) {
		const struct topdown_record *record = topdown_reading_record(all, i);

		if (record->cpu >= CPULIST_MAX)
			continue;
		cpulist_set(&possible, record->cpu);
		if (record->state != TOPDOWN_STATE_OFFLINE)
			cpulist_set(&online, record->cpu);
		if (!run->options->has_cpus || cpulist_has(&run->options->cpus, record->cpu))
			measurable += is_measurable(record);
	}
	topdown_reading_destroy(all);

	run->cpus = run->options->has_cpus ? run->options->cpus : online;
	if (run->options->has_cpus &&
	    !cpulist_check(&run->cpus, "-C", &possible, &online))
		return EXIT_USAGE;
	if (!measurable) {
		report_error("none of the CPUs asked for can be measured ('topdown info' and the kernel log say why)");
		return EXIT_DEVICE;
	}
	return 0;
}

/**
 * stat_level - decide how many levels are shown
 * @options: command line
 * @td: device
 * @level: highest level
 *
 * Return: 0, or an exit code after a message.
 */
int stat_level(const struct stat_options *options, const struct topdown *td,
	       unsigned int *level)
{
	const struct topdown_info *info = topdown_info_get(td);
	uint64_t most = info->out_level;

	if (most > LEVEL_MAX)
		most = LEVEL_MAX;
	if (options->level > most) {
		report_error("-l: this machine has no level %u: %s, source %s (allowed: %s)",
			     (unsigned int)options->level,
			     *info->out_codename ? info->out_codename : info->out_cpu_name,
			     topdown_source_name(info->out_source),
			     most > 1 ? "1..2" : most ? "1" : "none");
		return EXIT_DEVICE;
	}
	*level = options->level ? options->level : most;
	return 0;
}

static int prepare(struct stat_run *run)
{
	const uint64_t *words = NULL;
	unsigned int nr_words = 0;
	int ret;

	if (!topdown_has(run->td, TOPDOWN_FEATURE_TOTAL))
		return read_error(run, -EOPNOTSUPP);
	if (topdown_has(run->td, TOPDOWN_FEATURE_FRESH))
		run->read_flags = TOPDOWN_READ_FRESH;
	else if (!run->options->quiet)
		report_note("the loaded module cannot count until now on request: intervals end up to %u ms early",
			    topdown_info_get(run->td)->out_period_ms);

	ret = stat_level(run->options, run->td, &run->interval.level);
	if (!ret)
		ret = look_at_cpus(run);
	if (ret)
		return ret;

	if (run->options->has_cpus) {
		words = run->options->cpus.words;
		nr_words = CPULIST_WORDS;
	}
	ret = topdown_reading_create(&run->then, run->td, words, nr_words);
	if (!ret)
		ret = topdown_reading_create(&run->now, run->td, words, nr_words);
	return ret ? read_error(run, ret) : 0;
}

/**
 * stat_epoch - the time for people
 *
 * Return: seconds since the epoch.
 */
double stat_epoch(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec + now.tv_nsec / NS_PER_S;
}

static int print_interval(struct stat_run *run)
{
	struct interval *interval = &run->interval;
	struct topdown_reading *swap;
	unsigned int i;
	int ret;

	ret = topdown_reading_update(run->now, run->read_flags);
	if (ret)
		return read_error(run, ret);
	ret = interval_fill(interval, run->then, run->now, run->options->has_cpus);
	if (ret)
		return read_error(run, ret);

	interval->time = stat_epoch();
	interval->elapsed = (topdown_reading_time(run->now) - run->start_ns) / NS_PER_S;
	interval->length = (topdown_reading_time(run->now) -
			    topdown_reading_time(run->then)) / NS_PER_S;
	for (i = 0; i < interval->nr; i++)
		run->partial |= row_partial(&interval->row[i]);
	if (!run->options->per_cpu)
		interval->nr = 1;

	swap = run->then;
	run->then = run->now;
	run->now = swap;
	return output_interval(&run->output, interval);
}

/**
 * stat_signal_status - what a measurement exits with that a signal ended
 * @options: command line
 * @signal: its number
 *
 * Ctrl-C is how a measurement without an end is meant to be ended.
 *
 * Return: exit code.
 */
int stat_signal_status(const struct stat_options *options, int signal)
{
	if (signal == SIGINT && !options->count && !options->timeout_ms)
		return 0;
	return EXIT_SIGNAL + signal;
}

static int loop(struct stat_run *run)
{
	uint64_t printed = 0;
	enum ticker_event event;
	int ret, signal = 0;

	do {
		event = ticker_wait(&run->ticker, topdown_reading_time(run->then), &signal);
		if (event == TICKER_ERROR) {
			report_error("cannot wait for the end of the interval: %s",
				     strerror(errno));
			return EXIT_RUNTIME;
		}
		ret = print_interval(run);
		if (ret)
			return ret;
		printed++;
	} while (event == TICKER_INTERVAL && printed != run->options->count);

	return event == TICKER_SIGNAL ? stat_signal_status(run->options, signal) : 0;
}

static void say_what(struct stat_run *run)
{
	const struct stat_options *options = run->options;
	char *text;

	if (options->verbose)
		info_summary(stderr, run->td);
	if (options->quiet || !isatty(STDERR_FILENO) || options->interval_ms ||
	    options->timeout_ms)
		return;
	text = cpulist_text(&run->cpus);
	report_note("measuring CPU %s; Ctrl-C ends and prints", text ? text : "?");
	free(text);
}

static int measure(struct stat_run *run)
{
	const struct stat_options *options = run->options;
	int ret;

	ret = ticker_open(&run->ticker);
	if (ret) {
		report_error("cannot set up timer and signals: %s", strerror(-ret));
		return EXIT_RUNTIME;
	}
	say_what(run);
	ret = topdown_reading_update(run->then, run->read_flags);
	ret = ret ? read_error(run, ret) : output_begin(&run->output);
	if (!ret) {
		run->start_ns = topdown_reading_time(run->then);
		ticker_start(&run->ticker, run->start_ns, options->interval_ms * NS_PER_MS,
			     options->timeout_ms * NS_PER_MS);
		ret = loop(run);
	}
	ticker_close(&run->ticker);
	return ret;
}

static int measure_and_print(struct stat_run *run)
{
	const struct stat_options *options = run->options;
	int ret, closed;

	run->output.format = options->format;
	run->output.separator = options->separator;
	run->output.header = options->header;
	run->output.tree = !options->per_cpu;
	/* A reader that leaves is seen when writing, and is not worth dying. */
	signal(SIGPIPE, SIG_IGN);
	ret = output_open(&run->output, options->path, options->append);
	if (ret)
		return ret;
	ret = measure(run);
	closed = output_close(&run->output);
	return ret ? ret : closed;
}

/**
 * stat_run - measure as asked for
 * @options: command line
 *
 * Return: exit code.
 */
int stat_run(const struct stat_options *options)
{
	struct stat_run run = { .options = options };
	int ret;

	ret = topdown_open(&run.td, options->device);
	if (ret)
		return report_open(options->device, -ret);

	ret = prepare(&run);
	if (!ret)
		ret = measure_and_print(&run);
	if (ret == EXIT_OK && options->strict && run.partial)
		ret = EXIT_PARTIAL;

	interval_free(&run.interval);
	topdown_reading_destroy(run.now);
	topdown_reading_destroy(run.then);
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
	if (options.argv || options.pids.nr || options.tids.nr)
		return stat_tasks(&options);
	return stat_run(&options);
}
