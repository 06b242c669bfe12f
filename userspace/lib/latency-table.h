/* SPDX-License-Identifier: GPL-2.0 OR LGPL-2.1-or-later */
/*
 * The events whose retire latency can be sampled: names, models and encodings.
 */
#ifndef TOPDOWN_LATENCY_TABLE_H
#define TOPDOWN_LATENCY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <topdown.h>

/* All events of enum topdown_latency_number are below this. */
#define TD_NR_LATENCIES		32

/* CPUs that share a list of events. */
enum {
	TD_MTL = 1,
	TD_GNR = 2,
	TD_LNL = 4,
	TD_ARL = 8,
	TD_PTL = 16,
};

__u8 td_latency_lists(unsigned int model);
__u64 td_latency_events(unsigned int model);
bool td_latency_encode(unsigned int model, unsigned int event, __u64 *config, __u64 *config1);
const char *td_latency_name(unsigned int event);

#endif /* TOPDOWN_LATENCY_TABLE_H */
