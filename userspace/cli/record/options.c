// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of topdown record.
 */
#include <getopt.h>
#include <string.h>

#include "control.h"
#include "events.h"
#include "family.h"
#include "message.h"
#include "options.h"
#include "parse.h"
#include "record.h"

enum {
	OPT_PAST = OPTIONS_OWN,
	OPT_LATENCY,
	OPT_TREE,
	OPT_BY,
	OPT_DEPTH,
	OPT_TIMEOUT,
	OPT_ROTATE,
	OPT_CONTROL,
	OPT_STRICT,
};

static const struct option long_options[] = {
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "past", no_argument, NULL, OPT_PAST },
	{ "pid", required_argument, NULL, 'p' },
	{ "tree", no_argument, NULL, OPT_TREE },
	{ "repeat", required_argument, NULL, 'r' },
	{ "interval", required_argument, NULL, 'I' },
	{ "latency", required_argument, NULL, OPT_LATENCY },
	{ "by", required_argument, NULL, OPT_BY },
	{ "depth", required_argument, NULL, OPT_DEPTH },
	{ "delay", required_argument, NULL, 'D' },
	{ "control", required_argument, NULL, OPT_CONTROL },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "output", required_argument, NULL, 'o' },
	{ "rotate", required_argument, NULL, OPT_ROTATE },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "quiet", no_argument, NULL, 'q' },
	{ "device", required_argument, NULL, OPTIONS_DEVICE },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static const char usage[] =
	"Usage: topdown record [options]\n"
	"       topdown record [options] [--] COMMAND [ARG...]\n"
	"\n"
	"Write every window of CPUs to a file, or what processes use in each interval, until\n"
	"Ctrl-C. 'topdown report' reads the file. A TIME is in milliseconds, or has a unit:\n"
	"500ms, 2s, 1m.\n"
	"\n"
	"CPUs:\n"
	"  -a, --all-cpus       all CPUs, with COMMAND while it runs; the default without\n"
	"                       -C, -p and COMMAND\n"
	"  -C, --cpu LIST       these CPUs, such as 0-3,8\n"
	"      --past           begin with the windows that the module still has\n"
	"Tasks:\n"
	"  -p, --pid LIST       these processes, such as 1234,5678, and the children that\n"
	"                       they fork from now on; with COMMAND while it runs\n"
	"      --tree           with -p: also the children that exist\n"
	"  -r, --repeat N       run COMMAND N times (1..1000), each run by itself, for\n"
	"                       'topdown report --diff'\n"
	"  -I, --interval TIME  length of an interval (10..3600000 ms), default 100 ms,\n"
	"                       with --latency and --by a second\n"
	"Latencies:\n"
	"      --latency LIST   also sample how long the instructions of these events take to\n"
	"                       retire, in each interval: Intel's names, with commas, or all\n"
	"All processes or cgroups:\n"
	"      --by KIND        process or cgroup: also what each had in each interval\n"
	"      --depth N        cgroups below level N count at their ancestor (1..31)\n"
	"How long, and where to:\n"
	"      --timeout TIME   end after this time (10..2147483647 ms)\n"
	"      --control HOW    take the words stop and ping, and of tasks enable and disable, as\n"
	"                       perf does, from fifo:WORDS[,ANSWERS] or fd:N[,M]\n"
	"  -D, --delay WHEN     -1 with --control: record no task until it says so\n"
	"  -o, --output FILE    file, or - for standard output; default " RECORD_PATH "\n"
	"      --rotate WHEN,N  go on in a new file at a size or after a time, such as 100M,10 or\n"
	"                       1h,24, and keep N files: FILE, FILE.1 before it, and so on\n"
	"      --strict         exit with 4 if windows were lost\n"
	"  -q, --quiet          no remarks on standard error\n"
	"Other:\n"
	"      --device PATH    device node; default " TOPDOWN_DEVICE "\n"
	"  -h, --help           print this help\n"
	"\n"
	"Examples:\n"
	"  topdown record                        the machine, until Ctrl-C\n"
	"  topdown record --timeout 1m -o before.data\n"
	"  topdown record -- make -j8            a command with all that it starts\n"
	"  topdown record -r 5 -o before.data -- ./bench\n"
	"  topdown record -a -- sleep 10         the machine while a command runs\n"
	"  topdown record --past --timeout 1s    what has just happened\n"
	"  topdown record --rotate 1h,24         all the time: the last day\n"
	"  topdown record --latency all --timeout 1m\n"
	"  topdown record --by cgroup -I 5s      the machine, and each cgroup every 5 s\n";

static bool parse_option(struct record_options *options, int option)
{
	switch (option) {
	case 'a':
		options->all_cpus = true;
		return true;
	case 'C':
		options->has_cpus = true;
		return cpulist_join(&options->cpus, "-C", optarg);
	case OPT_PAST:
		options->past = true;
		return true;
	case 'p':
		return idlist_join(&options->pids, "-p", "process numbers", optarg);
	case OPT_TREE:
		options->tree = true;
		return true;
	case 'r':
		return parse_number("-r", optarg, 1, RECORD_RUNS_MAX, "runs", &options->runs);
	case 'I':
		return parse_time("-I", optarg, SAMPLE_MIN_MS, SAMPLE_MAX_MS,
				  &options->interval_ms);
	case OPT_LATENCY:
		return events_parse("--latency", optarg, &options->latencies);
	case OPT_BY:
		return owner_by_parse(optarg, &options->by);
	case OPT_DEPTH:
		return parse_number("--depth", optarg, 1, OWNER_DEPTH_MAX, "levels",
				    &options->depth);
	case OPT_TIMEOUT:
		return parse_time("--timeout", optarg, RECORD_TIMEOUT_MIN_MS,
				  RECORD_TIMEOUT_MAX_MS, &options->timeout_ms);
	case 'o':
		options->path = optarg;
		if (*optarg)
			return true;
		message_error("-o: the file name is empty (allowed: a path to write to, or -)");
		return false;
	case OPT_CONTROL:
		options->control = optarg;
		return control_check(optarg);
	case 'D':
		options->waits = !strcmp(optarg, "-1");
		if (options->waits)
			return true;
		message_error("-D: '%s' is not -1 (allowed: -1 with --control)", optarg);
		return false;
	case OPT_ROTATE:
		return rotate_parse(&options->rotation, optarg);
	case OPT_STRICT:
		options->strict = true;
		return true;
	case 'q':
		options->quiet = true;
		return true;
	}
	return options_device(&options->device, optarg);
}

static bool refuse(const char *why)
{
	message_error("%s", why);
	return false;
}

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
		       refuse("--depth is about cgroups (add --by cgroup)");
	if (options->by == OWNER_BY_PROCESS && options->depth)
		return refuse("--depth is about cgroups (allowed: with --by cgroup)");
	if (options->has_cpus || options->pids.nr || options->runs)
		return refuse("--by records all processes or cgroups of the machine (allowed: without -C, -p and -r)");
	return true;
}

static bool check_waits(const struct record_options *options, bool tasks)
{
	if (!options->waits)
		return true;
	if (!options->control)
		return refuse("-D -1 waits for a word of --control (add --control)");
	if (!tasks)
		return refuse("-D -1 waits to record tasks (allowed: without --by, -a and -C)");
	if (options->latencies)
		return refuse("-D -1 waits to record tasks, and latencies do not wait (allowed: without --latency)");
	return true;
}

static bool check_together(struct record_options *options)
{
	bool cpus = options->all_cpus || options->has_cpus || options->by;
	bool tasks = options->pids.nr || (options->argv && !cpus);

	if (!check_owners(options))
		return false;
	if (options->tree && !options->pids.nr)
		return refuse("--tree is about the children of processes (add -p PID)");
	if (options->tree)
		family_add(&options->pids, true);
	if (options->pids.nr && cpus)
		return refuse("-a and -C are about CPUs and exclude -p (allowed: one kind)");
	if (options->all_cpus && options->has_cpus)
		return refuse("-a and -C exclude each other (allowed: one of them)");
	if (options->runs && (!options->argv || cpus || options->pids.nr))
		return refuse("-r is about a command that is measured by itself (add -- COMMAND; allowed: without -a, -C and -p)");
	if (options->runs && (options->latencies || options->timeout_ms || options->control))
		return refuse("-r ends with the last run, and excludes --latency, --timeout and --control (allowed: without them)");
	if (!check_waits(options, tasks))
		return false;
	if (options->rotation.files && tasks)
		return refuse("--rotate is about CPUs (with a command add -a, -C or --by)");
	if (options->past && tasks)
		return refuse("--past is about CPUs (with a command add -a, -C or --by)");
	if (options->interval_ms && !tasks && !options->latencies && !options->by)
		return refuse("-I is about tasks, latencies and owners (windows of CPUs are as long as the module's period)");
	if (options->latencies && options->pids.nr > LATENCY_PARTS_MAX) {
		message_error("-p: with --latency at most %d processes", LATENCY_PARTS_MAX);
		return false;
	}
	if (options->latencies && options->interval_ms &&
	    options->interval_ms < LATENCY_INTERVAL_MIN_MS) {
		message_error("-I: with --latency at least %d ms, as events have turns of that length",
			      LATENCY_INTERVAL_MIN_MS);
		return false;
	}
	if (options->rotation.files && !strcmp(options->path, "-"))
		return refuse("--rotate: a pipe has no other names (allowed: -o with a file)");
	set_intervals(options, tasks);
	if (options->argv && !strcmp(options->path, "-"))
		return refuse("-o -: the output of the command would be in the file (allowed: a file)");
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
	int option, at;

	memset(options, 0, sizeof(*options));
	options->device = TOPDOWN_DEVICE;
	options->path = RECORD_PATH;
	options->words = argv;
	options->nr_words = argc;
	*done = false;
	for (;;) {
		at = optind ? optind : 1;
		option = options_next(argc, argv, "+:aC:p:r:I:D:o:qh", long_options);
		if (option == -1)
			break;
		if (option == 'h') {
			*done = true;
			return options_help(usage);
		}
		if (option == OPTIONS_ERROR || !parse_option(options, option))
			return EXIT_USAGE;
	}
	if (!options_command(argc, argv, at, &options->argv))
		return EXIT_USAGE;
	return check_together(options) ? 0 : EXIT_USAGE;
}
