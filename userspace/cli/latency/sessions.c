// SPDX-License-Identifier: GPL-2.0
/*
 * A latency session of all CPUs, which goes on beside something else.
 */
#include "sessions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "message.h"

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
	message_error("cannot sample through %s: %s", device, strerror(ENOMEM));
	return EXIT_RUNTIME;
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
