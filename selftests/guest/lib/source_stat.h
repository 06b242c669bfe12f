/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What "topdown stat -j" prints.
 */
#ifndef TOPDOWN_SELFTESTS_SOURCE_STAT_H
#define TOPDOWN_SELFTESTS_SOURCE_STAT_H

#include <stdio.h>

#include "guest.h"

extern const char * const node_name[TD_NR_NODES];

/*
 * The command for @count intervals of @ms, which begin @delay_ms after its start, of CPUs or, if
 * not 0, of a task; pclose() it.
 */
FILE *stat_start(unsigned int delay_ms, unsigned int ms, unsigned int count, int pid);

/* A number of a line; NAN for null, and where there is none. */
double json_number(const char *object, const char *prefix, const char *name);
/* All nodes of a line. */
void json_nodes(const char *object, double node[TD_NR_NODES]);

#endif /* TOPDOWN_SELFTESTS_SOURCE_STAT_H */
