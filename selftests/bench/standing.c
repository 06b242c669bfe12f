// SPDX-License-Identifier: GPL-2.0
/*
 * Measure what the kernel takes from busy CPUs.  The program spins on every CPU but
 * one for so long, or until a command on that one has ended.  It prints how many
 * instructions were not the spinning's own.
 *
 *   standing [-e CONFIG] MS
 *   standing [-e CONFIG] COMMAND ARG...
 *
 * With -e the event that perf names so happens once in EVENT_CYCLES cycles of the spinning.
 *
 * Prints one line: the sums over the CPUs that were busy, the timer interrupts
 * that they took, and what the home CPU executed.  Run with the module and
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

static struct spinner sum_up(unsigned int nr)
{
	const struct spinner *one;
	struct spinner sum = { };
	unsigned int cpu;

	for (cpu = 0; cpu < nr; cpu++) {
		if (cpu == HOME_CPU)
			continue;
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

static void start_spinners(unsigned int nr)
{
	unsigned int cpu;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED || cpu_pin(HOME_CPU))
		die("no memory, or no CPU %d", HOME_CPU);
	for (cpu = 0; cpu < nr; cpu++) {
		if (cpu != HOME_CPU && !fork())
			spinner(cpu);
	}
	while (__atomic_load_n(&shared->ready, __ATOMIC_SEQ_CST) < nr - 1)
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

int main(int argc, char **argv)
{
	struct td_bd_truth before, home;
	struct spinner sum;
	uint64_t ticks;
	unsigned int nr;

	if (argc > 2 && !strcmp(argv[1], "-e")) {
		event = strtoull(argv[2], NULL, 0);
		argv += 2;
		argc -= 2;
	}
	if (argc < 2)
		die("usage: standing [-e CONFIG] MS | COMMAND ARG...");
	nr = sysconf(_SC_NPROCESSORS_CONF);
	if (nr < 2 || nr > TD_CPUS_MAX)
		die("%u CPUs are too few or too many", nr);
	if (!backdoor_open())
		die("this is not the emulated PMU, or not root");
	if (module_loaded()) {
		map = map_open();
		if (!map)
			die("cannot map " TD_DEVICE ": %s", strerror(errno));
	}

	start_spinners(nr);
	ticks = interrupt_count("LOC:", 1);
	backdoor_truth_cpu(HOME_CPU, &before);
	__atomic_store_n(&shared->go, 1, __ATOMIC_SEQ_CST);
	if (argc > 2)
		run_command(argv + 1);
	else
		sleep_ms(strtoul(argv[1], NULL, 10));
	backdoor_truth_cpu(HOME_CPU, &home);
	stop_spinners();
	ticks = interrupt_count("LOC:", 1) - ticks;
	backdoor_truth_sub(&home, &before);
	sum = sum_up(nr);
	printf("cpus=%u time_ns=%" PRIu64 " kernel=%" PRIu64 " ticks=%" PRIu64 " home=%" PRIu64
	       " rdmsr=%" PRIu64 " wrmsr=%" PRIu64 " rdpmc=%" PRIu64 " windows=%" PRIu64 "\n",
	       nr - 1, sum.truth.time_ns, sum.truth.instructions - sum.own, ticks,
	       home.instructions, sum.truth.rdmsr, sum.truth.wrmsr, sum.truth.rdpmc, sum.windows);
	return 0;
}
