// SPDX-License-Identifier: GPL-2.0
/*
 * Hypervisors change counters.  In a guest whose hypervisor counts 0 for most events the
 * module refuses clearly and never shows a figure.  The module notices when such a
 * hypervisor comes or goes.  On a host whose counters stand still while a guest runs, the
 * figures are right.
 *
 * TOPDOWN_SPAN_MS     length of a measurement (1500)
 * TOPDOWN_FULL        look twice as long whether a CPU without counters stays without
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../kselftest.h"
#include "guest.h"

#define PERIOD		"period_ms=200"
#define CPU		1

/* One and a half percentage points: the kernel's own slots are of another character. */
#define LIMIT		0.015
/* Turns of groups cost 2% where an instruction takes as long as here. */
#define LIMIT_SLOTS	0.03
/*
 * perf stops ordinary counters for each turn of their groups, by default every 4 ms: where
 * an instruction takes 8 ns that is 5 to 6% of the time.  Fewer turns, and it is below 1%.
 */
#define TURN_FILE	"/sys/devices/cpu/perf_event_mux_interval_ms"
#define TURN_MS		"32"
#define LOOK_MS		50
/* Longer than a window of PERIOD. */
#define WINDOW_MS	300
/* Readings one after the other, of a millisecond and more together. */
#define BURST		40
/*
 * The first pause is 64 s, of which refused() takes up to 8.  An idle machine's time passes
 * quickly, but the next try needs work: where counters stand still for half of each
 * millisecond, a CPU that only runs its timers may run all of them in such halves.
 */
#define IDLE_MS		55000
/* The window in which the doubt arose may have begun before it. */
#define DOUBT_WINDOWS	2
/*
 * Four doubtful windows, those of the second that passes until the CPU is given up, each of
 * 160 ms at least, and one that ends with the counters.
 */
#define WINDOWS_MAX	13
#define AGAIN_MS	80000
#define TRIES		3

static const struct td_bd_profile profile = {
	{ 520000, 90000, 160000, 230000, 130000, 70000, 110000, 90000 },
};

static int device = -1, worker;
static unsigned int span_ms;
/* Four windows, the pause before the work, and then some. */
static unsigned int refused_ms;
static bool booted_filtered;
static char turn_before[16];

static bool read_record(struct topdown_record *record)
{
	return !device_read_cpu(device, TOPDOWN_READ_FRESH, CPU, record);
}

static bool file_has(const char *path, const char *text)
{
	FILE *file = fopen(path, "re");
	bool found = false;
	char line[512];

	while (file && fgets(line, sizeof(line), file))
		found |= !!strstr(line, text);
	if (file)
		fclose(file);
	return found;
}

/* The number of our CPU in the file, whose lines are "FIRST-LAST: NUMBER" or "CPU: NUMBER". */
static unsigned long long odd_windows(void)
{
	FILE *file = fopen(TD_SYSFS "/odd_windows", "re");
	unsigned long long odd = ~0ULL, number;
	unsigned int first, last;
	char line[128];

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%u-%u: %llu", &first, &last, &number) != 3) {
			if (sscanf(line, "%u: %llu", &first, &number) != 2)
				continue;
			last = first;
		}
		if (first <= CPU && CPU <= last)
			odd = number;
	}
	if (file)
		fclose(file);
	return odd;
}

/* Level 1 that this machine has of the profile: AMD's lacks all but retiring. */
static bool nodes_right(const struct topdown_figures *then, const struct topdown_figures *now,
			__u32 source)
{
	double slots = now->slots - then->slots, seen, want;
	unsigned int i, nodes = source == TOPDOWN_SOURCE_AMD ? 1 : 4;
	bool ok = slots > 0;

	for (i = 0; i < nodes; i++) {
		seen = (now->node[i] - then->node[i]) / slots;
		want = (double)profile.fraction[i] / TD_BD_FRACTION;
		if (fabs(seen - want) <= LIMIT)
			continue;
		ksft_print_msg("node %u is %.4f, and %.4f was to be expected\n", i, seen, want);
		ok = false;
	}
	return ok;
}

static bool figures_right(void)
{
	struct topdown_record then, now;
	unsigned int tries;

	for (tries = 0; tries < TRIES; tries++) {
		if (!read_record(&then))
			return false;
		sleep_ms(span_ms);
		if (!read_record(&now))
			return false;
		ksft_print_msg("state %u, source %u, %llu slots\n", now.state, now.source,
			       (unsigned long long)(now.total.slots - then.total.slots));
		if (now.state == TOPDOWN_STATE_OK &&
		    nodes_right(&then.total, &now.total, now.source))
			return true;
	}
	return false;
}

/* Each ends a part: where something comes and goes, some have none of it. */
static bool read_burst(struct topdown_record *record)
{
	unsigned int i;

	for (i = 0; i < BURST; i++) {
		if (!read_record(record))
			return false;
	}
	return true;
}

static bool stands(const char *what, __u64 first, __u64 now)
{
	if (now != first)
		ksft_print_msg("%s were counted: %llu, then %llu\n", what,
			       (unsigned long long)first, (unsigned long long)now);
	return now == first;
}

/* Neither slots nor what is counted beside them: half a part would be wrong ratios. */
static bool nothing_counted(const struct topdown_record *first, const struct topdown_record *now)
{
	return stands("slots", first->total.slots, now->total.slots) &&
	       stands("cycles", first->total.cycles, now->total.cycles) &&
	       stands("instructions", first->total.instructions, now->total.instructions);
}

/* Does a reader see the doubt as soon as windows have nothing else? */
static bool doubt_is_said(const struct topdown_record *first, const struct topdown_record *now)
{
	__u64 windows = now->windows - first->windows;

	if (windows < DOUBT_WINDOWS || now->state == TOPDOWN_STATE_UNSUPPORTED)
		return true;
	ksft_print_msg("state %u after %llu windows\n", now->state, (unsigned long long)windows);
	return false;
}

static bool given_up_in_time(const struct topdown_record *first, const struct topdown_record *now)
{
	__u64 windows = now->windows - first->windows;

	ksft_print_msg("given up after %llu windows\n", (unsigned long long)windows);
	return windows <= WINDOWS_MAX;
}

/* From now on: no slot is counted any more, and in the end the CPU is unsupported. */
static bool refused(const char *reason)
{
	struct topdown_record first, record;
	unsigned int ms, i;

	/* The window in which the counts went wrong was right before, and is judged as a whole. */
	sleep_ms(WINDOW_MS);
	/* The slots until now. */
	if (!read_record(&first))
		return false;
	for (ms = 0; ms < refused_ms; ms += LOOK_MS) {
		sleep_ms(LOOK_MS);
		if (!read_burst(&record))
			return false;
		if (!nothing_counted(&first, &record) || !doubt_is_said(&first, &record)) {
			ksft_print_msg("that was after %u ms\n", ms);
			return false;
		}
	}
	if (!given_up_in_time(&first, &record))
		return false;
	for (i = 0; i < TD_NR_NODES; i++) {
		if (record.window.ratio[i] != TOPDOWN_RATIO_NONE)
			return false;
	}
	ksft_print_msg("state %u, running %llu of %llu ms\n", record.state,
		       (unsigned long long)record.window.running_ns / 1000000,
		       (unsigned long long)record.window.enabled_ns / 1000000);
	return record.state == TOPDOWN_STATE_UNSUPPORTED && !record.window.running_ns &&
	       file_has(TD_SYSFS "/sources", "unsupported: ") &&
	       file_has(TD_SYSFS "/sources", reason) &&
	       file_has(TD_SYSFS "/sources", "trying again later");
}

static const char *reason_of_filter(void)
{
	struct topdown_info info;

	if (!device_info(device, &info) && info.out_source == TOPDOWN_SOURCE_PERF_METRICS)
		return "PERF_METRICS are all 0";
	return "no retired slot is counted";
}

static bool has_metrics(void)
{
	struct topdown_info info;

	return !device_info(device, &info) && info.out_source == TOPDOWN_SOURCE_PERF_METRICS;
}

/* Does the kernel's driver count this event here?  It takes no counter, or ours stand aside. */
static bool driver_takes(unsigned long long config)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .size = sizeof(attr), .config = config, .disabled = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, CPU, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0) {
		ksft_print_msg("%#llx is said to be counted, and the driver refuses it\n", config);
		return false;
	}
	close(fd);
	return true;
}

/* The raw counts are of events that the CPU has.  A guest lacks some that have a substitute. */
static bool events_exist(void)
{
	FILE *file = fopen(TD_SYSFS "/events/cpu1", "re");
	unsigned long long config;
	unsigned int events = 0;
	bool ok = file;

	while (ok && fscanf(file, "%*s %llx %*u", &config) == 1) {
		ok = driver_takes(config);
		events++;
	}
	if (file)
		fclose(file);
	return ok && events;
}

/* The machine as it was switched on. */
static bool as_booted(void)
{
	if (booted_filtered)
		return refused(reason_of_filter());
	/* perf refuses an event of PERF_METRICS alone. */
	return figures_right() && (has_metrics() || events_exist());
}

static void test_as_booted(void)
{
	ksft_test_result(as_booted(), "the_machine_is_right_as_booted\n");
}

/* The guest moves to a host without a filter, while its CPU is busy. */
static bool back_by_itself(void)
{
	struct topdown_record record;
	unsigned int ms;

	if (!backdoor_set_filter(false))
		return false;
	spin_stop(worker);
	sleep_ms(IDLE_MS);
	worker = spin_start(CPU, &profile);
	for (ms = IDLE_MS; ms < AGAIN_MS; ms += 1000) {
		sleep_ms(1000);
		if (read_record(&record) && record.state == TOPDOWN_STATE_OK)
			break;
	}
	ksft_print_msg("measured again after %u s\n", ms / 1000);
	return worker > 0 && ms < AGAIN_MS && figures_right();
}

static void test_back_by_itself(void)
{
	bool filtered = booted_filtered ||
			(backdoor_set_filter(true) && refused(reason_of_filter()));

	ksft_test_result(filtered && back_by_itself(), "figures_come_back_by_themselves\n");
}

/* The other way round; a CPU that was offline is tried at once. */
static void test_filter_comes_and_goes(void)
{
	bool ok;

	ok = figures_right() && backdoor_set_filter(true) && refused(reason_of_filter());
	ok &= backdoor_set_filter(false);
	spin_stop(worker);
	ok &= !cpu_set_online(CPU, false) && !cpu_set_online(CPU, true);
	worker = spin_start(CPU, &profile);
	ok &= worker > 0;
	sleep_ms(1000);
	ksft_test_result(ok && figures_right(), "filter_comes_and_goes\n");
}

/* Counters that stand still for half of the time, as while a guest runs. */
static bool standing(void)
{
	struct td_bd_truth from, truth;
	struct topdown_record then, now;
	double counted;

	if (!backdoor_truth_cpu(CPU, &from) || !read_record(&then))
		return false;
	sleep_ms(span_ms);
	if (!read_record(&now) || !backdoor_truth_cpu(CPU, &truth))
		return false;
	backdoor_truth_sub(&truth, &from);
	counted = (double)(now.total.slots - then.total.slots) / (truth.slots - truth.stopped);
	ksft_print_msg("stood still for %.3f, counted %.4f of the others, state %u\n",
		       (double)truth.stopped / truth.slots, counted, now.state);
	return truth.stopped > truth.slots / 3 &&
	       fabs(counted - 1) < LIMIT_SLOTS && now.state == TOPDOWN_STATE_OK &&
	       nodes_right(&then.total, &now.total, now.source);
}

static void test_standing(void)
{
	bool ok = backdoor_set_guest(TD_BD_GUEST_ALL);
	unsigned int tries;

	sleep_ms(500);
	for (tries = 0; ok && tries < TRIES; tries++) {
		if (standing())
			break;
	}
	backdoor_set_guest(TD_BD_GUEST_NONE);
	ksft_test_result(ok && tries < TRIES, "counters_that_stand_do_no_harm\n");
}

/*
 * For some of a window the hidden counters of PERF_METRICS count and SLOTS do not.  The bytes
 * of that window are not too far off to be believed.  The module counts such windows as odd.
 */
static bool odd(void)
{
	unsigned long long none = odd_windows(), some;

	sleep_ms(span_ms);
	if (odd_windows() != none) {
		ksft_print_msg("%llu odd windows without a reason\n", odd_windows() - none);
		return false;
	}
	if (!backdoor_set_guest(TD_BD_GUEST_METRICS))
		return false;
	sleep_ms(24);
	if (!backdoor_set_guest(TD_BD_GUEST_NONE))
		return false;
	sleep_ms(500);
	some = odd_windows();
	sleep_ms(span_ms);
	ksft_print_msg("%llu odd windows, %llu later\n", some - none, odd_windows() - some);
	/* Two if it came just between them. */
	return some > none && some <= none + 2 && odd_windows() == some && figures_right();
}

static void test_odd_windows(void)
{
	if (has_metrics())
		ksft_test_result(odd(), "odd_windows_are_counted\n");
	else
		ksft_test_result_skip("odd_windows_are_counted: no PERF_METRICS\n");
}

static void test_absurd_sum(void)
{
	unsigned long long none = odd_windows();
	struct topdown_record record;
	bool ok;

	if (!has_metrics()) {
		ksft_test_result_skip("absurd_sum_is_refused: no PERF_METRICS\n");
		return;
	}
	/* The last part that could be right ends here; a long one is needed to see it. */
	ok = backdoor_set_guest(TD_BD_GUEST_METRICS) && read_record(&record);
	sleep_ms(LOOK_MS);
	ok = ok && refused("PERF_METRICS do not sum to SLOTS");
	ksft_test_result(ok && odd_windows() >= none + 4, "absurd_sum_is_refused\n");
}

/* Retired slots and slots without an operation, each nearly all of six slots a cycle. */
static bool events_absurd(void)
{
	return backdoor_set_rate(0x2c2, 5400000) && backdoor_set_rate(0x19c, 5400000);
}

static bool is_intel(void)
{
	struct topdown_info info;

	return !device_info(device, &info) && info.out_source != TOPDOWN_SOURCE_AMD;
}

/* Level 1 of ordinary events that is 180% of all slots and more is no figure. */
static void test_absurd_level1(void)
{
	bool ok;

	if (has_metrics() || !is_intel()) {
		ksft_test_result_skip("absurd_level_1_is_refused: PERF_METRICS, or no event of Intel's\n");
		return;
	}
	spin_stop(worker);
	worker = spin_start_with(CPU, &profile, events_absurd);
	ok = worker > 0;
	sleep_ms(LOOK_MS);
	ksft_test_result(ok && refused("level 1 sums to far more than all slots"),
			 "absurd_level_1_is_refused\n");
}

/* Set the turns of ordinary counters.  end() writes the machine's own value back. */
static bool turns_set(const char *ms)
{
	return !file_write(TURN_FILE, 0, ms);
}

static bool turns_get(void)
{
	FILE *file = fopen(TURN_FILE, "re");
	bool ok = file && fscanf(file, "%15s", turn_before) == 1;

	if (file)
		fclose(file);
	return ok;
}

static bool begin(void)
{
	if (module_loaded() && module_unload())
		return false;
	if (!turns_get() || !turns_set(TURN_MS))
		return false;
	/* Before anything is counted. */
	worker = spin_start(CPU, &profile);
	if (worker <= 0 || module_load(PERIOD))
		return false;
	device = device_open();
	return device >= 0;
}

static void end(void)
{
	backdoor_set_guest(TD_BD_GUEST_NONE);
	backdoor_set_filter(booted_filtered);
	if (turn_before[0])
		turns_set(turn_before);
	if (worker > 0)
		spin_stop(worker);
	cpus_set_online();
}

int main(void)
{
	const char *machine = getenv("TOPDOWN_MACHINE") ?: "";

	if (!backdoor_open())
		ksft_exit_skip("this is not the emulated PMU\n");
	booted_filtered = !strncmp(machine, "arch", 4) || !strcmp(machine, "zerometrics");
	span_ms = env_number("TOPDOWN_SPAN_MS", 1500);
	refused_ms = getenv("TOPDOWN_FULL") ? 8000 : 4000;
	ksft_print_header();
	ksft_set_plan(7);
	if (realtime() || cpu_pin(0) || !begin())
		ksft_exit_fail_msg("cannot begin\n");
	atexit(end);
	test_as_booted();
	test_back_by_itself();
	test_filter_comes_and_goes();
	test_standing();
	test_odd_windows();
	test_absurd_sum();
	test_absurd_level1();
	ksft_finished();
}
