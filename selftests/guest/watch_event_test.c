// SPDX-License-Identifier: GPL-2.0
/*
 * Watch events: what poll() and read() of /dev/topdown say, whom they wake, and how long
 * they wait.  watch_test.c has the watches.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "watch_fixture.h"

#define WATCHES		64

/* Two busy CPUs are two events, each with what it is, in the order in which they came. */
TEST_F(watch, each_cpu_is_an_event)
{
	const struct topdown_watch any = { .node = TOPDOWN_WATCH_ANY };
	__u64 cpus[TD_CPUS_MAX / 64] = { };
	unsigned int cpu = self->nr > 2 ? self->cpus[1] : 0, i, n;
	struct topdown_event event[4], one;
	__u64 begin, windows = 0;
	int spinner;

	if (!cpu)
		SKIP(return, "there are fewer than three CPUs");
	cpus[self->busy / 64] |= 1ULL << (self->busy % 64);
	cpus[cpu / 64] |= 1ULL << (cpu % 64);
	spinner = spin_start(cpu, NULL);
	ASSERT_LT(0, spinner);
	ASSERT_TRUE(nonblocking(self->fd));
	begin = windows_of(&self->map, self->busy) + windows_of(&self->map, cpu);
	ASSERT_EQ(1, watch_add(self->fd, cpus, TD_CPUS_MAX / 64, &any));
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 5));
	ASSERT_TRUE(windows_wait(&self->map, cpu, 5));
	n = read(self->fd, event, sizeof(event)) / sizeof(event[0]);
	ASSERT_LE(2, n);
	ASSERT_GE(ARRAY_SIZE(event), n);
	EXPECT_NE(event[0].cpu, event[1].cpu);
	for (i = 0; i < n; i++) {
		EXPECT_TRUE(event[i].cpu == cpu || event[i].cpu == self->busy);
		/* A window that ends while read() copies is an event of its own. */
		EXPECT_LE(i < 2 ? 4 : 1, event[i].count);
		windows += event[i].count;
	}
	EXPECT_GE(windows_of(&self->map, self->busy) + windows_of(&self->map, cpu) - begin,
		  windows);
	/* Two reads of one event each give the events of both CPUs. */
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 5));
	ASSERT_TRUE(windows_wait(&self->map, cpu, 5));
	one = event_take(self->fd);
	EXPECT_LE(1, one.count);
	EXPECT_NE(one.cpu, event_take(self->fd).cpu);
	spin_stop(spinner);
}

/* A newer program has longer events.  The fields that this module does not know are 0. */
TEST_F(watch, events_have_the_size_that_was_asked_for)
{
	struct topdown_watch what = { .node = TOPDOWN_WATCH_ANY, .event_size = 72 };
	unsigned char room[3 * 72];
	struct topdown_event event;
	unsigned int i;

	ASSERT_EQ(1, watch_add(self->fd, NULL, 0, &what));
	ASSERT_EQ(POLLIN, event_ready(self->fd, LONG_MS));
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
	/* The size of the first watch holds for as long as the descriptor is open. */
	ASSERT_EQ(0, watch_remove(self->fd, 1));
	ASSERT_TRUE(nonblocking(self->fd));
	EXPECT_EQ(-1, read(self->fd, room, 71));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, read(self->fd, room, 72));
	EXPECT_EQ(EAGAIN, errno);
}

TEST_F(watch, of_any_window_has_no_ratio)
{
	struct topdown_event event;
	uint64_t before = clock_ns(CLOCK_MONOTONIC);

	ASSERT_EQ(0, watch_any(self->fd));
	ASSERT_EQ(POLLIN, event_ready(self->fd, LONG_MS));
	event = event_take(self->fd);
	EXPECT_LE(1, event.count);
	EXPECT_LT(before, event.time_ns);
	EXPECT_GT(clock_ns(CLOCK_MONOTONIC), event.time_ns);
	EXPECT_GT(self->info.out_nr_cpus, event.cpu);
	EXPECT_EQ(1, event.watch);
	EXPECT_EQ(0, event.flags);
	EXPECT_EQ(TOPDOWN_RATIO_NONE, event.ratio);
}

/* Nothing before the first watch and after the last, whatever events poll() is asked for. */
TEST_F(watch, without_one_nothing_is_readable)
{
	const short every = POLLIN | POLLPRI | POLLRDNORM | POLLHUP;
	struct pollfd poller = { .fd = self->fd, .events = every };
	unsigned int round;

	ASSERT_TRUE(nonblocking(self->fd));
	for (round = 0; round < 2; round++) {
		EXPECT_EQ(0, poll(&poller, 1, 0));
		EXPECT_EQ(0, event_take(self->fd).count);
		EXPECT_EQ(EAGAIN, errno);
		ASSERT_TRUE(windows_wait(&self->map, self->busy, 3));
		EXPECT_EQ(0, poll(&poller, 1, 0));
		EXPECT_EQ(0, event_take(self->fd).count);
		/* Nothing above has made a watch: the first one gets number 1. */
		if (round)
			break;
		ASSERT_EQ(0, watch_any(self->fd));
		ASSERT_EQ(0, watch_remove(self->fd, 1));
	}
}

TEST_F(watch, an_event_tells_the_window_that_closed)
{
	struct topdown_map_window window;
	struct topdown_event event;
	uint64_t number, last;

	ASSERT_EQ(0, watch_any_of(self->fd, self->busy));
	event = event_take(self->fd);
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

/* The windows of other CPUs do not wake the reader. */
TEST_F(watch, an_offline_cpu_wakes_nobody)
{
	unsigned int cpu = self->nr > 2 ? self->cpus[1] : 0;

	if (!cpu)
		SKIP(return, "there are fewer than three CPUs");
	ASSERT_EQ(0, cpu_set_online(cpu, false));
	ASSERT_EQ(0, watch_any_of(self->fd, cpu));
	EXPECT_EQ(0, event_ready(self->fd, 300));
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 3));
	EXPECT_EQ(0, event_ready(self->fd, 0));
	ASSERT_EQ(0, cpu_set_online(cpu, true));
	ASSERT_EQ(0, cpu_pin(cpu));
	while (windows_of(&self->map, cpu) && !event_ready(self->fd, 0))
		;
	EXPECT_EQ(cpu, event_take(self->fd).cpu);
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
	ASSERT_EQ(0, watch_any_of(self->fd, cpu));
	ASSERT_EQ(0, watch_any_of(other, self->busy));
	/* The kernel may have work for it for a while. */
	for (try = 0; try < 5 && idle >= busy / 2; try++) {
		event_take(self->fd);
		event_take(other);
		ASSERT_TRUE(windows_wait(&self->map, self->busy, 50));
		idle = event_take(self->fd).count;
		busy = event_take(other).count;
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
	ASSERT_EQ(0, watch_any_of(self->fd, self->busy));
	since = windows_of(&self->map, self->busy);
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 10));
	until = windows_of(&self->map, self->busy);
	count = event_take(self->fd).count;
	after = windows_of(&self->map, self->busy);
	/* The map has a window a moment before the watch event counts it. */
	EXPECT_LE(until - since - 1, count);
	EXPECT_GE(after - before, count);
	EXPECT_LE(9, count);
}

TEST_F(watch, read_says_why_it_cannot)
{
	struct topdown_event event[2];

	ASSERT_EQ(0, watch_never(self->fd));
	ASSERT_TRUE(nonblocking(self->fd));
	EXPECT_EQ(-1, read(self->fd, event, sizeof(event[0])));
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_EQ(-1, read(self->fd, event, sizeof(event[0]) - 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, read(self->fd, event, 0));
	EXPECT_EQ(EINVAL, errno);

	ASSERT_EQ(0, watch_any_of(self->fd, self->busy));
	ASSERT_EQ(POLLIN, event_ready(self->fd, LONG_MS));
	EXPECT_EQ(-1, read(self->fd, event, sizeof(event[0]) - 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, read(self->fd, self->nowhere, sizeof(event[0])));
	EXPECT_EQ(EFAULT, errno);
	ASSERT_EQ(POLLIN, event_ready(self->fd, LONG_MS));
	/* From here on none closes, so there is one of that CPU: the rest is left alone. */
	ASSERT_EQ(0, period_set("60000"));
	memset(event, 0xa5, sizeof(event));
	EXPECT_EQ(sizeof(event[0]), read(self->fd, event, sizeof(event)));
	EXPECT_EQ(0xa5a5a5a5a5a5a5a5, event[1].count);
	EXPECT_EQ(0xa5a5a5a5, event[1].watch);
}

TEST_F(watch, a_fault_loses_no_event)
{
	uint64_t before, after;

	ASSERT_EQ(0, watch_any_of(self->fd, self->busy));
	before = windows_of(&self->map, self->busy);
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 5));
	/* From here on none closes. */
	ASSERT_EQ(0, period_set("60000"));
	after = windows_of(&self->map, self->busy);
	ASSERT_TRUE(nonblocking(self->fd));
	EXPECT_EQ(-1, read(self->fd, self->nowhere, sizeof(struct topdown_event)));
	EXPECT_EQ(EFAULT, errno);
	EXPECT_EQ(POLLIN, event_ready(self->fd, 0));
	EXPECT_LE(after - before - 1, event_take(self->fd).count);
	EXPECT_EQ(0, event_ready(self->fd, 0));
	EXPECT_EQ(0, event_take(self->fd).count);
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

	ASSERT_EQ(0, watch_any_of(self->fd, self->busy));
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

	ASSERT_EQ(0, watch_any_of(self->fd, self->busy));
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
	/* The map would keep the module loaded. */
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

	ASSERT_EQ(0, watch_never(self->fd));
	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	pid = alarms_start(&self->map);
	ASSERT_LT(0, pid);
	EXPECT_EQ(-1, read(self->fd, &event, sizeof(event)));
	EXPECT_EQ(EINTR, errno);
	/* One more signal would end the wait for the process that sends them. */
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

	waiter->result = event_take(waiter->fd).watch;
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

	waiter->result = event_ready(waiter->fd, waiter->timeout_ms);
	return NULL;
}

TEST_F(watch, another_one_wakes_who_waited_already)
{
	struct waiter waiter = { .fd = self->fd, .timeout_ms = LONG_MS };

	ASSERT_EQ(0, watch_never(self->fd));
	ASSERT_EQ(0, pthread_create(&waiter.thread, NULL, waiter_run, &waiter));
	sleep_ms(200);
	ASSERT_EQ(0, watch_any(self->fd));
	ASSERT_EQ(0, pthread_join(waiter.thread, NULL));
	EXPECT_EQ(POLLIN, waiter.result);
}

TEST_F(watch, a_descriptor_may_be_closed_under_a_waiter)
{
	struct waiter waiter = { .fd = device_open(), .timeout_ms = 1000 };

	ASSERT_LE(0, waiter.fd);
	ASSERT_EQ(0, watch_never(waiter.fd));
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

	ASSERT_EQ(0, watch_never(self->fd));
	for (i = 0; i < 8; i++) {
		waiter[i] = (struct waiter){ .fd = self->fd, .timeout_ms = LONG_MS };
		ASSERT_EQ(0, pthread_create(&waiter[i].thread, NULL, waiter_run, &waiter[i]));
	}
	sleep_ms(200);
	ASSERT_EQ(0, watch_any(self->fd));
	for (i = 0; i < 8; i++) {
		ASSERT_EQ(0, pthread_join(waiter[i].thread, NULL));
		EXPECT_EQ(POLLIN, waiter[i].result);
	}
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
	ASSERT_EQ(0, watch_any(self->fd));
	ASSERT_EQ(0, watch_any(other));
	ASSERT_EQ(0, epoll_ctl(epoll, EPOLL_CTL_ADD, self->fd, &level));
	ASSERT_EQ(1, epoll_wait(epoll, &got, 1, LONG_MS));
	EXPECT_EQ(1, got.data.u32);
	EXPECT_EQ(EPOLLIN, got.events);
	/* By level: it says so until it has been read. */
	ASSERT_EQ(1, epoll_wait(epoll, &got, 1, 0));
	ASSERT_EQ(0, watch_never(self->fd));
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
	ASSERT_EQ(0, watch_any(self->fd));
	event.events = EPOLLIN;
	ASSERT_EQ(0, epoll_ctl(epoll, EPOLL_CTL_MOD, self->fd, &event));
	/* epoll reports an event that is there already without a wakeup, and more than once. */
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(1, epoll_wait(epoll, &event, 1, LONG_MS));
		EXPECT_EQ(EPOLLIN, event.events);
		ASSERT_EQ(sizeof(window), read(self->fd, &window, sizeof(window)));
	}
	close(epoll);
}

/* How often the probe was hit since it was made; -1 if that cannot be read. */
static long probe_hits(void)
{
	FILE *file = fopen(TRACING "kprobe_profile", "r");
	long hits = -1;

	if (!file)
		return -1;
	if (fscanf(file, " topdown_woken %ld", &hits) != 1)
		hits = -1;
	fclose(file);
	return hits;
}

/* A window is news for each watch of a descriptor, and all who poll are looked at once. */
TEST_F(watch, many_watches_wake_up_once)
{
	const struct topdown_watch any = { .node = TOPDOWN_WATCH_ANY };
	struct epoll_event level = { .events = EPOLLIN };
	int epoll = epoll_create1(EPOLL_CLOEXEC), i;
	uint64_t windows = 0;
	unsigned int cpu;
	long hits;

	ASSERT_LE(0, epoll);
	ASSERT_EQ(0, epoll_ctl(epoll, EPOLL_CTL_ADD, self->fd, &level));
	for (i = 0; i < WATCHES; i++)
		ASSERT_LT(0, watch_add(self->fd, NULL, 0, &any));
	ASSERT_EQ(0, file_write(TRACING "kprobe_events", O_APPEND,
				"p:topdown_woken ep_poll_callback"));
	for (cpu = 0; cpu < self->nr; cpu++)
		windows -= windows_of(&self->map, self->cpus[cpu]);
	ASSERT_EQ(0, file_write(TRACING "events/kprobes/topdown_woken/enable", 0, "1"));
	ASSERT_TRUE(windows_wait(&self->map, self->busy, 20));
	EXPECT_EQ(0, file_write(TRACING "events/kprobes/topdown_woken/enable", 0, "0"));
	for (cpu = 0; cpu < self->nr; cpu++)
		windows += windows_of(&self->map, self->cpus[cpu]);
	hits = probe_hits();
	printf("# %ld wake-ups, %lu windows\n", hits, (unsigned long)windows);
	EXPECT_LT(0, hits);
	EXPECT_GE(windows, hits);
	EXPECT_EQ(0, file_write(TRACING "kprobe_events", O_APPEND, "-:topdown_woken"));
	close(epoll);
}

TEST_HARNESS_MAIN
