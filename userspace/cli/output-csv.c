// SPDX-License-Identifier: GPL-2.0
/*
 * Separated values, with the quoting of RFC 4180.  An empty field is a figure
 * that is not there.  Columns are only ever added, at the end.
 */
#include <inttypes.h>
#include <string.h>

#include "output.h"
#include "repeat.h"
#include "task.h"

static void field(const struct output *output, const char *text)
{
	const char *at;

	if (!strchr(text, output->separator) && !strpbrk(text, "\"\r\n")) {
		fputs(text, output->file);
		return;
	}
	putc('"', output->file);
	for (at = text; *at; at++) {
		if (*at == '"')
			putc('"', output->file);
		putc(*at, output->file);
	}
	putc('"', output->file);
}

static void next_field(const struct output *output, const char *text)
{
	putc(output->separator, output->file);
	field(output, text);
}

static void next_number(const struct output *output, uint64_t number)
{
	fprintf(output->file, "%c%" PRIu64, output->separator, number);
}

static void next_fields(const struct output *output, const char * const *names)
{
	for (; *names; names++)
		next_field(output, *names);
}

static void repeat_header(const struct output *output)
{
	char name[64];
	unsigned int i;

	next_field(output, "runs");
	next_field(output, "interval_rsd");
	next_field(output, "slots_rsd");
	for (i = 0; i < TOPDOWN_NR_NODES; i++) {
		snprintf(name, sizeof(name), "%s_rsd", topdown_node_name(i));
		next_field(output, name);
	}
}

void output_csv_header(const struct output *output)
{
	static const char * const cpu[] = { "cpu", NULL };
	static const char * const task[] = { "pid", "tid", "comm", NULL };
	static const char * const columns[] = {
		"state", "source", "level", "running", "enabled_ns", "running_ns", "slots",
		NULL
	};
	static const char * const of_tasks[] = {
		"oncpu_ns", "merged_ns", "switches", "incomplete", NULL
	};
	unsigned int i;

	field(output, "time");
	next_field(output, "interval");
	next_fields(output, output->tasks ? task : cpu);
	next_fields(output, columns);
	for (i = 0; i < TOPDOWN_NR_NODES; i++)
		next_field(output, topdown_node_name(i));
	if (output->tasks)
		next_fields(output, of_tasks);
	if (output->repeat)
		repeat_header(output);
	putc('\n', output->file);
}

static void ratios(const struct output *output, const struct row *row)
{
	unsigned int node;

	for (node = 0; node < TOPDOWN_NR_NODES; node++) {
		uint32_t ratio = row->figures.ratio[node];

		putc(output->separator, output->file);
		if (ratio != TOPDOWN_RATIO_NONE)
			fprintf(output->file, "%u.%09u", ratio / TOPDOWN_RATIO_ONE,
				ratio % TOPDOWN_RATIO_ONE);
	}
}

static void next_id(const struct output *output, int id)
{
	if (id)
		next_number(output, id);
	else
		next_field(output, "");
}

static void subject(const struct output *output, const struct row *row)
{
	if (row->task) {
		next_id(output, row->task->pid);
		next_id(output, row->task->tid);
		next_field(output, row->task->name);
	} else if (row->cpu == TOPDOWN_CPU_ALL) {
		next_field(output, "all");
	} else {
		next_number(output, row->cpu);
	}
}

static void of_task(const struct output *output, const struct row *row)
{
	next_number(output, row->figures.enabled_ns);
	next_number(output, row->merged_ns);
	next_number(output, row->switches);
	next_number(output, row->incomplete);
}

static void next_spread(const struct output *output, const struct spread *spread)
{
	double deviation;

	putc(output->separator, output->file);
	if (spread_relative(spread, &deviation))
		fprintf(output->file, "%.6f", deviation);
}

static void spreads(const struct output *output, const struct repeat *repeat)
{
	unsigned int node;

	next_number(output, repeat->runs);
	next_spread(output, &repeat->length);
	next_spread(output, &repeat->slots);
	for (node = 0; node < TOPDOWN_NR_NODES; node++)
		next_spread(output, &repeat->node[node]);
}

void output_csv(const struct output *output, const struct interval *interval)
{
	unsigned int i;

	for (i = 0; i < interval->nr; i++) {
		const struct row *row = &interval->row[i];
		double running;

		fprintf(output->file, "%.6f%c%.9f", interval->time, output->separator,
			interval->length);
		subject(output, row);
		next_field(output, row_state(row));
		next_field(output, topdown_source_name(row->source));
		next_number(output, row->level);
		putc(output->separator, output->file);
		if (row_running(row, &running))
			fprintf(output->file, "%.6f", running);
		next_number(output, row->figures.enabled_ns);
		next_number(output, row->figures.running_ns);
		next_number(output, row->figures.slots);
		ratios(output, row);
		if (row->task)
			of_task(output, row);
		if (interval->repeat)
			spreads(output, interval->repeat);
		putc('\n', output->file);
	}
}
