// SPDX-License-Identifier: GPL-2.0
/*
 * topdown top: the latencies from one refresh to the next.
 *
 * Events have turns, which are not in step with our refreshes.  So an interval ends when the event
 * has had a turn, and stays on the screen until it has had another.
 */
#include "top-latency.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "events.h"

/* The module gives each event a turn of some 100 ms. */
#define TURN_NS		(100 * NS_PER_MS)

/**
 * top_latency_room - make room for the records of the session
 * @latency: with a session; nothing else
 *
 * Return: 0 or -ENOMEM.
 */
int top_latency_room(struct top_latency *latency)
{
	const struct latencies *session = &latency->session;
	unsigned int i;

	latency->part = calloc(session->nr, sizeof(*latency->part));
	latency->row = calloc(session->nr, sizeof(*latency->row));
	if (!latency->part || !latency->row)
		return -ENOMEM;
	latency->events = 0;
	for (i = 0; i < session->nr; i++) {
		if (!i || session->record[i].event != session->record[i - 1].event)
			latency->events++;
	}
	return 0;
}

/**
 * top_latency_start - sample from now on
 * @latency: zeroed
 * @td: device
 * @device: its path
 * @wanted: the events, as of events_parse()
 *
 * Return: 0, or an exit code after a message; then nothing has changed.
 */
int top_latency_start(struct top_latency *latency, struct topdown *td, const char *device,
		      uint64_t wanted)
{
	int ret;

	ret = latencies_start(&latency->session, td, device, wanted);
	if (ret)
		return ret;
	ret = latencies_read(&latency->session);
	if (!ret)
		ret = top_latency_room(latency);
	if (!ret) {
		top_latency_put(latency, clock_now_ns());
		return 0;
	}
	top_latency_end(latency);
	return events_unread(device, -ret);
}

/**
 * top_latency_stop - sample no longer, and keep the rows
 * @latency: with a session or none
 */
void top_latency_stop(struct top_latency *latency)
{
	latencies_stop(&latency->session);
}

/**
 * top_latency_restart - sample again, and show what there was until the next turns
 * @latency: stopped, or zeroed
 * @td: device
 * @device: its path
 * @wanted: the events, as of events_parse()
 *
 * Return: 0, or an exit code after a message; then @latency is zeroed.
 */
int top_latency_restart(struct top_latency *latency, struct topdown *td, const char *device,
			uint64_t wanted)
{
	struct top_latency old = *latency;
	struct topdown_latency_record *shown;
	unsigned int i;
	int ret;

	memset(latency, 0, sizeof(*latency));
	ret = top_latency_start(latency, td, device, wanted);
	for (i = 0; i < latency->session.nr && i < old.session.nr && !ret; i++) {
		shown = &latency->part[i].shown;
		if (shown->event == old.part[i].shown.event && shown->cpu == old.part[i].shown.cpu)
			*shown = old.part[i].shown;
	}
	top_latency_end(&old);
	return ret;
}

/* No turn for so long is one without samples. */
static uint64_t patience_ns(const struct top_latency *latency)
{
	return NS_PER_S + 2 * latency->events * TURN_NS;
}

static void put(struct top_latency_part *part, const struct topdown_latency_record *now,
		uint64_t now_ns, uint64_t wait_ns)
{
	bool turned = now->running_ns != part->base.running_ns ||
		      now->samples != part->base.samples;

	part->shown.flags = now->flags;
	if (part->based_ns && !turned && now_ns - part->based_ns < wait_ns)
		return;
	if (!part->based_ns || topdown_latency_between(&part->base, now, &part->shown))
		part->shown = (struct topdown_latency_record){
			.event = now->event, .cpu = now->cpu, .flags = now->flags,
		};
	part->base = *now;
	part->based_ns = now_ns;
}

/**
 * top_latency_put - take in the records that were read last
 * @latency: with room
 * @now_ns: CLOCK_MONOTONIC
 */
void top_latency_put(struct top_latency *latency, uint64_t now_ns)
{
	unsigned int i;

	for (i = 0; i < latency->session.nr; i++)
		put(&latency->part[i], &latency->session.record[i], now_ns, patience_ns(latency));
}

/* Each CPU has a part of the first event, as of any other. */
static void count_away(struct top_latency *latency, const struct top_view *view)
{
	const struct topdown_latency_record *first = &latency->part[0].shown, *shown;
	unsigned int i;

	latency->away = 0;
	for (i = 0; i < latency->session.nr; i++) {
		shown = &latency->part[i].shown;
		if (shown->event == first->event && shown->flags & TOPDOWN_LATENCY_RECORD_AWAY &&
		    top_view_has(view, shown->cpu))
			latency->away++;
	}
}

/**
 * top_latency_rows - filter, and add up
 * @latency: with a session
 * @view: says which CPUs, and whether each of them has a row
 *
 * Return: number of rows in latency->row.
 */
unsigned int top_latency_rows(struct top_latency *latency, const struct top_view *view)
{
	const struct topdown_latency_record *shown;
	struct topdown_latency_record *row = latency->row;
	unsigned int i, j, nr = 0;
	bool begun = false;

	count_away(latency, view);
	for (i = 0; i < latency->session.nr; i++) {
		shown = &latency->part[i].shown;
		if (!top_view_has(view, shown->cpu))
			continue;
		begun = begun && !view->each && row[nr - 1].event == shown->event;
		if (!begun)
			row[nr++] = (struct topdown_latency_record){ .event = shown->event };
		begun = true;
		if (view->each)
			row[nr - 1] = *shown;
		else
			topdown_latency_add(&row[nr - 1], shown);
	}
	if (!view->hide_idle)
		return nr;
	for (i = 0, j = 0; i < nr; i++) {
		if (row[i].samples)
			row[j++] = row[i];
	}
	return j;
}

/**
 * top_latency_end - sample no longer
 * @latency: with a session or none; zeroed afterwards
 */
void top_latency_end(struct top_latency *latency)
{
	latencies_end(&latency->session);
	free(latency->part);
	free(latency->row);
	memset(latency, 0, sizeof(*latency));
}
