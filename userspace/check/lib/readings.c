// SPDX-License-Identifier: GPL-2.0
/*
 * Readings of libtopdown: sets of CPUs, updates by the module and from the map, and the
 * figures between two of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

static void test_sets(void)
{
	static const uint64_t empty[2], some[] = { 0x5 }, far[] = { 0, 1 };
	static uint64_t many[TOPDOWN_CPUS_WORDS_MAX + 1];
	struct topdown_reading *reading = NULL;
	struct topdown *td = open_fake();

	many[0] = 1;
	check(topdown_reading_create(&reading, td, empty, 2) == -EINVAL, "an empty set is refused");
	check(topdown_reading_create(&reading, td, some, 0) == -EINVAL,
	      "a set without words is refused");
	check(topdown_reading_create(&reading, td, NULL, 1) == -EINVAL,
	      "words without an address are refused");
	check(topdown_reading_create(&reading, td, many, TOPDOWN_CPUS_WORDS_MAX + 1) == -E2BIG,
	      "too many words are refused");
	check(!reading, "the reading is untouched by errors");

	check(!topdown_reading_create(&reading, td, some, 1), "a set is taken");
	check(!topdown_reading_nr(reading) && !topdown_reading_time(reading) &&
	      !topdown_reading_record(reading, 0) && !topdown_reading_find(reading, 0) &&
	      !topdown_reading_find(reading, TOPDOWN_CPU_ALL),
	      "a reading is empty before the update");
	check(!topdown_reading_update(reading, TOPDOWN_READ_FRESH), "an update reads");
	check(topdown_reading_nr(reading) == 2 && topdown_reading_record(reading, 1)->cpu == 2 &&
	      !topdown_reading_record(reading, 2), "records are those of the set");
	check(topdown_reading_find(reading, 2) == topdown_reading_record(reading, 1) &&
	      !topdown_reading_find(reading, 1) && !topdown_reading_find(reading, 3),
	      "a record is found by its CPU");
	check(topdown_reading_find(reading, TOPDOWN_CPU_ALL)->nr_cpus == 2, "the sum is found");
	topdown_reading_destroy(reading);

	check(!topdown_reading_create(&reading, td, far, 2) &&
	      !topdown_reading_update(reading, 0) && !topdown_reading_nr(reading),
	      "a reading may have the sum alone");
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
	      "more CPUs than INFO said are read");
	unsetenv("FAKE_GROW");
	setenv("FAKE_EINTR", "1", 1);
	check(!topdown_reading_update(reading, 0) && topdown_reading_nr(reading) == 4,
	      "an interrupted call is repeated, and fewer CPUs are read");
	unsetenv("FAKE_EINTR");

	slots = topdown_reading_find(reading, 1)->total.slots;
	time = topdown_reading_time(reading);
	setenv("FAKE_READ_ERRNO", "14", 1);
	check(topdown_reading_update(reading, 0) == -EFAULT, "a failed update is seen");
	unsetenv("FAKE_READ_ERRNO");
	check(topdown_reading_find(reading, 1)->total.slots == slots &&
	      topdown_reading_time(reading) == time, "a failed update leaves the records");
	check(topdown_reading_update(reading, 1U << 9) == -EOPNOTSUPP,
	      "an unknown flag is refused");
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

	topdown_reading_create(&then, td, NULL, 0);
	topdown_reading_create(&now, td, NULL, 0);
	topdown_reading_create(&one, td, first, 1);
	topdown_reading_update(one, 0);
	topdown_reading_update(then, 0);
	topdown_reading_update(now, 0);

	check(!topdown_reading_between(then, now, 2, 2, &figures) &&
	      figures.slots == 5880000000ULL && figures.enabled_ns == 1000000000ULL,
	      "slots and time are those of one step");
	check(figures.node[TOPDOWN_RETIRING] == 2352000000ULL &&
	      figures.ratio[TOPDOWN_RETIRING] == 400000000 &&
	      figures.ratio[TOPDOWN_MEMORY_BOUND] == 300000000, "nodes have slots and ratios");
	check(!topdown_reading_between(then, now, 2, 1, &figures) &&
	      figures.ratio[TOPDOWN_RETIRING] == 400000000 &&
	      figures.ratio[TOPDOWN_MEMORY_BOUND] == TOPDOWN_RATIO_NONE,
	      "level 1 comes alone if asked for");
	check(!topdown_reading_between(then, now, TOPDOWN_CPU_ALL, 2, &figures) &&
	      is_sum(&figures, then, now), "the sum of all CPUs has figures");
	check(!topdown_reading_between(now, now, 0, 2, &figures) && !figures.slots &&
	      figures.ratio[TOPDOWN_RETIRING] == TOPDOWN_RATIO_NONE,
	      "without time there is no ratio");

	memset(&figures, 0x55, sizeof(figures));
	kept = figures;
	check(topdown_reading_between(now, then, 0, 2, &figures) == -ERANGE,
	      "a wrong order is refused");
	check(topdown_reading_between(then, now, 9, 2, &figures) == -ENOENT,
	      "an unknown CPU is refused");
	check(topdown_reading_between(one, now, 1, 2, &figures) == -ENOENT,
	      "a CPU that one lacks is refused");
	check(topdown_reading_between(one, now, TOPDOWN_CPU_ALL, 2, &figures) == -ENOENT,
	      "sums over other sets are refused");
	check(!memcmp(&figures, &kept, sizeof(figures)), "figures are untouched by errors");
	topdown_reading_destroy(one);
	topdown_reading_destroy(now);
	topdown_reading_destroy(then);
	topdown_close(td);
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
	check(!topdown_reading_update_map(then, map, 0) && topdown_reading_nr(then) == 4 &&
	      topdown_reading_time(then), "a reading of the map succeeds");
	record = topdown_reading_find(then, 2);
	check(record && record->cpu == 2 && record->windows == 10 &&
	      record->total.slots == 58800000000ULL &&
	      record->total.ratio[TOPDOWN_RETIRING] == TOPDOWN_RATIO_NONE &&
	      !topdown_reading_find(then, TOPDOWN_CPU_ALL),
	      "its records have neither ratios nor sum");
	check(!topdown_reading_update_map(now, map, 0) &&
	      !topdown_reading_between(then, now, TOPDOWN_CPU_ALL, 2, &figures) &&
	      !figures.slots && figures.ratio[TOPDOWN_RETIRING] == TOPDOWN_RATIO_NONE,
	      "nothing changes while all sleep");
	/* The map goes on by a step. */
	check(!topdown_reading_update(now, TOPDOWN_READ_FRESH) &&
	      !topdown_reading_between(then, now, 2, 2, &figures) &&
	      figures.slots == 5880000000ULL, "a reading by the module changes it");
	check(!topdown_reading_update_map(then, map, 0) &&
	      topdown_reading_find(then, 2)->windows == 11 &&
	      topdown_reading_find(then, 3)->total.slots == 11 * 5820000000ULL,
	      "records that changed are read");
	topdown_reading_update(now, TOPDOWN_READ_FRESH);
	check(!topdown_reading_update_map(now, map, 0) &&
	      !topdown_reading_between(then, now, TOPDOWN_CPU_ALL, 2, &figures) &&
	      is_sum(&figures, then, now) && figures.slots == 23640000000ULL &&
	      figures.ratio[TOPDOWN_RETIRING] == 400000000, "the sum has what changed");
	check(!topdown_reading_update_map(then, map, TOPDOWN_READ_FRESH) &&
	      topdown_reading_find(then, 2)->windows == 13 &&
	      !topdown_reading_between(now, then, TOPDOWN_CPU_ALL, 2, &figures) &&
	      figures.slots == 23640000000ULL &&
	      topdown_reading_find(then, 2)->total.ratio[0] == TOPDOWN_RATIO_NONE,
	      "figures go until now, and come from the map");
	check(topdown_reading_update_map(now, map, TOPDOWN_READ_TOTAL) == -EINVAL &&
	      !topdown_reading_nr(now), "no other flag is taken");
	setenv("FAKE_READ_ERRNO", "13", 1);
	check(topdown_reading_update_map(then, map, TOPDOWN_READ_FRESH) == -EACCES &&
	      !topdown_reading_nr(then), "who may not ask has no reading");
	unsetenv("FAKE_READ_ERRNO");
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
	check(topdown_reading_update_map(now, map, 0) == -EAGAIN && !topdown_reading_nr(now),
	      "a writer that does not go on leaves it empty");
	unsetenv("FAKE_STUCK");
	topdown_map_close(map);
	topdown_map_open(&map, td);
	check(!topdown_reading_update_map(now, map, 0) && topdown_reading_nr(now) == 3 &&
	      !topdown_reading_find(now, 2) && topdown_reading_find(now, 3),
	      "a number that no CPU has is left out");
	unsetenv("FAKE_HOLE");
	unsetenv("FAKE_TICK");
	topdown_reading_destroy(now);
	topdown_map_close(map);
	topdown_close(td);
}

int main(void)
{
	ktap_begin(&ktap, 38);
	test_sets();
	test_update();
	test_between();
	setenv("FAKE_FEATURES", "31", 1);
	test_reading_map();
	return ktap_end(&ktap);
}
