// SPDX-License-Identifier: GPL-2.0
/* Events that count at rates which the back door or a file gives. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pmu_test.h"

#define EVENTS		3
#define ONE		TD_BD_FRACTION

#define EDGE		(1ull << 18)
#define ANY		(1ull << 21)
#define INV		(1ull << 23)
#define CMASK(n)	((uint64_t)(n) << 24)

#define CONFIG_CYCLES_ANY (0x003c | ANY)
/* check.sh gives every machine a file with this one. */
#define CONFIG_FILE	0x5555
#define RATE_FILE	250000

/* No fixed counter has them, and no general one is too good for them. */
#define EVENT		0x20c4ull

struct given {
	uint64_t config;
	uint64_t rate;
};

static const struct given plain[] = {
	{ EVENT, 123457 },
	{ EVENT | CMASK(1), 2 * ONE },
	{ EVENT | CMASK(2), 3999999 },
	{ EVENT | CMASK(1) | INV, 500000 },
	{ EVENT | CMASK(1) | EDGE, 1000 },
	{ EVENT | EDGE, 77777 },
	{ EVENT + 0x100, 654321 },
	{ 0, 0 }
};

static const struct given with_any[] = {
	{ EVENT | ANY, 3 * ONE / 2 },
	{ EVENT | ANY | CMASK(1), 250001 },
	{ 0, 0 }
};

/* What only AMD has: events of more than eight bits. */
static const struct given amd_only[] = {
	{ 0x1000001a0ull, 2222222 },
	{ 0x00a0, 333 },
	{ 0, 0 }
};

/* The counts of this task while it spins, those of the cycles first. */
static void count(const uint64_t *config, unsigned int nr, uint64_t *values)
{
	struct event events[1 + EVENTS];
	unsigned int i;

	events[0] = event_open(CONFIG_CYCLES, NULL, EVENT_DISABLED);
	for (i = 0; i < nr; i++)
		events[1 + i] = event_open(config[i], events, 0);
	group_enable(events, true);
	spin_ms(20);
	group_enable(events, false);
	group_read(events, values, 1 + nr);
	for (i = 0; i <= nr; i++)
		event_close(&events[nr - i]);
}

static void check_rate(uint64_t config, uint64_t value, uint64_t cycles, uint64_t rate)
{
	double want = (double)cycles * rate / ONE, slack = want * 1e-3 + 2;

	expect(cycles > 3000000, "only %llu cycles", (unsigned long long)cycles);
	expect(value <= want + slack && value + slack >= want,
	       "event %#llx: %llu in %llu cycles, not %.0f", (unsigned long long)config,
	       (unsigned long long)value, (unsigned long long)cycles, want);
}

/* As many at once as there is room for beside the watchdog. */
static void check_list(const struct given *list)
{
	uint64_t config[EVENTS], values[1 + EVENTS];
	unsigned int i, nr;

	for (; list->config; list += nr) {
		for (nr = 0; nr < EVENTS - 1 && list[nr].config; nr++)
			config[nr] = list[nr].config;
		count(config, nr, values);
		for (i = 0; i < nr; i++)
			check_rate(config[i], values[1 + i], values[0], list[i].rate);
	}
}

static void set_list(const struct given *list)
{
	for (; list->config; list++)
		set_rate(list->config, list->rate);
}

/* All at once are set, so that each bit has to tell them apart. */
static void test_rates(void)
{
	need_pmu();
	set_list(plain);
	if (machine.any)
		set_list(with_any);
	if (machine.amd)
		set_list(amd_only);
	check_list(plain);
	if (machine.any)
		check_list(with_any);
	if (machine.amd)
		check_list(amd_only);
	/* The last word counts. */
	set_rate(EVENT, 4321);
	check_list((const struct given[]){ { EVENT, 4321 }, { 0, 0 } });
}

/* The fixed counter and a general one, by either of the event's numbers. */
static void test_instructions(void)
{
	static const uint64_t config[] = { 0x00c0, 0x00c0 };
	uint64_t values[1 + EVENTS];
	unsigned int i;

	need_pmu();
	set_rate(machine.amd ? 0x00c0 : 0x0100, 1234567);
	count(config, 2, values);
	for (i = 0; i < 2; i++)
		check_rate(config[i], values[1 + i], values[0], 1234567);
}

static uint64_t count_one(uint64_t config, uint64_t *cycles)
{
	uint64_t values[1 + EVENTS];

	count(&config, 1, values);
	*cycles = values[0];
	return values[1];
}

static void without_rates(void *unused)
{
	uint64_t cycles, value = count_one(EVENT, &cycles);

	(void)unused;
	expect(!value, "a child inherits a rate: %llu", (unsigned long long)value);
}

static void test_spaces(void)
{
	uint64_t cycles, value;

	need_pmu();
	set_rate(EVENT, ONE);
	in_child(without_rates, NULL);
	value = count_one(EVENT, &cycles);
	check_rate(EVENT, value, cycles, ONE);
	expect(door(TD_BD_FORGET_RATES, 0, NULL) == TD_BD_OK, "rates cannot be forgotten");
	value = count_one(EVENT, &cycles);
	expect(!value, "a rate that was forgotten: %llu", (unsigned long long)value);
}

/* Those of the file are everybody's, and one's own come first. */
static void test_file(void)
{
	uint64_t cycles, value;

	need_pmu();
	value = count_one(CONFIG_FILE, &cycles);
	check_rate(CONFIG_FILE, value, cycles, RATE_FILE);
	set_rate(CONFIG_FILE, ONE);
	value = count_one(CONFIG_FILE, &cycles);
	check_rate(CONFIG_FILE, value, cycles, ONE);
}

static void test_refused(void)
{
	static const struct td_bd_rate bad[] = {
		{ EVENT | 1 << 16, 1 }, { EVENT | 1 << 20, 1 }, { EVENT | 1 << 22, 1 },
		{ EVENT | 1ull << 36, 1 }, { EVENT, TD_BD_RATE_MAX + 1ull },
	};
	struct td_bd_rate rate = { .rate = 1 };
	uint32_t answer = TD_BD_OK;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		rate = bad[i];
		expect(door(TD_BD_SET_RATE, 0, &rate) == TD_BD_EINVAL,
		       "rate %llu of %#llx is taken", (unsigned long long)rate.rate,
		       (unsigned long long)rate.config);
	}
	rate = (struct td_bd_rate){ EVENT, TD_BD_RATE_MAX };
	expect(door(TD_BD_SET_RATE, 1, &rate) == TD_BD_EINVAL, "an argument is taken");
	expect(door(TD_BD_SET_RATE, 0, &rate) == TD_BD_OK, "the highest rate is refused");
	for (i = 0; i < 1000 && answer == TD_BD_OK; i++) {
		rate.config = 0x0100ull * (i & 0xff) + 0x10 + (i >> 8);
		answer = door(TD_BD_SET_RATE, 0, &rate);
	}
	expect(answer == TD_BD_EINVAL && i >= 30, "%zu rates are taken", i);
}

/* A counter of one CPU, whatever runs there. */
static int open_on(unsigned int cpu, uint64_t config)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .size = sizeof(attr), .config = config,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0);

	expect(fd >= 0, "event %#llx: %s", (unsigned long long)config, strerror(errno));
	return fd;
}

static uint64_t read_fd(int fd)
{
	uint64_t value;

	expect(read(fd, &value, sizeof(value)) == sizeof(value), "read: %s", strerror(errno));
	return value;
}

/* Cycles of a thread and of its core, as shares of 50 ms, while others run. */
static void core_shares(unsigned int cpu, const bool busy[2], double *thread, double *core)
{
	int own = open_on(cpu, CONFIG_CYCLES), any = open_on(cpu, CONFIG_CYCLES_ANY), i, status;
	uint64_t from[2] = { read_fd(own), read_fd(any) }, time = truth_cpu(0).time_ns;

	for (i = 0; i < 2; i++) {
		if (busy[i] && !fork()) {
			pin((cpu & ~1) + i);
			spin_ms(50);
			_exit(0);
		}
	}
	while (wait(&status) > 0)
		expect(!status, "a child failed");
	from[0] = read_fd(own) - from[0];
	from[1] = read_fd(any) - from[1];
	time = (truth_cpu(0).time_ns - time) * CYCLES_NS;
	*thread = ratio(from[0], time);
	*core = ratio(from[1], time);
	close(own);
	close(any);
}

static void test_any_thread(void)
{
	static const bool busy[][2] = { { true, false }, { false, true }, { true, true } };
	double thread, core;
	unsigned int i;

	if (!machine.smt || !machine.any)
		unfit();
	pin(0);
	for (i = 0; i < 3; i++) {
		core_shares(2, busy[i], &thread, &core);
		printf("# thread %.3f, core %.3f\n", thread, core);
		/* It takes a while until they have started. */
		expect(core > 0.8 && core <= 1.001, "the core ran %.3f of the time", core);
		if (busy[i][0])
			expect(thread > 0.8 && thread <= 1.001, "the thread ran %.3f", thread);
		else
			expect(thread < 0.3, "the idle thread ran %.3f", thread);
	}
}

/* The cycles in which both threads ran, by the slots of one. */
static double both_ran(double slots, double cycles)
{
	return 2 * (cycles - slots / machine.width);
}

/*
 * One thread of a core that runs alone has all slots of the core, and two have half each.  The
 * kernel may run the other thread at any time, so the two have to agree on how long both ran.
 */
static void test_shared_slots(void)
{
	static const bool busy[][2] = { { true, false }, { true, true } };
	double slots[2], cycles[2], both[2];
	int fd[4], i, k, status;

	if (!machine.smt || machine.any || !machine.metrics)
		unfit();
	pin(0);
	for (k = 0; k < 2; k++) {
		fd[2 * k] = open_on(2 + k, CONFIG_SLOTS);
		fd[2 * k + 1] = open_on(2 + k, CONFIG_CYCLES);
	}
	for (i = 0; i < 2; i++) {
		for (k = 0; k < 2; k++) {
			slots[k] = -(double)read_fd(fd[2 * k]);
			cycles[k] = -(double)read_fd(fd[2 * k + 1]);
			if (busy[i][k] && !fork()) {
				pin(2 + k);
				spin_ms(50);
				_exit(0);
			}
		}
		while (wait(&status) > 0)
			expect(!status, "a child failed");
		for (k = 0; k < 2; k++) {
			slots[k] += read_fd(fd[2 * k]);
			cycles[k] += read_fd(fd[2 * k + 1]);
			both[k] = both_ran(slots[k], cycles[k]) / cycles[0];
		}
		printf("# both ran %.3f and %.3f of the time\n", both[0], both[1]);
		expect(fabs(both[0] - both[1]) < 0.02, "the threads do not agree");
		expect(both[0] > -0.01 && both[0] < cycles[1] / cycles[0] + 0.02,
		       "both ran longer than the other one");
		/* It takes a while until both have started. */
		expect(!busy[i][1] || both[0] > 0.8, "they do not share the slots");
	}
	for (k = 0; k < 4; k++)
		close(fd[k]);
}

const struct test rate_tests[] = {
	{ "rates-of-events", test_rates },
	{ "rates-of-instructions", test_instructions },
	{ "rates-of-a-space", test_spaces },
	{ "rates-of-a-file", test_file },
	{ "rates-refused", test_refused },
	{ "rates-any-thread", test_any_thread },
	{ "rates-shared-slots", test_shared_slots },
	{ NULL, NULL },
};
