// SPDX-License-Identifier: GPL-2.0
/*
 * How late a real-time task starts beside a thread that switches all the time and that many
 * sessions follow.  Each of these makes each switch longer, with interrupts off, and all of them
 * share one fold of the CPU, on a CPU so slow that perf needs microseconds from one session to
 * the next, too.
 */
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "fact.h"
#include "guest.h"
#include "session.h"

/* As uapi/linux/topdown.h has it. */
#define OF_TASK		64

#define CPU		1
#define ROUNDS		300
/* A period between wake-ups, at least and at most. */
#define LEAST_NS	100000
#define MOST_NS		700000

/*
 * So many sessions make the task this many times as late as one does: six times, as each adds the
 * same.  Where each folds the CPU by itself it is twenty to forty times.
 */
#define LIMIT_TIMES	12

struct delay {
	double mean_us;
	double worst_us;
};

/* A task that gives up its CPU again and again. */
static int yielder_start(void)
{
	int pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (cpu_pin(CPU))
		_exit(1);
	for (;;)
		sched_yield();
}

/* Sleep again and again, and see how late we wake up. */
static struct delay delay_measure(void)
{
	struct delay delay = { };
	uint64_t at, late, sum = 0;
	struct timespec until;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		at = clock_ns(CLOCK_MONOTONIC) + LEAST_NS + rand() % (MOST_NS - LEAST_NS);
		until.tv_sec = at / 1000000000;
		until.tv_nsec = at % 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
		late = clock_ns(CLOCK_MONOTONIC) - at;
		sum += late;
		if (late / 1e3 > delay.worst_us)
			delay.worst_us = late / 1e3;
	}
	delay.mean_us = sum / 1e3 / ROUNDS;
	return delay;
}

FIXTURE(delay) {
	int fd;
	int yielder[2];
};

FIXTURE_SETUP(delay)
{
	int i;

	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	for (i = 0; i < 2; i++) {
		self->yielder[i] = yielder_start();
		ASSERT_LT(0, self->yielder[i]);
	}
	ASSERT_EQ(0, cpu_pin(CPU));
	ASSERT_EQ(0, realtime());
}

FIXTURE_TEARDOWN(delay)
{
	int i;

	for (i = 0; i < 2; i++)
		spin_stop(self->yielder[i]);
	close(self->fd);
}

TEST_F_TIMEOUT(delay, grows_with_the_sessions_of_a_thread, 300)
{
	static const unsigned int number[] = { 1, 8, 32, OF_TASK };
	struct delay delay[4];
	unsigned int n = 0, i;

	/* A load of the module and the first session make perf patch the kernel's text. */
	ASSERT_LT(0, device_attach(self->fd, TOPDOWN_ATTACH_THREAD, self->yielder[0]));
	n++;
	sleep_ms(3000);
	for (i = 0; i < 4; i++) {
		for (; n < number[i]; n++)
			ASSERT_LT(0, device_attach(self->fd, TOPDOWN_ATTACH_THREAD,
						   self->yielder[0]));
		delay[i] = delay_measure();
		printf("# %u sessions: late by %.1f us, at most %.1f us\n", n, delay[i].mean_us,
		       delay[i].worst_us);
	}
	EXPECT_TRUE(fact(delay[3].mean_us < LIMIT_TIMES * delay[0].mean_us));
}

int main(int argc, char **argv)
{
	int ret = module_need();

	return ret ? ret : test_harness_run(argc, argv);
}
