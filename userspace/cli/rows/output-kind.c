// SPDX-License-Identifier: GPL-2.0
/*
 * The form of the output, and the kind of its rows.
 */
#include "output-kind.h"

#include "columns.h"

/**
 * output_views - the columns of rows for programs
 * @output: output
 *
 * Return: COLUMNS_* of them.
 */
unsigned int output_views(const struct output *output)
{
	unsigned int views = output->tasks ? COLUMNS_TASKS : COLUMNS_CPUS;

	if (output->events)
		return COLUMNS_EVENTS;
	if (output->windows)
		return COLUMNS_WINDOWS;
	if (output->report)
		return views | COLUMNS_REPORT;
	if (output->steps)
		return views | COLUMNS_STEPS;
	if (output->latencies)
		return COLUMNS_LATENCIES;
	if (output->owned)
		return views | COLUMNS_OWNED;
	return output->repeat ? views | COLUMNS_RUNS : views;
}
