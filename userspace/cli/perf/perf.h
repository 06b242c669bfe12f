/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown perf: command lines of perf with the events of the PMU topdown, and ratios of what
 * perf prints.
 */
#ifndef TOPDOWN_CLI_PERF_H
#define TOPDOWN_CLI_PERF_H

#include <stdbool.h>
#include <stdio.h>

/* How the events of the PMU topdown begin. */
#define PERF_EVENT	"topdown/"

/**
 * struct perf_sample - a line of "perf script", taken apart
 * @who: name of the process and its number, as far as perf was asked for them
 * @event: enum topdown_node or TD_NR_NODES for slots; -1 for another event
 * @count: its period
 * @where: what follows: address and function
 */
struct perf_sample {
	char *who;
	int event;
	const char *count;
	char *where;
};

int perf_main(int argc, char **argv);
int perf_ratios(FILE *in, FILE *out, const char *by);
int perf_folded(FILE *in, FILE *out, const char *event);
bool perf_event_is_known(const char *name);
int perf_event(const char *event);
bool perf_sample(char *line, struct perf_sample *sample);

#endif /* TOPDOWN_CLI_PERF_H */
