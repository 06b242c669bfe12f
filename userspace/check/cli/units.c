// SPDX-License-Identifier: GPL-2.0
/*
 * Lists of CPUs and numbers, against a naive model and at random; what is said of a row.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "known.h"
#include "../check.h"
#include "cpulist.h"
#include "parse.h"
#include "rows.h"
#include "symbols.h"
#include "text.h"
#include "where-output.h"

#define ROUNDS	20000

static bool parses(const char *text, const char *again)
{
	struct cpulist list;
	char *written;
	bool same;

	if (!cpulist_parse(&list, "-C", text))
		return !again;
	written = cpulist_text(&list);
	same = again && written && !strcmp(written, again);
	free(written);
	return same;
}

static void test_lists(void)
{
	check(parses("0", "0"), "one CPU is a list");
	check(parses("0-3", "0-3"), "a range is a list");
	check(parses("3,1,2,0", "0-3"), "any order is a list");
	check(parses("5-5", "5"), "a range of one is a list");
	check(parses("8191", "8191"), "the largest is taken");
	check(parses("0-8191", "0-8191"), "all there can be are taken");
	check(parses("0000000000000000000000000007", "7"), "leading zeros are taken");
	check(parses("63-64,127,128", "63-64,127-128"), "a list goes across words");
	check(parses("8192", NULL), "a CPU beyond the largest is refused");
}

static bool round_trip(void)
{
	static const struct cpulist empty;
	struct cpulist list = { .words = { 0 } }, again;
	unsigned int i, n = rand() % 40;
	char *text;
	bool same;

	for (i = 0; i <= n; i++) {
		unsigned int cpu = rand() % CPULIST_MAX, run = rand() % 5;

		for (; run && cpu < CPULIST_MAX; run--)
			cpulist_set(&list, cpu++);
	}
	if (!memcmp(&list, &empty, sizeof(list)))
		return true;
	text = cpulist_text(&list);
	same = text && cpulist_parse(&again, "-C", text) &&
	       !memcmp(&list, &again, sizeof(list));
	free(text);
	return same;
}

/* Compare with strtoull(), which is right where the text has nothing but digits. */
static bool number_as_model(void)
{
	static const char letters[] = "00123456789999 +-x.";
	unsigned int i, n = rand() % 23;
	uint64_t value = 42, model;
	char text[32];
	bool valid;

	for (i = 0; i < n; i++)
		text[i] = letters[rand() % (sizeof(letters) - 1)];
	text[n] = '\0';
	valid = n && strspn(text, "0123456789") == n;
	model = valid ? strtoull(text, NULL, 10) : 0;
	valid = valid && model >= 10 && model <= 99999999;
	if (parse_number("-I", text, 10, 99999999, "things", &value) != valid)
		return false;
	return valid ? value == model : value == 42;
}

static void test_random(void)
{
	bool lists = true, numbers = true;
	unsigned int i;

	srand(1);
	for (i = 0; i < ROUNDS; i++) {
		lists = lists && round_trip();
		numbers = numbers && number_as_model();
	}
	check(lists, "random lists are read as they were written");
	check(numbers, "random numbers are as strtoull() has them");
}

static struct row row_of(unsigned int source, double retiring, double bad, double front,
			 double back)
{
	struct row row = { .kind = ROW_CPU, .state = TOPDOWN_STATE_OK, .source = source };
	uint32_t *ratio = row.figures.ratio;
	unsigned int i;

	for (i = 0; i < TOPDOWN_MAX_NODES; i++)
		ratio[i] = TOPDOWN_RATIO_NONE;
	ratio[TOPDOWN_RETIRING] = retiring * TOPDOWN_RATIO_ONE;
	ratio[TOPDOWN_BAD_SPECULATION] = bad * TOPDOWN_RATIO_ONE;
	ratio[TOPDOWN_FRONTEND_BOUND] = front * TOPDOWN_RATIO_ONE;
	ratio[TOPDOWN_BACKEND_BOUND] = back * TOPDOWN_RATIO_ONE;
	ratio[TOPDOWN_FETCH_LATENCY] = ratio[TOPDOWN_FRONTEND_BOUND] / 4;
	ratio[TOPDOWN_FETCH_BANDWIDTH] = ratio[TOPDOWN_FRONTEND_BOUND] / 4 * 3;
	return row;
}

static int marked(unsigned int source, double retiring, double bad, double front, double back)
{
	struct row row = row_of(source, retiring, bad, front, back);

	return row_bottleneck(&row);
}

static void test_bottlenecks(void)
{
	const unsigned int core = TOPDOWN_SOURCE_PERF_METRICS, amd = TOPDOWN_SOURCE_AMD;
	struct row row = row_of(core, 0.6, 0.05, 0.3, 0.05);

	check(row_bottleneck(&row) == TOPDOWN_FRONTEND_BOUND, "not retiring is the bottleneck");
	check(row_bottleneck_child(&row, TOPDOWN_FRONTEND_BOUND) == TOPDOWN_FETCH_BANDWIDTH,
	      "the smaller child is not marked");
	row = row_of(core, 0.7, 0.05, 0.2, 0.05);
	check(row_bottleneck_child(&row, TOPDOWN_FRONTEND_BOUND) == -1,
	      "a child below its threshold is not marked");
	check(row_bottleneck_child(&row, -1) == -1, "no bottleneck has no child");
	check(marked(core, 0.78, 0.02, 0.05, 0.15) == -1, "what retires 78% has no bottleneck");
	check(marked(core, 0.7, 0.05, 0.05, 0.2) == -1, "at the threshold is none");
	check(marked(core, 0.69, 0.05, 0.05, 0.21) == TOPDOWN_BACKEND_BOUND, "above it is one");
	check(marked(TOPDOWN_SOURCE_ATOM, 0.78, 0.02, 0.05, 0.15) == TOPDOWN_BACKEND_BOUND,
	      "Atom cores have thresholds of their own");
	check(marked(TOPDOWN_SOURCE_MIXED, 0.78, 0.02, 0.05, 0.15) == -1,
	      "cores of both kinds are over both");
	check(marked(amd, 0.4, 0.05, 0.1, 0.45) == TOPDOWN_BACKEND_BOUND &&
	      marked(amd, 0.45, 0.05, 0.1, 0.4) == -1, "AMD is marked for more than retires");
	row = row_of(amd, 0.1, 0.05, 0.0, 0.25);
	row.figures.ratio[TOPDOWN_SMT_CONTENTION] = TOPDOWN_RATIO_ONE / 10 * 6;
	check(row_bottleneck(&row) == TOPDOWN_SMT_CONTENTION, "the other thread may be it");
	row = row_of(core, 0, 0, 0, 0);
	memset(row.figures.ratio, 0xff, sizeof(row.figures.ratio));
	check(row_bottleneck(&row) == -1, "no figure is no bottleneck");
}

static struct row busy_row(double busy, double running)
{
	struct row row = row_of(TOPDOWN_SOURCE_PERF_METRICS, 0.2, 0.05, 0.05, 0.7);

	row.flags_known = true;
	row.time_ns = 1000000000;
	row.figures.enabled_ns = 1000000000;
	row.figures.running_ns = 1000000000 * running;
	row.figures.busy_ns = 1000000000 * busy;
	row_expect(&row);
	return row;
}

/* Where nothing can be said, nothing is marked. */
static void test_doubts(void)
{
	struct row row = busy_row(0.06, 1);

	check(row_doubt(&row) == ROW_JUDGED && row_bottleneck(&row) == TOPDOWN_BACKEND_BOUND,
	      "a CPU that is busy for 6% has a bottleneck");
	row = busy_row(0.04, 1);
	check(row_doubt(&row) == ROW_IDLE && row_bottleneck(&row) == -1 && !row_over(&row),
	      "one that is busy for 4% has none");
	row.kind = ROW_ALL;
	row.nr_cpus = 64;
	check(row_doubt(&row) == ROW_JUDGED, "two and a half busy CPUs of 64 have one");
	row.figures.busy_ns = 3000000;
	check(row_doubt(&row) == ROW_IDLE, "64 CPUs that are busy for 0.3% have none");
	row.time_ns = 0;
	check(row_doubt(&row) == ROW_JUDGED, "nobody knows how busy they were");
	row = busy_row(1, 0.48);
	check(row_doubt(&row) == ROW_LITTLE && row_bottleneck(&row) == -1,
	      "less than half of the time says too little");
	row = busy_row(1, 0.52);
	check(row_doubt(&row) == ROW_JUDGED, "more than half of it is enough");
	row = busy_row(1, 0.2);
	row.flags = TOPDOWN_RECORD_SCALED;
	row.turns = 4;
	row_expect(&row);
	check(row_doubt(&row) == ROW_JUDGED, "a turn of four is as long as expected");
	row.figures.running_ns = 100000000;
	check(row_doubt(&row) == ROW_LITTLE, "less than half a turn is not");
	row = row_of(TOPDOWN_SOURCE_MIXED, 0.2, 0.05, 0.05, 0.7);
	row.figures.ratio[TOPDOWN_CORE_BOUND] = TOPDOWN_RATIO_ONE / 5;
	check(row_bottleneck(&row) == TOPDOWN_BACKEND_BOUND &&
	      row_bottleneck_child(&row, TOPDOWN_BACKEND_BOUND) == -1,
	      "of cores of two kinds no child is the largest");
	row.source = TOPDOWN_SOURCE_PERF_METRICS;
	row.figures.ratio[TOPDOWN_MEMORY_BOUND] = TOPDOWN_RATIO_ONE / 2;
	check(row_bottleneck_child(&row, TOPDOWN_BACKEND_BOUND) == TOPDOWN_MEMORY_BOUND,
	      "of cores of one kind one is");
}

/* A node by what follows "tma_" in its name; -1 for none. */
static int node_of(const char *name, size_t length)
{
	unsigned int node;

	for (node = 0; node < TD_NR_NODES; node++) {
		const char *known = topdown_node_name(node) + strlen("tma_");

		if (strlen(known) == length && !strncmp(known, name, length))
			return node;
	}
	return -1;
}

static uint32_t nodes_of(const char *text)
{
	uint32_t nodes = 0;

	while (*text && *text != '\n') {
		size_t length = strcspn(text, "|\n");

		nodes |= 1U << node_of(text, length);
		text += length + (text[length] == '|');
	}
	return nodes;
}

/* The columns are in the order of the nodes. */
static bool line_as_published(char *line)
{
	struct row row = row_of(TOPDOWN_SOURCE_PERF_METRICS, 0, 0, 0, 0);
	char *name = strsep(&line, ","), *value;
	unsigned int node;
	uint32_t over;

	if (!strcmp(strsep(&line, ","), "atom"))
		row.source = TOPDOWN_SOURCE_ATOM;
	for (node = 0; node <= TOPDOWN_RESOURCE_BOUND; node++) {
		value = strsep(&line, ",");
		row.figures.ratio[node] = *value ? atof(value) * TOPDOWN_RATIO_ONE :
						   TOPDOWN_RATIO_NONE;
	}
	over = row_over(&row);
	if (over == nodes_of(line))
		return true;
	printf("# %s: %#x is over, not %s", name, over, line);
	return false;
}

static void test_published(const char *name)
{
	unsigned int wrong = 0, lines = 0;
	FILE *file = fopen(name, "re");
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		if (*line == '#' || !strncmp(line, "case,", 5))
			continue;
		wrong += !line_as_published(line);
		lines++;
	}
	if (file)
		fclose(file);
	printf("# %u lines\n", lines);
	check(!wrong && lines > 150, "nodes over their thresholds are as published");
}

static void test_rows(void)
{
	struct row row = row_of(TOPDOWN_SOURCE_PERF_METRICS, 0, 0, 0, 0);
	double share = -1;

	row.flags_known = true;
	check(!row_running(&row, &share) && share == -1 && !row_partial(&row),
	      "a CPU that slept has no share");
	row.state = TOPDOWN_STATE_OFFLINE;
	check(!row_running(&row, &share) && share == -1 && row_partial(&row),
	      "a CPU without time is partial");
	row.state = TOPDOWN_STATE_OK;
	row.figures.enabled_ns = 1000;
	row.figures.running_ns = 1001;
	check(row_running(&row, &share) && share == 1 && !row_partial(&row),
	      "a share is never above 1");
	row.figures.running_ns = 989;
	check(row_partial(&row), "98.9% is partial");
	row.flags = TOPDOWN_RECORD_SCALED;
	check(!row_partial(&row), "it is not partial if groups take turns");
	row.flags_known = false;
	row.source = TOPDOWN_SOURCE_GENERIC;
	check(!row_partial(&row), "a row is whole if groups may take turns");
	row.source = TOPDOWN_SOURCE_PERF_METRICS;
	check(row_partial(&row), "as one group cannot");
	row.figures.running_ns = 990;
	check(!row_partial(&row), "99% is not");
	row.state = TOPDOWN_STATE_ERROR;
	check(row_partial(&row), "an error is");
}

static void test_joined(void)
{
	struct cpulist list = { .words = { 0 } };
	char *text;

	check(cpulist_join(&list, "-C", "1-2") && cpulist_join(&list, "-C", "5") &&
	      cpulist_join(&list, "-C", "2,5,1-2"), "lists are joined, also with the same CPUs");
	text = cpulist_text(&list);
	check(text && !strcmp(text, "1-2,5"), "joined lists have the text of all");
	free(text);
}

static bool time_is(const char *text, uint64_t ms)
{
	uint64_t value = 42;

	return parse_time("-I", text, 10, 3600000, &value) == !!ms && value == (ms ? ms : 42);
}

static void test_times(void)
{
	check(time_is("10", 10) && time_is("10ms", 10) && time_is("1s", 1000) &&
	      time_is("2m", 120000) && time_is("1h", 3600000), "times have units");
	check(time_is("0.5s", 500) && time_is("1.5s", 1500) && time_is("0.25m", 15000) &&
	      time_is("0.001s", 0) && time_is("10.000ms", 10) && time_is("10.5ms", 0) &&
	      time_is("0.0104s", 0) && time_is("1.s", 0) && time_is("0.999h", 3596400),
	      "times have decimals that are whole milliseconds");
	check(time_is("9ms", 0) && time_is("2h", 0) && time_is("3601s", 0) && time_is("1d", 0) &&
	      time_is("18446744073709551617s", 0), "times have their limits");
}

static bool integer_is_printed(uint64_t number)
{
	char text[NUMBER_SIZE], printed[NUMBER_SIZE];

	snprintf(printed, sizeof(printed), "%" PRIu64, number);
	return integer_text(text, number) == strlen(printed) && !strcmp(text, printed);
}

/* To half a unit of the last digit, in as many characters. */
static bool number_is_printed(double number, unsigned int digits)
{
	char text[NUMBER_SIZE];
	size_t length = number_text(text, number, digits);
	const char *point = strchr(text, '.');
	double unit = pow(10, -(double)digits);

	if (length != strlen(text) || fabs(strtod(text, NULL) - number) > 0.500001 * unit)
		return false;
	return digits ? point && strlen(point + 1) == digits : !point;
}

/* A random number of up to @bits bits. */
static uint64_t random_of(unsigned int bits)
{
	uint64_t all = (uint64_t)random() << 62 ^ (uint64_t)random() << 31 ^ (uint64_t)random();

	return all >> (64 - bits);
}

static void test_numbers(void)
{
	bool integers = integer_is_printed(0) && integer_is_printed(UINT64_MAX);
	bool numbers = number_is_printed(0, 0) && number_is_printed(0.999999999, 9);
	uint64_t power = 1;
	unsigned int i;

	for (i = 0; i < 20; i++, power *= 10)
		integers = integers && integer_is_printed(power) && integer_is_printed(power - 1);
	for (i = 0; i < ROUNDS; i++) {
		/* The sum of a double of 53 bits and half a unit is exact. */
		uint64_t whole = random_of(1 + i % 50);
		unsigned int digits = i % 10;

		integers = integers && integer_is_printed(random_of(1 + i % 64));
		numbers = numbers && number_is_printed(whole / pow(10, digits), digits) &&
			  number_is_printed((double)random() / RAND_MAX, digits);
	}
	check(integers, "whole numbers are as printf() has them");
	check(numbers, "numbers with digits are so to half a unit");
}

static bool change_is(double change, const char *unit, const char *wanted)
{
	char text[NUMBER_SIZE];

	change_text(text, sizeof(text), change, unit);
	return !strcmp(text, wanted);
}

static void test_changes(void)
{
	check(change_is(0.25, "", "+0.25") && change_is(-12.5, "%", "-12.50%"),
	      "a difference has a sign");
	check(change_is(0, "", "0.00") && change_is(-0.0, "", "0.00") &&
	      change_is(0.004, "%", "0.00%") && change_is(-0.004, "%", "0.00%"),
	      "one that rounds to zero has none, whichever it had");
	check(change_is(0.006, "", "+0.01") && change_is(-0.006, "", "-0.01"),
	      "one that does not has its own");
	check(change_is(INFINITY, "%", "+inf%"), "what has no digits is not zero");
}

static bool misses_on(const struct topdown_stalls_event *event, bool cpus, const char *text)
{
	char why[256] = "";
	bool missing = where_missing(event, cpus, why, sizeof(why));

	if (missing != !!text || (text && strcmp(why, text)))
		printf("# '%s'\n", why);
	return missing == !!text && (!text || !strcmp(why, text));
}

static bool misses(const struct topdown_stalls_event *event, const char *text)
{
	return misses_on(event, false, text);
}

static void test_missing(void)
{
	static const char * const why[] = {
		"not opened: Operation not supported (the processor, its hypervisor or the kernel lacks it)",
		"not opened: Too many open files (raise 'ulimit -n', or sample fewer CPUs by -C)",
		"counted 1,234 events, but no sample at this rate (--rate; a hypervisor may hide samples)",
		"not opened: No such device or address (a register that it needs is not there: a hypervisor may hide it)",
	};
	const struct topdown_stalls_event happened = {
		.enabled_ns = 1, .running_ns = 1, .counted = 1234,
	}, sampled = {
		.enabled_ns = 1, .running_ns = 1, .counted = 9, .samples = 1,
	};

	check(misses(&(struct topdown_stalls_event){ .error = EOPNOTSUPP }, why[0]),
	      "an event that was not opened is named");
	check(misses(&(struct topdown_stalls_event){ .error = EMFILE, .samples = 1 }, why[1]),
	      "an event without descriptors on the other CPUs is named");
	check(misses(&(struct topdown_stalls_event){ .error = ENXIO }, why[3]),
	      "an event whose register a hypervisor hides is named");
	check(misses(&(struct topdown_stalls_event){ .counted = 0 },
		     "opened, but nothing ran that it could count"),
		     "an event is named if nothing ran");
	check(misses(&(struct topdown_stalls_event){ .enabled_ns = 1 },
		     "opened, but no time on a counter (others have them)"),
		     "an event without a counter is named");
	check(misses(&(struct topdown_stalls_event){ .enabled_ns = 1, .running_ns = 1500000000 },
		     "counted for 1.500 s, and never happened"), "it never happened");
	check(misses_on(&(struct topdown_stalls_event){ .enabled_ns = 1, .running_ns = 1500000000 },
			true, "counted for 1.500 s (all CPUs together), and never happened"),
	      "an event that happened on no CPU is named");
	check(misses(&happened, why[2]), "it happened");
	check(misses(&sampled, NULL), "it has a sample");
}

static bool demangles(const char *name, const char *wanted)
{
	char *text = where_demangle(name);
	bool same = text && !strcmp(text, wanted);

	if (!same)
		printf("# %s is %s\n", name, text);
	free(text);
	return same;
}

static void test_demangled(void)
{
	check(demangles("main", "main"), "a name of C stays");
	check(demangles("_ZNSt6vectorIiSaIiEE9push_backEOi",
			"std::vector<int, std::allocator<int> >::push_back(int&&)"),
			"a name of C++ is demangled");
	check(demangles("_ZN4core3ptr13drop_in_place17h0123456789abcdefE",
			"core::ptr::drop_in_place"), "a name of Rust loses its hash");
	check(demangles("_RNvCs1234_7mycrate3foo", "mycrate::foo"),
	      "a name of newer Rust is demangled");
	check(demangles("_Zfoo", "_Zfoo") && demangles("_R", "_R"), "a name of nobody stays");
}

int main(int argc, char **argv)
{
	ktap_begin(&ktap, 69);
	test_lists();
	test_joined();
	test_random();
	test_times();
	test_numbers();
	test_changes();
	test_bottlenecks();
	test_doubts();
	test_published(argc > 1 ? argv[1] : "thresholds.csv");
	test_rows();
	test_missing();
	test_demangled();
	return ktap_end(&ktap);
}
