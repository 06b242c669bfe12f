/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The form of the output, and the kind of its rows.
 */
#ifndef TOPDOWN_CLI_OUTPUT_KIND_H
#define TOPDOWN_CLI_OUTPUT_KIND_H

#include <stdbool.h>
#include <stdio.h>

#include "rows.h"

struct columns;

enum output_format {
	OUTPUT_TABLE,
	OUTPUT_CSV,
	OUTPUT_JSON,
};

/**
 * struct output - an open output
 * @file: the stream
 * @name: its name, for messages
 * @format: form
 * @separator: separator of CSV fields
 * @header: print lines of headings
 * @tree: one node a line, as there is only one row an interval
 * @views: COLUMNS_* of rows for programs
 * @own: columns after these; NULL for none
 * @errors: print to standard error if there is no file, since standard output belongs to
 *	the measured command
 * @bars: draw bars, since the output is a terminal
 * @colour: use colours, since the output is a terminal and NO_COLOR allows it
 * @advised: nodes that were explained, bit n for node n
 * @started: something was printed already
 * @stale: the file still has its earlier contents
 */
struct output {
	FILE *file;
	const char *name;
	enum output_format format;
	char separator;
	bool header;
	bool tree;
	unsigned int views;
	const struct columns *own;
	bool errors;
	bool bars;
	bool colour;
	uint32_t advised;
	bool started;
	bool stale;
};

void output_table(const struct output *output, const struct interval *interval);
void output_legend(FILE *file);
void output_notes(const struct output *output, const struct interval *interval);
void output_csv_header(const struct output *output, FILE *file);
void output_csv(const struct output *output, const struct interval *interval);
int output_json(const struct output *output, const struct interval *interval);
int output_json_schema(const char *command, unsigned int views, const struct columns *own);

#endif /* TOPDOWN_CLI_OUTPUT_KIND_H */
