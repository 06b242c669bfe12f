/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown top: the counts of each CPU from one refresh to the next.
 */
#ifndef TOPDOWN_CLI_TOP_DATA_H
#define TOPDOWN_CLI_TOP_DATA_H

#include <topdown.h>

#include "cpulist.h"
#include "rows.h"
#include "top-row.h"

/**
 * struct top_cpu - one CPU
 * @there: the machine can have it
 * @based: there is a @base
 * @base: the record at the end of the interval shown
 * @row: the interval shown
 * @own: what the row has for itself
 */
struct top_cpu {
	bool there;
	bool based;
	struct topdown_record base;
	struct row row;
	struct top_row own;
};

/**
 * struct top_data - all CPUs
 * @nr: number of @cpu
 * @cpu: CPUs by number
 * @period_ns: the module's period, to be set when it changes
 * @level: highest level that the machine has
 * @busy: the module knows how busy CPUs are
 * @nodes: nodes that a CPU had a ratio of, bit n for node n
 */
struct top_data {
	unsigned int nr;
	struct top_cpu *cpu;
	uint64_t period_ns;
	unsigned int level;
	bool busy;
	uint32_t nodes;
};

int top_data_open(struct top_data *data, unsigned int nr, uint64_t period_ns,
		  unsigned int level);
void top_data_close(struct top_data *data);
void top_data_put(struct top_data *data, unsigned int cpu,
		  const struct topdown_record *record, uint64_t now_ns);
void top_data_read(struct top_data *data, const struct topdown_map_view *map,
		   uint64_t now_ns);
double top_data_total(const struct top_data *data, const struct cpulist *cpus,
		      struct row *total);

#endif /* TOPDOWN_CLI_TOP_DATA_H */
