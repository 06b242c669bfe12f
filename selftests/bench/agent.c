// SPDX-License-Identifier: GPL-2.0
/*
 * A monitoring agent reduced to its reading: so many samples of all CPUs, in
 * one of the ways there are.
 *
 *   agent none|map|read|fresh|group SAMPLES [MS]
 *
 * MS is a pause between samples, by default none.  A line is written when the
 * set-up is over and the first sample taken: what "counted -1" waits for.  With
 * a pause, another says at the end which share of the time since the first
 * sample the counters were ours, on the CPU where that is least.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench.h"

/* Where a sample is left, as an agent would have it to work on. */
static struct topdown_record records[TD_CPUS_MAX];
static struct group_values groups[TD_CPUS_MAX];

static struct topdown_record first[TD_CPUS_MAX];

static unsigned int nr_cpus;
static const struct topdown_map *map;
static int device = -1;
static int leader[TD_CPUS_MAX];

static void open_nothing(void)
{
}

static void sample_nothing(void)
{
}

static void open_map(void)
{
	map = map_open();
	if (!map)
		die("cannot map " TD_DEVICE ": %s", strerror(errno));
}

static void sample_map(void)
{
	struct topdown_map_record entry;
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		if (!map_record(map, cpu, &entry))
			die("the record of CPU %u does not come to rest", cpu);
		/* Figures begin with sums. */
		memcpy(&records[cpu].total, &entry.total, sizeof(entry.total));
	}
}

static void open_device(void)
{
	device = device_open();
	if (device < 0)
		die("cannot open " TD_DEVICE ": %s", strerror(-device));
}

static void sample_flags(__u32 flags)
{
	__u32 nr = TD_CPUS_MAX;
	int ret;

	ret = device_read(device, flags, NULL, 0, records, &nr);
	if (ret || nr != nr_cpus)
		die("READ gives %u records: %s", nr, strerror(-ret));
}

static void sample_read(void)
{
	sample_flags(0);
}

static void sample_fresh(void)
{
	sample_flags(TOPDOWN_READ_FRESH);
}

static void open_groups(void)
{
	struct rlimit limit = { 4096, 4096 };
	unsigned int cpu;

	setrlimit(RLIMIT_NOFILE, &limit);
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		leader[cpu] = group_open(cpu);
		if (leader[cpu] < 0)
			die("cannot open the group of CPU %u: %s", cpu, strerror(errno));
	}
}

static void sample_groups(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		if (!group_read(leader[cpu], &groups[cpu]))
			die("cannot read the group of CPU %u", cpu);
	}
}

static const struct way {
	const char *name;
	void (*open)(void);
	void (*sample)(void);
} ways[] = {
	{ "none", open_nothing, sample_nothing },
	{ "map", open_map, sample_map },
	{ "read", open_device, sample_read },
	{ "fresh", open_device, sample_fresh },
	{ "group", open_groups, sample_groups },
};

static const struct way *find_way(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (!strcmp(ways[i].name, name))
			return &ways[i];
	}
	die("no way '%s'", name);
}

static double least_share(void)
{
	double share, least = 1;
	uint64_t enabled;
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		enabled = records[cpu].total.enabled_ns - first[cpu].total.enabled_ns;
		if (!enabled)
			continue;
		share = (double)(records[cpu].total.running_ns - first[cpu].total.running_ns) /
			enabled;
		if (share < least)
			least = share;
	}
	return least;
}

int main(int argc, char **argv)
{
	unsigned long samples, n, pause;
	const struct way *way;

	if (argc < 3)
		die("usage: agent none|map|read|fresh|group SAMPLES [MS]");
	way = find_way(argv[1]);
	samples = strtoul(argv[2], NULL, 10);
	pause = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
	nr_cpus = sysconf(_SC_NPROCESSORS_CONF);

	way->open();
	for (n = 0; n < samples; n++) {
		if (n && pause)
			sleep_ms(pause);
		way->sample();
		if (!n && pause)
			memcpy(first, records, sizeof(first));
		if (!n && write(STDOUT_FILENO, "first\n", 6) != 6)
			die("cannot write: %s", strerror(errno));
	}
	if (pause)
		printf("share=%.4f\n", least_share());
	return 0;
}
