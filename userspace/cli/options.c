// SPDX-License-Identifier: GPL-2.0
/*
 * What the command lines of all subcommands have in common.
 */
#include "options.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <topdown.h>

#include "report.h"

static const char *help_of(const char *command)
{
	static char text[64];

	if (!strcmp(command, "topdown"))
		return "topdown --help";
	snprintf(text, sizeof(text), "topdown %s --help", command);
	return text;
}

static const struct option *find(const struct option *names, const char *at, size_t length)
{
	for (; names->name; names++) {
		if (strlen(names->name) == length && !strncmp(names->name, at, length))
			return names;
	}
	return NULL;
}

/* getopt's own messages do not say what to do next. */
static int unknown_option(const char *command, const char *at, const struct option *names)
{
	char letter[] = { '-', optopt, '\0' };
	bool is_letter = optopt && optopt < OPTIONS_ERROR && strncmp(at, "--", 2);

	if (!strncmp(at, "--", 2) && strchr(at, '=') && find(names, at + 2, strcspn(at + 2, "="))) {
		report_error("'%.*s' takes no argument (try '%s')", (int)strcspn(at, "="), at,
			     help_of(command));
		return OPTIONS_ERROR;
	}
	report_error("unknown option '%s' (try '%s')", is_letter ? letter : at,
		     help_of(command));
	return OPTIONS_ERROR;
}

/* What is short for one option today is short for two tomorrow. */
static bool is_short_for(const char *at, const char *name)
{
	return strcspn(at, "=") != strlen(name);
}

/**
 * options_next - getopt_long() with messages of our own
 * @argc: number of @argv
 * @argv: name of the subcommand and its arguments
 * @letters: short options, starting with "+:"
 * @names: long options
 *
 * Long options must be written in full.
 *
 * Return: as getopt_long(), or OPTIONS_ERROR after a message.
 */
int options_next(int argc, char **argv, const char *letters, const struct option *names)
{
	int at = optind ? optind : 1;
	int option, index = -1;

	opterr = 0;
	option = getopt_long(argc, argv, letters, names, &index);
	if (option == '?')
		return unknown_option(argv[0], at < argc ? argv[at] : "", names);
	if (index >= 0 && is_short_for(argv[at] + 2, names[index].name)) {
		report_error("unknown option '%s': options are not abbreviated (there is '--%s')",
			     argv[at], names[index].name);
		return OPTIONS_ERROR;
	}
	if (option == ':') {
		report_error("'%s' needs an argument (try '%s')", at < argc ? argv[at] : "",
			     help_of(argv[0]));
		return OPTIONS_ERROR;
	}
	return option;
}

/**
 * options_device - read the argument of --device
 * @device: the path; untouched on error
 * @text: argument
 *
 * Return: false after a message.
 */
bool options_device(const char **device, const char *text)
{
	if (!*text) {
		report_error("--device: the path is empty (allowed: a device node such as %s)",
			     TOPDOWN_DEVICE);
		return false;
	}
	*device = text;
	return true;
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
