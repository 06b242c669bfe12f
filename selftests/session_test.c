// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: whose slots were they?  Tasks of one profile run beside tasks of
 * other profiles on the same CPUs, and the figures of their sessions are
 * compared with the exact truth of their address spaces.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "guest.h"
#include "sample.h"

/* Percentage points, and a share of the slots: the acceptance criteria. */
#define LIMIT_POINTS	0.5
#define LIMIT_SLOTS	0.01

#define SPAN_MS		800
#define CPUS		4
#define THREADS		8
#define CHILDREN	3

static const char * const names[] = { "branchy", "stream", "compute", "bigcode", "divide" };

static const struct td_bd_profile *profile(unsigned int i)
{
	return &profile_find(names[i % 5])->profile;
}

static void spin_ms(unsigned int ms)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + ms * 1000000ULL;
	volatile int i;

	do {
		for (i = 0; i < 20000; i++)
			;
	} while (clock_ns(CLOCK_MONOTONIC) < end);
}

FIXTURE(session) {
	int fd;
	unsigned int cpu[TD_CPUS_MAX];
	unsigned int cpus;
	int spinner[CPUS];
	struct topdown_session seen;
	struct td_bd_truth from, to;
};

FIXTURE_SETUP(session)
{
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_TRUE(door_open());
	self->cpus = cpus_online(self->cpu);
	if (self->cpus > CPUS)
		self->cpus = CPUS;
	memset(self->spinner, 0, sizeof(self->spinner));
}

FIXTURE_TEARDOWN(session)
{
	unsigned int i;

	for (i = 0; i < CPUS; i++) {
		if (self->spinner[i] > 0)
			spin_stop(self->spinner[i]);
	}
	close(self->fd);
}

/* Others on all CPUs, of profiles other than number 0. */
static bool compete(int *spinner, const unsigned int *cpu, unsigned int cpus)
{
	unsigned int i;

	for (i = 0; i < cpus; i++) {
		spinner[i] = spin_start(cpu[i], profile(1 + i % 4));
		if (spinner[i] <= 0)
			return false;
	}
	return true;
}

/* What the session says beside @truth, all of whose slots should be its own. */
static void compare(const struct topdown_session *seen, const struct td_bd_truth *truth,
		    struct comparison *comparison)
{
	const struct topdown_figures *figures = &seen->out_figures;
	double fraction[TOPDOWN_NR_NODES], want[TOPDOWN_NR_NODES];
	unsigned int i;

	door_truth_nodes(truth, want);
	for (i = 0; i < TOPDOWN_NR_NODES; i++)
		fraction[i] = figures->ratio[i] == TOPDOWN_RATIO_NONE ? NAN :
			      figures->ratio[i] / (double)TOPDOWN_RATIO_ONE;
	compare_nodes(fraction, want, seen->out_level, comparison);
	comparison->slots = figures->slots / (double)truth->slots;
	comparison->running = figures->running_ns / (double)figures->enabled_ns;
}

static bool good(const struct topdown_session *seen, const struct td_bd_truth *truth)
{
	struct comparison comparison;

	compare(seen, truth, &comparison);
	printf("# %.3f points, slots %.4f of the truth (%.4f to %.4f), running %.4f, merged %.2f ms, %llu switches, %u tasks\n",
	       comparison.points, comparison.slots, comparison.slots,
	       seen->out_figures.slots / (double)truth->user_slots, comparison.running,
	       seen->out_merged_ns / 1e6, seen->out_switches, seen->out_tasks);
	return comparison.points <= LIMIT_POINTS && fabs(comparison.slots - 1) <= LIMIT_SLOTS;
}

TEST_F(session, own_thread)
{
	int session;

	ASSERT_EQ(0, cpu_pin(self->cpu[0]));
	ASSERT_TRUE(compete(self->spinner, self->cpu, self->cpus));
	ASSERT_TRUE(door_set_profile(profile(0)));
	spin_ms(50);
	session = device_attach(self->fd, TOPDOWN_ATTACH_THREAD, 0);
	ASSERT_LT(0, session);
	door_truth_space(&self->from);
	spin_ms(SPAN_MS);
	ASSERT_EQ(0, device_session(self->fd, TOPDOWN_SESSION_FRESH, session, &self->seen));
	door_truth_space(&self->to);
	door_truth_sub(&self->to, &self->from);
	EXPECT_TRUE(good(&self->seen, &self->to));
	EXPECT_EQ(TOPDOWN_SESSION_RUNNING, self->seen.out_state);
	EXPECT_EQ(1, self->seen.out_tasks);
	EXPECT_EQ(TOPDOWN_SOURCE_PERF_METRICS, self->seen.out_source);
}

int main(int argc, char **argv)
{
	int ret = module_need();

	if (ret)
		return ret;
	if (!door_open()) {
		printf("1..0 # SKIP this machine has no emulated PMU\n");
		return 4;
	}
	return test_harness_run(argc, argv);
}
