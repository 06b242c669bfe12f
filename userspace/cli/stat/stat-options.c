// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of topdown stat.
 */
#include "stat-options.h"

#include <stdlib.h>
#include <string.h>
#include <topdown.h>

#include "columns.h"
#include "control.h"
#include "family.h"
#include "message.h"
#include "options.h"
#include "owner-rows.h"
#include "parse.h"

/* These options exclude each other. */
static bool read_per(const struct option_row *row, const char *text, void *field)
{
	enum topology *per = field;

	(void)text;
	if (*per != TOPOLOGY_NONE && *per != row->min)
		return message_refuse("--per-core, --per-socket and --per-node exclude each other (allowed: one of them)");
	*per = row->min;
	return true;
}

static bool read_delay(const struct option_row *row, const char *text, void *field)
{
	struct stat_options *options = field;

	options->waits = !strcmp(text, "-1");
	options->delay_ms = 0;
	return options->waits ||
	       parse_time(option_name(row), text, 0, TIMEOUT_MAX_MS, &options->delay_ms);
}

static bool read_level(const struct option_row *row, const char *text, void *field)
{
	if (option_number(row, text, field))
		return true;
	if (strlen(text) == 1 && *text >= '3' && *text <= '6')
		message_note("perf has deeper levels: 'perf stat --topdown --td-level %s', by general counters",
			     text);
	return false;
}

#define AT(at)	.field = offsetof(struct stat_options, at)
#define GIVEN(at)	.given = offsetof(struct stat_options, at)

static const struct option_row option_rows[] = {
	{ .help = "CPUs:" },
	{ 'a', "all-cpus", NULL, "all CPUs, with COMMAND while it runs; the default without\n"
	  "-C, tasks and COMMAND", option_flag, AT(all_cpus) },
	OPTION_CPUS("these", AT(cpus), GIVEN(has_cpus)),
	{ 'A', "no-aggr", NULL,
	  "a row for each CPU, after the row of the sum", option_flag, AT(per_cpu) },
	{ 0, "per-core", NULL,
	  "a row for each core, after the row of the sum", read_per, AT(per), TOPOLOGY_CORE },
	{ 0, "per-socket", NULL, "a row for each socket", read_per, AT(per), TOPOLOGY_SOCKET },
	{ 0, "per-node", NULL, "a row for each NUMA node", read_per, AT(per), TOPOLOGY_NODE },
	{ 0, "windows", NULL,
	  "count up to the last closed windows; interrupt no CPU", option_flag, AT(windows) },
	{ 0, "fresh", NULL, "count up to the end of each interval; the default below 10\n"
	  "periods", option_flag, AT(fresh) },
	{ .help = "Tasks:" },
	{ 'p', "pid", "LIST", "these processes, such as 1234,5678, and the children that\n"
	  "they fork from now on; with COMMAND while it runs",
	  option_ids, AT(pids), .unit = "process numbers" },
	{ 't', "tid", "LIST", "these threads", option_ids, AT(tids), .unit = "thread numbers" },
	{ 0, "per-thread", NULL,
	  "with -p: a row for each thread, none for the process", option_flag, AT(per_thread) },
	{ 0, "tree", NULL,
	  "with -p: also the children that exist, a row for each", option_flag, AT(tree) },
	{ 'i', "no-inherit", NULL,
	  "leave out the children that are forked from now on", option_flag, AT(no_inherit) },
	{ 'r', "repeat", "N", "run the command N times (1..100000); print the mean",
	  option_number, AT(runs), 1, RUNS_MAX, "runs" },
	{ .help = "All processes or cgroups at once:" },
	{ 0, "by", "KIND", "process or cgroup: a row for each that ran; comm: one for all\n"
	  "processes of a name",
	  option_word, AT(by), OWNER_BY_PROCESS, .unit = "no kind of owner",
	  .words = "process, cgroup, comm" },
	{ 'G', "cgroup", "LIST",
	  "these cgroups, such as system.slice,user.slice", option_text, AT(cgroups) },
	{ 0, "depth", "N", "cgroups below level N count at their ancestor (1..31)",
	  option_number, AT(depth), 1, OWNER_DEPTH_MAX, "levels" },
	{ 0, "self", NULL, "cgroups without those below them", option_flag, AT(self) },
	OPTION_SORT(AT(sort), "rows by", " (by its slots);\n"
		    "default share, which is slots"),
	{ 0, "top", "N",
	  "the first N rows (1..100000)", option_number, AT(top), 1, TOP_MAX, "rows" },
	{ .help = "How long:" },
	{ 'I', "interval", "TIME", "print at this interval (10..3600000 ms)",
	  option_time, AT(interval_ms), INTERVAL_MIN_MS, INTERVAL_MAX_MS },
	{ 0, "count", "N", "end after N intervals; without -I each lasts a second",
	  option_number, AT(count), 1, COUNT_MAX, "intervals" },
	{ 0, "timeout", "TIME", "end after this time (10..2147483647 ms)",
	  option_time, AT(timeout_ms), TIMEOUT_MIN_MS, TIMEOUT_MAX_MS },
	{ 'D', "delay", "TIME", "begin to measure after this time (0..2147483647 ms); -1 with\n"
	  "--control: when it says so", .read = read_delay },
	{ 0, "control", "HOW", "take the words enable, disable, stop and ping, as perf does, from\n"
	  "fifo:WORDS[,ANSWERS] or fd:N[,M]", option_control, AT(control) },
	{ .help = "Output:" },
	{ 'l', "level", "N", "1 or 2; default: the highest that the machine has",
	  read_level, AT(level), 1, LEVEL_MAX, "levels", .words = "1, 2" },
	{ 0, "locate", NULL,
	  "print commands that find the code that loses the slots", option_flag, AT(locate) },
	OPTION_JSON(AT(output)),
	OPTION_CSV(AT(output)),
	{ 'o', "output", "FILE", "write to FILE; default: standard output, or with a\n"
	  "command standard error", option_path, AT(path) },
	{ 0, "append", NULL, "write after the contents of FILE", option_flag, AT(append) },
	OPTION_NO_HEADER(AT(output)),
	{ 0, "strict", NULL,
	  "exit with 4 if some of the time was not measured", option_flag, AT(strict) },
	{ 'q', "quiet", NULL, "no remarks on standard error", option_flag, AT(quiet) },
	{ 'v', "verbose", NULL, "first say how the machine is measured", option_flag, AT(verbose) },
	{ .help = "Names of perf stat for some of these:" },
	{ .help = "      --interval-print, --interval-count, --td-level, --field-separator," },
	{ .help = "      --json-output, --for-each-cgroup" },
	{ .help = "Other:" },
	OPTION_SCHEMA(COLUMNS_KEYS | COLUMNS_NAMES, &owner_columns),
	OPTION_DEVICE(AT(device)),
	OPTION_HELP,
	{ .name = "interval-print", .argument = "TIME", .same = "interval" },
	{ .name = "interval-count", .argument = "N", .same = "count" },
	{ .name = "td-level", .argument = "N", .same = "level" },
	{ .name = "field-separator", .argument = "SEP", .same = "csv" },
	{ .name = "json-output", .same = "json" },
	{ .name = "for-each-cgroup", .argument = "LIST", .same = "cgroup" },
};

static const struct option_table table = {
	.usage =
		"Usage: topdown stat [options]\n"
		"       topdown stat [options] [--] COMMAND [ARG...]\n"
		"\n"
		"Measure where the pipeline slots of CPUs, of a command, or of processes and threads\n"
		"go. Without -I there is one measurement, which ends with the tasks, with Ctrl-C, or\n"
		"after --timeout. A TIME is in milliseconds, or has a unit: 500ms, 2s, 1m.\n"
		"\n",
	OPTION_ROWS(option_rows),
	.examples =
		"Examples:\n"
		"  topdown stat -a                        until Ctrl-C\n"
		"  topdown stat -a -A -I 1s               each CPU, every second\n"
		"  topdown stat -C 0-3 -A --timeout 5s    four CPUs, each by itself, for 5 s\n"
		"  topdown stat -a -A -I 100ms -j -o td.json\n"
		"  topdown stat -a --count 10 -x , -l 1\n"
		"  topdown stat -- make -j8               a command with all that it starts\n"
		"  topdown stat -a -- sleep 10            the machine while a command runs\n"
		"  topdown stat -r 5 -o td.txt ./prog     the mean of five runs\n"
		"  topdown stat -p 1234 -- sleep 10       a process for 10 s\n"
		"  topdown stat -p 1234 --per-thread      each thread, until Ctrl-C\n"
		"  topdown stat --by process -I 1s --sort tma_memory_bound --top 10\n"
		"  topdown stat --by cgroup --timeout 10s\n",
	.rest = OPTIONS_COMMAND,
	.command = offsetof(struct stat_options, argv),
};

static bool check_cpus(const struct stat_options *options, bool tasks)
{
	bool cpus = options->all_cpus || options->has_cpus;
	bool rows = options->per_cpu || options->per != TOPOLOGY_NONE;
	bool ends = options->windows || options->fresh;

	if (tasks && (cpus || rows || ends))
		return message_refuse("-a, -C, -A, --per-core and the like, --windows and --fresh are about CPUs and exclude -p and -t (allowed: one kind)");
	if (options->argv && !cpus && (rows || ends))
		return message_refuse("-A, --per-core and the like, --windows and --fresh are about CPUs (with a command add -a or -C; its own options go after it)");
	if (options->windows && options->fresh)
		return message_refuse("--windows and --fresh exclude each other (allowed: one of them)");
	if (options->per_cpu && options->per != TOPOLOGY_NONE)
		return message_refuse("-A and --per-core and the like exclude each other (allowed: one of them)");
	if (options->all_cpus && options->has_cpus)
		return message_refuse("-a and -C exclude each other (allowed: one of them)");
	return true;
}

static bool check_tasks(struct stat_options *options)
{
	bool cpus = options->all_cpus || options->has_cpus;
	unsigned int kinds = !!options->argv + !!options->pids.nr + !!options->tids.nr;

	if (options->pids.nr && options->tids.nr)
		return message_refuse("-p and -t exclude each other (allowed: one of them)");
	if (!check_cpus(options, options->pids.nr || options->tids.nr))
		return false;
	if (options->per_thread && !options->pids.nr)
		return message_refuse("--per-thread needs the process whose threads are meant (add -p PID)");
	if (options->tree && (!options->pids.nr || options->no_inherit))
		return message_refuse("--tree is about the children of processes (add -p PID; allowed: without --no-inherit)");
	if (options->tree)
		family_add(&options->pids, true);
	if (options->no_inherit && (!kinds || options->tids.nr || cpus))
		return message_refuse("--no-inherit is about the children of processes (allowed: with -p or a command)");
	if (options->runs && (!options->argv || cpus || kinds > 1))
		return message_refuse("-r needs a command to run and to measure by itself (add -- COMMAND; allowed: without -a, -C, -p and -t)");
	if (options->runs && (options->interval_ms || options->count || options->timeout_ms))
		return message_refuse("-r measures each run from its start to its end (allowed: without -I, --count and --timeout)");
	return true;
}

static bool check_owners(struct stat_options *options)
{
	bool cpus = options->all_cpus || options->has_cpus || options->per_cpu ||
		    options->per != TOPOLOGY_NONE || options->windows || options->fresh;

	if (options->cgroups && options->by == OWNER_BY_NONE)
		options->by = OWNER_BY_CGROUP;
	if (options->by == OWNER_BY_NONE) {
		if (options->depth || options->self || options->sort.given || options->top)
			return message_refuse("--depth, --self, --sort and --top are about all processes or cgroups (add --by process or --by cgroup)");
		return true;
	}
	if (cpus || options->pids.nr || options->tids.nr || options->runs)
		return message_refuse("--by and -G measure all processes or cgroups of the machine (allowed: without -a, -C, -A and the like, -p, -t and -r)");
	if (options->by != OWNER_BY_CGROUP &&
	    (options->cgroups || options->depth || options->self))
		return message_refuse("-G, --depth and --self are about cgroups (allowed: with --by cgroup)");
	return true;
}

/* --locate needs one row. */
static bool check_locate(const struct stat_options *options)
{
	bool rows = options->per_cpu || options->per != TOPOLOGY_NONE || options->per_thread ||
		    options->pids.nr + options->tids.nr > 1 || options->by;

	if (options->locate && (options->output.format != OUTPUT_TABLE || rows))
		return message_refuse("--locate is about one row of a table (allowed: without -j, -x, -A, --per-core and the like, and with one task)");
	return true;
}

static bool check_together(struct stat_options *options)
{
	if (!check_owners(options) || !check_tasks(options) || !check_locate(options))
		return false;
	if (options->waits && !options->control)
		return message_refuse("-D: -1 waits for a word to begin, and there is none (allowed: a time, or --control fifo:WORDS with it)");
	if (options->control && (options->by || options->runs || options->delay_ms))
		return message_refuse("--control chooses the times of one measurement (allowed: without --by, -G and -r, and with no -D but -1)");
	if (options->append && !options->path)
		return message_refuse("--append needs the file to write after (add -o FILE)");
	if (options->quiet && options->verbose)
		return message_refuse("-q and -v exclude each other (allowed: one of them)");
	if (options->count && !options->interval_ms)
		options->interval_ms = INTERVAL_DEFAULT_MS;
	return true;
}

/**
 * stat_parse - read the command line
 * @options: the options
 * @argc: number of @argv
 * @argv: "stat" and its arguments
 * @done: help or the schema was printed, so nothing is left to do
 *
 * Return: 0, or an exit code after a message.
 */
int stat_parse(struct stat_options *options, int argc, char **argv, bool *done)
{
	int ret;

	memset(options, 0, sizeof(*options));
	options->device = TOPDOWN_DEVICE;
	options->output.header = true;
	ret = options_parse(&table, argc, argv, options, done);
	if (ret || *done)
		return ret;
	return check_together(options) ? 0 : EXIT_USAGE;
}
