/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The differences of the owners of two recordings.
 */
#ifndef TOPDOWN_CLI_OWNER_DIFF_H
#define TOPDOWN_CLI_OWNER_DIFF_H

#include "diff-lines.h"
#include "owner-pairs.h"

/**
 * struct owner_difference - what the owners of two recordings differ in
 * @before: the one
 * @after: the other
 * @level: highest level of nodes
 * @pairs: names, and their owners
 * @nr: number of @line
 * @line: lines of each owner in both that is compared, and then one of each in only one
 * @compared: names in both that have lines
 * @left_out: names in both that have none
 */
struct owner_difference {
	const struct summary *before;
	const struct summary *after;
	unsigned int level;
	struct owner_pairs pairs;
	size_t nr;
	struct line *line;
	uint32_t compared;
	uint32_t left_out;
};

int owner_diff(struct report_options *options, const struct summary *before,
	       const struct summary *after);
void owner_diff_table(const struct report_options *options, const struct owner_difference *found);
uint32_t owner_diff_top(const struct report_options *options);

#endif /* TOPDOWN_CLI_OWNER_DIFF_H */
