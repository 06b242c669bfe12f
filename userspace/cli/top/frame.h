/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown top: one screen as cells, so that it can be looked at without one.
 */
#ifndef TOPDOWN_CLI_FRAME_H
#define TOPDOWN_CLI_FRAME_H

#include "top-latency.h"
#include "view.h"

/* The meaning of a cell. screen.c decides how it looks. */
enum top_look {
	TOP_LOOK_PLAIN,
	TOP_LOOK_TITLE,
	TOP_LOOK_SORTED,
	TOP_LOOK_MARK,
	TOP_LOOK_WARN,
	TOP_LOOK_RETIRING,
	TOP_LOOK_BAD_SPECULATION,
	TOP_LOOK_FRONTEND_BOUND,
	TOP_LOOK_BACKEND_BOUND,
};

struct top_cell {
	char letter;
	unsigned char look;
};

/**
 * struct top_frame - a screen
 * @lines: its height
 * @columns: its width
 * @cell: cells, line by line
 */
struct top_frame {
	unsigned int lines;
	unsigned int columns;
	struct top_cell *cell;
};

/**
 * struct top_screen - the contents of a frame
 * @view: the selection of rows and columns
 * @data: the CPUs
 * @rows: rows, filtered and sorted; of slots only
 * @latency: latencies with their rows; NULL if slots are shown
 * @nr_rows: number of @rows
 * @total: their sum
 * @clock: the time, as text
 * @period_ms: the module's period
 * @delay_ms: time between refreshes
 */
struct top_screen {
	const struct top_view *view;
	const struct top_data *data;
	const struct top_cpu **rows;
	const struct top_latency *latency;
	unsigned int nr_rows;
	struct row total;
	const char *clock;
	unsigned int period_ms;
	unsigned int delay_ms;
};

int top_frame_resize(struct top_frame *frame, unsigned int lines, unsigned int columns);
void top_frame_free(struct top_frame *frame);
unsigned int top_frame_page(const struct top_frame *frame);
void top_frame_build(struct top_frame *frame, const struct top_screen *screen);
void top_frame_help(struct top_frame *frame, bool latencies);

#endif /* TOPDOWN_CLI_FRAME_H */
