// SPDX-License-Identifier: GPL-2.0
/*
 * One program and one CPU, counted twice: by general events and by PERF_METRICS under perf.
 * The general events are those of a formula of ours, for the same core without PERF_METRICS.
 * They agree with themselves.  PERF_METRICS were saved and restored by perf, and do not.
 */
#include <math.h>

#include "formula.h"
#include "model.h"
#include "silicon.h"

#define TESTS		8
#define ROWS_MIN	4

/* A Xeon Gold 5512U. */
#define FAMILY		6
#define MODEL		0xcf

/* Shares of all slots.  Four events that are counted apart need not agree to the last slot. */
#define LIMIT_SUM	0.006
#define LIMIT_BAD	0.006
/* What perf's figures of the same program are off at least, and at most. */
#define LEAST_OFF	0.03
#define MOST_OFF	0.13

static const char *const metric_column[TD_METRIC_NR] = {
	"retiring", "bad_spec", "fe_bound", "be_bound", "heavy_ops", "br_mispredict", "fetch_lat",
	"mem_bound",
};

/* The columns of the formula's events. */
static const struct {
	const char *event, *column;
} event_column[] = {
	{ "TOPDOWN.SLOTS", "slots_p" },
	{ "IDQ_BUBBLES.CORE", "idq_bubbles.core" },
	{ "TOPDOWN.BACKEND_BOUND_SLOTS", "backend_bound_slots" },
	{ "UOPS_RETIRED.SLOTS", "uops_retired.slots" },
	{ "INT_MISC.UOP_DROPPING", "int_misc.uop_dropping" },
	{ "IDQ_BUBBLES.CYCLES_0_UOPS_DELIV.CORE", "idq_bubbles.cycles_0_uops_deliv.core" },
	{ "TOPDOWN.BR_MISPREDICT_SLOTS", "br_mispredict_slots" },
	{ "TOPDOWN.MEMORY_BOUND_SLOTS", "memory_bound_slots" },
	{ "UOPS_RETIRED.HEAVY", "uops_retired.heavy" },
};

struct verdict {
	unsigned int rows, odd, odd_known, far;
	double sum, bad, least_off, most_off;
	bool complete, children;
};

static bool sample_of(const struct silicon *silicon, const struct td_model *model,
		      struct td_sample *sample)
{
	unsigned int i, j;

	*sample = (struct td_sample){ .width = model->slots_per_cycle, .level = 2 };
	for (i = 0; i < model->formula->nr_events; i++) {
		for (j = 0; j < sizeof(event_column) / sizeof(event_column[0]); j++) {
			if (!strcmp(model->formula->events[i].name, event_column[j].event))
				break;
		}
		if (j == sizeof(event_column) / sizeof(event_column[0]))
			return false;
		sample->count[i] = silicon_number(silicon, event_column[j].column);
	}
	return true;
}

static void counts_of(const struct silicon *silicon, struct td_counts *counts)
{
	unsigned int i;

	counts->slots = silicon_number(silicon, "slots");
	for (i = 0; i < TD_METRIC_NR; i++)
		counts->metric[i] = silicon_number(silicon, metric_column[i]);
}

/* Level 1 and its children of two sources, in the order of the metrics. */
static void print(const char *what, const double *node)
{
	ktap_note("  %-13s%6.2f %6.2f %6.2f %6.2f   %6.2f %6.2f %6.2f %6.2f", what, 100 * node[0],
		  100 * node[1], 100 * node[2], 100 * node[3],
		  100 * node[TOPDOWN_HEAVY_OPERATIONS], 100 * node[TOPDOWN_BRANCH_MISPREDICTS],
		  100 * node[TOPDOWN_FETCH_LATENCY], 100 * node[TOPDOWN_MEMORY_BOUND]);
}

static bool children_within(const struct td_slots *slots)
{
	unsigned int i;

	for (i = 0; i < TD_NR_PARENTS; i++) {
		const __u64 *pair = &slots->node[TOPDOWN_HEAVY_OPERATIONS + 2 * i];

		if (pair[0] + pair[1] != slots->node[i])
			return false;
	}
	return true;
}

static void general_events(const struct silicon *silicon, const struct td_model *model,
			   struct verdict *verdict, double *node)
{
	struct td_slots slots = { 0 };
	struct td_sample sample;
	double bad = silicon_number(silicon, "bad_spec_slots");
	double all, sum;
	unsigned int i;

	verdict->complete &= sample_of(silicon, model, &sample);
	td_formula_eval(model->formula, &sample, &slots);
	all = slots.slots;
	for (i = 0; i < TD_NODES_METRICS; i++)
		node[i] = slots.node[i] / all;
	/* The formula leaves bad speculation as the remainder; an event counts it. */
	sum = slots.node[TOPDOWN_RETIRING] + slots.node[TOPDOWN_FRONTEND_BOUND] +
	      slots.node[TOPDOWN_BACKEND_BOUND] + bad;
	verdict->sum = fmax(verdict->sum, fabs(sum / all - 1));
	verdict->bad = fmax(verdict->bad, fabs(node[TOPDOWN_BAD_SPECULATION] - bad / all));
	verdict->children &= children_within(&slots);
}

/* As the module judges a window: knowing nothing yet, and knowing how bytes are made. */
static void perf_metrics(const struct silicon *silicon, struct verdict *verdict, double *node)
{
	struct td_quant unknown = { 0 }, known = { .rest = 32 };
	__u64 slots[TOPDOWN_MAX_NODES] = { 0 };
	struct td_counts counts, copy;
	unsigned int i;
	double sum = 0;

	counts_of(silicon, &counts);
	copy = counts;
	verdict->odd += td_counts_fold(&copy, &unknown, 2, slots) != TD_BYTES_RIGHT;
	for (i = 0; i < TD_METRIC_L1; i++)
		sum += counts.metric[i];
	verdict->far += fabs(sum / counts.slots - 1) > 0.02;
	verdict->odd_known += td_counts_fold(&counts, &known, 2, slots) != TD_BYTES_RIGHT;
	for (i = 0; i < TD_NODES_METRICS; i++)
		node[i] = (double)slots[i] / counts.slots;
	ktap_note("%s: PERF_METRICS sum to %.3f of the slots",
		  silicon_text(silicon, "workload"), sum / counts.slots);
}

static void row(const struct silicon *silicon, const struct td_model *model,
		struct verdict *verdict)
{
	double general[TD_NODES_METRICS], metrics[TD_NODES_METRICS], worst = 0;
	unsigned int i;

	perf_metrics(silicon, verdict, metrics);
	general_events(silicon, model, verdict, general);
	print("PERF_METRICS", metrics);
	print("fallback", general);
	for (i = 0; i < TD_METRIC_L1; i++)
		worst = fmax(worst, fabs(general[i] - metrics[i]));
	verdict->least_off = fmin(verdict->least_off, worst);
	verdict->most_off = fmax(verdict->most_off, worst);
	verdict->rows++;
}

int main(int argc, char **argv)
{
	const struct td_model *model = td_model_find(X86_VENDOR_INTEL, FAMILY, MODEL,
						     TOPDOWN_KIND_ONLY, 0);
	struct verdict verdict = { .complete = true, .children = true, .least_off = 1 };
	struct silicon silicon;
	struct ktap ktap;
	bool whole;

	if (argc != 2 || !silicon_open(&silicon, argv[1]))
		return silicon_skip(TESTS);
	ktap_begin(&ktap, TESTS);
	ktap_note("percent of all slots: ret bad fe be; heavy mispredicts latency memory");
	while (silicon_row(&silicon))
		row(&silicon, model, &verdict);
	whole = silicon_close(&silicon);
	ktap_note("general events: sum %.2f%% off, bad speculation %.2f points; worst node of PERF_METRICS %.1f to %.1f points",
		  100 * verdict.sum, 100 * verdict.bad, 100 * verdict.least_off,
		  100 * verdict.most_off);
	ktap_result(&ktap, whole && verdict.rows >= ROWS_MIN, "pairs were read");
	ktap_result(&ktap, verdict.complete, "every event of the formula was recorded");
	ktap_result(&ktap, verdict.sum <= LIMIT_SUM, "general events sum to the slots within 0.6%%");
	ktap_result(&ktap, verdict.bad <= LIMIT_BAD,
		    "the remainder is the event of bad speculation within 0.6 points");
	ktap_result(&ktap, verdict.children, "children sum to their parents");
	ktap_result(&ktap, verdict.odd == verdict.rows, "each pair's PERF_METRICS are odd");
	ktap_result(&ktap, verdict.odd_known == verdict.rows && verdict.far == verdict.rows,
		    "pairs are odd where it is known how bytes are made");
	ktap_result(&ktap, verdict.least_off > LEAST_OFF && verdict.most_off < MOST_OFF,
		    "perf's PERF_METRICS are 3 to 13 points off in their worst node");
	return ktap_end(&ktap);
}
