/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines of differences, of CPUs or tasks and of owners.
 */
#ifndef TOPDOWN_CLI_DIFF_LINES_H
#define TOPDOWN_CLI_DIFF_LINES_H

#include "noise.h"
#include "report.h"
#include "runs.h"

#define DIFF_LATENCY_UNIT	"cycles"

/* Headings that are no keys. */
#define DIFF_CHANGE	"change"
#define DIFF_MARGIN	"+-"

/* After the values of runs: the share that an owner has of all slots. */
#define DIFF_SHARE	RUNS_VALUES

struct owner_pair;

/**
 * struct line - one value, before and after
 * @name: node, ipc, amount or event
 * @unit: of an amount or an event; NULL for a ratio
 * @node: enum topdown_node, NOISE_IPC, RUNS_* or DIFF_SHARE; of an event NOISE_IPC, as its mean
 *	is such a quotient
 * @difference: the difference
 * @owner: of owners only: whose line it is
 */
struct line {
	const char *name;
	const char *unit;
	unsigned int node;
	struct noise_difference difference;
	const struct owner_pair *owner;
};

bool diff_has(const struct line *lines, unsigned int nr, enum noise_verdict verdict);
int diff_code(const struct report_options *options, bool beyond, bool within);
void diff_lines_header(const struct report_options *options);
int diff_lines_put(const struct report_options *options, const struct line *lines,
		   unsigned int nr);

#endif /* TOPDOWN_CLI_DIFF_LINES_H */
