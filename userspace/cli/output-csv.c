// SPDX-License-Identifier: GPL-2.0
/*
 * Separated values, with the quoting of RFC 4180.  An empty field is a figure
 * that is not there.  Columns are only ever added, at the end.
 */
#include <inttypes.h>
#include <string.h>

#include "fields.h"
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
	unsigned int i, rows = output_rows(output);
	const char *before = "";
	char separator[] = { output->separator, '\0' };

	for (i = 0; i < fields_nr; i++) {
		if (!(fields[i].rows & rows))
			continue;
		fprintf(file, "%s%s", before, fields[i].name);
		before = separator;
	}
	putc('\n', file);
}

static void put_value(const struct output *output, const struct field *field,
		      const struct field_value *value)
{
	if (value->none)
		return;
	switch (field->type) {
	case FIELD_INTEGER:
	case FIELD_BOOLEAN:
		fprintf(output->file, "%" PRIu64, value->integer);
		break;
	case FIELD_NUMBER:
		fprintf(output->file, "%.*f", (int)field->digits, value->number);
		break;
	case FIELD_STRING:
		put_text(output, value->string);
		break;
	}
}

static void put_row(const struct output *output, const struct interval *interval,
		    const struct row *row)
{
	unsigned int i, rows = output_rows(output);
	bool first = true;

	for (i = 0; i < fields_nr; i++) {
		const struct field *field = &fields[i];
		struct field_value value;

		if (!(field->rows & rows))
			continue;
		if (!first)
			putc(output->separator, output->file);
		first = false;
		value = field->get(field, interval, row);
		put_value(output, field, &value);
	}
	putc('\n', output->file);
}

void output_csv(const struct output *output, const struct interval *interval)
{
	unsigned int i;

	for (i = 0; i < interval->nr; i++)
		put_row(output, interval, &interval->row[i]);
}
