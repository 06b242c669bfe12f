// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of topdown report.
 */
#include <getopt.h>
#include <string.h>

#include "message.h"
#include "options.h"
#include "parse.h"
#include "report.h"

enum {
	OPT_STEPS = OPTIONS_OWN,
	OPT_WINDOWS,
	OPT_LATENCY,
	OPT_OWNERS,
	OPT_SORT,
	OPT_TOP,
	OPT_SELF,
	OPT_PARTIAL,
	OPT_ROTATED,
	OPT_SINCE,
	OPT_UNTIL,
	OPT_DIFF,
	OPT_FAIL_ON_CHANGE,
	OPT_HTML,
	OPT_TRACE,
	OPT_SCHEMA,
};

static const struct option long_options[] = {
	{ "no-aggr", no_argument, NULL, 'A' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "since", required_argument, NULL, OPT_SINCE },
	{ "until", required_argument, NULL, OPT_UNTIL },
	{ "steps", no_argument, NULL, OPT_STEPS },
	{ "windows", no_argument, NULL, OPT_WINDOWS },
	{ "latency", no_argument, NULL, OPT_LATENCY },
	{ "owners", no_argument, NULL, OPT_OWNERS },
	{ "sort", required_argument, NULL, OPT_SORT },
	{ "top", required_argument, NULL, OPT_TOP },
	{ "self", no_argument, NULL, OPT_SELF },
	{ "pid", required_argument, NULL, 'p' },
	{ "cgroup", required_argument, NULL, 'G' },
	{ "interval", required_argument, NULL, 'I' },
	{ "level", required_argument, NULL, 'l' },
	{ "diff", required_argument, NULL, OPT_DIFF },
	{ "fail-on-change", no_argument, NULL, OPT_FAIL_ON_CHANGE },
	{ "html", required_argument, NULL, OPT_HTML },
	{ "trace", required_argument, NULL, OPT_TRACE },
	{ "rotated", no_argument, NULL, OPT_ROTATED },
	{ "partial", no_argument, NULL, OPT_PARTIAL },
	{ "json", no_argument, NULL, 'j' },
	{ "csv", required_argument, NULL, 'x' },
	{ "no-header", no_argument, NULL, OPTIONS_NO_HEADER },
	{ "schema", no_argument, NULL, OPT_SCHEMA },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

#define LETTERS	"+:AC:p:G:I:l:jx:h"

static const char usage[] =
	"Usage: topdown report [options] [FILE|DIRECTORY]...\n"
	"\n"
	"Say where the pipeline slots of a recording went: in all, and over time, in steps of\n"
	"one length. FILE is what 'topdown record' wrote, - for standard input; the default is\n"
	RECORD_PATH ". Several files of 'topdown record --rotate', or all of a directory, are\n"
	"one recording. A TIME is in milliseconds, or has a unit: 500ms, 2s, 1m.\n"
	"\n"
	"  -A, --no-aggr        a row for each CPU or task, after the row of all\n"
	"  -C, --cpu LIST       of a recording of CPUs only these, such as 0-3,8\n"
	"      --since MOMENT   only what has ended since then: 14:03, 14:03:10, 30s before the\n"
	"                       end, '2026-11-27 14:03'\n"
	"      --until MOMENT   only what has ended until then\n"
	"      --steps          print each step\n"
	"      --windows        print each window, as topdown history does\n"
	"      --latency        print the latencies, and no slots\n"
	"      --owners         print the processes or cgroups that 'topdown record --by' has\n"
	"                       recorded, and no CPUs; with --steps in each step\n"
	"      --sort KEY       owners by share (default), which is slots, by time, ipc, or the\n"
	"                       slots of a node such as tma_memory_bound\n"
	"      --top N          the first N owners (1..100000); of tables with CPUs default 20\n"
	"      --self           cgroups without those below them\n"
	"  -p, --pid LIST       of the owners only these processes, such as 1234,5678\n"
	"  -G, --cgroup LIST    of the owners only these cgroups, by their paths\n"
	"      --diff BEFORE    compare with the recording BEFORE, and say which differences\n"
	"                       are more than noise\n"
	"      --fail-on-change with --diff: exit with 5 if a difference is more than noise,\n"
	"                       and with 4 if none can be judged\n"
	"      --html PAGE      write a page for a browser to PAGE, or - for standard output\n"
	"      --trace TRACE    write a trace for Perfetto to TRACE, or - for standard output\n"
	"  -I, --interval TIME  length of a step (10..3600000 ms); default: the module's\n"
	"                       period, or the interval of the recording\n"
	"  -l, --level N        1 or 2; default: the highest that the recording has; in the table\n"
	"                       of owners 1, or 2 if they are sorted by a node of level 2\n"
	"      --rotated        with FILE read the older files FILE.1, FILE.2 and so on\n"
	"      --partial        read a file whose end is missing, as far as it goes\n"
	"  -j, --json           one JSON object a line\n"
	"  -x, --csv SEP        values separated by the character SEP\n"
	"      --no-header      no column headings\n"
	"      --schema         print the JSON Schema of the lines of -j\n"
	"  -h, --help           print this help\n"
	"\n"
	"Examples:\n"
	"  topdown report                    totals, and the bottleneck over time\n"
	"  topdown report -A -l 1            each CPU as well\n"
	"  topdown report --steps -x , before.data\n"
	"  topdown report --diff before.data after.data\n"
	"  topdown report --since 14:03 --until 14:05\n"
	"  topdown report --owners --steps -I 1m --top 5\n"
	"  topdown report --rotated --partial /var/lib/topdown/record.data\n"
	"  topdown report -A --html page.html\n"
	"  topdown record -o - --timeout 9s | topdown report -\n";

static bool parse_path(const char **path, const char *option, const char *text)
{
	*path = text;
	if (*text)
		return true;
	message_error("%s: the file name is empty (allowed: a path to write to, or -)", option);
	return false;
}

static bool parse_option(struct report_options *options, int option)
{
	switch (option) {
	case 'A':
		options->each = true;
		return true;
	case 'C':
		options->choice.has_cpus = true;
		return cpulist_join(&options->choice.cpus, "-C", optarg);
	case OPT_SINCE:
		return moment_parse("--since", optarg, &options->choice.since);
	case OPT_UNTIL:
		return moment_parse("--until", optarg, &options->choice.until);
	case OPT_STEPS:
		options->steps = true;
		return true;
	case OPT_WINDOWS:
		options->windows = true;
		return true;
	case OPT_LATENCY:
		options->latency = true;
		return true;
	case OPT_OWNERS:
		options->owners = true;
		return true;
	case OPT_SORT:
		return owner_sort_parse(optarg, &options->sort);
	case OPT_TOP:
		return parse_number("--top", optarg, 1, OWNERS_TOP_MAX, "rows", &options->top);
	case OPT_SELF:
		options->self = true;
		return true;
	case 'p':
		return idlist_join(&options->pids, "-p", "process numbers", optarg);
	case 'G':
		return options_path("-G", optarg, &options->cgroups);
	case OPT_DIFF:
		options->diff = optarg;
		return true;
	case OPT_FAIL_ON_CHANGE:
		options->fail_on_change = true;
		return true;
	case OPT_HTML:
		return parse_path(&options->html, "--html", optarg);
	case OPT_TRACE:
		return parse_path(&options->trace, "--trace", optarg);
	case 'I':
		return parse_time("-I", optarg, STEP_MIN_MS, STEP_MAX_MS, &options->step_ms);
	case 'l':
		return parse_number("-l", optarg, 1, 2, "levels", &options->level);
	case OPT_ROTATED:
		options->files.rotated = true;
		return true;
	case OPT_PARTIAL:
		options->choice.partial = true;
		return true;
	case OPT_SCHEMA:
		options->schema = true;
		return true;
	}
	return options_common(option, NULL, &options->output);
}

static bool refuse(const char *why)
{
	message_error("%s", why);
	return false;
}

/* Owners are of all CPUs, and have tables of their own. */
static bool check_owners_alone(const struct report_options *options)
{
	const struct {
		bool there;
		const char *name;
		const char *why;
	} others[] = {
		{ options->each, "-A", "owners are of all CPUs" },
		{ options->choice.has_cpus, "-C", "owners are of all CPUs" },
		{ options->latency, "--latency", "each has a table of its own" },
		{ options->windows, "--windows", "windows are of CPUs" },
		{ options->diff, "--diff", "owners are not compared" },
		{ options->html, "--html", "the page has them without --owners" },
		{ options->trace, "--trace", "a trace has no owners" },
	};
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!others[i].there)
			continue;
		message_error("--owners excludes %s: %s (allowed: one of them)", others[i].name,
			      others[i].why);
		return false;
	}
	return true;
}

static bool check_owners(const struct report_options *options)
{
	bool asked = options->sort.given || options->top || options->self || options->pids.nr ||
		     options->cgroups;
	bool others = options->windows || options->diff || options->trace || options->latency ||
		      options->choice.has_cpus;

	if (options->owners)
		return check_owners_alone(options);
	if (!asked)
		return true;
	if (others || options->steps || options->output.format != OUTPUT_TABLE)
		return refuse("--sort, --top, --self, -p and -G are about owners (add --owners)");
	return true;
}

static bool is_standard(const struct report_options *options)
{
	return options->files.nr_names == 1 && !strcmp(options->files.name[0], "-");
}

static bool check_together(const struct report_options *options)
{
	unsigned int forms = options->steps + options->windows + !!options->diff +
			     !!options->html + !!options->trace;

	if (!check_owners(options))
		return false;
	if (forms > 1)
		return refuse("--steps, --windows, --diff, --html and --trace exclude each other (allowed: one of them)");
	if ((options->html || options->trace) && options->output.format != OUTPUT_TABLE)
		return refuse("--html and --trace have a form of their own (allowed: without -j and -x)");
	if (options->trace && (options->each || options->step_ms))
		return refuse("--trace has each window of each CPU (allowed: without -A and -I)");
	if (options->fail_on_change && !options->diff)
		return refuse("--fail-on-change is about the differences of two recordings (add --diff BEFORE)");
	if (options->diff && options->each)
		return refuse("--diff compares all of two recordings (allowed: without -A)");
	if (options->files.rotated && (options->files.nr_names > 1 || is_standard(options)))
		return refuse("--rotated finds the older files by the name of the latest (allowed: one FILE)");
	if (options->diff && !strcmp(options->diff, "-") && is_standard(options))
		return refuse("standard input is one recording (allowed: one -)");
	if (options->latency && (options->windows || options->html || options->trace))
		return refuse("--latency prints latencies (allowed: without --windows, --html and --trace)");
	if (options->latency && options->steps && options->each)
		return refuse("--latency --steps is about all CPUs or tasks (allowed: without -A)");
	if (options->windows && (options->each || options->step_ms))
		return refuse("--windows prints the windows of each CPU as they are (allowed: without -A and -I)");
	return true;
}

static int take_files(struct report_options *options, int argc, char **argv)
{
	int ret = 0;

	if (optind == argc)
		return recording_files_add(&options->files, RECORD_PATH);
	while (optind < argc && !ret)
		ret = recording_files_add(&options->files, argv[optind++]);
	return ret;
}

/**
 * report_parse - read the command line
 * @options: the options
 * @argc: number of @argv
 * @argv: "report" and its arguments
 * @done: help was printed, so nothing is left to do
 *
 * Return: 0, or an exit code after a message.
 */
int report_parse(struct report_options *options, int argc, char **argv, bool *done)
{
	int option, ret;

	*done = false;
	options_first(argc, argv, LETTERS, long_options);
	while ((option = options_next(argc, argv, LETTERS, long_options)) != -1) {
		if (option == 'h') {
			*done = true;
			return options_help(usage);
		}
		if (option == OPTIONS_ERROR || !parse_option(options, option))
			return EXIT_USAGE;
	}
	ret = take_files(options, argc, argv);
	if (ret)
		return ret;
	if (!check_together(options))
		return EXIT_USAGE;
	return options->schema ? 0 : recording_files_open(&options->files, &options->choice);
}
