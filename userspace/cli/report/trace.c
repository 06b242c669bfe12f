// SPDX-License-Identifier: GPL-2.0
/*
 * topdown report --trace: the JSON of Chrome's trace viewer, which Perfetto reads.
 *
 * A CPU or a task is a process of the trace, as that groups its tracks. Each node is a counter
 * track of its own, with one argument, because Perfetto takes several as one stack. A value holds
 * until the next event, so a gap gets an event with 0. A latency has a track for the mean and one
 * for the 99% quantile.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "latency-figures.h"
#include "message.h"
#include "report.h"

/**
 * struct trace_track - the tracks of a CPU or of a task
 * @named: it has a name in the trace
 * @nodes: nodes that have a value other than 0 now, bit n for node n
 * @end_ns: when the last piece ended
 */
struct trace_track {
	bool named;
	uint32_t nodes;
	uint64_t end_ns;
};

/**
 * struct trace - a trace that is written
 * @options: the command line
 * @output: the file
 * @file: its stream; NULL until the start of the recording was read
 * @events: number of events so far
 * @nr: number of @track
 * @track: CPUs or tasks by number
 * @latency_end_ns: when the last interval with a sample ended, at subject * LATENCY_EVENTS + event;
 *	0 for none
 */
struct trace {
	const struct report_options *options;
	struct output output;
	FILE *file;
	uint64_t events;
	unsigned int nr;
	struct trace_track *track;
	uint64_t *latency_end_ns;
};

/* Process 0 is taken as no process. */
static unsigned int process_of(unsigned int subject)
{
	return subject + 1;
}

static void next_event(struct trace *trace)
{
	fputs(trace->events++ ? ",\n" : "\n", trace->file);
}

/* Quotes and backslashes as JSON has them; the texts of a recording have no others. */
static void put_text(FILE *file, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', file);
		putc(*text, file);
	}
}

/* Times are in microseconds, with nanoseconds after the point. */
static void put_time(const struct trace *trace, const char *key, uint64_t ns)
{
	fprintf(trace->file, "\"%s\":%llu.%03u", key, (unsigned long long)(ns / 1000),
		(unsigned int)(ns % 1000));
}

static void put_counter(struct trace *trace, uint32_t subject, unsigned int node, uint64_t at_ns,
			uint32_t ratio)
{
	next_event(trace);
	fprintf(trace->file, "{\"ph\":\"C\",\"pid\":%u,\"name\":\"%s\",", process_of(subject),
		topdown_node_name(node));
	put_time(trace, "ts", at_ns);
	fprintf(trace->file, ",\"args\":{\"percent\":%.7f}}",
		ratio * 100.0 / TOPDOWN_RATIO_ONE);
}

static void put_name(struct trace *trace, const struct recording *recording, uint32_t subject)
{
	next_event(trace);
	fprintf(trace->file, "{\"ph\":\"M\",\"pid\":%u,\"name\":\"process_name\",\"args\":{\"name\":\"",
		process_of(subject));
	if (recording->info.subject == RECORD_OF_TASKS) {
		put_text(trace->file, recording->task[subject].name);
		fprintf(trace->file, " (%d)", recording->task[subject].pid);
	} else {
		fprintf(trace->file, "CPU %u", subject);
	}
	fputs("\"}}", trace->file);
	next_event(trace);
	fprintf(trace->file, "{\"ph\":\"M\",\"pid\":%u,\"tid\":1,\"name\":\"thread_name\",\"args\":{\"name\":\"bottleneck\"}}",
		process_of(subject));
}

static void need_name(struct trace *trace, const struct recording *recording, uint32_t subject)
{
	if (!trace->track[subject].named)
		put_name(trace, recording, subject);
	trace->track[subject].named = true;
}

/* A slice, so that the bottleneck can be read along the time. */
static void put_bottleneck(struct trace *trace, const struct recording *recording,
			   const struct recording_piece *piece, uint64_t begin_ns)
{
	struct row row = {
		.kind = ROW_CPU,
		.state = TOPDOWN_STATE_OK,
		.flags = piece->flags,
		.turns = piece->turns,
		.flags_known = true,
		.source = piece->source,
		.level = piece->level,
		.figures = piece->figures,
	};
	int node, child;

	if (piece->window && recording->info.features & TOPDOWN_FEATURE_BUSY)
		row.time_ns = row.figures.enabled_ns;
	row_expect(&row);
	node = row_bottleneck(&row);
	child = row_bottleneck_child(&row, node);
	if (node < 0)
		return;
	if (trace->options->level == 1)
		child = -1;
	next_event(trace);
	fprintf(trace->file, "{\"ph\":\"X\",\"pid\":%u,\"tid\":1,\"name\":\"%s\",",
		process_of(piece->subject), topdown_node_name(child < 0 ? node : child));
	put_time(trace, "ts", begin_ns);
	putc(',', trace->file);
	put_time(trace, "dur", piece->end_ns - begin_ns);
	putc('}', trace->file);
}

static void end_gap(struct trace *trace, struct trace_track *track, uint32_t subject,
		    uint32_t nodes)
{
	unsigned int node;

	for (node = 0; node < TD_NR_NODES; node++) {
		if (track->nodes >> node & 1 && !(nodes >> node & 1))
			put_counter(trace, subject, node, track->end_ns, 0);
	}
	track->nodes = nodes;
}

static uint32_t nodes_of(const struct trace *trace, const struct topdown_figures *figures)
{
	unsigned int level = trace->options->level ? trace->options->level : 2, node;
	uint32_t nodes = 0;

	for (node = 0; node < TD_NR_NODES && figures->slots; node++) {
		if (topdown_figures_has(figures, node) && topdown_node_level(node) <= level)
			nodes |= 1U << node;
	}
	return nodes;
}

static int begin(void *data, const struct recording *recording)
{
	struct trace *trace = data;
	int ret;

	ret = output_target(&trace->output, "--trace", trace->options->trace);
	if (ret)
		return ret;
	trace->file = trace->output.file;
	fputs("{\"traceEvents\":[", trace->file);
	trace->nr = recording->info.subject == RECORD_OF_TASKS ? RECORDING_TASKS_MAX :
								 recording->nr_cpus;
	trace->track = calloc(trace->nr + 1, sizeof(*trace->track));
	trace->latency_end_ns = calloc((size_t)(trace->nr + 1) * LATENCY_EVENTS,
				       sizeof(*trace->latency_end_ns));
	if (trace->track && trace->latency_end_ns)
		return 0;
	return message_fail(EXIT_RUNTIME, "cannot write the trace: %s", strerror(ENOMEM));
}

static int put_piece(void *data, const struct recording *recording,
		     const struct recording_piece *piece)
{
	struct trace *trace = data;
	struct trace_track *track = &trace->track[piece->subject];
	uint32_t nodes = nodes_of(trace, &piece->figures);
	uint64_t begin_ns = piece->begin_ns;
	unsigned int node;

	/* The clock of a window may differ a little from its time. Slices must not overlap. */
	if (begin_ns < track->end_ns)
		begin_ns = track->end_ns;
	if (piece->end_ns <= begin_ns)
		return 0;
	need_name(trace, recording, piece->subject);
	if (begin_ns > track->end_ns)
		end_gap(trace, track, piece->subject, 0);
	end_gap(trace, track, piece->subject, nodes);
	for (node = 0; node < TD_NR_NODES; node++) {
		if (nodes >> node & 1)
			put_counter(trace, piece->subject, node, begin_ns,
				    piece->figures.ratio[node]);
	}
	if (nodes)
		put_bottleneck(trace, recording, piece, begin_ns);
	track->end_ns = piece->end_ns;
	return 0;
}

static void put_cycles(struct trace *trace, uint32_t subject, unsigned int event,
		       const char *figure, uint64_t at_ns, double cycles)
{
	next_event(trace);
	fprintf(trace->file, "{\"ph\":\"C\",\"pid\":%u,\"name\":\"%s %s\",", process_of(subject),
		topdown_latency_event_name(event), figure);
	put_time(trace, "ts", at_ns);
	fprintf(trace->file, ",\"args\":{\"cycles\":%.3f}}", cycles);
}

static void put_gap(struct trace *trace, uint32_t subject, unsigned int event)
{
	uint64_t *end_ns = &trace->latency_end_ns[(size_t)subject * LATENCY_EVENTS + event];

	if (!*end_ns)
		return;
	put_cycles(trace, subject, event, "mean", *end_ns, 0);
	put_cycles(trace, subject, event, "p99", *end_ns, 0);
	*end_ns = 0;
}

static int put_latency(void *data, const struct recording *recording,
		       const struct latency_piece *piece)
{
	const struct topdown_latency_record *record = &piece->record;
	struct trace *trace = data;
	uint64_t *end_ns = &trace->latency_end_ns[(size_t)piece->subject * LATENCY_EVENTS +
						  record->event];

	/* A newer module has more events. */
	if (!record->samples || !record->events || !topdown_latency_event_name(record->event))
		return 0;
	need_name(trace, recording, piece->subject);
	if (*end_ns < piece->begin_ns)
		put_gap(trace, piece->subject, record->event);
	put_cycles(trace, piece->subject, record->event, "mean", piece->begin_ns,
		   known_sampled(record, KNOWN_MEAN));
	put_cycles(trace, piece->subject, record->event, "p99", piece->begin_ns,
		   known_sampled(record, KNOWN_P99));
	*end_ns = piece->end_ns;
	return 0;
}

static void put_gaps(struct trace *trace)
{
	size_t i;

	for (i = 0; i < (size_t)trace->nr * LATENCY_EVENTS && trace->latency_end_ns; i++)
		put_gap(trace, i / LATENCY_EVENTS, i % LATENCY_EVENTS);
}

/* After the last piece there is nothing. */
static void put_ends(struct trace *trace)
{
	unsigned int i;

	put_gaps(trace);

	for (i = 0; i < trace->nr && trace->track; i++)
		end_gap(trace, &trace->track[i], i, 0);
}

static void put_rest(struct trace *trace, const struct recording *recording)
{
	const struct record_info *info = &recording->info;

	fputs("\n],\n\"displayTimeUnit\":\"ms\",\n\"otherData\":{\"host\":\"", trace->file);
	put_text(trace->file, info->host);
	fputs("\",\"kernel\":\"", trace->file);
	put_text(trace->file, info->kernel);
	fputs("\",\"cpu\":\"", trace->file);
	put_text(trace->file, *info->codename ? info->codename : info->cpu_name);
	fputs("\",\"command\":\"topdown ", trace->file);
	put_text(trace->file, recording->command);
	fprintf(trace->file, "\",\"clock\":\"CLOCK_MONOTONIC\",\"epoch_ns\":\"%llu\",\"lost\":%llu}}\n",
		(unsigned long long)recording_epoch_ns(recording, 0),
		(unsigned long long)recording->lost);
}

static int write_trace(struct trace *trace)
{
	const struct recording_sink sink = {
		.begin = begin, .piece = put_piece, .latency = put_latency, .data = trace,
	};
	struct recording recording;
	int ret;

	ret = recording_read(&recording, &trace->options->files, &trace->options->choice, &sink);
	if (!ret && recording.owners.there)
		message_note("owners are not in the trace ('topdown report --owners --steps' prints them)");
	if (!ret) {
		put_ends(trace);
		put_rest(trace, &recording);
	}
	recording_free(&recording);
	free(trace->track);
	free(trace->latency_end_ns);
	return ret;
}

/**
 * report_trace - write a trace
 * @options: the command line
 *
 * Return: exit code.
 */
int report_trace(const struct report_options *options)
{
	struct trace trace = { .options = options };
	int ret, closed;

	ret = write_trace(&trace);
	if (!trace.file)
		return ret;
	if (!ret)
		ret = output_flush(&trace.output);
	closed = output_close(&trace.output);
	return ret ? ret : closed;
}
