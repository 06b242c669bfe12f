/* SPDX-License-Identifier: GPL-2.0 */
/*
 * topdown top: the cells of a screen, so that it can be looked at without one.
 */
#ifndef TOPDOWN_CLI_CELLS_H
#define TOPDOWN_CLI_CELLS_H

#include <topdown.h>

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

/* The lines of a screen that have no rows: the last of the head has headings. */
#define TOP_LINES_HEAD	5
#define TOP_LINES_FOOT	1
#define TOP_LINE_NAMES	(TOP_LINES_HEAD - 1)

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
 * struct top_part - a part of bars
 * @node: enum topdown_node of level 1
 * @letter: its letter, so that bars can be read without colours
 * @look: its enum top_look
 */
struct top_part {
	unsigned int node;
	char letter;
	unsigned char look;
};

#define TOP_PARTS	4

extern const struct top_part top_parts[TOP_PARTS];

int top_frame_resize(struct top_frame *frame, unsigned int lines, unsigned int columns);
void top_frame_free(struct top_frame *frame);
unsigned int top_frame_page(const struct top_frame *frame);
void cells_clear(struct top_frame *frame);
void cells_put(struct top_frame *frame, unsigned int line, unsigned int column, char letter,
	       enum top_look look);
void cells_title(struct top_frame *frame, unsigned int line);
unsigned int cells_print(struct top_frame *frame, unsigned int line, unsigned int column,
			 enum top_look look, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
unsigned int cells_print_whole(struct top_frame *frame, unsigned int line, unsigned int column,
			       enum top_look look, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
void cells_bar(struct top_frame *frame, unsigned int line, unsigned int column,
	       unsigned int width, const struct topdown_figures *figures);

#endif /* TOPDOWN_CLI_CELLS_H */
