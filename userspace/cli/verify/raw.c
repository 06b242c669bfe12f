// SPDX-License-Identifier: GPL-2.0
/*
 * The counts that the driver has, before any correction: how bytes are made, and whether they
 * are right soon after a reset.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "verify.h"

#define EVENTS		"/sys/kernel/topdown/events/cpu%u"
#define METRICS		4
#define STEPS		255.0

#define RAW_US		20000

#define READS_EACH	12
#define READ_US		4000
/* Steps of the sum of level 1 that are counted apart; all beyond are together. */
#define LEAST_STEP	(-3)
#define MOST_STEP	4
#define HISTOGRAM	(MOST_STEP - LEAST_STEP + 1)
/* A sum may be off by so many steps at all. */
#define FAR		4.5

#define LATE_US		1000
#define LATE_STEPS	6.0
#define LATE_READS	6
/* So long that its length is as was asked for, within a percent or two. */
#define WHOLE_US	20000

struct raw {
	double slots;
	double metric[METRICS];
};

static const char *const metric_name[METRICS] = {
	"topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound",
};

/* Reading it folds: both registers begin from 0 after it. */
static int raw_read(unsigned int cpu, struct raw *raw)
{
	char path[64], line[160], name[64];
	unsigned long long count;
	unsigned int i, found = 0;
	FILE *file;

	snprintf(path, sizeof(path), EVENTS, cpu);
	file = fopen(path, "re");
	if (!file)
		return errno;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%63s %*s %llu", name, &count) != 2)
			continue;
		if (!strcmp(name, "slots")) {
			raw->slots = count;
			found++;
		}
		for (i = 0; i < METRICS; i++) {
			if (strcmp(name, metric_name[i]))
				continue;
			raw->metric[i] = count;
			found++;
		}
	}
	fclose(file);
	return found == METRICS + 1 ? 0 : ENODATA;
}

/*
 * The fractions of a window that begins and ends with a reset.  It is at least @us long; @slots:
 * how many it really had.
 */
static bool raw_window(unsigned int cpu, unsigned int us, double fraction[METRICS], double *slots)
{
	struct raw then = { 0 }, now = { 0 };
	unsigned int i;

	if (raw_read(cpu, &then))
		return false;
	verify_sleep_us(us);
	if (raw_read(cpu, &now) || now.slots <= then.slots)
		return false;
	*slots = now.slots - then.slots;
	for (i = 0; i < METRICS; i++)
		fraction[i] = (now.metric[i] - then.metric[i]) / (now.slots - then.slots);
	return true;
}

/**
 * verify_no_raw - are there no counts before any correction?
 * @verify: run
 *
 * Return: true after a line that says why.
 */
bool verify_no_raw(struct verify *verify)
{
	struct raw raw = { 0 };
	int error;

	if (verify->source != TOPDOWN_SOURCE_PERF_METRICS) {
		verify_line(verify, OUTCOME_UNCHECKED, "CPU %u has no PERF_METRICS", verify->home);
		return true;
	}
	error = raw_read(verify->home, &raw);
	if (error)
		verify_line(verify, OUTCOME_UNCHECKED, EVENTS ": %s", verify->home,
			    verify_why(error));
	return error;
}

/**
 * verify_raw - level 1 of a program before any correction
 * @verify: run
 * @program: the program
 * @fraction: of each node
 *
 * Return: false if there is none.
 */
bool verify_raw(const struct verify *verify, enum program program,
		double fraction[TD_NR_PARENTS])
{
	double slots;
	pid_t pid;
	bool there;

	if (verify->source != TOPDOWN_SOURCE_PERF_METRICS || verify_stopped())
		return false;
	pid = program_start(program, verify->home, verify->memory);
	verify_sleep_us(RAW_US);
	there = pid > 0 && raw_window(verify->home, RAW_US, fraction, &slots);
	program_stop(pid);
	return there;
}

struct sums {
	unsigned int at[HISTOGRAM], far, nr;
	double sum;
};

static void sums_add(struct sums *sums, const double fraction[METRICS])
{
	double missing = STEPS * (1 - fraction[0] - fraction[1] - fraction[2] - fraction[3]);
	int step = rint(missing);

	sums->nr++;
	sums->sum += 1 - missing / STEPS;
	if (fabs(missing) > FAR || step < LEAST_STEP || step > MOST_STEP)
		sums->far++;
	else
		sums->at[step - LEAST_STEP]++;
}

/* The sums say how bytes are made; see kmod/common/metrics.c. */
static const char *way_of(const struct sums *sums)
{
	unsigned int more = sums->at[0] + sums->at[1] + sums->at[2], none = sums->at[-LEAST_STEP];
	unsigned int one = sums->at[1 - LEAST_STEP], two = sums->at[2 - LEAST_STEP] +
		sums->at[3 - LEAST_STEP];

	if (two > more && two + one > none)
		return "cut";
	if (none * 10 >= sums->nr * 9)
		return "cut, and bad speculation is the rest";
	return more || one ? "rounded" : "not to be told";
}

static void say_sums(struct verify *verify, const struct sums *sums)
{
	char text[128], name[16];
	int length = 0, step;

	for (step = LEAST_STEP; step <= MOST_STEP; step++) {
		if (!sums->at[step - LEAST_STEP])
			continue;
		length += snprintf(text + length, sizeof(text) - length, " %u at %d",
				   sums->at[step - LEAST_STEP], 255 - step);
		snprintf(name, sizeof(name), "%d", 255 - step);
		json_object_object_add(verify->sums, name,
				       json_object_new_int64(sums->at[step - LEAST_STEP]));
	}
	json_object_object_add(verify->sums, "others", json_object_new_int64(sums->far));
	if (sums->far * 10 > sums->nr)
		verify_line(verify, OUTCOME_OFF,
			    "level 1 sums to %.3f of all slots, and %u of %u sums are not what bytes can be",
			    sums->sum / sums->nr, sums->far, sums->nr);
	else
		verify_line(verify, OUTCOME_RIGHT, "level 1 sums to 255ths:%s; bytes are %s",
			    length ? text : " none", way_of(sums));
}

/**
 * check_bytes - the sum of level 1, and how bytes are made
 * @verify: run
 */
void check_bytes(struct verify *verify)
{
	static const enum program of[] = {
		PROGRAM_BRANCHES, PROGRAM_TAKEN, PROGRAM_MICROCODE, PROGRAM_ADDITIONS,
		PROGRAM_DIVISIONS, PROGRAM_CHASE,
	};
	struct sums sums = { .nr = 0 };
	double fraction[METRICS], slots;
	unsigned int i, j;
	pid_t pid;

	if (verify_no_raw(verify))
		return;
	for (i = 0; i < sizeof(of) / sizeof(of[0]) && !verify_stopped(); i++) {
		pid = verify_start(verify, of[i]);
		for (j = 0; j < READS_EACH && pid > 0; j++) {
			if (raw_window(verify->home, READ_US, fraction, &slots))
				sums_add(&sums, fraction);
		}
		program_stop(pid);
	}
	if (sums.nr)
		say_sums(verify, &sums);
	else
		verify_line(verify, OUTCOME_UNCHECKED, "no window of CPU %u", verify->home);
}

static double steps_apart(const double a[METRICS], const double b[METRICS])
{
	double most = 0;
	unsigned int i;

	for (i = 0; i < METRICS; i++)
		most = fmax(most, STEPS * fabs(a[i] - b[i]));
	return most;
}

/* The mean of @nr windows of one length, and of how many slots they had. */
static bool mean_of(unsigned int cpu, unsigned int us, unsigned int nr, double mean[METRICS],
		    double *mean_slots)
{
	double fraction[METRICS], slots;
	unsigned int i, j;

	memset(mean, 0, METRICS * sizeof(*mean));
	*mean_slots = 0;
	for (i = 0; i < nr; i++) {
		if (!raw_window(cpu, us, fraction, &slots))
			return false;
		*mean_slots += slots / nr;
		for (j = 0; j < METRICS; j++)
			mean[j] += fraction[j] / nr;
	}
	return true;
}

/**
 * verify_raw_windows - short windows and a long one of what runs, each with a reset at both ends
 * @verify: run
 * @us: length of the short ones
 * @nr: number of the short ones
 * @worst: written: the node that is most apart
 *
 * Return: points that it is apart, before any correction; negative if there are no windows.
 */
double verify_raw_windows(const struct verify *verify, unsigned int us, unsigned int nr,
			  unsigned int *worst)
{
	double mean[METRICS], whole[METRICS], slots, points = 0;
	unsigned int i;

	if (!mean_of(verify->home, us, nr, mean, &slots) ||
	    !mean_of(verify->home, verify->ms * 1000, 1, whole, &slots))
		return -1;
	for (i = 0; i < METRICS; i++) {
		if (100 * fabs(mean[i] - whole[i]) <= points)
			continue;
		points = 100 * fabs(mean[i] - whole[i]);
		*worst = i;
	}
	return points;
}

/* The length of a window of a busy CPU by its slots, in us, where one of @us has @slots. */
static double length_of(double slots, double us_slots, unsigned int us)
{
	return us_slots > 0 ? slots / us_slots * us : 0;
}

/**
 * check_late - how soon after a reset the bytes are right
 * @verify: run
 *
 * A sleep is longer than was asked for, and a reading takes time, so a window is as long as its
 * slots say.
 */
void check_late(struct verify *verify)
{
	static const unsigned int us[] = { 0, 50, 100, 200, 500, LATE_US, 2000, 5000 };
	enum { LENGTHS = sizeof(us) / sizeof(us[0]), LATEST = 5 };
	double whole[METRICS], part[METRICS], apart[LENGTHS], slots[LENGTHS], all;
	unsigned int i, first = LENGTHS;
	pid_t pid;
	bool there;

	if (verify_no_raw(verify))
		return;
	pid = verify_start(verify, PROGRAM_BRANCHES);
	if (pid < 0)
		return;
	verify_lead(verify);
	there = mean_of(verify->home, WHOLE_US, LATE_READS, whole, &all);
	for (i = 0; i < LENGTHS && there; i++) {
		there = mean_of(verify->home, us[i], LATE_READS, part, &slots[i]);
		apart[i] = steps_apart(whole, part);
	}
	program_stop(pid);
	if (!there) {
		verify_line(verify, OUTCOME_UNCHECKED, "no short windows of CPU %u", verify->home);
		return;
	}
	/* From there on all are. */
	while (first && apart[first - 1] < LATE_STEPS)
		first--;
	if (first > LATEST)
		verify_line(verify, OUTCOME_OFF,
			    "bytes are late: %.0f steps off in windows of %.0f us after a reset",
			    apart[LATEST], length_of(slots[LATEST], all, WHOLE_US));
	else
		verify_line(verify, OUTCOME_RIGHT,
			    "bytes are right in windows of %.0f us after a reset",
			    length_of(slots[first], all, WHOLE_US));
}
