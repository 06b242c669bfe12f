// SPDX-License-Identifier: GPL-2.0
/*
 * How late a task of the highest priority is on a CPU where another task has many sessions.  The
 * module works at each switch of that task, with interrupts off.  So the delay may grow with the
 * number of sessions, as with perf's own events, but not with its square.
 *
 * TOPDOWN_WAKES  so many wake-ups for each number of sessions (1000)
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "guest.h"

#define CPU		1
#define PERIOD_NS	1000000
/* As many as a task may have. */
#define MOST		64

FIXTURE(fifo) {
	int fd;
	int pid;
};

/* Two processes on one CPU that pass a byte to each other; the pid of the first. */
static int pair_start(void)
{
	int there[2], back[2], pid;
	char byte = 0;

	if (pipe(there) || pipe(back))
		return -1;
	pid = fork();
	if (pid)
		return pid;
	if (cpu_pin(CPU))
		_exit(1);
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	while (write(there[1], &byte, 1) == 1 && read(back[0], &byte, 1) == 1)
		;
	_exit(0);
}

/* The mean delay of the caller's wake-ups in nanoseconds. */
static double late_ns(unsigned int wakes, uint64_t *worst)
{
	uint64_t due = clock_ns(CLOCK_MONOTONIC) + PERIOD_NS, late, sum = 0;
	struct timespec until;
	unsigned int i;

	*worst = 0;
	for (i = 0; i < wakes; i++, due += PERIOD_NS) {
		until.tv_sec = due / 1000000000;
		until.tv_nsec = due % 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
		late = clock_ns(CLOCK_MONOTONIC) - due;
		sum += late;
		if (late > *worst)
			*worst = late;
		/* Later than a period: do not count the same delay again. */
		due += late / PERIOD_NS * PERIOD_NS;
	}
	return (double)sum / wakes;
}

FIXTURE_SETUP(fifo)
{
	const struct sched_param param = { .sched_priority = 50 };

	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	self->pid = pair_start();
	ASSERT_LT(0, self->pid);
	ASSERT_EQ(0, cpu_pin(CPU));
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO, &param));
}

FIXTURE_TEARDOWN(fifo)
{
	spin_stop(self->pid);
	close(self->fd);
}

TEST_F_TIMEOUT(fifo, delay_is_linear, 300)
{
	static const unsigned int number[] = { 1, 8, MOST };
	unsigned int wakes = env_number("TOPDOWN_WAKES", 1000), n = 0, i;
	double late[3];
	uint64_t worst;

	/* The first ones find nothing in the caches. */
	late_ns(wakes / 5, &worst);
	for (i = 0; i < 3; i++) {
		for (; n < number[i]; n++)
			ASSERT_LT(0, device_attach(self->fd, TOPDOWN_ATTACH_THREAD, self->pid));
		late[i] = late_ns(wakes, &worst);
		printf("# %u sessions: late by %.1f us, at most %.1f us\n", n, late[i] / 1000,
		       worst / 1000.0);
	}
	/* The delay of 63 more is 9 times that of 7 more; its square would be 64 times. */
	EXPECT_GT(20 * (late[1] - late[0]), late[2] - late[0]);
}

int main(int argc, char **argv)
{
	int ret = module_need();

	return ret ? ret : test_harness_run(argc, argv);
}
