// SPDX-License-Identifier: GPL-2.0
/*
 * topdown report: the tables for people.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "columns.h"
#include "owner-table.h"
#include "report.h"
#include "runs.h"
#include "text.h"

/**
 * report_time - print a local time
 * @file: where to
 * @time: seconds since the epoch
 * @date: with the date
 */
void report_time(FILE *file, double time, bool date)
{
	time_t seconds = time;
	struct tm local;
	char text[64];

	if (!localtime_r(&seconds, &local))
		memset(&local, 0, sizeof(local));
	if (date && strftime(text, sizeof(text), "%Y-%m-%d ", &local))
		fputs(text, file);
	if (!strftime(text, sizeof(text), "%H:%M:%S", &local))
		snprintf(text, sizeof(text), "?");
	fprintf(file, "%s.%03u", text, (unsigned int)((time - seconds) * 1000));
}

static void put_lost(FILE *file, const struct summary *summary)
{
	const struct recording *recording = &summary->recording;
	bool first = true;
	unsigned int i;

	if (recording->nr_gaps)
		fprintf(file, ", %.3f s not recorded",
			recording_gap_ns(recording, recording_begin_ns(recording),
					 recording_end_ns(recording)) / (double)NS_PER_S);
	if (!recording->lost) {
		fputs(", none lost\n", file);
		return;
	}
	fprintf(file, ", %llu LOST (CPU", (unsigned long long)recording->lost);
	for (i = 0; i < recording->nr_cpus; i++) {
		if (!recording->cpu[i].lost)
			continue;
		fprintf(file, "%s %u: %llu", first ? "" : ",", i,
			(unsigned long long)recording->cpu[i].lost);
		first = false;
	}
	fputs(summary->totals_lack ? "); neither the totals nor the steps have their slots\n" :
	      "); the totals have their slots, the steps do not\n", file);
}

/**
 * report_head - print of what machine and time the recording is, and what it lacks
 * @file: where to
 * @summary: summary
 */
void report_head(FILE *file, const struct summary *summary)
{
	const struct record_info *info = &summary->recording.info;

	fprintf(file, "%s: %s, Linux %s, topdown %s\n", info->host,
		*info->codename ? info->codename : info->cpu_name, info->kernel, info->module);
	fprintf(file, "topdown %s\n", summary->recording.command);
	report_time(file, recording_epoch(&summary->recording,
					  recording_in_part(&summary->recording) ?
					  recording_begin_ns(&summary->recording) :
					  info->begin.monotonic_ns), true);
	fprintf(file, ", %.3f s: %llu %s%s of %u %s%s", summary_seconds(summary),
		(unsigned long long)summary->recording.windows,
		summary_of_tasks(summary) ? "sample" : "window",
		plural_text(summary->recording.windows), summary_used(summary),
		runs_recorded(summary) ? "run" : summary_of_tasks(summary) ? "task" : "CPU",
		plural_text(summary_used(summary)));
	if (summary_of_tasks(summary))
		putc('\n', file);
	else
		put_lost(file, summary);
}

static void put_totals(FILE *file, const struct row *row)
{
	double running, ipc = topdown_figures_ipc(&row->figures);
	double busy = topdown_figures_busy(&row->figures, row->time_ns);
	char slots[GROUPED_SIZE];

	grouped_text(slots, row->figures.slots);
	fprintf(file, "%s slots", slots);
	if (row_running(row, &running))
		fprintf(file, ", counted in %.1f%% of the time", running * 100);
	if (!isnan(busy))
		fprintf(file, ", busy %.1f%%", busy * 100);
	if (!isnan(ipc))
		fprintf(file, ", IPC %.2f", ipc);
	putc('\n', file);
	if (row->figures.slots && row_doubt_text(row))
		fprintf(file, "%s: no bottleneck is named\n", row_doubt_text(row));
}

static void put_node(FILE *file, const struct row *row, unsigned int node)
{
	int indent = 2 * topdown_node_level(node);
	const struct series_ranks *ranks = &row->recorded->ranks[node];
	uint32_t ratio = row->figures.ratio[node];
	bool partly;
	double share;
	char text[16];
	unsigned int i;

	partly = !ranks->none && summary_partly(&row->figures, node, &ratio, &share);
	percent_text(text, sizeof(text), ratio, partly ? "~" : "");
	fprintf(file, "%*s%-*s %6s", indent, "", 28 - indent, topdown_node_name(node), text);
	for (i = 0; i < SERIES_RANKS; i++) {
		if (ranks->none)
			fprintf(file, " %6s", "-");
		else
			fprintf(file, " %6.1f", ranks->ratio[i] * 100);
	}
	if (partly)
		fprintf(file, "  ~ counted in %.1f%% of the slots", share * 100);
	fputs(row_marked(row, node) ? "  <- bottleneck\n" : "\n", file);
}

/* The columns of nodes; after the mean those of series_rank. */
static const struct report_word headings[] = {
	{ "mean", "mean of the node, in which each window has the weight of its slots" },
	{ "p5", "5% of the steps that have the node do not exceed it" },
	{ "p50", "50% of the steps that have the node do not exceed it" },
	{ "p95", "95% of the steps that have the node do not exceed it" },
};

static void put_tree(const struct report_options *options, const struct summary *summary,
		     const struct interval *interval)
{
	const struct row *row = &interval->row[0];
	FILE *file = options->output.file;
	struct column_list list;
	unsigned int i;

	columns_select(&list, TABLE_CPUS, interval->level, summary->nodes);
	if (options->output.header)
		fprintf(file, "%-28s %6s %6s %6s %6s  over %zu step%s of %.3f s\n", "% of slots",
			headings[0].word, headings[1].word, headings[2].word, headings[3].word,
			summary_steps(summary),
			plural_text(summary_steps(summary)),
			summary->all.series.step_ns / (double)NS_PER_S);
	for (i = 0; i < list.nr; i++) {
		if (column_is_node(list.column[i]))
			put_node(file, row, list.column[i]->of);
	}
}

/* The bottleneck of some steps in a row. */
struct stretch {
	int node;
	int child;
	size_t from;
	size_t to;
	const char *doubt;
	struct topdown_figures figures;
};

/* A step may begin before a file does. */
static uint64_t recorded_from(const struct recording *recording, uint64_t at_ns)
{
	size_t i;

	for (i = 0; i < recording->nr_gaps; i++) {
		if (recording->gap[i].begin_ns <= at_ns && at_ns < recording->gap[i].end_ns)
			return recording->gap[i].end_ns;
	}
	return at_ns;
}

static void put_stretch(FILE *file, const struct summary *summary, const struct series *series,
			const struct stretch *stretch)
{
	uint64_t at_ns = series_step_begin(series, stretch->from);
	uint64_t end_ns = series_step_end(series, stretch->to - 1);
	char text[16];

	at_ns = recorded_from(&summary->recording, at_ns);
	report_time(file, recording_epoch(&summary->recording, at_ns), false);
	fprintf(file, " %10.3f s  ",
		(end_ns - at_ns - recording_gap_ns(&summary->recording, at_ns, end_ns)) /
		(double)NS_PER_S);
	if (stretch->doubt) {
		fprintf(file, "%s: no bottleneck is named\n", stretch->doubt);
		return;
	}
	if (stretch->node < 0) {
		fputs(stretch->figures.slots ? "no node is over its threshold\n" :
		      summary->recording.lost ? "no slots, or lost windows\n" : "no slots\n",
		      file);
		return;
	}
	percent_text(text, sizeof(text), stretch->figures.ratio[stretch->node], "%");
	fprintf(file, "%s %s", topdown_node_name(stretch->node), text);
	if (stretch->child >= 0) {
		percent_text(text, sizeof(text), stretch->figures.ratio[stretch->child], "%");
		fprintf(file, ", %s %s", topdown_node_name(stretch->child), text);
	}
	putc('\n', file);
}

static void look_at(const struct summary *summary, const struct series *series, size_t step,
		    struct stretch *stretch)
{
	struct row row;

	summary_step_row(summary, &summary->all, series, step, &row, NULL);
	stretch->doubt = row.figures.slots ? row_doubt_text(&row) : NULL;
	stretch->node = row_bottleneck(&row);
	stretch->child = row_bottleneck_child(&row, stretch->node);
	stretch->from = step;
	stretch->to = step + 1;
	stretch->figures = row.figures;
}

static bool goes_on(const struct stretch *one, const struct stretch *other)
{
	return one->node == other->node && one->child == other->child &&
	       one->doubt == other->doubt &&
	       !one->figures.slots == !other->figures.slots;
}

/* The gaps that begin before a time, from @gap on. Returns the next. */
static size_t put_gaps(FILE *file, const struct recording *recording, size_t gap, uint64_t end_ns)
{
	for (; gap < recording->nr_gaps && recording->gap[gap].begin_ns < end_ns; gap++) {
		const struct recording_gap *at = &recording->gap[gap];

		if (at->end_ns <= recording_begin_ns(recording) || at->end_ns <= at->begin_ns)
			continue;
		report_time(file, recording_epoch(recording, at->begin_ns), false);
		fprintf(file, " %10.3f s  not recorded\n",
			(at->end_ns - at->begin_ns) / (double)NS_PER_S);
	}
	return gap;
}

/* Steps with the same bottleneck are one line, unless something was not recorded between them. */
static void put_stretches(FILE *file, const struct summary *summary, const struct series *series)
{
	const struct recording *recording = &summary->recording;
	struct stretch last = { .to = 0 }, now;
	size_t i, gap = 0;

	for (i = 0; i < series->nr; i++) {
		uint64_t end_ns = series_step_end(series, i);
		bool none = summary_step_unrecorded(summary, series, i);

		look_at(summary, series, i, &now);
		if (!none && last.to && goes_on(&last, &now)) {
			last.to = now.to;
			topdown_figures_add(&last.figures, &now.figures, summary->level);
		} else if (!none) {
			if (last.to)
				put_stretch(file, summary, series, &last);
			last = now;
		}
		if (gap == recording->nr_gaps || recording->gap[gap].begin_ns >= end_ns)
			continue;
		if (last.to)
			put_stretch(file, summary, series, &last);
		last.to = 0;
		gap = put_gaps(file, recording, gap, end_ns);
	}
	if (last.to)
		put_stretch(file, summary, series, &last);
}

static void put_timeline(const struct report_options *options, const struct summary *summary)
{
	struct series joined;

	if (!series_join(&joined, &summary->all.series, TIMELINE_MAX)) {
		fputs("\nbottleneck over time\n", options->output.file);
		put_stretches(options->output.file, summary, &joined);
	}
	series_free(&joined);
}

/**
 * report_text - print the tables
 * @options: the command line
 * @summary: summary
 * @interval: rows: the sum, and then CPUs or tasks
 */
void report_text(const struct report_options *options, const struct summary *summary,
		 const struct interval *interval)
{
	FILE *file = options->output.file;

	if (options->output.header)
		report_head(file, summary);
	put_totals(file, &interval->row[0]);
	putc('\n', file);
	put_tree(options, summary, interval);
	put_timeline(options, summary);
	if (interval->nr > 1) {
		putc('\n', file);
		output_table(&options->output, interval);
	}
}

/**
 * report_meaning - what a heading of the tables means
 * @word: heading
 *
 * Return: some words; NULL for another word.
 */
const char *report_meaning(const char *word)
{
	unsigned int i;

	for (i = 0; i < sizeof(headings) / sizeof(headings[0]); i++) {
		if (!strcmp(headings[i].word, word))
			return headings[i].meaning;
	}
	return owner_table_meaning(word);
}
