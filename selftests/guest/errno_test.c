// SPDX-License-Identifier: GPL-2.0
/*
 * The errors of the commands of /dev/topdown, for callers of 64 and of 32 bits.  errnos.conf
 * says which statement of linux/topdown.h each test provokes; errno_call_test.c has the system
 * calls other than ioctl(), and the rights.
 *
 * Each command succeeds with the argument that request_make() makes.  A row changes one field
 * of it, or as many as belong together, so nothing else makes it fail.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "caller.h"
#include "guest.h"
#include "request.h"

#define WATCHES_OF_FD	256
#define LONG_MS		20000

FIXTURE(errnos) {
	int fd;
};

FIXTURE_VARIANT(errnos) {
	unsigned int bits;
};

FIXTURE_VARIANT_ADD(errnos, of_64_bits) { .bits = 64 };
FIXTURE_VARIANT_ADD(errnos, of_32_bits) { .bits = 32 };

FIXTURE_SETUP(errnos)
{
	ASSERT_EQ(0, request_memory());
	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	request_session = request_attach(variant->bits, self->fd, 0);
	ASSERT_LT(0, request_session);
}

FIXTURE_TEARDOWN(errnos)
{
	close(request_session);
	close(self->fd);
}

#define READ(field, value)	{ TOPDOWN_CMD_READ, { FIELD(read, field, value) } }
#define WATCH(field, value)	{ TOPDOWN_CMD_WATCH, { FIELD(watch, field, value) } }
#define ATTACH(field, value)	{ TOPDOWN_CMD_ATTACH, { FIELD(attach, field, value) } }
#define CONTROL(field, value)	{ TOPDOWN_CMD_CONTROL, { FIELD(control, field, value) } }
/* With room for two kinds of core, but for one field. */
#define KINDS(field, value)	{ TOPDOWN_CMD_SESSION, {				\
	FIELD(session, kinds, ANSWERS), FIELD(session, nr_kinds, 2),			\
	FIELD(session, kind_size, sizeof(struct topdown_session_kind)),			\
	FIELD(session, field, value) } }

/* The requests that the rows change are right themselves.  ATTACH gives a descriptor. */
TEST_F(errnos, right_requests_succeed)
{
	unsigned int nr;
	long ret;

	for (nr = 0; nr < COMMANDS; nr++) {
		request_make(nr);
		ret = request_try(variant->bits, self->fd, nr);
		if (nr == TOPDOWN_CMD_ATTACH) {
			EXPECT_LT(0, ret);
			EXPECT_EQ(0, close(ret));
			continue;
		}
		EXPECT_EQ(0, ret) {
			TH_LOG("%s", commands[nr].name);
		}
	}
}

/* The commands of the device are none of a session, and the reverse; a view has those of one. */
TEST_F(errnos, commands_refuse_other_descriptors)
{
	int view = device_control(request_session, TOPDOWN_CONTROL_VIEW), other;
	unsigned int nr;

	ASSERT_LT(0, view);
	for (nr = 0; nr < COMMANDS; nr++) {
		other = request_is_of_session(nr) ? self->fd : request_session;
		request_make(nr);
		EXPECT_EQ(-ENOTTY, caller_ioctl(variant->bits, other, commands[nr].cmd,
						(void *)ARGUMENT)) {
			TH_LOG("%s", commands[nr].name);
		}
	}
	request_make(TOPDOWN_CMD_SESSION);
	EXPECT_EQ(0, caller_ioctl(variant->bits, view, TOPDOWN_SESSION, (void *)ARGUMENT));
	request_make(TOPDOWN_CMD_CONTROL);
	EXPECT_EQ(-EBADF, caller_ioctl(variant->bits, view, TOPDOWN_CONTROL, (void *)ARGUMENT));
	close(view);
}

/* ATTACH and a view: the process may have no more descriptors. */
TEST_F(errnos, no_free_descriptor_is_emfile)
{
	static const struct row rows[] = {
		{ TOPDOWN_CMD_ATTACH }, CONTROL(action, TOPDOWN_CONTROL_VIEW),
	};
	const struct rlimit none = { 0, 4096 }, some = { 1024, 4096 };

	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &none));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, rows, EMFILE));
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &some));
	EXPECT_TRUE(device_attach(self->fd, 0, 0) > 0);
}

TEST_F(errnos, an_unknown_command_is_enotty)
{
	static const unsigned int cmds[] = {
		_IO(TOPDOWN_IOC_TYPE, COMMANDS), _IO(TOPDOWN_IOC_TYPE, 0xff),
		_IO(TOPDOWN_IOC_TYPE + 1, 0), _IOR(TOPDOWN_IOC_TYPE, 0, struct topdown_info),
		0, ~0U,
	};
	unsigned int i;

	request_make(TOPDOWN_CMD_INFO);
	for (i = 0; i < sizeof(cmds) / sizeof(cmds[0]); i++)
		EXPECT_EQ(-ENOTTY, caller_ioctl(variant->bits, self->fd, cmds[i],
						(void *)ARGUMENT));
}

TEST_F(errnos, too_small_a_size_is_einval)
{
	static const struct row things[] = {
		READ(record_size, 879), READ(record_size, 0), WATCH(event_size, 31),
		WATCH(event_size, 0), KINDS(kind_size, 439), KINDS(kind_size, 0),
	};
	unsigned int nr, size;

	for (nr = 0; nr < COMMANDS; nr++) {
		for (size = 0; size < commands[nr].min_size; size++) {
			request_make(nr);
			*(__u32 *)ARGUMENT = size;
			EXPECT_EQ(-EINVAL, request_try(variant->bits, self->fd, nr)) {
				TH_LOG("%s of size %u", commands[nr].name, size);
			}
		}
	}
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, things, EINVAL));
}

TEST_F(errnos, values_out_of_range_are_einval)
{
	static const struct row rows[] = {
		WATCH(ratio, TOPDOWN_RATIO_ONE + 1), WATCH(hold_ms, 3600001), WATCH(watch, 1),
		{ TOPDOWN_CMD_WATCH, { FIELD(watch, node, TOPDOWN_WATCH_ANY),
				       FIELD(watch, ratio, 1) } },
		{ TOPDOWN_CMD_WATCH, { FIELD(watch, node, TOPDOWN_WATCH_ANY),
				       FIELD(watch, flags, TOPDOWN_WATCH_SUM) } },
		/* The fields of a new watch. */
		WATCH(flags, TOPDOWN_WATCH_REMOVE),
		ATTACH(pid, ~0U), ATTACH(flags, TOPDOWN_ATTACH_ON_EXEC),
		ATTACH(flags, TOPDOWN_ATTACH_THREAD | TOPDOWN_ATTACH_CHILDREN),
		ATTACH(flags, TOPDOWN_ATTACH_THREAD | TOPDOWN_ATTACH_PIDFD),
		CONTROL(action, TOPDOWN_CONTROL_VIEW + 1), CONTROL(action, ~0U),
		/* Without an address there is no room. */
		KINDS(kinds, 0),
	};

	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, rows, EINVAL));
}

/* With TOPDOWN_READ_MAPPED there are no records, and with room for some no answer is right. */
TEST_F(errnos, mapped_reads_refuse_records)
{
	enum { FLAGS = TOPDOWN_READ_FRESH | TOPDOWN_READ_MAPPED };
#define MAPPED(name, value)							\
	{ TOPDOWN_CMD_READ, { FIELD(read, record_size, 0), FIELD(read, records, 0),	\
			      FIELD(read, nr_records, 0), FIELD(read, name, value) } }
	static const struct row bare[] = {
		MAPPED(flags, TOPDOWN_READ_MAPPED), MAPPED(flags, FLAGS | TOPDOWN_READ_TOTAL),
		MAPPED(flags, TOPDOWN_READ_MAPPED | TOPDOWN_READ_TOTAL),
	};
	static const struct row right[] = { MAPPED(flags, FLAGS) };
#undef MAPPED
#define ROOM(...)								\
	{ TOPDOWN_CMD_READ, { FIELD(read, flags, FLAGS), __VA_ARGS__ } }
	static const struct row room[] = {
		ROOM(FIELD(read, record_size, 0), FIELD(read, records, 0)),
		ROOM(FIELD(read, record_size, 0), FIELD(read, nr_records, 0)),
		ROOM(FIELD(read, records, 0), FIELD(read, nr_records, 0)),
		READ(flags, FLAGS),
	};
#undef ROOM

	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, bare, EINVAL));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, room, EINVAL));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, right, 0));
}

TEST_F(errnos, bad_cpu_sets_are_refused)
{
	static const struct row empty[] = {
		READ(cpus, CPU_NONE), WATCH(cpus, CPU_NONE),
		READ(cpus_words, 0), WATCH(cpus_words, 0),
	};
	static const struct row impossible[] = {
		{ TOPDOWN_CMD_READ, { FIELD(read, cpus, CPU_IMPOSSIBLE),
				      FIELD(read, cpus_words, TOPDOWN_CPUS_WORDS_MAX) } },
		{ TOPDOWN_CMD_WATCH, { FIELD(watch, cpus, CPU_IMPOSSIBLE),
				       FIELD(watch, cpus_words, TOPDOWN_CPUS_WORDS_MAX) } },
	};
	static const struct row many[] = {
		READ(cpus_words, TOPDOWN_CPUS_WORDS_MAX + 1),
		WATCH(cpus_words, TOPDOWN_CPUS_WORDS_MAX + 1), WATCH(cpus_words, ~0U),
	};

	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, empty, EINVAL));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, impossible, EINVAL));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, many, E2BIG));
}

/* Byte by byte. */
TEST_F(errnos, fields_that_are_not_zero_are_einval)
{
#define SPAN(NAME, type, field)							\
	{ TOPDOWN_CMD_##NAME, offsetof(struct topdown_##type, field),		\
	  sizeof(((struct topdown_##type *)0)->field) }
	static const struct {
		unsigned int nr, at, size;
	} spans[] = {
		{ TOPDOWN_CMD_INFO, 8, sizeof(struct topdown_info) - 8 },
		SPAN(READ, read, __reserved), SPAN(ATTACH, attach, __reserved),
		SPAN(WATCH, watch, out_watch), SPAN(WATCH, watch, __reserved),
		{ TOPDOWN_CMD_SESSION, offsetof(struct topdown_session, out_state),
		  sizeof(struct topdown_session) - offsetof(struct topdown_session, out_state) },
		SPAN(CONTROL, control, __reserved),
	};
#undef SPAN
	unsigned int i, at;

	for (i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
		for (at = spans[i].at; at < spans[i].at + spans[i].size; at++) {
			request_make(spans[i].nr);
			((char *)ARGUMENT)[at] = 1;
			EXPECT_EQ(-EINVAL, request_try(variant->bits, self->fd, spans[i].nr)) {
				TH_LOG("%s, byte %u", commands[spans[i].nr].name, at);
			}
		}
	}
}

TEST_F(errnos, another_event_size_is_einval)
{
	static const struct row rows[] = { WATCH(event_size, 40), WATCH(event_size, PAGE) };

	request_make(TOPDOWN_CMD_WATCH);
	ASSERT_EQ(0, request_try(variant->bits, self->fd, TOPDOWN_CMD_WATCH));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, rows, EINVAL));
}

TEST_F(errnos, too_long_structures_are_e2big)
{
	static const unsigned int sizes[] = { PAGE + 1, 2 * PAGE, 1U << 31, ~0U };
	unsigned int nr, i;

	for (nr = 0; nr < COMMANDS; nr++) {
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			request_make(nr);
			*(__u32 *)ARGUMENT = sizes[i];
			EXPECT_EQ(-E2BIG, request_try(variant->bits, self->fd, nr)) {
				TH_LOG("%s of size %u", commands[nr].name, sizes[i]);
			}
		}
	}
}

TEST_F(errnos, too_long_parts_are_e2big)
{
	static const struct row rows[] = {
		READ(record_size, PAGE + 1),
		WATCH(event_size, PAGE + 1), READ(record_size, ~0U), WATCH(event_size, ~0U),
		KINDS(kind_size, PAGE + 1), KINDS(kind_size, ~0U),
	};

	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, rows, E2BIG));
}

TEST_F(errnos, an_unknown_tail_is_e2big)
{
	unsigned int nr, at;

	for (nr = 0; nr < COMMANDS; nr++) {
		for (at = commands[nr].size; at < PAGE; at += 509) {
			request_make(nr);
			*(__u32 *)ARGUMENT = at + 1;
			((char *)ARGUMENT)[at] = 1;
			EXPECT_EQ(-E2BIG, request_try(variant->bits, self->fd, nr)) {
				TH_LOG("%s, byte %u", commands[nr].name, at);
			}
		}
	}
}

TEST_F(errnos, an_unknown_flag_is_eopnotsupp)
{
	unsigned int nr, bit;

	for (nr = 0; nr < COMMANDS; nr++) {
		for (bit = 0; bit < 32; bit++) {
			if (commands[nr].flags >> bit & 1)
				continue;
			request_make(nr);
			((__u32 *)ARGUMENT)[1] = 1U << bit;
			EXPECT_EQ(-EOPNOTSUPP, request_try(variant->bits, self->fd, nr)) {
				TH_LOG("%s, flag %u", commands[nr].name, bit);
			}
		}
	}
}

/* Sapphire Rapids has neither the node of Atom cores nor that of AMD. */
TEST_F(errnos, an_unknown_node_is_eopnotsupp)
{
	static const struct row unknown[] = {
		WATCH(node, TD_NR_NODES), WATCH(node, TOPDOWN_MAX_NODES), WATCH(node, 64),
		WATCH(node, 1U << 31), WATCH(node, TOPDOWN_WATCH_ANY - 1),
	};
	static const struct row absent[] = {
		WATCH(node, TOPDOWN_RESOURCE_BOUND), WATCH(node, TOPDOWN_SMT_CONTENTION),
	};

	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, unknown, EOPNOTSUPP));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, absent, EOPNOTSUPP));
}

/* The kernel thread kthreadd is always there. */
TEST_F(errnos, a_kernel_thread_is_eopnotsupp)
{
	static const struct row rows[] = {
		ATTACH(pid, 2),
		{ TOPDOWN_CMD_ATTACH, { FIELD(attach, pid, 2),
					FIELD(attach, flags, TOPDOWN_ATTACH_THREAD) } },
	};

	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, rows, EOPNOTSUPP));
}

/* This machine has no timed PEBS.  Who asks hears that, and who starts fails. */
TEST_F(errnos, latency_is_refused)
{
	static const struct row starts[] = { { LATENCY_START } };
	static const struct row asks[] = {
		{ LATENCY_START, { FIELD(latency_start, flags, TOPDOWN_LATENCY_START_ASK),
				   FIELD(latency_start, cpus, 0),
				   FIELD(latency_start, cpus_words, 0) } },
	};
	const struct topdown_latency_start *answer = (void *)ARGUMENT;
	int fd;

	ASSERT_EQ(0, module_load_latency());
	fd = caller_open(variant->bits, "/dev/topdown_latency", O_RDWR | O_CLOEXEC);
	ASSERT_LE(0, fd);
	EXPECT_TRUE(ROWS_FAIL(variant->bits, fd, starts, EOPNOTSUPP));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, fd, asks, 0));
	EXPECT_EQ(TOPDOWN_LATENCY_REFUSAL_NO_CPU, answer->out_refusal);
	EXPECT_EQ(0, answer->out_events);
	close(fd);
	EXPECT_EQ(0, module_unload_latency());
}

TEST_F(errnos, a_bad_argument_is_efault)
{
	static const unsigned long addresses[] = { 0, 8, NOWHERE, NOWHERE - 4, ~3UL };
	unsigned int nr, i;

	ASSERT_EQ(0, mprotect((void *)READONLY, PAGE, PROT_READ | PROT_WRITE));
	for (nr = 0; nr < COMMANDS; nr++) {
		/* The size can be read before NOWHERE, and the rest cannot. */
		*(__u32 *)(NOWHERE - 4) = commands[nr].size;
		for (i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
			EXPECT_EQ(-EFAULT, caller_ioctl(variant->bits, request_file(self->fd, nr),
							commands[nr].cmd, (void *)addresses[i])) {
				TH_LOG("%s at %lx", commands[nr].name, addresses[i]);
			}
		}
	}
}

TEST_F(errnos, a_read_only_argument_is_efault)
{
	unsigned int nr;

	for (nr = 0; nr < COMMANDS; nr++) {
		if (!commands[nr].answers)
			continue;
		request_make(nr);
		ASSERT_EQ(0, mprotect((void *)ARGUMENT, PAGE, PROT_READ));
		EXPECT_EQ(-EFAULT, request_try(variant->bits, self->fd, nr)) {
			TH_LOG("%s", commands[nr].name);
		}
		ASSERT_EQ(0, mprotect((void *)ARGUMENT, PAGE, PROT_READ | PROT_WRITE));
	}
}

TEST_F(errnos, a_bad_address_is_efault)
{
	static const struct row rows[] = {
		READ(cpus, NOWHERE), WATCH(cpus, NOWHERE), READ(cpus, 0), READ(cpus, 1ULL << 63),
		READ(records, NOWHERE), READ(records, READONLY),
		READ(records, 0), READ(records, ~0ULL), KINDS(kinds, NOWHERE),
		KINDS(kinds, READONLY), KINDS(kinds, ~0ULL),
	};

	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, rows, EFAULT));
}

TEST_F(errnos, too_little_room_is_emsgsize)
{
	static const struct row rows[] = { READ(nr_records, 0) };

	EXPECT_TRUE(rows_fail(variant->bits, self->fd, &rows[0], 1, EMSGSIZE));
	EXPECT_EQ(1, ((struct topdown_read *)ARGUMENT)->nr_records);
}

/* It is gone, and a pidfd of it is one still. */
TEST_F(errnos, a_process_that_is_gone_is_esrch)
{
	struct row rows[] = {
		ATTACH(pid, 0),
		{ TOPDOWN_CMD_ATTACH, { FIELD(attach, pid, 0),
					FIELD(attach, flags, TOPDOWN_ATTACH_THREAD) } },
		{ TOPDOWN_CMD_ATTACH, { FIELD(attach, pid, 0),
					FIELD(attach, flags, TOPDOWN_ATTACH_PIDFD) } },
	};
	int pid = fork(), pidfd;

	if (!pid)
		_exit(0);
	pidfd = syscall(SYS_pidfd_open, pid, 0);
	ASSERT_LE(0, pidfd);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	rows[0].field[0].value = pid;
	rows[1].field[0].value = pid;
	rows[2].field[0].value = pidfd;
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, rows, ESRCH));
}

TEST_F(errnos, another_file_than_a_pidfd_is_ebadf)
{
	struct row rows[3] = {
		{ TOPDOWN_CMD_ATTACH, { FIELD(attach, pid, 1000),
					FIELD(attach, flags, TOPDOWN_ATTACH_PIDFD) } },
		{ TOPDOWN_CMD_ATTACH, { FIELD(attach, pid, ~0U),
					FIELD(attach, flags, TOPDOWN_ATTACH_PIDFD) } },
		{ TOPDOWN_CMD_ATTACH, { FIELD(attach, pid, 0),
					FIELD(attach, flags, TOPDOWN_ATTACH_PIDFD) } },
	};

	rows[2].field[0].value = self->fd;
	EXPECT_TRUE(ROWS_FAIL(variant->bits, self->fd, rows, EBADF));
}

/* A descriptor that somebody was given to look at. */
TEST_F(errnos, a_reader_changes_nothing)
{
	static const struct row changes[] = {
		{ TOPDOWN_CMD_WATCH }, { TOPDOWN_CMD_ATTACH },
	};
	static const struct row reads[] = {
		{ TOPDOWN_CMD_INFO }, { TOPDOWN_CMD_READ },
	};
	int fd = caller_open(variant->bits, TD_DEVICE, O_RDONLY | O_CLOEXEC);

	ASSERT_LE(0, fd);
	EXPECT_TRUE(ROWS_FAIL(variant->bits, fd, changes, EBADF));
	EXPECT_TRUE(ROWS_FAIL(variant->bits, fd, reads, 0));
	close(fd);
}

TEST_F(errnos, an_unknown_watch_is_enoent)
{
	struct topdown_watch *watch = (void *)ARGUMENT;

	memset(watch, 0, sizeof(*watch));
	watch->size = sizeof(*watch);
	watch->flags = TOPDOWN_WATCH_REMOVE;
	EXPECT_EQ(0, request_try(variant->bits, self->fd, TOPDOWN_CMD_WATCH));
	watch->watch = 1;
	EXPECT_EQ(-ENOENT, request_try(variant->bits, self->fd, TOPDOWN_CMD_WATCH));
}

TEST_F(errnos, too_many_watches_are_enospc)
{
	unsigned int i;

	for (i = 0; i < WATCHES_OF_FD; i++) {
		request_make(TOPDOWN_CMD_WATCH);
		ASSERT_EQ(0, request_try(variant->bits, self->fd, TOPDOWN_CMD_WATCH));
	}
	request_make(TOPDOWN_CMD_WATCH);
	EXPECT_EQ(-ENOSPC, request_try(variant->bits, self->fd, TOPDOWN_CMD_WATCH));
}

/* A watch that was refused has taken no number. */
TEST_F(errnos, nothing_changed)
{
	static const struct row watch[] = { WATCH(cpus, CPU_NONE), WATCH(cpus, NOWHERE) };

	EXPECT_TRUE(rows_fail(variant->bits, self->fd, &watch[0], 1, EINVAL));
	EXPECT_TRUE(rows_fail(variant->bits, self->fd, &watch[1], 1, EFAULT));
	request_make(TOPDOWN_CMD_WATCH);
	ASSERT_EQ(0, request_try(variant->bits, self->fd, TOPDOWN_CMD_WATCH));
	EXPECT_EQ(1, ((struct topdown_watch *)ARGUMENT)->out_watch);
}

int main(int argc, char **argv)
{
	int ret = module_need();

	return ret ? ret : test_harness_run(argc, argv);
}
