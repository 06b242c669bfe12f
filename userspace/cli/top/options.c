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
};

static const struct option long_options[] = {
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "interval", required_argument, NULL, 'I' },
	{ "delay", required_argument, NULL, 'd' },
	{ "count", required_argument, NULL, 'n' },
	{ "level", required_argument, NULL, 'l' },
	{ "latency", required_argument, NULL, OPT_LATENCY },
	{ "device", required_argument, NULL, OPTIONS_DEVICE },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

#define LETTERS	"+:aC:I:d:n:l:h"

static const char usage[] =
	"Usage: topdown top [options]\n"
	"\n"
	"Show live, on the whole screen, where the pipeline slots of each CPU go. This reads\n"
	"shared memory, asks the module for its period only, and interrupts no CPU.\n"
	"\n"
	"  -a, --all-cpus       all CPUs, which is the default without -C\n"
	"  -C, --cpu LIST       only these CPUs, such as 0-3,8\n"
	"  -I, --interval TIME  refresh at this interval (10..3600000 ms), default 1000\n"
	"  -d, --delay TIME     the same\n"
	"  -n, --count N        end after N refreshes\n"
	"  -l, --level N        begin with level 1 (the default) or 2\n"
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
	case OPT_LATENCY:
		return events_parse("--latency", optarg, &options->latency);
	case OPTIONS_DEVICE:
		return options_device(&options->device, optarg);
	}
	return false;
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
	return options_no_more(argc, argv) &&
	       options_cpus(options->all_cpus, options->has_cpus) ? 0 : EXIT_USAGE;
}
