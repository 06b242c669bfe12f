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

/* "main", or the file and address where no function is known. */
void where_function_text(char *text, size_t size, const struct where_run *run,
			 const struct where_row *row);
/* "list.c:42", or the file of the program. */
void where_place_text(char *text, size_t size, const struct where_run *run,
		      const struct where_row *row);
/* The last part of a path. */
const char *where_base(const char *path);
/* The rows that are printed. */
size_t where_shown(const struct where_run *run, const struct where_rows *rows);

#endif /* TOPDOWN_CLI_WHERE_OUTPUT_H */
