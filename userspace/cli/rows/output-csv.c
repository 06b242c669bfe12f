// SPDX-License-Identifier: GPL-2.0
/*
 * Separated values, with the quoting of RFC 4180. An empty field is a missing value. New
 * columns are added at the end only.
 */
#include <string.h>

#include "columns.h"
#include "output-kind.h"
#include "text.h"

/* Characters are collected here and written together. */
struct line {
	FILE *file;
	size_t used;
	char text[4096];
};

static void line_write(struct line *line)
{
	fwrite(line->text, 1, line->used, line->file);
	line->used = 0;
}

static void line_put(struct line *line, char character)
{
	if (line->used == sizeof(line->text))
		line_write(line);
	line->text[line->used++] = character;
}

/* Give the place for a number. */
static char *line_number(struct line *line)
{
	if (sizeof(line->text) - line->used < NUMBER_SIZE)
		line_write(line);
	return line->text + line->used;
}

static void put_text(const struct output *output, struct line *line, const char *text)
{
	bool quoted = strchr(text, output->separator) || strpbrk(text, "\"\r\n");

	if (quoted)
		line_put(line, '"');
	for (; *text; text++) {
		if (*text == '"')
			line_put(line, '"');
		line_put(line, *text);
	}
	if (quoted)
		line_put(line, '"');
}

/**
 * output_csv_header - print the line of headings
 * @output: output
 * @file: where to
 */
void output_csv_header(const struct output *output, FILE *file)
{
	struct column_list list;
	unsigned int i;

	columns_select(&list, output->views, 0, 0);
	columns_add(&list, output->own, output->views);
	for (i = 0; i < list.nr; i++) {
		if (i)
			putc(output->separator, file);
		fputs(list.column[i]->name, file);
	}
	putc('\n', file);
}

static void put_value(const struct output *output, struct line *line,
		      const struct column *column, const struct column_value *value)
{
	if (value->none)
		return;
	switch (column->type) {
	case COLUMN_INTEGER:
	case COLUMN_BOOLEAN:
		line->used += integer_text(line_number(line), value->integer);
		break;
	case COLUMN_NUMBER:
		line->used += number_text(line_number(line), value->number, column->digits);
		break;
	case COLUMN_STRING:
		put_text(output, line, value->string);
		break;
	}
}

/* All rows of one output have the same columns. */
static const struct column_list *columns_of(const struct output *output)
{
	static struct column_list list;
	static const struct columns *own;
	static unsigned int views;

	if (views != output->views || own != output->own) {
		views = output->views;
		own = output->own;
		columns_select(&list, views, 0, 0);
		columns_add(&list, own, views);
	}
	return &list;
}

void output_csv(const struct output *output, const struct interval *interval)
{
	const struct column_list *list = columns_of(output);
	struct column_value value;
	struct line line;
	unsigned int i, row;

	line.file = output->file;
	line.used = 0;
	for (row = 0; row < interval->nr; row++) {
		for (i = 0; i < list->nr; i++) {
			if (i)
				line_put(&line, output->separator);
			column_value(list->column[i], interval, &interval->row[row], &value);
			put_value(output, &line, list->column[i], &value);
		}
		line_put(&line, '\n');
	}
	line_write(&line);
}
