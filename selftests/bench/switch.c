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
 *   owners-same  the same, and all are in one cgroup
 *   owners-read  not switches but a reading of these owners, when all have run
 *
 * In the environment: CHILDREN is how many children take their turns one after the other, each in
 * its own cgroup; with BESIDE such tasks run on all other CPUs too, with BESIDE=spin one that never
 * sleeps.
 *
 * With the module for sessions and its PMU, and without it for perf, to be compared
 * with "none" of the same kind.
 */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench.h"

static int (*to_child)[2], to_parent[2];
static unsigned int children = 1, self;
static unsigned long loops;
static int owners_fd = -1;

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
	while (read(to_child[self][0], &byte, 1) == 1) {
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
		if (write(to_child[rounds % children][1], &byte, 1) != 1 ||
		    read(to_parent[0], &byte, 1) != 1)
			die("the child is gone");
	}
}

/* The kernel has jobs of its own now and then: what each switch costs is in the least of three. */
static void take_measured(unsigned long rounds, struct td_bd_truth *least)
{
	struct td_bd_truth from, to;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		backdoor_truth_cpu(HOME_CPU, &from);
		take_turns(rounds);
		backdoor_truth_cpu(HOME_CPU, &to);
		backdoor_truth_sub(&to, &from);
		if (!i || to.instructions < least->instructions)
			*least = to;
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

static void enter_cgroup(unsigned int cgroup, pid_t pid)
{
	const char *root = getenv("CGROUPS");
	char path[256], number[16];

	snprintf(path, sizeof(path), "%s/%u/cgroup.procs", root ? root : "", cgroup);
	snprintf(number, sizeof(number), "%d", pid);
	if (file_write(path, 0, number))
		die("cannot enter %s", path);
}

/*
 * A task that is woken may preempt the one that wakes it, and then some turns have a switch more
 * and others a sleep less: with 50 children 26% more switches than turns.  SCHED_BATCH does not.
 */
static void take_no_turn_early(pid_t pid)
{
	struct sched_param param = { };

	if (sched_setscheduler(pid, SCHED_BATCH, &param))
		die("no SCHED_BATCH: %s", strerror(errno));
}

static void count_owners(void)
{
	struct topdown_owners owners = {
		.size = sizeof(owners), .kind = TOPDOWN_OWNERS_CGROUPS,
	};
	int device = device_open();

	owners_fd = device < 0 ? -1 : ioctl(device, TOPDOWN_OWNERS, &owners);
	if (owners_fd < 0)
		die("no owners: %s", strerror(errno));
}

/* "cgroups", "owners"; false for another way. */
static bool count_cgroups(const char *way, const pid_t *child)
{
	bool owners = !strncmp(way, "owners", strlen("owners"));
	bool same = !strcmp(way, "owners-same");
	unsigned int i;

	if (!owners && strcmp(way, "cgroups"))
		return false;
	take_no_turn_early(0);
	for (i = 0; i < children; i++)
		take_no_turn_early(child[i]);
	enter_cgroup(0, getpid());
	for (i = 0; i < children; i++)
		enter_cgroup(same ? 0 : i + 1, child[i]);
	if (owners)
		count_owners();
	return true;
}

/* The child is there; with "together" it was made by a process that is followed. */
static void begin(const char *way, const pid_t *pids)
{
	pid_t child = pids[0];

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
		   !count_cgroups(way, pids)) {
		die("way '%s' is not known", way);
	}
}

static void read_owners(void)
{
	unsigned int room = children + 64;
	struct topdown_owner *records = calloc(room, sizeof(*records));
	struct topdown_owners_read read = {
		.size = sizeof(read), .record_size = sizeof(*records),
		.records = (uintptr_t)records, .nr_records = room,
	};
	struct td_bd_truth from, to;

	/* Its pages are there. */
	memset(records, 0, room * sizeof(*records));
	backdoor_truth_cpu(HOME_CPU, &from);
	if (ioctl(owners_fd, TOPDOWN_OWNERS_READ, &read) || read.cursor)
		die("cannot read owners: %s", strerror(errno));
	backdoor_truth_cpu(HOME_CPU, &to);
	backdoor_truth_sub(&to, &from);
	printf("owners=%u bytes=%zu instructions=%" PRIu64 "\n", (unsigned int)read.nr_records,
	       read.nr_records * sizeof(*records), to.instructions);
	free(records);
}

static void spin_beside(long cpu)
{
	if (cpu_pin(cpu))
		die("no CPU %ld", cpu);
	for (;;)
		spin();
}

/*
 * The same on each other CPU, without end.  The CPUs share the emulated time, so what depends on
 * time and not on switches weighs more than on one; BESIDE=spin is the measure for that.
 */
static void begin_beside(char **argv)
{
	bool spins = !strcmp(getenv("BESIDE"), "spin");
	long cpu, cpus = sysconf(_SC_NPROCESSORS_ONLN);
	char number[24];

	unsetenv("BESIDE");
	for (cpu = 0; cpu < cpus; cpu++) {
		if (cpu == HOME_CPU || fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (spins)
			spin_beside(cpu);
		snprintf(number, sizeof(number), "%ld", cpu);
		setenv("CPU", number, 1);
		execv(argv[0], (char *[]){ argv[0], argv[1], "1000000000", argv[3], NULL });
		die("cannot start another: %s", strerror(errno));
	}
	sleep(2);
}

static void make_children(const char *way, pid_t *child)
{
	unsigned int i;

	for (i = 0; i < children; i++) {
		if (pipe(to_child[i]))
			die("no pipe: %s", strerror(errno));
		self = i;
		child[i] = start(child_run);
	}
	begin(way, child);
}

int main(int argc, char **argv)
{
	const char *nr = getenv("CHILDREN"), *cpu = getenv("CPU");
	struct td_bd_truth truth;
	unsigned long rounds;
	pid_t *child;

	if (argc != 4)
		die("usage: switch WAY ROUNDS LOOPS");
	rounds = strtoul(argv[2], NULL, 10);
	loops = strtoul(argv[3], NULL, 10);
	children = nr ? strtoul(nr, NULL, 10) : 1;
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 8192, 8192 });
	child = calloc(children, sizeof(*child));
	to_child = calloc(children, sizeof(*to_child));
	if (getenv("BESIDE"))
		begin_beside(argv);
	if (!child || !to_child || !backdoor_open() || cpu_pin(cpu ? atoi(cpu) : HOME_CPU) ||
	    pipe(to_parent))
		die("this is not the emulated PMU, or not root");
	if (!strcmp(argv[1], "together"))
		follow(0, TOPDOWN_ATTACH_CHILDREN);
	make_children(argv[1], child);

	take_turns(rounds / 10 + children);
	if (!strcmp(argv[1], "owners-read")) {
		read_owners();
		return 0;
	}
	take_measured(rounds, &truth);
	printf("switches=%lu time_ns=%" PRIu64 " instructions=%" PRIu64 " rdpmc=%" PRIu64
	       " wrmsr=%" PRIu64 " rdmsr=%" PRIu64 "\n", 2 * rounds, truth.time_ns,
	       truth.instructions, truth.rdpmc, truth.wrmsr, truth.rdmsr);
	return 0;
}
