// SPDX-License-Identifier: GPL-2.0
/*
 * The latencies that are exported, as histograms.
 *
 * The session lasts as long as the exporter, and its records only grow.  A read interrupts no CPU.
 */
#include "export-latency.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "message.h"
#include "text.h"

/*
 * The last bin of each bucket, and the greatest latency of that bin: up to 15 cycles some a bucket,
 * then two buckets to a power of 2, and one where few instructions are.  A bucket that ended within
 * a bin would be a guess.  OpenMetrics wants the point.
 */
static const struct {
	unsigned char last_bin;
	const char *bound;
} buckets[EXPORT_BUCKETS] = {
	{ 1, "1.0" }, { 3, "3.0" }, { 5, "5.0" }, { 7, "7.0" },
	{ 11, "11.0" }, { 15, "15.0" }, { 19, "23.0" }, { 23, "31.0" },
	{ 27, "47.0" }, { 31, "63.0" }, { 35, "95.0" }, { 39, "127.0" },
	{ 43, "191.0" }, { 47, "255.0" }, { 51, "383.0" }, { 55, "511.0" },
	{ 59, "767.0" }, { 63, "1023.0" }, { 71, "2047.0" }, { 79, "4095.0" },
	{ 87, "8191.0" }, { 95, "16383.0" },
};

/**
 * struct export_counter - a counter of each row
 * @family: with a unit it is a time, which the row has in ns
 * @at: offset of the value in struct export_histogram
 * @counted: older modules lack it
 */
struct export_counter {
	struct export_family family;
	size_t at;
	bool counted;
};

static const struct export_counter counters[] = {
	{ { "topdown_retire_latency_samples", EXPORT_COUNTER, NULL,
	    "Samples of retire latencies." },
	  offsetof(struct export_histogram, samples), false },
	{ { "topdown_retire_latency_counted_events", EXPORT_COUNTER, NULL,
	    "Events that the sampling counter counted, without at least one a sample." },
	  offsetof(struct export_histogram, counted), true },
	{ { "topdown_retire_latency_lost_events", EXPORT_COUNTER, NULL,
	    "Events of periods without a sample, as in bursts. The histogram lacks them." },
	  offsetof(struct export_histogram, lost), true },
	{ { "topdown_retire_latency_running_seconds", EXPORT_COUNTER, "seconds",
	    "Time in which the event had the sampling counter." },
	  offsetof(struct export_histogram, running_ns), false },
	{ { "topdown_retire_latency_elapsed_seconds", EXPORT_COUNTER, "seconds",
	    "Time since the event was first asked for, also while a CPU is offline." },
	  offsetof(struct export_histogram, elapsed_ns), false },
};

/* Each CPU has a record of the first event, as of any other. */
static void count_states(struct export_latency *latency, const struct cpulist *offline)
{
	const struct topdown_latency_record *record = latency->session.record;
	enum export_latency_state state;
	unsigned int i;

	memset(latency->cpus, 0, sizeof(latency->cpus));
	for (i = 0; i < latency->session.nr && record[i].event == record[0].event; i++) {
		state = record[i].flags & TOPDOWN_LATENCY_RECORD_AWAY ? EXPORT_LATENCY_ASIDE :
			EXPORT_LATENCY_OK;
		if (cpulist_has(offline, record[i].cpu))
			state = EXPORT_LATENCY_OFFLINE;
		latency->cpus[state]++;
	}
}

static void add_record(struct export_histogram *row, const struct topdown_latency_record *record)
{
	unsigned int bin = 0, bucket;
	uint64_t events;

	row->samples += record->samples;
	row->running_ns += record->running_ns;
	row->elapsed_ns += record->elapsed_ns;
	row->sum += record->sum;
	row->counted += record->counted;
	row->lost += record->lost;
	for (bucket = 0; bucket <= EXPORT_BUCKETS; bucket++) {
		unsigned int last = bucket < EXPORT_BUCKETS ? buckets[bucket].last_bin :
				    TOPDOWN_LATENCY_BINS - 1;

		for (events = 0; bin <= last; bin++)
			events += record->bin[bin];
		row->bucket[bucket] += events;
	}
}

/* The sum keeps CPUs that are offline, so that it never falls; they have no own series. */
static void add_all(struct export_latency *latency, const struct cpulist *offline)
{
	const struct topdown_latency_record *record = latency->session.record;
	struct export_histogram *row = NULL;
	unsigned int i;

	latency->nr = 0;
	latency->counted = false;
	for (i = 0; i < latency->session.nr; i++) {
		/* One module has made all records. */
		if (record[i].flags & TOPDOWN_LATENCY_RECORD_COUNTED)
			latency->counted = true;
		if (latency->per_cpu && cpulist_has(offline, record[i].cpu))
			continue;
		if (!row || latency->per_cpu || row->event != record[i].event) {
			row = &latency->rows[latency->nr++];
			*row = (struct export_histogram){
				.event = record[i].event,
				.cpu = latency->per_cpu ? record[i].cpu : TOPDOWN_CPU_ALL,
			};
		}
		add_record(row, &record[i]);
	}
}

/* Return: 0, or an exit code after a message. */
static int start(struct export_latency *latency, struct topdown *td)
{
	int ret;

	ret = latencies_start(&latency->session, td, latency->device, latency->wanted);
	if (ret)
		return ret;
	latency->rows = calloc(latency->session.nr, sizeof(*latency->rows));
	if (latency->rows)
		return 0;
	export_latency_end(latency);
	return message_fail(EXIT_RUNTIME, "cannot sample through %s: %s", latency->device,
			    strerror(ENOMEM));
}

/* Return: false after a message, without a session. */
static bool look(struct export_latency *latency, struct topdown *td)
{
	int ret;

	/* Asking a machine that samples nothing once more is one ioctl. */
	if (!latency->rows && start(latency, td))
		return false;
	ret = latencies_read(&latency->session);
	if (!ret)
		return true;
	events_unread(latency->device, -ret);
	export_latency_end(latency);
	return false;
}

/**
 * export_latency_update - look again
 * @latency: device, per_cpu, wanted, and otherwise zeroed before the first time
 * @td: the module; NULL if it cannot be read now
 * @offline: CPUs that are offline
 *
 * A session that could not start, or has gone, is started again as soon as that is possible.
 */
void export_latency_update(struct export_latency *latency, struct topdown *td,
			   const struct cpulist *offline)
{
	char reason[EXPORT_REASON_SIZE];
	bool seen;

	latency->up = false;
	if (!latency->wanted || !td)
		return;
	message_hold(reason, sizeof(reason));
	seen = look(latency, td);
	message_hold(NULL, 0);
	if (!seen) {
		export_tell(&latency->told, "--latency", reason);
		return;
	}
	count_states(latency, offline);
	add_all(latency, offline);
	export_told_clear(&latency->told);
	latency->up = true;
}

/**
 * export_latency_end - end the session
 * @latency: the session, or none
 */
void export_latency_end(struct export_latency *latency)
{
	latencies_end(&latency->session);
	free(latency->rows);
	latency->rows = NULL;
	latency->nr = 0;
	latency->up = false;
}

/* Begin a sample of a row. */
static void put_row(struct export_text *text, const struct export_family *family,
		    const char *part, const struct export_histogram *row)
{
	char number[NUMBER_SIZE];

	export_text_part(text, family, part);
	if (row->cpu != TOPDOWN_CPU_ALL) {
		integer_text(number, row->cpu);
		export_text_label(text, "cpu", number);
	}
	export_text_label(text, "event", topdown_latency_event_name(row->event));
}

static void put_histogram(struct export_text *text, const struct export_family *family,
			  const struct export_histogram *row)
{
	__uint128_t below = 0;
	unsigned int i;

	for (i = 0; i <= EXPORT_BUCKETS; i++) {
		below += row->bucket[i];
		put_row(text, family, "_bucket", row);
		export_text_label(text, "le", i < EXPORT_BUCKETS ? buckets[i].bound : "+Inf");
		export_text_count(text, below);
	}
	put_row(text, family, "_sum", row);
	export_text_count(text, row->sum);
	put_row(text, family, "_count", row);
	export_text_count(text, below);
}

static void put_histograms(struct export_text *text, const struct export_latency *latency)
{
	static const struct export_family family = {
		"topdown_retire_latency_cycles", EXPORT_HISTOGRAM, "cycles",
		"Cycles from the retirement of one instruction to the next, of the events that samples stand for.",
	};
	unsigned int i;

	export_text_family(text, &family);
	for (i = 0; i < latency->nr; i++)
		put_histogram(text, &family, &latency->rows[i]);
}

static void put_counter(struct export_text *text, const struct export_latency *latency,
			const struct export_counter *counter)
{
	const struct export_histogram *row;
	__uint128_t value;
	unsigned int i;

	export_text_family(text, &counter->family);
	for (i = 0; i < latency->nr; i++) {
		row = &latency->rows[i];
		value = *(const __uint128_t *)((const char *)row + counter->at);
		put_row(text, &counter->family, "_total", row);
		if (counter->family.unit)
			export_text_ns(text, value);
		else
			export_text_count(text, value);
	}
}

static void put_counters(struct export_text *text, const struct export_latency *latency)
{
	unsigned int i;

	for (i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		if (latency->counted || !counters[i].counted)
			put_counter(text, latency, &counters[i]);
	}
}

static void put_states(struct export_text *text, const struct export_latency *latency)
{
	static const char * const states[] = {
		[EXPORT_LATENCY_OK] = "ok",
		[EXPORT_LATENCY_ASIDE] = "aside",
		[EXPORT_LATENCY_OFFLINE] = "offline",
	};
	static const struct export_family family = {
		"topdown_retire_latency_cpus", EXPORT_GAUGE, NULL,
		"CPUs that can be sampled, by state: aside leaves the sampling counter to perf users or guests.",
	};
	unsigned int i;

	export_text_family(text, &family);
	for (i = 0; i < EXPORT_LATENCY_STATES; i++) {
		export_text_sample(text, &family);
		export_text_label(text, "state", states[i]);
		export_text_count(text, latency->cpus[i]);
	}
}

/**
 * export_latency_metrics - the families of latencies, if any are wanted
 * @text: where to
 * @latency: the session, as it was seen last
 */
void export_latency_metrics(struct export_text *text, const struct export_latency *latency)
{
	static const struct export_family up = {
		"topdown_retire_latency_up", EXPORT_GAUGE, NULL,
		"Whether latencies are sampled.",
	};

	if (!latency->wanted)
		return;
	export_text_family(text, &up);
	export_text_sample(text, &up);
	export_text_count(text, latency->up);
	if (!latency->up)
		return;
	put_states(text, latency);
	put_counters(text, latency);
	put_histograms(text, latency);
}
