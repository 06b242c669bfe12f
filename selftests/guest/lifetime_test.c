// SPDX-License-Identifier: GPL-2.0
/*
 * Descriptors that are closed, inherited and killed, a module that is in use or gone,
 * and very many readers at once while the period changes and a CPU goes and
 * comes back.
 *
 * TOPDOWN_READERS     how many (1000)
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "guest.h"
#include "session.h"

#define PROCESSES	10

FIXTURE(lifetime) {
	struct topdown_record record;
};

FIXTURE_SETUP(lifetime)
{
	if (!module_loaded())
		ASSERT_EQ(0, module_load(""));
}

FIXTURE_TEARDOWN(lifetime)
{
	period_set("1000");
}

/* Also right after the last descriptor was closed by a process that died. */
static int unload_soon(void)
{
	int i, ret = -EBUSY;

	for (i = 0; i < 50 && ret; i++) {
		ret = module_unload();
		if (ret)
			sleep_ms(20);
	}
	return ret;
}

TEST_F(lifetime, a_module_in_use_stays)
{
	int fd = device_open();

	ASSERT_LE(0, fd);
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	EXPECT_EQ(0, device_read_cpu(fd, TOPDOWN_READ_FRESH, 0, &self->record));
	close(fd);
	EXPECT_EQ(0, unload_soon());
	EXPECT_EQ(-ENOENT, device_open());
	EXPECT_EQ(0, module_load(""));
}

TEST_F(lifetime, a_map_keeps_the_module)
{
	int fd = device_open();
	struct topdown_info info;
	void *map;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, device_info(fd, &info));
	map = mmap(NULL, info.out_map_size, PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, map);
	close(fd);
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	EXPECT_EQ(TOPDOWN_MAP_MAGIC, *(volatile __u64 *)map);
	munmap(map, info.out_map_size);
	EXPECT_EQ(0, unload_soon());
	EXPECT_EQ(0, module_load(""));
}

/* Each of them alone: a session, a view of one that has ended, and a map. */
TEST_F(lifetime, a_session_keeps_the_module)
{
	int fd = device_open(), session, view;
	void *map;

	ASSERT_LE(0, fd);
	session = device_attach(fd, 0, 0);
	ASSERT_LT(0, session);
	close(fd);
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	view = device_control(session, TOPDOWN_CONTROL_VIEW);
	ASSERT_LT(0, view);
	close(session);
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, view, 0);
	ASSERT_NE(MAP_FAILED, map);
	close(view);
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	EXPECT_EQ(TOPDOWN_SESSION_MAP_MAGIC, *(volatile __u64 *)map);
	munmap(map, 4096);
	EXPECT_EQ(0, unload_soon());
	EXPECT_EQ(0, module_load(""));
}

TEST_F(lifetime, an_inherited_descriptor_works)
{
	int fd = device_open(), go[2], pid, status;
	char byte;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, pipe(go));
	pid = fork();
	if (!pid) {
		if (read(go[0], &byte, 1) != 1)
			_exit(2);
		_exit(device_read_cpu(fd, TOPDOWN_READ_FRESH, 0, &self->record) ? 1 : 0);
	}
	close(fd);
	EXPECT_EQ(-EBADF, device_read_cpu(fd, 0, 0, &self->record));
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	ASSERT_EQ(1, write(go[1], "", 1));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, unload_soon());
	EXPECT_EQ(0, module_load(""));
}

/*
 * Opened and closed again and again, with and without a reading.  On PREEMPT_RT an open() waits for
 * a grace period, since perf frees an event in it.
 */
TEST_F_TIMEOUT(lifetime, many_open_and_close, 120)
{
	unsigned int i;
	int fd;

	for (i = 0; i < 2000; i++) {
		fd = device_open();
		ASSERT_LE(0, fd);
		if (i % 7 == 0)
			ASSERT_EQ(0, device_read_cpu(fd, TOPDOWN_READ_FRESH, 0, &self->record));
		close(fd);
	}
	EXPECT_EQ(0, unload_soon());
	EXPECT_EQ(0, module_load(""));
}

static void read_for_ever(void)
{
	static struct topdown_record records[TD_CPUS_MAX + 1];
	int fd = device_open();
	__u32 nr;

	for (;;) {
		nr = TD_CPUS_MAX + 1;
		if (fd < 0 ||
		    device_read(fd, TOPDOWN_READ_FRESH | TOPDOWN_READ_TOTAL, NULL, 0, records, &nr))
			_exit(1);
	}
}

/* Killed at any moment they leave nothing that keeps the module. */
TEST_F_TIMEOUT(lifetime, killed_readers_leave_nothing, 120)
{
	unsigned int i, rounds = getenv("TOPDOWN_FULL") ? 400 : 60;
	int pid[4], status, j;

	for (i = 0; i < rounds; i++) {
		for (j = 0; j < 4; j++) {
			pid[j] = fork();
			ASSERT_LE(0, pid[j]);
			if (!pid[j])
				read_for_ever();
		}
		usleep(i * 791 % 20000);
		for (j = 0; j < 4; j++)
			kill(pid[j], SIGKILL);
		for (j = 0; j < 4; j++) {
			ASSERT_EQ(pid[j], waitpid(pid[j], &status, 0));
			EXPECT_TRUE(WIFSIGNALED(status));
		}
	}
	EXPECT_EQ(0, unload_soon());
	EXPECT_EQ(0, module_load(""));
}

#define SLEEPERS	6

/*
 * Tasks that were followed, and that sleep from before the module is taken out until
 * they are killed: what perf keeps of a task until its exit must not refer to us.
 */
TEST_F(lifetime, sleepers_outlive_it)
{
	static const __u32 flags[] = { TOPDOWN_ATTACH_THREAD, 0, TOPDOWN_ATTACH_CHILDREN };
	int pid[SLEEPERS], session[SLEEPERS], fd, status, i;

	for (i = 0; i < SLEEPERS; i++) {
		pid[i] = sleeper_start();
		ASSERT_LT(0, pid[i]);
	}
	/* Now they sleep, and nothing wakes them up. */
	sleep_ms(200);
	fd = device_open();
	ASSERT_LE(0, fd);
	for (i = 0; i < SLEEPERS; i++) {
		session[i] = device_attach(fd, flags[i % 3], pid[i]);
		ASSERT_LT(0, session[i]);
	}
	for (i = 0; i < SLEEPERS; i++)
		close(session[i]);
	close(fd);
	ASSERT_EQ(0, unload_soon());
	/* Half of them with another module in its place. */
	for (i = 0; i < SLEEPERS; i++) {
		if (i == SLEEPERS / 2)
			ASSERT_EQ(0, module_load(""));
		kill(pid[i], SIGKILL);
		ASSERT_EQ(pid[i], waitpid(pid[i], &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status));
	}
}

static volatile bool readers_end;

/* One reader: what it sees grows, and is never more than 100%. */
static void *reader_run(void *unused)
{
	struct topdown_record then, now;
	unsigned long bad = 0;
	unsigned int n = 0;
	int fd = device_open();

	if (fd < 0 || device_read_cpu(fd, 0, 0, &then))
		return (void *)1;
	while (!readers_end) {
		if (device_read_cpu(fd, n++ % 16 ? 0 : TOPDOWN_READ_FRESH, 0, &now))
			bad++;
		bad += now.total.slots < then.total.slots || now.windows < then.windows ||
		       now.total.running_ns > now.total.enabled_ns ||
		       (now.total.ratio[0] != TOPDOWN_RATIO_NONE &&
			now.total.ratio[0] > TOPDOWN_RATIO_ONE);
		then = now;
		sleep_ms(100);
	}
	close(fd);
	return unused ? unused : (void *)bad;
}

static void readers_stop(int signal)
{
	readers_end = true;
}

/* A process of @n threads; its exit status says whether all went well. */
static void readers_process(unsigned int n)
{
	pthread_t thread[1000];
	pthread_attr_t attr;
	unsigned int i;
	void *bad, *any = NULL;

	signal(SIGTERM, readers_stop);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (i = 0; i < n; i++) {
		if (pthread_create(&thread[i], &attr, reader_run, NULL))
			_exit(2);
	}
	for (i = 0; i < n; i++) {
		pthread_join(thread[i], &bad);
		any = bad ? bad : any;
	}
	_exit(any ? 1 : 0);
}

TEST_F_TIMEOUT(lifetime, a_thousand_readers_are_served, 240)
{
	static const char * const period[] = { "10", "1000", "37", "60000" };
	unsigned int readers = env_number("TOPDOWN_READERS", 1000);
	unsigned int cpu[TD_CPUS_MAX], n = cpus_online(cpu), i;
	struct rlimit files = { 8192, 8192 };
	int pid[PROCESSES], status;

	setrlimit(RLIMIT_NOFILE, &files);
	fair_server_off();
	for (i = 0; i < PROCESSES; i++) {
		pid[i] = fork();
		ASSERT_LE(0, pid[i]);
		if (!pid[i])
			readers_process(readers / PROCESSES);
	}
	sleep_ms(1000);
	for (i = 0; i < 12; i++) {
		ASSERT_EQ(0, period_set(period[i % 4]));
		if (n > 1 && i % 3 == 0)
			cpu_set_online(cpu[n - 1], false);
		sleep_ms(50);
		if (n > 1 && i % 3 == 0)
			cpu_set_online(cpu[n - 1], true);
	}
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	for (i = 0; i < PROCESSES; i++)
		kill(pid[i], SIGTERM);
	for (i = 0; i < PROCESSES; i++) {
		ASSERT_EQ(pid[i], waitpid(pid[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	EXPECT_EQ(0, unload_soon());
	EXPECT_EQ(0, module_load(""));
}

int main(int argc, char **argv)
{
	int ret = module_need();

	return ret ? ret : test_harness_run(argc, argv);
}
