// SPDX-License-Identifier: GPL-2.0
/*
 * Events of latencies that the user has named by their encodings.  A command line has one set.
 */
#include "raw-events.h"

#include <inttypes.h>
#include <stdio.h>

/* raw-0x and 16 digits, twice. */
#define NAME_SIZE	48

static struct topdown_latency_event encodings[RAW_EVENTS_MAX];
static char names[RAW_EVENTS_MAX][NAME_SIZE];
static unsigned int nr_events;

static bool is_there(uint64_t config, uint64_t config1)
{
	unsigned int i;

	for (i = 0; i < nr_events; i++) {
		if (encodings[i].config == config && encodings[i].config1 == config1)
			return true;
	}
	return false;
}

/**
 * raw_events_add - add an event
 * @config: as in struct topdown_latency_event
 * @config1: as there
 *
 * An event that is added twice is there once.
 *
 * Return: false if there is no room.
 */
bool raw_events_add(uint64_t config, uint64_t config1)
{
	char *name = names[nr_events < RAW_EVENTS_MAX ? nr_events : 0];
	int length;

	if (is_there(config, config1))
		return true;
	if (nr_events == RAW_EVENTS_MAX)
		return false;
	length = snprintf(name, NAME_SIZE, "raw-0x%" PRIx64, config);
	if (config1)
		snprintf(name + length, NAME_SIZE - length, ":0x%" PRIx64, config1);
	encodings[nr_events++] = (struct topdown_latency_event){
		.config = config,
		.config1 = config1,
	};
	return true;
}

/**
 * raw_events - all of them
 * @nr: how many there are
 *
 * Return: their encodings; that of event RAW_EVENTS_FIRST is the first.
 */
const struct topdown_latency_event *raw_events(unsigned int *nr)
{
	*nr = nr_events;
	return encodings;
}

/**
 * raw_events_name - name of any event
 * @event: enum topdown_latency_number, or RAW_EVENTS_FIRST and above
 *
 * Return: Intel's name, or raw- and the encoding; NULL for an unknown event.
 */
const char *raw_events_name(unsigned int event)
{
	if (event < RAW_EVENTS_FIRST)
		return topdown_latency_event_name(event);
	return event - RAW_EVENTS_FIRST < nr_events ? names[event - RAW_EVENTS_FIRST] : NULL;
}
