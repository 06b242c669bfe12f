// SPDX-License-Identifier: GPL-2.0
/*
 * libtopdown against the node that check/fake.c answers for.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <topdown.h>
#include <unistd.h>

#include "../../kmod/known.h"
#include "../../selftests/host/ktap.h"

#define NODE	"/dev/topdown-of-the-test"

static struct ktap ktap;

static void check(bool ok, const char *name)
{
	ktap_result(&ktap, ok, name);
}

static struct topdown *open_fake(void)
{
	struct topdown *td = NULL;

	return topdown_open(&td, NODE) ? NULL : td;
}

static void test_open(void)
{
	struct topdown *const untouched = (struct topdown *)1;
	struct topdown *td = untouched;

	check(topdown_open(&td, "/dev/null") == -ENODEV, "/dev/null is -ENODEV");
	check(topdown_open(&td, "/proc/self/status") == -ENOTTY, "a file is -ENOTTY");
	check(topdown_open(&td, "/none") == -ENOENT, "nothing is -ENOENT");
	setenv("FAKE_OPEN_ERRNO", "13", 1);
	check(topdown_open(&td, NODE) == -EACCES, "no rights is -EACCES");
	unsetenv("FAKE_OPEN_ERRNO");
	setenv("FAKE_INFO_ERRNO", "25", 1);
	check(topdown_open(&td, NODE) == -ENODEV, "no INFO is -ENODEV");
	unsetenv("FAKE_INFO_ERRNO");
	setenv("FAKE_INFO_RETURN", "7", 1);
	check(topdown_open(&td, NODE) == -EPROTO, "a positive answer is -EPROTO");
	unsetenv("FAKE_INFO_RETURN");
	setenv("FAKE_CPUS", "8193", 1);
	check(topdown_open(&td, NODE) == -EPROTO, "more CPUs than can be is -EPROTO");
	unsetenv("FAKE_CPUS");
	check(td == untouched, "the handle is untouched by errors");
	topdown_close(NULL);
}

static void test_descriptors(void)
{
	int before = dup(0), after, i;
	struct topdown *td = NULL;

	close(before);
	setenv("FAKE_INFO_ERRNO", "5", 1);
	for (i = 0; i < 100; i++)
		topdown_open(&td, NODE);
	unsetenv("FAKE_INFO_ERRNO");
	after = dup(0);
	close(after);
	check(before == after, "failed opens leave no descriptor");

	td = open_fake();
	check(td && fcntl(topdown_fd(td), F_GETFD) & FD_CLOEXEC, "closes on exec");
	topdown_close(td);
}

static void test_info(void)
{
	struct topdown *td = open_fake();
	const struct topdown_info *info = topdown_info_get(td);

	check(info->out_level == 2 && !strcmp(info->out_version, "9.8.7"), "info");
	check(topdown_has(td, TOPDOWN_FEATURE_FRESH | TOPDOWN_FEATURE_RESET), "has both");
	check(!topdown_has(td, TOPDOWN_FEATURE_FRESH | 1ULL << 40), "has not both");
	setenv("FAKE_LEVEL", "1", 1);
	check(info->out_level == 2, "info stays as it was");
	check(!topdown_info_update(td) && info->out_level == 1, "until it is updated");
	setenv("FAKE_INFO_ERRNO", "5", 1);
	setenv("FAKE_LEVEL", "2", 1);
	check(topdown_info_update(td) == -EIO && info->out_level == 1,
	      "a failed update changes nothing");
	unsetenv("FAKE_INFO_ERRNO");
	unsetenv("FAKE_LEVEL");
	topdown_close(td);
}

static void test_sets(void)
{
	static const uint64_t empty[2], some[] = { 0x5 }, far[] = { 0, 1 };
	static uint64_t many[TOPDOWN_CPUS_WORDS_MAX + 1];
	struct topdown_reading *reading = NULL;
	struct topdown *td = open_fake();

	many[0] = 1;
	check(topdown_reading_create(&reading, td, empty, 2) == -EINVAL, "empty set");
	check(topdown_reading_create(&reading, td, some, 0) == -EINVAL, "no words");
	check(topdown_reading_create(&reading, td, NULL, 1) == -EINVAL, "no address");
	check(topdown_reading_create(&reading, td, many, TOPDOWN_CPUS_WORDS_MAX + 1) == -E2BIG,
	      "too many words");
	check(!reading, "the reading is untouched by errors");

	check(!topdown_reading_create(&reading, td, some, 1), "a set");
	check(!topdown_reading_nr(reading) && !topdown_reading_time(reading) &&
	      !topdown_reading_record(reading, 0) && !topdown_reading_find(reading, 0) &&
	      !topdown_reading_find(reading, TOPDOWN_CPU_ALL), "empty before the update");
	check(!topdown_reading_update(reading, TOPDOWN_READ_FRESH), "update");
	check(topdown_reading_nr(reading) == 2 && topdown_reading_record(reading, 1)->cpu == 2 &&
	      !topdown_reading_record(reading, 2), "records of the set");
	check(topdown_reading_find(reading, 2) == topdown_reading_record(reading, 1) &&
	      !topdown_reading_find(reading, 1) && !topdown_reading_find(reading, 3), "find");
	check(topdown_reading_find(reading, TOPDOWN_CPU_ALL)->nr_cpus == 2, "the sum");
	topdown_reading_destroy(reading);

	check(!topdown_reading_create(&reading, td, far, 2) &&
	      !topdown_reading_update(reading, 0) && !topdown_reading_nr(reading),
	      "a reading with the sum alone");
	topdown_reading_destroy(reading);
	topdown_reading_destroy(NULL);
	topdown_close(td);
}

static void test_update(void)
{
	struct topdown_reading *reading = NULL;
	struct topdown *td = open_fake();
	uint64_t slots, time;

	topdown_reading_create(&reading, td, NULL, 0);
	setenv("FAKE_GROW", "5", 1);
	check(!topdown_reading_update(reading, 0) && topdown_reading_nr(reading) == 9,
	      "more CPUs than INFO said");
	unsetenv("FAKE_GROW");
	setenv("FAKE_EINTR", "1", 1);
	check(!topdown_reading_update(reading, 0) && topdown_reading_nr(reading) == 4,
	      "an interrupted call, and fewer CPUs");
	unsetenv("FAKE_EINTR");

	slots = topdown_reading_find(reading, 1)->total.slots;
	time = topdown_reading_time(reading);
	setenv("FAKE_READ_ERRNO", "14", 1);
	check(topdown_reading_update(reading, 0) == -EFAULT, "a failed update");
	unsetenv("FAKE_READ_ERRNO");
	check(topdown_reading_find(reading, 1)->total.slots == slots &&
	      topdown_reading_time(reading) == time, "leaves the records");
	check(topdown_reading_update(reading, 1U << 9) == -EOPNOTSUPP, "an unknown flag");
	topdown_reading_destroy(reading);
	topdown_close(td);
}

static bool is_sum(const struct topdown_figures *sum, const struct topdown_reading *then,
		   const struct topdown_reading *now)
{
	struct topdown_figures one;
	uint64_t slots = 0, node = 0;
	unsigned int cpu;

	for (cpu = 0; cpu < 4; cpu++) {
		if (topdown_reading_between(then, now, cpu, 2, &one))
			return false;
		slots += one.slots;
		node += one.node[TOPDOWN_CORE_BOUND];
	}
	return sum->slots == slots && sum->node[TOPDOWN_CORE_BOUND] == node;
}

static void test_between(void)
{
	struct topdown_reading *then = NULL, *now = NULL, *one = NULL;
	static const uint64_t first[] = { 1 };
	struct topdown_figures figures, kept;
	struct topdown *td = open_fake();
	unsigned int i;

	topdown_reading_create(&then, td, NULL, 0);
	topdown_reading_create(&now, td, NULL, 0);
	topdown_reading_create(&one, td, first, 1);
	topdown_reading_update(one, 0);
	topdown_reading_update(then, 0);
	topdown_reading_update(now, 0);

	check(!topdown_reading_between(then, now, 2, 2, &figures) &&
	      figures.slots == 5880000000ULL && figures.enabled_ns == 1000000000ULL,
	      "slots and time of one step");
	check(figures.node[TOPDOWN_RETIRING] == 2352000000ULL &&
	      figures.ratio[TOPDOWN_RETIRING] == 400000000 &&
	      figures.ratio[TOPDOWN_MEMORY_BOUND] == 300000000, "nodes and ratios");
	check(!topdown_reading_between(then, now, 2, 1, &figures) &&
	      figures.ratio[TOPDOWN_RETIRING] == 400000000 &&
	      figures.ratio[TOPDOWN_MEMORY_BOUND] == TOPDOWN_RATIO_NONE, "level 1 only");
	check(!topdown_reading_between(then, now, TOPDOWN_CPU_ALL, 2, &figures) &&
	      is_sum(&figures, then, now), "the sum of all CPUs");
	check(!topdown_reading_between(now, now, 0, 2, &figures) && !figures.slots &&
	      figures.ratio[TOPDOWN_RETIRING] == TOPDOWN_RATIO_NONE, "no time, no ratio");

	memset(&figures, 0x55, sizeof(figures));
	kept = figures;
	check(topdown_reading_between(now, then, 0, 2, &figures) == -ERANGE, "wrong order");
	check(topdown_reading_between(then, now, 9, 2, &figures) == -ENOENT, "no such CPU");
	check(topdown_reading_between(one, now, 1, 2, &figures) == -ENOENT, "CPU not in one");
	check(topdown_reading_between(one, now, TOPDOWN_CPU_ALL, 2, &figures) == -ENOENT,
	      "sums over other sets");
	check(!topdown_sums_reset(td, NULL, 0, TOPDOWN_RESET_FRESH), "reset");
	topdown_reading_update(now, 0);
	check(topdown_reading_between(then, now, 0, 2, &figures) == -ERANGE,
	      "a reset in between");
	topdown_sums_reset(td, NULL, 0, 0);
	for (i = 0; i < 5; i++)
		topdown_reading_update(one, 0);
	check(topdown_reading_find(one, 0)->total.slots >
	      topdown_reading_find(now, 0)->total.slots &&
	      topdown_reading_between(now, one, 0, 2, &figures) == -ERANGE,
	      "a reset after which more was counted than before");
	check(!memcmp(&figures, &kept, sizeof(figures)), "figures are untouched by errors");
	setenv("FAKE_RESET_ERRNO", "13", 1);
	check(topdown_sums_reset(td, NULL, 0, 0) == -EACCES, "a refused reset");
	unsetenv("FAKE_RESET_ERRNO");
	topdown_reading_destroy(one);
	topdown_reading_destroy(now);
	topdown_reading_destroy(then);
	topdown_close(td);
}

static int map_bad(struct topdown *td, const char *what)
{
	struct topdown_map_view *map = NULL;
	int ret;

	setenv("FAKE_MAP_BAD", what, 1);
	ret = topdown_map_open(&map, td);
	unsetenv("FAKE_MAP_BAD");
	return map ? 1 : ret;
}

static void test_map_open(void)
{
	static const char * const bad[] = {
		"magic", "size", "header", "cpus", "offset", "misaligned", "stride", "record",
		"history", "window", "window size", "open", "open misaligned",
		"open on the sequence", "far"
	};
	const struct topdown_watch any = { .size = sizeof(any), .node = TOPDOWN_WATCH_ANY };
	struct topdown_map_view *map = NULL;
	struct topdown *td = open_fake();
	uint32_t watch = 77;
	unsigned int i;

	check(topdown_map_open(&map, td) == -EOPNOTSUPP, "a module without a map");
	check(topdown_watch_add(td, NULL, 0, &any, &watch) == -EOPNOTSUPP &&
	      topdown_watch_remove(td, 1) == -EOPNOTSUPP && watch == 77,
	      "a module without watches");
	topdown_close(td);
	setenv("FAKE_FEATURES", "31", 1);
	td = open_fake();
	setenv("FAKE_MAP_ERRNO", "13", 1);
	check(topdown_map_open(&map, td) == -EACCES && !map, "no right to the map");
	unsetenv("FAKE_MAP_ERRNO");
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check(map_bad(td, bad[i]) == -EPROTO, bad[i]);
	topdown_map_close(NULL);
	topdown_close(td);
}

static struct topdown_map_view *map_fake(void)
{
	struct topdown_map_view *map = NULL;
	struct topdown *td = open_fake();

	topdown_map_open(&map, td);
	topdown_close(td);
	return map;
}

static void test_map_record(void)
{
	struct topdown_record record = { .cpu = 99 }, again;
	struct topdown_map_window window;
	struct topdown_map_view *map;
	struct topdown_figures open;

	setenv("FAKE_TICK", "0", 1);
	map = map_fake();
	check(map && topdown_map_nr_cpus(map) == 4 && topdown_map_history(map) == 4,
	      "a map, after the handle was closed");
	check(topdown_map_read_record(map, 4, &record, sizeof(record), NULL) == -ENOENT &&
	      record.cpu == 99, "no such CPU");
	check(topdown_map_read_record(map, 0, &record, 615, NULL) == -EINVAL, "too small a record");
	check(!topdown_map_read_record(map, 2, &record, sizeof(record), &open) && record.cpu == 2 &&
	      record.windows == 10 && record.total.slots == 58800000000ULL, "a record");
	check(record.total.ratio[TOPDOWN_RETIRING] == 400000000 &&
	      record.window.ratio[TOPDOWN_MEMORY_BOUND] == 300000000 &&
	      record.total.ratio[TD_NR_NODES] == TOPDOWN_RATIO_NONE, "with its ratios");
	check(open.slots == 5880000000ULL && open.ratio[TOPDOWN_RETIRING] == 400000000,
	      "and the open window");
	check(!topdown_map_read_window(map, 2, 10, 2, &window, sizeof(window)) &&
	      window.number == 10 && window.figures.slots == 5880000000ULL &&
	      window.figures.ratio[TOPDOWN_RETIRING] == 400000000, "a window");
	check(topdown_map_read_window(map, 2, 6, 2, &window, sizeof(window)) == -ENOENT &&
	      topdown_map_read_window(map, 2, 11, 2, &window, sizeof(window)) == -ENOENT &&
	      topdown_map_read_window(map, 4, 10, 2, &window, sizeof(window)) == -ENOENT,
	      "windows that are not there");
	check(topdown_map_read_window(map, 2, 0, 2, &window, sizeof(window)) == -EINVAL &&
	      topdown_map_read_window(map, 2, 10, 2, &window, 303) == -EINVAL,
	      "no number, too small a window");

	again = record;
	again.total.slots += 1000;
	again.total.node[TOPDOWN_RETIRING] += 250;
	check(!topdown_record_between(&record, &again, 2, &open) && open.slots == 1000 &&
	      open.ratio[TOPDOWN_RETIRING] == 250000000, "between two records");
	check(topdown_record_between(&again, &record, 2, &open) == -ERANGE &&
	      open.slots == 1000, "in the wrong order");
	again.total.node[TOPDOWN_RETIRING] = record.total.node[TOPDOWN_RETIRING] - 1;
	check(topdown_record_between(&record, &again, 2, &open) == -ERANGE &&
	      open.slots == 1000, "with one node of before a reset");
	again.total.node[TOPDOWN_RETIRING] = record.total.node[TOPDOWN_RETIRING] + 250;
	again.total.children_slots[TOPDOWN_RETIRING] += 1000;
	again.total.children_slots[TOPDOWN_BACKEND_BOUND] += 999;
	again.total.node[TOPDOWN_MEMORY_BOUND] += 333;
	check(!topdown_record_between(&record, &again, 2, &open) &&
	      open.ratio[TOPDOWN_HEAVY_OPERATIONS] == 0 &&
	      open.ratio[TOPDOWN_MEMORY_BOUND] == TOPDOWN_RATIO_NONE &&
	      open.node[TOPDOWN_MEMORY_BOUND] == 333 &&
	      open.children_slots[TOPDOWN_BACKEND_BOUND] == 999 &&
	      open.ratio[TOPDOWN_BACKEND_BOUND] == 0, "nodes that were counted in all of it");
	again.total.children_slots[TOPDOWN_BACKEND_BOUND] =
		record.total.children_slots[TOPDOWN_BACKEND_BOUND] - 1;
	check(topdown_record_between(&record, &again, 2, &open) == -ERANGE &&
	      open.slots == 1000, "with the slots of children of before a reset");
	again.total.children_slots[TOPDOWN_BACKEND_BOUND] =
		record.total.children_slots[TOPDOWN_BACKEND_BOUND] + 999;
	again.cpu = 3;
	check(topdown_record_between(&record, &again, 2, &open) == -EINVAL, "of two CPUs");
	topdown_figures_add(&open, &open, 2);
	check(open.slots == 2000 && open.children_slots[TOPDOWN_BACKEND_BOUND] == 1998 &&
	      open.node[TOPDOWN_RETIRING] == 500 &&
	      open.ratio[TOPDOWN_RETIRING] == 250000000, "a sum");
	topdown_map_close(map);

	setenv("FAKE_MAP_GROW", "16", 1);
	map = map_fake();
	check(!topdown_map_read_record(map, 3, &record, sizeof(record), &open) && record.cpu == 3 &&
	      open.slots == 5820000000ULL &&
	      !topdown_map_read_window(map, 3, 10, 2, &window, sizeof(window)) &&
	      window.figures.slots == 5820000000ULL, "a kernel with longer records");
	unsetenv("FAKE_MAP_GROW");
	topdown_map_close(map);

	setenv("FAKE_SINCE", "1000000", 1);
	map = map_fake();
	check(!topdown_map_read_record(map, 3, &record, sizeof(record), &open) &&
	      record.total.ratio[TOPDOWN_FETCH_LATENCY] == TOPDOWN_RATIO_NONE &&
	      record.window.ratio[TOPDOWN_FETCH_BANDWIDTH] == TOPDOWN_RATIO_NONE &&
	      open.ratio[TOPDOWN_FETCH_LATENCY] != TOPDOWN_RATIO_NONE &&
	      record.window.ratio[TOPDOWN_MEMORY_BOUND] != TOPDOWN_RATIO_NONE,
	      "nodes that have been counted since later");
	check(!topdown_map_read_window(map, 3, 10, 2, &window, sizeof(window)) &&
	      window.figures.ratio[TOPDOWN_FETCH_LATENCY] == TOPDOWN_RATIO_NONE &&
	      window.figures.ratio[TOPDOWN_FRONTEND_BOUND] != TOPDOWN_RATIO_NONE,
	      "a window of before");
	unsetenv("FAKE_SINCE");
	topdown_map_close(map);

	setenv("FAKE_STUCK", "1", 1);
	map = map_fake();
	record.cpu = 99;
	check(topdown_map_read_record(map, 1, &record, sizeof(record), NULL) == -EAGAIN &&
	      record.cpu == 99 && !topdown_map_read_record(map, 0, &record, sizeof(record), NULL),
	      "a writer that does not go on");
	unsetenv("FAKE_STUCK");
	unsetenv("FAKE_TICK");
	topdown_map_close(map);
}

/* Records of the map in a reading: all of them, and afterwards those that changed. */
static void test_reading_map(void)
{
	struct topdown_reading *then = NULL, *now = NULL;
	struct topdown *td = open_fake();
	struct topdown_map_view *map = NULL;
	const struct topdown_record *record;
	struct topdown_figures figures;

	setenv("FAKE_TICK", "0", 1);
	setenv("FAKE_TOGETHER", "1", 1);
	topdown_map_open(&map, td);
	topdown_reading_create(&then, td, NULL, 0);
	topdown_reading_create(&now, td, NULL, 0);
	check(!topdown_reading_update_map(then, map) && topdown_reading_nr(then) == 4 &&
	      topdown_reading_time(then), "a reading of the map");
	record = topdown_reading_find(then, 2);
	check(record && record->cpu == 2 && record->windows == 10 &&
	      record->total.slots == 58800000000ULL &&
	      record->total.ratio[TOPDOWN_RETIRING] == TOPDOWN_RATIO_NONE &&
	      !topdown_reading_find(then, TOPDOWN_CPU_ALL), "its records, without ratios and sum");
	check(!topdown_reading_update_map(now, map) &&
	      !topdown_reading_between(then, now, TOPDOWN_CPU_ALL, 2, &figures) &&
	      !figures.slots && figures.ratio[TOPDOWN_RETIRING] == TOPDOWN_RATIO_NONE,
	      "nothing while all sleep");
	/* The map goes on by a step. */
	check(!topdown_reading_update(now, TOPDOWN_READ_FRESH) &&
	      !topdown_reading_between(then, now, 2, 2, &figures) &&
	      figures.slots == 5880000000ULL, "until a reading by the module");
	check(!topdown_reading_update_map(then, map) &&
	      topdown_reading_find(then, 2)->windows == 11 &&
	      topdown_reading_find(then, 3)->total.slots == 11 * 5820000000ULL,
	      "records that changed");
	topdown_reading_update(now, TOPDOWN_READ_FRESH);
	check(!topdown_reading_update_map(now, map) &&
	      !topdown_reading_between(then, now, TOPDOWN_CPU_ALL, 2, &figures) &&
	      is_sum(&figures, then, now) && figures.slots == 23640000000ULL &&
	      figures.ratio[TOPDOWN_RETIRING] == 400000000, "the sum of what changed");
	topdown_sums_reset(td, NULL, 0, 0);
	check(topdown_reading_update_map(now, map) == -EINVAL, "a handle that was reset");
	topdown_reading_destroy(now);
	topdown_reading_destroy(then);
	topdown_map_close(map);
	topdown_close(td);
	unsetenv("FAKE_TOGETHER");

	setenv("FAKE_STUCK", "1", 1);
	setenv("FAKE_HOLE", "2", 1);
	td = open_fake();
	topdown_map_open(&map, td);
	topdown_reading_create(&now, td, NULL, 0);
	check(topdown_reading_update_map(now, map) == -EAGAIN && !topdown_reading_nr(now),
	      "a writer that does not go on leaves it empty");
	unsetenv("FAKE_STUCK");
	topdown_map_close(map);
	topdown_map_open(&map, td);
	check(!topdown_reading_update_map(now, map) && topdown_reading_nr(now) == 3 &&
	      !topdown_reading_find(now, 2) && topdown_reading_find(now, 3),
	      "a number that no CPU has");
	unsetenv("FAKE_HOLE");
	unsetenv("FAKE_TICK");
	topdown_reading_destroy(now);
	topdown_map_close(map);
	topdown_close(td);
}

/* The writer counts in whole steps, so any other sum is of two records. */
static bool is_whole(const struct topdown_record *record)
{
	uint64_t steps = record->windows;

	return record->total.slots == steps * 6000000000ULL &&
	       record->total.enabled_ns == steps * 1000000000ULL &&
	       record->total.node[TOPDOWN_CORE_BOUND] == steps * 900000000ULL;
}

/* Copies against a writer that writes again at once. */
static void test_map_torn(void)
{
	uint64_t changes = 0, windows = 0, first;
	struct topdown_map_view *map;
	struct topdown_map_window window;
	struct topdown_record record;
	bool whole = true;
	int i;

	setenv("FAKE_TICK", "-1", 1);
	map = map_fake();
	topdown_map_read_record(map, 0, &record, sizeof(record), NULL);
	first = record.windows;
	for (i = 0; i < 2000000 || (record.windows == first && i < 20000000); i++) {
		uint64_t before = record.windows;

		if (topdown_map_read_record(map, 0, &record, sizeof(record), NULL))
			continue;
		whole = whole && is_whole(&record) && record.windows >= before;
		changes += record.windows != before;
		if (topdown_map_read_window(map, 0, record.windows, 2, &window, sizeof(window)))
			continue;
		windows++;
		whole = whole && window.number == record.windows &&
			window.figures.slots == 6000000000ULL;
	}
	check(whole, "no record and no window is torn");
	check(changes && windows, "while they were written");
	topdown_map_close(map);
}

/* What the library refuses by itself, or the module does. */
static void test_watch_refused(struct topdown *td)
{
	const struct topdown_watch right = {
		.size = sizeof(right), .node = TOPDOWN_RETIRING, .ratio = 5,
	};
	struct topdown_watch what = right;
	struct {
		struct topdown_watch watch;
		__u64 more;
	} longer = { right, 0 };
	uint32_t watch = 77;
	bool ok;

	what.node = 99;
	check(topdown_watch_add(td, NULL, 0, &what, &watch) == -EOPNOTSUPP, "no such node");
	what.node = TOPDOWN_RETIRING;
	what.ratio = TOPDOWN_RATIO_ONE + 1;
	check(topdown_watch_add(td, NULL, 0, &what, &watch) == -EINVAL, "a ratio above 1");
	what = right;
	what.flags = 1U << 31;
	check(topdown_watch_add(td, NULL, 0, &what, &watch) == -EOPNOTSUPP, "a flag not known");
	what.flags = TOPDOWN_WATCH_REMOVE;
	ok = topdown_watch_add(td, NULL, 0, &what, &watch) == -EINVAL;
	what = right;
	what.watch = 1;
	ok = ok && topdown_watch_add(td, NULL, 0, &what, &watch) == -EINVAL;
	what = right;
	what.event_size = 32;
	ok = ok && topdown_watch_add(td, NULL, 0, &what, &watch) == -EINVAL;
	what = right;
	what.size = 63;
	ok = ok && topdown_watch_add(td, NULL, 0, &what, &watch) == -EINVAL;
	check(ok, "what is not for the caller to say");
	longer.watch.size = sizeof(longer);
	longer.more = 1;
	check(topdown_watch_add(td, NULL, 0, &longer.watch, &watch) == -E2BIG && watch == 77,
	      "what the library does not know");
	longer.more = 0;
	check(!topdown_watch_add(td, NULL, 0, &longer.watch, &watch) && watch == 1 &&
	      !topdown_watch_remove(td, watch), "unless it is nothing");
}

/* The first alone, then three in each call, as far as there is room. */
static void test_watch_read(struct topdown *td)
{
	struct topdown_event event[9] = { 0 };
	unsigned int nr = 8, i, none = 0;
	bool ok = true;

	setenv("FAKE_EVENTS", "3", 1);
	check(topdown_watch_read(td, 0, event, &none, sizeof(event[0])) == -EINVAL &&
	      topdown_watch_read(td, 0, event, &nr, 31) == -EINVAL && nr == 8, "no room");
	check(!topdown_watch_read(td, 0, event, &nr, sizeof(event[0])) && nr == 8, "many events");
	for (i = 0; i < nr; i++)
		ok = ok && event[i].cpu == 3 &&
		     event[i].time_ns == 77 + (i ? (i - 1) % 3 : 0);
	check(ok && !event[8].count, "each of them, and no more");
	setenv("FAKE_EVENT_TAKEN", "1000000000", 1);
	check(topdown_watch_read(td, 0, event, &nr, sizeof(event[0])) == -EAGAIN && nr == 8,
	      "none of them");
	unsetenv("FAKE_EVENT_TAKEN");
	unsetenv("FAKE_EVENTS");
}

static void test_watch(void)
{
	struct topdown_watch what = { .size = sizeof(what), .node = TOPDOWN_WATCH_ANY };
	struct topdown_event event = { .cpu = 99 };
	struct topdown *td = open_fake();
	uint32_t any = 0, below = 0;

	test_watch_refused(td);
	setenv("FAKE_EVENT", "2", 1);
	check(topdown_watch_wait(td, 10, &event, sizeof(event)) == -EAGAIN && event.cpu == 99,
	      "no event without a watch");
	unsetenv("FAKE_EVENT");
	check(!topdown_watch_add(td, NULL, 0, &what, &any) && any == 2, "any window");
	what.node = TOPDOWN_MEMORY_BOUND;
	what.ratio = 300000000;
	what.flags = TOPDOWN_WATCH_BELOW | TOPDOWN_WATCH_BACK | TOPDOWN_WATCH_SUM;
	what.hold_ms = 500;
	what.min_slots = 1000000;
	check(!topdown_watch_add(td, NULL, 0, &what, &below) && below == 3, "a threshold besides");
	event.cpu = 99;
	check(topdown_watch_wait(td, 0, &event, 31) == -EINVAL, "too small an event");
	check(topdown_watch_wait(td, 10, &event, sizeof(event)) == -EAGAIN && event.cpu == 99,
	      "no event");
	setenv("FAKE_EVENT", "3", 1);
	check(!topdown_watch_wait(td, -1, &event, sizeof(event)) && event.cpu == 3 &&
	      event.watch == below && event.count == 3 && event.ratio == 250000000, "an event");
	test_watch_read(td);
	unsetenv("FAKE_EVENT");
	check(!topdown_watch_remove(td, any) && topdown_watch_remove(td, any) == -ENOENT &&
	      !topdown_watch_remove(td, 0) && topdown_watch_remove(td, below) == -ENOENT &&
	      !topdown_watch_remove(td, 0), "removed");
	setenv("FAKE_EVENT", "3", 1);
	check(topdown_watch_wait(td, 10, &event, sizeof(event)) == -EAGAIN,
	      "without a watch again");
	unsetenv("FAKE_EVENT");
	setenv("FAKE_WATCH_ERRNO", "13", 1);
	check(topdown_watch_add(td, NULL, 0, &what, &any) == -EACCES &&
	      topdown_watch_wait(td, -1, &event, sizeof(event)) == -EACCES, "no right to");
	unsetenv("FAKE_WATCH_ERRNO");
	topdown_close(td);
	/* As with sessions, where poll() does not tell of it. */
	setenv("FAKE_READ_ERRNO", "13", 1);
	td = open_fake();
	unsetenv("FAKE_READ_ERRNO");
	check(topdown_watch_wait(td, 100, &event, sizeof(event)) == -EACCES,
	      "no right to, and nothing that poll() says");
	topdown_close(td);
}

static void test_session_attach(void)
{
	struct topdown_session out;
	uint32_t session = 77;
	struct topdown *td;

	setenv("FAKE_FEATURES", "31", 1);
	td = open_fake();
	check(topdown_session_attach(td, 0, 0, &session) == -EOPNOTSUPP &&
	      topdown_session_read(td, 1, 0, &out, sizeof(out)) == -EOPNOTSUPP &&
	      topdown_session_control(td, 1, TOPDOWN_CONTROL_RESET) == -EOPNOTSUPP,
	      "a module without sessions");
	topdown_close(td);
	setenv("FAKE_FEATURES", "63", 1);
	td = open_fake();
	check(topdown_session_attach(td, 4194304, 0, &session) == -ESRCH, "no such process");
	check(topdown_session_attach(td, 0, 1U << 31, &session) == -EOPNOTSUPP, "unknown flag");
	check(topdown_session_attach(td, 0, TOPDOWN_ATTACH_THREAD | TOPDOWN_ATTACH_CHILDREN,
				     &session) == -EINVAL, "flags that exclude each other");
	check(session == 77, "the number is untouched by errors");
	check(!topdown_session_attach(td, 0, TOPDOWN_ATTACH_DISABLED, &session) && session == 1,
	      "attach to oneself");
	check(!topdown_session_attach(td, getpid(), TOPDOWN_ATTACH_THREAD, &session) &&
	      session == 2, "attach to a thread");
	topdown_close(td);
}

static void test_session_read(void)
{
	unsigned char small[880], large[sizeof(struct topdown_session) + 8];
	struct topdown_session then = { .size = 0 }, now = then;
	struct topdown_session *grown = (struct topdown_session *)large;
	struct topdown_figures figures = { .slots = 5 };
	struct topdown *td = open_fake();
	uint32_t session = 0, other = 0;
	bool ok;

	ok = !topdown_session_attach(td, 0, TOPDOWN_ATTACH_DISABLED, &session) &&
	     !topdown_session_attach(td, 0, 0, &other);
	check(ok && !topdown_session_read(td, session, 0, &then, sizeof(then)) &&
	      then.session == session && then.out_state == TOPDOWN_SESSION_DISABLED &&
	      !then.out_figures.slots, "a disabled session has nothing");
	check(!topdown_session_control(td, session, TOPDOWN_CONTROL_ENABLE) &&
	      !topdown_session_read(td, session, TOPDOWN_SESSION_FRESH, &then, sizeof(then)) &&
	      then.out_state == TOPDOWN_SESSION_RUNNING && then.out_figures.slots,
	      "an enabled one counts");
	check(!topdown_session_read(td, session, 0, &now, sizeof(now)) &&
	      now.out_figures.slots == then.out_figures.slots, "what is known already");
	check(!topdown_session_read(td, session, TOPDOWN_SESSION_FRESH, &now, sizeof(now)) &&
	      !topdown_session_between(&then, &now, 2, &figures) &&
	      figures.enabled_ns == 1000000000 && figures.ratio[TOPDOWN_RETIRING] == 400000000 &&
	      figures.ratio[TOPDOWN_CORE_BOUND] == 150000000, "between two reads");
	check(!topdown_session_between(&then, &now, 1, &figures) &&
	      figures.ratio[TOPDOWN_CORE_BOUND] == TOPDOWN_RATIO_NONE, "of level 1");
	figures.slots = 5;
	check(topdown_session_between(&now, &then, 2, &figures) == -ERANGE, "the wrong way round");
	then.session = other;
	check(topdown_session_between(&then, &now, 2, &figures) == -EINVAL, "of two sessions");
	then.session = session;
	now.out_figures.node[TOPDOWN_RETIRING] = then.out_figures.node[TOPDOWN_RETIRING] - 1;
	check(topdown_session_between(&then, &now, 2, &figures) == -ERANGE,
	      "with one node of before a reset");
	check(!topdown_session_control(td, session, TOPDOWN_CONTROL_RESET) &&
	      !topdown_session_read(td, session, 0, &now, sizeof(now)) &&
	      topdown_session_between(&then, &now, 2, &figures) == -ERANGE, "after a reset");
	check(figures.slots == 5, "the figures are untouched by errors");

	check(topdown_session_read(td, session, 0, &now, 879) == -EINVAL &&
	      topdown_session_read(td, 9, 0, &now, sizeof(now)) == -ENOENT &&
	      topdown_session_read(td, session, 1U << 31, &now, sizeof(now)) == -EINVAL,
	      "reads that are refused");
	memset(small, 0xff, sizeof(small));
	check(!topdown_session_read(td, session, 0, (void *)small, sizeof(small)),
	      "the first released size");
	memset(large, 0xff, sizeof(large));
	check(!topdown_session_read(td, session, TOPDOWN_SESSION_FRESH, grown, sizeof(large)) &&
	      grown->out_figures.slots && !large[sizeof(large) - 1] &&
	      !large[sizeof(*grown)], "a larger one has zeros behind");
	check(!topdown_session_control(td, session, TOPDOWN_CONTROL_DETACH) &&
	      topdown_session_control(td, session, TOPDOWN_CONTROL_DETACH) == -ENOENT &&
	      topdown_session_read(td, session, 0, &now, sizeof(now)) == -ENOENT,
	      "a detached session is gone");
	check(!topdown_session_read(td, other, 0, &now, sizeof(now)), "the other is there");
	setenv("FAKE_FEATURES", "31", 1);
	topdown_close(td);
}

static void test_session_read_many(void)
{
	struct topdown_session seen[3], one;
	uint32_t session[3] = { 0, 9, 0 };
	unsigned int nr = 3, none = 0, many = 1025;
	struct topdown *td;
	bool ok;

	setenv("FAKE_FEATURES", "127", 1);
	td = open_fake();
	topdown_session_attach(td, 0, TOPDOWN_ATTACH_DISABLED, &session[0]);
	topdown_session_attach(td, getpid(), 0, &session[2]);
	check(topdown_session_read_many(td, session, &nr, 0, seen, sizeof(*seen)) == -EOPNOTSUPP,
	      "a module that reads one by one");
	setenv("FAKE_FEATURES", "255", 1);
	topdown_info_update(td);
	ok = !topdown_session_read_many(td, session, &nr, TOPDOWN_SESSION_FRESH, seen,
					sizeof(*seen));
	check(ok && seen[0].session == session[0] && seen[2].session == session[2] &&
	      seen[0].out_state == TOPDOWN_SESSION_DISABLED &&
	      seen[2].out_state == TOPDOWN_SESSION_RUNNING && seen[2].size == sizeof(*seen),
	      "many sessions");
	check(seen[1].session == 9 && seen[1].out_state == TOPDOWN_SESSION_DETACHED &&
	      !seen[1].out_figures.slots, "and one that there is not");
	check(!topdown_session_read(td, session[2], 0, &one, sizeof(one)) &&
	      !memcmp(&one.out_figures, &seen[2].out_figures, sizeof(one.out_figures)),
	      "as one by one");
	check(topdown_session_read_many(td, session, &none, 0, seen, sizeof(*seen)) == -EINVAL &&
	      topdown_session_read_many(td, session, &nr, 0, seen, 879) == -EINVAL &&
	      topdown_session_read_many(td, session, &many, 0, seen, sizeof(*seen)) == -E2BIG &&
	      topdown_session_read_many(td, session, &nr, 2, seen, sizeof(*seen)) == -EOPNOTSUPP,
	      "what is refused");
	check(!topdown_session_read_many(td, NULL, &nr, 0, seen, sizeof(*seen)) && nr == 2 &&
	      seen[0].session == session[0] && seen[1].session == session[2] &&
	      !memcmp(&one.out_figures, &seen[1].out_figures, sizeof(one.out_figures)),
	      "all that there are");
	nr = 1;
	check(topdown_session_read_many(td, NULL, &nr, 0, seen, sizeof(*seen)) == -EMSGSIZE &&
	      nr == 2 &&
	      topdown_session_read_many(td, NULL, &none, 0, NULL, sizeof(*seen)) == -EMSGSIZE &&
	      none == 2, "in too little room");
	topdown_session_control(td, session[0], TOPDOWN_CONTROL_DETACH);
	topdown_session_control(td, session[2], TOPDOWN_CONTROL_DETACH);
	none = 0;
	check(!topdown_session_read_many(td, NULL, &none, 0, NULL, sizeof(*seen)) && !none,
	      "none is no error");
	setenv("FAKE_FEATURES", "31", 1);
	topdown_close(td);
}

static void test_session_map(void)
{
	struct topdown_session seen = { .session = 99 };
	struct topdown_session_view *map = NULL;
	struct topdown *td;
	char name[32], bad[3];
	uint32_t session;
	unsigned int i;

	setenv("FAKE_FEATURES", "63", 1);
	td = open_fake();
	check(topdown_session_map_open(&map, td, 1) == -EOPNOTSUPP, "no maps of sessions");
	topdown_close(td);
	setenv("FAKE_FEATURES", "127", 1);
	td = open_fake();
	check(topdown_session_map_open(&map, td, 1) == -ENOENT &&
	      topdown_session_map_open(&map, td, 0) == -ENOENT && !map, "no such session");
	topdown_session_attach(td, 0, 0, &session);
	check(!topdown_session_map_open(&map, td, session), "the map of a session");
	check(!topdown_session_map_read(map, &seen, sizeof(seen)) && seen.session == session &&
	      seen.size == sizeof(seen) && seen.out_state == TOPDOWN_SESSION_RUNNING &&
	      seen.out_tasks == 1 && seen.out_level == 2 &&
	      seen.out_source == TOPDOWN_SOURCE_PERF_METRICS, "what it says of the session");
	/* 2 + 2 - 3 steps, and a share without any. */
	check(seen.out_switches == 15 && seen.out_merged_ns == 130 &&
	      seen.out_figures.enabled_ns == 1000000000 &&
	      seen.out_figures.ratio[TOPDOWN_RETIRING] == 400000000 &&
	      seen.out_figures.ratio[TOPDOWN_CORE_BOUND] == 150000000,
	      "the shares, less the baseline");
	check(topdown_session_map_read(map, &seen, 879) == -EINVAL, "a size that never was");
	topdown_session_map_close(map);
	topdown_session_map_close(NULL);

	setenv("FAKE_SHARES_BUSY", "1", 1);
	check(!topdown_session_map_open(&map, td, session) &&
	      topdown_session_map_read(map, &seen, sizeof(seen)) == -EAGAIN &&
	      seen.out_switches == 15, "a share that is being written for ever");
	topdown_session_map_close(map);
	unsetenv("FAKE_SHARES_BUSY");
	map = NULL;
	for (i = 1; i <= 14; i++) {
		snprintf(name, sizeof(name), "bad map %u", i);
		snprintf(bad, sizeof(bad), "%u", i);
		setenv("FAKE_SHARES_BAD", bad, 1);
		check(topdown_session_map_open(&map, td, session) == -EPROTO && !map, name);
	}
	unsetenv("FAKE_SHARES_BAD");
	setenv("FAKE_FEATURES", "31", 1);
	topdown_close(td);
}

int main(void)
{
	ktap_begin(&ktap, 167);
	test_open();
	test_descriptors();
	test_info();
	test_sets();
	test_update();
	test_between();
	test_map_open();
	test_map_record();
	test_reading_map();
	test_watch();
	test_session_attach();
	test_session_read();
	test_session_read_many();
	test_session_map();
	/* Last, as its writer goes on reading the environment. */
	test_map_torn();
	return ktap_end(&ktap);
}
