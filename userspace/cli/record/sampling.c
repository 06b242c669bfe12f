// SPDX-License-Identifier: GPL-2.0
/*
 * topdown record --latency: what is sampled in each interval.
 *
 * A file has differences, since few bins have a sample in an interval, and nearly all have one in
 * the end.  An event of which nothing is new is left out, until something is or the recording ends.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "events.h"
#include "message.h"
#include "record.h"

/**
 * sampling_choose - choose the events, before anything starts
 * @run: the recording
 *
 * Return: 0, or an exit code after a message.
 */
int sampling_choose(struct record_run *run)
{
	if (!run->options->latencies)
		return 0;
	return events_choose(run->td, run->options->device, run->options->latencies, "",
			     &run->sampling.events);
}

/**
 * sampling_start_cpus - start the latency session of the CPUs that are recorded
 * @run: the recording; without --latency nothing happens
 *
 * Return: 0, or an exit code after a message.
 */
int sampling_start_cpus(struct record_run *run)
{
	const struct record_options *options = run->options;
	struct sampling *sampling = &run->sampling;
	int ret;

	if (!sampling->events)
		return 0;
	ret = latency_parts_start(&sampling->sessions, run->td,
				  options->has_cpus ? &options->cpus : NULL, -1, sampling->events);
	return ret ? events_refused(options->device, -ret, options->has_cpus) : 0;
}

/**
 * sampling_start_tasks - start a latency session for each task
 * @run: the recording; without --latency nothing happens
 * @tasks: the tasks
 *
 * Return: 0, or an exit code after a message.
 */
int sampling_start_tasks(struct record_run *run, const struct tasks *tasks)
{
	struct sampling *sampling = &run->sampling;
	unsigned int i;
	int ret;

	for (i = 0; i < tasks->nr && sampling->events; i++) {
		ret = latency_parts_start(&sampling->sessions, run->td, NULL,
					  tasks->task[i].session, sampling->events);
		/* One of several has ended since it was attached: it has no latencies. */
		if (ret == -ESRCH && tasks->nr > 1)
			continue;
		if (ret)
			return events_refused(run->options->device, -ret, false);
		sampling->sessions.part[sampling->sessions.nr_parts - 1].task = i;
	}
	if (sampling->events && !sampling->sessions.nr_parts)
		return events_refused(run->options->device, ESRCH, false);
	return 0;
}

static int read_now(struct record_run *run)
{
	int ret = latency_parts_read(&run->sampling.sessions, run->sampling.now);

	return ret ? events_unread(run->options->device, -ret) : 0;
}

/* The CPU, or the number of the task. */
static uint32_t subject_of(const struct sampling *sampling, unsigned int i)
{
	unsigned int part = 0, end = sampling->sessions.part[0].nr;

	if (sampling->now[i].cpu != TOPDOWN_CPU_ALL)
		return sampling->now[i].cpu;
	while (i >= end)
		end += sampling->sessions.part[++part].nr;
	return sampling->sessions.part[part].task;
}

static int write_pieces(struct record_run *run, unsigned int nr)
{
	int ret = record_write_latencies(&run->writer, run->sampling.piece, nr);

	return ret ? record_failed(run, -ret) : 0;
}

/* An interval without length, of all that is sampled. */
static int write_sampled(struct record_run *run)
{
	struct sampling *sampling = &run->sampling;
	unsigned int i;

	for (i = 0; i < sampling->sessions.nr; i++) {
		const struct topdown_latency_record *now = &sampling->now[i];

		sampling->piece[i] = (struct latency_piece){
			.subject = subject_of(sampling, i),
			.begin_ns = sampling->begin_ns,
			.end_ns = sampling->begin_ns,
			.record = { .event = now->event, .cpu = now->cpu, .flags = now->flags },
		};
	}
	return write_pieces(run, sampling->sessions.nr);
}

/**
 * sampling_begin - say in the file what is sampled
 * @run: the recording, whose file has begun
 *
 * Tasks have all that was sampled before the first look, and CPUs have nothing of it.
 *
 * Return: 0, or an exit code after a message.
 */
int sampling_begin(struct record_run *run)
{
	struct sampling *sampling = &run->sampling;
	unsigned int i;
	int ret;

	if (!sampling->sessions.nr_parts)
		return 0;
	sampling->then = calloc(sampling->sessions.nr, sizeof(*sampling->then));
	sampling->now = calloc(sampling->sessions.nr, sizeof(*sampling->now));
	sampling->piece = calloc(sampling->sessions.nr, sizeof(*sampling->piece));
	if (!sampling->then || !sampling->now || !sampling->piece)
		return message_fail(EXIT_RUNTIME, "cannot sample: %s", strerror(ENOMEM));
	ret = read_now(run);
	sampling->begin_ns = run->start_ns;
	sampling->next_ns = run->start_ns + run->options->latency_ms * NS_PER_MS;
	for (i = 0; i < sampling->sessions.nr && !ret; i++) {
		struct topdown_latency_record *then = &sampling->then[i], *now = &sampling->now[i];

		if (now->cpu == TOPDOWN_CPU_ALL)
			*then = (struct topdown_latency_record){ .event = now->event,
								 .cpu = now->cpu };
		else
			*then = *now;
		then->flags = now->flags;
	}
	return ret ? ret : write_sampled(run);
}

/**
 * sampling_again - say it in the next file, where nothing is between them
 * @run: the recording, whose file has begun
 *
 * Return: 0, or an exit code after a message.
 */
int sampling_again(struct record_run *run)
{
	if (!run->sampling.sessions.nr_parts)
		return 0;
	run->sampling.begin_ns = run->start_ns;
	return write_sampled(run);
}

/**
 * sampling_next - when the interval ends
 * @run: the recording
 *
 * Return: CLOCK_MONOTONIC; 0 without --latency.
 */
uint64_t sampling_next(const struct record_run *run)
{
	return run->sampling.next_ns;
}

/* Times alone are nothing new.  A burst may be counted and lost, and leave no sample. */
static bool is_new(const struct topdown_latency_record *then,
		   const struct topdown_latency_record *now)
{
	return now->samples != then->samples || now->counted != then->counted ||
	       now->lost != then->lost || now->flags != then->flags;
}

/* Add what is about to be written. */
static void add_totals(struct sampling *sampling, unsigned int nr)
{
	const struct topdown_latency_record *record;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		record = &sampling->piece[i].record;
		if (record->samples)
			sampling->seen |= 1ULL << record->event;
		sampling->due += (double)record->events + record->lost;
		sampling->lost += record->lost;
		sampling->counted |= record->flags & TOPDOWN_LATENCY_RECORD_COUNTED;
	}
}

/* Write what was sampled since the last time. @all: entries without anything new, too. */
static int write_interval(struct record_run *run, bool all)
{
	struct sampling *sampling = &run->sampling;
	uint64_t end_ns = clock_now_ns();
	unsigned int i, nr = 0;
	int ret;

	ret = read_now(run);
	for (i = 0; i < sampling->sessions.nr && !ret; i++) {
		struct topdown_latency_record *then = &sampling->then[i], *now = &sampling->now[i];
		struct latency_piece *piece = &sampling->piece[nr];

		if (!is_new(then, now) && !all)
			continue;
		*piece = (struct latency_piece){
			.subject = subject_of(sampling, i),
			.begin_ns = sampling->begin_ns,
			.end_ns = end_ns,
		};
		/* The records of a session never begin again. */
		if (topdown_latency_between(then, now, &piece->record))
			return events_unread(run->options->device, EPROTO);
		*then = *now;
		nr++;
	}
	sampling->begin_ns = end_ns;
	if (!ret)
		add_totals(sampling, nr);
	return ret ? ret : write_pieces(run, nr);
}

/**
 * sampling_write - write the interval that ends now
 * @run: the recording; without --latency nothing happens
 *
 * Return: 0, or an exit code after a message.
 */
int sampling_write(struct record_run *run)
{
	return run->sampling.sessions.nr_parts ? write_interval(run, false) : 0;
}

/**
 * sampling_tick - write the interval if it has ended
 * @run: the recording; without --latency nothing happens
 *
 * Return: 0, or an exit code after a message.
 */
int sampling_tick(struct record_run *run)
{
	uint64_t step_ns = run->options->latency_ms * NS_PER_MS, now_ns = clock_now_ns();
	struct sampling *sampling = &run->sampling;

	if (!sampling->sessions.nr_parts || now_ns < sampling->next_ns)
		return 0;
	/* Intervals that passed meanwhile are left out. */
	sampling->next_ns += ((now_ns - sampling->next_ns) / step_ns + 1) * step_ns;
	return sampling_write(run);
}

/**
 * sampling_finish - write what is left
 * @run: the recording; without --latency nothing happens
 *
 * Return: 0, or an exit code after a message.
 */
int sampling_finish(struct record_run *run)
{
	return run->sampling.sessions.nr_parts ? write_interval(run, true) : 0;
}

/**
 * sampling_end - end the latency sessions
 * @run: the recording
 *
 * A command may go on.
 */
void sampling_end(struct record_run *run)
{
	struct sampling *sampling = &run->sampling;

	if (sampling->sessions.nr_parts)
		run->sampled = (struct sampled){
			.events = __builtin_popcountll(sampling->events),
			.empty = __builtin_popcountll(sampling->events & ~sampling->seen),
			.counted = sampling->counted,
			.lost = sampling->due > 0 ? sampling->lost / sampling->due : 0,
		};
	latency_parts_end(&sampling->sessions);
	free(sampling->then);
	free(sampling->now);
	free(sampling->piece);
	*sampling = (struct sampling){ .events = 0 };
}
