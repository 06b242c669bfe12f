// SPDX-License-Identifier: GPL-2.0
/*
 * JSON: one object a line and row.  Keys are only ever added; a change of what
 * a key means changes "schema".
 */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>

#include "output.h"
#include "repeat.h"
#include "task.h"

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

/* The text decides how many digits are shown. */
static int add_real(struct json_object *object, const char *key, double value,
		    unsigned int digits)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*f", digits, value);
	return add(object, key, json_object_new_double_s(value, text));
}

static int add_ratio(struct json_object *object, const char *key, uint32_t ratio)
{
	if (ratio == TOPDOWN_RATIO_NONE)
		return add_null(object, key);
	return add_real(object, key, (double)ratio / TOPDOWN_RATIO_ONE, 9);
}

static int add_id(struct json_object *object, const char *key, int id)
{
	return id ? add(object, key, json_object_new_int64(id)) : add_null(object, key);
}

static int add_subject(struct json_object *object, const struct row *row)
{
	int ret = 0;

	if (row->task) {
		ret |= add_id(object, "pid", row->task->pid);
		ret |= add_id(object, "tid", row->task->tid);
		ret |= add(object, "comm", json_object_new_string(row->task->name));
	} else if (row->cpu == TOPDOWN_CPU_ALL) {
		ret |= add(object, "cpu", json_object_new_string("all"));
	} else {
		ret |= add(object, "cpu", json_object_new_int64(row->cpu));
	}
	return ret;
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
	ret |= add(kind, "oncpu_ns", json_object_new_uint64(figures->enabled_ns));
	ret |= add(kind, "running_ns", json_object_new_uint64(figures->running_ns));
	ret |= add(kind, "slots", json_object_new_uint64(figures->slots));
	for (node = 0; node < TOPDOWN_NR_NODES; node++)
		ret |= add_ratio(kind, topdown_node_name(node), figures->ratio[node]);
	return ret;
}

static int add_of_task(struct json_object *object, const struct row *row)
{
	int ret = 0;

	ret |= add(object, "oncpu_ns", json_object_new_uint64(row->figures.enabled_ns));
	ret |= add(object, "merged_ns", json_object_new_uint64(row->merged_ns));
	ret |= add(object, "switches", json_object_new_uint64(row->switches));
	ret |= add(object, "incomplete", json_object_new_boolean(row->incomplete));
	if (row_hybrid(row)) {
		ret |= add_kind(object, "core", &row->core);
		ret |= add_kind(object, "atom", &row->atom);
	}
	return ret;
}

static int add_spread(struct json_object *object, const char *of, const struct spread *spread)
{
	double deviation;
	char key[64];

	snprintf(key, sizeof(key), "%s_rsd", of);
	if (!spread_relative(spread, &deviation))
		return add_null(object, key);
	return add_real(object, key, deviation, 6);
}

static int add_repeat(struct json_object *object, const struct repeat *repeat)
{
	unsigned int node;
	int ret = 0;

	ret |= add(object, "runs", json_object_new_int64(repeat->runs));
	ret |= add_spread(object, "interval", &repeat->length);
	ret |= add_spread(object, "slots", &repeat->slots);
	for (node = 0; node < TOPDOWN_NR_NODES; node++)
		ret |= add_spread(object, topdown_node_name(node), &repeat->node[node]);
	return ret;
}

static int add_row(struct json_object *object, const struct row *row)
{
	double running = 0;
	int ret = 0;

	ret |= add_subject(object, row);
	ret |= add(object, "state", json_object_new_string(row_state(row)));
	ret |= add(object, "source",
		   json_object_new_string(topdown_source_name(row->source)));
	ret |= add(object, "level", json_object_new_int64(row->level));
	if (row_running(row, &running))
		ret |= add_real(object, "running", running, 6);
	else
		ret |= add_null(object, "running");
	ret |= add(object, "enabled_ns", json_object_new_uint64(row->figures.enabled_ns));
	ret |= add(object, "running_ns", json_object_new_uint64(row->figures.running_ns));
	ret |= add(object, "slots", json_object_new_uint64(row->figures.slots));
	return ret ? -ENOMEM : 0;
}

static struct json_object *make_object(const struct interval *interval,
				       const struct row *row)
{
	struct json_object *object = json_object_new_object();
	unsigned int node;
	int ret = 0;

	if (!object)
		return NULL;
	ret |= add(object, "schema", json_object_new_int64(SCHEMA));
	ret |= add_real(object, "time", interval->time, 6);
	ret |= add_real(object, "interval", interval->length, 9);
	ret |= add_row(object, row);
	for (node = 0; node < TOPDOWN_NR_NODES; node++)
		ret |= add_ratio(object, topdown_node_name(node), row->figures.ratio[node]);
	if (row->task)
		ret |= add_of_task(object, row);
	if (interval->repeat)
		ret |= add_repeat(object, interval->repeat);
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
		object = make_object(interval, &interval->row[i]);
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
