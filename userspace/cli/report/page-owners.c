// SPDX-License-Identifier: GPL-2.0
/*
 * The table of owners on the page of topdown report --html.
 */
#include <math.h>
#include <string.h>

#include "clock.h"
#include "owner-listing.h"
#include "owner-name.h"
#include "page.h"
#include "text.h"

static void put_row(FILE *file, const struct row *row, const unsigned int *node, unsigned int nr)
{
	double ipc = topdown_figures_ipc(&row->figures);
	int bottleneck = row_bottleneck(row);
	unsigned int i;

	fputs("<tr><th scope=\"row\">", file);
	html_text(file, owner_name(row));
	if (row->kind == ROW_PROCESS)
		fprintf(file, " (%d)", row->task->pid);
	fprintf(file, "</th><td>%.1f</td><td>%.3f</td>", row->owner->share * 100,
		row->figures.enabled_ns / (double)NS_PER_S);
	for (i = 0; i < nr; i++) {
		if (topdown_figures_has(&row->figures, node[i]))
			fprintf(file, "<td%s>%.1f</td>",
				row_marked(row, node[i]) ? " class=\"marked\"" : "",
				topdown_figures_ratio(&row->figures, node[i]) * 100);
		else
			fputs("<td>-</td>", file);
	}
	if (isnan(ipc))
		fputs("<td>-</td>", file);
	else
		fprintf(file, "<td>%.2f</td>", ipc);
	/* Colours alone would not tell everybody. */
	fprintf(file, "<td>%s</td></tr>\n",
		bottleneck < 0 ? "-" : topdown_node_name(bottleneck) + strlen("tma_"));
}

/**
 * recording_page_owners - write the table of owners
 * @file: where to
 * @listing: listing with rows
 * @node: nodes, in the order of the tree
 * @nr: number of @node
 */
void recording_page_owners(FILE *file, const struct owner_listing *listing,
			   const unsigned int *node, unsigned int nr)
{
	bool cgroups = listing->summary->recording.owners.kind == TOPDOWN_OWNERS_CGROUPS;
	uint32_t i;

	fprintf(file, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table id=\"owners\"><caption>%u of %u, sorted by %s; percent of their slots; share: percent of the slots of all, with idle time</caption><thead><tr><th scope=\"col\">%s</th><th scope=\"col\">share</th><th scope=\"col\">on CPU s</th>",
		cgroups ? "cgroups" : "processes", listing->interval.nr, listing->nr,
		owner_sort_name(listing->sort),
		cgroups ? "cgroup" : "process");
	for (i = 0; i < nr; i++)
		fprintf(file, "<th scope=\"col\">%s</th>",
			topdown_node_name(node[i]) + strlen("tma_"));
	fputs("<th scope=\"col\">IPC</th><th scope=\"col\">bottleneck</th></tr></thead><tbody>\n",
	      file);
	for (i = 0; i < listing->interval.nr; i++)
		put_row(file, &listing->interval.row[i], node, nr);
	fputs("</tbody></table></div>\n", file);
}
