// SPDX-License-Identifier: GPL-2.0
/* RDPMC from user mode: where the kernel allows it, and where it must fault. */
#include <errno.h>
#include <string.h>

#include "pmu_test.h"

#define SLOTS_INDEX	RDPMC_FIXED(3)

static bool can_rdpmc(uint32_t index)
{
	uint64_t value;

	return rdpmc_try(index, &value);
}

static uint64_t rdpmc(uint32_t index)
{
	uint64_t value;

	expect(rdpmc_try(index, &value), "RDPMC of %#x faulted", index);
	return value;
}

static void check_bytes(uint64_t metrics, const struct td_bd_profile *f)
{
	unsigned int i, byte;

	for (i = 0; i < TD_BD_CATEGORIES; i++) {
		byte = metrics >> (8 * i) & 0xff;
		if (i >= machine.metrics)
			expect(!byte, "byte %u is %u, and this CPU has only %u", i, byte,
			       machine.metrics);
		else
			expect(byte == byte_of(f, i), "byte %u is %u, not %u of %u/1000000",
			       i, byte, byte_of(f, i), f->fraction[i]);
	}
}

static void one_profile(void *arg)
{
	const struct td_bd_profile *f = arg;
	struct event events[1 + TD_BD_CATEGORIES];
	struct td_bd_truth before, after;
	uint64_t first, last, metrics;

	set_profile(f);
	group_open(events, machine.metrics, 0);
	event_map(&events[0]);
	event_map(&events[1]);
	group_enable(events, true);
	expect(events[0].page->cap_user_rdpmc, "the kernel does not allow RDPMC");
	expect(events[0].page->index == SLOTS_INDEX + 1, "SLOTS has index %#x",
	       events[0].page->index);
	expect(events[1].page->index == RDPMC_METRICS + 1, "metrics have index %#x",
	       events[1].page->index);

	before = truth_space();
	first = rdpmc(SLOTS_INDEX);
	spin_ms(5);
	last = rdpmc(SLOTS_INDEX);
	after = truth_space();
	metrics = rdpmc(RDPMC_METRICS);
	check_bytes(metrics, f);
	/* A context switch in between starts the counter again. */
	if (last > first)
		expect(last - first <= after.slots - before.slots,
		       "%llu slots counted, %llu true", (unsigned long long)(last - first),
		       (unsigned long long)(after.slots - before.slots));
	group_close(events, machine.metrics);
}

static void test_values(void)
{
	unsigned int i;

	need_metrics();
	for (i = 0; i < profiles_nr; i++)
		in_child(one_profile, (void *)&profiles[i]);
}

static void test_unmapped(void)
{
	struct event events[1 + TD_BD_CATEGORIES];

	need_metrics();
	expect(!can_rdpmc(SLOTS_INDEX), "RDPMC works without any event");
	group_open(events, machine.metrics, 0);
	group_enable(events, true);
	expect(!can_rdpmc(SLOTS_INDEX), "RDPMC works with no event mapped");
	event_map(&events[0]);
	expect(can_rdpmc(SLOTS_INDEX), "RDPMC of SLOTS faults with the event mapped");
	expect(can_rdpmc(RDPMC_METRICS), "RDPMC of the metrics faults");
	event_unmap(&events[0]);
	expect(!can_rdpmc(SLOTS_INDEX), "RDPMC works after munmap");
	expect(!can_rdpmc(RDPMC_METRICS), "RDPMC of the metrics works after munmap");
	group_close(events, machine.metrics);
}

static void test_indexes(void)
{
	const uint32_t bad[] = {
		machine.gp, 0x10, RDPMC_FIXED(machine.fixed), RDPMC_FIXED(4), RDPMC_FIXED(8),
		RDPMC_METRICS | 1, RDPMC_METRICS | RDPMC_FIXED(3), 1u << 28, 1u << 31, ~0u,
	};
	const uint32_t good[] = { 0, machine.gp - 1 };
	unsigned int n;
	struct event event;
	size_t i;

	need_pmu();
	event = event_open(CONFIG_CYCLES, NULL, 0);
	event_map(&event);
	for (i = 0; i < sizeof(good) / sizeof(*good); i++)
		expect(can_rdpmc(good[i]), "RDPMC of %#x faults", good[i]);
	for (n = 0; n < machine.fixed; n++)
		expect(can_rdpmc(RDPMC_FIXED(n)), "RDPMC of fixed counter %u faults", n);
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		expect(!can_rdpmc(bad[i]), "RDPMC of %#x does not fault", bad[i]);
	expect(can_rdpmc(RDPMC_METRICS) == !!machine.metrics,
	       "RDPMC of the metrics does not know whether they exist");
	event_close(&event);
}

static void test_no_pmu(void)
{
	if (machine.pmu)
		unfit();
	expect(event_try(CONFIG_CYCLES, NULL, 0) < 0, "an event was opened without a PMU");
	expect(!can_rdpmc(0) && !can_rdpmc(RDPMC_FIXED(3)), "RDPMC works without a PMU");
}

static void test_counted(void)
{
	struct td_bd_truth before, after;
	struct event event;
	int i;

	need_pmu();
	event = event_open(CONFIG_CYCLES, NULL, 0);
	event_map(&event);
	before = truth_cpu(BUSY_CPU);
	for (i = 0; i < 1000; i++)
		rdpmc(0);
	after = truth_cpu(BUSY_CPU);
	expect(after.rdpmc - before.rdpmc >= 1000 && after.rdpmc - before.rdpmc < 1100,
	       "%llu accesses counted, not 1000",
	       (unsigned long long)(after.rdpmc - before.rdpmc));
	event_close(&event);
}

const struct test rdpmc_tests[] = {
	{ "rdpmc-values", test_values },
	{ "rdpmc-unmapped", test_unmapped },
	{ "rdpmc-indexes", test_indexes },
	{ "rdpmc-no-pmu", test_no_pmu },
	{ "rdpmc-counted", test_counted },
	{ NULL, NULL },
};
