// SPDX-License-Identifier: GPL-2.0
/*
 * The command lines of all subcommands: getopt's arrays, the help and the values are made of
 * one table each.
 */
#include "options.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <topdown.h>

#include "message.h"
#include "output-kind.h"

/* Values of getopt_long(): letters are smaller, and the rows follow. */
enum {
	OPTIONS_ERROR = 255,
	OPTIONS_FIRST_ROW,
};

/* A table has no more rows. */
#define ROWS_MAX	64
#define HELP_COLUMN	23

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

/* Move options before the other arguments, where no command follows them. */
static void options_first(int argc, char **argv, const char *letters, const struct option *names)
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

/*
 * getopt_long() with messages of our own. Long options must be written in full. Returns
 * OPTIONS_ERROR after a message.
 */
static int options_next(int argc, char **argv, const char *letters, const struct option *names)
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

/* Refuse arguments that are no options. */
static bool no_more(int argc, char **argv)
{
	if (optind >= argc)
		return true;
	return message_refuse("%s: unexpected argument '%s' (try '%s')", argv[0], argv[optind],
			      help_of(argv[0]));
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
	return message_refuse("-a and -C exclude each other (allowed: one of them)");
}

/* Take the arguments after the options as a command; getopt saw that there are no more at @last. */
static bool take_command(int argc, char **argv, int last, char ***command)
{
	if (optind < argc) {
		*command = argv + optind;
		return true;
	}
	if (optind == last)
		return true;
	/* getopt went past "--". A variable was perhaps empty. */
	return message_refuse("'--' without a command (allowed: -- COMMAND [ARG...])");
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

/* Print a line of the help: the option, and from a column on what it does. */
static void write_row(const struct option_row *row, FILE *file)
{
	const char *text = row->help, *end;
	int at;

	if (!row->name) {
		fprintf(file, "%s\n", text);
		return;
	}
	at = row->letter ? fprintf(file, "  -%c, --%s", row->letter, row->name) :
			   fprintf(file, "      --%s", row->name);
	if (row->argument)
		at += fprintf(file, "%s%s", *row->argument == '[' ? "" : " ", row->argument);
	fprintf(file, "%*s", at < HELP_COLUMN ? HELP_COLUMN - at : 2, "");
	for (; *(end = strchrnul(text, '\n')); text = end + 1)
		fprintf(file, "%.*s\n%*s", (int)(end - text), text, HELP_COLUMN, "");
	fprintf(file, "%s\n", text);
}

/**
 * options_write - write the help of a subcommand
 * @table: its options
 * @file: where to
 */
void options_write(const struct option_table *table, FILE *file)
{
	unsigned int i;

	fputs(table->usage, file);
	for (i = 0; i < table->nr; i++) {
		if (table->rows[i].help)
			write_row(&table->rows[i], file);
	}
	fprintf(file, "\n%s", table->examples);
}

/**
 * options_print - print the help of a subcommand
 * @table: its options
 *
 * Return: exit code.
 */
int options_print(const struct option_table *table)
{
	options_write(table, stdout);
	return options_help("");
}

/**
 * options_usage - what rows print that print the help
 * @command: name of the subcommand
 * @row: the option
 *
 * options_parse() does it, which has the table.
 */
int options_usage(const char *command, const struct option_row *row)
{
	(void)command;
	(void)row;
	return EXIT_OK;
}

/* The rows as getopt_long() takes them. */
static void make_arrays(const struct option_table *table, char *letters, struct option *names)
{
	const struct option *end = names + ROWS_MAX - 1;
	const struct option_row *row;

	letters = stpcpy(letters, "+:");
	for (row = table->rows; row < table->rows + table->nr; row++) {
		if (!row->name)
			continue;
		assert(names < end);
		*names++ = (struct option){
			.name = row->name,
			.has_arg = !row->argument ? no_argument : *row->argument == '[' ?
				   optional_argument : required_argument,
			.val = OPTIONS_FIRST_ROW + (row - table->rows),
		};
		if (!row->letter)
			continue;
		*letters++ = row->letter;
		if (row->argument)
			*letters++ = ':';
	}
	*letters = '\0';
	*names = (struct option){ 0 };
}

/* The row of a value of getopt_long(). */
static const struct option_row *row_of(const struct option_table *table, int option)
{
	const struct option_row *row = table->rows;

	if (option >= OPTIONS_FIRST_ROW)
		return row + option - OPTIONS_FIRST_ROW;
	while (!row->name || row->letter != option)
		row++;
	return row;
}

/* The row with what a row does, which may have another name. */
static const struct option_row *what_of(const struct option_table *table,
					const struct option_row *row)
{
	const char *same = row->same;

	if (same) {
		for (row = table->rows; !row->name || strcmp(row->name, same);)
			row++;
	}
	return row;
}

/* The first part of what an option does, in one line. */
static void list_help(const char *help)
{
	size_t length = strcspn(help, ";(|"), i;

	while (length && help[length - 1] == ' ')
		length--;
	for (i = 0; i < length; i++)
		putchar(help[i] == '\n' ? ' ' : help[i]);
	putchar('\n');
}

/* The words that the argument of an option may be. */
static void list_words(const struct option_row *row)
{
	const char *words = row->read == option_path ? NULL : row->words, *word;
	unsigned int i;

	if (words)
		fputs(words, stdout);
	for (i = 0; row->choice && (word = row->choice(i)); i++)
		printf("%s%s", i || words ? ", " : "", word);
	putchar('|');
}

/*
 * For the completion of shells: a line for each option, with its letter, its name, its argument,
 * the words that this may be, and what it does.
 */
static int list_rows(const struct option_table *table)
{
	const struct option_row *row, *what;

	for (row = table->rows; row < table->rows + table->nr; row++) {
		if (!row->name)
			continue;
		what = what_of(table, row);
		printf("%.1s|%s|%s|", &row->letter, row->name,
		       row->argument ? row->argument : "");
		list_words(what);
		list_help(row->help ? row->help : "as perf stat has it");
	}
	return options_help("");
}

/**
 * options_parse - read the command line of a subcommand
 * @table: its options
 * @argc: number of @argv
 * @argv: name of the subcommand and its arguments
 * @options: what the offsets of the table are in
 * @done: something was printed in place of the command's work
 *
 * Return: 0, or an exit code after a message.
 */
int options_parse(const struct option_table *table, int argc, char **argv, void *options,
		  bool *done)
{
	struct option names[ROWS_MAX];
	const struct option_row *row;
	char letters[2 * ROWS_MAX + sizeof("+:")];
	int option, last;

	*done = argc == 2 && !strcmp(argv[1], "--completion");
	if (*done)
		return list_rows(table);
	make_arrays(table, letters, names);
	if (table->rest < OPTIONS_COMMAND)
		options_first(argc, argv, letters, names);
	for (;;) {
		last = optind ? optind : 1;
		option = options_next(argc, argv, letters, names);
		if (option == -1)
			break;
		if (option == OPTIONS_ERROR)
			return EXIT_USAGE;
		row = what_of(table, row_of(table, option));
		if (row->print) {
			*done = true;
			return row->print == options_usage ? options_print(table) :
							     row->print(argv[0], row);
		}
		if (!row->read(row, optarg, (char *)options + row->field))
			return EXIT_USAGE;
		if (row->given)
			*(bool *)((char *)options + row->given) = true;
	}
	if (table->rest == OPTIONS_COMMAND &&
	    !take_command(argc, argv, last, (char ***)((char *)options + table->command)))
		return EXIT_USAGE;
	return table->rest != OPTIONS_ALONE || no_more(argc, argv) ? 0 : EXIT_USAGE;
}
