// SPDX-License-Identifier: GPL-2.0
/*
 * TOPDOWN_WATCH, poll() and read() of /dev/topdown: waiting, waking, and what
 * becomes of readers that stop.  threshold_test.c has the thresholds.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "map.h"

#define LONG_MS		20000
#define WATCHES_MAX	4096
#define WATCHES_OF_FD	256

static int reload(const char *params)
{
	int ret = module_loaded() ? module_unload() : 0;

	return ret ? ret : module_load(params);
}

/* One CPU is kept busy, so its windows close; the test runs on another. */
FIXTURE(watch) {
	struct map map;
	/* The kernel's own look at an address beyond all would not ask the module. */
	char *nowhere;
	struct topdown_info info;
	unsigned int cpus[TD_CPUS_MAX], nr, busy;
	int fd, spinner;
};

FIXTURE_SETUP(watch)
{
	ASSERT_EQ(0, module_need());
	ASSERT_EQ(0, reload("period_ms=10"));
	self->nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->nowhere);
	cpus_set_online();
	self->nr = cpus_online(self->cpus);
	self->busy = self->cpus[self->nr - 1];
	/* First of all, or it has the descriptor too. */
	self->spinner = spin_start(self->busy, NULL);
	ASSERT_LT(0, self->spinner);
	ASSERT_EQ(0, cpu_pin(self->cpus[0]));
	ASSERT_EQ(0, map_open(&self->map));
	self->fd = self->map.fd;
	ASSERT_EQ(0, device_info(self->fd, &self->info));
}

FIXTURE_TEARDOWN(watch)
{
	cpus_set_online();
	spin_stop(self->spinner);
	map_close(&self->map);
	/* The next one loads it anew; on a kernel that delays releases that takes long. */
	EXPECT_EQ(0, period_set("1000"));
}

static struct topdown_event take(int fd)
{
	struct topdown_event event = { };
	ssize_t size = read(fd, &event, sizeof(event));

	if (size != sizeof(event))
		event.count = 0;
	return event;
}

/* The events, or -ETIME if nobody woke us: at its end poll() looks once more. */
static int ready(int fd, int timeout_ms)
{
	struct pollfd poller = { .fd = fd, .events = POLLIN };
	uint64_t begun = clock_ns(CLOCK_MONOTONIC);
	int ret = poll(&poller, 1, timeout_ms);

	if (ret < 0)
		return -errno;
	if (timeout_ms > 0 && poller.revents & POLLIN &&
	    clock_ns(CLOCK_MONOTONIC) - begun >= timeout_ms * 1000000ULL)
		return -ETIME;
	return poller.revents;
}

static bool nonblocking(int fd)
{
	return !fcntl(fd, F_SETFL, O_NONBLOCK);
}

static uint64_t windows_of(const struct map *map, unsigned int cpu)
{
	struct topdown_map_record copy;

	return map_read(map, cpu, &copy) ? copy.record.windows : 0;
}

/* Until so many more have closed; false if they do not. */
static bool windows_wait(const struct map *map, unsigned int cpu, unsigned int number)
{
	uint64_t end = windows_of(map, cpu) + number;
	unsigned int i;

	for (i = 0; windows_of(map, cpu) < end; i++) {
		if (i > LONG_MS / 5)
			return false;
		sleep_ms(5);
	}
	return true;
}

static int set(int fd, unsigned int node, __u32 ratio, __u32 flags, __u32 hold_ms)
{
	return watch_set(fd, NULL, 0, node, ratio, flags, hold_ms);
}

static int set_any(int fd)
{
	return set(fd, TOPDOWN_WATCH_ANY, 0, 0, 0);
}

static int set_any_of(int fd, unsigned int cpu)
{
	__u64 cpus[TD_CPUS_MAX / 64] = { };

	cpus[cpu / 64] = 1ULL << (cpu % 64);
	return watch_set(fd, cpus, TD_CPUS_MAX / 64, TOPDOWN_WATCH_ANY, 0, 0, 0);
}

/* A threshold that no ratio is above. */
static int set_never(int fd)
{
	return set(fd, TOPDOWN_RETIRING, TOPDOWN_RATIO_ONE, 0, 0);
}

TEST_F(watch, refuses_what_has_no_meaning)
{
	const __u32 one = TOPDOWN_RATIO_ONE, none = TOPDOWN_RATIO_NONE;
	const int fd = self->fd;
	unsigned int bit;

	EXPECT_NE(0, self->info.out_features & TOPDOWN_FEATURE_WATCH);
	for (bit = 4; bit < 32; bit++)
		EXPECT_EQ(-EOPNOTSUPP, set(fd, TOPDOWN_RETIRING, 0, 1U << bit, 0));
	EXPECT_EQ(-EOPNOTSUPP, set(fd, TOPDOWN_WATCH_ANY, 0, 1U << 4, 0));

	/* A module of tomorrow may know it. */
	EXPECT_EQ(-EOPNOTSUPP, set(fd, TD_NR_NODES, 0, 0, 0));
	EXPECT_EQ(-EOPNOTSUPP, set(fd, TOPDOWN_MAX_NODES, 0, 0, 0));
	EXPECT_EQ(-EOPNOTSUPP, set(fd, 64, 0, 0, 0));
	EXPECT_EQ(-EOPNOTSUPP, set(fd, 64 + TOPDOWN_RETIRING, 0, 0, 0));
	EXPECT_EQ(-EOPNOTSUPP, set(fd, TOPDOWN_WATCH_ANY - 1, 0, 0, 0));
	EXPECT_EQ(-EOPNOTSUPP, set(fd, 1U << 31, 0, 0, 0));

	EXPECT_EQ(-EINVAL, set(fd, TOPDOWN_RETIRING, one + 1, 0, 0));
	EXPECT_EQ(-EINVAL, set(fd, TOPDOWN_RETIRING, none, 0, 0));
	EXPECT_EQ(0, set(fd, TOPDOWN_RETIRING, one, 0, 0));
	EXPECT_EQ(0, set(fd, TOPDOWN_RETIRING, 0, TOPDOWN_WATCH_BELOW, 0));

	EXPECT_EQ(-EINVAL, set(fd, TOPDOWN_RETIRING, 0, 0, 3600001));
	EXPECT_EQ(-EINVAL, set(fd, TOPDOWN_RETIRING, 0, 0, ~0U));
	EXPECT_EQ(0, set(fd, TOPDOWN_RETIRING, 0, 0, 3600000));

	EXPECT_EQ(-EINVAL, set(fd, TOPDOWN_WATCH_ANY, 1, 0, 0));
	EXPECT_EQ(-EINVAL, set(fd, TOPDOWN_WATCH_ANY, 0, TOPDOWN_WATCH_BELOW, 0));
	EXPECT_EQ(-EINVAL, set(fd, TOPDOWN_WATCH_ANY, 0, TOPDOWN_WATCH_BACK, 0));
	EXPECT_EQ(-EINVAL, set(fd, TOPDOWN_WATCH_ANY, 0, TOPDOWN_WATCH_SUM, 0));
	EXPECT_EQ(-EINVAL, set(fd, TOPDOWN_WATCH_ANY, 0, 0, 1));
	EXPECT_EQ(0, set_any(fd));
}

TEST_F(watch, refuses_sizes_and_numbers_that_cannot_be)
{
	const struct topdown_watch any = { .node = TOPDOWN_WATCH_ANY };
	struct topdown_watch what = any;
	const int fd = self->fd;
	unsigned int i;

	what.event_size = 31;
	EXPECT_EQ(-EINVAL, watch_add(fd, NULL, 0, &what));
	what.event_size = 4097;
	EXPECT_EQ(-E2BIG, watch_add(fd, NULL, 0, &what));
	what = any;
	what.watch = 1;
	EXPECT_EQ(-EINVAL, watch_add(fd, NULL, 0, &what));
	what = any;
	what.out_watch = 1;
	EXPECT_EQ(-EINVAL, watch_add(fd, NULL, 0, &what));
	for (i = 0; i < 3; i++) {
		what = any;
		what.__reserved[i] = 1;
		EXPECT_EQ(-EINVAL, watch_add(fd, NULL, 0, &what));
	}
	what = any;
	what.flags = TOPDOWN_WATCH_REMOVE;
	EXPECT_EQ(-EINVAL, watch_add(fd, NULL, 0, &what));
	EXPECT_EQ(-ENOENT, watch_remove(fd, 1));
	/* Nothing that was refused has a number, or a size of its own. */
	EXPECT_EQ(1, watch_add(fd, NULL, 0, &any));
	what = any;
	what.event_size = 64;
	EXPECT_EQ(-EINVAL, watch_add(fd, NULL, 0, &what));
	EXPECT_EQ(0, watch_remove(fd, 1));
	EXPECT_EQ(-ENOENT, watch_remove(fd, 1));
	/* The first size stays: somebody may be about to read. */
	EXPECT_EQ(-EINVAL, watch_add(fd, NULL, 0, &what));
	EXPECT_EQ(2, watch_add(fd, NULL, 0, &any));
}

/* Who removes says nothing else, as it may have a meaning one day. */
TEST_F(watch, refuses_more_than_a_number_to_be_removed)
{
	struct topdown_watch right = {
		.size = sizeof(right), .flags = TOPDOWN_WATCH_REMOVE, .watch = 1,
	}, what;
	unsigned int at, refused = 0;

	ASSERT_EQ(0, set_any(self->fd));
	for (at = offsetof(struct topdown_watch, cpus); at < sizeof(what); at++) {
		if (at / 4 == offsetof(struct topdown_watch, watch) / 4)
			continue;
		what = right;
		((char *)&what)[at] = 1;
		refused += ioctl(self->fd, TOPDOWN_WATCH, &what) && errno == EINVAL;
	}
	EXPECT_EQ(sizeof(what) - 12, refused);
	what = right;
	what.flags |= TOPDOWN_WATCH_BELOW;
	EXPECT_EQ(-1, ioctl(self->fd, TOPDOWN_WATCH, &what));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, ioctl(self->fd, TOPDOWN_WATCH, &right));
}

/* Without a caller that knows the number nobody could remove it. */
TEST_F(watch, is_not_made_if_its_number_cannot_be_told)
{
	struct topdown_watch *what = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, (void *)what);
	*what = (struct topdown_watch){
		.size = sizeof(*what), .node = TOPDOWN_WATCH_ANY,
		.event_size = sizeof(struct topdown_event),
	};
	ASSERT_EQ(0, mprotect(what, 4096, PROT_READ));
	EXPECT_EQ(-1, ioctl(self->fd, TOPDOWN_WATCH, what));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(-ENOENT, watch_remove(self->fd, 1));
	munmap(what, 4096);
}

TEST_F(watch, as_many_as_a_descriptor_may_have)
{
	const struct topdown_watch never = {
		.node = TOPDOWN_RETIRING, .ratio = TOPDOWN_RATIO_ONE,
	};
	int i, other = device_open();

	ASSERT_LE(0, other);
	for (i = 1; i <= WATCHES_OF_FD; i++)
		ASSERT_EQ(i, watch_add(self->fd, NULL, 0, &never));
	EXPECT_EQ(-ENOSPC, watch_add(self->fd, NULL, 0, &never));
	EXPECT_EQ(1, watch_add(other, NULL, 0, &never));
	EXPECT_EQ(0, watch_remove(self->fd, 7));
	EXPECT_EQ(i, watch_add(self->fd, NULL, 0, &never));
	EXPECT_EQ(-ENOSPC, watch_add(self->fd, NULL, 0, &never));
	close(other);
}

/* Each tells of its own, until it is removed. */
TEST_F(watch, several_tell_of_their_own)
{
	const struct topdown_watch any = { .node = TOPDOWN_WATCH_ANY };
	const struct topdown_watch never = {
		.node = TOPDOWN_RETIRING, .ratio = TOPDOWN_RATIO_ONE,
	};
	const struct topdown_watch always = {
		.node = TOPDOWN_RETIRING, .ratio = TOPDOWN_RATIO_ONE,
		.flags = TOPDOWN_WATCH_BELOW,
	};
	__u64 cpus[TD_CPUS_MAX / 64] = { };
	struct topdown_event event[4];
	uint64_t number[4] = { };
	ssize_t size, i;

	cpus[self->busy / 64] = 1ULL << (self->busy % 64);
	ASSERT_TRUE(nonblocking(self->fd));
	ASSERT_EQ(1, watch_add(self->fd, cpus, TD_CPUS_MAX / 64, &any));
	ASSERT_EQ(2, watch_add(self->fd, cpus, TD_CPUS_MAX / 64, &never));
	ASSERT_EQ(3, watch_add(self->fd, cpus, TD_CPUS_MAX / 64, &always));
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 5));
	size = read(self->fd, event, sizeof(event));
	ASSERT_EQ(2 * sizeof(event[0]), size);
	for (i = 0; i < 2; i++) {
		ASSERT_GT(4, event[i].watch);
		number[event[i].watch] += event[i].count;
		EXPECT_EQ(self->busy, event[i].cpu);
	}
	/* Every window, and the only crossing. */
	EXPECT_LE(4, number[1]);
	EXPECT_EQ(1, number[3]);

	ASSERT_EQ(0, watch_remove(self->fd, 1));
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 3));
	EXPECT_EQ(0, ready(self->fd, 0));
	/* A new one has crossed nothing yet. */
	ASSERT_EQ(4, watch_add(self->fd, cpus, TD_CPUS_MAX / 64, &always));
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 3));
	event[0] = take(self->fd);
	EXPECT_EQ(4, event[0].watch);
	EXPECT_EQ(1, event[0].count);
}

/* As for who has got the descriptor from somebody, and does not know what there was. */
TEST_F(watch, all_are_removed_at_once)
{
	const struct topdown_watch any = { .node = TOPDOWN_WATCH_ANY };
	int i, other = device_open();

	ASSERT_LE(0, other);
	ASSERT_TRUE(nonblocking(self->fd));
	EXPECT_EQ(0, watch_remove(self->fd, 0));
	for (i = 1; i <= WATCHES_OF_FD; i++)
		ASSERT_EQ(i, watch_add(self->fd, NULL, 0, &any));
	ASSERT_EQ(1, watch_add(other, NULL, 0, &any));
	ASSERT_EQ(POLLIN, ready(self->fd, LONG_MS));
	EXPECT_EQ(0, watch_remove(self->fd, 0));
	EXPECT_EQ(0, take(self->fd).count);
	EXPECT_EQ(-ENOENT, watch_remove(self->fd, 1));
	EXPECT_EQ(-ENOENT, watch_remove(self->fd, WATCHES_OF_FD));
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 2));
	EXPECT_EQ(0, ready(self->fd, 0));
	EXPECT_EQ(POLLIN, ready(other, LONG_MS));
	EXPECT_EQ(i, watch_add(self->fd, NULL, 0, &any));
	EXPECT_EQ(0, watch_remove(self->fd, 0));
	close(other);
}

/* Two busy CPUs are two events, each with what it is, in the order in which they came. */
TEST_F(watch, each_cpu_is_an_event)
{
	const struct topdown_watch any = { .node = TOPDOWN_WATCH_ANY };
	__u64 cpus[TD_CPUS_MAX / 64] = { };
	unsigned int cpu = self->nr > 2 ? self->cpus[1] : 0, i, n;
	struct topdown_event event[4], one;
	int spinner;

	if (!cpu)
		SKIP(return, "there are fewer than three CPUs");
	cpus[self->busy / 64] |= 1ULL << (self->busy % 64);
	cpus[cpu / 64] |= 1ULL << (cpu % 64);
	spinner = spin_start(cpu, NULL);
	ASSERT_LT(0, spinner);
	ASSERT_TRUE(nonblocking(self->fd));
	ASSERT_EQ(1, watch_add(self->fd, cpus, TD_CPUS_MAX / 64, &any));
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 5));
	ASSERT_TRUE(windows_wait(&self->map, cpu, 5));
	n = read(self->fd, event, sizeof(event)) / sizeof(event[0]);
	EXPECT_EQ(2, n);
	EXPECT_NE(event[0].cpu, event[1].cpu);
	for (i = 0; i < n; i++) {
		EXPECT_TRUE(event[i].cpu == cpu || event[i].cpu == self->busy);
		EXPECT_LE(4, event[i].count);
	}
	/* One after the other, neither is left behind. */
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 5));
	ASSERT_TRUE(windows_wait(&self->map, cpu, 5));
	one = take(self->fd);
	EXPECT_LE(1, one.count);
	EXPECT_NE(one.cpu, take(self->fd).cpu);
	spin_stop(spinner);
}

/* A program of tomorrow has longer events; what this module does not know is 0. */
TEST_F(watch, events_have_the_size_that_was_asked_for)
{
	struct topdown_watch what = { .node = TOPDOWN_WATCH_ANY, .event_size = 72 };
	unsigned char room[3 * 72];
	struct topdown_event event;
	unsigned int i;

	ASSERT_EQ(1, watch_add(self->fd, NULL, 0, &what));
	ASSERT_EQ(POLLIN, ready(self->fd, LONG_MS));
	EXPECT_EQ(-1, read(self->fd, room, 71));
	EXPECT_EQ(EINVAL, errno);
	memset(room, 0xa5, sizeof(room));
	ASSERT_EQ(72, read(self->fd, room, 100));
	memcpy(&event, room, sizeof(event));
	EXPECT_EQ(1, event.watch);
	EXPECT_LE(1, event.count);
	for (i = sizeof(event); i < 72; i++)
		EXPECT_EQ(0, room[i]);
	for (; i < sizeof(room); i++)
		EXPECT_EQ(0xa5, room[i]);
	/* That of the first watch, for as long as the descriptor is open. */
	ASSERT_EQ(0, watch_remove(self->fd, 1));
	ASSERT_TRUE(nonblocking(self->fd));
	EXPECT_EQ(-1, read(self->fd, room, 71));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, read(self->fd, room, 72));
	EXPECT_EQ(EAGAIN, errno);
}

TEST_F(watch, windows_of_too_few_slots_say_nothing)
{
	struct topdown_watch what = { .node = TOPDOWN_WATCH_ANY, .min_slots = 1ULL << 62 };
	__u64 cpus[TD_CPUS_MAX / 64] = { };
	struct topdown_map_window window;
	struct topdown_event event;
	uint64_t last;

	cpus[self->busy / 64] = 1ULL << (self->busy % 64);
	ASSERT_TRUE(nonblocking(self->fd));
	ASSERT_EQ(1, watch_add(self->fd, cpus, TD_CPUS_MAX / 64, &what));
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 5));
	EXPECT_EQ(0, ready(self->fd, 0));
	what.node = TOPDOWN_RETIRING;
	what.flags = TOPDOWN_WATCH_BELOW;
	what.ratio = TOPDOWN_RATIO_ONE;
	ASSERT_EQ(2, watch_add(self->fd, cpus, TD_CPUS_MAX / 64, &what));
	what.flags |= TOPDOWN_WATCH_SUM;
	ASSERT_EQ(3, watch_add(self->fd, cpus, TD_CPUS_MAX / 64, &what));
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 5));
	EXPECT_EQ(0, ready(self->fd, 0));

	/* As many slots as a window of this CPU has at most, are enough. */
	last = windows_of(&self->map, self->busy);
	ASSERT_EQ(MAP_FOUND, map_window(&self->map, self->busy, last, &window));
	what.flags = TOPDOWN_WATCH_BELOW;
	what.min_slots = window.figures.slots / 2;
	ASSERT_EQ(4, watch_add(self->fd, cpus, TD_CPUS_MAX / 64, &what));
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 5));
	event = take(self->fd);
	EXPECT_EQ(4, event.watch);
}

TEST_F(watch, takes_the_nodes_that_the_machine_has)
{
	unsigned int node;

	for (node = 0; node < TD_NR_NODES; node++) {
		int expected = nodes_of_level(self->info.out_level) >> node & 1 ? 0 : -EOPNOTSUPP;

		EXPECT_EQ(expected, set(self->fd, node, 1, 0, 0)) {
			TH_LOG("node %u at level %u", node, self->info.out_level);
		}
	}
}

TEST_F(watch, a_refused_one_leaves_the_old_one)
{
	ASSERT_EQ(0, set_never(self->fd));
	EXPECT_EQ(-EINVAL, set(self->fd, TOPDOWN_WATCH_ANY, 1, 0, 0));
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 3));
	EXPECT_EQ(0, ready(self->fd, 0));

	ASSERT_EQ(0, set_any(self->fd));
	EXPECT_EQ(-EOPNOTSUPP, set(self->fd, TD_NR_NODES, 0, 0, 0));
	EXPECT_EQ(POLLIN, ready(self->fd, LONG_MS));
}

TEST_F(watch, of_any_window_has_no_ratio)
{
	struct topdown_event event;
	uint64_t before = clock_ns(CLOCK_MONOTONIC);

	ASSERT_EQ(0, set_any(self->fd));
	ASSERT_EQ(POLLIN, ready(self->fd, LONG_MS));
	event = take(self->fd);
	EXPECT_LE(1, event.count);
	EXPECT_LT(before, event.time_ns);
	EXPECT_GT(clock_ns(CLOCK_MONOTONIC), event.time_ns);
	EXPECT_GT(self->info.out_nr_cpus, event.cpu);
	EXPECT_EQ(1, event.watch);
	EXPECT_EQ(0, event.flags);
	EXPECT_EQ(TOPDOWN_RATIO_NONE, event.ratio);
}

/* Neither before the first one, nor after the last, and whatever was asked for by habit. */
TEST_F(watch, without_one_nothing_is_readable)
{
	const short every = POLLIN | POLLPRI | POLLRDNORM | POLLHUP;
	struct pollfd poller = { .fd = self->fd, .events = every };
	unsigned int round;

	ASSERT_TRUE(nonblocking(self->fd));
	for (round = 0; round < 2; round++) {
		EXPECT_EQ(0, poll(&poller, 1, 0));
		EXPECT_EQ(0, take(self->fd).count);
		EXPECT_EQ(EAGAIN, errno);
		ASSERT_TRUE(windows_wait(&self->map, self->busy, 3));
		EXPECT_EQ(0, poll(&poller, 1, 0));
		EXPECT_EQ(0, take(self->fd).count);
		/* It was none of ours: the first number is still to be had. */
		if (round)
			break;
		ASSERT_EQ(0, set_any(self->fd));
		ASSERT_EQ(0, watch_remove(self->fd, 1));
	}
}

TEST_F(watch, an_event_tells_the_window_that_closed)
{
	struct topdown_map_window window;
	struct topdown_event event;
	uint64_t number, last;

	ASSERT_EQ(0, set_any_of(self->fd, self->busy));
	event = take(self->fd);
	ASSERT_LE(1, event.count);
	EXPECT_EQ(self->busy, event.cpu);
	last = windows_of(&self->map, self->busy);
	for (number = last; number; number--) {
		if (map_window(&self->map, self->busy, number, &window) != MAP_FOUND ||
		    window.time_ns <= event.time_ns)
			break;
	}
	EXPECT_EQ(event.time_ns, window.time_ns);
}

/* Whatever closes elsewhere. */
TEST_F(watch, an_offline_cpu_wakes_nobody)
{
	unsigned int cpu = self->nr > 2 ? self->cpus[1] : 0;

	if (!cpu)
		SKIP(return, "there are fewer than three CPUs");
	ASSERT_EQ(0, cpu_set_online(cpu, false));
	ASSERT_EQ(0, set_any_of(self->fd, cpu));
	EXPECT_EQ(0, ready(self->fd, 300));
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 3));
	EXPECT_EQ(0, ready(self->fd, 0));
	ASSERT_EQ(0, cpu_set_online(cpu, true));
	ASSERT_EQ(0, cpu_pin(cpu));
	while (windows_of(&self->map, cpu) && !ready(self->fd, 0))
		;
	EXPECT_EQ(cpu, take(self->fd).cpu);
}

TEST_F(watch, an_idle_cpu_wakes_hardly_anybody)
{
	unsigned int cpu = self->nr > 2 ? self->cpus[1] : 0, try;
	uint64_t busy = 0, idle = 0;
	int other = device_open();

	if (!cpu)
		SKIP(return, "there are fewer than three CPUs");
	ASSERT_LE(0, other);
	ASSERT_TRUE(nonblocking(self->fd));
	ASSERT_TRUE(nonblocking(other));
	ASSERT_EQ(0, set_any_of(self->fd, cpu));
	ASSERT_EQ(0, set_any_of(other, self->busy));
	/* The kernel may have work for it for a while. */
	for (try = 0; try < 5 && idle >= busy / 2; try++) {
		take(self->fd);
		take(other);
		ASSERT_TRUE(windows_wait(&self->map, self->busy, 50));
		idle = take(self->fd).count;
		busy = take(other).count;
		TH_LOG("%llu windows of the busy CPU, %llu of the idle one",
		       (unsigned long long)busy, (unsigned long long)idle);
	}
	EXPECT_GT(busy / 2, idle);
	close(other);
}

TEST_F(watch, every_window_is_counted_once)
{
	uint64_t before, since, until, after, count;

	ASSERT_TRUE(nonblocking(self->fd));
	before = windows_of(&self->map, self->busy);
	ASSERT_EQ(0, set_any_of(self->fd, self->busy));
	since = windows_of(&self->map, self->busy);
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 10));
	until = windows_of(&self->map, self->busy);
	count = take(self->fd).count;
	after = windows_of(&self->map, self->busy);
	/* The map has a window a moment before it is told. */
	EXPECT_LE(until - since - 1, count);
	EXPECT_GE(after - before, count);
	EXPECT_LE(9, count);
}

TEST_F(watch, read_says_why_it_cannot)
{
	struct topdown_event event[2];

	ASSERT_EQ(0, set_never(self->fd));
	ASSERT_TRUE(nonblocking(self->fd));
	EXPECT_EQ(-1, read(self->fd, event, sizeof(event[0])));
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_EQ(-1, read(self->fd, event, sizeof(event[0]) - 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, read(self->fd, event, 0));
	EXPECT_EQ(EINVAL, errno);

	ASSERT_EQ(0, set_any_of(self->fd, self->busy));
	ASSERT_EQ(POLLIN, ready(self->fd, LONG_MS));
	EXPECT_EQ(-1, read(self->fd, event, sizeof(event[0]) - 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, read(self->fd, self->nowhere, sizeof(event[0])));
	EXPECT_EQ(EFAULT, errno);
	/* There is one of that CPU, so the rest of the room is left alone. */
	ASSERT_EQ(POLLIN, ready(self->fd, LONG_MS));
	memset(event, 0xa5, sizeof(event));
	EXPECT_EQ(sizeof(event[0]), read(self->fd, event, sizeof(event)));
	EXPECT_EQ(0xa5a5a5a5a5a5a5a5, event[1].count);
	EXPECT_EQ(0xa5a5a5a5, event[1].watch);
}

TEST_F(watch, a_fault_loses_no_event)
{
	uint64_t before, after;

	ASSERT_EQ(0, set_any_of(self->fd, self->busy));
	before = windows_of(&self->map, self->busy);
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 5));
	/* From here on none closes. */
	ASSERT_EQ(0, period_set("60000"));
	after = windows_of(&self->map, self->busy);
	ASSERT_TRUE(nonblocking(self->fd));
	EXPECT_EQ(-1, read(self->fd, self->nowhere, sizeof(struct topdown_event)));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(POLLIN, ready(self->fd, 0));
	EXPECT_LE(after - before - 1, take(self->fd).count);
	EXPECT_EQ(0, ready(self->fd, 0));
	EXPECT_EQ(0, take(self->fd).count);
	EXPECT_EQ(EAGAIN, errno);
}

/* One call for all room that it has: it does not wait for the rest, when there was an event. */
TEST_F(watch, readv_waits_for_one_event_only)
{
	struct topdown_event event[3];
	struct iovec room[] = {
		{ event, 8 }, { (char *)event + 8, 24 }, { &event[1], sizeof(event[1]) },
		{ &event[2], sizeof(event[2]) },
	};

	ASSERT_EQ(0, set_any_of(self->fd, self->busy));
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 3));
	/* From here on none closes. */
	ASSERT_EQ(0, period_set("60000"));
	memset(event, 0xa5, sizeof(event));
	ASSERT_EQ(sizeof(event[0]), readv(self->fd, room, 4));
	EXPECT_EQ(1, event[0].watch);
	EXPECT_EQ(self->busy, event[0].cpu);
	EXPECT_LE(2, event[0].count);
	EXPECT_EQ(0xa5a5a5a5a5a5a5a5, event[1].count);
}

/* Somebody else who has the descriptor may be the first to read: no flag of the file matters. */
TEST_F(watch, a_read_that_must_not_wait_does_not)
{
	struct topdown_event event;
	struct iovec room = { &event, sizeof(event) };

	ASSERT_EQ(0, set_any_of(self->fd, self->busy));
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 3));
	ASSERT_EQ(0, period_set("60000"));
	EXPECT_EQ(sizeof(event), preadv2(self->fd, &room, 1, -1, RWF_NOWAIT));
	EXPECT_EQ(self->busy, event.cpu);
	EXPECT_EQ(-1, preadv2(self->fd, &room, 1, -1, RWF_NOWAIT));
	EXPECT_EQ(EAGAIN, errno);
	room.iov_len--;
	EXPECT_EQ(-1, preadv2(self->fd, &room, 1, -1, RWF_NOWAIT));
	EXPECT_EQ(EINVAL, errno);
}

static void on_alarm(int signal)
{
	(void)signal;
}

/* Again and again, as the parent may not be in read() yet; ended by spin_stop(). */
static int alarms_start(struct map *map)
{
	int parent = getpid(), pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* It would keep the module. */
	map_close(map);
	while (getppid() == parent) {
		sleep_ms(50);
		kill(parent, SIGUSR1);
	}
	_exit(0);
}

TEST_F(watch, a_signal_ends_a_read)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct topdown_event event;
	int pid;

	ASSERT_EQ(0, set_never(self->fd));
	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	pid = alarms_start(&self->map);
	ASSERT_LT(0, pid);
	EXPECT_EQ(-1, read(self->fd, &event, sizeof(event)));
	EXPECT_EQ(EINTR, errno);
	/* One more would end the wait for who sends them. */
	signal(SIGUSR1, SIG_IGN);
	spin_stop(pid);
}

struct waiter {
	pthread_t thread;
	int fd;
	int timeout_ms;
	int result;
};

static void *reader_run(void *argument)
{
	struct waiter *waiter = argument;

	waiter->result = take(waiter->fd).watch;
	return NULL;
}

/* As with inotify: who has none yet, or has lost it, waits for what another adds. */
TEST_F_TIMEOUT(watch, a_reader_without_one_waits_for_the_next, 60)
{
	const struct topdown_watch any = { .node = TOPDOWN_WATCH_ANY };
	struct waiter reader = { .fd = self->fd };
	int i;

	for (i = 1; i <= 2; i++) {
		reader.result = 0;
		ASSERT_EQ(0, pthread_create(&reader.thread, NULL, reader_run, &reader));
		sleep_ms(100);
		EXPECT_EQ(0, __atomic_load_n(&reader.result, __ATOMIC_RELAXED));
		ASSERT_EQ(i, watch_add(self->fd, NULL, 0, &any));
		ASSERT_EQ(0, pthread_join(reader.thread, NULL));
		EXPECT_EQ(i, reader.result);
		ASSERT_EQ(0, watch_remove(self->fd, i));
	}
}

static void *waiter_run(void *argument)
{
	struct waiter *waiter = argument;

	waiter->result = ready(waiter->fd, waiter->timeout_ms);
	return NULL;
}

TEST_F(watch, another_one_drops_the_old_events)
{
	ASSERT_TRUE(nonblocking(self->fd));
	ASSERT_EQ(0, set_any(self->fd));
	ASSERT_EQ(POLLIN, ready(self->fd, LONG_MS));
	ASSERT_EQ(0, set_never(self->fd));
	EXPECT_EQ(0, ready(self->fd, 0));
	EXPECT_EQ(0, take(self->fd).count);
}

/* A timer that has begun with the old watch must not tell of it afterwards. */
TEST_F_TIMEOUT(watch, nothing_of_the_old_one_comes_later, 60)
{
	const uint64_t span_ns = (getenv("TOPDOWN_FULL") ? 30 : 3) * 1000000000ULL;
	unsigned int late = 0, n = 0, i;
	uint64_t end;

	ASSERT_TRUE(nonblocking(self->fd));
	end = clock_ns(CLOCK_MONOTONIC) + span_ns;
	while (clock_ns(CLOCK_MONOTONIC) < end) {
		ASSERT_EQ(0, set_any(self->fd));
		ASSERT_EQ(0, set_never(self->fd));
		for (i = 0; i < 5; i++)
			late += !!take(self->fd).count;
		n++;
	}
	TH_LOG("%u of %u", late, n);
	EXPECT_EQ(0, late);
}

TEST_F(watch, another_one_wakes_who_waited_already)
{
	struct waiter waiter = { .fd = self->fd, .timeout_ms = LONG_MS };

	ASSERT_EQ(0, set_never(self->fd));
	ASSERT_EQ(0, pthread_create(&waiter.thread, NULL, waiter_run, &waiter));
	sleep_ms(200);
	ASSERT_EQ(0, set_any(self->fd));
	ASSERT_EQ(0, pthread_join(waiter.thread, NULL));
	EXPECT_EQ(POLLIN, waiter.result);
}

TEST_F(watch, a_descriptor_may_be_closed_under_a_waiter)
{
	struct waiter waiter = { .fd = device_open(), .timeout_ms = 1000 };

	ASSERT_LE(0, waiter.fd);
	ASSERT_EQ(0, set_never(waiter.fd));
	ASSERT_EQ(0, pthread_create(&waiter.thread, NULL, waiter_run, &waiter));
	sleep_ms(200);
	ASSERT_EQ(0, close(waiter.fd));
	ASSERT_EQ(0, pthread_join(waiter.thread, NULL));
	/* The last look after the time is over finds no file. */
	EXPECT_EQ(POLLNVAL, waiter.result);
}

TEST_F(watch, every_waiter_of_a_descriptor_is_woken)
{
	struct waiter waiter[8] = { };
	unsigned int i;

	ASSERT_EQ(0, set_never(self->fd));
	for (i = 0; i < 8; i++) {
		waiter[i] = (struct waiter){ .fd = self->fd, .timeout_ms = LONG_MS };
		ASSERT_EQ(0, pthread_create(&waiter[i].thread, NULL, waiter_run, &waiter[i]));
	}
	sleep_ms(200);
	ASSERT_EQ(0, set_any(self->fd));
	for (i = 0; i < 8; i++) {
		ASSERT_EQ(0, pthread_join(waiter[i].thread, NULL));
		EXPECT_EQ(POLLIN, waiter[i].result);
	}
}

TEST_F(watch, descriptors_do_not_share_events)
{
	int other = device_open();

	ASSERT_LE(0, other);
	ASSERT_EQ(0, set_any(other));
	ASSERT_EQ(0, set_never(self->fd));
	EXPECT_EQ(POLLIN, ready(other, LONG_MS));
	EXPECT_EQ(0, ready(self->fd, 0));
	close(other);
}

TEST_F(watch, works_with_epoll)
{
	struct epoll_event level = { .events = EPOLLIN, .data.u32 = 1 };
	struct epoll_event edge = { .events = EPOLLIN | EPOLLET, .data.u32 = 2 };
	struct epoll_event got;
	int other = device_open(), epoll = epoll_create1(EPOLL_CLOEXEC);

	ASSERT_LE(0, other);
	ASSERT_LE(0, epoll);
	ASSERT_TRUE(nonblocking(self->fd));
	ASSERT_EQ(0, set_any(self->fd));
	ASSERT_EQ(0, set_any(other));
	ASSERT_EQ(0, epoll_ctl(epoll, EPOLL_CTL_ADD, self->fd, &level));
	ASSERT_EQ(1, epoll_wait(epoll, &got, 1, LONG_MS));
	EXPECT_EQ(1, got.data.u32);
	EXPECT_EQ(EPOLLIN, got.events);
	/* By level: it says so until it has been read. */
	ASSERT_EQ(1, epoll_wait(epoll, &got, 1, 0));
	ASSERT_EQ(0, set_never(self->fd));
	EXPECT_EQ(0, epoll_wait(epoll, &got, 1, 0));

	/* By edge: each new event says so again. */
	ASSERT_EQ(0, epoll_ctl(epoll, EPOLL_CTL_ADD, other, &edge));
	ASSERT_EQ(1, epoll_wait(epoll, &got, 1, LONG_MS));
	EXPECT_EQ(2, got.data.u32);
	ASSERT_EQ(1, epoll_wait(epoll, &got, 1, LONG_MS));
	close(other);
	EXPECT_EQ(0, epoll_wait(epoll, &got, 1, 100));
	close(epoll);
}

/* As somebody does who waited for sessions, and now for windows too. */
TEST_F(watch, works_with_epoll_that_asks_later)
{
	struct epoll_event event = { .events = EPOLLPRI };
	int epoll = epoll_create1(EPOLL_CLOEXEC), i;
	struct topdown_event window;

	ASSERT_LE(0, epoll);
	ASSERT_TRUE(nonblocking(self->fd));
	ASSERT_EQ(0, epoll_ctl(epoll, EPOLL_CTL_ADD, self->fd, &event));
	ASSERT_EQ(0, set_any(self->fd));
	event.events = EPOLLIN;
	ASSERT_EQ(0, epoll_ctl(epoll, EPOLL_CTL_MOD, self->fd, &event));
	/* What is there already is told without a wakeup, so more than once. */
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(1, epoll_wait(epoll, &event, 1, LONG_MS));
		EXPECT_EQ(EPOLLIN, event.events);
		ASSERT_EQ(sizeof(window), read(self->fd, &window, sizeof(window)));
	}
	close(epoll);
}

TEST_F_TIMEOUT(watch, a_thousand_descriptors, 120)
{
	struct rlimit limit = { 2000, 2000 };
	uint64_t begun;
	int fd[1000];
	unsigned int i;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	for (i = 0; i < 1000; i++) {
		fd[i] = device_open();
		ASSERT_LE(0, fd[i]);
		ASSERT_EQ(0, i % 2 ? set_never(fd[i]) : set_any_of(fd[i], self->busy));
	}
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 2));
	for (i = 0; i < 1000; i++)
		EXPECT_EQ(i % 2 ? 0 : POLLIN, ready(fd[i], i % 2 ? 0 : LONG_MS));
	begun = clock_ns(CLOCK_MONOTONIC);
	for (i = 0; i < 1000; i++)
		ASSERT_EQ(0, close(fd[i]));
	begun = clock_ns(CLOCK_MONOTONIC) - begun;
	/* A grace period for each would be tens of seconds. */
	EXPECT_GT(5000000000ULL, begun);
	TH_LOG("closed in %llu ms", (unsigned long long)begun / 1000000);
}

TEST_F_TIMEOUT(watch, more_than_the_module_allows, 120)
{
	const struct topdown_watch any = { .node = TOPDOWN_WATCH_ANY };
	struct rlimit limit = { WATCHES_MAX + 100, WATCHES_MAX + 100 };
	static int fd[WATCHES_MAX + 1];
	unsigned int i;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	for (i = 0; i <= WATCHES_MAX; i++) {
		fd[i] = device_open();
		ASSERT_LE(0, fd[i]);
		ASSERT_EQ(i < WATCHES_MAX ? 0 : -ENOSPC, set_never(fd[i]));
	}
	/* Who has one may have another instead; who has none hears of nothing. */
	EXPECT_EQ(-ENOSPC, set_any(fd[0]));
	EXPECT_EQ(0, watch_remove(fd[0], 1));
	EXPECT_EQ(2, watch_add(fd[0], NULL, 0, &any));
	EXPECT_EQ(0, ready(fd[WATCHES_MAX], 0));
	ASSERT_EQ(0, close(fd[1]));
	EXPECT_EQ(0, set_never(fd[WATCHES_MAX]));
	for (i = 0; i <= WATCHES_MAX; i++)
		close(fd[i]);
}

/* What a killed one held would keep the module, or be found by kmemleak. */
TEST_F_TIMEOUT(watch, killed_readers_leave_nothing, 120)
{
	int ready_pipe[2], status, i;
	char byte;
	pid_t pid;

	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, pipe(ready_pipe));
		pid = fork();
		ASSERT_LE(0, pid);
		if (!pid) {
			struct topdown_event event;
			struct map map;

			if (map_open(&map) || set_never(map.fd) ||
			    device_reset(map.fd, 0, NULL, 0) ||
			    write(ready_pipe[1], "", 1) != 1)
				_exit(1);
			if (i % 2)
				ready(map.fd, -1);
			_exit(read(map.fd, &event, sizeof(event)) ? 2 : 3);
		}
		ASSERT_EQ(1, read(ready_pipe[0], &byte, 1));
		sleep_ms(20);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(SIGKILL, status);
		close(ready_pipe[0]);
		close(ready_pipe[1]);
	}
	map_close(&self->map);
	EXPECT_EQ(0, module_unload());
	ASSERT_EQ(0, module_load(""));
	ASSERT_EQ(0, map_open(&self->map));
}

TEST_HARNESS_MAIN
