// SPDX-License-Identifier: GPL-2.0
/*
 * Torn reads: readers of the map against its writers at the
 * shortest period, with fresh reads without a pause, and with hotplug.
 *
 * Some reads of records are those of the device, where the module follows the protocol itself.
 *
 * The same records are also read without the protocol.  Some of those reads
 * have to be torn, or the test could not see torn reads at all.
 *
 * TD_MAP_READS  reads of records (400000; with TOPDOWN_FULL 10000000)
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../kselftest.h"
#include "map.h"

#define READERS		3

/* A record is written at every fresh read, a history only when a window closes. */
#define WINDOW_READS	8000000ULL
/* One read of so many is one of the device, which takes longer. */
#define DEVICE_SHARE	8
/* Reads of records without the guard; enough to meet some that are torn. */
#define UNGUARDED_READS	400000ULL

enum kind {
	KIND_RECORD,
	KIND_WINDOW,
	KINDS,
};

struct reader {
	pthread_t thread;
	enum kind kind;
	bool guarded;
	uint64_t reads;
	uint64_t torn;
	uint64_t useful;
	bool stuck;
	char first[128];
	struct topdown_map_record last[TD_CPUS_MAX];
	uint64_t last_number[TD_CPUS_MAX], last_time[TD_CPUS_MAX];
};

static struct map map;
static unsigned int cpus[TD_CPUS_MAX], cpus_nr, level;
static atomic_bool stop;
static atomic_ulong storms, rushes, hotplugs;

static void torn(struct reader *reader, const char *what)
{
	if (!reader->torn++)
		snprintf(reader->first, sizeof(reader->first), "%s", what);
}

static uint64_t sum_of(const struct topdown_sums *sums)
{
	uint64_t sum = sums->enabled_ns + sums->running_ns + sums->slots;
	unsigned int i;

	/* Any mixture of two states should have another sum. */
	for (i = 0; i < TD_NR_NODES; i++)
		sum += sums->node[i] * (2 * i + 3);
	return sum;
}

/* Compare two consecutive readings of a CPU.  Return: what is wrong, or NULL. */
static const char *record_order_wrong(const struct topdown_map_record *last,
				      const struct topdown_map_record *next)
{
	if (next->windows < last->windows)
		return "the windows go back";
	if (next->total.slots < last->total.slots ||
	    next->total.enabled_ns < last->total.enabled_ns || next->time_ns < last->time_ns)
		return "a sum goes back";
	if (next->windows == last->windows &&
	    (memcmp(&next->window, &last->window, sizeof(next->window)) ||
	     next->window_time_ns != last->window_time_ns))
		return "the same window has other figures";
	return NULL;
}

static const char *order_wrong(const struct topdown_map_record *last,
			       const struct topdown_map_record *next)
{
	uint64_t windows = next->windows - last->windows;
	uint64_t total = sum_of(&next->total) - sum_of(&last->total);
	uint64_t open = sum_of(&next->open) - sum_of(&last->open);
	const char *wrong = record_order_wrong(last, next);

	if (wrong)
		return wrong;
	if (!windows && total != open)
		return "the sums and the open window do not grow together";
	if (windows == 1 && total != open + sum_of(&next->window))
		return "the sums did not grow by the last window";
	return NULL;
}

static void read_record(struct reader *reader, unsigned int cpu)
{
	struct topdown_map_record *last = &reader->last[cpu], copy;
	const char *wrong;

	if (!reader->guarded)
		map_read_unguarded(&map, cpu, &copy);
	else if (!map_read(&map, cpu, &copy))
		reader->stuck = true;
	wrong = entry_wrong(&copy);
	if (!wrong && last->windows)
		wrong = order_wrong(last, &copy);
	if (wrong)
		torn(reader, wrong);
	else
		*last = copy;
	reader->useful++;
}

/* By the device: the same record without the open window. */
static void read_device(struct reader *reader, unsigned int cpu)
{
	struct topdown_map_record *last = &reader->last[cpu], copy;
	struct topdown_record record;
	const char *wrong;

	if (device_read_cpu(map.fd, 0, cpu, &record)) {
		reader->stuck = true;
		return;
	}
	entry_make(&copy, &record);
	wrong = record_wrong(&copy);
	if (!wrong && last->windows)
		wrong = record_order_wrong(last, &copy);
	if (wrong)
		torn(reader, wrong);
	reader->useful++;
}

/* The history has one window, so every window that closes is written there. */
static void read_window(struct reader *reader, unsigned int cpu)
{
	const struct topdown_map_window *slot = map_slot(&map, cpu, 1);
	struct topdown_map_window window;
	const char *wrong;
	uint64_t before;

	before = __atomic_load_n(&slot->number, __ATOMIC_ACQUIRE);
	map_slot_unguarded(slot, &window);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (reader->guarded &&
	    (!before || __atomic_load_n(&slot->number, __ATOMIC_RELAXED) != before))
		return;
	/*
	 * Before its first window a CPU has none, and that is whole.  Two may close in one
	 * tick of the clock, where that is a coarse one.
	 */
	wrong = sums_wrong(&window.sums, level);
	if (!wrong && window.number > reader->last_number[cpu] &&
	    window.time_ns < reader->last_time[cpu])
		wrong = "a later window closed earlier";
	if (!wrong && window.number == reader->last_number[cpu] &&
	    window.time_ns != reader->last_time[cpu])
		wrong = "the same window closed at another time";
	if (wrong) {
		torn(reader, wrong);
	} else {
		reader->last_number[cpu] = window.number;
		reader->last_time[cpu] = window.time_ns;
	}
	reader->useful++;
}

static void *reader_run(void *argument)
{
	struct reader *reader = argument;
	uint64_t i;

	for (i = 0; i < reader->reads && !reader->stuck; i++) {
		unsigned int cpu = cpus[i % cpus_nr];

		if (reader->kind == KIND_WINDOW)
			read_window(reader, cpu);
		else if (reader->guarded && i / cpus_nr % DEVICE_SHARE == 0)
			read_device(reader, cpu);
		else
			read_record(reader, cpu);
	}
	return NULL;
}

static void *storm_run(void *unused)
{
	static struct topdown_record records[TD_CPUS_MAX];
	__u32 nr;

	while (!stop) {
		nr = TD_CPUS_MAX;
		if (device_read(map.fd, TOPDOWN_READ_FRESH, NULL, 0, records, &nr))
			break;
		storms++;
	}
	return unused;
}

/* One CPU by itself: no interrupt to wait for, so many more. */
static void *rush_run(void *unused)
{
	struct topdown_record record;

	if (cpu_pin(cpus[0]))
		return unused;
	while (!stop && !device_read_cpu(map.fd, TOPDOWN_READ_FRESH, cpus[0], &record))
		rushes++;
	return unused;
}

/* The last CPU comes and goes. */
static void *hotplug_run(void *unused)
{
	unsigned int cpu = cpus[cpus_nr - 1];

	while (cpu && !stop) {
		if (cpu_set_online(cpu, false) || cpu_set_online(cpu, true))
			break;
		hotplugs++;
	}
	return unused;
}

static void start(pthread_t *thread, void *(*run)(void *argument), void *argument)
{
	int error = pthread_create(thread, NULL, run, argument);

	if (error)
		ksft_exit_fail_msg("cannot start a thread: %s\n", strerror(error));
}

static struct reader readers[READERS];

static void read_all(enum kind kind, bool guarded, uint64_t reads)
{
	struct reader *sum = &readers[0];
	unsigned int i;

	memset(readers, 0, sizeof(readers));
	for (i = 0; i < READERS; i++) {
		readers[i].kind = kind;
		readers[i].guarded = guarded;
		readers[i].reads = reads / READERS;
		start(&readers[i].thread, reader_run, &readers[i]);
	}
	for (i = 0; i < READERS; i++)
		pthread_join(readers[i].thread, NULL);
	for (i = 1; i < READERS; i++) {
		if (!sum->torn)
			memcpy(sum->first, readers[i].first, sizeof(sum->first));
		sum->reads += readers[i].reads;
		sum->torn += readers[i].torn;
		sum->useful += readers[i].useful;
		sum->stuck |= readers[i].stuck;
	}
	ksft_print_msg("%s, %s: %llu reads, %llu checked, %llu torn%s%s\n",
		       kind == KIND_RECORD ? "records" : "windows",
		       guarded ? "guarded" : "unguarded", (unsigned long long)sum->reads,
		       (unsigned long long)sum->useful, (unsigned long long)sum->torn,
		       sum->torn ? ": " : "", sum->first);
}

static void check(enum kind kind, uint64_t reads)
{
	const char *name = kind == KIND_RECORD ? "records" : "windows of the history";
	const struct reader *sum = &readers[0];

	read_all(kind, true, reads);
	ksft_test_result(!sum->torn && !sum->stuck && sum->useful,
			 "%s are never torn under the protocol\n", name);
	read_all(kind, false, kind == KIND_WINDOW ? WINDOW_READS : UNGUARDED_READS);
	/* Chance decides.  If no run of many has a torn read, the test is blind. */
	if (sum->torn)
		ksft_test_result_pass("%s are torn without it\n", name);
	else
		ksft_test_result_skip("%s are torn without it: no tearing met\n", name);
}

/* The fewer entries a history has, the more often each is written. */
static void reload(const char *params)
{
	int ret = module_loaded() ? module_unload() : 0;

	if (!ret)
		ret = module_load(params);
	if (ret)
		ksft_exit_fail_msg("cannot load the module with '%s': %s\n", params,
				   strerror(-ret));
}

int main(void)
{
	uint64_t reads = env_number("TD_MAP_READS", getenv("TOPDOWN_FULL") ? 1e7 : 4e5);
	pthread_t storm, rush, hotplug;
	struct topdown_info info;
	int ret = module_need();

	if (ret)
		return ret;
	ksft_print_header();
	ksft_set_plan(2 * KINDS + 1);
	reload("period_ms=10 history=1");
	ret = map_open(&map);
	if (ret)
		ksft_exit_fail_msg("cannot map " TD_DEVICE ": %s\n", strerror(-ret));
	ret = device_info(map.fd, &info);
	if (ret)
		ksft_exit_fail_msg("no TOPDOWN_INFO: %s\n", strerror(-ret));
	level = info.out_level;
	cpus_set_online();
	cpus_nr = cpus_online(cpus);

	start(&storm, storm_run, NULL);
	start(&rush, rush_run, NULL);
	start(&hotplug, hotplug_run, NULL);
	check(KIND_RECORD, reads);
	check(KIND_WINDOW, reads > WINDOW_READS ? reads : WINDOW_READS);
	stop = true;
	pthread_join(storm, NULL);
	pthread_join(rush, NULL);
	pthread_join(hotplug, NULL);
	ksft_print_msg("meanwhile %lu fresh reads of all CPUs, %lu of one, %lu times offline\n",
		       (unsigned long)storms, (unsigned long)rushes,
		       (unsigned long)hotplugs);
	ksft_test_result(storms && rushes && (hotplugs || cpus_nr < 2), "the writers were at work\n");

	map_close(&map);
	reload("");
	ksft_finished();
}
