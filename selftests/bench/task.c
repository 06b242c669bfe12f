// SPDX-License-Identifier: GPL-2.0
/*
 * A task whose profile changes every 50 to 500 ms, and that is read only at its
 * end: how true are the figures?
 *
 *   task work SECONDS SEED FILE		execute, and write the truth to FILE
 *   task rdpmc SECONDS SEED FILE		the same, and print what it counted itself
 *					by RDPMC, without any reset
 *   task compare FILE SLOTS NODE...	the errors of the figures of others
 *   task quant truncate|round|rest	how the machine makes the bytes from now on
 *
 * RDPMC is what a program can do without the kernel: its own group, opened and
 * mapped by perf_event_open(2), SLOTS and PERF_METRICS read at the end.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"

/* SDM 2, "RDPMC": fixed counters, and the performance metrics. */
#define RDPMC_FIXED	(1U << 30)
#define RDPMC_METRICS	(1U << 29)
#define FIXED_SLOTS	3

static uint64_t rdpmc(uint32_t counter)
{
	uint32_t low, high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (counter));
	return low | (uint64_t)high << 32;
}

static void write_truth(const char *name)
{
	struct td_bd_truth truth;
	FILE *file = fopen(name, "w");

	if (!file || !backdoor_truth_space(&truth) ||
	    fwrite(&truth, sizeof(truth), 1, file) != 1 || fclose(file))
		die("cannot write %s: %s", name, strerror(errno));
}

static void read_truth(const char *name, struct td_bd_truth *truth)
{
	FILE *file = fopen(name, "r");

	if (!file || fread(truth, sizeof(*truth), 1, file) != 1)
		die("cannot read %s: %s", name, strerror(errno));
	fclose(file);
}

static int open_own_group(void)
{
	int fd = group_open_task(0, GROUP_EVENTS);
	void *page;

	if (fd < 0)
		die("cannot open the group: %s", strerror(errno));
	/* Without the mapping RDPMC is a fault. */
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED || !((struct perf_event_mmap_page *)page)->cap_user_rdpmc)
		die("the kernel does not allow RDPMC");
	return fd;
}

/* Each byte is a fraction of the slots since the group began. */
static void print_own_group(void)
{
	uint64_t metrics = rdpmc(RDPMC_METRICS), slots = rdpmc(RDPMC_FIXED | FIXED_SLOTS);
	double count[GROUP_EVENTS] = { slots }, node[TRUTH_NODES];
	unsigned int i;

	for (i = 0; i < GROUP_EVENTS - 1; i++)
		count[1 + i] = (double)slots * (metrics >> 8 * i & 0xff) / 0xff;
	nodes_of_counts(count, node);
	printf("%" PRIu64, slots);
	for (i = 0; i < TRUTH_NODES; i++)
		printf(" %.9f", node[i]);
	printf("\n");
}

static void compare(char **argv)
{
	double sum[2] = { }, max[2] = { }, want[TRUTH_NODES], error;
	struct td_bd_truth truth;
	unsigned int i, level;

	read_truth(argv[0], &truth);
	backdoor_truth_nodes(&truth, want);
	for (i = 0; i < TRUTH_NODES; i++) {
		level = i >= TOPDOWN_HEAVY_OPERATIONS;
		error = fabs(strtod(argv[2 + i], NULL) - want[i]) * 100;
		sum[level] += error;
		max[level] = fmax(max[level], error);
	}
	printf("l1_mean=%.4f l1_max=%.4f l2_mean=%.4f l2_max=%.4f slots=%.6f\n", sum[0] / 4,
	       max[0], sum[1] / 8, max[1], strtod(argv[1], NULL) / truth.slots);
}

int main(int argc, char **argv)
{
	bool own = argc == 5 && !strcmp(argv[1], "rdpmc");

	if (argc == 4 + TRUTH_NODES && !strcmp(argv[1], "compare")) {
		compare(argv + 2);
		return 0;
	}
	if (argc == 3 && !strcmp(argv[1], "quant"))
		return !backdoor_open() || !backdoor_set_quant_named(argv[2]);
	if (!own && (argc != 5 || strcmp(argv[1], "work")))
		die("usage: task work|rdpmc SECONDS SEED FILE, compare FILE SLOTS NODE..., or quant");
	if (!backdoor_open())
		die("this is not the emulated PMU, or not root");
	if (own)
		open_own_group();
	execute_phases(strtod(argv[2], NULL), 50, 500, strtoull(argv[3], NULL, 10));
	if (own)
		print_own_group();
	write_truth(argv[4]);
	return 0;
}
