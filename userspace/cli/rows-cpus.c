// SPDX-License-Identifier: GPL-2.0
/*
 * The rows of CPUs: the difference of two readings of counts that only grow.
 */
#include <errno.h>
#include <stdlib.h>
#include <topdown.h>

#include "../../kmod/sums.h"
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

/*
 * The module's state is that of the last window, which may be a small part of the
 * interval.  Where nothing takes turns, the share of the whole interval says more.
 */
static unsigned int interval_state(const struct row *row)
{
	double share = 0;

	if (row->state != TOPDOWN_STATE_OK && row->state != TOPDOWN_STATE_CONTENDED &&
	    row->state != TOPDOWN_STATE_ASIDE)
		return row->state;
	if (row_turns(row) || !row_running(row, &share))
		return row->state;
	if (!row_short(row))
		return TOPDOWN_STATE_OK;
	return row->state == TOPDOWN_STATE_OK ? TOPDOWN_STATE_CONTENDED : row->state;
}

static int fill_row(const struct stat_run *run, struct row *row,
		    const struct topdown_record *record, bool shown)
{
	int ret;

	row->kind = record->cpu == TOPDOWN_CPU_ALL ? ROW_ALL : ROW_CPU;
	row->cpu = record->cpu;
	row->core_id = -1;
	row->socket = -1;
	row->numa = -1;
	row->state = record->state;
	row->flags = record->flags;
	row->flags_known = true;
	row->source = record->source;
	row->level = row_level(record->level, &run->interval);
	/* Ratios cost divisions, and without a row nobody sees them. */
	ret = topdown_reading_between(run->then, run->now, row->cpu, shown ? row->level : 0,
				      &row->figures);
	if (!ret && row->kind == ROW_CPU)
		row->state = interval_state(row);
	return ret;
}

/* The sum has the states of the whole interval, not those of the last windows. */
static void join(struct row *sum, const struct row *cpu)
{
	/* The kernel counts those that were measured at any time. */
	sum->nr_cpus += cpu->level && (cpu->figures.enabled_ns ||
				       cpu->state == TOPDOWN_STATE_OK);
	sum->state = td_state_worse(sum->state, cpu->state);
}

/* CPUs that were off or excluded all the time are only shown to those who named them. */
static bool is_kept(const struct row *row, bool idle_rows)
{
	return idle_rows || row->figures.enabled_ns ||
	       (row->state != TOPDOWN_STATE_OFFLINE && row->state != TOPDOWN_STATE_EXCLUDED);
}

static int compare(struct stat_run *run)
{
	const struct topdown_record *total = topdown_reading_find(run->now, TOPDOWN_CPU_ALL);
	unsigned int i, nr = topdown_reading_nr(run->now);
	struct interval *interval = &run->interval;
	int ret;

	if (!total)
		return -EOPNOTSUPP;
	ret = interval_make(interval, nr + 1);
	if (!ret)
		ret = fill_row(run, &interval->row[interval->nr++], total, true);
	if (ret)
		return ret;
	interval->row[0].state = TOPDOWN_STATE_UNSUPPORTED;
	for (i = 0; i < nr; i++) {
		struct row *row = &interval->row[interval->nr];

		ret = fill_row(run, row, topdown_reading_record(run->now, i),
			       !run->output.tree);
		if (ret)
			return ret;
		join(&interval->row[0], row);
		if (is_kept(row, run->options->has_cpus))
			interval->nr++;
	}
	return 0;
}

static int fill(struct stat_run *run, uint64_t *now_ns)
{
	struct topdown_reading *swap;
	int ret;

	ret = topdown_reading_update(run->now, run->read_flags);
	if (!ret)
		ret = compare(run);
	if (ret)
		return read_error(run, ret);
	*now_ns = topdown_reading_time(run->now);
	swap = run->then;
	run->then = run->now;
	run->now = swap;
	return 0;
}

/* The rows that were asked for, of those of all CPUs. */
static void choose(struct stat_run *run)
{
	if (run->options->per != TOPOLOGY_NONE)
		topology_rows(&run->interval, run->options->per);
	else if (!run->options->per_cpu)
		run->interval.nr = 1;
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

const struct row_source rows_of_cpus = {
	.prepare = prepare,
	.begin = begin,
	.fill = fill,
	.choose = choose,
	.note = note,
	.close = end,
};
