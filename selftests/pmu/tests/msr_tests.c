// SPDX-License-Identifier: GPL-2.0
/* CPUID and the registers, raw, on a CPU where the kernel counts nothing. */
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "pmu_test.h"

#define MSR_CPU		3

#define PMC0		0x0c1
#define EVTSEL0		0x186
#define FIXED0		0x309
#define FIXED3		0x30c
#define METRICS		0x329
#define CAPABILITIES	0x345
#define FIXED_CTRL	0x38d
#define STATUS		0x38e
#define GLOBAL_CTRL	0x38f
#define STATUS_RESET	0x390
#define STATUS_SET	0x391
#define PEBS_ENABLE	0x3f1
#define A_PMC0		0x4c1

#define APIC		0xfee00000
#define APIC_LVTPC	0x340
#define LVT_NMI		0x400
#define LVT_MASKED	0x10000

#define TOP		(1ull << 48)
#define EN_SLOTS	(1ull << 35)
#define EN_METRICS	(1ull << 48)
#define SLOTS_ALL_RINGS	0x3000
#define CYCLES_ALL_RINGS 0x43003c	/* EN, OS and USR. */

/* The last fixed counter: SLOTS on those that have it. */
#define LAST_FIXED	(FIXED0 + machine.fixed - 1)
#define EN_LAST_FIXED	(1ull << (31 + machine.fixed))
#define LAST_FIELD(bits) ((uint64_t)(bits) << (4 * (machine.fixed - 1)))

/* KVM shows guests of version 2 no PERF_CAPABILITIES. */
#define HAS_CAPABILITIES (!machine.hypervisor || machine.version > 2)

/* All bits of a general counter can be written. */
#define FULL_PMC0	(machine.narrow ? PMC0 : A_PMC0)

static uint64_t rd(uint32_t msr)
{
	return msr_read(MSR_CPU, msr);
}

static void wr(uint32_t msr, uint64_t value)
{
	msr_write(MSR_CPU, msr, value);
}

static bool readable(uint32_t msr)
{
	uint64_t value;

	return msr_try_read(MSR_CPU, msr, &value);
}

static bool takes(uint32_t msr, uint64_t value)
{
	return msr_try_write(MSR_CPU, msr, value);
}

/* The kernel's watchdog has a counter on every CPU, and would write registers. */
static void watchdog(const char *on)
{
	int fd = open("/proc/sys/kernel/nmi_watchdog", O_WRONLY);

	expect(fd >= 0 && write(fd, on, 1) == 1, "cannot switch the watchdog: %s",
	       strerror(errno));
	close(fd);
}

/* Runs body with all counters stopped, and leaves the registers as they were. */
static void alone(void (*body)(void))
{
	static const uint32_t kept[] = { FIXED_CTRL, EVTSEL0, GLOBAL_CTRL };
	uint64_t value[3];
	int i;

	need_intel();
	watchdog("0");
	pin(MSR_CPU);
	for (i = 0; i < 3; i++)
		value[i] = rd(kept[i]);
	wr(GLOBAL_CTRL, 0);
	body();
	for (i = 0; i < 3; i++)
		wr(kept[i], value[i]);
	watchdog("1");
}

static void test_cpuid(void)
{
	unsigned int max, a, b, c, d, model;
	char vendor[13] = "";

	pin(MSR_CPU);
	__cpuid(0, max, b, c, d);
	memcpy(vendor, &b, 4);
	memcpy(vendor + 4, &d, 4);
	memcpy(vendor + 8, &c, 4);
	expect(!strcmp(vendor, machine.amd ? "AuthenticAMD" : "GenuineIntel"),
	       "vendor %s", vendor);
	__cpuid(1, a, b, c, d);
	expect(c >> 31 == machine.hypervisor, "the hypervisor bit is %u", c >> 31);
	expect((c >> 15 & 1) == (machine.pmu && !machine.amd && HAS_CAPABILITIES),
	       "PDCM is %u", c >> 15 & 1);
	model = (a >> 4 & 0xf) | (a >> 12 & 0xf0);
	if (machine.model)
		expect(model == machine.model, "model %u", model);
	if (max < 0xa || machine.amd)
		return;
	__cpuid_count(0xa, 0, a, b, c, d);
	if (!machine.pmu) {
		expect(!(a & 0xff), "PMU version %u", a & 0xff);
		return;
	}
	/* A P-core lists what the E-cores have too, and has more. */
	if (machine.e_width)
		expect(a == 0x07300605 && b == 0 && c == 0x7 && d == 0x8603,
		       "leaf 0xa is %#x %#x %#x %#x", a, b, c, d);
	else
		expect(a == ((machine.fixed > 3 ? 0x08300000 : 0x07300000) |
			     machine.gp << 8 | machine.version) && b == 0 &&
		       c == (machine.version > 4 ? (1u << machine.fixed) - 1 : 0) &&
		       d == ((machine.version > 4 || machine.hypervisor ? 0x8600 : 0x0600) |
			     machine.fixed),
		       "leaf 0xa is %#x %#x %#x %#x", a, b, c, d);
}

static void test_present(void)
{
	uint64_t caps = (machine.narrow ? 0 : 1 << 13) | (machine.metrics ? 1 << 15 : 0);

	/* Trap-like records of format 4 with all registers, for all counters, and timed. */
	if (machine.pebs)
		caps |= 1 << 6 | 1 << 7 | 4 << 8 | 1 << 14 | 1 << 17;
	need_intel();
	expect(readable(CAPABILITIES) == HAS_CAPABILITIES, "PERF_CAPABILITIES");
	if (HAS_CAPABILITIES)
		expect(rd(CAPABILITIES) == caps, "PERF_CAPABILITIES %#llx",
		       (unsigned long long)rd(CAPABILITIES));
	expect(readable(PMC0 + machine.gp - 1) && readable(EVTSEL0 + machine.gp - 1),
	       "there are fewer than %u general counters", machine.gp);
	expect(readable(A_PMC0 + machine.gp - 1) == !machine.narrow, "full-width counters");
	expect(readable(LAST_FIXED), "there are fewer than %u fixed counters", machine.fixed);
	expect(readable(STATUS_SET) == (machine.version > 3), "GLOBAL_STATUS_SET");
	expect(readable(METRICS) == !!machine.metrics, "PERF_METRICS");
}

static void test_absent(void)
{
	const uint32_t absent[] = {
		PMC0 + machine.gp, A_PMC0 + machine.gp, EVTSEL0 + machine.gp,
		FIXED0 + machine.fixed, FIXED3 + 1, FIXED3 + 3, PEBS_ENABLE,
	};
	static const uint32_t present[] = {
		PMC0, A_PMC0, EVTSEL0, FIXED3, METRICS, CAPABILITIES, GLOBAL_CTRL,
	};
	size_t i;

	if (machine.pmu)
		need_intel();
	for (i = 0; i < sizeof(absent) / sizeof(*absent); i++) {
		if (absent[i] == PEBS_ENABLE && machine.pebs)
			continue;
		expect(!readable(absent[i]), "MSR %#x can be read", absent[i]);
		expect(!takes(absent[i], 0), "MSR %#x can be written", absent[i]);
	}
	if (machine.pmu)
		return;
	for (i = 0; i < sizeof(present) / sizeof(*present); i++)
		expect(!readable(present[i]), "MSR %#x without a PMU", present[i]);
}

static void reserved(void)
{
	uint64_t global = (EN_LAST_FIXED * 2 - (1ull << 32)) | ((1 << machine.gp) - 1);

	if (machine.metrics)
		global |= EN_METRICS;
	expect(rd(GLOBAL_CTRL) == 0, "GLOBAL_CTRL does not keep 0");
	expect(!takes(STATUS, 0), "GLOBAL_STATUS can be written");
	expect(!takes(CAPABILITIES, 0), "PERF_CAPABILITIES can be written");
	expect(!takes(GLOBAL_CTRL, 1 << machine.gp) && !takes(GLOBAL_CTRL, EN_LAST_FIXED * 2) &&
	       !takes(GLOBAL_CTRL, 1ull << 49), "GLOBAL_CTRL takes reserved bits");
	expect(takes(GLOBAL_CTRL, EN_METRICS) == !!machine.metrics, "GLOBAL_CTRL bit 48");
	wr(GLOBAL_CTRL, 0);
	expect(!takes(STATUS_RESET, 1 << machine.gp) && takes(STATUS_RESET, global),
	       "STATUS_RESET has the wrong bits");
	expect(!takes(EVTSEL0, 1ull << 32) && takes(EVTSEL0, 1 << 21) == machine.any,
	       "PERFEVTSEL takes reserved bits");
	wr(EVTSEL0, 0);
	expect(takes(FIXED_CTRL, LAST_FIELD(4)) == machine.any &&
	       !takes(FIXED_CTRL, 1 << (4 * machine.fixed)),
	       "FIXED_CTR_CTRL takes reserved bits");
	wr(FIXED_CTRL, 0);
	expect(!takes(LAST_FIXED, TOP), "a counter takes 49 bits");
	wr(PMC0, 0x180000000);
	expect(rd(PMC0) == TOP - 0x80000000, "the old counter number does not extend the sign");
	if (!machine.narrow) {
		expect(!takes(A_PMC0, TOP), "a counter takes 49 bits");
		wr(A_PMC0, TOP - 1);
		expect(rd(PMC0) == TOP - 1, "the full-width counter lost bits");
	}
	wr(PMC0, 0);
	if (machine.metrics == 4)
		expect(!takes(METRICS, 1ull << 32), "PERF_METRICS takes a fifth byte");
}

static void test_reserved(void)
{
	alone(reserved);
}

static void run_slots(uint64_t global)
{
	wr(GLOBAL_CTRL, global);
	spin_ms(3);
	wr(GLOBAL_CTRL, 0);
}

static void reset_both(void)
{
	wr(FIXED3, 0);
	wr(METRICS, 0);
}

static void check(const struct td_bd_profile *f, const char *when)
{
	uint64_t metrics = rd(METRICS);
	unsigned int i;

	for (i = 0; i < machine.metrics; i++)
		expect((metrics >> (8 * i) & 0xff) == byte_of(f, i),
		       "%s: PERF_METRICS %#llx", when, (unsigned long long)metrics);
}

static void metrics(void)
{
	const struct td_bd_profile *f = &profiles[3];
	uint64_t seed = 0x1020304fc010101ull;	/* Level 1 sums to 255. */

	if (machine.metrics == 4)
		seed &= 0xffffffff;
	set_profile(f);
	wr(FIXED_CTRL, SLOTS_ALL_RINGS);
	reset_both();
	run_slots(EN_SLOTS | EN_METRICS);
	expect(rd(FIXED3) > 0, "no slots");
	check(f, "after a run");
	reset_both();
	expect(!rd(FIXED3) && !rd(METRICS), "the reset left something");
	run_slots(EN_SLOTS | EN_METRICS);
	check(f, "after a reset and a run");

	/* Counting goes on from what is written. */
	wr(FIXED3, 255000000);
	wr(METRICS, seed);
	expect(rd(METRICS) == seed, "PERF_METRICS %#llx reads back as %#llx",
	       (unsigned long long)seed, (unsigned long long)rd(METRICS));
	reset_both();
	run_slots(EN_SLOTS);
	expect(rd(FIXED3) && !rd(METRICS), "the metrics run without GLOBAL_CTRL bit 48");
}

static void test_metrics(void)
{
	need_metrics();
	alone(metrics);
}

/*
 * Two programs share the counters, and what the first had counted is restored each time it
 * runs again.  Its phases change, so the parts of a step that bytes do not show differ.
 */
#define RESTORES	96

struct hidden {
	uint64_t slots;
	/* Slots that retire, in millionths: all, and as a restore from bytes leaves them. */
	unsigned __int128 exact, seeded;
};

static unsigned int byte_of_hidden(unsigned __int128 micro, uint64_t slots)
{
	unsigned __int128 whole = (unsigned __int128)slots * TD_BD_FRACTION;

	return (micro * 0xff + (machine.quant == TD_BD_QUANT_ROUND ? whole / 2 : 0)) / whole;
}

static void count_phase(struct hidden *hidden, const struct td_bd_profile *f)
{
	uint64_t slots;

	set_profile(f);
	run_slots(EN_SLOTS | EN_METRICS);
	slots = rd(FIXED3) - hidden->slots;
	hidden->exact += (unsigned __int128)slots * f->fraction[TD_BD_RETIRING];
	hidden->seeded += (unsigned __int128)slots * f->fraction[TD_BD_RETIRING];
	hidden->slots += slots;
}

static void save_and_restore(struct hidden *hidden)
{
	uint64_t metrics = rd(METRICS);

	reset_both();
	set_profile(&profiles[1]);
	run_slots(EN_SLOTS | EN_METRICS);
	wr(FIXED3, hidden->slots);
	wr(METRICS, metrics);
	expect(rd(METRICS) == metrics, "PERF_METRICS %#llx, restored, are %#llx",
	       (unsigned long long)metrics, (unsigned long long)rd(METRICS));
	hidden->seeded = ((unsigned __int128)hidden->slots * TD_BD_FRACTION * (metrics & 0xff) +
			  0xfe) / 0xff;
}

static void restores(enum td_bd_restore way)
{
	struct hidden hidden = { 0 };
	unsigned int i, exact, seeded, want, differ = 0;

	expect(door(TD_BD_SET_RESTORE, way, NULL) == TD_BD_OK, "no such restore");
	reset_both();
	for (i = 0; i < RESTORES; i++) {
		count_phase(&hidden, &profiles[3 + i % 3]);
		exact = byte_of_hidden(hidden.exact, hidden.slots);
		seeded = byte_of_hidden(hidden.seeded, hidden.slots);
		want = way == TD_BD_RESTORE_EXACT ? exact : seeded;
		differ += exact != seeded;
		expect((rd(METRICS) & 0xff) == want, "restore %u: %u, not %u", i,
		       (unsigned int)rd(METRICS) & 0xff, want);
		save_and_restore(&hidden);
	}
	expect(differ, "the two ways do not differ here");
}

static void both_restores(void)
{
	wr(FIXED_CTRL, SLOTS_ALL_RINGS);
	restores(TD_BD_RESTORE_BYTES);
	restores(TD_BD_RESTORE_EXACT);
	/* Nobody has read this: it can only be a seed. */
	wr(FIXED3, 255000001);
	wr(METRICS, 0xff);
	expect(rd(METRICS) == 0xff, "a seed reads %#llx", (unsigned long long)rd(METRICS));
}

static void test_restore(void)
{
	need_metrics();
	alone(both_restores);
}

/*
 * Software that resets only one of the two must not get away with it.  How far
 * off it is depends on the lengths of the runs, which on a busy host are random:
 * one try of several has to show it.
 */
static bool metrics_alone(void)
{
	reset_both();
	run_slots(EN_SLOTS | EN_METRICS);
	run_slots(EN_SLOTS | EN_METRICS);
	wr(METRICS, 0);
	run_slots(EN_SLOTS | EN_METRICS);
	return (rd(METRICS) & 0xff) < 0x30;
}

static bool slots_alone(void)
{
	reset_both();
	run_slots(EN_SLOTS | EN_METRICS);
	run_slots(EN_SLOTS | EN_METRICS);
	wr(FIXED3, 0);
	run_slots(EN_SLOTS | EN_METRICS);
	return (rd(METRICS) & 0xff) > 0x60;
}

static bool any_of(int tries, bool (*once)(void))
{
	while (tries--) {
		if (once())
			return true;
		again("a reset of half of the counters");
	}
	return false;
}

static void half_reset(void)
{
	set_profile(&profiles[0]);		/* A byte of 0x3f or 0x40. */
	wr(FIXED_CTRL, SLOTS_ALL_RINGS);
	expect(any_of(10, metrics_alone), "a reset of PERF_METRICS alone goes unnoticed");
	expect(any_of(10, slots_alone), "a reset of FIXED_CTR3 alone goes unnoticed");
}

static void test_half_reset(void)
{
	need_metrics();
	alone(half_reset);
}

static void overflow(void)
{
	wr(EVTSEL0, CYCLES_ALL_RINGS);
	wr(FIXED_CTRL, LAST_FIELD(3));
	wr(FULL_PMC0, TOP - 1000);
	wr(LAST_FIXED, TOP - 1000);
	wr(STATUS_RESET, 1 | EN_LAST_FIXED);
	expect(!rd(STATUS), "GLOBAL_STATUS is not clear");
	run_slots(EN_LAST_FIXED | 1);
	expect(rd(STATUS) == (EN_LAST_FIXED | 1), "GLOBAL_STATUS %#llx after two overflows",
	       (unsigned long long)rd(STATUS));
	expect(rd(PMC0) < TOP / 2 && rd(LAST_FIXED) < TOP / 2, "the counters did not wrap");
	wr(STATUS_RESET, 1);
	expect(rd(STATUS) == EN_LAST_FIXED, "STATUS_RESET cleared the wrong bits");
	wr(STATUS_RESET, EN_LAST_FIXED);
	expect(!rd(STATUS), "GLOBAL_STATUS cannot be cleared");
	expect(takes(STATUS_SET, 2) == (machine.version > 3), "STATUS_SET");
	expect(rd(STATUS) == (machine.version > 3 ? 2 : 0), "what STATUS_SET has set");
	wr(STATUS_RESET, 2);
}

static void test_overflow(void)
{
	alone(overflow);
}

/* The kernel's handler answers the interrupt, if it has any event anywhere. */
static void metrics_overflow(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .size = sizeof(attr), .config = CONFIG_CYCLES,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	uint64_t before;

	expect(fd >= 0, "perf_event_open: %s", strerror(errno));
	set_profile(&profiles[1]);		/* All retiring. */
	wr(FIXED_CTRL, SLOTS_ALL_RINGS);
	wr(FIXED3, TOP - 1000);
	wr(METRICS, 0xff);
	before = truth_cpu(MSR_CPU).pmi;
	run_slots(EN_SLOTS | EN_METRICS);
	expect(truth_cpu(MSR_CPU).pmi == before + 1, "%llu interrupts after a metric's overflow",
	       (unsigned long long)(truth_cpu(MSR_CPU).pmi - before));
	expect(!(rd(STATUS) & EN_METRICS), "the handler left GLOBAL_STATUS bit 48");
	close(fd);
}

static void test_metrics_overflow(void)
{
	struct utsname name;

	need_metrics();
	/* adl_update_topdown_event() of Linux 6.1 looks into the event NULL. */
	if (machine.e_width && !uname(&name) && !strncmp(name.release, "6.1.", 4))
		skip("the handler of this kernel dies of it on a hybrid machine");
	alone(metrics_overflow);
}

/*
 * With no event anywhere the kernel's handler does not touch the interrupt
 * entry, so that what the processor does with it can be seen.
 */
static void lvt_mask(void)
{
	volatile uint32_t *apic;
	uint64_t before = truth_cpu(MSR_CPU).pmi;
	int fd = open("/dev/mem", O_RDWR | O_SYNC), i;

	expect(fd >= 0, "/dev/mem: %s", strerror(errno));
	apic = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, APIC);
	expect(apic != MAP_FAILED, "mmap of the APIC: %s", strerror(errno));
	expect(apic[APIC_LVTPC / 4] == LVT_NMI, "LVT PC is %#x before", apic[APIC_LVTPC / 4]);

	wr(FIXED_CTRL, LAST_FIELD(3 | 8));
	/* The second overflow finds the entry masked, and its cause is gone before that ends. */
	for (i = 0; i < 2; i++) {
		wr(LAST_FIXED, TOP - 1000);
		run_slots(EN_LAST_FIXED);
		expect(rd(STATUS) == EN_LAST_FIXED, "GLOBAL_STATUS %#llx",
		       (unsigned long long)rd(STATUS));
		wr(STATUS_RESET, EN_LAST_FIXED);
		expect(apic[APIC_LVTPC / 4] == (LVT_NMI | LVT_MASKED), "LVT PC is %#x after",
		       apic[APIC_LVTPC / 4]);
		expect(truth_cpu(MSR_CPU).pmi == before + 1, "%llu interrupts",
		       (unsigned long long)(truth_cpu(MSR_CPU).pmi - before));
	}
	apic[APIC_LVTPC / 4] = LVT_NMI;
	expect(truth_cpu(MSR_CPU).pmi == before + 1, "an interrupt without a cause");

	/* The cause of the second of these is still there. */
	for (i = 0; i < 2; i++) {
		wr(LAST_FIXED, TOP - 1000);
		run_slots(EN_LAST_FIXED);
		expect(truth_cpu(MSR_CPU).pmi == before + 2, "%llu interrupts with a cause",
		       (unsigned long long)(truth_cpu(MSR_CPU).pmi - before));
	}
	apic[APIC_LVTPC / 4] = LVT_NMI;
	expect(truth_cpu(MSR_CPU).pmi == before + 3, "no interrupt once the entry is open");
	wr(STATUS_RESET, EN_LAST_FIXED);
	apic[APIC_LVTPC / 4] = LVT_NMI;
	close(fd);
}

static void test_lvt_mask(void)
{
	alone(lvt_mask);
}

static void counted(void)
{
	struct td_bd_truth before = truth_cpu(MSR_CPU), after;
	int i;

	for (i = 0; i < 100; i++) {
		wr(PMC0, i);
		rd(PMC0);
		rd(PMC0);
	}
	expect(!readable(FIXED0 + machine.fixed), "there is one more fixed counter");
	after = truth_cpu(MSR_CPU);
	expect(after.wrmsr - before.wrmsr == 100 && after.rdmsr - before.rdmsr == 200,
	       "%llu writes and %llu reads counted, not 100 and 200",
	       (unsigned long long)(after.wrmsr - before.wrmsr),
	       (unsigned long long)(after.rdmsr - before.rdmsr));
}

static void test_counted(void)
{
	alone(counted);
}

/* The slots that the truth has and the counter has not are those that it calls held. */
static void held(void)
{
	struct td_bd_truth before, after;

	wr(FIXED_CTRL, SLOTS_ALL_RINGS);
	reset_both();
	before = truth_cpu(MSR_CPU);
	run_slots(EN_SLOTS | EN_METRICS);
	spin_ms(1);
	run_slots(EN_METRICS);
	after = truth_cpu(MSR_CPU);
	expect(after.held > before.held, "nothing is held while all counters stand still");
	expect(rd(FIXED3) == after.slots - before.slots - (after.held - before.held),
	       "%llu slots counted, %llu executed, %llu held", (unsigned long long)rd(FIXED3),
	       (unsigned long long)(after.slots - before.slots),
	       (unsigned long long)(after.held - before.held));
}

static void test_held(void)
{
	need_metrics();
	alone(held);
}

/* As Intel's lists of events have them: bits of the counters that can count an event. */
static const struct {
	unsigned int model;
	uint32_t event;
	unsigned int counters;
} constrained[] = {
	{ 143, 0x04a4, 0x01 }, { 143, 0x0179, 0x0f }, { 143, 0x019c, 0xff },
	{ 151, 0x08a4, 0x01 }, { 173, 0x02cd, 0x01 }, { 173, 0x01d3, 0x0f },
	{ 106, 0x0279, 0x0f }, { 106, 0x01a3, 0x0f }, { 106, 0x04a3, 0xff },
	{ 42, 0x02a3, 0x04 }, { 58, 0x08a3, 0x04 }, { 60, 0x0ca3, 0x04 },
	{ 61, 0x01c0, 0x02 }, { 85, 0x01c0, 0x02 }, { 85, 0x019c, 0xff },
};

static void constraints(void)
{
	unsigned int n, all = (1u << machine.gp) - 1, seen;
	size_t i;

	for (i = 0; i < sizeof(constrained) / sizeof(*constrained); i++) {
		if (constrained[i].model != machine.model)
			continue;
		set_rate(constrained[i].event, 100000);
		for (n = 0; n < machine.gp; n++) {
			wr(PMC0 + n, 0);
			wr(EVTSEL0 + n, constrained[i].event | 0x430000);
		}
		wr(GLOBAL_CTRL, all);
		spin_ms(3);
		wr(GLOBAL_CTRL, 0);
		for (n = 0, seen = 0; n < machine.gp; n++) {
			seen |= (rd(PMC0 + n) > 0) << n;
			wr(EVTSEL0 + n, 0);
		}
		expect(seen == (constrained[i].counters & all), "event %#x is counted by %#x",
		       constrained[i].event, seen);
	}
}

static void test_constraints(void)
{
	size_t i, n = sizeof(constrained) / sizeof(*constrained);

	for (i = 0; i < n && constrained[i].model != machine.model; i++)
		;
	if (i == n || machine.filter || machine.amd)
		unfit();
	alone(constraints);
}

const struct test msr_tests[] = {
	{ "cpuid", test_cpuid },
	{ "msr-present", test_present },
	{ "msr-absent", test_absent },
	{ "msr-reserved", test_reserved },
	{ "msr-metrics", test_metrics },
	{ "msr-restore", test_restore },
	{ "msr-half-reset", test_half_reset },
	{ "msr-overflow", test_overflow },
	{ "msr-metrics-overflow", test_metrics_overflow },
	{ "msr-lvt-mask", test_lvt_mask },
	{ "msr-counted", test_counted },
	{ "msr-held", test_held },
	{ "msr-constraints", test_constraints },
	{ NULL, NULL },
};
