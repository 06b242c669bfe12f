// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the rights to attach, of how often a process may attach, and of the
 * errors of attaching and of all commands for a session.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "guest.h"
#include "session.h"

/* As many watches as the module allows. */
#define WATCHES		4096

FIXTURE(attach) {
	int fd;
	struct topdown_session seen;
};

FIXTURE_SETUP(attach)
{
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(attach)
{
	close(self->fd);
}

static int try(int fd, unsigned int cmd, void *argument)
{
	return ioctl(fd, cmd, argument) ? -errno : 0;
}

TEST_F(attach, bad_attach_calls_are_refused)
{
	struct topdown_attach attach;
	unsigned int i;
	int pid, pipes[2];

	for (i = 5; i < 32; i++)
		EXPECT_EQ(-EOPNOTSUPP, device_attach(self->fd, 1U << i, 0));
	EXPECT_EQ(-EINVAL, device_attach(self->fd, TOPDOWN_ATTACH_THREAD | TOPDOWN_ATTACH_CHILDREN,
					 0));
	EXPECT_EQ(-EINVAL, device_attach(self->fd, TOPDOWN_ATTACH_THREAD | TOPDOWN_ATTACH_PIDFD,
					 0));
	EXPECT_EQ(-EINVAL, device_attach(self->fd, TOPDOWN_ATTACH_ON_EXEC, 0));
	EXPECT_EQ(-EINVAL, device_attach(self->fd, 0, -1));
	attach = (struct topdown_attach){ .size = sizeof(attach), .__reserved = 1 };
	EXPECT_EQ(-EINVAL, try(self->fd, TOPDOWN_ATTACH, &attach));
	attach = (struct topdown_attach){ .size = sizeof(attach) - 1 };
	EXPECT_EQ(-EINVAL, try(self->fd, TOPDOWN_ATTACH, &attach));
	attach = (struct topdown_attach){ .size = 4097 };
	EXPECT_EQ(-E2BIG, try(self->fd, TOPDOWN_ATTACH, &attach));
	EXPECT_EQ(-EFAULT, try(self->fd, TOPDOWN_ATTACH, NULL));

	pid = fork();
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	EXPECT_EQ(-ESRCH, device_attach(self->fd, 0, pid));
	EXPECT_EQ(-ESRCH, device_attach(self->fd, TOPDOWN_ATTACH_THREAD, pid));
	EXPECT_EQ(-EBADF, device_attach(self->fd, TOPDOWN_ATTACH_PIDFD, -1));
	EXPECT_EQ(-EBADF, device_attach(self->fd, TOPDOWN_ATTACH_PIDFD, 1000));
	EXPECT_EQ(-EBADF, device_attach(self->fd, TOPDOWN_ATTACH_PIDFD, self->fd));
	ASSERT_EQ(0, pipe(pipes));
	EXPECT_EQ(-EBADF, device_attach(self->fd, TOPDOWN_ATTACH_PIDFD, pipes[0]));
	/* A file of no file system that is no pidfd either. */
	EXPECT_EQ(-EBADF, device_attach(self->fd, TOPDOWN_ATTACH_PIDFD,
					syscall(SYS_eventfd2, 0, 0)));
}

/* The argument is only read. */
TEST_F(attach, argument_is_readonly)
{
	struct topdown_attach *readonly;
	int session;

	readonly = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)readonly);
	readonly->size = sizeof(*readonly);
	ASSERT_EQ(0, mprotect(readonly, 4096, PROT_READ));
	session = ioctl(self->fd, TOPDOWN_ATTACH, readonly);
	ASSERT_LT(0, session);
	EXPECT_EQ(FD_CLOEXEC, fcntl(session, F_GETFD));
	EXPECT_EQ(0, device_session(session, 0, &self->seen));
}

/* A process that has exited has a number until its parent waits for it. */
TEST_F(attach, zombie_is_no_task)
{
	siginfo_t info;
	int pid, pidfd;

	pid = fork();
	if (!pid)
		_exit(0);
	ASSERT_EQ(0, waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
	pidfd = syscall(SYS_pidfd_open, pid, 0);
	ASSERT_LE(0, pidfd);
	EXPECT_EQ(-ESRCH, device_attach(self->fd, 0, pid));
	EXPECT_EQ(-ESRCH, device_attach(self->fd, TOPDOWN_ATTACH_CHILDREN, pid));
	EXPECT_EQ(-ESRCH, device_attach(self->fd, TOPDOWN_ATTACH_THREAD, pid));
	EXPECT_EQ(-ESRCH, device_attach(self->fd, TOPDOWN_ATTACH_PIDFD, pidfd));
	/* No descriptor stays. */
	EXPECT_EQ(pidfd + 1, dup(pidfd));
	close(pidfd);
	EXPECT_EQ(pid, waitpid(pid, NULL, 0));
}

TEST_F(attach, bad_session_calls_are_refused)
{
	int session = device_attach(self->fd, 0, 0);
	struct topdown_session *argument;
	unsigned int i;

	ASSERT_LT(0, session);
	/* The device is no session. */
	EXPECT_EQ(-ENOTTY, device_session(self->fd, 0, &self->seen));
	EXPECT_EQ(-EBADF, device_session(session + 1, 0, &self->seen));
	for (i = 1; i < 32; i++)
		EXPECT_EQ(-EOPNOTSUPP, device_session(session, 1U << i, &self->seen));
	argument = calloc(1, sizeof(*argument));
	for (i = offsetof(struct topdown_session, out_state); i < sizeof(*argument); i++) {
		memset(argument, 0, sizeof(*argument));
		argument->size = sizeof(*argument);
		((char *)argument)[i] = 1;
		EXPECT_EQ(-EINVAL, try(session, TOPDOWN_SESSION, argument));
	}
	memset(argument, 0, sizeof(*argument));
	argument->size = 495;
	EXPECT_EQ(-EINVAL, try(session, TOPDOWN_SESSION, argument));
	EXPECT_EQ(-EFAULT, try(session, TOPDOWN_SESSION, NULL));
	EXPECT_EQ(496, sizeof(*argument));
	free(argument);
}

TEST_F(attach, bad_control_calls_are_refused)
{
	int session = device_attach(self->fd, 0, 0);
	struct topdown_control control;
	unsigned int i;

	ASSERT_LT(0, session);
	for (i = 0; i < 32; i++) {
		control = (struct topdown_control){ .size = sizeof(control), .flags = 1U << i };
		EXPECT_EQ(-EOPNOTSUPP, try(session, TOPDOWN_CONTROL, &control));
	}
	EXPECT_EQ(-EINVAL, device_control(session, 4));
	EXPECT_EQ(-EINVAL, device_control(session, ~0U));
	control = (struct topdown_control){ .size = sizeof(control), .__reserved = 1 };
	EXPECT_EQ(-EINVAL, try(session, TOPDOWN_CONTROL, &control));
	control = (struct topdown_control){ .size = 15 };
	EXPECT_EQ(-EINVAL, try(session, TOPDOWN_CONTROL, &control));
	EXPECT_EQ(-EFAULT, try(session, TOPDOWN_CONTROL, NULL));
	for (i = 0; i < 4; i++)
		EXPECT_EQ(-ENOTTY, device_control(self->fd, i));
	EXPECT_EQ(0, device_session(session, 0, &self->seen));
}

TEST_F(attach, is_announced)
{
	struct topdown_info info;

	ASSERT_EQ(0, device_info(self->fd, &info));
	EXPECT_NE(0, info.out_features & TOPDOWN_FEATURE_SESSION);
}

/* Run @what as a user who may open the device, but not see whole CPUs. */
static int unprivileged(int (*what)(int fd))
{
	int pid, status, fd;

	pid = fork();
	if (!pid) {
		if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
			_exit(99);
		fd = device_open();
		_exit(fd < 0 ? 98 : what(fd));
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int may_attach(int fd)
{
	struct topdown_session seen;
	struct topdown_record record;
	int child, session, pidfd;

	child = sleeper_start();
	if (device_read_cpu(fd, 0, 0, &record) != -EACCES)
		return 1;
	if (poll_for(fd, POLLIN, 0) != POLLERR)
		return 2;
	if (device_attach(fd, 0, 1) != -EACCES || device_attach(fd, 0, getppid()) != -EACCES ||
	    device_attach(fd, TOPDOWN_ATTACH_THREAD, getppid()) != -EACCES)
		return 3;
	/* Also one's own child: it may be another program by now. */
	if (device_attach(fd, 0, child) != -EACCES)
		return 4;
	pidfd = syscall(SYS_pidfd_open, child, 0);
	if (device_attach(fd, TOPDOWN_ATTACH_PIDFD, pidfd) != -EACCES)
		return 5;
	session = device_attach(fd, TOPDOWN_ATTACH_CHILDREN, 0);
	if (session <= 0 || device_attach(fd, TOPDOWN_ATTACH_THREAD, getpid()) <= 0)
		return 6;
	pidfd = syscall(SYS_pidfd_open, getpid(), 0);
	if (device_attach(fd, TOPDOWN_ATTACH_PIDFD, pidfd) <= 0)
		return 7;
	spin_ms(20);
	if (device_session(session, TOPDOWN_SESSION_FRESH, &seen) || !seen.out_figures.slots)
		return 8;
	if (poll_for(session, POLLIN, 0))
		return 9;
	if (mmap(NULL, 4096, PROT_READ, MAP_SHARED, session, 0) == MAP_FAILED)
		return 10;
	if (mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED || errno != EACCES)
		return 11;
	kill(child, SIGKILL);
	return 0;
}

/* Waiting for a session takes no watch, even by poll() with POLLIN. */
/* With PREEMPT_RT each open() takes a grace period of RCU: perf frees an event. */
TEST_F_TIMEOUT(attach, waiting_for_a_session_takes_no_watch, 300)
{
	struct topdown_watch watch = {
		.size = sizeof(watch), .node = TOPDOWN_WATCH_ANY,
		.event_size = sizeof(struct topdown_event),
	};
	const struct rlimit files = { 2 * WATCHES, 2 * WATCHES };
	static int fd[WATCHES + 1];
	int ret = 0, session;
	unsigned int n = 0;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	while (!ret && n <= WATCHES) {
		fd[n] = device_open();
		ASSERT_LE(0, fd[n]);
		watch.out_watch = 0;
		ret = try(fd[n++], TOPDOWN_WATCH, &watch);
	}
	EXPECT_EQ(-ENOSPC, ret);
	EXPECT_EQ(0, poll_for(self->fd, POLLIN, 0));
	session = device_attach(self->fd, 0, 0);
	ASSERT_LT(0, session);
	EXPECT_EQ(0, poll_for(session, POLLIN, 0));
	while (n--)
		close(fd[n]);
}

TEST_F(attach, own_tasks_alone_need_no_right)
{
	struct stat node;

	ASSERT_EQ(0, stat(TD_DEVICE, &node));
	ASSERT_EQ(0, chmod(TD_DEVICE, 0666));
	EXPECT_EQ(0, unprivileged(may_attach));
	chmod(TD_DEVICE, node.st_mode & 07777);
	EXPECT_LT(0, device_attach(self->fd, 0, 1));
}

int main(int argc, char **argv)
{
	int ret = emulator_need();

	return ret ? ret : test_harness_run(argc, argv);
}
