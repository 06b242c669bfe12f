// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of sessions.  perf charges the events of a user's sessions to no memory cgroup, and
 * tasks inherit them.  So their number is limited, and what the user's cgroup does not bound the
 * limit does.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "caller.h"
#include "guest.h"
#include "session.h"

/* As uapi/linux/topdown.h has them. */
#define EVENTS_OF_USER	16384
#define OF_TASK_OTHERS	48
#define OF_USER		64

#define USER		70000
#define CGROUPS		"/sys/fs/cgroup"
#define CGROUP		CGROUPS "/topdown-memory"

/* An event, and its part of the contexts of the task, is not larger. */
#define EVENT_BYTES	2600

FIXTURE(memory) {
	int fd;
	struct stat node;
	struct shared *shared;
};

/* The process of the user says this. */
struct shared {
	int ret;
	unsigned int threads;
	unsigned int over;
	struct topdown_session seen[OF_TASK_OTHERS];
	volatile int ready;
	volatile int go;
};

FIXTURE_SETUP(memory)
{
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, stat(TD_DEVICE, &self->node));
	ASSERT_EQ(0, chmod(TD_DEVICE, 0666));
	self->shared = mmap(NULL, sizeof(*self->shared), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->shared);
}

FIXTURE_TEARDOWN(memory)
{
	chmod(TD_DEVICE, self->node.st_mode & 07777);
	close(self->fd);
}

static void *thread_sleep(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static unsigned int threads_start(unsigned int nr)
{
	pthread_attr_t attr;
	pthread_t thread;
	unsigned int n = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 16384);
	pthread_attr_setguardsize(&attr, 0);
	while (n < nr && !pthread_create(&thread, &attr, thread_sleep, NULL))
		n++;
	return n;
}

/* In kilobytes. */
static long meminfo(const char *name)
{
	FILE *file = fopen("/proc/meminfo", "re");
	char line[128];
	long kb = -1;

	while (file && kb < 0 && fgets(line, sizeof(line), file)) {
		if (!strncmp(line, name, strlen(name)))
			kb = atol(line + strlen(name));
	}
	if (file)
		fclose(file);
	return kb;
}

/* A user with so many sessions of its process, which then makes threads. */
static void user_run(struct shared *shared, unsigned int sessions, unsigned int threads)
{
	int session[OF_TASK_OTHERS], fd;
	unsigned int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (setresgid(USER, USER, USER) || setresuid(USER, USER, USER))
		_exit(1);
	fd = device_open();
	if (fd < 0)
		_exit(2);
	for (i = 0; i < sessions; i++) {
		session[i] = device_attach(fd, 0, 0);
		if (session[i] < 0)
			_exit(3);
	}
	shared->ready = 1;
	while (!shared->go)
		sleep_ms(1);
	shared->threads = threads_start(threads);
	/* The work that releases the events comes a moment later. */
	sleep_ms(200);
	for (i = 0; i < sessions; i++) {
		if (device_session(session[i], 0, &shared->seen[i]))
			_exit(4);
		if (shared->seen[i].out_state != TOPDOWN_SESSION_STATE_ENDED)
			continue;
		shared->over++;
		shared->ret = poll_for(session[i], POLLIN, 0);
		if (caller_poll(32, session[i], POLLIN, 0) != shared->ret)
			shared->ret = -EPROTO;
	}
	shared->ready = 2;
	for (;;)
		pause();
}

static int user_start(struct shared *shared, unsigned int sessions, unsigned int threads)
{
	int pid = fork();

	if (!pid)
		user_run(shared, sessions, threads);
	return pid;
}

static bool user_wait(const struct shared *shared, int pid, int ready)
{
	int status;

	while (shared->ready != ready) {
		if (waitpid(pid, &status, WNOHANG)) {
			printf("# the user's process ended with status %#x\n", status);
			return false;
		}
		sleep_ms(10);
	}
	return true;
}

/* How many sessions have to end, so that the events of the others may stay? */
static unsigned int too_many(unsigned int sessions, unsigned int tasks)
{
	unsigned int left = sessions;

	while (left * tasks > EVENTS_OF_USER)
		left--;
	return sessions - left;
}

/*
 * The user's sessions take more events than there may be, and as many of them end as it takes.
 * The events of one that ends stay until a work has run, which does not end the others.
 */
TEST_F_TIMEOUT(memory, too_many_tasks_end_it, 300)
{
	unsigned int threads = EVENTS_OF_USER / OF_TASK_OTHERS + 10, i, left = 0;
	struct shared *shared = self->shared;
	long before, after;
	int pid;

	pid = user_start(shared, OF_TASK_OTHERS, threads);
	ASSERT_LT(0, pid);
	ASSERT_TRUE(user_wait(shared, pid, 1));
	before = meminfo("MemFree:");
	shared->go = 1;
	ASSERT_TRUE(user_wait(shared, pid, 2));
	after = meminfo("MemFree:");
	/* fork() and clone() never fail for it. */
	EXPECT_EQ(threads, shared->threads);
	EXPECT_EQ(POLLHUP, shared->ret);
	EXPECT_LT(0, shared->over);
	EXPECT_EQ(too_many(OF_TASK_OTHERS, threads + 1), shared->over);
	for (i = 0; i < OF_TASK_OTHERS; i++) {
		if (shared->seen[i].out_state == TOPDOWN_SESSION_STATE_ENDED) {
			EXPECT_EQ(0, shared->seen[i].out_tasks);
			continue;
		}
		EXPECT_EQ(TOPDOWN_SESSION_STATE_RUNNING, shared->seen[i].out_state);
		EXPECT_EQ(threads + 1, shared->seen[i].out_tasks);
		left += shared->seen[i].out_tasks;
	}
	EXPECT_GE(EVENTS_OF_USER, left);
	printf("# %u sessions ended, %u events left, %ld kB less memory\n", shared->over, left,
	       before - after);
	/* Sessions that ended give room to others of the user. */
	spin_stop(pid);
}

static int cgroup_write(const char *file, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), CGROUP "/%s", file);
	return file_write(path, 0, text);
}

static long cgroup_kb(const char *file)
{
	char path[256], text[64] = "";
	FILE *in;

	snprintf(path, sizeof(path), CGROUP "/%s", file);
	in = fopen(path, "re");
	if (!in)
		return -1;
	if (!fgets(text, sizeof(text), in))
		text[0] = '\0';
	fclose(in);
	return atol(text) / 1024;
}

/* Where the memory of a user with a limit goes, and that it is bounded. */
TEST_F_TIMEOUT(memory, memory_outside_of_a_cgroup_is_bounded, 600)
{
	static const unsigned int number[] = { 100, 1000, 10000 };
	long free_before, free_after, charged, outside;
	struct shared *shared = self->shared;
	char text[32];
	unsigned int i;
	int pid;

	mkdir(CGROUPS, 0755);
	mount("none", CGROUPS, "cgroup2", 0, NULL);
	if (file_write(CGROUPS "/cgroup.subtree_control", 0, "+memory"))
		SKIP(return, "no memory cgroups");
	for (i = 0; i < sizeof(number) / sizeof(*number); i++) {
		ASSERT_EQ(0, mkdir(CGROUP, 0755));
		memset(shared, 0, sizeof(*shared));
		/* The events are the limit, not the threads. */
		pid = user_start(shared, OF_TASK_OTHERS, number[i] / OF_TASK_OTHERS);
		ASSERT_LT(0, pid);
		ASSERT_TRUE(user_wait(shared, pid, 1));
		snprintf(text, sizeof(text), "%d", pid);
		ASSERT_EQ(0, cgroup_write("cgroup.procs", text));
		ASSERT_EQ(0, cgroup_write("memory.max", "100M"));
		free_before = meminfo("MemFree:");
		shared->go = 1;
		ASSERT_TRUE(user_wait(shared, pid, 2));
		free_after = meminfo("MemFree:");
		charged = cgroup_kb("memory.current");
		outside = free_before - free_after - charged;
		printf("# %u tasks with a session: %ld kB less memory, %ld kB charged, %ld kB not\n",
		       shared->threads * OF_TASK_OTHERS, free_before - free_after, charged,
		       outside);
		EXPECT_GT(number[i] * (long)EVENT_BYTES / 1024 + 4096, outside);
		spin_stop(pid);
		while (rmdir(CGROUP) && errno == EBUSY)
			sleep_ms(10);
	}
}

int main(int argc, char **argv)
{
	int ret = emulator_need();

	return ret ? ret : test_harness_run(argc, argv);
}
