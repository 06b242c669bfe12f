// SPDX-License-Identifier: GPL-2.0
/* Runs the tests of the emulated PMU and reports in KTAP. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pmu_test.h"

#define STATUS_SKIP	4
#define STATUS_UNFIT	5

static const struct machine machines[] = {
	{ .name = "spr", .width = 6, .metrics = 8, .pmu = true, .model = 143 },
	{ .name = "icl", .width = 5, .metrics = 4, .pmu = true, .model = 106 },
	{ .name = "adl", .width = 6, .metrics = 8, .pmu = true, .model = 151, .e_width = 5,
	  .e_native = 1 },
	{ .name = "gnr", .width = 6, .metrics = 8, .pmu = true, .model = 173, .pebs = true },
	{ .name = "mtl", .width = 6, .metrics = 8, .pmu = true, .model = 170, .pebs = true,
	  .e_width = 6, .e_native = 2 },
	{ .name = "nometrics", .width = 6, .pmu = true, .model = 143 },
	{ .name = "iclnm", .width = 5, .pmu = true, .model = 106 },
	{ .name = "kvm", .width = 6, .pmu = true, .model = 143, .version = 2, .fixed = 3,
	  .narrow = true, .hypervisor = true },
	{ .name = "archonly", .width = 6, .pmu = true, .model = 143, .version = 2, .fixed = 3,
	  .narrow = true, .hypervisor = true, .filter = true },
	{ .name = "archskx", .width = 4, .pmu = true, .model = 85, .version = 2, .fixed = 3,
	  .narrow = true, .hypervisor = true, .filter = true },
	{ .name = "zerometrics", .width = 6, .metrics = 8, .pmu = true, .model = 143,
	  .hypervisor = true, .filter = true },
	{ .name = "half", .width = 6, .metrics = 8, .pmu = true, .model = 143, .half = true },
	{ .name = "snb", .width = 4, .pmu = true, .model = 42, .version = 3, .fixed = 3,
	  .any = true, .narrow = true },
	{ .name = "ivb", .width = 4, .pmu = true, .model = 58, .version = 3, .fixed = 3,
	  .any = true },
	{ .name = "hsw", .width = 4, .pmu = true, .model = 60, .version = 3, .fixed = 3,
	  .any = true },
	{ .name = "bdw", .width = 4, .pmu = true, .model = 61, .version = 3, .fixed = 3,
	  .any = true },
	{ .name = "skx", .width = 4, .pmu = true, .model = 85, .version = 4, .fixed = 3,
	  .any = true },
	{ .name = "glp", .width = 4, .pmu = true, .model = 122, .version = 4, .gp = 4,
	  .fixed = 3, .any = true },
	{ .name = "tnt", .width = 4, .pmu = true, .model = 134, .gp = 4, .fixed = 3 },
	{ .name = "zen4", .width = 6, .pmu = true, .model = 17, .gp = 6, .amd = true,
	  .ibs = true },
	{ .name = "nopmu", .width = 6, .model = 143 },
	{ .name = "amd", .width = 6, .amd = true },
};

/* The first ones see the counters as the machine boots. */
static const struct test *const suites[] = {
	guest_tests, truth_tests, msr_tests, rdpmc_tests, perf_tests, hybrid_tests,
	rate_tests, amd_tests, pebs_tests, pebs_perf_tests, ibs_tests, executed_tests,
};

struct machine machine;

void fail(const char *format, ...)
{
	va_list list;

	printf("# ");
	va_start(list, format);
	vprintf(format, list);
	va_end(list);
	printf("\n");
	fflush(stdout);
	_exit(1);
}

void skip(const char *why)
{
	printf("# SKIP %s\n", why);
	fflush(stdout);
	_exit(STATUS_SKIP);
}

void unfit(void)
{
	fflush(stdout);
	_exit(STATUS_UNFIT);
}

void again(const char *what)
{
	printf("# again: %s\n", what);
}

void need_metrics(void)
{
	if (!machine.metrics)
		unfit();
}

void need_pmu(void)
{
	if (!machine.pmu)
		unfit();
}

void need_intel(void)
{
	need_pmu();
	if (machine.amd)
		unfit();
}

/* Each in its own process: it has its own address space, and may die. */
static int run(const struct test *test)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return 1;
	if (!pid) {
		pin(BUSY_CPU);
		test->run();
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	/* A test that died has not put this back. */
	door(TD_BD_SET_QUANT, machine.quant, NULL);
	door(TD_BD_SET_RESTORE, TD_BD_RESTORE_BYTES, NULL);
	door(TD_BD_SET_FILTER, 0, NULL);
	door(TD_BD_SET_GUEST, TD_BD_GUEST_NONE, NULL);
	if (WIFSIGNALED(status))
		printf("# signal %d\n", WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* What the table leaves out; two threads of a core have half of the counters each. */
static void complete(void)
{
	if (!machine.version)
		machine.version = 5;
	if (!machine.gp)
		machine.gp = machine.smt && machine.any ? 4 : 8;
	if (!machine.fixed && !machine.amd)
		machine.fixed = 4;
}

static void choose(int argc, char **argv)
{
	size_t i;
	int opt;

	for (i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		if (argc > 1 && !strcmp(argv[1], machines[i].name))
			machine = machines[i];
	if (!machine.name) {
		fprintf(stderr, "Usage: pmu_test MACHINE [truncate | round] [icount | smt | executed]\n");
		exit(2);
	}
	machine.quant = TD_BD_QUANT_REST;
	for (opt = 2; opt < argc; opt++) {
		if (!strcmp(argv[opt], "truncate"))
			machine.quant = TD_BD_QUANT_TRUNCATE;
		if (!strcmp(argv[opt], "round"))
			machine.quant = TD_BD_QUANT_ROUND;
		machine.smt |= !strcmp(argv[opt], "smt");
		machine.executed |= !strcmp(argv[opt], "executed");
		machine.icount |= machine.smt || machine.executed ||
				  !strcmp(argv[opt], "icount");
	}
	complete();
}

static bool wanted(const char *name)
{
	const char *only = getenv("PMU_TEST_ONLY");

	return !only || strstr(name, only);
}

int main(int argc, char **argv)
{
	unsigned int count = 0, failed = 0;
	const struct test *test;
	size_t i;
	int status;

	choose(argc, argv);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (iopl(3)) {
		perror("iopl");
		return 1;
	}
	if (door(TD_BD_PING, 0, NULL) != TD_BD_VERSION) {
		fprintf(stderr, "pmu_test: this is not the emulated machine\n");
		return 1;
	}

	printf("KTAP version 1\n");
	for (i = 0; i < sizeof(suites) / sizeof(*suites); i++) {
		for (test = suites[i]; test->name; test++) {
			if (!wanted(test->name))
				continue;
			status = run(test);
			if (status == STATUS_UNFIT)
				continue;
			failed += status && status != STATUS_SKIP;
			printf("%sok %u %s%s\n", status && status != STATUS_SKIP ? "not " : "",
			       ++count, test->name, status == STATUS_SKIP ? " # SKIP" : "");
		}
	}
	printf("1..%u\n", count);
	return failed ? 1 : 0;
}
