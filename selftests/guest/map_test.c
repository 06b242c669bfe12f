// SPDX-License-Identifier: GPL-2.0
/*
 * The map of /dev/topdown: its layout, what it shows, and how long it lives.
 * rights_test.c has who may have it, torn_test.c reads it while it is written.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "map.h"

#define PAGE		4096UL

FIXTURE(map) {
	struct map map;
	struct topdown_info info;
	char period[16];
	unsigned int cpus[TD_CPUS_MAX], nr;
};

FIXTURE_SETUP(map)
{
	ASSERT_EQ(0, module_need());
	ASSERT_EQ(0, map_open(&self->map));
	ASSERT_EQ(0, device_info(self->map.fd, &self->info));
	snprintf(self->period, sizeof(self->period), "%u", self->info.out_period_ms);
	cpus_set_online();
	self->nr = cpus_online(self->cpus);
	ASSERT_LE(1, self->nr);
}

FIXTURE_TEARDOWN(map)
{
	cpus_set_online();
	period_set(self->period);
	map_close(&self->map);
}

/* The mapping or a negative errno, and nothing stays mapped. */
static int try_map(int fd, size_t size, int prot, int flags, off_t offset)
{
	void *at = mmap(NULL, size, prot, flags, fd, offset);

	if (at == MAP_FAILED)
		return -errno;
	munmap(at, size);
	return 0;
}

TEST_F(map, header_agrees_with_info)
{
	const struct topdown_map *header = self->map.header;

	EXPECT_NE(0, self->info.out_features & TOPDOWN_FEATURE_MAP);
	EXPECT_EQ(TOPDOWN_MAP_MAGIC, header->magic);
	EXPECT_EQ(0, memcmp("topdown", header, 8));
	EXPECT_EQ(self->info.out_map_size, header->size);
	EXPECT_EQ(sizeof(*header), header->header_size);
	EXPECT_EQ(self->info.out_nr_cpus, header->nr_cpus);
	EXPECT_EQ(sizeof(struct topdown_record), self->info.out_record_size);
	EXPECT_EQ(sizeof(struct topdown_map_record), header->record_size);
	EXPECT_EQ(sizeof(struct topdown_map_window), header->history_size);
}

TEST_F(map, layout_is_in_bounds)
{
	const struct topdown_map *header = self->map.header;
	uint64_t records_end = header->record_offset +
			       (uint64_t)header->nr_cpus * header->record_stride;
	uint64_t history_end = header->history_offset + (uint64_t)header->nr_cpus *
			       header->history_entries * header->history_stride;

	EXPECT_EQ(0, header->size % PAGE);
	EXPECT_LE(header->header_size, header->record_offset);
	EXPECT_LE(header->record_size, header->record_stride);
	EXPECT_LE(records_end, header->history_offset);
	EXPECT_LE(header->history_size, header->history_stride);
	EXPECT_LE(history_end, header->size);
	/* Less than a page is lost at the end. */
	EXPECT_GT(history_end + PAGE, header->size);
	/* Writers on two CPUs do not share a cache line. */
	EXPECT_EQ(0, header->record_offset % 64);
	EXPECT_EQ(0, header->record_stride % 64);
	EXPECT_EQ(0, header->history_offset % 64);
	EXPECT_EQ(0, header->history_stride % 64);
}

TEST_F(map, what_is_behind_the_last_window_is_zero)
{
	const struct topdown_map *header = self->map.header;
	uint64_t at = header->history_offset + (uint64_t)header->nr_cpus *
		      header->history_entries * header->history_stride;

	for (; at < header->size; at++)
		ASSERT_EQ(0, ((const char *)header)[at]);
}

TEST_F(map, refuses_what_is_not_the_map)
{
	const size_t size = self->map.size;
	const int fd = self->map.fd;

	EXPECT_EQ(0, try_map(fd, size, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, try_map(fd, size + PAGE, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, try_map(fd, size + 1, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, try_map(fd, 1UL << 40, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, try_map(fd, PAGE, PROT_READ, MAP_SHARED, PAGE));
	EXPECT_EQ(-EINVAL, try_map(fd, PAGE, PROT_READ, MAP_SHARED, size));
	EXPECT_EQ(-EINVAL, try_map(fd, PAGE, PROT_READ, MAP_SHARED, 1UL << 40));
	EXPECT_EQ(-EINVAL, try_map(fd, size, PROT_READ, MAP_PRIVATE, 0));
}

TEST_F(map, a_read_only_descriptor_is_enough)
{
	int fd = open(TD_DEVICE, O_RDONLY | O_CLOEXEC);

	ASSERT_LE(0, fd);
	EXPECT_EQ(0, try_map(fd, self->map.size, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(-EINVAL, try_map(fd, self->map.size, PROT_READ, MAP_PRIVATE, 0));
	EXPECT_EQ(-EACCES, try_map(fd, self->map.size, PROT_READ | PROT_WRITE, MAP_SHARED, 0));
	close(fd);
}

TEST_F(map, is_read_only)
{
	const size_t size = self->map.size;
	const int fd = self->map.fd;
	void *at = (void *)self->map.header;

	EXPECT_EQ(-EPERM, try_map(fd, size, PROT_READ | PROT_WRITE, MAP_SHARED, 0));
	EXPECT_EQ(-EPERM, try_map(fd, size, PROT_WRITE, MAP_SHARED, 0));
	EXPECT_EQ(-EPERM, try_map(fd, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0));
	EXPECT_EQ(-1, mprotect(at, size, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, mprotect(at, PAGE, PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
}

TEST_F_SIGNAL(map, a_store_faults, SIGSEGV)
{
	*(volatile char *)self->map.header = 0;
}

TEST_F(map, is_not_executable)
{
	void *at = (void *)self->map.header;

	EXPECT_EQ(-EPERM, try_map(self->map.fd, self->map.size, PROT_READ | PROT_EXEC,
				  MAP_SHARED, 0));
	EXPECT_EQ(-1, mprotect(at, PAGE, PROT_READ | PROT_EXEC));
	EXPECT_EQ(EACCES, errno);
}

TEST_F(map, one_page_shows_the_header_and_cannot_grow)
{
	const size_t size = self->map.size;
	void *at = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, self->map.fd, 0);

	ASSERT_NE(MAP_FAILED, at);
	EXPECT_EQ(0, memcmp(at, self->map.header, sizeof(struct topdown_map)));
	EXPECT_EQ(MAP_FAILED, mremap(at, PAGE, size + PAGE, MREMAP_MAYMOVE));
	EXPECT_EQ(MAP_FAILED, mremap(at, PAGE, 2 * PAGE, MREMAP_MAYMOVE));
	EXPECT_EQ(EFAULT, errno);
	/* The old length 0 of a shared mapping asks for a second one. */
	EXPECT_EQ(MAP_FAILED, mremap(at, 0, size + PAGE, MREMAP_MAYMOVE));
	EXPECT_EQ(0, munmap(at, PAGE));
}

TEST_F(map, part_of_it_can_be_unmapped)
{
	void *at = mmap(NULL, self->map.size, PROT_READ, MAP_SHARED, self->map.fd, 0);

	ASSERT_NE(MAP_FAILED, at);
	ASSERT_LT(PAGE, self->map.size);
	EXPECT_EQ(0, munmap((char *)at + PAGE, self->map.size - PAGE));
	EXPECT_EQ(0, memcmp(at, self->map.header, sizeof(struct topdown_map)));
	EXPECT_EQ(0, munmap(at, PAGE));
}

/* The map, a READ and the map again: without a change between, all are one. */
TEST_F(map, records_are_what_read_says)
{
	struct topdown_map_record before, after, made;
	unsigned int i, try, same = 0;
	struct topdown_record read;

	for (i = 0; i < self->nr; i++) {
		ASSERT_EQ(0, windows_run(&self->map, self->cpus[i], 1));
		for (try = 0; try < 50; try++) {
			ASSERT_TRUE(map_read(&self->map, self->cpus[i], &before));
			ASSERT_EQ(0, device_read_cpu(self->map.fd, 0, self->cpus[i], &read));
			ASSERT_TRUE(map_read(&self->map, self->cpus[i], &after));
			if (before.seq != after.seq)
				continue;
			entry_make(&made, &read);
			made.seq = before.seq;
			EXPECT_EQ(0, memcmp(&before, &made,
					    offsetof(struct topdown_map_record, open)));
			EXPECT_EQ(self->cpus[i], read.cpu);
			EXPECT_EQ(1, read.nr_cpus);
			EXPECT_LT(0, read.windows);
			EXPECT_EQ(NULL, entry_wrong(&before)) {
				TH_LOG("CPU %u: %s", read.cpu, entry_wrong(&before));
			}
			same++;
			break;
		}
	}
	EXPECT_EQ(self->nr, same);
}

/* A fresh reading moves the sums on, and shows as its window the open one. */
TEST_F(map, a_fresh_read_leaves_the_last_window)
{
	struct topdown_map_record before, after;
	struct topdown_record read;
	unsigned int cpu = self->cpus[0];

	ASSERT_EQ(0, windows_run(&self->map, cpu, 2));
	ASSERT_TRUE(map_read(&self->map, cpu, &before));
	sleep_ms(20);
	ASSERT_EQ(0, device_read_cpu(self->map.fd, TOPDOWN_READ_FRESH, cpu, &read));
	ASSERT_TRUE(map_read(&self->map, cpu, &after));
	EXPECT_EQ(before.windows, after.windows);
	EXPECT_EQ(before.window_time_ns, after.window_time_ns);
	EXPECT_EQ(0, memcmp(&before.window, &after.window,
			    sizeof(after.window)));
	EXPECT_LT(before.time_ns, after.time_ns);
	EXPECT_LT(before.total.slots, after.total.slots);
	EXPECT_EQ(after.total.slots - before.total.slots,
		  after.open.slots - before.open.slots);
	EXPECT_EQ(0, memcmp(&after.open, &read.window, sizeof(after.open)));
}

/* CPUs are asked until now, and nobody but the map has the records. */
static int count_mapped(int fd, __u64 cpus)
{
	struct topdown_read read = {
		.size		= sizeof(read),
		.flags		= TOPDOWN_READ_FRESH | TOPDOWN_READ_MAPPED,
		.cpus		= (uintptr_t)&cpus,
		.cpus_words	= 1,
	};

	return ioctl(fd, TOPDOWN_READ, &read) ? -errno : (int)read.nr_records;
}

/* The sums are those of a fresh reading: a reading with records adds nothing but its own time. */
TEST_F(map, counts_until_now_without_records)
{
	struct topdown_map_record before, others, after, left;
	unsigned int cpu = self->cpus[0], busy = self->cpus[self->nr - 1];
	uint64_t asked;
	int load;

	if (self->nr < 2 || busy > 63)
		SKIP(return, "one CPU, or too many");
	ASSERT_EQ(0, cpu_pin(cpu));
	ASSERT_EQ(0, period_set("60000"));
	load = spin_start(busy, NULL);
	ASSERT_LT(0, load);
	sleep_ms(50);
	ASSERT_EQ(0, count_mapped(self->map.fd, 1ULL << cpu | 1ULL << busy));
	ASSERT_TRUE(map_read(&self->map, cpu, &before));
	ASSERT_TRUE(map_read(&self->map, busy, &others));
	sleep_ms(20);

	/* A CPU that is not asked stays as it was, busy or not. */
	asked = clock_ns(CLOCK_MONOTONIC);
	ASSERT_EQ(0, count_mapped(self->map.fd, 1ULL << cpu));
	ASSERT_TRUE(map_read(&self->map, cpu, &after));
	ASSERT_TRUE(map_read(&self->map, busy, &left));
	EXPECT_LE(asked, after.time_ns);
	EXPECT_LT(before.total.slots, after.total.slots);
	EXPECT_EQ(after.total.slots - before.total.slots, after.open.slots - before.open.slots);
	EXPECT_EQ(before.windows, after.windows);
	EXPECT_EQ(0, memcmp(&others, &left, sizeof(left)));

	asked = clock_ns(CLOCK_MONOTONIC);
	ASSERT_EQ(0, count_mapped(self->map.fd, 1ULL << busy));
	ASSERT_TRUE(map_read(&self->map, busy, &after));
	EXPECT_LE(asked, after.time_ns);
	EXPECT_LT(others.total.enabled_ns + 20000000, after.total.enabled_ns);
	EXPECT_LT(others.total.slots, after.total.slots);
	EXPECT_EQ(others.windows, after.windows);
	EXPECT_EQ(NULL, entry_wrong(&after)) {
		TH_LOG("%s", entry_wrong(&after));
	}

	/* One that has worked and sleeps now is asked too, and then left alone. */
	others = after;
	sleep_ms(20);
	spin_stop(load);
	sleep_ms(5);
	ASSERT_EQ(0, count_mapped(self->map.fd, 1ULL << busy));
	ASSERT_TRUE(map_read(&self->map, busy, &after));
	EXPECT_LT(others.total.enabled_ns + 20000000, after.total.enabled_ns);
	EXPECT_LT(others.total.slots, after.total.slots);
}

TEST_F(map, outlives_the_descriptor_and_keeps_the_module)
{
	struct topdown_map_record before, after;

	ASSERT_TRUE(map_read(&self->map, self->cpus[0], &before));
	ASSERT_EQ(0, close(self->map.fd));
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	EXPECT_TRUE(module_loaded());
	ASSERT_EQ(0, windows_run(&self->map, self->cpus[0], 2));
	ASSERT_TRUE(map_read(&self->map, self->cpus[0], &after));
	EXPECT_LE(before.windows + 2, after.windows);

	ASSERT_EQ(0, munmap((void *)self->map.header, self->map.size));
	EXPECT_EQ(0, module_unload());
	EXPECT_FALSE(module_loaded());
	ASSERT_EQ(0, module_load(""));
	ASSERT_EQ(0, map_open(&self->map));
}

TEST_F(map, a_forked_mapping_is_one_of_its_own)
{
	struct topdown_map_record copy;
	int pipes[2][2], status;
	char byte;
	pid_t pid;

	ASSERT_EQ(0, pipe(pipes[0]));
	ASSERT_EQ(0, pipe(pipes[1]));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		bool right;

		close(self->map.fd);
		close(pipes[1][1]);
		if (write(pipes[0][1], "", 1) != 1 || read(pipes[1][0], &byte, 1) < 0)
			_exit(2);
		right = map_read(&self->map, self->cpus[0], &copy) && !entry_wrong(&copy);
		_exit(right ? 0 : 1);
	}
	ASSERT_EQ(1, read(pipes[0][0], &byte, 1));
	map_close(&self->map);
	EXPECT_EQ(-EWOULDBLOCK, module_unload());
	close(pipes[1][0]);
	ASSERT_EQ(0, close(pipes[1][1]));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	close(pipes[0][0]);
	close(pipes[0][1]);
	EXPECT_EQ(0, module_unload());
	ASSERT_EQ(0, module_load(""));
	ASSERT_EQ(0, map_open(&self->map));
}

TEST_F(map, survives_hotplug)
{
	struct topdown_map_record before, gone, still, back;
	unsigned int cpu = self->cpus[self->nr - 1];
	struct topdown_record read;
	uint64_t begun;

	if (self->nr < 2 || !cpu)
		SKIP(return, "no CPU can go offline");
	ASSERT_TRUE(map_read(&self->map, cpu, &before));
	ASSERT_EQ(0, cpu_set_online(cpu, false));
	ASSERT_TRUE(map_read(&self->map, cpu, &gone));
	EXPECT_EQ(TOPDOWN_STATE_OFFLINE, gone.state);
	EXPECT_LT(before.windows, gone.windows);
	EXPECT_LE(before.total.slots, gone.total.slots);
	EXPECT_EQ(NULL, entry_wrong(&gone));
	/* Nobody can count there. */
	ASSERT_EQ(0, device_read_cpu(self->map.fd, TOPDOWN_READ_FRESH, cpu, &read));
	sleep_ms(200);
	ASSERT_TRUE(map_read(&self->map, cpu, &still));
	EXPECT_EQ(0, memcmp(&gone, &still, sizeof(gone)));

	begun = clock_ns(CLOCK_MONOTONIC);
	ASSERT_EQ(0, cpu_set_online(cpu, true));
	ASSERT_EQ(0, windows_run(&self->map, cpu, 2));
	ASSERT_TRUE(map_read(&self->map, cpu, &back));
	EXPECT_NE(TOPDOWN_STATE_OFFLINE, back.state);
	EXPECT_LE(gone.windows + 2, back.windows);
	EXPECT_LT(gone.total.slots, back.total.slots);
	EXPECT_LT(gone.time_ns, back.time_ns);
	/* In the time without the CPU nothing could be measured. */
	EXPECT_LE(back.total.enabled_ns - gone.total.enabled_ns,
		  back.time_ns - begun);
	EXPECT_EQ(NULL, entry_wrong(&back)) {
		TH_LOG("%s", entry_wrong(&back));
	}
}

TEST_HARNESS_MAIN
