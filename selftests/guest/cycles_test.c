// SPDX-License-Identifier: GPL-2.0
/*
 * Instructions per cycle and the busy share, against the truth of the emulated PMU: with
 * the NMI watchdog, which has a counter of cycles, and without it; of a CPU that works all
 * the time, now and then, or never, or sleeps often and shortly; and of a session.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../kselftest_harness.h"
#include "fact.h"
#include "sample.h"
#include "session.h"

/* The acceptance criteria: a share of the IPC, and points of the busy share. */
#define LIMIT_IPC	0.005
#define LIMIT_BUSY	0.5
/*
 * The way into an idle task's sleep and out of it is idle time for the kernel, and work for the
 * CPU.  Each short sleep has that, and the slower the CPUs are the longer it takes.
 */
#define LIMIT_SHORT	10

#define WATCHDOG	"/proc/sys/kernel/nmi_watchdog"
#define CPU		1
#define SPAN_MS		1000
/* Groups that take turns have had some by then. */
#define SETTLE_MS	600
/* The emulator's cycles in a nanosecond. */
#define CYCLES_NS	3.0
/* Shorter than the difference that the kernel's clocks may have (kmod/window/busy.c). */
#define SHORT_WORK_NS	700000
#define SHORT_SLEEP_NS	300000

/* Works for a part of each while; 0 never begins. */
struct load {
	unsigned int work_ms;
	unsigned int sleep_ms;
	const char *profile;
};

static const struct load loads[] = {
	{ 100, 0, "compute" },
	{ 20, 30, "stream" },
	{ 0, 0, NULL },
};

static int load_start(const struct load *load)
{
	int pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (cpu_pin(CPU) || !backdoor_set_profile(&profile_find(load->profile)->profile))
		_exit(1);
	for (;;) {
		spin_ms(load->work_ms);
		if (load->sleep_ms)
			sleep_ms(load->sleep_ms);
	}
}

/* Have the time between two short sleeps counted as soon as it is over. */
static int short_start(int fd)
{
	const struct timespec time = { .tv_nsec = SHORT_SLEEP_NS };
	struct topdown_record record;
	int pid = fork();
	uint64_t end;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (cpu_pin(CPU))
		_exit(1);
	for (;;) {
		end = clock_ns(CLOCK_MONOTONIC) + SHORT_WORK_NS;
		while (clock_ns(CLOCK_MONOTONIC) < end)
			;
		nanosleep(&time, NULL);
		if (device_read_cpu(fd, TOPDOWN_READ_FRESH, CPU, &record))
			_exit(1);
	}
}

struct seen {
	double ipc, busy;
	double ipc_truth, busy_truth;
	uint64_t cycles;
};

/* Percent. */
static double busy_truth(const struct td_bd_truth *truth, unsigned int slots_per_cycle)
{
	return 100.0 * truth->slots / slots_per_cycle / CYCLES_NS / truth->time_ns;
}

static void seen_fill(struct seen *seen, const struct sample *then, const struct sample *now)
{
	const struct topdown_figures *from = &then->record.total, *to = &now->record.total;
	struct td_bd_truth truth = now->after;
	double cycles;

	backdoor_truth_sub(&truth, &then->before);
	cycles = (double)truth.slots / now->record.slots_per_cycle;
	seen->cycles = to->cycles - from->cycles;
	seen->ipc = seen->cycles ? (double)(to->instructions - from->instructions) /
				   seen->cycles : NAN;
	seen->busy = 100.0 * (to->busy_ns - from->busy_ns) /
		     (now->record.time_ns - then->record.time_ns);
	seen->ipc_truth = truth.category[TD_BD_RETIRING] / cycles;
	seen->busy_truth = busy_truth(&truth, now->record.slots_per_cycle);
}

/* sample_take() runs on the CPU itself, so wait elsewhere.  @pid: the load, or 0. */
static bool measure(int fd, int pid, struct seen *seen)
{
	struct sample then, now;
	bool ok;

	cpu_pin(0);
	sleep_ms(SETTLE_MS);
	ok = !sample_take(fd, CPU, &then);
	cpu_pin(0);
	sleep_ms(SPAN_MS);
	ok = ok && !sample_take(fd, CPU, &now);
	cpu_pin(0);
	if (pid)
		spin_stop(pid);
	if (!ok)
		return false;
	seen_fill(seen, &then, &now);
	printf("# IPC %.4f, truth %.4f; busy %.3f%%, truth %.3f%%\n", seen->ipc,
	       seen->ipc_truth, seen->busy, seen->busy_truth);
	return true;
}

/* @busy: the module knows the busy time. */
static bool right(int fd, const struct load *load, bool busy)
{
	struct seen seen;

	printf("# %u ms of work, %u ms asleep:\n", load->work_ms, load->sleep_ms);
	if (!measure(fd, load->work_ms ? load_start(load) : 0, &seen))
		return false;
	if (!fact_near("busy", seen.busy, busy ? seen.busy_truth : 0, busy ? LIMIT_BUSY : 0))
		return false;
	/* Some interrupts alone are no IPC that groups with turns would see. */
	return !load->work_ms || fabs(seen.ipc / seen.ipc_truth - 1) <= LIMIT_IPC;
}

/* A session whose task works all the time. */
static bool session_right(int fd)
{
	static const struct load load = { 10, 1, "compute" };
	struct topdown_session then, now;
	const struct td_bd_profile *what = &profile_find(load.profile)->profile;
	const struct topdown_figures *from = &then.out_figures, *to = &now.out_figures;
	struct topdown_record record;
	int pid = load_start(&load), session = device_attach(fd, 0, pid);
	double ipc, truth;
	bool ok = session > 0;

	sleep_ms(SETTLE_MS);
	ok = ok && !device_session(session, TOPDOWN_SESSION_FRESH, &then);
	sleep_ms(SPAN_MS);
	ok = ok && !device_session(session, TOPDOWN_SESSION_FRESH, &now);
	ok = ok && !device_read_cpu(fd, 0, CPU, &record);
	if (session > 0)
		close(session);
	spin_stop(pid);
	if (!ok)
		return false;
	truth = what->fraction[TD_BD_RETIRING] / (double)TD_BD_FRACTION *
		record.slots_per_cycle;
	ipc = (double)(to->instructions - from->instructions) / (to->cycles - from->cycles);
	printf("# session: IPC %.4f, truth %.4f\n", ipc, truth);
	return fabs(ipc / truth - 1) <= LIMIT_IPC && !to->busy_ns;
}

FIXTURE(cycles) {
	int fd;
};

FIXTURE_VARIANT(cycles) {
	const char *watchdog;
};

FIXTURE_VARIANT_ADD(cycles, watchdog_off) { .watchdog = "0" };
FIXTURE_VARIANT_ADD(cycles, watchdog_on) { .watchdog = "1" };

FIXTURE_SETUP(cycles)
{
	ASSERT_EQ(0, file_write(WATCHDOG, 0, variant->watchdog));
	if (module_loaded())
		ASSERT_EQ(0, module_unload());
	ASSERT_EQ(0, module_load("period_ms=200"));
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	/* Groups that are too large for the counters that the watchdog leaves are made again. */
	sleep_ms(3000);
}

FIXTURE_TEARDOWN(cycles)
{
	close(self->fd);
	module_unload();
	file_write(WATCHDOG, 0, "0");
}

TEST_F_TIMEOUT(cycles, cycles_of_a_cpu_are_right, 120)
{
	struct topdown_info info;
	unsigned int i;
	bool busy;

	ASSERT_EQ(0, device_info(self->fd, &info));
	EXPECT_TRUE(info.out_features & TOPDOWN_FEATURE_CYCLES);
	busy = info.out_features & TOPDOWN_FEATURE_BUSY;
	for (i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
		EXPECT_SOON(right(self->fd, &loads[i], busy));
}

TEST_F_TIMEOUT(cycles, cycles_of_a_session_are_right, 120)
{
	EXPECT_SOON(session_right(self->fd));
}

/* Load the module again: a descriptor, and whether it knows the busy time. */
static int reload(const char *params, bool *busy)
{
	struct topdown_info info;
	int fd, ret = module_loaded() ? module_unload() : 0;

	if (!ret)
		ret = module_load(params);
	if (ret)
		return ret;
	fd = device_open();
	ret = fd < 0 ? fd : device_info(fd, &info);
	*busy = !ret && info.out_features & TOPDOWN_FEATURE_BUSY;
	return ret ? ret : fd;
}

/* The time before the module was there is none of a CPU's idle time. */
TEST(busy_time_begins_with_the_module)
{
	const struct topdown_figures *figures;
	struct td_bd_truth then, now;
	struct topdown_record record;
	bool known;
	double seen, truth;
	int fd, load = spin_start(CPU, NULL);

	ASSERT_LT(0, load);
	ASSERT_EQ(0, cpu_pin(0));
	fd = reload("period_ms=1000", &known);
	ASSERT_LE(0, fd);
	ASSERT_TRUE(backdoor_truth_cpu(CPU, &then));
	sleep_ms(200);
	ASSERT_EQ(0, device_read_cpu(fd, TOPDOWN_READ_FRESH, CPU, &record));
	ASSERT_TRUE(backdoor_truth_cpu(CPU, &now));
	spin_stop(load);
	backdoor_truth_sub(&now, &then);
	truth = busy_truth(&now, record.slots_per_cycle);
	figures = &record.total;
	seen = 100.0 * figures->busy_ns / figures->enabled_ns;
	printf("# busy %.3f%%, truth %.3f%%\n", seen, truth);
	EXPECT_TRUE(fact_near("busy", seen, known ? truth : 0, known ? LIMIT_BUSY : 0));
	close(fd);
	EXPECT_EQ(0, module_unload());
}

/* Idle time is counted once, however little of it there is in a part. */
TEST(short_sleeps_count_once)
{
	struct seen seen;
	bool known;
	int fd = reload("period_ms=200", &known);

	ASSERT_LE(0, fd);
	ASSERT_TRUE(measure(fd, short_start(fd), &seen));
	/* It slept, or nothing would be seen here. */
	EXPECT_TRUE(fact_near("truth", seen.busy_truth, 75, 15));
	EXPECT_TRUE(fact_near("busy", seen.busy, known ? seen.busy_truth : 0,
			      known ? LIMIT_SHORT : 0));
	close(fd);
	EXPECT_EQ(0, module_unload());
}

/* With cycles=0 nothing of it is there. */
TEST(cycles_can_be_off)
{
	struct topdown_record record;
	struct topdown_info info;
	int fd;

	if (module_loaded())
		ASSERT_EQ(0, module_unload());
	ASSERT_EQ(0, module_load("period_ms=50 cycles=0"));
	fd = device_open();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, device_info(fd, &info));
	EXPECT_FALSE(info.out_features & (TOPDOWN_FEATURE_CYCLES | TOPDOWN_FEATURE_BUSY));
	sleep_ms(500);
	ASSERT_EQ(0, device_read_cpu(fd, TOPDOWN_READ_FRESH, CPU, &record));
	EXPECT_EQ(0, record.total.cycles);
	EXPECT_EQ(0, record.total.instructions);
	EXPECT_EQ(0, record.total.busy_ns);
	close(fd);
	EXPECT_EQ(0, module_unload());
}

int main(int argc, char **argv)
{
	int ret = emulator_need();

	return ret ? ret : test_harness_run(argc, argv);
}
