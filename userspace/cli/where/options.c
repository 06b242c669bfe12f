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
#include "parse.h"
#include "where.h"

#define RATE_MIN	1

enum {
	OPT_NODE = OPTIONS_OWN,
	OPT_RATE,
	OPT_TIMEOUT,
	OPT_BY,
	OPT_USER,
	OPT_ANNOTATE,
	OPT_HTML,
};

static const struct option long_options[] = {
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "pid", required_argument, NULL, 'p' },
	{ "node", required_argument, NULL, OPT_NODE },
	{ "rate", required_argument, NULL, OPT_RATE },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "by", required_argument, NULL, OPT_BY },
	{ "count", required_argument, NULL, 'n' },
	{ "user", no_argument, NULL, OPT_USER },
	{ "annotate", no_argument, NULL, OPT_ANNOTATE },
	{ "folded", no_argument, NULL, 'g' },
	{ "html", required_argument, NULL, OPT_HTML },
	{ "json", no_argument, NULL, 'j' },
	{ "csv", required_argument, NULL, 'x' },
	{ "no-header", no_argument, NULL, OPTIONS_NO_HEADER },
	{ "output", required_argument, NULL, 'o' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "device", required_argument, NULL, OPTIONS_DEVICE },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static const char usage[] =
	"Usage: topdown where [options] [-a | -C LIST | -p PID | -- COMMAND [ARG...]]\n"
	"\n"
	"Show where slots are lost, and to what. The topdown module counts how much each node of\n"
	"the tree loses; samples of perf in the same time say in which function, and why. Shown\n"
	"are the nodes over their published thresholds. A TIME is in milliseconds, or has a\n"
	"unit: 500ms, 2s, 1m.\n"
	"\n"
	"What to sample; the default is -a:\n"
	"  -a, --all-cpus       all CPUs, until Ctrl-C or --timeout\n"
	"  -C, --cpu LIST       these CPUs, such as 0-3,8\n"
	"  -p, --pid PID        a process, its threads, and what they start\n"
	"  -- COMMAND           a command and what it starts, until it ends\n"
	"Options:\n"
	"      --node NODE      this node, whatever its share; may be given again\n"
	"      --rate N         samples a second of each event and CPU, at most (1..20000),\n"
	"                       default 1000\n"
	"      --timeout TIME   end after this time\n"
	"      --user           leave kernel mode out\n"
	"      --by WHAT        a row is a function, a line or an instruction; default function\n"
	"  -n, --count N        rows of each node (1..10000), default 10\n"
	"      --annotate       after the table, the instructions of the function that loses most\n"
	"  -g, --folded         call stacks in one line each, for flame graphs\n"
	"      --html FILE      write a page as well\n"
	"  -j, --json           one JSON object a line\n"
	"  -x, --csv SEP        values separated by the character SEP\n"
	"      --no-header      no column headings\n"
	"  -o, --output FILE    write there instead of standard output\n"
	"  -q, --quiet          neither notes nor lines about what could not be sampled\n"
	"      --device PATH    device node; default " TOPDOWN_DEVICE "\n"
	"  -h, --help           print this help\n"
	"\n"
	"Examples:\n"
	"  topdown where -- ./program           where a command loses its slots\n"
	"  topdown where -p 1234 --timeout 10s\n"
	"  topdown where -a --timeout 10s --node memory_bound --by line\n"
	"  topdown where -g -o stacks -- ./program\n";

static bool add_node(struct where_options *options, const char *name)
{
	int node = topdown_node_by_name(name);

	if (node < 0) {
		node_unknown("--node", name, "a node such as tma_memory_bound");
		return false;
	}
	options->nodes |= 1U << node;
	return true;
}

static bool set_by(struct where_options *options, const char *text)
{
	static const char * const names[] = { "function", "line", "instruction" };
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(text, names[i])) {
			options->by = i;
			return true;
		}
	}
	message_error("--by: '%s' is not known (allowed: function, line, instruction)", text);
	return false;
}

static bool set_pid(struct where_options *options, const char *text)
{
	uint64_t pid;

	if (!parse_number("-p", text, 1, ID_MAX, "", &pid))
		return false;
	options->pid = pid;
	return true;
}

static bool parse_option(struct where_options *options, int option)
{
	switch (option) {
	case 'a':
		options->all_cpus = true;
		return true;
	case 'C':
		options->has_cpus = true;
		return cpulist_join(&options->cpus, "-C", optarg);
	case 'p':
		return set_pid(options, optarg);
	case 'n':
		return parse_number("-n", optarg, 1, WHERE_ROWS_MAX, "rows", &options->rows);
	case 'g':
		options->folded = true;
		return true;
	case 'o':
		return options_path("-o", optarg, &options->path);
	case 'q':
		options->quiet = true;
		return true;
	case OPT_NODE:
		return add_node(options, optarg);
	case OPT_RATE:
		return parse_number("--rate", optarg, RATE_MIN, TOPDOWN_STALLS_RATE_MAX,
				    "samples a second", &options->rate);
	case OPT_TIMEOUT:
		return parse_time("--timeout", optarg, WHERE_TIMEOUT_MIN_MS,
				  WHERE_TIMEOUT_MAX_MS, &options->timeout_ms);
	case OPT_BY:
		return set_by(options, optarg);
	case OPT_USER:
		options->user = true;
		return true;
	case OPT_ANNOTATE:
		options->annotate = true;
		return true;
	case OPT_HTML:
		return options_path("--html", optarg, &options->html);
	}
	return options_common(option, &options->device, &options->output);
}

static bool refuse(const char *why)
{
	message_error("%s", why);
	return false;
}

static bool check(const struct where_options *options)
{
	bool programs = options->output.format != OUTPUT_TABLE;

	if (options->all_cpus + options->has_cpus + !!options->pid + !!options->argv > 1)
		return refuse("-a, -C, -p and a command exclude each other (allowed: one of them)");
	if (options->folded && (programs || options->annotate))
		return refuse("-g excludes -j, -x and --annotate (allowed: one of them)");
	if (programs && options->annotate)
		return refuse("--annotate excludes -j and -x (allowed: one of them)");
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
	int option, last;

	*options = (struct where_options){
		.device = TOPDOWN_DEVICE,
		.rate = TOPDOWN_STALLS_RATE,
		.rows = WHERE_ROWS_DEFAULT,
		.output = { .file = stdout, .name = "standard output", .header = true },
	};
	*done = false;
	do {
		last = optind ? optind : 1;
		option = options_next(argc, argv, "+:aC:p:n:gjx:o:qh", long_options);
		if (option == 'h') {
			*done = true;
			return options_help(usage);
		}
		if (option == OPTIONS_ERROR || (option != -1 && !parse_option(options, option)))
			return EXIT_USAGE;
	} while (option != -1);
	if (!options_command(argc, argv, last, &options->argv) || !check(options))
		return EXIT_USAGE;
	if (!options->has_cpus && !options->pid && !options->argv)
		options->all_cpus = true;
	return 0;
}
