/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_SAMPLING_H
#define TOPDOWN_SAMPLING_H

#include <linux/perf_event.h>
#include <linux/types.h>

#include "meter.h"
#include "session.h"
#include "window.h"

/* Both modules use the same structures, so they must have been built of the same sources. */
#define TD_SAMPLING_VERSION	TOPDOWN_VERSION
#define TD_SAMPLING_SIZES	(sizeof(struct td_collector) << 40 ^	\
				 sizeof(struct td_meter) << 20 ^	\
				 sizeof(struct td_session))

/**
 * struct td_sampling - what the module topdown_latency does for a CPU
 * @version: TD_SAMPLING_VERSION of that module
 * @sizes: TD_SAMPLING_SIZES of it
 * @begin: the CPU has a meter, and its samplers may have a counter; process context
 * @end: the CPU loses its meter, and is online; process context
 * @due: is it worth to look whether the sampler is in the way?  On the CPU with interrupts off
 * @look: disable the sampler if it is in the way, and return whether it is; as @due
 * @handler: the overflow handler of its events, by which they are known
 */
struct td_sampling {
	const char *version;
	u64 sizes;
	void (*begin)(const struct td_collector *collector);
	void (*end)(const struct td_collector *collector);
	bool (*due)(const struct td_collector *collector);
	bool (*look)(const struct td_collector *collector);
	perf_overflow_handler_t handler;
};

int td_sampling_register(const struct td_sampling *sampling);
void td_sampling_unregister(void);

void td_sampling_begin(const struct td_collector *collector);
void td_sampling_end(const struct td_collector *collector);
bool td_sampling_due(const struct td_collector *collector);
bool td_sampling_look(const struct td_collector *collector);

#endif /* TOPDOWN_SAMPLING_H */
