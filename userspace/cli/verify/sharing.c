// SPDX-License-Identifier: GPL-2.0
/*
 * Beside perf: general events of the same program, counters that are restored, and the way
 * back after perf had the counters.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "formula.h"
#include "verify.h"

#define EVENTS_MAX	8
#define CONFIG_SLOTS	0x0400
#define CONFIG_METRIC(n) (0x8000 + ((n) << 8))

/* The two ways of counting may be so many points apart. */
#define PAIRED_POINTS	2.5
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
#define RESTORE_SLICE_US 4000
/* The way back: a second, and as much as a window of the module may take to begin. */
#define BACK_MS		1200
#define BACK_MOST_MS	5000

/* A group of perf's: the leader first. */
struct group {
	int fd[EVENTS_MAX];
	unsigned int nr;
};

static int event_open(uint64_t config, pid_t pid, int cpu, int leader)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = config,
		.disabled = leader < 0,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return syscall(SYS_perf_event_open, &attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
}

static void group_close(struct group *group)
{
	while (group->nr)
		close(group->fd[--group->nr]);
}

static bool group_open(struct group *group, const uint64_t *config, unsigned int nr, pid_t pid,
		       int cpu)
{
	int fd;

	group->nr = 0;
	do {
		fd = event_open(config[group->nr], pid, cpu, group->nr ? group->fd[0] : -1);
		if (fd < 0) {
			group_close(group);
			return false;
		}
		group->fd[group->nr++] = fd;
	} while (group->nr < nr);
	if (!ioctl(group->fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP))
		return true;
	group_close(group);
	return false;
}

/* Counts; false if the group did not count. */
static bool group_read(const struct group *group, uint64_t *count)
{
	uint64_t values[3];
	unsigned int i;

	for (i = 0; i < group->nr; i++) {
		if (read(group->fd[i], values, sizeof(values)) != sizeof(values) || !values[2])
			return false;
		count[i] = values[0];
	}
	return true;
}

/* The formula of the same core without PERF_METRICS, by its width. */
static const struct td_formula *formula_of(const struct verify *verify)
{
	switch (verify->width) {
	case 5:
		return &td_fallback_icl;
	case 6:
		return &td_fallback_glc;
	case 8:
		return &td_fallback_lnc;
	default:
		return NULL;
	}
}

static unsigned int level1_events(const struct td_formula *formula, uint64_t *config)
{
	unsigned int i;

	for (i = 0; i < formula->nr_events && i < EVENTS_MAX &&
	     formula->events[i].parents == TD_LEVEL1; i++)
		config[i] = formula->events[i].other ? formula->events[i].other :
			    formula->events[i].config;
	return i;
}

/* False if a line said what is wrong. */
static bool level1_of(struct verify *verify, const struct td_formula *formula,
		      const uint64_t *count, double node[TD_NR_PARENTS])
{
	struct td_sample sample = { .width = verify->width, .level = 1 };
	struct td_slots slots = { 0 };
	unsigned int i;

	for (i = 0; i < formula->nr_events && formula->events[i].parents == TD_LEVEL1; i++) {
		sample.count[i] = count[i];
		/* Micro-operations are dropped or not, and clears happen or not. */
		if (count[i] || strstr(formula->events[i].name, "INT_MISC"))
			continue;
		verify_line(verify, OUTCOME_OFF, "%s counts nothing: it is filtered, or not there",
			    formula->events[i].name);
		return false;
	}
	td_formula_eval(formula, &sample, &slots);
	if (!slots.slots)
		return false;
	for (i = 0; i < TD_NR_PARENTS; i++)
		node[i] = (double)slots.node[i] / slots.slots;
	return true;
}

static void paired(struct verify *verify, const struct td_formula *formula, enum program program)
{
	uint64_t config[EVENTS_MAX] = { 0 }, count[EVENTS_MAX] = { 0 };
	double node[TD_NR_PARENTS], points = 0;
	pid_t pid = verify_start(verify, program);
	struct topdown_figures figures;
	unsigned int i, worst = 0;
	struct group group;
	bool there;

	if (pid < 0)
		return;
	verify_lead(verify);
	there = group_open(&group, config, level1_events(formula, config), -1, verify->home);
	if (!there) {
		verify_line(verify, OUTCOME_UNCHECKED, "perf refuses the general events: %s",
			    verify_why(errno));
		program_stop(pid);
		return;
	}
	verify_begin(verify);
	verify_sleep_us(verify->ms * 1000);
	verify_end(verify);
	there = group_read(&group, count);
	group_close(&group);
	program_stop(pid);
	if (!there || !verify_between(verify, verify->home, &figures)) {
		verify_line(verify, OUTCOME_UNCHECKED,
			    "%s: the two did not count at once (does another program use perf? end it)",
			    program_name(program));
		return;
	}
	if (!level1_of(verify, formula, count, node))
		return;
	for (i = 0; i < TD_NR_PARENTS; i++) {
		double apart = 100 * fabs(node[i] - topdown_figures_ratio(&figures, i));

		if (apart < points)
			continue;
		points = apart;
		worst = i;
	}
	verify_line(verify, points < PAIRED_POINTS ? OUTCOME_RIGHT : OUTCOME_OFF,
		    "%s: PERF_METRICS %.1f%%, general events %.1f%% %s: %.2f points apart",
		    program_name(program), 100 * topdown_figures_ratio(&figures, worst),
		    100 * node[worst], topdown_node_name(worst), points);
}

/**
 * check_paired - PERF_METRICS and general events of the same program at the same time
 * @verify: run
 */
void check_paired(struct verify *verify)
{
	static const enum program of[] = {
		PROGRAM_ADDITIONS, PROGRAM_CHASE, PROGRAM_BRANCHES, PROGRAM_CODE,
		PROGRAM_MICROCODE,
	};
	const struct td_formula *formula = formula_of(verify);
	unsigned int i;

	if (verify->source != TOPDOWN_SOURCE_PERF_METRICS || !formula) {
		verify_line(verify, OUTCOME_UNCHECKED, "CPU %u has one way of counting only",
			    verify->home);
		return;
	}
	for (i = 0; i < sizeof(of) / sizeof(of[0]) && !verify_stopped(); i++)
		paired(verify, formula, of[i]);
}

static unsigned int metric_events(uint64_t *config)
{
	unsigned int i;

	config[0] = CONFIG_SLOTS;
	for (i = 0; i < TD_NR_PARENTS; i++)
		config[1 + i] = CONFIG_METRIC(i);
	return i + 1;
}

static enum outcome outcome_of_restores(double points, double sum)
{
	double off = 100 * fabs(sum - 1);

	if (points < RESTORE_POINTS && off < SUM_POINTS)
		return OUTCOME_RIGHT;
	return points < RESTORE_FAR && off < SUM_FAR ? OUTCOME_SEEN : OUTCOME_OFF;
}

static void judge_restored(struct verify *verify, const uint64_t *count,
			   const struct topdown_figures *alone, unsigned int restores)
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
		    "perf's group after some %u restores: level 1 sums to %.3f of the slots, %.2f points from what it was alone (%s)",
		    restores, sum, points, topdown_node_name(worst));
}

/* The module beside a perf user who wants the same counters all the time. */
static void judge_beside(struct verify *verify)
{
	uint64_t config[EVENTS_MAX], count[EVENTS_MAX];
	unsigned int nr = metric_events(config), worst = 0;
	pid_t pid = verify_start(verify, PROGRAM_BRANCHES);
	struct topdown_figures alone, beside;
	struct group group;
	double points;
	bool there, had;

	if (pid < 0)
		return;
	if (!group_open(&group, config, nr, -1, verify->home)) {
		verify_line(verify, OUTCOME_UNCHECKED, "perf counts no CPU: %s",
			    verify_why(errno));
		program_stop(pid);
		return;
	}
	verify_begin(verify);
	verify_sleep_us(BESIDE_MS * 1000);
	verify_end(verify);
	had = group_read(&group, count);
	group_close(&group);
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
	uint64_t config[EVENTS_MAX] = { 0 }, count[EVENTS_MAX] = { 0 };
	unsigned int nr = metric_events(config);
	struct topdown_figures alone;
	struct group one, other;
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
	there = group_open(&one, config, nr, pid[0], -1);
	if (there && !group_open(&other, config, nr, pid[1], -1)) {
		group_close(&one);
		there = false;
	}
	if (there) {
		verify_sleep_us(4 * verify->ms * 1000);
		there = group_read(&one, count);
		group_close(&one);
		group_close(&other);
	}
	program_stop(pid[0]);
	program_stop(pid[1]);
	if (there && count[0])
		judge_restored(verify, count, &alone, 4 * verify->ms * 1000 / RESTORE_SLICE_US);
	else
		verify_line(verify, OUTCOME_UNCHECKED,
			    "perf's groups did not count the two programs (does another program use perf? end it)");
	if (!verify_stopped())
		judge_beside(verify);
}

/* A group that leaves no room beside it. */
static bool take_counters(const struct verify *verify, struct group *group, pid_t pid)
{
	uint64_t config[EVENTS_MAX];
	unsigned int nr = metric_events(config), i;

	if (verify->source != TOPDOWN_SOURCE_PERF_METRICS) {
		for (i = 0, nr = 4; i < nr; i++)
			config[i] = 0xc4;
	}
	return group_open(group, config, nr, pid, -1);
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
	uint64_t count[EVENTS_MAX];
	struct group group;
	unsigned int ms;
	bool had;

	if (pid < 0)
		return;
	if (!take_counters(verify, &group, pid)) {
		verify_line(verify, OUTCOME_UNCHECKED, "perf counts no task: %s",
			    verify_why(errno));
		program_stop(pid);
		return;
	}
	verify_sleep_us(verify->ms * 1000);
	had = group_read(&group, count);
	group_close(&group);
	ms = until_back(verify);
	program_stop(pid);
	if (!had) {
		verify_line(verify, OUTCOME_UNCHECKED, "perf's group did not count on CPU %u",
			    verify->home);
		return;
	}
	verify_line(verify, ms <= BACK_MS ? OUTCOME_RIGHT : OUTCOME_OFF,
		    "%s%u ms after perf has left", ms < BACK_MOST_MS ? "counts again " : "does not count ",
		    ms);
}
