// SPDX-License-Identifier: GPL-2.0
/*
 * topdown top: the selection of rows and columns, and the keys for it.
 */
#include "view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "parse.h"

/* A CPU has some 1e10 slots a second, so nobody needs a larger limit. */
#define RATE_MAX	1000000000000000ULL

/**
 * top_view_sort_cpu - sort by CPU numbers
 * @view: view
 */
void top_view_sort_cpu(struct top_view *view)
{
	struct column_list list;

	columns_select(&list, TABLE_TOP, view->level, 0);
	view->sort = list.column[0];
}

/**
 * top_view_has - is a CPU one of those that are selected?
 * @view: view
 * @cpu: its number
 */
bool top_view_has(const struct top_view *view, unsigned int cpu)
{
	return !view->filtered || cpulist_has(&view->cpus, cpu);
}

static bool is_shown(const struct top_view *view, const struct top_cpu *cpu)
{
	if (!cpu->there || !top_view_has(view, cpu->row.cpu))
		return false;
	if (view->hide_idle && !cpu->row.figures.slots)
		return false;
	return !view->min_rate || cpu->row.rate >= view->min_rate;
}

static int by_value(double a, double b)
{
	return (a < b) - (a > b);
}

/* Sort the largest first. CPUs without a value come last in either order. */
static int by_column(const struct row *a, const struct row *b, const struct column *column,
		     bool reverse)
{
	struct column_value x, y;

	column_value(column, NULL, a, &x);
	column_value(column, NULL, b, &y);
	if (x.none || y.none)
		return x.none - y.none;
	return reverse ? by_value(y.number, x.number) : by_value(x.number, y.number);
}

/* CPU numbers decide between equal rows. */
static int compare(const void *a, const void *b, void *arg)
{
	const struct row *x = &(*(const struct top_cpu * const *)a)->row;
	const struct row *y = &(*(const struct top_cpu * const *)b)->row;
	const struct top_view *view = arg;
	int cpu = (x->cpu > y->cpu) - (x->cpu < y->cpu);
	int order;

	if (view->sort->look.place == COLUMN_FIRST)
		return view->reverse ? -cpu : cpu;
	order = by_column(x, y, view->sort, view->reverse);
	return order ? order : cpu;
}

/**
 * top_view_rows - filter and sort
 * @view: view
 * @data: the CPUs
 * @rows: room for all CPUs
 *
 * Return: number of @rows.
 */
unsigned int top_view_rows(const struct top_view *view, const struct top_data *data,
			   const struct top_cpu **rows)
{
	unsigned int i, nr = 0;

	for (i = 0; i < data->nr; i++) {
		if (is_shown(view, &data->cpu[i]))
			rows[nr++] = &data->cpu[i];
	}
	qsort_r(rows, nr, sizeof(void *), compare, (void *)view);
	return nr;
}

/**
 * top_view_clamp - scroll back to where there are rows
 * @view: view
 * @nr_rows: number of rows
 * @page: number of rows that fit on the screen
 */
void top_view_clamp(struct top_view *view, unsigned int nr_rows, unsigned int page)
{
	unsigned int last = nr_rows > page ? nr_rows - page : 0;

	if (view->first > last)
		view->first = last;
}

/* The order is CPU, slots, and then the nodes on the screen. */
static void next_sort(struct top_view *view, int step, uint32_t nodes)
{
	const struct column *keys[COLUMNS_MAX] = { view->sort };
	struct column_list list;
	int nr = 0, at = 0, pass;
	unsigned int i;

	columns_select(&list, TABLE_TOP, view->level, nodes);
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < list.nr; i++) {
			if (!list.column[i]->look.sort || column_is_node(list.column[i]) != pass)
				continue;
			if (list.column[i] == view->sort)
				at = nr;
			keys[nr++] = list.column[i];
		}
	}
	if (nr)
		view->sort = keys[(at + step + nr) % nr];
	view->first = 0;
}

static void next_level(struct top_view *view, const struct top_data *data)
{
	if (view->level == 1 && data->level < 2) {
		snprintf(view->message, sizeof(view->message), "this machine has no level 2");
		return;
	}
	view->level = view->level == 1 ? 2 : 1;
	/* Do not sort by a column that is not on the screen. */
	if (view->level == 1 && column_is_node(view->sort) &&
	    topdown_node_level(view->sort->of) > 1)
		view->sort = column_of_node(topdown_node_parent(view->sort->of));
}

static void scroll(struct top_view *view, int by, unsigned int nr_rows, unsigned int page)
{
	if (by < 0 && view->first < (unsigned int)-by)
		view->first = 0;
	else
		view->first += by;
	top_view_clamp(view, nr_rows, page);
}

static bool move_key(struct top_view *view, int key, unsigned int nr_rows, unsigned int page)
{
	int by = page > 1 ? page - 1 : 1;

	switch (key) {
	case TOP_KEY_UP:
	case 'k':
		scroll(view, -1, nr_rows, page);
		return true;
	case TOP_KEY_DOWN:
	case 'j':
		scroll(view, 1, nr_rows, page);
		return true;
	case TOP_KEY_PAGE_UP:
		scroll(view, -by, nr_rows, page);
		return true;
	case TOP_KEY_PAGE_DOWN:
		scroll(view, by, nr_rows, page);
		return true;
	case TOP_KEY_HOME:
	case 'g':
		view->first = 0;
		return true;
	case TOP_KEY_END:
	case 'G':
		view->first = nr_rows;
		top_view_clamp(view, nr_rows, page);
		return true;
	}
	return false;
}

static void begin_prompt(struct top_view *view, enum top_prompt prompt)
{
	view->prompt = prompt;
	view->text[0] = '\0';
}

static void filter_cpus(struct top_view *view, const struct top_data *data)
{
	struct cpulist list;
	unsigned int cpu;

	if (!*view->text) {
		view->filtered = false;
		return;
	}
	message_hold(view->message, sizeof(view->message));
	if (!cpulist_parse(&list, "CPUs", view->text)) {
		message_hold(NULL, 0);
		return;
	}
	message_hold(NULL, 0);
	for (cpu = 0; cpu < CPULIST_MAX; cpu++) {
		if (!cpulist_has(&list, cpu) || (cpu < data->nr && data->cpu[cpu].there))
			continue;
		snprintf(view->message, sizeof(view->message),
			 "CPUs: CPU %u is not in this machine", cpu);
		return;
	}
	view->cpus = list;
	view->filtered = true;
	view->first = 0;
}

static void filter_slots(struct top_view *view)
{
	uint64_t rate = 0;

	message_hold(view->message, sizeof(view->message));
	if (!*view->text || parse_number("slots", view->text, 0, RATE_MAX, "per second", &rate)) {
		view->min_rate = rate;
		view->first = 0;
	}
	message_hold(NULL, 0);
}

static void prompt_key(struct top_view *view, const struct top_data *data, int key)
{
	size_t length = strlen(view->text);

	switch (key) {
	case TOP_KEY_ENTER:
	case '\r':
		if (view->prompt == TOP_PROMPT_CPUS)
			filter_cpus(view, data);
		else
			filter_slots(view);
		view->prompt = TOP_PROMPT_NONE;
		return;
	case TOP_KEY_ESCAPE:
		view->prompt = TOP_PROMPT_NONE;
		return;
	case TOP_KEY_BACKSPACE:
	case '\b':
	case 127:
		if (length)
			view->text[length - 1] = '\0';
		return;
	}
	if (key < ' ' || key > '~' || length + 1 >= sizeof(view->text))
		return;
	view->text[length] = key;
	view->text[length + 1] = '\0';
}

static void sort_key(struct top_view *view, const struct top_data *data, int key)
{
	if (view->latencies) {
		if (key && strchr("sScrm", key))
			snprintf(view->message, sizeof(view->message),
				 "latencies are in the order of their events: s, S, c, r and m are for slots");
		return;
	}
	switch (key) {
	case 's':
		next_sort(view, 1, data->nodes);
		break;
	case 'S':
		next_sort(view, -1, data->nodes);
		break;
	case 'c':
		top_view_sort_cpu(view);
		view->reverse = false;
		break;
	case 'r':
		view->reverse = !view->reverse;
		break;
	case 'm':
		begin_prompt(view, TOP_PROMPT_SLOTS);
		break;
	}
}

static void letter_key(struct top_view *view, const struct top_data *data, int key)
{
	switch (key) {
	case 'q':
		view->quit = true;
		break;
	case 'h':
	case '?':
		view->help = true;
		break;
	case 'l':
		if (view->latencies)
			view->each = !view->each;
		else
			next_level(view, data);
		break;
	case 'L':
		view->latencies = !view->latencies;
		view->first = 0;
		/* There is nothing that could stand still. */
		if (view->latencies)
			view->frozen = false;
		break;
	case 'f':
		begin_prompt(view, TOP_PROMPT_CPUS);
		break;
	case 'i':
		view->hide_idle = !view->hide_idle;
		break;
	case ' ':
		view->frozen = !view->frozen;
		break;
	default:
		sort_key(view, data, key);
		break;
	}
}

/**
 * top_view_key - handle a key
 * @view: view
 * @data: the CPUs
 * @key: a character, or TOP_KEY_*
 * @nr_rows: number of rows
 * @page: number of rows that fit on the screen
 */
void top_view_key(struct top_view *view, const struct top_data *data, int key,
		  unsigned int nr_rows, unsigned int page)
{
	view->message[0] = '\0';
	if (view->prompt != TOP_PROMPT_NONE) {
		prompt_key(view, data, key);
		return;
	}
	if (view->help) {
		view->help = false;
		view->quit = key == 'q';
		return;
	}
	if (!move_key(view, key, nr_rows, page))
		letter_key(view, data, key);
}
