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

/* The keys of --sort, and the columns that have them. */
static const struct {
	enum owner_key key;
	const char *column;
} keys[] = {
	{ OWNER_KEY_SLOTS, "slots" },
	{ OWNER_KEY_TIME, "time" },
	{ OWNER_KEY_TIME, "busy share" },
	{ OWNER_KEY_IPC, "IPC" },
};

#define NR_KEYS	(sizeof(keys) / sizeof(keys[0]))

/**
 * top_view_owners - are the rows those of owners?
 * @view: view
 *
 * Return: true or false.
 */
bool top_view_owners(const struct top_view *view)
{
	return view->by != OWNER_BY_NONE && !view->latencies;
}

/**
 * top_view_columns - the columns that rows of slots have
 * @view: view
 * @nodes: nodes that have ratios, bit n for node n
 * @list: where to
 */
void top_view_columns(const struct top_view *view, uint32_t nodes, struct column_list *list)
{
	unsigned int table = view->by == OWNER_BY_NONE ? TABLE_TOP : TABLE_OWNERS;

	columns_select(list, table, view->level, nodes);
	columns_add(list, &top_columns, table);
}

/**
 * top_view_sort_first - sort by CPU numbers, or by names
 * @view: view
 */
void top_view_sort_first(struct top_view *view)
{
	struct column_list list;

	top_view_columns(view, 0, &list);
	view->sort = list.column[0];
}

/**
 * top_view_sort - sort by a key of --sort
 * @view: view, at the level of the key's node
 * @sort: the key
 */
void top_view_sort(struct top_view *view, const struct owner_sort *sort)
{
	struct column_list list;
	unsigned int i, k;

	if (sort->key == OWNER_KEY_NODE) {
		view->sort = column_of_node(sort->node);
		return;
	}
	top_view_columns(view, 0, &list);
	for (i = 0; i < list.nr; i++) {
		for (k = 0; list.column[i]->look.sort && k < NR_KEYS; k++) {
			if (keys[k].key == sort->key &&
			    !strcmp(keys[k].column, list.column[i]->look.sort))
				view->sort = list.column[i];
		}
	}
}

/**
 * top_view_owner_sort - the key that rows of owners are sorted by
 * @view: view
 * @sort: the key
 *
 * Return: false if they are sorted by names.
 */
bool top_view_owner_sort(const struct top_view *view, struct owner_sort *sort)
{
	unsigned int k;

	if (column_is_node(view->sort)) {
		sort->key = OWNER_KEY_NODE;
		sort->node = view->sort->of;
		return true;
	}
	for (k = 0; k < NR_KEYS; k++) {
		if (strcmp(keys[k].column, view->sort->look.sort))
			continue;
		sort->key = keys[k].key;
		return true;
	}
	return false;
}

/* Do not sort by a column that is not on the screen. */
static void sort_by_shown(struct top_view *view)
{
	if (view->level == 1 && column_is_node(view->sort) &&
	    topdown_node_level(view->sort->of) > 1)
		view->sort = column_of_node(topdown_node_parent(view->sort->of));
}

/**
 * top_view_show - show CPUs, or the owners of a kind
 * @view: view; a frozen screen goes on, as there is nothing that could stand still
 * @by: the kind
 */
void top_view_show(struct top_view *view, enum owner_by by)
{
	static const struct owner_sort first = { .key = OWNER_KEY_SLOTS };

	view->kept[view->by] = view->sort;
	view->by = by;
	view->sort = view->kept[by];
	view->latencies = false;
	view->reverse = false;
	view->frozen = false;
	view->first = 0;
	if (view->sort)
		sort_by_shown(view);
	else if (by == OWNER_BY_NONE)
		top_view_sort_first(view);
	else
		top_view_sort(view, &first);
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
	return !view->min_rate || cpu->own.rate >= view->min_rate;
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
	const struct row *x = *(const struct row *const *)a;
	const struct row *y = *(const struct row *const *)b;
	const struct top_view *view = arg;
	int cpu = (x->cpu > y->cpu) - (x->cpu < y->cpu);
	int order;

	if (view->sort->look.place == COLUMN_FIRST)
		return view->reverse ? -cpu : cpu;
	order = by_column(x, y, view->sort, view->reverse);
	return order ? order : cpu;
}

/**
 * top_view_rows - filter and sort CPUs
 * @view: view
 * @data: the CPUs
 * @rows: room for all CPUs
 *
 * Return: number of @rows.
 */
unsigned int top_view_rows(const struct top_view *view, const struct top_data *data,
			   const struct row **rows)
{
	unsigned int i, nr = 0;

	for (i = 0; i < data->nr; i++) {
		if (is_shown(view, &data->cpu[i]))
			rows[nr++] = &data->cpu[i].row;
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

/* The order is CPU or name, slots, and then the nodes on the screen. */
static void next_sort(struct top_view *view, int step, uint32_t nodes)
{
	const struct column *order[COLUMNS_MAX] = { view->sort };
	struct column_list list;
	int nr = 0, at = 0, pass;
	unsigned int i;

	top_view_columns(view, nodes, &list);
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < list.nr; i++) {
			if (!list.column[i]->look.sort || column_is_node(list.column[i]) != pass)
				continue;
			if (list.column[i] == view->sort)
				at = nr;
			order[nr++] = list.column[i];
		}
	}
	if (nr)
		view->sort = order[(at + step + nr) % nr];
	view->first = 0;
}

static void next_level(struct top_view *view, const struct top_data *data)
{
	if (view->level == 1 && data->level < 2) {
		snprintf(view->message, sizeof(view->message), "this machine has no level 2");
		return;
	}
	view->level = view->level == 1 ? 2 : 1;
	sort_by_shown(view);
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

static void filter_names(struct top_view *view)
{
	snprintf(view->name, sizeof(view->name), "%s", view->text);
	view->first = 0;
}

static void prompt_key(struct top_view *view, const struct top_data *data, int key)
{
	size_t length = strlen(view->text);

	switch (key) {
	case TOP_KEY_ENTER:
	case '\r':
		if (view->prompt == TOP_PROMPT_CPUS)
			filter_cpus(view, data);
		else if (view->prompt == TOP_PROMPT_NAME)
			filter_names(view);
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
		top_view_sort_first(view);
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

static void next_view(struct top_view *view, int step)
{
	top_view_show(view, (view->by + OWNER_BY_KINDS + step) % OWNER_BY_KINDS);
}

static void next_tree(struct top_view *view)
{
	if (view->latencies || view->by != OWNER_BY_CGROUP) {
		snprintf(view->message, sizeof(view->message),
			 "only cgroups are a tree: v shows them");
		return;
	}
	view->self = !view->self;
	view->frozen = false;
	view->first = 0;
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
	case 'v':
		next_view(view, 1);
		break;
	case 'V':
		next_view(view, -1);
		break;
	case 't':
		next_tree(view);
		break;
	case 'L':
		view->latencies = !view->latencies;
		view->first = 0;
		/* There is nothing that could stand still. */
		if (view->latencies)
			view->frozen = false;
		break;
	case 'f':
		begin_prompt(view, top_view_owners(view) ? TOP_PROMPT_NAME : TOP_PROMPT_CPUS);
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
