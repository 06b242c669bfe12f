/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module's sums and the emulator's truth of one CPU at the same moment.
 */
#ifndef TOPDOWN_SELFTESTS_SAMPLE_H
#define TOPDOWN_SELFTESTS_SAMPLE_H

#include "guest.h"

/* The window was closed between the two looks at the truth. */
struct sample {
	struct td_bd_truth before;
	struct td_bd_truth after;
	struct topdown_record record;
};

/* The module's figures of the time between two samples, beside the truth. */
struct comparison {
	unsigned int level;
	/* Largest difference of a fraction, in points, over all nodes of the level. */
	double points;
	unsigned int worst_node;
	double seen[TRUTH_NODES];
	double truth[TRUTH_NODES];
	/* Slots of the module over those of the truth, and how sure that is. */
	double slots;
	double slots_unsure;
	double running;
};

/* Moves the caller to the CPU.  0 or a negative errno. */
int sample_take(int fd, unsigned int cpu, struct sample *sample);
void sample_compare(const struct sample *earlier, const struct sample *later,
		    struct comparison *comparison);
/* @seen: fractions; NAN where there are none. */
void compare_nodes(const double *seen, const double *truth, unsigned int level,
		   struct comparison *comparison);
/* Are the slots within this share of the truth, as far as the truth is known? */
bool compare_slots_within(const struct comparison *comparison, double share);

/* Everything in figures that follows from the rest of them. */
bool figures_consistent(const struct topdown_figures *figures, unsigned int level);

#endif /* TOPDOWN_SELFTESTS_SAMPLE_H */
