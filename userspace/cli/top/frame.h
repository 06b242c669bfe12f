/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown top: one screen as cells, so that it can be looked at without one.
 */
#ifndef TOPDOWN_CLI_FRAME_H
#define TOPDOWN_CLI_FRAME_H

#include "cells.h"
#include "top-latency.h"
#include "view.h"

/**
 * struct top_screen - the contents of a frame
 * @view: the selection of rows and columns
 * @data: the CPUs
 * @rows: rows, filtered and sorted; of slots only
 * @latency: latencies with their rows; NULL if slots are shown
 * @nr_rows: number of @rows
 * @waits: no interval of owners has ended yet
 * @total: their sum
 * @rate: its slots per second
 * @clock: the time, as text
 * @period_ms: the module's period
 * @delay_ms: time between refreshes
 */
struct top_screen {
	const struct top_view *view;
	const struct top_data *data;
	const struct row *const *rows;
	const struct top_latency *latency;
	unsigned int nr_rows;
	bool waits;
	struct row total;
	double rate;
	const char *clock;
	unsigned int period_ms;
	unsigned int delay_ms;
};

void top_frame_build(struct top_frame *frame, const struct top_screen *screen);
void top_frame_help(struct top_frame *frame, const struct top_view *view);

#endif /* TOPDOWN_CLI_FRAME_H */
