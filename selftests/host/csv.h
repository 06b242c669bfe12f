/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines of the tests' CSV files: no quotes, comments begin with #.
 */
#ifndef TOPDOWN_HOST_CSV_H
#define TOPDOWN_HOST_CSV_H

#include <string.h>

/* The fields of a line, which is cut; the last of @max has what is left of it. */
static inline unsigned int csv_split(char *line, char **field, unsigned int max)
{
	unsigned int n = 0;

	line[strcspn(line, "\r\n")] = '\0';
	while (n < max && line) {
		field[n++] = line;
		line = n < max ? strchr(line, ',') : NULL;
		if (line)
			*line++ = '\0';
	}
	return n;
}

#endif /* TOPDOWN_HOST_CSV_H */
