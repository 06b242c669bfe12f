// SPDX-License-Identifier: GPL-2.0
/*
 * The history in the map of /dev/topdown: which windows it holds, that they are
 * the windows whose sums the record has, and the sizes it can be loaded with.
 *
 * windows_run() lets windows close, and with a period of a minute none does
 * until it is called again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../kselftest_harness.h"
#include "map.h"

#define QUIET		"period_ms=60000 "

static int reload(const char *params)
{
	int ret = module_loaded() ? module_unload() : 0;

	return ret ? ret : module_load(params);
}

FIXTURE(history) {
	struct map map;
	unsigned int cpus[TD_CPUS_MAX], nr, entries;
};

FIXTURE_VARIANT(history) {
	unsigned int entries;
};

FIXTURE_VARIANT_ADD(history, of_1) { .entries = 1 };
FIXTURE_VARIANT_ADD(history, of_7) { .entries = 7 };
FIXTURE_VARIANT_ADD(history, of_64) { .entries = 64 };

FIXTURE_SETUP(history)
{
	char params[64];

	ASSERT_EQ(0, module_need());
	self->entries = variant->entries;
	snprintf(params, sizeof(params), QUIET "history=%u", self->entries);
	ASSERT_EQ(0, reload(params));
	ASSERT_EQ(0, map_open(&self->map));
	cpus_set_online();
	self->nr = cpus_online(self->cpus);
}

FIXTURE_TEARDOWN(history)
{
	cpus_set_online();
	map_close(&self->map);
	reload("");
}

/*
 * Nothing but the last windows is there, in order; the number of the last one,
 * or 0 after saying what is wrong.
 */
static uint64_t windows_check(const struct map *map, unsigned int cpu)
{
	const uint64_t entries = map->header->history_entries;
	struct topdown_map_window window;
	struct topdown_map_record copy;
	uint64_t number, last, time = 0;
	enum map_found expected, found;
	const char *wrong;

	if (!map_read(map, cpu, &copy))
		return 0;
	last = copy.windows;
	for (number = 1; number <= last + 2; number++) {
		expected = number > last ? MAP_NOT_YET :
			   number + entries <= last ? MAP_OVERWRITTEN : MAP_FOUND;
		found = map_window(map, cpu, number, &window);
		if (found != expected) {
			printf("# CPU %u: window %llu of %llu: %d and not %d\n", cpu,
			       (unsigned long long)number, (unsigned long long)last,
			       found, expected);
			return 0;
		}
		if (found != MAP_FOUND)
			continue;
		wrong = sums_wrong(&window.sums, copy.level);
		if (!wrong && window.nodes != nodes_of_level(copy.level))
			wrong = "other nodes than PERF_METRICS have";
		if (!wrong && window.clamped)
			wrong = "nodes were cut, which needs refined=1";
		if (!wrong && window.time_ns <= time)
			wrong = "it ended before the one before it";
		if (!wrong && number == last &&
		    (window.time_ns != copy.window_time_ns ||
		     memcmp(&window.sums, &copy.window, sizeof(window.sums))))
			wrong = "the record has another last window";
		if (wrong) {
			printf("# CPU %u: window %llu: %s\n", cpu,
			       (unsigned long long)number, wrong);
			return 0;
		}
		time = window.time_ns;
	}
	return last;
}

TEST_F(history, has_as_many_as_asked_for)
{
	EXPECT_EQ(self->entries, self->map.header->history_entries);
	EXPECT_LE(self->map.header->history_offset + (uint64_t)self->entries *
		  self->map.header->nr_cpus * self->map.header->history_stride,
		  self->map.size);
}

/*
 * From the first window on, and when more have closed than there is room for;
 * windows that have been overwritten say so.
 */
TEST_F(history, keeps_the_last_windows_in_order)
{
	const unsigned int steps[] = { 1, 2, self->entries, self->entries + 1 };
	struct topdown_map_record copy;
	unsigned int i, step;

	for (step = 0; step < sizeof(steps) / sizeof(steps[0]); step++) {
		for (i = 0; i < self->nr; i++) {
			ASSERT_EQ(0, windows_run(&self->map, self->cpus[i], steps[step]));
			ASSERT_TRUE(map_read(&self->map, self->cpus[i], &copy));
			EXPECT_EQ(copy.windows,
				  windows_check(&self->map, self->cpus[i]));
		}
	}
}

TEST_F(history, a_late_reader_sees_what_an_early_one_saw)
{
	struct topdown_map_window early[64], late;
	struct topdown_map_record copy;
	unsigned int n, cpu = self->cpus[0];
	struct map other;
	uint64_t first;

	ASSERT_EQ(0, windows_run(&self->map, cpu, 2 * self->entries));
	ASSERT_TRUE(map_read(&self->map, cpu, &copy));
	first = copy.windows - self->entries + 1;
	for (n = 0; n < self->entries; n++)
		ASSERT_EQ(MAP_FOUND, map_window(&self->map, cpu, first + n, &early[n]));

	ASSERT_EQ(0, map_open(&other));
	for (n = 0; n < self->entries; n++) {
		ASSERT_EQ(MAP_FOUND, map_window(&other, cpu, first + n, &late));
		EXPECT_EQ(0, memcmp(&early[n], &late, sizeof(late)));
	}
	map_close(&other);
}

static void sums_add(struct topdown_sums *sum, const struct topdown_sums *more)
{
	unsigned int i;

	sum->enabled_ns += more->enabled_ns;
	sum->running_ns += more->running_ns;
	sum->slots += more->slots;
	sum->cycles += more->cycles;
	sum->instructions += more->instructions;
	sum->busy_ns += more->busy_ns;
	for (i = 0; i < TOPDOWN_MAX_NODES; i++)
		sum->node[i] += more->node[i];
	for (i = 0; i < TOPDOWN_MAX_PARENTS; i++)
		sum->children_slots[i] += more->children_slots[i];
}

static void sums_sub(struct topdown_sums *sum, const struct topdown_sums *more)
{
	unsigned int i;

	sum->enabled_ns -= more->enabled_ns;
	sum->running_ns -= more->running_ns;
	sum->slots -= more->slots;
	sum->cycles -= more->cycles;
	sum->instructions -= more->instructions;
	sum->busy_ns -= more->busy_ns;
	for (i = 0; i < TOPDOWN_MAX_NODES; i++)
		sum->node[i] -= more->node[i];
	for (i = 0; i < TOPDOWN_MAX_PARENTS; i++)
		sum->children_slots[i] -= more->children_slots[i];
}

/* Fresh readings in between cut no window, and lose nothing of it. */
TEST_F(history, windows_sum_to_what_the_record_grew_by)
{
	struct topdown_map_record before, after;
	struct topdown_map_window window;
	struct topdown_sums sum;
	struct topdown_record read;
	unsigned int i, cpu;
	uint64_t number;

	for (i = 0; i < self->nr; i++) {
		cpu = self->cpus[i];
		ASSERT_EQ(0, windows_run(&self->map, cpu, 1));
		ASSERT_EQ(0, device_read_cpu(self->map.fd, TOPDOWN_READ_FRESH, cpu, &read));
		ASSERT_TRUE(map_read(&self->map, cpu, &before));
		/* The last of few windows may be followed by one more. */
		ASSERT_EQ(0, windows_run(&self->map, cpu, (self->entries + 1) / 2));
		ASSERT_EQ(0, device_read_cpu(self->map.fd, TOPDOWN_READ_FRESH, cpu, &read));
		ASSERT_TRUE(map_read(&self->map, cpu, &after));
		if (after.windows - before.windows > self->entries)
			SKIP(return, "more windows closed than there is room for");

		sum = before.total;
		sums_sub(&sum, &before.open);
		for (number = before.windows + 1; number <= after.windows;
		     number++) {
			ASSERT_EQ(MAP_FOUND, map_window(&self->map, cpu, number, &window));
			sums_add(&sum, &window.sums);
		}
		sums_add(&sum, &after.open);
		EXPECT_TRUE(!memcmp(&sum, &after.total, sizeof(sum))) {
			TH_LOG("CPU %u: %llu windows", cpu, (unsigned long long)
			       (after.windows - before.windows));
		}
	}
}

/* The windows of one CPU do not reach into the room of the next. */
TEST_F(history, cpus_have_rooms_of_their_own)
{
	struct topdown_map_window before, after;
	struct topdown_map_record copy;
	unsigned int i, cpu;

	if (self->nr < 2)
		SKIP(return, "there is only one CPU");
	for (i = 1; i < self->nr; i++) {
		cpu = self->cpus[i];
		ASSERT_EQ(0, windows_run(&self->map, cpu, 1));
		/* An offline CPU closes no window, and others leave its history alone. */
		ASSERT_EQ(0, cpu_set_online(cpu, false));
		ASSERT_TRUE(map_read(&self->map, cpu, &copy));
		ASSERT_EQ(MAP_FOUND, map_window(&self->map, cpu, copy.windows, &before));
		ASSERT_EQ(0, windows_run(&self->map, self->cpus[i - 1], self->entries + 1));
		ASSERT_EQ(MAP_FOUND, map_window(&self->map, cpu, copy.windows, &after));
		EXPECT_EQ(0, memcmp(&before, &after, sizeof(before)));
		ASSERT_EQ(0, cpu_set_online(cpu, true));
	}
}

FIXTURE(load) {
	struct map map;
};

FIXTURE_SETUP(load)
{
	ASSERT_EQ(0, module_need());
}

FIXTURE_TEARDOWN(load)
{
	reload("");
}

TEST_F(load, a_map_works_without_a_history)
{
	const struct topdown_map *header;
	struct topdown_map_record before, after;

	ASSERT_EQ(0, reload(QUIET "history=0"));
	ASSERT_EQ(0, map_open(&self->map));
	header = self->map.header;
	EXPECT_EQ(0, header->history_entries);
	EXPECT_LE(header->record_offset + (uint64_t)header->nr_cpus * header->record_stride,
		  self->map.size);
	ASSERT_TRUE(map_read(&self->map, 0, &before));
	ASSERT_EQ(0, windows_run(&self->map, 0, 10));
	ASSERT_TRUE(map_read(&self->map, 0, &after));
	EXPECT_LE(before.windows + 10, after.windows);
	EXPECT_EQ(NULL, entry_wrong(&after));
	map_close(&self->map);
}

/* On the CPU whose room ends the map; round once if there is time for that. */
TEST_F_TIMEOUT(load, the_longest_history_is_kept, 280)
{
	unsigned int cpus[TD_CPUS_MAX], nr = cpus_online(cpus), last = cpus[nr - 1];
	unsigned int windows = getenv("TOPDOWN_FULL") ? 4100 : 100;

	ASSERT_EQ(0, reload(QUIET "history=4096"));
	ASSERT_EQ(0, map_open(&self->map));
	EXPECT_EQ(4096, self->map.header->history_entries);
	ASSERT_EQ(0, windows_run(&self->map, last, windows));
	EXPECT_LE(windows, windows_check(&self->map, last));
	map_close(&self->map);
}

TEST_F_TIMEOUT(load, refuses_other_sizes, 120)
{
	static const char * const sizes[] = { "4097", "65536", "4294967295", "4294967296",
					      "-1", "many", "" };
	char params[64];
	unsigned int i;

	ASSERT_EQ(0, module_unload());
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		int expected = strcmp(sizes[i], "4294967296") ? -EINVAL : -ERANGE;

		snprintf(params, sizeof(params), "history=%s", sizes[i]);
		EXPECT_EQ(expected, module_load(params)) {
			TH_LOG("%s", params);
		}
		EXPECT_FALSE(module_loaded());
	}
	EXPECT_EQ(0, module_load("history=4096"));
}

/* More than a tick, by which a timer may be late, and less than lengths are apart at most. */
#define LEAST_JITTER_NS	6000000ULL
#define LENGTHS		20

/* Windows of a busy CPU differ in length, so that nothing periodic keeps in step with them. */
TEST(lengths_differ)
{
	unsigned int cpu[TD_CPUS_MAX], last = cpus_online(cpu) - 1, number;
	uint64_t length, shortest = UINT64_MAX, longest = 0;
	struct topdown_map_window window;
	struct map map;
	int load;

	ASSERT_EQ(0, module_need());
	load = spin_start(cpu[last], NULL);
	ASSERT_LT(0, load);
	ASSERT_EQ(0, reload("period_ms=200 history=64"));
	ASSERT_EQ(0, map_open(&map));
	sleep_ms((LENGTHS + 5) * 200);
	spin_stop(load);
	/* The first is shorter than the others. */
	for (number = 2; number < 2 + LENGTHS; number++) {
		ASSERT_EQ(MAP_FOUND, map_window(&map, cpu[last], number, &window));
		length = window.sums.enabled_ns;
		shortest = length < shortest ? length : shortest;
		longest = length > longest ? length : longest;
	}
	printf("# from %.1f to %.1f ms\n", shortest / 1e6, longest / 1e6);
	EXPECT_LT(LEAST_JITTER_NS, longest - shortest);
	map_close(&map);
	reload("");
}

#define APART_MS	4000
/* A tenth and more of the period: the timers of all CPUs alone differ by less. */
#define LEAST_APART_NS	620000000ULL

/* CPUs that begin at the same time do not end their windows at the same time. */
TEST(first_windows_end_apart)
{
	unsigned int cpu[TD_CPUS_MAX], nr = cpus_online(cpu), i;
	uint64_t least = UINT64_MAX, most = 0;
	struct topdown_map_window window;
	int load[TD_CPUS_MAX];
	struct map map;

	ASSERT_EQ(0, module_need());
	if (nr < 4)
		SKIP(return, "few CPUs may be near each other");
	for (i = 0; i < nr; i++) {
		load[i] = spin_start(cpu[i], NULL);
		ASSERT_LT(0, load[i]);
	}
	ASSERT_EQ(0, reload("period_ms=4000 history=4"));
	ASSERT_EQ(0, map_open(&map));
	sleep_ms(APART_MS + APART_MS / 8);
	for (i = 0; i < nr; i++) {
		spin_stop(load[i]);
		ASSERT_EQ(MAP_FOUND, map_window(&map, cpu[i], 1, &window));
		least = window.time_ns < least ? window.time_ns : least;
		most = window.time_ns > most ? window.time_ns : most;
	}
	printf("# %.0f ms from the first end to the last\n", (most - least) / 1e6);
	EXPECT_LT(LEAST_APART_NS, most - least);
	map_close(&map);
	reload("");
}

TEST_HARNESS_MAIN
