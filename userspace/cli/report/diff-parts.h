/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parts of the tables of differences, of CPUs or tasks and of owners.
 */
#ifndef TOPDOWN_CLI_DIFF_PARTS_H
#define TOPDOWN_CLI_DIFF_PARTS_H

#include <stdio.h>

#include "diff-lines.h"

/* A number that is a macro, in a text. */
#define DIFF_TEXT_OF(number)	#number
#define DIFF_TEXT(number)	DIFF_TEXT_OF(number)

/**
 * struct diff_counts - lines of each verdict
 * @nr: all
 * @changed: NOISE_BEYOND
 * @unknown: NOISE_UNKNOWN
 * @none: NOISE_NONE
 */
struct diff_counts {
	unsigned int nr;
	unsigned int changed;
	unsigned int unknown;
	unsigned int none;
};

void diff_parts_recording(FILE *file, const char *when, const struct summary *summary);
void diff_parts_line(FILE *file, const struct line *line, int width);
void diff_parts_count(struct diff_counts *counts, const struct line *lines, unsigned int nr);
void diff_parts_conclusion(FILE *file, const struct diff_counts *counts, const char *unknown,
			   const char *none);

#endif /* TOPDOWN_CLI_DIFF_PARTS_H */
