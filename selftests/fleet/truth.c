// SPDX-License-Identifier: GPL-2.0
/*
 * truth SECONDS: the emulator's truth of all CPUs, a line in so many seconds:
 *   TRUTH TIME SLOTS and the slots of each enum td_bd_category
 * TIME is that of the epoch.  It ends with the machine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../guest/lib/guest.h"

static bool print_truth(long cpus)
{
	struct td_bd_truth truth;
	double slots = 0, category[TD_BD_CATEGORIES] = { 0 };
	struct timespec now;
	unsigned int i;
	long cpu;

	clock_gettime(CLOCK_REALTIME, &now);
	for (cpu = 0; cpu < cpus; cpu++) {
		if (!backdoor_truth_cpu(cpu, &truth))
			return false;
		slots += truth.slots;
		for (i = 0; i < TD_BD_CATEGORIES; i++)
			category[i] += truth.category[i];
	}
	printf("TRUTH %.3f %.0f", now.tv_sec + now.tv_nsec / 1e9, slots);
	for (i = 0; i < TD_BD_CATEGORIES; i++)
		printf(" %.0f", category[i]);
	printf("\n");
	return !fflush(stdout);
}

int main(int argc, char **argv)
{
	unsigned int seconds = argc > 1 ? atoi(argv[1]) : 1;

	if (!backdoor_open())
		return 1;
	while (print_truth(sysconf(_SC_NPROCESSORS_ONLN)))
		sleep(seconds);
	return 1;
}
