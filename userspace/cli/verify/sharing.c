// SPDX-License-Identifier: GPL-2.0
/*
 * Beside perf: counters that are restored, and the way back after perf had the counters.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "clock.h"
#include "perf-group.h"
#include "verify.h"

/* Retired branches, of which any general counter can count the same: SDM 3B, architectural. */
#define CONFIG_BRANCHES	0x00c4
#define BESIDE_POINTS	2.0
#define RESTORE_POINTS	2.0
/*
 * On real CPUs perf's own figures of a task were seen 4 to 12 points off: a restore begins from
 * bytes (docs/evidence.md).  That is no fault of the machine.  Restores that do nothing give a
 * task the figures of the other one, which are some 90 points away.
 */
#define RESTORE_FAR	25.0
#define SUM_POINTS	2.0
#define SUM_FAR		25.0
/* The module has short turns only then, some ms in half a second: several in this time. */
#define BESIDE_MS	4000
/* The way back: a second, and as much as a window of the module may take to begin. */
#define BACK_MS		1200
#define BACK_MOST_MS	5000
/* A group that can count does so by then: the module needs some milliseconds to stand aside. */
#define COUNTS_US	60000

static enum outcome outcome_of_restores(double points, double sum)
{
	double off = 100 * fabs(sum - 1);

	if (points < RESTORE_POINTS && off < SUM_POINTS)
		return OUTCOME_RIGHT;
	return points < RESTORE_FAR && off < SUM_FAR ? OUTCOME_SEEN : OUTCOME_OFF;
}

static void judge_restored(struct verify *verify, const uint64_t *count,
			   const struct topdown_figures *alone, unsigned long restores)
{
	double sum = 0, points = 0, apart;
	unsigned int i, worst = 0;

	for (i = 0; i < TD_NR_PARENTS; i++)
		sum += count[1 + i];
	for (i = 0; i < TD_NR_PARENTS; i++) {
		apart = 100 * fabs(count[1 + i] / sum - topdown_figures_ratio(alone, i));
		if (apart < points)
			continue;
		points = apart;
		worst = i;
	}
	sum /= count[0];
	verify_line(verify, outcome_of_restores(points, sum),
		    "perf's group after %lu switches: level 1 sums to %.3f of the slots, %.2f points from what it was alone (%s)",
		    restores, sum, points, topdown_node_name(worst));
}

/* How often another task had its CPU. */
static unsigned long switches_of(pid_t pid)
{
	char path[32], line[128];
	unsigned long switches = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file) &&
	       sscanf(line, "nonvoluntary_ctxt_switches: %lu", &switches) != 1)
		;
	fclose(file);
	return switches;
}

/* The module beside a perf user who wants the same counters all the time. */
static void judge_beside(struct verify *verify)
{
	pid_t pid = verify_start(verify, PROGRAM_BRANCHES);
	struct topdown_figures alone, beside;
	uint64_t count[GROUP_EVENTS_MAX];
	struct perf_group group;
	unsigned int worst = 0;
	double points;
	bool there, had;

	if (pid < 0)
		return;
	if (!perf_group_metrics(&group, -1, verify->home)) {
		verify_line(verify, OUTCOME_UNCHECKED, "perf counts no CPU: %s",
			    verify_why(errno));
		program_stop(pid);
		return;
	}
	verify_begin(verify);
	verify_sleep_us(BESIDE_MS * 1000);
	verify_end(verify);
	had = perf_group_read(&group, count);
	perf_group_close(&group);
	program_stop(pid);
	there = verify_between(verify, verify->home, &beside);
	/* The groups are back before the next measurement. */
	verify_sleep_us(BACK_MS * 1000);
	if (!verify_alone(verify, PROGRAM_BRANCHES, &alone))
		return;
	if (!had) {
		verify_line(verify, OUTCOME_UNCHECKED, "perf's group of CPU %u had no turn",
			    verify->home);
		return;
	}
	if (!there) {
		verify_line(verify, OUTCOME_OFF, "nothing is counted beside perf's group of the CPU");
		return;
	}
	points = verify_points(&beside, &alone, TD_NR_PARENTS, &worst);
	verify_line(verify, points < BESIDE_POINTS ? OUTCOME_RIGHT : OUTCOME_OFF,
		    "the module beside perf's group of the CPU: %.1f%% of the time is counted, %.2f points from what it was alone (%s)",
		    100.0 * beside.running_ns / beside.enabled_ns, points,
		    topdown_node_name(worst));
}

/**
 * check_restore - counters that are saved and restored go on where they were
 * @verify: run
 *
 * Two programs share a CPU, and perf counts each: at each switch the driver saves PERF_METRICS
 * of one and restores those of the other.  The module's own groups begin from zero instead.
 */
void check_restore(struct verify *verify)
{
	uint64_t count[GROUP_EVENTS_MAX] = { 0 };
	struct topdown_figures alone;
	struct perf_group one, other;
	unsigned long switches = 0;
	pid_t pid[2];
	bool there;

	if (verify->source != TOPDOWN_SOURCE_PERF_METRICS) {
		verify_line(verify, OUTCOME_UNCHECKED, "CPU %u has no PERF_METRICS", verify->home);
		return;
	}
	/* Now, because the module comes back only some time after perf has left. */
	if (!verify_alone(verify, PROGRAM_ADDITIONS, &alone))
		return;
	pid[0] = verify_start(verify, PROGRAM_ADDITIONS);
	if (pid[0] < 0)
		return;
	pid[1] = verify_start(verify, PROGRAM_CHASE);
	if (pid[1] < 0) {
		program_stop(pid[0]);
		return;
	}
	there = perf_group_metrics(&one, pid[0], -1);
	if (there && !perf_group_metrics(&other, pid[1], -1)) {
		perf_group_close(&one);
		there = false;
	}
	if (there) {
		verify_sleep_us(4 * verify->ms * 1000);
		there = perf_group_read(&one, count);
		switches = switches_of(pid[0]);
		perf_group_close(&one);
		perf_group_close(&other);
	}
	program_stop(pid[0]);
	program_stop(pid[1]);
	if (there && count[0])
		judge_restored(verify, count, &alone, switches);
	else
		verify_line(verify, OUTCOME_UNCHECKED,
			    "perf's groups did not count the two programs (does another program use perf? end it)");
	if (!verify_stopped())
		judge_beside(verify);
}

/*
 * The largest group that counts, of as many events as there are counters.  Perf takes larger
 * ones if somebody has a counter for good, as the NMI watchdog has on AMD CPUs, but they never
 * count.
 */
static bool take_general(struct perf_group *group, unsigned int type, pid_t pid)
{
	uint64_t config[GROUP_EVENTS_MAX], count[GROUP_EVENTS_MAX];
	unsigned int nr;

	for (nr = 0; nr < GROUP_EVENTS_MAX; nr++)
		config[nr] = CONFIG_BRANCHES;
	for (; nr; nr--) {
		if (!perf_group_open(group, type, config, nr, pid, -1))
			continue;
		verify_sleep_us(COUNTS_US);
		if (perf_group_read(group, count))
			break;
		perf_group_close(group);
	}
	return nr;
}

/* A group that leaves no room beside it. */
static bool take_counters(const struct verify *verify, struct perf_group *group, pid_t pid)
{
	if (verify->source == TOPDOWN_SOURCE_PERF_METRICS)
		return perf_group_metrics(group, pid, -1);
	return take_general(group, perf_group_type(verify->home), pid);
}

/* Does the module leave the counters to others within @ms? */
static bool goes_aside(struct verify *verify, unsigned int ms)
{
	uint64_t until = clock_now_ns() + ms * NS_PER_MS;
	struct topdown_record record;
	bool aside = false;

	do {
		verify_sleep_us(5000);
		aside |= verify_record(verify, verify->home, &record) &&
			 record.state == TOPDOWN_STATE_ASIDE;
	} while (clock_now_ns() < until && !verify_stopped());
	return aside;
}

/* Milliseconds until slots are counted again, at most BACK_MOST_MS. */
static unsigned int until_back(struct verify *verify)
{
	uint64_t since = clock_now_ns();
	struct topdown_record then, now;
	unsigned int ms;

	do {
		ms = (clock_now_ns() - since) / NS_PER_MS;
		if (!verify_record(verify, verify->home, &then))
			return BACK_MOST_MS;
		verify_sleep_us(5000);
		if (!verify_record(verify, verify->home, &now))
			return BACK_MOST_MS;
	} while (ms < BACK_MOST_MS && !verify_stopped() &&
		 (now.state == TOPDOWN_STATE_ASIDE || now.total.slots == then.total.slots ||
		  now.total.running_ns == then.total.running_ns));
	return ms;
}

/**
 * check_back - the module is back after perf has had the counters
 * @verify: run
 */
void check_back(struct verify *verify)
{
	pid_t pid = verify_start(verify, PROGRAM_ADDITIONS);
	uint64_t count[GROUP_EVENTS_MAX];
	struct perf_group group;
	bool had, aside;
	unsigned int ms;

	if (pid < 0)
		return;
	if (!take_counters(verify, &group, pid)) {
		verify_line(verify, OUTCOME_UNCHECKED, "perf counts no task: %s",
			    verify_why(errno));
		program_stop(pid);
		return;
	}
	aside = goes_aside(verify, verify->ms);
	had = perf_group_read(&group, count);
	perf_group_close(&group);
	ms = until_back(verify);
	program_stop(pid);
	if (!had)
		verify_line(verify, OUTCOME_UNCHECKED, "perf's group did not count on CPU %u",
			    verify->home);
	else if (!aside)
		verify_line(verify, OUTCOME_UNCHECKED,
			    "CPU %u has counters for perf's group and the module at once",
			    verify->home);
	else
		verify_line(verify, ms <= BACK_MS ? OUTCOME_RIGHT : OUTCOME_OFF,
			    "%s%u ms after perf has left",
			    ms < BACK_MOST_MS ? "counts again " : "does not count ", ms);
}
