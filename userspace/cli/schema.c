// SPDX-License-Identifier: GPL-2.0
/*
 * What the lines of topdown stat -j look like, for programs: JSON Schema, from the
 * table of fields.
 */
#include "schema.h"

#include <stdio.h>

#include "fields.h"
#include "options.h"

static const char *type_name(enum field_type type)
{
	switch (type) {
	case FIELD_INTEGER:
		return "integer";
	case FIELD_NUMBER:
		return "number";
	case FIELD_BOOLEAN:
		return "boolean";
	default:
		return "string";
	}
}

static void put_required(void)
{
	unsigned int i;

	fputs("\"required\":[\"schema\"", stdout);
	for (i = 0; i < fields_nr; i++) {
		if ((fields[i].rows & FIELD_ALL) == FIELD_ALL)
			printf(",\"%s\"", fields[i].name);
	}
	fputs("],\n", stdout);
}

static void put_field(const struct field *field)
{
	const char *type = type_name(field->type);

	if (field->nullable)
		printf(",\n\"%s\":{\"type\":[\"%s\",\"null\"],", field->name, type);
	else
		printf(",\n\"%s\":{\"type\":\"%s\",", field->name, type);
	printf("\"description\":\"%s\"}", field->help);
}

/**
 * schema_print - print the schema of a line
 *
 * Return: exit code.
 */
int schema_print(void)
{
	unsigned int i;

	fputs("{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\n"
	      "\"title\":\"a line of topdown stat -j\",\n"
	      "\"type\":\"object\",\n", stdout);
	put_required();
	fputs("\"properties\":{\n"
	      "\"schema\":{\"type\":\"integer\",\"const\":1,\n"
	      "\"description\":\"changes if the meaning of a key does\"}", stdout);
	for (i = 0; i < fields_nr; i++)
		put_field(&fields[i]);
	fputs(",\n\"core\":{\"type\":\"object\",\"description\":\"what a task had on P-cores\"},\n"
	      "\"atom\":{\"type\":\"object\",\"description\":\"what a task had on E-cores\"}\n"
	      "}}\n", stdout);
	return options_help("");
}
