// SPDX-License-Identifier: GPL-2.0
/*
 * Thresholds of TOPDOWN_WATCH, crossed by a task whose profile changes.
 *
 * The events are compared with what linux/topdown.h says of the windows that
 * the history has, window by window, so a slow machine changes nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "watch.h"

#define CROSSINGS	4
#define HALF		(TOPDOWN_RATIO_ONE / 2)
#define NODE		TOPDOWN_BACKEND_BOUND
#define MS		1000000ULL
#define LONG_MS		20000
#define PERIOD_MS	10

/* "compute" is 15% backend bound, and "stream" 82%. */
static const char * const profile_of[] = { "compute", "stream" };

struct mover {
	int pid;
	/* Which of the two: wanted and, a moment later, executed. */
	volatile int *wanted;
	volatile int *is;
};

static void mover_child(const struct mover *mover, unsigned int cpu)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (cpu_pin(cpu) || !backdoor_open())
		_exit(1);
	for (;;) {
		int wanted = *mover->wanted;

		if (wanted == *mover->is)
			continue;
		if (!backdoor_set_profile(&profile_find(profile_of[wanted])->profile))
			_exit(1);
		*mover->is = wanted;
	}
}

/* A task is moved away when its only CPU goes. */
static void mover_again(struct mover *mover, unsigned int cpu)
{
	kill(mover->pid, SIGKILL);
	waitpid(mover->pid, NULL, 0);
	*mover->is = -1;
	mover->pid = fork();
	if (!mover->pid)
		mover_child(mover, cpu);
}

/* A watch of one CPU: the first window that it sees, and the events read so far. */
struct follow {
	struct map map;
	unsigned int cpu;
	uint64_t first;
	struct topdown_event seen;
};

FIXTURE(threshold) {
	struct follow follow;
	struct mover mover;
	unsigned int cpus[TD_CPUS_MAX], nr;
};

FIXTURE_VARIANT(threshold) {
	__u32 flags;
	int within, beyond;
};

FIXTURE_VARIANT_ADD(threshold, above) { .flags = 0, .within = 0, .beyond = 1 };
FIXTURE_VARIANT_ADD(threshold, below) { .flags = TOPDOWN_WATCH_BELOW, .within = 1, .beyond = 0 };

static bool stay(const struct follow *follow, const struct mover *mover, int profile,
		 uint64_t ms);

FIXTURE_SETUP(threshold)
{
	volatile int *shared;

	ASSERT_EQ(0, module_need());
	if (!backdoor_open())
		SKIP(return, "this machine has no emulated PMU");
	if (module_loaded())
		ASSERT_EQ(0, module_unload());
	ASSERT_EQ(0, module_load("period_ms=10 history=4096"));
	ASSERT_EQ(0, map_open(&self->follow.map));
	ASSERT_EQ(0, fcntl(self->follow.map.fd, F_SETFL, O_NONBLOCK));
	cpus_set_online();
	self->nr = cpus_online(self->cpus);
	self->follow.cpu = self->cpus[self->nr - 1];
	ASSERT_EQ(0, cpu_pin(self->cpus[0]));

	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, shared);
	self->mover.wanted = &shared[0];
	self->mover.is = &shared[1];
	*self->mover.is = -1;
	*self->mover.wanted = variant->within;
	self->mover.pid = fork();
	ASSERT_LE(0, self->mover.pid);
	if (!self->mover.pid)
		mover_child(&self->mover, self->follow.cpu);
	ASSERT_TRUE(stay(&self->follow, &self->mover, variant->within, 0));
}

FIXTURE_TEARDOWN(threshold)
{
	cpus_set_online();
	kill(self->mover.pid, SIGKILL);
	waitpid(self->mover.pid, NULL, 0);
	map_close(&self->follow.map);
	module_unload();
	module_load("");
}

/* Have the CPU execute @profile for @ms and at least three whole windows. */
static bool stay(const struct follow *follow, const struct mover *mover, int profile,
		 uint64_t ms)
{
	uint64_t limit = clock_ns(CLOCK_MONOTONIC) + (LONG_MS + ms) * MS, until = 0;
	struct topdown_map_record copy;
	uint64_t windows = 0;

	*mover->wanted = profile;
	while (clock_ns(CLOCK_MONOTONIC) < limit) {
		if (!map_read(&follow->map, follow->cpu, &copy))
			return false;
		if (*mover->is == profile && !until) {
			until = clock_ns(CLOCK_MONOTONIC) + ms * MS;
			windows = copy.windows + 4;
		}
		if (until && copy.windows >= windows &&
		    copy.window_time_ns >= until)
			return true;
		sleep_ms(2);
	}
	printf("# CPU %u closes no windows\n", follow->cpu);
	return false;
}

static bool beyond(const struct topdown_map_window *window, __u32 flags)
{
	const struct topdown_sums *sums = &window->sums;
	double share;

	if (!sums->slots)
		return false;
	share = (double)sums->node[NODE] / sums->slots;
	return flags & TOPDOWN_WATCH_BELOW ? share < 0.5 : share > 0.5;
}

/* Does a window have idle time, by the rule of linux/topdown.h? */
static bool slept(const struct topdown_map_window *window, uint64_t period_ns)
{
	struct timespec tick;

	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	return window->sums.enabled_ns > 2 * (period_ns + tick.tv_nsec);
}

/* Return: the event that has to be there to read since the first window. */
static struct topdown_event expected(const struct follow *follow, __u32 flags,
				     uint64_t hold_ms)
{
	struct topdown_event event = { .cpu = follow->cpu };
	struct topdown_map_window window;
	uint64_t number = follow->first, since = 0;
	bool told = false;

	for (; map_window(&follow->map, follow->cpu, number, &window) == MAP_FOUND; number++) {
		if (!beyond(&window, flags)) {
			since = 0;
			told = false;
			continue;
		}
		if (slept(&window, PERIOD_MS * MS)) {
			if (!told)
				since = window.time_ns - PERIOD_MS * MS;
		} else if (!since) {
			since = window.time_ns - window.sums.enabled_ns;
		}
		if (told || window.time_ns - since < hold_ms * MS)
			continue;
		told = true;
		event.count++;
		event.time_ns = window.time_ns;
	}
	return event;
}

static int watch_begin_with(struct follow *follow, const struct topdown_watch *what)
{
	__u64 cpus[TD_CPUS_MAX / 64] = { };
	struct topdown_map_record copy;
	int ret;

	cpus[follow->cpu / 64] = 1ULL << (follow->cpu % 64);
	if (!map_read(&follow->map, follow->cpu, &copy))
		return -EIO;
	/* The CPU is within the threshold now, so one window more or less changes nothing. */
	follow->first = copy.windows;
	ret = watch_add(follow->map.fd, cpus, TD_CPUS_MAX / 64, what);
	return ret < 0 ? ret : 0;
}

static int watch_begin(struct follow *follow, __u32 flags, __u32 hold_ms)
{
	const struct topdown_watch what = {
		.node = NODE, .ratio = HALF, .flags = flags, .hold_ms = hold_ms,
	};

	return watch_begin_with(follow, &what);
}

/* Read what there is, and add it to what has been seen. */
static uint64_t take(struct follow *follow)
{
	struct topdown_event event;

	if (read(follow->map.fd, &event, sizeof(event)) != sizeof(event))
		return 0;
	follow->seen.count += event.count;
	follow->seen.time_ns = event.time_ns;
	follow->seen.cpu = event.cpu;
	follow->seen.flags = event.flags;
	follow->seen.ratio = event.ratio;
	return event.count;
}

/* The window of the event says the same ratio. */
static bool ratio_right(const struct follow *follow, const struct topdown_event *event)
{
	struct topdown_map_window window;
	uint64_t number = follow->first;

	for (; map_window(&follow->map, follow->cpu, number, &window) == MAP_FOUND; number++) {
		if (window.time_ns == event->time_ns)
			return event->ratio == window.sums.node[NODE] *
			       (unsigned __int128)TOPDOWN_RATIO_ONE / window.sums.slots;
	}
	printf("# there is no window of that time\n");
	return false;
}

#define STAY(profile, ms) \
	ASSERT_TRUE(stay(&self->follow, &self->mover, profile, ms))

/* Once for each crossing, however long it lasts, and not for the way back. */
TEST_F_TIMEOUT(threshold, is_told_once_for_each_crossing, 120)
{
	struct topdown_event want;
	unsigned int i;

	ASSERT_EQ(0, watch_begin(&self->follow, variant->flags, 0));
	STAY(variant->within, 0);
	EXPECT_EQ(0, take(&self->follow));
	for (i = 0; i < CROSSINGS; i++) {
		STAY(variant->beyond, 50);
		EXPECT_EQ(1, take(&self->follow));
		STAY(variant->within, 0);
		EXPECT_EQ(0, take(&self->follow));
	}
	want = expected(&self->follow, variant->flags, 0);
	EXPECT_EQ(CROSSINGS, want.count);
	EXPECT_EQ(want.count, self->follow.seen.count);
	EXPECT_EQ(want.time_ns, self->follow.seen.time_ns);
	EXPECT_EQ(want.cpu, self->follow.seen.cpu);
}

TEST_F_TIMEOUT(threshold, wakes_who_waits, 60)
{
	struct pollfd poller = { .fd = self->follow.map.fd, .events = POLLIN };
	uint64_t begun;

	ASSERT_EQ(0, watch_begin(&self->follow, variant->flags, 0));
	EXPECT_EQ(0, poll(&poller, 1, 100));
	begun = clock_ns(CLOCK_MONOTONIC);
	*self->mover.wanted = variant->beyond;
	EXPECT_EQ(1, poll(&poller, 1, LONG_MS));
	EXPECT_EQ(POLLIN, poller.revents);
	/* At its end poll() looks once more, woken or not. */
	EXPECT_GT(begun + LONG_MS * MS, clock_ns(CLOCK_MONOTONIC));
}

/* TOPDOWN_WATCH_BACK: one event when the CPU is back, and none before it was beyond. */
TEST_F_TIMEOUT(threshold, is_told_when_it_is_back, 120)
{
	struct topdown_event event[4];
	unsigned int i, n;

	ASSERT_EQ(0, watch_begin(&self->follow, variant->flags | TOPDOWN_WATCH_BACK, 0));
	STAY(variant->within, 0);
	EXPECT_EQ(0, take(&self->follow));
	for (i = 0; i < CROSSINGS; i++) {
		STAY(variant->beyond, 50);
		EXPECT_EQ(1, take(&self->follow));
		EXPECT_EQ(0, self->follow.seen.flags);
		EXPECT_TRUE(ratio_right(&self->follow, &self->follow.seen));
		STAY(variant->within, 0);
		EXPECT_EQ(1, take(&self->follow));
		EXPECT_EQ(TOPDOWN_EVENT_BACK, self->follow.seen.flags);
		EXPECT_TRUE(ratio_right(&self->follow, &self->follow.seen));
	}
	EXPECT_EQ(0, take(&self->follow));
	/* Both not read: two events, in their order, each with its number. */
	for (i = 0; i < CROSSINGS; i++) {
		STAY(variant->beyond, 0);
		STAY(variant->within, 0);
	}
	n = read(self->follow.map.fd, event, sizeof(event)) / sizeof(event[0]);
	ASSERT_EQ(2, n);
	for (i = 0; i < n; i++) {
		EXPECT_EQ(i ? TOPDOWN_EVENT_BACK : 0, event[i].flags);
		EXPECT_EQ(CROSSINGS, event[i].count);
		EXPECT_EQ(self->follow.cpu, event[i].cpu);
	}
	EXPECT_LT(event[0].time_ns, event[1].time_ns);
	/* Once more beyond than back: that it is beyond now has to come last. */
	for (i = 0; i < CROSSINGS; i++) {
		STAY(variant->beyond, 0);
		if (i + 1 < CROSSINGS)
			STAY(variant->within, 0);
	}
	n = read(self->follow.map.fd, event, sizeof(event)) / sizeof(event[0]);
	ASSERT_EQ(2, n);
	for (i = 0; i < n; i++) {
		EXPECT_EQ(i ? 0 : TOPDOWN_EVENT_BACK, event[i].flags);
		EXPECT_EQ(CROSSINGS - 1 + i, event[i].count);
	}
	EXPECT_LT(event[0].time_ns, event[1].time_ns);
}

/* A CPU that is not measured any more is within, at once: there is no ratio of that. */
TEST_F_TIMEOUT(threshold, is_back_when_it_was_offline, 120)
{
	const struct topdown_watch sum = {
		.node = NODE, .ratio = HALF,
		.flags = variant->flags | TOPDOWN_WATCH_BACK | TOPDOWN_WATCH_SUM,
	};
	struct topdown_event event[2];
	uint64_t told, before;
	unsigned int i;

	if (self->nr < 2)
		SKIP(return, "no CPU can go offline");
	ASSERT_EQ(0, watch_begin(&self->follow, variant->flags | TOPDOWN_WATCH_BACK, 0));
	STAY(variant->beyond, 0);
	ASSERT_EQ(1, take(&self->follow));
	told = self->follow.seen.time_ns;
	ASSERT_EQ(0, watch_begin_with(&self->follow, &sum));
	STAY(variant->beyond, 50);
	ASSERT_EQ(1, take(&self->follow));
	ASSERT_EQ(TOPDOWN_CPU_ALL, self->follow.seen.cpu);
	before = clock_ns(CLOCK_MONOTONIC);
	ASSERT_EQ(0, cpu_set_online(self->follow.cpu, false));
	ASSERT_EQ(sizeof(event), read(self->follow.map.fd, event, sizeof(event)));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(i ? TOPDOWN_CPU_ALL : self->follow.cpu, event[i].cpu);
		EXPECT_EQ(TOPDOWN_EVENT_BACK, event[i].flags);
		EXPECT_EQ(TOPDOWN_RATIO_NONE, event[i].ratio);
		EXPECT_EQ(1, event[i].count);
		EXPECT_LT(before, event[i].time_ns);
		EXPECT_GT(clock_ns(CLOCK_MONOTONIC), event[i].time_ns);
	}
	EXPECT_LT(told, event[0].time_ns);
	/* Only once, and beyond again when it is measured again. */
	ASSERT_EQ(0, cpu_set_online(self->follow.cpu, true));
	mover_again(&self->mover, self->follow.cpu);
	STAY(variant->beyond, 50);
	ASSERT_EQ(sizeof(event), read(self->follow.map.fd, event, sizeof(event)));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, event[i].flags);
		EXPECT_EQ(1, event[i].count);
	}
	EXPECT_EQ(0, take(&self->follow));
}

/*
 * Two CPUs, of which one is always over one half: together they are over 70% when both are,
 * and not when the other is not, even if that one has three windows in the sum.
 */
TEST_F_TIMEOUT(threshold, the_sum_of_cpus_is_told, 120)
{
	const struct topdown_watch sum = {
		.node = NODE, .ratio = TOPDOWN_RATIO_ONE / 100 * 70,
		.flags = variant->flags | TOPDOWN_WATCH_SUM | TOPDOWN_WATCH_BACK,
	};
	__u64 cpus[TD_CPUS_MAX / 64] = { };
	unsigned int other = self->cpus[1], i;
	const struct topdown_event *seen = &self->follow.seen;
	bool both = !(variant->flags & TOPDOWN_WATCH_BELOW);
	int spinner;

	if (self->nr < 3)
		SKIP(return, "there are fewer than three CPUs");
	spinner = spin_start(other, &profile_find("stream")->profile);
	ASSERT_LT(0, spinner);
	sleep_ms(100);
	cpus[other / 64] |= 1ULL << (other % 64);
	cpus[self->follow.cpu / 64] |= 1ULL << (self->follow.cpu % 64);
	ASSERT_EQ(1, watch_add(self->follow.map.fd, cpus, TD_CPUS_MAX / 64, &sum));
	STAY(variant->within, 50);
	EXPECT_EQ(0, take(&self->follow));
	for (i = 0; i < CROSSINGS; i++) {
		STAY(variant->beyond, 50);
		EXPECT_EQ(1, take(&self->follow));
		EXPECT_EQ(TOPDOWN_CPU_ALL, seen->cpu);
		EXPECT_EQ(0, seen->flags);
		/* Both have 82%, or 82% and 15%.  The first may have a window from before. */
		EXPECT_TRUE(both ? seen->ratio > sum.ratio : seen->ratio < sum.ratio);
		STAY(variant->within, 50);
		EXPECT_EQ(1, take(&self->follow));
		EXPECT_EQ(TOPDOWN_CPU_ALL, seen->cpu);
		EXPECT_EQ(TOPDOWN_EVENT_BACK, seen->flags);
		EXPECT_TRUE(both ? seen->ratio < sum.ratio : seen->ratio > sum.ratio);
	}
	EXPECT_EQ(0, take(&self->follow));
	spin_stop(spinner);
}

/* Slots of the windows after @number up to that of @end_ns, and those of the node. */
static bool sum_of(const struct follow *follow, uint64_t number, uint64_t end_ns,
		   struct topdown_map_window *sum)
{
	struct topdown_map_window window;

	memset(sum, 0, sizeof(*sum));
	do {
		if (map_window(&follow->map, follow->cpu, ++number, &window) != MAP_FOUND)
			return false;
		sum->sums.slots += window.sums.slots;
		sum->sums.node[NODE] += window.sums.node[NODE];
		sum->number++;
	} while (window.time_ns != end_ns);
	return true;
}

static __u32 ratio_of(const struct topdown_map_window *window)
{
	return window->sums.node[NODE] * (unsigned __int128)TOPDOWN_RATIO_ONE /
	       window->sums.slots;
}

/* A window is shorter than the period, so a sum has two of a CPU: neither is left out. */
TEST_F_TIMEOUT(threshold, the_sum_has_all_windows, 60)
{
	struct topdown_watch sum = {
		.node = NODE, .ratio = variant->flags & TOPDOWN_WATCH_BELOW ? TOPDOWN_RATIO_ONE : 0,
		.flags = variant->flags | TOPDOWN_WATCH_SUM,
	};
	struct topdown_map_window window, whole, later;
	struct topdown_map_record copy;

	ASSERT_EQ(0, period_set("100"));
	STAY(variant->within, 200);
	ASSERT_TRUE(map_read(&self->follow.map, self->follow.cpu, &copy));
	ASSERT_EQ(MAP_FOUND, map_window(&self->follow.map, self->follow.cpu,
					copy.windows, &window));
	/* One alone has too few. */
	sum.min_slots = window.sums.slots * 3 / 2;
	ASSERT_EQ(0, watch_begin_with(&self->follow, &sum));
	*self->mover.wanted = variant->beyond;
	STAY(variant->beyond, 500);
	ASSERT_EQ(1, take(&self->follow));
	/* One window may have ended just before the watch was added. */
	ASSERT_TRUE(sum_of(&self->follow, self->follow.first, self->follow.seen.time_ns, &whole));
	EXPECT_LE(2, whole.number);
	if (self->follow.seen.ratio != ratio_of(&whole)) {
		ASSERT_TRUE(sum_of(&self->follow, self->follow.first + 1,
				   self->follow.seen.time_ns, &later));
		EXPECT_EQ(ratio_of(&later), self->follow.seen.ratio);
	}
}

/* The windows themselves decide, not the clock of the reader. */
TEST_F_TIMEOUT(threshold, is_told_when_it_has_held, 120)
{
	const unsigned int hold_ms = 400;
	struct topdown_event want;

	ASSERT_EQ(0, watch_begin(&self->follow, variant->flags, hold_ms));
	STAY(variant->within, 0);
	STAY(variant->beyond, 0);
	STAY(variant->within, 0);
	take(&self->follow);
	want = expected(&self->follow, variant->flags, hold_ms);
	EXPECT_EQ(want.count, self->follow.seen.count);

	/* Two times beyond with a break between them are not added up. */
	STAY(variant->beyond, hold_ms * 5 / 8);
	STAY(variant->within, 0);
	STAY(variant->beyond, hold_ms * 5 / 8);
	STAY(variant->within, 0);
	take(&self->follow);
	want = expected(&self->follow, variant->flags, hold_ms);
	EXPECT_EQ(want.count, self->follow.seen.count);

	STAY(variant->beyond, 2 * hold_ms);
	STAY(variant->within, 0);
	take(&self->follow);
	want = expected(&self->follow, variant->flags, hold_ms);
	EXPECT_LE(1, want.count);
	EXPECT_EQ(want.count, self->follow.seen.count);
	EXPECT_EQ(want.time_ns, self->follow.seen.time_ns);
}

/* Executes its profile for @ms, then sleeps as long as it is asked to, and so on. */
static int napper_start(unsigned int cpu, int profile, unsigned int work_ms, unsigned int nap_ms)
{
	int pid = fork();
	uint64_t end;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (cpu_pin(cpu) || !backdoor_open() ||
	    !backdoor_set_profile(&profile_find(profile_of[profile])->profile))
		_exit(1);
	for (;;) {
		for (end = clock_ns(CLOCK_MONOTONIC) + work_ms * MS;
		     clock_ns(CLOCK_MONOTONIC) < end;)
			;
		sleep_ms(nap_ms);
	}
}

/* Is no sum of two CPUs beyond, though one of them alone would be? */
static bool two_are_within(int device, unsigned int one, unsigned int other, __u32 flags)
{
	const struct topdown_watch sum = {
		.node = NODE, .flags = flags | TOPDOWN_WATCH_SUM,
		.ratio = TOPDOWN_RATIO_ONE / 4 * (flags & TOPDOWN_WATCH_BELOW ? 1 : 3),
	};
	__u64 cpus[TD_CPUS_MAX / 64] = { };
	struct topdown_event event;

	if (period_set("20"))
		return false;
	cpus[one / 64] |= 1ULL << (one % 64);
	cpus[other / 64] |= 1ULL << (other % 64);
	if (watch_add(device, cpus, TD_CPUS_MAX / 64, &sum) < 0)
		return false;
	sleep_ms(4000);
	if (read(device, &event, sizeof(event)) < 0)
		return errno == EAGAIN;
	printf("# %llu sums were beyond\n", (unsigned long long)event.count);
	return false;
}

/*
 * A CPU that naps ends its windows a bit later each time, so those of the other overtake them.
 * A sum of two windows of the other and none of it would be beyond.  The clock decides here how
 * late it is, so time has to be instructions.
 */
TEST_F_TIMEOUT(threshold, each_sum_has_all_busy_cpus, 60)
{
	int napper;

	if (self->nr < 3)
		SKIP(return, "there are fewer than three CPUs");
	napper = napper_start(self->cpus[1], variant->within, 5, 2);
	ASSERT_LT(0, napper);
	STAY(variant->beyond, 200);
	EXPECT_TRUE(two_are_within(self->follow.map.fd, self->cpus[1], self->follow.cpu,
				   variant->flags));
	kill(napper, SIGKILL);
	waitpid(napper, NULL, 0);
}

/*
 * A CPU that works for much less than the time, and sleeps for longer, was not beyond all the
 * time, and no window says that it was back.
 */
TEST_F_TIMEOUT(threshold, idle_time_does_not_count_as_held, 120)
{
	const unsigned int hold_ms = 1000;
	struct topdown_map_window window;
	uint64_t number, naps = 0;
	int napper;

	kill(self->mover.pid, SIGKILL);
	waitpid(self->mover.pid, NULL, 0);
	napper = napper_start(self->follow.cpu, variant->beyond, 300, 1500);
	ASSERT_LT(0, napper);
	ASSERT_EQ(0, watch_begin(&self->follow, variant->flags, hold_ms));
	sleep_ms(8000);
	for (number = self->follow.first + 1;
	     map_window(&self->follow.map, self->follow.cpu, number, &window) == MAP_FOUND;
	     number++)
		naps += slept(&window, PERIOD_MS * MS);
	EXPECT_LE(4, naps);
	EXPECT_EQ(0, take(&self->follow));
	kill(napper, SIGKILL);
	waitpid(napper, NULL, 0);
	/* The teardown has nothing left to end. */
	mover_again(&self->mover, self->follow.cpu);
	/* Time in which the CPU works counts. */
	STAY(variant->beyond, 2 * hold_ms);
	EXPECT_EQ(1, take(&self->follow));
}

/* A CPU that is not measured is not beyond anything. */
TEST_F_TIMEOUT(threshold, time_offline_does_not_count_as_held, 120)
{
	const unsigned int hold_ms = 1000;
	uint64_t begun;

	if (self->nr < 2)
		SKIP(return, "no CPU can go offline");
	ASSERT_EQ(0, watch_begin(&self->follow, variant->flags, hold_ms));
	STAY(variant->beyond, 100);
	ASSERT_EQ(0, cpu_set_online(self->follow.cpu, false));
	sleep_ms(hold_ms);
	begun = clock_ns(CLOCK_MONOTONIC);
	ASSERT_EQ(0, cpu_set_online(self->follow.cpu, true));
	mover_again(&self->mover, self->follow.cpu);
	STAY(variant->beyond, 2 * hold_ms);
	ASSERT_EQ(1, take(&self->follow));
	EXPECT_LE(begun + hold_ms * MS, self->follow.seen.time_ns);
}

/*
 * Where the time of day is being corrected, windows are shorter by one clock than
 * by the other, and the more so the longer they are.
 */
TEST_F_TIMEOUT(threshold, holds_while_the_clock_is_slewed, 120)
{
	struct timex faster = { .modes = ADJ_TICK, .tick = 11000 };
	struct timex usual = { .modes = ADJ_TICK, .tick = 10000 };
	bool stayed;

	ASSERT_EQ(0, period_set("200"));
	ASSERT_EQ(0, watch_begin(&self->follow, variant->flags, 1000));
	ASSERT_LE(0, adjtimex(&faster));
	stayed = stay(&self->follow, &self->mover, variant->beyond, 4000);
	ASSERT_LE(0, adjtimex(&usual));
	ASSERT_TRUE(stayed);
	EXPECT_EQ(1, take(&self->follow));
}

/* Readings of others must not cut the windows that it is judged by. */
TEST_F_TIMEOUT(threshold, fresh_reads_of_others_change_nothing, 60)
{
	struct topdown_event want;
	struct topdown_record record;
	unsigned int i;
	int other = device_open();

	ASSERT_LE(0, other);
	ASSERT_EQ(0, watch_begin(&self->follow, variant->flags, 0));
	for (i = 0; i < 2 * CROSSINGS; i++) {
		uint64_t end = clock_ns(CLOCK_MONOTONIC) + 100 * MS;

		*self->mover.wanted = i % 2 ? variant->within : variant->beyond;
		while (clock_ns(CLOCK_MONOTONIC) < end)
			ASSERT_EQ(0, device_read_cpu(other, TOPDOWN_READ_FRESH, self->follow.cpu,
						     &record));
	}
	STAY(variant->within, 0);
	take(&self->follow);
	want = expected(&self->follow, variant->flags, 0);
	EXPECT_LE(1, want.count);
	EXPECT_EQ(want.count, self->follow.seen.count);
	EXPECT_EQ(want.time_ns, self->follow.seen.time_ns);
	close(other);
}

TEST_HARNESS_MAIN
