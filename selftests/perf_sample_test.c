// SPDX-License-Identifier: GPL-2.0
/*
 * Leader sampling: an event of cycles samples, and each sample reads the events of the PMU
 * topdown beside it, in an NMI.  The span that ends in a sample belongs to the function that
 * the sample is in.
 *
 * TOPDOWN_FULL     1000000 samples in the storm, not 3000
 * TOPDOWN_SAMPLES  so many
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
#include "perf.h"

/* Percentage points of each node of a function: the acceptance criterion. */
#define LIMIT_POINTS	2.0
#define FUNCTIONS	4
#define PHASES		12
/* Samples between two lines of a long storm. */
#define PROGRESS	5000
#define RING_PAGES	256
#define VALUES		(1 + PERF_EVENTS)

/* A sample with PERF_SAMPLE_IP and PERF_SAMPLE_READ of a group. */
struct sample {
	struct perf_event_header header;
	uint64_t ip;
	uint64_t nr;
	uint64_t value[VALUES];
};

struct ring {
	struct perf_event_mmap_page *page;
	size_t size;
	uint64_t lost;
};

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

static bool ring_open(struct ring *ring, int fd)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *at = mmap(NULL, (1 + RING_PAGES) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	ring->size = RING_PAGES * page;
	ring->lost = 0;
	ring->page = at;
	return at != MAP_FAILED;
}

static void ring_close(struct ring *ring)
{
	munmap(ring->page, ring->size + sysconf(_SC_PAGESIZE));
}

static void ring_copy(const struct ring *ring, uint64_t at, void *to, size_t size)
{
	const char *data = (const char *)ring->page + sysconf(_SC_PAGESIZE);
	size_t i;

	for (i = 0; i < size; i++)
		((char *)to)[i] = data[(at + i) % ring->size];
}

/* Drop what is there; the number of bytes. */
static uint64_t ring_drop(struct ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t size = head - ring->page->data_tail;

	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
	return size;
}

/* The next sample; false if there is none. */
static bool ring_next(struct ring *ring, struct sample *sample)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;

	while (tail < head) {
		bool found;

		ring_copy(ring, tail, sample, sizeof(sample->header));
		found = sample->header.type == PERF_RECORD_SAMPLE &&
			sample->header.size == sizeof(*sample);
		if (found)
			ring_copy(ring, tail, sample, sizeof(*sample));
		else
			ring->lost++;
		tail += sample->header.size;
		__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
		if (found)
			return true;
	}
	return false;
}

/*
 * The descriptors of a group whose leader samples cycles; 0 or a negative errno.  With a
 * period in user mode alone; with a frequency, which suits any machine, in all modes.
 */
static int group_open(int *fd, int pid, int cpu, uint64_t period, uint64_t frequency)
{
	struct perf_event_attr leader = {
		.type		= PERF_TYPE_HARDWARE,
		.size		= sizeof(leader),
		.config		= PERF_COUNT_HW_CPU_CYCLES,
		.sample_period	= period ? period : frequency,
		.freq		= !period,
		.sample_type	= PERF_SAMPLE_IP | PERF_SAMPLE_READ,
		.read_format	= PERF_FORMAT_GROUP,
		.disabled	= 1,
		.exclude_kernel	= !!period,
		.exclude_hv	= !!period,
		.exclude_guest	= 1,
	};
	struct perf_event_attr attr = { .read_format = PERF_FORMAT_GROUP, .exclude_guest = 1 };
	unsigned int i;

	fd[0] = syscall(SYS_perf_event_open, &leader, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd[0] < 0)
		return -errno;
	for (i = 0; i < PERF_EVENTS; i++) {
		attr.config = i;
		fd[1 + i] = perf_open(&attr, pid, cpu, fd[0], 0);
		if (fd[1 + i] < 0)
			return fd[1 + i];
	}
	return 0;
}

static void group_close(const int *fd)
{
	unsigned int i;

	for (i = VALUES; i > 0; i--)
		close(fd[i - 1]);
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

FIXTURE_SETUP(sample)
{
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
	uint64_t total[VALUES] = { 0 }, sum[FUNCTIONS][PERF_EVENTS] = { { 0 } };
	struct { uint64_t nr, value[VALUES]; } last;
	unsigned int i, n, samples = 0, elsewhere = 0;
	double node[TRUTH_NODES], ratio;
	struct sample sample;
	struct ring ring;
	int fd[VALUES], pid, function;

	self->shared->ms = variant->ms;
	pid = fork();
	if (!pid)
		child_run(self->shared);
	/* One sample in 1 ms. */
	ASSERT_EQ(0, group_open(fd, pid, -1, 3000000, 0));
	ASSERT_TRUE(ring_open(&ring, fd[0]));
	ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0));
	self->shared->go = 1;
	for (i = 0; i < 10000 && !self->shared->done; i++)
		sleep_ms(5);
	ASSERT_TRUE(self->shared->done);
	ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0));

	while (ring_next(&ring, &sample)) {
		ASSERT_EQ(VALUES, sample.nr);
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
	EXPECT_EQ(0, ring.lost);
	EXPECT_LE(PHASES * variant->ms * 0.8, samples);
	EXPECT_GE(samples / 20 + 2, elsewhere);

	/* Nothing is missing: the spans sum to what the events have, but for the last one. */
	ASSERT_EQ(sizeof(last), read(fd[0], &last, sizeof(last)));
	for (i = 0; i < VALUES; i++)
		EXPECT_LE(total[i], last.value[i]);
	EXPECT_GE(total[1 + PERF_SLOTS] * 1.02, last.value[1 + PERF_SLOTS]);

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
	group_close(fd);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* How many values are the same in both groups, but for the time between two ioctl(). */
static unsigned int same_values(const uint64_t *a, const uint64_t *b)
{
	unsigned int i, same = 0;

	for (i = 0; i < PERF_EVENTS; i++) {
		if (fabs((double)a[i] / b[i] - 1) <= 0.002)
			same++;
		else
			printf("# event %u: %llu, not %llu\n", i, (unsigned long long)a[i],
			       (unsigned long long)b[i]);
	}
	return same;
}

/* A third and later CPUs go and come back, which stops and starts their groups. */
static int hotplug_start(void)
{
	unsigned int cpu[TD_CPUS_MAX], n = cpus_online(cpu), cycle;
	int pid = n > 2 ? fork() : 0;

	if (n <= 2 || pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (cycle = 0;; cycle++) {
		cpu_set_online(cpu[2 + cycle % (n - 2)], false);
		usleep(cycle * 791 % 20000);
		cpu_set_online(cpu[2 + cycle % (n - 2)], true);
		usleep(20000);
	}
}

FIXTURE(storm) {
	int spinner[2], hotplug;
};

FIXTURE_SETUP(storm)
{
	ASSERT_EQ(0, module_need());
	if (!backdoor_open())
		SKIP(return, "this is not the emulated PMU");
	ASSERT_EQ(0, cpu_pin(1));
	/* Two tasks of the CPU take turns, and a session follows one of them. */
	self->spinner[0] = spin_start(0, &profile_find("compute")->profile);
	self->spinner[1] = spin_start(0, &profile_find("fetch")->profile);
	ASSERT_LT(0, self->spinner[0]);
	ASSERT_LT(0, self->spinner[1]);
	self->hotplug = hotplug_start();
	ASSERT_LE(0, self->hotplug);
}

FIXTURE_TEARDOWN(storm)
{
	if (self->hotplug > 0)
		spin_stop(self->hotplug);
	cpus_set_online();
	spin_stop(self->spinner[0]);
	spin_stop(self->spinner[1]);
}

/* Folds of readers, windows, switches, hotplug and NMIs: nothing is counted twice or not at all. */
TEST_F_TIMEOUT(storm, sums_stay_exact, 1500)
{
	const unsigned int wanted = env_number("TOPDOWN_SAMPLES",
					       getenv("TOPDOWN_FULL") ? 1000000 : 3000);
	struct { uint64_t nr, value[VALUES]; } sampled;
	struct perf_values plain, before;
	uint64_t total[VALUES] = { 0 };
	unsigned int samples = 0, i;
	struct topdown_record record;
	struct perf_user user;
	struct sample sample;
	struct ring ring;
	int fd[VALUES], device;
	uint64_t began = clock_ns(CLOCK_MONOTONIC);

	device = device_open();
	ASSERT_LE(0, device);
	ASSERT_LT(0, device_attach(device, 0, self->spinner[0]));
	ASSERT_EQ(0, period_set("10"));
	ASSERT_EQ(0, perf_user_open(&user, -1, 0, 0));
	ASSERT_EQ(0, group_open(fd, -1, 0, 0, 2000));
	ASSERT_TRUE(ring_open(&ring, fd[0]));
	ASSERT_EQ(0, perf_user_enable(&user, true));
	ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0));
	ASSERT_EQ(0, perf_user_read(&user, &before));
	while (samples < wanted && clock_ns(CLOCK_MONOTONIC) - began < 1200000000000ULL) {
		EXPECT_EQ(0, device_read_cpu(device, TOPDOWN_READ_FRESH, 0, &record));
		while (ring_next(&ring, &sample)) {
			ASSERT_EQ(VALUES, sample.nr);
			for (i = 0; i < VALUES; i++)
				ASSERT_LE(total[i], sample.value[i]);
			memcpy(total, sample.value, sizeof(total));
			if (++samples % PROGRESS == 0)
				TH_LOG("%u samples", samples);
		}
	}
	ASSERT_EQ(0, ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0));
	ASSERT_EQ(0, perf_user_enable(&user, false));
	ASSERT_EQ(sizeof(sampled), read(fd[0], &sampled, sizeof(sampled)));
	ASSERT_EQ(0, perf_user_read(&user, &plain));
	TH_LOG("%u samples, %llu records of another kind; slots %llu of a group that samples, %llu of one that does not",
	       samples, (unsigned long long)ring.lost,
	       (unsigned long long)sampled.value[1 + PERF_SLOTS],
	       (unsigned long long)plain.value[PERF_SLOTS]);
	EXPECT_LE(wanted, samples);
	EXPECT_LE(before.value[PERF_SLOTS], plain.value[PERF_SLOTS]);
	EXPECT_EQ(PERF_EVENTS, same_values(sampled.value + 1, plain.value));
	ring_close(&ring);
	group_close(fd);
	perf_user_close(&user);
	close(device);
	period_set("1000");
}

#define CPU_TIME_MAX	"/proc/sys/kernel/perf_cpu_time_max_percent"
#define RATE_MAX	"/proc/sys/kernel/perf_event_max_sample_rate"

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
	/*
	 * Samples take most of the time of the CPU, and perf would take fewer.  It may do so
	 * since another test, and no rate can be written any more after the 0.
	 */
	ASSERT_EQ(0, file_write(RATE_MAX, 0, "100000"));
	ASSERT_EQ(0, file_write(CPU_TIME_MAX, 0, "0"));
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
	file_write(CPU_TIME_MAX, 0, "25");
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
		for (i = 0; i < TOPDOWN_NR_PARENTS; i++)
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
