// SPDX-License-Identifier: GPL-2.0
/*
 * What the command lines of all subcommands have in common.
 */
#include "options.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "report.h"

static const char *help_of(const char *command)
{
	static char text[64];

	if (!strcmp(command, "topdown"))
		return "topdown --help";
	snprintf(text, sizeof(text), "topdown %s --help", command);
	return text;
}

/* getopt's own messages do not say what to do next. */
static int unknown_option(const char *command, const char *at)
{
	char letter[] = { '-', optopt, '\0' };
	bool is_letter = optopt && optopt < OPTIONS_ERROR && strncmp(at, "--", 2);

	report_error("unknown option '%s' (try '%s')", is_letter ? letter : at,
		     help_of(command));
	return OPTIONS_ERROR;
}

/**
 * options_next - getopt_long() with messages of our own
 * @argc: number of @argv
 * @argv: name of the subcommand and its arguments
 * @letters: short options, starting with "+:"
 * @names: long options
 *
 * Return: as getopt_long(), or OPTIONS_ERROR after a message.
 */
int options_next(int argc, char **argv, const char *letters, const struct option *names)
{
	int at = optind ? optind : 1;
	int option;

	opterr = 0;
	option = getopt_long(argc, argv, letters, names, NULL);
	if (option == '?')
		return unknown_option(argv[0], at < argc ? argv[at] : "");
	if (option == ':') {
		report_error("'%s' needs an argument (try '%s')", at < argc ? argv[at] : "",
			     help_of(argv[0]));
		return OPTIONS_ERROR;
	}
	return option;
}

/**
 * options_help - print to standard output
 * @text: text
 *
 * Return: exit code.
 */
int options_help(const char *text)
{
	if (fputs(text, stdout) < 0 || fflush(stdout))
		return report_write("standard output", errno);
	return EXIT_OK;
}
