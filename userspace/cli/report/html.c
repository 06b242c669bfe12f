// SPDX-License-Identifier: GPL-2.0
/*
 * topdown report --html: one file for a browser, without scripts, and without anything from
 * elsewhere. Each level is a picture of stacked areas. A step has the width of its time, and a
 * node the height of its share, so an area is the share of the slots over that time.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "clock.h"
#include "columns.h"
#include "meaning.h"
#include "message.h"
#include "owner-listing.h"
#include "owner-name.h"
#include "page.h"
#include "report.h"
#include "text.h"

/* Units of the pictures. */
#define WIDTH		1000.0
#define HEIGHT		240.0
#define SMALL_HEIGHT	60.0
/* Owners that the page has in its table, and those of them with a picture. */
#define PAGE_OWNERS	50
#define PAGE_PICTURES	12

/**
 * struct page - a page that is written
 * @options: the command line
 * @file: where to
 * @summary: summary
 * @ipc: the recording has cycles and instructions
 * @busy: it has the busy time of CPUs
 * @nr: number of @node
 * @node: nodes that there are, in the order of the tree
 */
struct page {
	const struct report_options *options;
	FILE *file;
	const struct summary *summary;
	bool ipc;
	bool busy;
	unsigned int nr;
	unsigned int node[TD_NR_NODES];
};

static void put_clock(const struct page *page, uint64_t at_ns, bool date)
{
	recording_page_clock(page->file, &page->summary->recording, at_ns, date);
}

/* The pictures of all CPUs end with the recording. */
static uint64_t end_of(const struct series *series)
{
	return series->end_ns > series->start_ns ? series->end_ns :
						   series_step_begin(series, series->nr);
}

static double left_of(const struct series *series, size_t step)
{
	uint64_t at_ns = series_step_begin(series, step), end_ns = end_of(series);

	if (at_ns > end_ns)
		at_ns = end_ns;
	return WIDTH * (at_ns - series->start_ns) / (end_ns - series->start_ns);
}

static double share_of(const struct topdown_figures *figures, unsigned int node)
{
	return figures->slots && topdown_figures_has(figures, node) ?
	       topdown_figures_ratio(figures, node) : 0;
}

/* The nodes of the level below this one in the pile of a step. */
static double below(const struct page *page, const struct topdown_figures *figures,
		    unsigned int place)
{
	unsigned int level = topdown_node_level(page->node[place]);
	unsigned int i;
	double sum = 0;

	for (i = 0; i < place; i++) {
		if (topdown_node_level(page->node[i]) == level)
			sum += share_of(figures, page->node[i]);
	}
	return sum;
}

static double upper_edge(double share, double height)
{
	return height * (1 - (share < 1 ? share : 1));
}

/* Steps with slots, without a gap, from @from: to the right along the top, and back. */
static size_t put_run(const struct page *page, const struct series *series, unsigned int place,
		      size_t from, double height)
{
	unsigned int node = page->node[place];
	size_t to = from, i;
	double low;

	for (; to < series->nr && series->step[to].slots; to++) {
		low = below(page, &series->step[to], place);
		fprintf(page->file, "%s%.2f %.3fH%.2f", to == from ? "M" : "L",
			left_of(series, to),
			upper_edge(low + share_of(&series->step[to], node), height),
			left_of(series, to + 1));
	}
	for (i = to; i > from; i--) {
		low = below(page, &series->step[i - 1], place);
		fprintf(page->file, "L%.2f %.3fH%.2f", left_of(series, i),
			upper_edge(low, height), left_of(series, i - 1));
	}
	fputs("Z", page->file);
	return to;
}

static void put_areas(const struct page *page, const struct series *series, unsigned int level,
		      double height)
{
	unsigned int i;
	size_t step;

	for (i = 0; i < page->nr; i++) {
		if (topdown_node_level(page->node[i]) != level)
			continue;
		fprintf(page->file, "<path class=\"area n%u\" d=\"", page->node[i]);
		for (step = 0; step < series->nr;) {
			if (series->step[step].slots)
				step = put_run(page, series, i, step, height);
			else
				step++;
		}
		fputs("\"/>\n", page->file);
	}
}

static void put_grid(const struct page *page, const struct series *series, double height)
{
	unsigned int i;

	for (i = 0; i <= 4; i++) {
		fprintf(page->file, "<path class=\"grid\" d=\"M0 %.1fH%.0f\"/>", height * i / 4,
			WIDTH);
		fprintf(page->file, "<text class=\"y\" x=\"-6\" y=\"%.1f\">%u%%</text>\n",
			height * i / 4 + 4, 100 - 25 * i);
	}
	for (i = 0; i < PAGE_TICKS; i++) {
		fprintf(page->file, "<text class=\"x\" x=\"%.1f\" y=\"%.1f\">",
			WIDTH * i / PAGE_TICKS, height + 16);
		put_clock(page, series->start_ns +
			  (end_of(series) - series->start_ns) / PAGE_TICKS * i, false);
		fputs("</text>\n", page->file);
	}
}

/* The values of a step, for people who point at it or reach it by a key. */
static void put_values(const struct page *page, const struct series *series, size_t step,
		       unsigned int level)
{
	const struct topdown_figures *figures = &series->step[step];
	unsigned int i;

	put_clock(page, series_step_begin(series, step), false);
	if (!figures->slots)
		fputs(": no slots", page->file);
	for (i = 0; i < page->nr && figures->slots; i++) {
		if (topdown_node_level(page->node[i]) != level ||
		    !topdown_figures_has(figures, page->node[i]))
			continue;
		/* Nobody needs to read "tma_" that often. */
		fprintf(page->file, "%s %s %.1f%%", i ? "," : ":",
			topdown_node_name(page->node[i]) + strlen("tma_"),
			share_of(figures, page->node[i]) * 100);
	}
}

static void put_steps(const struct page *page, const struct series *series, unsigned int level,
		      double height)
{
	size_t i;

	for (i = 0; i < series->nr; i++) {
		/* One picture is enough to go through by keys. */
		fprintf(page->file, "<g class=\"step\"%s role=\"img\"><title>",
			level == 1 ? " tabindex=\"0\"" : "");
		put_values(page, series, i, level);
		fprintf(page->file, "</title><rect x=\"%.2f\" y=\"0\" width=\"%.2f\" height=\"%.0f\"/>",
			left_of(series, i), left_of(series, i + 1) - left_of(series, i), height);
		fputs("<text class=\"value\" x=\"0\" y=\"-8\">", page->file);
		put_values(page, series, i, level);
		fputs("</text></g>\n", page->file);
	}
}

static void put_legend(const struct page *page, unsigned int level)
{
	unsigned int i;

	fputs("<ul class=\"legend\">", page->file);
	for (i = 0; i < page->nr; i++) {
		if (topdown_node_level(page->node[i]) == level)
			fprintf(page->file, "<li><svg class=\"key\" viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect class=\"n%u\" width=\"10\" height=\"10\"/></svg>%s</li>",
				page->node[i], topdown_node_name(page->node[i]));
	}
	fputs("</ul>\n", page->file);
}

static bool has_level(const struct page *page, unsigned int level)
{
	unsigned int i;

	for (i = 0; i < page->nr; i++) {
		if (topdown_node_level(page->node[i]) == level)
			return true;
	}
	return false;
}

static void put_level(const struct page *page, const struct series *series, unsigned int level)
{
	if (!has_level(page, level))
		return;
	fprintf(page->file, "<section><h2 id=\"level%u\">Level %u</h2>\n", level, level);
	put_legend(page, level);
	fprintf(page->file, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"level%u\">\n"
		"<svg class=\"picture\" viewBox=\"-44 -28 %.0f %.0f\" role=\"group\" aria-label=\"share of slots of each node over time, level %u\">\n",
		level, WIDTH + 52, HEIGHT + 52, level);
	put_areas(page, series, level, HEIGHT);
	put_grid(page, series, HEIGHT);
	put_steps(page, series, level, HEIGHT);
	fputs("</svg></div></section>\n", page->file);
}

/* One small picture for each CPU or task. */
static void put_small(const struct page *page, const struct summary_subject *subject, size_t nr)
{
	struct series series;
	struct row row;

	summary_row(page->summary, subject, &row, NULL);
	if (!series_join(&series, &subject->series, nr) && series.nr) {
		fputs("<figure><figcaption>", page->file);
		if (row.task) {
			html_text(page->file, row.task->name);
			fprintf(page->file, " (%d)", row.task->pid);
		} else {
			fprintf(page->file, "CPU %u", row.cpu);
		}
		fprintf(page->file, "</figcaption><svg class=\"small\" viewBox=\"0 0 %.0f %.0f\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"level 1\">\n",
			WIDTH, SMALL_HEIGHT);
		put_areas(page, &series, 1, SMALL_HEIGHT);
		fputs("</svg></figure>\n", page->file);
	}
	series_free(&series);
}

static void put_activity_cell(FILE *file, double value, int digits)
{
	if (isnan(value))
		fputs("<td>-</td>", file);
	else
		fprintf(file, "<td>%.*f</td>", digits, value);
}

/* The same for an owner, over the time of the pictures of all. */
static int put_owner_picture(const struct page *page, const struct series *all,
			     const struct row *row, uint32_t owner)
{
	const struct summary *summary = page->summary;
	struct series series;
	int ret;

	series_begin(&series, all->start_ns, summary->owners.step_ns, 1);
	ret = owner_sums_series(&summary->owners, &summary->recording.owners, owner,
				row->kind == ROW_CGROUP && !page->options->self, &series);
	series.end_ns = end_of(all);
	if (!ret && series.nr) {
		fputs("<figure><figcaption>", page->file);
		html_text(page->file, owner_name(row));
		if (row->kind == ROW_PROCESS)
			fprintf(page->file, " (%d)", row->task->pid);
		fprintf(page->file, "</figcaption><svg class=\"small\" viewBox=\"0 0 %.0f %.0f\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"level 1\">\n",
			WIDTH, SMALL_HEIGHT);
		put_areas(page, &series, 1, SMALL_HEIGHT);
		fputs("</svg></figure>\n", page->file);
	}
	series_free(&series);
	return ret;
}

static int put_owners(const struct page *page, const struct series *all)
{
	const struct summary *summary = page->summary;
	struct owner_listing *listing;
	uint32_t i;
	int ret = 0;

	if (!summary->recording.owners.there || page->options->choice.has_cpus)
		return 0;
	listing = owner_listing_make(page->options, summary, summary->level);
	if (!listing)
		return -ENOMEM;
	owner_listing_all(listing);
	owner_listing_rows(listing, 0, page->options->top && page->options->top < OWNER_ROWS ?
			   page->options->top : PAGE_OWNERS);
	fprintf(page->file, "<section class=\"each\"><h2>%s</h2>\n",
		summary->recording.owners.kind == TOPDOWN_OWNERS_CGROUPS ?
		page->options->self ? "Cgroups, without those below them" :
				      "Cgroups, with all below them" : "Processes");
	recording_page_owners(page->file, listing, page->node, page->nr);
	for (i = 0; i < listing->interval.nr && i < PAGE_PICTURES && all->nr && !ret; i++)
		ret = put_owner_picture(page, all, &listing->interval.row[i],
					listing->place[i].owner);
	fputs("</section>\n", page->file);
	owner_listing_free(listing);
	return ret;
}

static void put_each(const struct page *page, size_t nr)
{
	const struct summary *summary = page->summary;
	unsigned int i;

	if (!page->options->each)
		return;
	fputs("<section class=\"each\"><h2>Each by itself, level 1</h2>\n", page->file);
	for (i = 0; i < summary->nr; i++) {
		if (summary->subject[i].used)
			put_small(page, &summary->subject[i], nr);
	}
	fputs("</section>\n", page->file);
}

/* IPC and busy of a step, where the recording has them. */
static void put_activity(const struct page *page, const struct series *series, size_t step)
{
	struct row row;

	summary_step_row(page->summary, &page->summary->all, series, step, &row, NULL);
	if (page->ipc)
		put_activity_cell(page->file, topdown_figures_ipc(&row.figures), 2);
	if (page->busy)
		put_activity_cell(page->file,
				  topdown_figures_busy(&row.figures, row.time_ns) * 100, 1);
}

static void put_cell(FILE *file, bool none, double value)
{
	if (none)
		fputs("<td>-</td>", file);
	else
		fprintf(file, "<td>%.1f</td>", value * 100);
}

/* A child that was not counted in all slots has its share of those in which it was. */
static void put_mean(const struct page *page, const struct topdown_figures *total,
		     unsigned int node)
{
	uint32_t ratio;
	double share;

	if (summary_partly(total, node, &ratio, &share))
		fprintf(page->file, "<td>%.1f (counted in %.1f%% of the slots)</td>",
			ratio * 100.0 / TOPDOWN_RATIO_ONE, share * 100);
	else
		put_cell(page->file, !topdown_figures_has(total, node), share_of(total, node));
}

static void put_totals(const struct page *page)
{
	const struct summary_subject *all = &page->summary->all;
	unsigned int i, rank;
	struct row row;

	summary_row(page->summary, all, &row, NULL);
	fprintf(page->file, "<section><h2>Totals</h2>\n<table><caption>percent of slots; over %zu steps of %.3f s</caption>\n"
		"<thead><tr><th scope=\"col\">node</th><th scope=\"col\">mean</th><th scope=\"col\">p5</th><th scope=\"col\">p50</th><th scope=\"col\">p95</th></tr></thead><tbody>\n",
		all->series.nr, all->series.step_ns / (double)NS_PER_S);
	for (i = 0; i < page->nr; i++) {
		unsigned int node = page->node[i];

		fprintf(page->file, "<tr class=\"level%u%s\"><th scope=\"row\">%s%s</th>",
			topdown_node_level(node), row_marked(&row, node) ? " marked" : "",
			topdown_node_name(node), row_marked(&row, node) ? " (bottleneck)" : "");
		put_mean(page, &row.figures, node);
		for (rank = 0; rank < SERIES_RANKS; rank++)
			put_cell(page->file, all->ranks[node].none,
				 all->ranks[node].ratio[rank]);
		fputs("</tr>\n", page->file);
	}
	fputs("</tbody></table></section>\n", page->file);
}

/* The same values as text, for those who cannot see the pictures. */
static void put_table(const struct page *page, const struct series *series)
{
	unsigned int i;
	size_t step;

	fprintf(page->file, "<details><summary>Values of the pictures</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"values\"><table id=\"values\"><caption>percent of slots in steps of %.3f s</caption><thead><tr><th scope=\"col\">from</th>",
		series->step_ns / (double)NS_PER_S);
	for (i = 0; i < page->nr; i++)
		fprintf(page->file, "<th scope=\"col\">%s</th>",
			topdown_node_name(page->node[i]));
	fprintf(page->file, "%s%s</tr></thead><tbody>\n",
		page->ipc ? "<th scope=\"col\">IPC</th>" : "",
		page->busy ? "<th scope=\"col\">busy %</th>" : "");
	for (step = 0; step < series->nr; step++) {
		fputs("<tr><th scope=\"row\">", page->file);
		put_clock(page, series_step_begin(series, step), false);
		fputs("</th>", page->file);
		for (i = 0; i < page->nr; i++)
			put_cell(page->file, !series->step[step].slots ||
				 !topdown_figures_has(&series->step[step], page->node[i]),
				 share_of(&series->step[step], page->node[i]));
		put_activity(page, series, step);
		fputs("</tr>\n", page->file);
	}
	fputs("</tbody></table></div></details>\n", page->file);
}

static void put_facts(const struct page *page)
{
	const struct recording *recording = &page->summary->recording;
	const struct record_info *info = &recording->info;

	fputs("<h1>topdown: ", page->file);
	html_text(page->file, info->host);
	fputs("</h1>\n<p>", page->file);
	put_clock(page, recording_in_part(recording) ? recording_begin_ns(recording) :
						       info->begin.monotonic_ns, true);
	fprintf(page->file, ", %.3f s: %llu %s%s of %u %s%s, %llu lost",
		summary_seconds(page->summary),
		(unsigned long long)recording->windows,
		summary_of_tasks(page->summary) ? "sample" : "window",
		plural_text(recording->windows), summary_used(page->summary),
		summary_of_tasks(page->summary) ? "task" : "CPU",
		plural_text(summary_used(page->summary)),
		(unsigned long long)recording->lost);
	if (recording->nr_gaps)
		fprintf(page->file, ", %.3f s not recorded",
			recording_gap_ns(recording, recording_begin_ns(recording),
					 recording_end_ns(recording)) / (double)NS_PER_S);
	fputs(". ", page->file);
	html_text(page->file, *info->codename ? info->codename : info->cpu_name);
	fputs(", Linux ", page->file);
	html_text(page->file, info->kernel);
	fputs(".</p>\n<p><code>topdown ", page->file);
	html_text(page->file, recording->command);
	fputs("</code></p>\n", page->file);
}

/* A node, how much it is, and what that means. */
static void put_bottleneck(FILE *file, const struct row *row, int node, const char *before)
{
	fprintf(file, "%s<b>%s</b> %.1f%% of the slots", before, topdown_node_name(node),
		topdown_figures_ratio(&row->figures, node) * 100);
}

/* The answer first: what the tables mark, in words. */
static void put_verdict(const struct page *page)
{
	int node, child;
	FILE *file = page->file;
	struct row row;

	summary_row(page->summary, &page->summary->all, &row, NULL);
	node = row_bottleneck(&row);
	child = row_bottleneck_child(&row, node);
	fputs("<p class=\"verdict\">", file);
	if (row.figures.slots && row_doubt_text(&row)) {
		fprintf(file, "%s: no bottleneck is named", row_doubt_text(&row));
	} else if (node < 0) {
		fputs("no bottleneck: no node of level 1 is over its threshold", file);
	} else {
		put_bottleneck(file, &row, node, "bottleneck: ");
		if (child >= 0)
			put_bottleneck(file, &row, child, ", of them ");
		fputs(": ", file);
		html_text(file, meaning_of_node(child >= 0 ? child : node));
	}
	fputs("</p>\n", file);
}

/* Does any part of the recording have them? */
static void choose_activity(struct page *page)
{
	struct row row;

	summary_row(page->summary, &page->summary->all, &row, NULL);
	page->ipc = !isnan(topdown_figures_ipc(&row.figures));
	page->busy = !isnan(topdown_figures_busy(&row.figures, row.time_ns));
}

/* IPC and busy of all, as in the table for terminals. */
static void put_totals_line(const struct page *page)
{
	const char *before = "";
	struct row row;

	if (!page->ipc && !page->busy)
		return;
	summary_row(page->summary, &page->summary->all, &row, NULL);
	fputs("<p>", page->file);
	if (page->busy) {
		fprintf(page->file, "busy %.1f%%",
			topdown_figures_busy(&row.figures, row.time_ns) * 100);
		before = ", ";
	}
	if (page->ipc)
		fprintf(page->file, "%sIPC %.2f", before, topdown_figures_ipc(&row.figures));
	fputs("</p>\n", page->file);
}

static void choose_nodes(struct page *page)
{
	uint32_t nodes = page->summary->nodes;
	struct column_list list;
	unsigned int i;

	columns_select(&list, TABLE_CPUS, page->summary->level, nodes);
	for (i = 0; i < list.nr; i++) {
		if (column_is_node(list.column[i]) && nodes >> list.column[i]->of & 1)
			page->node[page->nr++] = list.column[i]->of;
	}
}

static int put_page(struct page *page)
{
	struct series series;
	int ret;

	ret = series_join(&series, &page->summary->all.series, PAGE_STEPS);
	if (ret) {
		series_free(&series);
		return message_fail(EXIT_RUNTIME, "cannot write the page: %s", strerror(-ret));
	}
	choose_nodes(page);
	choose_activity(page);
	fputs(recording_page_head, page->file);
	put_facts(page);
	put_verdict(page);
	put_totals_line(page);
	put_level(page, &series, 1);
	put_level(page, &series, 2);
	put_each(page, series.nr);
	ret = put_owners(page, &series);
	if (series.nr)
		recording_page_latencies(page->file, page->summary, series.start_ns,
					 end_of(&series));
	put_totals(page);
	put_table(page, &series);
	fputs("</main></body></html>\n", page->file);
	series_free(&series);
	if (ret)
		message_error("cannot write the page: %s", strerror(-ret));
	return ret ? EXIT_RUNTIME : 0;
}

/**
 * report_html - write a page
 * @options: the command line
 * @summary: summary
 *
 * Return: exit code.
 */
int report_html(const struct report_options *options, const struct summary *summary)
{
	struct page page = { .options = options, .summary = summary };
	struct output output = { .header = false };
	int ret, closed;

	ret = output_target(&output, "--html", options->html);
	if (ret)
		return ret;
	page.file = output.file;
	ret = put_page(&page);
	if (!ret)
		ret = output_flush(&output);
	closed = output_close(&output);
	return ret ? ret : closed;
}
