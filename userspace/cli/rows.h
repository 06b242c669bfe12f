/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What one interval has to say, independent of how it is printed.
 */
#ifndef TOPDOWN_CLI_ROWS_H
#define TOPDOWN_CLI_ROWS_H

#include <topdown.h>

#include "cpulist.h"

/* Below this share of the time a figure is partial; the module has the same. */
#define ROW_RUNNING_FULL	0.99

/**
 * struct row - figures of one CPU, or of the sum, in one interval
 * @cpu: CPU number or TOPDOWN_CPU_ALL
 * @state: enum topdown_state at the end of the interval
 * @source: enum topdown_source
 * @level: highest level that is shown
 * @nr_cpus: CPUs that were measured in the interval; of the sum only
 * @figures: slots, times and ratios
 */
struct row {
	uint32_t cpu;
	unsigned int state;
	unsigned int source;
	unsigned int level;
	unsigned int nr_cpus;
	struct topdown_figures figures;
};

/**
 * struct interval - everything that is printed of one interval
 * @time: end of the interval, seconds since the epoch
 * @elapsed: seconds from the start of the measurement to that end
 * @length: length of the interval in seconds
 * @level: highest level that was asked for
 * @nr: number of @row
 * @row: rows: first the sum, then the CPUs
 */
struct interval {
	double time;
	double elapsed;
	double length;
	unsigned int level;
	unsigned int nr;
	struct row *row;
};

int interval_fill(struct interval *interval, const struct topdown_reading *then,
		  const struct topdown_reading *now, bool idle_rows);
void interval_free(struct interval *interval);
bool row_running(const struct row *row, double *share);
bool row_partial(const struct row *row);
int row_bottleneck(const struct row *row);
int row_bottleneck_child(const struct row *row, int parent);

#endif /* TOPDOWN_CLI_ROWS_H */
