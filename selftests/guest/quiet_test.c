// SPDX-License-Identifier: GPL-2.0
/*
 * A session does not disturb others.  CPUs that run none of its tasks are not
 * interrupted, and kernel threads are left alone.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "guest.h"
#include "session.h"

#define STRANGER	2
/* A CPU that runs none of the session's tasks either, but is not nohz_full in matrix.conf. */
#define NEIGHBOUR	1
#define CPU_MAX		64

/* Interrupts from other CPUs: function calls, TLB shootdowns, irq_work. */
static const char * const kinds[] = { "CAL:", "TLB:", "IWI:" };

/* How many of them a CPU has had, or -1. */
static long interrupts(unsigned int cpu)
{
	FILE *file = fopen("/proc/interrupts", "re");
	char line[4096], *at, *end;
	unsigned int i, k;
	long n = 0;

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		at = line + strspn(line, " ");
		for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
			if (strncmp(at, kinds[k], strlen(kinds[k])))
				continue;
			for (end = at + strlen(kinds[k]), i = 0; i < cpu; i++)
				strtol(end, &end, 10);
			n += strtol(end, &end, 10);
			break;
		}
	}
	fclose(file);
	return n;
}

FIXTURE(quiet) {
	int fd;
};

FIXTURE_SETUP(quiet)
{
	unsigned int cpu[CPU_MAX];

	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	if (cpus_online(cpu) <= STRANGER)
		SKIP(return, "needs a third CPU");
}

FIXTURE_TEARDOWN(quiet)
{
	close(self->fd);
}

/*
 * The kernel has its threads run where nobody else does, unless the CPU is isolated, as
 * matrix.conf has it.
 */
#define STRAY		0
/* Where they may run: far less than one interrupt a round. */
#define STRAY_OF(rounds)	((rounds) / 10)

/* The interrupts of a CPU while @loop runs, less those in as much time without it. */
static long interrupts_more(unsigned int cpu, void (*loop)(int fd, unsigned int rounds), int fd,
			    unsigned int rounds)
{
	uint64_t from = clock_ns(CLOCK_MONOTONIC), to;
	long begin = interrupts(cpu), looped, idle;

	loop(fd, rounds);
	looped = interrupts(cpu);
	to = clock_ns(CLOCK_MONOTONIC);
	while (clock_ns(CLOCK_MONOTONIC) < 2 * to - from)
		;
	idle = interrupts(cpu);
	printf("# CPU %u: %ld interrupts in %u rounds of %.1f us, %ld in the same time without\n",
	       cpu, looped - begin, rounds, (to - from) / 1e3 / rounds, idle - looped);
	return begin < 0 ? 1000000 : looped - begin - (idle - looped);
}

static void attach_and_detach(int fd, unsigned int rounds)
{
	int session;

	while (rounds--) {
		session = device_attach(fd, TOPDOWN_ATTACH_THREAD, 0);
		if (session <= 0 || close(session))
			exit(1);
	}
}

/* perf has the kernel patched a second after the last event of a task, and for the next. */
static void attach_now_and_then(int fd, unsigned int rounds)
{
	while (rounds--) {
		attach_and_detach(fd, 1);
		sleep_ms(1500);
	}
}

/* The first sessions have the kernel patched, once. */
TEST_F_TIMEOUT(quiet, attaching_interrupts_nobody, 600)
{
	unsigned int rounds = getenv("TOPDOWN_FULL") ? 10000 : 3000;

	ASSERT_EQ(0, cpu_pin(0));
	attach_and_detach(self->fd, 100);
	EXPECT_GE(STRAY, interrupts_more(STRANGER, attach_and_detach, self->fd, rounds));
	EXPECT_GE(STRAY, interrupts_more(STRANGER, attach_now_and_then, self->fd, 2));
}

static void read_fresh(int session, unsigned int rounds)
{
	struct topdown_session seen;

	while (rounds--) {
		if (device_session(session, TOPDOWN_SESSION_FRESH, &seen) ||
		    device_control(session, TOPDOWN_CONTROL_ENABLE))
			exit(1);
	}
}

TEST_F_TIMEOUT(quiet, reading_interrupts_nobody, 300)
{
	int session;

	ASSERT_EQ(0, cpu_pin(0));
	session = device_attach(self->fd, TOPDOWN_ATTACH_CHILDREN, 0);
	ASSERT_LT(0, session);
	EXPECT_GE(STRAY, interrupts_more(STRANGER, read_fresh, session, 1000));
	/* nohz_full CPUs are left alone by any reading: this one would not be. */
	EXPECT_GE(STRAY_OF(1000), interrupts_more(NEIGHBOUR, read_fresh, session, 1000));
}

/* The kernel's list is as "2-3,6". */
static bool is_nohz_full(unsigned int cpu)
{
	FILE *file = fopen("/sys/devices/system/cpu/nohz_full", "re");
	unsigned int first, last;
	bool found = false;

	while (file && fscanf(file, "%u", &first) == 1) {
		/* Without a "-" it is a single CPU. */
		if (fscanf(file, "-%u", &last) != 1)
			last = first;
		found |= first <= cpu && cpu <= last;
		if (fgetc(file) != ',')
			break;
	}
	if (file)
		fclose(file);
	return found;
}

/* A nohz_full CPU is not interrupted either if it runs the task that is read. */
TEST_F_TIMEOUT(quiet, a_cpu_whose_task_is_read_stays_quiet, 300)
{
	int pid, session;

	if (!is_nohz_full(STRANGER))
		SKIP(return, "CPU %u is not nohz_full", STRANGER);
	ASSERT_EQ(0, cpu_pin(0));
	pid = spin_start(STRANGER, profile(0));
	ASSERT_LT(0, pid);
	session = device_attach(self->fd, 0, pid);
	ASSERT_LT(0, session);
	EXPECT_GE(STRAY_OF(1000), interrupts_more(STRANGER, read_fresh, session, 1000));
	spin_stop(pid);
}

TEST_F(quiet, kernel_threads_are_refused)
{
	static const char * const names[] = { "kthreadd", "migration/0", "ksoftirqd/0" };
	unsigned int i;
	int pid;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		pid = kernel_thread(names[i]);
		ASSERT_LT(0, pid);
		EXPECT_EQ(-EOPNOTSUPP, device_attach(self->fd, 0, pid));
		EXPECT_EQ(-EOPNOTSUPP, device_attach(self->fd, TOPDOWN_ATTACH_THREAD, pid));
	}
}

int main(int argc, char **argv)
{
	int ret = emulator_need();

	return ret ? ret : test_harness_run(argc, argv);
}
