// SPDX-License-Identifier: GPL-2.0
/*
 * How true the figures are over a time in which the profile changes every 5 to
 * 500 ms: each CPU but one executes a sequence of its own.
 *
 *   precision ours|perf|once SECONDS truncate|round|rest SEED
 *
 * ours is the module, loaded with the period in question; perf is "perf stat -I
 * 1000"; once is a perf group that nobody reads, and so nobody resets, before
 * the end.  CPUs are idle before and after, so all count the same slots.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

#define PERF_OUTPUT	"/tmp/perf.precision"

static unsigned int nr_cpus;
static const char * const event_names[GROUP_EVENTS] = {
	"slots", "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound",
	"topdown-heavy-ops", "topdown-br-mispredict", "topdown-fetch-lat", "topdown-mem-bound",
};

/* The counts of a way on each CPU: perf's are by event, ours by node. */
static double counted[TD_CPUS_MAX][GROUP_EVENTS];
static double node[TD_CPUS_MAX][TRUTH_NODES];
static int group[TD_CPUS_MAX];
static pid_t perf_pid;
static int device;

static void execute(unsigned int cpu, double seconds, uint64_t seed)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (cpu_pin(cpu))
		die("cannot run on CPU %u", cpu);
	execute_phases(seconds, 5, 500, seed * 1000 + cpu + 1);
	exit(0);
}

static void execute_all(double seconds, uint64_t seed)
{
	unsigned int cpu;
	int status;
	pid_t pid[TD_CPUS_MAX];

	for (cpu = 1; cpu < nr_cpus; cpu++) {
		pid[cpu] = fork();
		if (!pid[cpu])
			execute(cpu, seconds, seed);
	}
	for (cpu = 1; cpu < nr_cpus; cpu++) {
		if (waitpid(pid[cpu], &status, 0) < 0 || status)
			die("the work of CPU %u failed", cpu);
	}
}

static struct topdown_record begun[TD_CPUS_MAX];

static void ours_begin(void)
{
	__u32 nr = TD_CPUS_MAX;

	device = device_open();
	if (device < 0 || device_read(device, TOPDOWN_READ_FRESH, NULL, 0, begun, &nr))
		die("no " TD_DEVICE " to read");
}

static void ours_end(void)
{
	static struct topdown_record records[TD_CPUS_MAX];
	__u32 nr = TD_CPUS_MAX;
	unsigned int cpu, i;

	if (device_read(device, TOPDOWN_READ_FRESH, NULL, 0, records, &nr))
		die("cannot read " TD_DEVICE);
	for (cpu = 1; cpu < nr_cpus; cpu++) {
		figures_since(&records[cpu].total, &begun[cpu].total, records[cpu].nodes);
		counted[cpu][0] = records[cpu].total.slots;
		for (i = 0; i < TRUTH_NODES; i++)
			node[cpu][i] = (double)records[cpu].total.ratio[i] / TOPDOWN_RATIO_ONE;
	}
}

static void once_begin(void)
{
	unsigned int cpu;

	for (cpu = 1; cpu < nr_cpus; cpu++) {
		group[cpu] = group_open(cpu);
		if (group[cpu] < 0)
			die("cannot open the group of CPU %u: %s", cpu, strerror(errno));
	}
}

static void once_end(void)
{
	struct group_values values;
	unsigned int cpu, i;

	for (cpu = 1; cpu < nr_cpus; cpu++) {
		if (!group_read(group[cpu], &values))
			die("cannot read the group of CPU %u", cpu);
		for (i = 0; i < GROUP_EVENTS; i++)
			counted[cpu][i] = values.value[i];
	}
}

static bool perf_has_begun(void)
{
	struct stat status;

	return !stat(PERF_OUTPUT, &status) && status.st_size > 200;
}

static void perf_begin(void)
{
	char list[300] = "{";
	unsigned int i;

	for (i = 0; i < GROUP_EVENTS; i++) {
		strcat(list, event_names[i]);
		strcat(list, i + 1 < GROUP_EVENTS ? "," : "}");
	}
	unlink(PERF_OUTPUT);
	perf_pid = fork();
	if (!perf_pid) {
		execlp("perf", "perf", "stat", "-a", "-A", "-x,", "-I", "1000", "-e", list,
		       "-o", PERF_OUTPUT, NULL);
		die("cannot run perf: %s", strerror(errno));
	}
	/* Not before it has counted for one interval is it sure to count. */
	for (i = 0; !perf_has_begun(); i++) {
		if (i > 100)
			die("perf does not begin");
		sleep_ms(100);
	}
}

/* "     1.000147,CPU1,12345,,slots,...": intervals add up. */
static void perf_end(void)
{
	char line[400], event[64];
	unsigned int cpu, i;
	double value;
	FILE *file;

	kill(perf_pid, SIGINT);
	waitpid(perf_pid, NULL, 0);
	file = fopen(PERF_OUTPUT, "r");
	if (!file)
		die("no output of perf");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, " %*[0-9.],CPU%u,%lf,,%63[^,],", &cpu, &value, event) != 3 ||
		    cpu >= TD_CPUS_MAX)
			continue;
		for (i = 0; i < GROUP_EVENTS; i++) {
			if (!strcmp(event, event_names[i]))
				counted[cpu][i] += value;
		}
	}
	fclose(file);
}

static const struct way {
	const char *name;
	void (*begin)(void);
	void (*end)(void);
	bool counts;
} ways[] = {
	{ "ours", ours_begin, ours_end, false },
	{ "perf", perf_begin, perf_end, true },
	{ "once", once_begin, once_end, true },
};

struct errors {
	double sum;
	double max;
	unsigned int n;
};

static void error_add(struct errors *errors, double error)
{
	/* No figure at all is the worst there is. */
	error = isfinite(error) ? fabs(error) * 100 : 100;
	errors->sum += error;
	errors->max = fmax(errors->max, error);
	errors->n++;
}

static void compare(const struct way *way, const struct td_bd_truth *truth)
{
	struct errors level[2] = { }, slots = { };
	double true_node[TRUTH_NODES];
	unsigned int cpu, i;

	for (cpu = 1; cpu < nr_cpus; cpu++) {
		if (way->counts)
			nodes_of_counts(counted[cpu], node[cpu]);
		backdoor_truth_nodes(&truth[cpu], true_node);
		error_add(&slots, counted[cpu][0] / truth[cpu].slots - 1);
		for (i = 0; i < TRUTH_NODES; i++)
			error_add(&level[i >= TOPDOWN_HEAVY_OPERATIONS],
				  node[cpu][i] - true_node[i]);
	}
	printf("l1_mean=%.4f l1_max=%.4f l2_mean=%.4f l2_max=%.4f slots_max=%.4f figures=%u\n",
	       level[0].sum / level[0].n, level[0].max, level[1].sum / level[1].n, level[1].max,
	       slots.max, level[0].n + level[1].n);
}

static void truth_all(struct td_bd_truth *truth)
{
	unsigned int cpu;

	for (cpu = 1; cpu < nr_cpus; cpu++)
		backdoor_truth_cpu(cpu, &truth[cpu]);
}

int main(int argc, char **argv)
{
	static struct td_bd_truth before[TD_CPUS_MAX], after[TD_CPUS_MAX];
	const struct way *way = NULL;
	unsigned int i;

	for (i = 0; argc == 5 && i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (!strcmp(argv[1], ways[i].name))
			way = &ways[i];
	}
	if (!way)
		die("usage: precision ours|perf|once SECONDS truncate|round|rest SEED");
	nr_cpus = sysconf(_SC_NPROCESSORS_CONF);
	if (!backdoor_open() || cpu_pin(HOME_CPU) || !backdoor_set_quant_named(argv[3]))
		die("this is not the emulated PMU, or not root");

	way->begin();
	truth_all(before);
	execute_all(strtod(argv[2], NULL), strtoull(argv[4], NULL, 10));
	truth_all(after);
	way->end();
	for (i = 1; i < nr_cpus; i++)
		backdoor_truth_sub(&after[i], &before[i]);
	compare(way, after);
	return 0;
}
