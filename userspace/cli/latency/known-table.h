/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Latencies that are known without a sample: of a file, or published.
 */
#ifndef TOPDOWN_CLI_KNOWN_TABLE_H
#define TOPDOWN_CLI_KNOWN_TABLE_H

#include <stdbool.h>
#include <topdown.h>

#include "latency-figures.h"

/* All events are below this. */
#define KNOWN_EVENTS	64

/* The line of a saved table that says on which CPU: family, model, name. */
#define KNOWN_CPU_LINE	"# topdown: CPU family %u model %u"

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

#endif /* TOPDOWN_CLI_KNOWN_TABLE_H */
