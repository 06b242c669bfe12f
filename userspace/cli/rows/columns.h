/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The columns of a row: one table that CSV, JSON, the schema, the tables of stat, the
 * screen of top and the tests of the manual follow.
 */
#ifndef TOPDOWN_CLI_COLUMNS_H
#define TOPDOWN_CLI_COLUMNS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rows.h"

/* The views that have a column: rows for programs by kind, and tables for people. */
#define COLUMNS_CPUS	(1U << 0)
#define COLUMNS_TASKS	(1U << 1)
#define COLUMNS_RUNS	(1U << 2)
#define COLUMNS_KINDS	(1U << 3)
#define TABLE_CPUS	(1U << 4)
#define TABLE_TASKS	(1U << 5)
#define TABLE_TOP	(1U << 6)
#define COLUMNS_WINDOWS	(1U << 7)
#define TABLE_WINDOWS	(1U << 8)
#define COLUMNS_EVENTS	(1U << 9)
/* Tables of stat have this column only at level 1, which leaves room. */
#define TABLE_WIDE	(1U << 10)
/* Rows of recordings have these and those of CPUs or tasks; rows of their steps the second. */
#define COLUMNS_REPORT	(1U << 11)
#define COLUMNS_STEPS	(1U << 12)
#define COLUMNS_LATENCIES (1U << 13)
#define TABLE_OWNERS	(1U << 14)
/* Rows of owners of recordings have these and those of tasks. */
#define COLUMNS_OWNED	(1U << 15)
/* Rows of all processes of a name have this and those of tasks. */
#define COLUMNS_NAMES	(1U << 16)

#define COLUMNS_ALL	(COLUMNS_CPUS | COLUMNS_TASKS)
#define COLUMNS_KEYS	(COLUMNS_ALL | COLUMNS_RUNS)
#define TABLE_ALL	(TABLE_CPUS | TABLE_TASKS | TABLE_TOP | TABLE_WINDOWS | TABLE_OWNERS)

#define COLUMNS_MAX	160

/* The place of the column with the subject of the row. */
#define COLUMN_FIRST	1
/* The place of the names of tasks. */
#define COLUMN_NAME	2

enum column_type {
	COLUMN_INTEGER,
	COLUMN_NUMBER,
	COLUMN_STRING,
	COLUMN_BOOLEAN,
};

/**
 * enum column_unit - how tables show a value
 *
 * @UNIT_NONE: as it is
 * @UNIT_RATIO: a ratio of the ABI, in percent
 * @UNIT_SHARE: a number from 0 to 1, in percent
 * @UNIT_PERCENT: a number from 0 to 1, in whole percent with the sign
 * @UNIT_SECONDS: nanoseconds, in seconds
 * @UNIT_SLOTS: in full where there is room, else with a unit
 * @UNIT_RATE: with a unit
 * @UNIT_TIMES: a number with two digits after the point
 */
enum column_unit {
	UNIT_NONE,
	UNIT_RATIO,
	UNIT_SHARE,
	UNIT_PERCENT,
	UNIT_SECONDS,
	UNIT_SLOTS,
	UNIT_RATE,
	UNIT_TIMES,
};

/**
 * struct column_value - the value of a column in a row
 * @none: the row has no such value
 * @integer: value of COLUMN_INTEGER and COLUMN_BOOLEAN; ratio of UNIT_RATIO
 * @number: value of COLUMN_NUMBER
 * @string: value of COLUMN_STRING
 * @text: room for a @string that is made
 */
struct column_value {
	bool none;
	uint64_t integer;
	double number;
	const char *string;
	char text[32];
};

/**
 * struct column_look - a column in tables
 * @place: from the left; columns of one table have different ones
 * @unit: how a value is shown
 * @sort: its name in "sorted by"; NULL if rows are never sorted by it
 * @heading: heading
 * @width: characters; negative: text is on the left, and cut
 * @wide_heading: heading where one level leaves room; NULL for nodes of level 2
 * @wide_width: characters there
 */
struct column_look {
	unsigned int place;
	enum column_unit unit;
	const char *sort;
	const char *heading;
	int width;
	const char *wide_heading;
	int wide_width;
};

/**
 * struct column - one column
 * @name: key in JSON, heading in CSV; NULL for tables only
 * @type: its only type, apart from null
 * @views: COLUMNS_* and TABLE_* that have it
 * @digits: digits after the point, of COLUMN_NUMBER
 * @nullable: a row may lack the value
 * @of: enum topdown_node, or TOPDOWN_RECORD_* flag, for @get
 * @get: fills a zeroed value; @interval is NULL in TABLE_TOP and
 *	TABLE_OWNERS
 * @help: for the schema
 * @look: of TABLE_*
 */
struct column {
	const char *name;
	enum column_type type;
	unsigned int views;
	unsigned int digits;
	bool nullable;
	unsigned int of;
	void (*get)(const struct column *column, const struct interval *interval,
		    const struct row *row, struct column_value *value);
	const char *help;
	struct column_look look;
};

/**
 * struct columns - the columns that one kind of rows has for itself
 * @column: columns
 * @nr: number of them
 */
struct columns {
	const struct column *column;
	unsigned int nr;
};

/**
 * struct column_list - the columns of a view, in its order
 * @nr: number of them
 * @column: columns
 */
struct column_list {
	unsigned int nr;
	const struct column *column[COLUMNS_MAX];
};

void columns_select(struct column_list *list, unsigned int views, unsigned int level,
		    uint32_t nodes);
void columns_add(struct column_list *list, const struct columns *own, unsigned int views);
void columns_drop_node(struct column_list *list, unsigned int node);
const struct column *column_of_node(unsigned int node);
int column_node(const char *heading);
const char *column_meaning(const struct columns *own, const char *word);
bool column_is_node(const struct column *column);
void column_value(const struct column *column, const struct interval *interval,
		  const struct row *row, struct column_value *value);
void column_text(char *text, size_t size, const struct column *column,
		 const struct row *row, bool wide);

/* Tables of columns are made of the following, by those who have some. */

static inline void set_integer(struct column_value *value, uint64_t integer)
{
	value->integer = integer;
}

static inline void set_number(struct column_value *value, double number)
{
	value->number = number;
}

static inline void set_string(struct column_value *value, const char *string)
{
	value->string = string;
}

/* A number that some rows lack. */
static inline void set_known(struct column_value *value, bool known, uint64_t integer)
{
	value->none = !known;
	value->integer = integer;
}

/* A number; none if the row does not know it. */
static inline void set_figure(struct column_value *value, double number)
{
	value->none = isnan(number);
	value->number = value->none ? 0 : number;
}

static inline void set_ratio(struct column_value *value, uint32_t ratio)
{
	value->none = ratio == TOPDOWN_RATIO_NONE;
	value->integer = ratio;
	value->number = (double)ratio / TOPDOWN_RATIO_ONE;
}

/* Define get_NAME(), which gives the rest to a setter. */
#define GETTER(name, setter, ...)						\
	static void get_##name(const struct column *column,			\
			       const struct interval *interval,			\
			       const struct row *row, struct column_value *value) \
	{									\
		(void)column;							\
		(void)interval;							\
		(void)row;							\
		set_##setter(value, __VA_ARGS__);				\
	}

/* A column with a name. How it looks in tables may follow. */
#define INTEGER(name, views, help, ...)						\
	{ #name, COLUMN_INTEGER, views, 0, false, 0, get_##name, help, { __VA_ARGS__ } }
#define MAYBE(name, views, help, ...)						\
	{ #name, COLUMN_INTEGER, views, 0, true, 0, get_##name, help, { __VA_ARGS__ } }
#define NUMBER(name, views, digits, nullable, help, ...)			\
	{ #name, COLUMN_NUMBER, views, digits, nullable, 0, get_##name, help, { __VA_ARGS__ } }
#define STRING(name, views, help, ...)						\
	{ #name, COLUMN_STRING, views, 0, false, 0, get_##name, help, { __VA_ARGS__ } }
#define TABLE(type, get, views, ...)						\
	{ NULL, type, views, 0, false, 0, get, NULL, { __VA_ARGS__ } }
#define BOOLEAN(name, views, nullable, help)					\
	{ #name, COLUMN_BOOLEAN, views, 0, nullable, 0, get_##name, help, { 0 } }

#endif /* TOPDOWN_CLI_COLUMNS_H */
