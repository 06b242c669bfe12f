// SPDX-License-Identifier: GPL-2.0
/*
 * topdown history: the last closed windows of CPUs, which the module keeps.
 */
#include "history.h"

#include <errno.h>
#include <topdown.h>

#include "clock.h"
#include "columns.h"
#include "message.h"
#include "moment.h"
#include "options.h"
#include "refusal.h"
#include "windows.h"

/* The command line. */
struct history_options {
	const char *device;
	bool all_cpus;
	bool has_cpus;
	struct cpulist cpus;
	uint64_t count;
	struct moment since;
	struct moment until;
	uint64_t level;
	struct output output;
};

#define AT(at)	.field = offsetof(struct history_options, at)
#define GIVEN(at)	.given = offsetof(struct history_options, at)

static const struct option_row option_rows[] = {
	{ 'a', "all-cpus", NULL,
	  "all CPUs, which is the default without -C", option_flag, AT(all_cpus) },
	OPTION_CPUS("only these", AT(cpus), GIVEN(has_cpus)),
	{ 'n', "count", "N", "the last N windows of each CPU (1..4096); default 10, and all\n"
	  "with --since or --until", option_number, AT(count), 1, WINDOWS_MAX, "windows" },
	{ 0, "since", "MOMENT", "only windows that have closed since then: 30s ago, or at 14:03,\n"
	  "14:03:10, '2026-11-27 14:03'", option_moment, AT(since) },
	{ 0, "until", "MOMENT",
	  "only windows that have closed until then", option_moment, AT(until) },
	{ 'l', "level", "N", "1 or 2; default: 1 in the table, otherwise all",
	  option_number, AT(level), 1, 2, "levels", .words = "1, 2" },
	OPTION_JSON(AT(output)),
	OPTION_CSV(AT(output)),
	OPTION_NO_HEADER(AT(output)),
	OPTION_SCHEMA(COLUMNS_WINDOWS, NULL),
	OPTION_DEVICE(AT(device)),
	OPTION_HELP,
};

static const struct option_table table = {
	.usage =
		"Usage: topdown history [options]\n"
		"\n"
		"Show the last closed windows of each CPU, the oldest first. The module shares them in\n"
		"memory, so no CPU is interrupted. A window of a busy CPU is at most one period long.\n"
		"A TIME is in milliseconds, or has a unit: 500ms, 2s, 1m.\n"
		"\n",
	OPTION_ROWS(option_rows),
	.examples =
		"Examples:\n"
		"  topdown history                   the last 10 windows of each CPU\n"
		"  topdown history -C 2 -n 60        the last 60 windows of CPU 2\n"
		"  topdown history --since 5s -j     the windows of the last 5 s\n"
		"  topdown history --since 14:03:10 --until 14:03:20\n",
	.rest = OPTIONS_ALONE,
};

/**
 * struct history - the windows that are asked for
 * @options: the command line
 * @map: the map with them
 * @since_ns: older ones are left out; CLOCK_MONOTONIC, as all times here
 * @until_ns: newer ones are left out
 * @seen_ns: end of the oldest window that is kept; 0 for none
 * @busy: the module knows the time of idle CPUs
 * @windows: those that were taken
 */
struct history {
	const struct history_options *options;
	struct topdown_map_view *map;
	uint64_t since_ns;
	uint64_t until_ns;
	uint64_t seen_ns;
	bool busy;
	struct windows windows;
};

/* Take the windows of a CPU, the latest first, until one is no longer kept. */
static int look_at_cpu(struct history *history, const struct topdown_record *record)
{
	const struct history_options *options = history->options;
	unsigned int level = windows_level(&options->output, options->level,
					   record->level);
	struct topdown_window window;
	uint64_t number = record->windows, n = 0;
	bool added = false;
	int ret = 0;

	for (; (n < options->count || added) && number && !ret; number--) {
		ret = topdown_map_read_window(history->map, record->cpu, number, level, &window,
					      sizeof(window));
		if (ret == -ENOENT)
			return 0;
		if (!ret && (!history->seen_ns || window.time_ns < history->seen_ns))
			history->seen_ns = window.time_ns;
		if (!ret && added && history->busy)
			windows_follow(&history->windows, window.time_ns);
		added = false;
		if (n == options->count)
			break;
		if (!ret && window.time_ns > history->until_ns)
			continue;
		if (!ret && window.time_ns < history->since_ns)
			break;
		n++;
		if (!ret)
			ret = windows_add(&history->windows, clock_epoch(window.time_ns),
					  record->cpu, record->source, level, &window);
		added = !ret;
	}
	return ret;
}

/* A CPU that the machine cannot have is an error only if the user named it. */
static int look_at(struct history *history, unsigned int cpu)
{
	struct topdown_record record;
	int ret;

	ret = topdown_map_read_record(history->map, cpu, &record, sizeof(record), NULL);
	if (ret == -ENOENT && history->options->has_cpus) {
		cpulist_beyond("-C", cpu, history->map);
		return EXIT_USAGE;
	}
	if (ret == -ENOENT)
		return 0;
	if (!ret)
		ret = look_at_cpu(history, &record);
	return ret ? refusal_read(history->options->device, -ret) : 0;
}

static int look_at_all(struct history *history)
{
	const struct history_options *options = history->options;
	unsigned int cpu, nr = topdown_map_nr_cpus(history->map);
	int ret = 0;

	for (cpu = 0; cpu < (options->has_cpus ? CPULIST_MAX : nr) && !ret; cpu++) {
		if (!options->has_cpus || cpulist_has(&options->cpus, cpu))
			ret = look_at(history, cpu);
	}
	return ret;
}

/* There are windows, and none of them is of the time that was asked for. */
static void say_when(const struct history *history)
{
	time_t seconds = clock_epoch(history->seen_ns);
	struct tm local;
	char text[64];

	if (!localtime_r(&seconds, &local) ||
	    !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &local))
		return;
	message_note("no window has closed in this time (%s closed at %s)",
		     history->seen_ns < history->since_ns ? "the last one" :
		     "the oldest one that the module has", text);
}

static int show(struct history *history, struct output *output)
{
	int ret;

	if (!topdown_map_history(history->map))
		return message_fail(EXIT_DEVICE,
				    "the module keeps no windows (its parameter history is 0)");
	ret = look_at_all(history);
	if (ret)
		return ret;
	if (!history->windows.nr && history->seen_ns)
		say_when(history);
	return windows_print(&history->windows, output);
}

/* A moment since the epoch in CLOCK_MONOTONIC, and 0 if it is before the machine has run. */
static uint64_t monotonic_ns(uint64_t then_ns, uint64_t epoch_ns, uint64_t now_ns)
{
	if (then_ns > epoch_ns)
		return now_ns + (then_ns - epoch_ns);
	return epoch_ns - then_ns < now_ns ? now_ns - (epoch_ns - then_ns) : 0;
}

static bool choose_time(struct history *history)
{
	const struct moment *from = &history->options->since, *to = &history->options->until;
	uint64_t now_ns = clock_now_ns(), epoch_ns = clock_epoch(now_ns) * NS_PER_S;
	uint64_t since_ns = 0, until_ns = 0;

	if (from->kind)
		since_ns = moment_epoch_ns(from, epoch_ns - DAY_NS, epoch_ns);
	if (to->kind)
		until_ns = moment_epoch_ns(to, epoch_ns - DAY_NS, epoch_ns);
	/* At 14:04, 14:03 to 14:05 is now, not until yesterday; 14:05 to 14:03 is a mistake. */
	if (from->kind && to->kind == MOMENT_CLOCK && until_ns <= since_ns &&
	    since_ns - until_ns > DAY_NS / 2)
		until_ns += DAY_NS;
	if (from->kind && to->kind && since_ns >= until_ns)
		return message_refuse("--since %s is not before --until %s", from->text, to->text);
	history->since_ns = from->kind ? monotonic_ns(since_ns, epoch_ns, now_ns) : 0;
	history->until_ns = to->kind ? monotonic_ns(until_ns, epoch_ns, now_ns) : UINT64_MAX;
	return true;
}

static int run_history(struct history_options *options)
{
	struct history history = { .options = options };
	struct topdown *td;
	int ret;

	ret = topdown_open(&td, options->device);
	if (ret)
		return refusal_open(options->device, -ret);
	if (!choose_time(&history)) {
		topdown_close(td);
		return EXIT_USAGE;
	}
	history.busy = topdown_has(td, TOPDOWN_FEATURE_BUSY);
	ret = topdown_map_open(&history.map, td);
	if (ret)
		ret = refusal_read(options->device, -ret);
	else
		ret = show(&history, &options->output);
	windows_free(&history.windows);
	topdown_map_close(history.map);
	topdown_close(td);
	return ret;
}

int history_main(int argc, char **argv)
{
	struct history_options options = {
		.device = TOPDOWN_DEVICE,
		.output = {
			.file = stdout,
			.name = "standard output",
			.header = true,
			.views = COLUMNS_WINDOWS,
		},
	};
	bool done;
	int ret;

	ret = options_parse(&table, argc, argv, &options, &done);
	if (ret || done)
		return ret;
	if (!options_cpus(options.all_cpus, options.has_cpus))
		return EXIT_USAGE;
	if (!options.count)
		options.count = options.since.kind || options.until.kind ? WINDOWS_MAX :
									   WINDOWS_DEFAULT;
	return run_history(&options);
}
