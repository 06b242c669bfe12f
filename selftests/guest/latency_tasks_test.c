// SPDX-License-Identifier: GPL-2.0
/*
 * Latency sessions of followed tasks, against the truth of the emulated PMU.  Two tasks share a
 * CPU, and each event happens in one of them alone, so the records of the CPU are those of the
 * task.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "fact.h"
#include "latency_fixture.h"

#define TASKS		2
/*
 * How long a task keeps the CPU.  A switch takes some 10,000 instructions, each of 8 ns on the
 * emulated machine, and a sample that comes meanwhile belongs to neither task.
 */
#define SLICE		"/sys/kernel/debug/sched/base_slice_ns"
#define SLICE_NS	30000000
/* The period of events this frequent is some thousand, and each sample stands for as many. */
#define LEAST_PERIOD	1000
/* Samples that a switch may give to the other task. */
#define LIMIT_STRAY	2
#define LIMIT_TIME	0.02
/* A share of some 70 ms. */
#define LIMIT_FRESH	0.1
#define LIMIT_DISABLED_NS	5e6
/* A sampler has some 400 in the time. */
#define LIMIT_ENDED	5

/* Which task has which shape: the first and the last two, and the others. */
static unsigned int owner(unsigned int shape)
{
	return shape == 1 || shape == 2;
}

static bool set_some(unsigned int task)
{
	unsigned int i;

	for (i = 0; i < NR_SHAPES; i++) {
		if (owner(i) == task && !backdoor_set_rate(event_config(i), RATE))
			return false;
	}
	return true;
}

static bool set_first(void)
{
	return set_some(0);
}

static bool set_second(void)
{
	return set_some(1);
}

struct task {
	int pid;
	int session;
	int latency;
	struct topdown_latency_record record[NR_SHAPES];
};

static bool task_begin(struct task *task, int fd, bool (*rates)(void))
{
	task->pid = spin_start_with(CPU, &profile_find("compute")->profile, rates);
	task->session = task->pid > 0 ? device_attach(fd, 0, task->pid) : -1;
	task->latency = task->session > 0 ?
			latency_start_tasks(task->session, ALL_SHAPES) : -1;
	return fact(task->latency > 0);
}

static void task_end(struct task *task)
{
	if (task->pid > 0)
		spin_stop(task->pid);
}

/* Both sides, the tasks and the CPU, speak of one moment: no sample came meanwhile. */
static bool look(struct task tasks[TASKS], struct moment moments[NR_SHAPES])
{
	struct topdown_latency_record again[NR_SHAPES];
	unsigned int tries, i;
	bool done = true, same;

	for (tries = 0; tries < 100; tries++) {
		for (i = 0; i < TASKS; i++)
			done &= latency_read(tasks[i].latency, tasks[i].record,
					     NR_SHAPES) == NR_SHAPES;
		for (i = 0; i < NR_SHAPES; i++)
			done &= moment_truth(&moments[i], event_config(i));
		for (same = true, i = 0; i < TASKS; i++) {
			done &= latency_read(tasks[i].latency, again, NR_SHAPES) ==
				NR_SHAPES;
			same &= all_samples(again) == all_samples(tasks[i].record);
		}
		if (same || !done)
			break;
	}
	return fact(done) && fact(tries < 100);
}

static const struct topdown_latency_record *record_of(const struct task *task, unsigned int shape)
{
	return &task->record[shape];
}

static void take_records(const struct task tasks[TASKS], struct moment moments[NR_SHAPES])
{
	unsigned int i;

	for (i = 0; i < NR_SHAPES; i++)
		moments[i].record = *record_of(&tasks[owner(i)], i);
}

/* Events that did not happen in a task have no samples there. */
static bool none_strayed(const struct task tasks[TASKS])
{
	unsigned int i, j;
	bool right = true;

	for (i = 0; i < NR_SHAPES; i++) {
		for (j = 0; j < TASKS; j++) {
			if (owner(i) != j)
				right &= fact_most("samples of the other task",
						   record_of(&tasks[j], i)->samples, LIMIT_STRAY);
		}
	}
	return right;
}

/* The tasks share the CPU, and some event has the counter all the time. */
static bool times_right(const struct task then[TASKS], const struct task now[TASKS], double ns)
{
	double elapsed = 0, running = 0;
	unsigned int i, j;

	for (i = 0; i < TASKS; i++) {
		elapsed += now[i].record[0].elapsed_ns - then[i].record[0].elapsed_ns;
		for (j = 0; j < NR_SHAPES; j++)
			running += now[i].record[j].running_ns - then[i].record[j].running_ns;
	}
	return fact_near("time of both tasks", elapsed / ns, 1, LIMIT_TIME) &
	       fact_near("time with the counter", running / elapsed, 1, LIMIT_TIME);
}

/* Set the slice to @ns, which has the one of before afterwards. */
static bool slice_swap(unsigned long *ns)
{
	FILE *file = fopen(SLICE, "re");
	unsigned long before = 0;
	char text[32];

	if (!file || fscanf(file, "%lu", &before) != 1)
		before = 0;
	if (file)
		fclose(file);
	snprintf(text, sizeof(text), "%lu", *ns);
	*ns = before;
	return before && !file_write(SLICE, 0, text);
}

TEST_F_TIMEOUT(latency, two_tasks_have_their_own_samples, 240)
{
	struct moment *moments = calloc(2 * NR_SHAPES, sizeof(*moments));
	struct moment *before = moments, *after = moments + NR_SHAPES;
	struct task then[TASKS] = { }, now[TASKS];
	unsigned long slice = SLICE_NS;
	struct td_bd_truth begin, end;
	unsigned int i;
	bool begun;

	ASSERT_NE(NULL, moments);
	spin_stop(self->load);
	self->load = -1;
	ASSERT_TRUE(slice_swap(&slice));
	begun = task_begin(&then[0], self->fd, set_first) &&
		task_begin(&then[1], self->fd, set_second);
	sleep_ms(SETTLE_MS);
	begun = begun && look(then, before);
	take_records(then, before);
	memcpy(now, then, sizeof(now));
	begun = begun && backdoor_truth_cpu(CPU, &begin);
	sleep_ms(SPAN_MS);
	begun = begun && look(now, after) && backdoor_truth_cpu(CPU, &end);
	take_records(now, after);
	for (i = 0; i < TASKS; i++)
		task_end(&now[i]);
	ASSERT_TRUE(slice_swap(&slice));
	ASSERT_TRUE(begun);
	for (i = 0; i < NR_SHAPES; i++) {
		EXPECT_TRUE(shape_right(&before[i], &after[i]));
		EXPECT_LT(after[i].record.samples * LEAST_PERIOD, after[i].record.events);
	}
	EXPECT_TRUE(none_strayed(now));
	EXPECT_TRUE(times_right(then, now, end.time_ns - begin.time_ns));
	free(moments);
}

/* Records stay after the task and its session have ended. */
TEST_F_TIMEOUT(latency, records_stay_after_the_end, 120)
{
	struct topdown_latency_record then, now;
	struct td_bd_truth begin, end;
	int session, latency;

	session = device_attach(self->fd, 0, self->load);
	ASSERT_LT(0, session);
	latency = latency_start_tasks(session, EVENT(0));
	ASSERT_LT(0, latency);
	sleep_ms(500);
	spin_stop(self->load);
	self->load = -1;
	sleep_ms(200);
	ASSERT_EQ(1, latency_read(latency, &then, 1));
	EXPECT_EQ(TOPDOWN_CPU_ALL, then.cpu);
	EXPECT_LT(50, then.samples);
	ASSERT_EQ(0, close(session));
	sleep_ms(200);
	ASSERT_EQ(1, latency_read(latency, &now, 1));
	EXPECT_EQ(0, memcmp(&then, &now, sizeof(then)));
	/* The read after the end has given the sampling counters back. */
	self->load = spin_start_with(CPU, &profile_find("compute")->profile, set_rates);
	ASSERT_LT(0, self->load);
	ASSERT_TRUE(backdoor_truth_cpu(CPU, &begin));
	sleep_ms(500);
	ASSERT_TRUE(backdoor_truth_cpu(CPU, &end));
	EXPECT_TRUE(fact_most("interrupts after the end", end.pmi - begin.pmi, LIMIT_ENDED));
	EXPECT_NE(0, module_unload());
	EXPECT_EQ(0, close(latency));
}

/* The time of the task between two records, over @ns. */
static bool ran_for(const struct topdown_latency_record *then,
		    const struct topdown_latency_record *now, double ns)
{
	return fact_near("time of the task", (now->elapsed_ns - then->elapsed_ns) / ns, 1,
			 LIMIT_FRESH) &
	       fact_near("with the counter", (now->running_ns - then->running_ns) / ns, 1,
			 LIMIT_FRESH);
}

/* The times are those of now, although nothing happens on the CPU, and the turn goes on. */
TEST_F_TIMEOUT(latency, times_are_those_of_now, 120)
{
	struct topdown_latency_record then, now;
	int session, latency, i;
	uint64_t begin;

	/* If the load left its CPU for us, its times would be written anyway. */
	ASSERT_EQ(0, cpu_pin(!CPU));
	session = device_attach(self->fd, 0, self->load);
	ASSERT_LT(0, session);
	latency = latency_start_tasks(session, EVENT(0));
	ASSERT_LT(0, latency);
	sleep_ms(500);
	for (i = 0; i < 3; i++) {
		begin = clock_ns(CLOCK_MONOTONIC);
		ASSERT_EQ(1, latency_read(latency, &then, 1));
		sleep_ms(73);
		ASSERT_EQ(1, latency_read(latency, &now, 1));
		EXPECT_TRUE(ran_for(&then, &now, clock_ns(CLOCK_MONOTONIC) - begin));
	}
	ASSERT_EQ(1, latency_read(latency, &then, 1));
	ASSERT_EQ(0, device_control(session, TOPDOWN_CONTROL_DISABLE));
	sleep_ms(173);
	ASSERT_EQ(0, device_control(session, TOPDOWN_CONTROL_ENABLE));
	ASSERT_EQ(1, latency_read(latency, &now, 1));
	EXPECT_TRUE(fact_most("ns while disabled", now.elapsed_ns - then.elapsed_ns,
			      LIMIT_DISABLED_NS));
	begin = clock_ns(CLOCK_MONOTONIC);
	ASSERT_EQ(1, latency_read(latency, &then, 1));
	sleep_ms(73);
	ASSERT_EQ(0, close(session));
	ASSERT_EQ(1, latency_read(latency, &now, 1));
	EXPECT_TRUE(ran_for(&then, &now, clock_ns(CLOCK_MONOTONIC) - begin));
}

/* The load has no such event: there is nothing but time. */
TEST_F_TIMEOUT(latency, a_task_without_samples_has_time, 120)
{
	struct topdown_latency_record seen, none = { };
	int session, latency;

	session = device_attach(self->fd, 0, self->load);
	ASSERT_LT(0, session);
	latency = latency_start_tasks(session,
				      EVENT(LOCK_LOADS));
	ASSERT_LT(0, latency);
	sleep_ms(300);
	ASSERT_EQ(1, latency_read(latency, &seen, 1));
	EXPECT_LT(0, seen.running_ns);
	EXPECT_EQ(0, seen.event);
	EXPECT_EQ(0, seen.samples);
	EXPECT_EQ(0, seen.events);
	EXPECT_EQ(0, seen.sum);
	EXPECT_EQ(0, seen.min);
	EXPECT_EQ(0, seen.max);
	EXPECT_EQ(0, memcmp(none.bin, seen.bin, sizeof(none.bin)));
	EXPECT_EQ(0, close(latency));
}

TEST_F_TIMEOUT(latency, wrong_starts_are_refused, 120)
{
	int session, latency;

	EXPECT_EQ(-EBADF, latency_start_tasks(77, EVENT(0)));
	EXPECT_EQ(-EBADF, latency_start_tasks(self->fd, EVENT(0)));
	session = device_attach(self->fd, 0, self->load);
	ASSERT_LT(0, session);
	latency = latency_start_tasks(session, EVENT(0));
	ASSERT_LT(0, latency);
	EXPECT_EQ(-EBUSY, latency_start_tasks(session, EVENT(1)));
	/* A descriptor is one session. */
	EXPECT_EQ(-EBUSY, latency_begin(latency, EVENT(1)));
	EXPECT_EQ(0, close(latency));
	latency = latency_start_tasks(session, EVENT(1));
	ASSERT_LT(0, latency);
	EXPECT_EQ(0, close(latency));
	spin_stop(self->load);
	self->load = -1;
	sleep_ms(200);
	EXPECT_EQ(-ESRCH, latency_start_tasks(session, EVENT(1)));
}

int main(int argc, char **argv)
{
	return latency_main(argc, argv);
}
