// SPDX-License-Identifier: GPL-2.0
/*
 * topdown: the command.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "columns.h"
#include "command.h"
#include "history.h"
#include "info.h"
#include "latency.h"
#include "latency-columns.h"
#include "message.h"
#include "node.h"
#include "options.h"
#include "owner-rows.h"
#include "perf.h"
#include "record.h"
#include "report.h"
#include "stat.h"
#include "streams.h"
#include "top.h"
#include "verify.h"
#include "watch.h"
#include "where.h"
#include "word.h"
#include "words.h"

static int print_version(const char *command, const struct option_row *row)
{
	(void)command;
	(void)row;
	return info_version();
}

static const struct option_row option_rows[] = {
	{ 'h', "help", NULL, "print this help; after a command, the help of the command",
	  .print = options_usage },
	{ 'V', "version", NULL, "print the versions of command, library and module",
	  .print = print_version },
};

static const struct option_table table = {
	.usage =
		"Usage: topdown [-h | -V] COMMAND [options]\n"
		"\n"
		"Show where the pipeline slots of CPUs and tasks go (Top-Down, TMA). The topdown\n"
		"kernel module counts them.\n"
		"\n"
		"Commands:\n"
		"  stat                 measure CPUs, a command, processes or threads\n"
		"  top                  show all CPUs live, on the whole screen\n"
		"  history              show the last closed windows of each CPU\n"
		"  watch                say when a node crosses a threshold\n"
		"  where                show in which functions slots are lost, and why\n"
		"  latency              show how long instructions take to retire\n"
		"  record               write the windows of CPUs, or what tasks use, to a file\n"
		"  report               say what such a file has, in all and over time\n"
		"  export               print the slots of all CPUs for Prometheus, or serve them\n"
		"  perf                 print command lines of perf for the same figures\n"
		"  info                 say how this machine is measured\n"
		"  verify               check that the module counts right on this machine\n"
		"  help [COMMAND]       print this help, or the help of a command\n"
		"  help NODE            say what a node means, as tma_memory_bound; or 'nodes', or\n"
		"                       a word of a state, such as contended\n"
		"  help WORD            say what a word or a column of tables is: slots, ipc, change\n"
		"Options:\n",
	OPTION_ROWS(option_rows),
	.examples =
		"Examples:\n"
		"  topdown stat -a -I 1000      the whole machine, every second\n"
		"  topdown stat -a -A -I 1000   each CPU by itself as well\n"
		"  topdown stat -C 0-3 -j --timeout 5000\n"
		"  topdown stat -- make -j8     a command while it runs\n"
		"  topdown top                  the whole machine, live\n"
		"  topdown history --since 5s   the windows of the last 5 s\n"
		"  topdown watch 'tma_memory_bound>60'\n"
		"  topdown where -- ./program   its functions that lose slots\n"
		"  topdown record --timeout 1m && topdown report\n"
		"  topdown info\n",
	.rest = OPTIONS_SUBCOMMAND,
};

/*
 * The exporter is a program of its own, as it needs a library for HTTP. One that is beside this
 * program comes first, so that what was built together works together.
 */
static int execute_exporter(int argc, char **argv)
{
	char name[] = "topdown-export", path[PATH_MAX + sizeof(name)] = "";
	int error;

	(void)argc;
	argv[0] = name;
	if (readlink("/proc/self/exe", path, PATH_MAX) > 0) {
		memcpy(strrchr(path, '/') + 1, name, sizeof(name));
		execv(path, argv);
	}
	if (!*path || errno == ENOENT)
		execvp(name, argv);
	error = errno;
	message_error("export: cannot execute %s: %s (install the package %s; it is not part of a static topdown)",
		      name, strerror(error), name);
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_CANNOT_EXECUTE;
}

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "stat", stat_main },
	{ "top", top_main },
	{ "history", history_main },
	{ "watch", watch_main },
	{ "where", where_main },
	{ "latency", latency_main },
	{ "record", record_main },
	{ "report", report_main },
	{ "export", execute_exporter },
	{ "perf", perf_main },
	{ "info", info_main },
	{ "verify", verify_main },
};

/* A command or a node, whose name is the most like the word. */
static int unknown_command(const char *word)
{
	const char *like = NULL, *node;
	unsigned int best = WORD_FAR, i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (word_nearer(word, commands[i].name, &best))
			like = commands[i].name;
	}
	if (word_nearer(word, "help", &best))
		like = "help";
	node = node_like(word, &best);
	if (node)
		message_error("there is no command '%s'; for the node: topdown help %s", word,
			      node);
	else if (like)
		message_error("there is no command '%s'; did you mean %s?", word, like);
	else
		message_error("there is no command '%s' (allowed: stat, top, history, watch, where, latency, record, report, export, perf, info, verify, help; try 'topdown --help')",
			      word);
	return EXIT_USAGE;
}

static int find_and_run(int argc, char **argv)
{
	unsigned int i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(argv[0], commands[i].name))
			continue;
		/* 0 makes GNU getopt forget the main options. */
		optind = 0;
		return commands[i].run(argc, argv);
	}
	return unknown_command(argv[0]);
}

static bool is_command(const char *word)
{
	unsigned int i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (!strcmp(commands[i].name, word))
			return true;
	}
	return false;
}

static const char *meaning_in_rows(const char *word)
{
	return column_meaning(NULL, word);
}

static const char *meaning_in_latency(const char *word)
{
	return column_meaning(&latency_columns, word);
}

static const char *meaning_in_watch(const char *word)
{
	return column_meaning(&watch_columns, word);
}

static const char *meaning_in_owners(const char *word)
{
	return column_meaning(&owner_columns, word);
}

static const struct words_table tables[] = {
	{ "rows of slots", false, meaning_in_rows },
	{ "rows of slots", false, meaning_in_owners },
	{ "topdown latency", false, meaning_in_latency },
	{ "topdown watch", false, meaning_in_watch },
	{ "topdown report", true, report_meaning },
	{ "topdown report --diff", true, report_diff_meaning },
};

#define NR_TABLES	(sizeof(tables) / sizeof(tables[0]))

static int print_help(int argc, char **argv)
{
	char option[8] = "--help";
	char *about[3];
	int ret;

	if (argc > 2)
		return message_fail(EXIT_USAGE,
				    "help: unexpected argument '%s' (allowed: one command)",
				    argv[2]);
	if (argc < 2 || !strcmp(argv[1], "help"))
		return options_print(&table);
	if (words_help(argv[1], &ret))
		return ret;
	/* A column may have the name of a command. */
	if (!is_command(argv[1]) && words_column(tables, NR_TABLES, argv[1], &ret))
		return ret;
	about[0] = argv[1];
	about[1] = option;
	about[2] = NULL;
	return find_and_run(2, about);
}

static int run_command(int argc, char **argv)
{
	return strcmp(argv[0], "help") ? find_and_run(argc, argv) : print_help(argc, argv);
}

int main(int argc, char **argv)
{
	char name[] = "topdown";
	bool done;
	int ret;

	if (!streams_keep())
		return EXIT_RUNTIME;
	/* Messages name the command, however it was started. */
	if (argc)
		argv[0] = name;
	ret = options_parse(&table, argc, argv, NULL, &done);
	if (ret || done)
		return ret;
	if (optind >= argc) {
		message_error("no command (allowed: those below)");
		fputc('\n', stderr);
		options_write(&table, stderr);
		return EXIT_USAGE;
	}
	return run_command(argc - optind, argv + optind);
}
