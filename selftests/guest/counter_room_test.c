// SPDX-License-Identifier: GPL-2.0
/*
 * Groups of ordinary counters, and somebody who takes counters away: the groups
 * get smaller until they have their turns and stay so, and grow again when the
 * counters are free.
 *
 * TOPDOWN_GROW_MS     how long they may take to grow (100000)
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../kselftest.h"
#include "guest.h"

#define SOURCES		TD_SYSFS "/sources"
#define PERIOD_MS	"200"

/* All that a CPU may have, and what is left of them. */
#define COUNTERS_MAX	16
#define COUNTERS_LEFT	3

#define LOOK_MS		50
#define SETTLE_MS	8000
#define STAY_MS		6000
/* The first retry would come after 64 s. */
#define HOLD_MS		70000

struct text {
	char line[256];
};

static struct text first_line(const char *path)
{
	FILE *file = fopen(path, "re");
	struct text text = { };

	if (!file)
		return text;
	if (!fgets(text.line, sizeof(text.line), file))
		text.line[0] = '\0';
	fclose(file);
	text.line[strcspn(text.line, "\n")] = '\0';
	return text;
}

/* The source of CPU 0, without the numbers of the CPUs before the colon. */
static struct text source(void)
{
	struct text line = first_line(SOURCES), text = { };
	const char *colon = strchr(line.line, ':');

	if (colon)
		snprintf(text.line, sizeof(text.line), "%s", colon + 1);
	return text;
}

/* How often it changes in so long; ends with the first that is @until. */
static unsigned int changes(unsigned int ms, const struct text *until)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + ms * 1000000ULL;
	struct text last = source(), now;
	unsigned int n = 0;

	while (clock_ns(CLOCK_MONOTONIC) < end && (!until || strcmp(last.line, until->line))) {
		sleep_ms(LOOK_MS);
		now = source();
		if (!strcmp(now.line, last.line))
			continue;
		n++;
		ksft_print_msg("now %s\n", now.line);
		last = now;
	}
	return n;
}

/* As many as there are. */
static unsigned int take_counters(int *fd)
{
	unsigned int n = 0;

	while (n < COUNTERS_MAX) {
		fd[n] = counter_take(0);
		if (fd[n] < 0)
			break;
		n++;
	}
	return n;
}

static void give_back(const int *fd, unsigned int nr)
{
	while (nr--)
		close(fd[nr]);
}

static unsigned int take_all_but_some(int *fd)
{
	unsigned int n = take_counters(fd), left;

	for (left = 0; left < COUNTERS_LEFT && n; left++)
		close(fd[--n]);
	return n;
}

/* They have their turns now, so something is counted, and they stay as they are. */
static void test_smaller(int device, const struct text *before)
{
	struct topdown_record then = { }, now = { };
	struct text after;
	uint64_t running_ns;
	unsigned int n;

	n = changes(SETTLE_MS, NULL);
	after = source();
	ksft_print_msg("%u changes, then %s\n", n, after.line);
	ksft_test_result(n && strcmp(after.line, before->line),
			 "groups_are_smaller_without_counters\n");

	n = changes(STAY_MS / 2, NULL);
	device_read_cpu(device, TOPDOWN_READ_FRESH, 0, &then);
	n += changes(STAY_MS / 2, NULL);
	device_read_cpu(device, TOPDOWN_READ_FRESH, 0, &now);
	running_ns = now.total.running_ns - then.total.running_ns;
	ksft_print_msg("%u changes, state %u, counted in %llu ms\n", n, now.state,
		       (unsigned long long)running_ns / 1000000);
	ksft_test_result(!n && running_ns, "and_they_stay_so\n");
}

/* Full size is not tried again as long as those who have the counters keep them. */
static void test_no_retry_beside_holders(int device)
{
	struct topdown_record then = { }, now = { };
	unsigned int n;
	double share;

	device_read_cpu(device, TOPDOWN_READ_FRESH, 0, &then);
	n = changes(HOLD_MS, NULL);
	device_read_cpu(device, TOPDOWN_READ_FRESH, 0, &now);
	share = (double)(now.total.running_ns - then.total.running_ns) /
		(now.total.enabled_ns - then.total.enabled_ns);
	ksft_print_msg("%u changes in %u s, counted for %.1f%%\n", n, HOLD_MS / 1000, 100 * share);
	ksft_test_result(!n && share > 0, "nothing_is_retried_while_they_are_held\n");
}

static void test_grow(const struct text *before, unsigned int limit_ms)
{
	struct text after;

	changes(limit_ms, before);
	after = source();
	ksft_test_result(!strcmp(after.line, before->line),
			 "groups_are_larger_with_counters\n");
}

int main(void)
{
	int fd[COUNTERS_MAX], device, worker, ret = module_need();
	struct topdown_info info;
	struct text before;
	unsigned int n;

	if (ret)
		return ret;
	device = device_open();
	if (device < 0 || device_info(device, &info))
		ksft_exit_fail_msg("cannot use " TD_DEVICE "\n");
	if (info.out_source == TOPDOWN_SOURCE_PERF_METRICS)
		ksft_exit_skip("this machine has PERF_METRICS\n");
	close(device);
	if (module_unload() || module_load("period_ms=" PERIOD_MS))
		ksft_exit_fail_msg("cannot load the module anew\n");
	device = device_open();
	ksft_print_header();
	ksft_set_plan(4);
	worker = spin_start(0, &profiles[0].profile);
	/* By then the machine has taken the counters that it needs for itself. */
	sleep_ms(SETTLE_MS / 2);
	before = source();
	ksft_print_msg("%s\n", before.line);

	n = take_all_but_some(fd);
	ksft_print_msg("%u counters taken\n", n);
	test_smaller(device, &before);
	test_no_retry_beside_holders(device);
	give_back(fd, n);
	test_grow(&before, env_number("TOPDOWN_GROW_MS", 100000));
	spin_stop(worker);
	ksft_finished();
}
