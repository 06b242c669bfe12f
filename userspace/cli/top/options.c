// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of topdown top.
 */
#include <string.h>
#include <topdown.h>

#include "events.h"
#include "message.h"
#include "options.h"
#include "top.h"

#define TOP_LEVEL_MAX	2

#define AT(at)	.field = offsetof(struct top_options, at)
#define GIVEN(at)	.given = offsetof(struct top_options, at)

static const struct option_row option_rows[] = {
	{ 'a', "all-cpus", NULL,
	  "all CPUs, which is the default without -C", option_flag, AT(all_cpus) },
	OPTION_CPUS("only these", AT(cpus), GIVEN(has_cpus)),
	{ 'I', "interval", "TIME", "refresh at this interval (10..3600000 ms), default 1000",
	  option_time, AT(delay_ms), DELAY_MIN_MS, DELAY_MAX_MS },
	{ 'd', "delay", "TIME", "the same", option_time, AT(delay_ms), DELAY_MIN_MS, DELAY_MAX_MS },
	{ 'n', "count", "N",
	  "end after N refreshes", option_number, AT(count), 1, REFRESHES_MAX, "refreshes" },
	{ 'l', "level", "N", "begin with level 1 (the default) or 2",
	  option_number, AT(level), 1, TOP_LEVEL_MAX, "levels", .words = "1, 2" },
	{ 0, "by", "KIND", "begin with owners in place of CPUs: process, or cgroup for the\n"
	  "tree of cgroups; the module then counts at each switch to\n"
	  "another",
	  option_word, AT(by), OWNER_BY_PROCESS, .unit = "no kind of owner",
	  .words = "process, cgroup" },
	{ 0, "depth", "N", "cgroups below level N count at their ancestor (1..31)",
	  option_number, AT(depth), 1, OWNER_DEPTH_MAX, "levels" },
	{ 0, "self", NULL,
	  "begin with a list of cgroups without those below them", option_flag, AT(self) },
	OPTION_SORT(AT(sort), "begin sorted by", ""),
	{ 0, "latency", "LIST", "begin with how long instructions take to retire: events of\n"
	  "'topdown latency --list', with commas, or all; this interrupts\n"
	  "CPUs for its samples", events_read, AT(latency) },
	OPTION_DEVICE(AT(device)),
	OPTION_HELP,
};

static const struct option_table table = {
	.usage =
		"Usage: topdown top [options]\n"
		"\n"
		"Show live, on the whole screen, where the pipeline slots of each CPU go, or of each\n"
		"process or cgroup. CPUs are read from shared memory: the module is asked for its period\n"
		"only, and no CPU is interrupted. Owners cost one reading at each refresh.\n"
		"\n",
	OPTION_ROWS(option_rows),
	.examples =
		"The key h explains the other keys; q quits.\n"
		"\n"
		"Examples:\n"
		"  topdown top\n"
		"  topdown top -C 0-15 -I 500ms\n"
		"  topdown top --by cgroup --sort tma_backend_bound\n"
		"  topdown top --latency MEM_LOAD_RETIRED.L3_HIT,MEM_LOAD_RETIRED.L2_HIT\n",
	.rest = OPTIONS_ALONE,
};

static bool check_together(const struct top_options *options)
{
	if (options->by != OWNER_BY_NONE && (options->all_cpus || options->has_cpus))
		return message_refuse("--by shows all processes or cgroups of the machine (allowed: without -a and -C)");
	if (options->latency && (options->by != OWNER_BY_NONE || options->sort.given))
		return message_refuse("--latency shows events in their order (allowed: without --by and --sort)");
	if (options->by == OWNER_BY_PROCESS && (options->depth || options->self))
		return message_refuse("--depth and --self are about cgroups (allowed: with --by cgroup)");
	if (options->self && options->by == OWNER_BY_NONE)
		return message_refuse("--self is about cgroups (add --by cgroup)");
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
	int ret;

	memset(options, 0, sizeof(*options));
	options->device = TOPDOWN_DEVICE;
	options->delay_ms = DELAY_DEFAULT_MS;
	ret = options_parse(&table, argc, argv, options, done);
	if (ret || *done)
		return ret;
	return check_together(options) ? 0 : EXIT_USAGE;
}
