// SPDX-License-Identifier: GPL-2.0
/*
 * Counts say how much, samples say where: the slots of a node are divided among the rows by the
 * costs of their records.
 *
 * Events that explain say why instructions were late which another event has located. Both
 * count events, so of a function with so many late instructions, so many had that cause.
 */
#include "where-rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 95% of a normal distribution are within so many standard deviations. */
#define DEVIATIONS	1.96
#define EXPLAINS_MAX	8

/* How much of the cost of a function has a cause, of those that another event explains. */
struct explained {
	uint16_t stage;
	uint16_t reason;
	double cost;
};

/**
 * where_event_of - whether an event is of the CPUs of a domain
 * @domain: domain
 * @event: event
 */
bool where_event_of(const struct where_domain *domain, const struct topdown_stalls_event *event)
{
	return domain->atom == !strcmp(event->pmu, "cpu_atom");
}

/**
 * where_node_slots - slots of a node
 * @domain: figures
 * @node: enum topdown_node, which the domain has
 */
double where_node_slots(const struct where_domain *domain, unsigned int node)
{
	return topdown_figures_ratio(&domain->figures, node) * domain->figures.slots;
}

/* The events of the domain in this role, as bits. */
static uint64_t events_in(const struct where_run *run, const struct where_domain *domain,
			  unsigned int role)
{
	struct topdown_stalls_event event;
	uint64_t events = 0;
	unsigned int i;

	for (i = 0; !topdown_stalls_event_get(run->stalls, i, &event, sizeof(event)); i++) {
		if (event.role == role && where_event_of(domain, &event))
			events |= 1ULL << i;
	}
	return events;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_function(const struct where_row *row, const struct where_place *place,
			  const struct where_symbol *symbol)
{
	if (row->place.object != place->object)
		return false;
	/* Places without a name are one row for each file. */
	if (!row->symbol->name || !symbol->name)
		return !row->symbol->name && !symbol->name;
	return row->symbol->start == symbol->start && same_text(row->symbol->name, symbol->name);
}

static bool same_row(const struct where_run *run, const struct where_row *row,
		     const struct where_point *point, const struct where_symbol *symbol)
{
	if (row->reason != point->reason || row->stage != point->stage)
		return false;
	switch (run->options->by) {
	case WHERE_INSTRUCTION:
		return row->place.object == point->place.object &&
		       row->place.address == point->place.address;
	case WHERE_LINE:
		return same_function(row, &point->place, symbol) &&
		       row->symbol->line == symbol->line &&
		       same_text(row->symbol->file, symbol->file);
	default:
		return same_function(row, &point->place, symbol);
	}
}

static struct where_row *new_row(struct where_rows *rows)
{
	struct where_row *more;
	size_t room;

	if (rows->nr == rows->room) {
		room = rows->room ? rows->room * 2 : 64;
		more = reallocarray(rows->row, room, sizeof(*more));
		if (!more)
			return NULL;
		rows->row = more;
		rows->room = room;
	}
	memset(&rows->row[rows->nr], 0, sizeof(rows->row[0]));
	return &rows->row[rows->nr++];
}

static struct where_row *get_row(const struct where_run *run, struct where_rows *rows,
				 const struct where_point *point,
				 const struct where_symbol *symbol)
{
	struct where_row *row;
	size_t i;

	for (i = 0; i < rows->nr; i++) {
		if (same_row(run, &rows->row[i], point, symbol))
			return &rows->row[i];
	}
	row = new_row(rows);
	if (!row)
		return NULL;
	row->place = point->place;
	row->symbol = symbol;
	row->stage = point->stage;
	row->reason = point->reason;
	return row;
}

static int add_point(const struct where_run *run, struct where_rows *rows,
		     const struct where_point *point)
{
	double cost = point->cost[rows->node];
	const struct where_symbol *symbol;
	struct where_row *row;
	unsigned int i;

	symbol = where_symbols_find(run->symbols, &point->place);
	row = symbol ? get_row(run, rows, point, symbol) : NULL;
	if (!row)
		return -ENOMEM;
	row->cost += cost;
	row->samples += point->nr[rows->node];
	row->cycles_sum += point->cycles;
	row->timed += point->timed;
	for (i = 0; i < POINT_SOURCES; i++)
		row->sources[i] += point->from[i];
	if (cost > row->largest) {
		row->largest = cost;
		row->place = point->place;
		row->symbol = symbol;
	}
	rows->cost += cost;
	rows->square += point->square[rows->node];
	rows->samples += point->nr[rows->node];
	return 0;
}

static int add_points(const struct where_run *run, struct where_rows *rows, uint64_t events)
{
	const struct where_point *point = NULL;
	int ret = 0;

	while (!ret && (point = where_points_next(run->points, point))) {
		if (events >> point->event & 1 && point->cost[rows->node] > 0)
			ret = add_point(run, rows, point);
	}
	return ret;
}

/* The costs of the causes of a function. Return: how many there are. */
static unsigned int explain(const struct where_run *run, const struct where_rows *rows,
			    const struct where_row *row, uint64_t events,
			    struct explained *explained)
{
	const struct where_point *point = NULL;
	unsigned int nr = 0, i;

	while ((point = where_points_next(run->points, point))) {
		const struct where_symbol *symbol;

		if (!(events >> point->event & 1) || !(point->cost[rows->node] > 0))
			continue;
		symbol = where_symbols_find(run->symbols, &point->place);
		if (!symbol || !same_function(row, &point->place, symbol))
			continue;
		for (i = 0; i < nr && explained[i].reason != point->reason; i++)
			;
		if (i == EXPLAINS_MAX)
			continue;
		if (i == nr)
			explained[nr++] = (struct explained){ point->stage, point->reason, 0 };
		explained[i].cost += point->cost[rows->node];
	}
	return nr;
}

static double cost_of_function(const struct where_rows *rows, const struct where_row *row,
			       size_t located)
{
	double cost = 0;
	size_t i;

	for (i = 0; i < located; i++) {
		if (same_function(&rows->row[i], &row->place, row->symbol))
			cost += rows->row[i].cost;
	}
	return cost;
}

/*
 * Give a row's cost to the causes of its function. Causes that overlap may sum to more than
 * what was located; then they are cut in proportion.
 */
static int split_row(struct where_rows *rows, size_t number, const struct explained *explained,
		     unsigned int nr, double located)
{
	struct where_row whole = rows->row[number], *part;
	double sum = 0, share, left = 1;
	unsigned int i;

	for (i = 0; i < nr; i++)
		sum += explained[i].cost;
	for (i = 0; i < nr; i++) {
		share = explained[i].cost / (sum > located ? sum : located);
		part = new_row(rows);
		if (!part)
			return -ENOMEM;
		*part = whole;
		part->stage = explained[i].stage;
		part->reason = explained[i].reason;
		part->cost = whole.cost * share;
		part->samples = whole.samples * share;
		left -= share;
	}
	rows->row[number].cost = left > 1e-9 ? whole.cost * left : 0;
	rows->row[number].samples = whole.samples * left;
	return 0;
}

static int explain_rows(const struct where_run *run, struct where_rows *rows, uint64_t events)
{
	struct explained explained[EXPLAINS_MAX];
	size_t located = rows->nr, i;
	double *costs;
	int ret = 0;

	if (!events || !located)
		return 0;
	costs = malloc(located * sizeof(*costs));
	if (!costs)
		return -ENOMEM;
	for (i = 0; i < located; i++)
		costs[i] = cost_of_function(rows, &rows->row[i], located);
	for (i = 0; i < located && !ret; i++) {
		unsigned int nr = explain(run, rows, &rows->row[i], events, explained);

		ret = split_row(rows, i, explained, nr, costs[i]);
	}
	free(costs);
	return ret;
}

static unsigned int most_of(const uint64_t *sources)
{
	unsigned int i, most = 0;

	for (i = 1; i < POINT_SOURCES; i++) {
		if (sources[i] > (most ? sources[most] : 0))
			most = i;
	}
	return most;
}

/*
 * Records of different costs say less than as many of the same: as much as (sum)^2 / (sum of
 * squares) of these.
 */
static void finish_row(const struct where_rows *rows, struct where_row *row)
{
	double effective = rows->square > 0 ? rows->cost * rows->cost / rows->square : 0;

	row->share = row->cost / rows->cost;
	row->slots = row->share * rows->node_slots;
	row->error = effective > 0 ?
		     DEVIATIONS * sqrt(row->share * (1 - row->share) / effective) : 1;
	row->cycles = row->timed ? row->cycles_sum / row->timed : NAN;
	row->from = most_of(row->sources);
}

static int compare(const void *left, const void *right)
{
	const struct where_row *a = left, *b = right;

	if (a->cost != b->cost)
		return a->cost < b->cost ? 1 : -1;
	return a->place.address < b->place.address ? -1 : a->place.address > b->place.address;
}

/**
 * where_rows_make - divide the slots of a node
 * @run: run
 * @domain: figures
 * @node: enum topdown_node, which the domain has
 * @rows: written; to be freed in any case
 *
 * Return: 0 or -ENOMEM.
 */
int where_rows_make(struct where_run *run, const struct where_domain *domain, unsigned int node,
		    struct where_rows *rows)
{
	size_t i;
	int ret;

	*rows = (struct where_rows){
		.node = node,
		.node_share = topdown_figures_ratio(&domain->figures, node),
		.node_slots = where_node_slots(domain, node),
	};
	ret = add_points(run, rows, events_in(run, domain, TOPDOWN_STALLS_LOCATES));
	if (!ret)
		ret = explain_rows(run, rows, events_in(run, domain, TOPDOWN_STALLS_EXPLAINS));
	if (ret || !rows->nr)
		return ret;
	for (i = 0; i < rows->nr; i++)
		finish_row(rows, &rows->row[i]);
	qsort(rows->row, rows->nr, sizeof(rows->row[0]), compare);
	while (rows->nr && !(rows->row[rows->nr - 1].cost > 0))
		rows->nr--;
	return 0;
}

/**
 * where_rows_free - free rows
 * @rows: rows
 */
void where_rows_free(struct where_rows *rows)
{
	free(rows->row);
}
