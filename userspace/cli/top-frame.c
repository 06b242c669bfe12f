// SPDX-License-Identifier: GPL-2.0
/*
 * topdown top: one screen as cells, so that tests need no terminal.
 *
 * The screen has five lines of head, the rows, and one line of foot. Text beyond the edge
 * is cut off. Bars are letters, so that they can be read without colours.
 */
#include "top-frame.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

/* A smaller screen has no room for a row. */
#define LINES_LEAST	8
#define COLUMNS_LEAST	40

static const struct {
	unsigned int node;
	char letter;
	unsigned char look;
} parts[] = {
	{ TOPDOWN_RETIRING, 'R', TOP_LOOK_RETIRING },
	{ TOPDOWN_BAD_SPECULATION, 'S', TOP_LOOK_BAD_SPECULATION },
	{ TOPDOWN_FRONTEND_BOUND, 'F', TOP_LOOK_FRONTEND_BOUND },
	{ TOPDOWN_BACKEND_BOUND, 'B', TOP_LOOK_BACKEND_BOUND },
};

#define NR_PARTS	(sizeof(parts) / sizeof(parts[0]))

static const char * const help[] = {
	"topdown top: where the pipeline slots of each CPU go",
	"",
	"  l             level 1 with bars, or level 2",
	"  s, S          sort by the next, the previous column; c by CPU number",
	"  r             sort the other way round",
	"  f             show only the CPUs of a list such as 0-3,8; empty: all",
	"  m             show only CPUs with at least N slots per second; empty: all",
	"  i             hide idle CPUs, or show them",
	"  space         freeze, or go on",
	"  arrows, j, k  scroll by a row; Page Up, Page Down by a screen",
	"  Home, End     first, last row; also g, G",
	"  h             show this help",
	"  q             quit",
	"",
	"R retiring: work that was of use. S bad speculation: work thrown away.",
	"F frontend bound: nothing was delivered. B backend bound: there was no room.",
	"",
	"* is the bottleneck. A row without values is idle, or says why.",
	"RUN is the share of the time in which the CPU was measured.",
	"",
	"Any key goes back.",
};

/**
 * top_frame_resize - make room
 * @frame: zeroed before the first time
 * @lines: height
 * @columns: width
 *
 * Return: 0 or -ENOMEM; after an error the frame is unchanged.
 */
int top_frame_resize(struct top_frame *frame, unsigned int lines, unsigned int columns_new)
{
	struct top_cell *cell;

	cell = calloc((size_t)lines * columns_new + 1, sizeof(*cell));
	if (!cell)
		return -ENOMEM;
	free(frame->cell);
	frame->cell = cell;
	frame->lines = lines;
	frame->columns = columns_new;
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
 */
unsigned int top_frame_page(const struct top_frame *frame)
{
	const unsigned int others = TOP_LINES_HEAD + TOP_LINES_FOOT;

	return frame->lines > others ? frame->lines - others : 0;
}

static void clear(struct top_frame *frame)
{
	size_t i;

	for (i = 0; i < (size_t)frame->lines * frame->columns; i++) {
		frame->cell[i].letter = ' ';
		frame->cell[i].look = TOP_LOOK_PLAIN;
	}
}

static void put(struct top_frame *frame, unsigned int line, unsigned int column, char letter,
		enum top_look look)
{
	struct top_cell *cell;

	if (line >= frame->lines || column >= frame->columns)
		return;
	cell = &frame->cell[(size_t)line * frame->columns + column];
	cell->letter = letter >= ' ' && letter <= '~' ? letter : '?';
	cell->look = look;
}

/* Returns the column after the text. */
__attribute__((format(printf, 5, 6)))
static unsigned int print(struct top_frame *frame, unsigned int line, unsigned int column,
			  enum top_look look, const char *format, ...)
{
	char text[512];
	va_list args;
	size_t i;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (i = 0; text[i]; i++)
		put(frame, line, column++, text[i], look);
	return column;
}

/* Part of a number would be another number, so leave it out. */
__attribute__((format(printf, 5, 6)))
static unsigned int print_whole(struct top_frame *frame, unsigned int line,
				unsigned int column, enum top_look look,
				const char *format, ...)
{
	va_list args;
	char text[64];
	int length;

	va_start(args, format);
	length = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (column + length > frame->columns)
		return column;
	return print(frame, line, column, look, "%s", text);
}

/*
 * Each part of the bar ends where the sum of the ratios up to it ends. So the bar has the
 * right length, and no part is wrong by more than half a letter at each end.
 */
static void bar(struct top_frame *frame, unsigned int line, unsigned int column,
		unsigned int width, const struct topdown_figures *figures)
{
	uint64_t sum = 0;
	unsigned int i, at = 0;

	for (i = 0; i < NR_PARTS; i++) {
		uint32_t ratio = figures->ratio[parts[i].node];
		unsigned int end;

		if (ratio == TOPDOWN_RATIO_NONE)
			return;
		sum += ratio;
		end = (sum * width + TOPDOWN_RATIO_ONE / 2) / TOPDOWN_RATIO_ONE;
		for (; at < end && at < width; at++)
			put(frame, line, column + at, parts[i].letter, parts[i].look);
	}
}

static void title(struct top_frame *frame, const struct top_screen *screen)
{
	unsigned int i;
	char rate[16];

	for (i = 0; i < frame->columns; i++)
		put(frame, 0, i, ' ', TOP_LOOK_TITLE);
	rate_text(rate, sizeof(rate), screen->total.rate);
	print(frame, 0, 0, TOP_LOOK_TITLE,
	      "topdown top  %s%s  %u CPU%s  %s slots/s  period %u ms  every %u ms",
	      screen->clock, screen->view->frozen ? " FROZEN" : "", screen->total.nr_cpus,
	      screen->total.nr_cpus == 1 ? "" : "s", rate, screen->period_ms,
	      screen->delay_ms);
}

static void machine(struct top_frame *frame, const struct top_screen *screen)
{
	const struct row *total = &screen->total;
	unsigned int i, column = 0;
	double running = 0;
	char text[16];

	for (i = 0; i < NR_PARTS; i++) {
		const struct column *part = column_of_node(parts[i].node);

		column_text(text, sizeof(text), part, total, false);
		put(frame, 1, column, parts[i].letter, parts[i].look);
		column = print(frame, 1, column + 1, TOP_LOOK_PLAIN, " %s %s  ",
			       part->look.wide_heading, text);
	}
	if (row_running(total, &running))
		print(frame, 1, column, running < ROW_RUNNING_FULL && !row_turns(total) ?
		      TOP_LOOK_WARN : TOP_LOOK_PLAIN, "running %.1f", running * 100);
	else
		print(frame, 1, column, TOP_LOOK_PLAIN, "running -");
	column = print(frame, 2, 0, TOP_LOOK_PLAIN, " all ");
	if (frame->columns > column)
		bar(frame, 2, column, frame->columns - column, &total->figures);
}

static void status(struct top_frame *frame, const struct top_screen *screen)
{
	const struct top_view *view = screen->view;
	unsigned int page = top_frame_page(frame), column, last, i;
	char *list = view->filtered ? cpulist_text(&view->cpus) : NULL;
	char rate[16];

	last = view->first + page < screen->nr_rows ? view->first + page : screen->nr_rows;
	column = print(frame, 3, 0, TOP_LOOK_PLAIN, "sorted by %s%s", view->sort->look.sort,
		       view->reverse ? ", reversed" : "");
	column = print(frame, 3, column, TOP_LOOK_PLAIN, "; rows %u-%u of %u",
		       last ? view->first + 1 : 0, last, screen->nr_rows);
	if (view->min_rate) {
		rate_text(rate, sizeof(rate), view->min_rate);
		column = print(frame, 3, column, TOP_LOOK_WARN, "; from %s slots/s", rate);
	}
	if (view->hide_idle)
		column = print(frame, 3, column, TOP_LOOK_WARN, "; no idle");
	if (view->filtered)
		column = print(frame, 3, column, TOP_LOOK_WARN, "; CPUs %s", list ? list : "?");
	for (i = 0; i < ROW_FLAGS; i++) {
		if (screen->total.flags & row_flags[i].flag)
			column = print(frame, 3, column, TOP_LOOK_PLAIN, "; %s",
				       row_flags[i].word);
	}
	free(list);
}

/* Returns the screen column after the table's column, which ends with a mark. */
static unsigned int cell(struct top_frame *frame, unsigned int line, unsigned int at,
			 enum top_look look, const struct column *column, const char *text)
{
	print_whole(frame, line, at, look, "%*s%s", column->look.width, text,
		    look == TOP_LOOK_MARK ? "*" : "");
	return at + column->look.width + 1;
}

static void headings(struct top_frame *frame, const struct top_view *view,
		     const struct column_list *list)
{
	unsigned int i, at = 0;

	for (i = 0; i < frame->columns; i++)
		put(frame, 4, i, ' ', TOP_LOOK_TITLE);
	for (i = 0; i < list->nr; i++)
		at = cell(frame, 4, at, list->column[i] == view->sort ? TOP_LOOK_SORTED :
			  TOP_LOOK_TITLE, list->column[i], list->column[i]->look.heading);
}

/* The look of a value of a row. */
static enum top_look look_of(const struct column *column, const struct row *row)
{
	double running = 0;

	if (column_is_node(column))
		return row_marked(row, column->of) ? TOP_LOOK_MARK : TOP_LOOK_PLAIN;
	row_running(row, &running);
	return column->look.unit == UNIT_SHARE && running < ROW_RUNNING_FULL &&
	       !row_turns(row) ? TOP_LOOK_WARN : TOP_LOOK_PLAIN;
}

/* Why a row has no values; an empty text if that needs no remark. */
static const char *remark(const struct row *row)
{
	if (row->state != TOPDOWN_STATE_OK && row->state != TOPDOWN_STATE_CONTENDED &&
	    (row->state != TOPDOWN_STATE_ASIDE || !row->figures.slots))
		return topdown_state_name(row->state);
	return row->figures.slots ? "" : "idle";
}

static void cpu_line(struct top_frame *frame, unsigned int line, const struct row *row,
		     const struct column_list *list)
{
	unsigned int i, at = 0, first = list->column[0]->look.width + 1;
	char text[32];

	for (i = 0; i < list->nr; i++) {
		column_text(text, sizeof(text), list->column[i], row, false);
		at = cell(frame, line, at, look_of(list->column[i], row), list->column[i], text);
	}
	if (*remark(row)) {
		/* Level 2 fills 80 columns, but a row with a remark has no values there to lose. */
		print(frame, line, at + 8 < frame->columns ? at : first, TOP_LOOK_WARN, "%s",
		      remark(row));
		return;
	}
	if (at + 8 < frame->columns)
		bar(frame, line, at, frame->columns - at, &row->figures);
}

static void foot(struct top_frame *frame, const struct top_view *view)
{
	unsigned int line = frame->lines - 1;

	if (view->prompt == TOP_PROMPT_CPUS)
		print(frame, line, 0, TOP_LOOK_MARK, "CPUs (such as 0-3,8; empty: all): %s_",
		      view->text);
	else if (view->prompt == TOP_PROMPT_SLOTS)
		print(frame, line, 0, TOP_LOOK_MARK, "least slots per second (empty: all): %s_",
		      view->text);
	else if (*view->message)
		print(frame, line, 0, TOP_LOOK_WARN, "%s", view->message);
	else
		print(frame, line, 0, TOP_LOOK_PLAIN,
		      "q quit  h help  l level  s sort  r reverse  f CPUs  m min  i idle  space freeze");
}

/**
 * top_frame_build - write the cells
 * @frame: frame
 * @screen: the contents
 */
void top_frame_build(struct top_frame *frame, const struct top_screen *screen)
{
	const struct top_view *view = screen->view;
	unsigned int i, page = top_frame_page(frame);
	struct column_list list;

	clear(frame);
	if (frame->lines < LINES_LEAST || frame->columns < COLUMNS_LEAST) {
		print(frame, 0, 0, TOP_LOOK_WARN, "too small: %u x %u", frame->columns,
		      frame->lines);
		return;
	}
	title(frame, screen);
	machine(frame, screen);
	status(frame, screen);
	columns_select(&list, TABLE_TOP, view->level, screen->data->nodes);
	headings(frame, view, &list);
	for (i = 0; i < page && view->first + i < screen->nr_rows; i++)
		cpu_line(frame, TOP_LINES_HEAD + i, &screen->rows[view->first + i]->row, &list);
	foot(frame, view);
}

/**
 * top_frame_help - write the help
 * @frame: frame
 */
void top_frame_help(struct top_frame *frame)
{
	unsigned int i;

	clear(frame);
	for (i = 0; i < sizeof(help) / sizeof(help[0]); i++)
		print(frame, i, 0, i ? TOP_LOOK_PLAIN : TOP_LOOK_MARK, "%s", help[i]);
}
