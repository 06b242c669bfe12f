// SPDX-License-Identifier: GPL-2.0
/*
 * topdown report --diff: the table for people.
 */
#include "diff.h"

#include <math.h>

#include "diff-parts.h"
#include "text.h"

/* Below so many percent, runs are alike enough to say that nothing has changed. */
#define MARGIN_FINE	10

/* Why nothing is said of steps, or of runs. */
static const char *why_unknown(bool runs)
{
	if (runs)
		return "a recording has fewer than " DIFF_TEXT(RECORD_DIFF_RUNS) " whole runs";
	return "a recording has fewer than " DIFF_TEXT(RECORD_DIFF_STEPS)
	       " steps, or too long windows, or changes too slowly for its length";
}

static void put_lines(const struct report_options *options, const char *unit, int width,
		      const struct line *lines, unsigned int nr)
{
	FILE *file = options->output.file;
	unsigned int i;

	if (options->output.header)
		fprintf(file, "\n%-*s %9s %9s %9s %9s\n", width, unit, "before", "after",
			DIFF_CHANGE, DIFF_MARGIN);
	for (i = 0; i < nr; i++)
		diff_parts_line(file, &lines[i], width);
}

/* Wide enough for slots of hours; a run is shorter, and has two columns more. */
static int amount_width(bool runs)
{
	return runs ? 17 : 21;
}

static void put_whole(FILE *file, double amount, int width)
{
	char text[GROUPED_SIZE];

	if (amount < 1e6) {
		fprintf(file, " %*.3f", width, amount);
		return;
	}
	grouped_text(text, (uint64_t)amount);
	fprintf(file, " %*s", width, text);
}

static void put_amount(FILE *file, const struct line *line, bool runs)
{
	const struct noise_difference *difference = &line->difference;
	double before = difference->before.mean, after = difference->after.mean;
	char name[32], change[NUMBER_SIZE];

	if (isnan(before) || isnan(after))
		return;
	snprintf(name, sizeof(name), "%s%s", line->name, line->node == RUNS_ELAPSED ? ", s" : "");
	fprintf(file, "%-14s", name);
	put_whole(file, before, amount_width(runs));
	put_whole(file, after, amount_width(runs));
	change_text(change, sizeof(change), 100 * difference->difference / before, "%");
	fprintf(file, " %10s", change);
	if (runs && isnan(difference->margin))
		fprintf(file, " %9s", "-");
	else if (runs)
		fprintf(file, " %8.2f%%", 100 * difference->margin / before);
	if (runs)
		fprintf(file, "  %s", noise_word(difference->verdict));
	putc('\n', file);
}

/* A change that does the same with less work has the same shares. */
static void put_amounts(const struct report_options *options, const struct difference *found)
{
	FILE *file = options->output.file;
	int width = amount_width(found->runs);
	unsigned int i;

	if (options->output.header)
		fprintf(file, "\n%-14s %*s %*s %10s%s\n", found->runs ? "mean of runs" : "in all",
			width, "before", width, "after", DIFF_CHANGE,
			found->runs ? "        " DIFF_MARGIN : "");
	for (i = 0; i < RUNS_AMOUNTS; i++)
		put_amount(file, &found->amount[i], found->runs);
}

/* Amounts have a verdict only where there are runs. */
static void put_slots(const struct report_options *options, const struct difference *found)
{
	struct diff_counts counts = { .nr = 0 };

	if (options->output.header || found->runs)
		put_amounts(options, found);
	put_lines(options, "% of slots", 28, found->line, found->nr);
	diff_parts_count(&counts, found->line, found->nr);
	if (found->runs)
		diff_parts_count(&counts, found->amount, RUNS_AMOUNTS);
	diff_parts_conclusion(options->output.file, &counts, why_unknown(found->runs),
			      "are not in both recordings");
}

static const struct line *amount_of(const struct difference *found, unsigned int amount)
{
	return &found->amount[amount - RUNS_ELAPSED];
}

static double percent_of(const struct line *line)
{
	return fabs(100 * line->difference.difference / line->difference.before.mean);
}

static void put_faster(FILE *file, const struct difference *found)
{
	const struct line *elapsed = amount_of(found, RUNS_ELAPSED);
	const struct line *work = amount_of(found, RUNS_INSTRUCTIONS);
	bool less = elapsed->difference.difference < 0;

	fprintf(file, "after is %s: a run takes %.1f%% %s time (+-%.1f%%)",
		less ? "faster" : "slower", percent_of(elapsed), less ? "less" : "more",
		100 * elapsed->difference.margin / elapsed->difference.before.mean);
	if (work->difference.verdict == NOISE_BEYOND)
		fprintf(file, ", with %.1f%% %s instructions", percent_of(work),
			work->difference.difference < 0 ? "fewer" : "more");
	putc('\n', file);
}

/* Why nobody can say whether it is faster. */
static const char *not_judged(const struct difference *found)
{
	if (!summary_of_tasks(found->before) || !summary_of_tasks(found->after))
		return "a recording of CPUs has no end of work (record -r 5 -- COMMAND has)";
	if (!found->runs)
		return "one run does not show how long others take (topdown record -r 5)";
	return "a recording has fewer whole runs than it takes (topdown record -r 5)";
}

/* Noise may hide a difference, and much of it is often one slow run. */
static void put_within(FILE *file, const struct difference *found,
		       const struct noise_difference *elapsed)
{
	double margin = 100 * elapsed->margin / elapsed->before.mean;

	fprintf(file, "%s: the time of a run differs by %.1f%%, and from %.1f%% on it would be more than noise\n",
		margin < MARGIN_FINE ? "after is neither faster nor slower" :
				       "faster or slower: the runs differ too much to tell",
		percent_of(amount_of(found, RUNS_ELAPSED)), margin);
	if (margin >= MARGIN_FINE)
		fputs("'topdown report -A' lists the runs; the first is often slow, so run the command once before\n",
		      file);
}

/*
 * The answer to what was asked: is it better?  Shares of slots do not say; time for the same does.
 */
static void put_answer(FILE *file, const struct difference *found)
{
	const struct noise_difference *elapsed = &amount_of(found, RUNS_ELAPSED)->difference;

	if (elapsed->verdict == NOISE_BEYOND)
		put_faster(file, found);
	else if (elapsed->verdict == NOISE_WITHIN)
		put_within(file, found, elapsed);
	else
		fprintf(file, "faster or slower: nothing can be said, %s\n", not_judged(found));
}

/**
 * diff_table - print the table
 * @options: the command line
 * @found: the differences
 */
void diff_table(const struct report_options *options, const struct difference *found)
{
	FILE *file = options->output.file;
	struct diff_counts counts = { .nr = 0 };

	if (options->output.header) {
		diff_parts_recording(file, "before", found->before);
		diff_parts_recording(file, "after", found->after);
	}
	if (!options->latency)
		put_slots(options, found);
	if (found->nr_latencies) {
		put_lines(options, "mean latency, cycles", 40, found->latency, found->nr_latencies);
		diff_parts_count(&counts, found->latency, found->nr_latencies);
		diff_parts_conclusion(file, &counts, why_unknown(false),
				      "have no sample in one of the recordings");
	}
	if (!options->latency)
		put_answer(file, found);
}
