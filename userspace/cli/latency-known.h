/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Latencies that are known without a sample: of a file, or published.
 */
#ifndef TOPDOWN_CLI_LATENCY_KNOWN_H
#define TOPDOWN_CLI_LATENCY_KNOWN_H

#include <stdbool.h>
#include <topdown.h>

struct row;

/* All events are below this. */
#define KNOWN_EVENTS	64

/* The line of a saved table that says on which CPU: family, model, name. */
#define KNOWN_CPU_LINE	"# topdown: CPU family %u model %u"

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

/**
 * struct known_origin - where a table is from
 * @path: the file; NULL for none
 * @family: CPUID family of the machine that saved it; 0 if the file does not say
 * @model: CPUID model of it
 */
struct known_origin {
	const char *path;
	unsigned int family;
	unsigned int model;
};

bool known_load(struct known known[KNOWN_EVENTS], struct known_origin *origin);
void known_foreign(const struct known_origin *origin, const struct topdown_info *info);
void known_publish(struct known known[KNOWN_EVENTS], const struct topdown_info *info);
double known_lost(const struct topdown_latency_record *record);
double known_sampled(const struct topdown_latency_record *record, enum known_figure figure);
double row_latency(const struct row *row, enum known_figure figure);

#endif /* TOPDOWN_CLI_LATENCY_KNOWN_H */
