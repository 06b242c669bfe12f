// SPDX-License-Identifier: GPL-2.0
/*
 * Raw counts: what the figures are made of, for those who want to apply formulas of
 * their own, or to see what a formula had to be cut for.
 */
#include <linux/kernel.h>
#include <linux/lockdep.h>

#include "counters.h"
#include "events.h"
#include "window.h"

/* perf's names, in the order of the group: SLOTS, then the metrics (group.c). */
static const struct {
	const char *name;
	u64 config;
} td_metric_events[1 + TD_METRIC_NR] = {
	{ "slots", 0x400 },
	{ "topdown-retiring", 0x8000 },
	{ "topdown-bad-spec", 0x8100 },
	{ "topdown-fe-bound", 0x8200 },
	{ "topdown-be-bound", 0x8300 },
	{ "topdown-heavy-ops", 0x8400 },
	{ "topdown-br-mispredict", 0x8500 },
	{ "topdown-fetch-lat", 0x8600 },
	{ "topdown-mem-bound", 0x8700 },
};

static void td_events_add(struct td_events *events, const char *name, u64 config, u64 count)
{
	events->event[events->nr++] = (struct td_event_count){ name, config, count };
}

/* As the driver has them: not corrected for what bytes lose. */
static void td_events_metrics(const struct td_window *window, struct td_events *events)
{
	const struct td_counts *counts = &window->counts;
	const struct td_event *event;
	unsigned int i;

	for (i = 0; i < window->group.fixed; i++)
		td_events_add(events, td_metric_events[i].name, td_metric_events[i].config,
			      i ? counts->metric[i - 1] : counts->slots);
	for (i = 0; (event = td_refine_event(&window->refine, i)); i++)
		td_events_add(events, event->name, event->config, window->refine.counted[i]);
}

static void td_events_counters(const struct td_counters *counters, struct td_events *events)
{
	const struct td_event *event = counters->formula->events;
	unsigned int i;

	for (i = 0; i < counters->formula->nr_events; i++, event++) {
		if (td_counters_has(counters, i))
			td_events_add(events, event->name, event->config, counters->total[i]);
	}
}

/**
 * td_events_read() - the counts of a CPU until now
 * @window: of this CPU, interrupts off
 * @events: written
 */
void td_events_read(struct td_window *window, struct td_events *events)
{
	lockdep_assert_irqs_disabled();
	events->nr = 0;
	if (!window->open)
		return;
	td_window_fold(window, false);
	if (window->counters)
		td_events_counters(window->counters, events);
	else
		td_events_metrics(window, events);
}
