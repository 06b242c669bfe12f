// SPDX-License-Identifier: GPL-2.0
/*
 * Latency sessions, against the truth of the emulated PMU, which knows each PEBS record that
 * it wrote; the same counters for perf users and for Top-Down beside them.
 *
 * The distributions are those of pmu/latencies.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/perf_event.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "fact.h"
#include "guest.h"

#define CPU		1
#define NOBODY		65534
#define SPAN_MS		3000
#define SETTLE_MS	1500
/* In a million cycles: three in a microsecond. */
#define RATE		1000

#define LIMIT_MEAN	0.02
#define LIMIT_POINTS	0.5
/* Of the records; the driver hands over only the last of several. */
#define LIMIT_LOST	0.02

static const struct {
	unsigned int event;
	uint64_t config;
} shapes[] = {
	{ TOPDOWN_LATENCY_MEM_INST_RETIRED_SPLIT_LOADS, 0x41d0 },
	{ TOPDOWN_LATENCY_MEM_LOAD_L3_MISS_RETIRED_LOCAL_DRAM, 0x1d3 },
	{ TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L3_HIT, 0x4d1 },
	{ TOPDOWN_LATENCY_FRONTEND_RETIRED_L1I_MISS, 0x1200000003c6 },
	{ TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L2_HIT, 0x2d1 },
};

#define NR_SHAPES	(sizeof(shapes) / sizeof(shapes[0]))
#define SHAPE_EVENT(n)	(1ULL << shapes[n].event)

static bool set_rates(void)
{
	unsigned int i;

	for (i = 0; i < NR_SHAPES; i++) {
		if (!backdoor_set_rate(shapes[i].config, RATE))
			return false;
	}
	return true;
}

static int latency_ask(int fd, struct topdown_latency *latency)
{
	*latency = (struct topdown_latency){ .size = sizeof(*latency) };
	return ioctl(fd, TOPDOWN_LATENCY, latency) ? -errno : 0;
}

/* Return: the number of a session of CPU, or a negative errno. */
static int latency_start(int fd, uint64_t events)
{
	__u64 cpus = 1ULL << CPU;
	struct topdown_latency latency = {
		.size = sizeof(latency),
		.cpus = (uintptr_t)&cpus,
		.cpus_words = 1,
		.events = events,
	};

	return ioctl(fd, TOPDOWN_LATENCY, &latency) ? -errno : (int)latency.out_latency;
}

static int latency_end(int fd, unsigned int session)
{
	struct topdown_latency latency = {
		.size = sizeof(latency),
		.flags = TOPDOWN_LATENCY_REMOVE,
		.latency = session,
	};

	return ioctl(fd, TOPDOWN_LATENCY, &latency) ? -errno : 0;
}

static int latency_read(int fd, unsigned int session, struct topdown_latency_record *records,
			unsigned int nr)
{
	struct topdown_latencies read = {
		.size = sizeof(read),
		.records = (uintptr_t)records,
		.nr_records = nr,
		.record_size = sizeof(*records),
		.latency = session,
	};

	return ioctl(fd, TOPDOWN_LATENCIES, &read) ? -errno : (int)read.nr_records;
}

static unsigned int bin_begin(unsigned int bin)
{
	return bin < 16 ? bin : (8 + bin % 8) << (bin / 8 - 1);
}

/* The bin that has the event after @share of them, as a reader finds it. */
static unsigned int bin_of(const uint64_t *bin, uint64_t events, double share)
{
	uint64_t below = 0;
	unsigned int i;

	for (i = 0; i < TOPDOWN_LATENCY_BINS - 1; i++) {
		below += bin[i];
		if (below >= share * events)
			break;
	}
	return i;
}

/* What both sides know of a shape at one moment. */
struct moment {
	struct topdown_latency_record record;
	struct td_bd_latency truth;
	uint64_t bin[TOPDOWN_LATENCY_BINS];
};

static bool moment_truth(struct moment *moment, uint64_t config)
{
	unsigned int i;
	bool done = true;

	for (i = 0; i < TOPDOWN_LATENCY_BINS; i++) {
		done &= backdoor_latency_cpu(CPU, config, bin_begin(i),
					     bin_begin(i + 1) - bin_begin(i), &moment->truth);
		moment->bin[i] = moment->truth.bin[0];
	}
	return done;
}

static uint64_t all_samples(const struct topdown_latency_record *records)
{
	uint64_t samples = 0;
	unsigned int i;

	for (i = 0; i < NR_SHAPES; i++)
		samples += records[i].samples;
	return samples;
}

/* Both sides speak of the same moment if there was no sample meanwhile. */
static bool moments_fill(struct moment *moments, int fd, int session)
{
	struct topdown_latency_record records[NR_SHAPES], after[NR_SHAPES];
	unsigned int i, j, tries;
	bool done = true;

	for (tries = 0; tries < 100; tries++) {
		if (latency_read(fd, session, records, NR_SHAPES) != NR_SHAPES)
			return false;
		for (i = 0; i < NR_SHAPES; i++)
			done &= moment_truth(&moments[i], shapes[i].config);
		if (latency_read(fd, session, after, NR_SHAPES) == NR_SHAPES &&
		    all_samples(records) == all_samples(after))
			break;
	}
	for (i = 0; i < NR_SHAPES; i++) {
		for (j = 0; j < NR_SHAPES; j++) {
			if (records[j].event == shapes[i].event)
				moments[i].record = records[j];
		}
	}
	return done & fact(tries < 100);
}

static bool shape_right(const struct moment *then, const struct moment *now)
{
	static const double shares[] = { 0.5, 0.9, 0.99 };
	uint64_t ours[TOPDOWN_LATENCY_BINS], theirs[TOPDOWN_LATENCY_BINS];
	double events = now->record.events - then->record.events;
	double samples = now->record.samples - then->record.samples;
	double count = now->truth.count - then->truth.count, mean, want;
	unsigned int i;
	bool right;

	for (i = 0; i < TOPDOWN_LATENCY_BINS; i++) {
		ours[i] = now->record.bin[i] - then->record.bin[i];
		theirs[i] = now->bin[i] - then->bin[i];
	}
	mean = (now->record.sum - then->record.sum) / events;
	want = (now->truth.sum - then->truth.sum) / count;
	printf("# %#llx: %.0f samples of %.0f records, mean %.3f, truth %.3f\n",
	       (unsigned long long)now->truth.config, samples, count, mean, want);
	right = fact(samples >= 50) & fact(samples <= count) &
		fact_most("samples lost", count - samples, 2 + LIMIT_LOST * count) &
		fact_near("mean", mean, want, LIMIT_MEAN * want);
	for (i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
		right &= fact_near("quantile's bin", bin_of(ours, events, shares[i]),
				   bin_of(theirs, count, shares[i]), 1);
	return right;
}

static bool granted(int fd)
{
	struct topdown_latency latency;

	return !latency_ask(fd, &latency) && latency.out_refusal == TOPDOWN_LATENCY_GRANTED;
}

FIXTURE(latency) {
	int fd;
	int load;
};

/* A sampler that had to leave before stays away longer each time, so each test has new ones. */
FIXTURE_SETUP(latency)
{
	self->load = -1;
	ASSERT_EQ(0, module_unload());
	ASSERT_EQ(0, module_load(""));
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	if (!granted(self->fd))
		SKIP(return, "this machine samples no latency");
	ASSERT_EQ(0, file_write("/proc/sys/kernel/nmi_watchdog", 0, "0"));
	self->load = spin_start_with(CPU, &profile_find("compute")->profile, set_rates);
	ASSERT_LT(0, self->load);
}

FIXTURE_TEARDOWN(latency)
{
	if (self->load > 0)
		spin_stop(self->load);
	close(self->fd);
}

/* Wait until the first event of a session of CPU is sampled. */
static bool sampled(int fd, int session)
{
	struct topdown_latency_record record;
	uint64_t before = 0;
	unsigned int i;

	for (i = 0; i < 100; i++) {
		if (latency_read(fd, session, &record, 1) != 1)
			break;
		if (i && record.samples > before && !(record.flags & TOPDOWN_LATENCY_AWAY))
			return true;
		before = record.samples;
		sleep_ms(100);
	}
	return fact(false);
}

/* Mean and quantiles of five distributions, in turns. */
TEST_F_TIMEOUT(latency, distributions, 240)
{
	struct moment *moments = calloc(2 * NR_SHAPES, sizeof(*moments));
	struct moment *then = moments, *now = moments + NR_SHAPES;
	uint64_t events = 0;
	unsigned int i;
	int session;

	ASSERT_NE(NULL, moments);
	for (i = 0; i < NR_SHAPES; i++)
		events |= SHAPE_EVENT(i);
	session = latency_start(self->fd, events);
	ASSERT_LT(0, session);
	sleep_ms(SETTLE_MS);
	ASSERT_TRUE(moments_fill(then, self->fd, session));
	sleep_ms(SPAN_MS);
	ASSERT_TRUE(moments_fill(now, self->fd, session));
	for (i = 0; i < NR_SHAPES; i++)
		EXPECT_TRUE(shape_right(&then[i], &now[i]));
	free(moments);
}

/* The bound of the samples; an event that is alone has the counter all the time. */
TEST_F_TIMEOUT(latency, bound, 120)
{
	struct topdown_latency_record then, now;
	double seconds, ran;
	int session;

	session = latency_start(self->fd, SHAPE_EVENT(0));
	ASSERT_LT(0, session);
	ASSERT_EQ(1, latency_read(self->fd, session, &then, 1));
	sleep_ms(2000);
	ASSERT_EQ(1, latency_read(self->fd, session, &now, 1));
	seconds = (now.elapsed_ns - then.elapsed_ns) / 1e9;
	ran = (now.running_ns - then.running_ns) / 1e9;
	EXPECT_TRUE(fact_most("samples", now.samples - then.samples,
			      TOPDOWN_LATENCY_RATE * seconds + 130));
	EXPECT_TRUE(fact_near("share with the counter", ran / seconds, 1, 0.05));
	/* The samples stand for all events: three in a microsecond. */
	EXPECT_TRUE(fact_near("events", (now.events - then.events) / ran, 3e6, 3e5));
}

#define SAMPLE_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"

/*
 * perf stops an event that has more samples than this sysctl allows until the next tick.  Then a
 * period that is too short has too few samples, not too many.
 */
TEST_F_TIMEOUT(latency, throttled, 120)
{
	const struct td_bd_profile *profile = &profile_find("compute")->profile;
	struct topdown_latency_record then, now;
	double ran;
	int session;

	ASSERT_EQ(0, file_write(SAMPLE_RATE, 0, "500"));
	/* Without such events the period becomes as short as it can be. */
	spin_stop(self->load);
	self->load = spin_start(CPU, profile);
	session = latency_start(self->fd, SHAPE_EVENT(0));
	sleep_ms(1000);
	spin_stop(self->load);
	self->load = spin_start_with(CPU, profile, set_rates);
	sleep_ms(SETTLE_MS);
	EXPECT_EQ(1, latency_read(self->fd, session, &then, 1));
	sleep_ms(2000);
	EXPECT_EQ(1, latency_read(self->fd, session, &now, 1));
	EXPECT_EQ(0, file_write(SAMPLE_RATE, 0, "100000"));
	ASSERT_LT(0, session);
	ran = (now.running_ns - then.running_ns) / 1e9;
	EXPECT_TRUE(fact_near("events", (now.events - then.events) / ran, 3e6, 6e5));
}

/* Sessions share the sampler; it stays as long as one has it. */
TEST_F_TIMEOUT(latency, shared, 120)
{
	struct topdown_latency_record first, second;
	int other, one, two;

	other = device_open();
	ASSERT_LE(0, other);
	one = latency_start(self->fd, SHAPE_EVENT(0));
	ASSERT_LT(0, one);
	sleep_ms(300);
	two = latency_start(other, SHAPE_EVENT(0) | SHAPE_EVENT(1));
	ASSERT_LT(0, two);
	ASSERT_EQ(1, latency_read(self->fd, one, &first, 1));
	EXPECT_LT(0, first.samples);
	EXPECT_EQ(0, latency_end(self->fd, one));
	EXPECT_EQ(-ENOENT, latency_end(self->fd, one));
	EXPECT_EQ(-ENOENT, latency_read(self->fd, one, &second, 1));
	EXPECT_EQ(-EMSGSIZE, latency_read(other, two, &second, 1));
	EXPECT_EQ(0, latency_end(other, 0));
	two = latency_start(other, SHAPE_EVENT(0));
	ASSERT_LT(0, two);
	ASSERT_EQ(1, latency_read(other, two, &second, 1));
	EXPECT_GT(first.samples, second.samples);
	close(other);
}

/* Top-Down of the same CPU stays right, and keeps its counters. */
TEST_F_TIMEOUT(latency, slots, 120)
{
	struct td_bd_truth before, after;
	struct topdown_record then, now;
	double node[TRUTH_NODES], slots;
	unsigned int i;
	int session;

	session = latency_start(self->fd, SHAPE_EVENT(0) | SHAPE_EVENT(1));
	ASSERT_LT(0, session);
	ASSERT_TRUE(backdoor_truth_cpu(CPU, &before));
	ASSERT_EQ(0, device_read_cpu(self->fd, TOPDOWN_READ_FRESH, CPU, &then));
	sleep_ms(2000);
	ASSERT_EQ(0, device_read_cpu(self->fd, TOPDOWN_READ_FRESH, CPU, &now));
	ASSERT_TRUE(backdoor_truth_cpu(CPU, &after));
	backdoor_truth_sub(&after, &before);
	backdoor_truth_nodes(&after, node);
	slots = now.total.slots - then.total.slots;
	for (i = 0; i < TRUTH_NODES; i++)
		EXPECT_TRUE(fact_near(profile_find("compute")->name,
				      100 * (now.total.node[i] - then.total.node[i]) / slots,
				      100 * node[i], LIMIT_POINTS));
	EXPECT_TRUE(fact_near("running share",
			      (double)(now.total.running_ns - then.total.running_ns) /
			      (now.total.enabled_ns - then.total.enabled_ns), 1, 0.01));
}

#define NR_GENERAL	8

/* A group that needs all general counters, of a task or of a CPU. */
struct group {
	int fd[NR_GENERAL];
};

static void group_close(struct group *group)
{
	int i;

	for (i = NR_GENERAL - 1; i >= 0; i--)
		close(group->fd[i]);
}

static bool group_open(struct group *group, int pid, int cpu, bool pinned)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	bool done = true;
	int i;

	for (i = 0; i < NR_GENERAL; i++) {
		attr.config = 0xc4 | 0x100ull << i;
		attr.pinned = pinned && !i;
		group->fd[i] = syscall(SYS_perf_event_open, &attr, pid, cpu,
				       i ? group->fd[0] : -1, 0);
		done &= fact(group->fd[i] >= 0);
	}
	return done;
}

/* Did the group have the counters all the time?  Nothing can be read of one that perf gave up. */
static bool group_ran(const struct group *group)
{
	struct { uint64_t value, enabled, running; } count;

	return fact(read(group->fd[0], &count, sizeof(count)) == sizeof(count)) &&
	       fact_near("share of perf's group", (double)count.running / count.enabled, 1, 0.1);
}

TEST_F_TIMEOUT(latency, perf_users_first, 120)
{
	struct topdown_latency_record record;
	struct group group;
	int session;

	session = latency_start(self->fd, SHAPE_EVENT(0));
	ASSERT_LT(0, session);
	ASSERT_TRUE(sampled(self->fd, session));
	ASSERT_TRUE(group_open(&group, self->load, -1, false));
	sleep_ms(1500);
	ASSERT_EQ(1, latency_read(self->fd, session, &record, 1));
	EXPECT_TRUE(record.flags & TOPDOWN_LATENCY_AWAY);
	EXPECT_TRUE(group_ran(&group));
	group_close(&group);
}

/* perf gives up a pinned group for good as soon as it lacks a counter. */
TEST_F_TIMEOUT(latency, pinned_users_first, 120)
{
	struct topdown_latency_record record;
	struct group group;
	int session, i;

	session = latency_start(self->fd, SHAPE_EVENT(0));
	ASSERT_LT(0, session);
	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(sampled(self->fd, session));
		ASSERT_TRUE(group_open(&group, i ? -1 : self->load, i ? CPU : -1, true));
		sleep_ms(1500);
		EXPECT_TRUE(group_ran(&group));
		ASSERT_EQ(1, latency_read(self->fd, session, &record, 1));
		EXPECT_TRUE(record.flags & TOPDOWN_LATENCY_AWAY);
		group_close(&group);
	}
}

/* Guests, whose PEBS is off beside ours, and users with one interrupt for many records. */
TEST_F_TIMEOUT(latency, others_pebs, 120)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = shapes[1].config,
		.precise_ip = 2,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
	};
	static const struct {
		bool guest, freq, away;
	} kinds[] = {
		{ .freq = true },
		{ .away = true },
		{ .guest = true, .freq = true, .away = true },
	};
	struct topdown_latency_record record;
	int session, fd;
	unsigned int i;

	session = latency_start(self->fd, SHAPE_EVENT(0));
	ASSERT_LT(0, session);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		attr.exclude_host = kinds[i].guest;
		attr.freq = kinds[i].freq;
		attr.sample_period = kinds[i].freq ? 100 : 1000003;
		ASSERT_TRUE(sampled(self->fd, session));
		fd = syscall(SYS_perf_event_open, &attr, self->load, -1, -1, 0);
		ASSERT_LE(0, fd);
		sleep_ms(500);
		ASSERT_EQ(1, latency_read(self->fd, session, &record, 1));
		EXPECT_EQ(kinds[i].away, !!(record.flags & TOPDOWN_LATENCY_AWAY));
		close(fd);
	}
}

/* As long as the driver had no counter to learn how long records are, none is read. */
TEST_F_TIMEOUT(latency, unlearned, 240)
{
	struct moment *moments = calloc(2 * NR_SHAPES, sizeof(*moments));
	struct moment *then = moments, *now = moments + NR_SHAPES;
	struct topdown_latency_record records[NR_SHAPES];
	uint64_t events = 0;
	struct group group;
	unsigned int i;
	int session;

	ASSERT_NE(NULL, moments);
	for (i = 0; i < NR_SHAPES; i++)
		events |= SHAPE_EVENT(i);
	session = latency_start(self->fd, events);
	ASSERT_LT(0, session);
	sleep_ms(300);
	ASSERT_EQ(0, latency_end(self->fd, session));
	spin_stop(self->load);
	self->load = -1;
	ASSERT_EQ(0, cpu_set_online(CPU, false));
	ASSERT_EQ(0, cpu_set_online(CPU, true));
	self->load = spin_start_with(CPU, &profile_find("compute")->profile, set_rates);
	ASSERT_LT(0, self->load);
	ASSERT_TRUE(group_open(&group, -1, CPU, true));
	session = latency_start(self->fd, events);
	ASSERT_LT(0, session);
	sleep_ms(500);
	ASSERT_EQ(NR_SHAPES, latency_read(self->fd, session, records, NR_SHAPES));
	EXPECT_EQ(0, all_samples(records));
	EXPECT_TRUE(records[0].flags & TOPDOWN_LATENCY_AWAY);
	group_close(&group);
	sleep_ms(1500 + SETTLE_MS);
	ASSERT_TRUE(moments_fill(then, self->fd, session));
	sleep_ms(SPAN_MS);
	ASSERT_TRUE(moments_fill(now, self->fd, session));
	for (i = 0; i < NR_SHAPES; i++)
		EXPECT_TRUE(shape_right(&then[i], &now[i]));
	free(moments);
}

/* A CPU that was away is sampled again. */
TEST_F_TIMEOUT(latency, hotplug, 120)
{
	struct topdown_latency_record then, now;
	int session;

	spin_stop(self->load);
	self->load = -1;
	session = latency_start(self->fd, SHAPE_EVENT(0));
	ASSERT_LT(0, session);
	ASSERT_EQ(0, cpu_set_online(CPU, false));
	ASSERT_EQ(1, latency_read(self->fd, session, &then, 1));
	ASSERT_EQ(0, cpu_set_online(CPU, true));
	self->load = spin_start_with(CPU, &profile_find("compute")->profile, set_rates);
	ASSERT_LT(0, self->load);
	sleep_ms(500);
	ASSERT_EQ(1, latency_read(self->fd, session, &now, 1));
	EXPECT_LT(then.samples + 50, now.samples);
	EXPECT_NE(0, module_unload());
}

/* Whoever has a descriptor that may read CPUs needs no rights of perf. */
TEST_F_TIMEOUT(latency, unprivileged, 120)
{
	int status, pid;

	ASSERT_EQ(0, file_write("/proc/sys/kernel/perf_event_paranoid", 0, "2"));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
			_exit(1);
		_exit(latency_start(self->fd, SHAPE_EVENT(0)) > 0 ? 0 : 2);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

/* A real-time task that never sleeps lets no work of its CPU run. */
TEST_F_TIMEOUT(latency, beside_realtime, 120)
{
	const struct sched_param fifo = { .sched_priority = 1 }, other = { };
	struct topdown_latency_record record[2];
	int session;

	ASSERT_EQ(0, cpu_pin(0));
	ASSERT_EQ(0, file_write("/proc/sys/kernel/sched_rt_runtime_us", 0, "-1"));
	fair_server_off();
	ASSERT_EQ(0, sched_setscheduler(self->load, SCHED_FIFO, &fifo));
	session = latency_start(self->fd, SHAPE_EVENT(0) | SHAPE_EVENT(1));
	sleep_ms(1500);
	EXPECT_EQ(2, latency_read(self->fd, session, record, 2));
	ASSERT_EQ(0, sched_setscheduler(self->load, SCHED_OTHER, &other));
	ASSERT_LT(0, session);
	EXPECT_LT(50, record[0].samples);
	EXPECT_LT(50, record[1].samples);
}

TEST_F_TIMEOUT(latency, start_and_end, 120)
{
	int i, session, rounds = env_number("TOPDOWN_FULL", 0) ? 1000 : 100;

	for (i = 0; i < rounds; i++) {
		session = latency_start(self->fd, SHAPE_EVENT(i % NR_SHAPES));
		ASSERT_LT(0, session);
		ASSERT_EQ(0, latency_end(self->fd, session));
	}
	EXPECT_EQ(-EOPNOTSUPP, latency_start(self->fd,
					     1ULL << TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L1_HIT_L1));
}

/* Panther Lake: the first kernel whose driver knows it is newer than 6.12. */
#define MODEL_PTL	204

static unsigned int cpu_model(void)
{
	unsigned int model = 0;
	char line[256];
	FILE *file = fopen("/proc/cpuinfo", "re");

	while (file && !model && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "model : %u", &model) != 1)
			model = 0;
	}
	if (file)
		fclose(file);
	return model;
}

/* Granted here, unless the kernel is too old for latencies, or for the CPU. */
TEST(refusal)
{
	struct topdown_latency latency;
	struct utsname name;
	unsigned int model = cpu_model();
	int fd = device_open();
	bool known;

	ASSERT_LE(0, fd);
	ASSERT_NE(0, model);
	ASSERT_EQ(0, latency_ask(fd, &latency));
	ASSERT_EQ(0, uname(&name));
	known = strncmp(name.release, "6.1.", 4) &&
		(model != MODEL_PTL || strncmp(name.release, "6.12.", 5));
	if (known) {
		EXPECT_EQ(TOPDOWN_LATENCY_GRANTED, latency.out_refusal);
		EXPECT_TRUE(latency.out_events & SHAPE_EVENT(2));
	} else {
		EXPECT_EQ(TOPDOWN_LATENCY_NO_KERNEL, latency.out_refusal);
		EXPECT_EQ(0, latency.out_events);
		EXPECT_EQ(-EOPNOTSUPP, latency_start(fd, SHAPE_EVENT(2)));
	}
	close(fd);
}

/* The function call interrupts of a CPU so far; 0 if that is not known. */
static unsigned long calls_of(unsigned int cpu)
{
	unsigned long calls[2] = { 0, 0 };
	char line[4096];
	FILE *file = fopen("/proc/interrupts", "re");

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, " CAL: %lu %lu", &calls[0], &calls[1]) == 2)
			break;
	}
	if (file)
		fclose(file);
	return calls[cpu];
}

/* Everybody who has the descriptor may ask, so it costs the CPUs nothing. */
TEST(asking)
{
	struct topdown_latency latency;
	unsigned long before;
	int i, fd = device_open();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, cpu_pin(1));
	before = calls_of(0);
	for (i = 0; i < 1000; i++)
		ASSERT_EQ(0, latency_ask(fd, &latency));
	EXPECT_TRUE(fact_most("interrupts of CPU 0", calls_of(0) - before, 200));
	close(fd);
}

int main(int argc, char **argv)
{
	int ret = module_need();

	if (ret)
		return ret;
	if (!backdoor_open()) {
		printf("1..0 # SKIP no emulated PMU\n");
		return KSFT_SKIP;
	}
	return test_harness_run(argc, argv);
}
