// SPDX-License-Identifier: GPL-2.0
/*
 * topdown report: what a recording says.
 */
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "latency-columns.h"
#include "metrics.h"
#include "clock.h"
#include "columns.h"
#include "message.h"
#include "owner-rows.h"
#include "page.h"
#include "windows.h"

static int no_memory(void)
{
	return message_fail(EXIT_RUNTIME, "cannot report: %s", strerror(ENOMEM));
}

/**
 * struct listing - where the windows go that are printed
 * @options: the command line
 * @windows: the windows
 * @closed_ns: when the last window of each CPU closed
 */
struct listing {
	const struct report_options *options;
	struct windows windows;
	uint64_t closed_ns[CPULIST_MAX];
};

static int list_window(void *data, const struct recording *recording,
		       const struct recording_piece *piece)
{
	const struct record_window *from = piece->window;
	struct topdown_window window;
	struct listing *listing = data;
	unsigned int level;

	/* The open window has not closed, and history does not show it. */
	if (!from || !from->window.number)
		return 0;
	window = from->window;
	level = windows_level(&listing->options->output, listing->options->level, from->level);
	td_figures_ratios(&window.figures, window.nodes & td_nodes_of_level(level));
	if (windows_add(&listing->windows, recording_epoch(recording, window.time_ns),
			from->cpu, from->source, level, &window))
		return no_memory();
	/* A module that does not know the busy time says that it is 0. */
	if (listing->closed_ns[from->cpu] && window.figures.busy_ns)
		windows_follow(&listing->windows, listing->closed_ns[from->cpu]);
	listing->closed_ns[from->cpu] = window.time_ns;
	return 0;
}

static int print_windows(struct report_options *options)
{
	static struct listing listing;
	const struct recording_sink sink = { .piece = list_window, .data = &listing };
	struct recording recording;
	int ret;

	listing.options = options;
	options->output.views = COLUMNS_WINDOWS;
	ret = recording_read(&recording, &options->files, &options->choice, &sink);
	if (!ret && recording.info.subject != RECORD_OF_CPUS)
		ret = message_fail(EXIT_USAGE,
				   "--windows: %s is of tasks, which have no windows (try --steps)",
				   recording.name);
	if (!ret)
		ret = windows_print(&listing.windows, &options->output);
	windows_free(&listing.windows);
	recording_free(&recording);
	return ret;
}

/**
 * struct rows - the row of all, and one of each CPU or task
 * @interval: rows
 * @recorded: what they point to, in the same order
 */
struct rows {
	struct interval interval;
	struct row_recorded *recorded;
};

static int make_rows(const struct summary *summary, struct rows *rows)
{
	struct interval *interval = &rows->interval;
	unsigned int nr = summary_used(summary) + 1;

	interval->level = summary->all.level && summary->all.level < summary->level ?
			  summary->all.level : summary->level;
	interval->tasks = summary_of_tasks(summary);
	rows->recorded = calloc(nr, sizeof(*rows->recorded));
	return !rows->recorded || interval_make(interval, nr) ? no_memory() : 0;
}

static void add_row(const struct summary *summary, const struct summary_subject *subject,
		    struct rows *rows)
{
	unsigned int i = rows->interval.nr++;

	summary_row(summary, subject, &rows->interval.row[i], &rows->recorded[i]);
}

static void add_step(const struct summary *summary, const struct summary_subject *subject,
		     size_t step, struct rows *rows)
{
	unsigned int i = rows->interval.nr++;

	summary_step_row(summary, subject, &subject->series, step, &rows->interval.row[i],
			 &rows->recorded[i]);
}

/* One task is all there is. */
static bool shows_each(const struct report_options *options, const struct summary *summary)
{
	if (!summary_of_tasks(summary))
		return options->each;
	return options->each && summary->recording.nr_tasks > 1;
}

static void fill_rows(const struct report_options *options, const struct summary *summary,
		      struct rows *rows)
{
	struct interval *interval = &rows->interval;
	unsigned int i;

	interval->length = summary_seconds(summary);
	interval->elapsed = interval->length;
	interval->time = recording_epoch(&summary->recording,
					 recording_end_ns(&summary->recording));
	add_row(summary, &summary->all, rows);
	for (i = 0; i < summary->nr && shows_each(options, summary); i++) {
		if (summary->subject[i].used)
			add_row(summary, &summary->subject[i], rows);
	}
}

static int print_rows(struct report_options *options, const struct summary *summary,
		      struct rows *rows)
{
	struct interval *interval = &rows->interval;
	int ret;

	options->output.views |= COLUMNS_REPORT;
	fill_rows(options, summary, rows);
	if (options->output.format != OUTPUT_TABLE) {
		if (summary->recording.owners.there)
			message_note("owners are left out (--owners prints them)");
		return output_interval(&options->output, interval);
	}
	report_text(options, summary, interval);
	ret = report_owners_text(options, summary);
	if (!ret)
		ret = report_latency_text(options, summary);
	return ret ? ret : output_flush(&options->output);
}

static void fill_step(const struct report_options *options, const struct summary *summary,
		      size_t step, struct rows *rows)
{
	struct interval *interval = &rows->interval;
	const struct series *series = &summary->all.series;
	uint64_t end_ns = series_step_end(series, step);
	unsigned int i;

	interval->nr = 0;
	interval->length = (end_ns - series_step_begin(series, step)) / (double)NS_PER_S;
	interval->elapsed = (end_ns - series->start_ns) / (double)NS_PER_S;
	interval->time = recording_epoch(&summary->recording, end_ns);
	add_step(summary, &summary->all, step, rows);
	for (i = 0; i < summary->nr && shows_each(options, summary); i++) {
		if (summary->subject[i].used)
			add_step(summary, &summary->subject[i], step, rows);
	}
}

static int print_steps(struct report_options *options, const struct summary *summary,
		       struct rows *rows)
{
	size_t step;
	int ret = 0;

	options->output.views |= COLUMNS_STEPS;
	for (step = 0; step < summary->all.series.nr && !ret; step++) {
		fill_step(options, summary, step, rows);
		ret = output_interval(&options->output, &rows->interval);
	}
	return ret;
}

static int print_page(const struct report_options *options, struct summary *summary)
{
	latency_sums_join(&summary->latencies, PAGE_STEPS);
	return report_html(options, summary);
}

static int print_summary(struct report_options *options)
{
	struct summary summary = {
		.step_ns = options->step_ms * NS_PER_MS,
		.level = options->level ? options->level : 2,
		.each = options->each,
		.owner_steps = options->html || (options->owners && options->steps),
	};
	struct rows rows = { .recorded = NULL };
	int ret;

	ret = summary_read(&summary, &options->files, &options->choice);
	options->output.views = summary_of_tasks(&summary) ? COLUMNS_TASKS : COLUMNS_CPUS;
	options->output.own = &owner_columns;
	if (!ret)
		ret = report_owners_there(options, &summary);
	if (!ret && options->owners &&
	    owner_sums_join_last(&summary.owners, summary_end_ns(&summary)))
		ret = no_memory();
	if (!ret)
		ret = make_rows(&summary, &rows);
	if (!ret && options->owners)
		ret = report_owners(options, &summary);
	else if (!ret && options->latency)
		ret = report_latency(options, &summary);
	else if (!ret && options->html)
		ret = print_page(options, &summary);
	else if (!ret)
		ret = options->steps ? print_steps(options, &summary, &rows) :
				       print_rows(options, &summary, &rows);
	interval_free(&rows.interval);
	free(rows.recorded);
	summary_free(&summary);
	return ret;
}

static int print_schema(const struct report_options *options)
{
	if (options->diff)
		return report_diff_schema(options->owners);
	if (options->latency)
		return output_json_schema("report --latency", COLUMNS_LATENCIES,
					  &latency_columns);
	if (options->owners)
		return output_json_schema("report --owners", COLUMNS_TASKS | COLUMNS_OWNED,
					  &owner_columns);
	return output_json_schema("report", COLUMNS_ALL | COLUMNS_REPORT | COLUMNS_STEPS |
				  COLUMNS_WINDOWS, &owner_columns);
}

static int run(struct report_options *options)
{
	if (options->diff)
		return report_diff(options);
	if (options->trace)
		return report_trace(options);
	return options->windows ? print_windows(options) : print_summary(options);
}

int report_main(int argc, char **argv)
{
	struct report_options options = {
		.output = {
			.file = stdout,
			.name = "standard output",
			.header = true,
		},
	};
	bool done;
	int ret;

	ret = report_parse(&options, argc, argv, &done);
	if (!ret && !done)
		ret = options.schema ? print_schema(&options) : run(&options);
	recording_files_free(&options.files);
	return ret;
}
