// SPDX-License-Identifier: GPL-2.0
/*
 * Regions of a program, as libtopdown measures them by the module and by RDPMC:
 * compared with the exact truth of what was executed in them, while tasks of
 * other profiles share the CPUs.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "fact.h"
#include "region.h"
#include "session.h"

#define RDPMC_FILE	"/sys/bus/event_source/devices/cpu/rdpmc"
#define PROFILES	10
#define REGION_NS	40000000ULL
/* Operators of a network, as a public recording has them, each run so often. */
#define OPERATORS	175U
#define OPERATOR_RUNS	10
#define OPERATOR_NS	1500000
/* From the run's average most of them are so far away in one node. */
#define OPERATORS_APART	5.0

FIXTURE(region) {
	struct topdown *td;
	struct topdown_regions *regions;
	int spinner[2];
};

/* How short regions may be, so that what a begin and an end take is not seen. */
FIXTURE_VARIANT(region) {
	enum topdown_region_backend backend;
	unsigned int short_ns;
};

FIXTURE_VARIANT_ADD(region, module) {
	.backend = TOPDOWN_REGION_MODULE,
	.short_ns = 4000000,
};

FIXTURE_VARIANT_ADD(region, rdpmc) {
	.backend = TOPDOWN_REGION_RDPMC,
	.short_ns = 200000,
};

FIXTURE_SETUP(region)
{
	int fd = session_open();

	ASSERT_LE(0, fd);
	close(fd);
	self->spinner[0] = 0;
	self->spinner[1] = 0;
	ASSERT_TRUE(backdoor_set_profile(profile(2)));
	ASSERT_EQ(0, topdown_open(&self->td, NULL));
	ASSERT_EQ(0, topdown_regions_create(&self->regions, self->td, variant->backend, 0));
	/* The emulator has to translate the kernel again where probes were put in. */
	spin_ms(20);
}

FIXTURE_TEARDOWN(region)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (self->spinner[i] > 0)
			spin_stop(self->spinner[i]);
	}
	topdown_regions_destroy(self->regions);
	topdown_close(self->td);
}

/*
 * Others on both CPUs, of other profiles.  At a switch perf counts none of the
 * instructions that it takes to stop and start the thread's events, and of the
 * emulated ones there are too few in a time slice: so these are long.
 */
static bool compete(int *spinner)
{
	spinner[0] = spin_start(0, profile(3));
	spinner[1] = spin_start(1, profile(4));
	return spinner[0] > 0 && spinner[1] > 0 &&
	       !setpriority(PRIO_PROCESS, spinner[0], 5) &&
	       !setpriority(PRIO_PROCESS, spinner[1], 5);
}

static bool good(struct topdown_regions *regions, int id, const struct executed *executed,
		 double limit_points, double limit)
{
	struct topdown_region seen;
	struct difference difference;
	bool ok;

	if (topdown_region_read(regions, id, &seen, sizeof(seen)))
		return false;
	ok = region_compare(&seen, executed, &difference);
	printf("# %s: %.3f points, slots %.4f of the truth, time %.4f of the kernel's, measured %.4f, %llu times, %llu calls\n",
	       topdown_region_name(regions, id), difference.points, difference.slots,
	       difference.time, difference.running, (unsigned long long)seen.count,
	       (unsigned long long)seen.calls);
	return ok && fact_most("points", difference.points, limit_points) &
	       fact_near("slots", difference.slots, 1, limit) &
	       fact_most("time", difference.time, 1 + limit) &
	       fact_near("measured", difference.running, 1, limit);
}

/* One region from the beginning, beside others. */
static bool measure(struct topdown_regions *regions, int id, const char *inside,
		    const char *outside, uint64_t ns, unsigned int times, double limit)
{
	struct executed executed = { .cpu_ns = 0 };

	return !topdown_region_reset(regions, id) &&
	       region_run(regions, id, inside, outside, region_iterations(ns), times, &executed) &&
	       good(regions, id, &executed, LIMIT_POINTS, limit);
}

TEST_F_TIMEOUT(region, profiles_are_right, 300)
{
	unsigned int i;

	ASSERT_TRUE(compete(self->spinner));
	for (i = 0; i < PROFILES; i++) {
		const char *name = profiles[i].name;
		int id = topdown_region_id(self->regions, name);

		ASSERT_LE(0, id);
		EXPECT_SOON(measure(self->regions, id, name, "odd", REGION_NS, 1, LIMIT_SLOTS));
	}
}

/* Many short regions add up to a long one. */
TEST_F_TIMEOUT(region, short_regions_add_up, 300)
{
	int id = topdown_region_id(self->regions, "short");

	ASSERT_TRUE(compete(self->spinner));
	EXPECT_SOON(measure(self->regions, id, "branchy", "stream", variant->short_ns,
			    120000000 / variant->short_ns, 2 * LIMIT_SLOTS));
}

/*
 * An outer one, two inner ones in turns, and one inside itself.  The calls at both ends of an
 * inner one are in it and not in the truth, some 15 us in all: that must be little beside
 * the limit.
 */
static bool measure_nested(struct topdown_regions *regions, const int *id)
{
	struct executed executed[2] = { }, outer = { };
	unsigned int i, n = region_iterations(REGION_NS / 4);
	struct td_bd_truth from;
	bool ok = true;

	for (i = 0; i < 4; i++)
		ok = ok && !topdown_region_reset(regions, id[i]);
	outer.cpu_ns = -clock_ns(CLOCK_THREAD_CPUTIME_ID);
	ok = ok && !topdown_region_begin(regions, id[0]) && backdoor_truth_space(&from);
	for (i = 0; i < 10; i++) {
		ok = ok && region_run(regions, id[1], "branchy", "even", n, 1, &executed[0]) &&
		     !topdown_region_begin(regions, id[3]) &&
		     !topdown_region_begin(regions, id[3]) &&
		     region_run(regions, id[2], "stream", "even", n, 1, &executed[1]) &&
		     !topdown_region_end(regions, id[3]) && !topdown_region_end(regions, id[3]);
	}
	ok = ok && backdoor_truth_space(&outer.truth) && !topdown_region_end(regions, id[0]);
	outer.cpu_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID);
	backdoor_truth_sub(&outer.truth, &from);
	return ok && good(regions, id[0], &outer, LIMIT_POINTS, LIMIT_SLOTS) &
	       good(regions, id[1], &executed[0], LIMIT_POINTS, LIMIT_SLOTS) &
	       good(regions, id[2], &executed[1], LIMIT_POINTS, LIMIT_SLOTS);
}

TEST_F_TIMEOUT(region, nested_regions_are_right, 300)
{
	struct topdown_region inner, twice;
	int id[4];

	id[0] = topdown_region_id(self->regions, "outer");
	id[1] = topdown_region_id(self->regions, "branchy in it");
	id[2] = topdown_region_id(self->regions, "stream in it");
	id[3] = topdown_region_id(self->regions, "inside itself");
	ASSERT_TRUE(compete(self->spinner));
	EXPECT_SOON(measure_nested(self->regions, id));
	ASSERT_EQ(0, topdown_region_read(self->regions, id[2], &inner, sizeof(inner)));
	ASSERT_EQ(0, topdown_region_read(self->regions, id[3], &twice, sizeof(twice)));
	EXPECT_EQ(10, inner.count);
	EXPECT_EQ(10, twice.count);
	EXPECT_LT(inner.figures.slots, twice.figures.slots);
	/* The code after the inner region is in the outer one as well, and only once. */
	EXPECT_GT(3 * inner.figures.slots, twice.figures.slots);
}

/* Each operator has a profile of its own. */
static struct td_bd_profile operator_profile(unsigned int i)
{
	const double retiring = 12 + 11 * i % 40, bad = 1 + 5 * i % 15, frontend = 2 + 7 * i % 30;
	const double percent[TD_BD_CATEGORIES] = {
		retiring, bad, frontend, 100 - retiring - bad - frontend, retiring / 4, bad / 2,
		frontend / 2, (100 - retiring - bad - frontend) / 2,
	};
	struct td_bd_profile profile = { };
	unsigned int n;

	for (n = 0; n < TD_BD_CATEGORIES; n++)
		profile.fraction[n] = lround(percent[n] * TD_BD_FRACTION / 100);
	return profile;
}

static bool run_operators(struct topdown_regions *regions, const int *id,
			  struct executed *executed)
{
	unsigned int run, i, n = region_iterations(OPERATOR_NS);
	struct td_bd_profile profile;

	for (run = 0; run < OPERATOR_RUNS; run++) {
		for (i = 0; i < OPERATORS; i++) {
			profile = operator_profile(i);
			if (!region_run_alone(regions, id[i], &profile, n, &executed[i]))
				return false;
		}
	}
	return true;
}

/* The most points that a level 1 node of the operator is away from the average of all. */
static double apart(const struct executed *executed, const struct td_bd_truth *all)
{
	double one[TRUTH_NODES], average[TRUTH_NODES], most = 0;
	unsigned int i;

	backdoor_truth_nodes(&executed->truth, one);
	backdoor_truth_nodes(all, average);
	for (i = 0; i <= TOPDOWN_BACKEND_BOUND; i++)
		most = fmax(most, 100 * fabs(one[i] - average[i]));
	return most;
}

/* A run of operators that follow each other at once: each has its own figures, not the run's. */
TEST_F_TIMEOUT(region, operators_have_their_own_figures, 300)
{
	struct executed executed[OPERATORS] = { };
	struct topdown_region seen;
	struct td_bd_truth all = { };
	struct difference difference;
	unsigned int i, far = 0;
	int id[OPERATORS];
	double worst = 0;
	char name[32];

	for (i = 0; i < OPERATORS; i++) {
		snprintf(name, sizeof(name), "operator %u", i);
		id[i] = topdown_region_id(self->regions, name);
		ASSERT_LE(0, id[i]);
	}
	ASSERT_TRUE(compete(self->spinner));
	ASSERT_TRUE(run_operators(self->regions, id, executed));
	for (i = 0; i < OPERATORS; i++)
		backdoor_truth_add(&all, &executed[i].truth);
	for (i = 0; i < OPERATORS; i++) {
		ASSERT_EQ(0, topdown_region_read(self->regions, id[i], &seen, sizeof(seen)));
		EXPECT_TRUE(region_compare(&seen, &executed[i], &difference));
		EXPECT_EQ(OPERATOR_RUNS, seen.count);
		worst = fmax(worst, difference.points);
		far += apart(&executed[i], &all) > OPERATORS_APART;
	}
	printf("# %u operators, the worst %.3f points off; %u are over %g points from the average\n",
	       OPERATORS, worst, far, OPERATORS_APART);
	EXPECT_TRUE(fact_most("points", worst, LIMIT_POINTS));
	EXPECT_GT(far, OPERATORS / 2);
}

static void *other_thread(void *regions)
{
	return (void *)(intptr_t)topdown_region_begin(regions, 0);
}

/* Neither another thread nor a child may use them, and a child does no harm. */
TEST_F(region, others_may_not_use_them)
{
	int id = topdown_region_id(self->regions, "mine");
	struct topdown_region seen;
	pthread_t thread;
	int pid, status;
	void *ret;

	ASSERT_EQ(0, id);
	ASSERT_EQ(0, pthread_create(&thread, NULL, other_thread, self->regions));
	pthread_join(thread, &ret);
	EXPECT_EQ(-EPERM, (intptr_t)ret);
	pid = fork();
	if (!pid) {
		status = topdown_region_begin(self->regions, id) != -EPERM;
		topdown_regions_destroy(self->regions);
		_exit(status);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, topdown_region_begin(self->regions, id));
	spin_ms(5);
	ASSERT_EQ(0, topdown_region_end(self->regions, id));
	ASSERT_EQ(0, topdown_region_read(self->regions, id, &seen, sizeof(seen)));
	EXPECT_LT(0, seen.figures.slots);
}

FIXTURE(backend) {
	struct topdown *td;
};

FIXTURE_SETUP(backend)
{
	ASSERT_EQ(0, topdown_open(&self->td, NULL));
}

FIXTURE_TEARDOWN(backend)
{
	topdown_close(self->td);
}

/* The backend that is taken, or the error; and why. */
static int backend(struct topdown *td, enum topdown_region_backend asked,
		   enum topdown_region_reason *reason)
{
	struct topdown_regions *regions;
	int ret;

	ret = topdown_regions_create(&regions, td, asked, 0);
	if (ret)
		return ret;
	ret = topdown_regions_backend(regions, reason);
	topdown_regions_destroy(regions);
	return ret;
}

TEST_F(backend, automatic_prefers_the_module)
{
	enum topdown_region_reason reason;

	EXPECT_EQ(TOPDOWN_REGION_MODULE, backend(self->td, TOPDOWN_REGION_AUTO, &reason));
	EXPECT_EQ(TOPDOWN_REGION_ASKED, reason);
	EXPECT_EQ(TOPDOWN_REGION_RDPMC, backend(NULL, TOPDOWN_REGION_AUTO, &reason));
	EXPECT_EQ(TOPDOWN_REGION_FAST, reason);
	EXPECT_EQ(TOPDOWN_REGION_RDPMC, backend(self->td, TOPDOWN_REGION_RDPMC, &reason));
	EXPECT_EQ(TOPDOWN_REGION_ASKED, reason);
	EXPECT_EQ(TOPDOWN_REGION_MODULE, backend(self->td, TOPDOWN_REGION_MODULE, &reason));
	EXPECT_EQ(TOPDOWN_REGION_ASKED, reason);
	EXPECT_EQ(-EOPNOTSUPP, backend(NULL, TOPDOWN_REGION_MODULE, &reason));
}

TEST_F(backend, user_mode_may_not)
{
	enum topdown_region_reason reason;

	ASSERT_EQ(0, file_write(RDPMC_FILE, 0, "0"));
	EXPECT_EQ(TOPDOWN_REGION_MODULE, backend(self->td, TOPDOWN_REGION_AUTO, &reason));
	EXPECT_EQ(TOPDOWN_REGION_ASKED, reason);
	EXPECT_EQ(-EOPNOTSUPP, backend(self->td, TOPDOWN_REGION_RDPMC, &reason));
	EXPECT_EQ(-EOPNOTSUPP, backend(NULL, TOPDOWN_REGION_AUTO, &reason));
	ASSERT_EQ(0, file_write(RDPMC_FILE, 0, "1"));
}

TEST_F(backend, perf_does_not_let)
{
	enum topdown_region_reason reason = TOPDOWN_REGION_FAST;
	int pid, status;

	pid = fork();
	if (!pid) {
		status = setuid(NOBODY) ||
			 backend(self->td, TOPDOWN_REGION_AUTO, &reason) != TOPDOWN_REGION_MODULE ||
			 reason != TOPDOWN_REGION_ASKED ||
			 backend(self->td, TOPDOWN_REGION_RDPMC, &reason) != -EACCES;
		_exit(status);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

TEST(the_module_has_the_counter)
{
	enum topdown_region_reason reason;
	struct topdown *td;

	ASSERT_EQ(0, module_unload());
	ASSERT_EQ(0, module_load("pinned=1"));
	ASSERT_EQ(0, topdown_open(&td, NULL));
	EXPECT_EQ(TOPDOWN_REGION_MODULE, backend(td, TOPDOWN_REGION_AUTO, &reason));
	EXPECT_EQ(TOPDOWN_REGION_ASKED, reason);
	EXPECT_EQ(-EBUSY, backend(td, TOPDOWN_REGION_RDPMC, &reason));
	topdown_close(td);
	ASSERT_EQ(0, module_unload());
	ASSERT_EQ(0, module_load(""));
}

int main(int argc, char **argv)
{
	int ret = emulator_need();

	return ret ? ret : test_harness_run(argc, argv);
}
