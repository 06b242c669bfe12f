// SPDX-License-Identifier: GPL-2.0
/* A machine of two kinds of core: what each has, and what it has not. */
#include <cpuid.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmu_test.h"

#define P_CPU		1
#define E_CPU		(cpus() - 1)

#define PMC(n)		(0x0c1 + (n))
#define EVTSEL(n)	(0x186 + (n))
#define FIXED(n)	(0x309 + (n))
#define METRICS		0x329
#define CAPABILITIES	0x345
#define FIXED_CTRL	0x38d
#define GLOBAL_CTRL	0x38f

#define CAP_METRICS	(1 << 15)

#define CONFIG_E_RETIRING 0x00c2

static unsigned int cpus(void)
{
	return sysconf(_SC_NPROCESSORS_ONLN);
}

static void need_hybrid(void)
{
	if (!machine.e_width)
		unfit();
}

static bool is_small(unsigned int cpu)
{
	return cpu >= cpus() / 2;
}

static void test_cpuid(void)
{
	unsigned int cpu, max, a, b, c, d, kind;

	for (cpu = 0; cpu < cpus(); cpu++) {
		pin(cpu);
		__cpuid(0, max, b, c, d);
		d = 0;
		if (max >= 7)
			__cpuid_count(7, 0, a, b, c, d);
		expect((d >> 15 & 1) == !!machine.e_width, "CPU %u: leaf 7 EDX is %#x", cpu, d);
		if (!machine.e_width)
			continue;
		__cpuid_count(7, 1, a, b, c, d);
		expect(!(d >> 15 & 1), "the second part of leaf 7 has the bit too");
		kind = is_small(cpu) ? 0x20u << 24 | machine.e_native : 0x40u << 24 | 1;
		__cpuid_count(0x1a, 0, a, b, c, d);
		expect(a == kind && !b && !c && !d, "CPU %u: leaf 0x1a is %#x", cpu, a);
		if (machine.pebs) {
			__cpuid_count(0x23, 1, a, b, c, d);
			expect(a == (is_small(cpu) ? 0x3f : 0xff) &&
			       b == (is_small(cpu) ? 0x7 : 0xf),
			       "CPU %u: leaf 0x23 is %#x %#x", cpu, a, b);
		}
		__cpuid_count(0xa, 0, a, b, c, d);
		expect(a == 0x07300605 && c == 0x7, "CPU %u: leaf 0xa is %#x", cpu, a);
	}
}

/* The number or text in a file of one of the kernel's PMUs. */
static void pmu_file(const char *pmu, const char *name, char text[64])
{
	char path[96];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/devices/%s/%s", pmu, name);
	file = fopen(path, "r");
	expect(file && fgets(text, 64, file), "%s: %s", path, strerror(errno));
	fclose(file);
	text[strcspn(text, "\n")] = '\0';
}

static unsigned int pmu_type(const char *pmu)
{
	unsigned long type;
	char text[64], *end;

	pmu_file(pmu, "type", text);
	type = strtoul(text, &end, 10);
	expect(end != text && !*end, "the type of %s is %s", pmu, text);
	return type;
}

static void test_pmus(void)
{
	char text[64], want[64];

	need_hybrid();
	pmu_file("cpu_core", "cpus", text);
	sprintf(want, "0-%u", cpus() / 2 - 1);
	expect(!strcmp(text, want), "cpu_core has the CPUs %s", text);
	pmu_file("cpu_atom", "cpus", text);
	sprintf(want, "%u-%u", cpus() / 2, cpus() - 1);
	expect(!strcmp(text, want), "cpu_atom has the CPUs %s", text);
	expect(pmu_type("cpu_core") == PERF_TYPE_RAW, "cpu_core has type %u",
	       pmu_type("cpu_core"));
}

static bool readable(unsigned int cpu, uint32_t msr)
{
	uint64_t value;

	return msr_try_read(cpu, msr, &value);
}

static void test_registers(void)
{
	static const uint32_t only_big[] = {
		PMC(6), PMC(7), EVTSEL(6), EVTSEL(7), FIXED(3), METRICS,
	};
	static const uint32_t both[] = { PMC(5), EVTSEL(5), FIXED(2), FIXED_CTRL, GLOBAL_CTRL };
	static const uint64_t no_global[] = { 1 << 6, 1 << 7, 1ull << 35, 1ull << 48 };
	size_t i;

	need_hybrid();
	for (i = 0; i < sizeof(only_big) / sizeof(*only_big); i++) {
		expect(readable(P_CPU, only_big[i]), "a P-core lacks MSR %#x", only_big[i]);
		expect(!readable(E_CPU, only_big[i]), "an E-core has MSR %#x", only_big[i]);
		expect(!msr_try_write(E_CPU, only_big[i], 0), "an E-core takes MSR %#x",
		       only_big[i]);
	}
	for (i = 0; i < sizeof(both) / sizeof(*both); i++)
		expect(readable(P_CPU, both[i]) && readable(E_CPU, both[i]), "MSR %#x is missing",
		       both[i]);
	for (i = 0; i < sizeof(no_global) / sizeof(*no_global); i++)
		expect(!msr_try_write(E_CPU, GLOBAL_CTRL, no_global[i]),
		       "GLOBAL_CTRL of an E-core takes %#llx", (unsigned long long)no_global[i]);
	expect(!msr_try_write(E_CPU, FIXED_CTRL, 0x3000), "an E-core has a field for SLOTS");
	expect(msr_read(P_CPU, CAPABILITIES) & CAP_METRICS, "PERF_CAPABILITIES of a P-core");
	expect(!(msr_read(E_CPU, CAPABILITIES) & CAP_METRICS), "PERF_CAPABILITIES of an E-core");
}

static bool can_rdpmc(uint32_t index)
{
	uint64_t value;

	return rdpmc_try(index, &value);
}

/* Of this task; @cpu below 0: on any that the PMU has. */
static struct event typed_open(unsigned int type, uint64_t config, int cpu)
{
	struct perf_event_attr attr = {
		.type = type, .size = sizeof(attr), .config = config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	struct event event = { };

	event.fd = syscall(SYS_perf_event_open, &attr, cpu < 0 ? 0 : -1, cpu, -1, 0);
	return event;
}

static void test_rdpmc(void)
{
	static const uint32_t only_big[] = { 6, 7, RDPMC_FIXED(3), RDPMC_METRICS };
	struct event event;
	size_t i;

	need_hybrid();
	pin(E_CPU);
	event = typed_open(pmu_type("cpu_atom"), CONFIG_CYCLES, -1);
	expect(event.fd >= 0, "no event of cpu_atom: %s", strerror(errno));
	event_map(&event);
	expect(can_rdpmc(5) && can_rdpmc(RDPMC_FIXED(2)), "RDPMC faults on an E-core");
	for (i = 0; i < sizeof(only_big) / sizeof(*only_big); i++)
		expect(!can_rdpmc(only_big[i]), "RDPMC of %#x does not fault on an E-core",
		       only_big[i]);
	/* The right to use it is the address space's, on every CPU. */
	pin(P_CPU);
	for (i = 0; i < sizeof(only_big) / sizeof(*only_big); i++)
		expect(can_rdpmc(only_big[i]), "RDPMC of %#x faults on a P-core", only_big[i]);
	event_close(&event);
}

static void test_events_per_cpu(void)
{
	unsigned int atom;

	need_hybrid();
	atom = pmu_type("cpu_atom");
	expect(typed_open(PERF_TYPE_RAW, CONFIG_SLOTS, P_CPU).fd >= 0, "no SLOTS on a P-core");
	expect(typed_open(PERF_TYPE_RAW, CONFIG_SLOTS, E_CPU).fd < 0, "SLOTS on an E-core");
	expect(typed_open(atom, CONFIG_CYCLES, E_CPU).fd >= 0, "no cycles on an E-core");
	expect(typed_open(atom, CONFIG_CYCLES, P_CPU).fd < 0, "cpu_atom on a P-core");
}

static void rate_of(unsigned int cpu, unsigned int width)
{
	struct td_bd_truth before, after;

	pin(cpu);
	before = truth_cpu(cpu);
	spin_ms(20);
	after = truth_cpu(cpu);
	expect(after.slots - before.slots ==
	       (after.time_ns - before.time_ns) * CYCLES_NS * width,
	       "CPU %u had %llu slots in %llu ns", cpu,
	       (unsigned long long)(after.slots - before.slots),
	       (unsigned long long)(after.time_ns - before.time_ns));
}

static void test_rates(void)
{
	need_hybrid();
	rate_of(P_CPU, machine.width);
	rate_of(E_CPU, machine.e_width);
}

/* A phase of one profile on one CPU; its slots. */
static uint64_t phase(unsigned int cpu, const struct td_bd_profile *f, struct td_bd_truth *sum)
{
	struct td_bd_profile copy = *f;
	uint64_t before;

	pin(cpu);
	expect(door(TD_BD_SET_PROFILE, TD_BD_CONTINUE, &copy) == TD_BD_OK, "no profile");
	before = truth_space().slots;
	spin_ms(30);
	*sum = truth_space();
	return sum->slots - before;
}

/* What one space had on both kinds is in one truth, in slots of each. */
static void test_truth(void)
{
	const struct td_bd_profile *f[] = { &profiles[1], &profiles[2] };
	struct td_bd_truth start, sum;
	uint64_t big, small, had, want;
	unsigned int i;

	need_hybrid();
	set_profile(f[0]);
	big = phase(P_CPU, f[0], &sum);
	/* What it takes to move there is of the old profile. */
	pin(E_CPU);
	start = truth_space();
	small = phase(E_CPU, f[1], &sum);
	for (i = 0; i < TD_BD_CATEGORIES; i++) {
		had = sum.category[i] - start.category[i];
		want = small * (uint64_t)f[1]->fraction[i] / TD_BD_FRACTION;
		expect(had + 1 >= want && ratio(had, sum.slots) <= ratio(want, sum.slots) + 0.05,
		       "category %u has %llu slots on an E-core, not %llu", i,
		       (unsigned long long)had, (unsigned long long)want);
	}
	expect(big > 0.8 * 30e6 * CYCLES_NS * machine.width, "%llu slots on a P-core",
	       (unsigned long long)big);
	expect(small > 0.8 * 30e6 * CYCLES_NS * machine.e_width &&
	       (small < big || machine.e_width == machine.width),
	       "%llu slots on an E-core, %llu on a P-core", (unsigned long long)small,
	       (unsigned long long)big);
}

/* Count, time enabled and time running. */
static void event_read3(const struct event *event, uint64_t value[3])
{
	expect(read(event->fd, value, 3 * sizeof(*value)) == 3 * sizeof(*value), "read: %s",
	       strerror(errno));
}

/* Each of the kernel's PMUs counts on its own CPUs. */
static void test_counts(void)
{
	struct event core, atom, retiring;
	uint64_t on_core[3], on_atom[3], retired[3];
	struct td_bd_truth sum;
	uint64_t big, small;

	need_hybrid();
	set_profile(&profiles[0]);
	core = typed_open(PERF_TYPE_RAW, CONFIG_CYCLES, -1);
	atom = typed_open(pmu_type("cpu_atom"), CONFIG_CYCLES, -1);
	retiring = typed_open(pmu_type("cpu_atom"), CONFIG_E_RETIRING, -1);
	expect(core.fd >= 0 && atom.fd >= 0 && retiring.fd >= 0, "no event: %s", strerror(errno));
	big = phase(P_CPU, &profiles[0], &sum);
	event_read3(&core, on_core);
	event_read3(&atom, on_atom);
	expect(on_core[0] * machine.width > 0.9 * big, "cpu_core has %llu cycles of %llu slots",
	       (unsigned long long)on_core[0], (unsigned long long)big);
	expect(!on_atom[0] && !on_atom[2], "cpu_atom has %llu cycles on a P-core",
	       (unsigned long long)on_atom[0]);
	small = phase(E_CPU, &profiles[0], &sum);
	event_read3(&atom, on_atom);
	event_read3(&retiring, retired);
	expect(on_atom[0] * machine.e_width > 0.9 * small, "cpu_atom has %llu cycles of %llu slots",
	       (unsigned long long)on_atom[0], (unsigned long long)small);
	expect(ratio(retired[0] * 4, on_atom[0] * machine.e_width) > 0.98 &&
	       ratio(retired[0] * 4, on_atom[0] * machine.e_width) < 1.02,
	       "%llu slots retire in %llu cycles on an E-core", (unsigned long long)retired[0],
	       (unsigned long long)on_atom[0]);
}

const struct test hybrid_tests[] = {
	{ "hybrid-cpuid", test_cpuid },
	{ "hybrid-pmus", test_pmus },
	{ "hybrid-registers", test_registers },
	{ "hybrid-rdpmc", test_rdpmc },
	{ "hybrid-events-per-cpu", test_events_per_cpu },
	{ "hybrid-rates", test_rates },
	{ "hybrid-truth", test_truth },
	{ "hybrid-counts", test_counts },
	{ NULL, NULL },
};
