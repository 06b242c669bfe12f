/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The columns of latencies.
 */
#ifndef TOPDOWN_CLI_LATENCY_COLUMNS_H
#define TOPDOWN_CLI_LATENCY_COLUMNS_H

#include "columns.h"

extern const struct columns latency_columns;

#endif /* TOPDOWN_CLI_LATENCY_COLUMNS_H */
