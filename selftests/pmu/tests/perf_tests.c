// SPDX-License-Identifier: GPL-2.0
/* The kernel's own driver on the emulated PMU. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmu_test.h"

#define RING_PAGES	64
#define PERIOD		10000000ull
/* Longer than test_sampling() samples under -icount, where an iteration takes 16 ns. */
#define SAMPLED_LOOP	20000000
#define SAMPLED_MS	300

/* 64: a metric loses less than one slot in each of a few windows. */
static bool near(uint64_t value, uint64_t want, double part)
{
	double slack = want * part + 64;

	return value <= want + slack && value + slack >= want;
}

/* The truth around the switching on and around the switching off. */
struct measured {
	uint64_t values[1 + TD_BD_CATEGORIES];
	struct td_bd_truth off, on, last, after;
};

static struct measured measure(const struct td_bd_profile *f, uint64_t flags,
			       void (*work)(void))
{
	struct event events[1 + TD_BD_CATEGORIES];
	struct measured m;

	set_profile(f);
	group_open(events, machine.metrics, flags);
	m.off = truth_space();
	group_enable(events, true);
	m.on = truth_space();
	work();
	m.last = truth_space();
	group_enable(events, false);
	m.after = truth_space();
	group_read(events, m.values, 1 + machine.metrics);
	group_close(events, machine.metrics);
	return m;
}

static void spin(void)
{
	spin_ms(30);
}

static void system_calls(void)
{
	int i;

	for (i = 0; i < 30000; i++)
		getppid();
	spin_ms(5);
}

/* Every window of an unchanging profile has the same bytes, so this is exact. */
static void check_group(const struct measured *m, const struct td_bd_profile *f)
{
	unsigned int i;
	uint64_t want;

	for (i = 0; i < machine.metrics; i++) {
		want = m->values[0] * byte_of(f, i) / 0xff;
		expect(near(m->values[1 + i], want, 1e-5),
		       "metric %u of fraction %u is %llu of %llu slots, not %llu", i,
		       f->fraction[i], (unsigned long long)m->values[1 + i],
		       (unsigned long long)m->values[0], (unsigned long long)want);
	}
}

static void check_slots(uint64_t slots, uint64_t least, uint64_t most)
{
	expect(slots <= most && slots >= least, "%llu slots, %llu to %llu true",
	       (unsigned long long)slots, (unsigned long long)least,
	       (unsigned long long)most);
}

static void one_group(void *arg)
{
	struct measured m = measure(arg, 0, spin);

	check_group(&m, arg);
	/*
	 * The truth is of the address space, and kernel threads borrow that of
	 * the task before them: only in user mode is all of it the task's.
	 */
	check_slots(m.values[0], m.last.user_slots - m.on.user_slots,
		    m.after.slots - m.off.slots);
}

static void test_groups(void)
{
	unsigned int i;

	need_metrics();
	for (i = 0; i < profiles_nr; i++)
		in_child(one_group, (void *)&profiles[i]);
}

static void test_quantisation(void)
{
	unsigned int byte[TD_BD_QUANTS], i;

	need_metrics();
	for (i = 0; i < TD_BD_QUANTS; i++) {
		machine.quant = i;
		byte[i] = byte_of(&profiles[3], TD_BD_BAD_SPEC);
		door(TD_BD_SET_QUANT, i, NULL);
		in_child(one_group, (void *)&profiles[3]);
	}
	expect(byte[TD_BD_QUANT_TRUNCATE] == 59 && byte[TD_BD_QUANT_ROUND] == 60 &&
	       byte[TD_BD_QUANT_REST] == 61, "this profile shows no difference");
}

static void test_user_only(void)
{
	struct measured m;

	need_metrics();
	m = measure(&profiles[5], EVENT_USER, system_calls);
	check_group(&m, &profiles[5]);
	check_slots(m.values[0], m.last.user_slots - m.on.user_slots,
		    m.after.user_slots - m.off.user_slots);
	expect(m.values[0] < (m.last.slots - m.on.slots) * 0.9,
	       "the loop had no slots in the kernel");
}

static void test_rates(void)
{
	uint64_t values[3], slots;
	struct event events[3];

	need_metrics();
	set_profile(&profiles[0]);
	events[0] = event_open(CONFIG_SLOTS, NULL, EVENT_DISABLED);
	events[1] = event_open(CONFIG_CYCLES, events, 0);
	events[2] = event_open(CONFIG_INSNS, events, 0);
	group_enable(events, true);
	spin();
	group_enable(events, false);
	group_read(events, values, 3);
	slots = values[0];
	expect(near(values[1] * machine.width, slots, 1e-4), "%llu cycles, %llu slots",
	       (unsigned long long)values[1], (unsigned long long)slots);
	expect(near(values[2] * 4, slots, 1e-4), "%llu instructions, a quarter of %llu slots",
	       (unsigned long long)values[2], (unsigned long long)slots);
}

static uint64_t cycles_of_idle_cpu(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .size = sizeof(attr), .config = CONFIG_CYCLES,
	};
	uint64_t cycles;
	int fd;

	fd = syscall(SYS_perf_event_open, &attr, -1, IDLE_CPU, -1, 0);
	expect(fd >= 0, "perf_event_open: %s", strerror(errno));
	usleep(200000);
	expect(read(fd, &cycles, sizeof(cycles)) == sizeof(cycles), "read: %s", strerror(errno));
	close(fd);
	return cycles;
}

/* A busy CPU has 600 million in that time; see truth-idle for the tries. */
static void test_idle_cpu(void)
{
	int tries = 10;

	need_pmu();
	while (tries--) {
		if (cycles_of_idle_cpu() < (machine.icount ? 60000000 : 360000000))
			return;
		again("the cycles of an idle CPU");
	}
	fail("the cycles of an idle CPU are counted");
}

/* How many samples are in the ring, and how many of them in spin_loop(). */
static unsigned int samples(struct perf_event_mmap_page *page, unsigned int *inside)
{
	uint64_t size = RING_PAGES * 4096ull, at, ip;
	const char *data = (const char *)page + 4096;
	const struct perf_event_header *header;
	unsigned int count = 0;

	*inside = 0;
	for (at = 0; at < page->data_head; at += header->size) {
		header = (const void *)(data + at % size);
		if (header->type != PERF_RECORD_SAMPLE)
			continue;
		memcpy(&ip, header + 1, sizeof(ip));
		count++;
		*inside += ip >= (uintptr_t)spin_begin && ip <= (uintptr_t)spin_end;
	}
	return count;
}

/*
 * The kernel measures how long its handler takes, and on a busy host, where it
 * takes long, throttles: 0 percent turns that off.
 */
static void no_throttle(void)
{
	/* With 0 percent the rate cannot be written. */
	static const char *const setting[][2] = {
		{ "/proc/sys/kernel/perf_cpu_time_max_percent", "25" },
		{ "/proc/sys/kernel/perf_event_max_sample_rate", "100000" },
		{ "/proc/sys/kernel/perf_cpu_time_max_percent", "0" },
	};
	FILE *file;
	int i;

	for (i = 0; i < 3; i++) {
		file = fopen(setting[i][0], "w");
		expect(file && fputs(setting[i][1], file) > 0 && !fclose(file), "%s: %s",
		       setting[i][0], strerror(errno));
	}
}

static void test_sampling(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .size = sizeof(attr), .config = CONFIG_CYCLES,
		.sample_period = PERIOD, .sample_type = PERF_SAMPLE_IP, .disabled = 1,
		.exclude_kernel = 1,
	};
	struct perf_event_mmap_page *page;
	unsigned int got, inside, want;
	uint64_t cycles, pmis, end;
	int fd;

	need_pmu();
	no_throttle();
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	expect(fd >= 0, "perf_event_open: %s", strerror(errno));
	page = mmap(NULL, (1 + RING_PAGES) * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	expect(page != MAP_FAILED, "mmap: %s", strerror(errno));
	pmis = truth_cpu(BUSY_CPU).pmi;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	/* No system call: a busy host holds CPUs up at the return to user mode. */
	end = now_ns() + SAMPLED_MS * 1000000ull;
	do {
		spin_loop(SAMPLED_LOOP);
	} while (now_ns() < end);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	pmis = truth_cpu(BUSY_CPU).pmi - pmis;
	expect(read(fd, &cycles, sizeof(cycles)) == sizeof(cycles), "read: %s", strerror(errno));
	got = samples(page, &inside);
	want = cycles / PERIOD;
	/* Where a busy host halts a CPU, many periods may pass before its handler runs. */
	expect(got && got <= want + 1 && (!machine.icount || (want > 50 && got >= want * 0.97)),
	       "%u samples of %llu cycles", got, (unsigned long long)cycles);
	expect(pmis >= got, "%llu interrupts for %u samples", (unsigned long long)pmis, got);
	expect(inside > got * (machine.icount ? 0.8 : 0.4),
	       "%u of %u samples are in the loop that ran", inside, got);
	close(fd);
}

static void test_watchdog(void)
{
	FILE *file = fopen("/proc/sys/kernel/nmi_watchdog", "r");
	int on = -1;

	expect(file && fscanf(file, "%d", &on) == 1, "no NMI watchdog");
	fclose(file);
	expect(on == machine.pmu, "the NMI watchdog is %d", on);
}

/* Runs a command and gives its output to parse(), line by line. */
static void command(const char *text, void (*parse)(char *, void *), void *arg)
{
	char line[1024];
	FILE *pipe;

	fflush(stdout);
	pipe = popen(text, "r");
	expect(pipe, "popen: %s", strerror(errno));
	while (fgets(line, sizeof(line), pipe))
		parse(line, arg);
	expect(!pclose(pipe), "failed: %s", text);
}

struct perf_stat {
	uint64_t values[1 + TD_BD_CATEGORIES];
	double percent[12];
	unsigned int values_nr, percent_nr;
};

static void parse_value(char *line, void *arg)
{
	struct perf_stat *stat = arg;
	char *end;
	uint64_t value = strtoull(line, &end, 10);

	if (end == line || *end != ',' || stat->values_nr > TD_BD_CATEGORIES)
		return;
	stat->values[stat->values_nr++] = value;
}

static void parse_percent(char *line, void *arg)
{
	struct perf_stat *stat = arg;
	char *word, *save = NULL, *end;
	double value;

	for (word = strtok_r(line, " \n", &save); word; word = strtok_r(NULL, " \n", &save)) {
		value = strtod(word, &end);
		if (end != word && !strcmp(end, "%") && stat->percent_nr < 12)
			stat->percent[stat->percent_nr++] = value;
	}
}

static const char *const names[] = {
	"topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound",
	"topdown-heavy-ops", "topdown-br-mispredict", "topdown-fetch-lat", "topdown-mem-bound",
};

static void perf_group(const struct td_bd_profile *f)
{
	struct perf_stat stat = { 0 };
	struct measured m;
	char text[512];
	unsigned int i;
	int length;

	/* E-cores have events of some of these names too. */
	length = sprintf(text, "perf stat -a -x, -e '{%s/slots/", machine.e_width ? "cpu_core" : "cpu");
	for (i = 0; i < machine.metrics; i++)
		length += sprintf(text + length, ",%s/%s/", machine.e_width ? "cpu_core" : "cpu",
				  names[i]);
	sprintf(text + length, "}' sleep 0.2 2>&1");
	command(text, parse_value, &stat);
	expect(stat.values_nr == 1 + machine.metrics, "%u values from %s", stat.values_nr, text);
	memcpy(m.values, stat.values, sizeof(m.values));
	check_group(&m, f);
}

/* perf divides level 1 by the sum of its four bytes. */
static void perf_topdown(const struct td_bd_profile *f)
{
	unsigned int i, sum = 0, want = machine.metrics == 8 ? 12 : 4;
	struct perf_stat stat = { 0 };
	double error;

	command("perf stat -a --topdown sleep 0.2 2>&1", parse_percent, &stat);
	expect(stat.percent_nr == want, "%u figures from perf stat --topdown", stat.percent_nr);
	for (i = 0; i < 4; i++)
		sum += byte_of(f, i);
	for (i = 0; i < 4; i++) {
		error = stat.percent[i] - 100.0 * byte_of(f, i) / sum;
		expect(error < 0.11 && error > -0.11, "perf stat --topdown shows %.1f%% for %u/1000000",
		       stat.percent[i], f->fraction[i]);
	}
}

/* Every address space executes the same, so that the whole machine does. */
static void test_perf_stat(void)
{
	unsigned int i;

	need_metrics();
	for (i = 0; i < profiles_nr; i++) {
		set_default(&profiles[i]);
		perf_group(&profiles[i]);
		if (i % 3 == 0)
			perf_topdown(&profiles[i]);
	}
}

const struct test perf_tests[] = {
	{ "perf-groups", test_groups },
	{ "perf-quantisation", test_quantisation },
	{ "perf-user-only", test_user_only },
	{ "perf-rates", test_rates },
	{ "perf-idle-cpu", test_idle_cpu },
	{ "perf-sampling", test_sampling },
	{ "perf-watchdog", test_watchdog },
	{ "perf-stat", test_perf_stat },
	{ NULL, NULL },
};
