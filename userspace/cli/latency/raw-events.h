/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events of latencies that the user has named by their encodings.
 */
#ifndef TOPDOWN_CLI_RAW_EVENTS_H
#define TOPDOWN_CLI_RAW_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <topdown.h>

/* Their numbers follow those of the library, which are below this. */
#define RAW_EVENTS_FIRST	32
#define RAW_EVENTS_MAX		32

bool raw_events_add(uint64_t config, uint64_t config1);
const struct topdown_latency_event *raw_events(unsigned int *nr);
const char *raw_events_name(unsigned int event);

#endif /* TOPDOWN_CLI_RAW_EVENTS_H */
