// SPDX-License-Identifier: GPL-2.0
/*
 * nohz_full CPUs are not interrupted: by default not at all, and where the parameter
 * cpus names them by nothing but the timer that closes their windows, whatever readers
 * ask for.  Boot with nohz_full=.
 *
 * TOPDOWN_READS       fresh readings while interrupts are counted (2000; with TOPDOWN_FULL 10000)
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest.h"
#include "guest.h"
#include "owner.h"

#define NOHZ_FULL	"/sys/devices/system/cpu/nohz_full"
#define PERIOD_MS	200
#define SETTLE_MS	1000
#define LOAD		"branchy"
/*
 * Two interrupts a window: the timer's, and one that the kernel sends the CPU whenever a
 * timer is started on a nohz_full CPU.
 */
#define PER_WINDOW	2
/*
 * The local timer of an emulated CPU ends after 34.36 s at the latest, so of two spans of a minute
 * one may have an interrupt more.
 */
#define TIMER_WRAPS	1

/* The kernel's own interrupts, beside a tick that begins or ends with a timer. */
#define OTHERS		4
/* Owners have what ran on a quiet CPU until so long ago: a second and a period, and some ticks. */
#define OWNERS_LATE_MS	(1000 + PERIOD_MS + 200)
#define OWNERS_MS	5000
/* More than a CPU notes before they are collected, whether or not somebody reads. */
#define CROWD		200
/* Points that a node may be off: a window is known to one part in 255. */
#define LIMIT_POINTS	1.0

static unsigned int quiet_cpu, reads;
static int load;

/* The highest CPU of the list, as it is the last number in it. */
static bool find_quiet_cpu(void)
{
	char line[256] = "", *at;
	FILE *file = fopen(NOHZ_FULL, "re");

	if (!file || !fgets(line, sizeof(line), file))
		line[0] = '\0';
	if (file)
		fclose(file);
	at = strpbrk(line, "0123456789");
	if (!at)
		return false;
	at = line + strcspn(line, "\n");
	while (at > line && at[-1] >= '0' && at[-1] <= '9')
		at--;
	quiet_cpu = strtoul(at, NULL, 10);
	return true;
}

/*
 * Linux 6.12's fair server interrupts each busy CPU once a second.  Not those of all
 * CPUs: to turn it off where there is load makes the kernel warn at times.
 */
static void fair_server_quiet(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/kernel/debug/sched/fair_server/cpu%u/runtime",
		 quiet_cpu);
	file_write(path, 0, "0");
}

/* Return: the place of the CPU's number in a line of /proc/interrupts. */
static int interrupts_column(char *heading, unsigned int cpu)
{
	char *word, *state, name[16];
	int column = 0;

	snprintf(name, sizeof(name), "CPU%u", cpu);
	for (word = strtok_r(heading, " \n", &state); word; word = strtok_r(NULL, " \n", &state)) {
		if (!strcmp(word, name))
			return column;
		column++;
	}
	return -1;
}

/* All that a CPU has had, of whatever kind. */
static uint64_t interrupts(unsigned int cpu)
{
	FILE *file = fopen("/proc/interrupts", "re");
	char line[4096], *at, *end;
	uint64_t sum = 0, n = 0;
	int column, i;

	if (!file || !fgets(line, sizeof(line), file))
		ksft_exit_fail_msg("cannot read /proc/interrupts\n");
	column = interrupts_column(line, cpu);
	if (column < 0)
		ksft_exit_fail_msg("CPU %u has no column in /proc/interrupts\n", cpu);
	while (fgets(line, sizeof(line), file)) {
		at = strchr(line, ':');
		for (i = 0; at && i <= column; i++, at = end) {
			at += !i;
			n = strtoull(at, &end, 10);
			/* A line of one number, of no CPU. */
			if (end == at)
				break;
		}
		if (i > column)
			sum += n;
	}
	fclose(file);
	return sum;
}

static void reload(const char *params)
{
	if (module_loaded() && module_unload())
		ksft_exit_fail_msg("cannot unload the module\n");
	if (params && module_load(params))
		ksft_exit_fail_msg("cannot load the module with '%s'\n", params);
	/* The kernel interrupts all CPUs itself when code comes or goes. */
	sleep_ms(SETTLE_MS);
}

static bool read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[4096];
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text));
	close(fd);
	return n > 0;
}

static bool ask_for_owners(const int fd[2])
{
	struct owners owners = { };
	unsigned int i;
	int ret = 0;

	for (i = 0; i < 2 && !ret; i++) {
		ret = owners_read(fd[i], &owners, 0);
		owners_free(&owners);
	}
	return !ret;
}

/* Everything that a reader can ask of all CPUs. */
static bool ask_for_everything(int device, const int owners[2])
{
	static struct topdown_record records[TD_CPUS_MAX + 1];
	char events[64];
	unsigned int i;
	__u32 nr;

	snprintf(events, sizeof(events), TD_SYSFS "/events/cpu%u", quiet_cpu);
	for (i = 0; i < reads; i++) {
		nr = TD_CPUS_MAX + 1;
		if (device_read(device, TOPDOWN_READ_FRESH | TOPDOWN_READ_TOTAL, NULL, 0,
				records, &nr))
			return false;
		if (i % 10)
			continue;
		if (!read_file(TD_SYSFS "/total") || !read_file(TD_SYSFS "/sources"))
			return false;
		read_file(events);
		if (i % 100)
			continue;
		/* Writing the same period again changes all open windows as well. */
		if (period_set("200") || !ask_for_owners(owners))
			return false;
	}
	return true;
}

struct span {
	uint64_t interrupts;
	uint64_t windows;
	uint64_t ns;
};

/* The span of the quiet CPU while readers ask. */
static struct span span_with_readers(void)
{
	struct topdown_record then = { }, now = { };
	int device = device_open();
	struct span span = { };
	int owners[2];

	if (device < 0)
		ksft_exit_fail_msg("no device: %s\n", strerror(-device));
	owners[0] = owners_open(device, TOPDOWN_OWNERS_PROCESSES, 0);
	owners[1] = owners_open(device, TOPDOWN_OWNERS_CGROUPS, 0);
	if (owners[0] < 0 || owners[1] < 0)
		ksft_exit_fail_msg("no owners\n");
	/* The first of them have the kernel patched. */
	sleep_ms(SETTLE_MS);
	device_read_cpu(device, 0, quiet_cpu, &then);
	span.ns = clock_ns(CLOCK_MONOTONIC);
	span.interrupts = interrupts(quiet_cpu);
	if (!ask_for_everything(device, owners))
		ksft_exit_fail_msg("a reader was refused\n");
	close(device);
	sleep_ms(3 * PERIOD_MS);
	span.interrupts = interrupts(quiet_cpu) - span.interrupts;
	span.ns = clock_ns(CLOCK_MONOTONIC) - span.ns;
	close(owners[0]);
	close(owners[1]);
	device = device_open();
	device_read_cpu(device, 0, quiet_cpu, &now);
	close(device);
	span.windows = now.windows - then.windows;
	return span;
}

static uint64_t interrupts_without(uint64_t ns)
{
	uint64_t before;

	reload(NULL);
	before = interrupts(quiet_cpu);
	sleep_ms(ns / 1000000);
	return interrupts(quiet_cpu) - before;
}

/* How often the thread that runs the CPU's hotplug callbacks has run, or -1. */
static long callbacks(unsigned int cpu)
{
	char command[128];
	long n = -1;
	FILE *pipe;

	snprintf(command, sizeof(command),
		 "grep -h ^voluntary_ctxt /proc/$(pidof cpuhp/%u)/status | grep -o '[0-9]*$'", cpu);
	pipe = popen(command, "re");
	if (pipe && fscanf(pipe, "%ld", &n) != 1)
		n = -1;
	if (pipe)
		pclose(pipe);
	return n;
}

static struct topdown_record record_of(unsigned int cpu, __u32 flags)
{
	struct topdown_record record = { };
	int device = device_open();

	if (device < 0 || device_read_cpu(device, flags, cpu, &record))
		ksft_exit_fail_msg("cannot read CPU %u\n", cpu);
	close(device);
	return record;
}

/* Many processes run on the quiet CPU, each for a moment. */
static void crowd(void)
{
	unsigned int i;
	int pid;

	for (i = 0; i < CROWD; i++) {
		pid = fork();
		if (!pid)
			_exit(cpu_pin(quiet_cpu));
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			ksft_exit_fail_msg("no process\n");
	}
	sleep_ms(PERIOD_MS);
}

/* How much the load grew as an owner while so many milliseconds passed, and then @meanwhile. */
static struct topdown_figures load_as_owner(unsigned int ms, void (*meanwhile)(void))
{
	int device = device_open(), fd = owners_open(device, TOPDOWN_OWNERS_PROCESSES, 0);
	struct owners then = { }, now = { };
	struct topdown_figures figures = { };
	unsigned int i;

	if (fd < 0)
		ksft_exit_fail_msg("no owners\n");
	sleep_ms(OWNERS_LATE_MS);
	if (owners_read(fd, &then, 0))
		ksft_exit_fail_msg("owners cannot be read\n");
	sleep_ms(ms);
	if (meanwhile)
		meanwhile();
	if (owners_read(fd, &now, 0))
		ksft_exit_fail_msg("owners cannot be read\n");
	if (owners_find(&now, TOPDOWN_OWNER_WHAT_PROCESS, load))
		owners_grown(&then, &now, TOPDOWN_OWNER_WHAT_PROCESS, load, false, &figures);
	for (i = 0; i < 4 && figures.slots; i++)
		figures.ratio[i] = (double)figures.node[i] / figures.slots * TOPDOWN_RATIO_ONE;
	owners_free(&then);
	owners_free(&now);
	close(fd);
	close(device);
	return figures;
}

static void test_excluded(void)
{
	struct topdown_figures figures;
	struct topdown_record record;
	struct span span;
	uint64_t without;

	reload("period_ms=200");
	record = record_of(quiet_cpu, TOPDOWN_READ_FRESH);
	ksft_test_result(record.state == TOPDOWN_STATE_EXCLUDED && !record.level &&
			 !record.windows && !record.total.slots,
			 "CPU %u is excluded: state %u, level %u\n", quiet_cpu, record.state,
			 record.level);
	span = span_with_readers();
	figures = load_as_owner(OWNERS_MS, crowd);
	ksft_test_result(!figures.enabled_ns && !figures.slots,
			 "excluded, so its process has nothing: %.1f s\n",
			 figures.enabled_ns / 1e9);
	without = interrupts_without(span.ns);
	ksft_test_result(span.interrupts <= without + TIMER_WRAPS,
			 "excluded, %u fresh readings in %.1f s make %llu interrupts, %llu without the module\n",
			 reads, span.ns / 1e9, (unsigned long long)span.interrupts,
			 (unsigned long long)without);
}

/* Loading and unloading the module wakes no hotplug thread of the quiet CPU. */
static void test_loading(void)
{
	long before, after;

	reload(NULL);
	before = callbacks(quiet_cpu);
	reload("");
	reload(NULL);
	after = callbacks(quiet_cpu);
	ksft_test_result(before >= 0 && after == before,
			 "loaded and unloaded: the thread of hotplug callbacks ran %ld times before, %ld after\n",
			 before, after);
}

static void test_named(void)
{
	uint64_t without;
	struct span span;

	reload("period_ms=200 cpus=all");
	span = span_with_readers();
	without = interrupts_without(span.ns);
	ksft_test_result(span.windows >= 3 &&
			 span.interrupts <= PER_WINDOW * span.windows + without + OTHERS,
			 "named, %u fresh readings in %.1f s make %llu interrupts, %llu windows, %llu interrupts without the module\n",
			 reads, span.ns / 1e9, (unsigned long long)span.interrupts,
			 (unsigned long long)span.windows, (unsigned long long)without);
}

/* The largest difference of a node to what the load executes. */
static double points_off(const struct topdown_figures *figures)
{
	const struct td_bd_profile *profile = &profile_find(LOAD)->profile;
	double off = 0, truth;
	unsigned int i;

	static const enum td_bd_category category[] = {
		[TOPDOWN_RETIRING]		= TD_BD_RETIRING,
		[TOPDOWN_BAD_SPECULATION]	= TD_BD_BAD_SPEC,
		[TOPDOWN_FRONTEND_BOUND]	= TD_BD_FE_BOUND,
		[TOPDOWN_BACKEND_BOUND]		= TD_BD_BE_BOUND,
	};

	for (i = 0; i < sizeof(category) / sizeof(category[0]); i++) {
		truth = profile->fraction[category[i]] * 100.0 / TD_BD_FRACTION;
		off = fmax(off, fabs(figures->ratio[i] * 100.0 / TOPDOWN_RATIO_ONE - truth));
	}
	return off;
}

/* The figures are those of the last window, and a fresh reading adds nothing to them. */
static void test_answer(void)
{
	struct topdown_record first, second;
	unsigned int tries;

	reload("period_ms=200 cpus=all");
	/* No window must end between the two readings. */
	for (tries = 0; tries < 5; tries++) {
		first = record_of(quiet_cpu, TOPDOWN_READ_FRESH);
		sleep_ms(20);
		second = record_of(quiet_cpu, TOPDOWN_READ_FRESH);
		if (first.windows == second.windows)
			break;
	}
	ksft_test_result(first.windows == second.windows && first.windows &&
			 first.total.slots == second.total.slots &&
			 second.time_ns == second.window_time_ns,
			 "a fresh reading is of %llu windows, and 20 ms later of %llu\n",
			 (unsigned long long)first.windows, (unsigned long long)second.windows);
	ksft_test_result(second.state == TOPDOWN_STATE_OK &&
			 points_off(&second.window) < LIMIT_POINTS &&
			 second.window.enabled_ns > PERIOD_MS * 1000000ULL / 2 &&
			 second.window.enabled_ns <= (PERIOD_MS + 4) * 1000000ULL,
			 "its window has %.1f ms, and is %.2f points off\n",
			 second.window.enabled_ns / 1e6, points_off(&second.window));
}

/* An owner has what it ran there, though no reader interrupts the CPU. */
static void test_owners(void)
{
	struct topdown_figures figures;

	reload("period_ms=200 cpus=all");
	figures = load_as_owner(OWNERS_MS, NULL);
	ksft_test_result(figures.enabled_ns >= (OWNERS_MS - OWNERS_LATE_MS) * 1000000ULL &&
			 figures.enabled_ns <= (OWNERS_MS + OWNERS_LATE_MS) * 1000000ULL &&
			 points_off(&figures) < LIMIT_POINTS,
			 "its process has %.1f s, and is %.2f points off\n",
			 figures.enabled_ns / 1e9, points_off(&figures));
}

/* The counts behind the figures cannot be had without an interrupt. */
static void test_events(void)
{
	char path[64], text[16];
	int fd, error = 0;

	snprintf(path, sizeof(path), TD_SYSFS "/events/cpu%u", quiet_cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text)) < 0)
		error = errno;
	close(fd);
	ksft_test_result(error == EOPNOTSUPP, "its events are refused: %s\n", strerror(error));
}

/* The window that is open keeps its period, and the next has the new one. */
static void test_period(void)
{
	struct topdown_record record;
	unsigned int before, after;

	reload("period_ms=2000 cpus=all");
	sleep_ms(2000);
	before = record_of(quiet_cpu, 0).windows;
	if (period_set("100"))
		ksft_exit_fail_msg("cannot set the period\n");
	sleep_ms(4000);
	record = record_of(quiet_cpu, 0);
	after = record.windows;
	ksft_test_result(before && after > before + 10 && record.window.enabled_ns <= 104000000ULL,
			 "a new period is followed: %u windows, then %u, the last of %.1f ms\n",
			 before, after, record.window.enabled_ns / 1e6);
}

int main(void)
{
	int ret;

	if (!find_quiet_cpu())
		ksft_exit_skip("no CPU is nohz_full here\n");
	ret = module_need();
	if (ret)
		return ret;
	if (!backdoor_open())
		ksft_exit_skip("this machine has no emulated PMU\n");
	reads = env_number("TOPDOWN_READS", getenv("TOPDOWN_FULL") ? 10000 : 2000);
	fair_server_quiet();
	load = spin_start(quiet_cpu, &profile_find(LOAD)->profile);
	if (load < 0)
		ksft_exit_fail_msg("no load on CPU %u: %s\n", quiet_cpu, strerror(-load));

	ksft_print_header();
	ksft_set_plan(10);
	test_excluded();
	test_loading();
	test_named();
	test_answer();
	test_owners();
	test_events();
	test_period();
	spin_stop(load);
	reload("");
	ksft_finished();
}
