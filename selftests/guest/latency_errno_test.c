// SPDX-License-Identifier: GPL-2.0
/*
 * The errors of latency sessions where the machine has them, for callers of 64 and of 32
 * bits.  errno_test.c has those of machines without.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "caller.h"
#include "guest.h"
#include "request.h"

#define EVENT		(1ULL << TOPDOWN_LATENCY_MEM_INST_RETIRED_SPLIT_LOADS)
#define UNKNOWN_EVENT	(1ULL << 63)
#define SESSIONS_OF_FD	16
#define TRUST_NODE	"/sys/module/topdown/parameters/trust_device"
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

/* A latency session of CPU 0, or of other CPUs; of the tasks of a session. */
#define CPUS(address, words)							\
	{ TOPDOWN_CMD_LATENCY, { FIELD(latency, events, EVENT), FIELD(latency, cpus, address), \
				 FIELD(latency, cpus_words, words) } }
#define TASKS(fd)								\
	{ TOPDOWN_CMD_LATENCY, { FIELD(latency, events, EVENT),			\
				 FIELD(latency, flags, TOPDOWN_LATENCY_SESSION),	\
				 FIELD(latency, session, fd) } }
#define LATENCIES(field, value)	{ TOPDOWN_CMD_LATENCIES, { FIELD(latencies, field, value) } }

static const struct row of_cpu[] = { CPUS(CPU_ONE, 1) };

FIXTURE(latencies) {
	int fd;
};

FIXTURE_VARIANT(latencies) {
	unsigned int bits;
};

FIXTURE_VARIANT_ADD(latencies, of_64_bits) { .bits = 64 };
FIXTURE_VARIANT_ADD(latencies, of_32_bits) { .bits = 32 };

FIXTURE_SETUP(latencies)
{
	ASSERT_EQ(0, request_memory());
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	request_make(TOPDOWN_CMD_LATENCY);
	ASSERT_EQ(0, request_try(variant->bits, self->fd, TOPDOWN_CMD_LATENCY));
	if (((struct topdown_latency *)ARGUMENT)->out_refusal)
		SKIP(return, "this machine samples no latency");
	/* Latency session 1. */
	ASSERT_TRUE(ROWS_FAIL(variant->bits, self->fd, of_cpu, 0));
	ASSERT_EQ(1, ((struct topdown_latency *)ARGUMENT)->out_latency);
}

FIXTURE_TEARDOWN(latencies)
{
	close(self->fd);
}

TEST_F(latencies, no_error)
{
	request_make(TOPDOWN_CMD_LATENCIES);
	EXPECT_EQ(0, request_try(variant->bits, self->fd, TOPDOWN_CMD_LATENCIES));
	EXPECT_EQ(1, ((struct topdown_latencies *)ARGUMENT)->nr_records);
}

TEST_F(latencies, cpu_sets)
{
	static const struct row wrong[] = {
		CPUS(CPU_NONE, 1), CPUS(CPU_ONE, 0), CPUS(CPU_IMPOSSIBLE, TOPDOWN_CPUS_WORDS_MAX),
	};
	static const struct row many[] = { CPUS(CPU_ONE, TOPDOWN_CPUS_WORDS_MAX + 1) };

	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, wrong, EINVAL));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, many, E2BIG));
}

TEST_F(latencies, unknown_event)
{
	static const struct row rows[] = {
		{ TOPDOWN_CMD_LATENCY, { FIELD(latency, events, UNKNOWN_EVENT) } },
		{ TOPDOWN_CMD_LATENCY, { FIELD(latency, events, EVENT | UNKNOWN_EVENT) } },
		/* Lion Cove has it, and Redwood Cove has not. */
		{ TOPDOWN_CMD_LATENCY,
		  { FIELD(latency, events, 1ULL << TOPDOWN_LATENCY_MEM_LOAD_RETIRED_L1_HIT_L1) } },
	};

	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, rows, EOPNOTSUPP));
}

/* The module measures CPU 1 only. */
TEST_F(latencies, no_cpu)
{
	static const struct row rows[] = { CPUS(CPU_ONE, 1) };

	ASSERT_EQ(0, close(self->fd));
	ASSERT_EQ(0, module_unload());
	EXPECT_EQ(0, module_load("cpus=1"));
	self->fd = device_open();
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, rows, EOPNOTSUPP));
	ASSERT_EQ(0, close(self->fd));
	EXPECT_EQ(0, module_unload());
	EXPECT_EQ(0, module_load(""));
	self->fd = device_open();
}

TEST_F(latencies, bad_address)
{
	static const struct row rows[] = {
		LATENCIES(records, NOWHERE), LATENCIES(records, READONLY), LATENCIES(records, 0),
		CPUS(NOWHERE, 1), CPUS(0, 1),
	};

	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, rows, EFAULT));
}

/* Nobody would know the number of the session, so there is none. */
TEST_F(latencies, argument_without_answer)
{
	request_make(TOPDOWN_CMD_LATENCIES);
	ASSERT_EQ(0, mprotect((void *)ARGUMENT, PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, request_try(variant->bits, self->fd, TOPDOWN_CMD_LATENCIES));
	ASSERT_EQ(0, mprotect((void *)ARGUMENT, PAGE, PROT_READ | PROT_WRITE));
	/* As in the row that succeeds. */
	request_make(TOPDOWN_CMD_LATENCY);
	request_set(&of_cpu[0].field[0]);
	ASSERT_EQ(0, mprotect((void *)ARGUMENT, PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, request_try(variant->bits, self->fd, TOPDOWN_CMD_LATENCY));
	ASSERT_EQ(0, mprotect((void *)ARGUMENT, PAGE, PROT_READ | PROT_WRITE));
	request_make(TOPDOWN_CMD_LATENCIES);
	((struct topdown_latencies *)ARGUMENT)->latency = 2;
	EXPECT_EQ(-ENOENT, request_try(variant->bits, self->fd, TOPDOWN_CMD_LATENCIES));
}

TEST_F(latencies, too_little_room)
{
	static const struct row rows[] = { LATENCIES(nr_records, 0) };

	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, rows, EMSGSIZE));
	EXPECT_EQ(1, ((struct topdown_latencies *)ARGUMENT)->nr_records);
}

TEST_F(latencies, no_number)
{
	static const struct row rows[] = {
		LATENCIES(latency, 2), LATENCIES(latency, 0),
		{ TOPDOWN_CMD_LATENCY, { FIELD(latency, flags, TOPDOWN_LATENCY_REMOVE),
					 FIELD(latency, latency, 2) } },
	};

	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, rows, ENOENT));
}

/* The first session has a latency session, and the second has ended. */
TEST_F(latencies, of_tasks)
{
	struct row first[] = { TASKS(0) }, second[] = { TASKS(0) };
	struct row none[] = { TASKS(~0U), TASKS(0), TASKS(0) };
	int pid = fork();

	if (!pid)
		for (;;)
			pause();
	first[0].field[2].value = request_attach(variant->bits, self->fd, 0);
	second[0].field[2].value = request_attach(variant->bits, self->fd, pid);
	ASSERT_LT(0, (int)second[0].field[2].value);
	/* No session, and a view of one. */
	none[1].field[2].value = self->fd;
	none[2].field[2].value = device_control(first[0].field[2].value, TOPDOWN_CONTROL_VIEW);
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, none, EBADF));
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, first, 0));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, first, EBUSY));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, second, ESRCH));
}

TEST_F(latencies, of_a_descriptor)
{
	unsigned int i;

	for (i = 1; i < SESSIONS_OF_FD; i++)
		ASSERT_TRUE(ROWS_FAIL(variant->bits, self->fd, of_cpu, 0));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, of_cpu, ENOSPC));
}

static bool refused(unsigned int bits, int unused)
{
	static const struct row rows[] = {
		CPUS(CPU_ONE, 1), TASKS(1), { TOPDOWN_CMD_LATENCIES },
	};
	int fd = caller_open(bits, TD_DEVICE, O_RDWR | O_CLOEXEC);

	(void)unused;
	return fd >= 0 && ROWS_FAIL(bits, fd, rows, EACCES);
}

#define OF_USER	64

/* As many sessions as a user may have, on as many descriptors as that takes. */
static bool as_many_as_a_user(unsigned int bits, int unused)
{
	unsigned int i;
	int fd = -1;

	(void)unused;
	for (i = 0; i < OF_USER; i++) {
		if (i % SESSIONS_OF_FD == 0)
			fd = caller_open(bits, TD_DEVICE, O_RDWR | O_CLOEXEC);
		if (fd < 0 || !ROWS_FAIL(bits, fd, of_cpu, 0))
			return false;
	}
	fd = caller_open(bits, TD_DEVICE, O_RDWR | O_CLOEXEC);
	return fd >= 0 && ROWS_FAIL(bits, fd, of_cpu, ENOSPC);
}

TEST_F(latencies, of_a_user)
{
	struct stat node;

	ASSERT_EQ(0, stat(TD_DEVICE, &node));
	ASSERT_EQ(0, chmod(TD_DEVICE, 0666));
	ASSERT_EQ(0, file_write(TRUST_NODE, 0, "Y"));
	EXPECT_EQ(0, caller_nobody(variant->bits, -1, as_many_as_a_user));
	EXPECT_EQ(0, file_write(TRUST_NODE, 0, "N"));
	/* Root has its own, and another user would. */
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, of_cpu, 0));
	EXPECT_EQ(0, chmod(TD_DEVICE, node.st_mode & 07777));
}

TEST_F(latencies, without_rights)
{
	char paranoid[16] = { };
	struct stat node;
	int fd = open(PARANOID, O_RDONLY | O_CLOEXEC);

	ASSERT_LT(0, read(fd, paranoid, sizeof(paranoid) - 1));
	close(fd);
	ASSERT_EQ(0, stat(TD_DEVICE, &node));
	ASSERT_EQ(0, file_write(PARANOID, 0, "2"));
	ASSERT_EQ(0, chmod(TD_DEVICE, 0666));
	EXPECT_EQ(0, caller_nobody(variant->bits, -1, refused));
	EXPECT_EQ(0, chmod(TD_DEVICE, node.st_mode & 07777));
	EXPECT_EQ(0, file_write(PARANOID, 0, paranoid));
}

int main(int argc, char **argv)
{
	int ret = module_need();

	return ret ? ret : test_harness_run(argc, argv);
}
