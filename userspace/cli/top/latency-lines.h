/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown top: the rows of latencies as cells.
 */
#ifndef TOPDOWN_CLI_LATENCY_LINES_H
#define TOPDOWN_CLI_LATENCY_LINES_H

#include "cells.h"
#include "top-latency.h"

void top_latency_lines(struct top_frame *frame, const struct top_latency *latency,
		       unsigned int nr, const struct top_view *view);
unsigned int top_latency_status(struct top_frame *frame, unsigned int line, unsigned int column,
				const struct top_latency *latency, unsigned int nr);

#endif /* TOPDOWN_CLI_LATENCY_LINES_H */
