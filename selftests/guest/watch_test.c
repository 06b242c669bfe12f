// SPDX-License-Identifier: GPL-2.0
/*
 * TOPDOWN_WATCH: which watches are made, refused and removed, how many there may be, and
 * what becomes of those of a reader that stops.  watch_event_test.c has their events,
 * threshold_test.c the thresholds.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "watch_fixture.h"

#define WATCHES_MAX	4096
#define WATCHES_OF_FD	256

static int set(int fd, unsigned int node, __u32 ratio, __u32 flags, __u32 hold_ms)
{
	return watch_set(fd, NULL, 0, node, ratio, flags, hold_ms);
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
	EXPECT_EQ(0, watch_any(fd));
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
	/* A refused watch takes no number, and sets no size. */
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

/* A removal has no other field set, because that field may have a meaning one day. */
TEST_F(watch, refuses_more_than_a_number_to_be_removed)
{
	struct topdown_watch right = {
		.size = sizeof(right), .flags = TOPDOWN_WATCH_REMOVE, .watch = 1,
	}, what;
	unsigned int at, refused = 0;

	ASSERT_EQ(0, watch_any(self->fd));
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

/* If the caller did not get the number, nobody could remove the watch. */
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
	ASSERT_EQ(0, watch_never(self->fd));
	EXPECT_EQ(-EINVAL, set(self->fd, TOPDOWN_WATCH_ANY, 1, 0, 0));
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 3));
	EXPECT_EQ(0, event_ready(self->fd, 0));

	ASSERT_EQ(0, watch_any(self->fd));
	EXPECT_EQ(-EOPNOTSUPP, set(self->fd, TD_NR_NODES, 0, 0, 0));
	EXPECT_EQ(POLLIN, event_ready(self->fd, LONG_MS));
}

TEST_F(watch, watches_of_a_descriptor_are_limited)
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

/* Each watch has its own events, until it is removed. */
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
	size_t n, i;

	cpus[self->busy / 64] = 1ULL << (self->busy % 64);
	ASSERT_TRUE(nonblocking(self->fd));
	ASSERT_EQ(1, watch_add(self->fd, cpus, TD_CPUS_MAX / 64, &any));
	ASSERT_EQ(2, watch_add(self->fd, cpus, TD_CPUS_MAX / 64, &never));
	ASSERT_EQ(3, watch_add(self->fd, cpus, TD_CPUS_MAX / 64, &always));
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 5));
	/* A window that ends while read() copies is an event of its own. */
	n = read(self->fd, event, sizeof(event)) / sizeof(event[0]);
	ASSERT_LE(2, n);
	ASSERT_GE(ARRAY_SIZE(event), n);
	for (i = 0; i < n; i++) {
		ASSERT_GT(4, event[i].watch);
		number[event[i].watch] += event[i].count;
		EXPECT_EQ(self->busy, event[i].cpu);
	}
	/* Every window, and the only crossing. */
	EXPECT_LE(4, number[1]);
	EXPECT_EQ(0, number[2]);
	EXPECT_EQ(1, number[3]);

	ASSERT_EQ(0, watch_remove(self->fd, 1));
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 3));
	EXPECT_EQ(0, event_ready(self->fd, 0));
	/* A new one has crossed nothing yet. */
	ASSERT_EQ(4, watch_add(self->fd, cpus, TD_CPUS_MAX / 64, &always));
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 3));
	event[0] = event_take(self->fd);
	EXPECT_EQ(4, event[0].watch);
	EXPECT_EQ(1, event[0].count);
}

/* A program that was given the descriptor, and knows none of its watches, needs this. */
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
	ASSERT_EQ(POLLIN, event_ready(self->fd, LONG_MS));
	EXPECT_EQ(0, watch_remove(self->fd, 0));
	EXPECT_EQ(0, event_take(self->fd).count);
	EXPECT_EQ(-ENOENT, watch_remove(self->fd, 1));
	EXPECT_EQ(-ENOENT, watch_remove(self->fd, WATCHES_OF_FD));
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 2));
	EXPECT_EQ(0, event_ready(self->fd, 0));
	EXPECT_EQ(POLLIN, event_ready(other, LONG_MS));
	EXPECT_EQ(i, watch_add(self->fd, NULL, 0, &any));
	EXPECT_EQ(0, watch_remove(self->fd, 0));
	close(other);
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
	EXPECT_EQ(0, event_ready(self->fd, 0));
	what.node = TOPDOWN_RETIRING;
	what.flags = TOPDOWN_WATCH_BELOW;
	what.ratio = TOPDOWN_RATIO_ONE;
	ASSERT_EQ(2, watch_add(self->fd, cpus, TD_CPUS_MAX / 64, &what));
	what.flags |= TOPDOWN_WATCH_SUM;
	ASSERT_EQ(3, watch_add(self->fd, cpus, TD_CPUS_MAX / 64, &what));
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 5));
	EXPECT_EQ(0, event_ready(self->fd, 0));

	/* As many slots as a window of this CPU has at most, are enough. */
	last = windows_of(&self->map, self->busy);
	ASSERT_EQ(MAP_FOUND, map_window(&self->map, self->busy, last, &window));
	what.flags = TOPDOWN_WATCH_BELOW;
	what.min_slots = window.sums.slots / 2;
	ASSERT_EQ(4, watch_add(self->fd, cpus, TD_CPUS_MAX / 64, &what));
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 5));
	event = event_take(self->fd);
	EXPECT_EQ(4, event.watch);
}

TEST_F(watch, another_one_drops_the_old_events)
{
	ASSERT_TRUE(nonblocking(self->fd));
	ASSERT_EQ(0, watch_any(self->fd));
	ASSERT_EQ(POLLIN, event_ready(self->fd, LONG_MS));
	ASSERT_EQ(0, watch_never(self->fd));
	EXPECT_EQ(0, event_ready(self->fd, 0));
	EXPECT_EQ(0, event_take(self->fd).count);
}

/* A timer that has begun with the old watch must not add an event of it later. */
TEST_F_TIMEOUT(watch, nothing_of_the_old_one_comes_later, 60)
{
	const uint64_t span_ns = (getenv("TOPDOWN_FULL") ? 30 : 3) * 1000000000ULL;
	unsigned int late = 0, n = 0, i;
	uint64_t end;

	ASSERT_TRUE(nonblocking(self->fd));
	end = clock_ns(CLOCK_MONOTONIC) + span_ns;
	while (clock_ns(CLOCK_MONOTONIC) < end) {
		ASSERT_EQ(0, watch_any(self->fd));
		ASSERT_EQ(0, watch_never(self->fd));
		for (i = 0; i < 5; i++)
			late += !!event_take(self->fd).count;
		n++;
	}
	TH_LOG("%u of %u", late, n);
	EXPECT_EQ(0, late);
}

TEST_F(watch, descriptors_do_not_share_events)
{
	int other = device_open();

	ASSERT_LE(0, other);
	ASSERT_EQ(0, watch_any(other));
	ASSERT_EQ(0, watch_never(self->fd));
	EXPECT_EQ(POLLIN, event_ready(other, LONG_MS));
	EXPECT_EQ(0, event_ready(self->fd, 0));
	close(other);
}

TEST_F_TIMEOUT(watch, a_thousand_descriptors_are_woken, 120)
{
	struct rlimit limit = { 2000, 2000 };
	uint64_t begun;
	int fd[1000];
	unsigned int i;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	for (i = 0; i < 1000; i++) {
		fd[i] = device_open();
		ASSERT_LE(0, fd[i]);
		ASSERT_EQ(0, i % 2 ? watch_never(fd[i]) : watch_any_of(fd[i], self->busy));
	}
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 2));
	for (i = 0; i < 1000; i++)
		EXPECT_EQ(i % 2 ? 0 : POLLIN, event_ready(fd[i], i % 2 ? 0 : LONG_MS));
	begun = clock_ns(CLOCK_MONOTONIC);
	for (i = 0; i < 1000; i++)
		ASSERT_EQ(0, close(fd[i]));
	begun = clock_ns(CLOCK_MONOTONIC) - begun;
	/* A grace period for each would be tens of seconds. */
	EXPECT_GT(5000000000ULL, begun);
	TH_LOG("closed in %llu ms", (unsigned long long)begun / 1000000);
}

TEST_F_TIMEOUT(watch, watches_of_all_are_limited, 120)
{
	const struct topdown_watch any = { .node = TOPDOWN_WATCH_ANY };
	struct rlimit limit = { WATCHES_MAX + 100, WATCHES_MAX + 100 };
	static int fd[WATCHES_MAX + 1];
	unsigned int i;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	for (i = 0; i <= WATCHES_MAX; i++) {
		fd[i] = device_open();
		ASSERT_LE(0, fd[i]);
		ASSERT_EQ(i < WATCHES_MAX ? 0 : -ENOSPC, watch_never(fd[i]));
	}
	/* A reader may replace its watch by another.  A reader without a watch gets no event. */
	EXPECT_EQ(-ENOSPC, watch_any(fd[0]));
	EXPECT_EQ(0, watch_remove(fd[0], 1));
	EXPECT_EQ(2, watch_add(fd[0], NULL, 0, &any));
	EXPECT_EQ(0, event_ready(fd[WATCHES_MAX], 0));
	ASSERT_EQ(0, close(fd[1]));
	EXPECT_EQ(0, watch_never(fd[WATCHES_MAX]));
	for (i = 0; i <= WATCHES_MAX; i++)
		close(fd[i]);
}

/* If a killed reader left anything, the module could not go, or kmemleak would find it. */
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

			if (map_open(&map) || watch_never(map.fd) ||
			    write(ready_pipe[1], "", 1) != 1)
				_exit(1);
			if (i % 2)
				event_ready(map.fd, -1);
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
