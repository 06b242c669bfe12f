/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_LATENCY_EVENT_H
#define TOPDOWN_LATENCY_EVENT_H

#include <uapi/linux/topdown_latency.h>

/* The number of an event is below this, and a set of events is one u64. */
#define TD_LATENCY_EVENTS	TOPDOWN_LATENCY_EVENTS_MAX

int td_latency_event_get(const struct topdown_latency_event *event);
void td_latency_event_put(unsigned int number);
const struct topdown_latency_event *td_latency_event(unsigned int number);

#endif /* TOPDOWN_LATENCY_EVENT_H */
