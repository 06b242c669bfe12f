// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of topdown where.
 */
#include <stdlib.h>
#include <string.h>

#include "idlist.h"
#include "message.h"
#include "node.h"
#include "options.h"
#include "where.h"

#define RATE_MIN	1

static bool read_node(const struct option_row *row, const char *name, void *field)
{
	int node = topdown_node_by_name(name);

	if (node < 0) {
		node_unknown(option_name(row), name, "a node such as tma_memory_bound");
		return false;
	}
	*(uint32_t *)field |= 1U << node;
	return true;
}

#define AT(at)	.field = offsetof(struct where_options, at)
#define GIVEN(at)	.given = offsetof(struct where_options, at)

static const struct option_row option_rows[] = {
	{ .help = "What to sample; the default is -a:" },
	{ 'a', "all-cpus", NULL, "all CPUs, until Ctrl-C or --timeout", option_flag, AT(all_cpus) },
	OPTION_CPUS("these", AT(cpus), GIVEN(has_cpus)),
	{ 'p', "pid", "PID",
	  "a process, its threads, and what they start", option_number, AT(pid), 1, ID_MAX, "" },
	{ .help = "  -- COMMAND           a command and what it starts, until it ends" },
	{ .help = "Options:" },
	{ 0, "node", "NODE",
	  "this node, whatever its share; may be given again", read_node, AT(nodes),
	  .choice = topdown_node_name },
	{ 0, "rate", "N", "samples a second of each event and CPU, at most (1..20000),\n"
	  "default 1000",
	  option_number, AT(rate), RATE_MIN, TOPDOWN_STALLS_RATE_MAX, "samples a second" },
	{ 0, "timeout", "TIME", "end after this time",
	  option_time, AT(timeout_ms), WHERE_TIMEOUT_MIN_MS, WHERE_TIMEOUT_MAX_MS },
	{ 0, "user", NULL, "leave kernel mode out", option_flag, AT(user) },
	{ 0, "by", "WHAT", "a row is a function, a line or an instruction; default function",
	  option_word, AT(by),
	  .unit = "not known", .words = "function, line, instruction" },
	{ 'n', "count", "N", "rows of each node (1..10000), default 10",
	  option_number, AT(rows), 1, WHERE_ROWS_MAX, "rows" },
	{ 0, "annotate", NULL, "after the table, the instructions of the function that loses most",
	  option_flag, AT(annotate) },
	{ 'g', "folded", NULL,
	  "call stacks in one line each, for flame graphs", option_flag, AT(folded) },
	{ 0, "html", "FILE", "write a page as well", option_path, AT(html) },
	OPTION_JSON(AT(output)),
	OPTION_CSV(AT(output)),
	OPTION_NO_HEADER(AT(output)),
	{ 'o', "output", "FILE", "write there instead of standard output", option_path, AT(path) },
	{ 'q', "quiet", NULL,
	  "neither notes nor lines about what could not be sampled", option_flag, AT(quiet) },
	OPTION_DEVICE(AT(device)),
	OPTION_HELP,
};

static const struct option_table table = {
	.usage =
		"Usage: topdown where [options] [-a | -C LIST | -p PID | -- COMMAND [ARG...]]\n"
		"\n"
		"Show where slots are lost, and to what. The topdown module counts how much each node of\n"
		"the tree loses; samples of perf in the same time say in which function, and why. Shown\n"
		"are the nodes over their published thresholds. A TIME is in milliseconds, or has a\n"
		"unit: 500ms, 2s, 1m.\n"
		"\n",
	OPTION_ROWS(option_rows),
	.examples =
		"Examples:\n"
		"  topdown where -- ./program           where a command loses its slots\n"
		"  topdown where -p 1234 --timeout 10s\n"
		"  topdown where -a --timeout 10s --node memory_bound --by line\n"
		"  topdown where -g -o stacks -- ./program\n",
	.rest = OPTIONS_COMMAND,
	.command = offsetof(struct where_options, argv),
};

static bool check(const struct where_options *options)
{
	bool programs = options->output.format != OUTPUT_TABLE;

	if (options->all_cpus + options->has_cpus + !!options->pid + !!options->argv > 1)
		return message_refuse("-a, -C, -p and a command exclude each other (allowed: one of them)");
	if (options->folded && (programs || options->annotate))
		return message_refuse("-g excludes -j, -x and --annotate (allowed: one of them)");
	if (programs && options->annotate)
		return message_refuse("--annotate excludes -j and -x (allowed: one of them)");
	return true;
}

/**
 * where_parse - read the command line
 * @options: to be filled
 * @argc: number of @argv
 * @argv: name of the subcommand and its arguments
 * @done: help was printed, and nothing is left to do
 *
 * Return: 0, or an exit code after a message.
 */
int where_parse(struct where_options *options, int argc, char **argv, bool *done)
{
	int ret;

	*options = (struct where_options){
		.device = TOPDOWN_DEVICE,
		.rate = TOPDOWN_STALLS_RATE,
		.rows = WHERE_ROWS_DEFAULT,
		.output = { .file = stdout, .name = "standard output", .header = true },
	};
	ret = options_parse(&table, argc, argv, options, done);
	if (ret || *done)
		return ret;
	if (!check(options))
		return EXIT_USAGE;
	if (!options->has_cpus && !options->pid && !options->argv)
		options->all_cpus = true;
	return 0;
}
