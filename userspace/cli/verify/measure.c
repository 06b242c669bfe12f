// SPDX-License-Identifier: GPL-2.0
/*
 * Measurements: the slots that a program had on a CPU.
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <time.h>

#include "verify.h"

#define LEAD_US		20000
/* A round of turns, and the one before it. */
#define LEAD_TURNS_US	100000

void verify_sleep_us(unsigned int us)
{
	struct timespec left = { us / 1000000, us % 1000000 * 1000L };

	while (nanosleep(&left, &left) && errno == EINTR && !verify_stopped())
		;
}

/* A program has begun: wait until what was counted before it is no longer in its figures. */
void verify_lead(const struct verify *verify)
{
	verify_sleep_us(verify->turns > 1 ? LEAD_TURNS_US : LEAD_US);
}

/* All CPUs count up to now. */
int verify_begin(struct verify *verify)
{
	return topdown_reading_update(verify->then, TOPDOWN_READ_FRESH);
}

int verify_end(struct verify *verify)
{
	return topdown_reading_update(verify->now, TOPDOWN_READ_FRESH);
}

/* The programs run: measure them. */
void verify_measure(struct verify *verify)
{
	verify_lead(verify);
	verify_begin(verify);
	verify_sleep_us(verify->ms * 1000);
	verify_end(verify);
}

bool verify_between(const struct verify *verify, unsigned int cpu, struct topdown_figures *out)
{
	return !topdown_reading_between(verify->then, verify->now, cpu, verify->level, out) &&
	       out->slots;
}

/**
 * verify_start - execute a program on the CPU of the run
 * @verify: run
 * @program: the program
 *
 * Return: for program_stop(); if the program cannot be executed, a line said why, and it is a
 * negative errno.
 */
pid_t verify_start(struct verify *verify, enum program program)
{
	pid_t pid;

	/* To make one ready may take seconds. */
	if (verify_stopped())
		return -EINTR;
	pid = program_start(program, verify->home, verify->memory);
	if (pid < 0)
		verify_line(verify, OUTCOME_UNCHECKED, "%s cannot be executed: %s",
			    program_name(program), verify_why(-pid));
	return pid;
}

/* No fault, where others have the counters or there is no CPU. */
static bool taken(const struct verify *verify)
{
	const struct topdown_record *record = topdown_reading_find(verify->now, verify->home);

	return !record || record->state == TOPDOWN_STATE_OFFLINE ||
	       record->state == TOPDOWN_STATE_ASIDE || record->state == TOPDOWN_STATE_CONTENDED;
}

/**
 * verify_alone - the figures of a program that has the home CPU for itself
 * @verify: run
 * @program: the program
 * @out: figures
 *
 * The program is measured once, and not again for each check that needs it.
 *
 * Return: whether there are any; if not, a line said why.
 */
bool verify_alone(struct verify *verify, enum program program, struct topdown_figures *out)
{
	pid_t pid;

	if (verify->alone[program].slots) {
		*out = verify->alone[program];
		return true;
	}
	pid = verify_start(verify, program);
	if (pid < 0)
		return false;
	verify_measure(verify);
	program_stop(pid);
	if (verify_between(verify, verify->home, out)) {
		verify->alone[program] = *out;
		return true;
	}
	if (taken(verify))
		verify_line(verify, OUTCOME_UNCHECKED,
			    "CPU %u: perf has the counters, or it is offline", verify->home);
	else
		verify_line(verify, OUTCOME_OFF, "CPU %u counted no slot of %s", verify->home,
			    program_name(program));
	return false;
}

bool verify_record(struct verify *verify, unsigned int cpu, struct topdown_record *out)
{
	const struct topdown_record *record;

	if (topdown_reading_update(verify->now, TOPDOWN_READ_FRESH))
		return false;
	record = topdown_reading_find(verify->now, cpu);
	if (record)
		*out = *record;
	return record;
}

/* The largest difference of nodes that both have, in points. */
double verify_points(const struct topdown_figures *a, const struct topdown_figures *b,
		     unsigned int nodes, unsigned int *worst)
{
	double points, most = 0;
	unsigned int i;

	for (i = 0; i < nodes; i++) {
		if (!topdown_figures_has(a, i) || !topdown_figures_has(b, i))
			continue;
		points = 100 * fabs(topdown_figures_ratio(a, i) - topdown_figures_ratio(b, i));
		if (points < most)
			continue;
		most = points;
		*worst = i;
	}
	return most;
}

bool verify_pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

/* Back to all CPUs that are measured, but not to the home CPU if there is another. */
void verify_unpin(const struct verify *verify)
{
	cpu_set_t set;
	unsigned int i;

	CPU_ZERO(&set);
	for (i = verify->nr_cpus > 1; i < verify->nr_cpus; i++)
		CPU_SET(verify->cpu[i], &set);
	sched_setaffinity(0, sizeof(set), &set);
}
