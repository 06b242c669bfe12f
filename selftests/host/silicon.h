/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recordings of real CPUs, as CSV with a line of names, which others have published.  They
 * are no part of this project: a program is told where they are, and skips its tests elsewhere.
 */
#ifndef TOPDOWN_HOST_SILICON_H
#define TOPDOWN_HOST_SILICON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csv.h"
#include "ktap.h"

#define SILICON_COLUMNS		32

struct silicon {
	FILE *file;
	bool pipe;
	unsigned int columns;
	char names[1024], line[1024];
	char *name[SILICON_COLUMNS], *field[SILICON_COLUMNS + 1];
};

static inline bool silicon_line(struct silicon *silicon, char *line, size_t size)
{
	do {
		if (!fgets(line, size, silicon->file))
			return false;
	} while (*line == '#');
	return true;
}

/* A name that ends in .gz goes through gzip. */
static inline bool silicon_open(struct silicon *silicon, const char *path)
{
	size_t length = strlen(path);
	char command[600];

	memset(silicon, 0, sizeof(*silicon));
	if (access(path, R_OK))
		return false;
	silicon->pipe = length > 3 && !strcmp(path + length - 3, ".gz");
	snprintf(command, sizeof(command), "gzip -dc '%s'", path);
	silicon->file = silicon->pipe ? popen(command, "r") : fopen(path, "r");
	if (!silicon->file || !silicon_line(silicon, silicon->names, sizeof(silicon->names)))
		return false;
	silicon->columns = csv_split(silicon->names, silicon->name, SILICON_COLUMNS);
	return true;
}

static inline bool silicon_row(struct silicon *silicon)
{
	return silicon_line(silicon, silicon->line, sizeof(silicon->line)) &&
	       csv_split(silicon->line, silicon->field, SILICON_COLUMNS) == silicon->columns;
}

static inline const char *silicon_text(const struct silicon *silicon, const char *column)
{
	unsigned int i;

	for (i = 0; i < silicon->columns; i++) {
		if (!strcmp(silicon->name[i], column))
			return silicon->field[i];
	}
	return NULL;
}

/* 0 if there is no such column, or nothing in it. */
static inline uint64_t silicon_number(const struct silicon *silicon, const char *column)
{
	const char *text = silicon_text(silicon, column);

	return text ? strtoull(text, NULL, 10) : 0;
}

/* Did all of it read, to its end? */
static inline bool silicon_close(struct silicon *silicon)
{
	bool end = silicon->file && feof(silicon->file);

	if (!silicon->file)
		return false;
	return (silicon->pipe ? !pclose(silicon->file) : !fclose(silicon->file)) && end;
}

/* All tests of a program that has not got its recording. */
static inline int silicon_skip(unsigned int planned)
{
	struct ktap ktap;

	ktap_begin(&ktap, planned);
	while (ktap.run < planned)
		ktap_skip(&ktap, "the recordings are not there");
	return ktap_end(&ktap);
}

#endif /* TOPDOWN_HOST_SILICON_H */
