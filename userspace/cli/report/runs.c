// SPDX-License-Identifier: GPL-2.0
/*
 * A recording of several runs of one command: each run is a task, and has a value of its own.
 */
#include "runs.h"

#include <math.h>
#include <stdlib.h>

#include "clock.h"

const struct runs_amount runs_amounts[RUNS_AMOUNTS] = {
	{ "elapsed", "s", "seconds that the run or the recording took" },
	{ "slots", "slots", "slots counted in it" },
	{ "instructions", "instructions", "instructions that retired in it" },
	{ "cycles", "cycles", "cycles in which its CPUs were not halted" },
};

/**
 * runs_recorded - was the recording made with -r?
 * @summary: summary
 *
 * Return: true or false.
 */
bool runs_recorded(const struct summary *summary)
{
	return summary_of_tasks(summary) && summary->recording.info.flags & RECORD_RUNS;
}

/**
 * runs_complete - number of runs that can be compared
 * @summary: summary of a recording of runs
 *
 * A signal ended the last run early, or the file was cut off in it. Half a run is no run.
 *
 * Return: the number; they are the first.
 */
unsigned int runs_complete(const struct summary *summary)
{
	const struct recording *recording = &summary->recording;
	bool cut = !recording->whole || recording->end.signal;

	return recording->nr_tasks - (cut && recording->nr_tasks);
}

static double ratio_of(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

/* NaN for 0.  NAN is a float, and so would be a whole number or it in one expression. */
static double amount_of(uint64_t amount)
{
	return amount ? (double)amount : NAN;
}

/* NaN if it has none. */
static double value_of(const struct topdown_figures *total, uint64_t length_ns, unsigned int value)
{
	switch (value) {
	case RUNS_ELAPSED:
		return length_ns ? length_ns / (double)NS_PER_S : NAN;
	case RUNS_SLOTS:
		return amount_of(total->slots);
	case RUNS_INSTRUCTIONS:
		return amount_of(total->instructions);
	case RUNS_CYCLES:
		return amount_of(total->cycles);
	case NOISE_IPC:
		return ratio_of(total->instructions, total->cycles);
	default:
		return topdown_figures_has(total, value) ?
		       ratio_of(total->node[value], total->slots) : NAN;
	}
}

/**
 * runs_mean - the mean of the runs, and its error
 * @mean: where to; not known if a run has no such value
 * @summary: summary of a recording of runs
 * @value: enum topdown_node, NOISE_IPC, or RUNS_*
 */
void runs_mean(struct noise_mean *mean, const struct summary *summary, unsigned int value)
{
	unsigned int nr = runs_complete(summary), i;
	double *values = calloc(nr + 1, sizeof(*values));
	bool known = values && nr;

	for (i = 0; i < nr && known; i++) {
		const struct summary_subject *run = &summary->subject[i];

		values[i] = value_of(&run->total, run->end_ns - run->begin_ns, value);
		known = !isnan(values[i]);
	}
	noise_runs(mean, values, known ? nr : 0);
	free(values);
}

/**
 * runs_total - an amount of a recording that is one run
 * @summary: summary
 * @value: RUNS_*
 *
 * Return: the amount, or NaN.
 */
double runs_total(const struct summary *summary, unsigned int value)
{
	return value_of(&summary->all.total, summary_seconds(summary) * NS_PER_S, value);
}
