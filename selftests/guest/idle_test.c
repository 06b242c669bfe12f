// SPDX-License-Identifier: GPL-2.0
/*
 * The module's timers: they do not wake an idle CPU, and on a busy one no window
 * is longer than the period.
 *
 * TOPDOWN_SPAN_MS     length of a measurement (4000; with TOPDOWN_FULL 10000)
 */
#include <ctype.h>
#include <dirent.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../kselftest.h"
#include "guest.h"

#define HISTORY		4096
/* Wake-ups of a CPU in a second that we may add: none, but others differ. */
#define LIMIT_WAKEUPS	3
/*
 * The same of all idle CPUs.  The kernel's own differ by up to 10: its jobs of each five minutes
 * are 20 in one measurement of two.  Timers of 100 ms on two CPUs would add 20 and their ticks.
 */
#define LIMIT_ALL	18
/* The same of accesses to the PMU. */
#define LIMIT_ACCESSES	100

/* Groups that are too large for the counters that the watchdog leaves are made again by then. */
#define SETTLE_MS	2000

/*
 * So many measurements of a CPU with the module, and as many without.  The kernel's own timers
 * wake it about six times a second, or another one instead.
 */
#define MEASUREMENTS	6

/*
 * Wake-ups in a second of the CPUs that this program is not on, one for each measurement, and the
 * sum of their accesses to registers of the PMU in a second.
 */
struct wakeups {
	double rate[TD_CPUS_MAX];
	unsigned int nr;
	double accesses;
};

static unsigned int cpus[TD_CPUS_MAX], cpus_nr, turns, span_ms;

static int compare_doubles(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

/*
 * kcompactd and rcu_preempt wake the CPU that they are on, for minutes, five to seven times a
 * second.  Where two CPUs are all, that one is the one that is measured, or it is not, as the
 * scheduler likes.  So all tasks that are there before the module is loaded keep to our CPU,
 * until the end; the kernel refuses that for threads of one CPU and for workers.
 */
static void tasks_to(const cpu_set_t *set)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	if (!proc)
		ksft_exit_fail_msg("no /proc\n");
	while ((entry = readdir(proc))) {
		if (isdigit((unsigned char)entry->d_name[0]))
			sched_setaffinity(atoi(entry->d_name), sizeof(*set), set);
	}
	closedir(proc);
}

static void tasks_aside(bool aside)
{
	unsigned int i;
	cpu_set_t set;

	CPU_ZERO(&set);
	for (i = 0; i < (aside ? 1 : cpus_nr); i++)
		CPU_SET(cpus[i], &set);
	tasks_to(&set);
}

static double wakeups_all(const struct wakeups *seen)
{
	double sum = 0;
	unsigned int i;

	for (i = 0; i < seen->nr; i++)
		sum += seen->rate[i];
	return sum / turns;
}

/*
 * The module's timers are the same on all CPUs and in all measurements, so the median has them
 * too.  Some have what the kernel does: each five minutes mce_timer_fn() and the workers that have
 * had nothing to do wake all CPUs.
 */
static double wakeups_median(struct wakeups *seen)
{
	qsort(seen->rate, seen->nr, sizeof(*seen->rate), compare_doubles);
	return (seen->rate[(seen->nr - 1) / 2] + seen->rate[seen->nr / 2]) / 2;
}

static uint64_t accesses_of(const struct td_bd_truth *truth)
{
	return truth->rdmsr + truth->wrmsr + truth->rdpmc;
}

/* Measure once more. */
static void wakeups_look(struct wakeups *seen)
{
	static struct td_bd_truth then[TD_CPUS_MAX], now;
	double seconds;
	unsigned int i;

	cpu_pin(cpus[0]);
	for (i = 1; i < cpus_nr; i++)
		backdoor_truth_cpu(cpus[i], &then[i]);
	sleep_ms(span_ms);
	for (i = 1; i < cpus_nr; i++) {
		backdoor_truth_cpu(cpus[i], &now);
		seconds = (now.time_ns - then[i].time_ns) / 1e9;
		seen->rate[seen->nr++] = (now.wakeups - then[i].wakeups) / seconds;
		seen->accesses += (accesses_of(&now) - accesses_of(&then[i])) / seconds / turns;
	}
}

static void reload(const char *params)
{
	if (module_loaded() && module_unload())
		ksft_exit_fail_msg("cannot unload the module\n");
	if (params && module_load(params))
		ksft_exit_fail_msg("cannot load the module with %s\n", params);
}

/* Measured in turns, so that what settles in between falls on both. */
static void test_idle(const char *params)
{
	static struct wakeups with, without;
	unsigned int i;

	memset(&with, 0, sizeof(with));
	memset(&without, 0, sizeof(without));
	for (i = 0; i < turns; i++) {
		reload(NULL);
		tasks_aside(true);
		sleep_ms(SETTLE_MS);
		wakeups_look(&without);
		reload(params);
		sleep_ms(SETTLE_MS);
		wakeups_look(&with);
	}
	ksft_test_result(wakeups_median(&with) <= wakeups_median(&without) + LIMIT_WAKEUPS &&
			 wakeups_all(&with) <= wakeups_all(&without) + LIMIT_ALL,
			 "idle CPUs, %s: a CPU has %.1f wake-ups a second with the module, %.1f without; all of them %.1f and %.1f\n",
			 params, wakeups_median(&with), wakeups_median(&without),
			 wakeups_all(&with), wakeups_all(&without));
	ksft_test_result(with.accesses <= without.accesses + LIMIT_ACCESSES,
			 "idle CPUs, %s: they access the PMU %.1f times a second with the module, %.1f without\n",
			 params, with.accesses, without.accesses);
}

/* Lengths of the windows of a CPU that closed in a span, in ms; how many. */
static unsigned int window_lengths(int device, unsigned int cpu, double *ms)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + span_ms * 1000000ULL;
	struct topdown_record record;
	uint64_t seen = 0;
	unsigned int n = 0;

	while (clock_ns(CLOCK_MONOTONIC) < end && n < HISTORY) {
		if (device_read_cpu(device, 0, cpu, &record))
			break;
		/* The first was there before the load was. */
		if (record.windows != seen && seen)
			ms[n++] = record.window.enabled_ns / 1e6;
		seen = record.windows;
		sleep_ms(1);
	}
	return n;
}

/*
 * The longest window must keep to the period, but for a tick; where the host may
 * take a CPU away for tens of milliseconds, which no timer can help, the median.
 */
static void test_busy(unsigned int period_ms)
{
	static double ms[HISTORY];
	unsigned int n = 0, judged, cpu = cpus[cpus_nr - 1];
	char params[32];
	int device, load;

	snprintf(params, sizeof(params), "period_ms=%u", period_ms);
	reload(params);
	device = device_open();
	cpu_pin(cpus[0]);
	load = spin_start(cpu, NULL);
	sleep_ms(period_ms + 100);
	if (device >= 0 && load > 0)
		n = window_lengths(device, cpu, ms);
	spin_stop(load);
	close(device);
	qsort(ms, n, sizeof(*ms), compare_doubles);
	if (!n) {
		ksft_test_result_fail("a busy CPU with a period of %u ms has no window\n",
				      period_ms);
		return;
	}
	judged = backdoor_exact() ? n - 1 : n / 2;
	ksft_test_result(ms[judged] <= period_ms + 4,
			 "a busy CPU with a period of %u ms has %u windows, median %.1f ms, longest %.1f ms\n",
			 period_ms, n, ms[n / 2], ms[n - 1]);
}

int main(void)
{
	int ret = module_need();

	if (ret)
		return ret;
	if (!backdoor_open())
		ksft_exit_skip("this machine has no emulated PMU\n");
	span_ms = env_number("TOPDOWN_SPAN_MS", getenv("TOPDOWN_FULL") ? 10000 : 4000);
	cpus_nr = cpus_online(cpus);
	if (cpus_nr < 2)
		ksft_exit_skip("one CPU is never idle while a test runs\n");
	turns = cpus_nr > MEASUREMENTS ? 1 : MEASUREMENTS / (cpus_nr - 1);
	if (realtime())
		ksft_exit_fail_msg("cannot become a real-time task\n");

	ksft_print_header();
	ksft_set_plan(7);
	test_idle("period_ms=1000");
	test_idle("period_ms=10");
	tasks_aside(false);
	test_busy(1000);
	test_busy(100);
	test_busy(20);
	reload("");
	ksft_finished();
}
