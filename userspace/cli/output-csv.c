// SPDX-License-Identifier: GPL-2.0
/*
 * Separated values, with the quoting of RFC 4180.  An empty field is a figure
 * that is not there.  Columns are only ever added, at the end.
 */
#include <inttypes.h>
#include <string.h>

#include "output.h"

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

void output_csv_header(const struct output *output)
{
	static const char * const columns[] = {
		"interval", "cpu", "state", "source", "level", "running", "enabled_ns",
		"running_ns", "slots"
	};
	unsigned int i;

	field(output, "time");
	for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		next_field(output, columns[i]);
	for (i = 0; i < TOPDOWN_NR_NODES; i++)
		next_field(output, topdown_node_name(i));
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

void output_csv(const struct output *output, const struct interval *interval)
{
	unsigned int i;

	for (i = 0; i < interval->nr; i++) {
		const struct row *row = &interval->row[i];
		double running;

		fprintf(output->file, "%.6f%c%.9f", interval->time, output->separator,
			interval->length);
		if (row->cpu == TOPDOWN_CPU_ALL)
			next_field(output, "all");
		else
			next_number(output, row->cpu);
		next_field(output, topdown_state_name(row->state));
		next_field(output, topdown_source_name(row->source));
		next_number(output, row->level);
		putc(output->separator, output->file);
		if (row_running(row, &running))
			fprintf(output->file, "%.6f", running);
		next_number(output, row->figures.enabled_ns);
		next_number(output, row->figures.running_ns);
		next_number(output, row->figures.slots);
		ratios(output, row);
		putc('\n', output->file);
	}
}
