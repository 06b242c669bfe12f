// SPDX-License-Identifier: GPL-2.0
/*
 * The latencies on the page of topdown report --html: a picture of each event, with lines for the
 * mean and for quantiles over the same time as the pictures of slots.
 */
#include <math.h>

#include "clock.h"
#include "latency-figures.h"
#include "page.h"
#include "text.h"

/* Units of the pictures. */
#define WIDTH		1000.0
#define HEIGHT		160.0
#define LINES		4
#define GRID		4

static const struct {
	enum known_figure figure;
	const char *name;
} lines[LINES] = {
	{ KNOWN_MEAN, "mean" }, { KNOWN_P50, "p50" }, { KNOWN_P90, "p90" }, { KNOWN_P99, "p99" },
};

/**
 * struct picture - the picture of an event
 * @file: where to
 * @recording: the recording
 * @sums: its latencies
 * @event: the event
 * @start_ns: begin of the time that the picture has
 * @end_ns: its end
 * @top: latency of the upper edge
 */
struct picture {
	FILE *file;
	const struct recording *recording;
	const struct latency_sums *sums;
	unsigned int event;
	uint64_t start_ns;
	uint64_t end_ns;
	double top;
};

/* NaN for a step without a sample. */
static double value_of(const struct picture *picture, size_t step, unsigned int line)
{
	const struct topdown_latency_record *record =
		latency_sums_step(picture->sums, picture->event, step);

	return record ? known_sampled(record, lines[line].figure) : (double)NAN;
}

static uint64_t begin_of(const struct picture *picture, size_t step)
{
	return picture->sums->start_ns + step * picture->sums->step_ns;
}

/* The last step may end after the picture. */
static double left_of(const struct picture *picture, size_t step)
{
	uint64_t at_ns = begin_of(picture, step);

	if (at_ns <= picture->start_ns)
		return 0;
	if (at_ns >= picture->end_ns)
		return WIDTH;
	return WIDTH * (at_ns - picture->start_ns) / (picture->end_ns - picture->start_ns);
}

/* 1, 2 or 5 with zeros: the least that is not below any value. */
static double scale(const struct picture *picture)
{
	double most = 1, top = 1;
	unsigned int line;
	size_t step;

	for (step = 0; step < picture->sums->nr_steps; step++) {
		for (line = 0; line < LINES; line++)
			most = fmax(most, value_of(picture, step, line));
	}
	while (top * 10 < most)
		top *= 10;
	if (top * 2 >= most)
		return top * 2;
	return top * 5 >= most ? top * 5 : top * 10;
}

/* To the right along the value of each step, and a new begin after a gap. */
static void put_line(const struct picture *picture, unsigned int line)
{
	bool gap = true;
	double value;
	size_t step;

	fprintf(picture->file, "<path class=\"line l%u\" d=\"", line);
	for (step = 0; step < picture->sums->nr_steps; step++) {
		value = value_of(picture, step, line);
		if (!isnan(value))
			fprintf(picture->file, "%s%.2f %.3fH%.2f", gap ? "M" : "L",
				left_of(picture, step), HEIGHT * (1 - value / picture->top),
				left_of(picture, step + 1));
		gap = isnan(value);
	}
	fputs("\"/>\n", picture->file);
}

static void put_grid(const struct picture *picture)
{
	unsigned int i;

	for (i = 0; i <= GRID; i++) {
		fprintf(picture->file, "<path class=\"grid\" d=\"M0 %.1fH%.0f\"/>",
			HEIGHT * i / GRID, WIDTH);
		fprintf(picture->file, "<text class=\"y\" x=\"-6\" y=\"%.1f\">%g</text>\n",
			HEIGHT * i / GRID + 4, picture->top * (GRID - i) / GRID);
	}
	for (i = 0; i < PAGE_TICKS; i++) {
		fprintf(picture->file, "<text class=\"x\" x=\"%.1f\" y=\"%.1f\">",
			WIDTH * i / PAGE_TICKS, HEIGHT + 16);
		recording_page_clock(picture->file, picture->recording, picture->start_ns +
				     (picture->end_ns - picture->start_ns) / PAGE_TICKS * i, false);
		fputs("</text>\n", picture->file);
	}
}

static void put_values(const struct picture *picture, size_t step)
{
	unsigned int line;

	recording_page_clock(picture->file, picture->recording, begin_of(picture, step), false);
	for (line = 0; line < LINES; line++)
		fprintf(picture->file, "%s %s %.1f", line ? "," : ":", lines[line].name,
			value_of(picture, step, line));
	fputs(" cycles", picture->file);
}

static void put_steps(const struct picture *picture)
{
	size_t step;

	for (step = 0; step < picture->sums->nr_steps; step++) {
		if (isnan(value_of(picture, step, 0)))
			continue;
		fputs("<g class=\"step\" role=\"img\"><title>", picture->file);
		put_values(picture, step);
		fprintf(picture->file, "</title><rect x=\"%.2f\" y=\"0\" width=\"%.2f\" height=\"%.0f\"/>",
			left_of(picture, step), left_of(picture, step + 1) - left_of(picture, step),
			HEIGHT);
		fputs("<text class=\"value\" x=\"0\" y=\"-8\">", picture->file);
		put_values(picture, step);
		fputs("</text></g>\n", picture->file);
	}
}

static void put_legend(FILE *file)
{
	unsigned int line;

	fputs("<ul class=\"legend\">", file);
	for (line = 0; line < LINES; line++)
		fprintf(file, "<li><svg class=\"key\" viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect class=\"l%u\" width=\"10\" height=\"10\"/></svg>%s</li>",
			line, lines[line].name);
	fputs("</ul>\n", file);
}

/* The same values as text, for those who cannot see the picture. */
static void put_table(const struct picture *picture)
{
	const char *name = topdown_latency_event_name(picture->event);
	unsigned int line;
	size_t step;

	fprintf(picture->file, "<details><summary>Values of %s</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"values of %s\"><table><caption>cycles in steps of %.3f s</caption><thead><tr><th scope=\"col\">from</th><th scope=\"col\">samples</th>",
		name, name, picture->sums->step_ns / (double)NS_PER_S);
	for (line = 0; line < LINES; line++)
		fprintf(picture->file, "<th scope=\"col\">%s</th>", lines[line].name);
	fputs("</tr></thead><tbody>\n", picture->file);
	for (step = 0; step < picture->sums->nr_steps; step++) {
		const struct topdown_latency_record *record =
			latency_sums_step(picture->sums, picture->event, step);

		if (!record || !record->samples)
			continue;
		fputs("<tr><th scope=\"row\">", picture->file);
		recording_page_clock(picture->file, picture->recording, begin_of(picture, step),
				     false);
		fprintf(picture->file, "</th><td>%llu</td>", (unsigned long long)record->samples);
		for (line = 0; line < LINES; line++)
			fprintf(picture->file, "<td>%.1f</td>", value_of(picture, step, line));
		fputs("</tr>\n", picture->file);
	}
	fputs("</tbody></table></div></details>\n", picture->file);
}

static void put_facts(const struct picture *picture)
{
	const struct topdown_latency_record *all = &picture->sums->all[picture->event];
	double aside = latency_sums_aside(picture->sums, picture->sums->nr, picture->event);
	char number[GROUPED_SIZE];
	unsigned int line;

	grouped_text(number, all->samples);
	fprintf(picture->file, "<p>%s samples", number);
	for (line = 0; line < LINES; line++)
		fprintf(picture->file, ", %s %.1f", lines[line].name,
			known_sampled(all, lines[line].figure));
	fprintf(picture->file, ", max %.0f cycles", known_sampled(all, KNOWN_MAX));
	if (all->elapsed_ns)
		fprintf(picture->file, "; sampled in %.1f%% of the time",
			all->running_ns * 100.0 / all->elapsed_ns);
	if (all->flags & TOPDOWN_LATENCY_RECORD_COUNTED) {
		grouped_text(number, all->counted);
		fprintf(picture->file, "; %s events counted, %.1f%% lost", number,
			100 * known_lost(all));
	} else {
		fputs("; nobody knows what was lost", picture->file);
	}
	if (aside > 0)
		fprintf(picture->file, "; in %.1f%% of the time the counter was left to perf users, or the event found none",
			100 * aside);
	fputs("</p>\n", picture->file);
}

static void put_picture(struct picture *picture)
{
	const char *name = topdown_latency_event_name(picture->event);
	unsigned int line;

	picture->top = scale(picture);
	fprintf(picture->file, "<h3 id=\"latency%u\">%s</h3>\n", picture->event, name);
	put_facts(picture);
	fprintf(picture->file, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"latency%u\">\n"
		"<svg class=\"latency picture\" viewBox=\"-44 -28 %.0f %.0f\" role=\"group\" aria-label=\"cycles of %s over time\">\n",
		picture->event, WIDTH + 52, HEIGHT + 52, name);
	put_grid(picture);
	for (line = 0; line < LINES; line++)
		put_line(picture, line);
	put_steps(picture);
	fputs("</svg></div>\n", picture->file);
	put_table(picture);
}

/* Which events were asked for, and had no sample: after turns of the counter, or without any. */
static void put_rest(FILE *file, const struct latency_sums *sums, uint64_t events, bool turn)
{
	bool first = true;

	for (; events; events &= events - 1) {
		unsigned int event = __builtin_ctzll(events);

		if (sums->all[event].samples || !!sums->all[event].running_ns != turn)
			continue;
		if (first)
			fputs(turn ? "<p>Without a sample: " : "<p>Had no turn: ", file);
		fprintf(file, "%s%s", first ? "" : ", ", topdown_latency_event_name(event));
		first = false;
	}
	fputs(first ? "" : ".</p>\n", file);
}

/**
 * recording_page_latencies - write the pictures of latencies, if there are any
 * @file: where to
 * @summary: the recording
 * @start_ns: begin of the time that the pictures have
 * @end_ns: its end, later than @start_ns
 */
void recording_page_latencies(FILE *file, const struct summary *summary, uint64_t start_ns,
			      uint64_t end_ns)
{
	struct picture picture = {
		.file = file,
		.recording = &summary->recording,
		.sums = &summary->latencies,
		.start_ns = start_ns,
		.end_ns = end_ns,
	};
	uint64_t events = summary->latencies.events;

	if (!events)
		return;
	fputs("<section><h2>Retire latencies, in cycles</h2>\n", file);
	put_legend(file);
	put_rest(file, picture.sums, events, true);
	put_rest(file, picture.sums, events, false);
	for (; events; events &= events - 1) {
		picture.event = __builtin_ctzll(events);
		if (picture.sums->all[picture.event].samples)
			put_picture(&picture);
	}
	fputs("</section>\n", file);
}
