/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown verify: does the module count right on this machine?
 */
#ifndef TOPDOWN_CLI_VERIFY_H
#define TOPDOWN_CLI_VERIFY_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdint.h>
#include <topdown.h>

#include "known.h"
#include "programs.h"

#define VERIFY_CPUS_MAX		256

/**
 * enum outcome - the verdict of a line
 *
 * @OUTCOME_RIGHT: as it must be
 * @OUTCOME_OFF: not as it must be
 * @OUTCOME_SEEN: a figure that nothing is said about
 * @OUTCOME_UNCHECKED: not checked here, and why
 */
enum outcome {
	OUTCOME_RIGHT,
	OUTCOME_OFF,
	OUTCOME_SEEN,
	OUTCOME_UNCHECKED,
	OUTCOMES,
};

/**
 * struct verify - a run
 * @td: device
 * @device: its name
 * @then: reading of the start of a measurement
 * @now: reading of its end
 * @home: CPU that is looked at
 * @width: its slots per cycle
 * @level: its level
 * @source: its source
 * @cpu: CPUs that are measured in the same way, @home first
 * @nr_cpus: number of @cpu
 * @turns: in so many turns is level 1 counted once: 1 is all the time
 * @ms: length of a measurement
 * @memory: the most that a program may use
 * @check: name of the check that runs
 * @outcomes: how many lines of each outcome
 * @lines: the lines, for the report
 * @sums: how often level 1 summed to which number of 255ths, for the report
 * @refusal: why nothing can be measured; empty if something can
 * @stopped: the signal that ended it early; 0 for none
 * @text: where lines go: standard output, unless the report goes there
 * @report: the file of the report; NULL for none
 * @alone: figures of each program alone on @home; no slots: not yet
 */
struct verify {
	struct topdown *td;
	const char *device;
	struct topdown_reading *then;
	struct topdown_reading *now;
	unsigned int home;
	unsigned int width;
	unsigned int level;
	unsigned int source;
	unsigned int cpu[VERIFY_CPUS_MAX];
	unsigned int nr_cpus;
	unsigned int turns;
	unsigned int ms;
	size_t memory;
	const char *check;
	unsigned int outcomes[OUTCOMES];
	struct json_object *lines;
	struct json_object *sums;
	char refusal[160];
	int stopped;
	FILE *text;
	FILE *report;
	struct topdown_figures alone[PROGRAMS];
};

/* So many programs run at once, at most. */
#define TOGETHER_MAX	4

int verify_main(int argc, char **argv);

/* A line: what was found. */
void verify_line(struct verify *verify, enum outcome outcome, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool verify_stopped(void);
/* An errno, and what helps. */
const char *verify_why(int error);

/* measure.c */
void verify_sleep_us(unsigned int us);
void verify_lead(const struct verify *verify);
int verify_begin(struct verify *verify);
int verify_end(struct verify *verify);
void verify_measure(struct verify *verify);
bool verify_between(const struct verify *verify, unsigned int cpu, struct topdown_figures *out);
/* As program_start() on the CPU of the run; a negative errno after a line that says why. */
pid_t verify_start(struct verify *verify, enum program program);
bool verify_alone(struct verify *verify, enum program program, struct topdown_figures *out);
bool verify_record(struct verify *verify, unsigned int cpu, struct topdown_record *out);
double verify_points(const struct topdown_figures *a, const struct topdown_figures *b,
		     unsigned int nodes, unsigned int *worst);
bool verify_sibling(const struct verify *verify, unsigned int cpu, unsigned int *sibling);
bool verify_pin(unsigned int cpu);
void verify_unpin(const struct verify *verify);

/* raw.c: level 1 of a program as the driver has it; false where there is no PERF_METRICS. */
bool verify_raw(const struct verify *verify, enum program program,
		double fraction[TD_NR_PARENTS]);
bool verify_no_raw(struct verify *verify);
double verify_raw_windows(const struct verify *verify, unsigned int us, unsigned int nr,
			  unsigned int *worst);

/* The checks: characters.c, identities.c, tasks.c, raw.c, paired.c, sharing.c, costs.c. */
void check_programs(struct verify *verify);
void check_alive(struct verify *verify);
void check_width(struct verify *verify);
void check_windows(struct verify *verify);
void check_tasks(struct verify *verify);
void check_points(struct verify *verify);
void check_idle(struct verify *verify);
void check_falls(struct verify *verify);
void check_still(struct verify *verify);
void check_bytes(struct verify *verify);
void check_late(struct verify *verify);
void check_paired(struct verify *verify);
void check_restore(struct verify *verify);
void check_back(struct verify *verify);
void check_costs(struct verify *verify);
void check_perf(struct verify *verify);

/* verify-report.c */
int verify_report_open(struct verify *verify, const char *path);
int verify_report(struct verify *verify, const char *path);

#endif /* TOPDOWN_CLI_VERIFY_H */
