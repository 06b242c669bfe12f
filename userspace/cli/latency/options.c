// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of topdown latency.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "columns.h"
#include "events.h"
#include "latency.h"
#include "message.h"
#include "options.h"
#include "parse.h"
#include "raw-events.h"

enum {
	OPT_COUNT = OPTIONS_OWN,
	OPT_TIMEOUT,
	OPT_LIST,
	OPT_DEFAULT,
	OPT_TABLE,
	OPT_SAVE,
	OPT_COST,
	OPT_STATISTIC,
	OPT_SCHEMA,
	OPT_APPEND,
};

static const struct option long_options[] = {
	{ "event", required_argument, NULL, 'e' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "pid", required_argument, NULL, 'p' },
	{ "no-aggr", no_argument, NULL, 'A' },
	{ "interval", required_argument, NULL, 'I' },
	{ "count", required_argument, NULL, OPT_COUNT },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "list", no_argument, NULL, OPT_LIST },
	{ "default", no_argument, NULL, OPT_DEFAULT },
	{ "table", required_argument, NULL, OPT_TABLE },
	{ "save", required_argument, NULL, OPT_SAVE },
	{ "cost", no_argument, NULL, OPT_COST },
	{ "statistic", required_argument, NULL, OPT_STATISTIC },
	{ "json", no_argument, NULL, 'j' },
	{ "csv", required_argument, NULL, 'x' },
	{ "output", required_argument, NULL, 'o' },
	{ "append", no_argument, NULL, OPT_APPEND },
	{ "no-header", no_argument, NULL, OPTIONS_NO_HEADER },
	{ "schema", no_argument, NULL, OPT_SCHEMA },
	{ "device", required_argument, NULL, OPTIONS_DEVICE },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static const char usage[] =
	"Usage: topdown latency [options] [[--] COMMAND [ARG]...]\n"
	"\n"
	"Show how many cycles the instructions of some events took to retire, after the one\n"
	"before them: on CPUs, in processes, or in the COMMAND and those that it starts.\n"
	"The module samples the events on each CPU, at most 1000 times a second.\n"
	"Events have turns of about 100 ms. A TIME is in milliseconds, or has a unit: 500ms,\n"
	"2s, 1m.\n"
	"\n"
	"  -e, --event LIST     events by Intel's names or encodings (config[:config1] of\n"
	"                       perf in hex, as 0x3c6:0x12), with commas; default: all\n"
	"  -a, --all-cpus       all CPUs, with COMMAND while it runs; the default without\n"
	"                       -C, -p and COMMAND\n"
	"  -C, --cpu LIST       these CPUs, such as 0-3,8\n"
	"  -p, --pid LIST       only these processes, and those that they start; with\n"
	"                       COMMAND while it runs\n"
	"  -A, --no-aggr        each CPU as well as the sum over them\n"
	"  -I, --interval TIME  print each interval (100..3600000 ms)\n"
	"      --count N        end after N intervals\n"
	"      --timeout TIME   end after this time (100..2147483647 ms)\n"
	"      --list           print the events that this machine can sample\n"
	"      --default        where there is no sample, show the published latency\n"
	"      --table FILE     where there is no sample, show what the file says\n"
	"      --save FILE      at the end write what was sampled, as --table reads it\n"
	"      --cost           also count times latency, as a share of the cycles, and the\n"
	"                       published nodes of level 4 that need no more\n"
	"      --statistic S    the latency of --cost: mean, min, p50, p90, p99 or max;\n"
	"                       default: mean\n"
	"  -j, --json           one JSON object a line\n"
	"  -x, --csv SEP        values separated by the character SEP\n"
	"  -o, --output FILE    write to FILE; default: standard output, or with a\n"
	"                       command standard error\n"
	"      --append         write after the contents of FILE\n"
	"      --no-header      no column headings\n"
	"      --schema         print the JSON Schema of the lines of -j\n"
	"      --device PATH    device node; default " TOPDOWN_DEVICE "\n"
	"  -h, --help           print this help\n"
	"\n"
	"Examples:\n"
	"  topdown latency --list\n"
	"  topdown latency -I 1s -e MEM_LOAD_RETIRED.L3_HIT,MEM_LOAD_RETIRED.L2_HIT\n"
	"  topdown latency -C 0-3 -A --timeout 10s\n"
	"  topdown latency -e MEM_LOAD_RETIRED.L3_HIT -- make\n"
	"  topdown latency -a -- sleep 10         the machine while a command runs\n";

static bool refuse(const char *why)
{
	message_error("%s", why);
	return false;
}

static bool parse_statistic(struct latency_options *options, const char *text)
{
	static const char * const names[KNOWN_FIGURES] = {
		[KNOWN_MEAN] = "mean", [KNOWN_MIN] = "min", [KNOWN_P50] = "p50",
		[KNOWN_P90] = "p90", [KNOWN_P99] = "p99", [KNOWN_MAX] = "max",
	};
	unsigned int i;

	for (i = 0; i < KNOWN_FIGURES; i++) {
		if (!strcmp(text, names[i])) {
			options->statistic = i;
			return true;
		}
	}
	message_error("--statistic: there is no '%s' (allowed: mean, min, p50, p90, p99, max)",
		      text);
	return false;
}

/* As strtoull(), but with 0x and nothing before it. */
static bool parse_hex(const char *text, char **end, uint64_t *value)
{
	errno = 0;
	if (strncasecmp(text, "0x", 2) || !isxdigit((unsigned char)text[2]))
		return false;
	*value = strtoull(text, end, 16);
	return !errno;
}

static bool parse_raw(struct latency_options *options, const char *item)
{
	const char *text = strncasecmp(item, "raw-", 4) ? item : item + 4;
	uint64_t config, config1 = 0;
	char *end;

	if (!parse_hex(text, &end, &config) ||
	    (*end == ':' && !parse_hex(end + 1, &end, &config1)) || *end) {
		message_error("-e: '%s' is no encoding (allowed: config or config:config1 of perf_event_attr, such as 0x42d0 or 0x3c6:0x12)",
			      item);
		return false;
	}
	if (!raw_events_add(config, config1)) {
		message_error("-e: at most %d encodings at once", RAW_EVENTS_MAX);
		return false;
	}
	raw_events(&options->nr_raw);
	return true;
}

/* Names and encodings, in any order. */
static bool parse_events(struct latency_options *options, const char *list)
{
	char *copy = strdup(list), *rest = copy, *item;
	bool ok = copy;

	if (!copy)
		return refuse("-e: out of memory");
	while (ok && (item = strsep(&rest, ",")))
		ok = events_is_encoding(item) ? parse_raw(options, item) :
				    events_parse("-e", item, &options->events);
	free(copy);
	return ok;
}

static bool load_table(struct latency_options *options, const char *path)
{
	if (options->table.path) {
		message_error("--table: there is one table (allowed: --table once)");
		return false;
	}
	options->table.path = path;
	return known_load(options->known, &options->table);
}

static bool parse_option(struct latency_options *options, int option)
{
	switch (option) {
	case 'e':
		return parse_events(options, optarg);
	case 'a':
		options->all_cpus = true;
		return true;
	case 'C':
		options->has_cpus = true;
		return cpulist_join(&options->cpus, "-C", optarg);
	case 'p':
		return idlist_join(&options->pids, "-p", "process numbers", optarg);
	case 'A':
		options->each = true;
		return true;
	case 'I':
		return parse_time("-I", optarg, LATENCY_INTERVAL_MIN_MS, LATENCY_INTERVAL_MAX_MS,
				  &options->interval_ms);
	case OPT_COUNT:
		return parse_number("--count", optarg, 1, LATENCY_COUNT_MAX, "intervals",
				    &options->count);
	case OPT_TIMEOUT:
		return parse_time("--timeout", optarg, LATENCY_TIMEOUT_MIN_MS,
				  LATENCY_TIMEOUT_MAX_MS, &options->timeout_ms);
	case OPT_DEFAULT:
		options->published = true;
		return true;
	case OPT_TABLE:
		return load_table(options, optarg);
	case OPT_SAVE:
		return options_path("--save", optarg, &options->save);
	case 'o':
		return options_path("-o", optarg, &options->path);
	case OPT_APPEND:
		options->append = true;
		return true;
	case OPT_COST:
		options->cost = true;
		return true;
	case OPT_STATISTIC:
		options->has_statistic = true;
		return parse_statistic(options, optarg);
	case OPT_LIST:
		options->list = true;
		return true;
	}
	return options_common(option, &options->device, &options->output);
}

static bool check_tasks(const struct latency_options *options)
{
	bool cpus = options->all_cpus || options->has_cpus;

	if (options->pids.nr && (cpus || options->each))
		return refuse("-a, -C and -A are about CPUs and exclude -p (allowed: one kind)");
	if (options->all_cpus && options->has_cpus)
		return refuse("-a and -C exclude each other (allowed: one of them)");
	if (options->argv && !cpus && options->each)
		return refuse("-A is about CPUs (with a command add -a or -C; its own options go after it)");
	if (options->pids.nr <= LATENCY_PARTS_MAX)
		return true;
	message_error("-p: at most %d processes at once", LATENCY_PARTS_MAX);
	return false;
}

static bool check_together(const struct latency_options *options)
{
	if (!check_tasks(options))
		return false;
	if (options->nr_raw && options->save)
		return refuse("--save writes events that have names (allowed: -e with names)");
	if (options->has_statistic && !options->cost)
		return refuse("--statistic is for --cost (add --cost)");
	if (options->append && !options->path)
		return refuse("--append needs the file to write after (add -o FILE)");
	if (!options->count || options->interval_ms)
		return true;
	message_error("--count needs intervals (add -I)");
	return false;
}

/**
 * latency_parse - read the command line
 * @options: the options
 * @argc: number of @argv
 * @argv: "latency" and its arguments
 * @done: help was printed, so nothing is left to do
 *
 * Return: 0, or an exit code after a message.
 */
int latency_parse(struct latency_options *options, int argc, char **argv, bool *done)
{
	bool others = false;
	int option, at;

	memset(options, 0, sizeof(*options));
	options->device = TOPDOWN_DEVICE;
	options->output.header = true;
	options->output.latencies = true;
	*done = false;

	for (;;) {
		at = optind ? optind : 1;
		option = options_next(argc, argv, "+:e:aC:p:AI:jx:o:h", long_options);
		if (option == -1)
			break;
		if (option == 'h') {
			*done = true;
			return options_help(usage);
		}
		if (option == OPT_SCHEMA) {
			*done = true;
			return output_json_schema("latency", COLUMNS_LATENCIES);
		}
		if (option == OPTIONS_ERROR || !parse_option(options, option))
			return EXIT_USAGE;
		others |= option != OPT_LIST && option != OPTIONS_DEVICE;
	}
	if (!options_command(argc, argv, at, &options->argv) || !check_together(options))
		return EXIT_USAGE;
	if (options->list && (others || options->argv)) {
		refuse("--list prints the events and nothing else (allowed: --device)");
		return EXIT_USAGE;
	}
	/* Standard output is that of the command. */
	options->output.errors = options->argv;
	options->tasks = options->pids.nr ||
			 (options->argv && !options->all_cpus && !options->has_cpus);
	if (options->tasks && options->nr_raw && options->events) {
		refuse("-e: tasks have one latency session, of names or of encodings (allowed: one kind; CPUs take both)");
		return EXIT_USAGE;
	}
	return 0;
}
