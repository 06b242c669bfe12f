// SPDX-License-Identifier: GPL-2.0
/*
 * A recording added up: totals and figures over time, of all and of each CPU or task.
 */
#include "summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sums.h"
#include "clock.h"
#include "message.h"

static int no_memory(void)
{
	return message_fail(EXIT_RUNTIME, "cannot add up the recording: %s", strerror(ENOMEM));
}

/**
 * summary_of_tasks - is the recording of tasks?
 * @summary: summary
 *
 * Return: true or false.
 */
bool summary_of_tasks(const struct summary *summary)
{
	return summary->recording.info.subject == RECORD_OF_TASKS;
}

/* With what the module had kept, the recording begins up to so much earlier. */
static uint64_t start_of(const struct recording *recording)
{
	const struct record_info *info = &recording->info;
	uint64_t kept_ns = (uint64_t)info->history * info->period_ms * NS_PER_MS;
	uint64_t start_ns = info->begin.monotonic_ns;

	if (info->flags & RECORD_PAST)
		start_ns = kept_ns < start_ns ? start_ns - kept_ns : 0;
	return start_ns > recording->since_ns ? start_ns : recording->since_ns;
}

/* Without what the module had kept. */
static uint64_t first_of(const struct recording *recording)
{
	uint64_t begin_ns = recording->info.begin.monotonic_ns;

	return begin_ns > recording->since_ns ? begin_ns : recording->since_ns;
}

/* An interval of latencies lies in one step. @step_ns: length of a step of slots */
static uint64_t latency_step(const struct summary *summary, const struct record_info *info,
			     uint64_t step_ns)
{
	uint64_t interval_ns = info->latency_ms * NS_PER_MS;

	return interval_ns > summary->step_ns ? interval_ns : step_ns;
}

/* The same of owners. */
static uint64_t owner_step(const struct summary *summary, const struct recording *recording,
			   uint64_t step_ns)
{
	uint64_t interval_ns = recording->owners.interval_ms * NS_PER_MS;

	return interval_ns > summary->step_ns ? interval_ns : step_ns;
}

static int begin(void *data, const struct recording *recording)
{
	const struct record_info *info = &recording->info;
	struct summary *summary = data;
	unsigned int i;
	uint64_t step_ns = summary->step_ns;

	if (!step_ns)
		step_ns = (info->interval_ms ? info->interval_ms : info->period_ms) * NS_PER_MS;
	summary->nr = info->subject == RECORD_OF_TASKS ? RECORDING_TASKS_MAX : info->nr_cpus;
	summary->subject = calloc(summary->nr + 1, sizeof(*summary->subject));
	if (!summary->subject)
		return no_memory();
	latency_sums_begin(&summary->latencies, first_of(recording),
			   latency_step(summary, info, step_ns), summary->nr);
	owner_sums_begin(&summary->owners, summary->owner_steps, first_of(recording),
			 owner_step(summary, recording, step_ns));
	series_begin(&summary->all.series, start_of(recording), step_ns, summary->level);
	for (i = 0; i < summary->nr; i++)
		series_begin(&summary->subject[i].series, start_of(recording), step_ns,
			     summary->level);
	return 0;
}

static void join_facts(struct summary_subject *subject, const struct recording_piece *piece)
{
	subject->used = true;
	subject->source = td_source_join(subject->source, piece->source);
	if (piece->figures.slots && (!subject->level || piece->level < subject->level))
		subject->level = piece->level;
	subject->flags |= piece->flags;
	subject->turns = td_turns_more(subject->turns, piece->turns);
	subject->windows += !piece->window || piece->window->window.number;
}

static void join_sample(const struct summary *summary, struct summary_subject *subject,
			const struct record_sample *sample)
{
	if (!subject->begin_ns)
		subject->begin_ns = sample->begin_ns;
	subject->end_ns = sample->end_ns;
	subject->state = sample->state;
	subject->session.merged_ns += sample->merged_ns;
	subject->session.switches += sample->switches;
	subject->session.incomplete |= sample->flags & TOPDOWN_SESSION_OUT_INCOMPLETE;
	subject->session.cores = &subject->cores;
	topdown_figures_add(&subject->cores.core, &sample->core, summary->level);
	topdown_figures_add(&subject->cores.atom, &sample->atom, summary->level);
}

static int add_piece(const struct summary *summary, struct summary_subject *subject,
		     const struct recording_piece *piece)
{
	join_facts(subject, piece);
	td_figures_add(&subject->total, &piece->figures);
	if (piece->figures.slots)
		subject->nodes |= td_nodes_of_figures(&piece->figures);
	if (piece->sample)
		join_sample(summary, subject, piece->sample);
	if (subject != &summary->all && !summary->each)
		return 0;
	return series_add(&subject->series, piece->begin_ns, piece->end_ns, &piece->figures);
}

/* The window had ended when the recording began. */
static bool is_past(const struct recording *recording, const struct recording_piece *piece)
{
	const struct recording_cpu *cpu;

	if (!piece->window || !piece->window->window.number)
		return false;
	cpu = &recording->cpu[piece->subject];
	return cpu->has_begin && piece->window->window.number <= cpu->begin.record.windows;
}

static int piece(void *data, const struct recording *recording,
		 const struct recording_piece *more)
{
	struct summary *summary = data;

	if (more->figures.slots)
		summary->nodes |= td_nodes_of_figures(&more->figures) &
				  td_nodes_of_level(summary->level);
	if (is_past(recording, more))
		td_figures_add(&summary->subject[more->subject].past, &more->figures);
	if (add_piece(summary, &summary->all, more) ||
	    add_piece(summary, &summary->subject[more->subject], more))
		return no_memory();
	return 0;
}

static int latency(void *data, const struct recording *recording,
		   const struct latency_piece *more)
{
	struct summary *summary = data;

	(void)recording;
	return latency_sums_add(&summary->latencies, more) ? no_memory() : 0;
}

static int owned(void *data, const struct recording *recording, const struct owner_piece *more)
{
	struct summary *summary = data;

	(void)recording;
	return owner_sums_add(&summary->owners, more) ? no_memory() : 0;
}

static uint64_t length_of(const struct recording *recording)
{
	uint64_t begin_ns = first_of(recording), end_ns = recording_end_ns(recording);

	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

/* As stat does it: an idle CPU ends no window, so the length of the recording says more. */
static uint64_t time_of(const struct recording *recording, const struct topdown_figures *total)
{
	uint64_t late_ns = 2 * recording->info.period_ms * NS_PER_MS;
	uint64_t length_ns = length_of(recording) -
			     recording_gap_ns(recording, first_of(recording),
					      recording_end_ns(recording));

	return total->enabled_ns + late_ns >= length_ns ? total->enabled_ns : length_ns;
}

/*
 * If windows were lost, the records of begin and end still have all slots. They are of all the
 * time, and not of a part, or of files with a gap between.
 */
static bool take_edges(struct summary_subject *to, const struct recording_cpu *from, bool past,
		       bool in_part)
{
	struct topdown_figures sum = to->past, between;

	if (in_part || !from->has_begin || !from->has_finish ||
	    topdown_record_between(&from->begin.record, &from->finish.record, 2, &between))
		return false;
	/* The totals have the open window of the begin, but what is between them does not. */
	if (past)
		td_figures_add(&sum, &from->begin.open);
	td_figures_add(&sum, &between);
	to->total = sum;
	to->nodes |= td_nodes_of_figures(&between);
	to->source = td_source_join(to->source, from->finish.record.source);
	if (!to->level)
		to->level = from->finish.record.level;
	return true;
}

static void take_state(const struct summary *summary, struct summary_subject *to,
		       const struct recording_cpu *from)
{
	struct row row;

	to->state = from->has_finish ? from->finish.record.state : from->cpu.state;
	summary_row(summary, to, &row, NULL);
	to->state = row_interval_state(&row);
	if (!from->cpu.level && !to->level)
		return;
	/* As the module, which also counts CPUs that were measured for some time. */
	to->nr_cpus = to->total.enabled_ns || to->state == TOPDOWN_STATE_OK;
	to->time_ns = to->nr_cpus ? time_of(&summary->recording, &to->total) : 0;
}

static void join_all(struct summary *summary, const struct summary_subject *more)
{
	struct summary_subject *all = &summary->all;

	td_figures_add(&all->total, &more->total);
	if (more->total.slots)
		all->nodes &= more->nodes;
	all->state = td_state_worse(all->state, more->state);
	all->nr_cpus += more->nr_cpus;
	all->time_ns += more->time_ns;
}

static void take_records(struct summary *summary)
{
	const struct recording *recording = &summary->recording;
	bool past = recording->info.flags & RECORD_PAST;
	bool in_part = recording_in_part(recording) || recording->nr_gaps;
	unsigned int cpu;

	summary->all.total = (struct topdown_figures){ .slots = 0 };
	summary->all.nodes = td_nodes_of_level(summary->level);
	summary->all.state = TOPDOWN_STATE_EXCLUDED;
	summary->all.lost = recording->lost;
	for (cpu = 0; cpu < recording->nr_cpus; cpu++) {
		const struct recording_cpu *from = &recording->cpu[cpu];
		struct summary_subject *to = &summary->subject[cpu];

		if (!from->there)
			continue;
		to->used = true;
		to->lost = from->lost;
		if (to->lost && !take_edges(to, from, past, in_part))
			summary->totals_lack = true;
		if (to->lost && !summary->all.level)
			summary->all.level = to->level;
		td_figures_ratios(&to->total, to->nodes & td_nodes_of_level(summary->level));
		take_state(summary, to, from);
		join_all(summary, to);
	}
	td_figures_ratios(&summary->all.total, summary->all.nodes);
}

static void take_tasks(struct summary *summary)
{
	const struct recording *recording = &summary->recording;
	unsigned int i;

	for (i = 0; i < recording->nr_tasks; i++) {
		struct task *task = &summary->subject[i].task;

		summary->subject[i].used = true;
		td_figures_ratios(&summary->subject[i].total,
				  summary->subject[i].nodes & td_nodes_of_level(summary->level));
		task->pid = recording->task[i].pid;
		task->tid = recording->task[i].tid;
		memcpy(task->name, recording->task[i].name, sizeof(task->name));
		task->name[sizeof(task->name) - 1] = '\0';
	}
	td_figures_ratios(&summary->all.total,
			  summary->all.nodes & td_nodes_of_level(summary->level));
	/* One task is all of them; several have no name together. */
	summary->all.task = summary->subject[0].task;
	summary->all.state = summary->subject[0].state;
	if (recording->nr_tasks == 1)
		return;
	summary->all.task = (struct task){ .name = "all" };
	for (i = 0; i < recording->nr_tasks; i++) {
		if (summary->subject[i].state < summary->all.state)
			summary->all.state = summary->subject[i].state;
	}
}

/* Where nothing was kept yet there is nothing to show. */
static size_t empty_steps(const struct series *series)
{
	size_t i = 0;

	while (i < series->nr && !series->step[i].slots && !series->step[i].enabled_ns)
		i++;
	return i < series->nr ? i : 0;
}

/* The recording may end before its last step would. */
static uint64_t end_of(const struct summary *summary)
{
	const struct series *series = &summary->all.series;
	uint64_t end_ns = series_step_begin(series, series->nr);

	return summary->recording.last_ns < end_ns ? summary->recording.last_ns : end_ns;
}

static int rank_all(struct summary *summary)
{
	bool past = summary->recording.info.flags & RECORD_PAST;
	size_t skipped = past ? empty_steps(&summary->all.series) : 0;
	unsigned int i;
	int ret;

	series_skip(&summary->all.series, skipped);
	summary->all.series.end_ns = end_of(summary);
	ret = series_ranks(&summary->all.series, summary->all.ranks);

	for (i = 0; i < summary->nr && summary->each && !ret; i++) {
		struct summary_subject *subject = &summary->subject[i];

		if (!subject->used)
			continue;
		series_coarsen(&subject->series, summary->all.series.step_ns);
		series_skip(&subject->series, skipped);
		subject->series.end_ns = summary->all.series.end_ns;
		ret = series_ranks(&subject->series, subject->ranks);
	}
	return ret ? no_memory() : 0;
}

/**
 * summary_read - read a recording and add it up
 * @summary: @step_ns, @level and @each are set by the caller, who frees it in any case
 * @files: its files
 * @choice: as for recording_read()
 *
 * Return: 0, or an exit code after a message.
 */
int summary_read(struct summary *summary, const struct recording_files *files,
		 const struct recording_choice *choice)
{
	const struct recording_sink sink = {
		.begin = begin, .piece = piece, .latency = latency, .owned = owned,
		.data = summary,
	};
	int ret;

	ret = recording_read(&summary->recording, files, choice, &sink);
	if (ret)
		return ret;
	if (summary_of_tasks(summary))
		take_tasks(summary);
	else
		take_records(summary);
	return rank_all(summary);
}

/**
 * summary_free - free
 * @summary: summary
 */
void summary_free(struct summary *summary)
{
	unsigned int i;

	for (i = 0; i < summary->nr && summary->subject; i++)
		series_free(&summary->subject[i].series);
	free(summary->subject);
	summary->subject = NULL;
	series_free(&summary->all.series);
	latency_sums_free(&summary->latencies);
	owner_sums_free(&summary->owners);
	recording_free(&summary->recording);
}

/**
 * summary_used - number of CPUs or tasks
 * @summary: summary
 *
 * Return: the number.
 */
unsigned int summary_used(const struct summary *summary)
{
	unsigned int i, nr = 0;

	for (i = 0; i < summary->nr; i++)
		nr += summary->subject[i].used;
	return nr;
}

/**
 * summary_partly - a child that was counted in some slots only, as with drilldown
 * @total: figures
 * @node: enum topdown_node
 * @ratio: its share of the slots in which it was counted
 * @share: share of these slots
 *
 * Return: false if it is no such node.
 */
bool summary_partly(const struct topdown_figures *total, unsigned int node, uint32_t *ratio,
		    double *share)
{
	unsigned int i;

	if (topdown_figures_has(total, node))
		return false;
	for (i = 0; i < TOPDOWN_MAX_PARENTS; i++) {
		uint64_t counted = total->children_slots[i];

		if (!(td_nodes_of_parents(1U << i) >> node & 1) || !counted ||
		    counted >= total->slots)
			continue;
		*ratio = td_ratio(total->node[node], counted);
		*share = (double)counted / total->slots;
		return true;
	}
	return false;
}

/**
 * summary_end_ns - when the recording ended
 * @summary: summary
 *
 * Return: CLOCK_MONOTONIC of its machine.
 */
uint64_t summary_end_ns(const struct summary *summary)
{
	return first_of(&summary->recording) + length_of(&summary->recording);
}

/**
 * summary_seconds - how long the recording lasted
 * @summary: summary
 *
 * Return: seconds.
 */
double summary_seconds(const struct summary *summary)
{
	const struct recording *recording = &summary->recording;
	uint64_t begin_ns = recording_begin_ns(recording), end_ns = recording_end_ns(recording);

	return end_ns > begin_ns ? (end_ns - begin_ns) / (double)NS_PER_S : 0;
}

static void fill_who(const struct summary *summary, const struct summary_subject *subject,
		     struct row *row)
{
	bool all = subject == &summary->all;

	row->kind = all ? ROW_ALL : ROW_CPU;
	row->cpu = all ? TOPDOWN_CPU_ALL : subject - summary->subject;
	if (summary_of_tasks(summary)) {
		row->kind = all && summary->recording.nr_tasks != 1 ? ROW_ALL :
			    subject->task.tid ? ROW_THREAD : ROW_PROCESS;
		row->cpu = 0;
		row->task = &subject->task;
	}
	row->core_id = -1;
	row->socket = -1;
	row->numa = -1;
}

/**
 * summary_row - the row of a subject
 * @summary: summary
 * @subject: its @all, or one of its @subject
 * @row: to be filled
 * @recorded: what the row points to; NULL if nobody asks for it
 */
void summary_row(const struct summary *summary, const struct summary_subject *subject,
		 struct row *row, struct row_recorded *recorded)
{
	*row = (struct row){
		.state = subject->state,
		.flags = subject->flags,
		.turns = subject->turns,
		.flags_known = !summary_of_tasks(summary) ||
			       summary->recording.task[0].flags_known,
		.source = subject->source,
		.level = subject->level < summary->level ? subject->level : summary->level,
		.nr_cpus = summary_used(summary),
		.figures = subject->total,
		.session = subject->session,
		.recorded = recorded,
	};
	if (recorded)
		*recorded = (struct row_recorded){
			.windows = subject->windows,
			.lost = subject->lost,
			.gap_ns = recording_gap_ns(&summary->recording,
						   recording_begin_ns(&summary->recording),
						   recording_end_ns(&summary->recording)),
			.ranks = subject->ranks,
		};
	fill_who(summary, subject, row);
	if (!row->task && summary->recording.info.features & TOPDOWN_FEATURE_BUSY)
		row->time_ns = subject->time_ns;
	row_expect(row);
}

/* A CPU that sleeps ends no window, but its time passes too. */
static uint64_t time_of_step(const struct summary *summary, const struct summary_subject *subject,
			     const struct series *series, size_t step, uint64_t enabled_ns)
{
	uint64_t from_ns = series_step_begin(series, step);
	uint64_t to_ns = series_step_end(series, step), time_ns;
	uint64_t begin_ns = first_of(&summary->recording);
	uint64_t end_ns = begin_ns + length_of(&summary->recording);

	if (from_ns < begin_ns)
		from_ns = begin_ns;
	if (to_ns > end_ns)
		to_ns = end_ns;
	/* If windows were lost, it is not known who was busy then. */
	if (to_ns <= from_ns || summary->recording.lost)
		return enabled_ns;
	time_ns = (to_ns - from_ns - recording_gap_ns(&summary->recording, from_ns, to_ns)) *
		  subject->nr_cpus;
	return time_ns > enabled_ns ? time_ns : enabled_ns;
}

/**
 * summary_step_unrecorded - is a step in a time that is in no file?
 * @summary: summary
 * @series: its series, or steps that were joined from it
 * @step: number of the step
 *
 * Return: true if nothing is in the step, and most of it was not recorded.
 */
bool summary_step_unrecorded(const struct summary *summary, const struct series *series,
			     size_t step)
{
	uint64_t from_ns = series_step_begin(series, step);
	uint64_t to_ns = series_step_end(series, step);

	if (step < series->nr && (series->step[step].slots || series->step[step].enabled_ns))
		return false;
	return recording_gap_ns(&summary->recording, from_ns, to_ns) > (to_ns - from_ns) / 2;
}

/**
 * summary_steps - number of steps that ranks are of
 * @summary: summary
 *
 * Return: the number of those that were recorded, without a short one at the end.
 */
size_t summary_steps(const struct summary *summary)
{
	const struct series *series = &summary->all.series;
	size_t i, nr = 0;

	for (i = 0; i < series->nr; i++)
		nr += !summary_step_unrecorded(summary, series, i) && !series_step_short(series, i);
	return nr;
}

/**
 * summary_step_row - the row of a subject in one step
 * @summary: summary
 * @subject: its @all, or one of its @subject
 * @series: its series, or steps that were joined from it
 * @step: number of the step
 * @row: to be filled
 * @recorded: what the row points to; NULL if nobody asks for it
 */
void summary_step_row(const struct summary *summary, const struct summary_subject *subject,
		      const struct series *series, size_t step, struct row *row,
		      struct row_recorded *recorded)
{
	bool unrecorded = summary_step_unrecorded(summary, &summary->all.series == series ||
						  subject == &summary->all ? series :
						  &summary->all.series, step);

	summary_row(summary, subject, row, recorded);
	row->figures = step < series->nr ? series->step[step] :
					   (struct topdown_figures){ .slots = 0 };
	if (!row->figures.slots)
		memset(row->figures.ratio, 0xff, sizeof(row->figures.ratio));
	row->session.cores = NULL;
	if (!row->task && summary->recording.info.features & TOPDOWN_FEATURE_BUSY)
		row->time_ns = time_of_step(summary, subject, series, step,
					    row->figures.enabled_ns);
	if (recorded) {
		recorded->ranks = NULL;
		recorded->gap_ns = recording_gap_ns(&summary->recording,
						    series_step_begin(series, step),
						    series_step_end(series, step));
		recorded->unrecorded = unrecorded;
	}
	if (unrecorded)
		row->time_ns = 0;
	row_expect(row);
}
