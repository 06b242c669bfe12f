// SPDX-License-Identifier: GPL-2.0
/*
 * The machine's counts.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

void die(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

uint64_t interrupt_count(const char *name, unsigned int first)
{
	uint64_t sum = 0, one;
	char line[8192];
	unsigned int cpu;
	char *at, *end;
	FILE *file;

	file = fopen("/proc/interrupts", "r");
	if (!file)
		die("cannot open /proc/interrupts: %s", strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		at = strstr(line, name);
		if (!at)
			continue;
		for (cpu = 0, at += strlen(name); ; cpu++, at = end) {
			one = strtoull(at, &end, 10);
			if (end == at)
				break;
			if (cpu >= first)
				sum += one;
		}
	}
	fclose(file);
	return sum;
}

static void from_door(struct counts *counts)
{
	struct td_bd_truth truth;
	unsigned int cpu;

	for (cpu = 0; cpu < TD_CPUS_MAX && backdoor_truth_cpu(cpu, &truth); cpu++) {
		counts->time_ns = truth.time_ns;
		counts->instructions += truth.instructions;
		counts->rdmsr += truth.rdmsr;
		counts->wrmsr += truth.wrmsr;
		counts->rdpmc += truth.rdpmc;
		if (cpu != HOME_CPU)
			counts->wakeups += truth.wakeups;
	}
}

void counts_begin(struct counts *counts)
{
	if (!backdoor_open())
		die("this is not the emulated PMU, or not root");
	*counts = (struct counts){ .calls = interrupt_count("CAL:", 0) };
	from_door(counts);
}

void counts_end(struct counts *counts)
{
	*counts = (struct counts){ };
	from_door(counts);
	counts->calls = interrupt_count("CAL:", 0);
}

void counts_sub(struct counts *later, const struct counts *earlier)
{
	later->time_ns -= earlier->time_ns;
	later->instructions -= earlier->instructions;
	later->rdmsr -= earlier->rdmsr;
	later->wrmsr -= earlier->wrmsr;
	later->rdpmc -= earlier->rdpmc;
	later->wakeups -= earlier->wakeups;
	later->calls -= earlier->calls;
}

void counts_print(const struct counts *counts)
{
	printf("time_ns=%" PRIu64 " instructions=%" PRIu64 " rdmsr=%" PRIu64 " wrmsr=%" PRIu64
	       " rdpmc=%" PRIu64 " wakeups=%" PRIu64 " calls=%" PRIu64,
	       counts->time_ns, counts->instructions, counts->rdmsr, counts->wrmsr,
	       counts->rdpmc, counts->wakeups, counts->calls);
}
