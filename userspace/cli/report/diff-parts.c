// SPDX-License-Identifier: GPL-2.0
/*
 * topdown report --diff: parts of the tables, of CPUs or tasks and of owners.
 */
#include "diff-parts.h"

#include <math.h>

#include "clock.h"
#include "text.h"

/**
 * diff_parts_recording - print the line of a recording
 * @file: where to
 * @when: before or after
 * @summary: the recording
 */
void diff_parts_recording(FILE *file, const char *when, const struct summary *summary)
{
	char slots[GROUPED_SIZE];

	grouped_text(slots, summary->all.total.slots);
	fprintf(file, "%-7s %s: %s, %.3f s, %zu step%s of %.3f s, %s slots", when,
		summary->recording.name, summary->recording.info.host, summary_seconds(summary),
		summary->all.series.nr, plural_text(summary->all.series.nr),
		summary->all.series.step_ns / (double)NS_PER_S, slots);
	if (runs_recorded(summary))
		fprintf(file, ", %u run%s", runs_complete(summary),
			plural_text(runs_complete(summary)));
	putc('\n', file);
}

static void put_number(FILE *file, double number, bool percent)
{
	if (isnan(number))
		fprintf(file, " %9s", "-");
	else
		fprintf(file, " %9.2f", percent ? number * 100 : number);
}

static void put_change(FILE *file, double change, bool percent)
{
	char text[NUMBER_SIZE] = "-";

	if (!isnan(change))
		change_text(text, sizeof(text), percent ? change * 100 : change, "");
	fprintf(file, " %9s", text);
}

/**
 * diff_parts_line - print a line
 * @file: where to
 * @line: the line
 * @width: of its name
 */
void diff_parts_line(FILE *file, const struct line *line, int width)
{
	const struct noise_difference *difference = &line->difference;
	bool percent = line->node != NOISE_IPC;
	int indent = line->node < TD_NR_NODES ? 2 * topdown_node_level(line->node) : 2;

	fprintf(file, "%*s%-*s", indent, "", width - indent, line->name);
	put_number(file, difference->before.mean, percent);
	put_number(file, difference->after.mean, percent);
	put_change(file, difference->difference, percent);
	put_number(file, difference->margin, percent);
	fprintf(file, "  %s\n", noise_word(difference->verdict));
}

/**
 * diff_parts_count - count the lines of each verdict
 * @counts: to be added to
 * @lines: lines
 * @nr: number of @lines
 */
void diff_parts_count(struct diff_counts *counts, const struct line *lines, unsigned int nr)
{
	unsigned int i;

	counts->nr += nr;
	for (i = 0; i < nr; i++) {
		counts->changed += lines[i].difference.verdict == NOISE_BEYOND;
		counts->unknown += lines[i].difference.verdict == NOISE_UNKNOWN;
		counts->none += lines[i].difference.verdict == NOISE_NONE;
	}
}

/**
 * diff_parts_conclusion - say in how many lines the recordings differ
 * @file: where to
 * @counts: the lines
 * @unknown: why nothing is said of some
 * @none: what those are that have no difference
 */
void diff_parts_conclusion(FILE *file, const struct diff_counts *counts, const char *unknown,
			   const char *none)
{
	putc('\n', file);
	if (counts->changed)
		fprintf(file, "%u of %u differences are more than noise\n", counts->changed,
			counts->nr);
	else if (counts->unknown + counts->none < counts->nr)
		fputs("no difference that can be judged is more than noise\n", file);
	if (counts->unknown)
		fprintf(file, "nothing can be said of %u of %u lines: %s\n", counts->unknown,
			counts->nr, unknown);
	if (counts->none)
		fprintf(file, "%u of %u lines %s\n", counts->none, counts->nr, none);
}
