// SPDX-License-Identifier: GPL-2.0
/*
 * How many sessions and watches there may be, of a user and in all, and
 * that a user who has as many as possible is in nobody's way.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "caller.h"
#include "guest.h"
#include "session.h"
#include "watch.h"

/* As uapi/linux/topdown.h has them. */
#define OF_ALL		4096
#define WATCHES_OF_FD	256
#define OF_USER		64
#define OF_USERS	3072
#define TASKS_OF_USER	16384

#define OF_TASK		64
#define OF_TASK_OTHERS	48

/* Each has as many sessions as a task may have. */
#define SLEEPERS	((OF_ALL + OF_TASK - 1) / OF_TASK)

#define UID_FIRST	70000

#define TRUST_NODE	"/sys/module/topdown/parameters/trust_device"

/* With as many threads as this OF_TASK_OTHERS sessions are some tasks too many. */
#define THREADS_MANY		(TASKS_OF_USER / OF_TASK_OTHERS + 3)
/* So many tasks are left by all these sessions but one. */
#define TASKS_LEFT		(TASKS_OF_USER - (OF_TASK_OTHERS - 1) * (THREADS_MANY + 1))

FIXTURE(quota) {
	int fd;
	struct stat node;
};

FIXTURE_SETUP(quota)
{
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, stat(TD_DEVICE, &self->node));
	ASSERT_EQ(0, chmod(TD_DEVICE, 0666));
}

FIXTURE_TEARDOWN(quota)
{
	chmod(TD_DEVICE, self->node.st_mode & 07777);
	close(self->fd);
}

/* As the call itself, which has failed with @ret: does it fail so for a caller of 32 bits? */
static int ask_again(int ret, int fd, unsigned int cmd, const void *argument, size_t size)
{
	void *low = caller_memory(size);

	if (!low)
		return -ENOMEM;
	memcpy(low, argument, size);
	return caller_ioctl(32, fd, cmd, low) == ret ? ret : -EPROTO;
}

static int attach(int fd, __u32 flags, int pid)
{
	const struct topdown_attach what = { .size = sizeof(what), .flags = flags, .pid = pid };
	int ret = device_attach(fd, flags, pid);

	return ret < 0 ? ask_again(ret, fd, TOPDOWN_ATTACH, &what, sizeof(what)) : ret;
}

/* A watch of any window. */
static int watch(int fd)
{
	const struct topdown_watch what = {
		.size		= sizeof(what),
		.node		= TOPDOWN_WATCH_ANY,
		.event_size	= sizeof(struct topdown_event),
	};
	int ret = watch_add(fd, NULL, 0, &what);

	return ret < 0 ? ask_again(ret, fd, TOPDOWN_WATCH, &what, sizeof(what)) : ret;
}

/* One of the sessions that attach_all() made. */
static int last_session;

/* How many more sessions there may be, of several processes in turn. */
static int attach_all(int fd, int most, const int *pid, int pids)
{
	int n = 0, ret = 1;

	while (n <= most && ret > 0) {
		ret = attach(fd, TOPDOWN_ATTACH_THREAD, pid[n % pids]);
		if (ret > 0)
			last_session = ret;
		n += ret > 0;
	}
	return ret == -ENOSPC ? n : ret < 0 ? ret : -ERANGE;
}

/* A process of a user without capabilities: does @what, says its answer and sleeps. */
static int user_start(unsigned int uid, int (*what)(void), int *answer)
{
	int fd[2], pid;

	if (pipe(fd))
		return -1;
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		*answer = setresgid(uid, uid, uid) || setresuid(uid, uid, uid) ? -EPERM : what();
		if (write(fd[1], answer, sizeof(*answer)) != sizeof(*answer))
			_exit(1);
		for (;;)
			pause();
	}
	close(fd[1]);
	if (read(fd[0], answer, sizeof(*answer)) != sizeof(*answer))
		*answer = -EIO;
	close(fd[0]);
	return pid;
}

static int thread_id;

static void *thread_sleep(void *unused)
{
	__atomic_store_n(&thread_id, gettid(), __ATOMIC_RELEASE);
	for (;;)
		pause();
	return NULL;
}

static int threads_start(unsigned int nr)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	while (nr--) {
		if (pthread_create(&thread, &attr, thread_sleep, NULL))
			return -EAGAIN;
	}
	return 0;
}

/* They are of two threads, since one may not have as many. */
static int attach_as_user(void)
{
	int fd = device_open(), task[2] = { 0, 0 };

	if (fd < 0)
		return fd;
	if (threads_start(1))
		return -EAGAIN;
	while (!(task[1] = __atomic_load_n(&thread_id, __ATOMIC_ACQUIRE)))
		sched_yield();
	return attach_all(fd, 2 * OF_USER, task, 2);
}

/* Sessions that have ended, each with a view; one view less leaves room for one session. */
static int view_as_user(void)
{
	int n = 0, fd = device_open(), session, view = -1;

	if (fd < 0)
		return fd;
	for (session = attach(fd, TOPDOWN_ATTACH_THREAD, 0); session > 0 && n <= 2 * OF_USER; n++) {
		view = device_control(session, TOPDOWN_CONTROL_VIEW);
		if (view < 0 || close(session))
			return view;
		session = attach(fd, TOPDOWN_ATTACH_THREAD, 0);
	}
	if (session != -ENOSPC || close(view))
		return -ERANGE;
	return attach(fd, TOPDOWN_ATTACH_THREAD, 0) > 0 ? n : -EBUSY;
}

/* Watches of several descriptors, as each may have more. */
static int watch_as_user(void)
{
	int n = 0, ret = 1, fd = -1;

	while (n <= 2 * OF_USER && ret > 0) {
		if (n % 10 == 0)
			fd = device_open();
		if (fd < 0)
			return fd;
		ret = watch(fd);
		n += ret > 0;
	}
	return ret == -ENOSPC ? n : ret < 0 ? ret : -ERANGE;
}

/* May another process of the user have a session of @nr threads of its own? */
static int attach_another(unsigned int nr)
{
	int pid = fork(), status = 0;
	int fd, ret;

	if (!pid) {
		fd = device_open();
		ret = threads_start(nr - 1);
		if (fd >= 0 && !ret)
			ret = device_attach(fd, 0, 0);
		_exit(ret > 0 ? 0 : -ret);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
}

/* Sessions of a process with THREADS_MANY + 1 threads. */
static int attach_threads(void)
{
	int fd = device_open(), ret = 1, n;

	if (fd < 0)
		return fd;
	if (threads_start(THREADS_MANY))
		return -EAGAIN;
	for (n = 0; n < OF_TASK_OTHERS && ret > 0; n += ret > 0)
		ret = attach(fd, 0, 0);
	if (ret != -ENOSPC)
		return ret;
	if (attach_another(TASKS_LEFT + 1) != -ENOSPC)
		return -ERANGE;
	/* The refused sessions have left nothing: there is room for as many tasks as before. */
	return attach_another(TASKS_LEFT) ? -EIO : n;
}

TEST_F_TIMEOUT(quota, sessions_of_all_are_limited, 300)
{
	const struct rlimit files = { 2 * OF_ALL, 2 * OF_ALL };
	int pid[SLEEPERS], i;

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	for (i = 0; i < SLEEPERS; i++)
		pid[i] = sleeper_start();
	EXPECT_EQ(OF_ALL, attach_all(self->fd, OF_ALL, pid, SLEEPERS));
	EXPECT_EQ(-ENOSPC, attach(self->fd, 0, 0));
	EXPECT_EQ(0, close(last_session));
	EXPECT_LT(0, device_attach(self->fd, 0, 0));
	for (i = 0; i < SLEEPERS; i++)
		spin_stop(pid[i]);
}

/* A session that is refused for want of a descriptor is charged to nobody. */
static int attach_without_files(void)
{
	const struct rlimit none = { 0, 4096 }, files = { 1024, 4096 };
	int fd = device_open(), i;

	if (fd < 0)
		return fd;
	if (setrlimit(RLIMIT_NOFILE, &none))
		return -errno;
	for (i = 0; i < 2 * OF_USER; i++) {
		if (attach(fd, TOPDOWN_ATTACH_THREAD, 0) != -EMFILE)
			return -ERANGE;
	}
	return setrlimit(RLIMIT_NOFILE, &files) ? -errno : attach_as_user();
}

TEST_F_TIMEOUT(quota, a_failed_attach_takes_no_quota, 120)
{
	int pid, answer;

	pid = user_start(UID_FIRST, attach_without_files, &answer);
	ASSERT_LT(0, pid);
	EXPECT_EQ(OF_USER, answer);
	spin_stop(pid);
}

TEST_F_TIMEOUT(quota, sessions_of_a_user_are_limited, 120)
{
	int pid, answer, again;

	pid = user_start(UID_FIRST, attach_as_user, &answer);
	ASSERT_LT(0, pid);
	EXPECT_EQ(OF_USER, answer);
	/* Another process of the user has none left; another user and root do. */
	spin_stop(user_start(UID_FIRST, attach_as_user, &again));
	EXPECT_EQ(0, again);
	spin_stop(user_start(UID_FIRST + 1, attach_as_user, &again));
	EXPECT_EQ(OF_USER, again);
	EXPECT_LT(0, device_attach(self->fd, 0, pid));
	spin_stop(pid);
	spin_stop(user_start(UID_FIRST, attach_as_user, &again));
	EXPECT_EQ(OF_USER, again);
}

TEST_F(quota, a_view_keeps_its_session_counted)
{
	int answer, pid = user_start(UID_FIRST, view_as_user, &answer);

	ASSERT_LT(0, pid);
	spin_stop(pid);
	EXPECT_EQ(OF_USER, answer);
}

/* The user may see whole CPUs, and has no capability. */
TEST_F_TIMEOUT(quota, watches_of_a_user_are_limited, 120)
{
	const struct topdown_watch any = { .node = TOPDOWN_WATCH_ANY };
	int pid, answer, again;

	ASSERT_EQ(0, file_write(TRUST_NODE, O_WRONLY, "Y"));
	pid = user_start(UID_FIRST, watch_as_user, &answer);
	ASSERT_LT(0, pid);
	EXPECT_EQ(OF_USER, answer);
	spin_stop(user_start(UID_FIRST, watch_as_user, &again));
	EXPECT_EQ(0, again);
	spin_stop(user_start(UID_FIRST + 1, watch_as_user, &again));
	EXPECT_EQ(OF_USER, again);
	EXPECT_EQ(1, watch_add(self->fd, NULL, 0, &any));
	/* Watches take nothing from the quota of sessions. */
	spin_stop(user_start(UID_FIRST, attach_as_user, &again));
	EXPECT_EQ(OF_USER, again);
	spin_stop(pid);
	spin_stop(user_start(UID_FIRST, watch_as_user, &again));
	EXPECT_EQ(OF_USER, again);
	ASSERT_EQ(0, file_write(TRUST_NODE, O_WRONLY, "N"));
}

TEST_F_TIMEOUT(quota, sessions_of_all_users_are_limited, 600)
{
	int pid[OF_USERS / OF_USER], answer, late, i;

	for (i = 0; i < OF_USERS / OF_USER; i++) {
		pid[i] = user_start(UID_FIRST + i, attach_as_user, &answer);
		ASSERT_LT(0, pid[i]);
		EXPECT_EQ(OF_USER, answer);
	}
	late = user_start(UID_FIRST + i, attach_as_user, &answer);
	EXPECT_EQ(0, answer);
	EXPECT_LT(0, device_attach(self->fd, 0, pid[0]));
	spin_stop(late);
	while (i--)
		spin_stop(pid[i]);
}

TEST_F_TIMEOUT(quota, watches_of_all_users_are_limited, 300)
{
	int pid[OF_USERS / OF_USER], answer, late, i;

	ASSERT_EQ(0, file_write(TRUST_NODE, O_WRONLY, "Y"));
	for (i = 0; i < OF_USERS / OF_USER; i++) {
		pid[i] = user_start(UID_FIRST + i, watch_as_user, &answer);
		ASSERT_LT(0, pid[i]);
		EXPECT_EQ(OF_USER, answer);
	}
	late = user_start(UID_FIRST + i, watch_as_user, &answer);
	EXPECT_EQ(0, answer);
	EXPECT_LT(0, watch(self->fd));
	spin_stop(late);
	while (i--)
		spin_stop(pid[i]);
	ASSERT_EQ(0, file_write(TRUST_NODE, O_WRONLY, "N"));
}

/* By root, who has CAP_PERFMON, on as many descriptors as it takes. */
TEST_F_TIMEOUT(quota, watches_of_all_are_limited, 300)
{
	int fd[OF_ALL / WATCHES_OF_FD], i, n;

	for (i = 0; i < OF_ALL / WATCHES_OF_FD; i++) {
		fd[i] = device_open();
		ASSERT_LE(0, fd[i]);
		for (n = 0; n < WATCHES_OF_FD; n++)
			ASSERT_LT(0, watch(fd[i]));
	}
	EXPECT_EQ(-ENOSPC, watch(self->fd));
	close(fd[0]);
	EXPECT_LT(0, watch(self->fd));
	while (--i)
		close(fd[i]);
}

TEST_F_TIMEOUT(quota, followed_threads_are_limited, 600)
{
	int pid, answer;

	pid = user_start(UID_FIRST, attach_threads, &answer);
	ASSERT_LT(0, pid);
	EXPECT_EQ(OF_TASK_OTHERS - 1, answer);
	EXPECT_LT(0, device_attach(self->fd, 0, pid));
	spin_stop(pid);
}

static int attach_to_one(void)
{
	int fd = device_open(), own = 0;

	return fd < 0 ? fd : attach_all(fd, OF_USER, &own, 1);
}

/* A task that has as many as its user may add is still followed by root. */
TEST_F(quota, sessions_of_a_task_are_limited)
{
	int pid, answer;

	pid = user_start(UID_FIRST, attach_to_one, &answer);
	ASSERT_LT(0, pid);
	EXPECT_EQ(OF_TASK_OTHERS, answer);
	EXPECT_EQ(OF_TASK - OF_TASK_OTHERS, attach_all(self->fd, OF_TASK, &pid, 1));
	EXPECT_EQ(-ENOSPC, attach(self->fd, 0, pid));
	EXPECT_EQ(0, close(last_session));
	EXPECT_LT(0, device_attach(self->fd, 0, pid));
	spin_stop(pid);
}

int main(int argc, char **argv)
{
	int ret = emulator_need();

	return ret ? ret : test_harness_run(argc, argv);
}
