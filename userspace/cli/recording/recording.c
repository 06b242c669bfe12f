// SPDX-License-Identifier: GPL-2.0
/*
 * A recording, read from its file and checked. What a checksum cannot know is checked here: that
 * numbers are in range, and that no window is missing.
 */
#include "recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sums.h"
#include "message.h"

/* The sizes in the first release. */
#define INFO_SIZE_MIN		sizeof(struct record_info)
#define EDGE_SIZE_MIN		(sizeof(struct topdown_figures) + 880)

_Static_assert(sizeof(struct topdown_figures) == 400, "the figures have their final size");
_Static_assert(sizeof(struct record_info) == 472, "the layout of a file stays");
_Static_assert(sizeof(struct record_cpu) == 40, "the layout of a file stays");
_Static_assert(sizeof(struct record_window) == 456, "the layout of a file stays");
_Static_assert(sizeof(struct record_lost) == 24, "the layout of a file stays");
_Static_assert(sizeof(struct record_task) == 88, "the layout of a file stays");
_Static_assert(sizeof(struct record_sample) == 1256, "the layout of a file stays");
_Static_assert(sizeof(struct record_clock) == 24, "the layout of a file stays");
_Static_assert(sizeof(struct record_end) == 48, "the layout of a file stays");

/**
 * struct loading - a file that is being read
 * @recording: the recording
 * @reader: the file
 * @choice: what is taken
 * @sink: who gets the pieces
 * @info: the recording as a whole, as the file has it
 * @before_ns: when the file before has ended
 * @gap: the file does not go on where that one has ended
 * @begun: the sink was told of the recording
 * @cpus: CPUs that the recording has, whatever @choice takes
 * @windows: windows with a number, or samples, of all
 * @lost: windows that were lost, of all
 * @status: exit code of the sink
 */
struct loading {
	struct recording *recording;
	struct record_reader reader;
	const struct recording_choice *choice;
	const struct recording_sink *sink;
	struct record_info info;
	uint64_t before_ns;
	bool gap;
	bool begun;
	struct cpulist cpus;
	uint64_t windows;
	uint64_t lost;
	int status;
};

static bool odd(struct loading *loading, const char *what)
{
	snprintf(loading->reader.why, sizeof(loading->reader.why), "its block %u makes no sense: %s",
		 loading->reader.block.number, what);
	return false;
}

static bool add_clock(struct loading *loading, const struct record_clock *clock)
{
	struct recording *recording = loading->recording;
	struct record_clock *more;

	if (recording->nr_clocks &&
	    clock->monotonic_ns <= recording->clock[recording->nr_clocks - 1].monotonic_ns)
		return odd(loading, "its clock goes back");
	more = reallocarray(recording->clock, recording->nr_clocks + 1, sizeof(*more));
	if (!more)
		return odd(loading, strerror(ENOMEM));
	more[recording->nr_clocks++] = *clock;
	recording->clock = more;
	return true;
}

static void refuse_twice(const struct recording *recording, uint64_t begin_ns, uint64_t end_ns)
{
	char begin[64], end[64];

	recording_put_time(begin, sizeof(begin), recording_epoch_ns(recording, begin_ns));
	recording_put_time(end, sizeof(end), recording_epoch_ns(recording, end_ns));
	message_error("%s begins at %s, before %s ends at %s (allowed: each time once)",
		      recording->name, begin, recording->before, end);
}

/* A file that goes on after another one. */
static bool take_next(struct loading *loading)
{
	struct recording *recording = loading->recording;
	unsigned int cpu;

	loading->before_ns = recording->whole ? recording->end.end.monotonic_ns :
						recording->seen_ns;
	if (loading->info.begin.monotonic_ns < loading->before_ns) {
		refuse_twice(recording, loading->info.begin.monotonic_ns, loading->before_ns);
		loading->status = EXIT_USAGE;
		return false;
	}
	loading->gap = !recording->whole;
	owner_list_next_file(&recording->owners);
	recording->whole = false;
	for (cpu = 0; cpu < recording->nr_cpus; cpu++) {
		recording->cpu[cpu].next = 0;
		recording->cpu[cpu].has_start = false;
	}
	return add_clock(loading, &loading->info.begin);
}

static bool take_info(struct loading *loading)
{
	struct recording *recording = loading->recording;
	struct record_info *info = &loading->info;

	if (!record_struct(&loading->reader, info, sizeof(*info), INFO_SIZE_MIN))
		return false;
	if (info->subject != RECORD_OF_CPUS && info->subject != RECORD_OF_TASKS)
		return odd(loading, "it is neither of CPUs nor of tasks");
	if (info->nr_cpus > CPULIST_MAX)
		return odd(loading, "it has too many CPUs");
	record_tidy(info->host, sizeof(info->host));
	record_tidy(info->kernel, sizeof(info->kernel));
	record_tidy(info->cpu_name, sizeof(info->cpu_name));
	record_tidy(info->codename, sizeof(info->codename));
	record_tidy(info->module, sizeof(info->module));
	record_tidy(info->program, sizeof(info->program));
	if (recording->files)
		return take_next(loading);
	recording->info = *info;
	recording->nr_cpus = info->nr_cpus;
	recording->cpu = calloc(info->nr_cpus + 1, sizeof(*recording->cpu));
	recording->task = calloc(RECORDING_TASKS_MAX, sizeof(*recording->task));
	if (!recording->cpu || !recording->task)
		return odd(loading, strerror(ENOMEM));
	if (!loading->choice->has_cpus || info->subject == RECORD_OF_CPUS)
		return true;
	message_error("-C: %s is of tasks (allowed: without -C)", recording->name);
	loading->status = EXIT_USAGE;
	return false;
}

static bool is_chosen(const struct loading *loading, uint32_t cpu)
{
	return !loading->choice->has_cpus || cpulist_has(&loading->choice->cpus, cpu);
}

static bool refuse_cpu(struct loading *loading, unsigned int cpu)
{
	char why[300];

	snprintf(why, sizeof(why), "is not in %s", loading->recording->name);
	loading->status = EXIT_USAGE;
	return cpulist_refuse("-C", cpu, why, &loading->cpus);
}

/* The CPUs that were recorded come before their windows. */
static bool check_chosen(struct loading *loading)
{
	const struct recording *recording = loading->recording;
	unsigned int cpu;

	for (cpu = 0; cpu < CPULIST_MAX && loading->choice->has_cpus; cpu++) {
		if (!is_chosen(loading, cpu) ||
		    (cpu < recording->nr_cpus && recording->cpu[cpu].there))
			continue;
		return refuse_cpu(loading, cpu);
	}
	return true;
}

/* Tell the sink once what it will get, with the first piece or at the end. */
static bool begin(struct loading *loading)
{
	if (loading->begun)
		return true;
	if (!check_chosen(loading))
		return false;
	loading->begun = true;
	loading->status = loading->sink->begin ?
			  loading->sink->begin(loading->sink->data, loading->recording) : 0;
	return !loading->status;
}

static bool take_command(struct loading *loading)
{
	struct recording *recording = loading->recording;

	record_words(&loading->reader, recording->command, sizeof(recording->command));
	return true;
}

static struct recording_cpu *cpu_of(struct loading *loading, uint32_t cpu)
{
	if (cpu < loading->recording->nr_cpus)
		return &loading->recording->cpu[cpu];
	odd(loading, "there is no such CPU");
	return NULL;
}

static bool take_cpu(struct loading *loading, uint32_t i)
{
	struct recording_cpu *to;
	struct record_cpu cpu;

	record_entry(&loading->reader, i, &cpu, sizeof(cpu));
	to = cpu_of(loading, cpu.cpu);
	if (!to)
		return false;
	cpulist_set(&loading->cpus, cpu.cpu);
	to->there = is_chosen(loading, cpu.cpu);
	to->cpu = cpu;
	return true;
}

static void start_cpu(struct loading *loading, struct recording_cpu *to,
		      const struct record_edge *edge)
{
	/* A file goes on with the records that the one before has ended with. */
	if (to->has_finish && memcmp(&to->finish.record, &edge->record, sizeof(edge->record)))
		loading->gap = true;
	to->has_finish = false;
	to->start = *edge;
	to->has_start = true;
	if (!to->has_begin)
		to->begin = *edge;
	to->has_begin = true;
	if (!(loading->info.flags & RECORD_PAST))
		to->next = edge->record.windows + 1;
}

static bool take_edge(struct loading *loading, uint32_t i)
{
	bool first = loading->reader.block.type == RECORD_BEGIN;
	struct recording_cpu *to;
	struct record_edge edge;

	record_entry(&loading->reader, i, &edge, sizeof(edge));
	to = cpu_of(loading, edge.record.cpu);
	if (!to)
		return false;
	cpulist_set(&loading->cpus, edge.record.cpu);
	to->there = is_chosen(loading, edge.record.cpu);
	if (first) {
		start_cpu(loading, to, &edge);
	} else {
		to->finish = edge;
		to->has_finish = true;
	}
	return true;
}

/* The CPUs are known with which the file begins: has time passed since the one before? */
static bool take_gap(struct loading *loading)
{
	struct recording *recording = loading->recording;
	struct recording_gap *more;

	if (!loading->gap)
		return true;
	more = reallocarray(recording->gap, recording->nr_gaps + 1, sizeof(*more));
	if (!more)
		return odd(loading, strerror(ENOMEM));
	more[recording->nr_gaps++] = (struct recording_gap){
		loading->before_ns, loading->info.begin.monotonic_ns,
	};
	recording->gap = more;
	loading->gap = false;
	return true;
}

static bool is_later(const struct topdown_figures *now, const struct topdown_figures *then)
{
	unsigned int i;
	bool later = now->slots >= then->slots && now->enabled_ns >= then->enabled_ns &&
		     now->running_ns >= then->running_ns && now->cycles >= then->cycles &&
		     now->instructions >= then->instructions && now->busy_ns >= then->busy_ns;

	for (i = 0; i < TOPDOWN_MAX_PARENTS; i++)
		later &= now->children_slots[i] >= then->children_slots[i];
	for (i = 0; i < TD_NR_NODES; i++)
		later &= now->node[i] >= then->node[i];
	return later;
}

/* Leave out what the window had before the file began: what was counted until then. */
static void trim(struct recording_piece *piece, const struct recording_cpu *cpu,
		 uint64_t begin_ns)
{
	const struct topdown_figures *open = &cpu->start.open;
	uint32_t nodes = td_nodes_of_figures(&piece->figures);

	if (piece->begin_ns < begin_ns)
		piece->begin_ns = begin_ns;
	if (!is_later(&piece->figures, open))
		return;
	td_figures_sub(&piece->figures, open);
	td_figures_ratios(&piece->figures, nodes);
}

static bool give(struct loading *loading, struct recording_piece *piece)
{
	struct recording *recording = loading->recording;

	if (!begin(loading))
		return false;
	/* A window that has ended in the time belongs to it as a whole. */
	if (piece->begin_ns < recording->since_ns)
		piece->begin_ns = recording->since_ns;
	if (!recording->first_ns || piece->begin_ns < recording->first_ns)
		recording->first_ns = piece->begin_ns;
	if (piece->end_ns > recording->last_ns)
		recording->last_ns = piece->end_ns;
	loading->status = loading->sink->piece ?
			  loading->sink->piece(loading->sink->data, recording, piece) : 0;
	return !loading->status;
}

/* Windows and samples that have ended in the time that was asked for. */
static bool is_in_time(const struct recording *recording, uint64_t end_ns)
{
	return end_ns > recording->since_ns &&
	       (!recording->until_ns || end_ns <= recording->until_ns);
}

static bool take_window(struct loading *loading, uint32_t i)
{
	struct recording_piece piece = { .subject = 0 };
	struct record_window window;
	struct recording_cpu *cpu;
	uint64_t number;

	record_entry(&loading->reader, i, &window, sizeof(window));
	cpu = cpu_of(loading, window.cpu);
	if (!cpu)
		return false;
	number = window.window.number ? window.window.number : cpu->next;
	if (cpu->next && number != cpu->next)
		return odd(loading, "a window is missing");
	piece.subject = window.cpu;
	piece.source = window.source;
	piece.level = window.level;
	piece.flags = window.flags;
	piece.turns = window.turns;
	piece.end_ns = window.window.time_ns;
	piece.figures = window.window.figures;
	piece.begin_ns = piece.figures.enabled_ns < piece.end_ns ?
			 piece.end_ns - piece.figures.enabled_ns : 0;
	piece.window = &window;
	if (!(loading->info.flags & RECORD_PAST) && cpu->has_start &&
	    number == cpu->start.record.windows + 1)
		trim(&piece, cpu, loading->info.begin.monotonic_ns);
	if (window.window.number) {
		cpu->next = number + 1;
		loading->windows++;
	}
	cpu->last_ns = piece.end_ns;
	if (piece.end_ns > loading->recording->seen_ns)
		loading->recording->seen_ns = piece.end_ns;
	if (!is_chosen(loading, window.cpu) || !is_in_time(loading->recording, piece.end_ns))
		return true;
	cpu->there = true;
	cpu->windows += !!window.window.number;
	loading->recording->windows += !!window.window.number;
	return give(loading, &piece);
}

static bool take_lost(struct loading *loading, uint32_t i)
{
	struct recording_cpu *cpu;
	struct record_lost lost;

	record_entry(&loading->reader, i, &lost, sizeof(lost));
	cpu = cpu_of(loading, lost.cpu);
	if (!cpu)
		return false;
	if (cpu->next && lost.first != cpu->next)
		return odd(loading, "a window is missing");
	cpu->next = lost.first + lost.nr;
	loading->lost += lost.nr;
	/* They have ended after the window before them. */
	if (!is_chosen(loading, lost.cpu) ||
	    !is_in_time(loading->recording, cpu->last_ns ? cpu->last_ns :
			loading->info.begin.monotonic_ns))
		return true;
	cpu->there = true;
	cpu->lost += lost.nr;
	loading->recording->lost += lost.nr;
	return true;
}

static bool take_task(struct loading *loading, uint32_t i)
{
	struct recording *recording = loading->recording;
	struct record_task task;

	record_entry(&loading->reader, i, &task, sizeof(task));
	if (task.task != recording->nr_tasks || task.task >= RECORDING_TASKS_MAX)
		return odd(loading, "a task is missing");
	record_tidy(task.name, sizeof(task.name));
	recording->task[recording->nr_tasks++] = task;
	return true;
}

static bool take_sample(struct loading *loading, uint32_t i)
{
	struct recording_piece piece = { .subject = 0 };
	struct record_sample sample;

	record_entry(&loading->reader, i, &sample, sizeof(sample));
	if (sample.task >= loading->recording->nr_tasks)
		return odd(loading, "there is no such task");
	piece.subject = sample.task;
	piece.source = sample.source;
	piece.level = sample.level;
	piece.flags = loading->recording->task[sample.task].flags;
	piece.turns = loading->recording->task[sample.task].turns;
	piece.begin_ns = sample.begin_ns;
	piece.end_ns = sample.end_ns;
	piece.figures = sample.figures;
	piece.sample = &sample;
	loading->windows++;
	if (!is_in_time(loading->recording, piece.end_ns))
		return true;
	loading->recording->windows++;
	return give(loading, &piece);
}

/* Is it a CPU, or a task, that there is? */
static bool has_subject(struct loading *loading, uint32_t subject)
{
	if (loading->recording->info.subject == RECORD_OF_CPUS)
		return cpu_of(loading, subject);
	return subject < loading->recording->nr_tasks || odd(loading, "there is no such task");
}

static bool give_latency(struct loading *loading, const struct latency_piece *piece)
{
	const struct recording_sink *sink = loading->sink;

	if (!begin(loading))
		return false;
	if (sink->latency)
		loading->status = sink->latency(sink->data, loading->recording, piece);
	return !loading->status;
}

static bool take_latencies(struct loading *loading)
{
	struct latency_block block;
	struct latency_piece piece;

	if (!latency_block_begin(&loading->reader, &block))
		return false;
	while (block.entries < block.head.nr) {
		if (!latency_block_next(&block, &piece) || !has_subject(loading, piece.subject))
			return false;
		if (!is_chosen(loading, piece.subject) ||
		    !is_in_time(loading->recording, piece.end_ns))
			continue;
		if (!give_latency(loading, &piece))
			return false;
	}
	return latency_block_end(&block);
}

static bool take_owner(struct loading *loading, uint32_t i)
{
	return owner_list_take(&loading->reader, i, &loading->recording->owners);
}

static bool give_owned(struct loading *loading, const struct owner_piece *piece)
{
	const struct recording_sink *sink = loading->sink;

	if (!begin(loading))
		return false;
	if (sink->owned)
		loading->status = sink->owned(sink->data, loading->recording, piece);
	return !loading->status;
}

static bool take_owned(struct loading *loading)
{
	struct recording *recording = loading->recording;
	struct owner_piece piece;
	struct owner_block block;

	if (!owner_block_begin(&loading->reader, &recording->owners, &block))
		return false;
	piece.begin_ns = block.head.begin_ns;
	piece.end_ns = block.head.end_ns;
	while (block.entries < block.head.nr) {
		if (!owner_block_next(&block, &piece.share))
			return false;
		if (loading->choice->has_cpus || !is_in_time(recording, piece.end_ns))
			continue;
		if (!give_owned(loading, &piece))
			return false;
	}
	return true;
}

static bool take_end(struct loading *loading)
{
	struct recording *recording = loading->recording;
	struct record_end *end = &recording->end;

	if (!record_struct(&loading->reader, end, sizeof(*end), sizeof(*end)))
		return false;
	if (end->windows != loading->windows || end->lost != loading->lost)
		return odd(loading, "a window is missing");
	recording->whole = true;
	return true;
}

static bool take_clock(struct loading *loading)
{
	struct record_clock clock;

	return record_struct(&loading->reader, &clock, sizeof(clock), sizeof(clock)) &&
	       add_clock(loading, &clock);
}

static bool take_entries(struct loading *loading, size_t least,
			 bool (*take)(struct loading *loading, uint32_t i))
{
	uint32_t i, nr;

	if (!record_entries(&loading->reader, least, &nr))
		return false;
	for (i = 0; i < nr; i++) {
		if (!take(loading, i))
			return false;
	}
	return true;
}

/* Who gets the pieces has room for CPUs, or for tasks. */
static bool fits_subject(const struct loading *loading)
{
	bool tasks = loading->info.subject == RECORD_OF_TASKS;

	switch (loading->reader.block.type) {
	case RECORD_CPUS:
	case RECORD_BEGIN:
	case RECORD_WINDOWS:
	case RECORD_LOST:
	case RECORD_FINISH:
	case RECORD_OWNERS:
	case RECORD_OWNED:
		return !tasks;
	case RECORD_TASKS:
	case RECORD_SAMPLES:
		return tasks;
	default:
		return true;
	}
}

static bool take_block(struct loading *loading)
{
	uint32_t type = loading->reader.block.type;
	bool first = loading->reader.blocks == 1, info = type == RECORD_INFO;

	if (first != info)
		return odd(loading, "it does not say what is recorded first, and once");
	if (!fits_subject(loading))
		return odd(loading, "it has CPUs and tasks");
	switch (type) {
	case RECORD_INFO:
		return take_info(loading);
	case RECORD_COMMAND:
		return take_command(loading);
	case RECORD_CPUS:
		return take_entries(loading, sizeof(struct record_cpu), take_cpu);
	case RECORD_BEGIN:
		return take_entries(loading, EDGE_SIZE_MIN, take_edge) && take_gap(loading);
	case RECORD_FINISH:
		return take_entries(loading, EDGE_SIZE_MIN, take_edge);
	case RECORD_WINDOWS:
		return take_entries(loading, sizeof(struct record_window), take_window);
	case RECORD_LOST:
		return take_entries(loading, sizeof(struct record_lost), take_lost);
	case RECORD_TASKS:
		return take_entries(loading, sizeof(struct record_task), take_task);
	case RECORD_SAMPLES:
		return take_entries(loading, sizeof(struct record_sample), take_sample);
	case RECORD_END:
		return take_end(loading);
	case RECORD_CLOCK:
		return take_clock(loading);
	case RECORD_LATENCIES:
		return take_latencies(loading);
	case RECORD_OWNERS:
		return take_entries(loading, OWNER_SIZE_MIN, take_owner);
	case RECORD_OWNED:
		return take_owned(loading);
	default:
		/* A newer program has more to say. */
		return true;
	}
}

static int cannot_read(const struct loading *loading)
{
	const char *advice = loading->reader.cut && loading->recording->cpu ?
			     " (--partial reads what is there)" : "";
	const char *name = loading->recording->name;

	if (loading->status)
		return loading->status;
	return message_fail(EXIT_RUNTIME, "cannot read %s: %s%s", name, loading->reader.why,
			    advice);
}

static int read_all(struct loading *loading)
{
	enum record_found found;

	do {
		found = record_read(&loading->reader);
		if (found == RECORD_BLOCK && !take_block(loading))
			return cannot_read(loading);
	} while (found == RECORD_BLOCK);
	if (found == RECORD_NOTHING)
		return begin(loading) ? 0 : loading->status;
	/* Half a recording is more than none, unless it was changed. */
	if (!loading->choice->partial || !loading->reader.cut || !loading->recording->cpu)
		return cannot_read(loading);
	if (!begin(loading))
		return loading->status;
	if (!loading->choice->quiet)
		message_note("%s is not whole: %s", loading->recording->name, loading->reader.why);
	return 0;
}

/**
 * recording_read_stream - read a file that is open
 * @recording: to be filled; its name, and the times that are taken, are set.  It may have been
 *	filled by files before this one
 * @file: the file, at its begin
 * @choice: what is taken
 * @sink: who gets the pieces
 *
 * Return: 0, or an exit code after a message.
 */
int recording_read_stream(struct recording *recording, FILE *file,
			  const struct recording_choice *choice, const struct recording_sink *sink)
{
	struct loading loading = {
		.recording = recording, .choice = choice, .sink = sink,
		.begun = recording->files,
	};
	int ret;

	ret = record_read_start(&loading.reader, file);
	if (ret == -ENOMEM)
		snprintf(loading.reader.why, sizeof(loading.reader.why), "%s", strerror(ENOMEM));
	ret = ret ? cannot_read(&loading) : read_all(&loading);
	record_read_end(&loading.reader);
	recording->files++;
	return ret;
}

/**
 * recording_free - free
 * @recording: recording
 */
void recording_free(struct recording *recording)
{
	free(recording->cpu);
	free(recording->task);
	free(recording->clock);
	free(recording->gap);
	owner_list_free(&recording->owners);
	recording->cpu = NULL;
	recording->task = NULL;
	recording->clock = NULL;
	recording->gap = NULL;
}
