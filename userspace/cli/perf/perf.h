/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown perf: command lines of perf with the events of the PMU topdown, and ratios of what
 * perf prints.
 */
#ifndef TOPDOWN_CLI_PERF_H
#define TOPDOWN_CLI_PERF_H

#include <stdio.h>

int perf_main(int argc, char **argv);
int perf_ratios(FILE *in, FILE *out);

#endif /* TOPDOWN_CLI_PERF_H */
