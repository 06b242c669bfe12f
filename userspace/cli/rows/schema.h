/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The JSON Schema of a line of JSON, in the order in which it is printed.
 */
#ifndef TOPDOWN_CLI_SCHEMA_H
#define TOPDOWN_CLI_SCHEMA_H

#include <stdbool.h>

/* The value of the key "schema" in lines of rows and of differences. */
#define SCHEMA	1

/**
 * struct schema_key - a key of a line
 * @name: key
 * @type: its only type
 * @nullable: apart from null
 * @words: the only values that it has, NULL at the end; NULL for any
 * @help: what it is
 */
struct schema_key {
	const char *name;
	const char *type;
	bool nullable;
	const char *const *words;
	const char *help;
};

void schema_begin(const char *command);
void schema_required(const char *key);
void schema_properties(const char *more);
void schema_key(const struct schema_key *key);
int schema_end(void);

#endif /* TOPDOWN_CLI_SCHEMA_H */
