// SPDX-License-Identifier: GPL-2.0
/*
 * JSON: one object a line and row, and the schema of a line. Keys are only ever added. If
 * the meaning of a key changes, "schema" changes.
 */
#include <errno.h>
#include <json-c/json.h>

#include "columns.h"
#include "options.h"
#include "output-kind.h"
#include "schema.h"
#include "text.h"

/* NULL is JSON's null for json-c, so a lack of memory needs an error of its own. */
static int add(struct json_object *object, const char *key, struct json_object *value)
{
	if (!value)
		return -ENOMEM;
	if (json_object_object_add(object, key, value)) {
		json_object_put(value);
		return -ENOMEM;
	}
	return 0;
}

/* The text sets the number of digits. */
static int add_number(struct json_object *object, const char *key, double value,
		      unsigned int digits)
{
	char text[NUMBER_SIZE];

	number_text(text, value, digits);
	return add(object, key, json_object_new_double_s(value, text));
}

static int add_value(struct json_object *object, const struct column *column,
		     const struct column_value *value)
{
	if (value->none)
		return json_object_object_add(object, column->name, NULL) ? -ENOMEM : 0;
	switch (column->type) {
	case COLUMN_INTEGER:
		return add(object, column->name, json_object_new_uint64(value->integer));
	case COLUMN_NUMBER:
		return add_number(object, column->name, value->number, column->digits);
	case COLUMN_STRING:
		return add(object, column->name, json_object_new_string(value->string));
	case COLUMN_BOOLEAN:
		return add(object, column->name, json_object_new_boolean(value->integer));
	}
	return -EINVAL;
}

static int add_columns(struct json_object *object, unsigned int views,
		       const struct columns *own, const struct interval *interval,
		       const struct row *row)
{
	struct column_value value;
	struct column_list list;
	unsigned int i;
	int ret = 0;

	columns_select(&list, views, 0, 0);
	columns_add(&list, own, views);
	for (i = 0; i < list.nr; i++) {
		column_value(list.column[i], interval, row, &value);
		ret |= add_value(object, list.column[i], &value);
	}
	return ret;
}

/* The part of a task on one kind of core. */
static int add_kind(struct json_object *object, const char *key,
		    const struct topdown_figures *figures)
{
	struct json_object *kind = json_object_new_object();
	struct row row = { .figures = *figures };
	int ret;

	/* From here on the object owns the array, even if a later step fails. */
	ret = add(object, key, kind);
	return ret ? ret : add_columns(kind, COLUMNS_KINDS, NULL, NULL, &row);
}

static struct json_object *make_object(const struct output *output,
				       const struct interval *interval,
				       const struct row *row)
{
	struct json_object *object = json_object_new_object();
	int ret = 0;

	if (!object)
		return NULL;
	ret |= add(object, "schema", json_object_new_uint64(SCHEMA));
	ret |= add_columns(object, output->views, output->own, interval, row);
	if (row->task && row_hybrid(row)) {
		ret |= add_kind(object, "core", &row->session.cores->core);
		ret |= add_kind(object, "atom", &row->session.cores->atom);
	}
	if (ret) {
		json_object_put(object);
		return NULL;
	}
	return object;
}

int output_json(const struct output *output, const struct interval *interval)
{
	struct json_object *object;
	const char *text;
	unsigned int i;

	for (i = 0; i < interval->nr; i++) {
		object = make_object(output, interval, &interval->row[i]);
		text = object ? json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN)
			      : NULL;
		if (text)
			fprintf(output->file, "%s\n", text);
		json_object_put(object);
		if (!text)
			return -ENOMEM;
	}
	return 0;
}

static const char *type_name(enum column_type type)
{
	switch (type) {
	case COLUMN_INTEGER:
		return "integer";
	case COLUMN_NUMBER:
		return "number";
	case COLUMN_BOOLEAN:
		return "boolean";
	default:
		return "string";
	}
}

static const struct schema_key core_key = {
	"core", "object", .help = "what a task had on P-cores",
};

static const struct schema_key atom_key = {
	"atom", "object", .help = "what a task had on E-cores",
};

/**
 * output_json_schema - print the JSON Schema of a line
 * @command: whose
 * @views: COLUMNS_* of the kinds of rows that it has
 * @own: columns after these; NULL for none
 *
 * Return: exit code.
 */
int output_json_schema(const char *command, unsigned int views, const struct columns *own)
{
	/* With -r there are more keys, and for recordings, but not always. */
	const unsigned int always = views & ~(COLUMNS_RUNS | COLUMNS_REPORT | COLUMNS_STEPS |
					      COLUMNS_OWNED | COLUMNS_NAMES);
	struct column_list list;
	unsigned int i;

	columns_select(&list, views, 0, 0);
	columns_add(&list, own, views);
	schema_begin(command);
	for (i = 0; i < list.nr; i++) {
		if ((list.column[i]->views & always) == always)
			schema_required(list.column[i]->name);
	}
	schema_properties("");
	for (i = 0; i < list.nr; i++) {
		const struct column *column = list.column[i];
		const struct schema_key key = {
			column->name, type_name(column->type), column->nullable, NULL, column->help,
		};

		schema_key(&key);
	}
	if (views & COLUMNS_TASKS) {
		schema_key(&core_key);
		schema_key(&atom_key);
	}
	return schema_end();
}

/**
 * options_schema - print the schema of a subcommand's JSON
 * @command: name of the subcommand
 * @row: the option; its least value is enum columns_views
 *
 * Return: exit code.
 */
int options_schema(const char *command, const struct option_row *row)
{
	return output_json_schema(command, row->min, row->own);
}
