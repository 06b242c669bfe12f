// SPDX-License-Identifier: GPL-2.0
/*
 * Measure what the kernel takes from busy CPUs.  The program spins on every CPU but
 * one for so long, or until a command on that one has ended.  It prints how many
 * instructions were not the spinning's own.
 *
 *   standing [-b CPUS] [-e CONFIG] MS
 *   standing [-b CPUS] [-e CONFIG] COMMAND ARG...
 *
 * With -b so many CPUs are busy, and the others idle.  With -e the event that perf names so
 * happens once in EVENT_CYCLES cycles of the spinning.
 *
 * Prints one line: the sums over the CPUs that were busy, the timer interrupts
 * that they took, and what the home CPU and idle ones executed.  Run with the module and
 * without it, the difference is what the module costs.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

/* Instructions of one turn of spin(): the inner loop's and four more. */
#define INNER	1000
#define TURN	(2 * INNER + 4)
#define EVENT_CYCLES	1000

struct spinner {
	struct td_bd_truth truth;
	uint64_t own;
	uint64_t windows;
};

struct shared {
	uint32_t ready;
	uint32_t go;
	uint32_t stop;
	struct spinner spinner[TD_CPUS_MAX];
};

static struct shared *shared;
static const struct topdown_map *map;
static uint64_t event;
/* CPUs from 1 to this one spin. */
static unsigned int last_busy;

/* Turns until somebody sets @stop. */
static uint64_t spin(const uint32_t *stop)
{
	uint64_t turns = 0;

	asm volatile("1:	movl %[inner], %%ecx\n"
		     "2:	decl %%ecx\n"
		     "	jnz 2b\n"
		     "	incq %[turns]\n"
		     "	cmpl $0, %[stop]\n"
		     "	je 1b\n"
		     : [turns] "+r" (turns)
		     : [inner] "i" (INNER), [stop] "m" (*stop)
		     : "ecx", "memory", "cc");
	return turns;
}

static uint64_t windows(unsigned int cpu)
{
	struct topdown_map_record record;

	if (!map)
		return 0;
	if (!map_record(map, cpu, &record))
		die("the record of CPU %u does not come to rest", cpu);
	return record.windows;
}

static void spinner(unsigned int cpu)
{
	struct spinner *me = &shared->spinner[cpu];
	struct td_bd_truth before;
	uint64_t first;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (cpu_pin(cpu))
		die("cannot run on CPU %u: %s", cpu, strerror(errno));
	if (event && !backdoor_set_rate(event, TD_BD_FRACTION / EVENT_CYCLES))
		die("event %#" PRIx64 " cannot happen", event);
	/* Its page must be there. */
	memset(me, 0, sizeof(*me));
	__atomic_add_fetch(&shared->ready, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n(&shared->go, __ATOMIC_SEQ_CST))
		sleep_ms(1);

	first = windows(cpu);
	backdoor_truth_cpu(cpu, &before);
	me->own = spin(&shared->stop) * TURN;
	backdoor_truth_cpu(cpu, &me->truth);
	me->windows = windows(cpu) - first;
	backdoor_truth_sub(&me->truth, &before);
	exit(0);
}

static struct spinner sum_up(void)
{
	const struct spinner *one;
	struct spinner sum = { };
	unsigned int cpu;

	for (cpu = HOME_CPU + 1; cpu <= last_busy; cpu++) {
		one = &shared->spinner[cpu];
		sum.truth.time_ns += one->truth.time_ns;
		sum.truth.instructions += one->truth.instructions;
		sum.truth.rdmsr += one->truth.rdmsr;
		sum.truth.wrmsr += one->truth.wrmsr;
		sum.truth.rdpmc += one->truth.rdpmc;
		sum.own += one->own;
		sum.windows += one->windows;
	}
	return sum;
}

/* The instructions of the idle CPUs, more or less. */
static uint64_t others(unsigned int nr)
{
	struct td_bd_truth truth;
	uint64_t sum = 0;
	unsigned int cpu;

	for (cpu = last_busy + 1; cpu < nr; cpu++) {
		backdoor_truth_cpu(cpu, &truth);
		sum += truth.instructions;
	}
	return sum;
}

static void start_spinners(void)
{
	unsigned int cpu;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED || cpu_pin(HOME_CPU))
		die("no memory, or no CPU %d", HOME_CPU);
	for (cpu = HOME_CPU + 1; cpu <= last_busy; cpu++) {
		if (!fork())
			spinner(cpu);
	}
	while (__atomic_load_n(&shared->ready, __ATOMIC_SEQ_CST) < last_busy)
		sleep_ms(1);
}

static void stop_spinners(void)
{
	int status;

	__atomic_store_n(&shared->stop, 1, __ATOMIC_SEQ_CST);
	while (wait(&status) > 0) {
		if (status)
			die("a spinner failed");
	}
}

static void run_command(char **command)
{
	int status;
	pid_t pid;

	pid = fork();
	if (!pid) {
		execvp(command[0], command);
		die("cannot run %s: %s", command[0], strerror(errno));
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status)
		die("%s failed", command[0]);
}

static void usage(void)
{
	die("usage: standing [-b CPUS] [-e CONFIG] MS | COMMAND ARG...");
}

/* Give the number of the first argument that is no option. */
static int parse(int argc, char **argv, unsigned int nr)
{
	int at = 1;

	last_busy = nr - 1;
	for (; at + 2 < argc && argv[at][0] == '-'; at += 2) {
		if (!strcmp(argv[at], "-b"))
			last_busy = strtoul(argv[at + 1], NULL, 0);
		else if (!strcmp(argv[at], "-e"))
			event = strtoull(argv[at + 1], NULL, 0);
		else
			usage();
	}
	if (at >= argc || !last_busy || last_busy >= nr)
		usage();
	return at;
}

int main(int argc, char **argv)
{
	struct td_bd_truth before, home;
	uint64_t ticks, idle;
	struct spinner sum;
	unsigned int nr;
	int at;

	nr = sysconf(_SC_NPROCESSORS_CONF);
	if (nr < 2 || nr > TD_CPUS_MAX)
		die("%u CPUs are too few or too many", nr);
	at = parse(argc, argv, nr);
	if (!backdoor_open())
		die("this is not the emulated PMU, or not root");
	if (module_loaded()) {
		map = map_open();
		if (!map)
			die("cannot map " TD_DEVICE ": %s", strerror(errno));
	}

	start_spinners();
	ticks = interrupt_count("LOC:", 1);
	idle = others(nr);
	backdoor_truth_cpu(HOME_CPU, &before);
	__atomic_store_n(&shared->go, 1, __ATOMIC_SEQ_CST);
	if (argc > at + 1)
		run_command(argv + at);
	else
		sleep_ms(strtoul(argv[at], NULL, 10));
	backdoor_truth_cpu(HOME_CPU, &home);
	idle = others(nr) - idle;
	stop_spinners();
	ticks = interrupt_count("LOC:", 1) - ticks;
	backdoor_truth_sub(&home, &before);
	sum = sum_up();
	printf("cpus=%u time_ns=%" PRIu64 " kernel=%" PRIu64 " ticks=%" PRIu64 " home=%" PRIu64
	       " rdmsr=%" PRIu64 " wrmsr=%" PRIu64 " rdpmc=%" PRIu64 " windows=%" PRIu64
	       " others=%" PRIu64 "\n",
	       last_busy, sum.truth.time_ns, sum.truth.instructions - sum.own, ticks,
	       home.instructions, sum.truth.rdmsr, sum.truth.wrmsr, sum.truth.rdpmc, sum.windows,
	       idle);
	return 0;
}
