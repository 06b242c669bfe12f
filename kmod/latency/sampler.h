/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_SAMPLER_H
#define TOPDOWN_SAMPLER_H

#include <linux/types.h>
#include <uapi/linux/topdown_latency.h>

#include "pause.h"
#include "periods.h"

struct perf_event;
struct perf_sample_data;
struct pt_regs;

/**
 * struct td_tally - what the samples of a sampler add up to
 * @samples: as in struct topdown_latency_record, as all fields
 * @events: see @samples
 * @sum: see @samples
 * @min: see @samples
 * @max: see @samples
 * @lost: see @samples
 * @bin: see @samples
 */
struct td_tally {
	u64 samples;
	u64 events;
	u64 sum;
	u64 min;
	u64 max;
	u64 lost;
	u64 bin[TOPDOWN_LATENCY_BINS];
};

/**
 * struct td_sampler - the sampling counter of one event on one CPU
 * @cpu: the CPU
 * @number: number of the event (latency-event.c)
 * @users: number of sessions that want it; the caller's
 * @asked: when the first of them came, ktime_get_ns()
 * @pause: its event found no counter, so its turns are passed over; the caller's
 * @event: perf's event; NULL while the CPU is offline or not measured
 * @ran_before: nanoseconds that earlier events of this sampler had the counter
 * @ran: the same including @event, as of @noted
 * @counted: events that @event and earlier ones counted, as of @noted
 * @count: count of @event that is in @counted
 * @noted: when @ran was noted, or the event was last enabled, ktime_get_ns()
 * @on: the event is enabled
 * @checked: @ran when the period was last judged
 * @checked_samples: number of samples at that time
 * @shift: the period is about 2^shift events; written by the handler, and while @event is
 *	disabled
 * @periods: which periods of @event are accounted for; as @shift
 * @tick: jiffy of the last sample; used by the handler
 * @burst: number of samples in that jiffy; as @tick
 * @throttled: not 0 if perf stopped the event for a while since the period was last judged; set
 *	by the handler
 * @seq: sequence number of @tally
 * @tally: written by the handler; read from anywhere
 */
struct td_sampler {
	int cpu;
	unsigned int number;
	unsigned int users;
	u64 asked;
	struct td_pause pause;

	struct perf_event *event;
	u64 ran_before;
	u64 ran;
	u64 counted;
	u64 count;
	u64 noted;
	bool on;
	u64 checked;
	u64 checked_samples;

	unsigned int shift;
	struct td_periods periods;
	unsigned long tick;
	unsigned int burst;
	unsigned int throttled;
	u32 seq;
	struct td_tally tally;
};

void td_sampler_init(int cpu);
enum topdown_latency_refusal td_sampler_refusal(void);
bool td_sampler_takes(int cpu, const struct topdown_latency_event *what);
struct td_sampler *td_sampler_create(int cpu, unsigned int number);
void td_sampler_destroy(struct td_sampler *sampler);
void td_sampler_overflow(struct perf_event *event, struct perf_sample_data *data,
			 struct pt_regs *regs);
int td_sampler_refresh(int cpu);
int td_sampler_begin(struct td_sampler *sampler);
void td_sampler_end(struct td_sampler *sampler);
void td_sampler_enable(struct td_sampler *sampler);
void td_sampler_disable(struct td_sampler *sampler);
void td_sampler_check(struct td_sampler *sampler);
void td_sampler_read(const struct td_sampler *sampler, struct topdown_latency_record *record);

#endif /* TOPDOWN_SAMPLER_H */
