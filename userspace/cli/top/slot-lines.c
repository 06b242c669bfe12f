// SPDX-License-Identifier: GPL-2.0
/*
 * topdown top: the rows of slots as cells, those of CPUs and those of owners.
 */
#include "slot-lines.h"

#include <stdlib.h>
#include <string.h>

#include "task.h"
#include "top-owners.h"

/* Less of a name would not tell owners apart. */
#define NAME_LEAST	16

/* A remark after the columns, and a bar, need some room. */
#define ROOM_LEAST	8

/* Columns of a process's number. */
#define PID_WIDTH	7

/**
 * struct lines - how rows are written
 * @view: the selection of rows and columns
 * @list: the columns
 * @first: width of the first one, with its subject
 */
struct lines {
	const struct top_view *view;
	struct column_list list;
	unsigned int first;
};

/* Returns the screen column after the table's column, which ends with a mark. */
static unsigned int cell(struct top_frame *frame, unsigned int line, unsigned int at,
			 enum top_look look, const struct column *column, const char *text)
{
	cells_print_whole(frame, line, at, look, "%*s%s", column->look.width, text,
			  look == TOP_LOOK_MARK ? "*" : "");
	return at + column->look.width + 1;
}

static enum top_look look_of_heading(const struct lines *lines, unsigned int i)
{
	return lines->list.column[i] == lines->view->sort ? TOP_LOOK_SORTED : TOP_LOOK_TITLE;
}

static void owner_heading(struct top_frame *frame, const struct lines *lines)
{
	enum top_look look = look_of_heading(lines, 0);
	unsigned int at = 0;

	if (lines->view->by == OWNER_BY_PROCESS)
		at = cells_print(frame, TOP_LINE_NAMES, 0, TOP_LOOK_TITLE, "%*s ", PID_WIDTH,
				 "PID");
	cells_print(frame, TOP_LINE_NAMES, at, look, "%s",
		    lines->view->by == OWNER_BY_PROCESS ? "NAME" : "CGROUP");
}

static void headings(struct top_frame *frame, const struct lines *lines)
{
	unsigned int i = 0, at = 0;

	cells_title(frame, TOP_LINE_NAMES);
	if (top_view_owners(lines->view)) {
		owner_heading(frame, lines);
		i = 1;
		at = lines->first + 1;
	}
	for (; i < lines->list.nr; i++)
		at = cell(frame, TOP_LINE_NAMES, at, look_of_heading(lines, i),
			  lines->list.column[i], lines->list.column[i]->look.heading);
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

static unsigned int values(struct top_frame *frame, unsigned int line, unsigned int at,
			   const struct row *row, const struct column_list *list, unsigned int from)
{
	char text[32];
	unsigned int i;

	for (i = from; i < list->nr; i++) {
		column_text(text, sizeof(text), list->column[i], row, false);
		at = cell(frame, line, at, look_of(list->column[i], row), list->column[i], text);
	}
	return at;
}

/* A bar, or why no bottleneck is marked, where there is room for that. */
static void bar(struct top_frame *frame, unsigned int line, unsigned int at,
		const struct row *row)
{
	const char *doubt = row_doubt_text(row);

	if (doubt)
		cells_print_whole(frame, line, at, TOP_LOOK_WARN, "%s", doubt);
	else if (at + ROOM_LEAST < frame->columns)
		cells_bar(frame, line, at, frame->columns - at, &row->figures);
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
		     const struct lines *lines)
{
	unsigned int at = values(frame, line, 0, row, &lines->list, 0);

	if (!*remark(row)) {
		bar(frame, line, at, row);
		return;
	}
	/* Level 2 fills 80 columns, but a row with a remark has no values there to lose. */
	cells_print(frame, line, at + ROOM_LEAST < frame->columns ? at : lines->first + 1,
		    TOP_LOOK_WARN, "%s", remark(row));
}

/* A tree shows where a cgroup is; a list has no other place for that than the name. */
static bool has_path(const struct top_view *view, const struct row *row)
{
	return view->self && row->kind == ROW_CGROUP;
}

static unsigned int indent(const struct top_view *view, const struct row *row)
{
	unsigned int columns = 0;

	if (view->by == OWNER_BY_PROCESS)
		return PID_WIDTH + 1;
	for (; !view->self && top_parent(row); row = top_parent(row))
		columns += 2;
	return columns;
}

static const char *name_of(const struct top_view *view, const struct row *row)
{
	return has_path(view, row) ? row->owner->path : row->owner->name;
}

/* Paths begin alike, and names of a tree do not: each keeps what tells it from others. */
static void put_name(struct top_frame *frame, unsigned int line, const struct row *row,
		     const struct lines *lines)
{
	const char *name = name_of(lines->view, row);
	unsigned int at = indent(lines->view, row), room;
	size_t length = strlen(name);

	if (row->task->pid)
		cells_print(frame, line, 0, TOP_LOOK_PLAIN, "%*d", PID_WIDTH, row->task->pid);
	room = lines->first > at ? lines->first - at : 0;
	if (length <= room)
		cells_print(frame, line, at, TOP_LOOK_PLAIN, "%s", name);
	else if (room && has_path(lines->view, row))
		cells_print(frame, line, at, TOP_LOOK_PLAIN, "~%s", name + length - room + 1);
	else if (room)
		cells_print(frame, line, at, TOP_LOOK_PLAIN, "%.*s~", (int)room - 1, name);
}

static void owner_line(struct top_frame *frame, unsigned int line, const struct row *row,
		       const struct lines *lines)
{
	unsigned int at;

	put_name(frame, line, row, lines);
	at = values(frame, line, lines->first + 1, row, &lines->list, 1);
	if (row->state == TOPDOWN_SESSION_STATE_EXITED)
		cells_print_whole(frame, line, at, TOP_LOOK_WARN, "ended");
	else
		bar(frame, line, at, row);
}

static unsigned int width_of_values(const struct column_list *list)
{
	unsigned int i, width = 0;

	for (i = 1; i < list->nr; i++)
		width += list->column[i]->look.width + 1;
	return width;
}

/*
 * Names take the room that level 2 has on a screen of 80 columns. So leave out nodes that follow
 * from their parent and its other child.
 */
static void fit(struct lines *lines, unsigned int columns)
{
	static const unsigned int nodes[] = {
		TOPDOWN_LIGHT_OPERATIONS, TOPDOWN_FETCH_BANDWIDTH, TOPDOWN_MACHINE_CLEARS,
	};
	unsigned int i;

	for (i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++) {
		if (NAME_LEAST + width_of_values(&lines->list) <= columns)
			return;
		columns_drop_node(&lines->list, nodes[i]);
	}
}

/* A narrow screen has less room for names. */
static void fit_names(struct lines *lines, const struct row *const *rows, unsigned int nr,
		      unsigned int columns)
{
	unsigned int i, others, width, widest = NAME_LEAST;

	fit(lines, columns);
	others = width_of_values(&lines->list);
	for (i = 0; i < nr; i++) {
		width = indent(lines->view, rows[i]) + strlen(name_of(lines->view, rows[i]));
		widest = width > widest ? width : widest;
	}
	if (widest + others > columns)
		widest = columns > others + NAME_LEAST ? columns - others : NAME_LEAST;
	lines->first = widest;
}

/**
 * top_slot_lines - write headings and rows
 * @frame: frame
 * @view: the selection of rows and columns
 * @rows: rows, filtered and sorted
 * @nr: number of @rows
 * @nodes: nodes that have ratios, bit n for node n
 */
void top_slot_lines(struct top_frame *frame, const struct top_view *view,
		    const struct row *const *rows, unsigned int nr, uint32_t nodes)
{
	unsigned int page = top_frame_page(frame), line, i;
	struct lines lines = { .view = view };
	bool owners = top_view_owners(view);

	top_view_columns(view, nodes, &lines.list);
	lines.first = abs(lines.list.column[0]->look.width);
	if (owners)
		fit_names(&lines, rows, nr, frame->columns);
	headings(frame, &lines);
	for (i = view->first; i < nr && i - view->first < page; i++) {
		line = TOP_LINES_HEAD + i - view->first;
		if (owners)
			owner_line(frame, line, rows[i], &lines);
		else
			cpu_line(frame, line, rows[i], &lines);
	}
}
