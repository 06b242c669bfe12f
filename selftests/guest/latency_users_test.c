// SPDX-License-Identifier: GPL-2.0
/*
 * Latency sessions beside perf users, who come first, and beside real-time tasks.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fact.h"
#include "latency_fixture.h"

/* Wait until the first event of a session of CPU is sampled. */
static bool sampled(int session)
{
	struct topdown_latency_record record;
	uint64_t before = 0;
	unsigned int i;

	for (i = 0; i < 100; i++) {
		if (latency_read(session, &record, 1) != 1)
			break;
		if (i && record.samples > before && !(record.flags & TOPDOWN_LATENCY_RECORD_AWAY))
			return true;
		before = record.samples;
		sleep_ms(100);
	}
	return fact(false);
}

#define NR_GENERAL	8
/* Until the module notices that the sampler has no counter. */
#define LIMIT_TURN_MS	15

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

TEST_F_TIMEOUT(latency, perf_users_come_first, 120)
{
	struct topdown_latency_record record;
	struct group group;
	int session;

	session = latency_start(EVENT(0));
	ASSERT_LT(0, session);
	ASSERT_TRUE(sampled(session));
	ASSERT_TRUE(group_open(&group, self->load, -1, false));
	sleep_ms(1500);
	ASSERT_EQ(1, latency_read(session, &record, 1));
	EXPECT_TRUE(record.flags & TOPDOWN_LATENCY_RECORD_AWAY);
	EXPECT_TRUE(group_ran(&group));
	group_close(&group);
}

/* Wait until a turn of a session of CPU ends: its times are written then. */
static bool turn_ended(int session)
{
	struct topdown_latency_record record;
	uint64_t before = 0;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		if (latency_read(session, &record, 1) != 1)
			break;
		if (i && record.running_ns > before)
			return true;
		before = record.running_ns;
		sleep_ms(2);
	}
	return fact(false);
}

/* A turn that a perf user ends counts for the tasks until then, as it does for the CPU. */
TEST_F_TIMEOUT(latency, a_turn_counts_until_a_perf_user_comes, 120)
{
	struct topdown_latency_record cpu, tasks, cpu_then = { }, tasks_then = { };
	int session, other, both[2], i;
	struct group group;

	/* If the load left its CPU for us, its times would be written anyway. */
	ASSERT_EQ(0, cpu_pin(!CPU));
	session = device_attach(self->fd, 0, self->load);
	ASSERT_LT(0, session);
	both[0] = latency_start(EVENT(0));
	both[1] = latency_start_tasks(session, EVENT(0));
	ASSERT_TRUE(sampled(both[0]));
	/* Turns that pass on while the task stays on the CPU. */
	other = latency_start(EVENT(1));
	ASSERT_LT(0, other);
	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(sampled(both[0]));
		sleep_ms(380);
		/* perf ends a turn of the other event that has just begun, and then one of this. */
		ASSERT_TRUE(turn_ended(i ? other : both[0]));
		ASSERT_TRUE(group_open(&group, self->load, -1, false));
		sleep_ms(500);
		ASSERT_EQ(1, latency_read(both[0], &cpu, 1));
		ASSERT_EQ(1, latency_read(both[1], &tasks, 1));
		group_close(&group);
		EXPECT_TRUE(cpu.flags & TOPDOWN_LATENCY_RECORD_AWAY);
		EXPECT_TRUE(tasks.flags & TOPDOWN_LATENCY_RECORD_AWAY);
		EXPECT_TRUE(fact_near("milliseconds with the counter",
				      (tasks.running_ns - tasks_then.running_ns) / 1e6,
				      (cpu.running_ns - cpu_then.running_ns) / 1e6, LIMIT_TURN_MS));
		cpu_then = cpu;
		tasks_then = tasks;
	}
	EXPECT_LT(tasks.running_ns, tasks.elapsed_ns);
	ASSERT_EQ(0, cpu_set_online(CPU, false));
	ASSERT_EQ(1, latency_read(both[1], &tasks, 1));
	EXPECT_EQ(0, tasks.flags);
	ASSERT_EQ(0, cpu_set_online(CPU, true));
}

/* perf gives up a pinned group for good as soon as it lacks a counter. */
TEST_F_TIMEOUT(latency, pinned_users_come_first, 120)
{
	struct topdown_latency_record record;
	struct group group;
	int session, i;

	session = latency_start(EVENT(0));
	ASSERT_LT(0, session);
	for (i = 0; i < 2; i++) {
		ASSERT_TRUE(sampled(session));
		ASSERT_TRUE(group_open(&group, i ? -1 : self->load, i ? CPU : -1, true));
		sleep_ms(1500);
		EXPECT_TRUE(group_ran(&group));
		ASSERT_EQ(1, latency_read(session, &record, 1));
		EXPECT_TRUE(record.flags & TOPDOWN_LATENCY_RECORD_AWAY);
		group_close(&group);
	}
}

/* The share of the time from now on in which a session of CPU has the counter, in percent. */
static unsigned int share_for(int session, unsigned int ms)
{
	struct topdown_latency_record then, now;

	if (latency_read(session, &then, 1) != 1)
		return 0;
	sleep_ms(ms);
	if (latency_read(session, &now, 1) != 1 || now.elapsed_ns == then.elapsed_ns)
		return 0;
	return 100 * (now.running_ns - then.running_ns) / (now.elapsed_ns - then.elapsed_ns);
}

/* An event lacks the only counter that it can have.  Other events are sampled all the same. */
TEST_F_TIMEOUT(latency, a_taken_counter_stops_one_event_only, 120)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		/* AMX_OPS_RETIRED, which can have counter 0 only. */
		.config = 0x2ce,
		.pinned = 1,
	};
	struct topdown_latency_record record;
	int session[2], fd;

	fd = syscall(SYS_perf_event_open, &attr, -1, CPU, -1, 0);
	ASSERT_LE(0, fd);
	session[0] = latency_start(EVENT(0));
	session[1] = latency_start(EVENT(STORE_SAMPLE));
	ASSERT_LT(0, session[0]);
	ASSERT_LT(0, session[1]);
	sleep_ms(500);
	EXPECT_TRUE(fact_near("percent of the time", share_for(session[0], 4000), 90, 10));
	ASSERT_EQ(1, latency_read(session[0], &record, 1));
	EXPECT_FALSE(record.flags & TOPDOWN_LATENCY_RECORD_AWAY);
	/* Else both counters were there, and this has shown nothing. */
	ASSERT_EQ(1, latency_read(session[1], &record, 1));
	EXPECT_TRUE(record.flags & TOPDOWN_LATENCY_RECORD_AWAY);
	EXPECT_EQ(0, record.samples);
	EXPECT_GT(record.elapsed_ns / 50, record.running_ns);
	/* It has its turns again when the counter is free. */
	close(fd);
	sleep_ms(16000);
	EXPECT_TRUE(fact_near("percent of the time", share_for(session[1], 4000), 50, 10));
}

/* Guests, whose PEBS is off beside ours, and users with one interrupt for many records. */
TEST_F_TIMEOUT(latency, pebs_of_others_comes_first, 120)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = event_config(1),
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

	session = latency_start(EVENT(0));
	ASSERT_LT(0, session);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		attr.exclude_host = kinds[i].guest;
		attr.freq = kinds[i].freq;
		attr.sample_period = kinds[i].freq ? 100 : 1000003;
		ASSERT_TRUE(sampled(session));
		fd = syscall(SYS_perf_event_open, &attr, self->load, -1, -1, 0);
		ASSERT_LE(0, fd);
		sleep_ms(500);
		ASSERT_EQ(1, latency_read(session, &record, 1));
		EXPECT_EQ(kinds[i].away, !!(record.flags & TOPDOWN_LATENCY_RECORD_AWAY));
		close(fd);
	}
}

/* As long as the driver had no counter to learn how long records are, none is read. */
TEST_F_TIMEOUT(latency, no_record_of_unknown_length_is_read, 240)
{
	struct topdown_latency_record records[NR_SHAPES];
	struct group group;
	int session;

	session = latency_start(ALL_SHAPES);
	ASSERT_LT(0, session);
	sleep_ms(300);
	ASSERT_EQ(0, close(session));
	spin_stop(self->load);
	self->load = -1;
	ASSERT_EQ(0, cpu_set_online(CPU, false));
	ASSERT_EQ(0, cpu_set_online(CPU, true));
	self->load = spin_start_with(CPU, &profile_find("compute")->profile, set_rates);
	ASSERT_LT(0, self->load);
	ASSERT_TRUE(group_open(&group, -1, CPU, true));
	session = latency_start(ALL_SHAPES);
	ASSERT_LT(0, session);
	sleep_ms(500);
	ASSERT_EQ(NR_SHAPES, latency_read(session, records, NR_SHAPES));
	EXPECT_EQ(0, all_samples(records));
	EXPECT_TRUE(records[0].flags & TOPDOWN_LATENCY_RECORD_AWAY);
	group_close(&group);
	sleep_ms(1500 + SETTLE_MS);
	EXPECT_TRUE(shapes_right(session));
}

/* A real-time task that never sleeps lets no work of its CPU run. */
TEST_F_TIMEOUT(latency, a_realtime_task_is_sampled, 120)
{
	const struct sched_param fifo = { .sched_priority = 1 }, other = { };
	struct topdown_latency_record record[2];
	int session;

	ASSERT_EQ(0, cpu_pin(0));
	ASSERT_EQ(0, file_write("/proc/sys/kernel/sched_rt_runtime_us", 0, "-1"));
	fair_server_off();
	ASSERT_EQ(0, sched_setscheduler(self->load, SCHED_FIFO, &fifo));
	session = latency_start(EVENT(0) | EVENT(1));
	sleep_ms(1500);
	EXPECT_EQ(2, latency_read(session, record, 2));
	ASSERT_EQ(0, sched_setscheduler(self->load, SCHED_OTHER, &other));
	ASSERT_LT(0, session);
	EXPECT_LT(50, record[0].samples);
	EXPECT_LT(50, record[1].samples);
}

int main(int argc, char **argv)
{
	return latency_main(argc, argv);
}
