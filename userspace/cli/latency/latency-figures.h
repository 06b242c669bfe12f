/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The figures of a latency, of samples or known without one.
 */
#ifndef TOPDOWN_CLI_LATENCY_FIGURES_H
#define TOPDOWN_CLI_LATENCY_FIGURES_H

#include <topdown.h>

#include "rows.h"

/**
 * enum known_figure - what may be known of an event
 *
 * @KNOWN_MEAN: mean
 * @KNOWN_MIN: least latency
 * @KNOWN_P50: median
 * @KNOWN_P90: 90% have no larger latency
 * @KNOWN_P99: 99% have no larger latency
 * @KNOWN_MAX: greatest latency
 * @KNOWN_FIGURES: number of figures
 */
enum known_figure {
	KNOWN_MEAN,
	KNOWN_MIN,
	KNOWN_P50,
	KNOWN_P90,
	KNOWN_P99,
	KNOWN_MAX,
	KNOWN_FIGURES,
};

/**
 * struct known - the latencies of an event without a sample
 * @source: "table", or who published them; NULL if nothing is known
 * @figure: cycles; NaN if not known
 */
struct known {
	const char *source;
	double figure[KNOWN_FIGURES];
};

double known_lost(const struct topdown_latency_record *record);
double known_sampled(const struct topdown_latency_record *record, enum known_figure figure);
double row_latency(const struct row *row, enum known_figure figure);

#endif /* TOPDOWN_CLI_LATENCY_FIGURES_H */
