// SPDX-License-Identifier: GPL-2.0
/*
 * Latencies that are known without a sample: of a file that a user wrote or that topdown latency
 * saved, or published.
 */
#include "known-table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

#define LATENCY_MAX	65535

/* Messages are not split. */
#define BLANKS		" \t\r\n"

/* Room for a line and its end. */
#define LINE_SIZE	4096

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

/* A percentile is the middle of its bin, which is up to this share of it away from a sample. */
#define BIN_ROOM	(1.0 / 16)

/* Figures that are not known compare with all others. */
static bool in_order(const double figure[KNOWN_FIGURES])
{
	unsigned int i, j;

	if (figure[KNOWN_MIN] > figure[KNOWN_MEAN] || figure[KNOWN_MEAN] > figure[KNOWN_MAX] ||
	    figure[KNOWN_MIN] > figure[KNOWN_MAX])
		return false;
	for (i = KNOWN_P50; i <= KNOWN_P99; i++) {
		if (figure[i] < figure[KNOWN_MIN] * (1 - BIN_ROOM) ||
		    figure[i] > figure[KNOWN_MAX] * (1 + BIN_ROOM))
			return false;
		for (j = i + 1; j <= KNOWN_P99; j++) {
			if (figure[i] > figure[j])
				return false;
		}
	}
	return true;
}

static bool is_whole(double figure)
{
	return isnan(figure) || figure == floor(figure);
}

/* NULL, or what is wrong with the figures of a line. */
static const char *parse_figures(struct known *known, char *rest)
{
	const double *figure = known->figure;
	unsigned int i;
	char *word;

	known_nothing(known, "table");
	for (i = 0; (word = strtok_r(NULL, BLANKS, &rest)); i++) {
		if (i == KNOWN_FIGURES || !parse_figure(word, &known->figure[i]))
			return WRONG_FIGURES;
	}
	if (isnan(figure[KNOWN_MEAN]))
		return "the mean is missing";
	if (!is_whole(figure[KNOWN_MIN]) || !is_whole(figure[KNOWN_MAX]))
		return "min and max are whole numbers";
	return in_order(figure) ? NULL : "not in order: min mean max, or min p50 p90 p99 max";
}

/**
 * struct table - a table that is read
 * @known: what is known of each event
 * @origin: where the table is from
 * @file: the file
 * @at: number of the line
 * @seen: bit n if there was a line of event n
 */
struct table {
	struct known *known;
	struct known_origin *origin;
	FILE *file;
	unsigned int at;
	uint64_t seen;
};

/* Return: false after a message. */
static bool wrong_line(const struct table *table, const char *why)
{
	return message_refuse("--table: %s, line %u: %s", table->origin->path, table->at, why);
}

static bool parse_event(struct table *table, const char *name, char *rest)
{
	int event = topdown_latency_event_by_name(name);
	const char *why;

	if (event < 0)
		return message_refuse("--table: %s, line %u: there is no event '%s' ('topdown latency --list' prints the events of this machine)",
				      table->origin->path, table->at, name);
	if (table->seen >> event & 1)
		return wrong_line(table, "there was a line of this event before");
	table->seen |= 1ULL << event;
	why = parse_figures(&table->known[event], rest);
	return !why || wrong_line(table, why);
}

static bool parse_line(struct table *table, char *line)
{
	struct known_origin *origin = table->origin;
	char *rest = line, *word;

	if (sscanf(line, KNOWN_CPU_LINE, &origin->family, &origin->model) == 2)
		return true;
	word = strtok_r(line, BLANKS, &rest);
	return !word || *word == '#' || parse_event(table, word, rest);
}

/* A device may have no end of a line.  Return: false at the end of the file, or with @why. */
static bool read_line(struct table *table, char line[LINE_SIZE], const char **why)
{
	unsigned int length = 0;
	int c;

	errno = 0;
	while ((c = getc(table->file)) != EOF && c != '\n') {
		if (!c)
			*why = "a byte is 0, so it is no text";
		else if (length == LINE_SIZE - 1)
			*why = "it is too long";
		if (*why)
			break;
		line[length++] = c;
	}
	if (c == EOF && ferror(table->file))
		*why = strerror(errno ? errno : EIO);
	line[length] = '\0';
	return !*why && (c != EOF || length);
}

static bool load(struct table *table)
{
	char line[LINE_SIZE];
	const char *why = NULL;

	for (table->at = 1; read_line(table, line, &why); table->at++) {
		if (!parse_line(table, line))
			return false;
	}
	return !why || wrong_line(table, why);
}

/**
 * known_load - read a table
 * @known: what is known of each event; the events of the table are written
 * @origin: where the table is from: its path; the rest is written
 *
 * Return: false after a message.
 */
bool known_load(struct known known[KNOWN_EVENTS], struct known_origin *origin)
{
	struct table table = { .known = known, .origin = origin };
	bool loaded;

	table.file = fopen(origin->path, "re");
	if (!table.file)
		return message_refuse("--table: cannot open %s: %s", origin->path, strerror(errno));
	loaded = load(&table);
	fclose(table.file);
	return loaded;
}

/**
 * known_foreign - say so if a table was saved on another CPU model
 * @origin: where it is from
 * @info: this machine
 */
void known_foreign(const struct known_origin *origin, const struct topdown_info *info)
{
	if (!origin->family || (origin->family == info->out_cpu_family &&
				origin->model == info->out_cpu_model))
		return;
	message_note("--table: %s was saved on another CPU model: family %u, model %u; this is family %u, model %u",
		     origin->path, origin->family, origin->model, info->out_cpu_family,
		     info->out_cpu_model);
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
