/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fields of a row for programs: one table that CSV, JSON, the schema and the
 * manual follow.
 */
#ifndef TOPDOWN_CLI_FIELDS_H
#define TOPDOWN_CLI_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "rows.h"

/* Kinds of rows, each with fields of its own. */
#define FIELD_CPUS	(1U << 0)
#define FIELD_TASKS	(1U << 1)
#define FIELD_RUNS	(1U << 2)
#define FIELD_ALL	(FIELD_CPUS | FIELD_TASKS)

enum field_type {
	FIELD_INTEGER,
	FIELD_NUMBER,
	FIELD_STRING,
	FIELD_BOOLEAN,
};

/**
 * struct field_value - a field of a row
 * @none: the row has no such figure
 * @integer: of FIELD_INTEGER and FIELD_BOOLEAN
 * @number: of FIELD_NUMBER
 * @string: of FIELD_STRING
 */
struct field_value {
	bool none;
	uint64_t integer;
	double number;
	const char *string;
};

/**
 * struct field - one field
 * @name: key in JSON, heading in CSV
 * @type: its only type, but for null
 * @rows: FIELD_*: the rows that have it
 * @digits: digits after the point, of FIELD_NUMBER
 * @nullable: a row may have none
 * @node: enum topdown_node, or TOPDOWN_RECORD_* flag, that it is about, for @get
 * @get: its value
 * @help: for the schema
 */
struct field {
	const char *name;
	enum field_type type;
	unsigned int rows;
	unsigned int digits;
	bool nullable;
	unsigned int node;
	struct field_value (*get)(const struct field *field, const struct interval *interval,
				  const struct row *row);
	const char *help;
};

extern const struct field fields[];
extern const unsigned int fields_nr;

#endif /* TOPDOWN_CLI_FIELDS_H */
