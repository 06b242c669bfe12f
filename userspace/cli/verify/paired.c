// SPDX-License-Identifier: GPL-2.0
/*
 * PERF_METRICS and general events of the same program, on the same CPU at the same time.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "formula.h"
#include "perf-group.h"
#include "verify.h"

/* The two ways of counting may be so many points apart. */
#define PAIRED_POINTS	2.5
/* An event that counts most slots may differ so much from its node, in parts of it. */
#define EVENT_OFF	0.05
#define MOST_SLOTS	0.5

/*
 * Events that count the slots of a node as they are, while the formula makes the rest of them
 * and cuts what is more than all: TMA 5 and the lists of events (perfmon).
 */
static const struct {
	uint64_t config;
	unsigned int node;
} counted[] = {
	{ 0x19c, TOPDOWN_FRONTEND_BOUND },
	{ 0x2a4, TOPDOWN_BACKEND_BOUND },
	{ 0x2c2, TOPDOWN_RETIRING },
};

/* The formula of the same core without PERF_METRICS, by its width. */
static const struct td_formula *formula_of(const struct verify *verify)
{
	switch (verify->width) {
	case 5:
		return &td_fallback_icl;
	case 6:
		return &td_fallback_glc;
	case 8:
		return &td_fallback_lnc;
	default:
		return NULL;
	}
}

static unsigned int level1_events(const struct td_formula *formula, uint64_t *config)
{
	unsigned int i;

	for (i = 0; i < formula->nr_events && i < GROUP_EVENTS_MAX &&
	     formula->events[i].parents == TD_LEVEL1; i++)
		config[i] = formula->events[i].other ? formula->events[i].other :
			    formula->events[i].config;
	return i;
}

/* False if a line said what is wrong. */
static bool level1_of(struct verify *verify, const struct td_formula *formula,
		      const uint64_t *count, double node[TD_NR_PARENTS])
{
	struct td_sample sample = { .width = verify->width, .level = 1 };
	struct td_slots slots = { 0 };
	unsigned int i;

	for (i = 0; i < formula->nr_events && formula->events[i].parents == TD_LEVEL1; i++) {
		sample.count[i] = count[i];
		/* Micro-operations are dropped or not, and clears happen or not. */
		if (count[i] || strstr(formula->events[i].name, "INT_MISC"))
			continue;
		verify_line(verify, OUTCOME_OFF, "%s counts nothing: it is filtered, or not there",
			    formula->events[i].name);
		return false;
	}
	td_formula_eval(formula, &sample, &slots);
	if (!slots.slots)
		return false;
	for (i = 0; i < TD_NR_PARENTS; i++)
		node[i] = (double)slots.node[i] / slots.slots;
	return true;
}

/* The event alone, of a node that has most slots.  False after a line. */
static bool event_agrees(struct verify *verify, enum program program,
			 const struct td_event *event, double fraction,
			 const struct topdown_figures *figures)
{
	unsigned int i;
	double is;

	for (i = 0; i < sizeof(counted) / sizeof(counted[0]); i++) {
		is = topdown_figures_ratio(figures, counted[i].node);
		if (counted[i].config != event->config || is < MOST_SLOTS ||
		    fabs(fraction / is - 1) < EVENT_OFF)
			continue;
		verify_line(verify, OUTCOME_OFF,
			    "%s: %s counts %.1f%% of the slots, and PERF_METRICS have %.1f%% %s",
			    program_name(program), event->name, 100 * fraction, 100 * is,
			    topdown_node_name(counted[i].node));
		return false;
	}
	return true;
}

static void judge(struct verify *verify, const struct td_formula *formula, enum program program,
		  const uint64_t *count, const struct topdown_figures *figures)
{
	double node[TD_NR_PARENTS], points = 0, apart;
	unsigned int i, worst = 0;

	if (!level1_of(verify, formula, count, node))
		return;
	for (i = 1; i < formula->nr_events && formula->events[i].parents == TD_LEVEL1; i++) {
		if (!event_agrees(verify, program, &formula->events[i],
				  (double)count[i] / count[0], figures))
			return;
	}
	for (i = 0; i < TD_NR_PARENTS; i++) {
		apart = 100 * fabs(node[i] - topdown_figures_ratio(figures, i));
		if (apart < points)
			continue;
		points = apart;
		worst = i;
	}
	verify_line(verify, points < PAIRED_POINTS ? OUTCOME_RIGHT : OUTCOME_OFF,
		    "%s: PERF_METRICS %.1f%%, general events %.1f%% %s: %.2f points apart",
		    program_name(program), 100 * topdown_figures_ratio(figures, worst),
		    100 * node[worst], topdown_node_name(worst), points);
}

static void paired(struct verify *verify, const struct td_formula *formula, enum program program)
{
	uint64_t config[GROUP_EVENTS_MAX] = { 0 }, count[GROUP_EVENTS_MAX] = { 0 };
	pid_t pid = verify_start(verify, program);
	struct topdown_figures figures;
	struct perf_group group;
	bool there;

	if (pid < 0)
		return;
	verify_lead(verify);
	there = perf_group_open(&group, perf_group_type(verify->home), config,
				level1_events(formula, config), -1, verify->home);
	if (!there) {
		verify_line(verify, OUTCOME_UNCHECKED, "perf refuses the general events: %s",
			    verify_why(errno));
		program_stop(pid);
		return;
	}
	verify_begin(verify);
	verify_sleep_us(verify->ms * 1000);
	verify_end(verify);
	there = perf_group_read(&group, count);
	perf_group_close(&group);
	program_stop(pid);
	if (there && verify_between(verify, verify->home, &figures))
		judge(verify, formula, program, count, &figures);
	else
		verify_line(verify, OUTCOME_UNCHECKED,
			    "%s: the two did not count at once (does another program use perf? end it)",
			    program_name(program));
}

/**
 * check_paired - PERF_METRICS and general events of the same program at the same time
 * @verify: run
 */
void check_paired(struct verify *verify)
{
	static const enum program of[] = {
		PROGRAM_ADDITIONS, PROGRAM_CHASE, PROGRAM_BRANCHES, PROGRAM_CODE,
		PROGRAM_MICROCODE,
	};
	const struct td_formula *formula = formula_of(verify);
	unsigned int i;

	if (verify->source != TOPDOWN_SOURCE_PERF_METRICS || !formula) {
		verify_line(verify, OUTCOME_UNCHECKED, "CPU %u has one way of counting only",
			    verify->home);
		return;
	}
	for (i = 0; i < sizeof(of) / sizeof(of[0]) && !verify_stopped(); i++)
		paired(verify, formula, of[i]);
}
