// SPDX-License-Identifier: GPL-2.0
/*
 * Latency sessions: several that are read together, or one of all CPUs, which goes on beside
 * something else.
 */
#include "sessions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "message.h"
#include "raw-events.h"

static int add_part(struct latency_parts *parts, int ret)
{
	if (!ret)
		parts->nr += parts->part[parts->nr_parts++].nr;
	return ret;
}

/**
 * latency_parts_start - start one more, of events with names
 * @parts: zeroed, or others that were started
 * @td: device
 * @cpus: these CPUs; NULL for all
 * @session: followed tasks, in place of CPUs; -1 for none
 * @events: bit n for event n
 *
 * Return: 0 or a negative errno.
 */
int latency_parts_start(struct latency_parts *parts, struct topdown *td,
			const struct cpulist *cpus, int session, uint64_t events)
{
	struct latency_part *part = &parts->part[parts->nr_parts];

	if (session >= 0)
		return add_part(parts, topdown_latencies_start_tasks(td, session, events,
								     &part->latency, &part->nr));
	return add_part(parts, topdown_latencies_start(td, cpus ? cpus->words : NULL,
						       cpus ? CPULIST_WORDS : 0, events,
						       &part->latency, &part->nr));
}

/**
 * latency_parts_start_raw - start one more, of raw_events()
 * @parts: zeroed, or others that were started
 * @td: device
 * @cpus: these CPUs; NULL for all
 * @session: followed tasks, in place of CPUs; -1 for none
 *
 * Return: 0 or a negative errno.
 */
int latency_parts_start_raw(struct latency_parts *parts, struct topdown *td,
			    const struct cpulist *cpus, int session)
{
	struct latency_part *part = &parts->part[parts->nr_parts];
	const struct topdown_latency_event *events;
	unsigned int nr;

	events = raw_events(&nr);
	part->raw = true;
	return add_part(parts, topdown_latencies_start_raw(td, cpus ? cpus->words : NULL,
							   cpus ? CPULIST_WORDS : 0, session,
							   events, nr, sizeof(*events),
							   &part->latency, &part->nr));
}

/**
 * latency_parts_read - read the records of all
 * @parts: latency sessions
 * @to: where to; part after part
 *
 * Return: 0 or a negative errno.
 */
int latency_parts_read(const struct latency_parts *parts, struct topdown_latency_record *to)
{
	unsigned int i, j, nr;
	int ret;

	for (i = 0; i < parts->nr_parts; i++, to += nr) {
		nr = parts->part[i].nr;
		ret = topdown_latencies_read(parts->part[i].latency, to, sizeof(*to), &nr);
		if (ret)
			return ret;
		/* The library gives the place in the list. */
		for (j = 0; j < nr && parts->part[i].raw; j++)
			to[j].event += RAW_EVENTS_FIRST;
	}
	return 0;
}

/**
 * latency_parts_end - end all
 * @parts: latency sessions
 */
void latency_parts_end(struct latency_parts *parts)
{
	while (parts->nr_parts)
		topdown_latencies_end(parts->part[--parts->nr_parts].latency);
}

/**
 * latencies_start - start it
 * @latencies: zeroed
 * @td: device
 * @device: its path
 * @wanted: the events, as of events_parse()
 *
 * Return: 0, or an exit code after a message.
 */
int latencies_start(struct latencies *latencies, struct topdown *td, const char *device,
		    uint64_t wanted)
{
	uint64_t events;
	int ret;

	ret = events_choose(td, device, wanted, "", &events);
	if (ret)
		return ret;
	ret = topdown_latencies_start(td, NULL, 0, events, &latencies->session, &latencies->nr);
	if (ret)
		return events_refused(device, -ret, false);
	latencies->record = calloc(latencies->nr, sizeof(*latencies->record));
	if (latencies->record)
		return 0;
	latencies_end(latencies);
	return message_fail(EXIT_RUNTIME, "cannot sample through %s: %s", device, strerror(ENOMEM));
}

/**
 * latencies_read - read its records
 * @latencies: a session that was started
 *
 * Return: 0 or a negative errno; after an error the records are as they were.
 */
int latencies_read(struct latencies *latencies)
{
	unsigned int nr = latencies->nr;

	return topdown_latencies_read(latencies->session, latencies->record,
				      sizeof(*latencies->record), &nr);
}

/**
 * latencies_stop - end it, if there is one, and keep its records
 * @latencies: zeroed, or a session that was started
 */
void latencies_stop(struct latencies *latencies)
{
	topdown_latencies_end(latencies->session);
	latencies->session = NULL;
}

/**
 * latencies_end - end it, if there is one
 * @latencies: zeroed, or a session that was started; zeroed afterwards
 */
void latencies_end(struct latencies *latencies)
{
	latencies_stop(latencies);
	free(latencies->record);
	memset(latencies, 0, sizeof(*latencies));
}
