// SPDX-License-Identifier: GPL-2.0
/*
 * CPUs that are measured with ordinary counters: with event rates of which the
 * published formulas say what comes out, it comes out, of a CPU and of a session.
 *
 * TOPDOWN_SPAN_MS     length of a measurement (1500)
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/perf_event.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest.h"
#include "source_rows.h"

/* One percentage point. */
#define TRIES		3
#define LIMIT		0.01
#define PERIOD_MS	"200"
#define SMALLER_MS	4000

static const char * const node_name[TRUTH_NODES] = {
	"retiring", "bad_speculation", "frontend_bound", "backend_bound",
	"heavy_operations", "light_operations", "branch_mispredicts", "machine_clears",
	"fetch_latency", "fetch_bandwidth", "memory_bound", "core_bound",
};

static const struct source_row *row;
static unsigned int span_ms;
static int device;

/* Have the cores of this machine two threads now? */
static bool smt_active(void)
{
	FILE *file = fopen("/sys/devices/system/cpu/smt/active", "re");
	int active = 0;

	if (file) {
		if (fscanf(file, "%d", &active) != 1)
			active = 0;
		fclose(file);
	}
	return active;
}

static const struct source_row *find_row(void)
{
	struct topdown_info info;
	bool smt = smt_active();
	unsigned int i;

	if (device_info(device, &info) || info.out_source == TOPDOWN_SOURCE_PERF_METRICS)
		return NULL;
	for (i = 0; i < source_rows_nr; i++) {
		const struct source_row *it = &source_rows[i];

		/* Others count the same with two threads as with one. */
		if (it->family == info.out_cpu_family && it->model == info.out_cpu_model &&
		    (it->smt == smt || it->source != TOPDOWN_SOURCE_GENERIC))
			return it;
	}
	return NULL;
}

static bool set_rates(void)
{
	unsigned int i;

	for (i = 0; i < SOURCE_RATES && row->rate[i].config; i++) {
		if (!door_set_rate(row->rate[i].config, row->rate[i].rate))
			return false;
	}
	return true;
}

static void worker_run(unsigned int cpu, int ready)
{
	const struct sched_param param = { };

	/* Nothing may be left behind when a test is killed. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (sched_setscheduler(0, SCHED_OTHER, &param) || cpu_pin(cpu) || !set_rates() ||
	    write(ready, "", 1) != 1)
		_exit(EXIT_FAILURE);
	for (;;)
		;
}

/* A child that executes on @cpu with the rates of the row until it is killed. */
static int worker_start(unsigned int cpu)
{
	int ready[2], pid;
	char byte;

	if (pipe(ready))
		return -errno;
	pid = fork();
	if (!pid)
		worker_run(cpu, ready[1]);
	close(ready[1]);
	if (pid > 0 && read(ready[0], &byte, 1) != 1) {
		waitpid(pid, NULL, 0);
		pid = -EIO;
	}
	close(ready[0]);
	return pid;
}

static bool figures_ok(const char *what, const struct topdown_figures *figures,
		       unsigned int level)
{
	unsigned int i, nodes = level > 1 ? TRUTH_NODES : TOPDOWN_BACKEND_BOUND + 1;
	bool ok = figures->slots && figures->running_ns;

	for (i = 0; i < TOPDOWN_MAX_NODES; i++) {
		double seen = (double)figures->ratio[i] / TOPDOWN_RATIO_ONE;

		if (i >= nodes && (figures->ratio[i] == TOPDOWN_RATIO_NONE ||
				   i == TOPDOWN_SMT_CONTENTION))
			continue;
		if (i < nodes && figures->ratio[i] <= TOPDOWN_RATIO_ONE &&
		    fabs(seen - row->node[i]) <= LIMIT)
			continue;
		ksft_print_msg("%s: %s is %.4f, and %.4f was to be expected\n", what,
			       i < TRUTH_NODES ? node_name[i] : "a node", seen,
			       i < TRUTH_NODES ? row->node[i] : 0);
		ok = false;
	}
	ksft_print_msg("%s: %llu slots, measured %llu of %llu ms\n", what,
		       (unsigned long long)figures->slots,
		       (unsigned long long)figures->running_ns / 1000000,
		       (unsigned long long)figures->enabled_ns / 1000000);
	return ok;
}

/* Of the last window alone it may be that it was clamped: others run at times too. */
static bool record_is(const struct topdown_record *record)
{
	ksft_print_msg("source %u, level %u, state %u, flags %#x\n", record->source,
		       record->level, record->state, record->flags);
	return record->source == row->source && record->level == row->level &&
	       (record->state == TOPDOWN_STATE_OK || record->state == TOPDOWN_STATE_CONTENDED) &&
	       !(record->flags & ~(TOPDOWN_RECORD_SCALED | TOPDOWN_RECORD_CLAMPED));
}

static bool cpus_right(const unsigned int *cpu, unsigned int nr)
{
	struct topdown_record record;
	bool ok = true;
	char what[32];
	unsigned int i;

	for (i = 0; i < nr; i++) {
		snprintf(what, sizeof(what), "CPU %u", cpu[i]);
		ok &= !device_read_cpu(device, 0, cpu[i], &record) && record_is(&record) &&
		      figures_ok(what, &record.total, row->level);
	}
	return ok;
}

static bool session_right(int session)
{
	struct topdown_session seen = { };

	if (device_session(device, TOPDOWN_SESSION_FRESH, session, &seen))
		return false;
	return seen.out_source == row->source && seen.out_level == row->level &&
	       figures_ok("session", &seen.out_figures, row->level);
}

/* One counter of a CPU for good, as the NMI watchdog takes one: a descriptor. */
static int take_counter(unsigned int cpu)
{
	struct perf_event_attr attr = {
		.type	= PERF_TYPE_HARDWARE,
		.size	= sizeof(attr),
		.config	= PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
		.pinned	= 1,
	};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool measure(const unsigned int *cpu, unsigned int nr, int session)
{
	if (session <= 0 || device_reset(device, TOPDOWN_RESET_FRESH, NULL, 0) ||
	    device_control(device, session, TOPDOWN_CONTROL_RESET))
		return false;
	sleep_ms(span_ms);
	return cpus_right(cpu, nr);
}

/* What the kernel does for itself in such a span can be too much, but not always. */
static bool measure_soon(const unsigned int *cpu, unsigned int nr, int session)
{
	unsigned int tries;

	for (tries = 0; tries < TRIES; tries++) {
		if (measure(cpu, nr, session))
			return true;
	}
	return false;
}

/* The CPUs and one worker, for the same span. */
static void test_figures(void)
{
	unsigned int cpu[TD_CPUS_MAX], nr = cpus_online(cpu), i;
	int worker[TD_CPUS_MAX] = { }, taken[TD_CPUS_MAX] = { }, session;
	bool ok = true;

	for (i = 0; i < nr; i++) {
		worker[i] = worker_start(cpu[i]);
		ok &= worker[i] > 0;
	}
	/* Every group shall have had a turn that is the worker's. */
	sleep_ms(500);
	session = device_attach(device, 0, worker[0]);
	ksft_test_result(ok && measure_soon(cpu, nr, session), "figures_of_cpus\n");
	ksft_test_result(ok && session_right(session), "figures_of_a_session\n");

	for (i = 0; i < nr; i++) {
		taken[i] = take_counter(cpu[i]);
		ok &= taken[i] >= 0;
	}
	/* The groups are made again, perhaps more than once. */
	sleep_ms(SMALLER_MS);
	ksft_test_result(ok && measure_soon(cpu, nr, session), "figures_of_cpus_without_a_counter\n");
	ksft_test_result(ok && session_right(session), "figures_of_a_session_without\n");
	for (i = 0; i < nr; i++) {
		close(taken[i]);
		if (worker[i] > 0)
			spin_stop(worker[i]);
	}
}

int main(void)
{
	int ret = module_need();

	if (ret)
		return ret;
	if (!door_open())
		ksft_exit_skip("this is not the emulated PMU\n");
	device = device_open();
	if (device < 0)
		ksft_exit_fail_msg("cannot open " TD_DEVICE ": %s\n", strerror(-device));
	row = find_row();
	if (!row)
		ksft_exit_skip("there are no rates for this machine\n");
	span_ms = env_number("TOPDOWN_SPAN_MS", 1500);
	ksft_print_header();
	ksft_set_plan(4);
	if (period_set(PERIOD_MS) || realtime())
		ksft_exit_fail_msg("cannot set the period or the priority\n");
	test_figures();
	ksft_finished();
}
