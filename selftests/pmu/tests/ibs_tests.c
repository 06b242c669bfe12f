// SPDX-License-Identifier: GPL-2.0
/*
 * Instruction-based sampling as the kernel's own driver uses it: each sample that reaches a
 * program is compared with what the emulator says it tagged.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmu_test.h"

#define FETCH_CTL	0xc0011030
#define OP_CTL		0xc0011033
#define OP_RIP		0xc0011034
#define IBS_CTL		0xc001103a
#define OP_DATA4	0xc001103d

#define CAPS_ZEN4	0xbffu
#define OP_EN		(1ull << 17)
#define OP_VAL		(1ull << 18)
#define OP_COUNTS_OPS	(1ull << 19)
#define OP_L3_ONLY	(1ull << 16)
#define FETCH_EN	(1ull << 48)

#define DISPATCHED	0x07aa
#define RETIRED		0x00c1

#define PMUS		"/sys/bus/event_source/devices/"
#define PAGE		4096
#define RING		(128 * PAGE)
#define PERIOD		0x200000	/* 175 us of operations, and with an interrupt each. */
#define FETCH_PERIOD	0xc0000
#define OP_WORDS	8		/* OP_CTL to DC_PHYSICAL, and the target. */
#define FETCH_WORDS	4

/* OP_DATA: a mispredicted branch that was taken. DATA2 and DATA3: a load from remote memory. */
#define MISPREDICTED	(1ull << 37 | 1ull << 36 | 1ull << 35 | 30ull << 16 | 20)
#define LOAD_DATA	(500ull << 16 | 3)
#define REMOTE		(1ull << 4 | 3)
#define LOAD_MISS	(400ull << 32 | 1ull << 20 | 1ull << 7 | 1)
#define NEAR		1ull
#define LINEAR_VALID	(1ull << 17)
#define FETCH_MISS	(60ull << 32 | 1ull << 58 | 1ull << 51 | 1ull << 50)
#define FETCH_RESULT	(0xffffull << 32 | 1ull << 58 | 0xfull << 53 | 3ull << 50)

struct sample {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t address;
	uint32_t size, caps;
	uint64_t reg[OP_WORDS];
};

struct seen {
	uint64_t count, ip_sum, address_sum;
};

static struct seen seen[TD_BD_IBS_KINDS + 1];
static uint64_t seen_all, seen_kinds, in_loop;
static struct td_bd_ibs_truth before[TD_BD_IBS_ENGINES][TD_BD_IBS_KINDS + 1];

static void need_ibs(void)
{
	if (!machine.ibs || machine.executed)
		unfit();
}

static void set_kind(uint32_t engine, uint32_t number, uint64_t weight, uint64_t first,
		     uint64_t second, uint64_t third)
{
	struct td_bd_ibs kind = {
		.engine = engine, .number = number, .weight = weight,
		.word = { first, second, third },
	};

	expect(door(TD_BD_SET_IBS, 0, &kind) == TD_BD_OK, "the back door refused kind %u", number);
}

static struct td_bd_ibs_truth truth_now(uint32_t engine, uint32_t number)
{
	struct td_bd_ibs_truth t = { .engine = engine, .number = number };

	expect(door(TD_BD_IBS, BUSY_CPU, &t) == TD_BD_OK, "no truth about kind %u", number);
	return t;
}

/* The truth of the CPU since remember(). */
static struct td_bd_ibs_truth truth(uint32_t engine, uint32_t number)
{
	const struct td_bd_ibs_truth *then = &before[engine][number];
	struct td_bd_ibs_truth t = truth_now(engine, number);

	t.count -= then->count;
	t.ip_sum -= then->ip_sum;
	t.address_sum -= then->address_sum;
	t.counted -= then->counted;
	t.flushed -= then->flushed;
	return t;
}

static void remember(void)
{
	unsigned int engine, number;

	for (engine = 0; engine < TD_BD_IBS_ENGINES; engine++)
		for (number = 0; number <= TD_BD_IBS_REST; number++)
			before[engine][number] = truth_now(engine, number);
}

static void test_cpuid(void)
{
	unsigned int a, b, c, d, caps = 0;

	if (!machine.amd)
		unfit();
	__cpuid(0x80000001, a, b, c, d);
	expect(!(c >> 10 & 1) == !machine.ibs, "the bit of IBS is %u", c >> 10 & 1);
	__cpuid(0x80000000, a, b, c, d);
	if (a >= 0x8000001b)
		__cpuid(0x8000001b, caps, b, c, d);
	expect(caps == (machine.ibs ? CAPS_ZEN4 : 0), "the capability word is %#x", caps);
}

/* The emulator has 0 in registers that it does not have. */
static void test_absent(void)
{
	struct td_bd_ibs kind = { .weight = 1 };
	struct td_bd_ibs_truth t = { 0 };
	uint64_t value = 0;

	if (machine.ibs)
		unfit();
	if (access("/dev/cpu/0/msr", F_OK))
		skip("this kernel has no driver of registers");
	expect(!msr_try_write(BUSY_CPU, OP_CTL, OP_EN | 0x1000) ||
	       !msr_try_read(BUSY_CPU, OP_CTL, &value) || !value, "it keeps %#llx",
	       (unsigned long long)value);
	expect(!msr_try_read(BUSY_CPU, IBS_CTL, &value) || !value, "an entry is chosen");
	expect(door(TD_BD_SET_IBS, 0, &kind) == TD_BD_EINVAL &&
	       door(TD_BD_IBS, TD_BD_SPACE, &t) == TD_BD_EINVAL, "the back door takes kinds");
}

static void test_registers(void)
{
	uint64_t value;

	need_ibs();
	expect(msr_read(BUSY_CPU, IBS_CTL) == 0x100, "the entry of the APIC is not chosen");
	expect(!msr_try_write(BUSY_CPU, IBS_CTL, 0x101), "the entry can be changed");
	expect(!msr_try_read(BUSY_CPU, OP_DATA4, &value), "OP_DATA4 is there");
	expect(!msr_try_write(BUSY_CPU, OP_CTL, 1ull << 59) &&
	       !msr_try_write(BUSY_CPU, OP_CTL, 1ull << 27) &&
	       !msr_try_write(BUSY_CPU, FETCH_CTL, 1ull << 62), "reserved bits can be set");
	msr_write(BUSY_CPU, OP_CTL, 5ull << 32 | 0x1234);
	expect(msr_read(BUSY_CPU, OP_CTL) == (5ull << 32 | 0x1234), "it does not keep its value");
	/* It counts cycles, stops at the maximum, and stays so. */
	msr_write(BUSY_CPU, OP_RIP, 0);
	msr_write(BUSY_CPU, OP_CTL, OP_EN | 0x1000);
	spin_ms(2);
	value = msr_read(BUSY_CPU, OP_CTL);
	expect(value == (OP_EN | OP_VAL | 0x1000), "after the maximum it is %#llx",
	       (unsigned long long)value);
	expect(msr_read(BUSY_CPU, OP_RIP), "there is no address");
	/* One that has far to go counts; one that is off does not. */
	msr_write(BUSY_CPU, OP_CTL, OP_EN | 0x7full << 20);
	spin_ms(2);
	value = msr_read(BUSY_CPU, OP_CTL);
	expect(value >> 32 > 1000000 && !(value & OP_VAL), "it counted to %llu",
	       (unsigned long long)value >> 32);
	msr_write(BUSY_CPU, OP_CTL, 0x1000);
	spin_ms(2);
	expect(msr_read(BUSY_CPU, OP_CTL) == 0x1000, "it counts while it is off");
	msr_write(BUSY_CPU, OP_CTL, 0);
}

static void test_refused(void)
{
	struct td_bd_ibs kind = { .number = TD_BD_IBS_KINDS, .weight = 1 };
	struct td_bd_ibs_truth t = { .number = TD_BD_IBS_REST + 1 };

	need_ibs();
	expect(door(TD_BD_SET_IBS, 0, &kind) == TD_BD_EINVAL, "a ninth kind");
	kind = (struct td_bd_ibs){ .weight = TD_BD_FRACTION + 1 };
	expect(door(TD_BD_SET_IBS, 0, &kind) == TD_BD_EINVAL, "more than the whole");
	kind = (struct td_bd_ibs){ .weight = 1, .word = { 1ull << 32 } };
	expect(door(TD_BD_SET_IBS, 0, &kind) == TD_BD_EINVAL, "a reserved bit of DATA");
	kind = (struct td_bd_ibs){ .weight = 1, .word = { 0, 0, LINEAR_VALID } };
	expect(door(TD_BD_SET_IBS, 0, &kind) == TD_BD_EINVAL, "a valid bit of the emulator's");
	kind = (struct td_bd_ibs){ .engine = TD_BD_IBS_FETCH, .weight = 1, .word = { FETCH_EN } };
	expect(door(TD_BD_SET_IBS, 0, &kind) == TD_BD_EINVAL, "a fetch that enables the engine");
	set_kind(TD_BD_IBS_OP, 0, TD_BD_FRACTION, 0, 0, 0);
	kind = (struct td_bd_ibs){ .number = 1, .weight = 1 };
	expect(door(TD_BD_SET_IBS, 0, &kind) == TD_BD_EINVAL, "two that are more than the whole");
	expect(door(TD_BD_IBS, TD_BD_SPACE, &t) == TD_BD_EINVAL, "the truth of no kind");
}

static uint32_t pmu_type(const char *name)
{
	char path[96];
	unsigned int type = 0;
	FILE *file;

	snprintf(path, sizeof(path), PMUS "%s/type", name);
	file = fopen(path, "r");
	expect(file && fscanf(file, "%u", &type) == 1 && !fclose(file),
	       "the kernel has not found %s", name);
	return type;
}

static void set(const char *name, const char *value)
{
	FILE *file = fopen(name, "w");

	expect(file && fputs(value, file) > 0 && !fclose(file), "%s: %s", name, strerror(errno));
}

/* It counts a whole CPU, as kernels before 6.2 have none for a task. */
static int sampler(const char *pmu, uint64_t config, uint64_t period)
{
	struct perf_event_attr attr = {
		.type = pmu_type(pmu),
		.size = sizeof(attr),
		.config = config,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_ADDR |
			       PERF_SAMPLE_RAW,
		.disabled = 1,
	};
	int fd;

	/* The rate can be set only while there is a limit of time. */
	set("/proc/sys/kernel/perf_cpu_time_max_percent", "50");
	set("/proc/sys/kernel/perf_event_max_sample_rate", "100000");
	set("/proc/sys/kernel/perf_cpu_time_max_percent", "0");
	fd = syscall(SYS_perf_event_open, &attr, -1, BUSY_CPU, -1, PERF_FLAG_FD_CLOEXEC);
	expect(fd >= 0, "perf_event_open of %s: %s", pmu, strerror(errno));
	return fd;
}

typedef unsigned int kind_of(const struct sample *sample);

static void take(const struct sample *s, kind_of *kind)
{
	struct seen *to;

	expect(s->caps == CAPS_ZEN4, "the sample's capability word is %#x", s->caps);
	to = &seen[kind(s)];
	to->count++;
	to->ip_sum += s->ip;
	to->address_sum += s->address;
	seen_all++;
	if (to == &seen[TD_BD_IBS_REST])
		return;
	/* Only this program has kinds of operations. */
	seen_kinds++;
	in_loop += s->ip >= (uintptr_t)spin_begin && s->ip < (uintptr_t)spin_end;
}

static void drain(struct perf_event_mmap_page *page, kind_of *kind)
{
	const char *data = (const char *)page + PAGE;
	struct sample s;
	size_t i;

	while (page->data_tail != page->data_head) {
		for (i = 0; i < sizeof(s); i++)
			((char *)&s)[i] = data[(page->data_tail + i) % RING];
		expect(s.header.type != PERF_RECORD_LOST &&
		       s.header.type != PERF_RECORD_THROTTLE, "lost or throttled");
		if (s.header.type == PERF_RECORD_SAMPLE)
			take(&s, kind);
		page->data_tail += s.header.size;
	}
}

/* Work for so long under that event, and take all of its samples. */
static void sample(int fd, unsigned int ms, kind_of *kind)
{
	struct perf_event_mmap_page *page;

	page = mmap(NULL, PAGE + RING, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	expect(page != MAP_FAILED, "mmap: %s", strerror(errno));
	remember();
	expect(!ioctl(fd, PERF_EVENT_IOC_ENABLE, 0), "enable: %s", strerror(errno));
	spin_ms(ms);
	expect(!ioctl(fd, PERF_EVENT_IOC_DISABLE, 0), "disable: %s", strerror(errno));
	drain(page, kind);
	munmap(page, PAGE + RING);
	close(fd);
}

/*
 * All that was tagged is there; only a sample that the event's end has thrown away is not, and
 * then sums say nothing.
 */
static void compare(uint32_t engine, uint32_t number)
{
	struct td_bd_ibs_truth t = truth(engine, number);
	const struct seen *s = &seen[number];

	expect(s->count == t.count || s->count + 1 == t.count, "kind %u: %llu samples of %llu",
	       number, (unsigned long long)s->count, (unsigned long long)t.count);
	if (s->count < t.count)
		return;
	expect(s->ip_sum == t.ip_sum && s->address_sum == t.address_sum,
	       "kind %u: the addresses are others", number);
}

static void near(const char *what, double is, double want, double limit)
{
	expect(is > want - limit && is < want + limit, "%s is %.4f, not %.4f", what, is, want);
}

static unsigned int op_kind(const struct sample *s)
{
	const uint64_t *reg = s->reg;

	expect(s->size == sizeof(s->caps) + 8 * OP_WORDS, "a sample has %u bytes", s->size);
	expect(reg[1] == s->ip, "the address of the sample is not that of the register");
	if (reg[2] == MISPREDICTED) {
		expect(!s->address && reg[7] == s->ip, "a branch with an address, or no target");
		return 0;
	}
	if (reg[2] != LOAD_DATA)
		return TD_BD_IBS_REST;
	expect(reg[4] == (LOAD_MISS | LINEAR_VALID) && s->address && reg[5] == s->address,
	       "a load has %#llx and address %#llx", (unsigned long long)reg[4],
	       (unsigned long long)s->address);
	return reg[3] == REMOTE ? 1 : 2;
}

/* Let so many operations be dispatched, and so many retire, as the rates say. */
static void set_ops(uint64_t dispatched, uint64_t retired)
{
	set_profile(&profiles[1]);
	set_rate(DISPATCHED, dispatched);
	set_rate(RETIRED, retired);
	set_kind(TD_BD_IBS_OP, 0, 200000, MISPREDICTED, 0, 0);
	set_kind(TD_BD_IBS_OP, 1, 300000, LOAD_DATA, REMOTE, LOAD_MISS);
	set_kind(TD_BD_IBS_OP, 2, 100000, LOAD_DATA, NEAR, LOAD_MISS);
}

static uint64_t tagged(uint32_t engine)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i <= TD_BD_IBS_REST; i++)
		sum += truth(engine, i).count;
	return sum;
}

static void test_operations(void)
{
	struct td_bd_ibs_truth t;
	unsigned int i;

	need_ibs();
	set_ops(4000000, 4000000);
	sample(sampler("ibs_op", OP_COUNTS_OPS, PERIOD), 200, op_kind);
	expect(seen_kinds > 200, "%llu samples", (unsigned long long)seen_kinds);
	for (i = 0; i <= TD_BD_IBS_REST; i++)
		compare(TD_BD_IBS_OP, i);
	near("the part of branches", ratio(seen[0].count, seen_kinds), 1 / 3.0, 0.06);
	near("the part of remote loads", ratio(seen[1].count, seen_kinds), 1 / 2.0, 0.06);
	near("the part in the loop", ratio(in_loop, seen_kinds), 1, 0.1);
	t = truth(TD_BD_IBS_OP, 0);
	expect(!t.flushed, "%llu were flushed", (unsigned long long)t.flushed);
	near("the period", ratio(t.counted, tagged(TD_BD_IBS_OP)) / PERIOD, 1, 0.02);
}

/* One in four is flushed, and the count starts again. */
static void test_flushed(void)
{
	struct td_bd_ibs_truth t;

	need_ibs();
	set_ops(4000000, 3000000);
	sample(sampler("ibs_op", OP_COUNTS_OPS, PERIOD), 200, op_kind);
	t = truth(TD_BD_IBS_OP, 0);
	near("the part that is flushed", ratio(t.flushed, t.flushed + tagged(TD_BD_IBS_OP)), 0.25,
	     0.06);
	near("the period", ratio(t.counted, t.flushed + tagged(TD_BD_IBS_OP)) / PERIOD, 1, 0.02);
	near("samples", ratio(seen_all, tagged(TD_BD_IBS_OP)), 1, 0.02);
}

static void test_cycles(void)
{
	struct td_bd_truth is, was;
	struct td_bd_ibs_truth t;

	need_ibs();
	set_ops(4000000, 4000000);
	was = truth_cpu(BUSY_CPU);
	sample(sampler("ibs_op", 0, PERIOD / 4), 100, op_kind);
	is = truth_cpu(BUSY_CPU);
	t = truth(TD_BD_IBS_OP, 0);
	/* It stands still from each sample to the end of its interrupt. */
	expect(t.counted > 0 && t.counted <= (is.slots - was.slots) / machine.width &&
	       t.counted > (is.slots - was.slots) / machine.width / 2,
	       "%llu cycles of %llu", (unsigned long long)t.counted,
	       (unsigned long long)(is.slots - was.slots) / machine.width);
	near("the period", ratio(t.counted, tagged(TD_BD_IBS_OP)) / PERIOD * 4, 1, 0.02);
}

/* Only loads from beyond the L3 of this CPU are left. */
static void test_filter(void)
{
	need_ibs();
	set_ops(4000000, 4000000);
	sample(sampler("ibs_op", OP_COUNTS_OPS | OP_L3_ONLY, PERIOD), 200, op_kind);
	expect(seen_all > 50 && seen[1].count == seen_all, "%llu of %llu samples are remote loads",
	       (unsigned long long)seen[1].count, (unsigned long long)seen_all);
	compare(TD_BD_IBS_OP, 1);
}

static unsigned int fetch_kind(const struct sample *s)
{
	const uint64_t *reg = s->reg;

	expect(reg[1] == s->ip, "the address of the sample is not that of the register");
	expect((reg[2] & (PAGE - 1)) == (s->ip & (PAGE - 1)), "the physical address is %#llx of %#llx",
	       (unsigned long long)reg[2], (unsigned long long)s->ip);
	expect(s->size == sizeof(s->caps) + 8 * FETCH_WORDS, "a sample has %u bytes", s->size);
	if ((reg[0] & FETCH_RESULT) != FETCH_MISS)
		return TD_BD_IBS_REST;
	expect(reg[3] == 7, "the extended register is %#llx", (unsigned long long)reg[3]);
	return 3;
}

static void test_fetches(void)
{
	need_ibs();
	set_profile(&profiles[1]);
	set_kind(TD_BD_IBS_FETCH, 3, 250000, FETCH_MISS, 7, 0);
	sample(sampler("ibs_fetch", 0, FETCH_PERIOD), 100, fetch_kind);
	expect(seen_kinds > 100, "%llu samples", (unsigned long long)seen_kinds);
	compare(TD_BD_IBS_FETCH, 3);
	compare(TD_BD_IBS_FETCH, TD_BD_IBS_REST);
	expect(seen[3].count * 4 < seen_all * 3 / 2, "%llu of %llu fetches missed",
	       (unsigned long long)seen[3].count, (unsigned long long)seen_all);
	near("the period", ratio(truth(TD_BD_IBS_FETCH, 3).counted, tagged(TD_BD_IBS_FETCH)) /
	     FETCH_PERIOD, 1, 0.02);
}

/* Nothing interrupts for an event that has gone. */
static void test_off(void)
{
	struct td_bd_truth is, was;

	need_ibs();
	set_ops(4000000, 4000000);
	sample(sampler("ibs_op", OP_COUNTS_OPS, PERIOD), 5, op_kind);
	was = truth_cpu(BUSY_CPU);
	seen_all = tagged(TD_BD_IBS_OP);
	spin_ms(10);
	is = truth_cpu(BUSY_CPU);
	expect(is.slots > was.slots && tagged(TD_BD_IBS_OP) == seen_all, "it goes on");
}

const struct test ibs_tests[] = {
	{ "ibs-cpuid", test_cpuid },
	{ "ibs-absent", test_absent },
	{ "ibs-registers", test_registers },
	{ "ibs-refused", test_refused },
	{ "ibs-operations", test_operations },
	{ "ibs-flushed", test_flushed },
	{ "ibs-cycles", test_cycles },
	{ "ibs-filter", test_filter },
	{ "ibs-fetches", test_fetches },
	{ "ibs-off", test_off },
	{ NULL, NULL },
};
