// SPDX-License-Identifier: GPL-2.0
/*
 * PEBS as the kernel's own driver uses it: each record that reaches a program is compared
 * with what the emulator says it wrote.
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
#include <sys/utsname.h>
#include <unistd.h>

#include "pmu_test.h"

#define RING_PAGES	256
#define PAGE		4096
#define PERIOD		100003ull
#define RATE		300000		/* In a million cycles: 900 events a microsecond. */
/* With an interrupt for each record. */
#define SINGLE_PERIOD	400009ull
#define KERNEL_HALF	(1ull << 63)

/* As the file "latencies" has them, and one that is not there. */
#define CONSTANT	0x41d0
#define CONSTANT_IS	7
#define BIMODAL		0x01d3
#define TAIL		0x04d1
#define DRIFT		0x03c6
#define DRIFT_CAUSE	0x12
#define NONE		0x02d1
#define LOAD_LATENCY	0x01cd
#define STORES		0x82d0

#define SAMPLE		(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | \
			 PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC)
#define REG_R15		23		/* PERF_REG_X86_R15 */
#define MAGIC		0x5afe0123456789abull

struct sample {
	struct perf_event_header header;
	uint64_t ip;
	uint32_t pid, tid;
	uint64_t time, address, weight, source;
	/* With REGS_INTR only. */
	uint64_t abi, r15;
};

struct setup {
	uint64_t config;
	uint32_t type;			/* 0: PERF_TYPE_RAW */
	uint64_t config1;
	uint64_t rate, period;		/* 0: as above. */
	bool single;			/* The driver asks for an interrupt after each record. */
	bool no_user, no_kernel, registers;
	void (*work)(void);
};

struct seen {
	struct td_bd_latency all;
	uint64_t interrupts, events, plain;
	uint64_t user, kernel, in_loop, with_magic;
	uint64_t time;
	uint32_t levels, operations;
	uint32_t histogram[TD_BD_LATENCY_MAX + 1];
};

static struct seen seen;

/* Linux 6.1 does not look at the retire latency, and knows neither of the models. */
static bool kernel_has_it(void)
{
	struct utsname name;

	return !uname(&name) && strncmp(name.release, "6.1.", 4);
}

static void need_pebs(void)
{
	if (!machine.pebs)
		unfit();
}

static struct td_bd_latency truth(uint64_t where, uint64_t config, uint32_t first)
{
	struct td_bd_latency latency = { .config = config, .first = first, .width = 1 };

	expect(door(TD_BD_LATENCY, where, &latency) == TD_BD_OK, "no truth about latencies");
	return latency;
}

/* @leader: -1 for one that counts the same without records, and leads the other. */
static int sampler(const struct setup *s, int leader)
{
	struct perf_event_attr attr = {
		.type = s->type ? s->type : PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = s->config,
		.config1 = s->config1,
		.sample_period = s->period ? s->period : PERIOD,
		.sample_type = SAMPLE | (s->registers ? PERF_SAMPLE_REGS_INTR : 0),
		.sample_regs_intr = s->registers ? 1ull << REG_R15 : 0,
		.disabled = leader < 0,
		.exclude_user = s->no_user,
		.exclude_kernel = s->no_kernel,
		.precise_ip = 2,
		.wakeup_events = s->single,
	};
	int fd;

	if (leader < 0) {
		attr.sample_period = 0;
		attr.precise_ip = 0;
		attr.wakeup_events = 0;
	}
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
	expect(fd >= 0, "perf_event_open %#llx: %s", (unsigned long long)s->config,
	       strerror(errno));
	return fd;
}

/* The driver would take fewer samples where the emulator is slow to handle an interrupt. */
static void set(const char *name, const char *value)
{
	FILE *file = fopen(name, "w");

	expect(file && fputs(value, file) > 0 && !fclose(file), "%s: %s", name, strerror(errno));
}

static void take(const struct sample *s, bool registers)
{
	uint64_t ip = s->ip, retire = s->weight >> 48;

	seen.all.sum += retire;
	seen.all.min = seen.all.count && seen.all.min < retire ? seen.all.min : retire;
	seen.all.max = seen.all.max > retire ? seen.all.max : retire;
	seen.all.count++;
	seen.all.address_sum += s->address;
	seen.all.cache_sum += (uint32_t)s->weight;
	seen.all.instruction_sum += s->weight >> 32 & 0xffff;
	seen.histogram[retire]++;
	seen.levels |= 1u << (s->source >> PERF_MEM_LVLNUM_SHIFT & 0xf);
	seen.operations |= s->source & 0x1f;
	if (ip & KERNEL_HALF)
		seen.kernel++;
	else
		seen.user++;
	if (ip >= (uintptr_t)spin_begin && ip < (uintptr_t)spin_end)
		seen.in_loop++;
	if (registers && s->r15 == MAGIC)
		seen.with_magic++;
	expect(s->time >= seen.time, "a sample is of an earlier time than the one before");
	seen.time = s->time;
}

static void take_all(struct perf_event_mmap_page *page, bool registers)
{
	char *ring = (char *)page + page->data_offset;
	uint64_t at = page->data_tail;

	while (at < page->data_head) {
		struct sample s = { 0 };
		char *to = (char *)&s;
		size_t i;

		for (i = 0; i < sizeof(s); i++)
			to[i] = ring[(at + i) % page->data_size];
		expect(s.header.type != PERF_RECORD_LOST, "the ring buffer was full");
		if (s.header.type == PERF_RECORD_SAMPLE)
			take(&s, registers);
		at += s.header.size;
	}
	page->data_tail = at;
}

static void spin_long(void)
{
	spin_ms(100);
}

/* Starts with a truth of nothing, because the profile is a new one. */
static void sample(const struct setup *s)
{
	struct perf_event_mmap_page *page;
	struct td_bd_truth cpu;
	int leader, fd;

	memset(&seen, 0, sizeof(seen));
	set("/proc/sys/kernel/perf_cpu_time_max_percent", "25");
	set("/proc/sys/kernel/perf_event_max_sample_rate", "100000");
	set("/proc/sys/kernel/perf_cpu_time_max_percent", "0");
	set_profile(&profiles[0]);
	set_rate(s->config | TD_BD_FRONTEND(s->config1 * (s->config == DRIFT)),
		 s->rate ? s->rate : RATE);
	leader = sampler(s, -1);
	fd = sampler(s, leader);
	page = mmap(NULL, (1 + RING_PAGES) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	expect(page != MAP_FAILED, "mmap of an event: %s", strerror(errno));
	cpu = truth_cpu(BUSY_CPU);
	ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	(s->work ? s->work : spin_long)();
	ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
	seen.interrupts = truth_cpu(BUSY_CPU).pmi - cpu.pmi;
	take_all(page, s->registers);
	expect(read(fd, &seen.events, sizeof(seen.events)) == sizeof(seen.events) &&
	       read(leader, &seen.plain, sizeof(seen.plain)) == sizeof(seen.plain),
	       "cannot read an event");
	munmap(page, (1 + RING_PAGES) * PAGE);
	close(fd);
	close(leader);
}

static void same(const char *name, const char *what, uint64_t had, uint64_t is)
{
	expect(had == is, "%s: the %s is %llu, %llu is true", name, what,
	       (unsigned long long)had, (unsigned long long)is);
}

static void check_histogram(const char *name, uint64_t config)
{
	struct td_bd_latency is = { 0 };
	uint32_t i;

	for (i = 0; i <= TD_BD_LATENCY_MAX; i++) {
		if (i % TD_BD_BINS == 0)
			is = truth(TD_BD_SPACE, config, i);
		expect(seen.histogram[i] == is.bin[i % TD_BD_BINS],
		       "%s: %u records of latency %u, %llu is true", name, seen.histogram[i], i,
		       (unsigned long long)is.bin[i % TD_BD_BINS]);
	}
}

/* All that the emulator wrote, and nothing else, has come. */
static void check(const char *name, uint64_t config)
{
	struct td_bd_latency is = truth(TD_BD_SPACE, config, 0);

	expect(seen.all.count > (machine.icount ? 100 : 0), "%s: only %llu records", name,
	       (unsigned long long)seen.all.count);
	same(name, "number of records", seen.all.count, is.count);
	/* Where the host lets the emulator wait, many records come at once. */
	expect(!is.lost || !machine.icount, "%s: %llu records had no room", name,
	       (unsigned long long)is.lost);
	same(name, "sum of addresses", seen.all.address_sum, is.address_sum);
	if (!kernel_has_it()) {
		expect(!seen.all.sum, "%s: this kernel shows a retire latency", name);
		return;
	}
	same(name, "sum of latencies of the cache", seen.all.cache_sum, is.cache_sum);
	same(name, "sum of latencies of instructions", seen.all.instruction_sum,
	     is.instruction_sum);
	same(name, "sum", seen.all.sum, is.sum);
	same(name, "minimum", seen.all.min, is.min);
	same(name, "maximum", seen.all.max, is.max);
	check_histogram(name, config);
}

static void test_registers(void)
{
	static const uint32_t ours[] = { 0x1a6, 0x1a7, 0x3f6, 0x3f7, 0x3f1, 0x3f2 };
	unsigned int a, b, c, d;
	size_t i;

	need_intel();
	__cpuid(1, a, b, c, d);
	expect((d >> 21 & 1) == machine.pebs && (c >> 2 & 1) == machine.pebs,
	       "CPUID has DS %u and DTES64 %u", d >> 21 & 1, c >> 2 & 1);
	need_pebs();
	expect((msr_read(IDLE_CPU, 0x345) & 0x24fc0) == 0x244c0, "PERF_CAPABILITIES %#llx",
	       (unsigned long long)msr_read(IDLE_CPU, 0x345));
	expect((msr_read(IDLE_CPU, 0x1a0) & 0x1800) == 0x800, "MISC_ENABLE %#llx",
	       (unsigned long long)msr_read(IDLE_CPU, 0x1a0));
	expect(msr_read(IDLE_CPU, 0x600) & KERNEL_HALF, "the driver has set no DS_AREA");
	expect(!msr_try_write(IDLE_CPU, 0x600, 1ull << 47), "DS_AREA takes what is no address");
	for (i = 0; i < sizeof(ours) / sizeof(*ours); i++) {
		uint64_t old = msr_read(IDLE_CPU, ours[i]);

		msr_write(IDLE_CPU, ours[i], 5);
		expect(msr_read(IDLE_CPU, ours[i]) == 5, "MSR %#x does not keep 5", ours[i]);
		msr_write(IDLE_CPU, ours[i], old);
	}
	expect(!msr_try_write(IDLE_CPU, 0x3f1, 1 << 8) &&
	       !msr_try_write(IDLE_CPU, 0x3f1, 1ull << 36) &&
	       !msr_try_write(IDLE_CPU, 0x3f1, 1ull << 63), "PEBS_ENABLE takes reserved bits");
	expect(msr_try_write(IDLE_CPU, 0x3f2, 0xff00000f) &&
	       msr_read(IDLE_CPU, 0x3f2) == 0xff00000f,
	       "PEBS_DATA_CFG does not take last branch records");
	msr_write(IDLE_CPU, 0x3f2, 0);
	expect(!msr_try_write(IDLE_CPU, 0x3f2, 0x10) &&
	       !msr_try_write(IDLE_CPU, 0x3f2, 1 << 23) &&
	       !msr_try_write(IDLE_CPU, 0x3f2, 1ull << 32),
	       "PEBS_DATA_CFG takes reserved bits");
	expect(!msr_try_write(IDLE_CPU, 0x3f6, 1 << 16), "the threshold takes 17 bits");
	expect(!msr_try_write(IDLE_CPU, 0x3f7, 1 << 23), "the cause takes 24 bits");
}

/* The driver's two ways: an interrupt for each record, and one for a buffer of them. */
static void one_distribution(void *arg)
{
	const struct setup *s = arg;
	uint64_t config = s->config | TD_BD_FRONTEND(s->config1);
	uint64_t slack;
	char name[32];

	snprintf(name, sizeof(name), "%#llx %s", (unsigned long long)config,
		 s->single ? "one by one" : "many");
	sample(s);
	check(name, config);
	if (!machine.icount)
		return;
	if (s->single)
		expect(seen.interrupts >= seen.all.count, "%s: %llu interrupts for %llu records",
		       name, (unsigned long long)seen.interrupts,
		       (unsigned long long)seen.all.count);
	else
		expect(seen.interrupts < seen.all.count / 100 + 10,
		       "%s: %llu interrupts for %llu records", name,
		       (unsigned long long)seen.interrupts, (unsigned long long)seen.all.count);
	expect(seen.events / s->period == seen.all.count, "%s: %llu records of %llu events",
	       name, (unsigned long long)seen.all.count, (unsigned long long)seen.events);
	/*
	 * A counter that starts again from a wrong value has other events in the end.  One
	 * that the driver writes loses a part of an event each time.
	 */
	slack = 2 + (s->single ? seen.interrupts : 0);
	expect(seen.events <= seen.plain + 2 && seen.plain <= seen.events + slack,
	       "%s: %llu events with records, %llu without", name,
	       (unsigned long long)seen.events, (unsigned long long)seen.plain);
}

static void test_distributions(void)
{
	static const uint16_t config[] = { CONSTANT, BIMODAL, TAIL, DRIFT, NONE, STORES };
	struct setup s = { 0 };
	unsigned int i;

	need_pebs();
	for (i = 0; i < 2 * sizeof(config) / sizeof(*config); i++) {
		s.config = config[i / 2];
		s.config1 = s.config == DRIFT ? DRIFT_CAUSE : 0;
		s.single = i % 2;
		if (s.config == DRIFT && !kernel_has_it())
			continue;
		s.period = s.single ? SINGLE_PERIOD : PERIOD;
		in_child(one_distribution, &s);
	}
}

/* The figures that the file asks for, so that the truth itself is right. */
static void test_shapes(void)
{
	struct setup s = { .config = CONSTANT };
	struct td_bd_latency is;

	need_pebs();
	sample(&s);
	is = truth(TD_BD_SPACE, CONSTANT, 0);
	expect(is.min == CONSTANT_IS && is.max == CONSTANT_IS && is.bin[CONSTANT_IS] == is.count,
	       "a constant is %llu to %llu", (unsigned long long)is.min,
	       (unsigned long long)is.max);
	s.config = BIMODAL;
	sample(&s);
	is = truth(TD_BD_SPACE, BIMODAL, 100);
	expect(is.bin[0] > 0.65 * is.count && is.bin[0] < 0.75 * is.count && is.max == 400,
	       "%llu of %llu are the shorter", (unsigned long long)is.bin[0],
	       (unsigned long long)is.count);
	s.config = TAIL;
	s.period = 30011;
	sample(&s);
	is = truth(TD_BD_SPACE, TAIL, 40);
	expect(is.min >= 20 && is.min < 23 && is.max > 2000, "a tail from %llu to %llu",
	       (unsigned long long)is.min, (unsigned long long)is.max);
	if (!kernel_has_it())
		return;
	s.config = DRIFT;
	s.config1 = DRIFT_CAUSE;
	sample(&s);
	is = truth(TD_BD_SPACE, DRIFT | TD_BD_FRONTEND(DRIFT_CAUSE), 0);
	/* Where the host stops a CPU it does not see all of the way. */
	expect(is.min < (machine.icount ? 100 : 500) && is.max > (machine.icount ? 900 : 500) &&
	       (!machine.icount || (is.sum > 400 * is.count && is.sum < 600 * is.count)),
	       "a drift from %llu to %llu", (unsigned long long)is.min,
	       (unsigned long long)is.max);
}

/* Nothing happens, nothing comes; and one cause's records are not another's. */
static void test_nothing(void)
{
	struct setup s = { .config = DRIFT, .config1 = DRIFT_CAUSE + 1 };

	need_pebs();
	set_profile(&profiles[0]);
	set_rate(DRIFT | TD_BD_FRONTEND(DRIFT_CAUSE), RATE);
	s.rate = 1;
	s.period = 1ull << 40;
	sample(&s);
	expect(!seen.all.count && !truth(TD_BD_SPACE, DRIFT, 0).count &&
	       !truth(TD_BD_SPACE, DRIFT | TD_BD_FRONTEND(DRIFT_CAUSE), 0).count,
	       "there are records of what did not happen");
}

static void calls(void)
{
	uint64_t end = now_ns() + 50000000;
	volatile int i;

	do {
		for (i = 0; i < 300; i++)
			;
		getppid();
	} while (now_ns() < end);
}

/* The record is of the ring that the counter counts. */
static void test_rings(void)
{
	struct setup s = { .config = CONSTANT, .period = 20011, .work = calls };

	need_pebs();
	s.no_kernel = true;
	sample(&s);
	check("user mode", CONSTANT);
	expect(!seen.kernel, "%llu of %llu records are of the kernel",
	       (unsigned long long)seen.kernel, (unsigned long long)seen.all.count);
	s.no_kernel = false;
	s.no_user = true;
	sample(&s);
	check("kernel", CONSTANT);
	expect(!seen.user, "%llu of %llu records are of user mode",
	       (unsigned long long)seen.user, (unsigned long long)seen.all.count);
	s.no_user = false;
	sample(&s);
	check("both", CONSTANT);
	expect(seen.user && seen.kernel, "one ring has no records");
}

static void spin_magic(void)
{
	uint64_t end = now_ns() + 100000000;

	do {
		register uint64_t magic asm("r15") = MAGIC;
		uint64_t rounds = 1000000;

		asm volatile("1: sub $1, %0\n\tjnz 1b" : "+r" (rounds) : "r" (magic));
	} while (now_ns() < end);
}

static void test_state(void)
{
	struct setup s = { .config = CONSTANT, .registers = true, .no_kernel = true,
			   .work = spin_magic };

	need_pebs();
	sample(&s);
	check("registers", CONSTANT);
	expect(seen.with_magic > (machine.icount ? 0.9 : 0.1) * seen.all.count,
	       "%llu of %llu records have the register",
	       (unsigned long long)seen.with_magic, (unsigned long long)seen.all.count);
	s.registers = false;
	s.work = NULL;
	sample(&s);
	check("the loop", CONSTANT);
	expect(seen.in_loop > (machine.icount ? 0.9 : 0.1) * seen.all.count,
	       "%llu of %llu records are in the loop",
	       (unsigned long long)seen.in_loop, (unsigned long long)seen.all.count);
}

/* Loads are above the threshold and of all levels. */
static void test_loads(void)
{
	struct setup s = { .config = LOAD_LATENCY, .config1 = 300 };
	uint64_t mean;

	need_pebs();
	if (!kernel_has_it())
		skip("this kernel does not know the model");
	sample(&s);
	check("load latency", LOAD_LATENCY);
	mean = seen.all.cache_sum / seen.all.count;
	expect(mean > 301 && mean < 556, "the loads took %llu cycles", (unsigned long long)mean);
	expect(__builtin_popcount(seen.levels) >= 4, "loads of too few levels: %#x", seen.levels);
	expect(seen.operations == PERF_MEM_OP_LOAD, "loads are %#x", seen.operations);
	s.config = STORES;
	s.config1 = 0;
	sample(&s);
	expect(seen.operations == PERF_MEM_OP_STORE, "stores are %#x", seen.operations);
}

/* The truth of a CPU has what all of its spaces had. */
static void test_of_cpu(void)
{
	struct setup s = { .config = BIMODAL };
	struct td_bd_latency old, is;

	need_pebs();
	old = truth(BUSY_CPU, BIMODAL, 100);
	sample(&s);
	is = truth(BUSY_CPU, BIMODAL, 100);
	expect(is.count - old.count == seen.all.count && is.sum - old.sum ==
	       truth(TD_BD_SPACE, BIMODAL, 0).sum, "a CPU's truth is another than its space's");
	expect(!truth(IDLE_CPU, BIMODAL, 0).count, "another CPU has records");
}

static uint32_t atom_type(void)
{
	FILE *file = fopen("/sys/bus/event_source/devices/cpu_atom/type", "r");
	uint32_t type = 0;

	expect(file && fscanf(file, "%u", &type) == 1, "there is no cpu_atom");
	fclose(file);
	return type;
}

/* An E-core makes records too, but has no retire latency to put there. */
static void test_small(void)
{
	struct setup s = { .config = NONE };

	need_pebs();
	if (!machine.e_width)
		unfit();
	pin(sysconf(_SC_NPROCESSORS_ONLN) - 1);
	s.type = atom_type();
	sample(&s);
	check("E-core", NONE);
	s.config = BIMODAL;
	sample(&s);
	check("E-core", BIMODAL);
	expect(!seen.all.sum, "an E-core has a retire latency");
}

const struct test pebs_tests[] = {
	{ "pebs-registers", test_registers },
	{ "pebs-distributions", test_distributions },
	{ "pebs-shapes", test_shapes },
	{ "pebs-nothing", test_nothing },
	{ "pebs-rings", test_rings },
	{ "pebs-state", test_state },
	{ "pebs-loads", test_loads },
	{ "pebs-of-cpu", test_of_cpu },
	{ "pebs-small", test_small },
	{ NULL, NULL },
};
