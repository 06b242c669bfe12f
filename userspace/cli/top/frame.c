// SPDX-License-Identifier: GPL-2.0
/*
 * topdown top: one screen as cells, so that tests need no terminal.
 *
 * The screen has five lines of head, the rows, and one line of foot. Text beyond the edge
 * is cut off. Bars are letters, so that they can be read without colours.
 */
#include "frame.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "latency-figures.h"
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
	"  l             level 1 with bars, or level 2; of latencies the sum, or each CPU",
	"  L             sample latencies and show them, or slots",
	"  s, S          sort by the next, the previous column; c by CPU number",
	"  r             sort the other way round",
	"  f             show only the CPUs of a list such as 0-3,8; empty: all",
	"  m             show only CPUs with at least N slots per second; empty: all",
	"  i             hide idle CPUs, or events without samples; or show them",
	"  space         freeze, or go on",
	"  arrows, j, k  scroll by a row; Page Up, Page Down by a screen",
	"  Home, End     first, last row; also g, G",
	"  h             show this help",
	"  q             quit",
	"",
};

static const char * const help_slots[] = {
	"R retiring: work that was of use. S bad speculation: work thrown away.",
	"F frontend bound: nothing was delivered. B backend bound: there was no room.",
	"",
	"* is the bottleneck. A row without values is idle, or says why.",
	"RUN is the share of the time in which the CPU was measured.",
};

static const char * const help_latencies[] = {
	"A row is the interval up to the last turn of its event, so rows differ in length.",
	"RUN is the share of it in which the event had the sampling counter.",
	"aside: perf users have that counter. lost: of the events that were due for a",
	"sample, those without one. ~ stands for the beginning of a name.",
	"Rows are in the order of events, so s, S, c, r and m have no meaning.",
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

/* The event that lost most. */
static unsigned int status_lost(struct top_frame *frame, const struct top_screen *screen,
				unsigned int column)
{
	double most = 0;
	unsigned int i;

	for (i = 0; i < screen->nr_rows; i++)
		most = fmax(most, known_lost(&screen->latency->row[i]));
	if (most <= 0)
		return column;
	return print(frame, 3, column, TOP_LOOK_WARN, "; up to %.1f%% lost", 100 * most);
}

static void status(struct top_frame *frame, const struct top_screen *screen)
{
	const struct top_view *view = screen->view;
	unsigned int page = top_frame_page(frame), column, last, i;
	char *list = view->filtered ? cpulist_text(&view->cpus) : NULL;
	char rate[16];

	last = view->first + page < screen->nr_rows ? view->first + page : screen->nr_rows;
	if (screen->latency)
		column = print(frame, 3, 0, TOP_LOOK_PLAIN, "latencies in cycles");
	else
		column = print(frame, 3, 0, TOP_LOOK_PLAIN, "sorted by %s%s",
			       view->sort->look.sort, view->reverse ? ", reversed" : "");
	column = print(frame, 3, column, TOP_LOOK_PLAIN, "; rows %u-%u of %u",
		       last ? view->first + 1 : 0, last, screen->nr_rows);
	if (screen->latency && screen->latency->away)
		column = print(frame, 3, column, TOP_LOOK_WARN, "; %u aside",
			       screen->latency->away);
	if (screen->latency)
		column = status_lost(frame, screen, column);
	if (view->min_rate && !screen->latency) {
		rate_text(rate, sizeof(rate), view->min_rate);
		column = print(frame, 3, column, TOP_LOOK_WARN, "; from %s slots/s", rate);
	}
	if (view->hide_idle)
		column = print(frame, 3, column, TOP_LOOK_WARN, screen->latency ?
			       "; with samples" : "; no idle");
	if (view->filtered)
		column = print(frame, 3, column, TOP_LOOK_WARN, "; CPUs %s", list ? list : "?");
	for (i = 0; i < ROW_FLAGS && !screen->latency; i++) {
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

/* Why no bottleneck is marked, where there is room for that. */
static void doubt(struct top_frame *frame, unsigned int line, unsigned int at,
		  const struct row *row)
{
	const char *text = row_doubt_text(row);

	if (text)
		print_whole(frame, line, at, TOP_LOOK_WARN, "%s", text);
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
	if (row_doubt(row) != ROW_JUDGED)
		doubt(frame, line, at, row);
	else if (at + 8 < frame->columns)
		bar(frame, line, at, frame->columns - at, &row->figures);
}

/* The latencies of an event: the columns after its name. */
static const struct {
	const char *heading;
	enum known_figure figure;
	unsigned int width;
	unsigned int digits;
} latency_columns[] = {
	{ "mean", KNOWN_MEAN, 8, 1 },
	{ "p50", KNOWN_P50, 8, 1 },
	{ "p90", KNOWN_P90, 8, 1 },
	{ "p99", KNOWN_P99, 8, 1 },
	{ "max", KNOWN_MAX, 6, 0 },
};

#define LATENCY_COLUMNS	(sizeof(latency_columns) / sizeof(latency_columns[0]))

/* Columns of a CPU's number, of samples, and of the share of the time. */
#define CPU_WIDTH	5
#define SAMPLES_WIDTH	8
#define RUN_WIDTH	6

/* Less of a name would not tell events apart. */
#define EVENT_LEAST	16

/* A narrow screen has less room for names. */
static unsigned int event_width(const struct top_frame *frame, const struct top_screen *screen)
{
	unsigned int others = SAMPLES_WIDTH + RUN_WIDTH, widest = EVENT_LEAST, i;
	size_t length;

	others += screen->view->each ? CPU_WIDTH : 0;
	for (i = 0; i < LATENCY_COLUMNS; i++)
		others += latency_columns[i].width;
	for (i = 0; i < screen->nr_rows; i++) {
		length = strlen(topdown_latency_event_name(screen->latency->row[i].event));
		if (length > widest)
			widest = length;
	}
	if (widest + others <= frame->columns)
		return widest;
	return frame->columns > others + EVENT_LEAST ? frame->columns - others : EVENT_LEAST;
}

/* Names of a family begin alike, so a name that is too long loses its beginning. */
static void event_text(struct top_frame *frame, unsigned int line, unsigned int width,
		       const char *name)
{
	size_t length = strlen(name);

	if (length <= width)
		print(frame, line, 0, TOP_LOOK_PLAIN, "%s", name);
	else
		print(frame, line, 0, TOP_LOOK_PLAIN, "~%s", name + length - width + 1);
}

static void latency_headings(struct top_frame *frame, const struct top_screen *screen,
			     unsigned int width)
{
	unsigned int i, at = width;

	for (i = 0; i < frame->columns; i++)
		put(frame, 4, i, ' ', TOP_LOOK_TITLE);
	print(frame, 4, 0, TOP_LOOK_TITLE, "EVENT");
	if (screen->view->each)
		at = print_whole(frame, 4, at, TOP_LOOK_TITLE, "%*s", CPU_WIDTH, "CPU");
	at = print_whole(frame, 4, at, TOP_LOOK_TITLE, "%*s", SAMPLES_WIDTH, "samples");
	for (i = 0; i < LATENCY_COLUMNS; i++)
		at = print_whole(frame, 4, at, TOP_LOOK_TITLE, "%*s",
				 latency_columns[i].width, latency_columns[i].heading);
	print_whole(frame, 4, at, TOP_LOOK_TITLE, "%*s", RUN_WIDTH, "RUN");
}

static unsigned int latency_value(struct top_frame *frame, unsigned int line, unsigned int at,
				  unsigned int width, unsigned int digits, double value)
{
	if (isnan(value))
		return print_whole(frame, line, at, TOP_LOOK_PLAIN, "%*s", width, "-");
	return print_whole(frame, line, at, TOP_LOOK_PLAIN, "%*.*f", width, digits, value);
}

static void latency_line(struct top_frame *frame, unsigned int line, unsigned int width,
			 const struct topdown_latency_record *row, bool each)
{
	unsigned int i, at = width;

	event_text(frame, line, width, topdown_latency_event_name(row->event));
	if (each)
		at = print_whole(frame, line, at, TOP_LOOK_PLAIN, "%*u", CPU_WIDTH, row->cpu);
	at = latency_value(frame, line, at, SAMPLES_WIDTH, 0, row->samples);
	for (i = 0; i < LATENCY_COLUMNS; i++)
		at = latency_value(frame, line, at, latency_columns[i].width,
				   latency_columns[i].digits,
				   known_sampled(row, latency_columns[i].figure));
	at = latency_value(frame, line, at, RUN_WIDTH, 1, row->elapsed_ns ?
			   row->running_ns * 100.0 / row->elapsed_ns : (double)NAN);
	if (row->flags & TOPDOWN_LATENCY_AWAY)
		at = print_whole(frame, line, at, TOP_LOOK_WARN, " aside");
	if (row->lost)
		print_whole(frame, line, at, TOP_LOOK_WARN, " lost %.1f%%", 100 * known_lost(row));
}

static void latency_lines(struct top_frame *frame, const struct top_screen *screen)
{
	unsigned int first = screen->view->first, page = top_frame_page(frame), i;
	unsigned int width = event_width(frame, screen);

	latency_headings(frame, screen, width);
	for (i = 0; i < page && first + i < screen->nr_rows; i++)
		latency_line(frame, TOP_LINES_HEAD + i, width,
			     &screen->latency->row[first + i], screen->view->each);
}

static void slot_lines(struct top_frame *frame, const struct top_screen *screen)
{
	unsigned int first = screen->view->first, page = top_frame_page(frame), i;
	struct column_list list;

	columns_select(&list, TABLE_TOP, screen->view->level, screen->data->nodes);
	headings(frame, screen->view, &list);
	for (i = 0; i < page && first + i < screen->nr_rows; i++)
		cpu_line(frame, TOP_LINES_HEAD + i, &screen->rows[first + i]->row, &list);
}

/* A reason may be longer than a line, and its end says what to do. */
static void message(struct top_frame *frame, const char *text)
{
	unsigned int lines = (strlen(text) + frame->columns - 1) / frame->columns, i, at;

	for (i = 0; i < lines && i < frame->lines; i++) {
		for (at = 0; at < frame->columns; at++)
			put(frame, frame->lines - lines + i, at, ' ', TOP_LOOK_PLAIN);
		print(frame, frame->lines - lines + i, 0, TOP_LOOK_WARN, "%.*s",
		      (int)frame->columns, text + (size_t)i * frame->columns);
	}
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
		message(frame, view->message);
	else if (view->latencies)
		print(frame, line, 0, TOP_LOOK_PLAIN,
		      "q quit  h help  L slots  l each CPU  f CPUs  i with samples  space freeze");
	else
		print(frame, line, 0, TOP_LOOK_PLAIN,
		      "q quit  h help  l level  L latency  s sort  f CPUs  m min  i idle  space freeze");
}

/**
 * top_frame_build - write the cells
 * @frame: frame
 * @screen: the contents
 */
void top_frame_build(struct top_frame *frame, const struct top_screen *screen)
{
	clear(frame);
	if (frame->lines < LINES_LEAST || frame->columns < COLUMNS_LEAST) {
		print(frame, 0, 0, TOP_LOOK_WARN, "too small: %u x %u", frame->columns,
		      frame->lines);
		return;
	}
	title(frame, screen);
	machine(frame, screen);
	status(frame, screen);
	if (screen->latency)
		latency_lines(frame, screen);
	else
		slot_lines(frame, screen);
	foot(frame, screen->view);
}

static unsigned int help_part(struct top_frame *frame, unsigned int line,
			      const char *const *text, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++, line++)
		print(frame, line, 0, line ? TOP_LOOK_PLAIN : TOP_LOOK_MARK, "%s", text[i]);
	return line;
}

/**
 * top_frame_help - write the help
 * @frame: frame
 * @latencies: explain latencies, and not slots
 */
void top_frame_help(struct top_frame *frame, bool latencies)
{
	unsigned int line;

	clear(frame);
	line = help_part(frame, 0, help, sizeof(help) / sizeof(help[0]));
	if (latencies)
		line = help_part(frame, line, help_latencies,
				 sizeof(help_latencies) / sizeof(help_latencies[0]));
	else
		line = help_part(frame, line, help_slots,
				 sizeof(help_slots) / sizeof(help_slots[0]));
	print(frame, line + 1, 0, TOP_LOOK_PLAIN, "Any key goes back.");
}
