// SPDX-License-Identifier: GPL-2.0
/*
 * Identities: they must hold on any CPU.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "verify.h"

#define WIDTH_OFF	0.01
#define SHARED_OFF	0.04
#define WINDOWS		20
#define WINDOW_US	10000
/* Where events take turns, each had some in this time. */
#define TURNS_US	50000
#define WINDOW_POINTS	1.0
#define READS		300
/* A share of the slots by which a part may exceed its whole. */
#define NEARLY		0.005
/* Where events take turns, each part is of another time, and programs begin and end. */
#define NEARLY_TURNS	0.06
#define INTERVALS	100
#define INTERVAL_US	50
/* Between intervals: each begins at another place of a period of a millisecond, as guests have. */
#define PERIOD_US	1000
#define STEP_US		618
/* A share of the fastest interval below which the counters stood still. */
#define STILL		0.7

/**
 * verify_sibling - the other thread of a core
 * @verify: run
 * @cpu: a thread
 * @sibling: the other one
 *
 * Return: whether there is one that is measured in the same way.
 */
bool verify_sibling(const struct verify *verify, unsigned int cpu, unsigned int *sibling)
{
	char path[96], text[64];
	unsigned int i, first, last;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/topology/thread_siblings_list",
		 cpu);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	if (sscanf(text, "%u%*[-,]%u", &first, &last) != 2)
		return false;
	*sibling = first == cpu ? last : first;
	for (i = 0; i < verify->nr_cpus; i++) {
		if (verify->cpu[i] == *sibling)
			return true;
	}
	return false;
}

/*
 * The program has one thread of the core, and others run for a moment on the other thread: then
 * that one has the slots that this one lacks.  @out: figures of the thread, with the slots of both.
 */
static bool width_core(struct verify *verify, unsigned int sibling, struct topdown_figures *out)
{
	struct topdown_figures other;
	pid_t pid = verify_start(verify, PROGRAM_ADDITIONS);

	if (pid < 0)
		return false;
	verify_measure(verify);
	program_stop(pid);
	if (!verify_between(verify, verify->home, out) || !out->cycles) {
		verify_line(verify, OUTCOME_UNCHECKED, "no cycles of CPU %u", verify->home);
		return false;
	}
	if (verify_between(verify, sibling, &other))
		out->slots += other.slots;
	return true;
}

static void width_shared(struct verify *verify, unsigned int sibling)
{
	struct topdown_figures one, other;
	pid_t pid[2];
	double slots, cycles;

	pid[0] = verify_start(verify, PROGRAM_ADDITIONS);
	if (pid[0] < 0)
		return;
	pid[1] = program_start(PROGRAM_ADDITIONS, sibling, verify->memory);
	verify_measure(verify);
	program_stop(pid[0]);
	program_stop(pid[1]);
	if (pid[1] < 0 || !verify_between(verify, verify->home, &one) ||
	    !verify_between(verify, sibling, &other) || !one.cycles || !other.cycles) {
		verify_line(verify, OUTCOME_UNCHECKED, "no cycles of both threads of a core");
		return;
	}
	slots = (double)one.slots + other.slots;
	cycles = one.cycles > other.cycles ? one.cycles : other.cycles;
	verify_line(verify, fabs(slots / cycles / verify->width - 1) < SHARED_OFF ? OUTCOME_RIGHT :
		    OUTCOME_OFF,
		    "both threads of a core busy: %.2f slots a cycle together, and the width is %u",
		    slots / cycles, verify->width);
}

/**
 * check_width - slots over cycles
 * @verify: run
 */
void check_width(struct verify *verify)
{
	struct topdown_figures figures;
	unsigned int sibling;
	double width;
	bool shared;

	if (!verify_alone(verify, PROGRAM_ADDITIONS, &figures))
		return;
	/* The formula makes the shares of a thread from ordinary counters, and not the CPU. */
	shared = verify->source == TOPDOWN_SOURCE_PERF_METRICS &&
		 verify_sibling(verify, verify->home, &sibling);
	if (shared && figures.cycles && !width_core(verify, sibling, &figures))
		return;
	if (!figures.cycles) {
		verify_line(verify, OUTCOME_UNCHECKED, "cycles are not counted here: no counter is free for them, or cycles=0");
		return;
	}
	width = (double)figures.slots / figures.cycles;
	verify_line(verify,
		    fabs(width / verify->width - 1) < WIDTH_OFF ? OUTCOME_RIGHT : OUTCOME_OFF,
		    "%.3f slots a cycle, and the width is %u", width, verify->width);
	if (shared)
		width_shared(verify, sibling);
	else if (verify->source == TOPDOWN_SOURCE_PERF_METRICS)
		verify_line(verify, OUTCOME_UNCHECKED, "one thread a core: nothing to share");
}

/*
 * The same from readings: ordinary counters are not reset when a window ends.  Return: points that
 * the node @worst is apart; negative if there are no figures.
 */
static double readings_apart(struct verify *verify, unsigned int us, unsigned int *worst)
{
	struct topdown_figures part, parts = { 0 }, whole;
	unsigned int i;

	for (i = 0; i < WINDOWS; i++) {
		if (verify_begin(verify))
			return -1;
		verify_sleep_us(us);
		if (verify_end(verify) || !verify_between(verify, verify->home, &part))
			return -1;
		topdown_figures_add(&parts, &part, verify->level);
	}
	verify_begin(verify);
	verify_sleep_us(verify->ms * 1000);
	verify_end(verify);
	if (!verify_between(verify, verify->home, &whole))
		return -1;
	return verify_points(&parts, &whole, TD_NR_PARENTS, worst);
}

/**
 * check_windows - short windows and long ones agree
 * @verify: run
 */
void check_windows(struct verify *verify)
{
	unsigned int worst = 0, us = verify->turns > 1 ? TURNS_US : WINDOW_US;
	bool metrics = verify->source == TOPDOWN_SOURCE_PERF_METRICS;
	double points;
	pid_t pid;

	if (metrics && verify_no_raw(verify))
		return;
	pid = verify_start(verify, PROGRAM_BRANCHES);
	if (pid < 0)
		return;
	verify_lead(verify);
	points = metrics ? verify_raw_windows(verify, us, WINDOWS, &worst) :
			   readings_apart(verify, us, &worst);
	program_stop(pid);
	if (points < 0) {
		verify_line(verify, OUTCOME_UNCHECKED, "no windows of %s",
			    program_name(PROGRAM_BRANCHES));
		return;
	}
	verify_line(verify, points < WINDOW_POINTS ? OUTCOME_RIGHT : OUTCOME_OFF,
		    "%s of %u ms and of %u ms are %.2f points apart (%s)",
		    metrics ? "windows" : "readings", us / 1000, verify->ms, points,
		    topdown_node_name(worst));
}

/**
 * check_idle - a CPU that sleeps counts nothing
 * @verify: run
 */
void check_idle(struct verify *verify)
{
	struct topdown_figures busy, idle;
	double share, awake;

	if (!verify_alone(verify, PROGRAM_ADDITIONS, &busy))
		return;
	verify_begin(verify);
	verify_sleep_us(verify->ms * 1000);
	verify_end(verify);
	if (topdown_reading_between(verify->then, verify->now, verify->home, verify->level,
				    &idle)) {
		verify_line(verify, OUTCOME_UNCHECKED, "CPU %u has no figures", verify->home);
		return;
	}
	share = (double)idle.slots / idle.enabled_ns / ((double)busy.slots / busy.enabled_ns);
	awake = topdown_figures_busy(&idle, idle.enabled_ns);
	if (awake > 0.5)
		verify_line(verify, OUTCOME_UNCHECKED, "CPU %u is busy with something else",
			    verify->home);
	else
		verify_line(verify, share < 2 * awake + 0.05 ? OUTCOME_RIGHT : OUTCOME_OFF,
			    "a CPU that is busy for %.1f%% of the time has %.1f%% of the slots of a busy one",
			    100 * awake, 100 * share);
}

static bool grew(const struct topdown_record *then, const struct topdown_record *now)
{
	unsigned int i;

	if (now->total.slots < then->total.slots ||
	    now->total.running_ns < then->total.running_ns || now->windows < then->windows)
		return false;
	for (i = 0; i < TOPDOWN_MAX_NODES; i++) {
		if (now->total.node[i] < then->total.node[i])
			return false;
	}
	return true;
}

/*
 * The name of something that exceeds its whole, or NULL.  Where children have events of their own,
 * as on Atom cores, and where events take turns, they sum only nearly to their parent.
 */
static const char *exceeds(const struct topdown_record *record, double nearly)
{
	const struct topdown_figures *total = &record->total;
	double least = nearly * total->slots, sum = 0;
	unsigned int i, child;

	for (i = 0; i < TD_NR_PARENTS; i++) {
		child = TOPDOWN_HEAVY_OPERATIONS + 2 * i;
		sum += total->node[i];
		if (total->node[child] > total->node[i] + least)
			return topdown_node_name(child);
	}
	if (sum > total->slots + least)
		return "level 1";
	return total->running_ns > total->enabled_ns ? "the running time" : NULL;
}

/**
 * check_falls - sums only grow, and add up at any moment
 * @verify: run
 */
void check_falls(struct verify *verify)
{
	double nearly = verify->turns > 1 ? NEARLY_TURNS : NEARLY;
	struct topdown_record first, then, now;
	unsigned int i, fell = 0, apart = 0;
	const char *what, *last = NULL;
	pid_t pid = verify_start(verify, PROGRAM_TAKEN);
	bool there;

	if (pid < 0)
		return;
	there = verify_record(verify, verify->home, &then);
	first = then;
	for (i = 0; i < READS && there; i++) {
		there = verify_record(verify, verify->home, &now);
		if (!there)
			break;
		what = exceeds(&now, nearly);
		last = what ? what : last;
		fell += !grew(&then, &now);
		apart += what ? 1 : 0;
		then = now;
	}
	program_stop(pid);
	if (!there || then.total.slots == first.total.slots) {
		verify_line(verify, OUTCOME_UNCHECKED, "CPU %u counted nothing meanwhile",
			    verify->home);
		return;
	}
	verify_line(verify, fell || apart ? OUTCOME_OFF : OUTCOME_RIGHT,
		    "%u readings: sums fell in %u, and something exceeds its whole by more than %.1f%% of the slots in %u%s%s",
		    i, fell, 100 * nearly, apart, last ? ": " : "", last ? last : "");
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/**
 * check_still - the counters count all the time that a CPU is busy
 * @verify: run
 *
 * They stand still while a hypervisor runs something else, or has taken them away.
 */
void check_still(struct verify *verify)
{
	double rate[INTERVALS], us = 0;
	struct topdown_figures part;
	unsigned int i, slow = 0, nr = 0;
	pid_t pid;

	if (verify->turns > 1) {
		verify_line(verify, OUTCOME_UNCHECKED, "level 1 is counted in one of %u turns",
			    verify->turns);
		return;
	}
	pid = verify_start(verify, PROGRAM_ADDITIONS);
	if (pid < 0)
		return;
	verify_lead(verify);
	for (i = 0; i < INTERVALS; i++) {
		verify_sleep_us(i * STEP_US % PERIOD_US);
		if (verify_begin(verify))
			break;
		verify_sleep_us(INTERVAL_US);
		if (verify_end(verify) ||
		    topdown_reading_between(verify->then, verify->now, verify->home, verify->level,
					    &part))
			break;
		if (!part.enabled_ns)
			continue;
		rate[nr++] = (double)part.slots / part.enabled_ns;
		us += part.enabled_ns / 1000.0;
	}
	program_stop(pid);
	if (nr < INTERVALS / 2) {
		verify_line(verify, OUTCOME_UNCHECKED, "no short intervals of CPU %u",
			    verify->home);
		return;
	}
	qsort(rate, nr, sizeof(rate[0]), by_value);
	for (i = 0; i < nr; i++)
		slow += rate[i] < STILL * rate[nr * 9 / 10];
	verify_line(verify, slow > nr / 10 ? OUTCOME_OFF : OUTCOME_RIGHT,
		    "of %u intervals of %.0f us of a busy CPU %u have less than 70%% of the slots of others%s",
		    nr, us / nr, slow, slow > nr / 10 ?
		    ": the counters stand still at times, as in or beside guests" : "");
}
