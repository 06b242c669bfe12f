// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of topdown report.
 */
#include <getopt.h>
#include <string.h>

#include "message.h"
#include "options.h"
#include "report.h"

#define AT(at)	.field = offsetof(struct report_options, at)
#define GIVEN(at)	.given = offsetof(struct report_options, at)

static const struct option_row option_rows[] = {
	{ 'A', "no-aggr", NULL,
	  "a row for each CPU or task, after the row of all", option_flag, AT(each) },
	{ 'C', "cpu", "LIST", "of a recording of CPUs only these, such as 0-3,8",
	  option_cpus, AT(choice.cpus),
	  GIVEN(choice.has_cpus) },
	{ 0, "since", "MOMENT", "only what has ended since then: 14:03, 14:03:10, 30s before the\n"
	  "end, '2026-11-27 14:03'", option_moment, AT(choice.since) },
	{ 0, "until", "MOMENT", "only what has ended until then", option_moment, AT(choice.until) },
	{ 0, "steps", NULL, "print each step", option_flag, AT(steps) },
	{ 0, "windows", NULL,
	  "print each window, as topdown history does", option_flag, AT(windows) },
	{ 0, "latency", NULL, "print the latencies, and no slots", option_flag, AT(latency) },
	{ 0, "owners", NULL, "print the processes or cgroups that 'topdown record --by' has\n"
	  "recorded, and no CPUs; with --steps in each step", option_flag, AT(owners) },
	{ 0, "by", "KIND", "process or cgroup: --owners of a recording that has these",
	  option_word, AT(by), OWNER_BY_PROCESS, .unit = "no kind of owner",
	  .words = "process, cgroup" },
	OPTION_SORT(AT(sort), "owners by", " (by its slots);\n"
		    "default share, which is slots"),
	{ 0, "top", "N", "the first N owners (1..100000); of tables with CPUs default\n"
	  "20, with --diff 10",
	  option_number, AT(top), 1, OWNERS_TOP_MAX, "rows" },
	{ 0, "self", NULL, "cgroups without those below them", option_flag, AT(self) },
	{ 'p', "pid", "LIST", "of the owners only these processes, such as 1234,5678",
	  option_ids, AT(pids), .unit = "process numbers" },
	{ 'G', "cgroup", "LIST",
	  "of the owners only these cgroups, by their paths", option_path, AT(cgroups),
	  .words = "name", .unit = "the path of a cgroup" },
	{ 0, "diff", "BEFORE", "compare with the recording BEFORE, and say which differences\n"
	  "are more than noise", option_path, AT(diff), .unit = "a recording" },
	{ 0, "fail-on-change", NULL,
	  "with --diff: exit with 5 if a difference is more than noise,\n"
	  "and with 4 if none can be judged", option_flag, AT(fail_on_change) },
	{ 0, "html", "PAGE", "write a page for a browser to PAGE, or - for standard output",
	  option_path, AT(html), .unit = "a path to write to, or -" },
	{ 0, "trace", "TRACE", "write a trace for Perfetto to TRACE, or - for standard output",
	  option_path, AT(trace), .unit = "a path to write to, or -" },
	{ 'I', "interval", "TIME", "length of a step (10..3600000 ms); default: the module's\n"
	  "period, or the interval of the recording",
	  option_time, AT(step_ms), STEP_MIN_MS, STEP_MAX_MS },
	{ 'l', "level", "N", "1 or 2; default: the highest that the recording has; in the table\n"
	  "of owners 1, or 2 if they are sorted by a node of level 2",
	  option_number, AT(level), 1, 2, "levels", .words = "1, 2" },
	{ 0, "rotated", NULL, "with FILE read the older files FILE.1, FILE.2 and so on",
	  option_flag, AT(files.rotated) },
	{ 0, "partial", NULL,
	  "read a file whose end is missing, as far as it goes", option_flag, AT(choice.partial) },
	OPTION_JSON(AT(output)),
	OPTION_CSV(AT(output)),
	OPTION_NO_HEADER(AT(output)),
	{ 0, "schema", NULL, "print the JSON Schema of the lines of -j", option_flag, AT(schema) },
	OPTION_HELP,
};

static const struct option_table table = {
	.usage =
		"Usage: topdown report [options] [FILE|DIRECTORY]...\n"
		"\n"
		"Say where the pipeline slots of a recording went: in all, and over time, in steps of\n"
		"one length. FILE is what 'topdown record' wrote, - for standard input; the default is\n"
		RECORD_PATH ". Several files of 'topdown record --rotate', or all of a directory, are\n"
		"one recording. A TIME is in milliseconds, or has a unit: 500ms, 2s, 1m.\n"
		"\n",
	OPTION_ROWS(option_rows),
	.examples =
		"Examples:\n"
		"  topdown report                    totals, and the bottleneck over time\n"
		"  topdown report -A -l 1            each CPU as well\n"
		"  topdown report --steps -x , before.data\n"
		"  topdown report --diff before.data after.data\n"
		"  topdown report --by cgroup --diff before.data after.data\n"
		"  topdown report --since 14:03 --until 14:05\n"
		"  topdown report --owners --steps -I 1m --top 5\n"
		"  topdown report --rotated --partial /var/lib/topdown/record.data\n"
		"  topdown report -A --html page.html\n"
		"  topdown record -o - --timeout 9s | topdown report -\n",
	.rest = OPTIONS_WORDS,
};

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
		{ options->html, "--html", "the page has them without --owners" },
		{ options->trace, "--trace", "a trace has no owners" },
	};
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!others[i].there)
			continue;
		return message_refuse("--owners excludes %s: %s (allowed: one of them)",
				      others[i].name, others[i].why);
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
		return message_refuse("--sort, --top, --self, -p and -G are about owners (add --owners)");
	return true;
}

static bool is_standard(const struct report_options *options)
{
	return options->files.nr_names == 1 && !strcmp(options->files.name[0], "-");
}

static bool check_together(struct report_options *options)
{
	unsigned int forms = options->steps + options->windows + !!options->diff +
			     !!options->html + !!options->trace;

	options->owners |= options->by != OWNER_BY_NONE;
	if (!check_owners(options))
		return false;
	if (options->diff && options->pids.nr)
		return message_refuse("-p names processes of one recording, and --diff compares all of a name (allowed: without -p)");
	if (forms > 1)
		return message_refuse("--steps, --windows, --diff, --html and --trace exclude each other (allowed: one of them)");
	if ((options->html || options->trace) && options->output.format != OUTPUT_TABLE)
		return message_refuse("--html and --trace have a form of their own (allowed: without -j and -x)");
	if (options->trace && (options->each || options->step_ms))
		return message_refuse("--trace has each window of each CPU (allowed: without -A and -I)");
	if (options->fail_on_change && !options->diff)
		return message_refuse("--fail-on-change is about the differences of two recordings (add --diff BEFORE)");
	if (options->diff && options->each)
		return message_refuse("--diff compares all of two recordings (allowed: without -A)");
	if (options->files.rotated && (options->files.nr_names > 1 || is_standard(options)))
		return message_refuse("--rotated finds the older files by the name of the latest (allowed: one FILE)");
	if (options->diff && !strcmp(options->diff, "-") && is_standard(options))
		return message_refuse("standard input is one recording (allowed: one -)");
	if (options->latency && (options->windows || options->html || options->trace))
		return message_refuse("--latency prints latencies (allowed: without --windows, --html and --trace)");
	if (options->latency && options->steps && options->each)
		return message_refuse("--latency --steps is about all CPUs or tasks (allowed: without -A)");
	if (options->windows && (options->each || options->step_ms))
		return message_refuse("--windows prints the windows of each CPU as they are (allowed: without -A and -I)");
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
	int ret = options_parse(&table, argc, argv, options, done);

	if (ret || *done)
		return ret;
	ret = take_files(options, argc, argv);
	if (ret)
		return ret;
	if (!check_together(options))
		return EXIT_USAGE;
	return options->schema ? 0 : recording_files_open(&options->files, &options->choice);
}
