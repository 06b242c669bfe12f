// SPDX-License-Identifier: GPL-2.0
/*
 * Programs of known character: alone, and two and four at once.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "bands.h"
#include "verify.h"

/* A level 1 node must differ so much between programs, in fractions of all slots. */
#define ALIVE		0.10

/*
 * Level 1 may sum to so much more or less, in fractions of all slots; where its events take turns,
 * each part of the sum is of another time.
 */
#define SUM_OFF		0.03
#define SUM_TURNS_OFF	0.06

/* The fraction of slots that the other thread of the core had. */
static double others_slots(const struct topdown_figures *figures)
{
	return topdown_figures_has(figures, TOPDOWN_SMT_CONTENTION) ?
	       topdown_figures_ratio(figures, TOPDOWN_SMT_CONTENTION) : 0;
}

/* A band of all slots is of those that the thread had. */
static double of_band(const struct band *band, const struct topdown_figures *figures)
{
	double node = topdown_figures_ratio(figures, band->node);

	if (band->of == BAND_ALL)
		return node / fmax(1 - others_slots(figures), 0.01);
	return node / topdown_figures_ratio(figures, band->of);
}

static bool sums_up(struct verify *verify, enum program program, const char *where,
		    const struct topdown_figures *figures)
{
	double sum = others_slots(figures);
	unsigned int node;

	for (node = 0; node < TD_NR_PARENTS; node++) {
		if (topdown_figures_has(figures, node))
			sum += topdown_figures_ratio(figures, node);
	}
	if (fabs(sum - 1) <= (verify->turns > 1 ? SUM_TURNS_OFF : SUM_OFF))
		return true;
	verify_line(verify, OUTCOME_OFF,
		    "%s %s: level 1 sums to %.1f%% of all slots: retiring %.1f, bad %.1f, frontend %.1f, backend %.1f",
		    program_name(program), where, 100 * sum,
		    100 * topdown_figures_ratio(figures, TOPDOWN_RETIRING),
		    100 * topdown_figures_ratio(figures, TOPDOWN_BAD_SPECULATION),
		    100 * topdown_figures_ratio(figures, TOPDOWN_FRONTEND_BOUND),
		    100 * topdown_figures_ratio(figures, TOPDOWN_BACKEND_BOUND));
	return false;
}

static bool applies(const struct verify *verify, const struct band *band,
		    const struct topdown_figures *figures)
{
	if (!(band->sources >> verify->source & 1) || !topdown_figures_has(figures, band->node))
		return false;
	/* A part of next to nothing is no part. */
	return band->of == BAND_ALL || topdown_figures_ratio(figures, band->of) > 0.02;
}

/* False after a line for each node that is outside; @bands_met: plus those that were looked at. */
static bool judge(struct verify *verify, enum program program, const char *where,
		  const struct topdown_figures *figures, unsigned int *bands_met)
{
	bool right = sums_up(verify, program, where, figures);
	unsigned int i;
	double is;

	for (i = 0; i < bands_nr; i++) {
		if (bands[i].program != program || !applies(verify, &bands[i], figures))
			continue;
		++*bands_met;
		is = of_band(&bands[i], figures);
		if (is >= bands[i].low && is <= bands[i].high)
			continue;
		right = false;
		verify_line(verify, OUTCOME_OFF,
			    "%s %s: %s is %.1f%% of %s, and must be %.0f%% to %.0f%%",
			    program_name(program), where, topdown_node_name(bands[i].node),
			    100 * is,
			    bands[i].of == BAND_ALL ? "all slots" : topdown_node_name(bands[i].of),
			    100 * bands[i].low, 100 * bands[i].high);
	}
	return right;
}

static bool together(struct verify *verify, enum program program, unsigned int nr)
{
	/* Shared before the first has any. */
	size_t memory = program_memory(verify->memory) / nr;
	pid_t pid[TOGETHER_MAX];
	struct topdown_figures figures;
	unsigned int i, met = 0;
	char where[32];
	bool right = true;

	snprintf(where, sizeof(where), "%u at once", nr);
	for (i = 0; i < nr; i++)
		pid[i] = verify_stopped() ? -EINTR : program_start(program, verify->cpu[i], memory);
	verify_measure(verify);
	for (i = 0; i < nr; i++) {
		program_stop(pid[i]);
		if (pid[i] > 0 && verify_between(verify, verify->cpu[i], &figures)) {
			right &= judge(verify, program, where, &figures, &met);
			continue;
		}
		verify_line(verify, OUTCOME_UNCHECKED, "%s, %s: no figures of CPU %u",
			    program_name(program), where, verify->cpu[i]);
		right = false;
	}
	return right;
}

/**
 * check_programs - each program within its bands
 * @verify: run
 */
void check_programs(struct verify *verify)
{
	struct topdown_figures figures;
	unsigned int i, nr, most, met;
	bool right;

	for (i = 0; i < PROGRAMS && !verify_stopped(); i++) {
		if (!verify_alone(verify, i, &figures))
			continue;
		met = 0;
		right = judge(verify, i, "alone", &figures, &met);
		for (nr = 2, most = 1; nr <= TOGETHER_MAX && nr <= verify->nr_cpus; nr *= 2) {
			right &= together(verify, i, nr);
			most = nr;
		}
		if (!right)
			continue;
		verify_line(verify, met ? OUTCOME_RIGHT : OUTCOME_SEEN,
			    "%s, up to %u at once: retiring %.1f, bad %.1f, frontend %.1f, backend %.1f",
			    program_name(i), most,
			    100 * topdown_figures_ratio(&figures, TOPDOWN_RETIRING),
			    100 * topdown_figures_ratio(&figures, TOPDOWN_BAD_SPECULATION),
			    100 * topdown_figures_ratio(&figures, TOPDOWN_FRONTEND_BOUND),
			    100 * topdown_figures_ratio(&figures, TOPDOWN_BACKEND_BOUND));
	}
}

/*
 * Before any correction if that can be had: what sums to more or less than all slots is scaled, and
 * a byte that is stuck moves then.
 */
static bool level1_alone(struct verify *verify, enum program program,
			 double ratio[TD_NR_PARENTS])
{
	struct topdown_figures figures;
	unsigned int node;

	if (verify_raw(verify, program, ratio))
		return true;
	if (!verify_alone(verify, program, &figures))
		return false;
	for (node = 0; node < TD_NR_PARENTS; node++)
		ratio[node] = topdown_figures_ratio(&figures, node);
	return true;
}

/**
 * check_alive - no node is the same in all programs
 * @verify: run
 */
void check_alive(struct verify *verify)
{
	double ratio[TD_NR_PARENTS], least[TD_NR_PARENTS], most[TD_NR_PARENTS];
	unsigned int node, i, seen = 0;
	bool right = true;

	for (i = 0; i < PROGRAMS && !verify_stopped(); i++) {
		if (!level1_alone(verify, i, ratio))
			continue;
		for (node = 0; node < TD_NR_PARENTS; node++) {
			least[node] = seen ? fmin(least[node], ratio[node]) : ratio[node];
			most[node] = seen ? fmax(most[node], ratio[node]) : ratio[node];
		}
		seen++;
	}
	for (node = 0; node < TD_NR_PARENTS && seen > 1; node++) {
		if (most[node] - least[node] >= ALIVE)
			continue;
		right = false;
		verify_line(verify, OUTCOME_OFF, "%s is %.1f%% to %.1f%% in all programs: it is %s",
			    topdown_node_name(node), 100 * least[node], 100 * most[node],
			    most[node] < ALIVE / 2 ? "dead" : "stuck");
	}
	if (right && seen > 1)
		verify_line(verify, OUTCOME_RIGHT, "every level 1 node follows the programs");
}
