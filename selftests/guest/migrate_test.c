// SPDX-License-Identifier: GPL-2.0
/*
 * Regions of a thread that is moved from CPU to CPU at any instruction: on a
 * hybrid machine between a P-core, whose counters it reads in user mode, and an
 * E-core, where the same instruction is a fault.
 *
 * MIGRATIONS in the environment says how often: 20,000, with TOPDOWN_FULL=1
 * 1,000,000.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "fact.h"
#include "region.h"
#include "sample.h"
#include "session.h"
#include "userspace/lib/perf.h"
#include "userspace/lib/rseq.h"

#define ATOM_CPUS	"/sys/bus/event_source/devices/cpu_atom/cpus"
#define CORE_CPUS	"/sys/bus/event_source/devices/cpu_core/cpus"

/* Between two of these the reader's figures are looked at. */
#define ROUNDS		32
/* So many moves take minutes. */
#define PROGRESS	100000

/* The slots of opening and closing are the thread's, but outside of the region. */
#define LIMIT_SHARE	0.02
/* perf has groups of the module on both kinds to start and stop, in nobody's name. */
#define LIMIT_PERF	0.05
#define SETTLES		30

/* The reader is moved between the CPUs here and there.  Its mover runs on mover_cpu. */
static unsigned int here, there, mover_cpu;
static bool hybrid;
static double slots_per_ns;

static bool first_cpus(const char *file, unsigned int *first, unsigned int *next)
{
	FILE *list = fopen(file, "re");
	int n = list ? fscanf(list, "%u-%u", first, next) : 0;

	if (list)
		fclose(list);
	return n == 2;
}

static bool find_cpus(void)
{
	unsigned int cpu[TD_CPUS_MAX], unused;

	hybrid = first_cpus(CORE_CPUS, &here, &mover_cpu);
	if (hybrid)
		return first_cpus(ATOM_CPUS, &there, &unused);
	if (cpus_online(cpu) < 3)
		return false;
	here = cpu[0];
	there = cpu[1];
	mover_cpu = cpu[2];
	return true;
}

/* The reader is a thread.  It reports to its mover here. */
struct reader {
	pthread_t thread;
	atomic_int tid;
	atomic_bool stop;
	bool naive;
	unsigned long readings;
	unsigned long faults;
	unsigned long wrong;
	/* The region around all others, and the regions in it. */
	struct topdown_region seen;
	struct topdown_region inner;
	/* Its time on each of the two CPUs, as perf's software counts it, and in all. */
	uint64_t ns[2];
	uint64_t all_ns;
};

static sigjmp_buf faulted;

static void on_fault(int signal)
{
	siglongjmp(faulted, signal);
}

/* Each look at a region must follow from the one before, @ns ago. */
static bool follows(const struct topdown_region *then, const struct topdown_region *now,
		    uint64_t ns)
{
	const struct topdown_figures *a = &then->figures, *b = &now->figures;
	uint64_t level1 = 0;
	unsigned int i;

	for (i = 0; i < TOPDOWN_HEAVY_OPERATIONS; i++)
		level1 += b->node[i];
	return fact(b->slots >= a->slots) & fact(b->enabled_ns >= a->enabled_ns) &
	       fact(b->running_ns >= a->running_ns) & fact(b->running_ns <= b->enabled_ns) &
	       fact_most("time", b->enabled_ns - a->enabled_ns, ns) &
	       fact(level1 == b->slots || !level1) &
	       fact_most("slots", b->slots - a->slots, slots_per_ns * ns * 1.01);
}

static void read_round(struct reader *reader, struct topdown_regions *regions)
{
	uint64_t ns = -clock_ns(CLOCK_MONOTONIC);
	struct topdown_region seen;
	unsigned int i;
	bool ok = true;

	for (i = 0; i < ROUNDS; i++)
		ok = ok && !topdown_region_begin(regions, 0) && !topdown_region_end(regions, 0);
	ok = ok && !topdown_region_read(regions, 0, &seen, sizeof(seen));
	ns += clock_ns(CLOCK_MONOTONIC);
	/* The clocks are not the same. */
	if (!ok || !follows(&reader->inner, &seen, ns + 1000))
		reader->wrong++;
	reader->inner = seen;
	reader->readings += 2 * ROUNDS;
}

static void read_regions(struct reader *reader)
{
	/* Read after a fault, which happens inside a called function. */
	static struct topdown_regions *volatile regions;

	regions = NULL;
	if (sigsetjmp(faulted, 1)) {
		reader->faults++;
		memset(&reader->inner, 0, sizeof(reader->inner));
		topdown_regions_destroy(regions);
		regions = NULL;
	}
	if (topdown_regions_create((struct topdown_regions **)&regions, NULL,
				   TOPDOWN_REGION_RDPMC, 0) ||
	    topdown_region_id(regions, "read") || topdown_region_id(regions, "all") != 1 ||
	    topdown_region_begin(regions, 1)) {
		reader->wrong++;
		return;
	}
	while (!reader->stop)
		read_round(reader, regions);
	if (topdown_region_end(regions, 1) ||
	    topdown_region_read(regions, 1, &reader->seen, sizeof(reader->seen)))
		reader->wrong++;
	topdown_regions_destroy(regions);
}

/* As one would do it: looks where it is, and reads. */
static void read_naively(struct reader *reader)
{
	enum topdown_region_reason reason;
	struct td_perf perf = { .nr = 0 };
	uint32_t low, high;

	if (td_perf_open(&perf, &reason)) {
		reader->wrong++;
		return;
	}
	if (sigsetjmp(faulted, 1))
		reader->faults++;
	while (!reader->stop) {
		if (*(volatile const uint32_t *)&perf.page->index != TD_INDEX_SLOTS)
			continue;
		asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (TD_INDEX_SLOTS - 1));
		asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (TD_INDEX_METRICS - 1));
		reader->readings++;
	}
	td_perf_close(&perf, false);
}

/* The calling thread's time on one CPU. */
static int clock_open(unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
	};

	return syscall(SYS_perf_event_open, &attr, 0, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static void clock_close(int fd, uint64_t *ns)
{
	if (read(fd, ns, sizeof(*ns)) != sizeof(*ns))
		*ns = 0;
	close(fd);
}

static void *reader_run(void *arg)
{
	struct reader *reader = arg;
	int clock[2];

	cpu_pin(here);
	clock[0] = clock_open(here);
	clock[1] = clock_open(there);
	reader->all_ns = -clock_ns(CLOCK_THREAD_CPUTIME_ID);
	reader->tid = syscall(SYS_gettid);
	if (reader->naive)
		read_naively(reader);
	else
		read_regions(reader);
	reader->all_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID);
	clock_close(clock[0], &reader->ns[0]);
	clock_close(clock[1], &reader->ns[1]);
	return NULL;
}

static bool move(const struct reader *reader, unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(reader->tid, sizeof(set), &set);
}

/* At another instruction each time. */
static void linger(unsigned int *random)
{
	*random = *random * 1103515245 + 12345;
	region_work((*random >> 16) % 1024);
}

static void move_about(const struct reader *reader, unsigned long moves)
{
	unsigned int random = 1;
	unsigned long i;

	for (i = 0; i < moves; i += 2) {
		linger(&random);
		move(reader, there);
		linger(&random);
		move(reader, here);
		if (i % PROGRESS == PROGRESS - 2)
			printf("# %lu migrations: %lu readings, %lu faults, %lu wrong\n", i + 2,
			       reader->readings, reader->faults, reader->wrong);
	}
}

/* @truth: the slots of the two CPUs meanwhile.  They execute hardly anything but the reader. */
static void reader_moved(struct reader *reader, unsigned long moves, struct td_bd_truth *truth)
{
	struct td_bd_truth from[2];

	backdoor_truth_cpu(here, &from[0]);
	backdoor_truth_cpu(there, &from[1]);
	pthread_create(&reader->thread, NULL, reader_run, reader);
	while (!reader->tid)
		sched_yield();
	move_about(reader, moves);
	reader->stop = true;
	pthread_join(reader->thread, NULL);
	backdoor_truth_cpu(here, &truth[0]);
	backdoor_truth_cpu(there, &truth[1]);
	backdoor_truth_sub(&truth[0], &from[0]);
	backdoor_truth_sub(&truth[1], &from[1]);
}

/* The slots of a nanosecond on a CPU that does not sleep. */
static double width(void)
{
	struct td_bd_truth from, to;

	cpu_pin(here);
	backdoor_truth_cpu(here, &from);
	spin_ms(5);
	backdoor_truth_cpu(here, &to);
	backdoor_truth_sub(&to, &from);
	cpu_pin(mover_cpu);
	return to.slots / (double)to.time_ns;
}

FIXTURE(migrate) {
	struct reader reader;
};

FIXTURE_SETUP(migrate)
{
	struct sigaction action = { .sa_handler = on_fault };

	memset(&self->reader, 0, sizeof(self->reader));
	ASSERT_TRUE(backdoor_open());
	ASSERT_EQ(0, cpu_pin(mover_cpu));
	ASSERT_TRUE(backdoor_set_profile(&profile_find("branchy")->profile));
	slots_per_ns = width();
	sigaction(SIGSEGV, &action, NULL);
}

FIXTURE_TEARDOWN(migrate)
{
	signal(SIGSEGV, SIG_DFL);
}

/*
 * Nobody counts what perf itself takes at a switch, which is much of what a thread
 * has that is moved all the time, more on older kernels, and mostly where it has
 * counters to start and stop.
 */
static bool share_is_possible(const struct reader *reader, double measured)
{
	double least = reader->ns[0] / (double)(reader->ns[0] + reader->ns[1]);
	double most = 1 - reader->ns[1] / (double)reader->all_ns;

	if (!hybrid) {
		least = 1;
		most = 1;
	}
	printf("# measured %.4f, was there %.4f to %.4f\n", measured, least, most);
	return measured > least - LIMIT_PERF && measured < most + LIMIT_SHARE;
}

TEST_F_TIMEOUT(migrate, regions_are_right_despite_migration, 7200)
{
	unsigned long moves = env_number("MIGRATIONS", getenv("TOPDOWN_FULL") ? 1e6 : 20000);
	const struct topdown_figures *figures = &self->reader.seen.figures;
	struct executed executed = { .cpu_ns = 1 };
	struct difference difference;
	struct td_bd_truth truth[2];
	double least, most;

	reader_moved(&self->reader, moves, truth);
	/* The truth of the reader's space has its slots, but not on which CPU they were. */
	ASSERT_TRUE(backdoor_truth_space(&executed.truth));
	EXPECT_TRUE(region_compare(&self->reader.seen, &executed, &difference));
	/* Not all that the kernel does to move the reader is done in the reader's name. */
	least = truth[0].user_slots + (hybrid ? 0 : truth[1].user_slots);
	most = truth[0].slots + (hybrid ? 0 : truth[1].slots);
	printf("# %lu migrations, %lu readings, %lu by the kernel, %lu faults, %lu wrong, %.3f points, slots %.4f of those in user mode and %.4f of all\n",
	       moves, self->reader.readings, (unsigned long)self->reader.inner.calls,
	       self->reader.faults, self->reader.wrong, difference.points,
	       figures->slots / least, figures->slots / most);
	EXPECT_EQ(0, self->reader.faults);
	EXPECT_EQ(0, self->reader.wrong);
	EXPECT_GT(LIMIT_POINTS, difference.points);
	EXPECT_LT((1 - LIMIT_SLOTS) * least, figures->slots);
	EXPECT_GT(most, figures->slots);
	EXPECT_LT(moves, self->reader.readings);
	EXPECT_TRUE(share_is_possible(&self->reader,
				      figures->running_ns / (double)figures->enabled_ns));
}

/* On a hybrid machine a naive reader has faults, so these moves are hard enough. */
TEST_F_TIMEOUT(migrate, a_naive_reader_has_faults, 600)
{
	struct td_bd_truth truth[2];

	self->reader.naive = true;
	reader_moved(&self->reader, 10000, truth);
	printf("# 10000 migrations, %lu readings, %lu faults\n", self->reader.readings,
	       self->reader.faults);
	EXPECT_EQ(0, self->reader.wrong);
	EXPECT_EQ(hybrid, self->reader.faults > 0);
}

/*
 * Soon after the module was loaded the groups of E-cores are made smaller, for a
 * counter that the NMI watchdog has, and count nothing until they are.
 */
static bool counts_on(unsigned int cpu)
{
	struct topdown_record then, now;
	int fd = device_open();
	bool counts;

	cpu_pin(cpu);
	counts = fd >= 0 && !device_read_cpu(fd, TOPDOWN_READ_FRESH, cpu, &then);
	spin_ms(100);
	counts = counts && !device_read_cpu(fd, TOPDOWN_READ_FRESH, cpu, &now) &&
		 now.total.running_ns - then.total.running_ns >
		 (now.total.enabled_ns - then.total.enabled_ns) * 0.99;
	close(fd);
	return counts;
}

/* Readers of the tests before had perf events, for which groups still stand aside. */
static bool settled(unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < SETTLES; i++) {
		if (counts_on(cpu)) {
			printf("# CPU %u counts after %u ms\n", cpu, i * 100);
			return true;
		}
	}
	return false;
}

/* A region in which the thread was on both kinds: where it began does not matter. */
static void on_each(struct topdown_regions *regions, int id, const unsigned int *cpu,
		    const unsigned int *ms, double *share)
{
	uint64_t ns[2], from;
	unsigned int i;

	topdown_region_reset(regions, id);
	cpu_pin(cpu[0]);
	topdown_region_begin(regions, id);
	for (i = 0; i < 2; i++) {
		cpu_pin(cpu[i]);
		from = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		spin_ms(ms[i]);
		ns[i] = clock_ns(CLOCK_THREAD_CPUTIME_ID) - from;
	}
	topdown_region_end(regions, id);
	*share = ns[cpu[0] == here ? 0 : 1] / (double)(ns[0] + ns[1]);
}

static bool share_is_right(struct topdown_regions *regions, const unsigned int *cpu,
			   const unsigned int *ms)
{
	struct topdown_region seen;
	double share, measured;
	int id = topdown_region_id(regions, "both");

	on_each(regions, id, cpu, ms, &share);
	if (topdown_region_read(regions, id, &seen, sizeof(seen)))
		return false;
	measured = seen.figures.running_ns / (double)seen.figures.enabled_ns;
	/* The module measures both kinds, RDPMC only the one with PERF_METRICS. */
	if (seen.backend == TOPDOWN_REGION_MODULE)
		share = 1;
	printf("# backend %u: %u ms on CPU %u, %u ms on CPU %u: measured %.4f, and %.4f was to be\n",
	       seen.backend, ms[0], cpu[0], ms[1], cpu[1], measured, share);
	return fabs(measured - share) < 0.01;
}

TEST_F(migrate, the_share_of_a_region_is_right)
{
	const unsigned int cpu[2][2] = { { here, there }, { there, here } };
	const unsigned int ms[2] = { 60, 20 }, hardly[2] = { 0, 30 };
	enum topdown_region_backend backend;
	struct topdown_regions *regions;
	struct topdown *td;

	if (!hybrid)
		SKIP(return, "all CPUs are of one kind");
	ASSERT_EQ(0, topdown_open(&td, NULL));
	ASSERT_TRUE(settled(there));
	ASSERT_TRUE(settled(here));
	for (backend = TOPDOWN_REGION_MODULE; backend <= TOPDOWN_REGION_RDPMC; backend++) {
		ASSERT_EQ(0, topdown_regions_create(&regions, td, backend, 0));
		EXPECT_SOON(share_is_right(regions, cpu[0], ms));
		EXPECT_SOON(share_is_right(regions, cpu[1], ms));
		EXPECT_SOON(share_is_right(regions, cpu[0], hardly));
		topdown_regions_destroy(regions);
	}
	topdown_close(td);
}

int main(int argc, char **argv)
{
	int ret = emulator_need();

	if (ret)
		return ret;
	if (!find_cpus()) {
		printf("1..0 # SKIP this takes three CPUs\n");
		return KSFT_SKIP;
	}
	return test_harness_run(argc, argv);
}
