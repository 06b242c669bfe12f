// SPDX-License-Identifier: GPL-2.0
/*
 * JSON: one object a line and row.  Keys are only ever added; a change of what
 * a key means changes "schema".
 */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>

#include "fields.h"
#include "output.h"

#define SCHEMA	1

/* NULL is JSON's null for json-c, so a lack of memory needs its own word. */
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

static int add_null(struct json_object *object, const char *key)
{
	return json_object_object_add(object, key, NULL) ? -ENOMEM : 0;
}

static int add_integer(struct json_object *object, const char *key, uint64_t value)
{
	return add(object, key, json_object_new_uint64(value));
}

/* The text decides how many digits are shown. */
static int add_number(struct json_object *object, const char *key, double value,
		      unsigned int digits)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*f", (int)digits, value);
	return add(object, key, json_object_new_double_s(value, text));
}

static int add_value(struct json_object *object, const struct field *field,
		     const struct field_value *value)
{
	if (value->none)
		return add_null(object, field->name);
	switch (field->type) {
	case FIELD_INTEGER:
		return add_integer(object, field->name, value->integer);
	case FIELD_NUMBER:
		return add_number(object, field->name, value->number, field->digits);
	case FIELD_STRING:
		return add(object, field->name, json_object_new_string(value->string));
	case FIELD_BOOLEAN:
		return add(object, field->name, json_object_new_boolean(value->integer));
	}
	return -EINVAL;
}

/* What a task had on one kind of core. */
static int add_kind(struct json_object *object, const char *key,
		    const struct topdown_figures *figures)
{
	struct json_object *kind = json_object_new_object();
	unsigned int node;
	int ret;

	/* The object has it from here on, also if what follows fails. */
	ret = add(object, key, kind);
	if (ret)
		return ret;
	ret |= add_integer(kind, "oncpu_ns", figures->enabled_ns);
	ret |= add_integer(kind, "running_ns", figures->running_ns);
	ret |= add_integer(kind, "slots", figures->slots);
	for (node = 0; node < TOPDOWN_NR_NODES; node++) {
		const char *name = topdown_node_name(node);

		if (figures->ratio[node] == TOPDOWN_RATIO_NONE)
			ret |= add_null(kind, name);
		else
			ret |= add_number(kind, name,
					  (double)figures->ratio[node] / TOPDOWN_RATIO_ONE, 9);
	}
	return ret;
}

static struct json_object *make_object(const struct output *output,
				       const struct interval *interval,
				       const struct row *row)
{
	struct json_object *object = json_object_new_object();
	unsigned int i, rows = output_rows(output);
	int ret = 0;

	if (!object)
		return NULL;
	ret |= add_integer(object, "schema", SCHEMA);
	for (i = 0; i < fields_nr; i++) {
		struct field_value value;

		if (!(fields[i].rows & rows))
			continue;
		value = fields[i].get(&fields[i], interval, row);
		ret |= add_value(object, &fields[i], &value);
	}
	if (row->task && row_hybrid(row)) {
		ret |= add_kind(object, "core", &row->core);
		ret |= add_kind(object, "atom", &row->atom);
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
