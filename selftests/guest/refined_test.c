// SPDX-License-Identifier: GPL-2.0
/*
 * The module parameter refined: PERF_METRICS corrected by what general counters count,
 * of CPUs and of a session, against the truth of the emulated PMU corrected by the
 * rates that the events were given; and without the parameter as if there were none.
 *
 * TOPDOWN_SPAN_MS     length of a measurement (1500)
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../kselftest.h"
#include "fact.h"
#include "map.h"
#include "sample.h"

/* Percentage points: the acceptance criterion. */
#define LIMIT_POINTS	0.5

#define CPUS		8
#define TRIES		3
#define PERIOD		"period_ms=200"

/* Of 1,000,000 cycles. */
#define CYCLES		1000000

/* How the slots of a model are corrected: by how many, and which event says so. */
struct model {
	const char *name;
	unsigned int number;
	unsigned int width;
	/* A slot each that is not frontend bound. */
	uint64_t drop_event, drop_rate;
	/* As many slots as the width that are backend bound. */
	uint64_t clear_event, clear_rate;
};

static const struct model models[] = {
	{ "Sapphire Rapids", 0x8f, 6, 0x10ad, 300000, 0, 0 },
	{ "Ice Lake-X", 0x6a, 5, 0x100d, 250000, 0x104010d, 30000 },
};

/* The third profile has fewer frontend bound slots than dropped ones. */
static const char * const profile_names[] = { "bigcode", "branchy", "stream", "odd" };

static const char * const node_name[TD_NR_NODES] = {
	"retiring", "bad_speculation", "frontend_bound", "backend_bound",
	"heavy_operations", "light_operations", "branch_mispredicts", "machine_clears",
	"fetch_latency", "fetch_bandwidth", "memory_bound", "core_bound",
};

static const struct model *model;
static unsigned int cpu[TD_CPUS_MAX], cpus, span_ms;
static const struct profile *profile[CPUS];
static struct sample earlier[CPUS], later[CPUS];
static int device, worker[CPUS];

static void find_model(void)
{
	struct topdown_info info;
	unsigned int i;

	if (device_info(device, &info) || info.out_source != TOPDOWN_SOURCE_PERF_METRICS)
		return;
	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		if (info.out_cpu_model == models[i].number)
			model = &models[i];
	}
}

static bool set_rates(void)
{
	return backdoor_set_rate(model->drop_event, model->drop_rate) &&
	       (!model->clear_event || backdoor_set_rate(model->clear_event, model->clear_rate));
}

/* Apply perf's metric expressions to the truth, and keep the nodes within their limits. */
static void refine(double *node)
{
	double dropped = model->drop_rate / (double)CYCLES / model->width;
	double cleared = model->clear_rate / (double)CYCLES;

	dropped = fmin(dropped, node[TOPDOWN_FRONTEND_BOUND]);
	cleared = fmin(cleared, node[TOPDOWN_BAD_SPECULATION] + dropped);
	node[TOPDOWN_FRONTEND_BOUND] -= dropped;
	node[TOPDOWN_BAD_SPECULATION] += dropped - cleared;
	node[TOPDOWN_BACKEND_BOUND] += cleared;
	/* Level 2 is there only with no events for clears. */
	node[TOPDOWN_FETCH_LATENCY] = fmax(node[TOPDOWN_FETCH_LATENCY] - dropped, 0);
	node[TOPDOWN_FETCH_BANDWIDTH] = node[TOPDOWN_FRONTEND_BOUND] -
					node[TOPDOWN_FETCH_LATENCY];
	node[TOPDOWN_MACHINE_CLEARS] += dropped;
}

static bool nodes_ok(const char *what, const double *seen, double *truth, unsigned int level,
		     bool refined)
{
	struct comparison comparison;
	unsigned int i;

	if (refined)
		refine(truth);
	compare_nodes(seen, truth, level, &comparison);
	i = comparison.worst_node;
	ksft_print_msg("%s: %.3f points (%s: seen %.3f%%, truth %.3f%%)\n", what,
		       comparison.points, node_name[i], 100 * seen[i], 100 * truth[i]);
	return comparison.points <= LIMIT_POINTS;
}

/* A fetch latency of less than was dropped is no figure. */
static bool cuts_nodes(unsigned int i)
{
	return !strcmp(profile[i]->name, "stream");
}

static bool cpu_ok(unsigned int i, bool refined)
{
	const struct topdown_record *record = &later[i].record;
	__u32 flags = refined ? TOPDOWN_RECORD_REFINED : 0;
	struct comparison comparison;
	char what[64];

	sample_compare(&earlier[i], &later[i], &comparison);
	snprintf(what, sizeof(what), "CPU %u, %s", cpu[i], profile[i]->name);
	if (cuts_nodes(i) && refined)
		flags |= TOPDOWN_RECORD_CLAMPED;
	else if (refined)
		flags |= record->flags & TOPDOWN_RECORD_CLAMPED;
	/* Above them are the nodes that were cut. */
	if ((record->flags & 0xffff) != flags ||
	    !figures_consistent(&record->total, record->level)) {
		ksft_print_msg("%s: flags %#x, or inconsistent\n", what, record->flags);
		return false;
	}
	return nodes_ok(what, comparison.seen, comparison.truth, comparison.level, refined);
}

static bool cpus_ok(bool refined)
{
	unsigned int i;
	bool ok = true;

	for (i = 0; i < cpus; i++)
		ok &= cpu_ok(i, refined);
	return ok;
}

/* The session is of the worker of the first CPU, which has executed nothing but its profile. */
static bool session_ok(int session, const struct topdown_session *then, bool refined)
{
	const uint32_t *fraction = profile[0]->profile.fraction;
	double seen[TD_NR_NODES], truth[TD_NR_NODES];
	struct td_bd_truth slots = { .slots = TD_BD_FRACTION };
	struct topdown_session figures;
	unsigned int i;

	if (device_session(session, TOPDOWN_SESSION_FRESH, &figures))
		return false;
	session_since(&figures, then);
	for (i = 0; i < TD_BD_CATEGORIES; i++)
		slots.category[i] = fraction[i];
	backdoor_truth_nodes(&slots, truth);
	for (i = 0; i < TD_NR_NODES; i++)
		seen[i] = figures.out_figures.ratio[i] == TOPDOWN_RATIO_NONE ? NAN :
			  figures.out_figures.ratio[i] / (double)TOPDOWN_RATIO_ONE;
	return figures_consistent(&figures.out_figures, figures.out_level) &&
	       nodes_ok("session", seen, truth, figures.out_level, refined);
}

/* The sum has the flags of any of its CPUs. */
static bool sum_ok(bool refined)
{
	__u32 nr = CPUS + 1, flags = refined ? TOPDOWN_RECORD_REFINED : 0;
	struct topdown_record record[CPUS + 1];
	__u64 set = 0;
	unsigned int i;

	for (i = 0; i < cpus; i++) {
		set |= 1ULL << cpu[i];
		if (refined && cuts_nodes(i))
			flags |= TOPDOWN_RECORD_CLAMPED;
	}
	if (device_read(device, TOPDOWN_READ_TOTAL, &set, 1, record, &nr))
		return false;
	/* Other work of a CPU may be cut, too. */
	for (i = 0; i < cpus && refined; i++)
		flags |= record[i].flags & TOPDOWN_RECORD_CLAMPED;
	return fact_same("number of records", nr, cpus + 1) &
	       fact_same("flags of the sum", record[cpus].flags & 0xffff, flags);
}

/* The history says which nodes were cut in a window. */
static bool history_ok(bool refined)
{
	struct topdown_map_window window;
	struct map map;
	bool ok = true;
	unsigned int i;

	if (map_open(&map))
		return false;
	for (i = 0; i < cpus; i++) {
		uint64_t last = windows_of(&map, cpu[i]);

		ok &= fact(map_window(&map, cpu[i], last, &window) == MAP_FOUND) &&
		      fact(!(window.clamped & ~window.nodes));
		if (!refined || cuts_nodes(i))
			ok &= fact_same("nodes were cut", !!window.clamped, refined);
	}
	map_close(&map);
	return ok;
}

static bool take(struct sample *sample)
{
	unsigned int i;

	for (i = 0; i < cpus; i++) {
		if (sample_take(device, cpu[i], &sample[i]))
			return false;
	}
	return true;
}

static bool measure(int session, struct topdown_session *then)
{
	if (session <= 0 || device_session(session, TOPDOWN_SESSION_FRESH, then) ||
	    !take(earlier))
		return false;
	sleep_ms(span_ms);
	return take(later);
}

static bool start_workers(void)
{
	bool ok = true;
	unsigned int i;

	for (i = 0; i < cpus; i++) {
		profile[i] = profile_find(profile_names[i % 4]);
		worker[i] = spin_start_with(cpu[i], &profile[i]->profile, set_rates);
		ok &= worker[i] > 0;
	}
	return ok;
}

static void stop_workers(void)
{
	unsigned int i;

	for (i = 0; i < cpus; i++) {
		if (worker[i] > 0)
			spin_stop(worker[i]);
	}
}

/* The host may take a CPU away: then once more.  An error of the module stays. */
static void test_figures(bool refined)
{
	bool cpus_well = false, session_well = false, sum_well, history_well;
	unsigned int tries;
	struct topdown_session then;
	int session;

	if (!start_workers())
		ksft_exit_fail_msg("cannot start the workers\n");
	/* A first window, and the start of the workers. */
	sleep_ms(500);
	session = device_attach(device, 0, worker[0]);
	for (tries = 0; tries < TRIES && !(cpus_well && session_well); tries++) {
		if (tries)
			say_again("refined figures");
		if (!measure(session, &then))
			ksft_exit_fail_msg("cannot measure\n");
		session_well = session_ok(session, &then, refined);
		cpus_well = cpus_ok(refined);
	}
	sum_well = sum_ok(refined);
	history_well = history_ok(refined);
	stop_workers();
	close(session);
	ksft_test_result(cpus_well, "figures_of_cpus_are_right, refined=%d\n", refined);
	ksft_test_result(session_well, "figures_of_a_session_are_right, refined=%d\n", refined);
	ksft_test_result(sum_well, "flags_of_the_sum_are_right, refined=%d\n", refined);
	ksft_test_result(history_well, "the_history_marks_cut_nodes, refined=%d\n", refined);
}

/* @command has to succeed exactly if @refined. */
static bool says(const char *command, bool refined)
{
	return !system(command) == refined;
}

static void test_said(bool refined)
{
	struct topdown_info info;
	bool ok = !device_info(device, &info);

	ok = ok && !(info.out_flags & TOPDOWN_INFO_REFINED) == !refined;
	ksft_test_result(ok && says("topdown info | grep -qx 'refined: yes'", refined) &&
			 says("grep -q '; refined by ' " TD_SYSFS "/sources", refined),
			 "it_is_said, refined=%d\n", refined);
}

static int reload(const char *params)
{
	int ret = 0;

	if (device > 0)
		close(device);
	device = 0;
	if (module_loaded())
		ret = module_unload();
	return ret ? ret : module_load(params);
}

static void reload_plain(void)
{
	reload("");
}

static void test_mode(bool refined)
{
	int ret = reload(refined ? PERIOD " refined=1" : PERIOD);

	if (ret)
		ksft_exit_fail_msg("cannot load the module anew: %s\n", strerror(-ret));
	device = device_open();
	if (device < 0)
		ksft_exit_fail_msg("cannot open " TD_DEVICE ": %s\n", strerror(-device));
	test_said(refined);
	test_figures(refined);
}

int main(void)
{
	int ret = module_need();

	if (ret)
		return ret;
	if (!backdoor_open())
		ksft_exit_skip("this machine has no emulated PMU\n");
	device = device_open();
	if (device < 0)
		ksft_exit_fail_msg("cannot open " TD_DEVICE ": %s\n", strerror(-device));
	find_model();
	if (!model)
		ksft_exit_skip("PERF_METRICS of this machine are not corrected\n");
	span_ms = env_number("TOPDOWN_SPAN_MS", 1500);
	cpus = cpus_online(cpu);
	if (cpus > CPUS)
		cpus = CPUS;
	/* The few slots that are the test's own shall be corrected like the others. */
	if (realtime() || !set_rates())
		ksft_exit_fail_msg("cannot set the priority or the rates\n");
	atexit(reload_plain);

	ksft_print_header();
	ksft_print_msg("%s\n", model->name);
	ksft_set_plan(10);
	test_mode(false);
	test_mode(true);
	ksft_finished();
}
