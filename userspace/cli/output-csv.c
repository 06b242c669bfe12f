// SPDX-License-Identifier: GPL-2.0
/*
 * Separated values, with the quoting of RFC 4180.  An empty field is a figure
 * that is not there.  Columns are only ever added, at the end.
 */
#include <inttypes.h>
#include <string.h>

#include "columns.h"
#include "output.h"

static void put_text(const struct output *output, const char *text)
{
	const char *at;

	if (!strchr(text, output->separator) && !strpbrk(text, "\"\r\n")) {
		fputs(text, output->file);
		return;
	}
	putc('"', output->file);
	for (at = text; *at; at++) {
		if (*at == '"')
			putc('"', output->file);
		putc(*at, output->file);
	}
	putc('"', output->file);
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

	columns_select(&list, output_views(output), 0, 0);
	for (i = 0; i < list.nr; i++) {
		if (i)
			putc(output->separator, file);
		fputs(list.column[i]->name, file);
	}
	putc('\n', file);
}

static void put_value(const struct output *output, const struct column *column,
		      const struct column_value *value)
{
	if (value->none)
		return;
	switch (column->type) {
	case COLUMN_INTEGER:
	case COLUMN_BOOLEAN:
		fprintf(output->file, "%" PRIu64, value->integer);
		break;
	case COLUMN_NUMBER:
		fprintf(output->file, "%.*f", (int)column->digits, value->number);
		break;
	case COLUMN_STRING:
		put_text(output, value->string);
		break;
	}
}

void output_csv(const struct output *output, const struct interval *interval)
{
	struct column_value value;
	struct column_list list;
	unsigned int i, row;

	columns_select(&list, output_views(output), 0, 0);
	for (row = 0; row < interval->nr; row++) {
		for (i = 0; i < list.nr; i++) {
			if (i)
				putc(output->separator, output->file);
			column_value(list.column[i], interval, &interval->row[row], &value);
			put_value(output, list.column[i], &value);
		}
		putc('\n', output->file);
	}
}
