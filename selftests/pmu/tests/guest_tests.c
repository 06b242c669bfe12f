// SPDX-License-Identifier: GPL-2.0
/*
 * What a hypervisor does to counters: events that it lets nobody count, PERF_METRICS
 * that read as 0, and counters that stand still while a guest runs.
 */
#include <stdio.h>
#include <unistd.h>

#include "pmu_test.h"

#define CONFIG_RETIRED	(machine.amd ? 0x00c1 : 0x02c2)
#define SPAN_MS		40

static void filter(bool on)
{
	expect(door(TD_BD_SET_FILTER, on, NULL) == TD_BD_OK, "the back door refused a filter");
}

static void guest(enum td_bd_guest what)
{
	expect(door(TD_BD_SET_GUEST, what, NULL) == TD_BD_OK, "the back door refused a guest");
}

/* What is counted of an event of this task while it spins. */
static uint64_t count(uint64_t config)
{
	struct event event = event_open(config, NULL, 0);
	uint64_t data[2];

	spin_ms(SPAN_MS);
	expect(read(event.fd, data, sizeof(data)) == sizeof(data), "cannot read an event");
	event_close(&event);
	return data[1];
}

static struct td_bd_truth truth_since(struct td_bd_truth from)
{
	struct td_bd_truth truth = truth_cpu(BUSY_CPU);

	truth.slots -= from.slots;
	truth.stopped -= from.stopped;
	return truth;
}

/*
 * SLOTS and the metrics likewise, and the truth of the CPU in a time around theirs and in one
 * within it: a busy host may stop the CPU between the truth and the counters, for any time.
 */
static void count_metrics(uint64_t *values, struct td_bd_truth *around, struct td_bd_truth *within)
{
	struct event events[1 + TD_BD_CATEGORIES];
	struct td_bd_truth from, begin;

	group_open(events, machine.metrics, 0);
	from = truth_cpu(BUSY_CPU);
	group_enable(events, true);
	begin = truth_cpu(BUSY_CPU);
	spin_ms(SPAN_MS);
	*within = truth_since(begin);
	group_enable(events, false);
	*around = truth_since(from);
	group_read(events, values, 1 + machine.metrics);
	group_close(events, machine.metrics);
}

static void test_as_booted(void)
{
	struct td_bd_truth from, truth;

	need_pmu();
	set_rate(CONFIG_RETIRED, 1000000);
	from = truth_cpu(BUSY_CPU);
	expect(!count(CONFIG_RETIRED) == machine.filter, "the filter is %s",
	       machine.filter ? "off" : "on");
	truth = truth_cpu(BUSY_CPU);
	expect((truth.stopped != from.stopped) == machine.half, "the counters stood still for %llu",
	       (unsigned long long)(truth.stopped - from.stopped));
}

static void test_filter(void)
{
	need_pmu();
	set_rate(CONFIG_RETIRED, 1000000);
	filter(true);
	expect(!count(CONFIG_RETIRED), "a filtered event counts");
	expect(count(CONFIG_INSNS) && count(CONFIG_CYCLES), "an architectural event does not count");
	filter(false);
	expect(count(CONFIG_RETIRED), "the event does not count again");
}

static void test_filter_metrics(void)
{
	uint64_t values[1 + TD_BD_CATEGORIES];
	struct td_bd_truth around, within;
	unsigned int i;

	need_metrics();
	set_profile(&profiles[0]);
	filter(true);
	count_metrics(values, &around, &within);
	/* If the host stops the CPU in another task, the slots are not in this group. */
	expect(values[0] > (machine.icount ? within.slots / 2 : 0),
	       "SLOTS do not count: %llu of %llu", (unsigned long long)values[0],
	       (unsigned long long)within.slots);
	for (i = 1; i <= machine.metrics; i++)
		expect(!values[i], "metric %u counts", i - 1);
	filter(false);
	count_metrics(values, &around, &within);
	expect(values[1], "the metrics do not count again");
}

static void test_refused(void)
{
	expect(door(TD_BD_SET_FILTER, 2, NULL) == TD_BD_EINVAL, "a third kind of filter");
	expect(door(TD_BD_SET_GUEST, TD_BD_GUEST_METRICS + 1, NULL) == TD_BD_EINVAL,
	       "a fourth kind of guest");
}

/* Half of the time, and the truth says which slots those were. */
static void test_standing(void)
{
	uint64_t values[1 + TD_BD_CATEGORIES];
	struct td_bd_truth around, within;
	double counted, least, share, stood;
	unsigned int i;

	need_metrics();
	set_profile(&profiles[3]);
	guest(TD_BD_GUEST_ALL);
	count_metrics(values, &around, &within);
	stood = ratio(within.stopped, within.slots);
	counted = ratio(values[0], around.slots - around.stopped);
	least = ratio(values[0], within.slots - within.stopped);
	printf("# stood still for %.4f of the slots, counted %.4f to %.4f of the others\n", stood,
	       counted, least);
	expect(stood > 0.45 && stood < 0.55, "the counters stood still for %.3f", stood);
	/* Where a busy host stops a CPU, the halves of the time are no halves of its slots. */
	expect(counted < 1.01 && (least > 0.97 || !machine.icount), "%.3f to %.3f of the slots",
	       counted, least);
	for (i = 0; i < machine.metrics; i++) {
		share = ratio(values[1 + i], values[0]) -
			(double)profiles[3].fraction[i] / TD_BD_FRACTION;
		expect(share > -0.006 && share < 0.003, "metric %u is off by %.4f", i, share);
	}
}

/* What is behind PERF_METRICS has counted twice as much as SLOTS. */
static void test_metrics_alone(void)
{
	uint64_t values[1 + TD_BD_CATEGORIES];
	struct td_bd_truth around, within;
	double sum;

	need_metrics();
	set_profile(&profiles[0]);
	guest(TD_BD_GUEST_METRICS);
	count_metrics(values, &around, &within);
	sum = ratio(values[1] + values[2] + values[3] + values[4], values[0]);
	expect(sum > 1.8 && sum < 2.2, "the metrics are %.3f of SLOTS", sum);
}

const struct test guest_tests[] = {
	{ "guest-as-booted", test_as_booted },
	{ "guest-filter", test_filter },
	{ "guest-filter-metrics", test_filter_metrics },
	{ "guest-refused", test_refused },
	{ "guest-standing", test_standing },
	{ "guest-metrics-alone", test_metrics_alone },
	{ NULL, NULL },
};
