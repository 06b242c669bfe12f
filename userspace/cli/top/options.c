// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of topdown top.
 */
#include <getopt.h>
#include <string.h>
#include <topdown.h>

#include "events.h"
#include "message.h"
#include "options.h"
#include "parse.h"
#include "top.h"

#define TOP_LEVEL_MAX	2

enum {
	OPT_LATENCY = OPTIONS_OWN,
	OPT_BY,
	OPT_DEPTH,
	OPT_SELF,
	OPT_SORT,
};

static const struct option long_options[] = {
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "interval", required_argument, NULL, 'I' },
	{ "delay", required_argument, NULL, 'd' },
	{ "count", required_argument, NULL, 'n' },
	{ "level", required_argument, NULL, 'l' },
	{ "by", required_argument, NULL, OPT_BY },
	{ "depth", required_argument, NULL, OPT_DEPTH },
	{ "self", no_argument, NULL, OPT_SELF },
	{ "sort", required_argument, NULL, OPT_SORT },
	{ "latency", required_argument, NULL, OPT_LATENCY },
	{ "device", required_argument, NULL, OPTIONS_DEVICE },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

#define LETTERS	"+:aC:I:d:n:l:h"

static const char usage[] =
	"Usage: topdown top [options]\n"
	"\n"
	"Show live, on the whole screen, where the pipeline slots of each CPU go, or of each\n"
	"process or cgroup. CPUs are read from shared memory: the module is asked for its period\n"
	"only, and no CPU is interrupted. Owners cost one reading at each refresh.\n"
	"\n"
	"  -a, --all-cpus       all CPUs, which is the default without -C\n"
	"  -C, --cpu LIST       only these CPUs, such as 0-3,8\n"
	"  -I, --interval TIME  refresh at this interval (10..3600000 ms), default 1000\n"
	"  -d, --delay TIME     the same\n"
	"  -n, --count N        end after N refreshes\n"
	"  -l, --level N        begin with level 1 (the default) or 2\n"
	"      --by KIND        begin with owners in place of CPUs: process, or cgroup for the\n"
	"                       tree of cgroups; the module then counts at each switch to\n"
	"                       another\n"
	"      --depth N        cgroups below level N count at their ancestor (1..31)\n"
	"      --self           begin with a list of cgroups without those below them\n"
	"      --sort KEY       begin sorted by slots, time, ipc, or a node such as\n"
	"                       tma_memory_bound\n"
	"      --latency LIST   begin with how long instructions take to retire: events of\n"
	"                       'topdown latency --list', with commas, or all; this interrupts\n"
	"                       CPUs for its samples\n"
	"      --device PATH    device node; default " TOPDOWN_DEVICE "\n"
	"  -h, --help           print this help\n"
	"\n"
	"The key h explains the other keys; q quits.\n"
	"\n"
	"Examples:\n"
	"  topdown top\n"
	"  topdown top -C 0-15 -I 500ms\n"
	"  topdown top --by cgroup --sort tma_backend_bound\n"
	"  topdown top --latency MEM_LOAD_RETIRED.L3_HIT,MEM_LOAD_RETIRED.L2_HIT\n";

static bool parse_option(struct top_options *options, int option)
{
	switch (option) {
	case 'a':
		options->all_cpus = true;
		return true;
	case 'C':
		options->has_cpus = true;
		return cpulist_join(&options->cpus, "-C", optarg);
	case 'I':
	case 'd':
		return parse_time(option == 'd' ? "-d" : "-I", optarg, DELAY_MIN_MS, DELAY_MAX_MS,
				  &options->delay_ms);
	case 'n':
		return parse_number("-n", optarg, 1, REFRESHES_MAX, "refreshes",
				    &options->count);
	case 'l':
		return parse_number("-l", optarg, 1, TOP_LEVEL_MAX, "levels",
				    &options->level);
	case OPT_BY:
		return owner_by_parse(optarg, &options->by);
	case OPT_DEPTH:
		return parse_number("--depth", optarg, 1, OWNER_DEPTH_MAX, "levels",
				    &options->depth);
	case OPT_SELF:
		options->self = true;
		return true;
	case OPT_SORT:
		return owner_sort_parse(optarg, &options->sort);
	case OPT_LATENCY:
		return events_parse("--latency", optarg, &options->latency);
	case OPTIONS_DEVICE:
		return options_device(&options->device, optarg);
	}
	return false;
}

static bool refuse(const char *why)
{
	message_error("%s", why);
	return false;
}

static bool check_together(const struct top_options *options)
{
	if (options->by != OWNER_BY_NONE && (options->all_cpus || options->has_cpus))
		return refuse("--by shows all processes or cgroups of the machine (allowed: without -a and -C)");
	if (options->latency && (options->by != OWNER_BY_NONE || options->sort.given))
		return refuse("--latency shows events in their order (allowed: without --by and --sort)");
	if (options->by == OWNER_BY_PROCESS && (options->depth || options->self))
		return refuse("--depth and --self are about cgroups (allowed: with --by cgroup)");
	if (options->self && options->by == OWNER_BY_NONE)
		return refuse("--self is about cgroups (add --by cgroup)");
	return options_cpus(options->all_cpus, options->has_cpus);
}

/**
 * top_parse - read the command line
 * @options: the options
 * @argc: number of @argv
 * @argv: "top" and its arguments
 * @done: help was printed, so nothing is left to do
 *
 * Return: 0, or an exit code after a message.
 */
int top_parse(struct top_options *options, int argc, char **argv, bool *done)
{
	int option;

	memset(options, 0, sizeof(*options));
	options->device = TOPDOWN_DEVICE;
	options->delay_ms = DELAY_DEFAULT_MS;
	*done = false;

	options_first(argc, argv, LETTERS, long_options);
	for (;;) {
		option = options_next(argc, argv, LETTERS, long_options);
		if (option == -1)
			break;
		if (option == 'h') {
			*done = true;
			return options_help(usage);
		}
		if (option == OPTIONS_ERROR || !parse_option(options, option))
			return EXIT_USAGE;
	}
	return options_no_more(argc, argv) && check_together(options) ? 0 : EXIT_USAGE;
}
