// SPDX-License-Identifier: GPL-2.0
/*
 * A caller's page that never comes: userfaultfd keeps each call that writes there.  Other holders
 * of the descriptor go on, and the caller itself can be killed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "guest.h"
#include "latency.h"
#include "owner.h"
#include "perf.h"

#define RECORDS		64
#define AREA_SIZE	(1 << 20)
/* Others answer within this time, though the machine is slow. */
#define SOON_MS		3000

FIXTURE(stuck) {
	int fd;
	int faults;
	char *area;
};

static int faults_of(char *area)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = {
		.range = { .start = (uintptr_t)area, .len = AREA_SIZE },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range))
		return -1;
	return fd;
}

FIXTURE_SETUP(stuck)
{
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	self->area = mmap(NULL, AREA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			  -1, 0);
	ASSERT_NE(MAP_FAILED, self->area);
	self->faults = faults_of(self->area);
	ASSERT_LE(0, self->faults);
}

FIXTURE_TEARDOWN(stuck)
{
	close(self->faults);
	close(self->fd);
}

typedef int (*call_fn)(int fd, void *to);

static int call_read(int fd, void *to)
{
	__u32 nr = RECORDS;

	return device_read(fd, TOPDOWN_READ_FRESH | TOPDOWN_READ_TOTAL, NULL, 0, to, &nr);
}

static int call_latencies(int fd, void *to)
{
	struct topdown_latency_read read = {
		.size		= sizeof(read),
		.records	= (uintptr_t)to,
		.nr_records	= RECORDS,
		.record_size	= sizeof(struct topdown_latency_record),
	};

	return ioctl(fd, TOPDOWN_LATENCY_READ, &read) ? -errno : 0;
}

static int call_owners(int fd, void *to)
{
	struct topdown_owners_read read = {
		.size		= sizeof(read),
		.records	= (uintptr_t)to,
		.nr_records	= RECORDS,
		.record_size	= sizeof(struct topdown_owner),
	};

	return ioctl(fd, TOPDOWN_OWNERS_READ, &read) ? -errno : 0;
}

/* perf has the lock of the CPU's events while it writes. */
static int call_perf(int fd, void *to)
{
	return read(fd, to, sizeof(__u64)) == sizeof(__u64) ? 0 : -errno;
}

static int call_open(int cpu, void *to)
{
	(void)to;
	cpu_pin(cpu);
	return device_open() < 0 ? -errno : 0;
}

static int call_open_misc(int unused, void *to)
{
	(void)unused;
	(void)to;
	return open("/dev/cpu_dma_latency", O_RDWR) < 0 ? -errno : 0;
}

struct child {
	call_fn call;
	int fd;
	void *to;
	char stack[65536];
};

static int child_run(void *data)
{
	const struct child *child = data;

	return -child->call(child->fd, child->to);
}

/* A process in the same memory, because another's pages are not behind userfaultfd. */
static int child_start(call_fn call, int fd, void *to)
{
	struct child *child = malloc(sizeof(*child));

	if (!child)
		return -1;
	child->call = call;
	child->fd = fd;
	child->to = to;
	return clone(child_run, child->stack + sizeof(child->stack), CLONE_VM | SIGCHLD, child);
}

/* The status of a child that ends soon; -1 if it does not. */
static int child_end(int pid)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + SOON_MS * 1000000ULL;
	int status;

	while (clock_ns(CLOCK_MONOTONIC) < until) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		sleep_ms(5);
	}
	return -1;
}

/* One holder waits for its page; another, with a page, does not wait, and the first is killed. */
static bool others_go_on(int fd, int faults, void *area, call_fn call)
{
	struct pollfd fault = { .fd = faults, .events = POLLIN };
	static char page[RECORDS * 4096];
	int one, other, status;
	struct uffd_msg message;

	one = child_start(call, fd, area);
	if (one < 0 || poll(&fault, 1, SOON_MS) != 1 ||
	    read(faults, &message, sizeof(message)) != sizeof(message)) {
		printf("# the call touched no page\n");
		return false;
	}
	other = child_start(call, fd, page);
	status = child_end(other);
	if (status)
		printf("# another holder: status %d\n", status);
	kill(one, SIGKILL);
	if (child_end(one) < 0) {
		printf("# the caller could not be killed\n");
		return false;
	}
	return !status;
}

TEST_F(stuck, a_read_holds_up_nobody)
{
	EXPECT_TRUE(others_go_on(self->fd, self->faults, self->area, call_read));
}

TEST_F(stuck, owners_hold_up_nobody)
{
	int owners = owners_open(self->fd, TOPDOWN_OWNERS_PROCESSES, 0);

	ASSERT_LE(0, owners);
	EXPECT_TRUE(others_go_on(owners, self->faults, self->area, call_owners));
	close(owners);
}

/* An open() of the device waits for perf, and one of another device does not wait for that. */
TEST_F(stuck, opens_of_others_do_not_wait)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_CPU_CLOCK,
	};
	struct pollfd fault = { .fd = self->faults, .events = POLLIN };
	int cpu = 1, event = perf_open(&attr, -1, cpu, -1, 0), reader, opener, other;

	ASSERT_LE(0, event);
	reader = child_start(call_perf, event, self->area);
	ASSERT_LT(0, reader);
	ASSERT_EQ(1, poll(&fault, 1, SOON_MS));
	opener = child_start(call_open, cpu, NULL);
	ASSERT_LT(0, opener);
	sleep_ms(200);
	/* It waits, so this is the case that it has to be. */
	EXPECT_EQ(0, waitpid(opener, NULL, WNOHANG));
	other = child_start(call_open_misc, 0, NULL);
	EXPECT_EQ(0, child_end(other));
	kill(reader, SIGKILL);
	EXPECT_LE(0, child_end(reader));
	EXPECT_EQ(0, child_end(opener));
	close(event);
}

TEST_F(stuck, latencies_hold_up_nobody)
{
	int session;

	if (!latency_granted())
		SKIP(return, "this machine samples no latency");
	session = latency_start(EVENT(SPLIT_LOADS));
	ASSERT_LT(0, session);
	EXPECT_TRUE(others_go_on(session, self->faults, self->area, call_latencies));
	close(session);
}

/* They belong to the tasks of a session. */
TEST_F(stuck, latencies_of_tasks_hold_up_nobody)
{
	int session;

	if (!latency_granted())
		SKIP(return, "this machine samples no latency");
	session = latency_start_tasks(device_attach(self->fd, 0, 0), EVENT(SPLIT_LOADS));
	ASSERT_LT(0, session);
	EXPECT_TRUE(others_go_on(session, self->faults, self->area, call_latencies));
	close(session);
}

int main(int argc, char **argv)
{
	int ret = module_need_latency();

	return ret ? ret : test_harness_run(argc, argv);
}
