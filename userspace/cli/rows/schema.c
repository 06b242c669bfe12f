// SPDX-License-Identifier: GPL-2.0
/*
 * The JSON Schema of a line of JSON, in the order in which it is printed.
 */
#include "schema.h"

#include <json-c/json.h>
#include <stdio.h>

#include "options.h"

/**
 * schema_begin - begin to print the schema
 * @command: whose line it is of
 */
void schema_begin(const char *command)
{
	printf("{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\n"
	       "\"title\":\"a line of topdown %s -j\",\n"
	       "\"type\":\"object\",\n"
	       "\"required\":[\"schema\"", command);
}

/**
 * schema_required - name one more key that each line has
 * @key: key
 */
void schema_required(const char *key)
{
	printf(",\"%s\"", key);
}

/**
 * schema_properties - begin to print the keys
 * @more: what is to be said of all of them, each with ",\n" after it
 */
void schema_properties(const char *more)
{
	printf("],\n%s\"properties\":{\n"
	       "\"schema\":{\"type\":\"integer\",\"const\":%d,\n"
	       "\"description\":\"changes if the meaning of a key does\"}", more, SCHEMA);
}

static struct json_object *texts(const char *const *text)
{
	struct json_object *array = json_object_new_array();

	for (; *text; text++)
		json_object_array_add(array, json_object_new_string(*text));
	return array;
}

/**
 * schema_key - print what a key of a line is
 * @key: key
 */
void schema_key(const struct schema_key *key)
{
	const char *const types[] = { key->type, "null", NULL };
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "type", key->nullable ? texts(types) :
			       json_object_new_string(key->type));
	if (key->words)
		json_object_object_add(object, "enum", texts(key->words));
	json_object_object_add(object, "description", json_object_new_string(key->help));
	printf(",\n\"%s\":%s", key->name,
	       json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
					      JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

/**
 * schema_end - end the schema
 *
 * Return: exit code.
 */
int schema_end(void)
{
	fputs("\n}}\n", stdout);
	return options_help("");
}
