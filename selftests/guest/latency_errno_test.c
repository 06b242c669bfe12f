// SPDX-License-Identifier: GPL-2.0
/*
 * The errors of /dev/topdown_latency where the machine has latencies, for callers of 64 and of 32
 * bits.  errno_test.c has the refusal.
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

#define DEVICE		"/dev/topdown_latency"
#define TRUST_NODE	"/sys/module/topdown/parameters/trust_device"
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

#define START(field, value)	{ LATENCY_START, { FIELD(latency_start, field, value) } }
#define READ(field, value)	{ LATENCY_READ, { FIELD(latency_read, field, value) } }
/* A set of CPUs. */
#define CPUS(address, words)							\
	{ LATENCY_START, { FIELD(latency_start, cpus, address),			\
			   FIELD(latency_start, cpus_words, words) } }
/* The tasks of a session. */
#define TASKS(fd)								\
	{ LATENCY_START, { FIELD(latency_start, cpus, 0), FIELD(latency_start, cpus_words, 0), \
			   FIELD(latency_start, flags, TOPDOWN_LATENCY_START_TASKS), \
			   FIELD(latency_start, session, fd) } }
/* A question, but for one field. */
#define ASK(field, value)							\
	{ LATENCY_START, { FIELD(latency_start, cpus, 0), FIELD(latency_start, cpus_words, 0), \
			   FIELD(latency_start, flags, TOPDOWN_LATENCY_START_ASK), \
			   FIELD(latency_start, field, value) } }

static const struct row right[] = { { LATENCY_START } };
static const struct row without_events[] = { ASK(nr_events, 0) };
static const struct row question[] = { ASK(size, sizeof(struct topdown_latency_start)) };

FIXTURE(latencies) {
	/* Not started. */
	int fd;
	/* Started. */
	int session;
};

FIXTURE_VARIANT(latencies) {
	unsigned int bits;
};

FIXTURE_VARIANT_ADD(latencies, of_64_bits) { .bits = 64 };
FIXTURE_VARIANT_ADD(latencies, of_32_bits) { .bits = 32 };

FIXTURE_SETUP(latencies)
{
	ASSERT_EQ(0, request_memory());
	self->session = -1;
	self->fd = caller_open(variant->bits, DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	ASSERT_TRUE(ROWS_FAIL(variant->bits, self->fd, question, 0));
	if (((struct topdown_latency_start *)ARGUMENT)->out_refusal)
		SKIP(return, "this machine samples no latency");
	self->session = caller_open(variant->bits, DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->session);
	ASSERT_TRUE(ROWS_FAIL(variant->bits, self->session, right, 0));
	ASSERT_EQ(1, ((struct topdown_latency_start *)ARGUMENT)->out_nr_records);
}

FIXTURE_TEARDOWN(latencies)
{
	close(self->fd);
	close(self->session);
}

TEST_F(latencies, right_requests_succeed)
{
	static const struct row reads[] = { { LATENCY_READ } };

	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->session, reads, 0));
	EXPECT_EQ(1, ((struct topdown_latency_read *)ARGUMENT)->nr_records);
	EXPECT_EQ(0, ((struct topdown_latency_record *)ANSWERS)->event);
	EXPECT_EQ(0, ((struct topdown_latency_record *)ANSWERS)->cpu);
}

/* This device has no command of /dev/topdown, and the reverse. */
TEST_F(latencies, an_unknown_command_is_enotty)
{
	unsigned int nr;
	int other = device_open();

	ASSERT_LE(0, other);
	for (nr = 0; nr < ALL_COMMANDS; nr++) {
		request_make(nr);
		EXPECT_EQ(-ENOTTY, caller_ioctl(variant->bits, nr < COMMANDS ? self->fd : other,
						commands[nr].cmd, (void *)ARGUMENT)) {
			TH_LOG("%s", commands[nr].name);
		}
	}
	close(other);
}

TEST_F(latencies, wrong_sizes_are_refused)
{
	static const struct row small[] = {
		START(size, 0), START(size, 55), READ(size, 23), START(event_size, 0),
		START(event_size, 15), READ(record_size, 0), READ(record_size, 983),
	};
	static const struct row large[] = {
		START(size, PAGE + 1), READ(size, PAGE + 1), START(event_size, PAGE + 1),
		READ(record_size, PAGE + 1),
	};

	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, small, EINVAL));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, large, E2BIG));
}

/* Zeros that a later release adds are right, and else is refused. */
TEST_F(latencies, an_unknown_tail_is_e2big)
{
	static const struct row longer[] = { START(event_size, 32) };
	unsigned int nr;

	*(uint64_t *)(EVENTS + 24) = 1;
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, longer, E2BIG));
	*(uint64_t *)(EVENTS + 24) = 0;
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, longer, 0));
	for (nr = LATENCY_START; nr <= LATENCY_READ; nr++) {
		request_make(nr);
		*(__u32 *)ARGUMENT = commands[nr].size + 8;
		*(char *)(ARGUMENT + commands[nr].size + 7) = 1;
		EXPECT_EQ(-E2BIG, request_try(variant->bits, self->session, nr));
	}
}

TEST_F(latencies, an_unknown_flag_is_eopnotsupp)
{
	unsigned int nr, bit;

	for (nr = LATENCY_START; nr <= LATENCY_READ; nr++) {
		for (bit = 0; bit < 32; bit++) {
			if (commands[nr].flags & 1U << bit)
				continue;
			request_make(nr);
			((struct topdown_latency_start *)ARGUMENT)->flags = 1U << bit;
			EXPECT_EQ(-EOPNOTSUPP, request_try(variant->bits, self->session, nr));
		}
	}
}

TEST_F(latencies, wrong_fields_are_einval)
{
	static const struct row rows[] = {
		START(out_events, 1), START(out_refusal, 1), START(out_nr_records, 1),
		START(nr_events, 0), START(nr_events, TOPDOWN_LATENCY_EVENTS_MAX + 1),
		START(nr_events, ~0U), START(session, 1),
		/* CPUs and a session; a question with CPUs, and with a session. */
		START(flags, TOPDOWN_LATENCY_START_TASKS), START(flags, TOPDOWN_LATENCY_START_ASK),
		ASK(cpus_words, 1), ASK(cpus, CPU_ONE), ASK(session, 1),
		ASK(flags, TOPDOWN_LATENCY_START_ASK | TOPDOWN_LATENCY_START_TASKS),
	};

	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, rows, EINVAL));
}

TEST_F(latencies, bad_cpu_sets_are_refused)
{
	static const struct row wrong[] = {
		CPUS(CPU_NONE, 1), CPUS(CPU_ONE, 0), CPUS(CPU_IMPOSSIBLE, TOPDOWN_CPUS_WORDS_MAX),
	};
	static const struct row many[] = { CPUS(CPU_ONE, TOPDOWN_CPUS_WORDS_MAX + 1) };

	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, wrong, EINVAL));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, many, E2BIG));
}

static void events_set(unsigned int nr, uint64_t config, uint64_t config1)
{
	((struct topdown_latency_event *)EVENTS)[nr] =
		(struct topdown_latency_event){ config, config1 };
}

/*
 * Cycles, which are event select 00H; an event of which Redwood Cove has no PEBS; bits that the
 * driver drops, and that it sets itself; a front-end event with an encoding that it does not take.
 */
TEST_F(latencies, an_unknown_event_is_eopnotsupp)
{
	static const uint64_t wrong[][2] = {
		{ 0x0300, 0 }, { 0, 0 }, { 0x100000000d1, 0 }, { 0x80000000000041d0, 0 },
		{ 0x141d0, 0 }, { 0x4041d0, 0 }, { 0x2041d0, 0 }, { 0x41d0, 1 },
		{ 0x3c6, 1ULL << 63 },
	};
	static const struct row two[] = { START(nr_events, 2) }, asked[] = { ASK(nr_events, 2) };
	const struct topdown_latency_start *answer = (void *)ARGUMENT;
	unsigned int i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		events_set(1, wrong[i][0], wrong[i][1]);
		EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, two, EOPNOTSUPP));
		EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, asked, 0));
		EXPECT_EQ(1, answer->out_events);
		EXPECT_EQ(0, answer->out_nr_records);
	}
}

/* The module measures CPU 1 only. */
TEST_F(latencies, no_measured_cpu_is_eopnotsupp)
{
	ASSERT_EQ(0, close(self->fd));
	ASSERT_EQ(0, close(self->session));
	ASSERT_EQ(0, module_unload());
	EXPECT_EQ(0, module_load("cpus=1"));
	EXPECT_EQ(0, module_load_latency());
	self->fd = caller_open(variant->bits, DEVICE, O_RDWR | O_CLOEXEC);
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, right, EOPNOTSUPP));
	ASSERT_EQ(0, close(self->fd));
	EXPECT_EQ(0, module_unload());
	EXPECT_EQ(0, module_load(""));
	EXPECT_EQ(0, module_load_latency());
	self->fd = -1;
	self->session = -1;
}

TEST_F(latencies, a_bad_address_is_efault)
{
	static const struct row starts[] = {
		CPUS(NOWHERE, 1), CPUS(0, 1), START(events, NOWHERE), START(events, 0),
		START(events, ~0ULL),
	};
	static const struct row reads[] = {
		READ(records, NOWHERE), READ(records, READONLY), READ(records, 0),
	};
	static const unsigned long addresses[] = { 0, 8, NOWHERE, ~3UL };
	unsigned int nr, i;

	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, starts, EFAULT));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->session, reads, EFAULT));
	for (nr = LATENCY_START; nr <= LATENCY_READ; nr++) {
		for (i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
			EXPECT_EQ(-EFAULT, caller_ioctl(variant->bits, self->session,
							commands[nr].cmd, (void *)addresses[i]));
	}
}

/* Whoever is not answered closes the descriptor: it may have been started. */
TEST_F(latencies, a_read_only_argument_is_efault)
{
	static const struct row reads[] = { { LATENCY_READ } };

	request_make(LATENCY_READ);
	ASSERT_EQ(0, mprotect((void *)ARGUMENT, PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, request_try(variant->bits, self->session, LATENCY_READ));
	ASSERT_EQ(0, mprotect((void *)ARGUMENT, PAGE, PROT_READ | PROT_WRITE));
	request_make(LATENCY_START);
	ASSERT_EQ(0, mprotect((void *)ARGUMENT, PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, request_try(variant->bits, self->fd, LATENCY_START));
	ASSERT_EQ(0, mprotect((void *)ARGUMENT, PAGE, PROT_READ | PROT_WRITE));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, right, EBUSY));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, reads, 0));
}

TEST_F(latencies, too_little_room_is_emsgsize)
{
	static const struct row rows[] = { READ(nr_records, 0) };

	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->session, rows, EMSGSIZE));
	EXPECT_EQ(1, ((struct topdown_latency_read *)ARGUMENT)->nr_records);
}

TEST_F(latencies, reads_need_a_start)
{
	static const struct row rows[] = { { LATENCY_READ } };

	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, rows, ENOENT));
}

/* Once only; a question is none. */
TEST_F(latencies, a_second_start_is_ebusy)
{
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->session, right, EBUSY));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->session, question, 0));
}

/* A descriptor that somebody was given to look at. */
TEST_F(latencies, a_reader_starts_nothing)
{
	int fd = caller_open(variant->bits, DEVICE, O_RDONLY | O_CLOEXEC);

	ASSERT_LE(0, fd);
	EXPECT_TRUE(ROWS_FAIL(variant->bits, fd, right, EBADF));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, fd, question, EBADF));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, fd, without_events, 0));
	close(fd);
}

/* The first session has a latency session, and the second has ended. */
TEST_F(latencies, starts_for_tasks_need_a_session)
{
	struct row first[] = { TASKS(0) }, second[] = { TASKS(0) };
	struct row none[] = { TASKS(~0U), TASKS(0), TASKS(0), TASKS(0) };
	int pid = fork(), device = device_open(), other;

	if (!pid)
		for (;;)
			pause();
	first[0].field[3].value = request_attach(variant->bits, device, 0);
	second[0].field[3].value = request_attach(variant->bits, device, pid);
	ASSERT_LT(0, (int)second[0].field[3].value);
	/* No session, and a view of one. */
	none[1].field[3].value = device;
	none[2].field[3].value = self->session;
	none[3].field[3].value = device_control(first[0].field[3].value, TOPDOWN_CONTROL_VIEW);
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, none, EBADF));
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, first, 0));
	other = caller_open(variant->bits, DEVICE, O_RDWR | O_CLOEXEC);
	EXPECT_TRUE(ROWS_FAIL(variant->bits, other, first, EBUSY));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, other, second, ESRCH));
	close(other);
	close(device);
}

/*
 * The driver takes an event with any counter mask, and front-end events with any threshold, which
 * differ in config1 alone.
 */
static void events_differ(uint64_t config, uint64_t config1)
{
	unsigned int i;

	for (i = 0; i < TOPDOWN_LATENCY_EVENTS_MAX; i += 2) {
		events_set(i, config | (i + 1ULL) << 24, 0);
		events_set(i + 1, 0x3c6, config1 | i << 8);
	}
}

#define OF_OTHERS	48

/* Users without CAP_PERFMON leave some. */
static bool some_are_left(unsigned int bits, int unused)
{
	static const struct row many[] = { START(nr_events, OF_OTHERS) };
	static const struct row fewer[] = { START(nr_events, OF_OTHERS - 1) };
	int fd = caller_open(bits, DEVICE, O_RDWR | O_CLOEXEC);

	(void)unused;
	return fd >= 0 && ROWS_FAIL(bits, fd, many, ENOSPC) && ROWS_FAIL(bits, fd, fewer, 0);
}

/* The session of the fixture has another one. */
TEST_F(latencies, too_many_events_are_enospc)
{
	static const struct row all[] = { START(nr_events, TOPDOWN_LATENCY_EVENTS_MAX) };
	static const struct row rest[] = { START(nr_events, TOPDOWN_LATENCY_EVENTS_MAX - 1) };

	events_differ(0x41d0, 0x12);
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, all, ENOSPC));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, rest, 0));
	EXPECT_EQ(TOPDOWN_LATENCY_EVENTS_MAX - 1,
		  ((struct topdown_latency_start *)ARGUMENT)->out_nr_records);
	/* When it has ended there is room for others. */
	ASSERT_EQ(0, close(self->fd));
	self->fd = caller_open(variant->bits, DEVICE, O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, self->fd);
	events_differ(0x1d3, 0x13);
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, rest, 0));
}

static bool refused(unsigned int bits, int unused)
{
	int fd = caller_open(bits, DEVICE, O_RDWR | O_CLOEXEC);

	(void)unused;
	return fd >= 0 && ROWS_FAIL(bits, fd, right, EACCES) &&
	       ROWS_FAIL(bits, fd, question, EACCES) && ROWS_FAIL(bits, fd, without_events, 0);
}

#define OF_USER	64

/* As many sessions as a user may have. */
static bool as_many_as_a_user(unsigned int bits, int unused)
{
	unsigned int i;
	int fd;

	(void)unused;
	for (i = 0; i < OF_USER; i++) {
		fd = caller_open(bits, DEVICE, O_RDWR | O_CLOEXEC);
		if (fd < 0 || !ROWS_FAIL(bits, fd, right, 0))
			return false;
	}
	fd = caller_open(bits, DEVICE, O_RDWR | O_CLOEXEC);
	return fd >= 0 && ROWS_FAIL(bits, fd, right, ENOSPC);
}

/* Run something as a user who may count CPUs, or may not, and may open the device. */
static int as_nobody(unsigned int bits, const char *paranoid, bool (*what)(unsigned int, int))
{
	char before[16] = { };
	struct stat node;
	int fd = open(PARANOID, O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0 || read(fd, before, sizeof(before) - 1) <= 0 || stat(DEVICE, &node))
		return -1;
	close(fd);
	ret = file_write(PARANOID, 0, paranoid) || chmod(DEVICE, 0666) ? -1 :
	      caller_nobody(bits, -1, what);
	return chmod(DEVICE, node.st_mode & 07777) || file_write(PARANOID, 0, before) ? -1 : ret;
}

TEST_F(latencies, too_many_of_a_user_are_enospc)
{
	EXPECT_EQ(0, as_nobody(variant->bits, "0", as_many_as_a_user));
	/* Root has its own, and another user would. */
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, right, 0));
}

TEST_F(latencies, others_leave_some_events)
{
	events_differ(0x41d0, 0x12);
	EXPECT_EQ(0, as_nobody(variant->bits, "0", some_are_left));
}

/* Figures of CPUs may be given to everybody, and the right to program counters is not. */
TEST_F(latencies, starts_need_rights)
{
	EXPECT_EQ(0, as_nobody(variant->bits, "2", refused));
	ASSERT_EQ(0, file_write(TRUST_NODE, 0, "Y"));
	/* Kernel mode would be allowed, and whole CPUs are not. */
	EXPECT_EQ(0, as_nobody(variant->bits, "1", refused));
	EXPECT_EQ(0, file_write(TRUST_NODE, 0, "N"));
}

int main(int argc, char **argv)
{
	int ret = module_need_latency();

	return ret ? ret : test_harness_run(argc, argv);
}
