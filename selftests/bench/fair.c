// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks that switch very often: how much of their time is measured,
 * and is it a fair sample?
 *
 *   fair RATE regular|equal|random SWITCHES
 *
 * Two processes take turns on one CPU, RATE switches a second, each with a session.  Both
 * have the same real-time priority, so that sched_yield() gives the CPU to the other.
 * How long a turn has to be for that rate is found out before.
 * "regular": all turns are of one length, and each process has a profile of its own.
 * "equal": the same, and both have the same profile.
 * "random": a turn is a quarter or seven quarters of the average, and each length has
 * a profile of its own, so a sample that prefers long turns has wrong figures.
 *
 * Prints what a switch takes with sessions and without, how many folds there were, and how
 * much of the time of both their sessions have; of each what was measured, and how many points
 * its figures are from the truth.  With "regular" turns also which part of its figures is of
 * the other's profile, as time of a turn, and how many points are left that this does not
 * explain.
 * With -icount of 1 ns an instruction.
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

/* Of PMU registers: what a fold of PERF_METRICS with a reset takes. */
#define FOLD_WRITES	4

/* Switches to find out what one takes, and how often that is done. */
#define TRIAL_SWITCHES	1000
#define TRIALS		3

#define LEVEL1		4

enum how { REGULAR, EQUAL, RANDOM };

/* Waits for instructions; waits for data and divides. */
static const struct td_bd_profile * const of_length[2] = {
	&profiles[3].profile, &profiles[4].profile,
};

/**
 * struct shared - what the processes share
 * @turns: how many each of the two has yet to take
 * @truth: of its own, and not of what was before the first turn
 * @began: the first turn of the first; CLOCK_MONOTONIC
 * @ended: the last turn of the last
 * @written: writes to PMU registers by that time, from the first turn on
 */
struct shared {
	volatile unsigned long turns[2];
	struct td_bd_truth truth[2];
	uint64_t began;
	uint64_t ended;
	uint64_t written;
};

/**
 * struct pair - two processes that take turns
 * @pid: the two
 * @session: one of each
 * @go: a pipe that each waits for before it begins
 */
struct pair {
	int pid[2];
	int session[2];
	/* Before the first turn. */
	struct topdown_session then[2];
	int go[2][2];
};

static struct shared *shared;

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

static uint64_t writes(void)
{
	struct td_bd_truth truth;

	backdoor_truth_cpu(HOME_CPU, &truth);
	return truth.wrmsr;
}

/* @turn_ns with the switch, which takes @switch_ns and was a part of it. */
static void take_turns(unsigned int me, enum how how, int64_t turn_ns, int64_t switch_ns)
{
	unsigned int state = 12345 + me * 777, which = 0;
	int64_t length = turn_ns;
	struct td_bd_truth from;
	uint64_t begin;

	begin = clock_ns(CLOCK_MONOTONIC);
	if (!me) {
		shared->began = begin;
		shared->written = -writes();
	}
	backdoor_truth_space(&from);
	while (shared->turns[me]) {
		if (how == RANDOM) {
			which = random_bit(&state);
			length = which ? turn_ns * 7 / 4 : turn_ns / 4;
			backdoor_change_profile(of_length[which]);
		}
		if (length > switch_ns)
			spin_until(begin + length - switch_ns);
		shared->turns[me]--;
		sched_yield();
		begin = clock_ns(CLOCK_MONOTONIC);
	}
	shared->ended = begin;
	backdoor_truth_space(&shared->truth[me]);
	if (me)
		shared->written += writes();
	backdoor_truth_sub(&shared->truth[me], &from);
}

/* Above all load of the kernel's own that has a turn at times, and below who waits. */
static void set_priority(int priority)
{
	const struct sched_param param = { .sched_priority = priority };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		die("no real-time priority");
}

static int child_start(const struct pair *pair, unsigned int me, enum how how, int64_t turn_ns,
		       int64_t switch_ns)
{
	int pid = fork();
	char byte;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	set_priority(10);
	backdoor_set_profile(of_length[how == EQUAL ? 0 : me]);
	if (read(pair->go[me][0], &byte, 1) != 1)
		_exit(1);
	take_turns(me, how, turn_ns, switch_ns);
	_exit(0);
}

/* @fd: the device; -1 for no sessions */
static void pair_run(struct pair *pair, int fd, enum how how, unsigned long switches,
		     int64_t turn_ns, int64_t switch_ns)
{
	unsigned int me;

	memset(shared, 0, sizeof(*shared));
	for (me = 0; me < 2; me++) {
		shared->turns[me] = switches / 2;
		if (pipe(pair->go[me]))
			die("no pipe");
		pair->pid[me] = child_start(pair, me, how, turn_ns, switch_ns);
		pair->session[me] = fd < 0 ? -1 : device_attach(fd, 0, pair->pid[me]);
		if (fd >= 0 && pair->session[me] <= 0)
			die("no session");
	}
	/* They have set their profiles and sleep. */
	sleep_ms(300);
	for (me = 0; me < 2 && fd >= 0; me++) {
		if (device_session(pair->session[me], TOPDOWN_SESSION_FRESH, &pair->then[me]))
			die("cannot read a session");
	}
	for (me = 0; me < 2; me++) {
		if (write(pair->go[me][1], "", 1) != 1)
			die("a process is gone");
	}
	for (me = 0; me < 2; me++) {
		waitpid(pair->pid[me], NULL, 0);
		close(pair->go[me][0]);
		close(pair->go[me][1]);
	}
}

static double turn_seen(unsigned long switches)
{
	return (shared->ended - shared->began) / (double)switches;
}

/* Measure a switch, so that the turns get the length that was asked for.  @fd: as above */
static int64_t find_switch_ns(int fd, enum how how, int64_t turn_ns)
{
	int64_t switch_ns = 0;
	struct pair pair;
	unsigned int i;

	for (i = 0; i < TRIALS; i++) {
		pair_run(&pair, fd, how, TRIAL_SWITCHES, turn_ns, switch_ns);
		switch_ns += turn_seen(TRIAL_SWITCHES) - turn_ns;
		if (fd < 0)
			continue;
		close(pair.session[0]);
		close(pair.session[1]);
	}
	return switch_ns;
}

/* The part of @seen that is @other and not @own, by least squares. */
static double part_of_other(const double *seen, const double *own, const double *other)
{
	double above = 0, below = 0;
	unsigned int i;

	for (i = 0; i < LEVEL1; i++) {
		above += (seen[i] - own[i]) * (other[i] - own[i]);
		below += (other[i] - own[i]) * (other[i] - own[i]);
	}
	return above / below;
}

static void report(const struct topdown_session *read, unsigned int me, enum how how)
{
	double own[TRUTH_NODES], other[TRUTH_NODES], seen[LEVEL1], points = 0, left = 0, part;
	const struct topdown_figures *figures = &read->out_figures;
	unsigned int i;

	backdoor_truth_nodes(&shared->truth[me], own);
	backdoor_truth_nodes(&shared->truth[!me], other);
	for (i = 0; i < LEVEL1; i++) {
		seen[i] = figures->ratio[i] / (double)TOPDOWN_RATIO_ONE;
		points = fmax(points, 100 * fabs(seen[i] - own[i]));
	}
	printf(" %s: measured %.1f%%, %.2f points off;", me ? "B" : "A",
	       100.0 * figures->running_ns / figures->enabled_ns, points);
	if (how != REGULAR)
		return;
	part = part_of_other(seen, own, other);
	for (i = 0; i < LEVEL1; i++)
		left = fmax(left, 100 * fabs(seen[i] - own[i] - part * (other[i] - own[i])));
	printf(" %.0f ns the other's, %.2f points left;", part * turn_seen(read->out_switches * 2),
	       left);
}

static enum how how_of(const char *name)
{
	return !strcmp(name, "random") ? RANDOM : !strcmp(name, "equal") ? EQUAL : REGULAR;
}

int main(int argc, char **argv)
{
	unsigned long rate, switches;
	int64_t turn_ns, switch_ns, alone_ns;
	struct topdown_session read[2];
	struct pair pair;
	enum how how;
	int fd, me;

	if (argc != 4)
		die("usage: fair RATE regular|equal|random SWITCHES");
	rate = strtoul(argv[1], NULL, 10);
	how = how_of(argv[2]);
	switches = strtoul(argv[3], NULL, 10);
	turn_ns = 1000000000 / rate;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED || !backdoor_open() || cpu_pin(HOME_CPU))
		die("this is not the emulated PMU, or not root");
	set_priority(20);
	fd = device_open();
	alone_ns = find_switch_ns(-1, how, turn_ns);
	switch_ns = find_switch_ns(fd, how, turn_ns);
	pair_run(&pair, fd, how, switches, turn_ns, switch_ns);
	for (me = 0; me < 2; me++) {
		if (device_session(pair.session[me], TOPDOWN_SESSION_FRESH, &read[me]))
			die("cannot read a session");
		session_since(&read[me], &pair.then[me]);
	}
	printf("%6lu a second (%.0f seen, a switch takes %lld ns, %lld without sessions) %-7s: %.0f folds a second, %.1f%% of the time;",
	       rate, 1e9 / turn_seen(switches), (long long)switch_ns, (long long)alone_ns, argv[2],
	       shared->written / FOLD_WRITES / (turn_seen(switches) * switches) * 1e9,
	       100 * (read[0].out_figures.enabled_ns + read[1].out_figures.enabled_ns) /
	       (turn_seen(switches) * switches));
	for (me = 0; me < 2; me++)
		report(&read[me], me, how);
	printf("\n");
	return 0;
}
