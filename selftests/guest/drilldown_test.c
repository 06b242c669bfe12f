// SPDX-License-Identifier: GPL-2.0
/*
 * drilldown=1: where level 2 does not fit the counters, the children of level 1 nodes
 * over their published thresholds are counted and no others.  A node that was not counted
 * has no figure.  A node that was counted for some of the time has no figure of all the time.
 * Level 1 is one group, which gets smaller if somebody else needs a counter, also where the work
 * that makes it is late.
 *
 * TOPDOWN_SPAN_MS     length of a measurement (1500)
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "../kselftest.h"
#include "fact.h"
#include "source_rows.h"
#include "source_setup.h"
#include "source_stat.h"
#include "watch.h"

#define PARAMS		"drilldown=1 period_ms=200"

/*
 * One percentage point; more where the test itself and the command are measured with
 * the workers, as they are while children are opened.
 */
#define LIMIT		0.01
#define LIMIT_LONG	0.03
#define LIMIT_WINDOW	0.15
#define TRIES		3

#define LOOK_MS		100
/* A window, the pause before a group is made, and the turns of what is new. */
#define OPEN_MS		4000
/* Nodes that are below their thresholds keep their children for ten seconds. */
#define CLOSE_MS	25000
#define TURNS_MS	500

/* Works that are bound to no CPU run on these. */
#define WORKS_CPUS	"/sys/devices/virtual/workqueue/cpumask"
#define WATCHDOG	"/proc/sys/kernel/nmi_watchdog"
/* The work that makes smaller groups is so late once. */
#define LATE_MS		400
/*
 * A group that waits for counters does so 0.13 s of each 1.2 s.  If it has left before the late
 * work comes, it is back after 1.1 s.  Then the other group has turns, so nobody asks for the
 * work, and that of a window's end comes 1 to 2 s later.  They have a fifth of the rest.
 */
#define SMALLER_MS	6000

#define CHILDREN(parent)	(3U << (TOPDOWN_HEAVY_OPERATIONS + 2 * (parent)))

/* generic_skl with two threads, g0136 of host/formula.csv: bad speculation alone is over. */
static const struct source_row later = {
	.rate = {
		{ 0x19c, 342570 }, { 0x10e, 1638717 }, { 0x2c2, 1375419 }, { 0x10d, 179037 },
		{ 0x20010d, 358075 }, { 0x23c, 16761 }, { 0x13c, 38101 }, { 0x400019c, 8794 },
		{ 0xc5, 15136 }, { 0x10401c3, 1966 }, { 0x140014a3, 26649 }, { 0x40a6, 52181 },
		{ 0x40004a3, 146028 }, { 0x2a6, 143365 }, { 0x4a6, 197863 }, { 0x4c2, 40561 },
		{ 0xc0, 567472 },
	},
	.node = {
		0.4776, 0.3401, 0.1190, 0.0633, 0.2946, 0.1830, 0.3010, 0.0391,
		0.0122, 0.1067, 0.0114, 0.0519,
	},
};

#define NODES_FIRST	(0xf | CHILDREN(TOPDOWN_FRONTEND_BOUND) | CHILDREN(TOPDOWN_BACKEND_BOUND))
#define NODES_LATER	(0xf | CHILDREN(TOPDOWN_BAD_SPECULATION))
/* Nearly over: the first windows are short, and can make it so for a while. */
#define STRAY		CHILDREN(TOPDOWN_BAD_SPECULATION)

/* The row of source_test for that core: frontend bound and backend bound are over. */
static const struct source_row *first;
/* The workers execute this row. */
static const struct source_row *row;
static unsigned int cpu[TD_CPUS_MAX], cpus, span_ms;
static int worker[TD_CPUS_MAX];
static int device = -1;

static bool find_first(void)
{
	int fd = device_open();
	struct topdown_info info;
	unsigned int i;

	if (device_info(fd, &info))
		ksft_exit_fail_msg("cannot ask " TD_DEVICE "\n");
	/* Or the workers would have it. */
	close(fd);
	for (i = 0; i < source_rows_nr; i++) {
		if (info.out_cpu_family == 6 && info.out_cpu_model == 0x55 &&
		    source_rows[i].family == 6 && source_rows[i].model == 0x55 &&
		    source_rows[i].smt)
			first = &source_rows[i];
	}
	return first;
}

static bool set_rates(void)
{
	return source_rates(row);
}

static void workers_stop(void)
{
	unsigned int i;

	for (i = 0; i < cpus; i++) {
		if (worker[i] > 0)
			spin_stop(worker[i]);
		worker[i] = 0;
	}
}

static bool workers_start(const struct source_row *what)
{
	bool ok = true;
	unsigned int i;

	workers_stop();
	row = what;
	for (i = 0; i < cpus; i++) {
		worker[i] = spin_start_with(cpu[i], NULL, set_rates);
		ok &= worker[i] > 0;
	}
	return ok;
}

static bool module_begin(void)
{
	if ((module_loaded() && module_unload()) || module_load(PARAMS))
		return false;
	device = device_open();
	return device >= 0;
}

/* Those that there are, are right; says which there are. */
static bool nodes_right(const char *what, const double node[TD_NR_NODES], double limit,
			uint32_t *there)
{
	bool ok = true;
	unsigned int i;

	*there = 0;
	for (i = 0; i < TD_NR_NODES; i++) {
		if (isnan(node[i]))
			continue;
		*there |= 1U << i;
		if (fabs(node[i] - row->node[i]) <= limit)
			continue;
		ksft_print_msg("%s: %s is %.4f, and %.4f was to be expected\n", what,
			       node_name[i], node[i], row->node[i]);
		ok = false;
	}
	return ok;
}

static bool figures_right(const char *what, const struct topdown_figures *figures, double limit,
			  uint32_t *there)
{
	double node[TD_NR_NODES];
	unsigned int i;

	for (i = 0; i < TD_NR_NODES; i++)
		node[i] = figures->ratio[i] == TOPDOWN_RATIO_NONE ? NAN :
			  (double)figures->ratio[i] / TOPDOWN_RATIO_ONE;
	return nodes_right(what, node, limit, there);
}

/*
 * Are the children of @nodes right in the part of the slots in which they were counted, and
 * were the children of no other node counted?
 */
static bool part_right(const char *what, const struct topdown_figures *figures, uint32_t nodes,
		       double limit)
{
	unsigned int child, parent;
	bool ok = true;

	for (child = TOPDOWN_HEAVY_OPERATIONS; child <= TOPDOWN_CORE_BOUND; child++) {
		uint64_t slots;
		double share;

		parent = (child - TOPDOWN_HEAVY_OPERATIONS) / 2;
		slots = figures->children_slots[parent];
		share = slots ? (double)figures->node[child] / slots : 0;
		if (nodes >> child & 1)
			ok &= slots && slots < figures->slots;
		else if (!(STRAY >> child & 1))
			ok &= !slots && !figures->node[child];
		if (!slots || !(nodes >> child & 1) || fabs(share - row->node[child]) <= limit)
			continue;
		ksft_print_msg("%s: in its %.0f%% of the slots %s is %.4f, and not %.4f\n", what,
			       100.0 * slots / figures->slots, node_name[child], share,
			       row->node[child]);
		ok = false;
	}
	return ok;
}

/* These nodes, and perhaps some of @others. */
static bool cpus_have(uint32_t nodes, uint32_t others)
{
	struct topdown_record record;
	unsigned int i;

	for (i = 0; i < cpus; i++) {
		if (device_read_cpu(device, 0, cpu[i], &record) ||
		    (record.nodes & ~others) != nodes)
			return false;
	}
	return true;
}

static void cpus_say(void)
{
	struct topdown_record record;
	unsigned int i;

	for (i = 0; i < cpus; i++) {
		if (device_read_cpu(device, 0, cpu[i], &record))
			continue;
		ksft_print_msg("CPU %u has nodes %#llx, state %u, %.3f of %.3f s\n",
			       cpu[i], record.nodes, record.state,
			       record.total.running_ns / 1e9, record.total.enabled_ns / 1e9);
	}
}

static bool cpus_get(uint32_t nodes, uint32_t others, unsigned int ms)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + ms * 1000000ULL;

	while (!cpus_have(nodes, others)) {
		if (clock_ns(CLOCK_MONOTONIC) > end) {
			cpus_say();
			return false;
		}
		sleep_ms(LOOK_MS);
	}
	return true;
}

static bool begins_with_level_1(void)
{
	struct topdown_record record;
	struct topdown_info info;
	unsigned int i;

	if (device_info(device, &info) || !(info.out_flags & TOPDOWN_INFO_DRILLDOWN) ||
	    info.out_level != 2)
		return false;
	for (i = 0; i < cpus; i++) {
		if (device_read_cpu(device, 0, cpu[i], &record) || record.level != 2 ||
		    record.nodes != 0xf || !(record.flags & TOPDOWN_RECORD_DRILLDOWN))
			return false;
	}
	return true;
}

/* A node may be watched that is not being counted now, but none that cannot be. */
static bool watches_any_node(void)
{
	struct topdown_watch watch = {
		.size	= sizeof(watch),
		.node	= TOPDOWN_MEMORY_BOUND,
		.flags	= TOPDOWN_WATCH_BELOW,
		.ratio	= TOPDOWN_RATIO_ONE,
		.event_size = sizeof(struct topdown_event),
	};
	int fd = device_open();
	bool ok;

	ok = fd >= 0 && !ioctl(fd, TOPDOWN_WATCH, &watch);
	watch.out_watch = 0;
	watch.node = TOPDOWN_RESOURCE_BOUND;
	ok = ok && ioctl(fd, TOPDOWN_WATCH, &watch) < 0 && errno == EOPNOTSUPP;
	close(fd);
	return ok;
}

/* Each window is beyond this threshold. */
static int watch_always(void)
{
	const struct topdown_watch what = {
		.node = TOPDOWN_RETIRING, .ratio = 0, .flags = TOPDOWN_WATCH_BACK,
	};
	int fd = device_open();

	return fd >= 0 && nonblocking(fd) && watch_add(fd, NULL, 0, &what) == 1 ? fd : -1;
}

/*
 * Other groups are made to open children.  Meanwhile the CPU is not measured, so it is back
 * within the threshold, and beyond it again afterwards.
 */
static bool gap_is_said(int fd)
{
	unsigned long long back[TD_CPUS_MAX] = { }, beyond[TD_CPUS_MAX] = { };
	struct topdown_event event;
	bool ok = true;
	unsigned int i;

	while ((event = event_take(fd)).count) {
		if (!(event.flags & TOPDOWN_EVENT_BACK)) {
			beyond[event.cpu] += event.count;
			continue;
		}
		back[event.cpu] += event.count;
		ok &= fact_same("ratio", event.ratio, TOPDOWN_RATIO_NONE);
	}
	for (i = 0; i < cpus; i++) {
		ksft_print_msg("CPU %u: %llu times back, %llu times beyond\n", cpu[i],
			       back[cpu[i]], beyond[cpu[i]]);
		ok &= fact(back[cpu[i]] > 0) &
		      fact_same("times beyond", beyond[cpu[i]], back[cpu[i]] + 1);
	}
	return ok;
}

/* All CPUs and their sum at the begin of a span. */
static struct topdown_record begun[TD_CPUS_MAX + 1];

static bool span_begin(void)
{
	__u32 nr = TD_CPUS_MAX + 1;

	return !device_read(device, TOPDOWN_READ_FRESH | TOPDOWN_READ_TOTAL, NULL, 0, begun, &nr);
}

/* The record of a CPU, or of all of them, with the total since then. */
static bool span_read(__u32 flags, __u32 number, struct topdown_record *record)
{
	static struct topdown_record records[TD_CPUS_MAX + 1];
	__u32 nr = TD_CPUS_MAX + 1, i;

	if (device_read(device, flags | TOPDOWN_READ_TOTAL, NULL, 0, records, &nr))
		return false;
	for (i = 0; i < nr - 1 && records[i].cpu != number; i++)
		;
	*record = records[i];
	if (record->cpu != number || begun[i].cpu != number)
		return false;
	figures_since(&record->total, &begun[i].total, record->nodes);
	return true;
}

/* Is the sum of all CPUs right?  @part: nodes that were counted in a part of the slots. */
static bool total_right(uint32_t nodes, uint32_t part, double limit)
{
	struct topdown_record record;
	uint32_t there = 0;

	return span_read(0, TOPDOWN_CPU_ALL, &record) &&
	       figures_right("the sum", &record.total, limit, &there) &&
	       fact_same("nodes", there, nodes) &&
	       (!part || part_right("the sum", &record.total, part, limit));
}

/*
 * The total began before children were opened, so it has level 1 alone, though the children
 * are counted now.  The last window has the children.
 */
static bool part_is_no_figure(void)
{
	struct topdown_record record;
	uint32_t of_total, of_window;
	bool ok = true;
	unsigned int i;

	for (i = 0; i < cpus; i++) {
		if (!span_read(0, cpu[i], &record))
			return false;
		ok &= figures_right("the total", &record.total, LIMIT_LONG, &of_total) &&
		      figures_right("the window", &record.window, LIMIT_WINDOW, &of_window);
		ksft_print_msg("the total has nodes %#x, the window %#x\n", of_total, of_window);
		ok &= part_right("the total", &record.total, NODES_FIRST, LIMIT_LONG);
		ok &= fact_same("nodes of the total", of_total, 0xf) &
		      fact_same("nodes of the window", of_window & ~STRAY, NODES_FIRST);
	}
	return ok && total_right(0xf, NODES_FIRST, LIMIT_LONG);
}

/* The same by the command: children are opened in its first interval. */
static bool lines_are_right(FILE *output)
{
	unsigned int lines = 0;
	double node[TD_NR_NODES];
	char line[4096];
	bool ok = true;
	uint32_t there;

	while (output && fgets(line, sizeof(line), output)) {
		json_nodes(line, node);
		ok &= nodes_right("a line", node, LIMIT_LONG, &there);
		ksft_print_msg("a line has nodes %#x\n", there);
		/* A row for each CPU, and one for all. */
		ok &= lines <= cpus ? there == 0xf : (there & ~STRAY) == NODES_FIRST;
		lines++;
	}
	return output && !pclose(output) && ok && lines == 2 * (cpus + 1);
}

/* A session that was there before has level 1. */
static bool session_has(int session, uint32_t nodes, uint32_t part)
{
	struct topdown_session seen = { };
	uint32_t there = 0;

	return !device_session(session, TOPDOWN_SESSION_FRESH, &seen) &&
	       figures_right("a session", &seen.out_figures, LIMIT_LONG, &there) &&
	       fact_same("nodes", there, nodes) &&
	       (!part || part_right("a session", &seen.out_figures, part, LIMIT_LONG));
}

/* Between two readings of it the children are there that were counted all the time. */
static bool session_has_between(int session)
{
	struct topdown_session then = { }, now = { };
	uint32_t there = 0;
	bool ok;

	ok = session > 0 && session_has(session, 0xf, NODES_FIRST) &&
	     !device_session(session, TOPDOWN_SESSION_FRESH, &then);
	sleep_ms(span_ms);
	ok = ok && !device_session(session, TOPDOWN_SESSION_FRESH, &now);
	close(session);
	figures_since(&now.out_figures, &then.out_figures, nodes_of_level(2));
	return ok && figures_right("a session", &now.out_figures, LIMIT_LONG, &there) &&
	       fact_same("nodes", there, NODES_FIRST);
}

/* Since a reading that is as old as the last fold there is what has been open since. */
static bool span_has(const struct topdown_record *then)
{
	struct topdown_record record;
	uint32_t there = 0;

	if (device_read_cpu(device, TOPDOWN_READ_FRESH, cpu[0], &record))
		return false;
	figures_since(&record.total, &then->total, record.nodes);
	return figures_right("since a reading", &record.total, LIMIT_WINDOW, &there) &&
	       fact_same("nodes", there & ~STRAY, NODES_FIRST);
}

static bool measure(uint32_t nodes)
{
	int session = device_attach(device, 0, worker[0]);
	struct topdown_session seen = { };
	struct topdown_record record;
	uint32_t there;
	bool ok = true;
	unsigned int i;

	if (session <= 0 || !span_begin())
		return false;
	sleep_ms(span_ms);
	for (i = 0; i < cpus; i++)
		ok &= span_read(TOPDOWN_READ_FRESH, cpu[i], &record) &&
		      figures_right("a CPU", &record.total, LIMIT, &there) &&
		      fact_same("nodes", there, nodes);
	ok &= total_right(nodes, 0, LIMIT);
	ok &= !device_session(session, TOPDOWN_SESSION_FRESH, &seen) &&
	      figures_right("session", &seen.out_figures, LIMIT, &there) &&
	      fact_same("nodes", there, nodes);
	close(session);
	return ok;
}

static bool measure_soon(uint32_t nodes)
{
	unsigned int tries;

	for (tries = 0; tries < TRIES; tries++) {
		if (tries)
			say_again("figures while nodes are opened");
		if (measure(nodes))
			return true;
	}
	return false;
}

/* Since the module was loaded not all of it was counted; in the last window it was. */
static bool file_line_right(const char *line)
{
	static const char opened[] = "tma_fetch_latency - - ";

	return !strcmp(line, "tma_machine_clears - - -\n") ||
	       (!strncmp(line, opened, strlen(opened)) && strstr(line, "%\n"));
}

static bool file_says_so(void)
{
	FILE *file = fopen(TD_SYSFS "/cpu0", "re");
	unsigned int right = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file)) {
		right += file_line_right(line);
		ksft_print_msg("%s", line);
	}
	if (file)
		fclose(file);
	return right == 2;
}

static void test_opening(void)
{
	int session = device_attach(device, 0, worker[0]);
	FILE *output = stat_start(0, OPEN_MS, 2, 0);
	int watch = watch_always();
	struct topdown_record then;

	ksft_test_result(span_begin() && begins_with_level_1(), "begins_with_level_1\n");
	ksft_test_result(watches_any_node(), "watches_any_node\n");
	ksft_test_result(cpus_get(NODES_FIRST, STRAY, OPEN_MS) &&
			 !device_read_cpu(device, 0, cpu[0], &then), "opens_what_is_over\n");
	sleep_ms(TURNS_MS);
	ksft_test_result(watch >= 0 && gap_is_said(watch), "a_watch_sees_the_gap\n");
	close(watch);
	ksft_test_result(span_has(&then), "a_span_has_what_is_open\n");
	ksft_test_result(part_is_no_figure(), "a_part_is_no_figure_of_the_whole\n");
	ksft_test_result(lines_are_right(output), "stat_marks_what_was_not_counted\n");
	ksft_test_result(cpus_get(NODES_FIRST, 0, CLOSE_MS), "nothing_else_is_open\n");
	/* A window of what is open now. */
	sleep_ms(TURNS_MS);
	ksft_test_result(file_says_so(), "file_marks_what_was_not_counted\n");
	ksft_test_result(session_has_between(session), "a_session_has_it_between_readings\n");
	ksft_test_result(measure_soon(NODES_FIRST), "open_nodes_are_right\n");
}

static void test_closing(void)
{
	bool ok = workers_start(&later);

	ksft_test_result(ok && cpus_get(NODES_LATER, 0, CLOSE_MS), "closes_what_is_below\n");
	sleep_ms(TURNS_MS);
	ksft_test_result(ok && measure_soon(NODES_LATER), "nodes_that_are_open_then_are_right\n");
}

/* Keep all works that are bound to no CPU from running for a while: the process that does so. */
static int works_stop(void)
{
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + LATE_MS * 1000000ULL;
	int pid = fork();

	if (pid)
		return pid;
	if (cpu_pin(cpu[1]))
		_exit(1);
	while (clock_ns(CLOCK_MONOTONIC) < end)
		;
	_exit(0);
}

static uint64_t running_ns(void)
{
	struct topdown_record record = { };

	device_read_cpu(device, TOPDOWN_READ_FRESH, cpu[0], &record);
	return record.total.running_ns;
}

/* A CPU counts again although the work that makes its group smaller came late once. */
static bool counts_after_late_work(void)
{
	uint64_t begun, waits, counts;
	int works, counter;

	works = works_stop();
	sleep_ms(LOOK_MS / 5);
	counter = counter_take(cpu[0]);
	begun = running_ns();
	waitpid(works, NULL, 0);
	waits = running_ns();
	sleep_ms(SMALLER_MS);
	counts = running_ns();
	ksft_print_msg("counted for %.1f ms beside the late work, and for %.1f ms afterwards\n",
		       (waits - begun) / 1e6, (counts - waits) / 1e6);
	close(counter);
	return works > 0 && counter >= 0 && waits - begun < LATE_MS * 1000000ULL / 2 &&
	       counts - waits > SMALLER_MS * 1000000ULL / 10;
}

static void test_late_work(void)
{
	int busy;
	bool ok;

	workers_stop();
	/* Or the load would have it. */
	close(device);
	/* An idle CPU would give its groups few turns. */
	busy = spin_start(cpu[0], &profile_find("compute")->profile);
	ok = busy > 0 && !file_write(WATCHDOG, 0, "0") && !file_write(WORKS_CPUS, 0, "2") &&
	     module_begin();
	sleep_ms(TURNS_MS);
	ksft_test_result(ok && cpu[1] == 1 && counts_after_late_work(),
			 "counts_after_late_work\n");
	spin_stop(busy);
	file_write(WORKS_CPUS, 0, "3");
	file_write(WATCHDOG, 0, "1");
}

int main(void)
{
	int ret = module_need();

	if (ret)
		return ret;
	if (!backdoor_open())
		ksft_exit_skip("this is not the emulated PMU\n");
	if (!find_first() || !setup_smt_is_on())
		ksft_exit_skip("the rates are those of Skylake-X with two threads a core\n");
	span_ms = env_number("TOPDOWN_SPAN_MS", 1500);
	ksft_print_header();
	ksft_set_plan(14);
	if (realtime())
		ksft_exit_fail_msg("cannot set the priority\n");
	cpus = cpus_online(cpu);
	if (!workers_start(first) || !module_begin())
		ksft_exit_fail_msg("cannot begin\n");
	test_opening();
	test_closing();
	test_late_work();
	ksft_finished();
}
