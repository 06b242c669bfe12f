// SPDX-License-Identifier: GPL-2.0
/*
 * Latencies that are known without a sample: of a file that a user wrote or that topdown latency
 * saved, or published.
 */
#include "latency-known.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "rows.h"

#define LATENCY_MAX	65535

/* Messages are not split. */
#define BLANKS		" \t\r\n"

#define WRONG_FIGURES \
	"not mean min p50 p90 p99 max, each a number from 0 to 65535, or - if not known"

static void known_nothing(struct known *known, const char *source)
{
	unsigned int i;

	known->source = source;
	for (i = 0; i < KNOWN_FIGURES; i++)
		known->figure[i] = (double)NAN;
}

static bool parse_figure(const char *text, double *figure)
{
	char *end;

	if (!strcmp(text, "-")) {
		*figure = (double)NAN;
		return true;
	}
	/* strtod() knows more numbers than a file should have. */
	if (text[strspn(text, "0123456789.eE+-")])
		return false;
	*figure = strtod(text, &end);
	return end != text && !*end && *figure >= 0 && *figure <= LATENCY_MAX;
}

/* Figures that are not known compare with all others. */
static bool in_order(const double figure[KNOWN_FIGURES])
{
	return !(figure[KNOWN_MIN] > figure[KNOWN_MEAN]) &&
	       !(figure[KNOWN_MEAN] > figure[KNOWN_MAX]) &&
	       !(figure[KNOWN_MIN] > figure[KNOWN_MAX]);
}

/* NULL, or what is wrong with the line. */
static const char *parse_line(struct known known[KNOWN_EVENTS], char *line)
{
	char *rest = line, *word = strtok_r(line, BLANKS, &rest);
	unsigned int i;
	int event;

	if (!word || *word == '#')
		return NULL;
	event = topdown_latency_event_by_name(word);
	if (event < 0)
		return "there is no such event";
	known_nothing(&known[event], "table");
	for (i = 0; (word = strtok_r(NULL, BLANKS, &rest)); i++) {
		if (i == KNOWN_FIGURES || !parse_figure(word, &known[event].figure[i]))
			return WRONG_FIGURES;
	}
	if (isnan(known[event].figure[KNOWN_MEAN]))
		return "the mean is missing";
	return in_order(known[event].figure) ? NULL : "the mean is not between min and max";
}

/**
 * known_load - read a table
 * @known: what is known of each event; the events of the table are written
 * @path: the file
 *
 * Return: false after a message.
 */
bool known_load(struct known known[KNOWN_EVENTS], const char *path)
{
	FILE *file = fopen(path, "re");
	const char *wrong = NULL;
	unsigned int at = 0;
	char *line = NULL;
	size_t room = 0;

	if (!file) {
		report_error("--table: cannot open %s: %s", path, strerror(errno));
		return false;
	}
	while (!wrong && getline(&line, &room, file) >= 0) {
		at++;
		wrong = parse_line(known, line);
	}
	if (wrong)
		report_error("--table: %s, line %u: %s", path, at, wrong);
	else if (ferror(file))
		report_error("--table: cannot read %s", path);
	wrong = wrong || ferror(file) ? "" : NULL;
	free(line);
	fclose(file);
	return !wrong;
}

/**
 * known_publish - add the published latencies of this machine
 * @known: what is known of each event; those of which nothing is known are written
 * @info: the machine
 */
void known_publish(struct known known[KNOWN_EVENTS], const struct topdown_info *info)
{
	unsigned int i, min, max;
	const char *source;
	double mean;

	for (i = 0; i < KNOWN_EVENTS; i++) {
		source = topdown_latency_default(info->out_cpu_family, info->out_cpu_model, i,
						 &mean, &min, &max);
		if (known[i].source || !source)
			continue;
		known_nothing(&known[i], source);
		known[i].figure[KNOWN_MEAN] = mean;
		known[i].figure[KNOWN_MIN] = min;
		known[i].figure[KNOWN_MAX] = max;
	}
}

/**
 * known_sampled - a figure of a record
 * @record: the record
 * @figure: which
 *
 * Return: cycles; NaN without a sample.
 */
double known_sampled(const struct topdown_latency_record *record, enum known_figure figure)
{
	if (!record->samples)
		return (double)NAN;
	switch (figure) {
	case KNOWN_MEAN:
		return topdown_latency_mean(record);
	case KNOWN_MIN:
		return record->min;
	case KNOWN_P50:
		return topdown_latency_quantile(record, 0.5);
	case KNOWN_P90:
		return topdown_latency_quantile(record, 0.9);
	case KNOWN_P99:
		return topdown_latency_quantile(record, 0.99);
	default:
		return record->max;
	}
}

/**
 * row_latency - a figure of a row
 * @row: the row
 * @figure: which
 *
 * Return: cycles, of samples or known otherwise; NaN for a node, and where nobody knows.
 */
double row_latency(const struct row *row, enum known_figure figure)
{
	if (row->node)
		return (double)NAN;
	return row->known ? row->known->figure[figure] : known_sampled(row->latency, figure);
}
