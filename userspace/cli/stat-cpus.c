// SPDX-License-Identifier: GPL-2.0
/*
 * topdown stat of CPUs: the difference of two readings of counts that only grow.
 */
#include <errno.h>
#include <stdlib.h>
#include <topdown.h>

#include "report.h"
#include "stat.h"

static int read_error(const struct stat_run *run, int ret)
{
	return report_read(run->options->device, -ret);
}

static bool is_measurable(const struct topdown_record *record)
{
	return record->source != TOPDOWN_SOURCE_NONE && record->level;
}

/* One reading of all CPUs says which there are, and whether we may read. */
static int look_at_cpus(struct stat_run *run)
{
	struct cpulist possible = { .words = { 0 } }, online = { .words = { 0 } };
	unsigned int measurable = 0, i;
	struct topdown_reading *all = NULL;
	int ret;

	ret = topdown_reading_create(&all, run->td, NULL, 0);
	if (!ret)
		ret = topdown_reading_update(all, 0);
	if (ret) {
		topdown_reading_destroy(all);
		return read_error(run, ret);
	}
	for (i = 0; i < topdown_reading_nr(all); i++) {
		const struct topdown_record *record = topdown_reading_record(all, i);

		if (record->cpu >= CPULIST_MAX)
			continue;
		cpulist_set(&possible, record->cpu);
		if (record->state != TOPDOWN_STATE_OFFLINE)
			cpulist_set(&online, record->cpu);
		if (!run->options->has_cpus || cpulist_has(&run->options->cpus, record->cpu))
			measurable += is_measurable(record);
	}
	topdown_reading_destroy(all);

	run->cpus = run->options->has_cpus ? run->options->cpus : online;
	if (run->options->has_cpus &&
	    !cpulist_check(&run->cpus, "-C", &possible, &online))
		return EXIT_USAGE;
	if (!measurable) {
		report_error("none of the CPUs asked for can be measured ('topdown info' and the kernel log say why)");
		return EXIT_DEVICE;
	}
	return 0;
}

/* Closed windows will do where that was asked for; else the CPUs count until now. */
static void choose_reading(struct stat_run *run)
{
	if (run->options->windows)
		return;
	if (topdown_has(run->td, TOPDOWN_FEATURE_FRESH))
		run->read_flags = TOPDOWN_READ_FRESH;
	else if (!run->options->quiet)
		report_note("the loaded module cannot count until now on request: intervals end up to %u ms early",
			    topdown_info_get(run->td)->out_period_ms);
}

static int make_readings(struct stat_run *run)
{
	const uint64_t *words = NULL;
	unsigned int nr_words = 0;
	int ret;

	if (run->options->has_cpus) {
		words = run->options->cpus.words;
		nr_words = CPULIST_WORDS;
	}
	ret = topdown_reading_create(&run->then, run->td, words, nr_words);
	if (!ret)
		ret = topdown_reading_create(&run->now, run->td, words, nr_words);
	return ret ? read_error(run, ret) : 0;
}

static int prepare(struct stat_run *run)
{
	int ret;

	if (!topdown_has(run->td, TOPDOWN_FEATURE_TOTAL))
		return read_error(run, -EOPNOTSUPP);
	run->output.tree = !run->options->per_cpu && run->options->per == TOPOLOGY_NONE;
	choose_reading(run);
	ret = look_at_cpus(run);
	return ret ? ret : make_readings(run);
}

static int begin(struct stat_run *run)
{
	int ret;

	ret = topdown_reading_update(run->then, run->read_flags);
	if (ret)
		return read_error(run, ret);
	run->start_ns = topdown_reading_time(run->then);
	/* The machine is measured from just before the command. */
	return run->options->argv ?
	       command_start(&run->command, NULL, run->options->device, 0) : 0;
}

/* The rows that were asked for, of those of all CPUs. */
static void choose_rows(struct stat_run *run)
{
	const struct stat_options *options = run->options;

	if (options->per != TOPOLOGY_NONE)
		topology_rows(&run->interval, options->per);
	else if (!options->per_cpu)
		run->interval.nr = 1;
}

static int fill(struct stat_run *run)
{
	struct topdown_reading *swap;
	unsigned int i;
	int ret;

	ret = topdown_reading_update(run->now, run->read_flags);
	if (!ret)
		ret = interval_fill(&run->interval, run->then, run->now,
				    run->options->has_cpus, !run->output.tree);
	if (ret)
		return read_error(run, ret);
	stat_times(run, topdown_reading_time(run->now));
	for (i = 0; i < run->interval.nr; i++)
		run->partial |= row_partial(&run->interval.row[i]);
	choose_rows(run);

	swap = run->then;
	run->then = run->now;
	run->now = swap;
	return 0;
}

static void note(const struct stat_run *run)
{
	char *text = cpulist_text(&run->cpus);

	report_note("measuring CPU %s; Ctrl-C ends and prints", text ? text : "?");
	free(text);
}

static void end(struct stat_run *run)
{
	topdown_reading_destroy(run->now);
	topdown_reading_destroy(run->then);
}

const struct stat_subject stat_cpus = {
	.prepare = prepare,
	.begin = begin,
	.fill = fill,
	.note = note,
	.close = end,
};
