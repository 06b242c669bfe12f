// SPDX-License-Identifier: GPL-2.0
/*
 * The span of an interval: the CPUs are read at both of its ends.
 *
 * If the CPUs are asked, they count until now, at the price of a system call and of
 * interrupts. Otherwise an end is where each CPU has last counted by itself. In both cases the
 * records come from the map, where those of CPUs that sleep need not be looked at again.
 */
#include "span.h"

#include <errno.h>
#include <string.h>

/**
 * span_open - make room for the readings
 * @span: span
 * @td: device
 * @cpus: set of CPUs, as for topdown_reading_create()
 * @words: words in @cpus
 *
 * Return: 0 or -errno.  The caller closes the span in any case.
 */
int span_open(struct span *span, struct topdown *td, const uint64_t *cpus, unsigned int words)
{
	int ret;

	memset(span, 0, sizeof(*span));
	span->td = td;
	span->can_ask = topdown_has(td, TOPDOWN_FEATURE_FRESH);
	/* Without a map the module is asked for its records. */
	if (topdown_map_open(&span->map, td))
		span->map = NULL;
	ret = topdown_reading_create(&span->then, td, cpus, words);
	return ret ? ret : topdown_reading_create(&span->now, td, cpus, words);
}

/**
 * span_close - free the readings
 * @span: span, which may be zeroed only
 */
void span_close(struct span *span)
{
	topdown_reading_destroy(span->now);
	topdown_reading_destroy(span->then);
	topdown_map_close(span->map);
}

static int read_cpus(struct span *span, struct topdown_reading *reading, unsigned int flags)
{
	int ret = -EAGAIN;

	if (span->map)
		ret = topdown_reading_update_map(reading, span->map, flags);
	/* A virtual CPU may have been stopped while it wrote. */
	return ret == -EAGAIN ? topdown_reading_update(reading, flags) : ret;
}

/* The latest time at which one of the CPUs has counted; 0 if none has. */
static uint64_t last_count(const struct topdown_reading *reading)
{
	const struct topdown_record *record;
	uint64_t last = 0;
	unsigned int i;

	for (i = 0; i < topdown_reading_nr(reading); i++) {
		record = topdown_reading_record(reading, i);
		if (record->time_ns > last)
			last = record->time_ns;
	}
	return last;
}

static int take(struct span *span, struct topdown_reading *reading, bool ask)
{
	uint64_t end_ns;
	int ret;

	ask = ask && span->can_ask;
	ret = read_cpus(span, reading, ask ? TOPDOWN_READ_FRESH : 0);
	if (ret)
		return ret;
	end_ns = ask ? topdown_reading_time(reading) : last_count(reading);
	/* If no CPU has counted since, the span adds nothing. */
	if (end_ns > span->end_ns)
		span->end_ns = end_ns;
	return 0;
}

/**
 * span_begin - the first span begins
 * @span: open span
 * @ask: let the CPUs count until now, if the module can
 *
 * Return: 0 or -errno.
 */
int span_begin(struct span *span, bool ask)
{
	int ret;

	span->end_ns = 0;
	ret = take(span, span->then, ask);
	/* If no CPU has ever counted, this time is as good as any. */
	if (!ret && !span->end_ns)
		span->end_ns = topdown_reading_time(span->then);
	return ret;
}

/**
 * span_end - the span ends
 * @span: span that has begun
 * @ask: as for span_begin()
 *
 * Return: 0 or -errno.
 */
int span_end(struct span *span, bool ask)
{
	return take(span, span->now, ask);
}

/**
 * span_next - the next span begins where this one ended
 * @span: span that has ended
 */
void span_next(struct span *span)
{
	struct topdown_reading *swap = span->then;

	span->then = span->now;
	span->now = swap;
}
