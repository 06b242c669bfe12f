// SPDX-License-Identifier: GPL-2.0
/*
 * The map in libtopdown: layouts that are refused, records and windows, and copies while
 * the writer writes.
 */
#include <errno.h>
#include <stdlib.h>

#include "known.h"
#include "../check.h"

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
		"history", "window", "window size", "far"
	};
	struct topdown_map_view *map = NULL;
	struct topdown *td = open_fake();
	unsigned int i;

	check(topdown_map_open(&map, td) == -EOPNOTSUPP, "a module without a map is seen");
	topdown_close(td);
	setenv("FAKE_FEATURES", "31", 1);
	td = open_fake();
	setenv("FAKE_MAP_ERRNO", "13", 1);
	check(topdown_map_open(&map, td) == -EACCES && !map, "the map needs a right");
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
	struct topdown_window window;
	struct topdown_map_view *map;
	struct topdown_figures open;

	setenv("FAKE_TICK", "0", 1);
	map = map_fake();
	check(map && topdown_map_nr_cpus(map) == 4 && topdown_map_history(map) == 4,
	      "a map outlives its handle");
	check(topdown_map_read_record(map, 4, &record, sizeof(record), NULL) == -ENOENT &&
	      record.cpu == 99, "an unknown CPU is refused");
	check(topdown_map_read_record(map, 0, &record, 879, NULL) == -EINVAL,
	      "too small a record is refused");
	check(!topdown_map_read_record(map, 2, &record, sizeof(record), &open) && record.cpu == 2 &&
	      record.windows == 10 && record.total.slots == 58800000000ULL, "a record can be read");
	check(record.total.ratio[TOPDOWN_RETIRING] == 400000000 &&
	      record.window.ratio[TOPDOWN_MEMORY_BOUND] == 300000000 &&
	      record.total.ratio[TD_NR_NODES] == TOPDOWN_RATIO_NONE, "a record has its ratios");
	check(open.slots == 5880000000ULL && open.ratio[TOPDOWN_RETIRING] == 400000000,
	      "a record has the open window");
	check(!topdown_map_read_window(map, 2, 10, 2, &window, sizeof(window)) &&
	      window.number == 10 && window.figures.slots == 5880000000ULL &&
	      window.figures.ratio[TOPDOWN_RETIRING] == 400000000, "a window can be read");
	check(topdown_map_read_window(map, 2, 6, 2, &window, sizeof(window)) == -ENOENT &&
	      topdown_map_read_window(map, 2, 11, 2, &window, sizeof(window)) == -ENOENT &&
	      topdown_map_read_window(map, 4, 10, 2, &window, sizeof(window)) == -ENOENT,
	      "windows that are not there are refused");
	check(topdown_map_read_window(map, 2, 0, 2, &window, sizeof(window)) == -EINVAL &&
	      topdown_map_read_window(map, 2, 10, 2, &window, 431) == -EINVAL,
	      "no number and too small a window are refused");

	again = record;
	again.total.slots += 1000;
	again.total.node[TOPDOWN_RETIRING] += 250;
	check(!topdown_record_between(&record, &again, 2, &open) && open.slots == 1000 &&
	      open.ratio[TOPDOWN_RETIRING] == 250000000, "there are figures between two records");
	check(topdown_record_between(&again, &record, 2, &open) == -ERANGE &&
	      open.slots == 1000, "records in the wrong order are refused");
	again.total.node[TOPDOWN_RETIRING] = record.total.node[TOPDOWN_RETIRING] - 1;
	check(topdown_record_between(&record, &again, 2, &open) == -ERANGE &&
	      open.slots == 1000, "a node that fell is refused");
	again.total.node[TOPDOWN_RETIRING] = record.total.node[TOPDOWN_RETIRING] + 250;
	again.total.children_slots[TOPDOWN_RETIRING] += 1000;
	again.total.children_slots[TOPDOWN_BACKEND_BOUND] += 999;
	again.total.node[TOPDOWN_MEMORY_BOUND] += 333;
	check(!topdown_record_between(&record, &again, 2, &open) &&
	      open.ratio[TOPDOWN_HEAVY_OPERATIONS] == 0 &&
	      open.ratio[TOPDOWN_MEMORY_BOUND] == TOPDOWN_RATIO_NONE &&
	      open.node[TOPDOWN_MEMORY_BOUND] == 333 &&
	      open.children_slots[TOPDOWN_BACKEND_BOUND] == 999 &&
	      open.ratio[TOPDOWN_BACKEND_BOUND] == 0,
	      "nodes that were counted in all of it have figures");
	again.total.children_slots[TOPDOWN_BACKEND_BOUND] =
		record.total.children_slots[TOPDOWN_BACKEND_BOUND] - 1;
	check(topdown_record_between(&record, &again, 2, &open) == -ERANGE &&
	      open.slots == 1000, "slots of children that fell are refused");
	again.total.children_slots[TOPDOWN_BACKEND_BOUND] =
		record.total.children_slots[TOPDOWN_BACKEND_BOUND] + 999;
	again.cpu = 3;
	check(topdown_record_between(&record, &again, 2, &open) == -EINVAL,
	      "records of two CPUs are refused");
	topdown_figures_add(&open, &open, 2);
	check(open.slots == 2000 && open.children_slots[TOPDOWN_BACKEND_BOUND] == 1998 &&
	      open.node[TOPDOWN_RETIRING] == 500 &&
	      open.ratio[TOPDOWN_RETIRING] == 250000000, "figures add up");
	topdown_map_close(map);

	setenv("FAKE_MAP_GROW", "16", 1);
	map = map_fake();
	check(!topdown_map_read_record(map, 3, &record, sizeof(record), &open) && record.cpu == 3 &&
	      open.slots == 5820000000ULL &&
	      !topdown_map_read_window(map, 3, 10, 2, &window, sizeof(window)) &&
	      window.figures.slots == 5820000000ULL, "a kernel may have longer records");
	unsetenv("FAKE_MAP_GROW");
	topdown_map_close(map);

	setenv("FAKE_SINCE", "1000000", 1);
	map = map_fake();
	check(!topdown_map_read_record(map, 3, &record, sizeof(record), &open) &&
	      record.total.ratio[TOPDOWN_FETCH_LATENCY] == TOPDOWN_RATIO_NONE &&
	      record.window.ratio[TOPDOWN_FETCH_BANDWIDTH] == TOPDOWN_RATIO_NONE &&
	      open.ratio[TOPDOWN_FETCH_LATENCY] != TOPDOWN_RATIO_NONE &&
	      record.window.ratio[TOPDOWN_MEMORY_BOUND] != TOPDOWN_RATIO_NONE,
	      "nodes that have been counted since later have no figures");
	check(!topdown_map_read_window(map, 3, 10, 2, &window, sizeof(window)) &&
	      window.figures.ratio[TOPDOWN_FETCH_LATENCY] == TOPDOWN_RATIO_NONE &&
	      window.figures.ratio[TOPDOWN_FRONTEND_BOUND] != TOPDOWN_RATIO_NONE,
	      "a window of before is read");
	unsetenv("FAKE_SINCE");
	topdown_map_close(map);

	setenv("FAKE_STUCK", "1", 1);
	map = map_fake();
	record.cpu = 99;
	check(topdown_map_read_record(map, 1, &record, sizeof(record), NULL) == -EAGAIN &&
	      record.cpu == 99 && !topdown_map_read_record(map, 0, &record, sizeof(record), NULL),
	      "a writer that does not go on is seen");
	unsetenv("FAKE_STUCK");
	unsetenv("FAKE_TICK");
	topdown_map_close(map);
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
	struct topdown_window window;
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
	check(changes && windows, "they were written meanwhile");
	topdown_map_close(map);
}

int main(void)
{
	ktap_begin(&ktap, 36);
	test_map_open();
	test_map_record();
	/* This test is the last, because its writer goes on reading the environment. */
	test_map_torn();
	return ktap_end(&ktap);
}
