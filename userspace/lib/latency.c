// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Latencies: names of events, and what follows from records.
 */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "latency-table.h"

/* A program that was built with the first release has records of this size. */
#define TD_LATENCY_RECORD_VER0	(offsetof(struct topdown_latency_record, bin) + \
				 sizeof(((struct topdown_latency_record *)0)->bin))

#define TD_ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

static const char * const td_refusals[] = {
	[TOPDOWN_LATENCY_REFUSAL_NONE] = "it can be sampled",
	[TOPDOWN_LATENCY_REFUSAL_NO_CPU] =
		"no CPU has timed PEBS (Meteor Lake, Granite Rapids and later have it), or a hypervisor hides it",
	[TOPDOWN_LATENCY_REFUSAL_NO_KERNEL] =
		"the kernel does not read the latency of a sample: it is older than Linux 6.3, or its driver does not know this CPU model",
	[TOPDOWN_LATENCY_REFUSAL_NO_ASIDE] =
		"topdown was loaded with aside=never or pinned=1, or the kernel lacks tracepoints, so it would not notice perf users who lack a counter",
};

TD_API const char *topdown_latency_event_name(unsigned int event)
{
	return td_latency_name(event);
}

TD_API int topdown_latency_event_by_name(const char *name)
{
	unsigned int event;

	for (event = 0; event < TD_NR_LATENCIES; event++) {
		if (!strcasecmp(name, td_latency_name(event)))
			return event;
	}
	return -ENOENT;
}

TD_API const char *topdown_latency_refusal_text(unsigned int refusal)
{
	if (refusal == TOPDOWN_LATENCY_NO_MODEL)
		return "libtopdown knows no events of this CPU model";
	return refusal < TD_ARRAY_SIZE(td_refusals) ? td_refusals[refusal] : "unknown reason";
}

/* The least latency of a bin. */
static unsigned int td_bin_begin(unsigned int bin)
{
	return bin < 16 ? bin : (8 + bin % 8) << (bin / 8 - 1);
}

static double td_bin_middle(unsigned int bin)
{
	return (td_bin_begin(bin) + td_bin_begin(bin + 1) - 1) / 2.0;
}

static bool td_latency_grew(const struct topdown_latency_record *then,
			    const struct topdown_latency_record *now)
{
	unsigned int i;

	for (i = 0; i < TOPDOWN_LATENCY_BINS; i++) {
		if (now->bin[i] < then->bin[i])
			return false;
	}
	return now->samples >= then->samples && now->events >= then->events &&
	       now->sum >= then->sum && now->running_ns >= then->running_ns &&
	       now->elapsed_ns >= then->elapsed_ns && now->counted >= then->counted &&
	       now->lost >= then->lost;
}

/* Minimum and maximum as far as the bins tell. */
static void td_latency_ends(struct topdown_latency_record *record)
{
	unsigned int i;

	record->min = 0;
	record->max = 0;
	for (i = TOPDOWN_LATENCY_BINS; i-- > 0;) {
		if (!record->bin[i])
			continue;
		record->min = td_bin_begin(i);
		if (!record->max)
			record->max = td_bin_begin(i + 1) - 1;
	}
}

TD_API int topdown_latency_between(const struct topdown_latency_record *then,
				   const struct topdown_latency_record *now,
				   struct topdown_latency_record *out)
{
	struct topdown_latency_record record;
	unsigned int i;

	memcpy(&record, now, TD_LATENCY_RECORD_VER0);
	if (then->event != now->event || then->cpu != now->cpu)
		return -EINVAL;
	if (!td_latency_grew(then, now))
		return -ERANGE;
	record.samples -= then->samples;
	record.events -= then->events;
	record.sum -= then->sum;
	record.running_ns -= then->running_ns;
	record.elapsed_ns -= then->elapsed_ns;
	record.counted -= then->counted;
	record.lost -= then->lost;
	for (i = 0; i < TOPDOWN_LATENCY_BINS; i++)
		record.bin[i] -= then->bin[i];
	td_latency_ends(&record);
	/* What the whole record knows is nearer. */
	if (record.samples && record.min < now->min)
		record.min = now->min;
	if (record.max > now->max)
		record.max = now->max;
	memcpy(out, &record, TD_LATENCY_RECORD_VER0);
	return 0;
}

TD_API void topdown_latency_add(struct topdown_latency_record *sum,
				const struct topdown_latency_record *record)
{
	unsigned int i;

	sum->event = record->event;
	sum->cpu = TOPDOWN_CPU_ALL;
	sum->flags |= record->flags;
	if (record->samples && (!sum->samples || record->min < sum->min))
		sum->min = record->min;
	if (record->max > sum->max)
		sum->max = record->max;
	sum->samples += record->samples;
	sum->events += record->events;
	sum->sum += record->sum;
	sum->running_ns += record->running_ns;
	sum->elapsed_ns += record->elapsed_ns;
	sum->counted += record->counted;
	sum->lost += record->lost;
	for (i = 0; i < TOPDOWN_LATENCY_BINS; i++)
		sum->bin[i] += record->bin[i];
}

TD_API double topdown_latency_mean(const struct topdown_latency_record *record)
{
	return record->events ? (double)record->sum / record->events : (double)NAN;
}

TD_API double topdown_latency_variance(const struct topdown_latency_record *record)
{
	double mean = 0, variance = 0, middle;
	unsigned int i;

	if (!record->events)
		return (double)NAN;
	for (i = 0; i < TOPDOWN_LATENCY_BINS; i++)
		mean += record->bin[i] * td_bin_middle(i) / record->events;
	for (i = 0; i < TOPDOWN_LATENCY_BINS; i++) {
		middle = td_bin_middle(i) - mean;
		variance += record->bin[i] * middle * middle / record->events;
	}
	return variance;
}

TD_API double topdown_latency_quantile(const struct topdown_latency_record *record, double share)
{
	uint64_t below = 0;
	unsigned int i;

	if (!record->events)
		return (double)NAN;
	for (i = 0; i < TOPDOWN_LATENCY_BINS - 1; i++) {
		below += record->bin[i];
		if (below && below >= share * record->events)
			break;
	}
	return td_bin_middle(i);
}
