// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of readings of /dev/topdown: records that follow from each other, fresh
 * readings and windows.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "guest.h"
#include "sample.h"

#define RECORDS		(TD_CPUS_MAX + 1)
/* A period in which an idle CPU is soon one whose window is old. */
#define SHORT_MS	20U

FIXTURE(read) {
	int fd;
	struct topdown_record *records;
};

FIXTURE_SETUP(read)
{
	struct topdown_info info;

	/* An idle CPU would have no new figures, and this test works on CPU 0. */
	ASSERT_EQ(0, cpu_pin(0));
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, device_info(self->fd, &info));
	ASSERT_GE(TD_CPUS_MAX, info.out_nr_cpus);
	self->records = calloc(RECORDS, sizeof(*self->records));
	ASSERT_NE(NULL, self->records);
}

FIXTURE_TEARDOWN(read)
{
	free(self->records);
	close(self->fd);
}

TEST_F(read, records_are_those_of_the_set)
{
	unsigned int cpu[TD_CPUS_MAX], n = cpus_online(cpu), i;
	__u64 set[2] = { };
	__u32 nr = RECORDS;

	ASSERT_EQ(0, device_read(self->fd, 0, NULL, 0, self->records, &nr));
	for (i = 1; i < nr; i++)
		EXPECT_LT(self->records[i - 1].cpu, self->records[i].cpu);
	EXPECT_LE(n, nr);

	for (i = 0; i < n; i++) {
		EXPECT_EQ(0, device_read_cpu(self->fd, 0, cpu[i], self->records));
		EXPECT_EQ(cpu[i], self->records[0].cpu);
	}
	if (n < 2)
		SKIP(return, "one CPU only");
	/* Records are in the order of the CPUs' numbers.  Words of the set may be empty. */
	set[0] = 1ULL << cpu[n - 1] | 1ULL << cpu[0];
	nr = RECORDS;
	ASSERT_EQ(0, device_read(self->fd, TOPDOWN_READ_TOTAL, set, 2, self->records, &nr));
	EXPECT_EQ(3, nr);
	EXPECT_EQ(cpu[0], self->records[0].cpu);
	EXPECT_EQ(cpu[n - 1], self->records[1].cpu);
	EXPECT_EQ(TOPDOWN_CPU_ALL, self->records[2].cpu);
	EXPECT_EQ(2, self->records[2].nr_cpus);
	EXPECT_EQ(self->records[0].total.slots + self->records[1].total.slots,
		  self->records[2].total.slots);
}

static bool figures_grow(const struct topdown_figures *then, const struct topdown_figures *now)
{
	unsigned int i;

	for (i = 0; i < TD_NR_NODES; i++) {
		if (now->node[i] < then->node[i])
			return false;
	}
	return now->slots >= then->slots && now->enabled_ns >= then->enabled_ns &&
	       now->running_ns >= then->running_ns;
}

TEST_F(read, records_are_consistent_and_grow)
{
	struct topdown_record *then = calloc(RECORDS, sizeof(*then));
	struct topdown_record *now = self->records;
	__u32 nr, i, round;

	ASSERT_NE(NULL, then);
	for (round = 0; round < 200; round++) {
		nr = RECORDS;
		ASSERT_EQ(0, device_read(self->fd, round % 2 ? TOPDOWN_READ_FRESH :
					 TOPDOWN_READ_TOTAL, NULL, 0, now, &nr));
		for (i = 0; i < nr; i++) {
			const struct topdown_record *record = &now[i];

			if (record->cpu == TOPDOWN_CPU_ALL)
				continue;
			ASSERT_TRUE(figures_consistent(&record->total, record->level));
			ASSERT_TRUE(figures_consistent(&record->window, record->level));
			ASSERT_TRUE(figures_grow(&then[i].total, &record->total));
			ASSERT_LE(then[i].windows, record->windows);
			ASSERT_LE(then[i].time_ns, record->time_ns);
			ASSERT_GE(clock_ns(CLOCK_MONOTONIC), record->time_ns);
			ASSERT_EQ(0, record->flags);
			ASSERT_EQ(nodes_of_level(record->level), record->nodes);
			ASSERT_EQ(1, record->nr_cpus);
		}
		memcpy(then, now, nr * sizeof(*now));
	}
	free(then);
}

TEST_F(read, total_is_the_sum)
{
	__u32 nr = RECORDS, i, node;
	struct topdown_figures sum = { };
	const struct topdown_record *total;
	__u64 windows = 0, newest = 0;

	sleep_ms(20);
	ASSERT_EQ(0, device_read(self->fd, TOPDOWN_READ_TOTAL | TOPDOWN_READ_FRESH, NULL, 0,
				 self->records, &nr));
	total = &self->records[nr - 1];
	ASSERT_EQ(TOPDOWN_CPU_ALL, total->cpu);
	for (i = 0; i + 1 < nr; i++) {
		sum.slots += self->records[i].total.slots;
		sum.enabled_ns += self->records[i].total.enabled_ns;
		sum.running_ns += self->records[i].total.running_ns;
		windows += self->records[i].windows;
		if (self->records[i].time_ns > newest)
			newest = self->records[i].time_ns;
		for (node = 0; node < TD_NR_NODES; node++)
			sum.node[node] += self->records[i].total.node[node];
		for (node = 0; node < TD_NR_PARENTS; node++)
			sum.children_slots[node] += self->records[i].total.children_slots[node];
	}
	EXPECT_EQ(windows, total->windows);
	EXPECT_EQ(newest, total->time_ns);
	ASSERT_LT(0, total->total.slots);
	EXPECT_NE(TOPDOWN_RATIO_NONE, total->total.ratio[TOPDOWN_RETIRING]);
	EXPECT_EQ(sum.slots, total->total.slots);
	EXPECT_EQ(sum.enabled_ns, total->total.enabled_ns);
	EXPECT_EQ(sum.running_ns, total->total.running_ns);
	for (node = 0; node < TD_NR_NODES; node++)
		EXPECT_EQ(sum.node[node], total->total.node[node]);
	for (node = 0; node < TD_NR_PARENTS; node++)
		EXPECT_EQ(sum.children_slots[node], total->total.children_slots[node]);
	EXPECT_EQ(nodes_of_level(total->level), total->nodes);
	EXPECT_TRUE(figures_consistent(&total->total, total->level));
	EXPECT_TRUE(figures_consistent(&total->window, total->level));
}

/* The records of an answer, added up by the words of linux/topdown.h. */
struct recent {
	struct topdown_figures window;
	__u64 newest, window_newest;
	/* Whether the last CPU's window has ended long ago, and whether all of that is sure. */
	bool last_is_old, sure;
};

/* The answer was given between @begun and @done. */
static void recent_find(const struct topdown_record *records, __u32 nr, __u64 begun, __u64 done,
			struct recent *recent)
{
	unsigned int i, node;

	*recent = (struct recent){ .sure = true };
	for (i = 0; i < nr; i++) {
		const struct topdown_record *record = &records[i];
		__u64 until = record->window_time_ns + 2 * SHORT_MS * 1000000ULL;

		if (record->time_ns > recent->newest)
			recent->newest = record->time_ns;
		recent->sure &= until <= begun || until > done;
		recent->last_is_old = record->window_time_ns && until <= begun;
		if (!record->window_time_ns || until <= begun)
			continue;
		if (record->window_time_ns > recent->window_newest)
			recent->window_newest = record->window_time_ns;
		recent->window.enabled_ns += record->window.enabled_ns;
		recent->window.running_ns += record->window.running_ns;
		recent->window.slots += record->window.slots;
		for (node = 0; node < TD_NR_NODES; node++)
			recent->window.node[node] += record->window.node[node];
	}
}

/* Read until this CPU has a recent window and the last one an old one; false if that takes long. */
static bool recent_wait(int fd, struct topdown_record *records, __u32 *nr, struct recent *recent)
{
	__u64 begun, done, end = clock_ns(CLOCK_MONOTONIC) + 10000000000ULL;

	do {
		*nr = RECORDS;
		begun = clock_ns(CLOCK_MONOTONIC);
		if (device_read(fd, TOPDOWN_READ_TOTAL, NULL, 0, records, nr))
			return false;
		done = clock_ns(CLOCK_MONOTONIC);
		recent_find(records, *nr - 1, begun, done, recent);
		if (recent->sure && recent->last_is_old && recent->window.slots)
			return true;
	} while (done < end);
	return false;
}

/* The sum has the windows of CPUs that worked a moment ago, and not those of idle ones. */
TEST_F(read, total_has_recent_windows)
{
	unsigned int cpu[TD_CPUS_MAX], n = cpus_online(cpu), node;
	const struct topdown_record *total;
	struct recent recent;
	char text[16];
	__u32 nr;
	int load;

	if (n < 2)
		SKIP(return, "one CPU is never idle while a test runs");
	snprintf(text, sizeof(text), "%u", SHORT_MS);
	ASSERT_EQ(0, period_set(text));
	load = spin_start(cpu[n - 1], NULL);
	ASSERT_LT(0, load);
	sleep_ms(5 * SHORT_MS);
	spin_stop(load);
	ASSERT_TRUE(recent_wait(self->fd, self->records, &nr, &recent));
	total = &self->records[nr - 1];
	EXPECT_EQ(recent.newest, total->time_ns);
	EXPECT_EQ(recent.window_newest, total->window_time_ns);
	EXPECT_EQ(recent.window.enabled_ns, total->window.enabled_ns);
	EXPECT_EQ(recent.window.running_ns, total->window.running_ns);
	EXPECT_EQ(recent.window.slots, total->window.slots);
	for (node = 0; node < TD_NR_NODES; node++)
		EXPECT_EQ(recent.window.node[node], total->window.node[node]);
	EXPECT_TRUE(figures_consistent(&total->window, total->level));
	EXPECT_EQ(0, period_set("1000"));
}

/* A fresh reading counts until now, and changes nothing for anybody else. */
TEST_F(read, fresh_counts_until_now)
{
	struct topdown_record then, fresh, now;
	unsigned int i;

	ASSERT_EQ(0, period_set("60000"));
	ASSERT_EQ(0, device_read_cpu(self->fd, 0, 0, &then));
	sleep_ms(20);
	for (i = 0; i < 1000; i++)
		ASSERT_EQ(0, device_read_cpu(self->fd, 0, 0, &now));
	EXPECT_EQ(0, memcmp(&then, &now, sizeof(now)));

	ASSERT_EQ(0, device_read_cpu(self->fd, TOPDOWN_READ_FRESH, 0, &fresh));
	EXPECT_EQ(then.windows, fresh.windows);
	EXPECT_LT(then.time_ns, fresh.time_ns);
	EXPECT_EQ(fresh.time_ns, fresh.window_time_ns);
	EXPECT_LT(then.total.slots, fresh.total.slots);
	EXPECT_LE(fresh.window.slots, fresh.total.slots);
	EXPECT_LT(then.total.enabled_ns + 20000000, fresh.total.enabled_ns);
	EXPECT_TRUE(figures_consistent(&fresh.window, fresh.level));

	ASSERT_EQ(0, device_read_cpu(self->fd, 0, 0, &now));
	EXPECT_EQ(then.windows, now.windows);
	EXPECT_EQ(then.window_time_ns, now.window_time_ns);
	EXPECT_EQ(0, memcmp(&then.window, &now.window, sizeof(now.window)));
	EXPECT_EQ(0, period_set("1000"));
}

/* In how many of a hundred fresh readings @cpu is not folded again; -1 for an error. */
static int times_asleep(int fd, unsigned int cpu)
{
	struct topdown_record then, now;
	int i, asleep = 0;

	for (i = 0; i < 100; i++) {
		if (device_read_cpu(fd, TOPDOWN_READ_FRESH, cpu, &then))
			return -1;
		sleep_ms(1);
		if (device_read_cpu(fd, TOPDOWN_READ_FRESH, cpu, &now))
			return -1;
		/* The time of the last fold. */
		asleep += now.time_ns == then.time_ns;
	}
	printf("# asleep in %d of 100\n", asleep);
	return asleep;
}

/* A fresh reading lets a CPU sleep that has slept since the last one. */
TEST_F(read, fresh_lets_sleepers_sleep)
{
	unsigned int cpu[TD_CPUS_MAX], n = cpus_online(cpu), tries;
	struct utsname name;
	int load, asleep = 0;

	if (n < 2)
		SKIP(return, "one CPU is never asleep while a test runs");
	ASSERT_EQ(0, cpu_pin(cpu[0]));
	/* On slow CPUs a request is more than 50 us of work, and the CPU is never asleep. */
	if (!backdoor_open() || !backdoor_fast())
		SKIP(return, "the CPUs are too slow");
	if (uname(&name) || atoi(name.release) >= 7)
		SKIP(return, "this kernel does not say when a CPU slept");
	/* A CPU whose last window was not measured all of the time is always asked. */
	ASSERT_EQ(0, period_set("20"));
	load = spin_start(cpu[1], NULL);
	ASSERT_LT(0, load);
	sleep_ms(100);
	spin_stop(load);
	ASSERT_EQ(0, period_set("60000"));
	sleep_ms(20);
	/* Now and then the kernel itself has work for it, for a tenth of a second or so. */
	for (tries = 0; tries < 5 && asleep >= 0 && asleep <= 50; tries++) {
		if (tries)
			say_again("how often a CPU is found asleep");
		asleep = times_asleep(self->fd, cpu[1]);
	}
	EXPECT_LT(50, asleep);
	EXPECT_EQ(0, period_set("1000"));
}

/* A window follows the other, and the sum is what they counted. */
TEST_F(read, windows_add_up)
{
	unsigned int i, windows = 0;
	struct topdown_record now, fresh;
	__u64 sum = 0, last;

	ASSERT_EQ(0, period_set("20"));
	ASSERT_EQ(0, device_read_cpu(self->fd, 0, 0, &now));
	last = now.windows;
	for (i = 0; i < 400000 && windows < 10; i++) {
		/* Also windows of several parts, but skip a window that closed before this fold. */
		if (i % 64 == 0) {
			ASSERT_EQ(0, device_read_cpu(self->fd, TOPDOWN_READ_FRESH, 0, &fresh));
			if (fresh.windows != last)
				sum = 0;
			last = fresh.windows;
		}
		ASSERT_EQ(0, device_read_cpu(self->fd, 0, 0, &now));
		if (now.windows == last)
			continue;
		ASSERT_LT(last, now.windows);
		EXPECT_EQ(now.time_ns, now.window_time_ns);
		/* Compare only windows whose beginning was seen: the reader may be late. */
		if (sum && now.windows == last + 1) {
			EXPECT_EQ(sum + now.window.slots, now.total.slots);
			windows++;
		}
		sum = now.total.slots;
		last = now.windows;
	}
	EXPECT_EQ(10, windows);
	EXPECT_EQ(0, period_set("1000"));
}

int main(int argc, char **argv)
{
	int ret = module_need();

	return ret ? ret : test_harness_run(argc, argv);
}
