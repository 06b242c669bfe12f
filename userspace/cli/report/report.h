/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown report: what a recording says.
 */
#ifndef TOPDOWN_CLI_REPORT_H
#define TOPDOWN_CLI_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "idlist.h"
#include "output.h"
#include "owner-keys.h"
#include "summary.h"

#define STEP_MIN_MS		10
#define STEP_MAX_MS		3600000

#define OWNERS_TOP_MAX		100000

/* The most lines of the list of bottlenecks. */
#define TIMELINE_MAX		20

/**
 * struct report_word - a word of tables, which "topdown help" explains
 * @word: heading, key or verdict
 * @meaning: in some words
 */
struct report_word {
	const char *word;
	const char *meaning;
};

/**
 * struct report_options - the command line of topdown report
 * @files: the recording, with --rotated
 * @each: -A
 * @steps: --steps
 * @windows: --windows
 * @latency: --latency
 * @owners: --owners, or --by
 * @by: --by; OWNER_BY_NONE without
 * @sort: --sort
 * @top: --top; 0 without
 * @self: --self
 * @pids: -p
 * @cgroups: -G; NULL without
 * @choice: --partial, -C, --since and --until
 * @diff: --diff; NULL without
 * @fail_on_change: --fail-on-change
 * @html: --html; NULL without
 * @trace: --trace; NULL without
 * @level: -l; 0 without
 * @step_ms: -I; 0 without
 * @schema: --schema
 * @output: format, separator and header
 */
struct report_options {
	struct recording_files files;
	bool each;
	bool steps;
	bool windows;
	bool latency;
	bool owners;
	enum owner_by by;
	struct owner_sort sort;
	uint64_t top;
	bool self;
	struct idlist pids;
	const char *cgroups;
	struct recording_choice choice;
	const char *diff;
	bool fail_on_change;
	const char *html;
	const char *trace;
	uint64_t level;
	uint64_t step_ms;
	bool schema;
	struct output output;
};

int report_main(int argc, char **argv);
const char *report_meaning(const char *word);
const char *report_diff_meaning(const char *word);
int report_parse(struct report_options *options, int argc, char **argv, bool *done);

int report_diff(struct report_options *options);
int report_diff_schema(bool owners);
int report_html(const struct report_options *options, const struct summary *summary);
int report_trace(const struct report_options *options);
int report_latency(struct report_options *options, const struct summary *summary);
int report_latency_text(const struct report_options *options, const struct summary *summary);
int report_owners_there(const struct report_options *options, const struct summary *summary);
int report_owners(struct report_options *options, const struct summary *summary);
int report_owners_text(const struct report_options *options, const struct summary *summary);
void report_time(FILE *file, double time, bool date);
void report_head(FILE *file, const struct summary *summary);
void report_text(const struct report_options *options, const struct summary *summary,
		 const struct interval *interval);

#endif /* TOPDOWN_CLI_REPORT_H */
