// SPDX-License-Identifier: GPL-2.0
/*
 * Lines of JSON on standard input against the schema in the file that is named: each key
 * is described and has a type that is allowed for it, and all that are required are
 * there.  Of JSON Schema this is what the command's own schema uses.
 */
#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_type(struct json_object *value, const char *type)
{
	if (!strcmp(type, "integer"))
		return json_object_is_type(value, json_type_int);
	if (!strcmp(type, "number"))
		return json_object_is_type(value, json_type_double) ||
		       json_object_is_type(value, json_type_int);
	if (!strcmp(type, "string"))
		return json_object_is_type(value, json_type_string);
	if (!strcmp(type, "boolean"))
		return json_object_is_type(value, json_type_boolean);
	if (!strcmp(type, "object"))
		return json_object_is_type(value, json_type_object);
	return !strcmp(type, "null") && !value;
}

static bool is_allowed(struct json_object *value, struct json_object *types)
{
	size_t i;

	if (json_object_is_type(types, json_type_string))
		return is_type(value, json_object_get_string(types));
	for (i = 0; i < json_object_array_length(types); i++) {
		struct json_object *type = json_object_array_get_idx(types, i);

		if (is_type(value, json_object_get_string(type)))
			return true;
	}
	return false;
}

static bool keys_right(struct json_object *object, struct json_object *properties)
{
	bool right = true;

	json_object_object_foreach(object, key, value) {
		struct json_object *property, *types;

		if (json_object_object_get_ex(properties, key, &property) &&
		    json_object_object_get_ex(property, "type", &types) &&
		    is_allowed(value, types))
			continue;
		printf("# %s: %s\n", key, json_object_to_json_string(value));
		right = false;
	}
	return right;
}

static bool all_there(struct json_object *object, struct json_object *required)
{
	bool right = true;
	size_t i;

	for (i = 0; i < json_object_array_length(required); i++) {
		const char *key = json_object_get_string(json_object_array_get_idx(required, i));

		if (json_object_object_get_ex(object, key, NULL))
			continue;
		printf("# no %s\n", key);
		right = false;
	}
	return right;
}

int main(int argc, char **argv)
{
	struct json_object *schema = json_object_from_file(argc > 1 ? argv[1] : "");
	struct json_object *properties, *required;
	unsigned int lines = 0;
	char *line = NULL;
	bool right = true;
	size_t size = 0;

	if (!json_object_object_get_ex(schema, "properties", &properties) ||
	    !json_object_object_get_ex(schema, "required", &required)) {
		puts("# no schema");
		return EXIT_FAILURE;
	}
	while (getline(&line, &size, stdin) > 0) {
		struct json_object *object = json_tokener_parse(line);

		right = object && keys_right(object, properties) &&
			all_there(object, required) && right;
		json_object_put(object);
		lines++;
	}
	free(line);
	json_object_put(schema);
	return right && lines ? EXIT_SUCCESS : EXIT_FAILURE;
}
