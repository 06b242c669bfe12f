// SPDX-License-Identifier: GPL-2.0
/*
 * topdown report: the latencies of a recording, as rows.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "latency-columns.h"
#include "latency.h"
#include "message.h"
#include "report.h"

/**
 * struct listing - rows that are about to be printed
 * @summary: the recording
 * @interval: the rows
 * @own: their latencies
 */
struct listing {
	const struct summary *summary;
	struct interval interval;
	struct latency_row *own;
};

static unsigned int nr_events(const struct summary *summary)
{
	return __builtin_popcountll(summary->latencies.events);
}

static int make(struct listing *listing, const struct summary *summary, unsigned int nr)
{
	*listing = (struct listing){ .summary = summary };
	listing->own = calloc(nr + 1, sizeof(*listing->own));
	if (!listing->own || interval_make(&listing->interval, nr))
		return message_fail(EXIT_RUNTIME, "cannot report: %s", strerror(ENOMEM));
	listing->interval.tasks = summary_of_tasks(summary);
	return 0;
}

static void drop(struct listing *listing)
{
	interval_free(&listing->interval);
	free(listing->own);
}

/* @subject: NULL for all.  @aside: share of the time; NaN to go by the flags. */
static void add_row(struct listing *listing, const struct topdown_latency_record *record,
		    const struct summary_subject *subject, double aside)
{
	const struct summary *summary = listing->summary;
	const struct task *task = subject && summary_of_tasks(summary) ? &subject->task : NULL;
	unsigned int n = listing->interval.nr++;
	struct topdown_latency_record of = *record;

	of.cpu = subject && !task ? subject - summary->subject : TOPDOWN_CPU_ALL;
	latency_row_make(&listing->interval.row[n], &listing->own[n], &of, task, aside);
}

/* One task is all there is. */
static const struct summary_subject *only_one(const struct summary *summary)
{
	return summary_of_tasks(summary) && summary->recording.nr_tasks == 1 ?
	       &summary->subject[0] : NULL;
}

static void add_event(struct listing *listing, unsigned int event, bool each)
{
	const struct summary *summary = listing->summary;
	const struct latency_sums *sums = &summary->latencies;
	const struct topdown_latency_record *record;
	unsigned int i;

	add_row(listing, &sums->all[event], only_one(summary),
		latency_sums_aside(sums, sums->nr, event));
	for (i = 0; i < summary->nr && each && !only_one(summary); i++) {
		record = latency_sums_of(sums, i, event);
		if (record)
			add_row(listing, record, &summary->subject[i],
				latency_sums_aside(sums, i, event));
	}
}

/* The rows of the whole recording. The caller drops the listing in any case. */
static int list_all(struct listing *listing, const struct summary *summary, bool each)
{
	uint64_t events = summary->latencies.events;
	struct interval *interval = &listing->interval;
	int ret;

	ret = make(listing, summary, nr_events(summary) * (1 + (each ? summary->nr : 0)));
	for (; events && !ret; events &= events - 1)
		add_event(listing, __builtin_ctzll(events), each);
	interval->length = summary_seconds(summary);
	interval->elapsed = interval->length;
	interval->time = recording_epoch(&summary->recording,
					 recording_end_ns(&summary->recording));
	return ret;
}

static int print(struct output *output, const struct interval *interval)
{
	output->views = COLUMNS_LATENCIES;
	output->own = &latency_columns;
	if (output->format != OUTPUT_TABLE)
		return output_interval(output, interval);
	latency_table(output, interval, false);
	return output_flush(output);
}

/* The rows of a step: the events that have something in it. */
static int print_step(struct report_options *options, struct listing *listing, size_t step)
{
	const struct summary *summary = listing->summary;
	const struct latency_sums *sums = &summary->latencies;
	struct interval *interval = &listing->interval;
	const struct topdown_latency_record *record;
	uint64_t begin_ns = sums->start_ns + step * sums->step_ns;
	uint64_t end_ns = begin_ns + sums->step_ns, events = sums->events;

	/* The recording may end before its last step would. */
	if (end_ns > summary_end_ns(summary) && summary_end_ns(summary) > begin_ns)
		end_ns = summary_end_ns(summary);
	interval->nr = 0;
	interval->length = (end_ns - begin_ns) / (double)NS_PER_S;
	interval->elapsed = (end_ns - sums->start_ns) / (double)NS_PER_S;
	interval->time = recording_epoch(&summary->recording, end_ns);
	for (; events; events &= events - 1) {
		record = latency_sums_step(sums, __builtin_ctzll(events), step);
		if (record)
			add_row(listing, record, only_one(summary), (double)NAN);
	}
	return interval->nr ? print(&options->output, interval) : 0;
}

static int print_steps(struct report_options *options, const struct summary *summary)
{
	struct listing listing;
	size_t step;
	int ret;

	ret = make(&listing, summary, nr_events(summary));
	for (step = 0; step < summary->latencies.nr_steps && !ret; step++)
		ret = print_step(options, &listing, step);
	drop(&listing);
	return ret;
}

static int print_all(struct report_options *options, const struct summary *summary)
{
	struct listing listing;
	int ret;

	ret = list_all(&listing, summary, options->each);
	if (!ret)
		ret = print(&options->output, &listing.interval);
	drop(&listing);
	return ret;
}

/**
 * report_latency - print the latencies, and no slots
 * @options: the command line
 * @summary: summary
 *
 * Return: exit code.
 */
int report_latency(struct report_options *options, const struct summary *summary)
{
	if (!summary->latencies.events)
		return message_fail(EXIT_USAGE, "--latency: %s has no latencies (topdown record --latency records them)",
				    summary->recording.name);
	return options->steps ? print_steps(options, summary) : print_all(options, summary);
}

/**
 * report_latency_text - print the table of latencies below those of slots, if there are any
 * @options: the command line
 * @summary: summary
 *
 * Return: 0, or an exit code after a message.
 */
int report_latency_text(const struct report_options *options, const struct summary *summary)
{
	struct output output = options->output;
	struct listing listing;
	int ret;

	if (!summary->latencies.events)
		return 0;
	ret = list_all(&listing, summary, options->each);
	if (!ret) {
		fputs("\nretire latency of instructions\n", output.file);
		latency_table(&output, &listing.interval, false);
	}
	drop(&listing);
	return ret;
}
