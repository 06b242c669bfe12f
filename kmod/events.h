/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_EVENTS_H
#define TOPDOWN_EVENTS_H

#include <linux/types.h>

#include "formula.h"

struct td_window;

/**
 * struct td_event_count - what was counted of an event
 * @name: as in the vendor's event list, or as perf has the metrics
 * @config: perf's raw config
 * @count: since the group was made; of an event that has turns as it was scaled
 */
struct td_event_count {
	const char *name;
	u64 config;
	u64 count;
};

/**
 * struct td_events - the counts behind the figures of a CPU
 * @nr: how many there are; 0 where nothing is counted now
 * @event: the events, in the order of their tables
 */
struct td_events {
	unsigned int nr;
	struct td_event_count event[TD_EVENTS_MAX];
};

void td_events_read(struct td_window *window, struct td_events *events);

#endif /* TOPDOWN_EVENTS_H */
