// SPDX-License-Identifier: GPL-2.0
/*
 * topdown where --html: one file for a browser, without scripts, in the style of topdown report.
 */
#include <math.h>

#include "page.h"
#include "text.h"
#include "where-output.h"

void where_page_begin(FILE *file, const struct where_run *run)
{
	const struct topdown_info *info = topdown_info_get(run->td);
	char **word;

	fputs(recording_page_head, file);
	fputs("<h1>topdown where</h1>\n<p>", file);
	html_text(file, *info->out_codename ? info->out_codename : info->out_cpu_name);
	fprintf(file, ", %.3f s, %llu samples, %llu lost. Counts say how much, samples say where.</p>\n",
		run->seconds, (unsigned long long)run->records,
		(unsigned long long)topdown_stalls_lost(run->stalls));
	if (!run->options->argv)
		return;
	fputs("<p><code>", file);
	for (word = run->options->argv; *word; word++) {
		html_text(file, *word);
		fputs(word[1] ? " " : "</code></p>\n", file);
	}
}

static void put_bar(FILE *file, double share, unsigned int node)
{
	fprintf(file, "<td><svg viewBox=\"0 0 100 10\" width=\"100\" height=\"10\" aria-hidden=\"true\"><rect class=\"n%u\" width=\"%.1f\" height=\"10\"/></svg></td>",
		node, share * 100);
}

static void put_cell(FILE *file, const char *text)
{
	fputs("<td>", file);
	html_text(file, text ? text : "-");
	fputs("</td>", file);
}

static void put_row(FILE *file, const struct where_run *run, const struct where_rows *rows,
		    const struct where_row *row)
{
	char function[256], place[256], number[32];

	where_function_text(function, sizeof(function), run, row);
	where_place_text(place, sizeof(place), run, row);
	fputs("<tr><th scope=\"row\"><code>", file);
	html_text(file, function);
	fputs("</code></th>", file);
	put_bar(file, row->share, rows->node);
	fprintf(file, "<td>%.1f</td><td>%.1f</td><td>%.1f</td><td>%.0f</td>", row->share * 100,
		row->error * 100, row->share * rows->node_share * 100, row->samples);
	put_cell(file, place);
	put_cell(file, topdown_stall_stage_name(row->stage));
	put_cell(file, topdown_stall_reason_name(row->reason));
	put_cell(file, topdown_stall_source_name(row->from));
	snprintf(number, sizeof(number), "%.0f", row->cycles);
	put_cell(file, isnan(row->cycles) ? NULL : number);
	fputs("</tr>\n", file);
}

static void put_table(FILE *file, const struct where_run *run, const struct where_domain *domain,
		      const struct where_rows *rows)
{
	static const char * const headings[] = {
		"", "of node", "&plusmn;", "of all", "samples", "most at", "stage", "reason", "from",
		"cycles",
	};
	size_t i;

	fprintf(file, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table><caption>%.1f%% of the slots%s%s; shares in percent</caption><thead><tr><th scope=\"col\">function</th>",
		topdown_node_name(rows->node),
		rows->node_share * 100, domain->name ? " of " : "",
		domain->name ? domain->name : "");
	for (i = 0; i < sizeof(headings) / sizeof(headings[0]); i++)
		fprintf(file, "<th scope=\"col\">%s</th>", headings[i]);
	fputs("</tr></thead><tbody>\n", file);
	for (i = 0; i < where_shown(run, rows); i++)
		put_row(file, run, rows, &rows->row[i]);
	fputs("</tbody></table></div>\n", file);
}

/* As below the tables of a terminal. */
static void put_reasons(FILE *file, const struct where_run *run,
			const struct where_domain *domain, unsigned int node)
{
	struct topdown_stalls_event event;
	char why[WHERE_REASON_SIZE];
	unsigned int number = 0;

	while (where_missing_next(run, domain, node, &number, &event, why, sizeof(why))) {
		fputs("<p>no sample of ", file);
		html_text(file, event.name);
		fputs(": ", file);
		html_text(file, why);
		fputs("</p>\n", file);
	}
}

void where_page_node(FILE *file, const struct where_run *run, const struct where_domain *domain,
		     const struct where_rows *rows)
{
	fprintf(file, "<section><h2>%s</h2>\n", topdown_node_name(rows->node));
	if (rows->nr)
		put_table(file, run, domain, rows);
	else
		fprintf(file, "<p>%.1f%% of the slots%s%s; no sample says where</p>\n",
			rows->node_share * 100, domain->name ? " of " : "",
			domain->name ? domain->name : "");
	put_reasons(file, run, domain, rows->node);
	fputs("</section>\n", file);
}

void where_page_end(FILE *file)
{
	fputs("</main></body></html>\n", file);
}
