// SPDX-License-Identifier: GPL-2.0
/*
 * Costs of measuring here, and perf's own figures of the same programs.
 */
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "verify.h"

#define READS		2000
/* Each interrupts all CPUs that are busy. */
#define READS_FRESH	50
#define SWITCHES	4000
#define LEVEL1		"slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,topdown-be-bound"
/* On hybrid machines both PMUs have events of these names. */
#define LEVEL1_HYBRID	"cpu_core/slots/,cpu_core/topdown-retiring/,cpu_core/topdown-bad-spec/," \
			"cpu_core/topdown-fe-bound/,cpu_core/topdown-be-bound/"
#define HYBRID		"/sys/bus/event_source/devices/cpu_core"
#define EVENTS		"/sys/kernel/topdown/events/cpu%u"
/*
 * A point costs as much as the system call that asks for it, or a few times that: it reads two
 * counters, or those of a group.  Where a hypervisor traps RDPMC each takes a microsecond or more,
 * several times such a call.
 */
#define SLOW_CALLS	8

static double cost_of_reads(struct topdown_reading *reading, unsigned int flags, unsigned int nr)
{
	uint64_t since = clock_now_ns();
	unsigned int i;

	for (i = 0; i < nr; i++)
		topdown_reading_update(reading, flags);
	return (double)(clock_now_ns() - since) / nr;
}

/* All CPUs, as a tool reads them. */
static void cost_of_readings(struct verify *verify)
{
	struct topdown_reading *reading;
	double plain;

	if (topdown_reading_create(&reading, verify->td, NULL, 0)) {
		verify_line(verify, OUTCOME_UNCHECKED, "there is no reading of all CPUs");
		return;
	}
	plain = cost_of_reads(reading, 0, READS);
	verify_line(verify, OUTCOME_SEEN,
		    "a reading of %u CPUs takes %.0f ns, and one up to now %.0f ns",
		    topdown_reading_nr(reading), plain,
		    cost_of_reads(reading, TOPDOWN_READ_FRESH, READS_FRESH));
	topdown_reading_destroy(reading);
}

/*
 * A point of the home CPU alone, from there: no other CPU is asked.  @plain: written: the same
 * reading without one.
 */
static double cost_of_point(struct verify *verify, double *plain)
{
	uint64_t cpus[TOPDOWN_CPUS_WORDS_MAX] = { 0 };
	struct topdown_reading *reading;
	double fresh;

	cpus[verify->home / 64] = 1ULL << verify->home % 64;
	if (topdown_reading_create(&reading, verify->td, cpus, verify->home / 64 + 1))
		return NAN;
	*plain = cost_of_reads(reading, 0, READS);
	fresh = cost_of_reads(reading, TOPDOWN_READ_FRESH, READS);
	topdown_reading_destroy(reading);
	return fresh > *plain ? fresh - *plain : 0;
}

/* The driver's counts: to read them resets both registers, as the end of a window does. */
static double cost_of_reset(const struct verify *verify)
{
	char path[64], text[1024];
	unsigned int i;
	uint64_t since;
	ssize_t size = 1;
	int fd;

	snprintf(path, sizeof(path), EVENTS, verify->home);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NAN;
	since = clock_now_ns();
	for (i = 0; i < READS && size > 0; i++)
		size = pread(fd, text, sizeof(text), 0);
	since = clock_now_ns() - since;
	close(fd);
	return size > 0 ? (double)since / READS : NAN;
}

static void pass_on(int in, int out, unsigned int nr)
{
	char byte = 0;

	while (nr-- && write(out, &byte, 1) == 1 && read(in, &byte, 1) == 1)
		;
}

/* Ends of pipes to and from another process. */
struct ends {
	int in;
	int out;
};

/* Two processes hand a byte to each other on one CPU. */
static pid_t start_other(struct ends *ends)
{
	int there[2], back[2];
	pid_t pid;
	char byte;

	if (pipe(there))
		return -1;
	if (pipe(back)) {
		close(there[0]);
		close(there[1]);
		return -1;
	}
	pid = fork();
	if (!pid) {
		close(there[1]);
		close(back[0]);
		/* One byte is under way, so each waits for the other. */
		if (read(there[0], &byte, 1) == 1)
			pass_on(there[0], back[1], SWITCHES);
		_exit(0);
	}
	close(there[0]);
	close(back[1]);
	*ends = (struct ends){ .in = back[0], .out = there[1] };
	if (pid > 0)
		return pid;
	close(ends->in);
	close(ends->out);
	return pid;
}

/* Two switches a round. */
static double cost_of_switch(struct verify *verify, bool followed)
{
	struct ends ends;
	pid_t pid = start_other(&ends);
	int session = -1;
	uint64_t since;
	double ns = NAN;

	if (pid < 0)
		return NAN;
	if (!followed || !topdown_session_attach(verify->td, pid, 0, &session)) {
		since = clock_now_ns();
		pass_on(ends.in, ends.out, SWITCHES);
		ns = (double)(clock_now_ns() - since) / SWITCHES / 2;
	}
	close(ends.in);
	close(ends.out);
	program_stop(pid);
	if (session >= 0)
		close(session);
	return ns;
}

/**
 * check_costs - nanoseconds of a reading, a point, a fold and a switch
 * @verify: run
 */
void check_costs(struct verify *verify)
{
	double point, call = 0, reset, plain, followed;

	cost_of_readings(verify);
	if (!verify_pin(verify->home)) {
		verify_line(verify, OUTCOME_UNCHECKED, "this process may not be on CPU %u",
			    verify->home);
		return;
	}
	point = cost_of_point(verify, &call);
	reset = cost_of_reset(verify);
	plain = cost_of_switch(verify, false);
	followed = cost_of_switch(verify, true);
	verify_unpin(verify);
	if (isnan(point))
		verify_line(verify, OUTCOME_UNCHECKED, "CPU %u cannot be read", verify->home);
	else if (point > SLOW_CALLS * call)
		verify_line(verify, OUTCOME_OFF,
			    "a point takes %.0f ns, and a reading without one %.0f ns: RDPMC is slow, as where a hypervisor traps it",
			    point, call);
	else
		verify_line(verify, OUTCOME_RIGHT,
			    "a point takes %.0f ns, and a reading without one %.0f ns",
			    point, call);
	if (!isnan(reset))
		verify_line(verify, OUTCOME_SEEN,
			    "a fold that resets, as at the end of a window, takes %.0f ns with its text",
			    reset);
	if (isnan(followed))
		verify_line(verify, OUTCOME_UNCHECKED, "a task cannot be followed");
	else
		verify_line(verify, OUTCOME_SEEN, "a switch takes %.0f ns, of a followed task %.0f ns more",
			    plain, followed > plain ? followed - plain : 0);
}

/* Counts of "perf stat -x," in the order of its events; false if one is missing. */
static bool perf_counts(FILE *pipe, double *count, unsigned int nr)
{
	char line[256], *end;
	unsigned int i = 0;

	while (fgets(line, sizeof(line), pipe)) {
		double value = strtod(line, &end);

		if (end != line && *end == ',' && i < nr)
			count[i++] = value;
	}
	return i == nr && count[0] > 0;
}

static bool perf_measure(struct verify *verify, enum program program, double *count)
{
	char command[400];
	pid_t pid = program_start(program, verify->home, verify->memory);
	FILE *pipe;
	bool there;

	snprintf(command, sizeof(command),
		 "LC_ALL=C perf stat -x, -p %d -e '{%s}' -- sleep %u.%03u 2>&1", (int)pid,
		 access(HYBRID, F_OK) ? LEVEL1 : LEVEL1_HYBRID, verify->ms / 1000,
		 verify->ms % 1000);
	pipe = pid > 0 ? popen(command, "re") : NULL;
	there = pipe && perf_counts(pipe, count, TD_NR_PARENTS + 1);
	if (pipe)
		pclose(pipe);
	program_stop(pid);
	return there;
}

/**
 * check_perf - perf's own figures of the same programs
 * @verify: run
 */
void check_perf(struct verify *verify)
{
	double count[TD_NR_PARENTS + 1], sum, points, apart;
	struct topdown_figures figures;
	unsigned int i, node;

	if (verify->source != TOPDOWN_SOURCE_PERF_METRICS) {
		verify_line(verify, OUTCOME_UNCHECKED, "CPU %u has no PERF_METRICS", verify->home);
		return;
	}
	if (system("perf --version > /dev/null 2>&1")) {
		verify_line(verify, OUTCOME_UNCHECKED,
			    "perf is not installed (install linux-perf or linux-tools)");
		return;
	}
	/* All of ours first, because the module comes back only some time after perf has left. */
	for (i = 0; i < PROGRAMS && !verify_stopped(); i++)
		verify_alone(verify, i, &figures);
	for (i = 0; i < PROGRAMS && !verify_stopped(); i++) {
		if (!verify->alone[i].slots || verify_stopped())
			continue;
		if (!perf_measure(verify, i, count)) {
			verify_line(verify, OUTCOME_UNCHECKED,
				    "perf counted nothing of %s (does 'perf stat -e slots' work?)",
				    program_name(i));
			continue;
		}
		figures = verify->alone[i];
		for (node = 0, sum = 0; node < TD_NR_PARENTS; node++)
			sum += count[1 + node];
		for (node = 0, points = 0; node < TD_NR_PARENTS; node++) {
			apart = fabs(count[1 + node] / sum - topdown_figures_ratio(&figures, node));
			points = fmax(points, 100 * apart);
		}
		verify_line(verify, OUTCOME_SEEN, "perf's own figures of %s sum to %.3f of the slots and are %.2f points from ours",
			    program_name(i), sum / count[0], points);
	}
}
