// SPDX-License-Identifier: GPL-2.0
/*
 * Latency sessions of one CPU, and the truth of each PEBS record.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "fact.h"
#include "latency.h"

#define LIMIT_MEAN	0.02
/* A share of the records; the driver hands over only the last of several. */
#define LIMIT_LOST	0.02

const struct shape shapes[NR_SHAPES] = {
	{ TOPDOWN_LATENCY_MEM_INST_RETIRED_SPLIT_LOADS, 0x41d0 },
	{ TOPDOWN_LATENCY_MEM_LOAD_L3_MISS_RETIRED_LOCAL_DRAM, 0x1d3 },
	{ TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L3_HIT, 0x4d1 },
	{ TOPDOWN_LATENCY_FRONTEND_RETIRED_L1I_MISS, 0x1200000003c6 },
	{ TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L2_HIT, 0x2d1 },
};

bool set_rates(void)
{
	unsigned int i;

	for (i = 0; i < NR_SHAPES; i++) {
		if (!backdoor_set_rate(shapes[i].config, RATE))
			return false;
	}
	return true;
}

int latency_ask(int fd, struct topdown_latency *latency)
{
	*latency = (struct topdown_latency){ .size = sizeof(*latency) };
	return ioctl(fd, TOPDOWN_LATENCY, latency) ? -errno : 0;
}

/* Return: the number of a session of CPU, or a negative errno. */
int latency_start(int fd, uint64_t events)
{
	__u64 cpus = 1ULL << CPU;
	struct topdown_latency latency = {
		.size = sizeof(latency),
		.cpus = (uintptr_t)&cpus,
		.cpus_words = 1,
		.events = events,
	};

	return ioctl(fd, TOPDOWN_LATENCY, &latency) ? -errno : (int)latency.out_latency;
}

int latency_start_tasks(int fd, int session, uint64_t events)
{
	struct topdown_latency latency = {
		.size = sizeof(latency),
		.flags = TOPDOWN_LATENCY_SESSION,
		.events = events,
		.session = session,
	};

	return ioctl(fd, TOPDOWN_LATENCY, &latency) ? -errno : (int)latency.out_latency;
}

int latency_end(int fd, unsigned int session)
{
	struct topdown_latency latency = {
		.size = sizeof(latency),
		.flags = TOPDOWN_LATENCY_REMOVE,
		.latency = session,
	};

	return ioctl(fd, TOPDOWN_LATENCY, &latency) ? -errno : 0;
}

int latency_read(int fd, unsigned int session, struct topdown_latency_record *records,
		 unsigned int nr)
{
	struct topdown_latencies read = {
		.size = sizeof(read),
		.records = (uintptr_t)records,
		.nr_records = nr,
		.record_size = sizeof(*records),
		.latency = session,
	};

	return ioctl(fd, TOPDOWN_LATENCIES, &read) ? -errno : (int)read.nr_records;
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
bool moments_fill(struct moment *moments, int fd, int session)
{
	struct topdown_latency_record records[NR_SHAPES], after[NR_SHAPES];
	unsigned int i, j, tries;
	bool done = true;

	for (tries = 0; tries < 100; tries++) {
		if (latency_read(fd, session, records, NR_SHAPES) != NR_SHAPES)
			return false;
		for (i = 0; i < NR_SHAPES; i++)
			done &= moment_truth(&moments[i], shapes[i].config);
		if (latency_read(fd, session, after, NR_SHAPES) == NR_SHAPES &&
		    all_samples(records) == all_samples(after))
			break;
	}
	for (i = 0; i < NR_SHAPES; i++) {
		for (j = 0; j < NR_SHAPES; j++) {
			if (records[j].event == shapes[i].event)
				moments[i].record = records[j];
		}
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

bool latency_granted(int fd)
{
	struct topdown_latency latency;

	return !latency_ask(fd, &latency) && latency.out_refusal == TOPDOWN_LATENCY_GRANTED;
}

uint64_t all_shapes(void)
{
	uint64_t events = 0;
	unsigned int i;

	for (i = 0; i < NR_SHAPES; i++)
		events |= SHAPE_EVENT(i);
	return events;
}

bool shapes_right(int fd, int session)
{
	struct moment *moments = calloc(2 * NR_SHAPES, sizeof(*moments));
	struct moment *then = moments, *now = moments + NR_SHAPES;
	bool right = fact(moments && moments_fill(then, fd, session));
	unsigned int i;

	sleep_ms(SPAN_MS);
	right = right && fact(moments_fill(now, fd, session));
	for (i = 0; right && i < NR_SHAPES; i++)
		right = shape_right(&then[i], &now[i]);
	free(moments);
	return right;
}
