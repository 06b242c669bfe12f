// SPDX-License-Identifier: GPL-2.0
/*
 * Measure the cost of a switch between two tasks when tasks are counted.
 *
 *   switch WAY ROUNDS LOOPS
 *
 * A parent and its child on one CPU take ROUNDS turns each of LOOPS empty loops.
 * Ways:
 *   none       nobody is counted
 *   unfollowed there is a session, of another task that sleeps
 *   child      a session of the child
 *   both       a session of each
 *   together   one session of both
 *   perf-child a perf group of the child: SLOTS and the eight metrics
 *   perf-both  such a group of each
 *   perf-N     the first N events of that group, of the child
 *   door-N     a group of N events of the PMU topdown, of the child
 *   cgroups    nobody is counted, and each is in a cgroup, those of CGROUPS (owners.sh)
 *   owners     the same, with the owners that are cgroups
 *
 * With the module for sessions and its PMU, and without it for perf, to be compared
 * with "none" of the same kind.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bench.h"

static int to_child[2], to_parent[2];
static unsigned long loops;

static void spin(void)
{
	volatile unsigned long i;

	for (i = 0; i < loops; i++)
		;
}

static void child_run(void)
{
	char byte;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(to_child[0], &byte, 1) == 1) {
		spin();
		if (write(to_parent[1], &byte, 1) != 1)
			break;
	}
	exit(1);
}

static void take_turns(unsigned long rounds)
{
	char byte = 0;

	while (rounds--) {
		spin();
		if (write(to_child[1], &byte, 1) != 1 || read(to_parent[0], &byte, 1) != 1)
			die("the child is gone");
	}
}

static pid_t start(void (*run)(void))
{
	pid_t pid = fork();

	if (pid < 0)
		die("cannot fork: %s", strerror(errno));
	if (!pid)
		run();
	return pid;
}

static void sleep_run(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

static void follow(int pid, __u32 flags)
{
	static int device = -1;

	if (device < 0)
		device = device_open();
	if (device < 0 || device_attach(device, flags, pid) < 0)
		die("no session of task %d", pid);
}

static void count_with_perf(int pid, unsigned int events)
{
	if (group_open_task(pid, events) < 0)
		die("no perf group of task %d: %s", pid, strerror(errno));
}

/* "perf-5", "door-13"; false for another way. */
static bool count_some(const char *way, pid_t child)
{
	unsigned int events;

	if (sscanf(way, "door-%u", &events) == 1) {
		if (door_open_task(child, events) < 0)
			die("no events of the PMU topdown: %s", strerror(errno));
		return true;
	}
	if (sscanf(way, "perf-%u", &events) != 1)
		return false;
	count_with_perf(child, events);
	return true;
}

/* Into "0" and "1" of the directory that CGROUPS names. */
static void enter_cgroups(pid_t child)
{
	const char *root = getenv("CGROUPS");
	char path[256], number[16];
	int i;

	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%d/cgroup.procs", root ? root : "", i);
		snprintf(number, sizeof(number), "%d", i ? child : getpid());
		if (file_write(path, 0, number))
			die("cannot enter %s", path);
	}
}

static void count_owners(void)
{
	struct topdown_owners owners = {
		.size = sizeof(owners), .kind = TOPDOWN_OWNERS_CGROUPS,
	};
	int device = device_open();

	if (device < 0 || ioctl(device, TOPDOWN_OWNERS, &owners) < 0)
		die("no owners: %s", strerror(errno));
}

/* "cgroups", "owners"; false for another way. */
static bool count_cgroups(const char *way, pid_t child)
{
	bool owners = !strcmp(way, "owners");

	if (!owners && strcmp(way, "cgroups"))
		return false;
	enter_cgroups(child);
	if (owners)
		count_owners();
	return true;
}

/* The child is there; with "together" it was made by a process that is followed. */
static void begin(const char *way, pid_t child)
{
	if (!strcmp(way, "unfollowed")) {
		follow(start(sleep_run), 0);
	} else if (!strcmp(way, "child")) {
		follow(child, 0);
	} else if (!strcmp(way, "both")) {
		follow(child, 0);
		follow(0, 0);
	} else if (!strcmp(way, "perf-child")) {
		count_with_perf(child, GROUP_EVENTS);
	} else if (!strcmp(way, "perf-both")) {
		count_with_perf(child, GROUP_EVENTS);
		count_with_perf(0, GROUP_EVENTS);
	} else if (strcmp(way, "none") && strcmp(way, "together") && !count_some(way, child) &&
		   !count_cgroups(way, child)) {
		die("way '%s' is not known", way);
	}
}

int main(int argc, char **argv)
{
	struct td_bd_truth from, to;
	unsigned long rounds;
	pid_t child;

	if (argc != 4)
		die("usage: switch WAY ROUNDS LOOPS");
	rounds = strtoul(argv[2], NULL, 10);
	loops = strtoul(argv[3], NULL, 10);
	if (!backdoor_open() || cpu_pin(HOME_CPU) || pipe(to_child) || pipe(to_parent))
		die("this is not the emulated PMU, or not root");
	if (!strcmp(argv[1], "together"))
		follow(0, TOPDOWN_ATTACH_CHILDREN);
	child = start(child_run);
	begin(argv[1], child);

	take_turns(rounds / 10 + 1);
	backdoor_truth_cpu(HOME_CPU, &from);
	take_turns(rounds);
	backdoor_truth_cpu(HOME_CPU, &to);
	backdoor_truth_sub(&to, &from);
	printf("switches=%lu time_ns=%" PRIu64 " instructions=%" PRIu64 " rdpmc=%" PRIu64
	       " wrmsr=%" PRIu64 " rdmsr=%" PRIu64 "\n", 2 * rounds, to.time_ns,
	       to.instructions, to.rdpmc, to.wrmsr, to.rdmsr);
	return 0;
}
