// SPDX-License-Identifier: GPL-2.0
/*
 * topdown top: the cells of a screen.
 *
 * Text beyond the edge is cut off. Bars are letters, so that they can be read without colours.
 */
#include "cells.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct top_part top_parts[TOP_PARTS] = {
	{ TOPDOWN_RETIRING, 'R', TOP_LOOK_RETIRING },
	{ TOPDOWN_BAD_SPECULATION, 'S', TOP_LOOK_BAD_SPECULATION },
	{ TOPDOWN_FRONTEND_BOUND, 'F', TOP_LOOK_FRONTEND_BOUND },
	{ TOPDOWN_BACKEND_BOUND, 'B', TOP_LOOK_BACKEND_BOUND },
};

/**
 * top_frame_resize - make room
 * @frame: zeroed before the first time
 * @lines: height
 * @columns: width
 *
 * Return: 0 or -ENOMEM; after an error the frame is unchanged.
 */
int top_frame_resize(struct top_frame *frame, unsigned int lines, unsigned int columns)
{
	struct top_cell *cell;

	cell = calloc((size_t)lines * columns + 1, sizeof(*cell));
	if (!cell)
		return -ENOMEM;
	free(frame->cell);
	frame->cell = cell;
	frame->lines = lines;
	frame->columns = columns;
	return 0;
}

/**
 * top_frame_free - free the cells
 * @frame: frame
 */
void top_frame_free(struct top_frame *frame)
{
	free(frame->cell);
	memset(frame, 0, sizeof(*frame));
}

/**
 * top_frame_page - the number of rows that fit
 * @frame: frame
 *
 * Return: the number.
 */
unsigned int top_frame_page(const struct top_frame *frame)
{
	const unsigned int others = TOP_LINES_HEAD + TOP_LINES_FOOT;

	return frame->lines > others ? frame->lines - others : 0;
}

/**
 * cells_clear - make all cells blank
 * @frame: frame
 */
void cells_clear(struct top_frame *frame)
{
	size_t i;

	for (i = 0; i < (size_t)frame->lines * frame->columns; i++) {
		frame->cell[i].letter = ' ';
		frame->cell[i].look = TOP_LOOK_PLAIN;
	}
}

/**
 * cells_put - write one cell
 * @frame: frame
 * @line: its line; nothing is written beyond the edge
 * @column: its column
 * @letter: letter
 * @look: its meaning
 */
void cells_put(struct top_frame *frame, unsigned int line, unsigned int column, char letter,
	       enum top_look look)
{
	struct top_cell *cell;

	if (line >= frame->lines || column >= frame->columns)
		return;
	cell = &frame->cell[(size_t)line * frame->columns + column];
	cell->letter = letter >= ' ' && letter <= '~' ? letter : '?';
	cell->look = look;
}

/**
 * cells_title - let a line look like a title
 * @frame: frame
 * @line: line, whose letters go
 */
void cells_title(struct top_frame *frame, unsigned int line)
{
	unsigned int i;

	for (i = 0; i < frame->columns; i++)
		cells_put(frame, line, i, ' ', TOP_LOOK_TITLE);
}

/**
 * cells_print - write text
 * @frame: frame
 * @line: line
 * @column: column where it begins
 * @look: meaning of all its letters
 * @format: as of printf()
 *
 * Return: the column after the text.
 */
unsigned int cells_print(struct top_frame *frame, unsigned int line, unsigned int column,
			 enum top_look look, const char *format, ...)
{
	char text[512];
	va_list args;
	size_t i;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (i = 0; text[i]; i++)
		cells_put(frame, line, column++, text[i], look);
	return column;
}

/**
 * cells_print_whole - write text if all of it has room
 * @frame: frame
 * @line: line
 * @column: column where it begins
 * @look: meaning of all its letters
 * @format: as of printf(); 63 characters at most
 *
 * Part of a number would be another number.
 *
 * Return: the column after the text; @column if there is no room.
 */
unsigned int cells_print_whole(struct top_frame *frame, unsigned int line, unsigned int column,
			       enum top_look look, const char *format, ...)
{
	va_list args;
	char text[64];
	int length;

	va_start(args, format);
	length = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (column + length > frame->columns)
		return column;
	return cells_print(frame, line, column, look, "%s", text);
}

/**
 * cells_bar - write a bar
 * @frame: frame
 * @line: line
 * @column: column where it begins
 * @width: its length for all slots
 * @figures: its parts
 *
 * Each part of the bar ends where the sum of the ratios up to it ends. So the bar has the
 * right length, and no part is wrong by more than half a letter at each end.
 */
void cells_bar(struct top_frame *frame, unsigned int line, unsigned int column,
	       unsigned int width, const struct topdown_figures *figures)
{
	uint64_t sum = 0;
	unsigned int i, at = 0;

	for (i = 0; i < TOP_PARTS; i++) {
		uint32_t ratio = figures->ratio[top_parts[i].node];
		unsigned int end;

		if (ratio == TOPDOWN_RATIO_NONE)
			return;
		sum += ratio;
		end = (sum * width + TOPDOWN_RATIO_ONE / 2) / TOPDOWN_RATIO_ONE;
		for (; at < end && at < width; at++)
			cells_put(frame, line, column + at, top_parts[i].letter,
				  top_parts[i].look);
	}
}
