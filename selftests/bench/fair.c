// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that switch faster than the module folds: how much of their time is measured,
 * and is it a fair sample?
 *
 *   fair RATE regular|random SWITCHES
 *
 * Two processes take turns on one CPU, RATE switches a second, each with a session.
 * "random": a turn is a quarter or seven quarters of the average, and each length has
 * a profile of its own, so a sample that prefers long turns has wrong figures.
 *
 * Prints what was measured of each process beside the fair share, which is the folds
 * that may be over the switches that there were, and how many points its figures are
 * from the truth.  With -icount of 1 ns an instruction.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

/* One fold in this time, TD_FOLD_MIN_NS of the module. */
#define FOLD_NS		20000

/* Instructions of 1 ns that a switch by two pipes takes, without what is spun. */
#define SWITCH_NS	3500

static const struct td_bd_profile *const of_length[2] = {
	&profiles[3].profile, &profiles[4].profile,
};

static int to_child[2], to_parent[2];
static struct td_bd_truth *truths;

/* Numerical Recipes' generator. */
static unsigned int random_bit(unsigned int *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 31;
}

static void spin_until(uint64_t end)
{
	while (clock_ns(CLOCK_MONOTONIC) < end)
		;
}

static void take_turns(unsigned int me, bool random, uint64_t turn_ns, unsigned long turns)
{
	unsigned int state = 12345 + me * 777, which = 0;
	uint64_t begin, length = turn_ns;
	char byte = 0;

	while (turns--) {
		if (read(me ? to_child[0] : to_parent[0], &byte, 1) != 1)
			die("the other process is gone");
		begin = clock_ns(CLOCK_MONOTONIC);
		if (random) {
			which = random_bit(&state);
			length = which ? turn_ns * 7 / 4 : turn_ns / 4;
			door_change_profile(of_length[which]);
		}
		spin_until(begin + length);
		if (write(me ? to_parent[1] : to_child[1], &byte, 1) != 1)
			die("the other process is gone");
	}
	door_truth_space(&truths[me]);
}

static void report(int fd, int session, unsigned int me, double fair)
{
	struct topdown_session seen;
	const struct topdown_figures *figures = &seen.out_figures;
	double want[TRUTH_NODES], points = 0;
	unsigned int i;

	while (!*(volatile uint64_t *)&truths[me].slots)
		sleep_ms(1);
	if (device_session(fd, TOPDOWN_SESSION_FRESH, session, &seen))
		die("cannot read session %d", session);
	door_truth_nodes(&truths[me], want);
	for (i = 0; i < 4; i++)
		points = fmax(points, 100 * fabs(figures->ratio[i] / (double)TOPDOWN_RATIO_ONE -
						 want[i]));
	printf(" %s: measured %.1f%% of %.1f%%, %.2f points off;", me ? "B" : "A",
	       100.0 * figures->running_ns / figures->enabled_ns, 100 * fair, points);
}

int main(int argc, char **argv)
{
	unsigned long rate, switches;
	uint64_t begin, turn_ns;
	int fd, pid, session[2];
	bool random;
	double fair;

	if (argc != 4)
		die("usage: fair RATE regular|random SWITCHES");
	rate = strtoul(argv[1], NULL, 10);
	random = !strcmp(argv[2], "random");
	switches = strtoul(argv[3], NULL, 10);
	turn_ns = 1000000000 / rate - SWITCH_NS;
	truths = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (truths == MAP_FAILED || !door_open() || cpu_pin(HOME_CPU) || pipe(to_child) ||
	    pipe(to_parent))
		die("this is not the emulated PMU, or not root");
	fd = device_open();
	session[0] = device_attach(fd, 0, 0);
	door_set_profile(of_length[0]);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		door_set_profile(of_length[1]);
		take_turns(1, random, turn_ns, switches / 2);
		for (;;)
			pause();
	}
	session[1] = device_attach(fd, 0, pid);
	if (session[0] <= 0 || session[1] <= 0 || write(to_parent[1], "", 1) != 1)
		die("no sessions");
	begin = clock_ns(CLOCK_MONOTONIC);
	take_turns(0, random, turn_ns, switches / 2);
	fair = (clock_ns(CLOCK_MONOTONIC) - begin) / (double)switches / FOLD_NS;
	printf("%6lu a second (%.0f seen) %-7s", rate, 1e9 / FOLD_NS / fair, argv[2]);
	fair = fmin(fair, 1);
	report(fd, session[0], 0, fair);
	report(fd, session[1], 1, fair);
	printf("\n");
	kill(pid, SIGKILL);
	return 0;
}
