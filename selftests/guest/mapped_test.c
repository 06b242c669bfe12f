// SPDX-License-Identifier: GPL-2.0
/*
 * Groups that a program has mapped: between turns of the module the registers go on.  The program
 * may subtract two readings by RDPMC, and the kernel does not learn of either.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "guest.h"

#define CPU		1
#define SPAN_NS		3000000000ULL

/* perf's encodings of SLOTS and the metrics of level 1. */
static const uint64_t events[] = { 0x400, 0x8000, 0x8100, 0x8200, 0x8300 };

/* A program reads its counter of SLOTS by RDPMC. */
struct seen {
	unsigned int readings;
	unsigned int off;
	unsigned int fell;
};

FIXTURE(mapped) {
	const volatile struct perf_event_mmap_page *page;
	int fd[ARRAY_SIZE(events)];
};

FIXTURE_SETUP(mapped)
{
	struct perf_event_attr attr;
	unsigned int i;

	ASSERT_EQ(0, module_need());
	if (module_loaded())
		ASSERT_EQ(0, module_unload());
	ASSERT_EQ(0, module_load("share=8"));
	ASSERT_EQ(0, cpu_pin(CPU));
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		attr = (struct perf_event_attr){
			.type = PERF_TYPE_RAW,
			.size = sizeof(attr),
			.config = events[i],
		};
		self->fd[i] = syscall(SYS_perf_event_open, &attr, 0, -1, i ? self->fd[0] : -1,
				      PERF_FLAG_FD_CLOEXEC);
		ASSERT_LT(0, self->fd[i]);
	}
	self->page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, self->fd[0], 0);
	ASSERT_NE(MAP_FAILED, (void *)self->page);
}

FIXTURE_TEARDOWN(mapped)
{
	unsigned int i;

	munmap((void *)self->page, sysconf(_SC_PAGESIZE));
	for (i = ARRAY_SIZE(events); i > 0; i--)
		close(self->fd[i - 1]);
	EXPECT_EQ(0, module_unload());
	EXPECT_EQ(0, module_load(""));
}

/* The register of SLOTS; 0 if the group has no counters. */
static uint64_t slots_read(const volatile struct perf_event_mmap_page *page)
{
	uint32_t lock, index, low, high;

	do {
		lock = page->lock;
		low = 0;
		high = 0;
		index = page->index;
		if (index)
			asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (index - 1));
	} while (page->lock != lock);
	return (uint64_t)high << 32 | low;
}

static void watch_slots(const volatile struct perf_event_mmap_page *page, struct seen *seen)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + SPAN_NS, then = 0, now;

	while (clock_ns(CLOCK_MONOTONIC) < end) {
		now = slots_read(page);
		seen->readings++;
		seen->off += !now;
		seen->fell += now && now < then;
		if (now)
			then = now;
	}
}

TEST_F(mapped, registers_go_on)
{
	struct topdown_record from, to;
	struct seen seen = { };
	int fd = device_open();

	ASSERT_LT(0, fd);
	/* The first turns are those in which the module finds out that somebody waits. */
	watch_slots(self->page, &seen);
	memset(&seen, 0, sizeof(seen));
	ASSERT_EQ(0, device_read_cpu(fd, TOPDOWN_READ_FRESH, CPU, &from));
	watch_slots(self->page, &seen);
	ASSERT_EQ(0, device_read_cpu(fd, TOPDOWN_READ_FRESH, CPU, &to));
	printf("# %u readings, %u without the counters, fell %u times; ours had them for %.3f of %.3f ms\n",
	       seen.readings, seen.off, seen.fell,
	       (to.total.running_ns - from.total.running_ns) / 1e6,
	       (to.total.enabled_ns - from.total.enabled_ns) / 1e6);
	EXPECT_EQ(0, seen.fell);
	/* Else the group was never off the counters, and this has shown nothing. */
	EXPECT_LT(5000000, to.total.running_ns - from.total.running_ns);
	EXPECT_LT(seen.readings / 2, seen.readings - seen.off);
	close(fd);
}

int main(int argc, char **argv)
{
	int ret = emulator_need();

	return ret ? ret : test_harness_run(argc, argv);
}
