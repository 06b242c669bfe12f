// SPDX-License-Identifier: GPL-2.0
/*
 * Owners: what they cost each switch of tasks, also where reading the counters is dear.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "fact.h"
#include "guest.h"
#include "owner.h"

FIXTURE(costs) {
	int device;
};

FIXTURE_SETUP(costs)
{
	self->device = device_open();
	ASSERT_LE(0, self->device);
}

FIXTURE_TEARDOWN(costs)
{
	close(self->device);
}

/* Two tasks of a CPU that take turns: the caller, and a child or a thread. */
struct turns {
	int there[2];
	int back[2];
	pthread_t thread;
	int pid;
};

#define TURNS		1500
#define TURN_LOOPS	100

static void turn_spin(void)
{
	volatile unsigned int i;

	for (i = 0; i < TURN_LOOPS; i++)
		;
}

static void *turns_answer(void *data)
{
	struct turns *turns = data;
	char byte;

	while (read(turns->there[0], &byte, 1) == 1 && byte) {
		turn_spin();
		if (write(turns->back[1], &byte, 1) != 1)
			break;
	}
	return NULL;
}

/*
 * Tasks of SCHED_BATCH do not preempt the one that wakes them.  Others do where they have slept
 * longer, and then a turn has one sleep and one wakeup less, for as long as that lasts.
 */
static bool turns_begin(struct turns *turns, bool thread)
{
	struct sched_param param = { };

	if (sched_setscheduler(0, SCHED_BATCH, &param))
		return false;
	if (pipe(turns->there) || pipe(turns->back))
		return false;
	turns->pid = 0;
	if (thread)
		return !pthread_create(&turns->thread, NULL, turns_answer, turns);
	turns->pid = fork();
	if (!turns->pid) {
		turns_answer(turns);
		_exit(0);
	}
	return true;
}

static void turns_end(struct turns *turns)
{
	struct sched_param param = { };
	char byte = 0;

	if (write(turns->there[1], &byte, 1) != 1)
		exit(1);
	if (turns->pid)
		waitpid(turns->pid, NULL, 0);
	else
		pthread_join(turns->thread, NULL);
	close(turns->there[0]);
	close(turns->there[1]);
	close(turns->back[0]);
	close(turns->back[1]);
	sched_setscheduler(0, SCHED_OTHER, &param);
}

/* Counts of the CPU, divided by the switches. */
struct cost {
	double instructions;
	double rdpmc;
	double wrmsr;
};

static void turns_take(struct turns *turns, unsigned int nr)
{
	char byte = 1;

	while (nr--) {
		turn_spin();
		if (write(turns->there[1], &byte, 1) != 1 || read(turns->back[0], &byte, 1) != 1)
			exit(1);
	}
}

static struct cost turns_cost_once(struct turns *turns)
{
	struct td_bd_truth from, to;

	turns_take(turns, TURNS / 10);
	backdoor_truth_cpu(0, &from);
	turns_take(turns, TURNS);
	backdoor_truth_cpu(0, &to);
	backdoor_truth_sub(&to, &from);
	return (struct cost){
		.instructions = to.instructions / (2.0 * TURNS),
		.rdpmc = to.rdpmc / (2.0 * TURNS),
		.wrmsr = to.wrmsr / (2.0 * TURNS),
	};
}

/*
 * The kernel has a job of 200,000 instructions now and then, which were 47 of 297 a switch once.
 * So take the least of three: what each switch costs is in all of them.
 */
static struct cost turns_cost(struct turns *turns)
{
	struct cost least = turns_cost_once(turns), cost;
	unsigned int i;

	for (i = 1; i < 3; i++) {
		cost = turns_cost_once(turns);
		if (cost.instructions < least.instructions)
			least = cost;
	}
	return least;
}

/* With owners each switch costs so much more than before and after. */
static bool cost_most(int device, const char *what, unsigned int kind, bool thread, double limit)
{
	struct cost before, with, after;
	struct turns turns;
	double more;
	int fd;

	if (!turns_begin(&turns, thread))
		return false;
	before = turns_cost(&turns);
	fd = owners_open(device, kind, 0);
	with = turns_cost(&turns);
	close(fd);
	after = turns_cost(&turns);
	turns_end(&turns);
	more = with.instructions - (before.instructions + after.instructions) / 2;
	printf("# %s: %.0f instructions a switch more than %.0f and %.0f, %.2f RDPMC, %.2f WRMSR\n",
	       what, more, before.instructions, after.instructions,
	       with.rdpmc - before.rdpmc, with.wrmsr - before.wrmsr);
	fflush(stdout);
	/* Or else something besides the owners has changed. */
	return fact_near("instructions a switch afterwards", after.instructions,
			 before.instructions, 40) && fd >= 0 && more <= limit;
}

TEST_F_TIMEOUT(costs, a_switch_costs_little, 300)
{
	if (!backdoor_exact())
		SKIP(return, "nobody counts instructions here");
	ASSERT_TRUE(threads_quiet());
	ASSERT_EQ(0, cpu_pin(0));
	/*
	 * perf takes its hooks out of switches a second after the last event of a task has gone
	 * (perf_sched_delayed()), and the module has had one when it was loaded: 105 instructions.
	 */
	sleep_ms(3000);
	EXPECT_TRUE(cost_most(self->device, "processes, another one", TOPDOWN_OWNERS_PROCESSES,
			      false, 300));
	EXPECT_TRUE(cost_most(self->device, "processes, the same one", TOPDOWN_OWNERS_PROCESSES,
			      true, 40));
	EXPECT_TRUE(cost_most(self->device, "cgroups, the same one", TOPDOWN_OWNERS_CGROUPS,
			      false, 60));
}

/*
 * Refined figures stop the counters at each point, so that points need tickets: 17% more for a
 * switch, and 47% without tickets.  Slots of stays that were not read are those of others, and none
 * is lost.
 */
TEST_F_TIMEOUT(costs, dear_points_need_tickets, 300)
{
	struct owners then = { }, now = { };
	struct cost before, with;
	struct turns turns;
	__u64 slots;
	int fd;

	if (!backdoor_exact())
		SKIP(return, "nobody counts instructions here");
	close(self->device);
	ASSERT_EQ(0, module_unload());
	ASSERT_EQ(0, module_load("refined=1"));
	self->device = device_open();
	ASSERT_LE(0, self->device);
	ASSERT_TRUE(threads_quiet());
	ASSERT_EQ(0, cpu_pin(0));
	sleep_ms(3000);
	ASSERT_TRUE(turns_begin(&turns, false));
	before = turns_cost(&turns);
	fd = owners_open(self->device, TOPDOWN_OWNERS_PROCESSES, 0);
	ASSERT_LE(0, fd);
	slots = owners_cpus_slots(self->device);
	ASSERT_EQ(0, owners_read(fd, &then, 0));
	with = turns_cost(&turns);
	slots = owners_cpus_slots(self->device) - slots;
	ASSERT_EQ(0, owners_read(fd, &now, 0));
	close(fd);
	turns_end(&turns);
	printf("# %.0f instructions a switch, %.0f without owners, %.2f RDPMC, %.2f WRMSR\n",
	       with.instructions, before.instructions, with.rdpmc, with.wrmsr);
	EXPECT_GT(before.instructions * 0.2, with.instructions - before.instructions);
	EXPECT_TRUE(owners_sum_right(&then, &now, slots));
	owners_free(&then);
	owners_free(&now);
	close(self->device);
	ASSERT_EQ(0, module_unload());
	ASSERT_EQ(0, module_load(""));
	self->device = device_open();
}

int main(int argc, char **argv)
{
	int ret = emulator_need();

	return ret ? ret : test_harness_run(argc, argv);
}
