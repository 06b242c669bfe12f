// SPDX-License-Identifier: GPL-2.0
/*
 * The errors of owners, for callers of 64 and of 32 bits.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "caller.h"
#include "guest.h"

#define PAGE		4096
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define TRUST_NODE	"/sys/module/topdown/parameters/trust_device"

/* The argument, and a page that cannot be reached, as one that cannot be written. */
struct memory {
	union {
		__u32 size;
		struct topdown_owners owners;
		struct topdown_owners_read read;
		char bytes[2 * PAGE];
	};
	char nowhere[PAGE];
	char readonly[PAGE];
	struct topdown_owner records[1024];
};

FIXTURE(owners) {
	int device;
	int fd;
	struct memory *memory;
};

FIXTURE_VARIANT(owners) {
	unsigned int bits;
};

FIXTURE_VARIANT_ADD(owners, of_64_bits) { .bits = 64 };
FIXTURE_VARIANT_ADD(owners, of_32_bits) { .bits = 32 };

/* An argument with which the command succeeds. */
static struct topdown_owners *ask(struct memory *memory)
{
	memset(memory->bytes, 0, sizeof(memory->bytes));
	memory->owners.size = sizeof(memory->owners);
	return &memory->owners;
}

static struct topdown_owners_read *ask_read(struct memory *memory)
{
	memset(memory->bytes, 0, sizeof(memory->bytes));
	memory->read.size = sizeof(memory->read);
	memory->read.records = (uintptr_t)memory->records;
	memory->read.nr_records = 1024;
	memory->read.record_size = sizeof(memory->records[0]);
	return &memory->read;
}

#define OPEN()	caller_ioctl(variant->bits, self->device, TOPDOWN_OWNERS, self->memory)
#define READ()	caller_ioctl(variant->bits, self->fd, TOPDOWN_OWNERS_READ, self->memory)

FIXTURE_SETUP(owners)
{
	self->memory = caller_memory(sizeof(*self->memory));
	ASSERT_NE(NULL, self->memory);
	ASSERT_EQ(0, mprotect(self->memory->nowhere, PAGE, PROT_NONE));
	ASSERT_EQ(0, mprotect(self->memory->readonly, PAGE, PROT_READ));
	self->device = device_open();
	ASSERT_LE(0, self->device);
	ask(self->memory);
	self->fd = OPEN();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(owners)
{
	close(self->fd);
	close(self->device);
	munmap(self->memory, sizeof(*self->memory));
}

TEST_F(owners, right_requests_succeed)
{
	struct topdown_owners_read *read = ask_read(self->memory);

	EXPECT_EQ(FD_CLOEXEC, fcntl(self->fd, F_GETFD));
	EXPECT_EQ(0, READ());
	EXPECT_EQ(0, read->cursor);
	EXPECT_LT(3, read->nr_records);
	EXPECT_EQ(read->nr_records, read->out_nr_owners);
	EXPECT_LT(0, read->out_since_ns);
	EXPECT_LT(read->out_since_ns, read->out_time_ns);
}

TEST_F(owners, other_commands_are_enotty)
{
	ask_read(self->memory);
	EXPECT_EQ(-ENOTTY, caller_ioctl(variant->bits, self->device, TOPDOWN_OWNERS_READ,
					self->memory));
	ask(self->memory);
	EXPECT_EQ(-ENOTTY, caller_ioctl(variant->bits, self->fd, TOPDOWN_OWNERS, self->memory));
	EXPECT_EQ(-ENOTTY, caller_ioctl(variant->bits, self->fd, TOPDOWN_INFO, self->memory));
}

TEST_F(owners, wrong_sizes_are_refused)
{
	ask(self->memory)->size--;
	EXPECT_EQ(-EINVAL, OPEN());
	ask(self->memory)->size = PAGE + 1;
	EXPECT_EQ(-E2BIG, OPEN());
	ask(self->memory)->size++;
	self->memory->bytes[sizeof(struct topdown_owners)] = 1;
	EXPECT_EQ(-E2BIG, OPEN());
	ask_read(self->memory)->size--;
	EXPECT_EQ(-EINVAL, READ());
	ask_read(self->memory)->size = PAGE + 1;
	EXPECT_EQ(-E2BIG, READ());
	ask_read(self->memory)->size++;
	self->memory->bytes[sizeof(struct topdown_owners_read)] = 1;
	EXPECT_EQ(-E2BIG, READ());
	ask_read(self->memory)->size++;
	EXPECT_EQ(0, READ());
	ask_read(self->memory)->record_size = PAGE + 1;
	EXPECT_EQ(-E2BIG, READ());
	ask_read(self->memory)->record_size--;
	EXPECT_EQ(-EINVAL, READ());
}

TEST_F(owners, values_out_of_range_are_einval)
{
	ask(self->memory)->kind = TOPDOWN_OWNERS_CGROUPS + 1;
	EXPECT_EQ(-EINVAL, OPEN());
	ask(self->memory)->depth = 1;
	EXPECT_EQ(-EINVAL, OPEN());
	ask(self->memory)->kind = TOPDOWN_OWNERS_CGROUPS;
	self->memory->owners.depth = 32;
	EXPECT_EQ(-EINVAL, OPEN());
}

TEST_F(owners, unknown_flags_are_eopnotsupp)
{
	ask(self->memory)->flags = 1;
	EXPECT_EQ(-EOPNOTSUPP, OPEN());
	ask_read(self->memory)->flags = 1U << 31;
	EXPECT_EQ(-EOPNOTSUPP, READ());
}

TEST_F(owners, fields_that_are_not_zero_are_einval)
{
	ask_read(self->memory)->out_since_ns = 1;
	EXPECT_EQ(-EINVAL, READ());
	ask_read(self->memory)->out_time_ns = 1;
	EXPECT_EQ(-EINVAL, READ());
	ask_read(self->memory)->out_nr_owners = 1;
	EXPECT_EQ(-EINVAL, READ());
	ask_read(self->memory)->__reserved = 1;
	EXPECT_EQ(-EINVAL, READ());
}

TEST_F(owners, a_bad_address_is_efault)
{
	EXPECT_EQ(-EFAULT, caller_ioctl(variant->bits, self->device, TOPDOWN_OWNERS,
					self->memory->nowhere));
	EXPECT_EQ(-EFAULT, caller_ioctl(variant->bits, self->fd, TOPDOWN_OWNERS_READ,
					self->memory->nowhere));
	ask_read(self->memory)->records = (uintptr_t)self->memory->nowhere;
	EXPECT_EQ(-EFAULT, READ());
	ask_read(self->memory)->records = (uintptr_t)self->memory->readonly;
	EXPECT_EQ(-EFAULT, READ());
	ask_read(self->memory);
	ASSERT_EQ(0, mprotect(self->memory, PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, READ());
	ASSERT_EQ(0, mprotect(self->memory, PAGE, PROT_READ | PROT_WRITE));
}

TEST_F(owners, too_little_room_is_emsgsize)
{
	struct topdown_owners_read *read = ask_read(self->memory);

	read->nr_records = 0;
	EXPECT_EQ(-EMSGSIZE, READ());
	EXPECT_LT(3, read->nr_records);
	EXPECT_EQ(read->nr_records, read->out_nr_owners);
}

static bool refused(unsigned int bits, int fd)
{
	struct topdown_owners *owners = caller_memory(PAGE);
	int device = device_open();

	(void)fd;
	owners->size = sizeof(*owners);
	return caller_ioctl(bits, device, TOPDOWN_OWNERS, owners) == -EACCES;
}

/* A descriptor of the device that was handed on gives figures of CPUs, and no more. */
static bool refused_on(unsigned int bits, int device)
{
	struct topdown_owners *owners = caller_memory(PAGE);

	owners->size = sizeof(*owners);
	return caller_ioctl(bits, device, TOPDOWN_OWNERS, owners) == -EACCES;
}

/* A descriptor that is there can be read by whoever has it. */
static bool handed_on(unsigned int bits, int fd)
{
	struct memory *memory = caller_memory(sizeof(*memory));

	ask_read(memory);
	return !caller_ioctl(bits, fd, TOPDOWN_OWNERS_READ, memory);
}

TEST_F(owners, owners_need_a_right)
{
	int fd = open(PARANOID, O_RDONLY | O_CLOEXEC);
	char paranoid[16] = "";

	ASSERT_LE(0, fd);
	EXPECT_LT(0, read(fd, paranoid, sizeof(paranoid) - 1));
	close(fd);
	EXPECT_EQ(0, file_write(PARANOID, 0, "2"));
	EXPECT_EQ(0, chmod(TD_DEVICE, 0666));
	EXPECT_EQ(0, caller_nobody(variant->bits, self->device, refused));
	EXPECT_EQ(0, caller_nobody(variant->bits, self->device, refused_on));
	EXPECT_EQ(0, caller_nobody(variant->bits, self->fd, handed_on));
	/* The parameter gives figures of CPUs, and not those of others' processes. */
	EXPECT_EQ(0, file_write(TRUST_NODE, 0, "1"));
	EXPECT_EQ(0, caller_nobody(variant->bits, self->device, refused));
	EXPECT_EQ(0, file_write(TRUST_NODE, 0, "0"));
	EXPECT_EQ(0, chmod(TD_DEVICE, 0660));
	/* The tests after this one have what was there. */
	EXPECT_EQ(0, file_write(PARANOID, 0, paranoid));
}

TEST_F(owners, too_many_descriptors_are_emfile)
{
	struct rlimit limit, few;

	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &limit));
	few = limit;
	few.rlim_cur = self->fd + 1;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &few));
	ask(self->memory);
	EXPECT_EQ(-EMFILE, OPEN());
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
}

int main(int argc, char **argv)
{
	int ret = module_need();

	return ret ? ret : test_harness_run(argc, argv);
}
