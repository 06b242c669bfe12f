// SPDX-License-Identifier: GPL-2.0
/*
 * The rows of CPUs: the difference of two readings of counts that only grow.
 */
#include <errno.h>
#include <stdlib.h>
#include <topdown.h>

#include "sums.h"
#include "clock.h"
#include "message.h"
#include "refusal.h"
#include "stat.h"

/* Intervals with fewer periods are short. */
#define SHORT_PERIODS	10

static int read_error(const struct stat_run *run, int ret)
{
	return refusal_read(run->options->device, -ret);
}

static bool is_measurable(const struct topdown_record *record)
{
	return record->source != TOPDOWN_SOURCE_NONE && record->level;
}

/* One reading of all CPUs tells which CPUs there are, and whether we may read them. */
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
	if (!measurable)
		return message_fail(EXIT_DEVICE, "none of the CPUs asked for can be measured ('topdown info' and the kernel log say why)");
	return 0;
}

/*
 * Read closed windows if the user asked for that, or if windows are short compared with the
 * intervals. Otherwise the CPUs count until now at each end of an interval.
 */
static void choose_reading(struct stat_run *run)
{
	const struct stat_options *options = run->options;
	uint64_t period_ms = topdown_info_get(run->td)->out_period_ms;

	run->asks_first = !options->windows;
	run->asks_always = options->fresh ||
			   (run->asks_first && options->interval_ms < SHORT_PERIODS * period_ms);
	if (run->asks_first && !topdown_has(run->td, TOPDOWN_FEATURE_FRESH) && !options->quiet)
		message_note("the loaded module cannot count until now on request: intervals end up to %u ms early",
			     (unsigned int)period_ms);
}

static int open_span(struct stat_run *run)
{
	const uint64_t *words = NULL;
	unsigned int nr_words = 0;
	int ret;

	if (run->options->has_cpus) {
		words = run->options->cpus.words;
		nr_words = CPULIST_WORDS;
	}
	ret = span_open(&run->span, run->td, words, nr_words);
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
	return ret ? ret : open_span(run);
}

static int again(struct stat_run *run)
{
	int ret;

	ret = span_begin(&run->span, run->asks_first);
	if (ret)
		return read_error(run, ret);
	run->start_ns = run->span.end_ns;
	run->grid_ns = topdown_reading_time(run->span.then);
	return 0;
}

static int begin(struct stat_run *run)
{
	int ret = again(run);

	if (ret)
		return ret;
	/* The measurement of the machine begins just before the command. */
	return run->options->argv ?
	       command_start(&run->command, NULL, run->options->device, 0) : 0;
}

/* A CPU that came during the interval has all its time in it. */
static void fill_times(const struct stat_run *run, struct row *row, unsigned int i,
		       const struct topdown_record *record)
{
	const struct topdown_record *then = topdown_reading_record(run->span.then, i);

	if (!then || then->cpu != record->cpu)
		then = topdown_reading_find(run->span.then, record->cpu);
	row->figures.enabled_ns = record->total.enabled_ns - (then ? then->total.enabled_ns : 0);
	row->figures.running_ns = record->total.running_ns - (then ? then->total.running_ns : 0);
}

/* If only the sum is shown, nobody needs the slots of a CPU. */
static int fill_figures(const struct stat_run *run, struct row *row, unsigned int i,
			const struct topdown_record *record)
{
	if (!run->output.tree)
		return topdown_reading_between(run->span.then, run->span.now, row->cpu,
					       row->level, &row->figures);
	fill_times(run, row, i, record);
	return 0;
}

static void begin_row(struct row *row, enum row_kind kind)
{
	row->kind = kind;
	row->core_id = -1;
	row->socket = -1;
	row->numa = -1;
	row->flags_known = true;
}

/* Fill the row of the CPU in place @i of the readings. */
static int fill_row(const struct stat_run *run, struct row *row, unsigned int i)
{
	const struct topdown_record *record = topdown_reading_record(run->span.now, i);
	int ret;

	row->cpu = record->cpu;
	row->state = record->state;
	row->flags = record->flags;
	row->turns = record->turns;
	row->source = record->source;
	row->level = row_level(record->level, &run->interval);
	ret = fill_figures(run, row, i, record);
	if (ret)
		return ret;
	row_expect(row);
	row->state = row_interval_state(row);
	return 0;
}

static void begin_sum(const struct stat_run *run, struct row *sum)
{
	begin_row(sum, ROW_ALL);
	sum->cpu = TOPDOWN_CPU_ALL;
	sum->state = TOPDOWN_STATE_UNSUPPORTED;
	sum->source = TOPDOWN_SOURCE_NONE;
	sum->level = run->interval.level;
}

/*
 * The time in which a CPU could be busy.  Records of a busy CPU are up to a period old.  An idle
 * one does not count until now, so the length of the interval says more.
 */
static uint64_t time_of(const struct stat_run *run, const struct row *cpu)
{
	uint64_t length = topdown_reading_time(run->span.now) -
			  topdown_reading_time(run->span.then);
	uint64_t late = 2 * topdown_info_get(run->td)->out_period_ms * NS_PER_MS;
	uint64_t enabled = cpu->figures.enabled_ns;

	if (!topdown_has(run->td, TOPDOWN_FEATURE_BUSY))
		return 0;
	return enabled + late >= length && enabled <= length + late ? enabled : length;
}

/* The sum takes states of the whole interval, not of the last windows. */
static void join(struct row *sum, struct row *cpu, uint64_t time_ns)
{
	/* The module also counts CPUs that were measured for some time. */
	bool counts = cpu->level && (cpu->figures.enabled_ns || cpu->state == TOPDOWN_STATE_OK);

	cpu->time_ns = counts ? time_ns : 0;
	sum->time_ns += cpu->time_ns;
	sum->nr_cpus += counts;
	sum->state = td_state_worse(sum->state, cpu->state);
	sum->expected_ns += cpu->expected_ns;
	/* A CPU that was never measured has none of these. */
	if (!cpu->level)
		return;
	sum->flags |= cpu->flags;
	sum->turns = td_turns_more(sum->turns, cpu->turns);
	if (cpu->level < sum->level)
		sum->level = cpu->level;
	sum->source = td_source_join(sum->source, cpu->source);
}

/* A CPU that was offline or excluded all the time is shown only if the user named it. */
static bool is_kept(const struct row *row, bool idle_rows)
{
	return idle_rows || row->figures.enabled_ns ||
	       (row->state != TOPDOWN_STATE_OFFLINE && row->state != TOPDOWN_STATE_EXCLUDED);
}

/**
 * struct sleeper - a CPU that did not count in the interval, and that was joined
 * @record: its record; NULL for none yet
 * @nr_cpus: by how many the sum grew
 * @time_ns: by how much
 */
struct sleeper {
	const struct topdown_record *record;
	unsigned int nr_cpus;
	uint64_t time_ns;
};

/* Most CPUs of most machines sleep.  Where only the sum is shown, one more changes little. */
static bool is_asleep(const struct stat_run *run, unsigned int i,
		      const struct topdown_record *now)
{
	const struct topdown_record *then = topdown_reading_record(run->span.then, i);

	return then && then->cpu == now->cpu &&
	       then->time_ns == now->time_ns && then->total.enabled_ns == now->total.enabled_ns;
}

static bool is_like(const struct sleeper *sleeper, const struct topdown_record *now)
{
	const struct topdown_record *record = sleeper->record;

	return record && record->state == now->state && record->flags == now->flags &&
	       record->turns == now->turns && record->level == now->level &&
	       record->source == now->source;
}

/* Add up all CPUs, and keep the row of none. */
static int join_all(struct stat_run *run, struct row *sum, struct row *row)
{
	const struct topdown_reading *now = run->span.now;
	unsigned int i, nr = topdown_reading_nr(now), before;
	struct sleeper sleeper = { .record = NULL };
	int ret;

	for (i = 0; i < nr; i++) {
		const struct topdown_record *record = topdown_reading_record(now, i);
		bool asleep = is_asleep(run, i, record);

		if (asleep && is_like(&sleeper, record)) {
			sum->nr_cpus += sleeper.nr_cpus;
			sum->time_ns += sleeper.time_ns;
			continue;
		}
		ret = fill_row(run, row, i);
		if (ret)
			return ret;
		before = sum->nr_cpus;
		join(sum, row, time_of(run, row));
		if (is_kept(row, run->options->has_cpus))
			run->partial |= row_partial(row);
		if (asleep)
			sleeper = (struct sleeper){ record, sum->nr_cpus - before, row->time_ns };
	}
	return 0;
}

/* Add up all CPUs, and keep their rows. */
static int join_rows(struct stat_run *run, struct row *sum)
{
	struct interval *interval = &run->interval;
	unsigned int i, nr = topdown_reading_nr(run->span.now);
	int ret;

	for (i = 0; i < nr; i++) {
		struct row *row = &interval->row[interval->nr];

		begin_row(row, ROW_CPU);
		ret = fill_row(run, row, i);
		if (ret)
			return ret;
		join(sum, row, time_of(run, row));
		if (!is_kept(row, run->options->has_cpus))
			continue;
		run->partial |= row_partial(row);
		interval->nr++;
	}
	return 0;
}

/* Make the row of the sum and, unless only the sum is shown, the row of each CPU. */
static int make_rows(struct stat_run *run, struct row *spare)
{
	const struct span *span = &run->span;
	struct interval *interval = &run->interval;
	bool alone = run->output.tree;
	struct row *sum;
	int ret;

	ret = interval_make(interval, alone ? 1 : topdown_reading_nr(span->now) + 1);
	if (ret)
		return ret;
	sum = &interval->row[interval->nr++];
	begin_sum(run, sum);
	ret = alone ? join_all(run, sum, spare) : join_rows(run, sum);
	if (ret)
		return ret;
	if (sum->source == TOPDOWN_SOURCE_NONE)
		sum->level = 0;
	return topdown_reading_between(span->then, span->now, TOPDOWN_CPU_ALL, sum->level,
				       &sum->figures);
}

static int compare(struct stat_run *run)
{
	/* This is zeroed once only: nobody looks at more than fill_row() writes. */
	static struct row spare;

	begin_row(&spare, ROW_CPU);
	return make_rows(run, &spare);
}

static int fill(struct stat_run *run, uint64_t *now_ns)
{
	int ret;

	/* The last interval ends now, so that all intervals together cover the measurement. */
	ret = span_end(&run->span, run->asks_always || (run->asks_first && run->last));
	if (!ret)
		ret = compare(run);
	if (ret)
		return read_error(run, ret);
	*now_ns = run->span.end_ns;
	span_next(&run->span);
	return 0;
}

/* Keep the rows that the user asked for. */
static void choose(struct stat_run *run)
{
	if (run->options->per != TOPOLOGY_NONE)
		topology_rows(&run->interval, run->options->per);
}

static void note(const struct stat_run *run)
{
	char *text = cpulist_text(&run->cpus);

	message_note("measuring CPU %s; Ctrl-C ends and prints", text ? text : "?");
	free(text);
}

static void end(struct stat_run *run)
{
	span_close(&run->span);
}

const struct row_source rows_of_cpus = {
	.prepare = prepare,
	.begin = begin,
	.again = again,
	.fill = fill,
	.choose = choose,
	.note = note,
	.close = end,
};
