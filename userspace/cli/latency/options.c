// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of topdown latency.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "columns.h"
#include "events.h"
#include "latency.h"
#include "latency-columns.h"
#include "message.h"
#include "options.h"
#include "raw-events.h"

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
	    (*end == ':' && !parse_hex(end + 1, &end, &config1)) || *end)
		return message_refuse("-e: '%s' is no encoding (allowed: config or config:config1 of perf_event_attr, such as 0x42d0 or 0x3c6:0x12)",
				      item);
	if (!raw_events_add(config, config1))
		return message_refuse("-e: at most %d encodings at once", RAW_EVENTS_MAX);
	raw_events(&options->nr_raw);
	return true;
}

/* Names and encodings, in any order. */
static bool read_events(const struct option_row *row, const char *list, void *field)
{
	struct latency_options *options = field;
	char *copy = strdup(list), *rest = copy, *item;
	bool ok = copy;

	if (!copy)
		return message_refuse("-e: out of memory");
	while (ok && (item = strsep(&rest, ",")))
		ok = events_is_encoding(item) ? parse_raw(options, item) :
				    events_parse(option_name(row), item, &options->events);
	free(copy);
	return ok;
}

static bool read_table(const struct option_row *row, const char *path, void *field)
{
	struct latency_options *options = field;

	if (options->table.path)
		return message_refuse("--table: there is one table (allowed: --table once)");
	return option_path(row, path, &options->table.path) &&
	       known_load(options->known, &options->table);
}

#define AT(at)	.field = offsetof(struct latency_options, at)
#define GIVEN(at)	.given = offsetof(struct latency_options, at)

static const struct option_row option_rows[] = {
	{ 'e', "event", "LIST", "events by Intel's names or encodings (config[:config1] of\n"
	  "perf in hex, as 0x3c6:0x12), with commas; default: all", .read = read_events },
	{ 'a', "all-cpus", NULL, "all CPUs, with COMMAND while it runs; the default without\n"
	  "-C, -p and COMMAND", option_flag, AT(all_cpus) },
	OPTION_CPUS("these", AT(cpus), GIVEN(has_cpus)),
	{ 'p', "pid", "LIST", "only these processes, and those that they start; with\n"
	  "COMMAND while it runs", option_ids, AT(pids), .unit = "process numbers" },
	{ 'A', "no-aggr", NULL, "each CPU as well as the sum over them", option_flag, AT(each) },
	{ 'I', "interval", "TIME", "print each interval (100..3600000 ms)",
	  option_time, AT(interval_ms), LATENCY_INTERVAL_MIN_MS, LATENCY_INTERVAL_MAX_MS },
	{ 0, "count", "N",
	  "end after N intervals", option_number, AT(count), 1, LATENCY_COUNT_MAX, "intervals" },
	{ 0, "timeout", "TIME", "end after this time (100..2147483647 ms)",
	  option_time, AT(timeout_ms), LATENCY_TIMEOUT_MIN_MS, LATENCY_TIMEOUT_MAX_MS },
	{ 0, "list", NULL, "print the events that this machine can sample", option_flag, AT(list) },
	{ 0, "default", NULL,
	  "where there is no sample, show the published latency", option_flag, AT(published) },
	{ 0, "table", "FILE",
	  "where there is no sample, show what the file says", .read = read_table,
	  .unit = "a table as --save writes it" },
	{ 0, "save", "FILE",
	  "at the end write what was sampled, as --table reads it", option_path, AT(save) },
	{ 0, "cost", NULL, "also count times latency, as a share of the cycles, and the\n"
	  "published nodes of level 4 that need no more", option_flag, AT(cost) },
	{ 0, "statistic", "S", "the latency of --cost: mean, min, p50, p90, p99 or max;\n"
	  "default: mean",
	  option_word, AT(statistic), KNOWN_MEAN, .unit = "no statistic",
	  .words = "mean, min, p50, p90, p99, max", GIVEN(has_statistic) },
	OPTION_JSON(AT(output)),
	OPTION_CSV(AT(output)),
	{ 'o', "output", "FILE", "write to FILE; default: standard output, or with a\n"
	  "command standard error", option_path, AT(path) },
	{ 0, "append", NULL, "write after the contents of FILE", option_flag, AT(append) },
	OPTION_NO_HEADER(AT(output)),
	OPTION_SCHEMA(COLUMNS_LATENCIES, &latency_columns),
	OPTION_DEVICE(AT(device)),
	OPTION_HELP,
};

static const struct option_table table = {
	.usage =
		"Usage: topdown latency [options] [[--] COMMAND [ARG]...]\n"
		"\n"
		"Show how many cycles the instructions of some events took to retire, after the one\n"
		"before them: on CPUs, in processes, or in the COMMAND and those that it starts.\n"
		"The module samples the events on each CPU, at most 1000 times a second.\n"
		"Events have turns of about 100 ms. A TIME is in milliseconds, or has a unit: 500ms,\n"
		"2s, 1m.\n"
		"\n",
	OPTION_ROWS(option_rows),
	.examples =
		"Examples:\n"
		"  topdown latency --list\n"
		"  topdown latency -I 1s -e MEM_LOAD_RETIRED.L3_HIT,MEM_LOAD_RETIRED.L2_HIT\n"
		"  topdown latency -C 0-3 -A --timeout 10s\n"
		"  topdown latency -e MEM_LOAD_RETIRED.L3_HIT -- make\n"
		"  topdown latency -a -- sleep 10         the machine while a command runs\n",
	.rest = OPTIONS_COMMAND,
	.command = offsetof(struct latency_options, argv),
};

static bool check_tasks(const struct latency_options *options)
{
	bool cpus = options->all_cpus || options->has_cpus;

	if (options->pids.nr && (cpus || options->each))
		return message_refuse("-a, -C and -A are about CPUs and exclude -p (allowed: one kind)");
	if (options->all_cpus && options->has_cpus)
		return message_refuse("-a and -C exclude each other (allowed: one of them)");
	if (options->argv && !cpus && options->each)
		return message_refuse("-A is about CPUs (with a command add -a or -C; its own options go after it)");
	if (options->pids.nr <= LATENCY_PARTS_MAX)
		return true;
	return message_refuse("-p: at most %d processes at once", LATENCY_PARTS_MAX);
}

static bool check_together(const struct latency_options *options)
{
	if (!check_tasks(options))
		return false;
	if (options->nr_raw && options->save)
		return message_refuse("--save writes events that have names (allowed: -e with names)");
	if (options->has_statistic && !options->cost)
		return message_refuse("--statistic is for --cost (add --cost)");
	if (options->append && !options->path)
		return message_refuse("--append needs the file to write after (add -o FILE)");
	if (!options->count || options->interval_ms)
		return true;
	return message_refuse("--count needs intervals (add -I)");
}

/* Has the command line other words than --list and --device? */
static bool has_more_than_list(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--device"))
			i++;
		else if (strcmp(argv[i], "--list") && strncmp(argv[i], "--device=", 9))
			return true;
	}
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
	int ret;

	memset(options, 0, sizeof(*options));
	options->device = TOPDOWN_DEVICE;
	options->output.header = true;
	options->output.views = COLUMNS_LATENCIES;
	options->output.own = &latency_columns;
	ret = options_parse(&table, argc, argv, options, done);
	if (ret || *done)
		return ret;
	if (!check_together(options))
		return EXIT_USAGE;
	if (options->list && has_more_than_list(argc, argv)) {
		message_refuse("--list prints the events and nothing else (allowed: --device)");
		return EXIT_USAGE;
	}
	/* Standard output is that of the command. */
	options->output.errors = options->argv;
	options->tasks = options->pids.nr ||
			 (options->argv && !options->all_cpus && !options->has_cpus);
	if (options->tasks && options->nr_raw && options->events) {
		message_refuse("-e: tasks have one latency session, of names or of encodings (allowed: one kind; CPUs take both)");
		return EXIT_USAGE;
	}
	return 0;
}
