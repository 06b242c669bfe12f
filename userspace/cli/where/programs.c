// SPDX-License-Identifier: GPL-2.0
/*
 * Rows for programs: JSON, CSV, and call stacks as flame graphs want them. One table has the
 * columns of the first two.
 */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "where-output.h"

/* Seven events of a node at most, with their reasons. */
#define UNSAMPLED_SIZE	2048

enum value_type {
	VALUE_NONE,
	VALUE_TEXT,
	VALUE_EVENTS,
	VALUE_INTEGER,
	VALUE_NUMBER,
};

struct source {
	const struct where_run *run;
	const struct where_domain *domain;
	const struct where_rows *rows;
	const struct where_row *row;
};

/* @source: of VALUE_EVENTS, which is an array in JSON and @text in CSV */
struct value {
	enum value_type type;
	const char *text;
	const struct source *source;
	uint64_t integer;
	double number;
	unsigned int digits;
};

static struct value text_of(const char *text)
{
	return (struct value){ .type = text ? VALUE_TEXT : VALUE_NONE, .text = text };
}

static struct value integer_of(uint64_t integer)
{
	return (struct value){ .type = VALUE_INTEGER, .integer = integer };
}

static struct value number_of(double number, unsigned int digits)
{
	return (struct value){
		.type = isnan(number) ? VALUE_NONE : VALUE_NUMBER,
		.number = number,
		.digits = digits,
	};
}

static struct value get_kind(const struct source *source)
{
	if (!source->domain->name)
		return text_of(NULL);
	return text_of(topdown_kind_name(source->domain->atom ? TOPDOWN_KIND_ATOM :
								TOPDOWN_KIND_CORE));
}

static struct value get_node(const struct source *source)
{
	return text_of(topdown_node_name(source->rows->node));
}

static struct value get_node_share(const struct source *source)
{
	return number_of(source->rows->node_share, 6);
}

static struct value get_node_slots(const struct source *source)
{
	return integer_of(source->rows->node_slots);
}

static struct value get_share(const struct source *source)
{
	return number_of(source->row->share, 6);
}

static struct value get_error(const struct source *source)
{
	return number_of(source->row->error, 6);
}

static struct value get_slots(const struct source *source)
{
	return integer_of(source->row->slots);
}

static struct value get_samples(const struct source *source)
{
	return integer_of(source->row->samples + 0.5);
}

static struct value get_function(const struct source *source)
{
	return text_of(source->row->symbol->name);
}

static struct value get_object(const struct source *source)
{
	return text_of(where_symbols_object(source->run->symbols, source->row->place.object));
}

static struct value get_file(const struct source *source)
{
	return text_of(source->row->symbol->file);
}

static struct value get_line(const struct source *source)
{
	struct value value = integer_of(source->row->symbol->line);

	if (!value.integer)
		value.type = VALUE_NONE;
	return value;
}

static struct value get_address(const struct source *source)
{
	return integer_of(source->row->place.address);
}

static struct value get_stage(const struct source *source)
{
	return text_of(topdown_stall_stage_name(source->row->stage));
}

static struct value get_reason(const struct source *source)
{
	return text_of(topdown_stall_reason_name(source->row->reason));
}

static struct value get_from(const struct source *source)
{
	return text_of(topdown_stall_source_name(source->row->from));
}

static struct value get_cycles(const struct source *source)
{
	return number_of(source->row->cycles, 1);
}

static struct value get_lost(const struct source *source)
{
	return integer_of(topdown_stalls_lost(source->run->stalls));
}

static struct value get_seconds(const struct source *source)
{
	return number_of(source->run->seconds, 3);
}

/* The text stays until the next call. */
static struct value get_unsampled(const struct source *source)
{
	static char text[UNSAMPLED_SIZE];

	where_missing_text(source->run, source->domain, source->rows->node, text, sizeof(text));
	return (struct value){
		.type = *text ? VALUE_EVENTS : VALUE_NONE,
		.text = text,
		.source = source,
	};
}

/* @of_row: null in the row of a node of which no sample says where */
static const struct {
	const char *name;
	struct value (*get)(const struct source *source);
	bool of_row;
} columns[] = {
	{ "seconds", get_seconds, false },
	{ "kind", get_kind, false },
	{ "node", get_node, false },
	{ "node_share", get_node_share, false },
	{ "node_slots", get_node_slots, false },
	{ "share", get_share, true },
	{ "error", get_error, true },
	{ "samples", get_samples, true },
	{ "slots", get_slots, true },
	{ "function", get_function, true },
	{ "object", get_object, true },
	{ "file", get_file, true },
	{ "line", get_line, true },
	{ "address", get_address, true },
	{ "stage", get_stage, true },
	{ "reason", get_reason, true },
	{ "from", get_from, true },
	{ "cycles", get_cycles, true },
	{ "lost", get_lost, false },
	{ "unsampled", get_unsampled, false },
};

#define COLUMNS	(sizeof(columns) / sizeof(columns[0]))

static struct value value_of(size_t column, const struct source *source)
{
	if (columns[column].of_row && !source->row)
		return text_of(NULL);
	return columns[column].get(source);
}

static struct json_object *event_without(const struct topdown_stalls_event *event, const char *why)
{
	struct json_object *object = json_object_new_object();
	struct json_object *name = json_object_new_string(event->name);
	struct json_object *reason = json_object_new_string(why);

	if (!object || !name || json_object_object_add(object, "event", name))
		json_object_put(name);
	else if (reason && !json_object_object_add(object, "reason", reason))
		return object;
	json_object_put(reason);
	json_object_put(object);
	return NULL;
}

/* NULL without memory */
static struct json_object *events_without(const struct source *source)
{
	struct json_object *array = json_object_new_array(), *object;
	struct topdown_stalls_event event;
	char why[WHERE_REASON_SIZE];
	unsigned int number = 0;

	while (array && where_missing_next(source->run, source->domain, source->rows->node,
					   &number, &event, why, sizeof(why))) {
		object = event_without(&event, why);
		if (object && !json_object_array_add(array, object))
			continue;
		json_object_put(object);
		json_object_put(array);
		array = NULL;
	}
	return array;
}

static int add(struct json_object *object, const char *key, const struct value *value)
{
	char text[NUMBER_SIZE];
	struct json_object *json = NULL;

	switch (value->type) {
	case VALUE_NONE:
		return json_object_object_add(object, key, NULL);
	case VALUE_TEXT:
		json = json_object_new_string(value->text);
		break;
	case VALUE_EVENTS:
		json = events_without(value->source);
		break;
	case VALUE_INTEGER:
		json = json_object_new_uint64(value->integer);
		break;
	case VALUE_NUMBER:
		number_text(text, value->number, value->digits);
		json = json_object_new_double_s(value->number, text);
		break;
	}
	return json ? json_object_object_add(object, key, json) : -ENOMEM;
}

static int put_json(FILE *file, const struct source *source)
{
	struct json_object *object = json_object_new_object();
	struct value value;
	const char *text;
	size_t i;
	int ret = object ? 0 : -ENOMEM;

	for (i = 0; i < COLUMNS && !ret; i++) {
		value = value_of(i, source);
		ret = add(object, columns[i].name, &value);
	}
	if (!ret) {
		text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
						      JSON_C_TO_STRING_NOSLASHESCAPE);
		if (text)
			fprintf(file, "%s\n", text);
		else
			ret = -ENOMEM;
	}
	json_object_put(object);
	return ret ? -ENOMEM : 0;
}

int where_json(FILE *file, const struct where_run *run, const struct where_domain *domain,
	       const struct where_rows *rows)
{
	struct source source = { .run = run, .domain = domain, .rows = rows };
	size_t i;
	int ret = 0;

	if (!rows->nr)
		return put_json(file, &source);
	for (i = 0; i < where_shown(run, rows) && !ret; i++) {
		source.row = &rows->row[i];
		ret = put_json(file, &source);
	}
	return ret;
}

void where_csv_header(FILE *file, char separator)
{
	size_t i;

	for (i = 0; i < COLUMNS; i++)
		fprintf(file, "%s%c", columns[i].name, i + 1 < COLUMNS ? separator : '\n');
}

/* A text with a separator or a quote has quotes around it, and its own are doubled. */
static void put_text(FILE *file, const char *text, char separator)
{
	if (!strchr(text, separator) && !strpbrk(text, "\"\n")) {
		fputs(text, file);
		return;
	}
	putc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', file);
		putc(*text, file);
	}
	putc('"', file);
}

static void put_value(FILE *file, const struct value *value, char separator)
{
	char text[NUMBER_SIZE];

	switch (value->type) {
	case VALUE_NONE:
		break;
	case VALUE_TEXT:
	case VALUE_EVENTS:
		put_text(file, value->text, separator);
		break;
	case VALUE_INTEGER:
		fprintf(file, "%" PRIu64, value->integer);
		break;
	case VALUE_NUMBER:
		number_text(text, value->number, value->digits);
		fputs(text, file);
		break;
	}
}

static void put_csv(FILE *file, const struct source *source, char separator)
{
	struct value value;
	size_t i;

	for (i = 0; i < COLUMNS; i++) {
		value = value_of(i, source);
		put_value(file, &value, separator);
		putc(i + 1 < COLUMNS ? separator : '\n', file);
	}
}

void where_csv(FILE *file, const struct where_run *run, const struct where_domain *domain,
	       const struct where_rows *rows)
{
	struct source source = { .run = run, .domain = domain, .rows = rows };
	char separator = run->options->output.separator;
	size_t i;

	if (!rows->nr)
		put_csv(file, &source, separator);
	for (i = 0; i < where_shown(run, rows); i++) {
		source.row = &rows->row[i];
		put_csv(file, &source, separator);
	}
}

/* Semicolons divide the frames of a line. */
static void put_frame(FILE *file, const struct where_run *run, const struct where_place *place)
{
	const struct where_symbol *symbol = where_symbols_find(run->symbols, place);
	const char *name = symbol && symbol->name ? symbol->name :
			   where_base(where_symbols_object(run->symbols, place->object));

	for (; *name; name++)
		putc(*name == ';' ? ':' : *name, file);
	putc(';', file);
}

static bool locates(const struct where_run *run, const struct where_domain *domain,
		    const struct where_stack *stack)
{
	struct topdown_stalls_event event;

	return !topdown_stalls_event_get(run->stalls, stack->event, &event, sizeof(event)) &&
	       event.role == TOPDOWN_STALLS_LOCATES && where_event_of(domain, &event);
}

void where_folded(FILE *file, const struct where_run *run, const struct where_domain *domain,
		  const struct where_rows *rows)
{
	const struct where_stack *stack = NULL;
	const char *reason;
	unsigned int i;

	while ((stack = where_points_next_stack(run->points, stack))) {
		double slots = rows->node_slots * stack->cost[rows->node] / rows->cost;

		if (!(stack->cost[rows->node] > 0) || !locates(run, domain, stack))
			continue;
		reason = topdown_stall_reason_name(stack->reason);
		fprintf(file, "%s;", topdown_node_name(rows->node));
		for (i = stack->nr; i > 0; i--)
			put_frame(file, run, &stack->place[i - 1]);
		fprintf(file, "[%s] %.0f\n", reason ? reason : "-", slots);
	}
}
