// SPDX-License-Identifier: GPL-2.0
/* AMD's counters: CPUID, registers and RDPMC. */
#include <cpuid.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "pmu_test.h"

#define CPU		3

#define STATUS		0xc0000300
#define GLOBAL_CTRL	0xc0000301
#define STATUS_RESET	0xc0000302
#define OLD_EVTSEL0	0xc0010000
#define OLD_CTR0	0xc0010004
#define EVTSEL(n)	(0xc0010200 + 2 * (n))
#define CTR(n)		(0xc0010201 + 2 * (n))

#define TOP		(1ull << 48)
#define CYCLES_ALL_RINGS 0x430076

static void need_amd(void)
{
	if (!machine.amd || !machine.pmu)
		unfit();
}

static void test_cpuid(void)
{
	unsigned int a, b, c, d;

	need_amd();
	__cpuid(0x80000000, a, b, c, d);
	expect(a >= 0x80000022, "the last extended leaf is %#x", a);
	__cpuid(0x80000001, a, b, c, d);
	expect(c >> 23 & 1, "PERFCTR_CORE is not set");
	__cpuid(0x80000022, a, b, c, d);
	expect((a & 1) && (b & 0xf) == machine.gp, "leaf 0x80000022 is %#x %#x", a, b);
}

static void watchdog(const char *on)
{
	int fd = open("/proc/sys/kernel/nmi_watchdog", O_WRONLY);

	expect(fd >= 0 && write(fd, on, 1) == 1, "cannot switch the watchdog");
	close(fd);
}

static void test_registers(void)
{
	uint64_t value;

	need_amd();
	watchdog("0");
	pin(CPU);
	expect(msr_try_read(CPU, CTR(machine.gp - 1), &value) &&
	       msr_try_read(CPU, EVTSEL(machine.gp - 1), &value), "counters are missing");
	expect(!msr_try_read(CPU, CTR(machine.gp), &value) &&
	       !msr_try_read(CPU, EVTSEL(machine.gp), &value), "there are too many counters");
	expect(!msr_try_write(CPU, STATUS, 0), "the status can be written");
	expect(!msr_try_write(CPU, GLOBAL_CTRL, 1 << machine.gp), "too many bits can be set");
	expect(!msr_try_write(CPU, EVTSEL(0), 1 << 21), "a reserved bit can be set");
	msr_write(CPU, EVTSEL(0), CYCLES_ALL_RINGS);
	expect(msr_read(CPU, OLD_EVTSEL0) == CYCLES_ALL_RINGS, "the old number is another");
	msr_write(CPU, GLOBAL_CTRL, 0);
	msr_write(CPU, OLD_CTR0, TOP - 1000);
	expect(msr_read(CPU, CTR(0)) == TOP - 1000, "the counter does not keep its value");
	msr_write(CPU, GLOBAL_CTRL, 1);
	spin_ms(3);
	msr_write(CPU, GLOBAL_CTRL, 0);
	expect(msr_read(CPU, CTR(0)) < TOP / 2, "the counter did not wrap");
	expect(msr_read(CPU, STATUS) == 1, "the status is %#llx after an overflow",
	       (unsigned long long)msr_read(CPU, STATUS));
	msr_write(CPU, STATUS_RESET, 1);
	expect(!msr_read(CPU, STATUS), "the status cannot be cleared");
	msr_write(CPU, EVTSEL(0), 0);
	msr_write(CPU, GLOBAL_CTRL, (1 << machine.gp) - 1);
	watchdog("1");
}

const struct test amd_tests[] = {
	{ "amd-cpuid", test_cpuid },
	{ "amd-registers", test_registers },
	{ NULL, NULL },
};
