// SPDX-License-Identifier: GPL-2.0
/*
 * Are the module's figures right now?  For shell tests: keeps every online CPU
 * busy for a while, compares with the emulator's truth, prints a line for each
 * CPU and exits with 0 if all are within the limits.
 *
 * With a command: runs it, and prints for each CPU the time in which it was ours
 * to measure and the part of it in which our group had the counter.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sample.h"

#define TRIES	3

struct options {
	double ms;
	double points;
	/* Percent by which the slots may be off; below 0: do not look. */
	double slots;
};

static unsigned int cpus[TD_CPUS_MAX], cpus_nr;
static int spinner[TD_CPUS_MAX];
static struct sample earlier[TD_CPUS_MAX], later[TD_CPUS_MAX];

static void usage(FILE *out)
{
	fprintf(out,
		"Usage: measure [-t MS] [-p POINTS] [-s PERCENT]\n"
		"       measure -n SPANS [-t MS]\n"
		"       measure COMMAND [ARG]...\n"
		"  -t  time to measure (1000)\n"
		"  -p  percentage points by which a figure may be off (0.5)\n"
		"  -s  percent by which the slots may be off (0.1); -1 does not look,\n"
		"      which others that use the counter make necessary\n"
		"  -n  look on at what runs there already, for so many spans\n");
}

static bool take(int device, struct sample *sample)
{
	unsigned int i;
	int ret;

	for (i = 0; i < cpus_nr; i++) {
		ret = sample_take(device, cpus[i], &sample[i]);
		if (!ret)
			continue;
		fprintf(stderr, "measure: CPU %u: %s\n", cpus[i], strerror(-ret));
		return false;
	}
	return true;
}

static bool judge(const struct options *options)
{
	struct comparison comparison;
	bool ok, all = true;
	unsigned int i;

	for (i = 0; i < cpus_nr; i++) {
		sample_compare(&earlier[i], &later[i], &comparison);
		ok = comparison.points <= options->points;
		if (options->slots >= 0)
			ok = ok && compare_slots_within(&comparison, options->slots / 100);
		printf("cpu %u points %.3f node %u slots %.5f running %.4f state %u %s\n",
		       cpus[i], comparison.points, comparison.worst_node, comparison.slots,
		       comparison.running, later[i].record.state, ok ? "right" : "WRONG");
		all = all && ok;
	}
	return all && cpus_nr;
}

/* What runs there runs on: one line for each CPU and span. */
static int look_on(int device, const struct options *options, unsigned int spans)
{
	unsigned int i;

	if (!take(device, earlier))
		return 1;
	for (i = 0; i < spans; i++) {
		sleep_ms(options->ms);
		if (!take(device, later))
			return 1;
		judge(options);
		memcpy(earlier, later, sizeof(earlier));
	}
	return 0;
}

static int run(char **command)
{
	int status, pid = fork();

	if (!pid) {
		execvp(*command, command);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int shares_around(int device, char **command)
{
	struct topdown_record record;
	unsigned int i;
	int status = 0;

	for (i = 0; i < cpus_nr; i++) {
		if (device_read_cpu(device, TOPDOWN_READ_FRESH, cpus[i], &earlier[i].record))
			return 1;
	}
	status = run(command);
	for (i = 0; i < cpus_nr && !status; i++) {
		if (device_read_cpu(device, TOPDOWN_READ_FRESH, cpus[i], &record))
			return 1;
		printf("cpu %u enabled_ns %llu running_ns %llu\n", cpus[i],
		       record.total.enabled_ns - earlier[i].record.total.enabled_ns,
		       record.total.running_ns - earlier[i].record.total.running_ns);
	}
	return status;
}

int main(int argc, char **argv)
{
	struct options options = { .ms = 1000, .points = 0.5, .slots = 0.1 };
	unsigned int i, spans = 0;
	int opt, device;
	bool ok = false;

	while ((opt = getopt(argc, argv, "+t:p:s:n:h")) != -1) {
		switch (opt) {
		case 't':
			options.ms = atof(optarg);
			break;
		case 'p':
			options.points = atof(optarg);
			break;
		case 's':
			options.slots = atof(optarg);
			break;
		case 'n':
			spans = atoi(optarg);
			break;
		default:
			usage(opt == 'h' ? stdout : stderr);
			return opt == 'h' ? 0 : 2;
		}
	}
	device = device_open();
	if (device < 0 || !backdoor_open()) {
		fprintf(stderr, "measure: no module, or no emulated PMU\n");
		return 1;
	}
	cpus_nr = cpus_online(cpus);
	if (spans)
		return look_on(device, &options, spans);
	if (optind < argc)
		return shares_around(device, argv + optind);
	for (i = 0; i < cpus_nr; i++)
		spinner[i] = spin_start(cpus[i], &profiles[i % profiles_nr].profile);
	sleep_ms(30);
	/* Slots can get lost: see backdoor_exact(). */
	for (i = 0; i < TRIES; i++) {
		if (i)
			say_again("figures of all CPUs");
		ok = take(device, earlier);
		sleep_ms(options.ms);
		ok = ok && take(device, later) && judge(&options);
		if (ok)
			break;
	}
	for (i = 0; i < cpus_nr; i++) {
		if (spinner[i] > 0)
			spin_stop(spinner[i]);
	}
	return ok ? 0 : 1;
}
