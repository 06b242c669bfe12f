// SPDX-License-Identifier: GPL-2.0
/*
 * The ABI of /dev/topdown: sizes of commands and of records, what they refuse, and what they
 * leave alone.  errnos.conf says which test provokes each error of linux/topdown.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "caller.h"
#include "guest.h"
#include "sample.h"

#define PAGE		4096
#define RECORDS		(TD_CPUS_MAX + 1)

/* Lengths of the arguments as they were released: never to change. */
static const struct command {
	unsigned int cmd;
	unsigned int size;
	unsigned int min_size;
	const char *name;
} commands[] = {
	{ TOPDOWN_INFO, sizeof(struct topdown_info), 288, "INFO" },
	{ TOPDOWN_READ, sizeof(struct topdown_read), 40, "READ" },
	{ TOPDOWN_WATCH, sizeof(struct topdown_watch), 64, "WATCH" },
};

#define COMMANDS	(sizeof(commands) / sizeof(commands[0]))

union argument {
	__u32 size;
	struct topdown_info info;
	struct topdown_read read;
	struct topdown_watch watch;
	char bytes[2 * PAGE];
};

FIXTURE(abi) {
	int fd;
	unsigned int nr_cpus;
	union argument argument;
	struct topdown_record *records;
};

FIXTURE_SETUP(abi)
{
	struct topdown_info info;

	self->fd = device_open();
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, device_info(self->fd, &info));
	self->nr_cpus = info.out_nr_cpus;
	ASSERT_GE(TD_CPUS_MAX, self->nr_cpus);
	self->records = calloc(RECORDS, sizeof(*self->records));
	ASSERT_NE(NULL, self->records);
	memset(&self->argument, 0, sizeof(self->argument));
}

FIXTURE_TEARDOWN(abi)
{
	free(self->records);
	close(self->fd);
}

/* An argument with which the command succeeds. */
static void argument_make(union argument *argument, const struct command *command,
			  struct topdown_record *records)
{
	memset(argument, 0, sizeof(*argument));
	argument->size = command->size;
	if (command->cmd == TOPDOWN_READ) {
		argument->read.record_size = sizeof(*records);
		argument->read.records = (uintptr_t)records;
		argument->read.nr_records = RECORDS;
	}
	if (command->cmd == TOPDOWN_WATCH) {
		argument->watch.node = TOPDOWN_WATCH_ANY;
		argument->watch.event_size = sizeof(struct topdown_event);
	}
}

static int try(int fd, unsigned int cmd, void *argument)
{
	int ret = ioctl(fd, cmd, argument);

	return ret < 0 ? -errno : ret;
}

TEST_F(abi, succeeds)
{
	unsigned int i;

	for (i = 0; i < COMMANDS; i++) {
		argument_make(&self->argument, &commands[i], self->records);
		EXPECT_EQ(0, try(self->fd, commands[i].cmd, &self->argument)) {
			TH_LOG("%s", commands[i].name);
		}
	}
}

TEST_F(abi, size_too_small_is_einval)
{
	unsigned int i, size;

	for (i = 0; i < COMMANDS; i++) {
		for (size = 0; size < commands[i].min_size; size++) {
			argument_make(&self->argument, &commands[i], self->records);
			self->argument.size = size;
			EXPECT_EQ(-EINVAL, try(self->fd, commands[i].cmd, &self->argument)) {
				TH_LOG("%s of size %u", commands[i].name, size);
			}
		}
	}
}

/* A newer, longer structure that uses nothing new gives the same result. */
TEST_F(abi, zero_tail_is_fine)
{
	static const unsigned int more[] = { 1, 4, 8, 64 };
	union argument plain;
	unsigned int i, j, size;

	for (i = 0; i < COMMANDS; i++) {
		argument_make(&plain, &commands[i], self->records);
		ASSERT_EQ(0, try(self->fd, commands[i].cmd, &plain));
		for (j = 0; j <= 4; j++) {
			size = j < 4 ? commands[i].size + more[j] : PAGE;
			argument_make(&self->argument, &commands[i], self->records);
			self->argument.size = size;
			EXPECT_EQ(0, try(self->fd, commands[i].cmd, &self->argument)) {
				TH_LOG("%s of size %u", commands[i].name, size);
			}
			EXPECT_EQ(size, self->argument.size);
			/* Each watch has a number of its own. */
			if (commands[i].cmd == TOPDOWN_WATCH)
				self->argument.watch.out_watch = plain.watch.out_watch;
			EXPECT_EQ(0, memcmp(&plain.bytes[4], &self->argument.bytes[4],
					    sizeof(plain) - 4)) {
				TH_LOG("%s of size %u answers otherwise", commands[i].name, size);
			}
		}
	}
}

TEST_F(abi, nonzero_tail_is_e2big)
{
	unsigned int i, at;

	for (i = 0; i < COMMANDS; i++) {
		for (at = commands[i].size; at < PAGE; at += at < commands[i].size + 8 ? 1 : 997) {
			argument_make(&self->argument, &commands[i], self->records);
			self->argument.size = at + 1;
			self->argument.bytes[at] = 1;
			EXPECT_EQ(-E2BIG, try(self->fd, commands[i].cmd, &self->argument)) {
				TH_LOG("%s with byte %u", commands[i].name, at);
			}
		}
	}
}

TEST_F(abi, longer_than_a_page_is_e2big)
{
	static const unsigned int sizes[] = { PAGE + 1, 2 * PAGE, 1U << 31, ~0U };
	unsigned int i, j;

	for (i = 0; i < COMMANDS; i++) {
		for (j = 0; j < 4; j++) {
			argument_make(&self->argument, &commands[i], self->records);
			self->argument.size = sizes[j];
			EXPECT_EQ(-E2BIG, try(self->fd, commands[i].cmd, &self->argument)) {
				TH_LOG("%s of size %u", commands[i].name, sizes[j]);
			}
		}
	}
}

TEST_F(abi, unknown_command_is_enotty)
{
	const unsigned int cmds[] = {
		_IO(TOPDOWN_IOC_TYPE, TOPDOWN_CMD_CONTROL + 1), _IO(TOPDOWN_IOC_TYPE, 0xff),
		_IO(TOPDOWN_IOC_TYPE + 1, 0),
		_IOR(TOPDOWN_IOC_TYPE, 0, struct topdown_info),
		_IOWR(TOPDOWN_IOC_TYPE, 1, struct topdown_read),
		_IOC(_IOC_NONE, TOPDOWN_IOC_TYPE, 0, 8), 0, ~0U,
	};
	unsigned int i;

	for (i = 0; i < sizeof(cmds) / sizeof(cmds[0]); i++) {
		argument_make(&self->argument, &commands[0], self->records);
		EXPECT_EQ(-ENOTTY, try(self->fd, cmds[i], &self->argument)) {
			TH_LOG("command 0x%x", cmds[i]);
		}
	}
}

TEST_F(abi, unknown_flag_is_eopnotsupp)
{
	static const __u32 known[COMMANDS] = {
		0, 7, 0xf,
	};
	unsigned int i, bit;

	for (i = 0; i < COMMANDS; i++) {
		__u32 refused = 0;

		for (bit = 0; bit < 32; bit++) {
			argument_make(&self->argument, &commands[i], self->records);
			/* Every argument has its flags after its size. */
			self->argument.info.flags = 1U << bit;
			if (try(self->fd, commands[i].cmd, &self->argument) == -EOPNOTSUPP)
				refused |= 1U << bit;
		}
		EXPECT_EQ(~known[i], refused) {
			TH_LOG("%s", commands[i].name);
		}
	}
}

/* A field that the kernel writes may become an input one day. */
TEST_F(abi, out_field_not_zero_is_einval)
{
	unsigned int at;

	for (at = offsetof(struct topdown_info, out_features); at < sizeof(struct topdown_info);
	     at++) {
		argument_make(&self->argument, &commands[0], self->records);
		self->argument.bytes[at] = 1;
		EXPECT_EQ(-EINVAL, try(self->fd, TOPDOWN_INFO, &self->argument)) {
			TH_LOG("byte %u", at);
		}
	}
}

TEST_F(abi, reserved_not_zero_is_einval)
{
	argument_make(&self->argument, &commands[1], self->records);
	self->argument.read.__reserved = 1;
	EXPECT_EQ(-EINVAL, try(self->fd, TOPDOWN_READ, &self->argument));
	argument_make(&self->argument, &commands[2], self->records);
	self->argument.watch.__reserved[2] = 1U << 31;
	EXPECT_EQ(-EINVAL, try(self->fd, TOPDOWN_WATCH, &self->argument));
}

static int try_cpus(int fd, const struct command *command, union argument *argument,
		    struct topdown_record *records, const __u64 *cpus, __u32 words)
{
	argument_make(argument, command, records);
	if (command->cmd == TOPDOWN_READ) {
		argument->read.cpus = (uintptr_t)cpus;
		argument->read.cpus_words = words;
	} else {
		argument->watch.cpus = (uintptr_t)cpus;
		argument->watch.cpus_words = words;
	}
	return try(fd, command->cmd, argument);
}

/* All commands but INFO refuse these sets. */
TEST_F(abi, impossible_cpu_sets_are_refused)
{
	static __u64 cpus[TOPDOWN_CPUS_WORDS_MAX + 1];
	unsigned int i, bit;

	for (i = 1; i < COMMANDS; i++) {
		memset(cpus, 0, sizeof(cpus));
		EXPECT_EQ(-EINVAL, try_cpus(self->fd, &commands[i], &self->argument,
					    self->records, cpus, 1));
		EXPECT_EQ(-EINVAL, try_cpus(self->fd, &commands[i], &self->argument,
					    self->records, cpus, 0));
		EXPECT_EQ(-EINVAL, try_cpus(self->fd, &commands[i], &self->argument,
					    self->records, cpus, TOPDOWN_CPUS_WORDS_MAX));
		EXPECT_EQ(-E2BIG, try_cpus(self->fd, &commands[i], &self->argument,
					   self->records, cpus, TOPDOWN_CPUS_WORDS_MAX + 1));
		EXPECT_EQ(-E2BIG, try_cpus(self->fd, &commands[i], &self->argument,
					   self->records, cpus, ~0U));
		EXPECT_EQ(-EFAULT, try_cpus(self->fd, &commands[i], &self->argument,
					    self->records, NULL, 1));
		for (bit = self->nr_cpus; bit < TOPDOWN_CPUS_WORDS_MAX * 64;
		     bit += bit < self->nr_cpus + 70 ? 1 : 61) {
			memset(cpus, 0, sizeof(cpus));
			cpus[0] = 1;
			cpus[bit / 64] |= 1ULL << (bit % 64);
			EXPECT_EQ(-EINVAL, try_cpus(self->fd, &commands[i], &self->argument,
						    self->records, cpus,
						    TOPDOWN_CPUS_WORDS_MAX)) {
				TH_LOG("%s of CPU %u", commands[i].name, bit);
			}
		}
	}
}

TEST_F(abi, wrong_record_sizes_are_refused)
{
	struct topdown_read *read = &self->argument.read;

	argument_make(&self->argument, &commands[1], self->records);
	read->record_size = 0;
	EXPECT_EQ(-EINVAL, try(self->fd, TOPDOWN_READ, read));
	read->record_size = sizeof(struct topdown_record) - 1;
	EXPECT_EQ(-EINVAL, try(self->fd, TOPDOWN_READ, read));
	read->record_size = PAGE + 1;
	EXPECT_EQ(-E2BIG, try(self->fd, TOPDOWN_READ, read));
	read->record_size = ~0U;
	EXPECT_EQ(-E2BIG, try(self->fd, TOPDOWN_READ, read));
}

/* A longer record is padded with zeros, and nothing is written after it. */
TEST_F(abi, longer_records_are_padded)
{
	static const unsigned int sizes[] = {
		sizeof(struct topdown_record) + 1, sizeof(struct topdown_record) + 8, 1000, PAGE
	};
	static unsigned char room[(TD_CPUS_MAX + 1) * PAGE];
	struct topdown_read *read = &self->argument.read;
	unsigned int i, j, n;

	for (i = 0; i < 4; i++) {
		argument_make(&self->argument, &commands[1], self->records);
		memset(room, 0xa5, sizeof(room));
		read->records = (uintptr_t)room;
		read->record_size = sizes[i];
		read->nr_records = TD_CPUS_MAX;
		ASSERT_EQ(0, try(self->fd, TOPDOWN_READ, read));
		n = read->nr_records;
		for (j = 0; j < n; j++) {
			struct topdown_record record;
			const unsigned char *at = room + j * sizes[i];
			unsigned int byte;

			memcpy(&record, at, sizeof(record));
			EXPECT_GT(self->nr_cpus, record.cpu);
			for (byte = sizeof(record); byte < sizes[i]; byte++)
				ASSERT_EQ(0, at[byte]);
		}
		for (j = n * sizes[i]; j < sizeof(room); j++)
			ASSERT_EQ(0xa5, room[j]);
	}
}

TEST_F(abi, too_few_records_is_emsgsize)
{
	struct topdown_read *read = &self->argument.read;
	unsigned int total, n, need, i;

	argument_make(&self->argument, &commands[1], self->records);
	ASSERT_EQ(0, try(self->fd, TOPDOWN_READ, read));
	n = read->nr_records;
	for (total = 0; total < 2; total++) {
		need = n + total;
		for (i = 0; i < need; i++) {
			argument_make(&self->argument, &commands[1], self->records);
			memset(self->records, 0xa5, sizeof(*self->records));
			read->flags = total ? TOPDOWN_READ_TOTAL : 0;
			read->nr_records = i;
			EXPECT_EQ(-EMSGSIZE, try(self->fd, TOPDOWN_READ, read));
			EXPECT_EQ(need, read->nr_records);
			EXPECT_EQ(0xa5a5a5a5, self->records[0].cpu);
		}
		EXPECT_EQ(0, try(self->fd, TOPDOWN_READ, read));
		EXPECT_EQ(need, read->nr_records);
	}
}

TEST_F(abi, bad_addresses_are_efault)
{
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct topdown_read *read = &self->argument.read;
	unsigned int i;
	char *edge;

	ASSERT_NE(MAP_FAILED, pages);
	ASSERT_EQ(0, mprotect(pages + PAGE, PAGE, PROT_NONE));
	for (i = 0; i < COMMANDS; i++) {
		EXPECT_EQ(-EFAULT, try(self->fd, commands[i].cmd, NULL));
		EXPECT_EQ(-EFAULT, try(self->fd, commands[i].cmd, (void *)-4096UL));
		EXPECT_EQ(-EFAULT, try(self->fd, commands[i].cmd, pages + PAGE));
		/* The size is there, the rest is not. */
		edge = pages + PAGE - 4;
		memcpy(edge, &commands[i].size, 4);
		EXPECT_EQ(-EFAULT, try(self->fd, commands[i].cmd, edge));
	}

	argument_make(&self->argument, &commands[1], self->records);
	read->records = 0;
	EXPECT_EQ(-EFAULT, try(self->fd, TOPDOWN_READ, read));
	read->records = (uintptr_t)pages + PAGE - sizeof(struct topdown_record) + 1;
	EXPECT_EQ(-EFAULT, try(self->fd, TOPDOWN_READ, read));
	read->records = ~0ULL;
	EXPECT_EQ(-EFAULT, try(self->fd, TOPDOWN_READ, read));
	/* A longer record whose padding has no room. */
	read->record_size = sizeof(struct topdown_record) + 8;
	read->records = (uintptr_t)pages + PAGE - sizeof(struct topdown_record);
	EXPECT_EQ(-EFAULT, try(self->fd, TOPDOWN_READ, read));
	/* An argument that cannot be written back. */
	ASSERT_EQ(0, mprotect(pages, PAGE, PROT_READ | PROT_WRITE));
	*(struct topdown_info *)pages =
		(struct topdown_info){ .size = sizeof(struct topdown_info) };
	ASSERT_EQ(0, mprotect(pages, PAGE, PROT_READ));
	EXPECT_EQ(-EFAULT, try(self->fd, TOPDOWN_INFO, pages));
	munmap(pages, 2 * PAGE);
}

static bool is_string(const char *text, size_t size)
{
	return memchr(text, '\0', size);
}

static unsigned int cpuinfo_number(const char *name)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[1024], *colon;
	unsigned int value = ~0U;

	while (file && fgets(line, sizeof(line), file)) {
		colon = strchr(line, ':');
		if (!colon || strncmp(line, name, strlen(name)) ||
		    strspn(line + strlen(name), "\t ") != colon - line - strlen(name))
			continue;
		value = strtoul(colon + 1, NULL, 10);
		break;
	}
	if (file)
		fclose(file);
	return value;
}

TEST_F(abi, info_describes_the_machine)
{
	struct topdown_info info;
	const char *machine = getenv("TOPDOWN_MACHINE");
	unsigned int cpu[TD_CPUS_MAX];

	ASSERT_EQ(0, device_info(self->fd, &info));
	EXPECT_EQ(sizeof(info), info.size);
	EXPECT_EQ(0, info.flags);
	EXPECT_EQ(TOPDOWN_FEATURE_FRESH, info.out_features & TOPDOWN_FEATURE_FRESH);
	EXPECT_EQ(TOPDOWN_FEATURE_TOTAL, info.out_features & TOPDOWN_FEATURE_TOTAL);
	EXPECT_EQ(TOPDOWN_INFO_MAY_READ, info.out_flags & TOPDOWN_INFO_MAY_READ);
	EXPECT_LE(cpus_online(cpu), info.out_nr_cpus);
	EXPECT_EQ(TOPDOWN_SOURCE_PERF_METRICS, info.out_source);
	EXPECT_LE(1, info.out_level);
	EXPECT_GE(2, info.out_level);
	EXPECT_EQ(sizeof(struct topdown_record), info.out_record_size);
	EXPECT_EQ(10, info.out_period_min_ms);
	EXPECT_EQ(60000, info.out_period_max_ms);
	EXPECT_LE(info.out_period_min_ms, info.out_period_ms);
	EXPECT_GE(info.out_period_max_ms, info.out_period_ms);
	EXPECT_EQ(cpuinfo_number("cpu family"), info.out_cpu_family);
	EXPECT_EQ(cpuinfo_number("model"), info.out_cpu_model);
	EXPECT_EQ(cpuinfo_number("stepping"), info.out_cpu_stepping);
	EXPECT_TRUE(is_string(info.out_cpu_vendor, sizeof(info.out_cpu_vendor)));
	EXPECT_TRUE(is_string(info.out_cpu_name, sizeof(info.out_cpu_name)));
	EXPECT_TRUE(is_string(info.out_codename, sizeof(info.out_codename)));
	EXPECT_TRUE(is_string(info.out_version, sizeof(info.out_version)));
	EXPECT_STREQ("GenuineIntel", info.out_cpu_vendor);
	EXPECT_NE('\0', info.out_version[0]);
	if (!machine)
		SKIP(return, "what is measured here is not known");
	if (!strcmp(machine, "spr")) {
		EXPECT_EQ(2, info.out_level);
		EXPECT_EQ(6, info.out_slots_per_cycle);
		EXPECT_NE(NULL, strstr(info.out_codename, "Sapphire Rapids"));
	} else if (!strcmp(machine, "icl")) {
		EXPECT_EQ(1, info.out_level);
		EXPECT_EQ(5, info.out_slots_per_cycle);
		EXPECT_NE(NULL, strstr(info.out_codename, "Ice Lake"));
	}
}

/* By its instance a reader knows whether the module was loaded again or the sums go on. */
TEST(each_load_has_another_instance)
{
	struct topdown_info info = { }, again;
	uint64_t before, after;
	int fd, i;

	for (i = 0; i < 3; i++) {
		if (module_loaded())
			ASSERT_EQ(0, module_unload());
		before = clock_ns(CLOCK_BOOTTIME);
		ASSERT_EQ(0, module_load(""));
		after = clock_ns(CLOCK_BOOTTIME);
		fd = device_open();
		ASSERT_LE(0, fd);
		again.out_instance = i ? info.out_instance : 0;
		ASSERT_EQ(0, device_info(fd, &info));
		EXPECT_NE(0, info.out_instance);
		EXPECT_NE(again.out_instance, info.out_instance);
		EXPECT_LT(before, info.out_load_time_ns);
		EXPECT_GT(after, info.out_load_time_ns);
		sleep_ms(10);
		ASSERT_EQ(0, device_info(fd, &again));
		EXPECT_EQ(info.out_instance, again.out_instance);
		EXPECT_EQ(info.out_load_time_ns, again.out_load_time_ns);
		close(fd);
	}
}

TEST_F(abi, callers_of_32_bits_are_served)
{
	char *low = caller_memory(16 * PAGE);
	struct topdown_record *records = (void *)(low + PAGE);
	union argument *argument = (void *)low;
	unsigned int i;

	ASSERT_NE(NULL, low);
	for (i = 0; i < COMMANDS; i++) {
		argument_make(argument, &commands[i], records);
		argument->size = commands[i].size;
		if (commands[i].cmd == TOPDOWN_READ)
			argument->read.nr_records = 15 * PAGE / sizeof(*records);
		EXPECT_EQ(0, caller_ioctl(32, self->fd, commands[i].cmd, argument)) {
			TH_LOG("%s", commands[i].name);
		}
	}
	argument_make(argument, &commands[1], records);
	argument->read.nr_records = 1;
	memset(records, 0, sizeof(*records));
	*(__u64 *)(low + 8 * PAGE) = 1;
	argument->read.cpus = (uintptr_t)low + 8 * PAGE;
	argument->read.cpus_words = 1;
	argument->read.flags = TOPDOWN_READ_FRESH;
	ASSERT_EQ(0, caller_ioctl(32, self->fd, TOPDOWN_READ, argument));
	EXPECT_EQ(1, argument->read.nr_records);
	EXPECT_EQ(0, records[0].cpu);
	EXPECT_LT(0, records[0].total.slots);
	EXPECT_TRUE(figures_consistent(&records[0].total, records[0].level));
	argument_make(argument, &commands[0], records);
	ASSERT_EQ(0, caller_ioctl(32, self->fd, TOPDOWN_INFO, argument));
	EXPECT_STREQ("GenuineIntel", argument->info.out_cpu_vendor);
	EXPECT_EQ(-ENOTTY, caller_ioctl(32, self->fd, _IO(TOPDOWN_IOC_TYPE, 99), argument));
	munmap(low, 16 * PAGE);
}

/* The fields that are not written stay so, whatever is in the rest. */
TEST_F(abi, read_writes_only_the_number_of_records)
{
	union argument before;

	argument_make(&self->argument, &commands[1], self->records);
	self->argument.read.flags = TOPDOWN_READ_FRESH;
	before = self->argument;
	ASSERT_EQ(0, try(self->fd, TOPDOWN_READ, &self->argument));
	before.read.nr_records = self->argument.read.nr_records;
	EXPECT_EQ(0, memcmp(&before, &self->argument, sizeof(before)));
}

TEST_F(abi, the_node_is_no_file)
{
	char byte = 0;

	EXPECT_EQ(-1, write(self->fd, &byte, 1));
	EXPECT_EQ(-1, lseek(self->fd, 0, SEEK_SET));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_EQ(-1, pread(self->fd, &byte, 1, 0));
}

TEST(a_read_only_descriptor_has_info)
{
	struct topdown_info info;
	int fd;

	fd = open(TD_DEVICE, O_RDONLY | O_CLOEXEC);
	ASSERT_LE(0, fd);
	EXPECT_EQ(0, device_info(fd, &info));
	close(fd);
}

int main(int argc, char **argv)
{
	int ret = module_need();

	return ret ? ret : test_harness_run(argc, argv);
}
