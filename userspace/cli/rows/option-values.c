// SPDX-License-Identifier: GPL-2.0
/*
 * Kinds of values that options have: each function reads the argument of an option, which is
 * NULL if it takes none, into its field, and returns false after a message.
 */
#include "options.h"

#include <stdio.h>
#include <string.h>

#include "control.h"
#include "cpulist.h"
#include "idlist.h"
#include "message.h"
#include "moment.h"
#include "output-kind.h"
#include "parse.h"
#include "word.h"

/**
 * option_name - the name of an option in messages
 * @row: it
 *
 * Return: its letter, or its long name; valid until the next call.
 */
const char *option_name(const struct option_row *row)
{
	static char name[32];

	if (row->letter)
		snprintf(name, sizeof(name), "-%c", row->letter);
	else
		snprintf(name, sizeof(name), "--%s", row->name);
	return name;
}

/* A bool, which becomes true. */
bool option_flag(const struct option_row *row, const char *text, void *field)
{
	(void)row;
	(void)text;
	*(bool *)field = true;
	return true;
}

/* An enum, which becomes row->min. */
bool option_value(const struct option_row *row, const char *text, void *field)
{
	(void)text;
	*(unsigned int *)field = row->min;
	return true;
}

/* An enum, which is row->min for the first of row->words, and so on. */
bool option_word(const struct option_row *row, const char *text, void *field)
{
	int place = word_place(row->words, text);

	if (place >= 0) {
		*(unsigned int *)field = row->min + place;
		return true;
	}
	return message_refuse("%s: '%s' is %s (allowed: %s)", option_name(row), text, row->unit,
			      row->words);
}

/* A pointer, to any text. */
bool option_text(const struct option_row *row, const char *text, void *field)
{
	(void)row;
	*(const char **)field = text;
	return true;
}

/* A uint64_t. */
bool option_number(const struct option_row *row, const char *text, void *field)
{
	return parse_number(option_name(row), text, row->min, row->max, row->unit, field);
}

/* A uint64_t, in milliseconds. */
bool option_time(const struct option_row *row, const char *text, void *field)
{
	return parse_time(option_name(row), text, row->min, row->max, field);
}

/* A struct moment. */
bool option_moment(const struct option_row *row, const char *text, void *field)
{
	return moment_parse(option_name(row), text, field);
}

/* A struct cpulist, to which CPUs are added. */
bool option_cpus(const struct option_row *row, const char *text, void *field)
{
	return cpulist_join(field, option_name(row), text);
}

/* A struct idlist, to which ids are added; row->unit says which. */
bool option_ids(const struct option_row *row, const char *text, void *field)
{
	return idlist_join(field, option_name(row), row->unit, text);
}

/* A pointer, to the name of a file; row->words and row->unit say which, and what is allowed. */
bool option_path(const struct option_row *row, const char *text, void *field)
{
	if (!*text)
		return message_refuse("%s: the %s is empty (allowed: %s)", option_name(row),
				      row->words ? row->words : "file name",
				      row->unit ? row->unit : "a path to write to");
	*(const char **)field = text;
	return true;
}

/* A pointer, to where words come from: --control. */
bool option_control(const struct option_row *row, const char *text, void *field)
{
	(void)row;
	*(const char **)field = text;
	return control_check(text);
}

static bool set_format(struct output *output, enum output_format format)
{
	if (output->format != OUTPUT_TABLE && output->format != format)
		return message_refuse("-j and -x exclude each other (allowed: one of them)");
	output->format = format;
	return true;
}

/* A struct output: -j. */
bool option_json(const struct option_row *row, const char *text, void *field)
{
	(void)row;
	(void)text;
	return set_format(field, OUTPUT_JSON);
}

/* A struct output: -x. */
bool option_csv(const struct option_row *row, const char *text, void *field)
{
	struct output *output = field;

	return set_format(output, OUTPUT_CSV) &&
	       parse_separator(option_name(row), text, &output->separator);
}

/* A struct output: --no-header. */
bool option_no_header(const struct option_row *row, const char *text, void *field)
{
	struct output *output = field;

	(void)row;
	(void)text;
	output->header = false;
	return true;
}
