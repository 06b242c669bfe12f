// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions as descriptors: copies, views, and what keeps a session and what does not; a thousand
 * sessions, of which each tells its own end.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "fact.h"
#include "guest.h"
#include "session.h"

#define PAGE		4096
#define LONG_MS		20000
#define TAIL_MS		500
/* At least one of so many spans is without a switch. */
#define QUIET_SPANS	10
#define MANY		1000
/* Tasks, each of which has so many of them. */
#define MANY_TASKS	20
/* Sessions of one task, one after the other. */
#define OTHERS		50
/* Two clocks may differ by two ticks, of 4 ms, in 300 ms. */
#define LIMIT_TIME	0.04

FIXTURE(sessions) {
	int fd;
	int spinner;
	int session;
	struct topdown_session seen, one;
};

/* A session of a task on CPU 1. */
FIXTURE_SETUP(sessions)
{
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	self->spinner = spin_start(1, profile(0));
	ASSERT_LT(0, self->spinner);
	self->session = device_attach(self->fd, 0, self->spinner);
	ASSERT_LT(0, self->session);
	ASSERT_EQ(0, cpu_pin(0));
}

FIXTURE_TEARDOWN(sessions)
{
	spin_stop(self->spinner);
	close(self->fd);
}

/* Is the state that, and does poll() say of an end what it should? */
static bool state_is(int fd, unsigned int state)
{
	struct topdown_session seen;
	int ended = state == TOPDOWN_SESSION_STATE_RUNNING ||
		    state == TOPDOWN_SESSION_STATE_DISABLED ? 0 : POLLHUP;

	return fact_same("read", device_session(fd, 0, &seen), 0) &
	       fact_same("state", seen.out_state, state) &
	       fact_same("poll", poll_for(fd, POLLIN, 0), ended);
}

/* Whoever has a view reads the session, and can do nothing else. */
static bool can_only_read(int view)
{
	struct topdown_session seen;
	void *map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, view, 0);
	unsigned int action;
	bool ok;

	ok = fact_same("fresh read", device_session(view, TOPDOWN_SESSION_FRESH, &seen), 0) &
	     fact(seen.out_figures.slots > 0) & fact(map != MAP_FAILED) &
	     fact_same("poll", poll_for(view, POLLIN, 0), 0);
	for (action = TOPDOWN_CONTROL_ENABLE; action <= TOPDOWN_CONTROL_VIEW; action++)
		ok &= fact_same("control", device_control(view, action), -EBADF);
	/* No other flag of the file makes it more. */
	fcntl(view, F_SETFL, O_RDWR);
	return ok & fact_same("control", device_control(view, TOPDOWN_CONTROL_DISABLE), -EBADF);
}

/* A user without any right receives a view. */
TEST_F(sessions, view_is_handed_on)
{
	int pair[2], view, pid, status;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	pid = fork();
	if (!pid) {
		close(self->session);
		if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
			_exit(99);
		view = fd_receive(pair[1]);
		_exit(!can_only_read(view));
	}
	view = device_control(self->session, TOPDOWN_CONTROL_VIEW);
	ASSERT_LT(0, view);
	EXPECT_EQ(FD_CLOEXEC, fcntl(view, F_GETFD));
	EXPECT_EQ(O_RDONLY, fcntl(view, F_GETFL) & O_ACCMODE);
	ASSERT_TRUE(fd_send(pair[0], view));
	close(view);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	/* The holder's exit has closed its view, and nothing else. */
	EXPECT_TRUE(state_is(self->session, TOPDOWN_SESSION_STATE_RUNNING));
}

TEST_F(sessions, view_does_not_keep_it)
{
	int view = device_control(self->session, TOPDOWN_CONTROL_VIEW);
	uint64_t slots;

	ASSERT_LT(0, view);
	ASSERT_TRUE(has_slots(self->session, &self->seen));
	ASSERT_TRUE(state_is(view, TOPDOWN_SESSION_STATE_RUNNING));
	/* Less than a period, so no window need close meanwhile. */
	sleep_ms(TAIL_MS);
	ASSERT_EQ(0, close(self->session));
	EXPECT_TRUE(state_is(view, TOPDOWN_SESSION_STATE_DETACHED));
	ASSERT_EQ(0, device_session(view, 0, &self->one));
	EXPECT_LE(self->seen.out_figures.enabled_ns + TAIL_MS * 900000ULL,
		  self->one.out_figures.enabled_ns);
	slots = self->one.out_figures.slots;
	EXPECT_LE(self->seen.out_figures.slots, slots);
	EXPECT_EQ(self->seen.out_serial, self->one.out_serial);
	EXPECT_EQ(0, self->one.out_tasks);
	/* The task runs on, and nothing is added. */
	sleep_ms(100);
	ASSERT_EQ(0, device_session(view, TOPDOWN_SESSION_FRESH, &self->one));
	EXPECT_EQ(slots, self->one.out_figures.slots);
	/* The map of a view that outlives it, too. */
	EXPECT_NE(MAP_FAILED, mmap(NULL, PAGE, PROT_READ, MAP_SHARED, view, 0));
}

static void *close_later(void *session)
{
	sleep_ms(300);
	close((intptr_t)session);
	return NULL;
}

TEST_F(sessions, view_that_waits_is_woken)
{
	int view = device_control(self->session, TOPDOWN_CONTROL_VIEW);
	uint64_t from = clock_ns(CLOCK_MONOTONIC);
	pthread_t thread;

	ASSERT_EQ(0, pthread_create(&thread, NULL, close_later, (void *)(intptr_t)self->session));
	EXPECT_EQ(POLLHUP, poll_for(view, POLLIN, LONG_MS));
	/* At its end poll() looks once more, woken or not. */
	EXPECT_GT(LONG_MS / 2 * 1000000ULL, clock_ns(CLOCK_MONOTONIC) - from);
	pthread_join(thread, NULL);
}

/* A session that is mapped ends with its descriptor nevertheless. */
TEST_F(sessions, map_does_not_keep_it)
{
	const struct topdown_session_map *map, *copy;
	int view = device_control(self->session, TOPDOWN_CONTROL_VIEW), pid, status;

	map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, self->session, 0);
	ASSERT_NE(MAP_FAILED, (void *)map);
	EXPECT_EQ(TOPDOWN_SESSION_STATE_RUNNING, map->state);
	/* A map that a child inherits keeps it no more than one's own. */
	pid = fork();
	if (!pid) {
		close(self->session);
		for (;;)
			pause();
	}
	copy = mremap((void *)map, 0, PAGE, MREMAP_MAYMOVE);
	ASSERT_EQ(0, close(self->session));
	/* The child may be before its close(). */
	EXPECT_EQ(POLLHUP, poll_for(view, POLLIN, LONG_MS));
	EXPECT_EQ(TOPDOWN_SESSION_STATE_DETACHED, map->state);
	EXPECT_TRUE((void *)copy == MAP_FAILED || copy->state == TOPDOWN_SESSION_STATE_DETACHED);
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
}

/* It ends with the last copy, in whatever process. */
TEST_F(sessions, copies_keep_it)
{
	int view = device_control(self->session, TOPDOWN_CONTROL_VIEW), copy, go[2], pid;
	char byte;

	copy = dup(self->session);
	ASSERT_EQ(0, close(self->session));
	EXPECT_TRUE(state_is(copy, TOPDOWN_SESSION_STATE_RUNNING));
	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (!pid) {
		close(go[1]);
		_exit(read(go[0], &byte, 1) ? 1 : device_control(copy, TOPDOWN_CONTROL_DISABLE));
	}
	ASSERT_EQ(0, close(copy));
	EXPECT_TRUE(state_is(view, TOPDOWN_SESSION_STATE_RUNNING));
	/* A process that is killed closes all. */
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_TRUE(state_is(view, TOPDOWN_SESSION_STATE_DETACHED));
}

/* One that is closed at exec is not there for the next program. */
TEST_F(sessions, exec_closes_it)
{
	int view = device_control(self->session, TOPDOWN_CONTROL_VIEW), pid;

	pid = fork();
	if (!pid) {
		execl("./workload", "./workload", "-t", "30", "branchy", NULL);
		_exit(98);
	}
	ASSERT_EQ(0, close(self->session));
	EXPECT_EQ(POLLHUP, poll_for(view, POLLIN, LONG_MS));
	EXPECT_TRUE(state_is(view, TOPDOWN_SESSION_STATE_DETACHED));
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
}

TEST_F(sessions, device_is_not_needed)
{
	ASSERT_EQ(0, close(self->fd));
	EXPECT_TRUE(has_slots(self->session, &self->seen));
	EXPECT_TRUE(state_is(self->session, TOPDOWN_SESSION_STATE_RUNNING));
	EXPECT_EQ(0, device_control(self->session, TOPDOWN_CONTROL_DISABLE));
	EXPECT_TRUE(state_is(self->session, TOPDOWN_SESSION_STATE_DISABLED));
}

/* A view cannot be opened again with more rights, nor the session with any. */
TEST_F(sessions, cannot_be_opened_again)
{
	static const int flags[] = { O_RDONLY, O_RDWR, O_WRONLY };
	int fd[2] = { self->session, device_control(self->session, TOPDOWN_CONTROL_VIEW) };
	unsigned int i;
	char path[32];

	for (i = 0; i < 6; i++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd[i % 2]);
		EXPECT_EQ(-1, open(path, flags[i / 2]));
		EXPECT_EQ(ENXIO, errno);
	}
}

static bool fdinfo_has(int fd, const char *text)
{
	char path[48], all[1024] = "";
	int file, len;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = open(path, O_RDONLY | O_CLOEXEC);
	len = read(file, all, sizeof(all) - 1);
	close(file);
	if (len > 0 && strstr(all, text))
		return true;
	printf("# no \"%s\" in:\n%s\n", text, all);
	return false;
}

TEST_F(sessions, fdinfo_tells_state_and_tasks)
{
	int view = device_control(self->session, TOPDOWN_CONTROL_VIEW);
	char text[64];

	ASSERT_EQ(0, device_session(self->session, 0, &self->seen));
	snprintf(text, sizeof(text), "topdown-session:\t%llu\ntopdown-state:\trunning\n"
		 "topdown-tasks:\t1\n", (unsigned long long)self->seen.out_serial);
	EXPECT_TRUE(fdinfo_has(self->session, text));
	EXPECT_TRUE(fdinfo_has(view, text));
	close(self->session);
	EXPECT_TRUE(fdinfo_has(view, "topdown-state:\tdetached\ntopdown-tasks:\t0\n"));
}

/* Nothing can be read or written but by the commands. */
TEST_F(sessions, is_no_stream)
{
	char byte = 0;

	EXPECT_EQ(-1, read(self->session, &byte, 1));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, write(self->session, &byte, 1));
	EXPECT_EQ(EINVAL, errno);
}

/* The sessions of one task after each other, in the order of the tasks. */
static int attach_many(int fd, const int *pid, int *session)
{
	int i;

	for (i = 0; i < MANY; i++) {
		session[i] = device_attach(fd, 0, pid[i * MANY_TASKS / MANY]);
		if (session[i] < 0)
			return session[i];
	}
	return 0;
}

static int watch_many(int epoll, const int *session)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLONESHOT };
	int i;

	for (i = 0; i < MANY; i++) {
		event.data.u32 = i;
		if (epoll_ctl(epoll, EPOLL_CTL_ADD, session[i], &event))
			return -errno;
	}
	return 0;
}

/* The sessions of that task end, each once, and no others. */
static bool ends_are_of(int epoll, unsigned int task)
{
	bool ended[MANY] = { };
	struct epoll_event event;
	unsigned int i, n = 0;

	while (n < MANY / MANY_TASKS && epoll_wait(epoll, &event, 1, LONG_MS) == 1) {
		if (event.events != EPOLLHUP || event.data.u32 >= MANY || ended[event.data.u32])
			return false;
		ended[event.data.u32] = true;
		n++;
	}
	for (i = 0; i < MANY; i++) {
		if (ended[i] != (i * MANY_TASKS / MANY == task))
			return false;
	}
	return !epoll_wait(epoll, &event, 1, 0);
}

TEST_F_TIMEOUT(sessions, a_thousand_tell_their_ends, 300)
{
	const struct rlimit files = { 2 * MANY, 4096 };
	static int session[MANY];
	int pid[MANY_TASKS], epoll, i;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	for (i = 0; i < MANY_TASKS; i++) {
		pid[i] = sleeper_start();
		ASSERT_LT(0, pid[i]);
	}
	ASSERT_EQ(0, attach_many(self->fd, pid, session));
	epoll = epoll_create1(EPOLL_CLOEXEC);
	ASSERT_EQ(0, watch_many(epoll, session));
	for (i = MANY_TASKS; i-- > 0;) {
		spin_stop(pid[i]);
		EXPECT_TRUE(ends_are_of(epoll, i));
	}
	for (i = 0; i < MANY; i++)
		close(session[i]);
}

/*
 * How often the task has left its CPU; negative if that cannot be read.  A session counts a
 * switch with the first fold after it, which may be later than the fold of the switch before.
 */
static long times_left(int pid)
{
	long left = 0, number;
	unsigned int found = 0;
	char path[32], line[128];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "voluntary_ctxt_switches: %ld", &number) != 1 &&
		    sscanf(line, "nonvoluntary_ctxt_switches: %ld", &number) != 1)
			continue;
		left += number;
		found++;
	}
	fclose(file);
	return found == 2 ? left : -1;
}

/*
 * The task on CPU 1 is in the middle of a window.  Without TOPDOWN_SESSION_FRESH the figures are
 * those that were known already.  A thread of the kernel may run on CPU 1, and each switch folds,
 * so find a span without one.
 */
TEST_F(sessions, fresh_counts_until_now)
{
	uint64_t begun, span, more;
	unsigned int i;
	clockid_t clock;
	long left;

	ASSERT_EQ(0, clock_getcpuclockid(self->spinner, &clock));
	ASSERT_EQ(0, period_set("60000"));
	ASSERT_EQ(0, device_session(self->session, TOPDOWN_SESSION_FRESH, &self->one));
	begun = clock_ns(clock);
	spin_cpu_ms(30);
	span = clock_ns(clock) - begun;
	ASSERT_EQ(0, device_session(self->session, TOPDOWN_SESSION_FRESH, &self->seen));
	more = self->seen.out_figures.enabled_ns - self->one.out_figures.enabled_ns;
	/* Two clocks may differ by two ticks, of 4 ms. */
	EXPECT_LT(span * 9 / 10, more + 8000000);
	EXPECT_LT(self->one.out_figures.slots, self->seen.out_figures.slots);
	for (i = 0; i < QUIET_SPANS; i++) {
		left = times_left(self->spinner);
		ASSERT_LE(0, left);
		/* A switch that is counted already ends here. */
		spin_cpu_ms(1);
		ASSERT_EQ(0, device_session(self->session, 0, &self->one));
		spin_cpu_ms(30);
		ASSERT_EQ(0, device_session(self->session, 0, &self->seen));
		if (times_left(self->spinner) == left)
			break;
	}
	ASSERT_GT(QUIET_SPANS, i);
	EXPECT_EQ(self->one.out_figures.slots, self->seen.out_figures.slots);
	EXPECT_EQ(0, period_set("1000"));
}

/*
 * Sessions of the task come and go while it runs, and no window ends.  For each that comes perf
 * takes the task's events out and in again, and only that one out when it goes: the session that
 * stays has all of the time.
 */
TEST_F(sessions, others_come_and_go)
{
	uint64_t begun, span, more;
	clockid_t clock;
	unsigned int i;
	int other;

	ASSERT_EQ(0, clock_getcpuclockid(self->spinner, &clock));
	ASSERT_EQ(0, period_set("60000"));
	ASSERT_EQ(0, device_session(self->session, TOPDOWN_SESSION_FRESH, &self->one));
	begun = clock_ns(clock);
	for (i = 0; i < OTHERS; i++) {
		other = device_attach(self->fd, 0, self->spinner);
		ASSERT_LT(0, other);
		sleep_ms(3);
		ASSERT_EQ(0, close(other));
		sleep_ms(3);
	}
	ASSERT_EQ(0, device_session(self->session, TOPDOWN_SESSION_FRESH, &self->seen));
	span = clock_ns(clock) - begun;
	more = self->seen.out_figures.enabled_ns - self->one.out_figures.enabled_ns;
	EXPECT_TRUE(fact_near("time", more / (double)span, 1, LIMIT_TIME));
}

/* CPU 1 is of the kind @own, so the session has all there. */
static bool kind_right(const struct topdown_session_kind *kind, unsigned int number,
		       unsigned int own, const struct topdown_session *seen)
{
	bool has = number == own;

	return fact_same("kind", kind->kind, number) &
	       fact_same("level", kind->level, has ? seen->out_level : 0) &
	       fact_same("source", kind->source, has ? seen->out_source : 0) &
	       fact_same("nodes", kind->nodes, has ? seen->out_nodes : 0) &
	       fact_same("switches", kind->switches, has ? seen->out_switches : 0) &
	       fact_same("merged", kind->merged_ns, has ? seen->out_merged_ns : 0) &
	       fact_same("slots", kind->figures.slots, has ? seen->out_figures.slots : 0) &
	       fact(!has || !memcmp(&kind->figures, &seen->out_figures, sizeof(kind->figures)));
}

static bool bytes_are(const unsigned char *at, size_t size, unsigned char value)
{
	size_t i;

	for (i = 0; i < size; i++)
		if (at[i] != value)
			return fact_same("byte", at[i], value);
	return true;
}

static bool kinds_fit(int session, unsigned int room, unsigned int stride, unsigned int own)
{
	static unsigned char memory[(TD_NR_KINDS + 1) * PAGE];
	unsigned int i, fit = room < TD_NR_KINDS ? room : TD_NR_KINDS;
	struct topdown_session seen = {
		.size		= sizeof(seen),
		.kinds		= (uintptr_t)memory,
		.nr_kinds	= room,
		.kind_size	= stride,
	};
	struct topdown_session_kind kind;
	bool right;

	memset(memory, 0xa5, sizeof(memory));
	right = fact_same("read", ioctl(session, TOPDOWN_SESSION, &seen), 0) &
		fact_same("written", seen.nr_kinds, fit) &
		fact_same("kinds", seen.out_nr_kinds, TD_NR_KINDS) & fact(seen.out_figures.slots);
	for (i = 0; i < fit; i++) {
		memcpy(&kind, memory + i * stride, sizeof(kind));
		right &= kind_right(&kind, i, own, &seen) &
			 bytes_are(memory + i * stride + sizeof(kind), stride - sizeof(kind), 0);
	}
	right &= bytes_are(memory + fit * stride, sizeof(memory) - fit * stride, 0xa5);

	/* Without what the kernel wrote, the answer is a request. */
	memset(&seen.out_state, 0, sizeof(seen) - offsetof(struct topdown_session, out_state));
	right &= fact_same("again", ioctl(session, TOPDOWN_SESSION, &seen), 0);
	return right & fact_same("written again", seen.nr_kinds, fit);
}

/* They are written at the stride of the caller, as many as there is room for, and none behind. */
TEST_F(sessions, kinds_are_written_while_they_fit)
{
	static const unsigned int strides[] = {
		sizeof(struct topdown_session_kind), sizeof(struct topdown_session_kind) + 8, PAGE
	};
	struct topdown_record record;
	unsigned int i, room;

	spin_cpu_ms(10);
	ASSERT_EQ(0, device_session(self->session, TOPDOWN_SESSION_FRESH, &self->seen));
	ASSERT_EQ(0, device_read_cpu(self->fd, 0, 1, &record));
	for (i = 0; i < sizeof(strides) / sizeof(*strides); i++) {
		for (room = 0; room <= TD_NR_KINDS + 1; room++)
			EXPECT_TRUE(kinds_fit(self->session, room, strides[i], record.kind));
	}
}

int main(int argc, char **argv)
{
	int ret = emulator_need();

	return ret ? ret : test_harness_run(argc, argv);
}
