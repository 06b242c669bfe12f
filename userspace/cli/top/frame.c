// SPDX-License-Identifier: GPL-2.0
/*
 * topdown top: one screen as cells, so that tests need no terminal.
 *
 * The screen has five lines of head, the rows, and one line of foot.
 */
#include "frame.h"

#include <stdlib.h>
#include <string.h>

#include "latency-lines.h"
#include "slot-lines.h"
#include "text.h"

/* A smaller screen has no room for a row. */
#define LINES_LEAST	8
#define COLUMNS_LEAST	40

static const char * const help[] = {
	"topdown top: where the pipeline slots of each CPU, process and cgroup go",
	"",
	"  v, V          show CPUs, processes, cgroups: the next, the previous of these",
	"  l             level 1 with bars, or level 2; of latencies the sum, or each CPU",
	"  L             sample latencies and show them, or slots",
	"  s, S          sort by the next, the previous column; c by CPU number, or name",
	"  r             sort the other way round",
	"  f             show only CPUs such as 0-3,8, or names that have a text; empty: all",
	"  m             show only rows with at least N slots per second; empty: all",
	"  i             hide idle CPUs, idle time, events without samples; or show them",
	"  t             cgroups as a tree with sums, or each by itself",
	"  space         freeze, or go on",
	"  arrows, j, k  scroll by a row; Page Up, Page Down by a screen",
	"  Home, End     first, last row; also g, G",
	"  h, q          show this help; quit",
	"",
};

static const char * const help_slots[] = {
	"R retiring: work that was of use. S bad speculation: work thrown away.",
	"F frontend bound: nothing was delivered. B backend bound: there was no room.",
	"",
	"* is the bottleneck. A row without values is idle, or says why.",
	"RUN is the share of the time in which the CPU was measured.",
};

static const char * const help_owners[] = {
	"A row is a process or cgroup that ran in the interval, idle time, or 'others', for",
	"which there was no room. * is the bottleneck. 100 CPU% are one CPU all the time.",
	"RUN is the share of its time on CPUs in which it was measured. Rows of a node's",
	"column are sorted by its slots. While they are shown, each switch to another",
	"process or cgroup reads the counters.",
};

static const char * const help_latencies[] = {
	"A row is the interval up to the last turn of its event, so rows differ in length.",
	"RUN is the share of it in which the event had the sampling counter.",
	"aside: others have that counter, or the event finds none. lost: of the events that",
	"were due for a sample, those without one. ~ stands for the beginning of a name.",
	"Rows are in the order of events, so s, S, c, r and m have no meaning.",
};

static void title(struct top_frame *frame, const struct top_screen *screen)
{
	char rate[16];

	cells_title(frame, 0);
	rate_text(rate, sizeof(rate), screen->rate);
	cells_print(frame, 0, 0, TOP_LOOK_TITLE,
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

	for (i = 0; i < TOP_PARTS; i++) {
		const struct column *part = column_of_node(top_parts[i].node);

		column_text(text, sizeof(text), part, total, false);
		cells_put(frame, 1, column, top_parts[i].letter, top_parts[i].look);
		column = cells_print(frame, 1, column + 1, TOP_LOOK_PLAIN, " %s %s  ",
				     part->look.wide_heading, text);
	}
	if (row_running(total, &running))
		cells_print(frame, 1, column, running < ROW_RUNNING_FULL && !row_turns(total) ?
			    TOP_LOOK_WARN : TOP_LOOK_PLAIN, "running %.1f", running * 100);
	else
		cells_print(frame, 1, column, TOP_LOOK_PLAIN, "running -");
	column = cells_print(frame, 2, 0, TOP_LOOK_PLAIN, " all ");
	if (frame->columns > column)
		cells_bar(frame, 2, column, frame->columns - column, &total->figures);
}

/* The subject of the rows, and their order. */
static unsigned int status_order(struct top_frame *frame, const struct top_view *view)
{
	unsigned int column = 0;

	if (view->latencies)
		return cells_print(frame, 3, 0, TOP_LOOK_PLAIN, "latencies in cycles");
	if (view->by != OWNER_BY_NONE)
		column = cells_print(frame, 3, 0, TOP_LOOK_PLAIN, "%s%s ",
				     owner_by_plural(view->by),
				     view->by == OWNER_BY_CGROUP && view->self ?
				     " by themselves" : "");
	return cells_print(frame, 3, column, TOP_LOOK_PLAIN, "sorted by %s%s",
			   view->sort->look.sort, view->reverse ? ", reversed" : "");
}

/* Why rows are missing. */
static unsigned int status_filter(struct top_frame *frame, const struct top_view *view,
				  unsigned int column)
{
	char *list = view->filtered ? cpulist_text(&view->cpus) : NULL;
	char rate[16];

	if (view->min_rate && !view->latencies) {
		rate_text(rate, sizeof(rate), view->min_rate);
		column = cells_print(frame, 3, column, TOP_LOOK_WARN, "; from %s slots/s", rate);
	}
	if (view->hide_idle)
		column = cells_print(frame, 3, column, TOP_LOOK_WARN, view->latencies ?
				     "; with samples" : "; no idle");
	if (top_view_owners(view) && *view->name)
		column = cells_print(frame, 3, column, TOP_LOOK_WARN, "; names with '%s'",
				     view->name);
	else if (!top_view_owners(view) && view->filtered)
		column = cells_print(frame, 3, column, TOP_LOOK_WARN, "; CPUs %s",
				     list ? list : "?");
	free(list);
	return column;
}

static void status(struct top_frame *frame, const struct top_screen *screen)
{
	const struct top_view *view = screen->view;
	unsigned int page = top_frame_page(frame), column, last, i;

	last = view->first + page < screen->nr_rows ? view->first + page : screen->nr_rows;
	column = status_order(frame, view);
	column = cells_print(frame, 3, column, TOP_LOOK_PLAIN, "; rows %u-%u of %u",
			     last ? view->first + 1 : 0, last, screen->nr_rows);
	if (screen->latency)
		column = top_latency_status(frame, 3, column, screen->latency, screen->nr_rows);
	column = status_filter(frame, view, column);
	for (i = 0; i < ROW_FLAGS && !screen->latency; i++) {
		if (screen->total.flags & row_flags[i].flag)
			column = cells_print(frame, 3, column, TOP_LOOK_PLAIN, "; %s",
					     row_flags[i].word);
	}
}

/* A reason may be longer than a line, and its end says what to do. */
static void message(struct top_frame *frame, const char *text)
{
	unsigned int lines = (strlen(text) + frame->columns - 1) / frame->columns, i, at;

	for (i = 0; i < lines && i < frame->lines; i++) {
		for (at = 0; at < frame->columns; at++)
			cells_put(frame, frame->lines - lines + i, at, ' ', TOP_LOOK_PLAIN);
		cells_print(frame, frame->lines - lines + i, 0, TOP_LOOK_WARN, "%.*s",
			    (int)frame->columns, text + (size_t)i * frame->columns);
	}
}

static const char *prompt(enum top_prompt of)
{
	switch (of) {
	case TOP_PROMPT_CPUS:
		return "CPUs (such as 0-3,8; empty: all)";
	case TOP_PROMPT_NAME:
		return "names that have this text (empty: all)";
	default:
		return "least slots per second (empty: all)";
	}
}

static const char *keys(const struct top_view *view)
{
	static const char * const by_kind[OWNER_BY_KINDS] = {
		[OWNER_BY_NONE] =
		"q quit  h help  v view  l level  L latency  s sort  f CPUs  m min  space freeze",
		[OWNER_BY_PROCESS] =
		"q quit  h help  v view  l level  s sort  f name  m min  i idle  space freeze",
		[OWNER_BY_CGROUP] =
		"q quit  h help  v view  l level  s sort  f name  t tree  i idle  space freeze",
	};

	if (view->latencies)
		return "q quit  h help  L slots  l each CPU  f CPUs  i with samples  space freeze";
	return by_kind[view->by];
}

static void foot(struct top_frame *frame, const struct top_view *view)
{
	unsigned int line = frame->lines - 1;

	if (view->prompt != TOP_PROMPT_NONE)
		cells_print(frame, line, 0, TOP_LOOK_MARK, "%s: %s_", prompt(view->prompt),
			    view->text);
	else if (*view->message)
		message(frame, view->message);
	else
		cells_print(frame, line, 0, TOP_LOOK_PLAIN, "%s", keys(view));
}

/**
 * top_frame_build - write the cells
 * @frame: frame
 * @screen: the contents
 */
void top_frame_build(struct top_frame *frame, const struct top_screen *screen)
{
	cells_clear(frame);
	if (frame->lines < LINES_LEAST || frame->columns < COLUMNS_LEAST) {
		cells_print(frame, 0, 0, TOP_LOOK_WARN, "too small: %u x %u", frame->columns,
			    frame->lines);
		return;
	}
	title(frame, screen);
	machine(frame, screen);
	status(frame, screen);
	if (screen->latency)
		top_latency_lines(frame, screen->latency, screen->nr_rows, screen->view);
	else
		top_slot_lines(frame, screen->view, screen->rows, screen->nr_rows,
			       screen->data->nodes);
	if (screen->waits)
		cells_print(frame, TOP_LINES_HEAD, 0, TOP_LOOK_WARN,
			    "the first interval has begun; its rows come when it ends");
	foot(frame, screen->view);
}

static unsigned int help_part(struct top_frame *frame, unsigned int line,
			      const char *const *text, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++, line++)
		cells_print(frame, line, 0, line ? TOP_LOOK_PLAIN : TOP_LOOK_MARK, "%s", text[i]);
	return line;
}

/**
 * top_frame_help - write the help
 * @frame: frame
 * @view: its rows are explained
 */
void top_frame_help(struct top_frame *frame, const struct top_view *view)
{
	unsigned int line;

	cells_clear(frame);
	line = help_part(frame, 0, help, sizeof(help) / sizeof(help[0]));
	if (view->latencies)
		line = help_part(frame, line, help_latencies,
				 sizeof(help_latencies) / sizeof(help_latencies[0]));
	else if (view->by != OWNER_BY_NONE)
		line = help_part(frame, line, help_owners,
				 sizeof(help_owners) / sizeof(help_owners[0]));
	else
		line = help_part(frame, line, help_slots,
				 sizeof(help_slots) / sizeof(help_slots[0]));
	cells_print(frame, line + 1, 0, TOP_LOOK_PLAIN, "Any key goes back.");
}
