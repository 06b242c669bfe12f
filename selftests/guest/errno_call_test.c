// SPDX-License-Identifier: GPL-2.0
/*
 * The errors of open(), mmap(), read() and poll() of /dev/topdown, and those of a caller
 * without rights, for callers of 64 and of 32 bits.  errno_test.c has the commands.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "caller.h"
#include "guest.h"
#include "request.h"

#define LONG_MS		20000
#define EVENT_SIZE	sizeof(struct topdown_event)
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

FIXTURE(calls) {
	int fd;
	struct topdown_info info;
	struct stat node;
	char paranoid[16];
};

FIXTURE_VARIANT(calls) {
	unsigned int bits;
};

FIXTURE_VARIANT_ADD(calls, of_64_bits) { .bits = 64 };
FIXTURE_VARIANT_ADD(calls, of_32_bits) { .bits = 32 };

FIXTURE_SETUP(calls)
{
	int fd = open(PARANOID, O_RDONLY | O_CLOEXEC);

	ASSERT_LT(0, read(fd, self->paranoid, sizeof(self->paranoid) - 1));
	close(fd);
	ASSERT_EQ(0, stat(TD_DEVICE, &self->node));
	ASSERT_EQ(0, request_memory());
	self->fd = caller_open(variant->bits, TD_DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, device_info(self->fd, &self->info));
	request_session = request_attach(variant->bits, self->fd, 0);
	ASSERT_LT(0, request_session);
}

FIXTURE_TEARDOWN(calls)
{
	EXPECT_EQ(0, file_write(PARANOID, 0, self->paranoid));
	EXPECT_EQ(0, chmod(TD_DEVICE, self->node.st_mode & 07777));
	EXPECT_EQ(0, period_set("1000"));
	close(request_session);
	close(self->fd);
}

TEST_F(calls, mmap_refuses_what_is_not_the_map)
{
	const size_t size[] = { self->info.out_map_size, self->info.out_session_map_size };
	const int fd[] = { self->fd, request_session };
	const unsigned int bits = variant->bits;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		EXPECT_EQ(0, caller_map(bits, fd[i], size[i], PROT_READ, MAP_SHARED, 0));
		EXPECT_EQ(-EINVAL, caller_map(bits, fd[i], size[i] + PAGE, PROT_READ, MAP_SHARED,
					      0));
		EXPECT_EQ(-EINVAL, caller_map(bits, fd[i], size[i], PROT_READ, MAP_PRIVATE, 0));
		EXPECT_EQ(-EINVAL, caller_map(bits, fd[i], PAGE, PROT_READ, MAP_SHARED, PAGE));
	}
}

/* As /proc says of a map that is there. */
static bool map_is_not_executable(int fd, size_t size)
{
	void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[256], rights[8] = "";
	unsigned long from;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%*x %7s", &from, rights) == 2 && (void *)from == map)
			break;
	}
	if (maps)
		fclose(maps);
	munmap(map, size);
	return !strcmp(rights, "r--s");
}

TEST_F(calls, mmap_refuses_write_and_exec)
{
	const size_t size = self->info.out_map_size, of_session = self->info.out_session_map_size;
	const unsigned int bits = variant->bits;
	const int only = caller_open(bits, TD_DEVICE, O_RDONLY | O_CLOEXEC);
	const int to_write = caller_open(bits, TD_DEVICE, O_WRONLY | O_CLOEXEC);
	const int view = device_control(request_session, TOPDOWN_CONTROL_VIEW);
	const int fd = self->fd, session = request_session;

	EXPECT_EQ(0, caller_map(bits, only, size, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(-EACCES, caller_map(bits, only, size, PROT_READ | PROT_WRITE, MAP_SHARED, 0));
	EXPECT_EQ(-EACCES, caller_map(bits, to_write, size, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(0, caller_map(bits, view, of_session, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(-EACCES, caller_map(bits, view, of_session, PROT_READ | PROT_WRITE, MAP_SHARED,
				      0));
	EXPECT_EQ(-EPERM, caller_map(bits, fd, size, PROT_READ | PROT_WRITE, MAP_SHARED, 0));
	EXPECT_EQ(-EPERM, caller_map(bits, fd, size, PROT_READ | PROT_EXEC, MAP_SHARED, 0));
	EXPECT_EQ(-EPERM, caller_map(bits, session, of_session, PROT_READ | PROT_WRITE, MAP_SHARED,
				     0));
	EXPECT_EQ(-EPERM, caller_map(bits, session, of_session, PROT_READ | PROT_EXEC, MAP_SHARED,
				     0));
}

/* The kernel makes executable what such a program reads; the module does not. */
TEST_F(calls, an_old_program_can_mmap)
{
	const unsigned int bits = variant->bits;
	const int before = personality(READ_IMPLIES_EXEC);

	ASSERT_LE(0, before);
	EXPECT_EQ(0, caller_map(bits, self->fd, self->info.out_map_size, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(0, caller_map(bits, request_session, self->info.out_session_map_size, PROT_READ,
				MAP_SHARED, 0));
	EXPECT_TRUE(map_is_not_executable(self->fd, self->info.out_map_size));
	personality(before);
}

/* There is no watch, so there is nothing to read. */
TEST_F(calls, read_says_that_there_is_nothing)
{
	const unsigned int bits = variant->bits;
	void *to = (void *)ANSWERS;

	EXPECT_EQ(-EAGAIN, caller_preadv2(bits, self->fd, to, EVENT_SIZE, RWF_NOWAIT));
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_NONBLOCK));
	EXPECT_EQ(-EAGAIN, caller_read(bits, self->fd, to, EVENT_SIZE));
	EXPECT_EQ(-EAGAIN, caller_readv(bits, self->fd, to, EVENT_SIZE));
	EXPECT_EQ(-EAGAIN, caller_preadv2(bits, self->fd, to, EVENT_SIZE, 0));
	EXPECT_EQ(0, caller_poll(bits, self->fd, POLLIN, 0));
}

static void on_alarm(int signal)
{
	(void)signal;
}

/* Again and again, as the first may come before the call waits. */
TEST_F(calls, a_signal_interrupts_a_read)
{
	const struct itimerval often = { { 0, 20000 }, { 0, 20000 } }, never = { };
	struct sigaction action = { .sa_handler = on_alarm };
	const unsigned int bits = variant->bits;
	void *to = (void *)ANSWERS;

	ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &often, NULL));
	EXPECT_EQ(-EINTR, caller_read(bits, self->fd, to, EVENT_SIZE));
	EXPECT_EQ(-EINTR, caller_readv(bits, self->fd, to, EVENT_SIZE));
	EXPECT_EQ(-EINTR, caller_preadv2(bits, self->fd, to, EVENT_SIZE, 0));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &never, NULL));
}

TEST_F(calls, read_refuses_too_little_room)
{
	const unsigned int bits = variant->bits;
	void *to = (void *)ANSWERS;

	EXPECT_EQ(-EINVAL, caller_read(bits, self->fd, to, EVENT_SIZE - 1));
	EXPECT_EQ(-EINVAL, caller_readv(bits, self->fd, to, EVENT_SIZE - 1));
	EXPECT_EQ(-EINVAL, caller_preadv2(bits, self->fd, to, EVENT_SIZE - 1, RWF_NOWAIT));
	EXPECT_EQ(-EINVAL, caller_read(bits, self->fd, to, 0));
}

/* Is there a watch event of CPU 0, which the caller keeps busy? */
static bool event_comes(unsigned int bits, int fd)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + LONG_MS * 1000000ULL;
	long events;

	do {
		events = caller_poll(bits, fd, POLLIN, 0);
	} while (!events && clock_ns(CLOCK_MONOTONIC) < end);
	return events == POLLIN;
}

TEST_F(calls, read_refuses_a_bad_address)
{
	const struct field any = FIELD(watch, node, TOPDOWN_WATCH_ANY);
	const unsigned int bits = variant->bits;
	void *to = (void *)NOWHERE;

	ASSERT_EQ(0, cpu_pin(0));
	ASSERT_EQ(0, period_set("10"));
	request_make(TOPDOWN_CMD_WATCH);
	request_set(&any);
	ASSERT_EQ(0, request_try(bits, self->fd, TOPDOWN_CMD_WATCH));
	ASSERT_TRUE(event_comes(bits, self->fd));
	EXPECT_EQ(-EFAULT, caller_read(bits, self->fd, to, EVENT_SIZE));
	EXPECT_EQ(-EFAULT, caller_readv(bits, self->fd, to, EVENT_SIZE));
	EXPECT_EQ(-EFAULT, caller_preadv2(bits, self->fd, to, EVENT_SIZE, RWF_NOWAIT));
	/* It is there still. */
	EXPECT_EQ(EVENT_SIZE, caller_read(bits, self->fd, (void *)ANSWERS, EVENT_SIZE));
}

/* A session without a task has ended, and one without a descriptor; both stay so. */
TEST_F(calls, poll_tells_the_end_of_a_session)
{
	const unsigned int bits = variant->bits;
	int pid = fork(), session, view;

	if (!pid)
		for (;;)
			pause();
	session = request_attach(bits, self->fd, pid);
	ASSERT_LT(0, session);
	EXPECT_EQ(0, caller_poll(bits, session, POLLIN, 0));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	EXPECT_EQ(POLLHUP, caller_poll(bits, session, POLLIN, LONG_MS));
	EXPECT_EQ(POLLHUP, caller_poll(bits, session, POLLIN, 0));
	view = device_control(request_session, TOPDOWN_CONTROL_VIEW);
	EXPECT_EQ(0, caller_poll(bits, view, POLLIN, 0));
	EXPECT_EQ(0, close(request_session));
	EXPECT_EQ(POLLHUP, caller_poll(bits, view, POLLIN, 0));
}

/* With a descriptor of its own. */
static bool figures_refused(unsigned int bits, int unused)
{
	static const struct row rows[] = {
		{ TOPDOWN_CMD_READ }, { TOPDOWN_CMD_WATCH },
		{ TOPDOWN_CMD_READ, { FIELD(read, flags, TOPDOWN_READ_FRESH) } },
	};
	int fd = caller_open(bits, TD_DEVICE, O_RDWR | O_CLOEXEC);
	void *to = (void *)ANSWERS;
	struct topdown_info info;
	bool ok;

	(void)unused;
	if (fd < 0 || device_info(fd, &info))
		return false;
	ok = ROWS_FAIL(bits, fd, rows, EACCES);
	ok &= fails("mmap()", caller_map(bits, fd, PAGE, PROT_READ, MAP_SHARED, 0), EACCES);
	ok &= fails("read()", caller_read(bits, fd, to, EVENT_SIZE), EACCES);
	ok &= fails("readv()", caller_readv(bits, fd, to, EVENT_SIZE), EACCES);
	ok &= fails("preadv2()", caller_preadv2(bits, fd, to, EVENT_SIZE, RWF_NOWAIT), EACCES);
	ok &= caller_poll(bits, fd, POLLIN, 0) == POLLERR;
	/* A session needs no right but its descriptor. */
	fd = request_attach(bits, fd, 0);
	ok &= fd > 0 && caller_poll(bits, fd, POLLIN, 0) == 0;
	ok &= !caller_map(bits, fd, PAGE, PROT_READ, MAP_SHARED, 0);
	return ok;
}

TEST_F(calls, figures_need_rights)
{
	ASSERT_EQ(0, file_write(PARANOID, 0, "2"));
	ASSERT_EQ(0, chmod(TD_DEVICE, 0666));
	EXPECT_EQ(0, caller_nobody(variant->bits, -1, figures_refused));
}

static bool parent_refused(unsigned int bits, int fd)
{
	struct row rows[2] = {
		{ TOPDOWN_CMD_ATTACH, { FIELD(attach, pid, 0) } },
		{ TOPDOWN_CMD_ATTACH, { FIELD(attach, pid, 0),
					FIELD(attach, flags, TOPDOWN_ATTACH_THREAD) } },
	};

	rows[0].field[0].value = getppid();
	rows[1].field[0].value = getppid();
	return ROWS_FAIL(bits, fd, rows, EACCES);
}

/* The descriptor is root's, and perf lets everybody count CPUs. */
TEST_F(calls, attach_to_others_needs_rights)
{
	ASSERT_EQ(0, file_write(PARANOID, 0, "-1"));
	EXPECT_EQ(0, caller_nobody(variant->bits, self->fd, parent_refused));
}

static bool open_refused(unsigned int bits, int unused)
{
	(void)unused;
	return fails("open()", caller_open(bits, TD_DEVICE, O_RDWR), EACCES) &
	       fails("open() to read", caller_open(bits, TD_DEVICE, O_RDONLY), EACCES);
}

TEST_F(calls, open_needs_rights)
{
	ASSERT_EQ(0, chmod(TD_DEVICE, 0660));
	EXPECT_EQ(0, caller_nobody(variant->bits, -1, open_refused));
}

int main(int argc, char **argv)
{
	int ret = module_need();

	return ret ? ret : test_harness_run(argc, argv);
}
