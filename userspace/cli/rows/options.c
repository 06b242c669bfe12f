// SPDX-License-Identifier: GPL-2.0
/*
 * The command lines of all subcommands have this in common.
 */
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <topdown.h>

#include "message.h"
#include "parse.h"

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

/* What people type who know perf, and what does the same here. */
static const struct {
	const char *word;
	const char *hint;
} report_hints[] = {
	{ "--by", "a recording has what 'topdown record --by' said: --owners prints it" },
	{ "--depth", "'topdown record --depth' decides it" },
	{ "-s", "--sort KEY sorts owners" },
	{ "-n", "--top N prints the first N owners" },
	{ "--percent-limit", "--top N prints the first N owners" },
	{ "--no-children", "--self prints cgroups without those below them" },
	{ "--stdio", "leave it out: tables are text" },
}, hints[] = {
	{ "-e", "events are perf's: 'topdown perf' prints lines with those of this module" },
	{ "-G", "'topdown stat -G NAME' counts cgroups" },
	{ "--cgroup", "'topdown stat -G NAME' counts cgroups" },
	{ "--for-each-cgroup", "'topdown stat -G NAME' counts cgroups" },
	{ "--topdown", "leave it out: this command counts nothing else" },
	{ "-M", "leave it out: all nodes are counted" },
	{ "-F", "windows are not samples: 'topdown perf' prints lines that sample" },
	{ "-g", "windows have no stacks: 'topdown perf' prints lines that sample" },
	{ "-u", "kernel mode is counted with user mode" },
	{ "--user", "kernel mode is counted with user mode" },
};

static const char *hint_of(const char *command, const char *word)
{
	size_t i;

	for (i = 0; i < sizeof(report_hints) / sizeof(report_hints[0]); i++) {
		if (!strcmp(command, "report") && !strncmp(report_hints[i].word, word,
							   strcspn(word, "=")) &&
		    strlen(report_hints[i].word) == strcspn(word, "="))
			return report_hints[i].hint;
	}
	for (i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
		if (!strcmp(hints[i].word, word))
			return hints[i].hint;
	}
	return NULL;
}

/* getopt's own messages do not say what to do next. */
static int unknown_option(const char *command, const char *at, const struct option *names)
{
	char letter[] = { '-', optopt, '\0' };
	bool is_letter = optopt && optopt < OPTIONS_ERROR && strncmp(at, "--", 2);

	if (!strncmp(at, "--", 2) && strchr(at, '=') && find(names, at + 2, strcspn(at + 2, "="))) {
		message_error("'%.*s' takes no argument (try '%s')", (int)strcspn(at, "="), at,
			      help_of(command));
		return OPTIONS_ERROR;
	}
	if (hint_of(command, is_letter ? letter : at))
		message_error("unknown option '%s': %s", is_letter ? letter : at,
			      hint_of(command, is_letter ? letter : at));
	else
		message_error("unknown option '%s' (try '%s')", is_letter ? letter : at,
			      help_of(command));
	return OPTIONS_ERROR;
}

/* An abbreviation that is unique today may be ambiguous tomorrow. */
static bool is_short_for(const char *at, const char *name)
{
	return strcspn(at, "=") != strlen(name);
}

/* Does this word take the next one as its argument? */
static bool takes_next(const char *word, const char *letters, const struct option *names)
{
	const struct option *found;
	const char *letter;

	if (word[1] == '-') {
		found = find(names, word + 2, strlen(word + 2));
		return found && found->has_arg == required_argument;
	}
	for (word++; *word; word++) {
		letter = strchr(letters + 2, *word);
		if (letter && letter[1] == ':')
			return !word[1];
	}
	return false;
}

/**
 * options_first - move options before the other arguments, where no command follows them
 * @argc: number of @argv
 * @argv: name of the subcommand and its arguments
 * @letters: short options, as for options_next()
 * @names: long options
 */
void options_first(int argc, char **argv, const char *letters, const struct option *names)
{
	int i, words, to = 1;

	for (i = 1; i < argc; i += words) {
		char *word = argv[i], *last;

		words = 1;
		if (*word != '-' || !word[1])
			continue;
		if (!strcmp(word, "--"))
			return;
		if (i + 1 < argc && takes_next(word, letters, names))
			words = 2;
		last = argv[i + words - 1];
		memmove(argv + to + words, argv + to, (i - to) * sizeof(*argv));
		argv[to] = word;
		argv[to + words - 1] = last;
		to += words;
	}
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
		message_error("unknown option '%s': options are not abbreviated (there is '--%s')",
			      argv[at], names[index].name);
		return OPTIONS_ERROR;
	}
	if (option == ':') {
		message_error("'%s' needs an argument (try '%s')", at < argc ? argv[at] : "",
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
		message_error("--device: the path is empty (allowed: a device node such as %s)",
			      TOPDOWN_DEVICE);
		return false;
	}
	*device = text;
	return true;
}

/**
 * options_path - read the name of a file to write to
 * @option: its option, for messages
 * @text: argument
 * @path: the name; untouched on error
 *
 * Return: false after a message.
 */
bool options_path(const char *option, const char *text, const char **path)
{
	if (!*text) {
		message_error("%s: the file name is empty (allowed: a path to write to)", option);
		return false;
	}
	*path = text;
	return true;
}

static bool set_format(struct output *output, enum output_format format)
{
	if (output->format != OUTPUT_TABLE && output->format != format) {
		message_error("-j and -x exclude each other (allowed: one of them)");
		return false;
	}
	output->format = format;
	return true;
}

/**
 * options_common - read an option that all subcommands with rows for programs have
 * @option: --device, -j, -x or --no-header, as options_next() returned it
 * @device: the argument of --device
 * @output: the form of the output
 *
 * Return: false after a message.
 */
bool options_common(int option, const char **device, struct output *output)
{
	switch (option) {
	case OPTIONS_DEVICE:
		return options_device(device, optarg);
	case 'j':
		return set_format(output, OUTPUT_JSON);
	case 'x':
		return set_format(output, OUTPUT_CSV) &&
		       parse_separator("-x", optarg, &output->separator);
	case OPTIONS_NO_HEADER:
		output->header = false;
		return true;
	}
	return false;
}

/**
 * options_no_more - refuse arguments that are no options
 * @argc: number of @argv
 * @argv: name of the subcommand and its arguments
 *
 * Return: false after a message.
 */
bool options_no_more(int argc, char **argv)
{
	if (optind >= argc)
		return true;
	message_error("%s: unexpected argument '%s' (try '%s')", argv[0], argv[optind],
		      help_of(argv[0]));
	return false;
}

/**
 * options_cpus - refuse all CPUs and some CPUs at the same time
 * @all: -a
 * @some: -C
 *
 * Return: false after a message.
 */
bool options_cpus(bool all, bool some)
{
	if (!all || !some)
		return true;
	message_error("-a and -C exclude each other (allowed: one of them)");
	return false;
}

/**
 * options_command - take the arguments after the options as a command
 * @argc: number of @argv
 * @argv: name of the subcommand and its arguments
 * @last: where options_next() looked when it found no more options
 * @command: to be set if there is one
 *
 * Return: false after a message.
 */
bool options_command(int argc, char **argv, int last, char ***command)
{
	if (optind < argc) {
		*command = argv + optind;
		return true;
	}
	if (optind == last)
		return true;
	/* getopt went past "--". A variable was perhaps empty. */
	message_error("'--' without a command (allowed: -- COMMAND [ARG...])");
	return false;
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
		return message_write("standard output", errno);
	return EXIT_OK;
}
