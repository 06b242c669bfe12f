// SPDX-License-Identifier: GPL-2.0
/*
 * Sets of CPUs in libtopdown: which are refused, and their text.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <topdown.h>

#include "../check.h"

#define WORDS	TOPDOWN_CPUS_WORDS_MAX
#define ROUNDS	20000

/* Return: the error of all functions that take a set, if they agree; else 1. */
static int refused(struct topdown *td, const uint64_t *cpus, unsigned int words)
{
	const struct topdown_watch any = { .size = sizeof(any), .node = TOPDOWN_WATCH_ANY };
	struct topdown_reading *reading = NULL;
	uint32_t watch;
	int ret = topdown_reading_create(&reading, td, cpus, words);

	topdown_reading_destroy(reading);
	return topdown_watch_add(td, cpus, words, &any, &watch) == ret ? ret : 1;
}

static void test_refused(void)
{
	static uint64_t empty[2], some[] = { 5 }, many[WORDS + 1] = { 1 };
	struct topdown *td = NULL;

	setenv("FAKE_FEATURES", "31", 1);
	check(!topdown_open(&td, NODE), "the module has watches");
	check(!refused(td, NULL, 0), "all CPUs are a set");
	check(!refused(td, some, 1), "some CPUs are a set");
	check(!refused(td, many, WORDS), "the longest set is taken");
	check(refused(td, NULL, 5) == -EINVAL, "words without an address are refused");
	check(refused(td, some, 0) == -EINVAL, "an address without words is refused");
	check(refused(td, empty, 2) == -EINVAL, "an empty set is refused");
	check(refused(td, many, WORDS + 1) == -E2BIG, "too many words are refused");
	topdown_close(td);
	unsetenv("FAKE_FEATURES");
}

/* Read in @words words, and written again. */
static bool parses(const char *text, unsigned int words, const char *again)
{
	const char *where = "untouched";
	uint64_t cpus[WORDS];
	char written[64];

	memset(cpus, 0xff, sizeof(cpus));
	return !topdown_cpus_parse(text, cpus, words, &where) &&
	       !strcmp(where, "untouched") &&
	       topdown_cpus_text(cpus, words, written, sizeof(written)) == strlen(again) &&
	       !strcmp(written, again);
}

static void test_lists(void)
{
	check(parses("0", 1, "0"), "one CPU is parsed");
	check(parses("0-3", 1, "0-3"), "a range is parsed");
	check(parses("3,1,2,0", 1, "0-3"), "any order is parsed");
	check(parses("5-5", 1, "5"), "a range of one is parsed");
	check(parses("63-64,127,128", 3, "63-64,127-128"), "a range across words is parsed");
	check(parses("000000000000000000000000000000007", 1, "7"), "leading zeros are parsed");
	check(parses("8191", WORDS, "8191"), "the largest is parsed");
	check(parses("0-8191", WORDS, "0-8191"), "all there can be are parsed");
	check(parses("0-63", 1, "0-63"), "all of a word are parsed");
}

/* Refused with @error at offset @at, with the set of what comes before it. */
static bool refuses(const char *text, int error, long at, uint64_t before)
{
	uint64_t cpus[] = { -1ULL };
	const char *where = NULL;

	return topdown_cpus_parse(text, cpus, 1, &where) == error && where == text + at &&
	       cpus[0] == before && topdown_cpus_parse(text, cpus, 1, NULL) == error;
}

static void test_errors(void)
{
	static const char * const bad[] = {
		"", ",", "-", "-3", "x", "1-", "1-x", "1-2-3", "1x", "0x1", "+1", " 1", "1 ", "1\n",
		"all", "1;2", "4-3",
	};
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (!refuses(bad[i], -EINVAL, 0, 0))
			ktap_note("'%s':", bad[i]);
		check(refuses(bad[i], -EINVAL, 0, 0), "what is no list is refused");
	}
	check(refuses("1,", -EINVAL, 2, 2), "a comma at the end is refused");
	check(refuses("1,,2", -EINVAL, 2, 2), "two commas are refused");
	check(refuses("0-1,5-", -EINVAL, 4, 3), "a wrong second part is refused");
	check(refuses("0,2,4-3,9", -EINVAL, 4, 5), "a range from high to low is refused");
	check(refuses("1,64", -ERANGE, 2, 2), "a CPU beyond the words is refused");
	check(refuses("60-64", -ERANGE, 0, 0), "a range beyond the words is refused");
	check(refuses("18446744073709551616", -ERANGE, 0, 0), "a number of 65 bits is refused");
	check(refuses("0-18446744073709551615", -ERANGE, 0, 0), "a range of 2^64 is refused");
	check(refuses("1,0-3", -EEXIST, 2, 2), "a CPU that is named twice is refused");
}

static void test_text(void)
{
	const uint64_t some[] = { 0x10f, 1 }, none[] = { 0 };
	char text[16] = "unchanged";

	check(topdown_cpus_text(some, 2, NULL, 0) == 8, "the length alone can be asked");
	check(topdown_cpus_text(some, 2, text, 9) == 8 && !strcmp(text, "0-3,8,64"),
	      "just enough room suffices");
	check(topdown_cpus_text(some, 2, text, 8) == 8 && !strcmp(text, "0-3,8,6"),
	      "a text is cut");
	check(topdown_cpus_text(some, 2, text, 3) == 8 && !strcmp(text, "0-"),
	      "a text is cut in a range");
	check(topdown_cpus_text(some, 2, text, 1) == 8 && !*text, "no room is left alone");
	memset(text, 'x', sizeof(text));
	check(!topdown_cpus_text(none, 1, text, sizeof(text)) && !*text,
	      "an empty set has no text");
}

static bool round_trip(void)
{
	static char text[WORDS * 64 * 5];
	uint64_t cpus[WORDS] = { 0 }, again[WORDS];
	unsigned int i, n = 1 + rand() % 40;

	for (i = 0; i < n; i++) {
		unsigned int cpu = rand() % (WORDS * 64), run = 1 + rand() % 70;

		for (; run && cpu < WORDS * 64; run--, cpu++)
			cpus[cpu / 64] |= 1ULL << cpu % 64;
	}
	return topdown_cpus_text(cpus, WORDS, text, sizeof(text)) == strlen(text) &&
	       !topdown_cpus_parse(text, again, WORDS, NULL) &&
	       !memcmp(cpus, again, sizeof(cpus));
}

static void test_random(void)
{
	bool same = true;
	unsigned int i;

	srand(1);
	for (i = 0; i < ROUNDS; i++)
		same = same && round_trip();
	check(same, "random sets are read as they were written");
}

static struct topdown_reading *read_cpus(struct topdown *td, const uint64_t *cpus,
					 unsigned int words)
{
	struct topdown_reading *reading = NULL;

	if (topdown_reading_create(&reading, td, cpus, words) ||
	    topdown_reading_update(reading, 0)) {
		topdown_reading_destroy(reading);
		return NULL;
	}
	return reading;
}

/* The CPUs of a reading of all, as a list. */
static bool all_are(struct topdown *td, const char *list)
{
	struct topdown_reading *reading = read_cpus(td, NULL, 0);
	uint64_t cpus[WORDS] = { 0 };
	const struct topdown_record *sum;
	unsigned int i, nr;
	char text[64];
	bool same;

	if (!reading)
		return false;
	nr = topdown_reading_nr(reading);
	for (i = 0; i < nr; i++) {
		uint32_t cpu = topdown_reading_record(reading, i)->cpu;

		cpus[cpu / 64] |= 1ULL << cpu % 64;
	}
	sum = topdown_reading_find(reading, TOPDOWN_CPU_ALL);
	topdown_cpus_text(cpus, WORDS, text, sizeof(text));
	same = !strcmp(text, list) && sum && sum->cpu == TOPDOWN_CPU_ALL &&
	       !topdown_reading_record(reading, nr);
	topdown_reading_destroy(reading);
	return same;
}

static void say_present(const char *list)
{
	const char *name = getenv("FAKE_PRESENT");
	FILE *file = fopen(name, "w");

	fputs(list, file);
	fclose(file);
}

static void test_all(void)
{
	struct topdown_map_view *map = NULL;
	struct topdown_record record;
	struct topdown *td = NULL;

	setenv("FAKE_CPUS", "6", 1);
	setenv("FAKE_FEATURES", "31", 1);
	setenv("FAKE_HOLE", "1", 1);
	topdown_open(&td, NODE);
	check(all_are(td, "0,2-5"), "a CPU that there cannot be is not there");
	check(!topdown_map_open(&map, td) &&
	      topdown_map_read_record(map, 1, &record, sizeof(record), NULL) == -ENOENT &&
	      !topdown_map_read_record(map, 2, &record, sizeof(record), NULL),
	      "a map lacks a CPU that there cannot be");
	topdown_map_close(map);
	unsetenv("FAKE_HOLE");

	setenv("FAKE_ABSENT", "4", 1);
	say_present("0-3\n");
	check(all_are(td, "0-3,5"), "a CPU that has never been there is left out");
	setenv("FAKE_OFFLINE", "5", 1);
	check(all_are(td, "0-3,5"), "a CPU that has been there, and is offline, is kept");
	unsetenv("FAKE_OFFLINE");
	say_present("0-4\n");
	check(all_are(td, "0-5"), "a CPU that is plugged in is there");
	say_present("0-3");
	check(all_are(td, "0-5"), "all CPUs are there where the list was cut");
	say_present("x\n");
	check(all_are(td, "0-5"), "all CPUs are there if there is no list");
	remove(getenv("FAKE_PRESENT"));
	check(all_are(td, "0-5"), "CPUs are there if nobody knows");
	topdown_close(td);
}

/* A CPU that comes between two readings of all of them. */
static void test_arrival(void)
{
	const uint64_t absent[] = { 1 << 4 };
	struct topdown_reading *then, *now, *one;
	struct topdown_figures figures, rest;
	struct topdown *td = NULL;
	uint64_t slots = 0;
	unsigned int cpu;

	say_present("0-3\n");
	topdown_open(&td, NODE);
	one = read_cpus(td, absent, 1);
	check(one && topdown_reading_nr(one) == 1 &&
	      topdown_reading_find(one, 4)->state == TOPDOWN_STATE_OFFLINE,
	      "who asks for it is told that it is offline");
	then = read_cpus(td, NULL, 0);
	setenv("FAKE_ARRIVAL", "0", 1);
	now = read_cpus(td, NULL, 0);
	check(then && now && !topdown_reading_find(then, 4) && topdown_reading_find(now, 4),
	      "a CPU that comes is read");
	check(!topdown_reading_between(then, now, 4, 2, &figures) &&
	      figures.slots == topdown_reading_find(now, 4)->total.slots &&
	      figures.ratio[TOPDOWN_MEMORY_BOUND] == 300000000,
	      "a CPU that comes has all that it did");
	for (cpu = 0; cpu < 6; cpu++) {
		topdown_reading_between(then, now, cpu, 2, &rest);
		slots += rest.slots;
	}
	check(!topdown_reading_between(then, now, TOPDOWN_CPU_ALL, 2, &figures) &&
	      figures.slots == slots, "the sum has the slots of all");
	check(topdown_reading_between(then, now, 6, 2, &figures) == -ENOENT,
	      "one that never comes is left out");
	topdown_reading_destroy(then);
	topdown_reading_create(&then, td, NULL, 0);
	check(topdown_reading_between(then, now, 4, 2, &figures) == -ENOENT &&
	      topdown_reading_between(then, now, TOPDOWN_CPU_ALL, 2, &figures) == -ENOENT,
	      "nothing is between a reading and one that was not taken");
	topdown_reading_destroy(one);
	topdown_reading_destroy(then);
	topdown_reading_destroy(now);
	topdown_close(td);
	remove(getenv("FAKE_PRESENT"));
}

int main(void)
{
	ktap_begin(&ktap, 64);
	test_refused();
	test_lists();
	test_errors();
	test_text();
	test_random();
	test_all();
	test_arrival();
	return ktap_end(&ktap);
}
