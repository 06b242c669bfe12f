// SPDX-License-Identifier: GPL-2.0
/*
 * Leader sampling on all CPUs while readers fold, windows end, tasks that are followed take
 * turns, and CPUs go and come back.  Nothing is counted twice or not at all: what the events
 * of a CPU have is what the CPU's record has grown by, and all slots of a record are in a node.
 *
 * TOPDOWN_FULL       100000 samples, not 3000; 1000000 where CPUs run at the same time
 * TOPDOWN_SAMPLES    so many
 * TOPDOWN_PERIOD     one in so many cycles
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "leader.h"

/* How long it may take. */
#define SECONDS_MAX	3400
/* Samples between two lines of a long storm. */
#define PROGRESS	5000
/* So many CPUs stay, the first ones. */
#define STAY		2

/* The group that samples a CPU, and the records right before and after. */
struct sampled {
	unsigned int cpu;
	int device;
	int fd[LEADER_VALUES];
	struct ring ring;
	struct topdown_record before, begun, end, after;
	uint64_t last[LEADER_VALUES];
	/* When there was a sample, or the period began again. */
	uint64_t alive_ns;
	/* Sums over all times that the CPU was sampled. */
	uint64_t samples, others, stalls, slots, slots_cpu, times;
};

/* A thread samples the others, and takes them offline. */
struct plugger {
	pthread_t thread;
	struct sampled sampled[TD_CPUS_MAX];
	unsigned int cpus;
	volatile bool ends;
	volatile uint64_t samples;
	const char *wrong;
};

static struct perf_event_attr how;

static const char *sampled_begin(struct sampled *sampled)
{
	unsigned int i;

	if (leader_open(sampled->fd, -1, sampled->cpu, &how))
		return "the group cannot be opened";
	if (!ring_open(&sampled->ring, sampled->fd[0]))
		return "there is no ring";
	for (i = 0; i < LEADER_VALUES; i++)
		sampled->last[i] = 0;
	sampled->alive_ns = clock_ns(CLOCK_MONOTONIC);
	if (device_read_cpu(sampled->device, TOPDOWN_READ_FRESH, sampled->cpu, &sampled->before))
		return "no record before";
	if (ioctl(sampled->fd[0], PERF_EVENT_IOC_ENABLE, 0))
		return "the group cannot be enabled";
	if (device_read_cpu(sampled->device, TOPDOWN_READ_FRESH, sampled->cpu, &sampled->begun))
		return "no record at the begin";
	return NULL;
}

/*
 * Samples with values that only grow.
 *
 * An interrupt that comes before the driver has unmasked the last one is lost, and then the
 * counter has 2^48 cycles to go.  On an emulated machine a CPU may stand there for longer than a
 * period, so where there was no sample for some periods, they begin again.
 *
 * @left: the CPU has gone.
 */
static const char *sampled_drain(struct sampled *sampled, bool left)
{
	uint64_t before = sampled->samples, now = clock_ns(CLOCK_MONOTONIC);
	struct leader_sample sample;
	unsigned int i;

	while (ring_next(&sampled->ring, &sample)) {
		/* An NMI may meet perf while it takes the group of a CPU that leaves apart. */
		if (sample.nr != LEADER_VALUES && left) {
			sampled->others++;
			continue;
		}
		if (sample.nr != LEADER_VALUES)
			return "a sample lacks values";
		for (i = 0; i < LEADER_VALUES; i++) {
			if (sample.value[i] < sampled->last[i])
				return "a value has become smaller";
			sampled->last[i] = sample.value[i];
		}
		sampled->samples++;
	}
	if (left)
		return NULL;
	if (sampled->samples > before) {
		sampled->alive_ns = now;
	} else if (now - sampled->alive_ns > how.sample_period) {
		/* The emulator has three cycles a nanosecond. */
		sampled->alive_ns = now;
		sampled->stalls++;
		ioctl(sampled->fd[0], PERF_EVENT_IOC_PERIOD, &how.sample_period);
	}
	return NULL;
}

/* The count of an event in a record. */
static uint64_t value_of(const struct topdown_record *record, unsigned int event)
{
	const struct topdown_figures *total = &record->total;

	return event == PERF_SLOTS ? total->slots : total->node[event - PERF_NODE(0)];
}

/* Nothing is in one sum and not in the other: a fold that an NMI met has not been torn. */
static const char *sampled_whole(const struct sampled *sampled)
{
	const struct topdown_figures *before = &sampled->before.total;
	const struct topdown_figures *after = &sampled->after.total;
	uint64_t slots = after->slots - before->slots, level1 = 0;
	uint64_t enabled = after->enabled_ns - before->enabled_ns;
	uint64_t running = after->running_ns - before->running_ns;
	unsigned int i;

	for (i = 0; i <= TOPDOWN_BACKEND_BOUND; i++)
		level1 += after->node[i] - before->node[i];
	if (level1 != slots) {
		printf("# CPU %u: %llu slots, %llu in the nodes of level 1\n", sampled->cpu,
		       (unsigned long long)slots, (unsigned long long)level1);
		return "the nodes have not what the slots have";
	}
	/* Nobody else has the counters.  The host may take a CPU between clock and counter. */
	if (backdoor_exact() && running < enabled - enabled / 100) {
		printf("# CPU %u: running %llu of %llu ns\n", sampled->cpu,
		       (unsigned long long)running, (unsigned long long)enabled);
		return "the group ran too short";
	}
	return NULL;
}

/* The events have what lies between the records: at least between the inner ones. */
static const char *sampled_compare(struct sampled *sampled, const uint64_t *value)
{
	unsigned int i;

	for (i = 0; i < PERF_EVENTS; i++) {
		uint64_t most = value_of(&sampled->after, i) - value_of(&sampled->before, i);
		uint64_t least = value_of(&sampled->end, i) - value_of(&sampled->begun, i);

		if (value[1 + i] >= least && value[1 + i] <= most &&
		    value[1 + i] >= sampled->last[1 + i])
			continue;
		printf("# CPU %u, event %u: %llu, not %llu to %llu; %llu in the last sample\n",
		       sampled->cpu, i, (unsigned long long)value[1 + i],
		       (unsigned long long)least, (unsigned long long)most,
		       (unsigned long long)sampled->last[1 + i]);
		return "the events have not what the CPU has";
	}
	sampled->slots += value[1 + PERF_SLOTS];
	sampled->slots_cpu += value_of(&sampled->after, PERF_SLOTS) -
			      value_of(&sampled->before, PERF_SLOTS);
	return sampled_whole(sampled);
}

/* @leaves: the CPU goes offline with its events. */
static const char *sampled_end(struct sampled *sampled, bool leaves)
{
	uint64_t value[LEADER_VALUES];
	const char *wrong;

	if (device_read_cpu(sampled->device, TOPDOWN_READ_FRESH, sampled->cpu, &sampled->end))
		return "no record at the end";
	if (leaves ? cpu_set_online(sampled->cpu, false) :
	    ioctl(sampled->fd[0], PERF_EVENT_IOC_DISABLE, 0))
		return "the group cannot be disabled";
	wrong = sampled_drain(sampled, leaves);
	if (device_read_cpu(sampled->device, leaves ? 0 : TOPDOWN_READ_FRESH, sampled->cpu,
			    &sampled->after))
		return "no record after";
	if (leader_read(sampled->fd, value))
		return "the group cannot be read";
	if (!wrong)
		wrong = sampled_compare(sampled, value);
	sampled->others += sampled->ring.others;
	sampled->times++;
	ring_close(&sampled->ring);
	leader_close(sampled->fd);
	return wrong;
}

static void sampled_print(const struct sampled *sampled)
{
	printf("# CPU %u: %llu samples, %llu stalls, %llu records of another kind, %llu times; %llu slots, the CPU has %llu\n",
	       sampled->cpu, (unsigned long long)sampled->samples,
	       (unsigned long long)sampled->stalls, (unsigned long long)sampled->others,
	       (unsigned long long)sampled->times,
	       (unsigned long long)sampled->slots, (unsigned long long)sampled->slots_cpu);
}

/* Sample a CPU for a while, and take it offline meanwhile. */
static const char *plug(struct sampled *sampled, unsigned int cycle)
{
	const char *wrong = sampled_begin(sampled);
	unsigned int i;

	for (i = 0; i < 100 + cycle * 7 % 13 && !wrong; i++) {
		usleep(500);
		wrong = sampled_drain(sampled, false);
	}
	if (!wrong)
		wrong = sampled_end(sampled, true);
	cpu_set_online(sampled->cpu, true);
	return wrong;
}

static void *plugger_run(void *data)
{
	struct plugger *plugger = data;
	unsigned int cycle, i;
	uint64_t samples;

	for (cycle = 0; !plugger->ends && !plugger->wrong; cycle++) {
		plugger->wrong = plug(&plugger->sampled[cycle % plugger->cpus], cycle);
		for (samples = 0, i = 0; i < plugger->cpus; i++)
			samples += plugger->sampled[i].samples;
		plugger->samples = samples;
	}
	return NULL;
}

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

/* A task that runs anywhere. */
static int float_start(const char *name)
{
	int pid = spin_start(1, &profile_find(name)->profile);
	cpu_set_t set;

	memset(&set, 0xff, sizeof(set));
	return pid > 0 && sched_setaffinity(pid, sizeof(set), &set) ? -errno : pid;
}

/* A sample takes some 30,000 instructions, and the CPUs have to get other work done. */
static uint64_t period_default(void)
{
	if (backdoor_fast())
		return 400000;
	return getenv("TOPDOWN_FULL") && !backdoor_exact() ? 300000 : 4000000;
}

static uint64_t samples_default(void)
{
	if (!getenv("TOPDOWN_FULL"))
		return 3000;
	return backdoor_exact() ? 100000 : 1000000;
}

FIXTURE(storm) {
	int passer[2], floater[2], device;
	struct perf_user user;
	struct sampled stay[STAY];
	struct plugger plugger;
};

FIXTURE_SETUP(storm)
{
	unsigned int cpu[TD_CPUS_MAX], cpus = cpus_online(cpu), i;
	int pipes[2][2];

	ASSERT_EQ(0, module_need());
	if (!backdoor_open())
		SKIP(return, "this is not the emulated PMU");
	how.sample_period = env_number("TOPDOWN_PERIOD", period_default());
	ASSERT_LE(STAY, cpus);
	ASSERT_EQ(0, cpu_pin(1));
	ASSERT_EQ(0, rates_unlimit());
	ASSERT_EQ(0, period_set("10"));
	fair_server_off();
	self->device = device_open();
	ASSERT_LE(0, self->device);

	/* Two tasks switch to each other: a session follows one, and perf counts the other. */
	ASSERT_EQ(0, pipe(pipes[0]));
	ASSERT_EQ(0, pipe(pipes[1]));
	self->passer[0] = pass_on(pipes[0][0], pipes[1][1]);
	self->passer[1] = pass_on(pipes[1][0], pipes[0][1]);
	ASSERT_LT(0, self->passer[0]);
	ASSERT_LT(0, self->passer[1]);
	ASSERT_LT(0, device_attach(self->device, 0, self->passer[0]));
	ASSERT_EQ(0, perf_user_open(&self->user, self->passer[1], -1, 0));
	ASSERT_EQ(0, perf_user_enable(&self->user, true));
	ASSERT_EQ(1, write(pipes[0][1], "", 1));
	self->floater[0] = float_start("compute");
	self->floater[1] = float_start("fetch");
	ASSERT_LT(0, self->floater[0]);
	ASSERT_LT(0, self->floater[1]);

	for (i = 0; i < STAY; i++)
		self->stay[i] = (struct sampled){ .cpu = cpu[i], .device = self->device };
	self->plugger = (struct plugger){ .cpus = cpus - STAY };
	for (i = STAY; i < cpus; i++)
		self->plugger.sampled[i - STAY] =
			(struct sampled){ .cpu = cpu[i], .device = self->device };
}

FIXTURE_TEARDOWN(storm)
{
	spin_stop(self->passer[0]);
	spin_stop(self->passer[1]);
	spin_stop(self->floater[0]);
	spin_stop(self->floater[1]);
	cpus_set_online();
	period_set("1000");
	rates_limit();
}

TEST_F_TIMEOUT(storm, events_have_what_the_cpus_have, 3600)
{
	const uint64_t wanted = env_number("TOPDOWN_SAMPLES", samples_default());
	uint64_t began = clock_ns(CLOCK_MONOTONIC), now = began, samples = 0, said = 0;
	struct topdown_record record;
	unsigned int i;

	if (self->plugger.cpus)
		ASSERT_EQ(0, pthread_create(&self->plugger.thread, NULL, plugger_run,
					    &self->plugger));
	for (i = 0; i < STAY; i++)
		ASSERT_EQ(NULL, sampled_begin(&self->stay[i]));
	while (samples < wanted && !self->plugger.wrong &&
	       now - began < SECONDS_MAX * 1000000000ULL) {
		EXPECT_EQ(0, device_read_cpu(self->device, TOPDOWN_READ_FRESH, 0, &record));
		samples = self->plugger.samples;
		for (i = 0; i < STAY; i++) {
			ASSERT_EQ(NULL, sampled_drain(&self->stay[i], false));
			samples += self->stay[i].samples;
		}
		now = clock_ns(CLOCK_MONOTONIC);
		if (samples - said >= PROGRESS) {
			said = samples;
			TH_LOG("%llu samples in %llu ms", (unsigned long long)samples,
			       (unsigned long long)((now - began) / 1000000));
		}
	}
	if (self->plugger.cpus) {
		self->plugger.ends = true;
		pthread_join(self->plugger.thread, NULL);
		EXPECT_EQ(NULL, self->plugger.wrong) {
			TH_LOG("%s", self->plugger.wrong);
		}
	}
	for (i = 0; i < STAY; i++) {
		EXPECT_EQ(NULL, sampled_end(&self->stay[i], false));
		sampled_print(&self->stay[i]);
	}
	for (i = 0; i < self->plugger.cpus; i++)
		sampled_print(&self->plugger.sampled[i]);
	TH_LOG("%llu samples in %llu ms", (unsigned long long)samples,
	       (unsigned long long)((now - began) / 1000000));
	EXPECT_LE(wanted, samples);
	perf_user_close(&self->user);
	close(self->device);
}

TEST_HARNESS_MAIN
