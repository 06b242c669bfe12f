/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The forms in which rows are printed.
 */
#ifndef TOPDOWN_CLI_WHERE_OUTPUT_H
#define TOPDOWN_CLI_WHERE_OUTPUT_H

#include "where-rows.h"

/* One node of a domain at a time; the rows are there. */
void where_table(FILE *file, const struct where_run *run, const struct where_domain *domain,
		 const struct where_rows *rows);
int where_json(FILE *file, const struct where_run *run, const struct where_domain *domain,
	       const struct where_rows *rows);
void where_csv_header(FILE *file, char separator);
void where_csv(FILE *file, const struct where_run *run, const struct where_domain *domain,
	       const struct where_rows *rows);
void where_folded(FILE *file, const struct where_run *run, const struct where_domain *domain,
		  const struct where_rows *rows);
void where_annotate(FILE *file, const struct where_run *run, const struct where_rows *rows);

void where_page_begin(FILE *file, const struct where_run *run);
void where_page_node(FILE *file, const struct where_run *run, const struct where_domain *domain,
		     const struct where_rows *rows);
void where_page_end(FILE *file);

#define WHERE_REASON_SIZE	256

/* Why events have no sample: of one event, of the next of a node, and of all of a node. */
bool where_missing(const struct topdown_stalls_event *event, bool cpus, char *text, size_t size);
bool where_missing_in(const struct where_run *run, const struct topdown_stalls_event *event,
		      char *text, size_t size);
bool where_missing_next(const struct where_run *run, const struct where_domain *domain,
			unsigned int node, unsigned int *number,
			struct topdown_stalls_event *event, char *text, size_t size);
void where_missing_lines(FILE *file, const struct where_run *run,
			 const struct where_domain *domain, unsigned int node);
void where_missing_text(const struct where_run *run, const struct where_domain *domain,
			unsigned int node, char *text, size_t size);

/* "main", or the file and address where no function is known. */
void where_function_text(char *text, size_t size, const struct where_run *run,
			 const struct where_row *row);
/* "list.c:42", or the file of the program, with the address if there is no function. */
void where_place_text(char *text, size_t size, const struct where_run *run,
		      const struct where_row *row);
/* The last part of a path. */
const char *where_base(const char *path);
/* The rows that are printed. */
size_t where_shown(const struct where_run *run, const struct where_rows *rows);

#endif /* TOPDOWN_CLI_WHERE_OUTPUT_H */
