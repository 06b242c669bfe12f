// SPDX-License-Identifier: GPL-2.0
/*
 * Work of a chosen character for the emulated PMU: tells it, through the back
 * door, what this address space "executes", and keeps a CPU busy.
 */
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "guest.h"

#define PHASES_MAX	16
#define WAKES_MAX	100000

static void usage(FILE *out)
{
	unsigned int i;

	fprintf(out,
		"Usage: workload [-c CPU] [-t SECONDS] [-f] [-r CONFIG=RATE]... [-p] PROFILE\n"
		"       workload [-c CPU] [-t SECONDS] [-f] [-T] -P MIN-MAX PROFILE...\n"
		"       workload [-c CPU] [-t SECONDS] [-f] -w RATE\n\n"
		"With -P it has phases of MIN to MAX milliseconds, each with one of the profiles;\n"
		"-T prints what it had of each level 1 node then, in percent, and the slots.\n"
		"With -f it is a real-time task, which no other task interrupts.\n"
		"With -w it sleeps, and wakes up RATE times a second for some ten microseconds.\n"
		"With -r the event CONFIG, hexadecimal as perf has it, happens RATE times in\n"
		"1000000 cycles.\n\n"
		"PROFILE is eight fractions of all slots: retiring, bad speculation, frontend\n"
		"bound and backend bound, which sum to 1, and of them heavy operations, branch\n"
		"mispredicts, fetch latency and memory bound (.5,.1,.2,.2,.1,.1,.1,.1); or\n\n");
	for (i = 0; i < profiles_nr; i++)
		fprintf(out, "  %-8s %s\n", profiles[i].name, profiles[i].text);
}

static bool number(const char *option, const char *text, double max, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end != text && !*end && *value >= 0 && *value <= max)
		return true;
	fprintf(stderr, "workload: %s: '%s' is not a number in 0..%g\n", option, text, max);
	return false;
}

static bool find(const char *text, struct td_bd_profile *profile)
{
	const struct profile *named = profile_find(text);

	if (named)
		*profile = named->profile;
	return named || profile_parse(text, profile);
}

static bool set_realtime(void)
{
	const struct sched_param param = { .sched_priority = 50 };

	if (!sched_setscheduler(0, SCHED_FIFO, &param))
		return true;
	fprintf(stderr, "workload: -f: %s\n", strerror(errno));
	return false;
}

static bool set_rate(const char *text)
{
	unsigned long long config, rate;
	int end = 0;

	if (sscanf(text, "%llx=%llu%n", &config, &rate, &end) != 2 || text[end]) {
		fprintf(stderr, "workload: -r: '%s' is not an event and its rate\n", text);
		return false;
	}
	if (backdoor_open() && backdoor_set_rate(config, rate))
		return true;
	fprintf(stderr, "workload: -r: the emulated PMU refuses '%s', or there is none\n", text);
	return false;
}

static void spin(double seconds)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + seconds * 1e9;
	volatile int i;

	do {
		for (i = 0; i < 100000; i++)
			;
	} while (clock_ns(CLOCK_MONOTONIC) < end);
}

/* Whoever else has this CPU is interrupted so often. */
static void wake_up(double seconds, double rate)
{
	uint64_t next = clock_ns(CLOCK_MONOTONIC), end = next + seconds * 1e9;
	struct timespec until;
	volatile int i;

	for (; next < end; next += 1e9 / rate) {
		until = (struct timespec){ next / 1000000000, next % 1000000000 };
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
		for (i = 0; i < 1000; i++)
			;
	}
}

static void print_truth(void)
{
	struct td_bd_truth truth;
	double node[TRUTH_NODES];

	backdoor_truth_space(&truth);
	backdoor_truth_nodes(&truth, node);
	printf("%.4f %.4f %.4f %.4f %.0f\n", 100 * node[TOPDOWN_RETIRING],
	       100 * node[TOPDOWN_BAD_SPECULATION], 100 * node[TOPDOWN_FRONTEND_BOUND],
	       100 * node[TOPDOWN_BACKEND_BOUND], (double)truth.slots);
}

/* Phases of random length, each with a random profile of those that are named. */
static int phases(double seconds, const char *range, char **names, int nr)
{
	struct td_bd_profile profile[PHASES_MAX];
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + seconds * 1e9;
	double least, most;
	int i;

	if (sscanf(range, "%lf-%lf", &least, &most) != 2 || least <= 0 || most < least) {
		fprintf(stderr, "workload: -P: '%s' is not a range of milliseconds\n", range);
		return 2;
	}
	if (nr < 1 || nr > PHASES_MAX) {
		fprintf(stderr, "workload: -P takes 1 to %d profiles\n", PHASES_MAX);
		return 2;
	}
	for (i = 0; i < nr; i++) {
		if (!find(names[i], &profile[i])) {
			fprintf(stderr, "workload: there is no profile '%s' (try -h)\n", names[i]);
			return 2;
		}
	}
	if (!backdoor_open() || !backdoor_set_profile(&profile[0])) {
		fprintf(stderr, "workload: no back door: this needs root and the emulated PMU\n");
		return 1;
	}
	while (clock_ns(CLOCK_MONOTONIC) < end) {
		backdoor_change_profile(&profile[lrand48() % nr]);
		spin((least + drand48() * (most - least)) / 1e3);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct td_bd_profile profile;
	const char *text = NULL, *range = NULL;
	bool truth = false;
	double seconds = 10, rate = 0;
	double cpu = -1;
	int opt;

	while ((opt = getopt(argc, argv, "c:t:fr:p:P:w:Th")) != -1) {
		switch (opt) {
		case 'c':
			if (!number("-c", optarg, TD_CPUS_MAX - 1, &cpu))
				return 2;
			break;
		case 't':
			if (!number("-t", optarg, 1e6, &seconds))
				return 2;
			break;
		case 'f':
			if (!set_realtime())
				return 1;
			break;
		case 'r':
			if (!set_rate(optarg))
				return 2;
			break;
		case 'p':
			text = optarg;
			break;
		case 'P':
			range = optarg;
			break;
		case 'w':
			if (!number("-w", optarg, WAKES_MAX, &rate) || rate < 1)
				return 2;
			break;
		case 'T':
			truth = true;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (cpu >= 0 && cpu_pin(cpu)) {
		fprintf(stderr, "workload: cannot run on CPU %g: %s\n", cpu, strerror(errno));
		return 1;
	}
	if (rate) {
		wake_up(seconds, rate);
		return 0;
	}
	if (range) {
		srand48(cpu + 1);
		opt = phases(seconds, range, argv + optind, argc - optind);
		if (truth && !opt)
			print_truth();
		return opt;
	}
	if (!text && optind < argc)
		text = argv[optind++];
	if (!text || optind < argc) {
		usage(stderr);
		return 2;
	}
	if (!find(text, &profile)) {
		fprintf(stderr, "workload: there is no profile '%s' (try -h)\n", text);
		return 2;
	}
	if (!backdoor_open()) {
		fprintf(stderr, "workload: no back door: this needs root and the emulated PMU\n");
		return 1;
	}
	if (!backdoor_set_profile(&profile)) {
		fprintf(stderr, "workload: the emulated PMU refuses profile '%s'\n", text);
		return 1;
	}
	spin(seconds);
	return 0;
}
