// SPDX-License-Identifier: GPL-2.0
/*
 * topdown report --owners --diff: the table for people.
 */
#include <string.h>

#include "diff-parts.h"
#include "owner-diff.h"
#include "owner-name.h"
#include "text.h"

#define NODE_WIDTH	28

static bool of_cgroups(const struct owner_difference *found)
{
	return found->before->recording.owners.kind == TOPDOWN_OWNERS_CGROUPS;
}

/* A cgroup has what is below it too, so shares do not add up. */
static bool are_trees(const struct owner_difference *found)
{
	return of_cgroups(found) && !found->pairs.listing[0]->self;
}

static void put_title(FILE *file, const struct owner_difference *found)
{
	if (!of_cgroups(found))
		fputs("\nprocesses: all of a name are one line, whatever their numbers\n", file);
	else
		fprintf(file, "\ncgroups by their paths, each %s\n", are_trees(found) ?
			"with all below it" : "without those below it");
	fprintf(file, "sorted by %s of both; share: of the slots of all, with idle time\n",
		owner_sort_name(found->pairs.listing[0]->sort));
}

static void put_name(FILE *file, const struct owner_pair *pair, size_t room)
{
	unsigned int limit = owner_line_limit(file);
	char text[256];

	if (limit && strlen(pair->name) > limit - room) {
		middle_text(text, limit - room, pair->name);
		fputs(text, file);
	} else {
		fputs(pair->name, file);
	}
}

/* One process or cgroup on each side needs no number. */
static void put_owner(FILE *file, const struct owner_pair *pair)
{
	uint32_t before = pair->half[0].nr, after = pair->half[1].nr;

	putc('\n', file);
	put_name(file, pair, 40);
	if (pair->kind == ROW_PROCESS && (before > 1 || after > 1))
		fprintf(file, ": %u process%s before, %u after", before, before > 1 ? "es" : "",
			after);
	putc('\n', file);
}

static void put_pairs(FILE *file, const struct owner_difference *found, bool header)
{
	const struct owner_pair *last = NULL;
	size_t i;

	if (header && found->nr && owner_pair_both(found->line[0].owner))
		fprintf(file, "\n%-*s %9s %9s %9s %9s\n", NODE_WIDTH, "% of their slots",
			"before", "after", DIFF_CHANGE, DIFF_MARGIN);
	for (i = 0; i < found->nr; i++) {
		const struct line *line = &found->line[i];

		if (!owner_pair_both(line->owner))
			break;
		if (line->owner != last)
			put_owner(file, line->owner);
		last = line->owner;
		diff_parts_line(file, line, NODE_WIDTH);
	}
}

/* Who is in both, and has no lines; idle time has always. */
static void put_left_out(FILE *file, const struct owner_difference *found)
{
	double before = 0, after = 0;
	uint32_t i, both = 0;

	if (!found->left_out)
		return;
	for (i = 0; i < found->pairs.nr; i++) {
		const struct owner_pair *pair = &found->pairs.pair[i];

		if (!owner_pair_both(pair) || pair->kind == ROW_IDLE_TASKS ||
		    both++ < found->compared)
			continue;
		before += 100 * pair->half[0].share;
		after += 100 * pair->half[1].share;
	}
	fprintf(file, "\n%u more in both are not compared", found->left_out);
	if (!are_trees(found))
		fprintf(file, ", %.1f%% before and %.1f%% after", before, after);
	fputs(" (--top)\n", file);
}

static uint32_t count_alone(const struct owner_difference *found, unsigned int half)
{
	uint32_t i, nr = 0;

	for (i = 0; i < found->pairs.nr; i++)
		nr += !found->pairs.pair[i].half[!half].nr;
	return nr;
}

static void put_alone(FILE *file, const struct owner_pair *pair, unsigned int half)
{
	fprintf(file, "%6.2f  ", 100 * pair->half[half].share);
	put_name(file, pair, 30);
	if (pair->half[half].nr > 1 && pair->kind == ROW_PROCESS)
		fprintf(file, ": %u processes", pair->half[half].nr);
	putc('\n', file);
}

/* Owners of one recording; nobody knows what they would have in the other. */
static void put_only(const struct report_options *options, const struct owner_difference *found,
		     unsigned int half)
{
	uint32_t nr = count_alone(found, half), top = owner_diff_top(options), i, at = 0;
	FILE *file = options->output.file;
	double rest = 0;

	if (!nr)
		return;
	fprintf(file, "\nonly %s, so not compared; %% of the slots of all\n",
		half ? "after" : "before");
	for (i = 0; i < found->pairs.nr; i++) {
		const struct owner_pair *pair = &found->pairs.pair[i];

		if (pair->half[!half].nr)
			continue;
		if (at++ < top)
			put_alone(file, pair, half);
		else
			rest += 100 * pair->half[half].share;
	}
	if (nr <= top)
		return;
	fprintf(file, "%u more", nr - top);
	if (!are_trees(found))
		fprintf(file, ", %.1f%%", rest);
	fputs(" (--top)\n", file);
}

static void put_conclusion(FILE *file, const struct owner_difference *found)
{
	struct diff_counts counts = { .nr = 0 };
	size_t nr = 0;

	while (nr < found->nr && owner_pair_both(found->line[nr].owner))
		nr++;
	if (!nr) {
		fputs("\nno owner is in both recordings\n", file);
		return;
	}
	diff_parts_count(&counts, found->line, nr);
	diff_parts_conclusion(file, &counts,
			      "a recording has fewer than " DIFF_TEXT(RECORD_DIFF_STEPS)
			      " steps with slots of an owner, or it has less than 0.1% of all, or changes too slowly for the recording",
			      "are not in both recordings");
}

/**
 * owner_diff_table - print the table
 * @options: the command line
 * @found: the differences
 */
void owner_diff_table(const struct report_options *options, const struct owner_difference *found)
{
	FILE *file = options->output.file;

	if (options->output.header) {
		diff_parts_recording(file, "before", found->before);
		diff_parts_recording(file, "after", found->after);
	}
	put_title(file, found);
	put_pairs(file, found, options->output.header);
	put_left_out(file, found);
	put_only(options, found, 0);
	put_only(options, found, 1);
	put_conclusion(file, found);
}
