/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The answers of topdown export: all that HTTP can ask for.
 */
#ifndef TOPDOWN_CLI_ANSWER_H
#define TOPDOWN_CLI_ANSWER_H

#include <microhttpd.h>

#include "export-data.h"

/* Answers within so many ms are one reading, so that many scrapers cost as much as one. */
#define EXPORT_SNAPSHOT_MS	10
/* The same with cgroups: owners interrupt CPUs, and the module looks at them once a second. */
#define EXPORT_CGROUPS_MS	1000

/**
 * struct export_answer - an answer
 * @response: as the library has it; NULL if it was not made
 * @length: bytes of its body
 */
struct export_answer {
	struct MHD_Response *response;
	size_t length;
};

/**
 * struct export_answers - answers that are kept
 * @data: the module
 * @taken_ns: when @data was looked at; 0 for never
 * @metrics: an answer for each format, without and with compression
 */
struct export_answers {
	struct export_data data;
	uint64_t taken_ns;
	struct export_answer metrics[EXPORT_FORMATS][2];
};

bool export_answers_update(struct export_answers *answers);
const struct export_answer *export_answer_metrics(struct export_answers *answers,
						  enum export_format format, bool gzip);
struct MHD_Response *export_answer_page(const char *path);
void export_answers_end(struct export_answers *answers);

#endif /* TOPDOWN_CLI_ANSWER_H */
