// SPDX-License-Identifier: GPL-2.0
/*
 * Read the map as fast as possible while windows close as often as possible and
 * a CPU comes and goes: no reader may ever see half a record.
 *
 *   torn [-b] READS
 *
 * -b leaves the sequence numbers out, which must be noticed: it shows that what
 * is checked here can fail.  Every copy has to follow the rules of the ABI for
 * figures.  A copy that has one window more may differ from the last one by that window.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"

#define READERS	2
/* Tries of the reader's loop: the machine may take the writer's CPU away. */
#define TURNS	10000000

static const struct topdown_map *map;
static bool careless;
static bool stop;
static unsigned int nr_cpus;
static uint64_t reads_each;
static uint64_t folds, cycles;

struct reader {
	pthread_t thread;
	uint64_t reads, windows, torn, changes;
	struct topdown_map_record last[TD_CPUS_MAX];
};

static bool sums(const __u64 *node, __u64 whole, unsigned int a, unsigned int b)
{
	return node[a] + node[b] == whole;
}

/* Slots of which the CPU said nothing at all are in no node. */
static bool sums_hold(const struct topdown_sums *f)
{
	__u64 l1 = f->node[0] + f->node[1] + f->node[2] + f->node[3];
	unsigned int i;

	if (l1 > f->slots)
		return false;
	for (i = 0; i < 4; i++) {
		if (!sums(f->node, f->node[i], TOPDOWN_HEAVY_OPERATIONS + 2 * i,
			  TOPDOWN_HEAVY_OPERATIONS + 2 * i + 1))
			return false;
	}
	return f->running_ns <= f->enabled_ns;
}

/* Everything but the open window. */
static __u64 closed(const struct topdown_map_record *entry, unsigned int node)
{
	return entry->total.node[node] - entry->open.node[node];
}

static __u64 closed_slots(const struct topdown_map_record *entry)
{
	return entry->total.slots - entry->open.slots;
}

static __u64 closed_ns(const struct topdown_map_record *entry)
{
	return entry->total.enabled_ns - entry->open.enabled_ns;
}

/* The sum of the closed windows grows by just the window that was closed. */
static bool step_holds(const struct topdown_map_record *a, const struct topdown_map_record *b)
{
	const struct topdown_sums *window = &b->window;
	__u64 steps = b->windows - a->windows;
	unsigned int i;

	if (b->windows < a->windows || b->time_ns < a->time_ns ||
	    b->total.slots < a->total.slots)
		return false;
	if (steps > 1)
		return true;
	for (i = 0; i < TD_NR_NODES; i++) {
		if (closed(b, i) - closed(a, i) != steps * window->node[i])
			return false;
	}
	return closed_slots(b) - closed_slots(a) == steps * window->slots &&
	       closed_ns(b) - closed_ns(a) == steps * window->enabled_ns;
}

static bool read_record(unsigned int cpu, struct topdown_map_record *copy)
{
	const struct topdown_map_record *entry;
	unsigned int turn;
	__u32 seq;

	entry = (const void *)((const char *)map + map->record_offset +
			       (size_t)cpu * map->record_stride);
	for (turn = 0; turn < TURNS; turn++) {
		seq = __atomic_load_n(&entry->seq, __ATOMIC_ACQUIRE);
		*copy = *entry;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (careless ||
		    (!(seq & 1) && __atomic_load_n(&entry->seq, __ATOMIC_RELAXED) == seq))
			return true;
	}
	return false;
}

/* The latest entry of the history; false if it was not there any more. */
static bool read_window(unsigned int cpu, __u64 number, struct topdown_map_window *copy)
{
	const struct topdown_map_window *entry;
	__u64 index = cpu * (__u64)map->history_entries + (number - 1) % map->history_entries;

	entry = (const void *)((const char *)map + map->history_offset +
			       index * map->history_stride);
	if (__atomic_load_n(&entry->number, __ATOMIC_ACQUIRE) != number)
		return false;
	*copy = *entry;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&entry->number, __ATOMIC_RELAXED) == number;
}

static bool holds(const struct topdown_map_record *last, const struct topdown_map_record *entry,
		  unsigned int cpu)
{
	return entry->cpu == cpu && sums_hold(&entry->total) &&
	       sums_hold(&entry->window) && sums_hold(&entry->open) &&
	       (!last->nr_cpus || step_holds(last, entry));
}

static void look(struct reader *reader, unsigned int cpu)
{
	struct topdown_map_record *last = &reader->last[cpu], entry;
	struct topdown_map_window window;

	reader->reads++;
	if (!read_record(cpu, &entry) || !holds(last, &entry, cpu))
		reader->torn++;
	reader->changes += entry.seq != last->seq;
	*last = entry;
	if (!entry.windows || !map->history_entries ||
	    !read_window(cpu, entry.windows, &window))
		return;
	reader->windows++;
	reader->torn += !sums_hold(&window.sums);
}

static void *read_all(void *arg)
{
	struct reader *reader = arg;
	unsigned int cpu;

	while (reader->reads < reads_each) {
		for (cpu = 0; cpu < nr_cpus; cpu++)
			look(reader, cpu);
	}
	return NULL;
}

static void *fold_all(void *arg)
{
	static struct topdown_record records[TD_CPUS_MAX];
	int fd = device_open();
	__u32 nr;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		nr = TD_CPUS_MAX;
		if (device_read(fd, TOPDOWN_READ_FRESH, NULL, 0, records, &nr))
			die("READ failed");
		folds++;
	}
	return arg;
}

static void *cycle_cpu(void *arg)
{
	char path[100];
	int fd;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", nr_cpus - 1);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		die("cannot open %s: %s", path, strerror(errno));
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		if (pwrite(fd, cycles & 1 ? "1" : "0", 1, 0) != 1)
			die("%s: %s", path, strerror(errno));
		cycles++;
		sleep_ms(20);
	}
	if (cycles & 1 && pwrite(fd, "1", 1, 0) != 1)
		die("CPU %u stays offline: %s", nr_cpus - 1, strerror(errno));
	return arg;
}

int main(int argc, char **argv)
{
	static struct reader readers[READERS];
	uint64_t reads = 0, windows = 0, torn = 0, changes = 0;
	pthread_t writer, hotplug;
	unsigned int i;

	careless = argc > 1 && !strcmp(argv[1], "-b");
	if (argc != 2 + careless)
		die("usage: torn [-b] READS");
	reads_each = strtoull(argv[argc - 1], NULL, 10) / READERS;
	nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	map = map_open();
	if (!map)
		die("cannot map " TD_DEVICE ": %s", strerror(errno));

	for (i = 0; i < READERS; i++)
		pthread_create(&readers[i].thread, NULL, read_all, &readers[i]);
	pthread_create(&writer, NULL, fold_all, NULL);
	pthread_create(&hotplug, NULL, cycle_cpu, NULL);
	for (i = 0; i < READERS; i++)
		pthread_join(readers[i].thread, NULL);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(writer, NULL);
	pthread_join(hotplug, NULL);

	for (i = 0; i < READERS; i++) {
		reads += readers[i].reads;
		windows += readers[i].windows;
		torn += readers[i].torn;
		changes += readers[i].changes;
	}
	printf("reads=%" PRIu64 " history_reads=%" PRIu64 " changes=%" PRIu64 " folds=%" PRIu64
	       " hotplugs=%" PRIu64 " torn=%" PRIu64 "\n",
	       reads, windows, changes, folds, cycles, torn);
	return 0;
}
