// SPDX-License-Identifier: GPL-2.0
/*
 * Latency sessions of one CPU, and the truth of each PEBS record.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "fact.h"
#include "latency.h"

#define LIMIT_MEAN	0.02
/* A share of the records; the driver hands over only the last of several. */
#define LIMIT_LOST	0.02

const struct topdown_latency_event events[NR_EVENTS] = {
	[SPLIT_LOADS]	= { 0x41d0, 0 },
	[LOCAL_DRAM]	= { 0x1d3, 0 },
	[L3_HIT]	= { 0x4d1, 0 },
	[L1I_MISS]	= { 0x3c6, 0x12 },
	[L2_HIT]	= { 0x2d1, 0 },
	[SPLIT_STORES]	= { 0x42d0, 0 },
	[LOCK_LOADS]	= { 0x21d0, 0 },
	[L1_HIT_L1]	= { 0x100000000d1, 0 },
	[STORE_SAMPLE]	= { 0x2cd, 0 },
};

bool set_rates(void)
{
	unsigned int i;

	for (i = 0; i < NR_SHAPES; i++) {
		if (!backdoor_set_rate(event_config(i), RATE))
			return false;
	}
	return true;
}

int latency_open(void)
{
	int fd = open(TD_LATENCY_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* @start has all but its events. */
static int start_of(int fd, uint64_t set, struct topdown_latency_start *start)
{
	struct topdown_latency_event some[NR_EVENTS];
	unsigned int i;

	for (i = 0; i < NR_EVENTS; i++) {
		if (set & EVENT(i))
			some[start->nr_events++] = events[i];
	}
	start->size = sizeof(*start);
	start->events = (uintptr_t)some;
	start->event_size = sizeof(*some);
	return ioctl(fd, TOPDOWN_LATENCY_START, start) ? -errno : 0;
}

int latency_ask(int fd, uint64_t set, struct topdown_latency_start *answer)
{
	*answer = (struct topdown_latency_start){ .flags = TOPDOWN_LATENCY_START_ASK };
	return start_of(fd, set, answer);
}

int latency_begin(int fd, uint64_t set)
{
	__u64 cpus = 1ULL << CPU;
	struct topdown_latency_start start = { .cpus = (uintptr_t)&cpus, .cpus_words = 1 };

	return start_of(fd, set, &start);
}

/* The descriptor if it is a session, or what was wrong. */
static int started(int fd, int ret)
{
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

int latency_start(uint64_t set)
{
	int fd = latency_open();

	return fd < 0 ? fd : started(fd, latency_begin(fd, set));
}

int latency_start_tasks(int session, uint64_t set)
{
	struct topdown_latency_start start = {
		.flags = TOPDOWN_LATENCY_START_TASKS,
		.session = session,
	};
	int fd = latency_open();

	return fd < 0 ? fd : started(fd, start_of(fd, set, &start));
}

int latency_read(int fd, struct topdown_latency_record *records, unsigned int nr)
{
	struct topdown_latency_read read = {
		.size = sizeof(read),
		.records = (uintptr_t)records,
		.nr_records = nr,
		.record_size = sizeof(*records),
	};

	return ioctl(fd, TOPDOWN_LATENCY_READ, &read) ? -errno : (int)read.nr_records;
}

static unsigned int bin_begin(unsigned int bin)
{
	return bin < 16 ? bin : (8 + bin % 8) << (bin / 8 - 1);
}

/* The bin that has the event after @share of them, as a reader finds it. */
static unsigned int bin_of(const uint64_t *bin, uint64_t events, double share)
{
	uint64_t below = 0;
	unsigned int i;

	for (i = 0; i < TOPDOWN_LATENCY_BINS - 1; i++) {
		below += bin[i];
		if (below >= share * events)
			break;
	}
	return i;
}

bool moment_truth(struct moment *moment, uint64_t config)
{
	unsigned int i;
	bool done = true;

	for (i = 0; i < TOPDOWN_LATENCY_BINS; i++) {
		done &= backdoor_latency_cpu(CPU, config, bin_begin(i),
					     bin_begin(i + 1) - bin_begin(i), &moment->truth);
		moment->bin[i] = moment->truth.bin[0];
	}
	return done;
}

uint64_t all_samples(const struct topdown_latency_record *records)
{
	uint64_t samples = 0;
	unsigned int i;

	for (i = 0; i < NR_SHAPES; i++)
		samples += records[i].samples;
	return samples;
}

/* Both sides speak of the same moment if there was no sample meanwhile. */
bool moments_fill(struct moment *moments, int fd)
{
	struct topdown_latency_record records[NR_SHAPES], after[NR_SHAPES];
	unsigned int i, tries;
	bool done = true;

	for (tries = 0; tries < 100; tries++) {
		if (latency_read(fd, records, NR_SHAPES) != NR_SHAPES)
			return false;
		for (i = 0; i < NR_SHAPES; i++)
			done &= moment_truth(&moments[i], event_config(i));
		if (latency_read(fd, after, NR_SHAPES) == NR_SHAPES &&
		    all_samples(records) == all_samples(after))
			break;
	}
	for (i = 0; i < NR_SHAPES; i++) {
		done &= fact(records[i].event == i);
		moments[i].record = records[i];
	}
	return done & fact(tries < 100);
}

double moment_quantile(const struct moment *then, const struct moment *now, double share)
{
	uint64_t bins[TOPDOWN_LATENCY_BINS];
	unsigned int i;

	for (i = 0; i < TOPDOWN_LATENCY_BINS; i++)
		bins[i] = now->record.bin[i] - then->record.bin[i];
	i = bin_of(bins, now->record.events - then->record.events, share);
	return (bin_begin(i) + bin_begin(i + 1) - 1) / 2.0;
}

bool shape_right(const struct moment *then, const struct moment *now)
{
	static const double shares[] = { 0.5, 0.9, 0.99 };
	uint64_t ours[TOPDOWN_LATENCY_BINS], theirs[TOPDOWN_LATENCY_BINS];
	double events = now->record.events - then->record.events;
	double samples = now->record.samples - then->record.samples;
	double count = now->truth.count - then->truth.count, mean, want, lost, share;
	unsigned int i, bin;
	bool right;

	for (i = 0; i < TOPDOWN_LATENCY_BINS; i++) {
		ours[i] = now->record.bin[i] - then->record.bin[i];
		theirs[i] = now->bin[i] - then->bin[i];
	}
	mean = (now->record.sum - then->record.sum) / events;
	want = (now->truth.sum - then->truth.sum) / count;
	printf("# %#llx: %.0f samples of %.0f records, mean %.3f, truth %.3f\n",
	       (unsigned long long)now->truth.config, samples, count, mean, want);
	right = fact_same("events lost", now->record.lost - then->record.lost, 0);
	/* Records that are not among the samples may be any of them, also the greatest. */
	lost = (count - samples) / count;
	right &= fact(samples >= 50) & fact(samples <= count) &
		fact_most("samples lost", count - samples, 2 + LIMIT_LOST * count) &
		fact_near("mean", mean, want, LIMIT_MEAN * want + lost * now->truth.max) &
		/* They are of all samples so far. */
		fact(now->record.min >= now->truth.min) & fact(now->record.min <= mean) &
		fact(now->record.max <= now->truth.max) & fact(now->record.max >= mean);
	for (i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		share = shares[i] * (1 - lost);
		bin = bin_of(ours, events, shares[i]);
		right &= fact(bin + 1 >= bin_of(theirs, count, share)) &
			 fact_most("quantile's bin", bin, bin_of(theirs, count, share + lost) + 1);
	}
	return right;
}

bool latency_granted(void)
{
	struct topdown_latency_start answer;
	int fd = latency_open();
	bool granted = fd >= 0 && !latency_ask(fd, 0, &answer) &&
		       answer.out_refusal == TOPDOWN_LATENCY_REFUSAL_NONE;

	if (fd >= 0)
		close(fd);
	return granted;
}

bool shapes_right(int fd)
{
	struct moment *moments = calloc(2 * NR_SHAPES, sizeof(*moments));
	struct moment *then = moments, *now = moments + NR_SHAPES;
	bool right = fact(moments && moments_fill(then, fd));
	unsigned int i;

	sleep_ms(SPAN_MS);
	right = right && fact(moments_fill(now, fd));
	for (i = 0; right && i < NR_SHAPES; i++)
		right = shape_right(&then[i], &now[i]);
	free(moments);
	return right;
}
