// SPDX-License-Identifier: GPL-2.0
/*
 * Leader sampling: an event of cycles samples, and each sample reads the events of the PMU
 * topdown beside it, in an NMI.  The span that ends in a sample belongs to the function that
 * the sample is in.
 *
 * TOPDOWN_FULL  also functions that run for 500 ms
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "leader.h"

/* Percentage points of each node of a function: the acceptance criterion. */
#define LIMIT_POINTS	2.0
#define FUNCTIONS	4
#define PHASES		12

/* Shared with the child. */
struct shared {
	struct td_bd_truth truth[FUNCTIONS];
	unsigned int ms;
	volatile int go;
	volatile int done;
};

#define FUNCTION(n)							\
static __attribute__((noinline, aligned(4096))) void function_##n(uint64_t ns)	\
{									\
	uint64_t end = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + ns;		\
	volatile int i;							\
									\
	do {								\
		for (i = 0; i < 100000; i++)				\
			;						\
	} while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < end);		\
}

FUNCTION(0)
FUNCTION(1)
FUNCTION(2)
FUNCTION(3)

static void (* const functions[FUNCTIONS])(uint64_t) = {
	function_0, function_1, function_2, function_3,
};

static const char * const names[FUNCTIONS] = { "compute", "stream", "branchy", "bigcode" };

/* The functions take turns, and each is of another profile. */
static void child_run(struct shared *shared)
{
	struct td_bd_truth from, to;
	unsigned int phase, n, category;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (cpu_pin(0) || !backdoor_set_profile(&profile_find(names[0])->profile))
		_exit(1);
	while (!shared->go)
		usleep(1000);
	for (phase = 0; phase < PHASES; phase++) {
		n = phase % FUNCTIONS;
		backdoor_change_profile(&profile_find(names[n])->profile);
		backdoor_truth_space(&from);
		functions[n](shared->ms * 1000000ULL);
		backdoor_truth_space(&to);
		backdoor_truth_sub(&to, &from);
		shared->truth[n].slots += to.slots;
		for (category = 0; category < TD_BD_CATEGORIES; category++)
			shared->truth[n].category[category] += to.category[category];
	}
	shared->done = 1;
	for (;;)
		pause();
}

static int function_of(uint64_t ip)
{
	unsigned int n;

	for (n = 0; n < FUNCTIONS; n++) {
		if (ip >= (uintptr_t)functions[n] && ip < (uintptr_t)functions[n] + 4096)
			return n;
	}
	return -1;
}

FIXTURE(sample) {
	struct shared *shared;
	int competitor;
};

FIXTURE_VARIANT(sample) {
	unsigned int ms;
};

FIXTURE_VARIANT_ADD(sample, of_50_ms) { .ms = 50 };
FIXTURE_VARIANT_ADD(sample, of_200_ms) { .ms = 200 };
FIXTURE_VARIANT_ADD(sample, of_500_ms) { .ms = 500 };

FIXTURE_SETUP(sample)
{
	if (variant->ms > 200 && !getenv("TOPDOWN_FULL"))
		SKIP(return, "TOPDOWN_FULL=1 takes the long times too");
	ASSERT_EQ(0, module_need());
	if (!backdoor_open())
		SKIP(return, "this is not the emulated PMU");
	self->shared = mmap(NULL, sizeof(*self->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->shared);
	ASSERT_EQ(0, cpu_pin(1));
}

FIXTURE_TEARDOWN(sample)
{
}

TEST_F_TIMEOUT(sample, functions_have_their_profiles, 200)
{
	uint64_t total[LEADER_VALUES] = { 0 }, sum[FUNCTIONS][PERF_EVENTS] = { { 0 } };
	uint64_t last[LEADER_VALUES];
	unsigned int i, n, samples = 0, elsewhere = 0;
	double node[TRUTH_NODES], ratio;
	struct leader_sample sample;
	struct ring ring;
	const struct perf_event_attr user = {
		/* One sample in 1 ms. */
		.sample_period	= 3000000,
		.exclude_kernel	= 1,
		.exclude_hv	= 1,
	};
	int fd[LEADER_VALUES], pid, function;

	self->shared->ms = variant->ms;
	pid = fork();
	if (!pid)
		child_run(self->shared);
	ASSERT_EQ(0, leader_open(fd, pid, -1, &user));
	ASSERT_TRUE(ring_open(&ring, fd[0]));
	ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0));
	self->shared->go = 1;
	for (i = 0; i < 10000 && !self->shared->done; i++)
		sleep_ms(5);
	ASSERT_TRUE(self->shared->done);
	ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0));

	while (ring_next(&ring, &sample)) {
		ASSERT_EQ(LEADER_VALUES, sample.nr);
		function = function_of(sample.ip);
		samples++;
		elsewhere += function < 0;
		for (i = 0; i < PERF_EVENTS; i++) {
			ASSERT_LE(total[1 + i], sample.value[1 + i]);
			if (function >= 0)
				sum[function][i] += sample.value[1 + i] - total[1 + i];
		}
		memcpy(total, sample.value, sizeof(total));
	}
	TH_LOG("%u samples, %u of them in no function", samples, elsewhere);
	EXPECT_EQ(0, ring.others);
	EXPECT_LE(PHASES * variant->ms * 0.8, samples);
	EXPECT_GE(samples / 20 + 2, elsewhere);

	/* Nothing is missing: the spans sum to what the events have, but for the last one. */
	ASSERT_EQ(0, leader_read(fd, last));
	for (i = 0; i < LEADER_VALUES; i++)
		EXPECT_LE(total[i], last[i]);
	EXPECT_GE(total[1 + PERF_SLOTS] * 1.02, last[1 + PERF_SLOTS]);

	for (n = 0; n < FUNCTIONS; n++) {
		backdoor_truth_nodes(&self->shared->truth[n], node);
		for (i = 0; i < TRUTH_NODES; i++) {
			ratio = (double)sum[n][PERF_NODE(i)] / sum[n][PERF_SLOTS];
			EXPECT_GE(LIMIT_POINTS, fabs(ratio - node[i]) * 100) {
				TH_LOG("%s: node %u: %.2f%%, not %.2f%%", names[n], i,
				       100 * ratio, 100 * node[i]);
			}
		}
	}
	ring_close(&ring);
	leader_close(fd);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Two tasks of CPU 0 that switch to each other all the time, and samples of that CPU. */
FIXTURE(switches) {
	int task[2];
	struct ring ring;
	int sampler[2];
};

/* A task that passes each byte on. */
static int pass_on(int from, int to)
{
	volatile int i;
	char byte;
	int pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (cpu_pin(0))
		_exit(1);
	while (read(from, &byte, 1) == 1 && write(to, &byte, 1) == 1) {
		for (i = 0; i < 2000; i++)
			;
	}
	_exit(1);
}

/* Many samples, in all modes, that read the slots. */
static bool sampler_open(int *fd, struct ring *ring)
{
	struct perf_event_attr leader = {
		.type		= PERF_TYPE_HARDWARE,
		.size		= sizeof(leader),
		.config		= PERF_COUNT_HW_CPU_CYCLES,
		.sample_period	= 20000,
		.freq		= 1,
		.sample_type	= PERF_SAMPLE_IP | PERF_SAMPLE_READ,
		.read_format	= PERF_FORMAT_GROUP,
		.exclude_guest	= 1,
	};
	struct perf_event_attr slots = { .read_format = PERF_FORMAT_GROUP, .exclude_guest = 1 };

	fd[0] = syscall(SYS_perf_event_open, &leader, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	fd[1] = fd[0] < 0 ? -1 : perf_open(&slots, -1, 0, fd[0], 0);
	return fd[1] >= 0 && ring_open(ring, fd[0]);
}

FIXTURE_SETUP(switches)
{
	int pipes[2][2];

	ASSERT_EQ(0, module_need());
	if (!backdoor_open())
		SKIP(return, "this is not the emulated PMU");
	ASSERT_EQ(0, cpu_pin(1));
	ASSERT_EQ(0, rates_unlimit());
	ASSERT_EQ(0, pipe(pipes[0]));
	ASSERT_EQ(0, pipe(pipes[1]));
	self->task[0] = pass_on(pipes[0][0], pipes[1][1]);
	self->task[1] = pass_on(pipes[1][0], pipes[0][1]);
	ASSERT_LT(0, self->task[0]);
	ASSERT_LT(0, self->task[1]);
	ASSERT_EQ(1, write(pipes[0][1], "", 1));
	ASSERT_TRUE(sampler_open(self->sampler, &self->ring));
}

FIXTURE_TEARDOWN(switches)
{
	spin_stop(self->task[0]);
	spin_stop(self->task[1]);
	ring_close(&self->ring);
	close(self->sampler[1]);
	close(self->sampler[0]);
	rates_limit();
}

/*
 * A sample that folds between two events of a task's group, while perf schedules these one
 * after the other, makes no difference between them: the children are exactly their parent.
 */
TEST_F_TIMEOUT(switches, members_of_a_group_agree, 200)
{
	struct perf_values values;
	struct perf_user user;
	unsigned int i, n, differ = 0;
	uint64_t bytes = 0;

	ASSERT_EQ(0, perf_user_open(&user, self->task[0], -1, 0));
	ASSERT_EQ(0, perf_user_enable(&user, true));
	for (n = 0; n < 100; n++) {
		sleep_ms(4);
		bytes += ring_drop(&self->ring);
		ASSERT_EQ(0, perf_user_read(&user, &values));
		for (i = 0; i < TD_NR_PARENTS; i++)
			differ += values.value[PERF_NODE(i)] !=
				  values.value[PERF_NODE(4 + 2 * i)] +
				  values.value[PERF_NODE(5 + 2 * i)];
	}
	TH_LOG("%llu slots, %llu bytes of samples, %u parents differ from their children",
	       (unsigned long long)values.value[PERF_SLOTS], (unsigned long long)bytes, differ);
	EXPECT_EQ(0, differ);
	EXPECT_LT(0, values.value[PERF_SLOTS]);
	/* One has 40. */
	EXPECT_LT(50 * 40, bytes);
	perf_user_close(&user);
}

TEST_HARNESS_MAIN
