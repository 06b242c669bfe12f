// SPDX-License-Identifier: GPL-2.0
/*
 * Latency sessions, against the truth of the emulated PMU, which knows each PEBS record that
 * it wrote; Top-Down beside them; who may have one, and where.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fact.h"
#include "latency_fixture.h"

#define NOBODY		65534

#define LIMIT_POINTS	0.5
#define LIMIT_INTERVAL	0.02

/* Mean and quantiles of five distributions, in turns. */
TEST_F_TIMEOUT(latency, distributions_are_right, 240)
{
	int session = latency_start(ALL_SHAPES);

	ASSERT_LT(0, session);
	sleep_ms(SETTLE_MS);
	EXPECT_TRUE(shapes_right(session));
}

#define DRIFT_CONFIG	event_config(SPLIT_STORES)
#define INTERVALS	20
/* From 100 to 1000 cycles in 1.5 s. */
#define LEAST_DRIFT	4

static bool set_drift(void)
{
	return backdoor_set_rate(DRIFT_CONFIG, RATE);
}

/* The mean of the samples of an interval, or 0 where it is not that of the records. */
static double mean_of(const struct moment *then, const struct moment *now)
{
	double count = now->truth.count - then->truth.count;
	double mean = (now->record.sum - then->record.sum) /
		      (double)(now->record.events - then->record.events);
	double want = (now->truth.sum - then->truth.sum) / count;

	printf("# %.0f samples of %.0f records, mean %.1f, truth %.1f\n",
	       (double)(now->record.samples - then->record.samples), count, mean, want);
	return fact_near("mean", mean, want, LIMIT_INTERVAL * want) ? mean : 0;
}

/*
 * Both sides speak of the same moment if the CPU has written no record for a millisecond before
 * it.  The interrupt of a record may come after the reader has seen the truth of it.
 */
static bool moment_of_drift(struct moment *moment, int session)
{
	unsigned int tries;
	double count;

	for (tries = 0; tries < 100; tries++) {
		if (!moment_truth(moment, DRIFT_CONFIG))
			return false;
		count = moment->truth.count;
		sleep_ms(1);
		if (latency_read(session, &moment->record, 1) != 1 ||
		    !moment_truth(moment, DRIFT_CONFIG))
			return false;
		if (moment->truth.count == count)
			return true;
	}
	return false;
}

/* Intervals of 100 ms follow a latency that drifts. */
TEST_F_TIMEOUT(latency, intervals_follow_a_drift, 120)
{
	double mean, least = 1e9, most = 0;
	struct moment *moment = calloc(2, sizeof(*moment));
	int session, i;

	ASSERT_NE(NULL, moment);
	spin_stop(self->load);
	self->load = spin_start_with(CPU, &profile_find("compute")->profile, set_drift);
	ASSERT_LT(0, self->load);
	session = latency_start(EVENT(SPLIT_STORES));
	ASSERT_LT(0, session);
	sleep_ms(SETTLE_MS);
	for (i = 0; i <= INTERVALS; i++) {
		ASSERT_TRUE(moment_of_drift(&moment[i % 2], session));
		if (i) {
			mean = mean_of(&moment[(i - 1) % 2], &moment[i % 2]);
			EXPECT_LT(0, mean);
			least = mean < least ? mean : least;
			most = mean > most ? mean : most;
		}
		sleep_ms(100);
	}
	EXPECT_TRUE(fact(most > LEAST_DRIFT * least));
	free(moment);
}

static bool set_often(void)
{
	return backdoor_set_rate(event_config(0), 4 * RATE);
}

/* The bound of the samples; an event that is alone has the counter all the time. */
TEST_F_TIMEOUT(latency, samples_have_a_bound, 120)
{
	struct topdown_latency_record then, now;
	double seconds, ran;
	int session;

	session = latency_start(EVENT(0));
	ASSERT_LT(0, session);
	ASSERT_EQ(1, latency_read(session, &then, 1));
	sleep_ms(2000);
	ASSERT_EQ(1, latency_read(session, &now, 1));
	seconds = (now.elapsed_ns - then.elapsed_ns) / 1e9;
	ran = (now.running_ns - then.running_ns) / 1e9;
	EXPECT_TRUE(fact_most("samples", now.samples - then.samples,
			      TOPDOWN_LATENCY_RATE * seconds + 130));
	EXPECT_TRUE(fact_near("share with the counter", ran / seconds, 1, 0.05));
	/* The samples stand for all events: three in a microsecond. */
	EXPECT_TRUE(fact_near("events", (now.events - then.events) / ran, 3e6, 3e5));
	/* Both are of one moment; less than a hundredth of the time is another program's. */
	EXPECT_TRUE(fact_near("counted", (now.counted - then.counted) / ran, 3e6, 3e4));

	/* So many more events that a period has too many samples, and no tick twice its share. */
	spin_stop(self->load);
	self->load = spin_start_with(CPU, &profile_find("compute")->profile, set_often);
	ASSERT_LT(0, self->load);
	ASSERT_EQ(1, latency_read(session, &then, 1));
	sleep_ms(2000);
	ASSERT_EQ(1, latency_read(session, &now, 1));
	seconds = (now.elapsed_ns - then.elapsed_ns) / 1e9;
	EXPECT_TRUE(fact_most("samples of more events", now.samples - then.samples,
			      TOPDOWN_LATENCY_RATE * seconds + 130));
	/* Periods were given up for others, and the counter ran through none. */
	EXPECT_EQ(0, now.lost);
}

#define SAMPLE_RATE	"/proc/sys/kernel/perf_event_max_sample_rate"

/*
 * perf stops an event that has more samples than this sysctl allows until the next tick.  Then a
 * period that is too short has too few samples, not too many.
 */
TEST_F_TIMEOUT(latency, throttling_leaves_events_right, 120)
{
	const struct td_bd_profile *profile = &profile_find("compute")->profile;
	struct topdown_latency_record then, now;
	double ran;
	int session;

	ASSERT_EQ(0, file_write(SAMPLE_RATE, 0, "500"));
	/* Without such events the period becomes as short as it can be. */
	spin_stop(self->load);
	self->load = spin_start(CPU, profile);
	session = latency_start(EVENT(0));
	sleep_ms(1000);
	spin_stop(self->load);
	self->load = spin_start_with(CPU, profile, set_rates);
	sleep_ms(SETTLE_MS);
	EXPECT_EQ(1, latency_read(session, &then, 1));
	sleep_ms(2000);
	EXPECT_EQ(1, latency_read(session, &now, 1));
	EXPECT_EQ(0, file_write(SAMPLE_RATE, 0, "100000"));
	ASSERT_LT(0, session);
	ran = (now.running_ns - then.running_ns) / 1e9;
	EXPECT_TRUE(fact_near("events", (now.events - then.events) / ran, 3e6, 6e5));
}

#define TIME_LIMIT	"/proc/sys/kernel/perf_cpu_time_max_percent"
#define BURSTS		6
/* In a million cycles: one in each. */
#define RATE_BURST	1000000
/* After so long without events a period is as short as can be, and times and counts are fresh. */
#define QUIET_MS	600
#define LEAST_LOST	100000
/* A turn of 100 ms may end within as many milliseconds of some bursts. */
#define BURST_MS	10
#define LEAST_TOLD	4
#define LIMIT_COUNTED	0.01
/* A burst loses some twenty periods of the last length. */
#define LIMIT_UNFINISHED	0.25

/*
 * A child with nothing to count, but for some events at once whenever the word is set that this
 * returns.  @pid is written.
 */
static int *burst_start(int *pid)
{
	int *word = mmap(NULL, sizeof(*word), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			 -1, 0);
	volatile int *wanted = word;

	if (word == MAP_FAILED)
		return NULL;
	*pid = fork();
	if (*pid)
		return *pid > 0 ? word : NULL;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (cpu_pin(CPU) || !backdoor_open() ||
	    !backdoor_set_profile(&profile_find("compute")->profile))
		_exit(1);
	for (;;) {
		if (!*wanted)
			continue;
		if (!backdoor_set_rate(event_config(0), RATE_BURST) ||
		    !backdoor_set_rate(event_config(0), 0))
			_exit(1);
		*wanted = 0;
	}
}

/* Another counter of the same event on CPU, which nobody samples. */
static int count_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = event_config(0),
	};

	return syscall(SYS_perf_event_open, &attr, -1, CPU, -1, 0);
}

static double count_read(int fd)
{
	uint64_t count = 0;

	return fact(read(fd, &count, sizeof(count)) == sizeof(count)) ? count : 0;
}

/* Return: how many bursts had lost something at once, long before the end of a turn; or -1. */
static int bursts(volatile int *wanted, int session)
{
	struct topdown_latency_record then, now;
	int i, told = 0;

	for (i = 0; i < BURSTS; i++) {
		if (latency_read(session, &then, 1) != 1)
			return -1;
		*wanted = 1;
		sleep_ms(BURST_MS);
		if (latency_read(session, &now, 1) != 1 || !fact(!*wanted))
			return -1;
		told += now.lost > then.lost;
		sleep_ms(QUIET_MS);
	}
	return told;
}

/*
 * Many events at once where there were none: until the period has grown, the counter runs through
 * a whole period and more on its way into the interrupt.  What another counter has and no sample
 * stands for is lost, but for the period that each burst leaves unfinished.
 */
TEST_F_TIMEOUT(latency, lost_events_are_counted, 120)
{
	struct topdown_latency_record then, now;
	double count, events, lost, counted;
	int session, other, *wanted, pid;

	/* An event that perf stops until the next tick counts nothing until then. */
	ASSERT_EQ(0, file_write(SAMPLE_RATE, 0, "100000"));
	ASSERT_EQ(0, file_write(TIME_LIMIT, 0, "0"));
	spin_stop(self->load);
	wanted = burst_start(&pid);
	ASSERT_NE(NULL, wanted);
	self->load = pid;
	session = latency_start(EVENT(0));
	ASSERT_LT(0, session);
	other = count_open();
	ASSERT_LE(0, other);
	sleep_ms(QUIET_MS);
	count = count_read(other);
	ASSERT_EQ(1, latency_read(session, &then, 1));
	EXPECT_LE(LEAST_TOLD, bursts(wanted, session));
	count = count_read(other) - count;
	ASSERT_EQ(1, latency_read(session, &now, 1));
	events = now.events - then.events;
	lost = now.lost - then.lost;
	counted = now.counted - then.counted;
	printf("# %.0f samples stand for %.0f events, %.0f lost, %.0f counted, %.0f there\n",
	       (double)(now.samples - then.samples), events, lost, counted, count);
	EXPECT_TRUE(now.flags & TOPDOWN_LATENCY_RECORD_COUNTED);
	EXPECT_TRUE(fact_near("counted", counted, count, LIMIT_COUNTED * count));
	EXPECT_TRUE(fact(lost >= LEAST_LOST));
	EXPECT_TRUE(fact_most("lost", lost, count - events));
	EXPECT_TRUE(fact_near("lost", lost, count - events, LIMIT_UNFINISHED * lost));
	ASSERT_EQ(0, file_write(TIME_LIMIT, 0, "25"));
	munmap(wanted, sizeof(*wanted));
	close(other);
}

/* Sessions share the sampler; it stays as long as one has it. */
TEST_F_TIMEOUT(latency, sessions_share_the_sampler, 120)
{
	struct topdown_latency_record first, second;
	int one, two, three;

	one = latency_start(EVENT(0));
	ASSERT_LT(0, one);
	sleep_ms(300);
	two = latency_start(EVENT(0) | EVENT(1));
	ASSERT_LT(0, two);
	ASSERT_EQ(1, latency_read(one, &first, 1));
	EXPECT_LT(0, first.samples);
	EXPECT_EQ(0, close(one));
	EXPECT_EQ(-EMSGSIZE, latency_read(two, &second, 1));
	/* Its events have their numbers within it, whoever else samples the same. */
	three = latency_start(EVENT(1));
	ASSERT_LT(0, three);
	ASSERT_EQ(1, latency_read(three, &second, 1));
	EXPECT_EQ(0, second.event);
	close(three);
	EXPECT_EQ(0, close(two));
	two = latency_start(EVENT(0));
	ASSERT_LT(0, two);
	ASSERT_EQ(1, latency_read(two, &second, 1));
	EXPECT_GT(first.samples, second.samples);
	close(two);
}

/* Top-Down of the same CPU stays right, and keeps its counters. */
TEST_F_TIMEOUT(latency, slots_stay_right, 120)
{
	struct td_bd_truth before, after;
	struct topdown_record then, now;
	double node[TRUTH_NODES], slots;
	unsigned int i;
	int session;

	session = latency_start(EVENT(0) | EVENT(1));
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

/* A CPU that was away is sampled again. */
TEST_F_TIMEOUT(latency, a_cpu_that_was_away_is_sampled, 120)
{
	struct topdown_latency_record then, now;
	int session;

	session = latency_start(EVENT(0));
	ASSERT_LT(0, session);
	sleep_ms(1000);
	spin_stop(self->load);
	self->load = -1;
	ASSERT_EQ(0, cpu_set_online(CPU, false));
	ASSERT_EQ(1, latency_read(session, &then, 1));
	ASSERT_EQ(0, cpu_set_online(CPU, true));
	self->load = spin_start_with(CPU, &profile_find("compute")->profile, set_rates);
	ASSERT_LT(0, self->load);
	sleep_ms(500);
	ASSERT_EQ(1, latency_read(session, &now, 1));
	EXPECT_LT(then.samples + 50, now.samples);
	/* The counts of perf's first event are still there. */
	EXPECT_LT(2e6, then.counted);
	EXPECT_TRUE(fact_near("counted", now.counted - then.counted,
			      3e6 * (now.running_ns - then.running_ns) / 1e9,
			      0.1 * (now.counted - then.counted)));
	EXPECT_NE(0, module_unload());
}

/* Whoever has a descriptor that may read CPUs needs no rights of perf. */
TEST_F_TIMEOUT(latency, a_descriptor_needs_no_rights_of_perf, 120)
{
	int status, pid, fd = latency_open();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, file_write("/proc/sys/kernel/perf_event_paranoid", 0, "2"));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
			_exit(1);
		_exit(latency_begin(fd, EVENT(0)) ? 2 : 0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFEXITED(status));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

TEST_F_TIMEOUT(latency, sessions_start_and_end, 120)
{
	int i, session, rounds = env_number("TOPDOWN_FULL", 0) ? 1000 : 100;

	for (i = 0; i < rounds; i++) {
		session = latency_start(EVENT(i % NR_SHAPES));
		ASSERT_LT(0, session);
		ASSERT_EQ(0, close(session));
	}
	EXPECT_EQ(-EOPNOTSUPP, latency_start(EVENT(L1_HIT_L1)));
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
static void expect_granted(struct __test_metadata *_metadata)
{
	struct topdown_latency_start answer;
	struct utsname name;
	unsigned int model = cpu_model();
	int fd = latency_open();
	bool known;

	ASSERT_LE(0, fd);
	ASSERT_NE(0, model);
	ASSERT_EQ(0, latency_ask(fd, EVENT(L3_HIT) | EVENT(L1_HIT_L1), &answer));
	ASSERT_EQ(0, uname(&name));
	known = strncmp(name.release, "6.1.", 4) &&
		(model != MODEL_PTL || strncmp(name.release, "6.12.", 5));
	if (known) {
		EXPECT_EQ(TOPDOWN_LATENCY_REFUSAL_NONE, answer.out_refusal);
		EXPECT_EQ(model == MODEL_PTL ? 3 : 1, answer.out_events);
	} else {
		EXPECT_EQ(TOPDOWN_LATENCY_REFUSAL_NO_KERNEL, answer.out_refusal);
		EXPECT_EQ(0, answer.out_events);
		EXPECT_EQ(-EOPNOTSUPP, latency_begin(fd, EVENT(L3_HIT)));
	}
	close(fd);
}

static int load_start(void)
{
	return spin_start_with(CPU, &profile_find("compute")->profile, set_rates);
}

/*
 * The module of the samplers comes and goes beside topdown, which stays as long: with a CPU that
 * was offline meanwhile, and with one that goes.
 */
TEST_F_TIMEOUT(latency, the_module_comes_and_goes, 240)
{
	struct topdown_latency_record record;
	struct topdown_record figures;
	int i, session, rounds = env_number("TOPDOWN_FULL", 0) ? 1000 : 20;
	bool offline;

	for (i = 0; i < rounds; i++) {
		offline = i % 10 == 0;
		/* A load that begins later has the descriptor of the session. */
		if (offline)
			spin_stop(self->load);
		ASSERT_EQ(0, module_unload_latency());
		if (offline)
			ASSERT_EQ(0, cpu_set_online(CPU, false));
		ASSERT_EQ(0, module_load_latency());
		session = latency_start(EVENT(SPLIT_LOADS));
		ASSERT_LT(0, session);
		EXPECT_EQ(-EAGAIN, module_unload_latency());
		if (offline) {
			ASSERT_EQ(0, cpu_set_online(CPU, true));
			self->load = load_start();
			ASSERT_LT(0, self->load);
		}
		sleep_ms(400);
		ASSERT_EQ(1, latency_read(session, &record, 1));
		EXPECT_LT(20, record.samples);
		close(session);
		if (offline) {
			spin_stop(self->load);
			self->load = load_start();
		}
	}
	EXPECT_EQ(0, module_unload_latency());
	EXPECT_EQ(-ENOENT, latency_open());
	/* Whoever has topdown open keeps its figures. */
	EXPECT_EQ(0, device_read_cpu(self->fd, 0, CPU, &figures));
	EXPECT_EQ(0, module_load_latency());
}

/* A copy of the module's file that can be changed. */
static char *latency_image(size_t *size)
{
	char path[512], *image;
	int fd;

	if (!module_latency_file(path, sizeof(path)))
		return NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	*size = lseek(fd, 0, SEEK_END);
	image = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	return image == MAP_FAILED ? NULL : image;
}

/* Load topdown_latency as if it was built for another topdown; 0 or a negative errno. */
static int load_of_another_version(void)
{
	char version[32] = "", *image, *at;
	FILE *file = fopen("/sys/module/topdown/version", "r");
	unsigned int found = 0;
	size_t size, length;
	int ret = -ENOENT;

	if (!file)
		return ret;
	if (fscanf(file, "%31s", version) != 1)
		version[0] = '\0';
	fclose(file);
	length = strlen(version);
	image = length ? latency_image(&size) : NULL;
	if (!image)
		return ret;
	for (at = image; (at = memmem(at, image + size - at, version, length)); at += length) {
		at[length - 1] ^= 1;
		found++;
	}
	/* The module has its version, and a copy that topdown compares. */
	if (found >= 2)
		ret = syscall(SYS_init_module, image, size, "") ? -errno : 0;
	munmap(image, size);
	return ret;
}

TEST_F(latency, another_version_is_refused)
{
	ASSERT_EQ(0, module_unload_latency());
	EXPECT_EQ(-EINVAL, load_of_another_version());
	EXPECT_EQ(-ENOENT, latency_open());
	EXPECT_EQ(0, module_load_latency());
}

TEST(the_machine_decides_the_refusal)
{
	expect_granted(_metadata);
}

/* A task that may load modules, and may not use perf on CPUs. */
static int load_without_perf(void)
{
	static const cap_value_t perf[] = { CAP_PERFMON, CAP_SYS_ADMIN };
	int pid = fork(), status;
	cap_t caps;

	if (pid)
		return waitpid(pid, &status, 0) == pid ? status : -1;
	caps = cap_get_proc();
	if (!caps || cap_set_flag(caps, CAP_EFFECTIVE, 2, perf, CAP_CLEAR) || cap_set_proc(caps))
		_exit(99);
	_exit(module_load("") || module_load_latency() ? 98 : 0);
}

/* The machine decides, and not who loads the module. */
TEST(perf_at_load_decides_no_refusal)
{
	ASSERT_EQ(0, module_unload());
	ASSERT_EQ(0, load_without_perf());
	expect_granted(_metadata);
}

/* Everybody who has the descriptor may ask without events, so it costs the CPUs nothing. */
TEST(asking_costs_the_cpus_nothing)
{
	struct topdown_latency_start answer;
	unsigned long before;
	int i, fd = latency_open();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, cpu_pin(1));
	before = cpu_calls(0);
	for (i = 0; i < 1000; i++)
		ASSERT_EQ(0, latency_ask(fd, 0, &answer));
	EXPECT_TRUE(fact_most("interrupts of CPU 0", cpu_calls(0) - before, 200));
	close(fd);
}

int main(int argc, char **argv)
{
	return latency_main(argc, argv);
}
