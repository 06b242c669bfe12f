// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of topdown record.
 */
#include <string.h>

#include "control.h"
#include "events.h"
#include "family.h"
#include "message.h"
#include "options.h"
#include "record.h"

static bool read_delay(const struct option_row *row, const char *text, void *field)
{
	bool *waits = field;

	*waits = !strcmp(text, "-1");
	if (!*waits)
		message_error("%s: '%s' is not -1 (allowed: -1 with --control)", option_name(row),
			      text);
	return *waits;
}

#define AT(at)	.field = offsetof(struct record_options, at)
#define GIVEN(at)	.given = offsetof(struct record_options, at)

static const struct option_row option_rows[] = {
	{ .help = "CPUs:" },
	{ 'a', "all-cpus", NULL, "all CPUs, with COMMAND while it runs; the default without\n"
	  "-C, -p and COMMAND", option_flag, AT(all_cpus) },
	OPTION_CPUS("these", AT(cpus), GIVEN(has_cpus)),
	{ 0, "past", NULL,
	  "begin with the windows that the module still has", option_flag, AT(past) },
	{ .help = "Tasks:" },
	{ 'p', "pid", "LIST", "these processes, such as 1234,5678, and the children that\n"
	  "they fork from now on; with COMMAND while it runs",
	  option_ids, AT(pids), .unit = "process numbers" },
	{ 0, "tree", NULL, "with -p: also the children that exist", option_flag, AT(tree) },
	{ 'r', "repeat", "N", "run COMMAND N times (1..1000), each run by itself, for\n"
	  "'topdown report --diff'", option_number, AT(runs), 1, RECORD_RUNS_MAX, "runs" },
	{ 'I', "interval", "TIME", "length of an interval (10..3600000 ms), default 100 ms,\n"
	  "with --latency and --by a second",
	  option_time, AT(interval_ms), SAMPLE_MIN_MS, SAMPLE_MAX_MS },
	{ .help = "Latencies:" },
	{ 0, "latency", "LIST", "also sample how long the instructions of these events take to\n"
	  "retire, in each interval: Intel's names, with commas, or all",
	  events_read, AT(latencies) },
	{ .help = "All processes or cgroups:" },
	{ 0, "by", "KIND", "process or cgroup: also what each had in each interval",
	  option_word, AT(by), OWNER_BY_PROCESS, .unit = "no kind of owner",
	  .words = "process, cgroup" },
	{ 0, "depth", "N", "cgroups below level N count at their ancestor (1..31)",
	  option_number, AT(depth), 1, OWNER_DEPTH_MAX, "levels" },
	{ .help = "How long, and where to:" },
	{ 0, "timeout", "TIME", "end after this time (10..2147483647 ms)",
	  option_time, AT(timeout_ms), RECORD_TIMEOUT_MIN_MS, RECORD_TIMEOUT_MAX_MS },
	{ 0, "control", "HOW", "take the words stop and ping, and of tasks enable and disable, as\n"
	  "perf does, from fifo:WORDS[,ANSWERS] or fd:N[,M]", option_control, AT(control) },
	{ 'D', "delay", "WHEN",
	  "-1 with --control: record no task until it says so", read_delay, AT(waits) },
	{ 'o', "output", "FILE", "file, or - for standard output; default " RECORD_PATH "",
	  option_path, AT(path), .unit = "a path to write to, or -" },
	{ 0, "rotate", "WHEN,N",
	  "go on in a new file at a size or after a time, such as 100M,10 or\n"
	  "1h,24, and keep N files: FILE, FILE.1 before it, and so on", rotate_read, AT(rotation) },
	{ 0, "strict", NULL, "exit with 4 if windows were lost", option_flag, AT(strict) },
	{ 'q', "quiet", NULL, "no remarks on standard error", option_flag, AT(quiet) },
	{ .help = "Other:" },
	OPTION_DEVICE(AT(device)),
	OPTION_HELP,
};

static const struct option_table table = {
	.usage =
		"Usage: topdown record [options]\n"
		"       topdown record [options] [--] COMMAND [ARG...]\n"
		"\n"
		"Write every window of CPUs to a file, or what processes use in each interval, until\n"
		"Ctrl-C. 'topdown report' reads the file. A TIME is in milliseconds, or has a unit:\n"
		"500ms, 2s, 1m.\n"
		"\n",
	OPTION_ROWS(option_rows),
	.examples =
		"Examples:\n"
		"  topdown record                        the machine, until Ctrl-C\n"
		"  topdown record --timeout 1m -o before.data\n"
		"  topdown record -- make -j8            a command with all that it starts\n"
		"  topdown record -r 5 -o before.data -- ./bench\n"
		"  topdown record -a -- sleep 10         the machine while a command runs\n"
		"  topdown record --past --timeout 1s    what has just happened\n"
		"  topdown record --rotate 1h,24         all the time: the last day\n"
		"  topdown record --latency all --timeout 1m\n"
		"  topdown record --by cgroup -I 5s      the machine, and each cgroup every 5 s\n",
	.rest = OPTIONS_COMMAND,
	.command = offsetof(struct record_options, argv),
};

/* Windows of CPUs have no interval, but latencies and owners do. */
static void set_intervals(struct record_options *options, bool tasks)
{
	if (!options->interval_ms)
		options->interval_ms = options->latencies ? LATENCY_DEFAULT_MS :
				       options->by ? OWNER_DEFAULT_MS : SAMPLE_DEFAULT_MS;
	if (options->latencies)
		options->latency_ms = options->interval_ms;
	if (options->by)
		options->owner_ms = options->interval_ms;
	if (!tasks)
		options->interval_ms = 0;
}

static bool check_owners(const struct record_options *options)
{
	if (options->by == OWNER_BY_NONE)
		return !options->depth ||
		       message_refuse("--depth is about cgroups (add --by cgroup)");
	if (options->by == OWNER_BY_PROCESS && options->depth)
		return message_refuse("--depth is about cgroups (allowed: with --by cgroup)");
	if (options->has_cpus || options->pids.nr || options->runs)
		return message_refuse("--by records all processes or cgroups of the machine (allowed: without -C, -p and -r)");
	return true;
}

static bool check_waits(const struct record_options *options, bool tasks)
{
	if (!options->waits)
		return true;
	if (!options->control)
		return message_refuse("-D -1 waits for a word of --control (add --control)");
	if (!tasks)
		return message_refuse("-D -1 waits to record tasks (allowed: without --by, -a and -C)");
	if (options->latencies)
		return message_refuse("-D -1 waits to record tasks, and latencies do not wait (allowed: without --latency)");
	return true;
}

static bool check_together(struct record_options *options)
{
	bool cpus = options->all_cpus || options->has_cpus || options->by;
	bool tasks = options->pids.nr || (options->argv && !cpus);

	if (!check_owners(options))
		return false;
	if (options->tree && !options->pids.nr)
		return message_refuse("--tree is about the children of processes (add -p PID)");
	if (options->tree)
		family_add(&options->pids, true);
	if (options->pids.nr && cpus)
		return message_refuse("-a and -C are about CPUs and exclude -p (allowed: one kind)");
	if (options->all_cpus && options->has_cpus)
		return message_refuse("-a and -C exclude each other (allowed: one of them)");
	if (options->runs && (!options->argv || cpus || options->pids.nr))
		return message_refuse("-r is about a command that is measured by itself (add -- COMMAND; allowed: without -a, -C and -p)");
	if (options->runs && (options->latencies || options->timeout_ms || options->control))
		return message_refuse("-r ends with the last run, and excludes --latency, --timeout and --control (allowed: without them)");
	if (!check_waits(options, tasks))
		return false;
	if (options->rotation.files && tasks)
		return message_refuse("--rotate is about CPUs (with a command add -a, -C or --by)");
	if (options->past && tasks)
		return message_refuse("--past is about CPUs (with a command add -a, -C or --by)");
	if (options->interval_ms && !tasks && !options->latencies && !options->by)
		return message_refuse("-I is about tasks, latencies and owners (windows of CPUs are as long as the module's period)");
	if (options->latencies && options->pids.nr > LATENCY_PARTS_MAX)
		return message_refuse("-p: with --latency at most %d processes", LATENCY_PARTS_MAX);
	if (options->latencies && options->interval_ms &&
	    options->interval_ms < LATENCY_INTERVAL_MIN_MS)
		return message_refuse("-I: with --latency at least %d ms, as events have turns of that length",
				      LATENCY_INTERVAL_MIN_MS);
	if (options->rotation.files && !strcmp(options->path, "-"))
		return message_refuse("--rotate: a pipe has no other names (allowed: -o with a file)");
	set_intervals(options, tasks);
	if (options->argv && !strcmp(options->path, "-"))
		return message_refuse("-o -: the output of the command would be in the file (allowed: a file)");
	return true;
}

/**
 * record_parse - read the command line
 * @options: the options
 * @argc: number of @argv
 * @argv: "record" and its arguments
 * @done: help was printed, so nothing is left to do
 *
 * Return: 0, or an exit code after a message.
 */
int record_parse(struct record_options *options, int argc, char **argv, bool *done)
{
	int ret;

	memset(options, 0, sizeof(*options));
	options->device = TOPDOWN_DEVICE;
	options->path = RECORD_PATH;
	options->words = argv;
	options->nr_words = argc;
	ret = options_parse(&table, argc, argv, options, done);
	if (ret || *done)
		return ret;
	return check_together(options) ? 0 : EXIT_USAGE;
}
