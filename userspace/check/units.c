// SPDX-License-Identifier: GPL-2.0
/*
 * Lists of CPUs and numbers, against a naive model and at random.
 */
#include <stdlib.h>
#include <string.h>

#include "../../selftests/host/ktap.h"
#include "../cli/cpulist.h"
#include "../cli/parse.h"
#include "../cli/rows.h"

#define ROUNDS	20000

static struct ktap ktap;

static void check(bool ok, const char *name)
{
	ktap_result(&ktap, ok, name);
}

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
	check(parses("0", "0"), "one CPU");
	check(parses("0-3", "0-3"), "a range");
	check(parses("3,1,2,0", "0-3"), "any order");
	check(parses("5-5", "5"), "a range of one");
	check(parses("8191", "8191"), "the largest");
	check(parses("0-8191", "0-8191"), "all there can be");
	check(parses("0000000000000000000000000007", "7"), "leading zeros");
	check(parses("63-64,127,128", "63-64,127-128"), "across words");
	check(parses("8192", NULL), "beyond the largest");
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

/* What strtoull() makes of it, if nothing but digits is there. */
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
	check(lists, "random lists, written and read");
	check(numbers, "random numbers, as strtoull() has them");
}

static struct row row_of(uint32_t retiring, uint32_t bad, uint32_t front, uint32_t back)
{
	struct row row = { .state = TOPDOWN_STATE_OK };

	row.figures.ratio[TOPDOWN_RETIRING] = retiring;
	row.figures.ratio[TOPDOWN_BAD_SPECULATION] = bad;
	row.figures.ratio[TOPDOWN_FRONTEND_BOUND] = front;
	row.figures.ratio[TOPDOWN_BACKEND_BOUND] = back;
	row.figures.ratio[TOPDOWN_FETCH_LATENCY] = front / 4;
	row.figures.ratio[TOPDOWN_FETCH_BANDWIDTH] = front - front / 4;
	return row;
}

static void test_rows(void)
{
	struct row row = row_of(900, 10, 60, 30);
	double share = -1;

	check(row_bottleneck(&row) == TOPDOWN_FRONTEND_BOUND, "not retiring is the bottleneck");
	check(row_bottleneck_child(&row, TOPDOWN_FRONTEND_BOUND) == TOPDOWN_FETCH_BANDWIDTH,
	      "nor is it the smaller child");
	row = row_of(1000, 0, 0, 0);
	check(row_bottleneck(&row) == -1 && row_bottleneck_child(&row, -1) == -1,
	      "no bottleneck where no slot is lost");
	row = row_of(TOPDOWN_RATIO_NONE, TOPDOWN_RATIO_NONE, TOPDOWN_RATIO_NONE,
		     TOPDOWN_RATIO_NONE);
	check(row_bottleneck(&row) == -1, "no figure is no bottleneck");

	check(!row_running(&row, &share) && share == -1 && !row_partial(&row), "asleep");
	row.state = TOPDOWN_STATE_OFFLINE;
	check(!row_running(&row, &share) && share == -1 && row_partial(&row), "no time");
	row.state = TOPDOWN_STATE_OK;
	row.figures.enabled_ns = 1000;
	row.figures.running_ns = 1001;
	check(row_running(&row, &share) && share == 1 && !row_partial(&row), "never above 1");
	row.figures.running_ns = 989;
	check(row_partial(&row), "98.9% is partial");
	row.figures.running_ns = 990;
	check(!row_partial(&row), "99% is not");
	row.state = TOPDOWN_STATE_ERROR;
	check(row_partial(&row), "an error is");
}

int main(void)
{
	ktap_begin(&ktap, 21);
	test_lists();
	test_random();
	test_rows();
	return ktap_end(&ktap);
}
