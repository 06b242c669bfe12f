// SPDX-License-Identifier: GPL-2.0
/*
 * Every figure that the module gives, by ioctl, in /sys/kernel/topdown and by
 * `topdown stat`, against the exact truth of the emulated PMU: for profiles of
 * all kinds, each CPU with another one, and with bytes truncated and rounded.
 *
 * TOPDOWN_SPAN_MS     length of a measurement (1500; with TOPDOWN_FULL 5000)
 * TOPDOWN_FULL        every profile on every CPU
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../kselftest.h"
#include "sample.h"
#include "sampler.h"

/* Percentage points, and a share of the slots: the acceptance criteria. */
#define LIMIT_POINTS	0.5
#define LIMIT_SLOTS	0.001

#define PERIOD_MS	200
#define TRIES		3
#define CPUS		8

static const char * const node_name[TRUTH_NODES] = {
	"tma_retiring", "tma_bad_speculation", "tma_frontend_bound", "tma_backend_bound",
	"tma_heavy_operations", "tma_light_operations", "tma_branch_mispredicts",
	"tma_machine_clears", "tma_fetch_latency", "tma_fetch_bandwidth",
	"tma_memory_bound", "tma_core_bound",
};

/* A file of sysfs, as far as it is numbers. */
struct text {
	uint64_t windows;
	uint64_t window_us;
	uint64_t slots;
	uint64_t node[TRUTH_NODES];
	double total[TRUTH_NODES];
	double window[TRUTH_NODES];
};

/* One line of `topdown stat -j`. */
struct line {
	bool there;
	double time;
	double interval;
	double slots;
	double enabled_ns;
	double running;
	double node[TRUTH_NODES];
};

static int device;
static unsigned int cpus[TD_CPUS_MAX], cpus_nr, span_ms;
static const struct profile *profile[CPUS];
static struct sample earlier[CPUS], later[CPUS];
static struct text text_earlier[CPUS], text_later[CPUS], text_window[CPUS];
static struct topdown_record record_earlier[CPUS], record_later[CPUS], record_window[CPUS];
static struct line line[CPUS];
static int spinner[CPUS];

/* "12.34%" as a fraction, "-" as NAN, anything else as INFINITY. */
static double percent(const char *word)
{
	char *end;
	double value;

	if (!strcmp(word, "-"))
		return NAN;
	value = strtod(word, &end);
	return end == word || strcmp(end, "%") ? INFINITY : value / 100;
}

static void text_line(struct text *text, const char *name, const char *slots,
		      const char *total, const char *window)
{
	unsigned int i;

	if (!strcmp(name, "slots"))
		text->slots = strtoull(slots, NULL, 10);
	for (i = 0; i < TRUTH_NODES; i++) {
		if (strcmp(name, node_name[i]))
			continue;
		text->node[i] = strtoull(slots, NULL, 10);
		text->total[i] = percent(total);
		text->window[i] = percent(window);
	}
}

static bool text_read(unsigned int cpu, struct text *text)
{
	char path[64], buffer[4096], name[64], a[64], b[64], c[64];
	FILE *file;

	memset(text, 0, sizeof(*text));
	snprintf(path, sizeof(path), TD_SYSFS "/cpu%u", cpu);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (fgets(buffer, sizeof(buffer), file)) {
		if (sscanf(buffer, "windows: %" SCNu64, &text->windows) == 1 ||
		    sscanf(buffer, "window_us: %" SCNu64, &text->window_us) == 1)
			continue;
		if (sscanf(buffer, "%63s %63s %63s %63s", name, a, b, c) == 4)
			text_line(text, name, a, b, c);
	}
	fclose(file);
	return text->windows != 0;
}

/* The file and a reading of the same state: nothing was counted in between. */
static bool text_read_with(unsigned int cpu, struct text *text, struct topdown_record *record)
{
	struct topdown_record again;
	unsigned int i;

	for (i = 0; i < 20; i++) {
		if (device_read_cpu(device, 0, cpu, record) || !text_read(cpu, text) ||
		    device_read_cpu(device, 0, cpu, &again))
			return false;
		if (!memcmp(record, &again, sizeof(again)))
			return true;
	}
	return false;
}

static double json_number(const char *json, const char *key)
{
	char quoted[64];
	const char *at;

	snprintf(quoted, sizeof(quoted), "\"%s\":", key);
	at = strstr(json, quoted);
	if (!at)
		return INFINITY;
	at += strlen(quoted);
	return strncmp(at, "null", 4) ? strtod(at, NULL) : NAN;
}

static void line_parse(const char *json)
{
	double cpu = json_number(json, "cpu");
	unsigned int i, node;

	for (i = 0; i < cpus_nr; i++) {
		/* The line of the sum has no CPU. */
		if (cpu != cpus[i])
			continue;
		line[i].there = true;
		line[i].time = json_number(json, "time");
		line[i].interval = json_number(json, "interval");
		line[i].slots = json_number(json, "slots");
		line[i].enabled_ns = json_number(json, "enabled_ns");
		line[i].running = json_number(json, "running");
		for (node = 0; node < TRUTH_NODES; node++)
			line[i].node[node] = json_number(json, node_name[node]);
	}
}

static FILE *cli_start(void)
{
	char command[128];

	memset(line, 0, sizeof(line));
	snprintf(command, sizeof(command), "topdown stat -a -A -j -I %u --count 1", span_ms);
	return popen(command, "r");
}

static bool cli_end(FILE *file)
{
	char buffer[4096];

	if (!file)
		return false;
	while (fgets(buffer, sizeof(buffer), file))
		line_parse(buffer);
	return pclose(file) == 0;
}

static void explain(const struct comparison *comparison)
{
	unsigned int i = comparison->worst_node;

	ksft_print_msg("  worst: %s, seen %.3f%%, truth %.3f%%; slots %.4f of the truth's\n",
		       node_name[i], 100 * comparison->seen[i], 100 * comparison->truth[i],
		       comparison->slots);
}

static void report(unsigned int i, const char *what, const char *quant, bool ok,
		   const struct comparison *comparison)
{
	if (!ok)
		explain(comparison);
	ksft_test_result(ok, "%s, %s, CPU %u, %s is %.3f points off\n", what, quant, cpus[i],
			 profile[i]->name, comparison->points);
}

static void check_ioctl(unsigned int i, const char *quant)
{
	struct comparison comparison;
	bool ok;

	sample_compare(&earlier[i], &later[i], &comparison);
	ok = comparison.points <= LIMIT_POINTS && comparison.running == 1 &&
	     compare_slots_within(&comparison, LIMIT_SLOTS);
	/* Else the truth is too vague to say anything about a tenth of a percent. */
	ok = ok && comparison.slots_unsure < 2 * LIMIT_SLOTS;
	report(i, "ioctl", quant, ok, &comparison);
}

/* The sums of the file are exactly those of the ioctl; its percentages follow. */
static bool text_same(const struct text *text, const struct topdown_record *record)
{
	unsigned int i;

	if (text->slots != record->total.slots ||
	    text->window_us != record->window.enabled_ns / 1000)
		return false;
	for (i = 0; i < TRUTH_NODES; i++) {
		double total = record->total.ratio[i] / (double)TOPDOWN_RATIO_ONE;
		double window = record->window.ratio[i] / (double)TOPDOWN_RATIO_ONE;

		if (record->level < 2 && i >= TOPDOWN_HEAVY_OPERATIONS) {
			if (!isnan(text->total[i]) || !isnan(text->window[i]))
				return false;
			continue;
		}
		if (text->node[i] != record->total.node[i] ||
		    fabs(text->total[i] - total) > 0.000051 ||
		    fabs(text->window[i] - window) > 0.000051)
			return false;
	}
	return true;
}

static void check_sysfs_total(unsigned int i, const char *quant)
{
	double seen[TRUTH_NODES], want[TRUTH_NODES];
	double slots = text_later[i].slots - text_earlier[i].slots;
	struct comparison comparison = { .points = INFINITY };
	struct td_bd_truth truth;
	unsigned int node;

	if (!sampler_truth(CLOCK_MONOTONIC, record_earlier[i].time_ns, record_later[i].time_ns,
			   cpus[i], &truth)) {
		ksft_print_msg("the time between the two readings was not sampled\n");
	} else {
		backdoor_truth_nodes(&truth, want);
		for (node = 0; node < TRUTH_NODES; node++) {
			seen[node] = text_later[i].node[node] - text_earlier[i].node[node];
			seen[node] /= slots;
			if (isnan(text_later[i].total[node]))
				seen[node] = NAN;
		}
		compare_nodes(seen, want, later[i].record.level, &comparison);
		comparison.slots = slots / truth.slots;
	}
	report(i, "sysfs total", quant, comparison.points <= LIMIT_POINTS &&
	       text_same(&text_later[i], &record_later[i]), &comparison);
}

static void check_sysfs_window(unsigned int i, const char *quant)
{
	const struct topdown_record *record = &record_window[i];
	double ms = record->window.enabled_ns / 1e6;
	double want[TRUTH_NODES];
	struct comparison comparison = { .points = INFINITY };
	struct td_bd_truth truth;
	bool ok;

	ok = sampler_truth(CLOCK_MONOTONIC, record->window_time_ns - record->window.enabled_ns,
			   record->window_time_ns, cpus[i], &truth);
	if (!ok) {
		ksft_print_msg("the window was not sampled\n");
	} else {
		backdoor_truth_nodes(&truth, want);
		compare_nodes(text_window[i].window, want, record->level, &comparison);
		comparison.slots = (double)record->window.slots / truth.slots;
	}
	ok = ok && comparison.points <= LIMIT_POINTS && text_same(&text_window[i], record);
	if (ms > 2 * PERIOD_MS) {
		ksft_print_msg("a window of %.0f ms\n", ms);
		/* Else the host held up the timer. */
		ok = ok && !backdoor_exact();
	}
	report(i, "sysfs window", quant, ok, &comparison);
}

/*
 * Slots of the command per time over those of the truth: nobody knows to a tenth
 * of a percent when a CPU answered the command.  NAN if that was not sampled.
 */
static double cli_slots(unsigned int i, struct td_bd_truth *truth)
{
	uint64_t to = line[i].time * 1e9, from = to - (uint64_t)(line[i].interval * 1e9);
	struct td_bd_truth unused;

	if (!truth)
		truth = &unused;
	if (!line[i].there || !sampler_truth(CLOCK_REALTIME, from, to, cpus[i], truth))
		return NAN;
	return line[i].slots / line[i].enabled_ns / (truth->slots / (double)truth->time_ns);
}

static void check_cli(unsigned int i, const char *quant, bool ended)
{
	struct comparison comparison = { .points = INFINITY };
	double want[TRUTH_NODES];
	struct td_bd_truth truth;
	double slots = cli_slots(i, &truth);
	bool ok = ended && !isnan(slots);

	if (!ok) {
		ksft_print_msg("topdown stat failed, left out CPU %u, or was not sampled\n",
			       cpus[i]);
	} else {
		backdoor_truth_nodes(&truth, want);
		compare_nodes(line[i].node, want, later[i].record.level, &comparison);
		comparison.slots = slots;
	}
	ok = ok && comparison.points <= LIMIT_POINTS && line[i].running == 1 &&
	     fabs(slots - 1) <= LIMIT_SLOTS;
	report(i, "topdown stat", quant, ok, &comparison);
}

static bool take(struct sample *sample, struct text *text, struct topdown_record *record)
{
	unsigned int i;

	for (i = 0; i < cpus_nr; i++) {
		if (sample_take(device, cpus[i], &sample[i]) ||
		    !text_read_with(cpus[i], &text[i], &record[i]))
			return false;
	}
	return true;
}

/*
 * Whole windows of the module's own, that nobody closed early, of CPUs that only
 * their spinner runs on: this program keeps to CPU number @here meanwhile.
 */
static bool windows_alone(unsigned int here, unsigned int first, unsigned int end)
{
	unsigned int i;
	bool ok;

	sampler_move(cpus[here]);
	ok = !cpu_pin(cpus[here]);
	sleep_ms(2 * PERIOD_MS + 50);
	for (i = first; i < end; i++)
		ok = ok && text_read_with(cpus[i], &text_window[i], &record_window[i]);
	sleep_ms(20);
	return ok;
}

static bool measure(bool *cli_ended)
{
	FILE *cli;
	bool ok;

	if (sampler_start())
		return false;
	/* The start of the spinners, and a first window. */
	sleep_ms(PERIOD_MS + 50);
	/*
	 * When exactly an interval that is not ours begins and ends on a CPU is
	 * only known to milliseconds, so what we and the command do there must
	 * not matter: on the CPU where we are all is of one profile.
	 */
	ok = backdoor_set_default(&profile[0]->profile);
	ok = ok && take(earlier, text_earlier, record_earlier) && !cpu_pin(cpus[0]);
	cli = cli_start();
	sleep_ms(span_ms);
	ok = ok && take(later, text_later, record_later);
	*cli_ended = cli_end(cli);
	ok = ok && windows_alone(0, 1, cpus_nr) && windows_alone(1 % cpus_nr, 0, 1);
	sampler_stop();
	return ok;
}

/*
 * Where slots can get lost (backdoor_exact()), once more: an error of the module does
 * not go away.
 */
static bool measure_undisturbed(bool *cli_ended)
{
	struct comparison comparison;
	unsigned int try, i;
	bool lost = true;

	for (try = 0; try < TRIES && lost; try++) {
		if (try)
			say_again("figures of all CPUs");
		if (!measure(cli_ended))
			return false;
		lost = false;
		for (i = 0; i < cpus_nr; i++) {
			sample_compare(&earlier[i], &later[i], &comparison);
			lost = lost || !compare_slots_within(&comparison, LIMIT_SLOTS) ||
			       fabs(cli_slots(i, NULL) - 1) > LIMIT_SLOTS;
		}
	}
	return true;
}

static void round_of(unsigned int first, const char *quant)
{
	bool cli_ended = false, ok = true;
	unsigned int i;

	for (i = 0; i < cpus_nr; i++) {
		profile[i] = &profiles[(first + i) % profiles_nr];
		spinner[i] = spin_start(cpus[i], &profile[i]->profile);
		ok = ok && spinner[i] > 0;
	}
	ok = ok && measure_undisturbed(&cli_ended);
	for (i = 0; i < cpus_nr; i++) {
		if (spinner[i] > 0)
			spin_stop(spinner[i]);
	}
	if (!ok)
		ksft_exit_fail_msg("cannot read the device or sysfs\n");
	for (i = 0; i < cpus_nr; i++) {
		check_ioctl(i, quant);
		check_sysfs_total(i, quant);
		check_sysfs_window(i, quant);
		check_cli(i, quant, cli_ended);
	}
}

/* The module has learnt how one kind of machine makes bytes.  For another kind load it again. */
static void reload(bool rounded)
{
	char params[32];
	int ret = 0;

	if (device > 0)
		close(device);
	if (module_loaded())
		ret = module_unload();
	backdoor_set_quant(rounded);
	snprintf(params, sizeof(params), "period_ms=%d", PERIOD_MS);
	if (!ret)
		ret = module_load(params);
	if (ret)
		ksft_exit_fail_msg("cannot load the module anew: %s\n", strerror(-ret));
	device = device_open();
	if (device < 0)
		ksft_exit_fail_msg("cannot open " TD_DEVICE ": %s\n", strerror(-device));
}

/*
 * A CPU that has only ever run one program may make its bytes in either of two ways.  So each runs
 * another one first, whose four equal fractions tell all ways apart.
 */
static bool learn(void)
{
	const struct profile *even = profile_find("even");
	unsigned int i;
	bool ok = even;

	for (i = 0; ok && i < cpus_nr; i++) {
		spinner[i] = spin_start(cpus[i], &even->profile);
		ok = spinner[i] > 0;
	}
	sleep_ms(3 * PERIOD_MS);
	for (i = 0; i < cpus_nr; i++) {
		if (spinner[i] > 0)
			spin_stop(spinner[i]);
	}
	return ok;
}

int main(void)
{
	unsigned int rounds, step, rounded, i;
	int ret = module_need();

	if (ret)
		return ret;
	if (!backdoor_open())
		ksft_exit_skip("this machine has no emulated PMU\n");
	span_ms = env_number("TOPDOWN_SPAN_MS", getenv("TOPDOWN_FULL") ? 5000 : 1500);
	cpus_nr = cpus_online(cpus);
	if (cpus_nr > CPUS)
		cpus_nr = CPUS;
	step = getenv("TOPDOWN_FULL") ? 1 : cpus_nr;
	rounds = (profiles_nr + step - 1) / step;

	if (realtime())
		ksft_exit_fail_msg("cannot become a real-time task\n");

	ksft_print_header();
	ksft_set_plan(2 * rounds * cpus_nr * 4);
	for (rounded = 0; rounded < 2; rounded++) {
		reload(rounded);
		if (!learn())
			ksft_exit_fail_msg("cannot start programs\n");
		for (i = 0; i < rounds; i++)
			round_of(i * step, rounded ? "rounded" : "truncated");
	}
	backdoor_set_quant(false);
	ksft_finished();
}
