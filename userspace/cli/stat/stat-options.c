// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of topdown stat.
 */
#include "stat-options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <topdown.h>

#include "columns.h"
#include "control.h"
#include "family.h"
#include "message.h"
#include "options.h"
#include "parse.h"

enum {
	OPT_COUNT = OPTIONS_OWN,
	OPT_TIMEOUT,
	OPT_CONTROL,
	OPT_APPEND,
	OPT_STRICT,
	OPT_PER_THREAD,
	OPT_TREE,
	OPT_PER_CORE,
	OPT_PER_SOCKET,
	OPT_PER_NODE,
	OPT_WINDOWS,
	OPT_FRESH,
	OPT_LOCATE,
	OPT_SCHEMA,
	OPT_BY,
	OPT_DEPTH,
	OPT_SELF,
	OPT_SORT,
	OPT_TOP,
};

static const struct option long_options[] = {
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "no-aggr", no_argument, NULL, 'A' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "per-core", no_argument, NULL, OPT_PER_CORE },
	{ "per-socket", no_argument, NULL, OPT_PER_SOCKET },
	{ "per-node", no_argument, NULL, OPT_PER_NODE },
	{ "windows", no_argument, NULL, OPT_WINDOWS },
	{ "fresh", no_argument, NULL, OPT_FRESH },
	{ "pid", required_argument, NULL, 'p' },
	{ "tid", required_argument, NULL, 't' },
	{ "per-thread", no_argument, NULL, OPT_PER_THREAD },
	{ "tree", no_argument, NULL, OPT_TREE },
	{ "no-inherit", no_argument, NULL, 'i' },
	{ "by", required_argument, NULL, OPT_BY },
	{ "cgroup", required_argument, NULL, 'G' },
	{ "depth", required_argument, NULL, OPT_DEPTH },
	{ "self", no_argument, NULL, OPT_SELF },
	{ "sort", required_argument, NULL, OPT_SORT },
	{ "top", required_argument, NULL, OPT_TOP },
	{ "repeat", required_argument, NULL, 'r' },
	{ "interval", required_argument, NULL, 'I' },
	{ "count", required_argument, NULL, OPT_COUNT },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "delay", required_argument, NULL, 'D' },
	{ "control", required_argument, NULL, OPT_CONTROL },
	{ "level", required_argument, NULL, 'l' },
	{ "locate", no_argument, NULL, OPT_LOCATE },
	{ "csv", required_argument, NULL, 'x' },
	{ "json", no_argument, NULL, 'j' },
	{ "output", required_argument, NULL, 'o' },
	{ "append", no_argument, NULL, OPT_APPEND },
	{ "no-header", no_argument, NULL, OPTIONS_NO_HEADER },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "device", required_argument, NULL, OPTIONS_DEVICE },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "schema", no_argument, NULL, OPT_SCHEMA },
	{ "help", no_argument, NULL, 'h' },
	/* perf stat has these names. */
	{ "interval-print", required_argument, NULL, 'I' },
	{ "interval-count", required_argument, NULL, OPT_COUNT },
	{ "td-level", required_argument, NULL, 'l' },
	{ "field-separator", required_argument, NULL, 'x' },
	{ "json-output", no_argument, NULL, 'j' },
	{ "for-each-cgroup", required_argument, NULL, 'G' },
	{ NULL, 0, NULL, 0 }
};

static const char usage[] =
	"Usage: topdown stat [options]\n"
	"       topdown stat [options] [--] COMMAND [ARG...]\n"
	"\n"
	"Measure where the pipeline slots of CPUs, of a command, or of processes and threads\n"
	"go. Without -I there is one measurement, which ends with the tasks, with Ctrl-C, or\n"
	"after --timeout. A TIME is in milliseconds, or has a unit: 500ms, 2s, 1m.\n"
	"\n"
	"CPUs:\n"
	"  -a, --all-cpus       all CPUs, with COMMAND while it runs; the default without\n"
	"                       -C, tasks and COMMAND\n"
	"  -C, --cpu LIST       these CPUs, such as 0-3,8\n"
	"  -A, --no-aggr        a row for each CPU, after the row of the sum\n"
	"      --per-core       a row for each core, after the row of the sum\n"
	"      --per-socket     a row for each socket\n"
	"      --per-node       a row for each NUMA node\n"
	"      --windows        count up to the last closed windows; interrupt no CPU\n"
	"      --fresh          count up to the end of each interval; the default below 10\n"
	"                       periods\n"
	"Tasks:\n"
	"  -p, --pid LIST       these processes, such as 1234,5678, and the children that\n"
	"                       they fork from now on; with COMMAND while it runs\n"
	"  -t, --tid LIST       these threads\n"
	"      --per-thread     with -p: a row for each thread, none for the process\n"
	"      --tree           with -p: also the children that exist, a row for each\n"
	"  -i, --no-inherit     leave out the children that are forked from now on\n"
	"  -r, --repeat N       run the command N times (1..100000); print the mean\n"
	"All processes or cgroups at once:\n"
	"      --by KIND        process or cgroup: a row for each that ran\n"
	"  -G, --cgroup LIST    these cgroups, such as system.slice,user.slice\n"
	"      --depth N        cgroups below level N count at their ancestor (1..31)\n"
	"      --self           cgroups without those below them\n"
	"      --sort KEY       slots or share (default), time, ipc, or a node such as\n"
	"                       tma_memory_bound: by its slots\n"
	"      --top N          the first N rows (1..100000)\n"
	"How long:\n"
	"  -I, --interval TIME  print at this interval (10..3600000 ms)\n"
	"      --count N        end after N intervals; without -I each lasts a second\n"
	"      --timeout TIME   end after this time (10..2147483647 ms)\n"
	"  -D, --delay TIME     begin to measure after this time (0..2147483647 ms); -1 with\n"
	"                       --control: when it says so\n"
	"      --control HOW    take the words enable, disable, stop and ping, as perf does, from\n"
	"                       fifo:WORDS[,ANSWERS] or fd:N[,M]\n"
	"Output:\n"
	"  -l, --level N        1 or 2; default: the highest that the machine has\n"
	"      --locate         print commands that find the code that loses the slots\n"
	"  -j, --json           one JSON object a line\n"
	"  -x, --csv SEP        values separated by the character SEP\n"
	"  -o, --output FILE    write to FILE; default: standard output, or with a\n"
	"                       command standard error\n"
	"      --append         write after the contents of FILE\n"
	"      --no-header      no column headings\n"
	"      --strict         exit with 4 if some of the time was not measured\n"
	"  -q, --quiet          no remarks on standard error\n"
	"  -v, --verbose        first say how the machine is measured\n"
	"Names of perf stat for some of these:\n"
	"      --interval-print, --interval-count, --td-level, --field-separator,\n"
	"      --json-output, --for-each-cgroup\n"
	"Other:\n"
	"      --schema         print the JSON Schema of the lines of -j\n"
	"      --device PATH    device node; default " TOPDOWN_DEVICE "\n"
	"  -h, --help           print this help\n"
	"\n"
	"Examples:\n"
	"  topdown stat -a                        until Ctrl-C\n"
	"  topdown stat -a -A -I 1s               each CPU, every second\n"
	"  topdown stat -C 0-3 -A --timeout 5s    four CPUs, each by itself, for 5 s\n"
	"  topdown stat -a -A -I 100ms -j -o td.json\n"
	"  topdown stat -a --count 10 -x , -l 1\n"
	"  topdown stat -- make -j8               a command with all that it starts\n"
	"  topdown stat -a -- sleep 10            the machine while a command runs\n"
	"  topdown stat -r 5 -o td.txt ./prog     the mean of five runs\n"
	"  topdown stat -p 1234 --per-thread      each thread, until Ctrl-C\n"
	"  topdown stat --by process -I 1s --sort tma_memory_bound --top 10\n"
	"  topdown stat --by cgroup --timeout 10s\n";

/* These options exclude each other. */
static bool add_up_by(struct stat_options *options, enum topology by)
{
	if (options->per != TOPOLOGY_NONE && options->per != by) {
		message_error("--per-core, --per-socket and --per-node exclude each other (allowed: one of them)");
		return false;
	}
	options->per = by;
	return true;
}

static bool parse_delay(const char *text, struct stat_options *options)
{
	options->waits = !strcmp(text, "-1");
	options->delay_ms = 0;
	return options->waits ||
	       parse_time("-D", text, 0, TIMEOUT_MAX_MS, &options->delay_ms);
}

static bool parse_level(const char *text, uint64_t *level)
{
	if (parse_number("-l", text, 1, LEVEL_MAX, "levels", level))
		return true;
	if (strlen(text) == 1 && *text >= '3' && *text <= '6')
		message_note("perf has deeper levels: 'perf stat --topdown --td-level %s', by general counters",
			     text);
	return false;
}

/* Those about all processes and cgroups. */
static bool parse_owners(struct stat_options *options, int option)
{
	switch (option) {
	case OPT_BY:
		return owner_by_parse(optarg, &options->by);
	case 'G':
		options->cgroups = optarg;
		return true;
	case OPT_DEPTH:
		return parse_number("--depth", optarg, 1, OWNER_DEPTH_MAX, "levels",
				    &options->depth);
	case OPT_SELF:
		options->self = true;
		return true;
	case OPT_SORT:
		return owner_sort_parse(optarg, &options->sort);
	default:
		return parse_number("--top", optarg, 1, TOP_MAX, "rows", &options->top);
	}
}

static bool parse_option(struct stat_options *options, int option)
{
	switch (option) {
	case 'a':
		options->all_cpus = true;
		return true;
	case 'A':
		options->per_cpu = true;
		return true;
	case 'C':
		options->has_cpus = true;
		return cpulist_join(&options->cpus, "-C", optarg);
	case OPT_PER_CORE:
		return add_up_by(options, TOPOLOGY_CORE);
	case OPT_PER_SOCKET:
		return add_up_by(options, TOPOLOGY_SOCKET);
	case OPT_PER_NODE:
		return add_up_by(options, TOPOLOGY_NODE);
	case OPT_WINDOWS:
		options->windows = true;
		return true;
	case OPT_FRESH:
		options->fresh = true;
		return true;
	case 'p':
		return idlist_join(&options->pids, "-p", "process numbers", optarg);
	case 't':
		return idlist_join(&options->tids, "-t", "thread numbers", optarg);
	case OPT_TREE:
		options->tree = true;
		return true;
	case OPT_PER_THREAD:
		options->per_thread = true;
		return true;
	case 'i':
		options->no_inherit = true;
		return true;
	case 'r':
		return parse_number("-r", optarg, 1, RUNS_MAX, "runs", &options->runs);
	case 'I':
		return parse_time("-I", optarg, INTERVAL_MIN_MS, INTERVAL_MAX_MS,
				  &options->interval_ms);
	case OPT_COUNT:
		return parse_number("--count", optarg, 1, COUNT_MAX, "intervals",
				    &options->count);
	case OPT_TIMEOUT:
		return parse_time("--timeout", optarg, TIMEOUT_MIN_MS, TIMEOUT_MAX_MS,
				  &options->timeout_ms);
	case 'D':
		return parse_delay(optarg, options);
	case OPT_CONTROL:
		options->control = optarg;
		return control_check(optarg);
	case 'l':
		return parse_level(optarg, &options->level);
	case 'o':
		return options_path("-o", optarg, &options->path);
	case OPT_APPEND:
		options->append = true;
		return true;
	case OPT_STRICT:
		options->strict = true;
		return true;
	case OPT_LOCATE:
		options->locate = true;
		return true;
	case OPT_BY:
	case 'G':
	case OPT_DEPTH:
	case OPT_SELF:
	case OPT_SORT:
	case OPT_TOP:
		return parse_owners(options, option);
	case 'q':
		options->quiet = true;
		return true;
	case 'v':
		options->verbose = true;
		return true;
	}
	return options_common(option, &options->device, &options->output);
}

static bool refuse(const char *why)
{
	message_error("%s", why);
	return false;
}

static bool check_cpus(const struct stat_options *options, bool tasks)
{
	bool cpus = options->all_cpus || options->has_cpus;
	bool rows = options->per_cpu || options->per != TOPOLOGY_NONE;
	bool ends = options->windows || options->fresh;

	if (tasks && (cpus || rows || ends))
		return refuse("-a, -C, -A, --per-core and the like, --windows and --fresh are about CPUs and exclude -p and -t (allowed: one kind)");
	if (options->argv && !cpus && (rows || ends))
		return refuse("-A, --per-core and the like, --windows and --fresh are about CPUs (with a command add -a or -C; its own options go after it)");
	if (options->windows && options->fresh)
		return refuse("--windows and --fresh exclude each other (allowed: one of them)");
	if (options->per_cpu && options->per != TOPOLOGY_NONE)
		return refuse("-A and --per-core and the like exclude each other (allowed: one of them)");
	if (options->all_cpus && options->has_cpus)
		return refuse("-a and -C exclude each other (allowed: one of them)");
	return true;
}

static bool check_tasks(struct stat_options *options)
{
	bool cpus = options->all_cpus || options->has_cpus;
	unsigned int kinds = !!options->argv + !!options->pids.nr + !!options->tids.nr;

	if (options->pids.nr && options->tids.nr)
		return refuse("-p and -t exclude each other (allowed: one of them)");
	if (!check_cpus(options, options->pids.nr || options->tids.nr))
		return false;
	if (options->per_thread && !options->pids.nr)
		return refuse("--per-thread needs the process whose threads are meant (add -p PID)");
	if (options->tree && (!options->pids.nr || options->no_inherit))
		return refuse("--tree is about the children of processes (add -p PID; allowed: without --no-inherit)");
	if (options->tree)
		family_add(&options->pids, true);
	if (options->no_inherit && (!kinds || options->tids.nr || cpus))
		return refuse("--no-inherit is about the children of processes (allowed: with -p or a command)");
	if (options->runs && (!options->argv || cpus || kinds > 1))
		return refuse("-r needs a command to run and to measure by itself (add -- COMMAND; allowed: without -a, -C, -p and -t)");
	if (options->runs && (options->interval_ms || options->count || options->timeout_ms))
		return refuse("-r measures each run from its start to its end (allowed: without -I, --count and --timeout)");
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
			return refuse("--depth, --self, --sort and --top are about all processes or cgroups (add --by process or --by cgroup)");
		return true;
	}
	if (cpus || options->pids.nr || options->tids.nr || options->runs)
		return refuse("--by and -G measure all processes or cgroups of the machine (allowed: without -a, -C, -A and the like, -p, -t and -r)");
	if (options->by == OWNER_BY_PROCESS &&
	    (options->cgroups || options->depth || options->self))
		return refuse("-G, --depth and --self are about cgroups (allowed: with --by cgroup)");
	return true;
}

/* --locate needs one row. */
static bool check_locate(const struct stat_options *options)
{
	bool rows = options->per_cpu || options->per != TOPOLOGY_NONE || options->per_thread ||
		    options->pids.nr + options->tids.nr > 1 || options->by;

	if (options->locate && (options->output.format != OUTPUT_TABLE || rows))
		return refuse("--locate is about one row of a table (allowed: without -j, -x, -A, --per-core and the like, and with one task)");
	return true;
}

static bool check_together(struct stat_options *options)
{
	if (!check_owners(options) || !check_tasks(options) || !check_locate(options))
		return false;
	if (options->waits && !options->control)
		return refuse("-D: -1 waits for a word to begin, and there is none (allowed: a time, or --control fifo:WORDS with it)");
	if (options->control && (options->by || options->runs || options->delay_ms))
		return refuse("--control chooses the times of one measurement (allowed: without --by, -G and -r, and with no -D but -1)");
	if (options->append && !options->path)
		return refuse("--append needs the file to write after (add -o FILE)");
	if (options->quiet && options->verbose)
		return refuse("-q and -v exclude each other (allowed: one of them)");
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
	int option, at;

	memset(options, 0, sizeof(*options));
	options->device = TOPDOWN_DEVICE;
	options->output.header = true;
	*done = false;

	for (;;) {
		at = optind ? optind : 1;
		option = options_next(argc, argv, "+:aAC:p:t:iG:r:I:D:l:x:jo:qvh", long_options);
		if (option == -1)
			break;
		switch (option) {
		case 'h':
			*done = true;
			return options_help(usage);
		case OPT_SCHEMA:
			*done = true;
			return output_json_schema("stat", COLUMNS_KEYS);
		case OPTIONS_ERROR:
			return EXIT_USAGE;
		}
		if (!parse_option(options, option))
			return EXIT_USAGE;
	}
	if (!options_command(argc, argv, at, &options->argv))
		return EXIT_USAGE;
	return check_together(options) ? 0 : EXIT_USAGE;
}
