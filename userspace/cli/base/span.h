/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The span of an interval: the CPUs are read at both of its ends.
 */
#ifndef TOPDOWN_CLI_SPAN_H
#define TOPDOWN_CLI_SPAN_H

#include <stdbool.h>
#include <stdint.h>
#include <topdown.h>

/**
 * struct span - two readings, and how they are made
 * @td: device
 * @then: reading of the start
 * @now: reading of the end
 * @map: where the records are read; NULL to ask the module for them
 * @can_ask: the module counts until now on request
 * @end_ns: CLOCK_MONOTONIC up to which @now counts; before the first end, @then
 */
struct span {
	struct topdown *td;
	struct topdown_reading *then;
	struct topdown_reading *now;
	struct topdown_map_view *map;
	bool can_ask;
	uint64_t end_ns;
};

int span_open(struct span *span, struct topdown *td, const uint64_t *cpus, unsigned int words);
void span_close(struct span *span);
int span_begin(struct span *span, bool ask);
int span_end(struct span *span, bool ask);
void span_next(struct span *span);

#endif /* TOPDOWN_CLI_SPAN_H */
