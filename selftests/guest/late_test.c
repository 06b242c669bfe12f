// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that were being made while their process was attached: they inherit no event, and
 * are in no list yet.
 *
 * The maker of such a thread waits in clone(), which cannot write the pidfd: userfaultfd has
 * the page.  Other processes make so many threads that not all can be found.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "guest.h"
#include "session.h"

#define STACK_SIZE	65536
#define SPIN_MS		400
/* So many threads are being made at once; each has a descriptor then. */
#define MANY		1000
/* The module searches once more after 100 ms, so it sees the rest of the spin. */
#define LOOK_MS		200
#define SPIN_SEEN_NS	200000000ULL
/* Each thread of a chain makes some that sleep, and the next of the chain, for so long. */
#define SLEEPERS	20
#define CHAINS		6
#define CHAINS_S	20
#define HELD_NS		10000000000ULL

static const char set_uid_program[] = "/tmp/topdown-late-set-uid";

/* The thread executes this; NULL: it spins. */
static const char *program;
/* Where clone() writes the pidfd. */
static int *pidfd;
/* All other threads exit at once. */
static bool alone;

/* Has no thread-local data of its own. */
static int asleep_thread(void *unused)
{
	syscall(SYS_pause);
	return 0;
}

static int late_thread(void *unused)
{
	if (!program) {
		spin_ms(SPIN_MS);
		return 0;
	}
	execl(program, program, "-t", "0.5", "branchy", NULL);
	_exit(98);
}

static void *maker(void *run)
{
	char *stack = malloc(STACK_SIZE);

	if (!stack)
		_exit(94);
	if (clone(run, stack + STACK_SIZE, CLONE_VM | CLONE_FS | CLONE_FILES |
		  CLONE_SIGHAND | CLONE_SYSVSEM | CLONE_THREAD | CLONE_PIDFD, NULL, pidfd) < 0)
		_exit(errno == EINVAL ? KSFT_SKIP : 97);
	return NULL;
}

/* A page that is missing until page_give(): the descriptor that gives it, or -1. */
static int page_keep(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range.len = getpagesize(), .mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	pidfd = mmap(NULL, getpagesize(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	range.range.start = (uintptr_t)pidfd;
	if (fd < 0 || pidfd == MAP_FAILED || ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &range))
		return -1;
	return fd;
}

static bool page_is_wanted(int fd)
{
	struct pollfd fds = { .fd = fd, .events = POLLIN };

	return poll(&fds, 1, 10000) == 1 && fds.revents == POLLIN;
}

static int page_give(int fd)
{
	struct uffdio_zeropage page = {
		.range.start = (uintptr_t)pidfd, .range.len = getpagesize(),
	};

	return ioctl(fd, UFFDIO_ZEROPAGE, &page);
}

/*
 * A process attaches to itself while one of its threads is being made.  A child that inherits
 * that waits until nobody has the other end of @hold, so that the session is not over.  Return:
 * the process.
 */
static int start_amid_clone(int device, const int hold[2], int *session)
{
	int pair[2], pid, page;
	pthread_t thread;
	char byte;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return -1;
	pid = fork();
	if (pid) {
		close(pair[1]);
		*session = fd_receive(pair[0]);
		close(pair[0]);
		return pid;
	}
	close(hold[1]);
	page = page_keep();
	if (page < 0 || setresuid(NOBODY, NOBODY, NOBODY))
		_exit(99);
	if (pthread_create(&thread, NULL, maker, late_thread) || !page_is_wanted(page))
		_exit(96);
	if (!fd_send(pair[1], device_attach(device, TOPDOWN_ATTACH_CHILDREN, 0)))
		_exit(93);
	if (!alone && !fork())
		_exit(read(hold[0], &byte, 1));
	if (page_give(page))
		_exit(95);
	if (alone)
		syscall(SYS_exit, 0);
	pthread_join(thread, NULL);
	sleep_ms(2 * SPIN_MS);
	_exit(0);
}

static int status_of(int pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid ? status : -1;
}

static int attach_amid_clone(int device, const int hold[2], int *session)
{
	return status_of(start_amid_clone(device, hold, session));
}

FIXTURE(late) {
	int fd;
	int hold[2];
	int session;
	struct topdown_session seen;
};

FIXTURE_SETUP(late)
{
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, pipe2(self->hold, O_CLOEXEC));
}

FIXTURE_TEARDOWN(late)
{
	unlink(set_uid_program);
	close(self->hold[1]);
	close(self->hold[0]);
	close(self->fd);
}

/* The second search finds it. */
TEST_F(late, thread_is_followed)
{
	int status = attach_amid_clone(self->fd, self->hold, &self->session);

	if (status == KSFT_SKIP << 8)
		SKIP(return, "this kernel makes no thread with a pidfd");
	ASSERT_EQ(0, status);
	ASSERT_EQ(0, device_session(self->session, 0, &self->seen));
	EXPECT_EQ(TOPDOWN_SESSION_STATE_RUNNING, self->seen.out_state);
	EXPECT_EQ(0, self->seen.out_flags);
	EXPECT_EQ(1, self->seen.out_tasks);
	EXPECT_LT(SPIN_SEEN_NS, self->seen.out_figures.enabled_ns);
}

/* The threads that were followed exit before the second search. */
TEST_F(late, no_thread_joins_what_has_exited)
{
	int pid, status;

	alone = true;
	pid = start_amid_clone(self->fd, self->hold, &self->session);
	if (self->session < 0 || poll_for(self->session, POLLIN, 5000) != POLLHUP) {
		status = status_of(pid);
		if (status == KSFT_SKIP << 8)
			SKIP(return, "this kernel makes no thread with a pidfd");
		ASSERT_EQ(0, status);
	}
	ASSERT_EQ(0, device_session(self->session, 0, &self->seen));
	EXPECT_EQ(TOPDOWN_SESSION_STATE_EXITED, self->seen.out_state);
	sleep_ms(LOOK_MS);
	ASSERT_EQ(0, device_session(self->session, 0, &self->seen));
	EXPECT_EQ(0, self->seen.out_tasks);
	EXPECT_EQ(TOPDOWN_SESSION_OUT_INCOMPLETE, self->seen.out_flags);
	ASSERT_EQ(0, status_of(pid));
	ASSERT_EQ(0, device_session(self->session, 0, &self->seen));
	EXPECT_EQ(TOPDOWN_SESSION_STATE_EXITED, self->seen.out_state);
}

/* A zombie is in the list of threads, but misses nothing. */
TEST_F(late, zombie_is_not_missed)
{
	int pid = fork(), session;

	if (!pid) {
		pause();
		_exit(0);
	}
	session = device_attach(self->fd, 0, pid);
	EXPECT_LE(0, session);
	kill(pid, SIGKILL);
	sleep_ms(LOOK_MS);
	EXPECT_EQ(0, device_session(session, 0, &self->seen));
	EXPECT_EQ(TOPDOWN_SESSION_STATE_EXITED, self->seen.out_state);
	EXPECT_EQ(0, self->seen.out_flags);
	EXPECT_EQ(pid, waitpid(pid, NULL, 0));
}

/*
 * Before the second search it executes a program that has more rights than the user, who must
 * not see it.  The same holds for another program.
 */
static void execs(struct __test_metadata *_metadata, int fd, const int hold[2], int *session,
		  const char *name)
{
	struct topdown_session seen;
	int status;

	program = name;
	status = attach_amid_clone(fd, hold, session);
	if (status == KSFT_SKIP << 8)
		SKIP(return, "this kernel makes no thread with a pidfd");
	ASSERT_EQ(0, status);
	ASSERT_EQ(0, device_session(*session, 0, &seen));
	EXPECT_EQ(TOPDOWN_SESSION_STATE_RUNNING, seen.out_state);
	EXPECT_EQ(TOPDOWN_SESSION_OUT_INCOMPLETE, seen.out_flags);
	EXPECT_EQ(1, seen.out_tasks);
	/* Nothing of its 500 ms. */
	EXPECT_GT(100000000, seen.out_figures.enabled_ns);
}

TEST_F(late, set_uid_exec_is_not_followed)
{
	char command[256];

	unlink(set_uid_program);
	snprintf(command, sizeof(command), "cp ./workload %s && chmod 4755 %s", set_uid_program,
		 set_uid_program);
	ASSERT_EQ(0, system(command));
	execs(_metadata, self->fd, self->hold, &self->session, set_uid_program);
}

TEST_F(late, exec_is_incomplete)
{
	execs(_metadata, self->fd, self->hold, &self->session, "./workload");
}

static void *sleeper(void *unused)
{
	sleep_ms(SPIN_MS);
	return NULL;
}

static int start_detached(void *(*run)(void *), void *argument)
{
	pthread_attr_t attr;
	pthread_t thread;
	int error;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	error = pthread_create(&thread, &attr, run, argument);
	pthread_attr_destroy(&attr);
	return error;
}

static void *lasting_maker(void *run)
{
	maker(run);
	pause();
	return NULL;
}

/* Many threads are being made.  Tell @ready, and let them be made when @go tells. */
static void make_many(int ready, int go)
{
	struct rlimit files = { 2 * MANY, 2 * MANY };
	int i, page = page_keep();
	struct uffd_msg wanted;
	char byte;

	if (page < 0 || setrlimit(RLIMIT_NOFILE, &files))
		_exit(99);
	for (i = 0; i < MANY; i++)
		if (start_detached(lasting_maker, asleep_thread))
			_exit(98);
	for (i = 0; i < MANY; i++)
		if (!page_is_wanted(page) || read(page, &wanted, sizeof(wanted)) != sizeof(wanted))
			_exit(96);
	if (write(ready, "", 1) != 1 || read(go, &byte, 1) != 1 || page_give(page))
		_exit(95);
	for (;;)
		pause();
}

/* It takes much less than to attach to as many threads as the search had before it. */
TEST_F(late, detach_ends_the_search)
{
	uint64_t begun, detached, attached;
	int pid, session, status, go[2];
	char byte;

	ASSERT_EQ(0, pipe2(go, O_CLOEXEC));
	pid = fork();
	if (!pid)
		make_many(self->hold[1], go[0]);
	close(self->hold[1]);
	self->hold[1] = go[1];
	close(go[0]);
	if (read(self->hold[0], &byte, 1) != 1) {
		status = status_of(pid);
		if (status == KSFT_SKIP << 8)
			SKIP(return, "this kernel makes no thread with a pidfd");
		ASSERT_EQ(0, status);
	}
	session = device_attach(self->fd, 0, pid);
	ASSERT_EQ(0, device_session(session, 0, &self->seen));
	EXPECT_EQ(1, write(go[1], "", 1));
	while (self->seen.out_tasks <= MANY + 1)
		ASSERT_EQ(0, device_session(session, 0, &self->seen));
	begun = clock_ns(CLOCK_MONOTONIC);
	ASSERT_EQ(0, close(session));
	detached = clock_ns(CLOCK_MONOTONIC) - begun;

	/* By then all threads have been made. */
	sleep_ms(LOOK_MS);
	begun = clock_ns(CLOCK_MONOTONIC);
	session = device_attach(self->fd, 0, pid);
	attached = clock_ns(CLOCK_MONOTONIC) - begun;
	ASSERT_EQ(0, device_session(session, 0, &self->seen));
	EXPECT_EQ(2 * MANY + 1, self->seen.out_tasks);
	EXPECT_GT(attached / 2, detached);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void *chain(void *unused)
{
	int i;

	for (i = 0; i < SLEEPERS; i++)
		start_detached(sleeper, NULL);
	start_detached(chain, NULL);
	return NULL;
}

/* A process that makes threads as fast as they are found keeps no caller in ATTACH or close(). */
TEST_F(late, chains_hold_nobody)
{
	uint64_t begun;
	int i, pid, session;

	pid = fork();
	if (!pid) {
		alarm(CHAINS_S);
		for (i = 0; i < CHAINS; i++)
			start_detached(chain, NULL);
		for (;;)
			pause();
	}
	sleep_ms(2000);
	begun = clock_ns(CLOCK_MONOTONIC);
	session = device_attach(self->fd, 0, pid);
	EXPECT_GT(HELD_NS, clock_ns(CLOCK_MONOTONIC) - begun);
	ASSERT_LE(0, session);
	ASSERT_EQ(0, device_session(session, 0, &self->seen));
	EXPECT_EQ(TOPDOWN_SESSION_OUT_INCOMPLETE, self->seen.out_flags);
	/* Amid the second search. */
	sleep_ms(LOOK_MS);
	begun = clock_ns(CLOCK_MONOTONIC);
	EXPECT_EQ(0, close(session));
	EXPECT_GT(HELD_NS, clock_ns(CLOCK_MONOTONIC) - begun);
	ASSERT_EQ(0, waitpid(pid, NULL, WNOHANG));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	int ret = emulator_need();

	return ret ? ret : test_harness_run(argc, argv);
}
