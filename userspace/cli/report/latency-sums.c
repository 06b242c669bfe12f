// SPDX-License-Identifier: GPL-2.0
/*
 * The latencies of a recording added up: of all and of each CPU or task, and over time.
 */
#include "latency-sums.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/**
 * latency_sums_begin - set up
 * @sums: sums; the caller frees them in any case
 * @start_ns: when they begin
 * @step_ns: length of a step
 * @nr: number of subjects that there may be
 */
void latency_sums_begin(struct latency_sums *sums, uint64_t start_ns, uint64_t step_ns,
			unsigned int nr)
{
	*sums = (struct latency_sums){
		.nr = nr,
		.start_ns = start_ns,
		.step_ns = step_ns ? step_ns : 1,
	};
}

/* A recording without latencies needs no room. */
static int make_room(struct latency_sums *sums)
{
	unsigned int i;

	if (sums->all)
		return 0;
	sums->all = calloc(LATENCY_EVENTS, sizeof(*sums->all));
	sums->each = calloc((size_t)(sums->nr + 1) * LATENCY_EVENTS, sizeof(*sums->each));
	sums->aside = calloc((size_t)(sums->nr + 1) * LATENCY_EVENTS, sizeof(*sums->aside));
	sums->step = calloc(LATENCY_EVENTS * LATENCY_STEPS_MAX, sizeof(*sums->step));
	sums->mean = calloc(LATENCY_EVENTS, sizeof(*sums->mean));
	if (!sums->all || !sums->each || !sums->aside || !sums->step || !sums->mean)
		return -ENOMEM;
	for (i = 0; i < LATENCY_EVENTS; i++) {
		sums->all[i].event = i;
		sums->all[i].cpu = TOPDOWN_CPU_ALL;
		series_begin(&sums->mean[i], sums->start_ns, sums->step_ns, 0);
	}
	return 0;
}

static int add_to(struct latency_sum *to, const struct topdown_latency_record *record)
{
	if (!to->record)
		to->record = calloc(1, sizeof(*to->record));
	if (!to->record)
		return -ENOMEM;
	topdown_latency_add(to->record, record);
	return 0;
}

static struct latency_sum *step_of(const struct latency_sums *sums, unsigned int event,
				   size_t step)
{
	return &sums->step[event * LATENCY_STEPS_MAX + step];
}

/* Make one step of two. */
static void halve_event(struct latency_sums *sums, unsigned int event)
{
	size_t i;

	for (i = 0; i < sums->nr_steps; i++) {
		struct latency_sum *from = step_of(sums, event, i);
		struct latency_sum *to = step_of(sums, event, i / 2);

		if (!from->record || from == to)
			continue;
		if (to->record) {
			topdown_latency_add(to->record, from->record);
			free(from->record);
		} else {
			to->record = from->record;
		}
		from->record = NULL;
	}
}

static void halve(struct latency_sums *sums)
{
	unsigned int event;

	for (event = 0; event < LATENCY_EVENTS; event++)
		halve_event(sums, event);
	sums->nr_steps = (sums->nr_steps + 1) / 2;
	sums->step_ns *= 2;
}

/* Nobody knows when in the interval the samples were taken, so they are in one step. */
static int add_step(struct latency_sums *sums, const struct latency_piece *piece)
{
	uint64_t at_ns = piece->begin_ns + (piece->end_ns - piece->begin_ns) / 2;
	size_t step;

	at_ns = at_ns > sums->start_ns ? at_ns - sums->start_ns : 0;
	while (at_ns / sums->step_ns >= LATENCY_STEPS_MAX)
		halve(sums);
	step = at_ns / sums->step_ns;
	if (step >= sums->nr_steps)
		sums->nr_steps = step + 1;
	return add_to(step_of(sums, piece->record.event, step), &piece->record);
}

static int add_mean(struct latency_sums *sums, const struct latency_piece *piece)
{
	struct topdown_figures figures = {
		.slots = piece->record.events,
		.cycles = piece->record.events,
		.instructions = piece->record.sum,
	};

	return series_add(&sums->mean[piece->record.event], piece->begin_ns, piece->end_ns,
			  &figures);
}

static struct latency_aside *aside_of(const struct latency_sums *sums, uint32_t subject,
				      unsigned int event)
{
	return &sums->aside[(size_t)subject * LATENCY_EVENTS + event];
}

/*
 * Flags are those at the end of an interval, and stand for all of it.  Intervals that were left
 * out before have the flags of the entry before.
 */
static void add_aside(struct latency_sums *sums, const struct latency_piece *piece)
{
	struct latency_aside *aside = aside_of(sums, piece->subject, piece->record.event);
	struct latency_aside *all = aside_of(sums, sums->nr, piece->record.event);
	bool away = piece->record.flags & TOPDOWN_LATENCY_RECORD_AWAY;
	uint64_t begin_ns = aside->end_ns ? aside->end_ns : piece->begin_ns, away_ns = 0;

	if (aside->away && piece->begin_ns > begin_ns)
		away_ns += piece->begin_ns - begin_ns;
	if (away)
		away_ns += piece->end_ns - piece->begin_ns;
	if (piece->end_ns > begin_ns) {
		aside->time_ns += piece->end_ns - begin_ns;
		all->time_ns += piece->end_ns - begin_ns;
		aside->away_ns += away_ns;
		all->away_ns += away_ns;
	}
	aside->away = away;
	aside->end_ns = piece->end_ns;
}

/* For tasks nobody knows what was counted. */
static bool is_empty(const struct topdown_latency_record *record)
{
	return !record->samples && !record->counted && !record->lost;
}

/**
 * latency_sums_add - add what was sampled in an interval
 * @sums: sums
 * @piece: what was sampled
 *
 * Return: 0 or -ENOMEM.
 */
int latency_sums_add(struct latency_sums *sums, const struct latency_piece *piece)
{
	unsigned int event = piece->record.event;
	int ret = make_room(sums);

	/* A newer module has more events. */
	if (ret || !topdown_latency_event_name(event))
		return ret;
	sums->events |= 1ULL << event;
	topdown_latency_add(&sums->all[event], &piece->record);
	ret = add_to(&sums->each[(size_t)piece->subject * LATENCY_EVENTS + event],
		     &piece->record);
	add_aside(sums, piece);
	if (ret || is_empty(&piece->record))
		return ret;
	ret = add_step(sums, piece);
	return ret || !piece->record.samples ? ret : add_mean(sums, piece);
}

/**
 * latency_sums_of - what was sampled on a CPU or in a task
 * @sums: sums
 * @subject: its number
 * @event: the event
 *
 * Return: the sum; NULL if the event was not asked for there.
 */
const struct topdown_latency_record *latency_sums_of(const struct latency_sums *sums,
						     uint32_t subject, unsigned int event)
{
	return sums->each ? sums->each[(size_t)subject * LATENCY_EVENTS + event].record : NULL;
}

/**
 * latency_sums_step - what was sampled in a step
 * @sums: sums, which have the event
 * @event: the event
 * @step: number of the step
 *
 * Return: the sum of all; NULL if nothing was sampled, counted or lost.
 */
const struct topdown_latency_record *latency_sums_step(const struct latency_sums *sums,
						       unsigned int event, size_t step)
{
	return step_of(sums, event, step)->record;
}

/**
 * latency_sums_aside - in which share of the time the counter was left to others, or there was none
 * @sums: sums, which have the event
 * @subject: number of the CPU or task; that of latency_sums.nr for all
 * @event: the event
 *
 * Return: the share; NaN if it is not known.
 */
double latency_sums_aside(const struct latency_sums *sums, uint32_t subject, unsigned int event)
{
	const struct latency_aside *aside = aside_of(sums, subject, event);

	return aside->time_ns ? (double)aside->away_ns / aside->time_ns : (double)NAN;
}

/**
 * latency_sums_join - join steps to longer ones
 * @sums: sums
 * @steps: the most steps that they may have
 */
void latency_sums_join(struct latency_sums *sums, size_t steps)
{
	while (sums->nr_steps > steps)
		halve(sums);
}

/**
 * latency_sums_free - free
 * @sums: sums, which may be zeroed only
 */
void latency_sums_free(struct latency_sums *sums)
{
	size_t i;

	for (i = 0; i < (size_t)sums->nr * LATENCY_EVENTS && sums->each; i++)
		free(sums->each[i].record);
	for (i = 0; i < LATENCY_EVENTS * LATENCY_STEPS_MAX && sums->step; i++)
		free(sums->step[i].record);
	for (i = 0; i < LATENCY_EVENTS && sums->mean; i++)
		series_free(&sums->mean[i]);
	free(sums->all);
	free(sums->each);
	free(sums->aside);
	free(sums->step);
	free(sums->mean);
	*sums = (struct latency_sums){ .nr = 0 };
}
