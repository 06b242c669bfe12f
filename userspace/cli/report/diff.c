// SPDX-License-Identifier: GPL-2.0
/*
 * topdown report --diff: a recording compared with one from before a change.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "columns.h"
#include "diff.h"
#include "message.h"
#include "options.h"
#include "owner-diff.h"

/* Steps that have a node say nothing of those that lack it. */
static void take_mean(struct noise_mean *mean, const struct summary *summary, unsigned int value)
{
	noise_mean(mean, &summary->all.series, value);
	if (value == NOISE_IPC || topdown_figures_has(&summary->all.total, value))
		return;
	*mean = (struct noise_mean){ .mean = NAN, .error = NAN, .pairs = NAN };
}

static void take_means(const struct summary *before, const struct summary *after,
		       struct line *lines, unsigned int nr, bool runs)
{
	unsigned int i;

	for (i = 0; i < nr && runs; i++) {
		runs_mean(&lines[i].difference.before, before, lines[i].node);
		runs_mean(&lines[i].difference.after, after, lines[i].node);
	}
	for (i = 0; i < nr && !runs; i++) {
		take_mean(&lines[i].difference.before, before, lines[i].node);
		take_mean(&lines[i].difference.after, after, lines[i].node);
	}
}

static struct noise_mean total_of(const struct summary *summary, unsigned int value)
{
	double total = runs_total(summary, value);

	return (struct noise_mean){
		.known = !isnan(total), .mean = total, .error = NAN, .pairs = NAN,
	};
}

/* In all, or of a run. */
static void take_amounts(struct difference *found)
{
	unsigned int i;

	for (i = 0; i < RUNS_AMOUNTS; i++)
		found->amount[i] = (struct line){
			.name = runs_amounts[i].name,
			.unit = runs_amounts[i].unit,
			.node = RUNS_ELAPSED + i,
			.difference.amount = true,
		};
	if (found->runs) {
		take_means(found->before, found->after, found->amount, RUNS_AMOUNTS, true);
		return;
	}
	for (i = 0; i < RUNS_AMOUNTS; i++) {
		struct line *line = &found->amount[i];

		line->difference.before = total_of(found->before, line->node);
		line->difference.after = total_of(found->after, line->node);
	}
}

/* The mean latency of an event; of one that was not recorded there is none. */
static void take_latency(struct noise_mean *mean, const struct summary *summary,
			 unsigned int event)
{
	static const struct series none;

	noise_mean(mean, summary->latencies.events >> event & 1 ?
		   &summary->latencies.mean[event] : &none, NOISE_IPC);
}

/* Events of one of the recordings, in the order of their numbers. */
static unsigned int choose_latencies(const struct summary *before, const struct summary *after,
				     struct line *lines)
{
	uint64_t events = before->latencies.events | after->latencies.events;
	unsigned int event, nr = 0;

	for (; events; events &= events - 1) {
		event = __builtin_ctzll(events);
		lines[nr] = (struct line){ .name = topdown_latency_event_name(event),
					   .unit = DIFF_LATENCY_UNIT, .node = NOISE_IPC };
		take_latency(&lines[nr].difference.before, before, event);
		take_latency(&lines[nr].difference.after, after, event);
		nr++;
	}
	return nr;
}

static unsigned int count_known(const struct line *lines, unsigned int nr)
{
	unsigned int i, known = 0;

	for (i = 0; i < nr; i++)
		known += lines[i].difference.before.known && lines[i].difference.after.known;
	return known;
}

/* @together: lines that are tested together. */
static void compare(struct line *lines, unsigned int nr, unsigned int together)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		noise_compare(&lines[i].difference, together ? together : 1);
}

/* An amount has a test only where there are several. */
static void compare_slots(struct difference *found)
{
	unsigned int known = count_known(found->line, found->nr);

	if (found->runs)
		known += count_known(found->amount, RUNS_AMOUNTS);
	compare(found->line, found->nr, known);
	compare(found->amount, RUNS_AMOUNTS, known);
}

/* Nodes in the order of the tree, and IPC. */
static unsigned int choose_lines(const struct summary *before, const struct summary *after,
				 struct line *lines)
{
	unsigned int level = before->level, i, nr = 0;
	struct column_list list;
	uint32_t nodes = 0;

	for (i = 0; i < TD_NR_NODES; i++) {
		if (topdown_figures_has(&before->all.total, i) ||
		    topdown_figures_has(&after->all.total, i))
			nodes |= 1U << i;
	}
	columns_select(&list, TABLE_CPUS, level, nodes);
	for (i = 0; i < list.nr; i++) {
		unsigned int node = list.column[i]->of;

		if (column_is_node(list.column[i]) && nodes >> node & 1)
			lines[nr++] = (struct line){ .name = topdown_node_name(node),
						    .node = node };
	}
	lines[nr++] = (struct line){ .name = "ipc", .node = NOISE_IPC };
	return nr;
}

static int print(const struct report_options *options, const struct difference *found)
{
	int ret = 0;

	if (options->output.format == OUTPUT_CSV && options->output.header)
		diff_lines_header(options);
	if (options->output.format == OUTPUT_TABLE)
		diff_table(options, found);
	else if (options->latency)
		ret = diff_lines_put(options, found->latency, found->nr_latencies);
	else
		ret = diff_lines_put(options, found->line, found->nr);
	if (!ret && options->output.format != OUTPUT_TABLE && !options->latency)
		ret = diff_lines_put(options, found->amount, RUNS_AMOUNTS);
	if (!ret)
		return output_flush((struct output *)&options->output);
	return message_fail(EXIT_RUNTIME, "cannot print: %s", strerror(-ret));
}

/* Shares of slots of CPUs that are counted in another way do not compare. */
static void warn(const struct summary *before, const struct summary *after)
{
	const unsigned int how = TOPDOWN_RECORD_SCALED | TOPDOWN_RECORD_REFINED |
				 TOPDOWN_RECORD_DRILLDOWN;
	const struct record_info *one = &before->recording.info, *other = &after->recording.info;

	if (one->subject != other->subject)
		message_note("one recording is of CPUs, and the other of tasks");
	else if (runs_recorded(before) != runs_recorded(after))
		message_note("only one recording is of runs ('topdown record -r'), so steps are compared");
	else if (before->all.source != after->all.source ||
		 before->all.level != after->all.level)
		message_note("the CPUs of the recordings are not measured in the same way (%s, level %u, and %s, level %u)",
			     topdown_source_name(before->all.source), before->all.level,
			     topdown_source_name(after->all.source), after->all.level);
	else if ((before->all.flags ^ after->all.flags) & how)
		message_note("the CPUs of the recordings are not measured in the same way: only one is refined, drilldown or counted in turns");
	else if (one->slots_per_cycle != other->slots_per_cycle)
		message_note("the CPUs of the recordings have other widths (%u and %u slots a cycle)",
			     one->slots_per_cycle, other->slots_per_cycle);
}

/* More may have other latencies than the rest. */
#define LOST_NOTE	0.01
/* An event that had the counter for other parts of the time saw other parts of the load. */
#define COVERED_NOTE	2

static double covered_of(const struct topdown_latency_record *record)
{
	return record->elapsed_ns ? (double)record->running_ns / record->elapsed_ns : 0;
}

static void warn_of_latencies(const struct summary *before, const struct summary *after)
{
	uint64_t events = before->latencies.events & after->latencies.events;
	unsigned int lost = 0, covered = 0, nr = __builtin_popcountll(events);

	for (; events; events &= events - 1) {
		unsigned int event = __builtin_ctzll(events);
		const struct topdown_latency_record *one = &before->latencies.all[event];
		const struct topdown_latency_record *other = &after->latencies.all[event];
		double first = covered_of(one), second = covered_of(other);

		lost += known_lost(one) > LOST_NOTE || known_lost(other) > LOST_NOTE;
		covered += fmax(first, second) > 0 &&
			   fmax(first, second) >= COVERED_NOTE * fmin(first, second);
	}
	if (lost)
		message_note("latencies of %u of %u events: in a recording more than 1%% of the events were lost, which may have had others",
			     lost, nr);
	if (covered)
		message_note("latencies of %u of %u events: one recording has sampled them in at least twice the share of the time of the other",
			     covered, nr);
}

static bool found_any(const struct report_options *options, const struct difference *found,
		      enum noise_verdict verdict)
{
	return (!options->latency && (diff_has(found->line, found->nr, verdict) ||
				      diff_has(found->amount, RUNS_AMOUNTS, verdict))) ||
	       diff_has(found->latency, found->nr_latencies, verdict);
}

static int find(struct report_options *options, const struct summary *before,
		const struct summary *after)
{
	struct difference found = {
		.before = before, .after = after,
		.runs = runs_recorded(before) && runs_recorded(after),
	};
	int ret;

	found.nr = choose_lines(before, after, found.line);
	take_means(before, after, found.line, found.nr, found.runs);
	take_amounts(&found);
	compare_slots(&found);
	found.nr_latencies = choose_latencies(before, after, found.latency);
	compare(found.latency, found.nr_latencies,
		count_known(found.latency, found.nr_latencies));
	if (found.nr_latencies || !options->latency) {
		ret = print(options, &found);
		return ret ? ret : diff_code(options, found_any(options, &found, NOISE_BEYOND),
					     found_any(options, &found, NOISE_WITHIN));
	}
	return message_fail(EXIT_USAGE, "--latency: neither recording has latencies (topdown record --latency records them)");
}

static int compare_all(struct report_options *options, const struct summary *before,
		       const struct summary *after)
{
	warn(before, after);
	if (before->recording.owners.there && after->recording.owners.there)
		message_note("owners are left out (--owners compares them)");
	if (options->latency || options->output.format == OUTPUT_TABLE)
		warn_of_latencies(before, after);
	return find(options, before, after);
}

static int compare_owners(struct report_options *options, const struct summary *before,
			  const struct summary *after)
{
	int ret = report_owners_there(options, before);

	if (!ret)
		ret = report_owners_there(options, after);
	if (ret)
		return ret;
	if (before->recording.owners.kind != after->recording.owners.kind) {
		message_error("%s and %s have owners of different kinds (topdown record --by process, or --by cgroup, for both)",
			      before->recording.name, after->recording.name);
		return EXIT_USAGE;
	}
	warn(before, after);
	return owner_diff(options, before, after);
}

/**
 * report_diff - compare two recordings
 * @options: the command line
 *
 * Return: exit code.
 */
int report_diff(struct report_options *options)
{
	struct summary before = {
		.step_ns = options->step_ms * NS_PER_MS,
		.level = options->level ? options->level : 2,
		.owner_steps = options->owners,
	};
	struct recording_files files = { .nr = 0 };
	struct summary after = before;
	int ret;

	ret = recording_files_add(&files, options->diff);
	if (!ret)
		ret = recording_files_open(&files, &options->choice);
	if (!ret)
		ret = summary_read(&before, &files, &options->choice);
	if (!ret)
		ret = summary_read(&after, &options->files, &options->choice);
	if (!ret)
		ret = options->owners ? compare_owners(options, &before, &after) :
					compare_all(options, &before, &after);
	summary_free(&before);
	summary_free(&after);
	recording_files_free(&files);
	return ret;
}
