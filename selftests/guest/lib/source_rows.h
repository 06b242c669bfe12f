/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOPDOWN_SELFTESTS_SOURCE_ROWS_H
#define TOPDOWN_SELFTESTS_SOURCE_ROWS_H

#include "guest.h"

#define SOURCE_RATES	24

/*
 * The CPUID family and model, whether cores have two threads, and the results.  @nodes
 * has bit n for node n if the nodes are not those of PERF_METRICS, else 0.
 */
struct source_row {
	unsigned int family;
	unsigned int model;
	enum topdown_source source;
	unsigned int level;
	bool smt;
	struct td_bd_rate rate[SOURCE_RATES];
	uint32_t nodes;
	double node[TD_NR_NODES];
};

extern const struct source_row source_rows[];
extern const unsigned int source_rows_nr;

/* Let the calling task have the rates of a row. */
bool source_rates(const struct source_row *row);

#endif /* TOPDOWN_SELFTESTS_SOURCE_ROWS_H */
