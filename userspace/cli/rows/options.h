/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The command lines of all subcommands have this in common.
 */
#ifndef TOPDOWN_CLI_OPTIONS_H
#define TOPDOWN_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <topdown.h>

#include "output-kind.h"

struct columns;

/**
 * struct option_row - an option, and all that is said of it
 * @letter: short name; 0 without
 * @name: long name; a row without one is a line of the help
 * @argument: name of its argument, or [=NAME] of one that may be left out; NULL without
 * @help: what it does; the lines after the first begin below it. NULL leaves it out
 * @read: reads the argument, and returns false after a message
 * @field: offset of what @read writes to
 * @min: least number or time that is allowed, or the value of option_value()
 * @max: largest number or time that is allowed
 * @unit: unit of a number, for messages, or what a word that is not allowed is not
 * @words: words that are allowed, or what an empty path is
 * @choice: more words that are allowed, for the completion of shells; NULL after the last one
 * @given: offset of a bool that says that there was this option; 0 without
 * @print: prints something in place of the command's work
 * @own: of options_schema(): columns that the rows have for themselves
 * @same: long name of the option that has this as another name
 */
struct option_row {
	char letter;
	const char *name;
	const char *argument;
	const char *help;
	bool (*read)(const struct option_row *row, const char *text, void *field);
	size_t field;
	uint64_t min;
	uint64_t max;
	const char *unit;
	const char *words;
	const char *(*choice)(unsigned int i);
	size_t given;
	int (*print)(const char *command, const struct option_row *row);
	const struct columns *own;
	const char *same;
};

/**
 * enum options_rest - the arguments after the options
 * @OPTIONS_ALONE: there are none
 * @OPTIONS_WORDS: the caller reads them from optind on; options may stand among them
 * @OPTIONS_COMMAND: a command with options of its own
 * @OPTIONS_SUBCOMMAND: the same, which the caller reads from optind on
 */
enum options_rest {
	OPTIONS_ALONE,
	OPTIONS_WORDS,
	OPTIONS_COMMAND,
	OPTIONS_SUBCOMMAND,
};

/**
 * struct option_table - the command line of a subcommand
 * @usage: first part of the help
 * @rows: its options
 * @nr: number of @rows
 * @examples: last part of the help
 * @rest: the arguments after the options
 * @command: offset of a command's arguments
 */
struct option_table {
	const char *usage;
	const struct option_row *rows;
	unsigned int nr;
	const char *examples;
	enum options_rest rest;
	size_t command;
};

/* Two fields of a table. */
#define OPTION_ROWS(array)	.rows = array, .nr = sizeof(array) / sizeof((array)[0])

/* The options that several subcommands have in the same words. */
#define OPTION_HELP		{ 'h', "help", NULL, "print this help", .print = options_usage }
#define OPTION_CPUS(which, ...) \
	{ 'C', "cpu", "LIST", which " CPUs, such as 0-3,8", option_cpus, __VA_ARGS__ }
#define OPTION_DEVICE(at) \
	{ 0, "device", "PATH", "device node; default " TOPDOWN_DEVICE, option_path, at, \
	  .words = "path", .unit = "a device node such as " TOPDOWN_DEVICE }
#define OPTION_JSON(at) \
	{ 'j', "json", NULL, "one JSON object a line", option_json, at }
#define OPTION_CSV(at) \
	{ 'x', "csv", "SEP", "values separated by the character SEP", option_csv, at }
#define OPTION_NO_HEADER(at) \
	{ 0, "no-header", NULL, "no column headings", option_no_header, at }
#define OPTION_SCHEMA(views, columns) \
	{ 0, "schema", NULL, "print the JSON Schema of the lines of -j", .min = views, \
	  .print = options_schema, .own = columns }

bool option_flag(const struct option_row *row, const char *text, void *field);
bool option_value(const struct option_row *row, const char *text, void *field);
bool option_word(const struct option_row *row, const char *text, void *field);
bool option_text(const struct option_row *row, const char *text, void *field);
bool option_number(const struct option_row *row, const char *text, void *field);
bool option_time(const struct option_row *row, const char *text, void *field);
bool option_moment(const struct option_row *row, const char *text, void *field);
bool option_cpus(const struct option_row *row, const char *text, void *field);
bool option_ids(const struct option_row *row, const char *text, void *field);
bool option_path(const struct option_row *row, const char *text, void *field);
bool option_control(const struct option_row *row, const char *text, void *field);
bool option_json(const struct option_row *row, const char *text, void *field);
bool option_csv(const struct option_row *row, const char *text, void *field);
bool option_no_header(const struct option_row *row, const char *text, void *field);

const char *option_name(const struct option_row *row);
void options_write(const struct option_table *table, FILE *file);
int options_print(const struct option_table *table);
int options_usage(const char *command, const struct option_row *row);
int options_schema(const char *command, const struct option_row *row);
int options_parse(const struct option_table *table, int argc, char **argv, void *options,
		  bool *done);
bool options_cpus(bool all, bool some);
int options_help(const char *text);

#endif /* TOPDOWN_CLI_OPTIONS_H */
