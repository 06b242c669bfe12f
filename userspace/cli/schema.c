// SPDX-License-Identifier: GPL-2.0
/*
 * What the lines of topdown stat -j look like, for programs: JSON Schema, from the
 * table of columns.
 */
#include "schema.h"

#include <stdio.h>

#include "columns.h"
#include "options.h"

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

static void put_required(const struct column_list *list)
{
	unsigned int i;

	fputs("\"required\":[\"schema\"", stdout);
	for (i = 0; i < list->nr; i++) {
		if ((list->column[i]->views & COLUMNS_ALL) == COLUMNS_ALL)
			printf(",\"%s\"", list->column[i]->name);
	}
	fputs("],\n", stdout);
}

static void put_column(const struct column *column)
{
	const char *type = type_name(column->type);

	if (column->nullable)
		printf(",\n\"%s\":{\"type\":[\"%s\",\"null\"],", column->name, type);
	else
		printf(",\n\"%s\":{\"type\":\"%s\",", column->name, type);
	printf("\"description\":\"%s\"}", column->help);
}

/**
 * schema_print - print the schema of a line
 *
 * Return: exit code.
 */
int schema_print(void)
{
	struct column_list list;
	unsigned int i;

	columns_select(&list, COLUMNS_KEYS, 0, 0);
	fputs("{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\n"
	      "\"title\":\"a line of topdown stat -j\",\n"
	      "\"type\":\"object\",\n", stdout);
	put_required(&list);
	fputs("\"properties\":{\n"
	      "\"schema\":{\"type\":\"integer\",\"const\":1,\n"
	      "\"description\":\"changes if the meaning of a key does\"}", stdout);
	for (i = 0; i < list.nr; i++)
		put_column(list.column[i]);
	fputs(",\n\"core\":{\"type\":\"object\",\"description\":\"what a task had on P-cores\"},\n"
	      "\"atom\":{\"type\":\"object\",\"description\":\"what a task had on E-cores\"}\n"
	      "}}\n", stdout);
	return options_help("");
}
